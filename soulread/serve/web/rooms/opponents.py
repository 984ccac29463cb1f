"""Players of a store on the page: who there is, how each plays, the hands behind every number.

A store is a path or an address; None is the user's own. What was typed comes as fields of a form, in the
words of the command line. Results are plain values, drawings, and parts of pages that other rooms make.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache, partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from soulread import __version__
from soulread.errors import SoulreadError
from soulread.hands.claims import ClaimQuery
from soulread.hands.conditions import Order, counted_statistic, parse_conditions, statistic_called, typed_name
from soulread.hands.people import NO_ROOM, PlayerKey, Remarks
from soulread.hands.statistics import STATISTICS, Statistic, Value
from soulread.hands.store import FORMATS, PlayKind, Query, Store, StoredPlayer, default_store
from soulread.processes import tell_owner
from soulread.serve.web.addresses import claim_address, player_address, replay_address
from soulread.storage.files import write_file
from soulread.study.finding.bounds import StatisticBound, parse_bound
from soulread.study.finding.finding_terminal import headline, occasions_grid, search_grid
from soulread.study.finding.occasions import study_occasions
from soulread.study.finding.played import study_search
from soulread.study.hands.splits import By, parse_by
from soulread.study.hands.statistics import (
    PlayerStudy,
    count_everybody,
    descending,
    study_names,
    study_player,
)
from soulread.study.hands.statistics_terminal import TOO_FEW, number_text
from soulread.study.players.beside import study_beside
from soulread.study.players.hero import meant_player
from soulread.study.players.players_terminal import beside_grid
from soulread.study.players.remarks import remarks_by_player, remarks_of, write_labels, write_note
from soulread.study.players.results import ResultsBy, study_results
from soulread.study.players.results_page import results_page
from soulread.study.profile.counter import DEFAULT_CARDS
from soulread.study.profile.profile import study_profile
from soulread.study.profile.profile_page import ClaimLinks, profile_page

INSIDE = "serve/web/templates/opponents/inside.html"  # what a page of another room extends here
ON_A_PAGE = 50
SHOWN = "VPIP", "PFR", "3-bet", "aggression frequency", "WTSD", "bb/100"
_SHOWN = [one for one in STATISTICS if one.name in SHOWN]
UNKNOWN_ROOM = "-"  # of a field: hands whose room nobody knows
MOST_GROUPS = 60
MOST_PROFILES = 200  # that are kept for a browser: the last ones
MOST_HANDS = 5_000  # of a list that is turned over page by page

Fields = Mapping[str, str]


@contextmanager
def _open(where: str | None, *, write: bool = False) -> Any:
    path = str(default_store()) if where is None else where
    with Store.open(path, read_only=not write) as store:
        yield store


def _whole_number(text: str, name: str, usual: int) -> int:
    """A field that is a number of at least one; ``usual`` if it is empty."""
    if not text:
        return usual
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:12]) <= 10**9:
        raise SoulreadError(f"{name} {text[:20]!r}; it is a number of at least 1")
    return int(text)


def query_of(fields: Fields) -> Query:
    """The hands that the fields mean, as the options of the command line do; ``kind`` is game and format."""
    since, until = (_time(name, fields.get(name, "")) for name in ("since", "until"))
    kind = fields.get("kind", "").partition("/")
    game, format = kind[0] or fields.get("game") or None, kind[2] or fields.get("format") or None
    if format is not None and format not in FORMATS:
        raise SoulreadError(f"the format {format[:20]!r}; there are {' and '.join(FORMATS)}")
    room = fields.get("room") or None
    return Query(
        room="" if room == UNKNOWN_ROOM else room,
        game=game,
        stakes=fields.get("stakes") or None,
        since=since,
        until=until,
        format=format,
    )


def _time(name: str, text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        raise SoulreadError(f"{name} {text[:40]!r}; write a day such as 2009-07-01") from None


def room_field(room: str | None) -> str:
    """A room as a field that `query_of` reads."""
    return UNKNOWN_ROOM if room == "" else room or ""


# Who there is -----------------------------------------------------------------------------------


def listing(where: str | None, fields: Fields) -> dict[str, Any]:
    """The players of a store, a page of them: by the most hands, or with statistics that are so or sorted."""
    if where is None and not default_store().exists():
        return {"there": False, "store": str(default_store())}
    number = _whole_number(fields.get("page", ""), "page", 1)
    least = _whole_number(fields.get("least", ""), "hands", 1)
    bounds = [parse_bound(text) for text in fields.get("where", "").split(",") if text.strip()]
    sort = counted_statistic(fields["sort"]) if fields.get("sort") else None
    with _open(where) as store:
        room, rooms = query_of({"room": fields.get("room", "")}).room, store.rooms()
        known = _known(store.name, store.fingerprint(remarks=False), room)
        search, label = fields.get("q", ""), fields.get("label", "")
        named = study_names(store, room, search=search, label=label, least=least, among=known.players)
        remarks = remarks_by_player(store, room)
        kind = _kind_called(fields.get("kind", ""), [kind for kind, _ in known.kinds])
        groups = {} if kind is None else known.groups(store, kind)
        players = list(named.players)
        for bound in bounds:
            players = [one for one in players if _holds(bound, groups.get(_key(one)))]
        if sort is not None:
            players.sort(key=lambda one: _place(sort, groups.get(_key(one))))
        shown = players[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
        return {
            "there": True,
            "store": store.name,
            "hands": len(store),
            "rooms": [(room_field(one), one or NO_ROOM) for one in rooms],
            "kinds": [(_kind_text(kind), kind.name, hands) for kind, hands in known.kinds],
            "kind": "" if kind is None else _kind_text(kind),
            "kind_name": "" if kind is None else kind.name,
            "count": len(players),
            "all": len(known.players),
            "page": number,
            "pages": -(-len(players) // ON_A_PAGE),
            "statistics": SHOWN,
            "sorts": [(typed_name(one.name), one.name) for one in STATISTICS],
            "labels": sorted({label for one in store.people().remarks for label in one.labels}),
            "players": [_line(one, groups.get(_key(one)), remarks, rooms) for one in shown],
        }


Values = Callable[[Statistic], Value]  # the statistics of one player


@dataclass(frozen=True)
class _Known:
    """What stays while somebody turns the pages of a list: a store at one time, or a room of it."""

    room: str | None
    players: list[StoredPlayer]
    kinds: list[tuple[PlayKind, int]]
    _counted: dict[PlayKind, dict[PlayerKey, Values]] = field(default_factory=dict)

    def groups(self, store: Store, kind: PlayKind) -> dict[PlayerKey, Values]:
        """The statistics of everybody in a kind of game, by name and room."""
        if kind not in self._counted:
            counted = count_everybody(store, Query(room=self.room).of_kind(kind))
            names, rooms = store.names(), store.player_rooms()
            self._counted[kind] = {
                (names[number], rooms[number]): partial(counted.value, number)
                for number in np.flatnonzero(counted.hands).tolist()
            }
        return self._counted[kind]


def _key(player: StoredPlayer) -> PlayerKey:
    return player.name, player.room


def _holds(bound: StatisticBound, values: Values | None) -> bool:
    return values is not None and bound.holds(values(bound.statistic))


def _place(sort: Statistic, values: Values | None) -> float:
    return inf if values is None else descending(values(sort))


@lru_cache(maxsize=2)
def _known(where: str, fingerprint: str, room: str | None) -> _Known:
    """``fingerprint`` is of the hands."""
    with Store.open(where, read_only=True) as store:
        return _Known(room, store.players(room), store.play_kinds(Query(room=room)))


def _line(
    player: StoredPlayer, values: Values | None, remarks: Mapping[PlayerKey, Remarks], rooms: Sequence[str]
) -> dict[str, Any]:
    told = remarks.get(_key(player))
    return {
        "name": player.name,
        "room": player.room,
        "room_field": room_field(player.room) if player.room in rooms else "",  # a person may have several
        "hands": player.hands,
        "last": "" if player.last is None else f"{player.last:%Y-%m-%d}",
        "cells": ["–" if values is None else _cell(values(one)) for one in _SHOWN],
        "labels": () if told is None else told.labels,
        "note": "" if told is None else told.note,
    }


def _cell(value: Value) -> str:
    return "–" if value.value is None or value.too_few else number_text(value, value.value)


def _kind_text(kind: PlayKind) -> str:
    return f"{kind.game}/{kind.format}"


def _kind_called(text: str, kinds: Sequence[PlayKind]) -> PlayKind | None:
    """The kind of game of a field; the one with the most hands if it is empty."""
    if not text:
        return kinds[0] if kinds else None
    found = next((kind for kind in kinds if _kind_text(kind) == text), None)
    if found is None:
        raise SoulreadError(f"there are no hands of the kind {text[:40]!r}")
    return found


# One player -------------------------------------------------------------------------------------


def player(where: str | None, fields: Fields) -> dict[str, Any]:
    """What stands above every page about a player: the name, hands, kinds of game, note and labels."""
    with _open(where) as store:
        name, query = meant_player(store, fields.get("player", ""), query_of(fields))
        found = store.player(name, query.room)
        remarks = remarks_of(store, name, query.room)
        kinds = store.play_kinds(Query(player=name, room=query.room))
        return {
            "name": name,
            "room": room_field(query.room),
            "rooms": [one for one in found.rooms if one],
            "hands": found.hands,
            "kinds": [(_kind_text(kind), kind.name, hands) for kind, hands in kinds],
            "limit": any(kind.game == "limit" for kind, _ in kinds),
            "note": remarks.note,
            "labels": remarks.labels,
            "store": store.name,
        }


def write(where: str | None, fields: Fields, note: str | None, label: str, remove: str) -> None:
    """Keep a note, add labels or take one away."""
    with _open(where, write=True) as store:
        name, query = meant_player(
            store, fields.get("player", ""), query_of({"room": fields.get("room", "")})
        )
        if note is not None:
            write_note(store, name, note, query.room)
        if label.strip():
            write_labels(store, name, label.split(","), query.room)
        if remove:
            write_labels(store, name, [remove], query.room, remove=True)


def profile_key(where: str | None, fields: Fields) -> str:
    """The name of a profile on the disk: a digest of the hands of the store and of what is asked."""
    with _open(where) as store:
        name, query = meant_player(store, fields.get("player", ""), query_of(fields))
        deep, least = bool(fields.get("deep")), _whole_number(fields.get("least", ""), "regulars", 500)
        asked = [__version__, store.name, store.fingerprint(remarks=False), name, repr(query), deep, least]
    return hashlib.blake2b(json.dumps(asked).encode(), digest_size=16).hexdigest()


def profile(arguments: Mapping[str, Any]) -> None:
    """Make the profile of a player, and keep it as a part of a page; a job."""
    fields: Fields = arguments["fields"]
    with _open(arguments["where"]) as store:
        name, query = meant_player(store, fields.get("player", ""), query_of(fields))
        study = study_profile(
            store,
            name,
            query,
            least=_whole_number(fields.get("least", ""), "regulars", 500),
            cards=DEFAULT_CARDS if fields.get("deep") else None,
            tell=lambda words: tell_owner({"line": f"{words} ..."}),
        )
    made = profile_page(study, INSIDE, links=links_of(fields))
    kept = Path(arguments["kept"])
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_file(kept, str(made).encode())
    others = sorted(kept.parent.glob("*.html"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in others[MOST_PROFILES:]:
        old.unlink(missing_ok=True)


def links_of(fields: Fields) -> ClaimLinks:
    """Where claims about a player lead on the page."""
    store = fields.get("store", "")

    def hands(claim: ClaimQuery) -> str:
        return claim_address(store, **_asked(claim.player, claim.query, claim.statistic, claim.words))

    def replay(number: int) -> str:
        return replay_address(store, number, fields.get("player", ""))

    return ClaimLinks(hands, replay)


def _asked(player: str, query: Query, statistic: str | None, words: Sequence[str]) -> dict[str, str]:
    """The fields of the page of hands that mean the same hands."""
    kind = query.kind
    return {
        "player": player,
        "room": room_field(query.room),
        "game": query.game or ("" if kind is None else kind.game),
        "format": query.format or ("" if kind is None else kind.format),
        "stakes": query.stakes or "",
        "since": "" if query.since is None else query.since.isoformat(),
        "until": "" if query.until is None else query.until.isoformat(),
        "stat": "" if statistic is None else typed_name(statistic),
        "words": " ".join(words),
    }


def results(where: str | None, fields: Fields) -> dict[str, str]:
    """The results of a player as a part of a page, and where the hands behind them are."""
    by = fields.get("by", "")
    if by and by not in [one.value for one in ResultsBy]:
        raise SoulreadError(f"there are no results by {by[:20]!r}")
    with _open(where) as store:
        name, query = meant_player(store, fields.get("player", ""), query_of(fields))
        key = store.name, store.fingerprint(remarks=False)
    part, kind = _results(*key, name, query, ResultsBy(by) if by else None)
    asked = _asked(name, query.of_kind(kind), None, ())
    ways = {order: claim_address(fields.get("store", ""), **asked, sort=order) for order in ("won", "-won")}
    return {"part": part, "most": ways["won"], "least": ways["-won"]}


@lru_cache(maxsize=20)
def _results(
    where: str, fingerprint: str, name: str, query: Query, by: ResultsBy | None
) -> tuple[str, PlayKind]:
    """``fingerprint`` is of the hands."""
    with Store.open(where, read_only=True) as store:
        study = study_results(store, name, query, by)
    return str(results_page(study, INSIDE)), study.kind


def statistics(where: str | None, fields: Fields) -> dict[str, Any]:
    """All statistics of a player, also in groups of hands, each with the way to its occasions."""
    by = parse_by([fields["by"]] if fields.get("by") else [])
    with _open(where) as store:
        name, query = meant_player(store, fields.get("player", ""), query_of(fields))
        key = store.name, store.fingerprint(remarks=False)
    study = _statistics(*key, name, query, by)
    return {
        "groups": [one.value for one in By],
        "notes": study.notes,
        "kinds": [_kind_table(study, number, fields.get("store", "")) for number in range(len(study.kinds))],
    }


@lru_cache(maxsize=20)
def _statistics(where: str, fingerprint: str, name: str, query: Query, by: tuple[By, ...]) -> PlayerStudy:
    """``fingerprint`` is of the hands."""
    with Store.open(where, read_only=True) as store:
        return study_player(store, name, query, by, pool=not by)


def _kind_table(study: PlayerStudy, number: int, store: str) -> dict[str, Any]:
    one = study.kinds[number]
    query = study.query.of_kind(one.kind)
    groups = one.groups[:MOST_GROUPS]
    rows = []
    for place, line in enumerate(one.lines):
        statistic = line.value.statistic
        columns: list[tuple[tuple[str, ...], Value, bool]] = [((), line.value, line.too_few)]
        columns += [(group.words, group.values[place], group.values[place].too_few) for group in groups]
        cells = []
        for words, value, few in columns:
            asked = _asked(study.player, query, statistic.name, words)
            cells.append(
                {
                    "text": "–" if few or value.value is None else number_text(value, value.value),
                    "under": _under(value, few),
                    "href": claim_address(store, **asked) if value.n else "",
                    "few": few,
                }
            )
        place_text = ""
        if line.standing is not None and line.standing.percentile is not None and not line.too_few:
            place_text = f"{line.standing.percentile:.0f}"
        rows.append(
            {"name": statistic.name, "about": statistic.about, "cells": cells, "percentile": place_text}
        )
    return {
        "name": one.kind.name,
        "hands": one.hands,
        "columns": ["all hands", *(group.name for group in groups)],
        "counts": [one.hands, *(group.hands for group in groups)],
        "more": len(one.groups) - len(groups),
        "placed": any(row["percentile"] for row in rows),
        "rows": rows,
    }


def _under(value: Value, few: bool) -> str:
    """The small print of a statistic: its interval, and the chances."""
    if few or value.value is None:
        return f"n {value.n:,}" if value.n else ""
    low, high = value.interval
    return f"{number_text(value, low)} to {number_text(value, high)}, n {value.n:,}"


# Hands ------------------------------------------------------------------------------------------


def hands(where: str | None, fields: Fields) -> dict[str, Any]:
    """The hands that fulfil the words, or the occasions of a statistic; a page of them."""
    number = _whole_number(fields.get("page", ""), "page", 1)
    if number * ON_A_PAGE > MOST_HANDS:
        raise SoulreadError(f"page {number}; at most {MOST_HANDS:,} are listed, so narrow it down")
    words = tuple(fields.get("words", "").split())
    order = _order(fields.get("sort", ""))
    taken = {"": None, "yes": True, "no": False}.get(fields.get("taken", ""))
    first, last = (number - 1) * ON_A_PAGE, number * ON_A_PAGE
    with _open(where) as store:
        asked, query = fields.get("player") or None, query_of(fields)
        if asked is not None:
            asked, query = meant_player(store, asked, query)
        if fields.get("stat"):
            if asked is None:
                raise SoulreadError("the occasions of a statistic are those of one player; say whose")
            statistic = statistic_called(fields["stat"])
            study = study_occasions(
                store, asked, statistic, words, query, taken=taken, order=order, limit=last
            )
            grid = occasions_grid(study, order) if study.occasions else None
            count: int | None = study.listed
            numbers = [one.played.number for one in study.occasions]
            lead = f"{statistic.name}: {statistic.about}."
            told = [
                f"{kind.name}: {headline(value)}" if len(study.kinds) > 1 else headline(value)
                for kind, _, value in study.kinds
            ]
        else:
            meant = Query(**{**query.__dict__, "player": asked})
            search = parse_conditions(words, asked).search(store, meant, order)
            found = study_search(search, asked, last)
            grid = search_grid(found, order) if found.hands else None
            count = found.count
            numbers = [one.number for one in found.hands]
            lead, told = "", []
    return {
        "columns": () if grid is None else grid.columns,
        "left": set() if grid is None else grid.left,
        "rows": [] if grid is None else grid.rows[first:last],
        "numbers": numbers[first:last],
        "count": count,
        "more": len(numbers) == last and (count is None or count > last),
        "lead": lead,
        "told": told,
        "sorts": [one.value for one in Order],
        "statistics": [(typed_name(one.name), one.name) for one in STATISTICS],
        "page": number,
    }


def _order(text: str) -> Order | None:
    try:
        return Order(text) if text else None
    except ValueError:
        known = ", ".join(one.value for one in Order)
        raise SoulreadError(f"hands are not sorted by {text[:20]!r}; there are {known}") from None


# Two players ------------------------------------------------------------------------------------


def beside(where: str | None, fields: Fields) -> dict[str, Any]:
    """Two players side by side, with the hands behind each value."""
    store_field = fields.get("store", "")
    with _open(where) as store:
        first = meant_player(store, fields.get("player", ""), query_of(fields))
        other_fields = {**fields, "room": fields.get("other_room", "")}
        second = meant_player(store, fields.get("other", ""), query_of(other_fields))
        study = study_beside(store, first, second)
    grid = beside_grid(study)
    rows = []
    for cells, one in zip(grid.rows, study.differences, strict=True):
        ways = [
            claim_address(store_field, **_asked(name, query, one.first.statistic.name, ()))
            for name, query in zip((study.first, study.second), study.queries, strict=True)
        ]
        rows.append({"cells": cells, "ways": ways, "sure": one.sure, "few": one.too_few})
    return {
        "columns": grid.columns,
        "rows": rows,
        "lead": study.lead,
        "kind": study.kind.name,
        "names": (study.first, study.second),
        "hands": study.hands,
        "homes": [
            player_address(store_field, name, room_field(query.room))
            for name, query in zip((study.first, study.second), study.queries, strict=True)
        ],
        "few": TOO_FEW,
    }
