"""Opponents that do not stay the same: they switch from one strategy to another, or drift between them.

    switching:every=50|loose|tight            plays each strategy for 50 hands, in turn
    switching:rate=0.02|loose|tight|passive   after a hand changes with chance 2% to another one at random
    drifting:over=200|equilibrium|aggressive  moves from each strategy to the next one within 200 hands

The strategies are agents that play from tables, over the same private states. Half-way between two of them a
drifting player mixes their *behaviours*: at every decision a new coin decides whose action is played.

A `Course` ``[hands, strategies]`` has the weight of each strategy in each hand; its rows sum to one.
`behaviours_of` turns a row into behaviours, for experiments that need the exact strategy of a hand.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.options import Options, option
from soulread.play.catalogue.entry import AgentEntry, AgentSpec, ParseAgent, Read, where_trees_reach
from soulread.play.tabular import own_table, tabular_form
from soulread.play.translated import chances_at_table
from soulread.seqform.source import Tell
from soulread.seqform.strategy import Behaviour, Behaviours, draw_action
from soulread.seqform.tabular import TabularStrategy
from soulread.words import plural

Course = NDArray[np.float64]  # [hands, strategies]
Weights = NDArray[np.float64]  # [strategies] of one hand
Step = Callable[[int, Weights, float], Weights]
"""A function of the number of a hand, the weights of the hand before and a draw from [0, 1).

It returns the weights of the hand. In hand 0 the first strategy is played.
"""


def switching_step(strategies: int, every: int) -> Step:
    """Each strategy for ``every`` hands, in turn, the first again after the last."""
    if every < 1:
        raise SoulreadError(f"switching every {every} hands; expected at least 1")
    return lambda hand, last, uniform: certain(hand // every % strategies, strategies)


def random_step(strategies: int, rate: float) -> Step:
    """The first strategy, and after every hand with probability ``rate`` another one, all equally likely."""

    def step(hand: int, last: Weights, uniform: float) -> Weights:
        if hand == 0 or uniform >= rate:
            return last
        further = 1 + min(int(uniform / rate * (strategies - 1)), strategies - 2)
        return certain((int(last.argmax()) + further) % strategies, strategies)

    return step


def drifting_step(strategies: int, over: int) -> Step:
    """From each strategy to the next in ``over`` hands, evenly; from the last one back to the first."""
    if over < 1:
        raise SoulreadError(f"drifting over {over} hands; expected at least 1")

    def step(hand: int, last: Weights, uniform: float) -> Weights:
        leg, done = divmod(hand, over)
        weights = (1 - done / over) * certain(leg % strategies, strategies)
        return weights + done / over * certain((leg + 1) % strategies, strategies)

    return step


def course_of(step: Step, hands: int, strategies: int, rng: np.random.Generator | None = None) -> Course:
    """The weights of the first ``hands`` hands; ``rng`` gives the draws, one between two hands."""
    if hands < 1 or strategies < 2:
        raise SoulreadError(f"{strategies} strategies over {hands} hands; expected 2 or more and 1 or more")
    course = np.empty((hands, strategies))
    weights = certain(0, strategies)
    for hand in range(hands):
        uniform = rng.random() if hand and rng is not None else 0.0
        weights = course[hand] = step(hand, weights, uniform)
    return course


def behaviours_of(members: Sequence[Behaviours], weights: Weights) -> Behaviours:
    """The behaviours of one hand: those of the members, mixed with a row of a `Course`."""
    certain = np.flatnonzero(weights == 1)
    if certain.size:
        return members[int(certain[0])]
    first, second = (
        sum(weight * member[seat] for weight, member in zip(weights, members, strict=True) if weight)
        for seat in (0, 1)
    )
    return Behaviour(np.asarray(first)), Behaviour(np.asarray(second))


class ChangingAgent:
    """Plays a mixture of strategies that changes from hand to hand; ``weights`` is the present one.

    ``step`` gives the mixture of each hand. The agent takes the draw for it at its first decision of a hand,
    so each hand in which it acts costs one double of its stream more. A hand in which it does not act still
    counts.
    """

    def __init__(
        self,
        name: str,
        strategies: Sequence[TabularStrategy],
        step: Step,
    ) -> None:
        self.name = name
        self.strategies = tuple(strategies)
        self._step = step
        self.reset()

    def reset(self) -> None:
        """Begin again with the first strategy."""
        self.num_hands = 0
        self.weights = certain(0, len(self.strategies))
        self._ready = False

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the present mixture."""
        if not self._ready:
            self.weights = self._step(self.num_hands, self.weights, rng.random())
            self._ready = True
        found = self.probabilities(view)
        chances = np.array(list(found.values()))
        return list(found)[draw_action(chances, 0, 1, chances.size, rng.random())]

    def probabilities(self, view: PokerView) -> dict[int, float]:
        """The chance of each action of the present mixture."""
        found: dict[int, float] = {}
        for weight, strategy in zip(self.weights.tolist(), self.strategies, strict=True):
            if weight:
                for action, chance in chances_at_table(strategy, view).items():
                    found[action] = found.get(action, 0.0) + weight * chance
        return found

    def played(self, seat: int) -> TabularStrategy:
        """The present mixture; one that is not a single strategy needs private states that all share."""
        if self.weights.max() == 1:
            return self.strategies[int(self.weights.argmax())]
        mixed = behaviours_of([strategy.behaviours for strategy in self.strategies], self.weights)
        return replace(self.strategies[0], behaviours=mixed)

    def observe(self, hand: Hand) -> None:
        """Count the hand; what happened in it changes nothing."""
        self.num_hands += 1
        self._ready = False


@dataclass(frozen=True)
class ChangeOptions(Options):
    """Options of opponents that change. Of ``every``, ``rate`` and ``over`` exactly one is given."""

    every: int = option(0, "hands that each strategy is played, in turn", low=1)
    rate: float = option(0.0, "probability of changing to another strategy after a hand", above=0, high=1)
    over: int = option(0, "hands it takes to drift from one strategy to the next", low=1)
    strategies: tuple[AgentSpec, ...] = option((), "agents that play from tables, joined by |")


def table_within(agent: AgentSpec, spec: AgentSpec, game: PokerGame, tell: Tell | None) -> TabularStrategy:
    """The strategy of an agent named within the text of another; it must play from a table."""
    made = agent.make(game, tell)
    strategy = own_table(made) or tabular_form(made, game)
    if strategy is None:
        raise ParseError(f"{agent.text!r} in {spec.text!r} does not play from a table")
    return strategy


def _changing(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> ChangingAgent:
    options: ChangeOptions = spec.options
    strategies = [table_within(agent, spec, game, tell) for agent in options.strategies]
    count = len(strategies)

    if options.every:
        step = switching_step(count, options.every)
    else:
        step = random_step(count, options.rate) if options.rate else drifting_step(count, options.over)
    return ChangingAgent(spec.text, strategies, step)


def _reader(*keys: str) -> Read:
    """Reads ``"switching:every=50|loose|tight"``: one of the keys with its number, then the strategies."""

    def read(text: str, options: type[Any], parse: ParseAgent) -> ChangeOptions:
        name, _, rest = text.partition(":")
        option, *agents = rest.split("|")
        key, equals, number = option.partition("=")
        if key not in keys or not equals or not re.fullmatch(r"\d+(\.\d*)?|\.\d+", number):
            expected = " or ".join(f"{name}:{known}=NUMBER|AGENT|AGENT" for known in keys)
            raise ParseError(f"{text!r} does not say when it changes; write {expected}")
        if len(agents) < 2:
            raise ParseError(
                f"{text!r} names {plural(len(agents), 'strategy', 'strategies')}; it needs 2 or more, "
                "joined by '|'"
            )
        value = float(number) if key == "rate" else int(number) if number.isdecimal() else 0
        if not value:
            raise ParseError(f"{text!r}: {key}={number}; expected a number above 0, of hands a whole one")
        try:
            return replace(ChangeOptions(strategies=tuple(map(parse, agents))), **{key: value})  # type: ignore[arg-type]
        except SoulreadError as error:
            raise ParseError(f"{text!r}: {error}") from None

    return read


def certain(strategy: int, count: int) -> Weights:
    """The weights of a hand in which one of ``count`` strategies is played."""
    weights = np.zeros(count)
    weights[strategy] = 1
    return weights


CHANGING = (
    AgentEntry(
        "switching",
        "plays one strategy after another",
        _changing,
        ChangeOptions,
        where_trees_reach,
        _reader("every", "rate"),
        form="switching:every=HANDS|AGENT|AGENT or switching:rate=CHANCE|AGENT|AGENT",
        examples=(
            "switching:every=3|equilibrium|always-raise",
            "switching:rate=0.3|equilibrium|always-raise",
        ),
    ),
    AgentEntry(
        "drifting",
        "goes slowly from one strategy to the next",
        _changing,
        ChangeOptions,
        where_trees_reach,
        _reader("over"),
        form="drifting:over=HANDS|AGENT|AGENT",
        examples=("drifting:over=5|equilibrium|always-call",),
    ),
)
