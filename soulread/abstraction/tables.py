"""Abstractions kept on disk, and built when they are first used.

An abstraction is made of three bundles of arrays, each named by what it depends on: the features, which all
abstractions share; the tables of private states; and the joint matrices, exact or quick ones. A change that
alters any number in a bundle must raise its version here.
"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread import machine
from soulread.abstraction.buckets import percentile_buckets
from soulread.abstraction.features import NONE, STRENGTH_UNIT, Features, build_features
from soulread.abstraction.joint import Joint, count_joint, counter_bytes, some_boards
from soulread.abstraction.potential import potential_buckets
from soulread.abstraction.states import Abstraction, AbstractionSpec, StateTables, parse_abstraction
from soulread.abstraction.workers import Progress
from soulread.cards.isomorphism import NUM_FLOPS, NUM_RIVERS, NUM_TURNS, all_boards
from soulread.cards.ranges import NUM_HANDS
from soulread.errors import SoulreadError
from soulread.storage import cache

FEATURES_VERSION = 1
STATES_VERSION = 1
JOINT_VERSION = 1

QUICK_BOARDS = 9000  # real boards; all 134459 canonical ones take 15 times as long
QUICK_SEED = 1

_PROGRAM = 200_000_000  # bytes of Python and compiled kernels
_opened: dict[Path, Features] = {}  # mapped once per process, for all abstractions


def load_or_build(
    spec: AbstractionSpec | str, quick: bool = False, progress: Progress | None = None
) -> tuple[Abstraction, Joint]:
    """Return an abstraction and its joint matrices, from the cache or built on the spot (about a minute).

    ``quick`` matrices are counted on an evenly spread part of the river boards. They take seconds, and are
    cached beside the exact ones. An abstraction that does not fit into memory raises `SoulreadError` before
    anything is built.
    """
    spec = _spec(spec)
    recipe = _joint_recipe(spec, quick)
    if not cache.has(recipe):
        verify_memory(spec)
    abstraction = load_abstraction(spec, progress)

    def build() -> dict[str, NDArray[Any]]:
        weights = some_boards(QUICK_BOARDS, QUICK_SEED) if quick else None
        counted = count_joint(abstraction, weights, progress, _threads(spec))
        return {"win": counted.win_deals, "ties": counted.tie_deals}

    arrays = cache.load_or_build(recipe, build, _waiting(progress)).arrays
    return abstraction, Joint(spec.branching, arrays["win"], arrays["ties"])


def load_abstraction(spec: AbstractionSpec | str, progress: Progress | None = None) -> Abstraction:
    """Return an abstraction without its joint matrices: enough to play with real cards."""
    spec = _spec(spec)
    recipe = _states_recipe(spec)
    if not cache.has(recipe):
        verify_memory(spec)
    features = load_features(progress)

    def build() -> dict[str, NDArray[Any]]:
        make = potential_buckets if spec.kind == "potential" else percentile_buckets
        built = make(spec, features, progress).tables
        return {
            "hole_state": built.hole_state,
            "flop_state": built.flop_state,
            "turn_bucket": built.turn_bucket,
            "river_cuts": built.river_cuts,
        }

    arrays = cache.load_or_build(recipe, build, _waiting(progress)).arrays
    tables = StateTables(
        all_boards().lookup,
        arrays["hole_state"],
        arrays["flop_state"],
        arrays["turn_bucket"],
        features.river,
        arrays["river_cuts"],
        np.array(spec.branching, dtype=np.int64),
    )
    return Abstraction(spec, tables, recipe.checksum)


def joint_checksum(spec: AbstractionSpec | str, quick: bool = False) -> str:
    """Return the checksum of everything the joint matrices depend on; nothing is built."""
    return _joint_recipe(_spec(spec), quick).checksum


def load_features(progress: Progress | None = None) -> Features:
    """Return the features of all holdings: 0.45 GB, mapped from the disk.

    All abstractions of a process share them.
    """
    recipe = _features_recipe()
    path = cache.cache_directory() / recipe.key
    found = _opened.get(path)
    if found is None:

        def build() -> dict[str, NDArray[Any]]:
            return dict(vars(build_features(progress)))

        found = Features(**cache.load_or_build(recipe, build, _waiting(progress)).arrays)
        _opened[path] = found
    return found


# What is cached -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cached:
    """A bundle in the cache; ``what`` is "features", "states", "joint" or "quick joint"."""

    what: str
    spec: str  # "" for the features
    num_states: tuple[int, ...]  # () for the features
    num_bytes: int
    created: datetime
    current: bool  # False if this version of soulread does not use the bundle any more
    path: Path


def info() -> list[Cached]:
    """Return the bundles of abstractions in the cache, by name; they are in `cache_directory`."""
    found = []
    for bundle in cache.bundles():
        what = str(bundle.settings.get("what", ""))
        if what not in ("features", "states", "joint"):
            continue
        text = str(bundle.settings.get("spec", ""))
        spec = parse_abstraction(text) if text else None
        quick = what == "joint" and bundle.settings.get("boards") != "all"
        if spec is None:
            wanted = _features_recipe()
        else:
            wanted = _states_recipe(spec) if what == "states" else _joint_recipe(spec, quick)
        found.append(
            Cached(
                what="quick joint" if quick else what,
                spec=text,
                num_states=spec.num_states if spec else (),
                num_bytes=bundle.num_bytes,
                created=bundle.created,
                current=wanted.checksum == bundle.checksum,
                path=bundle.path,
            )
        )
    return found


# Memory -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MemoryNeeded:
    """Bytes of main memory at the peak of each step of building an abstraction."""

    features: int
    states: int
    joint: int  # with one thread
    joint_per_thread: int  # for each further thread

    @property
    def peak(self) -> int:
        """Bytes needed by the step that needs most, with one thread."""
        return max(self.features, self.states, self.joint)


def memory_needed(spec: AbstractionSpec | str) -> MemoryNeeded:
    """Return how much memory it takes to build an abstraction, computed from its numbers of states."""
    spec = _spec(spec)
    _, flop_states, turn_states, river_states = spec.num_states
    river = 2 * NUM_RIVERS * NUM_HANDS + _PROGRAM
    turn, flop = 2 * NUM_TURNS * NUM_HANDS, 2 * NUM_FLOPS * NUM_HANDS
    features = river + 2 * (turn + flop)
    tables = flop + 4 * NUM_TURNS * NUM_HANDS + 2 * turn_states * spec.branching[3]
    counts = machine.num_threads() * max(8 * flop_states * NONE, 12 * turn_states * (STRENGTH_UNIT + 1))
    per_thread = counter_bytes(river_states)
    return MemoryNeeded(
        features=features + 4 * turn + 8 * flop,
        states=features + tables + counts,
        joint=river + tables + per_thread + 8 * river_states**2,
        joint_per_thread=per_thread,
    )


def verify_memory(spec: AbstractionSpec | str) -> None:
    """Raise `SoulreadError`, with the figures, if this machine has too little memory for the abstraction."""
    needed, free = memory_needed(spec).peak, machine.available_memory()
    if free is not None and needed > free:
        raise SoulreadError(
            f"abstraction {spec} needs {needed / 1e9:.1f} GB of memory to build, "
            f"{free / 1e9:.1f} GB are free; choose fewer buckets"
        )


def _threads(spec: AbstractionSpec) -> int:
    """As many threads as there are cores, or fewer if memory does not hold the counts of so many."""
    needed, free = memory_needed(spec), machine.available_memory()
    if free is None:
        return machine.num_threads()
    more = max(0, free - needed.joint) // needed.joint_per_thread
    return min(machine.num_threads(), 1 + more)


# Recipes ------------------------------------------------------------------------------------------


def _features_recipe() -> cache.Recipe:
    return cache.Recipe("features", {"what": "features", "version": FEATURES_VERSION})


def _states_recipe(spec: AbstractionSpec) -> cache.Recipe:
    settings: cache.Settings = {
        "what": "states",
        "spec": str(spec),
        "version": STATES_VERSION,
        "features": _features_recipe().checksum,
    }
    return cache.Recipe(f"states-{spec}", settings)


def _joint_recipe(spec: AbstractionSpec, quick: bool) -> cache.Recipe:
    settings: cache.Settings = {
        "what": "joint",
        "spec": str(spec),
        "version": JOINT_VERSION,
        "states": _states_recipe(spec).checksum,
        "boards": f"{QUICK_BOARDS} from seed {QUICK_SEED}" if quick else "all",
    }
    return cache.Recipe(f"joint-{spec}{'-quick' if quick else ''}", settings)


def _spec(spec: AbstractionSpec | str) -> AbstractionSpec:
    return parse_abstraction(spec) if isinstance(spec, str) else spec


def _waiting(progress: Progress | None) -> "Waiting | None":
    return None if progress is None else Waiting(progress)


@dataclass(frozen=True)
class Waiting:
    """Tells the progress bar that another process is already building the same bundle."""

    progress: Progress

    def __call__(self) -> None:
        self.progress("waiting for another process that builds the same", 0.0)
