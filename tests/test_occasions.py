"""Occasions of statistics, orders and lines: what is listed is what is counted, also by a shell line."""

import csv
import io
import json
import shlex
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner
from naive_conditions import naive_condition, own_line
from test_formats_rooms import CASH, TOURNAMENT
from test_formats_rooms import hand_of as hand_of_room
from test_statistics import PAPER, THREE, hand_of, random_hands
from test_store import some_hands

import soulread as sr
from soulread.cards.deck import parse_cards
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.hands.conditions import (
    Order,
    parse_conditions,
    shell_line,
    statistic_called,
    typed_name,
)
from soulread.hands.facts import pot_of
from soulread.hands.lines import line_text
from soulread.hands.statistics import STATISTICS, StatisticKind
from soulread.hands.store import PlayKind, Query, Store
from soulread.study.finding.finding_terminal import headline
from soulread.study.finding.occasions import study_occasions
from soulread.study.hands.statistics import study_player

NAMES = ["Bea", "Bo", "Ann"]


def more_hands():
    """Hands with many bets after the flop, in two rooms."""
    made = random_hands(lambda rng: nolimit_holdem(3, 100), NAMES, 150, seed=5, boldness=0.45)
    return [
        replace(
            hand,
            id=f"more{i}",
            room="Elm" if i % 3 else "Oak Hall",
            time=datetime(2010, 1 + i % 12, 1 + i % 27),
        )
        for i, (_, hand) in enumerate(made)
    ]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    where = tmp_path_factory.mktemp("occasions") / "my hands.db"
    paper = [hand_of(*row[:4], id=f"paper{i}") for i, row in enumerate(PAPER, 1)]
    told = ("fr6c/cr12c/cr24c/cc", "fr6c/r12c/cc/r24f", "r6fc/cc/cr20f")
    paper += [hand_of(nolimit_holdem(3), THREE, betting, id=f"told{i}") for i, betting in enumerate(told)]
    others = [replace(hand_of_room(text), room="") for text in (CASH, TOURNAMENT)]
    elm = [replace(hand, room="Elm") for hand in [*paper, *some_hands(60), *others]]
    with Store.open(where) as opened:
        opened.add([*elm, *more_hands()], batch=40)
        yield opened


def run(*words):
    return CliRunner().invoke(cli, list(words), prog_name="soulread")


def numbers(store, words, player="Bea", order=None, query=None):
    search = parse_conditions(words, player).search(store, query or Query(room="Elm"), order)
    found = [number for number, _ in search.hands]
    assert search.count in (None, len(found))
    return found


# Words.


@pytest.mark.parametrize(
    "word",
    [
        *("walk", "limped", "single-raised", "3bet-pot", "4bet-pot", "not-3bet-pot", "ip", "oop", "not-ip"),
        *("position:BTN", "position:BB,SB", "not-position:BTN", "opponent:Bo", "not-opponent:Bo"),
        *(
            "line=check",
            "line=bet-bet-check",
            "line=check/raise",
            "line=*-bet",
            "line=*-*-call",
            "line=call-*-fold",
        ),
        *(
            "preflop=raise",
            "preflop=call/raise",
            "flop=bet",
            "turn=check/fold",
            "line=bet-none",
            "not-line=bet",
        ),
        *("bet>=75%", "bet<40%", "flop-bet>=50%", "turn-bet>100%", "river-bet<=60%", "not-bet>=75%"),
        *("facing>=75%", "flop-facing<50%", "turn-facing>=50%", "river-facing>=10%", "preflop-facing>=5"),
        *("open>=2.5", "open<3", "preflop-raise>9", "stack<20", "stack>=50", "won>10", "won<=-1"),
    ],
)
def test_words_mean_what_the_replay_says(store, word):
    fits = naive_condition(word)
    tried = 0
    for player in ("Bea", "Ann"):
        every = store.find(Query(player=player, room="Elm"))
        expected = [number for number, hand in every if fits(hand, player)]
        assert numbers(store, [word], player) == expected
        tried += len(expected)
    assert tried, "no hand tries this word"


def test_lines_as_people_write_them(store):
    for words in (
        ["check/raise", "xr", "x/r", "Check/Raise"],
        ["bet-bet", "b-b", "bet-b"],
        ["*-c", "*-call", "*-call-*"],
    ):
        first, *others = [numbers(store, [f"line={word}"]) for word in words]
        assert first
        assert all(other == first for other in others), words
    begun = [
        number
        for number, hand in store.find(Query(player="Bea", room="Elm"))
        if own_line(hand, "Bea")[1][:1] == ["bet"]
    ]
    assert numbers(store, ["line=b*"]) == numbers(store, ["flop:bet/*"]) == begun
    assert set(numbers(store, ["line=b"])) < set(begun)


def test_lines_are_written_as_they_are_read(store):
    found = sr.find_hands(store, player="Bea", room="Elm").hands
    for one in found:
        before, *later = own_line(one.hand, "Bea")
        assert one.preflop == "/".join(before)
        assert one.line == "-".join("/".join(street) for street in later if street)
    for line in sorted({one.line for one in found if one.line})[::4]:
        same = [one.number for one in found if f"{one.line}-".startswith(f"{line}-")]
        assert numbers(store, [f"line={line}"]) == same
    assert line_text(["xr", "", "b"]) == "check/raise-none-bet"
    assert line_text(["", ""]) == ""


def test_rooms_and_days(store):
    every = list(store.find(Query()))
    for room in ("Elm", "Oak Hall"):
        ids = [number for number, hand in every if hand.room == room]
        assert numbers(store, [f"room:{room.lower()}"], None, query=Query()) == ids
        assert numbers(store, [f"not-room:{room}"], None, query=Query()) == [
            n for n, h in every if h.room != room
        ]
    timed = [(number, hand.time.replace(tzinfo=None)) for number, hand in every if hand.time is not None]
    for word, fits in {
        "date:2010-03": lambda time: (time.year, time.month) == (2010, 3),
        "date=2010": lambda time: time.year == 2010,
        "date:2010-03-03": lambda time: (time.month, time.day, time.year) == (3, 3, 2010),
        "date>=2010-03-03": lambda time: time >= datetime(2010, 3, 3),
        "date>2010-03": lambda time: time >= datetime(2010, 4, 1),
        "date<2010-03-03": lambda time: time < datetime(2010, 3, 3),
        "date<=2010-03": lambda time: time < datetime(2010, 4, 1),
        "date<=2010-03-01T00:00": lambda time: time <= datetime(2010, 3, 1),
    }.items():
        ids = [number for number, time in timed if fits(time)]
        assert ids, word
        assert numbers(store, [word], None, query=Query()) == ids, word
    since = [number for number, _ in store.find(Query(since=datetime(2010, 3, 3, tzinfo=UTC)))]
    assert numbers(store, ["date>=2010-03-03"], None, query=Query()) == since


def test_an_opponent_of_any_room_and_nobody(store):
    both = numbers(store, ["opponent:Bo"], None, query=Query())
    each = [numbers(store, ["opponent:Bo"], None, query=Query(room=room)) for room in ("Elm", "Oak Hall")]
    assert sorted(both) == sorted(each[0] + each[1])
    for word, told in (("opponent:Boo", "do you mean"), ("room:Ash", "its rooms are Elm, Oak Hall")):
        with pytest.raises(SoulreadError, match=told):
            numbers(store, [word])


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("position:UTG", r"'position:UTG': 'UTG' is no position; known are SB, BB, EP, LJ, HJ, CO, BTN"),
        ("position:", "'' is no position"),
        ("line=bet-shove", r"'shove' is no action; known are bet \(b\), check \(x\), call \(c\)"),
        ("line=", "'' is no action"),
        ("line=bet--check", "'' is no action"),
        (
            "line=check-raise-bet-bet",
            "has 4 streets, but a line has the flop, the turn and the river; .* check/raise",
        ),
        ("preflop=raise-call", "has 2 streets, but a line has one street"),
        ("preflop=bet", "before the flop nobody bets; write raise"),
        ("bet>=big", "'big' is not a part of the pot in percent; write bet>=75%"),
        ("bet>=3bb", "'3bb' is not a part of the pot"),
        ("open>=", "'' is not a number of big blinds; write open>=3"),
        ("pot>=50%", "is not a number of big blinds"),
        ("players>=two", "'two' is not a number; write players>=20"),
        ("date:2009-13", "'2009-13' is no date; write a year, a month or a day"),
        ("date>=yesterday", "is no date"),
        ("opponent:", "say who the opponent is"),
        ("opponent:Bea", "'Bea' is the player"),
        ("flop-raise>=3", "is no condition; known are"),
        ("date:", "is no date"),
    ],
)
def test_malformed_words_are_told(word, told):
    with pytest.raises(SoulreadError, match=told):
        parse_conditions([word], "Bea")
    with pytest.raises(SoulreadError):
        parse_conditions([f"not-{word}"], "Bea")


@pytest.mark.parametrize("word", ["ip", "OOP", "position:BTN", "stack<20", "won>1", "holds:AA", "not-ip"])
def test_words_about_one_player_need_one(word):
    with pytest.raises(SoulreadError, match="is about one player; say with --player"):
        parse_conditions([word])


# Occasions.


@pytest.mark.parametrize(
    "query", [Query(room="Elm"), Query(room="Oak Hall"), Query(room="Elm", game="nolimit")]
)
def test_occasions_are_what_the_statistics_count(store, query):
    """For every statistic and kind of game: the same chances, the same actions, one row each."""
    for player in ("Bea", "Bo"):
        counted = {
            (one.kind, line.value.statistic.name): line.value
            for one in study_player(store, player, query).kinds
            for line in one.lines
        }
        for statistic in STATISTICS:
            study = study_occasions(store, player, typed_name(statistic.name), (), query)
            assert {(kind, statistic.name): value for kind, _, value in study.kinds} == {
                key: value for key, value in counted.items() if key[1] == statistic.name
            }
            taken = [one for one in study.occasions if one.taken]
            if statistic.kind is StatisticKind.AMOUNT:
                assert len(study.occasions) == study.n == study.listed
                assert sum(one.amount or 0.0 for one in study.occasions) == pytest.approx(
                    study.count, abs=1e-9
                )
                continue
            missed = study.n if statistic.kind is StatisticKind.FACTOR else study.n - study.count
            assert (len(taken), len(study.occasions) - len(taken)) == (study.count, missed), statistic.name
            listed = [
                study_occasions(store, player, statistic, (), query, taken=one).occasions
                for one in (True, False)
            ]
            assert [len(part) for part in listed] == [study.count, missed]


def test_words_narrow_occasions(store):
    query = Query(room="Elm")
    for words in (["3bet-pot"], ["position:BB", "not-walk"], ["board:2h"], ["not-board:2h", "opponent:Bo"]):
        there = set(numbers(store, words))
        for name in ("vpip", "fold to c-bet flop", "wtsd", "af", "bb/100"):
            whole = study_occasions(store, "Bea", name, (), query)
            part = study_occasions(store, "Bea", name, words, query)
            kept = [one for one in whole.occasions if one.played.number in there]
            assert [one.played.number for one in part.occasions] == [one.played.number for one in kept]
            assert [one.done for one in part.occasions] == [one.done for one in kept]


def test_a_row_says_what_was_done(store):
    rows = [
        row for row in sr.occasions(store, "Bo", "c-bet flop", room="Elm").to_rows() if row["id"] == "paper2"
    ]
    (row,) = rows
    assert (row["street"], row["done"], row["size"], row["faced"], row["taken"]) == (
        "flop",
        "bet 46%",
        46,
        None,
        True,
    )
    assert (row["position"], row["preflop"], row["line"], row["won_bb"], row["pot_bb"]) == (
        "BTN",
        "raise",
        "bet",
        3.5,
        6.5,
    )
    (row,) = [
        row for row in sr.occasions(store, "Bea", "fcbet", room="Elm").to_rows() if row["id"] == "paper2"
    ]
    assert (row["done"], row["faced"], row["taken"]) == ("fold", 46, True)
    (row,) = [
        row for row in sr.occasions(store, "Bo", "steal", room="Elm").to_rows() if row["id"] == "paper2"
    ]
    assert (row["done"], row["size"], row["street"]) == ("raise to 3 bb", 3, "preflop")
    endings = {one.done for one in study_occasions(store, "Bea", "wtsd", (), Query(room="Elm")).occasions}
    assert endings == {
        "won at showdown",
        "lost at showdown",
        "won without showdown",
        *(f"folded on the {street}" for street in ("flop", "turn", "river")),
    }


def test_a_c_bet_of_any_street(store):
    whole = study_occasions(store, "Bea", "fold_to_cbet", (), Query(room="Elm"))
    each = [
        study_occasions(store, "Bea", f"fold to c-bet {street}", (), Query(room="Elm"))
        for street in ("flop", "turn", "river")
    ]
    assert (whole.n, whole.count) == (sum(one.n for one in each), sum(one.count for one in each))
    assert (
        whole.statistic.about
        == "folded to a bet on any street by whoever had raised last in the round before"
    )


def test_headlines(store):
    def line(name):
        study = study_occasions(store, "Bea", name, ["paper4"], Query(room="Elm"))
        return headline(study.kinds[0][2])

    assert line("vpip") == "1 occasion, 0 taken (0.0%, 95% interval 0.0% to 79.3%)"
    assert line("af") == "0 calls, 0 bets and raises"
    assert line("bb/100") == "1 occasion, -1.0 bb in all (-100.0 bb/100)"


@pytest.mark.parametrize("name", ["fold-to-2bet", "cbets", ""])
def test_a_statistic_nobody_knows(name):
    with pytest.raises(SoulreadError, match=r"there is no statistic .*; known are vpip, pfr, limp, 3-bet"):
        statistic_called(name)


def test_short_names_of_statistics():
    pairs = {"f3b": "fold to 3-bet", "AF": "aggression factor", "AFq": "aggression frequency", "wsd": "W$SD"}
    pairs.update({"ats": "steal", "xr": "check-raise", "3b": "3-bet", "bb/100": "bb/100", "W$SD": "W$SD"})
    assert {short: statistic_called(short).name for short in pairs} == pairs


# Orders.


def test_orders(store):
    hands = dict(store.find(Query(player="Bea", room="Elm")))

    def won(number):
        return hands[number].payoffs[hands[number].seat_of("Bea")] / hands[number].stakes.big_blind

    def time(number):
        when = hands[number].time
        return when.replace(tzinfo=UTC).timestamp() if when is not None else None

    def pot(number):
        return pot_of(hands[number]) / hands[number].stakes.big_blind

    for order, key in ((Order.POT, pot), (Order.WON, won)):
        down = sorted(hands, key=lambda number: (-key(number), number))
        up = sorted(hands, key=lambda number: (key(number), number))
        assert numbers(store, [], order=order) == down
        assert numbers(store, [], order=Order(f"-{order}")) == up
    timed = [number for number in hands if time(number) is not None]
    untimed = sorted(number for number in hands if time(number) is None)
    assert untimed
    assert numbers(store, [], order=Order.DATE) == sorted(timed, key=lambda n: (-time(n), n)) + untimed
    assert numbers(store, [], order=Order.OLDEST) == sorted(timed, key=lambda n: (time(n), n)) + untimed
    everybody = dict(store.find())
    largest = sorted(everybody, key=lambda n: (-pot_of(everybody[n]) / everybody[n].stakes.big_blind, n))
    assert numbers(store, [], None, Order.POT, Query()) == largest
    (card,) = parse_cards("2h")
    with_card = [n for n in largest if any(card in board for board in everybody[n].boards)]
    assert numbers(store, ["board:2h"], None, Order.POT, Query()) == with_card
    with pytest.raises(SoulreadError, match="sorting by won is about one player"):
        numbers(store, [], None, Order.WON)


def test_only_hands_that_are_shown_are_read(store, monkeypatch):
    read: list[int] = []
    real = Store.numbered

    def numbered(self, some):
        asked = list(some)
        read.extend(asked)
        return real(self, asked)

    monkeypatch.setattr(Store, "numbered", numbered)
    found = sr.find_hands(store, player="Bea", room="Elm", sort="pot", limit=3)
    assert (found.shown, found.count, len(read)) == (3, len(numbers(store, [])), 20)
    read.clear()
    assert len(sr.occasions(store, "Bea", "vpip", room="Elm", sort="won", limit=2).occasions) == 2
    assert len(read) == 2


# The shell line and the command.


def json_of(line, *more):
    """The JSON that a line prints, which a shell splits into words."""
    words = shlex.split(line)
    assert words[0] == "soulread"
    result = run(*words[1:], *more, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("words", "query", "taken"),
    [
        ([], Query(), None),
        (["3bet-pot", "not-ip"], Query(), None),
        (["opponent:Bo", "bet>=50%", "pot>=5"], Query(since=datetime(2009, 7, 3, tzinfo=UTC)), True),
        (["room:Elm", "date<2010-06"], Query(until=datetime(2010, 3, 1), stakes="2"), False),
        (["table:Vesta II"], Query(kind=PlayKind("nolimit", "cash")), None),
        (["line=*-*", "won<=100"], Query(game="nolimit", format="cash"), None),
    ],
)
def test_a_shell_line_finds_the_same_again(store, words, query, taken):
    query = replace(query, room="Elm")
    for statistic in ("3-bet", "W$SD", "fold to c-bet flop", "c-bet", "won at showdown"):
        mark = None if statistic == "won at showdown" else taken
        line = shell_line("Bea", statistic, words, query, taken=mark, store=store.name)
        study = study_occasions(store, "Bea", statistic, words, query, taken=mark)
        found = json_of(line, "--limit", "1000")
        assert (found["n"], found["count"], found["listed"]) == (study.n, study.count, study.listed)
        assert [one["number"] for one in found["occasions"]] == [one.played.number for one in study.occasions]
    line = shell_line("Bea", None, words, query, store=store.name)
    found = json_of(line, "--limit", "1000")
    assert [hand["number"] for hand in found["hands"]] == numbers(store, words, query=query)
    assert found["found"] == len(found["hands"])


def test_shell_lines_are_quoted():
    query = Query(room="Oak Hall", since=datetime(2009, 7, 1), kind=PlayKind("nolimit", "cash"))
    assert shell_line("Joe's", "W$SD", ["opponent:Al B", "pot>=50"], query, store="my hands.db") == (
        "soulread hands 'opponent:Al B' 'pot>=50' --player 'Joe'\"'\"'s' --stat 'w$sd' --room 'Oak Hall' "
        "--game nolimit --format cash --since 2009-07-01T00:00:00 --db 'my hands.db'"
    )
    assert shell_line("-x", "fold to 3-bet", ["-y"], taken=False) == (
        "soulread hands --player=-x --stat fold-to-3-bet --missed -- -y"
    )
    assert shell_line(None) == "soulread hands"
    assert shell_line("Bo", query=Query(player="Al", id="7")) == "soulread hands id:7 --player Bo"


def test_on_the_command_line(store):
    bea = ("--player", "Bea", "--room", "Elm", "--db", store.name)
    shown = run("hands", "--stat", "3bet", "--sort", "pot", "-n", "2", *bea)
    study = study_occasions(store, "Bea", "3-bet", (), Query(room="Elm"))
    assert shown.exit_code == 0
    for _, hands, value in study.kinds:
        assert f"{hands} hand" in shown.stdout
        assert headline(value) in " ".join(shown.stdout.split())
    assert f"2 of {study.n} occasions, the largest pots first" in shown.stdout
    missed = run("hands", "--stat", "3bet", "--missed", *bea)
    assert f"{study.n - int(study.count)} occasions that were missed" in missed.stdout
    listed = run("hands", "limped", "--sort", "-won", *bea)
    assert f"{len(numbers(store, ['limped']))} hands, the most lost first" in listed.stdout
    nothing = run("hands", "--stat", "3bet", "date:1999", *bea)
    assert (nothing.exit_code, "0 occasions" in nothing.stdout) == (0, True)
    for words, told in (
        (["--stat", "3bet", "--db", store.name], "is about one player; say with --player"),
        (["--taken", *bea], "are about the occasions of --stat"),
        (["--stat", "bb/100", "--taken", *bea], "none of its hands is taken or missed"),
        (["--stat", "5bet", *bea], "there is no statistic '5bet'"),
        (["--sort", "won", "--db", store.name], "sorting by won is about one player"),
        (["--csv", "-", "--json", *bea], "both print to standard output"),
        (["check", "--sort", "pot"], "is about a whole store"),
    ):
        refused = run("hands", *words)
        assert refused.exit_code == 2, refused.output
        assert told in refused.output, refused.output
        assert len(refused.output.strip().splitlines()) == 1


def test_sheets_and_files(store, tmp_path):
    bea = ("--player", "Bea", "--room", "Elm", "--db", store.name)
    printed = run("hands", "3bet-pot", "--sort", "pot", "--csv", "-", *bea)
    rows = list(csv.DictReader(io.StringIO(printed.stdout)))
    assert [int(row["number"]) for row in rows] == numbers(store, ["3bet-pot"], order=Order.POT)
    columns = "number id time room table game stakes players position cards board "
    columns += "pot_bb pot won_bb won currency preflop line"
    assert list(rows[0]) == columns.split()
    hand = dict(store.find())[int(rows[0]["number"])]
    seat = hand.seat_of("Bea")
    assert float(rows[0]["pot"]) == pot_of(hand) * float(hand.stakes.chip)
    assert float(rows[0]["won_bb"]) == hand.payoffs[seat] / hand.stakes.big_blind
    sheet = tmp_path / "o.csv"
    said = run("hands", "--stat", "vpip", "--csv", str(sheet), *bea)
    assert said.exit_code == 0, said.output
    study = study_occasions(store, "Bea", "vpip", (), Query(room="Elm"))
    lines = list(csv.DictReader(io.StringIO(sheet.read_text())))
    assert (len(lines), sum(line["taken"] == "True" for line in lines)) == (study.n, study.count)
    out = tmp_path / "o.jsonl"
    run("hands", "--stat", "3bet", "--taken", "-o", str(out), *bea)
    taken = study_occasions(store, "Bea", "3bet", (), Query(room="Elm"), taken=True)
    assert len(out.read_text().splitlines()) == len({one.played.number for one in taken.occasions})
    both = run("hands", "--csv", str(sheet), "-o", str(out), *bea)
    assert "give one of them" in both.output


def test_at_the_prompt(store):
    found = sr.find_hands(store, "3bet-pot", "opponent:Bo", player="Bea", room="Elm", sort="won")
    assert [one.number for one in found.hands] == numbers(store, ["3bet-pot", "opponent:Bo"], order=Order.WON)
    assert len(found.to_rows()) == found.count == found.shown
    assert repr(found) == f"<SearchStudy: {found.shown} hands of Bea>"
    everybody = sr.find_hands(store, "limped", limit=2)
    assert [one.hand.id for one in everybody.hands] == ["paper5", "paper6"]
    assert everybody.to_rows()[0]["position"] == ""
    listed = sr.occasions(store, "Bea", "3bet", "limped", room="Elm", taken=False, limit=1)
    assert repr(listed) == f"<OccasionStudy: 3-bet of Bea, {listed.n} occasions>"
    for call in (
        lambda: sr.find_hands(store, sort="size"),
        lambda: sr.occasions(store, "Bea", "3bet", limit=0),
    ):
        with pytest.raises(SoulreadError, match=r"expected one of pot, won, date|at least one"):
            call()
