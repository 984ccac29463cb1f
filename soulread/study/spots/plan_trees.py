"""The trees of a plan: spots small enough to be solved in seconds, and in words how they were made smaller.

*Ranges.* A holding that is less than an eighth as likely as the likeliest one of the range is left out. A
model gives such a weight to hundreds of holdings that are hardly ever held.

*Flops.* Two cards are to come, so a flop has some fourteen hundred rivers, even with boards that differ in
suits only looked at once. Each street then has one bet, of 60% of the pot, and no raises. The player out of
position does not lead into the player who raised last on the street before. A raise of the opponent's counts
as a call.

*Limits.* A spot of more than `MOST_SEQUENCES` sequences takes more than twenty seconds. More of its
unlikely holdings are then left out, down to those half as likely as the likeliest one. If that is not enough,
the spot is refused, with the figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from soulread.cards.ranges import Range
from soulread.errors import SoulreadError
from soulread.games.spot import Betting, parse_menu
from soulread.machine import size_text
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.streamed import memory_needed

LIKELY = 0.125, 0.25, 0.5  # of the likeliest holding's weight: less likely ones are left out
MOST_SEQUENCES = 30_000_000
FLOP_BET = "60%"
_FORCE_ALL_IN = 0.25  # of the pot: a bet that leaves less than this behind is all-in


@dataclass(frozen=True, eq=False)
class SmallSpot:
    """A spot for a plan, and the sentence that says what is in its tree."""

    spot: Spot
    kept: tuple[float, float]  # the part of each player's range that stayed
    words: str


def small_spot(spot: Spot, raiser: int, limit: int = MOST_SEQUENCES) -> SmallSpot:
    """The spot with likely holdings only and, on a flop, with few bets.

    ``raiser`` is the player (0 or 1) who raised last on the street before, -1 for nobody.
    """
    betting = flop_betting(spot.betting, raiser) if spot.betting.street == 0 else spot.betting
    made = spot
    for part in LIKELY:
        ranges = likely(spot.ranges[0], spot.board, part), likely(spot.ranges[1], spot.board, part)
        made = Spot(spot.board, ranges, betting, isomorphism=spot.isomorphism, dtype=spot.dtype)
        if sum(made.num_sequences) <= limit:
            break
    else:
        raise SoulreadError(
            f"too large for a plan: {sum(made.num_sequences):,} sequences, at most {limit:,} are solved "
            f"({size_text(memory_needed(made))} of memory board by board)"
        )
    first, second = (
        float(now.sum() / before.sum()) for now, before in zip(made.live, spot.live, strict=True)
    )
    return SmallSpot(made, (first, second), _words(made, (first, second), raiser))


def likely(hands: Range, board: Sequence[int], part: float) -> Range:
    """The holdings that are at least ``part`` times as likely as the likeliest one on the board."""
    weights = hands.without(board).weights
    return Range(np.where(weights >= part * weights.max(), weights, 0.0))


def flop_betting(betting: Betting, raiser: int) -> Betting:
    """One bet on each street and no raises; nobody leads into the last raiser from out of position."""
    bets = f"{FLOP_BET}; oop flop: none" if raiser == 1 else FLOP_BET
    menu = parse_menu(bets, "none", "turn: none; river: none")
    return Betting(
        betting.street, betting.pot, betting.stack, menu, force_all_in=_FORCE_ALL_IN, rake=betting.rake
    )


def _words(spot: Spot, kept: tuple[float, float], raiser: int) -> str:
    holdings = " and ".join(
        f"{int((live > 0).sum())} holdings ({part:.0%} of the range) {where}"
        for live, part, where in zip(spot.live, kept, ("out of position", "in position"), strict=True)
    )
    if spot.betting.street > 0:
        return f"the sizes of the hand and half the pot, with raises; {holdings}."
    lead = " The player out of position does not lead." if raiser == 1 else ""
    return f"one bet of {FLOP_BET} of the pot on each street, no raises; {holdings}.{lead}"
