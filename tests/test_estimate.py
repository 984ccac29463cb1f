import json
import math

import numpy as np
import pytest

from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Unit


def test_mean_and_student_interval() -> None:
    estimate = Estimate.of(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
    assert estimate.mean == 3.0
    assert estimate.standard_error == pytest.approx(math.sqrt(2.5 / 5))
    assert estimate.half_width == pytest.approx(2.7764451 * estimate.standard_error)  # t(4) at 97.5%
    assert estimate.interval == pytest.approx((3 - estimate.half_width, 3 + estimate.half_width))


def test_interval_covers_the_truth_about_95_percent_of_the_time() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(2000):
        low, high = Estimate.of(rng.exponential(size=40) - 1.0).interval
        covered += low <= 0.0 <= high
    assert 0.90 < covered / 2000 < 0.97  # skewed samples: a little under 95%


def test_one_sample_has_no_spread() -> None:
    estimate = Estimate.of(np.array([2.0]))
    assert estimate.text() == "2.000 (one sample)"
    assert json.dumps(estimate.as_dict(), allow_nan=False)
    assert estimate.as_dict()["low"] is None


def test_no_samples_is_an_error() -> None:
    with pytest.raises(SoulreadError, match="at least one sample"):
        Estimate.of(np.array([]))


def test_units_of_limit_holdem() -> None:
    won = Estimate(-1.5, 0.1, 100)  # chips per hand; small bet and big blind are 2 chips
    assert won.scaled(Unit.SMALL_BETS.per_chip(2, 2)).mean == -0.75
    assert won.scaled(Unit.MILLIBETS.per_chip(2, 2)).mean == -750.0
    assert won.scaled(Unit.BIG_BLINDS_PER_100.per_chip(2, 2)).mean == -75.0
    assert won.scaled(-2.0).standard_error == 0.2
