"""`soulread leaks`: situations in words, reports from agents and logs, refusals."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from named import make_agent, make_kind

from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.hands.hand import Hand
from soulread.model.deviation.leak_tests import Leak, all_leaks
from soulread.model.deviation.model import DeviationModel
from soulread.names import source_for
from soulread.play.exploiters.dbbr import DeviationAgent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import AlwaysCall, AlwaysRaise
from soulread.report.grid import console
from soulread.seqform.source import Source, parse_source
from soulread.study.strategies.leaks import DEFAULT_ABSTRACTION, find_leaks, situation, watch
from soulread.study.strategies.leaks_terminal import leaks_table


@pytest.mark.parametrize(
    ("game", "history", "words"),
    [
        (limit_holdem(), "", "preflop, first to act"),
        (limit_holdem(), "c", "preflop, is called"),
        (limit_holdem(), "r", "preflop, faces a raise"),
        (limit_holdem(), "cr", "preflop, faces a raise after calling"),
        (limit_holdem(), "rr", "preflop, faces a re-raise after raising"),
        (limit_holdem(), "rrr", "preflop, faces the last raise after raising"),
        (limit_holdem(), "rc/", "flop, first to act"),
        (limit_holdem(), "rc/c", "flop, is checked to"),
        (limit_holdem(), "rc/r", "flop, faces a bet"),
        (limit_holdem(), "rc/cr", "flop, faces a bet after checking"),
        (limit_holdem(), "rc/cc/rr", "turn, faces a raise after betting"),
        (limit_holdem(), "rc/cc/crr", "turn, faces a raise after betting"),
        (limit_holdem(), "rc/cc/cc/crrr", "river, faces a re-raise after raising"),
        (limit_holdem(), "rc/cc/cc/rrrr", "river, faces the last raise after raising"),
        (leduc(), "|", "preflop, first to act"),
        (leduc(), "|cr", "preflop, faces a bet after checking"),
        (leduc(), "Js|cc/r", "flop Js, faces a bet"),
        (leduc(suit_isomorphic=True), "J|cc/r", "flop J, faces a bet"),
        (leduc(), "J|cc/r", "flop J, faces a bet"),
        (kuhn(), "|cr", "faces a bet after checking"),
    ],
)
def test_situations_in_words(game, history, words):
    assert situation(game, history) == words


def test_a_leak_in_the_table(monkeypatch):
    """The direction follows the frequency; only a leak beyond chance has a sure worth."""
    often = Leak(0, "|cr", ("|cr",), 1, 60, 80, 0.64, 0.83, 0.5, 0.5, 0.5, 0.74, 0.2, 40.0, 1e-6, True, 12.0)
    rarely = replace(often, action=2, count=8, low=0.05, high=0.18, certain=False, sure_worth=3.0)
    monkeypatch.setattr(console, "_width", 160)
    with console.capture() as capture:
        console.print(leaks_table(Source(kuhn()), [often, rarely], "Bob"))
    first, second = (line for line in capture.get().splitlines() if "seat 0" in line)
    assert "calls too often" in first
    assert first.split()[-2:] == ["+40", "+12"]
    assert "too rarely" in second
    assert second.split()[-2:] == ["+40", "no"]


def test_report_of_a_watched_agent():
    game = leduc()
    agents = AlwaysCall(), make_agent("equilibrium", game)
    hands = watch(game, agents, 400, seed=1)
    assert len(hands) == 400
    assert all(hand.observer is None for hand in hands)
    assert all(hand.hole == (None, None) for hand in hands if not hand.showdown)
    report = find_leaks(Source(game), hands, "always-call", min_opportunities=5)
    assert (report.source, report.player, report.hands) == (Source(game), "always-call", 400)
    assert (report.known, report.caution) == (400, "")  # nobody folds to a caller, so all cards were shown
    assert {leak.player for leak in report.leaks} == {0, 1}
    order = [(leak.sure_worth, leak.worth) for leak in report.leaks]
    assert order == sorted(order, reverse=True)
    assert min(leak.opportunities for leak in report.leaks) >= 5
    assert report.whole.counter > report.whole.equilibrium > 0
    assert report.sure.counter > report.sure.equilibrium > 0
    assert all(leak.action == 1 for leak in report.leaks if leak.certain)
    assert "If these alone are real, the counter-strategy wins +" in report.conclusion
    assert plain_data(report)["game"] == "leduc"
    first = plain_data(replace(report, top=1))["leaks"]
    assert len(first) == 1
    assert first[0]["action_name"] in ("check", "call")


def test_cards_of_the_opponent_are_used_where_they_are_known():
    """The opponent's own records and a dealer's say more than a spectator's, which have some cards only."""
    game = leduc()

    def agents():
        return make_agent("skew:loose=0.6", game), make_agent("equilibrium", game)

    own = watch(game, agents(), 400, seed=1, spectator=False)
    assert {hand.players[hand.eyewitness] for hand in own} == {"equilibrium"}
    report = find_leaks(Source(game), own, "skew:loose=0.6")
    assert (report.known, report.caution) == (400, "")
    assert all(leak.least == leak.greatest == leak.equilibrium for leak in report.leaks)
    dealt: list[Hand] = []
    Match(game, agents(), 400).play(1, record=lambda played: dealt.append(played.seen_by_dealer()))
    assert find_leaks(Source(game), dealt, "skew:loose=0.6") == report
    seen = watch(game, agents(), 400, seed=1)
    assert any(hand.showdown for hand in seen)
    hidden = next(i for i, hand in enumerate(seen) if not hand.showdown)
    mixed = find_leaks(Source(game), [*own[:hidden], seen[hidden], *own[hidden + 1 :]], "skew:loose=0.6")
    assert mixed.known == 399
    assert "in 1 of 400 hands" in mixed.caution
    public = find_leaks(Source(game), seen, "skew:loose=0.6")
    assert public.known == 0
    assert "are not known. What the player should do depends on them" in public.caution
    assert 0 < sum(leak.certain for leak in public.leaks) <= sum(leak.certain for leak in report.leaks)


def test_a_perfect_player_has_no_leaks():
    """In Kuhn an equilibrium folds 71% after a check and a bet. That used to be called a sure leak."""
    game = kuhn()
    agents = make_agent("equilibrium", game), make_agent("equilibrium", game)
    report = find_leaks(Source(game), watch(game, agents, 4000, seed=0, spectator=False), agents[0].name)
    folds = next(leak for leak in report.leaks if leak.history == "|cr")
    assert folds.equilibrium > 0.65 if folds.action == 0 else folds.equilibrium < 0.35
    assert not any(leak.certain for leak in report.leaks)
    assert report.sure.counter == pytest.approx(0, abs=1e-6)
    assert report.conclusion.startswith("None of ")


def test_report_agrees_with_dbbr():
    """The same hands, seen by the agent itself, give the same leaks."""
    game = leduc()
    agent = make_kind(DeviationAgent, "dbbr:T=200,k=1000,expected=joint", game)
    assert isinstance(agent.model, DeviationModel)
    model = agent.model
    hands: list[Hand] = []

    def record(played: LiveHand) -> None:
        hands.append(played.seen_by(played.players.index(agent.name)))

    Match(game, (AlwaysRaise(), agent), 200).play(2, record=record)
    report = find_leaks(Source(game), hands, "always-raise", min_opportunities=3)
    assert list(report.leaks) == all_leaks([model.seat(seat) for seat in (0, 1)], 3)


def test_what_is_solved_for_a_report():
    for game, cards, name in (
        (leduc(), None, "leduc"),
        (limit_holdem(), None, "limit:5-5-5-5"),
        (limit_holdem(), "8-12-4-4:quick", "limit:8-12-4-4:quick"),
    ):
        source = source_for(game, cards, DEFAULT_ABSTRACTION)
        assert source.name == name
        assert source == parse_source(name)
    with pytest.raises(SoulreadError, match="'leduc' needs no card abstraction, but '5-5-5-5' is given"):
        source_for(leduc(), "5-5-5-5", DEFAULT_ABSTRACTION)
    with pytest.raises(SoulreadError, match="no hand of 'nobody' to learn from"):
        find_leaks(Source(kuhn()), [], "nobody")


def run(*arguments: str):
    return CliRunner().invoke(cli, ["leaks", *arguments])


def test_command_watches_an_agent():
    result = run("leduc", "always-call", "--hands", "300", "--top", "3")
    assert result.exit_code == 0, result.output
    assert "leduc: always-call, 300 hands" in result.output
    assert "the counter-strategy wins" in " ".join(result.output.split())
    assert "surely" in result.output
    record = json.loads(run("leduc", "always-call", "--hands", "300", "--top", "3", "--json").output)
    assert len(record["leaks"]) == 3
    assert record["unit"] == "mb/g"
    assert {"situation", "low", "high", "worth", "certain", "reach"} <= set(record["leaks"][0])
    assert {"sure_worth", "p_value", "histories", "least", "greatest"} <= set(record["leaks"][0])
    assert record["known"] == 300
    assert record["certain"] <= record["deviations"]
    again = json.loads(run("leduc", "always-call", "--hands", "300", "--top", "3", "--json").output)
    assert again == record
    other = run("leduc", "always-call", "--against", "random", "--hands", "300", "--json")
    assert json.loads(other.output) != record


def test_command_reads_a_log(tmp_path: Path):
    path = tmp_path / "match.log"
    duel = ["duel", "leduc", "always-call", "equilibrium", "--hands", "300", "-o", str(path)]
    assert CliRunner().invoke(cli, duel).exit_code == 0
    watched = json.loads(run("leduc", "always-call", "--hands", "300", "--json").output)
    read = json.loads(run("leduc", "--data", str(path), "--player", "always-call", "--json").output)
    assert read["left_out"] == []
    assert read == watched
    path.write_text(path.read_text() + "STATE:x\n\xff\n", encoding="latin-1")
    result = run("leduc", "--data", str(path), "--player", "always-call", "--top", "2")
    assert result.exit_code == 0
    assert "line 302: 'STATE:x' is not a hand" in result.output
    assert "2 of 302 hands were left out" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("leduc",), "give either an agent to watch or a log"),
        (("leduc", "random", "--data", "x.log"), "give either an agent to watch or a log"),
        (("leduc", "--data", "no-such.log", "--player", "a"), "'no-such.log' does not exist"),
        (("leduc", "random", "--player", "a"), "--player and --room are for a log"),
        (("leduc", "random", "--top", "0"), "--top 0; at least one leak is shown"),
        (("leduc", "random", "--min-chances", "0", "--hands", "5"), "a leak must have been seen"),
        (("leduc", "random", "--abstraction", "5-5-5-5"), "needs no card abstraction"),
        (("ring-limit:3", "random"), "has 3 players; leaks are found in games of 2"),
    ],
)
def test_refusals(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1


def test_refusals_of_logs(tmp_path: Path):
    path = tmp_path / "a.log"
    path.write_text("STATE:2:rc/rf:Qs|Qh/Ks:3|-3:Ann|Bob\n")
    result = run("leduc", "--data", str(path), "--player", "Joe")
    assert result.exit_code == 2
    assert "'Joe' is not in" in result.output
    assert "its players are Ann, Bob" in result.output
    assert "--against is for an agent" in run("leduc", "--data", str(path), "--against", "random").output
