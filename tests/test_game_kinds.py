"""Limit and no-limit hands, cash games and tournaments are never added up."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from test_formats_rooms import CASH, TOURNAMENT
from test_formats_rooms import hand_of as hand_of_room
from test_statistics import PAPER, hand_of
from test_store import some_hands

from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.leduc import leduc
from soulread.games.poker import replay
from soulread.hands.formats.phh import cut_phh, write_phh
from soulread.hands.formats.reading import read_pieces
from soulread.hands.hand import Hand, Sight, hand_from_json
from soulread.hands.record import seen_by
from soulread.hands.store import GameKind, PlayKind, Query, Store
from soulread.study.hands.statistics import PlayerStudy, study_player, study_players
from soulread.study.profile.pool import study_pool
from soulread.study.profile.pool_tables import size_text
from soulread.study.profile.profile import study_profile
from soulread.study.profile.profile_tables import compared_text

LIMIT, NOLIMIT = PlayKind("limit", "cash"), PlayKind("nolimit", "cash")
TOURNEY = PlayKind("nolimit", "tournament")


def hidden_hands(count: int) -> list[Hand]:
    """Hands without cards: a profile then values no all-ins, which takes seconds."""
    return [
        replace(hand, hole=(None,) * hand.num_players, sights=(Sight.UNSEEN,) * hand.num_players)
        for hand in some_hands(count)
    ]


def tournament(hand: Hand) -> Hand:
    return replace(hand, stakes=replace(hand.stakes, tournament=True), id=f"t{hand.id}")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Of Ann 60 no-limit hands, 20 of them in tournaments, and of Bea some of limit and no-limit hold'em."""
    hands = hidden_hands(60)
    paper = [hand_of(*row[:4], id=f"paper{i}") for i, row in enumerate(PAPER, 1)]
    with Store.open(tmp_path_factory.mktemp("kinds") / "hands.db") as opened:
        opened.add([*hands[:40], *map(tournament, hands[40:]), *paper])
        yield opened


def per_100(study: PlayerStudy, place: int) -> float | None:
    line = study.kinds[place].lines[-1]
    assert line.value.statistic.name == "bb/100"
    return line.value.value


# What is a kind.


def test_a_tournament_is_known_as_one_and_stays_one():
    hand = hand_of_room(TOURNAMENT)
    assert (hand.stakes.tournament, hand_of_room(CASH).stakes.tournament) == (True, False)
    assert hand_from_json(hand.to_json()) == hand
    (through_phh,) = read_pieces(cut_phh([write_phh(hand).split("\n")], "x.phh"))
    assert through_phh == hand
    text = write_phh(hand_of_room(CASH)).replace("currency = 'USD'\n", "").replace("0.01", "1")
    for entry, expected in (("level = 3", True), ("event = 'Main Event'", True), ("venue = 'Home'", False)):
        lines = [line for line in text.split("\n") if not line.startswith("venue")]
        (read,) = read_pieces(cut_phh([[*lines, entry]], "x.phh"))
        assert isinstance(read, Hand), read
        assert read.stakes.tournament is expected, entry


def test_limit_holdem_is_one_kind_at_any_table():
    kinds = {
        GameKind(hand.game.partition(":")[0], hand.variant, hand.stakes).play
        for hand in (hand_of(*PAPER[9][:4]), hand_of(*PAPER[0][:4]), tournament(hand_of(*PAPER[0][:4])))
    }
    assert kinds == {LIMIT, NOLIMIT, TOURNEY}
    other = seen_by(replay(leduc(), "cc/cc", "JhQhKs"), None)
    assert GameKind("leduc", other.variant, other.stakes).play == PlayKind("leduc", "cash")
    irc = "52 cards, 2+0-3-1-1, limit 10-10-20-20, best_hand"
    assert GameKind("irc-limit", irc, other.stakes).play == LIMIT


def test_a_store_keeps_the_kinds(store):
    assert store.play_kinds() == [(NOLIMIT, 51), (TOURNEY, 20), (LIMIT, 1)]
    assert dict(store.play_kinds(Query(player="Bea"))) == {NOLIMIT: 11, LIMIT: 1}
    assert dict(store.play_kinds(Query(format="tournament"))) == {TOURNEY: 20}
    assert len(list(store.find(Query(game="limit")))) == 1
    assert len(list(store.find(Query(game="ring-limit")))) == 1
    assert len(list(store.find(Query(game="nolimit", format="cash")))) == 51
    assert {hand.stakes.tournament for _, hand in store.find(Query(format="tournament"))} == {True}


# Statistics.


def test_a_player_has_statistics_of_each_kind(store):
    study = study_player(store, "Ann")
    assert [one.kind for one in study.kinds] == [NOLIMIT, TOURNEY]
    assert study.hands == sum(one.hands for one in study.kinds)
    for place, kind in enumerate((NOLIMIT, TOURNEY)):
        mine = [
            (hand.payoffs[hand.seat_of("Ann")], hand.stakes.big_blind)
            for _, hand in store.find(Query(player="Ann", format=kind.format))
        ]
        assert study.kinds[place].hands == len(mine)
        assert per_100(study, place) == pytest.approx(100 * sum(w / b for w, b in mine) / len(mine))
    assert (study.lines, study.groups) == ((), ())
    record = plain_data(study)
    assert (record["statistics"], record["groups"]) == ([], [])
    assert [(one["game"], one["format"]) for one in record["kinds"]] == [
        ("nolimit", "cash"),
        ("nolimit", "tournament"),
    ]
    assert {row["format"] for row in study.to_rows()} == {"cash", "tournament"}


def test_one_kind_alone_is_as_it_was(store):
    study = study_player(store, "Ann", Query(format="tournament"))
    assert (study.lines, study.hands) == (study.kinds[0].lines, study.kinds[0].hands)
    record = plain_data(study)
    assert record["statistics"] == record["kinds"][0]["statistics"]
    assert study.to_rows()[0]["name"] == "VPIP"
    assert study_player(store, "Ann").kinds[1] == study.kinds[0]


def test_everybody_has_a_row_for_each_kind(store):
    table = study_players(store)
    assert [kind for kind, _ in table.kinds] == [NOLIMIT, TOURNEY, LIMIT]
    bea = {row.kind: row.hands for row in table.rows if row.player == "Bea"}
    assert bea == {NOLIMIT: 11, LIMIT: 1}
    assert table.num_players == len({row.player for row in table.rows})
    assert len(study_players(store, top=2).rows) == 2 + 2 + 2
    assert plain_data(table)["players"][0].keys() == {
        "player",
        "room",
        "game",
        "format",
        "hands",
        "statistics",
    }


def test_a_pool_and_a_profile_are_of_one_kind(store):
    profile = study_profile(store, "Ann", least=5, cards=None, modelled=False)
    cash = study_player(store, "Ann", Query(format="cash"))
    assert (profile.kind, profile.hands) == (NOLIMIT, cash.hands)
    assert profile.results[0].won.mean == pytest.approx(per_100(cash, 0))
    ((kind, hands),) = profile.other_kinds
    assert (kind, hands + profile.hands) == (TOURNEY, study_player(store, "Ann").hands)
    assert "(--game nolimit --format tournament)" in compared_text(profile)
    narrowed = study_profile(store, "Ann", Query(format="tournament"), least=5, cards=None, modelled=False)
    assert (narrowed.kind, narrowed.hands, narrowed.other_kinds) == (TOURNEY, hands, ())
    assert "Not added" not in compared_text(narrowed)


def test_regulars_of_another_kind_are_no_regulars(tmp_path):
    """A player's hands of limit hold'em do not make a regular of the no-limit games."""
    hands = hidden_hands(40)
    with Store.open(tmp_path / "s.db") as opened:
        opened.add([*hands[:30], *map(tournament, hands[30:])])
        everybody = study_profile(opened, "Ann", least=1, cards=None, modelled=False).regulars
        few = study_profile(opened, "Ann", Query(format="tournament"), least=20, cards=None, modelled=False)
        assert everybody > few.regulars == 0
        with pytest.raises(SoulreadError, match="a pool needs"):
            study_pool(opened, Query(format="tournament"), least=20)


def test_a_pool_says_what_it_leaves_out(tmp_path):
    hands = [
        replace(hand, players=tuple(f"{name}{number % 3}" for name in hand.players))
        for number, hand in enumerate(some_hands(60))
    ]
    with Store.open(tmp_path / "s.db") as opened:
        opened.add([*hands[:40], *map(tournament, hands[40:])])
        study = study_pool(opened, least=1)
        with pytest.raises(SoulreadError, match="no such hands"):
            study_pool(opened, Query(game="limit"))
    assert (study.kind, sum(one.hands for one in study.regulars)) == (
        NOLIMIT,
        sum(hand.num_players for hand in hands[:40]),
    )
    assert "20 hands of no-limit hold'em, tournament (--game nolimit --format tournament)" in size_text(study)
    assert plain_data(study)["other_kinds"][0] == {"game": "nolimit", "format": "tournament", "hands": 20}


def test_on_the_command_line(store):
    def run(*words):
        return CliRunner().invoke(
            cli, [*words, "--db", store.name], env={"COLUMNS": "200"}, prog_name="soulread"
        )

    text = run("stats", "Ann").output
    assert "no-limit hold'em, tournament" in text
    assert "--game nolimit --format tournament" in text
    assert "not added up" in text
    alone = run("stats", "Ann", "--game", "nolimit", "--format", "tournament").output
    assert "not added up" not in alone
    record = json.loads(run("stats", "Ann", "--json").stdout)
    assert [one["hands"] for one in record["kinds"]] == [
        study.hands for study in study_player(store, "Ann").kinds
    ]
    everybody = run("stats").output
    assert "limit hold'em, cash (--game limit --format cash): 3 of 3 players" in everybody
    assert run("stats", "Ann", "--format", "home").exit_code == 2
