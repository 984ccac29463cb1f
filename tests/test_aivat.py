"""AIVAT is unbiased: summed over everything that can happen, it is the exact value, whatever it is fed."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from pairs import pair

from soulread.errors import SoulreadError
from soulread.games import kuhn, leduc
from soulread.games.poker import PokerGame
from soulread.play import aivat
from soulread.play.aivat import Aivat
from soulread.play.live import LiveHand
from soulread.seqform import plan_from_behaviour
from soulread.seqform.compile import SequenceGame, compile_factored, compile_game
from soulread.seqform.strategy import Behaviour, Behaviours
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.seqform.treeplex import Treeplex
from soulread.solve import solve_exactly
from soulread.solve.valuation import Valuation

SHORT = PokerGame(replace(leduc().rules, name="short", deck=leduc().rules.deck[:5], max_raises=(1, 1)))
GAMES = {game.name: compile_factored(game) for game in (kuhn(), SHORT)}


def random_behaviour(tree: Treeplex, rng: np.random.Generator, silent: float = 0.0) -> Behaviour:
    """Any behaviour; ``silent`` is the share of actions that are never taken."""
    behaviour = np.ones(tree.num_sequences)
    for j in range(tree.num_sets):
        sequences = tree.sequences(j)
        chances = rng.dirichlet(np.ones(len(behaviour[sequences])))
        chances[1:] *= rng.random(chances.size - 1) >= silent
        behaviour[sequences] = chances / chances.sum()
    return Behaviour(behaviour)


def random_behaviours(game: SequenceGame, seed: int, silent: float = 0.0) -> Behaviours:
    rng = np.random.default_rng(seed)
    return pair(random_behaviour(tree, rng, silent) for tree in game.trees)


def endings(strategy: TabularStrategy) -> Iterator[tuple[float, LiveHand]]:
    """Every hand that can be played, with its probability."""
    game = strategy.betting.poker
    deals = list(itertools.permutations(game.rules.deck, game.num_cards))
    for cards in deals:
        stack: list[tuple[float, tuple[int, ...]]] = [(1 / len(deals), ())]
        while stack:
            chance, actions = stack.pop()
            hand = LiveHand(game, (), cards)
            for action in actions:
                hand.act(action)
            if hand.over:
                yield chance, hand
                continue
            node, state = strategy.place(hand.view(hand.to_act))
            for action, p in zip(
                strategy.betting.actions[node], strategy.probabilities(node, state), strict=True
            ):
                if p > 0:
                    stack.append((chance * float(p), (*actions, action)))


def value(game: SequenceGame, behaviours: Behaviours, seat: int) -> float:
    first, second = (plan_from_behaviour(*both) for both in zip(game.trees, behaviours, strict=True))
    return game.value(first, second) * (1 if seat == 0 else -1)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("silent", [0.0, 0.5])
def test_the_mean_is_the_exact_value_whatever_the_valuation(name, seat, silent):
    game = GAMES[name]
    played = tabular(game, random_behaviours(game, 1, silent))
    judge = Aivat(Valuation(game, random_behaviours(game, 2)))
    rng = np.random.default_rng(0)
    total = mean = 0.0
    for chance, hand in endings(played):
        total += chance
        mean += chance * judge.estimate(hand, seat, played, rng)
    assert total == pytest.approx(1)
    assert mean == pytest.approx(value(game, played.behaviours, seat), abs=2e-6)


@pytest.mark.parametrize("seat", [0, 1])
def test_drawn_boards_bring_no_bias(seat, monkeypatch):
    monkeypatch.setattr(aivat, "_MOST_BOARDS", 1)  # as with flops of hold'em
    game = GAMES["short"]
    played = tabular(game, random_behaviours(game, 1))
    judge = Aivat(Valuation(game, random_behaviours(game, 2)), flops=3)
    rng = np.random.default_rng(0)
    means = np.zeros(6)
    for chance, hand in endings(played):
        means += [chance * judge.estimate(hand, seat, played, rng) for _ in means]
    error = means.std(ddof=1) / np.sqrt(means.size)
    assert error > 0
    assert abs(means.mean() - value(game, played.behaviours, seat)) < 3.5 * error


@pytest.mark.parametrize("name", GAMES)
def test_between_equilibria_no_luck_is_left(name):
    """If both play what the valuation says, only the opponent's draws among equals are left."""
    game = GAMES[name]
    equilibrium = solve_exactly(game).behaviours
    played = tabular(game, equilibrium)
    judge = Aivat(Valuation(game, equilibrium))
    rng = np.random.default_rng(0)
    for seat in (0, 1):
        found = [
            (chance, judge.estimate(hand, seat, played, rng), hand.payoffs[seat])
            for chance, hand in endings(played)
        ]
        chances, estimates, payoffs = np.array(found).T
        expected = value(game, equilibrium, seat)
        assert_allclose(chances @ estimates, expected, atol=2e-6)
        deviation, raw = (np.sqrt(chances @ (x - expected) ** 2) for x in (estimates, payoffs))
        assert deviation < 0.1 * raw


@pytest.mark.parametrize("name", GAMES)
def test_a_valuation_is_the_value_of_going_on(name):
    """Pairs of states, weighted by their chance, give the value of the game; so do the nodes further down."""
    game = GAMES[name]
    behaviours = random_behaviours(game, 3)
    valuation = Valuation(game, behaviours)
    reach = game.payoff.reach[0]
    for seat in (0, 1):
        columns = np.stack([valuation.column(0, seat, t, 0) for t in range(len(reach))], axis=1)
        assert (reach * columns).sum() == pytest.approx(value(game, behaviours, seat), abs=1e-6)


def test_only_games_it_can_value():
    sparse = compile_game(kuhn())
    with pytest.raises(SoulreadError, match="cannot be valued"):
        Valuation(sparse, solve_exactly(sparse).behaviours)
    with pytest.raises(SoulreadError, match="at least one"):
        Aivat(Valuation(GAMES["kuhn"], random_behaviours(GAMES["kuhn"], 0)), flops=0)
