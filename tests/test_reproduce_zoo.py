"""The experiment on the zoo: who meets whom, what follows from the matches, and what is said about it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from named import compile_source, make_agent, play_named

from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Sampling, Unit
from soulread.games.named import parse_game
from soulread.play.opponents.zoo import ZooOpponent, zoo
from soulread.play.tabular import TabularAgent
from soulread.reproduce.experiments import run_experiment
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.limit_table import LimitSetup, opponents_over
from soulread.reproduce.kit.matches import MatchGrid, match_task, together
from soulread.reproduce.kit.means import average
from soulread.reproduce.kit.report import Report
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.ours.zoo import ZooSetup, judge_zoo
from soulread.reproduce.ours.zoo_ceilings import limits
from soulread.reproduce.ours.zoo_matches import ZooMatches, meeting_task, some_of_each
from soulread.reproduce.ours.zoo_tables import DBBR, worst_opponent
from soulread.respond.counter import pair_of
from soulread.tasks import ResultStore, Task, TaskResult, run_tasks

Won = Callable[[str, str, int], float]  # mb/g of a player's text against an opponent's, by hand


def made(task: Task, won: Won, promise: float = 20.0) -> TaskResult:
    """A result that was made up: what a player wins, with noise that is the same for all players."""
    if "agents" not in task.parameters:
        known = "skew" in task.text
        most = {"usual": 0.02, "ceiling": 0.4, "within": 0.1}
        return TaskResult(task, {name: np.array(x if known else np.nan) for name, x in most.items()}, 1.0)
    agents = task.parameters["agents"]
    assert isinstance(agents, list)
    hands, number = (int(str(task.parameters[name])) for name in ("hands", "number"))
    rng = np.random.default_rng(number)
    luck = rng.normal(0, 0.05, hands)
    chips = np.array([won(agents[0], agents[1], hand) for hand in range(hands)]) * 2 / 1000 + luck
    values = {"profits": chips + 5, "less_luck": chips, "learning": np.array(1.0)}
    if "usual" in task.parameters:
        usual = [won(str(task.parameters["usual"]), agents[1], hand) for hand in range(hands)]
        values["usual"] = np.array(usual) * 2 / 1000 + luck
    if agents[0] != "equilibrium":
        values |= {"gain": np.full(hands, promise * 2 / 1000)}
    return TaskResult(task, values, 1.0)


class MadeUp(RunOptions):
    """Options whose tasks are not run."""

    won: Won

    def run(self, tasks):
        return (made(task, self.won) for task in tasks)


def report(won: Won, tmp_path: Path) -> Report:
    options = MadeUp(
        game="leduc", quick=True, hands=220, matches=10, store=ResultStore(tmp_path), stored_only=True
    )
    object.__setattr__(options, "won", won)
    return judge_zoo(options)


def plain(player: str, opponent: str, hand: int) -> float:
    """An equilibrium that wins 10 mb/g, soul 40, and the others 30."""
    return 10.0 if player == "equilibrium" else 40.0 if player == "soul" else 30.0


def cells(found: Report, title: str) -> dict[tuple[str, str], Estimate | float | None]:
    (table,) = [table for table in found.tables if table.title.startswith(title)]
    return {(measure.row, measure.column): measure.ours for measure in table.measures}


def test_only_opponents_for_judging_are_met() -> None:
    for game in ("leduc", "limit"):
        setup = ZooSetup.of(RunOptions(game=game))
        assert set(setup.opponents) == set(zoo(parse_game(game), role="judging"))
        some = ZooSetup.of(RunOptions(game=game, quick=True)).opponents
        assert set(some) < set(setup.opponents)
        assert {opponent.family for opponent in some} == {opponent.family for opponent in setup.opponents}
        assert all(setup.players[player].startswith("dbbr:") for player in DBBR)
    assert "learner" in ZooSetup.of(RunOptions(game="leduc")).players
    assert "learner" not in ZooSetup.of(RunOptions(game="limit")).players


def test_all_players_have_the_same_cards_and_no_two_opponents_do() -> None:
    setup = ZooSetup.of(RunOptions(game="leduc"))
    numbers: dict[int, set[str]] = {}
    played = len(setup.players) - 1  # the equilibrium plays only where the opponent learns from it
    for task in setup.tasks:
        if "agents" in task.parameters:
            agents = task.parameters["agents"]
            assert isinstance(agents, list)
            numbers.setdefault(int(str(task.parameters["number"])), set()).add(agents[1])
    assert all(len(opponents) == 1 for opponents in numbers.values())
    assert len(numbers) == len(setup.opponents) * setup.matches
    families = [task.text for task in setup.tasks if "agents" in task.parameters][: 8 * played + 1]
    assert sum("deceiver" in text for text in families) == played  # every family has had its turn
    alone = [task for task in setup.tasks if task.text.count('["equilibrium",')]
    learning = [opponent.agent for opponent in setup.opponents if opponent.family == "adaptive"]
    assert [task.parameters["agents"][1] for task in alone[: len(learning)]] == learning  # type: ignore
    assert len(alone) == len(learning) * setup.matches


def test_some_of_each_family_are_spread_over_it() -> None:
    every = [ZooOpponent("a", str(i), f"a{i}") for i in range(7)] + [ZooOpponent("b", "x", "b")]
    assert [opponent.label for opponent in some_of_each(every, 3)] == ["0", "2", "4", "x"]
    assert some_of_each(every, None) == tuple(every)
    with pytest.raises(SoulreadError, match="match 1000; an opponent has at most 1000 matches"):
        meeting_task("leduc", "soul", every[0], 10, 1, 1000)


OPPONENT = ZooOpponent("bent", "one", "skew:loose=0.1")
PLAYERS = {"equilibrium": "equilibrium", "soul": "soul", "dbbr": "dbbr"}


def zoo_matches(opponent: ZooOpponent, results: list[TaskResult]) -> ZooMatches:
    return ZooMatches("leduc", PLAYERS, [opponent], 40, 5, 1, results=results)


def matches(
    won: Won, count: int, players: tuple[str, ...] = tuple(PLAYERS), hands: int = 40
) -> list[TaskResult]:
    return [
        made(meeting_task("leduc", PLAYERS[player], OPPONENT, hands, 1, number), won)
        for player in players
        for number in range(count)
    ]


def test_differences_are_paired() -> None:
    """The noise is the same for all players, so differences have none of it."""
    rates = {"equilibrium": 10.0, "soul": 60.0, "dbbr": 80.0}
    found = zoo_matches(OPPONENT, matches(lambda player, *_: rates[player], 5))
    won, gain = found.won("soul", OPPONENT), found.gain("soul", OPPONENT)
    assert won is not None
    assert gain is not None
    assert won.n == 5
    assert won.standard_error > 1
    assert gain.mean == pytest.approx(50)
    assert gain.standard_error == pytest.approx(0, abs=1e-9)
    excess = found.excess("soul", "dbbr", 0.7, OPPONENT)
    assert excess is not None
    assert excess.mean == pytest.approx(50 - 0.7 * 70)
    regret = found.regret("soul", "dbbr", OPPONENT)
    assert regret is not None
    assert regret.mean == pytest.approx(20)
    raw = found.won("soul", OPPONENT, raw=True)
    assert raw is not None
    assert raw.mean == pytest.approx(won.mean + 2500)


def test_only_matches_that_both_played_are_compared() -> None:
    """The equilibrium meets opponents who learn in matches of its own."""
    learner = ZooOpponent("adaptive", "one", "dbr")
    results = [
        replace(result, values={name: x for name, x in result.values.items() if name != "usual"})
        for player, count in (("equilibrium", 5), ("soul", 3))
        for number in range(count)
        for task in [meeting_task("leduc", player, learner, 40, 1, number)]
        for result in [made(task, lambda player, *_: 7.0 if player == "soul" else 0.0)]
    ]
    found = zoo_matches(learner, results)
    gain = found.gain("soul", learner)
    assert gain is not None
    assert gain.n == 3
    assert gain.mean == pytest.approx(7)
    assert found.sample == "3 to 5 matches for each opponent"
    assert found.gain("dbbr", learner) is None
    assert found.regret("soul", "dbbr", learner) is None


def test_one_match_decides_nothing_about_its_opponent() -> None:
    """Then the samples of a family are its opponents."""
    others = [ZooOpponent("bent", str(i), f"skew:loose=0.{i}") for i in (1, 2, 3)]
    rates = {"skew:loose=0.1": 10.0, "skew:loose=0.2": 20.0, "skew:loose=0.3": 60.0}

    def won(player: str, opponent: str, hand: int) -> float:
        return rates[opponent] if player == "soul" else 0.0

    results = [made(meeting_task("leduc", "soul", opponent, 40, 1, 0), won) for opponent in others]
    found = ZooMatches("leduc", PLAYERS, others, 40, 1, 1, results=results)
    single, family = found.gain("soul", others[0]), found.family_gain("soul", "bent")
    assert single is not None
    assert single.n == 1
    assert single.mean == pytest.approx(10)
    assert family is not None
    assert family.mean == pytest.approx(30)
    assert family.n == 3
    assert family.standard_error == pytest.approx(np.std([10, 20, 60], ddof=1) / 3**0.5)
    assert "one match with each" in found.sample


def test_promises_count_where_there_are_some() -> None:
    """Promised 20 in the second half of each match, and gained 10 there and 100 before."""

    def won(player: str, opponent: str, hand: int) -> float:
        return 5.0 if player == "equilibrium" else 105.0 if hand < 20 else 15.0

    results = matches(won, 3, ("soul",))
    for result in results:
        if "gain" in result.values:
            result["gain"][:20] = 0.0
    found = zoo_matches(OPPONENT, results)
    kept = found.kept("soul", OPPONENT)
    assert kept is not None
    assert kept.promised.mean == pytest.approx(20)
    assert kept.won.mean == pytest.approx(10)
    assert kept.difference.mean == pytest.approx(-10)
    assert kept.promising == 0.5
    for result in results:
        if "gain" in result.values:
            result["gain"][:] = np.nan
    assert zoo_matches(OPPONENT, results).kept("soul", OPPONENT) is None
    alone = [
        replace(result, values={name: x for name, x in result.values.items() if name != "usual"})
        for result in matches(won, 3, ("soul",))
    ]
    assert zoo_matches(OPPONENT, alone).kept("soul", OPPONENT) is None  # nothing to compare with


def test_the_mean_of_means() -> None:
    """By hand: standard errors 3 and 4 of two means give 5 / 2; Welch: 625 / (81/3 + 256/7) = 9.8."""
    mean = Estimate.average([Estimate(1.0, 3.0, 4), Estimate(4.0, 4.0, 8)])
    assert (mean.mean, mean.standard_error, mean.n) == (2.5, 2.5, 10)
    assert Estimate.average([Estimate(1.0, 0.0, 4), Estimate(3.0, 0.0, 8)]) == Estimate(2.0, 0.0, 4)
    single = Estimate.average([Estimate(1.0, float("nan"), 1), Estimate(3.0, 1.0, 8)])
    assert single.mean == 2.0
    assert single.n == 1
    with pytest.raises(SoulreadError, match="at least one"):
        Estimate.average([])
    assert average([None]) is None
    assert average([None, Estimate(1.0, 2.0, 3)]) == Estimate(1.0, 2.0, 3)


def test_a_good_agent_is_praised(tmp_path: Path) -> None:
    found = report(plain, tmp_path)
    verdicts = [claim.verdict for claim in found.claims]
    assert verdicts[:5] == [Verdict.HOLDS] * 5
    assert verdicts[5:] == [Verdict.HOLDS] * 3  # it gained 30 and promised 20, which is near enough
    gains = cells(found, "mean gain over the equilibrium by family, what")
    mean = gains["bent (3)", "soul"]
    assert isinstance(mean, Estimate)
    assert mean.mean == pytest.approx(30)
    shares = cells(found, "share of what")
    assert shares["bent (3)", "soul, mean of the match"] == pytest.approx(100 * 30 / 190)
    assert shares["bent (3)", "soul, after 100"] == pytest.approx(100 * 30 / 190)
    assert shares["bent (3)", "within the budget"] == pytest.approx(40)
    regret = cells(found, "regret")["rules", "soul"]
    assert isinstance(regret, Estimate)
    assert regret.mean == pytest.approx(-10)
    assert any("judging" in note and "choose_soul.py" in note for note in found.notes)
    assert {figure.name for figure in found.figures} == {"curves", "gains", "promises"}


def test_one_bad_opponent_is_enough(tmp_path: Path) -> None:
    def won(player: str, opponent: str, hand: int) -> float:
        harmed = player == "soul" and opponent == "rule:number=20"
        return -30.0 if harmed else plain(player, opponent, hand)

    found = report(won, tmp_path)
    verdicts = [claim.verdict for claim in found.claims]
    assert verdicts[0] is Verdict.HOLDS
    assert verdicts[2] is Verdict.FAILS
    assert "rules: rule 20 -40.0" in found.claims[2].evidence
    worst = cells(found, "the worst opponents")["worst of all for soul: rules: rule 20", "gain"]
    assert isinstance(worst, Estimate)
    assert worst.mean == pytest.approx(-40)


def test_deceivers_are_judged_after_their_strike(tmp_path: Path) -> None:
    """They strike in hand 200 of 220 and win 300 there; over the whole match soul is far ahead."""

    def won(player: str, opponent: str, hand: int) -> float:
        struck = player == "soul" and opponent.startswith("deceiver") and hand >= 200
        return -300.0 if struck else plain(player, opponent, hand)

    found = report(won, tmp_path)
    assert found.claims[4].verdict is Verdict.FAILS
    assert found.claims[2].verdict is Verdict.HOLDS


def test_the_strike_is_read_from_the_deceiver() -> None:
    deceiver = ZooOpponent("deceivers", "x", "deceiver:hands=30|loose:0.5")
    results = [
        made(
            meeting_task("leduc", "soul", deceiver, 40, 1, number),
            lambda _p, _o, hand: float(hand >= 30) * 90,
        )
        for number in range(3)
    ]
    found = zoo_matches(deceiver, results)
    won = found.won_after_strike("soul", deceiver)
    assert won is not None
    assert won.mean == pytest.approx(90, abs=15)
    assert zoo_matches(OPPONENT, matches(lambda *_: 0.0, 2)).won_after_strike("soul", OPPONENT) is None
    assert worst_opponent(found, "dbbr") is None


@pytest.mark.parametrize("game", ["kuhn", "leduc:iso"])
def test_ceilings_of_tables_are_their_exploitability(game: str) -> None:
    compiled = compile_source(game)
    agent = make_agent("loose:0.4", parse_game(game))
    assert isinstance(agent, TabularAgent)
    expected = pair_of(compiled, agent.strategy.behaviours).exploitability
    most = limits(game, "loose:0.4", 100.0)
    assert most["ceiling"] == pytest.approx(expected)
    assert most["usual"] - 1e-9 <= most["within"] <= most["ceiling"] + 1e-9
    assert limits(game, "loose:0.4", 1e5)["within"] == pytest.approx(expected)
    assert limits(game, "loose:0.4", 0.0)["within"] == pytest.approx(most["usual"], abs=0.05)
    assert np.isnan(limits(game, "loose:0.4")["within"])
    assert limits(game, "equilibrium")["ceiling"] == pytest.approx(0, abs=1e-6)
    assert np.isnan(limits(game, "dbr")["ceiling"])


@pytest.mark.parametrize("agent", ["rule:number=12", "person:number=3"])
def test_ceilings_of_players_who_follow_rules(agent: str) -> None:
    """Nobody wins more than the ceiling: not even the equilibrium, which wins something."""
    found = limits("leduc:iso", agent)
    most = found["ceiling"]
    result = play_named("leduc:iso", ("equilibrium", agent), 300, duplicate=True, aivat=True)
    assert result.less_luck is not None
    won = Sampling(1, 300, False).estimate(result.less_luck)
    assert 0 < won.mean < most < 2
    low, high = won.interval
    assert low < found["usual"] < high


def test_luck_is_taken_off_as_in_a_duel(tmp_path: Path) -> None:
    agents = "dbbr:T=5,k=5", "loose:0.4"
    tasks = [match_task("kuhn", agents, 20, 5, number, aivat=True, explain=True) for number in range(2)]
    assert tasks[0].key != match_task("kuhn", agents, 20, 5, 0).key
    for task in tasks:
        ResultStore(tmp_path).save(task, task.run(), 0.0)
    results = list(run_tasks(tasks, ResultStore(tmp_path), stored_only=True))
    found = together(results)
    expected = play_named("kuhn", agents, 20, matches=2, duplicate=True, seed=5, aivat=True, explain=True)
    assert np.array_equal(found.profits, expected.profits)
    assert found.less_luck is not None
    assert expected.less_luck is not None
    assert np.array_equal(found.less_luck, expected.less_luck)
    notes = expected.notes[0]
    assert notes is not None
    assert np.array_equal(np.stack([result["gain"] for result in results]), notes.gain)


def test_experiments_with_dbbr_can_take_luck_off() -> None:
    """The raw figures stay as they are, and a table of its own has the others."""
    setup = LimitSetup.of(RunOptions())
    for aivat in (True, False):
        cells = setup.cells(setup.rows, opponents_over(setup.abstraction), aivat=aivat)
        assert cells["equilibrium", "random"][0].parameters.get("aivat", False) is aivat
    agents = "equilibrium", "loose:0.4"
    task = match_task("kuhn", agents, 20, 5, 0, aivat=True)
    values = {name: np.asarray(value) for name, value in task.run().items()}
    played = TaskResult(task, values, 0.0)
    found = MatchGrid({("equilibrium", "loose"): [task]}, [played], Unit.MILLIBETS)
    (table,) = found.luckless(["equilibrium"], digits=1)
    assert [measure.ours for measure in table.measures] == [
        together([played]).estimate_less_luck(Unit.MILLIBETS)
    ]
    raw = TaskResult(task, {name: values[name] for name in ("profits", "learning")}, 0.0)
    assert MatchGrid(found.cells, [raw]).luckless(["equilibrium"]) == ()


def test_agents_without_a_model_promise_nothing() -> None:
    values = match_task("kuhn", ("equilibrium", "loose:0.4"), 10, 5, 0, aivat=True, explain=True).run()
    assert set(values) == {"profits", "learning", "less_luck"}


@pytest.mark.compiled
def test_matches_of_kuhn_to_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real matches, of two opponents."""
    game = parse_game("kuhn")
    chosen = (zoo(game, "judging", "bent")[0], zoo(game, "judging", "deceivers")[1])
    monkeypatch.setattr(ZooSetup, "opponents", chosen)
    monkeypatch.setattr(
        ZooSetup,
        "players",
        {
            "equilibrium": "equilibrium",
            "soul": "soul:T=5,k=20",
            DBBR[0]: "dbbr:T=5",
            DBBR[1]: "dbbr:T=5,method=l1",
        },
    )
    options = RunOptions(game="kuhn", quick=True, hands=60, matches=2, store=ResultStore(tmp_path))
    for task in ZooSetup.of(options).tasks:
        options.store.save(task, task.run(), 0.5)
    found = run_experiment(
        "zoo",
        RunOptions(
            game="kuhn", quick=True, hands=60, matches=2, store=ResultStore(tmp_path), stored_only=True
        ),
    )
    assert found.seconds == 0.5 * (2 + 2 * 2 * 3)  # what can be won, and the matches of three players
    promised = cells(found, "gain over the equilibrium, promised")["soul: bent", "promised"]
    assert isinstance(promised, Estimate)
    files = found.write(tmp_path / "out")
    assert {file.name for file in files} >= {"zoo-kuhn.json", "zoo-kuhn.csv", "zoo-kuhn-gains.png"}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("rnr-limits", {"aivat": True}, "'rnr-limits' has no option 'aivat'; it is one of dbbr-table"),
        ("dbbr-table", {"game": "leduc"}, "'dbbr-table' has no option 'game'; it is one of zoo"),
        ("zoo", {"game": "nolimit"}, "there is no zoo of"),
    ],
)
def test_options_that_an_experiment_does_not_have(
    name: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(SoulreadError, match=message):
        run_experiment(name, RunOptions(**options))  # type: ignore[arg-type]
