"""Experiments of the page: what lies in the folder that experiments write to. Nothing here writes.

A report is a ``NAME.json`` as `soulread reproduce --output` writes it, or ``--report`` or ``--json`` of duel,
curve and tournament. Files that begin with its name are its own: ``NAME.csv``, ``NAME-FIGURE.svg``.
Only files that `listing` finds are ever served, so no path of a browser's is followed.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from soulread.report.drawings import interval_drawings
from soulread.report.runs import ENDING, read_run
from soulread.report.shown import table_rows

MOST_FILES = 5_000
MOST_BYTES = 32 * 2**20  # of a report that is read
DEEP = 2  # folders within the folder that are looked into
SHOWN = (".json", ".csv", ".svg", ".png", ".pdf")
MOST_ROWS = 400
MOST_COLUMNS = 16
_KINDS = (  # keys that tell a record that has no run beside it
    ("reproduce", {"tables", "claims", "settings"}),
    ("tournament", {"bankroll", "run_off"}),
    ("curve", {"points", "method"}),
    ("duel", {"results", "hands_played"}),
)


def files(folder: str) -> dict[str, str]:
    """The files of the folder by their names in addresses, such as "run1/zoo.json", each with its path.

    A link is left out that leads out of the folder.
    """
    root = Path(os.path.realpath(folder))
    return {path.relative_to(root).as_posix(): str(path) for path in _walk(root, root, DEEP)}


def _walk(root: Path, folder: Path, deep: int) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)[:MOST_FILES]
    except OSError:
        return
    for entry in entries:
        path = Path(entry.path)
        if entry.name.startswith(".") or not Path(os.path.realpath(path)).is_relative_to(root):
            continue
        if entry.is_dir():
            if deep and not entry.is_symlink():
                yield from _walk(root, path, deep - 1)
        elif entry.is_file() and path.suffix in SHOWN:
            yield path


def listing(folder: str) -> dict[str, list[dict[str, Any]]]:
    """Every report, the newest first, and every run that has not ended well."""
    found, runs = [], []
    for name, path in files(folder).items():
        if name.endswith(ENDING):
            run = read_run(Path(path))
            if run is not None and run["standing"] != "done":
                runs.append(_run(name, run))
        elif name.endswith(".json"):
            record = _read(path)
            if record is not None:
                found.append(_line(name, path, record))
    found.sort(key=lambda one: -one["changed"])
    runs.sort(key=lambda one: (one["standing"] != "running", -one["begun"]))
    return {"reports": found, "runs": runs}


def runs(folder: str) -> list[dict[str, Any]]:
    """The runs alone."""
    found = []
    for name, path in files(folder).items():
        run = read_run(Path(path)) if name.endswith(ENDING) else None
        if run is not None and run["standing"] != "done":
            found.append(_run(name, run))
    return sorted(found, key=lambda one: (one["standing"] != "running", -one["begun"]))


def _run(name: str, run: Mapping[str, Any]) -> dict[str, Any]:
    asked = run.get("asked")
    done, total = _count(run.get("done")), _count(run.get("total"))
    return {
        "name": name,
        "kind": str(run.get("kind", "")),
        "title": str(run["name"]),
        "asked": _asked(asked if isinstance(asked, dict) else {}),
        "standing": str(run.get("standing", "")),
        "done": done,
        "total": total if total and done <= total else 0,
        "words": str(run.get("words", "")),
        "error": str(run.get("error", "")),
        "begun": _time(run.get("begun")),
        "changed": _time(run.get("changed")),
    }


def _asked(asked: Mapping[str, Any]) -> list[tuple[str, str]]:
    told = [(name, _text(value)) for name, value in asked.items() if value is not False]
    return [(name.replace("_", " "), text) for name, text in told if text and name != "as_json"]


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _time(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _read(path: str) -> dict[str, Any] | None:
    """A report; None if the file is none."""
    try:
        if os.path.getsize(path) > MOST_BYTES:
            return None
        found = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and _kind(found) else None


def _kind(record: Mapping[str, Any]) -> str:
    return next((kind for kind, keys in _KINDS if keys <= set(record)), "")


def _line(name: str, path: str, record: Mapping[str, Any]) -> dict[str, Any]:
    """A report in the list."""
    claims = record.get("claims")
    verdicts: dict[str, int] = {}
    for claim in claims if isinstance(claims, list) else []:
        verdict = str(claim.get("verdict")) if isinstance(claim, dict) else ""
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
    return {
        "name": name.removesuffix(".json"),
        "kind": _kind(record),
        "title": _title(record, name),
        "seed": _seed(record),
        "verdicts": sorted(verdicts.items()),
        "changed": os.path.getmtime(path),
    }


def _title(record: Mapping[str, Any], name: str) -> str:
    kind = _kind(record)
    if kind == "reproduce":
        return str(record.get("title") or record.get("name") or name)
    players: list[str] = []
    if kind == "duel" and isinstance(record["results"], list):
        players = [str(one.get("agent")) for one in record["results"] if isinstance(one, dict)]
    elif kind == "tournament":
        agents = record.get("agents")
        players = [str(one) for one in agents] if isinstance(agents, list) else []
    elif kind == "curve":
        players = [str(record.get("method")), str(record.get("opponent"))]
    between = " against " if kind != "tournament" else ", "
    return f"{record.get('game', '')}: {between.join(players)}"


def _seed(record: Mapping[str, Any]) -> str:
    settings = record.get("settings")
    found = settings.get("seed") if isinstance(settings, dict) else record.get("seed")
    return "" if found is None else _text(found)


def report(folder: str, name: str) -> dict[str, Any] | None:
    """A report for its page; None if there is none of that name."""
    known = files(folder)
    path = known.get(f"{name}.json")
    record = None if path is None else _read(path)
    if path is None or record is None:
        return None
    own = [
        one
        for one in known
        if one.startswith((f"{name}.", f"{name}-"))
        and not one.endswith(ENDING)
        and _owner(one, known) == name
    ]
    told = {
        name: value for name, value in record.items() if name not in ("tables", "claims", "figures", "notes")
    }
    run = read_run(Path(path).with_suffix("").with_suffix(ENDING)) if path.endswith(".json") else None
    tables = _experiment_tables(record) if _kind(record) == "reproduce" else _plain_tables(told)
    return {
        **_line(name, path, record),
        "source": _text(record.get("source", "")) if _kind(record) == "reproduce" else "",
        "facts": _facts(told),
        "asked": _asked(run["asked"]) if run is not None and isinstance(run.get("asked"), dict) else [],
        "tables": tables,
        "claims": _dicts(record.get("claims")),
        "notes": [_text(note) for note in record.get("notes", []) or []],
        "figures": [one for one in own if one.endswith(".svg")]
        or [one for one in own if one.endswith(".png")],
        "files": own,
    }


def _owner(file: str, known: Mapping[str, str]) -> str:
    """The report that a file belongs to: the one with the longest name that it begins with."""
    names = [one.removesuffix(".json") for one in known if one.endswith(".json") and not one.endswith(ENDING)]
    fitting = [name for name in names if file.startswith((f"{name}.", f"{name}-"))]
    return max(fitting, key=len, default="")


def _dicts(value: Any) -> list[dict[str, str]]:
    """A list of records whose values are texts."""
    if not isinstance(value, list):
        return []
    return [{str(k): _text(v) for k, v in one.items()} for one in value if isinstance(one, dict)]


def _facts(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The single values of a record, and those of records within it."""
    found = []
    for name, value in record.items():
        if isinstance(value, dict):
            found += [(f"{name} {inner}", text) for inner, text in _facts(value)]
        elif not isinstance(value, list) or all(not isinstance(one, dict | list) for one in value):
            text = _text(value)
            if text:
                found.append((str(name).replace("_", " "), text))
    return found[:80]


def _experiment_tables(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The tables of an experiment: our means with intervals and n, the published ones, verdicts."""
    found = []
    for table in record["tables"] if isinstance(record["tables"], list) else []:
        if not isinstance(table, dict) or not isinstance(table.get("measures"), list):
            continue
        rows = [_measure(one) for one in table["measures"][:MOST_ROWS] if isinstance(one, dict)]
        columns = ["row", "column", "ours", "95% interval", "n", "published", "verdict"]
        keep = [i for i in range(len(columns)) if any(row[i] for row in rows)]
        sample = ", ".join(filter(None, (_text(table.get("unit")), _text(table.get("sample")))))
        found.append(
            {
                "title": _text(table.get("title")),
                "about": ". ".join(filter(None, (sample, _text(table.get("note"))))),
                "columns": [columns[i] for i in keep],
                "rows": [[row[i] for i in keep] for row in rows],
                "drawn": [],
            }
        )
    return found


def _measure(one: Mapping[str, Any]) -> list[str]:
    names = "n", "paper", "verdict"
    found = [_text(one.get("row")), _text(one.get("column")), _text(one.get("mean"))]
    return [*found, _between(one.get("low"), one.get("high")), *(_text(one.get(name)) for name in names)]


def _between(low: Any, high: Any) -> str:
    return "" if low is None or high is None else f"{_text(low)} to {_text(high)}"


def _plain_tables(record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every list of records of a result as a table."""
    found = []
    for name, value in record.items():
        if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
            continue
        rows = table_rows([_told(one) for one in value[:MOST_ROWS]])
        columns = [
            column
            for column in (rows[0] if rows else ())
            if any(row[column] not in (None, "", []) for row in rows)
        ][:MOST_COLUMNS]
        found.append(
            {
                "title": str(name).replace("_", " "),
                "about": "",
                "columns": [column.replace("_", " ").replace(".", " ") for column in columns],
                "rows": [[_text(row[column]) for column in columns] for row in rows],
                "drawn": _intervals(value[:MOST_ROWS]),
            }
        )
    return found


def _told(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record whose estimates are texts: mean, 95% interval and n."""
    return {name: _estimate(value) if _is_estimate(value) else value for name, value in record.items()}


def _is_estimate(value: Any) -> bool:
    return isinstance(value, dict) and {"mean", "low", "high"} <= set(value)


def _estimate(value: Mapping[str, Any]) -> str:
    if value["mean"] is None:
        return ""
    between = _between(value["low"], value["high"])
    n = "" if value.get("n") is None else f", n {_text(value['n'])}"
    return _text(value["mean"]) + (f" ({between}{n})" if between else "")


def _intervals(records: Sequence[Mapping[str, Any]]) -> list[str]:
    """The first estimate of each record as a drawing, on one scale; nothing if records have none."""
    name = next((name for name, value in records[0].items() if _is_estimate(value)), "")
    rows: list[tuple[float, float, float] | None] = []
    for record in records:
        value: Any = record.get(name)
        ends = [value[end] for end in ("mean", "low", "high")] if _is_estimate(value) else []
        known = len(ends) == 3 and all(isinstance(end, int | float) for end in ends)
        rows.append((float(ends[0]), float(ends[1]), float(ends[2])) if known else None)
    if not name or all(row is None for row in rows):
        return []
    labels = [
        f"{name}: {_estimate(record[name]) if row else 'unknown'}"
        for record, row in zip(records, rows, strict=True)
    ]
    return [sketch.__html__() for sketch in interval_drawings(rows, labels)]


def _text(value: Any) -> str:
    """A value as a cell: numbers with four digits, nothing for None."""
    if _is_estimate(value):
        return _estimate(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if isinstance(value, float):
        return f"{value + 0.0:,.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return (
        str(value) if not isinstance(value, dict) else ", ".join(f"{k} {_text(v)}" for k, v in value.items())
    )
