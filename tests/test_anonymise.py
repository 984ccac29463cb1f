"""`soulread import --anonymise` stores and tells no name, wherever names stand."""

import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_store import some_hands

from soulread.cli import cli
from soulread.hands.discreet import WORDS, discreet
from soulread.hands.formats.reading import write_hand
from soulread.hands.hand import Hand
from soulread.hands.identity import Anonymiser
from soulread.hands.store import Store
from soulread.study.hands.importing import import_hands

NAMES = {  # of the players of `some_hands`
    "Ann": "Zebulon",
    "Bob": "Ann Leeming",
    "Cid": "x.*[(y+$",
    "Dora": "raises",
    "Eve": "Table",
    "Fay": "a",
    "Gus": "71540",
    "Hal": "Müller",
    "Ida": "日本語の",
    "Jim": 'O\'Brien "Q"',
    "Kit": "ПётрЖ",
}
WORDLIKE = {"raises", "Table", "a"}  # names that are words of the formats, and of soulread
HASHED = re.compile("[a-z][a-z2-7]{12}")
KEY = b"a key of sixteen bytes or more"


def named(hands: list[Hand]) -> list[Hand]:
    """The hands with names everywhere: seats, ids, tables, sources."""
    renamed = []
    for number, hand in enumerate(hands):
        players = tuple(NAMES[name] for name in hand.players)
        counted = f"1715400{number}" if "71540" in players else f"88{number}"
        id = (f"{players[0]}-{number}", counted, f"RC1234567{number:02}", f"{number}")[number % 4]
        table = (f"{players[1]}'s table", "Zebulon vs. müller", "Vesta II", "raises", "12 3")[number % 5]
        room = ("PokerStars", "Zebulon's kitchen", "")[number % 3]
        renamed.append(
            replace(hand, players=players, id=id, table=table, source="Zebulon/hands.txt", room=room)
        )
    return renamed


def broken(text: str, form: str) -> str:
    """A hand that cannot be read, with its names."""
    wrong = {
        "pokerstars": (r"\$?[0-9.]+ in chips", "Zebulon in chips"),
        "json": ("payoffs", "Ann Leeming"),
        "phhs": ("starting_stacks = .*", "starting_stacks = ['Zebulon', 'Müller']"),
        "acpc": ("STATE:([0-9]+):[^:]*", r"STATE:\1:Zebulon"),
    }
    return re.sub(*wrong[form], text, count=1)


@pytest.fixture(scope="module")
def hands() -> list[Hand]:
    return named(some_hands(60))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, hands: list[Hand]) -> Path:
    """Files of all formats, good hands and bad ones, in folders called after people."""
    folder: Path = tmp_path_factory.mktemp("anonymise") / "Zebulon's hands" / "Ann Leeming"
    folder.mkdir(parents=True)
    lines = [write_hand(hand, "json") for hand in hands]
    (folder / "Müller.jsonl").write_text("".join(lines) + broken(lines[0], "json") + "Zebulon: folds\n")
    phhs = [write_hand(hand, "phhs", number) for number, hand in enumerate(hands, 1)]
    (folder / "x.phhs").write_text("".join(phhs) + broken(phhs[0], "phhs").replace("[1]", "[99]"))
    room = [
        write_hand(replace(hand, id=f"{500 + number}", room="Zebulon club", table="Zebulon 7"), "pokerstars")
        for number, hand in enumerate(hands)
        if "Jim" not in hand.players
    ]
    bad = [broken(text, "pokerstars") for text in room[:3]]
    omaha = room[0].replace("Hold'em No Limit", "Omaha Pot Limit Zebulon")
    (folder / "日本語の.txt").write_text("".join([*room, *bad, omaha, "Zebulon: says hello\n\n"]))
    (folder / "utf-16.txt").write_text("".join(room[:2] + bad), encoding="utf-16")
    with zipfile.ZipFile(folder / "Zebulon.zip", "w") as archive:
        archive.writestr("Ann Leeming/Zebulon.txt", "Zebulon raises all-in")
        archive.writestr("Ann Leeming/ПётрЖ.txt", room[1] + bad[0])
        archive.writestr("Ann Leeming/cut.gz", b"\x1f\x8b\x08Zebulon")
    (folder / "nothing.txt").write_text("Müller and Zebulon went for a walk\n")
    log = "STATE:7:rc:Qs|Ks:-2|2:Zebulon|Ann Leeming\n"
    (folder / "match.log").write_text(log + broken(log, "acpc") + "STATE:8:Zebulon\n")
    irc = folder / "Zebulon.irc" / "199801"
    (irc / "pdb").mkdir(parents=True)
    (irc / "hdb").write_text("1 1 1 2 2/20 2/20 2/20 2/20 Ac Ad Ah As Kc\nZebulon is here\n")
    (irc / "hroster").write_text("1 2 Zebulon Müller\n")
    (irc / "pdb" / "pdb.Zebulon").write_text("Zebulon 1 2 1 Bf - - - 100 5 0\n")
    (irc / "pdb" / "pdb.Müller").write_text("Müller 1 2 2 BZ - - - 100 15 20\n")
    return folder.parent


def run(*words: object) -> Result:
    return CliRunner().invoke(cli, [str(word) for word in words], prog_name="soulread")


def needles(name: str) -> set[bytes]:
    """The bytes by which a name can be found, in small letters."""
    found = set()
    for text in (
        name.lower(),
        name.upper(),
        name,
        json.dumps(name)[1:-1],
        repr(name)[1:-1],
        ascii(name)[1:-1],
    ):
        found |= {text.encode(encoding).lower() for encoding in ("utf-8", "utf-16-le", "utf-16-be")}
    return found


def found_in(content: bytes | str) -> list[str]:
    """The names in a content; words that stand everywhere are looked for in quotation marks."""
    raw = content.encode() if isinstance(content, str) else content
    small = raw.lower()
    names = [name for name in (*NAMES.values(), "Leeming", "Brien") if name not in WORDLIKE]
    quoted = [name for name in WORDLIKE if re.search(rf"[\"']{name}[\"']".encode(), raw)]
    return [name for name in names if any(form in small for form in needles(name))] + quoted


def test_the_names_are_found_where_they_are(folder: Path, tmp_path: Path) -> None:
    """Without --anonymise each of the places has names, so the search below can fail."""
    result = run(
        "import", folder, "--game", "kuhn", "--db", tmp_path / "s.db", "--skipped", tmp_path / "out.txt"
    )
    assert result.exit_code == 0, result.output
    assert len(found_in(b"".join(path.read_bytes() for path in tmp_path.glob("s.db*")))) >= 9
    for text in (result.output, (tmp_path / "out.txt").read_text()):
        assert "Zebulon" in found_in(text)
        assert "Leeming" in found_in(text)


def test_no_name_is_stored_or_told(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "key").write_bytes(KEY)
    where = tmp_path / "s.db"
    files = ("--db", where, "--skipped", tmp_path / "out.txt", "--key", tmp_path / "key")
    words = ("import", folder, "--game", "kuhn", "--anonymise", *files)
    first = run(*words)
    assert first.exit_code == 0, first.output
    clear = run("import", folder, "--game", "kuhn", "--db", tmp_path / "clear.db")
    assert first.output.split("new hands")[0].split()[-1] == clear.output.split("new hands")[0].split()[-1]
    again = run(*words, "--json")
    counts = json.loads(again.stdout)
    assert counts["new"] == 0
    assert counts["left_out"] > 10
    left_out = (tmp_path / "out.txt").read_text().partition("\n")[2]
    assert len(left_out.splitlines()) == counts["left_out"] + sum(counts["other_games"].values())
    monkeypatch.setenv("FORCE_COLOR", "1")
    told = {"terminal": first.output, "json": again.output, "skipped": left_out, "bar": run(*words).output}
    for place, text in told.items():
        assert not found_in(text), (place, found_in(text), text)
    for path in tmp_path.glob("s.db*"):
        assert not found_in(path.read_bytes()), path
    for command in ("players", "hands", "stats"):
        for form in ((), ("--json",)):
            assert not found_in(run(command, "--db", where, *form).output), command
    exported = tmp_path / "all.jsonl"
    assert run("hands", "--db", where, "-o", exported).exit_code == 0
    assert not found_in(exported.read_bytes())


@pytest.mark.parametrize("given", ["{0}", "{0}//", ".", "./Ann Leeming/../"])
def test_places_are_numbers_that_lead_to_the_file(
    given: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (tmp_path / "key").write_bytes(KEY)
    for name, mode in (("a", ["--anonymise", "--key", tmp_path / "key"]), ("b", [])):
        files = "--db", tmp_path / f"{name}.db", "--skipped", tmp_path / f"{name}.txt"
        assert run("import", given.format(folder), "--game", "kuhn", *files, *mode).exit_code == 0
    hidden, clear = ((tmp_path / f"{name}.txt").read_text().splitlines()[1:] for name in "ab")
    assert len(hidden) == len(clear)
    names = sorted(path.name for path in (folder / "Ann Leeming").iterdir() if path.is_file())
    for line, told in zip(hidden, clear, strict=True):
        number = re.match("file ([0-9]+)(, member m[a-z2-7]{12})?(, line [0-9]+)?:", line)
        assert number is not None, line
        place = told.partition("Ann Leeming/")[2].removeprefix("../Ann Leeming/")
        assert (number[2] is not None) == (".zip/" in place.partition(":")[0])
        wanted = [*names, "Zebulon.irc"][int(number[1]) - 1]
        assert place.startswith(wanted), (line, told)
        assert (number[3] or "") == (re.search(", line [0-9]+(?=:)", told) or [""])[0]


def test_nothing_is_written_even_for_a_moment(folder: Path, tmp_path: Path) -> None:
    """The bytes of store and journal after every batch, while the import runs."""
    looked = []

    def look(_: object) -> None:
        looked.append(b"".join(path.read_bytes() for path in tmp_path.iterdir()))

    with Store.open(tmp_path / "s.db") as store:
        study = import_hands(store, [str(folder)], anonymiser=Anonymiser(KEY), progress=look)
        assert any(path.name.endswith("-wal") for path in tmp_path.iterdir())
    assert study.added.new > 60
    assert looked
    assert not any(map(found_in, looked))


def test_a_hand_keeps_its_reading(hands: list[Hand]) -> None:
    hidden = Anonymiser(KEY)
    for hand in hands:
        made = hidden.hand(hand)
        assert [HASHED.fullmatch(name) is not None for name in made.players] == [True] * len(made.players)
        kept = re.fullmatch("(RC)?[0-9]+", hand.id) and "71540" not in hand.id
        assert made.id == hand.id if kept else HASHED.fullmatch(made.id)
        assert made.table == hand.table if hand.table == "12 3" else HASHED.fullmatch(made.table)
        assert made.source == ""
        own = {name: getattr(hand, name) for name in ("players", "id", "table", "source", "room")}
        same = replace(made, **own)
        assert same == hand
        assert hidden.hand(hand) == made
        assert (
            Anonymiser(b"another key of sixteen bytes").hand(hand).table != made.table or hand.table == "12 3"
        )


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": "171540", "players": ("71540", "Bo")}, "id"),
        ({"id": "zebulon"}, "id"),
        ({"id": "2009-07-01 Zebulon"}, "id"),
        ({"id": "RC12", "players": ("rc1", "Bo")}, "id"),
        ({"table": "ZEBULON"}, "table"),
        ({"game": "Zebulon:players=2"}, "game"),
        ({"game": "nolimit:zebulon=2"}, "game"),
        ({"room": "Zebulon's kitchen"}, "room"),
        ({"room": "PokerStars Zebulon"}, "room"),
    ],
)
def test_texts_with_names_are_hashed_whole(change: dict[str, object], field: str) -> None:
    hand = next(hand for hand in some_hands() if len(hand.players) == 2)
    made = getattr(Anonymiser(KEY).hand(replace(hand, **change)), field)
    assert HASHED.fullmatch(made)
    assert made[0] == ("h" if field == "id" else field[0])


def test_a_currency_may_be_a_name() -> None:
    hand = next(hand for hand in some_hands() if len(hand.players) == 2)
    for players, currency, stays in (
        (("Al", "Bo"), "USD", True),
        (("Al", "Usd"), "USD", False),
        (("Al", "Bo"), "Zebulon", False),
        (("Al", "Bo"), "", True),
    ):
        given = replace(hand, players=players, stakes=replace(hand.stakes, currency=currency))
        made = Anonymiser(KEY).hand(given).stakes.currency
        assert (made == currency) is stays
        assert stays or HASHED.fullmatch(made)


def test_names_that_are_words_change_no_word() -> None:
    """A player called "limit" or "no" does not change the game, the numbers, or a message."""
    hand = next(hand for hand in some_hands() if len(hand.players) == 2)
    given = replace(hand, players=("limit", "Stars"), game="nolimit", room="PokerStars")
    made = Anonymiser(KEY).hand(given)
    assert (made.game, made.room) == ("nolimit", "PokerStars")
    assert discreet("'raises' paid 3, by the rules 4") == "... paid 3, by the rules 4"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("3500, by the rules 3450", "3500, by the rules 3450"),
        ("'Bob' is to act after 'crr'", "... is to act after ..."),
        ("seat 3, 'Bo", "seat 3, ..."),
        ("seat 3, 'the player raises to", "seat 3, ..."),
        (repr(NAMES["Jim"]) + " collects without having played", "... collects without having played"),
        ("Bob folds (Al), b'Bob' too", "... folds (...), ... too"),
        ("names ['Al', 'Bo'", "names [..."),
        ("it's Bob's turn", "... turn"),
        ("/home/bob/x.txt: No such file or directory", "...: No such file or directory"),
    ],
)
def test_messages_without_quotations(message: str, shown: str) -> None:
    assert discreet(message) == shown
    assert discreet(shown) == shown


def test_the_words_of_messages_are_no_names() -> None:
    assert all(word.islower() for word in WORDS)
    assert not WORDS & {name.lower() for name in NAMES if name not in {"Dora", "Eve", "Fay"}}


def test_errors_that_end_an_import_name_nobody(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY)
    hidden = ("--anonymise", "--key", tmp_path / "key", "--db", tmp_path / "s.db")
    place = folder / "Ann Leeming"
    for words, message in (
        ((place / "nothing.txt",), "path 1: ... is no hand history in phh, phhs"),
        ((place / "x.phhs", folder / "Zebulon.txt"), "path 2: ... does not exist"),
        ((place / "日本語の.txt", "--strict"), "file 1, line "),
        ((place / "match.log", "--strict", "--game", "kuhn"), "file 1, line 2: hand 7: "),
    ):
        result = run("import", *words, *hidden)
        assert result.exit_code == 2, result.output
        assert message in result.output
        assert not found_in(result.output), result.output


def test_standard_input_is_a_place_too(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(KEY)
    words = ["import", "-", "--game", "kuhn", "--anonymise", "--key", str(tmp_path / "key")]
    log = "STATE:7:rc:Qs|Ks:-2|2:Zebulon|Ann Leeming\nSTATE:8:Zebulon\n"
    result = CliRunner().invoke(cli, [*words, "--db", str(tmp_path / "s.db"), "--json"], input=log)
    assert json.loads(result.stdout)["examples"] == [
        "file 1, line 2: hand 8: a line cannot be read: ... is not a hand; expected ..."
    ]
