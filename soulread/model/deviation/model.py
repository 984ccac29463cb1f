"""DBBR's opponent model: the equilibrium, moved as far as the opponent's public actions say.

Ganzfried & Sandholm, "Game theory-based opponent modeling in large imperfect-information games", AAMAS 2011.
At every public history n at which the opponent acts, parents first:

* *posterior action probabilities* (eq. 1), from counts c and a prior worth ``prior`` hands of equilibrium,

      alpha[n, a] = (p*[n, a] prior + c[n, a]) / (prior + sum of c[n, .])

* *posterior bucket probabilities* (Algorithm 2), with h chance's probability of private state b and s the
  model's own probability of playing towards it, which is settled by then,

      beta[n, b]  proportional to  h[b] s[b]

* the model x at n: the equilibrium sigma*, moved until sum of beta[b] x[b, a] = alpha[a], by weight shifting
  (`soulread.model.deviation.shift`) or to the closest such strategy in L1 or L2
  (`soulread.model.deviation.distance`).

p*[n, a] is the probability that sigma* takes a at n. It depends on which private states the opponent has
there. With ``prior_range="equilibrium"``, the paper's definition, these are the states that sigma* itself
brings to n. With "model" they are the states that the model brings to n; a history without observations is
then played exactly as sigma* plays it, state by state. With ``pooled``, the prior also learns from other
histories of the same kind (`soulread.model.deviation.pooled_prior`). With ``shown``, cards that were shown
are used (`soulread.model.deviation.shown_cards`).

Where the model never reaches n, beta is computed with sigma* in its place; where sigma* never reaches n
either, with chance alone.

With ``expected="paper"``, h is the plain chance of a state, as in the paper. It ignores the other player, who
also holds cards and came to n with some of them rather than others. With few cards that is a great error.
With ``expected="joint"``, h is what the other player's cards and play leave over
(`soulread.observe.card_removal`). Then p*, beta and every prior made of p* are those of the hands that were
really seen. Leaks need this.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import NotFitted, ShapeError
from soulread.hands.hand import Hand
from soulread.kernel import kernel
from soulread.model.base import POSITIVE, subject
from soulread.model.deviation.distance import project_evenly, spread_evenly
from soulread.model.deviation.pooled_prior import PooledPrior, classes, equilibrium_only, pool
from soulread.model.deviation.shift import first_rank, rank_states, shift_weight
from soulread.model.deviation.shown_cards import add_cards, independent_share
from soulread.model.tabular import TabularModel
from soulread.observe.card_removal import StateWeights
from soulread.observe.counts import PublicCounts
from soulread.observe.shown_hands import CardEvidence, ShownCards
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame
from soulread.seqform.public import PublicArrays, PublicTree, gather_columns, joint_tree, public_tree
from soulread.seqform.strategy import Behaviour, Behaviours, Plan, plan_from_behaviour, verify_behaviour
from soulread.seqform.treeplex import Floats, Ints

METHODS = "shift", "l1", "l2"
PRIOR_RANGES = "equilibrium", "model"
EXPECTED = "paper", "joint"
DEFAULT_PRIOR = 5.0  # the paper's N_prior

_DUST = 1e-10  # smaller probabilities are rounding errors and count as zero
_CLOSE = 1e-12  # if frequencies are this near to alpha, the equilibrium is not moved


class DeviationModel(TabularModel):
    """How an opponent plays, as a deviation from equilibrium behaviours in either seat.

    ``seats`` holds what is believed about seats 0 and 1, ``counts`` what was seen. ``decay`` and ``window``
    let old hands count less (`soulread.observe.PublicCounts`). With ``expected="joint"`` the other player's
    cards are taken into account; a player whose cards are not in the record is expected to play the
    equilibrium. All other settings are those of `SeatDeviation`.
    """

    def __init__(
        self,
        game: SequenceGame,
        equilibrium: Behaviours,
        prior: float = DEFAULT_PRIOR,
        method: str = "shift",
        prior_range: str = "equilibrium",
        pooled: bool = False,
        shown: float = 0.0,
        decay: float = 1.0,
        window: int | None = None,
        expected: str = "paper",
    ) -> None:
        Bounds(choices=EXPECTED).verify("expected", expected)
        self.game = game
        joint = expected == "joint"
        first, second = (
            SeatDeviation(
                game,
                seat,
                behaviour,
                prior,
                method,
                prior_range,
                pooled,
                shown,
                other=equilibrium[1 - seat] if joint else None,
            )
            for seat, behaviour in enumerate(equilibrium)
        )
        self.seats: tuple[SeatDeviation, SeatDeviation] = (first, second)
        self.counts = PublicCounts(game, decay, window)
        self.removal = StateWeights(self.counts, equilibrium) if joint else None
        self.cards = ShownCards(self.counts) if shown else None
        self._seen = False
        self._stale = [True, True]

    def reset(self) -> None:
        """Forget every hand."""
        self.counts.reset()
        for more in (self.cards, self.removal):
            if more is not None:
                more.reset()
        self._seen, self._stale = True, [True, True]

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand; a model that was not fitted starts with it."""
        seat = subject(hand, player)
        self.counts.add(hand, seat)
        for more in (self.cards, self.removal):
            if more is not None:
                more.add(hand, seat)
        self._seen, self._stale = True, [True, True]
        return self

    def seat(self, seat: int) -> "SeatDeviation":
        """The model of the opponent in ``seat``, fitted to all hands so far."""
        if not self._seen:
            raise NotFitted("this model has seen no hands; call fit or update first")
        if self._stale[seat]:
            self.seats[seat].fit(self.counts, self.cards, self.removal)
            self._stale[seat] = False
        return self.seats[seat]

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour ``[num_sequences]`` the opponent is believed to play in ``seat``."""
        return self.seat(seat).strategy()

    def plan(self, seat: int) -> Plan:
        """The realisation plan ``[num_sequences]`` of `strategy`."""
        return self.seat(seat).plan()

    def observations(self, seat: int) -> NDArray[np.float64]:
        """``[num_sets]``: how often the opponent is believed to have been at each set of ``seat``.

        The observations of a public history are shared out by how likely its private states are.
        """
        model = self.seat(seat)
        public, plan = model.public, model.plan()
        seen = np.zeros(public.tree.num_sets)
        for n in range(public.num_histories):
            count = float(model.counts_[public.cells(n)].sum())
            if count > 0:
                sets = public.sets(n)
                weights = public.chance(n) * plan[public.tree.parent_sequence[sets]]
                total = float(weights.sum())
                if total > 0:
                    seen[sets] = count * weights / total
        return seen


class SeatDeviation:
    """How an opponent in seat ``player`` plays, as a deviation from that seat's equilibrium behaviour.

    ``method`` is "shift", "l1" or "l2". ``shown`` says how much shown cards weigh: at every information set
    the public model counts for this many hands against them. With 0 cards are never looked at. ``other`` is
    the behaviour expected of the other player, whose cards and play then count; with None both are ignored,
    as in the paper. After `fit`, ``counts_`` holds the public counts ``[num_cells]`` and ``num_hands_`` the
    number of hands they come from; ``alpha_`` and ``reach_`` are computed when they are asked for.
    """

    def __init__(
        self,
        game: SequenceGame,
        player: int,
        equilibrium: Behaviour,
        prior: float = DEFAULT_PRIOR,
        method: str = "shift",
        prior_range: str = "equilibrium",
        pooled: bool = False,
        shown: float = 0.0,
        other: Behaviour | None = None,
    ) -> None:
        Bounds(choices=METHODS).verify("method", method)
        Bounds(choices=PRIOR_RANGES).verify("prior_range", prior_range)
        POSITIVE.verify("prior", prior)
        Bounds(low=0, below=np.inf).verify("shown", shown)
        self.game = game
        self.shown = float(shown)
        self.prior = float(prior)
        self.method = method
        self.prior_range = prior_range
        self.pooled = pooled
        self.joint = other is not None  # whether the other player counts
        if other is None:
            self.public: PublicTree = public_tree(game, player)
        else:
            self.public = joint_tree(game, player, plan_from_behaviour(game.trees[1 - player], other))
        verify_behaviour(game.trees[player], equilibrium)
        self.equilibrium = equilibrium
        self._start = plan_from_behaviour(game.trees[player], equilibrium)
        self.frequencies: NDArray[np.float64] = self.public.frequencies(equilibrium, self._start)
        self.ranges: NDArray[np.float64] | None = None  # [2, num_cells]; None: exactly ``frequencies``
        self._ranking: Ints | None = None
        self._kinds = classes(self.public) if pooled or shown else None
        self._evidence: CardEvidence | None = None
        self._stale = True

    @property
    def player(self) -> int:
        """The seat that is modelled."""
        return self.public.player

    def fit(
        self, counts: PublicCounts, cards: ShownCards | None = None, removal: StateWeights | None = None
    ) -> Self:
        """Learn from counts of the opponent, and forget what was learnt before.

        Counts are copied: hands added to them later change nothing here. ``cards`` are the shown cards of the
        same hands; they are used only if ``shown`` is above 0. ``removal`` has what the other player held in
        these hands; it replaces what is expected of the other player.
        """
        self._evidence = None if cards is None or not self.shown else cards.evidence(self.player)
        theirs = counts.trees[self.player]
        if theirs.labels != self.public.labels:
            raise ShapeError(
                f"counts of a game with {theirs.num_histories} public histories cannot teach a model of "
                f"{self.game.name!r}, which has {self.public.num_histories}"
            )
        if removal is not None:
            self.joint = True
            self.public = removal.tree(self.player)
            self.frequencies = self.public.frequencies(self.equilibrium, self._start)
            self.ranges = removal.ranges(self.player)
        self.counts_ = counts.table(self.player)
        self.num_hands_ = counts.num_hands(self.player)
        self._stale = True
        return self

    def strategy(self) -> Behaviour:
        """The behaviour the opponent is believed to play, in the precision of the equilibrium."""
        self._refresh()
        return self._behaviour

    def plan(self) -> Plan:
        """The realisation plan of `strategy`."""
        self._refresh()
        return self._plan

    @property
    def alpha_(self) -> NDArray[np.float64]:
        """``[num_cells]``: posterior probability of each public action (eq. 1)."""
        self._refresh()
        return self._alpha

    @property
    def reach_(self) -> NDArray[np.float64]:
        """``[num_histories]``: probability that chance and the model play towards each history."""
        self._refresh()
        return self._reach

    def bucket_probabilities(self, history: str) -> NDArray[np.float64]:
        """beta: posterior probability of each private state at a public history, in the order of its sets."""
        self._refresh()
        n = self.public.index(history)
        parents = self.public.tree.parent_sequence[self.public.sets(n)]
        for plan in (self._plan, self._start):
            weights = self.public.chance(n) * plan[parents]
            if weights.sum() > 0:
                break
        else:
            weights = self.public.chance(n)
        result: NDArray[np.float64] = weights / weights.sum()
        return result

    def _refresh(self) -> None:
        if not hasattr(self, "counts_"):
            raise NotFitted("this model has seen no hands; call fit first")
        if not self._stale:
            return
        if self.method == "shift" and self._ranking is None:
            self._ranking = rank_states(self.public, self.equilibrium)
        ranking = np.empty(0, dtype=np.int32) if self._ranking is None else self._ranking
        if self._kinds is None or not self.pooled:
            prior = equilibrium_only(self.public)
        else:
            prior = pool(self.public, self._kinds, self.frequencies, self.counts_)
        self._behaviour = Behaviour(np.empty_like(self.equilibrium))
        self._plan = Plan(np.empty_like(self.equilibrium))
        self._alpha = np.empty(self.public.num_cells)
        self._reach = np.empty(self.public.num_histories)
        blind = np.zeros(self.public.num_histories)
        self._fill(ranking, prior, blind)
        if self._evidence is not None and self._kinds is not None and self._evidence.last.size:
            blind = independent_share(self.public, self._kinds, self._behaviour, self._alpha, self._evidence)
            self._fill(ranking, prior, blind)
            add_cards(self.public, self._behaviour, self._plan, self._reach, self.shown, self._evidence)
        self._stale = False

    def _fill(self, ranking: Ints, prior: PooledPrior, blind: NDArray[np.float64]) -> None:
        fill_model(
            self.public.arrays,
            self.public.tree.parent_sequence,
            Equilibrium(self.equilibrium, self._start, self.frequencies),
            ActionPrior(self.prior, self.prior_range == "model", prior.weight, prior.frequency),
            Observed(self.counts_, blind),
            Shifting(METHODS.index(self.method), first_rank(self.public), ranking),
            ModelArrays(self._alpha, self._reach, self._behaviour, self._plan),
        )


class Equilibrium(NamedTuple):
    """The equilibrium that the model deviates from."""

    sigma: Floats  # [num_sequences] behaviour
    start: Floats  # [num_sequences] its plan
    frequency: NDArray[np.float64]  # [num_cells] p*


class ActionPrior(NamedTuple):
    """How often public actions are expected before any was seen."""

    hands: float  # how many hands of evidence the prior counts for
    own_range: bool  # p* with the states that the model brings, not those of the equilibrium
    weight: NDArray[np.float64]  # [num_histories] weight of p*; ``pooled`` has the rest, up to 1
    pooled: NDArray[np.float64]  # [num_cells]


class Observed(NamedTuple):
    """The opponent's public actions, and how little they depend on the cards."""

    counts: NDArray[np.float64]  # [num_cells] of public actions
    blind: NDArray[np.float64]  # [num_histories] part of the model that plays alpha with every private state


class Shifting(NamedTuple):
    """How the equilibrium is moved."""

    method: int  # index in `METHODS`
    first_rank: NDArray[np.int64]  # [num_histories + 1] where a history starts in ``ranking``
    ranking: Ints  # its states in order of strength; empty where no weight is shifted


class ModelArrays(NamedTuple):
    """The arrays that `fill_model` writes."""

    alpha: NDArray[np.float64]  # [num_cells]
    reach: NDArray[np.float64]  # [num_histories]
    behaviour: Floats  # [num_sequences]
    plan: Floats  # [num_sequences]


@kernel
def fill_model(
    public: PublicArrays,
    parent_sequence: Ints,
    equilibrium: Equilibrium,
    prior: ActionPrior,
    observed: Observed,
    shifting: Shifting,
    model: ModelArrays,
) -> None:
    """One walk over the public histories: alpha, beta, and the equilibrium moved to fit them."""
    sigma, start, frequency = equilibrium
    hands, own_range, weight, pooled = prior
    counts, blind = observed
    method, first_rank, ranking = shifting
    alpha, mass, behaviour, plan = model
    widest = public.size.max() if public.size.size else 0
    most = public.num_actions.max() if public.size.size else 0
    beta_space = np.empty(widest)
    reach_space = np.empty(widest)
    x_space = np.empty(most * widest)
    scratch_space = np.empty(most * widest if method == 2 else 0)
    gamma_space = np.empty(most)
    behaviour[0] = 1
    plan[0] = 1
    for n in range(public.size.size):
        size, actions = public.size[n], public.num_actions[n]
        offsets = public.offset[public.first_offset[n] : public.first_offset[n] + size]
        chance = public.chance[public.first_chance[n] :]
        parent = parent_sequence[public.first_set[n] :]
        beta, reach = beta_space[:size], reach_space[:size]
        total = 0.0
        for k in range(size):
            reach[k] = plan[parent[offsets[k]]]
            beta[k] = chance[offsets[k]] * reach[k]
            total += beta[k]
        mass[n] = total
        if total <= 0:
            for k in range(size):
                beta[k] = chance[offsets[k]] * start[parent[offsets[k]]]
                total += beta[k]
        if total <= 0:
            for k in range(size):
                beta[k] = chance[offsets[k]]
                total += beta[k]
        for k in range(size):
            beta[k] /= total

        x = x_space[: actions * size].reshape(actions, size)
        gamma = gamma_space[:actions]
        gather_columns(public, n, sigma, x)
        for a in range(actions):
            taken = 0.0
            for k in range(size):
                taken += beta[k] * x[a, k]
            gamma[a] = taken

        cells = slice(public.first_cell[n], public.first_cell[n + 1])
        target = alpha[cells]
        seen = counts[cells].sum()
        known = 0.0
        for a in range(actions):
            expected = gamma[a] if own_range else frequency[public.first_cell[n] + a]
            expected = weight[n] * expected + (1 - weight[n]) * pooled[public.first_cell[n] + a]
            target[a] = (expected * hands + counts[public.first_cell[n] + a]) / (hands + seen)
            known += target[a]
        furthest = 0.0
        for a in range(actions):
            target[a] /= known
            furthest = max(furthest, abs(target[a] - gamma[a]))

        if furthest <= _CLOSE and blind[n] == 0:
            for a in range(actions):
                first = public.first_sequence[n] + a * public.width[n]
                for k in range(size):
                    behaviour[first + offsets[k]] = sigma[first + offsets[k]]
                    plan[first + offsets[k]] = reach[k] * sigma[first + offsets[k]]
            continue
        if furthest <= _CLOSE:
            pass
        elif method == 0:
            shift_weight(x, beta, target, gamma, ranking[first_rank[n] : first_rank[n + 1]])
        elif method == 1:
            spread_evenly(x, beta, target, gamma)
        else:
            scratch = scratch_space[: actions * size].reshape(actions, size)
            project_evenly(x, beta, target, gamma, scratch)
        for a in range(actions):
            first = public.first_sequence[n] + a * public.width[n]
            for k in range(size):
                probability = (1 - blind[n]) * x[a, k] + blind[n] * target[a]
                probability = probability if probability > _DUST else 0.0
                behaviour[first + offsets[k]] = probability
                plan[first + offsets[k]] = reach[k] * probability
