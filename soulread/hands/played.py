"""Things a player does in a hand, by name: ``did:raised-first-in``, ``did:called-river``.

Each is one or more conditions on decisions, and each condition must hold at some decision of the hand.
Queries find hands by these names (`soulread.hands.conditions`), and the ranges of a profile are those of the
same hands.

Also what the record of a hand tells: whether the cards of a seat were seen, whether there was an all-in,
whether all cards are known, and by which game's rules it was played.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.poker import FOLD, PokerGame
from soulread.hands.facts import CALLED, RAISED
from soulread.hands.hand import Cards, Hand
from soulread.hands.record import verify_hand
from soulread.hands.statistics import Columns, Occasions

DecisionTest = Callable[[Columns], NDArray[np.bool_]]
_DEALT = (0, 3, 4, 5)  # cards of the board by round


def _street(number: int, action: int) -> DecisionTest:
    return lambda d: (d.round == number) & d.did(action)


PLAYED: Mapping[str, tuple[DecisionTest, ...]] = MappingProxyType(
    {
        "raised-first-in": (
            lambda d: d.preflop & d.facing & (d.raises == 0) & (d.limpers == 0) & d.did(RAISED),
        ),
        "limped": (lambda d: d.preflop & d.facing & (d.raises == 0) & d.did(CALLED),),
        "called-raise": (lambda d: d.preflop & (d.raises == 1) & (d.own_raise == 0) & d.did(CALLED),),
        "3-bet": (lambda d: d.preflop & (d.raises == 1) & d.did(RAISED),),
        "4-bet-or-more": (lambda d: d.preflop & (d.raises >= 2) & d.did(RAISED),),
        "bet-every-street": tuple(_street(number, RAISED) for number in (1, 2, 3)),
        "called-every-street": tuple(_street(number, CALLED) for number in (1, 2, 3)),
        "check-raised": (lambda d: d.later & d.checked & d.facing & d.did(RAISED),),
        "bet-river": (_street(3, RAISED),),
        "called-river": (_street(3, CALLED),),
    }
)
"""By name, in the order in which they are told. A bet is a bet or a raise."""


def played_at(occasions: Occasions, name: str) -> dict[int, int]:
    """By row of a seat that did it: the decision at which it was complete, numbered from 0.

    Where a condition holds at several decisions the first one counts.
    """
    complete: dict[int, int] | None = None
    for condition in PLAYED[name]:
        places = occasions.first_places(condition)
        if complete is not None:
            places = {row: max(complete[row], at) for row, at in places.items() if row in complete}
        complete = places
    assert complete is not None
    return complete


def cards_of(hand: Hand, seat: int) -> Cards | None:
    """The two cards of a seat; None if they were not seen."""
    cards = hand.hole[seat]
    return cards if cards is not None and len(cards) == 2 else None


def all_in_round(hand: Hand) -> int | None:
    """The round in which the last action was, if cards came after it and hands were shown; else None."""
    if not hand.showdown or len(hand.board) < _DEALT[-1]:
        return None
    rounds = hand.betting.split("/")
    last = max((number for number, acts in enumerate(rounds) if acts), default=0)
    return last if last < len(_DEALT) - 1 else None


def all_known(hand: Hand) -> bool:
    """Whether the cards of everybody who did not fold are known."""
    folded = {seat for seat, action in hand.actions if action == FOLD}
    return all(cards_of(hand, seat) is not None for seat in range(hand.num_players) if seat not in folded)


def follows(hand: Hand, game: PokerGame) -> bool:
    """Whether a hand was played by the rules and for the stakes of a game."""
    try:
        verify_hand(game, hand)
    except SoulreadError:
        return False
    return True
