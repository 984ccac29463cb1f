"""Tasks that are kept, and reports."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from named import play_named

from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import DamagedFile, SoulreadError
from soulread.estimate import Estimate
from soulread.report.figures import BarPanel, Bars, Curve, Figure, Level, Panel, draw, spread
from soulread.reproduce.experiments import EXPERIMENTS, run_experiment
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.matches import agents_of, match_task, sample_text, together
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, count_samples, print_report
from soulread.reproduce.kit.verdict import Verdict
from soulread.tasks import ResultStore, Task, Values, kept_as, run_tasks


def double(number: float, size: int) -> Values:
    """A task: its module is this file, under the name pytest gives it."""
    return {"values": np.full(size, 2.0 * number), "twice": 2 * number}


def task(number: float, size: int = 3, version: int = 1) -> Task:
    return Task(double, {"number": number, "size": size}, version)


def test_results_come_back_as_they_were_saved(tmp_path: Path) -> None:
    store = ResultStore(tmp_path / "new" / "folder")
    assert store.load(task(4)) is None
    store.save(task(4), task(4).run(), seconds=1.5)
    result = store.load(task(4))
    assert result is not None
    assert result["values"].tolist() == [8.0, 8.0, 8.0]
    assert result.number("twice") == 8
    assert result["twice"].shape == ()
    assert result.seconds == 1.5


@pytest.mark.parametrize("other", [task(5), task(4, size=2), task(4, version=2)])
def test_other_tasks_have_other_files(other: Task, tmp_path: Path) -> None:
    assert ResultStore(tmp_path).path(other) != ResultStore(tmp_path).path(task(4))


def test_the_order_of_parameters_does_not_matter() -> None:
    turned = Task(double, {"size": 3, "number": 4}, 1)
    assert turned.key == task(4).key


def test_a_name_that_was_given_for_good_outlives_a_move() -> None:
    named = kept_as("old.place:double")(lambda number: {"twice": 2 * number})
    assert Task(named, {"number": 1}).name == "old.place:double"
    assert task(4).name == f"{__name__}:double"
    assert (
        match_task("kuhn", ("uniform", "equilibrium"), 10, 3, 2).key
        == "matches.play-d81bff67c6d621dea900be15"
    )


def test_a_damaged_result_is_refused(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.save(task(4), task(4).run(), seconds=0.0)
    whole = store.path(task(4)).read_bytes()
    for broken in (b"", whole[: len(whole) // 2], b"x" * 100):
        store.path(task(4)).write_bytes(broken)
        with pytest.raises(DamagedFile, match="is not the result of a task, or only a part of one"):
            store.load(task(4))


def test_only_what_is_missing_or_damaged_runs(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    matches = [match_task("kuhn", ("always-call", "random"), 20, 3, number) for number in range(4)]
    told: list[tuple[int, int]] = []
    assert len(list(run_tasks(matches[:2], store))) == 2
    kept = store.path(matches[0]).stat().st_mtime_ns
    whole = store.load(matches[1])
    store.path(matches[1]).write_bytes(store.path(matches[1]).read_bytes()[:-1] + b"x")
    found = list(run_tasks([*matches, *matches], store, jobs=2, progress=lambda *n: told.append(n)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    again = store.load(matches[1])
    assert whole is not None
    assert again is not None
    assert {name: array.tolist() for name, array in again.values.items()} == {
        name: array.tolist() for name, array in whole.values.items()
    }
    assert store.path(matches[0]).stat().st_mtime_ns == kept
    assert sorted(result.task.key for result in found) == sorted(match.key for match in matches)
    assert [list(run_tasks([task(number)], store, stored_only=True)) for number in (1, 2)] == [[], []]


def test_matches_are_those_of_play_matches(tmp_path: Path) -> None:
    agents = "always-raise", "random"
    tasks = [match_task("leduc", agents, 30, 5, number) for number in range(3)]
    result = together(reversed(list(run_tasks(tasks, ResultStore(tmp_path)))))
    expected = play_named("leduc", agents, 30, matches=3, duplicate=True, seed=5)
    assert np.array_equal(result.profits, expected.profits)
    assert plain_data(result) == plain_data(expected)


def test_stored_matches_know_whether_an_agent_learns(tmp_path: Path) -> None:
    pairings = ("dbbr:T=5,k=5", "random"), ("always-call", "dbbr:T=5,k=5"), ("always-call", "random")
    tasks = [match_task("kuhn", agents, 20, 5, number) for agents in pairings for number in range(2)]
    store = ResultStore(tmp_path)
    for each in tasks:
        store.save(each, each.run(), 0.0)
    results = list(run_tasks(tasks, store, stored_only=True))
    found = {
        agents: together(result for result in results if agents_of(result) == agents) for agents in pairings
    }
    assert [found[agents].learning for agents in pairings] == [True, True, False]
    assert [found[agents].sample for agents in pairings] == ["2 matches", "2 matches", "40 duplicate hands"]
    assert sample_text(found.values()) == "2 matches; 40 duplicate hands where no agent learns"
    assert sample_text([found[pairings[2]]]) == "40 duplicate hands"
    assert sample_text([found[pairings[0]]] * 2) == "2 matches"
    for agents in pairings:
        played = play_named("kuhn", agents, 20, matches=2, duplicate=True, seed=5)
        assert (played.learning, played.sample) == (found[agents].learning, found[agents].sample)


def test_samples_are_counted() -> None:
    measures = [Measure("a", "b", Estimate(0.0, 1.0, n)) for n in (20, 1800, 20)]
    assert count_samples(measures, "matches") == "20 to 1,800 matches"
    assert count_samples(measures[::2], "matches") == "20 matches"
    assert count_samples([Measure("a", "b", 0.5), Measure("a", "c", None)], "matches") == ""


def test_an_error_in_a_task_reaches_the_caller(tmp_path: Path) -> None:
    with pytest.raises(SoulreadError, match="'nobody' is not an agent"):
        list(run_tasks([match_task("kuhn", ("nobody", "random"), 1, 0, 0)], ResultStore(tmp_path)))


def test_a_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SoulreadError, match=r"cannot keep results in .*file.*SOULREAD_CACHE"):
        ResultStore(tmp_path / "file" / "store").save(task(1), task(1).run(), 0.0)


@pytest.mark.parametrize("name", ["matches", "hands", "jobs"])
def test_options_are_checked(name: str) -> None:
    expected = "at least one process, not 0" if name == "jobs" else f"{name}=0; expected at least 1"
    with pytest.raises(SoulreadError, match=expected):
        RunOptions(**{name: 0})  # type: ignore[arg-type]


REPORT = Report(
    name="trial",
    title="a trial",
    source="nobody 2000, Table 1",
    settings={"seed": 1},
    tables=(
        ResultTable(
            "win rates",
            "sb/h",
            (
                Measure("ours", "random", Estimate(0.5, 0.1, 100), 0.4, 0.05, Verdict.HOLDS),
                Measure("ours", "fixed", 0.25),
                Measure("other", "random", None, paper=0.1),
                Measure("other", "fixed", Estimate(0.5, float("nan"), 1)),
            ),
            sample="1 to 100 hands",
        ),
    ),
    claims=(
        Claim("more is more", Verdict.HOLDS, "0.5 > 0.4"),
        Claim("less is more", Verdict.FAILS, "no", "It is not."),
        Claim("much is more", Verdict.UNDECIDED, "0.5 ± 0.6"),
    ),
    figures=(
        Figure(
            "curves",
            "a caption",
            (
                Panel(
                    "title",
                    "hands",
                    "sb/h",
                    (Curve("a", (1, 2), (3, 4), (2, 3), (4, 5)), Curve("b", (1, 2), (0, 0), points=True)),
                    (Level("ceiling", 4),),
                ),
                BarPanel(
                    "bars",
                    "sb/h",
                    ("x", "y"),
                    (Bars("a", (1, 2), (0.1, 0.2)),),
                    (Bars("p", (1, float("nan"))),),
                ),
            ),
        ),
    ),
    seconds=12.34,
)


def test_a_report_is_written_to_json_csv_and_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = REPORT.write(tmp_path / "new")
    assert [file.name for file in files] == [
        "trial.json",
        "trial.csv",
        "trial-curves.svg",
        "trial-curves.png",
    ]
    assert all(file.stat().st_size for file in files)
    read = json.loads(files[0].read_text())
    assert read["claims"][1]["explanation"] == "It is not."
    assert [claim["verdict"] for claim in read["claims"]] == ["holds", "does not", "undecided"]
    assert read["figures"][0]["panels"][1]["marks"][0]["heights"] == [1, None]
    with files[1].open() as text:
        rows = list(csv.DictReader(text))
    assert [row["paper"] for row in rows] == ["0.4", "", "0.1", ""]
    assert (rows[0]["mean"], rows[0]["n"], rows[0]["verdict"]) == ("0.5", "100", "holds")
    assert rows[2]["mean"] == ""


def test_a_figure_is_the_same_every_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    paths = tmp_path / "a.svg", tmp_path / "b.svg"
    for path in paths:
        draw(REPORT.figures[0], [path])
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    ("places", "parted"),
    [
        ((0.1, 0.3, 0.9), (0.1, 0.3, 0.9)),  # far enough apart: nobody moves
        ((0.5, 0.5, 0.5), (0.4, 0.5, 0.6)),
        ((0.9, 0.12, 0.1), (0.9, 0.16, 0.06)),  # the order stays
        ((0.2, 0.22, 0.29), (0.13666667, 0.23666667, 0.33666667)),  # a block pushes the next one
    ],
)
def test_names_are_spread_as_little_as_possible(places: tuple[float, ...], parted: tuple[float, ...]) -> None:
    assert spread(np.array(places), 0.1) == pytest.approx(parted)


@pytest.mark.parametrize("number", [4, 5])
def test_more_than_four_curves_are_named_where_they_end(number: int, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    curves = tuple(Curve(f"curve {i}", (1.0, 2.0), (0.0, 0.01 * i)) for i in range(number))
    draw(Figure("x", "y", (Panel("title", "hands", "chips", curves),)), [tmp_path / "x.svg"])
    text = (tmp_path / "x.svg").read_text(encoding="utf-8")
    assert all(text.count(f">curve {i}<") == 1 for i in range(number))  # as text, and once
    assert ("legend_1" in text) == (number == 4)


def test_without_matplotlib_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(SoulreadError, match=r"soulread\[plot\]"):
        draw(REPORT.figures[0], [tmp_path / "a.svg"])


def test_a_report_is_printed_with_both_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(REPORT)
    shown = capsys.readouterr().out
    for part in (
        "0.500 ± 0.198",
        "(0.400)",
        "0.250",
        "n = 1 to 100 hands",
        "holds",
        "does not",
        "undecided",
        "Verdicts follow from the 95% intervals.",
        "It is not.",
    ):
        assert part in shown


def test_unknown_experiments_are_named() -> None:
    with pytest.raises(
        SoulreadError, match=f"'nothing' is not an experiment; known are {next(iter(EXPERIMENTS))}"
    ):
        run_experiment("nothing", RunOptions())


def test_the_command_lists_the_experiments() -> None:
    result = CliRunner().invoke(cli, ["reproduce", "--list"])
    assert result.exit_code == 0
    assert all(name in result.output for name in EXPERIMENTS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "--list shows them"), (["nothing"], "'nothing' is not an experiment; known are")],
)
def test_the_command_says_what_is_wrong(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(cli, ["reproduce", *arguments])
    assert result.exit_code == 2
    assert message in result.output
