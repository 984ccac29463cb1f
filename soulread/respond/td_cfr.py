"""TD-CFR (Tansey, "Novel Approaches for Exploiting Opponents in Poker", 2013, Algorithms 1-3), a baseline.

Counterfactual regret minimisation by one-step temporal differences. At each information set s it keeps

    P(s, t)      belief that the opponent holds private state t; at first equal over all that are possible
    Q(s, t, a)   chips expected from action a if the opponent holds t; at first the most that a hand can win
    R(s, a)      total regret; the policy pi(s) is in proportion to its positive part, else uniform

A hand is played with pi, but at each decision, with probability xi, all actions are equally likely. At each
set s that was met, with q(a) = sum of P(s, t) Q(s, t, a) over t, all as they were when the hand began,

    R(s, a) += q(a) - sum of pi(s, b) q(b) over b

and after the hand, along the sets and actions met,

    P(s, .)     += alpha (1 at the t that the opponent held, 0 elsewhere - P(s, .))
    Q(s, t, a)  += alpha (target - Q(s, t, a))    at the t that the opponent held

The target is the value of pi at the next set of the hand, given what the opponent held; after the last set it
is the chips won. This looks one step ahead. It is off-policy, because it is not the value of the exploring
action. Then xi and alpha decay. The average of the policies is kept too, but the last policy is played.

The paper "assumes all holecards are revealed at the end of the hand". Tables can do that (``face_up`` of
`soulread.play.match.card_tables.DealTable.play`); the learner knows only the cards it is shown. If the
opponent's cards stay hidden, P stays as it is, and Q moves at every t by alpha times P(s, t), as it would on
average if they were shown. P then describes only the hands that were shown.

We correct slips in the paper's listing. Line 19 starts the history of the hand afresh whenever it explores;
here the step is added to the history. Line 34 sets alpha to the decayed xi; here alpha itself decays. Line 6
of Algorithm 3 averages with the last policy, not with the last average, and weighs by a reach that includes
the chosen action; here the weight is the reach of the set. The paper gives no decay of alpha, so it is 1 by
default.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.options import Options, option
from soulread.seqform.compile import SequenceGame, betting_of, lookup_of
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.strategy import Behaviour, uniform_behaviour

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TdCfrSettings(Options):
    """Exploration, learning rate and their decays per hand. The defaults are the paper's."""

    xi: float = option(0.1, "probability of exploring: all actions are then equally likely", low=0, high=1)
    xi_decay: float = option(0.99, "factor on xi after every hand", low=0, high=1)
    alpha: float = option(0.05, "learning rate", low=0, high=1)
    alpha_decay: float = option(1.0, "factor on alpha after every hand", low=0, high=1)


class Finished(Protocol):
    """The facts of a finished hand that TD-CFR learns from; `soulread.respond.learning.SeenHand` has them.

    A sequence says which cards a seat had and what it did last; 0 if it never acted.
    """

    @property
    def seat(self) -> int:
        """Our own seat."""

    @property
    def sequences(self) -> tuple[int, int]:
        """Our last sequence, and the opponent's; that is -1 if the opponent's cards were not shown."""

    @property
    def profit(self) -> float:
        """Chips we won."""


@dataclass(frozen=True, slots=True)
class FinishedHand:
    """A `Finished` hand."""

    seat: int
    sequences: tuple[int, int]
    profit: float


@dataclass(slots=True)
class _Set:
    """The numbers of an information set that was met."""

    belief: Array  # P(s, .): [S_r]
    value: Array  # Q(s, ., .): [S_r, actions]
    regret: Array  # [actions]
    total: Array  # [actions] policies added up, weighed by own reach


class TdCfr:
    """The learner: `respond` before a hand, `learn` after it.

    Memory grows with the information sets that were met. Each takes S_r times (actions + 1) numbers, with S_r
    the private states of its round.
    """

    def __init__(self, game: SequenceGame, settings: TdCfrSettings | None = None) -> None:
        payoff = game.payoff
        if not isinstance(payoff, FactoredPayoff):
            raise SoulreadError(f"td-cfr: {game.name!r} is not betting tree times private states")
        self.game = game
        self.settings = TdCfrSettings() if settings is None else settings
        self.betting = betting_of(game)
        self.lookup = lookup_of(game)
        self._payoff = payoff
        self._first = self.betting.layout(self.lookup.num_states).first_sequence.tolist()
        tree = self.betting.arrays
        self._before: list[tuple[int, int]] = [(-1, -1)] * self.betting.num_nodes  # node and action before
        for node, count in enumerate(tree.num_actions.tolist()):
            for position, child in enumerate(tree.child[node, :count].tolist()):
                self._before[child] = node, position
        self._nodes = tuple(self.betting.decisions(seat).tolist() for seat in (0, 1))
        self._most = float(np.abs(tree.chips).max())
        self._uniform = tuple(uniform_behaviour(seat_tree).astype(np.float64) for seat_tree in game.trees)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.xi = self.settings.xi
        self.alpha = self.settings.alpha
        self._sets: dict[tuple[int, int], _Set] = {}
        self._policies = tuple(uniform.copy() for uniform in self._uniform)

    def respond(self, seat: int, rng: np.random.Generator | None = None) -> Behaviour:
        """The behaviour ``[num_sequences]`` of the next hand, exploration included."""
        return Behaviour((1 - self.xi) * self._policies[seat] + self.xi * self._uniform[seat])

    def rows(self, node: int, state: int) -> slice:
        """The sequences of an information set, one per action."""
        width = self.lookup.num_states[int(self.betting.arrays.round[node])]
        first = self._first[node] + state
        return slice(first, first + (len(self.betting.actions[node]) - 1) * width + 1, width)

    def chances(self, node: int, state: int) -> Array:
        """The probability of each action at an information set, exploration included."""
        policy = self._policies[int(self.betting.arrays.player[node])][self.rows(node, state)]
        mixed: Array = (1 - self.xi) * policy + self.xi / policy.size
        return mixed

    def average(self, seat: int) -> Behaviour:
        """The average of the policies so far, weighed by own reach; uniform at sets that were never met."""
        behaviour = self._uniform[seat].copy()
        for (node, state), entry in self._sets.items():
            if self.betting.arrays.player[node] == seat and entry.total.any():
                behaviour[self.rows(node, state)] = entry.total / entry.total.sum()
        return Behaviour(behaviour)

    def belief(self, node: int, state: int) -> Array:
        """P of an information set: ``[S_r]``, over the opponent's private states."""
        return self._set(node, state).belief

    def values(self, node: int, state: int) -> Array:
        """Q of an information set: ``[S_r, actions]``, in chips."""
        return self._set(node, state).value

    def learn(self, hand: Finished) -> None:
        """Update regrets, beliefs and values along a finished hand."""
        held = self._states(1 - hand.seat, hand.sequences[1])
        policy = self._policies[hand.seat]
        played = []
        reach = 1.0
        for node, state, position in self._steps(hand.seat, hand.sequences[0]):
            entry = self._set(node, state)
            rows = self.rows(node, state)
            pi = policy[rows].copy()
            q = entry.belief @ entry.value
            entry.regret += q - pi @ q
            entry.total += reach * pi
            reach *= float(pi[position])
            positive = np.maximum(entry.regret, 0.0)
            total = positive.sum()
            policy[rows] = positive / total if total > 0 else 1 / pi.size
            r = int(self.betting.arrays.round[node])
            played.append((entry, pi, position, held[r] if r < len(held) else -1))
        for i, (entry, _, position, t) in enumerate(played):
            target = hand.profit
            if i + 1 < len(played):
                following, pi, _, there = played[i + 1]
                chances = following.belief if there < 0 else np.eye(1, following.belief.size, there)[0]
                target = float(chances @ following.value @ pi)
            if t >= 0:
                entry.belief *= 1 - self.alpha
                entry.belief[t] += self.alpha
                entry.value[t, position] += self.alpha * (target - entry.value[t, position])
            else:
                entry.value[:, position] += self.alpha * entry.belief * (target - entry.value[:, position])
        self.xi *= self.settings.xi_decay
        self.alpha *= self.settings.alpha_decay

    def _set(self, node: int, state: int) -> _Set:
        entry = self._sets.get((node, state))
        if entry is None:
            tree = self.betting.arrays
            reach = self._payoff.reach[int(tree.round[node])]
            meets = (reach[state] if tree.player[node] == 0 else reach[:, state]) > 0
            actions = len(self.betting.actions[node])
            entry = self._sets[node, state] = _Set(
                meets / meets.sum(),
                np.full((meets.size, actions), self._most),
                np.zeros(actions),
                np.zeros(actions),
            )
        return entry

    def _steps(self, seat: int, sequence: int) -> list[tuple[int, int, int]]:
        """A seat's decisions up to a sequence, first to last: node, private state, position of the action."""
        states = self._states(seat, sequence)
        tree = self.betting.arrays
        steps = []
        node, position = self._decision(seat, sequence)
        while node >= 0:
            if tree.player[node] == seat:
                steps.append((node, states[int(tree.round[node])], position))
            node, position = self._before[node]
        return steps[::-1]

    def _decision(self, seat: int, sequence: int) -> tuple[int, int]:
        """The betting node of a sequence and the position of its action; -1 for the empty sequence."""
        if sequence <= 0:
            return -1, -1
        tree = self.game.trees[seat]
        block = int(np.searchsorted(tree.first_sequence, sequence, side="right")) - 1
        width = int(tree.first_set[block + 1] - tree.first_set[block])
        return self._nodes[seat][block], (sequence - int(tree.first_sequence[block])) // width

    def _states(self, seat: int, sequence: int) -> list[int]:
        """A seat's private states in all rounds up to that of a sequence; empty if there is no sequence."""
        node, _ = self._decision(seat, sequence)
        if node < 0:
            return []
        r = int(self.betting.arrays.round[node])
        states = [(sequence - self._first[node]) % self.lookup.num_states[r]]
        for later in range(r, 0, -1):
            states.append(int(self._payoff.parent_state[later][states[-1]]))
        return states[::-1]
