"""The runner that runs work on a Ray cluster, as `soulread.processes` runs it on processes of this machine.

    with Cluster("local") as cluster:
        results = list(run_tasks(tasks, store, cluster))

Calls are plain tasks of Ray, one core and one thread each. Ray decides where they run, and gives those of a
worker that was lost to another one. Short calls go in bundles, so that a call costs little more than its
work. At most twice as many bundles as cores are under way: what the driver holds does not grow with the work.

Nothing starts before there is work, and one connection serves until the cluster is closed.
"""

import os
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from itertools import islice
from typing import Any, Self

from soulread.cluster.connection import LOCAL, connect, import_ray, verify_address
from soulread.cluster.supplies import Depot, needs_of
from soulread.cluster.worker import (
    SETTINGS,
    Answers,
    NodeFacts,
    Setup,
    differences,
    introduce,
    refused,
    versions,
    work,
)
from soulread.errors import SoulreadError
from soulread.machine import num_cores
from soulread.notices import tell_once
from soulread.processes import Result, num_processes
from soulread.storage.cache import cache_directory
from soulread.words import plural

RETRIES = 3  # of a bundle whose worker was lost
CALLS = 200  # bundles after which a process makes room for a new one: memory of its work may have grown
BUNDLE_SECONDS = 0.2  # that a bundle of short calls takes
LARGEST = 200  # calls of a bundle
AHEAD = 2  # bundles under way for each core
_INTRODUCED = 120.0  # seconds that a node has to say what it is


class Cluster:
    """The runner of the Ray cluster at an address, or of this machine's cores if that is "local".

    ``most`` is how many bundles are under way at a time; None: all cores are kept busy.
    """

    def __init__(self, address: str, most: int | None = None) -> None:
        verify_address(address)
        if most is not None and most < 1:
            raise SoulreadError(f"the work needs at least one process, not {most}")
        self.address = address
        self.most = most
        self._connection: ExitStack | None = None
        self._depot: Any = None
        self._work: Any = None  # the task of Ray

    @property
    def shares_files(self) -> bool:
        """Whether every worker sees the driver's files."""
        return self.address == LOCAL

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection, and with it a local cluster."""
        connection, self._connection, self._depot, self._work = self._connection, None, None, None
        if connection is not None:
            connection.close()

    def open(self) -> None:
        """Connect, and refuse nodes with other versions; without this the first run does so."""
        if self._connection is not None:
            return
        most = self.most or num_cores()
        self._connection = connect(self.address, num_processes(most, most))
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        ray = import_ray()
        settings = {"num_cpus": 1, "max_retries": RETRIES, "max_calls": CALLS}
        self._work = ray.remote(**settings)(work)
        if self.cores < 1:
            raise SoulreadError(f"the cluster at {self.address} has no core for work")
        wrong = [
            refused(f"{member.host} ({node['NodeManagerAddress']})", found)
            for node, member in self.members()
            if (found := differences(versions(), member.versions))
        ]
        if wrong:
            raise SoulreadError("; ".join(wrong))
        if not self.shares_files:
            here = _on(ray.get_runtime_context().get_node_id())
            made = ray.remote(num_cpus=0)(Depot).options(scheduling_strategy=here)
            self._depot = made.remote(str(cache_directory().absolute()), os.getcwd())

    @property
    def cores(self) -> int:
        """Cores of the nodes that take part."""
        return int(import_ray().cluster_resources().get("CPU", 0))

    def nodes(self) -> list[dict[str, Any]]:
        """The nodes that work, as Ray describes them."""
        every = import_ray().nodes()
        return [node for node in every if node["Alive"] and node["Resources"].get("CPU", 0) >= 1]

    def members(self) -> list[tuple[dict[str, Any], NodeFacts]]:
        """One process of each node that works, as it introduces itself. Only while connected."""
        return self.on_each(introduce)

    def on_each(
        self, function: Callable[..., Result], *arguments: Any
    ) -> list[tuple[dict[str, Any], Result]]:
        """Call a function once on each node that works: the node, and the result. Only while connected."""
        ray = import_ray()
        ask = ray.remote(num_cpus=0, max_retries=RETRIES)(function)
        asked = [
            (node, ask.options(scheduling_strategy=_on(node["NodeID"])).remote(*arguments))
            for node in self.nodes()
        ]
        found: list[tuple[dict[str, Any], Result]] = []
        for node, reference in asked:
            try:
                found.append((node, ray.get(reference, timeout=_INTRODUCED)))
            except (ray.exceptions.RayError, ImportError, RuntimeError) as error:
                name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
                raise SoulreadError(
                    f"node {name!r} cannot take part: {_first_line(error)}; is this soulread installed there?"
                ) from None
        return found

    def bytes_moved(self) -> int:
        """How many bytes of tables and files have travelled since the connection began."""
        return 0 if self._depot is None else int(import_ray().get(self._depot.moved.remote()))

    def run(
        self,
        function: Callable[..., Result],
        arguments: Sequence[tuple[Any, ...]],
        wanted: Callable[[int], bool] | None = None,
    ) -> Iterator[tuple[int, Result]]:
        """Call ``function`` with each of the ``arguments`` on the cluster; yield results as they come.

        See `soulread.processes.run_in_processes`, whose promises these are. A bundle that was lost with its
        worker is computed again. When the caller stops early, what is under way is cancelled.
        """
        self.open()
        ray = import_ray()
        setup = ray.put(self._setup(function, arguments))
        expected = ray.put(versions())
        numbers = (n for n in range(len(arguments)) if wanted is None or wanted(n))
        most = AHEAD * self.cores if self.most is None else self.most
        size = 1
        pending: dict[Any, list[int]] = {}
        try:
            while True:
                while len(pending) < most and (bundle := list(islice(numbers, size))):
                    given = [ray.put([arguments[number] for number in bundle])]
                    pending[self._work.remote(expected, setup, given)] = bundle
                if not pending:
                    return
                (ready, *_), _ = ray.wait(list(pending), num_returns=1)
                bundle = pending.pop(ready)
                answers = self._answers(ready)
                size = _next_size(len(bundle), answers.seconds)
                for sentence in answers.notices:
                    tell_once(sentence)
                for number, (succeeded, result) in zip(bundle, answers.results, strict=False):
                    if not succeeded:
                        raise result
                    yield number, result
        finally:
            for reference in pending:
                with suppress(Exception):  # the connection may be lost
                    ray.cancel(reference, force=True)

    def _setup(self, function: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> Setup:
        needs = needs_of(function, arguments)
        if self._depot is not None and needs.files:
            import_ray().get(self._depot.allow.remote(list(needs.files)))
        settings = {name: os.environ[name] for name in SETTINGS if name in os.environ}
        path = tuple(sys.path) if self.shares_files else ()
        return Setup(uuid.uuid4().hex, [import_ray().put(function)], needs, path, self._depot, settings)

    def _answers(self, reference: Any) -> Answers:
        ray = import_ray()
        lost = (
            ray.exceptions.WorkerCrashedError,
            ray.exceptions.OutOfMemoryError,
            ray.exceptions.NodeDiedError,
            ray.exceptions.ObjectLostError,
        )
        try:
            answers: Answers = ray.get(reference)
            return answers
        except lost as error:
            raise SoulreadError(
                f"work was lost with its worker {plural(RETRIES + 1, 'time')} ({_first_line(error)}); if "
                "memory ran out, fewer at a time (--jobs) need less"
            ) from None
        except ray.exceptions.RayTaskError as error:  # before the function was called, or behind it
            raise SoulreadError(f"a worker could not do its work: {_first_line(error.cause)}") from error
        except ray.exceptions.RayError as error:
            raise SoulreadError(f"the cluster at {self.address} failed: {_first_line(error)}") from None


def _next_size(calls: int, seconds: float) -> int:
    """How many calls the next bundle has, if one of so many ``calls`` took so many seconds."""
    return max(1, min(LARGEST, 2 * calls, int(BUNDLE_SECONDS * calls / max(seconds, 1e-6))))


def _on(node: str) -> Any:
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    return NodeAffinitySchedulingStrategy(node, soft=False)


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
