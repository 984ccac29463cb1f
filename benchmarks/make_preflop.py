"""Count all-ins before the flop for all pairs of classes, as `soulread.cards.preflop` keeps them: 4 minutes.

Usage: python benchmarks/make_preflop.py [FILE]. Without a file it only compares with the table that is kept.
"""

import sys

import numpy as np

from soulread.cards.equity import equity_all
from soulread.cards.preflop import NUM_CLASSES, NUM_RUNOUTS, preflop_table, save_preflop
from soulread.cards.ranges import HAND_CELLS, HAND_MASKS, class_name, parse_range


def main() -> None:
    """Count, and compare or write."""
    apart = (HAND_MASKS[:, None] & HAND_MASKS) == 0
    wins = np.zeros((NUM_CLASSES, NUM_CLASSES), np.int64)
    for cell in range(NUM_CLASSES):
        faced = apart[:, cell == HAND_CELLS].sum(axis=1)
        share = np.nan_to_num(equity_all(parse_range(class_name(cell))))
        found = np.bincount(HAND_CELLS, 2 * NUM_RUNOUTS * share * faced, minlength=NUM_CLASSES)
        wins[:, cell] = np.rint(found)
        assert np.abs(found - wins[:, cell]).max() < 1e-3
    if len(sys.argv) > 1:
        save_preflop(sys.argv[1], wins)
    print("equal" if np.array_equal(wins, preflop_table().half_wins) else "DIFFERENT", wins.sum())


if __name__ == "__main__":
    main()
