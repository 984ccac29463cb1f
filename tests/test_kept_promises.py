"""The record of promises: the formula, what follows from it, and threads that give back what they took."""

import numpy as np
import pytest
from named import compile_source, equilibrium_of
from threadpoolctl import threadpool_info

from soulread.machine import one_thread_each
from soulread.respond.budget import BudgetedResponder, find_start
from soulread.respond.counter import pair_of
from soulread.respond.kept_promises import KEPT, PRIOR, KeptPromises
from soulread.seqform.source import parse_source
from soulread.solvers.skews import Skew, skew_behaviours

GAME = compile_source("leduc:iso")
BASE = equilibrium_of("leduc:iso").behaviours
START = find_start(parse_source("leduc:iso"), GAME)
LOOSE = skew_behaviours(GAME, BASE, (Skew("loose", (0.4,)),))
WILD = skew_behaviours(GAME, BASE, (Skew("aggressive", (0.4,)),))


def test_before_a_record_a_fixed_part_is_expected() -> None:
    record = KeptPromises()
    record.look_back(5.0, 100)  # nothing was promised before
    assert record.kept(0.3) == pytest.approx(KEPT)
    assert record.kept(0.0) == 0
    assert record.kept(-1.0) == 0


def test_new_hands_alone_say_what_is_kept() -> None:
    """After 100 hands 10 were promised; 25 hands later the same answer is worth 9, so those 25 said 5."""
    record = KeptPromises()
    record.promise(10.0, 100)
    record.look_back(9.0, 125)
    assert record.promised == pytest.approx(250)
    assert record.found == pytest.approx(125)
    expected = (KEPT * PRIOR * 8 + 125) / (PRIOR * 8 + 250)
    assert record.kept(8.0) == pytest.approx(expected)


def test_a_mean_of_hands_is_taken_apart_again() -> None:
    """Whatever each hand says, the record finds the sum over all hands after the first promise."""
    said = np.random.default_rng(1).normal(3.0, 2.0, 400)
    record = KeptPromises()
    for hands in (50, 80, 200, 400):
        record.look_back(float(said[:hands].mean()), hands)
        record.promise(float(said[:hands].mean()), hands)
    assert record.found == pytest.approx(said[50:].sum())


def test_no_more_than_all_is_expected_and_losses_are() -> None:
    better, worse = KeptPromises(), KeptPromises()
    for record, value in ((better, 20.0), (worse, -20.0)):
        record.promise(10.0, 100)
        record.look_back(value, 2000)
    assert better.kept(10.0) == 1
    assert worse.kept(10.0) < 0


@pytest.mark.compiled
def test_the_last_answer_is_valued_by_the_new_model() -> None:
    """A responder looks back at what it answered before, not at what it answers now."""
    made = BudgetedResponder(GAME, BASE, START, budget=3.0, trust=0.98)
    for hands in range(100, 1000, 100):
        made.respond(LOOSE, hands=hands)
    first = made.respond(LOOSE, hands=1000)
    assert first.share == 1
    before = made._record.found
    made.respond(WILD, hands=1100)
    usual = pair_of(GAME, BASE).exploitation(WILD)
    value = pair_of(GAME, first.behaviours).exploitation(WILD) - usual
    expected = 100 * first.promise - 1100 * (first.promise - value)
    assert made._record.found - before == pytest.approx(expected, abs=1e-3)


@pytest.mark.compiled
def test_a_promise_that_was_not_kept_is_given_up() -> None:
    """The model says one thing, and each time the new hands say the opposite."""
    made = BudgetedResponder(GAME, BASE, START, budget=3.0, trust=0.98, least=0.02)
    assert made.respond(LOOSE, hands=100).share > 0
    made._record.look_back(-1.0, 400)
    certified = made.respond(LOOSE, hands=401)
    assert certified.kept < 0
    assert (certified.share, certified.behaviours) == (0, BASE)


@pytest.mark.compiled
def test_without_hands_the_whole_promise_is_expected() -> None:
    made = BudgetedResponder(GAME, BASE, START, budget=3.0)
    assert [made.respond(LOOSE).kept for _ in range(3)] == [1, 1, 1]


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
