"""The statistics of players in a store, with intervals, by groups, and beside everybody else's.

Hands of limit and no-limit games, and those of cash games and tournaments, are never added up: a big blind
is not worth the same in them, and a rate of one says nothing about the other. Whoever has played several
kinds of game has statistics of each (`soulread.hands.store.PlayKind`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.hands.facts import NO_TIME, POSITIONS, Rows
from soulread.hands.statistics import Tally, Value, tally
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store, StoredPlayer
from soulread.report.shown import ShownTable, table_rows
from soulread.study.profile.population import (
    REGULAR_HANDS,
    TESTED,
    WHOLE,
    PoolStanding,
    Population,
    shares_record,
)

_STACKS = (20, 40, 80, 120)  # big blinds, between the groups
_NO_MONTH = -(2**31)


class By(StrEnum):
    """The groups into which hands are divided."""

    POSITION = "position"
    PLAYERS = "players"
    STACK = "stack"
    MONTH = "month"


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


Group = tuple[str, int, tuple[Value, ...]]  # name, hands and statistics


@dataclass(frozen=True)
class KindStatistics:
    """The statistics of a player in one kind of game, over all its hands and in each group."""

    kind: PlayKind
    hands: int
    lines: tuple[PlayerStatistic, ...]
    groups: tuple[Group, ...]

    JSON = keys("*kind hands", statistics="lines", groups=lambda one: _group_records(one.groups))


def _group_records(groups: Sequence[Group]) -> list[dict[str, Any]]:
    return [{"group": name, "hands": hands, "statistics": values} for name, hands, values in groups]


@dataclass(frozen=True, repr=False)
class PlayerStudy(ShownTable):
    """The statistics of a player in each kind of game, the one with the most hands first."""

    LINE = "{it.player}, {it.hands:,} hands"
    TABLE = "statistics"

    player: str
    room: str
    hands: int
    by: By | None
    kinds: tuple[KindStatistics, ...]

    JSON = keys(
        "player room hands by kinds",
        statistics="lines",
        groups=lambda study: _group_records(study.groups),
    )

    @property
    def lines(self) -> tuple[PlayerStatistic, ...]:
        """The statistics of the only kind of game; empty if there are several."""
        return self.kinds[0].lines if len(self.kinds) == 1 else ()

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of the only kind of game; empty if there are several."""
        return self.kinds[0].groups if len(self.kinds) == 1 else ()

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return a row for each statistic of each kind of game: over all hands, and then in each group.

        The column that `by` names has the group; over all hands it is empty.
        """
        whose = {"player": self.player, "room": self.room}
        rows: list[dict[str, Any]] = []
        for one in self.kinds:
            kind = {**whose, "game": one.kind.game, "format": one.kind.format}
            lines = [(None, line) for line in one.lines]
            lines += [(name, PlayerStatistic(value)) for name, _, values in one.groups for value in values]
            for name, line in lines:
                group = {} if self.by is None else {self.by.value: name}
                rows.append({**kind, **group, **plain_data(line)})
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


def study_names(store: Store, room: str | None = None, top: int | None = None) -> PlayersStudy:
    """The players of a store, or of one of its rooms; with ``top`` only those with the most hands."""
    found = store.players(room)
    return PlayersStudy(len(found), tuple(found[:top]))


def study_player(
    store: Store,
    player: str,
    query: Query = EVERYTHING,
    by: By | None = None,
    *,
    pool: bool = False,
    least: int = REGULAR_HANDS,
) -> PlayerStudy:
    """All statistics of one player in each kind of game and, with ``by``, in each group of hands.

    With ``pool`` the player is placed among everybody else with at least ``least`` hands, as in a profile.
    """
    kinds = store.play_kinds(replace(query, player=player))
    if not kinds:
        raise SoulreadError(f"there are no such hands of {player!r} in {store.name!r}")
    found = store.player(player, query.room)
    return PlayerStudy(
        player,
        found.room,
        sum(hands for _, hands in kinds),
        by,
        tuple(_study_kind(store, found.number, query, kind, by, pool, least) for kind, _ in kinds),
    )


def _study_kind(
    store: Store, number: int, query: Query, kind: PlayKind, by: By | None, pool: bool, least: int
) -> KindStatistics:
    query = query.of_kind(kind)
    groups: dict[int, int] = {}  # code of a group -> its place in the tally, from 1; 0 is for all hands
    counted = Tally.empty(1)
    for _, facts in store.facts(query, players=[number]):
        counted.add(facts, np.zeros(facts.seats.size, np.int64))
        if by is not None:
            counted.add(facts, _places(_CODES[by](facts.seats), groups))
    hands = counted.hands.tolist()
    values = counted.values(0)
    standings: tuple[PoolStanding, ...] = ()
    if pool:
        standings = Population(lambda: store.facts(query), [number], least).rank(number, WHOLE).standings
    known = dict(zip(TESTED, standings, strict=False))
    return KindStatistics(
        kind=kind,
        hands=hands[0],
        lines=tuple(PlayerStatistic(value, known.get(value.statistic)) for value in values),
        groups=tuple(
            (_name(by, code), hands[place], counted.values(place))
            for code, place in sorted(groups.items())
            if by is not None
        ),
    )


def study_players(
    store: Store, query: Query = EVERYTHING, least: int = 1, top: int | None = None
) -> TableStudy:
    """All statistics of everybody with at least ``least`` hands of a kind of game.

    With ``top`` only so many rows of each kind are made.
    """
    names, rooms = store.names(), store.player_rooms()
    rows: list[TableRow] = []
    kinds = []
    players: set[int] = set()
    for kind, _ in store.play_kinds(replace(query, player=None)):
        counted = count_everybody(store, query.of_kind(kind))
        hands = counted.hands.tolist()
        enough = [number for number, count in enumerate(hands) if count >= max(1, least)]
        order = sorted((-hands[number], names[number], rooms[number], number) for number in enough)
        rows += [
            TableRow(name, room, kind, -fewer, counted.values(number))
            for fewer, name, room, number in order[:top]
        ]
        kinds.append((kind, len(order)))
        players.update(enough)
    return TableStudy(len(players), tuple(kinds), tuple(rows))


def count_everybody(store: Store, query: Query = EVERYTHING) -> Tally:
    """The counts of everybody; a group is the number of a player."""
    return tally((facts, owners) for owners, facts in store.facts(query))


def _places(codes: NDArray[np.int64], known: dict[int, int]) -> NDArray[np.int64]:
    """The place of each code; new ones get the next, from 1."""
    different, which = np.unique(codes, return_inverse=True)
    places = [known.setdefault(int(code), len(known) + 1) for code in different]
    return np.array(places, np.int64)[which]


def _stack_codes(seats: Rows) -> NDArray[np.int64]:
    codes = np.digitize(seats["stack"], _STACKS)
    return np.where(np.isnan(seats["stack"]), len(_STACKS) + 1, codes)


def _month_codes(seats: Rows) -> NDArray[np.int64]:
    known = seats["time"] != NO_TIME
    months = np.where(known, seats["time"], 0).astype("datetime64[s]").astype("datetime64[M]")
    return np.where(known, months.astype(np.int64), _NO_MONTH)


_CODES: dict[By, Callable[[Rows], NDArray[np.int64]]] = {
    By.POSITION: lambda seats: seats["position"].astype(np.int64),
    By.PLAYERS: lambda seats: seats["players"].astype(np.int64),
    By.STACK: _stack_codes,
    By.MONTH: _month_codes,
}


def _name(by: By, code: int) -> str:
    """A group in words."""
    match by:
        case By.POSITION:
            return POSITIONS[code]
        case By.PLAYERS:
            return f"{code} players"
        case By.STACK:
            if code > len(_STACKS):
                return "no stacks"
            low = f"{_STACKS[code - 1]}" if code else "0"
            return f"{low}+ bb" if code == len(_STACKS) else f"{low}-{_STACKS[code]} bb"
        case By.MONTH:
            return "no time" if code == _NO_MONTH else str(np.datetime64(code, "M"))
