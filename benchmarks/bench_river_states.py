"""What a private state tells on the river: how much the equity against the opponent's range varies within it.

    python benchmarks/bench_river_states.py [SPEC] [--boards N] [--seed S]

On the river the equity of a hand against the hands the opponent has there decides how to play it. Both
players' ranges follow from the equilibrium of an abstraction and the betting so far. For some lines of
betting and random boards the equities of all hands are computed; then hands are put together by what a
player might know, and the standard deviation within these groups is printed, the mean over lines and seats.
A group that leaves much has hands that ought to be played differently. Finer groups leave less by chance
alone: "random classes" shows how much less.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_MASKS
from soulread.games.limit_holdem import limit_holdem
from soulread.seqform.holdings import values_on
from soulread.seqform.source import parse_buckets, with_cards
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.real_cards.river import RiverSolver

LINES = "rc/crc/crc/", "cc/crc/crc/", "rc/rc/rc/", "rc/cc/crc/", "rrc/rc/rc/", "cc/cc/crc/"
Labels = NDArray[np.int64]


def spread(equity: NDArray[np.float64], weights: NDArray[np.float64], *labels: Labels) -> float:
    """Standard deviation within the groups that share all labels."""
    key = np.zeros(equity.size, dtype=np.int64)
    for label in labels:
        key = key * (int(label.max()) + 1) + label
    group = np.unique(key, return_inverse=True)[1]
    total = np.bincount(group, weights)
    mean = np.bincount(group, weights * equity) / np.maximum(total, 1e-30)
    return float(np.sqrt((weights * (equity - mean[group]) ** 2).sum() / weights.sum()))


def board_classes(boards: NDArray[np.int64], rng: np.random.Generator) -> dict[str, Labels]:
    """Coarse classes of boards of five cards."""
    ranks, suits = boards >> 2, boards & 3
    suited = np.array([np.bincount(row).max() for row in suits]) - 2
    pairs = np.array([5 - len(set(row)) for row in ranks.tolist()]).clip(max=2)
    top = (ranks.max(axis=1) - 9).clip(min=0)
    return {
        "suits": suited,
        "pairs": pairs,
        "highest card": top,
        "suits, pairs, highest card": (suited * 3 + pairs) * 4 + top,
        "random classes, 33": rng.integers(33, size=len(boards)),
        "the board itself": np.arange(len(boards)),
    }


def measure(spec: str, count: int, seed: int) -> dict[str, float]:
    """Standard deviations by what is known, means over lines and seats."""
    game, rng = limit_holdem(), np.random.default_rng(seed)
    solver = RiverSolver(find_equilibrium(with_cards(game, parse_buckets(spec))), game)
    boards = np.array([rng.permutation(52)[:5] for _ in range(count)])
    classes = board_classes(boards, rng)
    apart = ((HAND_MASKS[:, None] & HAND_MASKS) == 0).astype(np.float32)
    branching = solver.strategy.lookup.num_states[3] // solver.strategy.lookup.num_states[2]
    parts: dict[tuple[str, int], list[Sequence[NDArray[Any]]]] = {}
    for number, board in enumerate(boards):
        values = values_on(board[None].astype(np.uint8))[0].astype(np.int32)
        live = (values >= 0).astype(np.float32)
        share = (np.sign(values[:, None] - values) + 1) / 2 * apart * live
        strength = share.sum(axis=1) / np.maximum((apart * live).sum(axis=1), 1)
        states = solver.states(board.tolist())
        for line in LINES:
            node = solver.strategy.betting.decision(line)
            ranges = solver.ranges(node, board.tolist(), states)
            for seat in (0, 1):
                other = ranges[1 - seat]
                met = (apart @ other) * live
                own = np.flatnonzero(ranges[seat] * met > 1e-9)
                equity = share[own] @ other / met[own]
                row = equity, ranges[seat, own] * met[own], strength[own], states[3][own]
                parts.setdefault((line, seat), []).append((*row, np.full(own.size, number)))
    found: dict[str, list[float]] = {}
    for rows in parts.values():
        equity, weights, strength, state, place = (np.concatenate([row[i] for row in rows]) for i in range(5))
        weights = weights / weights.sum()
        steps, state = (strength * 40).astype(np.int64).clip(0, 39), state.astype(np.int64)
        known: dict[str, tuple[Labels, ...]] = {
            "nothing": (),
            f"private state of {spec}": (state,),
            "HS in 40 steps": (steps,),
            "HS in 40 steps and the turn state": (steps, state // branching),
        }
        for name, label in classes.items():
            known[f"HS in 40 steps and {name}"] = (steps, label[place.astype(np.int64)])
        for name, labels in known.items():
            found.setdefault(name, []).append(spread(equity, weights, *labels))
    return {name: float(np.mean(values)) for name, values in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("spec", nargs="?", default="5-5-5-5:quick")
    parser.add_argument("--boards", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{options.boards} boards, seed {options.seed}, {len(LINES)} lines of betting, both seats\n")
    print("| known on the river | standard deviation of the equity |\n|---|---|")
    for name, value in measure(options.spec, options.boards, options.seed).items():
        print(f"| {name} | {value:.3f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
