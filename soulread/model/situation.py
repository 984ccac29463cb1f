"""The situation of a decision: everything public that may matter, in small arrays that a kernel updates.

A `Situation` is a hand in progress: chips, who is to act, what everybody has done. It holds the facts that
relational tests ask about (`soulread.model.relational.language`):

    masks       one set of seats for each property of a player, as bits: bit s stands for seat s
    relations   for each relation and each seat q, the set of seats r that have the relation to q
    numbers     what is known of the table and of the seat to act, in small whole numbers

No card of a player is looked at. Three ways lead to the same situation, and a test holds them equal:

    situations_of(hands)          every decision of stored hands, as `Rows`
    situation_at(view)            the decision that a view shows
    start, apply_action           step by step, in compiled play-outs

`start` begins a hand from a `Table` (stakes, stacks, forced bets, a board). `apply_action` takes one action
and moves on to the next decision, over the ends of rounds; ``actor(situation)`` is then the seat to act, or
`OVER`. The betting follows `soulread.games.poker`: all-ins, short raises that do not reopen the betting, and
fixed limits. `describe` writes the facts of the decision into a row.

A board card that is not known yet is -1. Who uses a situation for a play-out gives all five.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import verify_holdem
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.facts import BIG_BLIND as POSTED_BIG
from soulread.hands.facts import BUTTON, EARLY
from soulread.hands.hand import Hand
from soulread.hands.referee import game_of_posts, game_of_record
from soulread.kernel import kernel

NUM_ROUNDS = 4
OVER = -1
UNLIMITED = 2**40  # chips of a seat that never runs out

# Properties of a player, each a set of seats.
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
"""What is known of a player from earlier hands; see `soulread.model.relational.player_types`."""

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
    _ACTOR,
    _ROUND_NOW,
    _HIGH,
    _LAST_RAISE,
    _SHORT_RAISE,
    _RAISES_NOW,
    _CALLS_NOW,
    _PREFLOP,
    _ACTED,
    _TEXTURED,
    _CLOCK,
    _BET_CHIPS,
    _BET_POT,
    _SEATS,
    _DEAD,
    _BIG,
    _PAIRED,
    _SUITED,
    _STRAIGHT_CARDS,
    _TOP_RANK,
) = range(20)
_NUM_STATE = 20
_LOW_STACK = 50  # big blinds


class Table(NamedTuple):
    """Hands before anybody acts, one row for each. Amounts are chips."""

    seats: NDArray[np.int64]  # [hands] how many
    stacks: NDArray[np.int64]  # [hands, 10] before the hand, dead chips taken off; UNLIMITED: never runs out
    forced: NDArray[np.int64]  # [hands, 10] blinds and antes that count towards a call
    dead: NDArray[np.int64]  # [hands] dead chips in the pot
    opening: NDArray[np.int64]  # [hands] total to call before the flop, if more than anybody put in
    big_blind: NDArray[np.int64]  # [hands]
    first: NDArray[np.int64]  # [hands, rounds] seat that acts first, if it can
    sizes: NDArray[np.int64]  # [hands, rounds] of a fixed raise; 0: no-limit
    caps: NDArray[np.int64]  # [hands, rounds] most raises
    board: NDArray[np.int64]  # [hands, 5] cards; -1: not known
    types: NDArray[np.int64]  # [hands, 4] sets of seats: loose, tight, aggressive, passive
    blinds: NDArray[np.int64]  # [hands] set of the seats that paid a blind


class Situation(NamedTuple):
    """A hand in progress, changed in place."""

    masks: NDArray[np.int64]  # [NUM_MASKS] sets of seats
    relations: NDArray[np.int64]  # [NUM_RELATIONS, 10] sets of seats
    state: NDArray[np.int64]  # [20] what the betting needs
    spent: NDArray[np.int64]  # [10] over the whole hand, dead chips not counted
    stacks: NDArray[np.int64]  # [10]
    raised_at: NDArray[np.int64]  # [10] number of the action that was the seat's last raise; 0: none
    own: NDArray[np.int64]  # [10] what the seat did last: NOTHING_YET ...
    led: NDArray[np.int64]  # [10] in how many earlier rounds the seat raised last
    first: NDArray[np.int64]  # [rounds]
    sizes: NDArray[np.int64]  # [rounds]
    caps: NDArray[np.int64]  # [rounds]
    board: NDArray[np.int64]  # [5]


class Rows(NamedTuple):
    """The facts of many decisions."""

    masks: NDArray[np.uint16]  # [n, NUM_MASKS]
    relations: NDArray[np.uint16]  # [n, NUM_RELATIONS, 10]
    numbers: NDArray[np.uint8]  # [n, NUM_NUMBERS]
    actor: NDArray[np.uint8]  # [n]

    def take(self, chosen: NDArray[np.int64]) -> "Rows":
        """Some of the decisions, in that order."""
        return Rows(self.masks[chosen], self.relations[chosen], self.numbers[chosen], self.actor[chosen])


class Decisions(NamedTuple):
    """The decisions of many hands: their facts, and what was done."""

    rows: Rows
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
        np.zeros(NUM_MASKS, np.int64),
        np.zeros((NUM_RELATIONS, seats), np.int64),
        np.zeros(_NUM_STATE, np.int64),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.int64),
        np.zeros(NUM_ROUNDS, np.int64),
        np.zeros(NUM_ROUNDS, np.int64),
        np.zeros(NUM_ROUNDS, np.int64),
        np.full(5, -1, np.int64),
    )


def empty_rows(count: int) -> Rows:
    """Room for the facts of so many decisions."""
    return Rows(
        np.zeros((count, NUM_MASKS), np.uint16),
        np.zeros((count, NUM_RELATIONS, MAX_PLAYERS), np.uint16),
        np.zeros((count, NUM_NUMBERS), np.uint8),
        np.zeros(count, np.uint8),
    )


def empty_table(count: int) -> Table:
    """Room for so many hands, their boards unknown and their players of no type."""
    return Table(
        np.zeros(count, np.int64),
        np.zeros((count, MAX_PLAYERS), np.int64),
        np.zeros((count, MAX_PLAYERS), np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros((count, NUM_ROUNDS), np.int64),
        np.zeros((count, NUM_ROUNDS), np.int64),
        np.zeros((count, NUM_ROUNDS), np.int64),
        np.full((count, 5), -1, np.int64),
        np.zeros((count, len(TYPES)), np.int64),
        np.zeros(count, np.int64),
    )


def seat_game(table: Table, row: int, game: PokerGame) -> None:
    """Write the stakes, stacks and forced bets of a game of hold'em into a row of a table."""
    rules, seats = game.rules, game.num_players
    dead = game.dead or (0,) * seats
    table.seats[row] = seats
    table.dead[row] = sum(dead)
    for seat in range(seats):
        stack = UNLIMITED if rules.stacks is None else rules.stacks[seat]
        table.stacks[row, seat] = stack - dead[seat]
        table.forced[row, seat] = game.forced[seat] - dead[seat]
        if rules.blinds[seat]:
            table.blinds[row] |= 1 << seat
    table.opening[row] = rules.opening
    table.big_blind[row] = rules.big_blind
    table.first[row] = rules.first
    table.sizes[row] = rules.raise_sizes or 0
    table.caps[row] = rules.max_raises or UNLIMITED


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
        seat_game(table, row, _game_quickly(hand))
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
        game = game_of_record(hands[wrong])
        again = empty_table(1)
        seat_game(again, 0, game)
        for column, new in zip(table[:9], again[:9], strict=True):
            column[wrong] = new[0]
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
def table_of(game: PokerGame, board: tuple[int, ...], types: tuple[int, ...]) -> Table:
    """A table of one hand of a game; not to be changed, since it is kept."""
    verify_holdem(game)
    table = empty_table(1)
    seat_game(table, 0, game)
    table.board[0, : len(board)] = board
    table.types[0] = types
    return table


def row_of(situation: Situation) -> Rows:
    """The facts of the decision of a situation, as one row."""
    rows = empty_rows(1)
    describe(situation, rows, 0)
    return rows


@kernel
def _fill(
    table: Table,
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
            if situation.state[_ACTOR] != seat:
                return h
            describe(situation, found.rows, place)
            low, high = raise_bounds(situation)
            found.may_raise[place] = low <= high
            found.may_fold[place] = to_call(situation) > 0
            found.action[place] = min(action, 2)
            if action >= 2:
                found.size[place] = size_class(situation, action)
            apply_action(situation, action)
        if situation.state[_ACTOR] != OVER:
            return h
    return -1


# The betting --------------------------------------------------------------------------------------


@kernel
def copy_situation(source: Situation, target: Situation) -> None:
    """Make ``target`` equal to ``source``: play-outs begin from a copy."""
    target.masks[:] = source.masks
    target.relations[:] = source.relations
    target.state[:] = source.state
    target.spent[:] = source.spent
    target.stacks[:] = source.stacks
    target.raised_at[:] = source.raised_at
    target.own[:] = source.own
    target.led[:] = source.led
    target.first[:] = source.first
    target.sizes[:] = source.sizes
    target.caps[:] = source.caps
    target.board[:] = source.board


@kernel
def start(s: Situation, table: Table, row: int) -> None:
    """Begin the hand of a row of a table: forced bets are in, the first seat is to act."""
    n = table.seats[row]
    s.masks[:] = 0
    s.relations[:] = 0
    s.state[:] = 0
    s.spent[:] = 0
    s.stacks[:] = 0
    s.raised_at[:] = 0
    s.own[:] = NOTHING_YET
    s.led[:] = 0
    s.first[:] = table.first[row]
    s.sizes[:] = table.sizes[row]
    s.caps[:] = table.caps[row]
    s.board[:] = table.board[row]
    s.state[_SEATS] = n
    s.state[_DEAD] = table.dead[row]
    s.state[_BIG] = table.big_blind[row]
    high = table.opening[row]
    for seat in range(n):
        s.stacks[seat] = table.stacks[row, seat]
        s.spent[seat] = min(table.forced[row, seat], s.stacks[seat])
        high = max(high, s.spent[seat])
        s.masks[IN] |= 1 << seat
        if s.spent[seat] >= s.stacks[seat]:
            s.masks[ALL_IN] |= 1 << seat
        if s.stacks[seat] < _LOW_STACK * table.big_blind[row]:
            s.masks[SHORT] |= 1 << seat
    s.masks[BLIND] = table.blinds[row]
    for k in range(4):
        s.masks[LOOSE + k] = table.types[row, k]
    for q in range(n):
        for r in range(n):
            if r > q:
                s.relations[AFTER, q] |= 1 << r
            if s.stacks[r] > s.stacks[q]:
                s.relations[COVERS, q] |= 1 << r
    s.state[_HIGH] = high
    if not _begin_round(s):
        _pass_on(s, 0)


@kernel
def apply_action(s: Situation, action: int) -> None:
    """The seat to act folds (0), checks or calls (1) or raises, in no-limit *to* ``action``; then move on.

    In a fixed-limit game every raise is 2. The action must be legal; this is not verified.
    """
    state = s.state
    seat = state[_ACTOR]
    bit = 1 << seat
    state[_CLOCK] += 1
    s.masks[TO_ACT] &= ~bit
    if action == 0:
        s.masks[IN] &= ~bit
    elif action == 1:
        owed = min(state[_HIGH], s.stacks[seat]) - s.spent[seat]
        if owed > 0:
            s.spent[seat] += owed
            state[_CALLS_NOW] += 1
            s.masks[CALLED] |= bit
            s.own[seat] = CALLED_LAST
            for raiser in range(state[_SEATS]):
                if s.masks[LAST_RAISER] >> raiser & 1:
                    s.relations[CALLED_RAISE, raiser] |= bit
            if s.spent[seat] >= s.stacks[seat]:
                s.masks[ALL_IN] |= bit
        else:
            s.masks[CHECKED] |= bit
            s.own[seat] = CHECKED_LAST
    else:
        _raise(s, seat, action)
    state[_ACTED] |= bit
    _pass_on(s, seat)


@kernel
def _raise(s: Situation, seat: int, action: int) -> None:
    state = s.state
    bit = 1 << seat
    size = s.sizes[state[_ROUND_NOW]]
    total = action
    if size > 0:
        total = min(s.stacks[seat], state[_HIGH] + max(size, state[_LAST_RAISE]))
    step = total - state[_HIGH]
    state[_BET_POT] = pot_of(s) + max(0, state[_HIGH] - s.spent[seat])
    state[_BET_CHIPS] = step
    if step >= state[_LAST_RAISE]:
        state[_LAST_RAISE] = step
        state[_ACTED] = 0
    short = state[_SHORT_RAISE] + step if total == s.stacks[seat] else 0
    state[_SHORT_RAISE] = short if short < state[_LAST_RAISE] else 0
    state[_RAISES_NOW] += 1
    state[_CALLS_NOW] = 0
    if state[_ROUND_NOW] == 0:
        state[_PREFLOP] += 1
    state[_HIGH] = total
    s.spent[seat] = total
    s.own[seat] = RAISED_LAST
    s.raised_at[seat] = state[_CLOCK]
    s.masks[RAISED] |= bit
    s.masks[LAST_RAISER] = bit
    for q in range(state[_SEATS]):
        if q != seat and s.raised_at[q] > 0:
            s.relations[RAISED_OVER, q] |= bit
    s.relations[RAISED_OVER, seat] = 0
    s.relations[CALLED_RAISE, seat] = 0
    if total >= s.stacks[seat]:
        s.masks[ALL_IN] |= bit
    s.masks[TO_ACT] = s.masks[IN] & ~s.masks[ALL_IN] & ~bit


@kernel
def _pass_on(s: Situation, seat: int) -> None:
    """Find who is to act after ``seat``, over the ends of rounds."""
    live = s.masks[IN]
    if live & (live - 1) == 0:
        s.state[_ACTOR] = OVER
        s.masks[TO_ACT] = 0
        return
    if s.masks[TO_ACT]:
        _next_from(s, seat + 1)
        return
    while s.state[_ROUND_NOW] < NUM_ROUNDS - 1:
        _end_round(s)
        s.state[_ROUND_NOW] += 1
        high = 0
        for other in range(s.state[_SEATS]):
            high = max(high, s.spent[other])
        s.state[_HIGH] = high
        if _begin_round(s):
            return
    s.state[_ACTOR] = OVER


@kernel
def _end_round(s: Situation) -> None:
    """What was done in this round becomes what was done before."""
    leader = s.masks[LAST_RAISER]
    for q in range(s.state[_SEATS]):
        if leader >> q & 1:
            s.led[q] += 1
    s.masks[LEADER] = leader
    s.masks[CALLED_BEFORE] |= s.masks[CALLED]
    s.masks[RAISED_BEFORE] |= s.masks[RAISED]
    s.masks[CHECKED] = 0
    s.masks[CALLED] = 0
    s.masks[RAISED] = 0
    s.masks[LAST_RAISER] = 0


@kernel
def _begin_round(s: Situation) -> bool:
    """Begin the betting of a round; whether anybody has a decision in it."""
    state = s.state
    state[_RAISES_NOW] = 0
    state[_CALLS_NOW] = 0
    state[_LAST_RAISE] = 0
    state[_SHORT_RAISE] = 0
    state[_ACTED] = 0
    state[_BET_CHIPS] = 0
    state[_TEXTURED] = 0  # what the board looks like is worked out when somebody asks
    s.masks[TO_ACT] = _seats_to_act(s)
    if s.masks[TO_ACT]:
        _next_from(s, s.first[state[_ROUND_NOW]])
        return True
    return False


@kernel
def _seats_to_act(s: Situation) -> int:
    """The seats that have a decision at the start of a round."""
    n = s.state[_SEATS]
    top, second, most = 0, 0, 0
    for seat in range(n):
        most = max(most, s.spent[seat])
        if s.masks[IN] >> seat & 1:
            if s.stacks[seat] > top:
                top, second = s.stacks[seat], top
            elif s.stacks[seat] > second:
                second = s.stacks[seat]
    found, count, last = 0, 0, 0
    for seat in range(n):
        if s.masks[IN] >> seat & 1 and s.spent[seat] < second and s.spent[seat] < s.stacks[seat]:
            found |= 1 << seat
            count += 1
            last = seat
    if count == 1 and s.spent[last] == most:
        return 0
    return found


@kernel
def _next_from(s: Situation, seat: int) -> None:
    n = s.state[_SEATS]
    seat = seat % n
    while not s.masks[TO_ACT] >> seat & 1:
        seat = (seat + 1) % n
    s.state[_ACTOR] = seat


@kernel
def actor(s: Situation) -> int:
    """The seat to act, or `OVER`."""
    return int(s.state[_ACTOR])


@kernel
def round_of(s: Situation) -> int:
    """The round: 0 is before the flop."""
    return int(s.state[_ROUND_NOW])


@kernel
def pot_of(s: Situation) -> int:
    """Chips in the pot, those of this round and dead ones too."""
    total = s.state[_DEAD]
    for seat in range(s.state[_SEATS]):  # quicker than sum() of a few numbers
        total += s.spent[seat]
    return int(total)


@kernel
def dead_chips(s: Situation) -> int:
    """Chips in the pot that count for nobody."""
    return int(s.state[_DEAD])


@kernel
def raises_now(s: Situation) -> int:
    """Raises in this round."""
    return int(s.state[_RAISES_NOW])


@kernel
def big_blind_of(s: Situation) -> int:
    """Chips of a big blind."""
    return int(s.state[_BIG])


@kernel
def to_call(s: Situation) -> int:
    """Chips the seat to act must add to stay in, at most all it has."""
    seat = s.state[_ACTOR]
    return int(max(0, min(s.state[_HIGH], s.stacks[seat]) - s.spent[seat]))


@kernel
def raise_bounds(s: Situation) -> tuple[int, int]:
    """The smallest and the largest total the seat to act may raise to; (1, 0) if it may not."""
    state = s.state
    seat = state[_ACTOR]
    r = state[_ROUND_NOW]
    top, stack, last = state[_HIGH], s.stacks[seat], state[_LAST_RAISE]
    if (
        state[_RAISES_NOW] >= s.caps[r]
        or stack <= top
        or top - s.spent[seat] < last
        or (0 < state[_SHORT_RAISE] < last and state[_ACTED] >> seat & 1)
    ):
        return 1, 0
    for other in range(state[_SEATS]):
        if other != seat and s.masks[IN] >> other & 1 and s.stacks[other] > top:
            size = s.sizes[r]
            low = min(stack, top + max(last, size if size > 0 else state[_BIG]))
            return int(low), int(low if size > 0 else stack)
    return 1, 0


@kernel
def size_class(s: Situation, action: int) -> int:
    """The class of a raise of the seat to act: its chips beyond a call, over the pot after the call."""
    seat = s.state[_ACTOR]
    size = s.sizes[s.state[_ROUND_NOW]]
    total = action
    if size > 0:
        total = s.state[_HIGH] + size
    if total >= s.stacks[seat]:
        return ALL_IN_SIZE
    pot = pot_of(s) + to_call(s)
    return class_of((total - s.state[_HIGH]) / max(pot, 1), _SIZE)


@kernel
def raise_of_size(s: Situation, size: int) -> int:
    """The legal raise of a class: the total nearest to the typical size; 1 (a call) if none is legal."""
    low, high = raise_bounds(s)
    if low > high:
        return 1
    if s.sizes[s.state[_ROUND_NOW]] > 0:
        return 2
    if size == ALL_IN_SIZE:
        return high
    pot = pot_of(s) + to_call(s)
    return int(min(max(low, s.state[_HIGH] + int(TYPICAL_SIZES[size] * pot)), high))


# The facts of a decision --------------------------------------------------------------------------


@kernel
def class_of(value: float, bounds: NDArray[np.float64]) -> int:
    """The class of a number: how many bounds are below it."""
    k = 0
    while k < bounds.size and value > bounds[k] + 1e-12:
        k += 1
    return k


@kernel
def describe(s: Situation, rows: Rows, place: int) -> None:
    """Write the facts of the decision of the seat to act into a row."""
    state = s.state
    if not state[_TEXTURED]:
        _texture(s)
    seat, n, r = state[_ACTOR], state[_SEATS], state[_ROUND_NOW]
    pot = pot_of(s)
    committed = 0
    left, behind, later = 0, 0, 0
    for other in range(n):
        if s.masks[IN] >> other & 1:
            left += 1
            chips = s.stacks[other] - s.spent[other]
            if 0 < chips < pot:
                committed |= 1 << other
            if other != seat:
                behind += s.masks[TO_ACT] >> other & 1
                later += s.masks[ALL_IN] >> other & 1 == 0 and other > seat
    for k in range(NUM_MASKS):
        rows.masks[place, k] = s.masks[k]
    rows.masks[place, TO_ACT] = s.masks[TO_ACT] & ~(1 << seat)
    rows.masks[place, COMMITTED] = committed
    for k in range(NUM_RELATIONS):
        for q in range(n):
            rows.relations[place, k, q] = s.relations[k, q]
        for q in range(n, MAX_PLAYERS):
            rows.relations[place, k, q] = 0
    rows.actor[place] = seat
    numbers = rows.numbers[place]
    big = max(1, state[_BIG])
    owed = to_call(s)
    numbers[ROUND] = r
    numbers[DEALT] = n
    numbers[LEFT] = left
    numbers[BEHIND] = behind
    numbers[LATER] = later
    numbers[POSITION] = position_of(seat, n)
    numbers[RAISES] = min(state[_RAISES_NOW], MOST)
    numbers[CALLERS] = min(state[_CALLS_NOW], MOST)
    numbers[PREFLOP_RAISES] = min(state[_PREFLOP], MOST)
    numbers[ODDS] = class_of(owed / (pot + owed), _ODDS)
    numbers[BET] = class_of(state[_BET_CHIPS] / max(1, state[_BET_POT]), _BET)
    numbers[TO_CALL] = class_of(owed / big, _TO_CALL)
    numbers[POT] = class_of(pot / big, _POT)
    numbers[STACK] = class_of((s.stacks[seat] - s.spent[seat]) / max(1, pot), _STACK)
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
    """What the board of this round looks like; nothing where it is not known."""
    r = s.state[_ROUND_NOW]
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
