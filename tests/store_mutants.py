"""A store of hands to be damaged: whatever is asked of it, the answer is the same, or that it is damaged."""

import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from mutants import ACCEPTED, BINARY, HARMLESS, Subject
from test_store import some_hands

from soulread.errors import SoulreadError
from soulread.hands.store import Query, Store
from soulread.study.hands.statistics import count_everybody, study_player

ROOMS = ("PokerStars", "GGPoker")


def stored_hands(count: int = 24) -> list[Any]:
    """A few hands of two rooms."""
    return [replace(hand, room=ROOMS[i % 2]) for i, hand in enumerate(some_hands(count))]


def _everybody(store: Store) -> tuple[Any, ...]:
    counted = count_everybody(store)
    names = store.names()
    return tuple((names[i], counted.hands[i], counted.actions[i].tobytes()) for i in sorted(names))


def _one(store: Store) -> tuple[Any, ...]:
    study = study_player(store, "Ann", Query(room="PokerStars"))
    return study.hands, tuple(repr(line.value) for line in study.lines)


def _refused(store: Store, question: Callable[[], Any]) -> str:
    try:
        question()
    except SoulreadError as error:
        if "damaged" in str(error):
            raise
        return str(error).replace(store.name, "")
    return "no sentence"


QUESTIONS: tuple[Callable[[Store], Any], ...] = (
    _everybody,
    _one,
    lambda store: [(number, hand.to_json()) for number, hand in store.find()],
    lambda store: [number for number, _ in store.find(Query(player="Bob", room="GGPoker"))],
    lambda store: [number for number, _ in store.find(Query(room="GGPoker", stakes="2"))],
    lambda store: store.players(),
    lambda store: (len(store), store.rooms(), store.hand("905"), store.hand("#7")),
    lambda store: _refused(store, lambda: store.hand("12345")),
    lambda store: _refused(store, lambda: store.player_number("Ann")),
    lambda store: _refused(store, lambda: store.player_number("Nobody")),
)


def answers(where: Path) -> list[Any]:
    """What a store says to each question: the answer, or None if it says that it is damaged."""
    try:
        store = Store.open(where, read_only=True)
    except SoulreadError:
        return [None] * len(QUESTIONS)
    found: list[Any] = []
    with store:
        for ask in QUESTIONS:
            try:
                found.append(ask(store))
            except SoulreadError:
                found.append(None)
    return found


def store_subject(left_behind: bool = False) -> Subject:
    """A store; if ``left_behind``, one whose journal a killed import left, and which is damaged there."""
    whole: list[Any] = []

    def make(folder: Path) -> list[Path]:
        where, made = folder / "hands.db", folder / "made.db"
        with Store.open(made) as store:
            connection: sqlite3.Connection = store._db._connection  # type: ignore[attr-defined]
            if left_behind:
                connection.execute("PRAGMA wal_autocheckpoint=0")
            store.add(stored_hands(), batch=8)
            if left_behind:
                for ending in ("", "-wal"):
                    shutil.copy(f"{made}{ending}", f"{where}{ending}")
        if not left_behind:
            shutil.copy(made, where)
        for ending in ("", "-wal", "-shm"):
            Path(f"{made}{ending}").unlink(missing_ok=True)
        copy = folder / "copy"
        copy.mkdir()
        for path in folder.glob("hands.db*"):
            shutil.copy(path, copy)
        whole[:] = answers(copy / "hands.db")
        shutil.rmtree(copy)
        assert None not in whole
        return [folder / "hands.db-wal", where] if left_behind else [where]

    def use(folder: Path, changed: bool) -> str:
        found = answers(folder / "hands.db")
        for path in folder.glob("hands.db-shm"):
            path.unlink()
        if not left_behind:
            (folder / "hands.db-wal").unlink(missing_ok=True)
        same = all(now is None or now == before for now, before in zip(found, whole, strict=True))
        if not same:
            return ACCEPTED
        if None in found:
            raise SoulreadError("damaged")
        return HARMLESS

    name = "store with a journal" if left_behind else "store"
    return Subject(name, make, use, mutators=_OF_JOURNAL if left_behind else (*BINARY, flip_value))


def flip_value(content: bytes, rng: np.random.Generator) -> bytes:
    """One bit of a cell: of the half of a page that is in use."""
    page = int(rng.integers(len(content) // 4096)) * 4096
    place = page + int(4096 * (1 - rng.random() ** 2 / 2)) % 4096
    return content[:place] + bytes([content[place] ^ (1 << int(rng.integers(8)))]) + content[place + 1 :]


_OF_JOURNAL = tuple(
    way for way in BINARY if way.__name__ in ("flip_bit", "change_byte", "zero_block", "flip_many")
)
