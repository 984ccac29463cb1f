"""Locks that hold with a probability: two kinds of opponent, against the linear program, and their laws."""

from functools import lru_cache

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.strategy import random_behaviour
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.cfr.run import run, solve
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.lp import plan_rows, solve_exactly
from soulread.solvers.restricted import Lock, Restriction


@lru_cache
def game_of(name):
    return compile_game(kuhn()) if name == "kuhn" else compile_factored(leduc())


def random_locks(tree, seed, blocks):
    """Locks with a random model; half of the sets of each are bound for certain, the others by half."""
    rng = np.random.default_rng(seed)
    model = random_behaviour(tree, rng)
    locks = []
    for block in blocks:
        rows = slice(tree.first_sequence[block], tree.first_sequence[block + 1])
        width = int(tree.first_set[block + 1] - tree.first_set[block])
        table = model[rows].astype(np.float64).reshape(len(tree.actions[block]), width)
        locks.append(Lock(block, table, rng.choice([0.5, 1.0], size=width)))
    return tuple(locks)


def two_kinds_exactly(game, villain, locks, p):
    """What the opponent of the villain wins, by a program over the plans of both kinds.

    A set that is bound with confidence c has  y(a) >= c m(a) y(before): what is beyond that is free.
    """
    hero = 1 - villain
    own, theirs = game.trees[hero], game.trees[villain]
    rows, plans = plan_rows(own).T, plan_rows(theirs)
    values = game.payoff.matrix(hero)
    n, u = theirs.num_sequences, own.num_sets + 1
    upper = sp.hstack([p * values, (1 - p) * values, -rows], format="csr")
    bound = []
    for lock in locks:
        width = lock.confidence.size
        for a in range(lock.model.shape[0]):
            for s in range(width):
                row = sp.lil_array((1, 2 * n + u))
                row[0, theirs.first_sequence[lock.block] + a * width + s] = -1
                parent = theirs.parent_sequence[theirs.first_set[lock.block] + s]
                row[0, parent] += lock.confidence[s] * lock.model[a, s]
                bound.append(row.tocsr())
    upper = sp.vstack([upper, *bound], format="csr")
    empty = sp.csr_array((plans.shape[0], u))
    equal = sp.vstack(
        [sp.hstack([plans, 0 * plans, empty]), sp.hstack([0 * plans, plans, empty])], format="csr"
    )
    target = np.zeros(equal.shape[0])
    target[[0, plans.shape[0]]] = 1
    objective = np.zeros(2 * n + u)
    objective[2 * n] = 1
    found = linprog(
        objective,
        A_ub=upper,
        b_ub=np.zeros(upper.shape[0]),
        A_eq=equal,
        b_eq=target,
        bounds=[(0, None)] * (2 * n) + [(None, None)] * u,
        method="highs",
    )
    return found.fun


@pytest.mark.parametrize("p", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_the_best_value_is_that_of_both_kinds(name, p):
    tree = game_of(name).trees[1]
    locks = random_locks(tree, 3, range(tree.num_blocks))
    gradient = np.random.default_rng(5).normal(size=tree.num_sequences)
    bound = Restriction(tree, locks=locks).best_value(gradient)
    free, _ = best_response(tree, gradient)
    assert bound < free - 0.01
    both = Restriction(tree, locks=locks, p=p).best_value(gradient)
    assert both == pytest.approx(p * bound + (1 - p) * free, abs=1e-12)


@pytest.mark.parametrize("p", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("villain", [0, 1])
def test_two_kinds_equal_the_linear_program(villain, p):
    game = game_of("kuhn")
    tree = game.trees[villain]
    locks = random_locks(tree, 3, range(tree.num_blocks))
    restriction = Restriction(tree, locks=locks, p=p)
    solution = solve(game, gap=5e-4, iterations=4000, restriction=restriction)
    value = solution.value if villain == 1 else -solution.value
    assert value == pytest.approx(two_kinds_exactly(game, villain, locks, p), abs=2e-3)


@pytest.mark.compiled
def test_two_kinds_equal_the_linear_program_in_leduc():
    game = game_of("leduc")
    tree = game.trees[1]
    locks = random_locks(tree, 4, (0, 3, 8, 15))
    solution = solve(game, gap=2e-4, iterations=4000, restriction=Restriction(tree, locks=locks, p=0.6))
    assert solution.value == pytest.approx(two_kinds_exactly(game, 1, locks, 0.6), abs=1e-3)


@pytest.mark.compiled
def test_more_trust_wins_more_if_right_and_costs_more_if_wrong():
    game = game_of("leduc")
    tree = game.trees[1]
    locks = random_locks(tree, 5, (1, 4, 9))
    engine = RegretMinimiser(game, DCFR(), Restriction(tree, locks=locks, p=0.0))
    right, wrong = [], []
    for p in (0.0, 0.3, 0.6, 0.9, 1.0):
        restriction = Restriction(tree, locks=locks, p=p)
        engine.restart(restriction)
        plans = run(engine, Stops(gap=1e-3, iterations=3000)).plans
        gradient = game.payoff.gradient(1, plans[0])
        right.append(-restriction.bound_value(gradient))
        wrong.append(-Restriction(tree, locks=locks, p=0.0).best_value(gradient))
    slack = 2e-3 / 0.3  # two gaps over the distance of the ps
    assert np.all(np.diff(right) >= -slack)
    assert right[-1] > right[0] + 0.01
    assert np.all(np.diff(wrong) <= slack)
    assert wrong[-1] < wrong[0] - 0.01
    assert wrong[0] == pytest.approx(solve_exactly(game_of("leduc")).value, abs=2e-3)


def test_at_first_decisions_a_probability_is_a_confidence():
    game = game_of("kuhn")
    tree = game.trees[1]
    first = [b for b in range(tree.num_blocks) if not tree.parent_sequence[tree.first_set[b]]]
    hard = tuple(
        Lock(lock.block, lock.model, np.ones_like(lock.confidence)) for lock in random_locks(tree, 6, first)
    )
    soft = tuple(Lock(lock.block, lock.model, 0.7 * lock.confidence) for lock in hard)
    kinds = solve(game, gap=5e-4, iterations=4000, restriction=Restriction(tree, locks=hard, p=0.7))
    biased = solve(game, gap=5e-4, iterations=4000, restriction=Restriction(tree, locks=soft))
    assert kinds.value == pytest.approx(biased.value, abs=2e-3)


def test_an_interrupted_run_of_two_kinds_equals_an_unbroken_one(tmp_path):
    game = game_of("kuhn")
    tree = game.trees[0]
    restriction = Restriction(tree, locks=random_locks(tree, 7, (0, 1)), p=0.5)
    whole = solve(game, iterations=40, restriction=restriction)
    solve(game, iterations=17, restriction=restriction, checkpoint=tmp_path / "run")
    after = solve(game, iterations=40, restriction=restriction, checkpoint=tmp_path / "run", resume=True)
    for one, other in zip(whole.plans, after.plans, strict=True):
        assert_allclose(one, other, atol=1e-15)


def test_a_past_keeps_the_average_of_both_kinds():
    game = game_of("kuhn")
    tree = game.trees[1]
    restriction = Restriction(tree, locks=random_locks(tree, 8, (0,)), p=0.5)
    engine = RegretMinimiser(game, DCFR(), restriction)
    engine.advance(30)
    before = [plan.copy() for plan in engine.plans]
    engine.restart(restriction, past=30)
    for one, other in zip(before, engine.plans, strict=True):
        assert_allclose(one, other, atol=1e-9)


def test_errors():
    game = game_of("kuhn")
    tree = game.trees[1]
    locks = random_locks(tree, 9, (0,))
    with pytest.raises(SoulreadError, match=r"p=1\.5"):
        Restriction(tree, locks=locks, p=1.5)
    with pytest.raises(SoulreadError, match="so do locks"):
        Restriction(tree, locks=locks, p=0.5).plan(solve_exactly(game).plans[1])
