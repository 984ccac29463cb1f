"""Vexbot's model as a table over information sets, and an equilibrium as its default.

The model (`soulread.model.vexbot.model`) knows how often the opponent takes each action after each way of
betting, p(a), and the hand ranks at showdowns. A table needs P(a | s), the chance with private state s. By
Bayes,

    P(a | s) = p(a) P(s | a) / P(s)

P(s | a) comes from the showdowns below the action: with D(c | s) the chance that state s ends in cell c of
the hand ranks, and H_a(c) the histogram of these showdowns (our own actions taken evenly),

    P(s | a)  ~  chance of s  x  sum over c of  D(c | s) H_a(c) x number of cells

and P(s), the share of each state that is left where the action is taken, is carried down the tree. A player
who folds shows nothing. So folding gets the chance that the other actions leave; if they leave none, they are
scaled to sum to one.

This is an estimate: only hands that stay to the end are in H_a. It serves to measure what Vexbot's model is
worth without its search.
"""

from functools import lru_cache
from math import comb
from typing import Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.poker import FOLD
from soulread.hands.hand import Hand
from soulread.model.tabular import TabularModel
from soulread.model.vexbot.classes import LEAD, Grouping, contexts
from soulread.model.vexbot.hand_rank import HandRank
from soulread.model.vexbot.model import (
    CELLS,
    DECAY,
    SHOWN,
    STRENGTH,
    ContextTree,
    Defaults,
    generic_defaults,
    overlaps,
    uniform_defaults,
)
from soulread.seqform.compile import SequenceGame, betting_of, poker_of
from soulread.seqform.payoff import FactoredPayoff, trace_ancestors
from soulread.seqform.strategy import Behaviour, Behaviours, plan_from_behaviour

_LEAST = 1e-6  # share of a state that is always left, to divide by


class ContextTable(TabularModel):
    """Vexbot's model of one player as behaviours of ``game``, a betting tree times private states."""

    def __init__(
        self,
        game: SequenceGame,
        defaults: Defaults | None = None,
        decay: float = DECAY,
        strength: float = STRENGTH,
        shown: float = SHOWN,
        grouping: Grouping = LEAD,
    ) -> None:
        _factored(game)
        self.game = game
        self.tree = ContextTree(poker_of(game), defaults, decay, strength, shown, grouping)
        self._kept: dict[int, Behaviour] = {}

    def reset(self) -> None:
        """Forget every hand."""
        self.tree.reset()
        self._kept.clear()

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand."""
        self.tree.update(hand, player)
        self._kept.clear()
        return self

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour ``[num_sequences]`` the player is believed to have in ``seat``."""
        if seat not in self._kept:
            self._kept[seat] = self._behaviour(seat)
        return self._kept[seat]

    def _behaviour(self, seat: int) -> Behaviour:
        payoff = _factored(self.game)
        betting = self.tree.contexts.betting
        arrays = betting.arrays
        layout = betting.layout([states.size for states in payoff.parent_state])
        cells = state_cells(self.game, self.tree.cells)
        chance = [matrix.sum(axis=1, dtype=np.float64) for matrix in payoff.reach]
        tables = self.tree.tables(seat)
        shown = _showdowns_below(self.tree, seat)
        behaviour = np.ones(self.game.trees[seat].num_sequences)
        left = {0: np.ones(len(chance[0]))}  # by node: how much of each state is left, 1 on average
        for node, actions in enumerate(betting.actions):
            share = left.pop(node)
            if not actions:
                continue
            r = int(arrays.round[node])
            played = None
            if arrays.player[node] == seat:
                chances = tables.chances[node, : len(actions)]
                played = _by_state(
                    actions, chances, shown[arrays.child[node, : len(actions)]], share, cells[r]
                )
                first = int(layout.first_sequence[node])
                behaviour[first : first + played.size] = played.ravel()
            for k, child in enumerate(arrays.child[node, : len(actions)].tolist()):
                after = share
                if played is not None:
                    after = share * played[k]
                    after = after / max(float(chance[r] @ after) / float(chance[r].sum()), _LEAST)
                if arrays.player[child] != TERMINAL and arrays.round[child] != r:
                    after = after[payoff.parent_state[r + 1]]
                left[child] = after
        return Behaviour(behaviour)


def _by_state(
    actions: tuple[int, ...],
    chances: NDArray[np.float64],
    shown: NDArray[np.float64],
    share: NDArray[np.float64],
    cells: NDArray[np.float64],
) -> NDArray[np.float64]:
    """``[actions, states]`` the chance of each action in each private state.

    ``shown [actions, cells]`` has the showdowns below each action; ``share [states]`` is what is left of each
    state, and ``cells [states, cells]`` where it ends.
    """
    total = shown.sum(axis=1, keepdims=True)
    even = np.full_like(shown, 1 / shown.shape[1])
    likely = np.where(total > 0, shown / np.maximum(total, 1e-300), even) @ cells.T * shown.shape[1]
    found: NDArray[np.float64] = chances[:, None] * likely / np.maximum(share, _LEAST)
    if actions[0] == FOLD:
        found[0] = np.maximum(0.0, 1 - found[1:].sum(axis=0))
    total = found.sum(axis=0)
    return np.where(total > 0, found / np.maximum(total, 1e-300), chances[:, None])


def _showdowns_below(tree: ContextTree, seat: int) -> NDArray[np.float64]:
    """``[N, cells]`` the showdowns below each node: how likely if we act evenly, with which hand ranks."""
    arrays = tree.contexts.betting.arrays
    tables = tree.tables(seat)
    found = np.where(arrays.showdown[:, None], np.diff(tables.cumulative, axis=1), 0.0)
    for node in range(len(found) - 1, -1, -1):
        count = int(arrays.num_actions[node])
        if count:
            weights = (
                tables.chances[node, :count] if arrays.player[node] == seat else np.full(count, 1 / count)
            )
            found[node] = weights @ found[arrays.child[node, :count]]
    return found


@lru_cache(maxsize=4)
def state_cells(game: SequenceGame, cells: int) -> tuple[NDArray[np.float64], ...]:
    """``[rounds]`` of ``[S_r, cells]``: how likely each private state ends in each cell of the hand ranks.

    A state of the last round has the places between what it beats and what beats it; an earlier one those of
    the states that follow it.
    """
    payoff = _factored(game)
    reach, win = (matrix.astype(np.float64) for matrix in (payoff.reach[-1], payoff.win[-1]))
    chance = reach.sum(axis=1)
    rules = poker_of(game).rules
    own = 1 / comb(len(rules.deck) - sum(rules.board_cards), rules.hole_cards)  # a holding's own place
    low, high = win.sum(axis=1) / chance * (1 - own), 1 - win.sum(axis=0) / chance * (1 - own)
    rows = [overlaps(HandRank(*places), cells) for places in zip(low.tolist(), high.tolist(), strict=True)]
    found = [np.array(rows)]
    for r in range(len(payoff.reach) - 1, 0, -1):
        parents = payoff.parent_state[r]
        weight = payoff.reach[r].sum(axis=1, dtype=np.float64)
        before = np.zeros((len(payoff.reach[r - 1]), cells))
        np.add.at(before, parents, found[0] * weight[:, None])
        found.insert(0, before / before.sum(axis=1, keepdims=True))
    return tuple(found)


def _factored(game: SequenceGame) -> FactoredPayoff:
    if not isinstance(game.payoff, FactoredPayoff):
        raise SoulreadError(f"{game.name!r} is not a betting tree times private states, which contexts need")
    return game.payoff


# An equilibrium as default.


def equilibrium_defaults(game: SequenceGame, behaviours: Behaviours, cells: int = CELLS) -> Defaults:
    """The frequencies and shown hand ranks of players of ``behaviours`` after each way of betting.

    Both players play them, and the chance of both their cards is taken together. Nodes that they never reach
    have the generic defaults.
    """
    payoff = _factored(game)
    found = contexts(poker_of(game))
    betting = betting_of(game)
    arrays = betting.arrays
    layout = betting.layout([states.size for states in payoff.parent_state])
    ancestors = trace_ancestors(payoff.parent_state)
    ends = state_cells(game, cells)[-1]
    plans = [
        plan_from_behaviour(tree, behaviour) for tree, behaviour in zip(game.trees, behaviours, strict=True)
    ]
    rates, histograms = generic_defaults(poker_of(game), cells)
    rates, histograms = rates.copy(), histograms.copy()

    def towards(seat: int, nodes: NDArray[np.intp], r: int) -> NDArray[np.float64]:
        """``[nodes, S_r]`` the plan of a seat at nodes of a round."""
        level = layout.last_round[seat, nodes] + 1
        rows = plans[seat][layout.last_sequence[seat, nodes][:, None] + ancestors[r][level]]
        played: NDArray[np.float64] = rows.astype(np.float64)
        return played

    for r, joint in enumerate(payoff.reach):
        for seat in (0, 1):
            nodes = np.flatnonzero((arrays.player == seat) & (arrays.round == r))
            weights = towards(seat, nodes, r) * (towards(1 - seat, nodes, r) @ joint.T.astype(np.float64))
            for node, weight in zip(nodes.tolist(), weights, strict=True):
                if weight.sum() > 0:
                    rates[node] = _rates_of(
                        behaviours[seat],
                        int(layout.first_sequence[node]),
                        weight,
                        betting.actions[node],
                        rates[node],
                    )
            if r + 1 == len(payoff.reach):
                nodes = found.ends
                weights = towards(seat, nodes, r) * (towards(1 - seat, nodes, r) @ joint.T.astype(np.float64))
                total = weights.sum(axis=1, keepdims=True)
                reached = total[:, 0] > 0
                histograms[seat, nodes[reached]] = (weights[reached] / total[reached]) @ ends
    return Defaults(rates, histograms)


def _rates_of(
    behaviour: Behaviour,
    first: int,
    weight: NDArray[np.float64],
    actions: tuple[int, ...],
    default: NDArray[np.float64],
) -> NDArray[np.float64]:
    """How often the states of these weights fold, and raise if they do not fold."""
    rows = behaviour[first : first + len(actions) * weight.size].reshape(len(actions), weight.size)
    chances = rows.astype(np.float64) @ weight / weight.sum()
    fold = float(chances[0]) if actions[0] == FOLD else 0.0
    stay = 1 - fold
    rise = float(chances[-1]) / stay if actions[-1] > 1 and stay > _LEAST else float(default[1])
    return np.array([fold, min(rise, 1.0)])


def named_defaults(name: str, game: SequenceGame, behaviours: Behaviours) -> Defaults:
    """The defaults that one of `soulread.model.vexbot.model.DEFAULTS` names."""
    if name == "equilibrium":
        return equilibrium_defaults(game, behaviours)
    return {"uniform": uniform_defaults, "generic": generic_defaults}[name](poker_of(game))
