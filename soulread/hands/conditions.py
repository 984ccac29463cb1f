"""Conditions that a user types to find hands: ``3bet-pot ip line=bet-bet-check pot>=50``.

All conditions must hold, and ``not-`` before a word turns it round. Amounts are in big blinds, sizes of bets
in percent of the pot, days in UTC. Some are about one player, who must be given. The others are about this
player too; without one, somebody must have done so, for each condition perhaps another.

A statistic's name (`soulread.hands.statistics`) means the hands in which the player did it, ``chance:``
before it those in which the player could: ``chance:3bet not-3bet``. Blanks, dashes and capitals of a name do
not matter. `soulread.hands.lines` says how lines are written.

``#7`` is the hand of that number in the store, ``#7,9`` either of two; ``id:`` is the room's number of a
hand, ``table:`` the name of a table. Any other word is looked up as an id or a table, and refused if no hand
has it.

Conditions about actions, amounts, times and rooms are answered from the facts of the store. Only hands that
fulfil them are read. `shell_line` writes the command that finds the same hands.
"""

import fnmatch
import operator
import re
import shlex
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import parse_cards
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import limit_holdem
from soulread.hands.facts import (
    CALLED,
    FOUR_BET,
    IN_POSITION,
    LIMPED,
    NO_TIME,
    OUT_OF_POSITION,
    POSITIONS,
    RAISED,
    SEAT,
    SINGLE_RAISED,
    THREE_BET,
    WALK,
    Facts,
    Rows,
    seconds_of_time,
)
from soulread.hands.hand import Hand
from soulread.hands.lines import STREETS, parse_line, street_letters
from soulread.hands.played import PLAYED, all_in_round, all_known, cards_of, follows, played_at
from soulread.hands.statistics import STATISTICS, Columns, Occasions, Statistic, StatisticKind
from soulread.hands.store import EVERYTHING, Query, Store

HandNumbers = NDArray[np.int64]
Mask = NDArray[np.bool_]
SeatTest = Callable[[Facts, Occasions], Mask]  # [seats] whether the condition holds
HandTest = Callable[[Hand, int], bool]  # a hand, and the seat of the player meant; -1 if there is none

_COMPARED = re.compile(r"([a-z0-9-]+)([<>=:]+)(.*)", re.I | re.S)
_NUMBER = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,9})?")
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_MEASURES: dict[str, Callable[[Rows], NDArray[Any]]] = {
    "players": lambda seats: seats["players"],
    "number": lambda seats: seats["hand"],
    "pot": lambda seats: seats["pot"] / np.maximum(seats["big_blind"], 1),
    "won": lambda seats: seats["won"] / np.maximum(seats["big_blind"], 1),
    "stack": lambda seats: seats["stack"],
}
_POTS = {
    "walk": WALK,
    "limped": LIMPED,
    "limpedpot": LIMPED,
    "singleraised": SINGLE_RAISED,
    "singleraisedpot": SINGLE_RAISED,
    "srp": SINGLE_RAISED,
    "3betpot": THREE_BET,
    "4betpot": FOUR_BET,
}
_PLACES = {
    "ip": IN_POSITION,
    "inposition": IN_POSITION,
    "oop": OUT_OF_POSITION,
    "outofposition": OUT_OF_POSITION,
}
_OF_PLAYER = ("won", "stack", "holds", "position", "seen", *_PLACES)
_COUNTS = ("players", "number")  # measures without a unit
_WITH_BLANKS = re.compile("(not-)?(table|id|room|opponent):", re.I)

# The sizes that a word compares: the column, the round (None: any after the flop), only first raises.
_SIZES: dict[str, tuple[str, int | None, bool]] = {
    "open": ("size", 0, True),
    "preflop-raise": ("size", 0, False),
    "preflop-facing": ("faced", 0, False),
    "bet": ("size", None, False),
    "facing": ("faced", None, False),
    **{f"{street}-bet": ("size", number, False) for number, street in enumerate(STREETS) if number},
    **{f"{street}-facing": ("faced", number, False) for number, street in enumerate(STREETS) if number},
}

_ANY_STREET = {"c-bet": "c-bet ", "fold to c-bet": "fold to c-bet "}  # and how the names of each street begin
_SHORT = {  # as trackers write them
    "3b": "3-bet",
    "4b": "4-bet",
    "f3b": "fold to 3-bet",
    "f3bet": "fold to 3-bet",
    "fcbet": "fold to c-bet",
    "ats": "steal",
    "sqz": "squeeze",
    "donkbet": "donk",
    "xr": "check-raise",
    "af": "aggression factor",
    "afq": "aggression frequency",
    "wsd": "W$SD",
    "bb100": "bb/100",
}


def plain_name(name: str) -> str:
    """A name without what people write differently: "Fold to 3-bet" is "foldto3bet"."""
    return re.sub("[-_ ]", "", name.lower())


def _on_any_street(name: str, begin: str) -> Statistic:
    """The statistics of the flop, the turn and the river as one."""
    each = [one for one in STATISTICS if one.name.startswith(begin)]

    def chance(columns: Columns) -> NDArray[Any]:
        return np.asarray(np.any([one.chance(columns) for one in each], axis=0))

    return Statistic(name, each[0].about.replace("the flop", "any street"), chance, each[0].action)


def _named() -> dict[str, Statistic]:
    """The statistic that each name means."""
    found = {plain_name(one.name): one for one in STATISTICS}
    found.update((plain_name(name), _on_any_street(name, begin)) for name, begin in _ANY_STREET.items())
    found.update((short, found[plain_name(name)]) for short, name in _SHORT.items())
    return found


STATISTIC_NAMES = _named()
_UNCOUNTED = (StatisticKind.AMOUNT, StatisticKind.FACTOR)
STATISTIC_WORDS = {name: one for name, one in STATISTIC_NAMES.items() if one.kind not in _UNCOUNTED}
"""Statistics that a hand can be found by: amounts and the factor are of all hands."""


def typed_name(statistic: str) -> str:
    """The name of a statistic as one word: "fold to 3-bet" is "fold-to-3-bet"."""
    return statistic.lower().replace(" ", "-")


def statistic_called(name: str) -> Statistic:
    """The statistic that a user means; one of a c-bet without a street counts all of them."""
    found = STATISTIC_NAMES.get(plain_name(name))
    if found is None:
        known = ", ".join(typed_name(one.name) for one in STATISTICS)
        raise SoulreadError(f"there is no statistic {name!r}; known are {known}")
    return found


def counted_statistic(name: str) -> Statistic:
    """The statistic that a user means, one of those that are counted for everybody."""
    found = statistic_called(name)
    if found not in STATISTICS:
        streets = [typed_name(one.name) for one in STATISTICS if one.name.startswith(f"{found.name} ")]
        raise SoulreadError(f"{found.name!r} is counted street by street; write {' or '.join(streets)}")
    return found


class Order(StrEnum):
    """Orders of hands, the largest first; those with a dash the other way round."""

    POT = "pot"  # in big blinds
    WON = "won"  # by the player, in big blinds
    DATE = "date"
    SMALLEST_POT = "-pot"
    LOST = "-won"
    OLDEST = "-date"


@dataclass(frozen=True)
class _Condition:
    """One word: a test of the facts of seats, one of the record of a hand, or the numbers of the hands.

    A word that only a store knows has ``ask``, which gives the condition.
    """

    of_seats: SeatTest | None = None
    of_hand: HandTest | None = None
    numbers: frozenset[int] | None = None
    turned: bool = False  # the word began with "not-"
    ask: Callable[[Store, Query], "_Condition"] | None = None

    def known(self, store: Store, query: Query) -> "_Condition":
        """The condition in a store."""
        return self if self.ask is None else replace(self.ask(store, query), turned=self.turned)

    def of_numbers(self, numbers: HandNumbers) -> Mask:
        """Whether the hands of these numbers fulfil the condition, as far as their numbers tell."""
        if self.numbers is None:
            return np.ones(numbers.size, np.bool_)
        return np.asarray(np.isin(numbers, np.array(sorted(self.numbers), np.int64)) != self.turned)

    def fits(self, hand: Hand, seat: int) -> bool:
        """Whether the record of a hand fulfils the condition; other conditions hold."""
        return self.of_hand is None or self.of_hand(hand, seat) != self.turned


@dataclass(frozen=True)
class Search:
    """Hands that were found, with their numbers, and how many there are.

    ``count`` is None where hands of everybody must be read to know.
    """

    count: int | None
    hands: Iterator[tuple[int, Hand]]


@dataclass(frozen=True)
class Conditions:
    """Conditions of which all must hold."""

    player: str | None
    words: tuple[str, ...]
    each: tuple[_Condition, ...]

    def find(self, store: Store, query: Query = EVERYTHING) -> Iterator[tuple[int, Hand]]:
        """The hands of a store that fulfil all conditions and the query, with their numbers, in order.

        Names that no hand has are refused at once.
        """
        return self.search(store, query).hands

    def search(self, store: Store, query: Query = EVERYTHING, order: Order | None = None) -> Search:
        """The same as `find` in any order, and how many hands there are."""
        if order in (Order.WON, Order.LOST) and self.player is None:
            raise SoulreadError("sorting by won is about one player; say with --player who is meant")
        query = replace(query, player=self.player)
        known = [one.known(store, query) for one in self.each]
        unread = [one for one in known if one.of_hand is None]
        if self.player is None and order is None and not unread:
            count = len(store) if not known and query == EVERYTHING else None
            return Search(count, _fitting(store.find(query), known, None))
        asked = [one.numbers for one in unread if one.numbers is not None and not one.turned]
        if asked and query == EVERYTHING and order is None and len(asked) == len(unread):
            numbers = np.array(sorted(frozenset.intersection(*asked)), np.int64)
        else:
            chosen = _of_player if self.player is not None else _of_anybody
            keys = chosen(store, query, unread)
            numbers = keys.numbers[keys.sorted(order)]
        found = _fitting(_in_order(store, numbers), known, self.player)
        if len(unread) < len(known):
            if self.player is None:
                return Search(None, found)
            numbers = np.array([number for number, _ in found], np.int64)  # the hands of one player are few
            found = _in_order(store, numbers)
        return Search(int(numbers.size), found)

    def of_facts(self, facts: Facts, occasions: Occasions) -> Mask:
        """``[seats]`` whether all conditions hold, as far as facts tell."""
        held = np.ones(facts.seats.size, np.bool_)
        for one in self.each:
            if one.of_seats is not None:
                held &= one.of_seats(facts, occasions) != one.turned
        return held

    def facts(self, store: Store, query: Query = EVERYTHING) -> Iterator[Facts]:
        """The facts of the player in the hands that fulfil all conditions and the query, in parts."""
        if self.player is None:
            raise SoulreadError("facts are about one player; say who is meant")
        query = replace(query, player=self.player)
        known = [one.known(store, query) for one in self.each]
        to_read = [one for one in known if one.of_hand is not None]
        for facts in _facts_of_player(store, query, known):
            if to_read:
                hands = store.numbered(facts.seats["hand"].tolist())
                kept = [number for number, _ in _fitting(hands, to_read, self.player)]
                facts = facts.take(np.flatnonzero(np.isin(facts.seats["hand"], kept)))
            yield facts


def parse_conditions(words: Sequence[str], player: str | None = None) -> Conditions:
    """The conditions that a user typed; ``player`` is whom those about one player mean."""
    each = tuple(_split(words))
    return Conditions(player, each, tuple(_condition(word, player) for word in each))


def shell_line(
    player: str | None,
    statistic: str | None = None,
    words: Sequence[str] = (),
    query: Query = EVERYTHING,
    *,
    taken: bool | None = None,
    store: str | None = None,
) -> str:
    """The line that a user types into a shell to see the same hands, or the occasions of a ``statistic``.

    ``query`` narrows the hands; its own player does not matter. ``taken`` leaves only occasions that were
    taken, or missed. ``store`` is the path or address of the store; None means the user's own, which needs
    no word. Everything is quoted as a shell needs it.
    """
    kind = query.kind
    options = {
        "player": player,
        "stat": None if statistic is None else typed_name(statistic),
        "room": query.room,
        "game": query.game or (None if kind is None else kind.game),
        "format": query.format or (None if kind is None else kind.format),
        "stakes": query.stakes,
        "since": None if query.since is None else query.since.isoformat(),
        "until": None if query.until is None else query.until.isoformat(),
        "db": store,
    }
    given = []
    for name, value in options.items():
        if value is not None:
            given += [f"--{name}={value}"] if value.startswith("-") else [f"--{name}", value]
    if taken is not None:
        given.append("--taken" if taken else "--missed")
    asked = [*words, *([] if query.id is None else [f"id:{query.id}"])]
    typed = [*given, "--", *asked] if any(word.startswith("-") for word in asked) else [*asked, *given]
    return shlex.join(["soulread", "hands", *typed])


# Finding ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HandKeys:
    """What hands are sorted by, a row for each."""

    numbers: HandNumbers
    pot: NDArray[np.float64]  # big blinds
    won: NDArray[np.float64]  # big blinds, by the seat
    time: NDArray[np.int64]

    @classmethod
    def of(cls, seats: Rows) -> "HandKeys":
        """The keys of the hands of seats."""
        return cls(seats["hand"], _MEASURES["pot"](seats), _MEASURES["won"](seats), seats["time"])

    def take(self, chosen: NDArray[Any]) -> "HandKeys":
        """Some of the rows."""
        return HandKeys(self.numbers[chosen], self.pot[chosen], self.won[chosen], self.time[chosen])

    def sorted(self, order: Order | None) -> NDArray[np.int64]:
        """The rows in order; among equals, and without an order, by the numbers of the hands."""
        if order is None:
            return np.argsort(self.numbers, kind="stable")
        keys: dict[str, NDArray[Any]] = {"pot": self.pot, "won": self.won, "date": self.time}
        key = keys[order.value.removeprefix("-")]
        by_date = order in (Order.DATE, Order.OLDEST)
        unknown = (self.time == NO_TIME) & by_date  # these come last
        return np.lexsort((self.numbers, key if order.value.startswith("-") else -key, unknown))


def _facts_of_player(store: Store, query: Query, conditions: list[_Condition]) -> Iterator[Facts]:
    """The facts of the player's seats that fulfil the conditions that need no record."""
    assert query.player is not None
    number = store.player_number(query.player, query.room)
    for _, facts in store.facts(query, players=[number]):
        occasions = Occasions(facts)
        kept = np.ones(facts.seats.size, np.bool_)
        for one in conditions:
            kept &= one.of_numbers(facts.seats["hand"])
            if one.of_seats is not None:
                kept &= one.of_seats(facts, occasions) != one.turned
        yield facts if kept.all() else facts.take(np.flatnonzero(kept))


def _of_player(store: Store, query: Query, conditions: list[_Condition]) -> HandKeys:
    return _joined(HandKeys.of(facts.seats) for facts in _facts_of_player(store, query, conditions))


def _of_anybody(store: Store, query: Query, conditions: list[_Condition]) -> HandKeys:
    """The hands in which, for each condition, some seat fulfils it."""
    of_seats = [one for one in conditions if one.of_seats is not None]
    held: list[list[HandNumbers]] = [[] for _ in of_seats]
    parts = []
    for _, facts in store.facts(query):
        occasions = Occasions(facts)
        parts.append(HandKeys.of(facts.seats))
        for rows, condition in zip(held, of_seats, strict=True):
            assert condition.of_seats is not None
            rows.append(facts.seats["hand"][condition.of_seats(facts, occasions)])
    every = _joined(parts)
    every = every.take(np.unique(every.numbers, return_index=True)[1])
    kept = np.ones(every.numbers.size, np.bool_)
    for rows, condition in zip(held, of_seats, strict=True):
        there = np.concatenate(rows) if rows else np.zeros(0, np.int64)
        kept &= np.isin(every.numbers, there) != condition.turned
    for condition in conditions:
        kept &= condition.of_numbers(every.numbers)
    return every.take(kept)


def _joined(parts: Iterable[HandKeys]) -> HandKeys:
    each = [HandKeys.of(np.zeros(0, SEAT)), *parts]
    return HandKeys(
        np.concatenate([part.numbers for part in each]),
        np.concatenate([part.pot for part in each]),
        np.concatenate([part.won for part in each]),
        np.concatenate([part.time for part in each]),
    )


_READ = 500  # hands at once


def _in_order(store: Store, numbers: HandNumbers) -> Iterator[tuple[int, Hand]]:
    """Hands in the order of these numbers, read a few at a time."""
    first, step = 0, 20
    while first < numbers.size:
        part = numbers[first : first + step].tolist()
        hands = dict(store.numbered(part))
        yield from ((number, hands[number]) for number in part)
        first, step = first + step, _READ


def _fitting(
    hands: Iterable[tuple[int, Hand]], conditions: list[_Condition], player: str | None
) -> Iterator[tuple[int, Hand]]:
    """The hands whose records fulfil the conditions."""
    for number, hand in hands:
        seat = hand.players.index(player) if player in hand.players else -1
        if all(condition.fits(hand, seat) for condition in conditions):
            yield number, hand


# One word ---------------------------------------------------------------------------------------


def _split(words: Sequence[str]) -> Iterator[str]:
    """The conditions of all arguments; one that is about a name may hold blanks."""
    for text in words:
        if _WITH_BLANKS.match(text):
            yield text
        else:
            yield from text.split()


def _condition(word: str, player: str | None) -> _Condition:
    bare = word.removeprefix("not-")
    name = re.split(r"[<>=:]", bare)[0].lower()
    if (name in _OF_PLAYER or plain_name(name) in _PLACES) and player is None:
        raise SoulreadError(f"{word!r} is about one player; say with --player who is meant")
    try:
        found = _known(bare, player)
    except SoulreadError as error:
        raise SoulreadError(f"{word!r}: {error}") from None
    if found is None and re.search("[<>=:]", bare):
        raise SoulreadError(f"{word!r} is no condition; {_known_words()}")
    return replace(found or _Condition(ask=_looked_up(bare)), turned=bare != word)


def _known_words() -> str:
    statistics = ", ".join(typed_name(one.name) for one in STATISTICS if one.kind not in _UNCOUNTED)
    return (
        "known are showdown, twice, all-in-before-river, all-seen, seen, heads-up-limit, walk, limped, "
        "single-raised, 3bet-pot, 4bet-pot, ip, oop, position:BTN,CO, did:raised-first-in, "
        "line=bet-bet-check, preflop=raise/call, bet>=75%, flop-bet>=75%, facing>=75%, flop-facing>=75%, "
        "open>=3, players>=3, number>=7000, pot>=50, won<-50, stack<20, opponent:NAME, room:NAME, "
        "date>=2009-07-01, date:2009-07, board:AhKd, betting:r*c, holds:QQ+, table:NAME, id:NUMBER, #NUMBER, "
        f"and a statistic, alone or after chance: {statistics}"
    )


def _known(word: str, player: str | None) -> _Condition | None:
    """The condition of a word without "not-"; None if it is none."""
    plain = plain_name(word)
    if word == "showdown":
        return _Condition(lambda facts, _: facts.seats["showdown"])
    if word == "twice":
        return _Condition(of_hand=lambda hand, _: len(hand.boards) > 1)
    if word == "seen":
        return _Condition(of_hand=lambda hand, seat: cards_of(hand, seat) is not None)
    if word == "all-in-before-river":
        return _Condition(of_hand=lambda hand, _: all_in_round(hand) is not None)
    if word == "all-seen":
        return _Condition(of_hand=lambda hand, _: all_known(hand))
    if word == "heads-up-limit":
        return _Condition(of_hand=lambda hand, _: follows(hand, limit_holdem()))
    if plain in _POTS:
        return _column("pot_kind", _POTS[plain])
    if plain in _PLACES:
        return _column("flop_place", _PLACES[plain])
    if plain in STATISTIC_WORDS:
        return _Condition(_did(STATISTIC_WORDS[plain], chances=False))
    compared = _COMPARED.fullmatch(word)
    if compared is None:
        return None
    name, sign, rest = compared[1].lower(), compared[2], compared[3]
    if sign in _SIGNS and name in _MEASURES:
        return _measured(name, sign, rest)
    if sign in _SIGNS and name in _SIZES:
        return _sized(name, sign, rest)
    if name == "date" and (sign in _SIGNS or sign == ":"):
        return _dated(sign, rest)
    if name in ("line", *STREETS) and sign in ("=", ":"):
        return _lined(rest, None if name == "line" else name)
    return _told(name, rest, player) if sign == ":" else None


def _told(name: str, rest: str, player: str | None) -> _Condition | None:
    """The condition of a word with a colon."""
    if name == "chance" and plain_name(rest) in STATISTIC_WORDS:
        return _Condition(_did(STATISTIC_WORDS[plain_name(rest)], chances=True))
    if name == "position":
        return _positioned(rest)
    if name == "did":
        return _done(rest)
    if name == "opponent":
        return _opposed(rest, player)
    if name == "room":
        return _Condition(ask=lambda store, _: _in_room(store, rest))
    if name == "board":
        cards = set(parse_cards(rest))
        return _Condition(of_hand=lambda hand, _: any(cards.issubset(board) for board in hand.boards))
    if name == "betting":
        return _Condition(of_hand=lambda hand, _: fnmatch.fnmatchcase(hand.betting, rest))
    if name == "holds":
        return _Condition(of_hand=_holds(rest))
    if name == "table":
        return _Condition(of_hand=lambda hand, _: hand.table == rest)
    if name == "id":
        return _Condition(ask=lambda store, _: _Condition(numbers=_called(store, rest)))
    return None


def _column(name: str, value: int) -> _Condition:
    return _Condition(lambda facts, _: facts.seats[name] == value)


def _measured(name: str, sign: str, rest: str) -> _Condition:
    unit = "" if name in _COUNTS else "bb"
    bound, measure, compare = _number(rest, unit, f"{name}{sign}20"), _MEASURES[name], _SIGNS[sign]

    def test(facts: Facts, _: Occasions) -> Mask:
        values = measure(facts.seats)
        return np.asarray(compare(values, values.dtype.type(bound) if name == "stack" else bound))

    return _Condition(test)


def _sized(name: str, sign: str, rest: str) -> _Condition:
    """A size of a bet of the player, or one that the player faced, at any decision."""
    column, street, first = _SIZES[name]
    compare = _SIGNS[sign]
    before = street == 0
    bound = _number(rest, "bb" if before else "%", f"{name}{sign}3" if before else f"{name}{sign}75%")
    bound = round(100 * bound, 6) if before else bound

    def test(facts: Facts, _: Occasions) -> Mask:
        decisions = facts.decisions
        held = (decisions["round"] > 0) if street is None else (decisions["round"] == street)
        held &= (decisions[column] > 0) & compare(decisions[column], bound)
        if first:
            held &= decisions["raises"] == 0
        return _any_decision(facts, held)

    return _Condition(test)


def _number(text: str, unit: str, example: str) -> float:
    bare = text.removesuffix(unit).rstrip() if unit else text
    if not _NUMBER.fullmatch(bare):
        what = {"": "a number", "bb": "a number of big blinds", "%": "a part of the pot in percent"}[unit]
        raise SoulreadError(f"{text!r} is not {what}; write {example}")
    return float(bare)


def _any_decision(facts: Facts, held: Mask) -> Mask:
    """For each seat, whether something held at one of its decisions."""
    owner = np.repeat(np.arange(facts.seats.size), facts.seats["decisions"])
    found = np.zeros(facts.seats.size, np.bool_)
    found[owner[held]] = True
    return found


_DAY = re.compile(r"([0-9]{4})(?:-([0-9]{1,2}))?(?:-([0-9]{1,2}))?")


def _dated(sign: str, rest: str) -> _Condition:
    begin, end = _period(rest)

    def test(facts: Facts, _: Occasions) -> Mask:
        time = facts.seats["time"]
        match sign:
            case ">=":
                held = time >= begin
            case ">":
                held = time >= end
            case "<":
                held = time < begin
            case "<=":
                held = time < end
            case _:
                held = (time >= begin) & (time < end)
        return np.asarray(held & (time != NO_TIME))

    return _Condition(test)


def _period(text: str) -> tuple[int, int]:
    """The first second of a year, a month, a day or a second in UTC, and the first one after it."""
    found = _DAY.fullmatch(text)
    try:
        if found is None:
            second = seconds_of_time(datetime.fromisoformat(text))
            return second, second + 1
        year, month, day = int(found[1]), int(found[2] or 1), int(found[3] or 1)
        begin = datetime(year, month, day, tzinfo=UTC)
        days = monthrange(year, month)[1] if found[3] is None else 1
        if found[2] is None:
            days = (datetime(year, 12, 31, tzinfo=UTC) - begin).days + 1
        return seconds_of_time(begin), seconds_of_time(begin) + int(timedelta(days=days).total_seconds())
    except (ValueError, OverflowError):
        raise SoulreadError(
            f"{text!r} is no date; write a year, a month or a day: 2009, 2009-07, 2009-07-01, or a time: "
            "2009-07-01T20:00"
        ) from None


def _lined(rest: str, street: str | None) -> _Condition:
    patterns = parse_line(rest, street)

    def test(facts: Facts, _: Occasions) -> Mask:
        kept = np.ones(facts.seats.size, np.bool_)
        for round, pattern in patterns:
            different, which = np.unique(street_letters(facts, round), return_inverse=True)
            fits = [pattern.fullmatch(text.decode()) is not None for text in different.tolist()]
            kept &= np.array(fits, np.bool_)[which]
        return kept

    return _Condition(test)


def _positioned(rest: str) -> _Condition:
    chosen = np.zeros(256, np.bool_)
    for name in rest.split(","):
        if name.strip().upper() not in POSITIONS:
            raise SoulreadError(f"{name!r} is no position; known are {', '.join(POSITIONS)}")
        chosen[POSITIONS.index(name.strip().upper())] = True
    return _Condition(lambda facts, _: chosen[facts.seats["position"]])


def _done(name: str) -> _Condition:
    if name not in PLAYED:
        raise SoulreadError(f"{name!r} is nothing that is looked for; known are {', '.join(PLAYED)}")

    def test(facts: Facts, occasions: Occasions) -> Mask:
        held = np.zeros(facts.seats.size, np.bool_)
        held[list(played_at(occasions, name))] = True
        return held

    return _Condition(test)


def _opposed(name: str, player: str | None) -> _Condition:
    """Hands in which somebody called or raised; the facts of this player tell which."""
    if not name:
        raise SoulreadError("say who the opponent is, such as opponent:Bob")
    if name == player:
        raise SoulreadError(f"{name!r} is the player, and nobody's own opponent")

    def ask(store: Store, query: Query) -> _Condition:
        players = [row.number for row in store.players_called(name, query.room)]
        there = []
        for _, facts in store.facts(query, players=players):
            action = facts.decisions["action"]
            there.append(facts.seats["hand"][_any_decision(facts, (action == CALLED) | (action == RAISED))])
        numbers = np.unique(np.concatenate(there)) if there else np.zeros(0, np.int64)
        return _Condition(lambda facts, _: np.isin(facts.seats["hand"], numbers))

    return _Condition(ask=ask)


def _in_room(store: Store, name: str) -> _Condition:
    room = store.room_called(name)
    kinds = [number for number, kind in store.kinds.items() if kind.room == room]
    return _Condition(lambda facts, _: np.isin(facts.seats["kind"], kinds))


def _called(store: Store, id: str) -> frozenset[int]:
    """The numbers of the hands that a room calls so."""
    return frozenset(number for number, _ in store.find(Query(id=id)))


def _looked_up(word: str) -> Callable[[Store, Query], _Condition]:
    """The condition of a word that only a store knows; refused if no hand has such an id or table."""

    def ask(store: Store, _: Query) -> _Condition:
        if re.fullmatch("#[0-9]{1,18}(,[0-9]{1,18})*", word):
            return _Condition(numbers=frozenset(store.hand(f"#{one}")[0] for one in word[1:].split(",")))
        numbers = _called(store, word)
        if numbers:
            return _Condition(numbers=numbers)
        if any(hand.table == word for _, hand in store.find()):
            return _Condition(of_hand=lambda hand, _: hand.table == word)
        raise SoulreadError(
            f"{word!r} is no condition, and no hand in {store.name!r} has this id or table; {_known_words()}"
        )

    return ask


def _did(statistic: Statistic, chances: bool) -> SeatTest:
    """Whether a seat took the action of a statistic, or had its chance."""

    def test(facts: Facts, occasions: Occasions) -> Mask:
        had, took = occasions.of(statistic)
        held = np.zeros(facts.seats.size, np.bool_)
        held[had if chances else took] = True
        return held

    return test


def _holds(text: str) -> HandTest:
    from soulread.cards.ranges import parse_range

    weights = parse_range(text).weights

    def holds(hand: Hand, seat: int) -> bool:
        cards = cards_of(hand, seat)
        if cards is None:
            return False
        low, high = sorted(cards)
        return bool(weights[high * (high - 1) // 2 + low] > 0)

    return holds
