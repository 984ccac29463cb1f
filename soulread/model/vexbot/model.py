"""Vexbot's model of an opponent (Billings et al., 2004): a tree of betting sequences, and coarser classes.

For two-player limit games. The model looks at public play and at the cards that showdowns reveal:

    decisions   how often the opponent folds, and, if not, how often the opponent raises
    showdowns   a histogram of the opponent's hand rank (`soulread.model.vexbot.hand_rank`), 20 cells

Both are kept at several *levels*. At level 0 every betting sequence is a class of its own, and coarser levels
put sequences together that have some traits in common (`soulread.model.vexbot.classes`).

*From coarse to fine.* Each level says how far the player departs from the default, and the finer one starts
there. For a class with n observations, let d be the default's mean over them, and s the shift of the log odds
that the coarser level has found (0 at first). Then, with f the frequency seen in the class,

    expected  m  = d, its log odds moved by s
    estimate  e  = (k * m + n * f) / (k + n)
    new shift s' = log odds of e - log odds of d

and at last the default of the node itself is moved by s. Level 0 has nothing but the node, so there the
estimate is e. A level weighs as much as its observations allow: k is the number of observations that coarser
classes count for there, ``strength`` times a weight of the level. Where sequences of a class hardly differ
from each other, k is large. The shift keeps how a node differs from others in the default: without it, all
nodes of a well-known class would get the same estimate. Histograms are treated alike, cell by cell, with
ratios in the place of shifts:

    m = d x ratio, scaled to sum to one;      e = (k * m + n * f) / (k + n);      new ratio = e / d

The paper says that levels are weighted by their numbers of observations and not how; the rule and k are ours.

*Decay.* Each observation in a class multiplies all earlier ones there by h (the paper's history decay). A
coarse class is visited far more often than a fine one, so with the same h it would remember fewer hands. Ours
remember longer the coarser they are: level i has 1 - (1 - h) / 4^i.

*Folding and raising are asked apart*, so that decisions at which nobody may raise any more also teach how
often the opponent folds.

*A showdown* adds one observation, spread over the places that the opponent's holding covers. Half of it is
spread further, over `BLUR` of the scale, since holdings of neighbouring ranks are played alike (ours).

*Some players do not mind their cards* (ours). The default's histograms h are those of a sensible player. Of
them soulread makes four families, h^b scaled to sum to one, with b = 0, 1/2, 1, 3/2: for b = 0 every sequence
shows every hand rank alike. Each hand that is shown multiplies the weight of every family by the chance that
the family gave it. The default of the rule above is then the mean of the families by their weights. So a
random player is known after some dozen showdowns, in all sequences at once.

*What frequencies say about hands* (ours). All hand ranks are equally likely when the cards are dealt. So if
the opponent's own actions towards a showdown have the chance q, no cell can have more there than

    1 / (cells x q)

Chances above the bound are spread over the room below it. The model thus knows that an opponent who always
raises may hold anything, before any hand was shown. Without the bound, two strong hands shown at first may
make us fold for ever, and then no hand is shown any more.

*Defaults*, for what was never seen (the paper's zero frequency problem):

    uniform       every action equally likely, every hand rank equally likely
    generic       the frequencies of a usual player (`soulread.model.loki.model`); hands get stronger with
                  raises
    equilibrium   the frequencies and shown hands of an equilibrium (`soulread.model.vexbot.context_table`)

`ContextTree` is the model for the search (`soulread.respond.search.miximax`).
`soulread.model.vexbot.context_table` makes a table over information sets of it, so that DBBR and DBR can
respond to it.
"""

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import verify_hand
from soulread.kernel import kernel
from soulread.model.base import FADING, POSITIVE, HandLearner, subject, verify_to_act
from soulread.model.loki.model import default_frequencies
from soulread.model.loki.triples import NUM_ROUNDS, context_of
from soulread.model.vexbot.classes import LEAD, LEVELS, Grouping, contexts
from soulread.model.vexbot.hand_rank import HandRank, place_of
from soulread.model.weights_by_prediction import from_logs
from soulread.seqform.betting import BettingArrays
from soulread.seqform.treeplex import Ints

CELLS = 20
DECAY = 0.99
STRENGTH = 60.0  # observations that coarser classes count for, times a weight of the level
SHOWN = 300.0  # the same for showdowns; more, since a histogram has many numbers
BLUR = 0.15  # of the scale of hand ranks
TILTS = 0.0, 0.5, 1.0, 1.5  # powers of the default's histograms
PRIOR = 0.1, 0.1, 0.7, 0.1  # their weights at first
LEAST = 0.01  # of a default: rates lie as far from 0 and 1, and so much of a histogram is even
DEFAULTS = "uniform", "generic", "equilibrium"
KINDS = "fold", "raise"  # what is asked at a decision
_FADING = 2  # the level with whose decay the weights of tilts are forgotten


class SeatTables(NamedTuple):
    """The model's chances in one seat, for a betting tree of N nodes with at most A actions."""

    chances: NDArray[np.float64]  # [N, A] of each action where the seat acts; elsewhere 0
    cumulative: NDArray[np.float64]  # [N, cells + 1] chance of a hand rank below each bound, at showdowns


class Defaults(NamedTuple):
    """The frequencies assumed of a player never seen, for a betting tree of N nodes."""

    rates: NDArray[np.float64]  # [N, 2] how often the seat to act folds, and raises if it does not fold
    histograms: NDArray[np.float64]  # [2, N, cells] of either seat's hand rank at showdowns


# Defaults.


def uniform_defaults(game: PokerGame, cells: int = CELLS) -> Defaults:
    """Every legal action equally likely, every hand rank equally likely."""
    found = contexts(game)
    fold, rise = found.may[:, 0], found.may[:, 1]
    rates = np.stack([np.where(fold, 1 / (2.0 + rise), 0.0), np.where(rise, 0.5, 0.0)], axis=1)
    return Defaults(rates, np.full((2, len(rates), cells), 1 / cells))


def generic_defaults(game: PokerGame, cells: int = CELLS) -> Defaults:
    """The frequencies of a usual player of hold'em; the density of hand ranks is tilted by raises (ours).

    Its logarithm rises over the scale by 0.6 for each raise of the player, by 0.4 for each of the other, and
    at most by 4.
    """
    found = contexts(game)
    tree = found.betting.arrays
    usual = default_frequencies(2)
    rates = np.zeros((found.betting.num_nodes, 2))
    for node in np.flatnonzero(tree.player != TERMINAL).tolist():
        fold, rise = usual[context_of(min(int(tree.round[node]), NUM_ROUNDS - 1), int(found.to_call[node]))]
        may_fold, may_raise = found.may[node]
        rates[node, 0] = fold if may_fold else 0.0
        rates[node, 1] = rise / (1 - rates[node, 0]) if may_raise else 0.0
    middles = (np.arange(cells) + 0.5) / cells
    histograms = np.empty((2, len(rates), cells))
    for seat in (0, 1):
        own, other = (found.at_showdowns[name][seat] for name in ("own", "other"))
        tilt = np.minimum(0.6 * own + 0.4 * other, 4.0)
        density = np.exp(tilt[:, None] * middles)
        histograms[seat] = density / density.sum(axis=1, keepdims=True)
    return Defaults(rates, histograms)


# The model.


class ContextTree(HandLearner):
    """Vexbot's model of one player in either seat; see the top of the module.

    ``defaults`` has what is assumed of a player never seen, the generic player's if it is not given. With
    ``decay`` 1 nothing is forgotten. ``grouping`` says which sequences are classes. The model knows no cards
    but those shown: asked for the chances of actions, it answers the same whatever the cards are.
    """

    def __init__(
        self,
        game: PokerGame,
        defaults: Defaults | None = None,
        decay: float = DECAY,
        strength: float = STRENGTH,
        shown: float = SHOWN,
        grouping: Grouping = LEAD,
    ) -> None:
        FADING.verify("decay", decay)
        POSITIVE.verify("strength", strength)
        POSITIVE.verify("shown", shown)
        self.game = game
        self.contexts = contexts(game, grouping)
        self.defaults = generic_defaults(game) if defaults is None else defaults
        self.decay = decay
        self.strengths = strength * np.array(grouping.weights)  # [LEVELS, 2]
        self.shown_strengths = shown * np.array(grouping.shown_weights)  # [LEVELS]
        self.cells = self.defaults.histograms.shape[2]
        self._keep = 1 - (1 - decay) / 4.0 ** np.arange(LEVELS)
        self._rates = np.clip(self.defaults.rates, LEAST, 1 - LEAST)
        ends = self.contexts.ends
        self._end = np.full(self.contexts.betting.num_nodes, -1, dtype=np.intp)  # number of each showdown
        self._end[ends] = np.arange(ends.size)
        smooth = (1 - LEAST) * self.defaults.histograms[:, ends] + LEAST / self.cells
        tilted = np.stack([smooth**tilt for tilt in TILTS], axis=2)
        self._tilted = tilted / tilted.sum(axis=3, keepdims=True)  # [2, ends, tilts, cells]
        self.reset()

    def reset(self) -> None:
        """Forget every hand."""
        classes = int(self.contexts.decision.max()) + 1
        ends = int(self.contexts.showdown.max()) + 1
        self.seen = np.zeros((LEVELS, classes, 2, 3))  # decayed: fold and raise; no, yes, and yes by default
        self.shown = np.zeros((LEVELS, ends, 1 + len(TILTS), self.cells))  # decayed: shown; by each tilt
        self.evidence = np.log(np.array(PRIOR))  # [tilts]
        self.num_hands = 0
        self._tables: dict[int, SeatTables] = {}

    # Learning.

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand: the player's actions, and the cards if they were shown."""
        verify_hand(self.game, hand)
        seat = subject(hand, player)
        betting, node = self.contexts.betting, 0
        for actor, action in hand.actions:
            actions = betting.actions[node]
            if actor != betting.arrays.player[node] or action not in actions:
                raise SoulreadError(
                    f"action {action!r} of seat {actor} after {betting.betting[node]!r} is not "
                    f"in the game {self.game.name!r}"
                )
            if actor == seat:
                self._count(node, action)
            node = int(betting.arrays.child[node, actions.index(action)])
        hole = hand.hole[seat]
        if betting.arrays.showdown[node] and hole is not None and len(hole) == self.game.rules.hole_cards:
            self._show(node, seat, place_of(self.game, hole, hand.board))
        self.num_hands += 1
        self._tables.clear()
        return self

    def _count(self, node: int, action: int) -> None:
        """Add one action at a decision to its class of every level."""
        may_fold, may_raise = self.contexts.may[node]
        levels, classes = np.arange(LEVELS), self.contexts.decision[:, node]
        keep = self._keep[:, None]
        if may_fold:
            self.seen[levels, classes, 0] *= keep
            self.seen[levels, classes, 0, int(action == FOLD)] += 1
            self.seen[levels, classes, 0, 2] += self._rates[node, 0]
        if may_raise and action != FOLD:
            self.seen[levels, classes, 1] *= keep
            self.seen[levels, classes, 1, int(action == RAISE)] += 1
            self.seen[levels, classes, 1, 2] += self._rates[node, 1]

    def _show(self, node: int, seat: int, place: HandRank) -> None:
        """Add one hand that was shown to the histogram of every level."""
        levels, classes = np.arange(LEVELS), self.contexts.showdown[:, seat, node]
        self.shown[levels, classes] *= self._keep[:, None, None]
        self.shown[levels, classes, 0] += spread_place(place, self.cells)
        usual = self._tilted[seat, self._end[node]]
        self.shown[levels, classes, 1:] += usual
        likelihood = usual @ overlaps(place, self.cells)
        self.evidence = self._keep[_FADING] * self.evidence + np.log(self.cells * likelihood)

    # Answers.

    def tables(self, seat: int) -> SeatTables:
        """The chances of the player's actions and hand ranks in ``seat``; kept until the next hand."""
        if seat not in self._tables:
            found, tree = self.contexts, self.contexts.betting.arrays
            chances = np.zeros(tree.child.shape)
            _fill_chances(
                tree, found.decision, found.may, self._rates, self.seen, self.strengths, seat, chances
            )
            played = np.ones(len(chances))
            _fill_played(tree, chances, seat, played)
            cumulative = np.zeros((len(chances), self.cells + 1))
            _fill_cumulative(
                found.ends,
                found.showdown[:, seat],
                self._tilted[seat],
                self.tilts(),
                self.shown,
                self.shown_strengths,
                played,
                cumulative,
            )
            self._tables[seat] = SeatTables(chances, cumulative)
        return self._tables[seat]

    def tilts(self) -> NDArray[np.float64]:
        """``[tilts]`` how likely each tilt of the default's histograms is, by the hands shown."""
        return from_logs(self.evidence)

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The probability of each action of ``seat``, which is to act, whatever cards it holds."""
        verify_to_act(view, seat)
        node = self.contexts.betting.decision(view.betting)
        return dict(zip(view.choices, self.tables(seat).chances[node].tolist(), strict=False))

    def observations(self, seat: int) -> NDArray[np.float64]:
        """``[N]`` how often the player was seen at each decision of ``seat``, older hands counting less."""
        counts = np.zeros(self.contexts.betting.num_nodes)
        nodes = self.contexts.betting.decisions(seat)
        counts[nodes] = self.seen[0, self.contexts.decision[0, nodes], :, :2].sum(axis=2).max(axis=1)
        return counts


# Kernels; each has a slow twin in tests/naive_vexbot.py.


@kernel
def _fill_chances(
    tree: BettingArrays,
    decision: Ints,
    may: NDArray[np.bool_],
    rates: NDArray[np.float64],
    seen: NDArray[np.float64],
    strengths: NDArray[np.float64],
    seat: int,
    chances: NDArray[np.float64],
) -> None:
    """The chances of the legal actions, in ascending order, where ``seat`` acts.

    The levels above the nodes are gone through once for each class of level 1, since classes are nested.
    """
    shifts = np.full((seen.shape[1], 2), np.nan)
    for node in range(len(chances)):
        if tree.player[node] != seat:
            continue
        fold = rise = 0.0
        for kind in range(2):
            if not may[node, kind]:
                continue
            shift = shifts[decision[1, node], kind]
            if np.isnan(shift):
                shift = 0.0
                for level in range(LEVELS - 1, 0, -1):
                    counts = seen[level, decision[level, node], kind]
                    shift = _shifted(counts, strengths[level, kind], shift)
                shifts[decision[1, node], kind] = shift
            shift = _shifted(seen[0, decision[0, node], kind], strengths[0, kind], shift)
            rate = rates[node, kind]
            rate = rate / (rate + (1 - rate) * np.exp(-shift))
            if kind == 0:
                fold = rate
            else:
                rise = rate
        place = 0
        if may[node, 0]:
            chances[node, 0] = fold
            place = 1
        chances[node, place] = (1 - fold) * (1 - rise)
        if may[node, 1]:
            chances[node, place + 1] = (1 - fold) * rise


@kernel
def _shifted(counts: NDArray[np.float64], strength: float, shift: float) -> float:
    """The shift of log odds after one more level; ``counts`` has no, yes, and yes by default."""
    no, yes, usual = counts
    number = no + yes
    if number == 0:
        return shift
    mean = usual / (usual + (number - usual) * np.exp(-shift))
    estimate = (strength * mean + yes) / (strength + number)
    return float(np.log(estimate / (1 - estimate) * (number - usual) / usual))


@kernel
def _fill_played(
    tree: BettingArrays, chances: NDArray[np.float64], seat: int, played: NDArray[np.float64]
) -> None:
    """How likely the actions of ``seat`` that lead to each node are; parents come first."""
    for node in range(len(played)):
        for k in range(tree.num_actions[node]):
            share = chances[node, k] if tree.player[node] == seat else 1.0
            played[tree.child[node, k]] = played[node] * share


@kernel
def _fill_cumulative(
    ends: NDArray[np.intp],
    showdown: Ints,
    tilted: NDArray[np.float64],
    tilts: NDArray[np.float64],
    shown: NDArray[np.float64],
    strengths: NDArray[np.float64],
    played: NDArray[np.float64],
    cumulative: NDArray[np.float64],
) -> None:
    """The hand ranks at showdowns, from coarse to fine, and within the bound that frequencies set."""
    cells = tilted.shape[2]
    ratios = np.zeros((shown.shape[1], cells))  # after level 1; classes are nested
    row, ratio = np.empty(cells), np.empty(cells)
    for i in range(ends.size):
        node = ends[i]
        coarse = ratios[showdown[1, node]]
        if coarse[0] == 0:
            coarse[:] = 1.0
            for level in range(LEVELS - 1, 0, -1):
                _move_ratios(shown[level, showdown[level, node]], tilts, strengths[level], coarse)
        ratio[:] = coarse
        _move_ratios(shown[0, showdown[0, node]], tilts, strengths[0], ratio)
        total = 0.0
        for c in range(cells):
            row[c] = 0.0
            for t in range(tilts.size):
                row[c] += tilts[t] * tilted[i, t, c]
            row[c] *= ratio[c]
            total += row[c]
        for c in range(cells):
            row[c] /= total
        bound(row, played[node])
        total = 0.0
        for c in range(cells):
            total += row[c]
            cumulative[node, c + 1] = total


@kernel
def _move_ratios(
    counts: NDArray[np.float64], tilts: NDArray[np.float64], strength: float, ratio: NDArray[np.float64]
) -> None:
    """The ratios of cells after one more level; ``counts`` has what was shown, and what by each tilt."""
    number = total = 0.0
    for c in range(ratio.size):
        number += counts[0, c]
    if number == 0:
        return
    usual = np.zeros(ratio.size)
    for c in range(ratio.size):
        for t in range(tilts.size):
            usual[c] += tilts[t] * counts[1 + t, c]
        total += usual[c] * ratio[c]
    for c in range(ratio.size):
        expected = usual[c] * ratio[c] / total
        ratio[c] = (strength * expected + counts[0, c]) / (strength + number) * number / usual[c]


@kernel
def bound(row: NDArray[np.float64], played: float) -> None:
    """Move what a histogram has above 1 / (cells x played) to where there is room (top of the module)."""
    most = 1 / (row.size * min(max(played, 1e-9), 1.0))
    kept = 0.0
    for c in range(row.size):
        row[c] = min(row[c], most)
        kept += row[c]
    share = (1 - kept) / max(row.size * most - kept, 1e-300)
    total = 0.0
    for c in range(row.size):
        row[c] += share * (most - row[c])
        total += row[c]
    for c in range(row.size):
        row[c] /= total


def spread_rates(rates: NDArray[np.float64], may: NDArray[np.bool_], num_actions: int) -> NDArray[np.float64]:
    """``[n, A]`` chances of the legal actions in ascending order, from the rates ``[n, 2]`` of `Defaults`."""
    fold, rise = rates.T
    triple = np.stack([fold, (1 - fold) * (1 - rise), (1 - fold) * rise], axis=1)
    chances = np.zeros((len(rates), num_actions))
    rows = np.arange(len(rates))
    for action, legal in ((FOLD, may[:, 0]), (CALL, np.ones(len(rates), dtype=np.bool_)), (RAISE, may[:, 1])):
        position = action - (~may[:, 0]).astype(np.intp)
        chances[rows[legal], position[legal]] = triple[legal, action]
    return chances


def spread_place(place: HandRank, cells: int) -> NDArray[np.float64]:
    """One observation of a holding as a histogram that sums to one; half of it is blurred."""
    return (overlaps(place, cells) + overlaps(blurred(place), cells)) / 2


def blurred(place: HandRank) -> HandRank:
    """A place made `BLUR` wide, within 0 and 1."""
    wide = max(0.0, (BLUR - (place.high - place.low)) / 2)
    low = min(max(place.low - wide, 0.0), 1 - BLUR)
    return HandRank(low, max(min(place.high + wide, 1.0), low + BLUR)) if wide else place


def overlaps(place: HandRank, cells: int) -> NDArray[np.float64]:
    """The share of a place that lies in each cell."""
    bounds = np.arange(cells + 1) / cells
    within = np.minimum(bounds[1:], place.high) - np.maximum(bounds[:-1], place.low)
    share: NDArray[np.float64] = np.maximum(within, 0.0)
    share /= share.sum()
    return share
