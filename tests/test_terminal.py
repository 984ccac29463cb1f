"""Text from files cannot drive the terminal: all commands, with hostile names, files, agents and paths."""

import ast
import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.text import Text
from test_statistics import PAPER, hand_of
from test_store import some_hands

import soulread as sr
from soulread import demo, notices
from soulread.cli import COMMANDS, cli
from soulread.cli.common import measured, progress, status, task_progress
from soulread.encoding import json_text
from soulread.errors import IllegalAction, ParseError
from soulread.games.named import parse_game
from soulread.hands.hand import Hand
from soulread.hands.store import Store
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.report.drawings import Sketch, shape
from soulread.report.figures import Curve, Figure, Panel, draw
from soulread.report.grid import Grid, PlainConsole, console
from soulread.report.sheet import csv_text
from soulread.study.hands.importing import ImportStudy, Skipped
from soulread.words import printable

SOULREAD = Path(__file__).parent.parent / "soulread"
RED = "\x1b[38;5;199m"  # a colour that soulread never asks for
DRIVES = (  # each of these does something to a terminal, a reader or a program
    *(RED, "\x1b]0;owned\x07", "\x1b]8;;http://evil.example\x1b\\", "\x1bc", "\x9b2J", "\x9d0;x\x9c"),
    *("\r", "\b", "\x7f", "\0", "\v", "\f", "\x85", "\n", "\t", "\u2028", "\u2029"),
    *("\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"),
    *("\u200e", "\u200f", "\u061c", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\xad"),
    *("\u034f", "\u115f", "\u3164", "\ufe0f", "\U000e0100", "\U000e0041", "\ud800", "\udcff"),
)
EVIL = f"Eve{RED}[red]\x1b]0;owned\x07\r\b\x9b2J\u202e\u2066\u200b\u2028\U000e0041\ufe0f[/]\nsoulread: forged"
FILE = EVIL.replace("/", "|").replace("\0", "")
MAL = f"Mal{RED}\x07\u202e[red]"  # a name that fits into a line of a log
RENAMED = {"Ann": EVIL, "Sal": MAL, "Bea": "日本語", "Bo": "[link=http://evil.example]Bo", "Dora": "=1+1"}
SGR = re.compile(r"\x1b\[[0-9;]*m")  # styles of our own
BAR = re.compile(r"\x1b\[\?25[lh]|\x1b\[2K|\x1b\[[0-9]*A|\r")  # a bar that is drawn again

MODULE = """
from dataclasses import dataclass

from soulread.errors import SoulreadError
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.verdict import Verdict

EVIL = {evil!r}


class Caller:
    __doc__ = EVIL

    @dataclass
    class Options:
        size: int = 1

    def __init__(self, game, options=None):
        pass

    def reset(self):
        pass

    def act(self, view, rng):
        return 1

    def observe(self, hand):
        pass


class Fails(Caller):
    def __init__(self, game, options=None):
        raise ValueError(EVIL)


class Model:
    __doc__ = EVIL

    def fit(self, hands, player): ...
    def update(self, hand, player): ...
    def probabilities(self, view, seat): ...


def experiment(options):
    options.tell(EVIL)
    options.progress(1, 2)
    table = ResultTable(EVIL, EVIL, (Measure("=1+1", EVIL, 1.0, None, None),), EVIL, note=EVIL)
    claim = Claim(EVIL, next(iter(Verdict)), EVIL, EVIL)
    return Report("evil", EVIL, EVIL, {{EVIL: EVIL}}, (table,), (claim,), notes=(EVIL,))


experiment.__doc__ = EVIL
"""


@pytest.fixture(scope="module", autouse=True)
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of hostile things, which is the working directory meanwhile."""
    folder = tmp_path_factory.mktemp("terminal")
    (folder / "evilmodule.py").write_text(MODULE.format(evil=EVIL))
    paper = [hand_of(*row[:4], id=f"p{i}") for i, row in enumerate(PAPER, 1)]
    hands = [
        replace(
            hand,
            players=tuple(RENAMED.get(name, f"{name}\x07" if i % 2 else name) for name in hand.players),
            id=f"{hand.id}{EVIL}",
            table=EVIL,
            source=EVIL,
        )
        for i, hand in enumerate([*paper, *some_hands(120)])
    ]
    with Store.open(folder / FILE) as store:
        store.add(hands)
    played: list[Hand] = []
    game = parse_game("nolimit:stacks=60")
    agents = tuple(parse_agent(text).make(game) for text in ("always-call", "probe"))
    Match(game, agents, 250).play(5, record=lambda hand: played.append(hand.seen_by(None)))
    with Store.open(folder / "PLAN") as store:
        store.add(
            replace(hand, players=tuple(MAL if name == "always-call" else EVIL for name in hand.players))
            for hand in played
        )
    (folder / f"{FILE}.jsonl").write_text("".join(f"{hand.to_json()}\n" for hand in hands) + EVIL)
    (folder / "room.txt").write_text(ROOM)
    (folder / "boards.txt").write_text("2c3d7h9sJd\n")
    many = "".join(f"STATE:{number}:cc:Qs|Ks:-1|1:{MAL}|Bob\n" for number in range(30))
    (folder / "match.log").write_text(f"{many}STATE:99:{MAL}:Qs|Ks:-1|1:a|b\n")
    with zipfile.ZipFile(folder / "archive.zip", "w") as archive:
        archive.writestr(f"{FILE}.txt", EVIL)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.syspath_prepend(str(folder))
        patch.setenv("SOULREAD_CONFIG", str(folder / "config"))
        patch.setattr(demo, "LEDUC_HANDS", 20)
        yield folder


ROOM = f"""PokerStars Hand #171:  Hold'em No Limit ($1/$2 USD) - 2009/07/01 20:00:00 ET
Table '{EVIL[:30]}' 6-max Seat #1 is the button
Seat 1: {EVIL[:40]} ($100 in chips)
Seat 2: Bob ($100 in chips)
{EVIL[:40]}: posts small blind $1
Bob: posts big blind $2
*** HOLE CARDS ***
{EVIL[:40]}: raises $9 to $7000

PokerStars Hand #172:  Omaha {EVIL[:40]} Pot Limit ($1/$2 USD) - 2009/07/01 20:00:00 ET
Table 'x' 6-max Seat #1 is the button
"""
RIVER = "--oop AA --ip KK --pot 20 --stack 20 --iterations 2"

CASES: dict[str, list[str]] = {
    "sample-hands": ["sample-hands FILE.sample", "sample-hands FILE", "sample-hands boards.txt"],
    "import": ["import FILE.jsonl room.txt archive.zip --db NEW --skipped out.txt", "import EVE",
               "import . --game kuhn --db NEW", "import match.log --game kuhn --strict --db NEW"],
    "hands": ["hands --db FILE", "hands --db FILE --player EVE", "hands EVE --db FILE", "hands --db EVEX",
              "hands --db FILE -o FILE.jsonl2.jsonl", "hands --db FILE -o EVE", "hands --since EVE"],
    "replay": ["replay --db FILE --hand #1", "replay --db FILE --hand EVE", "replay leduc EVE",
               "replay leduc JhQsKh EVE", "replay EVE x"],
    "read": ["read --db FILE --hand #14 --model gom", "read EVE", "read FILE.jsonl --hand EVE", "read {EVE"],
    "players": ["players --db FILE", "players --db FILE --csv -", "players --db EVEX"],
    "stats": ["stats --db FILE", "stats EVE --db FILE --by position", "stats --db FILE --csv -",
              "stats EVE --db FILE --csv -",
              "stats EVE --db FILE --by opponent --min-hands 1", "stats EVE --db FILE --by facing",
              "stats EVEX --db FILE",
              "stats EVE --against pool --regulars 3 --db FILE", "stats --stakes EVE --db FILE"],
    "player": ["player sessions MAL --db FILE", "player results EVE --db FILE -o FILE.results.html",
               "player leaks MAL --db FILE", "player report MAL --db FILE --min-hands 60",
               "player hero --db FILE", "player hero EVEX --db FILE", "player alias EVE MAL --db PLAN",
               "player alias EVE --remove --db PLAN", "player alias --db FILE",
               "player note MAL EVE --db PLAN", "player note --db FILE", "player label EVE MAL --db PLAN",
               "player EVE"],
    "profile": ["profile MAL --db FILE --regulars 1000", "profile MAL --db FILE --regulars 1000 -o FILE.html",
                "profile EVEX --db FILE"],
    "plan": ["plan MAL --db PLAN --spots 1 --street river -o FILE.html", "plan MAL --db FILE",
             "plan EVEX --db FILE", "plan MAL --db FILE --street EVE", "plan MAL --db FILE --rake EVE"],
    "pool": ["pool --db FILE --regulars 5", "pool --db FILE --regulars 5 --csv - --sheet regulars",
             "pool --db FILE --regulars 5 -o FILE.html", "pool --db EVEX",
             "pool --db PLAN --exploits --spots 1 --street river"],
    "charts": ["charts --depth 8 --figure FILE.svg", "charts EVE --db FILE --abstraction none",
               "charts EVEX --db FILE", "charts --depth EVE", "charts MAL --depth 9"],
    "leaks": ["leaks kuhn --data match.log --player Bob", "leaks kuhn --data match.log --player MAL",
              "leaks kuhn --data match.log --player EVE", "leaks EVE x", "leaks kuhn EVE"],
    "predict": ["predict --db FILE --player EVE --figures FILE.d", "predict --db FILE --player EVEX",
                "predict --data FILE.jsonl --player EVEX"],
    "spot": [f"spot 2c3d7h9sJd {RIVER}", f"spot 2c3d7h9sJd {RIVER} --at EVE", f"spot EVE {RIVER}",
             f"spot 2c3d7h9sJd {RIVER} -o FILE.spot --figure FILE.svg",
             f"spot 2c3d7h9sJd {RIVER} --rake 5% --cap 1", f"spot 2c3d7h9sJd {RIVER} --rake EVE",
             f"spot 2c3d7h9sJd {RIVER} --rake 5% --cap EVE",
             f"spot 2c3d7h9sJd {RIVER} --half --threads 2", f"spot 2c3d7h9sJd {RIVER} --threads EVE",
             f"spot 2c3d7h9sJd {RIVER} --tree EVE", f"spot 2c3d7h9sJd {RIVER} --holdings EVE",
             f"spot 2c3d7h9sJd {RIVER} --holdings AA", f"spot 2c3d7h9sJd {RIVER} --blind EVE",
             "spot 2c3d7h9sJd --oop AA --ip KK --pot EVE --stack 20", "spot open EVE", "spot open FILE.spot"],
    "lock": [f"lock 2c3d7h9sJd --player MAL --db FILE {RIVER}", f"lock 2c3d7h9sJd EVE {RIVER}",
             "lock --hand EVE --db FILE x", f"lock 2c3d7h9sJd EVE {RIVER} --villain ip",
             f"lock 2c3d7h9sJd --player MAL --db PLAN --whole {RIVER}"],
    "boards": [f"boards boards.txt {RIVER} -o FILE.csv", f"boards EVE {RIVER}", f"boards FILE.txt {RIVER}",
               f"boards 2c3d7h9sJd,EVE {RIVER}"],
    "solve": ["solve kuhn --iterations 2", "solve EVE", "solve kuhn --iterations 2 -o FILE.strategy"],
    "exploitability": ["exploitability FILE.strategy", "exploitability EVE", "exploitability FILE"],
    "lbr": ["lbr kuhn random --deals 2", "lbr kuhn EVE", "lbr EVE random"],
    "curve": ["curve kuhn --opponent random --trust 0,1", "curve kuhn --opponent EVE",
              "curve kuhn --data match.log --player MAL --trust 1 --figure FILE.svg",
              "curve kuhn --opponent random --figure EVE"],
    "abstraction": ["abstraction info", "abstraction build EVE", "abstraction EVE"],
    "duel": ["duel kuhn evilmodule:Caller random -n 4", "duel kuhn evilmodule:Fails random",
             "duel kuhn evilmodule:Caller:EVE random", "duel kuhn EVE random",
             "duel kuhn random probe -n 2 -o FILE.log", "duel kuhn dbbr random -n 2 --remember FILE.db",
             "duel kuhn evilmodule:Caller random -n 2 --watch --times",
             "duel kuhn evilmodule:Caller random -n 2 --watch --json"],
    "play": ["play kuhn random --db NEWP --seed 1 -o FILE.play", "play kuhn random --name MAL -o p.log",
             "play kuhn evilmodule:Caller -o FILE.play2 --db NEWP --coach", "play EVE random",
             "play kuhn EVE", "play kuhn evilmodule:Fails -o p.log", "play --resume -o EVE",
             "play --resume -o match.log", "play kuhn random probe", "play kuhn random --name EVE -o p.log"],
    "tournament": ["tournament kuhn evilmodule:Caller random -n 4 -m 2", "tournament kuhn EVE random",
                   "tournament kuhn evilmodule:Fails random --cluster EVE",
                   "tournament kuhn evilmodule:Fails random", "tournament EVE random probe",
                   "tournament kuhn random probe -n 4 -m 2 --csv FILE.csv --figure FILE.svg"],
    "acpc": ["acpc --help", "acpc EVE 9 -g kuhn -a random", "acpc 127.0.0.1 EVE -g kuhn -a random",
             "acpc 127.0.0.1 9 -g EVE -a random", "acpc 127.0.0.1 9 -g kuhn -a EVE",
             "acpc 127.0.0.1 1 -g kuhn -a random -o FILE.log --wait 0",
             "acpc 127.0.0.1 1 -g kuhn -a dbbr --opponent EVE",
             "acpc 127.0.0.1 1 -g kuhn -a dbbr --remember FILE.db --opponent EVE"],
    "dealer": ["dealer kuhn random probe -n 2", "dealer EVE random random",
               "dealer kuhn socket:EVE random --start 0.1", "dealer kuhn random EVE",
               "dealer kuhn socket random --ports EVE", "dealer kuhn socket random --host EVE"],
    "serve": ["serve --help", "serve --port EVE", "serve --folder FILE --port EVE"],
    "opponents": ["opponents list --remember FILE", "opponents forget EVE --remember FILE.db",
                  "opponents EVE", "opponents list --remember EVE"],
    "agents": ["agents", "agents evilmodule:Caller", "agents --game EVE", "agents EVE", "agents --markdown"],
    "models": ["models", "models evilmodule:Model", "models EVE"],
    "zoo": ["zoo leduc", "zoo EVE", "zoo leduc --family EVE"],
    "range": ["range AA", "range EVE"],
    "ranges": ["ranges", "ranges EVE"],
    "equity": ["equity AA KK --board 2c3d7h9s", "equity EVE"],
    "strength": ["strength AcAd --board 2c3d7h", "strength EVE"],
    "incomes": ["incomes --players 2 --deals 1000", "incomes --players EVE"],
    "demo": ["demo", "demo EVE"],
    "reproduce": ["reproduce evilmodule:experiment -o FILE.d", "reproduce EVE", "reproduce --list"],
    "cluster": ["cluster --help", "cluster check EVE", "cluster EVE local",
                "cluster check 127.0.0.1:1 --experiment EVE", "cluster check 127.0.0.1:1"],
}  # fmt: skip
"""For each command, lines that run it: EVE and MAL are hostile texts, FILE is one that may name a file."""


def arguments(line: str) -> list[str]:
    words = line.replace("EVE", "\1").replace("FILE", "\2").replace("MAL", "\3").split(" ")
    return [word.replace("\1", EVIL).replace("\2", FILE).replace("\3", MAL) for word in words]


def run(line: str, *more: str) -> Result:
    return CliRunner().invoke(cli, [*arguments(line), *more], prog_name="soulread")


def found(text: str) -> set[str]:
    """The characters of an output that may not be there."""
    return {one for one in text.replace("\n", "") if printable(one) != one}


LINES = [line for lines in CASES.values() for line in lines]


def test_every_command_is_listed_with_a_line_that_runs() -> None:
    assert set(CASES) == {name for commands in COMMANDS.values() for name in commands}


@pytest.mark.compiled
@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=pytest.mark.slow) if line == "demo" else line for line in LINES]
)
def test_no_command_lets_text_drive_the_terminal(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(line)
    first = line in {lines[0] for lines in CASES.values()}
    assert result.exit_code in ((0,) if first else (0, 2)), result
    assert result.output
    assert not found(result.output), result.output
    assert "\nsoulread: forged" not in result.output
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(console, "_color_system", ColorSystem.TRUECOLOR)
    coloured = run(line)
    assert coloured.exit_code == result.exit_code
    assert RED not in coloured.output
    shown = SGR.sub("", coloured.stdout)
    assert not found(BAR.sub("", shown) if line == "demo" else shown), shown  # the demo redraws its tables
    assert not found(BAR.sub("", SGR.sub("", coloured.stderr))), coloured.stderr


@pytest.mark.compiled
def test_json_is_escaped_and_holds_the_text_itself() -> None:
    for line in ("hands --db FILE", "players --db FILE", "stats --db FILE", "stats EVE --db FILE",
                 "replay --db FILE --hand #1", "pool --db FILE --regulars 5", "agents evilmodule:Caller",
                 "profile MAL --db FILE --regulars 1000", "reproduce evilmodule:experiment",
                 "import room.txt FILE.jsonl --db NEW3",
                 "leaks kuhn --data match.log --player MAL"):  # fmt: skip
        result = run(line, "--json")
        assert result.exit_code == 0, result.output
        assert result.output.isascii()
        assert not found(result.output)
        assert json.loads(result.stdout)
    players = json.loads(run("players --db FILE --json").stdout)["players"]
    assert {EVIL, MAL} <= {row["player"] for row in players}
    every = json_text({"drives": DRIVES}, indent=1)
    assert not found(every)
    assert json.loads(every)["drives"] == list(DRIVES)


def test_mistakes_before_the_command_are_told_like_all_others() -> None:
    for words in (["--EVE"], ["EVE"], ["--version=EVE"]):
        result = run(*words)
        assert result.exit_code == 2
        assert result.output.startswith("soulread: ")
        assert result.output.endswith(" See soulread --help.\n")
        assert result.output.count("\n") == 1
        assert not found(result.output)
    assert run("").exit_code == 2
    bare = CliRunner().invoke(cli, [], prog_name="soulread")
    assert "Usage: soulread" in bare.output


def test_a_real_terminal(hostile: Path) -> None:
    """The players of the store, printed by a process that has a terminal."""
    master, slave = pty.openpty()
    words = [sys.executable, "-m", "soulread", "players", "--db", FILE, "--top", "3"]
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(words, stdout=slave, stderr=slave, stdin=slave, env=environment) as process:
        os.close(slave)
        parts = []
        while part := _read(master):
            parts.append(part)
        assert process.wait() == 0
    os.close(master)
    shown = b"".join(parts).decode().replace("\r\n", "\n")  # the terminal's own line ends
    assert r"Eve\x1b[38;5;199m[red]\x1b]0;owned\x07\r" in shown
    assert SGR.search(shown)
    assert not found(SGR.sub("", shown))


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""


# The one function ---------------------------------------------------------------------------------


@pytest.mark.parametrize("text", DRIVES)
def test_what_drives_a_terminal_is_shown_as_python_writes_it(text: str) -> None:
    shown = printable(f"a{text}b")
    assert shown.isprintable()
    assert shown.isascii()
    assert shown == "a" + repr(text)[1:-1].replace("\\\\", "\\") + "b" or not text.isascii()
    assert printable(shown) == shown


def test_what_people_write_stays() -> None:
    for text in ("Bob", "O'Neill \\ [red] <b>", "日本語", "Zoë", "Zoe\u0308", "ابن", "😀", "A♥ ± …"):
        assert printable(text) == text
    assert printable("a\nb\tc", keep="\n") == "a\nb\\tc"


def test_tables_stay_aligned() -> None:
    names = ("Bob", "日本語", "Zoe\u0308", "😀😀", "ابن", EVIL, "한국어", "ｗｉｄｅ", "a\u200db", "❤\ufe0f")
    grid = Grid("player", "hands")
    for name in names:
        grid.add_row(name, "1,234")
    with (shown := PlainConsole(width=100)).capture() as captured:
        shown.print(grid)
    widths = {cell_len(line.rstrip("\n")) for line in captured.get().splitlines() if line.strip()}
    assert len(widths) == 1


def test_markup_and_controls_in_text_of_rich_are_text() -> None:
    for encoding in ("utf-8", "ascii", "cp1252"):
        file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        shown = PlainConsole(file=file, force_terminal=True, color_system="truecolor", width=60)
        shown.print(Text(f"own\n{RED}[red]x[/red]\u202e", style="bold"))
        shown.print("[link=http://evil.example]y[/link] :smile:", style="bold")
        file.seek(0)
        text = file.read()
        assert not found(SGR.sub("", text)), text
        assert RED not in text
        assert "[red]x[/red]" in text
        assert "[link=http://evil.example]y[/link] :smile:" in text


def test_bars_and_status_lines(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with status(EVIL, shown=True) as tell:
        tell(f"2{EVIL}")
    with progress(EVIL, 3, shown=True) as (advance, say):
        say(f"3{EVIL}")
        advance(1)
    with measured(10, shown=True) as told:
        told(5, f"4{EVIL}")
    with task_progress(EVIL, shown=True) as (done, say):
        say(f"5{EVIL}")
        done(1, 2)
    text = capsys.readouterr().err
    for part in ("Eve", "2Eve", "4Eve"):
        assert rf"{part}\x1b[38;5;199m[red]" in SGR.sub("", text)
    assert RED not in text
    assert not found(BAR.sub("", SGR.sub("", text)))


def test_notices(caplog: pytest.LogCaptureFixture) -> None:
    notices.tell(EVIL)
    assert caplog.messages == [printable(EVIL)]


def test_nobody_prints_past_the_edge() -> None:
    """Only the console of the grid, and `say` and `print_json` of the command line, write to the terminal."""
    wrong = []
    for path in SOULREAD.rglob("*.py"):
        allowed = {"grid.py": {"Console"}, "common.py": {"echo"}}.get(path.name, set())
        text = path.read_text()
        if not re.search(r"echo|Console|RichHandler|print\(|input\(|std(out|err)", text):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                name = (
                    node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                )
                bare = isinstance(node.func, ast.Name)
                if (name in {"echo", "secho", "Console", "RichHandler"} and name not in allowed) or (
                    bare and name in {"print", "input"}
                ):
                    wrong.append((path.name, node.lineno, name))
            if isinstance(node, ast.Attribute) and node.attr == "write" and "std" in ast.unparse(node.value):
                wrong.append((path.name, node.lineno, "write"))
    assert not wrong


# Pages, figures, sheets, files --------------------------------------------------------------------


def test_a_page_and_its_drawings_are_xml() -> None:
    drawn = Sketch("".join(DRIVES), 1, 1, "x", [shape("text", EVIL, x="".join(DRIVES))])
    made = str(drawn.__html__())
    found_text = ElementTree.fromstring(made).find("title")
    assert found_text is not None
    assert not found((found_text.text or "").replace("\t", ""))


def test_a_figure_with_hostile_labels_is_xml_without_formulas(tmp_path: Path) -> None:
    label = "\x1b\u202e\ud800--> 日 $\\frac{1}$"
    curves = tuple(Curve(text, (0.0, 1.0), (0.0, 1.0), texts=(text, label)) for text in DRIVES[::6])
    figure = Figure("evil", label, (Panel(label, label, label, curves, names=("\x1b", "\x9b")),))
    paths = [tmp_path / f"figure.{kind}" for kind in ("svg", "png", "pdf")]
    draw(figure, paths)
    text = paths[0].read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert not found(text)
    assert not found(repr(figure))


def test_a_sheet_has_no_formulas() -> None:
    texts = (
        "=1+1",
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "=cmd|'/C calc'!A0",
        "a=1",
        "-3.5",
        "+2",
    )
    rows: list[dict[str, object]] = [{"=name": text, "won": -3.5, "n": -3, "none": None} for text in texts]
    read = list(csv.reader(io.StringIO(csv_text(["=name", "won", "n", "none"], rows))))
    assert read[0] == ["'=name", "won", "n", "none"]
    assert [row[0] for row in read[1:]] == [
        *("'=1+1", "'+1+1", "'-1+1", "'@SUM(A1)", r"\t=1", r"\r=1", r"\n=1", "'=cmd|'/C calc'!A0"),
        *("a=1", "-3.5", "+2"),
    ]
    assert all(row[1:] == ["-3.5", "-3", ""] for row in read[1:])
    assert not found(csv_text(["x"], [{"x": text} for text in DRIVES]))
    assert [path.name for path in SOULREAD.rglob("*.py") if "csv.writer" in path.read_text()] == ["sheet.py"]


@pytest.mark.compiled
def test_files_that_are_written(hostile: Path) -> None:
    for line in ("reproduce evilmodule:experiment -o results", f"boards boards.txt {RIVER} -o boards.csv",
                 "import FILE.jsonl room.txt archive.zip match.log --game kuhn --db NEW4 --skipped left.txt",
                 "profile MAL --db FILE --regulars 1000 -o page.html",
                 "curve kuhn --data match.log --player MAL --trust 1 --figure curve.svg"):  # fmt: skip
        assert run(line).exit_code == 0, line
    for name in ("results/evil.json", "results/evil.csv", "boards.csv", "left.txt", "page.html", "curve.svg"):
        text = (hostile / name).read_text(encoding="utf-8")
        assert not found(text), name
    counts = json.loads(
        run("import FILE.jsonl room.txt archive.zip --db NEW5 --skipped left.txt --json").stdout
    )
    told = (hostile / "left.txt").read_text().count("\n") - 1  # below its title
    assert told == counts["left_out"] + sum(counts["other_games"].values()) >= 4
    rows = list(csv.DictReader(io.StringIO((hostile / "results/evil.csv").read_text())))
    assert (rows[0]["row"], rows[0]["column"]) == ("'=1+1", printable(EVIL))


def test_results_at_the_prompt(hostile: Path) -> None:
    left_out = Skipped(EVIL, 1, EVIL, EVIL, "".join(DRIVES))
    study = ImportStudy()
    study.note(left_out)
    hand = replace(some_hands(1)[0], id=EVIL, game=EVIL)
    hand = replace(hand, players=tuple(f"{name}{EVIL}" for name in hand.players))
    for shown in (left_out, hand, ParseError("".join(DRIVES)), IllegalAction(EVIL)):
        assert not found(f"{shown}"), shown
        assert "\n" not in f"{shown}"
    assert not found(repr(study))
    assert not found(repr(sr.stats(hostile / FILE, EVIL)))
