"""The common part of Bayesian models: beliefs about one player's strategy in *both* seats.

What a player does wrong in one seat he often does wrong in the other, so these models are of players, not of
seats. They have beliefs before the first hand, from their priors. `BeliefModel.seat` gives what the contract
of `soulread.model.base.OpponentModel` asks: one seat, learnt from the hands in which he had it.

The plan to answer is the *mean plan*: expected payoffs are linear in the plan, so the best response to the
posterior mean of the plan is the Bayesian best response (Southey et al., UAI 2005). The mean of behaviours
is another thing.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import NotFitted, SoulreadError
from soulread.model.evidence import Evidence, EvidenceReader, likelihood
from soulread.observe.hand import Hand
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import behaviour_from_plan
from soulread.seqform.tabular import Lookup

Plan = NDArray[np.float64]
Pair = tuple[NDArray[np.float64], NDArray[np.float64]]  # one [num_sequences] for each seat


class BeliefModel(ABC):
    """Beliefs about how one player plays both seats of ``game``.

    ``num_hands`` counts the hands learnt from. ``lookup`` is for games whose private states are not cards.
    """

    def __init__(self, game: SequenceGame, lookup: Lookup | None = None) -> None:
        self.game = game
        self.lookup = lookup
        self.num_hands = 0

    @cached_property
    def reader(self) -> EvidenceReader:
        """Turns hands into evidence."""
        return EvidenceReader(self.game, self.lookup)

    def reset(self) -> None:
        """Go back to the prior."""
        self.num_hands = 0
        self._start()

    def learn(self, evidence: Evidence) -> Self:
        """Learn from what was seen of one hand."""
        self.num_hands += 1
        self._take(evidence)
        return self

    def update(self, hand: Hand) -> Self:
        """Learn from one more hand."""
        return self.learn(self.reader.read(hand))

    def fit(self, hands: Iterable[Hand]) -> Self:
        """Learn from these hands alone."""
        self.reset()
        for hand in hands:
            self.update(hand)
        return self

    def predictive(self, evidence: Evidence) -> float:
        """Probability the model gives to what was seen of a hand, before it learns from it."""
        return likelihood(evidence, self.plan(evidence.player))

    def strategy(self, player: int) -> Plan:
        """The behaviour of the mean plan; uniform at sets it does not reach."""
        behaviour: Plan = behaviour_from_plan(self.game.trees[player], self.plan(player)).astype(np.float64)
        return behaviour

    def seat(self, player: int) -> "SeatModel":
        """This model as one of the player in one seat alone."""
        return SeatModel(self, player)

    @abstractmethod
    def _start(self) -> None:
        """Set beliefs to the prior."""

    @abstractmethod
    def _take(self, evidence: Evidence) -> None:
        """Move beliefs."""

    @abstractmethod
    def plan(self, player: int) -> Plan:
        """Posterior mean of the plan in seat ``player``, ``[num_sequences]``; not to be changed."""

    @abstractmethod
    def likeliest(self, player: int) -> Plan:
        """The plan of highest posterior probability, or density, that the model knows of."""

    @abstractmethod
    def sample(self, player: int, rng: np.random.Generator) -> Plan:
        """A plan drawn from the posterior."""


class SeatModel:
    """A `BeliefModel` behind the contract of one seat: hands of the other seat teach nothing."""

    def __init__(self, beliefs: BeliefModel, player: int) -> None:
        if player not in (0, 1):
            raise SoulreadError(f"player {player!r}; a two-player game has players 0 and 1")
        self.beliefs = beliefs
        self.player = player

    def fit(self, hands: Iterable[Hand]) -> Self:
        """Learn from these hands alone."""
        self.beliefs.reset()
        for hand in hands:
            self.update(hand)
        return self

    def update(self, hand: Hand) -> Self:
        """Learn from one more hand."""
        if hand.observer is None or hand.observer != self.player:
            self.beliefs.update(hand)
        return self

    def strategy(self) -> Plan:
        """The behaviour the opponent is believed to play."""
        if not self.beliefs.num_hands:
            raise NotFitted("this model has seen no hands; call fit or update first")
        return self.beliefs.strategy(self.player)

    def probabilities(self, information: str) -> dict[int, float]:
        """Probability of each action, by the game's number of it, at the set of this label."""
        behaviour = self.strategy()
        tree = self.beliefs.game.trees[self.player]
        index = tree.index(information)
        return dict(zip(tree.legal_actions(index), behaviour[tree.sequences(index)].tolist(), strict=True))
