"""Where an opponent deviates most from equilibrium: how often it happens, and what it is worth.

A leak is one public history n. Its *worth* is what the opponent would save by mending this leak alone, if
hero did not notice. Hero is the player who plays the best response to the model. The opponent plays the model
x everywhere except at n, and there the equilibrium sigma*. The worth is how much less hero then wins,

    worth(n) = sum over states b of s[b] sum over actions a of (sigma*[b, a] - x[b, a]) q[b, a]

with s[b] the model's probability of playing towards b, and q the opponent's chips after each action against
the best response, chance and hero's play included. The formula is exact. All histories together need one
gradient, so this takes no longer than a best response. A negative worth means that this deviation, taken
alone, helps the opponent.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.kernel import kernel
from soulread.model.deviation import SeatDeviation
from soulread.seqform.public import PublicArrays
from soulread.seqform.strategy import in_precision
from soulread.seqform.treeplex import Floats, Ints
from soulread.solve.best_response import add_values, best_response

_QUANTILE = 1.959963984540054  # of the normal distribution at 97.5%


@dataclass(frozen=True, slots=True)
class Leak:
    """One public history at which the opponent does not play like the equilibrium.

    ``action``, a number of the game, is the action whose observed frequency is furthest from the
    equilibrium's. If two are equally far, it is the one that the opponent takes too often.
    """

    player: int  # seat of the opponent
    history: str
    action: int
    count: float  # times the opponent took the action
    opportunities: float  # times the opponent acted here
    low: float  # 95% interval of its frequency (Wilson)
    high: float
    equilibrium: float  # how often the equilibrium takes it
    model: float  # how often the model does: alpha
    reach: float  # opportunities per hand in which the opponent had this seat
    worth: float  # mb/g in this seat; chips per hand in games without a small bet

    @property
    def frequency(self) -> float:
        """How often the opponent took the action when possible, as a share of the opportunities."""
        return self.count / self.opportunities

    @property
    def deviation(self) -> float:
        """Observed frequency less the equilibrium's."""
        return self.frequency - self.equilibrium

    @property
    def certain(self) -> bool:
        """Whether the equilibrium's frequency lies outside the interval."""
        return not self.low <= self.equilibrium <= self.high


def leaks(model: SeatDeviation, min_opportunities: float = 1.0) -> list[Leak]:
    """The leaks of a fitted model at histories seen at least ``min_opportunities`` times, costliest first.

    Histories with a single action are left out. Equal worths stay in the order of the histories.
    """
    if not min_opportunities > 0:
        raise SoulreadError(f"min_opportunities={min_opportunities!r}; a leak must have been seen")
    public = model.public
    worth = leak_worths(model) * _millibets(model)
    found = []
    for n in range(public.num_histories):
        cells = public.cells(n)
        counts = model.counts_[cells]
        opportunities = float(counts.sum())
        if counts.size < 2 or opportunities < min_opportunities:
            continue
        expected = model.frequencies[cells]
        deviation = counts / opportunities - expected
        a = int(np.argmax(np.abs(deviation) + 1e-9 * (deviation > 0)))
        low, high = wilson_interval(float(counts[a]), opportunities)
        found.append(
            Leak(
                player=model.player,
                history=public.labels[n],
                action=public.actions(n)[a],
                count=float(counts[a]),
                opportunities=opportunities,
                low=low,
                high=high,
                equilibrium=float(expected[a]),
                model=float(model.alpha_[cells][a]),
                reach=opportunities / model.num_hands_ if model.num_hands_ else 0.0,
                worth=float(worth[n]),
            )
        )
    return sorted(found, key=lambda leak: -leak.worth)


def leak_worths(model: SeatDeviation) -> NDArray[np.float64]:
    """``[num_histories]``: worth of each, in chips per hand in which the opponent has this seat."""
    game, villain = model.game, model.player
    if not game.payoff.zero_sum:
        raise SoulreadError(
            f"{game.name!r} is not zero-sum; what the opponent loses there is not won by anybody"
        )
    hero = 1 - villain
    dtype = game.payoff.dtype
    plan = model.plan()
    gradient = game.payoff.gradient(hero, in_precision(plan, dtype))
    _, response = best_response(game.trees[hero], gradient)
    q = game.payoff.gradient(villain, response)
    add_values(model.public.tree.arrays, model.strategy(), q)
    worth = np.empty(model.public.num_histories)
    fill_worths(
        model.public.arrays,
        model.public.tree.parent_sequence,
        model.equilibrium,
        model.strategy(),
        plan,
        q,
        worth,
    )
    return worth


def wilson_interval(count: float, opportunities: float) -> tuple[float, float]:
    """The 95% interval of a frequency observed ``count`` times out of ``opportunities`` (Wilson 1927)."""
    if opportunities <= 0:
        return 0.0, 1.0
    z = _QUANTILE**2 / opportunities
    rate = count / opportunities
    centre = (rate + z / 2) / (1 + z)
    half = sqrt(max(0.0, rate * (1 - rate) * z + z * z / 4)) / (1 + z)
    return max(0.0, centre - half), min(1.0, centre + half)


def _millibets(model: SeatDeviation) -> float:
    """From chips per hand to mb/g, or 1 where there is no small bet."""
    bet = model.game.small_bet
    return 1.0 if bet is None else Unit.MILLIBETS.per_chip(bet, bet)


@kernel
def fill_worths(
    public: PublicArrays,
    parent_sequence: Ints,
    sigma: Floats,
    behaviour: Floats,
    plan: Floats,
    q: Floats,
    worth: NDArray[np.float64],
) -> None:
    """The formula at the top of the module."""
    for n in range(public.size.size):
        offsets = public.offset[public.first_offset[n] : public.first_offset[n] + public.size[n]]
        total = 0.0
        for a in range(public.num_actions[n]):
            first = public.first_sequence[n] + a * public.width[n]
            for s in offsets:
                reach = plan[parent_sequence[public.first_set[n] + s]]
                total += reach * (sigma[first + s] - behaviour[first + s]) * q[first + s]
        worth[n] = total
