"""Groups of hands: each cell beside a plain count, opponents, and cells that are settled by definition."""

import itertools
import json
import shlex
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from naive_statistics import count_statistics, game_of, places_and_sizes, positions
from test_statistics import PLAYERS, random_hands, short_stacks
from test_store import some_hands

from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL
from soulread.games.ring_limit import ring_limit
from soulread.hands.conditions import parse_conditions
from soulread.hands.facts import facts_of
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.statistics import StatisticKind, Tally, tally
from soulread.hands.store import Store
from soulread.report.grid import console
from soulread.study.hands.splits import By, Splits, parse_by
from soulread.study.hands.statistics import PlayerStudy, study_player

WHO = "Ann"
Groups = dict[tuple[str, ...], list[Hand]]
POTS = {"4-bet or more": "4-bet"}  # our words for those of the plain count
PLACES = {"in position": "ip", "out of position": "oop"}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="soulread")


@pytest.fixture(scope="module")
def hands() -> list[Hand]:
    return [hand for _, hand in random_hands(lambda rng: nolimit_holdem(6, 100), PLAYERS[:8], 150, 5)]


@pytest.fixture(scope="module")
def stored(hands, tmp_path_factory) -> Path:
    where: Path = tmp_path_factory.mktemp("splits") / "hands.db"
    with Store.open(where) as store:
        store.add(hands)
    return where


def study(stored: Path, *by: By, least_met: int = 1) -> PlayerStudy:
    with Store.open(stored) as store:
        return study_player(store, WHO, by=by, least_met=least_met)


def entered(hand: Hand) -> set[str]:
    """Who called or raised in a hand."""
    found = set()
    for state, action in decisions(game_of(hand), hand.actions, hand.board, hand.hole):
        if action > CALL or (action == CALL and state.to_call > 0):
            found.add(hand.players[state.player])
    return found


def position(hand: Hand) -> str:
    return positions(hand)[hand.seat_of(WHO)]


def pot(hand: Hand) -> str:
    return places_and_sizes(game_of(hand), hand)[0]


def place(hand: Hand) -> str:
    return places_and_sizes(game_of(hand), hand)[1][hand.seat_of(WHO)]


def plainly(hands: list[Hand], *names: Callable[[Hand], str]) -> Groups:
    """The hands of the player by group."""
    found: Groups = defaultdict(list)
    for hand in hands:
        if WHO in hand.players:
            found[tuple(name(hand) for name in names)].append(hand)
    return found


def assert_equal(found: PlayerStudy, groups: Groups) -> None:
    """Each cell has the chances and actions of a plain count over the hands of its group."""
    seen = {
        tuple(POTS.get(name, PLACES.get(name, name)) for name in group.names): group for group in found.groups
    }
    assert set(seen) == set(groups)
    for names, group in seen.items():
        assert group.hands == len(groups[names])
        counts = count_statistics((game_of(hand), hand) for hand in groups[names])[WHO]
        for value in group.values:
            if value.statistic.kind is StatisticKind.AMOUNT:
                continue
            chances, actions = counts.get(value.statistic.name, (0, 0))
            assert (value.n, value.count) == (chances, actions), (names, value.statistic.name)


def test_each_cell_is_that_of_a_plain_count(hands, stored) -> None:
    assert_equal(study(stored, By.POSITION), plainly(hands, position))
    assert_equal(study(stored, By.POT), plainly(hands, pot))
    assert_equal(study(stored, By.IP), plainly(hands, place))
    assert_equal(study(stored, By.IP, By.POT), plainly(hands, place, pot))


def test_an_opponent_called_or_raised(hands, stored) -> None:
    met: Groups = defaultdict(list)
    for hand in hands:
        for name in entered(hand) - {WHO}:
            if WHO in hand.players:
                met[(name,)].append(hand)
    assert_equal(study(stored, By.OPPONENT), met)
    sizes = sorted((len(found) for found in met.values()), reverse=True)
    least = sizes[2]
    some = study(stored, By.OPPONENT, least_met=least)
    assert [group.hands for group in some.groups] == [size for size in sizes if size >= least]
    assert some.kinds[0].fewer == sum(size < least for size in sizes)
    both: Groups = defaultdict(list)
    for (name,), found in met.items():
        for hand in found:
            both[name, place(hand)].append(hand)
    assert_equal(study(stored, By.OPPONENT, By.IP), both)
    assert_equal(study(stored, By.IP, By.OPPONENT), {names[::-1]: found for names, found in both.items()})


def test_each_cell_is_found_by_the_query_of_its_group(stored, tmp_path) -> None:
    """The hands of a group are those that its words find, and so are the occasions of each statistic."""
    timed = tmp_path / "some.db"
    with Store.open(timed) as store:
        store.add(some_hands(60))
        store.add([replace(hand, time=None, stacks=None, id=f"x{hand.id}") for hand in some_hands(8, seed=5)])
    for where, ways in (
        (
            stored,
            [[By.POSITION], [By.POT], [By.IP], [By.OPPONENT], [By.POSITION, By.POT], [By.OPPONENT, By.IP]],
        ),
        (timed, [[By.STACK], [By.PLAYERS], [By.MONTH]]),
    ):
        for by in ways:
            found = study(where, *by)
            assert found.groups
            for group in found.groups:
                with Store.open(where) as store:
                    parts = list(parse_conditions(group.words, WHO).facts(store))
                counted = tally((facts, np.zeros(facts.seats.size, np.int64)) for facts in parts)
                assert counted.hands[0] == group.hands, group.name
                assert counted.values(0) == group.values, group.name


def test_the_command_hands_finds_the_occasions_of_a_cell(stored) -> None:
    found = study(stored, By.POT, By.IP)
    group = max(found.groups, key=lambda one: one.hands)
    for value in group.values[::4]:
        _, *words = shlex.split(found.command(found.kinds[0], group, value.statistic.name))
        record = json.loads(run(*words, "--json").stdout)
        assert (record["n"], record["count"]) == (value.n, value.count), value.statistic.name


def test_parts_of_the_hands_add_up(stored) -> None:
    for by in (By.POSITION, By.POT, By.IP, By.STACK, By.PLAYERS, By.MONTH):
        found = study(stored, by)
        assert sum(group.hands for group in found.groups) == found.hands
        for i, line in enumerate(found.lines):
            assert sum(group.values[i].n for group in found.groups) == line.value.n
            assert sum(group.values[i].count for group in found.groups) == pytest.approx(line.value.count)


def test_what_is_settled_by_definition() -> None:
    """Cells that are settled are 0% or 100% in all hands, and so is no other that many hands are in."""
    hands = []
    for make, count, boldness in (
        (short_stacks, 800, 0.35),
        (lambda rng: nolimit_holdem(int(rng.integers(2, 10)), 100), 1200, 0.35),
        (lambda rng: nolimit_holdem(int(rng.integers(2, 10)), 100), 1200, 0.12),
        (lambda rng: ring_limit(int(rng.integers(2, 10))), 800, 0.35),
    ):
        hands += [hand for _, hand in random_hands(make, PLAYERS, count, 7, boldness)]
    facts = facts_of(hands)
    checked = 0
    for count in (1, 2):
        for by in itertools.combinations((By.POSITION, By.POT, By.IP), count):
            splits = Splits(by)
            _, codes = splits.groups(facts.seats)
            groups, which = np.unique(codes, axis=0, return_inverse=True)
            counted = Tally.empty(1)
            counted.add(facts, which.reshape(-1))
            for i, group in enumerate(groups.tolist()):
                for value in counted.values(i):
                    if value.statistic.kind in (StatisticKind.AMOUNT, StatisticKind.FACTOR) or not value.n:
                        continue
                    alike = value.count in (0, value.n)
                    if value.statistic.name in splits.settled(group):
                        assert alike, (splits.names(group), value)
                        checked += 1
                    elif value.n >= 40:
                        assert not alike, (splits.names(group), value)
    assert checked > 60


def test_settled_cells_are_not_printed(stored, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "_width", 150)  # one part
    found = study(stored, By.POT)
    raised = next(group for group in found.groups if group.names == ("single-raised",))
    values = {value.statistic.name: value for value in raised.values}
    assert raised.is_settled(values["3-bet"])
    assert not raised.is_settled(values["VPIP"])
    printed = run("stats", WHO, "--by", "pot", "--db", stored).stdout
    table = printed[printed.index("by pot") :]
    lines = {line[:22].strip(): line for line in table.splitlines() if line.startswith("  ")}
    place = lines["statistic"].index("single-raised")
    width = len(f"single-raised ({raised.hands:,})")
    assert lines["3-bet"][place : place + width].strip() == ""
    assert "±" in lines["VPIP"][place : place + width]
    told = " ".join(table.split())
    assert "An empty cell: 0% or 100% by definition." in told
    assert By.POT.note in told


def test_groups_of_many_are_rows_and_json_has_all(stored) -> None:
    words = ("stats", WHO, "--by", "position", "--by", "pot", "--db", stored)
    record = json.loads(run(*words, "--json").stdout)
    assert (record["by"], record["notes"]) == (["position", "pot"], [By.POT.note])
    groups = {group["group"]: group for group in record["groups"]}
    button = groups["BTN, single-raised"]
    assert button["parts"] == ["BTN", "single-raised"]
    settled = {one["name"] for one in button["statistics"] if one["by_definition"]}
    assert "3-bet" in settled <= {"3-bet", "squeeze"}
    printed = run(*words, "--by", "players", "--by", "stack").stdout
    assert "position, pot, players, stack" in " ".join(printed.split())
    few = run(*words, "--top", 2).stdout
    assert f"{len(groups) - 2} groups not shown" in " ".join(few.split())
    assert run("stats", WHO, "--by", "opponent", "--db", stored, "--min-hands", 9999).exit_code == 0
    rows = run(*words, "--csv", "-").stdout.splitlines()
    assert rows[0].startswith("player,room,game,format,position,pot,hands,name,kind,n,count,value,low,high")
    assert len(rows) == 1 + len(record["statistics"]) * (1 + len(groups))


def test_names_of_groups() -> None:
    assert parse_by(None) == ()
    assert parse_by("pot") == (By.POT,)
    assert parse_by(["pot", "ip", "pot"]) == (By.POT, By.IP)
    with pytest.raises(SoulreadError, match="no groups by 'size'; there are position, pot, ip"):
        parse_by("size")
    assert plain_data(By.IP) == "ip"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--by", "size", "--by", "pot"), "--by size stands alone"),
        (("--by", "facing", "--against", "pool"), "--by facing stands alone"),
        (("--by", "opponent", "--min-hands", "0"), "it is at least 1"),
    ],
)
def test_mistakes_are_one_line(words, message, stored) -> None:
    refused = run("stats", WHO, *words, "--db", stored)
    assert (refused.exit_code, message in refused.output, refused.output.count("\n")) == (2, True, 1)
