"""Start-up: CPU seconds of small commands, warm; and of the first `soulread demo`, which compiles.

    python benchmarks/bench_startup.py [--beside CHECKOUT] [--repeat 3] [--cold]

CHECKOUT is another version of soulread, such as ``git worktree add /tmp/before COMMIT`` makes. Both versions
run in turns, with the same Python, so the ratio holds on a busy machine too. CPU seconds are those of the
process, user and system together: the least of the repeats, after one to warm up. "checksum" is that of what
the command prints, without times. With --cold, `soulread demo` runs in each version with an empty cache of
compiled code and then once more; the difference is what compiling takes. A part of the demo may end by the
clock, so its checksum is that of the part before.
The exit code is 1 if a command takes more than it should, or both versions print different results.
"""

import argparse
import hashlib
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from soulread.report.grid import Grid, console

HERE = Path(__file__).parents[1]
SPOT = "spot Td9d6hQc2s --oop 66+,A8s+,KQs --ip QQ-22,AQs-A2s,ATo+ --pot 200 --stack 900 --json"
WITHOUT_KERNELS = {
    "--help": 0.4,
    "range AKs,77+ --json": 0.4,
    "equity AA --json": 0.4,
    "equity JJ QQ+,AK --json": 0.4,
    "equity AhKh QsQd --json": 0.4,
    "equity 77+ A2s+,KTs+ --board 3h4cJh --json": 0.4,
    "strength AdQc --board 3h4cJh --json": 0.4,
    SPOT: 0.8,
}
COMPILING = 40.0  # CPU seconds at most that the first demo compiles
_NOT_THE_SAME = re.compile(r'"seconds": [^,\n]*')


def run(checkout: Path, arguments: list[str], cache: str | None = None) -> tuple[float, str]:
    """CPU seconds of a command, and what it prints."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "soulread", *arguments],
        cwd=checkout,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, _NOT_THE_SAME.sub("", done.stdout)


def checksum(text: str) -> str:
    """Eight digits that change with the text."""
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def add_commands(table: Grid, checkouts: list[Path], repeat: int) -> bool:
    """A row for every command."""
    fine = True
    for command, most in WITHOUT_KERNELS.items():
        seconds = [float("inf")] * len(checkouts)
        printed = [""] * len(checkouts)
        for turn in range(repeat + 1):
            for i, checkout in enumerate(checkouts):
                spent, printed[i] = run(checkout, command.split())
                if turn:
                    seconds[i] = min(seconds[i], spent)
        sums = [checksum(text) for text in printed]
        same = command == "--help" or len(set(sums)) == 1
        fine &= seconds[0] <= most and same
        add_row(table, command.partition(" --")[0] or command, seconds, f"{most:.2f}", sums, same)
    return fine


def add_row(table: Grid, name: str, seconds: list[float], most: str, sums: list[str], same: bool) -> None:
    """A line of the table."""
    beside = [f"{seconds[1]:.2f}", f"{seconds[0] / seconds[1]:.2f}"] if len(seconds) > 1 else ["", ""]
    table.add_row(name, f"{seconds[0]:.2f}", most, *beside, sums[0] if same else " / ".join(sums))


def add_demo(table: Grid, checkouts: list[Path]) -> bool:
    """A row for the first demo."""
    compiled = []
    sums = []
    for checkout in checkouts:
        with tempfile.TemporaryDirectory() as cache:
            cold, printed = run(checkout, ["demo"], cache)
            warm, _ = run(checkout, ["demo"], cache)
        compiled.append(cold - warm)
        sums.append(checksum(printed.partition("5. limit")[0]))
    add_row(table, "demo, compiling", compiled, f"{COMPILING:.0f}", sums, len(set(sums)) == 1)
    return compiled[0] <= COMPILING and len(set(sums)) == 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--beside", type=Path, metavar="CHECKOUT")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cold", action="store_true", help="also the first demo; takes minutes")
    options = parser.parse_args()
    checkouts = [HERE] if options.beside is None else [HERE, options.beside]
    table = Grid("command", "CPU s", "at most", "beside", "ratio", "checksum")
    fine = add_commands(table, checkouts, options.repeat)
    if options.cold:
        fine &= add_demo(table, checkouts)
    console.print(table)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
