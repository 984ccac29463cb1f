"""How soulread compiles its kernels: one place for Numba's settings, typed for mypy.

Kernels work on plain arrays, never raise and never allocate more than they must; the public
function beside each one has checked its arguments. ``parallel_kernel`` is for loops long enough
to pay for threads. Numba's own work queue is used for them because OpenMP's spinning threads
fight with those of OpenBLAS.

Numba caches compiled code per source file and does not notice an edit to a callee in *another*
file; ``make clean`` drops those caches.
"""

import os
from collections.abc import Callable
from typing import TypeVar, cast

os.environ.setdefault("NUMBA_THREADING_LAYER", "workqueue")

import numba  # only now: the layer must be chosen before

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compile a single-threaded kernel, cached on disk, that releases the GIL; other kernels may call it."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def parallel_kernel(function: Function) -> Function:
    """Compile a kernel whose ``prange`` loops run on every core."""
    return cast(Function, numba.njit(cache=True, nogil=True, parallel=True)(function))
