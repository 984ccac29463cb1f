"""The simulator against the ordinary match, bit by bit, and against the value of the sequence form."""

import naive_tabular
import numpy as np
import pytest
from named import make_agent, play_named
from pairs import pair

from soulread.abstraction.joint import sample_joint
from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.play.match import simulate as module
from soulread.play.match.matches import Match, play_match
from soulread.play.match.simulate import simulate
from soulread.play.opponents.baselines import Probe, Random
from soulread.play.tabular import TabularAgent, tabular_form
from soulread.seqform.abstract import abstract_game
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import compile_factored, enumerate_states
from soulread.seqform.lookup import AbstractLookup, CardLookup
from soulread.seqform.strategy import Behaviour, in_precision, plan_from_behaviour, random_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.streams import MatchStreams

BASELINES = ["random", "always-fold", "always-call", "always-raise", "probe"]


def random_agent(game, seed: int, dtype=np.float64) -> TabularAgent:
    rng = np.random.default_rng(seed)
    lookup = CardLookup(game, enumerate_states(game).names)
    first, second = (
        in_precision(random_behaviour(tree, rng), dtype) for tree in compile_factored(game).trees
    )
    return TabularAgent(f"random {seed}", TabularStrategy(betting_tree(game), lookup, (first, second)))


@pytest.fixture(scope="module")
def ranks():
    return naive_tabular.rank_abstraction()


def random_holdem_agent(abstraction, seed: int) -> TabularAgent:
    betting, lookup = betting_tree(limit_holdem()), AbstractLookup(abstraction)
    rng = np.random.default_rng(seed)
    first, second = (
        Behaviour(rng.random(size, dtype=np.float32)) for size in betting.num_sequences(lookup.num_states)
    )  # weights do for draws: they need not sum to one
    return TabularAgent(f"random {seed}", TabularStrategy(betting, lookup, (first, second)))


def simulated(match: Match, seed: int, number: int = 0) -> np.ndarray:
    first, second = (tabular_form(agent, match.game) for agent in match.agents)
    assert first is not None
    assert second is not None
    return simulate(
        match.game,
        (first, second),
        match.hands,
        MatchStreams(seed, number),
        duplicate=match.duplicate,
    )


@pytest.mark.parametrize("duplicate", [False, True])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc:iso"])
def test_equals_the_match_bit_by_bit(name: str, duplicate: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 7)  # so that blocks end within the match
    game = parse_game(name)
    agents = [random_agent(game, 1), random_agent(game, 2, np.float32)]
    for first, second in [(0, 1), (1, 0), (0, 0)]:
        match = Match(game, (agents[first], agents[second]), 40, duplicate)
        assert np.array_equal(simulated(match, 11, 3), match.play(11, 3))


@pytest.mark.parametrize("baseline", BASELINES)
@pytest.mark.parametrize("name", ["leduc", "limit"])
def test_baselines_are_simulated_as_they_play(name: str, baseline: str) -> None:
    game = parse_game(name)
    match = Match(game, (make_agent(baseline, game), Random()), 60, duplicate=True)
    assert np.array_equal(simulated(match, 5), match.play(5))


@pytest.mark.compiled
@pytest.mark.parametrize("duplicate", [False, True])
def test_equals_the_match_with_two_abstractions(ranks, duplicate: bool) -> None:
    game = limit_holdem()
    other = naive_tabular.rank_abstraction("hs")
    agents = random_holdem_agent(ranks, 1), random_holdem_agent(other, 2)
    match = Match(game, agents, 60, duplicate)
    assert np.array_equal(simulated(match, 3), match.play(3))
    alike = Match(game, (agents[0], random_holdem_agent(ranks, 3)), 60, duplicate)
    assert np.array_equal(simulated(alike, 3), alike.play(3))
    mixed = Match(game, (Probe(), agents[1]), 60, duplicate)
    assert np.array_equal(simulated(mixed, 4), mixed.play(4))


def test_matches_use_it_where_they_can() -> None:
    result = play_named("leduc", ["equilibrium", "probe"], 50, matches=2, duplicate=True, seed=9)
    game = parse_game("leduc")
    match = Match(game, tuple(make_agent(text, game) for text in result.agents), 50, duplicate=True)
    for number in (0, 1):
        assert np.array_equal(result.profits[number], match.play(9, number))
    told: list[int] = []
    play_match(match, 9, 0, told.append)
    assert sum(told) == 100  # both passes


def test_other_agents_are_not_tables() -> None:
    class Stubborn(Random):
        pass

    assert tabular_form(Stubborn(), leduc()) is None
    assert tabular_form(Random(), parse_game("nolimit:stacks=20")) is None
    assert tabular_form(Random(), parse_game("ring-limit:3")) is None


def test_a_strategy_of_another_game_is_refused() -> None:
    agent = random_agent(kuhn(), 1)
    with pytest.raises(SoulreadError, match="strategies for 'kuhn' and 'kuhn' cannot play 'leduc'"):
        simulate(leduc(), (agent.strategy, agent.strategy), 10, MatchStreams(0))


def expected_value(game, first: TabularStrategy, second: TabularStrategy) -> float:
    """Chips per hand of the first strategy, the mean over the seats."""
    plans = [
        [
            plan_from_behaviour(tree, behaviour)
            for tree, behaviour in zip(game.trees, s.behaviours, strict=True)
        ]
        for s in (first, second)
    ]
    return float(game.value(plans[0][0], plans[1][1]) - game.value(plans[1][0], plans[0][1])) / 2


def standard_errors_off(profits: np.ndarray, expected: float) -> float:
    return float(abs(profits[:, 0].mean() - expected) / (profits[:, 0].std() / np.sqrt(len(profits))))


@pytest.mark.compiled
@pytest.mark.parametrize("game", [kuhn(), leduc(), leduc(suit_isomorphic=True)], ids=lambda game: game.name)
def test_simulated_means_are_the_values_of_small_games(game) -> None:
    compiled = compile_factored(game)
    for seed in range(3):
        first, second = random_agent(game, seed), random_agent(game, seed + 10)
        match = Match(game, (first, second), 200_000)
        expected = expected_value(compiled, first.strategy, second.strategy)
        # four standard errors: nine fixed seeds, a false alarm in one of 1,800 choices of them
        assert standard_errors_off(simulated(match, seed), expected) < 4


@pytest.mark.compiled
@pytest.mark.parametrize("duplicate", [False, True])
def test_simulated_means_are_the_values_of_an_abstract_game(ranks, duplicate: bool) -> None:
    """Strategies that see only buckets earn with real cards what the abstract game says."""
    joint = sample_joint(ranks, 4_000_000, np.random.default_rng(1))
    game = abstract_game(limit_holdem(), ranks, joint, dtype=np.float64)
    rng = np.random.default_rng(2)
    lookup = AbstractLookup(ranks)
    betting = betting_tree(limit_holdem())
    first, second = (
        TabularStrategy(betting, lookup, pair(random_behaviour(tree, rng) for tree in game.trees))
        for _ in range(2)
    )
    profits = simulate(limit_holdem(), (first, second), 200_000, MatchStreams(6), duplicate=duplicate)
    assert standard_errors_off(profits, expected_value(game, first, second)) < 4
