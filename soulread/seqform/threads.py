"""Kernels on several cores: plain threads, since kernels release the GIL.

Threads of a pool sleep between calls, so they do not fight with those of OpenBLAS, and several callers
may use them at once. The number of threads is Numba's setting ``NUMBA_NUM_THREADS``, else that of the cores.
"""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

from soulread.abstraction.workers import num_workers

PARALLEL_SIZE = 200_000  # numbers touched by a call from which on threads pay


def run_parallel(count: int, work: Callable[[int], object]) -> None:
    """Call ``work(0)``, ..., ``work(count - 1)``, side by side on the threads; returns when all are done.

    One call runs at once, on the calling thread. An exception is raised after the other calls ended.
    """
    threads = num_workers()
    if count == 1 or threads == 1:
        for k in range(count):
            work(k)
        return
    futures = [_pool(os.getpid(), threads).submit(work, k) for k in range(1, count)]
    try:
        work(0)
    finally:
        for future in futures:
            future.exception()
    for future in futures:
        future.result()


@lru_cache(maxsize=1)
def _pool(process: int, threads: int) -> ThreadPoolExecutor:
    """The pool of this process; a child process needs its own, for threads are not inherited."""
    return ThreadPoolExecutor(threads, "soulread")
