"""One's own play: results and sessions hand by hand, leaks by their cost, and a report on opponents."""

import json
import math
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from test_statistics import hand_of
from test_store import some_hands

import soulread as sr
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL, FOLD
from soulread.hands.conditions import parse_conditions
from soulread.hands.facts import POSITIONS, facts_of
from soulread.hands.hand import Sight
from soulread.hands.played import all_in_round
from soulread.hands.store import Store
from soulread.report.drawings import line_chart
from soulread.study.hands.luck import all_in
from soulread.study.players import opponents as opponents_module
from soulread.study.players.aliases import choose_hero
from soulread.study.players.opponents import lay_table, opponent_of, study_opponents
from soulread.study.players.own_leaks import POT_KINDS, OwnLeak, _dearest, study_own_leaks
from soulread.study.players.played import LEAST_HANDS, Money, Takings
from soulread.study.players.report_pages import KEPT, report_files, write_report
from soulread.study.players.results import MOST_POINTS, ResultsBy, study_results
from soulread.study.players.results_page import results_page
from soulread.study.players.sessions import SessionOrder, cut_sessions, study_sessions
from soulread.study.profile.profile import study_profile

BEGIN = datetime(2024, 1, 31, 22, tzinfo=UTC)
MINUTES = (0, 1, 5, 34, 64, 64, 70, 1440, 1500)  # the pauses of 30 minutes and more end sessions


def quick_hands(count, seed):
    """Hands without all-ins before the flop, of whose boards there are too many for a test."""
    return [hand for hand in some_hands(count, seed) if all_in_round(hand) != 0]


@cache
def played_hands(count=30):
    """Hands of Ann in two rooms and three tables, with pauses, one of them without a time."""
    hands = []
    for i, hand in enumerate(one for one in quick_hands(4 * count, 4) if "Ann" in one.players):
        day, place = divmod(i, len(MINUTES))
        time = BEGIN + timedelta(days=7 * day, minutes=MINUTES[place])
        room = "GGPoker" if i % 5 == 0 else "PokerStars"
        stakes = replace(hand.stakes, currency="USD", chip="0.5" if i % 5 else "0.05")
        hands.append(
            replace(hand, time=time if i else None, id=f"h{i}", table=f"T{i % 3}", room=room, stakes=stakes)
        )
    return hands


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    where = tmp_path_factory.mktemp("player") / "s.db"
    with Store.open(where) as opened:
        opened.add(played_hands(), batch=23)
        opened.change_people(lambda people: people.joined([("Ann", "PokerStars"), ("Ann", "GGPoker")]))
    return where


def won_by(name, hand):
    return hand.payoffs[hand.players.index(name)] / hand.stakes.big_blind


# Results ------------------------------------------------------------------------------------------


def test_results_are_the_sums_of_the_hands(kept):
    hands = played_hands()
    with Store.open(kept, read_only=True) as opened:
        studies = {by: study_results(opened, "Ann", by=by) for by in (None, *ResultsBy)}
    study = studies[None]
    ordered = sorted(hands, key=lambda hand: (hand.time is not None, hand.time))
    amounts = np.array([won_by("Ann", hand) for hand in ordered])
    assert study.whole.hands == len(hands)
    assert study.whole.won == pytest.approx(amounts.sum())
    shown = [
        won_by("Ann", hand)
        for hand in hands
        if hand.showdown and (hand.players.index("Ann"), FOLD) not in hand.actions
    ]
    assert study.whole.showdown == pytest.approx(sum(shown))
    assert study.whole.no_showdown == pytest.approx(amounts.sum() - sum(shown))
    prices = [Decimal(hand.stakes.chip) * hand.payoffs[hand.players.index("Ann")] for hand in hands]
    assert study.whole.money == (Money("USD", sum(prices)),)
    assert study.line.hands.tolist() == list(range(len(hands) + 1))
    np.testing.assert_allclose(study.line.won, [0, *np.cumsum(amounts)])
    np.testing.assert_allclose(study.line.showdown[-1], sum(shown))
    for by in ResultsBy:
        whole, *groups = studies[by].groups
        assert sum(group.takings.hands for group in groups) == whole.takings.hands
        assert sum(group.takings.won for group in groups) == pytest.approx(whole.takings.won)
    rooms = Counter(hand.room for hand in hands)
    assert {g.name: g.takings.hands for g in studies[ResultsBy.ROOM].groups[1:]} == rooms
    months = Counter("no time" if hand.time is None else f"{hand.time:%Y-%m}" for hand in hands)
    assert {g.name: g.takings.hands for g in studies[ResultsBy.MONTH].groups[1:]} == months
    assert [g.name for g in studies[ResultsBy.STAKES].groups[1:]] == ["big blind $0.10", "big blind $1"]
    assert studies[ResultsBy.SESSION].groups[1].name == "2024-01-31 22:01"  # the first hand has no time


@pytest.mark.compiled
def test_the_band_and_the_line_without_luck(tmp_path):
    """Aces against kings, all-in before the flop: the mean over all boards replaces what was won."""
    game = nolimit_holdem(2, stacks=(200, 200))
    won, lost = ("KcKdAcAd2h3s7d8hJc", "AcAdKcKd2h3s7d8hKh")
    hands = [hand_of(game, ["Ann", "Bob"], "r200c///", won if i % 4 else lost, id=f"a{i}") for i in range(12)]
    hands += [hand_of(game, ["Ann", "Bob"], "f", id=f"f{i}") for i in range(300)]
    with Store.open(tmp_path / "s.db") as opened:
        opened.add(hands)
        study = study_results(opened, "Ann")
        expected = np.array([all_in(hand, 0) if hand.showdown else hand.payoffs[0] for hand in hands]) / 2
        assert study.luck.complete
        assert study.luck.all_ins == 12
        assert study.whole.adjusted == pytest.approx(expected.sum())
        assert study.luck.big_blinds == pytest.approx(study.whole.won - expected.sum())
        assert study.line.adjusted is not None
        np.testing.assert_allclose(study.line.adjusted, [0, *np.cumsum(expected)])
        half = 1.959964 * expected.std(ddof=1) * np.sqrt(np.arange(313))
        np.testing.assert_allclose(study.line.half_band, half, rtol=1e-6)
        assert study.spread == pytest.approx(expected.std(ddof=1))
        labels = [curve.label for curve in study.panels[0].curves]
        assert labels == ["won", "all-in luck taken out, 95% band", "at showdown", "without showdown"]
        assert [bool(curve.low) for curve in study.panels[0].curves] == [False, True, False, False]
        hidden = [
            replace(hand, hole=(hand.hole[0], None), sights=(Sight.SHOWN, Sight.MUCKED), id=f"m{i}")
            for i, hand in enumerate(hands[:3])
        ]
        opened.add(hidden)
        study = study_results(opened, "Ann")
    assert not study.luck.complete
    assert study.whole.adjusted is None
    assert study.panels[0].curves[0].label == "won, 95% band"
    assert bool(study.panels[0].curves[0].low)
    assert "the line of what was won" in study.band_text
    page = results_page(study)
    assert page.count("<svg") == 1
    assert "Luck is not taken out" in page


def test_the_band_holds_the_true_result_in_95_of_100_cases():
    """Of 400 players of 500 hands whose mean is known, about 380 have it in the band; 5 sigma are 22."""
    rng = np.random.default_rng(3)
    samples = rng.normal(0.05, 8.0, (400, 500))
    sums, half = samples.sum(axis=1), 1.959964 * samples.std(axis=1, ddof=1) * math.sqrt(500)
    assert 358 <= int((abs(sums - 25.0) <= half).sum()) <= 400


def test_long_lines_are_thinned_and_keep_their_ends(kept, monkeypatch):
    monkeypatch.setattr("soulread.study.players.results.MOST_POINTS", 10)
    with Store.open(kept, read_only=True) as opened:
        study = study_results(opened, "Ann")
    assert MOST_POINTS > 100
    assert study.line.hands.size == 11
    assert (study.line.hands[0], study.line.hands[-1]) == (0, study.whole.hands)
    assert study.line.won[-1] == pytest.approx(study.whole.won)
    chart = str(line_chart(study.panels[0]).__html__())
    assert chart.count("<polyline") == len(study.panels[0].curves)


def test_few_hands_have_no_interval():
    def takings(hands, error):
        return Takings(hands, 0.0, None, 0.0, (), Estimate(0.0, error, hands))

    assert takings(LEAST_HANDS - 1, 1.0).too_few
    assert not takings(LEAST_HANDS, 1.0).too_few
    assert takings(LEAST_HANDS, 100.0).too_few
    assert str(Money("EUR", Decimal("-12.5"))) == "-€12.50"


# Sessions -----------------------------------------------------------------------------------------


def naive_sessions(times, pause):
    """Hands one after another: a long pause begins a new session."""
    sessions: list[list[int]] = []
    for place, time in enumerate(times):
        if not place or time - times[place - 1] >= 60 * pause:
            sessions.append([])
        sessions[-1].append(place)
    return sessions


@pytest.mark.parametrize("pause", [1.0, 30.0, 31.0])
def test_sessions_are_cut_at_pauses(pause):
    rng = np.random.default_rng(1)
    times = np.sort(rng.integers(0, 40_000, 60))
    found = cut_sessions(times, pause)
    assert [part.tolist() for part in found] == naive_sessions(times.tolist(), pause)
    assert cut_sessions(times[:0], pause) == []
    exact = cut_sessions(np.array([0, 1799, 3599]), 30.0)
    assert [part.tolist() for part in exact] == [[0, 1], [2]]


def test_sessions_count_tables_at_once_only_once(kept):
    hands = [hand for hand in played_hands() if hand.time is not None]
    with Store.open(kept, read_only=True) as opened:
        study = study_sessions(opened, "Ann")
        times = sorted(hand.time.timestamp() for hand in hands)
        assert study.count == len(naive_sessions(times, 30))
        assert study.untimed == 1
        assert sum(one.takings.hands for one in study.sessions) == len(hands)
        for one in study.sessions:
            own = [hand for hand in hands if one.begin <= hand.time <= one.end]
            assert one.takings.hands == len(own)
            assert one.tables == len({(hand.room, hand.table) for hand in own})
            assert one.takings.won == pytest.approx(sum(won_by("Ann", hand) for hand in own))
            assert one.hours == (one.end - one.begin) / timedelta(hours=1)
            assert one.hands_per_hour is None or one.hands_per_hour == pytest.approx(len(own) / one.hours)
        assert [one.begin for one in study.sessions] == sorted(
            (o.begin for o in study.sessions), reverse=True
        )
        won = study_sessions(opened, "Ann", order=SessionOrder.WON, ascending=True, top=3)
        assert [o.takings.won for o in won.sessions] == sorted(o.takings.won for o in study.sessions)[:3]
        assert study_sessions(opened, "Ann", pause=1e5).count == 1
        with pytest.raises(SoulreadError, match="a pause of 0 minutes"):
            study_sessions(opened, "Ann", pause=0)


# Leaks --------------------------------------------------------------------------------------------


def leak_of(cost):
    deviation = SimpleNamespace(cost=cost)
    finding: Any = SimpleNamespace(deviation=deviation)
    return OwnLeak(finding, "")


def test_leaks_that_surely_cost_come_first_the_dearest_before_all():
    sure, dear = leak_of(Estimate(-1.0, 0.1, 99)), leak_of(Estimate(-3.0, 0.1, 99))
    unclear, good = leak_of(Estimate(-9.0, 9.0, 99)), leak_of(Estimate(2.0, 0.1, 99))
    unknown = leak_of(None)
    assert sorted([unknown, unclear, sure, dear], key=_dearest) == [dear, sure, unclear, unknown]
    assert good.pays
    assert not any(leak.pays for leak in (sure, dear, unclear, unknown))


@cache
def crowd(count=300):
    """Hands of thirty players, of whom Ann is in all."""
    hands = []
    for i, hand in enumerate(quick_hands(count, 6)):
        seats = range(hand.num_players)
        names = tuple("Ann" if j == i % hand.num_players else f"p{(7 * i + 3 * j) % 29}" for j in seats)
        others = tuple("Ann" if j == i % hand.num_players else f"q{j}" for j in seats)
        hands.append(replace(hand, players=names if len(set(names)) == len(names) else others))
    return hands


@pytest.fixture(scope="module")
def crowded(tmp_path_factory):
    where = tmp_path_factory.mktemp("crowd") / "s.db"
    with Store.open(where) as opened:
        opened.add(crowd())
    return where


def test_places_are_beside_the_same_places_of_regulars(crowded):
    with Store.open(crowded, read_only=True) as opened:
        study = study_own_leaks(opened, "Ann", least=1)
        own: dict[str, list[float]] = {}
        others: dict[str, list[float]] = {}
        for hand in crowd():
            for seat, row in enumerate(facts_of([hand]).seats):
                for name in (POSITIONS[row["position"]], POT_KINDS[row["pot_kind"]]):
                    group = own if hand.players[seat] == "Ann" else others
                    group.setdefault(name, []).append(hand.payoffs[seat] / hand.stakes.big_blind)
        assert {place.name for place in study.places} == set(own) - {"walk"}
        for place in study.places:
            assert place.hands == len(own[place.name])
            assert place.won.mean == pytest.approx(100 * np.mean(own[place.name]))
            assert place.others == pytest.approx(100 * np.mean(others[place.name]))
            (word,) = place.query.words
            assert place.query.command.startswith(f"soulread hands {word} --player Ann")
            searched = parse_conditions([word], "Ann").search(opened, place.query.query)
            assert searched.count == place.query.n == place.hands
        assert study.regulars > 20
        few = study_own_leaks(opened, "Ann", least=1000)
    assert not few.comparable
    assert {place.others for place in few.places} == {None}
    assert not any(place.losing for place in few.places)


# Opponents ----------------------------------------------------------------------------------------


def voluntary(hand, name):
    seat = hand.players.index(name)
    return any(
        who == seat and (act > CALL or (act == CALL and _to_call(hand, i)))
        for i, (who, act) in enumerate(hand.actions)
    )


def _to_call(hand, place):
    """Whether an action of a hand is a call and no check."""
    row = facts_of([hand])
    seat = hand.actions[place][0]
    before = sum(1 for who, _ in hand.actions[:place] if who == seat)
    first = int(row.seats["decisions"][:seat].sum())
    return bool(row.decisions["facing"][first + before])


def test_opponents_are_those_met_often_with_what_was_played_between(crowded):
    hands = crowd()
    met = Counter(name for hand in hands for name in hand.players if name != "Ann")
    with Store.open(crowded, read_only=True) as opened:
        table = lay_table(opened, "Ann", least=25, regular_hands=1000)
        study = study_opponents(table)
        assert {one.name: one.met for one in study.opponents} == {n: c for n, c in met.items() if c >= 25}
        often = [one.met or 0 for one in study.opponents]
        assert often == sorted(often, reverse=True)
        for one in study.opponents[:3]:
            both = [
                h for h in hands if one.name in h.players and voluntary(h, one.name) and voluntary(h, "Ann")
            ]
            assert one.between == len(both)
            assert one.won == pytest.approx(sum(won_by("Ann", hand) for hand in both))
            assert opponent_of(json.loads(json.dumps(one.record))) == one
        everybody = study_opponents(lay_table(opened, None, least=30, regular_hands=1000))
        assert "Ann" in {one.name for one in everybody.opponents}
        assert {one.met for one in everybody.opponents} == {None}
        with pytest.raises(SoulreadError, match="opponents of 0 hands"):
            lay_table(opened, None, least=0)


def test_a_report_goes_on_where_it_was_broken_off(crowded, tmp_path, monkeypatch):
    profiles = []
    real = study_profile

    def profile(store, player, *given, **options):
        profiles.append(player)
        if len(profiles) == 3:
            raise KeyboardInterrupt
        return real(store, player, *given, **{**options, "modelled": False})

    monkeypatch.setattr(opponents_module, "study_profile", profile)
    files = report_files(tmp_path / "out.html")
    assert files.folder == tmp_path / "out_players"
    assert files.link(7) == "out_players/player-7.html"
    with Store.open(crowded, read_only=True) as opened:
        table = lay_table(opened, "Ann", least=31, regular_hands=1000)
        assert len(table.opponents) > 4
        with pytest.raises(KeyboardInterrupt):
            write_report(table, files)
        assert len(list(files.folder.glob("player-*.html"))) == 2
        assert not files.index.exists()
        told = []
        study = write_report(table, files, told=lambda count, one: told.append((count, one.name)))
        assert profiles.count(profiles[0]) == profiles.count(profiles[1]) == 1  # taken over
        assert [count for count, _ in told] == list(range(1, len(table.opponents) + 1))
        index = files.index.read_text()
        assert all(files.page(one.number).exists() for one in study.opponents)
        assert all(f'href="{files.link(one.number)}"' in index for one in study.opponents)
        made = len(profiles)
        files.page(table.opponents[0]).unlink()
        write_report(table, files)
        assert len(profiles) == made + 1
        other = lay_table(opened, "Ann", least=31, regular_hands=1001)  # another question makes all anew
        write_report(other, files)
        assert len(profiles) == made + 1 + len(other.opponents)
        for text in ("", "{}", '{"made_of": 3}'):
            (files.folder / KEPT).write_text(text)
            write_report(other, files)
    (tmp_path / "file").write_text("x")
    with pytest.raises(SoulreadError, match="is a file"):
        report_files(tmp_path / "file")


# Commands -----------------------------------------------------------------------------------------


def run(*words):
    return CliRunner().invoke(cli, [str(word) for word in words])


def test_commands_of_a_player(kept, crowded, tmp_path):
    assert run("player", "hero", "Ann@PokerStars", "--db", kept).exit_code == 0
    for words in (
        ("results", "--by", "month"),
        ("results", "--by", "session", "-o", tmp_path / "r.html"),
        ("results", "Ann", "-o", tmp_path / "r.svg"),
        ("sessions", "--sort", "-won", "-n", "3", "--csv", tmp_path / "s.csv"),
        ("leaks", "me", "--regulars", "3"),
        ("report", "--min-hands", "30", "--csv", tmp_path / "o.csv"),
    ):
        result = run("player", *words, "--db", kept)
        assert result.exit_code == 0, result.output
        record = json.loads(run("player", *words, "--db", kept, "--json").stdout)
        assert record["player"] == "Ann", words
    assert (tmp_path / "s.csv").read_text().startswith("begin,end,hours,tables,")
    assert len((tmp_path / "s.csv").read_text().splitlines()) == 4
    assert "polyline" in (tmp_path / "r.html").read_text()
    assert (tmp_path / "r.svg").read_text().lstrip().startswith("<?xml")
    assert run("stats", "me", "--db", kept).output.startswith("Ann")
    assert run("hands", "--player", "hero", "--db", kept, "-n", "2").exit_code == 0
    nobody = json.loads(run("player", "report", "--min-hands", "150", "--db", crowded, "--json").stdout)
    assert nobody["player"] is None
    assert [one["player"] for one in nobody["opponents"]] == ["Ann"]
    for wrong, message in (
        (("results", "-o", "graph.doc"), "is no name for a figure"),
        (("sessions", "-n", "0"), "--limit 0"),
        (("sessions", "--pause", "-1"), "a pause of -1 minutes"),
        (("results", "Nobody"), "'Nobody' is not in"),
        (("report", "--min-hands", "0"), "opponents of 0 hands"),
    ):
        result = run("player", *wrong, "--db", kept)
        assert result.exit_code == 2, result.output
        assert message in result.output
        assert result.output.count("\n") == 1
    assert "is the hero" in run("player", "results", "--db", crowded).output


def test_the_same_from_python(crowded, tmp_path):
    kept = tmp_path / "s.db"
    with Store.open(kept) as store:
        store.add(played_hands())
        store.change_people(lambda people: people.joined([("Ann", "PokerStars"), ("Ann", "GGPoker")]))
        choose_hero(store, "Ann", "PokerStars")
    assert sr.hero(kept).heroes[0].name == "Ann"
    assert sr.results(kept, "Ann", by="room").to_rows()[0]["group"] == "all hands"
    assert len(sr.sessions(kept, "Ann").to_rows()) > 3
    assert sr.stats(kept, "me").player == "Ann"
    assert repr(sr.results(kept, "Ann")).startswith("<ResultsStudy: Ann, ")
    assert not sr.hero(crowded).heroes
