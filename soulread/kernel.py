"""How soulread compiles its kernels: one place for Numba's settings, typed for mypy.

Kernels work on plain arrays, never raise and never allocate more than they must. The public function beside
each kernel checks the arguments first. ``parallel_kernel`` is for loops long enough to pay for threads. These
run on Numba's own work queue, because the spinning threads of OpenMP fight with those of OpenBLAS.

Numba keeps compiled code beside the source file, else in the user's own folder, else (where neither can be
written) in soulread's cache. If nothing can be written, every process compiles anew, and the user is told so.
The user is also told when compiling begins, since it takes up to a minute.

Numba caches compiled code per source file. It does not notice when a function in *another* file, which the
compiled code calls, was edited. ``make clean`` drops these caches.
"""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from soulread.errors import SoulreadError
from soulread.notices import COMPILING, tell_once
from soulread.storage.cache import cache_directory

os.environ.setdefault("NUMBA_THREADING_LAYER", "workqueue")

import numba  # only now, because the threading layer must be chosen before
from numba.core import event

Function = TypeVar("Function", bound=Callable[..., object])

config: Any = numba.config  # which is filled when Numba is imported
_PATIENCE = 0.3  # seconds of compiling before anybody is told


def kernel(function: Function) -> Function:
    """Compile a single-threaded kernel, cached on disk, that releases the GIL; other kernels may call it."""
    return cast(Function, _compiled(function, nogil=True))


def inline_kernel(function: Function) -> Function:
    """Compile a short kernel that becomes a part of its callers, where calls would cost much time."""
    return cast(Function, _compiled(function, nogil=True, inline="always"))


def parallel_kernel(function: Function) -> Function:
    """Compile a kernel whose ``prange`` loops run on every core."""
    return cast(Function, _compiled(function, nogil=True, parallel=True))


def _compiled(function: Callable[..., object], **settings: Any) -> Any:
    """A kernel, cached where there is a folder for it."""
    try:
        return numba.njit(cache=True, **settings)(function)
    except RuntimeError:  # Numba found no folder
        pass
    try:
        folder: Path | None = cache_directory() / "compiled"
    except SoulreadError:
        folder = None
    if folder is not None and not config.CACHE_DIR:
        config.CACHE_DIR = str(folder)
        try:
            return numba.njit(cache=True, **settings)(function)
        except RuntimeError:
            config.CACHE_DIR = ""
    tell_once(
        "compiled code cannot be kept, so every start takes up to a minute longer; "
        "set SOULREAD_CACHE to a folder that can be written"
    )
    return numba.njit(**settings)(function)


class _Compilation(event.Listener):
    """Hears when Numba begins to compile a function that is in no cache, and when it has done so."""

    def __init__(self) -> None:
        self._timer = threading.Timer(0, lambda: None)
        self._depth = 0  # functions whose compilation waits for that of others they call
        self._begun = 0.0
        self._spent = 0.0  # seconds

    def on_start(self, event: Any) -> None:
        """Tell, unless it is done in a moment."""
        if self._depth == 0:
            self._begun = time.monotonic()
            self._timer = threading.Timer(max(0.0, _PATIENCE - self._spent), tell_once, (COMPILING,))
            self._timer.daemon = True
            self._timer.start()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        """Add up the time; moments are not told one by one."""
        self._depth -= 1
        if self._depth == 0:
            self._timer.cancel()
            self._spent += time.monotonic() - self._begun


event.register("numba:compile", _Compilation())  # type: ignore[no-untyped-call]
