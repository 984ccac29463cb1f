"""Long counts on every core, with progress reports.

Kernels release Python's global lock, so plain threads are enough. Work comes in pieces, which are handed out
as threads become free. Each thread adds whole numbers into arrays of its own. The sum therefore does not
depend on how many threads there were or which of them did what.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Lock
from typing import TypeVar

from soulread.machine import num_threads

Progress = Callable[[str, float], None]  # called with what is being done and how much of it is done, 0 to 1
Piece = TypeVar("Piece")
Result = TypeVar("Result")


def pieces_of(size: int, pieces: int) -> list[slice]:
    """Cut ``range(size)`` into at most ``pieces`` slices of about equal length."""
    ends = [size * i // min(size, pieces) for i in range(min(size, pieces) + 1)]
    return [slice(first, last) for first, last in pairwise(ends)]


def run_pieces(
    pieces: Sequence[Piece],
    work: Callable[[Piece, Result], None],
    start: Callable[[], Result],
    title: str = "",
    progress: Progress | None = None,
    threads: int | None = None,
) -> list[Result]:
    """Do every piece once and return what each thread gathered, one result of ``start()`` per thread.

    If a piece raises, or at Ctrl-C, the other threads stop after the pieces they are working on.
    """
    lock = Lock()
    queue: Iterator[Piece] = iter(pieces)
    done = 0
    stopped = False
    if progress is not None:
        progress(title, 0.0)

    def gather() -> Result:
        nonlocal done, stopped
        result = start()
        try:
            while True:
                with lock:
                    piece = next(queue, None)
                    if piece is None or stopped:
                        return result
                work(piece, result)
                with lock:
                    done += 1
                    if progress is not None:
                        progress(title, done / len(pieces))
        except BaseException:
            stopped = True
            raise

    threads = max(1, min(threads or num_threads(), len(pieces)))
    if threads == 1:
        return [gather()]
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(gather) for _ in range(threads)]
        try:
            return [future.result() for future in futures]
        except BaseException:
            stopped = True
            raise
