"""Two players side by side: every statistic of both, the difference with its interval, and what is sure.

The interval of a difference d = a - b comes from the two intervals (Newcombe 1998; Zou & Donner 2008): with
(l, u) the 95% interval of a, and (m, v) that of b, it goes from

    d - sqrt((a - l)^2 + (v - b)^2)   to   d + sqrt((u - a)^2 + (b - m)^2).

A difference is sure if it is beyond chance with all statistics of the comparison tested together, by the
procedure of Benjamini and Hochberg. Its test takes for the standard error the arm of the interval that
points to 0, over 1.96.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.estimate import benjamini_hochberg
from soulread.hands.statistics import Value
from soulread.hands.store import PlayKind, Query, Store
from soulread.report.shown import ShownTable
from soulread.study.hands.statistics import study_player
from soulread.study.profile.deviations import LEVEL
from soulread.words import plural

_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Difference:
    """A statistic of two players."""

    first: Value
    second: Value
    sure: bool = False

    JSON = keys(
        "first second difference sure",
        statistic="first.statistic.name",
        low="interval.0",
        high="interval.1",
    )

    @property
    def difference(self) -> float | None:
        """The first player's less the second's; None if one of them had no chance."""
        if self.first.value is None or self.second.value is None:
            return None
        return self.first.value - self.second.value

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the difference."""
        a, b = self.first.value, self.second.value
        if a is None or b is None:
            return -math.inf, math.inf
        (low, high), (other_low, other_high) = self.first.interval, self.second.interval
        return (
            a - b - math.hypot(a - low, other_high - b),
            a - b + math.hypot(high - a, b - other_low),
        )

    @property
    def too_few(self) -> bool:
        """Whether one of the two has too few chances to say anything."""
        return self.first.too_few or self.second.too_few

    @property
    def by_chance(self) -> float:
        """How likely so large a difference is, either way, if the two play alike."""
        found = self.difference
        low, high = self.interval
        if not found or not math.isfinite(high - low):
            return 1.0
        arm = found - low if found > 0 else high - found
        return math.erfc(_NORMAL_95 * abs(found) / arm / math.sqrt(2)) if arm > 0 else 0.0


@dataclass(frozen=True, repr=False)
class BesideStudy(ShownTable):
    """Two players in one kind of game."""

    LINE = "{it.first} beside {it.second}, {it.sure} sure differences"
    TABLE = "differences"

    first: str
    second: str
    kind: PlayKind
    hands: tuple[int, int]
    differences: tuple[Difference, ...]
    store: str
    queries: tuple[Query, Query]  # the hands of each that were meant

    JSON = keys("first second kind hands differences store")

    @property
    def sure(self) -> int:
        """How many differences are sure."""
        return sum(one.sure for one in self.differences)

    @property
    def lead(self) -> str:
        """What is sure, in a sentence."""
        if not self.sure:
            return "Nothing is surely different: each difference may be chance, all tested together."
        return (
            f"{plural(self.sure, 'difference')} beyond chance, all statistics tested together: of such "
            f"claims at most {LEVEL:.0%} are expected to be false."
        )

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return a row for each statistic."""
        rows = []
        for one in self.differences:
            record = plain_data(one)
            head = {"statistic": record["statistic"]}
            for name in ("first", "second"):
                value = record[name]
                head |= {f"{name} {key}": value[key] for key in ("value", "low", "high", "n")}
            rows.append(head | {key: record[key] for key in ("difference", "low", "high", "sure")})
        return rows


def study_beside(
    store: Store, first: tuple[str, Query], second: tuple[str, Query], kind: PlayKind | None = None
) -> BesideStudy:
    """Two players, each with the query that says which hands are meant, in one kind of game.

    Without a ``kind`` it is the one of which the two have the most hands: that in which the player with fewer
    hands has the most.
    """
    if first == second:
        raise SoulreadError(f"{first[0]!r} beside {second[0]!r} is one player; name two")
    chosen = _common_kind(store, first, second) if kind is None else kind
    queries = first[1].of_kind(chosen), second[1].of_kind(chosen)
    studied = [
        study_player(store, name, query) for (name, _), query in zip((first, second), queries, strict=True)
    ]
    pairs = [
        Difference(one.value, other.value)
        for one, other in zip(studied[0].lines, studied[1].lines, strict=True)
    ]
    tested = [place for place, one in enumerate(pairs) if not one.too_few]
    beyond = benjamini_hochberg(np.array([pairs[place].by_chance for place in tested]), LEVEL)
    for place, sure in zip(tested, beyond.tolist(), strict=True):
        pairs[place] = replace(pairs[place], sure=sure)
    return BesideStudy(
        first=first[0],
        second=second[0],
        kind=chosen,
        hands=(studied[0].hands, studied[1].hands),
        differences=tuple(pairs),
        store=store.name,
        queries=queries,
    )


def _common_kind(store: Store, first: tuple[str, Query], second: tuple[str, Query]) -> PlayKind:
    """The kind of game in which the one with fewer hands has the most."""
    counted = [dict(store.play_kinds(replace(query, player=name))) for name, query in (first, second)]
    both = counted[0].keys() & counted[1].keys()
    common = [(min(counted[0][kind], counted[1][kind]), kind) for kind in both]
    if not common:
        told = "; ".join(
            f"{name!r}: {', '.join(kind.name for kind in kinds) or 'no such hands'}"
            for (name, _), kinds in zip((first, second), counted, strict=True)
        )
        raise SoulreadError(f"the two have no kind of game in common in {store.name!r}: {told}")
    return max(common)[1]
