"""The opponents of a player: everybody met often, each with style, statistics, sure deviations and advice.

An opponent is somebody who was dealt cards in many hands of the player. Without a player, all regular players
are looked at. The population they are compared with is counted once for all of them.

*Between the two*: the hands in which both called or raised, and what the player won in them. The chips did
not all come from this opponent where others were in the pot too.

Each opponent is told as soon as the profile is made, so whoever writes pages can keep them
(`soulread.study.players.report_pages`) and go on where a report was broken off.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.hands.facts import CALLED, RAISED, Facts, join_facts
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store, kind_records
from soulread.report.shown import ShownTable
from soulread.study.players.played import Floats, Ints
from soulread.study.profile.population import REGULAR_HANDS, TESTED, Population
from soulread.study.profile.profile import Finding, ProfileStudy, study_profile

_IN_BRACKETS = re.compile(r" \([^)]*\)")  # numbers in a sentence
SHOWN_STATISTICS = "VPIP", "PFR", "3-bet", "aggression frequency", "WTSD"


@dataclass(frozen=True)
class KeyStatistic:
    """A statistic of an opponent."""

    name: str
    value: float | None  # None without a chance, or with too few
    n: float  # chances

    JSON = keys("name value n")


@dataclass(frozen=True)
class Opponent:
    """An opponent in a line; all of it is plain data, so that it can be kept in JSON."""

    number: int  # in the store
    name: str
    room: str
    hands: int  # of this kind of game in the store
    met: int | None  # of them, those with the player; None without a player
    style: str  # a word for it, or a sentence
    statistics: tuple[KeyStatistic, ...]  # `SHOWN_STATISTICS`
    deviations: int  # that are sure
    advice: str  # the best one; empty if nothing is sure
    advice_cost: float | None  # bb/100 that the deviation behind the advice costs, if that is clear
    between: int | None  # hands in which both called or raised; None without a player
    won: float | None  # big blinds that the player won in them

    JSON = keys("room hands met style statistics deviations advice advice_cost between won", player="name")

    @property
    def record(self) -> dict[str, Any]:
        """The opponent for JSON."""
        return asdict(self)


def opponent_of(record: Mapping[str, Any]) -> Opponent:
    """The opposite of `Opponent.record`."""
    statistics = tuple(KeyStatistic(**one) for one in record["statistics"])
    return Opponent(**{**record, "statistics": statistics})


@dataclass(frozen=True, eq=False, repr=False)
class OpponentsStudy(ShownTable):
    """The opponents of a player, those met most often first."""

    LINE = "{it.whose}, {it.number:,} opponents of at least {it.least:,} hands"
    TABLE = "opponents"

    store: str
    player: str | None  # None: all regular players
    kind: PlayKind
    other_kinds: tuple[tuple[PlayKind, int], ...]
    least: int  # hands with the player, or hands at all
    opponents: tuple[Opponent, ...]

    JSON = keys(
        "store player kind least opponents", other_kinds=lambda study: kind_records(study.other_kinds)
    )

    @property
    def whose(self) -> str:
        """The player, or the store if there is none."""
        return self.player or self.store

    @property
    def number(self) -> int:
        """How many opponents there are."""
        return len(self.opponents)


@dataclass(frozen=True, eq=False)
class Table:
    """Who is meant by a report: the player, the opponents and the population, before any profile is made."""

    store: Store
    player: str | None
    number: int | None
    query: Query  # of one kind of game
    kind: PlayKind
    other_kinds: tuple[tuple[PlayKind, int], ...]
    least: int
    regular_hands: int
    opponents: tuple[int, ...]  # numbers, those met most often first
    met: Ints  # [players] hands with the player, or hands at all
    between: Mapping[int, tuple[int, float]]  # hands in which both called or raised, and big blinds won
    names: Mapping[int, str]
    rooms: Mapping[int, str]

    def opponent(self, study: ProfileStudy, number: int) -> Opponent:
        """An opponent in a line."""
        alone = self.number is None
        between, won = (None, None) if alone else self.between.get(number, (0, 0.0))
        best = _best(study.findings)
        return Opponent(
            number=number,
            name=study.player,
            room=study.room,
            hands=study.hands,
            met=None if alone else int(self.met[number]),
            style=study.style.kind.partition(":")[0] or _IN_BRACKETS.sub("", study.style.sentence),
            statistics=_statistics(study),
            deviations=len(study.findings) + study.more_findings,
            advice="" if best is None else best.use,
            advice_cost=None if best is None else _sure_cost(best),
            between=between,
            won=won,
        )


def lay_table(
    store: Store,
    player: str | None,
    query: Query = EVERYTHING,
    *,
    least: int = REGULAR_HANDS,
    regular_hands: int = REGULAR_HANDS,
) -> Table:
    """Find the opponents who have ``least`` hands with a player, or at all if there is no player."""
    if least < 1:
        raise SoulreadError(f"opponents of {least} hands; an opponent has at least one hand")
    kinds = store.play_kinds(replace(query, player=player))
    if not kinds:
        whose = "" if player is None else f" of {player!r}"
        raise SoulreadError(f"there are no such hands{whose} in {store.name!r}")
    (kind, _), *others = kinds
    query = replace(query.of_kind(kind), player=None)
    number = None if player is None else store.player_number(player, query.room)
    own = None
    if number is not None:
        own = join_facts([facts for _, facts in store.facts(query, players=[number])])
    met, between = _meetings(store, query, own)
    if number is not None:
        met[number] = 0
    chosen = np.flatnonzero(met >= least)
    ordered = chosen[np.argsort(-met[chosen], kind="stable")]
    return Table(
        store=store,
        player=player,
        number=number,
        query=query,
        kind=kind,
        other_kinds=tuple(others),
        least=least,
        regular_hands=regular_hands,
        opponents=tuple(ordered.tolist()),
        met=met,
        between=between,
        names=store.names(),
        rooms=store.player_rooms(),
    )


def study_opponents(
    table: Table,
    *,
    modelled: bool = False,
    known: Mapping[int, Opponent] | None = None,
    told: Callable[[int, Opponent, ProfileStudy | None], None] | None = None,
) -> OpponentsStudy:
    """The opponents of a table, each with a profile.

    Those who are ``known`` are taken over without a profile. ``told`` is called after each opponent with the
    number of those so far, the opponent, and the profile if one was made. If ``modelled``, the profiles have
    ranges of hands whose cards nobody saw, which takes seconds for each.
    """
    kept = known or {}
    missing = [number for number in table.opponents if number not in kept]
    population = None
    if missing:
        population = Population(lambda: table.store.facts(table.query), missing, table.regular_hands)
    found = []
    for number in table.opponents:
        opponent, study = kept.get(number), None
        if opponent is None:
            study = _profile(table, number, population, modelled)
            opponent = table.opponent(study, number)
        found.append(opponent)
        if told is not None:
            told(len(found), opponent, study)
    return OpponentsStudy(
        table.store.name, table.player, table.kind, table.other_kinds, table.least, tuple(found)
    )


def _profile(table: Table, number: int, population: Population | None, modelled: bool) -> ProfileStudy:
    """The profile of an opponent, in the rooms of the opponent if several have the name."""
    name, query = table.names[number], table.query
    if query.room is None and len(table.store.players_called(name)) > 1:
        query = replace(query, room=table.rooms[number])
    return study_profile(
        table.store,
        name,
        query,
        least=table.regular_hands,
        modelled=modelled,
        cards=None,
        population=population,
    )


def _meetings(store: Store, query: Query, own: Facts | None) -> tuple[Ints, dict[int, tuple[int, float]]]:
    """How many hands everybody has, with the player if there is one; and what was played between the two."""
    met = np.zeros(max(store.names(), default=0) + 1, np.int64)
    between: dict[int, list[float]] = {}
    seated = None if own is None else np.sort(own.seats["hand"])
    active = None if own is None else _played(own)
    for owners, facts in store.facts(query):
        if own is None or seated is None or active is None:
            met += np.bincount(owners, minlength=met.size)
            continue
        together = np.isin(facts.seats["hand"], seated)
        met += np.bincount(owners[together], minlength=met.size)
        for owner, hands, won in _both(owners, facts, active):
            one = between.setdefault(owner, [0.0, 0.0])
            one[0], one[1] = one[0] + hands, one[1] + won
    return met, {owner: (int(hands), won) for owner, (hands, won) in between.items()}


def _voluntary(facts: Facts) -> Ints:
    """The seats that called or raised."""
    action = facts.decisions["action"]
    owner = np.repeat(np.arange(facts.seats.size), facts.seats["decisions"])
    return np.unique(owner[(action == CALLED) | (action == RAISED)])


def _played(own: Facts) -> tuple[Ints, Floats]:
    """The hands in which a player called or raised, in order, and the big blinds won in each."""
    rows = _voluntary(own)
    rows = rows[np.argsort(own.seats["hand"][rows], kind="stable")]
    seats = own.seats[rows]
    return seats["hand"].astype(np.int64), seats["won"] / np.maximum(seats["big_blind"], 1)


def _both(owners: Ints, facts: Facts, active: tuple[Ints, Floats]) -> Iterator[tuple[int, int, float]]:
    """For each player: the hands in which both called or raised, and the big blinds of the one given."""
    hands, won = active
    if not hands.size:
        return
    rows = _voluntary(facts)
    numbers = facts.seats["hand"][rows]
    places = np.minimum(np.searchsorted(hands, numbers), hands.size - 1)
    shared = hands[places] == numbers
    who, amounts = owners[rows][shared], won[places[shared]]
    for owner in np.unique(who).tolist():
        mine = who == owner
        yield owner, int(mine.sum()), float(amounts[mine].sum())


def _best(findings: tuple[Finding, ...]) -> Finding | None:
    """The finding to use first: the one that surely costs most, else the most unusual that does not pay."""
    costly = [one for one in findings if _sure_cost(one) is not None]
    if costly:
        return min(costly, key=lambda one: _sure_cost(one) or 0.0)
    unclear = [one for one in findings if not _pays(one)]
    return unclear[0] if unclear else None


def _sure_cost(finding: Finding) -> float | None:
    cost = finding.deviation.cost
    return cost.mean if cost is not None and cost.interval[1] < 0 else None


def _pays(finding: Finding) -> bool:
    cost = finding.deviation.cost
    return cost is not None and cost.interval[0] > 0


def _statistics(study: ProfileStudy) -> tuple[KeyStatistic, ...]:
    by_name = {TESTED[found.scope.statistic].name: found for found in study.standings}
    shown = [by_name[name] for name in SHOWN_STATISTICS]
    return tuple(
        KeyStatistic(name, None if found.too_few else found.rate, found.n)
        for name, found in zip(SHOWN_STATISTICS, shown, strict=True)
    )
