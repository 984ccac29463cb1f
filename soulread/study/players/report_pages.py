"""A report on opponents in a folder: an index, and the profile of each on a page of its own.

``report.json`` beside the pages keeps the lines of the index as they are made. A report that was broken off,
or that is asked for again, takes over the pages that are there, unless the hands or what was asked for have
changed.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from soulread import __version__
from soulread.errors import SoulreadError
from soulread.report.html import LAYOUT, render
from soulread.storage.files import verify_writable, write_file
from soulread.study.players.opponents import (
    SHOWN_STATISTICS,
    Opponent,
    OpponentsStudy,
    Table,
    opponent_of,
    study_opponents,
)
from soulread.study.profile.profile import ProfileStudy
from soulread.study.profile.profile_page import profile_page
from soulread.words import plural

KEPT = "report.json"
PAGES = (".html", ".htm")


@dataclass(frozen=True)
class ReportFiles:
    """The files of a report: its index and the folder of its pages."""

    index: Path
    folder: Path

    def page(self, number: int) -> Path:
        """The page of a player, by the number in the store."""
        return self.folder / f"player-{number}.html"

    def link(self, number: int) -> str:
        """The same, seen from the index."""
        return self.page(number).relative_to(self.index.parent).as_posix()


def report_files(output: Path) -> ReportFiles:
    """The files of a report that is written to a page, ``name.html``, or to a folder."""
    if output.suffix.lower() in PAGES:
        return ReportFiles(output, output.with_name(f"{output.stem}_players"))
    if output.exists() and not output.is_dir():
        raise SoulreadError(
            f"--output {str(output)!r} is a file; give a folder, or a name that ends in .html"
        )
    return ReportFiles(output / "index.html", output)


def write_report(
    table: Table, files: ReportFiles, *, told: Callable[[int, Opponent], None] | None = None
) -> OpponentsStudy:
    """Write the page of every opponent, then the index; pages that are there already are taken over.

    ``told`` is called after each opponent with the number of those so far.
    """
    try:
        files.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SoulreadError(f"cannot write to {str(files.folder)!r}: {error.strerror}") from None
    verify_writable(files.index, "html")
    made_of = fingerprint(table)
    known = _kept(files, made_of)
    lines = {number: one for number, one in known.items() if files.page(number).exists()}

    def keep(count: int, opponent: Opponent, study: ProfileStudy | None) -> None:
        if study is not None:
            write_file(files.page(opponent.number), profile_page(study).encode())
            lines[opponent.number] = opponent
            record = {"made_of": made_of, "opponents": [one.record for one in lines.values()]}
            write_file(files.folder / KEPT, json.dumps(record).encode())
        if told is not None:
            told(count, opponent)

    study = study_opponents(table, modelled=True, known=dict(lines), told=keep)
    write_file(files.index, index_page(study, files).encode())
    return study


def fingerprint(table: Table) -> str:
    """A digest of all that the pages depend on: the hands of the store, what was asked for, and soulread."""
    asked: list[Any] = [
        __version__,
        table.store.fingerprint(),
        repr(table.query),
        table.player,
        table.least,
        table.regular_hands,
    ]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def _kept(files: ReportFiles, made_of: str) -> dict[int, Opponent]:
    """The opponents of a report of the same hands; empty if there is none, or it is damaged."""
    try:
        record = json.loads((files.folder / KEPT).read_bytes())
        if record["made_of"] != made_of:
            return {}
        return {one.number: one for one in map(opponent_of, record["opponents"])}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


# The index ----------------------------------------------------------------------------------------


def opponent_cells(opponent: Opponent) -> list[str]:
    """An opponent in the cells of `opponent_columns`, without the name."""
    told = [f"{opponent.hands:,}"]
    if opponent.met is not None:
        told.append(f"{opponent.met:,}")
    told += [
        "-" if found.value is None else f"{found.value:.0%} ({found.n:,.0f})" for found in opponent.statistics
    ]
    told.append(f"{opponent.deviations}")
    if opponent.between is not None and opponent.won is not None:
        told.append(f"{opponent.won:+,.0f} bb ({opponent.between:,})")
    cost = "" if opponent.advice_cost is None else f" ({opponent.advice_cost:+.1f} bb/100)"
    return [*told, opponent.style, f"{opponent.advice}{cost}" if opponent.advice else "-"]


def opponent_columns(study: OpponentsStudy) -> list[str]:
    """The columns of a report, without that of the name."""
    met = study.player is not None
    columns = ["hands", *(["with you"] if met else []), *SHOWN_STATISTICS, "sure"]
    return [*columns, *(["won from them"] if met else []), "style", "best advice"]


def report_lead(study: OpponentsStudy) -> str:
    """Who is in a report, and what its columns mean."""
    if study.player is None:
        who = f"Everybody with at least {plural(study.least, 'hand')}."
        return f"{who} Behind a statistic: its chances. sure: sure deviations from the regulars."
    return (
        f"Everybody with whom {study.player} has played at least {plural(study.least, 'hand')}. Behind a "
        "statistic: its chances. sure: sure deviations from the regulars. won from them: by "
        f"{study.player} in the hands in which both called or raised, and how many these are; others may "
        "have been in these pots too."
    )


def index_page(study: OpponentsStudy, files: ReportFiles) -> str:
    """The index of a report."""
    counted = f"{plural(study.number, 'player')} · {study.kind.name}"
    return render(
        "study/players/report_pages.html",
        layout=LAYOUT,
        title="Opponents" if study.player is None else f"Opponents of {study.player}",
        meta=[text for text in (counted, study.kind.among(study.other_kinds)) if text],
        lead=report_lead(study),
        columns=["player", *opponent_columns(study)],
        rows=[[one.name, *opponent_cells(one)] for one in study.opponents],
        links=[files.link(one.number) for one in study.opponents],
    )
