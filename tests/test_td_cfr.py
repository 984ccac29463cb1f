"""TD-CFR against a plain recursion of its listing, in `naive_td_cfr`."""

from dataclasses import replace

import naive_td_cfr
import numpy as np
import pytest
from named import compile_source, make_agent, make_kind

from soulread.errors import ParseError, SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import replay
from soulread.hands.record import seen_by
from soulread.play.exploiters.td_cfr import TdCfrAgent
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import AlwaysCall, AlwaysRaise, Random
from soulread.reproduce.tansey_2013 import learners
from soulread.reproduce.tansey_2013 import matches as leduc_matches
from soulread.respond.td_cfr import FinishedHand, TdCfr, TdCfrSettings
from soulread.seqform.compile import compile_game
from soulread.seqform.strategy import plan_from_behaviour, uniform_behaviour, verify_behaviour
from soulread.solvers.best_response import best_response
from soulread.solvers.skews import baseline_behaviour

LEDUC = compile_source("leduc:iso")
KUHN = compile_source("kuhn")


def test_begins_as_printed():
    learner = TdCfr(LEDUC)
    for seat, tree in enumerate(LEDUC.trees):
        assert np.allclose(learner.respond(seat), uniform_behaviour(tree))
    assert learner.values(0, 0).max() == learner.values(0, 0).min() == 13  # 1 + 2 * 2 + 2 * 4
    assert learner.belief(0, 0) == pytest.approx([1 / 3] * 3)
    kuhn = TdCfr(KUHN)
    assert sorted(kuhn.belief(0, 0)) == pytest.approx([0, 1 / 2, 1 / 2])  # nobody else can hold our card


@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("name", ["kuhn", "leduc:iso"])
def test_agrees_with_the_naive_one(name, reveal):
    game = compile_source(name)
    settings = TdCfrSettings(xi=0.3, xi_decay=0.95, alpha=0.2, alpha_decay=0.99)
    learner = TdCfr(game, settings)
    plain = naive_td_cfr.TdCfr(settings, most=13 if name == "leduc:iso" else 2, reveal=reveal)
    rng = np.random.default_rng(5)
    for hand in range(300):
        seat = hand % 2
        state, path = naive_td_cfr.random_hand(game.poker, plain, seat, rng)
        learner.learn(naive_td_cfr.ending(game, state, seat, reveal))
        plain.learn(state, path, seat)
    assert learner.xi == pytest.approx(plain.xi)
    assert learner.alpha == pytest.approx(plain.alpha)
    for seat, tree in enumerate(game.trees):
        expected = uniform_behaviour(tree)
        average = uniform_behaviour(tree)
        for label, entry in plain.sets.items():
            if tree.labels.index(label) >= 0 and entry.seat == seat:
                rows = tree.sequences(tree.index(label))
                expected[rows] = plain.chances(entry)
                average[rows] = entry.total / entry.total.sum() if entry.total.any() else average[rows]
        assert learner.respond(seat) == pytest.approx(expected)
        assert learner.average(seat) == pytest.approx(average)
        verify_behaviour(tree, learner.respond(seat))


def gain(game, learner, villain):
    """Chips per hand against a behaviour, mean over the seats, and of a best response."""
    ours, best = 0.0, 0.0
    for seat, tree in enumerate(game.trees):
        other = game.trees[1 - seat]
        gradient = game.payoff.gradient(seat, plan_from_behaviour(other, villain[1 - seat]))
        ours += plan_from_behaviour(tree, learner.average(seat)) @ gradient / 2
        best += best_response(tree, gradient)[0] / 2
    return ours, best


def test_learns_in_the_long_run():
    """Always-raise in Kuhn loses 1/3 to a best response; thousands of hands are needed for most of that."""
    game = parse_game("kuhn")
    villain = tuple(baseline_behaviour(tree, "always-raise") for tree in KUHN.trees)
    agent = make_kind(TdCfrAgent, "td-cfr:xi=0.3,xi_decay=1,alpha=0.05,alpha_decay=1", game)
    before, best = gain(KUHN, agent.learner, villain)
    Match(game, (agent, AlwaysRaise()), 4000).play(seed=1)
    after, _ = gain(KUHN, agent.learner, villain)
    assert before < 0.05
    assert best == pytest.approx(1 / 3)
    assert after > 0.75 * best


def test_hidden_cards_teach_by_belief():
    """After a fold the values move at every state by what is believed of it, and the belief stays."""
    learner = TdCfr(KUHN, TdCfrSettings(alpha=0.5))
    raising = learner.betting.actions[0].index(2)
    bet = learner.rows(0, 0).start + raising * learner.rows(0, 0).step
    fold = KUHN.trees[1].sequences(KUHN.trees[1].index("Ks||r")).start
    learner.learn(FinishedHand(seat=0, sequences=(bet, -1), profit=1.0))
    belief = learner.belief(0, 0)
    assert belief == pytest.approx((belief > 0) / 2)
    assert learner.values(0, 0)[:, raising] == pytest.approx(2 + 0.5 * belief * (1 - 2))
    shown = TdCfr(KUHN, TdCfrSettings(alpha=0.5))
    shown.learn(FinishedHand(seat=0, sequences=(bet, fold), profit=1.0))
    assert shown.belief(0, 0) == pytest.approx([0, 0.25, 0.75])
    assert shown.values(0, 0)[2, raising] == pytest.approx(1.5)


def test_cards_are_face_up_where_the_paper_says_so(monkeypatch):
    """TD-CFR is published for tables that show all cards; the other learners see showdowns only."""
    told = []

    class Spy(TdCfr):
        def learn(self, hand):
            told.append(hand.sequences[1])

    monkeypatch.setattr(learners, "TdCfr", Spy)
    leduc_matches.play("TD-CFR", "simple", "paper", hands=60, seed=1, first=0, count=1, course="")
    assert len(told) == 60
    assert min(told) >= 0
    told.clear()
    opponent = leduc_matches.opponent("simple", 1, 0)
    cards, own = np.random.default_rng(1), np.random.default_rng(2)
    leduc_matches.play_match(Spy(LEDUC), [opponent] * 61, cards, own)
    assert 5 < told.count(-1) < 60


@pytest.mark.parametrize("name", ["kuhn", "leduc:iso"])
def test_the_agent_learns_from_hands_as_from_sequences(name):
    game = compile_source(name)
    agent = TdCfrAgent("td-cfr", TdCfr(game))
    learner, plain = TdCfr(game), naive_td_cfr.TdCfr(TdCfrSettings(), 1, reveal=False)
    rng = np.random.default_rng(8)
    for hand in range(100):
        state, _ = naive_td_cfr.random_hand(game.poker, plain, hand % 2, rng)
        agent.observe(seen_by(state, hand % 2, ("a", "b")))
        learner.learn(naive_td_cfr.ending(game, state, hand % 2, reveal=False))
    for seat in (0, 1):
        assert np.array_equal(agent.learner.respond(seat), learner.respond(seat))
    with pytest.raises(SoulreadError, match="was seen by nobody at the table"):
        agent.observe(seen_by(state, None, ("a", "b")))


def test_hands_of_another_game_are_refused():
    agent = TdCfrAgent("td-cfr", TdCfr(KUHN))
    hand = seen_by(replay(parse_game("leduc"), "rf", "KsQh"), 0, ("a", "b"))
    with pytest.raises(SoulreadError, match=r"a hand of 'leduc' \(.+\) says nothing about 'kuhn' \(.+\)"):
        agent.observe(hand)
    assert agent.learner.xi == agent.learner.settings.xi  # nothing was learnt


@pytest.mark.parametrize("game", ["kuhn", "leduc"])
def test_keeps_the_agents_contract(game):
    rules = parse_game(game)
    agent = make_kind(TdCfrAgent, "td-cfr", rules)
    assert agent.name == "td-cfr"
    first = Match(rules, (agent, Random()), 30).play(seed=4)
    again = Match(rules, (agent, Random()), 30).play(seed=4)
    assert np.array_equal(first, again)
    Match(rules, (agent, AlwaysCall()), 30).play(seed=5)
    for seat, tree in enumerate(agent.learner.game.trees):
        verify_behaviour(tree, agent.learner.respond(seat))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("td-cfr:beta=2", "'beta=2' in 'td-cfr:beta=2' is not an option; known are xi, xi_decay, alpha"),
        ("td-cfr:alpha=x", "'alpha=x' in 'td-cfr:alpha=x': expected a number"),
        ("td-cfr:alpha=2", "alpha=2.0; expected at least 0 and at most 1"),
        ("td-cfr:5-5-5-5", "has a card abstraction, but 'leduc' needs none"),
    ],
)
def test_bad_texts(text, message):
    with pytest.raises(ParseError, match=message):
        make_agent(text, parse_game("leduc"))


def test_needs_betting_times_states():
    sparse = compile_game(parse_game("kuhn"))
    with pytest.raises(SoulreadError, match="'kuhn' is not betting tree times private states"):
        TdCfr(sparse)
    with pytest.raises(SoulreadError, match="'kuhn' is not betting tree times private states"):
        TdCfr(replace(sparse, lookup=KUHN.lookup))
