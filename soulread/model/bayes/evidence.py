"""The evidence of one hand about an opponent's strategy, with or without the opponent's cards.

The probabilities of the opponent's actions along one hand multiply to one entry of the realisation plan: that
of the last sequence played. Let b run over the private cards the opponent may have held, P(b) be their
probability given the board and the observer's cards, and c(b) the last sequence with cards b. Then

    likelihood of the hand  =  sum over b of  P(b) plan[c(b)]

times what chance and the observer did, which does not depend on the opponent's strategy. A hand is therefore
a short list of sequences with weights. If the opponent's cards were shown, one sequence is left, of weight 1.
Board cards, and the observer's cards where known, cannot be the opponent's: card removal is exact.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import cards_mask
from soulread.hands.hand import Hand
from soulread.kernel import kernel
from soulread.observe.paths import PathReader
from soulread.observe.translation import on_tree
from soulread.seqform.compile import SequenceGame
from soulread.seqform.holdings import all_states, hand_table
from soulread.seqform.lookup import AbstractLookup
from soulread.seqform.strategy import Plan
from soulread.seqform.treeplex import Floats, Ints


class Evidence(NamedTuple):
    """One hand of ``player`` as an observer saw it: the last sequences that are possible, ascending."""

    player: int
    sequences: Ints  # [alternatives]
    weights: NDArray[np.float64]  # [alternatives] probability of the cards that lead to each; they sum to one

    @property
    def revealed(self) -> bool:
        """Whether only one sequence is possible."""
        return self.sequences.size == 1


def likelihood(evidence: Evidence, plan: Plan) -> float:
    """Probability of the opponent's part of a hand if the opponent plays ``plan``."""
    return float(np.dot(plan[evidence.sequences], evidence.weights))


def _joined(parts: Sequence[Evidence], chances: Sequence[float]) -> Evidence:
    """The evidence of a hand that is one of ``parts``, each with a probability."""
    every = np.concatenate([part.sequences for part in parts])
    weights = np.concatenate([chance * part.weights for part, chance in zip(parts, chances, strict=True)])
    sequences, places = np.unique(every, return_inverse=True)
    sums = np.zeros(sequences.size)
    np.add.at(sums, places, weights)
    return Evidence(parts[0].player, sequences, sums)


class SeenHands(NamedTuple):
    """The evidence of several hands of one seat: hand h has entries ``start[h]`` to ``start[h + 1]``."""

    start: NDArray[np.int64]  # [hands + 1]
    sequences: Ints  # [entries] or longer: the last sequences that are possible
    weights: NDArray[np.float64]  # [entries] or longer: the probability of the cards that lead to each
    number: NDArray[np.float64]  # [hands] how much each hand counts


class EvidenceLog:
    """The evidence of hands of one seat, hand after hand, in arrays that grow."""

    def __init__(self) -> None:
        self.num_hands = 0
        self._start = np.zeros(65, dtype=np.int64)
        self._sequences = np.empty(512, dtype=np.int32)
        self._weights = np.empty(512)

    def add(self, evidence: Evidence) -> None:
        """Append one hand."""
        first = int(self._start[self.num_hands])
        last = first + evidence.sequences.size
        if self.num_hands + 2 > self._start.size:
            self._start = np.concatenate([self._start, np.zeros_like(self._start)])
        while last > self._sequences.size:
            self._sequences = np.concatenate([self._sequences, np.empty_like(self._sequences)])
            self._weights = np.concatenate([self._weights, np.empty_like(self._weights)])
        self._sequences[first:last] = evidence.sequences
        self._weights[first:last] = evidence.weights
        self.num_hands += 1
        self._start[self.num_hands] = last

    def hands(self, number: NDArray[np.float64]) -> SeenHands:
        """All hands, for kernels; ``number [hands]`` says how much each counts."""
        return SeenHands(self._start[: self.num_hands + 1], self._sequences, self._weights, number)


@kernel
def fill_likelihoods(
    plans: Floats,
    sequences: Ints,
    weights: NDArray[np.float64],
    result: NDArray[np.float64],
) -> None:
    """Fill result[m] = sum of weight x plan of strategy m."""
    for m in range(result.size):
        total = 0.0
        for k in range(sequences.size):
            total += weights[k] * plans[m, sequences[k]]
        result[m] = total


class EvidenceReader:
    """Turns hands of a two-player poker game into `Evidence`; each different hand is worked out once."""

    def __init__(self, game: SequenceGame) -> None:
        self.paths = PathReader(game)
        self._known: dict[tuple[object, ...], Evidence] = {}

    def read(self, hand: Hand, seat: int | None = None) -> Evidence:
        """The evidence that the observer of a hand has about ``seat``; default: the only opponent.

        Over a menu of raises a hand may have taken several ways; each counts with its probability.
        """
        player = hand.opponent if seat is None else seat
        ways = on_tree(self.paths.game, hand)
        found = [self.of(player, way.hole, way.board, way.actions) for way, _ in ways]
        return found[0] if len(ways) == 1 else _joined(found, [chance for _, chance in ways])

    def of(
        self,
        player: int,
        hole: tuple[tuple[int, ...] | None, ...],
        board: tuple[int, ...],
        actions: tuple[tuple[int, int], ...],
    ) -> Evidence:
        """The same from a hand's parts: both seats' cards (None if unseen), the board and the actions."""
        if isinstance(self.paths.game.lookup, AbstractLookup):
            return self._from_states(self.paths.game.lookup, player, hole, board, actions)
        key = player, hole, board, actions
        if key not in self._known:
            self._known[key] = self._work_out(player, hole, board, actions)
        return self._known[key]

    def _work_out(
        self,
        player: int,
        hole: tuple[tuple[int, ...] | None, ...],
        board: tuple[int, ...],
        actions: tuple[tuple[int, int], ...],
    ) -> Evidence:
        last = [
            self.paths.last(player, cards, board, actions)
            for cards in self.paths.holdings(hole[player], hole[1 - player], board)
        ]
        sequences, counts = np.unique(np.array(last, dtype=np.int32), return_counts=True)
        return Evidence(player, sequences, counts / counts.sum())

    def _from_states(
        self,
        lookup: AbstractLookup,
        player: int,
        hole: tuple[tuple[int, ...] | None, ...],
        board: tuple[int, ...],
        actions: tuple[tuple[int, int], ...],
    ) -> Evidence:
        """The same where hands are too many to ask one by one: all private states are looked up at once."""
        row, width, seen = self.paths.last_row(player, actions)
        if row == 0:
            return Evidence(player, np.zeros(1, dtype=np.int32), np.ones(1))
        table = hand_table(self.paths.poker)
        known = [card for cards in (board, hole[1 - player] or ()) for card in cards]
        possible = (table.masks & cards_mask(known)) == 0
        shown = cards_mask(hole[player] or ())
        possible &= (table.masks & shown) == shown
        states = all_states(lookup, table, np.array([board[:seen]], dtype=np.uint8))[0]
        counts = np.bincount(states[possible], minlength=width)
        found = np.flatnonzero(counts)
        return Evidence(player, (row + found).astype(np.int32), counts[found] / counts.sum())
