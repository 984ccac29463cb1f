"""The docs are true: their code and commands run, or say how long they take; what they name exists.

Code stands in ``python`` blocks and commands in ``sh`` blocks, one command a line. A block of Python with a
comment such as ``# takes 20 seconds``, and a command with one such as ``# 3 minutes``, is not run but is
still checked: names, keyword arguments, options, games and agents. A ``console`` block is a command with
what it prints; ``...`` stands for anything, such as lines left out or a time. A block of Python whose first
line names a file, as in ``# mine.py``, is written to it. Blocks of a page run in order, in a folder that
has the files of a reader: ``hands/``, ``hands.db`` with hands of Bob, ``match.log`` and ``mymodule.py``.
"""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import re
import runpy
import shlex
import shutil
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from test_cli_options import options
from test_spot_hands import CALL, FOLD, TO_TURN, play

import soulread as sr
from soulread import demo
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.hands.formats.acpc import LogWriter
from soulread.hands.record import seen_by_dealer
from soulread.hands.store import Store
from soulread.play.catalogue.known import AGENTS, parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import play_matches
from soulread.report.grid import console
from soulread.reproduce.experiments import EXPERIMENTS

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "soulread"
PAGES = {
    str(path.relative_to(ROOT)): path.read_text()
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
}
TIME = re.compile(r"#.*\b(\d+|an?|some) (second|minute|hour|day)s?\b")
FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# (\w+\.py)\n")
PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|\bN\b|\.\.\.|\[")
HAND_OF_DOCS = "59937795326"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        """Page and line, for messages."""
        return f"{self.page}:{self.line}"


def blocks(page: str) -> list[Block]:
    text = PAGES[page]
    return [
        Block(page, text.count("\n", 0, found.start()) + 1, found[2], found[3])
        for found in FENCE.finditer(text)
    ]


def spans(page: str) -> list[str]:
    """Code in the sentences and tables of a page."""
    prose = FENCE.sub("", PAGES[page])
    assert prose.count("`") % 2 == 0, f"{page}: a backtick has no partner"
    return [" ".join(text.split()) for text in re.findall(r"`([^`]+)`", prose)]


ALL_BLOCKS = [block for page in PAGES for block in blocks(page)]
PYTHON = [block for block in ALL_BLOCKS if block.language == "python"]
SPANS = sorted({(page, text) for page in PAGES for text in spans(page)})


# Commands


def command_lines(block: Block) -> list[str]:
    """The commands of a block, each in one line with its comment."""
    return [line for line in block.text.replace("\\\n", " ").splitlines() if line.strip()]


def words_of(command: str) -> list[str]:
    """The arguments of a command, without ``soulread`` and the comment."""
    return shlex.split(command, comments=True)[1:]


def parse(words: list[str]) -> click.Context:
    """What click makes of the arguments; nothing is run."""
    command: click.Command = cli
    context = click.Context(cli, info_name="soulread")
    while isinstance(command, click.Group):
        _, found, words = command.resolve_command(context, words)
        assert found is not None
        command = found
    return command.make_context(command.name, list(words), parent=context)


def verify_names(context: click.Context) -> None:
    """The games, agents and experiments that a command names are there."""
    given: dict[str, Any] = context.params
    name = context.command.name
    if name in ("duel", "tournament", "solve", "curve", "lbr", "leaks", "zoo") and "game" in given:
        if not given["game"].startswith("openspiel:"):
            sr.game(given["game"])
        for agent in (*given.get("agents", ()), *map(given.get, ("agent", "opponent", "against"))):
            if agent is not None:
                parse_agent(agent)
    if name == "reproduce" and given["name"] is not None:
        assert given["name"] in EXPERIMENTS


def filled_in(text: str) -> str:
    """A command of a sentence with values in place of GAME, N and [NAME]."""
    text = re.sub(r" ?(\[\.\.\.\]|\.\.\.)", "", text).replace("[", "").replace("]", "")
    return re.sub(r"\b[NS]\b", "2", re.sub(r"\bCHIPS\b", "10", text))


def test_pictures_are_there_and_small() -> None:
    """Each has words for those who do not see it, and none lies about that no page shows."""
    shown = set()
    for page, text in PAGES.items():
        for words, path in re.findall(r"!\[([^]]*)\]\(([^)]+)\)", text):
            file = (ROOT / page).parent / path
            assert len(words) > 20, (page, path)
            assert 0 < file.stat().st_size < 200_000, (page, path)
            shown.add(file.resolve())
    there = [path for name in ("pictures", "gallery") for path in (ROOT / "docs" / name).iterdir()]
    assert shown == {path.resolve() for path in there}


@pytest.mark.parametrize(
    "block", [block for block in ALL_BLOCKS if block.language == "sh"], ids=lambda b: b.where
)
def test_commands_of_blocks_have_known_options(block: Block, reader: Path) -> None:
    for line in command_lines(block):
        program, *words = shlex.split(line, comments=True)
        if program == "make":
            assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
            continue
        assert program == "soulread", f"{block.where}: {line}"
        verify_names(parse(words))


@pytest.mark.parametrize(("page", "text"), [(p, t) for p, t in SPANS if t.startswith("soulread ")])
def test_commands_of_sentences_have_known_options(page: str, text: str, reader: Path) -> None:
    words = words_of(filled_in(text.partition(" > ")[0]))
    if len(words) == 1:  # the name of a command
        assert cli.get_command(click.Context(cli), words[0]) is not None
        return
    context = parse(words)
    if not PLACEHOLDER.search(text):
        verify_names(context)


def test_options_of_sentences_are_those_of_commands() -> None:
    known = {name for _, option in options() for name in (*option.opts, *option.secondary_opts)} | {"--help"}
    wrong = [
        (page, name)
        for page, text in SPANS
        for name in re.findall(r"(?<![\w-])--[a-z][\w-]*", text)
        if name not in known and not text.startswith("python ")
    ]
    assert not wrong


def test_agents_of_sentences_are_known() -> None:
    wrong = []
    for page, text in SPANS:
        name, colon, _ = text.partition(":")
        if colon and name in AGENTS and not re.search(r"[A-Z]{2}|mymodule|[^\w.=,:/+|-]", text):
            try:
                parse_agent(text)
            except SoulreadError as error:
                wrong.append(f"{page}: {text}: {error}")
    assert not wrong


# Python


def resolve(node: ast.expr, known: dict[str, Any]) -> Any:
    """What a dotted name stands for; None for anything that is only known when it runs."""
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.Attribute) and inspect.ismodule(of := resolve(node.value, known)):
        assert hasattr(of, node.attr), f"{of.__name__} has no {node.attr}"
        return getattr(of, node.attr)
    return None


def verify_python(tree: ast.AST, known: dict[str, Any]) -> None:
    """Every imported name exists, and every call of one fits its signature."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(str(node.module))
            for alias in node.names:
                assert hasattr(module, alias.name), f"{node.module} has no {alias.name}"
                known[alias.asname or alias.name] = getattr(module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                module = importlib.import_module(alias.name)
                known[alias.asname or alias.name] = module
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            resolve(node, known)
        if isinstance(node, ast.Call) and callable(function := resolve(node.func, known)):
            words = {word.arg: None for word in node.keywords if word.arg is not None}
            open_ended = any(
                isinstance(part, ast.Starred) or (isinstance(part, ast.Constant) and part.value is ...)
                for part in node.args
            )
            signature = inspect.signature(function)
            if open_ended:
                signature.bind_partial(**words)
            else:
                signature.bind(*[None] * len(node.args), **words)


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.where)
def test_python_of_blocks_names_what_exists(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = block.text
    for other in blocks(block.page):
        write_named(other, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    if ">>>" in text:
        text = "".join(example.source for example in doctest.DocTestParser().get_examples(text))
    verify_python(ast.parse(text), {"sr": sr})


def defined() -> set[str]:
    """The names of all functions, methods and classes of the package."""
    kinds = ast.FunctionDef | ast.ClassDef
    return {
        node.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, kinds)
    }


def test_calls_of_sentences_are_those_of_the_package() -> None:
    names = defined()
    for page, text in SPANS:
        if re.match(r"sr\.|[A-Za-z_]{4,}\(", text):
            try:
                tree = ast.parse(text, mode="eval")
            except SyntaxError:
                continue  # a formula
            verify_python(tree, {"sr": sr})
            if isinstance(tree.body, ast.Call) and isinstance(tree.body.func, ast.Name):
                assert tree.body.func.id in names, (page, text)


# Running

MY_AGENT = """
class MyAgent:
    def __init__(self, game): pass
    def reset(self): pass
    def observe(self, hand): pass
    def act(self, view, rng): return 1
"""


def played(game: str, agents: str, names: Sequence[str], hands: int) -> list[LiveHand]:
    """Hands that agents played, under other names."""
    found: list[LiveHand] = []
    specs = [parse_agent(agent) for agent in agents.split()]
    play_matches(sr.game(game).poker, specs, hands, record=found.append)
    own = dict(zip(found[0].players, names, strict=True))
    for hand in found:
        hand.players = tuple(own[name] for name in hand.players)
    return found


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a reader."""
    folder: Path = tmp_path_factory.mktemp("reader")
    (folder / "mymodule.py").write_text(MY_AGENT)
    with LogWriter(folder / "match.log", "a match of Bob") as write:
        for hand in played("leduc", "loose probe", ("Bob", "Ann"), 300):
            write(hand.end, hand.players)
    tables = [
        *played("ring-limit:3", "random always-call probe", ("Bob", "Ann", "Cid"), 400),
        *played("nolimit", "plain:style=loose plain:style=tight", ("Bob", "Ann"), 60),
        *played("limit", "random always-call", ("Bob", "Ann"), 40),
    ]
    for table in "xy":  # regulars, for the pool
        tables += played("ring-limit:10", "random " * 10, [f"{table}{seat}" for seat in range(10)], 200)
    with Store.open(folder / "hands.db") as store:
        store.add(seen_by_dealer(hand.end, hand.players, id=str(id)) for id, hand in enumerate(tables, 1))
        store.add([play([*TO_TURN, 156, CALL, CALL, 300, FOLD], id=HAND_OF_DOCS)])
    (folder / "hands").mkdir()
    done = run(["hands", "--db", str(folder / "hands.db"), "-o", str(folder / "hands" / "july.phhs")])
    assert done.exit_code == 0, done.output
    with zipfile.ZipFile(folder / "hands.zip", "w") as archive:
        archive.write(folder / "hands" / "july.phhs", "july.phhs")
    return folder


@pytest.fixture
def reader(filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, in which everything runs."""
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(console, "_width", None)  # it may have been made while another test set COLUMNS
    monkeypatch.setenv("SOULREAD_DB", "hands.db")
    return tmp_path


def run(words: list[str]) -> Result:
    return CliRunner().invoke(cli, words, prog_name="soulread", catch_exceptions=False)


def run_command(where: str, line: str) -> str:
    done = run(words_of(line))
    assert done.exit_code == 0, f"{where}: {line}\n{done.output}"
    return done.stdout


def write_named(block: Block, folder: Path) -> None:
    """Write a block into the file that its first line names, if it names one."""
    if block.language == "python" and (named := NAMED.match(block.text)):
        (folder / named[1]).write_text(block.text)


def run_python(block: Block) -> None:
    """Run a block; where it prints a value that stands behind it as a comment, that is the value."""
    script = Path(f"block-{block.line}.py")
    script.write_text(block.text)
    write_named(block, Path())
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(script), run_name="__main__")
    for value in re.findall(r"print\(.*\)  # ([\[(\d].*[\])\d])$", block.text, re.MULTILINE):
        assert value in printed.getvalue(), block.where


def squeezed(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def verify_printed(printed: str, expected: list[str], where: str) -> None:
    """A command printed what a page shows; ``...`` in the page stands for anything."""
    found = "\n".join(squeezed(printed))
    pattern = re.escape("\n".join(expected)).replace(r"\.\.\.", ".*?")
    assert re.fullmatch(pattern, found, re.DOTALL), f"{where}: printed\n{found}\nexpected\n" + "\n".join(
        expected
    )


def run_block(block: Block) -> None:
    """Run what a block has to run, and compare what a session prints."""
    if block.language == "sh":
        for line in command_lines(block):
            if line.startswith("soulread ") and not TIME.search(line):
                run_command(block.where, line)
    elif block.language == "console":
        first, *expected = squeezed(block.text)
        if not TIME.search(first):
            verify_printed(run_command(block.where, first.removeprefix("$ ")), expected, block.where)
    elif block.language == "python" and ">>>" in block.text:
        test = doctest.DocTestParser().get_doctest(
            block.text, {"sr": sr}, block.where, block.page, block.line
        )
        told = io.StringIO()
        assert doctest.DocTestRunner().run(test, out=told.write).failed == 0, told.getvalue()
    elif block.language == "python" and not TIME.search(block.text):
        run_python(block)


IN_BLOCKS = {  # these are run there, or marked
    tuple(words_of(line)) for block in ALL_BLOCKS if block.language == "sh" for line in command_lines(block)
}


@pytest.mark.parametrize("page", PAGES)
def test_page_runs(page: str, reader: Path) -> None:
    for block in blocks(page):
        run_block(block)
    for text in dict.fromkeys(spans(page)):
        words = words_of(text) if text.startswith("soulread ") and not PLACEHOLDER.search(text) else []
        runs = len(words) > 1 and words[0] not in ("reproduce", "serve")  # which take hours, and never end
        if runs and tuple(words) not in IN_BLOCKS:
            run_command(page, text.partition(" > ")[0])
        elif is_whole_call(text):
            run_python(Block(page, 0, "python", f"import soulread as sr\n{text}"))


def is_whole_call(text: str) -> bool:
    """Whether code of a sentence calls ``sr`` with values only, so that it can run."""
    if not (text.startswith("sr.") and text.endswith(")")):
        return False
    parts = list(ast.walk(ast.parse(text)))
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names == {"sr"} and not any(isinstance(part, ast.Constant) and part.value is ... for part in parts)


def test_every_block_is_code_commands_a_session_or_plain() -> None:
    for block in ALL_BLOCKS:
        assert block.language in ("python", "sh", "console", ""), block.where
        if block.language == "":
            assert not re.search(r"^(soulread|sr\.|import|from|>>>|\$) ", block.text, re.MULTILINE), (
                block.where
            )


# Links and files


def slug(heading: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", PAGES[page])):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = ((ROOT / page).parent / name).resolve() if name else ROOT / page
        assert path.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text()), re.MULTILINE)
            assert anchor in map(slug, headings), target


FOLDERS = {path.name for path in PACKAGE.iterdir() if path.is_dir()}
ENDINGS = {path.suffix[1:] for path in PACKAGE.rglob("*") if path.is_file()} | {"db", "zip", "log", "html"}


@pytest.mark.parametrize("page", PAGES)
def test_named_files_and_modules_exist(page: str) -> None:
    missing = []
    written = {named[1] for block in blocks(page) if (named := NAMED.match(block.text))}
    for text in spans(page):
        for word in {*text.split()} - written:
            if re.fullmatch(r"(soulread|tests|benchmarks|examples|docs)/[\w/.*-]+", word):
                found = bool(list(ROOT.glob(word.rstrip("/"))))
            elif re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w/.*-]+\.\w+", word):
                found = bool(list(PACKAGE.glob(word)))
            elif re.fullmatch(r"[a-z]\w*\.py", word):
                found = bool(list(PACKAGE.rglob(word)))
            elif re.fullmatch(rf"(soulread\.)?({'|'.join(FOLDERS)})(\.\w+)+", word):
                found = word.rpartition(".")[2] in ENDINGS or is_module(
                    f"soulread.{word.removeprefix('soulread.')}"
                )
            else:
                continue
            if not found:
                missing.append(word)
    assert not missing


def is_module(name: str) -> bool:
    """Whether a dotted name is a module of the package, or something that a module defines."""
    place = ROOT.joinpath(*name.split("."))
    if place.with_suffix(".py").exists() or place.is_dir():
        return True
    module, _, last = name.rpartition(".")
    return (ROOT.joinpath(*module.split(".")).with_suffix(".py")).exists() and hasattr(
        importlib.import_module(module), last
    )


@pytest.mark.parametrize(
    ("printed", "fits"),
    [("a\nb\nc 1.5 s\n", True), ("a\n\nc 0.1 s", True), ("a\nc 2 h\n", False), ("x\na\nc 1 s", False)],
)
def test_an_ellipsis_stands_for_anything_and_nothing_else_does(printed: str, fits: bool) -> None:
    with contextlib.nullcontext() if fits else pytest.raises(AssertionError):
        verify_printed(printed, ["a", "...c ... s"], "here")


def test_the_readme_shows_what_the_demo_prints() -> None:
    """The two answers of the README are rows of the demo's first table."""
    with console.capture() as printed:
        demo._stranger()
    rows = {line.split()[0]: line.split()[1:3] for line in squeezed(printed.get()) if line.startswith("  ")}
    told = re.findall(r"^trust .*: (\d\.\d\d) won, (\d\.\d\d) at risk$", PAGES["README.md"], re.MULTILINE)
    assert [list(pair) for pair in told] == [rows["0.5"], rows["1.0"]]
