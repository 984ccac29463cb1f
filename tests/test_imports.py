"""Commands load only what they need: at most so many modules of soulread."""

import os
import subprocess
import sys

import pytest

import soulread

COUNT = "print(len([name for name in sys.modules if name.split('.')[0] == 'soulread']), file=sys.stderr)"
RIVER = "spot Td9d6hQc2s --oop AA,KK --ip QQ,JJ --pot 200 --stack 900 --json".split()


@pytest.mark.parametrize(
    ("arguments", "most"), [(["--help"], 10), (["range", "AKs"], 40), (["demo", "--help"], 20), (RIVER, 90)]
)
def test_a_command_loads_few_modules(arguments: list[str], most: int) -> None:
    code = f"import atexit, sys\nfrom soulread.cli import cli\natexit.register(lambda: {COUNT})\n"
    code += f"cli({arguments!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stderr.split()[-1]) <= most


def test_importing_the_package_loads_nothing_else() -> None:
    code = f"import sys, soulread\n{COUNT}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stderr) == 1


def test_a_protocol_loads_little() -> None:
    code = f"import sys, soulread.model.base\n{COUNT}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stderr) <= 35


FLAGS = "fpu avx2 avx512f avx512dq avx512cd avx512bw avx512vl"


@pytest.mark.parametrize(
    ("processor", "chosen"),
    [
        (f"vendor_id : AuthenticAMD\nflags : {FLAGS}\n", "SKYLAKEX"),
        (f"vendor_id : AuthenticAMD\nflags : {FLAGS.removesuffix(' avx512vl')}\n", None),
        ("vendor_id : AuthenticAMD\nflags : fpu avx2\n", None),
        (f"vendor_id : GenuineIntel\nflags : {FLAGS}\n", None),
        ("", None),
    ],
)
def test_openblas_is_told_of_processors_that_it_takes_for_older_ones(
    processor: str, chosen: str | None
) -> None:
    assert soulread._core_type(processor) == chosen


def test_a_choice_of_kernels_by_the_user_stays() -> None:
    code = "import soulread, os; print(os.environ['OPENBLAS_CORETYPE'])"
    environment = {**os.environ, "OPENBLAS_CORETYPE": "HASWELL"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "HASWELL"


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("arguments", "left_out"),
    [
        (["range", "AKs", "--json"], "numba scipy rich"),
        (["equity", "AA", "--json"], "numba scipy rich"),
        (["equity", "77+", "A2s+,KTs+", "--board", "3h4cJh", "--json"], "numba scipy rich"),
        (["equity", "AhKh", "QsQd", "--json"], "numba scipy rich"),
        (["strength", "AdQc", "--board", "3h4cJh", "--json"], "numba scipy rich"),
        (RIVER, "scipy.linalg scipy.sparse matplotlib"),
    ],
)
def test_small_questions_load_no_heavy_library(arguments: list[str], left_out: str) -> None:
    loaded = f"print([name for name in {left_out.split()!r} if name in sys.modules], file=sys.stderr)"
    code = f"import atexit, sys\nfrom soulread.cli import cli\natexit.register(lambda: {loaded})\n"
    code += f"cli({arguments!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-1] == "[]"
