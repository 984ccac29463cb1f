"""The journal of an SQLite store, the file ``-wal`` beside it: whether a part of it would be lost silently.

A process that is killed leaves its last transactions there. SQLite takes them over when the store is opened
next. It reads the journal up to the first frame whose checksum is wrong, and leaves the rest out without a
word. That is right for a transaction that was being written, and wrong for one that was finished. So frames
behind the last good one are looked at: if one of them ends a transaction of this journal, it was finished.

The format is described at https://www.sqlite.org/fileformat2.html#walformat.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from soulread.kernel import kernel

_HEADER, _FRAME = 32, 24  # bytes
_MAGIC = (0x377F0682, 0x377F0683)  # checksums of little- and of big-endian words
_VERSION = 3007000
_TRIES = 5  # while somebody writes


def journal_of(store: Path) -> Path:
    """The journal of a store."""
    return store.with_name(f"{store.name}-wal")


def is_cut(store: Path) -> bool:
    """Whether the journal of a store has finished transactions that SQLite would leave out."""
    path = journal_of(store)
    for _ in range(_TRIES):
        try:
            content = path.read_bytes()
        except OSError:
            return False
        if not _loses(content):
            return False
        if path.exists() and path.read_bytes()[: len(content)] == content:  # nobody is writing
            return True
    return False


def _loses(content: bytes) -> bool:
    if len(content) < _HEADER + _FRAME:
        return False
    words = np.frombuffer(content[:_HEADER], ">u4").astype(np.int64)
    magic, version, size = words[:3].tolist()
    if magic not in _MAGIC or version != _VERSION or not _is_page(size):
        return True
    order = "<u4" if magic == _MAGIC[0] else ">u4"
    sums = np.zeros(2, np.uint32)
    _add(sums, np.frombuffer(content[: _HEADER - 8], order).astype(np.uint32))
    if sums.tolist() != words[6:].tolist():
        return True
    length = _FRAME + size
    count = (len(content) - _HEADER) // length
    frames = np.frombuffer(content, np.uint8, count * length, _HEADER).reshape(count, length)
    heads = frames[:, :_FRAME].copy().view(">u4").astype(np.int64)  # page, size after commit, salts, sums
    good = 0
    while good < count:
        frame = np.ascontiguousarray(frames[good])
        _add(sums, frame[:8].view(order).astype(np.uint32))
        _add(sums, frame[_FRAME:].view(order).astype(np.uint32))
        if heads[good, 2:4].tolist() != words[4:6].tolist() or heads[good, 4:].tolist() != sums.tolist():
            break
        good += 1
    behind = heads[good:]
    ends = (behind[:, 1] != 0) & (behind[:, 2:4] == words[4:6]).any(axis=1)
    return bool((ends | (behind[:, 0] == 0)).any())  # nobody writes a frame of page 0


def _is_page(size: int) -> bool:
    return 512 <= size <= 65536 and size & (size - 1) == 0


@kernel
def _add(sums: NDArray[np.uint32], words: NDArray[np.uint32]) -> None:
    """Go on with SQLite's checksum over an even number of words."""
    first, second = np.int64(sums[0]), np.int64(sums[1])
    for i in range(0, words.size, 2):
        first = (first + np.int64(words[i]) + second) & 0xFFFFFFFF
        second = (second + np.int64(words[i + 1]) + first) & 0xFFFFFFFF
    sums[0], sums[1] = first, second
