"""Counter-strategies: both ends, the frontier between them, and what the confidence functions promise."""

import itertools
from functools import lru_cache

import naive_restricted
import numpy as np
import pytest
from naive_safe import safe_value
from pairs import pair
from scipy.optimize import linprog

from soulread.encoding import plain_data
from soulread.errors import ParseError, ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.respond.confidence import linear, p_conf, parse_confidence, s_curve, step, zero_to_ten
from soulread.respond.counter import CounterPair, data_biased, in_both_seats, mixture, restricted_nash
from soulread.respond.curves import PAPER_PS, data_biased_family, frontier, mixture_family, nash_family
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.strategy import (
    Behaviour,
    mix_behaviours,
    plan_from_behaviour,
    random_behaviour,
    verify_plan,
)
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.exploitability import exploitability
from soulread.solvers.lp import solve_exactly
from soulread.solvers.restricted import Restriction


@lru_cache
def weak_leduc():
    """Leduc, its equilibrium, and an opponent who plays it badly in both seats."""
    game = compile_game(leduc())
    equilibrium = solve_exactly(game)
    rng = np.random.default_rng(4)
    models = tuple(
        mix_behaviours(tree, 0.7, sigma, random_behaviour(tree, rng))
        for tree, sigma in zip(game.trees, equilibrium.behaviours, strict=True)
    )
    return game, equilibrium, models


@lru_cache
def curve(name):
    game, equilibrium, models = weak_leduc()
    seen = tuple(np.random.default_rng(9).integers(0, 20, tree.num_sets).astype(float) for tree in game.trees)
    families = {
        "rnr": nash_family(),
        "dbr": data_biased_family(zero_to_ten, dict(enumerate(seen))),
        "mix": mixture_family(equilibrium.behaviours),
    }
    return frontier(game, families[name], models, precision=2e-4, keep=True)


@pytest.mark.compiled
@pytest.mark.parametrize("player", [0, 1])
def test_ends_of_the_restricted_nash_curve(player):
    game, equilibrium, models = weak_leduc()
    value = equilibrium.value if player == 0 else -equilibrium.value
    safe = restricted_nash(game, player, models[1 - player], 0, Stops(gap=1e-4))
    assert safe.exploitability <= 2e-4
    assert safe.gap <= 1e-4
    best = restricted_nash(game, player, models[1 - player], 1)
    plan = plan_from_behaviour(game.trees[1 - player], models[1 - player])
    most = best_response(game.trees[player], game.payoff.gradient(player, plan))[0]
    assert best.value_against(models[1 - player]) == pytest.approx(most)
    near = restricted_nash(game, player, models[1 - player], 0.999, Stops(gap=1e-5))
    assert near.exploitation(models[1 - player]) == pytest.approx(most - value, abs=1e-2)
    assert near.exploitability < best.exploitability + 1e-2


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["rnr", "mix"])
def test_exploitation_and_exploitability_never_decrease(name):
    points = curve(name).points
    assert tuple(point.p for point in points) == PAPER_PS
    for before, after in itertools.pairwise(points):
        assert after.against_model >= before.against_model - 4e-4
        assert after.exploitability >= before.exploitability - 4e-4
    assert points[-1].against_model > points[0].against_model + 0.1
    assert points[-1].exploitability > 0.5


@pytest.mark.compiled
def test_restricted_nash_responses_are_the_safest_of_their_kind():
    """Each lies on the frontier of epsilon-safe best responses, which a linear program computes."""
    game, equilibrium, models = weak_leduc()
    for player, p in ((0, 0.3), (0, 0.6), (0, 0.9), (1, 0.5), (1, 0.8), (1, 0.97)):
        value = equilibrium.value if player == 0 else -equilibrium.value
        model = models[1 - player]
        response = restricted_nash(game, player, model, p, Stops(gap=1e-5 * (1 - p)))
        plan = plan_from_behaviour(game.trees[1 - player], model)
        safe = safe_value(game, player, plan, response.exploitability, value)
        assert safe - value == pytest.approx(response.exploitation(model), abs=1e-4)
        assert safe - value >= response.exploitation(model) - 1e-9


@pytest.mark.compiled
def test_the_mixture_is_worse_at_the_same_risk():
    game, equilibrium, models = weak_leduc()
    rnr, mixed = curve("rnr"), curve("mix")
    risks = [point.exploitability for point in mixed.points]
    wins = [point.against_model for point in mixed.points]
    for point in rnr.points[1:-2]:
        assert point.against_model > np.interp(point.exploitability, risks, wins) + 0.01

    def mixed_pair(p):
        return in_both_seats(
            lambda seat: mixture(game, seat, models[1 - seat], equilibrium.behaviours[seat], p)
        )

    least, half, most = (mixed_pair(p) for p in (0, 0.5, 1))
    ends = least.exploitation(models), most.exploitation(models)
    assert half.exploitation(models) == pytest.approx(np.mean(ends))
    verify_plan(game.trees[0], half.plans[0])


@pytest.mark.compiled
@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("strength", [1.0, 3.0])
def test_curve_confidence_is_the_robust_optimum_over_dirichlet_priors(player, strength):
    """Theorem 1 of the paper, in Kuhn: against the worst of all priors nothing does better."""
    game = compile_game(kuhn())
    villain = game.trees[1 - player]
    counts = {
        villain.label(j): np.random.default_rng(j).integers(0, 6, 2).tolist() for j in range(villain.num_sets)
    }
    posteriors = []
    for behaviour in naive_restricted.worst_priors(villain, counts, strength):
        flat = Behaviour(np.ones(villain.num_sequences))
        for j in range(villain.num_sets):
            flat[villain.sequences(j)] = behaviour[villain.label(j)]
        posteriors.append(game.payoff.gradient(player, plan_from_behaviour(villain, flat)))
    gains = np.array(posteriors)
    tree = game.trees[player]
    flow = np.zeros((tree.num_sets + 1, tree.num_sequences + 1))
    flow[-1, 0] = 1
    for j in range(tree.num_sets):
        flow[j, tree.sequences(j)] = 1
        flow[j, tree.parent_sequence[j]] -= 1
    goal = np.eye(1, tree.num_sequences + 1, tree.num_sequences)[0]
    robust = linprog(
        -goal,
        A_ub=np.hstack([-gains, np.ones((len(gains), 1))]),
        b_ub=np.zeros(len(gains)),
        A_eq=flow,
        b_eq=np.eye(1, tree.num_sets + 1, tree.num_sets)[0],
        bounds=[(0, None)] * tree.num_sequences + [(None, None)],
    )
    n = np.array([sum(counts[villain.label(j)]) for j in range(villain.num_sets)], dtype=float)
    model = Behaviour(np.ones(villain.num_sequences))
    for j in range(villain.num_sets):
        seen = counts[villain.label(j)]
        model[villain.sequences(j)] = np.array(seen) / n[j] if n[j] else 0.5
    response = data_biased(game, player, model, p_conf(s_curve(strength), n), Stops(gap=1e-6))
    assert robust.fun is not None
    assert (gains @ response.plan).min() == pytest.approx(-robust.fun, abs=3e-6)


@pytest.mark.compiled
def test_a_data_biased_response_without_data_is_an_equilibrium():
    game, _, models = weak_leduc()
    nothing = tuple(np.zeros(tree.num_sets) for tree in game.trees)
    for function in (step(1), step(10), zero_to_ten, s_curve(1)):
        family = data_biased_family(function, dict(enumerate(nothing)))
        (point,) = frontier(game, family, models, [1.0], precision=1e-3).points
        assert point.exploitability <= 2e-3


@pytest.mark.compiled
def test_a_data_biased_response_trusts_what_was_seen():
    """With full confidence everywhere it is a best response, and each step of P_max wins more."""
    game, _, models = weak_leduc()
    points = curve("dbr").points
    for before, after in itertools.pairwise(points):
        assert after.against_model >= before.against_model - 4e-4
    sure = tuple(np.ones(tree.num_sets) for tree in game.trees)
    best = in_both_seats(lambda seat: restricted_nash(game, seat, models[1 - seat], 1))
    pair = in_both_seats(
        lambda seat: data_biased(game, seat, models[1 - seat], sure[1 - seat], Stops(gap=1e-6))
    )
    assert pair.exploitation(models) == pytest.approx(best.exploitation(models), abs=1e-5)


@pytest.mark.compiled
def test_sparse_equals_factored():
    def answer(game):
        models = pair(mix_behaviours(tree, 0.5, *_two(tree)) for tree in game.trees)
        found = in_both_seats(
            lambda seat: restricted_nash(game, seat, models[1 - seat], 0.7, Stops(gap=1e-6))
        )
        return found.exploitation(models), found.exploitability

    assert answer(compile_game(kuhn())) == pytest.approx(answer(compile_factored(kuhn())), abs=1e-4)


def _two(tree):
    passive, wild = np.zeros(tree.num_sequences), np.zeros(tree.num_sequences)
    for behaviour, position in ((passive, 0), (wild, 1)):
        behaviour[0] = 1
        for j in range(tree.num_sets):
            behaviour[tree.sequences(j).start + position * tree.sequences(j).step] = 1
    return passive, wild


@pytest.mark.compiled
def test_pair_and_seats_agree():
    game, equilibrium, models = weak_leduc()
    pair = curve("rnr").responses[3]
    assert isinstance(pair, CounterPair)
    values = equilibrium.value, -equilibrium.value
    for seat, value in enumerate(values):
        assert pair.seats[seat].game_value == pytest.approx(value)
    mean = sum(pair.seats[seat].exploitation(models[1 - seat]) for seat in (0, 1)) / 2
    assert pair.exploitation(models) == pytest.approx(mean)
    assert pair.exploitability == pytest.approx(sum(seat.exploitability for seat in pair.seats) / 2)
    assert pair.exploitability == pytest.approx(exploitability(game, pair.plans))
    assert pair.behaviours[0].shape == (game.trees[0].num_sequences,)


@pytest.mark.compiled
def test_frontier_is_a_record():
    game, equilibrium, models = weak_leduc()
    told = []
    made = frontier(
        game,
        nash_family(),
        models,
        [0.9, 0.0],
        opponent=equilibrium.behaviours,
        precision=1e-2,
        equilibrium=equilibrium.behaviours,
        progress=lambda seat, p, response: told.append((seat, p)),
    )
    assert told == [(0, 0.0), (0, 0.9), (1, 0.0), (1, 0.9)]
    record = plain_data(made)
    assert (record["game"], record["family"]) == ("leduc", "rnr")
    first, second = record["points"]
    assert (first["p"], second["p"]) == (0.9, 0.0)
    assert second["exploitability"] == pytest.approx(0, abs=1e-9)
    assert second["against_opponent"] == pytest.approx(0, abs=1e-9)
    assert made.points[0].gap <= 1e-3
    assert made.responses == ()
    assert plain_data(frontier(game, nash_family(), models, [1.0]))["points"][0]["against_opponent"] is None


def test_confidence_functions():
    n = np.array([0.0, 1, 4, 9, 10, 11, 1000])
    cases = {
        "1-step": [0, 1, 1, 1, 1, 1, 1],
        "10-step": [0, 0, 0, 0, 1, 1, 1],
        "0-10": [0, 0.1, 0.4, 0.9, 1, 1, 1],
        "curve:1": n / (1 + n),
        "curve:2.5": n / (2.5 + n),
        "3-step": [0, 0, 1, 1, 1, 1, 1],
        "0-4": [0, 0.25, 1, 1, 1, 1, 1],
    }
    for text, expected in cases.items():
        np.testing.assert_allclose(p_conf(parse_confidence(text), n, 0.9), 0.9 * np.array(expected))
    np.testing.assert_allclose(p_conf(np.tanh, n), np.tanh(n))


@pytest.mark.parametrize(
    "text", ["", "step", "x-step", "0-0", "curve:", "curve:0", "curve:-1", "1-10", "..-step"]
)
def test_bad_confidence_texts(text):
    with pytest.raises(ParseError, match="is not a confidence function"):
        parse_confidence(text)


def test_errors():
    game, equilibrium, models = weak_leduc()
    n = np.ones(3)
    for p_max in (-0.1, 1.5, float("nan")):
        with pytest.raises(SoulreadError, match=r"P_max=.*lies between 0 and 1"):
            p_conf(step(1), n, p_max)
    with pytest.raises(SoulreadError, match=r"-1\.0 observations at set 2"):
        p_conf(step(1), np.array([0.0, 1, -1]))
    with pytest.raises(SoulreadError, match=r"gives 2\.0 for 1 observations"):
        p_conf(lambda n: 2 * n, n)
    with pytest.raises(ShapeError, match="turned shape"):
        p_conf(lambda n: n[:1], n)
    for make in (step, linear, s_curve):
        with pytest.raises(SoulreadError, match="positive number"):
            make(0)
    with pytest.raises(SoulreadError, match=r"p=1\.1"):
        restricted_nash(game, 0, models[1], 1.1)
    with pytest.raises(SoulreadError, match=r"p=-1"):
        mixture(game, 0, models[1], equilibrium.behaviours[0], -1)
    with pytest.raises(SoulreadError, match=r"p=2; it lies"):
        frontier(game, nash_family(), models, [0.5, 2])
    with pytest.raises(SoulreadError, match="at least one value of p"):
        frontier(game, nash_family(), models, [])
    with pytest.raises(ShapeError, match="another game"):
        restricted_nash(compile_game(kuhn()), 0, models[1], 0.5)
    other = compile_game(leduc())
    engine = RegretMinimiser(other, DCFR(), Restriction(other.trees[1], models[1], p=0.5))
    with pytest.raises(SoulreadError, match="the engine to start from solved"):
        restricted_nash(game, 0, models[1], 0.5, start=engine)
