"""What everybody sees of a decision of hold'em: the cells of some tables that it lies in.

A decision is described by several *tables* of the same betting, from coarse to fine: before the flop by what
was done before the player (`BEFORE`) alone, and by it together with the position, the number of players, the
size of the raise and so on; after the flop by such states (`AFTER`) with the round, the players left, the
place, sizes, stack and pot. In each table a decision lies in one cell. Every cell has a number, and
`soulread.model.clone.chances` has weights for it. After the flop the texture of the board is added, as
numbers from 0 to 1.

All of it is made of columns that a store's statistics count (`soulread.hands.facts`) and of features of
predictors (`soulread.model.predict.features`). So the chances of a statistic are whole cells, or nearly, and
hands of files and hands in play are described by the same numbers. No card but the board's is looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.games.poker import PokerGame
from soulread.hands.facts import (
    NO_AGGRESSOR,
    NOBODY,
    NUM_POSITIONS,
    OTHER,
    OWN,
    SEAT,
    Posted,
    Rows,
    StartedHands,
    started_hands,
    walk_seats,
)
from soulread.hands.hand import ForcedBet, Hand
from soulread.hands.record import posts_of
from soulread.model.predict.features import NAMES, FeatureRows, rows_of_started, started_at

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

BEFORE = (
    "first in",
    "after limps",
    "may check",
    "faces a raise",
    "limped and faces a raise",
    "raised and faces another raise",
    "faces two raises",
    "raised and faces more raises",
    "faces three raises or more",
)
AFTER = (
    "to bet, raised last before",
    "to bet into who raised last before",
    "to bet, who raised last before has not bet",
    "to bet, nobody raised before",
    "faces a continued bet",
    "checked, faces a continued bet",
    "faces a bet",
    "checked, faces a bet",
    "bet and was raised",
    "faces a raise",
    "faces two raises or more",
)
OPENS = 210, 310, 450, 700, 1300  # bounds of raises before the flop, in hundredths of a big blind
BETS = 30, 45, 60, 80, 110, 200  # bounds of later bets, in percent of the pot
STACKS = 12.0, 25.0, 45.0, 80.0, 130.0  # bounds of stacks before the hand, in big blinds
DEPTHS = 0.5, 1.0, 2.0, 4.0, 8.0  # bounds of what is left of a stack, in pots
_TABLES = 7  # classes of the number of players: 2 to 7, and more
_SEATS = 3  # of players left: two, three, more
_TEXTURE = slice(NAMES.index("board high"), NAMES.index("board high") + 10)
_LEFT, _RAISED_LAST, _ACTED = (NAMES.index(name) for name in ("stack", "last raised", "acted"))


def _sizes(*shapes: tuple[str, int]) -> dict[str, tuple[int, int]]:
    """By name of each table, its first cell and its number of cells."""
    found, first = {}, 0
    for name, size in shapes:
        found[name] = first, size
        first += size
    return found


_B, _A, _P = len(BEFORE), len(AFTER), NUM_POSITIONS
TABLES = _sizes(
    ("before", _B),
    ("before, position", _B * _P),
    ("before, players", _B * _TABLES),
    ("before, limpers", _B * 4),
    ("before, callers", _B * 4),
    ("before, size faced", _B * (len(OPENS) + 1)),
    ("before, stack", _B * (len(STACKS) + 2)),
    ("before, opener and position", (_P + 1) * _P),
    ("before, position and players", 3 * _P * _TABLES),
    ("before, may raise", _B * 2),
    ("after", 3 * _A),
    ("after, players left", 3 * _A * _SEATS),
    ("after, place", 3 * _A * 3),
    ("after, kind of pot", 3 * _A * 5),
    ("after, size faced", 3 * _A * (len(BETS) + 2)),
    ("after, depth", 3 * _A * (len(DEPTHS) + 2)),
    ("after, players", _A * _TABLES),
    ("after, position", _A * _P),
    ("after, may raise", 3 * _A * 2),
    ("after, own last action", 3 * _A * 3),
    ("after, texture", 3 * 2 * 10),
)
"""First cell and number of cells of each table."""
NUM_CELLS = sum(size for _, size in TABLES.values())
COARSE = "before", "before, position", "after", "after, players left"
WIDTH = 20  # entries of a decision: a cell of each table, and the texture


@dataclass(frozen=True)
class PublicDecisions:
    """Decisions as everybody sees them, in the order they were made."""

    cells: NDArray[np.int32]  # [decisions, WIDTH]
    values: NDArray[np.float32]  # [decisions, WIDTH] how far each cell counts: 1, or part of the texture
    legal: NDArray[np.bool_]  # [decisions, 3] fold (only with something to call), call, raise
    action: Ints  # [decisions] 0 fold, 1 check or call, 2 raise
    hand: Ints  # [decisions] number of the hand
    seat: Ints  # [decisions]
    state: Ints  # [decisions] number in `BEFORE`, or len(BEFORE) + that in `AFTER`
    round: Ints  # [decisions]
    size: Ints  # [decisions] of the raise, as facts have it; 0 for other actions
    faced: Ints  # [decisions] the size of the raise that is faced; 0 if none is
    depth: Array  # [decisions] before the flop the stack in big blinds, later what is left of it in pots

    def __len__(self) -> int:
        return len(self.action)

    def take(self, chosen: NDArray[Any]) -> "PublicDecisions":
        """Some of the decisions: numbers, or a mask."""
        return PublicDecisions(*(getattr(self, name)[chosen] for name in self.__dataclass_fields__))

    @property
    def chosen(self) -> NDArray[np.bool_]:
        """``[decisions]`` whether there was a choice, and what was done is one of the actions counted."""
        taken = self.legal[np.arange(len(self)), self.action]
        found: NDArray[np.bool_] = taken & (self.legal.sum(axis=1) > 1)
        return found


def decisions_of(hands: Sequence[Hand]) -> PublicDecisions:
    """All decisions of hands of hold'em, hand by hand."""
    begun, posted = started_hands(hands)
    seats = np.zeros(int(posted.first_seat[-1]), SEAT)
    return _described(begun, posted, seats, [hand.board for hand in hands])


def decisions_so_far(
    game: PokerGame,
    actions: Sequence[tuple[int, int]],
    betting: str,
    round: int,
    board: Sequence[int],
    seat: int | None,
) -> PublicDecisions:
    """The decisions of a hand in play, and last that of ``seat``, which is to act, if it is not None.

    The last decision's action then says nothing.
    """
    begun = started_at(game, actions, betting, round, seat)
    return _described(begun, _posted(game, round), np.zeros(game.num_players, SEAT), [board])


def _posted(game: PokerGame, round: int) -> Posted:
    """What was posted in a hand in play, which is in this round."""
    blinds = np.zeros(game.num_players, np.int8)
    for post in posts_of(game):
        if post.kind is ForcedBet.BIG_BLIND:
            blinds[post.seat] = 2
        elif post.kind is ForcedBet.SMALL_BLIND:
            blinds[post.seat] = 1
    dead = np.array(game.dead or (0,) * game.num_players, np.int64)
    first = np.array([0, game.num_players])
    return Posted(first, np.array([round]), np.array([game.rules.ante]), dead, blinds)


def _described(
    begun: StartedHands, posted: Posted, seats: Rows, boards: Sequence[Sequence[int]]
) -> PublicDecisions:
    facts = walk_seats(begun, posted, seats)
    rows = rows_of_started(begun, boards)
    owner = posted.first_seat[rows.hand] + rows.seat
    decisions = np.empty_like(facts.decisions)
    decisions[np.argsort(owner, kind="stable")] = facts.decisions  # facts have those of a seat together
    return _in_cells(decisions, facts.seats[owner], rows)


def _in_cells(made: Rows, seats: Rows, rows: FeatureRows) -> PublicDecisions:
    """The cells of decisions ``made``, whose seats are ``seats``."""
    early = made["round"] == 0
    before, after = _state_before(made), _state_after(made)
    count = len(made)
    cells = np.zeros((count, WIDTH), np.int32)
    values = np.zeros((count, WIDTH), np.float32)
    players = np.minimum(seats["players"].astype(np.int64) - 2, _TABLES - 1)
    position = seats["position"].astype(np.int64)
    limit = np.isnan(seats["stack"])
    left = rows.situation[:, _LEFT]
    depth = left / np.maximum(1 - left, 1e-9)
    own = np.where(rows.situation[:, _ACTED] > 0, 1 + (rows.situation[:, _RAISED_LAST] > 0), 0)
    opener = np.where(made["opener"] == NOBODY, NUM_POSITIONS, made["opener"]).astype(np.int64)
    opened = made["raises"] == 1
    stack = np.where(limit, len(STACKS) + 1, np.searchsorted(STACKS, np.where(limit, 0, seats["stack"])))
    entries = (
        ("before", before),
        ("before, position", before * _P + position),
        ("before, players", before * _TABLES + players),
        ("before, limpers", before * 4 + np.minimum(made["limpers"], 3)),
        ("before, callers", before * 4 + np.minimum(made["callers"], 3)),
        ("before, size faced", before * (len(OPENS) + 1) + np.searchsorted(OPENS, made["faced"], "right")),
        ("before, stack", before * (len(STACKS) + 2) + stack),
        ("before, opener and position", np.where(opened, opener, _P) * _P + position),
        (
            "before, position and players",
            (np.where(before == 0, 0, np.where(before == 3, 1, 2)) * _P + position) * _TABLES + players,
        ),
        ("before, may raise", before * 2 + made["can_raise"]),
    )
    still = np.clip(made["active"].astype(np.int64) - 2, 0, _SEATS - 1)
    later = np.maximum(made["round"].astype(np.int64), 1) - 1
    street = later * _A + after
    faced = np.where(made["faced"] > 0, 1 + np.searchsorted(BETS, made["faced"], "right"), 0)
    depths = np.where(limit, len(DEPTHS) + 1, np.searchsorted(DEPTHS, depth))
    others = (
        ("after", street),
        (
            "after, players left",
            street * _SEATS + still,
        ),
        ("after, place", street * 3 + seats["flop_place"]),
        ("after, kind of pot", street * 5 + seats["pot_kind"]),
        ("after, size faced", street * (len(BETS) + 2) + faced),
        ("after, depth", street * (len(DEPTHS) + 2) + depths),
        ("after, players", after * _TABLES + players),
        ("after, position", after * _P + position),
        ("after, may raise", street * 2 + made["can_raise"]),
        ("after, own last action", street * 3 + own),
    )
    for column, (one, two) in enumerate(zip(entries, others, strict=True)):
        cells[:, column] = np.where(early, TABLES[one[0]][0] + one[1], TABLES[two[0]][0] + two[1])
    values[:, : len(entries)] = 1.0
    texture = TABLES["after, texture"][0] + 10 * (2 * later + made["facing"])
    cells[:, len(entries) :] = np.where(early[:, None], 0, texture[:, None] + np.arange(10))
    values[:, len(entries) :] = np.where(early[:, None], 0.0, rows.situation[:, _TEXTURE])
    return PublicDecisions(
        cells,
        values,
        rows.legal,
        rows.action,
        rows.hand,
        rows.seat,
        np.where(early, before, _B + after),
        made["round"].astype(np.int64),
        made["size"].astype(np.int64),
        made["faced"].astype(np.int64),
        np.where(early, np.where(limit, np.inf, seats["stack"]), np.where(limit, np.inf, depth)),
    )


def _state_before(made: Rows) -> Ints:
    """The number in `BEFORE` of each decision; of later ones it says nothing."""
    raises, own = made["raises"], made["own_raise"]
    tests = (
        (~made["facing"], 2),
        ((raises == 0) & (made["limpers"] == 0), 0),
        (raises == 0, 1),
        ((raises == 1) & (made["own_calls"] == 0), 3),
        (raises == 1, 4),
        ((raises == 2) & (own == 1), 5),
        (raises == 2, 6),
        (own > 0, 7),
    )
    return np.select([test for test, _ in tests], [number for _, number in tests], 8)


def _state_after(made: Rows) -> Ints:
    """The number in `AFTER` of each decision; of those before the flop it says nothing."""
    raises, facing, checked = made["raises"], made["facing"], made["checked"]
    tests = (
        (~facing & (made["aggressor"] == OWN), 0),
        (~facing & (made["aggressor"] == OTHER) & made["waiting"], 1),
        (~facing & (made["aggressor"] != NO_AGGRESSOR), 2),
        (~facing, 3),
        ((raises <= 1) & made["continued"] & ~checked, 4),
        ((raises <= 1) & made["continued"], 5),
        ((raises <= 1) & ~checked, 6),
        (raises <= 1, 7),
        ((raises == 2) & (made["own_raise"] == 1), 8),
        (raises == 2, 9),
    )
    return np.select([test for test, _ in tests], [number for _, number in tests], 10)
