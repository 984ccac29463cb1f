"""Opponents who seem to be somebody else, and unfinished solves as opponents."""

import numpy as np
import pytest
from named import compile_source, equilibrium_of, make_agent, make_kind

from soulread.errors import ParseError
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.dbbr import DeviationAgent
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Random
from soulread.play.opponents.changing import ChangingAgent
from soulread.play.opponents.deceivers import strike_at_believers
from soulread.play.tabular import TabularAgent, behaviours_in
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import plan_from_behaviour
from soulread.solvers.equilibria import equilibrium_by, find_response, unfinished_solve
from soulread.solvers.exploitability import exploitability

KUHN = parse_game("kuhn")
LEDUC = parse_game("leduc:iso")


def plans(game, behaviours):
    first, second = (plan_from_behaviour(*pair) for pair in zip(game.trees, behaviours, strict=True))
    return first, second


def gain(game, mine, yours):
    """What ``mine`` wins from ``yours`` over both seats, chips per hand."""
    own, other = plans(game, mine), plans(game, yours)
    return (game.value(own[0], other[1]) - game.value(other[0], own[1])) / 2


def test_the_mask_lasts_so_many_hands():
    agent = make_kind(ChangingAgent, "deceiver:hands=3|always-call|always-raise", KUHN)
    seen = []

    def note(hand):
        seen.append(agent.played(0).behaviours)

    Match(KUHN, (agent, Random()), 6).play(seed=1, record=note)
    mask, strike = (make_kind(ChangingAgent, agent.name, KUHN).strategies[i].behaviours for i in (0, 1))
    assert [np.array_equal(played[0], mask[0]) for played in seen] == [True] * 3 + [False] * 3
    assert [np.array_equal(played[0], strike[0]) for played in seen] == [False] * 3 + [True] * 3
    agent.reset()
    assert agent.weights.tolist() == [1, 0]


@pytest.mark.parametrize("mask", ["always-call", "loose:0.8", "random"])
def test_the_strike_beats_whoever_believes_the_mask(mask):
    game = compile_source("leduc:iso")
    equilibrium = equilibrium_of("leduc:iso").behaviours
    shown = behaviours_in(parse_agent(mask), game)
    believer = find_response(game, shown, equilibrium).behaviours
    strike = strike_at_believers(game, shown, equilibrium, 1).behaviours
    lost = gain(game, strike, believer)
    assert lost == pytest.approx(exploitability(game, plans(game, believer)), abs=1e-9)  # nobody wins more
    assert lost > 0.05
    assert gain(game, believer, shown) > 0.05
    assert abs(gain(game, strike, equilibrium)) < lost  # and costs nothing like it against who does not


def test_a_response_plays_the_default_where_nothing_is_at_stake():
    """Against always-fold in Kuhn only the first action matters: the rest is the default."""
    game = compile_source("kuhn")
    equilibrium = equilibrium_of("kuhn").behaviours
    folder = behaviours_in(parse_agent("always-fold"), game)
    tree = game.trees[0]
    after = tree.sequences(tree.index("Qs||cr"))
    assert find_response(game, folder).behaviours[0][after].tolist() != equilibrium[0][after].tolist()
    assert np.array_equal(
        find_response(game, folder, equilibrium).behaviours[0][after], equilibrium[0][after]
    )


def test_a_deceiver_wins_from_a_believer():
    """What DBBR learned from the mask wins from the mask, and loses to the strike."""
    deceiver = make_kind(ChangingAgent, "deceiver:hands=301,trust=1|tight:0.5", LEDUC)
    believer = make_kind(DeviationAgent, "dbbr:T=300,k=10000", LEDUC)
    Match(LEDUC, (deceiver, believer), 301).play(seed=1)
    assert deceiver.weights.tolist() == [1, 0]
    assert believer.read is not None
    game, answer = compile_source("leduc:iso"), believer.read.answer
    mask, strike = (strategy.behaviours for strategy in deceiver.strategies)
    assert gain(game, answer, mask) > 0.3
    assert gain(game, strike, answer) > 0.3


@pytest.mark.compiled
def test_a_strike_with_less_trust_is_harder_to_punish():
    """It wins less from a full believer and loses far less to anybody; without trust it is an equilibrium."""
    game = compile_source("leduc:iso")
    equilibrium = equilibrium_of("leduc:iso").behaviours
    shown = behaviours_in(parse_agent("passive:0.8"), game)
    believer = find_response(game, shown, equilibrium).behaviours
    strikes = [strike_at_believers(game, shown, equilibrium, trust) for trust in (1, 0.5, 0)]
    wins = [gain(game, strike.behaviours, believer) for strike in strikes]
    risks = [exploitability(game, plans(game, strike.behaviours)) for strike in strikes]
    assert wins[0] > wins[1] > wins[2]
    assert wins[1] > 0.6 * wins[0]
    assert risks[0] > 2 * risks[1]
    assert risks[2] < 0.01
    agent = make_kind(ChangingAgent, "deceiver:hands=5|passive:0.8", LEDUC)
    assert all(map(np.allclose, agent.strategies[1].behaviours, strikes[1].behaviours))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("deceiver", "does not say what it plays and for how long; write deceiver"),
        ("deceiver:hands=5", "does not say what it plays"),
        ("deceiver:trust=0.5|loose", "does not say what it plays"),
        ("deceiver:hands=many|loose", "expected a number"),
        ("deceiver:hands=5,luck=1|loose", "'luck=1' in 'deceiver:hands=5,luck=1' is not an option"),
        (
            "deceiver:hands=5,mask=tight|loose",
            "'mask=tight' in 'deceiver:hands=5,mask=tight' is not an option",
        ),
        ("deceiver:hands=5,trust=1.5|loose", "trust=1.5; expected at least 0 and at most 1"),
        ("deceiver:hands=5,trust=1|loose|tight", "needs neither a card abstraction nor trust"),
        ("deceiver:hands=5|loose|tight|random", "does not say what it plays"),
        ("deceiver:5-5-5-5:hands=5|loose|tight", "needs neither a card abstraction nor trust"),
        ("deceiver:hands=5|nobody", "'nobody' is not an agent"),
        ("unfinished:iterations=0", "iterations=0; expected at least 1"),
        ("unfinished:method=lp", "method=lp has no iterations"),
        ("unfinished:method=simplex", "'simplex' is not a method"),
        ("equilibrium:method=outcome", "'outcome' samples"),
        ("equilibrium:method=simplex", "'simplex' is not a method for an equilibrium"),
    ],
)
def test_wrong_texts(text, message):
    with pytest.raises(ParseError, match=message):
        parse_agent(text)


def test_who_cannot_be_a_mask():
    with pytest.raises(ParseError, match=r"'dbbr' in 'deceiver:hands=5\|dbbr' does not play from a table"):
        make_agent("deceiver:hands=5|dbbr", KUHN)
    with pytest.raises(ParseError, match="needs a card abstraction in 'limit', such as deceiver:5-5-5-5"):
        make_agent("deceiver:hands=5|always-call", limit_holdem())


@pytest.mark.compiled
def test_unfinished_and_other_equilibria_are_agents():
    agent = make_kind(TabularAgent, "unfinished:iterations=7,method=dcfr:1.5/0/2", LEDUC)
    source = parse_source("leduc:iso")
    same = unfinished_solve(source, "dcfr", 7)
    assert all(map(np.array_equal, agent.strategy.behaviours, same.behaviours))
    agent = make_kind(TabularAgent, "equilibrium:method=pcfr+", LEDUC)
    same = equilibrium_by(source, "pcfr+")
    assert all(map(np.array_equal, agent.strategy.behaviours, same.behaviours))


def test_in_limit_the_method_stands_behind_the_cards():
    options = parse_agent("equilibrium:4-3-2-2:quick,method=cfr+").options
    assert str(options.cards) == "4-3-2-2:quick"
    assert options.method == "cfr+"
    options = parse_agent("unfinished:5-5-5-5:quick,iterations=30").options
    assert str(options.cards) == "5-5-5-5:quick"
    assert options.iterations == 30
    options = parse_agent("deceiver:5-5-5-5:quick:hands=9|loose:5-5-5-5:quick").options
    assert str(options.cards) == "5-5-5-5:quick"
    assert options.mask.text == "loose:5-5-5-5:quick"
