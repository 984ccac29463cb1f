"""Restricted games: the traversal against its slow twin, gaps, checkpoints and warm starts."""

from dataclasses import replace
from functools import lru_cache

import naive_restricted
import naive_seqform as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from soulread.errors import ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.strategy import (
    behaviour_from_plan,
    mix_behaviours,
    move_behaviour,
    plan_from_behaviour,
    random_behaviour,
    uniform_plan,
    verify_plan,
)
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import CFR, DCFR, CFRPlus, LinearCFR, PredictiveCFRPlus
from soulread.solvers.cfr.run import run, solve
from soulread.solvers.cfr.sampling import ExternalSampling
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.exploitability import exploitability
from soulread.solvers.lp import solve_exactly
from soulread.solvers.restricted import Restriction, restricted_gap
from soulread.solvers.variants import with_winner_bonus

SCHEDULES = [CFR(), CFRPlus(), LinearCFR(alternating=False), DCFR(), PredictiveCFRPlus(alternating=False)]


@lru_cache
def leduc_model():
    """Sparse Leduc, and a second player half-way between equilibrium and chance."""
    game = compile_game(leduc())
    tree = game.trees[1]
    noise = random_behaviour(tree, np.random.default_rng(1))
    return game, mix_behaviours(tree, 0.6, solve_exactly(game).behaviours[1], noise)


def random_restriction(tree, seed, kind):
    rng = np.random.default_rng(seed)
    model = random_behaviour(tree, rng)
    if kind == "p":
        return Restriction(tree, model, p=float(rng.random()))
    return Restriction(tree, model, confidence=rng.choice([0, 0.3, 0.9, 1], size=tree.num_sets))


def by_label(tree, confidence):
    return {tree.label(j): float(c) for j, c in enumerate(confidence)}


@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda schedule: schedule.name)
@pytest.mark.parametrize("kind", ["p", "confidence"])
@given(naive.random_games(), st.integers(1, 4), st.integers(0, 1), st.integers(0, 1000))
@settings(max_examples=8)
def test_traversal_equals_recursion_over_histories(schedule, kind, game, iterations, villain, seed):
    compiled = compile_game(game)
    restriction = random_restriction(compiled.trees[villain], seed, kind)
    engine = RegretMinimiser(compiled, schedule, restriction)
    engine.advance(iterations)
    tree = compiled.trees[villain]
    confidence = None if kind == "p" else by_label(tree, restriction.confidence)
    model = naive.as_labels(tree, restriction.model)
    slow = naive_restricted.cfr(game, schedule, iterations, villain, model, restriction.p, confidence)
    for player, (tree, plan) in enumerate(zip(compiled.trees, engine.plans, strict=True)):
        verify_plan(tree, plan)
        expected = plan.copy()
        for j in range(tree.num_sets):
            expected[tree.sequences(j)] = slow[player][tree.label(j)]
        if kind == "p" and player == villain:
            expected = restriction.p * restriction.model_plan + (1 - restriction.p) * expected
        assert_allclose(plan, expected, atol=1e-7)


@given(naive.random_games(), st.integers(0, 1), st.integers(0, 1000))
@settings(max_examples=20)
def test_best_value_of_a_restricted_player(game, villain, seed):
    compiled = compile_game(game)
    tree, other = compiled.trees[villain], compiled.trees[1 - villain]
    restriction = random_restriction(tree, seed, "confidence")
    hero = random_behaviour(other, np.random.default_rng(seed))
    gradient = compiled.payoff.gradient(villain, plan_from_behaviour(other, hero))
    model, heros = naive.as_labels(tree, restriction.model), naive.as_labels(other, hero)
    confidence = by_label(tree, restriction.confidence)
    slow = naive_restricted.best_value(game.start(), villain, heros, model, confidence)
    assert restriction.best_value(gradient) == pytest.approx(slow, abs=1e-9)
    half = Restriction(tree, restriction.model, p=0.5)
    free, bound = (dict.fromkeys(confidence, c) for c in (0.0, 1.0))
    parts = [naive_restricted.best_value(game.start(), villain, heros, model, c) for c in (free, bound)]
    assert half.best_value(gradient) == pytest.approx(sum(parts) / 2, abs=1e-9)
    assert half.freedom(gradient, half.best_value(gradient)) == 0.5
    if parts[0] - parts[1] > 1e-6:
        share = (slow - parts[1]) / (parts[0] - parts[1])
        assert restriction.freedom(gradient, restriction.best_value(gradient)) == pytest.approx(
            share, abs=1e-6
        )
        assert -1e-9 <= share <= 1 + 1e-9


@pytest.mark.parametrize("kind", ["p", "confidence"])
def test_without_weight_a_restriction_changes_nothing(kind):
    game, model = leduc_model()
    tree = game.trees[1]
    none = Restriction(
        tree, model, **({"p": 0.0} if kind == "p" else {"confidence": np.zeros(tree.num_sets)})
    )
    plain, restricted = RegretMinimiser(game, DCFR()), RegretMinimiser(game, DCFR(), none)
    for engine in (plain, restricted):
        engine.advance(20)
    for a, b in zip(plain.plans, restricted.plans, strict=True):
        assert_array_equal(a, b)
    assert restricted_gap(game, plain.plans, none).value == pytest.approx(exploitability(game, plain.plans))


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["p", "confidence"])
def test_bound_throughout_he_plays_the_model(kind):
    game, model = leduc_model()
    tree = game.trees[1]
    bound = Restriction(
        tree, model, **({"p": 1.0} if kind == "p" else {"confidence": np.ones(tree.num_sets)})
    )
    solution = solve(game, gap=1e-5, restriction=bound)
    assert_allclose(solution.plans[1], plan_from_behaviour(tree, model), atol=1e-12)
    best = best_response(game.trees[0], game.payoff.gradient(0, solution.plans[1]))[0]
    assert solution.value == pytest.approx(best, abs=2e-5)


@pytest.mark.parametrize("kind", ["p", "confidence"])
def test_sparse_equals_factored(kind):
    sparse, factored = compile_game(leduc()), compile_factored(leduc())
    for villain in (0, 1):
        restriction = random_restriction(sparse.trees[villain], 3, kind)
        tree = factored.trees[villain]
        moved = Restriction(
            tree,
            move_behaviour(sparse.trees[villain], tree, restriction.model),
            restriction.p,
            None
            if restriction.confidence is None
            else np.array(
                [
                    restriction.confidence[sparse.trees[villain].index(tree.label(j))]
                    for j in range(tree.num_sets)
                ]
            ),
        )
        engines = RegretMinimiser(sparse, DCFR(), restriction), RegretMinimiser(factored, DCFR(), moved)
        for engine in engines:
            engine.advance(10)
        for player in (0, 1):
            a, b = (engine.plans[player] for engine in engines)
            source, target = sparse.trees[player], factored.trees[player]
            expected = move_behaviour(source, target, a)  # type: ignore[arg-type]  # plans are renumbered alike
            assert_allclose(b, expected, atol=1e-9)
        assert restricted_gap(sparse, engines[0].plans, restriction).value == pytest.approx(
            restricted_gap(factored, engines[1].plans, moved).value
        )


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["p", "confidence"])
def test_single_precision(kind):
    game = compile_factored(leduc())
    assert isinstance(game.payoff, FactoredPayoff)
    single = type(game)(game.name, game.trees, game.payoff.astype(np.float32))
    restriction = random_restriction(game.trees[1], 5, kind)
    gaps = [solve(g, iterations=300, restriction=restriction).gap for g in (game, single)]
    assert gaps[1] == pytest.approx(gaps[0], abs=1e-4)


@pytest.mark.parametrize("kind", ["p", "confidence"])
def test_interrupted_equals_unbroken(tmp_path, kind):
    game, _ = leduc_model()
    restriction = random_restriction(game.trees[1], 7, kind)
    path = tmp_path / "run"
    whole = solve(game, iterations=30, restriction=restriction)
    solve(game, iterations=12, restriction=restriction, checkpoint=path)
    rest = solve(game, iterations=30, restriction=restriction, checkpoint=path, resume=True)
    for a, b in zip(whole.plans, rest.plans, strict=True):
        assert_array_equal(a, b)
    other = random_restriction(game.trees[1], 8, kind)
    model = replace(restriction, model=other.model)  # nothing else differs
    trust = replace(restriction, p=other.p, confidence=other.confidence)
    for wrong in (other, model, trust, None):
        with pytest.raises(SoulreadError, match="another restriction, or of one with none"):
            solve(game, iterations=30, restriction=wrong, checkpoint=path, resume=True)


@pytest.mark.compiled
def test_a_warm_start_ends_within_the_gap_and_sooner():
    """Along the p of the paper; iterations do not depend on the machine but in their last digits."""
    game, model = leduc_model()
    tree, gap = game.trees[1], 1e-3
    engine, cold, warm = None, 0, 0
    for p in (0.5, 0.7, 0.8, 0.9, 0.93, 0.97, 0.99):
        restriction = Restriction(tree, model, p=p)
        fresh = run(RegretMinimiser(game, DCFR(), restriction), Stops(gap=gap * (1 - p)))
        if engine is None:
            engine = RegretMinimiser(game, DCFR(), restriction)
        else:
            engine.restart(restriction)
        assert engine.iteration == 0
        again = run(engine, Stops(gap=gap * (1 - p)))
        assert again.gap <= gap * (1 - p)
        assert again.value == pytest.approx(fresh.value, abs=4 * gap * (1 - p))
        cold, warm = cold + fresh.iterations, warm + again.iterations
    assert warm < cold


def test_restart_without_memory_forgets_regrets():
    game, _ = leduc_model()
    engine = RegretMinimiser(game, CFR())
    engine.advance(10)
    engine.restart(None, memory=0)
    assert not any(engine.tensors()[f"regret{i}"].any() for i in (0, 1))
    with pytest.raises(SoulreadError, match="memory=2"):
        engine.restart(None, memory=2)
    with pytest.raises(SoulreadError, match="past=-1"):
        engine.restart(None, past=-1)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["p", "confidence"])
def test_restart_with_a_past_keeps_the_average(kind):
    """Under the same restriction nothing moves; under another one the average is put into it."""
    game, _ = leduc_model()
    restriction, other = (random_restriction(game.trees[1], seed, kind) for seed in (2, 3))
    engine = RegretMinimiser(game, DCFR(), restriction)
    engine.advance(100)
    before = [plan.copy() for plan in engine.plans]
    engine.restart(restriction, past=40)
    assert engine.iteration == 40
    for tree, plan, old in zip(game.trees, engine.plans, before, strict=True):
        verify_plan(tree, plan)
        assert_allclose(plan, old, atol=1e-12)
    engine.restart(other, past=40)
    assert_allclose(engine.plans[0], before[0], atol=1e-12)
    verify_plan(game.trees[1], engine.plans[1])
    assert restricted_gap(game, engine.plans, other).value > 0
    engine.advance(400)
    assert restricted_gap(game, engine.plans, other).value < 0.01


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
def test_the_slope_is_the_gradient_against_the_average(compiler, first):
    """Through iterations, another p and another model; the player who moves first is never bound here."""
    game = compiler(kuhn())
    engine = RegretMinimiser(game, DCFR(), random_restriction(game.trees[1 - first], 4, "p"), first=first)

    def expected():
        return game.payoff.gradient(1 - first, engine.plans[first].copy())

    assert_allclose(engine.slope(), expected(), atol=1e-14)
    for step in (
        lambda: engine.advance(5),
        lambda: engine.trust(0.9),
        lambda: engine.advance(3),
        lambda: engine.restart(random_restriction(game.trees[1 - first], 5, "p"), past=6),
        lambda: engine.advance(4),
        lambda: engine.restart(random_restriction(game.trees[first], 6, "confidence"), past=6),
        lambda: engine.advance(2),
        lambda: engine.restart(random_restriction(game.trees[first], 6, "p"), past=6),
        lambda: engine.advance(2),
        lambda: engine.restart(None),
        lambda: engine.advance(2),
        lambda: engine.restore(3, {**engine.tensors(), f"average{first}": engine.current[first]}, {}),
    ):
        step()
        assert_allclose(engine.slope(), expected(), atol=1e-13)


def test_who_moves_first_is_who_moves_first():
    """With the second player first, a game is that of exchanged seats."""
    game, _ = leduc_model()
    late = RegretMinimiser(game, CFR(), first=1)
    late.advance(1)
    plan = late.current[1]
    tree, gradient = game.trees[1], game.payoff.gradient(1, uniform_plan(game.trees[0]))
    assert plan @ gradient > uniform_plan(tree) @ gradient  # an answer to the start of the first player
    answered = game.payoff.gradient(0, plan)
    assert late.current[0] @ answered > uniform_plan(game.trees[0]) @ answered


def test_another_p_is_another_restriction():
    """A new p in the course of a solve leads to what a solve with it from the start leads to."""
    game, model = leduc_model()
    restriction = Restriction(game.trees[1], model, p=0.3)
    assert restriction.checksum == Restriction(game.trees[1], model, p=0.3).checksum
    other = restriction.with_p(0.8)
    assert (restriction.p, other.p) == (0.3, 0.8)
    assert other.checksum == Restriction(game.trees[1], model, p=0.8).checksum
    engine, straight = RegretMinimiser(game, DCFR(), restriction), RegretMinimiser(game, DCFR(), other)
    engine.trust(0.8)
    for each in (engine, straight):
        each.advance(10)
    for mine, theirs in zip(engine.plans, straight.plans, strict=True):
        assert_array_equal(mine, theirs)
    with pytest.raises(SoulreadError, match=r"p=1\.5"):
        engine.trust(1.5)
    engine.restart(None)
    with pytest.raises(SoulreadError, match="no model"):
        engine.trust(0.5)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["p", "confidence"])
def test_a_past_helps_to_follow_a_model_that_drifts(kind):
    """20 iterations after every step of the model: with half of them as past the gaps are far smaller."""
    game, model = leduc_model()
    tree = game.trees[1]
    target = random_behaviour(tree, np.random.default_rng(8))
    mean = []
    for past in (0, 10):
        engine, gaps = None, []
        for step in range(6):
            moved = mix_behaviours(tree, 1 - 0.03 * step, model, target)
            trust = {"p": 0.7} if kind == "p" else {"confidence": np.full(tree.num_sets, 0.7)}
            restriction = Restriction(tree, moved, **trust)
            if engine is None:
                engine = RegretMinimiser(game, DCFR(), restriction)
                engine.advance(200)
                continue
            engine.restart(restriction, past=past)
            engine.advance(20)
            gaps.append(restricted_gap(game, engine.plans, restriction).value)
        mean.append(np.mean(gaps))
    assert mean[1] < 0.6 * mean[0]


@pytest.mark.compiled
def test_solution_has_the_restricted_plan():
    game, model = leduc_model()
    tree = game.trees[1]
    solution = solve(game, gap=1e-3, restriction=Restriction(tree, model, p=0.5))
    verify_plan(tree, solution.plans[1])
    assert np.all(solution.plans[1] >= 0.5 * plan_from_behaviour(tree, model) - 1e-12)
    confidence = np.full(tree.num_sets, 0.5)
    solution = solve(game, gap=1e-3, restriction=Restriction(tree, model, confidence=confidence))
    verify_plan(tree, solution.plans[1])
    behaviour = behaviour_from_plan(tree, solution.plans[1])
    reached = solution.plans[1][tree.parent_sequence[tree.sequence_set[1:]]] > 1e-9
    assert np.all((behaviour >= 0.5 * model - 1e-6)[1:][reached])


def test_errors():
    game, model = leduc_model()
    tree = game.trees[1]
    for p in (-0.1, 1.1, float("nan")):
        with pytest.raises(SoulreadError, match=r"p=.*lies between 0 and 1"):
            Restriction(tree, model, p=p)
    with pytest.raises(SoulreadError, match="either a probability p or a confidence"):
        Restriction(tree, model)
    with pytest.raises(ShapeError, match=r"the behaviour has shape \(1093,\).*player 1 has 13 sequences"):
        Restriction(compile_game(kuhn()).trees[1], model, p=0.5)
    with pytest.raises(ShapeError, match=r"the confidence has shape \(3,\), but player 1 has 468"):
        Restriction(tree, model, confidence=np.zeros(3))
    with pytest.raises(SoulreadError, match=r"a confidence of 1\.5 at"):
        Restriction(tree, model, confidence=np.full(tree.num_sets, 1.5))
    with pytest.raises(SoulreadError, match="sum to"):
        Restriction(tree, model * 2 - np.eye(1, model.size)[0], p=0.5)
    restriction = Restriction(tree, model, p=0.5)
    with pytest.raises(ShapeError, match="made for another game than 'kuhn'"):
        solve(compile_game(kuhn()), iterations=1, restriction=restriction)
    with pytest.raises(SoulreadError, match="'external' knows no restrictions"):
        solve(game, ExternalSampling(), iterations=1, restriction=restriction, rng=np.random.default_rng())
    with pytest.raises(SoulreadError, match="not zero-sum"):
        RegretMinimiser(with_winner_bonus(game), DCFR(), restriction)
    with pytest.raises(SoulreadError, match="mixes behaviours, not plans"):
        Restriction(tree, model, confidence=np.zeros(tree.num_sets)).plan(uniform_plan(tree))
