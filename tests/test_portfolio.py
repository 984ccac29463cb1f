"""The portfolio: off-policy estimates are unbiased, by enumeration; its certificates hold; what it plays."""

import itertools
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from named import make_agent
from numpy.testing import assert_allclose
from pairs import pair
from test_aivat import GAMES, endings, random_behaviours, value

from soulread.errors import ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.poker import FOLD, PokerState
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.portfolio import PortfolioAgent, PortfolioOptions
from soulread.play.match.matches import Match
from soulread.respond import archetypes, offpolicy
from soulread.respond.archetypes import find_members, make_members
from soulread.respond.budget import find_start
from soulread.respond.counter import pair_of
from soulread.respond.offpolicy import OffPolicy, action_values
from soulread.seqform.compile import SequenceGame, compile_game
from soulread.seqform.source import Source
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    behaviour_from_plan,
    mix_plans,
    plan_from_behaviour,
)
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.solvers.lp import solve_exactly
from soulread.solvers.skews import baseline_behaviour, skew_behaviours

WEIGHTS = np.array([0.6, 0.3, 0.1])


def random_worth(game: SequenceGame) -> Behaviours:
    """Any number of chips for each action."""
    rng = np.random.default_rng(9)
    return pair(Behaviour(rng.normal(0, 3, tree.num_sequences)) for tree in game.trees)


def equilibrium_worth(game: SequenceGame) -> Behaviours:
    return action_values(game, solve_exactly(game).behaviours)


def some_members(game: SequenceGame, silent: float) -> list[TabularStrategy]:
    return [tabular(game, random_behaviours(game, seed, silent)) for seed in (1, 2, 3)]


def played_by(game: SequenceGame, members: Iterable[TabularStrategy], seat: int) -> Behaviour:
    """One behaviour that plays like a member drawn before each hand by `WEIGHTS`."""
    first, second, third = (
        plan_from_behaviour(game.trees[seat], member.behaviours[seat]) for member in members
    )
    two = mix_plans(WEIGHTS[0] / (WEIGHTS[0] + WEIGHTS[1]), first, second)
    return behaviour_from_plan(game.trees[seat], mix_plans(1 - WEIGHTS[2], two, third))


def seated(own: Behaviour, other: Behaviour, seat: int) -> Behaviours:
    return (own, other) if seat == 0 else (other, own)


def found_by(
    judge: OffPolicy, game: SequenceGame, opponent: Behaviours, seat: int
) -> tuple[np.ndarray, np.ndarray]:
    """``[hands]`` chances and ``[hands, members]`` estimates of every hand that can be played."""
    both = seated(played_by(game, judge.members, seat), opponent[1 - seat], seat)
    chances, found = [], []
    for chance, hand in endings(tabular(game, both)):
        estimates = judge.estimates(hand.seen_by(seat), WEIGHTS)
        assert estimates is not None
        chances.append(chance)
        found.append(estimates)
    return np.array(chances), np.array(found)


def values_of(
    game: SequenceGame, members: Iterable[TabularStrategy], opponent: Behaviours, seat: int
) -> list[float]:
    return [
        value(game, seated(member.behaviours[seat], opponent[1 - seat], seat), seat) for member in members
    ]


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("silent", "worth"), [(0.0, None), (0.5, random_worth), (0.5, equilibrium_worth)])
def test_the_mean_is_each_members_exact_value(name, seat, silent, worth):
    """Whatever actions are taken to be worth, and although members never take some actions."""
    game = GAMES[name]
    judge = OffPolicy(some_members(game, silent), "own", worth=worth and worth(game))
    opponent = random_behaviours(game, 4)
    chances, found = found_by(judge, game, opponent, seat)
    assert chances.sum() == pytest.approx(1)
    assert_allclose(chances @ found, values_of(game, judge.members, opponent, seat), atol=1e-9)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seat", [0, 1])
def test_by_range_there_is_no_bias_against_the_opponent_assumed(name, seat):
    """Against another opponent there is one, by card removal."""
    game = GAMES[name]
    members, opponent = some_members(game, 0.0), random_behaviours(game, 4)
    exact = values_of(game, members, opponent, seat)
    right = OffPolicy(members, "range", tabular(game, opponent))
    chances, found = found_by(right, game, opponent, seat)
    assert_allclose(chances @ found, exact, atol=1e-9)
    wrong = OffPolicy(members, "range")
    chances, found = found_by(wrong, game, opponent, seat)
    assert np.abs(chances @ found - exact).max() > 1e-4


@pytest.mark.parametrize("hidden", ["own", "range"])
def test_the_slow_way_gives_the_same(hidden):
    """Equations (1) and (2), holding by holding."""
    game = GAMES["short"]
    judge = OffPolicy(some_members(game, 0.3), hidden, worth=random_worth(game))
    opponent = random_behaviours(game, 4)
    for seat in (0, 1):
        both = seated(played_by(game, judge.members, seat), opponent[1 - seat], seat)
        for number, (_, hand) in enumerate(endings(tabular(game, both))):
            if number % 37:
                continue
            seen = hand.seen_by(seat)
            found = judge.estimates(seen, WEIGHTS)
            assert found is not None
            assert_allclose(found, naive_estimates(judge, seen), atol=1e-12)


def naive_estimates(judge: OffPolicy, hand: Hand) -> np.ndarray:
    """What is averaged is equation (1), and what it is averaged by is the chance of all cards, as in (2)."""
    seat, game = hand.eyewitness, judge.game
    deck = [card for card in game.rules.deck if card not in hand.board]
    shown = hand.hole[1 - seat]
    found: dict[bool, tuple[float, np.ndarray]] = {}
    for assumed in (True, False):  # without what is assumed of the opponent, if that is impossible
        total, won = 0.0, np.zeros(len(judge.members))
        for own, other in itertools.permutations(deck, 2):
            if shown is not None and shown != (other,):
                continue
            if shown is None and judge.hidden == "own" and hand.hole[seat] != (own,):
                continue
            holes = [(own,), (other,)] if seat == 0 else [(other,), (own,)]
            states = list(decisions(game, hand.actions, hand.board, holes))
            chance = 1.0
            if shown is None and judge.hidden == "range" and assumed:
                for state, action in states:
                    if state.player != seat:
                        chance *= chance_of(judge.assumed, state, action)
            weight, estimate = naive_equation(judge, states, seat)
            total += chance * weight
            won += chance * weight * estimate
        found[assumed] = total, won
    total, won = found[True] if found[True][0] > 0 else found[False]
    return won / total


def naive_equation(
    judge: OffPolicy, states: list[tuple[PokerState, int]], seat: int
) -> tuple[float, np.ndarray]:
    """The mixture's reach with these cards, and equation (1)."""
    reach = np.ones(len(judge.members))
    estimate = np.zeros(len(judge.members))
    for state, action in states:
        if state.player != seat:
            continue
        ratio = reach / (WEIGHTS @ reach)
        worth = {one: worth_of(judge, state, one) for one in state.legal_actions()}
        for one, chips in worth.items():
            estimate += ratio * [chance_of(member, state, one) * chips for member in judge.members]
        reach = reach * [chance_of(member, state, action) for member in judge.members]
        if not reach.any():
            return 0.0, estimate
        estimate -= reach / (WEIGHTS @ reach) * worth[action]
    state, action = states[-1]
    return float(WEIGHTS @ reach), estimate + reach / (WEIGHTS @ reach) * state.apply(action).payoffs()[seat]


def worth_of(judge: OffPolicy, state: PokerState, action: int) -> float:
    if action == FOLD:
        return state.apply(FOLD).payoffs()[state.player]
    return 0.0 if judge.worth is None else chance_of(judge.worth, state, action)


def chance_of(strategy: TabularStrategy, state: PokerState, action: int) -> float:
    node, private = strategy.place(state.view(state.player))
    return float(strategy.probabilities(node, private)[strategy.betting.actions[node].index(action)])


def test_imaginary_observations_make_the_spread_smaller():
    """Against what the chips of the one hand, weighed by our own cards, say: that has no bias either."""
    game = GAMES["short"]
    members, opponent = some_members(game, 0.0), random_behaviours(game, 4)
    judge = OffPolicy(members, "own")
    chances, found = found_by(judge, game, opponent, 0)
    both = seated(played_by(game, members, 0), opponent[1], 0)
    plain = []
    for _, hand in endings(tabular(game, both)):
        holes = [hand.end.hole(0), hand.end.hole(1)]
        reach = np.ones(len(members))
        for state, action in decisions(judge.game, hand.end.actions, hand.end.board, holes):
            if state.player == 0:
                reach = reach * [chance_of(member, state, action) for member in members]
        plain.append(reach / (WEIGHTS @ reach) * hand.payoffs[0])
    exact = chances @ found
    assert_allclose(chances @ np.array(plain), exact, atol=1e-9)
    spread, before = (np.sqrt(chances @ (x - exact) ** 2) for x in (found, np.array(plain)))
    assert np.all(spread < 0.9 * before)


def test_only_hands_that_were_played_so():
    """A hand that the mixture never plays says nothing; wrong input is refused."""
    game = GAMES["kuhn"]
    one, two = (tabular(game, random_behaviours(game, seed)) for seed in (1, 2))
    judge = OffPolicy([one, two])
    hand = next(
        hand.seen_by(0) for _, hand in endings(tabular(game, random_behaviours(game, 1))) if hand.over
    )
    with pytest.raises(ShapeError, match="2 members"):
        judge.estimates(hand, WEIGHTS)
    never = Behaviour(np.where(np.arange(game.trees[0].num_sequences) > 0, 0.0, 1.0))
    still = OffPolicy([replace(one, behaviours=(never, one.behaviours[1]))])
    assert still.estimates(hand, np.ones(1)) is None
    with pytest.raises(SoulreadError, match="at least one"):
        OffPolicy([])
    with pytest.raises(SoulreadError, match="expected one of own, range"):
        OffPolicy([one], "all")
    with pytest.raises(SoulreadError, match="same private states"):
        OffPolicy([one, tabular(GAMES["short"], random_behaviours(GAMES["short"], 1))])


@pytest.mark.parametrize("name", GAMES)
def test_actions_are_worth_what_they_win(name, monkeypatch):
    """Weighed by how often each decision comes up, what the actions are worth adds up to the game's value."""
    monkeypatch.setattr(offpolicy, "SLIP", 0.0)
    game = GAMES[name]
    behaviours = random_behaviours(game, 5)
    worth = action_values(game, behaviours)
    strategy = tabular(game, behaviours)
    values = replace(strategy, behaviours=worth)
    for seat in (0, 1):
        means: dict[tuple[int, int, int], list[float]] = {}
        for chance, hand in endings(strategy):
            holes = [hand.end.hole(0), hand.end.hole(1)]
            for state, action in decisions(hand.end.game, hand.end.actions, hand.end.board, holes):
                if state.player == seat:
                    mean = means.setdefault((*strategy.place(state.view(seat)), action), [0.0, 0.0])
                    mean[0] += chance
                    mean[1] += chance * hand.payoffs[seat]
        for (node, private, action), (chance, won) in means.items():
            position = strategy.betting.actions[node].index(action)
            assert values.probabilities(node, private)[position] == pytest.approx(won / chance, abs=1e-6)


def test_knowing_what_actions_are_worth_makes_the_spread_smaller():
    game = GAMES["short"]
    members = some_members(game, 0.0)
    opponent = members[0].behaviours
    spreads = []
    for worth in (None, action_values(game, opponent)):
        chances, found = found_by(OffPolicy(members, "own", worth=worth), game, opponent, 0)
        spreads.append(np.sqrt(chances @ (found - chances @ found) ** 2))
    assert np.all(spreads[1] < 0.95 * spreads[0])


def test_only_some_games_have_action_values():
    sparse = compile_game(kuhn())
    with pytest.raises(SoulreadError, match="not valued"):
        action_values(sparse, solve_exactly(sparse).behaviours)


# The members.


@pytest.mark.parametrize("risk", [0.0, 0.05, 0.3])
def test_every_member_keeps_its_certificate_and_beats_its_archetype(risk):
    source = Source(kuhn())
    game = source.compile()
    members = find_members(source, risk)
    assert [member.name for member in members] == ["equilibrium", *archetypes.ARCHETYPES]
    for member in members:
        exact = pair_of(game, member.behaviours).exploitability
        assert exact <= member.risk + 1e-6
        assert member.risk <= risk + 1e-6
        assert member.promise >= 0
        if member.name in archetypes.ARCHETYPES:
            bent = skew_behaviours(game, members[0].behaviours, [archetypes.ARCHETYPES[member.name]])
            gain, usual = (pair_of(game, one.behaviours).exploitation(bent) for one in (member, members[0]))
            assert gain - usual == pytest.approx(member.promise, abs=1e-6)


def test_members_come_back_from_the_cache_as_they_were():
    source = Source(kuhn())
    game = source.compile()
    equilibrium = find_members(source, 0.1)[0].behaviours
    made = make_members(game, equilibrium, find_start(source, game), 0.1)
    back = archetypes._unpacked(archetypes._packed(made), equilibrium)
    for one, other in zip(made, back, strict=True):
        assert (one.name, one.risk, one.promise) == (other.name, other.risk, other.promise)
        for seat in (0, 1):
            assert_allclose(one.behaviours[seat], other.behaviours[seat], atol=1e-7)
    settings = [archetypes._settings(game, equilibrium, budget) for budget in (0.1, 0.2)]
    assert settings[0] != settings[1]


# The agent.


def judged(agent: PortfolioAgent, opponent: str, hands: int, seed: int) -> PortfolioAgent:
    """The agent after a match."""
    Match(agent._judge.game, (agent, make_agent(opponent, agent._judge.game)), hands).play(seed)
    return agent


@pytest.mark.compiled
def test_it_leaves_the_equilibrium_only_for_something_better():
    agent = make_agent("portfolio", leduc())
    assert isinstance(agent, PortfolioAgent)
    assert agent.sentence().startswith("it plays the equilibrium")
    judged(agent, "equilibrium:method=cfr+", 600, 1)
    assert not agent.exploiting
    assert agent.expected == 0
    agent.reset()
    judged(agent, "always-call", 600, 1)
    assert agent.members[agent.leader].name in ("loose", "passive")
    truth = pair_of(agent.game, agent.members[agent.leader].behaviours)
    caller = pair(baseline_behaviour(tree, "always-call") for tree in agent.game.trees)
    low, high = agent.gains[agent.leader].interval
    usual = pair_of(agent.game, agent.members[0].behaviours)
    assert low < truth.exploitation(caller) - usual.exploitation(caller) < high
    assert agent.expected == pytest.approx(truth.exploitation(caller), abs=0.6)
    assert f"answer to {agent.members[agent.leader].name} opponents" in agent.sentence()


def test_weights_and_worst_case():
    """Every member may be drawn, the leader mostly; the worst case is certified for the mixture."""
    agent = make_agent("portfolio:explore=0.1", kuhn())
    assert isinstance(agent, PortfolioAgent)
    for leader in range(len(agent.members)):
        agent.leader = leader
        weights = agent.weights
        assert weights.sum() == pytest.approx(1)
        assert weights[leader] == pytest.approx(0.92)
        assert weights.min() == pytest.approx(0.02)
        plans = [
            sum(
                weight * plan_from_behaviour(agent.game.trees[seat], member.behaviours[seat])
                for weight, member in zip(weights, agent.members, strict=True)
            )
            for seat in (0, 1)
        ]
        mixed = pair(
            behaviour_from_plan(tree, plan) for tree, plan in zip(agent.game.trees, plans, strict=True)
        )
        assert -agent.worst_case >= pair_of(agent.game, mixed).exploitability - 1e-6


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("risk=-1", "expected at least 0"),
        ("explore=0", "above 0"),
        ("least=-1", "expected at least 0"),
        ("sure=-1", "expected at least 0"),
        ("hidden=all", "own or range"),
    ],
)
def test_wrong_options(text, told):
    with pytest.raises(SoulreadError, match=told):
        parse_agent(f"portfolio:{text}")


def test_without_settings_it_has_the_defaults():
    source = Source(kuhn())
    agent = PortfolioAgent("p", source.compile(), find_members(source, 0.25))
    assert agent.options == PortfolioOptions()
