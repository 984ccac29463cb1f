"""Charts before the flop: all-in counts, push or fold against an independent program, players beside it."""

import known_values
import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose
from scipy.optimize import linprog

import soulread as sr
from soulread.cards.deck import parse_cards
from soulread.cards.equity import equity
from soulread.cards.preflop import NUM_RUNOUTS, count_pairs, preflop_table
from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, HAND_MASKS, class_name, parse_range
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import CALL, FOLD, RAISE
from soulread.hands.conditions import parse_conditions
from soulread.hands.hand import ForcedBet, Hand, Post
from soulread.hands.referee import Draft, judge
from soulread.hands.store import Store
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.seqform.betting import betting_tree
from soulread.seqform.lookup import BlindLookup
from soulread.seqform.source import parse_buckets
from soulread.seqform.strategy import Behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.push_fold import PushFoldRules, push_fold_game, solve_push_fold
from soulread.study.baseline import habits, limit_charts
from soulread.study.baseline.charts import NO_EQUILIBRIUM, study_charts, study_push_fold
from soulread.study.baseline.charts_page import charts_section
from soulread.study.baseline.charts_terminal import print_charts
from soulread.study.baseline.habits import Habit
from soulread.study.baseline.short_stacks import PUSH, short_decisions

CELLS = {class_name(cell): cell for cell in range(169)}


# All-ins.


def test_pairs_are_those_that_share_no_card() -> None:
    pairs = count_pairs()
    assert pairs.sum() == 1326 * 1225
    for first, second in (("AA", "AA"), ("AKs", "AKo"), ("72o", "QQ"), ("AKs", "AKs")):
        one, two = (HAND_MASKS[CELLS[name] == HAND_CELLS].tolist() for name in (first, second))
        assert pairs[CELLS[first], CELLS[second]] == sum(not a & b for a in one for b in two)


def test_all_ins_against_a_random_hand() -> None:
    table = preflop_table()
    for name, (wins, ties) in known_values.PREFLOP_AGAINST_ANY.items():
        cell = CELLS[name]
        assert table.half_wins[cell].sum() == CELL_SIZES[cell] * (2 * wins + ties)


def test_one_wins_what_the_other_loses() -> None:
    table = preflop_table()
    assert np.array_equal(table.half_wins + table.half_wins.T, 2 * NUM_RUNOUTS * table.pairs)
    assert_allclose(table.reach.sum(), 1)


@pytest.mark.compiled
def test_all_ins_of_two_classes_by_enumeration() -> None:
    table = preflop_table()
    for first, second in (("AKs", "QQ"), ("72o", "72o")):
        found = equity(parse_range(first), parse_range(second)).value
        assert_allclose(table.equity[CELLS[first], CELLS[second]], found, atol=1e-12)


# Push or fold.


def independent_value(rules: PushFoldRules) -> float:
    """The value for the small blind: its best mixture against a big blind who answers each class best."""
    table = preflop_table()
    reach, share = table.reach, 2 * table.equity - 1
    all_in = rules.stack + rules.dead / 2
    folded = -(rules.small_blind + rules.ante + rules.dead / 2)
    stolen = 1 + rules.ante + rules.dead / 2
    # v[j] <= sum over i of reach[i, j] (folded + push[i] (what the answer of class j leaves - folded))
    rows, bounds = [], []
    for answer in (reach * (all_in * share - folded), reach * (stolen - folded)):
        rows.append(np.hstack([-answer.T, np.eye(169)]))
        bounds.append(folded * reach.sum(axis=0))
    target = np.concatenate([np.zeros(169), -np.ones(169)])
    found = linprog(
        target,
        A_ub=np.vstack(rows),
        b_ub=np.concatenate(bounds),
        bounds=[(0, 1)] * 169 + [(None, None)] * 169,
    )
    return -float(found.fun or 0.0) + rules.dead / 2


@pytest.mark.parametrize(
    "rules",
    [PushFoldRules(8), PushFoldRules(12.5, ante=0.1), PushFoldRules(5, small_blind=0.4, ante=0.1, dead=0.7)],
)
def test_push_or_fold_has_the_value_of_an_independent_program(rules) -> None:
    solved = solve_push_fold(rules)
    assert_allclose(solved.value, independent_value(rules), atol=1e-8)
    assert abs(solved.solution.gap) < 1e-9


def test_nobody_gains_by_another_action() -> None:
    solved = solve_push_fold(PushFoldRules(10))
    for going, gain in ((solved.push, solved.push_gain), (solved.call, solved.call_gain)):
        assert (gain[going > 1e-6] > -1e-7).all()
        assert (gain[going < 1 - 1e-6] < 1e-7).all()
    # An all-in with aces: what the big blind's folds and calls leave, by hand.
    table, aces = preflop_table(), CELLS["AA"]
    met = table.pairs[aces] / table.pairs[aces].sum()
    worth = met @ (solved.call * (2 * table.equity[aces] - 1) * 10 + (1 - solved.call))
    assert_allclose(solved.push_gain[aces], worth + 0.5, atol=1e-9)


def test_rates_count_holdings() -> None:
    solved = solve_push_fold(PushFoldRules(10))
    holdings = sum(solved.push[HAND_CELLS])
    assert_allclose(solved.push_rate, holdings / 1326)
    faced = called = 0.0
    for cell in range(169):
        for other in range(169):
            met = preflop_table().pairs[cell, other] * solved.push[cell]
            faced, called = faced + met, called + met * solved.call[other]
    assert_allclose(solved.call_rate, called / faced)


def test_published_limits_of_pushing() -> None:
    for name, limit in known_values.PUSH_LIMITS.items():
        stacks = limit, round(limit + 0.1, 1)
        here, beyond = (solve_push_fold(PushFoldRules(stack)).push[CELLS[name]] for stack in stacks)
        assert here > 0.5, name
        assert beyond < 0.5, name


def test_a_shorter_stack_is_called_more_often() -> None:
    rates = [solve_push_fold(PushFoldRules(stack)).call_rate for stack in (3, 5, 8, 12, 20)]
    assert rates == sorted(rates, reverse=True)
    with_ante = solve_push_fold(PushFoldRules(8, ante=0.1))
    assert with_ante.push_rate > solve_push_fold(PushFoldRules(8)).push_rate


def test_stakes_that_make_no_game_are_refused() -> None:
    with pytest.raises(SoulreadError, match="a stack of 1 big blinds"):
        PushFoldRules(1.0)
    with pytest.raises(SoulreadError, match="a stack of nan"):
        PushFoldRules(float("nan"))
    with pytest.raises(SoulreadError, match="a small blind of 2"):
        PushFoldRules(10, small_blind=2)
    with pytest.raises(SoulreadError, match="-1 dead"):
        PushFoldRules(10, dead=-1)


def test_the_game_is_zero_sum_and_named() -> None:
    game = push_fold_game(PushFoldRules(10, ante=0.1, dead=0.4))
    assert game.payoff.zero_sum
    assert game.name == "push or fold, 10 bb, ante 0.1, 0.4 dead"
    assert (
        study_push_fold(10, ante=0.1, dead=0.4).solved.value
        == sr.push_fold(10, ante=0.1, dead=0.4).solved.value
    )


# Players at push or fold.


def short_hand(
    number: int, action: str, cards: str, stack: int = 20, *, hero_is_big: bool = False, ante: int = 0
) -> Hand:
    """Heads-up, blinds 1 and 2: Ann is the dealer, Bob the big blind; ``action`` is that of Ann or Bob."""
    posts = [Post(0, ForcedBet.BIG_BLIND, 2), Post(1, ForcedBet.SMALL_BLIND, 1)]
    if ante:
        posts = [Post(0, ForcedBet.ANTE, ante), Post(1, ForcedBet.ANTE, ante), *posts]
    shove = (1, RAISE, stack - ante, -1)
    moves = {
        "fold": [(1, FOLD, 0, -1)],
        "limp": [(1, CALL, 0, -1), (0, RAISE, stack - ante, -1), (1, FOLD, 0, -1)],
        "raise": [(1, RAISE, 4, -1), (0, FOLD, 0, -1)],
        "all-in": [shove, (0, FOLD, 0, -1)],
        "fold to it": [shove, (0, FOLD, 0, -1)],
    }[action]
    hole = {0 if hero_is_big else 1: parse_cards(cards)} if cards else {}
    return judge(
        Draft(["Bob", "Ann"], [3 * stack, stack], posts, 2, [moves], hole=hole, id=str(number), room="R")
    )


def test_decisions_at_push_or_fold_are_found() -> None:
    hands = [
        short_hand(1, "fold", "7h2c"),
        short_hand(2, "all-in", "AhAd"),
        short_hand(3, "limp", ""),
        short_hand(4, "raise", "KhKd"),
        short_hand(5, "all-in", "AhAd", stack=31),  # 15.5 big blinds
        short_hand(6, "all-in", "AhAd", stack=16, ante=1),
    ]
    found = list(short_decisions(enumerate(hands, 1), "Ann"))
    assert [(one.number, one.action) for one in found] == [
        (1, "fold"),
        (2, "all-in"),
        (3, "other"),
        (4, "other"),
        (6, "all-in"),
    ]
    assert {one.at for one in found} == {PUSH}
    assert found[0].rules == PushFoldRules(10)
    assert found[4].rules == PushFoldRules(8, ante=0.5)
    assert found[1].cell == CELLS["AA"]
    assert found[2].cell is None
    assert found[0].expected_with_cards == 0
    assert found[0].gain < 0
    (answer, *_) = short_decisions([(7, short_hand(7, "fold to it", "AhKd", hero_is_big=True))], "Bob")
    assert (answer.action, answer.cell) == ("fold", CELLS["AKo"])
    assert answer.gain > 1


def test_dead_antes_of_a_ring_count() -> None:
    posts = [Post(seat, ForcedBet.ANTE, 1) for seat in range(4)]
    posts += [Post(0, ForcedBet.SMALL_BLIND, 5), Post(1, ForcedBet.BIG_BLIND, 10)]
    moves = [(2, FOLD, 0, -1), (3, FOLD, 0, -1), (0, RAISE, 79, -1), (1, FOLD, 0, -1)]
    hand = judge(Draft(["Ann", "Bob", "Cid", "Dan"], [80, 500, 500, 500], posts, 10, [moves], id="1"))
    (found,) = short_decisions([(1, hand)], "Ann")
    assert (found.action, found.rules) == ("all-in", PushFoldRules(8, ante=0.1, dead=0.2))
    assert list(short_decisions([(1, hand)], "Cid")) == []
    (answer,) = short_decisions([(1, hand)], "Bob")
    assert answer.action == "fold"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Ann folds good hands; Bob's cards are never seen."""
    path = tmp_path_factory.mktemp("charts") / "hands.db"
    cards = ["AhKd", "QhQd", "7h2c", "KhTd", "9h9c", "Ah5d"]
    hands = [short_hand(i, "fold", cards[i % len(cards)]) for i in range(60)]
    hands += [short_hand(60 + i, "all-in", "AhAd") for i in range(6)]
    with Store.open(path) as opened:
        opened.add(hands)
    return path


def test_folding_too_often_is_sure_and_has_a_price(store) -> None:
    with Store.open(store, read_only=True) as opened:
        study = study_charts(opened, "Ann")
    assert study.short is not None
    assert study.limit is None
    whole = study.habits[0]
    assert (whole.at, whole.action, whole.n) == (PUSH, "fold", 66)
    assert whole.rate == pytest.approx(60 / 66)
    assert whole.equilibrium == pytest.approx(10 / 66), "of these cards only 72o is folded"
    assert whole.verdict == "too often"
    with Store.open(store, read_only=True) as opened:
        found = list(parse_conditions(whole.words, "Ann").find(opened))
    assert len(found) == whole.n
    gains = solve_push_fold(PushFoldRules(10)).push_gain
    expected = 10 * sum(gains[CELLS[name]] for name in ("AKo", "QQ", "KTo", "99", "A5o"))
    assert study.short.lost == pytest.approx(expected)
    assert study.short.mistakes[0].hand == "QQ"
    assert "to go all-in is worth" in study.short.mistakes[0].sentence
    record = plain_data(study)
    assert record["short"]["decisions"] == 66
    assert record["habits"][0]["sure"]
    assert "too often" in charts_section(study)


def test_without_cards_all_holdings_count(store) -> None:
    with Store.open(store, read_only=True) as opened:
        study = study_charts(opened, "Bob")
    assert study.short is not None
    assert study.short.lost is None
    (whole, *_) = study.habits
    assert (whole.action, whole.n, whole.rate) == ("call", 6, 0.0)
    assert whole.equilibrium == pytest.approx(solve_push_fold(PushFoldRules(10)).call_rate)
    assert whole.verdict == "too few"


def test_a_table_without_an_equilibrium_is_told(tmp_path, capsys) -> None:
    with Store.open(tmp_path / "deep.db") as opened:
        opened.add([short_hand(1, "fold", "", stack=200)])
        study = study_charts(opened, "Ann")
    assert study.habits == ()
    assert study.note == NO_EQUILIBRIUM
    print_charts(study)
    assert "compared with the pool only" in " ".join(capsys.readouterr().out.split())
    assert "compared with the pool only" in charts_section(study)


# Habits.


def test_habits_are_tested_together_beyond_the_slack() -> None:
    off = Habit("here", "fold", 200, 0.60, 0.40)
    near = Habit("here", "call", 200, 0.44, 0.40, slack=0.05)
    few = Habit("here", "raise", habits.LEAST_SEEN - 1, 1.0, 0.1)
    told = habits.judge([off, near, few])
    assert [habit.verdict for habit in told] == ["too often", "not sure", "too few"]
    assert near.p_value == 1.0
    assert Habit("here", "call", 200, 0.36, 0.40, slack=0.05).p_value == 1.0
    assert Habit("here", "call", 200, 0.36, 0.40).p_value < 1.0
    assert habits.judge([])[:] == ()
    assert off.cells[0:3] == ("here", "fold", "60%")
    low, high = off.interval
    assert low < 0.6 < high


# Heads-up limit hold'em.


def blind_strategy(raising: float) -> TabularStrategy:
    """Both seats raise with the same chance whatever they hold, and else share it out evenly."""
    betting = betting_tree(limit_holdem())
    lookup = BlindLookup(4)
    layout = betting.layout(lookup.num_states)
    behaviours = [np.zeros(size) for size in betting.num_sequences(lookup.num_states)]
    for node, actions in enumerate(betting.actions):
        first, seat = int(layout.first_sequence[node]), int(betting.arrays.player[node])
        for i, action in enumerate(actions):
            last = 2 not in actions
            rest = (1.0 if last else 1 - raising) / (len(actions) - (0 if last else 1))
            behaviours[seat][first + i] = raising if action == 2 else rest
    return TabularStrategy(betting, lookup, (Behaviour(behaviours[0]), Behaviour(behaviours[1])))


@pytest.mark.compiled
def test_limit_charts_count_a_player_beside_the_equilibrium(monkeypatch) -> None:
    monkeypatch.setattr(limit_charts, "find_equilibrium", lambda source, tell=None: blind_strategy(0.2))
    game = limit_holdem()
    hands: list[Hand] = []
    agents = tuple(parse_agent(name).make(game) for name in ("always-raise", "always-call"))
    Match(game, agents, 60).play(3, record=lambda hand: hands.append(hand.seen_by(None)))
    study = limit_charts.study_limit_charts(dict(enumerate(hands)), "always-raise", parse_buckets("5-5-5-5"))
    assert [chart.history for chart in study.charts] == ["", "c", "cr", "crr", "crrr", "r", "rr", "rrr"]
    by_history = {chart.history: chart for chart in study.charts}
    first = by_history[""]
    assert first.actions == ("fold", "call", "raise")
    assert first.rates == pytest.approx((0.4, 0.4, 0.2))
    assert by_history["crrr"].actions == ("fold", "call")
    assert by_history["c"].actions == ("check", "raise")
    assert by_history["c"].rates == pytest.approx((0.8, 0.2))
    assert first.counts == (0, 0, 30)
    assert by_history["c"].counts == (0, 30)
    assert by_history["r"].n == 0
    assert len(first.numbers) == len(set(first.numbers)) == 30
    assert not set(first.numbers) & set(by_history["c"].numbers), "the dealer changes"
    raising = next(habit for habit in study.habits if habit.at == first.title and habit.action == "raise")
    assert (raising.n, raising.rate) == (30, 1.0)
    assert raising.equilibrium == pytest.approx(0.2)
    told = {(habit.at, habit.action): habit.verdict for habit in habits.judge(study.habits)}
    assert told[first.title, "raise"] == "too often"
    assert first.title == "dealer, first to act"
    assert first.own is not None, "cards of all hands are in the records of a match"
    assert first.own.sum() == 30


@pytest.mark.compiled
def test_rates_follow_the_hands_that_come_there() -> None:
    strategy = blind_strategy(0.2)
    aces = CELLS["AA"]

    class SeesAces(BlindLookup):
        @property
        def num_states(self) -> tuple[int, ...]:
            return (2, 2, 2, 2)

        def state(self, hole, board) -> int:
            return int(len(board) == 0 and all(card >= 48 for card in hole))

    lookup = SeesAces(4)
    layout = strategy.betting.layout(lookup.num_states)
    behaviours = [np.zeros(size) for size in strategy.betting.num_sequences(lookup.num_states)]
    for node, actions in enumerate(strategy.betting.actions):
        seat = int(strategy.betting.arrays.player[node])
        for i in range(len(actions)):
            start = int(layout.first_sequence[node]) + 2 * i
            behaviours[seat][start] = float(i == 1 if len(actions) > 1 else 1)  # calls or checks
            behaviours[seat][start + 1] = float(i == len(actions) - 1)  # aces raise as often as they may
    both = Behaviour(behaviours[0]), Behaviour(behaviours[1])
    charts = limit_charts.preflop_charts(TabularStrategy(strategy.betting, lookup, both))
    _, table, rates, reached = charts[""]
    assert reached == 1
    assert table[2, aces] == 1
    assert rates == pytest.approx((0, 1 - 6 / 1326, 6 / 1326))
    _, _, rates, _ = charts["r"]  # the other player holds aces here: one pair of aces is left in 1225
    assert rates[2] == pytest.approx(1 / 1225)
    assert charts["rr"][3] == pytest.approx(6 / 1326), "only aces raise at first"
    assert charts["rr"][2] == pytest.approx((0, 0, 1)), "and raise again"
    assert charts["cr"][3] == pytest.approx(1 - 6 / 1326)
    assert charts["crrr"][3] == 0


# The command.


def run(*words: str):
    return CliRunner().invoke(cli, words, prog_name="soulread")


def test_the_command_prints_the_chart(tmp_path) -> None:
    done = run("charts", "--stack", "10")
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    assert "the small blind goes all-in with 58.3% of all hands" in text
    assert "how much the restriction costs is not known" in text
    done = run("charts", "--stack", "10", "--json", "--figure", str(tmp_path / "push.svg"))
    assert done.exit_code == 0, done.output
    assert (tmp_path / "push.svg").read_text().startswith("<?xml")
    for words, message in (
        (("charts",), "give either a player of a store or --stack"),
        (("charts", "Ann", "--stack", "10"), "give either a player of a store or --stack"),
        (("charts", "--stack", "1"), "a stack of 1 big blinds"),
        (("charts", "Ann", "--figure", "x.svg"), "--figure is for the chart of --stack"),
    ):
        done = run(*words)
        assert done.exit_code == 2
        assert message in done.output


def test_the_command_sets_a_player_beside_the_chart(store) -> None:
    done = run("charts", "Ann", "--db", str(store))
    assert done.exit_code == 0, done.output
    text = " ".join(done.output.split())
    assert "Ann beside the equilibrium" in text
    assert "too often" in text
    assert "Mistakes cost" in text
    assert sr.charts(store, "Ann").habits[0].sure
