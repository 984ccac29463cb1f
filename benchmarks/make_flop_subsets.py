"""Choose subsets of the 1755 flops that stand for all of them: soulread/study/spots/flop_subsets.json.

    python benchmarks/make_flop_subsets.py             # choose and write: some minutes
    python benchmarks/make_flop_subsets.py --judge     # only judge the file that is there

A flop is described by numbers in four groups of equal worth: its suits, pairs and straights; the ranks that
it has and the highest of them; the equity of each of the 169 classes of hands against any hand; and how many
of the hands have an equity of 0 to 10%, 10 to 20%, and so on. Their largest 40 principal components are
clustered by k-means. Of each cluster one flop is taken, and counts as often as flops of the cluster come: at
first the one nearest to its centre, then whichever of the 20 nearest brings the weighted mean of all numbers
closest to that of all flops, cluster after cluster, until no change helps. The weights are then changed, none
by more than half, until this mean comes as close as possible. So that flops differ as much as all flops do,
the squares of the ten largest components belong to these numbers too.

The subsets are judged by what they were not chosen for: how range meets range, for named ranges. Over all
flops the equity of one range against the other has a mean and a spread; the table shows how far a subset is
from both, and how far subsets of the same size drawn at random are on average.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from soulread.abstraction.textures import texture_of
from soulread.cards.deck import cards_name
from soulread.cards.equity import equity_all
from soulread.cards.isomorphism import all_boards
from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, Range, parse_range

FILE = Path(__file__).resolve().parents[1] / "soulread" / "study" / "spots" / "flop_subsets.json"
SIZES = 25, 50, 75, 100, 140, 184
COMPONENTS = 40
STARTS, ITERATIONS, SEED = 20, 100, 1
MOST_CHANGE = 0.5  # of a weight
SQUARES = 10  # components
NEAR = 20  # flops of a cluster that may stand for it
PAIRS = (
    ("bb-call-btn", "btn-open"),
    ("bb-call-utg", "utg-open"),
    ("sb-3bet-btn", "btn-call-3bet"),
    ("co-call-3bet", "btn-3bet-co"),
)

Floats = NDArray[np.float64]
BOARDS = all_boards()
FLOPS = [tuple(flop) for flop in BOARDS.flops.tolist()]
OFTEN = BOARDS.flop_weights / BOARDS.flop_weights.sum()


def one_hot(values: list[object]) -> Floats:
    """``[flops, kinds]`` which of some kinds each flop has."""
    kinds = sorted(set(values), key=str)
    return np.array([[value == kind for kind in kinds] for value in values], dtype=np.float64)


def describe() -> Floats:
    """``[flops, numbers]``: the four groups, each scaled to a variance of one in all."""
    ranks = [sorted(card >> 2 for card in flop) for flop in FLOPS]
    suits = [len({card & 3 for card in flop}) for flop in FLOPS]
    pairs = [len(set(own)) for own in ranks]
    words = one_hot([texture_of(flop) for flop in FLOPS])
    public = np.hstack([one_hot([*suits]), one_hot([*pairs]), words])
    has = np.array([[rank in own for rank in range(13)] for own in ranks], dtype=np.float64)
    high = np.hstack([has, one_hot([own[-1] for own in ranks])])
    every = Range.all()
    classes, spread = np.empty((len(FLOPS), 169)), np.empty((len(FLOPS), 10))
    for i, flop in enumerate(FLOPS):
        equity = equity_all(every, flop)
        known = ~np.isnan(equity)
        sums = np.bincount(HAND_CELLS[known], equity[known], minlength=169)
        counts = np.bincount(HAND_CELLS[known], minlength=169)
        classes[i] = np.where(counts > 0, sums / np.maximum(counts, 1), np.mean(equity[known]))
        spread[i] = np.histogram(equity[known], bins=10, range=(0, 1))[0] / known.sum()
    classes *= np.sqrt(CELL_SIZES)
    groups = []
    for group in (public, high, classes, spread):
        centred = group - OFTEN @ group
        groups.append(centred / np.sqrt((OFTEN @ centred**2).sum()))
    return np.hstack(groups)


def components(numbers: Floats) -> Floats:
    """The largest principal components."""
    scaled = numbers * np.sqrt(OFTEN)[:, None]
    axes = np.linalg.svd(scaled, full_matrices=False)[2]
    found: Floats = numbers @ axes[:COMPONENTS].T
    return found


def medoids(points: Floats, count: int, rng: np.random.Generator) -> tuple[list[list[int]], Floats]:
    """The flops nearest to the centre of each of some clusters, and how often flops of the cluster come."""
    best: tuple[float, list[list[int]], Floats] | None = None
    for _ in range(STARTS):
        chosen = [int(rng.choice(len(points), p=OFTEN))]
        nearest = ((points - points[chosen[0]]) ** 2).sum(axis=1)
        while len(chosen) < count:
            chances = nearest * OFTEN
            chosen.append(int(rng.choice(len(points), p=chances / chances.sum())))
            nearest = np.minimum(nearest, ((points - points[chosen[-1]]) ** 2).sum(axis=1))
        centres = points[chosen]
        for _ in range(ITERATIONS):
            distances = ((points[:, None] - centres[None]) ** 2).sum(axis=2)
            mine = distances.argmin(axis=1)
            moved = np.array(
                [
                    np.average(points[mine == k], axis=0, weights=OFTEN[mine == k])
                    if (mine == k).any()
                    else c
                    for k, c in enumerate(centres)
                ]
            )
            if np.allclose(moved, centres):
                break
            centres = moved
        masses = np.bincount(mine, OFTEN, minlength=count).astype(np.float64)
        near = [
            np.argsort(np.where(mine == k, distances[:, k], np.inf), kind="stable")[
                : min(NEAR, np.count_nonzero(mine == k))
            ].tolist()
            for k in range(count)
        ]
        cost = float(OFTEN @ distances.min(axis=1))
        if masses.min() > 0 and (best is None or cost < best[0]):
            best = cost, near, masses
    assert best is not None
    return best[1], best[2]


def balance(numbers: Floats, near: list[list[int]], mass: Floats) -> list[int]:
    """One flop of each cluster, so that the mean of all numbers is close to that of all flops, zero."""
    taken = [flops[0] for flops in near]
    mean = mass @ numbers[taken]
    changed = True
    while changed:
        changed = False
        for k, flops in enumerate(near):
            without = mean - mass[k] * numbers[taken[k]]
            off = ((without + mass[k] * numbers[flops]) ** 2).sum(axis=1)
            best = flops[int(off.argmin())]
            if best != taken[k] and off.min() < (mean**2).sum() * (1 - 1e-9):
                taken[k], mean, changed = best, without + mass[k] * numbers[best], True
    return taken


def calibrate(numbers: Floats, taken: list[int], mass: Floats) -> Floats:
    """The weights near ``mass`` whose mean of all numbers is closest to that of all flops, which is zero."""
    matrix = np.vstack([numbers[taken].T, 100 * np.ones(len(taken)), 0.05 * np.diag(1 / np.sqrt(mass))])
    target = np.concatenate([np.zeros(numbers.shape[1]), [100.0], 0.05 * np.sqrt(mass)])
    low, high = mass * (1 - MOST_CHANGE), mass * (1 + MOST_CHANGE)
    weights: Floats = lsq_linear(matrix, target, bounds=(low, high)).x
    weights /= weights.sum()
    return weights


def whole(weights: Floats) -> list[int]:
    """Weights as whole numbers of flops that sum to 22,100."""
    total = int(BOARDS.flop_weights.sum())
    parts = weights * total
    found = np.floor(parts).astype(int)
    for k in np.argsort(found - parts, kind="stable")[: total - found.sum()]:
        found[k] += 1
    return [int(number) for number in found]


def judge(subsets: dict[str, list[list[object]]]) -> None:
    """Print how far each subset is from all flops, beside subsets drawn at random."""
    ranges = [(parse_range(one), parse_range(other)) for one, other in PAIRS]
    met = np.array([[meeting(one, other, flop) for one, other in ranges] for flop in FLOPS])
    chance, equity = met[..., 0] * OFTEN[:, None], met[..., 1]
    position = {cards_name(flop): i for i, flop in enumerate(FLOPS)}

    def facts(taken: list[int], often: Floats) -> Floats:
        weights = often[:, None] * met[taken, :, 0]
        weights = weights / weights.sum(axis=0)
        mean = (weights * equity[taken]).sum(axis=0)
        return np.concatenate([mean, np.sqrt((weights * (equity[taken] - mean) ** 2).sum(axis=0))])

    truth = facts([*range(len(FLOPS))], OFTEN)
    names = [f"{one} / {other}" for one, other in PAIRS]
    for name, mean, spread in zip(names, truth[: len(names)], truth[len(names) :], strict=True):
        print(f"{name}: equity {100 * mean:.3f}%, standard deviation over flops {100 * spread:.3f}%")
    print(f"chance of the pairs of hands: {chance.sum(axis=0).round(1).tolist()}")
    rng = np.random.default_rng(SEED)
    half = len(names)
    for size, rows in subsets.items():
        taken = [position[str(board)] for board, _ in rows]
        own = np.abs(facts(taken, np.array([float(str(weight)) for _, weight in rows])) - truth)
        drawn = []
        for _ in range(200):
            some = rng.choice(len(FLOPS), int(size), replace=False).tolist()
            drawn.append(np.abs(facts(some, OFTEN[some]) - truth))
        other = np.mean(drawn, axis=0)
        print(
            f"{size:>4} flops: mean off by {100 * own[:half].max():.3f}% at most "
            f"(drawn: {100 * other[:half].max():.3f}%), "
            f"spread by {100 * own[half:].max():.3f}% (drawn: {100 * other[half:].max():.3f}%)"
        )


def meeting(one: Range, other: Range, flop: tuple[int, ...]) -> tuple[float, float]:
    """The weight of all pairs of hands that two ranges have on a flop, and the equity of the first."""
    first = one.without(flop).weights
    pairs = np.array([disjoint(other.without(flop), hand) if first[hand] else 0.0 for hand in range(1326)])
    equity = np.nan_to_num(equity_all(other, flop))
    total = float(first @ pairs)
    return total, float((first * pairs) @ equity) / total


def disjoint(hands: Range, hand: int) -> float:
    """The weight of a range's hands that share no card with a hand."""
    from soulread.cards.ranges import HAND_MASKS

    return float(hands.weights[HAND_MASKS & HAND_MASKS[hand] == 0].sum())


def main() -> None:
    """Choose, write and judge."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--judge", action="store_true", help="only judge the file that is there")
    if not parser.parse_args().judge:
        numbers = describe()
        points, rng = components(numbers), np.random.default_rng(SEED)
        squares = points[:, :SQUARES] ** 2
        squares -= OFTEN @ squares
        numbers = np.hstack([numbers, squares / np.sqrt((OFTEN @ squares**2).sum())])
        subsets = {}
        for size in SIZES:
            near, mass = medoids(points, size, rng)
            taken = balance(numbers, near, mass)
            weights = calibrate(numbers, taken, mass)
            before, after = np.linalg.norm(mass @ numbers[taken]), np.linalg.norm(weights @ numbers[taken])
            print(
                f"{size:>4} flops: the mean of all numbers is off by {before:.4f}, with weights {after:.4f}"
            )
            rows = sorted(zip(taken, whole(weights), strict=True))
            subsets[str(size)] = [[cards_name(FLOPS[i]), weight] for i, weight in rows]
        lines = ",\n".join(f'"{size}": {json.dumps(rows)}' for size, rows in subsets.items())
        FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")
    judge(json.loads(FILE.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
