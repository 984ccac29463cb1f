"""Files of kept results: a report from the file alone, runs that go on, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from soulread.encoding import plain_data
from soulread.errors import DamagedFile, SoulreadError
from soulread.reproduce.experiments import run_experiment
from soulread.reproduce.kit import matches
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import RunOptions, keeping
from soulread.reproduce.kit.kept import KeptResults, command_of, identity
from soulread.reproduce.kit.looks import OLDER
from soulread.reproduce.kit.matches import MatchGrid, match_cells
from soulread.reproduce.kit.report import Claim, Report, ResultTable, measures_of
from soulread.reproduce.kit.verdict import above
from soulread.tasks import ResultStore, Task, TaskResult, Values, kept_as

ROWS, COLUMNS = ("equilibrium", "always-raise"), ("always-fold", "random")
NAME = "test_kept:folders"


def folders(options: RunOptions) -> Report:
    """What simple players win in Kuhn."""
    sizes = options.sizes(matches=(2, 20), hands=(30, 1000))
    rows, columns = ({name: name for name in names} for names in (ROWS, COLUMNS))
    cells = match_cells("kuhn", rows, columns, sizes["hands"], options.seed, range(sizes["matches"]))
    found = MatchGrid(cells)
    found.run(options)
    won = {row: found.won(row, "random") for row in ROWS}
    table = ResultTable("won", found.unit.value, measures_of(ROWS, COLUMNS, found.won), found.sample(ROWS))
    fact = {"players": options.fact("players", lambda: len(ROWS))}
    claim = Claim.of_all("everybody wins from random", won, above)
    settings = {**sizes, **fact}
    return Report("folders", "who wins", "own", settings, (table,), (claim,), seconds=found.seconds)


def options(where: Path, store: str = "store", **others: Any) -> RunOptions:
    return RunOptions(
        **{"quick": True, "store": ResultStore(where / store), "kept": str(where / "kept.json"), **others}
    )


def told(report: Report) -> Any:
    """A report without its CPU time, which a file keeps to a tenth of a second."""
    return plain_data(replace(report, seconds=0.0))


def test_a_report_is_made_from_the_file_alone(tmp_path: Path) -> None:
    without = run_experiment(NAME, options(tmp_path, kept=None))
    first = run_experiment(NAME, options(tmp_path))
    assert told(first) == told(without)
    again = run_experiment(NAME, options(tmp_path, "elsewhere", stored_only=True))
    assert told(again) == told(first)
    assert not list((tmp_path / "elsewhere").glob("matches.play*"))
    kept = KeptResults.read(tmp_path / "kept.json")
    assert kept.experiment == NAME
    assert kept.choices == {"quick": True, "seed": 1}
    assert kept.facts == {"players": 2}
    assert kept.first == ""
    assert len(kept.entries) == 2 * 2 * 2
    assert all(set(entry["values"]) == {"profits", "learning"} for entry in kept.entries.values())
    before = (tmp_path / "kept.json").read_bytes()
    run_experiment(NAME, options(tmp_path))
    assert (tmp_path / "kept.json").read_bytes() == before  # nothing new, nothing written


def test_a_run_goes_on_on_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_experiment(NAME, options(tmp_path))
    more = run_experiment(NAME, options(tmp_path, "elsewhere", matches=3))
    played = list((tmp_path / "elsewhere").glob("matches.play*"))
    assert len(played) == 2 * 2  # only the third match of each pairing
    assert any("confidence sequences" in note for note in more.notes)  # the first look is in the file
    whole = run_experiment(NAME, options(tmp_path, "third", kept=None, matches=3))
    assert told(replace(more, notes=(), claims=())) == told(replace(whole, notes=(), claims=()))
    again = run_experiment(NAME, options(tmp_path, "fourth", matches=3, stored_only=True))
    assert told(again) == told(more)


def test_one_changed_byte_is_noticed(tmp_path: Path) -> None:
    run_experiment(NAME, options(tmp_path))
    path = tmp_path / "kept.json"
    content = path.read_bytes()
    for place in range(0, len(content), 97):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(SoulreadError):
            KeptResults.read(path)


def test_files_of_something_else_are_refused(tmp_path: Path) -> None:
    run_experiment(NAME, options(tmp_path))
    with pytest.raises(SoulreadError, match=r"holds results of .*--quick.*seed 1.*not of .*seed 2"):
        run_experiment(NAME, options(tmp_path, seed=2))
    with pytest.raises(SoulreadError, match="not of 'soulread reproduce spot-locks"):
        run_experiment("spot-locks", options(tmp_path))
    (tmp_path / "other.json").write_text('{"seal": "no"}')
    with pytest.raises(DamagedFile):
        run_experiment(NAME, options(tmp_path, kept=str(tmp_path / "other.json")))
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(SoulreadError):
        run_experiment(NAME, options(tmp_path, kept=str(tmp_path / "notes.txt")))


def test_results_of_another_version_serve_a_report_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_experiment(NAME, options(tmp_path))
    monkeypatch.setattr(matches, "VERSION", matches.VERSION + 1)
    with pytest.raises(SoulreadError, match="choose another file, or report on it with --finished"):
        run_experiment(NAME, options(tmp_path))
    report = run_experiment(NAME, options(tmp_path, stored_only=True))
    assert OLDER in report.notes
    assert all(measure.ours is not None for measure in report.tables[0].measures)


def test_a_report_on_data_that_are_elsewhere(tmp_path: Path) -> None:
    data = tmp_path / "hands"  # a folder without hands
    data.mkdir()
    with keeping("toy", options(tmp_path, data=(str(data),))) as chosen:
        assert chosen.results is not None
        there = hands_of(chosen, None)
        given = result(store=str(there))
        chosen.results.add(given, chosen.store.directory)
    assert there is not None
    data.rmdir()
    elsewhere = options(tmp_path, "elsewhere", data=("hands",), stored_only=True)
    with keeping("toy", elsewhere) as chosen:
        assert hands_of(chosen, None) is None  # there is nothing to read
        path = hands_of(chosen, None, only_named=True)
        assert path == tmp_path / "elsewhere" / there.name
        assert chosen.results is not None
        task = result(store=str(path)).task
        assert chosen.results.load(task, chosen.store.directory, going_on=False) is not None


# What is kept of a result -------------------------------------------------------------------------


@kept_as("soulread.tests:squares")
def squares(count: int, store: str = "") -> Values:
    return {"squares": np.arange(count) ** 2.0, "unused": np.zeros(1000)}


def result(count: int = 50, **others: Any) -> TaskResult:
    task = Task(squares, {"count": count, **others})
    return TaskResult(task, {name: np.asarray(value) for name, value in task.run().items()}, 1.25)


def test_only_what_is_asked_for_is_kept(tmp_path: Path) -> None:
    given = result()
    with keeping("toy", options(tmp_path)) as chosen:
        assert chosen.results is not None
        chosen.results.add(given, chosen.store.directory)
        total = given.summary("sum", lambda one: float(one["squares"].sum()))
    assert total == 40425
    (entry,) = KeptResults.read(tmp_path / "kept.json").entries.values()
    assert entry["values"] == {"sum": 40425.0}
    assert entry["parameters"] == {"count": 50}
    with keeping("toy", options(tmp_path)) as chosen:
        assert chosen.results is not None
        found = chosen.results.load(given.task, chosen.store.directory, going_on=True)
        assert found is not None
        chosen.results.add(found, chosen.store.directory)
        assert found.summary("sum", lambda one: pytest.fail("it is kept")) == 40425
        with pytest.raises(SoulreadError, match="has no 'squares'"):
            found["squares"]
        with pytest.raises(SoulreadError, match="has no 'squares'"):
            found.summary("mean", lambda one: one["squares"].mean())


def test_players_are_not_named_and_stores_lie_elsewhere(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    here = result(store=f"{one}/hands-1.db").task
    there = result(store=f"{other}/hands-1.db").task
    assert identity(here, one) == identity(there, other)
    assert identity(here, one) != identity(result(store=f"{one}/hands-2.db").task, one)
    with keeping("toy", options(tmp_path)) as chosen:
        assert chosen.results is not None
        given = result(store=f"{one}/hands-1.db")
        chosen.results.add(given, one)
        given.summary("count", lambda one: float(one["squares"].size))
    (entry,) = json.loads((tmp_path / "kept.json").read_text())["tasks"]
    assert "parameters" not in entry


def test_no_file_is_made_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(SoulreadError, match="does not exist, and no part of"):
        run_experiment(NAME, options(tmp_path, stored_only=True))
    assert not (tmp_path / "kept.json").exists()


def test_a_run_that_was_broken_off_gets_its_file(tmp_path: Path) -> None:
    run_experiment(NAME, options(tmp_path, kept=None, matches=1))
    report = run_experiment(NAME, options(tmp_path, stored_only=True))
    assert any("not finished" in note or "another number" in note for note in report.notes)
    kept = KeptResults.read(tmp_path / "kept.json")
    assert len(kept.entries) == 2 * 2
    assert kept.first is None  # the number was not fixed beforehand


def test_the_number_of_matches_is_that_of_the_file(tmp_path: Path) -> None:
    run_experiment(NAME, options(tmp_path, matches=3))
    before = (tmp_path / "kept.json").read_bytes()
    report = run_experiment(NAME, options(tmp_path, "elsewhere", stored_only=True))
    assert report.settings["matches"] == 3
    assert (tmp_path / "kept.json").read_bytes() == before


def test_commands_ask_for_the_same_report() -> None:
    chosen = RunOptions(quick=True, matches=3, game="limit", players=("soul", "dbbr"), data=("a/b.tgz",))
    assert command_of("zoo", chosen.choices) == (
        "soulread reproduce zoo --quick --matches 3 --game limit --data b.tgz --agents soul --agents dbbr"
    )
    assert command_of("zoo", RunOptions(seed=7).choices) == "soulread reproduce zoo --seed 7"
