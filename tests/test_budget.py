"""Responses with a budget: the certificate, the share, the promise, and how near they come to the best."""

import numpy as np
import pytest
from naive_safe import safe_value
from named import compile_source, equilibrium_of
from numpy.testing import assert_allclose
from threadpoolctl import threadpool_info

from soulread.errors import SoulreadError
from soulread.machine import one_thread_each
from soulread.model.tabular import Possible
from soulread.respond.budget import (
    WARM_UP,
    BudgetedResponder,
    Certified,
    Engines,
    find_start,
    quantiles,
    warm,
)
from soulread.respond.counter import pair_of
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import Behaviours, plan_from_behaviour
from soulread.solvers.lp import solve_exactly
from soulread.solvers.skews import Skew, skew_behaviours

pytestmark = pytest.mark.compiled

GAME = compile_source("leduc:iso")
BASE = equilibrium_of("leduc:iso").behaviours
START = warm(GAME)
LOOSE = skew_behaviours(GAME, BASE, (Skew("loose", (0.4,)),))
TIGHT = skew_behaviours(GAME, BASE, (Skew("tight", (0.3,)),))


def certain(behaviours: Behaviours) -> Possible:
    return Possible.certain(GAME, behaviours)


def responder(budget: float, exact: bool = False, **options) -> BudgetedResponder:
    return BudgetedResponder(GAME, BASE, None if exact else START, budget, **options)


def settled(made: BudgetedResponder, model: Behaviours, updates: int = 40) -> Certified:
    for _ in range(updates):
        found = made.respond(certain(model))
    return found


def best_within(budget: float, model: Behaviours) -> float:
    """The most from the model at a risk of at most the budget, per seat, by a plain linear program."""
    value, best = solve_exactly(GAME).value, 0.0
    for seat in (0, 1):
        plan = plan_from_behaviour(GAME.trees[1 - seat], model[1 - seat])
        best += safe_value(GAME, seat, plan, budget, value * (1 - 2 * seat)) / 2
    return best


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("budget", [0.0, 0.02, 0.1, 0.5, 3.0])
def test_the_certificate_holds_from_the_first_update_on(budget: float, exact: bool) -> None:
    made = responder(budget, exact)
    allowed = max(budget, made.equilibrium_risk) + 1e-6
    for model in (LOOSE, BASE, LOOSE):
        for _ in range(3):
            certified = made.respond(certain(model))
            true = pair_of(GAME, certified.behaviours)
            assert true.exploitability <= certified.risk + 1e-6
            assert certified.risk <= allowed
            assert true.exploitation(model) == pytest.approx(certified.gain, abs=1e-5)
            usual = pair_of(GAME, BASE).exploitation(model)
            assert certified.promise == pytest.approx(certified.gain - usual, abs=1e-5)


def test_it_comes_near_the_best_that_the_budget_allows() -> None:
    budget = 0.05
    found = settled(responder(budget, trust=0.99, iterations=50), LOOSE)
    assert found.risk <= budget + 1e-6
    assert found.gain > 0.85 * best_within(budget, LOOSE)


@pytest.mark.parametrize("budget", [0.02, 0.3])
def test_in_a_small_game_it_is_the_best_that_the_budget_allows(budget: float) -> None:
    found = responder(budget, exact=True).respond(certain(LOOSE))
    assert found.gain == pytest.approx(best_within(budget, LOOSE), abs=1e-6)
    assert found.risk <= budget + 1e-6


def test_a_larger_budget_promises_more() -> None:
    promises = [settled(responder(budget, trust=0.98), LOOSE).promise for budget in (0.01, 0.05, 0.25)]
    assert promises[0] > 0
    assert np.all(np.diff(promises) > 0)


def test_trust_follows_the_budget() -> None:
    tight, free = responder(0.01), responder(100.0, trust=0.95)
    assert settled(tight, LOOSE).trust < 0.7
    assert settled(free, LOOSE).trust == pytest.approx(0.95)


def test_the_budget_is_used_from_the_first_updates_on() -> None:
    """The first answer uses most of the budget, the third wins most of what it allows."""
    for model in (LOOSE, TIGHT):
        made, budget = responder(0.3, trust=0.98), 0.3
        best, usual = best_within(budget, model), pair_of(GAME, BASE).exploitation(model)
        found = [made.respond(certain(model)) for _ in range(3)]
        assert found[0].risk > 0.7 * budget
        assert found[2].promise > 0.85 * (best - usual)


def test_trust_goes_where_the_budget_will_be_used_up() -> None:
    """A steady risk that equals the budget leaves p alone; one that falls through it lets p rise."""

    def moved(*risks: float) -> float:
        engines = Engines(GAME, START, trust=0.95, iterations=5)
        for risk in risks:
            engines._follow(0.1, risk, most=0.95)
        return engines._p

    assert moved(3.0) == pytest.approx(0.7)  # one look tells nothing
    assert moved(0.1, 0.1) == pytest.approx(0.7)
    assert moved(0.05, 0.05) > 0.7 > moved(0.2, 0.2)
    assert moved(0.2, 0.1) > 0.7 > moved(0.05, 0.1)
    assert moved(*[1e-9] * 30) == pytest.approx(0.95)
    assert moved(*[1e9] * 30) == pytest.approx(0.2)


def test_doubt_bounds_trust_in_engines_too() -> None:
    made = responder(100.0)
    for _ in range(3):
        found = made.respond(Possible(np.array([0.6]), certain(LOOSE).tables))
        assert found.trust == pytest.approx(0.6)
    assert settled(made, LOOSE, 10).trust == pytest.approx(0.95)  # once there is none


def half_sure(doubt: float = 0.0, first: float = 0.5) -> Possible:
    """Somebody loose or somebody tight."""
    weights = (1 - doubt) * np.array([first, 1 - first])
    return Possible.joined(list(zip(weights.tolist(), (certain(LOOSE), certain(TIGHT)), strict=True)))


def test_the_gain_is_that_from_all_that_the_opponent_may_be() -> None:
    """Mean, interval and chance of the gain, against plain values of the answer."""
    made, possible = responder(0.3, exact=True, sure=0.0), half_sure(doubt=0.1, first=0.7)
    found = made.respond(possible)
    mine, usual = pair_of(GAME, found.behaviours), pair_of(GAME, BASE)
    loose, tight = (mine.exploitation(model) - usual.exploitation(model) for model in (LOOSE, TIGHT))
    assert found.promise == pytest.approx(0.63 * loose + 0.27 * tight)
    assert found.chance == pytest.approx(0.7 * (loose >= -made.harmless) + 0.3 * (tight >= -made.harmless))
    assert found.trust == pytest.approx(0.9)


@pytest.mark.parametrize("exact", [False, True])
def test_what_is_not_sure_enough_is_not_played_so(exact: bool) -> None:
    """Somebody loose, or with 25% the equilibrium, which wins a little: too much for who is to be sure."""
    possible = Possible.joined([(0.75, certain(LOOSE)), (0.25, certain(BASE))])
    for sure in (0.0, 0.8):
        made = responder(1.0, exact, sure=sure)
        made.harmless = 0.001
        found = made.respond(possible)
        lost = -pair_of(GAME, found.behaviours).exploitation(BASE)
        assert (lost > made.harmless) == (sure == 0)
        assert found.chance >= sure


def test_doubt_makes_cautious() -> None:
    """The more doubt, the less is risked, long before the budget is used up."""
    risks = [
        responder(1.0, exact=True).respond(Possible(np.array([1 - doubt]), certain(LOOSE).tables)).risk
        for doubt in (0.0, 0.2, 0.4, 0.7)
    ]
    assert np.all(np.diff(risks) < 0)


def test_quantiles_are_those_of_the_weights() -> None:
    values, weights = np.array([3.0, 1.0, 2.0, 0.0]), np.array([0.05, 0.4, 0.5, 0.05])
    assert quantiles(values, weights, 0.8) == (1.0, 2.0)
    assert quantiles(values, weights, 0.96) == (0.0, 3.0)
    assert quantiles(values, weights / 2, 0.8) == (1.0, 2.0)


def test_reset_makes_it_new() -> None:
    made = responder(0.05)
    first = made.respond(certain(LOOSE))
    made.respond(certain(BASE))
    made.reset()
    again = made.respond(certain(LOOSE))
    for mine, before in zip(again.behaviours, first.behaviours, strict=True):
        assert_allclose(mine, before, atol=1e-12)
    assert again.promise == pytest.approx(first.promise)


def test_the_start_is_a_solve_towards_equilibrium() -> None:
    assert find_start(parse_source("leduc:iso"), GAME) is None  # programs need none
    assert float(START["weight"][0]) == pytest.approx(sum(t**2 for t in range(1, WARM_UP + 1)))


def test_threads_of_products_come_back() -> None:
    def threads() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = threads()
    outer, inner = one_thread_each(), one_thread_each()
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)  # blocks of two threads may overlap in any order
    assert set(threads()) <= {1}
    inner.__exit__(None, None, None)
    assert threads() == before


def test_refusals() -> None:
    with pytest.raises(SoulreadError, match="a budget of -1"):
        responder(-1)
    with pytest.raises(SoulreadError, match="trust=1"):
        responder(1, trust=1)
    with pytest.raises(SoulreadError, match="sure=1"):
        responder(1, sure=1)
