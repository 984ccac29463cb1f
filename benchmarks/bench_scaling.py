"""What large runs cost, by laws that are fitted to small ones, and what a call costs on each runner.

    python benchmarks/bench_scaling.py --write docs/scaling.json
    python benchmarks/bench_scaling.py --calls 10000

A law is a straight line: a start, and so much for each unit. It is fitted to three small sizes and judged at
a larger one, which it has not seen. Measured are CPU seconds and bytes on the disk, so that other programs on
the machine matter little. `docs/scaling.md` has the table that ``--write`` prints; tests fit the laws again
and compare.

With ``--calls`` the same function is called so often on two processes of joblib, on two of soulread, and on a
Ray cluster of two cores, by the clock; then a tenth as many as tasks whose results are kept.
"""

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from soulread.games.named import parse_game
from soulread.hands.store import Store
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.processes import Jobs, Processes
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.matches import match_task
from soulread.reproduce.ours.zoo import ZooSetup
from soulread.storage.files import write_file
from soulread.storage.tensors import read_tensors
from soulread.study.hands.importing import import_hands
from soulread.tasks import ResultStore, Task, Values, run_tasks

MOST_ERROR = 0.2  # of a law at a size that it has not seen


class Measured(NamedTuple):
    """What a run of some size took."""

    size: int
    seconds: float  # of CPU time
    bytes: int


class Kind(NamedTuple):
    """Work that grows: its unit, the sizes that are fitted and the one that judges, and a large one."""

    unit: str
    sizes: tuple[int, int, int, int]
    run: Callable[[int, Path], None] | None  # None: results that an experiment has kept are read instead
    large: int
    about: str


def duels(count: int, folder: Path) -> None:
    """So many duels of 1,000 hands of Leduc, kept as tasks."""
    store = ResultStore(folder)
    for number in range(count):
        task = match_task("leduc", ("loose", "random"), 1000, 1, number)
        store.save(task, task.run(), 0.0)


def imported(count: int, folder: Path) -> None:
    """So many hands of no-limit hold'em, read from a file and stored."""
    with Store.open(folder / "hands.db") as store:
        import_hands(store, [str(hands_file(count))])


_FILES = tempfile.TemporaryDirectory(prefix="bench-scaling-")


def hands_file(count: int) -> Path:
    """A file of so many hands, a player against another one; it is written once."""
    path = Path(_FILES.name) / f"{count}.jsonl"
    if not path.exists():
        game = parse_game("nolimit:stacks=100")
        agents = tuple(parse_agent(text).make(game) for text in ("always-call", "probe"))
        with path.open("w") as out:
            Match(game, agents, count).play(
                5, record=lambda hand: print(hand.seen_by(None).to_json(), file=out)
            )
    return path


def kept_of_zoo(store: ResultStore, sizes: Sequence[int]) -> list[Measured]:
    """Hands, CPU time and bytes of the first so many matches of soul in the limit zoo that were kept.

    They come from `soulread reproduce zoo --game limit --agents soul`, in the order in which they finished.
    """
    rows: list[tuple[float, int, float, int]] = []
    for path in store.directory.glob("matches.play-*.safetensors"):
        made = read_tensors(path, "result")[0]
        parameters = json.loads(made["task"])["parameters"]
        if parameters["game"] == "limit" and parameters["agents"][0].startswith("soul"):
            stat = path.stat()
            rows.append((stat.st_mtime, parameters["hands"], float(made["seconds"]), stat.st_size))
    rows.sort()
    if len(rows) < sizes[-1]:
        raise SystemExit(f"the cache has {len(rows)} matches of soul in the limit zoo, not {sizes[-1]}")
    return [
        Measured(*(sum(row[column] for row in rows[:count]) for column in (1, 2, 3)))  # type: ignore[arg-type]
        for count in sizes
    ]


def zoo_hands() -> int:
    """The hands that soul plays in the whole limit zoo."""
    tasks = ZooSetup.of(RunOptions(game="limit", players=("soul",))).tasks
    hands = (task.parameters.get("hands") for task in tasks)
    return sum(number for number in hands if isinstance(number, int))


ZOO_HANDS = 124_000
"""`zoo_hands`, which takes a while to know."""

KINDS = {
    "duels": Kind("duel", (20, 40, 60, 120), duels, 10**6, "a million duels of 1,000 hands of Leduc"),
    "zoo": Kind("hand", (12, 18, 24, 44), None, ZOO_HANDS, "soul against all of the limit zoo"),
    "hands": Kind("hand", (5000, 7500, 10000, 20000), imported, 21_000_000, "21 million hands imported"),
}


def measure(kind: Kind, sizes: Sequence[int], rounds: int = 1) -> list[Measured]:
    """Run it at some sizes, several times in turn; of each size that counts which took least.

    Other programs on the machine slow a run down, and never speed it up.
    """
    if kind.run is None:
        return kept_of_zoo(ResultStore.default(), sizes)
    if kind.run is imported:
        for size in sizes:
            hands_file(size)
    every = [[_once(kind.run, size) for size in sizes] for _ in range(rounds)]
    return [min(runs, key=lambda run: run.seconds) for runs in zip(*every, strict=True)]


def _once(run: Callable[[int, Path], None], size: int) -> Measured:
    with tempfile.TemporaryDirectory(prefix="bench-scaling-") as name:
        begun = cpu_seconds()
        run(size, Path(name))
        seconds = cpu_seconds() - begun
        kept = sum(file.stat().st_size for file in Path(name).rglob("*") if file.is_file())
    return Measured(size, seconds, kept)


def cpu_seconds() -> float:
    """CPU time of this process, and of its children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def fitted(sizes: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Start and slope of the line that fits best by least squares of the relative errors."""
    x, y = np.asarray(sizes, dtype=float), np.asarray(values, dtype=float)
    start, slope = np.linalg.lstsq(np.stack([1 / y, x / y], axis=1), np.ones_like(y), rcond=None)[0]
    return float(start), float(slope)


def predicted(runs: Sequence[Measured], size: float, name: str) -> float:
    """What the law of all runs but the last says of a size; ``name`` is "seconds" or "bytes"."""
    fit = runs[:-1]
    start, slope = fitted([run.size for run in fit], [getattr(run, name) for run in fit])
    return start + slope * size


def table(found: dict[str, Any]) -> str:
    """The table of `docs/scaling.md`."""
    head = (
        "| what | fitted to | judged at | CPU: law, measured | bytes: law, measured "
        "| CPU of the whole | its bytes |"
    )
    lines = [head, "|---|---|---|---|---|---|---|"]
    for name, kind in KINDS.items():
        runs = [Measured(*run) for run in found[name]]
        last = runs[-1]
        seconds, size = (predicted(runs, last.size, each) for each in ("seconds", "bytes"))
        whole, kept = (predicted(runs, kind.large, each) for each in ("seconds", "bytes"))
        small = ", ".join(f"{run.size:,}" for run in runs[:-1])
        lines.append(
            f"| {kind.about} | {small} | {last.size:,} {kind.unit}s | {seconds:.2f} s, {last.seconds:.2f} s "
            f"({seconds / last.seconds - 1:+.0%}) | {size / 1e3:,.0f} kB, {last.bytes / 1e3:,.0f} kB "
            f"({size / last.bytes - 1:+.0%}) | {whole / 3600:.1f} h | {kept / 1e9:.2g} GB |"
        )
    return "\n".join(lines)


def tiny(number: int) -> int:
    """Next to no work."""
    return number + 1


def tiny_values(number: int) -> Values:
    """The same as a task."""
    return {"number": float(number)}


def compare_calls(count: int) -> None:
    """Seconds by the clock for so many tiny calls, and for a tenth as many tasks that are kept."""
    from joblib import Parallel, delayed

    from soulread.cluster.runner import Cluster

    def timed(what: str, run: Callable[[], Any]) -> float:
        begun = time.perf_counter()
        checksum = run()
        seconds = time.perf_counter() - begun
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{what:<44} {seconds:7.2f} s  {checksum}  most memory here {memory:,.0f} MB", flush=True)
        return seconds

    work = [(number,) for number in range(count)]

    def kept(jobs: Jobs) -> float:
        with tempfile.TemporaryDirectory(prefix="bench-scaling-") as name:
            tasks = [Task(tiny_values, {"number": number}) for number in range(count // 10)]
            return sum(result.number("number") for result in run_tasks(tasks, ResultStore(Path(name)), jobs))

    with Cluster("local", 2) as cluster:
        timed("Ray starts, two calls", lambda: len(list(cluster.run(tiny, work[:2]))))
        base = timed("joblib", lambda: sum(Parallel(n_jobs=2)(delayed(tiny)(*given) for given in work)))
        own = timed("processes", lambda: sum(result for _, result in Processes(2).run(tiny, work)))
        ray = timed("Ray", lambda: sum(result for _, result in cluster.run(tiny, work)))
        timed("Ray, a tenth as many", lambda: sum(r for _, r in cluster.run(tiny, work[: count // 10])))
        here = timed("processes, kept", lambda: kept(2))
        there = timed("Ray, kept", lambda: kept(cluster))
    print(f"Ray over joblib {ray / base:.2f}, over processes {ray / own:.2f}; kept {there / here:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--write", type=Path, help="keep what was measured in this file, and print the table")
    parser.add_argument("--only", nargs="+", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--rounds", type=int, default=5, help="runs of each size, of which the least counts")
    parser.add_argument("--calls", type=int, help="compare so many calls on each runner")
    options = parser.parse_args()
    if options.calls is not None:
        compare_calls(options.calls)
        return
    path: Path | None = options.write
    found = json.loads(path.read_text()) if path is not None and path.exists() else {}
    for name in options.only:
        kind = KINDS[name]
        measure(kind, kind.sizes[:1])  # kernels are compiled, tables loaded
        found[name] = measure(kind, kind.sizes, options.rounds)
        print(name, found[name], flush=True)
        if path is not None:
            write_file(path, f"{json.dumps(found, indent=1)}\n".encode())
    if set(found) == set(KINDS):
        print(table(found))


if __name__ == "__main__":
    main()
