"""TD-CFR (Tansey, "Novel Approaches for Exploiting Opponents in Poker", 2013, Algorithms 1-3), a baseline.

Counterfactual regret minimisation by one-step temporal differences. At each information set s it keeps

    P(s, t)      belief that the opponent holds private state t; equal over all that can be, at first
    Q(s, t, a)   chips expected from action a when he holds t; at first the most the game can bring
    R(s, a)      total regret; the policy pi(s) is in proportion to its positive part, else uniform

A hand is played with pi, but with probability xi each action is drawn evenly. At each set s that was met,
with q(a) = sum of P(s, t) Q(s, t, a) over t, all as they were when the hand began,

    R(s, a) += q(a) - sum of pi(s, b) q(b) over b

and after the hand, along the sets and actions met,

    P(s, .)     += alpha (what he turned out to hold - P(s, .))
    Q(s, t, a)  += alpha (target - Q(s, t, a))    at the t he held

where the target is the value of pi at the next set of the hand, given what he held, or after the last one
the chips won: one step, and off-policy, because it is not the value of the exploring action. Then xi and
alpha decay. The average of the policies is kept too, but it is not what is played.

The paper "assumes all holecards are revealed at the end of the hand". With ``reveal`` they are, where the
caller knows them. By default it sees what its seat sees: when nobody shows, P stays as it is, and Q moves at
every t by alpha times P(s, t), as it does on average. P then describes the hands that were shown.

Corrected slips of the listing: line 19 starts the history of the hand afresh whenever it explores (here the
step is added to it), and line 34 sets alpha to the decayed xi (here alpha itself decays). The average (line 6
of Algorithm 3) mixes in the last policy, not the last average, and weighs by a reach that has the chosen
action in it; here it is that of the set. The paper gives no decay of alpha: 1 by default.
"""

from dataclasses import dataclass, fields
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.observe.hand import Hand
from soulread.seqform.betting import betting_tree
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.strategy import draw_action, uniform_behaviour
from soulread.solve.named import Playable, Tell, compile_playable

DEFAULT_ABSTRACTION = "5-5-5-5"  # in limit hold'em

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Settings:
    """Exploration, learning rate and their decays per hand; the paper's by default."""

    xi: float = 0.1
    xi_decay: float = 0.99
    alpha: float = 0.05
    alpha_decay: float = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not 0 <= value <= 1:
                raise SoulreadError(f"td-cfr: {field.name}={value}; it must lie between 0 and 1")


class Finished(Protocol):
    """What is known of a finished hand; a node is one of `soulread.seqform.betting_tree`."""

    @property
    def seat(self) -> int:
        """Our own."""

    @property
    def node(self) -> int:
        """The end the betting came to."""

    @property
    def own_state(self) -> int:
        """Our private state of the last round."""

    @property
    def shown_state(self) -> int:
        """The opponent's, if he showed it; else -1."""

    @property
    def villain_state(self) -> int:
        """The opponent's, whether he showed it or not; -1 where nobody knows."""

    @property
    def profit(self) -> float:
        """Chips we won."""


@dataclass(frozen=True, slots=True)
class Ending:
    """A `Finished` hand."""

    seat: int
    node: int
    own_state: int
    shown_state: int
    profit: float
    villain_state: int = -1


@dataclass(slots=True)
class _Set:
    """What is kept of an information set that was met."""

    belief: Array  # P(s, .): [S_r]
    value: Array  # Q(s, ., .): [S_r, actions]
    regret: Array  # [actions]
    total: Array  # [actions] policies added up, weighed by own reach


class TdCfr:
    """The learner: `respond` before a hand, `learn` after it.

    What is kept grows with the information sets that were met, S_r times (actions + 1) numbers each.
    """

    def __init__(self, playable: Playable, settings: Settings | None = None, reveal: bool = False) -> None:
        payoff = playable.game.payoff
        if not isinstance(payoff, FactoredPayoff):
            raise SoulreadError(f"td-cfr: {playable.game.name!r} is not betting tree times private states")
        self.playable = playable
        self.settings = Settings() if settings is None else settings
        self.reveal = reveal
        self.betting = betting_tree(playable.poker)
        self._payoff = payoff
        self._first = self.betting.layout(playable.lookup.num_states).first_sequence.tolist()
        tree = self.betting.arrays
        self._above = {
            int(child): (node, position)
            for node, count in enumerate(tree.num_actions.tolist())
            for position, child in enumerate(tree.child[node, :count])
        }
        self._most = float(np.abs(tree.chips).max())
        self._uniform = tuple(
            uniform_behaviour(seat_tree).astype(np.float64) for seat_tree in playable.game.trees
        )
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.xi = self.settings.xi
        self.alpha = self.settings.alpha
        self._sets: dict[tuple[int, int], _Set] = {}
        self._policies = tuple(uniform.copy() for uniform in self._uniform)

    def respond(self, seat: int, rng: np.random.Generator | None = None) -> Array:
        """The behaviour ``[num_sequences]`` of the next hand, exploration included."""
        mixed: Array = (1 - self.xi) * self._policies[seat] + self.xi * self._uniform[seat]
        return mixed

    def rows(self, node: int, state: int) -> slice:
        """The sequences of an information set, one per action."""
        width = self.playable.lookup.num_states[int(self.betting.arrays.round[node])]
        first = self._first[node] + state
        return slice(first, first + (len(self.betting.actions[node]) - 1) * width + 1, width)

    def chances(self, node: int, state: int) -> Array:
        """What is played at an information set, one probability per action, exploration included."""
        policy = self._policies[int(self.betting.arrays.player[node])][self.rows(node, state)]
        mixed: Array = (1 - self.xi) * policy + self.xi / policy.size
        return mixed

    def average(self, seat: int) -> Array:
        """The average of the policies so far, weighed by own reach; uniform where it never came."""
        behaviour = self._uniform[seat].copy()
        for (node, state), entry in self._sets.items():
            if self.betting.arrays.player[node] == seat and entry.total.any():
                behaviour[self.rows(node, state)] = entry.total / entry.total.sum()
        return behaviour

    def belief(self, node: int, state: int) -> Array:
        """P of an information set: ``[S_r]``, over the opponent's private states."""
        return self._set(node, state).belief

    def values(self, node: int, state: int) -> Array:
        """Q of an information set: ``[S_r, actions]``, in chips."""
        return self._set(node, state).value

    def learn(self, hand: Finished) -> None:
        """Update regrets, beliefs and values along a finished hand."""
        steps = self._steps(hand)
        policy = self._policies[hand.seat]
        known = (hand.villain_state if self.reveal else -1) if hand.shown_state < 0 else hand.shown_state
        held = self._trace(hand.node, known)
        played = []
        reach = 1.0
        for node, state, position in steps:
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
            t = -1 if held is None else held[int(self.betting.arrays.round[node])]
            played.append((entry, pi, position, t))
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

    def _steps(self, hand: Finished) -> list[tuple[int, int, int]]:
        """Our decisions of a hand, first to last: betting node, private state, position of the action."""
        states = self._trace(hand.node, hand.own_state)
        assert states is not None
        tree = self.betting.arrays
        steps = []
        node = hand.node
        while node in self._above:
            node, position = self._above[node]
            if tree.player[node] == hand.seat:
                steps.append((node, states[int(tree.round[node])], position))
        return steps[::-1]

    def _trace(self, node: int, state: int) -> list[int] | None:
        """Private states of all rounds up to that of a node; None if the last one is not known."""
        if state < 0:
            return None
        states = [state]
        for r in range(int(self.betting.arrays.round[node]), 0, -1):
            states.append(int(self._payoff.parent_state[r][states[-1]]))
        return states[::-1]


class TdCfrAgent:
    """TD-CFR at a table with real cards; ``learner`` is what it has learned."""

    def __init__(self, name: str, learner: TdCfr) -> None:
        self.name = name
        self.learner = learner

    def reset(self) -> None:
        """Forget everything."""
        self.learner.reset()

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the policy, or with probability xi any; takes one double of ``rng``."""
        learner = self.learner
        node = learner.betting.decision(view.betting)
        chances = learner.chances(node, learner.playable.lookup.state(view.hole, view.board))
        return learner.betting.actions[node][draw_action(chances, 0, 1, chances.size, rng.random())]

    def observe(self, hand: Hand) -> None:
        """Learn from a hand as its seat saw it."""
        if hand.observer is None:
            raise SoulreadError(f"hand {hand.betting!r} was seen by nobody at the table")
        betting, lookup = self.learner.betting, self.learner.playable.lookup
        node = 0
        for _, action in hand.actions:
            node = int(betting.arrays.child[node, betting.actions[node].index(action)])
        own, other = hand.hole[hand.observer], hand.hole[1 - hand.observer]
        assert own is not None
        self.learner.learn(
            Ending(
                seat=hand.observer,
                node=node,
                own_state=lookup.state(own, hand.board),
                shown_state=-1 if other is None else lookup.state(other, hand.board),
                profit=hand.payoffs[hand.observer],
            )
        )


def td_cfr_agent(text: str, game: PokerGame, tell: Tell | None = None) -> TdCfrAgent:
    """``"td-cfr"``, ``"td-cfr:alpha=0.1,xi=0.2"``; in limit hold'em also ``"td-cfr:5-5-5-5,alpha=0.1"``."""
    spec, settings = _parse(text)
    if game.name == "limit":
        name = f"limit:{spec or DEFAULT_ABSTRACTION}"
    elif spec:
        raise ParseError(f"{text!r} has a card abstraction, but {game.name!r} needs none")
    else:
        name = game.name
    return TdCfrAgent(text, TdCfr(compile_playable(name, tell), settings))


def _parse(text: str) -> tuple[str, Settings]:
    options = text.partition(":")[2]
    spec = ""
    known = [field.name for field in fields(Settings)]
    values: dict[str, float] = {}
    for position, item in enumerate(options.split(",") if options else ()):
        key, equals, value = item.partition("=")
        if not equals and position == 0 and item:
            spec = item
            continue
        if key not in known or not value:
            raise ParseError(f"{item!r} in {text!r} is not an option; known are {', '.join(known)}")
        try:
            values[key] = float(value)
        except ValueError:
            raise ParseError(f"{item!r} in {text!r}: expected a number") from None
    try:
        return spec, Settings(**values)
    except SoulreadError as error:
        raise ParseError(f"{text!r}: {error}") from None
