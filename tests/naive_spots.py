"""Slow twin of the payoffs of spots: every pair of holdings, every card and every end of the hand, one by
one.
"""

from collections import defaultdict
from functools import cache

import numpy as np
import scipy.sparse as sp

from soulread.cards.deck import NUM_CARDS, card_name
from soulread.cards.evaluate import evaluate
from soulread.cards.ranges import HAND_CARDS, NUM_HANDS, hand_name
from soulread.seqform.spot import Spot


def payoff_matrix(spot: Spot, player: int = 0) -> sp.csr_array:
    """``[sequences of player 0, sequences of player 1]``: chips of a player, after the rake, times chance."""
    trees = spot.trees
    matrix: dict[tuple[int, int], float] = defaultdict(float)
    betting = spot.betting

    @cache
    def find_set(player: int, hand: str, path: str) -> slice:
        return trees[player].sequences(trees[player].index(f"{hand}|{path}"))

    def walk(street, node, path, last, hands, cards, chance, put_in) -> None:
        """``put_in`` is counted here, not read from the nodes."""
        here = spot.tree[street].nodes[node]
        rows = find_set(here.player, hand_name(hands[here.player]), " ".join(path))
        street_start = spot.tree[street].entries[here.entry].put_in
        for k, action in enumerate(here.actions):
            sequence = rows.start + k * rows.step
            after = (sequence, last[1]) if here.player == 0 else (last[0], sequence)
            word = f"{action.kind}{action.chips}" if action.chips else action.kind
            chips = list(put_in)
            if action.kind == "call":
                chips[here.player] = chips[1 - here.player]
            elif action.chips:
                chips[here.player] = street_start + action.chips
            kind, index = here.after[k]
            if kind == "fold":
                matrix[after] += chance * won(
                    1 if here.player == 1 else -1, betting.pot / 2 + chips[here.player]
                )
            elif kind == "node":
                walk(street, index, [*path, word], after, hands, cards, chance, chips)
            elif kind == "showdown":
                matrix[after] += chance * won(winner(hands, cards), betting.pot / 2 + chips[0])
            else:
                deal(street + 1, index, [*path, word], after, hands, cards, chance, chips)

    def deal(street, entry, path, last, hands, cards, chance, put_in) -> None:
        used = {*spot.board, *cards, *HAND_CARDS[hands[0]].tolist(), *HAND_CARDS[hands[1]].tolist()}
        free = [card for card in range(NUM_CARDS) if card not in used]
        for card in free:
            start = spot.tree[street].starts[entry]
            longer = [*path, card_name(card)]
            if start >= 0:
                walk(street, start, longer, last, hands, (*cards, card), chance / len(free), put_in)
            elif street == len(spot.tree) - 1:
                chips = betting.pot / 2 + put_in[0]
                matrix[last] += chance / len(free) * won(winner(hands, (*cards, card)), chips)
            else:
                further = next(
                    k for k, e in enumerate(spot.tree[street + 1].entries) if e.before == (-1, entry)
                )
                deal(street + 1, further, longer, last, hands, (*cards, card), chance / len(free), put_in)

    def won(who: float, each: float) -> float:
        """Chips of the player where each side has put in as many, half of the pot at the start included.

        ``who`` is 1 if player 0 wins, -1 if player 1 does, and 0 for a split pot.
        """
        pot = 2 * each
        rake = betting.rake.part * pot
        if betting.rake.cap is not None and rake > betting.rake.cap:
            rake = betting.rake.cap
        part = (1 + who) / 2 if player == 0 else (1 - who) / 2
        return part * (pot - rake) - each

    def winner(hands, cards) -> int:
        first, second = (evaluate([*spot.board, *cards, *HAND_CARDS[hand].tolist()]) for hand in hands)
        return (first > second) - (first < second)

    pairs = []
    for h in range(NUM_HANDS):
        for g in range(NUM_HANDS):
            weight = spot.ranges[0].weights[h] * spot.ranges[1].weights[g]
            cards = [*HAND_CARDS[h].tolist(), *HAND_CARDS[g].tolist(), *spot.board]
            if weight > 0 and len(set(cards)) == len(cards):
                pairs.append((h, g, weight))
    total = sum(weight for _, _, weight in pairs)
    for h, g, weight in pairs:
        walk(0, spot.tree[0].starts[0], [], (0, 0), (h, g), (), weight / total, [0, 0])
    rows, columns = np.array(list(matrix)).T
    shape = trees[0].num_sequences, trees[1].num_sequences
    return sp.coo_array((list(matrix.values()), (rows, columns)), shape=shape).tocsr()
