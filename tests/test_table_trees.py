"""Trees of everybody at a table answer in play-outs as each player's own trees do."""

import numpy as np
import pytest
from test_nolimit_rollout import random_point, some_deal, some_policy

from soulread.cards.ranges import hand_index
from soulread.cards.scales.card_facts import facts_on
from soulread.cards.strength import hand_strength
from soulread.games.walk import ACTOR, IN, ROUND, may_raise, to_call
from soulread.model.relational.bayes import Play, action_chances, nothing_known, size_chances
from soulread.model.relational.language import QueryKind
from soulread.model.relational.tree import Forest, Tree, join
from soulread.model.situation import NUM_MASKS, NUM_NUMBERS, NUM_SIZES, empty_situation, row_of, situation_at
from soulread.play.search.nolimit_rollout import play_out
from soulread.play.search.table_trees import ask_actions, ask_sizes, fill_cards, table_trees


def some_tree(parts: int, rng: np.random.Generator) -> Tree:
    """Tests on the table, on cards and on another player, with leaves that mean nothing."""
    properties = rng.integers(1, NUM_MASKS, 2).tolist()
    facts = rng.choice([3, 4, 5], 2).tolist()  # place, strength, what they make
    nodes = [
        (QueryKind.TABLE, int(rng.integers(NUM_NUMBERS)), int(rng.integers(1, 3)), 1, 2),
        (QueryKind.SOME, properties[0], -1, 3, 4),
        (QueryKind.CARD, facts[0], int(rng.integers(1, 8)), 5, 6),
        (QueryKind.BOUND, properties[1], -1, 7, 8),
        (QueryKind.CARD, facts[1], int(rng.integers(1, 8)), 9, 10),
        *[(QueryKind.LEAF, 0, -1, -1, -1)] * 6,
    ]
    odds = rng.normal(size=(len(nodes), parts))
    kind, a, b, yes, no = (np.array(column, np.int64) for column in zip(*nodes, strict=True))
    return Tree(kind, a, b, yes, no, odds, np.zeros_like(odds), np.zeros_like(odds))


def some_play(rng: np.random.Generator) -> Play:
    def forests(parts: int) -> tuple[Forest, Forest]:
        return tuple(join([some_tree(parts, rng) for _ in range(count)]) for count in rng.integers(1, 4, 2))  # type: ignore[return-value]

    return Play(forests(3), forests(NUM_SIZES))


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [2, 6, 9])
def test_each_seat_is_asked_by_its_own_trees(seats: int) -> None:
    rng = np.random.default_rng(seats)
    plays = [some_play(rng) for _ in range(seats)]
    trees = table_trees(plays)
    three, seven, room = np.zeros(3), np.zeros(NUM_SIZES), np.zeros(10, np.uint16)
    compared = 0
    for _ in range(40):
        state = random_point(seats, rng)
        left = [card for card in rng.permutation(52).tolist() if card not in state.cards]
        board = (*state.board, *left)[:5]
        deal = some_deal(state, board, rng)
        for seat in range(seats):
            deal.holdings[seat] = hand_index(*state.hole(seat))
            for round in range(1, 4):
                deal.hs[round, seat] = hand_strength(state.hole(seat), board[: round + 2]).value
        fill_cards(trees, state.round, deal)
        s = situation_at(state.view(state.player))
        may = to_call(s.walk) > 0, may_raise(s.walk)
        seat, round = s.walk[ACTOR], s.walk[ROUND]
        exact = facts_on(np.array(board[: (0, 3, 4, 5)[round]], np.int64))[0][deal.holdings[seat]]
        facts = trees.facts[round, seat]
        assert np.array_equal(np.delete(facts, 4), np.delete(exact, 4))
        assert abs(int(facts[4]) - int(exact[4])) <= 1  # the place is taken from HS
        ask_actions(trees, s, *may)
        action_chances(plays[seat], row_of(s), 0, *may, facts, room, three)
        assert np.allclose(trees.three, three)
        if may[1]:
            ask_sizes(trees, s)
            size_chances(plays[seat], row_of(s), 0, facts, room, seven)
            assert np.allclose(trees.seven, seven)
            compared += 1
    assert compared > 10


@pytest.mark.compiled
def test_play_outs_ask_trees_where_a_seat_has_them() -> None:
    """Trees that always call: nobody else folds or raises, whatever the tables say."""
    rng = np.random.default_rng(3)
    kind, a, b, yes, no = (np.array([value], np.int64) for value in (QueryKind.LEAF, 0, -1, -1, -1))
    odds = np.array([[-50.0, 50.0, -50.0]])
    calls = Tree(kind, a, b, yes, no, odds, np.zeros((1, 3)), np.zeros((1, 3)))
    forest = join([calls])
    caller = Play((forest, forest), nothing_known().sizes)
    work = empty_situation()
    for _ in range(30):
        state = random_point(6, rng)
        left = [card for card in rng.permutation(52).tolist() if card not in state.cards]
        deal = some_deal(state, (*state.board, *left)[:5], rng)
        us = state.player
        trees = table_trees([None if seat == us else caller for seat in range(6)])
        deal.holdings[:] = 100
        fill_cards(trees, state.round, deal)
        play_out(situation_at(state.view(us)), 1, some_policy(6, rng), trees, deal, work)
        folded = [seat for seat in range(6) if not work.walk[IN] >> seat & 1 and not state.folded[seat]]
        assert set(folded) <= {us}
