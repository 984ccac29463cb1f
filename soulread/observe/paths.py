"""The way a seat took through its information sets in a hand, given the cards it held."""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from soulread.errors import ShapeError, SoulreadError
from soulread.games.base import CHANCE
from soulread.games.poker import PokerGame
from soulread.observe.counts import rules_of
from soulread.seqform.betting import BettingTree, Layout, betting_tree
from soulread.seqform.compile import SequenceGame
from soulread.seqform.tabular import Lookup

_MAX_HOLDINGS = 2000  # those of hold'em are 1326

Actions = Sequence[tuple[int, int]]  # (seat, action) of everybody, in order


class PathReader:
    """Turns a seat's cards, the board and the actions of a hand into the sequences that seat played.

    ``lookup`` finds the private state of real cards; a game with a card abstraction needs it, in others the
    information sets are found by their labels. ``rules`` follow from the game's name unless given.
    """

    def __init__(
        self, game: SequenceGame, lookup: Lookup | None = None, rules: PokerGame | None = None
    ) -> None:
        self.game = game
        self.lookup = lookup
        self.rules = rules_of(game) if rules is None else rules
        self._betting: BettingTree | None = None
        self._board_cards = np.cumsum(self.rules.rules.board_cards).tolist()
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

    def sequences(
        self, seat: int, hole: tuple[int, ...], board: tuple[int, ...], actions: Actions
    ) -> list[int]:
        """The sequences ``seat`` played with these cards, in order."""
        if self._betting is None:
            return list(self._by_labels(seat, hole, board, actions))
        return list(self._by_states(self._betting, seat, hole, board, actions))

    def last(self, seat: int, hole: tuple[int, ...], board: tuple[int, ...], actions: Actions) -> int:
        """The last of `sequences`; 0, the empty one, if ``seat`` never acted."""
        return (self.sequences(seat, hole, board, actions) or [0])[-1]

    def holdings(
        self, shown: tuple[int, ...] | None, own: tuple[int, ...] | None, board: tuple[int, ...]
    ) -> list[tuple[int, ...]]:
        """The cards a player may have held: those he showed, else all that are not seen elsewhere."""
        if shown is not None:
            return [shown]
        left = [card for card in self.rules.rules.deck if card not in board and card not in (own or ())]
        holdings = list(combinations(left, self.rules.rules.hole_cards))
        if len(holdings) > _MAX_HOLDINGS:
            raise SoulreadError(f"{self.game.name!r}: an opponent may hold {len(holdings):,} hands")
        return holdings

    def _by_states(
        self,
        betting: BettingTree,
        seat: int,
        hole: tuple[int, ...],
        board: tuple[int, ...],
        actions: Actions,
    ) -> Iterator[int]:
        assert self.lookup is not None
        node = 0
        for actor, action in actions:
            if betting.arrays.player[node] != actor or action not in betting.actions[node]:
                raise self._unknown(actor, action, betting.betting[node])
            position = betting.actions[node].index(action)
            if actor == seat:
                r = int(betting.arrays.round[node])
                state = self.lookup.state(hole, board[: self._board_cards[r]])
                width = self.lookup.num_states[r]
                yield int(self._layout.first_sequence[node]) + position * width + state
            node = int(betting.arrays.child[node, position])

    def _by_labels(
        self, seat: int, hole: tuple[int, ...], board: tuple[int, ...], actions: Actions
    ) -> Iterator[int]:
        rules, tree = self.rules.rules, self.game.trees[seat]
        spare = [card for card in rules.deck if card not in hole and card not in board]
        others = spare[: rules.hole_cards]
        holes = [*hole, *others] if seat == 0 else [*others, *hole]
        dealt = iter([*holes, *board, *spare[rules.hole_cards :]])
        state = self.rules.start()
        for actor, action in actions:
            while state.player == CHANCE:
                state = state.apply(next(dealt))
            if state.player != actor or action not in state.legal_actions():
                raise self._unknown(actor, action, state.betting)
            if actor == seat:
                yield tree.sequence(state.information(seat), action)
            state = state.apply(action)

    def _unknown(self, seat: int, action: int, betting: str) -> SoulreadError:
        return SoulreadError(
            f"action {action!r} of seat {seat} after {betting!r} is not in the game {self.game.name!r}"
        )
