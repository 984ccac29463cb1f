"""Watching a match: events, what they hold, how they are shown; nothing is told to a player."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from named import make_agent

from soulread.cards.deck import parse_cards
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.games.named import parse_game
from soulread.games.poker import CALL, PokerView
from soulread.play.agent import Agent, Belief, MemorylessAgent
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand, play_hand
from soulread.play.match.matches import Match, make_match, play_matches
from soulread.play.match.reasons import Reasons, chances_at, reasons_of
from soulread.play.opponents.baselines import AlwaysCall, Random
from soulread.play.search.vexbot import Searcher
from soulread.play.tabular import TabularAgent
from soulread.seqform.source import Source
from soulread.solvers.equilibria import find_equilibrium
from soulread.study.duels.watching import (
    ActionTaken,
    Event,
    HandDealt,
    HandEnded,
    MatchWatcher,
    action_text,
    classes_of,
)

LEDUC = parse_game("leduc")


def watched(game: str, *agents: str, hands: int = 4, seed: int = 1, **options: Any) -> list[Event]:
    events: list[Event] = []
    rules = parse_game(game)
    specs = [parse_agent(text) for text in agents]
    play_matches(rules, specs, hands, seed=seed, onlookers=[MatchWatcher(events.append)], **options)
    return events


def test_events_are_the_hands_of_the_match() -> None:
    """Deals, actions and ends in order; chips and cards are those of the record."""
    ends: list[LiveHand] = []
    events: list[Event] = []
    match = make_match(LEDUC, [parse_agent("loose"), parse_agent("equilibrium")], 6, duplicate=True)
    match.onlookers = (MatchWatcher(events.append),)
    profits = match.play(3, record=ends.append)
    hands = [event for event in events if isinstance(event, HandEnded)]
    assert [event.hand for event in hands] == list(range(1, 13))
    assert hands[-1].total == {"equilibrium": 2 * profits[:, 1].sum(), "loose": 2 * profits[:, 0].sum()}
    place = 0
    for live in ends:
        dealt = events[place]
        assert isinstance(dealt, HandDealt)
        assert dealt.players == live.players
        assert [parse_cards(text) for text in dealt.hole] == [live.end.hole(seat) for seat in (0, 1)]
        for seat, action in live.end.actions:
            place += 1
            taken = events[place]
            assert isinstance(taken, ActionTaken)
            assert (taken.player, taken.hole) == (live.players[seat], dealt.hole[seat])
            assert taken.action in {0: ("fold",), 1: ("check", "call"), 2: ("bet", "raise")}[action]
        place += 1
        ended = events[place]
        assert isinstance(ended, HandEnded)
        assert list(ended.won.values()) == list(live.payoffs)
        assert parse_cards(ended.board) == live.end.board
        place += 1
    assert place == len(events)


def test_a_second_match_is_counted() -> None:
    events = watched("kuhn", "random", "always-call", hands=2, matches=2)
    assert [(e.match, e.hand) for e in events if isinstance(e, HandDealt)] == [(1, 1), (1, 2), (2, 1), (2, 2)]


@pytest.mark.compiled
def test_chances_are_those_of_the_strategies() -> None:
    """Of the player's own table and of the equilibrium, at the very decision."""
    events: list[Event] = []
    views: list[PokerView] = []

    class Eye(MatchWatcher):
        def act(self, hand: Any, agents: Any, view: PokerView, action: int, seconds: float) -> None:
            views.append(view)
            super().act(hand, agents, view, action, seconds)

    agents = make_agent("loose", LEDUC), make_agent("dbr:T=5,k=5", LEDUC)
    Match(LEDUC, agents, 30, onlookers=(Eye(events.append),)).play(2)
    taken = [event for event in events if isinstance(event, ActionTaken)]
    loose = agents[0]
    assert isinstance(loose, TabularAgent)
    equilibrium = find_equilibrium(Source(LEDUC))
    assert len(taken) == len(views)
    for event, view in zip(taken, views, strict=True):
        usual = {action_text(a, view): p for a, p in chances_at(equilibrium, view).items()}
        assert event.equilibrium == pytest.approx(usual)
        if event.player == "loose":
            own = {action_text(a, view): p for a, p in chances_at(loose.strategy, view).items()}
            assert event.probabilities == pytest.approx(own)
            assert event.expected is None
    later = [event for event in taken if event.player != "loose"][-1]
    assert later.expected is not None
    assert later.worst_case is not None
    assert later.worst_case <= 0
    assert sum(later.ranges["loose"].values()) == pytest.approx(1, abs=0.01)
    assert "read" in later.sentence
    foreseen = [event.foreseen for event in taken if event.player == "loose"][-1]
    assert foreseen[0].by == "dbr:T=5,k=5"
    assert sum(foreseen[0].believed.values()) == pytest.approx(1)


def test_values_are_beyond_folding() -> None:
    """A fold is worth nothing beyond itself, whatever was put in before."""
    agent = make_agent("vexbot", LEDUC)
    agent.reset()
    hand = LiveHand(LEDUC, (), LEDUC.rules.deck)
    hand.act(2)
    view = hand.view(1)
    agent.act(view, np.random.default_rng(0))
    assert isinstance(agent, Searcher)
    assert agent.last is not None
    values = reasons_of(agent, view).values
    assert values[0] == pytest.approx(0)
    assert values[1] == pytest.approx(agent.last.value_of(1) + 1)


class Jealous(MemorylessAgent):
    """Verifies that it is asked with its own view only: when a hand begins, and after its own decisions."""

    name = "jealous"

    def __init__(self) -> None:
        self.last: PokerView | None = None
        self.first: PokerView | None = None
        self.asked = 0

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        assert self.first is not None
        assert (view.seat, view.hole) == (self.first.seat, self.first.hole)
        self.last = view
        return CALL

    def belief(self, view: PokerView | None = None) -> Belief:
        if view is not None and not view.actions and not view.board and view is not self.last:
            self.first = view
        elif view is not None:
            assert view is self.last
            self.asked += 1
        return Belief()

    def sentence(self) -> str:
        return "it sees its own cards"


def test_agents_are_handed_nothing_but_their_own_view() -> None:
    first, second = Jealous(), Jealous()
    events: list[Event] = []
    Match(LEDUC, (first, second), 5, onlookers=(MatchWatcher(events.append),)).play(1)
    taken = [event for event in events if isinstance(event, ActionTaken)]
    assert first.asked + second.asked == len(taken) > 0
    assert {event.sentence for event in taken} == {"it sees its own cards"}


def test_what_stands_in_is_told() -> None:
    class Late(AlwaysCall):
        def reasons(self, view: PokerView) -> Reasons:
            return Reasons(stood_in="the equilibrium, since it took too long")

    events: list[Event] = []
    agents: tuple[Agent, ...] = Late(), Random()
    play_hand(
        LEDUC,
        agents,
        LEDUC.rules.deck,
        [np.random.default_rng(1)] * 2,
        id="0",
        onlookers=[MatchWatcher(events.append)],
    )
    said = {event.stood_in for event in events if isinstance(event, ActionTaken) and event.seat == 0}
    assert said == {"the equilibrium, since it took too long"}


def test_words_of_actions() -> None:
    limit, deep = parse_game("limit"), parse_game("nolimit")
    hand = LiveHand(limit, (), limit.rules.deck)
    for expected in (["fold", "call", "raise"], ["fold", "check", "raise"], ["fold", "check", "bet"]):
        view = hand.view(hand.to_act)
        assert [action_text(action, view) for action in (0, 1, 2)] == expected
        hand.act(1)
    assert action_text(2, LiveHand(LEDUC, (), LEDUC.rules.deck).view(0)) == "bet"
    hand = LiveHand(deep, (), deep.rules.deck)
    view = hand.view(hand.to_act)
    assert action_text(12, view) == "raise to 12"
    assert action_text(12, replace(view, to_call=0, round=1)) == "bet to 12"


def test_classes_of_holdings() -> None:
    assert classes_of(LEDUC, np.array([0.1, 0.1, 0.3, 0.2, 0.3, 0.0])) == pytest.approx(
        {"Q": 0.5, "K": 0.3, "J": 0.2}
    )
    deep = parse_game("nolimit")
    weights = np.zeros(1326)
    for number, cards in enumerate(deep.holdings):
        if {card >> 2 for card in cards} == {12}:
            weights[number] = 1 / 6
    assert classes_of(deep, weights) == pytest.approx({"AA": 1.0})


@pytest.mark.parametrize(
    "words",
    [
        "kuhn vexbot random",
        pytest.param("leduc soul:k=5 loose --duplicate", marks=pytest.mark.compiled),
        "ring-limit:3 random always-call always-raise",
        "nolimit:players=3 random always-call always-fold",
    ],
)
def test_lines_for_people_and_for_programs(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is longer than the terminal; JSON lines tell the same, and the usual result comes last."""
    monkeypatch.setenv("COLUMNS", "80")
    command = ["duel", *words.split(), "-n", "6", "--seed", "2", "--watch"]
    shown = CliRunner().invoke(cli, command)
    assert shown.exit_code == 0, shown.output
    lines = shown.output.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("hand 1, pot ")
    assert any(line.startswith("  so far: ") for line in lines)
    printed = CliRunner().invoke(cli, [*command, "--json"])
    *events, result = map(json.loads, printed.output.splitlines())
    assert {event["event"] for event in events} == {"deal", "action", "end"}
    assert sum(event["event"] == "deal" for event in events) == sum(
        map("hand ".__eq__, (x[:5] for x in lines))
    )
    assert result["event"] == "result"
    usual = json.loads(CliRunner().invoke(cli, [*command[:-1], "--json"]).output)
    assert {key: result[key] for key in usual} == usual
    totals = events[-1]["total"]
    played = result["hands_played"] / result["hands"]
    for row in result["results"]:
        assert totals[row["agent"]] == pytest.approx(row["chips/h"]["mean"] * result["hands"] * played)


def test_what_cannot_be_watched() -> None:
    for words, said in (
        ("--watch -j 2 -m 2", "by this process alone, not by several"),
        ("--pace 1", "for --watch"),
        ("--watch --pace -1", "seconds from 0 up"),
    ):
        found = CliRunner().invoke(cli, ["duel", "kuhn", "random", "random", "-n", "2", *words.split()])
        assert found.exit_code == 2
        assert said in found.output


def test_events_are_plain_data() -> None:
    dealt, taken, *_ = watched("kuhn", "random", "equilibrium", hands=1)
    assert plain_data(dealt)["event"] == "deal"
    record = plain_data(taken)
    assert record["event"] == "action"
    assert set(record) >= {"probabilities", "equilibrium", "expected", "worst_case", "ranges", "seconds"}
