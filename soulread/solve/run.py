"""`solve`: the loop around every iterative method, with its stops, checks and checkpoints.

Exploitability is checked after iterations 10, 20, ..., 100 and then after every tenth more (110, 121,
...), so the checks cost about as much as a tenth of the iterations; ``check_every`` chooses a fixed
distance. The iterations checked and the result do not depend on where a run was interrupted.
"""

import dataclasses
import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from soulread.errors import ShapeError, SoulreadError
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import behaviour_from_plan
from soulread.seqform.treeplex import Floats
from soulread.solve.cfr import RegretMinimiser
from soulread.solve.mccfr import Sampler, Sampling
from soulread.solve.regret import DCFR, Schedule
from soulread.solve.restricted import Gap, Restriction, restricted_gap
from soulread.solve.tensors import write_tensors

_SLICE = 0.05  # seconds between two looks at the clock
_LEAST_FREEDOM = 0.01  # a precision asks for no smaller part of itself as a gap

Method = Schedule | Sampling
Judge = Callable[[tuple[Floats, Floats]], Gap]
"""How far plans are from what is sought."""


@dataclass(frozen=True)
class Check:
    """One look at a run: what was reached when."""

    iteration: int
    exploitability: float  # chips per hand
    seconds: float

    @property
    def rate(self) -> float:
        """Iterations per second so far."""
        return self.iteration / max(self.seconds, 1e-9)


@dataclass(frozen=True, eq=False)
class Solution:
    """A pair of plans near equilibrium, and how it was made."""

    game: SequenceGame
    plans: tuple[Floats, Floats]  # one [num_sequences] per player
    method: str
    settings: Mapping[str, Any]
    iterations: int
    gap: float  # exploitability of the plans, within the restriction if there is one; chips per hand
    seconds: float
    history: tuple[Check, ...] = ()

    @cached_property
    def behaviours(self) -> tuple[Floats, Floats]:
        """The plans as behaviours; uniform where a plan does not reach."""
        first, second = (
            behaviour_from_plan(tree, plan) for tree, plan in zip(self.game.trees, self.plans, strict=True)
        )
        return first, second

    @cached_property
    def value(self) -> float:
        """Expected chips of player 0 per hand; within twice the gap of the game's value."""
        return self.game.value(*self.plans)


class _Engine(Protocol):
    """An iterative method in progress."""

    game: SequenceGame
    iteration: int

    @property
    def plans(self) -> tuple[Floats, Floats]: ...

    def advance(self, iterations: int) -> None: ...

    def tensors(self) -> dict[str, NDArray[Any]]: ...

    def notes(self) -> dict[str, Any]: ...

    def restore(
        self, iteration: int, tensors: Mapping[str, NDArray[Any]], notes: Mapping[str, Any]
    ) -> None: ...


def solve(
    game: SequenceGame,
    method: Method | None = None,
    *,
    iterations: int | None = None,
    gap: float | None = None,
    seconds: float | None = None,
    check_every: int | None = None,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[Check], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    rng: np.random.Generator | None = None,
    restriction: Restriction | None = None,
) -> Solution:
    """Approach an equilibrium until the first of the stops given: iterations, gap or seconds.

    ``stop`` is asked several times a second; when it says yes the run ends as if its time were up.
    ``method`` is a `Schedule` (DCFR if none is given) or a `Sampling`, which needs ``rng``. ``progress`` is
    told of every check. With ``checkpoint`` the state is written to that file at the end and after a
    check when the last one is ``checkpoint_every`` seconds old; ``resume`` goes on from the file if
    it exists, and ends with the very plans an unbroken run would have reached. With ``restriction`` one
    player must follow a model part of the time; the gap is then that of the restricted game, and his plan
    all that he plays.
    """
    method = DCFR() if method is None else method
    _verify_stops(iterations, gap, seconds, check_every)
    path = None if checkpoint is None else Path(checkpoint)
    if resume and path is None:
        raise SoulreadError("resume=True needs the checkpoint to go on from")
    engine = _start(game, method, rng, restriction)
    history: list[Check] = []
    if resume and path is not None and path.exists():
        history = _load(path, game, method, engine, restriction)

    def save() -> None:
        if path is not None:
            _save(path, method, engine, restriction, history)

    def judge(plans: tuple[Floats, Floats]) -> Gap:
        return restricted_gap(game, plans, restriction)

    return _run(
        engine, method, judge, history, iterations, gap, None, seconds, check_every, stop, progress,
        checkpoint_every, save,
    )  # fmt: skip


def run(
    engine: RegretMinimiser,
    *,
    iterations: int | None = None,
    gap: float | None = None,
    precision: float | None = None,
    seconds: float | None = None,
    check_every: int | None = None,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[Check], None] | None = None,
    judge: Judge | None = None,
) -> Solution:
    """Advance an engine until the first of the stops given, as `solve` does with one of its own.

    ``iterations`` counts from the engine's last (re)start. ``precision`` is the gap asked for, divided by the
    restricted player's freedom, which counts as a hundredth at least. ``judge`` measures both in place of
    `restricted_gap`.
    """
    _verify_stops(iterations, gap, seconds, check_every, precision)

    def by_restriction(plans: tuple[Floats, Floats]) -> Gap:
        return restricted_gap(engine.game, plans, engine.restriction)

    return _run(
        engine, engine.schedule, judge or by_restriction, [], iterations, gap, precision, seconds,
        check_every, stop, progress, np.inf, lambda: None,
    )  # fmt: skip


def _run(
    engine: _Engine,
    method: Method,
    judge: Judge,
    history: list[Check],
    iterations: int | None,
    gap: float | None,
    precision: float | None,
    seconds: float | None,
    check_every: int | None,
    stop: Callable[[], bool] | None,
    progress: Callable[[Check], None] | None,
    save_every: float,
    save: Callable[[], None],
) -> Solution:
    """The loop; ``history`` is what an interrupted run had seen, and grows."""
    before = history[-1].seconds if history else 0.0
    started = saved = time.perf_counter()
    last_check = history[-1].iteration if history else 0
    reached = Gap(history[-1].exploitability if history else np.inf)
    slice_size = 1
    while True:
        elapsed = before + time.perf_counter() - started
        finished = (
            (iterations is not None and engine.iteration >= iterations)
            or (seconds is not None and elapsed >= seconds)
            or (gap is not None and reached.value <= gap)
            or (precision is not None and reached.value <= precision * max(reached.freedom, _LEAST_FREEDOM))
            or (stop is not None and stop())
        )
        due = _next_check(last_check, check_every)
        if engine.iteration >= due or (finished and engine.iteration > last_check):
            reached = judge(engine.plans)
            last_check = engine.iteration
            history.append(Check(engine.iteration, reached.value, before + time.perf_counter() - started))
            if progress is not None:
                progress(history[-1])
            if time.perf_counter() - saved >= save_every:
                save()
                saved = time.perf_counter()
            if not finished:
                continue
        if finished:
            break
        until = due if iterations is None else min(due, iterations)
        count = min(slice_size, until - engine.iteration)
        tick = time.perf_counter()
        engine.advance(count)
        if time.perf_counter() - tick < _SLICE and count == slice_size:
            slice_size *= 2

    if not history:
        reached = judge(engine.plans)
    total = before + time.perf_counter() - started
    first, second = engine.plans
    save()
    return Solution(
        game=engine.game,
        plans=(first.copy(), second.copy()),
        method=method.name,
        settings=dataclasses.asdict(method),
        iterations=engine.iteration,
        gap=reached.value,
        seconds=total,
        history=tuple(history),
    )


def _verify_stops(
    iterations: int | None,
    gap: float | None,
    seconds: float | None,
    check_every: int | None,
    precision: float | None = None,
) -> None:
    stops = {"iterations": iterations, "gap": gap, "seconds": seconds, "precision": precision}
    if all(number is None for number in stops.values()):
        raise SoulreadError("nothing says when to stop; give iterations, gap or seconds")
    for name, number in stops.items():
        if number is not None and not number >= 0:
            raise SoulreadError(f"{name}={number!r}; it must not be negative")
    if check_every is not None and check_every < 1:
        raise SoulreadError(f"check_every={check_every!r}; it must be at least 1")


def _next_check(last: int, every: int | None) -> int:
    """The first iteration to check after ``last``; the same points wherever a run was interrupted."""
    if every is not None:
        return (last // every + 1) * every
    point = 0
    while point <= last:
        point += max(10, point // 10)
    return point


def _start(
    game: SequenceGame, method: Method, rng: np.random.Generator | None, restriction: Restriction | None
) -> _Engine:
    if isinstance(method, Schedule):
        return RegretMinimiser(game, method, restriction)
    if restriction is not None:
        raise SoulreadError(f"the method {method.name!r} knows no restrictions; take a schedule such as DCFR")
    if rng is None:
        raise SoulreadError(f"the method {method.name!r} is random; give it an rng (np.random.Generator)")
    return Sampler(game, method, rng)


def _save(
    path: Path, method: Method, engine: _Engine, restriction: Restriction | None, history: list[Check]
) -> None:
    """Write the state of a run, and what it belongs to."""
    metadata = {
        "soulread": "checkpoint",
        "game": engine.game.name,
        "checksum": engine.game.checksum,
        "method": repr(method),
        "restriction": "" if restriction is None else restriction.checksum,
        "iteration": str(engine.iteration),
        "history": json.dumps([dataclasses.astuple(check) for check in history]),
        "notes": json.dumps(engine.notes()),
    }
    write_tensors(path, engine.tensors(), metadata)


def _load(
    path: Path, game: SequenceGame, method: Method, engine: _Engine, restriction: Restriction | None
) -> list[Check]:
    """Put a checkpoint into ``engine``; returns the history of the run."""
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    except SafetensorError as error:
        raise SoulreadError(f"{str(path)!r} is not a checkpoint: {error}") from None
    if metadata.get("soulread") != "checkpoint":
        raise SoulreadError(f"{str(path)!r} is not a checkpoint of a solve")
    if metadata["checksum"] != game.checksum:
        raise ShapeError(
            f"the checkpoint {str(path)!r} belongs to another game ({metadata['game']!r}, "
            f"{metadata['checksum'][:12]}) than {game.name!r} ({game.checksum[:12]})"
        )
    if metadata["method"] != repr(method):
        raise SoulreadError(
            f"the checkpoint {str(path)!r} was made by {metadata['method']}, not by {method!r}; "
            "go on with the same method or start afresh"
        )
    if metadata.get("restriction", "") != ("" if restriction is None else restriction.checksum):
        raise SoulreadError(
            f"the checkpoint {str(path)!r} is of a run with another restriction, or of one with none; "
            "go on with the same one or start afresh"
        )
    history = [Check(*entry) for entry in json.loads(metadata["history"])]
    engine.restore(int(metadata["iteration"]), tensors, json.loads(metadata["notes"]))
    return history
