"""The betting of a hand as a compiled state machine: the rules of `soulread.games.poker` over one flat array.

A `Walk` is an array of whole numbers: sets of seats as bits (bit s stands for seat s), counts, and for each
seat its stack and what it has put in. The names below are the places in it. A copy of the array is a copy of
the hand: ``other[:] = walk``.

    new_walk(game)      a hand of a game before anything happens
    start(walk)         the forced bets are in, and ``walk[ACTOR]`` is the first seat to act
    raise_bounds(walk)  the totals that the seat to act may raise to; `to_call` has the chips of a call
    apply(walk, action) the seat to act acts; then ``walk[ACTOR]`` is the next one, or `OVER`
    winnings(walk, ...) the chips that a seat wins at the end

Actions are those of `soulread.games.poker`. They are not verified here: that game is the referee. Cards play
no part, so a round begins as soon as the one before is over.

A record says itself who acted in which round. For records there are the parts of `start` and `apply`: first
`begin`, then for each action `come_to` and `act`.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView
from soulread.kernel import inline_kernel, kernel

Walk = NDArray[np.int64]

OVER = -1  # nobody is to act any more
UNLIMITED = 2**60  # chips of a seat that never runs out; raises where their number has no limit
MAX_ROUNDS = 4

# Sets of seats.
(
    IN,  # not folded
    ALL_IN,
    TO_ACT,  # in this round unless somebody raises, the seat to act too
    CHECKED,  # in this round
    CALLED,  # in this round
    RAISED,  # in this round
    RAISER,  # raised last in this round
    CALLED_BEFORE,  # in an earlier round
    RAISED_BEFORE,  # in an earlier round
    LEADER,  # raised last in the round before
    BLINDS,  # paid a blind; this decides nothing
    MOVED,  # acted since the last raise of this round, or since it began
    ACTED,  # acted since the last full raise of this round, or since it began
) = range(13)

# Numbers. Amounts are chips.
(
    ACTOR,  # seat to act, or OVER
    ROUND,
    HIGH,  # total one must have put in to stay in
    RAISES,  # in this round
    CALLS,  # since the last raise of this round, or since it began
    LIMPS,  # calls before the first raise of this round
    OPENER,  # seat that raised first in this round; -1: nobody
    LAST_RAISE,  # largest raise of this round
    SHORT_RAISE,  # short all-ins since a full raise, added up
    SEATS,
    LAST_ROUND,
    DEAD,  # chips in the pot that count for nobody
    BIG_BLIND,
    HALF_BETS,  # 1 if half a bet, all-in, is a raise that may be raised again
) = range(13, 27)

# Of each seat.
SPENT = 27  # over the whole hand, dead chips not counted
STACK = SPENT + MAX_PLAYERS  # before the hand, dead chips taken off; UNLIMITED: never runs out
OWN_RAISE = STACK + MAX_PLAYERS  # which raise of this round was the seat's last one: 1 is the first, 0 none

# Of each round.
FIRST = OWN_RAISE + MAX_PLAYERS  # seat that acts first, if it can
SIZE = FIRST + MAX_ROUNDS  # of a fixed raise; 0: no-limit
CAP = SIZE + MAX_ROUNDS  # most raises
LENGTH = CAP + MAX_ROUNDS


def new_walk(game: PokerGame) -> Walk:
    """A hand of a game before `start`; games of more than four rounds are refused."""
    rules, seats = game.rules, game.num_players
    rounds = len(rules.board_cards)
    if rounds > MAX_ROUNDS:
        raise SoulreadError(f"{game.name!r} has {rounds} rounds of betting; a walk has {MAX_ROUNDS}")
    walk = np.zeros(LENGTH, np.int64)
    dead = np.array(game.dead or (0,) * seats)
    walk[SEATS], walk[LAST_ROUND] = seats, rounds - 1
    walk[DEAD], walk[BIG_BLIND], walk[HIGH] = dead.sum(), rules.big_blind, rules.opening
    walk[BLINDS] = sum(1 << seat for seat, blind in enumerate(rules.blinds) if blind)
    walk[SPENT : SPENT + seats] = np.array(game.forced) - dead
    walk[STACK : STACK + seats] = UNLIMITED if rules.stacks is None else np.array(rules.stacks) - dead
    walk[FIRST : FIRST + rounds] = rules.first
    walk[SIZE : SIZE + rounds] = rules.raise_sizes or 0
    walk[CAP : CAP + rounds] = rules.max_raises or UNLIMITED
    walk[HALF_BETS] = rules.half_bets
    return walk


@lru_cache(maxsize=64)
def _started(game: PokerGame) -> Walk:
    walk = new_walk(game)
    start(walk)
    return walk


def walk_at(view: PokerView) -> Walk:
    """The betting at the point of a view."""
    walk = _started(view.game).copy()
    for _, action in view.actions:
        apply(walk, action)
    return walk


# Moves --------------------------------------------------------------------------------------------


@kernel
def begin(w: Walk) -> None:
    """Begin the first round, without looking for the seat to act: ``HIGH`` is the opening before that."""
    w[IN] = (1 << w[SEATS]) - 1
    for seat in range(w[SEATS]):
        w[HIGH] = max(w[HIGH], w[SPENT + seat])
        if w[SPENT + seat] >= w[STACK + seat]:
            w[ALL_IN] |= 1 << seat
    _begin_round(w)


@kernel
def start(w: Walk) -> None:
    """Begin a hand: forced bets are in, and the first seat is to act."""
    begin(w)
    _find_actor(w, w[FIRST])


@inline_kernel
def apply(w: Walk, action: int) -> None:
    """The seat to act folds (0), checks or calls (1) or raises, in no-limit *to* ``action``; then move on.

    In a fixed-limit game every raise is 2. The action must be legal; this is not verified.
    """
    act(w, action)
    _find_actor(w, w[ACTOR] + 1)


@kernel
def come_to(w: Walk, round: int, seat: int) -> None:
    """Go on to a decision of a record: of ``seat`` in ``round``, which may be the present one."""
    while w[ROUND] < round:
        _end_round(w)
    w[ACTOR] = seat


@inline_kernel
def act(w: Walk, action: int) -> None:
    """Do what `apply` does, but stay at the seat that acted."""
    seat = w[ACTOR]
    bit = 1 << seat
    if action > CALL:
        _raise(w, seat, raise_total(w, action))
    else:
        w[TO_ACT] &= ~bit
        if action == FOLD:
            w[IN] &= ~bit
        else:
            stack, spent = w[STACK + seat], w[SPENT + seat]
            total = min(w[HIGH], stack)
            if spent < total:
                w[CALLED] |= bit
                w[CALLS] += 1
                w[LIMPS] += w[RAISES] == 0
                if total == stack:
                    w[ALL_IN] |= bit
                w[SPENT + seat] = total
            else:
                w[CHECKED] |= bit
    w[MOVED] |= bit
    w[ACTED] |= bit


@inline_kernel
def raise_total(w: Walk, action: int) -> int:
    """The total that a raise of the seat to act comes to."""
    size = w[SIZE + w[ROUND]]
    if size == 0:
        return action
    return int(min(w[STACK + w[ACTOR]], w[HIGH] + max(size, w[LAST_RAISE])))


@inline_kernel
def _raise(w: Walk, seat: int, total: int) -> None:
    bit = 1 << seat
    step, last, raises = total - w[HIGH], w[LAST_RAISE], w[RAISES] + 1
    all_in, live = w[ALL_IN], w[IN]
    if step >= last:
        w[LAST_RAISE] = last = step
        w[ACTED] = 0
    short = 0
    if total == w[STACK + seat]:
        short = w[SHORT_RAISE] + step
        w[ALL_IN] = all_in = all_in | bit
    w[SHORT_RAISE] = short if short < last else 0
    if raises == 1:
        w[OPENER] = seat
    w[RAISES] = raises
    w[CALLS] = 0
    w[MOVED] = 0
    w[RAISED] |= bit
    w[RAISER] = bit
    w[HIGH] = total
    w[TO_ACT] = live & ~all_in & ~bit
    w[OWN_RAISE + seat] = raises
    w[SPENT + seat] = total


@inline_kernel
def _find_actor(w: Walk, seat: int) -> None:
    """Find the first seat from ``seat`` on that has a decision, over the ends of rounds."""
    live, left = w[IN], w[TO_ACT]
    if live & (live - 1) == 0:
        w[TO_ACT] = 0
        w[ACTOR] = OVER
        return
    while left == 0:
        if w[ROUND] == w[LAST_ROUND]:
            w[ACTOR] = OVER
            return
        _end_round(w)
        left = w[TO_ACT]
        seat = w[FIRST + w[ROUND]]
    ahead = left >> seat
    if ahead == 0:
        seat, ahead = 0, left
    while not ahead & 1:
        ahead >>= 1
        seat += 1
    w[ACTOR] = seat


@inline_kernel
def _end_round(w: Walk) -> None:
    """End this round and begin the next one."""
    w[LEADER] = w[RAISER]
    w[CALLED_BEFORE] |= w[CALLED]
    w[RAISED_BEFORE] |= w[RAISED]
    if w[ROUND] == 0:  # what a short big blind left open is no longer to be called
        high = 0
        for seat in range(w[SEATS]):
            high = max(high, w[SPENT + seat])
        w[HIGH] = high
    w[ROUND] += 1
    _begin_round(w)


@inline_kernel
def _begin_round(w: Walk) -> None:
    w[CHECKED] = w[CALLED] = w[RAISED] = w[RAISER] = w[MOVED] = w[ACTED] = 0
    if w[RAISES] > 0:
        for seat in range(w[SEATS]):
            w[OWN_RAISE + seat] = 0
    w[RAISES] = w[CALLS] = w[LIMPS] = w[LAST_RAISE] = w[SHORT_RAISE] = 0
    w[OPENER] = -1
    w[TO_ACT] = _seats_to_act(w)


@inline_kernel
def _seats_to_act(w: Walk) -> int:
    """The seats that have a decision at the start of a round; beyond the second largest stack nobody has."""
    able = w[IN] & ~w[ALL_IN]
    if w[ALL_IN] & w[IN] == 0 and w[ROUND] > 0:
        return int(able)
    top, second, most = 0, 0, 0
    for seat in range(w[SEATS]):
        most = max(most, w[SPENT + seat])
        if w[IN] >> seat & 1:
            stack = w[STACK + seat]
            if stack > top:
                top, second = stack, top
            elif stack > second:
                second = stack
    found, last = 0, 0
    for seat in range(w[SEATS]):
        if able >> seat & 1 and w[SPENT + seat] < second:
            found |= 1 << seat
            last = seat
    if found & (found - 1) == 0 and w[SPENT + last] == most:
        return 0
    return found


# What the seat to act may do ----------------------------------------------------------------------


@inline_kernel
def to_call(w: Walk) -> int:
    """Chips the seat to act must add to stay in, at most all it has."""
    seat = w[ACTOR]
    return int(max(0, min(w[HIGH], w[STACK + seat]) - w[SPENT + seat]))


@kernel
def may_raise(w: Walk) -> bool:
    """Whether the seat to act may raise."""
    if w[RAISES] >= w[CAP + w[ROUND]]:
        return False
    seat, high, last = w[ACTOR], w[HIGH], w[LAST_RAISE]
    stack = w[STACK + seat]
    if stack == UNLIMITED:
        return True
    full = min(last, (w[SIZE + w[ROUND]] + 1) // 2) if w[HALF_BETS] else last
    if stack <= high or high - w[SPENT + seat] < full or (0 < w[SHORT_RAISE] < full and w[ACTED] >> seat & 1):
        return False
    richer = 0
    for other in range(w[SEATS]):
        richer |= (w[STACK + other] > high) << other
    return bool(w[IN] & richer & ~(1 << seat))


@kernel
def raise_bounds(w: Walk) -> tuple[int, int]:
    """The smallest and the largest total the seat to act may raise to; (1, 0) if it may not."""
    if not may_raise(w):
        return 1, 0
    stack, size = w[STACK + w[ACTOR]], w[SIZE + w[ROUND]]
    low = min(stack, w[HIGH] + max(w[LAST_RAISE], size if size > 0 else w[BIG_BLIND]))
    return int(low), int(low if size > 0 else stack)


@kernel
def leader_waits(w: Walk) -> bool:
    """Whether another seat raised last in the round before, and has yet to act in this one."""
    done = w[CHECKED] | w[CALLED] | w[RAISED] | w[ALL_IN] | 1 << w[ACTOR]
    return bool(w[LEADER] & w[IN] & ~done)


@kernel
def is_continued(w: Walk) -> bool:
    """Whether the seat that raised last in the round before was also the first to raise in this one."""
    return w[OPENER] >= 0 and bool(w[LEADER] >> w[OPENER] & 1)


@inline_kernel
def num_seats(seats: int) -> int:
    """How many seats a set has."""
    count = 0
    while seats:
        seats &= seats - 1
        count += 1
    return count


# The end ------------------------------------------------------------------------------------------


@inline_kernel
def pot_of(w: Walk) -> int:
    """Chips in the pot, those of this round and dead ones too."""
    total = w[DEAD]
    for seat in range(w[SEATS]):  # quicker than sum() of a few numbers
        total += w[SPENT + seat]
    return int(total)


@kernel
def most_called(w: Walk) -> int:
    """The second largest total that a seat has put in: chips beyond it go back to their seat."""
    top, called = 0, 0
    for seat in range(w[SEATS]):
        spent = w[SPENT + seat]
        if spent > top:
            top, called = spent, top
        elif spent > called:
            called = spent
    return int(called)


@inline_kernel
def winnings(w: Walk, us: int, ranks: NDArray[np.int64]) -> int:
    """Net chips of a seat at the end of a hand, its dead chips not counted as paid.

    ``ranks [seats]`` are the hands of the showdown, higher is better. The pots and the odd chips are those of
    `soulread.games.poker`.
    """
    live = w[IN]
    if live & (live - 1) == 0:
        return int((pot_of(w) if live >> us & 1 else 0) - w[SPENT + us])
    if live & w[ALL_IN] == 0:  # one pot
        return _share(pot_of(w), _best_of(live, ranks), us) - int(w[SPENT + us])
    return _side_winnings(w, us, ranks)


@kernel
def _side_winnings(w: Walk, us: int, ranks: NDArray[np.int64]) -> int:
    """Net chips of a seat at a showdown with side pots."""
    called = most_called(w)
    amounts, claims = np.zeros(w[SEATS], np.int64), np.zeros(w[SEATS], np.int64)
    pots = _side_pots(w, called, amounts, claims)
    winners = 0
    for k in range(pots):
        winners |= _best_of(claims[k], ranks)
    won, k = 0, 0
    while k < pots:
        alive, amount = claims[k] & winners, amounts[k]
        k += 1
        while k < pots and claims[k] & winners == alive:  # hands that win nowhere are thrown away first
            amount += amounts[k]
            k += 1
        won += _share(amount, _best_of(alive, ranks), us)
    return int(won - min(w[SPENT + us], called))


@kernel
def _side_pots(w: Walk, called: int, amounts: NDArray[np.int64], claims: NDArray[np.int64]) -> int:
    """Fill the chips of each pot and who plays for it, as a set of seats; returns how many there are."""
    pots, below, carried = 0, -1, w[DEAD]
    while below < called:
        level = called
        for seat in range(w[SEATS]):
            if w[SPENT + seat] > below:
                level = min(level, w[SPENT + seat])
        payers, count = 0, 0
        for seat in range(w[SEATS]):
            if w[SPENT + seat] >= level:
                payers |= 1 << seat
                count += 1
        amount = (level - max(below, 0)) * count + carried
        carried = 0
        below = level
        claimants = payers & w[IN]
        if claimants == 0:
            if pots:
                amounts[pots - 1] += amount
            else:
                carried = amount
        elif amount:
            amounts[pots] = amount
            claims[pots] = claimants
            pots += 1
    return pots


@inline_kernel
def _best_of(claimants: int, ranks: NDArray[np.int64]) -> int:
    """Those of a set of seats with the best hand, as a set."""
    best, found = -1, 0
    for seat in range(ranks.size):
        if claimants >> seat & 1:
            if ranks[seat] > best:
                best, found = ranks[seat], 0
            if ranks[seat] == best:
                found |= 1 << seat
    return found


@inline_kernel
def _share(amount: int, winners: int, us: int) -> int:
    """Our part of a pot; odd chips go to the first winner after the button."""
    if not winners >> us & 1:
        return 0
    count = num_seats(winners)
    odd = amount % count if winners & -winners == 1 << us else 0
    return int(amount // count + odd)
