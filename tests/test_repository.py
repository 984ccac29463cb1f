"""Checks of the repository itself: import order, documented commands, forbidden calls."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from soulread.cli import cli

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "soulread"
ORDER = "cards abstraction games seqform solve observe model respond play report serve reproduce".split()
EVERYWHERE = {"errors", "kernel", "estimate", "cache", "__version__"}  # root modules any folder may import
SOURCES = sorted(PACKAGE.rglob("*.py"))


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything imported from soulread, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            if node.module == "soulread":
                yield from ((node.lineno, f"soulread.{alias.name}") for alias in node.names)
            elif node.module:
                yield node.lineno, node.module
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)


def test_folders_import_only_leftwards() -> None:
    wrong = []
    for path in SOURCES:
        folder = path.relative_to(PACKAGE).parts[0]
        if folder not in ORDER:
            continue  # cli, demo.py and the root modules
        for line, name in imports(ast.parse(path.read_text())):
            parts = name.split(".")
            if parts[0] != "soulread" or len(parts) == 1 or parts[1] in EVERYWHERE:
                continue
            if parts[1] not in ORDER or ORDER.index(parts[1]) > ORDER.index(folder):
                wrong.append(f"{path.relative_to(ROOT)}:{line}: {folder} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_every_folder_has_its_place_in_the_order() -> None:
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert folders <= {*ORDER, "cli"}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_pickle_eval_or_shell(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            assert not (isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"})
            assert not any(word.arg in {"shell", "allow_pickle"} for word in node.keywords)
        for _, name in imports(node) if isinstance(node, ast.Import | ast.ImportFrom) else ():
            assert name.split(".")[0] not in {"pickle", "cloudpickle", "dill", "shelve", "marshal"}


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_commands_have_help_and_are_documented(name: str) -> None:
    assert cli.commands[name].help
    assert f"soulread {name}" in (ROOT / "docs" / "commands.md").read_text()


def test_readme_shows_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme
    assert "make test" in readme
