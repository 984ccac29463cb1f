"""Every holding of a game at once: its cards, its private state, and its value at a showdown.

A *range* is an array ``[H]`` with one weight for each holding of a `HandTable`. Local best response and AIVAT
follow a player's range through a hand: they ask a strategy how it acts with each holding.
"""

import itertools
import math
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.states import StateTables, river_bucket
from soulread.cards.deck import NUM_CARDS
from soulread.cards.evaluate import Tables, tables
from soulread.cards.isomorphism import (
    entry_index,
    entry_renaming,
    find_board,
    flop_entry,
    turn_entry,
    turn_position,
)
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, NUM_HANDS, cards_mask, hand_index
from soulread.cards.strength import CardSums, card_sums, holding_sums, value_hands, values_by_numpy
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.kernel import few, kernel
from soulread.seqform.lookup import AbstractLookup, BlindLookup, Lookup, RangeLookup
from soulread.seqform.treeplex import Ints

DEAD = -1  # stands for a value where the hand shares a card with the board
_PREFLOP_BOARDS = 10_000
_SMALL_DECK = 12


class HandTable(Protocol):
    """Every holding of a game, and which of two holdings wins."""

    cards: NDArray[np.uint8]  # [H, hole cards]
    masks: NDArray[np.int64]  # [H] bit c for card c

    def __hash__(self) -> int:
        """Two tables are equal only if they are the same object."""

    def index(self, hole: Sequence[int]) -> int:
        """The number of a holding."""

    def values(self, board: Sequence[int], runouts: int, rng: np.random.Generator) -> NDArray[np.int16]:
        """``[boards, H]``: values of all holdings on complete boards that continue ``board``; -1 if dead."""


class SmallTable:
    """The holdings of a game of few cards; every board is looked at."""

    def __init__(self, game: PokerGame) -> None:
        rules = game.rules
        self._rules = rules
        holes = list(itertools.combinations(sorted(rules.deck), rules.hole_cards))
        self._index = {hole: i for i, hole in enumerate(holes)}
        self.cards = np.array(holes, dtype=np.uint8)
        self.masks = np.array([cards_mask(hole) for hole in holes], dtype=np.int64)

    def index(self, hole: Sequence[int]) -> int:
        return self._index[tuple(sorted(hole))]

    def values(self, board: Sequence[int], runouts: int, rng: np.random.Generator) -> NDArray[np.int16]:
        return self._all_values(tuple(board))

    @lru_cache(maxsize=1024)  # noqa: B019 (one table per game, kept anyway)
    def _all_values(self, board: tuple[int, ...]) -> NDArray[np.int16]:
        rest = [card for card in self._rules.deck if card not in board]
        missing = sum(self._rules.board_cards) - len(board)
        rows = []
        for more in itertools.combinations(rest, missing):
            full = (*board, *more)
            rows.append(
                [DEAD if set(hole) & set(full) else self._rules.showdown(hole, full) for hole in self._index]
            )
        return np.array(rows, dtype=np.int16)


class HoldemTable:
    """The 1326 hands of hold'em."""

    cards = HAND_CARDS
    masks = HAND_MASKS

    def index(self, hole: Sequence[int]) -> int:
        return hand_index(*hole)

    def values(self, board: Sequence[int], runouts: int, rng: np.random.Generator) -> NDArray[np.int16]:
        if not board:
            return self._preflop_values
        return values_on(self.boards(tuple(board), runouts, rng))

    @cached_property
    def _preflop_values(self) -> NDArray[np.int16]:
        return values_on(self.preflop_boards)

    @cached_property
    def preflop_boards(self) -> NDArray[np.uint8]:
        """``[10000, 5]``: the boards that are looked at before the flop, always the same ones."""
        return self.boards((), _PREFLOP_BOARDS, np.random.default_rng(0))

    def boards(self, board: tuple[int, ...], count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
        """All complete boards, or ``count`` random ones if there are more than that."""
        rest = np.array([card for card in range(NUM_CARDS) if card not in board], dtype=np.uint8)
        missing = 5 - len(board)
        if math.comb(rest.size, missing) <= max(count, NUM_CARDS):
            more = rest[np.array(list(itertools.combinations(range(rest.size), missing)), dtype=np.intp)]
        else:
            more = rest[np.argsort(rng.random((count, rest.size)), axis=1)[:, :missing]]
        return np.concatenate([np.tile(np.array(board, dtype=np.uint8), (len(more), 1)), more], axis=1)


@lru_cache(maxsize=4)
def hand_table(game: PokerGame) -> HandTable:
    """All holdings of a small game, or of hold'em."""
    rules = game.rules
    if len(rules.deck) <= _SMALL_DECK:
        return SmallTable(game)
    if len(rules.deck) == NUM_CARDS and rules.hole_cards == 2 and sum(rules.board_cards) == 5:
        return HoldemTable()
    raise SoulreadError(f"{game.name!r} is neither a small game nor hold'em, so its holdings are not listed")


def all_states(lookup: Lookup, table: HandTable, boards: NDArray[np.uint8]) -> Ints:
    """``[boards, H]``: the private state of every holding on boards ``[boards, cards]`` of one round.

    Holdings that share a card with the board have state 0.
    """
    states = np.zeros((len(boards), len(table.masks)), dtype=np.int32)
    if isinstance(lookup, BlindLookup):
        return states
    if isinstance(lookup, AbstractLookup):
        _fill_states(lookup.abstraction.tables, table.masks, boards, states)
    elif isinstance(lookup, RangeLookup):
        states[:] = [lookup.every_state(board) for board in boards.tolist()]
    else:
        for row, board in zip(states, boards.tolist(), strict=True):
            alive = np.flatnonzero((table.masks & cards_mask(board)) == 0)
            row[alive] = [lookup.state(hole, board) for hole in table.cards[alive].tolist()]
    return states


@kernel
def mask_of(board: NDArray[np.uint8]) -> int:
    """`cards_mask` for kernels: bit c is set for each card c."""
    mask = np.int64(0)
    for card in board:
        mask |= np.int64(1) << np.int64(card)
    return int(mask)


@kernel
def _fill_states(
    tables: StateTables, masks: NDArray[np.int64], boards: NDArray[np.uint8], states: Ints
) -> None:
    """States of the 1326 hands; what depends on the board alone is looked up once per board."""
    hand_map, count = tables.boards.hand_map, boards.shape[1]
    for i in range(len(boards)):
        board, row = boards[i], states[i]
        dead = mask_of(board)
        if count == 0:
            for hand in range(row.size):
                row[hand] = tables.hole_state[hand]
            continue
        entry = flop_entry(tables.boards, board[0], board[1], board[2])
        flop, flop_map = tables.flop_state[entry_index(entry)], hand_map[entry_renaming(entry)]
        for hand in range(row.size):
            if masks[hand] & dead == 0:
                row[hand] = flop[flop_map[hand]]
        if count > 3:
            entry = turn_entry(tables.boards, board[0], board[1], board[2], board[3])
            renaming = entry_renaming(entry)
            position = turn_position(tables.boards, renaming, board[0], board[1], board[2], board[3])
            turn, turn_map = tables.turn_bucket[entry_index(entry)], hand_map[renaming]
            for hand in range(row.size):
                if masks[hand] & dead == 0:
                    row[hand] = row[hand] * tables.branching[2] + turn[turn_map[hand], position]
        if count > 4:
            places = find_board(tables.boards, board[0], board[1], board[2], board[3], board[4])
            river, river_map = tables.river_strength[places.river], hand_map[places.river_map]
            for hand in range(row.size):
                if masks[hand] & dead == 0:
                    bucket = river_bucket(tables.river_cuts[row[hand]], river[river_map[hand]])
                    row[hand] = row[hand] * tables.branching[3] + bucket


def values_on(boards: NDArray[np.uint8]) -> NDArray[np.int16]:
    """``[boards, 1326]``: values of all hands on boards of five cards; `DEAD` for hands with a board card."""
    if few(len(boards) * NUM_HANDS):
        none = np.zeros((3, 1), np.int64)
        return values_by_numpy(none, card_sums(boards.astype(np.intp)), holding_sums())
    values = np.empty((len(boards), NUM_HANDS), dtype=np.int16)
    _fill_values(tables(), holding_sums(), boards, values)
    return values


@kernel
def _fill_values(
    tables: Tables, hands: CardSums, boards: NDArray[np.uint8], values: NDArray[np.int16]
) -> None:
    for i in range(len(boards)):
        value_hands(tables, hands, boards[i], DEAD, values[i])
