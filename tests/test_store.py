"""The store: nothing is lost, nothing is there twice, and every fault is one sentence."""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib import recfunctions
from test_statistics import PLAYERS, counted, hand_of, random_hands, short_stacks

from soulread.errors import DamagedFile, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.ring_limit import ring_limit
from soulread.hands import facts, store
from soulread.hands.facts import facts_of
from soulread.hands.hand import Hand, Sight, Stakes
from soulread.hands.identity import Anonymiser, key_of, keyed, read_key
from soulread.hands.record import seen_by_dealer
from soulread.hands.store import Query, Store
from soulread.hands.tables.checking import check_store
from soulread.study.hands.splits import By
from soulread.study.hands.statistics import count_everybody, study_player, study_players

BEGIN = datetime(2009, 7, 1, tzinfo=UTC)
SERVER = "/usr/lib/postgresql"


def some_hands(count=60, seed=3):
    """Hands with times, one a day."""
    hands = [hand for _, hand in random_hands(short_stacks, PLAYERS, count, seed)]
    return [
        replace(hand, time=BEGIN + timedelta(days=i), id=str(900 + i), source="file.txt", table="Vesta II")
        for i, hand in enumerate(hands)
    ]


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server of our own, started from Debian's package."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    found = sorted(Path(SERVER).glob("*/bin/postgres"))
    if not found:
        pytest.skip(f"no PostgreSQL server in {SERVER}")
    programs = found[-1].parent
    folder = Path(tempfile.mkdtemp(prefix="soulread-pg-"))  # not below pytest's, which is closed to others
    user: dict[str, str] = {}
    if os.getuid() == 0:  # a server does not run as root
        shutil.chown(folder, "postgres", "postgres")
        user = {"user": "postgres"}
    run: dict[str, Any] = {"check": True, "capture_output": True, "cwd": folder, **user}
    data = folder / "data"
    subprocess.run([str(programs / "initdb"), "-D", str(data), "-A", "trust", "-U", "postgres"], **run)
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    begin: list[Any] = [programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"]
    subprocess.run(begin, **{**run, "capture_output": False, "stdout": subprocess.DEVNULL})
    yield f"postgresql://postgres@/postgres?host={folder}"
    subprocess.run([str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "stop"], **run)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgres"])
def place(request, tmp_path) -> str:
    """Where an empty store can be made."""
    if request.param == "sqlite":
        return str(tmp_path / "hands.db")
    address = request.getfixturevalue("postgres")  # skips where there is no server
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return str(address)


def rows(where):
    """Everything a store holds but the order of its rows."""
    with Store.open(where, read_only=True) as opened:
        hands = sorted(hand.to_json() for _, hand in opened.find())
        tallied = count_everybody(opened)
        names = opened.names()
        facts = {
            names[i]: (tallied.hands[i], tuple(tallied.chances[i]), tuple(tallied.actions[i])) for i in names
        }
        return hands, facts


# What goes in comes out.


def test_hands_come_back(place):
    hands = some_hands()
    with Store.open(place) as opened:
        assert opened.add(hands, batch=25).new == 60
    with Store.open(place, read_only=True) as opened:
        assert [hand for _, hand in opened.find()] == hands
        assert len(opened) == 60
        players = opened.players()
        assert sum(player.hands for player in players) == sum(hand.num_players for hand in hands)
        assert {player.name for player in players} == {name for hand in hands for name in hand.players}
        assert opened.hand("903")[1] == hands[3]
        assert opened.hand("#5")[1] == hands[4]


def test_hands_of_every_kind_come_back(tmp_path):
    state = kuhn().start().deal(kuhn().rules.deck[:2]).apply(1).apply(1)
    small = seen_by_dealer(state, ["Ann", "Bob"], id="7")
    twice = replace(some_hands(1)[0], boards=((0, 1, 2, 3, 4), (0, 1, 2, 5, 6)), rake=0, observer=1)
    limit = next(random_hands(lambda rng: ring_limit(4), PLAYERS, 1, 5))[1]
    naive_time = replace(limit, time=datetime(2001, 2, 3, 4, 5), id="x", stakes=Stakes(2, 2, 0, "USD", "0.5"))
    hands = [small, twice, limit, naive_time]
    with Store.open(tmp_path / "s.db") as opened:
        opened.add(hands)
        assert [hand for _, hand in opened.find()] == hands


def test_queries(place):
    hands = some_hands()
    with Store.open(place) as opened:
        opened.add(hands, batch=7)
        for name in PLAYERS[:3]:
            assert [h for _, h in opened.find(Query(player=name))] == [h for h in hands if name in h.players]
        since, until = BEGIN + timedelta(days=10), BEGIN + timedelta(days=20)
        found = [hand for _, hand in opened.find(Query(since=since, until=until))]
        assert found == hands[10:20]
        both = [hand for _, hand in opened.find(Query(player="Ann", since=since))]
        assert both == [hand for hand in hands[10:] if "Ann" in hand.players]
        assert len(list(opened.find(Query(game="nolimit", stakes="1/2")))) == 60
        assert not list(opened.find(Query(stakes="5")))
        assert not list(opened.find(Query(player="Ann", stakes="5")))
        with pytest.raises(SoulreadError, match="do you mean Ann"):
            opened.player_number("Anne")
        with pytest.raises(SoulreadError, match="no hand 'nope'"):
            opened.hand("nope")
        with pytest.raises(SoulreadError, match="write the big blind"):
            list(opened.find(Query(stakes="tiny")))


def test_a_stack_on_the_border_counts_above(tmp_path: Path) -> None:
    """20 and 40 big blinds stand with what is more; a chip less does not."""
    stacks = 39, 40, 41, 79, 80
    hands = [hand_of(nolimit_holdem(2, stacks=chips), ["Bea", "Dan"], "f", id=f"{chips}") for chips in stacks]
    with Store.open(tmp_path / "s.db") as store:
        store.add(hands)
        groups = study_player(store, "Dan", by=[By.STACK]).groups
    found = [(group.name, group.hands) for group in groups]
    assert found == [("0-20 bb", 1), ("20-40 bb", 3), ("40-80 bb", 1)]


@pytest.mark.compiled
def test_statistics_of_the_store_are_those_of_the_hands(place):
    hands = some_hands(150)
    expected = counted(hands)
    with Store.open(place) as opened:
        opened.add(hands, batch=40)
        table = study_players(opened)
        assert {row.player for row in table.rows} == set(expected)
        for row in table.rows:
            assert row.hands == sum(row.player in hand.players for hand in hands)
            for ours, plain in zip(row.values, expected[row.player], strict=True):
                assert ours.n == plain.n
                assert ours.count == pytest.approx(plain.count)
        for by in By:
            study = study_player(opened, "Ann", by=[by], pool=True)
            assert [line.value.n for line in study.lines] == [value.n for value in expected["Ann"]]
            if by is By.OPPONENT:  # a hand may have several
                continue
            assert sum(group.hands for group in study.groups) == study.hands
            for i, line in enumerate(study.lines):
                assert sum(group.values[i].n for group in study.groups) == line.value.n
        since = study_player(opened, "Ann", Query(since=BEGIN + timedelta(days=100)))
        assert since.hands == sum("Ann" in hand.players for hand in hands[100:])
        with pytest.raises(SoulreadError, match="no such hands of 'Ann'"):
            study_player(opened, "Ann", Query(since=BEGIN + timedelta(days=1000)))


# A hand is known again.


def test_the_same_hands_add_nothing(place):
    hands = some_hands()
    with Store.open(place) as opened:
        opened.add(hands[:30], batch=10)
        added = opened.add(hands, batch=10)
        assert (added.new, added.known) == (30, 30)
        assert (opened.add(hands).new, len(opened)) == (0, 60)
    before = rows(place)
    with Store.open(place) as opened:
        opened.add(reversed(hands))
    assert rows(place) == before


def test_a_key_does_not_depend_on_how_a_file_tells_the_hand():
    hand = some_hands(1)[0]
    times = 100

    def in_cents(amount):
        return times * amount

    cents = replace(
        hand,
        stakes=replace(hand.stakes, small_bet=200, big_blind=200, chip="0.01"),
        stacks=tuple(map(in_cents, hand.stacks or ())),
        posts=tuple(replace(post, amount=in_cents(post.amount)) for post in hand.posts),
        actions=tuple((seat, action if action < 2 else in_cents(action)) for seat, action in hand.actions),
        payoffs=tuple(map(in_cents, hand.payoffs)),
        source="another.phh",
        table="",
        time=BEGIN + timedelta(hours=5),
    )
    assert key_of(cents) == key_of(hand)
    for other in (
        replace(hand, id="901"),
        replace(hand, players=(*hand.players[:-1], "Zoe")),
        replace(hand, boards=((51, *hand.board[1:]),) if hand.board else ((51, 50, 49),)),
        replace(hand, actions=hand.actions[:-1]),
    ):
        assert key_of(other) != key_of(hand)


def kuhn_match(count, seed, source="a.log", first=0):
    rng = np.random.default_rng(seed)
    hands = []
    for number in range(count):
        state = kuhn().start()
        deck = list(rng.permutation(list(kuhn().rules.deck)))
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.apply(int(deck.pop()))
            else:
                state = state.apply(int(rng.choice(state.legal_actions())))
        hands.append(seen_by_dealer(state, ["Ann", "Bob"], id=str(first + number), source=source))
    return hands


def test_matches_of_a_small_game_are_told_apart(tmp_path):
    """Two matches of Kuhn share many hands of the same number, letter by letter; none is lost."""
    one, two = kuhn_match(300, 1), kuhn_match(300, 2, "b.log")
    assert sum(key_of(a) == key_of(b) for a, b in zip(one, two, strict=True)) >= 5
    with Store.open(tmp_path / "s.db") as opened:
        assert opened.add([*one, *two]).new == 600
        renamed = [replace(hand, source="copy.log") for hand in one]
        assert opened.add(renamed).new == 0
        joined = [replace(hand, source="both.log") for hand in [*two, *one]]
        assert opened.add(joined).new == 0


def test_keys_come_in_order_whatever_is_mixed():
    hands = [*kuhn_match(20, 1), *some_hands(3), *kuhn_match(5, 2)]
    assert [hand for _, hand in keyed(hands)] == hands


def test_cards_of_another_observer_are_added(tmp_path):
    full = some_hands(1)[0]
    seats = full.num_players
    blind = replace(full, hole=(None,) * seats, sights=(Sight.UNSEEN,) * seats)
    first = replace(
        blind, hole=((0, 1), *blind.hole[1:]), sights=(Sight.DEALT, *blind.sights[1:]), observer=0
    )
    last = replace(
        blind, hole=(*blind.hole[:-1], (7, 8)), sights=(*blind.sights[:-1], Sight.DEALT), observer=seats - 1
    )
    with Store.open(tmp_path / "s.db") as opened:
        assert opened.add([first]).new == 1
        assert opened.add([last]).enriched == 1
        assert opened.add([first, last]).enriched == 0
        hand = opened.hand("#1")[1]
    assert (hand.hole[0], hand.hole[-1]) == ((0, 1), (7, 8))
    assert hand.observer == 0


# Names.


def test_names_are_hashed_before_anything_is_stored(tmp_path):
    hands = some_hands(30)
    hidden = Anonymiser(b"a key of sixteen bytes or more")
    where = tmp_path / "s.db"
    with Store.open(where) as opened:
        assert opened.add(hands, anonymiser=hidden).new == 30
        assert opened.add(hands, anonymiser=Anonymiser(b"a key of sixteen bytes or more")).new == 0
        names = {player.name for player in opened.players()}
        assert names == {hidden.name(name) for hand in hands for name in hand.players}
        assert [h.payoffs for _, h in opened.find()] == [hand.payoffs for hand in hands]
        with pytest.raises(SoulreadError, match="another key"):
            opened.add(hands, anonymiser=Anonymiser(b"another key of sixteen bytes"))
        with pytest.raises(SoulreadError, match="import with --anonymise"):
            opened.add(hands)
    content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(name.encode() in content for name in ("Dora", "file.txt"))
    with Store.open(tmp_path / "clear.db") as opened:
        opened.add(hands)
        with pytest.raises(SoulreadError, match="real names"):
            opened.add(hands, anonymiser=hidden)


def test_the_users_key_is_made_once_and_private(tmp_path, monkeypatch):
    monkeypatch.setenv("SOULREAD_CONFIG", str(tmp_path / "settings"))
    key = read_key()
    assert read_key() == key
    assert len(key) == 64
    assert (tmp_path / "settings" / "names.key").stat().st_mode & 0o077 == 0
    with pytest.raises(SoulreadError, match="cannot be used"):
        read_key(tmp_path / "none.key")
    with pytest.raises(SoulreadError, match="too short"):
        Anonymiser(b"short")


# Versions.


def test_an_older_store_is_brought_up_to_date(place, monkeypatch):
    hands = some_hands(20)
    with Store.open(place) as opened:
        opened.add(hands)
    before = rows(place)

    def migrate(opened):
        opened.set_meta("migrated", "yes")

    monkeypatch.setattr(store, "VERSION", 3)
    monkeypatch.setitem(store.MIGRATIONS, 2, migrate)
    monkeypatch.setattr(store, "FACTS_FORMAT", 99)
    monkeypatch.setattr(store, "BATCH", 7)
    with pytest.raises(SoulreadError, match="written by an older soulread"):
        Store.open(place, read_only=True)
    with Store.open(place) as opened:
        assert (opened.meta("version"), opened.meta("migrated"), opened.meta("facts")) == ("3", "yes", "99")
    assert rows(place) == before
    monkeypatch.undo()
    with pytest.raises(SoulreadError, match="has version 3; this soulread only knows up to 2"):
        Store.open(place)


def test_facts_of_an_older_format_are_made_anew(place, monkeypatch):
    """A store whose facts lack the columns that came with format 3."""
    later = {"pot_kind", "flop_place", "size", "faced"}
    hands = some_hands(20)

    def without(rows):
        return recfunctions.repack_fields(rows[[name for name in rows.dtype.names if name not in later]])

    def older(*args):
        found = facts_of(*args)
        return facts.Facts(without(found.seats), without(found.decisions))

    with monkeypatch.context() as patch:
        patch.setattr(store, "facts_of", older)
        patch.setattr(store, "FACTS_FORMAT", 2)
        with Store.open(place) as opened:
            opened.add(hands)
    assert check_store(str(place)).whole
    told = r"written by an older soulread; soulread import --db .* brings it up to date"
    with pytest.raises(SoulreadError, match=told):
        Store.open(place, read_only=True)
    with Store.open(place) as opened:
        assert opened.meta("facts") == "3"
        owners, parts = zip(*opened.facts(), strict=True)
        names = np.array([opened.names()[number] for number in np.concatenate(owners).tolist()])
    assert check_store(str(place)).whole
    found = facts.join_facts(parts)
    order = np.lexsort((names, found.seats["hand"]))
    first = np.cumsum([0, *(hand.num_players for hand in hands[:-1])])
    expected = facts_of(hands, range(1, 21), found.seats["kind"][order][first].tolist())
    again = np.lexsort((np.array([name for hand in hands for name in hand.players]), expected.seats["hand"]))
    assert found.take(order).seats.tobytes() == expected.take(again).seats.tobytes()
    assert found.take(order).decisions.tobytes() == expected.take(again).decisions.tobytes()


def test_a_migration_that_fails_changes_nothing(tmp_path, monkeypatch):
    where = tmp_path / "s.db"
    with Store.open(where) as opened:
        opened.add(some_hands(5))
    before = rows(where)

    def migrate(opened):
        opened.set_meta("migrated", "half")
        raise SoulreadError("no")

    with monkeypatch.context() as patch:
        patch.setattr(store, "VERSION", 3)
        patch.setitem(store.MIGRATIONS, 2, migrate)
        with pytest.raises(SoulreadError, match="no"):
            Store.open(where)
    assert rows(where) == before
    with Store.open(where) as opened:
        assert opened.meta("migrated") is None


# Faults.

IMPORTER = """
import sys
from test_store import some_hands
from soulread.hands.store import Store
with Store.open(sys.argv[1]) as store:
    print("ready", flush=True)
    hands = some_hands(int(sys.argv[2]))
    store.add(hands if len(sys.argv) < 4 else reversed(hands), batch=10)
"""


def importer(where, count, *more):
    """A process that imports."""
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parent.parent)])
    return subprocess.Popen(
        [sys.executable, "-c", IMPORTER, str(where), str(count), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([path, os.environ.get("PYTHONPATH", "")])},
    )


@pytest.mark.compiled
def test_a_killed_import_goes_on(tmp_path):
    """SIGKILL at random moments; in the end the rows are those of an unbroken import."""
    count = 400
    whole = tmp_path / "whole.db"
    with Store.open(whole) as opened:
        opened.add(some_hands(count), batch=10)
    where = tmp_path / "killed.db"
    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(4):
        process = importer(where, count)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(float(rng.uniform(0.05, 1.0)))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with Store.open(where, read_only=True) as opened:
            assert len(opened) >= seen
            seen = len(opened)
            assert seen % 10 == 0  # whole batches
    with Store.open(where) as opened:
        opened.add(some_hands(count), batch=10)
    assert rows(where) == rows(whole)


@pytest.mark.compiled
def test_two_importers_at_once(tmp_path):
    """Both bring the same hands, one in reverse; every hand is there once."""
    where = tmp_path / "s.db"
    processes = [importer(where, 200), importer(where, 200, "reversed")]
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    alone = tmp_path / "alone.db"
    with Store.open(alone) as opened:
        opened.add(some_hands(200))
    assert rows(where) == rows(alone)


def test_readers_read_while_somebody_writes(place):
    hands = some_hands(30)
    with Store.open(place) as writer:
        writer.add(hands[:10])
        with Store.open(place, read_only=True) as reader, writer._db.writing():
            writer.set_meta("busy", "yes")
            assert len(reader) == 10
            assert [hand for _, hand in reader.find()] == hands[:10]


def test_a_locked_store_is_one_sentence(place):
    with Store.open(place) as one, Store.open(place, patience=0.1) as other:
        one.add(some_hands(5))
        with one._db.writing(), pytest.raises(SoulreadError, match="is being written by another program"):
            other.add(some_hands(10))
        assert other.add(some_hands(10)).new == 5


@pytest.mark.compiled
def test_a_full_disk_is_one_sentence_and_loses_nothing(tmp_path):
    where = tmp_path / "s.db"
    hands = some_hands(600)
    with Store.open(where) as opened:
        opened.add(hands[:100], batch=50)
        connection = opened._db._connection  # type: ignore[attr-defined]
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages + 20}")
        with pytest.raises(SoulreadError, match="is full; what was stored before stays"):
            opened.add(hands, batch=50)
        kept = len(opened)
        assert 100 <= kept < 600
        connection.execute("PRAGMA max_page_count=1000000")
        assert opened.add(hands, batch=50).new == 600 - kept
    alone = tmp_path / "alone.db"
    with Store.open(alone) as opened:
        opened.add(hands)
    assert rows(where) == rows(alone)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder_is_one_sentence(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    with Store.open(folder / "s.db") as opened:
        opened.add(some_hands(5))
    folder.chmod(0o555)
    try:
        with Store.open(folder / "s.db", read_only=True) as opened:
            assert len(opened) == 5
        with pytest.raises(SoulreadError, match="cannot be"):
            Store.open(folder / "new.db")
    finally:
        folder.chmod(0o755)


@pytest.mark.compiled
def test_a_damaged_store_is_one_sentence(tmp_path):
    where = tmp_path / "s.db"
    with pytest.raises(SoulreadError, match="there is no store at"):
        Store.open(where, read_only=True)
    with pytest.raises(SoulreadError, match="there is no folder"):
        Store.open(tmp_path / "nowhere" / "s.db")
    with pytest.raises(SoulreadError, match="is a folder"):
        Store.open(tmp_path)
    where.write_bytes(b"PokerStars Hand #1: ..." * 100)
    with pytest.raises(DamagedFile, match="is not a store of hands, or is damaged"):
        Store.open(where)
    where.unlink()
    with sqlite3.connect(where) as other:
        other.execute("CREATE TABLE tracks (name TEXT)")
    other.close()
    with pytest.raises(SoulreadError, match="a database of something else"):
        Store.open(where)
    where.unlink()
    with Store.open(where) as opened:
        opened.add(some_hands(300))
    content = bytearray(where.read_bytes())
    content[8192:65536] = b"\0" * (65536 - 8192)
    where.write_bytes(content)
    with pytest.raises(DamagedFile, match="damaged"):
        rows(where)


def test_a_damaged_record_or_block_is_named(tmp_path):
    where = tmp_path / "s.db"
    with Store.open(where) as opened:
        opened.add(some_hands(5))
        opened._db.run("UPDATE hand SET record = ? WHERE number = 3", (b"[1,2",))
        with pytest.raises(DamagedFile, match="hand #3 is not what was written; soulread hands rebuild"):
            list(opened.find())
        opened._db.run("UPDATE block SET decisions = ?", (b"xx",))
        with pytest.raises(DamagedFile, match="facts of player 1 are not what was written"):
            list(opened.facts())


def test_a_hand_that_cannot_be_stored_leaves_the_store_as_it_was(tmp_path):
    """A record whose betting does not fit stops the batch; the numbers given out in it are forgotten."""
    hands = some_hands(6)
    bad = replace(hands[5], betting="f" * 50, players=tuple(f"new {i}" for i in range(hands[5].num_players)))
    with Store.open(tmp_path / "s.db") as opened:
        opened.add(hands[:3])
        with pytest.raises(SoulreadError, match="does not fit"):
            opened.add([*hands, bad])
        assert len(opened) == 3
        assert opened.add(hands).new == 3
        assert [hand for _, hand in opened.find()] == hands
        assert not any(player.name.startswith("new") for player in opened.players())
        good = replace(bad, betting=hands[5].betting, id="good")
        assert opened.add([good]).new == 1
    with Store.open(tmp_path / "s.db", read_only=True) as opened:
        assert [hand for _, hand in opened.find(Query(player="new 0"))] == [good]


def test_odd_names_are_kept(place):
    """Whatever people call themselves."""
    names = ["a'b\"c", "Ünïcødé 龍", "%s ? ;--", "x" * 200]
    hand = some_hands(200)
    four = next(h for h in hand if h.num_players == 4)
    with Store.open(place) as opened:
        opened.add([replace(four, players=tuple(names))])
        assert {player.name for player in opened.players()} == set(names)
        for name in names:
            assert study_player(opened, name).hands == 1
        assert isinstance(opened.hand("#1")[1], Hand)


def test_blinds_of_a_table_that_is_not_ours_stop_nothing(tmp_path, monkeypatch):
    """Short blinds by house rules: what is to be called is the most that was put in."""

    def unknown(hand):
        raise SoulreadError("was not played by the rules")

    monkeypatch.setattr("soulread.hands.facts.game_of", unknown)
    hand = some_hands(1)[0]
    short = replace(hand, posts=tuple(replace(post, amount=1) for post in hand.posts))
    assert max(post.amount for post in short.posts) < short.stakes.big_blind
    with Store.open(tmp_path / "hands.db") as opened:
        assert opened.add([short]).new == 1


# Two programs at the same moment ------------------------------------------------------------------


def test_a_store_that_another_program_makes_at_this_moment(tmp_path: Path, monkeypatch) -> None:
    path, asked, connect = tmp_path / "m.db", [], sqlite3.connect

    class Interrupted(sqlite3.Connection):
        def execute(self, *words: Any) -> sqlite3.Cursor:
            asked.append(words[0])
            if len(asked) == 2:  # the other program does all of its work between two questions of this one
                monkeypatch.setattr(sqlite3, "connect", connect)
                with Store.open(path) as other:
                    other.add(some_hands(5, 1))
            return super().execute(*words)

    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: connect(*a, **k, factory=Interrupted))
    with Store.open(path) as store:
        assert len(list(store.find())) == 5


def test_hands_that_another_program_adds_while_facts_are_read(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "m.db"
    with Store.open(path) as store, Store.open(path) as other:
        store.add(some_hands(20, 1))
        numbered = store._players_numbered

        def late(numbers):
            monkeypatch.undo()
            other.add(some_hands(30, 2))
            return numbered(numbers)

        monkeypatch.setattr(store, "_players_numbered", late)
        name = numbered([1])[1].name
        found = sum(facts.seats.size for _, facts in store.facts(players=[1]))
        assert found == sum(name in hand.players for hand in (*some_hands(20, 1), *some_hands(30, 2)))
