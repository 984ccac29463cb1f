"""Opponents who play one way until they are believed, and then strike.

    deceiver:hands=500|loose                   loose for 500 hands, then the sharpest strike there is
    deceiver:hands=500|loose|always-raise      loose for 500 hands, then always-raise
    deceiver:5-5-5-5:quick:hands=500|loose:5-5-5-5:quick       in limit hold'em

The *mask* is what is played at first. Whoever believes it answers with the best response to the mask, and
plays the equilibrium where the mask never comes. The sharpest strike is the best response to that answer, so
it wins most from an opponent who believes fully, and less from one who is careful. It is computed in the
game itself, in limit hold'em in the abstraction that is named. A strike named in the text can be any agent
that plays from a table.
"""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ParseError
from soulread.games.poker import PokerGame
from soulread.options import option
from soulread.play.changing import ChangingAgent, certain, table_within
from soulread.play.entry import (
    AgentEntry,
    AgentSpec,
    ParseAgent,
    cards_option,
    divide,
    source_for,
    where_tables_reach,
)
from soulread.play.tabular import behaviours_in
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Buckets, Tell
from soulread.seqform.strategy import Behaviours
from soulread.seqform.tabular import TabularStrategy
from soulread.solve.equilibria import find_equilibrium, find_response


@dataclass(frozen=True)
class DeceiverOptions:
    """Options of `deceiver`."""

    hands: int = option(0, "hands of a match in which the mask is played")
    mask: AgentSpec = option(None, "what it seems to be: an agent that plays from a table")
    strike: AgentSpec | None = option(None, "what it plays afterwards; not given: what hurts a believer most")
    cards: Buckets | None = cards_option()


def strike_at_believers(game: SequenceGame, mask: Behaviours, equilibrium: Behaviours) -> TabularStrategy:
    """The best response to the best response to the mask; the equilibrium wherever nothing is at stake."""
    believer = find_response(game, mask, equilibrium)
    return find_response(game, believer.behaviours, equilibrium)


def _deceiver(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> ChangingAgent:
    options: DeceiverOptions = spec.options
    mask = table_within(options.mask, spec, game, tell)
    if options.strike is not None:
        strike = table_within(options.strike, spec, game, tell)
    else:
        source = source_for(spec, game, options.cards)
        compiled = source.compile(tell)
        equilibrium = find_equilibrium(source, tell).behaviours
        strike = strike_at_believers(compiled, behaviours_in(options.mask, compiled, tell), equilibrium)

    def course(hand: int, last: NDArray[np.float64], uniform: float) -> NDArray[np.float64]:
        return certain(int(hand >= options.hands), 2)

    return ChangingAgent(spec.text, (mask, strike), course)


def _read(text: str, options: type[Any], parse: ParseAgent) -> DeceiverOptions:
    head, *agents = text.split("|")
    name, cards, rest = divide(head)
    found = re.fullmatch(r"hands=(\d+)", rest)
    if not found or len(agents) not in (1, 2):
        raise ParseError(
            f"{text!r} does not say what it plays and for how long; write {name}[:CARDS]:hands=500|MASK, or "
            f"{name}:hands=500|MASK|STRIKE"
        )
    if cards is not None and len(agents) == 2:
        raise ParseError(f"{text!r} names its strike, so it needs no card abstraction of its own")
    mask, *strike = map(parse, agents)
    return DeceiverOptions(int(found[1]), mask, strike[0] if strike else None, cards)


DECEIVER = AgentEntry(
    "deceiver",
    "plays one way until it is believed, then strikes at whoever answers that",
    _deceiver,
    DeceiverOptions,
    where_tables_reach,
    _read,
    form="deceiver[:CARDS]:hands=HANDS|MASK or deceiver:hands=HANDS|MASK|STRIKE",
    examples=("deceiver:hands=5|always-call", "deceiver:hands=5|equilibrium|always-raise"),
)
