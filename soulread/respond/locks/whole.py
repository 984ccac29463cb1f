"""Whole players: a belief about every decision of an opponent in a spot, and what an answer to it promises.

Decisions of a spot that are alike are one *kind*: same street, raises, size of the bet, position and
initiative (`soulread.study.spots.player_counts`). Of each kind k a `KindRead` says how often the opponent
takes each action there: a Dirichlet distribution

    f[k]  ~  Dirichlet(strength m[k] + counts[k])

m[k] are the frequencies of a pool, or those of the equilibrium, ``strength`` says how much players of the
pool are alike, and ``counts`` are what the player did. Kinds are independent.

**From frequencies to a player.** Frequencies say nothing about hands. A *draw* of the opponent takes
frequencies f[k] of every kind and moves the equilibrium at each decision, from the first to the last, until
it has them. At decision d, where the equilibrium takes action a with frequency e[d, a], and with e[k, a] over
all decisions of the kind, the frequency becomes

    g[d, a]  proportional to  e[d, a] f[k, a] / e[k, a]

so that a kind that is one decision has f exactly, and one that is met on many cards keeps its differences
between cards. Hands follow by weight shifting or to the closest table (`soulread.model.deviation.fit_range`),
where a hand counts as often as *this* opponent comes there with it: who bets too much arrives too weak. Cards
that nobody saw are averaged so. Which hands deviate is not known either, so each draw takes one of the
``methods`` at random.

**The response** is to the mean of the draws' plans, which is believed with a probability, or with a
confidence c(n) at each decision (`soulread.respond.locks.trust`). Chips are linear in plans, so this mean is
all that the expected gain depends on, and the gain of an answer x beyond the equilibrium's x* from draw y is
(x - x*) · A y. Its 2.5% and 97.5% quantiles over the draws are the interval of what is promised.

**What is lost at most.** Against an opponent who plays what hurts most, x wins less than x* by the *cost*
(`soulread.respond.locks.trust`). Against some other opponent x may fall behind x* by more, since x* itself
may win there. The most by which it can fall behind is

    max over y of (x* - x) · A y,

a best response to a difference of plans.

**Where the gain comes from.** Kind by kind the equilibrium is replaced by what is believed, in the order of
play and in the reverse order. The mean of what a kind adds in both orders is its part. The parts sum to the
gain beyond what the answer loses to an opponent without leaks, which is told apart as the *entry*.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.kernel import kernel
from soulread.machine import verify_room
from soulread.model.deviation.distance import project_evenly, spread_evenly
from soulread.model.deviation.model import METHODS
from soulread.model.deviation.shift import rank_columns, shift_weight
from soulread.options import Bounds
from soulread.respond.confidence import Confidence, p_conf
from soulread.respond.locks.trust import Answer, Baseline, LockCurve
from soulread.seqform.reach import by_orbit, hand_weights, met_by
from soulread.seqform.spot import Place, Spot
from soulread.seqform.strategy import Behaviour, plan_from_behaviour
from soulread.seqform.treeplex import Ints, TreeArrays, Treeplex
from soulread.solvers.best_response import best_value
from soulread.solvers.restricted import Lock

Array = NDArray[np.float64]

USES = "read", "pool", "perfect"
DRAWS = 400
_WORDS = 3  # fold, call, raise; or check, bet
_FLOOR = 1e-3  # a frequency of the equilibrium below this counts as this one, where frequencies are compared
_LEAST_ALPHA = 0.05  # of an action that the prior has never seen
_THIN = 1e-6
_INSTEAD = {"raise": "call", "bet": "check"}
ENDS = 0.025, 0.975


@dataclass(frozen=True, eq=False)
class KindRead:
    """What is believed of one kind of decision."""

    name: str
    words: tuple[str, ...]  # fold, call, raise; or check, bet
    nodes: tuple[tuple[int, int], ...]  # street, counted from that of the spot, and node
    counts: Array  # [words] of the player
    strength: float  # decisions that the prior counts like
    prior: Array | None = None  # [words] frequencies; None means those of the equilibrium
    use: str = "read"  # what is assumed: the player's own posterior, the prior alone, or perfect play

    def __post_init__(self) -> None:
        Bounds(choices=USES).verify("use", self.use)
        for name, table in (("counts", self.counts), ("prior", self.prior)):
            if table is not None and table.shape != (len(self.words),):
                raise ShapeError(f"{name} of shape {table.shape} at {self.name!r}, which has {self.words}")
        if not self.strength > 0 or self.counts.min() < 0:
            raise SoulreadError(
                f"a strength of {self.strength!r} and counts {self.counts.tolist()!r} at {self.name!r}; the "
                "strength must be above 0, and no count below"
            )

    @property
    def n(self) -> float:
        """The number of decisions of the player."""
        return float(self.counts.sum())

    @property
    def known(self) -> float:
        """The decisions that trust is for: the player's, and those that the pool counts like."""
        if self.use == "perfect":
            return 0.0
        pool = 0.0 if self.prior is None else self.strength
        return pool + (self.n if self.use == "read" else 0.0)


@dataclass(frozen=True, eq=False)
class PlayerRead:
    """What is believed of a player at all decisions of a spot."""

    villain: int
    kinds: tuple[KindRead, ...]

    def verify(self, spot: Spot) -> None:
        """Raise unless every decision of the player belongs to one kind and has its actions."""
        found: dict[tuple[int, int], int] = {}
        for kind in self.kinds:
            for node in kind.nodes:
                found[node] = found.get(node, 0) + 1
        wanted = villain_nodes(spot, self.villain)
        if set(found) != set(wanted) or any(times > 1 for times in found.values()):
            raise SoulreadError(
                f"a read of {len(found)} decisions, of which {sum(t > 1 for t in found.values())} belong to "
                f"several kinds; the player has {len(wanted)} in {spot.name}, each of one kind"
            )


def villain_nodes(spot: Spot, player: int) -> list[tuple[int, int]]:
    """Street and node of every decision of a player at which there is a choice."""
    return [
        (street, i)
        for street, tree in enumerate(spot.tree)
        for i, node in enumerate(tree.nodes)
        if node.player == player and len(node.actions) > 1
    ]


class FrameArrays(NamedTuple):
    """A player's decisions for the kernel; B blocks, K kinds."""

    kind: Ints  # [B] -1 where there is no choice
    word: Ints  # [B, most actions] the word of each action
    usual: Array  # [B, most actions] frequencies of the equilibrium
    merged: Ints  # [B, words] the word that each word means there
    order: Ints  # [sequences] rankings of the hands, as `rank_columns` writes them; one for each action
    met: Array  # [sets] how often the opponent is met, times weight and holdings
    kinds: Array  # [K, words] frequencies of the equilibrium over all decisions of the kind


class PlayerFrame:
    """All decisions of one player of a spot in an equilibrium, ready to be moved to other frequencies."""

    def __init__(self, spot: Spot, baseline: Baseline, read: PlayerRead) -> None:
        read.verify(spot)
        self.spot, self.baseline, self.villain = spot, baseline, read.villain
        self.tree: Treeplex = baseline.game.trees[read.villain]
        self.behaviour = np.asarray(baseline.behaviours[read.villain], np.float64).copy()
        self.kind_of = {node: k for k, kind in enumerate(read.kinds) for node in kind.nodes}
        self.words = tuple(kind.words for kind in read.kinds)
        self._fill()

    @cached_property
    def places(self) -> list[Place]:
        """The place of every block, in the order of blocks."""
        spot, found = self.spot, {}
        for board, cards in enumerate(spot.boards.cards):
            for i, node in enumerate(spot.tree[len(cards)].nodes):
                if node.player == self.villain and spot.width(board, self.villain):
                    place = Place(len(cards), board, i, cards, 0)
                    found[spot.block(place)] = place
        return [found[block] for block in range(self.tree.num_blocks)]

    def _fill(self) -> None:
        spot, tree = self.spot, self.tree
        most = max(map(len, tree.actions))
        blocks, kinds = tree.num_blocks, len(self.words)
        word = np.zeros((blocks, most), np.int32)
        usual = np.zeros((blocks, most))
        merged = np.tile(np.arange(_WORDS, dtype=np.int32), (blocks, 1))
        numbers = np.full(blocks, -1, np.int32)
        order = np.zeros(tree.num_sequences, np.int32)
        met = np.zeros(tree.num_sets)
        sums, reached = np.zeros((kinds, _WORDS)), np.zeros(kinds)
        plan = np.asarray(self.baseline.plans[self.villain], np.float64)
        hero = self.baseline.plans[1 - self.villain]
        live = spot.ranges[1 - self.villain]
        for block, sets, rows in tree.blocks():
            place = self.places[block]
            node = spot.node(place)
            table = self.behaviour[rows].reshape(len(node.actions), -1)
            table /= table.sum(axis=0)
            other = hand_weights(spot, place, 1 - self.villain, hero)
            meets = met_by(other if other.any() else live.without((*spot.board, *place.cards)).weights)
            alive = spot.ranges[self.villain].without((*spot.board, *place.cards)).weights
            met[sets] = by_orbit(spot, place, self.villain, alive * meets)
            k = self.kind_of.get((place.street, place.node), -1)
            numbers[block] = k
            if k < 0:
                continue
            there = {action.kind for action in node.actions}
            names = self.words[k]
            for j, name in enumerate(names):
                merged[block, j] = j if name in there else names.index(_INSTEAD[name])
            word[block, : len(node.actions)] = [names.index(action.kind) for action in node.actions]
            weights = plan[tree.parent_sequence[sets]] * met[sets]
            total = float(weights.sum())
            shares = table @ (weights / total if total > 0 else met[sets] / max(met[sets].sum(), 1e-300))
            usual[block, : len(node.actions)] = shares / shares.sum()
            count = float(spot.boards.count[place.board])
            for a in range(len(node.actions)):
                sums[k, word[block, a]] += count * max(total, 1e-12) * usual[block, a]
            reached[k] += count * total / self._chance(place.street)
            rank_columns(table, order[rows][table.shape[1] :])
        self.reach = reached / spot.total_chance
        means = sums / sums.sum(axis=1, keepdims=True)
        self.arrays = FrameArrays(numbers, word, usual, merged, order, met, means)

    def _chance(self, street: int) -> float:
        """The number of cards, or of pairs of cards, that may have come before a street of the spot."""
        left = 52 - len(self.spot.board) - 4
        return float(np.prod([left - i for i in range(street)], initial=1.0))

    def usual(self, kind: int) -> Array:
        """The equilibrium's frequencies at a kind of decision."""
        found: Array = self.arrays.kinds[kind, : len(self.words[kind])]
        return found

    def player(self, frequencies: Sequence[Array | None], method: str = "shift") -> tuple[Array, Array]:
        """Behaviour and plan of a player with these frequencies of each kind; None leaves the equilibrium."""
        Bounds(choices=METHODS).verify("method", method)
        table = np.full((len(self.words), _WORDS), np.nan)
        for k, found in enumerate(frequencies):
            if found is not None:
                if found.shape != (len(self.words[k]),) or abs(found.sum() - 1) > 1e-6 or found.min() < 0:
                    raise SoulreadError(
                        f"frequencies {found.tolist()!r} of {', '.join(self.words[k])}; they must sum to 1"
                    )
                table[k, : found.size] = found
                table[k, found.size :] = 0.0
        behaviour, plan = self.behaviour.copy(), np.zeros(self.tree.num_sequences)
        move_player(self.tree.arrays, self.arrays, table, METHODS.index(method), behaviour, plan)
        return behaviour, plan


@kernel
def move_player(
    tree: TreeArrays, frame: FrameArrays, frequencies: Array, method: int, behaviour: Array, plan: Array
) -> None:
    """Move ``behaviour`` to the frequencies ``[kinds, words]``, first decisions first, and write its plan.

    A kind whose first frequency is NaN stays as it is.
    """
    plan[0] = 1.0
    wanted, here, there = np.empty(_WORDS), np.empty(_WORDS), np.empty(_WORDS)
    for b in range(tree.first_set.size - 1):
        start, end = tree.first_set[b], tree.first_set[b + 1]
        first, width = tree.first_sequence[b], end - start
        actions = (tree.first_sequence[b + 1] - first) // width
        x = behaviour[first : first + actions * width].reshape(actions, width)
        k = frame.kind[b]
        beta = np.empty(width)
        total = 0.0
        for s in range(width):
            beta[s] = plan[tree.parent_sequence[start + s]] * frame.met[start + s]
            total += beta[s]
        if k >= 0 and not np.isnan(frequencies[k, 0]) and total > 0:
            beta /= total
            wanted[:] = 0.0
            here[:] = 0.0
            there[:] = 0.0
            for j in range(_WORDS):
                wanted[frame.merged[b, j]] += frequencies[k, j]
                there[frame.merged[b, j]] += frame.kinds[k, j]
            for a in range(actions):
                here[frame.word[b, a]] += frame.usual[b, a]
            alpha = np.empty(actions)
            for a in range(actions):
                j = frame.word[b, a]
                part = frame.usual[b, a] / here[j] if here[j] > _THIN else 1.0
                if here[j] <= _THIN:
                    alike = 0
                    for other in range(actions):
                        alike += frame.word[b, other] == j
                    part = 1.0 / alike
                alpha[a] = part * wanted[j] * max(here[j], _FLOOR) / max(there[j], _FLOOR)
            alpha /= alpha.sum()
            gamma = np.zeros(actions)
            for a in range(actions):
                for s in range(width):
                    gamma[a] += beta[s] * x[a, s]
            if method == 0:
                order = frame.order[first + width : first + actions * width]
                shift_weight(x, beta, alpha, gamma, order)
            elif method == 1:
                spread_evenly(x, beta, alpha, gamma)
            else:
                project_evenly(x, beta, alpha, gamma, np.empty_like(x))
        for s in range(width):
            above = plan[tree.parent_sequence[start + s]]
            whole = 0.0
            for a in range(actions):
                x[a, s] = max(x[a, s], 0.0)
                whole += x[a, s]
            for a in range(actions):
                x[a, s] /= whole
                plan[first + a * width + s] = above * x[a, s]


# What is believed.


def middle(draws: Array) -> Array:
    """The ends between which 95% of what is drawn next to these draws (first axis) is expected."""
    found: Array = np.quantile(draws, ENDS, axis=0, method="weibull")
    return found


@dataclass(frozen=True, eq=False)
class PlayerBelief:
    """Draws of a whole player, their mean, and the locks that bind the player to it."""

    read: PlayerRead
    frame: PlayerFrame
    alpha: tuple[Array, ...]  # [words] of each kind
    frequencies: tuple[Array, ...]  # [draws, words] of each kind; those of the equilibrium if it is perfect
    plans: NDArray[np.float32]  # [draws, sequences]
    behaviour: Array  # of the mean plan
    locks: tuple[Lock, ...]  # at all decisions that are not perfect
    confidence: tuple[float, ...]  # of each kind

    def interval(self, kind: int) -> Array:
        """``[words, 2]``: 95% intervals of the frequencies of a kind."""
        return middle(self.frequencies[kind]).T

    def mean(self, kind: int) -> Array:
        """``[words]``: the mean frequencies of a kind."""
        alpha = self.alpha[kind]
        perfect = self.read.kinds[kind].use == "perfect"
        return self.frame.usual(kind) if perfect else np.asarray(alpha / alpha.sum())


def posterior(frame: PlayerFrame, read: PlayerRead) -> tuple[Array, ...]:
    """The parameters of the Dirichlet distribution of each kind."""
    found = []
    for k, kind in enumerate(read.kinds):
        mean = frame.usual(k) if kind.prior is None else kind.prior
        alpha = np.maximum(kind.strength * mean / mean.sum(), _LEAST_ALPHA)
        found.append(alpha + (kind.counts if kind.use == "read" else 0.0))
    return tuple(found)


def believe(
    frame: PlayerFrame,
    read: PlayerRead,
    confidence: Confidence,
    *,
    draws: int = DRAWS,
    methods: Sequence[str] = METHODS,
    seed: int = 0,
) -> PlayerBelief:
    """Draws of the player that a read speaks of; kinds that are perfect play the equilibrium in them."""
    if draws < 20:
        raise SoulreadError(f"{draws} draws of a player; an interval needs at least 20")
    tree = frame.tree
    verify_room(f"{draws} draws of a player", 4 * draws * tree.num_sequences)
    rng = np.random.default_rng(seed)
    alpha = posterior(frame, read)
    drawn = [rng.dirichlet(one, draws) for one in alpha]
    chosen = rng.integers(len(methods), size=draws)
    plans = np.empty((draws, tree.num_sequences), np.float32)
    mean, behaviours = np.zeros(tree.num_sequences), np.zeros(tree.num_sequences)
    uses = [kind.use for kind in read.kinds]
    for i in range(draws):
        each = [None if use == "perfect" else rows[i] for use, rows in zip(uses, drawn, strict=True)]
        behaviour, plan = frame.player(each, methods[int(chosen[i])])
        plans[i] = plan
        mean += plan / draws
        behaviours += behaviour / draws
    trust = tuple(float(one) for one in p_conf(confidence, np.array([kind.known for kind in read.kinds])))
    locks = []
    for block, sets, rows in tree.blocks():
        table = mean[rows].reshape(len(tree.actions[block]), -1)
        above = mean[tree.parent_sequence[sets]]
        apart = behaviours[rows].reshape(table.shape)
        table = np.where(above > _THIN, table / np.maximum(above, _THIN), apart)
        table /= table.sum(axis=0)
        behaviours[rows] = table.ravel()
        k = int(frame.arrays.kind[block])
        if k >= 0 and uses[k] != "perfect" and trust[k] > 0:
            locks.append(Lock(block, table, np.full(table.shape[1], trust[k])))
    if not locks:
        raise SoulreadError("nothing is known of the player at any decision of this spot")
    shown = tuple(
        np.tile(frame.usual(k), (draws, 1)) if use == "perfect" else drawn[k] for k, use in enumerate(uses)
    )
    return PlayerBelief(read, frame, alpha, shown, plans, behaviours, tuple(locks), trust)


# What an answer promises.


@dataclass(frozen=True)
class Promise:
    """Chips that an answer wins beyond the equilibrium's, over the draws of a player."""

    mean: float
    low: float  # 2.5% of the draws are below
    high: float  # 2.5% are above
    losing: float  # share of the draws from which it wins less than the equilibrium does

    @classmethod
    def of(cls, values: Array) -> "Promise":
        """The promise of values of single draws."""
        low, high = middle(values)
        return cls(float(values.mean()), float(low), float(high), float((values < 0).mean()))


def beyond_equilibrium(curve: LockCurve, answer: Answer) -> Array:
    """``[sequences]`` of the opponent: chips that an answer wins beyond the equilibrium's, by what is played.

    Its product with a plan of the opponent is the gain from it.
    """
    payoff, villain = curve.game.payoff, curve.villain
    with_answer = payoff.gradient(villain, answer.response.plan).astype(np.float64)
    without = payoff.gradient(villain, curve.equilibrium.response.plan).astype(np.float64)
    return np.asarray(without - with_answer)


def gains(curve: LockCurve, answer: Answer, belief: PlayerBelief) -> Array:
    """``[draws]``: chips that an answer wins beyond the equilibrium's from each draw of the player."""
    found: Array = belief.plans @ beyond_equilibrium(curve, answer)
    return found


def most_behind(curve: LockCurve, answer: Answer) -> float:
    """The most chips by which an answer falls behind the equilibrium's, against any opponent at all."""
    tree = curve.game.trees[curve.villain]
    gradient = -beyond_equilibrium(curve, answer)
    return max(0.0, best_value(tree, gradient.astype(curve.game.payoff.dtype)))


@dataclass(frozen=True)
class GainPart:
    """The part of an expected gain that comes from one kind of decision."""

    kind: int  # -1 for the entry: what the answer loses to an opponent without leaks
    chips: float


def gain_parts(curve: LockCurve, answer: Answer, belief: PlayerBelief) -> tuple[GainPart, ...]:
    """Where the gain from the mean player comes from; the entry first, then every kind."""
    frame, gradient = belief.frame, beyond_equilibrium(curve, answer)
    kinds = range(len(belief.read.kinds))
    of = frame.arrays.kind

    def gain(played: set[int]) -> float:
        """The gain from a player who plays as believed at these kinds, and elsewhere the equilibrium."""
        behaviour = frame.behaviour.copy()
        for block, _, rows in frame.tree.blocks():
            if int(of[block]) in played:
                behaviour[rows] = belief.behaviour[rows]
        return float(gradient @ plan_from_behaviour(frame.tree, Behaviour(behaviour)))

    entry = gain(set())
    found = dict.fromkeys(kinds, 0.0)
    for order in (list(kinds), list(reversed(kinds))):
        played: set[int] = set()
        before = entry
        for k in order:
            played.add(k)
            now = gain(played)
            found[k] += (now - before) / 2
            before = now
    return (GainPart(-1, entry), *(GainPart(k, chips) for k, chips in found.items()))


def with_rest(read: PlayerRead, rest: str, named: Sequence[int]) -> PlayerRead:
    """The read with everything but the ``named`` kinds assumed to be ``rest``: perfect, pool or read."""
    Bounds(choices=USES).verify("rest", rest)
    return replace(
        read,
        kinds=tuple(replace(kind, use="read" if k in named else rest) for k, kind in enumerate(read.kinds)),
    )
