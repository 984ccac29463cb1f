"""What runs in the processes of a cluster: they introduce themselves, and call functions in bundles.

A process verifies once that it is of the same soulread, with the same numerical packages, as whoever gives it
work: results must not depend on which machine computes them.
"""

import hashlib
import logging
import os
import platform
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

import soulread
from soulread.cluster.supplies import Needs, take_supplies
from soulread.errors import SoulreadError
from soulread.machine import available_memory, num_cores
from soulread.processes import sendable

PACKAGES = "numpy", "numba", "scipy", "highspy"  # whose versions may change a result
SETTINGS = ("SOULREAD_PATIENCE",)  # of the environment, which count for all processes of a command

Versions = Mapping[str, str]  # by name; "files" is a checksum of soulread's own modules


class Setup(NamedTuple):
    """What every bundle of a run shares."""

    key: str  # another for every run
    function: list[Any]  # one reference of Ray: its module is found when the files of the work are here
    needs: Needs
    path: tuple[str, ...]  # where modules are looked for besides; empty where files are not shared
    depot: Any  # None where all share the driver's files
    settings: Mapping[str, str]


class NodeFacts(NamedTuple):
    """A process of a node, as it introduces itself."""

    host: str
    versions: Versions
    cores: int
    memory: int | None  # bytes that are free
    seconds: float  # of CPU time for a fixed piece of work


class Answers(NamedTuple):
    """What came of a bundle: for each call whether it succeeded, and its result or error."""

    results: list[tuple[bool, Any]]
    seconds: float
    notices: list[str]  # what the user is told besides


@cache
def versions() -> dict[str, str]:
    """The versions of this process."""
    python = ".".join(platform.python_version_tuple()[:2])
    found = {"soulread": soulread.__version__, "files": _own_files(), "python": python}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def _own_files() -> str:
    """A checksum of soulread's modules: two checkouts of one version may differ."""
    root = Path(soulread.__file__).parent
    found = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        found.update(f"{path.relative_to(root).as_posix()}\0".encode() + path.read_bytes())
    return found.hexdigest()[:12]


def differences(here: Versions, there: Versions) -> str:
    """In which versions a worker differs from this process, in words; empty if in none."""
    words = [
        f"{'soulread of other files' if name == 'files' else name} {there.get(name, 'none')} (here {version})"
        for name, version in here.items()
        if there.get(name) != version
    ]
    return ", ".join(words)


def introduce() -> NodeFacts:
    """What this process is, and how quick."""
    begun = time.process_time()
    digest = b""
    for _ in range(200):
        digest = hashlib.sha256(digest + bytes(2**16)).digest()
    seconds = time.process_time() - begun
    return NodeFacts(platform.node(), versions(), num_cores(), available_memory(), seconds)


def fetch(content: list[Any]) -> float:
    """The seconds in which a content, given as one reference of Ray in a list, comes to this node."""
    import ray

    begun = time.perf_counter()
    ray.get(content[0])
    return time.perf_counter() - begun


_ready: dict[str, Callable[..., Any]] = {}  # the functions of the runs that this process is set up for


def work(expected: Versions, setup: Setup, arguments: list[Any]) -> Answers:
    """Call the function of a run with each of the arguments, which come as one reference of Ray in a list."""
    import ray

    told = _Told()
    logger = logging.getLogger("soulread")
    logger.addHandler(told)
    begun = time.perf_counter()
    results: list[tuple[bool, Any]] = []
    try:
        if setup.key not in _ready:
            prepare(expected, setup)
            _ready[setup.key] = ray.get(setup.function[0])
        function = _ready[setup.key]
        results.extend((True, function(*given)) for given in ray.get(arguments[0]))
    except Exception as error:
        results.append((False, sendable(error)))
    finally:
        logger.removeHandler(told)
    return Answers(results, time.perf_counter() - begun, told.sentences)


def prepare(expected: Versions, setup: Setup) -> None:
    """Verify the versions, and get what the work needs."""
    wrong = differences(expected, versions())
    if wrong:
        raise SoulreadError(refused(platform.node(), wrong))
    os.environ.update(setup.settings)
    sys.path.extend(place for place in setup.path if place not in sys.path)
    take_supplies(setup.depot, setup.needs)


def refused(node: str, wrong: str) -> str:
    """The sentence about a node with other versions."""
    return f"node {node!r} cannot take part: it has {wrong}; install the same versions on every node"


class _Told(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.sentences: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.sentences.append(record.getMessage())
