"""The common part of Bayesian models: beliefs about one player's strategy in *both* seats.

Players often make the same mistake in both seats, so these models are of players, not of seats. Thanks to
their priors they have beliefs before the first hand.

The plan to answer is the *mean plan*: expected payoffs are linear in the plan, so the best response to the
posterior mean of the plan is the Bayesian best response (Southey et al., UAI 2005). The mean of behaviours
is something else and does not have this property.
"""

from abc import abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Self

import numpy as np

from soulread.hands.hand import Hand
from soulread.model.base import subject
from soulread.model.bayes.evidence import Evidence, EvidenceReader, likelihood
from soulread.model.tabular import TabularModel
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Plan, behaviour_from_plan, in_precision


class BeliefModel(TabularModel):
    """Beliefs about how one player plays both seats of ``game``, learnt from ``num_hands`` hands."""

    def __init__(self, game: SequenceGame) -> None:
        self.game = game
        self.num_hands = 0

    @cached_property
    def reader(self) -> EvidenceReader:
        """Turns hands into evidence."""
        return EvidenceReader(self.game)

    def reset(self) -> None:
        """Go back to the prior."""
        self.num_hands = 0
        self._start()

    def learn(self, evidence: Evidence) -> Self:
        """Learn from what was seen of one hand."""
        self.num_hands += 1
        self._take(evidence)
        return self

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand."""
        return self.learn(self.reader.read(hand, subject(hand, player)))

    def fit(self, hands: Iterable[Hand], player: str | None = None) -> Self:
        """Learn from these hands alone."""
        self.reset()
        for hand in hands:
            self.update(hand, player)
        return self

    def predictive(self, evidence: Evidence) -> float:
        """Probability the model gives to what was seen of a hand, before it learns from it."""
        return likelihood(evidence, self.plan(evidence.player))

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour of the mean plan; uniform at sets it does not reach."""
        return in_precision(behaviour_from_plan(self.game.trees[seat], self.plan(seat)), np.float64)

    @abstractmethod
    def _start(self) -> None:
        """Set beliefs to the prior."""

    @abstractmethod
    def _take(self, evidence: Evidence) -> None:
        """Update beliefs with what was seen of one hand."""

    @abstractmethod
    def plan(self, seat: int) -> Plan:
        """Posterior mean of the plan in ``seat``, ``[num_sequences]``; not to be changed."""

    @abstractmethod
    def likeliest(self, seat: int) -> Plan:
        """The plan of highest posterior probability, or density, that the model knows of."""

    @abstractmethod
    def sample(self, seat: int, rng: np.random.Generator) -> Plan:
        """A plan drawn from the posterior."""
