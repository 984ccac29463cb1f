"""Work on a Ray cluster: the same numbers as here, whatever is lost, and nothing left behind."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from test_store import place, postgres, rows, some_hands  # noqa: F401, two of them are fixtures

import soulread as sr
from soulread.cli import cli
from soulread.cluster import runner as cluster_runner
from soulread.cluster import supplies
from soulread.cluster.connection import LOCAL, verify_address
from soulread.cluster.runner import AHEAD, LARGEST, RETRIES, Cluster
from soulread.cluster.supplies import Depot, Needs, needs_of, take_supplies, texts_in
from soulread.cluster.worker import differences, versions
from soulread.errors import SoulreadError
from soulread.hands.store import Store
from soulread.processes import ONE_THREAD, Processes
from soulread.reproduce.foreseen import foresee
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.ours.zoo import ZooSetup
from soulread.storage import cache
from soulread.study.hands.importing import import_hands, import_spread
from soulread.tasks import ResultStore, Task, Values, run_tasks, try_tasks

SIX = ["random", "always-call", "always-raise", "always-fold", "probe", "equilibrium"]


def needs_ray() -> None:
    """Skip where there is no Ray. It is not imported: a local cluster listens on loopback if it is first."""
    if find_spec("ray") is None:
        pytest.skip("Ray is not installed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster of two workers on this machine, for all tests of this file."""
    needs_ray()
    with Cluster(LOCAL, 2) as found:
        found.open()
        yield found


# The same numbers.


def test_a_tournament_of_six_is_the_same_everywhere(cluster: Cluster, tmp_path: Path) -> None:
    def played(jobs: Any, name: str) -> str:
        store = ResultStore(tmp_path / name)
        found = sr.tournament("kuhn", SIX, hands=20, matches=2, raw=True, jobs=jobs, store=store)
        return repr([(result.won.tolist(), result.failed) for result in found.encounters])

    alone = played(1, "one")
    assert played(2, "two") == alone
    assert played(cluster, "cluster") == alone
    kept = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("one", "two", "cluster")]
    assert kept[0] == kept[1] == kept[2]
    assert len(kept[0]) == 30


def test_a_duel_of_many_matches_is_the_same(cluster: Cluster) -> None:
    found = [sr.duel("kuhn", "probe", "random", hands=30, matches=3, jobs=jobs) for jobs in (1, cluster)]
    np.testing.assert_array_equal(found[0].profits, found[1].profits)


@pytest.mark.compiled
def test_an_experiment_is_the_same(cluster: Cluster, tmp_path: Path) -> None:
    chosen: dict[str, Any] = {
        "game": "kuhn",
        "quick": True,
        "matches": 1,
        "hands": 30,
        "only": ("skew 1",),
        "players": ("dbbr, paper",),
    }
    store = ResultStore(tmp_path / "here")
    for task in ZooSetup.of(RunOptions(**chosen)).tasks:
        store.save(task, task.run(), 0.0)
    here = sr.experiment("zoo", **chosen, store=store, stored_only=True)
    there = sr.experiment("zoo", **chosen, store=ResultStore(tmp_path / "there"), jobs=cluster)
    assert (repr(there.tables), repr(there.claims)) == (repr(here.tables), repr(here.claims))


# Calls.


def settings_of(number: int) -> Values:
    threads = {name: float(os.environ.get(name, 0)) for name in ONE_THREAD}
    return {"number": float(number), "process": float(os.getpid()), **threads}


def test_every_task_has_one_thread_and_a_process_of_its_own(cluster: Cluster, tmp_path: Path) -> None:
    tasks = [Task(settings_of, {"number": number}) for number in range(6)]
    told: list[tuple[int, int]] = []
    found = list(run_tasks(tasks, ResultStore(tmp_path), cluster, progress=lambda *n: told.append(n)))
    assert sorted(result.number("number") for result in found) == [0, 1, 2, 3, 4, 5]
    assert all(result.number(name) == 1 for result in found for name in ONE_THREAD)
    assert os.getpid() not in {int(result.number("process")) for result in found}
    assert told == [(number, 6) for number in range(7)]
    again = list(run_tasks(tasks, ResultStore(tmp_path), cluster, stored_only=True))
    assert len(again) == 6  # `--finished` runs nothing


def dies_once(mark: str, number: int) -> Values:
    """The first that is called ends its process as a lack of memory would."""
    if number == 2:
        try:
            with open(mark, "x"):
                os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
    return {"number": float(number**2)}


def test_a_task_that_was_lost_with_its_worker_is_computed_again(cluster: Cluster, tmp_path: Path) -> None:
    tasks = [Task(dies_once, {"mark": str(tmp_path / "mark"), "number": number}) for number in range(5)]
    found = {
        result.task.parameters["number"]: result for result in run_tasks(tasks, tmp_store(tmp_path), cluster)
    }
    assert {number: result.number("number") for number, result in found.items()} == {
        number: float(number**2) for number in range(5)
    }
    assert (tmp_path / "mark").exists()


def tmp_store(folder: Path) -> ResultStore:
    return ResultStore(folder / "store")


def fails(number: int) -> Values:
    if number == 1:
        raise SoulreadError("one is wrong")
    if number == 2:
        raise ZeroDivisionError("two is worse")
    return {"number": float(number)}


def test_errors_are_those_of_processes(cluster: Cluster, tmp_path: Path) -> None:
    tasks = [Task(fails, {"number": number}) for number in range(2)]
    found = list(try_tasks(tasks, ResultStore(tmp_path), cluster))
    assert sorted(type(outcome).__name__ for outcome in found) == ["FailedTask", "TaskResult"]
    with pytest.raises(SoulreadError, match=r"^one is wrong$"):
        list(run_tasks(tasks, ResultStore(tmp_path / "b"), cluster))
    with pytest.raises(ZeroDivisionError, match="two is worse") as raised:
        list(run_tasks([Task(fails, {"number": 2})], ResultStore(tmp_path / "c"), cluster))
    assert "in fails" in raised.value.__notes__[0]


def test_work_that_loses_every_worker_is_an_error(cluster: Cluster) -> None:
    with pytest.raises(SoulreadError, match=rf"lost with its worker {RETRIES + 1} times .*--jobs"):
        list(cluster.run(os._exit, [(3,)]))


class Watched(list[tuple[int]]):
    """Arguments that take note of how far they were asked for."""

    furthest = 0

    def __getitem__(self, index: Any) -> Any:
        self.furthest = max(self.furthest, index)
        return super().__getitem__(index)


def test_the_driver_holds_no_more_of_ten_thousand_calls_than_of_a_hundred(cluster: Cluster) -> None:
    work = Watched([(number,) for number in range(10_000)])
    seen = np.zeros(len(work), bool)
    ahead = 0
    for done, (number, result) in enumerate(cluster.run(abs, work)):
        assert result == number
        assert not seen[number]
        seen[number] = True
        ahead = max(ahead, work.furthest - done)
    assert seen.all()
    assert ahead <= (AHEAD * 2 + 1) * LARGEST


def test_what_is_no_longer_wanted_is_not_begun(cluster: Cluster) -> None:
    enough: list[int] = []
    for number, _ in cluster.run(abs, [(n,) for n in range(5000)], lambda _: len(enough) < 10):
        enough.append(number)
    assert 10 <= len(enough) < 5000


@pytest.mark.parametrize(
    ("calls", "seconds", "following"),
    [(1, 5.0, 1), (1, 0.1, 2), (1, 1e-9, 2), (64, 0.01, 128), (150, 0.001, 200), (200, 2.0, 20), (1, 0.0, 2)],
)
def test_bundles_of_short_calls_grow(calls: int, seconds: float, following: int) -> None:
    assert cluster_runner._next_size(calls, seconds) == following


# Nothing is left behind, and nobody else is let in.


def listening(pids: set[int]) -> set[str]:
    """The addresses on which processes listen, in the kernel's hexadecimal words."""
    owned = set()
    for pid in pids:
        try:
            links = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{pid}/fd")]
        except OSError:
            continue
        owned |= {link[8:-1] for link in links if link.startswith("socket:[")}
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in owned:
                found.add(fields[1].partition(":")[0])
    return found


def descendants(root: int) -> set[int]:
    """All processes below one."""
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            try:
                stat = Path(entry.path, "stat").read_text()
            except OSError:
                continue
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, waiting = set(), [root]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            found.add(child)
            waiting.append(child)
    return found


LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_local_cluster_listens_on_loopback_alone(cluster: Cluster) -> None:
    found = listening(descendants(os.getpid()) | {os.getpid()})
    assert found
    assert found <= LOOPBACK


TOURNAMENT = [
    "tournament",
    "leduc",
    "probe",
    "random",
    "always-call",
    "-n",
    "4000",
    "-m",
    "8",
    "--raw",
    "--json",
]


def begun(folder: Path, *more: str) -> subprocess.Popen[str]:
    """A tournament on a cluster of its own, with home, cache and temporary files in a folder."""
    for name in ("home", "tmp"):
        (folder / name).mkdir(exist_ok=True)
    variables = {"HOME": "home", "TMPDIR": "tmp", "SOULREAD_CACHE": "cache"}
    return subprocess.Popen(
        [sys.executable, "-m", "soulread", *TOURNAMENT, *more],
        env={**os.environ, **{name: str(folder / value) for name, value in variables.items()}},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_results(folder: Path, process: subprocess.Popen[str], count: int) -> None:
    """Return when so many results are kept."""
    results = folder / "cache" / "experiments"
    while process.poll() is None and len(list(results.glob("*.safetensors"))) < count:
        time.sleep(0.05)


def wait_until_gone(pids: set[int]) -> None:
    """Return when processes have ended; a test that waits for ever has failed."""
    end = time.monotonic() + 120
    while alive := {pid for pid in pids if Path(f"/proc/{pid}").exists() and not is_zombie(pid)}:
        assert time.monotonic() < end, f"still there: {alive}"
        time.sleep(0.1)


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_driver_that_is_killed_or_interrupted_goes_on_from_what_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_ray()
    killed = begun(tmp_path, "--cluster", "local", "-j", "2")
    wait_for_results(tmp_path, killed, 3)
    below = descendants(killed.pid)
    assert killed.poll() is None, killed.communicate()[1]
    killed.kill()
    killed.communicate()
    wait_until_gone(below)
    kept = len(list((tmp_path / "cache" / "experiments").glob("*.safetensors")))
    assert 3 <= kept < 24

    stopped = begun(tmp_path, "--cluster", "local", "-j", "2")
    wait_for_results(tmp_path, stopped, kept + 1)
    below = descendants(stopped.pid)
    stopped.send_signal(signal.SIGINT)
    _, said = stopped.communicate()
    assert (stopped.returncode, said.splitlines()[-1:]) == (130, ["soulread: interrupted"])
    wait_until_gone(below)
    assert list((tmp_path / "home").iterdir()) == []
    assert list((tmp_path / "tmp").glob("soulread-ray-*")) == []  # also that of the one that was killed

    found = []
    for folder in (tmp_path / "cache", tmp_path / "new"):  # one goes on, one begins
        monkeypatch.setenv("SOULREAD_CACHE", str(folder))
        found.append(CliRunner().invoke(cli, TOURNAMENT).stdout)
    assert json.loads(found[0])["encounters"]
    assert found[0] == found[1]


# What workers are, and what travels to them.


def test_another_version_is_refused_by_name(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**versions(), "soulread": "0.0.9", "numpy": "1.0"}
    monkeypatch.setattr(cluster_runner, "versions", lambda: other)
    numpy, own = re.escape(versions()["numpy"]), re.escape(sr.__version__)
    expected = rf"node '.*' cannot take part: .*soulread {own} \(here 0.0.9\).*numpy {numpy}"
    with pytest.raises(SoulreadError, match=expected):
        list(cluster.run(abs, [(1,)]))


def test_versions_differ_in_words() -> None:
    here = {"soulread": "1", "files": "ab", "python": "3.11", "numpy": "2"}
    assert differences(here, dict(here)) == ""
    there = {"soulread": "1", "files": "cd", "python": "3.11"}
    assert differences(here, there) == "soulread of other files cd (here ab), numpy none (here 2)"


def test_a_changed_file_of_an_agent_is_refused_by_name(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_runner, "needs_of", lambda *_: Needs({"nobody.py:Agent": "0" * 24}, {}))
    with pytest.raises(
        SoulreadError, match=r"^'nobody.py:Agent' is not what it is where the work comes from"
    ):
        list(cluster.run(abs, [(1,)]))


AGENT = """
class Caller:
    def __init__(self, game): pass
    def reset(self): pass
    def act(self, view, rng): return 1
    def observe(self, hand): pass
"""


def test_files_that_work_names_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clusteragent.py").write_text(AGENT)
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "one.strategy").write_bytes(b"one")
    task = Task(
        abs, {"agents": ["clusteragent:Caller", "file:strategies/one.strategy", "dbbr:T=100"], "n": 3}
    )
    needs = needs_of(fails, [(task, True)])
    assert set(needs.files) >= {"clusteragent.py", "strategies/one.strategy"}
    assert {"clusteragent:Caller", "file:strategies/one.strategy"} <= set(needs.contents)
    assert "dbbr:T=100" not in needs.contents
    assert "test_cluster:fails" in set(texts_in((fails, [(task,)])))
    assert needs_of(abs, [(1, "kuhn", ["random"])]) == Needs({}, {})


def test_files_travel_once_and_lie_under_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    (there / "travelled.strategy").write_bytes(b"a strategy")
    monkeypatch.chdir(there)
    needs = needs_of(abs, [("file:travelled.strategy",)])
    assert list(needs.files) == ["travelled.strategy"]
    depot = Depot(str(tmp_path / "cache"), str(there))
    asked: list[str] = []

    def ask(_: object, name: str) -> Any:
        asked.append(name)
        return depot.content(name)

    monkeypatch.setattr(supplies, "_ask", ask)
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "cache there"))
    monkeypatch.setattr(cache, "_supplier", None)
    monkeypatch.chdir(here)
    with pytest.raises(SoulreadError, match="no longer where the work comes from"):
        take_supplies(depot, needs)  # not allowed yet
    depot.allow(list(needs.files))
    for _ in range(2):
        monkeypatch.chdir(here)
        take_supplies(depot, needs)
        assert Path("travelled.strategy").read_bytes() == b"a strategy"
    assert asked == ["files/travelled.strategy"] * 2  # refused, then given once
    monkeypatch.chdir(there)
    take_supplies(depot, needs)
    assert Path.cwd() == there  # all is here
    assert len(asked) == 2


TWO_NODES = """
import os
import sys
from pathlib import Path

root = Path(sys.argv[1])
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "disabled", "RAY_TMPDIR": sys.argv[2]}
os.environ |= {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_worker_niceness": "0"}
from ray.cluster_utils import Cluster as Nodes


def enter(name):
    (root / name).mkdir()
    os.chdir(root / name)
    os.environ["SOULREAD_CACHE"] = str(root / name / "cache")


enter("head")
nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
enter("worker")
nodes.add_node(num_cpus=2)
enter("driver")
sys.path.insert(0, os.getcwd())
Path("clusterwork.py").write_text(sys.argv[3])

import clusterwork
import numpy as np

import soulread as sr
from soulread.storage import cache
from soulread.tasks import ResultStore, Task, run_tasks

cache.load_or_build(clusterwork.RECIPE, lambda: {"a": np.ones(200_000)})
with sr.Cluster(nodes.address) as cluster:
    tasks = [Task(clusterwork.task, {"number": number}) for number in range(6)]
    sums = {result.number("sum") for result in run_tasks(tasks, ResultStore(root / "kept"), cluster)}
    assert sums == {200_000.0}, sums
    moved = cluster.bytes_moved()
    assert 1_600_000 < moved < 1_700_000, moved  # once for the node, not once for each task
    duel = sr.duel("kuhn", "clusterwork:Caller", "random", hands=20, matches=2, jobs=cluster)
    here = sr.duel("kuhn", "clusterwork:Caller", "random", hands=20, matches=2)
    assert (duel.profits == here.profits).all()
    assert cluster.bytes_moved() - moved < 2000  # the module, if the task's did not bring it
nodes.shutdown()
"""

WORK = f"""
from soulread.storage import cache

RECIPE = cache.Recipe("big", {{"size": 1}})


def task(number):
    return {{"sum": cache.load_or_build(RECIPE, None).arrays["a"].sum()}}

{AGENT}"""


@pytest.mark.slow
@pytest.mark.compiled
def test_a_node_that_shares_nothing_gets_tables_and_modules_once(tmp_path: Path) -> None:
    """Two nodes of Ray on this machine, with caches and working directories of their own."""
    needs_ray()
    with tempfile.TemporaryDirectory(prefix="ray-") as short:  # the paths of sockets are short
        command = [sys.executable, "-c", TWO_NODES, str(tmp_path), short, WORK]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "worker" / "cache" / "travelled").glob("*/clusterwork.py"))


@pytest.mark.parametrize(
    "name",
    ["cache/../secret", "files/secret", "cache", "cache//..//secret", "home/secret", "files/../secret"],
)
def test_a_depot_gives_nothing_else(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "cache").mkdir()
    depot = Depot(str(tmp_path / "cache"), str(tmp_path))
    depot.allow(["other"])
    assert depot.content(name) is None


def test_a_bundle_comes_from_the_supplier_before_it_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = cache.Recipe("things", {"size": 3})
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "driver"))
    cache.load_or_build(recipe, lambda: {"a": np.arange(3), "b": np.ones((0, 2))})
    depot = Depot(str(tmp_path / "driver"), str(tmp_path))
    asked: list[str] = []

    def supplier(name: str) -> Any:
        asked.append(name)
        return depot.content(f"cache/{name}")

    monkeypatch.setattr(cache, "_supplier", supplier)
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "node"))

    def build() -> dict[str, Any]:
        raise AssertionError("it need not be built")

    for _ in range(2):
        found = cache.load_or_build(recipe, build)
        assert found.arrays["a"].tolist() == [0, 1, 2]
    assert asked == [recipe.key]  # once for a node, not once for a task
    # What arrives damaged is made again; what nobody has is made.
    monkeypatch.setattr(cache, "_supplier", lambda name: {"manifest.json": np.zeros(3, np.uint8)})
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "other"))
    assert cache.load_or_build(recipe, lambda: {"a": np.zeros(1)}).arrays["a"].tolist() == [0]
    monkeypatch.setattr(cache, "_supplier", lambda name: None)
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "third"))
    assert cache.load_or_build(recipe, lambda: {"a": np.zeros(2)}).arrays["a"].tolist() == [0, 0]


@pytest.mark.parametrize(
    "address", ["", "here", "host:", "host:0", "host:99999", "a b:1", "local:", "ray://h:1"]
)
def test_no_address(address: str) -> None:
    with pytest.raises(SoulreadError, match="address"):
        verify_address(address)


def test_nobody_answers() -> None:
    needs_ray()
    with pytest.raises(SoulreadError, match=r"nothing answers at 127\.0\.0\.1:1"):
        list(Cluster("127.0.0.1:1").run(abs, [(1,)]))


def test_without_ray_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = CliRunner().invoke(cli, ["tournament", "kuhn", "random", "probe", "-n", "5", "--cluster", "local"])
    assert done.exit_code == 2
    assert "pip install 'soulread[cluster]'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--jobs", "0", "--cluster", "local"], "at least one process, not 0"),
        (["--cluster", "somewhere"], "no address of a cluster"),
    ],
)
def test_bad_options(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(cli, ["tournament", "kuhn", "random", "probe", *arguments])
    assert (done.exit_code, said in done.stderr) == (2, True)


def test_a_command_connects_only_when_there_is_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path))
    tournament = ["tournament", "kuhn", "random", "always-call", "-n", "5", "-m", "1", "--json"]
    first = CliRunner().invoke(cli, tournament)
    again = CliRunner().invoke(cli, [*tournament, "--cluster", "local"])  # all is kept
    assert (first.exit_code, again.exit_code, again.stdout) == (0, 0, first.stdout)


# Checking a cluster.


def test_a_check_tells_the_nodes(cluster: Cluster) -> None:
    from soulread.study.cluster.check import check_cluster
    from soulread.study.cluster.check_terminal import print_check

    found = check_cluster(cluster, calls=20)
    (node,) = found.nodes
    assert (found.cores, node.cores, node.versions) == (2, 2, versions())
    assert found.core_equivalents == pytest.approx(2 * node.speed)
    assert node.bytes_sent == 2**24
    print_check(found)


def test_an_experiment_is_foreseen_and_not_run(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    options = RunOptions(quick=True, game="kuhn", only=("skew 1",), players=("dbbr, paper",), store=store)
    found = foresee("zoo", options)
    assert found.tasks == found.unknown > 0
    assert "no time is known" in found.sentence(2)
    assert not list(tmp_path.iterdir())


def test_seconds_are_those_of_tasks_that_are_most_alike(tmp_path: Path) -> None:
    from soulread.reproduce.foreseen import RunAhead, _seconds_of, _seconds_of_kept

    def task(game: str, agent: str, hands: int) -> Task:
        return Task(fails, {"game": game, "agents": [agent], "hands": hands, "number": 0})

    store = ResultStore(tmp_path)
    for made, seconds in (
        (task("kuhn", "a", 10), 1.0),
        (task("kuhn", "b", 10), 3.0),
        (task("leduc", "a", 1), 8.0),
    ):
        store.save(made, {"x": 0.0}, seconds)
    known = _seconds_of_kept(store, {"test_cluster.fails"})
    assert _seconds_of(task("kuhn", "a", 20), known) == pytest.approx(2.0)  # the same match, twice as long
    assert _seconds_of(task("kuhn", "c", 10), known) == pytest.approx(2.0)  # the mean of this game
    assert _seconds_of(task("limit", "c", 1), known) == pytest.approx((0.1 + 0.3 + 8.0) / 3)
    assert _seconds_of(Task(abs, {}), known) is None
    assert "4 tasks to run, about 100 s of CPU time" in RunAhead("x", 4, 100.4, 5.0, 0).sentence(10).replace(
        "2 min", "100 s"
    )
    assert "5 s there" in RunAhead("x", 4, 10.0, 5.0, 0).sentence(10)  # no less than the longest task


# Many importers.


def hands_in_files(folder: Path) -> list[str]:
    """Three files of hands, of which two share some."""
    hands = some_hands(90)
    parts = {"a.jsonl": hands[:40], "b.jsonl": hands[30:70], "c.jsonl": hands[60:]}
    for name, part in parts.items():
        (folder / name).write_text("".join(f"{hand.to_json()}\n" for hand in part) + "not a hand\n")
    return [str(folder)]


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_many_importers_make_the_store_of_one(cluster: Cluster, place: str, tmp_path: Path) -> None:  # noqa: F811
    folder = tmp_path / "hands"
    folder.mkdir()
    paths = hands_in_files(folder)
    with Store.open(str(tmp_path / "one.db")) as store:
        alone = import_hands(store, paths)
    expected = rows(str(tmp_path / "one.db"))
    study = import_spread(place, paths, cluster)
    assert rows(place) == expected
    assert (study.added.new, study.added.known, study.read) == (90, alone.added.known, alone.read)
    assert (study.bad, study.bytes_read) == (alone.bad, alone.bytes_read)
    again = import_spread(place, paths, cluster)
    assert (again.added.new, again.added.known) == (0, alone.read)


class Elsewhere:
    """A runner whose workers do not see the driver's files."""

    shares_files = False

    def __init__(self, *files: Path) -> None:
        self.files = files

    def run(self, function: Any, arguments: Any, wanted: Any = None) -> Iterator[Any]:
        work = [arguments[number] for number in range(len(arguments))]
        for file in self.files:
            file.unlink()
        for number, given in enumerate(work):
            yield number, function(*given)


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_files_travel_to_importers(place: str, tmp_path: Path) -> None:  # noqa: F811
    folder = tmp_path / "hands"
    folder.mkdir()
    paths = hands_in_files(folder)
    with Store.open(str(tmp_path / "one.db")) as store:
        import_hands(store, paths)
    noted: list[Any] = []
    study = import_spread(place, paths, Elsewhere(*folder.iterdir()), noted=noted.append)
    assert rows(place) == rows(str(tmp_path / "one.db"))
    assert study.added.new == 90
    assert [found.source for found in noted] == [
        str(folder / name) for name in ("a.jsonl", "b.jsonl", "c.jsonl")
    ]


@pytest.mark.parametrize("place", ["postgres"], indirect=True)
def test_lost_connections_and_deadlocks_are_retried(
    place: str,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import psycopg

    hands = some_hands(60)
    with Store.open(place) as store:
        broken: list[int] = []

        def end_connection(_: object) -> None:
            if len(broken) < 2:
                broken.append(1)
                with psycopg.connect(place, autocommit=True) as other:
                    other.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
                    )

        added = store.add(hands[:40], batch=10, progress=end_connection)
        assert (added.new, added.known, len(broken)) == (40, 0, 2)
        told = store._db.run_many
        raised: list[str] = []

        def deadlock(sql: str, rows: Any) -> None:
            if not raised:
                raised.append(sql)
                store._db.run("DO $$ BEGIN RAISE EXCEPTION 'deadlock' USING ERRCODE = '40P01'; END $$")
            told(sql, rows)

        monkeypatch.setattr(store._db, "run_many", deadlock)
        assert store.add(hands[40:]).new == 20
        assert raised
        assert len(store) == 60
    assert len(rows(place)[0]) == 60


@pytest.mark.parametrize(
    ("where", "paths", "said"),
    [("hands.db", ["a"], "one program writes at a time"), ("postgresql://h/d", ["-"], "standard input")],
)
def test_an_import_that_cannot_be_spread(where: str, paths: list[str], said: str) -> None:
    with pytest.raises(SoulreadError, match=said):
        import_spread(where, paths, Processes(2))
