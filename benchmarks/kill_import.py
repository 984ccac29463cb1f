"""SIGKILL at random moments of an import, then going on: are the rows those of an unbroken one?

    python benchmarks/kill_import.py FILE [--kills 20] [--seed 0]

The file is imported once without a break. Then, for each kill, into a new store by a process that is killed
at a random moment; the store is looked at, and the import is started again and left alone. After the kill the
store must open and pass SQLite's own check. In the end keys, records and facts must be those of the unbroken
import. Exit code 0 if all are, else 1.
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
        whole = os.path.join(folder, "whole.db")
        seconds = 0.0
        for where in (os.path.join(folder, "warm.db"), whole):  # the first one may have to compile
            begun = time.monotonic()
            if subprocess.run(_command(asked.file, where), stdout=subprocess.DEVNULL).returncode:
                return 1
            seconds = time.monotonic() - begun
        expected = _checksum(whole)
        print(f"unbroken: {_look(whole)[0]:,} hands, {seconds:.1f} s, {expected}", flush=True)
        for kill in range(1, asked.kills + 1):
            broken = os.path.join(folder, f"broken{kill}.db")
            process = subprocess.Popen(_command(asked.file, broken), stdout=subprocess.DEVNULL)
            moment = chance.uniform(0.1, 1.0) * seconds
            time.sleep(moment)
            process.send_signal(signal.SIGKILL)
            process.wait()
            stored, sound = _look(broken)
            done = subprocess.run(_command(asked.file, broken), stdout=subprocess.DEVNULL)
            found = _checksum(broken)
            print(f"kill {kill} after {moment:.2f} s: {stored:,} hands, {sound}; then {found}", flush=True)
            if done.returncode or sound != "ok" or found != expected:
                return 1
        return 0


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
        "SELECT name || ' ' || room, seats, decisions FROM block JOIN player ON player.number = player "
        "ORDER BY block.number"
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
