"""Implicit modelling: the opponent plays one of a portfolio of known strategies (Southey et al., UAI 2005).

The posterior of member m is proportional to prior[m] times the product of the likelihoods of all hands. Where
the opponent's cards stayed hidden, a likelihood is a sum over the possible cards
(`soulread.model.bayes.evidence`).

* ``slip``: likelihoods are computed as if a member acted at random with this probability at every decision.
  One action that a member never takes then does not rule the member out for ever. The learner answers the
  member itself, without slips.
* ``forget``: a value below 1 raises the likelihoods of older hands to its powers. The posterior then
  remembers about 1 / (1 - forget) hands.
* ``change`` is the probability, before every hand, that the opponent draws a new member from the prior. The
  posterior under that assumption is exact: before each hand the weights move towards the prior by ``change``.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.evidence import Evidence, fill_likelihoods
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import (
    Behaviours,
    Plan,
    draw_index,
    in_precision,
    mix_behaviours,
    plan_from_behaviour,
    uniform_behaviour,
    verify_behaviour,
)

_SMALLEST = 1e-300

Members = Sequence[Behaviours]


class PortfolioModel(BeliefModel):
    """Beliefs over ``members``, pairs of behaviours for seats 0 and 1; equally likely by default."""

    def __init__(
        self,
        game: SequenceGame,
        members: Members,
        prior: NDArray[np.float64] | None = None,
        slip: float = 0.01,
        forget: float = 1.0,
        change: float = 0.0,
    ) -> None:
        super().__init__(game)
        if not members:
            raise SoulreadError("a portfolio needs at least one member")
        prior = np.full(len(members), 1 / len(members)) if prior is None else np.asarray(prior, dtype=float)
        if prior.shape != (len(members),) or prior.min() < 0 or not 0 < prior.sum() < np.inf:
            raise ShapeError(
                f"a prior of shape {prior.shape} for {len(members)} members; expected one weight each"
            )
        verify_drift(forget, change)
        if not 0 <= slip < 1:
            raise SoulreadError(f"slip={slip!r}; a probability below 1 was expected")
        self.prior = prior / prior.sum()
        self.forget = forget
        self.change = change
        self.members = tuple(members)
        self.plans = member_plans(game, members, 0.0)
        self._seen = member_plans(game, members, slip) if slip else self.plans
        self._log_prior = np.log(np.maximum(self.prior, _SMALLEST))
        self._likelihood = np.empty(len(members))
        self._start()

    def _start(self) -> None:
        self._log_weights = self._log_prior.copy()
        self.weights = self.prior.copy()

    def _take(self, evidence: Evidence) -> None:
        fill_likelihoods(self._seen[evidence.player], evidence.sequences, evidence.weights, self._likelihood)
        if self.change:
            mixed = (1 - self.change) * self.weights + self.change * self.prior
            self._log_weights = np.log(np.maximum(mixed, _SMALLEST))
        if self.forget < 1:
            self._log_weights *= self.forget
            self._log_weights += (1 - self.forget) * self._log_prior
        self._log_weights += np.log(np.maximum(self._likelihood, _SMALLEST))
        self._log_weights -= self._log_weights.max()
        np.exp(self._log_weights, out=self.weights)
        self.weights /= self.weights.sum()

    def plan(self, player: int) -> Plan:
        """The mean of the members' plans, weighted by their posterior."""
        return Plan(self.weights @ self.plans[player])

    def member_plan(self, player: int, member: int) -> Plan:
        """The plan of one member."""
        return Plan(self.plans[player][member])

    def likeliest_member(self) -> int:
        """The member with the highest posterior; the first one at ties."""
        return int(np.argmax(self.weights))

    def sample_member(self, rng: np.random.Generator) -> int:
        """A member drawn by its posterior; takes one double of ``rng``."""
        return draw_index(self.weights, rng.random())

    def sample_behaviours(self, rng: np.random.Generator) -> Behaviours:
        """Both seats' behaviours of a member drawn from the posterior; takes one double from ``rng``."""
        first, second = self.members[self.sample_member(rng)]
        return in_precision(first, float), in_precision(second, float)

    def likeliest(self, player: int) -> Plan:
        """The plan of the likeliest member."""
        return self.member_plan(player, self.likeliest_member())

    def sample(self, player: int, rng: np.random.Generator) -> Plan:
        """The plan of a member drawn from the posterior."""
        return self.member_plan(player, self.sample_member(rng))


def member_plans(
    game: SequenceGame, members: Members, slip: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """``[members, num_sequences]`` for each seat: plans of members who slip with probability ``slip``."""
    plans = []
    for player, tree in enumerate(game.trees):
        uniform = uniform_behaviour(tree)
        rows = np.empty((len(members), tree.num_sequences))
        for row, member in zip(rows, members, strict=True):
            behaviour = in_precision(member[player], np.float64)
            verify_behaviour(tree, behaviour)
            row[:] = plan_from_behaviour(
                tree, mix_behaviours(tree, slip, uniform, behaviour) if slip else behaviour
            )
        plans.append(rows)
    return plans[0], plans[1]


def verify_drift(forget: float, change: float) -> None:
    """Raise `SoulreadError` unless the settings for opponents that change are in range."""
    if not 0 < forget <= 1:
        raise SoulreadError(f"forget={forget!r}; the weight of an older hand lies above 0 and is at most 1")
    if not 0 <= change < 1:
        raise SoulreadError(f"change={change!r}; a probability below 1 was expected")
