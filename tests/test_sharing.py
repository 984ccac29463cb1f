"""Hands read by several processes: the same hands, in the same order, however the processes fare."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from room_texts import ALL
from test_formats_ipoker import CASH_GAME, CASH_HEAD
from test_formats_phh import HAND
from test_formats_reading import LOG
from test_formats_rooms import CASH
from test_formats_winamax import CASH as WINAMAX

from soulread.errors import SoulreadError
from soulread.hands.formats import sharing
from soulread.hands.formats.base import Piece, Skipped
from soulread.hands.formats.reading import cut_files, read_hands, read_piece, write_hand
from soulread.hands.formats.sharing import read_answer, read_batch, read_shared, write_pieces
from soulread.hands.hand import Hand
from soulread.hands.identity import Anonymiser
from soulread.hands.store import Store
from soulread.processes import Worker
from soulread.study.hands.importing import ImportStudy, import_hands


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with hands of every format, some of them damaged or of other games, and files of no format."""
    folder = tmp_path / "files"
    folder.mkdir()
    stars = [CASH.replace("#7001", f"#{number}") for number in range(7000, 7060)]
    stars[7] = stars[7].replace("Hold'em No Limit", "Omaha Pot Limit")
    stars[9] = stars[9][:300]
    stars[11] = stars[11].replace("Ann", "Änne\u2028x")
    sessions = CASH_HEAD + "".join(CASH_GAME.replace("4411002290", f"44110{n}") for n in range(9))
    texts = {
        "a.txt": "\n\n".join(stars),
        "b.txt": "some words\n",
        "c.txt": "\n\n".join(ALL.values()),
        "d.xml": sessions + "</session>",
        "e.txt": WINAMAX,
        "f.phhs": "".join(f"[{number}]\n{HAND}\n" for number in range(1, 8)),
        "leduc.log": LOG,
    }
    for name, text in texts.items():
        (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    hands = [hand for hand in read_hands(folder / "a.txt") if isinstance(hand, Hand)]
    (folder / "h.jsonl").write_text("".join(write_hand(hand, "json") for hand in hands) + "{}\n")
    (folder / "i.ohh").write_text(write_hand(hands[0], "ohh") + "\nrest")
    return folder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers at once, and small batches."""
    monkeypatch.setattr(sharing, "ALONE", 3)
    monkeypatch.setattr(sharing, "PIECES", 4)
    monkeypatch.setattr(sharing, "GIVEN", 2)
    monkeypatch.setattr(sharing, "AHEAD", 6)
    monkeypatch.setattr(sharing, "num_cores", lambda: 2)


@pytest.fixture
def busy(small: None, monkeypatch: pytest.MonkeyPatch) -> list[sharing._Helper]:
    """The workers that are started; one that ends early is a mistake."""
    started: list[sharing._Helper] = []
    real = sharing._Helper

    def helper(process: Worker) -> sharing._Helper:
        started.append(real(process))
        return started[-1]

    monkeypatch.setattr(sharing, "_Helper", helper)
    return started


def rows(where: Path) -> list[tuple[object, ...]]:
    """All rows of a store."""
    connection = sqlite3.connect(where)
    tables = ("meta", "kind", "player", "hand", "batch", "block")
    found = [
        (name, *row) for name in tables for row in connection.execute(f"SELECT * FROM {name} ORDER BY 1")
    ]
    connection.close()
    return found


def test_what_goes_to_a_worker_comes_back_the_same(files: Path) -> None:
    pieces = [piece for piece in cut_files(files) if isinstance(piece, Piece)]
    alone = [found for piece in pieces for found in read_piece(piece)]
    assert read_answer(read_batch(write_pieces(pieces))) == alone
    assert {type(found) for found in alone} == {Hand, Skipped}
    assert {piece.form for piece in pieces} == {*"phhs rooms pokerstars ohh ipoker winamax json".split()}
    strange = pieces[0]._replace(source="\ud800", text="\ud800")
    assert read_answer(read_batch(write_pieces([strange]))) == list(read_piece(strange))


@pytest.mark.parametrize("workers", [1, 2])
def test_hands_come_in_order(files: Path, busy: list[sharing._Helper], workers: int) -> None:
    alone = list(read_hands(files))
    assert list(read_shared(cut_files(files), workers)) == alone
    assert len(busy) == workers
    assert not any(helper.process._process.is_alive() for helper in busy)


def test_rows_of_a_store_are_the_same_to_the_byte(
    files: Path, tmp_path: Path, busy: list[sharing._Helper], monkeypatch: pytest.MonkeyPatch
) -> None:
    studies: list[ImportStudy] = []
    noted: list[list[Skipped]] = []
    for cores in (1, 2):
        monkeypatch.setattr(sharing, "num_cores", lambda cores=cores: cores)
        told: list[Skipped] = []
        with Store.open(tmp_path / f"{cores}.db") as store:
            studies.append(import_hands(store, [str(files)], noted=told.append))
        noted.append(told)
    assert len(busy) == 1
    assert rows(tmp_path / "1.db") == rows(tmp_path / "2.db")
    assert noted[0] == noted[1]
    assert (studies[0].bad, studies[0].other_games) == (studies[1].bad, studies[1].other_games)
    assert (studies[0].bytes_read, studies[0].read) == (studies[1].bytes_read, studies[1].read)


def test_one_core_and_few_hands_need_no_other_process(
    files: Path, monkeypatch: pytest.MonkeyPatch, busy: list[sharing._Helper]
) -> None:
    monkeypatch.setattr(sharing, "ALONE", 2_000)
    assert len(list(read_shared(cut_files(files)))) > 100
    monkeypatch.setattr(sharing, "ALONE", 3)
    monkeypatch.setattr(sharing, "num_cores", lambda: 1)
    assert len(list(read_shared(cut_files(files)))) > 100
    assert busy == []


def test_a_worker_that_is_killed_costs_no_hand(files: Path, busy: list[sharing._Helper]) -> None:
    found: list[object] = []
    for entry in read_shared(cut_files(files), 1):
        found.append(entry)
        if len(found) == 20:
            os.kill(busy[0].process._process.pid, signal.SIGKILL)
    assert found == list(read_hands(files))


def test_without_a_process_all_is_read_here(
    files: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(function: object) -> Worker:
        raise OSError("no more processes")

    monkeypatch.setattr(sharing, "Worker", refused)
    assert list(read_shared(cut_files(files), 1)) == list(read_hands(files))


def test_an_error_comes_behind_everything_before_it(
    files: Path, tmp_path: Path, busy: list[sharing._Helper]
) -> None:
    paths = [str(files / "a.txt"), str(tmp_path / "none"), str(files / "f.phhs")]
    with (
        Store.open(tmp_path / "x.db") as store,
        pytest.raises(SoulreadError, match=r"none' does not exist; 58 new hands before it stored"),
    ):
        import_hands(store, paths)
    with (
        Store.open(tmp_path / "y.db") as store,
        pytest.raises(SoulreadError, match=r"^path 2: \.\.\. does not exist; 58 new hands before it stored"),
    ):
        import_hands(store, paths, anonymiser=Anonymiser(b"k" * 16))
    assert len(busy) == 2


def test_strict_stops_at_the_first_bad_hand(files: Path, tmp_path: Path, busy: list[sharing._Helper]) -> None:
    with (
        Store.open(tmp_path / "x.db") as store,
        pytest.raises(SoulreadError, match=r"a\.txt, line [0-9]+: hand 7009: .*8 new hands before it stored"),
    ):
        import_hands(store, [str(files / "a.txt")], strict=True)
    assert len(busy) == 1
    assert not busy[0].process._process.is_alive()


def test_what_is_cut_ahead_is_bounded(files: Path, busy: list[sharing._Helper]) -> None:
    taken = 0

    def counted() -> Iterator[sharing.Cut]:
        nonlocal taken
        for piece in cut_files(files / "a.txt"):
            taken += 1
            yield piece

    most = sharing.AHEAD * sharing.PIECES + sharing.PIECES + 1
    for count, _ in enumerate(read_shared(counted(), 1)):
        assert taken - count <= most
    assert taken == 60


@pytest.mark.skipif(sys.platform != "linux", reason="processes are counted in /proc")
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_the_import(files: Path, tmp_path: Path, sent: signal.Signals) -> None:
    code = (
        "import sys, time\n"
        "from soulread.hands.formats import sharing\n"
        "from soulread.hands.formats.reading import cut_files\n"
        "sharing.ALONE = sharing.PIECES = 1\n"
        "for number, _ in enumerate(sharing.read_shared(cut_files(sys.argv[1]), 1)):\n"
        "    if number == 9:\n"
        "        print('here', flush=True)\n"
        "        time.sleep(60)\n"
    )
    mark = f"SOULREAD_TEST_MARK={os.getpid()}{sent.name}"
    name, _, value = mark.partition("=")
    with subprocess.Popen(
        [sys.executable, "-c", code, str(files)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, name: value},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"here\n"
        assert len(marked(mark)) > 1
        process.send_signal(sent)
        process.wait()
    for _ in range(100):
        if not marked(mark):
            return
        time.sleep(0.05)
    assert marked(mark) == []


def marked(mark: str) -> list[str]:
    """The processes with a mark in their environment, but for one that joblib keeps for the whole program."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                told = (entry / "cmdline").read_bytes()
                found += [] if b"resource_tracker" in told else [entry.name]
        except OSError:
            continue
    return found
