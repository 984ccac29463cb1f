"""Checks of the repository itself: import order, names at the edge, documented commands, forbidden calls."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from soulread import __version__
from soulread.cli import COMMANDS, cli
from soulread.games.named import KNOWN_GAMES, parse_game
from soulread.model.catalogue import MODELS
from soulread.play.catalogue.known import AGENTS
from soulread.study.duels.catalogue_terminal import catalogue_page

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "soulread"
ORDER = (
    "report cards games hands abstraction seqform solvers observe model respond play "
    "study reproduce serve cli"
).split()
FIRST = (  # root modules any folder may import
    "words errors notices machine processes storage kernel encoding estimate options foreign streams tasks "
    "cluster"
).split()
LAST = (
    "names api demo __main__".split()
)  # root modules that may import any folder, and no folder but cli them
EDGE = {"names", "api", "demo", "cli", "reproduce"}  # where names of games, agents and models are parsed
PAGE = PACKAGE / "serve" / "web" / "rooms"  # and what a browser sends
PARSERS = {
    "parse_game",
    "find_game",
    "parse_source",
    "parse_agent",
    "parse_model",
    "compile_named",
}
NAMES = sorted(name for commands in COMMANDS.values() for name in commands)
MOST_FILES = 16  # of a folder
SOURCES = sorted(PACKAGE.rglob("*.py"))


def place(path: Path) -> str:
    """The folder of a source, or the name of a root module; the package itself is ``soulread``."""
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "soulread" if first == "__init__" else first


def rank(name: str) -> int:
    """How far to the right a folder or root module stands."""
    return [*FIRST, *ORDER, *LAST, "soulread"].index(name)


def module_of(path: Path) -> str:
    """``soulread/play/exploiters/dbr.py`` is ``soulread.play.exploiters.dbr``."""
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in SOURCES}


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything used of soulread, also inside functions.

    That is what is imported, attributes of packages that are reached through an imported one
    (``import soulread`` and then ``soulread.play.x``), and what ``importlib`` is told to import.
    """
    packages: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            if node.module and node.module.split(".")[0] == "soulread":
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    yield node.lineno, whole if whole in MODULES else node.module
                    if whole in MODULES:
                        packages[alias.asname or alias.name] = whole
            elif node.module:
                yield node.lineno, node.module
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
                packages[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found = dotted(node)
            base, _, rest = found.partition(".")
            if base in packages and rest:
                whole = f"{packages[base]}.{rest}"
                while whole and whole not in MODULES:
                    whole = whole.rpartition(".")[0]
                if whole:
                    yield node.lineno, whole
        elif isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in (
            "import_module",
            "__import__",
        ):
            for argument in node.args[:1]:
                text = "".join(
                    part.value
                    for part in ast.walk(argument)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                )
                if text.startswith("soulread"):
                    yield node.lineno, text.rstrip(".")


def dotted(node: ast.AST) -> str:
    """``a.b.c`` of nested attributes; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def misplaced(path: Path, text: str) -> list[str]:
    """What a source uses of folders and root modules to its right."""
    here = place(path)
    wrong = []
    for line, name in imports(ast.parse(text)):
        parts = name.split(".")
        if parts[0] != "soulread" or len(parts) == 1:
            continue
        there = parts[1]
        if there.startswith("__") and there != "__main__":
            continue  # the version
        if there not in [*FIRST, *ORDER, *LAST]:
            wrong.append(f"{path.relative_to(ROOT)}:{line}: {name} has no place in the order")
        elif rank(there) > rank(here) and not (here == "cli" and there in LAST):
            wrong.append(f"{path.relative_to(ROOT)}:{line}: {here} imports {name}")
    return wrong


def test_folders_import_only_leftwards() -> None:
    wrong = [line for path in SOURCES for line in misplaced(path, path.read_text())]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "text",
    [
        "from soulread.play import Match",
        "from soulread.play.match.matches import Match",
        "from soulread import play",
        "import soulread.play.match.matches",
        "import soulread\nsoulread.play.match.Match",
        "import soulread.cards.deck\nprint(soulread.play)",
        "import importlib\nimportlib.import_module('soulread.play.match.matches')",
        "import importlib\nimportlib.import_module(f'soulread.play.{name}')",
        "def later():\n    from soulread.api import duel",
        "from soulread import names",
        "from soulread.nowhere import nothing",
    ],
)
def test_every_way_to_import_is_seen(text: str) -> None:
    assert misplaced(PACKAGE / "observe" / "counts.py", text)
    assert (
        not misplaced(PACKAGE / "observe" / "counts.py", text.replace("play", "seqform"))
        or "api" in text
        or ("names" in text or "nowhere" in text)
    )


def test_every_folder_and_root_module_has_its_place_in_the_order() -> None:
    assert {place(path) for path in SOURCES} <= {*FIRST, *ORDER, *LAST, "soulread"}


def test_no_module_imports_itself_in_a_circle() -> None:
    """Within a folder too: whoever follows imports, also those inside functions, never comes back."""
    uses: dict[str, set[str]] = {}
    for module, path in MODULES.items():
        tree = ast.parse(path.read_text())
        found = {name for _, name in imports(tree) if name in MODULES}
        uses[module] = {name for name in found if MODULES[name].name != "__init__.py" and name != module}
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join((*way[way.index(module) :], module))
        if module not in done:
            for name in sorted(uses.get(module, ())):
                visit(name, (*way, module))
            done.add(module)

    for module in uses:
        visit(module, ())


def test_no_two_public_classes_share_a_name() -> None:
    homes: dict[str, list[str]] = {}
    for module, path in MODULES.items():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module)
    assert not {name: found for name, found in homes.items() if len(found) > 1}


def test_no_folder_is_too_full() -> None:
    """A path tells what a file is only where there are few."""
    counts = Counter(path.parent for path in SOURCES)
    assert not {str(folder): count for folder, count in counts.items() if count > MOST_FILES}


def test_packages_are_empty() -> None:
    """A package that imports its modules makes whoever needs one of them load all."""
    for path in SOURCES:
        if path.name == "__init__.py" and path.parent not in (PACKAGE, PACKAGE / "cli"):
            statements = ast.parse(path.read_text()).body
            assert all(isinstance(node, ast.Expr) for node in statements), path


def test_names_are_parsed_at_the_edge_only() -> None:
    """A parser may be called where it is defined, and where users, JSON or files speak."""
    wrong = []
    for path in SOURCES:
        tree = ast.parse(path.read_text())
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        if place(path) in EDGE or path.name == "__init__.py" or path.parent == PAGE:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = dotted(node.func).rpartition(".")[2]
            if called in PARSERS - own and (path.name, called) not in AT_FILES:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}: {called}")
    assert not wrong, "\n".join(wrong)


AT_FILES = {
    ("gamedef.py", "parse_game"),  # logs of our dealer name their game
    ("records.py", "parse_game"),  # hands in JSON name their game
    ("equilibria.py", "parse_source"),  # strategy files name the abstraction they were made in
    ("source.py", "parse_game"),  # the part of a source's name before its abstraction
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_pickle_eval_or_shell(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            assert not (isinstance(node.func, ast.Name) and node.func.id in {"eval", "exec"})
            assert not any(word.arg in {"shell", "allow_pickle"} for word in node.keywords)
        for _, name in imports(node) if isinstance(node, ast.Import | ast.ImportFrom) else ():
            assert name.split(".")[0] not in {"pickle", "cloudpickle", "dill", "shelve", "marshal"}


@pytest.mark.parametrize("name", NAMES)
def test_commands_have_help_and_are_documented(name: str) -> None:
    found = cli.get_command(click.Context(cli), name)
    assert found is not None
    assert found.help
    assert f"soulread {name}" in (ROOT / "docs" / "commands.md").read_text()


def test_the_page_of_agents_is_that_of_the_catalogue() -> None:
    """Regenerate it with: soulread agents --markdown > docs/agents.md."""
    assert (ROOT / "docs" / "agents.md").read_text() == catalogue_page(AGENTS.values(), MODELS.values())


def test_known_games_are_games() -> None:
    for text in KNOWN_GAMES:
        assert parse_game(parse_game(text).name) == parse_game(text)


def test_docs_and_package_name_no_host() -> None:
    """No file of settings says where packages come from."""
    for path in (ROOT / "pyproject.toml", ROOT / "constraints.txt"):
        assert not re.search(r"https?://", path.read_text())


def test_readme_shows_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text()
    assert "make demo" in readme
    assert "make test" in readme


def test_the_version_is_one() -> None:
    """That of the package is told in the citation, and has its part of the changelog."""
    told = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {__version__}\n" in told
    changes = (ROOT / "CHANGELOG.md").read_text()
    found = re.search(rf"^## \[{re.escape(__version__)}\] - (\d{{4}}-\d\d-\d\d)$", changes, re.MULTILINE)
    assert found is not None
    assert f"date-released: {found[1]}\n" in told
    kinds = re.findall(r"^### (.*)$", changes, re.MULTILINE)
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_workflow_runs_what_stands_in_ci() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    assert "- run: .ci/run\n" in workflow
    assert not re.search(r"https?://|index-url", workflow)


def test_lean_kernels_return_no_arrays() -> None:
    """They do not count who holds an array, so a kernel that got one from them would free it too early."""
    numbers = {"None", "float", "int", "bool", "Discounts", "tuple[float, float]", "Any"}
    found = [
        (path.name, node.name, ast.unparse(node.returns) if node.returns else "")
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
        and any(dotted(decorator) == "lean_kernel" for decorator in node.decorator_list)
    ]
    assert len(found) > 10
    assert not [kernel for kernel in found if kernel[2] not in numbers]
