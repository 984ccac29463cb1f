"""Deals that differ only in the names of the suits, numbered without gaps.

Cards are dealt in rounds: hole cards, flop, turn and river are the rounds (2, 3, 1, 1). The order of the
rounds matters, the order within a round does not. Two deals are *isomorphic* when some renaming of the suits
turns one into the other. To ignore the order of the board cards, deal them in one round: (2, 5).

`Indexer` numbers the classes of isomorphic deals 0..size-1, after K. Waugh, "A Fast and Optimal Hand
Isomorphism Algorithm" (2013). A deal gives each suit a sequence of disjoint sets of ranks, one set per round.
If n_i of the suit's cards come in round i, their set is one of C(13 - n_0 - ... - n_(i-1), n_i), and it has
its colexicographic number among these. All rounds together give the suit a number below

    N(n) = C(13, n_0) C(13 - n_0, n_1) ...

A deal's *configuration* is the multiset of the four suits' counts n. Suits with different counts can be
told apart. Suits with equal counts cannot: if there are m of them, their numbers form a multiset, one of
C(N(n) + m - 1, m). Hence

    size = sum over configurations of the product over different n of C(N(n) + m - 1, m).

`count_isomorphic` finds the same size by Burnside's lemma. It shares no code with the above, so that one can
check the other.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement, groupby, permutations
from math import comb, factorial, prod

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import verify_card_rows
from soulread.cards.deck import NUM_CARDS, card_name, verify_distinct
from soulread.errors import ParseError, ShapeError
from soulread.kernel import kernel

NUM_RANKS = 13
NUM_SUITS = 4
SUIT_PERMUTATIONS = tuple(permutations(range(NUM_SUITS)))

WORK_SIZE = 12  # integers of scratch that `deal_index` needs
_ONE = np.int64(1)
_KEY_SHIFT = 40  # a suit's code stands above its number in one sortable integer
_NUMBER_MASK = 2**_KEY_SHIFT - 1

# An indexer's layout is one flat array, because a kernel that gets many arrays spends its time counting
# references to them. P is the number of different counts that a suit can have up to a round. The counts
# (n_0, ..., n_r) of a suit are written as one number, its *code*, with digits below each round's base. A
# configuration is four codes in descending order. Three of them are enough, as the fourth follows.
_SETS = 0  # [8192] for each set of ranks: its number among the sets of its size << 4 | its size
_CHOOSE = _SETS + 2**NUM_RANKS  # [14, 16] binomial coefficients
_ROUNDS = _CHOOSE + 14 * 16  # [8, 4] for each round: cards, base, P, where its lookup begins
_LOOKUPS = _ROUNDS + 8 * 4  # P x P x P for each round: where a configuration's row begins. Then the rows,
# [9] each: first index; weight of each suit's part of the index; how many suits from here on are alike
_MAX_CODES = 144


def canonical(groups: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the smallest deal that renaming the suits can give, with cards sorted within each group.

    Groups are in the order they are dealt (hole cards, flop, turn, river). Two deals are isomorphic exactly
    when their canonical forms are equal.
    """
    _verify_cards(*groups)
    return min(
        tuple(tuple(sorted((card & ~3) + suits[card & 3] for card in group)) for group in groups)
        for suits in SUIT_PERMUTATIONS
    )


def orbit_size(groups: Sequence[Sequence[int]]) -> int:
    """Return how many deals are isomorphic to this one, itself included: 24, 12, 6, 4 or 1."""
    _verify_cards(*groups)
    suits = Counter(
        tuple(tuple(sorted(card >> 2 for card in group if card & 3 == suit)) for group in groups)
        for suit in range(NUM_SUITS)
    )
    return factorial(NUM_SUITS) // prod(factorial(alike) for alike in suits.values())


def count_isomorphic(rounds: Sequence[int]) -> int:
    """Return how many classes of isomorphic deals the rounds have, by Burnside's lemma.

    That is the mean, over the 24 permutations of the suits, of the number of deals a permutation leaves
    unchanged. A deal is unchanged when each of its rounds is a union of the permutation's cycles of cards.
    """
    _verify_rounds(rounds)
    fixed = 0
    for suits in SUIT_PERMUTATIONS:
        lengths = Counter(_cycle_lengths(suits))
        cycles = tuple(NUM_RANKS * lengths[length] for length in range(1, NUM_SUITS + 1))
        fixed += _count_unions(tuple(rounds), cycles)
    return fixed // len(SUIT_PERMUTATIONS)


def canonical_boards(num_cards: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return one board ``[m, num_cards]`` per class of isomorphic boards, and the class sizes ``[m]``.

    Boards are unordered sets of 1 to 5 cards in canonical form, in lexicographic order. The sizes
    sum to C(52, num_cards).
    """
    if not 1 <= num_cards <= 5:
        raise ShapeError(f"boards of {num_cards!r} cards were asked for; they have 1 to 5 cards")
    indexer = Indexer((num_cards,))
    boards = np.empty((indexer.size, num_cards), dtype=np.uint8)
    weights = np.zeros(indexer.size, dtype=np.int64)
    _collect_boards(indexer.layout, boards, weights)
    return boards, weights


class Indexer:
    """A number for each class of isomorphic deals, after each of the ``rounds``.

    ``Indexer((2, 3, 1, 1)).sizes`` is (169, 1286792, 55190538, 2428287420). Cards are given as one flat
    sequence, round after round. The number of cards tells how many rounds were dealt.
    """

    rounds: tuple[int, ...]
    sizes: tuple[int, ...]  # number of classes after each round
    layout: NDArray[np.int64]  # all that `deal_index` reads; kernels pass it on

    def __init__(self, rounds: Sequence[int]) -> None:
        _verify_rounds(rounds)
        self.rounds = tuple(int(count) for count in rounds)
        self._num_cards = tuple(sum(self.rounds[: i + 1]) for i in range(len(self.rounds)))
        self._configurations = [_configurations(self.rounds[: i + 1]) for i in range(len(self.rounds))]
        self._first = [_running_sums(found) for found in self._configurations]
        self.sizes = tuple(first[-1] for first in self._first)
        self.layout = self._build_layout()

    @property
    def size(self) -> int:
        """Number of classes after the last round."""
        return self.sizes[-1]

    def __repr__(self) -> str:
        return f"Indexer({self.rounds!r})"

    def index(self, cards: Sequence[int]) -> int:
        """Return the number of the deal's class, below ``sizes[r]`` after round ``r``."""
        last = self._last_round(len(cards))
        _verify_cards(cards)
        work = np.empty(WORK_SIZE, dtype=np.int64)
        return int(deal_index(self.layout, last, np.array(cards, dtype=np.uint8), work))

    def index_batch(self, cards: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return the numbers ``[n]`` of the classes of ``n`` deals, ``cards`` being ``[n, k]``."""
        cards = np.asarray(cards)
        if cards.ndim != 2 or not np.issubdtype(cards.dtype, np.integer):
            raise ShapeError(
                f"cards have shape {cards.shape} and type {cards.dtype}; expected integers of shape [n, k]"
            )
        last = self._last_round(cards.shape[1])
        verify_card_rows(cards)
        out = np.empty(len(cards), dtype=np.int64)
        _index_batch(self.layout, last, np.ascontiguousarray(cards, dtype=np.uint8), out)
        if out.size and out.min() < 0:
            row = int(out.argmin())
            raise ParseError(
                f"row {row}: a card comes twice in {cards[row].tolist()!r}; every card exists once"
            )
        return out

    def unindex(self, last_round: int, index: int) -> tuple[int, ...]:
        """Return the canonical deal of a class as a flat tuple of cards: the opposite of `index`."""
        if not 0 <= last_round < len(self.rounds):
            raise ShapeError(
                f"round {last_round!r} was asked for; {self!r} has rounds 0 to {len(self.rounds) - 1}"
            )
        if not 0 <= index < self.sizes[last_round]:
            raise ShapeError(
                f"index {index!r} was asked for; round {last_round} of {self!r} "
                f"has {self.sizes[last_round]} classes"
            )
        at = bisect_right(self._first[last_round], index) - 1
        rest = index - self._first[last_round][at]
        groups: list[list[int]] = [[] for _ in range(last_round + 1)]
        suit = 0
        for counts, alike in groupby(self._configurations[last_round][at]):
            m = len(list(alike))
            rest, number = divmod(rest, _multichoose(_suit_size(counts), m))
            for suit_number in _multiset(number, m):
                for group, ranks in zip(groups, _suit_ranks(suit_number, counts), strict=True):
                    group.extend(4 * rank + suit for rank in ranks)
                suit += 1
        return tuple(card for group in canonical(groups) for card in group)

    def _last_round(self, num_cards: int) -> int:
        if num_cards not in self._num_cards:
            raise ShapeError(
                f"a deal of {num_cards} cards was given; "
                f"{self!r} has {_list_of(self._num_cards)} cards after its rounds"
            )
        return self._num_cards.index(num_cards)

    def _build_layout(self) -> NDArray[np.int64]:
        bases = [min(count, NUM_RANKS) + 1 for count in self.rounds]
        num_codes = [prod(bases[: i + 1]) for i in range(len(bases))]
        if num_codes[-1] > _MAX_CODES or any(size >= 2**58 for size in self.sizes):
            raise ShapeError(f"rounds {self.rounds!r} are too many to index; about seven cards are possible")
        lookups = [np.zeros((codes, codes, codes), dtype=np.int64) for codes in num_codes]
        starts = [_LOOKUPS + sum(lookup.size for lookup in lookups[:i]) for i in range(len(lookups) + 1)]
        rows: list[int] = []
        for lookup, found, first_of in zip(lookups, self._configurations, self._first, strict=True):
            for configuration, first in zip(found, first_of, strict=False):
                a, b, c, _ = (_code(counts, bases) for counts in configuration)
                lookup[a, b, c] = starts[-1] + len(rows)
                weights: list[int] = []
                alike: list[int] = []
                weight = 1
                for counts, run in groupby(configuration):
                    m = len(list(run))
                    weights += [weight] * m
                    alike += range(m, 0, -1)
                    weight *= _multichoose(_suit_size(counts), m)
                rows += [first, *weights, *alike]
        rounds = np.zeros((8, 4), dtype=np.int64)
        rounds[: len(bases)] = np.column_stack([self.rounds, bases, num_codes, starts[:-1]])
        choose = np.array([[comb(n, k) for k in range(16)] for n in range(14)], dtype=np.int64)
        parts = [_numbered_sets(), choose, rounds, *lookups, np.array(rows, dtype=np.int64)]
        layout = np.concatenate([part.ravel() for part in parts])
        layout.flags.writeable = False
        return layout


@kernel
def deal_index(
    layout: NDArray[np.int64], last_round: int, cards: NDArray[np.uint8], work: NDArray[np.int64]
) -> np.int64:
    """Number of a deal's class after ``last_round``; -1 if a card comes twice.

    ``cards`` come round after round and may be more than needed. ``work`` is scratch space of `WORK_SIZE`
    integers; make it once per loop, not once per deal.
    """
    # Sets of ranks, 16 bits for each suit. Ranks are counted among those that earlier rounds have not used.
    taken = np.int64(0)
    position = 0
    for r in range(last_round + 1):
        earlier = taken
        here = np.int64(0)
        for _ in range(layout[_ROUNDS + 4 * r]):
            rank = np.int64(cards[position]) >> 2
            shift = (np.int64(cards[position]) & 3) << 4
            position += 1
            bit = _ONE << (shift + rank)
            if taken & bit:
                return np.int64(-1)
            taken |= bit
            here |= bit >> (layout[(earlier >> shift) & ((_ONE << rank) - 1)] & 15)
        work[4 + r] = here

    for suit in range(4):
        code = number = np.int64(0)
        size = _ONE
        left = np.int64(13)
        for r in range(last_round + 1):
            ranks = layout[(work[4 + r] >> (16 * suit)) & 0x1FFF]
            count = ranks & 15
            number += size * (ranks >> 4)
            size *= layout[_CHOOSE + 16 * left + count]
            left -= count
            code = code * layout[_ROUNDS + 4 * r + 1] + count
        work[suit] = code << _KEY_SHIFT | number
    a, b = max(work[0], work[1]), min(work[0], work[1])
    c, d = max(work[2], work[3]), min(work[2], work[3])
    a, c = max(a, c), min(a, c)
    b, d = max(b, d), min(b, d)
    b, c = max(b, c), min(b, c)

    codes = layout[_ROUNDS + 4 * last_round + 2]
    where = ((a >> _KEY_SHIFT) * codes + (b >> _KEY_SHIFT)) * codes + (c >> _KEY_SHIFT)
    row = layout[layout[_ROUNDS + 4 * last_round + 3] + where]
    return np.int64(
        layout[row]
        + layout[row + 1] * multichoose(a & _NUMBER_MASK, layout[row + 5])
        + layout[row + 2] * multichoose(b & _NUMBER_MASK, layout[row + 6])
        + layout[row + 3] * multichoose(c & _NUMBER_MASK, layout[row + 7])
        + layout[row + 4] * multichoose(d & _NUMBER_MASK, layout[row + 8])
    )


@kernel
def multichoose(n: np.int64, k: np.int64) -> np.int64:
    """Number of multisets of ``k`` = 1..4 out of ``n``: C(n + k - 1, k)."""
    if k == 1:
        return n
    if k == 2:
        return n * (n + 1) // 2
    if k == 3:
        return n * (n + 1) * (n + 2) // 6
    return n * (n + 1) * (n + 2) * (n + 3) // 24


@kernel
def _index_batch(
    layout: NDArray[np.int64], last_round: int, cards: NDArray[np.uint8], out: NDArray[np.int64]
) -> None:
    work = np.empty(WORK_SIZE, dtype=np.int64)
    for i in range(out.size):
        out[i] = deal_index(layout, last_round, cards[i], work)


@kernel
def _collect_boards(layout: NDArray[np.int64], boards: NDArray[np.uint8], weights: NDArray[np.int64]) -> None:
    """Walk all boards in lexicographic order; the first board of each class is its canonical one."""
    num_cards = boards.shape[1]
    work = np.empty(WORK_SIZE, dtype=np.int64)
    row = np.full(len(boards), -1, dtype=np.int64)
    found = 0
    board = np.arange(num_cards).astype(np.uint8)
    while True:
        index = deal_index(layout, 0, board, work)
        if row[index] < 0:
            row[index] = found
            boards[found] = board
            found += 1
        weights[row[index]] += 1
        i = num_cards - 1
        while i >= 0 and board[i] == 52 - num_cards + i:
            i -= 1
        if i < 0:
            return
        board[i] += 1
        for j in range(i + 1, num_cards):
            board[j] = board[j - 1] + 1


Counts = tuple[int, ...]  # of one suit: how many of its cards come in each round
Configuration = tuple[Counts, ...]  # the counts of the four suits, greatest first


def _configurations(rounds: Sequence[int]) -> list[Configuration]:
    """All ways to share the rounds' cards among four suits, in a fixed order; the suits are unordered."""
    found: set[Configuration] = {((),) * NUM_SUITS}
    for count in rounds:
        found = {
            tuple(sorted(((*old, more) for old, more in zip(suits, share, strict=True)), reverse=True))
            for suits in found
            for share in _shares(count)
            if all(sum(old) + more <= NUM_RANKS for old, more in zip(suits, share, strict=True))
        }
    return sorted(found)


def _shares(count: int) -> Iterator[tuple[int, ...]]:
    """All ways to write ``count`` as an ordered sum of four."""
    for bars in combinations_with_replacement(range(count + 1), NUM_SUITS - 1):
        marks = (0, *bars, count)
        yield tuple(marks[i + 1] - marks[i] for i in range(NUM_SUITS))


def _running_sums(configurations: Sequence[Configuration]) -> list[int]:
    """First index of each configuration; the number of all classes comes last."""
    first = [0]
    for configuration in configurations:
        alike = Counter(configuration)
        first.append(first[-1] + prod(_multichoose(_suit_size(counts), m) for counts, m in alike.items()))
    return first


def _suit_size(counts: Counts) -> int:
    """N(n): in how many ways ranks can be chosen for one suit with these counts."""
    return prod(comb(NUM_RANKS - sum(counts[:i]), count) for i, count in enumerate(counts))


def _code(counts: Counts, bases: Sequence[int]) -> int:
    code = 0
    for count, base in zip(counts, bases, strict=False):
        code = code * base + count
    return code


def _multichoose(n: int, k: int) -> int:
    return comb(n + k - 1, k)


def _multiset(number: int, k: int) -> list[int]:
    """The ``k`` elements, greatest first, of the multiset with this colexicographic number."""
    elements = []
    for left in range(k, 0, -1):
        low, high = 0, number + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if _multichoose(middle, left) <= number else (low, middle)
        elements.append(low)
        number -= _multichoose(low, left) if low else 0
    return elements


def _suit_ranks(number: int, counts: Counts) -> list[list[int]]:
    """One suit's ranks in each round, from its number."""
    free = list(range(NUM_RANKS))
    rounds = []
    for count in counts:
        number, place = divmod(number, comb(len(free), count))
        positions = []
        for left in range(count, 0, -1):
            position = max(p for p in range(len(free)) if comb(p, left) <= place)
            place -= comb(position, left)
            positions.append(position)
        rounds.append([free[position] for position in positions])
        free = [rank for rank in free if rank not in rounds[-1]]
    return rounds


def _numbered_sets() -> NDArray[np.int64]:
    """For each set of ranks ``[8192]``: how many sets of its size are smaller numbers << 4 | its size."""
    size = np.bitwise_count(np.arange(1 << NUM_RANKS)).astype(np.int64)
    numbers = np.empty_like(size)
    for count in range(NUM_RANKS + 1):
        same = np.flatnonzero(size == count)
        numbers[same] = np.arange(same.size)
    return numbers << 4 | size


def _cycle_lengths(permutation: Sequence[int]) -> list[int]:
    seen: set[int] = set()
    lengths = []
    for start in range(len(permutation)):
        before = len(seen)
        while start not in seen:
            seen.add(start)
            start = permutation[start]
        if len(seen) > before:
            lengths.append(len(seen) - before)
    return lengths


@cache
def _count_unions(rounds: tuple[int, ...], cycles: tuple[int, ...]) -> int:
    """Number of ways to fill the rounds with whole cycles; ``cycles[i]`` cycles have length ``i + 1``."""
    if not rounds:
        return 1
    total = 0
    for chosen in _cycle_choices(rounds[0], cycles):
        ways = prod(comb(there, taken) for there, taken in zip(cycles, chosen, strict=True))
        left = tuple(there - taken for there, taken in zip(cycles, chosen, strict=True))
        total += ways * _count_unions(rounds[1:], left)
    return total


def _cycle_choices(cards: int, cycles: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All choices of how many cycles of each length make up a number of cards."""
    if not cycles:
        if cards == 0:
            yield ()
        return
    length = len(cycles)
    for taken in range(min(cycles[-1], cards // length) + 1):
        for rest in _cycle_choices(cards - taken * length, cycles[:-1]):
            yield (*rest, taken)


def _verify_cards(*groups: Sequence[int]) -> None:
    for group in groups:
        for card in group:
            card_name(card)
    verify_distinct(*groups)


def _verify_rounds(rounds: Sequence[int]) -> None:
    if not rounds or min(rounds) < 1 or sum(rounds) > NUM_CARDS:
        raise ShapeError(
            f"rounds {tuple(rounds)!r} cannot be dealt; expected one or more rounds of at least one card, "
            f"at most {NUM_CARDS} in all"
        )


def _list_of(numbers: Sequence[int]) -> str:
    *most, last = map(str, numbers)
    return f"{', '.join(most)} or {last}" if most else last
