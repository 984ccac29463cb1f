"""Our aims for soul against the zoo, as claims on numbers in mb/g."""

from collections.abc import Mapping
from functools import partial

from soulread.estimate import Estimate, Unit
from soulread.reproduce.kit.means import average
from soulread.reproduce.kit.report import Claim, listed, worded
from soulread.reproduce.kit.verdict import Number, above, agrees, at_least

MILLIBETS = Unit.MILLIBETS.value
LEAST_SHARE = 0.7  # of the best dbbr's gain on bent equilibria
MOST_HARM = 20.0  # mb/g below the equilibrium against any opponent
MOST_LOST = 10.0  # mb/g below the equilibrium against another equilibrium
NEAR = 50.0  # mb/g: a promise is told apart from the result to within this, or nothing is said

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


def spares_equilibria(gains: Estimates) -> Claim:
    """Claim that soul loses at most 10 mb/g by its reads of other equilibria; gains over its own in mb/g.

    Its own equilibrium loses nothing to another one of the same game.
    """
    text = f"Reading other equilibria costs soul at most {MOST_LOST:.0f} {MILLIBETS}, against each of them"
    return Claim.of_all(text, gains, partial(at_least, bound=-MOST_LOST), _lowest(gains, -MOST_LOST))


def stays_within(budget: float, won: Estimates) -> Claim:
    """Claim that no deceiver wins more than the budget after its strike; what soul won, in mb/g."""
    text = f"After their strike deceivers win at most the budget of {budget:.0f} {MILLIBETS} from soul"
    return Claim.of_all(text, won, partial(at_least, bound=-budget), _lowest(won, -budget))


def keeps_promises(differences: Mapping[str, Number]) -> Claim:
    """Claim that promise and result agree in every family; what was won less what was promised, mb/g.

    An interval without zero speaks against it, one with zero and within 50 mb/g for it.
    """
    return Claim.of_all(
        f"What soul promised and what it won agree in every family, to within {NEAR:.0f} {MILLIBETS}",
        differences,
        partial(agrees, margin=NEAR),
        f"won less promised: {_listed(differences)} {MILLIBETS}" if differences else "nothing was promised",
    )


def _listed(numbers: Mapping[str, Number]) -> str:
    return listed(numbers, 1, "not measured") or "not measured"


def _lowest(numbers: Estimates, bound: float) -> str:
    """A sentence that counts the intervals on either side of a bound and names the lowest mean."""
    known = {name: number for name, number in numbers.items() if number is not None}
    if not known:
        return "not measured"
    clear = sum(number.interval[0] >= bound for number in known.values())
    below = sum(number.interval[1] < bound for number in known.values())
    worst = min(known, key=lambda name: known[name].mean)
    return (
        f"of {len(numbers)}, {clear} with the whole interval above {bound:.0f}, {below} below it; the least: "
        f"{worst} {worded(known[worst], 1, MILLIBETS)}"
    )
