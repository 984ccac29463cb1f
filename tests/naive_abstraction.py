"""Slow, obvious twins of the abstraction's kernels."""

from itertools import combinations, permutations

import numpy as np

from soulread.cards.deck import NUM_CARDS
from soulread.cards.evaluate import evaluate_batch
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, NUM_HANDS, hand_index


def live_hands(board):
    """Indices of the hands without a card of the board."""
    return np.array([h for h in range(NUM_HANDS) if not set(HAND_CARDS[h].tolist()) & set(board)])


def river_strengths(board):
    """Twice the wins plus the ties of each of the 1326 hands; -1 where it holds a card of the board."""
    hands = live_hands(board)
    values = evaluate_batch(np.array([[*HAND_CARDS[h], *board] for h in hands])).astype(int)
    apart = (HAND_MASKS[hands][:, None] & HAND_MASKS[hands]) == 0
    score = np.sign(values[:, None] - values) + 1
    strengths = np.full(NUM_HANDS, -1)
    strengths[hands] = (score * apart).sum(axis=1)
    return strengths


def mean_strength(hole, board, power):
    """E[HS^power] over all ways to complete a board of 3 or 4 cards."""
    left = [card for card in range(NUM_CARDS) if card not in hole and card not in board]
    total = count = 0
    for runout in combinations(left, 5 - len(board)):
        total += one_strength(hole, (*board, *runout)) ** power
        count += 1
    return total / count


def one_strength(hole, board):
    left = [card for card in range(NUM_CARDS) if card not in hole and card not in board]
    hands = np.array([(*pair, *board) for pair in combinations(left, 2)])
    mine = int(evaluate_batch(np.array([(*hole, *board)]))[0])
    values = evaluate_batch(hands).astype(int)
    return ((values < mine).sum() + (values == mine).sum() / 2) / len(hands)


def renamings(board, canonical):
    """All renamings of the suits, as functions of a card, that turn a board into the canonical one."""
    for suits in permutations(range(4)):
        renamed = sorted(card // 4 * 4 + suits[card % 4] for card in board)
        if renamed == list(canonical):
            yield lambda card, suits=suits: card // 4 * 4 + suits[card % 4]


_numbers: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}


def find_canonical(boards, board):
    """Index of the canonical board, and all renamings that lead there."""
    if boards.shape not in _numbers:
        _numbers[boards.shape] = {tuple(cards): i for i, cards in enumerate(boards.tolist())}
    for suits in permutations(range(4)):
        renamed = sorted(card // 4 * 4 + suits[card % 4] for card in board)
        index = _numbers[boards.shape].get(tuple(renamed))
        if index is not None:
            return index, list(renamings(board, renamed))
    raise AssertionError(board)


def all_states(abstraction, canonical, hole, board):
    """(s_0, ..., s_3) of a holding, found with each of the renamings that fit; they must agree."""
    t, b = abstraction.tables, abstraction.branching
    flop, flop_maps = find_canonical(canonical.flops, board[:3])
    turn, turn_maps = find_canonical(canonical.turns, board[:4])
    river, river_maps = find_canonical(canonical.rivers, board)
    s0 = int(t.hole_state[hand_index(*hole)])
    (s1,) = {int(t.flop_state[flop, hand_index(*map(f, hole))]) for f in flop_maps}
    (b2,) = {
        int(
            t.turn_bucket[
                turn,
                hand_index(*map(f, hole)),
                canonical.turns[turn].tolist().index(f(board[3])),
            ]
        )
        for f in turn_maps
    }
    s2 = s1 * b[2] + b2
    (strength,) = {int(t.river_strength[river, hand_index(*map(f, hole))]) for f in river_maps}
    return s0, s1, s2, s2 * b[3] + sum(strength >= int(cut) for cut in t.river_cuts[s2])


def orders(board):
    """The 20 ways to tell the flop, the turn and the river of five cards."""
    for turn, river in permutations(board, 2):
        yield [*(card for card in board if card not in (turn, river)), turn, river]


def count_board(abstraction, board):
    """Wins and ties [S, S] of all pairs of hands on a board, in 20 orders."""
    size = abstraction.num_states[3]
    hands = live_hands(board)
    apart = (HAND_MASKS[hands][:, None] & HAND_MASKS[hands]) == 0
    values = evaluate_batch(np.array([[*HAND_CARDS[h], *board] for h in hands])).astype(int)
    win, ties = np.zeros(size * size, dtype=int), np.zeros(size * size, dtype=int)
    for order in orders(board):
        cards = np.array([[*HAND_CARDS[h], *order] for h in hands])
        s = abstraction.states(cards)[:, 3].astype(int)
        cell = s[:, None] * size + s
        win += np.bincount(cell[apart & (values[:, None] > values)], minlength=size * size)
        ties += np.bincount(cell[apart & (values[:, None] == values)], minlength=size * size)
    return win.reshape(size, size), ties.reshape(size, size)


def percentile_buckets(values, weights, buckets):
    """Bucket of each value: that in which the middle of its equals lies."""
    found = []
    for value in values:
        below = sum(w for v, w in zip(values, weights, strict=True) if v < value)
        equal = sum(w for v, w in zip(values, weights, strict=True) if v == value)
        found.append(int(buckets * (2 * below + equal) // (2 * sum(weights))))
    return found


def cumulative_histogram(values, top, bins, scale):
    """Share of the values in bins 0..b for each b, times ``scale`` and rounded down."""
    return [scale * sum(v * bins // top <= b for v in values) // len(values) for b in range(bins)]


def earth_movers_distance(p, q):
    """Work to move the histogram p to q along a line, bin by bin."""
    carried = work = 0
    for a, b in zip(p, q, strict=True):
        carried += a - b
        work += abs(carried)
    return work
