"""The common part of models that are a few numbers, fitted to all hands: *how* is an equilibrium changed?

A fitted model changes a *base*, which is an equilibrium mixed with a little uniform play, by some numbers.
These are the numbers of the greatest posterior density, given everything seen of all hands,

    log density  =  sum over hands of  log( sum over s of  P(s) plan[s] )  +  log prior of the numbers

P(s) is the chance that the opponent held s, given the observer's cards and the board. A hand that was shown
has one s. A hand that was folded is averaged over all that may have been folded, so it brings no bias.

Nobody knows which equilibrium an opponent changes. Of several bases the one is taken under which, with the
numbers found last, all hands are most likely; then the numbers are fitted again.
"""

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from soulread.games.bets import effective_stack
from soulread.games.poker import CALL, FOLD
from soulread.kernel import kernel
from soulread.model.base import FADING
from soulread.model.bayes.beliefs import EvidenceModel
from soulread.model.bayes.evidence import Evidence, EvidenceLog, SeenHands
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame, betting_of
from soulread.seqform.strategy import Behaviour, Behaviours, verify_behaviours
from soulread.seqform.treeplex import Floats, Ints, TreeArrays, Treeplex

Table = NDArray[np.float64]

FOLDS, CALLS, RAISES, LARGE_RAISES, ALL_IN = range(5)  # kinds of actions; without a menu a raise is a raise
_LARGE = 0.75  # of the pot: where large raises begin
_SMALLEST = 1e-300


class FittedModel(EvidenceModel):
    """Changes ``base``, both seats' behaviours, or one of ``others``, by numbers that a search finds.

    ``smooth`` is the share of uniform play in a base. With ``forget`` below 1 older hands count less: each
    new hand multiplies their weights by it. ``steps`` is how many steps of the search (L-BFGS) an update may
    take; it goes on where the last one ended. Models that are never asked at the same time may share a
    ``room``, which is large in hold'em.
    """

    numbers: Table  # of the model, in any shape; found by the search
    lowest: float | None = None  # bounds of each number
    highest: float | None = None

    def __init__(
        self,
        game: SequenceGame,
        base: Behaviours,
        smooth: float,
        forget: float = 1.0,
        steps: int = 40,
        others: Sequence[Behaviours] = (),
        room: "SearchRooms | None" = None,
    ) -> None:
        super().__init__(game)
        Bounds(above=0, below=1).verify("smooth", smooth)
        FADING.verify("forget", forget)
        self._bases = base, *others
        for pair in self._bases:
            verify_behaviours(game.trees, pair)
        self.smooth = smooth
        self.forget = forget
        self.steps = steps
        self._chosen = 0  # number of the base
        rooms = search_rooms(game) if room is None else room
        first, second = (
            SeenSeat(tree, own, smooth, space, action_kinds(game, tree.player))
            for tree, own, space in zip(game.trees, base, rooms, strict=True)
        )
        self._seats = first, second

    def _start(self) -> None:
        self.numbers = self._first_numbers()
        self._behaviours: list[Behaviour | None] = [None, None]
        self._fitted = True
        self._take_base(0)
        for seat in self._seats:
            seat.reset()

    @abstractmethod
    def _first_numbers(self) -> Table:
        """The likeliest numbers before anything was seen."""

    @abstractmethod
    def _fill(self, seat: int, blocks: Ints, behaviour: Floats) -> None:
        """Fill the behaviour of ``seat`` at every set of ``blocks``, by the numbers."""

    @abstractmethod
    def loss(self, flat: Table) -> tuple[float, Table]:
        """Minus the log density of the numbers and its slope; the numbers become those of the model."""

    def _take(self, evidence: Evidence) -> None:
        self._seats[evidence.player].add(self.num_hands, evidence)
        self._fitted, self._behaviours = False, [None, None]

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour the opponent is believed to play in ``seat``."""
        self._search()
        known = self._behaviours[seat]
        if known is None:
            tree = self.game.trees[seat]
            table = np.ones(tree.num_sequences, dtype=self.game.payoff.dtype)
            self._fill(seat, np.arange(tree.num_blocks, dtype=np.int32), table)
            known = self._behaviours[seat] = Behaviour(table)
        return known

    def _search(self) -> None:
        """Find the numbers of greatest density, from those of the last update on."""
        if self._fitted:
            return
        self._choose_base()
        bounded = self.lowest is not None or self.highest is not None
        found = minimize(
            self.loss,
            self.numbers.ravel(),
            jac=True,
            method="L-BFGS-B",
            bounds=[(self.lowest, self.highest)] * self.numbers.size if bounded else None,
            options={"maxiter": self.steps},
        )
        self.numbers = found.x.reshape(self.numbers.shape)
        self._fitted = True

    def _choose_base(self) -> None:
        """Take the base under which all hands are most likely, changed by the present numbers."""
        if len(self._bases) == 1:
            return
        log_chances = []
        for pair in self._bases:
            for seat, base in zip(self._seats, pair, strict=True):
                seat.bend(base, self.smooth, seat.blocks())
            log_chances.append(sum(self._log_chance(seat) for seat in (0, 1)))
        best = int(np.argmax(log_chances))
        self._take_base(best if log_chances[best] > log_chances[self._chosen] else self._chosen, tried=True)

    def _take_base(self, number: int, tried: bool = False) -> None:
        """Change the base of this number from now on; if others were ``tried``, it may be the one before."""
        if number == self._chosen and not tried:
            return
        for seat, base in zip(self._seats, self._bases[number], strict=True):
            seat.bend(base, self.smooth, seat.blocks() if number == self._chosen else None)
        self._chosen = number

    def _log_chance(self, seat: int) -> float:
        """Log-likelihood of all hands in a seat; fills its plan, and counts by last sequence."""
        own = self._seats[seat]
        blocks, tree = own.blocks(), own.tree.arrays
        self._fill(seat, blocks, own.behaviour)
        fill_plans(tree, blocks, own.behaviour, own.plan, own.counts)
        return count_hands(own.seen(self.num_hands, self.forget), own.plan, own.counts)


class SeenSeat:
    """One seat of a model: its nodes with the base, everything seen, and room for the search."""

    def __init__(
        self, tree: Treeplex, base: Behaviour, smooth: float, room: "SearchRoom", act: NDArray[np.int8]
    ) -> None:
        self.tree = tree
        self.act = act
        self.log_base = np.zeros(tree.num_sequences, dtype=np.float32)
        self.bend(base, smooth)
        self.behaviour, self.plan, self.counts = room
        self.reset()

    def bend(self, base: Behaviour, smooth: float, blocks: Ints | None = None) -> None:
        """Take another base, at some ``blocks`` or at all."""
        every = np.arange(self.tree.num_blocks, dtype=np.int32)
        fill_log_base(self.tree.arrays, every if blocks is None else blocks, base, smooth, self.log_base)

    def reset(self) -> None:
        """Forget every hand."""
        self.visited: set[int] = set()  # blocks
        self._numbers: list[int] = []  # of the hands
        self._log = EvidenceLog()

    def add(self, number: int, evidence: Evidence) -> None:
        """Take note of what was seen of a hand."""
        if evidence.sequences[-1] == 0:
            return
        self._numbers.append(number)
        self._log.add(evidence)
        first = self.tree.first_sequence
        blocks = np.searchsorted(first, evidence.sequences, side="right") - 1
        for last in evidence.sequences[np.unique(blocks, return_index=True)[1]].tolist():
            sequence = last  # any of a block: the ways to the others go through the same blocks
            while sequence:
                block = int(np.searchsorted(first, sequence, side="right")) - 1
                if block in self.visited:
                    break
                self.visited.add(block)
                width = int(self.tree.first_set[block + 1] - self.tree.first_set[block])
                place = (sequence - int(first[block])) % width
                sequence = int(self.tree.parent_sequence[int(self.tree.first_set[block]) + place])

    def blocks(self) -> Ints:
        """The blocks that hands came to, ascending."""
        return np.array(sorted(self.visited), dtype=np.int32)

    def seen(self, latest: int, forget: float) -> SeenHands:
        """All hands, for kernels; the hand ``latest`` has weight 1."""
        return self._log.hands(forget ** (latest - np.array(self._numbers, dtype=np.float64)))


class SearchRoom(NamedTuple):
    """Arrays ``[num_sequences]`` that a search in one seat writes to."""

    behaviour: Table
    plan: Table
    counts: Table


SearchRooms = tuple[SearchRoom, SearchRoom]


def search_rooms(game: SequenceGame) -> SearchRooms:
    """Room for searches in both seats."""
    first, second = (
        SearchRoom(*(np.zeros(tree.num_sequences) for _ in SearchRoom._fields)) for tree in game.trees
    )
    first.plan[0] = second.plan[0] = 1
    return first, second


def action_kinds(game: SequenceGame, player: int) -> NDArray[np.int8]:
    """``[blocks, actions]``: the kind of each action of a player; -1 beyond the last action of a block.

    Where several raises are possible at a decision, they are told apart by size.
    """
    tree = game.trees[player]
    most = max(3, *map(len, tree.actions))
    found = np.full((tree.num_blocks, most), -1, dtype=np.int8)
    for row, actions in zip(found, tree.actions, strict=True):
        row[: len(actions)] = [FOLDS if a == FOLD else CALLS if a == CALL else RAISES for a in actions]
    if most == 3:
        return found
    betting = betting_of(game)
    stack = effective_stack(betting.poker.rules)
    for row, node in zip(found, betting.decisions(player).tolist(), strict=True):
        high = int(betting.chips_in[node].max())
        for place, total in enumerate(betting.actions[node]):
            if row[place] == RAISES and total >= stack:
                row[place] = ALL_IN
            elif row[place] == RAISES and total - high >= _LARGE * 2 * high:
                row[place] = LARGE_RAISES
    return found


class Rows(NamedTuple):
    """The first sequences of a block's actions; -1 where an action is not allowed. Raises come last."""

    fold: int
    call: int
    up: int  # the first raise
    last: int  # the sequence after all of the block


@kernel
def rows_of(tree: TreeArrays, act: NDArray[np.int8], b: int) -> Rows:
    """The first sequences of the actions of block b."""
    width = tree.first_set[b + 1] - tree.first_set[b]
    first, last = tree.first_sequence[b], tree.first_sequence[b + 1]
    fold, call, up = -1, -1, -1
    for a in range((last - first) // width):
        if act[b, a] == FOLDS:
            fold = first + a * width
        elif act[b, a] == CALLS:
            call = first + a * width
        elif up < 0:
            up = first + a * width
    return Rows(fold, call, up, last)


@kernel
def fill_log_base(tree: TreeArrays, blocks: Ints, base: Floats, smooth: float, log_base: Floats) -> None:
    """Fill the logarithm of a base, mixed with the share ``smooth`` of uniform play, at ``blocks``."""
    for b in blocks:
        width = tree.first_set[b + 1] - tree.first_set[b]
        first, last = tree.first_sequence[b], tree.first_sequence[b + 1]
        least = smooth * width / (last - first)
        for c in range(first, last):
            log_base[c] = np.log((1 - smooth) * base[c] + least)


@kernel
def fill_plans(tree: TreeArrays, blocks: Ints, behaviour: Table, plan: Table, counts: Table) -> None:
    """Fill the plan of ``blocks``, parents first, and set their counts to zero."""
    for b in blocks:
        sets = tree.first_set[b]
        width = tree.first_set[b + 1] - sets
        for row in range(tree.first_sequence[b], tree.first_sequence[b + 1], width):
            for s in range(width):
                plan[row + s] = plan[tree.parent_sequence[sets + s]] * behaviour[row + s]
                counts[row + s] = 0.0


@kernel
def count_hands(seen: SeenHands, plan: Table, counts: Table) -> float:
    """The log-likelihood of all hands; each is added to ``counts`` at the last sequences it may have had."""
    result = 0.0
    for h in range(seen.number.size):
        entries = range(seen.start[h], seen.start[h + 1])
        total = 0.0
        for k in entries:
            total += seen.weights[k] * plan[seen.sequences[k]]
        total = max(total, _SMALLEST)
        result += seen.number[h] * np.log(total)
        for k in entries:
            sequence = seen.sequences[k]
            counts[sequence] += seen.number[h] * seen.weights[k] * plan[sequence] / total
    return result
