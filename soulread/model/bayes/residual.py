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
from soulread.model.bayes.beliefs import BeliefModel, WeightedPlans
from soulread.model.bayes.evidence import Evidence
from soulread.model.bayes.explicit import count_hand
from soulread.model.tabular import Possible
from soulread.model.weights_by_prediction import Weighing
from soulread.options import Bounds
from soulread.seqform.strategy import Plan, fill_plan, normalise
from soulread.seqform.treeplex import TreeArrays

Table = NDArray[np.float64]

DEFAULT_STRENGTHS = 4.0, 16.0, 64.0


class ResidualModel(WeightedPlans):
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
        Bounds(above=0, below=1).verify("trust", trust)
        self.inner = inner
        self.strengths = np.array(strengths, dtype=np.float64)
        self.forget = forget
        self.smooth = smooth
        rivals = np.full(len(strengths), (1 - trust) / len(strengths))
        self._weighing = Weighing(np.concatenate([[trust], rivals]), drift=share)
        self._start()

    def reset(self) -> None:
        """Go back to the prior."""
        self.inner.reset()
        super().reset()

    def _start(self) -> None:
        self._weighing.reset()
        self.weights = self._weighing.weights  # [rivals + 1], of the inner model first
        rivals = self.strengths.size
        self._counts = tuple(np.zeros((rivals, tree.num_sequences)) for tree in self.game.trees)
        self._plans = tuple(np.empty((rivals + 1, tree.num_sequences)) for tree in self.game.trees)
        self._stale = [True, True]

    def table(self, seat: int) -> Table:
        """``[rivals + 1, num_sequences]``: the mean plans of the inner model and of each rival."""
        plans = self._plans[seat]
        if self._stale[seat]:
            tree = self.game.trees[seat]
            plans[0] = self.inner.plan(seat)
            fill_rivals(tree.arrays, self.strengths, self.smooth, self._counts[seat], plans)
            self._stale[seat] = False
        return plans

    def _take(self, evidence: Evidence) -> None:
        player = evidence.player
        plans = self.table(player)
        self._weighing.judge(plans[:, evidence.sequences] @ evidence.weights)
        self.weights = self._weighing.weights
        tree = self.game.trees[player]
        if self.forget < 1:
            for table in self._counts:
                table *= self.forget
        for rival, counts in enumerate(self._counts[player]):
            count_hand(tree, evidence, Plan(plans[1 + rival]), counts)
        self.inner.learn(evidence)
        self._stale = [True, True]

    def possible(self) -> Possible:
        """All that the inner model holds possible, and the rivals' mean plans."""
        first, second = (self.table(seat)[1:] for seat in (0, 1))
        rivals = Possible(self.weights[1:] / self.weights[1:].sum(), ((first, second),))
        return Possible.joined(
            [(float(self.weights[0]), self.inner.possible()), (float(self.weights[1:].sum()), rivals)]
        )

    def sample(self, seat: int, rng: np.random.Generator) -> Plan:
        """A rival's mean plan, or a plan drawn by the inner model, by weight."""
        chosen = self.sample_member(rng)
        return self.inner.sample(seat, rng) if chosen == 0 else Plan(self.table(seat)[chosen])


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
