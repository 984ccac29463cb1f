"""Commands load only what they need: at most so many modules of soulread."""

import subprocess
import sys

import pytest

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
