"""One update of DBBR in limit hold'em with 8-12-4-4 buckets: model and best response for both seats.

    python benchmarks/bench_dbbr.py [--small | --game limit:8-12-4-4]

CPU and wall time, the best of three runs, compiling not counted. The game has the betting tree and the
numbers of private states of 8-12-4-4 with random joint chances, so nothing has to be built first; all costs
depend on the sizes alone. The "equilibrium" is a random strategy, half of whose states play pure, and the
opponent always raises, or plays at random: he is counted at every public history. ``--small`` takes 2-3-2-2,
``--game`` a real abstraction with its equilibrium, solved if it is not in the cache.
The checksum is the value of the best responses; the exit code is 1 if the model misses a frequency by more
than 1e-6. The last lines are what ``shown`` adds to the model: 3000 hands, a half of them with shown cards.
"""

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from soulread.games.limit_holdem import limit_holdem
from soulread.model.deviation.model import METHODS, SeatDeviation
from soulread.model.deviation.pooled_prior import classes
from soulread.model.deviation.shown_cards import add_cards, independent_share
from soulread.observe.counts import PublicCounts
from soulread.observe.shown_hands import CardEvidence
from soulread.seqform.compile import PrivateStates, SequenceGame, factored_game
from soulread.seqform.public import PublicTree, public_tree
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import Behaviour, Plan
from soulread.solvers.best_response import best_response
from soulread.solvers.equilibria import find_equilibrium


def synthetic_game(branching: tuple[int, ...], rng: np.random.Generator) -> SequenceGame:
    """Limit hold'em with random joint chances of so many new buckets in each round."""
    sizes = np.cumprod(branching)
    reach = rng.random((sizes[-1], sizes[-1]))
    reach = reach + reach.T
    reach /= reach.sum()
    share = rng.random(reach.shape)
    win = np.triu(reach * share, 1) + np.tril(reach * (1 - share.T), -1)

    def by_round(river: np.ndarray) -> tuple[np.ndarray, ...]:
        blocks = (river.reshape(size, len(river) // size, size, -1).sum(axis=(1, 3)) for size in sizes)
        return tuple(np.ascontiguousarray(block, dtype=np.float32) for block in blocks)

    return factored_game(
        limit_holdem(),
        PrivateStates(
            names=tuple(tuple(map(str, range(size))) for size in sizes),
            parent=tuple(
                np.arange(size, dtype=np.int32) // count if r else np.zeros(size, dtype=np.int32)
                for r, (size, count) in enumerate(zip(sizes, branching, strict=True))
            ),
            reach=by_round(reach),
            win=by_round(win),
        ),
        name="limit:" + "-".join(map(str, branching)),
    )


def random_strategy(game: SequenceGame, player: int, rng: np.random.Generator) -> Behaviour:
    """Half of the states pure, the others mixed."""
    tree = game.trees[player]
    behaviour = np.ones(tree.num_sequences, dtype=np.float32)
    for block, sets, rows in tree.blocks():
        table = rng.dirichlet(np.ones(len(tree.actions[block])), sets.stop - sets.start).T
        pure = rng.random(table.shape[1]) < 0.5
        table[:, pure] = table[:, pure] == table[:, pure].max(axis=0)
        behaviour[rows] = table.ravel()
    return Behaviour(behaviour)


def raising_counts(game: SequenceGame, hands: float) -> PublicCounts:
    counts = PublicCounts(game)
    for seat in (0, 1):
        tree = public_tree(game, seat)
        table = np.zeros(tree.num_cells)
        table[tree.arrays.first_cell[1:] - 1] = hands
        counts.add_table(seat, table, hands)
    return counts


def random_counts(game: SequenceGame, rng: np.random.Generator) -> PublicCounts:
    counts = PublicCounts(game)
    for seat in (0, 1):
        table = rng.poisson(3.0, public_tree(game, seat).num_cells).astype(np.float64)
        counts.add_table(seat, table, 1000.0)
    return counts


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds of the faster of three calls."""
    times = []
    for _ in range(3):
        cpu, wall = time.process_time(), time.perf_counter()
        call()
        times.append((time.process_time() - cpu, time.perf_counter() - wall))
    return min(times)


def fit_plans(models: Sequence[SeatDeviation], counts: PublicCounts) -> list[Plan]:
    return [model.fit(counts).plan() for model in models]


def respond_to(game: SequenceGame, plans: Sequence[Plan]) -> list[float]:
    """What the best response to each seat's plan wins."""
    return [
        best_response(game.trees[1 - seat], game.payoff.gradient(1 - seat, plans[seat]))[0] for seat in (0, 1)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--game")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    if options.game is None:
        game = synthetic_game((2, 3, 2, 2) if options.small else (8, 12, 4, 4), rng)
        behaviours = [random_strategy(game, seat, rng) for seat in (0, 1)]
    else:
        source = parse_source(options.game)
        game = source.compile(print)
        behaviours = list(find_equilibrium(source, print).behaviours)
    sets = sum(tree.num_sets for tree in game.trees)
    print(f"{game.name}: {sets:,} information sets, {sum(t.num_cells for t in trees(game)):,} public actions")
    print(
        f"{'opponent':14} {'method':6} {'model':>8} {'response':>8} {'update':>8}  seconds CPU (wall)   value"
    )
    failed = False
    for opponent, counts in (
        ("always-raise", raising_counts(game, 50.0)),
        ("random", random_counts(game, rng)),
    ):
        for method in METHODS:
            models = [SeatDeviation(game, seat, behaviours[seat], method=method) for seat in (0, 1)]
            build = partial(fit_plans, models, counts)
            plans = build()
            respond = partial(respond_to, game, plans)
            values = respond()
            model_time, response_time = timed(build), timed(respond)
            total = tuple(a + b for a, b in zip(model_time, response_time, strict=True))
            cells = [f"{cpu:.2f} ({wall:.2f})" for cpu, wall in (model_time, response_time, total)]
            print(f"{opponent:14} {method:6} {'  '.join(cells)}   {sum(values):.6f}")
            for model in models:
                played = model.public.frequencies(model.strategy(), model.plan())
                reached = np.repeat(model.reach_ > 0, model.public.arrays.num_actions)
                error = np.abs(played - model.alpha_)[reached].max()
                if error > 1e-6:
                    print(f"  seat {model.player} misses a frequency by {error:.2e}")
                    failed = True
    models = [SeatDeviation(game, seat, behaviours[seat]).fit(random_counts(game, rng)) for seat in (0, 1)]
    evidence = [random_evidence(model, 1500, rng) for model in models]
    kinds = [classes(model.public) for model in models]
    parts = [(model.strategy().copy(), model.plan().copy(), model.reach_.copy()) for model in models]

    def estimate() -> None:
        for model, kind, seen in zip(models, kinds, evidence, strict=True):
            independent_share(model.public, kind, model.strategy(), model.alpha_, seen)

    def refine() -> None:
        for model, part, seen in zip(models, parts, evidence, strict=True):
            add_cards(model.public, *part, 5.0, seen)

    refine()
    for what, call in (("does he look at his cards", estimate), ("what does he do with them", refine)):
        cpu, wall = timed(call)
        print(f"shown cards, {what}: {cpu:.2f} ({wall:.2f})")
    print("and the model once more")
    return int(failed)


def random_evidence(model: SeatDeviation, hands: int, rng: np.random.Generator) -> CardEvidence:
    """So many hands, half of them hidden, that end with any action in any private state."""
    public = model.public
    hidden = np.bincount(rng.integers(public.num_cells, size=hands // 2), minlength=public.num_cells)
    cells = rng.integers(public.num_cells, size=hands // 2).astype(np.int32)
    histories = np.searchsorted(public.arrays.first_cell, cells, side="right") - 1
    last = [
        rng.choice(public.sequences(n)[cell - public.arrays.first_cell[n]])
        for n, cell in zip(histories, cells, strict=True)
    ]
    sequence = np.array(last, dtype=np.int32)
    weight = np.ones(len(last))
    return CardEvidence(hidden.astype(np.float64), sequence, weight, sequence, cells, weight)


def trees(game: SequenceGame) -> list[PublicTree]:
    return [public_tree(game, seat) for seat in (0, 1)]


if __name__ == "__main__":
    sys.exit(main())
