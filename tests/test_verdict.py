"""Verdicts: three answers, from intervals."""

import math

import numpy as np
import pytest

from soulread.estimate import Estimate
from soulread.reproduce.kit.verdict import (
    UNKNOWN,
    Condition,
    Verdict,
    above,
    all_of,
    any_of,
    at_least,
    at_most,
    below,
    share_above,
    within,
)

HOLDS, FAILS, UNDECIDED = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED


def around(mean: float, half: float = 1.0, n: int = 10) -> Estimate:
    """An estimate whose 95% interval is the mean plus and minus ``half``."""
    return Estimate(mean, half / Estimate(0.0, 1.0, n).half_width, n)


@pytest.mark.parametrize("n", [2, 10, 10_000])
def test_a_condition_is_decided_where_the_interval_leaves_the_bound(n: int) -> None:
    for mean, expected in ((6.01, HOLDS), (5.99, UNDECIDED), (4.01, UNDECIDED), (3.99, FAILS)):
        number = around(mean, n=n)
        assert above(number, 5).verdict is at_least(number, 5).verdict is expected
        other = {HOLDS: FAILS, FAILS: HOLDS, UNDECIDED: UNDECIDED}[expected]
        assert below(number, 5).verdict is at_most(number, 5).verdict is other


def test_exact_numbers_are_decided_at_once() -> None:
    for number in (5.0, Estimate(5.0, 0.0, 7)):  # all samples alike: nothing is random
        assert above(number, 5).verdict is FAILS
        assert at_least(number, 5).verdict is HOLDS
        assert below(number, 5).verdict is FAILS
        assert at_most(number, 5).verdict is HOLDS
        assert within(number, 5, 5).verdict is HOLDS


@pytest.mark.parametrize("number", [None, math.nan, Estimate(9.0, math.nan, 1), Estimate(math.nan, 0.1, 9)])
def test_what_is_not_known_decides_nothing(number: Estimate | float | None) -> None:
    for condition in (above(number), below(number), at_least(number), at_most(number), within(number, -1, 1)):
        assert condition == UNKNOWN
        assert condition.verdict is UNDECIDED


@pytest.mark.parametrize(
    ("mean", "half", "expected"),
    [
        (0.0, 0.9, HOLDS),
        (0.0, 1.1, UNDECIDED),  # a mean in the middle does not help if the interval is wide
        (0.95, 0.1, UNDECIDED),
        (2.0, 0.9, FAILS),
        (-2.0, 0.9, FAILS),
        (2.0, 1.1, UNDECIDED),
    ],
)
def test_equality_needs_the_whole_interval_within_the_margin(
    mean: float, half: float, expected: Verdict
) -> None:
    assert within(around(mean, half), -1, 1).verdict is expected


def test_all_and_any() -> None:
    yes, no, open_ = above(1.0), above(-1.0), UNKNOWN
    assert all_of([yes, yes]).verdict is HOLDS
    assert all_of([yes, no, open_]).verdict is FAILS
    assert all_of([yes, open_]).verdict is UNDECIDED
    assert any_of([no, no]).verdict is FAILS
    assert any_of([no, yes, open_]).verdict is HOLDS
    assert any_of([no, open_]).verdict is UNDECIDED
    assert all_of([]) == any_of([]) == UNKNOWN
    assert all_of([any_of([no, yes]), yes]).verdict is HOLDS


def test_one_of_many_parts_must_be_further_beyond_to_decide_alone() -> None:
    barely = below(around(-1.01))
    assert barely.verdict is HOLDS
    assert any_of([barely]).verdict is HOLDS
    assert any_of([barely, *[Condition(0.9, 0.1)] * 19]).verdict is UNDECIDED
    assert all_of([barely] * 20).verdict is HOLDS  # that all hold by chance is no likelier than that one does
    failed = above(around(-1.01))
    assert all_of([failed]).verdict is FAILS
    assert all_of([failed, *[Condition(0.1, 0.9)] * 19]).verdict is UNDECIDED


def test_wrong_verdicts_are_rare() -> None:
    """Twenty differences that are all zero: neither "all above" nor "some above" may be decided often."""
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(400):
        parts = [above(Estimate.of(rng.normal(size=8))) for _ in range(20)]
        wrong += all_of(parts).verdict is not UNDECIDED
        wrong += any_of(parts).verdict is not UNDECIDED
    assert wrong <= 400 * 0.05 * 1.5  # each at most 2.5%; three standard errors more


@pytest.mark.parametrize(
    ("hits", "n", "expected"),
    [
        (5, 5, UNDECIDED),  # five of five say little about 90%
        (99, 100, HOLDS),
        (92, 100, UNDECIDED),
        (80, 100, FAILS),
        (0, 5, FAILS),
        (0, 0, UNDECIDED),
    ],
)
def test_a_share_is_judged_by_how_many_there_are(hits: int, n: int, expected: Verdict) -> None:
    assert share_above(np.arange(n) < hits, 0.9).verdict is expected
