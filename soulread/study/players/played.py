"""The hands of one player in the order they were played: big blinds and money won, and the luck in them.

As everywhere, hands of one kind of game are added up: limit or no-limit, cash or tournament.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.hands.facts import NO_TIME, Rows, join_facts
from soulread.hands.hand import Hand, Stakes
from soulread.hands.money import money_text
from soulread.hands.people import StoredPerson
from soulread.hands.played import all_in_round
from soulread.hands.store import GameKind, PlayKind, Query, Store
from soulread.study.hands.luck import AllInLuck, won_without_luck

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

WIDE = 100.0  # bb/100 to either side, beyond which an interval says nothing
LEAST_HANDS = 200  # for an interval; few hands without a large pot look steadier than the play is


@dataclass(frozen=True)
class Money:
    """An amount won in one currency."""

    currency: str
    amount: Decimal

    JSON = keys("currency", amount=lambda money: float(money.amount))

    def __str__(self) -> str:
        unit = Stakes(1, 1, currency=self.currency, chip=str(abs(self.amount)))
        return money_text(-1 if self.amount < 0 else 1, unit, "+")


@dataclass(frozen=True, eq=False)
class Takings:
    """What was won in some hands."""

    hands: int
    won: float  # big blinds
    adjusted: float | None  # the same with the luck of all-ins taken out; None if that is not known
    showdown: float  # big blinds, of `won`, in hands that the player showed down
    money: tuple[Money, ...]  # by currency; empty where chips have no price
    rate: Estimate  # bb/100, with the luck taken out if that is known

    JSON = keys(
        "hands too_few",
        won_bb="won",
        without_all_in_luck_bb="adjusted",
        showdown_bb="showdown",
        no_showdown_bb="no_showdown",
        money="money",
        bb_per_100="rate",
    )

    @property
    def no_showdown(self) -> float:
        """Big blinds won in hands that ended before a showdown of the player."""
        return self.won - self.showdown

    @property
    def too_few(self) -> bool:
        """Whether the interval says nothing."""
        return self.hands < LEAST_HANDS or not self.rate.half_width <= WIDE


@dataclass(frozen=True, eq=False)
class PlayedHands:
    """A player's hands of one kind of game, in the order they were played."""

    person: StoredPerson
    store: str
    kind: PlayKind
    other_kinds: tuple[tuple[PlayKind, int], ...]  # hands of each that are left out
    seats: Rows  # [hands]
    won: Floats  # [hands] big blinds
    adjusted: Floats  # [hands] the same, with the luck of all-ins taken out if that is known
    luck: AllInLuck
    kinds: Mapping[int, GameKind]
    tables: tuple[str, ...] = ()  # [hands] if they were asked for

    @property
    def price(self) -> tuple[str, Floats] | None:
        """The only currency of cash hands, and the price of a chip in each hand; None if there is no such."""
        found = {kind: self.kinds[kind].stakes for kind in np.unique(self.seats["kind"]).tolist()}
        currencies = {"" if stakes.tournament else stakes.currency for stakes in found.values()}
        if len(currencies) > 1 or currencies == {""}:
            return None
        prices = np.zeros(max(found) + 1)
        prices[list(found)] = [float(stakes.chip) for stakes in found.values()]
        return currencies.pop(), prices[self.seats["kind"]]

    @property
    def span(self) -> tuple[datetime | None, datetime | None]:
        """When the first and the last hand were played, as far as that is known."""
        times = self.seats["time"][self.seats["time"] != NO_TIME]
        if not times.size:
            return None, None
        return time_of(int(times.min())), time_of(int(times.max()))

    def takings(self, rows: Ints | slice = slice(None)) -> Takings:
        """What was won in some of the hands, of which there is at least one."""
        seats, won = self.seats[rows], self.won[rows]
        known = self.luck.complete
        return Takings(
            hands=int(won.size),
            won=float(won.sum()),
            adjusted=float(self.adjusted[rows].sum()) if known else None,
            showdown=float(won[seats["showdown"]].sum()),
            money=self._money(seats),
            rate=Estimate.of(self.adjusted[rows] if known else won).scaled(100.0),
        )

    def _money(self, seats: Rows) -> tuple[Money, ...]:
        sums: dict[str, Decimal] = {}
        for kind in np.unique(seats["kind"]).tolist():
            stakes = self.kinds[kind].stakes
            if stakes.currency and not stakes.tournament:
                chips = int(seats["won"][seats["kind"] == kind].sum())
                sums[stakes.currency] = sums.get(stakes.currency, Decimal(0)) + chips * Decimal(stakes.chip)
        return tuple(Money(currency, amount) for currency, amount in sorted(sums.items()))

    def stakes(self, rows: Ints | slice = slice(None)) -> tuple[str, ...]:
        """The big blinds that were played, the lowest first."""
        found = {self.kinds[kind] for kind in np.unique(self.seats["kind"][rows]).tolist()}
        sizes = {kind.stakes_name: kind.big_blind for kind in found}
        return tuple(sorted(sizes, key=lambda name: (sizes[name], name)))


def time_of(seconds: int) -> datetime:
    """The time of so many seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC)


def play_hands(store: Store, player: str, query: Query, *, tables: bool = False) -> PlayedHands:
    """The hands of a player of the kind of game with the most of them, or of the one that a query names."""
    person = store.player(player, query.room)
    played = store.play_kinds(replace(query, player=player))
    if not played:
        raise SoulreadError(f"there are no such hands of {player!r} in {store.name!r}")
    (kind, _), *others = played
    query = query.of_kind(kind)
    seats = join_facts([facts for _, facts in store.facts(query, players=[person.number])]).seats
    seats = seats[np.lexsort((seats["hand"], seats["time"]))]
    places, records = _read_hands(store, seats, tables)
    adjusted, luck = won_without_luck(seats, records, person.name)
    return PlayedHands(
        person=person,
        store=store.name,
        kind=kind,
        other_kinds=tuple(others),
        seats=seats,
        won=seats["won"] / np.maximum(seats["big_blind"], 1),
        adjusted=adjusted,
        luck=luck,
        kinds=store.kinds,
        tables=tuple([places[number] for number in seats["hand"].tolist()]) if tables else (),
    )


def _read_hands(store: Store, seats: Rows, tables: bool) -> tuple[dict[int, str], dict[int, Hand]]:
    """The tables of the hands if they are wanted, and the records of those with an all-in."""
    places: dict[int, str] = {}
    records: dict[int, Hand] = {}
    wanted = seats if tables else seats[seats["showdown"]]
    for number, hand in store.numbered(wanted["hand"].tolist()):
        places[number] = f"{hand.room} {hand.table}"
        if all_in_round(hand) is not None:
            records[number] = hand
    return places, records


def head_of(played: PlayedHands) -> dict[str, Any]:
    """What the studies of a player's hands have in common."""
    first, last = played.span
    return {
        "player": played.person.name,
        "room": played.person.room,
        "store": played.store,
        "kind": played.kind,
        "other_kinds": played.other_kinds,
        "first": first,
        "last": last,
        "luck": played.luck,
        "whole": played.takings(),
    }
