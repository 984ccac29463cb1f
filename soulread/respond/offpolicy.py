"""Off-policy estimates: the winnings of a strategy in hands that were played with another one.

After Bowling, Johanson, Burch & Szafron, "Strategy evaluation in extensive games with importance sampling",
ICML 2008, and Bard, Johanson, Burch & Bowling, "Online implicit agent modelling", AAMAS 2013.

Before each hand one of some *members* is drawn, with known weights; their mixture is mu. Let z
be all that was public at the end of a hand, h our cards and o the opponent's. A strategy's reach, written
j(z|h), is the product of its probabilities of our actions in z if we hold h. Let d run over our decisions of
the hand, and d a be the decision with action a; a(d) is the action we took. Q(d, a, h) are chips that an
action is *taken to be* worth, fixed before the hand. Then

    F(z, h, o) = u(z, h, o) j(z|h) / mu(z|h)                                                             (1)
                 + sum over d of  [sum over a of j(d a|h) Q(d, a, h)] / mu(d|h)
                                  - j(d a(d)|h) Q(d, a(d), h) / mu(d a(d)|h)

has the mean of member j's true value, for any opponent and any Q. The chance of an end is
P(h, o, z) = chance(h, o, board) opponent(z|o) mu(z|h), so the first line adds up to what j wins: mu cancels.
At a decision d, action a is taken with chance mu(d a|h) / mu(d|h), so on average the second part of the sum
takes off what the first part adds. Nothing is left out if mu(z|h) > 0 wherever j(z|h) > 0, which holds if
member j has a weight above zero.

Q makes the spread smaller. The value of folding is known exactly: with Q = u for folds and 0 for the rest,
(1) counts at each of our decisions the loss of a fold there, whether we folded or not, as the papers do. For
the other actions Q is their value against an equilibrium (`action_values`).

(1) looks at our own cards only. *Imaginary observations* count all cards that we might have held: with the
opponent's cards seen, the estimate is the mean of (1) over our cards, given z and o,

    estimate = sum over h of  chance(h | o, board) mu(z|h) F(z, h, o)                                   (2)
               / sum over h of  chance(h | o, board) mu(z|h)

whose first line is sum chance(h|o) j(z|h) u(z, h, o) / sum chance(h|o) mu(z|h). A conditional mean has the
same mean and never a larger variance, so (2) is unbiased, too.

If the opponent's cards stayed hidden, chips no longer depend on cards, but chance(h | o, board) still does,
as nobody can hold a card twice. Two ways:

* ``own``: (1) with our own cards. It has no bias. Taken end by end, no other function of our cards has none:
  it would have to be right for every single o, and as cards rule each other out, these are as many
  independent conditions as there are holdings.
* ``range``: (2) with chance(h) in place of chance(h | o, board), where chance(h) is the sum over all o of
  chance(h, o, board) equilibrium(z|o). There is no bias if the opponent gets to z with each o as often as an
  equilibrium does, up to a factor. Otherwise the bias is that of card removal alone: small with 1326
  holdings, larger with the six cards of Leduc. The variance is lower. Where an equilibrium never gets to z,
  all o count alike.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import cards_mask
from soulread.errors import ShapeError, SoulreadError
from soulread.games.poker import FOLD
from soulread.hands.hand import Hand
from soulread.hands.record import verify_hand
from soulread.seqform.compile import SequenceGame
from soulread.seqform.holdings import HandTable, all_states, hand_table
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    in_precision,
    mix_behaviours,
    plan_from_behaviour,
    uniform_behaviour,
)
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Ints
from soulread.solvers.best_response import add_values

HIDDEN = "own", "range"

Floats = NDArray[np.float64]
ActionValues = Behaviours  # [num_sequences] of each seat, laid out like a behaviour; chips


SLIP = 0.1  # share of decisions at which the opponent of `action_values` acts at random


def action_values(game: SequenceGame, behaviours: Behaviours) -> ActionValues:
    """By seat, ``[num_sequences]``: chips that each action is worth if both play ``behaviours`` afterwards.

    The opponent also got there by these behaviours, but acts at random at some decisions: that way there is
    an answer for every information set.
    """
    payoff = game.payoff
    if not isinstance(payoff, FactoredPayoff):
        raise SoulreadError(
            f"{game.name!r} is not betting tree times private states; its actions are not valued"
        )
    ones = replace(
        payoff,
        win=tuple(np.zeros_like(matrix) for matrix in payoff.win),
        tie=1.0,
        leaves=replace(payoff.leaves, chips=np.ones_like(payoff.leaves.chips)),
    )
    first, second = (_action_values(game, payoff, ones, behaviours, seat) for seat in (0, 1))
    return first, second


def _action_values(
    game: SequenceGame, payoff: FactoredPayoff, ones: FactoredPayoff, behaviours: Behaviours, seat: int
) -> Behaviour:
    """Sums over the hands that come to each action: chips, over how many hands there are."""
    tree, other = game.trees[seat], game.trees[1 - seat]
    slipping = mix_behaviours(
        other, SLIP, uniform_behaviour(other), in_precision(behaviours[1 - seat], np.float64)
    )
    plan = in_precision(plan_from_behaviour(other, slipping), payoff.dtype)
    own = in_precision(behaviours[seat], payoff.dtype)
    chips, hands = (kind.gradient(seat, plan) for kind in (payoff, ones))
    for values in (chips, hands):
        add_values(tree.arrays, own, values)
    return Behaviour(np.divide(chips, hands, out=np.zeros_like(chips), where=hands > 0))


class OffPolicy:
    """Estimates what each of ``members`` would have won in hands that were played with a mixture of them.

    The members play over the same private states. ``assumed`` is how the opponent is taken to play where its
    cards stayed hidden and ``hidden`` is "range"; by default, as the first member. ``worth`` is Q; without it
    only folds are valued.
    """

    def __init__(
        self,
        members: Sequence[TabularStrategy],
        hidden: str = "own",
        assumed: TabularStrategy | None = None,
        worth: ActionValues | None = None,
    ) -> None:
        if not members:
            raise SoulreadError("a portfolio needs at least one member")
        if hidden not in HIDDEN:
            raise SoulreadError(f"hidden={hidden}; expected one of {', '.join(HIDDEN)}")
        first = members[0]
        if any(one.lookup != first.lookup or one.betting is not first.betting for one in members):
            raise SoulreadError("the members of a portfolio must play over the same private states")
        self.members = tuple(members)
        self.hidden = hidden
        self.assumed = first if assumed is None else assumed
        self.worth = None if worth is None else replace(first, behaviours=worth)
        self.game = first.betting.poker
        self._table = hand_table(self.game)
        self._sizes = tuple(itertools.accumulate(self.game.rules.board_cards))

    def estimates(self, hand: Hand, weights: Floats) -> Floats | None:
        """``[members]``: chips that each would have won in a hand, as its observer saw it.

        ``weights`` are the chances, before this hand, of playing it with each member. None if a mixture with
        these weights never plays so.
        """
        verify_hand(self.game, hand)
        if weights.shape != (len(self.members),):
            raise ShapeError(
                f"weights of shape {weights.shape} for {len(self.members)} members; expected one each"
            )
        seat, other = hand.eyewitness, hand.hole[hand.opponent]
        reach, known, theirs, node = self._walk(hand, seat, weights)
        mixed = weights @ reach
        alive = ((self._table.masks & cards_mask(hand.board)) == 0).astype(np.float64)
        won: Floats | float = float(hand.payoffs[seat])
        if other is not None and len(other) == self.game.rules.hole_cards:
            shown = self._table.index(other)
            chance = alive * _apart(self._table)[shown]
            if hand.showdown:
                won = float(self.members[0].betting.arrays.chips[node, seat]) * self._wins(hand, shown)
        elif self.hidden == "range" and not hand.showdown:
            chance = alive * (_apart(self._table) @ (theirs * alive))
            if not chance @ mixed > 0:  # the opponent as assumed never gets here
                chance = alive * (_apart(self._table) @ alive)
        else:
            chance = self._only(hand, seat)
        total = float(chance @ mixed)
        if not total > 0:
            return None
        found: Floats = (reach @ (chance * won) + known @ (chance * mixed)) / total
        return found

    def _walk(self, hand: Hand, seat: int, weights: Floats) -> tuple[Floats, Floats, Floats, int]:
        """The parts of equation (1) for all holdings at once, and the betting node at the end.

        These are the members' reach ``[members, H]``, the sum over our decisions ``[members, H]``, and the
        reach of the opponent as assumed ``[H]``.
        """
        betting = self.members[0].betting
        tree = betting.arrays
        reach = np.ones((len(self.members), len(self._table.masks)))
        ratio, known, theirs = reach.copy(), np.zeros_like(reach), np.ones(reach.shape[1])
        states: dict[int, Ints] = {}
        node = 0
        for actor, action in hand.actions:
            r = int(tree.round[node])
            if r not in states:
                board = np.array([hand.board[: self._sizes[r]]], dtype=np.uint8)
                states[r] = all_states(self.members[0].lookup, self._table, board)[0]
            position = betting.actions[node].index(action)
            if actor == seat:
                chances = np.stack([member.chances(node, states[r]) for member in self.members])
                worth = self._worth(node, seat, states[r])
                known += ratio * (chances * worth).sum(axis=1)
                reach *= chances[:, position]
                mixed = weights @ reach
                ratio = np.divide(reach, mixed, out=np.zeros_like(reach), where=mixed > 0)
                known -= ratio * worth[position]
            elif self.hidden == "range":
                theirs *= self.assumed.chances(node, states[r])[position]
            node = int(tree.child[node, position])
        return reach, known, theirs, node

    def _worth(self, node: int, seat: int, states: Ints) -> Floats:
        """``[actions, H]``: the assumed value of each action; that of folding is known."""
        betting = self.members[0].betting
        if self.worth is None:
            worth = np.zeros((len(betting.actions[node]), states.size))
        else:
            worth = self.worth.chances(node, states)
        if FOLD in betting.actions[node]:
            place = betting.actions[node].index(FOLD)
            worth[place] = betting.arrays.chips[int(betting.arrays.child[node, place]), seat]
        return worth

    def _wins(self, hand: Hand, shown: int) -> Floats:
        """``[H]``: 1, 0 or -1, whether each holding beats the one that the opponent showed."""
        values = self._table.values(hand.board, 1, np.random.default_rng(0))[0].astype(np.int32)
        wins: Floats = np.sign(values - values[shown]).astype(np.float64)
        return wins

    def _only(self, hand: Hand, seat: int) -> Floats:
        """``[H]``: 1 for our own cards."""
        own = hand.hole[seat]
        assert own is not None
        chance = np.zeros(len(self._table.masks))
        chance[self._table.index(own)] = 1
        return chance


@lru_cache(maxsize=4)
def _apart(table: HandTable) -> Floats:
    """``[H, H]``: 1 where two holdings have no card in common."""
    return np.asarray((table.masks[:, None] & table.masks[None]) == 0, dtype=np.float64)
