"""DBBR's model: against slow twins, HiGHS and Clarabel, and what the paper says it must do."""

from dataclasses import replace

import naive_deviation as naive
import numpy as np
import pytest
from counted import counted
from hypothesis import given, settings
from hypothesis import strategies as st
from named import compile_source, equilibrium_of
from numpy.testing import assert_allclose, assert_array_equal

from soulread.errors import NotFitted, ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.model.deviation.distance import project_evenly, spread_evenly
from soulread.model.deviation.model import METHODS, DeviationModel, SeatDeviation
from soulread.model.deviation.shift import first_rank, rank_states, shift_weight
from soulread.observe.counts import PublicCounts
from soulread.observe.shown_hands import ShownCards
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Probe, Random
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.public import public_tree
from soulread.seqform.strategy import (
    Behaviour,
    in_precision,
    mix_behaviours,
    plan_from_behaviour,
    prefer_actions,
    random_behaviour,
    uniform_behaviour,
    verify_behaviour,
)
from soulread.solvers.cfr.run import solve


def shifted(sigma, beta, alpha):
    x = sigma.copy()
    actions, size = sigma.shape
    mean = np.arange(actions) @ sigma
    order = [
        np.lexsort([np.arange(size), mean, np.cumsum(sigma[:0:-1], axis=0)[actions - 1 - a]])
        for a in range(1, actions)
    ]
    shift_weight(x, beta, alpha, sigma @ beta, np.concatenate(order).astype(np.int32))
    return x


def closest_l1(sigma, beta, alpha):
    x = sigma.copy()
    spread_evenly(x, beta, alpha, sigma @ beta)
    return x


def closest_l2(sigma, beta, alpha):
    x = sigma.copy()
    project_evenly(x, beta, alpha, sigma @ beta, np.empty_like(x))
    return x


OURS = {"shift": shifted, "l1": closest_l1, "l2": closest_l2}
NAIVE = {"shift": naive.shift_weight, "l1": naive.spread_evenly, "l2": naive.exact_l2}


def assert_feasible(x, sigma, beta, alpha):
    assert_allclose(x @ beta, alpha, atol=1e-12)
    assert_allclose(x.sum(axis=0), 1, atol=1e-12)
    assert x.min() >= -1e-12
    assert x.max() <= 1 + 1e-12
    assert_array_equal(x[:, beta == 0], sigma[:, beta == 0])


@given(naive.tables())
def test_shifting_agrees_with_naive(table):
    x = shifted(*table)
    assert_feasible(x, *table)
    assert_allclose(x, naive.shift_weight(*table), atol=1e-9)


@given(naive.tables())
def test_l1_agrees_with_naive_and_highs(table):
    sigma, beta, _ = table
    x = closest_l1(*table)
    assert_feasible(x, *table)
    assert_allclose(x, naive.spread_evenly(*table), atol=1e-12)
    assert (np.abs(x - sigma) @ beta).sum() == pytest.approx(naive.least_l1(*table), abs=1e-6)


@given(naive.tables())
def test_l2_agrees_with_clarabel(table):
    sigma, beta, _ = table
    x, best = closest_l2(*table), naive.least_l2(*table)
    assert_feasible(x, *table)
    ours, theirs = (((y - sigma) ** 2 @ beta).sum() for y in (x, best))
    assert ours <= theirs + 1e-9
    assert ours == pytest.approx(theirs, abs=1e-6)
    assert_allclose(beta * (x - best) ** 2, 0, atol=1e-6)


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("method", METHODS)
def test_many_states(method, seed):
    """Hundreds of states, and twice as many actions as in limit hold'em."""
    rng = np.random.default_rng(seed)
    sigma = rng.dirichlet(np.full(6, 0.1), 384).T
    sigma /= sigma.sum(axis=0)
    beta = rng.dirichlet(np.full(384, 0.05))
    alpha = rng.dirichlet(np.full(6, 0.3))
    x = OURS[method](sigma, beta, alpha)
    assert_allclose(x @ beta, alpha, atol=1e-12)
    if method == "l2":
        best = naive.least_l2(sigma, beta, alpha)
        assert ((x - sigma) ** 2 @ beta).sum() <= ((best - sigma) ** 2 @ beta).sum() + 1e-9


def test_removing_raises_starts_with_the_worst_hands():
    """The paper's example: the equilibrium raises half of its hands, the opponent only 30%."""
    raises = np.array([1, 1, 0.8, 0.6, 0.6, 0.4, 0.3, 0.2, 0.1, 0])[::-1]
    sigma = np.array([1 - raises, raises])
    x = shifted(sigma, np.full(10, 0.1), np.array([0.7, 0.3]))
    assert_allclose(x[1][::-1], [1, 1, 0.8, 0.2, 0, 0, 0, 0, 0, 0], atol=1e-12)


def test_adding_raises_starts_with_the_best_hands():
    raises = np.array([0.9, 0.5, 0.2, 0.1])
    x = shifted(np.array([1 - raises, raises]), np.full(4, 0.25), np.array([0.4, 0.6]))
    assert_allclose(x[1], [1, 1, 0.3, 0.1], atol=1e-12)


def test_three_actions():
    """Raises go up with the best states first, their rarest other action paying; then fold against call."""
    sigma = np.array([[0.5, 0.3, 0.0], [0.5, 0.1, 0.2], [0.0, 0.6, 0.8]])
    x = shifted(sigma, np.full(3, 1 / 3), np.array([0.1, 0.3, 0.6]))
    # raises 1.4 -> 1.8: state 2 gets 0.2, state 1 gets 0.2 (0.1 from its calls, then 0.1 from its folds);
    # folds 0.7 -> 0.3: calls grow where folds are rarest, in state 1 by all its 0.2, in state 0 by 0.2
    assert_allclose(x, [[0.3, 0, 0], [0.7, 0.2, 0], [0, 0.8, 1]], atol=1e-12)


def test_hands_that_stop_raising_do_not_fold_first():
    """A state that always raised calls when raises vanish, although it never called before."""
    sigma = np.array([[0.9, 0.5, 0.0], [0.1, 0.5, 0.0], [0.0, 0.0, 1.0]])
    x = shifted(sigma, np.full(3, 1 / 3), np.array([2 / 3, 1 / 3, 0]))
    assert_allclose(x, [[1, 1, 0], [0, 0, 1], [0, 0, 0]], atol=1e-12)


def random_counts(game, rng) -> PublicCounts:
    """Counts with many zeros, some of them large, and some histories that only one action was seen at."""
    counts = PublicCounts(replace(game, poker=kuhn()))  # any rules: tables are added, no hands
    for seat in (0, 1):
        tree = counts.trees[seat]
        table = rng.poisson(1.0, tree.num_cells) * rng.choice([0, 1, 1000], tree.num_cells)
        counts.add_table(seat, table.astype(np.float64), 100)
    return counts


def sparse_behaviour(tree, rng):
    """Pure in some places, so that some histories are not reached."""
    behaviour = random_behaviour(tree, rng)
    for j in range(tree.num_sets):
        if rng.random() < 0.5:
            rows = tree.sequences(j)
            behaviour[rows] = np.arange(len(behaviour[rows])) == np.argmax(behaviour[rows])
    return behaviour


@settings(max_examples=40)
@given(
    st.integers(0, 10**6),
    st.sampled_from(METHODS),
    st.sampled_from(["equilibrium", "model"]),
    st.booleans(),
)
def test_model_keeps_its_constraints(seed, method, prior_range, pooled):
    game = naive.public_game(seed)
    rng = np.random.default_rng(seed)
    counts = random_counts(game, rng)
    for player in (0, 1):
        sigma = sparse_behaviour(game.trees[player], rng)
        model = SeatDeviation(game, player, sigma, 5, method, prior_range, pooled).fit(counts)
        behaviour = model.strategy()
        verify_behaviour(game.trees[player], behaviour)
        assert behaviour.max() <= 1 + 1e-9
        assert_allclose(model.plan(), plan_from_behaviour(game.trees[player], behaviour), atol=1e-12)
        reached = np.repeat(model.reach_ > 0, model.public.arrays.num_actions)
        played = model.public.frequencies(behaviour, model.plan())
        assert_allclose(played[reached], model.alpha_[reached], atol=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from(METHODS), st.booleans())
def test_model_agrees_with_naive(seed, method, own_range):
    game = naive.public_game(seed)
    rng = np.random.default_rng(seed)
    counts = random_counts(game, rng)
    sigma = random_behaviour(game.trees[1], rng)
    model = SeatDeviation(
        game, 1, sigma, prior=3, method=method, prior_range="model" if own_range else "equilibrium"
    ).fit(counts)
    expected, alpha, reached, betas = naive.deviation_model(
        model.public, sigma, counts.table(1), 3.0, NAIVE[method], own_range
    )
    assert_allclose(model.alpha_, alpha, atol=1e-9)
    assert_allclose(model.strategy(), expected, atol=1e-7)
    assert_array_equal(model.reach_ > 0, reached)
    for label, beta in zip(model.public.labels, betas, strict=True):
        assert_allclose(model.bucket_probabilities(label), beta, atol=1e-7)


@pytest.fixture(scope="module")
def solved():
    """Kuhn and Leduc near equilibrium in both representations, and limit hold'em played at random."""
    games = [compile_game(kuhn()), compile_game(leduc()), compile_factored(leduc())]
    solutions = [solve(game, iterations=30) for game in games]
    return [*map(naive.Played, games, [solution.behaviours for solution in solutions]), *naive.played_limit()]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("prior_range", "pooled"), [("equilibrium", False), ("model", False), ("equilibrium", True)]
)
def test_without_observations_it_is_the_equilibrium(solved, method, prior_range, pooled):
    for solution in solved:
        for player in (0, 1):
            sigma = solution.behaviours[player]
            model = SeatDeviation(solution.game, player, sigma, 5, method, prior_range, pooled)
            assert_array_equal(model.fit(PublicCounts(solution.game)).strategy(), sigma)
            assert model.strategy().dtype == sigma.dtype


@pytest.mark.parametrize("method", METHODS)
def test_many_observations_match_any_opponent(solved, method):
    for solution in solved:
        game = solution.game
        rng = np.random.default_rng(4)
        counts = PublicCounts(game)
        true = []
        for player in (0, 1):
            tree = game.trees[player]
            behaviour = random_behaviour(tree, rng)
            true.append(counts.trees[player].frequencies(behaviour, plan_from_behaviour(tree, behaviour)))
            counts.add_table(player, 1e12 * true[player], 1e12)
        for player in (0, 1):
            sigma = solution.behaviours[player]
            model = SeatDeviation(game, player, sigma, method=method).fit(counts)
            verify_behaviour(game.trees[player], model.strategy())
            behaviour = in_precision(model.strategy(), np.float64)
            played = model.public.frequencies(behaviour, plan_from_behaviour(game.trees[player], behaviour))
            reached = np.repeat(model.reach_ > 0, model.public.arrays.num_actions)
            assert_allclose(played[reached], true[player][reached], atol=2e-6)
            assert reached.mean() > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_always_raise_is_found(solved, method):
    """An opponent who raises whatever he holds is expressible, so the model becomes him."""
    solution = solved[1]
    game = solution.game
    counts = PublicCounts(game)
    tree = counts.trees[0]
    always = prefer_actions(game.trees[0], (2, 1))
    counts.add_table(0, 1e9 * tree.frequencies(always, plan_from_behaviour(game.trees[0], always)), 1e9)
    model = SeatDeviation(game, 0, solution.behaviours[0], method=method).fit(counts)
    plan = plan_from_behaviour(game.trees[0], always)
    assert_allclose(model.plan(), plan, atol=1e-7)


def test_unobserved_histories_under_the_two_priors(solved):
    """Villain always bets as first; what he does later was not seen."""
    game = solved[0].game
    counts = PublicCounts(game)
    tree = counts.trees[0]
    table = np.zeros(tree.num_cells)
    table[tree.cells(tree.index("|")).stop - 1] = 1e9
    counts.add_table(0, table, 1e9)
    calls, bets = prefer_actions(game.trees[0], (1,)), prefer_actions(game.trees[0], (2, 0))
    sigma = mix_behaviours(game.trees[0], 0.5, calls, bets)
    king = game.trees[0].index("Ks||")
    sigma[game.trees[0].sequences(king)] = [0.9, 0.1]
    folds = np.array([0.8, 0.5, 0.1])  # of jack, queen and king, to a bet after a check
    for rank, fold in zip("JQK", folds, strict=True):
        sigma[game.trees[0].sequences(game.trees[0].index(f"{rank}s||cr"))] = [fold, 1 - fold]
    ours = SeatDeviation(game, 0, sigma, prior_range="model").fit(counts)
    later = game.trees[0].sequences(game.trees[0].index("Ks||cr"))
    assert_array_equal(ours.strategy()[later], sigma[later])
    paper = SeatDeviation(game, 0, sigma).fit(counts)
    start, answer = tree.cells(tree.index("|")), tree.cells(tree.index("|cr"))
    for model in (ours, paper):
        assert_allclose(model.alpha_[start], [0, 1], atol=1e-8)
    # The paper's prior asks the equilibrium's range: half of the jacks and queens check, nine kings in ten.
    assert_allclose(paper.alpha_[answer][0], folds @ [5, 5, 9] / 19, rtol=1e-12)
    # Ours asks the model's range. The few hands that it still checks are kings, which bet least.
    assert_allclose(ours.bucket_probabilities("|cr"), [0, 0, 1], atol=1e-12)
    assert_allclose(ours.alpha_[answer][0], folds[2], rtol=1e-12)
    bet = game.trees[0].sequence("Ks||", 2)
    assert paper.strategy()[bet] == pytest.approx(1, abs=1e-7)


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_states_are_ranked_by_tail_then_mean_then_number(seed):
    """Behaviours in quarters, so that states often agree on one action and differ on the others."""
    game = naive.public_game(seed)
    rng = np.random.default_rng(seed)
    public = public_tree(game, 1)
    sigma = random_behaviour(game.trees[1], rng)
    for n in range(public.num_histories):
        actions = len(public.actions(n))
        for column in public.sequences(n).T:
            sigma[column] = np.bincount(rng.integers(actions, size=4), minlength=actions) / 4
    order, first = rank_states(public, sigma), first_rank(public)
    for n in range(public.num_histories):
        table = sigma[public.sequences(n)]
        actions, size = table.shape
        mean = np.arange(actions) @ table
        for a in range(1, actions):
            tail = table[a:].sum(axis=0)
            expected = sorted(range(size), key=lambda b: (tail[b], mean[b], b))
            start = first[n] + (a - 1) * size
            assert order[start : start + size].tolist() == expected


def test_ties_of_the_tail_are_broken_by_the_mean():
    """Three states raise alike; the one that folds most comes first, wherever it stands."""
    game = compile_factored(leduc(suit_isomorphic=True))
    public = public_tree(game, 1)
    n = public.index("|r")
    assert public.actions(n) == (0, 1, 2)
    sigma = uniform_behaviour(game.trees[1])
    sigma[public.sequences(n)] = np.array([[0.1, 0.7, 0.4], [0.7, 0.1, 0.4], [0.2, 0.2, 0.2]])
    start = first_rank(public)[n]
    order = rank_states(public, sigma)
    assert order[start : start + 3].tolist() == [1, 2, 0]  # by how often they call or raise
    assert order[start + 3 : start + 6].tolist() == [1, 2, 0]  # equal raises: by the mean


def test_histories_nobody_reaches():
    """Neither the model nor the equilibrium plays towards a history: chance alone weighs the states."""
    game = compile_game(kuhn())
    sigma = prefer_actions(game.trees[0], (2, 0, 1))  # bets, so the check-raise node is never reached
    model = SeatDeviation(game, 0, sigma).fit(PublicCounts(game))
    history = model.public.index("|cr")
    assert model.reach_[history] == 0
    assert_allclose(model.bucket_probabilities("|cr"), 1 / 3)
    assert_array_equal(model.strategy(), sigma)


def test_observations_are_shared_out_by_chance_and_plan():
    """Two of the four other cards are a queen, one a jack: a queen is held twice as often on a jack."""
    game = compile_game(leduc(suit_isomorphic=True))
    equilibrium = uniform_behaviour(game.trees[0]), uniform_behaviour(game.trees[1])
    played: list[LiveHand] = []
    Match(leduc(suit_isomorphic=True), (Probe(), Random()), 80).play(1, record=played.append)
    hands = [live.seen_by(live.players.index("probe")) for live in played]
    model = DeviationModel(game, equilibrium).fit(hands)
    public, plan = model.seat(0).public, model.plan(0)
    found = model.observations(0)
    for n in range(public.num_histories):
        sets = public.sets(n)
        count = model.seat(0).counts_[public.cells(n)].sum()
        weights = [
            chance * plan[game.trees[0].parent_sequence[number]]
            for chance, number in zip(public.chance(n), sets, strict=True)
        ]
        expected = [count * weight / max(sum(weights), 1e-300) for weight in weights]
        assert_allclose(found[sets], expected)
    chances = public.chance(public.index("J|cc/"))
    assert sorted(chances / chances.min()) == pytest.approx([1, 2, 2])
    assert found[public.sets(public.index("J|cc/"))].sum() > 0


@pytest.mark.parametrize("shown", [0.0, 5.0])
def test_both_seats_are_what_either_learns_alone(shown):
    """Of the observer's opponent, and of a player by name; hand by hand, and all at once."""
    game = compile_source("leduc")
    equilibrium = equilibrium_of("leduc").behaviours
    played: list[LiveHand] = []
    Match(leduc(), (Probe(), Random()), 60).play(1, record=played.append)
    hands = [live.seen_by(live.players.index("probe")) for live in played]
    counts = counted(PublicCounts(game, decay=0.9, window=40), hands)
    cards = ShownCards(counts)
    for hand in hands:
        cards.add(hand)
    settings = {"method": "l1", "shown": shown, "decay": 0.9, "window": 40}
    model = DeviationModel(game, equilibrium, **settings).fit(hands)
    named = DeviationModel(game, equilibrium, **settings).fit(hands, "random")
    one_by_one = DeviationModel(game, equilibrium, **settings)
    with pytest.raises(NotFitted, match="this model has seen no hands"):
        one_by_one.strategy(0)
    for hand in hands:
        one_by_one.update(hand).strategy(1)
    for seat in (0, 1):
        alone = SeatDeviation(game, seat, equilibrium[seat], method="l1", shown=shown).fit(counts, cards)
        assert not np.allclose(alone.strategy(), equilibrium[seat])
        for either in (model, named, one_by_one):
            assert_array_equal(either.strategy(seat), alone.strategy())
            assert_array_equal(either.plan(seat), alone.plan())
    for seat in (0, 1):
        assert_array_equal(model.fit([]).strategy(seat), equilibrium[seat])


def test_refusals():
    game = compile_game(kuhn())
    sigma = prefer_actions(game.trees[0], (1,))
    with pytest.raises(NotFitted, match="this model has seen no hands"):
        SeatDeviation(game, 0, sigma).strategy()
    with pytest.raises(SoulreadError, match="method=l3; expected shift or l1 or l2"):
        SeatDeviation(game, 0, sigma, method="l3")
    with pytest.raises(SoulreadError, match="prior_range=his; expected equilibrium or model"):
        SeatDeviation(game, 0, sigma, prior_range="his")
    with pytest.raises(SoulreadError, match="prior=0; expected above 0"):
        SeatDeviation(game, 0, sigma, prior=0)
    with pytest.raises(ShapeError, match="cannot teach a model of 'kuhn'"):
        SeatDeviation(game, 0, sigma).fit(PublicCounts(compile_game(leduc())))
    with pytest.raises(ShapeError, match="the behaviour has shape"):
        SeatDeviation(game, 0, Behaviour(sigma[:-1]))
