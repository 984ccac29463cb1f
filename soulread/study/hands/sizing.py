"""Sizing tells: how strong a player's hands were, by street and size of the bet.

Sizes are classes of the pot: a bet of half a pot is "40-80%". A raise counts by the chips beyond a call, over
the pot after the call. Of the bets after the flop some hands were seen later. Their *strength* is the part of
all other holdings that they beat or tie half of on the board of the bet (hand strength, 0 to 1). A hand is
*weak* below 1/2: behind a random holding.

Hands of no-limit hold'em count. Seen hands are a biased sample: a bluff that worked is not shown. Compare
sizes with each other, less so with other players.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from soulread.cards.strength import hand_strength
from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, wilson_interval
from soulread.games.spot import STREETS
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_record
from soulread.hands.store import EVERYTHING, Query, Store
from soulread.report.shown import ShownTable, table_rows
from soulread.study.spots.player_counts import size_class

SIZES = {"small": "up to 40%", "medium": "40-80%", "large": "80-130%", "over": "above 130%"}
"""The classes of `size_class`, as parts of the pot."""
ALL_IN = "all-in"
WEAK = 0.5
FEW = 10  # seen hands below which a line says nothing


@dataclass(frozen=True)
class SizedBet:
    """One bet or raise of a player after the flop."""

    street: int  # 1 flop, 2 turn, 3 river
    size: str  # a value of `SIZES`, or `ALL_IN`
    strength: float | None  # 0 to 1; None if the cards were not seen


@dataclass(frozen=True)
class SizeLine:
    """The bets of one street and size."""

    street: str
    size: str
    bets: int
    strength: Estimate | None  # of the hands seen; None if there are none
    weak: int  # of the hands seen

    JSON = keys("street size bets seen strength weak weak_share too_few")

    @property
    def seen(self) -> int:
        """The bets whose cards were seen."""
        return 0 if self.strength is None else self.strength.n

    @property
    def too_few(self) -> bool:
        """Whether there are too few seen hands to say anything."""
        return self.seen < FEW

    @property
    def weak_share(self) -> tuple[float, float, float] | None:
        """The share of weak hands among those seen, and its 95% interval; None without any."""
        if not self.seen:
            return None
        return (self.weak / self.seen, *wilson_interval(self.weak, self.seen))


@dataclass(frozen=True, repr=False)
class SizingStudy(ShownTable):
    """The sizing tells of a player."""

    LINE = "{it.player}, {it.hands:,} hands"
    TABLE = "lines"

    player: str
    hands: int
    lines: tuple[SizeLine, ...]  # by street, then by size

    JSON = keys("player hands lines tells")

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return a row for each street and size."""
        ends = ("value", "low", "high")
        return table_rows(
            {**line, "weak_share": dict(zip(ends, line["weak_share"] or (), strict=False)) or None}
            for line in plain_data(self.lines)
        )

    @property
    def tells(self) -> tuple[str, ...]:
        """Pairs of sizes on one street whose intervals of strength do not meet, in sentences."""
        told = [(line, line.strength) for line in self.lines if line.strength and not line.too_few]
        return tuple(
            f"On the {line.street} bets of {line.size} were stronger than those of {other.size}: "
            f"{strong.mean:.2f} of 1 (n = {strong.n}) to {weak.mean:.2f} (n = {weak.n})."
            for line, strong in told
            for other, weak in told
            if line.street == other.street and weak.interval[1] < strong.interval[0]
        )


def study_sizing(store: Store, player: str, query: Query = EVERYTHING) -> SizingStudy:
    """The sizing tells of a player in the hands of a store that fit a query."""
    hands = [hand for _, hand in store.find(replace(query, player=player))]
    if not hands:
        raise SoulreadError(f"there are no such hands of {player!r} in {store.name!r}")
    return SizingStudy(player, len(hands), size_lines(bets_of(hands, player)))


def bets_of(hands: Iterable[Hand], player: str) -> Iterator[SizedBet]:
    """Every bet and raise of a player after the flop, in hands of no-limit hold'em."""
    for hand in hands:
        if not hand.variant.startswith("52 cards") or "no-limit" not in hand.variant:
            continue
        seat = hand.seat_of(player)
        hole = hand.hole[seat]
        for state, action in decisions(game_of_record(hand), hand.actions, hand.board):
            if state.player != seat or state.round < 1 or action < 2:
                continue
            after = state.apply(action)
            beyond = after.spent[seat] - state.spent[seat] - state.to_call
            all_in = after.stacks is not None and after.stacks[seat] == 0
            part = beyond / (state.pot + state.to_call)
            size = ALL_IN if all_in else SIZES[size_class(part)]
            board = hand.board[: 2 + state.round]
            seen = hand_strength(hole, board).value if hole is not None and len(hole) == 2 else None
            yield SizedBet(state.round, size, seen)


def size_lines(bets: Iterable[SizedBet]) -> tuple[SizeLine, ...]:
    """Bets in lines by street and size."""
    found: dict[tuple[int, str], list[SizedBet]] = {}
    for bet in bets:
        found.setdefault((bet.street, bet.size), []).append(bet)
    order = [*SIZES.values(), ALL_IN]
    lines = []
    for street, size in sorted(found, key=lambda key: (key[0], order.index(key[1]))):
        there = found[street, size]
        seen = np.array([bet.strength for bet in there if bet.strength is not None])
        strength = Estimate.of(seen) if seen.size else None
        lines.append(SizeLine(STREETS[street - 1], size, len(there), strength, int((seen < WEAK).sum())))
    return tuple(lines)
