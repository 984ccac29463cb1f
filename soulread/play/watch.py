"""Watching one player from above: his private counts over many hands, all cards known.

What Johanson & Bowling (AISTATS 2009) call observations: full-information hands of the player to be modelled
against one who probes him, or against himself.
"""

from soulread.errors import SoulreadError
from soulread.observe.private import PrivateCounts
from soulread.play.match import stream
from soulread.play.simulate import simulate
from soulread.play.tabular import tabular_form
from soulread.seqform.tabular import TabularStrategy
from soulread.solve.named import Playable, Tell


def observe_play(
    playable: Playable,
    observed: TabularStrategy,
    against: TabularStrategy,
    hands: int,
    seed: int = 0,
) -> PrivateCounts:
    """Counts of ``observed`` over ``hands`` hands against another strategy; the seats change every hand.

    They are the counts of the same hands played through `soulread.play.Match` under this seed.
    """
    if hands < 0:
        raise SoulreadError(f"{hands!r} observed hands; there cannot be fewer than 0")
    counts = PrivateCounts(playable.game, playable.lookup, playable.poker)
    if hands:
        simulate(playable.poker, (observed, against), hands, lambda key: stream(seed, 0, key), counts=counts)
    return counts


def tabular_opponent(text: str, playable: Playable, tell: Tell | None = None) -> TabularStrategy:
    """The strategy, with real cards, of the agent a text names; refused if it does not play from a table."""
    from soulread.play.catalogue import parse_agent  # the catalogue lists agents that use this module

    agent = parse_agent(text, playable.poker, tell)
    strategy = tabular_form(agent, playable.poker)
    if strategy is None:
        raise SoulreadError(f"{text!r} does not play from a table, so it cannot be watched or judged exactly")
    return strategy
