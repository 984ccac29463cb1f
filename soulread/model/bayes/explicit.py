"""Explicit modelling: a Dirichlet distribution at every information set (Southey et al., UAI 2005).

The prior is worth ``strength`` observations of a given strategy (of the equilibrium, with strength 2, in
Tansey 2013). A share ``smooth`` of it is uniform, so that no action is ruled out for ever. A hand whose cards
were shown adds one to the counts along its path. If the cards stayed hidden, the posterior is a mixture over
the cards the opponent may have held, and the number of its parts multiplies with every such hand. There are
two ways around this:

* *Assumed density* (`plan`, `likeliest`) keeps one Dirichlet per set. Let r(b) be proportional to P(b) times
  the mean plan's entry for cards b. A hidden hand adds r(b) along the path of every b. The mean plan of
  independent Dirichlets is exactly the plan of the mean behaviours, since a path meets no set twice. Nothing
  is drawn, and nothing grows with the number of hands.
* *Particles* (`sample`) are strategies drawn from the prior and weighted by the likelihood of every hand
  (importance sampling). When their effective number falls below half, they are drawn anew by weight, and
  each is moved by one Gibbs sweep: draw the cards of every hidden hand given the strategy, then draw the
  strategy given the counts. The sweep leaves the exact posterior unchanged, so weights and moves together
  follow it.

`thompson` keeps one strategy, and moves it by one Gibbs sweep each time it is asked. With ``forget`` below 1
every hand multiplies the counts of earlier hands by ``forget``, and strategies are drawn from the assumed
density. For opponents that change, `soulread.model.bayes.changes` can be put around this model.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.kernel import kernel
from soulread.model.base import FADING, POSITIVE, SHARE, verify_number
from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.evidence import Evidence, EvidenceLog, SeenHands, fill_likelihoods
from soulread.model.weights_by_prediction import effective_number, posterior, resampled
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviours, Plan, draw_index, fill_plan, normalise, with_uniform
from soulread.seqform.treeplex import Floats, Ints, TreeArrays, Treeplex

Table = NDArray[np.float64]
Tables = tuple[Table, Table]  # of seats 0 and 1

DEFAULT_STRENGTH = 2.0


class ExplicitModel(BeliefModel):
    """Dirichlet counts at every set of both seats; ``seed`` fixes how particles are drawn and moved."""

    def __init__(
        self,
        game: SequenceGame,
        prior: Behaviours,
        strength: float = DEFAULT_STRENGTH,
        smooth: float = 0.05,
        particles: int = 64,
        forget: float = 1.0,
        seed: int = 0,
    ) -> None:
        super().__init__(game)
        POSITIVE.verify("strength", strength)
        SHARE.verify("smooth", smooth)
        Bounds(low=1).verify("particles", particles)
        verify_number(particles, game)
        FADING.verify("forget", forget)
        self.strength = strength
        self.forget = forget
        self.num_particles = particles
        self.seed = seed
        first, second = with_uniform(game.trees, prior, smooth)
        self.prior: Tables = (
            np.multiply(strength, first, dtype=float),
            np.multiply(strength, second, dtype=float),
        )
        self._start()

    def _start(self) -> None:
        self.counts: Tables = (self.prior[0].copy(), self.prior[1].copy())
        self._certain: Tables = (self.prior[0].copy(), self.prior[1].copy())  # of the hands that were shown
        self._mean = tuple(Plan(np.empty_like(alpha)) for alpha in self.prior)
        self._stale = [True, True]
        self._hidden = (EvidenceLog(), EvidenceLog())
        self._rng = np.random.default_rng(self.seed)
        self._particles: list[_Particles | None] = [None, None]
        self._chain: list[Plan | None] = [None, None]

    def add_prior(self, player: int, weights: Floats) -> None:
        """Add ``weights``, ``[num_sequences]``, to the counts, as if so many actions had been seen."""
        self.counts[player][:] += weights
        self._certain[player][:] += weights
        self._stale[player] = True

    def _take(self, evidence: Evidence) -> None:
        player = evidence.player
        tree = self.game.trees[player]
        particles = self._particles[player]
        if particles is not None:
            particles.weigh(evidence)
        mean = self.plan(player)
        if self.forget < 1:
            for seat in (0, 1):
                self.counts[seat][:] = self.prior[seat] + self.forget * (self.counts[seat] - self.prior[seat])
                self._stale[seat] = True
        count_hand(tree, evidence, mean, self.counts[player])
        if evidence.revealed:
            add_path(
                tree.parent_sequence, tree.sequence_set, evidence.sequences[0], 1.0, self._certain[player]
            )
        else:
            self._hidden[player].add(evidence)
        self._stale[player] = True

    def plan(self, player: int) -> Plan:
        """The mean plan of the assumed density."""
        if self._stale[player]:
            fill_mean_plan(self.game.trees[player].arrays, self.counts[player], self._mean[player])
            self._stale[player] = False
        return self._mean[player]

    def likeliest(self, player: int) -> Plan:
        """The plan of the mode of the assumed density; at sets where no count exceeds one, of the mean."""
        tree = self.game.trees[player]
        plan = np.empty(tree.num_sequences)
        fill_mode_plan(tree.arrays, self.counts[player], plan)
        return Plan(plan)

    def sample(self, player: int, rng: np.random.Generator) -> Plan:
        """A particle's plan, drawn by weight; with ``forget`` below 1, a draw from the assumed density."""
        if self.forget < 1:
            return self.draw(player, rng)
        particles = self.particles(player)
        return Plan(particles.plans[particles.choose(rng)])

    def thompson(self, player: int, rng: np.random.Generator) -> Plan:
        """A strategy drawn from the posterior, by one more Gibbs sweep of a Markov chain."""
        if self.forget < 1:
            return self.draw(player, rng)
        chain = self._chain[player]
        tree = self.game.trees[player]
        if chain is None:
            chain = Plan(np.empty(tree.num_sequences))
            draw_plan(rng, tree.arrays, self.counts[player], np.empty_like(chain), chain)
            self._chain[player] = chain
        self._sweep(player, chain[None, :], rng)
        return chain

    def draw(self, player: int, rng: np.random.Generator) -> Plan:
        """A plan drawn from the assumed density: independent Dirichlets with the present counts."""
        tree = self.game.trees[player]
        plan = np.empty(tree.num_sequences)
        draw_plan(rng, tree.arrays, self.counts[player], np.empty_like(plan), plan)
        return Plan(plan)

    def particles(self, player: int) -> "_Particles":
        """The weighted strategies of one seat, up to date."""
        particles = self._particles[player]
        if particles is None:
            tree = self.game.trees[player]
            plans = np.empty((self.num_particles, tree.num_sequences))
            scratch = np.empty(tree.num_sequences)
            for row in plans:
                draw_plan(self._rng, tree.arrays, self.counts[player], scratch, row)
            particles = _Particles(plans)
            self._particles[player] = particles
            if self.num_hands:
                for _ in range(3):
                    self._sweep(player, plans, self._rng)
        if particles.effective < self.num_particles / 2:
            particles.resample(self._rng)
            self._sweep(player, particles.plans, self._rng)
        return particles

    def _sweep(self, player: int, plans: Floats, rng: np.random.Generator) -> None:
        tree, hidden = self.game.trees[player], self._hidden[player]
        hands = hidden.hands(np.ones(hidden.num_hands))
        gibbs_sweep(rng, tree.arrays, tree.sequence_set, self._certain[player], hands, plans)


class _Particles:
    """Plans ``[particles, num_sequences]`` with weights that sum to one."""

    def __init__(self, plans: Table) -> None:
        self.plans = plans
        self.weights = np.full(len(plans), 1 / len(plans))
        self._likelihood = np.empty(len(plans))

    @property
    def effective(self) -> float:
        """The effective number of particles."""
        return effective_number(self.weights)

    def weigh(self, evidence: Evidence) -> None:
        """Multiply the weights by the likelihood of a hand; no change if no particle allows the hand."""
        fill_likelihoods(self.plans, evidence.sequences, evidence.weights, self._likelihood)
        self.weights = posterior(self.weights, self._likelihood)

    def choose(self, rng: np.random.Generator) -> int:
        """A particle drawn by weight; takes one double of ``rng``."""
        return draw_index(self.weights, rng.random())

    def resample(self, rng: np.random.Generator) -> None:
        """Draw as many particles anew by weight, at even steps from one draw; their weights become equal."""
        self.plans = self.plans[resampled(self.weights, rng.random())]
        self.weights = np.full(len(self.plans), 1 / len(self.plans))


def count_hand(tree: Treeplex, evidence: Evidence, plan: Plan, counts: Table) -> None:
    """Add one hand to ``counts [num_sequences]``; see `add_expected`."""
    _, sequences, weights = evidence
    add_expected(tree.parent_sequence, tree.sequence_set, sequences, weights, plan, counts)


@kernel
def add_path(parent_sequence: Ints, sequence_set: Ints, sequence: int, weight: float, counts: Table) -> None:
    """Add ``weight`` to the counts of every sequence on the path to ``sequence``."""
    while sequence > 0:
        counts[sequence] += weight
        sequence = parent_sequence[sequence_set[sequence]]


@kernel
def add_expected(
    parent_sequence: Ints, sequence_set: Ints, sequences: Ints, weights: Table, plan: Floats, counts: Table
) -> None:
    """Add one hand to the counts; its alternatives share it in proportion to weight x plan."""
    total = 0.0
    for k in range(sequences.size):
        total += weights[k] * plan[sequences[k]]
    for k in range(sequences.size):
        share = weights[k] * plan[sequences[k]] / total if total > 0 else weights[k]
        add_path(parent_sequence, sequence_set, sequences[k], share, counts)


@kernel
def fill_mean_plan(tree: TreeArrays, counts: Table, plan: Floats) -> None:
    """Fill ``plan`` with the plan of the mean behaviours."""
    normalise(tree, counts, plan)
    fill_plan(tree, plan, plan)


@kernel
def fill_mode_plan(tree: TreeArrays, counts: Table, plan: Table) -> None:
    """Fill ``plan`` with the plan of every Dirichlet's mode; of its mean where no count exceeds one."""
    behaviour = np.empty_like(plan)
    behaviour[0] = 1
    for b in range(tree.first_set.size - 1):
        width = tree.first_set[b + 1] - tree.first_set[b]
        first, last = tree.first_sequence[b], tree.first_sequence[b + 1]
        for s in range(width):
            total = 0.0
            for c in range(first + s, last, width):
                total += max(counts[c] - 1, 0.0)
            for c in range(first + s, last, width):
                behaviour[c] = max(counts[c] - 1, 0.0) if total > 0 else counts[c]
    normalise(tree, behaviour, behaviour)
    fill_plan(tree, behaviour, plan)


@kernel
def draw_plan(
    rng: np.random.Generator, tree: TreeArrays, counts: Table, behaviour: Floats, plan: Floats
) -> None:
    """Draw a behaviour from independent Dirichlets, and compute its plan."""
    behaviour[0] = 1
    for c in range(1, counts.size):
        behaviour[c] = rng.standard_gamma(counts[c]) if counts[c] > 0 else 0.0
    normalise(tree, behaviour, behaviour)
    fill_plan(tree, behaviour, plan)


@kernel
def gibbs_sweep(
    rng: np.random.Generator,
    tree: TreeArrays,
    sequence_set: Ints,
    certain: Table,
    hidden: SeenHands,
    plans: Floats,
) -> None:
    """Move each plan: draw the cards of every hidden hand given the plan, then a plan given the counts."""
    start, sequences, weights = hidden.start, hidden.sequences, hidden.weights
    counts = np.empty_like(certain)
    behaviour = np.empty_like(certain)
    for m in range(plans.shape[0]):
        plan = plans[m]
        counts[:] = certain
        for hand in range(start.size - 1):
            total = 0.0
            for k in range(start[hand], start[hand + 1]):
                total += weights[k] * plan[sequences[k]]
            draw = rng.random() * total
            chosen = start[hand + 1] - 1
            for k in range(start[hand], start[hand + 1]):
                draw -= weights[k] * plan[sequences[k]]
                if draw < 0:
                    chosen = k
                    break
            add_path(tree.parent_sequence, sequence_set, sequences[chosen], 1.0, counts)
        draw_plan(rng, tree, counts, behaviour, plan)
