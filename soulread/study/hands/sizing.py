"""Sizes of bets: how strong a player's hands were behind each size, and how the player answers each size.

Sizes are classes of the pot: a bet of half a pot is "40-80%". A raise counts by the chips beyond a call, over
the pot after the call, in whole percent as the facts have it (`soulread.hands.facts`). Opens before the flop
are in big blinds.

*Sizing tells.* Of the bets after the flop some hands were seen later. Their *strength* is the part of all
other holdings that they beat or tie half of on the board of the bet (hand strength, 0 to 1). A hand is *weak*
below 1/2: behind a random holding. Seen hands are a biased sample: a bluff that worked is not shown. Compare
sizes with each other, less so with other players.

*Answers.* A decision against a bet, a raise or an open is a fold, a call or a raise. A bluff that bets s pots
into one opponent breaks even if s / (1 + s) of the answers are folds.

Hands of one kind of no-limit hold'em count, the one with the most hands.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.strength import hand_strength
from soulread.encoding import keys, plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, wilson_interval
from soulread.games.spot import STREETS
from soulread.hands.facts import CALLED, FOLDED, RAISED, Facts, Rows, facts_of
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_record
from soulread.hands.statistics import WIDE
from soulread.hands.store import EVERYTHING, PlayKind, Query, Store, kind_records
from soulread.report.shown import ShownTable, table_rows
from soulread.study.spots.player_counts import SIZES as CLASSES
from soulread.study.spots.player_counts import size_class

Kinds = tuple[tuple[PlayKind, int], ...]


def _class_names(bounds: Sequence[float], form: str) -> tuple[str, ...]:
    """Classes in words: "up to 40%", "40-80%", "above 80%"; ``form`` writes a bound."""
    low, *_, high = (form.format(bound) for bound in bounds)
    between = [f"{one:g}-{form.format(other)}" for one, other in pairwise(bounds)]
    return (f"up to {low}", *between, f"above {high}")


_PERCENT = tuple(100 * most for _, most in CLASSES[:-1])
_OPENS = (2.5, 3.5, 5.0)  # big blinds, between the classes of opens
OPENS = _class_names(_OPENS, "{:g} bb")
"""The classes of opens before the flop."""
SIZES = dict(zip((name for name, _ in CLASSES), _class_names(_PERCENT, "{:g}%"), strict=True))
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
    kinds: Kinds = ()  # of no-limit hold'em that the player has played; only the first counts

    JSON = keys("player hands lines tells", kinds=lambda study: kind_records(study.kinds))

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return a row for each street and size."""
        ends = ("value", "low", "high")
        records = plain_data(self.lines)
        for line in records:
            line["weak_share"] = dict(zip(ends, line["weak_share"] or (), strict=False)) or None
        return table_rows({"player": self.player, **line} for line in records)

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
    """The sizing tells of a player in the hands of a store that fit a query, of one kind of game."""
    meant, kinds = _no_limit(store, player, query)
    numbers = [
        facts.seats["hand"][owner[(made["round"] > 0) & (made["action"] == RAISED)]]
        for facts, owner, made in _decisions(store, player, meant)
    ]
    hands = store.numbered(np.unique(np.concatenate(numbers)).tolist())
    lines = size_lines(bets_of((hand for _, hand in hands), player))
    return SizingStudy(player, kinds[0][1], lines, kinds)


def _no_limit(store: Store, player: str, query: Query) -> tuple[Query, Kinds]:
    """The query of the kind of no-limit hold'em of which a player has the most hands, and all such kinds."""
    played = store.play_kinds(replace(query, player=player))
    kinds = tuple((kind, hands) for kind, hands in played if kind.game == "nolimit")
    if not kinds:
        raise SoulreadError(f"there are no such hands of no-limit hold'em of {player!r} in {store.name!r}")
    return query.of_kind(kinds[0][0]), kinds


def _decisions(store: Store, player: str, query: Query) -> Iterator[tuple[Facts, NDArray[np.int64], Rows]]:
    """The facts of a player in parts, with the row of the seat of each decision, and the decisions."""
    for _, facts in store.facts(query, players=[store.player_number(player, query.room)]):
        yield facts, np.repeat(np.arange(facts.seats.size), facts.seats["decisions"]), facts.decisions


def bets_of(hands: Iterable[Hand], player: str) -> Iterator[SizedBet]:
    """Every bet and raise of a player after the flop, in hands of no-limit hold'em."""
    for hand in hands:
        if not hand.variant.startswith("52 cards") or "no-limit" not in hand.variant:
            continue
        seat = hand.seat_of(player)
        hole = hand.hole[seat]
        made = facts_of([hand]).take(np.array([seat])).decisions
        sizes = iter(made["size"][(made["round"] > 0) & (made["action"] == RAISED)].tolist())
        for state, action in decisions(game_of_record(hand), hand.actions, hand.board):
            if state.player != seat or state.round < 1 or action < 2:
                continue
            after = state.apply(action)
            all_in = after.stacks is not None and after.stacks[seat] == 0
            named = SIZES[size_class(next(sizes) / 100)]
            board = hand.board[: 2 + state.round]
            seen = hand_strength(hole, board).value if hole is not None and len(hole) == 2 else None
            yield SizedBet(state.round, ALL_IN if all_in else named, seen)


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


# Answers ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AnswerShare:
    """How often one answer was given."""

    count: int
    n: int

    JSON = keys("count value", low="interval.0", high="interval.1")

    @property
    def value(self) -> float:
        """The share, 0 to 1."""
        return self.count / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share (Wilson's)."""
        return wilson_interval(self.count, self.n)


@dataclass(frozen=True)
class FacedLine:
    """The answers of a player to one size on one street."""

    street: str  # preflop, flop, turn or river
    facing: str  # an open, a bet or a raise
    size: str  # one of `OPENS`, or a value of `SIZES`
    n: int
    fold: AnswerShare
    call: AnswerShare
    raise_: AnswerShare
    needed: float | None  # share of folds at which a bluff of these sizes breaks even; None if not a bet

    JSON = keys(
        "street facing size n fold call", **{"raise": "raise_"}, bluff_needs="needed", too_few="too_few"
    )

    @property
    def where(self) -> str:
        """The street at the beginning of a sentence."""
        return "Before the flop" if self.street == "preflop" else f"On the {self.street}"

    @property
    def too_few(self) -> bool:
        """Whether the intervals are too wide to say anything."""
        return any(
            high - low > WIDE for low, high in (one.interval for one in (self.fold, self.call, self.raise_))
        )


@dataclass(frozen=True, repr=False)
class FacingStudy(ShownTable):
    """The answers of a player to sizes of bets."""

    LINE = "{it.player}, {it.hands:,} hands"
    TABLE = "lines"

    player: str
    hands: int
    lines: tuple[FacedLine, ...]  # by street, what is faced, and size
    kinds: Kinds = ()  # of no-limit hold'em that the player has played; only the first counts

    JSON = keys("player hands lines tells", kinds=lambda study: kind_records(study.kinds))

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return a row for each street, what is faced, and size."""
        return table_rows({"player": self.player, **line} for line in plain_data(self.lines))

    @property
    def tells(self) -> tuple[str, ...]:
        """Pairs of sizes on one street whose intervals of folds do not meet, in sentences."""
        told = [line for line in self.lines if not line.too_few]
        return tuple(
            f"{line.where} {line.facing}s of {line.size} were folded to more than those of {other.size}: "
            f"{line.fold.value:.0%} (n = {line.n:,}) to {other.fold.value:.0%} (n = {other.n:,})."
            for line in told
            for other in told
            if (line.street, line.facing) == (other.street, other.facing)
            and other.fold.interval[1] < line.fold.interval[0]
        )


def study_facing(store: Store, player: str, query: Query = EVERYTHING) -> FacingStudy:
    """The answers of a player to each size, in hands of one kind of game that fit a query."""
    meant, kinds = _no_limit(store, player, query)
    made = np.concatenate([made for _, _, made in _decisions(store, player, meant)])
    return FacingStudy(player, kinds[0][1], faced_lines(made), kinds)


def faced_lines(made: Rows) -> tuple[FacedLine, ...]:
    """Decisions (rows of facts) in lines by street, what is faced, and size."""
    lines: list[FacedLine] = []
    for street, name in enumerate(("preflop", *STREETS)):
        here = made[(made["round"] == street) & (made["faced"] > 0)]
        for facing, chosen in (("bet", here["raises"] == 1), ("raise", here["raises"] > 1)):
            if street == 0 and facing == "bet":
                lines += _faced_lines(name, "open", here[chosen], OPENS, [100 * bound for bound in _OPENS])
            elif street > 0:
                lines += _faced_lines(name, facing, here[chosen], tuple(SIZES.values()), _PERCENT)
    return tuple(lines)


def _faced_lines(
    street: str, facing: str, made: Rows, names: Sequence[str], bounds: Sequence[float]
) -> Iterator[FacedLine]:
    """A line for each class of the sizes faced that there is."""
    which = np.searchsorted(bounds, made["faced"], "left")
    for i, size in enumerate(names):
        there = made[which == i]
        n = there.size
        if not n:
            continue
        fold, call, raise_ = (
            AnswerShare(int((there["action"] == action).sum()), n) for action in (FOLDED, CALLED, RAISED)
        )
        pots = there["faced"] / 100
        needed = float((pots / (1 + pots)).mean()) if facing == "bet" else None
        yield FacedLine(street, facing, size, n, fold, call, raise_, needed)
