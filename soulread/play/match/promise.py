"""Promise and result: the gain that an agent expected, and how well its model foresaw the opponent.

An agent that answers a model can say what it expects to win if the model is right. Whether it is right shows
in two ways. The *promise* is compared with what the agent then won. And the model forecasts everything before
it happens (its *prequential log-loss*): before each action of the opponent, how likely that action is, and
before the opponent's cards are shown, how likely they are. The loss is -log of that chance, in nats. The loss
of the equilibrium stands beside it. A model that foresees less than the equilibrium does should not be
trusted.

With w(h) the chance that the opponent has holding h, by the cards that the agent sees and by what the model
would have done with h so far,

    chance of action a  =  sum over h of  w(h) sigma(h, a)

which is what `soulread.model.tabular` answers, here for all holdings at once. A chance of zero would cost
infinitely much. So every answer is mixed with 1% of "anything is equally likely".

Belief and promise are those of the moment when the hand was played: for an agent that updates its read every
hundred hands, the read that it had then.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import cards_mask
from soulread.errors import SoulreadError
from soulread.games.poker import PokerState
from soulread.play.agent import Agent, Expectation, Expecting
from soulread.play.match.live import LiveHand
from soulread.seqform.holdings import HandTable, all_states, hand_table
from soulread.seqform.lookup import Lookup
from soulread.seqform.tabular import TabularStrategy

FLOOR = 0.01  # share of "anything is equally likely" in every answer

Floats = NDArray[np.float64]
Look = Callable[[Lookup, tuple[int, ...]], NDArray[np.int32]]  # every holding's private state on a board


class Foreseen(NamedTuple):
    """The log-losses of a strategy, as a forecast of the opponent in one hand, in nats; less is better."""

    decisions: int  # of the opponent
    actions: float  # log-loss of all of them together
    shown: bool  # whether the opponent's cards were shown
    cards: float  # log-loss of the cards shown; 0 if there were none


def foresee(hand: LiveHand, seat: int, strategies: Sequence[TabularStrategy]) -> tuple[Foreseen, ...]:
    """How well each strategy, ascribed to the opponent, foresaw a finished hand by what ``seat`` saw."""
    end = hand.end
    opponent = 1 - seat
    table = hand_table(end.game)
    shown = hand.seen_by(seat).hole[opponent] is not None
    states: dict[tuple[int, int], NDArray[np.int32]] = {}

    def look(lookup: Lookup, board: tuple[int, ...]) -> NDArray[np.int32]:
        """The state of every holding on a board; strategies mostly share one look-up."""
        key = id(lookup), len(board)
        if key not in states:
            states[key] = all_states(lookup, table, np.array([board], dtype=np.uint8))[0]
        return states[key]

    return tuple(_foresee(end, seat, strategy, table, shown, look) for strategy in strategies)


def _foresee(
    end: PokerState,
    seat: int,
    strategy: TabularStrategy,
    table: HandTable,
    shown: bool,
    look: Look,
) -> Foreseen:
    betting = strategy.betting
    sizes = tuple(itertools.accumulate(end.game.rules.board_cards))
    free = (table.masks & cards_mask(end.hole(seat))) == 0
    weights = free.astype(np.float64)
    node = decisions = 0
    loss = 0.0
    for actor, action in end.actions:
        board = end.board[: sizes[int(betting.arrays.round[node])]]
        position = betting.actions[node].index(action)
        if actor != seat:
            free &= (table.masks & cards_mask(board)) == 0
            chances = strategy.chances(node, look(strategy.lookup, board))
            belief = _belief(weights, free)
            loss += _loss(float(belief @ chances[position]), len(chances))
            weights *= chances[position]
            decisions += 1
        node = int(betting.arrays.child[node, position])
    if not shown:
        return Foreseen(decisions, loss, False, 0.0)
    free &= (table.masks & cards_mask(end.board)) == 0
    chance = _belief(weights, free)[table.index(end.hole(1 - seat))]
    return Foreseen(decisions, loss, True, _loss(float(chance), int(free.sum())))


def _belief(weights: Floats, free: NDArray[np.bool_]) -> Floats:
    """How likely each holding is; where the strategy would never have come here, all are equally likely."""
    alive = weights * free
    total = alive.sum()
    belief: Floats = alive / total if total > 0 else free / free.sum()
    return belief


def _loss(chance: float, answers: int) -> float:
    return -math.log((1 - FLOOR) * chance + FLOOR / answers)


@dataclass(frozen=True, eq=False)
class Notes:
    """The notes on one agent, hand by hand; each ``[..., hands]``. Chips per hand, and nats."""

    expected: Floats  # promised beyond the value of the game
    value: Floats  # of the game, in the agent's seat
    gain: Floats  # promised beyond what the equilibrium would win; NaN where the agent does not say
    decisions: Floats  # of the opponent
    loss: Floats  # log-loss of these, all together
    loss_equilibrium: Floats  # the same of the equilibrium
    shown: Floats  # 1 if the opponent's cards were shown
    card_loss: Floats
    card_loss_equilibrium: Floats


def stack_notes(parts: Sequence[Notes]) -> Notes:
    """The notes of several matches, ``[matches, hands]`` each."""
    return Notes(*(np.stack([getattr(part, field.name) for part in parts]) for field in fields(Notes)))


class Diary:
    """Takes notes of one agent in one match, after each hand and before the agent observes it."""

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def note(self, hand: LiveHand, seat: int, expectation: Expectation) -> None:
        """Note what the agent in ``seat`` expected of a finished hand, and how well it foresaw it."""
        model, equilibrium = foresee(hand, seat, (expectation.believed, expectation.equilibrium))
        self._rows.append(
            (
                expectation.expected,
                expectation.game_value if seat == 0 else -expectation.game_value,
                math.nan if expectation.gain is None else expectation.gain,
                model.decisions,
                model.actions,
                equilibrium.actions,
                model.shown,
                model.cards,
                equilibrium.cards,
            )
        )

    def notes(self, passes: int) -> Notes:
        """The notes ``[hands]``: over the passes of a duplicate match chips are averaged, nats added up."""
        rows = np.array(self._rows, dtype=np.float64).reshape(passes, -1, len(fields(Notes)))
        chips, nats = rows[:, :, :3].mean(axis=0), rows[:, :, 3:].sum(axis=0)
        return Notes(*np.concatenate([chips, nats], axis=1).T)


def expectation_of(agent: Agent, seat: int) -> Expectation | None:
    """The present expectation of an agent in ``seat``; None if it has none."""
    return agent.expectation(seat) if isinstance(agent, Expecting) else None


def verify_explains(agents: Sequence[Agent]) -> None:
    """Raise unless two agents play and at least one of them says what it expects."""
    if len(agents) != 2:
        raise SoulreadError(f"promises are compared with results in games of 2, not of {len(agents)}")
    if all(expectation_of(agent, 0) is None for agent in agents):
        names = " nor ".join(repr(agent.name) for agent in agents)
        raise SoulreadError(f"neither {names} answers a model, so there is no promise to explain")
