"""The scale of values: how good each of the 1326 holdings is at a public point, from 0 to 1.

    before the flop    the place of the holding on the scale of income rates (`soulread.cards.scales.incomes`)
    flop and turn      EHS = HS^n + (1 - HS^n) PPot against n live opponents with even weights,
                       the potential with a look-ahead of one card
    river              HS^n

Values depend on the board and on n alone, not on what anybody did. So they are kept for the last few boards,
and re-weighting after an action costs no look-ahead.

`ehs_against` values one hand against the weight tables of several opponents, each with a table of its own:

    HS_n = product of the HS against each table
    PPot = the potential against the mean of the tables (the "field array" of Loki)
    EHS  = HS_n + (1 - HS_n) PPot
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import verify_distinct
from soulread.cards.ranges import HAND_MASKS, NUM_HANDS, cards_mask
from soulread.cards.scales.incomes import incomes
from soulread.cards.strength import Potential, hand_strength_all, potential_all, standings
from soulread.errors import ParseError, ShapeError, SoulreadError

IMPOSSIBLE = -1.0  # the value of a holding that shares a card with the board
_BOARDS = 8  # boards whose strengths are kept; 21 kB each
_SCALES = 64  # of these boards, for different numbers of opponents


class Scale(NamedTuple):
    """Values of the holdings at one point, and their order."""

    values: NDArray[np.float64]  # [1326] IMPOSSIBLE where the holding shares a card with the board
    order: NDArray[np.int64]  # [n] the possible holdings, the lowest value first


class HandValue(NamedTuple):
    """HS, PPot and EHS of a hand against one or more weight tables, each from 0 to 1."""

    hs: float
    ppot: float
    ehs: float


@lru_cache(maxsize=16)
def income_scale(players: int) -> Scale:
    """Values before the flop, for a number of players dealt in."""
    return _scale(incomes(players).percentiles)


def board_scale(board: Sequence[int], opponents: int, *, potential: bool = True) -> Scale:
    """Values on a flop, turn or river against a number of live opponents; without potential they are HS^n."""
    if opponents < 1:
        raise SoulreadError(f"values against {opponents!r} opponents; expected at least 1")
    return _board_scale(tuple(sorted(board)), opponents, potential and len(board) < 5)


def scale_at(board: Sequence[int], players: int, opponents: int) -> Scale:
    """The scale at a point: of income rates for all ``players`` dealt in, or of EHS against ``opponents``."""
    return board_scale(board, opponents) if board else income_scale(players)


@lru_cache(maxsize=_SCALES)
def _board_scale(board: tuple[int, ...], opponents: int, potential: bool) -> Scale:
    hs, ppot = strengths(board)
    strength = hs**opponents
    return _scale(strength + (1 - strength) * ppot if potential else strength)


@lru_cache(maxsize=_BOARDS)
def strengths(board: tuple[int, ...]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """HS and PPot of all holdings against one random hand; NaN for those that share a card with the board.

    ``board`` is in ascending order. PPot looks one card ahead; on a river it is 0 for all.
    """
    if len(board) == 5:
        return hand_strength_all(board), np.zeros(NUM_HANDS)
    found = potential_all(board, lookahead=1)
    return found.hs, found.ppot


def _scale(values: NDArray[np.float64]) -> Scale:
    filled = np.where(np.isnan(values), IMPOSSIBLE, values)
    order = np.argsort(filled, kind="stable")
    order = np.ascontiguousarray(order[filled[order] > IMPOSSIBLE])
    filled.flags.writeable = order.flags.writeable = False
    return Scale(filled, order)


# One hand against tables --------------------------------------------------------------------------


def ehs_against(
    hole: Sequence[int], board: Sequence[int], weights: Sequence[NDArray[np.float64]]
) -> HandValue:
    """HS, PPot and EHS of a hand on a flop, turn or river against ``[1326]`` weights of each opponent.

    The scale of the weights does not matter. A table that leaves the opponent no holding is an error.
    """
    paths = paths_against(hole, board, weights)
    each = [_standing(table) for table in paths]
    hs = float(np.prod([one.hs for one in each]))
    field = _standing((paths / paths.sum(axis=(1, 2), keepdims=True)).mean(axis=0))
    return HandValue(hs, field.ppot, hs + (1 - hs) * field.ppot)


def each_against(
    hole: Sequence[int], board: Sequence[int], weights: Sequence[NDArray[np.float64]]
) -> list[HandValue]:
    """HS, PPot and EHS of a hand against each opponent alone."""
    return [_standing(table) for table in paths_against(hole, board, weights)]


def paths_against(
    hole: Sequence[int], board: Sequence[int], weights: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """``[opponents, 3, 3]`` weights of the paths from a standing now to one a card later.

    Standings are in the order ahead, tied, behind.
    On a river nothing changes any more: all paths are on the diagonal.
    """
    if len(hole) != 2 or not 3 <= len(board) <= 5:
        raise ParseError(f"{len(hole)} hole cards on a board of {len(board)}; expected 2 on 3, 4 or 5")
    verify_distinct(hole, board)
    if not weights:
        raise SoulreadError("a hand is valued against at least one opponent; none was given")
    hands = np.flatnonzero((HAND_MASKS & cards_mask((*hole, *board))) == 0)
    rows = np.stack([_verified(one)[hands] for one in weights])
    if not rows.any(axis=1).all():
        raise SoulreadError("an opponent has no possible holding beside these cards and this board")
    now, then = standings(hole, board, hands, lookahead=min(1, 5 - len(board)))
    paths = np.zeros((len(rows), 3, 3))
    for standing in range(3):
        met = now == standing
        if met.any():
            paths[:, standing] = np.cumsum(rows[:, None, met] * then[:, met], axis=2)[..., -1]
    return paths


def _verified(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    if weights.shape != (NUM_HANDS,):
        raise ShapeError(f"weights have shape {weights.shape}, expected one for each of {NUM_HANDS} holdings")
    return weights


def _standing(paths: NDArray[np.float64]) -> HandValue:
    """HS, PPot and EHS of one table of paths."""
    found = Potential(paths, lookahead=1)
    return HandValue(found.hs, found.ppot, found.ehs())
