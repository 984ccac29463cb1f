"""Strategies on disk: both players' behaviours and how they were made, in one safetensors file.

Loading verifies the file's seal (`soulread.storage.files`), so a file that is damaged anywhere is refused,
and that every number is a probability. It then maps the behaviours into memory. The file also has checksums
of the treeplexes, so a strategy of another game is refused.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from soulread import __version__
from soulread.errors import DamagedFile, ShapeError, SoulreadError
from soulread.report.shown import Shown
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.strategy import (
    TOLERANCE,
    Behaviour,
    Behaviours,
    Plans,
    in_precision,
    plan_from_behaviour,
    verify_behaviour,
    verify_behaviours,
)
from soulread.solvers.cfr.run import Solution
from soulread.solvers.exploitability import exploitability
from soulread.storage.files import verify_writable
from soulread.storage.tensors import read_metadata, write_tensors

FORMAT = 2  # of the file; grows when an older soulread could no longer read it
_TENSORS = "behaviour0", "behaviour1"
_DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F64": np.dtype("<f8")}


@dataclass(frozen=True, eq=False, repr=False)
class Strategy(Shown):
    """Both players' behaviours in a game, and how they were made."""

    game: str  # its name
    representation: str  # "sparse" or "factored": how it was compiled
    checksums: tuple[str, str]  # of the treeplexes
    behaviours: Behaviours  # one [num_sequences] per player
    method: str
    settings: Mapping[str, Any]
    iterations: int
    gap: float  # exploitability, chips per hand
    seconds: float
    seed: int | None = None  # of a method that samples
    abstraction: str | None = None  # checksum of the card abstraction, where there is one
    version: str = __version__  # of the soulread that made it
    written: str = ""  # when it was saved, in UTC; empty before that
    file: Path | None = None  # where it was read from

    def summary(self) -> str:
        """Return the game, the method and the gap."""
        return f"{self.game} by {self.method}, {self.iterations:,} iterations, gap {self.gap:.3g} chips/h"

    @classmethod
    def from_solution(
        cls, solution: Solution, seed: int | None = None, abstraction: str | None = None
    ) -> "Strategy":
        """The strategy of a solution of `soulread.solvers.cfr.run.solve` or `solve_exactly`."""
        game = solution.game
        return cls(
            game=game.name,
            representation=_representation(game),
            checksums=(game.trees[0].checksum, game.trees[1].checksum),
            behaviours=solution.behaviours,
            method=solution.method,
            settings=dict(solution.settings),
            iterations=solution.iterations,
            gap=solution.gap,
            seconds=solution.seconds,
            seed=seed,
            abstraction=abstraction,
        )

    @classmethod
    def from_behaviours(
        cls,
        game: SequenceGame,
        behaviours: Behaviours,
        method: str,
        settings: Mapping[str, Any] | None = None,
        abstraction: str | None = None,
    ) -> "Strategy":
        """Behaviours that came from elsewhere; their gap is computed here."""
        verify_behaviours(game.trees, behaviours)
        return cls(
            game=game.name,
            representation=_representation(game),
            checksums=(game.trees[0].checksum, game.trees[1].checksum),
            behaviours=behaviours,
            method=method,
            settings=dict(settings or {}),
            iterations=0,
            gap=exploitability(game, _plans(game, behaviours)),
            seconds=0.0,
            abstraction=abstraction,
        )

    def verify_game(self, game: SequenceGame, where: str = "the strategy") -> None:
        """Raise `ShapeError` unless the behaviours belong to the treeplexes of ``game``."""
        theirs = (game.trees[0].checksum, game.trees[1].checksum)
        if self.checksums == theirs:
            return
        short = [" and ".join(checksum[:12] for checksum in pair) for pair in (self.checksums, theirs)]
        raise ShapeError(
            f"{where} belongs to another game: it was made for {self.game!r} ({self.representation}, "
            f"{short[0]}), not for {game.name!r} ({_representation(game)}, {short[1]})"
        )

    def plans(self, game: SequenceGame) -> Plans:
        """Both players' realisation plans in ``game``, which must be the strategy's."""
        self.verify_game(game)
        return _plans(game, self.behaviours)


def save_strategy(path: str | os.PathLike[str], strategy: Strategy) -> None:
    """Write a strategy; a reader of ``path`` sees the whole old file or the whole new one."""
    target = Path(path)
    metadata = {
        "format": str(FORMAT),
        "version": strategy.version,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "game": strategy.game,
        "representation": strategy.representation,
        "checksum0": strategy.checksums[0],
        "checksum1": strategy.checksums[1],
        "abstraction": strategy.abstraction or "",
        "method": strategy.method,
        "settings": json.dumps(plain_settings(strategy.settings), allow_nan=False),
        "iterations": str(strategy.iterations),
        "gap": repr(float(strategy.gap)),
        "seconds": repr(float(strategy.seconds)),
        "seed": "" if strategy.seed is None else str(strategy.seed),
    }
    tensors = {
        name: np.ascontiguousarray(behaviour)
        for name, behaviour in zip(_TENSORS, strategy.behaviours, strict=True)
    }
    verify_writable(target, "strategy")
    write_tensors(target, "strategy", tensors, metadata)


def load_strategy(path: str | os.PathLike[str], game: SequenceGame | None = None) -> Strategy:
    """Read a strategy. Its behaviours are mapped from the file; changing them does not change the file.

    A file that is damaged, or whose numbers are no probabilities, is refused. With ``game`` a strategy of
    another game is refused too, and so is one whose probabilities do not sum to one at every set.
    """
    source = Path(path)
    metadata = read_metadata(source, "strategy")
    try:
        number = int(metadata["format"])
        if number > FORMAT:
            raise SoulreadError(
                f"{str(source)!r} has format {number}, written by soulread {metadata['version']}; "
                f"this is soulread {__version__}, which reads formats up to {FORMAT}"
            )
        if number < FORMAT:
            raise SoulreadError(
                f"{str(source)!r} has format {number}, of an older soulread; solve it again and save it anew"
            )
        strategy = Strategy(
            game=metadata["game"],
            representation=metadata["representation"],
            checksums=(metadata["checksum0"], metadata["checksum1"]),
            behaviours=_map_behaviours(source),
            method=metadata["method"],
            settings=_read_settings(json.loads(metadata["settings"])),
            iterations=int(metadata["iterations"]),
            gap=float(metadata["gap"]),
            seconds=float(metadata["seconds"]),
            seed=int(metadata["seed"]) if metadata["seed"] else None,
            abstraction=metadata["abstraction"] or None,
            version=metadata["version"],
            written=metadata["written"],
            file=source,
        )
    except SoulreadError:
        raise
    except (KeyError, ValueError, AttributeError, TypeError) as error:
        raise DamagedFile(f"{str(source)!r} is a strategy file with a broken entry: {error}") from None
    if game is not None:
        strategy.verify_game(game, repr(str(source)))
        for tree, behaviour in zip(game.trees, strategy.behaviours, strict=True):
            verify_behaviour(tree, behaviour, f"the behaviour in {str(source)!r}")
    return strategy


def plain_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON knows them: infinite numbers become the words "inf" and "-inf"."""
    return {
        name: str(value) if isinstance(value, float) and math.isinf(value) else value
        for name, value in settings.items()
    }


def _read_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The opposite of `plain_settings`."""
    return {name: float(value) if value in ("inf", "-inf") else value for name, value in settings.items()}


def _map_behaviours(path: Path) -> Behaviours:
    """The tensors of a file that was verified, in one precision: the finer one if they differ."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    mapped = []
    for seat, name in enumerate(_TENSORS):
        about = header[name]
        array = (
            np.asarray(  # a plain array; copy on write, since kernels are compiled for arrays they may write
                np.memmap(
                    path,
                    dtype=_DTYPES[about["dtype"]],
                    mode="c",
                    offset=8 + size + about["data_offsets"][0],
                    shape=tuple(about["shape"]),
                )
            )
        )
        if not (array.min() >= -TOLERANCE and array.max() <= 1 + TOLERANCE):  # also false for NaN
            raise DamagedFile(
                f"{str(path)!r} is no strategy: the numbers of seat {seat} are not all probabilities between "
                "0 and 1"
            )
        mapped.append(array)
    dtype = np.result_type(*mapped)
    first, second = (Behaviour(array.astype(dtype, copy=False)) for array in mapped)
    return first, second


def _representation(game: SequenceGame) -> str:
    return "factored" if isinstance(game.payoff, FactoredPayoff) else "sparse"


def _plans(game: SequenceGame, behaviours: Behaviours) -> Plans:
    """Plans in the precision of the game's payoffs."""
    first, second = (
        in_precision(plan_from_behaviour(tree, behaviour), game.payoff.dtype)
        for tree, behaviour in zip(game.trees, behaviours, strict=True)
    )
    return first, second
