"""AIVAT is unbiased: summed over everything that can happen, it is the exact value, whatever it is fed."""

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from named import make_agent
from numpy.testing import assert_allclose
from pairs import pair

from soulread.cards.arrays import deal
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.record import decisions
from soulread.play.catalogue.known import parse_agent
from soulread.play.match import aivat
from soulread.play.match.aivat import Aivat
from soulread.play.match.live import LiveHand, play_hand
from soulread.play.match.matches import play_matches
from soulread.play.tabular import strategy_played
from soulread.seqform.compile import SequenceGame, compile_factored, compile_game
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.strategy import Behaviour, Behaviours, plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.seqform.treeplex import Treeplex
from soulread.solvers.lp import solve_exactly
from soulread.solvers.real_cards.valuation import Valuation

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


def test_boards_are_drawn_as_chance_deals_them():
    """A board card is as likely as the chance that we do not hold it, over all our holdings, says."""
    judge = Aivat(Valuation(GAMES["short"], random_behaviours(GAMES["short"], 2)), flops=20_000)
    deck = SHORT.rules.deck
    for weights in (np.array([0.0, 1.0, 0.0, 0.0, 0.0]), np.array([0.0, 0.4, 0.3, 0.2, 0.1])):
        rest = np.array(deck[1:], dtype=np.uint8)  # the opponent holds the first card
        drawn = judge._draw(weights, rest, 1, np.random.default_rng(0))[:, 0]
        expected = (1 - weights[1:]) / 3  # one card is ours, three are left
        found = np.array([np.mean(drawn == card) for card in rest])
        assert np.all(np.abs(found - expected) <= 4 * np.sqrt(expected * (1 - expected) / 20_000))


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
    assert isinstance(game.payoff, FactoredPayoff)
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


# In matches.


@pytest.mark.parametrize(
    "text",
    ["always-call", "dbbr:T=5,k=5", "rwywe", "explicit:act=sample", "switching:every=3|loose|tight", "loose"],
)
def test_agents_say_what_they_played(text):
    """Every action an agent takes has a chance in the strategy it says it played."""
    game, rng = leduc(), np.random.default_rng(1)
    agent, other = make_agent(text, game), make_agent("random", game)
    seen = 0
    for number in range(30):
        seat = number % 2
        hand = play_hand(
            game,
            [agent, other] if seat == 0 else [other, agent],
            deal(rng, game.rules.deck, game.num_cards),
            [rng, rng],
        )
        strategy = strategy_played(agent, game, seat)
        assert strategy is not None
        holes = [hand.end.hole(0), hand.end.hole(1)]
        for state, action in decisions(game, hand.end.actions, hand.end.board, holes):
            if state.player == seat:
                node, private = strategy.place(state.view(seat))
                assert strategy.probabilities(node, private)[strategy.betting.actions[node].index(action)] > 0
                seen += 1
        agent.observe(hand.seen_by(seat))
    assert seen > 20


def test_a_match_told_with_and_without_luck():
    """The same on one process and on two; raw and corrected means agree, with a smaller spread."""
    agents = [parse_agent("equilibrium"), parse_agent("rule:number=1")]
    found = [
        play_matches(leduc(), agents, 150, matches=4, duplicate=True, seed=3, jobs=jobs, aivat=True)
        for jobs in (1, 2)
    ]
    one, two = (result.less_luck for result in found)
    assert one is not None
    assert two is not None
    assert_allclose(one, two)
    raw, corrected = found[0].profits[:, :, 0], one
    gap = raw - corrected
    assert abs(gap.mean()) < 4 * gap.std() / np.sqrt(gap.size)
    assert corrected.std() < 0.6 * raw.std()
    told = plain_data(found[0])["aivat"]
    assert told["agent"] == "equilibrium"
    assert told["chips/h"]["mean"] == pytest.approx(corrected.mean())
    assert plain_data(play_matches(leduc(), agents, 10))["aivat"] is None


def test_every_hand_has_its_own_correction(monkeypatch):
    """If nothing is corrected, what is left are the chips of every hand."""
    monkeypatch.setattr(Aivat, "estimate", lambda self, hand, seat, played, rng: float(hand.payoffs[seat]))
    agents = [parse_agent("equilibrium"), parse_agent("loose")]
    result = play_matches(leduc(), agents, 30, matches=2, duplicate=True, aivat=True)
    assert result.less_luck is not None
    assert_allclose(result.less_luck, result.profits[:, :, 0])


def test_an_agent_that_does_not_say_what_it_plays_is_refused():
    agents = [parse_agent("rule:number=1"), parse_agent("random")]
    with pytest.raises(SoulreadError, match="'rule:number=1' does not say which strategy it plays"):
        play_matches(leduc(), agents, 10, aivat=True)
    with pytest.raises(SoulreadError, match="players"):
        play_matches(parse_game("ring-limit:3"), [parse_agent("random")] * 3, 10, aivat=True)


def test_matches_end_when_it_is_clear_who_wins():
    agents = [parse_agent("equilibrium"), parse_agent("random")]
    found = [
        play_matches(leduc(), agents, 300, matches=60, seed=2, jobs=jobs, until_decided=True)
        for jobs in (1, 2)
    ]
    one, two = found
    assert one.matches == two.matches < 60
    assert_allclose(one.profits, two.profits)
    assert one.watch is not None
    assert one.watch.decided
    assert one.watch.n == 3 * one.matches  # blocks of 100 hands
    assert one.watch.mean == pytest.approx(one.profits[:, :, 0].mean())
    low, high = one.watched(Unit.SMALL_BETS) or (0.0, 0.0)
    assert 0 < low < one.profits[:, :, 0].mean() / 2 < high
    earlier = play_matches(leduc(), agents, 300, matches=one.matches - 1, seed=2, until_decided=True)
    assert earlier.watch is not None
    assert not earlier.watch.decided  # it stopped at the first match that decides
    told = plain_data(earlier)["watched"]
    assert (told["decided"], told["n"]) == (False, earlier.watch.n)


def test_matches_of_learners_are_the_samples():
    agents = [parse_agent("dbbr:T=5,k=5"), parse_agent("random")]
    result = play_matches(leduc(), agents, 10, matches=3, until_decided=True)
    assert result.watch is not None
    assert result.watch.n == 3
    assert plain_data(result)["watched"]["sb/h"] == [None, None]  # too few to say anything
