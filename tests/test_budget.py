"""Responses with a budget: the certificate, the share, the promise, and how near they come to the best."""

import numpy as np
import pytest
from naive_safe import safe_value
from named import compile_source, equilibrium_of
from numpy.testing import assert_allclose

from soulread.errors import SoulreadError
from soulread.respond.budget import WARM_UP, BudgetedResponder, Certified, find_start
from soulread.respond.counter import pair_of
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import Behaviours, plan_from_behaviour
from soulread.solvers.lp import solve_exactly
from soulread.solvers.skews import Skew, skew_behaviours

pytestmark = pytest.mark.compiled

GAME = compile_source("leduc:iso")
BASE = equilibrium_of("leduc:iso").behaviours
START = find_start(parse_source("leduc:iso"), GAME)
LOOSE = skew_behaviours(GAME, BASE, (Skew("loose", (0.4,)),))


def responder(budget: float, **options) -> BudgetedResponder:
    return BudgetedResponder(GAME, BASE, START, budget, **options)


def settled(made: BudgetedResponder, model: Behaviours, updates: int = 40) -> Certified:
    for _ in range(updates):
        certified = made.respond(model)
    return certified


@pytest.mark.parametrize("budget", [0.0, 0.02, 0.1, 0.5, 3.0])
def test_the_certificate_holds_from_the_first_update_on(budget: float) -> None:
    made = responder(budget)
    allowed = max(budget, made.equilibrium_risk) + 1e-6
    for model in (LOOSE, BASE, LOOSE):
        for _ in range(3):
            certified = made.respond(model)
            true = pair_of(GAME, certified.behaviours)
            assert true.exploitability <= certified.risk + 1e-6
            assert certified.risk <= allowed
            assert true.exploitation(model) == pytest.approx(certified.gain, abs=1e-5)
            usual = pair_of(GAME, BASE).exploitation(model)
            assert certified.promise == pytest.approx(certified.gain - usual, abs=1e-5)


def test_it_comes_near_the_best_that_the_budget_allows() -> None:
    """The best is a linear program: the most from the model at a risk of at most the budget, per seat."""
    budget = 0.05
    made = responder(budget, trust=0.99, iterations=50)
    certified = settled(made, LOOSE)
    value = solve_exactly(GAME).value
    best = 0.0
    for seat in (0, 1):
        model = plan_from_behaviour(GAME.trees[1 - seat], LOOSE[1 - seat])
        best += safe_value(GAME, seat, model, budget, value * (1 - 2 * seat)) / 2
    assert certified.risk <= budget + 1e-6
    assert certified.gain > 0.85 * best


def test_a_larger_budget_promises_more() -> None:
    promises = [settled(responder(budget, trust=0.98), LOOSE).promise for budget in (0.01, 0.05, 0.25)]
    assert promises[0] > 0
    assert np.all(np.diff(promises) > 0)


def test_trust_follows_the_budget() -> None:
    tight, free = responder(0.01), responder(100.0, trust=0.95)
    assert settled(tight, LOOSE).trust < 0.7
    assert settled(free, LOOSE).trust == pytest.approx(0.95)


def test_a_small_promise_is_not_played() -> None:
    made = responder(0.1, least=10.0)
    certified = made.respond(LOOSE)
    assert certified.behaviours is BASE
    assert (certified.share, certified.promise) == (0, 0)
    assert certified.risk == pytest.approx(made.equilibrium_risk)


def test_reset_makes_it_new() -> None:
    made = responder(0.05)
    first = made.respond(LOOSE)
    made.respond(BASE)
    made.reset()
    again = made.respond(LOOSE)
    for mine, before in zip(again.behaviours, first.behaviours, strict=True):
        assert_allclose(mine, before, atol=1e-12)
    assert again.promise == pytest.approx(first.promise)


def test_the_start_is_a_solve_towards_equilibrium() -> None:
    assert float(START["weight"][0]) == pytest.approx(sum(t**2 for t in range(1, WARM_UP + 1)))


def test_refusals() -> None:
    with pytest.raises(SoulreadError, match="a budget of -1"):
        responder(-1)
    with pytest.raises(SoulreadError, match="trust=1"):
        responder(1, trust=1)
