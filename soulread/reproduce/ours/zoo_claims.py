"""Our aims for soul against the zoo, as claims on numbers in mb/g."""

from collections.abc import Mapping
from functools import partial

from soulread.estimate import Estimate, Unit
from soulread.reproduce.kit.means import average
from soulread.reproduce.kit.report import Claim, listed, worded
from soulread.reproduce.kit.verdict import MOST_WRONG, Condition, Number, above, at_least, below, within

MILLIBETS = Unit.MILLIBETS.value
LEAST_SHARE = 0.7  # of the best dbbr's gain on bent equilibria
MOST_HARM = 20.0  # mb/g below the equilibrium against any opponent
MOST_LOST = 10.0  # mb/g below the equilibrium against another equilibrium
NEAR = 25.0  # mb/g: a promise may be off by so much
TIMES = 1.5  # as much as a former version

Estimates = Mapping[str, Estimate | None]


def gains_on_average(families: Estimates) -> Claim:
    """Claim that soul gains over the equilibrium in the mean over the families, whose gains are in mb/g."""
    mean = average(families.values())
    return Claim.judged(
        "soul wins more than the equilibrium, as a mean over the families",
        above(mean),
        f"{worded(mean, 1)} {MILLIBETS}; {_listed(families)}",
    )


def keeps_up(rival: str, gain: Estimate | None, theirs: Estimate | None, excess: Estimate | None) -> Claim:
    """Claim that soul has 70% of a rival's gain on bent equilibria; ``excess`` is what it has beyond that.

    All in mb/g, as means over the family.
    """
    share = ""
    if gain is not None and theirs is not None and theirs.mean > 0:
        share = f", {gain.mean / theirs.mean:.0%}"
    beyond = f"beyond {LEAST_SHARE:.0%} {worded(excess, 1)} {MILLIBETS}"
    return Claim.judged(
        f"On bent equilibria soul gains at least {LEAST_SHARE:.0%} of what the best dbbr does ({rival})",
        at_least(excess),
        f"{worded(gain, 1)} of {worded(theirs, 1)}{share}; {beyond}",
    )


def does_no_harm(gains: Estimates) -> Claim:
    """Claim that against no opponent soul wins 20 mb/g less than the equilibrium; gains in mb/g.

    The end of each interval that is worst for soul must be above that.
    """
    text = f"Against no opponent is soul more than {MOST_HARM:.0f} {MILLIBETS} below the equilibrium"
    return Claim.of_all(text, gains, partial(at_least, bound=-MOST_HARM), _lowest(gains, -MOST_HARM))


def harms_in_no_family(gains: Estimates) -> Claim:
    """Claim that in no family soul wins 20 mb/g less than the equilibrium, in the mean; gains in mb/g."""
    text = f"In the mean of no family is soul more than {MOST_HARM:.0f} {MILLIBETS} below the equilibrium"
    return Claim.of_all(text, gains, partial(at_least, bound=-MOST_HARM), _lowest(gains, -MOST_HARM))


def spares_equilibria(gains: Estimates, hands: int) -> Claim:
    """Claim that soul loses at most 10 mb/g by its reads of other equilibria, at any time of the match.

    ``gains`` are those over its own equilibrium in every ``hands`` hands on end, in mb/g. Its own equilibrium
    loses nothing to another one of the same game.
    """
    text = (
        f"Reading other equilibria costs soul at most {MOST_LOST:.0f} {MILLIBETS} at any time of the match, "
        f"in every {hands} hands on end"
    )
    return Claim.of_all(text, gains, partial(at_least, bound=-MOST_LOST), _lowest(gains, -MOST_LOST))


def stays_within(budget: float, won: Estimates) -> Claim:
    """Claim that no deceiver wins more than the budget after its strike; what soul won, in mb/g."""
    text = f"After their strike deceivers win at most the budget of {budget:.0f} {MILLIBETS} from soul"
    return Claim.of_all(text, won, partial(at_least, bound=-budget), _lowest(won, -budget))


def keeps_promises(differences: Mapping[str, Number]) -> Claim:
    """Claim that no interval of won less promised speaks against the promise by more than 25 mb/g.

    In every family and tenth of the match the interval must contain zero or lie within 25 mb/g. A wide
    interval contains zero easily; `promises_closely` asks for more.
    """
    text = (
        f"In every family and tenth of the match the interval of won less promised contains 0 or lies within "
        f"{NEAR:.0f} {MILLIBETS}"
    )
    return Claim.of_all(text, differences, _not_against, _promised(differences))


def promises_closely(differences: Mapping[str, Number]) -> Claim:
    """Claim that won less promised lies within 25 mb/g with the whole interval, which no noise can pass."""
    text = (
        f"In every family and tenth of the match won less promised lies within {NEAR:.0f} {MILLIBETS}, with "
        "the whole interval"
    )
    condition = partial(within, low=-NEAR, high=NEAR)
    return Claim.of_all(text, differences, condition, _promised(differences))


def learns_faster(former: str, after: int, excess: Estimates, now: Estimates, before: Estimates) -> Claim:
    """Claim that soul gains 1.5 times as much after so many hands as a former version did.

    ``excess`` is by family the gain less 1.5 times the former one's, ``now`` and ``before`` are both gains;
    mb/g, as means over the families.
    """
    beyond, mine, theirs = (average(part.values()) for part in (excess, now, before))
    times = ""
    if mine is not None and theirs is not None and theirs.mean > 0:
        times = f", {mine.mean / theirs.mean:.2f} times"
    return Claim.judged(
        f"After {after:,} hands soul gains at least {TIMES} times as much as {former!r}, as a mean over the "
        "families",
        at_least(beyond),
        f"{worded(mine, 1)} and {worded(theirs, 1)} {MILLIBETS}{times}; beyond {TIMES} times "
        f"{worded(beyond, 1)}; {_listed(excess)}",
    )


def meets(number: Number) -> bool:
    """Whether an interval contains zero or lies within 25 mb/g; one sample or none does not."""
    if isinstance(number, Estimate):
        low, high = number.interval
        return number.n > 1 and (low <= 0 <= high or max(-low, high) <= NEAR)
    return number is not None and abs(number) <= NEAR


def _not_against(number: Number) -> Condition:
    """`meets` as a condition: it fails if zero is left out beyond chance, and 25 mb/g are exceeded."""
    n = number.n if isinstance(number, Estimate) else None
    if meets(number):
        return Condition(0.0, 1.0, n)
    return Condition(1.0, min(above(number).if_false, below(number).if_false), n)


def _promised(differences: Mapping[str, Number]) -> str:
    known = {name: x for name, x in differences.items() if isinstance(x, Estimate) and x.n > 1}
    if not known:
        return "no promise is known with an interval"
    met = sum(map(meets, known.values()))
    inside = sum(within(x, -NEAR, NEAR).if_false <= MOST_WRONG for x in known.values())
    worst = max(known, key=lambda name: abs(known[name].mean))
    wide = sorted(x.half_width for x in known.values())[len(known) // 2]
    return (
        f"of {len(differences)}, {met} contain 0 or lie within {NEAR:.0f}, {inside} lie within it; half of "
        f"the intervals are wider than ± {wide:.0f}; the furthest: {worst} "
        f"{worded(known[worst], 1, MILLIBETS)}"
    )


def _listed(numbers: Mapping[str, Number]) -> str:
    return listed(numbers, 1, "not measured") or "not measured"


def _lowest(numbers: Estimates, bound: float) -> str:
    """A sentence that counts the intervals on either side of a bound and names the lowest mean."""
    known = {name: number for name, number in numbers.items() if number is not None}
    if not known:
        return "not measured"
    clear = sum(number.interval[0] >= bound for number in known.values())
    under = sum(number.interval[1] < bound for number in known.values())
    worst = min(known, key=lambda name: known[name].mean)
    single = [number.mean for number in known.values() if number.n < 2]
    alone = ""
    if single:
        low = sum(mean < bound for mean in single)
        alone = f"; {len(single)} have one match and no interval, {low} of them with a mean below it"
    return (
        f"of {len(numbers)}, {clear} with the whole interval above {bound:.0f}, {under} below it{alone}; the "
        f"least: {worst} {worded(known[worst], 1, MILLIBETS)}"
    )
