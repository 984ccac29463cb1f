"""How soulread compiles its kernels: one place for Numba's settings, typed for mypy.

Kernels work on plain arrays, never raise and never allocate more than they must. The public function beside
each kernel checks the arguments first. ``parallel_kernel`` is for loops long enough to pay for threads. These
run on Numba's own work queue, because the spinning threads of OpenMP fight with those of OpenBLAS.

Numba caches compiled code per source file. It does not notice when a function in *another* file, which the
compiled code calls, was edited. ``make clean`` drops these caches.
"""

import os
from collections.abc import Callable
from typing import TypeVar, cast

os.environ.setdefault("NUMBA_THREADING_LAYER", "workqueue")

import numba  # only now, because the threading layer must be chosen before

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """Compile a single-threaded kernel, cached on disk, that releases the GIL; other kernels may call it."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def parallel_kernel(function: Function) -> Function:
    """Compile a kernel whose ``prange`` loops run on every core."""
    return cast(Function, numba.njit(cache=True, nogil=True, parallel=True)(function))
