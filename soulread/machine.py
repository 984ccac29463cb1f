"""Memory and cores of the machine; work that it cannot hold is refused before it begins."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

from soulread.errors import SoulreadError


def num_cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def num_threads() -> int:
    """How many threads kernels get: Numba's setting (``NUMBA_NUM_THREADS``), else the number of cores."""
    chosen = os.environ.get("NUMBA_NUM_THREADS", "")
    return max(1, int(chosen)) if chosen.isdigit() else num_cores()


@contextmanager
def uncollected() -> Iterator[None]:
    """While the block runs, Python does not look for garbage: for blocks that make many objects and none."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


_together = Lock()
_inside: list[Any] = []  # blocks of `one_thread_each` under way; the first holds what was set before


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let every matrix product in the block run on the thread that asks for it.

    For blocks that start threads of their own: these would wait for those of the products, and waiting costs
    as much CPU as working. Blocks may overlap; what was set before comes back when the last one ends.
    """
    with _together:
        _inside.append(_products().limit(limits=1, user_api="blas") if not _inside else None)
    try:
        yield
    finally:
        with _together:
            limits = _inside.pop()  # None unless it is the last block
            if limits is not None:
                limits.restore_original_limits()


@cache
def _products() -> Any:
    from threadpoolctl import ThreadpoolController  # slow to import, and not often needed

    return ThreadpoolController()


def available_memory() -> int | None:
    """Return the bytes of memory that are free, within a container's limit; None if unknown."""
    free = None
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        names = getattr(os, "sysconf_names", {})
        if "SC_PHYS_PAGES" in names:
            free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        group = Path("/sys/fs/cgroup")
        limit = int((group / "memory.max").read_text())
        left = limit - int((group / "memory.current").read_text())
        free = left if free is None else min(free, left)
    except (OSError, ValueError):
        pass
    return free


_ADDRESSES = 2**47  # bytes that a process of today's machines can address at all


def verify_room(what: str, needed: int) -> None:
    """Raise, with the figures, if ``what`` (such as "10 hands") takes more bytes than are free."""
    free = available_memory()
    if needed > (_ADDRESSES if free is None else free):
        there = "no machine has" if free is None else f"{size_text(free)} are free"
        raise SoulreadError(f"{what} would take {size_text(needed)} of memory, {there}; ask for fewer")


def size_text(size: int) -> str:
    """``"1.5 GB"``: bytes in a unit that fits."""
    for unit, factor in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if size >= factor or unit == "MB":
            break
    digits = 1 if size < 100 * factor else 0
    if size >= 10**18:
        return f"{size:.1e} bytes" if size < 10**300 else "more bytes than have a name"
    return f"{size / factor:,.{digits}f} {unit}"
