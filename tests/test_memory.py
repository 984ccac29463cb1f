"""Memory of opponents: what is kept, what is recalled, what agents make of it, and when a read is dropped."""

import multiprocessing
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from named import make_agent, make_kind, play_named

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand, Sight
from soulread.hands.store import Store
from soulread.hands.tables.checking import check_store
from soulread.play import memory as memory_module
from soulread.play.agent import Agent, Remembering, learns
from soulread.play.catalogue.known import known_agents, parse_agent
from soulread.play.exploiters.dbbr import DeviationAgent
from soulread.play.exploiters.dbr import DataBiasedAgent
from soulread.play.exploiters.learners import LearnerAgent
from soulread.play.exploiters.safe_agents import SafeAgent
from soulread.play.exploiters.soul import Soul
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.play.memory import OURS, ROOM, Memory, Recollection, SeatMemory, mark_of, remembers
from soulread.respond.budget import Engines, warm

pytestmark = pytest.mark.compiled  # whole matches of agents that learn take minutes interpreted

KUHN, LEDUC = parse_game("kuhn"), parse_game("leduc")
NOBODY = Recollection("me", {"opponent": "Bob"}, (), "mark")


class Notes:
    """Learns nothing, and notes all that it is told."""

    name = "notes"

    def __init__(self) -> None:
        self.told: list[list[Hand]] = []  # by pass: hands recalled
        self.seen: list[Hand] = []
        self.resets = 0

    def reset(self) -> None:
        self.resets += 1
        self.told.append([])
        self.seen = []

    def recall(self, hands: Sequence[Hand]) -> None:
        self.told[-1] += hands

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        return view.legal[int(rng.random() * len(view.legal))]

    def observe(self, hand: Hand) -> None:
        self.seen.append(hand)


def hands_of(
    opponent: str, hands: int, seed: int, game: PokerGame = LEDUC, names: tuple[str, str] = ("me", "opponent")
) -> list[Hand]:
    """Hands of an equilibrium with an opponent, as it saw them, under these names."""
    match = Match(game, (make_agent("equilibrium", game), make_agent(opponent, game)), hands)
    called = dict(zip(match.labels, names, strict=True))
    found: list[Hand] = []

    def note(hand: LiveHand) -> None:
        seen = hand.seen_by(hand.players.index(match.labels[0]))
        found.append(replace(seen, players=tuple(called[name] for name in seen.players)))

    match.play(seed, record=note)
    return found


def fill(path: Path, hands: Sequence[Hand], seed: int, name: str = "Bob", game: PokerGame = LEDUC) -> None:
    """Keep hands of a match with an opponent."""
    with Memory.open(path) as memory:
        seat = memory.seat(game, "me", {"opponent": name}, mark_of(game, seed))
        agent = Notes()
        agent.reset()
        seat.begin(agent)
        for hand in hands:
            seat.observe(agent, hand)


def recalled(path: Path, name: str = "Bob", game: PokerGame = LEDUC, **labels: str) -> list[Hand]:
    """What an agent is told when a match begins."""
    with Memory.open(path) as memory:
        agent = Notes()
        agent.reset()
        memory.seat(game, "hero", labels or {"villain": name}).begin(agent)
    return agent.told[-1]


def same_play(one: Hand, other: Hand) -> bool:
    """Whether two hands are the same but for names and what the store adds."""
    fields = "variant stakes actions betting boards hole sights payoffs observer stacks posts".split()
    return all(getattr(one, field) == getattr(other, field) for field in fields)


# What is kept, and what comes back.


def test_hands_come_back_as_they_were_seen_with_the_names_of_the_table(tmp_path: Path) -> None:
    path, hands = tmp_path / "m.db", hands_of("loose", 60, 1)
    fill(path, hands, 1)
    found = recalled(path)
    assert len(found) == 60
    for hand, first in zip(found, hands, strict=True):
        assert same_play(hand, first)
        assert hand.players[hand.eyewitness] == "hero"
        assert hand.players[hand.opponent] == "villain"
    assert any(hand.hole[hand.opponent] is None for hand in found)


def test_no_card_is_kept_that_the_seat_did_not_see(tmp_path: Path) -> None:
    """Both seats learn and write to one file; neither record has the other's hidden cards."""
    path = tmp_path / "m.db"
    with Memory.open(path) as memory:
        play_named("leduc", ("dbr:T=20,k=20", "dbbr:T=20,k=20"), 80, seed=3, memory=memory)
    with Store.open(path) as store:
        found = [hand for _, hand in store.find()]
    assert len(found) == 160
    for hand in found:
        own = hand.eyewitness
        assert hand.players[own] == OURS
        assert hand.room == ROOM
        shown = hand.showdown
        assert hand.sights[1 - own] is (Sight.SHOWN if shown else Sight.UNSEEN)
        assert (hand.hole[1 - own] is not None) == shown
    with Memory.open(path) as memory:
        assert {one.name: one.hands for one in memory.opponents()} == {
            "dbr:T=20,k=20": 80,
            "dbbr:T=20,k=20": 80,
        }


def test_hands_of_another_game_or_of_other_stakes_are_not_recalled(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    fill(path, hands_of("loose", 20, 1), 1)
    fill(path, hands_of("random", 10, 1, KUHN), 1, game=KUHN)
    assert len(recalled(path)) == 20
    assert len(recalled(path, game=KUHN)) == 10
    assert recalled(path, game=parse_game("limit")) == []
    assert len(recalled(path, game=parse_game("leduc:iso"))) == 20
    with Memory.open(path) as memory:
        (known,) = memory.opponents()
    assert known.games == (("leduc", 20), ("kuhn", 10))


def test_the_newest_hands_are_recalled_oldest_first(tmp_path: Path) -> None:
    path, hands = tmp_path / "m.db", hands_of("loose", 30, 1)
    fill(path, hands, 1)
    with Memory.open(path, most=7) as memory:
        found = memory.recollection(LEDUC, "hero", {"villain": "Bob"}).hands
        assert memory.recalled == {"Bob": 7}
    assert len(found) == 7
    assert all(same_play(*pair) for pair in zip(found, hands[-7:], strict=True))
    with pytest.raises(SoulreadError, match="at least 1"):
        Memory.open(path, most=0)


def test_hands_of_the_same_seed_are_neither_recalled_nor_kept_twice(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, hands = tmp_path / "m.db", hands_of("loose", 30, 1)
    fill(path, hands, 1)
    fill(path, hands, 1)
    assert "30 hands with 'Bob' not recalled: dealt from the same seed" in caplog.text
    with Memory.open(path) as memory:
        assert len(memory.store) == 30
        known = memory.recollection(LEDUC, "me", {"opponent": "Bob"}, mark_of(LEDUC, 2))
        assert len(known.hands) == 30


def test_a_name_of_two_opponents_is_refused_and_an_alias_joins_two(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    fill(path, hands_of("loose", 20, 1), 1, "Bob")
    fill(path, hands_of("loose", 10, 2), 2, "Rob")
    assert len(recalled(path, "Rob")) == 10
    done = CliRunner().invoke(cli, ["player", "alias", "Bob", "Rob", "--db", str(path)])
    assert done.exit_code == 0, done.output
    for name in ("Bob", "Rob"):
        found = recalled(path, name)
        assert len(found) == 30
        assert {hand.players[hand.opponent] for hand in found} == {"villain"}
    with Memory.open(path) as memory:
        assert [(one.name, one.hands) for one in memory.opponents()] == [("Bob", 30)]
        for labels in ({"a": "Bob", "b": "Bob"}, {"a": "Bob", "b": "Rob"}, {"a": ""}, {"a": OURS}):
            with pytest.raises(SoulreadError, match=r"name|one person"):
                memory.recollection(parse_game("nolimit:players=3"), "me", labels)
        assert memory.forget("Rob") == 30


def test_at_a_table_of_three_only_known_opponents_have_their_labels(tmp_path: Path) -> None:
    game = parse_game("nolimit:players=3,stacks=100")
    path = tmp_path / "m.db"
    agents = tuple(make_agent("random", game) for _ in range(3))
    hands: list[Hand] = []
    match = Match(game, agents, 12)
    match.play(1, record=lambda hand: hands.append(hand.seen_by(hand.players.index("random"))))
    with Memory.open(path) as memory:
        seat = memory.seat(game, "random", {"random#2": "Bob", "random#3": "Eve"})
        agent = Notes()
        agent.reset()
        seat.begin(agent)
        for hand in hands:
            seat.observe(agent, hand)
    found = recalled(path, game=game, left="Eve", right="Somebody")
    assert len(found) == 12
    for hand, first in zip(found, hands, strict=True):
        names = dict(zip(first.players, hand.players, strict=True))
        assert names == {"random": "hero", "random#2": "Bob of an earlier match", "random#3": "left"}


def test_forgetting_removes_the_hands_and_leaves_a_whole_store(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    bob, eve = hands_of("loose", 30, 1), hands_of("tight", 20, 2)
    fill(path, bob[:15], 1, "Bob")
    fill(path, eve, 2, "Eve")
    fill(path, bob[15:], 1, "Bob")
    with Memory.open(path) as memory, pytest.raises(SoulreadError, match="do you mean 'Bob'"):
        memory.forget("Bobb")
    with Memory.open(path) as memory, pytest.raises(SoulreadError, match=r"m\.db', but 'Bob', 'Eve'"):
        memory.forget("Zoltan")
    with Memory.open(path) as memory:
        assert memory.forget("Bob") == 30
        assert [(one.name, one.hands) for one in memory.opponents()] == [("Eve", 20)]
    assert check_store(path).whole
    assert recalled(path, "Bob") == []
    assert len(recalled(path, "Eve")) == 20
    fill(path, bob, 1, "Bob")  # and they may come again
    assert check_store(path).whole
    assert len(recalled(path, "Bob")) == 30
    with Memory.open(path) as memory:
        memory.forget("Bob")
        memory.forget("Eve")
        assert memory.opponents() == []
        with pytest.raises(SoulreadError, match="nobody called 'Eve'"):
            memory.forget("Eve")
    assert check_store(path).whole


# Two programs, and one that dies.


def _keep_many(path: Path, seed: int, die: bool) -> None:
    hands = hands_of("loose", 40, seed)
    with Memory.open(path) as memory:
        seat = memory.seat(LEDUC, "me", {"opponent": "Bob"}, mark_of(LEDUC, seed))
        agent = Notes()
        agent.reset()
        seat.begin(agent)
        for number, hand in enumerate(hands):
            seat.observe(agent, hand)
            if number % 10 == 9:
                memory.flush()
            if die and number == 24:
                os.kill(os.getpid(), signal.SIGKILL)


def test_two_programs_lose_no_hand_of_each_other_and_one_that_dies_loses_a_second(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    spawn = multiprocessing.get_context("spawn")
    running = [spawn.Process(target=_keep_many, args=(path, seed, seed == 3)) for seed in (1, 2, 3)]
    for one in running:
        one.start()
    for one in running:
        one.join()
    assert [one.exitcode for one in running] == [0, 0, -signal.SIGKILL]
    assert check_store(path).whole
    found = recalled(path)
    counted = [sum(hand.id.startswith(mark_of(LEDUC, seed)) for hand in found) for seed in (1, 2, 3)]
    assert counted[:2] == [40, 40]
    assert 20 <= counted[2] <= 25
    matches = [hand.id.rpartition("-")[0] for hand in found]
    assert len(list(dict.fromkeys(matches))) == 3
    assert matches == sorted(matches, key=list(dict.fromkeys(matches)).index)  # not by turns
    _keep_many(path, 3, False)  # the same again: what is missing comes, and nothing twice
    assert len(recalled(path)) == 120


# Matches.


def learnt(path: Path, seed: int, jobs: int = 1, **more: Any) -> Any:
    with Memory.open(path) as memory:
        agents = "dbr:T=20,k=10", "loose:0.5"
        return play_named("leduc", agents, 60, matches=3, seed=seed, jobs=jobs, memory=memory, **more)


def test_results_and_what_is_kept_depend_on_no_number_of_processes(tmp_path: Path) -> None:
    found = []
    for jobs in (1, 2):
        path = tmp_path / f"{jobs}.db"
        learnt(path, 1)
        result = learnt(path, 2, jobs)
        with Store.open(path) as store:
            ids = [hand.id for _, hand in store.find()]
        assert len(ids) == 360
        found.append((result.profits.tolist(), result.remarks, ids))
    assert found[0] == found[1]
    fresh = play_named("leduc", ("dbr:T=20,k=10", "loose:0.5"), 60, matches=3, seed=2)
    assert found[0][0] != fresh.profits.tolist()


def test_a_run_that_is_started_again_gives_the_same(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    learnt(path, 1)
    assert np.array_equal(learnt(path, 2).profits, learnt(path, 2).profits)
    with Memory.open(path) as memory:
        assert len(memory.store) == 360


def test_every_pass_of_a_duplicate_match_begins_with_the_memory_before_it(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    fill(path, hands_of("loose", 25, 7), 7, "random")
    kept: list[Hand] = []
    agent = Notes()
    match = Match(LEDUC, (agent, make_agent("random", LEDUC)), 20, duplicate=True)
    with Memory.open(path) as memory:
        known = memory.recollection(LEDUC, "notes", {"random": "random"}, mark_of(LEDUC, 1))
    match.memories = SeatMemory(known, kept.append), None
    match.play(1)
    assert agent.resets == 2
    assert [len(hands) for hands in agent.told] == [25, 25]
    assert agent.told[0] == agent.told[1]
    assert len(kept) == len({hand.id for hand in kept}) == 40


def test_nobody_who_learns_is_an_error(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "m.db") as memory, pytest.raises(SoulreadError, match="nobody here learns"):
        play_named("leduc", ("equilibrium", "switching:every=5|loose|tight"), 4, memory=memory)


# Agents that recall.

CLOCKS = {"switching", "drifting", "deceiver"}
"""Agents that are told of hands and only count them: they begin every match alike."""


def test_every_agent_that_learns_remembers() -> None:
    games = LEDUC, parse_game("limit"), parse_game("nolimit:players=2,stacks=200")
    for entry in known_agents().values():
        for text in entry.examples:
            game = next(game for game in games if entry.refuses(game) is None)
            if len(game.rules.deck) > 6 and entry.name not in ("loki", "poki", "ponsen"):
                continue
            agent = parse_agent(text).make(game)
            expected = learns(agent) and entry.name not in CLOCKS
            assert remembers(agent) == expected, text


def states(agent: Agent) -> list[np.ndarray]:
    """What an agent believes."""
    if isinstance(agent, LearnerAgent):
        return list(agent.learner.model.strategies)  # type: ignore[attr-defined]
    return list(agent.model.strategies)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "text",
    ["soul:k=10", "dbbr:T=20,k=10", "dbr:T=20,k=10", "rwywe", "learner:particles=20,base=lp/lp:1-2",
     "vexbot:model=frequency"],
)  # fmt: skip
def test_the_read_after_recall_is_that_of_having_observed(text: str) -> None:
    hands = hands_of("random", 60, 1, KUHN)
    one, other = make_agent(text, KUHN), make_agent(text, KUHN)
    for agent in (one, other):
        agent.reset()
    assert isinstance(one, Remembering)
    one.recall(hands)
    for hand in hands:
        other.observe(hand)
    for mine, theirs in zip(states(one), states(other), strict=True):
        assert np.array_equal(mine, theirs)


def test_soul_recalls_with_one_answer_and_then_goes_on_as_if_it_had_observed() -> None:
    hands = hands_of("random", 80, 1, KUHN)
    one, other = (make_kind(Soul, "soul:k=10", KUHN) for _ in range(2))
    one.recall(hands[:60])
    assert len(one.certificates) == 1
    for hand in hands[:60]:
        other.observe(hand)
    assert len(other.certificates) == 6
    for hand in hands[60:]:
        one.observe(hand)
        other.observe(hand)
    assert np.array_equal(one.model.weights, other.model.weights)
    assert (one.model.asked, one.num_hands) == (other.model.asked, other.num_hands) == (80, 80)
    for mine, theirs in zip(one.playing.behaviours, other.playing.behaviours, strict=True):
        assert np.allclose(mine, theirs, atol=1e-9)


def test_gifts_of_earlier_matches_are_not_risked() -> None:
    hands = hands_of("always-call", 60, 1, KUHN)
    soul = make_kind(Soul, "soul:k=10,gifts=1", KUHN)
    soul.recall(hands)
    assert soul._gifts is not None
    assert soul._gifts.given == 0
    safe = make_kind(SafeAgent, "rwywe", KUHN)
    safe.recall(hands)
    assert safe.ledger.k == 0


def test_remembered_hands_count_as_seen_for_dbbr_and_its_win_rate() -> None:
    hands = hands_of("random", 60, 1, KUHN)
    agent = make_kind(DeviationAgent, "dbbr:T=50,k=10,threshold=-100", KUHN)
    agent.recall(hands[:40])
    assert agent.read is None
    agent.reset()
    agent.recall(hands)
    assert agent.exploiting
    other = make_kind(DeviationAgent, "dbbr:T=50,k=10,threshold=-100", KUHN)
    for hand in hands:
        other.observe(hand)
    assert agent.win_rate_bound() == other.win_rate_bound()


def test_an_answer_from_engines_has_settled_after_recall() -> None:
    """One update makes 10 iterations; recall makes as many updates as it takes."""
    base = make_kind(Soul, "soul:k=10", LEDUC)
    made = [
        Soul(
            "soul", base.game, base.equilibrium, warm(base.game), replace(base.options, iterations=iterations)
        )
        for iterations in (5, 1)
    ]
    hands = hands_of("always-call", 30, 1)
    for agent in made:
        agent.recall(hands)
        assert isinstance(agent.responder._answers, Engines)
        assert agent.responder._answers._made >= 60
        assert len(agent.certificates) == 1


# The read fades when it stops predicting.


def test_a_read_that_stops_predicting_is_dropped_and_the_match_goes_on_without_it() -> None:
    bob, other = hands_of("equilibrium", 200, 1), hands_of("always-raise", 60, 2)
    remarks: list[str] = []
    known = replace(NOBODY, hands=tuple(NOBODY.kept(hand) for hand in bob))
    seat = SeatMemory(known, remark=remarks.append)
    agent, fresh = (make_kind(DataBiasedAgent, "dbr:T=20,k=5", LEDUC) for _ in range(2))
    seat.begin(agent)
    assert agent.learnt == 200
    for hand in other:
        seat.observe(agent, hand)
        fresh.observe(hand)
    assert agent.learnt == fresh.learnt == 60
    assert all(np.array_equal(*pair) for pair in zip(states(agent), states(fresh), strict=True))
    (remark,) = remarks
    assert remark.startswith("'Bob' does not play as remembered; the read of 200 hands")
    seat.begin(agent)  # the next pass begins with the memory again
    assert agent.learnt == 60 + 200


def test_matches_before_a_change_are_not_recalled() -> None:
    """Of three matches the first was with somebody else; what is out of date stays so."""
    matches = [
        hands_of("always-raise", 60, 1),
        hands_of("equilibrium", 80, 2),
        hands_of("equilibrium", 70, 3),
    ]
    kept = [
        replace(NOBODY, place=f"{number}").kept(hand)
        for number, hands in enumerate(matches)
        for hand in hands
    ]
    seat = SeatMemory(replace(NOBODY, hands=tuple(kept)))
    assert seat.recalled == {"opponent": 150}
    assert seat.by_name == {"Bob": 150}
    agent = Notes()
    agent.reset()
    seat.begin(agent)
    assert [hand.id for hand in agent.told[-1]] == [hand.id for hand in kept[60:]]


def test_soul_notices_by_itself_that_the_remembered_opponent_is_another() -> None:
    """Without the test of the memory: the detector of its read forgets what it recalled."""
    agent = make_kind(Soul, "soul:k=10", LEDUC)
    agent.recall(hands_of("always-call", 150, 1))
    assert agent.model.since == 0
    for hand in hands_of("always-raise", 60, 2):
        agent.observe(hand)
    assert agent.model.since >= 150


# Commands.


def run(*arguments: object) -> str:
    done = CliRunner().invoke(cli, [str(one) for one in arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_the_dealer_remembers_and_a_resumed_match_keeps_each_hand_once(tmp_path: Path) -> None:
    path, log = tmp_path / "m.db", tmp_path / "match.log"
    deal = "dealer", "leduc", "dbr:T=10,k=10", "loose", "-n", 25, "--remember", path
    assert "remembered: 0 hands with 'loose'" in run(*deal, "--seed", 1)
    score = run(*deal, "--seed", 2, "-o", log).splitlines()[-1]
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[: 4 + 12]))  # killed after 12 hands
    log.with_suffix(".tlog").write_text("")
    out = run(*deal, "--seed", 2, "-o", log, "--resume")
    assert "remembered: 25 hands with 'loose'" in out
    assert out.splitlines()[-1] == score
    assert len(recalled(path, "loose")) == 50


def test_opponents_are_listed_and_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    run("duel", "kuhn", "dbbr:T=10,k=10", "random", "-n", 20, "--seed", 4, "--remember", path)
    out = run("opponents", "list", "--remember", path)
    assert "random" in out
    assert "kuhn (20)" in out
    assert run("opponents", "forget", "random", "--remember", path) == "forgotten: random, 20 hands\n"
    assert "nobody is remembered" in run("opponents", "list", "--remember", path)
    for words in (("list",), ("forget", "random")):
        found = CliRunner().invoke(cli, ["opponents", *words, "--remember", str(tmp_path / "typo.db")])
        assert found.exit_code == 2
        assert "there is no memory in " in found.output
    assert not (tmp_path / "typo.db").exists()


def test_a_second_is_the_most_that_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("soulread.play.memory.time.monotonic", lambda: now)
    hands = [NOBODY.kept(hand) for hand in hands_of("loose", 4, 1)]
    with Memory.open(tmp_path / "m.db") as memory:
        memory.keep(hands[0])
        assert len(memory.store) == 1
        memory.keep(hands[1])
        assert len(memory.store) == 1
        now += memory_module.PAUSE
        memory.keep(hands[2])
        assert len(memory.store) == 3
        memory.keep(hands[3])
    assert len(recalled(tmp_path / "m.db")) == 4
