"""The model of habits: its formula, its likelihood and slope against plain twins, and what it finds."""

import itertools

import naive_habits
import numpy as np
import pytest
from named import compile_source, equilibrium_of
from numpy.testing import assert_allclose, assert_array_equal

from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.model.bayes.evidence import Evidence, likelihood
from soulread.model.bayes.habits import KNOWS, HabitModel, HabitSpread, kinds
from soulread.play.match.card_tables import DealTable
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.strategy import plan_from_behaviour, uniform_behaviour

SMOOTH = 0.02
GAME = compile_factored(kuhn())
BASE = equilibrium_of("kuhn").behaviours


def seen_of(game, villain, hands: int, seed: int) -> list[Evidence]:
    """What is seen of ``villain``, in alternating seats, by somebody who plays at random."""
    rng = np.random.default_rng(seed)
    table = DealTable(game)
    mine = [uniform_behaviour(tree) for tree in game.trees]
    return [
        table.play(hand % 2, mine[hand % 2], villain[1 - hand % 2], rng).evidence for hand in range(hands)
    ]


def learnt(model: HabitModel, hands: list[Evidence]) -> HabitModel:
    for evidence in hands:
        model.learn(evidence)
    return model


def bend(model: HabitModel, seed: int) -> None:
    """Give the model random habits, as if it had learnt them."""
    model.numbers = np.random.default_rng(seed).normal(size=model.numbers.shape)
    model._behaviours, model._fitted = [None, None], True


def test_without_hands_it_is_the_equilibrium_smoothed():
    model = HabitModel(GAME, BASE, smooth=SMOOTH)
    for seat, tree in enumerate(GAME.trees):
        for block, _, rows in tree.blocks():
            smoothed = (1 - SMOOTH) * BASE[seat][rows] + SMOOTH / len(tree.actions[block])
            assert_allclose(model.strategy(seat)[rows], smoothed, atol=1e-6)


@pytest.mark.parametrize("name", ["kuhn", "leduc:iso"])
def test_behaviour_is_the_formula(name: str):
    game, base = compile_source(name), equilibrium_of(name).behaviours
    model = HabitModel(game, base, smooth=SMOOTH)
    bend(model, 1)
    for seat in (0, 1):
        plain = naive_habits.habit_behaviour(game, seat, base[seat], SMOOTH, model.habits(seat))
        assert_allclose(model.strategy(seat), plain, atol=2e-6)
        assert_allclose(model.plan(seat), plan_from_behaviour(game.trees[seat], plain), atol=5e-6)


def test_a_habit_is_the_sum_of_its_kinds():
    spread = HabitSpread(trust=0.5, often=1.0, strength=2.0, middle=3.0, levels=(1.0, 0.5, 0.25, 0.125))
    model = HabitModel(GAME, BASE, spread, smooth=SMOOTH)
    model.numbers[:] = 1.0
    model._fitted = True
    total = 1.0 + 0.5 + 0.25 + 0.125
    expected = total * np.array([0.5, 1, 1, 2, 2, 3, 3])
    expected[0] += 1
    for seat in (0, 1):
        assert_allclose(model.habits(seat), np.tile(expected, (GAME.trees[seat].num_blocks, 1)))


@pytest.mark.parametrize("forget", [1.0, 0.9])
def test_density_and_slope(forget: float):
    """The value is that of the plain twin, and the slope that of the value."""
    game, base = compile_source("leduc:iso"), equilibrium_of("leduc:iso").behaviours
    villain = uniform_behaviour(game.trees[0]), uniform_behaviour(game.trees[1])
    hands = seen_of(game, villain, 20, seed=2)
    model = learnt(HabitModel(game, base, smooth=SMOOTH, forget=forget), hands)
    habits = np.random.default_rng(3).normal(scale=0.5, size=model.numbers.shape)
    value, slope = model.loss(habits.ravel())
    assert_allclose(-value, naive_habits.log_density(model, base, SMOOTH, hands, forget), rtol=1e-5)
    rng = np.random.default_rng(4)
    for _ in range(5):
        towards = rng.normal(size=habits.size)
        step = 1e-5
        above, below = (model.loss(habits.ravel() + sign * step * towards)[0] for sign in (1, -1))
        assert (above - below) / (2 * step) == pytest.approx(float(slope @ towards), rel=1e-4)


@pytest.mark.compiled
def test_it_finds_a_player_with_habits():
    """Hidden and shown hands of a player who is in the model: what it learns predicts new hands better."""
    truth = HabitModel(GAME, BASE, smooth=SMOOTH)
    bend(truth, 5)
    villain = truth.strategy(0), truth.strategy(1)
    hands = seen_of(GAME, villain, 6000, seed=6)
    model = learnt(HabitModel(GAME, BASE, smooth=SMOOTH), hands)
    fresh = seen_of(GAME, villain, 4000, seed=7)

    def loss(plans) -> float:
        return -float(np.mean([np.log(likelihood(evidence, plans[evidence.player])) for evidence in fresh]))

    start = HabitModel(GAME, BASE, smooth=SMOOTH)
    best, before, after = (loss((m.plan(0), m.plan(1))) for m in (truth, start, model))
    assert after - best < 0.05 * (before - best)


def test_fitting_twice_changes_nothing_and_the_order_of_hands_little():
    hands = seen_of(GAME, BASE, 60, seed=8)
    one = learnt(HabitModel(GAME, BASE), hands).strategy(0)
    two = learnt(HabitModel(GAME, BASE), hands[::-1]).strategy(0)
    assert_allclose(one, two, atol=1e-3)
    again = HabitModel(GAME, BASE)
    learnt(again, hands[:7])
    again.reset()
    assert_array_equal(learnt(again, hands).strategy(0), one)


def test_kinds_go_from_broad_to_narrow():
    tree = compile_source("leduc:iso").trees[0]
    found = kinds(tree)
    levels = list(zip(*found, strict=True))
    assert [len(set(level)) for level in levels] == sorted(len(set(level)) for level in levels)
    for wide, narrow in itertools.pairwise(levels):
        assert len(set(zip(wide, narrow, strict=True))) == len(
            set(narrow)
        )  # a narrow kind has one broad kind
    assert np.shape(HabitSpread().array()) == (len(levels), len(KNOWS))


def test_refusals():
    with pytest.raises(SoulreadError, match="betting tree times private states"):
        HabitModel(compile_game(kuhn()), BASE)
    with pytest.raises(SoulreadError, match="smooth=0"):
        HabitModel(GAME, BASE, smooth=0)
    with pytest.raises(SoulreadError, match="forget=2"):
        HabitModel(GAME, BASE, forget=2)
