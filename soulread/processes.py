"""Work spread over processes, which end with whoever started them.

Whoever spreads work takes a `Runner`: processes of this machine (`Processes`), or those of many machines
(`soulread.cluster.runner.Cluster`). A number stands for so many processes here.

Every process computes in one thread. BLAS rounds differently with two threads, and a result must not depend
on the number of processes or threads.

No process outlives its parent, however the parent ends. On Linux the kernel ends it at once. Elsewhere, and
where that fails, a thread in each process looks every second whether the parent is still there. Ctrl-C in a
terminal reaches all processes of a command; the children ignore it, and the parent ends them.
"""

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import current_process
from multiprocessing.connection import wait
from queue import SimpleQueue
from typing import Any, Protocol, TypeAlias, TypeVar

from soulread.errors import SoulreadError
from soulread.machine import num_cores
from soulread.notices import tell_once
from soulread.words import plural

Result = TypeVar("Result")

PER_CORE = 2  # processes, at most
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMBA_NUM_THREADS",
    ),
    "1",
)


class Runner(Protocol):
    """Where work runs."""

    @property
    def shares_files(self) -> bool:
        """Whether a path here is the same file for whoever works."""

    def run(
        self,
        function: Callable[..., Result],
        arguments: Sequence[tuple[Any, ...]],
        wanted: Callable[[int], bool] | None = None,
    ) -> Iterator[tuple[int, Result]]:
        """What `run_in_processes` promises, wherever the function is called."""


Jobs: TypeAlias = int | Runner
"""So many processes of this machine, or another runner."""


@dataclass(frozen=True)
class Processes:
    """The runner of so many processes of this machine."""

    jobs: int = 1
    shares_files = True

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise SoulreadError(f"the work needs at least one process, not {self.jobs}")

    def run(
        self,
        function: Callable[..., Result],
        arguments: Sequence[tuple[Any, ...]],
        wanted: Callable[[int], bool] | None = None,
    ) -> Iterator[tuple[int, Result]]:
        """`run_in_processes`."""
        return run_in_processes(function, arguments, self.jobs, wanted)


def runner_of(jobs: Jobs) -> Runner:
    """The runner that is meant; a number of processes below one is a `SoulreadError`."""
    return Processes(jobs) if isinstance(jobs, int) else jobs


def num_processes(jobs: int, tasks: int) -> int:
    """How many processes are started if ``jobs`` are asked for: no more than tasks, or than two per core."""
    if jobs < 1:
        raise SoulreadError(f"the work needs at least one process, not {jobs}")
    most = PER_CORE * num_cores()
    if min(jobs, tasks) > most:
        asked = plural(jobs, "process was", "processes were")
        tell_once(f"{asked} asked for; {most} are used, {PER_CORE} for each of {plural(num_cores(), 'core')}")
    return min(jobs, tasks, most)


_RESULT, _ERROR, _NEWS = range(3)  # what comes through the pipe of a process
_SWITCH = 2e-4  # seconds after which a worker that works also listens; else whoever gives it work waits


class Worker:
    """A process that calls one function with whatever it is given, in order, and gives back the results.

    It may be given more before a result is taken: it listens and answers while it works, so that neither
    process waits for the other. What goes through the pipe is written by loky, which, unlike the standard
    library, can also send what was defined at a prompt or in a script.

    While the function works it may say how far it is (`tell_owner`); ``told`` is called with what it says, in
    the order in which results are taken.
    """

    def __init__(self, function: Callable[..., Any], told: Callable[[Any], None] = lambda news: None) -> None:
        from joblib.externals.loky.backend import get_context

        self._told = told

        _prepare()
        context = get_context("loky")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_work, args=(theirs, function, os.getpid()), daemon=True, env=ONE_THREAD
        )
        with _without_interrupts():
            self._process.start()
        theirs.close()

    def give(self, *arguments: Any) -> None:
        """Let the function be called with these arguments."""
        from joblib.externals.loky.backend.reduction import dumps

        self.pipe.send_bytes(dumps(arguments))

    def is_ready(self) -> bool:
        """Whether `take` need not wait; true also of a process that has ended."""
        return bool(self.pipe.poll())

    def take(self) -> Any:
        """The next result, or the error that was raised in its place.

        A process that has ended is an `EOFError` or a `ConnectionError`.
        """
        while True:
            kind, result = self.pipe.recv()
            if kind == _NEWS:
                self._told(result)
            elif kind == _ERROR:
                raise result
            else:
                return result

    def end(self) -> None:
        """End the process at once."""
        with _without_interrupts():
            self._process.terminate()  # nothing in a process holds this signal back
            self._process.join()
            self.pipe.close()


def run_in_processes(
    function: Callable[..., Result],
    arguments: Sequence[tuple[Any, ...]],
    jobs: int,
    wanted: Callable[[int], bool] | None = None,
) -> Iterator[tuple[int, Result]]:
    """Call ``function`` with each of the ``arguments`` on ``jobs`` processes; yield results as they come.

    Each comes with the number of its arguments. Work is begun in the order given. ``wanted`` is asked about a
    number before its work is begun; what is no longer wanted is left out. An error in a process is raised
    here. After an error, or when the caller stops early, all processes are ended at once.
    """
    count = num_processes(jobs, len(arguments))
    numbers = (n for n in range(len(arguments)) if wanted is None or wanted(n))
    workers: dict[Any, Worker] = {}  # by pipe
    busy: dict[Any, int] = {}  # the pipe of each process that works, and the number of its arguments

    def give_work(pipe: Any) -> None:
        number = next(numbers, None)
        if number is not None:
            busy[pipe] = number
            workers[pipe].give(*arguments[number])

    _prepare()
    try:
        for _ in range(count):
            with _without_interrupts():
                worker = Worker(function)
                workers[worker.pipe] = worker
            give_work(worker.pipe)
        while busy:
            ready: list[Any] = wait(list(busy))
            for pipe in ready:
                result = workers[pipe].take()
                number = busy.pop(pipe)
                give_work(pipe)
                yield number, result
    except (EOFError, ConnectionError):  # the other end of a pipe is gone
        raise SoulreadError(
            f"one of {plural(count, 'process', 'processes')} ended before its work was done; if memory ran "
            "out, fewer at a time (--jobs) need less"
        ) from None
    finally:
        for worker in workers.values():
            worker.end()


_answers: "SimpleQueue[Any] | None" = None  # of this process, if it is one of a `Worker`


def tell_owner(news: Any) -> None:
    """Tell whoever takes this process's results how far its work is; without such an owner, nobody hears."""
    from joblib.externals.loky.backend.reduction import dumps

    if _answers is not None:
        _answers.put(dumps((_NEWS, news)))


def _prepare() -> None:
    """Start loky's own process before interrupts are held back: to start it, loky lets them through again."""
    from joblib.externals.loky.backend.resource_tracker import ensure_running

    ensure_running()


def _work(pipe: Any, function: Callable[..., Any], parent: int) -> None:
    """The work of each process: take arguments from the pipe, send back results, errors and news."""
    from joblib.externals.loky.backend.reduction import dumps

    global _answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    current_process().daemon = False  # so that it may have children, which end with it
    if sys.platform == "linux":
        _end_with_parent()
    if sys.platform != "win32":  # where the number of the parent never changes
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    sys.setswitchinterval(_SWITCH)
    given: SimpleQueue[Any] = SimpleQueue()
    answers: SimpleQueue[Any] = SimpleQueue()
    _answers = answers
    threading.Thread(target=_listen, args=(pipe, given), daemon=True).start()
    threading.Thread(target=_answer, args=(pipe, answers), daemon=True).start()
    while (arguments := given.get()) is not None:
        try:
            answers.put(dumps((_RESULT, function(*arguments))))
        except Exception as error:
            answers.put(_failure(error))


def _listen(pipe: Any, given: "SimpleQueue[Any]") -> None:
    """Take arguments from the pipe as they come; at its end, None."""
    try:
        with suppress(EOFError, ConnectionError):
            while True:
                given.put(pipe.recv())
    finally:
        given.put(None)


def _answer(pipe: Any, answers: "SimpleQueue[Any]") -> None:
    with suppress(ConnectionError):
        while True:
            pipe.send_bytes(answers.get())


def _failure(error: Exception) -> Any:
    from joblib.externals.loky.backend.reduction import dumps

    return dumps((_ERROR, sendable(error)))


def sendable(error: Exception) -> Exception:
    """An error as it goes to another process, with its traceback if nobody foresaw it.

    An error that cannot be sent is told in words.
    """
    from joblib.externals.loky.backend.reduction import dumps

    if not isinstance(error, SoulreadError):
        error.add_note("in another process:\n" + "".join(traceback.format_exception(error)))
    try:
        dumps(error)
        return error
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")


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


def _end_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends."""
    import ctypes

    death_signal = 1  # PR_SET_PDEATHSIG of prctl(2)
    with suppress(OSError, AttributeError):  # the thread watches too
        ctypes.CDLL(None, use_errno=True).prctl(death_signal, signal.SIGKILL, 0, 0, 0)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)
