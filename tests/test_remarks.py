"""Notes and labels of players: kept in the store, under every name of a person, through a rebuild."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from test_clone import GAMES, hands_of

from soulread.cli import cli as main
from soulread.errors import SoulreadError
from soulread.hands.people import LONGEST_LABEL, LONGEST_NOTE, KnownPeople, Remarks, read_people
from soulread.hands.store import Store
from soulread.hands.tables.checking import check_store, rebuild_store
from soulread.study.hands.statistics import study_names
from soulread.study.players.aliases import join_names
from soulread.study.players.remarks import (
    remarks_by_player,
    remarks_of,
    study_remarks,
    write_labels,
    write_note,
)


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "hands.db"
    with Store.open(found) as store:
        store.add(hands_of(GAMES[0], 5))
    return found


def test_they_are_kept(path) -> None:
    with Store.open(path) as store:
        assert remarks_of(store, "P0").words == ""
        write_note(store, "P0", " calls <script> too much\n")
        write_labels(store, "P0", ["fish", "regular"])
        write_labels(store, "P0", ["fish", "late"])
    assert check_store(path).whole
    rebuild_store(path)
    with Store.open(path, read_only=True) as store:
        found = remarks_of(store, "P0")
        assert (found.note, found.labels) == ("calls <script> too much", ("fish", "regular", "late"))
        assert remarks_of(store, "P1").words == ""
        assert [one.name for one in study_remarks(store).players] == ["P0"]
    with Store.open(path) as store:
        assert write_labels(store, "P0", ["fish"], remove=True).labels == ("regular", "late")
        with pytest.raises(SoulreadError, match="has no label 'fish'; its labels: regular, late"):
            write_labels(store, "P0", ["fish"], remove=True)
        assert write_labels(store, "P0", [], remove=True).labels == ()
        write_note(store, "P0", "")
        assert store.people() == KnownPeople()


def test_they_are_found_by_name_and_room_under_every_name_of_a_person(path) -> None:
    with Store.open(path) as store:
        room = store.players()[0].room
        write_note(store, "P1", "tilts")
        write_labels(store, "P2", ["fish"])
        found = remarks_by_player(store)
        assert {key: (one.note, one.labels) for key, one in found.items()} == {
            ("P1", room): ("tilts", ()),
            ("P2", room): ("", ("fish",)),
        }
        assert [one.name for one in study_names(store, search="TILT").players] == ["P1"]
        assert [one.name for one in study_names(store, search="p", label="fish").players] == ["P2"]
    before = named(path)
    with Store.open(path) as store:
        write_note(store, "P1", "tilts no more")
        assert named(path)[0] == before[0]
        assert named(path)[1] != before[1]
        store.add(hands_of(GAMES[1], 2))
    assert named(path)[0] != before[0]


def named(path):
    """The fingerprints of hands alone, and with what was written."""
    with Store.open(path, read_only=True) as store:
        return store.fingerprint(remarks=False), store.fingerprint()


def test_a_note_on_a_joined_player_is_found_by_the_name_of_the_person(tmp_path) -> None:
    hands = hands_of(GAMES[0], 4)
    names = {f"P{seat}": f"Q{seat}" for seat in range(9)}
    later = [
        replace(hand, id=f"x{hand.id}", players=tuple(names[one] for one in hand.players)) for hand in hands
    ]
    with Store.open(tmp_path / "two.db") as store:
        store.add([*hands, *later])
        write_note(store, "Q0", "a second name")
        join_names(store, ["P0", "Q0"])
        (person,) = [one for one in store.players() if one.name == "P0"]
        assert remarks_by_player(store)[person.name, person.room].note == "a second name"
        assert [one.name for one in study_names(store, search="second").players] == ["P0"]


def test_what_is_too_long_is_refused_and_changes_nothing(path) -> None:
    with Store.open(path) as store:
        write_note(store, "P0", "x")
        with pytest.raises(SoulreadError, match="at most 5,000"):
            write_note(store, "P0", "x" * (LONGEST_NOTE + 1))
        with pytest.raises(SoulreadError, match="a label has 1 to 40 characters"):
            write_labels(store, "P0", ["y" * (LONGEST_LABEL + 1)])
        with pytest.raises(SoulreadError, match="is not in"):
            write_note(store, "nobody", "x")
        assert remarks_of(store, "P0").words == "x"


def test_they_belong_to_the_person() -> None:
    people = KnownPeople().with_remarks(Remarks(("A", "X"), "note")).joined([("A", "X"), ("B", "X")])
    assert people.remarks_on(("B", "X")).note == "note"
    changed = people.with_remarks(Remarks(("B", "X"), "other"))
    assert [one.note for one in changed.remarks] == ["other"]
    assert read_people(changed.text) == changed
    assert read_people('{"groups":[],"hero":null}') == KnownPeople()  # of an older store
    assert read_people('{"groups":[],"hero":null,"remarks":[["A",1]]}') is None


def test_by_the_command_line(path) -> None:
    def run(*arguments: str) -> str:
        done = CliRunner().invoke(main, [*arguments, "--db", str(path)])
        assert done.exit_code == 0, done.output
        return done.output

    assert "no notes or labels" in run("player", "note")
    run("player", "note", "P1", "bluffs rivers")
    run("player", "label", "P1", "shark")
    assert "bluffs rivers" in run("player", "note")
    assert "P1: [shark] bluffs rivers" in run("stats", "P1")
    told = json.loads(run("player", "label", "P1", "--json"))
    assert told["players"][0]["labels"] == ["shark"]
    write_other = run("player", "note", "P2", "Calls too much")
    assert "Calls" in write_other
    found = {
        words: [row["player"] for row in json.loads(run("players", "--json", *words.split()))["players"]]
        for words in (
            "--search p1",
            "--search CALLS",
            "--label shark",
            "--label none",
            "--min-hands 6",
            "--search p",
        )
    }
    assert list(map(sorted, found.values())) == [["P1"], ["P2"], ["P1"], [], [], ["P0", "P1", "P2"]]
    run("player", "label", "P1", "--remove")
    assert "shark" not in run("player", "note", "P1")


def test_an_alias_keeps_them(path, tmp_path) -> None:
    from dataclasses import replace

    with Store.open(tmp_path / "two.db") as store:
        hands = hands_of(GAMES[0], 4)
        other = [replace(h, id=f"o{n}", players=("Q0", "Q1", "Q2")) for n, h in enumerate(hands)]
        store.add([*hands, *other])
        write_note(store, "P0", "same")
        join_names(store, ["P0", "Q0"])
        assert remarks_of(store, "Q0").note == "same"
