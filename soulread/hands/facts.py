"""Facts: every decision of many hands, as columns of numbers.

Statistics are counted over these columns (`soulread.hands.statistics`), and the store keeps them for every
player (`soulread.hands.store`), so that a hand is walked once: when it comes in. No card is looked at.

There are two tables. One has a row for each seat of each hand (`SEAT`). The other has a row for each decision
(`DECISION`), those of one seat of one hand together, in order. ``decisions`` of a seat says how many are its.

A *raise* is a bet or a raise. Blinds and straddles are none: before the flop the first raise is the open, the
second the 3-bet. The *aggressor* of a round is the seat that raised last in the round just before it.

The *size* of a raise before the flop is the total raised to, antes not counted, in hundredths of a big blind.
After the flop it is the chips beyond a call, in percent of the pot after the call. Both are rounded, are at
least 1, and at most `MAX_SIZE`.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.errors import SoulreadError
from soulread.games import walk
from soulread.games.poker import CALL, FOLD
from soulread.games.walk import MAX_ROUNDS, UNLIMITED, Walk
from soulread.hands.hand import ForcedBet, Hand
from soulread.hands.referee import game_of
from soulread.kernel import kernel

FORMAT = 3  # of the columns; grows when one is added or means something else

NO_TIME = -(2**63)
NOBODY = 255

POSITIONS = ("SB", "BB", "EP", "LJ", "HJ", "CO", "BTN")
"""Positions by number. EP is everybody further from the button than LJ. Heads-up the dealer is BTN."""
NUM_POSITIONS = len(POSITIONS)
SMALL_BLIND, BIG_BLIND, EARLY, LOJACK, HIJACK, CUTOFF, BUTTON = range(NUM_POSITIONS)

FOLDED, CHECKED, CALLED, RAISED = range(4)
NO_AGGRESSOR, OWN, OTHER = range(3)
WALK, LIMPED, SINGLE_RAISED, THREE_BET, FOUR_BET = range(5)
NO_FLOP, OUT_OF_POSITION, IN_POSITION = range(3)
MAX_SIZE = 2**16 - 1
_HUNDRED = 100

SEAT = np.dtype(
    [
        ("hand", "<i8"),  # number of the hand in its store
        ("time", "<i8"),  # seconds since 1970, or NO_TIME
        ("won", "<i8"),  # net chips
        ("pot", "<i8"),  # chips of the whole hand: see `pot_of`
        ("kind", "<i4"),  # number of game and stakes in the store
        ("stack", "<f4"),  # before the hand, in big blinds; NaN where nobody runs out
        ("big_blind", "<i4"),  # chips
        ("decisions", "<u2"),
        ("players", "u1"),
        ("position", "u1"),
        ("last_round", "u1"),  # the last round of which the seat saw the cards; 0 is before the flop
        ("showdown", "?"),  # the seat came to the showdown
        ("collected", "?"),  # some part of a pot
        ("pot_kind", "u1"),  # by the raises before the flop: WALK (nor a call) to FOUR_BET (or more)
        ("flop_place", "u1"),  # NO_FLOP, or whether the seat acts last of all that saw it, all-in or not
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
        ("size", "<u2"),  # of the bet or raise, see above; 0 for other actions
        ("faced", "<u2"),  # the size of the last raise of this round, if the seat must call it; else 0
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


def is_sound(facts: Facts, hands: int, kinds: int) -> bool:
    """Whether rows can be those of hands numbered up to ``hands``, of ``kinds`` kinds of games."""
    return bool(_is_sound(facts.seats, facts.decisions, hands, kinds))


@kernel
def _is_sound(seats: Rows, decisions: Rows, hands: int, kinds: int) -> bool:
    made = 0
    for i in range(seats.size):
        row = seats[i]
        made += row["decisions"]
        if (
            row["hand"] < 1
            or row["hand"] > hands
            or row["kind"] < 1
            or row["kind"] > kinds
            or row["big_blind"] < 1
            or row["position"] >= NUM_POSITIONS
            or row["players"] > MAX_PLAYERS
            or row["last_round"] >= MAX_ROUNDS
            or row["pot_kind"] > FOUR_BET
            or (row["flop_place"] == NO_FLOP) != (row["last_round"] == 0)
            or row["flop_place"] > IN_POSITION
        ):
            return False
    for i in range(decisions.size):
        one = decisions[i]
        if (
            one["round"] >= MAX_ROUNDS
            or one["action"] > RAISED
            or (one["size"] > 0) != (one["action"] == RAISED)
            or (one["faced"] > 0) != (one["facing"] and one["raises"] > 0)
        ):
            return False
    return made == decisions.size


def _ranges(first: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """``first[i]``, ``first[i] + 1``, ... ``counts[i]`` numbers of each, one after another."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if ends.size else 0
    return np.asarray(np.arange(total) + np.repeat(first - (ends - counts), counts))


@dataclass(frozen=True)
class StartedHands:
    """Hands as numbers: how each began, and what everybody did.

    Hands of files (`started_hands`) and hands in play (`soulread.model.predict.features`) are both written
    so.
    """

    walks: NDArray[np.int64]  # [hands, walk.LENGTH] before `soulread.games.walk.begin`
    first_act: NDArray[np.int64]  # [hands + 1] where the actions of each hand begin
    acts: NDArray[np.int64]  # [actions, 3] seat, action and round

    @property
    def hand(self) -> NDArray[np.int64]:
        """``[actions]`` the number of each action's hand."""
        return np.repeat(np.arange(len(self.walks)), np.diff(self.first_act))


@dataclass(frozen=True)
class Posted:
    """The seats of hands, and what their facts need besides."""

    first_seat: NDArray[np.int64]  # [hands + 1] where the seats of each hand begin
    last_round: NDArray[np.int64]  # [hands] the last round that was dealt
    ante: NDArray[np.int64]  # [hands] forced chips of everybody that count towards a call, but are no blind
    dead: NDArray[np.int64]  # [seats] forced chips that do not count towards a call
    blinds: NDArray[np.int8]  # [seats] 1 small blind, 2 big blind


def started_hands(hands: Sequence[Hand]) -> tuple[StartedHands, Posted]:
    """Hands of files as numbers; a hand whose betting does not fit its actions is refused."""
    count = len(hands)
    sizes = np.fromiter((len(hand.players) for hand in hands), np.int64, count)
    lengths = np.fromiter((len(hand.actions) for hand in hands), np.int64, count)
    if sizes.max(initial=0) > MAX_PLAYERS:
        raise SoulreadError(f"a hand of {sizes.max()} players; at most {MAX_PLAYERS} sit at a table")
    total, actions = int(sizes.sum()), int(lengths.sum())
    first_seat = starts(sizes)
    live, dead, blinds, opening, ante = _forced(hands, first_seat, total)
    ends = [round_ends(hand.betting, len(hand.actions), hand.id) for hand in hands]
    rounds = np.array(ends, np.int64).reshape(count, MAX_ROUNDS)
    acts = np.empty((actions, 3), np.int64)
    pairs = chain.from_iterable(chain.from_iterable(hand.actions for hand in hands))
    acts[:, :2] = np.fromiter(pairs, np.int64, 2 * actions).reshape(actions, 2)
    acts[:, 2] = rounds_of(rounds)
    each = chain.from_iterable(hand.stacks or (-1,) * len(hand.players) for hand in hands)
    stacks = np.fromiter(each, np.int64, total)
    seated = np.arange(MAX_PLAYERS) < sizes[:, None]
    walks = np.zeros((count, walk.LENGTH), np.int64)
    walks[:, walk.SEATS] = sizes
    walks[:, walk.HIGH] = opening
    walks[:, walk.BIG_BLIND] = np.fromiter((hand.stakes.big_blind for hand in hands), np.int64, count)
    walks[:, walk.SIZE :] = _sheets(hands)
    walks[:, walk.SPENT : walk.STACK][seated] = live
    walks[:, walk.STACK : walk.OWN_RAISE][seated] = np.where(stacks < 0, UNLIMITED, stacks - dead)
    walks[:, walk.DEAD] = np.diff(starts(dead)[first_seat])
    last_round = (rounds >= 0).sum(axis=1) - 1
    return StartedHands(walks, starts(lengths), acts), Posted(first_seat, last_round, ante, dead, blinds)


def walk_seats(begun: StartedHands, posted: Posted, seats: Rows) -> Facts:
    """Go through hands, whose ``seats`` are rows of `SEAT`: they get what the walk tells of them."""
    decisions = np.zeros(len(begun.acts), DECISION)
    first_seat = posted.first_seat
    fill_facts(
        begun.walks,
        begun.first_act,
        begun.acts,
        first_seat,
        posted.last_round,
        posted.ante,
        posted.dead,
        posted.blinds,
        seats,
        decisions,
    )
    owner = first_seat[begun.hand] + begun.acts[:, 0]
    return Facts(seats, decisions[np.argsort(owner, kind="stable")])


def facts_of(hands: Sequence[Hand], numbers: Sequence[int] = (), kinds: Sequence[int] = ()) -> Facts:
    """The facts of hands: the seats of each in order, hand by hand.

    ``numbers`` and ``kinds`` are what the store calls each hand, and its game and stakes. A hand whose
    betting does not fit its actions is refused.
    """
    count = len(hands)
    begun, posted = started_hands(hands)
    sizes = np.diff(posted.first_seat)
    seats = np.zeros(int(sizes.sum()), SEAT)
    each = np.repeat(np.arange(count), sizes)
    seats["won"] = np.fromiter(chain.from_iterable(hand.payoffs for hand in hands), np.int64, seats.size)
    added = np.fromiter((max(0, -hand.rake) for hand in hands), np.int64, count)
    seats["pot"] = added[each]  # by the house; what the seats put in comes on top
    seats["hand"] = np.asarray(numbers or np.arange(count), np.int64)[each]
    seats["kind"] = np.asarray(kinds or np.zeros(count), np.int64)[each]
    seats["time"] = np.fromiter((seconds_of(hand) for hand in hands), np.int64, count)[each]
    seats["showdown"] = np.fromiter((hand.showdown for hand in hands), np.bool_, count)[each]
    return walk_seats(begun, posted, seats)


def pot_of(hand: Hand) -> int:
    """The pot of a hand in chips: all that was put in and not given back uncalled.

    Antes, blinds and dead blinds are in it, and so is the rake that was taken from it later.
    """
    return int(facts_of([hand]).seats["pot"][0])


def seconds_of(hand: Hand) -> int:
    """When the hand was played, in seconds since 1970; a time without a zone is taken for UTC."""
    return NO_TIME if hand.time is None else seconds_of_time(hand.time)


def seconds_of_time(time: datetime) -> int:
    """A time in seconds since 1970; one without a zone is taken for UTC."""
    return int((time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp())


_FIXED = re.compile(r"limit ([0-9-]+)")
_CAPS = re.compile(r" by ([0-9-]+)")


@lru_cache(maxsize=1024)
def _sheet_of(variant: str) -> tuple[int, ...]:
    """Raise size of each round (0: no-limit), then how many raises each allows."""
    fixed = None if "no-limit" in variant else _FIXED.search(variant)
    caps = _CAPS.search(variant)
    sizes = [int(size) for size in fixed[1].split("-")] if fixed else []
    most = [int(cap) for cap in caps[1].split("-")] if caps else []
    if len(sizes) > MAX_ROUNDS or len(most) > MAX_ROUNDS:
        raise SoulreadError(f"a hand of {variant!r} has more than {MAX_ROUNDS} rounds")
    return (*sizes, *[0] * (MAX_ROUNDS - len(sizes)), *most, *[UNLIMITED] * (MAX_ROUNDS - len(most)))


def _sheets(hands: Sequence[Hand]) -> NDArray[np.int64]:
    """``[hands, 8]`` the betting rules of each hand."""
    found: dict[str, int] = {}
    which = np.fromiter((found.setdefault(hand.variant, len(found)) for hand in hands), np.int64, len(hands))
    sheets = np.array([_sheet_of(variant) for variant in found], np.int64)
    rows: NDArray[np.int64] = sheets.reshape(len(found), 2 * MAX_ROUNDS)[which]
    return rows


def starts(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each of several parts begins, and after them all where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _forced(
    hands: Sequence[Hand], first_seat: NDArray[np.int64], total: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int8], NDArray[np.int64], NDArray[np.int64]]:
    """Per seat: forced chips that count towards a call, those that do not, and which blind it posted.

    Per hand: the total to call at first, where that is more than anybody put in, else 0; and the ante in the
    chips that count towards a call.
    """
    live, dead, blinds, opening = [0] * total, [0] * total, [0] * total, [0] * len(hands)
    ante = [0] * len(hands)
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
            alike = _alike(hand, antes, first)
            counts = live if alike else dead
            ante[number] = max(antes.values()) if alike else 0
            for seat, amount in antes.items():
                counts[seat] += amount
        if largest < hand.stakes.big_blind and hand.stacks is not None and "best_hand" in hand.variant:
            with suppress(SoulreadError):  # not a table of ours: the most that was put in is to be called
                opening[number] = game_of(hand).rules.opening
    per_seat = np.array(live, np.int64), np.array(dead, np.int64), np.array(blinds, np.int8)
    return *per_seat, np.array(opening, np.int64), np.array(ante, np.int64)


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
    if count != actions or len(ends) > MAX_ROUNDS:
        raise SoulreadError(f"hand {hand!r}: the betting {betting!r} does not fit its actions")
    return ends + [-1] * (MAX_ROUNDS - len(ends))


def rounds_of(ends: NDArray[np.int64]) -> NDArray[np.int64]:
    """``[actions]`` the round of each action of hands, whose `round_ends` are ``[hands, 4]``."""
    counts = np.diff(np.maximum.accumulate(ends, axis=1), axis=1, prepend=0)
    return np.repeat(np.tile(np.arange(MAX_ROUNDS), len(ends)), counts.ravel())


@kernel
def fill_facts(
    walks: NDArray[np.int64],
    first_act: NDArray[np.int64],
    acts: NDArray[np.int64],
    first_seat: NDArray[np.int64],
    last_round: NDArray[np.int64],
    ante: NDArray[np.int64],
    dead: NDArray[np.int64],
    blinds: NDArray[np.int8],
    seats: Rows,
    decisions: Rows,
) -> None:
    """Walk the hands, and write a row for each decision; ``seats`` get what is known when a hand is over."""
    w = np.zeros(walk.LENGTH, np.int64)
    own_calls = np.zeros(MAX_PLAYERS, np.uint8)
    for h in range(walks.shape[0]):
        begin, end = first_seat[h], first_seat[h + 1]
        position = _positions(blinds[begin:end])
        w[:] = walks[h]
        walk.begin(w)
        round, standing, entered, raised = -1, 0, False, 0
        for act in range(first_act[h], first_act[h + 1]):
            seat, action = acts[act, 0], acts[act, 1]
            if acts[act, 2] != round:
                round = acts[act, 2]
                own_calls[:] = 0
                standing = 0
            walk.come_to(w, round, seat)
            facing = w[walk.SPENT + seat] < w[walk.HIGH]
            opener, leader = w[walk.OPENER], w[walk.LEADER]
            row = decisions[act]
            row["round"] = round
            row["facing"] = facing
            row["can_raise"] = walk.may_raise(w)
            row["raises"] = min(w[walk.RAISES], 255)
            row["callers"] = min(w[walk.CALLS], 255)
            row["limpers"] = min(w[walk.LIMPS], 255)
            row["opener"] = NOBODY if opener < 0 else position[opener]
            row["own_raise"] = min(w[walk.OWN_RAISE + seat], 255)
            row["own_calls"] = own_calls[seat]
            row["checked"] = w[walk.CHECKED] >> seat & 1
            row["aggressor"] = NO_AGGRESSOR if leader == 0 else OWN if leader >> seat & 1 else OTHER
            row["waiting"] = walk.leader_waits(w)
            row["continued"] = walk.is_continued(w)
            row["active"] = walk.num_seats(w[walk.IN])
            row["faced"] = standing if facing else 0
            seats[begin + seat]["decisions"] += 1
            if action == FOLD:
                row["action"] = FOLDED
                seats[begin + seat]["last_round"] = round
                seats[begin + seat]["showdown"] = False
            elif action == CALL:
                row["action"] = CALLED if facing else CHECKED
                own_calls[seat] += facing and own_calls[seat] < 255
                entered |= facing and round == 0
            else:
                row["action"] = RAISED
                standing = _size(w, walk.raise_total(w, action), ante[h])
                row["size"] = standing
                raised += round == 0
            walk.act(w, action)
        pot_kind = WALK if raised == 0 and not entered else min(LIMPED + raised, FOUR_BET)
        _finish(w, last_round[h], pot_kind, dead[begin:end], position, seats[begin:end])


@kernel
def _size(w: Walk, total: int, ante: int) -> int:
    """The size of the raise that the seat to act makes to a total."""
    if w[walk.ROUND] == 0:
        part, whole = total - ante, max(w[walk.BIG_BLIND], 1)
    else:
        part = total - w[walk.HIGH]
        whole = max(walk.pot_of(w) + w[walk.HIGH] - w[walk.SPENT + w[walk.ACTOR]], 1)
    return int(min(max((2 * _HUNDRED * part + whole) // (2 * whole), 1), MAX_SIZE))


@kernel
def _finish(
    w: Walk,
    last_round: int,
    pot_kind: int,
    dead: NDArray[np.int64],
    position: NDArray[np.uint8],
    seats: Rows,
) -> None:
    """Fill the facts of each seat when the hand is over. Chips that nobody matched were never in a pot."""
    called, big = walk.most_called(w), w[walk.BIG_BLIND]
    pot = w[walk.DEAD]
    for s in range(w[walk.SEATS]):
        pot += min(w[walk.SPENT + s], called)
    for s in range(w[walk.SEATS]):
        row, stack = seats[s], w[walk.STACK + s]
        row["stack"] = np.nan if stack == UNLIMITED else (stack + dead[s]) / max(big, 1)
        row["pot"] += pot
        row["big_blind"] = big
        row["players"] = w[walk.SEATS]
        row["position"] = position[s]
        row["pot_kind"] = pot_kind
        if w[walk.IN] >> s & 1:
            row["last_round"] = last_round
            row["collected"] = row["won"] + min(w[walk.SPENT + s], called) + dead[s] > 0
    place = IN_POSITION
    for s in range(w[walk.SEATS] - 1, -1, -1):  # seat 0 is the first after the button
        if seats[s]["last_round"] > 0:
            seats[s]["flop_place"] = place
            place = OUT_OF_POSITION


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
