"""Opponents that change: since which hand has the opponent played as now?

This is Bayesian online change-point detection (Adams & MacKay, arXiv:0710.3742) around any `BeliefModel`. It
assumes that before every hand the opponent starts afresh with probability ``change``. Each hypothesis is a
hand at which the present play began, with a model that has learnt from the hands since. The weight of a
hypothesis is multiplied by the probability that its model gave to each hand. Only the ``keep`` hypotheses of
largest weight are kept; the youngest one always is.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.evidence import Evidence
from soulread.model.weights_by_prediction import posterior
from soulread.options import Bounds
from soulread.seqform.strategy import Plan, draw_index


class ChangingModel(BeliefModel):
    """One model, made by ``make``, for each hypothesis of when the opponent's present play began."""

    def __init__(self, make: Callable[[], BeliefModel], change: float = 0.01, keep: int = 8) -> None:
        Bounds(above=0, below=1).verify("change", change)
        Bounds(low=2).verify("keep", keep)
        self._make = make
        first = make()
        super().__init__(first.game)
        self.change = change
        self.keep = keep
        self._models: list[BeliefModel] = [first]
        self._spare: list[BeliefModel] = []
        self._start()

    def _start(self) -> None:
        self._spare += self._models
        self._models = [self._fresh()]
        self.ages: list[int] = [0]
        self.weights: NDArray[np.float64] = np.ones(1)

    def _fresh(self) -> BeliefModel:
        if not self._spare:
            return self._make()
        model = self._spare.pop()
        model.reset()
        return model

    def _take(self, evidence: Evidence) -> None:
        if self.num_hands > 1:
            self._models.append(self._fresh())
            self.ages.append(0)
            self.weights = np.append((1 - self.change) * self.weights, self.change)
        predicted = np.array([model.predictive(evidence) for model in self._models])
        self.weights = posterior(self.weights, predicted)
        for model in self._models:
            model.learn(evidence)
        self.ages = [age + 1 for age in self.ages]
        if len(self._models) > self.keep:
            dropped = int(np.argmin(self.weights[:-1]))
            self._spare.append(self._models.pop(dropped))
            self.ages.pop(dropped)
            self.weights = np.delete(self.weights, dropped)
            self.weights = self.weights / self.weights.sum()

    def plan(self, player: int) -> Plan:
        """The mean of the hypotheses' mean plans, by weight."""
        mean = np.zeros(self.game.trees[player].num_sequences)
        for weight, model in zip(self.weights, self._models, strict=True):
            mean += weight * model.plan(player)
        return Plan(mean)

    def likeliest(self, player: int) -> Plan:
        """The likeliest plan of the hypothesis with the largest weight."""
        return self._models[int(np.argmax(self.weights))].likeliest(player)

    def sample(self, player: int, rng: np.random.Generator) -> Plan:
        """A plan drawn from the posterior since a beginning drawn by weight."""
        chosen = draw_index(self.weights, rng.random())
        return self._models[chosen].sample(player, rng)
