"""Learn the prior that comes with soulread from a store of no-limit hands, and write its file.

    python benchmarks/fit_prior.py --db hands.db

The first half of the hands in time is used; the second half is left for whoever judges models. The shipped
file was made from 109,029 hands at $3/$6 of July 2009 (uoftcprg/phh-dataset, HandHQ, MIT), which `soulread
import` reads. It holds trees and counts, no hands and no names.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import soulread.model
from soulread.hands.store import Store
from soulread.model.relational import fit_prior
from soulread.model.relational_examples import games_of
from soulread.model.relational_tree import Settings

SETTINGS = Settings(least_gain=8.0, least_leaf=60.0, depth=14)
TARGET = Path(soulread.model.__file__).parent / "relational_prior.safetensors"


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", required=True, help="store of hands")
    parser.add_argument("--output", type=Path, default=TARGET)
    parser.add_argument("--decisions", type=int, default=50_000, help="of each question and phase")
    parser.add_argument("--seats", type=int, default=40_000, help="whose hidden holdings are filled in")
    options = parser.parse_args()
    begin = time.process_time()
    with Store.open(options.db, read_only=True) as store:
        games = games_of([hand for _, hand in store.find()])
    allowed = np.zeros(games.num_hands, np.bool_)
    allowed[games.roster.order[: games.num_hands // 2]] = True
    bounds = games.learn_types(allowed)
    chosen = np.flatnonzero(allowed[games.decisions.hand])
    about = f"the first {allowed.sum():,} of {games.num_hands:,} no-limit hands at $3/$6, July 2009 (HandHQ)"
    prior = fit_prior(
        games,
        chosen,
        settings=SETTINGS,
        bounds=bounds,
        most=options.decisions,
        seats=options.seats,
        about=about,
    )
    prior.save(options.output)
    size = options.output.stat().st_size
    print(f"{options.output}: {size:,} bytes, {time.process_time() - begin:.0f} s of CPU; {about}")
    for question, correction in prior.corrections.items():
        print(question, [learned.tree.num_leaves for learned in correction], "leaves")  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
