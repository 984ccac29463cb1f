import json
import math

import numpy as np
import pytest

from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.estimate import BLOCKS, FIRST_LOOK, Estimate, Sampling, Unit, Watch


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
    assert json.dumps(plain_data(estimate), allow_nan=False)
    assert plain_data(estimate)["low"] is None


def test_no_samples_is_an_error() -> None:
    with pytest.raises(SoulreadError, match="at least one sample"):
        Estimate.of(np.array([]))


def test_units_of_limit_holdem() -> None:
    won = Estimate(-1.5, 0.1, 100)  # chips per hand; small bet and big blind are 2 chips
    assert won.scaled(Unit.SMALL_BETS.per_chip(2, 2)).mean == -0.75
    assert won.scaled(Unit.MILLIBETS.per_chip(2, 2)).mean == -750.0
    assert won.scaled(Unit.BIG_BLINDS_PER_100.per_chip(2, 2)).mean == -75.0
    assert won.scaled(-2.0).standard_error == 0.2


def test_the_difference_of_independent_means() -> None:
    difference = Estimate(3.0, 0.3, 50).minus(Estimate(1.0, 0.4, 20))
    assert (difference.mean, difference.n) == (2.0, 20)
    assert difference.standard_error == pytest.approx(0.5)


def learned(matches: int, hands: int, rng: np.random.Generator) -> np.ndarray:
    """Profits of an agent whose read of the opponent, good or bad, lasts for the match; 0 on average."""
    return rng.normal(size=(matches, hands)) + 0.1 * rng.normal(size=(matches, 1))


def coverage(sampling: Sampling, rounds: int = 600) -> float:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(rounds):
        low, high = sampling.estimate(learned(sampling.matches, sampling.hands, rng)).interval
        covered += low <= 0.0 <= high
    return covered / rounds


@pytest.mark.parametrize("matches", [2, 3, 9, 12])
def test_intervals_hold_the_truth_though_the_hands_of_a_match_have_much_in_common(matches: int) -> None:
    """600 rounds: three standard errors of 95% are 2.7%."""
    assert 0.92 < coverage(Sampling(matches, 300, learning=True)) < 0.98
    assert coverage(Sampling(matches, 300, learning=False)) < 0.75  # as if hands were independent


def test_blocks_of_one_match_see_what_neighbouring_hands_have_in_common() -> None:
    rng = np.random.default_rng(2)
    covered = dict.fromkeys((True, False), 0)
    for _ in range(400):
        moods = np.repeat(rng.normal(size=(1, 100)), 10, axis=1)  # each lasts for ten hands
        won = moods + rng.normal(size=(1, 1000))
        for learning in covered:
            low, high = Sampling(1, 1000, learning).estimate(won).interval
            covered[learning] += low <= 0.0 <= high
    assert covered[True] / 400 > 0.92
    assert covered[False] / 400 < 0.75


def test_without_learning_every_hand_is_a_sample() -> None:
    won = np.random.default_rng(3).normal(size=(12, 30))
    assert Sampling(12, 30, learning=False).estimate(won) == Estimate.of(won.ravel())
    assert Sampling(12, 30, learning=True).estimate(won) == Estimate.of(won.mean(axis=1))


@pytest.mark.parametrize("hands", [1, 7, 20, 50, 1000])
def test_blocks_are_whole_and_their_mean_is_that_of_the_match(hands: int) -> None:
    won = np.random.default_rng(hands).normal(size=(1, hands))
    found = Sampling(1, hands, learning=True).estimate(won)
    assert found.n == min(BLOCKS, hands)
    assert found.mean == pytest.approx(won.mean())
    if hands % BLOCKS == 0:
        blocks = won.reshape(BLOCKS, -1).mean(axis=1)
        assert found.standard_error == pytest.approx(blocks.std(ddof=1) / math.sqrt(BLOCKS))


@pytest.mark.parametrize(
    ("sampling", "text"),
    [
        (Sampling(1, 10_000, learning=False, duplicate=True), "10,000 duplicate hands"),
        (Sampling(3, 2_000, learning=False), "6,000 hands"),
        (Sampling(3, 2_000, learning=True, duplicate=True), "3 matches"),
        (
            Sampling(1, 3_000, learning=True),
            "20 blocks of 150 hands of one match; another match may differ more",
        ),
        (
            Sampling(1, 1_010, learning=True, duplicate=True),
            "20 blocks of 50 or 51 duplicate hands of one match; another match may differ more",
        ),
        (Sampling(1, 4, learning=True), "4 hands of one match; another match may differ more"),
    ],
)
def test_what_the_samples_are_is_said(sampling: Sampling, text: str) -> None:
    assert sampling.text == text


def test_amounts_of_another_shape_are_refused() -> None:
    with pytest.raises(SoulreadError, match=r"amounts of shape \(2, 5\); expected \(2, 6\)"):
        Sampling(2, 6, learning=True).estimate(np.zeros((2, 5)))


# Means that are watched.


def naive_half_width(samples, planned):
    tail = 2 * math.log(20)
    r = (tail + math.log(tail) + 1) / planned
    n, deviation = len(samples), np.std(samples, ddof=1)
    return deviation * math.sqrt(2 * (n * r + 1) / (n * n * r) * math.log(20 * math.sqrt(n * r + 1)))


def test_a_watch_knows_mean_and_spread_of_all_samples_so_far():
    samples = np.random.default_rng(0).exponential(size=500)
    watch = Watch(planned=200)
    for part in np.split(samples, [1, 7, 29]):
        assert watch.half_width == math.inf
        watch.add(part)
    watch.add(np.empty(0))
    assert watch.n == 500
    assert watch.mean == pytest.approx(samples.mean())
    assert watch.half_width == pytest.approx(naive_half_width(samples, 200))
    assert watch.interval == (watch.mean - watch.half_width, watch.mean + watch.half_width)
    with pytest.raises(SoulreadError, match="at least 1"):
        Watch(planned=0)


@pytest.mark.parametrize("kind", ["normal", "blocks of skewed hands"])
def test_whoever_stops_when_it_suits_is_wrong_in_five_percent_at_most(kind):
    """Each run looks after every sample up to 2,000, for an interval that leaves the true mean, zero, out."""
    rng, runs, most = np.random.default_rng(1), 1500, 2000
    fixed = wrong = 0
    n = np.arange(FIRST_LOOK, most + 1)
    r = (2 * math.log(20) + math.log(2 * math.log(20)) + 1) / 100
    factor = np.sqrt(2 * (n * r + 1) / (n * n * r) * np.log(20 * np.sqrt(n * r + 1)))
    for run in range(runs):
        if kind == "normal":
            samples = rng.normal(size=most)
        else:  # means of 100 hands that win 19 in one case of twenty, else lose 1
            samples = rng.binomial(100, 0.05, size=most) / 5 - 1.0
        total, squares = np.cumsum(samples)[FIRST_LOOK - 1 :], np.cumsum(samples**2)[FIRST_LOOK - 1 :]
        deviation = np.sqrt((squares - total**2 / n) / (n - 1))
        if run == 0:
            watch = Watch(planned=100)
            watch.add(samples)
            assert watch.half_width == pytest.approx(deviation[-1] * factor[-1])
        wrong += bool((np.abs(total / n) > deviation * factor).any())
        fixed += bool((np.abs(total / n) > 1.96 * deviation / np.sqrt(n)).any())
    assert wrong <= 0.05 * runs
    assert fixed > 0.3 * runs  # what ordinary intervals do to those who keep looking
