"""Types of players from what they did in earlier hands: loose, tight, aggressive, passive.

Two frequencies place a player among the others:

    loose or tight            how often the player puts chips in voluntarily before the flop (VPIP)
    aggressive or passive     after the flop: raises / (raises + calls + folds)

The bounds are learned: a player in the upper third of a population is loose, or aggressive; in the lower
third tight, or passive. A player of whom too little is known has no type.

A type is that *before* a hand. `types_before` walks hands in the order of time and counts only hands that are
allowed to be known, so nothing of a hand, of later hands, or of hands that are kept apart can reach it.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.hands.facts import seconds_of
from soulread.hands.hand import Hand
from soulread.kernel import kernel
from soulread.model.situation import ROUND, TYPES, Decisions, situations_of

LEAST_HANDS = 30  # before a player is called loose or tight
LEAST_DECISIONS = 20  # after the flop, before a player is called aggressive or passive

NUM_TALLIES = 4
_HANDS, _PAID, _MADE, _RAISED = range(NUM_TALLIES)
"""Hands with a decision before the flop, of these with chips put in; decisions after it, of these raises."""


class TypeBounds(NamedTuple):
    """Where types begin: frequencies from 0 to 1."""

    tight: float = 0.17
    loose: float = 0.24
    passive: float = 0.30
    aggressive: float = 0.38


class Roster(NamedTuple):
    """Who sat in some hands, and what each did in them that tells the type."""

    names: tuple[str, ...]  # of the players, by number
    players: NDArray[np.int64]  # [hands, 10] numbers; -1 for an empty seat
    order: NDArray[np.int64]  # [hands] the hands in the order of time
    tallies: NDArray[np.int64]  # [hands, 10, 4]


def roster_of(hands: Sequence[Hand], decisions: Decisions) -> Roster:
    """Who sat in ``hands``, and what they did; ``decisions`` are those of the hands."""
    numbers: dict[tuple[str, str], int] = {}  # a name in two rooms is two players
    players = np.full((len(hands), MAX_PLAYERS), -1, np.int64)
    for place, hand in enumerate(hands):
        players[place, : len(hand.players)] = [
            numbers.setdefault((name, hand.room), len(numbers)) for name in hand.players
        ]
    times = np.array([seconds_of(hand) for hand in hands], np.int64)
    names = tuple(name for name, _ in numbers)
    return Roster(names, players, np.argsort(times, kind="stable"), tally(decisions, len(hands)))


def tally(decisions: Decisions, hands: int) -> NDArray[np.int64]:
    """``[hands, 10, 4]`` what every seat did that tells its type."""
    found = np.zeros((hands, MAX_PLAYERS, NUM_TALLIES), np.int64)
    before = decisions.rows.numbers[:, ROUND] == 0
    where = decisions.hand, decisions.rows.actor.astype(np.int64)
    paid = before & ((decisions.action == 2) | ((decisions.action == 1) & decisions.may_fold))
    told = ~before & ((decisions.action != 1) | decisions.may_fold)  # a check tells little
    found[where[0][before], where[1][before], _HANDS] = 1
    found[where[0][paid], where[1][paid], _PAID] = 1
    np.add.at(found, (where[0][told], where[1][told], _MADE), 1)
    raised = told & (decisions.action == 2)
    np.add.at(found, (where[0][raised], where[1][raised], _RAISED), 1)
    return found


def learn_bounds(roster: Roster, allowed: NDArray[np.bool_]) -> TypeBounds:
    """Thirds of the population of the allowed hands, each player counting as often as seated."""
    players, tallies = roster.players[allowed], roster.tallies[allowed]
    seated = players >= 0
    sums = np.zeros((len(roster.names), NUM_TALLIES))
    np.add.at(sums, players[seated], tallies[seated])
    loose = sums[:, _HANDS] >= LEAST_HANDS
    active = sums[:, _MADE] >= LEAST_DECISIONS
    if not loose.any() or not active.any():
        return TypeBounds()
    tight, wide = _thirds(sums[loose, _PAID] / sums[loose, _HANDS], sums[loose, _HANDS])
    passive, aggressive = _thirds(sums[active, _RAISED] / sums[active, _MADE], sums[active, _MADE])
    return TypeBounds(tight, wide, passive, aggressive)


def _thirds(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    return tuple(float(values[order[np.searchsorted(share, part)]]) for part in (1 / 3, 2 / 3))  # type: ignore[return-value]


def types_before(roster: Roster, allowed: NDArray[np.bool_], bounds: TypeBounds) -> NDArray[np.int64]:
    """``[hands, 4]`` the loose, tight, aggressive and passive seats of every hand, as sets of seats.

    Only hands with ``allowed`` that were played before count. All hands get types, allowed or not.
    """
    types = np.zeros((len(roster.players), len(TYPES)), np.int64)
    sums = np.zeros((len(roster.names), NUM_TALLIES), np.int64)
    _walk(roster.players, roster.order, roster.tallies, allowed, bounds, sums, types)
    return types


def set_types(decisions: Decisions, types: NDArray[np.int64]) -> None:
    """Write types ``[hands, 4]`` into the facts of decisions."""
    decisions.rows.masks[:, TYPES[0] : TYPES[-1] + 1] = types[decisions.hand]


class TypeBook:
    """The types of players at a table, as they are known so far."""

    def __init__(self, bounds: TypeBounds = TypeBounds()) -> None:  # noqa: B008, it never changes
        self.bounds = bounds
        self._sums: dict[str, NDArray[np.int64]] = {}

    def update(self, hand: Hand) -> None:
        """Count one more hand."""
        self.update_all([hand])

    def update_all(self, hands: Iterable[Hand]) -> None:
        """Count more hands."""
        listed = list(hands)
        tallies = tally(situations_of(listed), len(listed))
        for hand, rows in zip(listed, tallies, strict=True):
            for name, row in zip(hand.players, rows, strict=False):
                self._sums[name] = self._sums.get(name, np.zeros(NUM_TALLIES, np.int64)) + row

    def types(self, players: Sequence[str]) -> tuple[int, int, int, int]:
        """The loose, tight, aggressive and passive seats of a table, as sets of seats."""
        found = [0, 0, 0, 0]
        for seat, name in enumerate(players):
            bits = _bits(self._sums.get(name, np.zeros(NUM_TALLIES, np.int64)), self.bounds)
            for k in range(4):
                found[k] |= (bits >> k & 1) << seat
        return found[0], found[1], found[2], found[3]


@kernel
def _bits(sums: NDArray[np.int64], bounds: TypeBounds) -> int:
    """Which types a player of these tallies is: bit 0 loose, 1 tight, 2 aggressive, 3 passive."""
    bits = 0
    if sums[_HANDS] >= LEAST_HANDS:
        share = sums[_PAID] / sums[_HANDS]
        bits |= int(share >= bounds.loose) | int(share < bounds.tight) << 1
    if sums[_MADE] >= LEAST_DECISIONS:
        share = sums[_RAISED] / sums[_MADE]
        bits |= int(share >= bounds.aggressive) << 2 | int(share < bounds.passive) << 3
    return bits


@kernel
def _walk(
    players: NDArray[np.int64],
    order: NDArray[np.int64],
    tallies: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    bounds: TypeBounds,
    sums: NDArray[np.int64],
    types: NDArray[np.int64],
) -> None:
    for hand in order:
        for seat in range(players.shape[1]):
            player = players[hand, seat]
            if player >= 0:
                bits = _bits(sums[player], bounds)
                for k in range(4):
                    types[hand, k] |= (bits >> k & 1) << seat
        if allowed[hand]:
            for seat in range(players.shape[1]):
                player = players[hand, seat]
                if player >= 0:
                    for k in range(NUM_TALLIES):
                        sums[player, k] += tallies[hand, seat, k]
