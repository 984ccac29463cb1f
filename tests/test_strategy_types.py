"""Behaviours and plans are different things: every public entry refuses one in the place of the other."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import soulread as sr
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.model.bayes.explicit import ExplicitModel
from soulread.model.bayes.portfolio import PortfolioModel
from soulread.model.bayes.subpolicy import SubpolicyModel, round_parts
from soulread.model.bayes.tilts import TiltModel
from soulread.model.counted import FrequencyModel
from soulread.model.deviation.model import DeviationModel, SeatDeviation
from soulread.respond.counter import data_biased, mixture, pair_of, restricted_nash
from soulread.respond.planner import SafePlanner
from soulread.seqform.compile import SequenceGame, compile_factored, compile_game
from soulread.seqform.strategy import (
    Behaviours,
    Plan,
    Plans,
    in_precision,
    plan_from_behaviour,
    random_behaviour,
    uniform_behaviour,
    uniform_plan,
    verify_behaviour,
    verify_plan,
    verify_plans,
)
from soulread.solvers.cfr.regret import CFRPlus
from soulread.solvers.cfr.run import solve
from soulread.solvers.equilibria import find_response
from soulread.solvers.exploitability import (
    best_response_values,
    exploitability,
    nash_conv,
    quick_best_response_values,
    value,
)
from soulread.solvers.judge import judge
from soulread.solvers.restricted import Restriction, restricted_gap
from soulread.solvers.strategy_files import Strategy
from soulread.solvers.variants import deviation_gains

SPARSE = compile_game(parse_game("leduc"))
FACTORED = compile_factored(parse_game("leduc"))
SINGLE = SequenceGame(FACTORED.name, FACTORED.trees, FACTORED.payoff.astype(np.float32))  # type: ignore[attr-defined]


def uniform(game: SequenceGame) -> tuple[Behaviours, Plans]:
    """The uniform strategy of both seats, as behaviours and as plans."""
    trees = game.trees
    behaviours = uniform_behaviour(trees[0]), uniform_behaviour(trees[1])
    return behaviours, (uniform_plan(trees[0]), uniform_plan(trees[1]))


def half(game: SequenceGame) -> np.ndarray:
    """A confidence of one half at every set of player 1."""
    return np.full(game.trees[1].num_sets, 0.5)


TAKES_PLANS: dict[str, Callable[[SequenceGame, Any], object]] = {
    "SequenceGame.value": lambda game, plans: game.value(*plans),
    "value": lambda game, plans: value(game, *plans),
    "best_response_values": best_response_values,
    "nash_conv": nash_conv,
    "exploitability": exploitability,
    "deviation_gains": deviation_gains,
    "judge": judge,
    "SafePlanner": lambda game, plans: SafePlanner(game, 0, plans),
}

TAKES_BEHAVIOURS: dict[str, Callable[[SequenceGame, Any], object]] = {
    "Strategy.from_behaviours": lambda game, pair: Strategy.from_behaviours(game, pair, "test"),
    "pair_of": pair_of,
    "find_response": find_response,
    "Restriction": lambda game, pair: Restriction(game.trees[1], pair[1], p=0.5),
    "restricted_nash": lambda game, pair: restricted_nash(game, 0, pair[1], 1.0),
    "restricted_nash, default": lambda game, pair: restricted_nash(
        game, 0, uniform(game)[0][1], 1.0, default=pair[0]
    ),
    "data_biased": lambda game, pair: data_biased(game, 0, pair[1], half(game)),
    "mixture": lambda game, pair: mixture(game, 0, pair[1], uniform(game)[0][0], 0.5),
    "mixture, equilibrium": lambda game, pair: mixture(game, 0, uniform(game)[0][1], pair[0], 0.5),
    "value_against": lambda game, pair: pair_of(game, uniform(game)[0]).seats[0].value_against(pair[1]),
    "DeviationModel": DeviationModel,
    "SeatDeviation": lambda game, pair: SeatDeviation(game, 1, pair[1]),
    "FrequencyModel": FrequencyModel,
    "ExplicitModel": ExplicitModel,
    "PortfolioModel": lambda game, pair: PortfolioModel(game, [uniform(game)[0], pair]),
    "SubpolicyModel": lambda game, pair: SubpolicyModel(game, [pair], round_parts(game)),
    "TiltModel": lambda game, pair: TiltModel(game, pair, particles=2),
    "sr.exploitability": lambda game, pair: sr.exploitability("leduc", pair),
}


@pytest.mark.parametrize("name", TAKES_PLANS)
@pytest.mark.parametrize("game", [SPARSE, FACTORED], ids=["sparse", "factored"])
def test_a_behaviour_is_refused_where_a_plan_is_expected(name: str, game: SequenceGame) -> None:
    behaviours, plans = uniform(game)
    TAKES_PLANS[name](game, plans)
    with pytest.raises(SoulreadError, match="looks like a behaviour, not a plan; use plan_from_behaviour"):
        TAKES_PLANS[name](game, behaviours)


@pytest.mark.parametrize("name", TAKES_PLANS)
def test_one_behaviour_among_the_plans_is_refused_too(name: str) -> None:
    behaviours, plans = uniform(FACTORED)
    for player in (0, 1):
        mixed = (behaviours[0], plans[1]) if player == 0 else (plans[0], behaviours[1])
        with pytest.raises(SoulreadError, match=f"the plan of player {player} looks like a behaviour"):
            TAKES_PLANS[name](FACTORED, mixed)


@pytest.mark.parametrize("name", TAKES_BEHAVIOURS)
def test_a_plan_is_refused_where_a_behaviour_is_expected(name: str) -> None:
    behaviours, plans = uniform(FACTORED)
    if name != "data_biased":  # it would solve a game
        TAKES_BEHAVIOURS[name](FACTORED, behaviours)
    with pytest.raises(SoulreadError, match="looks like a plan, not a behaviour; use behaviour_from_plan"):
        TAKES_BEHAVIOURS[name](FACTORED, plans)


def test_what_is_neither_is_told_what_is_wrong() -> None:
    tree = SPARSE.trees[0]
    neither = random_behaviour(tree, np.random.default_rng(1)) * 0.5
    neither[0] = 1.0
    for verify in (verify_behaviour, verify_plan):
        with pytest.raises(SoulreadError) as caught:
            verify(tree, neither)
        assert "looks like" not in str(caught.value)
        assert " sum to " in str(caught.value)


def test_the_number_that_a_behaviour_would_give_is_wrong() -> None:
    """Uniform Leduc has a NashConv of 4.7472 (OpenSpiel exploitability_test)."""
    behaviours, plans = uniform(SPARSE)
    assert exploitability(SPARSE, plans) == pytest.approx(4.747222222222222 / 2)
    wrong = Plan(behaviours[0]), Plan(behaviours[1])
    assert sum(quick_best_response_values(SPARSE, wrong)) / 2 == pytest.approx(15.0222, abs=1e-4)


def test_plans_of_many_iterations_in_single_precision_pass() -> None:
    restriction = Restriction(SINGLE.trees[1], uniform(SINGLE)[0][1], p=0.5)
    for bound in (None, restriction):
        solution = solve(SINGLE, CFRPlus(), iterations=500, restriction=bound)
        assert solution.plans[0].dtype == solution.plans[1].dtype == np.float32
        verify_plans(SINGLE.trees, solution.plans)
        assert judge(SINGLE, solution.plans).values[0] == solution.value
        assert restricted_gap(SINGLE, solution.plans, bound).value == solution.gap


def test_rounding_is_forgiven_in_single_precision_only() -> None:
    """Means of thousands of float32 plans are off by some 1e-5; a hundredth is no rounding error."""
    tree = SINGLE.trees[0]
    for error, dtypes in ((3e-5, (np.float32,)), (1e-2, ()), (1e-8, (np.float32, np.float64))):
        plan = uniform_plan(tree)
        plan[1] += error
        for dtype in (np.float32, np.float64):
            if dtype in dtypes:
                verify_plan(tree, in_precision(plan, dtype))
            else:
                with pytest.raises(SoulreadError, match="but its actions there sum to"):
                    verify_plan(tree, in_precision(plan, dtype))


def test_behaviours_in_single_precision_are_no_plans() -> None:
    behaviours = tuple(uniform_behaviour(tree, np.float32) for tree in SINGLE.trees)
    with pytest.raises(SoulreadError, match="looks like a behaviour, not a plan"):
        exploitability(SINGLE, behaviours)  # type: ignore[arg-type]
    plans = tuple(uniform_plan(tree, np.float32) for tree in SINGLE.trees)
    with pytest.raises(SoulreadError, match="looks like a plan, not a behaviour"):
        pair_of(SINGLE, plans)  # type: ignore[arg-type]


def test_solves_verify_nothing_at_their_checks(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run asks for its gap at every check, of plans that it made itself."""
    calls = []

    def verify(*arguments: object) -> None:
        calls.append(arguments)

    for name in ("solvers.exploitability", "solvers.variants", "seqform.compile"):
        monkeypatch.setattr(import_module(f"soulread.{name}"), "verify_plans", verify)
    solution = solve(SPARSE, iterations=100)
    restricted_gap(SPARSE, solution.plans, None)
    assert len(solution.history) > 1
    assert not calls
    exploitability(SPARSE, solution.plans)
    assert len(calls) == 1


def test_precision_changes_without_a_copy_where_it_is_right() -> None:
    tree = SPARSE.trees[0]
    plan = uniform_plan(tree)
    assert in_precision(plan, np.float64) is plan
    single = in_precision(plan, np.float32)
    assert single.dtype == np.float32
    np.testing.assert_array_equal(single, plan.astype(np.float32))


def test_the_types_are_plain_arrays_at_run_time() -> None:
    tree = SPARSE.trees[0]
    array = np.ones(tree.num_sequences)
    assert Plan(array) is array
    assert type(plan_from_behaviour(tree, uniform_behaviour(tree))) is np.ndarray
