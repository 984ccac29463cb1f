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
from soulread.model.base import BELOW_ONE, FADING
from soulread.model.bayes.beliefs import WeightedPlans
from soulread.model.bayes.evidence import Evidence, fill_likelihoods
from soulread.model.weights_by_prediction import drifted, from_logs
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviours, Plan, in_precision, plan_from_behaviour, with_uniform
from soulread.seqform.treeplex import Floats

_SMALLEST = 1e-300

Members = Sequence[Behaviours]


class PortfolioModel(WeightedPlans):
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
        FADING.verify("forget", forget)
        BELOW_ONE.verify("change", change)
        BELOW_ONE.verify("slip", slip)
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
            mixed = drifted(self.weights, self.prior, self.change)
            self._log_weights = np.log(np.maximum(mixed, _SMALLEST))
        if self.forget < 1:
            self._log_weights *= self.forget
            self._log_weights += (1 - self.forget) * self._log_prior
        self._log_weights += np.log(np.maximum(self._likelihood, _SMALLEST))
        self._log_weights -= self._log_weights.max()
        self.weights = from_logs(self._log_weights)

    def table(self, seat: int) -> Floats:
        """``[members, num_sequences]``: the members' plans in ``seat``."""
        return self.plans[seat]

    def judged(self, seat: int) -> Floats:
        """The same of members who slip."""
        return self._seen[seat]

    def member_plan(self, player: int, member: int) -> Plan:
        """The plan of one member."""
        return Plan(self.plans[player][member])

    def sample_behaviours(self, rng: np.random.Generator) -> Behaviours:
        """Both seats' behaviours of a member drawn from the posterior; takes one double from ``rng``."""
        first, second = self.members[self.sample_member(rng)]
        return in_precision(first, float), in_precision(second, float)


def member_plans(game: SequenceGame, members: Members, slip: float) -> tuple[Floats, Floats]:
    """``[members, num_sequences]`` for each seat: plans of members who slip with probability ``slip``."""
    first, second = (
        np.empty((len(members), tree.num_sequences), dtype=game.payoff.dtype) for tree in game.trees
    )
    for i, member in enumerate(members):
        mixed = with_uniform(game.trees, member, slip)
        first[i], second[i] = (
            plan_from_behaviour(tree, own) for tree, own in zip(game.trees, mixed, strict=True)
        )
    return first, second
