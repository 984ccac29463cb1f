"""Opponents for experiments: Orange, and equilibria that are skewed on purpose.

    orange[:5-5-5-5[:quick]]           too aggressive: an equilibrium of a game that pays winners 7% extra
    orange-pot[:5-5-5-5[:quick]]       the other reading of the paper: winners get 7% of the whole pot extra
    loose[:5-5-5-5[:quick]][:AMOUNT]   an equilibrium with some of its folds turned into calls; tight, passive
                                       and aggressive likewise, see `PRESETS`
    skew[:5-5-5-5[:quick]]:SKEWS       an equilibrium with these skews: skew:loose=0.3,rounds=flop,hands=weak

In hold'em each needs a card abstraction. At heads-up no-limit tables the skewed ones sit with a menu of
raises (`skew:5-5-5-5:quick:bets=usual:loose=0.3`). Their equilibria are solved once and kept in the cache.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from soulread.errors import ParseError
from soulread.games.poker import PokerGame
from soulread.options import Options, option
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import (
    AgentEntry,
    AgentSpec,
    ParseAgent,
    cards_option,
    divide,
    source_for,
    where_tables_reach,
    where_trees_reach,
)
from soulread.play.solved import CardOptions
from soulread.play.tabular import TabularAgent
from soulread.play.translated import seated
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Buckets, Source, Tell
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.solvers.cfr.run import Check, Solution
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.equilibria import equilibrium_path, find_equilibrium, solve_or_load
from soulread.solvers.skews import Skew, parse_skews, skew_behaviours
from soulread.solvers.variants import solve_with_bonus

PRESETS = {
    "loose": Skew("loose", (0.2,)),
    "tight": Skew("tight", (0.1,), hands=("weak", "middle")),
    "passive": Skew("passive", (0.2,)),
    "aggressive": Skew("aggressive", (0.2,), hands=("weak",)),
}
"""The skews of names without an amount. In limit:5-5-5-5 a best response wins 130 to 260 mb/g from each."""

ORANGE_GAP = 1e-3  # small bets that a player could still gain by deviating in the game with the bonus

_READING = {"orange": "win", "orange-pot": "pot"}


@dataclass(frozen=True)
class SkewOptions(Options):
    """Options of the skewed equilibria."""

    skews: tuple[Skew, ...] = option(
        (), "how the equilibrium is changed, such as loose=0.3,rounds=flop,hands=weak"
    )
    cards: Buckets | None = cards_option(menus=True)


def _orange(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> TabularAgent:
    source = source_for(spec, game)
    return TabularAgent(spec.text, find_orange(source, _READING[spec.entry.name], tell))


def _skewed(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    source = source_for(spec, game)
    return seated(spec.text, find_skewed(source, spec.options.skews, tell))


def _read_preset(text: str, options: type[Any], parse: ParseAgent) -> SkewOptions:
    """``"loose"`` and ``"loose:0.5"`` in a small game, ``"loose:5-5-5-5:quick:0.5"`` in limit hold'em."""
    name, cards, amount = divide(text)
    skew = PRESETS[name]
    if amount:
        skew = replace(skew, amount=parse_skews(f"{name}={amount}")[0].amount)
    return SkewOptions((skew,), cards)


def _read_skew(text: str, options: type[Any], parse: ParseAgent) -> SkewOptions:
    """``"skew:loose=0.3,rounds=flop"`` in a small game, ``"skew:5-5-5-5:loose=0.3,rounds=flop"`` in limit."""
    name, cards, skews = divide(text)
    if not skews:
        example = f"{name}:{cards}:" if cards else f"{name}:"
        raise ParseError(
            f"{text!r} does not say how it is skewed; write such as {example}loose=0.3,hands=weak"
        )
    return SkewOptions(tuple(parse_skews(skews)), cards)


def find_skewed(source: Source, skews: Sequence[Skew], tell: Tell | None = None) -> TabularStrategy:
    """The equilibrium of a game, changed by each of the skews in turn, ready to play."""
    equilibrium = find_equilibrium(source, tell)
    game = source.compile(tell)
    return tabular(game, skew_behaviours(game, equilibrium.behaviours, skews))


def find_orange(source: Source, of: str = "win", tell: Tell | None = None) -> TabularStrategy:
    """Orange in a game, ready to play. ``of`` chooses the reading of its bonus: "win" or "pot".

    It is solved until both players together could gain 2 mb/g in the game with the bonus. In an abstraction
    it is kept in the cache.
    """
    gap = ORANGE_GAP * source.poker.rules.small_bet

    def with_bonus(game: SequenceGame, progress: Callable[[Check], None] | None) -> Solution:
        return solve_with_bonus(game, Stops(gap=gap), of=of, progress=progress)

    if source.cards is None:
        game = source.compile(tell)
        return tabular(game, with_bonus(game, None).behaviours)
    return solve_or_load(source, equilibrium_path(source, f"orange-{of}", gap), with_bonus, tell, "orange")


_ABOUT = {
    "loose": "an equilibrium that calls with some of its folds",
    "tight": "an equilibrium that folds more",
    "passive": "an equilibrium that calls with some of its raises",
    "aggressive": "an equilibrium that raises weak hands more",
    "orange": "too aggressive: an equilibrium of a game that pays winners 7% more than they win",
    "orange-pot": "like orange, but the 7% are of the whole pot",
}
OPPONENTS = (
    *(
        AgentEntry(
            name,
            _ABOUT[name],
            _orange,
            CardOptions,
            where_tables_reach,
            form=f"{name}[:CARDS]",
            examples=(name,),
        )
        for name in _READING
    ),
    *(
        AgentEntry(
            name,
            _ABOUT[name],
            _skewed,
            SkewOptions,
            where_trees_reach,
            _read_preset,
            form=f"{name}[:CARDS][:AMOUNT]",
            examples=(name, f"{name}:0.5"),
        )
        for name in PRESETS
    ),
    AgentEntry(
        "skew",
        "an equilibrium changed by the given skews",
        _skewed,
        SkewOptions,
        where_trees_reach,
        _read_skew,
        form="skew[:CARDS]:SKEWS",
        examples=("skew:loose=0.3,hands=weak",),
    ),
)
