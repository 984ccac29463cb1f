"""Verdicts: three answers, from intervals."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from soulread.estimate import Estimate, Sampling, Watch, chance_at_any_time
from soulread.reproduce.experiments import run_experiment
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.report import Claim, Report, needed
from soulread.reproduce.kit.verdict import (
    MOST_WRONG,
    UNKNOWN,
    Condition,
    Verdict,
    above,
    all_of,
    any_of,
    at_least,
    at_most,
    below,
    looking,
    share_above,
    within,
)
from soulread.tasks import ResultStore, Task
from soulread.words import duration

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
    for number in (5.0, Estimate(5.0, 0.0, 10)):  # many samples, all alike
        assert above(number, 5).verdict is FAILS
        assert at_least(number, 5).verdict is HOLDS
        assert below(number, 5).verdict is FAILS
        assert at_most(number, 5).verdict is HOLDS
        assert within(number, 5, 5).verdict is HOLDS


@pytest.mark.parametrize(
    "number",
    [
        None,
        math.nan,
        Estimate(9.0, math.nan, 1),
        Estimate(math.nan, 0.1, 9),
        Estimate(9.0, 0.0, 9),  # few samples, all alike: the next one may be another
        Estimate(9.0, 0.1, 20, one_match=True),  # blocks of one match of an agent that learns
    ],
)
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


# After looking --------------------------------------------------------------------------------------


def test_after_looking_more_is_asked_of_a_number() -> None:
    """What an interval just decides, a confidence sequence does not; a clear number is decided in both."""
    near, far = around(1.05, n=60), around(3.0, n=60)
    assert above(near).verdict is above(far).verdict is HOLDS
    with looking() as state:
        assert above(near).verdict is HOLDS  # nobody has looked yet
        state.why = "an earlier look"
        assert above(near).verdict is UNDECIDED
        assert above(far).verdict is below(far.scaled(-1)).verdict is HOLDS
        assert below(far).verdict is above(far.scaled(-1)).verdict is FAILS
        assert above(around(30.0, n=29)).verdict is UNDECIDED  # too few for a confidence sequence
        assert above(1.0).verdict is HOLDS  # an exact number needs no interval
    assert above(near).verdict is HOLDS


def test_the_confidence_sequence_is_that_of_a_watch() -> None:
    """The bound that a `Watch` just rules out has an error probability of 2.5% on its side."""
    samples = np.random.default_rng(2).normal(1, 2, size=200)
    watch = Watch(planned=100)
    watch.add(samples)
    found = Estimate.of(samples)
    low, high = watch.interval
    assert chance_at_any_time(found, low) == pytest.approx(MOST_WRONG)
    assert chance_at_any_time(found.scaled(-1), -high) == pytest.approx(MOST_WRONG)
    assert chance_at_any_time(found, found.mean) == 1


def test_whoever_looks_until_it_suits_is_rarely_wrong() -> None:
    """400 times 300 fair samples, looked at after every tenth: the one side is decided in 2.5% at most."""
    rng = np.random.default_rng(8)
    wrong = hits = 0
    with looking() as state:
        state.why = "a look at every tenth sample"
        for _ in range(400):
            samples = rng.normal(size=300)
            looks = range(30, 301, 10)
            wrong += any(above(Estimate.of(samples[:n])).verdict is HOLDS for n in looks)
            hits += any(share_above(samples[:n] > 0, 0.5).verdict is HOLDS for n in looks)
    assert wrong <= 400 * (0.025 + 3 * (0.025 * 0.975 / 400) ** 0.5)
    assert hits <= 400 * (0.025 + 3 * (0.025 * 0.975 / 400) ** 0.5)


@pytest.mark.parametrize(
    ("hits", "n", "bound", "expected"),
    [
        (100, 100, 0.9, HOLDS),
        (97, 100, 0.9, UNDECIDED),  # of a number fixed beforehand it holds
        (70, 100, 0.9, FAILS),
        (0, 40, 0.0, UNDECIDED),  # that nothing was hit does not prove that nothing will be
        (1, 40, 0.0, HOLDS),
        (40, 40, 1.0, UNDECIDED),
    ],
)
def test_a_share_after_looking(hits: int, n: int, bound: float, expected: Verdict) -> None:
    with looking() as state:
        state.why = "an earlier look"
        assert share_above(np.arange(n) < hits, bound).verdict is expected


def test_the_chance_of_hits_is_that_of_the_mixture() -> None:
    """Against a sum over many probabilities above the bound."""
    hits, n, bound = 60, 80, 0.6
    grid = bound + (1 - bound) * (np.arange(200_000) + 0.5) / 200_000
    likelihood = (hits * np.log(grid / bound) + (n - hits) * np.log((1 - grid) / (1 - bound))).astype(float)
    expected = 1 / np.exp(likelihood).mean()
    with looking() as state:
        state.why = "an earlier look"
        assert share_above(np.arange(n) < hits, bound).if_false == pytest.approx(expected, rel=1e-4)


def test_results_of_one_match_stay_those_of_one_match() -> None:
    won = np.random.default_rng(1).normal(1, 0.1, size=(1, 200))
    blocks = Sampling(1, 200, learning=True)
    single = blocks.estimate(won)
    ratio = blocks.ratio(won, np.ones((1, 200)))
    other = Estimate(0.0, 0.1, 9)
    made = (single, ratio, single.scaled(3), single.minus(other), other.minus(single))
    for found in (*made, Estimate.average([single, other])):
        assert found.one_match
        assert above(found, -100).verdict is UNDECIDED
    assert not Sampling(1, 200, learning=False).estimate(won).one_match
    assert not Sampling(2, 100, learning=True).estimate(won.reshape(2, 100)).one_match


# The first look at an experiment --------------------------------------------------------------------


def normal_mean(number: int) -> dict[str, float]:
    """A task: one sample."""
    return {"value": float(np.random.default_rng(number).normal(1, 1.5))}


def experiment(options: RunOptions) -> Report:
    """The mean of as many samples as matches are asked for, 40 if none are."""
    count = options.matches or 40
    found = list(options.run(Task(normal_mean, {"number": number}) for number in range(count)))
    mean = Estimate.of(np.array([result.number("value") for result in found]))
    return Report(
        "odd", "a mean", "nobody", {}, (), (Claim.judged("it is above .4", above(mean, 0.4), mean.text()),)
    )


def test_matches_added_after_a_look_are_judged_by_a_confidence_sequence(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    for number in range(60):
        task = Task(normal_mean, {"number": number})
        store.save(task, task.run(), 0.0)

    def run(**settings: Any) -> Report:
        return run_experiment(f"{__name__}:experiment", RunOptions(store=store, **settings))

    planned = run(matches=60)
    assert planned.claims[0].verdict is HOLDS
    assert not planned.notes
    other = run(matches=45)  # after a look at 60
    assert other.claims[0].verdict is UNDECIDED
    assert "an earlier report was of another number of matches (60)" in other.notes[0]
    assert run(matches=60) == planned  # the first look stays the planned one
    assert "of another number of matches (60)" in run().notes[0]
    assert not run(seed=2, matches=45).notes  # another run: it was not looked at before
    partial = run(seed=3, matches=70, stored_only=True)
    assert "parts of the run are not finished" in partial.notes[0]
    assert not run(seed=3, matches=45).notes  # a part was no planned number


def test_a_damaged_record_of_looks_is_none(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    options = RunOptions(store=store, matches=2)
    run_tasks = [Task(normal_mean, {"number": number}) for number in range(2)]
    for task in run_tasks:
        store.save(task, task.run(), 0.0)
    run_experiment(f"{__name__}:experiment", options)
    (record,) = tmp_path.glob("first-look-*.json")
    record.write_text("[")
    assert not run_experiment(f"{__name__}:experiment", options).notes


def test_what_would_decide() -> None:
    """A mean at three quarters of its half-width from the bound: 16 / 9 times as many samples, roughly."""
    condition = above(Estimate(0.75, 1 / 1.96, 1000))
    assert condition.verdict is UNDECIDED
    assert condition.n == 1000
    fixed = condition.more
    assert fixed is not None
    assert fixed == pytest.approx(16 / 9, rel=0.1)
    assert condition.with_samples(fixed).verdict is HOLDS
    assert condition.with_samples(fixed / 1.2).verdict is UNDECIDED
    fails = all_of([condition, above(Estimate(-0.3, 1 / 1.96, 40))])
    assert fails.n == 40
    assert fails.more is not None
    assert fails.with_samples(fails.more).verdict is FAILS
    near = within(Estimate(0.0, 1.0, 500), -1.0, 1.0)
    assert near.more == pytest.approx(1.96**2, rel=0.1)
    assert below(around(-5.0)).more is None  # decided
    assert above(None).more is None  # not measured
    assert above(Estimate(0.0, 1.0, 50)).more is None  # at the bound
    assert above(Estimate(1.0, float("nan"), 1)).more is None
    hits = share_above(np.arange(40) < 36, 0.8)
    assert hits.verdict is UNDECIDED
    assert hits.more is not None
    assert hits.with_samples(hits.more).verdict is HOLDS
    with looking() as state:
        state.why = "looked twice"
        sequence = above(Estimate(0.75, 1 / 1.96, 1000))
        assert sequence.more is not None
        assert sequence.more > 1.5 * fixed  # confidence sequences are wider


def test_claims_say_what_would_decide() -> None:
    claim = Claim.of_all("a wins", {"a": Estimate(0.75, 1 / 1.96, 1000)})
    assert claim.n == 1000
    assert claim.more is not None
    more = duration(3600 * (claim.more - 1))
    assert needed(claim, 3600.0) == (
        f"about n = {math.ceil(1000 * claim.more):,} would decide, {more} of CPU time more"
    )
    assert needed(Claim.of_all("a wins", {"a": 1.0}), 1.0) == ""
