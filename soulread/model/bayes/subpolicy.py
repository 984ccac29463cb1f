"""Subpolicies (Tansey 2013, sections 3.3 and 3.4): parts of strategies, learnt one by one.

**Discovery** (Algorithm 5): a subpolicy is a group of information sets at which one member of a portfolio
deviates alike from a baseline. A deviation is a proportion of the baseline, per action: (0.1, 0.5, 0.4) in
the baseline against (0.15, 0.4, 0.45) in the member is (0.5, -0.2, 0.125). An action that the baseline never
takes counts as taken with `RAREST`. Sets that deviate by less than ``least`` (L2 norm) belong to no
subpolicy. Sets within ``spread`` of a subpolicy's first set belong to it. A subpolicy has at least ``size``
sets. (The paper's listing says "more than"; its text gives a minimum size of 3.) A member without subpolicies
is one as a whole. Fold, call and raise are three coordinates; an action that is not legal at a set does not
deviate there.

**Parts** of the tree are either its rounds (`round_parts`), or groups of sets that are in the same discovered
subpolicies (`discovered_parts`); small groups are joined into one part. The model assumes that in every part
the opponent plays as some member does there, independently of the other parts. Let q[r, m, c] be the
probability of member m's actions in part r on the way to sequence c, and p[r, m] the posterior of m in part
r:

    mean plan[c]  =  product over r of  sum over m of p[r, m] q[r, m, c]

A hand updates p[r, .] by its likelihood, with the other parts averaged. That is exact for hands that were
shown. Otherwise it gives the marginals of the exact update.

**Subpolicy bootstrapping** is `soulread.model.bayes.bootstrap` over such beliefs. The paper leaves its
listing out. Ours does in every part what policy bootstrapping does in the whole tree: it draws a member from
the posterior of the part, and adds the member's strategy to the explicit model's counts at the sets of the
part. Since parts do not overlap, every set gets exactly ``boost`` observations a hand, however many
subpolicies cover it. The prior of a set thus stays a Dirichlet of known weight. That is how we read the
"statistical correction" the paper speaks of.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.model.base import BELOW_ONE, FADING
from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.evidence import Evidence
from soulread.model.bayes.portfolio import Members
from soulread.model.weights_by_prediction import drifted, posterior
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Behaviours, Plan, plan_from_behaviour, with_uniform
from soulread.seqform.treeplex import ProductLabels, Treeplex

KINDS = 3  # fold, call, raise
RAREST = 0.01  # stands for a baseline probability below this when a proportion of it is taken
_SMALLEST = 1e-300

Parts = tuple[NDArray[np.int64], NDArray[np.int64]]  # for each seat, [num_sets]: the part each set is in


class Subpolicy(NamedTuple):
    """Sets at which one member deviates alike from the baseline."""

    member: int
    sets: tuple[NDArray[np.int64], NDArray[np.int64]]  # of seats 0 and 1, ascending


def deviations(tree: Treeplex, behaviour: Behaviour, baseline: Behaviour) -> NDArray[np.float64]:
    """``[num_sets, 3]``: how fold, call and raise deviate, as a proportion of the baseline."""
    tree.verify_shape(behaviour, "the behaviour")
    tree.verify_shape(baseline, "the baseline")
    result = np.zeros((tree.num_sets, KINDS))
    for block, sets, rows in tree.blocks():
        shape = len(tree.actions[block]), -1
        theirs, ours = behaviour[rows].reshape(shape), baseline[rows].reshape(shape)
        for position, action in enumerate(tree.actions[block]):
            change = (theirs[position] - ours[position]) / np.maximum(ours[position], RAREST)
            result[sets, min(action, KINDS - 1)] += change
    return result


def discover_subpolicies(
    game: SequenceGame,
    members: Members,
    baseline: Behaviours,
    least: float = 0.05,
    spread: float = 0.1,
    size: int = 3,
) -> list[Subpolicy]:
    """Find the subpolicies of all members by Algorithm 5, over the sets of both seats in order."""
    if least < 0 or spread <= 0 or size < 1:
        raise SoulreadError(
            f"least={least!r}, spread={spread!r}, size={size!r}; "
            "expected least from 0 up, spread above 0 and size from 1 up"
        )
    split = game.trees[0].num_sets
    found = []
    for number, member in enumerate(members):
        table = np.concatenate(
            [deviations(game.trees[seat], member[seat], baseline[seat]) for seat in (0, 1)]
        )
        left = np.flatnonzero(np.linalg.norm(table, axis=1) >= least)
        clusters = []
        while left.size:
            near = np.linalg.norm(table[left] - table[left[0]], axis=1) < spread
            near[0] = True
            if near.sum() >= size:
                clusters.append(left[near])
            left = left[~near]
        found += [
            Subpolicy(number, (cluster[cluster < split], cluster[cluster >= split] - split))
            for cluster in clusters or [np.arange(len(table))]
        ]
    return found


def round_parts(game: SequenceGame) -> Parts:
    """The round of each set, as parts; the game must be compiled as betting tree times private states."""
    parts = []
    for tree in game.trees:
        if not isinstance(tree.labels, ProductLabels):
            raise SoulreadError(f"the rounds of {game.name!r} are unknown; use compile_factored")
        parts.append(np.repeat(np.array(tree.labels.rounds, dtype=np.int64), np.diff(tree.first_set)))
    return parts[0], parts[1]


def discovered_parts(game: SequenceGame, subpolicies: Sequence[Subpolicy], size: int = 3) -> Parts:
    """Sets in the same subpolicies form a part; parts of fewer than ``size`` sets are joined into one."""
    split = game.trees[0].num_sets
    total = split + game.trees[1].num_sets
    member_of = np.zeros((total, len(subpolicies)), dtype=np.bool_)
    for column, subpolicy in enumerate(subpolicies):
        member_of[subpolicy.sets[0], column] = True
        member_of[split + subpolicy.sets[1], column] = True
    _, labels, counts = np.unique(member_of, axis=0, return_inverse=True, return_counts=True)
    labels = labels.ravel()
    small = counts[labels] < size
    labels = np.where(small, counts.size, labels)
    _, labels = np.unique(labels, return_inverse=True)
    numbers = labels.ravel().astype(np.int64)
    return numbers[:split], numbers[split:]


class SubpolicyModel(BeliefModel):
    """Implicit subpolicy modelling: a posterior over ``members`` in each part of the tree."""

    def __init__(
        self,
        game: SequenceGame,
        members: Members,
        parts: Parts,
        slip: float = 0.01,
        forget: float = 1.0,
        change: float = 0.0,
    ) -> None:
        super().__init__(game)
        if not members:
            raise SoulreadError("a portfolio needs at least one member")
        if any(part.shape != (tree.num_sets,) for part, tree in zip(parts, game.trees, strict=True)):
            raise ShapeError(f"{game.name!r}: each information set belongs to one part")
        FADING.verify("forget", forget)
        BELOW_ONE.verify("change", change)
        self.members = tuple(with_uniform(game.trees, member, 0.0) for member in members)
        self.parts = parts
        self.num_parts = 1 + int(max(part.max() for part in parts))
        self.forget = forget
        self.change = change
        self._plain = tuple(self._factors(player, 0.0) for player in (0, 1))
        self._seen = tuple(self._factors(player, slip) for player in (0, 1))
        self._start()

    def _factors(self, player: int, slip: float) -> NDArray[np.float64]:
        """q of the module docstring: ``[parts, members, num_sequences]``."""
        tree = self.game.trees[player]
        part_of = np.full(tree.num_sequences, -1)
        part_of[1:] = self.parts[player][tree.sequence_set[1:]]
        q = np.empty((self.num_parts, len(self.members), tree.num_sequences))
        for m, member in enumerate(self.members):
            behaviour = with_uniform(self.game.trees, member, slip)[player]
            for part in range(self.num_parts):
                q[part, m] = plan_from_behaviour(tree, Behaviour(np.where(part_of == part, behaviour, 1.0)))
        return q

    def _start(self) -> None:
        self.weights = np.full((self.num_parts, len(self.members)), 1 / len(self.members))

    def _take(self, evidence: Evidence) -> None:
        if self.change:
            even = np.full(self.weights.shape, 1 / len(self.members))
            self.weights = drifted(self.weights, even, self.change)
        if self.forget < 1:
            faded = np.maximum(self.weights, _SMALLEST) ** self.forget
            self.weights = faded / faded.sum(axis=1, keepdims=True)
        q = self._seen[evidence.player][:, :, evidence.sequences]
        means = np.einsum("rm,rmb->rb", self.weights, q)
        for part in range(self.num_parts):
            others = np.delete(means, part, axis=0).prod(axis=0)
            self.weights[part] = posterior(self.weights[part], q[part] @ (evidence.weights * others))

    def plan(self, player: int) -> Plan:
        """The mean plan; the members of different parts are independent."""
        return Plan(np.einsum("rm,rmc->rc", self.weights, self._plain[player]).prod(axis=0))

    def likeliest(self, player: int) -> Plan:
        """The plan that plays the likeliest member of each part."""
        return self._joined_plan(player, self.weights.argmax(axis=1))

    def sample(self, player: int, rng: np.random.Generator) -> Plan:
        """The plan that plays, in each part, a member drawn from the part's posterior."""
        return self._joined_plan(player, self.sample_members(rng))

    def sample_members(self, rng: np.random.Generator) -> NDArray[np.int64]:
        """``[parts]``: members drawn from the parts' posteriors; takes one double from ``rng`` per part."""
        below = np.cumsum(self.weights, axis=1)
        draws = rng.random(self.num_parts) * below[:, -1]
        chosen: NDArray[np.int64] = np.minimum(
            (below <= draws[:, None]).sum(axis=1), len(self.members) - 1
        ).astype(np.int64)
        return chosen

    def sample_behaviours(self, rng: np.random.Generator) -> Behaviours:
        """Both seats' behaviours of members drawn part by part; takes as many doubles as `sample_members`."""
        chosen = self.sample_members(rng)
        return self.joined_behaviour(0, chosen), self.joined_behaviour(1, chosen)

    def joined_behaviour(self, player: int, chosen: NDArray[np.int64]) -> Behaviour:
        """The behaviour that plays member ``chosen[r]`` in part r."""
        table = np.stack([member[player] for member in self.members])
        part_of = self.parts[player][self.game.trees[player].sequence_set[1:]]
        behaviour = np.ones(table.shape[1])
        behaviour[1:] = table[chosen[part_of], np.arange(1, table.shape[1])]
        return Behaviour(behaviour)

    def _joined_plan(self, player: int, chosen: NDArray[np.int64]) -> Plan:
        return Plan(self._plain[player][np.arange(self.num_parts), chosen].prod(axis=0))
