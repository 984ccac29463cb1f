"""Opponents who play one way until they are believed, and then strike.

    deceiver:hands=500|loose                   loose for 500 hands, then a strike at a believer
    deceiver:hands=500,trust=1|loose           the same, with a strike that is sharper and easier to punish
    deceiver:hands=500|loose|always-raise      loose for 500 hands, then always-raise
    deceiver:5-5-5-5:quick:hands=500|loose:5-5-5-5:quick       in limit hold'em

The *mask* is the strategy of the first hands. A believer answers with the best response to the mask, and
plays the equilibrium where the mask never comes. The *strike* is the restricted Nash response to that answer
(`soulread.respond.counter`): the deceiver expects to be believed in a share ``trust`` of all hands, and
anything in the others. With ``trust=1`` it is the best response to a believer, which is easy to punish: in
limit hold'em DBBR, who did not believe quite as expected, won 5 small bets a hand from it. With ``trust=0.5``
the strike wins as much from DBBR or more, and can be exploited for a third as much or less (Leduc, four
masks, three matches each).

The strike is computed in the game itself, in limit hold'em in the abstraction that is named, where it is kept
in the cache. A strike named in the text can be any agent that plays from a table.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from soulread.errors import ParseError
from soulread.games.poker import PokerGame
from soulread.options import Options, option, read_options
from soulread.play.catalogue.entry import (
    AgentEntry,
    AgentSpec,
    ParseAgent,
    cards_option,
    divide,
    source_for,
    where_trees_reach,
)
from soulread.play.opponents.changing import ChangingAgent, Weights, certain, table_within
from soulread.play.tabular import behaviours_in
from soulread.respond.counter import CounterPair, in_both_seats, restricted_nash
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Buckets, Source, Tell
from soulread.seqform.strategy import Behaviours
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.solvers.cfr.run import Check, Solution
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.equilibria import equilibrium_path, find_equilibrium, find_response, solve_or_load

_ITERATIONS = 100  # for the strike of each seat in an abstraction


@dataclass(frozen=True)
class DeceiverOptions(Options):
    """Options of `deceiver`."""

    hands: int = option(0, "hands of a match in which the mask is played", low=0)
    trust: float = option(
        0.5, "share of hands in which the strike expects to be believed; 1: in all", low=0, high=1
    )
    mask: AgentSpec = option(None, "what it seems to be: an agent that plays from a table")
    strike: AgentSpec | None = option(None, "what it plays afterwards; not given: what hurts a believer most")
    cards: Buckets | None = cards_option(menus=True)


def strike_at_believers(
    game: SequenceGame,
    mask: Behaviours,
    equilibrium: Behaviours,
    trust: float,
    stops: Stops | None = None,
    progress: Callable[[Check], None] | None = None,
) -> CounterPair:
    """The restricted Nash response of each seat to the best response to the mask.

    With ``trust`` 1 it is a best response, and plays the equilibrium wherever nothing is at stake.
    """
    believer = find_response(game, mask, equilibrium).behaviours
    return in_both_seats(
        lambda seat: restricted_nash(
            game, seat, believer[1 - seat], trust, stops, default=equilibrium[seat], progress=progress
        )
    )


def find_strike(source: Source, mask: AgentSpec, trust: float, tell: Tell | None = None) -> TabularStrategy:
    """The strike of a deceiver with this mask, ready to play; in an abstraction it is kept in the cache."""
    game = source.compile(tell)
    shown, equilibrium = behaviours_in(mask, game, tell), find_equilibrium(source, tell).behaviours
    if source.cards is None or trust == 1:
        return tabular(game, strike_at_believers(game, shown, equilibrium, trust).behaviours)

    def solve(game: SequenceGame, progress: Callable[[Check], None] | None) -> Solution:
        stops = Stops(iterations=_ITERATIONS)
        pair = strike_at_believers(game, shown, equilibrium, trust, stops, progress)
        settings = {"mask": mask.text, "trust": trust}
        return Solution(game, pair.plans, "strike", settings, pair.iterations, pair.gap, pair.seconds)

    digest = hashlib.sha256()
    for behaviour in (*shown, *equilibrium):
        digest.update(np.ascontiguousarray(behaviour).tobytes())
    name = f"strike-{trust:g}-{_ITERATIONS}-{digest.hexdigest()[:12]}"
    return solve_or_load(source, equilibrium_path(source, name), solve, tell, "the strike")


def _deceiver(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> ChangingAgent:
    options: DeceiverOptions = spec.options
    mask = table_within(options.mask, spec, game, tell)
    if options.strike is not None:
        strike = table_within(options.strike, spec, game, tell)
    else:
        strike = find_strike(source_for(spec, game), options.mask, options.trust, tell)

    def step(hand: int, last: Weights, uniform: float) -> Weights:
        return certain(int(hand >= options.hands), 2)

    return ChangingAgent(spec.text, (mask, strike), step)


def _read(text: str, options: type[Any], parse: ParseAgent) -> DeceiverOptions:
    head, *agents = text.split("|")
    name, cards, rest = divide(head)
    for item in rest.split(",") if rest else ():
        if item.partition("=")[0] not in ("hands", "trust"):
            raise ParseError(f"{item!r} in {head!r} is not an option; known are hands, trust")
    chosen: DeceiverOptions = read_options(f"{name}:{rest}", options, parse)
    if "hands=" not in rest or len(agents) not in (1, 2):
        raise ParseError(
            f"{text!r} does not say what it plays and for how long; write {name}[:CARDS]:hands=500|MASK, or "
            f"{name}:hands=500|MASK|STRIKE"
        )
    if len(agents) == 2 and (cards is not None or "trust=" in rest):
        raise ParseError(f"{text!r} names its strike, so it needs neither a card abstraction nor trust")
    mask, *strike = map(parse, agents)
    return replace(chosen, mask=mask, strike=strike[0] if strike else None, cards=cards)


DECEIVER = AgentEntry(
    "deceiver",
    "plays one way until it is believed, then strikes at whoever answers that",
    _deceiver,
    DeceiverOptions,
    where_trees_reach,
    _read,
    form="deceiver[:CARDS]:hands=HANDS[,trust=SHARE]|MASK or deceiver:hands=HANDS|MASK|STRIKE",
    examples=("deceiver:hands=5,trust=1|always-call", "deceiver:hands=5|equilibrium|always-raise"),
)
