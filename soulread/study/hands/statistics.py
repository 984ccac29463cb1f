"""The statistics of players in a store, with intervals, by groups, and beside everybody else's.

Hands of limit and no-limit games, and those of cash games and tournaments, are never added up: a big blind
is not worth the same in them, and a rate of one says nothing about the other. Whoever has played several
kinds of game has statistics of each (`soulread.hands.store.PlayKind`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.hands.conditions import shell_line
from soulread.hands.people import Remarks
from soulread.hands.statistics import Statistic, Tally, Value, tally
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store, StoredPlayer
from soulread.report.shown import ShownTable, table_rows
from soulread.study.finding.bounds import StatisticBound
from soulread.study.hands.splits import LEAST_MET, By, Splits, met_opponents
from soulread.study.players.remarks import PlayerRemarks, remarks_by_player, remarks_of
from soulread.study.profile.population import (
    REGULAR_HANDS,
    TESTED,
    WHOLE,
    PoolStanding,
    Population,
    shares_record,
)


@dataclass(frozen=True)
class PlayerStatistic:
    """One statistic of a player, and where the player stands among the regular players if that is asked.

    Amounts and the aggression factor have no standing: amounts are largely luck, and the factor says the same
    as the aggression frequency.
    """

    value: Value
    standing: PoolStanding | None = None

    JSON = keys(
        "*value too_few",
        about="value.statistic.about",
        pool=lambda line: (
            None
            if line.standing is None
            else {
                "players": line.players,
                "spread": shares_record(line.shares),
                "percentile": line.standing.percentile,
            }
        ),
    )

    @property
    def too_few(self) -> bool:
        """Whether the interval says nothing: it is wide, or holds nearly all regular players."""
        return self.value.too_few or (self.standing is not None and self.standing.too_few)

    @property
    def players(self) -> int:
        """Regular players with a chance."""
        return 0 if self.standing is None or self.standing.spread is None else self.standing.spread.regulars

    @property
    def shares(self) -> tuple[float, ...]:
        """Rates of the regular players at `SHARES`, in the player's own seats; empty if not known."""
        found = self.standing
        return () if found is None or found.spread is None else found.spread.quantiles(found.chances)


@dataclass(frozen=True)
class HandGroup:
    """The statistics of a player in one group of hands."""

    names: tuple[str, ...]  # one for each way to group them
    words: tuple[str, ...]  # conditions that find its hands
    hands: int
    values: tuple[Value, ...]
    settled: frozenset[str]  # names of statistics that are 0% or 100% by definition

    JSON = keys(
        group="name",
        parts="names",
        query="words",
        hands="hands",
        statistics=lambda one: [
            {**plain_data(value), "by_definition": one.is_settled(value)} for value in one.values
        ],
    )

    @property
    def name(self) -> str:
        """The group in words."""
        return ", ".join(self.names)

    def is_settled(self, value: Value) -> bool:
        """Whether a statistic of the group is 0% or 100% by definition."""
        return value.n > 0 and value.count in (0, value.n) and value.statistic.name in self.settled


@dataclass(frozen=True)
class KindStatistics:
    """The statistics of a player in one kind of game, over all its hands and in each group."""

    kind: PlayKind
    hands: int
    lines: tuple[PlayerStatistic, ...]
    groups: tuple[HandGroup, ...]
    fewer: int = 0  # opponents met less often, of whom there is no group

    JSON = keys("*kind hands", statistics="lines", groups="groups", opponents_met_less="fewer")


@dataclass(frozen=True, repr=False)
class PlayerStudy(ShownTable):
    """The statistics of a player in each kind of game, the one with the most hands first."""

    LINE = "{it.player}, {it.hands:,} hands"
    TABLE = "statistics"

    player: str
    room: str
    hands: int
    by: tuple[By, ...]
    kinds: tuple[KindStatistics, ...]
    query: Query  # the hands that were meant
    store: str  # its path or address
    remarks: PlayerRemarks

    JSON = keys(
        "player room hands by notes kinds",
        statistics="lines",
        groups="groups",
        note="remarks.note",
        labels="remarks.labels",
    )

    def command(self, one: KindStatistics, group: HandGroup, statistic: str) -> str:
        """The line for a shell that lists the occasions of a statistic in a group of a kind of game."""
        meant = self.query.of_kind(one.kind) if len(self.kinds) > 1 else self.query
        return shell_line(self.player, statistic, group.words, meant, store=self.store)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be known to read the groups, in sentences."""
        return tuple(by.note for by in self.by if by.note)

    @property
    def lines(self) -> tuple[PlayerStatistic, ...]:
        """The statistics of the only kind of game; empty if there are several."""
        return self.kinds[0].lines if len(self.kinds) == 1 else ()

    @property
    def groups(self) -> tuple[HandGroup, ...]:
        """The groups of the only kind of game; empty if there are several."""
        return self.kinds[0].groups if len(self.kinds) == 1 else ()

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return a row for each statistic of each kind of game: over all hands, and then in each group.

        A column for each of `by` has the group; over all hands it is empty.
        """
        rows: list[dict[str, Any]] = []
        for one in self.kinds:
            head = {"player": self.player, "room": self.room, **plain_data(one.kind)}
            everything = dict.fromkeys(by.value for by in self.by)
            rows += [{**head, **everything, "hands": one.hands, **plain_data(line)} for line in one.lines]
            for group in one.groups:
                record = plain_data(group)
                names = dict(zip(everything, group.names, strict=True))
                rows += [{**head, **names, "hands": group.hands, **line} for line in record["statistics"]]
        left_out = {"about", "pool"}  # if the pool was asked for there are columns such as "pool.players"
        return [{name: row[name] for name in row if name not in left_out} for row in table_rows(rows)]


@dataclass(frozen=True)
class TableRow:
    """The statistics of a player in one kind of game."""

    player: str
    room: str
    kind: PlayKind
    hands: int
    values: tuple[Value, ...]

    JSON = keys("player room *kind hands", statistics="values")

    def to_row(self) -> dict[str, Any]:
        """Return the row of a sheet: values, then the chances of each, then intervals."""
        head = {"player": self.player, "room": self.room, "game": self.kind.game, "format": self.kind.format}
        records = [(value.statistic.name, plain_data(value)) for value in self.values]
        values = {name: record["value"] for name, record in records}
        chances = {f"{name} n": record["n"] for name, record in records}
        ends = {f"{name} {end}": record[end] for name, record in records for end in ("low", "high")}
        return {**head, "hands": self.hands, **values, **chances, **ends}


@dataclass(frozen=True, repr=False)
class TableStudy(ShownTable):
    """The statistics of everybody, a row for each kind of game a player has played.

    The kind of game with the most hands comes first, and in each kind those with the most hands.
    """

    LINE = "{it.num_players:,} players"
    TABLE = "players"

    num_players: int  # with hands enough in some kind of game
    kinds: tuple[tuple[PlayKind, int], ...]  # kinds of game, and how many players have hands enough in each
    rows: tuple[TableRow, ...]  # those shown

    JSON = keys(
        "num_players",
        players="rows",
        kinds=lambda study: [
            {"game": kind.game, "format": kind.format, "num_players": players}
            for kind, players in study.kinds
        ],
    )

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return a row for each player and kind of game, with columns for each statistic."""
        return [row.to_row() for row in self.rows]

    def top(self, count: int) -> "TableStudy":
        """Return the same with ``count`` rows of each kind at most."""
        kept = [[row for row in self.rows if row.kind == kind][:count] for kind, _ in self.kinds]
        return replace(self, rows=tuple(chain.from_iterable(kept)))


@dataclass(frozen=True, repr=False)
class PlayersStudy(ShownTable):
    """The players of a store, those with the most hands first."""

    LINE = "{it.num_players:,} players"
    TABLE = "players"

    num_players: int  # in the store, or in its room
    players: tuple[StoredPlayer, ...]  # those shown

    JSON = keys("num_players players")

    def top(self, count: int) -> "PlayersStudy":
        """Return the same with ``count`` players at most."""
        return replace(self, players=self.players[:count])

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return a row for each player: room, hands, and when the first and the last were played."""
        return [
            {name: record[name] for name in ("player", "room", "hands", "first", "last")}
            for record in plain_data(self.players)
        ]


def study_names(
    store: Store,
    room: str | None = None,
    top: int | None = None,
    *,
    search: str = "",
    label: str = "",
    least: int = 1,
    among: Sequence[StoredPlayer] | None = None,
) -> PlayersStudy:
    """The players of a store, or of one of its rooms; with ``top`` only those with the most hands.

    ``search`` is a part of a name or of a note, whatever the case; ``label`` is one that they have. A player
    has at least ``least`` hands. ``among`` are all its players, where they are known already.
    """
    everybody = store.players(room) if among is None else among
    found = [player for player in everybody if player.hands >= least]
    if search or label:
        part, told = search.casefold(), remarks_by_player(store, room)
        nothing = Remarks(("", ""))
        found = [
            player
            for player in found
            for own in [told.get((player.name, player.room), nothing)]
            if (not label or label in own.labels)
            and (part in player.name.casefold() or part in own.note.casefold())
        ]
    return PlayersStudy(len(found), tuple(found[:top]))


def study_player(
    store: Store,
    player: str,
    query: Query = EVERYTHING,
    by: Sequence[By] = (),
    *,
    pool: bool = False,
    least: int = REGULAR_HANDS,
    least_met: int = LEAST_MET,
) -> PlayerStudy:
    """All statistics of one player in each kind of game and, with ``by``, in each group of hands.

    With ``pool`` the player is placed among everybody else with at least ``least`` hands, as in a profile. An
    opponent is a group from ``least_met`` common hands on.
    """
    kinds = store.play_kinds(replace(query, player=player))
    if not kinds:
        raise SoulreadError(f"there are no such hands of {player!r} in {store.name!r}")
    found = store.player(player, query.room)
    studied = []
    for kind, _ in kinds:
        meant = query.of_kind(kind)
        met = met_opponents(store, meant, found.number, least_met) if By.OPPONENT in by else None
        one = _study_kind(store, found.number, meant, kind, Splits(tuple(by), met))
        studied.append(_placed(one, store, found.number, meant, least) if pool else one)
    return PlayerStudy(
        player=player,
        room=found.room,
        hands=sum(hands for _, hands in kinds),
        by=tuple(by),
        kinds=tuple(studied),
        query=query,
        store=store.name,
        remarks=remarks_of(store, player, query.room),
    )


def _study_kind(store: Store, number: int, query: Query, kind: PlayKind, splits: Splits) -> KindStatistics:
    places: dict[tuple[int, ...], int] = {}  # codes of a group -> its place in the tally; 0 is for all hands
    counted = Tally.empty(1)
    for _, facts in store.facts(query, players=[number]):
        counted.add(facts, np.zeros(facts.seats.size, np.int64))
        if splits.by:
            rows, codes = splits.groups(facts.seats)
            counted.add(facts.take(rows), _places(codes, places))
    hands = counted.hands.tolist()
    return KindStatistics(
        kind=kind,
        hands=hands[0],
        lines=tuple(PlayerStatistic(value) for value in counted.values(0)),
        groups=tuple(
            HandGroup(
                names=splits.names(codes),
                words=splits.words(codes),
                hands=hands[place],
                values=counted.values(place),
                settled=splits.settled(codes),
            )
            for codes, place in sorted(places.items())
        ),
        fewer=0 if splits.met is None else splits.met.fewer,
    )


def _placed(one: KindStatistics, store: Store, number: int, query: Query, least: int) -> KindStatistics:
    """The same, and where the player stands among everybody with ``least`` hands."""
    standings = Population(lambda: store.facts(query), [number], least).rank(number, WHOLE).standings
    known = dict(zip(TESTED, standings, strict=False))
    return replace(
        one, lines=tuple(replace(line, standing=known.get(line.value.statistic)) for line in one.lines)
    )


def study_players(
    store: Store,
    query: Query = EVERYTHING,
    least: int = 1,
    top: int | None = None,
    *,
    where: Sequence[StatisticBound] = (),
    sort: Statistic | None = None,
) -> TableStudy:
    """All statistics of everybody with at least ``least`` hands of a kind of game.

    ``where`` leaves only players whose statistics are so. Those with the highest value of ``sort`` come
    first, and those with too few chances of it last; without it, those with the most hands. With ``top``
    only so many rows of each kind are made.
    """
    names, rooms = store.names(), store.player_rooms()
    rows: list[TableRow] = []
    kinds = []
    players: set[int] = set()
    for kind, _ in store.play_kinds(replace(query, player=None)):
        counted = count_everybody(store, query.of_kind(kind))
        hands = counted.hands.tolist()
        enough = [number for number, count in enumerate(hands) if count >= max(1, least)]
        if where:
            enough = [
                number
                for number in enough
                if all(one.holds(counted.value(number, one.statistic)) for one in where)
            ]
        order = sorted((-hands[number], names[number], rooms[number], number) for number in enough)
        if sort is not None:
            order.sort(key=lambda row: descending(counted.value(row[3], sort)))
        rows += [
            TableRow(name, room, kind, -fewer, counted.values(number))
            for fewer, name, room, number in order[:top]
        ]
        kinds.append((kind, len(order)))
        players.update(enough)
    return TableStudy(len(players), tuple(kinds), tuple(rows))


def descending(found: Value) -> float:
    """What sorts players by a statistic: the highest first, those of whom too little is known last."""
    return inf if found.value is None or found.too_few else -found.value


def count_everybody(store: Store, query: Query = EVERYTHING) -> Tally:
    """The counts of everybody; a group is the number of a player."""
    return tally((facts, owners) for owners, facts in store.facts(query))


def _places(codes: NDArray[np.int64], known: dict[tuple[int, ...], int]) -> NDArray[np.int64]:
    """The place of each row of codes; new ones get the next, from 1."""
    different, which = np.unique(codes, axis=0, return_inverse=True)
    places = [known.setdefault(tuple(row), len(known) + 1) for row in different.tolist()]
    return np.array(places, np.int64)[which.reshape(-1)]
