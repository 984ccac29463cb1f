"""Forecasts for the search (`soulread.respond.search.miximax`): the opponent's actions, and showdowns.

`PublicForecast` is Vexbot's own. The opponent's actions have chances that depend on the betting alone, the
cards to come are equally likely, and at a showdown we win if our hand rank is above the opponent's, whose
distribution the model tells for this way of betting. Inside a cell of it ranks are equally likely, so the
share of the pot is linear there.

With this forecast a board matters only through our hand rank on it. So boards of the last round with the same
hand rank are one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_CARDS, HAND_CELLS, hand_index
from soulread.games.poker import PokerGame
from soulread.kernel import kernel
from soulread.model.vexbot.hand_rank import ranks_on
from soulread.respond.search.miximax import Area
from soulread.respond.search.runouts import ALL, Deals, deal_out, deals
from soulread.seqform.betting import BettingArrays, BettingTree
from soulread.streams import stream

FLOPS, TURNS = 100, 4  # drawn for a decision before the flop; all rivers follow each of them
STEPS = 40, 200, 0, 0  # by round: to how many steps hand ranks of hold'em are rounded; 0: they are not


@dataclass(frozen=True, eq=False)
class Standings:
    """Our cards in the rest of a hand: the boards to come, and our hand rank on the last ones."""

    deals: Deals
    ranks: NDArray[np.float64]  # [boards of the last round]


@dataclass(frozen=True, eq=False)
class PublicForecast:
    """Vexbot's forecast for the player in ``seat``, whose opponent acts by ``chances``."""

    betting: BettingTree
    seat: int
    chances: NDArray[np.float64]  # [N, A]
    cumulative: NDArray[np.float64]  # [N, cells + 1]
    standings: Standings

    @property
    def deals(self) -> Deals:
        """The boards to come."""
        return self.standings.deals

    @property
    def root_reach(self) -> float:
        """Values do not carry their chance."""
        return 1.0

    def fill(self, area: Area, value: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
        """Write the values of all ends."""
        cells = self.cumulative.shape[1] - 1
        places = self.standings.ranks * cells
        cell = np.minimum(places.astype(np.int64), cells - 1)
        _fill_ends(
            self.betting.arrays,
            area,
            self.seat,
            np.array(self.deals.sizes, dtype=np.int32),
            self.cumulative,
            cell,
            places - cell,
            value,
        )


@kernel
def _fill_ends(
    tree: BettingArrays,
    area: Area,
    seat: int,
    sizes: NDArray[np.int32],
    cumulative: NDArray[np.float64],
    cell: NDArray[np.int64],
    part: NDArray[np.float64],
    value: NDArray[np.float64],
) -> None:
    for node in area.nodes:
        if tree.player[node] >= 0:
            continue
        size = sizes[tree.round[node]]
        row = value[area.start[node] : area.start[node] + size]
        chips = tree.chips[node, seat]
        if not tree.showdown[node]:
            row[:] = chips
            continue
        below = cumulative[node]
        for b in range(size):
            low = below[cell[b]]
            share = low + part[b] * (below[cell[b] + 1] - low)
            row[b] = share * 2 * chips - chips


# Boards to come.


def standings(
    game: PokerGame, hole: Sequence[int], board: Sequence[int], flops: int = FLOPS, turns: int = TURNS
) -> Standings:
    """Our hand rank on all boards to come.

    Before the flop of hold'em, ``flops`` flops are drawn, and after each of them ``turns`` turns. They are
    the same for all holdings of a class such as AKs, and kept. Before the flop and on it hand ranks are
    rounded (`STEPS`).
    """
    if not board and len(game.rules.board_cards) > 2:
        cell = int(HAND_CELLS[hand_index(*hole)])
        return _drawn_standings(game, cell, flops, turns)
    return _exact_standings(game, tuple(sorted(hole)), tuple(board))


@lru_cache(maxsize=16)
def _exact_standings(game: PokerGame, hole: tuple[int, ...], board: tuple[int, ...]) -> Standings:
    steps = STEPS[len(board) - 2] if len(game.rules.board_cards) > 2 else 0
    return _stand(game, hole, board, (), None, steps)


@lru_cache(maxsize=169)
def _drawn_standings(game: PokerGame, cell: int, flops: int, turns: int) -> Standings:
    hole = HAND_CARDS[np.flatnonzero(cell == HAND_CELLS)[0]].tolist()
    return _stand(game, hole, (), (flops, turns, ALL), stream(0, "flops", cell), STEPS[0])


def _stand(
    game: PokerGame,
    hole: Sequence[int],
    board: Sequence[int],
    counts: Sequence[int],
    rng: np.random.Generator | None,
    steps: int,
) -> Standings:
    runout = deal_out(game, hole, board, counts, rng)
    last = runout.boards[-1]
    masks = np.bitwise_or.reduce(np.int64(1) << last.astype(np.int64), axis=1)
    _, chosen, of_board = np.unique(masks, return_index=True, return_inverse=True)
    ranks = ranks_on(game, hole, last[chosen])
    if steps:
        ranks = np.round(ranks * steps) / steps
    different, of_rank = np.unique(ranks, return_inverse=True)
    merged = of_rank.ravel()[of_board.ravel()].astype(np.int32)
    return Standings(deals(runout, len(game.rules.board_cards), merged), different)
