"""Conditions that a user types to find hands: ``showdown 3bet pot>=50 board:Ah holds:QQ+,AKs``.

All conditions must hold, and ``not-`` before a word turns it round. ``pot``, ``won`` and ``stack`` are in
big blinds; ``won``, ``stack`` and ``holds`` are about one player, who must be given. In ``betting:`` a star
stands for anything.

A statistic's name (`soulread.hands.statistics`) means the hands in which the player did it, ``chance:``
before it those in which the player could: ``chance:3bet not-3bet``. ``showdown`` means that the player came
to it. Without a player somebody must have done so. Blanks, dashes and capitals of a name do not matter.

``#7`` is the hand of that number in the store, ``id:`` is the room's number of a hand, ``table:`` the name of
a table. Any other word is looked up as an id or a table, and refused if no hand has it.

Conditions about actions and amounts are answered from the facts of the store. Only hands that fulfil them are
read.
"""

import fnmatch
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import parse_cards
from soulread.errors import SoulreadError
from soulread.hands.facts import Facts
from soulread.hands.hand import Hand
from soulread.hands.statistics import STATISTICS, Occasions, Statistic, StatisticKind
from soulread.hands.store import EVERYTHING, Query, Store

SeatRows = NDArray[np.int64]
SeatTest = Callable[[Facts, Occasions], NDArray[np.bool_]]  # [seats] whether the condition holds
HandTest = Callable[[Hand, int], bool]  # a hand, and the seat of the player meant; -1 if there is none

_COMPARED = re.compile(r"(\w+)(>=|<=|>|<|=)(-?[0-9]+(?:\.[0-9]+)?)")
_SIGNS: dict[str, Callable[[NDArray[np.float64], float], NDArray[np.bool_]]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}
_NUMBERS: dict[str, Callable[[Facts], NDArray[np.float64]]] = {
    "players": lambda facts: facts.seats["players"].astype(np.float64),
    "pot": lambda facts: facts.seats["pot"] / np.maximum(facts.seats["big_blind"], 1),
    "won": lambda facts: facts.seats["won"] / np.maximum(facts.seats["big_blind"], 1),
}
_OF_PLAYER = ("won", "stack", "holds")
_ALIASES = {"cbet": "c-bet ", "foldtocbet": "fold to c-bet "}  # on any street


def _plain(name: str) -> str:
    """A name without what people write differently: "Fold to 3-bet" is "foldto3bet"."""
    return re.sub("[-_ ]", "", name.lower())


_COUNTED = [one for one in STATISTICS if one.kind not in (StatisticKind.AMOUNT, StatisticKind.FACTOR)]


def _named() -> dict[str, tuple[Statistic, ...]]:
    """The statistics that each name means."""
    found: dict[str, tuple[Statistic, ...]] = {_plain(one.name): (one,) for one in _COUNTED}
    for name, begin in _ALIASES.items():
        found[name] = tuple(one for one in _COUNTED if one.name.startswith(begin))
    return found


STATISTIC_WORDS = _named()


@dataclass(frozen=True)
class _Condition:
    """One word: a test of the facts of seats, one of the record of a hand, or the numbers of the hands."""

    of_seats: SeatTest | None = None
    of_hand: HandTest | None = None
    numbers: frozenset[int] | None = None
    turned: bool = False  # the word began with "not-"
    look_up: str = ""  # a word that only a store knows: an id, a number, or a table

    def fits(self, number: int, hand: Hand, seat: int) -> bool:
        """Whether a hand fulfils the condition; one of seats holds, since the hand was chosen by it."""
        if self.numbers is not None:
            return (number in self.numbers) != self.turned
        return self.of_hand is None or self.of_hand(hand, seat) != self.turned


@dataclass(frozen=True)
class Conditions:
    """Conditions of which all must hold."""

    player: str | None
    each: tuple[_Condition, ...]

    def find(self, store: Store, query: Query = EVERYTHING) -> Iterator[tuple[int, Hand]]:
        """The hands of a store that fulfil all conditions and the query, with their numbers, in order.

        Names that no hand has are refused at once.
        """
        known = [_looked_up(one, store) if one.look_up else one for one in self.each]
        return _found(store, replace(query, player=self.player), known)


def parse_conditions(words: Sequence[str], player: str | None = None) -> Conditions:
    """The conditions that a user typed; ``player`` is whom those about one player mean."""
    return Conditions(player, tuple(_condition(word, player) for word in _split(words)))


def _found(store: Store, query: Query, conditions: list[_Condition]) -> Iterator[tuple[int, Hand]]:
    of_seats = [one for one in conditions if one.of_seats is not None]
    asked = [one.numbers for one in conditions if one.numbers is not None and not one.turned]
    wanted = np.array(sorted(frozenset.intersection(*asked)), np.int64) if asked else None
    if of_seats or (wanted is not None and query != EVERYTHING):
        numbers = _numbers(store, query, of_seats)
        found = store.numbered((numbers if wanted is None else np.intersect1d(numbers, wanted)).tolist())
    else:
        found = store.find(query) if wanted is None else store.numbered(wanted.tolist())
    for number, hand in found:
        seat = hand.players.index(query.player) if query.player in hand.players else -1
        if all(condition.fits(number, hand, seat) for condition in conditions):
            yield number, hand


def _numbers(store: Store, query: Query, conditions: list[_Condition]) -> SeatRows:
    """The numbers of the hands whose seats fulfil the conditions: the player's seat, or any seat for each."""
    players = None if query.player is None else [store.player_number(query.player, query.room)]
    every: list[SeatRows] = []
    held: list[list[SeatRows]] = [[] for _ in conditions]
    for _, facts in store.facts(query, players=players):
        occasions = Occasions(facts)
        numbers = facts.seats["hand"]
        every.append(numbers)
        for rows, condition in zip(held, conditions, strict=True):
            assert condition.of_seats is not None
            rows.append(numbers[condition.of_seats(facts, occasions)])
    kept = _together(every)
    for rows, condition in zip(held, conditions, strict=True):
        combine = np.setdiff1d if condition.turned else np.intersect1d
        kept = combine(kept, _together(rows), assume_unique=True)
    return np.sort(kept)


def _together(parts: list[SeatRows]) -> SeatRows:
    return np.unique(np.concatenate(parts)) if parts else np.zeros(0, np.int64)


# One word ---------------------------------------------------------------------------------------


def _split(words: Sequence[str]) -> Iterator[str]:
    """The conditions of all arguments; one that names a table or an id may hold blanks."""
    for text in words:
        if re.match("(not-)?(table|id):", text):
            yield text
        else:
            yield from text.split()


def _condition(word: str, player: str | None) -> _Condition:
    bare = word.removeprefix("not-")
    name = re.split(r"[<>=:]", bare)[0]
    if name in _OF_PLAYER and player is None:
        raise SoulreadError(f"{word!r} is about one player; say with --player who is meant")
    found = _known(bare)
    if found is None and re.search("[<>=:]", bare) and not bare.startswith("id:"):
        raise SoulreadError(f"{word!r} is no condition; {_known_words()}")
    return replace(found or _Condition(look_up=bare), turned=bare != word)


def _known_words() -> str:
    statistics = ", ".join(one.name.lower().replace(" ", "-") for one in _COUNTED)
    return (
        "known are showdown, twice, players>=3, pot>=50, won<-50, stack<20, board:AhKd, betting:r*c, "
        f"holds:QQ+, table:NAME, id:NUMBER, #NUMBER, and a statistic, alone or after chance: {statistics}"
    )


def _known(word: str) -> _Condition | None:
    """The condition of a word without "not-"; None if it is none."""
    if word == "showdown":
        return _Condition(lambda facts, _: facts.seats["showdown"])
    if word == "twice":
        return _Condition(of_hand=lambda hand, _: len(hand.boards) > 1)
    if _plain(word) in STATISTIC_WORDS:
        return _Condition(_did(STATISTIC_WORDS[_plain(word)], chances=False))
    compared = _COMPARED.fullmatch(word)
    if compared and compared[1] == "stack":
        return _Condition(of_hand=_stack(compared[2], float(compared[3])))
    if compared and compared[1] in _NUMBERS:
        measure, sign, bound = _NUMBERS[compared[1]], _SIGNS[compared[2]], float(compared[3])
        return _Condition(lambda facts, _: sign(measure(facts), bound))
    kind, colon, rest = word.partition(":")
    if not colon:
        return None
    if kind == "chance" and _plain(rest) in STATISTIC_WORDS:
        return _Condition(_did(STATISTIC_WORDS[_plain(rest)], chances=True))
    if kind == "board":
        cards = set(parse_cards(rest))
        return _Condition(of_hand=lambda hand, _: any(cards.issubset(board) for board in hand.boards))
    if kind == "betting":
        return _Condition(of_hand=lambda hand, _: fnmatch.fnmatchcase(hand.betting, rest))
    if kind == "holds":
        return _Condition(of_hand=_holds(rest))
    if kind == "table":
        return _Condition(of_hand=lambda hand, _: hand.table == rest)
    return None


def _looked_up(condition: _Condition, store: Store) -> _Condition:
    """The condition of a word that only a store knows; refused if no hand has such an id or table."""
    word = condition.look_up
    if re.fullmatch("#[0-9]{1,18}", word):
        return replace(condition, numbers=frozenset([store.hand(word)[0]]))
    numbers = frozenset(number for number, _ in store.find(Query(id=word.removeprefix("id:"))))
    if numbers or word.startswith("id:"):
        return replace(condition, numbers=numbers)
    if any(hand.table == word for _, hand in store.find()):
        return replace(condition, of_hand=lambda hand, _: hand.table == word)
    raise SoulreadError(
        f"{word!r} is no condition, and no hand in {store.name!r} has this id or table; {_known_words()}"
    )


def _did(statistics: tuple[Statistic, ...], chances: bool) -> SeatTest:
    """Whether a seat took the action of one of the statistics, or had its chance."""

    def test(facts: Facts, occasions: Occasions) -> NDArray[np.bool_]:
        held = np.zeros(facts.seats.size, np.bool_)
        for statistic in statistics:
            had, took = occasions.of(statistic)
            held[had if chances else took] = True
        return held

    return test


def _stack(sign: str, bound: float) -> HandTest:
    compare = _SIGNS[sign]

    def test(hand: Hand, seat: int) -> bool:
        if hand.stacks is None:
            return False
        return bool(compare(np.array(hand.stacks[seat] / hand.stakes.big_blind), bound))

    return test


def _holds(text: str) -> HandTest:
    from soulread.cards.ranges import parse_range

    weights = parse_range(text).weights

    def holds(hand: Hand, seat: int) -> bool:
        cards = hand.hole[seat]
        if cards is None or len(cards) != 2:
            return False
        low, high = sorted(cards)
        return bool(weights[high * (high - 1) // 2 + low] > 0)

    return holds
