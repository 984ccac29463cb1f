"""Two players side by side against a slow twin, and players told by a statistic."""

import json
import math
from typing import Any

import pytest
from click.testing import CliRunner
from known_values import NEWCOMBE
from test_store import some_hands

import soulread as sr
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.hands.statistics import STATISTICS, Value
from soulread.hands.store import EVERYTHING, Query, Store
from soulread.study.finding.bounds import parse_bound
from soulread.study.hands.statistics import study_player, study_players
from soulread.study.players.beside import Difference, study_beside
from soulread.study.players.remarks import write_labels, write_note
from soulread.study.profile.deviations import LEVEL

BY_NAME = {statistic.name: statistic for statistic in STATISTICS}


@pytest.fixture(scope="module")
def where(tmp_path_factory):
    path = tmp_path_factory.mktemp("beside") / "s.db"
    with Store.open(path) as store:
        store.add(some_hands(900, 3))
    return path


@pytest.fixture
def store(where):
    with Store.open(where) as opened:
        yield opened


def rate(count, n, name="VPIP"):
    return Value(BY_NAME[name], n, count)


@pytest.mark.parametrize(("first", "second", "low", "high"), NEWCOMBE)
def test_intervals_of_differences_are_those_of_the_paper(first, second, low, high):
    found = Difference(rate(*first), rate(*second))
    assert found.interval == pytest.approx((low, high), abs=5e-5)
    turned = Difference(rate(*second), rate(*first))
    assert turned.interval == pytest.approx((-high, -low), abs=5e-5)
    assert turned.by_chance == pytest.approx(found.by_chance)
    assert (found.by_chance < 0.05) == (low > 0 or high < 0)  # the test and the interval agree


def test_a_difference_without_chances_says_nothing():
    found = Difference(rate(0, 0), rate(3, 10))
    assert found.difference is None
    assert found.interval == (-math.inf, math.inf)
    assert found.by_chance == 1
    assert Difference(rate(3, 10), rate(3, 10)).by_chance == 1


def naive_sure(pairs):
    """Which differences are sure, test by test: the k-th smallest chance is compared with k times a share."""
    chances = []
    for place, (one, other) in enumerate(pairs):
        if one.too_few or other.too_few:
            continue
        apart = one.value - other.value
        (low, high), (other_low, other_high) = one.interval, other.interval
        if apart > 0:
            arm = math.sqrt((one.value - low) ** 2 + (other_high - other.value) ** 2)
        else:
            arm = math.sqrt((high - one.value) ** 2 + (other.value - other_low) ** 2)
        z = 0.0 if apart == 0 else abs(apart) / (arm / 1.959963984540054)
        chances.append((2 * (1 - 0.5 * (1 + math.erf(z / math.sqrt(2)))), place))
    chances.sort()
    passed = [k for k, (chance, _) in enumerate(chances, 1) if chance <= LEVEL * k / len(chances)]
    return {place for _, place in chances[: max(passed, default=0)]}


def test_two_players_side_by_side(store):
    study = study_beside(store, ("Ann", EVERYTHING), ("Bob", EVERYTHING))
    one, other = (study_player(store, name, Query(kind=study.kind)) for name in ("Ann", "Bob"))
    assert study.hands == (one.hands, other.hands)
    pairs = [(a.value, b.value) for a, b in zip(one.lines, other.lines, strict=True)]
    assert [(found.first, found.second) for found in study.differences] == pairs
    assert {place for place, found in enumerate(study.differences) if found.sure} == naive_sure(pairs)
    assert study.sure == len(naive_sure(pairs))


def test_what_is_surely_different_is_found():
    from soulread.study.players import beside

    values = [rate(300, 1000), rate(100, 1000)]
    assert naive_sure([tuple(values)]) == {0}
    assert beside.Difference(*values).by_chance < 1e-9


def test_two_players_need_a_game_in_common(store):
    with pytest.raises(SoulreadError, match="is one player; name two"):
        study_beside(store, ("Ann", EVERYTHING), ("Ann", EVERYTHING))
    with pytest.raises(SoulreadError, match="no kind of game in common"):
        study_beside(store, ("Ann", EVERYTHING), ("Bob", Query(stakes="77")))


def test_the_command_and_its_sheet(where):
    words = ["stats", "Ann", "--beside", "Bob", "--db", str(where)]
    told = CliRunner().invoke(cli, words)
    assert told.exit_code == 0, told.output
    assert "Ann beside Bob" in told.output
    record = json.loads(CliRunner().invoke(cli, [*words, "--json"]).output)
    line = next(one for one in record["differences"] if one["statistic"] == "VPIP")
    assert line["difference"] == pytest.approx(line["first"]["value"] - line["second"]["value"])
    assert line["low"] < line["difference"] < line["high"]
    sheet = CliRunner().invoke(cli, [*words, "--csv", "-"]).output
    assert sheet.startswith("statistic,first value,first low")
    for wrong in (["--by", "position"], ["--top", "3"], ["--against", "pool"]):
        refused = CliRunner().invoke(cli, [*words, *wrong])
        assert refused.exit_code
        assert "--beside stands alone" in refused.output


# Players told by a statistic ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name", "sign", "number"),
    [
        ("VPIP>=40%", "VPIP", ">=", 0.4),
        (" 3bet < 5 ", "3-bet", "<", 0.05),
        ("bb/100>-2.5", "bb/100", ">", -2.5),
        ("fold-to-3-bet<=.5%", "fold to 3-bet", "<=", 0.005),
        ("aggression factor>2", "aggression factor", ">", 2.0),
    ],
)
def test_bounds_as_they_are_typed(text, name, sign, number):
    found = parse_bound(text)
    assert (found.statistic.name, found.sign) == (name, sign)
    assert found.number == pytest.approx(number)


@pytest.mark.parametrize("text", ["VPIP", "VPIP=40", ">40", "VPIP>", "VPIP>many", "nonsense>3"])
def test_bounds_that_are_none(text):
    with pytest.raises(SoulreadError, match=r"bound of a statistic|no statistic"):
        parse_bound(text)


def test_bounds_beyond_their_unit():
    with pytest.raises(SoulreadError, match="between 0 and 100"):
        parse_bound("VPIP>140")
    with pytest.raises(SoulreadError, match="street by street; write c-bet-flop or c-bet-turn"):
        parse_bound("c-bet>40%")
    with pytest.raises(SoulreadError, match="not counted in percent"):
        parse_bound("bb/100>3%")


def test_everybody_told_and_sorted_by_a_statistic(store):
    everybody = study_players(store)
    vpip: dict[str, Any] = {row.player: row.values[0] for row in everybody.rows}
    assert all(value.statistic.name == "VPIP" for value in vpip.values())
    middle = sorted(value.value for value in vpip.values())[len(vpip) // 2]
    for sign, fits in ((">=", lambda x: x >= middle), ("<", lambda x: x < middle)):
        bound = parse_bound(f"VPIP{sign}{100 * middle - 1e-7:.9f}%")
        kept = {row.player for row in study_players(store, where=[bound]).rows}
        assert kept == {name for name, value in vpip.items() if fits(value.value) and not value.too_few}
    order = [row.player for row in study_players(store, sort=BY_NAME["VPIP"]).rows]
    known = sorted((name for name in vpip if not vpip[name].too_few), key=lambda name: -vpip[name].value)
    assert order[: len(known)] == known
    assert study_players(store, sort=BY_NAME["VPIP"], top=1).rows[0].player == known[0]
    assert not parse_bound("VPIP>=0").holds(rate(0, 0))


@pytest.mark.compiled
def test_notes_and_labels_stand_in_json(where):
    with Store.open(where) as store:
        write_note(store, "Cid", "sleeps on Mondays")
        write_labels(store, "Cid", ["fish"])
    for words in (["stats", "Cid"], ["profile", "Cid", "--abstraction", "none", "--regulars", "3"]):
        found = json.loads(CliRunner().invoke(cli, [*words, "--db", str(where), "--json"]).output)
        assert (found["note"], found["labels"]) == ("sleeps on Mondays", ["fish"])
    assert sr.stats(where, "Cid").remarks.note == "sleeps on Mondays"
