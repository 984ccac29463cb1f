"""Losses to equilibria: bounded by linear programs and by evidence, and the equilibria themselves."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from soulread.errors import ParseError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.model.bayes.portfolio import PortfolioModel
from soulread.model.bayes.tilts import TiltModel
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.learners import (
    LearnerOptions,
    find_bases,
    game_value,
    learner_of,
    learning_setting,
    make_learner,
    read_bases,
)
from soulread.play.match.card_tables import AgentLearner, play_learner
from soulread.play.tabular import behaviours_in
from soulread.respond.bounded import (
    AnyEquilibrium,
    BoundedLearner,
    EquilibriumPlanner,
    Feared,
    LikeliestEquilibrium,
    LikelyEquilibrium,
)
from soulread.respond.learning import ModelLearner, SeenHand
from soulread.seqform.source import Source
from soulread.seqform.strategy import Plan, mean_behaviours, plan_from_behaviour, random_behaviour
from soulread.solvers.equilibria import equilibrium_by
from soulread.solvers.exploitability import exploitability
from soulread.solvers.skews import parse_skews, skew_behaviours
from soulread.solvers.trembling import trembling_equilibrium

KUHN = learning_setting(kuhn())
LEDUC = learning_setting(leduc())


def plans_of(setting, pair):
    first, second = (plan_from_behaviour(*both) for both in zip(setting.game.trees, pair, strict=True))
    return first, second


EXACT = plans_of(KUHN, KUHN.equilibrium)


def kuhn_first(bluff: float) -> Plan:
    """The first seat's equilibrium of Kuhn that bets a jack with this chance, and a king thrice as often."""
    source = Source(kuhn())
    tree = KUHN.game.trees[0]
    ends = [plan_from_behaviour(tree, equilibrium_by(source, f"lp:{k}").behaviours[0]) for k in range(1, 7)]
    rates = [bet_of(plan) for plan in ends]
    low, high = ends[int(np.argmin(rates))], ends[int(np.argmax(rates))]
    return Plan(low + bluff * 3 * (high - low))


def bet_of(plan: Plan) -> float:
    """How often a plan of the first seat bets a jack."""
    tree = KUHN.game.trees[0]
    return float(plan[tree.sequences(tree.index("Js||"))][-1])


def most_lost(planner, plan):
    """Chips per hand below the value of the game that a plan loses to the equilibrium worst for it."""
    gradient = planner.game.payoff.gradient(1 - planner.player, plan)
    return planner.equilibria.respond(gradient, planner.slack).value + planner.game_value


def test_what_is_lost_to_the_worst_equilibrium_of_kuhn():
    """The first seat has a line of equilibria (Kuhn 1950); the second loses most to one of its two ends."""
    planner = EquilibriumPlanner(KUHN.game, 1, EXACT, slack=0.0)
    ends = kuhn_first(0.0), kuhn_first(1 / 3)
    assert bet_of(ends[0]) == pytest.approx(0, abs=1e-6)
    assert bet_of(ends[1]) == pytest.approx(1 / 3, abs=1e-6)
    rng = np.random.default_rng(1)
    for _ in range(10):
        behaviour = random_behaviour(KUHN.game.trees[1], rng)
        plan = plan_from_behaviour(KUHN.game.trees[1], behaviour)
        lost = [1 / 18 - KUHN.responder.value(1, behaviour, end) for end in ends]
        assert most_lost(planner, plan) == pytest.approx(max(lost), abs=1e-6)


@pytest.mark.parametrize("seat", [0, 1])
def test_plans_keep_to_the_bound_and_use_it(seat):
    planner = EquilibriumPlanner(KUHN.game, seat, EXACT)
    rng = np.random.default_rng(2)
    for _ in range(5):
        villain = random_behaviour(KUHN.game.trees[1 - seat], rng)
        against = plan_from_behaviour(KUHN.game.trees[1 - seat], villain)
        gradient = KUHN.game.payoff.gradient(seat, against)
        best = KUHN.responder.best_value(seat, against)
        gains = []
        for allowed in (0.0, 0.01, 0.05, 5.0):
            plan = planner.respond(gradient, allowed)
            assert most_lost(planner, plan) <= allowed + 1e-6
            gains.append(float(plan @ gradient))
        assert np.all(np.diff(gains) > -1e-9)
        assert gains[-1] == pytest.approx(best, abs=1e-9)  # nothing binds
        if gains[1] < best - 1e-4:
            assert most_lost(planner, planner.respond(gradient, 0.01)) == pytest.approx(0.01, abs=1e-5)


def test_the_likeliest_equilibrium_of_kuhn():
    """By a grid over the line of equilibria of the first seat."""
    rng = np.random.default_rng(3)
    random = random_behaviour(KUHN.game.trees[1], rng)
    villain = random_behaviour(KUHN.game.trees[0], rng)
    planner = EquilibriumPlanner(KUHN.game, 1, EXACT)
    likeliest = LikeliestEquilibrium(planner.equilibria, slack=0.0, rounds=20)
    assert likeliest.bound() == 0
    hands = [KUHN.table.play(1, random, villain, rng).evidence for _ in range(60)]
    possible = kuhn_first(0.2)
    hands = [seen for seen in hands if possible[seen.sequences] @ seen.weights > 1e-3]
    assert len(hands) > 20
    for seen in hands:
        likeliest.add(seen)
    grid = [
        sum(np.log(plan[seen.sequences] @ seen.weights) for seen in hands)
        for plan in map(kuhn_first, np.linspace(0.001, 0.333, 200))
    ]
    assert max(grid) - 1e-6 <= likeliest.bound() <= max(grid) + 0.11


def members_of(learner: BoundedLearner):
    """The only opponent that a learner of `bounded` believes in."""
    assert isinstance(learner.model, PortfolioModel)
    return learner.model.members[0]


def bounded(feared: str, risk: float, share: float = 0.2) -> BoundedLearner:
    """A learner of Kuhn that believes in one loose player, and fears equilibria."""
    source, game = Source(kuhn()), KUHN.game
    loose = skew_behaviours(game, KUHN.equilibrium, parse_skews("loose=0.6"))
    if feared == "any":
        fear: Feared = AnyEquilibrium(game, EXACT)
    else:
        pool = [equilibrium_by(source, f"lp:{seed}").behaviours for seed in range(1, 7)]
        fear = LikelyEquilibrium(PortfolioModel(game, pool, slip=0.0), KUHN.responder, game_value(KUHN))
    return BoundedLearner(PortfolioModel(game, [loose], slip=0.0), KUHN.responder, fear, risk, share)


@pytest.mark.parametrize("feared", ["likely", "any"])
def test_losses_to_equilibria_stay_within_the_risk_on_average(feared):
    """Over matches the mean loss is at most the risk at any time, though single answers may lose more."""
    source = Source(kuhn())
    learner = bounded(feared, 0.02)
    rng = np.random.default_rng(4)
    lost = np.zeros((30, 4))
    for match in range(30):
        villain = equilibrium_by(source, f"lp:{1 + match % 6}").behaviours
        plans = plans_of(KUHN, villain)
        learner.reset()
        for hand in range(61):
            if hand % 20 == 0:
                gains = [KUHN.responder.value(s, learner.respond(s, rng), plans[1 - s]) for s in (0, 1)]
                lost[match, hand // 20] = -sum(gains) / 2  # the values of the seats cancel
            seat = hand % 2
            learner.learn(KUHN.table.play(seat, learner.respond(seat, rng), villain[1 - seat], rng))
    assert np.all(lost.mean(axis=0) < 0.02 + 2 * lost.std(axis=0) / np.sqrt(30))
    assert np.all(lost[:, 0] < 0.02 + 1e-6)  # before the first hand there is nothing to go by


@pytest.mark.parametrize("feared", ["likely", "any"])
def test_evidence_lifts_the_bound(feared):
    """Against the opponent it believes in, the answer becomes the best response."""
    learner = bounded(feared, 0.005)
    rng = np.random.default_rng(5)
    villain = members_of(learner)
    plans = plans_of(KUHN, villain)
    first = learner.allowed
    assert first == pytest.approx(0.005)
    for hand in range(2000):
        seat = hand % 2
        learner.learn(KUHN.table.play(seat, learner.respond(seat, rng), villain[1 - seat], rng))
        if learner.allowed == np.inf:
            break
    assert learner.allowed == np.inf
    for seat in (0, 1):
        learner._answers.clear()
        value = KUHN.responder.value(seat, learner.respond(seat, rng), plans[1 - seat])
        assert value == pytest.approx(KUHN.responder.best_value(seat, plans[1 - seat]), abs=1e-9)
    learner.reset()
    assert learner.allowed == first


def test_the_ratio_is_what_the_models_gave_to_the_hands():
    """Multiplied out by hand, each model asked before it learns."""
    learner = bounded("likely", 0.01)
    twin = bounded("likely", 0.01)
    rng = np.random.default_rng(6)
    villain = members_of(learner)
    assert isinstance(twin.feared, LikelyEquilibrium)
    ratio = 1.0
    for hand in range(12):
        seat = hand % 2
        seen = KUHN.table.play(seat, learner.respond(seat, rng), villain[1 - seat], rng)
        ratio *= twin.model.predictive(seen.evidence) / twin.feared.model.predictive(seen.evidence)
        twin.model.learn(seen.evidence)
        twin.feared.model.learn(seen.evidence)
        learner.learn(seen)
        if ratio >= 1e6:
            break
        assert learner.ratio == pytest.approx(ratio, rel=1e-9)
        assert learner.allowed == pytest.approx(0.01 * (0.8 + 0.2 * ratio))
    assert hand > 2
    assert learner.ratio == 1e6
    assert learner.allowed == np.inf


def test_a_likely_bound_is_met_exactly_and_costs_as_little_as_can_be():
    """The answer is on the frontier: no weight of the feared plan gives a better one within the bound."""
    game, responder = LEDUC.game, LEDUC.responder
    value = game_value(LEDUC)
    feared = PortfolioModel(game, [LEDUC.equilibrium], slip=0.0)
    believed = plans_of(LEDUC, skew_behaviours(game, LEDUC.equilibrium, parse_skews("loose=0.3")))
    fear = LikelyEquilibrium(feared, responder, value)
    y = feared.plan(1)
    full = value - responder.value(0, responder.respond(0, believed[1]), y)
    for allowed in (full / 3, full / 1.5):
        answer = fear.respond(0, believed[1], allowed)
        assert value - responder.value(0, answer, y) == pytest.approx(allowed, abs=1e-7)
        gain = responder.value(0, answer, believed[1])
        for weight in np.linspace(0, 1, 21):
            other = responder.respond(0, Plan((1 - weight) * believed[1] + weight * y))
            if value - responder.value(0, other, y) <= allowed:
                assert responder.value(0, other, believed[1]) <= gain + 1e-7
    assert_allclose(fear.respond(0, believed[1], full + 1e-9), responder.respond(0, believed[1]))


def test_settings_of_the_bound_are_verified():
    with pytest.raises(SoulreadError, match="risk=-1"):
        bounded("likely", -1.0)
    with pytest.raises(SoulreadError, match="share=2"):
        bounded("likely", 0.1, 2.0)
    with pytest.raises(SoulreadError, match="slack=-1"):
        EquilibriumPlanner(KUHN.game, 0, EXACT, slack=-1.0)
    with pytest.raises(SoulreadError, match=r"allowed=-0\.1"):
        EquilibriumPlanner(KUHN.game, 0, EXACT).respond(np.zeros(KUHN.game.trees[0].num_sequences), -0.1)


@pytest.mark.parametrize("setting", [KUHN, LEDUC], ids=["kuhn", "leduc"])
def test_trembling_equilibria_are_equilibria_that_reach_every_set(setting):
    game = setting.game
    for tremble in (1e-2, 1e-4):
        pair = trembling_equilibrium(game, tremble)
        assert min(behaviour.min() for behaviour in pair) == pytest.approx(tremble, rel=1e-3)
        assert exploitability(game, plans_of(setting, pair)) < 4 * tremble
    with pytest.raises(SoulreadError, match=r"tremble=0\.6; with"):
        trembling_equilibrium(game, 0.6)


def test_a_trembling_player_is_sound_where_an_equilibrium_need_not_be():
    """Kuhn: who never bets a queen still knows what to do with it after a bet, and so on: no set is free.

    Best responses to the trembling plan, at every set that both trembles reach, are kept to by the other.
    """
    game = KUHN.game
    plans = plans_of(KUHN, trembling_equilibrium(game, 1e-4))
    for seat in (0, 1):
        gradient = game.payoff.gradient(seat, plans[1 - seat])
        best = KUHN.responder.best_value(seat, plans[1 - seat])
        assert float(plans[seat] @ gradient) == pytest.approx(best, abs=1e-3)


def test_bases_are_read():
    assert read_bases("2*cfr+/lp:1-3") == ("cfr+", "cfr+", "lp:1", "lp:2", "lp:3")
    assert read_bases(" LP ") == ("lp",)
    for text, what in (
        ("0*lp", "3\\*lp to name one three times"),
        ("lp:3-1", "names no equilibria"),
        ("99*lp/99*cfr+/99*dcfr", "297 bases"),
        ("lp//cfr+", "is not a method"),
        ("guess", "'guess' is not a method"),
    ):
        with pytest.raises(ParseError, match=what):
            read_bases(text)
    with pytest.raises(ParseError, match="fear=none"):
        parse_agent("learner:fear=none")
    with pytest.raises(ParseError, match="shape=0"):
        parse_agent("learner:shape=0")


def test_the_mean_of_equilibria_is_an_equilibrium():
    game = LEDUC.game
    pool = find_bases(LEDUC, "lp/lp:1-3")
    mean = plans_of(LEDUC, mean_behaviours(game.trees, pool))
    assert exploitability(game, mean) < 1e-8
    parts = [plans_of(LEDUC, pair)[0] for pair in pool]
    assert_allclose(mean[0], np.mean(parts, axis=0), atol=1e-12)


def test_the_kind_of_our_learner_follows_its_options():
    base = "lp/lp:1-2"
    assert isinstance(make_learner("learner", LearnerOptions(base=base, risk=np.inf), LEDUC), ModelLearner)
    assert isinstance(make_learner("learner", LearnerOptions(base=base, act="map"), LEDUC), ModelLearner)
    ours = make_learner("learner", LearnerOptions(base=base, particles=20), LEDUC)
    assert isinstance(ours, BoundedLearner)
    assert isinstance(ours.feared, LikelyEquilibrium)
    untilted = ours.feared.model
    assert isinstance(untilted, TiltModel)
    assert not untilted._on.any()
    strict = make_learner("learner", LearnerOptions(base=base, particles=20, fear="any", trust=1.0), LEDUC)
    assert isinstance(strict, BoundedLearner)
    assert isinstance(strict.feared, AnyEquilibrium)
    assert isinstance(strict.model, TiltModel)
    assert strict.model.num_bases == 4  # with the mean
    assert strict.model.shape == LearnerOptions().shape


@pytest.mark.parametrize("text", ["dbbr:T=4,k=2", "dbr:T=4,k=4", "rwywe:every=3", "equilibrium"])
def test_exploiters_sit_at_tables_without_cards(text):
    """Their hands are records as their seat saw them, and their values those of what they say they play."""
    made: Any = parse_agent(text).make(leduc(suit_isomorphic=True))
    told = []

    class Spy:
        """The agent, and what it is told."""

        name = text

        def reset(self):
            made.reset()

        def played(self, seat):
            return made.played(seat)

        def act(self, view, rng):
            raise AssertionError("it is asked for its strategy alone")

        def observe(self, hand):
            told.append(hand)
            made.observe(hand)

    learner = AgentLearner(Spy(), LEDUC.game)
    villain = behaviours_in(parse_agent("loose:0.6"), LEDUC.game)
    cards, own = np.random.default_rng(1), np.random.default_rng(2)
    run = play_learner(LEDUC.table, learner, villain, 12, cards, own, LEDUC.responder)
    assert np.all(run.values <= run.best + 1e-9)
    first = LEDUC.responder.value(0, LEDUC.equilibrium[0], plans_of(LEDUC, villain)[1])
    if not text.startswith("rwywe"):  # which begins with another equilibrium, the best one it knows
        assert run.values[0] == pytest.approx(first, abs=1e-9)
    assert run.values[0] > game_value(LEDUC) - 1e-9
    assert len(told) == 12
    for hand, profit in zip(told, run.profits, strict=True):
        own_seat = hand.eyewitness
        assert hand.players[own_seat] == "own"
        assert hand.payoffs[own_seat] == profit
        assert (hand.hole[hand.opponent] is not None) == hand.showdown
    assert [hand.eyewitness for hand in told] == [0, 1] * 6
    with pytest.raises(SoulreadError, match="learns from records"):
        learner.learn(LEDUC.table.play(0, learner.respond(0, own), villain[1], cards))


def test_agents_that_do_not_say_what_they_play_are_refused():
    rule = parse_agent("rule").make(leduc())
    with pytest.raises(SoulreadError, match="does not say which strategy it plays"):
        AgentLearner(rule, LEDUC.game)
    suited = parse_agent("equilibrium").make(leduc())
    with pytest.raises(SoulreadError, match="other private states"):
        AgentLearner(suited, LEDUC.game).respond(0, np.random.default_rng(1))
    assert isinstance(learner_of(parse_agent("dbr"), LEDUC), AgentLearner)
    assert isinstance(learner_of(parse_agent("implicit:portfolio=simple:3"), LEDUC), ModelLearner)


def test_a_record_is_the_hand_that_was_played():
    """Evidence read from the record is the evidence of the table, in both seats."""
    rng = np.random.default_rng(3)
    pair = tuple(random_behaviour(tree, rng) for tree in LEDUC.game.trees)
    for hand in range(60):
        seat = hand % 2
        seen: SeenHand = LEDUC.table.play(seat, pair[seat], pair[1 - seat], rng, record=True)
        assert seen.hand is not None
        evidence = LEDUC.table.reader.read(seen.hand)
        assert evidence.player == seen.evidence.player
        assert_allclose(evidence.weights, seen.evidence.weights)
        assert evidence.sequences.tolist() == seen.evidence.sequences.tolist()
        assert seen.hand.payoffs[seat] == seen.profit
