"""Profiles: spreads of a pool, sure deviations, results without luck, shown ranges, the crowd, commands."""

import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from scipy.stats import binom

from soulread.cards.deck import parse_cards
from soulread.cards.equity import equity
from soulread.cards.evaluate import evaluate
from soulread.cards.ranges import HAND_CELLS, class_name, hand_index
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, exact_interval
from soulread.games.named import parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import replay
from soulread.games.ring_limit import ring_limit
from soulread.hands.claims import ClaimSource
from soulread.hands.facts import POSITIONS, Facts, facts_of
from soulread.hands.hand import Cards, Sight
from soulread.hands.played import all_in_round, all_known
from soulread.hands.record import seen_by
from soulread.hands.statistics import STATISTICS, Tally
from soulread.hands.store import Store
from soulread.names import poker_source
from soulread.play.catalogue.known import parse_agent
from soulread.reproduce.kit.simulated_pool import HABITS, SEATS, SimulatedPool
from soulread.reproduce.ours.planted_habits import NAMES, PLANTABLE, Trial, is_true
from soulread.reproduce.ours.profile_leaks import false_share, found_share
from soulread.study.hands.luck import all_in, pot_shares
from soulread.study.profile.advice import Meaning
from soulread.study.profile.counter import study_counter
from soulread.study.profile.deviations import (
    LEAST_CHANCES,
    LEVEL,
    result_slope,
    sure_deviations,
    sure_scopes,
    weighted_slope,
)
from soulread.study.profile.pool import find_styles, study_pool
from soulread.study.profile.population import (
    NUM_STRATA,
    REACH,
    SCOPES,
    TESTED,
    Population,
    Scope,
    fit_spread,
    standing,
    strata,
)
from soulread.study.profile.profile import MOST_DEVIATIONS, _use, describe_style, remarks, study_profile
from soulread.study.profile.profile_tables import share_text
from soulread.study.profile.profile_terminal import most_often
from soulread.study.profile.ranges_by_line import LINES, LineRange, Unseen, ranges_of
from soulread.study.strategies.leaks import watch
from soulread.tasks import Task, TaskResult

EVIL = "<script>alert(1)</script>"


def scope_of(name, position=None):
    """A scope by the name of its statistic."""
    return Scope(NAMES.index(name), position)


def crowd_of(players=24, seed=0, spread=0.4):
    """A crowd whose habits vary."""
    rng = np.random.default_rng(seed)
    return SimulatedPool(spread * rng.standard_normal((players, len(HABITS)))), rng


@pytest.fixture(scope="module")
def played():
    """A crowd of 24 after 30,000 hands; player 0 folds to steals far more often than anybody."""
    crowd, rng = crowd_of()
    crowd.habits[0, HABITS.index("fold to steal")] = 2.5
    return crowd.play(30_000, rng)


@pytest.fixture(scope="module")
def population(played):
    return Population(lambda: iter([played]))


def records(crowd, hands, rng, names=None):
    """The same hands as records, played again by the rules of the game, and their facts."""
    seating, acts, counts, won, _ = crowd.hands(hands, rng)
    game, made, first = ring_limit(SEATS), [], 0
    for h in range(hands):
        mine = acts[first : first + counts[h]]
        first += counts[h]
        rounds = ("".join("fcr"[action] for _, action, r in mine if r == number) for number in range(4))
        betting = "/".join(rounds).rstrip("/")
        board = [None] * (0, 3, 4, 5)[betting.count("/")]
        state = replay(game, betting, [None] * (2 * SEATS) + board)
        label = names or [f"p{player}" for player in range(len(crowd.habits))]
        made.append(seen_by(state, None, [label[player] for player in seating[h]], id=str(h)))
    return made, won


# The crowd ----------------------------------------------------------------------------------------


def test_a_crowd_plays_by_the_rules() -> None:
    crowd, _ = crowd_of(8)
    hands, won = records(crowd, 150, np.random.default_rng(5))
    _, facts = crowd.play(150, np.random.default_rng(5))
    by_rules = facts_of(hands)
    for column in facts.decisions.dtype.names:
        np.testing.assert_array_equal(facts.decisions[column], by_rules.decisions[column], err_msg=column)
    for column in ("position", "last_round", "decisions", "players", "showdown"):
        np.testing.assert_array_equal(facts.seats[column], by_rules.seats[column], err_msg=column)
    assert (won.sum(axis=1) == 0).all()
    folded_out = ~facts.seats["showdown"].reshape(-1, SEATS).any(axis=1)
    np.testing.assert_array_equal(  # with one seat left nothing depends on cards
        won[folded_out], by_rules.seats["won"].reshape(-1, SEATS)[folded_out]
    )


@pytest.mark.compiled
@pytest.mark.parametrize("habit", PLANTABLE)
def test_a_habit_moves_its_statistic(habit) -> None:
    rates = []
    for amount in (-30.0, 30.0):
        crowd, rng = crowd_of(7)
        crowd.habits[0, HABITS.index(habit)] = amount
        owners, facts = crowd.play(400, rng)
        tally = Tally.empty(7)
        tally.add(facts, owners)
        i = next(i for i, statistic in enumerate(STATISTICS) if statistic.name == habit)
        rates.append(tally.actions[0, i] / max(tally.chances[0, i], 1))
    assert rates[0] < 0.02
    assert rates[1] > rates[0] + 0.2  # a raise may come before a fold, so not always 1


# The spread of a pool -----------------------------------------------------------------------------


@pytest.mark.compiled
def test_counts_are_those_of_the_statistics(played, population) -> None:
    owners, facts = played
    tally = Tally.empty(24)
    tally.add(facts, owners)
    counted = population.counted
    for i, statistic in enumerate(TESTED):
        k = STATISTICS.index(statistic)
        np.testing.assert_array_equal(counted.chances[:, i].sum(axis=1), tally.chances[:24, k])
        np.testing.assert_array_equal(counted.actions[:, i].sum(axis=1), tally.actions[:24, k])
    np.testing.assert_array_equal(counted.hands, np.bincount(owners))
    np.testing.assert_allclose(counted.profit, np.bincount(owners, facts.seats["won"] / 2))
    np.testing.assert_array_equal(counted.stretch_chances.sum(axis=0), counted.chances.sum(axis=0))
    own = counted.owner == 3
    np.testing.assert_array_equal(counted.stretch_actions[own].sum(axis=0), counted.actions[3])
    assert counted.parity[own].tolist()[:3] == [0, 1, 0]
    # VPIP has one chance in a hand: what was won there is won in hands with a decision before the flop.
    had = facts.seats["decisions"] > 0
    spots = counted.stretch_spots[:, 0].sum()
    assert spots == had.sum()
    np.testing.assert_allclose(counted.stretch_won[:, 0].sum(), facts.seats["won"][had].sum() / 2)


def test_strata_are_positions_and_sizes_of_tables() -> None:
    crowd, rng = crowd_of(8)
    _, facts = crowd.play(2, rng)
    np.testing.assert_array_equal(strata(facts.seats) % len(POSITIONS), facts.seats["position"])
    sizes = []
    for players in (2, 3, 6, 7, 9):
        seats = facts.seats[:1].copy()
        seats["players"], seats["position"] = players, 0
        sizes.append(int(strata(seats)[0]) // len(POSITIONS))
    assert sizes == [0, 1, 1, 2, 2]
    assert all(0 <= s < NUM_STRATA for scope in SCOPES for s in scope.strata)


def synthetic(rates, chances, stretches=8, seed=0, drift=0.0, statistic=0):
    """A population in which each player acts with a rate; with ``drift`` stretches differ in logits."""
    from soulread.study.profile.population import Counted

    rng = np.random.default_rng(seed)
    players = len(rates)
    logits = np.log(rates / (1 - rates))[:, None] + drift * rng.standard_normal((players, stretches))
    did = rng.binomial(chances, 1 / (1 + np.exp(-logits)))
    shape = players * stretches, len(TESTED), NUM_STRATA
    tables = [np.zeros(shape) for _ in range(5)]
    tables[0][:, statistic, 8], tables[1][:, statistic, 8] = chances, did.ravel()
    tables[2][:, statistic, 8] = chances
    owner = np.repeat(np.arange(players), stretches)
    by_player = [t.reshape(players, stretches, *shape[1:]).sum(axis=1) for t in tables[:3]]
    return Counted(
        numbers=np.arange(players),
        hands=np.full(players, chances * stretches),
        chances=by_player[0],
        actions=by_player[1],
        spots=by_player[2],
        owner=owner,
        stretch_chances=tables[0],
        stretch_actions=tables[1],
        stretch_spots=tables[2],
        stretch_won=tables[3],
        stretch_squares=tables[4],
        parity=np.tile(np.arange(stretches) % 2, players),
        profit=np.zeros(players),
        profit_squares=np.zeros(players),
    )


def test_a_spread_is_that_of_the_players_not_of_chance() -> None:
    rng = np.random.default_rng(1)
    true = -0.5 + 0.3 * rng.standard_normal(300)
    counted = synthetic(1 / (1 + np.exp(-true)), 12)
    spread = fit_spread(Scope(0), counted, np.arange(300))
    assert spread.deviation == pytest.approx(0.3, abs=0.05)  # the counts alone spread by 0.37
    assert float(spread.rate(spread.mean, counted.chances[0, 0])) == pytest.approx(0.378, abs=0.015)
    assert spread.dispersion == pytest.approx(1.0, abs=0.1)
    assert 100 < spread.players < 250  # 96 chances tell about two thirds of each player
    # A statistic in which everybody is alike has hardly any spread.
    alike = fit_spread(Scope(0), synthetic(np.full(300, 0.4), 12), np.arange(300))
    assert alike.deviation < 0.12


def test_hands_of_one_evening_that_resemble_each_other_count_for_less() -> None:
    # Logits that change by 0.6 between stretches of 50: 1 + 49 p (1 - p) 0.36 times the binomial variance.
    counted = synthetic(np.full(200, 0.4), 50, drift=0.6)
    spread = fit_spread(Scope(0), counted, np.arange(200))
    assert spread.dispersion == pytest.approx(1 + 49 * 0.24 * 0.36, rel=0.2)
    wide = standing(Scope(0), counted.chances[0, 0], 160.0, spread)
    narrow = standing(Scope(0), counted.chances[0, 0], 160.0, replace(spread, dispersion=1.0))
    assert wide.interval[1] - wide.interval[0] > 1.8 * (narrow.interval[1] - narrow.interval[0])
    assert wide.tail > narrow.tail or wide.tail == 1.0


@pytest.mark.compiled
def test_shift_and_rate_are_opposites(population) -> None:
    spread = population.spreads(population.regulars, [scope_of("steal")])[scope_of("steal")]
    chances = population.counted.chances[5, NAMES.index("steal")]
    for rate in (0.05, 0.3, 0.9):
        assert spread.rate(spread.shift(rate, chances), chances) == pytest.approx(rate, abs=1e-9)
    assert spread.percentile(spread.mean) == pytest.approx(50)
    assert [spread.percentile(end) for end in spread.zone] == pytest.approx([25, 75])
    middle = [spread.rate(spread.mean + spread.deviation * z, chances) for z in (-REACH, 0.0, REACH)]
    assert spread.quantiles(chances)[1:4] == pytest.approx(middle)
    # The most likely shift of a player lies between the middle and what the counts alone say.
    own = spread.believed(chances[None], np.array([0.9 * chances.sum()]))[0]
    assert spread.mean < own < spread.shift(0.9, chances)


def test_the_tail_is_the_binomial_tail_at_the_end_of_the_zone() -> None:
    counted = synthetic(np.random.default_rng(3).uniform(0.25, 0.45, 100), 20)
    spread = replace(fit_spread(Scope(0), counted, np.arange(100)), dispersion=1.0)
    chances = np.zeros(NUM_STRATA)
    chances[8] = 200
    low, high = (float(spread.rate(end, chances)) for end in spread.zone)
    above = standing(Scope(0), chances, 110.0, spread)
    mirrored = 200 * (low + high) - 110
    expected = binom.sf(109, 200, high) + binom.cdf(math.floor(mirrored), 200, high)
    assert above.tail == pytest.approx(expected, rel=1e-3)
    assert above.outside == 1
    below = standing(Scope(0), chances, 20.0, spread)
    assert below.tail == pytest.approx(binom.cdf(20, 200, low), rel=1e-3)
    assert below.outside == -1
    inside = standing(Scope(0), chances, 70.0, spread)
    assert inside.outside == 0
    assert inside.tail > 0.5
    assert inside.zone[0] < inside.middle < inside.zone[1]
    none = standing(Scope(0), np.zeros(NUM_STRATA), 0.0, spread)
    assert none.rate is None
    assert none.too_few


# Sure deviations ----------------------------------------------------------------------------------


@pytest.mark.compiled
def test_a_planted_deviation_is_found_and_described(population) -> None:
    pool = population.others(0)
    assert 0 not in pool
    spreads = population.spreads(pool)
    found, tested = sure_deviations(population, 0, pool, spreads)
    names = [(deviation.name, deviation.direction) for deviation in found]
    assert ("fold to steal", 1) in names
    assert tested > 40
    first = next(one for one in found if one.name == "fold to steal")
    assert {other.scope.position for other in first.also} <= {0, 1}
    assert first.distance > 3
    assert first.standing.tail <= LEVEL
    assert plain_data(first)["cost_bb_per_100"] is not None
    whole = {one.standing.scope.statistic for one in found if one.standing.scope.position is None}
    for one in found:  # a position is not told twice
        assert one.standing.scope.position is None or one.standing.scope.statistic not in whole


@pytest.mark.compiled
def test_nobody_is_called_sure_among_equals() -> None:
    crowd, rng = crowd_of(24, spread=0.0)
    owners, facts = crowd.play(12_000, rng)
    population = Population(lambda: iter([(owners, facts)]))
    claims = 0
    for row in range(3):
        claims += len(sure_scopes(population, row, population.spreads(population.others(row)))[0])
    assert claims <= 1


def test_what_is_sure_takes_all_tests_together() -> None:
    """Of 50 tests one with p = 0.002 is nothing unusual; beside nine that are sure it is, if p is 0.0015."""

    def sure(tails: list[float], chances: int = LEAST_CHANCES) -> set[Any]:
        found = {
            number: SimpleNamespace(scope=number, spread=object(), n=chances, tail=tail, outside=1)
            for number, tail in enumerate(tails)
        }
        population: Any = SimpleNamespace(standings=lambda row, spreads: found)
        return set(sure_scopes(population, 0, {}, level=0.01)[0])

    rest = [0.5] * 40
    assert sure([0.002, *[0.5] * 9, *rest]) == set()
    assert sure([0.00019, *[0.5] * 9, *rest]) == {0}  # 0.01 / 50
    assert sure([0.0015, *[1e-6] * 9, *rest]) == set(range(10))  # 0.01 * 10 / 50 = 0.002
    assert sure([0.0021, *[1e-6] * 9, *rest]) == set(range(1, 10))
    assert sure([1e-6] * 50, LEAST_CHANCES - 1) == set()  # too few chances are no test


def test_the_slope_of_results() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal(400)
    noise = rng.uniform(0.5, 4.0, 400)
    y = 0.7 * x + np.sqrt(noise) * rng.standard_normal(400)
    slope = weighted_slope(x, y, noise, np.arange(400))
    assert slope is not None
    low, high = slope.interval
    assert low < 0.7 < high
    assert 0.03 < slope.standard_error < 0.12
    twice = weighted_slope(np.tile(x, 2), np.tile(y, 2), np.tile(noise, 2), np.tile(np.arange(400), 2))
    assert twice is not None
    assert twice.standard_error == pytest.approx(
        slope.standard_error, rel=0.05
    )  # no new players, no new news
    assert weighted_slope(np.ones(30), y[:30], noise[:30], np.arange(30)) is None


def test_good_cards_do_not_make_a_habit_look_good() -> None:
    # Everybody has the same rate; whoever happened to act more in a stretch also won more in it.
    counted = synthetic(np.full(200, 0.4), 30)
    luck = counted.stretch_actions[:, 0, 8] - 12
    counted.stretch_won[:, 0, 8] = 5 * luck
    counted.stretch_squares[:, 0, 8] = 30 * 25.0
    spread = replace(fit_spread(Scope(0), counted, np.arange(200)), deviation=0.3)
    slope = result_slope(counted, np.arange(200), spread)
    assert slope is not None
    assert abs(slope.mean) < 3 * slope.standard_error  # 12 of them, were it the same half of the hands
    # Where a habit really pays, the slope says so: a logit more wins 2 big blinds in each hand with a chance.
    true = 0.5 * np.random.default_rng(1).standard_normal(200)
    counted = synthetic(1 / (1 + np.exp(-true)), 100)
    counted.stretch_won[:, 0, 8] = np.repeat(100 * 2 * true, 8)
    counted.stretch_squares[:, 0, 8] = 100.0
    slope = result_slope(counted, np.arange(200), fit_spread(Scope(0), counted, np.arange(200)))
    assert slope is not None
    assert slope.mean == pytest.approx(2.0, abs=0.15)
    assert result_slope(counted, np.arange(5), fit_spread(Scope(0), counted, np.arange(5))) is None


# Luck ---------------------------------------------------------------------------------------------


def shares_by_hand(holes, board):
    """Average shares by going through every board, one by one."""
    left = [c for c in range(52) if c not in {card for hole in holes for card in hole} | set(board)]
    won, count = [0.0] * len(holes), 0
    for rest in itertools.combinations(left, 5 - len(board)):
        values = [evaluate([*hole, *board, *rest]) for hole in holes]
        best = max(values)
        for i, value in enumerate(values):
            won[i] += (value == best) / values.count(best)
        count += 1
    return [share / count for share in won]


def test_shares_of_a_pot() -> None:
    holes = [parse_cards(text) for text in ("AhAd", "KhQh", "9c8c")]
    for text in ("2h7hTc4s", "2h7hTc4s9d"):
        cards = parse_cards(text)
        found = pot_shares(dict(enumerate(holes)), cards)
        assert list(found.values()) == pytest.approx(shares_by_hand(holes, cards))
    two = pot_shares({0: holes[0], 1: holes[1]}, parse_cards("2h7hTc"))
    assert two[0] + two[1] == pytest.approx(1)
    # A card that is dead cannot come: of 44 rivers 8 are hearts, of which one is gone.
    board = parse_cards("2h7hTc4s")
    dead = pot_shares({0: holes[0], 1: holes[1]}, board, [parse_cards("3h")[0]])
    assert dead[1] == pytest.approx(7 / 43)


@pytest.mark.compiled
def test_shares_before_the_flop_are_equities() -> None:
    found = pot_shares({3: parse_cards("AhAd"), 5: parse_cards("KcKs")}, ())
    assert found[3] == equity(parse_cards("AhAd"), parse_cards("KcKs")).value
    assert found[3] + found[5] == pytest.approx(1)


CARDS = "AhAd KhQh 9c8c 2h7hTc4s9d"


def test_all_in_results_without_luck() -> None:
    """Three stacks of 40, 100 and 78, all-in on the turn: 120 for all three, 76 for the two with more."""
    game = nolimit_holdem(3, stacks=(40, 100, 78))
    hand = seen_by(replay(game, "ccc/ccc/r40r78c/", CARDS), None, ["Al", "Bo", "Cy"])
    assert all_in_round(hand) == 2
    assert all_known(hand)
    holes, board = [parse_cards(text) for text in ("AhAd", "KhQh", "9c8c")], parse_cards("2h7hTc4s")
    main = shares_by_hand(holes, board)
    left = [c for c in range(52) if c not in {card for hole in holes for card in hole} | set(board)]
    ahead = [evaluate([*holes[1], *board, c]) > evaluate([*holes[2], *board, c]) for c in left]
    level = [evaluate([*holes[1], *board, c]) == evaluate([*holes[2], *board, c]) for c in left]
    side = (sum(ahead) + sum(level) / 2) / len(left)
    expected = [120 * main[0] - 40, 120 * main[1] + 76 * side - 78, 120 * main[2] + 76 * (1 - side) - 78]
    assert [all_in(hand, seat) for seat in range(3)] == pytest.approx(expected)
    raked = replace(hand, payoffs=tuple(won - 9 * (won > 0) for won in hand.payoffs), rake=9)
    assert sum(all_in(raked, seat) or 0.0 for seat in range(3)) == pytest.approx(-9)
    hidden = replace(hand, hole=(hand.hole[0], None, hand.hole[2]))
    assert not all_known(hidden)
    assert all_in(hidden, 0) is None


def test_what_is_no_all_in_keeps_its_result() -> None:
    game = nolimit_holdem(2, stacks=(50, 80))
    river = seen_by(replay(game, "cc/cc/cc/r50c", "AhAd KhQh 2h7hTc4s9d"), None, ["Al", "Bo"])
    assert all_in_round(river) is None
    assert all_in(river, 0) is None
    folded = seen_by(replay(game, "r50f", "AhAd KhQh"), None, ["Al", "Bo"])
    assert all_in_round(folded) is None


# Ranges -------------------------------------------------------------------------------------------


def test_shown_hands_by_line_of_play() -> None:
    names = ["Sal", "Bea", "Bo"]
    bets = [
        ("r6fc/cc/cc/cc", CARDS, "raised first in, CO or BTN", "Bo", "98s"),
        ("fcc/cc/cc/cc", CARDS, "limped", "Sal", "AA"),
        ("fr6c/cr12c/cc/cc", CARDS, "called a raise before the flop", "Bea", "KQs"),
        ("r6fr20c/r40c/r60c/r80c", CARDS, "bet or raised flop, turn and river", "Bea", "KQs"),
        ("r6fc/cr12r24c/cc/cc", CARDS, "check-raised", "Bea", "KQs"),
    ]
    for betting, cards, line, player, cell in bets:
        hand = seen_by(replay(nolimit_holdem(3), betting, cards), None, names)
        facts = facts_of([hand], [7])
        seat = names.index(player)
        own = facts.take(np.array([seat]))
        shown = hand.hole[seat]
        assert shown is not None
        grids = {one.title: one for one in ranges_of(own, {7: shown})}
        assert grids[line].taken == 1, betting
        assert (grids[line].n, grids[line].known, grids[line].source) == (1, 1, "counted")
        assert [class_name(i) for i, count in enumerate(grids[line].cells) if count] == [cell]
        hidden = {one.title: one for one in ranges_of(own, {})}
        assert hidden[line].taken == 1
        assert (hidden[line].n, hidden[line].source) == (0, "shown")
        assert hidden[line].too_few
    assert len({title for title, _ in LINES}) == len(LINES)


# A profile from a store ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """900 hands of 24 players, one of whom has a name that is HTML and calls everything before the flop."""
    crowd, _ = crowd_of(24)
    crowd.habits[0, HABITS.index("limp")] = 6.0
    crowd.habits[0, HABITS.index("open")] = crowd.habits[0, HABITS.index("steal")] = -4.0
    names = [EVIL, *(f"player {number}" for number in range(1, 24))]
    hands, _ = records(crowd, 900, np.random.default_rng(2), names)
    path = tmp_path_factory.mktemp("profile") / "hands.db"
    with Store.open(path) as made:
        made.add(hands)
    return path


@pytest.fixture(scope="module")
def study(store):
    with Store.open(store, read_only=True) as opened:
        return study_profile(opened, EVIL, least=50)


def test_a_profile_of_a_player(study) -> None:
    assert study.player == EVIL
    assert study.regulars == 23
    assert 150 < study.hands < 300
    assert study.findings
    assert len(study.findings) <= MOST_DEVIATIONS
    limps = next(finding for finding in study.findings if finding.deviation.name == "limp")
    assert limps.deviation.direction == 1
    assert "More often than three of four regulars the player limps" in limps.sentence
    assert "Raise the limps" in limps.use
    assert limps.examples
    for example in limps.examples:  # the player limps in every one of them
        seat = example.hand.seat_of(EVIL)
        assert (seat, 1) in example.hand.actions
    assert sum(result.hands for result in study.results[1:]) == study.results[0].hands == study.hands
    total = sum(result.hands * result.won.mean for result in study.results[1:])
    assert total == pytest.approx(study.hands * study.results[0].won.mean)
    assert study.luck.all_ins == 0
    json.dumps(plain_data(study), allow_nan=False)


def test_too_few_is_said(store) -> None:
    with Store.open(store, read_only=True) as opened:
        alone = study_profile(opened, EVIL, least=100_000)
        with pytest.raises(SoulreadError, match="a pool needs"):
            study_pool(opened, least=100_000)
    assert not alone.comparable
    assert not alone.findings
    assert "0 regular players to compare with" in alone.style.sentence
    assert all(found.percentile is None for found in alone.standings)


@pytest.mark.compiled
def test_style_in_words(population) -> None:
    spreads = population.spreads(population.others(0), [Scope(i) for i in range(len(TESTED))])
    found = population.standings(0, spreads)
    standings = [found[Scope(i)] for i in range(len(TESTED))]

    def placed(**where):
        return [
            replace(one, percentile=where[name], percentiles=(where[name] - 3, where[name] + 3))
            if (name := NAMES[one.scope.statistic].split()[0]) in where
            else one
            for one in standings
        ]

    nit = describe_style(placed(VPIP=10, PFR=10, aggression=12), 23)
    assert nit.sentence.startswith("Very tight (VPIP ")
    assert nit.kind.startswith("a nit")
    fish = describe_style(placed(VPIP=80, PFR=50, aggression=20), 23)
    assert fish.sentence.startswith("Loose (VPIP ")
    assert "after the flop passive" in fish.sentence
    assert fish.kind.startswith("loose-passive")
    middle = describe_style(placed(VPIP=50, PFR=50, aggression=50), 23)
    assert middle.sentence.startswith("Neither tight nor loose")
    assert middle.kind == ""
    assert "2 regular players" in describe_style(standings, 2).sentence


def test_a_pool(store) -> None:
    with Store.open(store, read_only=True) as opened:
        study = study_pool(opened, least=50)
    assert len(study.regulars) == 24
    assert study.winners + study.losers == 24
    assert sum(style.players for style in study.styles) == 24
    evil = next(player for player in study.regulars if player.name == EVIL)
    assert (evil.percentiles[0] or 0) > 95  # VPIP
    for one in study.distributions:
        assert list(one.quantiles) == sorted(one.quantiles)
    json.dumps(plain_data(study), allow_nan=False)


def test_statistics_and_profile_have_one_percentile(store) -> None:
    run = CliRunner().invoke
    asked = ["--db", str(store), "--regulars", "50", "--json"]
    profiled = json.loads(run(cli, ["profile", EVIL, *asked]).output)["statistics"]
    told = json.loads(run(cli, ["stats", EVIL, "--against", "pool", *asked]).output)["statistics"]
    pools = {one["name"]: one["pool"] for one in told}
    assert [one["name"] for one in told if one["pool"] is not None] == [one["name"] for one in profiled]
    assert pools["bb/100"] is None
    for one in profiled:
        pool = pools[one["name"]]
        assert pool["percentile"] == one["percentile"]
        if one["regulars"] is None:
            assert (pool["players"], pool["spread"]) == (0, None)
            continue
        assert 0 < pool["players"] <= 23  # all regulars but the player
        shares = [pool["spread"][name] for name in ("25%", "50%", "75%")]
        assert shares == pytest.approx([one["regulars"][name] for name in ("low", "median", "high")])
    few = json.loads(run(cli, ["stats", EVIL, "--against", "pool", "--db", str(store), "--json"]).output)
    assert all(one["pool"]["percentile"] is None for one in few["statistics"] if one["pool"])


def test_styles_are_clusters() -> None:
    rng = np.random.default_rng(0)
    middles = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0]])
    sizes = (30, 20, 10)
    points = np.concatenate(
        [m + 0.5 * rng.standard_normal((n, 2)) for m, n in zip(middles, sizes, strict=True)]
    )
    labels, centres = find_styles(points)
    assert labels.tolist() == [0] * 30 + [1] * 20 + [2] * 10
    np.testing.assert_allclose(centres, middles, atol=0.5)


# Commands -----------------------------------------------------------------------------------------


def test_commands(store, tmp_path) -> None:
    run = CliRunner().invoke
    db = ["--db", str(store), "--regulars", "50"]
    page = tmp_path / "page.html"
    result = run(cli, ["profile", EVIL, *db, "-o", str(page)])
    assert result.exit_code == 0, result.output
    assert "what is sure" in result.output
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    told = json.loads(run(cli, ["profile", EVIL, *db, "--json"]).output)
    assert told["player"] == EVIL
    assert told["deviations"]
    result = run(cli, ["pool", *db, "-o", str(page)])
    assert result.exit_code == 0, result.output
    assert "what pays" in result.output
    assert json.loads(run(cli, ["pool", *db, "--json"]).output)["winners"] > 0
    for bad, message in (
        (["profile", "Nobody", *db], "is not in"),
        (["profile", EVIL, *db, "-o", "page.pdf"], "ends in .html"),
        (["profile", EVIL, *db, "--trust", "2"], "between 0 and 1"),
        (["pool", "--db", str(store), "--regulars", "0"], "at least one hand"),
    ):
        result = run(cli, bad)
        assert result.exit_code == 2
        assert message in result.output


# Counter-strategies -------------------------------------------------------------------------------


def test_what_a_counter_strategy_is_worth() -> None:
    source = poker_source("leduc")
    agents = parse_agent("loose").make(source.poker), parse_agent("equilibrium").make(source.poker)
    hands = watch(source.poker, agents, 400, 3, spectator=False)
    name = agents[0].name
    found = study_counter(source, hands, name, 0.5)
    assert found.curve is not None
    dbbr, dbr = found.sentences
    assert dbbr.startswith("DBBR, from the public actions of 400 hands")
    assert "at a trust of at most 0.5" in dbr
    point, scale = found.curve.frontier.points[0], found.curve.scale
    assert f"expects {point.against_model * scale:+.0f} mb/g from the model" in dbr
    assert f"loses at most {point.exploitability * scale:.0f} mb/g" in dbr
    assert found.leaks.whole.counter > found.leaks.whole.equilibrium
    blind = [replace(hand, hole=(None, None), sights=(Sight.UNSEEN,) * 2) for hand in hands]
    assert study_counter(source, blind, name).curve is None
    json.dumps(plain_data(found), allow_nan=False)


def test_few_hands_of_heads_up_limit_are_too_few(tmp_path) -> None:
    game = parse_game("limit")
    path = tmp_path / "limit.db"
    with Store.open(path) as store:
        store.add([seen_by(replay(game, "rc/cc/cc/rf", "AhAd KhQh 2h7hTc4s9d"), None, ["Al", "Bo"])])
    told = json.loads(CliRunner().invoke(cli, ["profile", "Al", "--db", str(path), "--json"]).output)
    assert told["counter"] is None
    assert told["counter_note"].startswith("Too few hands: 1 hand of heads-up limit hold'em")
    asked = ["profile", "Al", "--db", str(path), "--json", "--abstraction", "none"]
    assert "asked for" in json.loads(CliRunner().invoke(cli, asked).output)["counter_note"]


# Planted habits -----------------------------------------------------------------------------------


@pytest.mark.compiled
def test_planted_habits_are_found_and_few_claims_are_false() -> None:
    trial = Trial(9900, players=30, planted=4, clean=2, long=60_000, hands=(500, 6_000))
    found = {name: np.asarray(values) for name, values in trial.judge().items()}
    assert found["claims"].shape == (2, 6)
    assert found["found"].shape == (2, 8)
    claims, false = found["claims"].sum(axis=1), found["false"].sum(axis=1)
    assert claims[1] > claims[0]
    assert false[1] <= max(1, 0.1 * claims[1])
    assert found["found"][1].mean() >= 0.4
    assert found["found"][1].mean() >= found["found"][0].mean()


def test_what_is_true_of_a_claim() -> None:
    assert is_true(0.8, 1)
    assert not is_true(0.7, 1)
    assert is_true(0.2, -1)
    assert not is_true(0.3, -1)


def test_shares_over_crowds() -> None:
    def result(claims, false, hits):
        values = {
            "claims": np.array([claims]),
            "false": np.array([false]),
            "found": np.array([hits]),
            "real": np.array([True, True, False]),
            "size": np.array([1.4, 1.4, 1.4]),
        }
        return TaskResult(Task(dict, {}), values, 0.0)

    results = [result([4, 6], [1, 0], [True, False, True]), result([10, 0], [1, 0], [True, True, False])]
    share = false_share(results, 0)
    assert share is not None
    assert share.mean == pytest.approx(2 / 20)
    hits = found_share(results, 0, 1.4)
    assert hits is not None
    assert hits.mean == pytest.approx(3 / 4)
    assert false_share([result([0, 0], [0, 0], [False] * 3)], 0) is None


def test_plain_data_of_models() -> None:
    line = LineRange("raised", (1.0,) * 169, 40, 0, 169, "model")
    assert not line.too_few
    assert plain_data(line)["cells"] == [1.0] * 169
    aces, suited, offsuit = 0, 1, 13
    for source in ("model", "counted"):
        shades = LineRange("raised", (1.0,) * 169, 169, 169, 169, source).shades
        assert (shades[aces], shades[suited], shades[offsuit]) == pytest.approx((4 / 6, 1.0, 4 / 12))
    seen = LineRange("raised", (1.0,) * 168 + (2.0,), 170, 170, 400, "shown").shades
    assert (seen[suited], seen[offsuit], seen[168]) == (0.5, 0.5, 1.0)
    assert set(LineRange("raised", (0.0,) * 169, 0, 0, 0, "model").shades) == {0.0}


def limped(count: int) -> tuple[Facts, list[Cards]]:
    """Hands in which Sal limped in the small blind, and Sal's cards in them."""
    rng = np.random.default_rng(4)
    hands = []
    for _ in range(count):
        cards = rng.permutation(52)[:11].tolist()
        hands.append(seen_by(replay(nolimit_holdem(3), "fcc/cc/cc/cc", cards), None, ["Sal", "Bea", "Bo"]))
    facts = facts_of(hands, range(1, count + 1)).take(np.arange(0, 3 * count, 3))
    return facts, [hand.hole[0] or () for hand in hands]


def test_hands_that_were_seen_are_counted_and_the_others_filled_in() -> None:
    """A model that says aces of every hand fills in only the hands that were not seen."""
    facts, cards = limped(40)
    asked: list[int] = []

    def aces(at: Sequence[tuple[int, int]]) -> tuple[NDArray[np.float64], int]:
        asked.extend(number for number, _ in at)
        assert {place for _, place in at} == {0}
        return np.eye(169)[0], len(at) // 2

    def of(seen: int, unseen: Unseen | None = aces) -> LineRange:
        asked.clear()
        known = {number: cards[number - 1] for number in range(1, seen + 1)}
        return next(line for line in ranges_of(facts, known, unseen) if line.title == "limped")

    def counted(seen: int) -> NDArray[np.int64]:
        return np.bincount([HAND_CELLS[hand_index(*two)] for two in cards[:seen]], minlength=169)

    some = of(10)
    assert (some.source, some.n, some.known, some.taken) == ("model", 25, 10, 40)
    assert asked == list(range(11, 41))
    assert list(some.cells) == pytest.approx(counted(10) + 30 * np.eye(169)[0])
    assert some.intervals is None
    assert sum(some.shares) == pytest.approx(1)
    nearly = of(38)  # 95%: what is missing changes nothing
    assert (nearly.source, nearly.n, asked) == ("counted", 38, [])
    assert list(nearly.cells) == counted(38).tolist()
    assert nearly.intervals == tuple(exact_interval(count, 38) for count in nearly.cells)
    assert of(37).source == "model"
    assert of(10, None).source == "shown"
    assert of(0, lambda at: (np.zeros(169), 0)).source == "shown"


def test_intervals_of_a_counted_range_cover() -> None:
    """Of all cells of ranges that were drawn, at least 95 of 100 intervals have the true share in them."""
    rng = np.random.default_rng(6)
    inside = []
    for n in (60, 300, 1500):
        for _ in range(10):
            shares = rng.dirichlet(np.full(169, 0.3))
            counts = rng.multinomial(n, shares)
            line = LineRange("raised", tuple(counts.tolist()), n, n, n, "counted")
            assert line.intervals is not None
            inside += [low <= true <= high for true, (low, high) in zip(shares, line.intervals, strict=True)]
    assert np.mean(inside) >= 0.95


def test_a_share_that_is_there_is_never_0_percent() -> None:
    assert [share_text(share) for share in (0.5, 0.0995, 0.0994, 0.031, 0.0004)] == [
        "50%",
        "10%",
        "9.9%",
        "3.1%",
        "below 0.1%",
    ]
    cells = (1.0,) + (0.0,) * 167 + (3000.0,)
    assert most_often(LineRange("raised", cells, 50, 0, 3001, "model")) == "22 100%, AA below 0.1%"


def test_advice_does_not_contradict_what_pays() -> None:
    meaning = Meaning("limps", "Raise the limps.", "Do not attack.")
    for mean, expected in ((2.0, "Leave it alone"), (0.1, "Raise the limps."), (-2.0, "Raise the limps.")):
        assert _use(meaning, True, Estimate(mean, 0.5, 40)).startswith(expected)
    assert _use(meaning, False, None) == "Do not attack."


def test_results_far_from_the_pool_are_mentioned(study) -> None:
    number = [stat.name for stat in TESTED].index("W$SD")
    (usual,) = [found for found in study.standings if found.scope.statistic == number]
    far = replace(usual, n=400.0, rate=0.61, interval=(0.57, 0.66), percentile=97.8, percentiles=(80.0, 99.9))
    source = ClaimSource("Bob")
    (said,) = remarks([far], (), source)
    assert said.query.command == "soulread hands --player Bob --stat 'w$sd'"
    assert said.sentence == (
        "W$SD 61% (57% to 66%, n = 400) is above 98 of 100 regulars: it is a result, and may be luck."
    )
    assert not list(remarks([replace(far, percentile=94.0)], (), source))
    low = replace(far, percentile=1.2, percentiles=(0.1, 30.0))
    assert "is below 99 of 100 regulars" in next(remarks([low], (), source)).sentence
    other = replace(far, scope=Scope(0), percentiles=(91.0, 99.0))
    assert "VPIP" in next(remarks([other], (), source)).sentence
    assert not list(remarks([replace(other, percentiles=(89.0, 99.0))], (), source))
