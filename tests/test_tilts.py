"""Beliefs in tilted equilibria: the moves leave prior and posterior alone, and old hands fade.

Statistical tests fix the seed. Their bounds are four standard errors, or a false alarm once in ten thousand.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.model.bayes.evidence import Evidence, likelihood
from soulread.model.bayes.tilts import (
    TiltModel,
    believed_structure,
    draw_tilts,
    structure_prior,
    tilt_behaviour,
    tilt_features,
    woven,
)
from soulread.play.match.card_tables import DealTable
from soulread.seqform.compile import compile_factored
from soulread.seqform.strategy import (
    Behaviour,
    Plan,
    plan_from_behaviour,
    random_behaviour,
    uniform_behaviour,
)

GAME = compile_factored(kuhn())
TABLE = DealTable(GAME)
BASE = uniform_behaviour(GAME.trees[0]), uniform_behaviour(GAME.trees[1])
OFTEN, HOLES = 0.75, (0.5, 0.35, 0.1, 0.05)


def seen_of(villain, hands: int, seed: int) -> list[Evidence]:
    """What is seen of ``villain``, in alternating seats, by somebody who plays at random."""
    rng = np.random.default_rng(seed)
    return [
        TABLE.play(hand % 2, BASE[hand % 2], villain[1 - hand % 2], rng).evidence for hand in range(hands)
    ]


def masks_of(model: TiltModel) -> np.ndarray:
    """The number of the set of rows that are on, one per particle."""
    return model._on @ (1 << np.arange(model._on.shape[1]))


def log_seen(model: TiltModel, hands: list[Evidence], forget: float) -> np.ndarray:
    """Of every particle: the sum of the hands' log-likelihoods, each times forget to the power of its age."""
    total = np.zeros(model.num_particles)
    for age, evidence in enumerate(reversed(hands)):
        plans = model.plans[evidence.player]
        total += forget**age * np.log([likelihood(evidence, Plan(plan)) for plan in plans])
    return total


def test_faith_is_part_of_the_prior():
    structure = structure_prior(1, OFTEN, HOLES)
    assert structure.sum() == pytest.approx(1)
    assert structure[0b0000] == pytest.approx(0.25 * 0.5)  # round off, no strength
    assert structure[0b0001] == pytest.approx(0.75 * 0.5)  # round on
    assert structure[0b1010] == pytest.approx(0.25 * 0.1 / 3)  # weak and strong, one of three pairs
    believed = believed_structure(structure, 0.2)
    assert believed[0] == pytest.approx(0.2 + 0.8 * structure[0])
    assert_allclose(believed[1:], 0.8 * structure[1:], rtol=1e-12)
    assert believed.sum() == pytest.approx(1)


@pytest.mark.compiled
def test_weights_and_draws_make_the_prior():
    """Particle 0 is the base and weighs ``faith``; the others are drawn from the structure alone."""
    model = TiltModel(GAME, BASE, particles=20_000, faith=0.3, seed=3)
    assert masks_of(model)[0] == 0
    assert_allclose(model.weights, [0.3] + [0.7 / 19_999] * 19_999)
    expected = believed_structure(structure_prior(1, OFTEN, HOLES), 0.3)
    found = np.bincount(masks_of(model), model.weights, minlength=16)
    error = np.sqrt(0.7 * expected / 20_000)
    assert np.all(np.abs(found - expected) < 4 * error)


@pytest.mark.compiled
@pytest.mark.parametrize(("faith", "shape"), [(0.05, 1.0), (0.4, 2.5)])
def test_without_hands_the_moves_leave_the_prior_alone(faith, shape):
    """Frequencies of every set of rows, and the gamma distribution of the factors, after 30 moves."""
    count = 10_000
    model = TiltModel(GAME, BASE, particles=count, faith=faith, shape=shape, seed=8)
    for _ in range(30):
        model._move()
    expected = believed_structure(structure_prior(1, OFTEN, HOLES), faith)
    found = np.bincount(masks_of(model), minlength=16) / count
    assert np.all(np.abs(found - expected) < 4 * np.sqrt(expected / count))
    for row in range(4):
        on = model._on[:, row]
        assert_array_equal(model._factors[~on, row], 1.0)
        for kind in range(3):
            test = stats.kstest(model._factors[on, row, kind], stats.gamma(shape).cdf)
            assert test.pvalue > 1e-4


@pytest.mark.compiled
@pytest.mark.parametrize("forget", [1.0, 0.8])
def test_with_hands_the_moves_leave_the_posterior_alone(forget):
    """The slow twin draws from the prior and weighs every draw by the faded likelihood of all hands."""
    villain = tuple(random_behaviour(tree, np.random.default_rng(5)) for tree in GAME.trees)
    hands = seen_of(villain, 12, 2)
    twin = TiltModel(GAME, BASE, particles=100_000, faith=0.3, seed=9)
    weights = np.log(twin._prior)
    for age, evidence in enumerate(reversed(hands)):
        weights += forget**age * np.log(twin.plans[evidence.player][:, evidence.sequences] @ evidence.weights)
    weights = np.exp(weights - weights.max())
    weights /= weights.sum()

    model = TiltModel(GAME, BASE, particles=10_000, faith=0.3, forget=forget, seed=10)
    for evidence in hands:
        model.learn(evidence)
    for _ in range(20):
        model._move()
    untilted = weights[masks_of(twin) == 0].sum()
    for player in (0, 1):
        plans, moved = twin.plans[player], model.plans[player]
        expected = weights @ plans
        assert np.abs(expected - twin._prior @ plans).max() > 0.05  # the hands say something
        error = np.sqrt(weights**2 @ (plans - expected) ** 2 + moved.var(axis=0) / len(moved))
        assert np.all(np.abs(model.plan(player) - expected) <= 4 * error + 1e-12)
    error = np.sqrt(untilted * (1 - untilted) / 10_000 + weights[1:] @ weights[1:])
    assert abs(np.mean(masks_of(model) == 0) - untilted) < 4 * error


def test_old_hands_fade_and_the_prior_does_not():
    villain = tuple(random_behaviour(tree, np.random.default_rng(7)) for tree in GAME.trees)
    hands = seen_of(villain, 9, 4)
    model = TiltModel(GAME, BASE, particles=12, faith=0.4, forget=0.7, seed=1)
    model._move = lambda: None  # type: ignore[method-assign]  # weights alone
    for evidence in hands:
        model.learn(evidence)
    expected = np.log([0.4] + [0.6 / 11] * 11) + log_seen(model, hands, 0.7)
    expected = np.exp(expected - expected.max())
    assert_allclose(model.weights, expected / expected.sum(), rtol=1e-9)


def test_old_hands_fade_after_a_move_too():
    """The moved particles stand for the posterior of the hands until then; those hands go on fading."""
    villain = tuple(random_behaviour(tree, np.random.default_rng(7)) for tree in GAME.trees)
    hands = seen_of(villain, 14, 4)
    model = TiltModel(GAME, BASE, particles=12, faith=0.4, forget=0.7, seed=1)
    move, model._move = model._move, lambda: None  # type: ignore[method-assign]  # when the test says so
    for evidence in hands[:9]:
        model.learn(evidence)
    move()
    assert_allclose(model.weights, np.full(12, 1 / 12))
    assert_allclose(model.plan(0), model.plans[0].mean(axis=0), atol=1e-12)
    moved = log_seen(model, hands[:9], 0.7)
    for evidence in hands[9:]:
        model.learn(evidence)
    expected = np.exp(log_seen(model, hands, 0.7) - moved)
    assert_allclose(model.weights, expected / expected.sum(), rtol=1e-9)


def test_moves_look_at_the_sets_on_the_way_to_hands_and_change_all():
    """In Leduc a few hands touch few sets. Plans are whole all the same, and as likely as all hands say."""
    game = compile_factored(leduc())
    rng = np.random.default_rng(4)
    first, second = game.trees
    bases = [(random_behaviour(first, rng), random_behaviour(second, rng)) for _ in range(3)]
    model = TiltModel(game, bases[0], others=bases[1:], particles=12, faith=0.3, seed=2, steps=20)
    table = DealTable(game)
    hands = [
        table.play(hand % 2, bases[1][hand % 2], bases[2][1 - hand % 2], rng).evidence for hand in range(8)
    ]
    for evidence in hands:
        model.learn(evidence)
    model._move()
    assert_allclose(model._log_seen, log_seen(model, hands, 1.0), rtol=1e-12)
    for tree, own, which, plans, features in zip(
        game.trees, model.bases, model._which, model.plans, model._features, strict=True
    ):
        sets = tree.sequence_set.copy()
        sets[0] = 0
        for m in range(model.num_particles):
            base = own[which[m][sets], np.arange(tree.num_sequences)]
            behaviour = np.empty(tree.num_sequences)
            tilt_behaviour(tree.arrays, base, features, model._factors[m], behaviour)
            assert_allclose(plans[m], plan_from_behaviour(tree, Behaviour(behaviour)), rtol=1e-12)


def test_kept_hands_are_counted_and_fade():
    """Every different hand is kept once, with the number of times it came, older times counting less."""
    villain = tuple(random_behaviour(tree, np.random.default_rng(7)) for tree in GAME.trees)
    hands = seen_of(villain, 200, 4)
    model = TiltModel(GAME, BASE, particles=4, forget=0.95, seed=1)
    number: dict[tuple[int, bytes, bytes], float] = {}
    for evidence in hands:
        model.learn(evidence)
        key = evidence.player, evidence.sequences.tobytes(), evidence.weights.tobytes()
        number = {known: 0.95 * times for known, times in number.items()}
        number[key] = number.get(key, 0.0) + 1
    kept = {}
    for player, memory in enumerate(model._memory):
        start, sequences, weights, times = memory.seen
        for hand in range(times.size):
            part = slice(start[hand], start[hand + 1])
            kept[player, sequences[part].tobytes(), weights[part].tobytes()] = times[hand]
    assert kept == pytest.approx(number)
    assert len(number) < 30


def test_a_tilt_is_base_times_round_times_strength():
    """Set by set in Leduc, by what the label says: the card, and whether the board is out."""
    game = compile_factored(leduc(suit_isomorphic=True))
    rng = np.random.default_rng(3)
    factors = rng.uniform(0.2, 3, (5, 3))  # two rounds; weak, middle, strong; fold, call, raise
    for player, tree in enumerate(game.trees):
        base = random_behaviour(tree, rng)
        found = np.empty(tree.num_sequences)
        tilt_behaviour(tree.arrays, base, tilt_features(game, player), factors, found)
        for j in range(tree.num_sets):
            hole, _, betting = tree.label(j).split("|")
            rows = tree.sequences(j)
            by_round, by_strength = factors[betting.count("/")], factors[2 + "JQK".index(hole)]
            tilted = [
                p * by_round[action] * by_strength[action]
                for p, action in zip(base[rows], tree.legal_actions(j), strict=True)
            ]
            assert_allclose(found[rows], np.array(tilted) / sum(tilted), rtol=1e-12)


def test_draws_are_off_or_gamma():
    on, factors = draw_tilts(np.random.default_rng(1), 2000, structure_prior(1, OFTEN, HOLES), 2.0)
    assert not on[0].any()
    assert_array_equal(factors[~on], 1.0)
    assert stats.kstest(factors[on].ravel(), stats.gamma(2.0).cdf).pvalue > 1e-4


def test_reset_goes_back_to_the_prior():
    villain = tuple(random_behaviour(tree, np.random.default_rng(7)) for tree in GAME.trees)
    model = TiltModel(GAME, BASE, particles=30, forget=0.9, seed=2)
    runs = []
    for _ in range(2):
        for evidence in seen_of(villain, 60, 3):
            model.learn(evidence)
        runs.append(model.plan(1).copy())
        model.reset()
        assert_allclose(model.plans[0][0], plan_from_behaviour(GAME.trees[0], BASE[0]), atol=1e-12)
        assert model.weights[0] == pytest.approx(0.05)
    assert_array_equal(runs[0], runs[1])


def three_bases():
    """The uniform base and two more, which differ from it at one set of each seat."""
    pairs = [BASE]
    for shift in (0.45, -0.45):
        first, second = (uniform_behaviour(tree).copy() for tree in GAME.trees)
        for tree, behaviour in zip(GAME.trees, (first, second), strict=True):
            behaviour[tree.sequences(0)] = np.array([0.5 + shift, 0.5 - shift])
        pairs.append((Behaviour(first), Behaviour(second)))
    return pairs


def test_only_sets_where_bases_differ_are_open():
    pairs = three_bases()
    model = TiltModel(GAME, pairs[0], others=pairs[1:], particles=40, faith=0.3, seed=3)
    for player, choices in enumerate(model._choices):
        assert choices.sets.tolist() == [0]
        assert choices.number.tolist() == [3]
        assert np.all(model._which[player][:, 1:] == 0)
    assert_allclose(model.weights[:3], 0.1)
    for k, pair in enumerate(pairs):  # the first particles play the bases
        for player, tree in enumerate(GAME.trees):
            assert_allclose(model.plans[player][k], plan_from_behaviour(tree, pair[player]), atol=1e-12)
    whole = model._whole
    assert 10 < whole.sum() < 30
    assert_array_equal(model._which[0][whole, 0], model._which[1][whole, 0])  # one base in both seats
    assert np.any(model._which[0][~whole, 0] != model._which[1][~whole, 0])


def test_a_base_that_does_not_come_to_a_set_has_no_say_there():
    """A first action that is never taken: what the base says behind it is no choice."""
    game = compile_factored(leduc(suit_isomorphic=True))
    first, second = (uniform_behaviour(tree) for tree in game.trees)
    never = first.copy()
    tree = game.trees[0]
    start = tree.index("J||")
    never[tree.sequences(start)] = np.array([1.0, 0.0])  # it never raises a jack
    behind = tree.index("J||rr")
    never[tree.sequences(behind)] = np.array([0.9, 0.1])
    model = TiltModel(game, (first, second), others=[(never, second)], particles=30, seed=1)
    assert model._choices[0].sets.tolist() == [start]
    with pytest.raises(SoulreadError, match="more strategies than the 2 bases are needed"):
        TiltModel(game, (first, second), others=[(never, second)], particles=2)


@pytest.mark.compiled
def test_with_several_bases_the_moves_leave_prior_and_posterior_alone():
    """The slow twin draws bases and tilts from the prior and weighs every draw by the likelihood."""
    pairs = three_bases()
    villain = tuple(random_behaviour(tree, np.random.default_rng(5)) for tree in GAME.trees)
    for hands in ([], seen_of(villain, 12, 2)):
        twin = TiltModel(GAME, pairs[0], others=pairs[1:], particles=100_000, faith=0.3, seed=9)
        weights = np.log(twin._prior)
        for evidence in hands:
            weights += np.log(twin.plans[evidence.player][:, evidence.sequences] @ evidence.weights)
        weights = np.exp(weights - weights.max())
        weights /= weights.sum()
        model = TiltModel(GAME, pairs[0], others=pairs[1:], particles=10_000, faith=0.3, seed=10)
        for evidence in hands:
            model.learn(evidence)
        for _ in range(20):
            model._move()
        for player in (0, 1):
            plans, moved = twin.plans[player], model.plans[player]
            expected = weights @ plans
            error = np.sqrt(weights**2 @ (plans - expected) ** 2 + moved.var(axis=0) / len(moved))
            assert np.all(np.abs(model.plan(player) - expected) <= 4 * error + 1e-12)
        for whole in (True, False):
            kind, moved_kind = twin._whole == whole, model._whole == whole
            for base in range(3):
                share = weights[kind & (twin._which[1][:, 0] == base)].sum()
                found = np.mean(moved_kind & (model._which[1][:, 0] == base))
                spread = np.sqrt(share * (1 - share) / 10_000 + weights[3:] @ weights[3:])
                assert abs(found - share) < 4 * spread + 0.012  # resampling also moves shares a little


@pytest.mark.compiled
def test_the_base_is_found():
    """An opponent who plays the second base: nearly all weight goes to it."""
    pairs = three_bases()
    model = TiltModel(GAME, pairs[0], others=pairs[1:], particles=300, shape=30.0, seed=4)
    for evidence in seen_of(pairs[1], 400, 6):
        model.learn(evidence)
    for player in (0, 1):
        assert model.weights @ (model._which[player][:, 0] == 1) > 0.9
        plan = plan_from_behaviour(GAME.trees[player], pairs[1][player])
        assert np.abs(model.plan(player) - plan).max() < 0.08


def test_the_more_sets_are_open_the_more_steps_are_taken():
    """Without open sets there are three. Where no tilt is believed in, all steps propose bases."""
    assert TiltModel(GAME, BASE, particles=20).steps == 3
    game = compile_factored(leduc(suit_isomorphic=True))
    first, second = (uniform_behaviour(tree) for tree in game.trees)
    rng = np.random.default_rng(4)
    others = [(random_behaviour(game.trees[0], rng), random_behaviour(game.trees[1], rng)) for _ in range(2)]
    bent = TiltModel(game, (first, second), others=others, particles=20)
    sets = sum(choices.sets.size for choices in bent._choices)
    assert sets > 200
    assert bent.steps == round(0.32 * sets)
    assert woven(game, [(first, second), *others], particles=20).steps == round(0.16 * sets)
    assert TiltModel(game, (first, second), others=others, particles=20, steps=7).steps == 7


@pytest.mark.compiled
def test_woven_beliefs_are_bayes_rule_over_every_mixture_of_bases():
    """One set of each seat is open, so there are three whole strategies and nine mixed ones."""
    pairs = three_bases()
    hands = seen_of(pairs[2], 30, 8)
    model = woven(GAME, pairs, particles=4000, seed=2)
    for evidence in hands:
        model.learn(evidence)
    for _ in range(10):
        model._move()
    assert not model._on.any()
    chance = np.array(
        [
            [
                np.prod(
                    [
                        likelihood(e, plan_from_behaviour(tree, pair[player]))
                        for e in hands
                        if e.player == player
                    ]
                )
                for pair in pairs
            ]
            for player, tree in enumerate(GAME.trees)
        ]
    )
    whole = np.diag(chance[0] * chance[1]) / 3
    mixed = np.outer(chance[0], chance[1]) / 9
    expected = (whole + mixed) / (whole + mixed).sum()
    found = np.zeros((3, 3))
    np.add.at(found, (model._which[0][:, 0], model._which[1][:, 0]), model.weights)
    assert_allclose(found, expected, atol=0.04)
