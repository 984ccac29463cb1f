"""Probability triples: the worked examples of the papers, and what must hold for every hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soulread.model.loki.triples import FLOOR, NUM_CONTEXTS, context_of, factor, ramp, triple_of


@pytest.mark.parametrize(
    ("value", "expected"), [(0.81, 1.0), (0.8, 1.0), (0.6, 0.505), (0.4, 0.01), (0.1, 0.01)]
)
def test_the_example_of_re_weighting(value: float, expected: float) -> None:
    """A call needs .6 with an uncertainty of .2 (paper 001, section III)."""
    assert factor(value, 0.6, 0.2) == pytest.approx(expected, abs=1e-12)


def test_a_bar_without_uncertainty_is_a_step() -> None:
    assert [ramp(value, 0.5, 0.0) for value in (0.499, 0.5, 0.501)] == [0.0, 1.0, 1.0]


def test_contexts_are_numbered_without_a_gap() -> None:
    found = {context_of(round, bets) for round in range(4) for bets in (0, 1, 2, 3, 4)}
    assert found == set(range(NUM_CONTEXTS))
    assert context_of(2, 2) == context_of(2, 4)


@given(
    value=st.floats(0, 1),
    mu=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    sigma=st.tuples(st.floats(0, 0.5), st.floats(0, 0.5)),
    may_fold=st.booleans(),
    may_raise=st.booleans(),
)
def test_triples_are_chances_and_rise_with_the_value(
    value: float, mu: tuple[float, float], sigma: tuple[float, float], may_fold: bool, may_raise: bool
) -> None:
    bars = np.array([[mu[0], sigma[0]], [mu[1], sigma[1]]])
    found = triple_of(value, bars, may_fold, may_raise)
    assert sum(found) == pytest.approx(1)
    least = FLOOR / (1 + may_fold + may_raise)
    for chance, legal in zip(found, (may_fold, True, may_raise), strict=True):
        assert (least - 1e-12 <= chance <= 1) if legal else chance == 0
    better = triple_of(min(1.0, value + 0.1), bars, may_fold, may_raise)
    assert better.fold <= found.fold + 1e-12
    assert better.raise_ >= found.raise_ - 1e-12


def test_a_triple_by_hand() -> None:
    bars = np.array([[0.5, 0.1], [0.6, 0.2]])
    fold, call, raised = triple_of(0.55, bars, True, True)
    assert fold == pytest.approx(0.99 * 0.25 + 0.01 / 3)
    assert raised == pytest.approx(0.99 * 0.375 + 0.01 / 3)
    assert call == pytest.approx(0.99 * 0.375 + 0.01 / 3)
