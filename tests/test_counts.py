"""Public histories and counts: against walks over the game, and hand by hand."""

from dataclasses import replace

import naive_deviation as naive
import naive_seqform
import numpy as np
import pytest
from counted import counted
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from soulread.cards.arrays import deal
from soulread.errors import ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import replay
from soulread.hands.hand import Hand
from soulread.hands.record import seen_by
from soulread.observe.counts import PublicCounts
from soulread.play.match.live import play_hand
from soulread.play.opponents.baselines import Random
from soulread.seqform.compile import SequenceGame, compile_factored, compile_game
from soulread.seqform.public import public_tree
from soulread.seqform.strategy import Plan, plan_from_behaviour, random_behaviour, uniform_behaviour
from soulread.streams import stream

POKER = [kuhn(), leduc(suit_isomorphic=True), leduc()]
COMPILERS = [compile_game, compile_factored]


def random_hands(game, count: int, seed: int = 0) -> list[Hand]:
    """Hands of two random players, seen from alternate seats."""
    cards, first, second = (stream(seed, key) for key in range(3))
    hands = []
    for number in range(count):
        dealt = deal(cards, game.rules.deck, game.num_cards)
        played = play_hand(game, [Random(), Random()], dealt, [first, second], ("a", "b"))
        hands.append(played.seen_by(number % 2))
    return hands


@pytest.mark.parametrize("game", POKER, ids=lambda game: game.name)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("player", [0, 1])
def test_public_tree_of_poker(compiler, game, player):
    compiled = compiler(game)
    tree, public = compiled.trees[player], public_tree(compiled, player)
    expected = naive.chance_reach(game, player)
    seen = []
    for n in range(public.num_histories):
        sets = public.sets(n)
        assert_allclose(public.chance(n), [expected[tree.label(j)] for j in sets], atol=1e-14)
        seen += sets.tolist()
        assert {tree.public_history(j) for j in sets} == {public.labels[n]}
        assert {tree.legal_actions(j) for j in sets} == {public.actions(n)}
        assert_array_equal(public.sequences(n).T, [np.r_[tree.sequences(j)] for j in sets])
        boards = len({label.partition("|")[0] for label in public.labels if label.partition("|")[0]})
        board = public.labels[n].partition("|")[0]
        assert public.chance(n).sum() == pytest.approx(1 / boards if board else 1)
        assert public.index(public.labels[n]) == n
        assert public.cells(n).stop - public.cells(n).start == len(public.actions(n))
    assert sorted(seen) == list(range(tree.num_sets))
    assert public.num_cells == public.cells(public.num_histories - 1).stop


@settings(max_examples=30)
@given(naive.public_games(), st.integers(0, 1), st.integers(0, 2**32))
def test_public_tree_of_random_games(game, player, seed):
    compiled = compile_game(game)
    tree, public = compiled.trees[player], public_tree(compiled, player)
    expected = naive.chance_reach(game, player)
    behaviour = random_behaviour(tree, np.random.default_rng(seed))
    plan = plan_from_behaviour(tree, behaviour)
    frequencies = public.frequencies(behaviour, plan)
    for n in range(public.num_histories):
        assert_allclose(public.chance(n), [expected[tree.label(j)] for j in public.sets(n)], atol=1e-14)
        weights = public.chance(n) * plan[tree.parent_sequence[public.sets(n)]]
        assert_allclose(
            frequencies[public.cells(n)], behaviour[public.sequences(n)] @ weights / weights.sum(), atol=1e-12
        )


def test_frequencies_where_nothing_is_reached():
    game = compile_game(kuhn())
    public = public_tree(game, 0)
    behaviour = uniform_behaviour(game.trees[0])
    plan = Plan(np.zeros_like(behaviour))
    assert_allclose(public.frequencies(behaviour, plan), 0.5)


def test_abstract_histories_are_bettings():
    game = naive.small_limit()
    trees = [public_tree(game, player) for player in (0, 1)]
    assert sum(public.num_histories for public in trees) == 8 + 70 + 630 + 5670  # decisions of each round
    for public in trees:
        assert public.num_histories == public.tree.num_blocks
        assert not public.shows_board
        assert_allclose([public.chance(n).sum() for n in range(public.num_histories)], 1)
        assert public.find("rc/") == (public.labels.index("rc/") if "rc/" in public.labels else -1)


def test_hidden_moves_are_refused():
    game = naive_seqform.random_game(1)
    with pytest.raises(SoulreadError, match="public counts need public moves"):
        public_tree(game, 0)


def test_public_tree_needs_chances():
    game = compile_game(kuhn())
    with pytest.raises(SoulreadError, match="the histories of 'kuhn' are not stored"):
        public_tree(replace(game, histories=None), 0)
    with pytest.raises(SoulreadError, match="player 2; a two-player game has players 0 and 1"):
        public_tree(game, 2)
    with pytest.raises(SoulreadError, match=r"player 0 never acts at 'nowhere'; .* written like '\|cr'"):
        public_tree(game, 0).index("nowhere")


@pytest.mark.parametrize("game", POKER, ids=lambda game: game.name)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_counts_agree_with_naive(compiler, game):
    counts = PublicCounts(compiler(game))
    expected: list[dict[tuple[str, int], int]] = [{}, {}]
    for hand in random_hands(game, 150):
        counts.add(hand)
        seat = 1 - hand.eyewitness
        for key, count in naive.public_counts(game, hand, seat).items():
            expected[seat][key] = expected[seat].get(key, 0) + count
    for seat in (0, 1):
        tree, table = counts.trees[seat], counts.table(seat)
        found = {
            (tree.labels[n], action): int(table[tree.cells(n)][i])
            for n in range(tree.num_histories)
            for i, action in enumerate(tree.actions(n))
            if table[tree.cells(n)][i]
        }
        assert found == expected[seat]
        assert counts.num_hands(seat) == 75


def test_counts_of_one_leduc_hand():
    game = leduc()
    end = replay(game, "rc/crc", "KsQhJs")
    counts = PublicCounts(compile_game(game))
    counts.add(seen_by(end, 1, ("a", "b")))
    assert counts.count(0, "|") == {1: 0, 2: 1}
    assert counts.count(0, "Js|rc/") == {1: 1, 2: 0}
    assert counts.count(0, "Js|rc/cr") == {0: 0, 1: 1, 2: 0}
    assert counts.table(0).sum() == 3
    assert counts.table(1).sum() == 0
    counts.add(seen_by(end, None, ("a", "b")), seat=1)
    assert counts.count(1, "|r") == {0: 0, 1: 1, 2: 0}


def test_counts_in_an_abstraction_use_the_betting_alone():
    game = naive.small_limit()
    counts = PublicCounts(game)
    assert counts.poker == limit_holdem()
    for hand in random_hands(limit_holdem(), 60):
        counts.add(hand)
        seat = 1 - hand.eyewitness
        for (label, _), number in naive.public_counts(limit_holdem(), hand, seat).items():
            assert sum(counts.count(seat, label.partition("|")[2]).values()) >= number


@pytest.mark.parametrize("game", [leduc(), limit_holdem()], ids=lambda game: game.name)
def test_hole_cards_are_never_used(game):
    compiled = compile_game(game) if game.name == "leduc" else naive.small_limit()
    blind, sighted = PublicCounts(compiled), PublicCounts(compiled)
    for hand in random_hands(game, 40):
        sighted.add(hand)
        blind.add(replace(hand, hole=(None, None)))
    for seat in (0, 1):
        assert_array_equal(blind.table(seat), sighted.table(seat))


def test_hands_of_leduc_count_in_its_isomorphic_form():
    counts = PublicCounts(compile_game(leduc(suit_isomorphic=True)))
    counts.add(seen_by(replay(leduc(), "cc/cc", "KsQhJs"), 0, ("a", "b")))
    assert counts.count(1, "J|cc/c") == {1: 1, 2: 0}


@pytest.mark.parametrize(("decay", "window"), [(0.9, None), (1.0, 7), (0.8, 5), (1e-30, None), (1e-30, 3)])
def test_decay_and_window(decay, window):
    game = leduc()
    compiled = compile_factored(game)
    counts = PublicCounts(compiled, decay=decay, window=window)
    plain = PublicCounts(compiled)
    hands = random_hands(game, 40)
    tables = []
    for hand in hands:
        counts.add(hand)
        plain.reset()
        plain.add(hand)
        tables.append((plain.table(0), plain.table(1), plain.num_hands(0)))
    ages = np.arange(len(hands))[::-1]
    weights = decay ** ages.astype(np.float64) * (ages < (window or np.inf))
    for seat in (0, 1):
        expected = sum(weight * table[seat] for weight, table in zip(weights, tables, strict=True))
        assert_allclose(counts.table(seat), expected, atol=1e-9)
    assert counts.num_hands(0) == pytest.approx(sum(weights * [table[2] for table in tables]))


def test_merge_and_tables():
    game = leduc()
    compiled = compile_factored(game)
    hands = random_hands(game, 30)
    whole = counted(PublicCounts(compiled), hands)
    parts = counted(PublicCounts(compiled), hands[:11])
    parts.merge(counted(PublicCounts(compiled), hands[11:]))
    for seat in (0, 1):
        assert_array_equal(parts.table(seat), whole.table(seat))
        assert parts.num_hands(seat) == whole.num_hands(seat)
    with pytest.raises(ValueError, match="read-only"):
        whole.table(0)[0] = 1
    whole.reset()
    assert not whole.table(0).any()
    assert whole.num_hands(0) == 0
    with pytest.raises(ShapeError, match="cannot be merged into these"):
        whole.merge(PublicCounts(compile_game(kuhn())))
    with pytest.raises(SoulreadError, match="cannot be merged: the order is lost"):
        whole.merge(PublicCounts(compiled, decay=0.9))
    with pytest.raises(SoulreadError, match="take hands one by one"):
        PublicCounts(compiled, window=3).merge(whole)
    with pytest.raises(ShapeError, match=r"the table of counts has shape \(3,\)"):
        whole.add_table(0, np.ones(3), 1)
    with pytest.raises(SoulreadError, match="not negative"):
        whole.add_table(0, np.full(whole.trees[0].num_cells, -1.0), 1)


def test_refusals():
    compiled = compile_game(leduc())
    counts = PublicCounts(compiled)
    end = replay(leduc(), "rc/cc", "KsQhJs")
    hand = seen_by(end, 0, ("a", "b"))
    kuhn_hand = seen_by(replay(kuhn(), "rc", "JsQs"), 0, ("a", "b"))
    for name in ("kuhn", "leduc"):  # rules decide, not what a game is called
        with pytest.raises(
            SoulreadError, match=rf"a hand of '{name}' \(JsQsKs, .+\) says nothing about 'leduc' \(JhJsQ.+\)"
        ):
            counts.add(replace(kuhn_hand, game=name))
    renamed = PublicCounts(compiled)
    renamed.add(replace(hand, game="kuhn"))
    assert renamed.num_hands(1) == 1
    with pytest.raises(SoulreadError, match="seen by nobody at the table; say whose seat"):
        counts.add(replace(hand, observer=None))
    with pytest.raises(SoulreadError, match="seat 2; the seats"):
        counts.add(hand, seat=2)
    wrong = replace(hand, betting="x", actions=((1, 1), (0, 1)))
    with pytest.raises(SoulreadError, match="seat 1 acts after '' in 'leduc', but it is the turn of seat 0"):
        counts.add(wrong)
    with pytest.raises(SoulreadError, match="decay=0"):
        PublicCounts(compiled, decay=0)
    with pytest.raises(SoulreadError, match="window=0"):
        PublicCounts(compiled, window=0)
    chess = SequenceGame("chess", compiled.trees, compiled.payoff, compiled.histories)
    with pytest.raises(SoulreadError, match="'chess' is not a poker game"):
        PublicCounts(chess)
    assert PublicCounts(replace(chess, poker=leduc())).poker.name == "leduc"
    with pytest.raises(SoulreadError, match="action 7 of seat 0 after '' is not legal in 'leduc'"):
        counts.add(replace(hand, betting="y", actions=((0, 7),)))
    smaller = PublicCounts(replace(compile_game(kuhn()), poker=leduc()))
    raised = seen_by(replay(leduc(), "rrf", "KsQh"), 0, ("a", "b"))
    with pytest.raises(
        SoulreadError, match=r"action 2 of seat 1 at '\|r' is not in the game that is counted"
    ):
        smaller.add(raised)
