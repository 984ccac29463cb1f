"""Look-ups: from the cards that a seat sees to its private state, the row of a table.

There are three kinds: `BlindLookup` (the cards do not matter), `CardLookup` (small games, card by card) and
`AbstractLookup` (hold'em through a card abstraction). A compiled game carries the look-up it was made with.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.states import Abstraction, StateTables, river_bucket
from soulread.cards.arrays import hand_of
from soulread.cards.isomorphism import find_board
from soulread.errors import ShapeError, SoulreadError
from soulread.games.base import CHANCE
from soulread.games.poker import CALL, PokerGame, PokerState
from soulread.kernel import kernel
from soulread.seqform.treeplex import Ints

BOTH = 2  # in place of a seat: both of them
MAX_TABLE = 1_000_000  # entries of a look-up card by card

Cards = NDArray[np.uint8]  # [hands, cards] in deal order: the hole cards of seat 0, of seat 1, the board
States = NDArray[np.int32]  # [hands, 2, rounds]


class Lookup(Protocol):
    """From cards to private states. Look-ups that give the same states are equal."""

    @property
    def num_states(self) -> tuple[int, ...]:
        """Private states of each round."""

    def state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        """The private state of a seat; the number of board cards says the round."""

    def fill(self, cards: Cards, seats: NDArray[np.int8], states: States) -> None:
        """Write the states of all rounds for whole deals, of one seat each or of `BOTH`."""


@runtime_checkable
class RangeLookup(Protocol):
    """A look-up of hold'em that tells the states of all 1326 hands on a board together."""

    def every_state(self, board: Sequence[int]) -> Ints:
        """``[1326]``: the private state of each hand; 0 for hands with a card of the board."""


@dataclass(frozen=True)
class BlindLookup:
    """One private state in every round: for players who do not look at their cards."""

    num_rounds: int

    @property
    def num_states(self) -> tuple[int, ...]:
        return (1,) * self.num_rounds

    def state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        return 0

    def fill(self, cards: Cards, seats: NDArray[np.int8], states: States) -> None:
        states[: len(cards)] = 0


class CardLookup:
    """The private states of a game with few cards, as `soulread.seqform.compile.enumerate_states` names them.

    ``names`` has the name of each state, ``[rounds]`` of ``[S_r]``. Equal games have equal look-ups.
    """

    def __init__(self, game: PokerGame, names: Sequence[Sequence[str]]) -> None:
        rules = game.rules
        self.game = game
        self.num_states = tuple(len(states) for states in names)
        self._position = {card: i for i, card in enumerate(rules.deck)}
        self._seen = tuple(
            rules.hole_cards + sum(rules.board_cards[: r + 1]) for r in range(len(rules.board_cards))
        )
        self._hole_cards = rules.hole_cards
        if not fits_card_by_card(game):
            raise SoulreadError(f"{game.name!r} has too many cards to be looked up card by card")
        self._tables = tuple(self._table(game, r, states) for r, states in enumerate(names))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CardLookup):
            return NotImplemented
        return self.num_states == other.num_states and self.game == other.game

    def __hash__(self) -> int:
        return hash(self.num_states)

    def _table(self, game: PokerGame, r: int, names: Sequence[str]) -> Ints:
        """``[deck size ** cards seen]``: the state of round r for any cards; -1 if a card appears twice."""
        index = {name: i for i, name in enumerate(names)}
        table = np.full(len(self._position) ** self._seen[r], -1, dtype=np.int32)
        for cards in itertools.permutations(game.rules.deck, self._seen[r]):
            state = _calling_state(game, cards, r)
            table[self._key(cards)] = index[state.information(0).rpartition("|")[0]]
        return table

    def _key(self, cards: Sequence[int]) -> int:
        key = 0
        for card in cards:
            key = key * len(self._position) + self._position[card]
        return key

    def state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        cards = (*hole, *board)
        if len(hole) != self._hole_cards or len(cards) not in self._seen:
            raise ShapeError(f"{len(hole)} hole cards and {len(board)} board cards; no round has these")
        return int(self._tables[self._seen.index(len(cards))][self._key(cards)])

    def fill(self, cards: Cards, seats: NDArray[np.int8], states: States) -> None:
        position = np.zeros(256, dtype=np.int64)
        for card, place in self._position.items():
            position[card] = place
        places = position[cards]
        board = places[:, 2 * self._hole_cards :]
        for seat in (0, 1):
            own = places[:, seat * self._hole_cards : (seat + 1) * self._hole_cards]
            seen = np.concatenate([own, board], axis=1)
            for r, count in enumerate(self._seen):
                powers = len(self._position) ** np.arange(count - 1, -1, -1)
                states[: len(cards), seat, r] = self._tables[r][seen[:, :count] @ powers]


def fits_card_by_card(game: PokerGame) -> bool:
    """Whether a game has few enough cards for a `CardLookup`."""
    seen = game.rules.hole_cards + sum(game.rules.board_cards)
    return bool(len(game.rules.deck) ** seen <= MAX_TABLE)


def _calling_state(game: PokerGame, cards: Sequence[int], r: int) -> PokerState:
    """The first decision of round r after calls only, with seat 0 holding the first of the cards."""
    count = game.rules.hole_cards
    others = [card for card in game.rules.deck if card not in cards]
    dealt = iter([*cards[:count], *others[:count], *cards[count:]])
    state = game.start()
    while state.player == CHANCE or state.round < r:
        state = state.apply(next(dealt) if state.player == CHANCE else CALL)
    return state


@dataclass(frozen=True, eq=False)
class AbstractLookup:
    """The private states of a card abstraction of hold'em."""

    abstraction: Abstraction

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AbstractLookup):
            return NotImplemented
        mine, theirs = self.abstraction, other.abstraction
        return mine is theirs or (mine.checksum == theirs.checksum != "")

    def __hash__(self) -> int:
        return hash(self.abstraction.checksum)

    @property
    def num_states(self) -> tuple[int, ...]:
        return self.abstraction.num_states

    def state(self, hole: Sequence[int], board: Sequence[int]) -> int:
        return self.abstraction.state(hole, board)

    def fill(self, cards: Cards, seats: NDArray[np.int8], states: States) -> None:
        fill_states(self.abstraction.tables, cards, seats, states)


@kernel
def fill_states(tables: StateTables, cards: Cards, seats: NDArray[np.int8], states: States) -> None:
    """States of hold'em deals; ``seats[i]`` is a seat or `BOTH`.

    Boards are found in a first loop, so that the second loop is short. The processor can then have many reads
    under way at once, from tables that are larger than its cache.
    """
    places = np.empty((len(cards), 7), dtype=np.int32)
    for i in range(len(cards)):
        c = cards[i]
        found = find_board(tables.boards, c[4], c[5], c[6], c[7], c[8])
        row = places[i]
        row[0], row[1], row[2], row[3] = found.flop, found.flop_map, found.turn, found.turn_map
        row[4], row[5], row[6] = found.position, found.river, found.river_map
    hand_map, hole_state, flop_state = tables.boards.hand_map, tables.hole_state, tables.flop_state
    turn_bucket, river_strength, cuts = tables.turn_bucket, tables.river_strength, tables.river_cuts
    for seat in range(2):
        for i in range(len(cards)):
            if seats[i] == 1 - seat:
                continue
            place, state = places[i], states[i, seat]
            hand = hand_of(cards[i, 2 * seat], cards[i, 2 * seat + 1])
            state[0] = hole_state[hand]
            state[1] = flop_state[place[0], hand_map[place[1], hand]]
            state[2] = turn_bucket[place[2], hand_map[place[3], hand], place[4]]
            state[3] = river_strength[place[5], hand_map[place[6], hand]]
    turn_branching, river_branching = np.int32(tables.branching[2]), np.int32(tables.branching[3])
    for i in range(len(cards)):
        for seat in range(2):
            if seats[i] != 1 - seat:
                state = states[i, seat]
                state[2] += state[1] * turn_branching
                bucket = np.int32(river_bucket(cuts[state[2]], state[3]))
                state[3] = state[2] * river_branching + bucket
