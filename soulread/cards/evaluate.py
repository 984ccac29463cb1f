"""Value of the best five of 5, 6 or 7 cards, as an integer 0..7461.

Higher is better, and equal hands have equal values. Hands of 5, 6 and 7 cards share one scale, so values may
be compared, subtracted and used as table indices. A royal flush has 7461.

A hand is a sum of card *words*, one per card. Bits 0..24 of a word hold a key of the card's rank. The keys
are chosen so that the sum of 5 to 7 keys, modulo 2^25, is different for every multiset of ranks (at most
four of a kind). Bits 32..47 count the cards of each suit. Adding one constant, the bias, shows whether a suit
has five cards. There are then two tables:

    with a flush     the value is looked up by the 13-bit set of the flush's ranks;
    without a flush  by the sum of keys k, in a table folded by row displacement (Tarjan and Yao,
                     Commun. ACM 22, 1979): ``values[offsets[k >> 12] + (k & 4095)]``.

Seven cards with a flush hold no full house and no four of a kind, so no hand needs both tables. The folded
table takes 0.19 MB and stays in a core's second-level cache. Folding takes half a second, so the tables come
with soulread in a file; `benchmarks/make_evaluator.py` builds them anew.

Kernels get the tables as an argument. `value5`, `value6` and `value7` take cards. To enumerate many hands it
is faster to add up the words of the board once, and then those of each holding on top::

    board_word = t.words[a] + t.words[b] + t.words[c] + t.words[d] + t.words[e]
    board_mask = t.masks[a] + t.masks[b] + t.masks[c] + t.masks[d] + t.masks[e]
    value_of(t, board_word + t.words[x] + t.words[y], board_mask + t.masks[x] + t.masks[y])
"""

from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import verify_card_rows
from soulread.cards.deck import NUM_CARDS, card_name, verify_distinct
from soulread.errors import ParseError, ShapeError
from soulread.kernel import few, kernel
from soulread.storage.tensors import read_tensors, write_tensors
from soulread.words import plural

NUM_VALUES = 7462
NUM_RANKS = 13

KEY_BITS = 25
# The smallest increasing keys whose sums differ, found greedily from 1 upwards, times an odd factor. The
# factor keeps the sums different (they are below 2^25) and scatters them. The rows of the table then
# look alike and fold without holes.
RANK_KEYS = tuple(
    key * 21372887 % 2**KEY_BITS
    for key in (1, 5, 24, 112, 521, 2247, 9244, 30823, 103066, 250154, 667453, 1526359, 3453520)
)

_KIND = "evaluator"
_ROW_BITS = 12
_KEY_MASK = 2**KEY_BITS - 1
_COLUMN_MASK = 2**_ROW_BITS - 1
_RANK_MASK = 2**NUM_RANKS - 1
_SUIT_SHIFT = 32
_FLUSH_BIAS = 0x3333 << _SUIT_SHIFT  # added to a word, sets the top bit of a suit counter of five or more
_FLUSH_BITS = 0x8888 << _SUIT_SHIFT


class Category(IntEnum):
    """The kinds of hand, worst first."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8


class Tables(NamedTuple):
    """All that the kernels read; about 0.27 MB. `describe` reads ``scores``."""

    words: NDArray[np.int64]  # [52] rank key and suit count of each card; add them up
    masks: NDArray[np.int64]  # [52] bit 16 * suit + rank of each card; add them up
    offsets: NDArray[np.uint32]  # [8192] where each row of key sums begins in ``values``
    values: NDArray[np.uint16]  # values of hands without a flush
    flushes: NDArray[np.uint16]  # [8192] value by the set of ranks of the flush suit
    scores: NDArray[np.int64]  # [7462] category, deciding ranks, kickers: see `_plain_scores`


def evaluate(cards: Sequence[int]) -> int:
    """Return the value 0..7461 of the best five among 5, 6 or 7 different cards."""
    if not 5 <= len(cards) <= 7:
        raise ShapeError(
            f"a hand of {plural(len(cards), 'card')} was given; values exist for 5, 6 and 7 cards"
        )
    if not (min(cards) >= 0 and max(cards) < NUM_CARDS and len(set(cards)) == len(cards)):
        for card in cards:
            card_name(card)
        verify_distinct(cards)
    table = tables()
    if few(len(cards)):
        seen = list(cards)
        return int(
            values_of(table, table.words[seen].sum(keepdims=True), table.masks[seen].sum(keepdims=True))[0]
        )
    if len(cards) == 7:
        return int(value7(table, *cards))
    if len(cards) == 6:
        return int(value6(table, *cards))
    return int(value5(table, *cards))


def evaluate_batch(cards: NDArray[np.integer]) -> NDArray[np.uint16]:
    """Return the values ``[n]`` of ``n`` hands, ``cards`` being ``[n, 5]``, ``[n, 6]`` or ``[n, 7]``.

    Contiguous ``uint8`` cards are read in place. A number outside 0..51 raises `ParseError`. For speed a card
    that comes twice in a row is not noticed, and the value of that row is meaningless.
    """
    cards = np.asarray(cards)
    if cards.ndim != 2 or not 5 <= cards.shape[1] <= 7 or not np.issubdtype(cards.dtype, np.integer):
        raise ShapeError(
            f"cards have shape {cards.shape} and type {cards.dtype}; "
            "expected integers of shape [n, 5], [n, 6] or [n, 7]"
        )
    verify_card_rows(cards)
    if few(cards.size):
        table, held = tables(), cards.astype(np.intp)
        return values_of(table, table.words[held].sum(axis=1), table.masks[held].sum(axis=1))
    out = np.empty(len(cards), dtype=np.uint16)
    batch = {5: _batch5, 6: _batch6, 7: _batch7}[cards.shape[1]]
    batch(tables(), np.ascontiguousarray(cards, dtype=np.uint8), out)
    return out


def category(value: int) -> Category:
    """Return the kind of hand that has this value."""
    return Category(_score(value) >> 26)


def describe(value: int) -> str:
    """Put a value in words: ``"full house, kings over tens"``, ``"ace-high flush"``, ``"pair of jacks"``.

    Kickers are left out, so two different values may have the same description.
    """
    score = _score(value)
    first = _ranks(score >> 13 & _RANK_MASK)
    rest = _ranks(score & _RANK_MASK)
    match Category(score >> 26):
        case Category.HIGH_CARD:
            return f"{_SINGULAR[rest[0]]} high"
        case Category.PAIR:
            return f"pair of {_PLURAL[first[0]]}"
        case Category.TWO_PAIR:
            return f"two pair, {_PLURAL[first[0]]} and {_PLURAL[first[1]]}"
        case Category.THREE_OF_A_KIND:
            return f"three of a kind, {_PLURAL[first[0]]}"
        case Category.STRAIGHT:
            return f"{_SINGULAR[first[0]]}-high straight"
        case Category.FLUSH:
            return f"{_SINGULAR[rest[0]]}-high flush"
        case Category.FULL_HOUSE:
            return f"full house, {_PLURAL[first[0]]} over {_PLURAL[rest[0]]}"
        case Category.FOUR_OF_A_KIND:
            return f"four of a kind, {_PLURAL[first[0]]}"
        case Category.STRAIGHT_FLUSH if value == NUM_VALUES - 1:
            return "royal flush"
        case Category.STRAIGHT_FLUSH:
            return f"{_SINGULAR[first[0]]}-high straight flush"


@kernel
def value_of(tables: Tables, word: int, mask: int) -> np.int64:
    """Value of a hand from the sums of its cards' ``words`` and ``masks``; 5 to 7 cards.

    ``mask`` is read only when there is a flush.
    """
    if has_flush(word):
        return flush_value(tables, word, mask)
    return plain_value(tables, word)


@kernel
def has_flush(word: int) -> bool:
    """Whether five or more of the cards whose words add up to ``word`` are of one suit."""
    return (word + _FLUSH_BIAS) & _FLUSH_BITS != 0


@kernel
def flush_value(tables: Tables, word: int, mask: int) -> np.int64:
    """Value of a hand that `has_flush`, from the sums of its words and masks."""
    flush = ((word + _FLUSH_BIAS) & _FLUSH_BITS) >> _SUIT_SHIFT
    if flush == 0x8:
        ranks = mask
    elif flush == 0x80:
        ranks = mask >> 16
    elif flush == 0x800:
        ranks = mask >> 32
    else:
        ranks = mask >> 48
    return np.int64(tables.flushes[ranks & _RANK_MASK])


@kernel
def plain_value(tables: Tables, word: int) -> np.int64:
    """Value of a hand without a flush, from the sum of its words."""
    key = word & _KEY_MASK
    return np.int64(tables.values[tables.offsets[key >> _ROW_BITS] + (key & _COLUMN_MASK)])


# The masks are added up inside the branch: three times as fast as calling `value_of`.


@kernel
def value5(tables: Tables, a: int, b: int, c: int, d: int, e: int) -> np.int64:
    """Value 0..7461 of five different cards."""
    w = tables.words
    word = w[a] + w[b] + w[c] + w[d] + w[e]
    if has_flush(word):
        m = tables.masks
        return flush_value(tables, word, m[a] + m[b] + m[c] + m[d] + m[e])
    return plain_value(tables, word)


@kernel
def value6(tables: Tables, a: int, b: int, c: int, d: int, e: int, f: int) -> np.int64:
    """Value 0..7461 of the best five of six different cards."""
    w = tables.words
    word = w[a] + w[b] + w[c] + w[d] + w[e] + w[f]
    if has_flush(word):
        m = tables.masks
        return flush_value(tables, word, m[a] + m[b] + m[c] + m[d] + m[e] + m[f])
    return plain_value(tables, word)


@kernel
def value7(tables: Tables, a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> np.int64:
    """Value 0..7461 of the best five of seven different cards."""
    w = tables.words
    word = w[a] + w[b] + w[c] + w[d] + w[e] + w[f] + w[g]
    if has_flush(word):
        m = tables.masks
        return flush_value(tables, word, m[a] + m[b] + m[c] + m[d] + m[e] + m[f] + m[g])
    return plain_value(tables, word)


def values_of(tables: Tables, words: NDArray[np.int64], masks: NDArray[np.int64]) -> NDArray[np.uint16]:
    """What `value_of` says of many hands, read from the same tables by NumPy; the sums have one shape."""
    keys = words & _KEY_MASK
    values: NDArray[np.uint16] = tables.values[tables.offsets[keys >> _ROW_BITS] + (keys & _COLUMN_MASK)]
    flushes = np.nonzero((words + _FLUSH_BIAS) & _FLUSH_BITS)
    if flushes[0].size:
        suits = ((words[flushes] + _FLUSH_BIAS) & _FLUSH_BITS) >> _SUIT_SHIFT
        ranks = masks[flushes] >> 16 * (np.bitwise_count(suits - 1) // 4).astype(np.int64)
        values[flushes] = tables.flushes[ranks & _RANK_MASK]
    return values


@kernel
def _batch5(tables: Tables, cards: NDArray[np.uint8], out: NDArray[np.uint16]) -> None:
    for i in range(out.size):
        c = cards[i]
        out[i] = value5(tables, c[0], c[1], c[2], c[3], c[4])


@kernel
def _batch6(tables: Tables, cards: NDArray[np.uint8], out: NDArray[np.uint16]) -> None:
    for i in range(out.size):
        c = cards[i]
        out[i] = value6(tables, c[0], c[1], c[2], c[3], c[4], c[5])


@kernel
def _batch7(tables: Tables, cards: NDArray[np.uint8], out: NDArray[np.uint16]) -> None:
    for i in range(out.size):
        c = cards[i]
        out[i] = value7(tables, c[0], c[1], c[2], c[3], c[4], c[5], c[6])


@cache
def tables() -> Tables:
    """The tables that come with soulread, read at the first call."""
    with resources.as_file(resources.files("soulread.cards") / "evaluate.safetensors") as path:
        stored = read_tensors(path, _KIND)[1]
    offsets, values, flushes = (np.array(stored[name]) for name in ("offsets", "values", "flushes"))
    return _read_only(Tables(*_cards(), offsets, values, flushes, stored["scores"].astype(np.int64)))


def save_tables(path: str | Path, built: Tables) -> None:
    """Write to a sealed file what takes time to build."""
    stored: dict[str, NDArray[Any]]
    stored = {"offsets": built.offsets, "values": built.values, "flushes": built.flushes}
    about = {"about": "built by soulread.cards.evaluate.build_tables"}
    write_tensors(Path(path), _KIND, {**stored, "scores": built.scores.astype(np.int32)}, about)


def build_tables() -> Tables:
    """The tables from the rules of poker, in about half a second."""
    counts = _rank_multisets()
    keys = counts @ np.array(RANK_KEYS, dtype=np.int64) & _KEY_MASK
    plain = _plain_scores(counts)
    suited = _flush_scores()
    five = counts.sum(axis=1) == 5
    scores = np.unique(np.concatenate([plain[five], suited[suited >= 0]]))

    offsets = _row_offsets(keys)
    values = np.zeros(int(offsets.max()) + _COLUMN_MASK + 1, dtype=np.uint16)
    values[offsets[keys >> _ROW_BITS] + (keys & _COLUMN_MASK)] = np.searchsorted(scores, plain)
    flushes = np.searchsorted(scores, np.maximum(suited, 0)).astype(np.uint16)
    return _read_only(Tables(*_cards(), offsets, values, flushes, scores))


def _cards() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The words and masks ``[52]`` of the cards."""
    card = np.arange(NUM_CARDS)
    rank, suit = card >> 2, card & 3
    words = np.array(RANK_KEYS, dtype=np.int64)[rank] + (1 << (_SUIT_SHIFT + 4 * suit))
    return words, 1 << (16 * suit + rank)


def _read_only(built: Tables) -> Tables:
    for array in built:
        array.flags.writeable = False
    return built


def _rank_multisets() -> NDArray[np.int64]:
    """All multisets of 5 to 7 ranks with at most four of a kind, as counts ``[73775, 13]``."""
    counts = np.zeros((1, NUM_RANKS), dtype=np.int64)
    for rank in range(NUM_RANKS):
        more = [counts]
        for count in range(1, 5):
            with_rank = counts[counts.sum(axis=1) + count <= 7]
            with_rank[:, rank] = count
            more.append(with_rank)
        counts = np.concatenate(more)
    hands: NDArray[np.int64] = counts[counts.sum(axis=1) >= 5]
    return hands


def _plain_scores(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Scores ``[n]`` that order hands given by their rank counts ``[n, 13]``, suits left aside.

    A score is ``category << 26 | deciding ranks << 13 | kickers``. Ranks are 13-bit sets. Of two sets of the
    same size, the one with the higher ranks is the greater number.
    """
    bit = 1 << np.arange(NUM_RANKS)
    singles, pairs, trips, quads = ((counts >= least) @ bit for least in (1, 2, 3, 4))
    quad, trip, pair = _highest(quads, 1), _highest(trips, 1), _highest(pairs, 1)
    two_pair = _highest(pairs, 2)
    straight = _straight_high()[singles]
    full = _highest(pairs & ~trip, 1)
    scores: NDArray[np.int64] = np.select(
        [quads > 0, (trips > 0) & (full > 0), straight > 0, trips > 0, two_pair != pair, pairs > 0],
        [
            _join(Category.FOUR_OF_A_KIND, quad, _highest(singles & ~quad, 1)),
            _join(Category.FULL_HOUSE, trip, full),
            _join(Category.STRAIGHT, straight, np.zeros_like(straight)),
            _join(Category.THREE_OF_A_KIND, trip, _highest(singles & ~trip, 2)),
            _join(Category.TWO_PAIR, two_pair, _highest(singles & ~two_pair, 1)),
            _join(Category.PAIR, pair, _highest(singles & ~pair, 3)),
        ],
        default=_join(Category.HIGH_CARD, np.zeros_like(singles), _highest(singles, 5)),
    )
    return scores


def _flush_scores() -> NDArray[np.int64]:
    """Scores ``[8192]`` by the set of ranks of the flush suit; -1 for sets that no hand can have."""
    ranks = np.arange(1 << NUM_RANKS)
    straight = _straight_high()
    score = np.where(
        straight > 0,
        _join(Category.STRAIGHT_FLUSH, straight, np.zeros_like(ranks)),
        _join(Category.FLUSH, np.zeros_like(ranks), _highest(ranks, 5)),
    )
    size = np.bitwise_count(ranks)
    return np.where((size >= 5) & (size <= 7), score, -1)


def _join(kind: Category, ranks: NDArray[np.int64], kickers: NDArray[np.int64]) -> NDArray[np.int64]:
    return (int(kind) << 26) + (ranks << 13) + kickers


def _highest(ranks: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The ``count`` highest ranks of each set, or all of them where there are fewer."""
    kept = np.zeros_like(ranks)
    for rank in reversed(range(NUM_RANKS)):
        kept += ranks & (1 << rank) * (np.bitwise_count(kept) < count)
    return kept


def _straight_high() -> NDArray[np.int64]:
    """Bit of the highest straight in each set of ranks ``[8192]``, or 0; an ace may also be the low card."""
    ranks = np.arange(1 << NUM_RANKS)
    ladder = ranks << 1 | ranks >> 12
    runs = ladder & ladder >> 1 & ladder >> 2 & ladder >> 3 & ladder >> 4
    return _highest(runs << 3, 1)


def _row_offsets(keys: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Place each row of key sums, fullest first, at the first offset where none of its cells is taken."""
    ordered = np.sort(keys)
    rows, first, size = np.unique(ordered >> _ROW_BITS, return_index=True, return_counts=True)
    offsets = np.zeros(1 << (KEY_BITS - _ROW_BITS), dtype=np.uint32)
    taken = 0  # a long integer used as a set of cells: one shift tests every offset at once
    for i in np.argsort(-size, kind="stable"):
        columns = (ordered[first[i] : first[i] + size[i]] & _COLUMN_MASK).tolist()
        blocked = 0
        for column in columns:
            blocked |= taken >> column
        offset = (~blocked & (blocked + 1)).bit_length() - 1
        taken |= sum(1 << column for column in columns) << offset
        offsets[rows[i]] = offset
    return offsets


_SINGULAR = (
    "deuce",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)
_PLURAL = tuple(name + ("es" if name == "six" else "s") for name in _SINGULAR)


def _score(value: int) -> int:
    if not 0 <= value < NUM_VALUES:
        raise ParseError(f"{value!r} is not the value of a hand; values are 0 to {NUM_VALUES - 1}")
    return int(tables().scores[value])


def _ranks(ranks: int) -> list[int]:
    """The ranks in a set, highest first."""
    return [rank for rank in reversed(range(NUM_RANKS)) if ranks >> rank & 1]
