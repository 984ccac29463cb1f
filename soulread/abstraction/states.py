"""Private states: groups of a player's holdings that the abstraction does not tell apart.

Each round divides the holdings of every state of the round before into ``branching[r]`` buckets. A private
state of round r is thus a sequence of buckets (b_0, ..., b_r), and its number is

    s_r = s_(r-1) * branching[r] + b_r.

A private state names the buckets of all rounds so far, so a player never forgets one (perfect recall). Higher
buckets hold stronger holdings. Holdings with equal features stay together, so a bucket may be empty. The
state of an empty bucket is never reached.

All kinds of abstraction share one look-up. For hole cards and flops a table holds the states. For turns a
table holds the buckets by canonical board, hand and position of the turn card. River buckets are cut from the
river strength: b_3 is the number of cuts of the turn state that the strength reaches. Thus no table over
river boards in all their orders is needed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import hand_of, verify_card_rows
from soulread.cards.deck import card_name, cards_name, verify_distinct
from soulread.cards.isomorphism import (
    NUM_FLOPS,
    NUM_RIVERS,
    NUM_TURNS,
    BoardLookup,
    Places,
    entry_index,
    entry_renaming,
    find_board,
    flop_entry,
    turn_entry,
    turn_position,
)
from soulread.cards.ranges import NUM_HANDS
from soulread.errors import ParseError, ShapeError
from soulread.kernel import kernel

NUM_ROUNDS = 4
BOARD_CARDS = (0, 3, 4, 5)  # number of board cards in each round
KINDS = ("hs2", "hs", "potential")
MAX_STATES = 65_535
MAX_BUCKETS = 255

NO_BUCKET = 255


@dataclass(frozen=True)
class AbstractionSpec:
    """The feature that divides holdings, and the number of buckets per round: see `parse_abstraction`.

    With ``flop_classes`` K > 1 the flops themselves are divided too: K classes that both players see. The
    flop's branching counts classes times buckets, and its bucket number is class * buckets + strength.
    """

    kind: str
    branching: tuple[int, int, int, int]
    flop_classes: int = 1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ParseError(f"{self.kind!r} is not a kind of abstraction; expected {', '.join(KINDS)}")
        if len(self.branching) != NUM_ROUNDS or not all(1 <= b <= MAX_BUCKETS for b in self.branching):
            raise ParseError(
                f"branching {self.branching!r}; expected a number of buckets from 1 to {MAX_BUCKETS} "
                "for each of preflop, flop, turn and river"
            )
        if self.flop_classes < 1 or self.branching[1] % self.flop_classes:
            raise ParseError(
                f"{self.branching[1]} buckets on the flop cannot be {self.flop_classes} classes of flops "
                "with equally many buckets each"
            )
        if self.flop_classes > 1 and self.kind == "potential":
            raise ParseError("classes of flops go with 'hs' and 'hs2', not with 'potential'")
        if prod(self.branching) > MAX_STATES:
            raise ParseError(
                f"{self} has {prod(self.branching)} private states on the river; at most {MAX_STATES} work"
            )

    def __str__(self) -> str:
        """The text that `parse_abstraction` turns into this."""
        preflop, flop, turn, river = map(str, self.branching)
        if self.flop_classes > 1:
            flop = f"{self.flop_classes}x{self.branching[1] // self.flop_classes}"
        numbers = "-".join((preflop, flop, turn, river))
        return numbers if self.kind == "hs2" else f"{self.kind}:{numbers}"

    @property
    def num_states(self) -> tuple[int, int, int, int]:
        """S_r, the number of private states of each round."""
        a, b, c, d = self.branching
        return a, a * b, a * b * c, a * b * c * d


def parse_abstraction(text: str) -> AbstractionSpec:
    """``"5-5-5-5"``: five buckets of E[HS^2] before the flop, each divided into five on the flop, and so on.

    ``"hs:5-5-5-5"`` divides by E[HS], ``"potential:5-5-5-5"`` clusters by how strength develops. In
    ``"8-6x4-3-3"`` there are six classes of flops, which both players see, with four buckets in each.
    """
    match = re.fullmatch(r"(?:(\w+):)?(\d+)-(?:(\d+)x)?(\d+)-(\d+)-(\d+)", text.strip().lower())
    if not match:
        raise ParseError(
            f"{text!r} is not an abstraction; write buckets for preflop, flop, turn and river, such as "
            f"'5-5-5-5' or 'hs:8-12-4-4', after one of {', '.join(f'{kind}:' for kind in KINDS)} if not hs2"
        )
    kind, preflop, classes, flop, turn, river = match.groups()
    several = int(classes or 1)
    branching = int(preflop), several * int(flop), int(turn), int(river)
    return AbstractionSpec(kind or "hs2", branching, several)


class StateTables(NamedTuple):
    """Tables for the look-up kernels. A hand with a board card has state 65535 and bucket `NO_BUCKET`."""

    boards: BoardLookup
    hole_state: NDArray[np.uint16]  # [1326]
    flop_state: NDArray[np.uint16]  # [1755, 1326]
    turn_bucket: NDArray[np.uint8]  # [16432, 1326, 4], the last index being the position of the turn card
    river_strength: NDArray[np.uint16]  # [134459, 1326] in 1/1980
    river_cuts: NDArray[np.uint16]  # [S_2, branching[3] - 1] ascending
    branching: NDArray[np.int64]  # [4]


@dataclass(frozen=True, eq=False)
class Abstraction:
    """A division of all holdings into private states, and how to find the state of real cards."""

    spec: AbstractionSpec
    tables: StateTables
    checksum: str = ""  # of everything the abstraction was made from

    def __post_init__(self) -> None:
        t, states = self.tables, self.spec.num_states
        shapes = {
            "hole_state": (NUM_HANDS,),
            "flop_state": (NUM_FLOPS, NUM_HANDS),
            "turn_bucket": (NUM_TURNS, NUM_HANDS, 4),
            "river_strength": (NUM_RIVERS, NUM_HANDS),
            "river_cuts": (states[2], self.spec.branching[3] - 1),
        }
        for name, shape in shapes.items():
            if getattr(t, name).shape != shape:
                raise ShapeError(
                    f"{name} has shape {getattr(t, name).shape}; abstraction {self.spec} needs {shape}"
                )
        # All arrays become read-only. Numba compiles a kernel apart for read-only and for other arrays.
        for array in (*t.boards, *t[1:]):
            array.flags.writeable = False

    @property
    def branching(self) -> tuple[int, int, int, int]:
        """Number of buckets that each round divides a state of the round before into."""
        return self.spec.branching

    @property
    def num_states(self) -> tuple[int, int, int, int]:
        """S_r, the number of private states of each round."""
        return self.spec.num_states

    @cached_property
    def parent_state(self) -> tuple[NDArray[np.int32], ...]:
        """For each round and state, the state of the round before that it comes from; zeros preflop."""
        parents = (0, *self.num_states[:3])
        return tuple(
            (np.arange(size, dtype=np.int32) // branching) if before else np.zeros(size, dtype=np.int32)
            for size, branching, before in zip(self.num_states, self.branching, parents, strict=True)
        )

    def buckets(self, round_number: int, state: int) -> tuple[int, ...]:
        """The buckets (b_0, ..., b_r) that a private state stands for."""
        self._verify_state(round_number, state)
        found = []
        for branching in reversed(self.branching[: round_number + 1]):
            state, bucket = divmod(state, branching)
            found.append(bucket)
        return tuple(reversed(found))

    def state_name(self, round_number: int, state: int) -> str:
        """The buckets counted from 1, weakest first: ``"5-1-3"``."""
        return "-".join(str(bucket + 1) for bucket in self.buckets(round_number, state))

    def state(self, hole: Sequence[int], board: Sequence[int] = ()) -> int:
        """Private state of two hole cards on a board of 0, 3, 4 or 5 cards, in the order they were dealt.

        The number of board cards tells the round. The order within the flop does not matter.
        """
        if len(hole) != 2 or len(board) not in BOARD_CARDS:
            raise ShapeError(
                f"got {len(hole)} hole cards and {len(board)} board cards; "
                "expected 2 and 0, 3, 4 or 5, the board in the order it was dealt"
            )
        for card in (*hole, *board):
            card_name(card)
        verify_distinct(hole, board)
        return int(self.states(np.array([[*hole, *board]]))[0, -1])

    def states(self, cards: NDArray[np.integer]) -> NDArray[np.uint16]:
        """Private states ``[n, r + 1]`` of all rounds so far; ``cards`` is ``[n, k]`` with k = 2, 5, 6 or 7.

        A row is two hole cards and the board, in the order dealt. A number outside 0..51, or a card that is
        in a row twice, raises `ParseError`.
        """
        cards = np.asarray(cards)
        if cards.ndim != 2 or cards.shape[1] - 2 not in BOARD_CARDS:
            raise ShapeError(
                f"cards have shape {cards.shape}; expected [n, 2], [n, 5], [n, 6] or [n, 7]: hole cards first"
            )
        verify_card_rows(cards)
        seen = np.bitwise_or.reduce(np.int64(1) << cards.astype(np.int64), axis=1)
        twice = np.flatnonzero(np.bitwise_count(seen) != cards.shape[1])
        if twice.size:
            raise ParseError(f"row {twice[0]}: {cards_name(cards[twice[0]])} has a card twice")
        out = np.empty((len(cards), BOARD_CARDS.index(cards.shape[1] - 2) + 1), dtype=np.uint16)
        _states_batch(self.tables, np.ascontiguousarray(cards, dtype=np.uint8), out)
        return out

    def _verify_state(self, round_number: int, state: int) -> None:
        if not 0 <= round_number < NUM_ROUNDS:
            raise ShapeError(f"round {round_number!r} was asked for; rounds are 0 (preflop) to 3 (river)")
        if not 0 <= state < self.num_states[round_number]:
            raise ShapeError(
                f"state {state!r} was asked for; round {round_number} of {self.spec} "
                f"has {self.num_states[round_number]} states"
            )


# Look-ups for kernels -----------------------------------------------------------------------------


@kernel
def river_bucket(cuts: NDArray[np.uint16], strength: int) -> int:
    """Number of cuts that the strength reaches: the bucket 0, 1, ... it falls into."""
    bucket = 0
    for cut in cuts:
        bucket += int(strength >= cut)
    return bucket


@kernel
def flop_state_of(tables: StateTables, hand: int, a: int, b: int, c: int) -> int:
    """State of a hand on a flop, s_1."""
    entry = flop_entry(tables.boards, a, b, c)
    mapped = tables.boards.hand_map[entry_renaming(entry), hand]
    return int(np.int64(tables.flop_state[entry_index(entry), mapped]))


@kernel
def turn_state_of(tables: StateTables, hand: int, a: int, b: int, c: int, turn: int) -> int:
    """State of a hand on a turn, s_2; the flop is ``a b c``."""
    entry = turn_entry(tables.boards, a, b, c, turn)
    renaming = entry_renaming(entry)
    position = turn_position(tables.boards, renaming, a, b, c, turn)
    bucket = tables.turn_bucket[entry_index(entry), tables.boards.hand_map[renaming, hand], position]
    return int(flop_state_of(tables, hand, a, b, c) * tables.branching[2] + np.int64(bucket))


@kernel
def states_at(tables: StateTables, places: Places, hand: int) -> tuple[int, int, int, int]:
    """States (s_0, s_1, s_2, s_3) of a hand; ``places`` is `find_board` of the board, shared by all hands."""
    hand_map = tables.boards.hand_map
    s0 = np.int64(tables.hole_state[hand])
    s1 = np.int64(tables.flop_state[places.flop, hand_map[places.flop_map, hand]])
    bucket = tables.turn_bucket[places.turn, hand_map[places.turn_map, hand], places.position]
    s2 = s1 * tables.branching[2] + np.int64(bucket)
    strength = tables.river_strength[places.river, hand_map[places.river_map, hand]]
    s3 = s2 * tables.branching[3] + river_bucket(tables.river_cuts[s2], strength)
    return int(s0), int(s1), int(s2), int(s3)


@kernel
def _states_batch(tables: StateTables, cards: NDArray[np.uint8], out: NDArray[np.uint16]) -> None:
    rounds = out.shape[1]
    for i in range(len(cards)):
        c = cards[i]
        hand = hand_of(c[0], c[1])
        if rounds == 4:
            out[i, 0], out[i, 1], out[i, 2], out[i, 3] = states_at(
                tables, find_board(tables.boards, c[2], c[3], c[4], c[5], c[6]), hand
            )
        else:
            out[i, 0] = tables.hole_state[hand]
            if rounds > 1:
                out[i, 1] = flop_state_of(tables, hand, c[2], c[3], c[4])
            if rounds > 2:
                out[i, 2] = turn_state_of(tables, hand, c[2], c[3], c[4], c[5])
