"""Opponents for experiments: Orange, and equilibria that are skewed on purpose.

    orange[:5-5-5-5[:quick]]           too aggressive: an equilibrium when winners get 7% more than they win
    orange-pot[:5-5-5-5[:quick]]       the other reading of the paper: 7% more of the whole pot
    loose[:5-5-5-5[:quick]][:AMOUNT]   an equilibrium with some of its folds turned into calls; tight, passive
                                       and aggressive likewise, see `PRESETS`
    skew[:5-5-5-5[:quick]]:SKEWS       an equilibrium bent as told: skew:loose=0.3,rounds=flop,hands=weak

In limit hold'em each needs a card abstraction. What they are made from is solved once and kept in the cache.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from soulread.errors import ParseError
from soulread.games.poker import PokerGame
from soulread.play.solved import ABSTRACTION, game_text
from soulread.play.tabular import TabularAgent
from soulread.seqform.tabular import TabularStrategy
from soulread.solve.equilibria import (
    abstraction_checksum,
    equilibrium_path,
    find_equilibrium,
    keep_equilibrium,
    playable_strategy,
    tabular,
)
from soulread.solve.files import Strategy, load_strategy
from soulread.solve.named import Tell, compile_playable, parse_abstract_game, small_bet
from soulread.solve.run import Check
from soulread.solve.skews import Skew, parse_skews, skew_behaviours
from soulread.solve.stops import Stops
from soulread.solve.variants import solve_with_bonus

PRESETS = {
    "loose": Skew("loose", (0.2,)),
    "tight": Skew("tight", (0.1,), hands=("weak", "middle")),
    "passive": Skew("passive", (0.2,)),
    "aggressive": Skew("aggressive", (0.2,), hands=("weak",)),
}
"""What the plain words mean: in limit:5-5-5-5 each is exploitable for 130 to 260 mb/g."""

ORANGE_GAP = 1e-3  # of a small bet: mean deviation gain in the game with the bonus

_READING = {"orange": "win", "orange-pot": "pot"}


def orange_agent(text: str, game: PokerGame, tell: Tell | None = None) -> TabularAgent:
    """``"orange"`` in a small game, ``"orange:5-5-5-5"`` in limit hold'em."""
    name, _, spec = text.partition(":")
    return TabularAgent(text, find_orange(game_text(text, game, spec), _READING[name], tell))


def shifted_agent(text: str, game: PokerGame, tell: Tell | None = None) -> TabularAgent:
    """``"loose"`` and ``"loose:0.5"`` in a small game, ``"loose:5-5-5-5:quick:0.5"`` in limit hold'em."""
    name, spec, rest = _divide(text)
    skew = PRESETS[name]
    if rest:
        skew = replace(skew, amount=parse_skews(f"{name}={rest}")[0].amount)
    return TabularAgent(text, find_skewed(game_text(text, game, spec), (skew,), tell))


def skewed_agent(text: str, game: PokerGame, tell: Tell | None = None) -> TabularAgent:
    """``"skew:loose=0.3,rounds=flop"`` in a small game, ``"skew:5-5-5-5:loose=0.3,rounds=flop"`` in limit."""
    name, spec, rest = _divide(text)
    if not rest:
        example = f"{name}:{spec}:" if spec else f"{name}:"
        raise ParseError(
            f"{text!r} does not say how it is skewed; write such as {example}loose=0.3,hands=weak"
        )
    return TabularAgent(text, find_skewed(game_text(text, game, spec), parse_skews(rest), tell))


def find_skewed(text: str, skews: Sequence[Skew], tell: Tell | None = None) -> TabularStrategy:
    """The equilibrium of a game ("leduc", "limit:5-5-5-5") bent by each of the skews, ready to play."""
    equilibrium = find_equilibrium(text, tell)
    playable = compile_playable(text, tell)
    return tabular(playable, skew_behaviours(playable.game, equilibrium.behaviours, skews))


def find_orange(text: str, of: str = "win", tell: Tell | None = None) -> TabularStrategy:
    """Orange in a game, for either reading of its bonus, ready to play; kept in the cache for abstractions.

    Solved until both players together could gain 2 mb/g in the game with the bonus.
    """
    gap = ORANGE_GAP * (small_bet(text) or 1)
    named = parse_abstract_game(text)
    path = None if named is None else equilibrium_path(named, f"orange-{of}", gap)
    if named is not None and path is not None and path.exists():
        return playable_strategy(load_strategy(path), named.game, str(path), tell)
    playable = compile_playable(text, tell)

    def progress(check: Check) -> None:
        if tell is not None:
            tell(f"{text}: orange, iteration {check.iteration:,}")

    solution = solve_with_bonus(playable.game, Stops(gap=gap), of=of, progress=progress)
    if path is not None:
        keep_equilibrium(path, Strategy.from_solution(solution, abstraction=abstraction_checksum(playable)))
    return tabular(playable, solution.behaviours)


def _divide(text: str) -> tuple[str, str, str]:
    """Name, abstraction and what follows it; the last two may be empty."""
    name, _, rest = text.partition(":")
    found = ABSTRACTION.match(rest)
    spec = found[0] if found and re.match(r"$|:", rest[found.end() :]) else ""
    return name, spec, rest[len(spec) :].removeprefix(":")


OPPONENTS = {
    **dict.fromkeys(_READING, orange_agent),
    **dict.fromkeys(PRESETS, shifted_agent),
    "skew": skewed_agent,
}
