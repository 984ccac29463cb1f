"""The script that fits people: what it counts, its likelihood, and that it finds a player who is known."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from soulread.games.poker import replay
from soulread.games.ring_limit import ring_limit
from soulread.hands.record import seen_by
from soulread.play.opponents.person import KNOTS, NUM_SITUATIONS, chances, situation_name


def load():
    """The module benchmarks/fit_people.py."""
    path = Path(__file__).resolve().parents[1] / "benchmarks" / "fit_people.py"
    spec = importlib.util.spec_from_file_location("fit_people", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


fit = load()
pytestmark = pytest.mark.compiled


def made_up(hands, scores, seed, shown=0.3):
    """Hands of one player with known scores: two decisions before the flop, then one on the flop."""
    rng = np.random.default_rng(seed)
    rows, first = [], [0]
    rating = rng.random((hands, fit.HOLDINGS + 1, 4)).astype(np.float32)
    for i in range(hands):
        for number, street, facing in ((0, 0, True), (4, 0, True), (6, 1, False)):
            p = chances(scores[number], float(rating[i, -1, street]), facing)
            action = int(rng.choice(3, p=p))
            rows.append((number, street, int(facing), 1, action))
            if action == 0:
                break
        first.append(len(rows))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    zeros = np.zeros(hands, dtype=np.int64)
    return fit.Decisions(
        np.array(first), zeros, np.arange(hands) / hands, rng.random(hands) < shown, rating, *columns
    )


def naive_likelihood(theta, data):
    """The same in plain words."""
    total = 0.0
    for i in range(len(data.first) - 1):
        holdings = [fit.HOLDINGS] if data.shown[i] else range(fit.HOLDINGS)
        products = []
        for m in holdings:
            product = 1.0
            for d in range(data.first[i], data.first[i + 1]):
                x = float(data.rating[i, m, data.street[d]])
                p = chances(theta[data.situation[d]], x, bool(data.facing[d]))
                product *= p[data.action[d]]
            products.append(product)
        total += math.log(np.mean(products))
    return total


def scores_of_somebody(seed):
    return np.random.default_rng(seed).normal(size=fit._SHAPE)


def test_the_likelihood_and_its_derivative():
    theta = scores_of_somebody(1)
    data = made_up(20, theta, 2)
    gradient = np.zeros(fit._SHAPE)
    value = fit.likelihood(theta, fit._KNOTS, *fit._columns(data), data.shown, gradient)
    assert value == pytest.approx(naive_likelihood(theta, data))
    for place in ((0, 0, 2), (0, 1, 3), (4, 0, 1), (6, 1, 4), (6, 0, 2)):
        step = np.zeros(fit._SHAPE)
        step[place] = 1e-5
        slope = (naive_likelihood(theta + step, data) - naive_likelihood(theta - step, data)) / 2e-5
        assert gradient[place] == pytest.approx(slope, abs=1e-5)


def test_predictions_multiply_to_the_likelihood_of_hidden_hands():
    theta = scores_of_somebody(3)
    data = made_up(20, theta, 4, shown=0.0)
    assert fit.predicted(data, theta).sum() == pytest.approx(naive_likelihood(theta, data))


def test_a_player_who_is_known_is_found():
    """With hidden hands for the most part, the fit comes near the scores the actions were drawn from."""
    true = np.zeros(fit._SHAPE)
    true[0, 0] = np.linspace(-2, 3, len(KNOTS))
    true[0, 1] = np.linspace(-3, 2, len(KNOTS))
    true[6, 1] = np.linspace(-2, 2, len(KNOTS))
    data = made_up(4000, true, 5)
    found = fit.fit_person(data, np.zeros(fit._SHAPE), 0.3)
    for number, facing in ((0, True), (6, False)):
        for rating in (0.2, 0.5, 0.8):
            expected, ours = (chances(scores[number], rating, facing) for scores in (true, found))
            assert np.abs(np.subtract(expected, ours)).max() < 0.08
    assert fit.predicted(data, found).mean() > fit.predicted(data, np.zeros(fit._SHAPE)).mean() + 0.03


def test_decisions_of_a_hand():
    # Seat 2 raises, the small blind folds, the big blind calls; flop: check, bet, raise, call; turn: checks;
    # river: bet, fold.
    state = replay(ring_limit(3), "rfc/crrc/cc/rf", "AhKhQdQs7c7d" + "2c3d4s" + "9h" + "Ts")
    hand = seen_by(state, None)
    big_blind, button = (list(fit.decisions_of(hand, seat)) for seat in (1, 2))
    two = [situation_name(number % NUM_SITUATIONS) for number, *_ in big_blind]
    assert two == [
        "preflop, faces a raise",
        "flop, to bet, first to act, the other raised last before",
        "flop, faces a bet, first to act, the other raised last before",
        "turn, to bet, first to act, raised last before",
        "river, to bet, first to act, nobody raised before",
    ]
    assert [number // NUM_SITUATIONS for number, *_ in big_blind] == [0] * 5  # the small blind is out
    assert button[0][0] == NUM_SITUATIONS  # first in, with three players left
    assert [situation_name(number) for number, *_ in button[1:]] == [
        "flop, to bet, last to act, raised last before",
        "flop, faces a raise, last to act",
        "turn, to bet, last to act, the other raised last before",
        "river, faces a bet, last to act, nobody raised before",
    ]
    assert [action for *_, action in button] == [2, 2, 1, 1, 0]
    assert [(street, facing) for _, street, facing, _, _ in button][:3] == [(0, True), (1, False), (1, True)]


def test_penalties_and_their_derivative():
    u = np.random.default_rng(6).normal(size=(2, 3, 4))
    value, gradient = fit.penalty_of(u, 0.5, 2.0)
    assert value == pytest.approx(0.5 * (u**2).sum() + 2 * (np.diff(u) ** 2).sum())
    step = np.zeros_like(u)
    step[1, 2, 1] = 1e-6
    change = (fit.penalty_of(u + step, 0.5, 2.0)[0] - fit.penalty_of(u - step, 0.5, 2.0)[0]) / 2e-6
    assert gradient[1, 2, 1] == pytest.approx(change, rel=1e-5)
