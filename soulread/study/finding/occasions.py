"""The occasions of a statistic: every chance a player had, and what the player did with it.

They are those that the statistics count (`soulread.hands.statistics`), one row each. A rate has an occasion
for each decision, a habit or an outcome one for each hand. The occasions of the aggression factor are the
calls, and the bets and raises; the latter are those taken. Of an amount such as bb/100 every hand is an
occasion, and none is taken or missed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.hands.conditions import HandKeys, Order, parse_conditions, statistic_called
from soulread.hands.facts import CALLED, CHECKED, DECISION, FOLDED, SEAT, Facts, Rows
from soulread.hands.lines import STREETS
from soulread.hands.statistics import Occasions, Statistic, StatisticKind, Tally, Value
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store
from soulread.report.shown import ShownTable
from soulread.study.finding.played import PlayedHand, played_hands


@dataclass(frozen=True)
class Occasion:
    """One chance of a statistic."""

    played: PlayedHand
    street: str  # of the decision; empty if the whole hand counts
    faced: float | None  # size of the bet faced: % of the pot, before the flop big blinds raised to
    size: float | None  # size of the player's own bet, likewise
    done: str
    taken: bool | None  # None of an amount
    amount: float | None  # what an amount counts, in big blinds

    JSON = keys("*played street faced size done taken amount")


@dataclass(frozen=True, repr=False)
class OccasionStudy(ShownTable):
    """The occasions of a statistic in a player's hands: how many, how many were taken, and each of them."""

    LINE = "{it.statistic.name} of {it.player}, {it.n:,} occasions"
    TABLE = "occasions"

    player: str
    room: str
    statistic: Statistic
    words: tuple[str, ...]  # the conditions
    kinds: tuple[tuple[PlayKind, int, Value], ...]  # hands and the statistic; never added up
    taken: bool | None  # whether only those taken, or only those missed, are listed
    listed: int  # how many there are of those
    occasions: tuple[Occasion, ...]  # the first of them

    JSON = keys(
        "player room",
        statistic="statistic.name",
        about="statistic.about",
        kind="statistic.kind",
        conditions="words",
        n="n",
        count="count",
        kinds=lambda study: [
            {"game": kind.game, "format": kind.format, "hands": hands, **plain_data(value)}
            for kind, hands, value in study.kinds
        ],
        taken="taken",
        listed="listed",
        occasions="occasions",
    )

    @property
    def n(self) -> int:
        """Chances, of all kinds of game."""
        return sum(value.n for _, _, value in self.kinds)

    @property
    def count(self) -> float:
        """Actions, of all kinds of game; of an amount what was won in all, in big blinds."""
        total = sum(value.count for _, _, value in self.kinds)
        return total if self.statistic.kind is StatisticKind.AMOUNT else int(total)

    def top(self, most: int) -> "OccasionStudy":
        """The first occasions alone."""
        return replace(self, occasions=self.occasions[:most])


@dataclass(frozen=True)
class _Rows:
    """Occasions as columns."""

    seats: Rows  # SEAT
    decisions: Rows  # DECISION; zeros where a whole hand counts
    at_decision: NDArray[np.bool_]
    taken: NDArray[Any]  # of an amount what was won

    def take(self, chosen: NDArray[Any]) -> "_Rows":
        return _Rows(self.seats[chosen], self.decisions[chosen], self.at_decision[chosen], self.taken[chosen])


def study_occasions(
    store: Store,
    player: str,
    statistic: Statistic | str,
    words: Sequence[str] = (),
    query: Query = EVERYTHING,
    *,
    taken: bool | None = None,
    order: Order | None = None,
    limit: int | None = None,
) -> OccasionStudy:
    """The occasions of a statistic in the hands of a player that fulfil the conditions ``words`` and a query.

    ``taken`` lists only those that were taken, or only those that were missed; ``limit`` the first ones. All
    are counted.
    """
    meant = statistic_called(statistic) if isinstance(statistic, str) else statistic
    if taken is not None and meant.kind is StatisticKind.AMOUNT:
        raise SoulreadError(f"{meant.name!r} counts what was won; none of its hands is taken or missed")
    conditions = parse_conditions(words, player)
    counted = Tally.empty(1, [meant])
    kinds = {number: kind.play for number, kind in store.kinds.items()}
    groups = {kind: place for place, kind in enumerate(sorted(set(kinds.values())))}
    place = np.zeros(max(kinds, default=0) + 1, np.int64)
    for number, kind in kinds.items():
        place[number] = groups[kind]
    parts = []
    for facts in conditions.facts(store, query):
        counted.add(facts, place[facts.seats["kind"]])
        parts.append(_rows(facts, meant))
    rows = _joined(parts)
    if taken is not None:
        rows = rows.take(np.flatnonzero(rows.taken == taken))
    shown = rows.take(HandKeys.of(rows.seats).sorted(order)[:limit])
    numbers = counted.hands.tolist() + [0] * len(groups)
    values = [
        (kind, numbers[group], counted.values(group)[0]) for kind, group in groups.items() if numbers[group]
    ]
    return OccasionStudy(
        player,
        store.player(player, query.room).room,
        meant,
        conditions.words,
        tuple(sorted(values, key=lambda value: (-value[1], value[0]))),
        taken,
        int(rows.seats.size),
        tuple(_told(store, player, meant, shown)),
    )


def _rows(facts: Facts, statistic: Statistic) -> _Rows:
    seats, places, taken = Occasions(facts).each(statistic)
    at_decision = places >= 0
    decisions = np.zeros(seats.size, DECISION)
    decisions[at_decision] = facts.decisions[places[at_decision]]
    return _Rows(facts.seats[seats], decisions, at_decision, taken)


def _joined(parts: Sequence[_Rows]) -> _Rows:
    if not parts:
        return _Rows(np.zeros(0, SEAT), np.zeros(0, DECISION), np.zeros(0, np.bool_), np.zeros(0, np.bool_))
    return _Rows(
        np.concatenate([part.seats for part in parts]),
        np.concatenate([part.decisions for part in parts]),
        np.concatenate([part.at_decision for part in parts]),
        np.concatenate([part.taken for part in parts]),
    )


def _told(store: Store, player: str, statistic: Statistic, rows: _Rows) -> list[Occasion]:
    """Occasions with the records of their hands."""
    numbers = rows.seats["hand"].tolist()
    found = {played.number: played for played in played_hands(store.numbered(numbers), player)}
    told = []
    for i, number in enumerate(numbers):
        seat, decision, played = rows.seats[i], rows.decisions[i], found[number]
        won = statistic.kind is StatisticKind.AMOUNT
        outcome = Occasion(
            played,
            street="",
            faced=None,
            size=None,
            done=played.preflop if rows.at_decision[i] else _ending(seat),
            taken=None if won else bool(rows.taken[i]),
            amount=float(rows.taken[i]) if won else None,
        )
        if rows.at_decision[i]:
            street = STREETS[decision["round"]]
            outcome = replace(outcome, street=street)
            if statistic.kind is not StatisticKind.HABIT:
                size, faced = _size(decision, "size"), _size(decision, "faced")
                outcome = replace(outcome, size=size, faced=faced, done=_action(decision))
        told.append(outcome)
    return told


def _size(decision: Any, column: str) -> float | None:
    """A size in percent of the pot, before the flop in big blinds; None if there is none."""
    size = int(decision[column])
    return None if size == 0 else float(size) if decision["round"] else size / 100


def _action(decision: Any) -> str:
    """A decision in words: "fold", "bet 46%", "raise to 3 bb"."""
    action = int(decision["action"])
    if action in (FOLDED, CHECKED, CALLED):
        return {FOLDED: "fold", CHECKED: "check", CALLED: "call"}[action]
    size = _size(decision, "size") or 0.0
    if decision["round"] == 0:
        return f"raise to {size:g} bb"
    return f"{'raise' if decision['raises'] else 'bet'} {size:g}%"


def _ending(seat: Any) -> str:
    """How a hand ended for a seat."""
    if seat["showdown"]:
        return "won at showdown" if seat["collected"] else "lost at showdown"
    if seat["collected"]:
        return "won without showdown"
    street = int(seat["last_round"])
    return f"folded on the {STREETS[street]}" if street else "folded before the flop"
