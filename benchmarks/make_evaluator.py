"""Build the evaluator's tables from the rules of poker, as `soulread.cards.evaluate` keeps them: a second.

Usage: python benchmarks/make_evaluator.py [FILE]. Without a file it only compares with the tables that are
kept.
"""

import sys

import numpy as np

from soulread.cards.evaluate import build_tables, save_tables, tables


def main() -> None:
    """Build, and write or compare."""
    built = build_tables()
    if len(sys.argv) > 1:
        save_tables(sys.argv[1], built)
    else:
        same = all(np.array_equal(getattr(built, name), getattr(tables(), name)) for name in built._fields)
        print("equal" if same else "DIFFERENT")


if __name__ == "__main__":
    main()
