"""The way a seat took through its information sets in a hand, given the cards it held."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from soulread.errors import ShapeError, SoulreadError
from soulread.games.poker import CALL, PokerState
from soulread.hands.record import Actions, decisions
from soulread.seqform.betting import BettingTree, Layout
from soulread.seqform.compile import SequenceGame, betting_of, poker_of

_MAX_HOLDINGS = 2000  # those of hold'em are 1326

Hole = tuple[int, ...]
Board = tuple[int, ...]


class PathReader:
    """Turns a seat's cards, the board and the actions of a hand into the sequences that seat played.

    If the game has a look-up, it finds the private states; otherwise information sets are found by label.
    """

    def __init__(self, game: SequenceGame) -> None:
        self.game = game
        self.poker = poker_of(game)
        self._betting: BettingTree | None = None
        self._board_cards = np.cumsum(self.poker.rules.board_cards).tolist()
        if game.lookup is not None:
            self._betting = betting_of(game)
            self._layout: Layout = self._betting.layout(game.lookup.num_states)
            expected = game.trees[0].num_sequences, game.trees[1].num_sequences
            if self._layout.num_sequences != expected:
                raise ShapeError(
                    f"{game.lookup.num_states} private states give {self._layout.num_sequences} sequences, "
                    f"but {game.name!r} has {expected}; was the look-up made for another abstraction?"
                )
        elif game.histories is None:
            raise SoulreadError(f"hands of {game.name!r} need a look-up to find the states of their cards")

    def sequences(self, seat: int, hole: Hole, board: Board, actions: Actions) -> list[int]:
        """The sequences ``seat`` played with these cards, in order."""
        if self._betting is None:
            return list(self._by_labels(seat, hole, board, actions))
        return list(self._by_states(self._betting, seat, hole, board, actions))

    def last(self, seat: int, hole: Hole, board: Board, actions: Actions) -> int:
        """The last of `sequences`; 0, the empty one, if ``seat`` never acted."""
        return (self.sequences(seat, hole, board, actions) or [0])[-1]

    def last_row(self, seat: int, actions: Actions) -> tuple[int, int, int]:
        """Where the last action of ``seat`` stands: its row of sequences, the row's width, and board cards.

        Row 0 means that ``seat`` never acted. The game needs a look-up.
        """
        assert self._betting is not None
        assert self.game.lookup is not None
        node, row, last = 0, 0, 0
        for actor, action in actions:
            following, position = self._child(self._betting, node, actor, action)
            if actor == seat:
                last = int(self._betting.arrays.round[node])
                row = int(self._layout.first_sequence[node]) + position * self.game.lookup.num_states[last]
            node = following
        return row, self.game.lookup.num_states[last], self._board_cards[last]

    def choices(self, seat: int, hole: Hole, board: Board, actions: Actions) -> slice:
        """The sequences ``seat`` may go on with after these actions, one for each legal action, in order."""
        if self._betting is None:
            return self.game.trees[seat].sequences(self._set_by_label(seat, hole, board, actions))
        node = 0
        for actor, action in actions:
            node = self._child(self._betting, node, actor, action)[0]
        first, width = self._row(self._betting, node, hole, board)
        return slice(first, first + len(self._betting.actions[node]) * width, width)

    def holdings(self, shown: Hole | None, own: Hole | None, board: Board) -> list[Hole]:
        """The cards a player may have held: the shown ones, or all that clash with no card in sight."""
        rules = self.poker.rules
        if shown is not None and len(shown) == rules.hole_cards:
            return [shown]
        left = [card for card in rules.deck if card not in board and card not in (own or ())]
        holdings = list(combinations(left, rules.hole_cards))
        if shown:  # a part of the cards
            holdings = [cards for cards in holdings if set(shown) <= set(cards)]
        if len(holdings) > _MAX_HOLDINGS:
            raise SoulreadError(f"{self.game.name!r}: an opponent may hold {len(holdings):,} hands")
        return holdings

    def _by_states(
        self, betting: BettingTree, seat: int, hole: Hole, board: Board, actions: Actions
    ) -> Iterator[int]:
        node = 0
        for actor, action in actions:
            following, position = self._child(betting, node, actor, action)
            if actor == seat:
                first, width = self._row(betting, node, hole, board)
                yield first + position * width
            node = following

    def _child(self, betting: BettingTree, node: int, actor: int, action: int) -> tuple[int, int]:
        """The node after an action, and the action's position."""
        if betting.arrays.player[node] != actor or action not in betting.actions[node]:
            raise SoulreadError(
                f"action {action!r} of seat {actor} after {betting.betting[node]!r} is not in the game "
                f"{self.game.name!r}"
            )
        position = betting.actions[node].index(action)
        return int(betting.arrays.child[node, position]), position

    def _row(self, betting: BettingTree, node: int, hole: Hole, board: Board) -> tuple[int, int]:
        """The sequence of a node's first action with these cards, and the distance to the next action's."""
        assert self.game.lookup is not None
        r = int(betting.arrays.round[node])
        state = self.game.lookup.state(hole, board[: self._board_cards[r]])
        return int(self._layout.first_sequence[node]) + state, self.game.lookup.num_states[r]

    def _by_labels(self, seat: int, hole: Hole, board: Board, actions: Actions) -> Iterator[int]:
        tree = self.game.trees[seat]
        for state, action in self._states(seat, hole, board, actions):
            if state.player == seat:
                yield tree.sequence(state.information(seat), action)

    def _set_by_label(self, seat: int, hole: Hole, board: Board, actions: Actions) -> int:
        """The information set of ``seat`` after these actions; a call, always legal, is added to find it."""
        *_, (state, _) = self._states(seat, hole, board, (*actions, (seat, CALL)))
        return self.game.trees[seat].index(state.information(seat))

    def _states(
        self, seat: int, hole: Hole, board: Board, actions: Actions
    ) -> Iterator[tuple[PokerState, int]]:
        return decisions(self.poker, actions, board, (hole, None) if seat == 0 else (None, hole))
