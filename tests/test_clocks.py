"""Matches on the clock: times, what stands in, and that a result by the clock says so."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from named import play_named
from test_punctual import Process

from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import make_match, play_match, play_matches
from soulread.play.search.deals import Draws
from soulread.play.search.outlook import CHUNK, Limits, Outlook, Sums, add_deal, run_chunks
from soulread.play.table import punctual
from soulread.play.table.clock import AgentTimes, Times
from soulread.play.table.punctual import SHARE, PunctualAgent, seat_in_time
from soulread.play.tabular import TabularAgent

LEDUC = parse_game("leduc")


@pytest.fixture
def process(monkeypatch: pytest.MonkeyPatch) -> type[Process]:
    """Agents think in a process that only seems to be one, by a clock that only waiting moves on."""
    monkeypatch.setattr(punctual, "Worker", Process)
    monkeypatch.setattr(punctual, "time", Process.now)
    monkeypatch.setattr(Process, "took", {})
    monkeypatch.setattr(Process, "answers", {})
    Process.now.seconds = 0.0
    return Process


def specs(*texts: str) -> list[AgentSpec]:
    return [parse_agent(text) for text in texts]


def test_times_of_several_matches() -> None:
    """They are those of all decisions together."""
    seconds = np.random.default_rng(1).exponential(size=300)
    whole, parts = Times(), [Times(), Times(), Times()]
    for number, taken in enumerate(seconds.tolist()):
        whole.add(taken)
        parts[number % 3].add(taken)
    merged = Times()
    for part in parts:
        merged.merge(part)
    assert merged == whole
    assert merged.p99 == pytest.approx(np.quantile(seconds, 0.99, method="inverted_cdf"), rel=0.03)
    both = AgentTimes(learning=parts[0])
    both.merge(AgentTimes(decisions=parts[1], learning=parts[2]))
    assert (both.decisions.number, both.learning.number) == (100, 200)


@pytest.mark.parametrize("duplicate", [False, True])
def test_a_clock_that_nobody_reaches_changes_nothing(process: type[Process], duplicate: bool) -> None:
    agents = specs("dbbr:T=5,k=5", "loose")
    timed = play_matches(LEDUC, agents, 40, seed=1, duplicate=duplicate, clock=1.0, matches=2)
    waited = play_matches(LEDUC, agents, 40, seed=1, duplicate=duplicate, matches=2)
    assert np.array_equal(timed.profits, waited.profits)
    assert timed.by_clock == ("dbbr:T=5,k=5",)
    assert timed.clock == 1.0
    assert timed.remarks == waited.remarks
    assert timed.stand_ins == ({}, {})
    assert [times.learning.number for times in timed.times] == [timed.hands_played, 0]
    assert all(times.decisions.number > timed.hands_played / 2 for times in timed.times)
    assert (waited.clock, waited.by_clock, waited.times, waited.stand_ins) == (None, (), (), ())


def test_late_decisions_are_stood_in_for_and_told(process: type[Process]) -> None:
    process.took = {"act": 3.0}
    result = play_matches(LEDUC, specs("soul:k=5", "random"), 10, seed=1, clock=1.0)
    stand_ins = result.stand_ins[0]
    assert sum(stand_ins.values()) == result.times[0].decisions.number
    assert set(stand_ins) == {"it took too long", "it was still thinking about an earlier decision"}
    first, *others = result.remarks_on_time
    assert first == "soul:k=5 plays by the clock, 1 s a decision: another run may differ"
    assert others[0].startswith("something stood in for soul:k=5 ")
    record = plain_data(result)
    assert record["clock"] == 1.0
    assert record["by_clock"] == ["soul:k=5"]
    assert record["results"][0]["stand_ins"] == stand_ins
    assert set(record["results"][0]["times"]["decisions"]) == {"number", "median", "p99", "longest"}
    assert record["results"][1]["stand_ins"] == {}


def test_nothing_is_remembered_of_the_pass_before(process: type[Process]) -> None:
    """What stands in forgets with the agent, also an answer that is still on its way."""
    agent = PunctualAgent(parse_agent("dbbr:T=1,k=1"), LEDUC, 1.0)
    usual = agent._usual
    assert isinstance(usual, TabularAgent)
    hands: list[LiveHand] = []
    play_match(make_match(LEDUC, specs("always-raise", "loose"), 10), 1, record=hands.append)
    for slow in (0.0, 5.0):
        process.took = {"observe": slow}
        for hand in hands:
            agent.observe(hand.seen_by(0))
    assert agent._answer is not usual
    agent.reset()
    assert agent._answer is usual
    agent.settle()
    assert isinstance(agent._answer, TabularAgent)
    for mine, theirs in zip(agent._answer.strategy.behaviours, usual.strategy.behaviours, strict=True):
        assert np.array_equal(mine, theirs)
    agent.close()


@pytest.mark.compiled
def test_agents_that_can_think_by_the_clock_do(process: type[Process]) -> None:
    given = []
    host_make = punctual._Host.make

    def make(self, spec, game, folder):
        given.append(spec)
        return host_make(self, spec, game, folder)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(punctual._Host, "make", make)
        agent = seat_in_time(parse_agent("ponsen:playouts=20"), parse_game("nolimit"), 2.0)
    assert isinstance(agent, PunctualAgent)
    assert given[0].options.limits == Limits(budget=2 * SHARE * SHARE, playouts=20)
    assert given[0].text == "ponsen:playouts=20"
    ponsen, poki = parse_agent("ponsen"), parse_agent("poki:budget=0.1")
    assert ponsen.options.limits == Limits(playouts=ponsen.options.usual)
    assert ponsen.within(3.0).options.limits == Limits(budget=3.0, playouts=ponsen.options.usual)
    assert poki.within(3.0).options.limits == Limits(budget=0.1)
    assert poki.within(0.05).options.limits == Limits(budget=0.05)
    assert parse_agent("soul").within(1.0) == parse_agent("soul")
    agent.close()


@pytest.mark.compiled
def test_how_deals_are_cut_into_chunks_changes_nothing() -> None:
    """Neither rows that must be made nor a budget that is not used up."""
    won = np.random.default_rng(3).normal(loc=(0.0, 0.05, 0.3), size=(5000, 3))
    draws = Draws(*[np.zeros(2, np.int64)] * 6)  # type: ignore[arg-type]

    def play(limits: Limits, most: Callable[[int], int]) -> Outlook:
        def chunk(deals: int, sums: Sums) -> None:
            for _ in range(most(deals)):
                add_deal(sums, won[int(sums.counts[0])])

        ticks = iter(np.arange(0.0, 1e3, 1e-3))
        return run_chunks(chunk, (1, 2, 3), True, draws, limits, 0.0, lambda: float(next(ticks)))

    plain = play(Limits(playouts=9000), lambda deals: deals)
    assert plain.clear
    assert plain.playouts % (3 * CHUNK) == 0
    rng = np.random.default_rng(5)
    for limits in (Limits(playouts=9000), Limits(budget=1000.0, playouts=9000)):
        cut = play(limits, lambda deals: int(rng.integers(1, deals + 1)))
        assert (cut.values, cut.errors, cut.playouts, cut.clear) == (
            plain.values,
            plain.errors,
            plain.playouts,
            plain.clear,
        )
        assert cut.chunks > plain.chunks


def test_luck_and_promises_need_agents_that_wait(process: type[Process]) -> None:
    for aivat in (True, False):
        with pytest.raises(SoulreadError, match="with a clock 'soul' cannot say which strategy it played"):
            play_matches(LEDUC, specs("soul", "loose"), 5, clock=1.0, aivat=aivat, explain=not aivat)
    assert play_matches(LEDUC, specs("equilibrium", "loose"), 5, clock=1.0, aivat=True).less_luck is not None
    for clock in (0.0, -1.0, float("nan")):
        with pytest.raises(SoulreadError, match="for a decision; expected more than 0"):
            play_matches(LEDUC, specs("soul", "loose"), 5, clock=clock)


def test_the_command_tells_times_and_the_clock(process: type[Process], tmp_path: Path) -> None:
    process.took = {"act": 3.0}
    log = tmp_path / "timed.log"
    command = ["duel", "leduc", "soul", "random", "-n", "5", "--clock", "0.5"]
    shown = CliRunner().invoke(cli, [*command, "-o", str(log)], env={"COLUMNS": "80"})
    assert shown.exit_code == 0, shown.output
    assert "soul plays by the clock, 0.5 s a decision: another run may differ." in shown.output
    assert "median" in shown.output
    assert "something stood in for soul" in shown.output
    assert "# soul plays by the clock, 0.5 s a decision" in log.read_text()
    record = json.loads(CliRunner().invoke(cli, [*command, "--json"]).output)
    assert record["by_clock"] == ["soul"]
    plain = CliRunner().invoke(cli, [*command[:-2], "--times"], env={"COLUMNS": "80"})
    assert "learning" in plain.output
    assert "clock" not in plain.output
    assert "took" not in CliRunner().invoke(cli, command[:-2]).output


@pytest.mark.compiled
def test_an_agent_with_a_budget_says_so() -> None:
    result = play_named("nolimit", ["ponsen:budget=0.01", "random"], 2)
    assert result.by_clock == ("ponsen:budget=0.01",)
    assert result.remarks_on_time == ("ponsen:budget=0.01 plays by the clock: another run may differ",)
    assert play_named("nolimit", ["ponsen:playouts=20", "random"], 2).remarks_on_time == ()


@pytest.mark.slow
@pytest.mark.compiled
def test_on_several_processes_with_real_clocks() -> None:
    """Each match has its own agents in processes of their own."""
    began = time.monotonic()
    result = play_matches(LEDUC, specs("dbbr:T=5,k=5", "loose"), 20, matches=2, jobs=2, clock=60.0, seed=1)
    waited = play_matches(LEDUC, specs("dbbr:T=5,k=5", "loose"), 20, matches=2, seed=1)
    assert np.array_equal(result.profits, waited.profits)
    assert result.times[0].decisions.longest <= time.monotonic() - began
