"""Reports of experiments: our numbers beside the published ones, and verdicts on claims.

`Report.write` gives ``NAME.json`` (everything), ``NAME.csv`` (every measure in a row of its own) and the
figures ``NAME-FIGURE.svg`` and ``.png``; `print_report` shows it in the terminal.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.text import Text

from soulread import __version__
from soulread.encoding import json_text, keys, plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.report.figures import Figure, draw
from soulread.report.grid import Grid, console
from soulread.report.sheet import csv_text
from soulread.report.shown import ShownTable
from soulread.reproduce.kit.verdict import Condition, Number, Verdict, above, all_of
from soulread.storage.files import write_file
from soulread.storage.kinds import verify_kind
from soulread.tasks import Json
from soulread.words import duration, plural


@dataclass(frozen=True)
class Measure:
    """One number of a table: what was published, what we found, and the verdict if something is claimed."""

    row: str
    column: str
    ours: Estimate | float | None  # a float is exact; None means not measured
    paper: float | None = None
    paper_error: float | None = None  # the standard error, if one was published
    verdict: Verdict | None = None  # None: nothing is claimed about this number

    JSON = keys("row column paper paper_error *_found verdict")

    @property
    def mean(self) -> float | None:
        """Our mean, without its interval."""
        return self.ours.mean if isinstance(self.ours, Estimate) else self.ours

    @property
    def _found(self) -> Estimate | dict[str, float | None]:
        if isinstance(self.ours, Estimate):
            return self.ours
        return {"mean": self.ours, **dict.fromkeys(("standard_error", "low", "high", "n"))}


@dataclass(frozen=True)
class ResultTable:
    """Measures in one unit, printed as a grid of their rows and columns.

    ``sample`` says how many samples are behind an interval and what they are, such as "12 matches".
    """

    title: str
    unit: str
    measures: Sequence[Measure]
    sample: str = ""
    note: str = ""
    digits: int = 3

    JSON = keys("title unit sample note measures")

    @classmethod
    def counted(
        cls, title: str, unit: str, measures: Sequence[Measure], kind: str, note: str = "", digits: int = 3
    ) -> "ResultTable":
        """A table whose samples are counted; ``kind`` says what a sample is, such as "matches"."""
        return cls(title, unit, measures, count_samples(measures, kind), note, digits)


@dataclass(frozen=True)
class Claim:
    """A published claim in our words, the verdict on it, and the numbers that the verdict rests on.

    ``n`` is the smallest number of samples behind one of these numbers; None if all are exact or missing. Of
    an undecided claim, ``more`` times as many samples would decide, if the numbers stay what they are; None
    if it is not known (`soulread.reproduce.kit.verdict.Condition.more`).
    """

    text: str
    verdict: Verdict
    evidence: str
    explanation: str = ""
    n: int | None = None
    more: float | None = None

    @classmethod
    def judged(cls, text: str, condition: Condition, evidence: str, why_not: str = "") -> "Claim":
        """A claim with the verdict of a condition; ``why_not`` explains why it does not hold."""
        verdict = condition.verdict
        why = why_not if verdict is Verdict.FAILS else ""
        return cls(text, verdict, evidence, why, condition.n, condition.more)

    @classmethod
    def of_all(
        cls,
        text: str,
        numbers: Mapping[str, Number],
        holds: Callable[[Number], Condition] = above,
        evidence: str | None = None,
        why_not: str = "",
    ) -> "Claim":
        """A claim that a condition holds for each of the numbers; these are the evidence if none is given."""
        shown = listed(numbers) if evidence is None else evidence
        return cls.judged(text, all_of(map(holds, numbers.values())), shown, why_not)


@dataclass(frozen=True, repr=False)
class Report(ShownTable):
    """An experiment and its results; ``seconds`` is the CPU time of the tasks it rests on."""

    TABLE = "claims"

    name: str
    title: str
    source: str  # paper, and table or figure
    settings: Mapping[str, Json]  # seeds included
    tables: tuple[ResultTable, ...]
    claims: tuple[Claim, ...] = ()
    figures: tuple[Figure, ...] = ()
    seconds: float = 0.0
    notes: tuple[str, ...] = field(default=())

    JSON = keys(
        "name title source",
        soulread=lambda _: __version__,
        settings="settings",
        cpu_seconds=lambda report: round(report.seconds, 1),
        **keys("notes claims tables figures"),
    )

    def summary(self) -> str:
        """Return the name and the number of claims."""
        return f"{self.name}, {plural(len(self.claims), 'claim')}"

    def write(self, directory: Path) -> list[Path]:
        """Write JSON, CSV and figures to a directory, which is made if need be; return the files.

        Each file is written whole or not at all.
        """
        files = [directory / f"{self.name}.json", directory / f"{self.name}.csv"]
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SoulreadError(f"cannot write to {str(directory)!r}: {error.strerror}") from None
        for file, kind in zip(files, ("json", "csv"), strict=True):
            verify_kind(file, kind)
        write_file(files[0], f"{json_text(plain_data(self), indent=1)}\n".encode())
        rows = [
            {"table": table.title, "unit": table.unit, "sample": table.sample, **plain_data(measure)}
            for table in self.tables
            for measure in table.measures
        ]
        write_file(files[1], csv_text(_COLUMNS, rows).encode())
        for figure in self.figures:
            drawn = [directory / f"{self.name}-{figure.name}{suffix}" for suffix in (".svg", ".png")]
            draw(figure, drawn)
            files += drawn
        return files


_COLUMNS = (
    *("table", "row", "column", "unit", "paper", "paper_error"),
    *("mean", "standard_error", "low", "high", "n", "sample", "verdict"),
)


def print_report(report: Report) -> None:
    """Print tables and claims in the terminal."""
    console.print(f"{report.name}: {report.title}", style="bold")
    console.print(f"source: {report.source}", style="dim")
    settings = ", ".join(f"{name} {value}" for name, value in report.settings.items())
    console.print(f"settings: {settings}; {report.seconds:,.0f} s of CPU time", style="dim")
    for table in report.tables:
        _print_table(table)
    for claim in report.claims:
        console.print(
            Text.assemble(
                (f"{claim.verdict:10}", _STYLES[claim.verdict]), claim.text, (f" ({claim.evidence})", "dim")
            )
        )
        if claim.explanation:
            console.print(f"          {claim.explanation}")
        if claim.more is not None:
            console.print(f"          {needed(claim, report.seconds)}", style="dim")
    if report.claims:
        console.print(_RULE, style="dim")
    for note in report.notes:
        console.print(note, style="dim")


def needed(claim: Claim, seconds: float) -> str:
    """What would decide an undecided claim if its numbers stay; ``seconds`` of CPU time were spent so far."""
    if claim.more is None or claim.n is None:
        return ""
    samples = math.ceil(claim.n * claim.more)
    return f"about n = {samples:,} would decide, {duration((claim.more - 1) * seconds)} of CPU time more"


_STYLES = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.UNDECIDED: "yellow"}
_RULE = (
    "Verdicts follow from the 95% intervals. Where a claim has several parts, one part alone decides it only "
    "beyond a wider interval: the more parts, the wider."
)


def worded(number: Number, digits: int = 3, unit: str = "", missing: str = "not measured") -> str:
    """A number with its interval and unit, or the words for one that was not measured."""
    if number is None:
        return missing
    text = number.text(digits) if isinstance(number, Estimate) else f"{number:.{digits}f}"
    return f"{text} {unit}" if unit else text


def listed(numbers: Mapping[str, Number], digits: int = 3, missing: str = "not played") -> str:
    """Numbers by name, such as "random 0.512 ± 0.031, always-call not played"."""
    return ", ".join(f"{name} {worded(number, digits, '', missing)}" for name, number in numbers.items())


def measures_of(
    rows: Iterable[str], columns: Iterable[str], value: Callable[[str, str], Number]
) -> list[Measure]:
    """A measure for each row and column."""
    chosen = tuple(columns)
    return [Measure(row, column, value(row, column)) for row in rows for column in chosen]


def count_samples(measures: Sequence[Measure], kind: str) -> str:
    """The number of samples behind the measures, such as "18 to 20 matches"; empty if they are exact."""
    sizes = sorted({measure.ours.n for measure in measures if isinstance(measure.ours, Estimate)})
    if not sizes:
        return ""
    return f"{sizes[0]:,} {kind}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,} {kind}"


def _print_table(table: ResultTable) -> None:
    rows = list(dict.fromkeys(measure.row for measure in table.measures))
    columns = list(dict.fromkeys(measure.column for measure in table.measures))
    found = {(measure.row, measure.column): measure for measure in table.measures}
    console.print()
    console.print(f"{table.title}, {table.unit}", style="bold")
    grid = Grid("", *columns)
    for row in rows:
        grid.add_row(row, *(_cell(found.get((row, column)), table.digits) for column in columns))
    console.print(grid)
    lines = []
    if table.sample:
        lines.append(f"± is half the 95% interval, over n = {table.sample}.")
    if any(measure.paper is not None for measure in table.measures):
        lines.append("Published numbers in brackets.")
    if table.note:
        lines.append(table.note)
    console.print(" ".join(lines), style="dim")


def _cell(measure: Measure | None, digits: int) -> Text:
    if measure is None:
        return Text("")
    ours = measure.ours
    text = Text(
        "-" if ours is None else ours.text(digits) if isinstance(ours, Estimate) else f"{ours:.{digits}f}",
        style="" if measure.verdict is None else _STYLES[measure.verdict],
    )
    if measure.paper is not None:
        text.append(f"\n({measure.paper:.{digits}f})", style="dim")
    return text
