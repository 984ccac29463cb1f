"""Spots solved board by board: the same regrets as the general solver, known values, locks, checkpoints."""

import known_values
import numpy as np
import pytest
from test_spots import IP, OOP, TIDY, make

from soulread.errors import SoulreadError
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR, CFRPlus, PredictiveCFRPlus
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.cfr.streamed import UNREACHED, StreamedSolver, memory_needed, solve_spot
from soulread.solvers.exploitability import exploitability
from soulread.solvers.restricted import Lock, Restriction, restricted_gap

SPOTS = {
    "river": lambda: make("Td9d6hQc2s", "AhAs,KJs:0.5,T8s,32o,77", "AsAd,AhAd,KJs,JJ:0.25,T9s"),
    "turn": lambda: make("Td9d6hQd", "AhAs,KJs:0.5,87s", "AA,KdJd,55:0.25", stack=8),
    "turn all-in": lambda: make("Td9d6hQc", "AhAs,KdJd,8d7d", "AsAd,KdJd,5s5c", menu=("a,50%", "a")),
}


def lock_of(spot, path, seed=0):
    """A random model at one node, with random confidences."""
    place = spot.find(path)
    player = spot.node(place).player
    rng = np.random.default_rng(seed)
    rows = spot.rows(place)
    model = random_behaviour(spot.trees[player], rng)[rows].astype(np.float64)
    width = spot.width(place.board, player)
    lock = Lock(spot.block(place), model.reshape(-1, width), rng.choice([0.0, 0.4, 1.0], size=width))
    return Restriction(spot.trees[player], locks=(lock,))


def start_at_random(spot, general, streamed):
    """Give both solvers the same regrets; from none, rounding gives some of them a sign."""
    rng = np.random.default_rng(3)
    tensors = {name: tensor.copy() for name, tensor in general.tensors().items()}
    for player, tree in enumerate(spot.trees):
        regret = rng.normal(size=tree.num_sequences)
        positive = np.maximum(regret, 0)
        behaviour = tensors[f"behaviour{player}"]
        for j in range(tree.num_sets):
            rows = tree.sequences(j)
            total = positive[rows].sum()
            behaviour[rows] = positive[rows] / total if total > 0 else 1 / positive[rows].size
        tensors[f"regret{player}"] = regret
        streamed.regret[player][:] = regret
    general.restore(0, tensors, {})


@pytest.mark.parametrize("name", SPOTS)
@pytest.mark.parametrize("lock", ["", "check"])
def test_regrets_and_averages_are_those_of_the_general_solver(name, lock):
    spot = SPOTS[name]()
    game = spot_game(spot)
    restriction = lock_of(spot, lock) if lock else None
    # Few iterations with a lock: later ones depend on the sign of regrets that are zero but for rounding.
    iterations = 2 if lock else 4
    for schedule in (DCFR(), CFRPlus()):
        general = RegretMinimiser(game, schedule, restriction)
        streamed = StreamedSolver(spot, schedule, restriction)
        if not lock:
            start_at_random(spot, general, streamed)
        general.advance(iterations - 1)
        averages = [plan.copy() for plan in general.plans]
        general.advance(1)
        streamed.advance(1)
        streamed.advance(iterations - 1)
        tensors = general.tensors()
        for player in (0, 1):
            assert streamed.regret[player][1:] == pytest.approx(tensors[f"regret{player}"][1:], abs=1e-12)
            assert streamed.average[player][1:] == pytest.approx(averages[player][1:], abs=1e-12)
    plans = streamed.plans
    assert streamed.gap().value == pytest.approx(restricted_gap(game, plans, restriction).value, abs=1e-12)
    assert streamed.value() == pytest.approx(game.value(*plans), abs=1e-12)


@pytest.mark.compiled
def test_regrets_of_a_flop_are_those_of_the_general_solver():
    spot = make("Td9d6h", "AcAs,8c7c,8s7s", "KcKs,Jd8d", stack=8, menu=("a", "none"))
    general, streamed = RegretMinimiser(spot_game(spot), DCFR()), StreamedSolver(spot)
    general.advance(3)
    streamed.advance(3)
    for player in (0, 1):
        found = general.tensors()[f"regret{player}"]
        assert streamed.regret[player][1:] == pytest.approx(found[1:], abs=1e-12)
    assert streamed.gap().value == pytest.approx(exploitability(spot_game(spot), streamed.plans), abs=1e-12)


@pytest.mark.parametrize("lock", ["", "check"])
def test_behaviours_are_the_averages_or_the_last_behaviours(lock):
    spot = SPOTS["river"]()
    restriction = lock_of(spot, lock) if lock else None
    streamed = StreamedSolver(spot, CFRPlus(), restriction)
    streamed.advance(10)
    rng = np.random.default_rng(1)
    expected = []
    for player, tree in enumerate(spot.trees):
        average, regret = streamed.average[player], streamed.regret[player]
        bound = {} if restriction is None or restriction.player != player else {restriction.locks[0].block: 0}
        behaviour = np.ones(tree.num_sequences)
        for j in range(tree.num_sets):
            rows = tree.sequences(j)
            if rng.random() < 0.5:
                average[rows] *= 0.1 * UNREACHED / average[rows].sum()  # as after many iterations elsewhere
                positive = np.maximum(regret[rows], 0)
                total = positive.sum()
                behaviour[rows] = positive / total if total > 0 else 1 / positive.size
                if restriction is not None and tree.block(j) in bound:
                    k = j - tree.first_set[tree.block(j)]
                    c = restriction.locks[0].confidence[k]
                    behaviour[rows] = c * restriction.locks[0].model[:, k] + (1 - c) * behaviour[rows]
            else:
                behaviour[rows] = average[rows] / average[rows].sum()
        expected.append(behaviour)
    for found, wanted in zip(streamed.behaviours(), expected, strict=True):
        assert found == pytest.approx(wanted, abs=1e-12)


def test_lines_are_values_against_the_opponents_plan():
    spot = SPOTS["turn"]()
    solution = solve_spot(spot, Stops(iterations=3))
    game = spot_game(spot)
    plans = [plan_from_behaviour(t, b) for t, b in zip(spot.trees, solution.behaviours, strict=True)]
    assert solution.value == pytest.approx(game.value(*plans), abs=1e-3)
    start = solution.lines(spot.start, 0)
    assert start.value.sum() == pytest.approx(game.value(*plans), abs=1e-12)
    assert solution.lines(spot.start, 1).value.sum() == pytest.approx(-game.value(*plans), abs=1e-12)
    # The values of an action are its gradient and those of all sets after it.
    place = spot.find("check check 3c")
    found = solution.lines(place, 0)
    q = game.payoff.gradient(0, plans[1])
    tree = spot.trees[0]
    for block in range(tree.num_blocks - 1, -1, -1):
        for j in range(tree.first_set[block], tree.first_set[block + 1]):
            rows = tree.sequences(j)
            q[tree.parent_sequence[j]] += solution.behaviours[0][rows] @ q[rows]
    assert found.actions.ravel() == pytest.approx(q[spot.rows(place)], abs=1e-12)
    first = int(tree.first_set[spot.block(place)])
    parents = tree.parent_sequence[first : first + found.own_reach.size]
    assert found.own_reach == pytest.approx(plans[0][parents], abs=1e-12)


@pytest.mark.compiled
def test_values_of_known_spots():
    river = make(
        "Td9d6hQc2s", "random", "random", 200, 900, ("50%,100%", "60%,100%"), dtype=np.float32, **TIDY
    )
    found = solve_spot(river, Stops(gap=0.001 * 200))
    assert found.value == pytest.approx(known_values.SPOT_RIVER, abs=0.0005 * 200)
    menu = ("60%,e,a", "2.5x", "river: 50%")
    turn = make("Td9d6hQc", OOP, IP, 200, 900, menu, dtype=np.float32, **TIDY)
    found = solve_spot(turn, Stops(gap=0.0025 * 200))
    assert found.value == pytest.approx(known_values.SPOT_TURN, abs=0.0005 * 200)
    assert memory_needed(turn) < 12e6


def test_a_run_goes_on_from_its_checkpoint(tmp_path):
    spot = SPOTS["river"]()
    file = tmp_path / "spot.checkpoint"
    whole = solve_spot(spot, Stops(iterations=12))
    solve_spot(spot, Stops(iterations=5), checkpoint=file)
    rest = solve_spot(spot, Stops(iterations=12), checkpoint=file)
    assert rest.iterations == 12
    for one, two in zip(whole.behaviours, rest.behaviours, strict=True):
        assert np.array_equal(one, two)
    other = make("Td9d6hQc2s", "AhAs,KJs:0.5", "AsAd,KJs")
    with pytest.raises(SoulreadError, match="another game"):
        solve_spot(other, Stops(iterations=40), checkpoint=file)


def test_what_board_by_board_cannot_do_is_refused():
    spot = SPOTS["river"]()
    with pytest.raises(SoulreadError, match="pcfr"):
        StreamedSolver(spot, PredictiveCFRPlus())
    model = random_behaviour(spot.trees[0], np.random.default_rng(0))
    with pytest.raises(SoulreadError, match="locks"):
        StreamedSolver(spot, None, Restriction(spot.trees[0], model, p=0.5))
    with pytest.raises(SoulreadError, match="nothing says when to stop"):
        solve_spot(spot, Stops())
