"""How long a profile takes, from an open store to the page, against counting alone; and checksums.

    python benchmarks/bench_profile.py STORE [--players 5]

STORE is a store of hands, as `soulread import` makes it. The players with the most hands are profiled. For
each the table has the CPU seconds of counting everybody's statistics, of the profile and of its page, the
ratio of profile to counting, the size of the page, and a checksum of what was found. Set
``OMP_NUM_THREADS=1``.
"""

import argparse
import hashlib
import json
import time

from soulread.hands.store import Store
from soulread.study.hands.statistics import count_everybody
from soulread.study.profile.profile import study_profile
from soulread.study.profile.profile_page import profile_page


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--players", type=int, default=5)
    asked = parser.parse_args()
    with Store.open(asked.store, read_only=True) as store:
        print(f"{len(store):,} hands")
        study_profile(store, store.players()[0].name)  # compiles
        for player in store.players()[: asked.players]:
            begun = time.process_time()
            count_everybody(store)
            counted = time.process_time() - begun
            begun = time.process_time()
            study = study_profile(store, player.name)
            profiled = time.process_time() - begun
            begun = time.process_time()
            page = profile_page(study)
            drawn = time.process_time() - begun
            found = json.dumps([finding.deviation.name for finding in study.findings])
            checksum = hashlib.sha256(found.encode()).hexdigest()[:12]
            print(
                f"{player.name}: {player.hands:,} hands, counting {counted:.2f} s, profile {profiled:.2f} s "
                f"(x{profiled / counted:.1f}), page {drawn:.2f} s, {len(page) / 1000:,.0f} kB, "
                f"{len(study.findings)} sure, {checksum}"
            )


if __name__ == "__main__":
    main()
