"""A damaged store gives the same answers, or says that it is damaged; and what is whole of it can be kept.

`benchmarks/damage.py` does the first part with 10,000 mutants.
"""

import json
import os
import re
import shutil
import signal
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from mutants import ACCEPTED, CRASHED, Attack
from store_mutants import answers, store_subject, stored_hands
from test_store import BEGIN, place, postgres, rows, some_hands  # noqa: F401, two of them are fixtures
from test_store_rooms import store_of_version_1

from soulread.cli import cli
from soulread.errors import DamagedFile, SoulreadError
from soulread.hands.facts import SEAT
from soulread.hands.store import Query, Store
from soulread.hands.tables.checking import check_store, rebuild_store
from soulread.hands.tables.database import connect
from soulread.hands.tables.journal import is_cut
from soulread.hands.tables.layout import read_state, seal_of, seal_of_block, seal_of_hand

REMEDY = "; soulread hands rebuild keeps what is whole"


def run(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.fixture
def kept(tmp_path):
    where = tmp_path / "s.db"
    with Store.open(where) as opened:
        opened.add(stored_hands(), batch=8)
    return where


def plant(where, sql, *values):
    with sqlite3.connect(where) as connection:
        connection.execute(sql, values)
    connection.close()


# Damage is noticed.


@pytest.mark.compiled
@pytest.mark.parametrize("left_behind", [False, True])
def test_no_mutant_changes_an_answer(left_behind, tmp_path):
    attack = Attack(store_subject(left_behind), tmp_path / "subject")
    rng = np.random.default_rng(5)
    wrong = [found for found in (attack(rng) for _ in range(40)) if found[1] in (ACCEPTED, CRASHED)]
    assert wrong == []


@pytest.mark.compiled
def test_one_flipped_bit_anywhere_is_harmless_or_noticed(kept, tmp_path):
    content = kept.read_bytes()
    expected = answers(kept)
    other = tmp_path / "other.db"
    noticed = 0
    for place in range(0, len(content), 401):  # noqa: F402
        flipped = bytes([content[place] ^ (1 << place % 8)])
        other.write_bytes(content[:place] + flipped + content[place + 1 :])
        found = answers(other)
        noticed += None in found
        assert all(now is None or now == before for now, before in zip(found, expected, strict=True)), place
    assert noticed > 50


PLANTED = [
    ("UPDATE meta SET value = 'abc' WHERE name = 'version'", "its version is 'abc', not a number"),
    ("UPDATE meta SET value = '1' WHERE name = 'version'", "its version is '1', which its tables are not of"),
    ("UPDATE meta SET value = '٢' WHERE name = 'version'", "its setting 'version' is not what was written"),
    ("DELETE FROM meta WHERE name = 'version'", "its version is None, not a number"),
    ("DELETE FROM meta WHERE name = 'state'", "it does not say what it holds"),
    ("UPDATE meta SET value = x'00' WHERE name = 'facts'", "its setting 'facts' is not what was written"),
    ("DELETE FROM player WHERE number = 2", "player 2 is not what was written"),
    ("DELETE FROM player WHERE number = (SELECT MAX(number) FROM player)", "of .* is lost"),
    ("UPDATE player SET first_time = 9999999999999999", "is not what was written"),
    ("UPDATE player SET name = x'ff00' WHERE number = 1", "is not what was written"),
    ("UPDATE player SET hands = 1e300", "is not what was written"),
    ("UPDATE kind SET big_blind = 0", "game 1 is not what was written"),
    ("UPDATE kind SET chip = 'many'", "game 1 is not what was written"),
    ("DELETE FROM kind", "game 1 of [0-9]+ is lost"),
    ("UPDATE hand SET record = 'text' WHERE number = 3", "hand #3 is not what was written"),
    ("UPDATE hand SET kind = 77 WHERE number = 3", "hand #3 is not what was written"),
    ("UPDATE hand SET time = 9223372036854775807 WHERE number = 3", "hand #3 is not what was written"),
    ("UPDATE hand SET id = 5 WHERE number = 3", "hand #3 is not what was written"),
    ("UPDATE hand SET number = 5000 WHERE number = 3", "hand #3 is lost"),
    ("DELETE FROM hand WHERE number = 24", "hand #24 is lost"),
    ("DELETE FROM hand WHERE number = 7", "hand #7 is lost"),
    ("UPDATE block SET seats = 'text'", "facts of player 1 are not what was written"),
    ("UPDATE block SET player = 2 WHERE player = 1", "facts of player 2 are not what was written"),
    ("UPDATE block SET player = 4294967297 WHERE player = 1", "are in the wrong place"),
    ("UPDATE block SET player = 'Ann' WHERE number = 1", "facts of player 'Ann' are not what was written"),
    ("DELETE FROM block WHERE number = 2", "some facts of its hands are lost"),
    ("UPDATE batch SET marks = x'00'", "the index of its hands from #1 is not what was written"),
    ("DELETE FROM batch WHERE first_hand > 1", "the index of its hands from #9 is lost"),
    ("DROP TABLE block", "no such table: block"),
    ("DROP TABLE meta", "its settings are lost"),
    ("ALTER TABLE player RENAME COLUMN name TO called", "no such column: name"),
]


@pytest.mark.parametrize(("sql", "message"), PLANTED)
def test_planted_values_are_one_sentence(sql, message, kept):
    plant(kept, sql)
    said = []
    for words in (
        ("stats",),
        ("stats", "Ann", "--room", "PokerStars"),
        ("hands",),
        ("hands", "--room", "GGPoker", "-n", 100),
        ("players",),
        ("replay", "--hand", "905"),
        ("replay", "--hand", "#3"),
    ):
        result = run(*words, "--db", kept)
        assert result.exit_code in (0, 2), result.exception
        if result.exit_code == 2:
            said.append(result.stderr)
            assert result.stderr.count("\n") == 1
            assert result.stderr.startswith(f"soulread: {str(kept)!r} is damaged: ")
            assert result.stderr.endswith(REMEDY + "\n")
    assert any(re.search(message, text) for text in said), said
    check = run("hands", "check", "--db", kept)
    assert check.exit_code in (1, 2), check.output
    assert check.exception is None or isinstance(check.exception, SystemExit)


def test_columns_without_a_value_are_noticed(kept):
    """NULL where nothing may be missing: the tables are made again without that rule."""
    with sqlite3.connect(kept) as connection:
        connection.executescript(
            "CREATE TABLE other AS SELECT * FROM hand; DROP TABLE hand; ALTER TABLE other RENAME TO hand;"
            "UPDATE hand SET key = NULL, id = NULL, record = NULL, kind = NULL WHERE number = 4;"
        )
    connection.close()
    with Store.open(kept, read_only=True) as opened, pytest.raises(DamagedFile, match="hand #4 is not what"):
        list(opened.find())


ABSURD = [
    (lambda r: r[0].__setitem__(0, 999), "KeyError 999"),
    (lambda r: r.__setitem__(2, [-5] * len(r[0])), "a stack, a bet or an action below 0"),
    (lambda r: r.__setitem__(2, ["x"] * len(r[0])), "no whole number"),
    (lambda r: r.__setitem__(2, [10**30] * len(r[0])), "an amount of 1000"),
    (lambda r: r[3][0].__setitem__(0, 50), "an action of seat 50"),
    (lambda r: r.__setitem__(7, [[1, 2, 3, 4, 5, 6, 7]]), "a card twice, or too many"),
    (lambda r: r.__setitem__(7, [[99, 98, 97]]), "a card that is none"),
    (lambda r: r.__setitem__(7, []), "no board"),
    (lambda r: r.__setitem__(15, "0001-99-01"), "ValueError"),
    (lambda r: r.__setitem__(14, 7), "id 7"),
]


@pytest.mark.parametrize(("change", "message"), ABSURD)
def test_a_record_that_is_whole_and_absurd_is_refused(change, message, kept):
    with sqlite3.connect(kept) as connection:
        sql = "SELECT number, key, id, time, kind, record FROM hand WHERE number = 5"
        number, key, id_, time, kind, record = connection.execute(sql).fetchone()
        values = json.loads(record)
        change(values)
        packed = json.dumps(values).encode()
        seal = seal_of_hand(number, key, id_, time, kind, packed)
        connection.execute("UPDATE hand SET record = ?, seal = ? WHERE number = 5", (packed, seal))
    connection.close()
    with Store.open(kept, read_only=True) as opened:
        with pytest.raises(DamagedFile, match=f"hand #5: a hand of the store .*{message}"):
            list(opened.find())
        assert opened.hand("#4")


@pytest.mark.parametrize("field", ["position", "kind", "hand", "last_round", "players", "decisions"])
def test_facts_that_are_whole_and_absurd_are_refused(field, kept):
    with sqlite3.connect(kept) as connection:
        number, player, seats, decisions, seal = connection.execute("SELECT * FROM block").fetchone()
        changed = np.frombuffer(seats, SEAT).copy()
        changed[field] = 200
        new = seal_of_block(player, changed.tobytes(), decisions)
        sql = "UPDATE block SET seats = ?, seal = ? WHERE number = ?"
        connection.execute(sql, (changed.tobytes(), new, number))
        (text,) = connection.execute("SELECT value FROM meta WHERE name = 'state'").fetchone()
        state = read_state(text)
        assert state is not None
        text = replace(state, sum=state.sum + new - seal).text
        connection.execute(
            "UPDATE meta SET value = ?, seal = ? WHERE name = 'state'", (text, seal_of("state", text))
        )
    connection.close()
    with Store.open(kept, read_only=True) as opened, pytest.raises(DamagedFile, match="cannot be"):
        list(opened.facts())


def test_an_index_that_loses_entries_is_noticed(kept):
    """Nothing is found by a damaged index that was not found by reading everything."""
    with sqlite3.connect(kept) as connection:
        connection.execute("PRAGMA writable_schema = 1")
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'hand_key'").fetchone()
    connection.close()
    content = bytearray(kept.read_bytes())
    start = (page - 1) * 4096
    assert content[start] == 10  # a leaf of an index
    content[start + 3 : start + 5] = (0).to_bytes(2, "big")  # it has no entries
    kept.write_bytes(content)
    with Store.open(kept) as opened:
        with pytest.raises(DamagedFile, match="its index of hands has lost some"):
            opened.add(stored_hands())
        assert len(list(opened.find())) == 24
    assert not check_store(kept).whole
    rebuild_store(kept)
    with Store.open(kept) as opened:
        assert opened.add(stored_hands()).new == 0


# Checking and rebuilding.


def test_a_whole_store_is_called_whole(place):  # noqa: F811
    with Store.open(place) as opened:
        opened.add(stored_hands(), batch=8)
        opened.add([replace(hand, room="") for hand in some_hands(30, 9)], batch=8)
        opened.add([replace(hand, room="IRC") for hand in some_hands(30, 9)], batch=8)
    check = check_store(place)
    assert check.whole, check
    assert [part.name for part in check.parts] == [
        *("files", "settings", "games", "players", "hands", "index", "facts")
    ]
    before = rows(place)
    done = rebuild_store(place)
    assert (done.lost, done.nameless, done.kept) == ((), (), None)
    assert rows(place) == before
    assert check_store(place).whole


def test_what_is_whole_is_kept(place):  # noqa: F811
    with Store.open(place) as opened:
        opened.add(stored_hands(), batch=8)
        expected = dict(opened.find())
    database = connect(place)
    for sql in (
        "UPDATE hand SET record = key WHERE number = 7",
        "DELETE FROM hand WHERE number = 12",
        "UPDATE block SET seats = decisions",
        "DELETE FROM block WHERE number = 3",
        "UPDATE player SET hands = 77 WHERE number = 1",
        "UPDATE kind SET ante = 5 WHERE number = 1",
        "DELETE FROM batch",
        "DELETE FROM meta WHERE name = 'names'",
    ):
        database.run(sql)
    database.close()
    check = check_store(place)
    damaged = {part.name: part.damaged for part in check.parts}
    assert damaged["hands"] >= 2
    assert min(damaged[name] for name in ("games", "players", "index", "facts")) >= 1
    done = rebuild_store(place)
    assert (done.hands, done.nameless) == (22, ())
    assert [name.split()[0] for name in done.lost] == ["#7", "#12"]
    assert check_store(place).whole
    with Store.open(place) as opened:
        assert dict(opened.find()) == {n: hand for n, hand in expected.items() if n not in (7, 12)}
        assert len(opened) == 22
        assert opened.meta("names") == "clear"
        with pytest.raises(SoulreadError, match="there is no hand '#7'"):
            opened.hand("#7")
        added = opened.add(stored_hands(), batch=5)
        assert (added.new, added.known) == (2, 22)
        assert sorted(hand.to_json() for _, hand in opened.find()) == sorted(
            hand.to_json() for hand in expected.values()
        )
        assert len(opened) == 24
    assert check_store(place).whole


def test_a_lost_name_costs_no_hand(kept):
    plant(kept, "UPDATE player SET name = 'A' || CAST(x'0b' AS TEXT) WHERE number = 1")
    done = rebuild_store(kept)
    assert (done.hands, done.lost, done.nameless) == (24, (), (1,))
    assert done.kept == f"{kept}.damaged"
    with Store.open(kept, read_only=True) as opened:
        assert opened.player("lost name 1").hands
        assert len(list(opened.find())) == 24


def test_pages_that_cannot_be_read_cost_only_their_hands(tmp_path):
    where = tmp_path / "s.db"
    with Store.open(where) as opened:
        opened.add(some_hands(200))
    content = bytearray(where.read_bytes())
    with sqlite3.connect(where) as connection:
        sql = "SELECT pageno FROM dbstat WHERE name = 'hand' AND pagetype = 'leaf' ORDER BY pageno"
        try:
            pages = [page for (page,) in connection.execute(sql)]
        except sqlite3.OperationalError:
            pytest.skip("SQLite was built without dbstat")
    connection.close()
    start = (pages[3] - 1) * 4096
    content[start : start + 4096] = b"\xff" * 4096
    where.write_bytes(content)
    assert not check_store(where).whole
    done = rebuild_store(where)
    assert 0 < len(done.lost) < 15
    assert done.hands == 200 - len(done.lost)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.db", "s.db.damaged"]
    with Store.open(where) as opened:
        assert opened.add(some_hands(200)).new == len(done.lost)


def test_the_commands(kept):
    whole = run("hands", "check", "--db", kept)
    assert (whole.exit_code, "is whole." in whole.output) == (0, True)
    assert json.loads(run("hands", "check", "--db", kept, "--json").output)["whole"] is True
    plant(kept, "UPDATE hand SET record = key WHERE number = 7")
    damaged = run("hands", "check", "--db", kept)
    assert damaged.exit_code == 1
    assert "hand #7 is not what was written" in " ".join(damaged.output.split())
    told = run("hands", "check", "--db", kept, "--json")
    assert told.exit_code == 1
    (hands,) = [part for part in json.loads(told.output)["parts"] if part["part"] == "hands"]
    assert (hands["rows"], hands["damaged"]) == (24, 1)
    rebuilt = run("hands", "rebuild", "--db", kept)
    assert rebuilt.exit_code == 0
    assert "1 hand could not be kept: #7" in rebuilt.output
    assert run("hands", "check", "--db", kept).exit_code == 0
    assert json.loads(run("hands", "rebuild", "--db", kept, "--json").output)["lost"] == []
    refused = run("hands", "check", "--db", kept, "--player", "Ann")
    assert refused.exit_code == 2
    assert "takes --db and --json only" in refused.stderr
    assert run("hands", "check", "--db", kept.parent / "none.db").exit_code == 2


def test_a_damaged_store_of_version_1_is_told(tmp_path):
    where = tmp_path / "s.db"
    store_of_version_1(where, some_hands(10))
    assert check_store(where).whole
    plant(where, "UPDATE hand SET record = 'x' WHERE number = 3")
    assert not check_store(where).whole
    with pytest.raises(DamagedFile, match="hand #3"):
        Store.open(where)
    plant(where, "DELETE FROM hand WHERE number = 3")
    assert rebuild_store(where).hands == 9
    assert check_store(where).whole


# Killed imports and what they leave behind.


def kill_at(where, hands, commits, statement):
    """An import in a process of its own that kills itself after some commits, or within a transaction."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == signal.SIGKILL
        return
    done = {"commits": 0, "statements": 0}

    def count(what, last):
        done[what] += 1
        if done[what] == last:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        store = Store.open(where)
        database: Any = store._db
        run_many = database.run_many

        def counted(*given):
            count("statements", statement)
            run_many(*given)

        database.run_many = counted
        store.add(hands, batch=3, progress=lambda added: count("commits", commits))
    finally:
        os._exit(1)  # it should have been killed


@pytest.mark.compiled
def test_a_kill_at_twenty_moments_loses_nothing_that_was_committed(tmp_path):
    whole = tmp_path / "whole.db"
    with Store.open(whole) as opened:
        opened.add(some_hands(60), batch=3)
    expected = rows(whole)
    hands = some_hands(60)
    moments = [(n, -1) for n in (1, 3, 5, 7, 9, 11, 13, 15, 17, 19)]
    moments += [(99, n) for n in (2, 9, 17, 25, 33, 41, 50, 58, 66, 75)]
    for commits, statement in moments:
        where = tmp_path / f"killed{commits}-{statement}.db"
        kill_at(where, hands, commits, statement)
        assert check_store(where).whole
        with Store.open(where, read_only=True) as opened:
            assert len(opened) % 3 == 0
            assert len(opened) == 3 * commits or commits == 99
        with Store.open(where) as opened:
            opened.add(some_hands(60), batch=3)
        assert not os.path.exists(f"{where}-wal")
        assert rows(where) == expected


@pytest.fixture
def left(tmp_path):
    """A store with the journal and the shared memory of an import that was killed."""
    where = tmp_path / "left.db"
    with Store.open(tmp_path / "a.db") as opened:
        opened._db._connection.execute("PRAGMA wal_autocheckpoint=0")  # type: ignore[attr-defined]
        opened.add(some_hands(30), batch=5)
        for ending in ("", "-wal", "-shm"):
            shutil.copy(f"{tmp_path / 'a.db'}{ending}", f"{where}{ending}")
    return where


def test_shared_memory_that_is_damaged_does_not_matter(left):
    for content in (b"", b"\xff" * 40000, os.urandom(32768)):
        Path(f"{left}-shm").write_bytes(content)
        with Store.open(left, read_only=True) as opened:
            assert len(list(opened.find())) == 30


def test_a_journal_that_is_damaged_is_told(left):
    journal = Path(f"{left}-wal")
    content = journal.read_bytes()
    assert not is_cut(left)
    for place in (3, 20, 40, 60, 5000, len(content) // 2, len(content) - 100):  # noqa: F402
        journal.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        for read_only in (True, False):
            with pytest.raises(DamagedFile, match=r"its journal 'left.db-wal' has hands that were stored"):
                Store.open(left, read_only=read_only)
    done = rebuild_store(left)
    assert done.kept is not None
    assert 0 < done.hands < 30
    with Store.open(left) as opened:
        assert opened.add(some_hands(30)).new == 30 - done.hands
        assert [hand for _, hand in opened.find(Query(since=BEGIN))] == some_hands(30)


def test_a_transaction_that_was_not_finished_is_no_damage(left):
    journal = Path(f"{left}-wal")
    content = journal.read_bytes()
    journal.write_bytes(content[:-5])  # the last frame of the last batch
    with Store.open(left) as opened:
        assert len(opened) == 25
        assert opened.add(some_hands(30)).new == 5
