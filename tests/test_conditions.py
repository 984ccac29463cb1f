"""Conditions of `soulread hands`: by what a player did, by numbers, ids and tables, and what is refused."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from test_formats_rooms import CASH, TOURNAMENT
from test_formats_rooms import hand_of as hand_of_room
from test_statistics import PAPER, hand_of
from test_store import some_hands

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.hands.conditions import STATISTIC_WORDS, parse_conditions
from soulread.hands.facts import facts_of, pot_of
from soulread.hands.statistics import STATISTICS, Occasions, StatisticKind
from soulread.hands.store import Query, Store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    where = tmp_path_factory.mktemp("conditions") / "hands.db"
    paper = [hand_of(*row[:4], id=f"paper{i}") for i, row in enumerate(PAPER, 1)]
    others = [replace(hand_of_room(text), room="") for text in (CASH, TOURNAMENT)]  # one room for all names
    with Store.open(where) as opened:
        opened.add([*paper, *some_hands(80), *others], batch=30)
        yield opened


def ids(store: Store, *words: str, player: str | None = None, query: Query | None = None) -> list[str]:
    found = parse_conditions(words, player).find(store, query or Query(player=player))
    return [hand.id for _, hand in found]


def by_walking(store: Store, statistic, player: str, chances: bool) -> list[str]:
    """The hands of a player in which a statistic counts, each walked by itself."""
    found = []
    for _, hand in store.find(Query(player=player)):
        had, took = Occasions(facts_of([hand])).of(statistic)
        if hand.seat_of(player) in (had if chances else took):
            found.append(hand.id)
    return found


@pytest.mark.parametrize(
    "statistic", [one for one in STATISTICS if one.kind not in (StatisticKind.AMOUNT, StatisticKind.FACTOR)]
)
def test_a_statistic_finds_the_hands_that_it_counts(store, statistic):
    for player in ("Bea", "Bo"):
        assert ids(store, statistic.name.replace(" ", "-"), player=player) == by_walking(
            store, statistic, player, chances=False
        )
        assert ids(store, f"chance:{statistic.name.replace(' ', '')}", player=player) == by_walking(
            store, statistic, player, chances=True
        )


def test_names_as_people_write_them(store):
    assert ids(store, "3bet", player="Bo") == ids(store, "3-Bet", player="Bo") == ["paper4"]
    assert ids(store, "fold-to-3bet", player="Cy") == ids(store, "foldto3bet", player="Cy")
    streets = [ids(store, f"cbet-{street}", player="Bo") for street in ("flop", "turn", "river")]
    assert set(ids(store, "cbet", player="Bo")) == set().union(*streets)
    assert set(STATISTIC_WORDS) >= {"vpip", "pfr", "limp", "squeeze", "steal", "4bet", "cbet", "foldtocbet"}


def test_chances_that_were_not_taken(store):
    had, took = ids(store, "chance:3bet", player="Bea"), ids(store, "3bet", player="Bea")
    assert set(took) < set(had)
    assert ids(store, "chance:3bet", "not-3bet", player="Bea") == [id for id in had if id not in took]


def test_without_a_player_somebody_did_it(store):
    each = ("Sal", "Bea", "Cy", "Bo", "Lou", "Hal", "Dan")
    found = {id for name in each for id in ids(store, "3bet", player=name)}
    assert {id for id in ids(store, "3bet") if id.startswith("paper")} == {
        id for id in found if id.startswith("paper")
    }
    everything = ids(store)
    assert sorted(ids(store, "3bet") + ids(store, "not-3bet")) == sorted(everything)


def test_a_showdown_of_a_player_is_one_the_player_came_to(store):
    assert {"paper4"} <= set(ids(store, "showdown", player="Cy"))
    assert "paper4" in ids(store, "showdown")
    assert "paper4" not in ids(store, "showdown", player="Bea")  # folded before the flop
    assert "paper4" in ids(store, "not-showdown", player="Bea")
    for name in ("Bea", "Bo"):
        came = {
            hand.id
            for _, hand in store.find(Query(player=name))
            if hand.showdown and (hand.seat_of(name), 0) not in hand.actions
        }
        assert set(ids(store, "showdown", player=name)) == came


def test_pots_in_big_blinds(store):
    every = list(store.find())
    for bound in (2, 10, 34.5, 201.5):
        expected = [hand.id for _, hand in every if pot_of(hand) / hand.stakes.big_blind >= bound]
        assert ids(store, f"pot>={bound}") == expected
    assert ids(store, "pot=34.5", "players=4") == ["7001"]


def test_a_hand_by_its_number_and_by_its_id(store):
    number, hand = store.hand("paper7")
    assert ids(store, f"#{number}") == ids(store, "id:paper7") == ids(store, "paper7") == [hand.id]
    assert ids(store, f"#{number}", player="Bea") == ["paper7"]
    other, _ = store.hand("paper8")
    assert (
        ids(store, f"#{number},{other}") == ids(store, f"#{other},{number},{number}") == ["paper7", "paper8"]
    )
    assert ids(store, f"not-#{number},{other}", "id:paper8") == []
    assert ids(store, f"#{number}", player="Cy") == []  # not at that table
    assert ids(store, f"#{number}", "id:paper8") == []
    assert "paper7" not in ids(store, f"not-#{number}")
    assert ids(store, "id:nothing") == []
    assert ids(store, "7001", query=Query(game="limit")) == []
    with pytest.raises(SoulreadError, match="there is no hand '#171540'"):
        ids(store, "#171540")


def test_a_table_by_its_name_with_blanks_or_alone(store):
    assert ids(store, "table:Elm Street") == ["7001"]
    assert len(ids(store, "table:Vesta II")) == 80
    assert ids(store, "table:Elm Street", "showdown", player="Bo") == ["7001"]
    assert ids(store, "table:nowhere") == []
    assert "7001" not in ids(store, "not-table:Elm Street")


@pytest.mark.parametrize("word", ["3bett", "nobody", "5bet", "all-in", "#", "#12a", "#1,", "#1,x", "allin"])
def test_a_word_that_means_nothing_is_refused(store, word):
    with pytest.raises(
        SoulreadError, match=r"is no condition, and no hand in .* has this id or table; known are"
    ):
        ids(store, word, player="Bea")


@pytest.mark.parametrize("word", ["chance:5bet", "bb/100>3", "rooms:x", "pot>>3", "vpip>3", "holds=AA"])
def test_a_sign_that_means_nothing_is_refused(word):
    with pytest.raises(SoulreadError, match="is no condition; known are showdown"):
        parse_conditions([word], "Bea")


def test_on_the_command_line(store):
    def run(*words):
        return CliRunner().invoke(cli, [*words, "--db", store.name], prog_name="soulread")

    found = json.loads(run("hands", "3bet", "--player", "Bo", "--json").stdout)["hands"]
    assert [hand["id"] for hand in found] == ["paper4"]
    refused = run("hands", "3bett", "--player", "Bo")
    assert (refused.exit_code, len(refused.output.strip().splitlines())) == (2, 1)
    assert "3-bet, fold-to-3-bet" in refused.output
    cash = json.loads(run("hands", "--format", "tournament", "--json").stdout)["hands"]
    assert [hand["id"] for hand in cash] == ["7002"]
