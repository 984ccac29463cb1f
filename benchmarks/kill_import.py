"""SIGKILL at random moments of an import, then going on: are the rows those of an unbroken one?

    python benchmarks/kill_import.py FILE [--kills 20] [--seed 0]

The file is imported once without a break. Then into another store, by a process that is killed after a random
time, again and again; at last it is left alone. After each kill the store must open, must have no hand less
than before, and must pass SQLite's own check. In the end keys, records and facts must be the same. Exit code
0 if so, else 1.
"""

import argparse
import hashlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence


def main() -> int:
    """Kill, go on, compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    with tempfile.TemporaryDirectory() as folder:
        whole, broken = (os.path.join(folder, name) for name in ("whole.db", "broken.db"))
        seconds = 0.0
        for where in (os.path.join(folder, "warm.db"), whole):  # the first one may have to compile
            begun = time.monotonic()
            if subprocess.run(_command(asked.file, where)).returncode:
                return 1
            seconds = time.monotonic() - begun
        before = 0
        for kill in range(1, asked.kills + 1):
            process = subprocess.Popen(_command(asked.file, broken))
            time.sleep(chance.uniform(0, seconds / 4))  # it goes on where it was, so the last ones come later
            process.send_signal(signal.SIGKILL)
            process.wait()
            stored, sound = _look(broken)
            print(f"kill {kill}: {stored:,} hands, {sound}", flush=True)
            if stored < before or sound != "ok":
                return 1
            before = stored
        if subprocess.run(_command(asked.file, broken)).returncode:
            return 1
        sums = [_checksum(where) for where in (whole, broken)]
        print(f"{_look(whole)[0]:,} hands; unbroken {sums[0]}, killed {asked.kills} times {sums[1]}")
        return 0 if sums[0] == sums[1] else 1


def _command(file: str, where: str) -> Sequence[str]:
    return [sys.executable, "-m", "soulread", "import", file, "--db", where]


def _look(where: str) -> tuple[int, str]:
    """How many hands there are, and what SQLite says of the file."""
    if not os.path.exists(where):
        return 0, "ok"
    connection = sqlite3.connect(where)
    try:
        if not connection.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'hand'").fetchone()[0]:
            return 0, "ok"
        (count,) = connection.execute("SELECT COUNT(*) FROM hand").fetchone()
        (sound,) = connection.execute("PRAGMA quick_check").fetchone()
        return int(count), str(sound)
    finally:
        connection.close()


def _checksum(where: str) -> str:
    """Of all rows in an order that does not depend on how they came in."""
    total = hashlib.sha256()
    connection = sqlite3.connect(where)
    for row in connection.execute("SELECT key, id, time, record FROM hand ORDER BY number"):
        total.update(repr(row).encode())
    facts: dict[str, list[bytes]] = {}
    for name, seats, decisions in connection.execute(
        "SELECT name, seats, decisions FROM block JOIN player ON player.number = player ORDER BY first_hand"
    ):
        kept = facts.setdefault(name, [b"", b""])
        kept[0] += seats
        kept[1] += decisions
    for name in sorted(facts):
        total.update(name.encode() + facts[name][0] + facts[name][1])
    connection.close()
    return total.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main())
