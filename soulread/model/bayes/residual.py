"""Counts around a model of a few numbers: they learn what that model cannot express.

A model such as `TiltModel` learns fast, but it cannot become better than the best member of its family. Here
it gets rivals, which trust it only like so many observations and otherwise count what the opponent does. With
n the opponent's expected counts and c one of ``strengths``, a rival plays

    sigma_c[j, a] = (c base[j, a] + n[j, a]) / (c + sum of n[j, .])

where base is the behaviour of the first model's mean plan *at present*. Each rival is weighted by how well it
predicted every hand before the hand was seen. Before each hand all weights move by ``share`` towards their
first values, so that another rival may still become the best. The mean plan is the weighted mean of all: near
the first model in the beginning and near the opponent in the end, whatever the opponent plays. ``forget``
below 1 multiplies all counts, of both seats, before each hand. The base is mixed with a share ``smooth`` of
the uniform strategy.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.kernel import kernel
from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.evidence import Evidence
from soulread.model.bayes.explicit import add_expected
from soulread.seqform.strategy import Plan, draw_index, fill_plan, normalise
from soulread.seqform.treeplex import TreeArrays

Table = NDArray[np.float64]

DEFAULT_STRENGTHS = 4.0, 16.0, 64.0


class ResidualModel(BeliefModel):
    """``inner`` and its rivals; ``trust`` is the weight of ``inner`` at the beginning."""

    def __init__(
        self,
        inner: BeliefModel,
        strengths: Sequence[float] = DEFAULT_STRENGTHS,
        trust: float = 0.9,
        share: float = 0.002,
        forget: float = 1.0,
        smooth: float = 0.02,
    ) -> None:
        super().__init__(inner.game)
        if not strengths or min(strengths) <= 0:
            raise SoulreadError(f"strengths {tuple(strengths)!r}; positive numbers were expected")
        if not 0 < trust < 1 or not 0 <= share < 1:
            raise SoulreadError(f"trust={trust!r}, share={share!r}; probabilities were expected")
        self.inner = inner
        self.strengths = np.array(strengths, dtype=np.float64)
        self.trust = trust
        self.share = share
        self.forget = forget
        self.smooth = smooth
        self._prior = np.concatenate([[trust], np.full(len(strengths), (1 - trust) / len(strengths))])
        self._start()

    def reset(self) -> None:
        """Go back to the prior."""
        self.inner.reset()
        super().reset()

    def _start(self) -> None:
        self.weights = self._prior.copy()
        rivals = self.strengths.size
        self._counts = tuple(np.zeros((rivals, tree.num_sequences)) for tree in self.game.trees)
        self._plans = tuple(np.empty((rivals + 1, tree.num_sequences)) for tree in self.game.trees)
        self._stale = [True, True]

    def plans(self, player: int) -> Table:
        """``[rivals + 1, num_sequences]``: the mean plans of the inner model and of each rival."""
        plans = self._plans[player]
        if self._stale[player]:
            tree = self.game.trees[player]
            plans[0] = self.inner.plan(player)
            fill_rivals(tree.arrays, self.strengths, self.smooth, self._counts[player], plans)
            self._stale[player] = False
        return plans

    def _take(self, evidence: Evidence) -> None:
        player = evidence.player
        plans = self.plans(player)
        predicted = plans[:, evidence.sequences] @ evidence.weights
        self.weights = (1 - self.share) * self.weights + self.share * self._prior
        if predicted.max() > 0:
            self.weights *= predicted
            self.weights /= self.weights.sum()
        tree = self.game.trees[player]
        if self.forget < 1:
            for table in self._counts:
                table *= self.forget
        for rival, counts in enumerate(self._counts[player]):
            add_expected(
                tree.parent_sequence,
                tree.sequence_set,
                evidence.sequences,
                evidence.weights,
                plans[1 + rival],
                counts,
            )
        self.inner.learn(evidence)
        self._stale = [True, True]

    def plan(self, player: int) -> Plan:
        """The weighted mean of the plans of the inner model and its rivals."""
        return Plan(self.weights @ self.plans(player))

    def likeliest(self, player: int) -> Plan:
        """The plan of the inner model or the rival, whichever has the highest weight."""
        return Plan(self.plans(player)[int(np.argmax(self.weights))])

    def sample(self, player: int, rng: np.random.Generator) -> Plan:
        """A rival's mean plan, or a plan drawn by the inner model, by weight."""
        chosen = draw_index(self.weights, rng.random())
        return self.inner.sample(player, rng) if chosen == 0 else Plan(self.plans(player)[chosen])


@kernel
def fill_rivals(tree: TreeArrays, strengths: Table, smooth: float, counts: Table, plans: Table) -> None:
    """Row 0 of ``plans`` is given, the inner model's; row 1 + i becomes that of the rival of strengths[i]."""
    base = np.empty_like(plans[0])
    behaviour = np.empty_like(base)
    normalise(tree, plans[0], base)
    for b in range(tree.first_set.size - 1):
        width = tree.first_set[b + 1] - tree.first_set[b]
        first, last = tree.first_sequence[b], tree.first_sequence[b + 1]
        for c in range(first, last):
            base[c] = (1 - smooth) * base[c] + smooth * width / (last - first)
    for i in range(strengths.size):
        for c in range(base.size):
            behaviour[c] = strengths[i] * base[c] + counts[i, c]
        normalise(tree, behaviour, behaviour)
        fill_plan(tree, behaviour, plans[1 + i])
