"""The page of evidence: made from the kept results alone, and numbers of the documents found in them."""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.reproduce.experiments import EXPERIMENTS
from soulread.reproduce.kit.experiment import published
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.verdict import above

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "evidence"


def load_script(name: str) -> ModuleType:
    """A script of benchmarks as a module."""
    found = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


make = load_script("make_evidence")


def test_the_page_is_that_of_the_kept_results() -> None:
    page = make.page(FOLDER, ROOT)
    assert (ROOT / "docs" / "evidence.md").read_text(encoding="utf-8") == page, (
        "docs/evidence.md is not what the kept results say; run python benchmarks/make_evidence.py"
    )
    for link in re.findall(r"\]\((evidence/[^)]+)\)", page):
        assert (ROOT / "docs" / link).exists(), f"docs/evidence.md shows {link}, which is not there"


def test_verdicts_of_the_readme_are_those_of_the_kept_results() -> None:
    kept = make.kept_evidence(FOLDER)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    told = make.with_verdicts(text, kept, make.missing_evidence(kept.values()))
    assert text == told, "README.md tells other verdicts; run python benchmarks/make_evidence.py"
    assert "4 hold<!--" in make.with_verdicts("<!-- verdict: profile-leaks --><!-- /verdict -->", kept, {})
    with pytest.raises(SoulreadError, match="is no experiment"):
        make.with_verdicts("<!-- verdict: none-such --><!-- /verdict -->", kept, {})


def test_numbers_of_the_documents_are_in_the_kept_results() -> None:
    kept = make.kept_evidence(FOLDER)
    wrong = {
        f"{passage.document}, line {passage.line}": missing
        for passage in make.passages(ROOT)
        if set(passage.names) <= set(kept)
        and (missing := make.not_found(passage.text, [kept[name] for name in passage.names]))
    }
    assert not wrong, "numbers that the kept results do not tell; mend the text, or the mark around it"


def test_marks_name_experiments() -> None:
    known = {*EXPERIMENTS, "zoo-leduc", "zoo-limit"} - {"zoo"}
    for passage in make.passages(ROOT):
        assert set(passage.names) <= known, f"{passage.document}, line {passage.line}"
    for path in make._documents_of(ROOT):
        text = path.read_text(encoding="utf-8")
        opened, closed = text.count("<!-- evidence:"), text.count("<!-- /evidence -->")
        assert opened == closed == len(make._BLOCK.findall(text)), path


def test_every_experiment_belongs_to_a_paper() -> None:
    named = [name for paper in published("papers")["papers"] for name in paper["experiments"]]
    assert sorted(named) == sorted(EXPERIMENTS)
    assert all(entry.hours > 0 for entry in EXPERIMENTS.values())


def test_kept_results_are_small_and_hold_no_hands() -> None:
    for path in FOLDER.glob("*.json"):
        assert path.stat().st_size < 2_000_000, path
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 8_000_000


@pytest.fixture
def evidence() -> object:
    measures = [
        Measure("a", "won", Estimate(0.1234, 0.01, 1000), paper=0.5),
        Measure("b", "won", 0.25),
        Measure("c", "won", Estimate(-3.0, 1.0, 1)),
    ]
    claims = (
        Claim.judged("a is above 0.12", above(Estimate(0.1234, 0.01, 1000), 0.12), "more by 7.1 ± 0.4"),
    )
    table = ResultTable("t", "sb/h", measures)
    return make.Evidence("x", "x", Report("x", "x", "own", {"seed": 1}, (table,), claims, seconds=7200), "x")


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("won 0.123 ± 0.020, 12.3% ± 2.0", []),
        (".12 and 12%, the paper .5, exactly 25%, 7.1 ± .4", []),
        ("| **0.12 ± 0.02** | −3.0 |", []),
        ("0.124 ± 0.020", ["0.124 ± 0.020"]),
        ("0.123 ± 0.021", ["0.123 ± 0.021"]),
        ("0.25 ± 0.02", ["0.25 ± 0.02"]),  # both are there, but not of one number
        ("7.2 of 100,000 in 3 matches", ["7.2"]),
        ("13%", ["13%"]),
        ("3.0", ["3.0"]),  # the sign counts
        ("limit:5-5-5-5, version 0.1.0, `a.b`", []),
    ],
)
def test_numbers_are_looked_up_as_they_are_written(evidence: object, text: str, missing: list[str]) -> None:
    assert make.not_found(text, [evidence]) == missing


def test_an_undecided_claim_says_what_it_takes(evidence: object) -> None:
    section = make._section(evidence)
    assert "undecided: about n = " in section
    assert "h of CPU time more" in section
    assert "| t: a, won | 0.500 | 0.123 ± 0.020 | 1,000 | sb/h |" in section


def test_the_readme_has_no_number_without_a_report() -> None:
    """Code runs as a doctest, verdicts come from reports; all else has no decimals and no intervals."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for pattern in (make._BLOCK, make._VERDICTS):
        text = pattern.sub(" ", text)
    for code in (r"```.*?```", r"!\[.*?\]", r"`.*?`"):
        text = re.sub(code, " ", text, flags=re.S)
    assert not make._DECIMAL.findall(re.sub(r"Python \d\.\d+", "", text))
    assert "±" not in text


def test_a_table_without_a_report_says_how_old_it_is(tmp_path: Path) -> None:
    table = "| a |\n|---|\n| 1 ± 2 |\n"
    stamp = "<!-- measured: 2026-11-16, commit 2da73e86; no report is kept -->\n\n"
    (tmp_path / "README.md").write_text(f"{stamp}{table}\nOther words.\n\n{table}")
    assert make.unmarked_tables(tmp_path) == {"README.md": [("2026-11-16", "2da73e86"), None]}


def test_tables_without_a_mark_are_counted(tmp_path: Path) -> None:
    (tmp_path / "docs" / "methods").mkdir(parents=True)
    table = "| a |\n|---|\n| 1 ± 2 |\n"
    text = f"{table}\n<!-- evidence: zoo-limit table -->\n{table}<!-- /evidence -->\n\n| b |\n|---|\n| 1 |\n"
    (tmp_path / "docs" / "methods" / "x.md").write_text(text)
    (tmp_path / "README.md").write_text("none")
    assert make.unmarked_tables(tmp_path) == {"docs/methods/x.md": [None]}
    (passage,) = make.passages(tmp_path)
    assert (passage.document, passage.line, passage.names) == ("docs/methods/x.md", 5, ("zoo-limit", "table"))
