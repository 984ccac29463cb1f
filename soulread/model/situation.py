"""The situation of a decision: everything public that may matter, in small arrays that a kernel updates.

A `Situation` is a hand in progress: chips, who is to act, what everybody has done. It holds the facts that
relational tests ask about (`soulread.model.relational.language`):

    masks       one set of seats for each property of a player, as bits: bit s stands for seat s
    relations   for each relation and each seat q, the set of seats r that have the relation to q
    numbers     what is known of the table and of the seat to act, in small whole numbers

No card of a player is looked at. Three ways lead to the same situation, and a test holds them equal:

    situations_of(hands)          every decision of stored hands, as `FactRows`
    situation_at(view)            the decision that a view shows
    start, apply_action           step by step, in compiled play-outs

`start` begins a hand of a `StartTable`. `apply_action` takes one action and moves on to the next decision,
over the ends of rounds. The betting is that of `soulread.games.walk`: ``situation.walk`` says who is to act,
what is to be called and what may be raised. `describe` writes the facts of the decision into a row.

A board card that is not known yet is -1. A play-out gives all five.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.errors import SoulreadError
from soulread.games import walk
from soulread.games.limit_holdem import verify_holdem
from soulread.games.poker import PokerGame, PokerView
from soulread.games.walk import OVER, Walk, pot_of, raise_bounds, to_call
from soulread.hands.facts import BIG_BLIND as POSTED_BIG
from soulread.hands.facts import BUTTON, EARLY
from soulread.hands.hand import Hand
from soulread.hands.referee import game_of_posts, game_of_record
from soulread.kernel import kernel

NUM_ROUNDS = 4

# Properties of a player, each a set of seats. Those up to BLIND are the sets of a walk.
MASKS = (
    "in the hand",
    "all-in",
    "still to act",
    "checked in this round",
    "called in this round",
    "raised in this round",
    "raised last in this round",
    "called in an earlier round",
    "raised in an earlier round",
    "raised last in the round before",
    "paid a blind",
    "has fewer than 50 big blinds",
    "has less left than is in the pot",
    "loose",
    "tight",
    "aggressive",
    "passive",
)
(
    IN,
    ALL_IN,
    TO_ACT,
    CHECKED,
    CALLED,
    RAISED,
    LAST_RAISER,
    CALLED_BEFORE,
    RAISED_BEFORE,
    LEADER,
    BLIND,
    SHORT,
    COMMITTED,
    LOOSE,
    TIGHT,
    AGGRESSIVE,
    PASSIVE,
) = range(len(MASKS))
NUM_MASKS = len(MASKS)
TYPES = LOOSE, TIGHT, AGGRESSIVE, PASSIVE
"""A player's types from earlier hands; see `soulread.model.relational.player_types`."""

# Relations: row q is the set of seats r for which the sentence "r ... q" is true.
RELATIONS = ("acts after", "has more chips than", "raised after", "called a raise of")
AFTER, COVERS, RAISED_OVER, CALLED_RAISE = range(len(RELATIONS))
NUM_RELATIONS = len(RELATIONS)

# Numbers of a decision. Classes have their bounds in `BOUNDS`.
NUMBERS = (
    "round",
    "players dealt in",
    "players left",
    "players to act after this one",
    "players left who act later in the round",
    "position",
    "raises in this round",
    "calls since the last raise",
    "raises before the flop",
    "pot odds",
    "last bet",
    "chips to call",
    "pot",
    "stack",
    "last own action",
    "rounds led",
    "board pairs",
    "board suits",
    "board straight cards",
    "board high card",
)
(
    ROUND,
    DEALT,
    LEFT,
    BEHIND,
    LATER,
    POSITION,
    RAISES,
    CALLERS,
    PREFLOP_RAISES,
    ODDS,
    BET,
    TO_CALL,
    POT,
    STACK,
    OWN,
    LED,
    PAIRS,
    SUITS,
    STRAIGHT,
    HIGH_CARD,
) = range(len(NUMBERS))
NUM_NUMBERS = len(NUMBERS)
MOST = 15  # a number is at most this

NOTHING_YET, CHECKED_LAST, CALLED_LAST, RAISED_LAST = range(4)

BOUNDS = {
    ODDS: (0.0, 0.12, 0.2, 0.25, 0.3, 0.36, 0.42),  # share of the pot after a call that the call pays
    BET: (0.0, 0.35, 0.55, 0.7, 0.9, 1.2, 2.0),  # chips of the last raise, over the pot before it
    TO_CALL: (0.0, 0.6, 1.1, 2.6, 4.1, 8.0, 15.0, 40.0),  # big blinds
    POT: (2.6, 4.6, 7.6, 12.0, 20.0, 40.0, 80.0),  # big blinds
    STACK: (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0),  # chips left over the pot
}
"""Upper bounds of the classes of a number, the last class being open: class k has values up to the k-th."""

SIZES = ("below 0.4", "0.4 to 0.6", "0.6 to 0.85", "0.85 to 1.2", "1.2 to 2", "above 2", "all-in")
"""Classes of a raise: chips beyond a call, over the pot after the call."""
SIZE_BOUNDS = (0.4, 0.6, 0.85, 1.2, 2.0)
TYPICAL_SIZES = (0.33, 0.5, 0.7, 1.0, 1.5, 2.5)  # what stands for a class, in pots
NUM_SIZES = len(SIZES)
ALL_IN_SIZE = NUM_SIZES - 1

_ODDS = np.array(BOUNDS[ODDS])
_BET = np.array(BOUNDS[BET])
_TO_CALL = np.array(BOUNDS[TO_CALL])
_POT = np.array(BOUNDS[POT])
_STACK = np.array(BOUNDS[STACK])
_SIZE = np.array(SIZE_BOUNDS)

# Entries of `Situation.state`.
(
    _PREFLOP,  # raises before the flop
    _CLOCK,  # actions so far
    _BET_CHIPS,
    _BET_POT,
    _TEXTURED,  # whether the next four are those of this round's board
    _PAIRED,
    _SUITED,
    _STRAIGHT_CARDS,
    _TOP_RANK,
) = range(9)
_NUM_STATE = 9
_WALKED = BLIND + 1  # masks that a walk has, in the same order
_LOW_STACK = 50  # big blinds


class StartTable(NamedTuple):
    """Hands before anybody acts, one row for each."""

    walks: NDArray[np.int64]  # [hands, walk.LENGTH] as `soulread.games.walk.new_walk` has them
    board: NDArray[np.int64]  # [hands, 5] cards; -1: not known
    types: NDArray[np.int64]  # [hands, 4] sets of seats: loose, tight, aggressive, passive


class Situation(NamedTuple):
    """A hand in progress, changed in place."""

    walk: Walk  # the betting
    masks: NDArray[np.int64]  # [NUM_MASKS] sets of seats; those of the walk are not used
    relations: NDArray[np.int64]  # [NUM_RELATIONS, 10] sets of seats
    state: NDArray[np.int64]  # [9] numbers of the hand
    raised_at: NDArray[np.int64]  # [10] number of the action that was the seat's last raise; 0: none
    own: NDArray[np.int64]  # [10] what the seat did last: NOTHING_YET ...
    led: NDArray[np.int64]  # [10] in how many earlier rounds the seat raised last
    board: NDArray[np.int64]  # [5]


class FactRows(NamedTuple):
    """The facts of many decisions."""

    masks: NDArray[np.uint16]  # [n, NUM_MASKS]
    relations: NDArray[np.uint16]  # [n, NUM_RELATIONS, 10]
    numbers: NDArray[np.uint8]  # [n, NUM_NUMBERS]
    actor: NDArray[np.uint8]  # [n]

    def take(self, chosen: NDArray[np.int64]) -> "FactRows":
        """Some of the decisions, in that order."""
        return FactRows(self.masks[chosen], self.relations[chosen], self.numbers[chosen], self.actor[chosen])


class Decisions(NamedTuple):
    """The decisions of many hands: their facts, and what was done."""

    rows: FactRows
    hand: NDArray[np.int64]  # [n] number of the hand in the list
    action: NDArray[np.uint8]  # [n] 0 fold, 1 check or call, 2 any raise
    size: NDArray[np.uint8]  # [n] class of the raise; 0 for other actions
    may_fold: NDArray[np.bool_]  # [n] something is to be called
    may_raise: NDArray[np.bool_]  # [n]

    def take(self, chosen: NDArray[np.int64]) -> "Decisions":
        """Some of the decisions, in that order."""
        return Decisions(
            self.rows.take(chosen),
            self.hand[chosen],
            self.action[chosen],
            self.size[chosen],
            self.may_fold[chosen],
            self.may_raise[chosen],
        )


# Making situations --------------------------------------------------------------------------------


def empty_situation() -> Situation:
    """Room for a hand; `start` fills it."""
    seats = MAX_PLAYERS
    return Situation(
        np.zeros(walk.LENGTH, np.int64),
        np.zeros(NUM_MASKS, np.int64),
        np.zeros((NUM_RELATIONS, seats), np.int64),
        np.zeros(_NUM_STATE, np.int64),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.int64),
        np.full(5, -1, np.int64),
    )


def empty_rows(count: int) -> FactRows:
    """Room for the facts of so many decisions."""
    return FactRows(
        np.zeros((count, NUM_MASKS), np.uint16),
        np.zeros((count, NUM_RELATIONS, MAX_PLAYERS), np.uint16),
        np.zeros((count, NUM_NUMBERS), np.uint8),
        np.zeros(count, np.uint8),
    )


def empty_table(count: int) -> StartTable:
    """Room for so many hands, their boards unknown and their players of no type."""
    return StartTable(
        np.zeros((count, walk.LENGTH), np.int64),
        np.full((count, 5), -1, np.int64),
        np.zeros((count, len(TYPES)), np.int64),
    )


def situations_of(hands: Sequence[Hand], types: NDArray[np.int64] | None = None) -> Decisions:
    """Every decision of hands of hold'em, in order; ``types`` are ``[hands, 4]`` sets of seats.

    Hands of other games are refused.
    """
    count = len(hands)
    table = empty_table(count)
    if types is not None:
        table.types[:] = types
    lengths = np.fromiter((len(hand.actions) for hand in hands), np.int64, count)
    ends = np.cumsum(lengths)
    actions = np.zeros((int(ends[-1]) if count else 0, 2), np.int64)
    for row, hand in enumerate(hands):
        table.walks[row] = walk.new_walk(_game_quickly(hand))
        board = hand.board
        table.board[row, : len(board)] = board
        if hand.actions:
            actions[ends[row] - lengths[row] : ends[row]] = hand.actions
    total = len(actions)
    found = Decisions(
        empty_rows(total),
        np.repeat(np.arange(count), lengths),
        np.zeros(total, np.uint8),
        np.zeros(total, np.uint8),
        np.zeros(total, np.bool_),
        np.zeros(total, np.bool_),
    )
    wrong = _fill(table, ends - lengths, lengths, actions, empty_situation(), found)
    while wrong >= 0:  # a table with rules of its own, such as a big blind all-in for less: take the long way
        table.walks[wrong] = walk.new_walk(game_of_record(hands[wrong]))
        refused = wrong
        wrong = _fill(table, ends - lengths, lengths, actions, empty_situation(), found)
        if wrong == refused:
            raise SoulreadError(
                f"hand {hands[wrong].id!r} of {hands[wrong].game!r} was not played by its rules"
            )
    return found


def _game_quickly(hand: Hand) -> PokerGame:
    """The game of a hand by its posts alone, which is right for nearly all hands."""
    if not hand.variant.endswith("best_hand"):
        raise SoulreadError(f"a hand of {hand.game!r} is not hold'em")
    largest = max([post.amount for post in hand.posts], default=0)
    if hand.stacks is None or "no-limit" not in hand.variant or largest < hand.stakes.big_blind:
        return game_of_record(hand)
    return game_of_posts(hand.posts, hand.stacks, hand.stakes.big_blind)


def situation_at(view: PokerView, types: Sequence[int] = (0, 0, 0, 0)) -> Situation:
    """The situation of the decision that a view shows, of whichever seat is to act.

    ``types`` are the sets of loose, tight, aggressive and passive seats.
    """
    situation = empty_situation()
    start(situation, table_of(view.game, tuple(view.board), tuple(types)), 0)
    for _, action in view.actions:
        apply_action(situation, action)
    return situation


@lru_cache(maxsize=64)
def table_of(game: PokerGame, board: tuple[int, ...], types: tuple[int, ...]) -> StartTable:
    """A table of one hand of a game; not to be changed, since it is kept."""
    verify_holdem(game)
    table = empty_table(1)
    table.walks[0] = walk.new_walk(game)
    table.board[0, : len(board)] = board
    table.types[0] = types
    return table


def row_of(situation: Situation) -> FactRows:
    """The facts of the decision of a situation, as one row."""
    rows = empty_rows(1)
    describe(situation, rows, 0)
    return rows


@kernel
def _fill(
    table: StartTable,
    begin: NDArray[np.int64],
    lengths: NDArray[np.int64],
    actions: NDArray[np.int64],
    situation: Situation,
    found: Decisions,
) -> int:
    """Walk all hands; returns the first whose actions do not come in turn, or -1."""
    for h in range(lengths.size):
        start(situation, table, h)
        for k in range(lengths[h]):
            place = begin[h] + k
            seat, action = actions[place, 0], actions[place, 1]
            if situation.walk[walk.ACTOR] != seat:
                return h
            describe(situation, found.rows, place)
            found.may_raise[place] = walk.may_raise(situation.walk)
            found.may_fold[place] = to_call(situation.walk) > 0
            found.action[place] = min(action, 2)
            if action >= 2:
                found.size[place] = size_class(situation.walk, action)
            apply_action(situation, action)
        if situation.walk[walk.ACTOR] != OVER:
            return h
    return -1


# The betting --------------------------------------------------------------------------------------


@kernel
def copy_situation(source: Situation, target: Situation) -> None:
    """Make ``target`` equal to ``source``: play-outs begin from a copy."""
    target.walk[:] = source.walk
    target.masks[:] = source.masks
    target.relations[:] = source.relations
    target.state[:] = source.state
    target.raised_at[:] = source.raised_at
    target.own[:] = source.own
    target.led[:] = source.led
    target.board[:] = source.board


@kernel
def start(s: Situation, table: StartTable, row: int) -> None:
    """Begin the hand of a row of a table: forced bets are in, the first seat is to act."""
    w = s.walk
    w[:] = table.walks[row]
    walk.start(w)
    s.masks[:] = 0
    s.relations[:] = 0
    s.state[:] = 0
    s.raised_at[:] = 0
    s.own[:] = NOTHING_YET
    s.led[:] = 0
    s.board[:] = table.board[row]
    for k in range(4):
        s.masks[LOOSE + k] = table.types[row, k]
    n = w[walk.SEATS]
    for q in range(n):
        stack = w[walk.STACK + q]
        if stack < _LOW_STACK * w[walk.BIG_BLIND]:
            s.masks[SHORT] |= 1 << q
        for r in range(n):
            if r > q:
                s.relations[AFTER, q] |= 1 << r
            if w[walk.STACK + r] > stack:
                s.relations[COVERS, q] |= 1 << r


@kernel
def apply_action(s: Situation, action: int) -> None:
    """The seat to act does ``action``, as in `soulread.games.walk.apply`, and what it did is remembered."""
    w = s.walk
    seat, round = w[walk.ACTOR], w[walk.ROUND]
    s.state[_CLOCK] += 1
    if action == 1 and to_call(w) > 0:
        s.own[seat] = CALLED_LAST
        for raiser in range(w[walk.SEATS]):
            if w[walk.RAISER] >> raiser & 1:
                s.relations[CALLED_RAISE, raiser] |= 1 << seat
    elif action == 1:
        s.own[seat] = CHECKED_LAST
    elif action > 1:
        _note_raise(s, seat, action)
    walk.apply(w, action)
    if w[walk.ROUND] != round:
        s.state[_BET_CHIPS] = 0
        s.state[_TEXTURED] = 0  # what the board looks like is worked out when somebody asks
        for q in range(w[walk.SEATS]):
            s.led[q] += w[walk.LEADER] >> q & 1


@kernel
def _note_raise(s: Situation, seat: int, action: int) -> None:
    state, w = s.state, s.walk
    state[_BET_POT] = pot_of(w) + max(0, w[walk.HIGH] - w[walk.SPENT + seat])
    state[_BET_CHIPS] = walk.raise_total(w, action) - w[walk.HIGH]
    state[_PREFLOP] += w[walk.ROUND] == 0
    s.own[seat] = RAISED_LAST
    s.raised_at[seat] = state[_CLOCK]
    for q in range(w[walk.SEATS]):
        if q != seat and s.raised_at[q] > 0:
            s.relations[RAISED_OVER, q] |= 1 << seat
    s.relations[RAISED_OVER, seat] = 0
    s.relations[CALLED_RAISE, seat] = 0


@kernel
def size_class(w: Walk, action: int) -> int:
    """The class of a raise of the seat to act: its chips beyond a call, over the pot after the call."""
    size = w[walk.SIZE + w[walk.ROUND]]
    total = action
    if size > 0:
        total = w[walk.HIGH] + size
    if total >= w[walk.STACK + w[walk.ACTOR]]:
        return ALL_IN_SIZE
    pot = pot_of(w) + to_call(w)
    return class_of((total - w[walk.HIGH]) / max(pot, 1), _SIZE)


@kernel
def raise_of_size(w: Walk, size: int) -> int:
    """The legal raise of a class: the total nearest to the typical size; 1 (a call) if none is legal."""
    low, high = raise_bounds(w)
    if low > high:
        return 1
    if w[walk.SIZE + w[walk.ROUND]] > 0:
        return 2
    if size == ALL_IN_SIZE:
        return high
    pot = pot_of(w) + to_call(w)
    return int(min(max(low, w[walk.HIGH] + int(TYPICAL_SIZES[size] * pot)), high))


# The facts of a decision --------------------------------------------------------------------------


@kernel
def class_of(value: float, bounds: NDArray[np.float64]) -> int:
    """The class of a number: how many bounds are below it."""
    k = 0
    while k < bounds.size and value > bounds[k] + 1e-12:
        k += 1
    return k


@kernel
def describe(s: Situation, rows: FactRows, place: int) -> None:
    """Write the facts of the decision of the seat to act into a row."""
    state, w = s.state, s.walk
    if not state[_TEXTURED]:
        _texture(s)
    seat, n = w[walk.ACTOR], w[walk.SEATS]
    pot = pot_of(w)
    committed = 0
    left, behind, later = 0, 0, 0
    for other in range(n):
        if w[IN] >> other & 1:
            left += 1
            chips = w[walk.STACK + other] - w[walk.SPENT + other]
            if 0 < chips < pot:
                committed |= 1 << other
            if other != seat:
                behind += w[TO_ACT] >> other & 1
                later += w[ALL_IN] >> other & 1 == 0 and other > seat
    for k in range(_WALKED):
        rows.masks[place, k] = w[k]
    for k in range(_WALKED, NUM_MASKS):
        rows.masks[place, k] = s.masks[k]
    rows.masks[place, TO_ACT] = w[TO_ACT] & ~(1 << seat)
    rows.masks[place, COMMITTED] = committed
    for k in range(NUM_RELATIONS):
        for q in range(n):
            rows.relations[place, k, q] = s.relations[k, q]
        for q in range(n, MAX_PLAYERS):
            rows.relations[place, k, q] = 0
    rows.actor[place] = seat
    numbers = rows.numbers[place]
    big = max(1, w[walk.BIG_BLIND])
    owed = to_call(w)
    numbers[ROUND] = w[walk.ROUND]
    numbers[DEALT] = n
    numbers[LEFT] = left
    numbers[BEHIND] = behind
    numbers[LATER] = later
    numbers[POSITION] = position_of(seat, n)
    numbers[RAISES] = min(w[walk.RAISES], MOST)
    numbers[CALLERS] = min(w[walk.CALLS], MOST)
    numbers[PREFLOP_RAISES] = min(state[_PREFLOP], MOST)
    numbers[ODDS] = class_of(owed / (pot + owed), _ODDS)
    numbers[BET] = class_of(state[_BET_CHIPS] / max(1, state[_BET_POT]), _BET)
    numbers[TO_CALL] = class_of(owed / big, _TO_CALL)
    numbers[POT] = class_of(pot / big, _POT)
    numbers[STACK] = class_of((w[walk.STACK + seat] - w[walk.SPENT + seat]) / max(1, pot), _STACK)
    numbers[OWN] = s.own[seat]
    numbers[LED] = s.led[seat]
    numbers[PAIRS] = state[_PAIRED]
    numbers[SUITS] = state[_SUITED]
    numbers[STRAIGHT] = state[_STRAIGHT_CARDS]
    numbers[HIGH_CARD] = state[_TOP_RANK]


@kernel
def position_of(seat: int, seats: int) -> int:
    """The position by seat, as `soulread.hands.facts.POSITIONS`; the first two seats are the blinds."""
    if seats == 2:
        return POSTED_BIG if seat == 0 else BUTTON
    if seat < 2:
        return seat
    from_button = seats - 1 - seat
    return BUTTON - from_button if from_button <= 3 else EARLY


@kernel
def _texture(s: Situation) -> None:
    """The looks of the board of this round; nothing where the board is not known."""
    r = s.walk[walk.ROUND]
    due = 0 if r == 0 else r + 2
    s.state[_PAIRED] = 0
    s.state[_SUITED] = 0
    s.state[_STRAIGHT_CARDS] = 0
    s.state[_TOP_RANK] = 0
    s.state[_TEXTURED] = 1
    if due == 0 or s.board[due - 1] < 0:
        return
    ranks, pairs, top, best_suit = 0, 0, 0, 0
    suits = np.zeros(4, np.int64)
    for k in range(due):
        rank, suit = s.board[k] >> 2, s.board[k] & 3
        if ranks >> rank & 1:
            pairs += 1
        ranks |= 1 << rank
        suits[suit] += 1
        best_suit = max(best_suit, suits[suit])
        top = max(top, rank)
    wheel = ranks << 1 | (ranks >> 12 & 1)  # the ace also counts as the lowest card
    most = 0
    for low in range(10):
        window = wheel >> low & 31
        count = 0
        while window:
            window &= window - 1
            count += 1
        most = max(most, count)
    s.state[_PAIRED] = pairs
    s.state[_SUITED] = best_suit
    s.state[_STRAIGHT_CARDS] = most
    s.state[_TOP_RANK] = top
