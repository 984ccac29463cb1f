"""Hands in PHH replayed by pokerkit, decision by decision, beside our own replay."""

import warnings
from decimal import Decimal
from typing import Any

from soulread.games.base import CHANCE
from soulread.games.poker import FOLD, UNKNOWN, BetActions, Replay
from soulread.hands.formats.amounts import decimals_of
from soulread.hands.hand import Hand
from soulread.hands.referee import game_of


def load(text: str, decimals: int = 2) -> Any:
    """The hand of a PHH as pokerkit has it; it shares pots in our chips."""
    from pokerkit import HandHistory

    chip = Decimal(1).scaleb(-decimals)

    def share(pot: Decimal, winners: int) -> tuple[Decimal, Decimal]:
        whole, odd = divmod(int(pot / chip), winners)
        return whole * chip, odd * chip

    return HandHistory.loads(text, parse_value=Decimal, divmod=share)  # type: ignore[arg-type]


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
        for state, action in load(text, decimals_of(hand.stakes.chip)).state_actions:
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
    for seat, (theirs, won) in enumerate(zip(state.payoffs, hand.payoffs, strict=True)):
        lost = theirs - won * unit  # the rake comes out of what is won
        assert 0 <= lost <= hand.rake * unit, (hand.id, seat, theirs, won)
    return decisions
