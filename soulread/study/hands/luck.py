"""Results with the luck of all-ins taken out.

Once nobody can act any more, only the cards still to come decide. If the cards of everybody left are known, a
player's result can be replaced by its mean over all boards to come. With c_i what seat i put in, the pot
comes in layers: between one live seat's stake and the next, everybody's chips of that layer go to the live
seats who have paid for it. With s_i the share that seat i wins of a layer on average, over every board,

    expected result of i  =  sum over layers of  s_i (layer, less its part of the rake)  -  c_i.

The mean over deals stays what it was, and the spread becomes smaller. Hands without an all-in before the
river, or with cards that nobody saw, keep their result.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.cards.equity import equity, parts_of_runouts
from soulread.cards.ranges import Range
from soulread.cards.strength import board_sums, card_sums, final_values
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.hands.facts import Rows
from soulread.hands.hand import Cards, Hand
from soulread.hands.played import all_in_round, all_known
from soulread.hands.record import replay_hand
from soulread.hands.referee import game_of_record
from soulread.kernel import kernel

LEAST_KNOWN = 0.95  # of the all-ins, for luck to be taken out
_DEALT = (0, 3, 4, 5)  # cards of the board by round


@dataclass(frozen=True)
class AllInLuck:
    """The all-ins before the river: their number, those with all cards known, and the luck in them."""

    all_ins: int
    known: int
    big_blinds: float  # won beyond expectation; 0 if luck is not taken out

    JSON = keys("all_ins known", luck_big_blinds="big_blinds", taken_out="complete")

    @property
    def complete(self) -> bool:
        """Whether luck is taken out: the cards are known in nearly all of them.

        A loser who need not show hides the cards. So whether a hand can be valued depends on who won it, and
        with many hidden ones a result without luck would favour those who show first.
        """
        return self.known >= LEAST_KNOWN * self.all_ins


def won_without_luck(
    seats: Rows, records: Mapping[int, Hand], player: str
) -> tuple[NDArray[np.float64], AllInLuck]:
    """Big blinds won in each of a player's seats, with the luck of all-ins taken out if that is known.

    ``records`` are hands by number; seats of others keep their result.
    """
    big = np.maximum(seats["big_blind"], 1)
    won = seats["won"] / big
    adjusted = won.copy()
    all_ins, known = 0, []
    for i in np.flatnonzero(seats["showdown"]).tolist():
        hand = records.get(int(seats["hand"][i]))
        if hand is not None and all_in_round(hand) is not None:
            all_ins += 1
            if all_known(hand):
                known.append((i, hand))
    luck = AllInLuck(all_ins, len(known), 0.0)
    if not luck.complete:
        return adjusted, luck
    for i, hand in known:
        found = all_in(hand, hand.seat_of(player))
        if found is not None:
            adjusted[i] = found / big[i]
    return adjusted, AllInLuck(all_ins, len(known), float((won - adjusted).sum()))


def all_in(hand: Hand, seat: int) -> float | None:
    """The mean result of a seat over the boards to come, in net chips.

    None if there was no all-in before the river, if the seat had folded, or if cards are missing.
    """
    last = all_in_round(hand)
    if last is None or not all_known(hand):
        return None
    try:
        state = replay_hand(game_of_record(hand), hand)
    except SoulreadError:
        return None  # not a table of ours
    live = [other for other, out in enumerate(state.folded) if not out]
    if seat not in live or len(live) < 2:
        return None
    known = {other: cards for other, cards in enumerate(hand.hole) if cards is not None and len(cards) == 2}
    board = hand.board[: _DEALT[last]]
    layers = _layers(state.spent, live, state.pot)
    contested = sum(amount for amount, paid in layers if len(paid) > 1)
    kept = 1 - hand.rake / contested if contested else 1.0
    expected = -float(state.spent[seat])
    for amount, paid in layers:
        if paid == (seat,):
            expected += amount
        elif seat in paid:
            dead = [card for other, cards in known.items() if other not in paid for card in cards]
            shares = pot_shares({other: known[other] for other in paid}, board, dead)
            expected += shares[seat] * amount * kept
    return expected


def _layers(spent: Sequence[int], live: Sequence[int], pot: int) -> list[tuple[float, tuple[int, ...]]]:
    """The layers of a pot: chips, and the seats that have paid for them. Dead chips go to the first."""
    layers = []
    below, extra = 0, float(pot - sum(spent))
    for stake in sorted({spent[seat] for seat in live}):
        amount = sum(min(chips, stake) - min(chips, below) for chips in spent)
        layers.append((amount + extra, tuple(seat for seat in live if spent[seat] >= stake)))
        below, extra = stake, 0.0
    return layers


def pot_shares(known: Mapping[int, Cards], board: Cards, dead: Iterable[int] = ()) -> dict[int, float]:
    """The average share of a pot that each holding wins, over all boards to come, exactly.

    ``dead`` cards are seen and cannot come.
    """
    gone = set(dead)
    if len(board) < 3 and len(known) == 2 and not gone:
        (one, first), (other, second) = known.items()
        share = equity(Range.of(first), Range.of(second), board).value
        return {one: share, other: 1 - share}
    used = {card for cards in known.values() for card in cards} | set(board) | gone
    fixed, hands = board_sums(board), card_sums(np.array(list(known.values()), np.intp))
    wins, count = np.zeros(len(known)), 0
    for runs in parts_of_runouts(sorted(used), 5 - len(board)):
        values = final_values(fixed, runs, hands)
        _add_shares(values, wins)
        count += len(values)
    return {seat: float(share) for seat, share in zip(known, wins / count, strict=True)}


@kernel
def _add_shares(values: NDArray[np.int16], wins: NDArray[np.float64]) -> None:
    """Add to ``wins [hands]`` what each hand wins of one pot, over ``values [boards, hands]``."""
    for b in range(values.shape[0]):
        best, winners = values[b, 0], 0
        for i in range(values.shape[1]):
            best = max(best, values[b, i])
        for i in range(values.shape[1]):
            winners += values[b, i] == best
        for i in range(values.shape[1]):
            if values[b, i] == best:
                wins[i] += 1 / winners
