"""The opponent's actions together with the opponent's cards, for hands in which the cards were shown.

If the opponent's cards were shown, every action of the opponent is a pair of private state and action, which
is a *sequence* of the opponent's treeplex. If they stayed hidden, only the last public action is kept. That
is enough, because only one path leads to each public history. Over a menu of raises a hand may have taken
several ways; each is kept with its probability.
"""

from collections import deque
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from soulread.hands.hand import Hand
from soulread.observe.counts import PublicCounts, counted_seat
from soulread.observe.paths import PathReader
from soulread.observe.translation import on_tree
from soulread.seqform.treeplex import Ints


class CardEvidence(NamedTuple):
    """The hands of one seat, with cards where they were shown. Hands without an action of it are left out.

    S is the number of hands with shown cards, A the number of the seat's actions in all of them together.
    """

    hidden: NDArray[np.float64]  # [num_cells] hands whose cards stayed hidden, by the last action
    last: Ints  # [S] sequence of the last action, where cards were shown
    weight: NDArray[np.float64]  # [S] of the hand
    sequence: Ints  # [A]
    cell: Ints  # [A]
    action_weight: NDArray[np.float64]  # [A] of the hand it belongs to


@dataclass(frozen=True, slots=True)
class _Path:
    number: int  # of the hand
    seat: int
    cells: tuple[int, ...]
    sequences: tuple[int, ...]  # empty: the cards stayed hidden
    chance: float  # of this way of the hand


class ShownCards:
    """The opponent's paths through hands, with private states where the cards were shown.

    ``counts`` says which game is counted, and how much old hands weigh. It is only read here: the caller adds
    each hand to ``counts`` too.
    """

    def __init__(self, counts: PublicCounts) -> None:
        self._counts = counts
        self._reader = PathReader(counts.game)
        self.reset()

    def reset(self) -> None:
        """Forget every hand."""
        self._paths: deque[_Path] = deque()
        self._latest = 0

    def add(self, hand: Hand, seat: int | None = None) -> Self:
        """Take note of what ``seat`` did in a hand; without ``seat``, what the observer's opponent did."""
        seat = counted_seat(hand, seat)
        hole = hand.hole[seat]
        whole = hole is not None and len(hole) == self._reader.poker.rules.hole_cards
        self._latest += 1
        for way, chance in on_tree(self._counts.game, hand):
            known = self._reader.sequences(seat, hole, way.board, way.actions) if hole and whole else []
            cells = self._counts.cells(way)[seat]
            self._paths.append(_Path(self._latest, seat, cells, tuple(known), chance))
        window = self._counts.window
        while window is not None and self._paths[0].number <= self._latest - window:
            self._paths.popleft()
        return self

    def evidence(self, seat: int) -> CardEvidence:
        """All that was seen of ``seat``, the latest hand with weight 1."""
        hidden = np.zeros(self._counts.trees[seat].num_cells)
        shown: list[tuple[_Path, float]] = []
        for path in self._paths:
            if path.seat == seat and path.cells:
                weight = path.chance * self._counts.decay ** (self._latest - path.number)
                if path.sequences:
                    shown.append((path, weight))
                else:
                    hidden[path.cells[-1]] += weight
        weights = np.array([weight for _, weight in shown])
        return CardEvidence(
            hidden=hidden,
            last=np.array([path.sequences[-1] for path, _ in shown], dtype=np.int32),
            weight=weights,
            sequence=np.array([s for path, _ in shown for s in path.sequences], dtype=np.int32),
            cell=np.array([c for path, _ in shown for c in path.cells], dtype=np.int32),
            action_weight=np.repeat(weights, [len(path.cells) for path, _ in shown]),
        )
