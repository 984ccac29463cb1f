"""The regular players of a store together: spreads of statistics, percentiles, styles, and what winners do.

All shifts are those of `soulread.study.profile.population`: positions and sizes of tables are taken into
account, and the chance in each player's counts is taken out as far as it is known (so players with few hands
stand nearer to the middle than they may be).

*What pays.* A pool does not show the mistakes that all its players make. It shows which habits go with
winning. The *slope* of a statistic is the gain, in bb/100 in hands with such a chance, of players who do it
one standard deviation more often (`soulread.study.profile.deviations.result_slope`). Of the slopes called
sure at most 1% are expected to be chance (Benjamini & Hochberg). The study also sets winners beside losers.
A result of some thousand hands is largely luck, so both groups have players of the other kind, and these
differences are noisy.

*Styles* are clusters of players: k-means on the shifts in six statistics, each in standard deviations, with
as many clusters as have the largest mean silhouette.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, benjamini_hochberg
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store, kind_records
from soulread.report.sheet import rows_text
from soulread.report.shown import ShownTable, table_rows
from soulread.study.profile.deviations import LEVEL, RESULTS, result_slope
from soulread.study.profile.population import (
    LEAST_REGULARS,
    REGULAR_HANDS,
    TESTED,
    WHOLE,
    Floats,
    PoolSpread,
    Population,
    Scope,
    shares_record,
)
from soulread.words import plural

STYLED_BY = ("VPIP", "PFR", "3-bet", "aggression frequency", "fold to c-bet flop", "WTSD")
SHEETS = ("statistics", "regulars", "styles")
"""The tables of a pool, as `PoolStudy.to_rows` names them."""
_CLUSTERS = range(2, 7)
_STARTS = 20
_LEAST_GROUP = 10  # winners, and losers


@dataclass(frozen=True, eq=False)
class Distribution:
    """The spread of a statistic over the regular players."""

    name: str
    spread: PoolSpread
    chances: Floats  # [strata] of all of them together
    values: Floats  # [players] rates in these seats, chance taken out
    quantiles: tuple[float, ...]  # rates at `SHARES`; empty if the spread is not known

    JSON = keys("name", players="spread.regulars", spread=lambda one: shares_record(one.quantiles))


@dataclass(frozen=True, eq=False)
class Contrast:
    """One statistic among winners and losers, and its slope."""

    name: str
    winners: float  # rate
    losers: float
    difference: Estimate  # winners less losers, as a rate
    slope: Estimate | None  # bb/100 of one standard deviation more
    sure: bool  # whether the slope is beyond chance, with all statistics accounted for

    JSON = keys("name winners losers difference sure", bb_per_100_of_one_deviation_more="slope")


@dataclass(frozen=True)
class PoolPlayer:
    """A regular player: percentiles in `STYLED_BY`, result and style."""

    name: str
    hands: int
    percentiles: tuple[float | None, ...]
    won: Estimate  # bb/100
    style: int  # number of the cluster

    JSON = keys(
        player="name",
        hands="hands",
        style="style",
        percentiles=lambda one: dict(zip(STYLED_BY, one.percentiles, strict=True)),
        bb_per_100="won",
    )


@dataclass(frozen=True)
class StyleGroup:
    """A cluster of players."""

    words: str
    players: int
    hands: int
    centre: tuple[float, ...]  # in standard deviations, by `STYLED_BY`
    won: Estimate | None  # bb/100, the mean over players by hands; None if one player

    JSON = keys(
        style="words",
        players="players",
        hands="hands",
        centre=lambda group: dict(zip(STYLED_BY, group.centre, strict=True)),
        bb_per_100="won",
    )


@dataclass(frozen=True, eq=False, repr=False)
class PoolStudy(ShownTable):
    """The regular players of a store."""

    LINE = "{it.store}, {it.hands:,} hands of {it.players:,} players"
    TABLE = "statistics"

    store: str
    kind: PlayKind  # the one that has the most hands; nothing else is looked at
    other_kinds: tuple[tuple[PlayKind, int], ...]  # hands of each that are left out
    hands: int  # in the store
    players: int  # in the store
    regular_hands: int
    distributions: tuple[Distribution, ...]
    regulars: tuple[PoolPlayer, ...]
    contrasts: tuple[Contrast, ...]  # the largest first; empty without winners or losers enough
    winners: int
    losers: int
    styles: tuple[StyleGroup, ...]

    JSON = keys(
        "kind hands players regular_hands winners losers contrasts conclusion styles",
        other_kinds=lambda study: kind_records(study.other_kinds),
        statistics="distributions",
        regulars=lambda study: [
            {**plain_data(one), "style": study.styles[one.style].words if study.styles else None}
            for one in study.regulars
        ],
    )

    def to_rows(self, table: str = "statistics") -> Sequence[Mapping[str, Any]]:
        """Return a row for each statistic, regular or style: ``table`` is one of `SHEETS`.

        A statistic has its spread, and what winners and losers do where that is told.
        """
        if table not in SHEETS:
            raise SoulreadError(f"there is no table {table!r} of a pool; there are {', '.join(SHEETS)}")
        record = plain_data(self)
        if table != "statistics":
            return table_rows(record[table])
        told = {one["name"]: one for one in record["contrasts"]}
        return table_rows({**one, **told.get(one["name"], {})} for one in record["statistics"])

    def to_csv(self, table: str = "statistics") -> str:
        """Return a table of `SHEETS` as CSV, with a head."""
        return rows_text(self.to_rows(table))

    @property
    def conclusion(self) -> str:
        """The sure slopes, in a sentence."""
        if not self.contrasts:
            return f"Too few players: what pays is told from {_LEAST_GROUP} winners and as many losers on."
        sure = [one for one in self.contrasts if one.sure and one.slope is not None]
        if not sure:
            return "Nothing that regulars do more or less often goes surely with winning or losing."
        lists = []
        for sign, word in ((1, "win more"), (-1, "win less")):
            names = [one.name for one in sure if one.slope is not None and sign * one.slope.mean > 0]
            if names:
                lists.append(f"regulars with more {', '.join(names)} surely {word} in these hands")
        text = "; ".join(lists)
        return f"{text[:1].upper()}{text[1:]}."


def study_pool(store: Store, query: Query = EVERYTHING, least: int = REGULAR_HANDS) -> PoolStudy:
    """The study of all players with at least ``least`` hands of one kind of game.

    Without a query that narrows it, that is the kind with the most hands.
    """
    kinds = store.play_kinds(query)
    if not kinds:
        raise SoulreadError(f"there are no such hands in {store.name!r}")
    (kind, _), *other_kinds = kinds
    query = query.of_kind(kind)
    population = Population(lambda: store.facts(query), least=least)
    pool = population.regulars
    if pool.size < LEAST_REGULARS:
        raise SoulreadError(
            f"{store.name!r} has {plural(pool.size, 'player')} with {least:,} hands or more; a pool needs "
            f"{LEAST_REGULARS}. --regulars says how many hands a regular needs"
        )
    counted = population.counted
    spreads = population.spreads(pool, WHOLE)
    hands = counted.hands[pool]
    mean = counted.profit[pool] / hands
    noise = np.maximum(counted.profit_squares[pool] / hands - mean**2, 1e-12) / np.maximum(hands - 1, 1)
    won = [
        Estimate(float(m), float(math.sqrt(v)), int(n)).scaled(100)
        for m, v, n in zip(mean, noise, hands, strict=True)
    ]
    places = [next(i for i, statistic in enumerate(TESTED) if statistic.name == name) for name in STYLED_BY]
    styled = [spreads[Scope(i)] for i in places]
    standard = np.stack([_standard(spread) for spread in styled], axis=1)
    labels, centres = find_styles(standard)
    names = store.names()
    percentiles = [_percentiles(population, row, styled) for row in pool.tolist()]
    regulars = [
        PoolPlayer(
            names[int(counted.numbers[row])],
            int(hands[i]),
            percentiles[i],
            won[i],
            int(labels[i]),
        )
        for i, row in enumerate(pool.tolist())
    ]
    chosen = mean > 0
    return PoolStudy(
        store=store.name,
        kind=kind,
        other_kinds=tuple(other_kinds),
        hands=len(store),
        players=len(names),
        regular_hands=least,
        distributions=tuple(_distribution(population, pool, spread) for spread in spreads.values()),
        regulars=tuple(sorted(regulars, key=lambda one: (-one.hands, one.name))),
        contrasts=_contrasts(population, pool, list(spreads.values()), chosen),
        winners=int(chosen.sum()),
        losers=int((~chosen).sum()),
        styles=tuple(
            _style_group(centres[k], np.flatnonzero(labels == k), hands, mean) for k in range(len(centres))
        ),
    )


def _standard(spread: PoolSpread) -> Floats:
    """Shifts in standard deviations between players."""
    return (spread.shifts - spread.mean) / spread.deviation


def _percentiles(population: Population, row: int, spreads: Sequence[PoolSpread]) -> tuple[float | None, ...]:
    """The percentile of a player (index) in each scope, as in a profile; None if it is not known."""
    found = population.standings(row, {spread.scope: spread for spread in spreads})
    return tuple(one.percentile for one in found.values())


def _distribution(population: Population, pool: NDArray[np.int64], spread: PoolSpread) -> Distribution:
    scope = spread.scope
    chances = scope.of(population.counted.chances, pool).sum(axis=0)
    values = np.asarray(spread.rate(spread.shifts, chances))
    return Distribution(TESTED[scope.statistic].name, spread, chances, values, spread.quantiles(chances))


def _contrasts(
    population: Population, pool: NDArray[np.int64], spreads: Sequence[PoolSpread], won: NDArray[np.bool_]
) -> tuple[Contrast, ...]:
    """The contrast of every statistic whose spread is known, the surest first."""
    from scipy.special import stdtr

    if min(won.sum(), (~won).sum()) < _LEAST_GROUP:
        return ()
    counted = population.counted
    found = []
    for spread in spreads:
        scope = spread.scope
        if not spread.known or TESTED[scope.statistic].name in RESULTS:
            continue
        chances = scope.of(counted.chances, pool).sum(axis=0)
        rates = np.asarray(spread.rate(spread.shifts, chances))
        one, other = Estimate.of(rates[won]), Estimate.of(rates[~won])
        per_100 = 100 * float(scope.of(counted.spots, pool).sum() / counted.hands[pool].sum())
        slope = result_slope(counted, pool, spread)
        tail = 1.0
        if slope is not None:
            slope = slope.scaled(spread.deviation * per_100)
            tail = 2 * float(stdtr(slope.n - 1, -abs(slope.mean) / max(slope.standard_error, 1e-12)))
        name = TESTED[scope.statistic].name
        found.append((tail, Contrast(name, one.mean, other.mean, one.minus(other), slope, False)))
    certain = benjamini_hochberg(np.array([tail for tail, _ in found]), LEVEL)
    made = [
        (tail, replace(one, sure=bool(beyond))) for (tail, one), beyond in zip(found, certain, strict=True)
    ]
    return tuple(one for _, one in sorted(made, key=lambda pair: pair[0]))


# Styles -------------------------------------------------------------------------------------------


def find_styles(points: Floats, seed: int = 0) -> tuple[NDArray[np.int64], Floats]:
    """Clusters of ``points [players, dimensions]``: the number of each player's, and the centres.

    The largest cluster comes first.
    """
    best: tuple[float, NDArray[np.int64]] | None = None
    for count in _CLUSTERS:
        if count >= len(points):
            break
        labels = _k_means(points, count, np.random.default_rng(seed))
        score = _silhouette(points, labels)
        if best is None or score > best[0]:
            best = score, labels
    labels = np.zeros(len(points), np.int64) if best is None else best[1]
    order = np.argsort(-np.bincount(labels), kind="stable")
    labels = np.argsort(order)[labels]
    centres = np.stack([points[labels == k].mean(axis=0) for k in range(int(labels.max()) + 1)])
    return labels, centres


def _k_means(points: Floats, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Lloyd's algorithm from several starts, k-means++; the one with the least sum of squares."""
    best: tuple[float, NDArray[np.int64]] | None = None
    for _ in range(_STARTS):
        centres = points[[int(rng.integers(len(points)))]]
        while len(centres) < count:
            near = ((points[:, None] - centres[None]) ** 2).sum(axis=2).min(axis=1)
            chance = near / near.sum() if near.sum() > 0 else None
            centres = np.vstack([centres, points[int(rng.choice(len(points), p=chance))]])
        labels = np.full(len(points), -1, np.int64)
        for _ in range(100):
            away = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
            again = away.argmin(axis=1)
            if (again == labels).all():
                break
            labels = again
            for k in range(count):
                if (labels == k).any():
                    centres[k] = points[labels == k].mean(axis=0)
        cost = float(away.min(axis=1).sum())
        if np.unique(labels).size == count and (best is None or cost < best[0]):
            best = cost, labels
    return np.zeros(len(points), np.int64) if best is None else best[1]


def _silhouette(points: Floats, labels: NDArray[np.int64]) -> float:
    """Mean over players of (b - a) / max(a, b): a is the mean distance to the own cluster, b to the next."""
    kinds = np.unique(labels)
    if kinds.size < 2:
        return -1.0
    away = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    sizes = np.array([(labels == k).sum() for k in kinds])
    sums = np.stack([away[:, labels == k].sum(axis=1) for k in kinds], axis=1)
    own = np.searchsorted(kinds, labels)
    rows = np.arange(len(points))
    inside = sums[rows, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[rows, own] = np.inf
    outside = means.min(axis=1)
    values = (outside - inside) / np.maximum(np.maximum(inside, outside), 1e-12)
    return float(np.where(sizes[own] > 1, values, 0.0).mean())


def _style_group(
    centre: Floats, members: NDArray[np.int64], hands: NDArray[np.int64], mean: Floats
) -> StyleGroup:
    by_name = dict(zip(STYLED_BY, centre.tolist(), strict=True))
    words = [
        _word(by_name["VPIP"], "tight", "loose"),
        _word(by_name["aggression frequency"], "passive", "aggressive"),
        _word(by_name["PFR"], "raises little before the flop", "raises much before the flop"),
        _word(by_name["WTSD"], "gives up before the showdown", "goes to the showdown"),
        _word(by_name["fold to c-bet flop"], "calls flop bets", "folds to flop bets"),
    ]
    total = int(hands[members].sum())
    won = None
    if members.size > 1:
        weights = hands[members] / total
        middle = float(weights @ mean[members])
        spread = float((weights**2 * (mean[members] - middle) ** 2).sum()) * members.size / (members.size - 1)
        won = Estimate(middle, math.sqrt(spread), int(members.size)).scaled(100)
    said = ", ".join(word for word in words if word) or "in the middle of everything"
    return StyleGroup(said, int(members.size), total, tuple(centre.tolist()), won)


def _word(amount: float, less: str, more: str) -> str:
    """A word for a centre that is at least 0.4 standard deviations off."""
    return more if amount > 0.4 else less if amount < -0.4 else ""
