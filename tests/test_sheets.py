"""``--csv`` of `soulread stats`, `players` and `pool`: every row and column, and no other file replaced."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from test_statistics import PAPER, hand_of, random_hands
from test_store import some_hands

from soulread.cli import cli
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.hands.statistics import STATISTICS
from soulread.hands.store import Store
from soulread.report.shown import table_rows
from soulread.storage.kinds import kind_of
from soulread.study.hands.splits import By
from soulread.study.hands.statistics import study_player, study_players

NAMES = [one.name for one in STATISTICS]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="soulread")


def sheet(*arguments: object) -> list[dict[str, str]]:
    result = run(*arguments, "--csv", "-")
    assert result.exit_code == 0, result.output
    return list(csv.DictReader(io.StringIO(result.stdout)))


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Path:
    where: Path = tmp_path_factory.mktemp("sheets") / "hands.db"
    paper = [hand_of(*row[:4], id=f"paper{i}") for i, row in enumerate(PAPER, 1)]
    pool = [f"{letter}{number}" for letter in "pqrs" for number in range(6)]
    ring = [hand for _, hand in random_hands(lambda rng: nolimit_holdem(6, 100), pool, 150, seed=2)]
    with Store.open(where) as store:
        store.add([*paper, *some_hands(80), *ring])
    return where


def test_rows_have_the_same_columns() -> None:
    rows = table_rows([{"name": "a", "pool": None}, {"name": "b", "pool": {"n": 1, "of": {"x": 2}}}])
    assert rows == [
        {"name": "a", "pool.n": None, "pool.of.x": None},
        {"name": "b", "pool.n": 1, "pool.of.x": 2},
    ]
    assert table_rows([]) == []


def test_a_player_has_a_row_for_each_kind_group_and_statistic(stored) -> None:
    with Store.open(stored) as store:
        study = study_player(store, "Bea", by=[By.PLAYERS])
    rows = sheet("stats", "Bea", "--by", "players", "--db", stored)
    assert len(rows) == sum(len(NAMES) * (1 + len(one.groups)) for one in study.kinds)
    assert [row["name"] for row in rows] == NAMES * (len(rows) // len(NAMES))
    found = {(row["game"], row["format"], row["players"], row["name"]): row for row in rows}
    assert len(found) == len(rows)
    for one in study.kinds:
        groups = [
            ("", [line.value for line in one.lines]),
            *((group.name, group.values) for group in one.groups),
        ]
        for group, values in groups:
            for value in values:
                row = found[one.kind.game, one.kind.format, group, value.statistic.name]
                assert int(row["n"]) == value.n
                assert float(row["count"]) == value.count
                assert row["value"] == ("" if value.value is None else repr(value.value))
                assert row["too_few"] == str(value.too_few)
    assert not any("pool" in column for column in rows[0])


def test_the_percentile_stands_where_it_was_asked_for(stored) -> None:
    words = ("stats", "p0", "--db", stored, "--against", "pool", "--game", "nolimit", "--regulars", 3)
    rows = sheet(*words)
    told = json.loads(run(*words, "--json").stdout)["statistics"]
    assert [row["pool.percentile"] for row in rows] == [
        "" if not line["pool"] or line["pool"]["percentile"] is None else repr(line["pool"]["percentile"])
        for line in told
    ]
    assert any(row["pool.percentile"] for row in rows)


def test_everybody_has_a_row_with_columns_for_each_statistic(stored) -> None:
    with Store.open(stored) as store:
        study = study_players(store)
    rows = sheet("stats", "--db", stored)
    assert [(row["player"], row["game"]) for row in rows] == [
        (row.player, row.kind.game) for row in study.rows
    ]
    for row, known in zip(rows, study.rows, strict=True):
        for value in known.values:
            name = value.statistic.name
            assert row[name] == ("" if value.value is None else repr(value.value))
            assert int(row[f"{name} n"]) == value.n
            assert row[f"{name} low"] in (repr(value.interval[0]), "")
    kinds = {(row["game"], row["format"]) for row in rows}
    assert len(sheet("stats", "--db", stored, "--top", 1)) == len(kinds)


def test_all_players_go_into_the_sheet_and_few_are_printed(stored, tmp_path) -> None:
    names = [row["player"] for row in sheet("players", "--db", stored)]
    with Store.open(stored) as store:
        known = store.players()
    assert names == [player.name for player in known]
    assert [row["player"] for row in sheet("players", "--db", stored, "--top", 2)] == names[:2]
    path = tmp_path / "all.csv"
    done = run("stats", "--db", stored, "--json", "--csv", path)
    assert len(json.loads(done.stdout)["players"]) <= 20 * len(json.loads(done.stdout)["kinds"])
    assert path.read_text() == run("stats", "--db", stored, "--csv", "-").stdout
    assert run("players", "--db", stored, "--csv", tmp_path / "players.csv").stdout.endswith("players.csv\n")


def test_a_pool_has_three_sheets(stored) -> None:
    words = ("pool", "--db", stored, "--regulars", 3)
    record = json.loads(run(*words, "--json").stdout)
    assert [row["name"] for row in sheet(*words)] == [one["name"] for one in record["statistics"]]
    regulars = sheet(*words, "--sheet", "regulars")
    assert [row["player"] for row in regulars] == [one["player"] for one in record["regulars"]]
    assert float(regulars[0]["bb_per_100.mean"]) == record["regulars"][0]["bb_per_100"]["mean"]
    assert [row["style"] for row in sheet(*words, "--sheet", "styles")] == [
        one["style"] for one in record["styles"]
    ]


def test_a_sheet_replaces_a_sheet_and_nothing_else(stored, tmp_path) -> None:
    commands: list[tuple[object, ...]] = [
        ("stats", "--db", stored),
        ("stats", "Bea", "--db", stored),
        ("stats", "Ann", "--by", "size", "--db", stored),
        ("players", "--db", stored),
        *(("pool", "--db", stored, "--regulars", 3, "--sheet", name) for name in ("statistics", "regulars")),
    ]
    path, other = tmp_path / "one.csv", tmp_path / "page.html"
    other.write_text("<!doctype html><p>mine</p>")
    for words in commands:
        assert run(*words, "--csv", path).exit_code == 0, words
        assert kind_of(path) in ("csv", None), words
        refused = run(*words, "--csv", other)
        assert (refused.exit_code, "a page of HTML" in refused.output) == (2, True), words
        twice = run(*words, "--csv", "-", "--json")
        assert (twice.exit_code, twice.output.count("\n")) == (2, 1), words
        nowhere = run(*words, "--csv", tmp_path / "none" / "a.csv")
        assert (nowhere.exit_code, "there is no folder" in nowhere.output) == (2, True), words
    assert other.read_text() == "<!doctype html><p>mine</p>"
    assert run("players", "--db", stored, "--csv", other, "--force").exit_code == 0
    assert kind_of(other) == "csv"
