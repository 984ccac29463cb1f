"""People: who plays under several names, and whose hands a store has.

A player is a name in a room. A *person* is one player, or several that an alias joins: then the person has
one name, and hands, statistics and profiles know only that name. Who is a person is said by players,
not by their numbers in a store, so it stays when a store is made anew. The store keeps it as one setting.

Joining is transitive: if A is B, and B is C, all three are one person. So there are no circles, and an alias
of an alias joins all names of both.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.hands.hand import Hand
from soulread.hands.tables.layout import PlayerRow

PlayerKey = tuple[str, str]  # a name and its room
NO_ROOM = "no known room"

HERO_WORDS = ("hero", "me")
"""Words that mean the hero, where nobody in the store is called so."""


@dataclass(frozen=True)
class NamedPlayers:
    """Players who are one person, and the name of that person: often that of one of them."""

    name: str
    players: tuple[PlayerKey, ...]  # two or more


LONGEST_NOTE, LONGEST_LABEL, MOST_LABELS = 5_000, 40, 20


@dataclass(frozen=True)
class Remarks:
    """What the owner of a store wrote about a player."""

    player: PlayerKey
    note: str = ""
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.note) > LONGEST_NOTE:
            raise SoulreadError(f"a note of {len(self.note):,} characters; at most {LONGEST_NOTE:,} are kept")
        if len(self.labels) > MOST_LABELS:
            raise SoulreadError(f"{len(self.labels)} labels of one player; at most {MOST_LABELS} are kept")
        for label in self.labels:
            if not label.strip() or len(label) > LONGEST_LABEL:
                raise SoulreadError(f"the label {label!r:.60}; a label has 1 to {LONGEST_LABEL} characters")


@dataclass(frozen=True)
class KnownPeople:
    """Who is the same person, who the hero is if somebody said so, and what was written about players."""

    groups: tuple[NamedPlayers, ...] = ()
    hero: PlayerKey | None = None
    remarks: tuple[Remarks, ...] = ()

    @property
    def text(self) -> str:
        """The setting of a store."""
        groups = [[group.name, group.players] for group in self.groups]
        told: dict[str, object] = {"groups": groups, "hero": self.hero}
        if self.remarks:
            told["remarks"] = [[one.player, one.note, one.labels] for one in self.remarks]
        return json.dumps(told, separators=(",", ":"))

    def remarks_on(self, key: PlayerKey) -> Remarks:
        """What was written about a player, under any name of the person."""
        own = self.person_of(key).players
        return next((one for one in self.remarks if one.player in own), Remarks(own[0]))

    def with_remarks(self, remarks: Remarks) -> "KnownPeople":
        """The same with other remarks on a person; empty ones are forgotten."""
        own = self.person_of(remarks.player).players
        kept = tuple(one for one in self.remarks if one.player not in own)
        told = (remarks,) if remarks.note or remarks.labels else ()
        return replace(self, remarks=(*kept, *told))

    def person_of(self, key: PlayerKey) -> NamedPlayers:
        """All players who are the same person as this one."""
        alone = NamedPlayers(key[0], (key,))
        return next((group for group in self.groups if key in group.players), alone)

    def joined(self, keys: Sequence[PlayerKey], name: str | None = None) -> "KnownPeople":
        """These players, and all who are the same as one of them, are one person.

        Its name is ``name``, or that of the first of them.
        """
        persons = [self.person_of(key) for key in keys]
        players = tuple(dict.fromkeys(key for person in persons for key in person.players))
        kept = tuple(group for group in self.groups if not set(group.players) & set(players))
        return replace(self, groups=(*kept, NamedPlayers(name or persons[0].name, players)))

    def without(self, key: PlayerKey) -> "KnownPeople":
        """This player is a person alone."""
        left = [
            NamedPlayers(group.name, tuple(one for one in group.players if one != key))
            for group in self.groups
        ]
        return replace(self, groups=tuple(group for group in left if len(group.players) > 1))

    def parted(self, name: str) -> "KnownPeople":
        """All players of a person of this name are people alone."""
        return replace(self, groups=tuple(group for group in self.groups if group.name != name))

    def loosens(self, before: "KnownPeople") -> bool:
        """Whether nobody is joined who was not, and nobody has a new name."""
        return all(
            any(group.name == old.name and set(group.players) <= set(old.players) for old in before.groups)
            for group in self.groups
        )


def read_people(text: str) -> KnownPeople | None:
    """What `KnownPeople.text` wrote, or None if this is nothing of the kind."""
    if not text:
        return KnownPeople()
    try:
        record = json.loads(text)
        groups = tuple(NamedPlayers(str(name), tuple(map(_key, keys))) for name, keys in record["groups"])
        hero = None if record["hero"] is None else _key(record["hero"])
        remarks = tuple(
            Remarks(_key(key), str(note), tuple(map(str, labels)))
            for key, note, labels in record.get("remarks", ())
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    everybody = [key for group in groups for key in group.players]
    whole = len(set(everybody)) == len(everybody) and all(len(group.players) > 1 for group in groups)
    return KnownPeople(groups, hero, remarks) if whole else None


def _key(record: object) -> PlayerKey:
    match record:
        case [str(name), str(room)]:
            return name, room
    raise ValueError(f"{record!r} is no player")


@dataclass(frozen=True)
class StoredPerson:
    """A player of a store under all names."""

    number: int  # of the facts; that of one of the players
    name: str
    rows: tuple[PlayerRow, ...]  # the players with their hands

    @property
    def rooms(self) -> tuple[str, ...]:
        """The rooms in which the person has hands."""
        return tuple(dict.fromkeys(row.room for row in self.rows if row.hands))

    @property
    def room(self) -> str:
        """The room, or all of them: "GGPoker, PokerStars"."""
        rooms = self.rooms
        return ", ".join(sorted(room or NO_ROOM for room in rooms)) if len(rooms) > 1 else "".join(rooms)

    @property
    def hands(self) -> int:
        """The hands under all names."""
        return sum(row.hands for row in self.rows)

    @property
    def first_time(self) -> int | None:
        """When the first hand with a time was played, in seconds since 1970."""
        return min((row.first_time for row in self.rows if row.first_time is not None), default=None)

    @property
    def last_time(self) -> int | None:
        """When the last one was."""
        return max((row.last_time for row in self.rows if row.last_time is not None), default=None)


@dataclass(frozen=True, eq=False)
class Joined:
    """The persons of several players in a store, by the numbers of these."""

    heads: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(0, np.int64)
    )  # [players + 1] whose facts
    members: Mapping[int, tuple[int, ...]] = field(default_factory=dict)  # head -> all numbers
    names: Mapping[int, str] = field(default_factory=dict)  # number -> name of the person
    renamed: Mapping[PlayerKey, str] = field(default_factory=dict)  # player -> name of the person

    def head(self, number: int) -> int:
        """The number that the facts of a player have."""
        return int(self.heads[number]) if self.heads.size else number

    def owners(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same for the players of many seats."""
        return self.heads[numbers] if self.heads.size else numbers

    def all_of(self, head: int) -> tuple[int, ...]:
        """The numbers of the players who are the person of this number."""
        return self.members.get(head, (head,))

    def called(self, name: str) -> list[int]:
        """The numbers of the persons of this name who are several players."""
        return [head for head in self.members if self.names[head] == name]

    def told(self, hand: Hand) -> Hand:
        """The hand with everybody under the name of the person."""
        if not self.renamed or not any((name, hand.room) in self.renamed for name in hand.players):
            return hand
        players = tuple([self.renamed.get((name, hand.room), name) for name in hand.players])
        return replace(hand, players=players)


def join_people(people: KnownPeople, numbers: Mapping[PlayerKey, int], players: int) -> Joined:
    """The persons of a store whose players have these ``numbers``; names that it does not have are left out.

    Two persons who would have one name in one room are refused.
    """
    heads = np.arange(players + 1)
    members: dict[int, tuple[int, ...]] = {}
    names: dict[int, str] = {}
    for group in people.groups:
        found = tuple(numbers[key] for key in group.players if key in numbers)
        if found:
            heads[list(found)] = found[0]
            members[found[0]] = found
            names.update(dict.fromkeys(found, group.name))
    taken: dict[PlayerKey, int] = {}
    for name, room, head in _places(people, numbers, heads):
        other = taken.setdefault((name, room), head)
        namesake = numbers.get((name, room))
        if other != head or (namesake is not None and heads[namesake] != head):
            where = room or NO_ROOM
            raise SoulreadError(
                f"{name!r} would be two people in {where}: the one of the alias, and another player of this "
                f"name there; join them too, or end the alias with: soulread player alias NAME --remove"
            )
    renamed = {key: group.name for group in people.groups for key in group.players if key in numbers}
    return Joined(heads, members, names, renamed)


def _places(
    people: KnownPeople, numbers: Mapping[PlayerKey, int], heads: NDArray[np.int64]
) -> Iterator[tuple[str, str, int]]:
    """The name of each person in each of its rooms, and the number."""
    for group in people.groups:
        for key in group.players:
            if key in numbers:
                yield group.name, key[1], int(heads[numbers[key]])


def verify_apart(hands: Mapping[PlayerKey, NDArray[np.int64]]) -> None:
    """Raise if two players, given with the numbers of their hands, sit in the same hand: nobody does that."""
    if not hands:
        return
    every = np.concatenate(list(hands.values()))
    numbers, counts = np.unique(every, return_counts=True)
    shared = numbers[counts > 1]
    if shared.size:
        first = int(shared[0])
        names = " and ".join(f"{name!r}" for (name, _), own in hands.items() if first in own)
        more = f"{shared.size:,} hands" if shared.size > 1 else "one hand"
        raise SoulreadError(
            f"{names} are not one person: they sit in {more} together, such as #{first}; an alias is ended "
            "with: soulread player alias NAME --remove"
        )
