"""People: heroes of files, players whom an alias joins, and everything that knows them as one."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner
from test_store import some_hands

from soulread.cli import cli
from soulread.errors import DamagedFile, SoulreadError
from soulread.hands.conditions import parse_conditions
from soulread.hands.hand import Sight
from soulread.hands.people import KnownPeople, NamedPlayers, read_people
from soulread.hands.store import Query, Store
from soulread.hands.tables.checking import check_store, rebuild_store
from soulread.study.hands.statistics import study_player, study_players
from soulread.study.players.aliases import choose_hero, find_key, join_names, part_names, study_aliases
from soulread.study.players.hero import find_hero, find_player, meant_player, study_hero
from soulread.study.profile.population import Population

STARS, GG = "PokerStars", "GGPoker"


def in_two_rooms(joined=False, count=40):
    """Hands of two rooms, whose players have other names in the second.

    If ``joined``, all are of one room, and Ann has one name.
    """
    first, second = some_hands(count, 1), some_hands(count, 2)
    hands = [replace(hand, room=STARS) for hand in first]
    for i, hand in enumerate(second):
        names = tuple("Ann" if joined and name == "Ann" else f"{name} G" for name in hand.players)
        hands.append(replace(hand, room=STARS if joined else GG, players=names, id=f"2{i:03}"))
    return hands


def stored(where, hands):
    with Store.open(where) as opened:
        opened.add(hands, batch=17)
    return where


def hero_hands(name, room, count=10, seed=1, begin=0):
    """Hands as the room writes them for one player, who sits in all of them."""
    found = []
    for i, hand in enumerate(some_hands(count, seed)):
        seat = i % hand.num_players
        other = "dealt to nobody"
        players = tuple(name if j == seat else f"{one} {room}" if one != name else other
                        for j, one in enumerate(hand.players))  # fmt: skip
        cards = tuple((2 * j + 10, 2 * j + 11) if j == seat else None for j in range(hand.num_players))
        sights = tuple(Sight.DEALT if j == seat else Sight.UNSEEN for j in range(hand.num_players))
        found.append(
            replace(
                hand,
                players=players,
                hole=cards,
                sights=sights,
                observer=seat,
                room=room,
                boards=((),),
                id=f"{room}{begin + i}",
            )
        )
    return found


def run(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


# Aliases ------------------------------------------------------------------------------------------


def verify_one_person(where, twin):
    """In the store ``where`` an alias makes what there is in a store of hands in which Ann has one name."""
    hands = in_two_rooms()
    stored(where, hands)
    stored(twin, in_two_rooms(joined=True))
    with Store.open(where) as opened, Store.open(twin) as other:
        alone = opened.player("Ann").hands
        join_names(opened, ["Ann", "Ann G"])
        for name in ("Ann", "Ann G"):
            person = opened.player(name)
            assert (person.name, person.room) == ("Ann", f"{GG}, {STARS}")
            assert person.hands == other.player("Ann").hands
            assert study_player(opened, name).lines == study_player(other, "Ann").lines
        assert opened.player("Ann", GG).hands == person.hands - alone
        assert study_player(opened, "Ann", Query(room=GG)).hands == person.hands - alone
        everybody = {row.player: (row.hands, row.values) for row in study_players(opened).rows}
        assert everybody == {row.player: (row.hands, row.values) for row in study_players(other).rows}
        listed = {(one.name, one.hands, one.first, one.last) for one in opened.players()}
        assert listed == {(one.name, one.hands, one.first, one.last) for one in other.players()}
        told = [hand.players for _, hand in opened.find(Query(player="Ann"))]
        assert told == [hand.players for _, hand in other.find(Query(player="Ann"))]
        asked = parse_conditions(["vpip", "players>=3"], "Ann")
        assert [n for n, _ in asked.find(opened)] == [n for n, _ in asked.find(other)]
        assert opened.play_kinds(Query(player="Ann")) == other.play_kinds(Query(player="Ann"))
        assert opened.hand("2000")[1].players == other.hand("2000")[1].players
        assert [opened.as_played(n, hand) for n, hand in opened.find()] == hands
        number = opened.player_number("Ann")
        counted = Population(opened.facts, [number], 1).counted
        assert counted.hands[counted.row(number)] == person.hands
        assert "Ann G" not in {opened.names()[n] for n in counted.numbers.tolist()}
        assert opened.player_rooms()[number] == f"{GG}, {STARS}"


def test_an_alias_makes_one_person_of_two_players(tmp_path):
    verify_one_person(tmp_path / "s.db", tmp_path / "twin.db")


def test_all_names_of_a_chain_are_one_person_and_may_be_parted(tmp_path):
    where = stored(tmp_path / "s.db", in_two_rooms())
    with Store.open(where) as opened:
        join_names(opened, ["Ann", "Ann G"])
        with pytest.raises(SoulreadError, match="'Ann' and 'Bob' are not one person"):
            join_names(opened, ["Bob", "Ann G"])
        assert study_aliases(opened).persons[0].names[1].name == "Ann G"
        part_names(opened, ["Ann G"])
        assert opened.player("Ann G").name == "Ann G"
        assert opened.people() == KnownPeople()
        join_names(opened, ["Ann G", "Ann"], name="Annie")
        assert opened.player("Annie").hands == opened.player("Ann").hands
        assert opened.player("Ann").name == "Annie"
        join_names(opened, ["Ann G", "Ann"])  # nothing new, and the name stays
        assert [one.name for one in study_aliases(opened).persons] == ["Annie"]
        part_names(opened, ["Annie"])
        with pytest.raises(SoulreadError, match="'Annie' is not in"):
            opened.player("Annie")
    people = KnownPeople().joined([("A", ""), ("B", "")]).joined([("C", ""), ("B", "")])
    assert people.groups == (NamedPlayers("C", (("C", ""), ("A", ""), ("B", ""))),)
    assert people.joined([("A", ""), ("C", "")]).groups[0].name == "C"
    assert people.without(("B", "")).groups[0].players == (("C", ""), ("A", ""))
    assert read_people(people.text) == people


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["Ann", "Nobody"], "'Nobody' is not in"),
        (["Ann", "Ann"], "'Ann' of PokerStars alone"),
        (["Ann"], "'Ann' of PokerStars alone"),
        (["Ann", "Ann@GGPoker"], "'Ann@GGPoker' is not in"),
    ],
)  # fmt: skip
def test_names_that_cannot_be_joined(tmp_path, names, message):
    where = stored(tmp_path / "s.db", in_two_rooms(count=10))
    with Store.open(where) as opened, pytest.raises(SoulreadError, match=message):
        join_names(opened, names)


def test_a_name_that_would_be_two_people_is_refused(tmp_path):
    hands = in_two_rooms()
    both = [replace(hand, room=GG, id=f"3{i}") for i, hand in enumerate(some_hands(20, 7))]
    where = stored(tmp_path / "s.db", [*hands, *both])
    with Store.open(where) as opened:
        assert find_key(opened, "Ann@ggpoker") == ("Ann", GG)
        with pytest.raises(SoulreadError, match="or write Ann@PokerStars"):
            join_names(opened, ["Ann", "Ann G"])
        with pytest.raises(SoulreadError, match="'Ann' would be two people in GGPoker"):
            join_names(opened, ["Ann@PokerStars", "Ann G"])
        assert opened.people() == KnownPeople()
        join_names(opened, ["Ann@PokerStars", "Ann G"], name="Annie")
        assert opened.player("Ann", GG).name == "Ann"
        assert opened.player("Ann", STARS).name == "Annie"


def seated(hand, *names, **changes):
    """A hand with other players in its first seats."""
    others = [f"other {i}" for i in range(hand.num_players - len(names))]
    return replace(hand, players=(*names, *others), **changes)


def test_hands_that_come_later_may_contradict_an_alias(tmp_path):
    first = seated(some_hands(1, 5)[0], "Ann S", room=STARS, id="5")
    where = stored(tmp_path / "s.db", [*in_two_rooms(), first])
    meeting = some_hands(1, 9)[0]
    with Store.open(where) as opened:
        join_names(opened, ["Ann", "Ann G", "Ann S"])
        opened.add([seated(meeting, "Ann G", "Ann", room=GG, id="77")])
        with pytest.raises(SoulreadError, match="'Ann' would be two people in GGPoker"):
            opened.player("Ann")
        part_names(opened, ["Ann G"])
        assert opened.player("Ann", GG).hands == 1
        opened.add([seated(meeting, "Ann", "Ann S", room=STARS, id="78")])
        with pytest.raises(SoulreadError, match="they sit in one hand together, such as #83"):
            opened.player("Ann", STARS)
        part_names(opened, ["Ann S"])
        assert opened.player("Ann S").hands == 2


def test_an_alias_is_kept_checked_and_its_loss_noticed(tmp_path):
    where = stored(tmp_path / "s.db", in_two_rooms())
    with Store.open(where) as opened:
        join_names(opened, ["Ann", "Ann G"])
        choose_hero(opened, "Bob")
        people = opened.people()
        opened.rebuild_facts()
        assert opened.player("Ann").room == f"{GG}, {STARS}"
    assert check_store(where).whole
    rebuild_store(where)
    with Store.open(where) as opened:
        assert opened.people() == people
        assert check_store(where).whole
        with opened._db.writing():
            opened._db.run("DELETE FROM meta WHERE name = 'people'")
        with pytest.raises(DamagedFile, match="who is the same person"):
            opened.player("Ann")
    assert not check_store(where).whole
    rebuild_store(where)
    with Store.open(where) as opened:
        assert opened.player("Ann").room == STARS
    for text in ("[]", "{}", '{"groups":[["A",[["A",""]]]],"hero":null}', '{"groups":[],"hero":3}', "\0"):
        assert read_people(text) is None, text


def test_two_readers_see_an_alias_at_once(tmp_path):
    where = stored(tmp_path / "s.db", in_two_rooms())
    with Store.open(where) as one, Store.open(where, read_only=True) as other:
        assert other.player("Ann G").name == "Ann G"
        join_names(one, ["Ann", "Ann G"])
        assert other.player("Ann G").name == "Ann"
        part_names(one, ["Ann"])
        assert other.player("Ann G").name == "Ann G"


# Heroes -------------------------------------------------------------------------------------------


def test_the_hero_is_the_one_whose_cards_were_dealt(tmp_path):
    hands = hero_hands("Meg", STARS)
    where = stored(tmp_path / "s.db", [*hands, *some_hands(20, 8)])
    with Store.open(where) as opened:
        study = study_hero(opened)
        assert [(one.name, one.room, one.hands, one.dealt, one.share) for one in study.heroes] == [
            ("Meg", STARS, 10, 10, 1.0)
        ]
        assert "The hero is Meg, 10 hands" in study.words
        for word in ("hero", "me", "Meg"):
            assert find_player(opened, word).name == "Meg"
        assert meant_player(opened, "me", Query())[0] == "Meg"
        with pytest.raises(SoulreadError, match="is the hero: no player's cards"):
            find_hero(opened, "")


def test_cards_of_showdowns_and_of_dealers_make_no_hero(tmp_path):
    some = some_hands(12)
    dealer = [
        replace(
            hand,
            hole=tuple((2 * j + 10, 2 * j + 11) for j in range(hand.num_players)),
            boards=((),),
            sights=(Sight.DEALT,) * hand.num_players,
        )
        for hand in some
    ]
    shown = [
        replace(
            hand, sights=tuple(Sight.SHOWN if s is Sight.DEALT else s for s in hand.sights), observer=None
        )
        for hand in hero_hands("Meg", STARS)
    ]
    where = stored(tmp_path / "s.db", [*dealer, *shown])
    with Store.open(where) as opened:
        study = study_hero(opened)
        assert not study.heroes
        assert "There is no hero in 22 hands" in study.words
        with pytest.raises(SoulreadError, match="say who it is with: soulread player hero NAME"):
            find_hero(opened)
        choose_hero(opened, "Meg")
        assert find_player(opened, "me").name == "Meg"
        assert study_hero(opened).heroes[0].chosen
        choose_hero(opened, None)
        with pytest.raises(SoulreadError):
            find_hero(opened)


def test_heroes_of_several_rooms_and_people(tmp_path):
    hands = [*hero_hands("Meg", STARS, 10), *hero_hands("Hero", GG, 8, 2), *hero_hands("Tom", GG, 5, 3, 50)]
    where = stored(tmp_path / "s.db", hands)
    with Store.open(where) as opened:
        assert [one.name for one in study_hero(opened).heroes] == ["Meg", "Hero", "Tom"]
        with pytest.raises(SoulreadError, match="several heroes: 'Meg' of PokerStars"):
            find_hero(opened)
        assert find_player(opened, "me", STARS).name == "Meg"
        join_names(opened, ["Meg", "Hero"])
        first = study_hero(opened).heroes[0]
        assert (first.name, first.room, first.hands, first.dealt) == ("Meg", f"{GG}, {STARS}", 18, 18)
        part_names(opened, ["Hero"])
        choose_hero(opened, "Tom")
        assert find_player(opened, "me").name == "Tom"
        assert find_player(opened, "me", STARS).name == "Meg"  # Tom has no hands there
        join_names(opened, ["Hero", "Tom", "Meg"], name="Mine")
        assert find_player(opened, "me").hands == 23


def test_a_player_called_hero_wins_and_a_room_tells_namesakes_apart(tmp_path):
    hands = [*hero_hands("Meg", STARS), *some_hands(5, 4)]
    called = [
        replace(hand, players=("me", *hand.players[1:]), id=f"9{i}", room=GG)
        for i, hand in enumerate(some_hands(4, 5))
    ]
    where = stored(tmp_path / "s.db", [*hands, *called, *hero_hands("Meg", GG, 2, 6, 80)])
    with Store.open(where) as opened:
        assert find_player(opened, "me").name == "me"
        with pytest.raises(SoulreadError, match="several heroes"):
            find_player(opened, "hero")
        choose_hero(opened, "Meg@PokerStars")
        assert meant_player(opened, "hero", Query()) == ("Meg", Query(room=STARS))


# Commands -----------------------------------------------------------------------------------------


def test_commands_on_people(tmp_path):
    where = stored(tmp_path / "s.db", [*hero_hands("Meg", STARS), *hero_hands("Hero", GG, 8, 2)])
    result = run("player", "hero", "--db", where)
    assert result.exit_code == 0
    assert "2 players are heroes" in result.output
    assert run("player", "alias", "--db", where).output.startswith("There are no aliases")
    assert "Hero (GGPoker, 8 hands)" in run("player", "alias", "Meg", "Hero", "--db", where).output
    record = json.loads(run("player", "hero", "--db", where, "--json").stdout)
    assert [(one["player"], one["hands"]) for one in record["heroes"]] == [("Meg", 18)]
    record = json.loads(run("player", "alias", "--db", where, "--json").stdout)
    assert record["persons"][0]["names"][1] == {"name": "Hero", "room": GG, "hands": 8}
    assert json.loads(run("players", "--db", where, "--json").stdout)["players"][0]["hands"] == 18
    assert run("player", "alias", "Meg", "--remove", "--db", where).output.startswith("There are no aliases")
    assert "by your choice" in run("player", "hero", "Hero", "--db", where).output
    for words, message in (
        (["alias", "Meg"], "who is 'Meg' too?"),
        (["alias", "--remove"], "--remove needs the name"),
        (["alias", "Meg", "--remove"], "'Meg' is no alias"),
        (["alias", "Meg", "Hero", "--as", " "], "--as ' ' is the name"),
        (["hero", "Nobody"], "'Nobody' is not in"),
        (["hero", "Meg", "--forget"], "give one of them"),
    ):
        result = run("player", *words, "--db", where)
        assert result.exit_code == 2, result.output
        assert message in result.output
        assert result.output.count("\n") == 1
    assert run("player", "hero", "--forget", "--db", where).exit_code == 0
