"""Files of every kind through `read_hands`: formats, encodings, archives, folders, limits."""

import bz2
import gzip
import io
import lzma
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from test_formats_phh import HAND
from test_formats_rooms import CASH, TOURNAMENT

from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.hands.formats import sources
from soulread.hands.formats.gamedef import parse_definition
from soulread.hands.formats.reading import FORMATS, Skipped, read_hands, write_hand, write_hands
from soulread.hands.hand import Hand

LOG = """\
# name/game/hands/seed m /x/leduc.limit.2p.game 2 1
STATE:2:rc/rf:Qs|Qh/Ks:3|-3:a|b
STATE:3:cc/cc:As|Qh/Kh:1|-1:b|a
"""
TEXTS = {
    "phh": HAND,
    "phhs": f"[1]\n{HAND}\n[2]\n{HAND}",
    "pokerstars": f"{CASH}\n\n{TOURNAMENT}",
    "acpc": LOG,
}


def read(path: Path | str) -> list[Hand | Skipped]:
    return list(read_hands(path))


def write(path: Path, content: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("name", TEXTS)
def test_the_content_decides(tmp_path, name):
    found = read(write(tmp_path / "some.file", TEXTS[name]))
    assert found
    assert all(isinstance(hand, Hand) for hand in found)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
        lambda text: text.encode("utf-16-le"),
        lambda text: text.encode("utf-16-be"),
        lambda text: text.encode("cp1252"),
        lambda text: text.replace("\n", "\r\n").encode(),
    ],
    ids=["utf-8-sig", "utf-16", "utf-16-be+bom", "utf-16-le", "utf-16-be", "cp1252", "crlf"],
)
def test_encodings(tmp_path, name, encode):
    text = TEXTS[name].replace("Ada", "Zoé").replace("'ann'", "'Zoé'").replace("$", "€")
    plain = read(write(tmp_path / "plain" / "file", text))
    assert read(write(tmp_path / "other" / "file", encode(text))) == plain
    assert all(isinstance(hand, Hand) for hand in plain)


@pytest.mark.parametrize(
    "pack", [lzma.compress, gzip.compress, bz2.compress, lambda raw: gzip.compress(lzma.compress(raw))]
)
def test_compressed(tmp_path, pack):
    plain = read(write(tmp_path / "a" / "hands", TEXTS["pokerstars"]))
    assert read(write(tmp_path / "b" / "hands", pack(TEXTS["pokerstars"].encode()))) == plain


def archive(kind: str) -> bytes:
    """A zip or tar of every text, one of them compressed, and a file that is no hand history."""
    files = {f"in/{name}.txt": text.encode() for name, text in TEXTS.items()}
    files["in/phh.txt"] = gzip.compress(files["in/phh.txt"])
    files["in/README"] = b"Nothing to see here."
    out = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for name, raw in files.items():
                packed.writestr(name, raw)
        return out.getvalue()
    with tarfile.open(fileobj=out, mode=f"w:{kind}") as unpacked:  # type: ignore[call-overload]
        for name, raw in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw)
            unpacked.addfile(info, io.BytesIO(raw))
    return out.getvalue()


@pytest.mark.parametrize("kind", ["zip", "", "gz", "xz", "bz2"])
def test_archives_and_folders(tmp_path, kind):
    path = write(tmp_path / "hands.archive", archive(kind))
    for given in (path, tmp_path):
        found = read(given)
        skipped = [entry for entry in found if isinstance(entry, Skipped)]
        assert len(found) - len(skipped) == 1 + 2 + 2 + 2
        assert [(entry.reason, entry.source) for entry in skipped] == [
            ("no hand history", f"{path}/in/README")
        ]


def test_standard_input(monkeypatch, tmp_path):
    for content in (
        TEXTS["phhs"].encode(),
        lzma.compress(TEXTS["phhs"].encode()),
        archive("zip"),
        archive("gz"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert sum(isinstance(hand, Hand) for hand in read("-")) in (2, 7)


def test_a_folder_of_the_irc_database_beside_other_files(tmp_path):
    write(tmp_path / "b.txt", CASH)
    write(tmp_path / "irc" / "199901" / "hdb", "100 1 1 2 0/0 0/0 0/0 0/15\n")
    write(tmp_path / "irc" / "199901" / "hroster", "100 2 ann bob\n")
    lines = ["ann 100 2 1 Bf - - - 100 5 0\n", "bob 100 2 2 B - - - 100 10 15\n"]
    for name, line in zip(("ann", "bob"), lines, strict=True):
        write(tmp_path / "irc" / "199901" / "pdb" / f"pdb.{name}", line)
    packed = tmp_path / "month.tgz"
    with tarfile.open(packed, "w:gz") as target:
        target.add(tmp_path / "irc", "irc")
    first, *others = read(tmp_path)
    assert isinstance(first, Hand)
    assert others[0] == others[1]  # the archive and the folder
    assert read(packed) == read(tmp_path / "irc") == others[:1]


def test_what_is_no_hand_history_is_said(tmp_path):
    known = "phh, phhs, rooms, pokerstars, ohh, ipoker, winamax, json, acpc"
    with pytest.raises(SoulreadError, match=f"no hand history in {known} or irc: it is empty"):
        read(write(tmp_path / "empty", ""))
    with pytest.raises(SoulreadError, match="begins with 'Dear Ann,'"):
        read(write(tmp_path / "letter", "\n\nDear Ann,\n"))
    with pytest.raises(SoulreadError, match="does not exist"):
        read(tmp_path / "nowhere")
    with pytest.raises(SoulreadError, match="not a file"):
        read("/dev/zero")
    assert read(write(tmp_path / "only" / "letter", "Dear Ann,").parent) != []


def test_a_broken_archive_keeps_what_came_before(tmp_path):
    raw = lzma.compress("\n\n".join([CASH] * 400).encode())
    whole = read(write(tmp_path / "whole.xz", raw))
    found = read(write(tmp_path / "cut.xz", raw[:-40]))
    assert isinstance(found[-1], Skipped)
    assert found[-1].reason == "a file cannot be read"
    assert [hand for hand in found if isinstance(hand, Hand)] == whole[: len(found) - 1]


def test_a_bomb_is_put_out(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "FREE_BYTES", 2**18)
    monkeypatch.setattr(sources, "MAX_GROWTH", 100)
    for pack in (lzma.compress, gzip.compress):
        bomb = pack(CASH.encode() + b"\n" * 2**22)
        found = read(write(tmp_path / "bomb", bomb))
        assert isinstance(found[-1], Skipped)
        assert "grows more than" in found[-1].detail
    matryoshka = CASH.encode()
    for _ in range(6):
        matryoshka = gzip.compress(matryoshka)
    (skipped,) = read(write(tmp_path / "doll", matryoshka))
    assert "packed more than 3 times" in str(skipped)


def test_huge_lines_and_zero_bytes_cost_one_hand(tmp_path):
    long = "x" * (3 * sources.MAX_LINE)
    bad = CASH.replace("Ada: folds", f"Ada: folds\n{long}\nBo said {long}", 1)
    text = "\n\n".join([CASH, bad, CASH.replace("Cy", "C\0y"), long, TOURNAMENT])
    *found, note = read(write(tmp_path / "long", text))
    assert isinstance(note, Skipped)
    assert note.reason == "bytes that are no text"
    assert len(found) == 4
    assert [isinstance(entry, Hand) for entry in (found[0], found[-1])] == [True, True]
    big = HAND.replace("venue", f"extra = '{long}'\nvenue")
    assert [
        type(entry) for entry in read(write(tmp_path / "phhs", f"[1]\n{HAND}\n[2]\n{big}\n[3]\n{HAND}"))
    ] == [
        Hand,
        Skipped,
        Hand,
    ]


# Match logs, which do not name their game.

DEFINITION = """GAMEDEF
limit
numPlayers = 3
numRounds = 1
blind = 1 1 1
raiseSize = 1
firstPlayer = 1
maxRaises = 1
numSuits = 1
numRanks = 4
numHoleCards = 1
numBoardCards = 0
END GAMEDEF
"""


def test_games_of_logs(tmp_path):
    hand = read(write(tmp_path / "a.log", LOG))[0]
    assert isinstance(hand, Hand)
    assert hand.game == "leduc"
    guessed = LOG.partition("\n")[2]
    assert read(write(tmp_path / "b" / "a.log", guessed)) == read(tmp_path / "a.log")
    three = "STATE:0:rff:As|Ks|Qs:2|-1|-1:a|b|c\nSTATE:1:ccc:Js|Ks|Qs:-1|2|-1:b|c|a\n"
    write(tmp_path / "c" / "three.game", DEFINITION)
    found = read(write(tmp_path / "c" / "x.log", three))
    assert [hand.payoffs for hand in found if isinstance(hand, Hand)] == [(2, -1, -1), (-1, 2, -1)]
    assert isinstance(found[0], Hand)
    assert found[0].game == "three"
    bad = LOG.replace("3|-3", "4|-4") + "STATE:4:rq:Qs|Qh:3|-3:a|b\nSTATE:5:rrrrc/cc:Qs|Qh/Ks:3|-3:a|b\n"
    assert [entry.reason for entry in read(write(tmp_path / "d.log", bad)) if isinstance(entry, Skipped)] == [
        "a line cannot be read",
        "an action is not legal",
        "chips are not conserved",
    ]


@pytest.mark.parametrize(
    ("changes", "game"),
    [
        ({"numPlayers = 3": "numPlayers = 2", "numRanks = 4": "numRanks = 3"}, kuhn()),
        (
            {
                "numPlayers = 3": "numPlayers = 2",
                "numRounds = 1": "numRounds = 2",
                "numSuits = 1": "numSuits = 2",
                "numRanks = 4": "numRanks = 3",
                "numBoardCards = 0": "numBoardCards = 0 1",
            },
            leduc(),
        ),
        (
            {
                "numPlayers = 3": "numPlayers = 2",
                "numRounds = 1": "numRounds = 4",
                "numSuits = 1": "numSuits = 4",
                "numRanks = 4": "numRanks = 13",
                "numHoleCards = 1": "numHoleCards = 2",
                "numBoardCards = 0": "numBoardCards = 0 3 1 1",
            },
            limit_holdem(),
        ),
    ],
)
def test_definitions_of_our_own_games(changes, game):
    text = DEFINITION
    for old, new in changes.items():
        text = text.replace(old, new)
    assert parse_definition(text, "x") == game


@pytest.mark.parametrize(
    "text",
    [
        "",
        "numPlayers = 3",
        DEFINITION.replace("numHoleCards = 1", "numHoleCards = 4"),
        DEFINITION.replace("= 4", "= 40"),
    ],
)
def test_bad_definitions(text):
    with pytest.raises(SoulreadError):
        parse_definition(text, "x.game")


# Writing.


@pytest.mark.parametrize("form", [form.name for form in FORMATS if form.write is not None])
def test_files_written_are_read_back(tmp_path, form):
    hands = [
        hand
        for hand in read(write(tmp_path / "x", TEXTS["acpc" if form == "acpc" else "pokerstars"]))
        if isinstance(hand, Hand)
    ]
    if form == "phh":
        hands = hands[:1]
    path = tmp_path / "match" / "x"
    path.parent.mkdir()
    with open(path, "w", encoding="utf-8") as file:
        assert write_hands(iter(hands), file, form) == len(hands)
    assert read(path) == hands


def test_unknown_formats_are_named(tmp_path):
    (hand,) = read(write(tmp_path / "x", CASH))
    assert isinstance(hand, Hand)
    with pytest.raises(SoulreadError, match="known are phh, phhs, pokerstars, ohh, json, acpc"):
        write_hand(hand, "pdf")
    with pytest.raises(SoulreadError, match="rake"):
        write_hand(hand, "acpc")
