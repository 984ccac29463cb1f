"""The common part of Bayesian models: beliefs about one player's strategy in *both* seats.

Players often make the same mistake in both seats, so these models are of players, not of seats. Thanks to
their priors they have beliefs before the first hand.

The plan to answer is the *mean plan*: expected payoffs are linear in the plan, so the best response to the
posterior mean of the plan is the Bayesian best response (Southey et al., UAI 2005). The mean of behaviours
is something else and does not have this property.
"""

from abc import abstractmethod
from functools import cached_property
from typing import Self

import numpy as np

from soulread.hands.hand import Hand
from soulread.model.base import subject
from soulread.model.bayes.evidence import Evidence, EvidenceReader, fill_likelihoods, likelihood
from soulread.model.tabular import Possible, TabularModel
from soulread.model.weights_by_prediction import Weights
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import (
    Behaviour,
    Plan,
    behaviour_from_plan,
    draw_index,
    in_precision,
)
from soulread.seqform.treeplex import Floats


class EvidenceModel(TabularModel):
    """A model of how one player plays both seats of ``game`` that learns from `Evidence` alone."""

    def __init__(self, game: SequenceGame) -> None:
        self.game = game
        self.num_hands = 0  # learnt from

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

    def update_read(self, hand: Hand, player: str | None, evidence: Evidence) -> Self:
        """Learn from the evidence of one more hand."""
        return self.learn(evidence)

    @abstractmethod
    def _start(self) -> None:
        """Set beliefs to the prior."""

    @abstractmethod
    def _take(self, evidence: Evidence) -> None:
        """Update beliefs with what was seen of one hand."""


class BeliefModel(EvidenceModel):
    """Beliefs about how one player plays both seats, from which plans can be drawn."""

    def predictive(self, evidence: Evidence) -> float:
        """Probability the model gives to what was seen of a hand, before it learns from it."""
        return likelihood(evidence, self.plan(evidence.player))

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour of the mean plan; uniform at sets it does not reach."""
        return in_precision(behaviour_from_plan(self.game.trees[seat], self.plan(seat)), np.float64)

    @abstractmethod
    def plan(self, seat: int) -> Plan:
        """Posterior mean of the plan in ``seat``, ``[num_sequences]``; not to be changed."""

    @abstractmethod
    def likeliest(self, seat: int) -> Plan:
        """The plan of highest posterior probability, or density, that the model knows of."""

    @abstractmethod
    def sample(self, seat: int, rng: np.random.Generator) -> Plan:
        """A plan drawn from the posterior."""


class WeightedPlans(BeliefModel):
    """Beliefs that are a few plans with ``weights`` that sum to one."""

    weights: Weights

    @abstractmethod
    def table(self, seat: int) -> Floats:
        """``[plans, num_sequences]``: the plans in ``seat``."""

    def judged(self, seat: int) -> Floats:
        """The plans in ``seat`` by which hands are judged; here those that are believed in."""
        return self.table(seat)

    def predictive(self, evidence: Evidence) -> float:
        """Probability the plans give to what was seen of a hand, by weight."""
        chances = np.empty(self.weights.size)
        fill_likelihoods(self.judged(evidence.player), evidence.sequences, evidence.weights, chances)
        return float(self.weights @ chances)

    def plan(self, seat: int) -> Plan:
        """The weighted mean of the plans."""
        table = self.table(seat)
        return Plan(self.weights.astype(table.dtype) @ table)

    def possible(self) -> Possible:
        """All plans with their weights."""
        return Possible(self.weights, ((self.table(0), self.table(1)),))

    def likeliest_member(self) -> int:
        """The number of the plan with the highest weight; the first one at ties."""
        return int(np.argmax(self.weights))

    def sample_member(self, rng: np.random.Generator) -> int:
        """The number of a plan drawn by weight; takes one double of ``rng``."""
        return draw_index(self.weights, rng.random())

    def likeliest(self, seat: int) -> Plan:
        """The plan with the highest weight."""
        return Plan(self.table(seat)[self.likeliest_member()])

    def sample(self, seat: int, rng: np.random.Generator) -> Plan:
        """A plan drawn by weight."""
        return Plan(self.table(seat)[self.sample_member(rng)])
