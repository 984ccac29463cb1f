"""Risk what you've won (Ganzfried & Sandholm, "Safe opponent exploitation", EC 2012; TEAC 3, 2015).

A player whom the opponent's mistakes have given k chips in expectation may risk k chips and is still safe:
over all hands together the player expects at least the value of the game, whatever the opponent does. k
starts at 0. Before a hand a rule chooses a plan x whose risk, risk(x) = value of the game - worst case of x,
is at most k. After the hand

    k  <-  k + u(x, tau) - value of the game  =  k - risk(x) + gift                                       (1)

Here tau is the opponent's worst pure strategy for us among those that agree with the actions and cards seen.
The opponent's play with other cards is never seen, and the cards may have stayed hidden as well. With the
cards it is dealt, tau therefore takes the actions seen; everywhere else it is a best response to x. Let
q(a) be the opponent's value of an action against x when a best response follows, and v = max q at its
information set. Both include the probability that the cards and x lead there. Then

    gift = min over possible cards of  sum over the opponent's actions a seen of  v - q(a)   >= 0          (2)

The possible cards are the opponent's own if they were shown. Otherwise they are all cards that are neither
ours nor on the board, and the minimum takes the worst of them for us. u(x, .) is a mean over chance and over
our own draws, so luck is no gift.

Why that is safe: in each hand the opponent plays some pure strategy s, perhaps one drawn from a mixture.
Since s agrees with everything seen, u(x, s) >= u(x, tau). By (1), k never falls below 0. Our expected
winnings in n hands are at least the sum of their values plus the expected k, hence at least the sum of the
values. Seats may change from hand to hand: each hand counts with the value of its own seat, and k belongs to
the player.

The plans of the rules, where x* stands for equilibria:

    rwywe              the best plan against the model among those with risk <= k
    befewp             a best response to the model if its risk <= k, else the x* best against the model
    beffe              as befewp, but k must pay for the risk in all hands left
    best-equilibrium   the x* best against the model: risk 0
    rwyw               as rwywe, but k <- k + chips really won - value of the game. Not safe: it risks luck

In floating point a plan may risk `soulread.respond.planner.TOLERANCE` chips more than k. As (1) counts them,
k may then fall below 0. Once k is below -`SHORTAGE`, the equilibrium itself is played until gifts have made
up for it. All hands together therefore lack at most SHORTAGE + TOLERANCE chips, and rounding errors in sums.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from soulread.hands.hand import Hand
from soulread.hands.record import verify_hand
from soulread.model.bayes.evidence import EvidenceReader
from soulread.observe.paths import PathReader
from soulread.respond.planner import SafePlanner
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviours, Plan, in_precision, plan_from_behaviour
from soulread.seqform.treeplex import Floats
from soulread.solvers.best_response import best_values
from soulread.solvers.safe import SafeResponse

Rule = Callable[[SafePlanner, Floats, float, int], SafeResponse]
"""A function of the planner, the model's gradient, k (at least 0) and the hands left.

It returns a response of risk at most k.
"""


def risk_what_was_won(planner: SafePlanner, gradient: Floats, k: float, left: int) -> SafeResponse:
    """The best plan against the model that risks at most k."""
    return planner.respond(gradient, k)


def best_equilibrium(planner: SafePlanner, gradient: Floats, k: float, left: int) -> SafeResponse:
    """The equilibrium that wins most against the model."""
    return planner.respond(gradient, 0.0)


def exploit_when_possible(planner: SafePlanner, gradient: Floats, k: float, left: int) -> SafeResponse:
    """A best response to the model if k covers its risk, else the best equilibrium."""
    return exploit_to_the_end(planner, gradient, k, 1)


def exploit_to_the_end(planner: SafePlanner, gradient: Floats, k: float, left: int) -> SafeResponse:
    """A best response to the model if k covers its risk in every hand left, else the best equilibrium."""
    if k > 0:
        full = planner.respond(gradient, np.inf)
        if full.risk * max(left, 1) <= k:
            return full
    return best_equilibrium(planner, gradient, k, left)


SHORTAGE = 1e-9
"""How many chips the solver's tolerance may take k below 0, in all hands together."""

RULES: dict[str, Rule] = {
    "rwywe": risk_what_was_won,
    "befewp": exploit_when_possible,
    "beffe": exploit_to_the_end,
    "best-equilibrium": best_equilibrium,
    "rwyw": risk_what_was_won,
}


def choose_plan(rule: str, planner: SafePlanner, gradient: Floats, k: float, left: int = 1) -> SafeResponse:
    """The response of a rule to the model's gradient, with k chips to risk and ``left`` hands to go."""
    if rule != "rwyw" and k < -SHORTAGE:
        return planner.stay(gradient)
    return RULES[rule](planner, gradient, max(0.0, k), left)


def action_costs(game: SequenceGame, player: int, plan: Plan) -> Floats:
    """``[num_sequences]`` of the opponent: v - q(a), the cost of each action to the opponent against the
    plan.

    The unit is chips per hand, with the probability of reaching the information set included. A best action
    costs zero.
    """
    tree = game.trees[1 - player]
    q = game.payoff.gradient(1 - player, in_precision(plan, game.payoff.dtype))
    choice = np.empty(tree.num_sets, dtype=np.int32)
    best_values(tree.arrays, q, choice)
    best = q[tree.set_sequence + choice * tree.width]
    costs = np.zeros_like(q)
    costs[1:] = best[tree.sequence_set[1:]] - q[1:]
    return costs


class GiftReader:
    """Computes the opponent's gifts from finished hands.

    The game carries the look-up that says which private state cards are.
    """

    def __init__(self, game: SequenceGame) -> None:
        self.game = game
        self._paths = PathReader(game)
        self._known: dict[tuple[object, ...], NDArray[np.intp]] = {}

    def gift(self, hand: Hand, plan: Plan) -> float:
        """Chips given, in expectation, to the observer, who played ``plan``: equation (2), at least 0."""
        paths = self.paths(hand)
        costs = action_costs(self.game, hand.eyewitness, plan)
        return float(costs[paths].sum(axis=1).min())

    def paths(self, hand: Hand) -> NDArray[np.intp]:
        """``[cases, actions]``: the sequences of the opponent, for all cards that may be the opponent's."""
        verify_hand(self._paths.poker, hand)
        key = hand.eyewitness, hand.betting, hand.board, hand.hole
        if key not in self._known:
            self._known[key] = self._trace(hand, hand.opponent)
        return self._known[key]

    def _trace(self, hand: Hand, opponent: int) -> NDArray[np.intp]:
        cases = {
            tuple(self._paths.sequences(opponent, cards, hand.board, hand.actions))
            for cards in self._paths.holdings(hand.hole[opponent], hand.hole[1 - opponent], hand.board)
        }
        return np.array(sorted(cases), dtype=np.intp).reshape(len(cases), -1)


class Ledger:
    """The chips that may be risked (``k``), and where they came from.

    ``given`` is the sum of the gifts and ``risked`` that of the risks taken. ``guaranteed`` is the sum of the
    game's values: all hands so far are expected to win at least that.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Go back to the start: nothing given, nothing risked."""
        self.k = 0.0
        self.given = 0.0
        self.risked = 0.0
        self.guaranteed = 0.0
        self.num_hands = 0

    def record(self, response: SafeResponse, gift: float) -> None:
        """Record a hand that was played with this response and brought this gift: equation (1)."""
        self._count(response, gift)
        self.k += gift - response.risk

    def record_chips(self, response: SafeResponse, gift: float, chips: float) -> None:
        """Record a hand for rwyw, which is not safe: k grows by the chips really won, luck included."""
        self._count(response, gift)
        self.k += chips - response.game_value

    def _count(self, response: SafeResponse, gift: float) -> None:
        self.given += gift
        self.risked += response.risk
        self.guaranteed += response.game_value
        self.num_hands += 1


class GiftAccount:
    """Gifts, less the risks taken, of hands whose plans change: equation (1) for games of any size.

    It uses private states in place of holdings, so hold'em in an abstraction is possible. There gifts are
    smaller than in truth: the minimum over all hands that the opponent may have held is small.
    """

    def __init__(self, game: SequenceGame) -> None:
        self.game = game
        self._reader = EvidenceReader(game)
        self.reset()

    def reset(self) -> None:
        """Go back to the start: nothing was given."""
        self.given = 0.0  # chips so far, in expectation, less those spent
        self._plan: Behaviours | None = None
        self._costs: dict[int, Floats] = {}

    def spend(self, chips: float) -> None:
        """Take off the chips that were risked."""
        self.given = max(0.0, self.given - chips)

    def add(self, hand: Hand, played: Behaviours) -> None:
        """Add the opponent's gift in a hand to an observer who played ``played``."""
        if played is not self._plan:
            self._plan, self._costs = played, {}
        opponent = hand.opponent
        if opponent not in self._costs:
            own = 1 - opponent
            plan = plan_from_behaviour(self.game.trees[own], played[own])
            self._costs[opponent] = action_costs(self.game, own, plan)
        costs, tree = self._costs[opponent], self.game.trees[opponent]
        last = self._reader.read(hand, opponent).sequences.astype(np.intp)
        total = np.zeros(last.size)
        while last[0] > 0:
            total += costs[last]
            last = tree.parent_sequence[tree.sequence_set[last]].astype(np.intp)
        self.given += float(total.min())
