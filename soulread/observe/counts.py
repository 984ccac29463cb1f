"""How often an opponent took each public action: c[n, a] per public history and seat.

Only actions and board cards are counted, never hole cards, not even those that were shown. So two hands that
differ only in hole cards have the same counts. To find the public histories, a hand is replayed through the
rules with spare cards in every seat.
"""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.observe.translation import on_tree
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.public import PublicTree, public_tree, verify_cells

_LARGEST_WEIGHT = 1e100  # of a hand, before all weights are scaled down again


@dataclass(frozen=True, slots=True)
class _Seen:
    """One counted hand, kept while it is inside the window."""

    seat: int
    ways: "Ways"
    weight: float


Ways = tuple[tuple[tuple[int, ...], float], ...]
"""The cells of one seat in a hand, with probability 1; over a menu of raises, in each way of the hand."""


def counted_seat(hand: Hand, seat: int | None) -> int:
    """The seat to count in a hand of two: ``seat``, or if None, that of the observer's opponent."""
    seat = hand.opponent if seat is None else seat
    if seat not in (0, 1):
        raise SoulreadError(f"seat {seat!r}; the seats of a two-player game are 0 and 1")
    return seat


def verify_counts(table: NDArray[np.float64]) -> None:
    """Raise `SoulreadError` unless counts are finite and not negative."""
    if not np.all(np.isfinite(table)) or table.min(initial=0.0) < 0:
        raise SoulreadError("counts are finite and not negative")


class PublicCounts:
    """Counts of public actions of one opponent, in either seat, that grow hand by hand.

    By default all hands count alike. With ``decay`` below 1, every new hand multiplies the earlier counts by
    it: with 0.99 the hand before the last counts 0.99, the one before that 0.98. With ``window=500`` only the
    last 500 hands count.
    """

    def __init__(self, game: SequenceGame, decay: float = 1.0, window: int | None = None) -> None:
        Bounds(above=0, high=1).verify("decay", decay)
        if window is not None:
            Bounds(low=1).verify("window", window)
        self.game = game
        self.decay = decay
        self.window = window
        self.poker = poker_of(game)
        self.trees: tuple[PublicTree, PublicTree] = (public_tree(game, 0), public_tree(game, 1))
        self._known: dict[tuple[str, tuple[int, ...]], tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self.reset()

    def reset(self) -> None:
        """Forget every hand."""
        self._tables = tuple(np.zeros(tree.num_cells) for tree in self.trees)
        self._hands = np.zeros(2)  # [seat], weighted like the tables
        self._weight = 1.0  # of the latest hand; tables and hands are in units of it
        self._recent: deque[_Seen] = deque()

    def add(self, hand: Hand, seat: int | None = None) -> None:
        """Count the actions of ``seat`` in a hand; without ``seat`` those of the observer's opponent."""
        seat = counted_seat(hand, seat)
        ways = self.ways(hand, seat)
        self._weight /= self.decay
        self._note(seat, ways, self._weight)
        if self.window is not None:
            self._recent.append(_Seen(seat, ways, self._weight))
            if len(self._recent) > self.window:
                oldest = self._recent.popleft()
                self._note(oldest.seat, oldest.ways, -oldest.weight)
        if self._weight > _LARGEST_WEIGHT:
            self._rescale()

    def add_table(self, seat: int, table: NDArray[np.float64], hands: float) -> None:
        """Add counts ``[num_cells]`` that were made elsewhere, such as by a simulation of ``hands`` hands."""
        if self.decay != 1 or self.window is not None:
            raise SoulreadError("counts with a decay or a window take hands one by one, not tables")
        verify_cells(self.trees[seat], table, "the table of counts")
        verify_counts(table)
        self._tables[seat][:] += table
        self._hands[seat] += hands

    def merge(self, other: "PublicCounts") -> None:
        """Add all that another object has counted. Refused with a decay or a window: they need the order."""
        for mine, theirs in zip(self.trees, other.trees, strict=True):
            if mine.labels != theirs.labels:
                raise ShapeError(f"counts of {other.game.name!r} in another game cannot be merged into these")
        if other.decay != 1 or other.window is not None:
            raise SoulreadError("counts with a decay or a window cannot be merged: the order is lost")
        for seat in (0, 1):
            self.add_table(seat, other._tables[seat], float(other._hands[seat]))

    def table(self, seat: int) -> NDArray[np.float64]:
        """``[num_cells]``, read-only: how often ``seat`` took each public action."""
        table = np.maximum(self._tables[seat] / self._weight, 0.0)  # a window subtracts what it added
        table.flags.writeable = False
        return table

    def num_hands(self, seat: int) -> float:
        """Hands counted in which the opponent had ``seat``, decay and window applied."""
        return max(0.0, float(self._hands[seat]) / self._weight)

    def count(self, seat: int, history: str) -> dict[int, float]:
        """The counts of each action of ``seat`` at one public history."""
        tree = self.trees[seat]
        n = tree.index(history)
        return dict(zip(tree.actions(n), self.table(seat)[tree.cells(n)].tolist(), strict=True))

    def ways(self, hand: Hand, seat: int) -> Ways:
        """The cells that a seat went through in a hand, in order, on each of the hand's ways."""
        return tuple((self.cells(way)[seat], chance) for way, chance in on_tree(self.game, hand))

    def cells(self, hand: Hand) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The cells both seats went through in a hand of the compiled game, in order."""
        board = hand.board if self.trees[0].shows_board or self.trees[1].shows_board else ()
        key = hand.betting, board
        if key not in self._known:
            self._known[key] = self._replay(hand, board)
        return self._known[key]

    def _replay(self, hand: Hand, board: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        cells: tuple[list[int], list[int]] = ([], [])
        for state, action in decisions(self.poker, hand.actions, board):
            seat = state.player
            tree = self.trees[seat]
            label = state.public() if tree.shows_board else state.betting
            history = tree.find(label)
            actions = tree.actions(history) if history >= 0 else ()
            if action not in actions:
                raise SoulreadError(
                    f"hand {hand.betting!r} of {hand.game!r}: action {action!r} of seat {seat} at {label!r} "
                    "is not in the game that is counted"
                )
            cells[seat].append(tree.cells(history).start + actions.index(action))
        return tuple(cells[0]), tuple(cells[1])

    def _note(self, seat: int, ways: Ways, weight: float) -> None:
        self._hands[seat] += weight
        for cells, chance in ways:
            for cell in cells:
                self._tables[seat][cell] += weight * chance

    def _rescale(self) -> None:
        for array in (*self._tables, self._hands):
            array /= self._weight
        self._recent = deque(_Seen(seen.seat, seen.ways, seen.weight / self._weight) for seen in self._recent)
        self._weight = 1.0
