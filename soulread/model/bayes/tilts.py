"""Our own prior: an opponent errs in a systematic way and plays the equilibrium *tilted* by a few numbers.

    sigma[j, a]  proportional to  base[j, a] x round[r, k] x hole[h, k]

Here r is the round of set j, h the strength of the hole cards there (weak, middle, strong) and k the kind of
action a (fold, call, raise). Each row of three factors is either "off", that is all ones, or drawn from
independent gamma distributions. Most rounds are on, and now and then one strength. One action in one place
thus tells something about all places of its kind. The model learns from tens of hands what a Dirichlet at
every set needs thousands for.

Strategies are *particles*: drawn from this prior and weighted by the likelihood of every hand in both seats.
When their effective number falls below half, they are drawn anew by weight and moved by a few
Metropolis-Hastings steps. A step proposes one new row of factors: a fresh row from the prior, or the old row
moved on the log scale. The proposal is judged by the prior and by the likelihood of all hands so far. For
that, every different hand is kept with the number of times it came. Particles therefore never die out, and
the posterior sharpens as long as hands come.

``base`` is the equilibrium, mixed with a share ``smooth`` of the uniform strategy. With prior probability
``faith`` the opponent plays the base itself; otherwise the rows that are on are drawn, and now and then none
is. At the start particle 0 is the base, with weight ``faith``. Where the opponent does what no tilt does,
this model cannot follow; `soulread.model.bayes.residual` is for that.

A game has many equilibria, and nobody knows which of them an opponent began with. ``others`` are further
ones. At most sets all of them play alike, and there the base is the first. The sets where they differ are
*open*: in Leduc 13 of one seat and 35 of the other, and equilibria differ mostly in each for itself. Of every
two particles, one is *whole*: it has one base at all open sets. The other is *mixed*: it has a base for each
open set, drawn among those that come to the set at all. A step then proposes, as often as not, another base:
for all open sets of a whole particle, or for one of a mixed one. The more sets are open, the more steps are
taken. With too few, particles keep the bases that they were drawn with, and the posterior is not reached. The
weights tell which kind explains the hands better. At the start the first particles play the bases without
tilts, all with the same part of ``faith``.

``forget`` below 1 raises the likelihoods of older hands to its powers, as in
`soulread.model.bayes.portfolio`. The prior is not forgotten.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.kernel import kernel
from soulread.model.base import BELOW_ONE, FADING, POSITIVE, verify_number
from soulread.model.bayes.beliefs import WeightedPlans
from soulread.model.bayes.evidence import Evidence, EvidenceLog, SeenHands, fill_likelihoods
from soulread.model.weights_by_prediction import effective_number, from_logs, resampled
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import FactoredPayoff, trace_ancestors
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    fill_plan,
    normalise,
    plan_from_behaviour,
    with_uniform,
)
from soulread.seqform.treeplex import Floats, Ints, ProductLabels, TreeArrays, Treeplex
from soulread.solvers.skews import strength_thirds

Table = NDArray[np.float64]
Flags = NDArray[np.bool_]

KINDS = 3  # fold, call, raise
DEFAULT_HOLES = 0.5, 0.35, 0.1, 0.05  # probability that 0, 1, 2 or 3 strengths are tilted

_OPEN = 0.02  # a set is open if bases differ there by at least this
_COMES = 1e-6  # a base that comes to a set with less probability has no say there
_FEWEST_STEPS = 3  # of a particle each time that particles move
_BASE_STEPS = 0.16  # of these steps, those that propose a base, for every open set
_SMALLEST = 1e-300
_NEVER = 1e-9  # prior probability of a tilt, where none is believed in
_NEVER_AT_ALL = 1e-6  # prior probability of any tilt, below which none is proposed
_LEAST = 1e-12  # smallest value of a factor


class TiltModel(WeightedPlans):
    """Beliefs over tilts of ``base`` and of each of ``others``, all of them both seats' behaviours.

    The game must be compiled as betting tree times private states.
    """

    def __init__(
        self,
        game: SequenceGame,
        base: Behaviours,
        *,
        others: Sequence[Behaviours] = (),
        particles: int = 300,
        faith: float = 0.05,
        shape: float = 1.0,
        often: float = 0.75,
        holes: tuple[float, float, float, float] = DEFAULT_HOLES,
        smooth: float = 0.0,
        steps: int = 0,
        forget: float = 1.0,
        seed: int = 0,
    ) -> None:
        super().__init__(game)
        FADING.verify("forget", forget)
        bases = 1 + len(others)
        if particles <= bases:
            least = "at least two strategies" if bases == 1 else f"more strategies than the {bases} bases"
            raise SoulreadError(f"particles={particles!r}; {least} are needed")
        verify_number(particles, game)
        Bounds(above=0, below=1).verify("faith", faith)
        POSITIVE.verify("shape", shape)
        self.num_particles = particles
        self.shape = shape
        self.forget = forget
        self.seed = seed
        self.num_bases = bases
        BELOW_ONE.verify("smooth", smooth)
        smoothed = [with_uniform(game.trees, pair, smooth) for pair in (base, *others)]
        self.bases = np.array([pair[0] for pair in smoothed]), np.array([pair[1] for pair in smoothed])
        first, second = (tilt_features(game, player) for player in (0, 1))
        self._features: tuple[Ints, Ints] = (first, second)
        rounds = int(max(first[:, 0].max(), second[:, 0].max())) // KINDS + 1
        structure = structure_prior(rounds, often, holes)
        believed = believed_structure(structure, faith)
        self._tilts = TiltPrior(shape, np.log(believed), 0.5 if believed[0] < 1 - _NEVER_AT_ALL else 1.0)
        self._prior = np.full(particles, (1 - faith) / (particles - bases))
        self._prior[:bases] = faith / bases
        rng = np.random.default_rng(seed)
        self._first_on, self._first_factors = draw_tilts(rng, particles, structure, shape, bases)
        self._choices = tuple(
            _open_sets(tree, table) for tree, table in zip(game.trees, self.bases, strict=True)
        )
        open_sets = sum(choices.sets.size for choices in self._choices)
        self.steps = steps or max(_FEWEST_STEPS, round(_BASE_STEPS * open_sets / self._tilts.base_steps))
        self._first_whole = np.arange(particles) % 2 == 0
        self._first_whole[:bases] = True
        drawn = rng.integers(bases, size=particles) if bases > 1 else np.zeros(particles, dtype=np.int64)
        drawn[:bases] = np.arange(bases)
        self._first_which = tuple(
            _draw_bases(rng, drawn, self._first_whole, tree.num_sets, choices)
            for tree, choices in zip(game.trees, self._choices, strict=True)
        )
        self._first_plans = tuple(np.empty((particles, tree.num_sequences)) for tree in game.trees)
        self._memory = (_Memory(), _Memory())
        for seat, which, plans in zip(self._seats(), self._first_which, self._first_plans, strict=True):
            fill_particles(seat, which, self._first_factors, plans)
        self._likelihood = np.empty(particles)
        self._start()

    def _start(self) -> None:
        self._whole = self._first_whole.copy()
        self._which = self._first_which[0].copy(), self._first_which[1].copy()
        self._on = self._first_on.copy()
        self._factors = self._first_factors.copy()
        self.plans = (self._first_plans[0].copy(), self._first_plans[1].copy())
        self.weights = self._prior.copy()
        self._log_seen = np.zeros(self.num_particles)  # log-likelihood of all hands, the older ones faded
        self._log_start = np.log(self._prior)  # what the log-weight was when ``_log_seen`` was zero
        self._memory = (_Memory(), _Memory())
        self._rng = np.random.default_rng([self.seed, 1])
        self._mean: list[Plan | None] = [None, None]

    @property
    def effective(self) -> float:
        """The effective number of particles."""
        return effective_number(self.weights)

    def _take(self, evidence: Evidence) -> None:
        fill_likelihoods(self.plans[evidence.player], evidence.sequences, evidence.weights, self._likelihood)
        if self.forget < 1:
            self._log_seen *= self.forget
            for memory in self._memory:
                memory.fade(self.forget)
        self._memory[evidence.player].add(evidence)
        self._log_seen += np.log(np.maximum(self._likelihood, _SMALLEST))
        self.weights = from_logs(self._log_start + self._log_seen)
        self._mean = [None, None]
        if self.effective < self.num_particles / 2:
            self._move()

    def _move(self) -> None:
        chosen = resampled(self.weights, self._rng.random())
        self._whole = self._whole[chosen]
        self._which = self._which[0][chosen], self._which[1][chosen]
        self._on, self._factors = self._on[chosen], self._factors[chosen]
        self.plans = (self.plans[0][chosen], self.plans[1][chosen])
        particles = Particles(self._whole, self._which, self._on, self._factors, self.plans, self._log_seen)
        move_particles(self._rng, self._seats(), self._tilts, self.steps, particles)
        self._log_start = -self._log_seen  # the particles are now draws from the posterior, all alike
        self.weights = np.full(chosen.size, 1 / chosen.size)
        self._mean = [None, None]

    def _seats(self) -> "tuple[Seat, Seat]":
        first, second = (
            Seat(tree.arrays, tree.sequence_set, bases, choices, features, memory.seen)
            for tree, bases, choices, features, memory in zip(
                self.game.trees, self.bases, self._choices, self._features, self._memory, strict=True
            )
        )
        return first, second

    def table(self, seat: int) -> Table:
        """``[particles, num_sequences]``: the particles' plans."""
        return self.plans[seat]

    def plan(self, seat: int) -> Plan:
        """The weighted mean of the particles' plans; kept until the next hand."""
        mean = self._mean[seat]
        if mean is None:
            mean = self._mean[seat] = super().plan(seat)
        return mean


def woven(
    game: SequenceGame, bases: Sequence[Behaviours], particles: int = 300, forget: float = 1.0, seed: int = 0
) -> TiltModel:
    """Beliefs in ``bases`` and in mixtures of them, without tilts: which equilibrium is it?"""
    return TiltModel(
        game,
        bases[0],
        others=bases[1:],
        particles=max(particles, 1 + len(bases)),
        often=_NEVER,
        holes=(1.0, _NEVER, _NEVER, _NEVER),
        forget=forget,
        seed=seed,
    )


def tilted_members(
    game: SequenceGame, base: Behaviours, count: int, seed: int = 0, smooth: float = 0.0, shape: float = 1.0
) -> list[Behaviours]:
    """``count`` pairs of behaviours drawn from the prior of `TiltModel`, the base first, as a portfolio."""
    verify_number(count, game)
    BELOW_ONE.verify("smooth", smooth)
    smoothed = with_uniform(game.trees, base, smooth)
    features = tuple(tilt_features(game, player) for player in (0, 1))
    rounds = int(max(table[:, 0].max() for table in features)) // KINDS + 1
    structure = structure_prior(rounds, 0.75, DEFAULT_HOLES)
    _, factors = draw_tilts(np.random.default_rng(seed), count, structure, shape)
    pairs = []
    for player, tree in enumerate(game.trees):
        behaviours = np.empty((count, tree.num_sequences))
        for row, factor in zip(behaviours, factors, strict=True):
            tilt_behaviour(tree.arrays, smoothed[player], features[player], factor, row)
        pairs.append(behaviours)
    return [(Behaviour(first), Behaviour(second)) for first, second in zip(*pairs, strict=True)]


def structure_prior(rounds: int, often: float, holes: tuple[float, ...]) -> NDArray[np.float64]:
    """Probability of every set of rows that may be on; bit i of the index is row i, the rounds first.

    Each round is on with probability ``often``. With probability ``holes[k]``, k of the three strengths are
    on; all choices of k strengths are equally likely.
    """
    if not 0 < often < 1 or len(holes) != KINDS + 1 or min(holes) <= 0:
        raise SoulreadError(f"often={often!r}, holes={holes!r}; positive probabilities were expected")
    result = np.empty(1 << (rounds + KINDS))
    for mask in range(result.size):
        bits = [mask >> row & 1 for row in range(rounds + KINDS)]
        strengths = sum(bits[rounds:])
        result[mask] = holes[strengths] / sum(holes) / math.comb(KINDS, strengths)
        for bit in bits[:rounds]:
            result[mask] *= often if bit else 1 - often
    return result


def believed_structure(structure: NDArray[np.float64], faith: float) -> NDArray[np.float64]:
    """The same probabilities if no row is on with probability ``faith``, whatever ``structure`` says."""
    believed = (1 - faith) * structure
    believed[0] += faith
    return believed


def draw_tilts(
    rng: np.random.Generator, count: int, structure: NDArray[np.float64], shape: float, bases: int = 1
) -> tuple[Flags, NDArray[np.float64]]:
    """Draw from the prior: rows that are on, ``[count, rows]``, and their factors.

    In the first tilts, one for each of the ``bases``, no row is on.
    """
    rows = structure.size.bit_length() - 1
    masks = rng.choice(structure.size, count, p=structure)
    masks[:bases] = 0
    on = (masks[:, None] >> np.arange(rows) & 1).astype(np.bool_)
    factors = np.maximum(rng.standard_gamma(shape, (count, rows, KINDS)), _LEAST)
    factors[~on] = 1.0
    return on, factors


def tilt_features(game: SequenceGame, player: int) -> Ints:
    """``[num_sequences, 2]``: the factors that tilt each sequence, by round and by strength of hole cards.

    Factor ``3 * row + k`` belongs to action kind k. Rows are the rounds, then weak, middle and strong.
    """
    tree, payoff = game.trees[player], game.payoff
    if not isinstance(tree.labels, ProductLabels) or not isinstance(payoff, FactoredPayoff):
        raise SoulreadError(
            f"{game.name!r} is not compiled as betting tree times private states, so rounds and hands are "
            "unknown; use compile_factored"
        )
    thirds = strength_thirds(game)[0]
    ancestors = trace_ancestors(payoff.parent_state)
    rounds = len(payoff.reach)
    features = np.zeros((tree.num_sequences, 2), dtype=np.int32)
    for block, _, rows in tree.blocks():
        r = tree.labels.rounds[block]
        hole = rounds + thirds[ancestors[r][1]]
        kinds = np.array([min(action, KINDS - 1) for action in tree.actions[block]])
        features[rows, 0] = np.repeat(KINDS * r + kinds, hole.size)
        features[rows, 1] = (KINDS * hole[None, :] + kinds[:, None]).ravel()
    return features


class _Memory:
    """The different hands seen of one seat, and how often each came."""

    def __init__(self) -> None:
        self.number = np.zeros(64)  # [hands] or longer
        self._log = EvidenceLog()
        self._index: dict[tuple[bytes, bytes], int] = {}

    @property
    def seen(self) -> SeenHands:
        return self._log.hands(self.number[: self._log.num_hands])

    def fade(self, factor: float) -> None:
        self.number *= factor

    def add(self, evidence: Evidence) -> None:
        key = evidence.sequences.tobytes(), evidence.weights.tobytes()
        place = self._index.setdefault(key, self._log.num_hands)
        if place == self._log.num_hands:
            self._log.add(evidence)
            if place == self.number.size:
                self.number = np.concatenate([self.number, np.zeros_like(self.number)])
        self.number[place] += 1


class Choices(NamedTuple):
    """The open sets of one seat, and the bases that each may have."""

    sets: Ints  # [open]
    number: Ints  # [open] how many bases there are to choose from
    bases: Ints  # [open, most] the first ``number`` are used


def _open_sets(tree: Treeplex, bases: Table) -> Choices:
    """The sets at which bases that come there differ by at least `_OPEN` in some probability."""
    plans = np.array([plan_from_behaviour(tree, Behaviour(base)) for base in bases])
    found: list[tuple[int, list[int]]] = []
    for j in range(tree.num_sets):
        coming = [k for k in range(len(bases)) if plans[k, tree.parent_sequence[j]] > _COMES]
        rows = tree.sequences(j)
        if len(coming) > 1 and np.ptp(bases[coming][:, rows], axis=0).max() >= _OPEN:
            found.append((j, coming))
    chosen = np.zeros((len(found), len(bases)), dtype=np.int32)
    for row, (_, coming) in zip(chosen, found, strict=True):
        row[: len(coming)] = coming
    return Choices(
        np.array([j for j, _ in found], dtype=np.int32),
        np.array([len(coming) for _, coming in found], dtype=np.int32),
        chosen,
    )


def _draw_bases(
    rng: np.random.Generator, drawn: NDArray[np.int64], whole: Flags, sets: int, choices: Choices
) -> Ints:
    """``[particles, sets]``: a base for every set. Whole particles have the base ``drawn`` at all open sets.

    Where that does not come, they have the first of the set's choices.
    """
    which = np.zeros((drawn.size, sets), dtype=np.int32)
    for j, number, row in zip(*choices, strict=True):
        mixed = row[rng.integers(number, size=drawn.size)]
        which[:, j] = np.where(whole, np.where(np.isin(drawn, row[:number]), drawn, row[0]), mixed)
    return which


@kernel
def choose_base(choices: Choices, base: int, which: Ints) -> None:
    """Let one base have all open sets; the first of the choices, where it does not come."""
    for i in range(choices.sets.size):
        which[choices.sets[i]] = choices.bases[i, 0]
        for k in range(choices.number[i]):
            if choices.bases[i, k] == base:
                which[choices.sets[i]] = base


class Seat(NamedTuple):
    """The tree, bases and hands of one seat, by which particles are judged."""

    tree: TreeArrays
    sequence_set: Ints  # [num_sequences]
    bases: Table  # [bases, num_sequences]
    choices: "Choices"
    features: Ints  # [num_sequences, 2]
    hands: SeenHands  # each different hand once, and how often it was seen


class TiltPrior(NamedTuple):
    """How likely tilts are."""

    shape: float  # of the factors' gamma distributions
    log_structure: Table  # [2 ** rows] of every set of rows that may be on, faith in the base included
    base_steps: float  # share of the steps that propose a base, where there are several


class Particles(NamedTuple):
    """Tilted bases, the plans they make, and how well these explain the hands."""

    whole: Flags  # [particles] whether there is one base at all open sets
    which: tuple[Ints, Ints]  # [particles, num_sets] of each seat: the base that is tilted there
    on: Flags  # [particles, rows]
    factors: NDArray[np.float64]  # [particles, rows, 3]
    plans: tuple[Table, Table]  # [particles, num_sequences] of each seat
    log_seen: Table  # [particles] log-likelihood of all hands kept; filled by `move_particles`


@kernel
def tilt_behaviour(tree: TreeArrays, base: Floats, features: Ints, factors: Table, behaviour: Floats) -> None:
    """Fill ``behaviour`` with the base times the factors of each sequence, scaled to sum to one at a set."""
    flat = factors.ravel()
    behaviour[0] = 1
    for c in range(1, base.size):
        behaviour[c] = base[c] * flat[features[c, 0]] * flat[features[c, 1]]
    normalise(tree, behaviour, behaviour)


@kernel
def fill_particle(seat: Seat, which: Ints, factors: Table, behaviour: Floats, plan: Floats) -> None:
    """The plan of one particle in one seat: `tilt_behaviour` of the base that ``which`` has at each set."""
    flat = factors.ravel()
    behaviour[0] = 1
    for c in range(1, behaviour.size):
        base = seat.bases[which[seat.sequence_set[c]], c]
        behaviour[c] = base * flat[seat.features[c, 0]] * flat[seat.features[c, 1]]
    normalise(seat.tree, behaviour, behaviour)
    fill_plan(seat.tree, behaviour, plan)


@kernel
def fill_particles(seat: Seat, which: Ints, factors: Table, plans: Table) -> None:
    """Fill ``plans`` with the plan of each particle in one seat."""
    behaviour = np.empty_like(seat.bases[0])
    for m in range(plans.shape[0]):
        fill_particle(seat, which[m], factors[m], behaviour, plans[m])


class OnTheWay(NamedTuple):
    """The sets of one seat on the way to the hands that were seen, parents first; others do not matter."""

    sets: Ints  # [way]
    parent: Ints  # [way] the sequence before each
    first: Ints  # [way] its first sequence
    last: Ints  # [way] its last sequence
    width: Ints  # [way] from one of its sequences to the next


@kernel
def sets_on_the_way(seat: Seat) -> OnTheWay:
    """Found by going back from the last sequences of all hands."""
    tree, hands = seat.tree, seat.hands
    needed = np.zeros(tree.parent_sequence.size, dtype=np.bool_)
    for k in range(hands.start[hands.number.size]):
        c = hands.sequences[k]
        while c > 0 and not needed[seat.sequence_set[c]]:
            needed[seat.sequence_set[c]] = True
            c = tree.parent_sequence[seat.sequence_set[c]]
    way = OnTheWay(
        np.flatnonzero(needed).astype(np.int32),
        tree.parent_sequence[needed],
        np.empty(needed.sum(), dtype=np.int32),
        np.empty(needed.sum(), dtype=np.int32),
        np.empty(needed.sum(), dtype=np.int32),
    )
    i = 0
    for b in range(tree.first_set.size - 1):
        width = tree.first_set[b + 1] - tree.first_set[b]
        for s in range(width):
            if needed[tree.first_set[b] + s]:
                way.first[i] = tree.first_sequence[b] + s
                way.last[i] = tree.first_sequence[b + 1] - width + s
                way.width[i] = width
                i += 1
    return way


@kernel
def fill_way(seat: Seat, way: OnTheWay, which: Ints, factors: Table, plan: Floats) -> None:
    """What `fill_particle` fills into ``plan``, but only on the way to the hands that were seen."""
    flat = factors.ravel()
    plan[0] = 1
    for i in range(way.sets.size):
        base = which[way.sets[i]]
        first, last, width = way.first[i], way.last[i], way.width[i]
        total = 0.0
        for c in range(first, last + 1, width):
            plan[c] = seat.bases[base, c] * flat[seat.features[c, 0]] * flat[seat.features[c, 1]]
            total += plan[c]
        reach = plan[way.parent[i]]
        uniform = width / (last - first + width)
        for c in range(first, last + 1, width):
            plan[c] = reach * (plan[c] / total if total > 0 else uniform)


class HandLogs(NamedTuple):
    """How likely a particle makes each different hand of one seat; most steps change few of them."""

    chance: Floats  # [hands]
    log: Floats  # [hands] its logarithm, times how often the hand was seen


@kernel
def log_likelihood(hands: SeenHands, plan: Floats, known: HandLogs, found: HandLogs) -> float:
    """Of all hands kept of one seat; fills ``found``, with the logarithms that are ``known`` already."""
    start, sequences, weights = hands.start, hands.sequences, hands.weights
    result = 0.0
    for hand in range(hands.number.size):
        total = 0.0
        for k in range(start[hand], start[hand + 1]):
            total += weights[k] * plan[sequences[k]]
        found.chance[hand] = total
        if total == known.chance[hand]:
            found.log[hand] = known.log[hand]
        else:
            found.log[hand] = hands.number[hand] * np.log(max(total, _SMALLEST))
        result += found.log[hand]
    return result


@kernel
def nothing_known(hands: SeenHands) -> HandLogs:
    """Room for the hands of one seat."""
    return HandLogs(np.full(hands.number.size, -1.0), np.zeros(hands.number.size))


@kernel
def move_particles(
    rng: np.random.Generator, seats: tuple[Seat, Seat], tilts: TiltPrior, steps: int, particles: Particles
) -> None:
    """Metropolis-Hastings steps of every particle, in place: of one row of factors, or of bases."""
    first, second = seats
    shape, log_structure, base_steps = tilts
    whole, which, on, factors, plans, log_seen = particles
    rows = on.shape[1]
    open0, open1 = first.choices.sets.size, second.choices.sets.size
    plan0, plan1 = np.empty_like(first.bases[0]), np.empty_like(second.bases[0])
    old = np.empty(3)
    old_which0, old_which1 = np.empty_like(which[0][0]), np.empty_like(which[1][0])
    bases = first.bases.shape[0]
    way0, way1 = sets_on_the_way(first), sets_on_the_way(second)
    known0, known1 = nothing_known(first.hands), nothing_known(second.hands)
    found0, found1 = nothing_known(first.hands), nothing_known(second.hands)
    for m in range(factors.shape[0]):
        likely0 = log_likelihood(first.hands, plans[0][m], found0, known0)
        likely1 = log_likelihood(second.hands, plans[1][m], found1, known1)
        for _ in range(steps):
            prior = 0.0
            row = 0
            move_base = open0 + open1 > 0 and rng.random() < base_steps
            in_first, in_second = True, True  # whether the plan of each seat may change
            if move_base:
                old_which0[:] = which[0][m]
                old_which1[:] = which[1][m]
                if whole[m]:
                    base = int(rng.random() * bases)
                    choose_base(first.choices, base, which[0][m])
                    choose_base(second.choices, base, which[1][m])
                else:
                    chosen = int(rng.random() * (open0 + open1))
                    in_first, in_second = chosen < open0, chosen >= open0
                    if in_first:
                        draw_base(rng, first.choices, chosen, which[0][m])
                    else:
                        draw_base(rng, second.choices, chosen - open0, which[1][m])
            else:
                row = int(rng.random() * rows)
            was_on = on[m, row]
            old[:] = factors[m, row]
            if move_base:
                pass  # the factors stay, and bases are as likely as each other
            elif not was_on or rng.random() < 0.3:
                fresh = rng.random() < 0.5
                mask = 0
                for i in range(rows):
                    mask += (1 << i) * on[m, i]
                on[m, row] = fresh
                for k in range(3):
                    factors[m, row, k] = max(rng.standard_gamma(shape), _LEAST) if fresh else 1.0
                if was_on != fresh:  # the step back is proposed with another probability than the step
                    other = mask + (1 << row) if fresh else mask - (1 << row)
                    prior = log_structure[other] - log_structure[mask]
                    prior += np.log(0.3) if fresh else -np.log(0.3)
            else:
                scale = 0.2 if rng.random() < 0.5 else 0.8
                for k in range(3):
                    factor = old[k] * np.exp(scale * rng.standard_normal())
                    prior += shape * np.log(factor / old[k]) - (factor - old[k])
                    factors[m, row, k] = max(factor, _LEAST)
            after0, after1 = likely0, likely1
            if in_first:
                fill_way(first, way0, which[0][m], factors[m], plan0)
                after0 = log_likelihood(first.hands, plan0, known0, found0)
            if in_second:
                fill_way(second, way1, which[1][m], factors[m], plan1)
                after1 = log_likelihood(second.hands, plan1, known1, found1)
            gain = (after0 + after1) - (likely0 + likely1)
            if np.log(max(rng.random(), _SMALLEST)) < gain + prior:
                likely0, likely1 = after0, after1
                if in_first:
                    known0, found0 = found0, known0
                if in_second:
                    known1, found1 = found1, known1
            else:
                on[m, row] = was_on
                factors[m, row] = old
                if move_base:
                    which[0][m, :] = old_which0
                    which[1][m, :] = old_which1
        fill_particle(first, which[0][m], factors[m], plan0, plans[0][m])
        fill_particle(second, which[1][m], factors[m], plan1, plans[1][m])
        log_seen[m] = likely0 + likely1


@kernel
def draw_base(rng: np.random.Generator, choices: Choices, chosen: int, which: Ints) -> None:
    """Draw a base for one open set."""
    which[choices.sets[chosen]] = choices.bases[chosen, int(rng.random() * choices.number[chosen])]
