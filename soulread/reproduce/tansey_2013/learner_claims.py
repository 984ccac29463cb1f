"""The claims of Tansey (2013) on learners, and our aims for ours, on gains in chips per hand."""

from collections.abc import Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.reproduce.kit.experiment import published
from soulread.reproduce.kit.report import Claim, listed
from soulread.reproduce.kit.verdict import (
    UNKNOWN,
    above,
    all_of,
    at_least,
    at_most,
    below,
    share_above,
    within,
)
from soulread.reproduce.tansey_2013.matches import OPPONENTS

NEAR = 0.02  # "nearly as good": the most that may be missing to implicit modelling, chips per hand
ALIKE = 0.01  # "virtually identical", "no better": largest difference, chips per hand
POOR = -0.5  # a gain below this counts as poor, chips per hand
MOST_LOST = 0.02  # the most that ours may lose to the equilibrium, chips per hand

Estimates = Mapping[str, Estimate | None]  # by kind of opponent, in chips per hand; None was not played


def ahead(hands: int, leads: Mapping[str, Estimates]) -> Claim:
    """Claim that implicit modelling gains more than each other learner, by its leads against every kind."""
    words = []
    for kind in OPPONENTS:
        known = {name: lead for name, by_kind in leads.items() if (lead := by_kind[kind]) is not None}
        if known:
            nearest = min(known, key=lambda name: known[name].mean)
            words.append(f"{kind}: {known[nearest].text()} ahead of {nearest}")
    return Claim.judged(
        f"Implicit modelling is ahead of the other five in all three experiments after {hands} hands",
        all_of(above(lead) for by_kind in leads.values() for lead in by_kind.values()),
        ", ".join(words) or "not played",
    )


def faster(hands: int, leads: Estimates) -> Claim:
    """Claim on what policy bootstrapping gains more than explicit modelling, early on."""
    text = f"Policy bootstrapping learns faster than explicit modelling: ahead after {hands} hands"
    return Claim.of_all(text, leads)


def nearly_as_good(hands: int, leads: Estimates) -> Claim:
    """Claim on what policy bootstrapping gains more than implicit modelling, which may be a little less."""
    text = (
        f"Policy bootstrapping is nearly as good as implicit modelling: at most {NEAR} behind after {hands}"
    )
    return Claim.of_all(text, leads, partial(at_least, bound=-NEAR))


def alike(hands: int, leads: Estimates) -> Claim:
    """Claim on what subpolicies gain more than whole policies, which should be little either way."""
    text = f"Implicit subpolicies do about as well as whole policies: within {ALIKE} after {hands} hands"
    return Claim.of_all(text, leads, partial(within, low=-ALIKE, high=ALIKE))


def no_better(hands: int, leads: Estimates) -> Claim:
    """Claim on what subpolicy bootstrapping gains more than policy bootstrapping."""
    text = (
        f"Subpolicy bootstrapping is no better than policy bootstrapping after {hands} hands: "
        f"at most {ALIKE} ahead"
    )
    return Claim.of_all(text, leads, partial(at_most, bound=ALIKE))


def poor(hands: int, gains: Estimates) -> Claim:
    """Claim on what TD-CFR gains."""
    text = f"TD-CFR is poor within {hands} hands: below {POOR} throughout"
    return Claim.of_all(text, gains, partial(below, bound=POOR))


def small_gains(gains: Mapping[str, NDArray[np.float64]]) -> Claim:
    """Claim on what random portfolios gain from subpolicies: one number for each, by population."""
    numbers = published("tansey2013")["subpolicies"]
    limit, share = numbers["gain_below"], numbers["share"]
    return Claim.judged(
        f"More than {share:.0%} of random portfolios gain less than {limit} from subpolicies, one per round",
        all_of(share_above(samples < limit, share) for samples in gains.values()),
        ", ".join(
            f"{kind} {np.mean(samples < limit):.0%} of {samples.size:,}, mean gain {samples.mean():.3f}"
            for kind, samples in gains.items()
        )
        or "not computed",
    )


def our_gain(hands: int, ours: Estimates, bars: Mapping[str, float | None]) -> Claim:
    """Claim that ours gains more than the published implicit learner; the bars have no intervals."""
    return Claim.judged(
        f"Ours, without a portfolio, is above the published implicit curve after {hands} hands (our own aim)",
        all_of(above(None if bar is None else ours[kind], bar or 0.0) for kind, bar in bars.items()),
        listed(ours) + "; published " + ", ".join(f"{kind} {bar}" for kind, bar in bars.items()),
    )


def our_loss(values: NDArray[np.float64] | None) -> Claim:
    """Claim on what ours gains from the equilibrium, ``[matches, hands + 1]``: never much below zero."""
    text = f"Ours never loses more than {MOST_LOST} to the equilibrium on average (our own aim)"
    if values is None:
        return Claim(text, UNKNOWN.verdict, "not played")
    after = [Estimate.of(gains) for gains in values.T]
    worst = min(range(len(after)), key=lambda hands: after[hands].mean)
    return Claim.judged(
        text,
        all_of(at_least(gain, -MOST_LOST) for gain in after),
        f"worst {after[worst].text()} after {worst} {'hand' if worst == 1 else 'hands'}, "
        f"over all hands {Estimate.of(values.mean(axis=1)).text()}",
    )


def discounting(still: str, differences: Estimates) -> Claim:
    """Claim that a learner gains more if it discounts older hands, against opponents of every course."""
    whom = "ours" if still == "learner" else f"the {still} learner"
    text = f"Against opponents that change, discounting older hands helps {whom} (our own question)"
    return Claim.of_all(text, differences)
