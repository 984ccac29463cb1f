"""Agents that act in time: what stands in for one that is late, fails or is gone."""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from named import make_agent

from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import PokerView
from soulread.hands.hand import Hand
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.opponents.baselines import AlwaysCall
from soulread.play.opponents.plain import Plain
from soulread.play.table import punctual
from soulread.play.table.punctual import CheckOrFold, PunctualAgent, is_prompt, seat_in_time, stand_in
from soulread.play.tabular import TabularAgent

LEDUC = parse_game("leduc")


class Now:
    """A clock that only waiting moves on."""

    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


class Process:
    """Stands for a process: answers come a while after the question, by the clock of the test."""

    took: ClassVar[dict[str, float]] = {}  # seconds, by method
    answers: ClassVar[dict[str, Any]] = {}  # other answers than those of the agent; an error is raised
    now = Now()

    def __init__(self, serve: Callable[..., Any]) -> None:
        self.host = punctual._Host()
        self.due: deque[tuple[float, Any]] = deque()
        self.asked: list[str] = []
        self.ended = False

    @property
    def pipe(self) -> "Process":
        return self

    def give(self, method: str, *arguments: Any) -> None:
        if self.ended:
            raise BrokenPipeError
        self.asked.append(method)
        answer = self.answers.get(method)
        if answer is None:
            answer = getattr(self.host, method)(*arguments)
        begun = max(self.now.seconds, self.due[-1][0] if self.due else 0.0)
        self.due.append((begun + self.took.get(method, 0.0), answer))

    def poll(self, seconds: float = 0.0) -> bool:
        assert seconds >= 0
        at = self.due[0][0] if self.due else np.inf
        self.now.seconds = max(self.now.seconds, min(self.now.seconds + seconds, at))
        return at <= self.now.seconds

    is_ready = poll

    def take(self) -> Any:
        at, answer = self.due.popleft()
        self.now.seconds = max(self.now.seconds, at)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def end(self) -> None:
        self.ended = True


@pytest.fixture
def remarks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(punctual, "Worker", Process)
    monkeypatch.setattr(punctual, "time", Process.now)
    monkeypatch.setattr(Process, "took", {})
    monkeypatch.setattr(Process, "answers", {})
    Process.now.seconds = 0.0
    return []


def view() -> PokerView:
    return LiveHand(LEDUC, (), LEDUC.rules.deck).view(0)


def finished() -> Hand:
    hand = LiveHand(LEDUC, (), LEDUC.rules.deck)
    while not hand.over:
        hand.act(1)
    return hand.seen_by(0)


def made(text: str, remarks: list[str], decision: float = 1.0, hand: float = 100.0) -> PunctualAgent:
    return PunctualAgent(parse_agent(text), LEDUC, decision, hand, remarks.append)


def test_an_agent_in_time_acts_as_if_it_were_here(remarks: list[str]) -> None:
    """The same actions from the same draws, and the stream moves on as if it were used here."""
    agent, same = made("dbbr:T=3,k=2", remarks), make_agent("dbbr:T=3,k=2", LEDUC)
    same.reset()
    first, second = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(12):
        for _ in range(3):
            assert agent.act(view(), first) == same.act(view(), second)
        agent.observe(finished())
        same.observe(finished())
    assert first.random() == second.random()
    assert not remarks
    assert not agent.stand_ins
    assert is_prompt(parse_agent("equilibrium"))
    assert not is_prompt(parse_agent("soul"))
    assert not is_prompt(parse_agent("vexbot"))
    agent.close()


def test_decisions_while_an_update_runs(remarks: list[str]) -> None:
    """They wait for it within their limit; then the last answer stands in."""
    agent = made("dbbr:T=1,k=1", remarks)
    before = agent._answer
    Process.took = {"observe": 2.0}
    rng = np.random.default_rng(0)
    agent.observe(finished())
    for waited in (0.8, 1.6):
        agent.act(view(), rng)
        assert Process.now.seconds == pytest.approx(waited)
    assert agent.stand_ins == {"it was still learning": 2}
    assert remarks == ["its last answer stood in for 'dbbr:T=1,k=1': it was still learning"] * 2
    assert agent._answer is before
    agent.act(view(), rng)
    assert Process.now.seconds == pytest.approx(2.0)
    assert agent.stand_ins.total() == 2
    assert agent._answer is not before  # the new table, for the next time
    agent.close()


def test_a_quick_update_is_waited_for(remarks: list[str]) -> None:
    agent = made("dbbr:T=1,k=1", remarks)
    Process.took = {"observe": 0.5, "act": 0.2}
    for _ in range(3):
        agent.observe(finished())
        agent.act(view(), np.random.default_rng(0))
    assert not agent.stand_ins
    assert Process.now.seconds == pytest.approx(2.1)
    agent.close()


def test_hands_of_earlier_are_learnt_before_the_match_goes_on(remarks: list[str]) -> None:
    agent = made("dbbr:T=1,k=1", remarks)
    Process.took = {"observe": 5.0}
    for _ in range(3):
        agent.observe(finished())
    agent.settle()
    assert Process.now.seconds == pytest.approx(15.0)
    agent.act(view(), np.random.default_rng(0))
    assert not agent.stand_ins
    agent.close()


def test_limits_of_a_decision_and_of_a_hand(remarks: list[str]) -> None:
    agent = made("vexbot", remarks, decision=1.0, hand=1.5)
    Process.took = {"act": 0.7}
    rng = np.random.default_rng(0)
    agent.act(view(), rng)
    assert not agent.stand_ins
    agent.act(view(), rng)  # 0.8 s are left in this hand, and it may use 0.64
    assert agent.stand_ins == {"it took too long": 1}
    assert Process.now.seconds == pytest.approx(0.7 + 0.64)
    assert remarks == ["the equilibrium stood in for 'vexbot': it took too long"]
    agent.act(view(), rng)  # the hand has 0.16 s left; the answer of before comes at 1.4, the new one at 2.1
    assert agent.stand_ins.total() == 2
    Process.now.seconds = 9.0
    agent.observe(finished())
    agent.act(view(), rng)
    assert agent.stand_ins.total() == 2
    agent.close()
    with pytest.raises(SoulreadError, match="limits of 0 s"):
        made("vexbot", remarks, decision=0)


def test_after_an_update_that_failed_the_last_answer_is_played(remarks: list[str]) -> None:
    agent = made("dbbr:T=1,k=1", remarks)
    Process.answers = {"observe": RuntimeError("no room")}
    agent.observe(finished())
    Process.answers = {}
    agent.act(view(), np.random.default_rng(0))
    (told,) = remarks
    assert told.startswith(
        "'dbbr:T=1,k=1' failed at learning from a hand: RuntimeError: no room; it plays on"
    )
    assert not agent.stand_ins  # the agent itself still has it
    Process.answers = {"act": ValueError("odd")}
    agent.act(view(), np.random.default_rng(0))
    assert agent.stand_ins == {"it failed: ValueError: odd": 1}
    Process.answers = {}
    agent.act(view(), np.random.default_rng(0))
    assert agent.stand_ins.total() == 1
    agent.close()


@pytest.mark.parametrize("where", ["take", "give"])
def test_a_process_that_is_gone(remarks: list[str], where: str) -> None:
    agent = made("dbbr", remarks)
    if where == "give":
        agent._worker.end()
    else:
        Process.answers = {"act": EOFError()}
    for _ in range(3):
        agent.act(view(), np.random.default_rng(0))
        agent.observe(finished())
    assert agent.stand_ins == {"its process has ended": 3}
    agent.close()


@pytest.mark.compiled
def test_whatever_stands_in() -> None:
    spec = parse_agent("loki")
    assert isinstance(stand_in(spec, parse_game("nolimit:players=3")), Plain)
    assert isinstance(stand_in(spec, LEDUC), TabularAgent)
    calm = CheckOrFold()
    hand = LiveHand(LEDUC, (), LEDUC.rules.deck)
    assert calm.act(hand.view(0), np.random.default_rng(0)) == 1
    hand.act(2)
    assert calm.act(hand.view(1), np.random.default_rng(0)) == 0


_COMPILED = [pytest.param(agent, marks=pytest.mark.compiled) for agent in ("plain", "rule")]


@pytest.mark.parametrize("agent", [*_COMPILED, "equilibrium", "random"])
def test_a_prompt_agent_is_warm_and_plays_as_if_it_were_not(agent: str) -> None:
    """It has acted before its first hand, and acts in that hand as one that has not."""
    game = parse_game("nolimit:stacks=40") if agent == "plain" else LEDUC
    if agent == "rule":
        game = parse_game("limit")
    spec = parse_agent(agent)
    assert is_prompt(spec)
    warm, cold = seat_in_time(spec, game, 1.0), spec.make(game)
    hand = LiveHand(game, (), game.rules.deck)
    while not hand.over:
        seen = hand.view(hand.to_act)
        action = warm.act(seen, np.random.default_rng(len(seen.actions)))
        assert action == cold.act(seen, np.random.default_rng(len(seen.actions)))
        hand.act(action)


def test_a_prompt_agent_has_acted_before_it_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def act(self: AlwaysCall, seen: PokerView, rng: np.random.Generator) -> int:
        asked.append(seen)
        return 1

    monkeypatch.setattr(AlwaysCall, "act", act)
    seat_in_time(parse_agent("always-call"), LEDUC, 1.0)
    assert asked


def test_the_files_of_tables_do_not_pile_up(remarks: list[str]) -> None:
    agent = made("dbbr:T=1,k=1", remarks)
    folder = agent._folder
    for _ in range(4):
        agent.observe(finished())
        agent.act(view(), np.random.default_rng(0))
    assert list(folder.iterdir()) == []
    agent.close()
    assert not folder.exists()


def test_an_agent_in_a_real_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A foreign agent that dreams is replaced in time, and its process ends with it."""
    (tmp_path / "dreaming.py").write_text(
        "import time\n"
        "class Dreamer:\n"
        "    'Dreams.'\n"
        "    def __init__(self, game): pass\n"
        "    def reset(self): pass\n"
        "    def act(self, view, rng):\n"
        "        if view.betting: time.sleep(9)\n"
        "        return view.legal[0]\n"
        "    def observe(self, hand): pass\n"
    )
    monkeypatch.chdir(tmp_path)
    remarks: list[str] = []
    agent = PunctualAgent(parse_agent("dreaming:Dreamer"), LEDUC, 2.0, 9.0, remarks.append)
    hand = LiveHand(LEDUC, (), LEDUC.rules.deck)
    assert agent.act(hand.view(0), np.random.default_rng(0)) == 1
    assert not remarks
    hand.act(1)
    began = time.monotonic()
    agent.decision = 0.2
    assert agent.act(hand.view(1), np.random.default_rng(0)) in hand.view(1).legal
    assert time.monotonic() - began < 5
    assert remarks == ["the equilibrium stood in for 'dreaming:Dreamer': it took too long"]
    agent.close()
    assert not agent._worker._process.is_alive()
