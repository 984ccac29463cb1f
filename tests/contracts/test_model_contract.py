"""What every opponent model must keep to, in every game it is for. A new model is tested by being listed."""

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from soulread.cards.arrays import deal
from soulread.errors import NotFitted, SoulreadError
from soulread.games import PokerGame, parse_game
from soulread.model import (
    BeliefModel,
    DeviationModel,
    ExplicitModel,
    FrequencyModel,
    OpponentModel,
    PortfolioModel,
)
from soulread.model.bootstrap import BootstrapModel
from soulread.model.changes import ChangingModel
from soulread.model.residual import ResidualModel
from soulread.model.subpolicy import (
    SubpolicyModel,
    discover_subpolicies,
    discovered_parts,
)
from soulread.hands import Hand, seen_by
from soulread.play import Probe, Random, play_hand, stream
from soulread.seqform import (
    SequenceGame,
    compile_factored,
    compile_game,
    random_behaviour,
    uniform_behaviour,
    verify_behaviour,
)

Maker = Callable[[SequenceGame, int], OpponentModel]


def deviation(method: str, prior_range: str = "equilibrium", pooled: bool = False) -> Maker:
    def make(game: SequenceGame, player: int) -> OpponentModel:
        sigma = uniform_behaviour(game.trees[player])
        return DeviationModel(game, player, sigma, method=method, prior_range=prior_range, pooled=pooled)

    return make


def uniform(game: SequenceGame) -> tuple[np.ndarray, np.ndarray]:
    return uniform_behaviour(game.trees[0]), uniform_behaviour(game.trees[1])


def members(game: SequenceGame) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(3)
    return [uniform(game)] + [
        (random_behaviour(game.trees[0], rng), random_behaviour(game.trees[1], rng)) for _ in range(4)
    ]


def explicit(game: SequenceGame) -> ExplicitModel:
    return ExplicitModel(game, uniform(game), strength=1.0)


def portfolio(game: SequenceGame) -> PortfolioModel:
    return PortfolioModel(game, members(game))


def subpolicies(game: SequenceGame) -> SubpolicyModel:
    found = discover_subpolicies(game, members(game), uniform(game), spread=0.5)
    return SubpolicyModel(game, members(game), discovered_parts(game, found))


def believed(make: Callable[[SequenceGame], BeliefModel]) -> Maker:
    return lambda game, player: make(game).seat(player)


MODELS: dict[str, Maker] = {
    "deviation, shift": deviation("shift"),
    "deviation, l1": deviation("l1"),
    "deviation, l2": deviation("l2"),
    "deviation, shift over the model's range": deviation("shift", "model"),
    "deviation, l1, pooled": deviation("l1", pooled=True),
    "frequency": FrequencyModel,
    "explicit": believed(explicit),
    "explicit, forgetting": believed(lambda game: ExplicitModel(game, uniform(game), 1.0, forget=0.95)),
    "explicit, changing": believed(lambda game: ChangingModel(lambda: explicit(game), keep=3)),
    "portfolio": believed(portfolio),
    "portfolio, changing": believed(lambda game: PortfolioModel(game, members(game), change=0.01)),
    "bootstrap": believed(lambda game: BootstrapModel(portfolio(game), explicit(game))),
    "subpolicies": believed(subpolicies),
    "subpolicy bootstrap": believed(lambda game: BootstrapModel(subpolicies(game), explicit(game))),
    "residual": believed(lambda game: ResidualModel(portfolio(game))),
}
GAMES = ["kuhn", "leduc", "leduc factored"]


@lru_cache
def compiled(text: str) -> SequenceGame:
    game = parse_game(text.split()[0])
    return compile_factored(game) if "factored" in text else compile_game(game)


def watched(game: PokerGame, count: int = 60) -> list[Hand]:
    """Hands of a probe against a random player, seen from the random player's alternating seat."""
    cards, first, second = (stream(1, key) for key in range(3))
    hands = []
    for number in range(count):
        agents = [Random(), Probe()] if number % 2 else [Probe(), Random()]
        end = play_hand(game, agents, deal(cards, game.rules.deck, game.num_cards), [first, second])
        hands.append(seen_by(end, 1 - number % 2, tuple(agent.name for agent in agents)))
    return hands


@pytest.mark.parametrize("model_name", MODELS)
@pytest.mark.parametrize("game_name", GAMES)
@pytest.mark.parametrize("player", [0, 1])
class TestModel:
    def test_unfitted_is_an_error(self, model_name: str, game_name: str, player: int) -> None:
        model = MODELS[model_name](compiled(game_name), player)
        assert model.player == player
        with pytest.raises(NotFitted):
            model.strategy()
        with pytest.raises(NotFitted):
            model.probabilities(compiled(game_name).trees[player].label(0))

    def test_strategy_is_a_behaviour(self, model_name: str, game_name: str, player: int) -> None:
        game = compiled(game_name)
        model = MODELS[model_name](game, player)
        assert model.fit(watched(parse_game(game.name))) is model
        verify_behaviour(game.trees[player], model.strategy())
        for index in range(game.trees[player].num_sets):
            chances = model.probabilities(game.trees[player].label(index))
            assert tuple(chances) == game.trees[player].legal_actions(index)
            assert sum(chances.values()) == pytest.approx(1)
            assert_array_equal(list(chances.values()), model.strategy()[game.trees[player].sequences(index)])
        with pytest.raises(SoulreadError, match="no information set 'nowhere'"):
            model.probabilities("nowhere")

    def test_fit_twice_is_fit_once(self, model_name: str, game_name: str, player: int) -> None:
        game = compiled(game_name)
        hands = watched(parse_game(game.name))
        once = MODELS[model_name](game, player).fit(hands)
        twice = MODELS[model_name](game, player).fit(hands[::2]).fit(hands)
        assert_array_equal(once.strategy(), twice.strategy())

    def test_update_by_update_is_fit(self, model_name: str, game_name: str, player: int) -> None:
        game = compiled(game_name)
        hands = watched(parse_game(game.name))
        model = MODELS[model_name](game, player).fit(hands[:5])
        for hand in hands[5:]:
            assert model.update(hand) is model
        fresh = MODELS[model_name](game, player)
        for hand in hands:
            fresh.update(hand)
        whole = MODELS[model_name](game, player).fit(hands).strategy()
        assert_allclose(model.strategy(), whole, atol=1e-12)
        assert_allclose(fresh.strategy(), whole, atol=1e-12)

    def test_hands_of_the_other_seat_teach_nothing(
        self, model_name: str, game_name: str, player: int
    ) -> None:
        game = compiled(game_name)
        hands = watched(parse_game(game.name))
        mine = [hand for hand in hands if hand.observer != player]
        assert len(mine) < len(hands)
        both = [MODELS[model_name](game, player).fit(part).strategy() for part in (mine, hands)]
        assert_array_equal(*both)

    def test_the_observers_cards_are_not_needed(self, model_name: str, game_name: str, player: int) -> None:
        """What was public is enough; a model may use cards that were shown, but must do without them."""
        game = compiled(game_name)
        hands = [replace(hand, hole=(None, None)) for hand in watched(parse_game(game.name))]
        verify_behaviour(game.trees[player], MODELS[model_name](game, player).fit(hands).strategy())

    def test_learning_changes_something(self, model_name: str, game_name: str, player: int) -> None:
        game = compiled(game_name)
        hands = watched(parse_game(game.name))
        few, many = (MODELS[model_name](game, player).fit(hands[:count]).strategy() for count in (2, 60))
        assert np.abs(few - many).max() > 0.1
