"""Ranges: a weight for each of the 1326 two-card hands, and the notation people type for them.

The hand of cards ``a < b`` has index ``b * (b - 1) / 2 + a``. A range is written as items separated by
commas or blanks, each with an optional weight (1 if left out):

    AKs AKo AK        suited, offsuit, both                77 77+ QQ-99    pairs
    ATs+              the kicker rises: ATs AJs AQs AKs     A5s-A2s KTo-K8o  a run of kickers
    T9s-54s           both ranks step: T9s 98s ... 54s      AhKh           one hand
    random, any, *    every hand                           AQs:0.25       with weight 0.25
    15%               the best 15% of hands: whole classes, by their equity against any hand
    btn-open          a range that has a name (`soulread.cards.named_ranges`); btn-open:0.5 has half of it

A later item overrides the weight that an earlier item gave to the same hand: ``random, AA:0`` is every hand
except aces. Letters may be upper or lower case.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS, RANKS, card_name, parse_cards
from soulread.cards.named_ranges import NAMED_RANGES
from soulread.errors import ParseError, ShapeError, SoulreadError

NUM_HANDS = NUM_CARDS * (NUM_CARDS - 1) // 2

HAND_CARDS: NDArray[np.uint8] = np.array(
    [(a, b) for b in range(NUM_CARDS) for a in range(b)], dtype=np.uint8
)  # [1326, 2], the lower card first
HAND_CARDS.setflags(write=False)

# Bit masks of the cards of each hand: two hands share a card where their masks overlap.
HAND_MASKS: NDArray[np.int64] = (np.int64(1) << HAND_CARDS.astype(np.int64)).sum(axis=1)  # [1326]
HAND_MASKS.setflags(write=False)


def _grid_cells() -> NDArray[np.int64]:
    """Cell ``13 * row + column`` of each hand in the grid: aces first, suited hands above the diagonal."""
    cards = HAND_CARDS.astype(np.int64)
    low, high = 12 - (cards[:, 0] >> 2), 12 - (cards[:, 1] >> 2)
    suited = (cards[:, 0] & 3) == (cards[:, 1] & 3)
    cells: NDArray[np.int64] = np.where(suited, 13 * high + low, 13 * low + high)
    return cells


HAND_CELLS: NDArray[np.int64] = _grid_cells()  # [1326], 0..168
HAND_CELLS.setflags(write=False)
_HANDS_OF_CELL = [np.flatnonzero(cell == HAND_CELLS) for cell in range(169)]
CELL_SIZES: NDArray[np.int64] = np.bincount(HAND_CELLS, minlength=169)  # [169] holdings of a class
CELL_SIZES.setflags(write=False)


def hand_index(a: int, b: int) -> int:
    """Index 0..1325 of the hand of two different cards, in either order."""
    if a > b:
        a, b = b, a
    if not 0 <= a < b < NUM_CARDS:
        raise ParseError(
            f"({a!r}, {b!r}) is not a hand; expected two different cards from 0 to {NUM_CARDS - 1}"
        )
    return b * (b - 1) // 2 + a


def hand_name(index: int) -> str:
    """``1325 -> "AsAh"``, the higher card first."""
    low, high = HAND_CARDS[index]
    return card_name(int(high)) + card_name(int(low))


def class_name(cell: int) -> str:
    """Name of a cell of the 13 x 13 grid: ``0 -> "AA"``, ``1 -> "AKs"``, ``13 -> "AKo"``."""
    row, column = divmod(cell, 13)
    name = RANKS[12 - min(row, column)] + RANKS[12 - max(row, column)]
    return name + ("s" if row < column else "o" if row > column else "")


@dataclass(frozen=True, eq=False)
class Range:
    """A weight for each of the 1326 hands: how likely the hand is, up to a common factor.

    Weight 0 means that the player never has the hand. Two ranges are equal when all their weights are.
    """

    weights: NDArray[np.float64]  # [1326], finite, >= 0, read-only

    def __post_init__(self) -> None:
        weights = np.array(self.weights, dtype=np.float64)
        if weights.shape != (NUM_HANDS,):
            raise ShapeError(
                f"weights have shape {weights.shape}, expected one for each of {NUM_HANDS} hands"
            )
        bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
        if bad.size:
            raise SoulreadError(
                f"the weight of {hand_name(int(bad[0]))} is {float(weights[bad[0]])!r}; "
                "weights must be finite and not negative"
            )
        weights.setflags(write=False)
        object.__setattr__(self, "weights", weights)

    @classmethod
    def parse(cls, text: str) -> "Range":
        """The range that a text such as "AKs, 77+, T9s-54s, AhKh:0.25" means."""
        return parse_range(text)

    @classmethod
    def all(cls) -> "Range":
        """Every hand with weight 1."""
        return cls(np.ones(NUM_HANDS))

    @classmethod
    def of(cls, hand: Sequence[int]) -> "Range":
        """The one hand of two cards, with weight 1."""
        if len(hand) != 2:
            raise ParseError(f"{tuple(hand)!r} is not a hand; expected two cards")
        weights = np.zeros(NUM_HANDS)
        weights[hand_index(*hand)] = 1.0
        return cls(weights)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and bool(np.array_equal(self.weights, other.weights))

    def __hash__(self) -> int:
        return hash((self.weights + 0.0).tobytes())  # + 0.0 turns -0.0 into 0.0: they are equal, as bytes not

    def __contains__(self, hand: Sequence[int]) -> bool:
        """True if the hand of two cards has a positive weight."""
        return self.weight(hand) > 0

    def __str__(self) -> str:
        return format_range(self)

    def __repr__(self) -> str:
        return f"parse_range({format_range(self)!r})"

    @property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.weights.sum())

    @property
    def num_hands(self) -> int:
        """How many hands have a positive weight."""
        return int(np.count_nonzero(self.weights))

    def weight(self, hand: Sequence[int]) -> float:
        """Weight of the hand of two cards, in either order."""
        if len(hand) != 2:
            raise ParseError(f"{tuple(hand)!r} is not a hand; expected two cards")
        return float(self.weights[hand_index(*hand)])

    def without(self, cards: Sequence[int]) -> "Range":
        """The same range, but with weight 0 for every hand that holds one of ``cards``."""
        return Range(np.where(HAND_MASKS & cards_mask(cards), 0.0, self.weights))

    def grid(self) -> NDArray[np.float64]:
        """Mean weight per starting hand, ``[13, 13]``: aces first, suited hands above the diagonal."""
        return (np.bincount(HAND_CELLS, self.weights, minlength=169) / CELL_SIZES).reshape(13, 13)


def cards_mask(cards: Sequence[int]) -> int:
    """The cards as one integer: bit ``c`` is set for each card ``c``."""
    mask = 0
    for card in cards:
        card_name(card)  # raises ParseError if this is not a card
        mask |= 1 << card
    return mask


# Reading ------------------------------------------------------------------------------------------

_EXAMPLES = "write for example 'AKs', '77+', 'T9s-54s', 'AhKh:0.25' or a name such as 'btn-open'"
_RANK = f"[{RANKS}{RANKS.lower()}]"
_CLASS = re.compile(rf"({_RANK})({_RANK})([sSoO]?)(\+?)")
_HAND = re.compile(rf"{_RANK}[cdhsCDHS]{_RANK}[cdhsCDHS]")


def parse_range(text: str) -> Range:
    """Read a range such as ``"77+, ATs+, T9s-54s, AhKh:0.25"``; the opposite of `format_range`.

    A later item overrides the weights of earlier ones. Text that is not a range item raises `ParseError`.
    """
    weights = np.zeros(NUM_HANDS)
    items = re.sub(r"\s*([-:])\s*", r"\1", text).replace(",", " ").split()
    if not items:
        raise ParseError(f"{text!r} is an empty range; {_EXAMPLES}, or 'random' for every hand")
    for item in items:
        body, colon, number = item.partition(":")
        weight = _parse_weight(number, item) if colon else 1.0
        named = NAMED_RANGES.get(body.lower())
        if named is not None:
            own = parse_range(named.text).weights
            weights[own > 0] = weight * own[own > 0]
        else:
            weights[_hands_of(body, item)] = weight
    return Range(weights)


def _parse_weight(text: str, item: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not (math.isfinite(weight) and weight >= 0):
        raise ParseError(f"{text!r} is not a weight in {item!r}; expected a number >= 0, such as 'AhKh:0.25'")
    return weight


def _hands_of(body: str, item: str) -> NDArray[np.intp]:
    """Indices of the hands that an item stands for; ``body`` is the item without its weight."""
    if share := re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)%", body):
        return _best_hands(float(share[1]), item)
    if body.lower() in ("random", "any", "*"):
        return np.arange(NUM_HANDS)
    if _HAND.fullmatch(body):
        if body[:2].lower() == body[2:].lower():
            raise ParseError(f"{item!r} holds the same card twice; {_EXAMPLES}")
        return np.array([hand_index(*parse_cards(body))])
    first, dash, last = body.partition("-")
    if dash:
        cells = _run(_parse_class(first, item), _parse_class(last, item), item)
    else:
        high, low, kind, plus = _parse_class(first, item)
        top = (12, 12) if high == low else (high, high - 1)
        cells = _run((high, low, kind, ""), (*top, kind, "") if plus else (high, low, kind, ""), item)
    return np.concatenate(
        [_HANDS_OF_CELL[_cell(high, low, suit)] for high, low, kind in cells for suit in kind or "so"]
    )


def _best_hands(percent: float, item: str) -> NDArray[np.intp]:
    """The best hands that are so many percent of all: whole classes, as many as come closest."""
    if not 0 < percent <= 100:
        raise ParseError(f"{item!r}: a part of all hands lies above 0% and goes up to 100%")
    cells = np.array([_CELL_OF_CLASS[name] for name in _BEST_FIRST])
    sizes = np.cumsum(CELL_SIZES[cells])
    count = int(np.argmin(np.abs(sizes - NUM_HANDS * percent / 100))) + 1
    return np.flatnonzero(np.isin(HAND_CELLS, cells[:count]))


def _parse_class(text: str, item: str) -> tuple[int, int, str, str]:
    """Higher rank, lower rank, ``"s"``, ``"o"`` or ``""``, and ``"+"`` or ``""``."""
    match = _CLASS.fullmatch(text)
    if match is None:
        raise ParseError(f"{item!r} is not a range item; {_EXAMPLES}")
    low, high = sorted(RANKS.index(rank.upper()) for rank in match.group(1, 2))
    kind = match[3].lower()
    if high == low and kind:
        raise ParseError(
            f"{item!r} is not a range item: a pair is neither suited nor offsuit; "
            f"expected {text[:2] + match[4]!r}"
        )
    return high, low, kind, match[4]


def _run(
    first: tuple[int, int, str, str], last: tuple[int, int, str, str], item: str
) -> list[tuple[int, int, str]]:
    """Starting hands ``(high, low, kind)`` from one end to the other, in either direction."""
    if first[3] or last[3]:
        raise ParseError(f"{item!r} is not a range item: use either '+' or a run with '-'")
    (low_high, low_low, kind, _), (top_high, top_low, top_kind, _) = sorted((first, last))
    if kind != top_kind:
        raise ParseError(f"{item!r} is not a run: both ends must be suited, both offsuit, or neither marked")
    same_high, same_gap = low_high == top_high, low_high - low_low == top_high - top_low
    if (low_high == low_low) != (top_high == top_low) or not (same_high or same_gap):
        raise ParseError(
            f"{item!r} is not a run: the ends must be pairs ('QQ-99'), share the high card ('A5s-A2s') "
            "or keep the gap ('T9s-54s')"
        )
    if same_high:
        return [(top_high, low, kind) for low in range(low_low, top_low + 1)]
    return [(low_high + step, low_low + step, kind) for step in range(top_high - low_high + 1)]


def _cell(high: int, low: int, kind: str) -> int:
    """Cell of the grid; the kind of a pair does not matter."""
    return 13 * (12 - high) + 12 - low if kind == "s" else 13 * (12 - low) + 12 - high


# Writing ------------------------------------------------------------------------------------------


def format_range(hands: Range) -> str:
    """Write a range in short notation; ``parse_range`` reads back exactly the same weights.

    Pairs come first, then the other starting hands from aces down, then single hands. Where that is
    shorter, the text starts from all hands (``random, AA:0``).
    """
    weights = hands.weights
    values, counts = np.unique(weights, return_counts=True)
    common = float(values[np.argmax(counts)])
    texts = [", ".join(_items(weights, 0.0))]
    if common > 0 or not texts[0]:
        texts.append(", ".join(["random" + _suffix(common), *_items(weights, common)]))
    return min(filter(None, texts), key=len)


def _suffix(weight: float) -> str:
    return "" if weight == 1 else f":{weight!r}".removesuffix(".0")


def _items(weights: NDArray[np.float64], base: float) -> list[str]:
    """Items that turn a range with every weight at ``base`` into ``weights``."""
    cells: dict[float, set[int]] = {}
    singles = []
    for cell in range(169):
        members = _HANDS_OF_CELL[cell][::-1]
        values, counts = np.unique(weights[members], return_counts=True)
        common = float(values[np.argmax(counts)])
        # A class with unequal weights: list its hands one by one, or name the class and then the exceptions.
        direct = [i for i in members if weights[i] != base]
        exceptions = [i for i in members if weights[i] != common]
        if common == base or len(direct) <= len(exceptions) + 1 < len(members):
            singles += direct
        else:
            cells.setdefault(common, set()).add(cell)
            singles += exceptions
    items = [
        text + _suffix(weight)
        for weight in sorted(cells, reverse=True)
        for text in _class_items(cells[weight])
    ]
    return items + [hand_name(i) + _suffix(float(weights[i])) for i in sorted(singles, reverse=True)]


def _class_items(cells: set[int]) -> list[str]:
    """A few items that cover exactly the cells: repeatedly take the run that covers most of those left."""
    runs = _maximal_runs(cells)
    left = set(cells)
    chosen = []
    while left:
        # max keeps the first of equals, so the order of _maximal_runs breaks ties
        run = max(runs, key=lambda run: sum(len(_cells_of(step) & left) for step in run))
        useful = [i for i, step in enumerate(run) if _cells_of(step) & left]
        run = run[useful[0] : useful[-1] + 1]
        left.difference_update(*(_cells_of(step) for step in run))
        chosen.append(run)
    chosen.sort(key=lambda run: (run[-1][0] != run[-1][1], -run[-1][0], run[-1][2] == "o", -run[-1][1]))
    return [_run_text(run) for run in chosen]


def _cells_of(step: tuple[int, int, str]) -> set[int]:
    high, low, kind = step
    return {_cell(high, low, suit) for suit in kind or "so"}


def _maximal_runs(cells: set[int]) -> list[list[tuple[int, int, str]]]:
    """Every run of the cells that cannot be made longer; a run such as ``T9s-54s`` has at least three steps.

    Suited and offsuit hands share a run only where both go equally far: ``ATs+, AJo+``, not ``AJ+, ATs``.
    """
    runs = _runs_along([(rank, rank) for rank in range(13)], "", cells)
    for shortest, line in [
        *((1, [(high, low) for low in range(high)]) for high in range(12, 0, -1)),
        *((3, [(low + gap, low) for low in range(13 - gap)]) for gap in range(1, 13)),
    ]:
        suited, offsuit = _runs_along(line, "s", cells), _runs_along(line, "o", cells)
        both = [
            [(high, low, "") for high, low, _ in run]
            for run in suited
            if [(high, low, "o") for high, low, _ in run] in offsuit
        ]
        runs += [run for run in suited + offsuit + both if len(run) >= shortest]
    return runs


def _runs_along(line: list[tuple[int, int]], kind: str, cells: set[int]) -> list[list[tuple[int, int, str]]]:
    """The longest stretches of a line of starting hands that lie in the cells."""
    runs: list[list[tuple[int, int, str]]] = [[]]
    for high, low in line:
        if _cells_of((high, low, kind)) <= cells:
            runs[-1].append((high, low, kind))
        else:
            runs.append([])
    return [run for run in runs if run]


def _run_text(run: list[tuple[int, int, str]]) -> str:
    low, top = ((RANKS[high] + RANKS[low] + kind) for high, low, kind in (run[0], run[-1]))
    if len(run) == 1:
        return low
    high, kicker, _ = run[-1]
    same_high = run[0][0] == high
    to_the_top = high == kicker == 12 or (same_high and kicker == high - 1)
    return f"{low}+" if to_the_top else f"{top}-{low}"


# All classes, best first: by the share of the pot that they win all-in against any hand.
_BEST_FIRST = (
    "AA KK QQ JJ TT 99 88 AKs 77 AQs AJs AKo ATs AQo AJo KQs 66 A9s ATo KJs A8s KTs KQo A7s A9o KJo 55 "
    "QJs K9s A5s A6s A8o KTo QTs A4s A7o K8s A3s QJo K9o A5o A6o Q9s K7s JTs A2s QTo 44 A4o K6s K8o Q8s "
    "A3o K5s J9s Q9o JTo K7o A2o K4s Q7s K6o K3s T9s J8s 33 Q6s Q8o K5o J9o K2s Q5s T8s K4o J7s Q4s Q7o "
    "T9o J8o K3o Q6o Q3s 98s T7s J6s K2o 22 Q2s Q5o J5s T8o J7o Q4o 97s J4s T6s J3s Q3o 98o 87s T7o J6o "
    "96s J2s Q2o T5s J5o T4s 97o 86s J4o T6o 95s T3s 76s J3o 87o T2s 85s 96o J2o T5o 94s 75s T4o 93s 86o "
    "65s 84s 95o T3o 92s 76o 74s T2o 54s 85o 64s 83s 94o 75o 82s 73s 93o 65o 53s 63s 84o 92o 43s 74o 72s "
    "54o 64o 52s 62s 83o 42s 82o 73o 53o 63o 32s 43o 72o 52o 62o 42o 32o"
).split()
_CELL_OF_CLASS = {class_name(cell): cell for cell in range(169)}
