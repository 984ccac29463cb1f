"""What happened at every decision of many hands, as columns of numbers.

Statistics are counted over these columns (`soulread.hands.statistics`), and the store keeps them for every
player (`soulread.hands.store`), so that a hand is walked once: when it comes in. No card is looked at.

There are two tables. One has a row for each seat of each hand (`SEAT`). The other has a row for each decision
(`DECISION`), those of one seat of one hand together, in order. ``decisions`` of a seat says how many are its.

A *raise* is a bet or a raise. Blinds and straddles are none: before the flop the first raise is the open, the
second the 3-bet. The *aggressor* of a round is the seat that raised last in the round just before it.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.hands.hand import ForcedBet, Hand
from soulread.hands.referee import game_of
from soulread.kernel import kernel

FORMAT = 1  # of the columns; grows when one is added or means something else

NO_TIME = -(2**63)
NOBODY = 255

POSITIONS = ("SB", "BB", "EP", "LJ", "HJ", "CO", "BTN")
"""Positions by number. EP is everybody further from the button than LJ. Heads-up the dealer is BTN."""
SMALL_BLIND, BIG_BLIND, EARLY, LOJACK, HIJACK, CUTOFF, BUTTON = range(len(POSITIONS))

FOLDED, CHECKED, CALLED, RAISED = range(4)
NO_AGGRESSOR, OWN, OTHER = range(3)

SEAT = np.dtype(
    [
        ("hand", "<i8"),  # number of the hand in its store
        ("time", "<i8"),  # seconds since 1970, or NO_TIME
        ("won", "<i8"),  # net chips
        ("kind", "<i4"),  # number of game and stakes in the store
        ("stack", "<f4"),  # before the hand, in big blinds; NaN where nobody runs out
        ("big_blind", "<i4"),  # chips
        ("decisions", "<u2"),
        ("players", "u1"),
        ("position", "u1"),
        ("last_round", "u1"),  # the last round of which the seat saw the cards; 0 is before the flop
        ("showdown", "?"),  # the seat came to the showdown
        ("collected", "?"),  # some part of a pot
    ]
)
DECISION = np.dtype(
    [
        ("round", "u1"),
        ("action", "u1"),  # FOLDED, CHECKED, CALLED or RAISED
        ("facing", "?"),  # something to call
        ("can_raise", "?"),
        ("raises", "u1"),  # in this round so far
        ("callers", "u1"),  # calls since the last raise of this round, or since it began
        ("limpers", "u1"),  # calls before the first raise of this round; all of them if there is none
        ("opener", "u1"),  # position of the seat that raised first in this round, or NOBODY
        ("own_raise", "u1"),  # which raise of this round was the seat's own last one: 1 is the first, 0 none
        ("own_calls", "u1"),  # in this round
        ("checked", "?"),  # the seat has checked in this round
        ("aggressor", "u1"),  # who raised last in the round before: NO_AGGRESSOR, OWN or OTHER
        ("waiting", "?"),  # the aggressor is another seat that has yet to act in this round
        ("continued", "?"),  # the first raise of this round was the aggressor's
        ("active", "u1"),  # seats that have not folded
    ]
)

Rows = NDArray[Any]  # structured: SEAT or DECISION


@dataclass(frozen=True)
class Facts:
    """The rows of some seats, and of all their decisions."""

    seats: Rows  # SEAT
    decisions: Rows  # DECISION, in the order of the seats

    def take(self, chosen: NDArray[np.int64]) -> "Facts":
        """The rows of chosen seats, in that order."""
        counts = self.seats["decisions"].astype(np.int64)
        first = np.cumsum(counts) - counts
        return Facts(self.seats[chosen], self.decisions[_ranges(first[chosen], counts[chosen])])

    def __add__(self, other: "Facts") -> "Facts":
        return join_facts([self, other])


def join_facts(parts: Sequence[Facts]) -> Facts:
    """Rows one after another."""
    if not parts:
        return Facts(np.zeros(0, SEAT), np.zeros(0, DECISION))
    return Facts(
        np.concatenate([part.seats for part in parts]), np.concatenate([part.decisions for part in parts])
    )


def _ranges(first: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """``first[i]``, ``first[i] + 1``, ... ``counts[i]`` numbers of each, one after another."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    return np.asarray(np.arange(total) + np.repeat(first - (ends - counts), counts))


@dataclass(frozen=True)
class Begun:
    """Hands as numbers: how each began, and what everybody did. `walk_hands` goes through them.

    Hands of files (`begun_of`) and hands in play (`soulread.model.predict.features`) are both written so.
    """

    first_seat: NDArray[np.int64]  # [hands + 1] where the seats of each hand begin
    first_act: NDArray[np.int64]  # [hands + 1] where the actions of each hand begin
    acts: NDArray[np.int64]  # [actions, 2] seat and action
    rounds: NDArray[np.int64]  # [hands, 4] actions up to the end of each round; -1: not reached
    sheet: NDArray[np.int64]  # [hands] row of `sheets`
    sheets: NDArray[np.int64]  # [sheets, 8] raise size of each round (0: no-limit), raises allowed in each
    stacks: NDArray[np.int64]  # [seats] before the hand; -1: nobody runs out
    live: NDArray[np.int64]  # [seats] forced chips that count towards a call
    dead: NDArray[np.int64]  # [seats] forced chips that do not
    blinds: NDArray[np.int8]  # [seats] 1 small blind, 2 big blind
    opening: NDArray[np.int64]  # [hands] total to call at first, where that is more than anybody put in


@dataclass(frozen=True)
class Walked:
    """The decisions of hands in the order they were made."""

    decisions: Rows  # DECISION
    owner: NDArray[np.int64]  # [decisions] row of the seat that decided
    amounts: NDArray[np.int64]  # [decisions, 5] its columns are `TO_CALL` and so on


TO_CALL, POT, LEFT, SPENT, BEHIND = range(5)
"""Columns of `Walked.amounts`, before the action. The first four are chips: what is to be called, the pot,
what is left in front of the seat (-1: nobody runs out), what the seat has put in towards a call. The last one
counts the seats that act after this one in the round unless somebody raises.
"""


def begun_of(hands: Sequence[Hand]) -> Begun:
    """Hands of files as numbers; a hand whose betting does not fit its actions is refused."""
    count = len(hands)
    sizes = np.fromiter((len(hand.players) for hand in hands), np.int64, count)
    lengths = np.fromiter((len(hand.actions) for hand in hands), np.int64, count)
    total, acts = int(sizes.sum()), int(lengths.sum())
    first_seat, first_act = starts(sizes), starts(lengths)
    pairs = np.fromiter(
        chain.from_iterable(chain.from_iterable(h.actions for h in hands)), np.int64, 2 * acts
    )
    stacks = np.fromiter(
        chain.from_iterable(h.stacks or (-1,) * len(h.players) for h in hands), np.int64, total
    )
    live, dead, blinds, opening = _forced(hands, first_seat, total)
    ends = [round_ends(hand.betting, len(hand.actions), hand.id) for hand in hands]
    rounds = np.array(ends, np.int64).reshape(count, _ROUNDS)
    sheets, sheet = _sheets(hands)
    done = pairs.reshape(acts, 2)
    return Begun(first_seat, first_act, done, rounds, sheet, sheets, stacks, live, dead, blinds, opening)


def walk_hands(begun: Begun, seats: Rows | None = None) -> Walked:
    """Go through hands. ``seats``, if given, are rows of `SEAT`, which get what the walk tells of them."""
    acts = len(begun.acts)
    decisions, owner = np.zeros(acts, DECISION), np.zeros(acts, np.int64)
    amounts = np.zeros((acts, 5), np.int64)
    fill_facts(
        begun.first_seat,
        begun.first_act,
        begun.acts,
        begun.rounds,
        begun.sheet,
        begun.sheets,
        begun.stacks,
        begun.live,
        begun.dead,
        begun.blinds,
        begun.opening,
        np.zeros(begun.stacks.size, SEAT) if seats is None else seats,
        decisions,
        owner,
        amounts,
    )
    return Walked(decisions, owner, amounts)


def facts_of(hands: Sequence[Hand], numbers: Sequence[int] = (), kinds: Sequence[int] = ()) -> Facts:
    """The facts of hands: the seats of each in order, hand by hand.

    ``numbers`` and ``kinds`` are what the store calls each hand, and its game and stakes. A hand whose
    betting does not fit its actions is refused.
    """
    count = len(hands)
    begun = begun_of(hands)
    sizes = np.diff(begun.first_seat)
    seats = np.zeros(begun.stacks.size, SEAT)
    each = np.repeat(np.arange(count), sizes)
    big = np.fromiter((hand.stakes.big_blind for hand in hands), np.int64, count)
    seats["won"] = np.fromiter(chain.from_iterable(hand.payoffs for hand in hands), np.int64, seats.size)
    seats["hand"] = np.asarray(numbers or np.arange(count), np.int64)[each]
    seats["kind"] = np.asarray(kinds or np.zeros(count), np.int64)[each]
    seats["time"] = np.fromiter((seconds_of(hand) for hand in hands), np.int64, count)[each]
    seats["big_blind"] = big[each]
    seats["players"] = sizes[each]
    seats["stack"] = np.where(begun.stacks < 0, np.nan, begun.stacks / np.maximum(big[each], 1))
    seats["showdown"] = np.fromiter((hand.showdown for hand in hands), np.bool_, count)[each]
    walked = walk_hands(begun, seats)
    return Facts(seats, walked.decisions[np.argsort(walked.owner, kind="stable")])


def seconds_of(hand: Hand) -> int:
    """When the hand was played, in seconds since 1970; a time without a zone is taken for UTC."""
    if hand.time is None:
        return NO_TIME
    time = hand.time if hand.time.tzinfo is not None else hand.time.replace(tzinfo=UTC)
    return int(time.timestamp())


_ROUNDS = 4
_FIXED = re.compile(r"limit ([0-9-]+)")
_CAPS = re.compile(r" by ([0-9-]+)")


@lru_cache(maxsize=1024)
def sheet_of(variant: str) -> tuple[int, ...]:
    """Raise size of each round (0: no-limit), then how many raises each allows."""
    fixed = None if "no-limit" in variant else _FIXED.search(variant)
    caps = _CAPS.search(variant)
    sizes = [int(size) for size in fixed[1].split("-")] if fixed else []
    most = [int(cap) for cap in caps[1].split("-")] if caps else []
    if len(sizes) > _ROUNDS or len(most) > _ROUNDS:
        raise SoulreadError(f"a hand of {variant!r} has more than {_ROUNDS} rounds")
    return (*sizes, *[0] * (_ROUNDS - len(sizes)), *most, *[_MANY] * (_ROUNDS - len(most)))


_MANY = 2**31


def _sheets(hands: Sequence[Hand]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different betting rules of hands, and the number of each hand's."""
    found: dict[str, int] = {}
    which = np.fromiter((found.setdefault(hand.variant, len(found)) for hand in hands), np.int64, len(hands))
    sheets = np.array([sheet_of(variant) for variant in found], np.int64)
    return sheets.reshape(len(found), 2 * _ROUNDS), which


def starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several parts begins, and after them all where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _forced(
    hands: Sequence[Hand], first_seat: NDArray[np.int64], total: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8], NDArray[np.int64]]:
    """Per seat: forced chips that count towards a call, those that do not, and which blind it posted.

    Per hand: the total to call at first, where that is more than anybody put in; else 0.
    """
    live, dead, blinds, opening = [0] * total, [0] * total, [0] * total, [0] * len(hands)
    for number, (hand, first) in enumerate(zip(hands, first_seat.tolist(), strict=False)):
        largest = 0
        antes: dict[int, int] = {}
        for post in hand.posts:
            seat, kind, amount = first + post.seat, post.kind, post.amount
            if kind is ForcedBet.DEAD_BLIND:
                dead[seat] += amount
                continue
            if kind is ForcedBet.ANTE:
                antes[seat] = antes.get(seat, 0) + amount
                continue
            live[seat] += amount
            largest = max(largest, live[seat])
            if kind is ForcedBet.BIG_BLIND:
                blinds[seat] = 2
            elif kind is ForcedBet.SMALL_BLIND:
                blinds[seat] = 1
        if antes:
            counts = live if _alike(hand, antes, first) else dead
            for seat, amount in antes.items():
                counts[seat] += amount
        if largest < hand.stakes.big_blind and hand.stacks is not None and "best_hand" in hand.variant:
            with suppress(SoulreadError):  # not a table of ours: the most that was put in is to be called
                opening[number] = game_of(hand).rules.opening
    return np.array(live, np.int64), np.array(dead, np.int64), np.array(blinds, np.int8), np.array(opening)


def _alike(hand: Hand, antes: dict[int, int], first: int) -> bool:
    """Whether everybody paid the same ante, or all they had; other antes are dead chips."""
    most = max(antes.values())
    stacks = hand.stacks or (most,) * len(hand.players)
    return all(antes.get(first + seat, 0) in (most, stack) for seat, stack in enumerate(stacks))


def round_ends(betting: str, actions: int, hand: str = "") -> list[int]:
    """How many actions there were up to the end of each round; the last round's number is that of all.

    Rounds that were not reached have -1. ``actions`` is how many there must be; ``hand`` names it in errors.
    """
    ends, count = [], 0
    for part in betting.encode().translate(None, b"0123456789").split(b"/"):
        count += len(part)
        ends.append(count)
    if count != actions or len(ends) > _ROUNDS:
        raise SoulreadError(f"hand {hand!r}: the betting {betting!r} does not fit its actions")
    return ends + [-1] * (_ROUNDS - len(ends))


@kernel
def fill_facts(
    first_seat: NDArray[np.int64],
    first_act: NDArray[np.int64],
    acts: NDArray[np.int64],
    rounds: NDArray[np.int64],
    sheet: NDArray[np.int64],
    sheets: NDArray[np.int64],
    stacks: NDArray[np.int64],
    live: NDArray[np.int64],
    dead: NDArray[np.int64],
    blinds: NDArray[np.int8],
    opening: NDArray[np.int64],
    seats: Rows,
    decisions: Rows,
    owner: NDArray[np.int64],
    amounts: NDArray[np.int64],
) -> None:
    """Walk the hands; ``owner`` gets the row of the seat that made each decision; see also `Walked`."""
    for h in range(first_seat.size - 1):
        begin, n = first_seat[h], first_seat[h + 1] - first_seat[h]
        spent = live[begin : begin + n].copy()
        unlimited = n > 0 and stacks[begin] < 0
        stack = stacks[begin : begin + n] - dead[begin : begin + n]
        folded = np.zeros(n, np.bool_)
        position = _positions(blinds[begin : begin + n])
        aggressor, raiser = -1, -1
        act, active, last_round = first_act[h], n, 0
        moved = np.zeros(n, np.bool_)  # since the last raise, full or not
        dead_pot = dead[begin : begin + n].sum()
        for r in range(_ROUNDS):
            if rounds[h, r] < 0:
                break
            last_round = r
            size, cap = sheets[sheet[h], r], sheets[sheet[h], _ROUNDS + r]
            aggressor, raiser = raiser, -1
            raises, callers, limpers, last_raise, short = 0, 0, 0, 0, 0
            opener, continued = NOBODY, False
            acted = np.zeros(n, np.bool_)  # since the last full raise
            begun = np.zeros(n, np.bool_)  # in this round
            own_raise = np.zeros(n, np.uint8)
            own_calls = np.zeros(n, np.uint8)
            checked = np.zeros(n, np.bool_)
            moved[:] = False
            while act < first_act[h] + rounds[h, r]:
                seat, action = acts[act, 0], acts[act, 1]
                top = max(spent.max(), opening[h]) if r == 0 else spent.max()
                may = raises < cap
                if may and not unlimited:
                    others = False
                    for s in range(n):
                        others |= s != seat and not folded[s] and stack[s] > top
                    may = (
                        others
                        and stack[seat] > top
                        and top - spent[seat] >= last_raise
                        and not (0 < short < last_raise and acted[seat])
                    )
                facing = spent[seat] < top
                row = decisions[act]
                row["round"] = r
                row["facing"] = facing
                row["can_raise"] = may
                row["raises"] = min(raises, 255)
                row["callers"] = min(callers, 255)
                row["limpers"] = min(limpers, 255)
                row["opener"] = opener
                row["own_raise"] = own_raise[seat]
                row["own_calls"] = own_calls[seat]
                row["checked"] = checked[seat]
                row["aggressor"] = NO_AGGRESSOR if aggressor < 0 else OWN if aggressor == seat else OTHER
                row["waiting"] = (
                    aggressor >= 0
                    and aggressor != seat
                    and not folded[aggressor]
                    and not begun[aggressor]
                    and (unlimited or spent[aggressor] < stack[aggressor])
                )
                row["continued"] = continued
                row["active"] = active
                owner[act] = begin + seat
                left = -1 if unlimited else max(stack[seat] - spent[seat], 0)
                owed = max(top - spent[seat], 0)
                amounts[act, TO_CALL] = owed if unlimited else min(owed, left)
                amounts[act, POT] = spent.sum() + dead_pot
                amounts[act, LEFT] = left
                amounts[act, SPENT] = spent[seat]
                behind = 0
                for s in range(n):
                    can = s != seat and not folded[s] and not moved[s]
                    behind += can and (unlimited or spent[s] < stack[s])
                amounts[act, BEHIND] = behind
                seats[begin + seat]["decisions"] += 1
                if action == 0:
                    row["action"] = FOLDED
                    folded[seat] = True
                    active -= 1
                    seats[begin + seat]["last_round"] = r
                    seats[begin + seat]["showdown"] = False
                elif action == 1:
                    row["action"] = CALLED if facing else CHECKED
                    if facing:
                        spent[seat] = top if unlimited else min(top, stack[seat])
                        callers += 1
                        limpers += raises == 0
                        own_calls[seat] = min(own_calls[seat] + 1, 255)
                    else:
                        checked[seat] = True
                else:
                    row["action"] = RAISED
                    total = action
                    if size > 0:
                        total = top + max(last_raise, size)
                        if not unlimited:
                            total = min(total, stack[seat])
                    step = total - top
                    if step >= last_raise:
                        last_raise = step
                        acted[:] = False
                    short = short + step if not unlimited and total == stack[seat] else 0
                    if short >= last_raise:
                        short = 0
                    if raises == 0:
                        opener = position[seat]
                        continued = seat == aggressor
                    raises += 1
                    moved[:] = False
                    callers = 0
                    raiser = seat
                    own_raise[seat] = min(raises, 255)
                    spent[seat] = total
                acted[seat] = True
                moved[seat] = True
                begun[seat] = True
                act += 1
        _finish(begin, n, last_round, spent, dead, folded, position, seats)


@kernel
def _finish(
    begin: int,
    n: int,
    last_round: int,
    spent: NDArray[np.int64],
    dead: NDArray[np.int64],
    folded: NDArray[np.bool_],
    position: NDArray[np.uint8],
    seats: Rows,
) -> None:
    """What is known of each seat when the hand is over. Chips that nobody matched were never in a pot."""
    ordered = np.sort(spent)
    called = ordered[n - 2] if n > 1 else ordered[0]
    for s in range(n):
        row = seats[begin + s]
        row["position"] = position[s]
        if not folded[s]:
            row["last_round"] = last_round
        paid = min(spent[s], called) + dead[begin + s]
        row["collected"] = not folded[s] and row["won"] + paid > 0


@kernel
def _positions(blinds: NDArray[np.int8]) -> NDArray[np.uint8]:
    """The position of each seat; ``blinds`` has 1 for a small blind and 2 for a big one.

    Who posts besides the first two seats has just sat down and is no blind.
    """
    n = blinds.size
    position = np.zeros(n, np.uint8)
    if n == 2:
        big = 1 if blinds[1] == 2 and blinds[0] != 2 else 0
        position[big] = BIG_BLIND
        position[1 - big] = BUTTON
        return position
    for s in range(n):
        from_button = n - 1 - s
        position[s] = BUTTON - from_button if from_button <= 3 else EARLY
    for s in range(min(n, 2)):
        if blinds[s] == 2:
            position[s] = BIG_BLIND
            break
        if blinds[s] == 1:
            position[s] = SMALL_BLIND
    return position
