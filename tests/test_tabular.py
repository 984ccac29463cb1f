"""Strategies over betting nodes and private states: look-ups, draws, and play with real cards."""

from dataclasses import replace

import naive_tabular
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs import pair

from soulread.cards.arrays import deal
from soulread.cards.ranges import cards_mask
from soulread.errors import ShapeError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import replay
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Random
from soulread.play.tabular import TabularAgent
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import compile_factored, compile_game, enumerate_states
from soulread.seqform.holdings import all_states, hand_table
from soulread.seqform.lookup import BOTH, AbstractLookup, BlindLookup, CardLookup
from soulread.seqform.strategy import Behaviour, draw_action, draw_index, random_behaviour, uniform_behaviour
from soulread.seqform.tabular import TabularStrategy, tabular

SMALL = [kuhn(), leduc(), leduc(suit_isomorphic=True)]


@pytest.fixture(scope="module")
def ranks():
    return naive_tabular.rank_abstraction()


def random_strategy(game, seed: int) -> TabularStrategy:
    rng = np.random.default_rng(seed)
    lookup = CardLookup(game, enumerate_states(game).names)
    first, second = (random_behaviour(tree, rng) for tree in compile_factored(game).trees)
    return TabularStrategy(betting_tree(game), lookup, (first, second))


weights = st.lists(st.sampled_from([0.0, 0.1, 1 / 3, 0.5, 1.0]), min_size=1, max_size=4).filter(any)


@given(weights, st.floats(0, 1, exclude_max=True))
def test_draws_like_a_walk_along_the_probabilities(probabilities: list[float], uniform: float) -> None:
    spaced = np.zeros(3 * len(probabilities))
    spaced[1::3] = probabilities
    drawn = draw_action(spaced, 1, 3, len(probabilities), uniform)
    assert drawn == naive_tabular.draw(probabilities, uniform)
    assert probabilities[drawn] > 0


def test_a_draw_just_below_one_takes_the_last_possible_action() -> None:
    almost = np.nextafter(1.0, 0.0)
    assert draw_action(np.array([0.7, 0.3, 0.0]), 0, 1, 3, almost) == 1
    assert draw_action(np.array([0.1, 0.1, 0.1], dtype=np.float32), 0, 1, 3, almost) == 2


many_weights = st.lists(st.floats(0, 1e6, allow_subnormal=False), min_size=1, max_size=40).filter(any)
uniforms = st.floats(0, 1, exclude_max=True) | st.sampled_from([0.0, np.nextafter(1.0, 0.0)])


@given(many_weights, uniforms)
def test_an_index_is_drawn_as_by_a_search_in_the_sums(listed: list[float], uniform: float) -> None:
    weights = np.array(listed)
    below = np.cumsum(weights)
    drawn = draw_index(weights, uniform)
    assert drawn == np.searchsorted(below, uniform * below[-1], side="right")
    assert weights[drawn] > 0


def test_edges_of_the_index_drawn() -> None:
    almost = np.nextafter(1.0, 0.0)
    assert draw_index(np.array([0.0, 2.0, 0.0, 6.0, 0.0]), 0.0) == 1
    assert draw_index(np.array([0.0, 2.0, 0.0, 6.0, 0.0]), np.nextafter(0.25, 0.0)) == 1
    assert draw_index(np.array([0.0, 2.0, 0.0, 6.0, 0.0]), 0.25) == 3  # a sum belongs to the next index
    assert draw_index(np.array([0.0, 2.0, 0.0, 6.0, 0.0]), almost) == 3
    assert draw_index(np.full(10, 0.1), almost) == 9
    assert draw_index(np.array([3.0]), almost) == 0


def test_a_third_each_is_what_the_random_agent_draws() -> None:
    """Bit by bit, also at the edges: a match with `Random` may be simulated."""
    thirds = np.full(3, 1 / 3)
    edges = [np.nextafter(edge, to) for edge in (1 / 3, 2 / 3) for to in (0.0, edge, 1.0)]
    for uniform in [*edges, *np.random.default_rng(1).random(1000)]:
        assert draw_action(thirds, 0, 1, 3, float(uniform)) == int(uniform * 3)


def test_draws_at_the_sets_of_a_behaviour() -> None:
    tree = compile_factored(leduc()).trees[0]
    rng = np.random.default_rng(3)
    behaviour = random_behaviour(tree, rng)
    for index in range(tree.num_sets):
        rows, uniform = tree.sequences(index), rng.random()
        drawn = draw_action(behaviour, rows.start, rows.step, len(tree.legal_actions(index)), uniform)
        assert drawn == naive_tabular.draw(behaviour[rows].tolist(), uniform)


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.name)
def test_card_lookup_names_what_the_engine_names(game) -> None:
    states = enumerate_states(game)
    lookup = CardLookup(game, states.names)
    rng = np.random.default_rng(5)
    filled = np.full((40, 2, len(game.rules.board_cards)), -1, dtype=np.int32)
    dealt = np.array([deal(rng, game.rules.deck, game.num_cards) for _ in range(40)], dtype=np.uint8)
    lookup.fill(dealt, np.full(40, BOTH, dtype=np.int8), filled)
    for i, cards in enumerate(dealt.tolist()):
        state = game.start()
        hand = iter(cards)
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.apply(next(hand))
                continue
            for seat in (0, 1):
                view = state.view(seat)
                name = view.information.rpartition("|")[0]
                found = lookup.state(view.hole, view.board)
                assert states.names[state.round][found] == name
                assert filled[i, seat, state.round] == found
            state = state.apply(1)


@pytest.mark.compiled
def test_abstract_lookup_gives_the_states_of_both_seats(ranks) -> None:
    lookup = AbstractLookup(ranks)
    rng = np.random.default_rng(6)
    dealt = np.array([deal(rng, range(52), 9) for _ in range(200)], dtype=np.uint8)
    seats = rng.integers(0, 3, 200).astype(np.int8)
    states = np.full((200, 2, 4), -1, dtype=np.int32)
    lookup.fill(dealt, seats, states)
    for cards, wanted, row in zip(dealt.tolist(), seats, states, strict=True):
        for seat in (0, 1):
            hole = cards[2 * seat : 2 * seat + 2]
            expected = naive_tabular.rank_states(hole, cards[4:])
            assert row[seat].tolist() == (expected if wanted in (seat, BOTH) else [-1] * 4)
            assert [lookup.state(hole, cards[4 : 4 + n]) for n in (0, 3, 4, 5)] == expected


@pytest.mark.compiled
def test_abstract_lookup_reads_the_tables_as_the_abstraction_does() -> None:
    abstraction = naive_tabular.noisy_abstraction()
    rng = np.random.default_rng(7)
    dealt = np.array([deal(rng, range(52), 9) for _ in range(500)], dtype=np.uint8)
    states = np.empty((500, 2, 4), dtype=np.int32)
    AbstractLookup(abstraction).fill(dealt, np.full(500, BOTH, dtype=np.int8), states)
    for seat in (0, 1):
        own = np.concatenate([dealt[:, 2 * seat : 2 * seat + 2], dealt[:, 4:]], axis=1)
        np.testing.assert_array_equal(states[:, seat], abstraction.states(own))
    table = hand_table(limit_holdem())
    for r, count in enumerate((0, 3, 4, 5)):  # and all hands on some boards at once
        boards = dealt[:20, 4 : 4 + count]
        found = all_states(AbstractLookup(abstraction), table, boards)
        for board, row in zip(boards, found, strict=True):
            alive = np.flatnonzero((table.masks & cards_mask(board.tolist())) == 0)
            whole = np.concatenate([table.cards[alive], np.tile(board, (alive.size, 1))], axis=1)
            np.testing.assert_array_equal(row[alive], abstraction.states(whole)[:, r])
            if count:
                assert not row[np.setdiff1d(np.arange(len(row)), alive)].any()


@pytest.mark.parametrize("game", SMALL, ids=lambda game: game.name)
def test_probabilities_are_those_of_the_label(game) -> None:
    strategy = random_strategy(game, 7)
    trees = compile_factored(game).trees
    rng = np.random.default_rng(8)
    for _ in range(30):
        state = game.start()
        for card in deal(rng, game.rules.deck, game.num_cards):
            while state.player >= 0:
                view = state.view(state.player)
                tree = trees[state.player]
                index = tree.index(view.information)
                node = strategy.betting.decision(view.betting)
                chances = strategy.probabilities(node, strategy.lookup.state(view.hole, view.board))
                expected = strategy.behaviours[state.player][tree.sequences(index)]
                np.testing.assert_array_equal(chances, expected)
                state = state.apply(int(rng.choice(view.legal)))
            if state.player == TERMINAL:
                break
            state = state.apply(card)


def test_agent_plays_its_table_in_the_engine() -> None:
    """Frequencies of a tabular agent at one information set against its probabilities."""
    game = leduc()
    strategy = random_strategy(game, 9)
    agent = TabularAgent("test", strategy)
    view = replay(game, "c", "JhQs").view(1)
    tree = compile_factored(game).trees[1]
    expected = strategy.behaviours[1][tree.sequences(tree.index(view.information))]
    rng = np.random.default_rng(10)
    counts = np.bincount([agent.act(view, rng) for _ in range(4000)], minlength=3)
    np.testing.assert_allclose(counts[list(view.legal)] / 4000, expected, atol=0.04)  # five standard errors


@pytest.mark.compiled
def test_agent_keeps_to_the_rules_of_limit(ranks) -> None:
    game = limit_holdem()
    betting, lookup = betting_tree(game), AbstractLookup(ranks)
    rng = np.random.default_rng(11)
    sizes = betting.num_sequences(lookup.num_states)
    strategy = TabularStrategy(betting, lookup, pair(Behaviour(rng.random(size)) for size in sizes))
    profits = Match(game, (TabularAgent("test", strategy), Random()), 50, duplicate=True).play(seed=1)
    assert np.allclose(profits.sum(axis=1), 0)


def test_wrong_shapes_are_told() -> None:
    game = kuhn()
    compiled = compile_game(game)
    lookup = CardLookup(game, enumerate_states(game).names)
    behaviours = Behaviour(np.ones(compiled.trees[0].num_sequences)), Behaviour(np.ones(5))
    with pytest.raises(ShapeError, match=r"seat 1 has shape \(5,\), but the betting of 'kuhn'"):
        TabularStrategy(betting_tree(game), lookup, behaviours)
    with pytest.raises(ShapeError, match="2 hole cards and 0 board cards; no round has these"):
        lookup.state((36, 40), ())
    assert BlindLookup(4).num_states == (1, 1, 1, 1)
    assert BlindLookup(4).state((1, 2), ()) == 0


def test_equal_games_have_equal_lookups() -> None:
    lookups = [CardLookup(game, enumerate_states(game).names) for game in SMALL]
    for game, lookup in zip(SMALL, lookups, strict=True):
        again = CardLookup(game, enumerate_states(game).names)
        assert (again, hash(again)) == (lookup, hash(lookup))
        assert [other == lookup for other in lookups].count(True) == 1
        assert lookup != BlindLookup(len(lookup.num_states))


@pytest.mark.compiled
def test_equal_lookups_give_the_same_states(ranks) -> None:
    again, other = naive_tabular.rank_abstraction(), naive_tabular.rank_abstraction("hs")
    assert AbstractLookup(ranks) == AbstractLookup(again)
    assert hash(AbstractLookup(ranks)) == hash(AbstractLookup(again))
    assert AbstractLookup(ranks) != AbstractLookup(other)
    unnamed = replace(ranks, checksum="")
    assert AbstractLookup(unnamed) == AbstractLookup(unnamed)
    assert AbstractLookup(unnamed) != AbstractLookup(replace(ranks, checksum=""))
    assert BlindLookup(4) == BlindLookup(4) != AbstractLookup(ranks)


def test_the_sequence_drawn_is_that_of_the_action() -> None:
    """Learners credit what they played by it."""
    compiled = compile_factored(leduc())
    first, second = (uniform_behaviour(tree) for tree in compiled.trees)
    strategy = tabular(compiled, (first, second))
    for betting, cards in (("", "KsQh"), ("cr", "KsQh"), ("crc/", "KsQhJh"), ("crc/r", "KsQhJh")):
        state = replay(leduc(), betting, cards)
        view = state.view(state.player)
        for uniform in (0.1, 0.5, 0.9):
            action, sequence = strategy.draw_sequence(view, uniform)
            assert sequence == compiled.trees[view.seat].sequence(view.information, action)
            assert strategy.draw(view, uniform) == action
