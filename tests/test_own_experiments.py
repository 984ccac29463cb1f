"""Experiments that a user wrote: named as module:function, or offered by an installed package."""

from pathlib import Path

import pytest

from soulread.encoding import plain_data
from soulread.errors import ParseError, SoulreadError
from soulread.reproduce.experiments import EXPERIMENTS, known_experiments, run_experiment
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.verdict import Verdict
from soulread.tasks import ResultStore

MODULE = '''
"""An experiment on who wins from whom in Kuhn."""

from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.matches import MatchGrid, match_cells
from soulread.reproduce.kit.report import Claim, Report, ResultTable, measures_of
from soulread.reproduce.kit.verdict import above

ROWS, COLUMNS = ("equilibrium", "always-raise"), ("always-fold", "random")


def folders(options: RunOptions) -> Report:
    """What simple players win from one who always folds."""
    sizes = options.sizes(matches=(2, 20), hands=(30, 1000))
    rows, columns = ({name: name for name in names} for names in (ROWS, COLUMNS))
    cells = match_cells("kuhn", rows, columns, sizes["hands"], options.seed, range(sizes["matches"]))
    found = MatchGrid(cells)
    found.run(options)
    won = {row: found.won(row, "always-fold") for row in ROWS}
    table = ResultTable("won", found.unit.value, measures_of(ROWS, COLUMNS, found.won), found.sample(ROWS))
    claim = Claim.of_all("everybody wins from always-fold", won, above)
    return Report("folders", "who wins", "own", dict(sizes), (table,), (claim,), seconds=found.seconds)


nothing = None
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the module; its package offers the experiment as "stranger-folders"."""
    (tmp_path / "stranger_experiments.py").write_text(MODULE)
    installed = tmp_path / "stranger_experiments-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger-experiments\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(
        "[soulread.experiments]\n"
        "stranger-folders = stranger_experiments:folders\n"
        "zoo = stranger_experiments:folders\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "stranger_experiments"


def test_a_function_is_run_as_an_experiment(module: str, tmp_path: Path) -> None:
    options = RunOptions(quick=True, game="kuhn", store=ResultStore(tmp_path / "store"))
    report = run_experiment(f"{module}:folders", options)
    assert [claim.verdict for claim in report.claims] == [Verdict.HOLDS]
    assert {(measure.row, measure.column) for measure in report.tables[0].measures} >= {
        ("equilibrium", "random"),
        ("always-raise", "always-fold"),
    }
    assert len(list((tmp_path / "store").glob("*.safetensors"))) == 2 * 2 * 2
    assert plain_data(run_experiment("stranger-folders", options)) == plain_data(report)


def test_offered_experiments_are_listed_after_ours(module: str) -> None:
    known = known_experiments()
    assert list(known)[: len(EXPERIMENTS)] == list(EXPERIMENTS)
    assert known["zoo"] == EXPERIMENTS["zoo"]  # a stranger does not take a name of ours
    assert known["stranger-folders"].about == "What simple players win from one who always folds."


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("stranger_experiments:others", ParseError, "has no function 'others'"),
        ("stranger_experiments:nothing", ParseError, "has no function 'nothing'"),
        ("nowhere:folders", SoulreadError, "is not an experiment; known are dbbr-table"),
    ],
)
def test_what_is_no_experiment_is_said(module: str, name: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run_experiment(name, RunOptions())
