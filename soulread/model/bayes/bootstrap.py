"""Policy bootstrapping (Tansey 2013, Algorithm 4): a portfolio speeds up an explicit model.

After every hand the posterior over the portfolio's members is updated and one member, the *best fit*, is
drawn from it. The member's strategy is added to the counts of the explicit model at every information set,
worth ``boost`` observations. (The paper's listing leaves that addition out, but its text has it.) Members
with much of the posterior are added again and again, so the counts move towards the posterior's mean. The
opponent's own actions are added on top, path by path. The strategy to answer is drawn from Dirichlet
distributions with these counts.

If the fits are drawn part by part (`soulread.model.bayes.subpolicy`), this is subpolicy bootstrapping.
"""

from typing import Protocol

import numpy as np

from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.evidence import Evidence
from soulread.model.bayes.explicit import ExplicitModel
from soulread.options import Bounds
from soulread.seqform.strategy import Behaviours, Plan


class BehaviourPosterior(Protocol):
    """Beliefs over given strategies from which a best fit can be drawn."""

    def reset(self) -> None: ...

    def learn(self, evidence: Evidence) -> object: ...

    def sample_behaviours(self, rng: np.random.Generator) -> Behaviours:
        """Behaviours of both seats, drawn from the posterior."""


class BootstrapModel(BeliefModel):
    """An explicit model that learns from the hands and from a portfolio; ``seed`` fixes the draws of fits."""

    def __init__(
        self, portfolio: BehaviourPosterior, explicit: ExplicitModel, boost: float = 1.0, seed: int = 0
    ) -> None:
        super().__init__(explicit.game)
        Bounds(low=0, below=np.inf).verify("boost", boost)
        self.portfolio = portfolio
        self.explicit = explicit
        self.boost = boost
        self.seed = seed
        self._start()

    def _start(self) -> None:
        self.portfolio.reset()
        self.explicit.reset()
        self._rng = np.random.default_rng(self.seed)

    def _take(self, evidence: Evidence) -> None:
        self.portfolio.learn(evidence)
        self.explicit.learn(evidence)
        for player, fit in enumerate(self.portfolio.sample_behaviours(self._rng)):
            self.explicit.add_prior(player, self.boost * fit)

    def plan(self, player: int) -> Plan:
        """The mean plan of the explicit model."""
        return self.explicit.plan(player)

    def likeliest(self, player: int) -> Plan:
        """The mode of the explicit model's distribution."""
        return self.explicit.likeliest(player)

    def sample(self, player: int, rng: np.random.Generator) -> Plan:
        """A plan drawn from Dirichlet distributions with the explicit model's counts."""
        return self.explicit.draw(player, rng)
