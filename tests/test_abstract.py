"""Abstract games of hold'em: their payoffs, what they take, and equilibria and agents made from them."""

from dataclasses import replace
from pathlib import Path

import naive_tabular
import numpy as np
import pytest
from named import compile_source, equilibrium_of, make_agent, make_kind, play_named
from pairs import pair

from soulread import machine
from soulread.abstraction.joint import Joint, sample_joint
from soulread.abstraction.states import parse_abstraction
from soulread.errors import DamagedFile, ParseError, ShapeError, SoulreadError
from soulread.estimate import Unit
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.names import compile_named, poker_source
from soulread.play.catalogue.known import parse_agent
from soulread.play.tabular import TabularAgent, behaviours_in
from soulread.seqform import source as source_module
from soulread.seqform.abstract import abstract_game, memory_needed, verify_memory
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import in_precision, plan_from_behaviour, uniform_behaviour, verify_behaviour
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr import methods as named
from soulread.solvers.cfr.methods import default_gap
from soulread.solvers.cfr.run import solve
from soulread.solvers.equilibria import (
    abstraction_checksum,
    equilibrium_path,
    find_equilibrium,
    kept_equilibria,
    playable_strategy,
)
from soulread.solvers.exploitability import best_response_values, exploitability
from soulread.solvers.lp import solve_exactly
from soulread.solvers.skews import baseline_behaviour
from soulread.solvers.strategy_files import Strategy, load_strategy, save_strategy

compiled_only = pytest.mark.compiled


@pytest.fixture(scope="module")
def ranks():
    return naive_tabular.rank_abstraction()


@pytest.fixture(scope="module")
def joint(ranks) -> Joint:
    return sample_joint(ranks, 1_000_000, np.random.default_rng(1))


@pytest.fixture
def small_tables(ranks, joint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The rank abstraction under the name 3-2-1-1, and an empty cache."""
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path))
    monkeypatch.setattr(source_module, "load_or_build", lambda spec, quick, progress: (ranks, joint))
    monkeypatch.setattr(source_module, "load_abstraction", lambda spec, progress: ranks)
    return tmp_path


@compiled_only
def test_matrices_are_chances(ranks, joint) -> None:
    payoff = abstract_game(limit_holdem(), ranks, joint, np.float64).payoff
    assert isinstance(payoff, FactoredPayoff)
    assert payoff.zero_sum
    for r, (reach, win) in enumerate(zip(payoff.reach, payoff.win, strict=True)):
        assert reach.sum() == pytest.approx(1)
        np.testing.assert_allclose(reach, reach.T)
        np.testing.assert_allclose(reach, joint.reach_in(r), atol=1e-15)
        assert np.all(win + win.T <= reach + 1e-12)
        assert 1 - 2 * win.sum() == pytest.approx(joint.tie_rate)
    np.testing.assert_allclose(payoff.win[-1], joint.win)


@compiled_only
def test_game_has_the_sets_of_its_betting_tree(ranks, joint) -> None:
    game = abstract_game(limit_holdem(), ranks, joint)
    assert game.name == "limit:3-2-1-1"
    assert game.payoff.dtype == np.float32
    betting = betting_tree(limit_holdem())
    assert tuple(tree.num_sets for tree in game.trees) == betting.num_sets((3, 6, 6, 6))
    tree = game.trees[0]
    assert tree.label(tree.index("2-1|rc/")) == "2-1|rc/"
    assert tree.public_history(tree.index("2-1|rc/")) == "rc/"


@compiled_only
def test_value_lies_between_the_best_responses(ranks, joint) -> None:
    game = abstract_game(limit_holdem(), ranks, joint)
    solution = solve(game, gap=0.1)
    first, second = best_response_values(game, solution.plans)
    assert -second <= solution.value <= first
    assert -0.4 < solution.value < 0  # the big blind, seat 0, loses: 0.18 chips in the real game
    assert exploitability(game, solution.plans) <= 0.1


def test_what_does_not_fit_is_refused_with_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is built, and the figure grows as the matrices and the sequences do."""
    game, spec = limit_holdem(), parse_abstraction("15-40-6-6")
    assert spec.num_states[-1] == 21_600
    needed = memory_needed(game, spec)
    assert needed > 3 * 4 * 21_600**2 + 5 * 4 * sum(betting_tree(game).num_sequences(spec.num_states))
    assert memory_needed(game, spec, np.float64) > 1.9 * needed
    monkeypatch.setattr(machine, "available_memory", lambda: 8 * 10**9)
    with pytest.raises(
        SoulreadError,
        match=r"limit:15-40-6-6 has 21,600 private states on the river and 124,\d{3},\d{3} information sets: "
        r"its tables take [\d.]+ GB of memory to build and 1\d\.\d GB to solve with, 8\.0 GB are free",
    ):
        compile_named("limit:15-40-6-6")
    verify_memory(game, parse_abstraction("5-5-5-5"))


@compiled_only
def test_tables_of_another_abstraction_are_refused(ranks, joint) -> None:
    wrong = Joint((6, 1, 1, 1), joint.win_deals, joint.tie_deals)
    with pytest.raises(ShapeError, match=r"branching \(6, 1, 1, 1\) do not belong to abstraction 3-2-1-1"):
        abstract_game(limit_holdem(), ranks, wrong)
    with pytest.raises(SoulreadError, match="'leduc' has no card abstraction; heads-up 'limit' and"):
        abstract_game(leduc(), ranks, joint)


def test_names_of_abstract_games() -> None:
    for text in ("limit:5-5-5-5", "limit:hs:8-12-4-4", "limit:potential:5-5-5-5:quick"):
        source = parse_source(text)
        assert (str(source), source.name) == (text, text)
        assert source.poker.rules.small_bet == 2
        assert default_gap(source) == pytest.approx(0.006)
    assert parse_source("limit").cards is None
    assert parse_source("leduc:iso").cards is None
    assert default_gap(parse_source("leduc")) == pytest.approx(0.002)
    assert default_gap(compile_source("leduc")) == pytest.approx(0.002)
    with pytest.raises(ParseError, match="'5-5' is not an abstraction"):
        compile_named("limit:5-5")
    with pytest.raises(SoulreadError, match=r"'limit' is too large .* such as 'limit:5-5-5-5'"):
        compile_named("limit")
    pytest.importorskip("pyspiel")
    with pytest.raises(SoulreadError, match=r"'openspiel:tic_tac_toe' is not a poker game"):
        poker_source("openspiel:tic_tac_toe")


@compiled_only
def test_equilibria_are_kept(small_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(named, "DEFAULT_ABSTRACT_GAP", 0.05)
    source = parse_source("limit:3-2-1-1")
    first = find_equilibrium(source, told.append)
    assert "limit:3-2-1-1: iteration 10, exploitability" in told[0]
    assert told[0].endswith("mb/g")
    path = equilibrium_path(source)
    assert path.parent == small_tables / "strategies"
    ((kept, of, strategy),) = kept_equilibria()
    assert (kept, of) == (path, source)
    assert strategy.game == "limit:3-2-1-1"
    assert strategy.gap <= 0.1
    monkeypatch.setattr(source_module, "load_or_build", None)  # a second use needs no joint matrices
    again = equilibrium_of("limit:3-2-1-1")
    for one, other in zip(first.behaviours, again.behaviours, strict=True):
        np.testing.assert_array_equal(one, other)
    other_gap = equilibrium_path(source, gap=0.5)
    assert len({path, other_gap, equilibrium_path(parse_source("limit:3-2-1-1:quick"))}) == 3


@compiled_only
def test_agents_of_an_abstraction_play(small_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "DEFAULT_ABSTRACT_GAP", 0.05)
    game = limit_holdem()
    for text in ("equilibrium:3-2-1-1", "best-response:3-2-1-1:always-raise"):
        assert make_agent(text, game).name == text
    won = play_named("limit", ["best-response:3-2-1-1:always-raise", "always-raise"], 20_000, duplicate=True)
    abstract = compile_source("limit:3-2-1-1")
    response = make_kind(TabularAgent, "best-response:3-2-1-1:always-raise", game).strategy
    trees = abstract.trees
    expected = 0.0
    for seat in (0, 1):
        verify_behaviour(trees[seat], response.behaviours[seat])
        plan = plan_from_behaviour(trees[seat], response.behaviours[seat])
        raises = plan_from_behaviour(trees[1 - seat], baseline_behaviour(trees[1 - seat], "always-raise"))
        gradient = abstract.payoff.gradient(seat, in_precision(raises, np.float32))
        assert best_response(trees[seat], gradient)[0] == pytest.approx(float(plan @ gradient), rel=1e-4)
        expected += float(plan @ gradient) / 2
    estimate = won.estimate(0, Unit.CHIPS)
    assert abs(estimate.mean - expected) < 4 * estimate.standard_error
    assert expected > 0.5  # he puts in 24 chips with any hand
    words = r"plays over \(3, 6, 6, 6\) private states, but 'kuhn' has \(3,\); both need the same abstraction"
    with pytest.raises(SoulreadError, match=words):
        behaviours_in(parse_agent("equilibrium:3-2-1-1"), replace(compile_source("kuhn"), poker=game))


def test_agents_of_small_games() -> None:
    for game in (kuhn(), leduc()):
        for text in ("equilibrium", "best-response:always-call", "best-response:equilibrium"):
            agent = make_agent(text, game)
            assert agent.name == text
            assert isinstance(agent, TabularAgent)
    compiled = compile_source("leduc")
    strategy = equilibrium_of("leduc")
    plans = [
        plan_from_behaviour(tree, sigma)
        for tree, sigma in zip(compiled.trees, strategy.behaviours, strict=True)
    ]
    assert exploitability(compiled, (plans[0], plans[1])) < 1e-9


@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
def test_strategy_files_play(compiler, tmp_path: Path) -> None:
    """Solved in either representation, a file plays what the labels say."""
    game = leduc(suit_isomorphic=True)
    compiled = compiler(game)
    solution = solve_exactly(compiled)
    path = tmp_path / "leduc.strategy"
    save_strategy(path, Strategy.from_solution(solution))
    agent = make_kind(TabularAgent, f"file:{path}", game)
    assert agent.name == f"file:{path}"
    rng = np.random.default_rng(1)
    for _ in range(20):
        state = game.start()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.apply(int(rng.choice([card for card, _ in state.chance_outcomes()])))
                continue
            seat, view = state.player, state.view(state.player)
            tree = compiled.trees[seat]
            expected = solution.behaviours[seat][tree.sequences(tree.index(view.information))]
            node = agent.strategy.betting.decision(view.betting)
            found = agent.strategy.probabilities(node, agent.strategy.lookup.state(view.hole, view.board))
            np.testing.assert_array_equal(found, expected)
            state = state.apply(int(rng.choice(view.legal)))


def test_agents_that_cannot_play_are_told(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.strategy"
    save_strategy(path, Strategy.from_solution(solve_exactly(compile_game(kuhn()))))
    for text, game, message in (
        (
            "equilibrium",
            limit_holdem(),
            "'equilibrium' needs a card abstraction in 'limit', such as equilibrium:5",
        ),
        ("equilibrium:5-5-5-5", leduc(), "has a card abstraction, but 'leduc' needs none"),
        ("best-response", leduc(), "'best-response' names no opponent"),
        (
            "best-response:5-5-5-5",
            limit_holdem(),
            "names no opponent; write such as best-response:5-5-5-5:always",
        ),
        ("best-response:nobody", leduc(), "'nobody' is not an agent"),
        ("file:", leduc(), "'file:' names no file"),
        ("file:/nowhere", leduc(), "'/nowhere' does not exist"),
        (f"file:{path}", leduc(), "was made for 'kuhn' and cannot play 'leduc'"),
    ):
        with pytest.raises(SoulreadError, match=message):
            make_agent(text, game)


@compiled_only
def test_a_file_made_with_other_tables_is_refused(small_tables: Path) -> None:
    abstract = compile_source("limit:3-2-1-1")
    behaviours = pair(uniform_behaviour(tree, np.float32) for tree in abstract.trees)
    path = small_tables / "other.strategy"
    save_strategy(path, Strategy.from_behaviours(abstract, behaviours, "uniform", abstraction="feedbeef"))
    with pytest.raises(
        ShapeError, match=r"with other tables \(feedbeef\) than those here \(0123456789abcdef\)"
    ):
        playable_strategy(load_strategy(path), limit_holdem())


@compiled_only
def test_a_file_whose_probabilities_do_not_sum_to_one_is_refused(small_tables: Path) -> None:
    """The sums are verified although the game is not compiled for it."""
    abstract = compile_source("limit:3-2-1-1")
    first, second = (uniform_behaviour(tree, np.float32) for tree in abstract.trees)
    right = Strategy.from_behaviours(
        abstract, (first, second), "uniform", abstraction=abstraction_checksum(abstract)
    )
    path = small_tables / "mine.strategy"
    save_strategy(path, right)
    playable_strategy(load_strategy(path), limit_holdem())
    second[-1] = 0.9
    save_strategy(path, replace(right, behaviours=(first, second)))
    with pytest.raises(DamagedFile, match=r"x has no probabilities after '.*/.*/.*' in private state \d+: "):
        playable_strategy(load_strategy(path), limit_holdem(), "x")
