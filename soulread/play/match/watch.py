"""Watching one player with all cards open: private counts over many hands.

These are the observations of Johanson & Bowling (AISTATS 2009): hands with all cards known, in which the
modelled player meets the agent "probe" or a copy of the same player.
"""

from soulread.errors import SoulreadError
from soulread.machine import verify_room
from soulread.observe.private import PrivateCounts
from soulread.play.match.simulate import simulate
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.tabular import TabularStrategy
from soulread.streams import MatchStreams
from soulread.words import plural


def observe_play(
    game: SequenceGame,
    observed: TabularStrategy,
    against: TabularStrategy,
    hands: int,
    seed: int = 0,
) -> PrivateCounts:
    """Counts of ``observed`` over ``hands`` hands against another strategy; the seats change every hand.

    The hands are those that `soulread.play.Match` plays with this seed.
    """
    if hands < 0:
        raise SoulreadError(f"{hands!r} observed hands; there cannot be fewer than 0")
    verify_room(plural(hands, "observed hand"), 2 * 8 * 2 * hands)  # chips of both players, in two copies
    counts = PrivateCounts(game)
    if hands:
        simulate(poker_of(game), (observed, against), hands, MatchStreams(seed), counts=counts)
    return counts
