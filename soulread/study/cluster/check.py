"""The nodes of a cluster: versions, cores, memory, how quick they are, and how quickly bytes get there."""

import time
from dataclasses import dataclass

import numpy as np

from soulread.cluster.connection import import_ray
from soulread.cluster.runner import Cluster
from soulread.cluster.worker import differences, fetch, introduce, versions
from soulread.encoding import keys

_SENT = 2**24  # bytes, to each node


@dataclass(frozen=True)
class NodeCheck:
    """A node that takes part. ``speed`` is that of this machine's core over the node's, in CPU time."""

    name: str
    address: str
    cores: int
    memory: int | None  # bytes that are free
    versions: dict[str, str]
    speed: float
    bytes_sent: int
    seconds: float  # until they were there


@dataclass(frozen=True)
class ClusterCheck:
    """The nodes of a cluster that works, and what it costs to reach it."""

    address: str
    nodes: tuple[NodeCheck, ...]
    seconds_to_connect: float
    seconds_per_call: float  # of a call that does nothing, among many

    JSON = keys("* cores core_equivalents")

    @property
    def cores(self) -> int:
        """Cores of all nodes."""
        return sum(node.cores for node in self.nodes)

    @property
    def core_equivalents(self) -> float:
        """Cores like those of this machine that would be as quick."""
        return sum(node.cores * node.speed for node in self.nodes)


def check_cluster(cluster: Cluster, calls: int = 200) -> ClusterCheck:
    """Connect to a cluster, and run a task and send bytes to each node.

    A node with another version of soulread, or of a package that results depend on, is a `SoulreadError`.
    """
    begun = time.perf_counter()
    cluster.open()
    connected = time.perf_counter() - begun
    ray = import_ray()
    here = introduce().seconds
    sent = {node["NodeID"]: seconds for node, seconds in cluster.on_each(fetch, [ray.put(_noise())])}
    nodes = tuple(
        NodeCheck(
            name=facts.host,
            address=str(node["NodeManagerAddress"]),
            cores=int(node["Resources"]["CPU"]),
            memory=facts.memory,
            versions=dict(facts.versions),
            speed=here / facts.seconds,
            bytes_sent=_SENT,
            seconds=sent[node["NodeID"]],
        )
        for node, facts in cluster.members()
        if not differences(versions(), facts.versions)
    )
    list(cluster.run(abs, [(0,)] * cluster.cores))  # processes start
    begun = time.perf_counter()
    list(cluster.run(abs, [(number,) for number in range(calls)]))
    return ClusterCheck(cluster.address, nodes, connected, (time.perf_counter() - begun) / calls)


def _noise() -> np.ndarray[tuple[int], np.dtype[np.uint8]]:
    return np.random.default_rng(0).integers(0, 256, _SENT, np.uint8)
