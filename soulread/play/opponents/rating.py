"""Ratings of hands from 0 to 1, for players who decide by a formula and not from a table.

A rating has two parts. *Now* is HS, the share of an opponent's hands that are behind at present. *Later* is
sqrt(E[HS^2]) over the boards to come; it is larger for a hand that may become very strong. On the last round
both are the same. Before the flop of hold'em both are the rank among all hands, from 0 to 1.
"""

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.features import FEATURE_UNIT, STRENGTH_UNIT, Features
from soulread.abstraction.tables import load_features
from soulread.cards.arrays import hand_of
from soulread.cards.isomorphism import (
    BoardLookup,
    all_boards,
    entry_index,
    entry_renaming,
    flop_entry,
    river_entry,
    turn_entry,
)
from soulread.cards.strength import hand_strength
from soulread.games.poker import PokerGame
from soulread.kernel import kernel
from soulread.seqform.source import LARGEST_DECK, Tell

Rating = Callable[[Sequence[int], Sequence[int]], tuple[float, float]]  # (hole, board) -> (now, later)
Later = Callable[[Sequence[int], Sequence[int]], float]  # (hole, board) -> later
Ratings = np.float64 | NDArray[np.float64]  # of one hand, or of many

_NO_CARD = -1


@lru_cache(maxsize=4)
def rating_of(game: PokerGame, tell: Tell | None = None) -> Rating:
    """The rating of hands of a game: the share of other hands they beat now, and may beat later."""
    if len(game.rules.deck) <= LARGEST_DECK:
        return lru_cache(maxsize=None)(lambda hole, board: _rate_by_cards(game, hole, board))
    later = later_of(game, tell)

    def rate(hole: Sequence[int], board: Sequence[int]) -> tuple[float, float]:
        may_beat = later(hole, board)
        if not board or len(board) == 5:
            return may_beat, may_beat
        return hand_strength(hole, board).value, may_beat

    return rate


@lru_cache(maxsize=4)
def later_of(game: PokerGame, tell: Tell | None = None) -> Later:
    """The second part of `rating_of` alone; in hold'em it is looked up in a few microseconds."""
    if len(game.rules.deck) <= LARGEST_DECK:
        rate = rating_of(game)
        return lambda hole, board: rate(hole, board)[1]
    features = load_features(None if tell is None else lambda title, part: tell(f"{title}, {part:.0%}"))
    boards = all_boards().lookup
    ranks = hole_ranks(features)
    missing = [(_NO_CARD,) * count for count in range(6)]

    def later(hole: Sequence[int], board: Sequence[int]) -> float:
        hand = hand_of(*hole)
        if not board:
            return float(ranks[hand])
        cards = (*board, *missing[5 - len(board)])
        return look_up_later(boards, features.flop_hs2, features.turn_hs2, features.river, hand, *cards)

    return later


def hole_ranks(features: Features) -> NDArray[np.float64]:
    """``[1326]`` rank of each hand before the flop: the share of hands with a lower E[HS], ties by index."""
    return np.argsort(np.argsort(features.hole_hs, kind="stable"), kind="stable") / features.hole_hs.size


@kernel
def look_up_later(
    boards: BoardLookup,
    flop: NDArray[np.uint16],
    turn: NDArray[np.uint16],
    river: NDArray[np.uint16],
    hand: int,
    a: int,
    b: int,
    c: int,
    d: int,
    e: int,
) -> float:
    """sqrt(E[HS^2]) of a hand on the board ``a b c d e``; cards not dealt yet are negative."""
    if d < 0:
        entry = flop_entry(boards, a, b, c)
        squares = flop[entry_index(entry), boards.hand_map[entry_renaming(entry), hand]]
        return math.sqrt(squares / FEATURE_UNIT)
    if e < 0:
        entry = turn_entry(boards, a, b, c, d)
        squares = turn[entry_index(entry), boards.hand_map[entry_renaming(entry), hand]]
        return math.sqrt(squares / FEATURE_UNIT)
    entry = river_entry(boards, a, b, c, d, e)
    return float(river[entry_index(entry), boards.hand_map[entry_renaming(entry), hand]] / STRENGTH_UNIT)


def _rate_by_cards(game: PokerGame, hole: Sequence[int], board: Sequence[int]) -> tuple[float, float]:
    """HS and the root of E[HS^2] in a small game, over all hands of the other and all boards to come."""
    rules = game.rules
    later = []
    missing = sum(rules.board_cards) - len(board)
    rest = [card for card in rules.deck if card not in (*hole, *board)]
    for more in combinations(rest, missing):
        full = (*board, *more)
        own = rules.showdown(tuple(hole), full)
        others = [
            rules.showdown(other, full)
            for other in combinations([card for card in rest if card not in more], rules.hole_cards)
        ]
        later.append(sum((own > other) + (own == other) / 2 for other in others) / len(others))
    return float(np.mean(later)), math.sqrt(float(np.mean(np.square(later))))
