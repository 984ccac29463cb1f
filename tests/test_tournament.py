"""Tournaments: amounts and winners of made-up results, rounds, failures, and real ones killed and resumed."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from numpy.testing import assert_allclose, assert_array_equal

import soulread as sr
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Watch, half_width_at_any_time
from soulread.foreign.contents import contents_of
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.play.catalogue.known import GROUP, parse_agent
from soulread.play.match.judges import LuckRemoval
from soulread.reproduce.kit import matches, rings
from soulread.reproduce.kit.matches import match_task
from soulread.reproduce.kit.rings import ring_task
from soulread.reproduce.kit.tournaments import tournament_tasks
from soulread.study.duels.tournament import Encounter, EncounterResult, Tournament, chance_of_lead
from soulread.study.duels.tournament_rounds import play_tournament
from soulread.study.duels.tournament_terminal import print_tournament
from soulread.tasks import FailedTask, Json, ResultStore, Task, Values, try_tasks

pytestmark = pytest.mark.compiled  # whole matches of agents that learn take minutes interpreted

KUHN = parse_game("kuhn")
SIX = ("equilibrium", "random", "loose", "dbr", "always-call", "td-cfr")


def made_up(
    won: Mapping[tuple[int, ...], np.ndarray],
    agents: Sequence[str] = "abcdefgh",
    *,
    learning: bool = True,
    failed: Sequence[tuple[int, ...]] = (),
    left_out: tuple[str, ...] = (),
    most: int | None = None,
) -> Tournament:
    """A tournament in which the agents of each encounter won ``[matches, hands, agents]`` chips."""
    shape = next(iter(won.values())).shape
    names = tuple(agents)[: 1 + max(max(places) for places in won)]
    return Tournament(
        game="kuhn",
        stakes=stakes_of(KUHN),
        agents=names,
        hands=shape[1],
        matches=shape[0],
        seed=0,
        encounters=tuple(
            EncounterResult(Encounter(places), chips, chips, learning, "why" if places in failed else "")
            for places, chips in won.items()
        ),
        left_out=left_out,
        most=most,
    )


def pairs(
    means: np.ndarray, noise: Callable[[tuple[int, int]], np.ndarray]
) -> dict[tuple[int, ...], np.ndarray]:
    """Encounters of all pairs: an antisymmetric matrix of means, and noise ``[matches, hands]`` of each."""
    found: dict[tuple[int, ...], np.ndarray] = {}
    for pair in combinations(range(len(means)), 2):
        first = means[pair] + noise(pair)
        found[pair] = np.stack([first, -first], axis=-1)
    return found


def matrix(rows: Any) -> np.ndarray:
    """The antisymmetric matrix with these values above its diagonal."""
    upper: np.ndarray = np.triu(np.array(rows, dtype=float), 1)
    return np.asarray(upper - upper.T)


def quiet(pair: tuple[int, int]) -> np.ndarray:
    return np.zeros((12, 3))


# Amounts


def test_a_total_bankroll_is_the_mean_over_opponents() -> None:
    rng = np.random.default_rng(1)
    won = pairs(matrix([[0, 3, -1], [0, 0, 2], [0, 0, 0]]), lambda _: rng.normal(size=(12, 3)))
    found = made_up(won)
    for agent, (first, second) in enumerate((((0, 1), (0, 2)), ((0, 1), (1, 2)), ((0, 2), (1, 2)))):
        parts = [won[pair][:, :, pair.index(agent)] for pair in (first, second)]
        place = next(place for place in found.places if place.agent == "abc"[agent])
        expected = Estimate.of(np.mean(parts, axis=0).mean(axis=1)).scaled(1000)  # kuhn's small bet is a chip
        assert place.won.mean == pytest.approx(expected.mean)
        assert place.won.half_width == pytest.approx(expected.half_width)
        assert place.won.n == 12
    assert found.against(0, 0) is None
    cell = found.against(2, 0)
    assert cell is not None
    assert cell.mean == pytest.approx(-1000 * won[0, 2][:, :, 0].mean())


def test_common_cards_count_once_in_a_sum() -> None:
    """Luck that is the same in two encounters doubles, luck that is opposite cancels."""
    luck = np.random.default_rng(2).normal(size=(20, 1))
    flat = np.zeros((20, 1))
    same = made_up(pairs(matrix(np.ones((3, 3))), {(0, 1): luck, (0, 2): luck, (1, 2): flat}.__getitem__))
    opposite = made_up(
        pairs(matrix(np.ones((3, 3))), {(0, 1): luck, (0, 2): -luck, (1, 2): flat}.__getitem__)
    )
    single = Estimate.of(luck.ravel()).half_width * 1000
    first = next(place for place in same.places if place.agent == "a")
    assert first.won.half_width == pytest.approx(single)  # independent ones would have given single / sqrt(2)
    first = next(place for place in opposite.places if place.agent == "a")
    assert [first.won.mean, first.won.half_width] == pytest.approx([1000, 0], abs=1e-9)


def test_intervals_of_totals_hold_the_truth_as_often_as_they_say() -> None:
    """Luck in common, luck of each encounter, and an agent's mood that lasts for a match."""
    rng = np.random.default_rng(3)
    means = matrix([[0, 0.2, -0.1, 0.4], [0, 0, 0.3, 0.1], [0, 0, 0, -0.2], [0, 0, 0, 0]])
    inside = np.zeros(4)
    for _ in range(500):
        common = rng.normal(size=(10, 4))

        def noise(pair: tuple[int, int], common: np.ndarray = common) -> np.ndarray:
            return common + rng.normal(size=(10, 4)) + rng.normal(size=(10, 1))

        for place in made_up(pairs(means, noise)).places:
            agent = "abcd".index(place.agent)
            inside[agent] += (
                abs(place.won.mean / 1000 - means[agent].sum() / 3) <= place.won.half_width / 1000
            )
    # of 500 at 95%, fewer than 460 or more than 489 come by chance in 1 of 500 cases
    assert np.all((inside >= 460) & (inside <= 489)), inside


@pytest.mark.parametrize("learning", [True, False])
def test_equal_agents_are_rarely_told_apart(learning: bool) -> None:
    """The chance of a winner among equals is at most 5%, whoever of the five happens to lead."""
    rng = np.random.default_rng(4)
    decided = sum(
        made_up(pairs(np.zeros((5, 5)), lambda _: rng.normal(size=(10, 5))), learning=learning).decided
        for _ in range(300)
    )
    assert decided <= 22  # more come by chance in 3 of 100 cases, were it just 5%


def test_looking_after_every_round_makes_no_winner_among_equals() -> None:
    """Student's intervals would make one in about 20 of 100 cases."""
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(100):
        won = pairs(np.zeros((2, 2)), lambda _: rng.normal(size=(100, 1)))
        wrong += any(
            made_up({pair: chips[:n] for pair, chips in won.items()}, most=100).decided
            for n in range(30, 101, 5)
        )
    assert wrong <= 9


def test_more_comparisons_ask_for_more() -> None:
    """A lead of three standard errors is enough for one comparison, not for each of fifteen."""
    rng = np.random.default_rng(10)
    noise = rng.normal(size=(40, 1))
    lead = 3 * noise.std(ddof=1) / np.sqrt(40) - noise.mean()
    two: dict[tuple[int, ...], np.ndarray] = {(0, 1): np.stack([noise + lead, -noise - lead], axis=-1)}
    found = made_up(two)
    weights = {(0, 0): 1.0}, {(0, 1): 1.0}
    assert found.is_ahead(*weights)
    assert found.is_ahead(*weights, 8)
    assert not found.is_ahead(*weights, 15)
    assert not found.is_ahead(weights[1], weights[0])


def test_chances_of_a_lead() -> None:
    from scipy.stats import ttest_1samp

    values = np.random.default_rng(6).normal(0.5, 1, 20)
    found = chance_of_lead(Estimate.of(values))
    assert found == pytest.approx(ttest_1samp(values, 0, alternative="greater").pvalue)
    assert chance_of_lead(Estimate.of(-values)) == 1
    assert chance_of_lead(Estimate(0.5, 0.1, 20, one_match=True)) == 1
    assert chance_of_lead(Estimate(1e-16, 1e-18, 100)) == 1  # rounding is no lead
    assert (chance_of_lead(Estimate(0.5, 0.0, 9)), chance_of_lead(Estimate(0.5, 0.0, 10))) == (1, 0)
    assert chance_of_lead(Estimate(0.5, 0.1, 29), at_any_time=True) == 1
    often = Estimate(0.25, 0.1, 40)  # enough for somebody who looked once
    assert chance_of_lead(often) < 0.01 < 0.09 < chance_of_lead(often, at_any_time=True) < 0.1


def test_the_interval_at_any_time_is_that_of_a_watch() -> None:
    values = np.random.default_rng(7).normal(size=64)
    watch = Watch(planned=100)
    watch.add(values)
    assert half_width_at_any_time(Estimate.of(values)) == pytest.approx(watch.half_width)
    assert half_width_at_any_time(Estimate.of(values[:29])) == np.inf


# Winners


def test_the_winner_of_the_run_off_may_be_another_one() -> None:
    """a takes most from the weak c, and loses to b."""
    found = made_up(pairs(matrix([[0, -10, 100], [0, 0, 5], [0, 0, 0]]), quiet))
    assert [place.agent for place in found.places] == ["a", "b", "c"]
    assert [place.won.mean for place in found.places] == [45000, 7500, -52500]
    assert [place.agent for place in found.run_off] == ["c", "a", "b"]
    assert [place.won.mean for place in found.run_off] == [-52500, -10000, 10000]
    assert (found.winner, found.run_off_winner, found.decided) == ("a", "b", True)
    assert found.winner_tied == found.run_off_tied == ()
    assert "a wins" in found.summary()


def naive_run_off(means: np.ndarray) -> list[int]:
    """The order of removal, the winner last, by plain sums over those left."""
    left = list(range(len(means)))
    removed = []
    while len(left) > 1:
        totals = [sum(means[agent, other] for other in left) for agent in left]
        removed.append(left.pop(int(np.argmin(totals))))
    return removed + left


def test_run_offs_are_those_of_plain_sums() -> None:
    rng = np.random.default_rng(8)
    another = 0
    for _ in range(60):
        means = matrix(rng.normal(size=(6, 6)))
        found = made_up(pairs(means, quiet))
        assert [place.agent for place in found.run_off] == ["abcdef"[i] for i in naive_run_off(means)]
        ranked = np.argsort(-means.sum(axis=1))
        assert [place.agent for place in found.places] == ["abcdef"[i] for i in ranked]
        another += found.winner != found.run_off_winner
    assert 0 < another < 60


def test_ties_within_the_intervals_are_said() -> None:
    rng = np.random.default_rng(9)
    means = matrix([[0, 0.01, 3], [0, 0, 3], [0, 0, 0]])
    found = made_up(pairs(means, lambda _: rng.normal(size=(12, 3))))
    first, second, last = found.places
    assert {first.agent, second.agent} == {"a", "b"}
    assert (second.tied, last.tied) == ((first.agent,), ())
    assert (found.decided, found.winner_tied) == (False, (second.agent,))
    assert len(found.run_off_tied) == 1
    exact = made_up(pairs(matrix([[0, 1e-17, 3], [0, 0, 3], [0, 0, 0]]), quiet))
    assert exact.winner_tied == ("b",)  # equal up to rounding


def test_one_match_of_an_agent_that_learns_decides_nothing() -> None:
    won = pairs(matrix([[0, 5], [0, 0]]), lambda _: np.random.default_rng(1).normal(size=(1, 40)))
    assert not made_up(won).decided
    assert "another match may differ more" in made_up(won).sample
    assert made_up(won, learning=False).decided


def test_a_ring_is_decided_by_its_last_table() -> None:
    """Four agents at tables of three: a wins where d sits; without d, b wins."""
    chips = {(0, 1, 2): (1, 2, -3), (0, 1, 3): (9, 0, -9), (0, 2, 3): (9, 0, -9), (1, 2, 3): (1, 1, -2)}
    found = made_up({places: np.tile(np.array(row, float), (12, 2, 1)) for places, row in chips.items()})
    assert [(place.agent, round(place.won.mean)) for place in found.places] == [
        ("a", 6333), ("b", 1000), ("c", -667), ("d", -6667)
    ]  # fmt: skip
    assert [place.agent for place in found.run_off] == ["d", "c", "a", "b"]
    cell = found.against(0, 1)
    assert cell is not None
    assert cell.mean == pytest.approx(5000)  # the mean of tables (0, 1, 2) and (0, 1, 3)


def test_failed_encounters_count_for_nothing() -> None:
    won = pairs(matrix([[0, 1, 2], [0, 0, 3], [0, 0, 0]]), quiet)
    found = made_up(won, failed=[(0, 2)], left_out=("c",))
    assert [place.agent for place in found.places] == ["a", "b"]
    assert [place.won.mean for place in found.places] == [1000, -1000]  # c's loss to b is no matter
    assert found.against(0, 2) is None
    record = json.loads(sr_json(found))
    assert [one["failed"] for one in record["encounters"]] == [None, "why", None]
    assert record["left_out"] == ["c"]
    nobody = made_up({(0, 1): won[0, 1]}, failed=[(0, 1)], left_out=("b",))
    assert (nobody.winner, nobody.run_off_winner, nobody.places) == (None, None, ())
    assert "nobody is ranked" in nobody.summary()


def sr_json(found: Tournament) -> str:
    from soulread.encoding import json_text, plain_data

    return json_text(plain_data(found), indent=1)


# Playing made-up matches


def fake(agents: Sequence[str], number: int, luck: str) -> Values:
    """A task: each agent wins as many chips as its text says, less the mean; "bad" fails from match 2 on."""
    if "bad" in agents and "loose" in agents and number >= 2:
        raise SoulreadError(f"bad failed in match {number}")
    rng = np.random.default_rng([number, *map(len, agents)])
    worth = np.array([float(len(text)) for text in agents])
    won = worth - worth.mean() + rng.normal(size=(6, 1)) * (np.arange(len(agents)) - (len(agents) - 1) / 2)
    if len(agents) > 2:
        return {"profits": won, "learning": 1.0}
    return {"profits": won[:, 0] + 7, "less_luck": won[:, 0], "learning": 1.0}


def fake_task(agents: Sequence[str], number: int, luck: LuckRemoval) -> Task:
    return Task(fake, {"agents": list(agents), "number": number, "luck": luck.name})


def played(store: Path, *texts: str, game: str = "kuhn", **settings: object) -> Tournament:
    agents = [parse_agent(text) for text in texts]
    return play_tournament(
        parse_game(game),
        agents,
        6,
        fake_task,
        store=ResultStore(store),
        **settings,  # type: ignore[arg-type]
    )


def test_rounds_depend_on_neither_processes_nor_the_store(tmp_path: Path) -> None:
    texts = "random", "always-call", "always-raise"
    first = played(tmp_path / "a", *texts, matches=5)
    assert (first.matches, len(first.encounters), first.winner) == (5, 3, "always-raise")
    assert sr_json(played(tmp_path / "b", *texts, matches=5, jobs=2)) == sr_json(first)
    kept = sorted((tmp_path / "a").iterdir())
    assert len(kept) == 15
    for path in kept[::3]:
        path.unlink()
    told: list[tuple[int, int]] = []
    assert sr_json(played(tmp_path / "a", *texts, matches=5, progress=lambda *n: told.append(n))) == sr_json(
        first
    )
    assert (told[0], told[-1]) == ((10, 15), (15, 15))
    assert played(tmp_path / "a", *texts, matches=7).matches == 7


def test_luck_is_taken_off_where_strategies_are_known(tmp_path: Path) -> None:
    found = played(tmp_path, "random", "loose", matches=2)
    assert found.encounters[0].encounter.luck is LuckRemoval.WORTH
    assert_allclose(found.encounters[0].profits[:, :, 0], found.encounters[0].won[:, :, 0] + 7)
    raw = played(tmp_path, "random", "loose", matches=2, raw=True)
    assert raw.encounters[0].encounter.luck is LuckRemoval.RAW
    assert_array_equal(raw.encounters[0].won, raw.encounters[0].profits)


def test_a_tournament_ends_when_it_is_decided(tmp_path: Path) -> None:
    texts = "random", "always-call", "always-raise"
    found = played(tmp_path / "a", *texts, until_decided=True, matches=90)
    assert found.decided
    assert (found.matches, found.most) == (30, 90)  # nothing is said of fewer samples
    assert sr_json(played(tmp_path / "b", *texts, until_decided=True, matches=90, jobs=2)) == sr_json(found)
    played(tmp_path / "a", *texts, matches=40)
    assert sr_json(played(tmp_path / "a", *texts, until_decided=True, matches=90)) == sr_json(found)
    undecided = played(
        tmp_path / "a", "loose", "tight", until_decided=True, matches=33
    )  # equal by their texts
    assert (undecided.matches, undecided.decided) == (33, False)


def test_everybody_sits_everywhere_in_a_ring(tmp_path: Path) -> None:
    encounter = Encounter((3, 5, 9))
    for number in range(0, 20, 2):
        order, back = encounter.seating(1, number), encounter.seating(1, number + 1)
        assert back == order[::-1]
        assert sorted(order) == [3, 5, 9]
    assert len({encounter.seating(1, number) for number in range(30)}) == 6
    assert Encounter((4, 2)).seating(1, 7) == (4, 2)
    texts = "random", "plain", "always-call", "always-raise"
    found = played(tmp_path, *texts, game="ring-limit:3", ring=True, matches=12)
    assert [result.encounter.agents for result in found.encounters] == list(combinations(range(4), 3))
    for result in found.encounters:  # amounts went back to those who won them
        worth = np.array([len(texts[agent]) for agent in result.encounter.agents])
        assert_allclose(result.won.mean(axis=(0, 1)), worth - worth.mean(), atol=0.5)
    assert (found.winner, found.run_off_winner) == ("always-raise", "always-raise")
    assert found.run_off[0].agent == "plain"


def test_a_failure_stops_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mybots.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    texts = "random", "loose", "mybots:Tired"

    def task_of(agents: Sequence[str], number: int, luck: LuckRemoval) -> Task:
        return fake_task([text.replace("mybots:Tired", "bad") for text in agents], number, luck)

    agents = [parse_agent(text) for text in texts]
    records = []
    for jobs in (1, 2):
        store = ResultStore(tmp_path / f"store{jobs}")
        found = play_tournament(KUHN, agents, 6, task_of, matches=6, jobs=jobs, store=store)
        records.append(sr_json(found))
        failed = found.encounters[2]
        assert (failed.failed, len(failed.won)) == ("bad failed in match 2", 2)
        assert (found.matches, found.left_out) == (6, ("mybots:Tired",))
        assert found.places[0].won.n == 6
    assert records[0] == records[1]


BOTS = """
class Tired:
    "Raises an error in hand 20 with loose."

    def __init__(self, game): pass

    def reset(self): self.hands = 0

    def act(self, view, rng): return 1

    def observe(self, hand):
        self.hands += 1
        if self.hands == 20 and "loose" in hand.players:
            raise ValueError("I am tired")


class Unmade(Tired):
    def __init__(self, game): raise ValueError("no game for me")
"""


def count_down(number: int) -> Values:
    if number == 1:
        raise SoulreadError("one is wrong")
    return {"number": float(number)}


def test_tasks_that_fail_or_are_no_longer_wanted(tmp_path: Path) -> None:
    tasks = [Task(count_down, {"number": number}) for number in range(4)]
    store = ResultStore(tmp_path)
    found = list(try_tasks(tasks, store, wanted=lambda task: task.parameters["number"] != 2))
    assert [isinstance(outcome, FailedTask) for outcome in found] == [False, True, False]
    assert found[1] == FailedTask(tasks[1], "one is wrong")
    assert len(list(tmp_path.iterdir())) == 2  # the failure is not kept
    with pytest.raises(SoulreadError, match="one is wrong"):
        list(try_tasks(tasks, store, goes_on=False))


# Names and contents


def test_a_changed_file_is_another_player(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for text in ("soul", "dbr:model=tilts", "loose:0.3", "best-response:always-raise"):
        assert contents_of(text, GROUP) == ""
    (tmp_path / "mybots.py").write_text(BOTS)
    (tmp_path / "mypackage").mkdir()
    for name in ("__init__", "bot", "helper"):
        (tmp_path / "mypackage" / f"{name}.py").write_text("")
    (tmp_path / "a,strategy").write_text("one")
    texts = "mybots:Tired:x=1", "mypackage.bot:Bot", "dbr:model=mypackage.bot:M", "file:a,strategy"
    before = [contents_of(text, GROUP) for text in texts]
    assert all(before)
    assert before[1] == before[2] != before[0]
    (tmp_path / "mybots.py").write_text(f"{BOTS}# another line\n")
    (tmp_path / "mypackage" / "helper.py").write_text("x = 1")
    (tmp_path / "a,strategy").write_text("two")
    after = [contents_of(text, GROUP) for text in texts]
    assert all(one != other for one, other in zip(before, after, strict=True))
    (tmp_path / "strategy").write_text("x")
    assert contents_of("switching:file:strategy|loose", GROUP)


def test_keys_of_kept_matches_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parameters that only some matches have are no part of the others' keys."""
    given: dict[str, Json] = {"game": "leduc", "hands": 9, "seed": 1, "number": 2, "duplicate": True}
    texts = ["dbr", "loose"]
    found = match_task("leduc", texts, 9, 1, 2, aivat=True)
    assert found.key == Task(matches.play, {**given, "agents": texts, "aivat": True}, matches.VERSION).key
    ring = ring_task("leduc", texts, 9, 1, 2)
    assert ring.key == Task(rings.play, {**given, "agents": texts}, rings.VERSION).key
    assert "clock" in match_task("leduc", texts, 9, 1, 2, clock=0.5).parameters
    task_of = tournament_tasks("leduc", 9, 1)
    assert task_of(texts, 2, LuckRemoval.AIVAT).key == found.key
    assert task_of(texts, 2, LuckRemoval.WORTH).parameters["worth"] is True
    assert task_of([*texts, "tight"], 2, LuckRemoval.RAW).name == "soulread.reproduce.rings:play"


# Real tournaments


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["tournament", *map(str, arguments)], prog_name="soulread")


def test_six_agents_give_the_same_numbers_on_one_process_and_two_and_after_a_kill(tmp_path: Path) -> None:
    words = ["leduc", *SIX, "-n", "20", "-m", "2", "--seed", "7", "--json"]

    def start(cache: str, jobs: int) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "SOULREAD_CACHE": str(tmp_path / cache)}
        command = [sys.executable, "-m", "soulread", "tournament", *words, "-j", str(jobs)]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment)

    one, _ = (first := start("one", 1)).communicate()
    two, _ = start("two", 2).communicate()
    assert first.returncode == 0
    broken = start("broken", 2)
    kept = tmp_path / "broken" / "experiments"
    while broken.poll() is None and (not kept.exists() or len(list(kept.glob("*.safetensors"))) < 7):
        time.sleep(0.01)
    broken.send_signal(signal.SIGKILL)
    broken.communicate()
    assert broken.returncode == -signal.SIGKILL
    assert 7 <= len(list(kept.glob("*.safetensors"))) < 30
    again, _ = start("broken", 1).communicate()
    assert one == two == again
    record = json.loads(one)
    assert (len(record["encounters"]), len(record["bankroll"]), record["matches"]) == (15, 6, 2)
    assert {found["luck"] for found in record["encounters"]} <= {"worth", "aivat"}


def test_tables_of_strategies_give_exact_values(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The equilibrium wins 1/9 from always-call and from random in Kuhn, over both seats."""
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path))
    found = sr.tournament("kuhn", ["always-call", "random", "equilibrium"], hands=20, matches=2)
    assert found.winner == found.run_off_winner == "equilibrium"
    place = found.places[0]
    assert [place.won.mean, place.won.half_width] == pytest.approx([1000 / 9, 0], abs=1e-9)
    assert {found.places[1].agent, found.places[2].agent} == {"random", "always-call"}
    raw = sr.tournament("kuhn", ["always-call", "random", "equilibrium"], hands=20, matches=2, raw=True)
    duel = sr.duel("kuhn", "always-call", "random", hands=20, matches=2, duplicate=True)
    assert_array_equal(raw.encounters[0].profits, duel.profits)  # the matches are those of a duel
    frame = found.to_frame()
    assert frame["agent"][::3].tolist() == [place.agent for place in found.places]
    assert frame["place"][::3].tolist() == [1, 2, 3]
    assert "equilibrium wins" in repr(found)
    assert "<table>" in found._repr_html_()


def test_agents_of_yours_take_part_and_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mybots.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "cache"))
    result = run("kuhn", "random", "loose", "mybots:Tired", "-n", 30, "-m", 2)
    assert result.exit_code == 2
    assert "failed after 0 matches: loose, mybots:Tired: agent 'mybots:Tired' failed" in " ".join(
        result.stdout.split()
    )
    assert "ValueError: I am tired" in " ".join(result.stdout.split())
    assert "Not ranked, since encounters failed: mybots:Tired." in result.stdout
    assert "luck is taken off by AIVAT (1 encounter)" in " ".join(result.stdout.split())
    assert result.stderr == "soulread: 1 of 3 encounters failed\n"
    result = run("kuhn", "random", "mybots:Unmade", "equilibrium", "poki", "--json")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "2 of 4 agents cannot play: agent 'mybots:Unmade' failed" in result.stderr
    assert "'poki' cannot sit at 'kuhn'" in result.stderr
    assert result.stderr.count("\n") == 1


def test_what_cannot_be_played_is_said() -> None:
    for words, message in (
        (("kuhn", "random"), "needs at least 2 agents, but 1 came"),
        (("kuhn", "random", "random"), "'random' is entered twice"),
        (("kuhn", "random", "probe", "--ring"), "seats two; a ring is for tables of more"),
        (
            ("ring-limit:3", "random", "probe", "plain"),
            "seats 3 players, so pairs cannot meet; ask for a ring",
        ),
        (("ring-limit:3", "random", "probe", "--ring"), "needs at least 3 agents, but 2 came"),
        (("kuhn", "random", "probe", "-m", 0), "at least one match, not 0"),
        (("kuhn", "random", "probe", "-n", 0), "at least one hand, not 0"),
        (("kuhn", "random", "probe", "-j", 0), "at least one process, not 0"),
        (("kuhn", "random", "probe", "--clock", 0), "0"),
        (("kuhn", "random", "nobody"), "'nobody' is not an agent"),
        (("kuhn", "random", "probe", "--csv", "-", "--json"), "both print to standard output"),
        (("kuhn", "random", "probe", "--figure", "x.txt"), "is no name for a figure"),
        (("kuhn", "random", "probe", "-n", 10**12), "memory"),
    ):
        result = run(*words)
        assert result.exit_code == 2, result.output
        assert message in result.stderr
    for given in (object(), sr.agent("random", "kuhn")):
        with pytest.raises(SoulreadError, match="cannot enter a tournament: its matches are kept by name"):
            sr.tournament("kuhn", [given, "random"])  # type: ignore[list-item]


def test_a_tournament_is_printed_drawn_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "cache"))
    figure, sheet = tmp_path / "table.svg", tmp_path / "table.csv"
    words = "kuhn", "random", "always-call", "equilibrium", "-n", 50, "-m", 2, "--raw"
    result = run(*words, "--figure", figure, "--csv", sheet)
    assert result.exit_code == 0, result.output
    shown = " ".join(result.stdout.split())
    assert "kuhn: 2 duplicate matches of 50 hands of every pair, seed 0" in shown
    assert "n = 100 duplicate hands" in shown
    assert "Chips count as they fell (3 encounters). Everybody was dealt the same cards." in shown
    assert "total bankroll: equilibrium wins" in shown
    assert "instant run-off: equilibrium wins" in shown
    assert figure.read_bytes().count(b"<svg") == 1
    head, *rows = sheet.read_text().splitlines()
    assert head == "agent,opponent,mb/g,low,high,n,place,run-off"
    assert len(rows) == 9
    assert rows[0].startswith("equilibrium,all,")
    assert rows[0].endswith(",100,1,1")
    again = json.loads(run(*words, "--json").stdout)
    assert again["bankroll"][0]["agent"] == "equilibrium"
    assert run(*words, "--csv", "-").stdout == sheet.read_text()
    assert run(*words, "--csv", sheet).exit_code == 0  # a sheet is known as one, and replaced


def test_what_is_printed_of_a_long_look(capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(1)
    won = pairs(matrix([[0, 2, 2], [0, 0, 0], [0, 0, 0]]), lambda _: rng.normal(size=(30, 2)))
    print_tournament(made_up(won, most=200))
    shown = " ".join(capsys.readouterr().out.split())
    assert "± is half the 95% interval at any time; n = 30 matches." in shown
    assert "decided after 30 matches of at most 200; intervals hold although one looked" in shown
    print_tournament(made_up({pair: chips[:5] for pair, chips in won.items()}, most=200))
    assert "not decided after 5 matches" in " ".join(capsys.readouterr().out.split())
    made_up({pair: chips[:5] for pair, chips in won.items()}, most=200).plot()._repr_svg_()  # no intervals


def test_agents_on_the_clock_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path))
    found = sr.tournament("kuhn", ["dbr", "loose", "random"], hands=10, matches=2, clock=5.0)
    assert (found.clock, found.by_clock) == (5.0, ("dbr",))
    assert [result.encounter.luck.name for result in found.encounters] == ["AIVAT", "AIVAT", "WORTH"]
    assert [result.encounter.agents for result in found.encounters] == [(1, 0), (2, 0), (1, 2)]
    assert found.stand_ins.keys() == {"dbr", "loose", "random"}
    waited = sr.tournament("kuhn", ["dbr", "loose", "random"], hands=10, matches=2)
    assert (waited.clock, waited.by_clock, waited.stand_ins) == (None, (), {})
    assert [result.encounter.luck.name for result in waited.encounters] == ["WORTH"] * 3
