"""Count all-ins before the flop for all pairs of classes, as `soulread.cards.preflop` keeps them: 4 minutes.

Usage: python benchmarks/make_preflop.py [FILE]. Without a file it only compares with the table that is kept.
"""

import sys

import numpy as np

from soulread.cards.equity import showdowns
from soulread.cards.isomorphism import HAND_MAPS
from soulread.cards.preflop import NUM_CLASSES, preflop_table, save_preflop
from soulread.cards.ranges import HAND_CELLS, HAND_MASKS, NUM_HANDS, class_name, parse_range


def main() -> None:
    """Count, and compare or write."""
    wins, ties = (np.zeros((NUM_CLASSES, NUM_CLASSES), np.int64) for _ in range(2))
    every = np.arange(NUM_HANDS)
    faced = ((HAND_MASKS[:, None] & HAND_MASKS) == 0).astype(np.float64)
    for cell in range(NUM_CLASSES):
        his = parse_range(class_name(cell)).weights
        below, upto = showdowns(every, his, faced @ his, (), np.arange(len(HAND_MAPS)))
        for counted, found in ((wins, below + upto), (ties, upto - below)):
            counted[:, cell] = np.rint(np.bincount(HAND_CELLS, found, minlength=NUM_CLASSES))
    if len(sys.argv) > 1:
        save_preflop(sys.argv[1], wins, ties)
    kept = preflop_table()
    same = np.array_equal(wins, kept.half_wins) and np.array_equal(ties, kept.ties)
    print("equal" if same else "DIFFERENT", wins.sum(), ties.sum())


if __name__ == "__main__":
    main()
