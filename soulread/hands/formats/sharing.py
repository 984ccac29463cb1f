"""Hands of many pieces, read by this process and by others at the same time.

Reading a piece depends on nothing else, so it does not matter which process does it. This process cuts the
files, and gives pieces, `PIECES` at a time, to *workers*: other processes, one for each core that is left.
Hands come out in the order of the pieces. When the next ones are not there yet, this process reads some
itself. So all cores are busy whether reading or storing takes longer, and a worker that ends before its work
is done costs nothing: what it was given is read here.

Workers are started when `ALONE` pieces have been read: for a few hands they are not worth their start. At
most `AHEAD` batches are cut and not yet handed out. Pieces and hands go from process to process as JSON.
"""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from soulread.errors import SoulreadError
from soulread.hands.formats.base import Piece, Skipped
from soulread.hands.formats.reading import read_piece, read_pieces
from soulread.hands.hand import Hand, Stakes
from soulread.hands.tables.packing import encode, hand_of_values, hand_values
from soulread.machine import num_cores, uncollected
from soulread.processes import Worker

ALONE = 2_000  # pieces
PIECES = 100  # of a batch
CHARACTERS = 2**18  # of a batch, but for its last piece
GIVEN = 16  # batches that a worker is given before it has read the first: work for the time of a transaction
AHEAD = 64  # batches that are cut before the first is handed out
WORKERS = 3  # more are faster than this process can cut and store

Found = Hand | Skipped
Cut = Piece | Hand | Skipped


def read_shared(cut: Iterable[Cut], workers: int | None = None) -> Iterator[Found]:
    """The hands of pieces, and whatever stands between these, in order, as `read_pieces` has them.

    ``workers`` is the number of other processes; None means as many as there are cores besides this one. An
    error of ``cut`` is raised behind everything that came before it.
    """
    count = min(WORKERS, num_cores() - 1) if workers is None else workers
    pieces = iter(cut)
    if count < 1:
        yield from read_pieces(pieces)
        return
    yield from read_pieces(islice(pieces, ALONE))
    with _Sharing(pieces, count) as shared:
        yield from shared.hands()


@dataclass(slots=True)
class _Batch:
    """Pieces that follow each other, and what was read of them; None if they are yet to be read."""

    pieces: list[Piece] = field(default_factory=list)
    found: list[Found] | None = None
    worker: "_Helper | None" = None  # who reads it


@dataclass(slots=True)
class _Helper:
    """A worker, and the batches that it was given, in order."""

    process: Worker
    given: deque[_Batch] = field(default_factory=deque)
    most: int = 1  # batches given at once: one, until it has started and answered

    def give(self, batch: _Batch) -> None:
        """Let a batch be read."""
        self.process.give(write_pieces(batch.pieces))
        batch.worker = self
        self.given.append(batch)

    def take(self) -> None:
        """Take the next batch that was read."""
        found = read_answer(self.process.take())
        batch = self.given.popleft()
        batch.found, batch.worker = found, None
        self.most = GIVEN


class _Sharing:
    """Reads pieces together with some workers."""

    def __init__(self, pieces: Iterator[Cut], count: int) -> None:
        self._pieces = pieces
        self._error: SoulreadError | None = None  # of the pieces; it is raised when all else is handed out
        self._next = self._advance()
        self._queue: deque[_Batch] = deque()
        self._helpers: list[_Helper] = []
        self._count = count

    def __enter__(self) -> "_Sharing":
        return self

    def __exit__(self, *_: object) -> None:
        for helper in self._helpers:
            helper.process.end()

    def hands(self) -> Iterator[Found]:
        """What is found, in order."""
        if self._next is not None:
            self._start()
        while self._queue or self._next is not None:
            self._share()
            if self._queue and self._queue[0].found is not None:
                yield from self._queue.popleft().found or ()
            elif not self._help():
                self._wait()
        if self._error is not None:
            raise self._error

    def _start(self) -> None:
        """Start the workers; without them this process reads alone."""
        try:
            for _ in range(self._count):
                self._helpers.append(_Helper(Worker(read_batch)))
        except OSError:
            return

    def _cut(self) -> _Batch | None:
        """The next pieces, or hands that come as they are; None at the end."""
        pieces: list[Piece] = []
        found: list[Found] = []
        size = 0
        while self._next is not None and len(pieces) + len(found) < PIECES and size < CHARACTERS:
            if isinstance(self._next, Piece):
                if found:
                    break
                pieces.append(self._next)
                size += len(self._next.text) + len(self._next.about)
            else:
                if pieces:
                    break
                found.append(self._next)
            self._next = self._advance()
        return _Batch(pieces, found or None) if pieces or found else None

    def _advance(self) -> Cut | None:
        try:
            return next(self._pieces, None)
        except SoulreadError as error:
            self._error = error
            return None

    def _share(self) -> None:
        """Take what workers have read, and give them more."""
        for helper in tuple(self._helpers):
            try:
                while helper.given and helper.process.is_ready():
                    helper.take()
                while len(helper.given) < helper.most and len(self._queue) < AHEAD:
                    batch = self._cut()
                    if batch is None:
                        break
                    self._queue.append(batch)
                    if batch.found is None:
                        helper.give(batch)
            except (EOFError, OSError):
                self._lose(helper)

    def _help(self) -> bool:
        """Read a batch here: the first if nobody else does, else a new one; whether there was one to read."""
        batch = self._queue[0] if self._queue and self._queue[0].worker is None else None
        if batch is None and len(self._queue) < AHEAD - GIVEN * len(self._helpers):
            batch = self._cut()
            if batch is not None:
                self._queue.append(batch)
        if batch is None:
            return False
        if batch.found is None:
            batch.found = list(read_pieces(batch.pieces))
        return True

    def _wait(self) -> None:
        """Wait for the worker that reads the first batch."""
        helper = self._queue[0].worker if self._queue else None
        if helper is not None:
            try:
                helper.take()
            except (EOFError, OSError):
                self._lose(helper)

    def _lose(self, helper: _Helper) -> None:
        """A worker has ended: what it was given and has not read is read here."""
        self._helpers.remove(helper)
        helper.process.end()
        for batch in helper.given:
            batch.worker = None


# From process to process.


def write_pieces(pieces: Sequence[Piece]) -> bytes:
    """Pieces as they go to a worker."""
    return encode(pieces)


def read_batch(pieces: bytes) -> bytes:
    """The work of a worker: read pieces, and write what was found."""
    kinds: dict[tuple[str, str, Stakes], int] = {}  # what many hands share is written once
    found: list[Any] = []
    with uncollected():
        for piece in json.loads(pieces):
            for entry in read_piece(Piece._make(piece)):
                if isinstance(entry, Skipped):
                    found.append((-1, astuple(entry)))
                    continue
                kind = entry.variant, entry.room, entry.stakes
                found.append((kinds.setdefault(kind, len(kinds)), hand_values(entry, entry.players)))
        shared = [(variant, room, *astuple(stakes)) for variant, room, stakes in kinds]
        return encode((shared, found))


def read_answer(answer: bytes) -> list[Found]:
    """The hands and skips that `read_batch` wrote."""
    kinds, found = json.loads(answer)
    known = [(variant, _stakes(*stakes), room) for variant, room, *stakes in kinds]
    return [
        Skipped(*values) if kind < 0 else hand_of_values(values, values[0], *known[kind])
        for kind, values in found
    ]


@lru_cache(maxsize=1024)
def _stakes(*values: Any) -> Stakes:
    return Stakes(*values)
