"""Notes and labels: what the owner of a store wrote about its players. The store keeps them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.hands.people import PlayerKey, Remarks, StoredPerson
from soulread.hands.store import Store
from soulread.report.shown import ShownTable
from soulread.study.players.hero import find_player
from soulread.words import plural


@dataclass(frozen=True)
class PlayerRemarks:
    """The note and the labels of a player."""

    name: str
    room: str
    note: str
    labels: tuple[str, ...]

    JSON = keys("room note labels", player="name")

    @property
    def words(self) -> str:
        """Labels and note in a line; empty without any."""
        return " ".join([*(f"[{label}]" for label in self.labels), *([self.note] if self.note else [])])


@dataclass(frozen=True, repr=False)
class RemarksStudy(ShownTable):
    """The players of a store about whom something was written."""

    LINE = "{it.store}, {it.count} with notes or labels"
    TABLE = "players"

    store: str
    players: tuple[PlayerRemarks, ...]

    JSON = keys("store players")

    @property
    def count(self) -> str:
        """How many there are."""
        return plural(len(self.players), "player")


def study_remarks(store: Store, name: str | None = None, room: str | None = None) -> RemarksStudy:
    """What was written about everybody, or about one player, who is then there with or without remarks."""
    if name is not None:
        return RemarksStudy(store.name, (remarks_of(store, name, room),))
    told = [PlayerRemarks(*one.player, one.note, one.labels) for one in store.people().remarks]
    return RemarksStudy(store.name, tuple(sorted(told, key=lambda one: (one.name, one.room))))


def remarks_of(store: Store, name: str, room: str | None = None) -> PlayerRemarks:
    """The note and labels of a player."""
    found = _remarks(store, name, room)
    person = find_player(store, name, room)
    return PlayerRemarks(person.name, person.room, found.note, found.labels)


def remarks_by_player(store: Store, room: str | None = None) -> dict[PlayerKey, Remarks]:
    """What was written, by name and room of the player as `Store.players` tells them."""
    people = store.people()
    found: dict[PlayerKey, Remarks] = {}
    for one in people.remarks:
        own = people.person_of(one.player)
        name = own.players[0][0]
        for person in store.players_called(name) if store.has_player(name) else ():
            rows = tuple(row for row in person.rows if row.hands and room in (None, row.room))
            if rows and (rows[0].name, rows[0].room) in own.players:
                inside = StoredPerson(person.number, person.name, rows)
                found[inside.name, inside.room] = one
    return found


def write_note(store: Store, name: str, note: str, room: str | None = None) -> PlayerRemarks:
    """Keep a note on a player in place of the one before; an empty one forgets it."""
    return _write(store, replace(_remarks(store, name, room), note=note.strip()), name, room)


def write_labels(
    store: Store, name: str, labels: Sequence[str], room: str | None = None, *, remove: bool = False
) -> PlayerRemarks:
    """Give a player more labels; with ``remove`` take them away, all if none is named."""
    before = _remarks(store, name, room)
    asked = tuple(dict.fromkeys(label.strip() for label in labels))
    unknown = [label for label in asked if label not in before.labels]
    if remove and unknown:
        has = ", ".join(before.labels) or "none"
        raise SoulreadError(f"{name!r} has no label {unknown[0]!r}; its labels: {has}")
    if remove:
        kept = tuple(label for label in before.labels if asked and label not in asked)
    else:
        kept = tuple(dict.fromkeys((*before.labels, *asked)))
    return _write(store, replace(before, labels=kept), name, room)


def _remarks(store: Store, name: str, room: str | None) -> Remarks:
    first = find_player(store, name, room).rows[0]
    return store.people().remarks_on((first.name, first.room))


def _write(store: Store, remarks: Remarks, name: str, room: str | None) -> PlayerRemarks:
    store.change_people(lambda people: people.with_remarks(remarks))
    return remarks_of(store, name, room)
