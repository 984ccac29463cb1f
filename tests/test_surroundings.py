"""Streams that are closed or full, terminals without a size, secrets in addresses, files of another kind."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.hands.store import Store
from soulread.hands.tables.database import shown_address
from soulread.notices import COMPILING
from soulread.storage.files import verify_writable
from soulread.storage.kinds import KINDS, SKIPPED, kind_of, replacing_anything

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full")
SOULREAD = f"{sys.executable} -m soulread"


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of shell, in which $S is soulread."""
    return subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "S": SOULREAD, **environment},
    )


def told(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The sentences on standard error, but for the one that says that code is being compiled."""
    return [line for line in done.stderr.splitlines() if line != f"soulread: {COMPILING}"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="soulread")


# Streams ----------------------------------------------------------------------------------------


@LINUX
@pytest.mark.parametrize("command", ["range AKs", "range AKs --json", "--help", "--version", "agents"])
def test_output_that_finds_no_room_is_one_sentence(command: str) -> None:
    done = shell(f"$S {command} > /dev/full")
    assert done.returncode == 2
    assert told(done) == ["soulread: the output cannot be written: No space left on device"]


@LINUX
def test_errors_that_find_no_room_keep_their_exit_code() -> None:
    assert shell("$S range ZZ 2> /dev/full").returncode == 2
    assert shell("$S range ZZ 2>&-").returncode == 2
    assert shell("$S range AKs > /dev/full 2>&-").returncode == 2


def test_output_that_nobody_reads_to_its_end_is_silent() -> None:
    done = shell("$S agents | head -1")
    assert (done.returncode, told(done)) == (0, [])


def test_a_closed_input_is_one_sentence(tmp_path: Path) -> None:
    done = shell(f"$S import - --db {tmp_path}/hands.db <&-")
    assert done.returncode == 2
    assert told(done) == ["soulread: standard input is closed; there is nothing to read from it"]


def test_what_is_printed_to_a_closed_stream_goes_into_no_file(tmp_path: Path) -> None:
    for closed in (">&-", "2>&-", "<&- >&- 2>&-"):
        path = tmp_path / "log"
        assert shell(f"$S duel kuhn random always-call -n 20 -o {path} {closed}").returncode == 0
        lines = path.read_text().splitlines()
        assert lines[0].startswith("# soulread duel")
        assert len(lines) == 21
        assert all(line.startswith("STATE:") for line in lines[1:])
        path.unlink()


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_file_never_takes_the_place_of_a_closed_stream(closed: int) -> None:
    code = f"import os; os.close({closed}); from soulread.cli.surroundings import keep_standard_streams; "
    code += "keep_standard_streams(); file = open(os.devnull); os._exit(file.fileno() > 2)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 1


@pytest.mark.parametrize("size", ["²", "0", "-5", "many", "9" * 30])
def test_a_terminal_without_a_size_has_the_usual_one(size: str) -> None:
    usual = shell("unset COLUMNS LINES; $S agents")
    done = shell("$S agents", COLUMNS=size, LINES=size)
    assert done.returncode == 0
    assert done.stdout == usual.stdout
    assert told(done) == [
        f"soulread: {name}={size!r} is no size of a terminal; it is ignored" for name in ("COLUMNS", "LINES")
    ]


@LINUX
@pytest.mark.parametrize("limit", [5, 6, 7, 8])
def test_few_descriptors_are_one_sentence(limit: int, tmp_path: Path) -> None:
    """Whatever does not find a descriptor says so, or does without."""
    log = tmp_path / "log"
    assert shell(f"$S duel leduc random random -n 20 -o {log}").returncode == 0
    done = shell(f"ulimit -n {limit}; $S import {log} --game leduc --db {tmp_path}/hands.db")
    assert "Traceback" not in done.stderr
    if done.returncode:
        assert done.returncode == 2
        (sentence,) = told(done)
        assert re.fullmatch(r"soulread: .*(open files|be opened|be used).*", sentence), sentence


@pytest.mark.parametrize("name", ["a" * 5000, "b" * 300])
@pytest.mark.parametrize(
    "command",
    [
        "import {} --db {}.db",
        "players --db {}",
        "solve kuhn -o {}",
        "solve kuhn --checkpoint {} --iterations 5",
        "exploitability {}",
        "spot {}",
        "duel kuhn random file:{}",
        "duel kuhn random random -n 5 -o {}",
        "curve kuhn --opponent always-call --figure {}.svg",
        "import . --skipped {} --db hands.db",
        "boards {} --oop AA --ip KK --pot 2 --stack 2",
        "predict --data {} --player x",
    ],
)
def test_a_path_that_is_too_long_is_one_sentence(command: str, name: str, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        done = run(*command.replace("{}", name).split())
        assert list(tmp_path.iterdir()) in ([], [tmp_path / "hands.db"])
    assert done.exit_code == 2, done.output
    assert done.output.startswith("soulread: ")
    assert len(done.output.splitlines()) == 1
    assert isinstance(done.exception, SystemExit)


# Secrets ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://bob:se%63ret@h:5432/d", "postgresql://h:5432/d"),
        ("postgresql://bob:se@cret@h/d", "postgresql://h/d"),
        ("postgresql:///d?user=a&password=secret@x&host=z", "postgresql:///d?user=a&password=***&host=z"),
        ("postgresql://h/d?sslpassword=secret", "postgresql://h/d?sslpassword=***"),
        ("postgresql://h/d?PASSWORD=secret#x", "postgresql://h/d?PASSWORD=***#x"),
        ("postgresql://h/d", "postgresql://h/d"),
        ("hands@home.db", "hands@home.db"),
    ],
)
def test_an_address_is_shown_without_its_passwords(address: str, shown: str) -> None:
    assert shown_address(address) == shown


@pytest.mark.parametrize(
    "command", ["players", "stats Bob", "leaks leduc", "hands", "import README.md", "predict --player Bob"]
)
def test_no_command_shows_a_password(command: str) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    address = "postgresql://bob:sesame%21@127.0.0.1:1/d?password=hushhush%21"
    done = run(*command.split(), "--db", address)
    assert done.exit_code == 2
    for secret in ("sesame", "hushhush"):
        assert secret not in done.output


@pytest.mark.parametrize(
    "address", ["127.0.0.1:hushhush/d?password=hushhush", "bob:hushhush@127.0.0.1:hushhush/d"]
)
def test_a_server_that_repeats_the_password_is_not_quoted(address: str) -> None:
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with pytest.raises(SoulreadError) as caught:
        Store.open(f"postgresql://{address}")
    assert "invalid integer value" in str(caught.value)
    assert "***" in str(caught.value)


# Files of another kind --------------------------------------------------------------------------


def make_store(path: Path) -> bytes:
    with Store.open(path):
        pass
    return path.read_bytes()


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("solve kuhn -o {}", "strategy"),
        ("solve kuhn --method cfr+ --iterations 5 --checkpoint {}", "checkpoint"),
        ("duel kuhn random random -n 5 -o {}", "acpc"),
        ("curve kuhn --opponent always-call --trust 0.5 -o {}", "strategy"),
        ("import . --skipped {} --db other.db", "skipped"),
        ("boards 1 --oop AA --ip KK --pot 2 --stack 2 -o {}", "csv"),
        ("spot Ks8h4c2d2s --oop AA --ip KK --pot 2 --stack 2 -o {}", "spot"),
    ],
)
def test_a_store_of_hands_is_not_replaced(command: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "hands.db"
    before = make_store(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        done = run(*command.replace("{}", str(path)).split())
    assert done.exit_code == 2, done.output
    assert done.output == (
        f"soulread: {str(path)!r} is a database, such as a store of hands, and {KINDS[kind]} would replace "
        "it; choose another name, or say --force\n"
    )
    assert path.read_bytes() == before


def test_files_are_replaced_by_their_own_kind_and_by_force(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.x"
    assert run("solve", "kuhn", "-o", str(path)).exit_code == 0
    assert kind_of(path) == "strategy"
    assert run("solve", "kuhn", "-o", str(path)).exit_code == 0
    log = "duel", "kuhn", "random", "random", "-n", "5", "-o", str(path)
    assert run(*log).exit_code == 2
    assert kind_of(path) == "strategy"
    assert run(*log, "--force").exit_code == 0
    assert kind_of(path) == "acpc"
    assert run("solve", "kuhn", "-o", str(path)).exit_code == 2  # the force of one command ends with it


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"SQLite format 3\0...", "database"),
        (b"\x89PNG\r\n", "png"),
        (b"%PDF-1.4", "pdf"),
        (b"\x1f\x8b\x08", "archive"),
        (b"PK\x03\x04", "archive"),
        (b"\x30\0\0\0\0\0\0\0" + b'{"__metadata__":{"soulread":"spot"}}', "spot"),
        (b"\x30\0\0\0\0\0\0\0" + b'{"__metadata__":{"soulread":"elsewhere"}}', "tensors"),
        (b'<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "x">\n<svg xmlns="y">', "svg"),
        (b"<!DOCTYPE html><html>", "html"),
        (SKIPPED.encode() + b"\nx", "skipped"),
        (b"# a duel\nSTATE:0:cc:Kh|Qs:1|-1:a|b", "acpc"),
        (b"[1]\nvariant = 'NT'\n", "phhs"),
        (b"\xef\xbb\xbfPokerStars Hand #1: x", "pokerstars"),
        (b'{"hand": 1}\n', "json"),
        (b'{\n "ohh": {', "ohh"),
        (b"board,value\nAhKd2c,1.5\n", "csv"),
        (b"notes about Bob, who limps\n", "text"),
        (b"\0\1\2", "bytes"),
        (b"", None),
    ],
)
def test_the_kind_of_a_file(content: bytes, kind: str | None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert kind_of(path) == kind
    if kind is None:
        verify_writable(path, "strategy")
        return
    verify_writable(path, kind)
    other = "strategy" if kind != "strategy" else "text"
    with pytest.raises(SoulreadError, match="would replace it"):
        verify_writable(path, other)
    with replacing_anything():
        verify_writable(path, other)


def test_what_is_written_is_of_its_kind(tmp_path: Path) -> None:
    """Every writer of the command line may write twice to the same name."""
    for name, command in {
        "a.svg": "curve kuhn --opponent always-call --trust 0.5 --figure {}",
        "a.phhs": "hands --db {db} -o {}",
        "a.txt": "hands --db {db} -o {}",
        "a.jsonl": "hands --db {db} -o {}",
        "a.ohh": "hands --db {db} -o {}",
        "skipped": "import {log} --game nolimit --db {db} --skipped {}",
    }.items():
        log, db, path = (str(tmp_path / word) for word in ("log", "db", name))
        assert run("duel", "nolimit", "always-call", "always-call", "-n", "3", "-o", log).exit_code == 0
        assert run("import", log, "--game", "nolimit", "--db", db).exit_code == 0
        words = [word.format(path, db=db, log=log) for word in command.split()]
        for _ in range(2):
            done = run(*words)
            assert done.exit_code == 0, done.output


def test_every_dependency_has_an_upper_bound() -> None:
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    for needed in (project["build-system"]["requires"], project["project"]["dependencies"], *extras):
        for line in needed:
            assert "<" in line or line.startswith("soulread["), line
