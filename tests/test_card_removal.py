"""What an equilibrium should do, given what the other player held: by walks over games and holdings."""

from dataclasses import replace

import naive_deviation
import naive_leaks as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from soulread.cards.arrays import deal
from soulread.errors import ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.model.deviation.model import DeviationModel, SeatDeviation
from soulread.observe.card_removal import StateWeights
from soulread.observe.counts import PublicCounts
from soulread.play.match.live import play_hand
from soulread.play.opponents.baselines import Random
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.public import joint_tree, public_tree
from soulread.seqform.strategy import Plan, plan_from_behaviour, random_behaviour, uniform_behaviour
from soulread.streams import stream

POKER = [kuhn(), leduc(suit_isomorphic=True), leduc()]


def random_behaviours(game, seed: int):
    rng = np.random.default_rng(seed)
    first, second = (random_behaviour(tree, rng) for tree in game.trees)
    return first, second


def random_hands(game, count: int, seed: int = 0):
    cards, first, second = (stream(seed, key) for key in range(3))
    for number in range(count):
        dealt = deal(cards, game.rules.deck, game.num_cards)
        yield play_hand(game, [Random(), Random()], dealt, [first, second], ("a", "b")), number % 2


def verify_joint(rules, game, behaviours, player: int) -> None:
    """The frequencies of a joint tree are those of a walk over the game with both players' strategies."""
    tree = game.trees[player]
    public = joint_tree(game, player, plan_from_behaviour(game.trees[1 - player], behaviours[1 - player]))
    found = public.frequencies(behaviours[player], plan_from_behaviour(tree, behaviours[player]))
    expected = naive.public_frequencies(rules, game, behaviours, player)
    assert expected
    for label, actions in expected.items():
        n = public.index(label)
        assert_allclose(found[public.cells(n)], [actions[a] for a in public.actions(n)], atol=1e-9)


@pytest.mark.parametrize("rules", POKER, ids=lambda game: game.name)
@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
@pytest.mark.parametrize("player", [0, 1])
def test_joint_frequencies_in_poker(compiler, rules, player):
    game = compiler(rules)
    verify_joint(rules, game, random_behaviours(game, 3), player)


@settings(max_examples=20)
@given(naive_deviation.public_games(), st.integers(0, 1), st.integers(0, 2**32))
def test_joint_frequencies_in_random_games(rules, player, seed):
    game = compile_game(rules)
    if game.trees[player].num_sets:
        verify_joint(rules, game, random_behaviours(game, seed), player)


@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
def test_kuhn_by_hand(compiler):
    """Equilibrium against equilibrium folds 17 times of 24; ignoring the other player says 5 of 9."""
    game = compiler(kuhn())
    raises = {"Js||": 0, "Qs||": 0, "Ks||": 0, "Js||c": 1 / 3, "Qs||c": 0, "Ks||c": 1}
    calls = {"Js||cr": 0, "Qs||cr": 1 / 3, "Ks||cr": 1, "Js||r": 0, "Qs||r": 1 / 3, "Ks||r": 1}
    plans, behaviours = [], []
    for tree in game.trees:
        behaviour = uniform_behaviour(tree)
        for label, chance in (raises | calls).items():
            if tree.labels.index(label) >= 0:
                behaviour[tree.sequences(tree.index(label))] = 1 - chance, chance
        behaviours.append(behaviour)
        plans.append(plan_from_behaviour(tree, behaviour))
    (first, second), (sigma, _) = plans, behaviours
    joint, plain = joint_tree(game, 0, second), public_tree(game, 0)
    cell = joint.cells(joint.index("|cr")).start
    assert joint.frequencies(sigma, first)[cell] == pytest.approx(17 / 24)
    assert plain.frequencies(sigma, first)[cell] == pytest.approx(5 / 9)


def test_where_the_other_never_comes_chance_is_plain():
    game = compile_factored(kuhn())
    plan = Plan(np.zeros(game.trees[1].num_sequences))
    plan[0] = 1
    joint, plain = joint_tree(game, 0, plan), public_tree(game, 0)
    for n in range(plain.num_histories):
        assert_allclose(joint.chance(n), plain.chance(n))
    with pytest.raises(ShapeError, match="chances of shape"):
        plain.with_chance(np.ones(2))
    with pytest.raises(ShapeError, match="the other player's plan has shape"):
        joint_tree(game, 0, Plan(np.ones(3)))


@pytest.mark.parametrize("rules", POKER, ids=lambda game: game.name)
def test_known_cards(rules):
    """Expected counts are sums over the visits; the observer's strategy plays no part."""
    game = compile_factored(rules)
    expected = random_behaviours(game, 5)
    counts = PublicCounts(game)
    weights = StateWeights(counts, expected)
    sums = [np.zeros(tree.num_cells) for tree in counts.trees]
    visits = [np.zeros(tree.num_cells) for tree in counts.trees]
    plans = [
        plan_from_behaviour(tree, behaviour) for tree, behaviour in zip(game.trees, expected, strict=True)
    ]
    for played, observer in random_hands(rules, 60):
        hand = played.seen_by(observer)
        weights.add(hand)
        seat = 1 - observer
        public = counts.trees[seat]
        for cell in counts.cells(hand)[seat]:
            n = int(np.searchsorted(public.arrays.first_cell, cell, side="right")) - 1
            r = public.labels[n].rpartition("|")[2].count("/")
            board = hand.board[: sum(rules.rules.board_cards[: r + 1])]
            own = hand.hole[observer]
            share = naive.chances(
                game.lookup, rules.rules, plans[seat], expected[seat], public, n, r, own, board
            )
            sums[seat][public.cells(n)] += share
            visits[seat][public.cells(n)] += 1
    assert weights.num_known == 60
    for seat in (0, 1):
        seen = visits[seat] > 0
        should = sums[seat][seen] / visits[seat][seen]
        least, greatest = weights.ranges(seat)
        assert_allclose(least[seen], should, atol=1e-12)
        assert_allclose(greatest[seen], should, atol=1e-12)
        assert_allclose(least[~seen], 0)
        assert_allclose(greatest[~seen], 1)
        tree = weights.tree(seat)
        assert_allclose(tree.frequencies(expected[seat], plans[seat])[seen], should, atol=1e-12)
        joint = joint_tree(game, seat, plans[1 - seat])
        assert_allclose(
            tree.frequencies(expected[seat], plans[seat])[~seen],
            joint.frequencies(expected[seat], plans[seat])[~seen],
        )
    weights.reset()
    assert weights.num_known == 0
    assert_allclose(weights.ranges(0)[1], 1)


@pytest.mark.parametrize("rules", [kuhn(), leduc()], ids=lambda game: game.name)
def test_unknown_cards(rules):
    """A range holds for every card; cards that a spectator saw at the showdown are not used."""
    game = compile_factored(rules)
    expected = random_behaviours(game, 6)
    plans = [
        plan_from_behaviour(tree, behaviour) for tree, behaviour in zip(game.trees, expected, strict=True)
    ]
    counts = PublicCounts(game)
    for played, seat in random_hands(rules, 20, seed=1):
        hand = played.seen_by(None)
        weights = StateWeights(counts, expected)
        weights.add(hand, seat)
        assert weights.num_known == 0
        least, greatest = weights.ranges(seat)
        public = counts.trees[seat]
        found = weights.tree(seat).frequencies(expected[seat], plans[seat])
        joint = joint_tree(game, seat, plans[1 - seat]).frequencies(expected[seat], plans[seat])
        for cell in counts.cells(hand)[seat]:
            n = int(np.searchsorted(public.arrays.first_cell, cell, side="right")) - 1
            r = public.labels[n].rpartition("|")[2].count("/")
            board = hand.board[: sum(rules.rules.board_cards[: r + 1])]
            shares = [
                naive.chances(
                    game.lookup, rules.rules, plans[seat], expected[seat], public, n, r, (card,), board
                )
                for card in rules.rules.deck
                if card not in board
            ]
            cells = public.cells(n)
            assert_allclose(least[cells], np.min(shares, axis=0), atol=1e-12)
            assert_allclose(greatest[cells], np.max(shares, axis=0), atol=1e-12)
            assert_allclose(found[cells], joint[cells], atol=1e-12)
        if hand.showdown:
            everybody = replace(hand, observer=None)
            again = StateWeights(counts, expected)
            again.add(everybody, seat)
            assert_allclose(again.ranges(seat), weights.ranges(seat))


class ByRank:
    """A look-up for hold'em that is quick to read: two states a round, by the higher card."""

    num_states = (2, 4, 4, 8)

    def state(self, hole, board) -> int:
        high = int(max(hole) >= 36)
        if not board:
            return high
        paired = int(any(card >> 2 == own >> 2 for card in board for own in hole))
        first = int(any(card >> 2 == own >> 2 for card in board[:3] for own in hole))
        return 2 * high + first if len(board) < 5 else 4 * high + 2 * first + paired

    def fill(self, cards, seats, states) -> None:
        raise NotImplementedError


def test_holdem():
    """Two hole cards: sums over what a holding leaves are found by card, and equal a loop over holdings."""
    game = replace(naive_deviation.small_limit(), lookup=ByRank())
    rules = limit_holdem().rules
    expected = random_behaviours(game, 7)
    plans = [
        plan_from_behaviour(tree, behaviour) for tree, behaviour in zip(game.trees, expected, strict=True)
    ]
    counts = PublicCounts(game)
    done = 0
    for played, observer in random_hands(limit_holdem(), 12, seed=2):
        seat = 1 - observer
        hand = played.seen_by(observer)
        if not counts.cells(hand)[seat] or len(hand.actions) > 8:
            continue
        known, blind = StateWeights(counts, expected), StateWeights(counts, expected)
        known.add(hand)
        blind.add(played.seen_by(None), seat)
        public = counts.trees[seat]
        for cell in counts.cells(hand)[seat]:
            n = int(np.searchsorted(public.arrays.first_cell, cell, side="right")) - 1
            r = public.labels[n].count("/")
            board = hand.board[: sum(rules.board_cards[: r + 1])]
            share = naive.chances(
                game.lookup, rules, plans[seat], expected[seat], public, n, r, hand.hole[observer], board
            )
            cells = public.cells(n)
            assert_allclose(known.ranges(seat)[0, cells], share, atol=1e-9)
            least, greatest = blind.ranges(seat)[:, cells]
            assert np.all(least <= share + 1e-9)
            assert np.all(share <= greatest + 1e-9)
            assert np.all(greatest - least < 0.1)  # two cards more or less change little
            if done < 2:
                shares = [
                    naive.chances(game.lookup, rules, plans[seat], expected[seat], public, n, r, own, board)
                    for own in ((0, 1), (0, 51), (36, 40), (50, 51), (3, 17))
                    if not set(own) & set(board)
                ]
                assert np.all(least <= np.min(shares, axis=0) + 1e-9)
                assert np.all(np.max(shares, axis=0) <= greatest + 1e-9)
                done += 1
    assert done == 2


def test_the_range_by_cards_equals_the_range_by_pairs():
    """Both ways to sum over what a holding leaves give the same range."""
    game = replace(naive_deviation.small_limit(), lookup=ByRank())
    expected = random_behaviours(game, 8)
    counts = PublicCounts(game)
    weights = StateWeights(counts, expected)
    n = counts.trees[0].find("rc/cr")
    assert n >= 0
    by_card = weights._range(0, n, (0, 17, 38))
    table = weights._table
    alive = [i for i in range(len(table.masks)) if not set(table.cards[i].tolist()) & {0, 17, 38}]
    public, plan = counts.trees[0], plan_from_behaviour(game.trees[0], expected[0])
    states = np.array([ByRank().state(table.cards[i].tolist(), (0, 17, 38)) for i in alive])
    weight = plan[public.tree.parent_sequence[public.arrays.first_set[n] + states]]
    masks = table.masks[alive]
    apart = (masks[:, None] & masks[None, :]) == 0
    table_of = expected[0][public.sequences(n)][:, states] * weight
    shares = (table_of @ apart) / (weight @ apart)
    assert_allclose(by_card[0], shares.min(axis=1), atol=1e-9)
    assert_allclose(by_card[1], shares.max(axis=1), atol=1e-9)


def test_without_a_lookup_nothing_is_held_against_anybody():
    game = compile_game(kuhn())
    counts = PublicCounts(game)
    weights = StateWeights(counts, random_behaviours(game, 1))
    for played, observer in random_hands(kuhn(), 10):
        weights.add(played.seen_by(observer))
    assert weights.num_known == 0
    assert_allclose(weights.ranges(0)[0], 0)
    assert_allclose(weights.ranges(0)[1], 1)


def test_the_model_expects_what_both_players_hold():
    game = compile_factored(leduc())
    equilibrium = random_behaviours(game, 2)
    paper = DeviationModel(game, equilibrium)
    joint = DeviationModel(game, equilibrium, expected="joint")
    hands = [played.seen_by(1) for played, _ in random_hands(leduc(), 40)]
    for model in (paper, joint):
        model.fit(hands)
    assert joint.removal is not None
    assert joint.removal.num_known == 40
    seat = joint.seat(0)
    n = seat.public.index("|")
    visits = seat.counts_[seat.public.cells(n)].sum()
    assert_allclose(
        seat.alpha_[seat.public.cells(n)],
        (5 * seat.frequencies[seat.public.cells(n)] + seat.counts_[seat.public.cells(n)]) / (5 + visits),
    )
    assert_allclose(seat.frequencies, joint.removal.tree(0).frequencies(equilibrium[0], seat._start))
    assert np.abs(seat.frequencies - paper.seat(0).frequencies).max() > 0.01
    assert paper.removal is None
    plain = SeatDeviation(game, 0, equilibrium[0])
    assert_allclose(paper.seat(0).frequencies, plain.frequencies)
    again = DeviationModel(game, equilibrium, expected="joint").fit(hands).fit(hands)
    assert_allclose(again.strategy(0), joint.strategy(0))
    with pytest.raises(SoulreadError, match="expected=both; expected paper or joint"):
        DeviationModel(game, equilibrium, expected="both")
