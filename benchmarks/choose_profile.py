"""Choose the level of a profile's sure claims, on crowds that `soulread reproduce profile-leaks` never uses.

    python benchmarks/choose_profile.py [--crowds 8]

For every level the table has: of all sure claims the share that is false after each number of hands, and of
the real planted habits the share that is found. The crowds have the seeds 9001 and on; those reported begin
at 1.
"""

import argparse

import numpy as np

from soulread.reproduce.ours.planted_habits import HANDS, Trial

FIRST_SEED = 9001
LEVELS = 0.01, 0.05


def main() -> None:
    """Judge the same crowds with each level and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--crowds", type=int, default=8)
    crowds = parser.parse_args().crowds
    trials = [Trial(FIRST_SEED + k) for k in range(crowds)]
    for level in LEVELS:
        found = [trial.judge(level) for trial in trials]
        claims, false = (sum(np.sum(one[name], axis=1) for one in found) for name in ("claims", "false"))
        hits = np.concatenate([np.asarray(one["found"])[:, np.asarray(one["real"])] for one in found], axis=1)
        words = ", ".join(
            f"{hands:,} hands: {f}/{c} false, {share:.0%} found"
            for hands, f, c, share in zip(HANDS, false, claims, hits.mean(axis=1), strict=True)
        )
        print(f"level {level}: {words}", flush=True)


if __name__ == "__main__":
    main()
