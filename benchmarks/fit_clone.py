"""Fit what people in general do, from which every clone starts: makes model/clone/people.safetensors.

    python benchmarks/fit_clone.py --nolimit STORE... --limit STORE... [--without NAMES] [--write]

STOREs are stores of hands (`soulread import`). NAMES is a file with a name on each line: these players' own
decisions and cards are left out, so that clones of them can be judged. Without --write nothing is written.
Of each store the last hands are taken, `HANDS` at most. The file holds weights and no names.
"""

import argparse
from pathlib import Path

import numpy as np

from soulread.hands.hand import Hand, Sight
from soulread.hands.store import Store
from soulread.model.clone import people
from soulread.model.clone.cells import decisions_of
from soulread.model.clone.chances import Spread, chances_at, learn_weights, no_weights
from soulread.model.clone.holdings import TasteSpread, learn_tastes, no_tastes, shown_likelihood, shown_lines
from soulread.model.clone.model import betting_of
from soulread.streams import stream

HANDS = 15_000  # of each store
LINES = 1_500  # with cards shown, drawn from all
SEED = 34
WEIGHTS = Spread(1.0, 0.5)
TASTES = TasteSpread(2.0, 0.5)


def hands_of(store: str, betting: str) -> list[Hand]:
    """The last hands of a store that have this betting."""
    with Store.open(store, read_only=True) as opened:
        found = [hand for _, hand in opened.find() if hand.variant.startswith("52 cards, 2+0-3-1-1,")]
    return [hand for hand in found if betting_of(hand.variant) == betting][-HANDS:]


def fit(stores: list[str], betting: str, without: set[str]) -> people.PeopleInGeneral:
    """What the people of some stores do, those named left out."""
    hands = [hand for store in stores for hand in hands_of(store, betting)]
    made = decisions_of(hands)
    out = np.zeros((len(hands), 10), np.bool_)
    for number, hand in enumerate(hands):
        for seat, name in enumerate(hand.players):
            out[number, seat] = name in without
    kept = ~out[made.hand, made.seat]
    weights = learn_weights(no_weights(), made.take(kept), WEIGHTS)
    shown = [
        (number, seat)
        for number, hand in enumerate(hands)
        if hand.showdown
        for seat in range(hand.num_players)
        if hand.sights[seat] is Sight.SHOWN and not out[number, seat]
    ]
    rng = stream(SEED, betting)
    chosen = sorted(rng.choice(len(shown), min(LINES, len(shown)), replace=False).tolist())
    some = [hands[shown[place][0]] for place in chosen]
    decisions = decisions_of(some)
    seats = [(shown[place][1],) for place in chosen]
    lines = shown_lines(some, decisions, chances_at(weights, decisions), seats)
    tastes = learn_tastes(no_tastes(), lines, TASTES, showing=True)
    before, after = (shown_likelihood(one, lines).mean() for one in (no_tastes(), tastes))
    print(
        f"{betting}: {int(kept.sum()):,} decisions of {len(hands):,} hands; {lines.held.size:,} lines with "
        f"cards shown, {before:.3f} nats over a random holding with round numbers, {after:.3f} fitted"
    )
    return people.PeopleInGeneral(weights, tastes)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--nolimit", nargs="+", required=True)
    parser.add_argument("--limit", nargs="+", required=True)
    parser.add_argument("--without")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    without = set(Path(asked.without).read_text().splitlines()) if asked.without else set()
    found = {name: fit(getattr(asked, name), name, without) for name in ("limit", "nolimit")}
    if asked.write:
        path = Path(people.__file__).parent / people.FILE
        people.save_people(path, found, f"seed {SEED}; {len(without)} players left out")
        print(path)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
