"""A player is a name in a room: rooms in files, in the store, in queries and in commands."""

import json
import re
from dataclasses import replace

import pytest
from click.testing import CliRunner
from test_people import verify_one_person
from test_store import BEGIN, place, postgres, rows, some_hands  # noqa: F401, two of them are fixtures

from soulread.api import players as prompt
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.hands.formats.reading import read_hands, write_hand
from soulread.hands.hand import Hand, hand_from_json
from soulread.hands.store import Query, Store
from soulread.hands.tables.database import connect
from soulread.hands.tables.packing import pack_hand
from soulread.study.hands.of_player import of_room
from soulread.study.hands.statistics import study_player, study_players

ROOMS = ("PokerStars", "GGPoker", "")


def in_rooms(count=20):
    """Hands of three rooms, with the same ids and mostly the same names."""
    return [
        replace(
            hand, room=room, players=tuple(f"{name}{room[:1]}" if i % 2 else name for name in hand.players)
        )
        for room, part in zip(ROOMS, (some_hands(count, seed) for seed in (1, 2, 3)), strict=True)
        for i, hand in enumerate(part)
    ]


@pytest.fixture
def kept(tmp_path):
    where = tmp_path / "s.db"
    with Store.open(where) as opened:
        opened.add(in_rooms(), batch=17)
    return where


def run(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


def test_a_hand_keeps_its_room_in_json_and_in_files(tmp_path):
    hand = replace(some_hands(1)[0], room="GGPoker", source="GGPoker")
    assert hand_from_json(hand.to_json()) == hand
    record = json.loads(hand.to_json())
    del record["room"]
    assert hand_from_json(json.dumps(record)) == replace(hand, room="")
    for form in ("phh", "phhs", "pokerstars"):
        (tmp_path / "hands").write_text(write_hand(hand, form))
        (back,) = [read for read in read_hands(tmp_path / "hands") if isinstance(read, Hand)]
        assert (back.room, back.source) == ("GGPoker", "GGPoker"), form
    for room, source in (("", "file.txt"), ("GGPoker", "file.txt"), ("", "")):
        given = replace(hand, room=room, source=source)
        (tmp_path / "hands").write_text(write_hand(given, "phh"))
        (back,) = [read for read in read_hands(tmp_path / "hands") if isinstance(read, Hand)]
        assert back == replace(given, game=back.game)
    text = write_hand(replace(hand, source=""), "pokerstars")
    assert text.startswith("Poker Hand #")


def test_names_of_several_rooms_are_several_players(place):  # noqa: F811
    hands = in_rooms()
    with Store.open(place) as opened:
        assert opened.add(hands, batch=17).new == 60
        assert [hand for _, hand in opened.find()] == hands
        assert opened.rooms() == sorted(ROOMS)
        pairs = {(name, hand.room) for hand in hands for name in hand.players}
        assert {(player.name, player.room) for player in opened.players()} == pairs
        assert {player.room for player in opened.players("pokerstars")} == {"PokerStars"}
        table = study_players(opened)
        assert {(row.player, row.room) for row in table.rows} == pairs
        for room in ROOMS:
            own = [hand for hand in hands if hand.room == room]
            assert [hand for _, hand in opened.find(Query(room=room))] == own
            of_ann = [hand for hand in own if "Ann" in hand.players]
            assert [hand for _, hand in opened.find(Query(player="Ann", room=room))] == of_ann
            study = study_player(opened, "Ann", Query(room=room))
            assert (study.hands, study.room) == (len(of_ann), room)
        with pytest.raises(SoulreadError) as told:
            study_player(opened, "Ann")
        assert str(told.value).startswith("'Ann' plays in 3 rooms: ")
        assert re.search(r"no known room \([0-9]+ hands, --room ''\)", str(told.value))
        assert str(told.value).endswith("); say which with --room")
        assert study_player(opened, "AnnP").room == "PokerStars"
        with pytest.raises(SoulreadError, match=r"'AnnP' is no player of GGPoker in .*do you mean .*AnnG"):
            opened.player_number("AnnP", "GGPoker")
        with pytest.raises(SoulreadError, match=r"no room 'Elsewhere' in .*; its rooms are no known room"):
            list(opened.find(Query(room="Elsewhere")))
        number, hand = opened.hand("903", "ggpoker")
        assert (number, hand) == (24, hands[23])
        with pytest.raises(SoulreadError, match=r"say which: #4 \(PokerStars\), #24 \(GGPoker\), #44"):
            opened.hand("903")
        assert all(hand.room == "GGPoker" for hand in opened.earlier(40, hands[30].players, "GGPoker"))


def test_a_hand_without_a_room_gets_it_when_it_is_told(place, tmp_path):  # noqa: F811
    hands = [replace(hand, room="PokerStars") for hand in some_hands(40)]
    blank = [replace(hand, room="") for hand in hands]
    with Store.open(place) as opened:
        opened.add([*blank[:30], replace(hands[30], room="IRC")], batch=8)
        added = opened.add([*hands, *blank, *hands], batch=100)
        assert (added.new, added.known, added.enriched) == (9, 111, 30)
        expected = [*hands[:30], replace(hands[30], room="IRC"), *hands[31:]]  # the first room stays
        assert [hand for _, hand in opened.find()] == expected
        assert opened.player_number("Ann", "PokerStars")
        assert opened.add(blank).enriched == 0
        assert {player.room for player in opened.players()} == {"PokerStars", "IRC"}
        found = {(player.name, player.room): player for player in opened.players()}
    alone = tmp_path / "alone.db"
    with Store.open(alone) as opened:
        opened.add(expected)
        assert found == {(player.name, player.room): player for player in opened.players()}
    assert rows(place)[0] == rows(alone)[0]
    with Store.open(alone) as one, Store.open(place) as other:
        for name, room in found:
            query = Query(room=room)
            assert study_player(one, name, query).lines == study_player(other, name, query).lines


V1 = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE kind (number INTEGER PRIMARY KEY, game TEXT NOT NULL, variant TEXT NOT NULL, "
    "small_bet BIGINT NOT NULL, big_blind BIGINT NOT NULL, ante BIGINT NOT NULL, currency TEXT NOT NULL, "
    "chip TEXT NOT NULL)",
    "CREATE TABLE player (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    "CREATE TABLE hand (number BIGINT PRIMARY KEY, key BYTES NOT NULL, id TEXT NOT NULL, time BIGINT, "
    "kind INTEGER NOT NULL, record BYTES NOT NULL)",
    "CREATE UNIQUE INDEX hand_key ON hand (key)",
    "CREATE INDEX hand_id ON hand (id)",
    "CREATE TABLE block (player INTEGER NOT NULL, first_hand BIGINT NOT NULL, hands INTEGER NOT NULL, "
    "first_time BIGINT, last_time BIGINT, seats BYTES NOT NULL, decisions BYTES NOT NULL)",
    "CREATE INDEX block_player ON block (player)",
)


def store_of_version_1(place, hands):  # noqa: F811
    """What the first version of the store wrote; its blocks are left out, since nobody reads them."""
    from soulread.hands.identity import key_of

    database = connect(str(place))
    names = {
        name: number for number, name in enumerate(dict.fromkeys(n for h in hands for n in h.players), 1)
    }
    kinds = {
        kind: number for number, kind in enumerate(dict.fromkeys((h.variant, h.stakes) for h in hands), 1)
    }
    with database.writing():
        for statement in V1:
            database.run(statement)
        for entry in (("version", "1"), ("facts", "1"), ("names", "clear")):
            database.run("INSERT INTO meta VALUES (?, ?)", entry)
        for (variant, stakes), number in kinds.items():
            money = (stakes.small_bet, stakes.big_blind, stakes.ante, stakes.currency, stakes.chip)
            values = (number, "nolimit", variant, *money)
            database.run("INSERT INTO kind VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        for name, number in names.items():
            database.run("INSERT INTO player VALUES (?, ?)", (number, name))
        for number, hand in enumerate(hands, 1):
            record = pack_hand(hand, [names[name] for name in hand.players])
            time, kind = int(hand.time.timestamp()), kinds[hand.variant, hand.stakes]
            row = (number, key_of(hand), hand.id, time, kind, record)
            database.run("INSERT INTO hand VALUES (?, ?, ?, ?, ?, ?)", row)
    database.close()


def test_a_store_of_version_1_is_brought_up_to_date(place, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr("soulread.hands.store.BATCH", 7)
    sources = {"PokerStars": "PokerStars", "IRC holdem": "IRC", "a.phh": ""}
    names = list(sources) * 7
    hands = [replace(hand, source=names[i]) for i, hand in enumerate(some_hands(20))]
    store_of_version_1(place, hands)
    with pytest.raises(SoulreadError, match="written by an older soulread"):
        Store.open(place, read_only=True)
    expected = [replace(hand, room=sources[hand.source]) for hand in hands]
    with Store.open(place) as opened:
        assert opened.meta("version") == "2"
        assert opened.meta("names") == "clear"
        assert [hand for _, hand in opened.find()] == expected
        assert opened.add(hands).new == 0
        assert opened.hand("#5")[1] == expected[4]
    alone = tmp_path / "alone.db"
    with Store.open(alone) as opened:
        opened.add(expected)
    assert rows(place) == rows(alone)


def test_commands_know_rooms(kept):
    table = run("players", "--db", kept).output
    assert "room" in table
    assert "PokerStars" in table
    listed = json.loads(run("players", "--db", kept, "--json", "--top", 1000).output)["players"]
    assert {player["room"] for player in listed} == set(ROOMS)
    one = json.loads(run("players", "--db", kept, "--json", "--room", "ggpoker").output)
    assert {player["room"] for player in one["players"]} == {"GGPoker"}
    assert "PokerStars" not in run("players", "--db", kept, "--room", "PokerStars").output
    said = run("stats", "Ann", "--db", kept)
    assert said.exit_code == 2
    assert said.stderr.startswith("soulread: 'Ann' plays in 3 rooms: ")
    assert said.stderr.count("\n") == 1
    found = json.loads(run("stats", "Ann", "--db", kept, "--room", "PokerStars", "--json").output)
    assert (found["player"], found["room"]) == ("Ann", "PokerStars")
    shown = json.loads(run("hands", "--db", kept, "--room", "GGPoker", "--json", "-n", 100).output)["hands"]
    assert [hand["room"] for hand in shown] == ["GGPoker"] * 20
    assert run("hands", "--db", kept, "--player", "Ann").exit_code == 2
    assert run("hands", "--db", kept, "--player", "Ann", "--room", "").exit_code == 0
    assert run("replay", "--db", kept, "--hand", "903").exit_code == 2
    replayed = json.loads(run("replay", "--db", kept, "--hand", "903", "--room", "GGPoker", "--json").output)
    assert replayed["number"] == 24
    for words in (("profile", "Ann"), ("predict", "--player", "Ann"), ("stats", "Ann", "--by", "month")):
        assert "plays in 3 rooms" in run(*words, "--db", kept).stderr, words


def test_the_prompt_knows_rooms(kept):
    assert prompt.stats(kept, "Ann", room="PokerStars").room == "PokerStars"
    with pytest.raises(SoulreadError, match="plays in 3 rooms"):
        prompt.stats(kept, "Ann")
    assert {row.room for row in prompt.players(kept, room="PokerStars").rows} == {"PokerStars"}


def test_hands_of_files_are_narrowed_to_a_room():
    hands = in_rooms(4)
    with pytest.raises(SoulreadError, match="plays in 3 rooms"):
        of_room(hands, "Ann", None)
    assert {hand.room for hand in of_room(hands, "Ann", "pokerstars")} == {"PokerStars"}
    with pytest.raises(SoulreadError, match="'Ann' has no hands of the room 'IRC'"):
        of_room(hands, "Ann", "IRC")
    assert of_room(hands, "AnnP", None) == hands


def test_an_alias_joins_players_of_two_rooms(place, tmp_path):  # noqa: F811
    verify_one_person(place, tmp_path / "twin.db")
