"""Work spread over processes, which end with whoever started them.

Every process has one thread. BLAS rounds differently with two threads, and a result must not depend on the
number of processes or threads.

No process outlives its parent, however the parent ends. On Linux the kernel ends it at once. Elsewhere, and
where that fails, a thread in each process looks every second whether the parent is still there. Ctrl-C in a
terminal reaches all processes of a command; the children ignore it, and the parent ends them.
"""

import logging
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from soulread.errors import SoulreadError
from soulread.machine import num_cores
from soulread.words import plural

Result = TypeVar("Result")

PER_CORE = 2  # processes, at most
_IDLE = 30  # seconds without work after which a process ends
_ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMBA_NUM_THREADS",
    ),
    "1",
)


def num_processes(jobs: int, tasks: int) -> int:
    """How many processes are started if ``jobs`` are asked for: no more than tasks, or than two per core."""
    if jobs < 1:
        raise SoulreadError(f"the work needs at least one process, not {jobs}")
    most = PER_CORE * num_cores()
    if min(jobs, tasks) > most:
        logging.getLogger("soulread").warning(
            "%s asked for; %d are used, %d for each of %s",
            plural(jobs, "process was", "processes were"),
            most,
            PER_CORE,
            plural(num_cores(), "core"),
        )
    return min(jobs, tasks, most)


def run_in_processes(
    function: Callable[..., Result], arguments: Sequence[tuple[Any, ...]], jobs: int
) -> Iterator[tuple[int, Result]]:
    """Call ``function`` with each of the ``arguments`` on ``jobs`` processes; yield results as they come.

    Each comes with the number of its arguments. Work is begun in the order given. An error in a process is
    raised here and ends the rest. When the caller stops early, the processes are ended.
    """
    from joblib.externals.loky import ProcessPoolExecutor, as_completed
    from joblib.externals.loky.process_executor import BrokenProcessPool

    count = num_processes(jobs, len(arguments))
    with _without_interrupts():
        pool = ProcessPoolExecutor(
            count, timeout=_IDLE, env=_ONE_THREAD, initializer=_begin, initargs=(os.getpid(),)
        )
    try:
        with _without_interrupts():
            running = {pool.submit(function, *given): number for number, given in enumerate(arguments)}
        for future in as_completed(running):
            yield running[future], future.result()
    except BrokenProcessPool:
        raise SoulreadError(
            f"one of {plural(count, 'process', 'processes')} ended before its work was done; if memory ran "
            "out, fewer at a time (--jobs) need less"
        ) from None
    finally:
        with _without_interrupts(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Failed to kill subprocesses")  # of a worker, which has none
            pool.shutdown(kill_workers=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ctrl-C waits until the block is over. Processes started within never notice it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(parent: int) -> None:
    """Called in each process when it starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        _end_with_parent()
    if sys.platform != "win32":  # where the number of the parent never changes
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _end_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends."""
    import ctypes

    death_signal = 1  # PR_SET_PDEATHSIG of prctl(2)
    try:
        ctypes.CDLL(None, use_errno=True).prctl(death_signal, signal.SIGKILL, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # the thread watches too


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
