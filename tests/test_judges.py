"""Every judge of every claim, on numbers that were made up: one case for each verdict, and traps.

A judge is a function of `soulread.reproduce` that returns a `Claim`. All of them can say "undecided", also
those on exact curves: with several data sets by the spread of these, with one only if it is not finished.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from soulread.estimate import Estimate
from soulread.reproduce.ganzfried_2011 import dbbr, winrate
from soulread.reproduce.ganzfried_2011 import variants as dbbr_variants
from soulread.reproduce.johanson_2009 import claims as robust
from soulread.reproduce.johanson_2009.curves import (
    CONFIDENCES,
    LINEAR,
    ONE_STEP,
    SELF_PLAY,
    DataSet,
    ResponseCurve,
    RobustSetup,
    Watched,
)
from soulread.reproduce.kit import limit_table
from soulread.reproduce.kit.report import Claim
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.ours import zoo_claims as zoo
from soulread.reproduce.tansey_2013 import learner_claims as leduc_exploiters
from soulread.reproduce.tansey_2013.learner_matches import PAPER
from soulread.reproduce.tansey_2013.matches import OPPONENTS

HOLDS, FAILS, UNDECIDED = Verdict.HOLDS, Verdict.FAILS, Verdict.UNDECIDED
Case = tuple[str, Verdict, Callable[[], Claim]]


def around(mean: float, half: float, n: int = 10) -> Estimate:
    """An estimate whose 95% interval is the mean plus and minus ``half``."""
    return Estimate(mean, half / Estimate(0.0, 1.0, n).half_width, n)


# DBBR in limit hold'em: small bets per hand


def ahead(*differences: Estimate | None) -> Claim:
    return limit_table.ahead("more", {str(i): difference for i, difference in enumerate(differences)})


def doubles(*cells: tuple[Estimate | None, Estimate | None]) -> Claim:
    equilibrium = {str(i): base for i, (base, _) in enumerate(cells)}
    return dbbr.doubles(equilibrium, {str(i): more for i, (_, more) in enumerate(cells)})


def reaches(ours: Estimate | None) -> Claim:
    return dbbr.reaches("random", ours, (1.769, 0.03), "because")


def near_ceiling(*won: Estimate | None) -> Claim:
    return dbbr.near_ceiling(
        "ours", {str(i): cell for i, cell in enumerate(won)}, {str(i): around(2.5, 0.02) for i in range(9)}
    )


START, HANDS = 400, 1200


def played(*rates: float, noise: float, matches: int = 12, opening: float = 0.6) -> np.ndarray:
    """Small bets ``[matches, hands]``: the opening's rate, then these rates in equal parts."""
    parts = np.array_split(np.arange(START, HANDS), len(rates))
    means = np.full(HANDS, opening)
    for part, rate in zip(parts, rates, strict=True):
        means[part] = rate
    return means + np.random.default_rng(3).normal(0, noise, (matches, HANDS))


RAMP = tuple(np.linspace(0.75, 0.60, 80).tolist())  # its R² is 0.996 in a profit of 800 hands
DIP = np.concatenate([np.full(START, 0.4), np.full(300, -0.5), np.full(HANDS - START - 300, 2.0)])


def shaped(shape: np.ndarray, noise: float, matches: int = 12) -> np.ndarray:
    return shape + np.random.default_rng(4).normal(0, noise, (matches, HANDS))


LIMIT: list[Case] = [
    ("ahead", HOLDS, lambda: ahead(around(1.0, 0.5), around(0.6, 0.5))),
    ("ahead", FAILS, lambda: ahead(around(1.0, 0.5), around(-1.0, 0.3))),
    ("ahead", UNDECIDED, lambda: ahead(around(1.0, 0.5), around(0.4, 0.5))),
    ("ahead", UNDECIDED, lambda: ahead(around(1.0, 0.5), None)),
]
DBBR: list[Case] = [
    ("doubles", HOLDS, lambda: doubles((around(0.4, 0.1), around(0.5, 0.2)), (around(0.4, 0.1), None))),
    ("doubles", FAILS, lambda: doubles(*[(around(0.4, 0.1), around(-0.5, 0.2))] * 3)),
    ("doubles", FAILS, lambda: doubles((around(-0.4, 0.1), around(2.0, 0.1)))),  # twice of less than nothing
    ("doubles", UNDECIDED, lambda: doubles((around(0.4, 0.1), around(0.1, 0.2)))),  # its mean is above twice
    ("reaches", HOLDS, lambda: reaches(around(2.0, 0.1))),
    ("reaches", FAILS, lambda: reaches(around(1.5, 0.1))),
    ("reaches", UNDECIDED, lambda: reaches(around(1.8, 0.1))),  # its mean is above
    ("reaches", UNDECIDED, lambda: reaches(around(1.83, 0.01))),  # the published rate has an error too
    ("reaches", UNDECIDED, lambda: reaches(None)),
    ("near_ceiling", HOLDS, lambda: near_ceiling(around(2.4, 0.1), around(2.2, 0.1))),
    ("near_ceiling", FAILS, lambda: near_ceiling(around(2.4, 0.1), around(1.9, 0.05))),  # 76%
    ("near_ceiling", UNDECIDED, lambda: near_ceiling(around(2.4, 0.1), around(2.05, 0.1))),
    ("near_ceiling", UNDECIDED, lambda: near_ceiling(around(2.4, 0.1), None)),
]
WINRATE: list[Case] = [
    ("grows_linearly", HOLDS, lambda: winrate.grows_linearly(played(0.75, noise=0.02), START)),
    ("grows_linearly", HOLDS, lambda: winrate.grows_linearly(played(0.75, noise=0.0), START)),
    (
        "grows_linearly",
        UNDECIDED,
        lambda: winrate.grows_linearly(played(0.75, noise=0.0, matches=9), START),
    ),  # all alike
    ("grows_linearly", UNDECIDED, lambda: winrate.grows_linearly(played(0.75, noise=0.02, matches=1), START)),
    ("grows_linearly", FAILS, lambda: winrate.grows_linearly(played(*RAMP, noise=0.02), START)),
    ("grows_linearly", FAILS, lambda: winrate.grows_linearly(played(0.8, 0.7, 0.7, 0.8, noise=0.02), START)),
    ("grows_linearly", FAILS, lambda: winrate.grows_linearly(played(0.7, 0.8, 0.7, 0.6, noise=0.02), START)),
    (
        "grows_linearly",
        FAILS,
        lambda: winrate.grows_linearly(played(0.6, 0.75, 0.75, 0.75, noise=0.02), START),
    ),
    ("grows_linearly", FAILS, lambda: winrate.grows_linearly(played(-0.75, noise=0.02), START)),
    ("grows_linearly", UNDECIDED, lambda: winrate.grows_linearly(played(0.75, noise=2.0), START)),
    ("flattens", HOLDS, lambda: winrate.flattens(played(0.75, noise=0.02), START)),
    ("flattens", UNDECIDED, lambda: winrate.flattens(played(0.75, noise=0.02, matches=1), START)),
    ("flattens", FAILS, lambda: winrate.flattens(played(0.45, noise=0.02), START)),
    ("flattens", FAILS, lambda: winrate.flattens(played(0.61, 1.2, noise=0.02), START)),  # ever more steeply
    ("flattens", UNDECIDED, lambda: winrate.flattens(played(0.75, noise=8.0), START)),
    ("dips", HOLDS, lambda: winrate.dips("DBBR-WS", "station", around(1.0, 0.1), around(-0.5, 0.1))),
    ("dips", FAILS, lambda: winrate.dips("DBBR-WS", "station", around(1.0, 0.1), around(0.5, 0.1))),
    ("dips", UNDECIDED, lambda: winrate.dips("DBBR-WS", "station", around(1.0, 0.1), around(-0.05, 0.1))),
    ("recovers", HOLDS, lambda: winrate.recovers("DBBR-WS", "station", around(1.0, 0.1), around(0.5, 0.1))),
    ("recovers", FAILS, lambda: winrate.recovers("DBBR-WS", "station", around(1.0, 0.1), around(-0.5, 0.1))),
    (
        "recovers",
        UNDECIDED,
        lambda: winrate.recovers("DBBR-WS", "station", around(1.0, 0.1), around(0.05, 0.1)),
    ),
]

# DBBR against an equilibrium: mb/g

VARIANTS: list[Case] = [
    ("loses", HOLDS, lambda: dbbr_variants.loses("WS", "limit", around(-100, 15))),
    ("loses", FAILS, lambda: dbbr_variants.loses("WS", "limit", around(100, 15))),
    ("loses", UNDECIDED, lambda: dbbr_variants.loses("WS", "limit", around(-10, 15))),
    ("saves", HOLDS, lambda: dbbr_variants.saves("WS", "limit", around(-1, 12), around(99, 20))),
    ("saves", FAILS, lambda: dbbr_variants.saves("WS", "limit", around(-200, 12), around(-99, 20))),
    ("saves", UNDECIDED, lambda: dbbr_variants.saves("WS", "limit", around(-1, 12), around(19, 20))),
]

# Learners in Leduc: chips per hand


def kinds(first: Estimate | None, *others: Estimate | None) -> dict[str, Estimate | None]:
    """The first number against simple opponents; the others, or the first again, against the other kinds."""
    numbers = (first, *others, *[first] * 3)
    return dict(zip(OPPONENTS, numbers, strict=False))


def lead(*numbers: Estimate | None) -> Claim:
    """Implicit modelling is well ahead of four learners, and of one by these numbers."""
    leads = {name: kinds(around(0.1, 0.02)) for name in PAPER[1:]}
    return leduc_exploiters.ahead(200, {**leads, "explicit": kinds(*numbers)})


def portfolios(simple: int, complex_: int, n: int = 1000) -> dict[str, np.ndarray]:
    """Gains of portfolios, of which so many are small."""
    return {
        kind: np.where(np.arange(n) < small, 0.001, 0.05)
        for kind, small in (("simple", simple), ("complex", complex_))
    }


BARS = {"simple": 0.03, "complex": 0.008}


def ours(simple: Estimate | None, complex_: Estimate) -> Claim:
    return leduc_exploiters.our_gain(200, {"simple": simple, "complex": complex_}, BARS)


def against_equilibrium(means: Sequence[float], noise: float) -> Claim:
    values = np.array(means) + np.random.default_rng(1).normal(0, noise, (20, len(means)))
    return leduc_exploiters.our_loss(values)


learn = leduc_exploiters
LEDUC: list[Case] = [
    ("ahead", HOLDS, lambda: lead(around(0.05, 0.02))),
    ("ahead", FAILS, lambda: lead(around(0.05, 0.02), around(-0.05, 0.02))),
    ("ahead", UNDECIDED, lambda: lead(around(0.05, 0.02), around(0.01, 0.02))),  # ahead of all in the mean
    ("ahead", UNDECIDED, lambda: lead(None)),
    ("faster", HOLDS, lambda: learn.faster(50, kinds(around(0.05, 0.02)))),
    ("faster", FAILS, lambda: learn.faster(50, kinds(around(0.05, 0.02), around(-0.05, 0.02)))),
    ("faster", UNDECIDED, lambda: learn.faster(50, kinds(around(0.05, 0.02), around(0.01, 0.02)))),
    ("nearly_as_good", HOLDS, lambda: learn.nearly_as_good(200, kinds(around(-0.01, 0.005)))),
    ("nearly_as_good", HOLDS, lambda: learn.nearly_as_good(200, kinds(around(0.5, 0.1)))),  # even better
    ("nearly_as_good", FAILS, lambda: learn.nearly_as_good(200, kinds(around(-0.05, 0.01)))),
    ("nearly_as_good", UNDECIDED, lambda: learn.nearly_as_good(200, kinds(around(-0.01, 0.02)))),
    ("alike", HOLDS, lambda: learn.alike(200, kinds(around(0.003, 0.005)))),
    ("alike", FAILS, lambda: learn.alike(200, kinds(around(0.03, 0.01)))),
    ("alike", FAILS, lambda: learn.alike(200, kinds(around(-0.03, 0.01)))),
    ("alike", UNDECIDED, lambda: learn.alike(200, kinds(around(0.005, 0.014)))),
    ("no_better", HOLDS, lambda: learn.no_better(200, kinds(around(-0.01, 0.01)))),
    ("no_better", FAILS, lambda: learn.no_better(200, kinds(around(0.03, 0.01)))),
    ("no_better", UNDECIDED, lambda: learn.no_better(200, kinds(around(0.03, 0.04)))),
    ("poor", HOLDS, lambda: learn.poor(200, kinds(around(-0.64, 0.03)))),
    ("poor", FAILS, lambda: learn.poor(200, kinds(around(-0.64, 0.03), around(-0.2, 0.03)))),
    ("poor", UNDECIDED, lambda: learn.poor(200, kinds(around(-0.64, 0.03), around(-0.52, 0.03)))),
    ("small_gains", HOLDS, lambda: learn.small_gains(portfolios(950, 940))),
    ("small_gains", FAILS, lambda: learn.small_gains(portfolios(950, 500))),
    ("small_gains", UNDECIDED, lambda: learn.small_gains(portfolios(950, 905))),
    ("small_gains", UNDECIDED, lambda: learn.small_gains(portfolios(9, 9, n=9))),  # nine of nine are few
    ("small_gains", UNDECIDED, lambda: learn.small_gains({})),
    ("our_gain", HOLDS, lambda: ours(around(0.076, 0.015), around(0.054, 0.011))),
    ("our_gain", FAILS, lambda: ours(around(0.010, 0.015), around(0.054, 0.011))),
    ("our_gain", UNDECIDED, lambda: ours(around(0.040, 0.015), around(0.054, 0.011))),
    ("our_gain", UNDECIDED, lambda: ours(None, around(0.054, 0.011))),
    ("our_loss", HOLDS, lambda: against_equilibrium([0.0, -0.01, -0.005], 0.005)),
    ("our_loss", FAILS, lambda: against_equilibrium([0.0, -0.05, -0.005], 0.005)),  # at its worst
    ("our_loss", UNDECIDED, lambda: against_equilibrium([0.0, -0.015, -0.005], 0.05)),
    ("our_loss", UNDECIDED, lambda: learn.our_loss(None)),
    ("discounting", HOLDS, lambda: learn.discounting("implicit", kinds(around(0.19, 0.03)))),
    ("discounting", FAILS, lambda: learn.discounting("learner", kinds(around(-0.19, 0.03)))),
    ("discounting", UNDECIDED, lambda: learn.discounting("explicit", kinds(around(0.02, 0.03)))),
]

# Curves of robust responses: mb/g at growing trust

PS = 0.0, 0.5, 0.9, 1.0
SETUP = RobustSetup("leduc", (100, 1000, 5000), 5000, PS, precision=1.0, iterations=3000, seed=3)


def line(
    orange: Sequence[float], model: Sequence[float] = (), risk: Sequence[float] = (1, 2, 3, 400)
) -> ResponseCurve:
    """A made-up curve."""
    zeros = (0.0,) * len(PS)
    return ResponseCurve(PS, tuple(model or orange), tuple(orange), tuple(risk), zeros, zeros)


GOOD = line((3, 6, 8, 8.5))
FLAT = line((3, 3, 3, 3))
BAD = line((3, -5, -40, -90), risk=(1, 100, 400, 1000))
OVERFIT = line((3, 6, 5, -20), model=(5, 10, 30, 80))
LOSING = line((3, 2.1, 2.1, 2.1))  # .9 less at every P_max


def noisy(lines: Mapping[Watched, ResponseCurve], by: float, count: int = 5) -> list[DataSet]:
    """Data sets in which all but the equilibrium differ by so much."""
    rng = np.random.default_rng(2)

    def moved(values: tuple[float, ...]) -> tuple[float, ...]:
        return (values[0], *(np.array(values[1:]) + rng.normal(0, by, len(values) - 1)).tolist())

    return [
        {
            family: ResponseCurve(
                made.ps,
                moved(made.against_model),
                moved(made.against_orange),
                moved(made.exploitability),
                *(made.gap, made.iterations),
            )
            for family, made in lines.items()
        }
        for _ in range(count)
    ]


RED, SELFISH = SETUP.rnr(), SETUP.rnr(SELF_PLAY)
FEW = [SETUP.rnr(games=games) for games in (100, 1000)]
WISE = {SETUP.dbr(method): GOOD for method in CONFIDENCES} | {SETUP.dbr(ONE_STEP): OVERFIT}


def harmless(made: ResponseCurve) -> dict[Watched, ResponseCurve]:
    return {SETUP.dbr(games=games): made for games in (100, 1000)} | dict.fromkeys(FEW, BAD)


def curves(name: str, verdict: Verdict, lines: Mapping[Watched, ResponseCurve]) -> list[Case]:
    """Cases of one data set, and of five with little spread."""
    judge: Callable[[RobustSetup, Sequence[DataSet]], Claim] = getattr(robust, name)
    return [
        (name, verdict, lambda: judge(SETUP, [lines])),
        (name, verdict, lambda: judge(SETUP, noisy(lines, 0.05))),
    ]


def spread(name: str, lines: Mapping[Watched, ResponseCurve], by: float) -> list[Case]:
    """A case of five data sets that say too different things, and one that is not finished."""
    judge: Callable[[RobustSetup, Sequence[DataSet]], Claim] = getattr(robust, name)
    part = dict(list(lines.items())[1:])
    return [
        (name, UNDECIDED, lambda: judge(SETUP, noisy(lines, by))),
        (name, UNDECIDED, lambda: judge(SETUP, [part])),
        (name, UNDECIDED, lambda: judge(SETUP, [])),
    ]


LINEAR_SELFISH = SETUP.dbr(source=SELF_PLAY)
ROBUST: list[Case] = [
    *curves("overfits", HOLDS, {RED: OVERFIT}),
    *curves("overfits", FAILS, {RED: GOOD}),
    *curves("overfits", FAILS, {RED: line((3, 6, 5, -20), model=(5, 40, 30, 80))}),  # falls on the model too
    *curves("overfits", FAILS, {RED: line((3, 6, 5, -20), model=(5, 5, 5, 5))}),
    *spread("overfits", {RED: OVERFIT}, 30),
    *curves("needs_many", HOLDS, dict.fromkeys(FEW, BAD)),
    *curves("needs_many", FAILS, {FEW[0]: BAD, FEW[1]: OVERFIT}),  # it gains at p = 0.5
    *curves("needs_many", FAILS, {FEW[0]: BAD, FEW[1]: FLAT}),  # it is as good
    *spread("needs_many", dict.fromkeys(FEW, BAD), 60),
    *curves("needs_probe", HOLDS, {SELFISH: BAD, RED: GOOD}),
    *curves("needs_probe", FAILS, {SELFISH: GOOD, RED: GOOD}),
    *curves("needs_probe", FAILS, {SELFISH: BAD, RED: BAD}),  # games with Probe are as useless
    *curves("needs_probe", FAILS, {SELFISH: BAD, RED: FLAT}),
    *spread("needs_probe", {SELFISH: BAD, RED: GOOD}, 30),
    *curves("trusts_wisely", HOLDS, WISE),
    *curves("trusts_wisely", FAILS, {**WISE, SETUP.dbr(ONE_STEP): GOOD}),
    *curves("trusts_wisely", FAILS, {**WISE, SETUP.dbr(LINEAR): OVERFIT}),
    *spread("trusts_wisely", WISE, 30),
    *curves("does_no_harm", HOLDS, harmless(GOOD)),
    *curves("does_no_harm", HOLDS, harmless(FLAT)),
    *curves("does_no_harm", FAILS, harmless(LOSING)),
    *curves("does_no_harm", FAILS, harmless(OVERFIT)),
    *curves("does_no_harm", FAILS, harmless(line((3, 6, 8, 8.5), risk=(1, 50, 90, 400)))),
    *spread("does_no_harm", harmless(GOOD), 30),
    *curves("gains_from_self_play", HOLDS, {LINEAR_SELFISH: GOOD, SETUP.dbr(): GOOD}),
    *curves("gains_from_self_play", FAILS, {LINEAR_SELFISH: FLAT, SETUP.dbr(): GOOD}),
    *curves("gains_from_self_play", FAILS, {LINEAR_SELFISH: LOSING, SETUP.dbr(): GOOD}),
    *spread("gains_from_self_play", {LINEAR_SELFISH: GOOD, SETUP.dbr(): GOOD}, 30),
]

# The zoo: mb/g


def named(*numbers: Estimate | None) -> dict[str, Estimate | None]:
    return {f"opponent {i}": number for i, number in enumerate(numbers)}


def keeps_up(gain: float, theirs: float, half: float) -> Claim:
    excess = around(gain - 0.7 * theirs, half)
    return zoo.keeps_up("dbbr", around(gain, half), around(theirs, half), excess)


def learns_faster(now: float, before: float, half: float) -> Claim:
    excess = named(around(now - 1.5 * before, half))
    return zoo.learns_faster("former", 100, excess, named(around(now, half)), named(around(before, half)))


ZOO: list[Case] = [
    ("gains_on_average", HOLDS, lambda: zoo.gains_on_average(named(around(20, 5), around(-2, 5)))),
    ("gains_on_average", FAILS, lambda: zoo.gains_on_average(named(around(2, 5), around(-20, 5)))),
    ("gains_on_average", UNDECIDED, lambda: zoo.gains_on_average(named(around(2, 50), around(3, 5)))),
    ("gains_on_average", UNDECIDED, lambda: zoo.gains_on_average(named(None))),
    ("keeps_up", HOLDS, lambda: keeps_up(80, 100, 5)),
    ("keeps_up", FAILS, lambda: keeps_up(60, 100, 5)),
    ("keeps_up", UNDECIDED, lambda: keeps_up(80, 100, 15)),  # its mean is above 70%
    ("keeps_up", UNDECIDED, lambda: zoo.keeps_up("dbbr", None, None, None)),
    ("does_no_harm", HOLDS, lambda: zoo.does_no_harm(named(around(100, 50), around(-5, 14)))),
    ("does_no_harm", FAILS, lambda: zoo.does_no_harm(named(around(100, 50), around(-45, 14)))),
    ("does_no_harm", UNDECIDED, lambda: zoo.does_no_harm(named(around(100, 50), around(-5, 16)))),
    ("does_no_harm", UNDECIDED, lambda: zoo.does_no_harm(named(around(100, 50), None))),
    # one of forty intervals is just below by chance
    (
        "does_no_harm",
        UNDECIDED,
        lambda: zoo.does_no_harm(named(*[around(0, 5)] * 39, around(-26, 5))),
    ),
    ("spares_equilibria", HOLDS, lambda: zoo.spares_equilibria(named(around(-4, 5), around(0, 1)), 100)),
    ("spares_equilibria", FAILS, lambda: zoo.spares_equilibria(named(around(-19, 5), around(0, 1)), 100)),
    ("spares_equilibria", UNDECIDED, lambda: zoo.spares_equilibria(named(around(-6, 5)), 100)),
    ("stays_within", HOLDS, lambda: zoo.stays_within(50, named(around(-30, 15), around(90, 100)))),
    ("stays_within", FAILS, lambda: zoo.stays_within(50, named(around(-90, 15), around(90, 100)))),
    ("stays_within", UNDECIDED, lambda: zoo.stays_within(50, named(around(-30, 25)))),
    ("stays_within", UNDECIDED, lambda: zoo.stays_within(50, named(around(-30, 15), None))),
    ("keeps_promises", HOLDS, lambda: zoo.keeps_promises(named(around(-10, 20), around(5, 30)))),
    ("keeps_promises", FAILS, lambda: zoo.keeps_promises(named(around(-60, 20), around(5, 30)))),
    ("keeps_promises", FAILS, lambda: zoo.keeps_promises(named(around(30, 5)))),  # more than promised
    # an interval that contains zero does not speak against a promise; `promises_closely` says more of it
    ("keeps_promises", HOLDS, lambda: zoo.keeps_promises(named(around(-10, 90), around(5, 30)))),
    # beyond its own interval, but not beyond that of two
    ("keeps_promises", UNDECIDED, lambda: zoo.keeps_promises(named(around(-21, 20), around(5, 30)))),
    ("keeps_promises", UNDECIDED, lambda: zoo.keeps_promises({})),
    ("promises_closely", HOLDS, lambda: zoo.promises_closely(named(around(-10, 10), around(5, 15)))),
    ("promises_closely", FAILS, lambda: zoo.promises_closely(named(around(-60, 20), around(5, 15)))),
    ("promises_closely", UNDECIDED, lambda: zoo.promises_closely(named(around(-10, 90), around(5, 15)))),
    ("harms_in_no_family", HOLDS, lambda: zoo.harms_in_no_family(named(around(90, 50), around(-5, 10)))),
    ("harms_in_no_family", FAILS, lambda: zoo.harms_in_no_family(named(around(90, 50), around(-45, 10)))),
    ("harms_in_no_family", UNDECIDED, lambda: zoo.harms_in_no_family(named(around(-5, 30)))),
    ("learns_faster", HOLDS, lambda: learns_faster(160, 100, 4)),
    ("learns_faster", FAILS, lambda: learns_faster(140, 100, 4)),
    ("learns_faster", UNDECIDED, lambda: learns_faster(155, 100, 30)),  # its mean is above 1.5 times
    ("learns_faster", UNDECIDED, lambda: zoo.learns_faster("former", 100, {}, {}, {})),
]

CASES = {
    limit_table: LIMIT,
    dbbr: DBBR,
    winrate: WINRATE,
    dbbr_variants: VARIANTS,
    leduc_exploiters: LEDUC,
    robust: ROBUST,
    zoo: ZOO,
}


def name_of(module: Any) -> str:
    return str(module.__name__).rpartition(".")[2]


@pytest.mark.parametrize(
    ("expected", "judge"),
    [
        pytest.param(verdict, judge, id=f"{name_of(module)}-{name}-{verdict}-{i}")
        for module, cases in CASES.items()
        for i, (name, verdict, judge) in enumerate(cases)
    ],
)
def test_the_judge_says_what_the_numbers_say(expected: Verdict, judge: Callable[[], Claim]) -> None:
    claim = judge()
    assert claim.verdict is expected, claim.evidence
    assert claim.text
    assert claim.evidence
    assert not claim.explanation or expected is FAILS


@pytest.mark.parametrize("module", CASES, ids=name_of)
def test_every_judge_has_a_case_for_every_verdict(module: Any) -> None:
    judges = {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and inspect.signature(function).return_annotation is Claim
        and name != "judge"  # it only adds to the evidence of another judge
    }
    tried = {(name, verdict) for name, verdict, _ in CASES[module]}
    assert tried == {(name, verdict) for name in judges for verdict in Verdict}
