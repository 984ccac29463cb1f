"""Spots solved board by board: the same regrets as the general solver, known values, locks, checkpoints."""

import tracemalloc

import known_values
import numpy as np
import pytest
from test_spots import IP, OOP, TIDY, make

from soulread.errors import SoulreadError
from soulread.games.spot import Rake
from soulread.machine import size_text
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR, CFRPlus, LinearCFR, PredictiveCFRPlus
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.cfr.streamed import (
    UNREACHED,
    StreamedSolver,
    memory_needed,
    pack,
    solve_spot,
    spot_parts,
    spot_threads,
    what_fits,
)
from soulread.solvers.exploitability import exploitability, house_share
from soulread.solvers.real_cards.spot_files import load_spot, save_spot
from soulread.solvers.restricted import Lock, Restriction, restricted_gap

SPOTS = {
    "river": lambda: make("Td9d6hQc2s", "AhAs,KJs:0.5,T8s,32o,77", "AsAd,AhAd,KJs,JJ:0.25,T9s"),
    "turn": lambda: make("Td9d6hQd", "AhAs,KJs:0.5,87s", "AA,KdJd,55:0.25", stack=8),
    "turn all-in": lambda: make("Td9d6hQc", "AhAs,KdJd,8d7d", "AsAd,KdJd,5s5c", menu=("a,50%", "a")),
    "rake": lambda: make(
        "Td9d6hQc2s", "AhAs,KJs:0.5,T8s,32o,77", "AsAd,AhAd,KJs,JJ:0.25,T9s", rake=Rake(0.05, 2)
    ),
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
    # Few iterations: later ones depend on the sign of regrets that are zero but for rounding.
    for schedule, iterations in ((DCFR(), 4), (LinearCFR(), 4), (CFRPlus(), 1)):
        if lock:
            iterations = 1 if name == "rake" else 2
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
            if iterations > 1:  # the average of the general solver is one iteration ahead
                assert streamed.average[player][1:] == pytest.approx(averages[player][1:], abs=1e-12)
    plans = streamed.plans
    assert streamed.gap().value == pytest.approx(restricted_gap(game, plans, restriction).value, abs=1e-12)
    assert streamed.value() == pytest.approx(game.value(*plans), abs=1e-12)
    assert streamed.rake() == pytest.approx(house_share(game, plans), abs=1e-12)
    assert (streamed.rake() > 0.1) == (name == "rake")


@pytest.mark.compiled
def test_regrets_of_a_flop_are_those_of_the_general_solver():
    spot = make("Td9d6h", "AcAs,8c7c,8s7s", "KcKs,Jd8d", stack=8, menu=("a", "none"))
    general, streamed = RegretMinimiser(spot_game(spot), DCFR()), StreamedSolver(spot, DCFR())
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
    assert memory_needed(turn, threads=1) < 12e6


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


def solved(spot, iterations, **settings):
    solver = StreamedSolver(spot, **settings)
    solver.advance(iterations)
    return solver


@pytest.mark.parametrize("half", [False, True])
def test_any_number_of_threads_gives_the_same_bits(half):
    spot = SPOTS["turn"]()
    one = solved(spot, 6, threads=1, half=half)
    for threads in (2, 4):
        more = solved(spot, 6, threads=threads, half=half)
        assert more.threads == threads
        for player in (0, 1):
            assert np.array_equal(one.regret[player], more.regret[player])
            assert np.array_equal(one.average[player], more.average[player])
        assert (one.gap(), one.value()) == (more.gap(), more.value())
        for first, second in zip(one.behaviours(), more.behaviours(), strict=True):
            assert np.array_equal(first, second)
        one = solved(spot, 6, threads=1, half=half)


def test_parts_cover_the_boards_after_the_first_one():
    assert spot_parts(SPOTS["river"]()).tolist() == [1]
    turn = SPOTS["turn"]()
    parts = spot_parts(turn)
    assert (parts[0], parts[-1], parts.size) == (1, len(turn.boards.cards), 9)
    flop = make("Td9d6h", "AcAs", "Jd8d", stack=8, menu=("a", "none"))
    parts = spot_parts(flop)
    assert (parts[0], parts[-1], parts.size) == (1, len(flop.boards.cards), 25)
    assert (np.diff(parts) > 0).all()
    assert (flop.tables.street[parts[:-1]] == 1).all()


def test_a_schedule_by_street():
    assert StreamedSolver(SPOTS["turn"]()).schedule == DCFR(1.5, 0, 3)
    assert StreamedSolver(SPOTS["river"]()).schedule == DCFR(1.5, -0.5, 4)


def test_threads_are_counted():
    assert spot_threads(SPOTS["turn"]()) == 1  # small
    assert spot_threads(SPOTS["turn"](), 3) == 3
    assert spot_threads(SPOTS["turn"](), 50) == 8  # no more than parts
    assert spot_threads(SPOTS["river"](), 4) == 1
    with pytest.raises(SoulreadError, match="at least 1"):
        spot_threads(SPOTS["turn"](), 0)


@pytest.mark.parametrize("lock", ["", "check"])
def test_half_memory_comes_as_close(lock):
    for name in ("river", "turn all-in"):
        spot = SPOTS[name]()
        restriction = lock_of(spot, lock) if lock else None
        whole = solved(spot, 40, restriction=restriction)
        half = solved(spot, 40, restriction=restriction, half=True)
        assert half.regret[0].dtype == half.average[0].dtype == np.int16
        scale = spot.betting.pot
        assert half.value() == pytest.approx(whole.value(), abs=1e-3 * scale)
        assert half.gap().value <= 1.1 * whole.gap().value + 2e-4 * scale


def test_half_memory_rounds_to_the_largest_of_a_node():
    lines = np.array([[0.5, -2.0, 9.0], [1.0, 0.25, 9.0]])
    packed = np.zeros(6, np.int16)
    scale = pack(packed, 1, 2, lines, 0, 2, 2.0)
    assert scale == pytest.approx(2 / 32767)
    assert packed.tolist() == [0, 8192, -32767, 16384, 4096, 0]
    assert pack(packed, 0, 2, 0 * lines, 0, 2, 0.0) == 0
    assert packed[:4].tolist() == [0, 0, 0, 0]


def test_half_memory_is_half_and_its_solution_is_looked_at(tmp_path):
    spot = make("Td9d6hQd", "AhAs,KJs:0.5,87s", "AA,KdJd,55:0.25", stack=8, dtype=np.float32)
    whole, half = (solve_spot(spot, Stops(iterations=8), half=half) for half in (False, True))
    place = spot.find("check")
    rows = half.probabilities(place)
    assert rows == pytest.approx(whole.probabilities(place), abs=0.02)
    assert rows.sum(axis=0) == pytest.approx(1, abs=1e-6)
    first, second = half.lines(place, 0), whole.lines(place, 0)
    assert first.value == pytest.approx(second.value, abs=0.02)
    assert half.behaviours[0].dtype == np.int16
    file = tmp_path / "half.spot"
    save_spot(file, half)
    again = load_spot(file)
    assert np.array_equal(again.behaviours[1], half.behaviours[1])
    assert again.lines(place, 1).value == pytest.approx(half.lines(place, 1).value)


@pytest.mark.compiled
@pytest.mark.parametrize("half", [False, True])
def test_memory_is_what_was_announced_when_a_file_is_written_too(half, tmp_path):
    """Python counts what it allocates, so this does not depend on the machine."""

    def solve_and_save():
        save_spot(tmp_path / "turn.spot", solve_spot(spot, Stops(iterations=2), threads=2, half=half))

    spot = make("Td9d6hQc", OOP, IP, pot=200, stack=900, menu=("60%,e,a", "2.5x"), dtype=np.float32, **TIDY)
    solve_and_save()  # loads the kernels, which take room of their own
    tables = sum(array.nbytes for side in spot.tables.side for array in side)
    tracemalloc.start()
    try:
        solve_and_save()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak + tables == pytest.approx(memory_needed(spot, 2, half), rel=0.1)


def test_half_memory_goes_on_from_its_checkpoint(tmp_path):
    spot, file = SPOTS["river"](), tmp_path / "spot.checkpoint"
    whole = solve_spot(spot, Stops(iterations=9), half=True)
    solve_spot(spot, Stops(iterations=4), half=True, checkpoint=file)
    rest = solve_spot(spot, Stops(iterations=9), half=True, checkpoint=file)
    for one, two in zip(whole.behaviours, rest.behaviours, strict=True):
        assert np.array_equal(one, two)
    with pytest.raises(SoulreadError, match="16 bits"):
        solve_spot(spot, Stops(iterations=9), checkpoint=file)


def test_a_spot_that_does_not_fit_is_told_what_would(monkeypatch):
    spot = make("Td9d6hQd", "AhAs,KJs:0.5,87s", "AA,KdJd,55:0.25", stack=80, menu=("50%,100%", "60%,a"))
    needed = memory_needed(spot)
    smaller = make("Td9d6hQd", "AhAs,KJs:0.5,87s", "AA,KdJd,55:0.25", stack=80, menu=("50%", "60%,a"))
    saved = 2 * np.dtype(spot.dtype).itemsize * (sum(spot.num_sequences) - sum(smaller.num_sequences))
    found = what_fits(spot, needed, needed, half=False)
    assert found.startswith("with half memory it takes")
    assert f"with one bet size less it takes {size_text(needed - saved)}" in found
    assert found.count("with ") == 3
    # Where nothing fits, it is the way that takes least.
    least = what_fits(spot, needed, 1, half=True)
    assert least.startswith("with one bet and one raise size less and at most two bets a street it takes")
    monkeypatch.setattr("soulread.machine.available_memory", lambda: needed - 1)
    with pytest.raises(SoulreadError, match="ask for fewer: with "):
        solve_spot(spot, Stops(iterations=1))
