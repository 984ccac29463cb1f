"""The CFR family: against textbook recursions, and towards known values."""

import known_values as known
import naive_seqform as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from soulread.errors import ParseError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.strategy import behaviour_from_plan, verify_plan
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import (
    CFR,
    DCFR,
    CFRPlus,
    LinearCFR,
    PredictiveCFRPlus,
    Schedule,
    parse_schedule,
)
from soulread.solvers.cfr.run import solve

SCHEDULES = [
    make(alternating=alternating)
    for make in (CFR, CFRPlus, LinearCFR, DCFR, PredictiveCFRPlus)
    for alternating in (True, False)
]


def schedule_id(schedule):
    return f"{schedule.name}-{'alternating' if schedule.alternating else 'simultaneous'}"


@pytest.mark.parametrize("schedule", SCHEDULES, ids=schedule_id)
@given(naive.random_games(), st.integers(1, 4))
@settings(max_examples=12)
def test_kernel_equals_textbook(schedule, game, iterations):
    compiled = compile_game(game)
    state = RegretMinimiser(compiled, schedule)
    state.advance(iterations)
    slow = naive.cfr(game, schedule, iterations)
    for tree, plan, expected in zip(compiled.trees, state.plans, slow, strict=True):
        verify_plan(tree, plan)
        behaviour = naive.as_labels(tree, behaviour_from_plan(tree, plan))
        for label, probabilities in expected.items():
            assert_allclose(behaviour[label], probabilities, atol=1e-7)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=schedule_id)
def test_factored_equals_sparse(schedule):
    states = [RegretMinimiser(compiler(kuhn()), schedule) for compiler in (compile_game, compile_factored)]
    for state in states:
        state.advance(7)
    for player in (0, 1):
        sparse, factored = (
            naive.as_labels(state.game.trees[player], behaviour_from_plan(state.game.trees[player], plan))
            for state, plan in ((state, state.plans[player]) for state in states)
        )
        assert sparse.keys() == factored.keys()
        for label in sparse:
            assert_allclose(sparse[label], factored[label], atol=1e-10)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=schedule_id)
def test_calls_do_not_matter(schedule):
    game = compile_game(leduc(suit_isomorphic=True))
    once, often = RegretMinimiser(game, schedule), RegretMinimiser(game, schedule)
    once.advance(11)
    for count in (1, 3, 0, 5, 2):
        often.advance(count)
    for a, b in zip(once.plans + once.current, often.plans + often.current, strict=True):
        assert_array_equal(a, b)


@pytest.mark.parametrize("schedule", SCHEDULES, ids=schedule_id)
def test_every_method_approaches_kuhn(schedule):
    solution = solve(compile_game(kuhn()), schedule, iterations=300)
    assert solution.gap < 0.02
    assert solution.value == pytest.approx(known.KUHN_VALUE, abs=2 * solution.gap)


def test_kuhn_equilibrium_has_the_known_shape():
    solution = solve(compile_game(kuhn()), PredictiveCFRPlus(), gap=1e-5)
    first, second = (
        naive.as_labels(tree, behaviour)
        for tree, behaviour in zip(solution.game.trees, solution.behaviours, strict=True)
    )
    alpha = first["Js||"][1]
    assert -1e-3 <= alpha <= 1 / 3 + 1e-3
    assert first["Ks||"][1] == pytest.approx(3 * alpha, abs=1e-2)
    assert first["Qs||cr"][1] == pytest.approx(alpha + 1 / 3, abs=1e-2)
    assert second["Js||c"][1] == pytest.approx(1 / 3, abs=1e-2)
    assert second["Qs||r"][1] == pytest.approx(1 / 3, abs=1e-2)


@pytest.mark.compiled
@pytest.mark.parametrize("schedule", [CFRPlus(), DCFR()], ids=schedule_id)
@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
@pytest.mark.parametrize("isomorphic", [False, True])
def test_leduc(compiler, schedule, isomorphic):
    solution = solve(compiler(leduc(suit_isomorphic=isomorphic)), schedule, gap=5e-4)
    assert solution.gap <= 5e-4
    assert solution.value == pytest.approx(known.LEDUC_VALUE, abs=1e-3)


@pytest.mark.compiled
def test_single_precision_is_enough():
    game = compile_factored(leduc(suit_isomorphic=True))
    assert isinstance(game.payoff, FactoredPayoff)
    single = type(game)(game.name, game.trees, game.payoff.astype(np.float32))
    solution = solve(single, gap=1e-3)
    assert solution.plans[0].dtype == np.float32
    assert solution.gap <= 1e-3
    assert solution.value == pytest.approx(known.LEDUC_VALUE, abs=2e-3)


@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
@pytest.mark.parametrize("gamma", [0.0, 1.0, 2.0])
def test_a_delay_leaves_out_the_first_iterations(compiler, gamma):
    """Until it is over the average is an even one; then iteration t weighs (t - delay) ** gamma."""
    delay = 3
    state = RegretMinimiser(compiler(kuhn()), Schedule("mine", gamma=gamma, delay=delay))
    played: list[list[np.ndarray]] = []
    for t in range(1, 11):
        state.advance(1)
        played.append([plan.copy() for plan in state.current])
        weights = [(s - delay) ** gamma if s > delay else 0.0 for s in range(1, t + 1)]
        for player in (0, 1):
            mine = [plans[player] for plans in played]
            expected = np.average(mine, axis=0, weights=weights if t > delay else None)
            assert_allclose(state.plans[player], expected, atol=1e-12)
    assert np.abs(played[0][0] - played[3][0]).max() > 0.01  # what is left out was different


@pytest.mark.parametrize("name", known.REGRET_EXPONENTS)
def test_methods_have_the_published_exponents(name):
    found = parse_schedule(name)
    assert (found.alpha, found.beta, found.gamma) == known.REGRET_EXPONENTS[name]
    assert found.predictive == (name == "pcfr+")


def test_names_of_methods():
    for schedule in (CFR(), CFRPlus(), LinearCFR(), DCFR(), DCFR(2, 0.5, 1), PredictiveCFRPlus()):
        assert parse_schedule(schedule.name) == schedule
    for text in ("cfr++", "dcfr:1,2", "dcfr:a,b,c", "", "cfr:1,2,3"):
        with pytest.raises(ParseError, match=r"is not a method; write one of cfr, cfr\+, lcfr, dcfr, pcfr\+"):
            parse_schedule(text)
    with pytest.raises(SoulreadError, match="gamma=-1"):
        DCFR(gamma=-1)
    with pytest.raises(SoulreadError, match="a delay of -1 iterations"):
        Schedule("mine", delay=-1)
