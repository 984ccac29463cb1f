"""Where an opponent deviates most from equilibrium: how surely, how often it happens, and what it is worth.

A leak is one public history n, or several that differ in suits only. Its *worth* is what the opponent would
save by mending this leak alone, if hero did not notice. Hero is the player who plays the best response to the
model. The opponent plays the model x everywhere except at n, and there the equilibrium sigma*. The worth is
how much less hero then wins,

    worth(n) = sum over states b of s[b] sum over actions a of (sigma*[b, a] - x[b, a]) q[b, a]

with s[b] the model's probability of playing towards b, and q the opponent's chips after each action against
the best response, chance and hero's play included. The formula is exact. All histories together need one
gradient, so this takes no longer than a best response. A negative worth means that this deviation, taken
alone, helps the opponent.

*Is it chance?* If the opponent plays sigma*, action a comes up at visit i of n with a probability p_i that
follows from what the other player held (`soulread.observe.card_removal`). The number of times is then a sum
of independent draws with mean E = sum of p_i. By Hoeffding (1956), such a sum is off by 1 or more with no
greater probability than a binomial count of the same mean. So the test is that of a binomial count,
two-sided, times the number of actions if there are more than two. It holds for any number of visits and errs
on the side of the opponent. Where the other player's cards are not known, neither is p_i, but a range of it
is. Then only what no p_i of the range explains is held against the opponent.

*A whole list is tested.* A list of 200 histories would have ten false alarms at 5% each. The procedure of
Benjamini and Hochberg (1995) is applied to the whole list: of the leaks that are called certain, at most 5%
are expected to be chance; and if the opponent plays the equilibrium, the chance that there is even one is at
most 5%. We prefer it to Holm's, which bounds the chance of a single false alarm: that costs most of the real
leaks of a long list. It needs tests that do not depend on each other. Here they hardly do: given the visits,
each is about other draws of the opponent.

*Sure worth* is the worth at that end of the frequency's interval which is nearer to the equilibrium's. The
interval is the exact one (Clopper and Pearson), as wide as the selection asks for (Benjamini and Yekutieli,
2005), so it leaves the equilibrium's frequency out exactly where a leak is certain. Else the sure worth is 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import cards_name, parse_cards
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.estimate import Unit, benjamini_hochberg, exact_interval, wilson_interval
from soulread.games.suits import same_board
from soulread.kernel import kernel
from soulread.model.deviation.model import SeatDeviation
from soulread.seqform.public import PublicArrays
from soulread.seqform.strategy import in_precision
from soulread.seqform.treeplex import Floats, Ints
from soulread.solvers.best_response import add_values, best_response

LEVEL = 0.05  # of the leaks called certain, the share that is expected to be chance, at most

_NONE = 1e-9  # a smaller deviation of a frequency is a rounding error


@dataclass(frozen=True, slots=True)
class Leak:
    """Public histories, alike but for the suits, at which the opponent does not play like the equilibrium.

    ``action``, a number of the game, is the action whose number of times is hardest to explain by chance. If
    two are equally hard, it is the one whose frequency is further from the equilibrium's, then the one that
    the opponent takes too often.
    """

    player: int  # seat of the opponent
    history: str  # of the first of them, or with ranks only: "J|cc/r"
    histories: tuple[str, ...]
    action: int
    count: float  # times the opponent took the action
    opportunities: float  # times the opponent acted here
    low: float  # 95% interval of its frequency (Wilson)
    high: float
    equilibrium: float  # how often the equilibrium is expected to take it, in these hands
    least: float  # how often it takes it at least, whatever the other player held
    greatest: float
    model: float  # how often the model does: alpha
    reach: float  # opportunities per hand in which the opponent had this seat
    worth: float  # mb/g in this seat; chips per hand in games without a small bet
    p_value: float  # how likely the equilibrium is this far off, at most; of this leak alone
    certain: bool = False  # whether it is beyond chance, among all leaks of its list
    sure_worth: float = 0.0  # what is left of the worth at the near end of the frequency's interval

    JSON = keys("* frequency")

    @property
    def frequency(self) -> float:
        """How often the opponent took the action when possible, as a share of the opportunities."""
        return self.count / self.opportunities

    @property
    def deviation(self) -> float:
        """Observed frequency less the equilibrium's."""
        return self.frequency - self.equilibrium


def all_leaks(models: Sequence[SeatDeviation], min_opportunities: float = 1.0) -> list[Leak]:
    """The leaks of fitted models, seen at least ``min_opportunities`` times; the largest sure worth is first.

    Those of the same sure worth are sorted by worth, then by the order of seats and histories. Histories with
    a single action, or played just as expected, are left out. A model that ignores the other player's cards
    is refused: what it expects of an equilibrium is wrong.
    """
    if not min_opportunities > 0:
        raise SoulreadError(f"min_opportunities={min_opportunities!r}; a leak must have been seen")
    found: list[Leak] = []
    tests: list[int] = []
    for model in models:
        if not model.joint:
            raise SoulreadError(
                "this model ignores what the other player holds, so it would accuse an equilibrium; leaks "
                "need a DeviationModel with expected='joint', or a SeatDeviation with other=BEHAVIOUR"
            )
        worth = leak_worths(model) * _millibets(model)
        for label, group in alike_histories(model).items():
            leak = _leak(model, label, group, float(worth[group].sum()), min_opportunities)
            if leak is not None:
                found.append(leak)
                tests.append(num_tests(model.public.cells(group[0])))
    deviations = [leak for leak in _judged(found, tests) if abs(leak.deviation) > _NONE]
    return sorted(deviations, key=lambda leak: (-leak.sure_worth, -leak.worth))


def alike_histories(model: SeatDeviation) -> dict[str, list[int]]:
    """The public histories of a model, those together that are alike but for the suits, by a common label.

    The label names ranks only if all boards of these ranks are alike.
    """
    public, game = model.public, model.game
    if game.poker is None or game.poker.rules.suit_isomorphic or not public.shows_board:
        return {label: [n] for n, label in enumerate(public.labels)}
    groups: dict[tuple[object, str], list[int]] = {}
    ranks: dict[str, set[object]] = {}
    names: list[str] = []
    for n, label in enumerate(public.labels):
        text, _, betting = label.rpartition("|")
        board = same_board(game.poker, parse_cards(text))
        groups.setdefault((board, betting), []).append(n)
        names.append("".join(cards_name(cards)[::2] for cards in board))
        ranks.setdefault(f"{names[-1]}|{betting}", set()).add(board)
    result = {}
    for (_, betting), members in groups.items():
        short = f"{names[members[0]]}|{betting}"
        result[short if len(ranks[short]) == 1 else public.labels[members[0]]] = members
    return result


def _leak(
    model: SeatDeviation, label: str, group: list[int], worth: float, min_opportunities: float
) -> Leak | None:
    """The leak of histories that are alike, or None if they were seen too rarely or leave no choice."""
    public = model.public
    cells = np.array([np.arange(public.cells(n).start, public.cells(n).stop) for n in group])
    counts = model.counts_[cells]
    visits = counts.sum(axis=1)
    opportunities = float(visits.sum())
    if cells.shape[1] < 2 or opportunities < min_opportunities:
        return None
    expected = visits @ model.frequencies[cells] / opportunities
    alpha = visits @ model.alpha_[cells] / opportunities
    taken = counts.sum(axis=0)
    deviation = taken / opportunities - expected
    least, greatest = expected, expected
    if model.ranges is not None:
        least, greatest = (visits @ bound[cells] / opportunities for bound in model.ranges)
        expected = np.clip(expected, least, greatest)
    p_values = [
        binomial_p_value(float(count), opportunities, float(low), float(high))
        for count, low, high in zip(taken, least, greatest, strict=True)
    ]
    a = min(  # of two actions both are equally hard to explain, but for rounding
        range(len(taken)),
        key=lambda i: (float(f"{p_values[i]:.6g}"), -abs(deviation[i]) - 1e-9 * float(deviation[i] > 0)),
    )
    low, high = wilson_interval(float(taken[a]), opportunities)
    return Leak(
        player=model.player,
        history=label,
        histories=tuple(public.labels[n] for n in group),
        action=public.actions(group[0])[a],
        count=float(taken[a]),
        opportunities=opportunities,
        low=low,
        high=high,
        equilibrium=float(expected[a]),
        least=float(least[a]),
        greatest=float(greatest[a]),
        model=float(alpha[a]),
        reach=opportunities / model.num_hands_ if model.num_hands_ else 0.0,
        worth=worth,
        p_value=min(1.0, p_values[a] * num_tests(public.cells(group[0]))),
    )


def num_tests(cells: slice) -> int:
    """How many different tests a history's actions are: two actions are one test, three are three."""
    count = cells.stop - cells.start
    return 1 if count == 2 else count


def _judged(found: Sequence[Leak], tests: Sequence[int]) -> list[Leak]:
    """The leaks, told which of them are certain and what they are surely worth."""
    certain = benjamini_hochberg(np.array([leak.p_value for leak in found]), LEVEL)
    share = LEVEL * certain.sum() / max(1, len(found))  # level of the intervals of those selected
    judged = []
    for leak, sure, number in zip(found, certain.tolist(), tests, strict=True):
        if sure:
            low, high = exact_interval(leak.count, leak.opportunities, share / number)
            away = low - leak.greatest if leak.frequency > leak.greatest else high - leak.least
            change = leak.model - leak.equilibrium
            kept = away / change if change else 0.0
            leak = replace(leak, certain=True, sure_worth=leak.worth * min(1.0, max(0.0, kept)))
        judged.append(leak)
    return judged


def binomial_p_value(count: float, opportunities: float, least: float, greatest: float) -> float:
    """How likely ``opportunities`` draws are this far off, two-sided, if their mean lies in a range.

    The mean is that of their probabilities, which may differ. The result is an upper bound. Within 1 of the
    mean Hoeffding's theorem says nothing, and Markov's inequality takes its place.
    """
    up = _tail(count, opportunities, greatest)
    down = _tail(opportunities - count, opportunities, 1 - least)
    return min(1.0, 2 * min(up, down))


def _tail(count: float, opportunities: float, share: float) -> float:
    """At most this is the probability of ``count`` or more."""
    from scipy.special import betainc  # imported here because it takes a twentieth of a second

    share = min(1.0, max(0.0, share))  # sums of probabilities have rounding errors
    mean = opportunities * share
    if count <= mean:
        return 1.0
    if count < mean + 1:
        return mean / count
    return float(betainc(count, opportunities - count + 1, share))


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
