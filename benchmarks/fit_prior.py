"""Learn the priors that come with soulread from a store of no-limit hands, and write their files.

    python benchmarks/fit_prior.py --db hands.db

The first half of the hands in time is used; the second half is left for whoever judges models. The shipped
file was made from 109,029 hands at $3/$6 of July 2009 (uoftcprg/phh-dataset, HandHQ, MIT), which `soulread
import` reads. It holds trees and counts, no hands and no names. How much it learns from was chosen by
`benchmarks/choose_prior.py`. The prior of tables (`soulread.model.strength_tables`) learns from some thousand
of the same hands, spread over the half.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import soulread.model
from soulread.hands.store import Store
from soulread.model.relational.bayes import PRIOR_SETTINGS, fit_prior
from soulread.model.relational.examples import games_of
from soulread.model.strength_tables import learn_prior, save_prior

FOLDER = Path(soulread.model.__file__).parent
TREES, TABLES = "relational/prior.safetensors", "strength_tables.safetensors"


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", required=True, help="store of hands")
    parser.add_argument("--output", type=Path, default=FOLDER, help="folder to write to")
    parser.add_argument("--only", choices=(TREES, TABLES), help="write one of the two files")
    parser.add_argument("--decisions", type=int, default=100_000, help="of each question and phase")
    parser.add_argument("--seats", type=int, default=80_000, help="whose hidden holdings are filled in")
    parser.add_argument("--passes", type=int, default=8, help="of filling them in and learning from them")
    parser.add_argument("--hands", type=int, default=5000, help="that tables learn from")
    options = parser.parse_args()
    with Store.open(options.db, read_only=True) as store:
        hands = [hand for _, hand in store.find()]
    games = games_of(hands)
    first = games.roster.order[: games.num_hands // 2]
    about = f"the first {first.size:,} of {games.num_hands:,} no-limit hands at $3/$6, July 2009 (HandHQ)"
    if options.only != TABLES:
        begin = time.process_time()
        allowed = np.zeros(games.num_hands, np.bool_)
        allowed[first] = True
        prior = fit_prior(
            games,
            np.flatnonzero(allowed[games.decisions.hand]),
            settings=PRIOR_SETTINGS,
            passes=options.passes,
            bounds=games.learn_types(allowed),
            most=options.decisions,
            seats=options.seats,
            about=about,
        )
        (options.output / TREES).parent.mkdir(parents=True, exist_ok=True)
        prior.save(options.output / TREES)
        told(options.output / TREES, begin, about)
        for question, correction in prior.corrections.items():
            print(question, [learned.tree.num_leaves for learned in correction], "leaves")  # type: ignore[attr-defined]
    if options.only != TREES:
        begin = time.process_time()
        chosen = first[:: max(1, first.size // options.hands)]
        about = f"{chosen.size:,} of {about}"
        save_prior(learn_prior(hands[number] for number in chosen), options.output / TABLES, about)
        told(options.output / TABLES, begin, about)


def told(path: Path, begin: float, about: str) -> None:
    """Say what was written."""
    print(f"{path}: {path.stat().st_size:,} bytes, {time.process_time() - begin:.0f} s of CPU; {about}")


if __name__ == "__main__":
    main()
