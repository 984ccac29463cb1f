"""How soulread compiles its kernels: one place for Numba's settings, typed for mypy.

Kernels work on plain arrays, never raise and never allocate more than they must. The public function beside
each kernel checks the arguments first. Kernels release the GIL, so loops long enough to pay for threads use
plain ones.

Numba takes longer to import than a small question takes to answer. So it is imported when the first kernel
runs, and the few numbers of a small question are worked out by NumPy (`few`).

Numba keeps compiled code beside the source file, else in the user's own folder, else (where neither can be
written) in soulread's cache. If nothing can be written, every process compiles anew, and the user is told so.
The user is also told when compiling begins, since it takes up to a minute.

Numba caches compiled code per source file. It does not notice when a function in *another* file, which the
compiled code calls, was edited. ``make clean`` drops these caches.
"""

import importlib.util
import os
import sys
import threading
import time
from collections.abc import Callable, Hashable
from functools import update_wrapper
from pathlib import Path
from typing import Any, TypeVar, cast

from soulread.errors import SoulreadError
from soulread.notices import COMPILING, tell_once

Function = TypeVar("Function", bound=Callable[..., object])

_PATIENCE = 0.3  # seconds of compiling before anybody is told
_FEW = 8_000_000  # numbers that NumPy may work out before Numba, which takes longer to import, is worth it


def kernel(function: Function) -> Function:
    """Compile a single-threaded kernel, cached on disk, that releases the GIL; other kernels may call it."""
    return cast(Function, Kernel(function, nogil=True))


def inline_kernel(function: Function) -> Function:
    """Compile a short kernel that becomes a part of its callers, where calls would cost much time."""
    return cast(Function, Kernel(function, nogil=True, inline="always"))


def lean_kernel(function: Function) -> Function:
    """Compile a kernel that makes and returns no arrays, and does not count who holds those it is given.

    Counting takes longer than the work of a short kernel with many arrays. An array that is returned would be
    freed too early; tests look for that. Parts of arrays come from an `inline_kernel`.
    """
    return cast(Function, Kernel(function, nogil=True, _nrt=False))


def call(function: Callable[..., Any], kind: Hashable, *arguments: Any) -> Any:
    """Call a kernel whose arguments have the types that they had in the first call of this kind.

    A kernel itself finds out the types of its arguments in each call, which takes ten times as long as to
    hand on their arrays. Here nothing looks at them, so ``kind`` must tell apart all types that may come.
    """
    entries = cast(Kernel, function).entries
    entry = entries.get(kind)
    if entry is None:
        entry = entries[kind] = _entry(cast(Kernel, function).compiled, arguments)
    return entry(*arguments)


def _entry(compiled: Any, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """What a call with arguments of these types runs in the end."""
    if not hasattr(compiled, "overloads"):  # where Numba compiles nothing
        return cast(Callable[..., Any], compiled)
    kinds = tuple(map(numba_module().typeof, arguments))
    compiled.compile(kinds)
    return cast(Callable[..., Any], compiled.overloads[kinds].entry_point)


class Kernel:
    """A function that is compiled at its first call, or when a kernel that calls it is compiled.

    To Numba and to everybody else it is Numba's own compiled function.
    """

    def __init__(self, function: Callable[..., object], **settings: Any) -> None:
        self._function = function
        self._settings = settings
        self._call: Callable[..., Any] = self._first
        self.entries: dict[Hashable, Callable[..., Any]] = {}  # of `call`, for each kind
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        return self._call(*arguments)

    def _first(self, *arguments: Any) -> Any:
        return self.compiled(*arguments)

    @property
    def compiled(self) -> Any:
        """Numba's compiled function; the plain one where Numba compiles nothing."""
        if self._call == self._first:
            with _one_at_a_time:
                if self._call == self._first:
                    self._call = _compiled(self._function, **self._settings)
        return self._call

    @property
    def _numba_type_(self) -> Any:
        """What kernels that call this one take it for."""
        return self.compiled._numba_type_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.compiled, name)

    def __reduce__(self) -> str:
        return self._function.__qualname__


_one_at_a_time = threading.RLock()
_worked = 0


def few(numbers: int) -> bool:
    """Whether so many numbers are sooner worked out by NumPy than Numba is imported.

    Always false once Numba is there, and after some millions of numbers in all.
    """
    global _worked
    if "numba" in sys.modules or _worked + numbers > _FEW:
        return False
    _worked += numbers
    return True


def numba_module() -> Any:
    """Numba, with our settings."""
    os.environ.setdefault("NUMBA_THREADING_LAYER", "workqueue")
    import numba
    from numba.core import event

    global _listener
    if _listener is None:
        event.Listener.register(_Compilation)
        _listener = _Compilation()
        event.register("numba:compile", _listener)  # type: ignore[no-untyped-call]
        _leave_scipy_for_later()
    return numba


def _leave_scipy_for_later() -> None:
    """Let Numba load SciPy when a kernel multiplies matrices, not in every process that runs a kernel.

    One module of Numba asks for SciPy's BLAS while it is imported, and only to know that it is there. Whoever
    compiles a product of matrices asks again.
    """
    if "numba.np.arraymath" in sys.modules or importlib.util.find_spec("scipy") is None:
        return
    linalg: Any = importlib.import_module("numba.np.linalg")
    asked = getattr(linalg, "ensure_blas", None)
    if asked is None or "numba.np.arraymath" in sys.modules:  # another Numba than those we know
        return
    linalg.ensure_blas = lambda: None
    try:
        arraymath: Any = importlib.import_module("numba.np.arraymath")
        arraymath.ensure_blas = asked
    finally:
        linalg.ensure_blas = asked


def _compiled(function: Callable[..., object], **settings: Any) -> Any:
    """A kernel, cached where there is a folder for it."""
    numba = numba_module()
    try:
        return numba.njit(cache=True, **settings)(function)
    except RuntimeError:  # Numba found no folder
        pass
    from soulread.storage.cache import cache_directory

    try:
        folder: Path | None = cache_directory() / "compiled"
    except SoulreadError:
        folder = None
    config = numba.config
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


class _Compilation:
    """Hears when Numba begins to compile a function that is in no cache, and when it has done so."""

    def __init__(self) -> None:
        self._timer = threading.Timer(0, lambda: None)
        self._depth = 0  # functions whose compilation waits for that of others they call
        self._begun = 0.0
        self._spent = 0.0  # seconds

    def notify(self, event: Any) -> None:
        """Hear that it begins or ends."""
        self.on_start(event) if event.is_start else self.on_end(event)

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


_listener: _Compilation | None = None
