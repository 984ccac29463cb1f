"""Write docs/evidence.md from the kept results in docs/evidence: every claim of every paper, and its verdict.

The verdicts of README are written too: how many claims of the experiments NAME hold, between
``<!-- verdict: NAME ... -->`` and ``<!-- /verdict -->``.

    python benchmarks/make_evidence.py            # the page, and the figures beside the kept results
    python benchmarks/make_evidence.py --no-figures

The page is made from the files alone (`soulread reproduce NAME --kept docs/evidence/NAME.json`). An
experiment without a file is listed as not run, with its command. The page also says which numbers of README
and docs stand on kept results: those between ``<!-- evidence: NAME -->`` and ``<!-- /evidence -->``, NAME
being that of a file. `tests/test_evidence_page.py` makes the page again, and looks up every such number.
"""

import argparse
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.report.figures import draw
from soulread.reproduce.experiments import EXPERIMENTS, run_experiment
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.kept import KIND, KeptResults, command_of
from soulread.reproduce.kit.looks import OLDER
from soulread.reproduce.kit.matches import VERSION
from soulread.reproduce.kit.report import Claim, Measure, Report, needed
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.ours.zoo_matches import EQUILIBRIUM
from soulread.reproduce.ours.zoo_records import KeptMatches
from soulread.tasks import ResultStore
from soulread.words import duration

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "evidence"
PAGE = ROOT / "docs" / "evidence.md"
WRITTEN = ("README.md", "docs/*.md", "docs/methods/*.md")  # documents whose numbers are looked up
NOT_RUN = "not run here"

_BLOCK = re.compile(r"<!-- evidence: ([\w -]+) -->(.*?)<!-- /evidence -->", re.S)
_MEASURED = re.compile(r"<!-- measured: (\d{4}-\d\d-\d\d), commit ([0-9a-f]{8}); no report is kept -->\s*\Z")
_VERDICTS = re.compile(r"(<!-- verdict: ([\w -]+) -->)(.*?)(<!-- /verdict -->)", re.S)
_PAIR = re.compile(r"(?P<mean>[-−+]?\d*\.?\d+) ?(?P<percent>%?) ?± ?(?P<half>\d*\.?\d+)")
_DECIMAL = re.compile(r"(?<![\w.:-])[-−+]?(?:\d*\.\d+(?![\w.])(?: ?%)?|\d+ ?%)")


@dataclass(frozen=True)
class Evidence:
    """The report of one experiment: from a file of kept results, or on nothing."""

    name: str  # of the file
    experiment: str
    report: Report
    command: str
    made: str = ""  # day and release; empty if it was not run
    older: bool = False  # whether agents or tasks have changed since

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """Every number that the report tells."""
        found: list[float] = []
        for measure in self.measures:
            found += [x for x in (measure.mean, measure.paper, measure.paper_error) if x is not None]
            if isinstance(measure.ours, Estimate) and measure.ours.n > 1:
                found += [*measure.ours.interval, measure.ours.half_width]
        texts = [text for claim in self.report.claims for text in (claim.text, claim.evidence)]
        texts += map(str, self.report.settings.values())
        found += [float(number.rstrip("% ")) for text in texts for number in _DECIMAL.findall(text)]
        return tuple(found)

    @cached_property
    def pairs(self) -> tuple[tuple[float, float], ...]:
        """Every mean and half of its interval that the report tells."""
        told = " ".join(claim.evidence for claim in self.report.claims)
        return (
            *(
                (measure.ours.mean, measure.ours.half_width)
                for measure in self.measures
                if isinstance(measure.ours, Estimate) and measure.ours.n > 1
            ),
            *((float(pair["mean"]), float(pair["half"])) for pair in _PAIR.finditer(told)),
        )

    @property
    def measures(self) -> Iterator[Measure]:
        """The numbers of all tables."""
        return (measure for table in self.report.tables for measure in table.measures)


def not_found(text: str, reports: Iterable[Evidence]) -> list[str]:
    """The decimals, percentages and intervals of a text that none of the reports tells, rounded as they are.

    A mean and its interval must belong together. A percentage may be a share in the report.
    """
    known = list(reports)
    missing = []
    for pair in _PAIR.finditer(text):
        scales = (1, 100) if pair["percent"] else (1,)
        if not any(
            _rounds_to(scale * x, pair["mean"]) and _rounds_to(scale * half, pair["half"])
            for one in known
            for x, half in one.pairs
            for scale in scales
        ):
            missing.append(pair[0])
    for number in _DECIMAL.findall(_PAIR.sub(" ", text)):
        scales = (1, 100) if number.endswith("%") else (1,)
        plain = number.rstrip("% ")
        if not any(_rounds_to(scale * x, plain) for one in known for x in one.numbers for scale in scales):
            missing.append(number)
    return missing


def _rounds_to(value: float, written: str) -> bool:
    """Whether a number is the one that is written, to the digits that are written."""
    plain = written.replace("−", "-").replace("+", "")
    digits = len(plain.partition(".")[2])
    return abs(value - float(plain)) <= 0.5 * 10.0**-digits * (1 + 1e-9)


# What was run -------------------------------------------------------------------------------------


def kept_evidence(folder: Path) -> dict[str, Evidence]:
    """The report on every file of kept results, by the name of the file; nothing is run."""
    found = {}
    with tempfile.TemporaryDirectory() as empty:
        store = ResultStore(Path(empty))
        for path in sorted(folder.glob("*.json")):
            kind = json.loads(path.read_text(encoding="utf-8")).get("soulread")
            if path.name.startswith("former-"):
                continue  # of another version, for comparison
            found[path.stem] = _of_results(path, store) if kind == KIND else _of_zoo(path, store)
    return found


def _of_results(path: Path, store: ResultStore) -> Evidence:
    kept = KeptResults.read(path)
    copy = store.directory / path.name  # a report may add to its file
    shutil.copyfile(path, copy)
    chosen: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in kept.choices.items()
    }
    options = RunOptions(**chosen, stored_only=True, kept=str(copy), store=store)
    report = run_experiment(kept.experiment, options)
    command = command_of(kept.experiment, kept.choices)
    return Evidence(
        path.stem,
        kept.experiment,
        report,
        command,
        f"{kept.written}, soulread {kept.release}",
        OLDER in report.notes,
    )


def _of_zoo(path: Path, store: ResultStore) -> Evidence:
    kept = KeptMatches.read(path)
    players = tuple(name for name in kept.players if name != EQUILIBRIUM)
    options = RunOptions(
        seed=kept.seed, game=kept.game, players=players, kept=str(path), stored_only=True, store=store
    )
    report = run_experiment("zoo", options)
    command = command_of("zoo", {"game": kept.game, "players": list(players), "seed": kept.seed})
    older = kept.version != VERSION
    return Evidence(path.stem, "zoo", report, command, f"matches of version {kept.version}", older)


def missing_evidence(done: Iterable[Evidence]) -> dict[str, Evidence | None]:
    """The reports on nothing of the experiments that were not run; None if one needs data to say more."""
    found: dict[str, Evidence | None] = {}
    ran = {one.experiment: one for one in done}
    games = {one.report.settings.get("game") for one in done if one.experiment == "zoo"}
    with tempfile.TemporaryDirectory() as empty:
        store = ResultStore(Path(empty))
        for name, experiment in EXPERIMENTS.items():
            for game in ("leduc", "limit") if name == "zoo" else (None,):
                if game in games or (game is None and name in ran):
                    continue
                chosen = {"game": game, "players": ["soul"]} if game else {}
                label = f"{name}-{game}" if game else name
                data = " --data FILES" if "data" in experiment.takes else ""
                command = command_of(name, chosen) + data
                options = RunOptions(
                    stored_only=True, store=store, game=game, players=("soul",) if game else ()
                )
                try:
                    report = run_experiment(name, options)
                except SoulreadError:
                    found[label] = None
                    continue
                found[label] = Evidence(label, name, report, command)
    return found


# The page -----------------------------------------------------------------------------------------


def page(folder: Path, root: Path) -> str:
    """The whole page as Markdown."""
    kept = kept_evidence(folder)
    missing = missing_evidence(kept.values())
    papers = published("papers")
    parts = [_HEAD, _summary(papers, kept, missing)]
    for paper in papers["papers"]:
        parts.append(f"## {paper['title']}\n\n{paper['source']}")
        for name in paper["experiments"]:
            ran = [one for one in kept.values() if one.experiment == name]
            parts += [_section(one) for one in ran]
            parts += [
                _not_run(label, name, one) for label, one in missing.items() if _experiment_of(label) == name
            ]
        left = paper.get("uncovered", [])
        if left:
            parts.append(
                _table(
                    ("claim that no experiment covers", "where", "why"),
                    [(one["claim"], one["where"], one["why"]) for one in left],
                )
            )
    parts += [_errata(papers, kept), _documents(root, kept)]
    return "\n\n".join(parts) + "\n"


_HEAD = """\
# Evidence

Every claim of the papers, and our own aims, with what was measured. Made by
`python benchmarks/make_evidence.py` from the [kept results](evidence/README.md) alone, the files `NAME.json`
in `docs/evidence`; each is made again by its command with `--kept NAME.json`.

A verdict follows from the 95% intervals: a claim *holds* or *does not* if they leave no doubt. Else it is
*undecided*, with the n at which the interval would be narrower than the distance to the bound if the numbers
stay, and the CPU time of that many samples of everything in the report. n is the smallest number of samples
behind a number of the claim; "exact" means that nothing was drawn. ± is half of a 95% interval."""


def _experiment_of(label: str) -> str:
    return "zoo" if label.startswith("zoo-") else label


def _summary(
    papers: Mapping[str, list[Mapping[str, list[str]]]],
    kept: Mapping[str, Evidence],
    missing: Mapping[str, Evidence | None],
) -> str:
    rows = []
    for paper in papers["papers"]:
        names = set(paper["experiments"])
        claims = [claim for one in kept.values() if one.experiment in names for claim in one.report.claims]
        counts = Counter(claim.verdict for claim in claims)
        waiting = sum(
            len(_waiting(_experiment_of(label), one))
            for label, one in missing.items()
            if _experiment_of(label) in names
        )
        rows.append(
            (
                f"[{paper['title']}](#{_anchor(str(paper['title']))})",
                *(str(counts[verdict]) for verdict in Verdict),
                str(waiting),
                str(len(paper.get("uncovered", []))),
            )
        )
    return _table(("", "hold", "do not", "undecided", NOT_RUN, "no experiment"), rows)


def _errata(papers: Mapping[str, Any], kept: Mapping[str, Evidence]) -> str:
    """What papers print and exact computation contradicts: claims that do not hold, with nothing drawn."""
    rows = [
        (str(paper["title"]), claim.text, claim.evidence, claim.explanation)
        for paper in papers["papers"]
        if not str(paper["title"]).startswith("Our own")
        for one in kept.values()
        if one.experiment in paper["experiments"]
        for claim in one.report.claims
        if claim.verdict is Verdict.FAILS and claim.n is None and claim.explanation
    ]
    return _ERRATA + "\n\n" + _table(("paper", "it says", "computed", "why"), rows)


_ERRATA = """\
## Errata of the papers

What is printed and cannot be right: claims that an exact computation contradicts. What measurements speak
against is above."""


def _anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _section(one: Evidence) -> str:
    report = one.report
    seed = report.settings.get("seed", "-")
    about = [f"`{one.command}`", f"seed {seed}", one.made, f"{duration(report.seconds)} of CPU time"]
    pictures = [f"[{figure.name}](evidence/{report.name}-{figure.name}.svg)" for figure in report.figures]
    if one.older:
        about.append("of an earlier version, which played differently")
    if pictures:
        about.append(f"figures: {', '.join(pictures)}")
    parts = [f"### {one.name}: {report.title}", "; ".join(about) + "."]
    if report.claims:
        rows = [(claim.text, claim.evidence, _n(claim), _verdict(claim, report)) for claim in report.claims]
        parts.append(_table(("claim", "ours", "n", "verdict"), rows))
    printed = [
        (f"{table.title}: {measure.row}, {measure.column}", *_beside(measure, table.digits), table.unit)
        for table in report.tables
        for measure in table.measures
        if measure.paper is not None and measure.ours is not None
    ]
    if printed:
        parts.append(_table(("published number", "paper", "ours", "n", "unit"), printed))
    return "\n\n".join(parts)


def _beside(measure: Measure, digits: int) -> tuple[str, str, str]:
    paper = f"{measure.paper:.{digits}f}"
    if isinstance(measure.ours, Estimate):
        return paper, measure.ours.text(digits), f"{measure.ours.n:,}"
    return paper, f"{measure.ours:.{digits}f}", "exact"


def _n(claim: Claim) -> str:
    if claim.n is not None:
        return f"{claim.n:,}"
    return "-" if claim.verdict is Verdict.UNDECIDED else "exact"


def _verdict(claim: Claim, report: Report) -> str:
    if claim.verdict is Verdict.UNDECIDED:
        need = needed(claim, report.seconds)
        if not need and claim.n == 1:
            need = "one sample has no interval: more matches are needed"
        return f"undecided: {need or 'the mean is at the bound, or a part of it was not measured'}"
    why = f": {claim.explanation}" if claim.explanation else ""
    return f"**{claim.verdict}**{why}"


def _waiting(name: str, one: Evidence | None) -> list[str]:
    """The claims of an experiment that was not run. Some are only made with results; these are listed."""
    claims = [claim.text for claim in one.report.claims] if one is not None else []
    return claims or published("papers")["claims"].get(name, [])


def _not_run(label: str, name: str, one: Evidence | None) -> str:
    experiment = EXPERIMENTS[name]
    command = f"soulread reproduce {name} --data FILES" if one is None else one.command
    about = (
        f"{NOT_RUN[0].upper()}{NOT_RUN[1:]}: `{command} --kept {label}.json`, about "
        f"{duration(3600 * experiment.hours)} of CPU time."
    )
    parts = [f"### {label}: {experiment.about}", about]
    claims = _waiting(name, one)
    if claims:
        parts.append(_table(("claim", "verdict"), [(claim, NOT_RUN) for claim in claims]))
    return "\n\n".join(parts)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


# The numbers of the documents ---------------------------------------------------------------------


@dataclass(frozen=True)
class Passage:
    """A part of a document that names the experiment its numbers are from."""

    document: str
    line: int
    names: tuple[str, ...]  # of the kept results
    text: str


def passages(root: Path) -> list[Passage]:
    """All marked parts of README and docs."""
    found = []
    for path in _documents_of(root):
        text = path.read_text(encoding="utf-8")
        for block in _BLOCK.finditer(text):
            line = text.count("\n", 0, block.start()) + 1
            found.append(Passage(str(path.relative_to(root)), line, tuple(block[1].split()), block[2]))
    return found


def unmarked_tables(root: Path) -> dict[str, list[tuple[str, str] | None]]:
    """The tables with intervals of each document that name no experiment: day and commit, or None.

    A table says when it was measured by a comment right above it.
    """
    found: dict[str, list[tuple[str, str] | None]] = {}
    for path in _documents_of(root):
        rest = _BLOCK.sub("", path.read_text(encoding="utf-8"))
        for table in re.finditer(r"(?:^\|.*\n)+", rest, re.M):
            if "±" in table[0]:
                stamp = _MEASURED.search(rest[: table.start()])
                found.setdefault(str(path.relative_to(root)), []).append(stamp and (stamp[1], stamp[2]))
    return found


def _documents_of(root: Path) -> list[Path]:
    return sorted(
        path for pattern in WRITTEN for path in root.glob(pattern) if path != root / "docs/evidence.md"
    )


def _documents(root: Path, kept: Mapping[str, Evidence]) -> str:
    places: dict[tuple[str, ...], Counter[str]] = {}
    for passage in passages(root):
        places.setdefault(passage.names, Counter())[passage.document] += 1
    rows = [
        (
            ", ".join(names),
            ", ".join(f"{document} ({count})" for document, count in sorted(places[names].items())),
            "looked up by a test" if set(names) <= set(kept) else "wait for the kept results",
        )
        for names in sorted(places)
    ]
    others = [
        (
            document,
            str(len(stamps)),
            ", ".join(sorted({f"{one[0]} ({one[1]})" if one else "not said" for one in stamps})),
        )
        for document, stamps in sorted(unmarked_tables(root).items())
    ]
    return "\n\n".join(
        [
            _CHECKED,
            _table(("kept results", "passages", ""), rows),
            _UNCHECKED,
            _table(("document", "tables", "as of (commit)"), others),
        ]
    )


def with_verdicts(text: str, kept: Mapping[str, Evidence], missing: Mapping[str, Evidence | None]) -> str:
    """A document with the verdicts of its marks as the kept results have them."""

    def written(found: re.Match[str]) -> str:
        names = found[2].split()
        unknown = [name for name in names if name not in kept and name not in missing]
        if unknown:
            raise SoulreadError(
                f"the mark of verdicts {found[2]!r} names {unknown[0]!r}, which is no experiment"
            )
        claims = [claim for name in names if name in kept for claim in kept[name].report.claims]
        counts = Counter(claim.verdict for claim in claims)
        waiting = sum(len(_waiting(_experiment_of(name), missing[name])) for name in names if name in missing)
        words = [f"{counts[verdict]} {word}" for verdict, word in _COUNTED.items() if counts[verdict]]
        words += [f"{waiting} {NOT_RUN}"] * bool(waiting)
        return found[1] + ", ".join(words) + found[4]

    return _VERDICTS.sub(written, text)


_COUNTED = {Verdict.HOLDS: "hold", Verdict.FAILS: "do not", Verdict.UNDECIDED: "undecided"}

_CHECKED = """\
## Numbers of README and docs

Passages whose numbers come from an experiment say so in a comment. Once its results are kept, a test looks up
every decimal and every interval of them."""

_UNCHECKED = """\
Tables with intervals that name no experiment: they were measured by scripts or single commands, which their
text names, and no kept results stand behind them. So they are as old as the commit that wrote them, and what
was changed since may have changed them. The README has no such number."""


def main() -> None:
    """Write the page, and the figures unless they are not wanted."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--no-figures", action="store_true", help="leave the figures as they are")
    wanted = parser.parse_args()
    PAGE.write_text(page(FOLDER, ROOT), encoding="utf-8")
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    kept = kept_evidence(FOLDER)
    readme.write_text(with_verdicts(text, kept, missing_evidence(kept.values())), encoding="utf-8")
    print(f"written: {PAGE.relative_to(ROOT)} and {readme.relative_to(ROOT)}")
    if wanted.no_figures:
        return
    for one in kept_evidence(FOLDER).values():
        for figure in one.report.figures:
            path = FOLDER / f"{one.report.name}-{figure.name}.svg"
            draw(figure, [path])
            print(f"written: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
