"""Strategies on disk: both players' behaviours and how they were made, in one safetensors file.

Loading maps the file into memory, so a strategy of any size is there at once and pages are read when they are
used. The file also has checksums of the treeplexes, so a strategy of another game is refused.
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
from safetensors import SafetensorError, safe_open

from soulread import __version__
from soulread.errors import ShapeError, SoulreadError
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plans,
    in_precision,
    plan_from_behaviour,
    verify_behaviours,
)
from soulread.solve.exploitability import exploitability
from soulread.solve.run import Solution
from soulread.solve.tensors import write_tensors
from soulread.storage import verify_writable

FORMAT = 1  # of the file; grows when an older soulread could no longer read it
_TENSORS = "behaviour0", "behaviour1"
_DTYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F64": np.dtype("<f8")}


@dataclass(frozen=True, eq=False)
class Strategy:
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

    @classmethod
    def from_solution(
        cls, solution: Solution, seed: int | None = None, abstraction: str | None = None
    ) -> "Strategy":
        """What `soulread.solve.solve` or `solve_exactly` found."""
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
    """Write a strategy; whoever reads ``path`` meanwhile sees the old file or the new one, whole."""
    target = Path(path)
    metadata = {
        "soulread": "strategy",
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
    verify_writable(target)
    write_tensors(target, tensors, metadata)


def load_strategy(path: str | os.PathLike[str], game: SequenceGame | None = None) -> Strategy:
    """Read a strategy. Its behaviours are mapped from the file; changing them does not change the file.

    With ``game`` a strategy of another game is refused. Whether the numbers are probabilities is not
    verified here; `soulread.seqform.verify_behaviour` does that.
    """
    source = Path(path)
    try:
        with safe_open(source, framework="numpy") as file:  # verifies that the file is whole
            metadata = file.metadata() or {}
    except FileNotFoundError:
        raise SoulreadError(f"{str(source)!r} does not exist") from None
    except OSError as error:
        reason = "it is a folder" if source.is_dir() else error.strerror or str(error)
        raise SoulreadError(f"{str(source)!r} cannot be read: {reason}") from None
    except SafetensorError as error:
        raise SoulreadError(
            f"{str(source)!r} is not a strategy file, or only a part of one: {error}"
        ) from None
    kind = metadata.get("soulread")
    if kind == "checkpoint":
        raise SoulreadError(
            f"{str(source)!r} is the checkpoint of a solve, not a strategy; go on solving from it"
        )
    if kind != "strategy":
        raise SoulreadError(f"{str(source)!r} is a safetensors file, but not a strategy of soulread")
    try:
        number = int(metadata["format"])
        if number > FORMAT:
            raise SoulreadError(
                f"{str(source)!r} has format {number}, written by soulread {metadata['version']}; "
                f"this is soulread {__version__}, which reads formats up to {FORMAT}"
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
        )
    except SoulreadError:
        raise
    except (KeyError, ValueError, AttributeError) as error:
        raise SoulreadError(f"{str(source)!r} is a strategy file with a broken entry: {error}") from None
    if game is not None:
        strategy.verify_game(game, repr(str(source)))
        for tree, behaviour in zip(game.trees, strategy.behaviours, strict=True):
            tree.verify_shape(behaviour, f"the behaviour in {str(source)!r}")
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
    """The tensors of a file that `safe_open` has verified: 8 bytes length, a JSON header, then the data."""
    with path.open("rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
    first, second = (
        Behaviour(  # a plain array; copy on write, since kernels are compiled for arrays they may write
            np.asarray(
                np.memmap(
                    path,
                    dtype=_DTYPES[header[name]["dtype"]],
                    mode="c",
                    offset=8 + size + header[name]["data_offsets"][0],
                    shape=tuple(header[name]["shape"]),
                )
            )
        )
        for name in _TENSORS
    )
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
