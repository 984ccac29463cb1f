"""`solve`: the loop around every iterative method, with its checks and checkpoints.

The result does not depend on where a run was interrupted. `soulread.solvers.cfr.stops` says when a run ends.
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

from soulread.errors import DamagedFile, ShapeError, SoulreadError
from soulread.notices import tell
from soulread.report.shown import Shown
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Behaviours, Plan, Plans, behaviour_from_plan
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR, Schedule
from soulread.solvers.cfr.sampling import MonteCarloCFR, Sampler
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.restricted import Gap, Restriction, restricted_gap
from soulread.storage.tensors import read_tensors, write_tensors

_SLICE = 0.05  # seconds between two looks at the clock

Method = Schedule | MonteCarloCFR
Judge = Callable[[Plans], Gap]
"""Measures how far plans are from the solution."""


@dataclass(frozen=True)
class Check:
    """One check of a run: iterations, gap and seconds so far."""

    iteration: int
    exploitability: float  # chips per hand
    seconds: float

    @property
    def rate(self) -> float:
        """Iterations per second so far."""
        return self.iteration / max(self.seconds, 1e-9)


@dataclass(frozen=True, eq=False, repr=False)
class Solution(Shown):
    """A pair of plans near equilibrium, and how it was made."""

    game: SequenceGame
    plans: Plans  # one [num_sequences] per player
    method: str
    settings: Mapping[str, Any]
    iterations: int
    gap: float  # exploitability of the plans, within the restriction if there is one; chips per hand
    seconds: float
    history: tuple[Check, ...] = ()
    checkpoint: Path | None = None  # the file from which a solve can go on from here, if one was written
    last: Behaviours | None = None  # of the last iteration; of games over a menu of raises

    def summary(self) -> str:
        """Return the game, the method and how close to equilibrium it came."""
        return (
            f"{self.game.name} by {self.method}, {self.iterations:,} iterations, gap {self.gap:.3g} chips/h"
        )

    @cached_property
    def behaviours(self) -> Behaviours:
        """The plans as behaviours; where a plan does not reach, those of the last iteration, or uniform.

        Over a menu of raises uniform play would be all-in with any hand.
        """
        if self.last is None:
            last: tuple[Behaviour | None, Behaviour | None] = None, None
        else:
            last = self.last
        first, second = (
            behaviour_from_plan(tree, plan, default)
            for tree, plan, default in zip(self.game.trees, self.plans, last, strict=True)
        )
        return first, second

    @cached_property
    def value(self) -> float:
        """Expected chips of player 0 per hand. It differs from the game's value by at most twice the gap."""
        return self.game.value(*self.plans)


class Engine(Protocol):
    """An iterative method in progress."""

    iteration: int

    def advance(self, iterations: int) -> None: ...

    def tensors(self) -> dict[str, NDArray[Any]]: ...

    def notes(self) -> dict[str, Any]: ...

    def restore(
        self, iteration: int, tensors: Mapping[str, NDArray[Any]], notes: Mapping[str, Any]
    ) -> None: ...


class _Player(Engine, Protocol):
    """An engine that has plans for the whole game."""

    game: SequenceGame

    @property
    def plans(self) -> Plans: ...


@dataclass(frozen=True)
class RunWatch:
    """The function that is called at each check of a run, and the file that keeps the run."""

    progress: Callable[[Check], None] | None = None
    checkpoint: "Checkpoint | None" = None


@dataclass(frozen=True)
class Reached:
    """How a run ended."""

    gap: float
    seconds: float
    history: tuple[Check, ...]
    checkpoint: Path | None  # where it was saved


@dataclass(frozen=True)
class Checkpoint:
    """A file that keeps a run, and what the run is: it is continued only by the same run."""

    path: Path
    every: float  # seconds between two saves, at least
    game: str  # its name
    checksum: str  # of the game
    method: Method
    restriction: Restriction | None = None

    def save(self, engine: Engine, history: list[Check]) -> None:
        """Write the state of a run, and what it belongs to."""
        metadata = {
            "game": self.game,
            "checksum": self.checksum,
            "method": repr(self.method),
            "restriction": "" if self.restriction is None else self.restriction.checksum,
            "iteration": str(engine.iteration),
            "history": json.dumps([dataclasses.astuple(check) for check in history]),
            "notes": json.dumps(engine.notes()),
        }
        write_tensors(self.path, "checkpoint", engine.tensors(), metadata)

    def load(self, engine: Engine) -> list[Check]:
        """Put the file into ``engine``; returns the history of the run."""
        path = self.path
        try:
            metadata, tensors = read_tensors(path, "checkpoint")
            self._verify_same_run(metadata)
            history = [Check(*entry) for entry in json.loads(metadata["history"])]
            engine.restore(int(metadata["iteration"]), tensors, json.loads(metadata["notes"]))
        except DamagedFile as error:
            raise DamagedFile(f"{error}; delete it to start afresh, or name another checkpoint") from None
        except SoulreadError:
            raise
        except (KeyError, IndexError, ValueError, TypeError, AttributeError) as error:
            raise DamagedFile(
                f"the checkpoint {str(path)!r} has a broken entry ({type(error).__name__}: {error}); "
                "delete it to start afresh, or name another checkpoint"
            ) from None
        return history

    def _verify_same_run(self, metadata: Mapping[str, str]) -> None:
        """Raise unless a checkpoint is of this game, method and restriction."""
        path, restriction = self.path, self.restriction
        if metadata["checksum"] != self.checksum:
            raise ShapeError(
                f"the checkpoint {str(path)!r} belongs to another game ({metadata['game']!r}, "
                f"{metadata['checksum'][:12]}) than {self.game!r} ({self.checksum[:12]})"
            )
        if metadata["method"] != repr(self.method):
            raise SoulreadError(
                f"the checkpoint {str(path)!r} was made by {metadata['method']}, not by {self.method!r}; "
                "go on with the same method or start afresh"
            )
        if metadata.get("restriction", "") != ("" if restriction is None else restriction.checksum):
            raise SoulreadError(
                f"the checkpoint {str(path)!r} is of a run with another restriction, or of one with none; "
                "go on with the same one or start afresh"
            )


def solve(
    game: SequenceGame,
    method: Method | None = None,
    stops: Stops | None = None,
    *,
    iterations: int | None = None,
    gap: float | None = None,
    seconds: float | None = None,
    progress: Callable[[Check], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    resume: bool = False,
    rng: np.random.Generator | None = None,
    restriction: Restriction | None = None,
) -> Solution:
    """Compute an approximate equilibrium, until the first of the stops is reached.

    ``solve(game, gap=1e-3)`` is short for ``solve(game, stops=Stops(gap=1e-3))``; so are ``iterations`` and
    ``seconds``. ``method`` is a `Schedule` (DCFR if none is given) or a `MonteCarloCFR`, which needs ``rng``.
    ``progress`` is called with every check.

    With ``checkpoint`` the state is written to that file at the end, and after a check if the last save is at
    least ``checkpoint_every`` seconds old. ``resume`` goes on from the file if it exists, and ends with
    exactly the plans that an unbroken run would have reached. If the file cannot be written, say because the
    disk is full, that is told and the run goes on.

    With ``restriction`` one player must follow a model part of the time. The gap is then that of the
    restricted game, and that player's plan is all that the player plays, model included.
    """
    method = DCFR() if method is None else method
    short = Stops(iterations=iterations, gap=gap, seconds=seconds)
    if stops is not None and short.bounded:
        raise SoulreadError("give stops, or iterations, gap and seconds; not both")
    stops = short if stops is None else stops
    stops.verify_bounded()
    path = None if checkpoint is None else Path(checkpoint)
    if resume and path is None:
        raise SoulreadError("resume=True needs the checkpoint to go on from")
    engine = _start(game, method, rng, restriction)
    kept = None
    if path is not None:
        kept = Checkpoint(path, checkpoint_every, game.name, game.checksum, method, restriction)
    history = kept.load(engine) if kept is not None and resume and path is not None and path.exists() else []

    def judge(plans: Plans) -> Gap:
        return restricted_gap(game, plans, restriction)

    return _run(engine, method, judge, stops, RunWatch(progress, kept), history)


def run(
    engine: RegretMinimiser,
    stops: Stops,
    *,
    progress: Callable[[Check], None] | None = None,
    judge: Judge | None = None,
) -> Solution:
    """Advance an engine until the first of the stops, as `solve` does with one of its own.

    ``judge`` measures the gap and the freedom in place of `restricted_gap`.
    """
    stops.verify_bounded()

    def by_restriction(plans: Plans) -> Gap:
        return restricted_gap(engine.game, plans, engine.restriction)

    return _run(engine, engine.schedule, judge or by_restriction, stops, RunWatch(progress), [])


def _run(
    engine: _Player, method: Method, judge: Judge, stops: Stops, watch: RunWatch, history: list[Check]
) -> Solution:
    """Run an engine, and copy its plans."""
    reached = run_until(engine, lambda: judge(engine.plans), stops, watch, history)
    first, second = engine.plans
    last = None
    if isinstance(engine, RegretMinimiser) and engine.game.bets is not None and engine.restriction is None:
        last = Behaviour(engine.behaviours[0].copy()), Behaviour(engine.behaviours[1].copy())
    return Solution(
        game=engine.game,
        plans=(Plan(first.copy()), Plan(second.copy())),
        method=method.name,
        settings=dataclasses.asdict(method),
        iterations=engine.iteration,
        gap=reached.gap,
        seconds=reached.seconds,
        history=reached.history,
        checkpoint=reached.checkpoint,
        last=last,
    )


def run_until(
    engine: Engine, judge: Callable[[], Gap], stops: Stops, watch: RunWatch, history: list[Check]
) -> Reached:
    """The loop around every method; ``history`` has the checks of an interrupted run, and grows."""
    kept, told = watch.checkpoint, False

    def save() -> Path | None:
        """A checkpoint that cannot be written is told, once, and the run goes on: nothing is lost by it."""
        nonlocal told
        if kept is None:
            return None
        try:
            kept.save(engine, history)
        except SoulreadError as error:
            if not told:
                tell(f"{error}; the solve goes on without a new checkpoint")
            told = True
            return None
        return kept.path

    before = history[-1].seconds if history else 0.0
    started = saved = time.perf_counter()
    last_check = history[-1].iteration if history else 0
    reached = Gap(history[-1].exploitability if history else np.inf)
    slice_size = 1
    while True:
        elapsed = before + time.perf_counter() - started
        finished = stops.is_finished(engine.iteration, elapsed, reached)
        due = stops.next_check(last_check)
        if engine.iteration >= due or (finished and engine.iteration > last_check):
            reached = judge()
            last_check = engine.iteration
            history.append(Check(engine.iteration, reached.value, before + time.perf_counter() - started))
            if watch.progress is not None:
                watch.progress(history[-1])
            if kept is not None and time.perf_counter() - saved >= kept.every:
                save()
                saved = time.perf_counter()
            if not finished:
                continue
        if finished:
            break
        until = due if stops.iterations is None else min(due, stops.iterations)
        count = min(slice_size, until - engine.iteration)
        tick = time.perf_counter()
        engine.advance(count)
        if time.perf_counter() - tick < _SLICE and count == slice_size:
            slice_size *= 2

    if not history:
        reached = judge()
    total = before + time.perf_counter() - started
    return Reached(reached.value, total, tuple(history), save())


def _start(
    game: SequenceGame, method: Method, rng: np.random.Generator | None, restriction: Restriction | None
) -> _Player:
    if isinstance(method, Schedule):
        return RegretMinimiser(game, method, restriction)
    if restriction is not None:
        raise SoulreadError(f"the method {method.name!r} knows no restrictions; take a schedule such as DCFR")
    if rng is None:
        raise SoulreadError(f"the method {method.name!r} is random; give it an rng (np.random.Generator)")
    return Sampler(game, method, rng)
