"""Equity: the share of the pot that a hand or range wins on average when all board cards are dealt.

Exact equity goes through every board, but boards that differ only in the names of the suits need to be
looked at only once. Let G be the group of suit permutations that change neither the board so far nor one of
the two ranges. G divides the boards into orbits. One board of each orbit is enough, counted as many times as
the orbit has boards. The other range need not be symmetric. With w its weights and f(h) what hand h wins
against the symmetric range,

    sum over h of w(h) f(h)  =  sum over h of w'(h) f(h),    w'(h) = mean of w(g h) over g in G,

because f(g h) = f(h). Example: against a random hand G has all 24 permutations, and 134,459 boards stand for
2,598,960. On each board, few hands are compared one by one. Many hands are sorted once instead, and running
sums then give the result for each of them.

Boards are divided into a fixed number of parts, and the sums of the parts are added in order. The results
therefore do not depend on the number of threads.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal_into
from soulread.cards.deck import NUM_CARDS, verify_distinct
from soulread.cards.evaluate import Tables, tables, value_of
from soulread.cards.isomorphism import CARD_MAPS, HAND_MAPS, SUIT_RENAMINGS
from soulread.cards.preflop import class_weights, preflop_table
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, NUM_HANDS, Range, cards_mask
from soulread.cards.strength import (
    BITS,
    DEAD,
    THIN,
    CardSums,
    board_sums,
    card_sums,
    compare_weights,
    hand_sums,
    rank_weights,
    runout_sums,
    scratch_for,
    value_hands,
    values_by_numpy,
)
from soulread.errors import ParseError, SoulreadError
from soulread.estimate import Estimate
from soulread.kernel import few, kernel
from soulread.machine import num_threads, verify_room
from soulread.words import plural

Hands = Range | Sequence[int]  # a range, or the two cards of one hand

_NO_DEAL = "no deal is possible: any two hands of the ranges share a card with each other or with the board"
_PARTS = 64  # parts the boards are cut into; fixed, so that every machine adds the sums in the same order
_PARALLEL_FROM = 500  # with fewer boards than this, threads cost more than they gain
_SAMPLES_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class Equity:
    """Weights of the deals that hero wins, ties and loses.

    For an exact result the weights count deals (pairs of hands times boards, times the hands' weights) and
    ``samples`` is 0. For an estimate they count the ``samples`` deals that were drawn.
    """

    win: float
    tie: float
    lose: float
    samples: int = 0

    @property
    def total(self) -> float:
        """Weight of all deals."""
        return self.win + self.tie + self.lose

    @property
    def value(self) -> float:
        """Hero's share of the pot, 0 to 1; a tie counts half."""
        return (self.win + self.tie / 2) / self.total

    @property
    def probabilities(self) -> tuple[float, float, float]:
        """Probabilities that hero wins, ties and loses."""
        return self.win / self.total, self.tie / self.total, self.lose / self.total

    @property
    def estimate(self) -> Estimate:
        """The value with its uncertainty; the standard error is 0 if the value is exact."""
        if self.samples == 0:
            return Estimate(self.value, 0.0, 0)
        if self.samples == 1:
            return Estimate(self.value, math.nan, 1)
        win, tie, _ = self.probabilities
        variance = max(0.0, win + tie / 4 - self.value**2)
        return Estimate(self.value, math.sqrt(variance / (self.samples - 1)), self.samples)

    @property
    def standard_error(self) -> float:
        """Standard error of the value; 0 if it is exact."""
        return self.estimate.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the value; its two ends are equal if the value is exact."""
        return self.estimate.interval if self.samples else (self.value, self.value)


# Exact --------------------------------------------------------------------------------------------


def equity(hero: Hands, villain: Hands, board: Sequence[int] = ()) -> Equity:
    """Return hero's exact equity with 0, 3, 4 or 5 board cards known.

    A deal in which the two hands share a card does not count. Before the flop, ranges of whole classes such
    as "AKs" are looked up in `preflop_table`.
    """
    mine, his = _weights(board, hero, villain)
    if not board:
        classes = class_weights(mine), class_weights(his)
        if classes[0] is not None and classes[1] is not None:
            return _equity_of_classes(classes[0], classes[1])
    faced = _disjoint_weights(mine, his)
    if not mine @ faced > 0:
        raise SoulreadError(_NO_DEAL)
    found = _by_numpy(np.flatnonzero(mine * faced > 0), his, board)
    if found is not None:
        return _equity_of_sums(mine, faced, *found, board, 1)
    hero_group, villain_group = _symmetries(mine, board), _symmetries(his, board)
    group = villain_group if len(villain_group) >= len(hero_group) else hero_group
    images = HAND_MAPS[group]
    # Summed over the group, not averaged, so that whole numbers stay whole; the division comes at the end.
    if group is villain_group:
        mine = mine[images].sum(axis=0)
    else:
        his = his[images].sum(axis=0)
    faced = _disjoint_weights(mine, his)
    below, upto = showdowns(np.flatnonzero(mine * faced > 0), his, faced, board, group)
    return _equity_of_sums(mine, faced, below, upto, board, len(group))


def _equity_of_sums(
    mine: NDArray[np.float64],
    faced: NDArray[np.float64],
    below: NDArray[np.float64],
    upto: NDArray[np.float64],
    board: Sequence[int],
    times: int,
) -> Equity:
    """Equity from what each hero's hand faces, beats, and beats or ties, each deal counted so many times."""
    win = float(mine @ below) / times
    tie = float(mine @ (upto - below)) / times
    lose = float(mine @ faced) * _num_runouts(board) / times - win - tie
    return Equity(win, tie, max(0.0, lose))


def _equity_of_classes(mine: NDArray[np.float64], his: NDArray[np.float64]) -> Equity:
    """Equity before the flop, from the weights ``[169]`` of the classes."""
    table = preflop_table()
    if not mine @ table.pairs @ his > 0:
        raise SoulreadError(_NO_DEAL)
    win, tie, lose = (float(mine @ counts @ his) for counts in (table.wins, table.ties, table.wins.T))
    return Equity(win, tie, lose)


def equity_all(villain: Hands, board: Sequence[int] = ()) -> NDArray[np.float64]:
    """Exact equity ``[1326]`` of every hand against one range, with 0, 3, 4 or 5 board cards known.

    The value is NaN for a hand that holds a board card, and for a hand that shares a card with every hand
    in villain's range.
    """
    mine, his = _weights(board, Range.all(), villain)
    faced = _disjoint_weights(mine, his)
    heroes = np.flatnonzero(faced > 0)
    if heroes.size == 0:
        raise SoulreadError(_NO_DEAL)
    found = _by_numpy(heroes, his, board)
    group = _symmetries(his, board) if found is None else np.zeros(1, np.intp)
    below, upto = showdowns(heroes, his, faced, board, group) if found is None else found
    won = (below + upto)[HAND_MAPS[group]].sum(axis=0) / (2 * len(group))
    values = np.full(NUM_HANDS, np.nan)
    values[heroes] = won[heroes] / (faced[heroes] * _num_runouts(board))
    return values


def _weights(board: Sequence[int], *players: Hands) -> list[NDArray[np.float64]]:
    """Weights ``[1326]`` of each player's hands; 0 for hands that hold a board card."""
    if len(board) not in (0, 3, 4, 5):
        raise ParseError(f"the board has {plural(len(board), 'card')}; expected 0, 3, 4 or 5 cards")
    ranges = [_as_range(player) for player in players]
    verify_distinct(*(player for player in players if not isinstance(player, Range)), board)
    alive = (HAND_MASKS & cards_mask(board)) == 0
    return [hands.weights * alive for hands in ranges]


def _as_range(hand: Hands) -> Range:
    return hand if isinstance(hand, Range) else Range.of(hand)


def _disjoint_weights(mine: NDArray[np.float64], his: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each of hero's hands: the weight of villain's hands that share no card with it; else 0."""
    heroes, villains = np.flatnonzero(mine), np.flatnonzero(his)
    disjoint = (HAND_MASKS[heroes, None] & HAND_MASKS[villains]) == 0
    weights = np.zeros(NUM_HANDS)
    weights[heroes] = disjoint @ his[villains]
    return weights


def _num_runouts(board: Sequence[int]) -> int:
    return math.comb(NUM_CARDS - 4 - len(board), 5 - len(board))


def _symmetries(weights: NDArray[np.float64], board: Sequence[int]) -> NDArray[np.intp]:
    """Indices of the suit permutations that change neither the weights nor the set of board cards."""
    cards = np.array(board, dtype=np.intp)
    same_board = (np.sort(CARD_MAPS[:, cards], axis=1) == np.sort(cards)).all(axis=1)
    same_weights = (weights[HAND_MAPS] == weights).all(axis=1)
    return np.flatnonzero(same_board & same_weights)


def showdowns(
    heroes: NDArray[np.intp],
    his: NDArray[np.float64],
    faced: NDArray[np.float64],
    board: Sequence[int],
    group: NDArray[np.intp],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Weights ``[1326]`` of the hands that each hero's hand beats, and beats or ties, over all boards.

    Only the sum over a whole orbit of hands under the group is meaningful. Other hands than hero's have 0.
    """
    villains = np.flatnonzero(his)
    hands = np.concatenate([villains, np.setdiff1d(heroes, villains)])
    places = np.flatnonzero(np.isin(hands, heroes))
    by_rank = heroes.size * villains.size > 3 * (heroes.size + villains.size)
    direct = places[faced[hands[places]] < THIN * his.sum()] if by_rank else places
    certain = np.bitwise_and.reduce(HAND_MASKS[heroes]) | np.bitwise_and.reduce(HAND_MASKS[villains])
    boards, counts = board_orbits(board, int(certain), group)
    sums = np.zeros((_PARTS, hands.size, 2))
    facing = Matchup(HAND_CARDS[hands], hand_sums(hands), his[hands], villains.size, places, direct, by_rank)
    if len(boards) >= _PARALLEL_FROM:

        def add(part: int) -> None:
            first, last = (len(boards) * end // _PARTS for end in (part, part + 1))
            _add_boards(tables(), boards[first:last], counts[first:last], facing, sums[part])

        with ThreadPoolExecutor(num_threads()) as pool:
            for _ in pool.map(add, range(_PARTS)):
                pass
    else:
        _add_boards(tables(), boards, counts, facing, sums[0])
    below, upto = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
    below[hands], upto[hands] = sums.sum(axis=0).T
    return below, upto


def _by_numpy(
    heroes: NDArray[np.intp], his: NDArray[np.float64], board: Sequence[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """`showdowns` over every board, by NumPy; None if this is more than a little work, or Numba is there."""
    villains = np.flatnonzero(his)
    certain = int(np.bitwise_and.reduce(HAND_MASKS[heroes]) | np.bitwise_and.reduce(HAND_MASKS[villains]))
    seen = [card for card in range(NUM_CARDS) if (certain | cards_mask(board)) >> card & 1]
    missing = 5 - len(board)
    pairs = heroes.size * villains.size
    if not few(math.comb(NUM_CARDS - len(seen), missing) * (heroes.size + villains.size + pairs // 8)):
        return None
    below, upto = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
    known = board_sums(board)
    faced = ((HAND_MASKS[heroes, None] & HAND_MASKS[villains]) == 0) * his[villains]
    for some in parts_of_runouts(seen, missing):
        theirs = values_by_numpy(known, some, hand_sums(villains))
        ours = values_by_numpy(known, some, hand_sums(heroes))
        ours[ours == DEAD] = -1  # beats nothing and ties with nothing
        for i in range(heroes.size):
            below[heroes[i]] += np.count_nonzero(theirs < ours[:, i, None], axis=0) @ faced[i]
            upto[heroes[i]] += np.count_nonzero(theirs <= ours[:, i, None], axis=0) @ faced[i]
    return below, upto


def parts_of_runouts(seen: Sequence[int], count: int) -> Iterator[CardSums]:
    """Sums ``[3, m]`` of every way to deal so many cards, in parts that fit into a cache."""
    if count < 4:
        yield runout_sums(seen, count)
        return
    left = [card for card in range(NUM_CARDS) if card not in seen]
    for card in left[: len(left) - count + 1]:  # the lowest one dealt
        for part in parts_of_runouts([*seen, *range(card + 1)], count - 1):
            yield part + card_sums(np.array([[card]]))


def board_orbits(
    board: Sequence[int], dead: int, group: NDArray[np.intp]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Complete a board to five cards: one board ``[m, 5]`` of each orbit, and the orbits' sizes ``[m]``.

    ``dead`` is a bit mask of cards that are not dealt. The group must change neither ``dead`` nor the board.
    """
    if len(board) == 5:
        return np.array([board], dtype=np.uint8), np.ones(1, dtype=np.int64)
    deck = np.array([card for card in range(NUM_CARDS) if not (cards_mask(board) | dead) >> card & 1])
    size = math.comb(deck.size, 5 - len(board))
    boards, counts = np.empty((size, 5), dtype=np.uint8), np.empty(size, dtype=np.int64)
    boards[:, : len(board)] = board
    found = _fill_orbits(tables().masks, deck, len(board), 16 * SUIT_RENAMINGS[group], boards, counts)
    return boards[:found], counts[:found]


@kernel
def _fill_orbits(
    masks: NDArray[np.int64],
    deck: NDArray[np.int64],
    known: int,
    shifts: NDArray[np.int64],
    boards: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> int:
    """Keep the boards that no permutation makes greater.

    To compare them, a board is read as one number: the sets of ranks of its four suits side by side.
    """
    missing = 5 - known
    chosen = np.arange(missing)
    fixed = 0
    for i in range(known):
        fixed += masks[boards[0, i]]
    found = 0
    for _ in range(counts.size):
        mask = fixed
        for i in range(missing):
            mask += masks[deck[chosen[i]]]
        stabiliser = 0
        for g in range(shifts.shape[0]):
            image = 0
            for suit in range(4):
                image |= (mask >> 16 * suit & 0xFFFF) << shifts[g, suit]
            if image > mask:
                stabiliser = 0
                break
            stabiliser += image == mask
        if stabiliser > 0:
            for i in range(missing):
                boards[found, known + i] = deck[chosen[i]]
            counts[found] = shifts.shape[0] // stabiliser
            found += 1
        last = missing - 1
        while last >= 0 and chosen[last] == deck.size - missing + last:
            last -= 1
        if last >= 0:
            chosen[last] += 1
            for i in range(last + 1, missing):
                chosen[i] = chosen[i - 1] + 1
    return found


class Matchup(NamedTuple):
    """Hands to be compared, villain's first."""

    cards: NDArray[np.uint8]  # [n, 2]
    hands: CardSums  # [3, n]
    weights: NDArray[np.float64]  # [n] of villain's range
    num_villains: int
    heroes: NDArray[np.intp]  # places of the hero's hands
    direct: NDArray[np.intp]  # places of those that are compared hand by hand
    by_rank: bool  # the others are compared by sorting


@kernel
def _add_boards(
    tables: Tables,
    boards: NDArray[np.uint8],
    counts: NDArray[np.int64],
    facing: Matchup,
    sums: NDArray[np.float64],
) -> None:
    """Add to ``sums[n, 2]`` what each hero's hand beats, and beats or ties, on each board."""
    cards, hands, weights, num_villains, heroes, direct, by_rank = facing
    size = weights.size
    values = np.empty(size, np.int16)
    below, upto = np.zeros(size), np.zeros(size)
    scratch = scratch_for(size)
    for k in range(counts.size):
        value_hands(tables, hands, boards[k], DEAD, values)
        if by_rank:
            rank_weights(values, cards, weights, scratch, below, upto)
        compare_weights(values, hands[BITS], weights[:num_villains], direct, below, upto)
        for h in heroes:
            if values[h] != DEAD:
                sums[h, 0] += counts[k] * below[h]
                sums[h, 1] += counts[k] * upto[h]


# Sampled ------------------------------------------------------------------------------------------


def equity_sampled(
    hero: Hands,
    villain: Hands,
    board: Sequence[int],
    samples: int,
    rng: np.random.Generator,
    progress: Callable[[int], None] | None = None,
) -> Equity:
    """Estimate hero's equity from ``samples`` random deals, each drawn with its true probability.

    ``progress`` is called with the number of deals that were just drawn.
    """
    mine, his = _weights(board, hero, villain)
    _verify_samples(samples)
    heroes, villains = np.flatnonzero(mine), np.flatnonzero(his)
    disjoint = (HAND_MASKS[heroes, None] & HAND_MASKS[villains]) == 0
    chances = np.cumsum(mine[heroes, None] * his[villains] * disjoint)
    if chances.size == 0 or not chances[-1] > 0:
        raise SoulreadError(_NO_DEAL)
    counts = np.zeros(3, dtype=np.int64)
    for size in _batches(samples):
        pairs = np.searchsorted(chances, rng.random(size) * chances[-1], side="right")
        h, v = np.divmod(np.minimum(pairs, np.searchsorted(chances, chances[-1])), villains.size)
        shares = _sample_shares(np.stack([heroes[h], villains[v]], axis=1), board, rng)[:, 0]
        counts += np.bincount((2 - 2 * shares).astype(np.int64), minlength=3)
        if progress is not None:
            progress(size)
    win, tie, lose = counts.tolist()
    return Equity(win, tie, lose, samples)


def equity_multiway(
    players: Sequence[Hands], board: Sequence[int], samples: int, rng: np.random.Generator
) -> tuple[Estimate, ...]:
    """Estimate each player's share of the pot (ties split evenly) from ``samples`` deals.

    Hands are drawn for all players at once, and drawn again if they share a card. Ranges that nearly always
    share a card are therefore slow. Ranges that share a card in each of a million draws are an error.
    """
    if len(players) < 2:
        raise SoulreadError(f"players={players!r}; expected at least two")
    _verify_samples(samples)
    chances = [np.cumsum(weights) for weights in _weights(board, *players)]
    if not all(chance[-1] > 0 for chance in chances):
        raise SoulreadError(_NO_DEAL)
    verify_room(plural(samples, "sample"), 2 * 8 * samples * len(players))
    shares = np.empty((samples, len(players)))
    filled = drawn = 0
    while filled < samples:
        if drawn >= 1_000_000 and filled == 0:
            raise SoulreadError(f"the {len(players)} ranges share cards in each of {drawn} draws")
        size = min(_SAMPLES_AT_ONCE, 2 * (samples - filled) + 100)
        hands = np.stack(
            [np.searchsorted(c, rng.random(size) * c[-1], side="right") for c in chances], axis=1
        )
        hands = np.minimum(hands, NUM_HANDS - 1)
        masks = HAND_MASKS[hands]
        apart = masks.sum(axis=1) == np.bitwise_or.reduce(masks, axis=1)
        hands = hands[apart][: samples - filled]
        shares[filled : filled + len(hands)] = _sample_shares(hands, board, rng)
        filled += len(hands)
        drawn += size
    return tuple(Estimate.of(column) for column in shares.T)


def _verify_samples(samples: int) -> None:
    if samples < 1:
        raise SoulreadError(f"samples={samples!r}; expected at least 1")


def _batches(samples: int) -> Iterator[int]:
    """Split ``samples`` into parts small enough for memory."""
    while samples > 0:
        yield min(samples, _SAMPLES_AT_ONCE)
        samples -= _SAMPLES_AT_ONCE


def _sample_shares(
    hands: NDArray[np.intp], board: Sequence[int], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Deal a random rest of the board to each row of hands ``[n, players]``; return shares of the pot."""
    shares = np.empty(hands.shape)
    uniforms = rng.random((len(hands), 5 - len(board)))
    _deal_shares(
        tables(), HAND_CARDS[hands].astype(np.int64), np.array(board, dtype=np.int64), uniforms, shares
    )
    return shares


@kernel
def _deal_shares(
    tables: Tables,
    hands: NDArray[np.int64],
    board: NDArray[np.int64],
    uniforms: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> None:
    deck = np.empty(52, np.int64)
    num_samples, num_players = shares.shape
    values = np.empty(num_players, np.int64)
    fixed_word = fixed_mask = fixed = np.int64(0)
    for card in board:
        fixed_word += tables.words[card]
        fixed_mask += tables.masks[card]
        fixed |= np.int64(1) << card
    for s in range(num_samples):
        dead = fixed
        for p in range(num_players):
            dead |= (np.int64(1) << hands[s, p, 0]) | (np.int64(1) << hands[s, p, 1])
        size = 0
        for card in range(52):
            deck[size] = card
            size += (dead >> card & 1) == 0
        deal_into(uniforms[s], deck[:size])
        word, mask = fixed_word, fixed_mask
        for i in range(uniforms.shape[1]):
            word += tables.words[deck[i]]
            mask += tables.masks[deck[i]]
        for p in range(num_players):
            a, b = hands[s, p]
            values[p] = value_of(
                tables, word + tables.words[a] + tables.words[b], mask + tables.masks[a] + tables.masks[b]
            )
        best = values.max()
        winners = (values == best).sum()
        for p in range(num_players):
            shares[s, p] = 1.0 / winners if values[p] == best else 0.0
