"""Local best response against the answers of an agent, in the background: figures, threads, sentences."""

import gc
import json
import threading
from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from click.testing import CliRunner
from named import make_agent, make_kind, play_named

from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.games.named import parse_game
from soulread.play.agent import RealCards
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.real_cards import RealCardCheck
from soulread.play.exploiters.soul import Soul
from soulread.play.match.matches import Match
from soulread.play.tabular import TabularAgent
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.real_cards import paired
from soulread.solvers.real_cards.local_best_response import FEWEST_CORRECTED, LbrTable, play_deals

GAME = parse_game("leduc")
DEALS = 120  # enough for luck to be taken off


def strategy(name):
    return make_kind(TabularAgent, name, GAME).played(0)


@pytest.fixture(scope="module")
def equilibrium():
    return strategy("equilibrium")


@pytest.fixture(scope="module")
def loose(equilibrium):
    return replace(equilibrium, behaviours=strategy("loose:0.5").behaviours)


def played(strategy_, deals=DEALS):
    return play_deals(strategy_, GAME, deals, paired.SEED)


def figure_by_hand(answer, equilibrium, deals=DEALS):
    """What `AnswerDeals` tells, from two runs of their own."""
    won, usual = played(answer, deals), played(equilibrium, deals)
    return Estimate.of(won.corrected.mean(axis=1)), won.won - usual.won


def differences(answer, equilibrium, deals):
    answer_deals = paired.AnswerDeals(paired.PairedDeals(equilibrium), answer.behaviours)
    for _ in range(deals):
        answer_deals.play()
    return answer_deals.figure().beyond


def test_figures_are_those_of_two_runs_with_the_same_deals(equilibrium, loose):
    assert DEALS >= FEWEST_CORRECTED
    deals = paired.PairedDeals(equilibrium)
    for answer in (loose, strategy("aggressive:0.3"), equilibrium):  # the later ones meet kept winnings
        answer_deals = paired.AnswerDeals(deals, answer.behaviours)
        for _ in range(DEALS):
            answer_deals.play()
        assert len(answer_deals) == len(deals.usual) == DEALS
        found = answer_deals.figure()
        value, difference = figure_by_hand(answer, equilibrium)
        assert found.won == value
        assert found.won.n == DEALS
        assert found.beyond.n == DEALS
        assert found.beyond.mean == pytest.approx(difference.mean(), abs=4 * found.beyond.standard_error)
    assert (found.beyond.mean, found.beyond.standard_error) == (0, 0)  # the equilibrium less itself


def test_the_difference_is_known_better_than_the_amount(equilibrium, loose):
    """Common deals and luck taken off: against what two separate runs would give, less than half."""
    answer_deals = paired.AnswerDeals(paired.PairedDeals(equilibrium), loose.behaviours)
    for _ in range(300):
        answer_deals.play()
    found = answer_deals.figure()
    assert found.beyond.standard_error < found.won.standard_error / 2


def test_the_next_answer_plays_only_its_own_hands(equilibrium, loose, monkeypatch):
    deals = paired.PairedDeals(equilibrium)
    asked = []
    deal = LbrTable.deal

    def noted(table, behaviours):
        asked.append(len(behaviours))
        return deal(table, behaviours)

    monkeypatch.setattr(LbrTable, "deal", noted)
    for count in (3, 5):
        answer_deals = paired.AnswerDeals(deals, loose.behaviours)
        for _ in range(count):
            answer_deals.play()
    assert asked == [2, 2, 2, 1, 1, 1, 2, 2]


def test_one_answer_after_the_other(equilibrium, loose):
    check = RealCardCheck(equilibrium, DEALS)
    assert not check.figures
    check.begin(equilibrium.behaviours, 0.5, 0)
    check.wait()
    (usual,) = check.figures
    assert (usual.certified, usual.planned, usual.first, usual.last) == (0.5, DEALS, 1, None)
    assert usual.finished
    assert usual.beyond.mean == 0
    check.begin(loose.behaviours, 1.5, 40)
    assert check.figures[0] == replace(usual, last=40)
    check.wait()
    (present,) = check.figures
    assert (present.certified, present.first, present.last) == (1.5, 41, None)
    assert present.won == figure_by_hand(loose, equilibrium)[0]
    copy = tuple(own.copy() for own in loose.behaviours)
    check.begin(copy, 1.5, 60)  # the same strategy: its figure stays
    assert check.figures == (present,)
    check.begin(equilibrium.behaviours, 0.5, 80)
    check.wait()
    assert check.figures == (replace(usual, first=81),)
    check.forget()
    assert not check.figures


def test_the_last_finished_figure_stays_while_another_is_under_way(equilibrium, loose, monkeypatch):
    """The thread is held back: there is no figure of the new answer yet, then one of some of the deals."""
    gate, some = threading.Event(), threading.Event()
    check = RealCardCheck(equilibrium, 250)
    check.begin(equilibrium.behaviours, 0.0, 0)
    check.wait()
    expected = differences(loose, equilibrium, 100)
    play = paired.AnswerDeals.play

    def held(deals):
        if len(deals) == 100:
            some.set()
            gate.wait()
        play(deals)

    monkeypatch.setattr(paired.AnswerDeals, "play", held)
    check.begin(loose.behaviours, 1.0, 10)
    some.wait()
    finished, present = check.figures
    assert (finished.finished, finished.last, finished.won.n) == (True, 10, 250)
    assert (present.finished, present.last, present.won.n) == (False, None, 100)
    assert present.beyond == expected
    check.begin(equilibrium.behaviours, 0.0, 20)  # an unfinished figure is not kept
    assert check.figures == (finished,)
    gate.set()
    check.wait()
    (present,) = check.figures
    assert (present.first, present.last) == (21, None)


def test_an_error_of_the_thread_reaches_whoever_waits(equilibrium, monkeypatch):
    check = RealCardCheck(equilibrium, DEALS)

    def broken(_):
        raise MemoryError("no room")

    monkeypatch.setattr(paired.AnswerDeals, "play", broken)
    check.begin(equilibrium.behaviours, 0.0, 0)
    with pytest.raises(MemoryError, match="no room"):
        check.wait()
    assert not check.figures


def test_the_thread_ends_with_the_agent(equilibrium):
    check = RealCardCheck(equilibrium, 10**6)
    check.begin(equilibrium.behaviours, 0.0, 0)
    thread = check._thread
    assert thread is not None
    assert thread.is_alive()
    del check
    gc.collect()
    thread.join(10)
    assert not thread.is_alive()


def test_only_limit_games():
    rules = SimpleNamespace(raise_sizes=None, stacks=(9, 9), board_cards=(0, 1))
    poker = SimpleNamespace(name="odd", rules=rules)
    other = SimpleNamespace(betting=SimpleNamespace(name="odd", poker=poker))
    with pytest.raises(SoulreadError, match="local best response plays two-player limit games"):
        RealCardCheck(cast(TabularStrategy, other), DEALS)


# The agent ----------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_play_does_not_depend_on_it():
    """The same hands, certificates and words, up to the figure."""
    checked, plain = (make_kind(Soul, text, GAME) for text in ("soul:k=10,lbr=200", "soul:k=10"))
    opponent = make_agent("loose:0.5", GAME)
    first, second = (Match(GAME, (agent, opponent), 60).play(seed=4) for agent in (checked, plain))
    assert np.array_equal(first, second)
    for one, other in zip(checked.certificates, plain.certificates, strict=True):
        assert np.array_equal(one.behaviours[0], other.behaviours[0])
        assert one.risk == other.risk
    checked.finish()
    assert checked.sentence().startswith(plain.sentence() + "; with real cards a local best response")
    assert plain.belief().real_cards == ()
    plain.finish()  # nothing to wait for


@pytest.mark.compiled
def test_the_figure_is_that_of_what_is_played():
    agent = make_kind(Soul, f"soul:k=10,lbr={DEALS}", GAME)
    agent.finish()
    (usual,) = agent.belief().real_cards  # there is no read yet
    assert usual.certified == pytest.approx(agent.responder.equilibrium_risk)
    Match(GAME, (agent, make_agent("loose:0.5", GAME)), 60).play(seed=4)
    assert agent.exploiting
    agent.finish()
    (figure,) = agent.belief().real_cards
    assert figure.certified == agent.certificates[-1].risk
    assert figure.first > 1
    assert figure.won == figure_by_hand(agent.playing, agent.equilibrium)[0]
    agent.reset()
    agent.finish()
    assert agent.belief().real_cards == (usual,)


def test_what_it_says():
    agent = make_kind(Soul, f"soul:lbr={DEALS}", GAME)
    agent.finish()
    before = "it plays the equilibrium; there is no read yet; with real cards a local best response wins "
    assert agent.sentence().startswith(before)
    assert agent.sentence().endswith(
        "mb/g from its strategy, 0 ± 0 more than from the equilibrium (120 deals)"
    )
    won = Estimate(0.1, 0.01, 300)
    for figure, told in (
        (
            RealCards(0.2, won, won, 1000, 11),
            "50 ± 10 more than from the equilibrium (300 of 1,000 deals so",
        ),
        (RealCards(0.2, won, won, 300, 11, 20), "mb/g from its strategy of hands 11 to 20, 50 ± 10 more"),
    ):
        assert told in agent._real_cards_sentence(figure)


def test_the_record():
    result = play_named("leduc", [f"soul:k=10,lbr={DEALS}", "loose"], 30, seed=1)
    belief = result.beliefs[0]
    assert belief is not None
    (record,) = plain_data(belief)["real_cards"]
    assert set(record) == {"certified", "won", "beyond", "planned", "finished", "first", "last"}
    assert (record["finished"], record["planned"], record["won"]["n"]) == (True, DEALS, DEALS)


@pytest.mark.compiled
def test_the_command_explains_it():
    arguments = ["duel", "leduc", f"soul:k=10,lbr={DEALS}", "loose", "--hands", "30", "--explain"]
    output = CliRunner().invoke(cli, arguments).output
    assert "its loss in the worst case, mb/g" in output
    assert "certified: at most" in output
    record = json.loads(CliRunner().invoke(cli, [*arguments, "--json"]).output)
    (told,) = record["explained"][0]["real_cards"]
    (chips,) = record["results"][0]["belief"]["real_cards"]
    assert told["won"]["mean"] == pytest.approx(500 * chips["won"]["mean"])
    assert told["certified"] == pytest.approx(500 * chips["certified"])
    plain = CliRunner().invoke(cli, ["duel", "leduc", "soul", "loose", "--hands", "30", "--explain"])
    assert "worst case, mb/g" not in plain.output


def test_the_option_is_a_number_of_deals():
    with pytest.raises(SoulreadError, match="lbr=-1"):
        parse_agent("soul:lbr=-1")
