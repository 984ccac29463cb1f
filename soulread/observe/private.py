"""How often an opponent took each action at each of his information sets, where his cards are known.

A hand teaches only if the cards of the seat that is counted are in it. With *full information* (logs of both
players' cards) every hand does, and the frequencies approach his strategy. From a seat at the table only
showdowns do: hands he folded are missing, so that the counts see him fold less, and hold better cards, than
he does. ``num_hidden`` says how many hands stayed out.
"""

from collections.abc import Iterable, Iterator
from typing import Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.games.base import CHANCE
from soulread.games.poker import PokerGame
from soulread.observe.counts import rules_of
from soulread.observe.hand import Hand
from soulread.seqform.betting import BettingTree, Layout, betting_tree
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
        self.rules = rules_of(game) if rules is None else rules
        self._betting: BettingTree | None = None
        if lookup is not None:
            self._betting = betting_tree(self.rules)
            self._layout: Layout = self._betting.layout(lookup.num_states)
            expected = game.trees[0].num_sequences, game.trees[1].num_sequences
            if self._layout.num_sequences != expected:
                raise ShapeError(
                    f"{lookup.num_states} private states give {self._layout.num_sequences} sequences, but "
                    f"{game.name!r} has {expected}; was the look-up made for another abstraction?"
                )
        elif rules is None and self.rules.name != game.name:
            raise SoulreadError(f"hands of {game.name!r} need a look-up to find the states of their cards")
        self.reset()

    def reset(self) -> None:
        """Forget every hand."""
        self._tables = tuple(np.zeros(tree.num_sequences) for tree in self.game.trees)
        self._hands = [0, 0]
        self._hidden = [0, 0]

    def add(self, hand: Hand, seat: int | None = None) -> bool:
        """Count the actions of ``seat``, the observer's opponent unless given.

        Says whether its cards are known; if they are not, the hand teaches nothing.
        """
        if seat is None:
            if hand.observer is None:
                raise SoulreadError(
                    f"hand {hand.betting!r} was seen by nobody at the table; say whose seat is counted"
                )
            seat = 1 - hand.observer
        if seat not in (0, 1):
            raise SoulreadError(f"seat {seat!r}; the seats of a two-player game are 0 and 1")
        if hand.game.partition(":")[0] != self.rules.name.partition(":")[0]:
            raise SoulreadError(f"a hand of {hand.game!r} cannot be counted in {self.rules.name!r}")
        if hand.hole[seat] is None:
            self._hidden[seat] += 1
            return False
        self._tables[seat][self.sequences(hand, seat)] += 1
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

    def sequences(self, hand: Hand, seat: int) -> list[int]:
        """The sequences of ``seat`` that a hand went through, in order; its cards must be known."""
        hole = hand.hole[seat]
        if hole is None:
            raise SoulreadError(f"hand {hand.betting!r}: the cards of seat {seat} stayed hidden")
        if self._betting is None:
            return list(self._by_labels(hand, seat, hole))
        return list(self._by_states(self._betting, hand, seat, hole))

    def _by_states(self, betting: BettingTree, hand: Hand, seat: int, hole: tuple[int, ...]) -> Iterator[int]:
        assert self.lookup is not None
        board_cards = np.cumsum(self.rules.rules.board_cards)
        node = 0
        for actor, action in hand.actions:
            if action not in betting.actions[node] or betting.arrays.player[node] != actor:
                raise _unknown(hand, actor, action)
            position = betting.actions[node].index(action)
            if actor == seat:
                r = int(betting.arrays.round[node])
                state = self.lookup.state(hole, hand.board[: board_cards[r]])
                width = self.lookup.num_states[r]
                yield int(self._layout.first_sequence[node]) + position * width + state
            node = int(betting.arrays.child[node, position])

    def _by_labels(self, hand: Hand, seat: int, hole: tuple[int, ...]) -> Iterator[int]:
        rules, tree = self.rules.rules, self.game.trees[seat]
        spare = (card for card in rules.deck if card not in hand.board and card not in hole)
        others = [next(spare) for _ in range(rules.hole_cards)]
        dealt = iter([*(hole if seat == 0 else others), *(others if seat == 0 else hole), *hand.board])
        state = self.rules.start()
        for actor, action in hand.actions:
            while state.player == CHANCE:
                state = state.apply(next(dealt))
            if state.player != actor or action not in state.legal_actions():
                raise _unknown(hand, actor, action)
            if actor == seat:
                index = tree.index(state.information(seat))
                yield range(tree.num_sequences)[tree.sequences(index)][
                    tree.legal_actions(index).index(action)
                ]
            state = state.apply(action)


def _unknown(hand: Hand, seat: int, action: int) -> SoulreadError:
    return SoulreadError(
        f"hand {hand.betting!r} of {hand.game!r}: action {action!r} of seat {seat} is not in the game "
        "that is counted"
    )
