"""Write the pages of docs that are made from the code: commands, the prompt, keys of JSON, notebooks.

    python benchmarks/make_reference.py

`docs/reference/commands.md` has the help of every command, `docs/reference/api.rst` what Sphinx makes of the
docstrings of `import soulread as sr`, `docs/reference/json.md` the keys of every record that ``--json``
prints. Each tutorial becomes a notebook with the same texts, code and outputs. `tests/test_reference.py`
makes all of them again.
"""

import importlib
import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import click

import soulread as sr
from soulread.cli import COMMANDS, cli

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
WIDTH = 100  # characters of a line of help
TUTORIALS = ("player", "bot-builder", "researcher")
TOPICS = {
    "api.players": "Hands and players",
    "api.spots": "Spots with real cards",
    "api.charts": "Charts before the flop",
    "api.games": "Games, equilibria, answers",
    "api.play": "Agents, models, matches",
    "api.lab": "Experiments",
    "api.cards": "Cards",
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


# Commands -----------------------------------------------------------------------------------------


def commands_page() -> str:
    """The help of every command, under the headings of ``soulread --help``."""
    parts = [
        "# Every command, with its options",
        "What `--help` prints, made from the code by `python benchmarks/make_reference.py`. What "
        "commands have in common, and the names of games and agents, is on [the page of "
        "commands](../commands.md).",
    ]
    for heading, commands in COMMANDS.items():
        parts.append(f"## {heading}")
        for name in commands:
            for words, command in _with_children((name,), _command(cli, name)):
                context = click.Context(
                    command,
                    info_name=f"soulread {' '.join(words)}",
                    terminal_width=WIDTH,
                    help_option_names=cli.context_settings["help_option_names"],
                )
                command._help_option = None  # a command that was called alone keeps a shorter one
                parts.append(f"### soulread {' '.join(words)}\n\n```\n{command.get_help(context)}\n```")
    return "\n\n".join(parts) + "\n"


def _command(group: click.Group, name: str) -> click.Command:
    found = group.get_command(click.Context(group), name)
    assert found is not None
    return found


def _with_children(
    words: tuple[str, ...], command: click.Command
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """A command, and those below it."""
    yield words, command
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from _with_children((*words, name), _command(command, name))


# The prompt ---------------------------------------------------------------------------------------


def api_page() -> str:
    """What Sphinx is told to make of the functions and classes of ``sr``, with the scripts that use each."""
    used = gallery_uses()
    parts = [
        _titled("The prompt: import soulread as sr", "="),
        "Every function takes games, agents and stores by name, or as any object that another "
        "function returned. Results have ``to_frame()`` and ``to_csv()`` where they are tables, and "
        "``plot()`` where there is a figure.",
        ".. py:module:: soulread",
    ]
    for home, title in TOPICS.items():
        parts.append(_titled(title, "-"))
        for name in sorted(name for name, module in sr.NAMES.items() if module == home):
            parts.append(f".. autofunction:: soulread.{name}")
            if used.get(name):
                scripts = ", ".join(f"`{title} <../gallery.html#{slug(title)}>`__" for title in used[name])
                parts.append(f"   In the gallery: {scripts}.")
    parts.append(_titled("Classes", "-"))
    for name, module in sorted(sr.NAMES.items()):
        if module not in TOPICS:
            parts.append(f".. autoclass:: soulread.{name}")
    return "\n\n".join(parts) + "\n"


def _titled(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def gallery_uses() -> dict[str, list[str]]:
    """By name of ``sr``: the titles of the scripts of the gallery that use it."""
    found: dict[str, list[str]] = {}
    for path in sorted((ROOT / "examples" / "gallery").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for name in sorted(set(re.findall(r"\bsr\.(\w+)", text)) & set(sr.NAMES)):
            found.setdefault(name, []).append(title_of(text))
    return found


def slug(title: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def title_of(script: str) -> str:
    """The first line of a script's docstring, without its full stop."""
    return script.removeprefix('"""').partition("\n")[0].rstrip('."')


# JSON ---------------------------------------------------------------------------------------------


def json_page() -> str:
    """The keys of every record, by the module that makes it."""
    parts = [
        "# Keys of JSON",
        "`--json` prints one record; its parts are records too. Made from the code by `python "
        "benchmarks/make_reference.py`: each class that has keys of its own says them in a table "
        "`JSON`, all others are written by their fields. *and those of* `x` means all keys of the "
        "part `x`. A key is there whatever the result is; an entry that does not apply is null, or an"
        " empty list. Times are ISO texts, NaN and infinity are null.",
    ]
    for path in sorted((ROOT / "soulread").rglob("*.py")):
        if "JSON = keys(" not in path.read_text(encoding="utf-8"):
            continue
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if name == "soulread.encoding":
            continue
        module = importlib.import_module(name)
        rows = [_row(one) for one in vars(module).values() if _has_keys(one, name)]
        if rows:
            parts.append(
                f"## {name.removeprefix('soulread.')}\n\n| record | what it is | keys |\n|---|---|---|\n"
                + "\n".join(rows)
            )
    return "\n\n".join(parts) + "\n"


def _has_keys(one: Any, module: str) -> bool:
    return isinstance(one, type) and one.__module__ == module and "JSON" in vars(one)


def _row(one: Any) -> str:
    words = []
    for key in one.JSON:
        if key == "*":
            assert is_dataclass(one)
            words += [f"`{field.name}`" for field in fields(one)]
        elif key.startswith("*"):
            words.append(f"and those of `{key[1:]}`")
        else:
            words.append(f"`{key}`")
    about = " ".join((one.__doc__ or "").partition("\n\n")[0].split()).replace("|", "\\|").replace("``", "`")
    return f"| {one.__name__} | {about} | {', '.join(words)} |"


# Notebooks ----------------------------------------------------------------------------------------


def notebook(page: str) -> str:
    """A tutorial as a notebook: its sentences, its code, and the outputs that the page has."""
    cells: list[dict[str, Any]] = []
    place = 0
    for block in FENCE.finditer(page):
        cells += _prose(page[place : block.start()], len(cells))
        cells.append(_code(block[1], block[2], len(cells)))
        place = block.end()
    cells += _prose(page[place:], len(cells))
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    whole = {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _prose(text: str, number: int) -> list[dict[str, Any]]:
    return [_cell("markdown", text.strip(), number)] if text.strip() else []


def _cell(kind: str, text: str, number: int, **more: Any) -> dict[str, Any]:
    return {
        "cell_type": kind,
        "id": f"cell-{number}",
        "metadata": {},
        **more,
        "source": text.splitlines(keepends=True),
    }


def _code(language: str, text: str, number: int) -> dict[str, Any]:
    """A cell of code: a command, a file that is written, or Python; with its output."""
    printed = ""
    if language == "console":
        first, _, printed = text.partition("\n")
        source = f"!COLUMNS={WIDTH} {first.removeprefix('$ ')}"
    elif language == "sh":
        source = "\n".join(f"!{line}" for line in text.splitlines())
    elif ">>>" in text:
        lines = text.strip().splitlines()
        source = "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))
        printed = "\n".join(line for line in lines if not line.startswith((">>> ", "...")))
    else:
        name = re.match(r"# (\w+\.py)\n", text)
        source = f"%%writefile {name[1]}\n{text[name.end() :].rstrip()}" if name else text.rstrip()
    outputs = (
        [{"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)}]
        if printed
        else []
    )
    return _cell("code", source, number, execution_count=None, outputs=outputs)


# All ----------------------------------------------------------------------------------------------


def pages() -> dict[Path, str]:
    """Every page that is made, by its file."""
    found = {
        DOCS / "reference" / "commands.md": commands_page(),
        DOCS / "reference" / "api.rst": api_page(),
        DOCS / "reference" / "json.md": json_page(),
    }
    for name in TUTORIALS:
        page = (DOCS / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
        found[DOCS / "tutorials" / f"{name}.ipynb"] = notebook(page)
    return found


def main() -> None:
    """Write all pages."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")
        print(f"written: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
