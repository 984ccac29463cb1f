"""Risk what you've won: gifts against slow twins, safety against anybody, profit from those who err."""

from dataclasses import replace
from functools import lru_cache

import known_values as known
import naive_gifts as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_safe import safe_value
from named import compile_source, equilibrium_of, make_agent
from numpy.testing import assert_array_equal
from pairs import pair

from soulread.cards.arrays import deal
from soulread.errors import NotFitted, ParseError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame, replay
from soulread.hands.hand import Hand
from soulread.hands.record import seen_by
from soulread.model.tabular import TabularModel
from soulread.options import read_options
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.safe_agents import SafeAgent, SafeOptions
from soulread.play.match.live import play_hand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import AlwaysCall, AlwaysRaise, Probe, Random
from soulread.play.tabular import TabularAgent
from soulread.respond.gifts import RULES, SHORTAGE, GiftReader, Ledger, action_costs, choose_plan
from soulread.respond.planner import TOLERANCE, SafePlanner
from soulread.seqform.compile import SequenceGame, compile_game
from soulread.seqform.strategy import (
    Behaviour,
    Plan,
    plan_from_behaviour,
    random_behaviour,
    uniform_behaviour,
    uniform_plan,
    verify_plan,
)
from soulread.solvers.best_response import best_response
from soulread.solvers.skews import baseline_behaviour

SAFE = [rule for rule in RULES if rule != "rwyw"]


@lru_cache
def compiled(name: str) -> SequenceGame:
    return compile_source(name)


@lru_cache
def planners(name: str) -> tuple[SafePlanner, SafePlanner]:
    game = compiled(name)
    first, second = map(plan_from_behaviour, game.trees, equilibrium_of(name).behaviours)
    return SafePlanner(game, 0, (first, second)), SafePlanner(game, 1, (first, second))


@lru_cache
def agent(rule: str, name: str = "kuhn", hands: int = 40) -> SafeAgent:
    """One for all tests, reset by each: making one solves the game."""
    return SafeAgent(rule, compiled(name), equilibrium_of(name), rule, SafeOptions(hands=hands))


class KnownOpponent(TabularModel):
    """A model that knows, and learns nothing."""

    def __init__(self, game: SequenceGame, behaviours) -> None:
        self.game = game
        self.behaviours = behaviours

    def reset(self):
        """There is nothing to forget."""

    def update(self, hand, player=None):
        return self

    def strategy(self, seat):
        return self.behaviours[seat]


def value_of(game: SequenceGame, seat: int, plan: Plan, opponent: Plan) -> float:
    """Chips per hand of ``seat``."""
    return float(plan @ game.payoff.gradient(seat, opponent))


def nemesis(game: SequenceGame, seat: int, plan: Plan) -> Plan:
    """The plan that hurts the plan of ``seat`` most."""
    return best_response(game.trees[1 - seat], game.payoff.gradient(1 - seat, plan))[1]


def all_hands(rules: PokerGame, game: SequenceGame, seat: int, own: Behaviour, other: Behaviour):
    """``(probability, hand)`` as ``seat`` sees it, for behaviours of both."""
    policies = {
        seat: naive.labelled(game.trees[seat], own),
        1 - seat: naive.labelled(game.trees[1 - seat], other),
    }
    for probability, end in naive.ends(rules, (policies[0], policies[1])):
        yield probability, seen_by(end, seat, ("a", "b"))


# What a gift is.


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_gifts_are_those_of_the_worst_pure_strategy_that_agrees(seat, seed):
    """All hands of Kuhn, against all 64 pure strategies of the opponent."""
    rules, game = kuhn(), compiled("kuhn")
    reader = GiftReader(game)
    plan = plan_from_behaviour(
        game.trees[seat], random_behaviour(game.trees[seat], np.random.default_rng(seed))
    )
    worst = planners("kuhn")[seat].worst_case(plan)
    hands = [hand for _, hand in all_hands(rules, game, seat, *map(uniform_behaviour, _by_seat(game, seat)))]
    assert len(hands) == 30
    gifts = [reader.gift(hand, plan) for hand in hands]
    for hand, gift in zip(hands, gifts, strict=True):
        assert worst + gift == pytest.approx(naive.worst_consistent_value(rules, game, hand, plan), abs=1e-12)
    assert min(gifts) >= 0
    assert max(gifts) > 0.05


def _by_seat(game: SequenceGame, seat: int):
    return game.trees[seat], game.trees[1 - seat]


@pytest.mark.parametrize("seat", [0, 1])
def test_gifts_in_leduc(seat):
    rules, game = leduc(suit_isomorphic=True), compiled("leduc:iso")
    reader = GiftReader(game)
    rng = np.random.default_rng(5)
    plan = plan_from_behaviour(game.trees[seat], random_behaviour(game.trees[seat], rng))
    worst = planners("leduc:iso")[seat].worst_case(plan)
    seen = set()
    for _ in range(40):
        cards = deal(rng, rules.rules.deck, rules.num_cards)
        hand = play_hand(rules, [Random(), Random()], cards, [rng, rng], ("a", "b")).seen_by(seat)
        expected = naive.worst_forced_value(rules, game, hand, plan)
        assert worst + reader.gift(hand, plan) == pytest.approx(expected, abs=1e-9)
        seen.add((hand.showdown, len(reader.paths(hand)) > 1))
    assert seen == {(True, False), (False, True)}


def test_costs_are_zero_for_a_best_response():
    game = compiled("leduc:iso")
    for seat in (0, 1):
        plan = uniform_plan(game.trees[seat])
        costs = action_costs(game, seat, plan)
        assert costs.min() == 0
        assert np.all(costs[nemesis(game, seat, plan) > 0] == 0)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1]), st.integers(0, 2**6 - 1))
@settings(max_examples=100)
def test_no_gift_is_expected_beyond_what_was_given(seed, seat, erring):
    """For any plan and any opponent: worst case + expected gift <= value. Safety rests on this.

    The opponent is the nemesis of the plan, but mixes at some of his information sets.
    """
    rules, game = kuhn(), compiled("kuhn")
    own_tree, tree = _by_seat(game, seat)
    rng = np.random.default_rng(seed)
    reader = GiftReader(game)
    own = random_behaviour(own_tree, rng)
    plan = plan_from_behaviour(own_tree, own)
    other, mixed = pure_nemesis(game, seat, plan), _normal(tree, random_behaviour(tree, rng) ** 4)
    for index in range(tree.num_sets):
        if erring >> index & 1:
            other[tree.sequences(index)] = mixed[tree.sequences(index)]
    expected = sum(p * reader.gift(hand, plan) for p, hand in all_hands(rules, game, seat, own, other))
    value = value_of(game, seat, plan, plan_from_behaviour(tree, other))
    assert planners("kuhn")[seat].worst_case(plan) + expected <= value + 1e-12


def _normal(tree, weights) -> Behaviour:
    behaviour = np.ones_like(weights)
    for index in range(tree.num_sets):
        rows = tree.sequences(index)
        behaviour[rows] = weights[rows] / weights[rows].sum()
    return Behaviour(behaviour)


@pytest.mark.compiled
def test_suits_are_no_hole_in_it():
    """The agent of Leduc plans without suits; one who looks at them gives no more than is his to give."""
    rules, full = leduc(), compile_game(leduc())
    hero = make_agent("rwywe", rules)
    assert isinstance(hero, SafeAgent)
    assert hero.game.name == "leduc:iso"
    rng = np.random.default_rng(4)
    seat = 1
    behaviour = random_behaviour(hero.game.trees[seat], rng)
    plan = plan_from_behaviour(hero.game.trees[seat], behaviour)
    table = hero.equilibrium

    def suitless(state):
        node = table.betting.decision(state.betting)
        view = state.view(seat)
        first = table.sequence(node, table.lookup.state(view.hole, view.board))
        actions = table.betting.actions[node]
        return {a: behaviour[first + i * table.arrays.width[node]] for i, a in enumerate(actions)}

    other = random_behaviour(full.trees[0], rng) ** 8
    opponent = naive.labelled(full.trees[0], _normal(full.trees[0], other))
    reader = GiftReader(hero.game)
    value = expected = 0.0
    for probability, end in naive.ends(rules, (opponent, suitless)):
        value += probability * end.payoffs()[seat]
        expected += probability * reader.gift(seen_by(end, seat, ("a", "b")), plan)
    assert expected > 0.01
    assert hero.planners[seat].worst_case(plan) + expected <= value + 1e-9


# The planner.


@pytest.mark.parametrize("name", ["kuhn", "leduc:iso"])
@pytest.mark.parametrize("seat", [0, 1])
def test_plans_are_those_of_the_linear_program(name, seat):
    game, planner = compiled(name), planners(name)[seat]
    rng = np.random.default_rng(seat)
    value = (known.KUHN_VALUE if name == "kuhn" else known.LEDUC_VALUE) * (1 - 2 * seat)
    assert planner.game_value == pytest.approx(value, abs=1e-9)
    assert abs(planner.least_risk) < 1e-12
    for epsilon in (0.0, 1e-7, 0.3, 0.01, 0.0, np.inf, 0.1):
        model = plan_from_behaviour(game.trees[1 - seat], random_behaviour(game.trees[1 - seat], rng))
        gradient = game.payoff.gradient(seat, model)
        response = planner.respond(gradient, epsilon)
        verify_plan(game.trees[seat], response.plan)
        slow = safe_value(game, seat, model, min(epsilon, 50), planner.game_value)
        assert response.value == pytest.approx(slow, abs=1e-6 + 1e-6 * min(epsilon, 50))
        assert response.value == pytest.approx(value_of(game, seat, response.plan, model))
        assert response.risk <= epsilon + TOLERANCE
        assert planner.worst_case(response.plan) == response.worst_case


def test_nothing_is_risked_for_nothing():
    """Against an equilibrium everything that is not a mistake wins the same; the safest is played."""
    for seat, planner in enumerate(planners("leduc:iso")):
        game = compiled("leduc:iso")
        model = planners("leduc:iso")[1 - seat].equilibrium
        assert planner.respond(game.payoff.gradient(seat, model), 2.0).risk < 1e-5


def test_a_plan_with_too_much_risk_is_mixed_down(monkeypatch):
    """Should the solver ever return what it must not."""
    game, planner = compiled("leduc:iso"), planners("leduc:iso")[0]
    gradient = game.payoff.gradient(0, uniform_plan(game.trees[1]))
    bold = planner.respond(gradient, np.inf)
    monkeypatch.setattr(planner, "_solve", lambda gradient, floor, price: bold.plan)
    for epsilon in (0.0, 0.1, 0.5):
        response = planner.respond(gradient, epsilon)
        verify_plan(game.trees[0], response.plan)
        assert response.risk <= epsilon + 1e-12
        assert planner.stay(gradient).value <= response.value < bold.value


def test_a_shortage_is_made_up_for():
    """What solvers took from k below 0 is a debt: no more is taken until gifts have paid it."""
    game, planner = compiled("kuhn"), planners("kuhn")[1]
    gradient = game.payoff.gradient(1, uniform_plan(game.trees[0]))
    for rule in SAFE:
        assert_array_equal(choose_plan(rule, planner, gradient, -2 * SHORTAGE).plan, planner.equilibrium)
        assert (
            choose_plan(rule, planner, gradient, -SHORTAGE / 2).value > planner.stay(gradient).value - 1e-12
        )
    assert choose_plan("rwyw", planner, gradient, -2.0).risk <= TOLERANCE


@pytest.mark.parametrize("left", [0, 1, 2, 50])
def test_beffe_exploits_only_if_k_lasts_to_the_end(left):
    """k must cover the risk in every hand that is left; befewp asks for the next hand alone."""
    game, planner = compiled("kuhn"), planners("kuhn")[1]
    gradient = game.payoff.gradient(1, uniform_plan(game.trees[0]))
    full, safe = planner.respond(gradient, np.inf), planner.respond(gradient, 0.0)
    assert full.risk > 0.1
    assert full.value > safe.value + 0.1
    needed = full.risk * max(left, 1)
    for k, chosen in ((needed * 1.001, full), (needed * 0.999, safe), (0.0, safe)):
        assert choose_plan("beffe", planner, gradient, k, left).value == pytest.approx(chosen.value)
    once = full.risk * 1.001
    assert choose_plan("befewp", planner, gradient, once, left).value == pytest.approx(full.value)
    if left > 1:
        assert choose_plan("beffe", planner, gradient, once, left).value == pytest.approx(safe.value)
    assert choose_plan("befewp", planner, gradient, full.risk * 0.999, left).value == pytest.approx(
        safe.value
    )


def test_a_planner_that_was_reset_is_like_a_new_one_however_much_it_has_solved():
    """A solver that is only cleared keeps more than its vertex, and plans would depend on earlier matches."""
    first, second = planners("kuhn")
    game, used = first.game, SafePlanner(first.game, 0, (first.equilibrium, second.equilibrium))
    rng = np.random.default_rng(3)
    for _ in range(40):
        used.respond(rng.normal(size=game.trees[0].num_sequences), 0.05)
    used.reset()
    assert not used._solvers
    new = SafePlanner(game, 0, (first.equilibrium, second.equilibrium))
    for _ in range(5):
        gradient = rng.normal(size=game.trees[0].num_sequences)
        assert_array_equal(used.respond(gradient, 0.02).plan, new.respond(gradient, 0.02).plan)


def test_reset_planner_is_a_new_one():
    game = compiled("leduc:iso")
    rng = np.random.default_rng(1)
    first, second = planners("leduc:iso")
    fresh = SafePlanner(game, 0, (first.equilibrium, second.equilibrium))
    gradients = [
        game.payoff.gradient(0, plan_from_behaviour(game.trees[1], random_behaviour(game.trees[1], rng)))
        for _ in range(4)
    ]
    for gradient in gradients:
        first.respond(gradient, 0.2)
    first.reset()
    for gradient in gradients[:2]:
        assert_array_equal(first.respond(gradient, 0.1).plan, fresh.respond(gradient, 0.1).plan)


# Safety.


class Script:
    """One hand after the other between a safe agent and opponents who change as they like."""

    def __init__(self, hero: SafeAgent, rng: np.random.Generator) -> None:
        self.hero = hero
        self.rng = rng
        self.rules = parse_game(hero.game.name)
        self.expected = 0.0  # exact, from the plans
        self.values = 0.0
        hero.reset()

    def play(self, seat: int, opponent: Behaviour) -> float:
        """A hand against a behaviour; returns what it was expected to win."""
        game, rules = self.hero.game, self.rules
        response = self.hero.respond(seat)
        behaviours = [self.hero.equilibrium.behaviours[0], self.hero.equilibrium.behaviours[1]]
        behaviours[1 - seat] = opponent
        other = TabularAgent("other", replace(self.hero.equilibrium, behaviours=pair(behaviours)))
        agents: list[Agent] = [self.hero, other] if seat == 0 else [other, self.hero]
        cards = deal(self.rng, rules.rules.deck, rules.num_cards)
        played = play_hand(rules, agents, cards, [self.rng, self.rng], ("a", "b"))
        self.hero.observe(played.seen_by(seat))
        value = value_of(game, seat, response.plan, plan_from_behaviour(game.trees[1 - seat], opponent))
        self.expected += value
        self.values += response.game_value
        return value


def pure(tree, rng) -> Behaviour:
    """A pure strategy; a mixed one is a draw among them, so these are all one can meet in a hand."""
    behaviour = np.zeros(tree.num_sequences)
    behaviour[0] = 1
    for index in range(tree.num_sets):
        behaviour[rng.choice(range(tree.num_sequences)[tree.sequences(index)])] = 1
    return Behaviour(behaviour)


def pure_nemesis(game, seat, plan) -> Behaviour:
    opponent = game.trees[1 - seat]
    worst = nemesis(game, seat, plan)
    result = Behaviour(np.zeros_like(worst))
    result[0] = 1
    for index in range(opponent.num_sets):
        rows = opponent.sequences(index)
        taken = np.flatnonzero(worst[rows])
        result[range(opponent.num_sequences)[rows][taken[0] if taken.size else 0]] = 1
    return result


KINDS = "pure", "nemesis", "raise", "call", "fold"


def opponent_of_kind(kind, hero, seat, rng) -> Behaviour:
    tree = hero.game.trees[1 - seat]
    if kind == "pure":
        return pure(tree, rng)
    if kind == "nemesis":
        return pure_nemesis(hero.game, seat, hero.respond(seat).plan)
    return baseline_behaviour(tree, f"always-{kind}")


@pytest.mark.parametrize("rule", SAFE)
@given(
    hands=st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from([0, 1])), min_size=1, max_size=40),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=30)
def test_safe_against_any_sequence_of_strategies(rule, hands, seed):
    """Not on average over matches but in every one: what was expected never falls below the game's values."""
    hero, rng = agent(rule), np.random.default_rng(seed)
    script = Script(hero, rng)
    for kind, seat in hands:
        script.play(seat, opponent_of_kind(kind, hero, seat, rng))
        assert hero.ledger.k >= -1e-9
        assert script.expected - script.values >= hero.ledger.k - 1e-9
    assert hero.ledger.guaranteed == pytest.approx(script.values)


@pytest.mark.compiled
def test_safe_in_leduc():
    hero, rng = agent("rwywe", "leduc:iso"), np.random.default_rng(2)
    script = Script(hero, rng)
    for number in range(120):
        kind = "nemesis" if number % 3 == 2 else ("pure", "raise")[number // 30 % 2]
        script.play(number % 2, opponent_of_kind(kind, hero, number % 2, rng))
        assert hero.ledger.k >= -1e-9
        assert script.expected - script.values >= hero.ledger.k - 1e-9
    assert hero.ledger.risked > 0.1


def expectation(hero: SafeAgent, seats, opponent) -> float:
    """The exact expectation of some hands over everything that can happen, less the game's values.

    ``opponent(past hands, seat, hero's response)`` is the behaviour he plays next; he may be mixed.
    """
    rules = parse_game(hero.game.name)

    def go(past: tuple[Hand, ...]) -> float:
        if len(past) == len(seats):
            return 0.0
        seat = seats[len(past)]
        hero.reset()
        for hand in past:
            hero.observe(hand)
        response = hero.respond(seat)
        tree = hero.game.trees[seat]
        own = hero._plans[seat][1]
        other = opponent(past, seat, response)
        plan = plan_from_behaviour(hero.game.trees[1 - seat], other)
        now = value_of(hero.game, seat, plan_from_behaviour(tree, own), plan) - response.game_value
        same: dict[Hand, float] = {}
        for probability, hand in all_hands(rules, hero.game, seat, own, other):
            same[hand] = same.get(hand, 0.0) + probability
        return now + sum(probability * go((*past, hand)) for hand, probability in same.items())

    return go(())


@pytest.mark.parametrize("rule", SAFE)
@pytest.mark.parametrize("seats", [(0, 1, 0), (1, 1, 0)])
def test_safe_in_expectation_against_mixed_opponents(rule, seats):
    """Random mixtures first, the nemesis of whatever is played then in the last hand."""

    def opponent(past, seat, response):
        if len(past) == len(seats) - 1:
            return pure_nemesis(compiled("kuhn"), seat, response.plan)
        rng = np.random.default_rng(len(past))
        return random_behaviour(compiled("kuhn").trees[1 - seat], rng)

    assert expectation(agent(rule, hands=3), seats, opponent) >= -1e-9


def test_risking_luck_is_not_safe():
    """An equilibrium first, which gives nothing; a nemesis then. Who counts his luck as won pays for it."""

    def opponent(past, seat, response):
        if past:
            return pure_nemesis(compiled("kuhn"), seat, response.plan)
        return equilibrium_of("kuhn").behaviours[1 - seat]

    game, table = compiled("kuhn"), equilibrium_of("kuhn")
    fish = KnownOpponent(game, [uniform_behaviour(tree) for tree in game.trees])
    for model, lost in ((None, 0.005), (fish, 0.1)):  # the worse the model, the more is risked
        for rule in RULES:
            hero = SafeAgent(rule, game, table, rule, SafeOptions(hands=2), model)
            expected = expectation(hero, (0, 0), opponent)
            assert expected < -lost if rule == "rwyw" else expected >= -1e-9


# Profit.


def static_profit(rule: str, name: str, opponent: str, hands: int, seed: int = 0) -> np.ndarray:
    """What each hand of a match is expected to win, exactly, from an opponent who never changes."""
    hero = agent(rule, name)
    script = Script(hero, np.random.default_rng(seed))
    behaviours = [baseline_behaviour(tree, opponent) for tree in hero.game.trees]
    return np.array([script.play(number % 2, behaviours[1 - number % 2]) for number in range(hands)])


@pytest.mark.parametrize("opponent", ["always-raise", "always-call", "random"])
def test_exploits_a_static_opponent_in_kuhn(opponent):
    won, befewp, equilibrium = (
        static_profit(rule, "kuhn", opponent, 300) for rule in ("rwywe", "befewp", "best-equilibrium")
    )
    values = np.resize([known.KUHN_VALUE, -known.KUHN_VALUE], 300)
    assert np.all(equilibrium >= values - 1e-9)
    assert won.mean() > equilibrium.mean() + 0.02
    assert befewp.mean() > equilibrium.mean() + 0.01


@pytest.mark.compiled
def test_exploits_a_static_opponent_in_leduc():
    won, equilibrium = (
        static_profit(rule, "leduc:iso", "always-raise", 150) for rule in ("rwywe", "best-equilibrium")
    )
    assert won.mean() > equilibrium.mean() + 0.1
    values = np.resize([known.LEDUC_VALUE, -known.LEDUC_VALUE], 150)
    assert np.all(equilibrium >= values - 1e-9)


@pytest.mark.parametrize("opponent", ["always-raise", "always-call", "always-fold", "random", "probe"])
def test_a_known_opponent(opponent):
    """With the truth as the model every hand wins at least the best equilibrium, and that any equilibrium."""
    game, table = compiled("kuhn"), equilibrium_of("kuhn")
    behaviours = [baseline_behaviour(tree, opponent) for tree in game.trees]
    model = KnownOpponent(game, behaviours)
    profits = {}
    for rule in ("best-equilibrium", "rwywe", "befewp"):
        script = Script(SafeAgent(rule, game, table, rule, model=model), np.random.default_rng(3))
        profits[rule] = np.array([script.play(n % 2, behaviours[1 - n % 2]) for n in range(40)])
    plans = [plan_from_behaviour(*pair) for pair in zip(game.trees, table.behaviours, strict=True)]
    others = [plan_from_behaviour(*pair) for pair in zip(game.trees, behaviours, strict=True)]
    plain = np.resize([value_of(game, seat, plans[seat], others[1 - seat]) for seat in (0, 1)], 40)
    assert np.all(profits["best-equilibrium"] >= plain - 1e-9)
    for rule in ("rwywe", "befewp"):
        assert np.all(profits[rule] >= profits["best-equilibrium"] - 1e-6)
        assert profits[rule].sum() > profits["best-equilibrium"].sum()


# The agent.


def test_what_it_says():
    hero = agent("rwywe")
    script = Script(hero, np.random.default_rng(0))
    assert hero.sentence() == (
        "it has been given 0.000 chips in expectation, a hand risks at most 0.000; it should win "
        "-0.056, and no less than -0.056 against anybody"
    )
    raiser = [baseline_behaviour(tree, "always-raise") for tree in hero.game.trees]
    for number in range(12):
        script.play(number % 2, raiser[1 - number % 2])
    response = hero.respond(0)
    assert hero.expected == response.value > hero.worst_case == response.worst_case
    assert (
        f"given {hero.ledger.k:.3f} chips in expectation, a hand risks at most {response.risk:.3f};"
        in hero.sentence()
    )
    assert hero.ledger.k > 0
    assert hero.ledger.k == pytest.approx(hero.ledger.given - hero.ledger.risked)
    assert "by luck or not" in agent("rwyw").sentence()


def test_ledger():
    game, planner = compiled("kuhn"), planners("kuhn")[0]
    response = planner.respond(game.payoff.gradient(0, uniform_plan(game.trees[1])), np.inf)
    ledger = Ledger()
    ledger.record(response, 0.5)
    assert ledger.k == pytest.approx(0.5 - response.risk)
    assert ledger.guaranteed == response.game_value
    ledger.record_chips(response, 0.0, 2)
    assert ledger.k == pytest.approx(0.5 - response.risk + 2 - known.KUHN_VALUE)
    assert (ledger.num_hands, ledger.given) == (2, 0.5)
    ledger.reset()
    assert (ledger.k, ledger.num_hands, ledger.risked) == (0, 0, 0)


def test_plans_are_kept_while_they_are_covered():
    hero = SafeAgent("rwywe", compiled("kuhn"), equilibrium_of("kuhn"), options=SafeOptions(every=6))
    script = Script(hero, np.random.default_rng(1))
    raiser = [baseline_behaviour(tree, "always-raise") for tree in hero.game.trees]
    made = []
    for number in range(30):
        response = hero.respond(number % 2)
        assert response.risk <= max(hero.ledger.k, 0) + TOLERANCE
        made.append(response)
        script.play(number % 2, raiser[1 - number % 2])
    assert 2 < len({id(response) for response in made}) < 30
    assert script.expected >= script.values + hero.ledger.k - 1e-9


def test_unfitted_models_are_the_equilibrium():
    class Unfitted(KnownOpponent):
        def strategy(self, seat):
            raise NotFitted("nothing seen")

    game, table = compiled("kuhn"), equilibrium_of("kuhn")
    hero = SafeAgent("x", game, table, model=Unfitted(game, table.behaviours))
    assert hero.respond(0).value == pytest.approx(known.KUHN_VALUE)


@pytest.mark.parametrize("game", ["kuhn", "leduc", "leduc:iso"])
@pytest.mark.parametrize(
    "text", ["rwywe", "befewp:every=3", "beffe:hands=30,pool=1", "best-equilibrium", "rwyw"]
)
def test_same_seed_same_play_and_reset_makes_new(text, game):
    rules = parse_game(game)
    used = make_agent(text, rules)
    assert used.name == text
    opponent = Probe()
    Match(rules, (used, opponent), 15).play(seed=1)
    again = Match(rules, (used, opponent), 15, duplicate=True).play(seed=2)
    fresh = Match(rules, (make_agent(text, rules), opponent), 15, duplicate=True).play(seed=2)
    assert_array_equal(again, fresh)


@pytest.mark.parametrize("opponent", [AlwaysCall(), AlwaysRaise()], ids=lambda agent: agent.name)
def test_its_own_cards_and_those_shown_are_all_it_uses(opponent):
    """The same without the cards the observer never saw: they are not in the hand it is told."""
    hero = agent("rwywe", "leduc:iso")
    Match(leduc(), (hero, opponent), 20).play(seed=9)
    hidden = seen_by(replay(leduc(), "rf", "KsQh"), 0, ("a", "b"))
    reader = GiftReader(hero.game)
    assert hidden.hole == (hidden.hole[0], None)
    assert reader.paths(hidden).shape == (3, 1)  # he may have folded a jack, a queen or the other king
    shown = seen_by(replay(leduc(), "rc/cc", "KsQhJs"), 0, ("a", "b"))
    assert reader.paths(shown).shape == (1, 2)
    unseen = replace(shown, hole=(None, None))
    assert reader.paths(unseen).shape == (3, 2)


def test_settings():
    assert read_options("rwywe", SafeOptions, parse_agent) == SafeOptions()
    text = "rwywe:every=10,prior=2.5,method=shift,range=model,pool=1"
    chosen = SafeOptions(every=10, prior=2.5, method="shift", range="model", pool=1)
    assert read_options(text, SafeOptions, parse_agent) == chosen
    assert parse_agent(text).options == chosen


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "rwywe:T=5",
            r"'T=5' in 'rwywe:T=5' is not an option; known are prior, method, range, pool, shown",
        ),
        ("rwywe:every", r"'every' in 'rwywe:every' is not an option"),
        ("rwywe:every=a", r"'every=a' in 'rwywe:every=a': expected a number"),
        ("rwywe:every=0", r"'rwywe:every=0': every=0; expected at least 1"),
        ("rwywe:every=1,every=2", r"'every' is given twice"),
        ("rwywe:method=l3", r"method=l3; expected shift or l1 or l2"),
        ("rwywe:range=mine", r"range=mine; expected equilibrium or model"),
        ("rwywe:prior=0", r"prior=0.0; expected above 0 and below inf"),
        ("rwywe:pool=2", r"pool=2; expected 0 or 1"),
        ("beffe:hands=-1", r"hands=-1; expected at least 0"),
    ],
)
def test_bad_options_are_told(text, message):
    with pytest.raises(ParseError, match=message):
        make_agent(text, kuhn())


def test_other_mistakes_are_told():
    with pytest.raises(
        SoulreadError,
        match="'rwywe' cannot sit at 'limit': it works card by card, with up to 12 cards; this game has 52",
    ):
        make_agent("rwywe", parse_game("limit"))
    with pytest.raises(SoulreadError, match="beffe must know how many hands the match has: beffe:hands=1000"):
        make_agent("beffe", kuhn())
    with pytest.raises(SoulreadError, match="rule 'rwy'; expected one of rwywe, befewp"):
        SafeAgent("x", compiled("kuhn"), equilibrium_of("kuhn"), "rwy")
    with pytest.raises(SoulreadError, match=r"epsilon=-0.1; a risk is at least 0"):
        planners("kuhn")[0].respond(np.zeros(13), -0.1)
    reader = GiftReader(compiled("kuhn"))
    hand = seen_by(replay(kuhn(), "rc", "JsQs"), 1, ("a", "b"))
    with pytest.raises(SoulreadError, match="hand 'rc' of 'kuhn' was seen by nobody at the table"):
        reader.paths(replace(hand, observer=None))
    with pytest.raises(SoulreadError, match="hand 'rc' of 'kuhn' was seen by nobody at the table"):
        agent("rwywe").observe(replace(hand, observer=None))
    leduc_hand = seen_by(replay(leduc(), "rf", "KsQh"), 0, ("a", "b"))
    with pytest.raises(SoulreadError, match=r"a hand of 'leduc' \(.+\) says nothing about 'kuhn' \(.+\)"):
        reader.paths(leduc_hand)
    with pytest.raises(SoulreadError, match="action 2 of seat 1 after 'r' is not in the game 'kuhn'"):
        reader.paths(replace(hand, betting="rr", actions=((0, 2), (1, 2))))
