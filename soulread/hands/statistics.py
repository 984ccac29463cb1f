"""The statistics players know, as a table of definitions, and one pass that counts all of them for everybody.

A statistic is a *chance* and an *action*: two conditions over columns of facts (`soulread.hands.facts`). It
counts how often the action was taken where there was a chance. A new one is a few lines in `STATISTICS`, and
works for every format, game and number of seats.

    rate      chances are decisions, and an action is taken at a decision
    habit     chances are hands: a hand is a chance if one of its decisions is, and counts once
    outcome   chances are hands, told by how the hand ended
    factor    the number of actions divided by that of the chances
    amount    chances are hands, and what was won in them is averaged, in big blinds per 100 hands

Conditions see decisions in the first, second and fourth kind, and seats in the others.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.estimate import Estimate, wilson_interval
from soulread.hands.facts import (
    BIG_BLIND,
    BUTTON,
    CALLED,
    CHECKED,
    CUTOFF,
    FOLDED,
    OTHER,
    OWN,
    RAISED,
    SMALL_BLIND,
    Facts,
    Rows,
)

Mask = NDArray[np.bool_]
Numbers = NDArray[np.float64]


class Columns:
    """Columns by name, each copied once; of decisions also those of their seats."""

    def __init__(
        self, rows: Rows, of: "Columns | None" = None, owner: NDArray[np.int64] | None = None
    ) -> None:
        self._rows, self._of, self._owner = rows, of, owner
        self._columns: dict[str, NDArray[Any]] = {}

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._columns.get(name)
        if found is None:
            if name in (self._rows.dtype.names or ()):
                found = np.ascontiguousarray(self._rows[name])
            elif self._of is not None and self._owner is not None:
                found = getattr(self._of, name)[self._owner]
            else:
                raise AttributeError(
                    f"no column {name!r}; there are {', '.join(self._rows.dtype.names or ())}"
                )
            self._columns[name] = found
        return found

    # Conditions that several statistics share.

    def did(self, action: int) -> Mask:
        """Whether the decision was this action."""
        return np.asarray(self.action == action)

    @property
    def preflop(self) -> Mask:
        """Whether the decision is before the flop."""
        return np.asarray(self.round == 0)

    @property
    def later(self) -> Mask:
        """Whether the decision is on the flop, the turn or the river."""
        return np.asarray(self.round > 0)

    @property
    def may_continue(self) -> Mask:
        """Whether the seat raised last in the round before, and nobody has bet yet."""
        return np.asarray(self.later & (self.aggressor == OWN) & (self.raises == 0))

    @property
    def faces_continuation(self) -> Mask:
        """Whether the aggressor has bet, and nobody has raised."""
        return np.asarray(self.later & self.continued & (self.raises == 1) & self.facing)


class StatisticKind(StrEnum):
    """The kind of a statistic; see the top of the module."""

    RATE = "rate"
    HABIT = "habit"
    OUTCOME = "outcome"
    FACTOR = "factor"
    AMOUNT = "amount"


_HUNDRED = 100.0
_STEAL_FROM = (CUTOFF, BUTTON, SMALL_BLIND)


def _among(positions: NDArray[np.uint8], chosen: Sequence[int]) -> Mask:
    """Whether each position is one of those chosen; several times as fast as ``np.isin``."""
    table = np.zeros(256, np.bool_)
    table[list(chosen)] = True
    return table[positions]


@dataclass(frozen=True)
class Statistic:
    """A statistic: its name, what it is in one line, its chance and its action."""

    name: str
    about: str
    chance: Callable[[Columns], NDArray[Any]]
    action: Callable[[Columns], NDArray[Any]]  # a condition; of an amount: what was won, in big blinds
    kind: StatisticKind = StatisticKind.RATE


def _won(seats: Columns) -> Numbers:
    return np.asarray(seats.won / np.maximum(seats.big_blind, 1))


def _everything(columns: Columns) -> Mask:
    return np.ones(columns.players.size, np.bool_)


def _first_in(d: Columns) -> Mask:
    return np.asarray(d.preflop & d.facing & (d.raises == 0) & (d.limpers == 0))


def _by_street(make: Callable[[int, str], Statistic]) -> list[Statistic]:
    return [make(number, street) for number, street in ((1, "flop"), (2, "turn"), (3, "river"))]


STATISTICS: tuple[Statistic, ...] = (
    Statistic(
        "VPIP",
        "hands in which the player put chips in voluntarily before the flop, of hands with a decision there",
        lambda d: d.preflop,
        lambda d: d.did(CALLED) | d.did(RAISED),
        StatisticKind.HABIT,
    ),
    Statistic(
        "PFR",
        "hands in which the player raised before the flop, of hands with a decision there",
        lambda d: d.preflop,
        lambda d: d.did(RAISED),
        StatisticKind.HABIT,
    ),
    Statistic(
        "limp",
        "called the big blind, where nobody had raised and the player had not acted",
        lambda d: d.preflop & d.facing & (d.raises == 0) & (d.own_calls == 0),
        lambda d: d.did(CALLED),
    ),
    Statistic(
        "3-bet",
        "raised, where one raise had been made before the flop and a raise was allowed",
        lambda d: d.preflop & d.facing & (d.raises == 1) & d.can_raise,
        lambda d: d.did(RAISED),
    ),
    Statistic(
        "fold to 3-bet",
        "folded to the second raise before the flop, having made the first",
        lambda d: d.preflop & d.facing & (d.raises == 2) & (d.own_raise == 1),
        lambda d: d.did(FOLDED),
    ),
    Statistic(
        "4-bet",
        "raised, where two raises had been made before the flop and a raise was allowed",
        lambda d: d.preflop & d.facing & (d.raises == 2) & d.can_raise,
        lambda d: d.did(RAISED),
    ),
    Statistic(
        "squeeze",
        "raised before the flop after one raise and at least one call of it, where a raise was allowed",
        lambda d: d.preflop & d.facing & (d.raises == 1) & (d.callers > 0) & d.can_raise,
        lambda d: d.did(RAISED),
    ),
    Statistic(
        "steal",
        "raised first in from CO, BTN or SB",
        lambda d: _first_in(d) & _among(d.position, _STEAL_FROM),
        lambda d: d.did(RAISED),
    ),
    Statistic(
        "fold to steal",
        "folded in SB or BB to a first raise from CO, BTN or SB that nobody had limped before or called",
        lambda d: (
            d.preflop
            & d.facing
            & (d.raises == 1)
            & (d.limpers == 0)
            & (d.callers == 0)
            & _among(d.opener, _STEAL_FROM)
            & _among(d.position, (SMALL_BLIND, BIG_BLIND))
        ),
        lambda d: d.did(FOLDED),
    ),
    *_by_street(
        lambda number, street: Statistic(
            f"c-bet {street}",
            f"bet the {street} first, having raised last in the round before",
            lambda d: d.may_continue & (d.round == number),
            lambda d: d.did(RAISED),
        )
    ),
    *_by_street(
        lambda number, street: Statistic(
            f"fold to c-bet {street}",
            f"folded to a bet on the {street} by whoever had raised last in the round before",
            lambda d: d.faces_continuation & (d.round == number),
            lambda d: d.did(FOLDED),
        )
    ),
    Statistic(
        "raise c-bet",
        "raised a bet of whoever had raised last in the round before, where a raise was allowed",
        lambda d: d.faces_continuation & d.can_raise,
        lambda d: d.did(RAISED),
    ),
    Statistic(
        "donk",
        "bet into whoever had raised last in the round before and had yet to act",
        lambda d: d.later & (d.raises == 0) & (d.aggressor == OTHER) & d.waiting,
        lambda d: d.did(RAISED),
    ),
    Statistic(
        "check-raise",
        "raised a bet after checking in the same round, where a raise was allowed",
        lambda d: d.later & d.checked & d.facing & d.can_raise & (d.own_raise == 0) & (d.own_calls == 0),
        lambda d: d.did(RAISED),
    ),
    Statistic(
        "aggression frequency",
        "bets and raises of all bets, raises, calls and folds after the flop was dealt",
        lambda d: d.later & ~d.did(CHECKED),
        lambda d: d.did(RAISED),
    ),
    Statistic(
        "aggression factor",
        "bets and raises for each call after the flop was dealt",
        lambda d: d.later & d.did(CALLED),
        lambda d: d.later & d.did(RAISED),
        StatisticKind.FACTOR,
    ),
    Statistic(
        "WTSD",
        "came to the showdown, of hands in which the player saw the flop",
        lambda s: s.last_round > 0,
        lambda s: s.showdown,
        StatisticKind.OUTCOME,
    ),
    Statistic(
        "W$SD",
        "won some part of a pot at the showdown, of hands in which the player came to it",
        lambda s: s.showdown,
        lambda s: s.collected,
        StatisticKind.OUTCOME,
    ),
    Statistic(
        "won at showdown",
        "big blinds won per 100 hands, in all hands, by those in which the player came to the showdown",
        _everything,
        lambda s: np.where(s.showdown, _won(s), 0.0),
        StatisticKind.AMOUNT,
    ),
    Statistic(
        "won without showdown",
        "big blinds won per 100 hands, in all hands, by those that ended for the player before the showdown",
        _everything,
        lambda s: np.where(s.showdown, 0.0, _won(s)),
        StatisticKind.AMOUNT,
    ),
    Statistic(
        "bb/100",
        "big blinds won per 100 hands",
        _everything,
        _won,
        StatisticKind.AMOUNT,
    ),
)


# Counting ---------------------------------------------------------------------------------------


class Occasions:
    """The rows of facts at which statistics have their chances and actions."""

    def __init__(self, facts: Facts) -> None:
        self.seats = Columns(facts.seats)
        self._owner = np.repeat(np.arange(facts.seats.size), facts.seats["decisions"])
        self._decisions = Columns(facts.decisions, self.seats, self._owner)

    def of(self, statistic: Statistic) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of the seats that had each chance of a statistic, and of those that took each action.

        A seat with two chances is there twice. An amount has no actions to count, and is not asked for.
        """
        seats, owner = self.seats, self._owner
        if statistic.kind is StatisticKind.OUTCOME:
            had = statistic.chance(seats)
            return np.flatnonzero(had), np.flatnonzero(had & statistic.action(seats))
        chance, action = statistic.chance(self._decisions), statistic.action(self._decisions)
        if statistic.kind is StatisticKind.FACTOR:
            return owner[chance], owner[action]
        chances, actions = owner[chance], owner[chance & action]
        if statistic.kind is StatisticKind.HABIT:
            return _once(chances), _once(actions)
        return chances, actions

    def each(self, statistic: Statistic) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
        """The occasions of a statistic: the row of the seat, that of the decision or -1, and if it was taken.

        There is one for each chance, in the order of the rows. A habit's is the decision at which the action
        was taken, else the first one that counts. Of a factor both chances and actions are occasions; of an
        amount every hand is one, and the last array has what was won in it, in big blinds.
        """
        seats, decisions, kind = self.seats, self._decisions, statistic.kind
        if kind in (StatisticKind.OUTCOME, StatisticKind.AMOUNT):
            rows = np.flatnonzero(statistic.chance(seats))
            return rows, np.full(rows.size, -1), np.asarray(statistic.action(seats))[rows]
        chance, action = statistic.chance(decisions), statistic.action(decisions)
        places = np.flatnonzero(chance | action if kind is StatisticKind.FACTOR else chance)
        owner, taken = self._owner[places], np.asarray(action)[places]
        if kind is StatisticKind.HABIT:
            order = np.lexsort((places, ~taken, owner))  # of each seat, those with the action first
            first = order[np.diff(owner[order], prepend=-1) > 0]
            owner, places, taken = owner[first], places[first], taken[first]
        return owner, places, taken

    def first_places(self, condition: Callable[[Columns], Mask]) -> dict[int, int]:
        """By row of a seat: the first of its decisions, numbered from 0, at which a condition holds."""
        owner = self._owner
        begin = np.searchsorted(owner, np.arange(self.seats.decisions.size))
        held = np.flatnonzero(condition(self._decisions))[::-1]  # the first one is written last
        return dict(zip(owner[held].tolist(), (held - begin[owner[held]]).tolist(), strict=True))


def _once(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ascending rows, each once."""
    return rows[np.diff(rows, prepend=-1) > 0]


@dataclass
class Tally:
    """Counts of every statistic in every group; groups may be players, positions of a player, and so on.

    ``hands`` has the shape [groups], ``chances`` and ``actions`` [groups, statistics]. Of an amount,
    ``actions`` is the sum of what was won and ``squares`` that of its squares.
    """

    statistics: tuple[Statistic, ...]
    hands: NDArray[np.int64]
    chances: Numbers
    actions: Numbers
    squares: Numbers

    @classmethod
    def empty(cls, groups: int, statistics: Sequence[Statistic] = STATISTICS) -> "Tally":
        """A tally of so many groups in which nothing is counted."""
        shape = groups, len(statistics)
        hands = np.zeros(groups, np.int64)
        return cls(tuple(statistics), hands, np.zeros(shape), np.zeros(shape), np.zeros(shape))

    @property
    def num_groups(self) -> int:
        """The number of groups."""
        return int(self.chances.shape[0])

    def grow(self, groups: int) -> None:
        """Make room for more groups."""
        if groups > self.num_groups:
            room = max(groups, 2 * self.num_groups)
            for name in ("hands", "chances", "actions", "squares"):
                before = getattr(self, name)
                after = np.zeros((room, *before.shape[1:]), before.dtype)
                after[: before.shape[0]] = before
                setattr(self, name, after)

    def add(self, facts: Facts, group: NDArray[np.integer[Any]]) -> None:
        """Count facts; ``group`` is the group of each seat."""
        if not facts.seats.size:
            return
        self.grow(int(group.max()) + 1)
        self.hands += np.bincount(group, minlength=self.num_groups)
        found = Occasions(facts)
        for i, statistic in enumerate(self.statistics):
            if statistic.kind is not StatisticKind.AMOUNT:
                chances, actions = found.of(statistic)
                self._count(i, group[chances], group[actions])
                continue
            chance = statistic.chance(found.seats)
            won = statistic.action(found.seats)[chance]
            where, size = group[chance], self.num_groups
            self.chances[:, i] += np.bincount(where, minlength=size)
            self.actions[:, i] += np.bincount(where, won, minlength=size)
            self.squares[:, i] += np.bincount(where, won * won, minlength=size)

    def _count(self, i: int, chances: NDArray[np.integer[Any]], actions: NDArray[np.integer[Any]]) -> None:
        self.chances[:, i] += np.bincount(chances, minlength=self.num_groups)
        self.actions[:, i] += np.bincount(actions, minlength=self.num_groups)

    def values(self, group: int) -> tuple["Value", ...]:
        """Every statistic of one group."""
        columns = (part[group].tolist() for part in (self.chances, self.actions, self.squares))
        return tuple(
            Value(statistic, int(chances), float(actions), float(squares))
            for statistic, chances, actions, squares in zip(self.statistics, *columns, strict=True)
        )

    def value(self, group: int, statistic: Statistic) -> "Value":
        """One statistic of one group."""
        i = self.statistics.index(statistic)
        chances, actions, squares = (
            part[group, i].item() for part in (self.chances, self.actions, self.squares)
        )
        return Value(statistic, int(chances), float(actions), float(squares))


WIDE = 0.4  # a rate whose 95% interval is wider than this says nothing
WIDE_AMOUNT = 100.0  # bb/100 to either side
WIDE_FACTOR = 4.0  # times from the low end of an aggression factor to the high one


@dataclass(frozen=True, slots=True)
class Value:
    """A statistic of some hands: how often, of how many chances, and the 95% interval.

    A rate is a number from 0 to 1. The interval of a rate is Wilson's; that of a factor follows from the rate
    of actions among actions and chances; that of an amount is Student's, over hands.
    """

    statistic: Statistic
    n: int  # chances
    count: float  # actions; of an amount what was won in all, in big blinds
    squares: float = field(default=0.0, repr=False)

    JSON = keys(
        name="statistic.name",
        kind="statistic.kind",
        n="n",
        count=lambda one: one.count if one.statistic.kind is StatisticKind.AMOUNT else int(one.count),
        value="value",
        low="interval.0",
        high="interval.1",
        too_few="too_few",
    )

    @property
    def value(self) -> float | None:
        """The number itself; None where there was no chance."""
        if not self.n:
            return None
        if self.statistic.kind is StatisticKind.AMOUNT:
            return _HUNDRED * self.count / self.n
        return self.count / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """Low and high end of the 95% interval."""
        if self.statistic.kind is StatisticKind.AMOUNT:
            if self.n < 2:
                return -inf, inf
            mean = self.count / self.n
            variance = max(0.0, self.squares - self.n * mean * mean) / (self.n - 1)
            return Estimate(mean, (variance / self.n) ** 0.5, self.n).scaled(_HUNDRED).interval
        if self.statistic.kind is StatisticKind.FACTOR:
            low, high = wilson_interval(self.count, self.n + self.count)
            return low / (1 - low) if low < 1 else inf, high / (1 - high) if high < 1 else inf
        return wilson_interval(self.count, self.n)

    @property
    def too_few(self) -> bool:
        """Whether the interval is so wide that it says nothing."""
        low, high = self.interval
        if not self.n or not isfinite(high - low):
            return True
        if self.statistic.kind is StatisticKind.AMOUNT:
            return high - low > 2 * WIDE_AMOUNT
        if self.statistic.kind is StatisticKind.FACTOR:
            return high > WIDE_FACTOR * max(low, 0.25)
        return high - low > WIDE


def tally(parts: Iterable[tuple[Facts, NDArray[np.integer[Any]]]], groups: int = 1) -> Tally:
    """All statistics of all groups in one pass over facts that come in parts, with the group of each seat."""
    counted = Tally.empty(groups)
    for facts, group in parts:
        counted.add(facts, group)
    return counted
