"""Settings shared by all tests."""

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from soulread.notices import COMPILING

settings.register_profile("soulread", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("soulread")


# Two workers share two cores, and the threads of OpenMP wait by spinning.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# OpenBLAS picks its routines by the processor, and they round differently. A solve that goes on from a solve
# makes much of the last bit, so the matches in tests/golden hold for these routines, which every processor
# with AVX2 can run. It is said before NumPy is loaded, and to all processes that tests start.
CPU = Path("/proc/cpuinfo")
if CPU.exists() and " avx2 " in CPU.read_text():
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")

# Whether kernels are compiled yet is no test's matter.
logging.getLogger("soulread").addFilter(lambda record: record.getMessage() != COMPILING)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests start with an empty cache and leave the user's alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOULREAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield
