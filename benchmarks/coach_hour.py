"""An hour of a coach as a script: from files of hands to a plan, with the CPU time of each step.

    python benchmarks/coach_hour.py HANDS... [--player NAME] [--claims 5] [--json]

The steps are the commands that a coach types: import, who is the hero, who plays here, the profile of one
player, the hands behind its first claims, and a plan against the player. Without ``--player`` that is whoever
has the most hands, the hero aside. Every claim's command must find as many hands or occasions as the claim
states; the exit code is 1 if one does not. Times are CPU seconds of the commands, their start included.
"""

import argparse
import json
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from soulread.errors import SoulreadError
from soulread.report.grid import Grid


@dataclass(frozen=True)
class Step:
    """One command, its CPU seconds, and what came out of it in words."""

    command: str
    seconds: float
    result: str


def ask(*words: str) -> tuple[Any, float]:
    """Run a command of soulread; its JSON, and the CPU seconds it took."""
    before = _cpu_seconds()
    command = [sys.executable, "-m", "soulread", *words, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SoulreadError(f"{shlex.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout), _cpu_seconds() - before


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def claims_of(profile: Any) -> list[Any]:
    """The claims of a profile, those that matter first: deviations, remarks, style, ranges, results."""
    parts = [profile[name] for name in ("deviations", "remarks", "style", "ranges", "results")]
    return [claim for part in parts for claim in _queries(part)]


def _queries(part: Any) -> Iterator[Any]:
    """The queries in a part of a profile, wherever they stand."""
    if isinstance(part, dict):
        if "command" in part:
            yield part
            return
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _queries(inner)


def hour(files: Sequence[str], store: Path, player: str | None, claims: int) -> Iterator[tuple[Step, bool]]:
    """The steps of the hour, each with whether it says the truth."""
    imported, seconds = ask("import", *files, "--db", str(store))
    yield Step("import", seconds, f"{imported['new']:,} hands"), True
    heroes, seconds = ask("player", "hero", "--db", str(store))
    names = [hero["player"] for hero in heroes["heroes"]]
    yield Step("player hero", seconds, ", ".join(names) or "no hero"), True
    everybody, seconds = ask("players", "--db", str(store))
    yield Step("players", seconds, f"{everybody['num_players']:,} players"), True
    met = [one["player"] for one in everybody["players"] if one["player"] not in names]
    chosen = player or met[0]
    profile, seconds = ask("profile", chosen, "--db", str(store))
    stated = claims_of(profile)
    told = f"{profile['hands']:,} hands, {len(profile['deviations'])} sure deviations, {len(stated)} claims"
    yield Step(f"profile {chosen}", seconds, told), True
    for claim in stated[:claims]:
        _, *words = shlex.split(claim["command"])
        found, seconds = ask(*words)
        counted = (found["n"], found["count"]) if claim["statistic"] else (found["found"], None)
        holds = counted == (claim["n"], claim["taken"])
        told = f"{counted[0]:,} found, {claim['n']:,} stated" + (
            "" if counted[1] is None else f"; {counted[1]:,} taken, {claim['taken']:,} stated"
        )
        place = words.index("--player")
        yield Step(shlex.join(words[:place] + words[place + 2 : -2]), seconds, told), holds
    plan, seconds = ask("plan", chosen, "--db", str(store))
    yield Step(f"plan {chosen}", seconds, f"{len(plan['spots'])} spots"), True


def main() -> int:
    """Run the hour and print its steps."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", help="files, folders or archives of hands")
    parser.add_argument("--player", help="whose profile it is")
    parser.add_argument("--claims", type=int, default=5, help="how many claims are looked up")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    steps: list[Step] = []
    true = True
    with tempfile.TemporaryDirectory() as folder:
        for step, holds in hour(options.files, Path(folder, "hands.db"), options.player, options.claims):
            steps.append(step)
            true = true and holds
    total = sum(step.seconds for step in steps)
    if options.json:
        print(json.dumps({"seconds": total, "true": true, "steps": [vars(step) for step in steps]}))
        return 0 if true else 1
    table = Grid("command", "CPU s", "came out", words=(0,), left=(2,))
    for step in steps:
        table.add_row(step.command, f"{step.seconds:.1f}", step.result)
    table.add_row("all", f"{total:.1f}", "every claim has its hands" if true else "a claim has other hands")
    Console(highlight=False, width=140).print(table)
    return 0 if true else 1


if __name__ == "__main__":
    sys.exit(main())
