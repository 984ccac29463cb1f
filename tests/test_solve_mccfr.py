"""Monte Carlo CFR: the same samples as a plain recursion, and towards equilibrium."""

import naive_seqform as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.strategy import Plan, behaviour_from_plan, verify_plan
from soulread.solvers.cfr.run import solve
from soulread.solvers.cfr.sampling import ExternalSampling, MonteCarloCFR, OutcomeSampling, Sampler

METHODS = [ExternalSampling(), OutcomeSampling(0.5)]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@given(naive.random_games(), st.integers(0, 2**32))
@settings(max_examples=25)
def test_kernel_draws_what_the_recursion_draws(method, game, seed):
    compiled = compile_game(game)
    sampler = Sampler(compiled, method, np.random.default_rng(seed))
    sampler.advance(6)
    rng = np.random.default_rng(seed)
    if method.name == "external":
        regrets, totals = naive.external_sampling(game, 6, rng)
    else:
        regrets, totals = naive.outcome_sampling(game, 6, method.exploration, rng)
    tensors = sampler.tensors()
    for player, tree in enumerate(compiled.trees):
        for found, expected in (
            (tensors[f"regret{player}"], regrets),
            (tensors[f"total{player}"], totals),
        ):
            labelled = naive.as_labels(tree, found)
            for label, numbers in expected[player].items():
                assert_allclose(labelled[label], numbers, atol=1e-9)
            unseen = [label for label in labelled if label not in expected[player]]
            assert not any(any(labelled[label]) for label in unseen)
        verify_plan(tree, sampler.plans[player])
        assert_allclose(behaviour_from_plan(tree, Plan(tensors[f"total{player}"]))[0], 1)


@pytest.mark.compiled
@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_kuhn(method):
    solution = solve(compile_game(kuhn()), method, iterations=40_000, rng=np.random.default_rng(1))
    assert solution.gap < (0.01 if method.name == "external" else 0.04)
    assert solution.method == method.name


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_resumed_sampling_ends_where_an_unbroken_one_does(method, tmp_path):
    game = compile_game(kuhn())
    whole = solve(game, method, iterations=120, rng=np.random.default_rng(4))
    path = tmp_path / "run.safetensors"
    solve(game, method, iterations=50, rng=np.random.default_rng(4), checkpoint=path)
    other = np.random.default_rng(99)  # takes over the state of the checkpoint
    resumed = solve(game, method, iterations=120, rng=other, checkpoint=path, resume=True)
    for a, b in zip(whole.plans, resumed.plans, strict=True):
        assert_array_equal(a, b)
    rng = np.random.Generator(np.random.MT19937(1))
    with pytest.raises(SoulreadError, match="random numbers come from PCG64, not from MT19937"):
        solve(game, method, iterations=120, rng=rng, checkpoint=path, resume=True)


def test_messages():
    game = compile_game(kuhn())
    with pytest.raises(SoulreadError, match="the method 'external' is random; give it an rng"):
        solve(game, ExternalSampling(), iterations=1)
    with pytest.raises(SoulreadError, match="'kuhn' is factored and keeps no histories to sample"):
        solve(compile_factored(kuhn()), ExternalSampling(), iterations=1, rng=np.random.default_rng(1))
    with pytest.raises(SoulreadError, match="exploration 0; it must lie above 0"):
        OutcomeSampling(0)
    with pytest.raises(SoulreadError, match="'chance' is not a kind of sampling"):
        MonteCarloCFR("chance")  # type: ignore[arg-type]
