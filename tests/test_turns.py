"""The model of turns: its formula and slope against plain twins, and the players and bases that it finds."""

import numpy as np
import pytest
from named import compile_source, equilibrium_of
from numpy.testing import assert_allclose
from test_habits import seen_of

from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.poker import CALL, FOLD
from soulread.model.bayes.evidence import Evidence, likelihood
from soulread.model.bayes.habits import THUMB, HabitModel, broad_kind
from soulread.model.bayes.turns import MOST, PRIOR, THIRDS, TurnModel
from soulread.seqform.compile import compile_game
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import Behaviour, plan_from_behaviour, uniform_behaviour
from soulread.solvers.equilibria import equilibrium_by
from soulread.solvers.skews import SHIFTS, parse_skews, skew_behaviours, strength_thirds

SMOOTH = 0.005
GAME = compile_source("leduc:iso")
BASE = equilibrium_of("leduc:iso").behaviours
UNIFORM = uniform_behaviour(GAME.trees[0]), uniform_behaviour(GAME.trees[1])


def some_numbers(model: TurnModel, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0.01, 0.3, model.numbers.shape)


def plain_amounts(numbers: np.ndarray, rounds: int) -> np.ndarray:
    """The amounts, one at a time: everywhere, in a round, with a third, in a round with a third."""
    found = np.empty((len(SHIFTS), rounds, THIRDS))
    for what in range(len(SHIFTS)):
        everywhere, rest = numbers[what, 0], numbers[what, 1:]
        for r in range(rounds):
            for h in range(THIRDS):
                parts = everywhere, rest[r], rest[rounds + h], rest[rounds + THIRDS + r * THIRDS + h]
                found[what, r, h] = 1 - np.prod([1 - y for y in parts])
    return found


def plain_behaviour(seat: int, amounts: np.ndarray) -> Behaviour:
    """The behaviour, one private state at a time."""
    tree = GAME.trees[seat]
    result = np.ones(tree.num_sequences)
    for block, (actions, r) in enumerate(zip(tree.actions, tree.labels.rounds, strict=True)):
        width = int(tree.first_set[block + 1] - tree.first_set[block])
        for s in range(width):
            rows = {a: int(tree.first_sequence[block]) + i * width + s for i, a in enumerate(actions)}
            chance = {a: (1 - SMOOTH) * BASE[seat][row] + SMOOTH / len(rows) for a, row in rows.items()}
            loose, tight, passive, aggressive = amounts[:, r, strength_thirds(GAME)[r][s]]
            up = next((a for a in actions if a not in (FOLD, CALL)), None)
            moved = dict.fromkeys(actions, 0.0)
            calls = chance[CALL]
            if up is not None:
                moved[up] += calls * aggressive - chance[up] * passive
                moved[CALL] += chance[up] * passive - calls * aggressive
                calls *= 1 - aggressive
            if FOLD in rows:
                moved[FOLD] += calls * tight - chance[FOLD] * loose
                moved[CALL] += chance[FOLD] * loose - calls * tight
            for action, row in rows.items():
                result[row] = chance[action] + moved[action]
    return Behaviour(result)


def learnt(model, hands: list[Evidence]):
    for evidence in hands:
        model.learn(evidence)
    return model


def test_behaviour_is_the_formula() -> None:
    model = TurnModel(GAME, BASE, smooth=SMOOTH)
    model.numbers = some_numbers(model, 1)
    amounts = plain_amounts(model.numbers, 2)
    assert_allclose(model.amounts, amounts)
    for seat in (0, 1):
        assert_allclose(model.strategy(seat), plain_behaviour(seat, amounts), atol=2e-6)


def test_density_and_slope() -> None:
    hands = seen_of(GAME, UNIFORM, 20, seed=2)
    model = learnt(TurnModel(GAME, BASE, smooth=SMOOTH), hands)
    numbers = some_numbers(model, 3)
    value, slope = model.loss(numbers.ravel())
    amounts = plain_amounts(numbers, 2)
    plans = [plan_from_behaviour(tree, plain_behaviour(s, amounts)) for s, tree in enumerate(GAME.trees)]
    everywhere, by_round, by_third, by_both = PRIOR
    strict = [everywhere, *[by_round] * 2, *[by_third] * THIRDS, *[by_both] * 2 * THIRDS]
    prior = sum((b - 1) * np.log(1 - y) for row in numbers for y, b in zip(row, strict, strict=True))
    seen = sum(np.log(likelihood(evidence, plans[evidence.player])) for evidence in hands)
    assert -value == pytest.approx(prior + seen, rel=1e-5)
    rng = np.random.default_rng(4)
    for _ in range(5):
        towards = rng.normal(size=numbers.size)
        above, below = (model.loss(numbers.ravel() + sign * 1e-5 * towards)[0] for sign in (1, -1))
        assert (above - below) / 2e-5 == pytest.approx(float(slope @ towards), rel=1e-4)


@pytest.mark.compiled
def test_it_finds_the_fault_and_where_it_is() -> None:
    """Folds of the first round become calls; the model says so, and nothing else of size."""
    villain = skew_behaviours(GAME, BASE, parse_skews("loose=0.5,rounds=preflop"))
    model = learnt(TurnModel(GAME, BASE), seen_of(GAME, villain, 3000, seed=5))
    model.strategy(0)
    assert_allclose(model.amounts[0, 0], 0.5, atol=0.1)
    rest = model.amounts.copy()
    rest[0, 0] = 0
    assert rest.max() < 0.12
    assert 0 <= model.numbers.min() <= model.numbers.max() <= MOST


@pytest.mark.compiled
def test_it_finds_which_equilibrium_is_turned() -> None:
    """Of three bases the one is taken that the opponent turns; a reset goes back to the first."""
    source = parse_source("leduc:iso")
    others = [equilibrium_by(source, method).behaviours for method in ("lp:3", "lp:5")]
    villain = skew_behaviours(GAME, others[1], parse_skews("passive=0.4"))
    model = learnt(TurnModel(GAME, BASE, others=others), seen_of(GAME, villain, 1500, seed=6))
    alone = learnt(TurnModel(GAME, others[1]), seen_of(GAME, villain, 1500, seed=6))
    alone.strategy(0)
    for _ in range(3):  # the base and the numbers are found in turns
        model.strategy(0)
        model._fitted = False
        model._behaviours = [None, None]
    assert model._chosen == 2
    assert_allclose(model.amounts, alone.amounts, atol=0.02)
    assert_allclose(model.strategy(1), alone.strategy(1), atol=0.02)
    model.reset()
    fresh = TurnModel(GAME, BASE)
    assert_allclose(model.strategy(0), fresh.strategy(0), atol=1e-6)


def test_without_hands_it_is_the_base_smoothed() -> None:
    model = TurnModel(GAME, BASE, smooth=SMOOTH)
    for seat, tree in enumerate(GAME.trees):
        for block, _, rows in tree.blocks():
            smoothed = (1 - SMOOTH) * BASE[seat][rows] + SMOOTH / len(tree.actions[block])
            assert_allclose(model.strategy(seat)[rows], smoothed, atol=1e-6)


def test_refusals() -> None:
    with pytest.raises(SoulreadError, match="smooth=1"):
        TurnModel(GAME, BASE, smooth=1)
    with pytest.raises(SoulreadError, match="sparse payoffs, which do not say how strong hands are"):
        TurnModel(compile_game(kuhn()), equilibrium_of("kuhn").behaviours)


def test_rules_of_thumb_are_the_centre_of_habits() -> None:
    """Before any hand a player of rules of thumb has the habits of the table, by kind of decision."""
    model = HabitModel(GAME, BASE, centre=THUMB)
    for seat, tree in enumerate(GAME.trees):
        for block, actions in enumerate(tree.actions):
            facing = FOLD in actions
            raising = any(action not in (FOLD, CALL) for action in actions)
            assert broad_kind(actions) == (facing, raising)
            assert_allclose(model.habits(seat)[block], THUMB[facing, raising])


@pytest.mark.compiled
def test_a_player_of_rules_of_thumb_is_known_sooner() -> None:
    """With the centre, fifty hands of such a player predict later hands better than without."""
    rng = np.random.default_rng(7)
    truth = HabitModel(GAME, BASE, centre=THUMB)
    truth.numbers = 0.5 * rng.normal(size=truth.numbers.shape)
    truth._behaviours = [None, None]
    villain = truth.strategy(0), truth.strategy(1)
    hands, later = seen_of(GAME, villain, 50, seed=8), seen_of(GAME, villain, 1000, seed=9)

    def loss(model: HabitModel) -> float:
        plans = model.plan(0), model.plan(1)
        return -sum(float(np.log(likelihood(evidence, plans[evidence.player]))) for evidence in later)

    with_centre, without = (learnt(HabitModel(GAME, BASE, centre=c), hands) for c in (THUMB, None))
    assert loss(with_centre) < loss(without) - 30
