"""Models that are tables: a behaviour at every information set of a compiled two-player game.

A table answers the question of `soulread.model.base` for real cards. With w(h) the chance that the seat was
dealt holding h, given the cards in view, and plan[c(h)] the table's probability of having played so far as
seen with h,

    holdings(h)       proportional to  w(h) plan[c(h)]
    probabilities(a)  =  sum over h of  holdings(h) behaviour[h, a]

Card removal is exact: holdings that clash with the board or the asker's own cards have no weight. Where the
table would never have played as seen with any holding, all that do not clash are equally likely.

`Tabulated` goes the other way: it makes a table of any model by asking it at every information set.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import NotFitted, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import CALL, PokerState, PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import Actions
from soulread.model.base import HandLearner, Model, ask, name_of, verify_to_act
from soulread.model.bayes.evidence import Evidence
from soulread.observe.paths import PathReader
from soulread.observe.translation import OVER, translator_of
from soulread.seqform.compile import SequenceGame, betting_of, poker_of
from soulread.seqform.strategy import Behaviour, Behaviours, Plan, in_precision, plan_from_behaviour
from soulread.seqform.treeplex import Floats


@dataclass(frozen=True, eq=False)
class Possible:
    """Strategies of both seats that a player may have, as plans with weights.

    The weights sum to one less the *doubt*: the probability that the player is none of these and may do
    anything. A table has rows of plans for seat 0 and as many for seat 1; the weights go through the rows of
    all tables.
    """

    weights: NDArray[np.float64]  # [strategies]
    tables: tuple[tuple[Floats, Floats], ...]  # [rows, num_sequences] of seats 0 and 1

    @classmethod
    def certain(cls, game: SequenceGame, behaviours: Behaviours) -> "Possible":
        """One strategy, without a doubt."""
        first, second = (
            plan_from_behaviour(tree, in_precision(own, game.payoff.dtype))
            for tree, own in zip(game.trees, behaviours, strict=True)
        )
        return cls(np.ones(1), ((first[None], second[None]),))

    @classmethod
    def joined(cls, parts: Sequence[tuple[float, "Possible"]]) -> "Possible":
        """Several posteriors as one; each comes with its weight."""
        weights = np.concatenate([weight * part.weights for weight, part in parts])
        return cls(weights, tuple(table for _, part in parts for table in part.tables))

    @property
    def doubt(self) -> float:
        """The probability that the player is none of these."""
        return max(0.0, 1 - float(self.weights.sum()))

    def mean(self, seat: int) -> Plan:
        """The mean plan in ``seat``, by weight."""
        total, first = np.zeros_like(self.tables[0][seat][0]), 0
        for table in self.tables:
            rows = table[seat]
            weights = self.weights[first : first + len(rows)]
            total += (weights / self.weights.sum()).astype(total.dtype) @ rows
            first += len(rows)
        return Plan(total / total[0])

    def products(self, slopes: tuple[Floats, Floats]) -> NDArray[np.float64]:
        """``[strategies]``: of each, the sum over both seats of plan times slope, all ``[num_sequences]``."""
        return np.concatenate(
            [_products(first, slopes[0]) + _products(second, slopes[1]) for first, second in self.tables]
        )


def _products(rows: Floats, slope: Floats) -> NDArray[np.float64]:
    """Rows times a slope, added up in double precision without copies in it."""
    if rows.dtype == np.float64:
        return np.asarray(rows @ slope, dtype=np.float64)
    return np.array([np.multiply(row, slope).sum(dtype=np.float64) for row in rows])


class TabularModel(HandLearner):
    """How one player plays both seats of ``game``, as behaviours ``[num_sequences]``."""

    game: SequenceGame

    def update_read(self, hand: Hand, player: str | None, evidence: Evidence) -> Self:
        """`update` with a hand that the caller has already read as ``evidence``, for models that use it."""
        return self.update(hand, player)

    @abstractmethod
    def strategy(self, seat: int) -> Behaviour:
        """The behaviour ``[num_sequences]`` the player is believed to have in ``seat``."""

    def plan(self, seat: int) -> Plan:
        """The realisation plan ``[num_sequences]`` of `strategy`."""
        return plan_from_behaviour(self.game.trees[seat], self.strategy(seat))

    @property
    def strategies(self) -> Behaviours:
        """`strategy` of both seats."""
        return self.strategy(0), self.strategy(1)

    def possible(self) -> "Possible":
        """The strategies that the player may have, by weight; here the one that is believed."""
        return Possible(np.ones(1), ((self.plan(0)[None], self.plan(1)[None]),))

    @cached_property
    def paths(self) -> PathReader:
        """Finds the rows of the table for real cards."""
        return PathReader(self.game)

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The probability of each action of ``seat``, which is to act; see `soulread.model.base.Model`."""
        verify_to_act(view, seat)
        betting = betting_of(self.game) if self.game.bets is not None else None
        if betting is None:
            chances = self._chances(view, seat, view.actions)
            return dict(zip(view.choices, chances.tolist(), strict=True))
        translator = translator_of(betting)
        found: dict[int, float] = {}
        for way in translator.ways(view):
            here = {CALL: 1.0}
            if way.node != OVER:
                chances = self._chances(view, seat, way.actions)
                here = translator.chances(view, way.node, chances.tolist())
            for action, chance in here.items():
                found[action] = found.get(action, 0.0) + way.chance * chance
        return found

    def _chances(self, view: PokerView, seat: int, actions: Actions) -> NDArray[np.float64]:
        """The probability of each action that ``seat`` has in the compiled game after these actions."""
        behaviour = self.strategy(seat)
        if seat == view.seat:
            own = behaviour[self.paths.choices(seat, view.hole, view.board, actions)]
            return own.astype(np.float64)
        weights = self.holdings(view, seat)
        chances: NDArray[np.float64] = np.zeros(1)
        for number in np.flatnonzero(weights):
            rows = self.paths.choices(seat, view.game.holdings[number], view.board, actions)
            chances = chances + weights[number] * behaviour[rows]
        return chances

    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """How likely ``seat`` holds each of ``view.game.holdings``; see the top of the module."""
        every = view.game.holdings
        if seat == view.seat:
            own = tuple(sorted(view.hole))
            return np.array([float(cards == own) for cards in every])
        plan = self.plan(seat)
        taken = {*view.hole, *view.board}
        free = np.array([taken.isdisjoint(cards) for cards in every])
        weights = np.zeros(len(every))
        ways = [(view.actions, 1.0)]
        if self.game.bets is not None:
            found = translator_of(betting_of(self.game)).ways(view)
            ways = [(way.actions, way.chance) for way in found]
        for actions, chance in ways:
            for number in np.flatnonzero(free):
                last = self.paths.last(seat, every[number], view.board, actions)
                weights[number] += chance * plan[last]
        total = weights.sum()
        result: NDArray[np.float64] = weights / total if total > 0 else free / free.sum()
        return result


class Tabulated(TabularModel):
    """Any `Model` as a table of a game with few cards: the model is asked at every information set.

    It is always asked with the view of the seat itself, so that it answers for the cards in the view.
    """

    def __init__(self, model: Model, game: SequenceGame) -> None:
        if game.abstract:
            raise SoulreadError(
                f"{name_of(model)} answers for real cards; it cannot be asked at the private states of "
                f"{game.name!r}"
            )
        self.model = model
        self.game = game
        self._tables: dict[int, Behaviour] = {}

    def reset(self) -> None:
        """Let the model forget every hand."""
        self.fit(())

    def fit(self, hands: Iterable[Hand], player: str | None = None) -> Self:
        """Let the model learn from these hands alone."""
        self.model.fit(hands, player)
        self._tables.clear()
        return self

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Let the model learn from one more hand."""
        self.model.update(hand, player)
        self._tables.clear()
        return self

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour that the model answers, information set by information set of ``seat``."""
        if seat not in self._tables:
            behaviour = np.ones(self.game.trees[seat].num_sequences)
            for view, rows in situations(self.game, seat):
                answer = ask(self.model, view, seat)
                behaviour[rows] = [answer.get(action, 0.0) for action in view.choices]
            self._tables[seat] = Behaviour(behaviour)
        return self._tables[seat]


@lru_cache(maxsize=8)
def situations(game: SequenceGame, seat: int) -> list[tuple[PokerView, slice]]:
    """One view for each information set of ``seat`` in a game with few cards, and the rows of its actions."""
    paths = PathReader(game)
    found: dict[str, PokerView] = {}
    seen: set[tuple[str, str]] = set()
    stack: list[PokerState] = [poker_of(game).start()]
    while stack:
        state = stack.pop()
        if state.player == TERMINAL:
            continue
        if state.player == CHANCE:
            stack += [state.apply(card) for card, _ in state.chance_outcomes()]
            continue
        both = state.information(0), state.information(1)
        if both not in seen:
            seen.add(both)
            if state.player == seat and both[seat] not in found:
                found[both[seat]] = state.view(seat)
            stack += [state.apply(action) for action in state.legal_actions()]
    return [(view, paths.choices(seat, view.hole, view.board, view.actions)) for view in found.values()]


def as_table(model: Model, game: SequenceGame) -> TabularModel:
    """A model as a table of ``game``: the model itself if it is such a table, otherwise `Tabulated`."""
    if not isinstance(model, TabularModel):
        return Tabulated(model, game)
    if model.game is not game and model.game.trees[0].checksum != game.trees[0].checksum:
        raise SoulreadError(f"the model is a table of {model.game.name!r}, not of {game.name!r}")
    return model


def strategy_or(model: TabularModel, seat: int, default: Behaviour) -> Behaviour:
    """The behaviour of a model in ``seat``; ``default`` while the model has seen nothing."""
    try:
        return model.strategy(seat)
    except NotFitted:
        return default
