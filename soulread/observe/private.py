"""How often an opponent took each action at each information set, where the opponent's cards are known.

A hand is counted only if the record has the cards of the seat that is counted. With *full information* (logs
of both players' cards) every hand counts, and the frequencies approach the opponent's strategy. From a seat
at the table only showdowns count. Folded hands are then missing, so the opponent seems to fold less often,
and to hold better cards, than in truth. ``num_hidden`` says how many hands were left out.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.hands.hand import Hand
from soulread.observe.counts import counted_seat, verify_counts
from soulread.observe.paths import PathReader
from soulread.observe.translation import on_tree
from soulread.seqform.compile import SequenceGame


class PrivateCounts:
    """Action counts of one opponent at the opponent's information sets, in either seat, hand by hand."""

    def __init__(self, game: SequenceGame) -> None:
        self.game = game
        self.paths = PathReader(game)
        self.reset()

    def reset(self) -> None:
        """Forget every hand."""
        self._tables = tuple(np.zeros(tree.num_sequences) for tree in self.game.trees)
        self._hands = [0, 0]
        self._hidden = [0, 0]

    def copy(self) -> "PrivateCounts":
        """The same counts, to which hands can be added without changing these."""
        twin = PrivateCounts(self.game)
        twin._tables = tuple(table.copy() for table in self._tables)
        twin._hands, twin._hidden = list(self._hands), list(self._hidden)
        return twin

    def add(self, hand: Hand, seat: int | None = None) -> bool:
        """Count the actions of ``seat`` in a hand; without ``seat`` those of the observer's opponent.

        Returns whether the cards of the seat are known. If they are not, nothing is counted.
        """
        seat = counted_seat(hand, seat)
        ways = on_tree(self.game, hand)
        hole = hand.hole[seat]
        if hole is None or len(hole) < self.paths.poker.rules.hole_cards:
            self._hidden[seat] += 1
            return False
        for way, chance in ways:
            self._tables[seat][self.paths.sequences(seat, hole, way.board, way.actions)] += chance
        self._hands[seat] += 1
        return True

    def add_table(self, seat: int, table: NDArray[np.float64], hands: int) -> None:
        """Add counts ``[num_sequences]`` made elsewhere, such as by a simulation of ``hands`` hands."""
        self.game.trees[seat].verify_shape(table, "the table of counts")
        verify_counts(table)
        self._tables[seat][1:] += table[1:]
        self._hands[seat] += hands

    def table(self, seat: int) -> NDArray[np.float64]:
        """``[num_sequences]``, read-only: how often ``seat`` took each action at each set."""
        table = self._tables[seat].view()
        table.flags.writeable = False
        return table

    def observations(self, seat: int) -> NDArray[np.float64]:
        """n_I, ``[num_sets]``: how often ``seat`` was seen to act at each of its sets."""
        tree = self.game.trees[seat]
        seen = np.empty(tree.num_sets)
        for block, sets, rows in tree.blocks():
            seen[sets] = self._tables[seat][rows].reshape(len(tree.actions[block]), -1).sum(axis=0)
        return seen

    def num_hands(self, seat: int) -> int:
        """Hands that were counted: the opponent had ``seat``, and the opponent's cards are known."""
        return self._hands[seat]

    def num_hidden(self, seat: int) -> int:
        """Hands left out because the opponent's cards stayed hidden."""
        return self._hidden[seat]

    def count(self, seat: int, information: str) -> dict[int, float]:
        """The counts of each action of ``seat`` at the set of this label."""
        tree = self.game.trees[seat]
        index = tree.index(information)
        counts = self._tables[seat][tree.sequences(index)].tolist()
        return dict(zip(tree.legal_actions(index), counts, strict=True))
