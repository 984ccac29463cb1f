"""How often an opponent took each action at each of his information sets, where his cards are known.

A hand teaches only if the cards of the seat that is counted are in it. With *full information* (logs of both
players' cards) every hand does, and the frequencies approach his strategy. From a seat at the table only
showdowns do: hands he folded are missing, so that the counts see him fold less, and hold better cards, than
he does. ``num_hidden`` says how many hands stayed out.
"""

from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.observe.hand import Hand
from soulread.observe.paths import PathReader
from soulread.seqform.compile import SequenceGame
from soulread.seqform.tabular import Lookup


class PrivateCounts:
    """Action counts of one opponent at his information sets, in either seat, that grow hand by hand.

    ``lookup`` finds the private state of real cards; a game with a card abstraction needs it, in others the
    sets are found by their labels.
    """

    def __init__(
        self, game: SequenceGame, lookup: Lookup | None = None, rules: PokerGame | None = None
    ) -> None:
        self.game = game
        self.lookup = lookup
        self.paths = PathReader(game, lookup, rules)
        self.reset()

    @property
    def rules(self) -> PokerGame:
        """Those the hands are played by."""
        return self.paths.rules

    def reset(self) -> None:
        """Forget every hand."""
        self._tables = tuple(np.zeros(tree.num_sequences) for tree in self.game.trees)
        self._hands = [0, 0]
        self._hidden = [0, 0]

    def add(self, hand: Hand, seat: int | None = None) -> bool:
        """Count the actions of ``seat``, the observer's opponent unless given.

        Says whether its cards are known; if they are not, the hand teaches nothing.
        """
        seat = 1 - hand.eyewitness if seat is None else seat
        if seat not in (0, 1):
            raise SoulreadError(f"seat {seat!r}; the seats of a two-player game are 0 and 1")
        hand.verify_rules(self.rules.name)
        hole = hand.hole[seat]
        if hole is None:
            self._hidden[seat] += 1
            return False
        self._tables[seat][self.paths.sequences(seat, hole, hand.board, hand.actions)] += 1
        self._hands[seat] += 1
        return True

    def add_hands(self, hands: Iterable[Hand], seat: int | None = None) -> Self:
        """Count one hand after the other."""
        for hand in hands:
            self.add(hand, seat)
        return self

    def add_table(self, seat: int, table: NDArray[np.float64], hands: int) -> None:
        """Add counts ``[num_sequences]`` made elsewhere, by a simulation for instance, of ``hands`` hands."""
        self.game.trees[seat].verify_shape(table, "the table of counts")
        if not np.all(np.isfinite(table)) or table.min(initial=0.0) < 0:
            raise SoulreadError("counts are finite and not negative")
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
        """Hands counted in which the opponent had ``seat`` and his cards were known."""
        return self._hands[seat]

    def num_hidden(self, seat: int) -> int:
        """Hands left out because his cards stayed hidden."""
        return self._hidden[seat]

    def count(self, seat: int, information: str) -> dict[int, float]:
        """The counts of each action of ``seat`` at the set of this label."""
        tree = self.game.trees[seat]
        index = tree.index(information)
        counts = self._tables[seat][tree.sequences(index)].tolist()
        return dict(zip(tree.legal_actions(index), counts, strict=True))
