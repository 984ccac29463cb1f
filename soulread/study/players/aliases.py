"""Aliases: players who are one person under several names, as a user says it and sees it.

A user writes a name, or a name and its room as ``Bob@GGPoker``; ``Bob@`` has no known room. If somebody is
called exactly what was written, that one is meant.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.hands.people import NO_ROOM, PlayerKey
from soulread.hands.store import Store, several_rooms
from soulread.hands.tables.layout import PlayerRow
from soulread.report.shown import ShownTable
from soulread.words import plural


@dataclass(frozen=True)
class AliasName:
    """One of the names of a person."""

    name: str
    room: str
    hands: int  # 0 if the store has none, or no longer

    JSON = keys("name room hands")

    def __str__(self) -> str:
        return f"{self.name} ({self.room or NO_ROOM}, {plural(self.hands, 'hand')})"


@dataclass(frozen=True)
class Alias:
    """A person of several names."""

    name: str
    names: tuple[AliasName, ...]

    JSON = keys("names hands", player="name")

    @property
    def hands(self) -> int:
        """The hands under all names."""
        return sum(one.hands for one in self.names)


@dataclass(frozen=True, repr=False)
class AliasStudy(ShownTable):
    """All persons of several names in a store."""

    LINE = "{it.store}, {it.count} of several names"
    TABLE = "persons"

    store: str
    persons: tuple[Alias, ...]

    JSON = keys("store persons")

    @property
    def count(self) -> str:
        """How many there are."""
        return plural(len(self.persons), "person", "people")


def study_aliases(store: Store) -> AliasStudy:
    """The persons of several names."""

    def counted(name: str, room: str) -> AliasName:
        return AliasName(name, room, sum(row.hands for row in store.players_named(name) if row.room == room))

    groups = store.people().groups
    persons = tuple(Alias(group.name, tuple(counted(*key) for key in group.players)) for group in groups)
    return AliasStudy(store.name, persons)


def join_names(
    store: Store, names: Sequence[str], room: str | None = None, *, name: str | None = None
) -> AliasStudy:
    """From now on the players of these ``names`` are one person, called ``name``, or as the first of them.

    ``room`` is that of the names that are written without one. Of whom somebody said before that they are
    another too, all names are joined. Refused if two of them sit in one hand.
    """
    players = [find_key(store, text, room) for text in names]
    if len(set(players)) < len(players) or len(players) < 2:
        same = next(key for key in players if players.count(key) > 1 or len(players) < 2)
        raise SoulreadError(f"{same[0]!r} of {same[1] or NO_ROOM} alone; an alias joins two players or more")
    store.change_people(lambda people: people.joined(players, name))
    return study_aliases(store)


def part_names(store: Store, names: Sequence[str], room: str | None = None) -> AliasStudy:
    """From now on each of these players is a person alone; by the name of a person all its players are."""
    for name in names:
        if room is None and any(group.name == name for group in store.people().groups):
            store.change_people(lambda people, name=name: people.parted(name))  # type: ignore[misc]
        else:
            key = _alias_called(store, name, room)
            store.change_people(lambda people, key=key: people.without(key))  # type: ignore[misc]
    return study_aliases(store)


def choose_hero(store: Store, name: str | None, room: str | None = None) -> None:
    """Say who the hero is; None forgets it."""
    key = None if name is None else find_key(store, name, room)
    store.change_people(lambda people: replace(people, hero=key))


def find_key(store: Store, text: str, room: str | None = None) -> PlayerKey:
    """The player of the store whom a text means; players of several rooms must be told apart."""
    name, at, place = text.rpartition("@")
    found = _rows(store, text, room) or (_rows(store, name, place) if at else [])
    if len(found) == 1:
        return found[0].name, found[0].room
    if not found:
        store.player(text, room)  # says who sounds alike
        raise SoulreadError(f"{text!r} names a person of several names, and no player with hands")
    hands = {row.room: row.hands for row in found}
    raise SoulreadError(f"{several_rooms(text, hands)}, or write {text}@{max(hands)}")


def _rows(store: Store, name: str, room: str | None) -> list[PlayerRow]:
    """The players of a name who have hands, in one room or in all."""
    called = [row for row in store.players_named(name) if row.hands]
    return [row for row in called if room is None or row.room.casefold() == room.casefold()]


def _alias_called(store: Store, text: str, room: str | None) -> PlayerKey:
    """The player whom a text means, among those of aliases."""
    known = [key for group in store.people().groups for key in group.players]
    name, _, place = text.rpartition("@")
    folded = None if room is None else room.casefold()
    found = [key for key in known if key[0] == text and folded in (None, key[1].casefold())]
    found = found or [key for key in known if key[0] == name and key[1].casefold() == place.casefold()]
    if len(found) == 1:
        return found[0]
    if found:
        rooms = ", ".join(f"{text}@{key[1]}" for key in found)
        raise SoulreadError(f"{text!r} is an alias in {len(found)} rooms; write which: {rooms}")
    listed = ", ".join(f"{name}@{place}" for name, place in known) or "there are none"
    raise SoulreadError(f"{text!r} is no alias in {store.name!r}; aliases: {listed}")
