"""`soulread import`, `hands`, `players`, `stats`, `replay --hand`, and `--db` of the other commands."""

import gzip
import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_statistics import PAPER, hand_of
from test_store import some_hands

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.leduc import leduc
from soulread.hands.conditions import parse_conditions
from soulread.hands.formats.reading import read_hands
from soulread.hands.hand import hand_from_json
from soulread.hands.statistics import STATISTICS
from soulread.hands.store import Store
from soulread.study.hands.importing import import_hands, size_of


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="soulread")


def record(*arguments: object):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Path:
    """A store with the hands of the tests of statistics, and some random ones."""
    where: Path = tmp_path_factory.mktemp("cli") / "hands.db"
    paper = [hand_of(*row[:4], id=f"paper{i}") for i, row in enumerate(PAPER, 1)]
    with Store.open(where) as store:
        store.add([*paper, *some_hands(80)])
    return where


@pytest.fixture(scope="module")
def log(tmp_path_factory) -> Path:
    path: Path = tmp_path_factory.mktemp("cli") / "match.log"
    assert run("duel", "leduc", "always-call", "equilibrium", "--hands", 300, "-o", path).exit_code == 0
    return path


def test_import_tells_what_came_in_and_what_did_not(log, tmp_path):
    bad = tmp_path / "bad.log"
    bad.write_text(log.read_text() + "STATE:999:x\n")
    first = record("import", bad, "--game", "leduc", "--db", tmp_path / "s.db")
    assert (first["new"], first["left_out"]) == (300, 1)
    assert sum(first["reasons"].values()) == 1
    again = record("import", log, "--game", "leduc", "--db", tmp_path / "s.db")
    assert (again["new"], again["known"]) == (0, 300)
    shown = run(
        "import", bad, "--game", "leduc", "--db", tmp_path / "s.db", "--skipped", tmp_path / "out.txt"
    )
    assert "0 new hands, 300 known already, 1 left out" in " ".join(shown.output.split())
    title, *left_out = (tmp_path / "out.txt").read_text().splitlines()
    assert title == "# hands that soulread left out"
    assert len(left_out) == 1


def test_strict_stops_at_the_first_and_keeps_what_was_before(stored, tmp_path):
    path = tmp_path / "bad.jsonl"
    assert run("hands", "--db", stored, "-o", path).exit_code == 0
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:50], '{"format": 1}', *lines[50:]]) + "\n")
    result = run("import", path, "--strict", "--db", tmp_path / "s.db")
    assert result.exit_code == 2
    assert "bad.jsonl, line 51: a line is no hand" in result.output
    assert "50 new hands before it stored" in result.output
    assert record("import", path, "--db", tmp_path / "s.db")["new"] == 42


def test_a_path_that_is_not_there_loses_nothing_of_those_before(log, tmp_path):
    where = tmp_path / "s.db"
    result = run("import", log, tmp_path / "none.txt", "--game", "leduc", "--db", where)
    assert result.exit_code == 2
    assert "none.txt" in result.output
    assert "300 new hands before it stored" in result.output
    assert record("players", "--db", where)["players"][0]["hands"] == 300


def test_an_empty_path_is_not_this_folder(log, tmp_path, monkeypatch):
    monkeypatch.chdir(log.parent)
    result = run("import", "", "--db", tmp_path / "s.db")
    assert result.exit_code == 2
    assert result.stderr == "soulread: a path is empty; name a file or a folder, or . for this folder\n"
    assert not (tmp_path / "s.db").exists()
    with pytest.raises(SoulreadError, match="a path is empty"):
        list(read_hands(""))


def test_bytes_read_come_to_the_sizes_of_the_files(log, stored, tmp_path):
    """So that the time left is right, also of packed files and folders."""
    folder = tmp_path / "files"
    (folder / "deeper").mkdir(parents=True)
    plain = folder / "hands.phhs"
    assert run("hands", "--db", stored, "-o", plain, "--since", "2009-07-01").exit_code == 0
    (folder / "hands.phhs.gz").write_bytes(gzip.compress(plain.read_bytes()))
    with zipfile.ZipFile(folder / "deeper" / "hands.zip", "w") as archive:
        archive.write(plain, "hands.phhs")
    paths = [str(folder), str(log)]
    with Store.open(tmp_path / "s.db") as store:
        study = import_hands(store, paths, leduc())
    assert study.bytes_read == size_of(paths)
    assert (study.added.new, study.added.known) == (380, 160)
    assert size_of(["-"]) is None


@pytest.mark.compiled
def test_leaks_and_curve_of_a_store_are_those_of_the_log(log, tmp_path):
    where = tmp_path / "s.db"
    record("import", log, "--game", "leduc", "--db", where)
    for words in (("leaks", "leduc"), ("curve", "leduc", "--trust", "0.5")):
        found = []
        for source in (("--data", log), ("--db", where)):
            found.append(record(*words, *source, "--player", "always-call"))
            for point in found[-1].get("points", ()):
                del point["seconds"]
        assert found[0] == found[1]


def test_leaks_of_a_file_of_another_format(stored, tmp_path):
    """A format that is no log is read too; hands of another game are counted and told."""
    path = tmp_path / "hands.phhs"
    assert run("hands", "--db", stored, "--player", "Dan", "-o", path).exit_code == 0
    result = run("leaks", "limit", "--data", path, "--player", "Dan")
    assert result.exit_code == 2
    assert "was played by the rules of 'limit'" in result.output
    assert "say with --player" in run("leaks", "limit", "--data", path).output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("leaks", "leduc", "--db", "no.db", "--player", "x"), "there is no store at 'no.db'"),
        (("leaks", "leduc", "--db", "no.db"), "say with --player"),
        (("leaks", "leduc", "--db", "no.db", "--data", "x"), "either --data or --db"),
        (("stats", "Bob", "--db", "no.db"), "there is no store at 'no.db'"),
        (("stats", "--db", "no.db", "--since", "soon"), "write a day such as"),
        (("hands", "pot>>3", "--db", "no.db"), "is no condition"),
        (("hands", "won>3", "--db", "no.db"), "is about one player"),
        (("hands", "--limit", "0", "--db", "no.db"), "at least one hand"),
        (("hands", "-o", "x.doc", "--db", "no.db"), "has no ending we write"),
        (("players", "--top", "0", "--db", "no.db"), "at least one player"),
        (("import", "x", "--key", "k", "--db", "no.db"), "--key is for --anonymise"),
        (("import", "no-such-file", "--db", "/nowhere/no.db"), "there is no folder"),
        (("replay", "--hand", "3", "leduc", "Jh"), "give either GAME and CARDS"),
        (("replay",), "give GAME and CARDS"),
        (("stats", "Bob", "--db", "postgresql://nobody@127.0.0.1:1/none"), ""),
    ],
)
def test_mistakes_are_one_line(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*words)
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_players_and_hands(stored):
    players = record("players", "--db", stored)["players"]
    assert players == sorted(players, key=lambda player: (-player["hands"], player["player"]))
    assert "Bea" in run("players", "--db", stored).output
    dan = record("hands", "--db", stored, "--player", "Dan")["hands"]
    assert [hand["id"] for hand in dan] == ["paper6", "paper7", "paper8"]
    assert record("hands", "showdown", "--db", stored, "--player", "Dan")["hands"] == [dan[0], dan[2]]
    assert len(record("hands", "--db", stored, "--since", "2009-07-01")["hands"]) == 20
    assert len(record("hands", "--db", stored, "--since", "2009-07-01", "-n", 100)["hands"]) == 80
    assert "paper6" in run("hands", "paper6", "--db", stored).output
    pots = run("hands", "paper4", "--db", stored).output  # 403 chips, big blind 2
    assert "201.5" in pots
    refused = run("hands", "nothing", "--db", stored)
    assert (refused.exit_code, "'nothing' is no condition" in refused.output) == (2, True)
    assert "there are no such hands" in run("hands", "pot>9999", "--db", stored).output


def test_hands_are_converted(stored, tmp_path):
    path = tmp_path / "out.phhs"
    assert record("hands", "--db", stored, "--since", "2009-07-01", "-o", path)["exported"] == 80
    assert record("import", path, "--db", tmp_path / "new.db")["new"] == 80
    assert record("import", path, "--db", stored)["new"] == 0
    lines = tmp_path / "out.jsonl"
    assert record("hands", "--db", stored, "-o", lines)["exported"] == 92
    again = record("import", lines, "--db", stored)
    assert (again["new"], again["known"]) == (0, 92)
    assert [hand_from_json(line).id for line in lines.read_text().splitlines()][:2] == ["paper1", "paper2"]


def test_conditions(tmp_path):
    hand = hand_of(*PAPER[3][:4])  # Cy wins a pot of 403 chips, big blind 2, from Bo with aces
    store = Store.open(tmp_path / "s.db")
    store.add([hand])
    for words, player, expected in (
        ("showdown", None, True),
        ("not-showdown", None, False),
        ("players=4 pot>200", None, True),
        ("pot=201.5", None, True),
        ("pot>201.5", None, False),
        ("not-pot>201.5", None, True),
        ("showdown", "Cy", True),
        ("showdown", "Sal", False),
        ("not-showdown", "Sal", True),
        ("won>=101", "Cy", True),
        ("won<0", "Cy", False),
        ("stack=100", "Bo", True),
        ("holds:QQ+", "Bo", True),
        ("holds:AA", "Bo", False),
        ("holds:AA", "Sal", False),
        ("board:2h8h", None, True),
        ("board:2c", None, False),
        ("betting:r6r*", None, True),
        ("betting:c*", None, False),
        ("1", None, True),
        ("not-1", None, False),
        ("#1", None, True),
        ("id:1", None, True),
        ("id:2", None, False),
        ("table:Elm", None, False),
    ):
        found = list(parse_conditions([words], player).find(store))
        assert (found == [(1, hand)]) is expected, words
    store.close()


def test_stats(stored):
    narrowed = ("--game", "nolimit")
    study = record("stats", "Bea", "--db", stored, "--by", "position", "--against", "pool", *narrowed)
    vpip = next(line for line in study["statistics"] if line["name"] == "VPIP")
    assert (study["hands"], vpip["n"], vpip["count"]) == (11, 10, 7)
    assert vpip["too_few"]
    assert {group["group"] for group in study["groups"]} == {"BB"}
    text = run("stats", "Bea", "--db", stored, "--by", "players", *narrowed).output
    assert "too few hands" in text
    assert "70.0%" in text
    for by in ("stack", "month"):
        assert run("stats", "Ann", "--db", stored, "--by", by).exit_code == 0
    table = record("stats", "--db", stored, "--min-hands", 10)
    assert "Bea" in {row["player"] for row in table["players"]}
    assert "VPIP" in run("stats", "--db", stored).output
    assert "say who is meant" in run("stats", "--db", stored, "--by", "players").output


def test_replay_of_a_stored_hand(stored):
    shown = record("replay", "--db", stored, "--hand", "paper4")
    steps = shown["steps"]
    assert [step["pot"] for step in steps if step["seat"] is not None] == [
        9,
        29,
        29,
        29,
        73,
        103,
        153,
        303,
        403,
    ]
    flop = next(step for step in steps if step["street"] == "flop")
    cy, bo = flop["seen"]
    assert (cy["cards"], bo["cards"]) == ("AcAd", "KcKd")
    assert cy["makes"] == "pair of aces"
    assert cy["share"] + bo["share"] == pytest.approx(1)
    assert cy["share"] == pytest.approx(0.918, abs=0.01)  # kings have two outs, twice
    assert steps[-1]["stacks"] == [199, 198, 403, 0]
    walk = record("replay", "--db", stored, "--hand", "#1")
    assert walk["steps"][0]["seen"][0]["possible"] == 52 * 51 // 2
    text = run("replay", "--db", stored, "--hand", "paper4").output
    assert "Bo: raise to 150 chips (75 bb)" in text  # in this round
    assert "pot 403 chips (201.5 bb)" in text
    assert run("replay", "--db", stored, "--hand", "paper10").exit_code == 0  # limit, without stacks
    assert "no hand 'x'" in run("replay", "--db", stored, "--hand", "x").output


def test_every_hand_of_the_paper_can_be_replayed(stored):
    for number in range(1, 13):
        steps = record("replay", "--db", stored, "--hand", f"#{number}")["steps"]
        assert steps[-1]["text"].startswith(("over", "showdown"))


def test_anonymise_on_the_command_line(log, tmp_path, monkeypatch):
    monkeypatch.setenv("SOULREAD_CONFIG", str(tmp_path))
    where = tmp_path / "s.db"
    words = ("import", log, "--game", "leduc", "--db", where, "--anonymise")
    assert record(*words)["new"] == 300
    assert record(*words)["new"] == 0
    names = {row["player"] for row in record("players", "--db", where)["players"]}
    assert len(names) == 2
    assert not names & {"always-call", "equilibrium"}


def test_the_default_store(log, tmp_path, monkeypatch):
    monkeypatch.setenv("SOULREAD_DB", str(tmp_path / "mine" / "hands.db"))
    assert record("import", log, "--game", "leduc")["new"] == 300
    assert len(record("players")["players"]) == 2


def test_the_page_of_statistics_has_every_definition():
    """`docs/hands.md` is a table of the same lines."""
    page = (Path(__file__).parent.parent / "docs" / "hands.md").read_text()
    for name, about in ((one.name, one.about) for one in STATISTICS):
        assert f"| {name} | {about} |" in page
