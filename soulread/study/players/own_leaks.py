"""My leaks: the profile of a player turned into advice for the same player.

A *leak* is a sure deviation from the regular players (`soulread.study.profile.deviations`) that does not go
with winning more. Those that surely cost come first, the dearest first; then those whose cost is not clear,
by the best estimate. Deviations that pay are told apart: nothing needs to be changed there.

*Losing places* are positions and kinds of pots in which the player wins less than the regular players do in
the same place, and not by chance. (Every player loses in the blinds; the question is how much.) All places
are tested together, and of those called losing at most `LOSING_LEVEL` are expected to be chance (Benjamini &
Hochberg).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from scipy.special import ndtr

from soulread.encoding import keys
from soulread.estimate import Estimate, benjamini_hochberg
from soulread.hands.claims import ClaimQuery, ClaimSource
from soulread.hands.facts import POSITIONS, WALK, Rows, join_facts
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store, kind_records
from soulread.report.shown import ShownTable
from soulread.seqform.source import Tell
from soulread.study.players.played import WIDE, Floats, Ints
from soulread.study.profile.population import LEAST_REGULARS, REGULAR_HANDS, Population
from soulread.study.profile.profile import Finding, study_profile
from soulread.words import percent

POT_KINDS = ("walk", "limped", "single-raised", "3bet-pot", "4bet-pot")
"""The kinds of pots by number, as conditions have them."""

LOSING_LEVEL = 0.05  # of the places called losing, the expected share of false ones
_EVERY = 10**6  # deviations: all of them


@dataclass(frozen=True, eq=False)
class OwnLeak:
    """A sure deviation of the player, as advice to the same player."""

    finding: Finding
    advice: str

    JSON = keys(
        "*finding.deviation advice",
        query="finding.query",
        what_opponents_do="finding.use",
        what_it_costs="finding.cost",
    )

    @property
    def cost(self) -> Estimate | None:
        """bb/100 in comparison with a regular player in the middle; None if unknown."""
        return self.finding.deviation.cost

    @property
    def pays(self) -> bool:
        """Whether players who do the same surely win more by it."""
        return self.cost is not None and self.cost.interval[0] > 0

    @property
    def costs(self) -> bool:
        """Whether players who do the same surely win less."""
        return self.cost is not None and self.cost.interval[1] < 0


@dataclass(frozen=True, eq=False)
class PlaceResult:
    """The result in a position or a kind of pot, beside that of the regular players."""

    name: str
    hands: int
    won: Estimate  # bb/100
    others: float | None  # bb/100, the mean of the regular players there; None if nobody was there
    query: ClaimQuery  # its hands
    losing: bool = False  # surely less than the regular players win here

    JSON = keys("hands losing query", place="name", bb_per_100="won", regulars_bb_per_100="others")

    @property
    def too_few(self) -> bool:
        """Whether the interval says nothing."""
        return not self.won.half_width <= WIDE

    @property
    def chance(self) -> float:
        """The p-value of winning no less than the regular players here; 1 if there is nothing to compare."""
        if self.others is None or self.too_few or self.won.standard_error == 0:
            return 1.0
        return float(ndtr((self.won.mean - self.others) / self.won.standard_error))


@dataclass(frozen=True, eq=False, repr=False)
class OwnLeaks(ShownTable):
    """The leaks of a player, and where money is lost."""

    LINE = "{it.player}, {it.number} leaks in {it.hands:,} hands beside {it.regulars} regulars"
    TABLE = "leaks"

    player: str
    room: str
    store: str
    kind: PlayKind
    other_kinds: tuple[tuple[PlayKind, int], ...]  # hands of each that are left out
    hands: int
    first: datetime | None
    last: datetime | None
    regulars: int
    comparable: bool
    leaks: tuple[OwnLeak, ...]  # the dearest first
    paying: tuple[OwnLeak, ...]  # sure deviations that go with winning more
    places: tuple[PlaceResult, ...]  # positions, then kinds of pots

    JSON = keys(
        "player room store kind hands first last regulars comparable leaks paying places",
        other_kinds=lambda study: kind_records(study.other_kinds),
    )

    @property
    def number(self) -> int:
        """How many leaks there are."""
        return len(self.leaks)


def study_own_leaks(
    store: Store,
    player: str,
    query: Query = EVERYTHING,
    *,
    least: int = REGULAR_HANDS,
    tell: Tell | None = None,
) -> OwnLeaks:
    """The leaks of a player beside everybody with at least ``least`` hands, the dearest first."""
    number = store.player_number(player, query.room)
    kinds = store.play_kinds(replace(query, player=player))
    narrowed = query.of_kind(kinds[0][0]) if kinds else query
    population = Population(lambda: store.facts(narrowed), [number], least) if kinds else None
    study = study_profile(
        store,
        player,
        query,
        least=least,
        modelled=False,
        cards=None,
        population=population,
        most=_EVERY,
        tell=tell,
    )
    assert population is not None  # a player without hands was refused
    told = sorted(map(_leak, study.findings), key=_dearest)
    return OwnLeaks(
        player=study.player,
        room=study.room,
        store=study.store,
        kind=study.kind,
        other_kinds=study.other_kinds,
        hands=study.hands,
        first=study.first,
        last=study.last,
        regulars=study.regulars,
        comparable=study.comparable,
        leaks=tuple(one for one in told if not one.pays),
        paying=tuple(one for one in told if one.pays),
        places=_places(store, study.source, population),
    )


def _dearest(leak: OwnLeak) -> tuple[bool, float]:
    return not leak.costs, math.inf if leak.cost is None else leak.cost.mean


def _leak(finding: Finding) -> OwnLeak:
    low, high = finding.deviation.standing.zone
    change = "less" if finding.deviation.direction > 0 else "more"
    advice = f"Do it {change} often: the middle half of regulars does it {percent(low)} to {percent(high)}."
    return OwnLeak(finding, advice)


# Places -------------------------------------------------------------------------------------------


def _places(store: Store, source: ClaimSource, population: Population) -> tuple[PlaceResult, ...]:
    """The results by position and kind of pot, beside those of the regular players."""
    query = source.query
    number = store.player_number(source.player, query.room)
    own = join_facts([facts for _, facts in store.facts(query, players=[number])])
    counted = population.counted
    others = np.setdiff1d(counted.numbers[population.regulars], [number])
    sums = np.zeros((2, len(POSITIONS) + len(POT_KINDS)))
    if others.size >= LEAST_REGULARS:
        for owners, facts in store.facts(query):
            meant = np.isin(owners, others)
            sums += _sums(facts.seats[meant])
    mine = _cells(own.seats)
    won = _won(own.seats)
    found = []
    for cell, (name, word) in enumerate(_PLACES):
        if word == POT_KINDS[WALK]:  # nobody played
            continue
        rows = np.flatnonzero((mine == cell).any(axis=0))
        if rows.size:
            mean = 100 * float(sums[1, cell] / sums[0, cell]) if sums[0, cell] else None
            rate = Estimate.of(won[rows]).scaled(100.0)
            found.append(PlaceResult(name, int(rows.size), rate, mean, source.hands(int(rows.size), word)))
    sure = benjamini_hochberg(np.array([place.chance for place in found]), LOSING_LEVEL)
    return tuple(replace(place, losing=bool(beyond)) for place, beyond in zip(found, sure, strict=True))


_PLACES: Sequence[tuple[str, str]] = (
    *((name, f"position:{name}") for name in POSITIONS),
    *((name, name) for name in POT_KINDS),
)
"""The name of each place, and the condition that finds its hands."""


def _cells(seats: Rows) -> Ints:
    """``[2, seats]`` the place of each seat by position, and by kind of pot."""
    return np.stack([seats["position"].astype(np.int64), len(POSITIONS) + seats["pot_kind"].astype(np.int64)])


def _won(seats: Rows) -> Floats:
    return np.asarray(seats["won"] / np.maximum(seats["big_blind"], 1))


def _sums(seats: Rows) -> Floats:
    """``[2, places]`` hands and big blinds of each place."""
    won = _won(seats)
    cells = _cells(seats)
    total = len(_PLACES)
    counts = sum(np.bincount(cell, minlength=total) for cell in cells)
    amounts = sum(np.bincount(cell, won, minlength=total) for cell in cells)
    return np.stack([np.asarray(counts, np.float64), np.asarray(amounts, np.float64)])
