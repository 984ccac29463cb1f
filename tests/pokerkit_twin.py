"""Hands in PHH replayed by pokerkit, decision by decision, beside our own replay."""

import warnings
from decimal import Decimal
from typing import Any

from soulread.games.base import CHANCE
from soulread.games.poker import FOLD, UNKNOWN, BetActions, Replay
from soulread.hands.formats.amounts import decimals_of
from soulread.hands.hand import Hand
from soulread.hands.referee import game_of


def load(text: str) -> Any:
    """The hand of a PHH as pokerkit has it, with decimal amounts."""
    from pokerkit import HandHistory

    return HandHistory.loads(text, parse_value=Decimal)


def replay_pokerkit(text: str) -> list[Any]:
    """Pokerkit's payoffs of a hand."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        *_, state = load(text)
    return list(state.payoffs)


def compare(text: str, hand: Hand) -> int:
    """How many decisions were compared; AssertionError at the first difference."""
    game = game_of(hand)
    unit = Decimal(1).scaleb(-decimals_of(hand.stakes.chip))
    ours = Replay(game)
    before = ours.antes
    due = [(UNKNOWN,) * (2 * game.num_players), (UNKNOWN,) * 3, (UNKNOWN,), (UNKNOWN,)]
    moves = iter(hand.actions)
    decisions = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        previous: Any = None
        for state, action in load(text).state_actions:
            words = (action or "").split()
            if len(words) > 1 and words[1] in ("f", "cc", "cbr"):
                while ours.player == CHANCE:
                    before = ours.spent if ours.round else before
                    ours.deal_round(due[ours.round])
                seat, move = next(moves)
                legal = ours.legal_actions()
                assert isinstance(legal, BetActions)
                assert (previous["actor"], previous["call"]) == (seat, ours.to_call * unit), hand.id
                assert previous["pot"] == ours.pot * unit, hand.id
                assert (previous["call"] > 0) == (FOLD in legal) or game.rules.open_folds, hand.id
                low, high = previous["raises"]
                if legal.raises:
                    base = before[seat]
                    assert (low, high) == ((legal.raises[0] - base) * unit, (legal.raises[-1] - base) * unit)
                else:
                    assert low is None, (hand.id, low)
                ours.act(move)
                decisions += 1
            previous = {
                "actor": state.actor_index,
                "call": state.checking_or_calling_amount,
                "pot": state.total_pot_amount,
                "raises": (
                    state.min_completion_betting_or_raising_to_amount,
                    state.max_completion_betting_or_raising_to_amount,
                ),
            }
    assert next(moves, None) is None, hand.id
    rake = hand.rake * unit
    for seat, (theirs, won) in enumerate(zip(state.payoffs, hand.payoffs, strict=True)):
        lost = theirs - won * unit  # the rake comes out of what is won
        assert 0 <= lost <= rake or abs(lost) < unit, (hand.id, seat, theirs, won)
    return decisions
