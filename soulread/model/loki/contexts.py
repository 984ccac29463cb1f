"""The context of a decision: what a player's frequencies of folding, calling and raising are kept by.

Two kinds, both functions of public play alone:

    12 contexts         the round, and whether 0, 1 or more bets are to be called (Billings et al., 1998);
                        with the three actions they make the 36 categories of the thesis
    Davidson's 84       these, and what the player did last in this hand: nothing yet, or a call or a raise
                        with 0, 1 or more bets to call (Davidson et al., 2000, found the previous action and
                        the previous amount to call to tell most)

A bet is the raise of the round in a limit game. In no-limit it is the last raise of the round, at least the
big blind. The amount to call is counted in bets and rounded up: the small blind, who lacks half a bet, has
one bet to call.

`walk` gives the contexts of all decisions of a hand. Training, live play and files all use it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from soulread.errors import SoulreadError
from soulread.games.poker import FOLD, RAISE, PokerGame, PokerView, raises_among
from soulread.hands.record import decisions
from soulread.kernel import kernel
from soulread.model.loki.triples import MOST_TO_CALL, NUM_CONTEXTS, context_of

NUM_PREVIOUS = 1 + 2 * (MOST_TO_CALL + 1)  # nothing yet; a call or a raise with 0, 1 or 2 bets to call
NUM_ENHANCED = NUM_CONTEXTS * NUM_PREVIOUS

_WALKS = 256  # hands so far that are remembered: all models at a table ask for the same one


@kernel
def bets_to_call(chips: int, bet: int) -> int:
    """Bets to call, rounded up and at most `MOST_TO_CALL`; ``chips`` and the size of a ``bet`` in chips."""
    return min((chips + bet - 1) // bet, MOST_TO_CALL)


class Decision(NamedTuple):
    """One decision of a seat: its context, and the action taken (0 fold, 1 call, 2 any raise; -1 not yet)."""

    seat: int
    action: int
    round: int
    to_call: int  # bets: 0, 1, 2 (or more)
    previous: int  # what the seat did last in this hand: 0 nothing, else 1 + 3 * (raise) + bets to call then
    opponents: int  # other seats that have not folded
    may_fold: bool
    may_raise: bool

    @property
    def context(self) -> int:
        """Which of the 12 contexts."""
        return context_of(self.round, self.to_call)

    @property
    def enhanced(self) -> int:
        """Which of Davidson's 84 contexts."""
        return self.context * NUM_PREVIOUS + self.previous

    @property
    def category(self) -> int:
        """Which of the 36 categories of observed actions."""
        return 3 * self.context + self.action


@dataclass(frozen=True, slots=True)
class Walk:
    """The decisions of a hand so far, and what the next one depends on."""

    decisions: tuple[Decision, ...]
    previous: tuple[int, ...]  # [seats] see `Decision.previous`
    bet: int  # chips of a bet, if the round does not end here
    round: int


@lru_cache(maxsize=_WALKS)
def walk(game: PokerGame, actions: tuple[tuple[int, int], ...]) -> Walk:
    """The contexts of all decisions of a hand; actions that the rules do not allow are a `SoulreadError`."""
    sizes, big_blind = game.rules.raise_sizes, game.rules.big_blind
    previous = [0] * game.num_players
    found: list[Decision] = []
    bet, round = (big_blind if sizes is None else sizes[0]), 0
    for state, action in decisions(game, actions):
        if sizes is not None:
            bet = sizes[state.round]
        elif state.round != round:
            bet = big_blind
        round = state.round
        seat = state.player
        legal = state.legal_actions()
        kind = min(action, RAISE)
        to_call = bets_to_call(state.to_call, bet)
        found.append(
            Decision(
                seat,
                kind,
                round,
                to_call,
                previous[seat],
                state.folded.count(False) - 1,
                legal[0] == FOLD,
                bool(raises_among(legal)),
            )
        )
        previous[seat] = previous_of(kind, to_call)
        if kind == RAISE and sizes is None:
            high = state.spent[seat] + state.to_call
            bet = max(big_blind, action - high)
    return Walk(tuple(found), tuple(previous), bet, round)


def previous_of(action: int, to_call: int) -> int:
    """The number of a last action, 1 to 6: a call or a raise, with 0 to 2 bets to call."""
    return 1 + (MOST_TO_CALL + 1) * (action == RAISE) + to_call


def decision_now(view: PokerView, seat: int) -> Decision:
    """The decision that ``seat`` has, if it is to act, or would have if it were, at the point of a view."""
    verify_seat(view, seat)
    so_far = walk(view.game, view.actions)
    rules = view.rules
    bet = so_far.bet
    if rules.raise_sizes is not None:
        bet = rules.raise_sizes[view.round]
    elif so_far.round != view.round:
        bet = rules.big_blind
    if view.to_act == seat:
        may_fold, may_raise = view.choices[0] == FOLD, bool(raises_among(view.choices))
        chips = _owed(view, seat)
    else:
        chips = _owed(view, seat)
        may_fold, may_raise = chips > 0, True
    return Decision(
        seat,
        -1,
        view.round,
        bets_to_call(chips, bet),
        so_far.previous[seat],
        max(1, sum(not out for other, out in enumerate(view.folded) if other != seat)),
        may_fold,
        may_raise,
    )


def _owed(view: PokerView, seat: int) -> int:
    """Chips that a seat must add to stay in."""
    high = max(max(view.spent), view.rules.opening if view.round == 0 else 0)
    owed = high - view.spent[seat]
    return owed if view.stacks is None else min(owed, view.stacks[seat])


def verify_seat(view: PokerView, seat: int) -> None:
    """Raise unless the game of a view has this seat."""
    if not 0 <= seat < view.game.num_players:
        raise SoulreadError(
            f"seat {seat!r} in {view.game.name!r}; its seats are 0 to {view.game.num_players - 1}"
        )


def board_at(board: Sequence[int], round: int) -> tuple[int, ...]:
    """The board cards that lie in a round; raises if there are fewer."""
    due = (0, 3, 4, 5)[round]
    if len(board) < due:
        raise SoulreadError(f"somebody acted with {due} cards on the board, but only {len(board)} are given")
    return tuple(board[:due])
