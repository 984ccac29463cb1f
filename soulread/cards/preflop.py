"""Two holdings all-in before the flop: how often each of the 169 classes beats each other one, exactly.

A class is a cell of the 13 x 13 grid, such as "AKs" (`soulread.cards.ranges.class_name`). For two classes the
file beside this module has the number of wins, ties counting half, over all pairs of holdings that share no
card and all 1,712,304 boards. `benchmarks/make_preflop.py` counts them anew.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, HAND_MASKS
from soulread.errors import ShapeError
from soulread.storage.tensors import read_tensors, write_tensors

NUM_CLASSES = CELL_SIZES.size
NUM_RUNOUTS = comb(48, 5)
_KIND = "preflop"


@dataclass(frozen=True, eq=False)
class PreflopTable:
    """Pairs of classes: how many pairs of holdings they are, and how often the first one wins."""

    pairs: NDArray[np.int64]  # [169, 169] pairs of holdings that share no card
    half_wins: NDArray[np.int64]  # [169, 169] of the first, over all pairs and boards: 2 a win, 1 a tie

    @property
    def equity(self) -> NDArray[np.float64]:
        """``[169, 169]``: the part of the pot that the first class wins."""
        found: NDArray[np.float64] = self.half_wins / (2 * NUM_RUNOUTS * self.pairs)
        return found

    @property
    def reach(self) -> NDArray[np.float64]:
        """``[169, 169]``: the joint chance of both classes."""
        found: NDArray[np.float64] = self.pairs / self.pairs.sum()
        return found


def count_pairs() -> NDArray[np.int64]:
    """``[169, 169]``: the number of pairs of holdings of two classes that share no card."""
    apart = ((HAND_MASKS[:, None] & HAND_MASKS) == 0).astype(np.int64)
    held = (HAND_CELLS[:, None] == np.arange(NUM_CLASSES)).astype(np.int64)
    counted: NDArray[np.int64] = held.T @ apart @ held
    return counted


def save_preflop(path: str | Path, half_wins: NDArray[np.int64]) -> None:
    """Write the wins to a sealed file; the lower triangle follows from the upper one."""
    upper = half_wins[np.triu_indices(NUM_CLASSES)].astype(np.int32)
    write_tensors(Path(path), _KIND, {"half_wins": upper}, {"about": "ties count 1, wins 2; upper triangle"})


@lru_cache(maxsize=1)
def preflop_table() -> PreflopTable:
    """The table that comes with soulread."""
    with resources.as_file(resources.files("soulread.cards") / "preflop.safetensors") as path:
        upper = read_tensors(path, _KIND)[1]["half_wins"]
    rows, columns = np.triu_indices(NUM_CLASSES)
    if upper.shape != rows.shape:
        raise ShapeError(f"the table of all-ins has {upper.size} numbers; expected {rows.size}")
    pairs = count_pairs()
    wins = np.zeros((NUM_CLASSES, NUM_CLASSES), np.int64)
    wins[columns, rows] = 2 * NUM_RUNOUTS * pairs[rows, columns] - upper
    wins[rows, columns] = upper
    return PreflopTable(pairs, wins)
