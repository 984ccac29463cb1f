"""Regret matching at every information set of a player at once, and the schedules that vary it.

The sets are updated bottom-up. With q(a) the value of an action (its gradient plus the values of the sets
right after it) and sigma the behaviour:

    v(j) = sum over a of sigma(a) q(a),     r(a) = q(a) - v(j)
    R(a) <- d (R(a) + r(a))                 d = t^alpha / (t^alpha + 1) if positive, else with beta
    sigma(a) <- [R(a)]+ / sum of [R]+       uniform where no regret is positive

In iteration t the average plan moves towards the new plan by t^gamma / (1^gamma + ... + t^gamma). An exponent
alpha or beta of infinity forgets nothing, one of minus infinity everything. The members of the family are
therefore settings of one update:

    method                alpha   beta   gamma
    CFR                   inf     inf    0        Zinkevich et al., NIPS 2007
    CFR+                  inf     -inf   1        Tammelin, arXiv:1407.5042, 2014
    linear CFR            1       1      1        Brown and Sandholm, AAAI 2019
    DCFR                  1.5     0      2        the same
    predictive CFR+       inf     -inf   2        Farina, Kroer and Sandholm, AAAI 2021

Predictive CFR+ matches R + r instead of R: it expects the last regret r to come once more.

A player may be *restricted* (`soulread.solvers.restricted`): at some sets it must follow a model with
probability c. Then sigma is its free part, and regrets are those of sigma. The player plays, passes up as
values and builds plans with

    tau(a) = c model(a) + (1 - c) sigma(a)

If instead the opponent must play a model in a share p of all hands, the gradient is p times the gradient
against the model, which never changes, plus 1 - p times the gradient against the opponent's free plan.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ParseError, SoulreadError
from soulread.kernel import kernel
from soulread.seqform.strategy import Behaviour, Plan
from soulread.seqform.treeplex import Floats, TreeArrays

# Below these limits a regret (in chips) or a reach counts as zero. Discounted again and again they would
# become subnormal numbers, on which processors are many times slower, without any effect on the strategy.
NO_REGRET = 1e-30
NO_REACH = 1e-20


@dataclass(frozen=True)
class Schedule:
    """How regrets are discounted, how iterations are averaged and in which order players are updated."""

    name: str
    alpha: float = math.inf  # discount of positive regrets
    beta: float = math.inf  # discount of negative regrets
    gamma: float = 0.0  # weight t^gamma of iteration t in the average
    predictive: bool = False
    alternating: bool = True  # the second player answers the first one's new plan; else both move at once
    delay: int = 0  # number of first iterations that are left out of the average

    def __post_init__(self) -> None:
        if math.isnan(self.alpha) or math.isnan(self.beta) or not 0 <= self.gamma < math.inf:
            raise SoulreadError(
                f"exponents alpha={self.alpha!r}, beta={self.beta!r}, gamma={self.gamma!r}: "
                "alpha and beta must be numbers or infinite, gamma finite and not negative"
            )
        if self.delay < 0:
            raise SoulreadError(f"a delay of {self.delay!r} iterations; it cannot be negative")

    @property
    def exponents(self) -> "Exponents":
        """The schedule as kernels see it."""
        return Exponents(float(self.alpha), float(self.beta), float(self.gamma), self.predictive, self.delay)


def CFR(alternating: bool = True) -> Schedule:
    """Counterfactual regret minimisation; all iterations have the same weight."""
    return Schedule("cfr", alternating=alternating)


def CFRPlus(alternating: bool = True, delay: int = 0) -> Schedule:
    """CFR+: negative regrets are forgotten, and later iterations have more weight."""
    return Schedule("cfr+", beta=-math.inf, gamma=1, alternating=alternating, delay=delay)


def LinearCFR(alternating: bool = True) -> Schedule:
    """Linear CFR: iteration t has weight t in the regrets and in the average."""
    return Schedule("lcfr", alpha=1, beta=1, gamma=1, alternating=alternating)


def DCFR(alpha: float = 1.5, beta: float = 0, gamma: float = 2, alternating: bool = True) -> Schedule:
    """Discounted CFR, the default of `soulread.solvers.cfr.run.solve`."""
    name = "dcfr" if (alpha, beta, gamma) == (1.5, 0, 2) else f"dcfr:{alpha:g},{beta:g},{gamma:g}"
    return Schedule(name, alpha=alpha, beta=beta, gamma=gamma, alternating=alternating)


def PredictiveCFRPlus(alternating: bool = True) -> Schedule:
    """Predictive CFR+: the last regret is expected to come once more."""
    return Schedule("pcfr+", beta=-math.inf, gamma=2, predictive=True, alternating=alternating)


def parse_schedule(text: str) -> Schedule:
    """Read a schedule: ``"cfr"``, ``"cfr+"``, ``"lcfr"``, ``"dcfr"``, ``"dcfr:1.5,0,2"`` or ``"pcfr+"``."""
    simple: dict[str, Callable[[], Schedule]] = {
        "cfr": CFR,
        "cfr+": CFRPlus,
        "lcfr": LinearCFR,
        "dcfr": DCFR,
        "pcfr+": PredictiveCFRPlus,
    }
    word = text.strip().lower()
    if word in simple:
        return simple[word]()
    head, _, tail = word.partition(":")
    try:
        alpha, beta, gamma = (float(part) for part in tail.split(","))
    except ValueError:
        alpha = math.nan
    if head == "dcfr" and not math.isnan(alpha):
        return DCFR(alpha, beta, gamma)
    raise ParseError(f"{text!r} is not a method; write one of {', '.join(simple)}, or like 'dcfr:1.5,0,2'")


class RegretState(NamedTuple):
    """The state of one player in an iterative solver; arrays are ``[num_sequences]`` unless said otherwise.

    ``forced``, ``freedom`` and ``anchor`` are empty if nothing is restricted. Only the blocks that are bound
    have entries in ``forced`` and ``freedom``: block b begins at ``forced_at[b]`` and ``freedom_at[b]``,
    which are -1 for a free block.
    """

    regret: Floats
    behaviour: Floats  # current behaviour of the free part
    plan: Floats  # current
    average: Floats  # weighted mean of the plans so far: a plan itself
    forced: Floats  # confidence times the model's probability of each action of the bound blocks
    freedom: Floats  # 1 minus the confidence at each set of the bound blocks
    forced_at: NDArray[np.int64]  # [num_blocks], or empty
    freedom_at: NDArray[np.int64]  # [num_blocks], or empty
    anchor: Floats  # the gradient against the opponent's model
    share: float  # factor of the gradient against the opponent's free plan; the rest is that of the anchor


class RegretScratch(NamedTuple):
    """Scratch space: q is ``[num_sequences]``; value and total have the width of the widest block."""

    q: Floats
    value: Floats
    total: Floats


class Exponents(NamedTuple):
    """The part of a schedule that sets the numbers of each iteration."""

    alpha: float
    beta: float
    gamma: float
    predictive: bool
    delay: int


class Discounts(NamedTuple):
    """The numbers that a schedule gives for one iteration."""

    positive: float
    negative: float
    prediction: float  # 1 if the last regret is expected once more, else 0
    step: float  # how far the average moves towards the new plan
    weight: float  # sum of the weights of all iterations so far


@kernel
def discount(t: float, exponent: float) -> float:
    """t^e / (t^e + 1), which is 1 at infinity and 0 at minus infinity."""
    if exponent == math.inf:
        return 1.0
    if exponent == -math.inf:
        return 0.0
    return 1.0 / (1.0 + math.pow(t, -exponent))


@kernel
def discounts(iteration: int, exponents: Exponents, weight: float) -> Discounts:
    """The numbers of iteration 1, 2, ... given the weight of all iterations before."""
    t = float(iteration)
    step = 1.0 / t  # until the delay is over the average is that of the iterations left out
    if iteration > exponents.delay:
        added = (t - exponents.delay) ** exponents.gamma
        weight += added
        step = added / weight
    prediction = 1.0 if exponents.predictive else 0.0
    return Discounts(discount(t, exponents.alpha), discount(t, exponents.beta), prediction, step, weight)


@kernel
def update_player(tree: TreeArrays, player: RegretState, scratch: RegretScratch, numbers: Discounts) -> None:
    """Update a player once; ``scratch.q`` holds the player's gradient and is overwritten."""
    real = player.regret.dtype.type
    zero, one = real(0), real(1)
    positive, negative = real(numbers.positive), real(numbers.negative)
    prediction, step = real(numbers.prediction), real(numbers.step)
    no_regret, no_reach = real(NO_REGRET), real(NO_REACH)
    q_all = scratch.q
    if player.anchor.size:
        share, bound = real(player.share), real(1 - player.share)
        for c in range(q_all.size):
            q_all[c] = bound * player.anchor[c] + share * q_all[c]
    restricted = player.forced_at.size > 0
    for b in range(tree.first_set.size - 2, -1, -1):
        parent = tree.parent_sequence[tree.first_set[b] : tree.first_set[b + 1]]
        width = parent.size
        first, last = tree.first_sequence[b], tree.first_sequence[b + 1]
        value, total = scratch.value[:width], scratch.total[:width]
        for s in range(width):
            value[s] = zero
            total[s] = zero
        for c in range(first, last, width):
            q, sigma = q_all[c : c + width], player.behaviour[c : c + width]
            for s in range(width):
                value[s] += sigma[s] * q[s]
        for c in range(first, last, width):
            q, sigma, regret = (
                q_all[c : c + width],
                player.behaviour[c : c + width],
                player.regret[c : c + width],
            )
            for s in range(width):
                r = q[s] - value[s]
                cumulative = regret[s] + r
                cumulative *= positive if cumulative > zero else negative
                cumulative = cumulative if abs(cumulative) > no_regret else zero
                regret[s] = cumulative
                weight = max(cumulative + prediction * r, zero)
                sigma[s] = weight
                total[s] += weight
        uniform = real(width / (last - first))
        for c in range(first, last, width):
            sigma = player.behaviour[c : c + width]
            for s in range(width):
                sigma[s] = sigma[s] / total[s] if total[s] > zero else uniform
        if restricted and player.forced_at[b] >= 0:
            freedom = player.freedom[player.freedom_at[b] : player.freedom_at[b] + width]
            for s in range(width):
                value[s] *= freedom[s]
            shift = player.forced_at[b] - first
            for c in range(first, last, width):
                q, model = q_all[c : c + width], player.forced[shift + c : shift + c + width]
                for s in range(width):
                    value[s] += model[s] * q[s]
        for s in range(width):
            q_all[parent[s]] += value[s]
    player.plan[0] = one
    player.average[0] = one
    for b in range(tree.first_set.size - 1):
        parent = tree.parent_sequence[tree.first_set[b] : tree.first_set[b + 1]]
        width = parent.size
        reach = scratch.value[:width]
        for s in range(width):
            reach[s] = player.plan[parent[s]]
        first = tree.first_sequence[b]
        for c in range(first, tree.first_sequence[b + 1], width):
            sigma, plan, average = (
                player.behaviour[c : c + width],
                player.plan[c : c + width],
                player.average[c : c + width],
            )
            if restricted and player.forced_at[b] >= 0:
                freedom = player.freedom[player.freedom_at[b] : player.freedom_at[b] + width]
                model = player.forced[
                    player.forced_at[b] + c - first : player.forced_at[b] + c - first + width
                ]
                for s in range(width):
                    x = reach[s] * (model[s] + freedom[s] * sigma[s])
                    x = x if x > no_reach else zero
                    plan[s] = x
                    average[s] += step * (x - average[s])
                continue
            for s in range(width):
                x = reach[s] * sigma[s]
                x = x if x > no_reach else zero
                plan[s] = x
                average[s] += step * (x - average[s])


@kernel
def update_once(tree: TreeArrays, player: RegretState, scratch: RegretScratch, numbers: Discounts) -> None:
    """`update_player`, to be called from Python."""
    update_player(tree, player, scratch, numbers)


@kernel
def approach(mean: Floats, new: Floats, step: float) -> None:
    """Move a mean, in place, towards a new array by a step, as `update_player` moves the average plan."""
    part = mean.dtype.type(step)
    for c in range(mean.size):
        mean[c] += part * (new[c] - mean[c])


def start_player(behaviour: Behaviour, plan: Plan) -> RegretState:
    """A player with no regret yet, the behaviour and plan given, and an empty average."""
    empty, nowhere = np.empty(0, dtype=plan.dtype), np.empty(0, dtype=np.int64)
    return RegretState(
        np.zeros_like(plan),
        behaviour.copy(),
        plan.copy(),
        plan.copy(),
        empty,
        empty,
        nowhere,
        nowhere,
        empty,
        share=1.0,
    )
