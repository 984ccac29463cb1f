"""Two holdings all-in before the flop: how often each of the 169 classes beats each other one, exactly.

A class is a cell of the 13 x 13 grid, such as "AKs" (`soulread.cards.ranges.class_name`). For two classes
the file beside this module has the number of wins, ties counting half, and that of ties, over all pairs of
holdings that share no card and all 1,712,304 boards. `benchmarks/make_preflop.py` counts them anew.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS
from soulread.cards.ranges import CELL_SIZES, HAND_CARDS, HAND_CELLS
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
    ties: NDArray[np.int64]  # [169, 169] over all pairs and boards

    @property
    def wins(self) -> NDArray[np.int64]:
        """``[169, 169]`` of the first, over all pairs and boards."""
        found: NDArray[np.int64] = (self.half_wins - self.ties) // 2
        return found

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
    with_card = np.zeros((NUM_CLASSES, NUM_CARDS), np.int64)  # holdings of a class that have a card
    for k in range(2):
        np.add.at(with_card, (HAND_CELLS, HAND_CARDS[:, k]), 1)
    # Two different holdings share at most one card; a holding shares two with itself, and counts once.
    shared = with_card @ with_card.T - np.diag(CELL_SIZES)
    counted: NDArray[np.int64] = np.outer(CELL_SIZES, CELL_SIZES) - shared
    return counted


def class_weights(weights: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """``[169]`` weights of classes, from those ``[1326]`` of hands; None if they differ in a class."""
    classes = np.zeros(NUM_CLASSES)
    classes[HAND_CELLS] = weights
    return classes if np.array_equal(classes[HAND_CELLS], weights) else None


def save_preflop(path: str | Path, half_wins: NDArray[np.int64], ties: NDArray[np.int64]) -> None:
    """Write wins and ties to a sealed file; the lower triangle follows from the upper one."""
    upper = np.triu_indices(NUM_CLASSES)
    numbers = {"half_wins": half_wins[upper], "ties": ties[upper]}
    numbers = {name: counted.astype(np.int32) for name, counted in numbers.items()}
    about = {"about": "half wins: ties count 1, wins 2; upper triangle"}
    write_tensors(Path(path), _KIND, numbers, about)


@lru_cache(maxsize=1)
def preflop_table() -> PreflopTable:
    """The table that comes with soulread."""
    with resources.as_file(resources.files("soulread.cards") / "preflop.safetensors") as path:
        stored = read_tensors(path, _KIND)[1]
    upper, tied = stored["half_wins"], stored["ties"]
    rows, columns = np.triu_indices(NUM_CLASSES)
    if upper.shape != rows.shape or tied.shape != rows.shape:
        raise ShapeError(f"the table of all-ins has {upper.size} numbers; expected {rows.size}")
    pairs = count_pairs()
    ties = np.zeros((NUM_CLASSES, NUM_CLASSES), np.int64)
    ties[columns, rows] = ties[rows, columns] = tied
    wins = np.zeros((NUM_CLASSES, NUM_CLASSES), np.int64)
    wins[columns, rows] = 2 * NUM_RUNOUTS * pairs[rows, columns] - upper
    wins[rows, columns] = upper
    return PreflopTable(pairs, wins, ties)
