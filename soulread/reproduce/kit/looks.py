"""Which report of an experiment was looked at first: matches that were added later are judged otherwise.

The interval of a mean is for a number of samples that was fixed beforehand. Whoever looks at verdicts, adds
matches and looks again, until a verdict suits, is wrong far more often than in 5% of cases. So the number of
matches that an experiment was first asked for is kept beside its results, or in the file of kept ones. A
report of another number is judged by confidence sequences (`soulread.reproduce.kit.verdict.looking`), and so
is one of unfinished parts.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from soulread.encoding import json_text
from soulread.errors import SoulreadError
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.kept import KeptResults
from soulread.reproduce.kit.report import Report
from soulread.reproduce.kit.verdict import Looking, looking
from soulread.storage.files import write_file

OLDER = "These are kept results of an earlier version, which played or computed differently."
"""A note of reports on such files."""

_OWN = "the experiment's own number"


@contextmanager
def judged(name: str, options: RunOptions) -> Iterator[Looking]:
    """Let verdicts in the block know whether their number of samples was fixed beforehand."""
    path, kept = _path(name, options), options.results
    first = _read(path) if kept is None or kept.first is None else kept.first
    asked = "" if options.matches is None else str(options.matches)
    with looking() as state:
        if first is not None and first != asked:
            state.why = f"an earlier report was of another number of matches ({first or _OWN})"
        yield state
    if kept is not None and kept.first is None and not state.partial:
        kept.first = asked if first is None else first
    if first is None and not state.partial:
        with suppress(OSError, SoulreadError):  # a store that cannot be written has kept no results either
            write_file(path, f"{json_text({'matches': asked}, indent=1)}\n".encode())


def explained(report: Report, state: Looking, kept: KeptResults | None = None) -> Report:
    """A report that says why its verdicts follow from confidence sequences, if they do, and what is old."""
    if kept is not None and kept.older:
        report = replace(report, notes=(*report.notes, OLDER))
    if not state.why or not report.claims:
        return report
    told = (
        f"Verdicts follow from confidence sequences, which hold at any number of samples: {state.why}. They "
        "need 30 samples, and wider gaps than the intervals printed."
    )
    return replace(report, notes=(*report.notes, told))


def _path(name: str, options: RunOptions) -> Path:
    """The file for all runs that differ in their number of matches alone."""
    chosen = [name, options.quick, options.hands, options.seed, options.game, options.aivat, *options.data]
    digest = hashlib.sha256(json.dumps(chosen).encode()).hexdigest()[:24]
    return options.store.directory / f"first-look-{digest}.json"


def _read(path: Path) -> str | None:
    """The number of matches of the first report, empty for the experiment's own; None if there is none."""
    try:
        return str(json.loads(path.read_bytes())["matches"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
