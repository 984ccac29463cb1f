"""Bring hands into a store, and count those that are left out by reason."""

import gc
import os
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.hands.discreet import discreet
from soulread.hands.formats.base import Piece
from soulread.hands.formats.reading import Skipped, cut_files, read_pieces
from soulread.hands.formats.sharing import read_shared
from soulread.hands.formats.sources import STDIN
from soulread.hands.hand import Hand
from soulread.hands.identity import Anonymiser
from soulread.hands.store import Added, Store
from soulread.machine import uncollected
from soulread.processes import Runner
from soulread.report.shown import Shown, ShownTable
from soulread.words import plural

__all__ = ["ImportStudy", "Skipped", "import_hands", "import_spread"]

EXAMPLES = 5  # of each reason
COLLECTED = 50  # batches between two looks for garbage: reading and storing leave next to none


@dataclass(repr=False)
class ImportStudy(Shown):
    """The result of an import; it is filled while hands come in."""

    LINE = "{it.conclusion}"

    added: Added = field(default_factory=Added)
    bad: Counter[str] = field(default_factory=Counter)  # hands left out, by reason
    other_games: Counter[str] = field(default_factory=Counter)  # hands of games we do not play, by game
    examples: dict[str, list[Skipped]] = field(default_factory=dict)  # the first few of each reason
    bytes_read: int = 0  # of files on disk
    read: int = 0  # hands read, also those that are in the store already
    seconds: float = 0.0

    JSON = keys(
        "*added left_out seconds",
        reasons=lambda study: dict(study.bad.most_common()),
        other_games=lambda study: dict(study.other_games.most_common()),
        examples=lambda study: [str(skipped) for kept in study.examples.values() for skipped in kept],
        hands_per_second="rate",
    )

    @property
    def left_out(self) -> int:
        """The number of bad hands; those of other games do not count."""
        return self.bad.total()

    @property
    def rate(self) -> float:
        """Hands per second, with those that were left out."""
        return (self.read + self.left_out) / self.seconds if self.seconds else 0.0

    @property
    def conclusion(self) -> str:
        """The result in one sentence."""
        text = f"{plural(self.added.new, 'new hand')}, {self.added.known:,} known already"
        if self.added.enriched:
            text += f" (cards added to {self.added.enriched:,})"
        text += f", {self.left_out:,} left out"
        if self.other_games:
            text += f", {self.other_games.total():,} of other games"
        return f"{text}; {self.seconds:.1f} s, {self.rate:,.0f} hands/s."

    def note(self, skipped: Skipped) -> None:
        """Count a hand that is left out."""
        counted = self.other_games if skipped.other_game else self.bad
        counted[skipped.reason] += 1
        kept = self.examples.setdefault(skipped.reason, [])
        if len(kept) < EXAMPLES:
            kept.append(skipped)


@dataclass(frozen=True, repr=False)
class HandsRead(ShownTable, Sequence[Hand]):
    """The hands of files, as a sequence, and what was skipped in them."""

    hands: tuple[Hand, ...]
    skipped: tuple[Skipped, ...] = ()

    def __len__(self) -> int:
        return len(self.hands)

    def __getitem__(self, index: Any) -> Any:
        return self.hands[index]

    def summary(self) -> str:
        """Return how many hands there are, of how many players, and how many were skipped."""
        names = {name for hand in self.hands for name in hand.players}
        return f"{plural(len(self), 'hand')} of {plural(len(names), 'player')}, {len(self.skipped):,} skipped"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each hand: id, time, game, players and betting."""
        return [
            {
                "id": hand.id,
                "time": hand.time,
                "game": hand.game,
                "players": ", ".join(hand.players),
                "betting": hand.betting,
            }
            for hand in self.hands
        ]


class _Places:
    """Files by their number in an import that may not name them."""

    def __init__(self, paths: Sequence[str], anonymiser: Anonymiser) -> None:
        self._paths = paths
        self._anonymiser = anonymiser
        self._numbers: dict[str, int] = {}

    def hidden(self, skipped: Skipped) -> Skipped:
        """The same without names: the file as its number, and no word of what stands in it."""
        return replace(
            skipped,
            source=self._place(skipped.source),
            id=self._anonymiser.label("hand", skipped.id),
            detail=discreet(skipped.detail),
        )

    def _place(self, source: str) -> str:
        if not self._numbers:
            self._numbers = {name: number for number, name in enumerate(_files(self._paths), start=1)}
        file = source = str(Path(source))
        while file not in self._numbers:
            file = file[: max(file.rfind("/"), file.rfind(os.sep), 0)]
            if not file:
                return self._anonymiser.label("file", source)
        number, member = self._numbers[file], source[len(file) :]
        within = f", member {self._anonymiser.label('member', member)}" if member else ""
        return f"file {number}{within}"


def _files(paths: Sequence[str]) -> Iterator[str]:
    """All files on disk, named and ordered as `read_hands` does it, each once; a month of IRC is one."""
    found: dict[str, None] = {}
    for path in paths:
        if path == STDIN or not Path(path).is_dir():
            found["standard input" if path == STDIN else str(Path(path))] = None
            continue
        for folder, folders, files in os.walk(Path(path)):
            folders.sort()
            if "hdb" in files:
                folders.clear()
                found[str(Path(folder))] = None
                continue
            found.update(dict.fromkeys(str(Path(folder, file)) for file in sorted(files)))
    return iter(found)


def size_of(paths: Sequence[str]) -> int | None:
    """Bytes of all files there are to read; None where that is not known: standard input, pipes."""
    total = 0
    for path in paths:
        place = Path(path)
        try:
            if place.is_file():
                total += place.stat().st_size
            elif place.is_dir():
                total += sum(file.stat().st_size for file in place.rglob("*") if file.is_file())
            else:
                return None
        except OSError:  # a file that goes away meanwhile
            return None
    return total


class _Part(NamedTuple):
    """What an importer of one file found."""

    added: Added
    read: int
    bytes_read: int
    skipped: list[Skipped]


class _Files(Sequence[tuple[Any, ...]]):
    """Files as they go to importers: by their paths, or, if these are elsewhere, with what they hold.

    A file is read when it is its turn, so no more are in memory than are under way.
    """

    def __init__(self, files: Sequence[str], travel: bool, settings: tuple[Any, ...]) -> None:
        self._files = files
        self._travel = travel
        self._settings = settings

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, index: Any) -> Any:
        path = self._files[index]
        return (path, _content(path) if self._travel else None, *self._settings)


def _content(path: str) -> dict[str, bytes]:
    """A file, or those of a folder, by the rest of their paths."""
    place = Path(path)
    try:
        if place.is_file():
            return {"": place.read_bytes()}
        return {
            str(file.relative_to(place)): file.read_bytes()
            for file in sorted(place.rglob("*"))
            if file.is_file()
        }
    except OSError as error:
        raise SoulreadError(f"{path!r} cannot be read: {error.strerror}") from None


def import_spread(
    where: str,
    paths: Sequence[str],
    runner: Runner,
    game: PokerGame | None = None,
    *,
    anonymiser: Anonymiser | None = None,
    strict: bool = False,
    progress: Callable[[ImportStudy], None] | None = None,
    noted: Callable[[Skipped], None] | None = None,
) -> ImportStudy:
    """`import_hands` by many importers, each of whom reads whole files, into the store of a server.

    The store holds what one importer would have put there: one hand once, whoever imports it. Which of two
    files with the same hand it comes from is not foreseen. Where importers do not share the disk, files
    travel to them. ``progress`` is called after each file.
    """
    if not where.startswith(("postgresql://", "postgres://")):
        raise SoulreadError(
            f"{where!r} is a file, which one program writes at a time; an import is spread into the store of "
            "a server: --db postgresql://user@host/database"
        )
    if STDIN in paths:
        raise SoulreadError("standard input cannot be spread; name files")
    study = ImportStudy()
    started = time.perf_counter()
    places = None if anonymiser is None else _Places(paths, anonymiser)
    files = list(_files(paths))
    with Store.open(where):  # it is made once, and old ones are brought up to date once
        pass
    for _, part in runner.run(
        _import_part, _Files(files, not runner.shares_files, (where, game, anonymiser))
    ):
        for name in ("new", "known", "enriched"):
            setattr(study.added, name, getattr(study.added, name) + getattr(part.added, name))
        study.read += part.read
        study.bytes_read += part.bytes_read
        study.seconds = time.perf_counter() - started
        for raw in part.skipped:
            found = raw if places is None else places.hidden(raw)
            study.note(found)
            if noted is not None:
                noted(found)
            if strict and not found.other_game:
                raise SoulreadError(str(found))
        if progress is not None:
            progress(study)
    return study


def _import_part(
    path: str,
    content: dict[str, bytes] | None,
    where: str,
    game: PokerGame | None,
    anonymiser: Anonymiser | None,
) -> _Part:
    """Bring one file into the store, in a process of its own."""
    if content is None:
        return _import_file(path, path, where, game, anonymiser)
    with TemporaryDirectory(prefix="soulread-import-") as folder:
        root = Path(folder) / Path(path).name
        for name, text in content.items():
            file = root / name if name else root
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
        return _import_file(str(root), path, where, game, anonymiser)


def _import_file(
    path: str, told: str, where: str, game: PokerGame | None, anonymiser: Anonymiser | None
) -> _Part:
    """Bring the file at ``path`` into the store, as one that is ``told`` to lie elsewhere."""
    size = read = 0
    skipped: list[Skipped] = []

    def measure(number: int) -> None:
        nonlocal size
        size += number

    def coming() -> Iterator[Hand]:
        nonlocal read
        for found in read_pieces(cut_files(path, game, measure)):
            source = told + found.source[len(path) :] if found.source.startswith(path) else found.source
            if isinstance(found, Skipped):
                skipped.append(replace(found, source=source))
            else:
                read += 1
                yield replace(found, source=source)

    with Store.open(where) as store, uncollected():
        added = store.add(coming(), anonymiser=anonymiser)
    return _Part(added, read, size, skipped)


def import_hands(
    store: Store,
    paths: Sequence[str],
    game: PokerGame | None = None,
    *,
    anonymiser: Anonymiser | None = None,
    strict: bool = False,
    progress: Callable[[ImportStudy], None] | None = None,
    noted: Callable[[Skipped], None] | None = None,
) -> ImportStudy:
    """Read files, folders and archives into a store.

    ``progress`` is called after each batch that is safe, ``noted`` with each hand that is left out. A path
    that cannot be read ends the import with a `SoulreadError`, and so does, with ``strict``, the first bad
    hand; what was read before is kept.

    With an ``anonymiser`` no name is stored or told. A file is told as its number: `read_hands` reads the
    files of a folder in the order of their names, and then its folders. Quotations are left out.
    """
    study = ImportStudy()
    started = time.perf_counter()
    stopped: list[SoulreadError] = []
    batches = count(1)
    places = None if anonymiser is None else _Places(paths, anonymiser)

    def measure(number: int) -> None:
        study.bytes_read += number

    def cut() -> Iterator[Piece | Hand | Skipped]:
        """The pieces of all files; with ``places`` an error names only the number of its path."""
        for number, path in enumerate(paths, start=1):
            try:
                yield from cut_files(path, game, measure)
            except SoulreadError as error:
                if places is None:
                    raise
                raise SoulreadError(f"path {number}: {discreet(str(error))}") from None

    def coming() -> Generator[Hand]:
        """The hands; an error only ends them, so that those before it are stored."""
        try:
            for found in read_shared(cut()):
                if not isinstance(found, Skipped):
                    study.read += 1
                    yield found
                    continue
                if places is not None:
                    found = places.hidden(found)
                study.note(found)
                if noted is not None:
                    noted(found)
                if strict and not found.other_game:
                    raise SoulreadError(str(found))
        except SoulreadError as error:
            stopped.append(error)

    def safe(added: Added) -> None:
        if next(batches) % COLLECTED == 0:
            gc.collect()
        study.added = added
        study.seconds = time.perf_counter() - started
        if progress is not None:
            progress(study)

    with closing(coming()) as hands, uncollected():  # closed also where the store fails: it has processes
        study.added = store.add(hands, anonymiser=anonymiser, progress=safe)
    study.seconds = time.perf_counter() - started
    if stopped:
        stored = f"; {plural(study.added.new, 'new hand')} before it stored" if study.added.new else ""
        raise SoulreadError(f"{stopped[0]}{stored}")
    return study
