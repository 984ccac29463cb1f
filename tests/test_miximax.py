"""Miximax and Miximix: the published example, slow twins, and the best response in small games."""

from collections.abc import Callable

import naive_miximax
import numpy as np
import pytest
from numpy.testing import assert_allclose

from soulread.cards.deck import parse_cards
from soulread.cards.evaluate import Category, category
from soulread.cards.ranges import HAND_CARDS
from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import PokerGame, PokerState, PokerView
from soulread.model.vexbot.hand_rank import place_of, ranks_on
from soulread.model.vexbot.model import ContextTree
from soulread.respond.search.forecasts import PublicForecast, Standings, standings
from soulread.respond.search.miximax import search
from soulread.respond.search.range_forecast import range_forecast, table_actor
from soulread.respond.search.runouts import ALL, deal_out, deals
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import compile_factored
from soulread.seqform.holdings import values_on
from soulread.seqform.lookup import BlindLookup
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour
from soulread.seqform.tabular import TabularStrategy, blind_trees, tabular
from soulread.solvers.best_response import best_response
from soulread.solvers.skews import baseline_behaviour

LIMIT = limit_holdem()
BETTING = betting_tree(LIMIT)
compiled = pytest.mark.compiled


def example(rank: float) -> PublicForecast:
    """Section VI: a pot of 4 small bets on the river; we bet, the opponent raises; 10 cells."""
    chances = np.zeros(BETTING.arrays.child.shape)
    chances[BETTING.decision("rc/cc/cc/rrr")] = 0.3, 0.7, 0.0
    histograms = {
        "rc/cc/cc/rrc": [1, 2, 0, 0, 0, 0, 3, 3, 1, 0],
        "rc/cc/cc/rrrc": [0, 0, 0, 0, 0, 0, 3, 3, 1, 0],
    }
    cumulative = np.zeros((BETTING.num_nodes, 11))
    for text, weights in histograms.items():
        cumulative[BETTING.betting.index(text), 1:] = np.cumsum(weights) / np.sum(weights)
    board = parse_cards("3h4cJhTd2s")
    boards = deals(deal_out(LIMIT, parse_cards("AhQc"), board), 4)
    return PublicForecast(BETTING, 0, chances, cumulative, Standings(boards, np.array([rank])))


@pytest.mark.parametrize(
    ("rank", "call", "called"),
    [(0.1, -4.8, -8.0), (0.2, -2.4, -8.0), (0.4, -2.4, -8.0), (0.6, -2.4, -8.0), (0.8, 4.8, 16 * 6 / 7 - 8)],
)
def test_the_example_of_section_six(rank: float, call: float, called: float) -> None:
    """In small bets: fold -4, call as printed; a re-raise wins 6 in 3 of 10 cases (+1.8), else 16 lie there.

    The weakest hand does best to re-raise as a bluff, -3.8, of which the text does not speak.
    """
    found = search(BETTING, BETTING.decision("rc/cc/cc/rr"), example(rank))
    fold, calling, raising = (value / LIMIT.rules.small_bet for value in found.values)
    assert found.actions == (0, 1, 2)
    assert fold == pytest.approx(-4, abs=1e-12)
    assert calling == pytest.approx(call, abs=1e-12)
    assert raising == pytest.approx(1.8 + 0.7 * called, abs=1e-12)
    assert found.best == (1 if 0.1 < rank < 0.7 else 2)


def test_inside_a_cell_ranks_are_equally_likely() -> None:
    """A hand rank of 0.15 beats half of the cell from 0.1 to 0.2, which has two tenths."""
    found = search(BETTING, BETTING.decision("rc/cc/cc/rr"), example(0.15))
    assert found.value_of(1) / 2 == pytest.approx(12 * 0.2 - 6)


def test_a_mixture_lies_between_the_actions_and_goes_to_the_best() -> None:
    node = BETTING.decision("rc/cc/cc/rr")
    cold, warm, hot = (search(BETTING, node, example(0.8), t) for t in (1e-4, 0.5, 1e4))
    assert cold.weights == pytest.approx((0, 0, 1))
    assert warm.weights[0] < warm.weights[1] < warm.weights[2]
    assert hot.weights == pytest.approx((1 / 3, 1 / 3, 1 / 3), abs=1e-3)
    assert warm.drawn(0.0) == 0
    assert warm.drawn(0.999999) == 2
    start = BETTING.decision("rc/cc/cc/r")  # the opponent's decision has no choice of ours
    with pytest.raises(SoulreadError, match="temperature=-1"):
        search(BETTING, start, example(0.8), -1)
    with pytest.raises(SoulreadError, match="nobody acts"):
        search(BETTING, BETTING.betting.index("rc/cc/cc/rrc"), example(0.8))


def test_later_actions_of_a_mixture_are_mixed() -> None:
    """Two decisions of ours in a row: bet, raise by the opponent; the value of betting by hand."""
    chances = np.zeros(BETTING.arrays.child.shape)
    chances[BETTING.decision("rc/cc/cc/r")] = 0.0, 0.0, 1.0
    chances[BETTING.decision("rc/cc/cc/rrr")] = 0.3, 0.7, 0.0
    chances[BETTING.decision("rc/cc/cc/c")] = 1.0, 0.0, 0.0
    forecast = PublicForecast(BETTING, 0, chances, example(0.8).cumulative, example(0.8).standings)
    later = search(BETTING, BETTING.decision("rc/cc/cc/rr"), forecast, 0.3)
    weights = np.exp(np.array(later.values) / (0.3 * 20))  # the pot: 4 + 2 + 4 small bets
    mean = weights @ later.values / weights.sum()
    assert search(BETTING, BETTING.decision("rc/cc/cc/"), forecast, 0.3).value_of(2) == pytest.approx(mean)
    assert search(BETTING, BETTING.decision("rc/cc/cc/"), forecast).value_of(2) == pytest.approx(
        max(later.values)
    )


# Slow twins.


@pytest.mark.parametrize("game", [kuhn(), leduc()], ids=["kuhn", "leduc"])
def test_miximax_is_the_plain_expectation(game: PokerGame) -> None:
    """Against recursion over states: random chances and histograms at every node."""
    rng = np.random.default_rng(5)
    betting = betting_tree(game)
    chances = rng.random(betting.arrays.child.shape) * (betting.arrays.child >= 0)
    chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1e-9)
    cumulative = np.zeros((betting.num_nodes, 21))
    cumulative[:, 1:] = np.cumsum(rng.dirichlet(np.ones(20), betting.num_nodes), axis=1)
    numbers = {text: n for n, text in enumerate(betting.betting)}

    def act(state: PokerState) -> dict[int, float]:
        node = betting.decision(state.betting)
        return dict(zip(betting.actions[node], chances[node].tolist(), strict=False))

    def share(state: PokerState) -> float:
        rank = place_of(game, state.hole(seat), state.board).rank
        return float(np.interp(rank, np.arange(21) / 20, cumulative[numbers[state.betting]]))

    looked = 0
    for seat in (0, 1):
        for text in [""] + (["crc/", "rc/c", "cc/"] if game.name == "leduc" else ["c", "r"]):
            state = game.start().deal(game.rules.deck[1:3])
            board = iter(game.rules.deck[3:])
            for letter in text.replace("/", ""):
                state = state.apply("fcr".index(letter))
                while state.player == CHANCE:
                    state = state.apply(next(board))
            if state.player != seat:
                continue
            looked += 1
            view = state.view(seat)
            ahead = standings(game, view.hole, view.board)
            forecast = PublicForecast(betting, seat, chances, cumulative, ahead)
            found = search(betting, betting.decision(view.betting), forecast)
            for action, value in zip(found.actions, found.values, strict=True):
                expected = naive_miximax.public_value(state.apply(action), seat, act, share)
                assert value == pytest.approx(expected, abs=1e-12)
    assert looked >= 3


@pytest.mark.parametrize("game", [kuhn(), pytest.param(leduc(), marks=compiled)], ids=["kuhn", "leduc"])
@pytest.mark.parametrize("seat", [0, 1])
def test_with_the_true_strategy_it_is_the_best_response(game: PokerGame, seat: int) -> None:
    """Played through the whole game, every deal and action, it earns the best response's value."""
    table = compile_factored(game)
    rng = np.random.default_rng(1)
    behaviours = random_behaviour(table.trees[0], rng), random_behaviour(table.trees[1], rng)
    villain = tabular(table, behaviours)
    plan = plan_from_behaviour(table.trees[1 - seat], behaviours[1 - seat])
    best, _ = best_response(table.trees[seat], table.payoff.gradient(seat, plan))
    assert earned(game, seat, villain, chooser(villain)) == pytest.approx(best, abs=1e-9)
    mixed = earned(game, seat, villain, chooser(villain, temperature=0.5))
    assert mixed < best - 0.01


def chooser(villain: TabularStrategy, temperature: float = 0.0) -> Callable[[PokerView], dict[int, float]]:
    known: dict[str, dict[int, float]] = {}

    def choose(view: PokerView) -> dict[int, float]:
        if view.information not in known:
            node = villain.betting.decision(view.betting)
            found = search(
                villain.betting, node, range_forecast(table_actor(villain, 1 - view.seat), view), temperature
            )
            known[view.information] = dict(zip(found.actions, found.weights, strict=True))
        return known[view.information]

    return choose


def earned(
    game: PokerGame, seat: int, villain: TabularStrategy, choose: Callable[[PokerView], dict[int, float]]
) -> float:
    """Chips per hand of ``choose`` in ``seat`` against a strategy, by walking every history."""

    def walk(state: PokerState) -> float:
        if state.player == TERMINAL:
            return float(state.payoffs()[seat])
        if state.player == CHANCE:
            return sum(chance * walk(state.apply(card)) for card, chance in state.chance_outcomes())
        view = state.view(state.player)
        if state.player == seat:
            chances = choose(view)
        else:
            node, private = villain.place(view)
            chances = dict(
                zip(villain.betting.actions[node], villain.probabilities(node, private).tolist(), strict=True)
            )
        return sum(chance * walk(state.apply(action)) for action, chance in chances.items() if chance)

    return walk(game.start())


# Hold'em.


def blind(name: str) -> TabularStrategy:
    first, second = (baseline_behaviour(tree, name) for tree in blind_trees(BETTING))
    return TabularStrategy(BETTING, BlindLookup(4), (first, second))


@compiled
@pytest.mark.parametrize("text", ["rc/cc/cc/", "rc/cc/"])
def test_against_a_caller_both_forecasts_know_the_equity(text: str) -> None:
    """Who always calls holds anything: a check is worth the equity of the pot that comes of the best bets."""
    hole, board = parse_cards("AhQc"), parse_cards("3h4cJhTd2s")[: 5 if text.count("/") == 3 else 4]
    state = LIMIT.start().deal([*hole, *parse_cards("8d8c")])
    board_left = iter(board)
    for letter in text.replace("/", ""):
        state = state.apply("fcr".index(letter))
        while state.player == CHANCE:
            state = state.apply(next(board_left))
    view = state.view(0)
    exact = search(
        BETTING, BETTING.decision(view.betting), range_forecast(table_actor(blind("always-call"), 1), view)
    )
    chances = np.zeros(BETTING.arrays.child.shape)
    for node in BETTING.decisions(1).tolist():
        chances[node, BETTING.actions[node].index(1)] = 1.0
    uniform = np.tile(np.arange(21) / 20, (BETTING.num_nodes, 1))
    forecast = PublicForecast(BETTING, 0, chances, uniform, standings(LIMIT, view.hole, view.board))
    rough = search(BETTING, BETTING.decision(view.betting), forecast)
    assert rough.best == exact.best
    assert_allclose(rough.values, exact.values, atol=0.5)  # chips; card removal is left out of the public one


@compiled
def test_boards_of_the_rest_of_a_hand() -> None:
    hole, flop = parse_cards("AhQc"), parse_cards("3h4cJh")
    runout = deal_out(LIMIT, hole, flop)
    assert [len(boards) for boards in runout.boards] == [1, 47, 47 * 46]
    assert all(not set(board) & set(hole) and len(set(board)) == 5 for board in runout.boards[-1].tolist())
    found = standings(LIMIT, hole, flop)
    assert found.deals.sizes[:3] == (0, 1, 47)
    assert_allclose(found.deals.chances[2].sum(axis=1), 1)
    mean = (found.deals.chances[1] @ found.deals.chances[2] @ found.ranks).item()
    assert mean == pytest.approx(ranks_on(LIMIT, hole, runout.boards[-1]).mean(), abs=1e-3)  # rounded
    drawn = deal_out(LIMIT, hole, (), (5, 3, ALL), np.random.default_rng(0))
    assert [len(boards) for boards in drawn.boards] == [1, 5, 15, 15 * 46]
    same = [standings(LIMIT, parse_cards(text), (), 10, 2) for text in ("AhQh", "AsQs")]
    assert same[0] is same[1]


def test_hand_rank() -> None:
    """In Leduc with the king on the board: a king beats 4 of 5 cards, a queen 2 and ties with one other."""
    game = leduc()
    jack, queen, king = ([card for card in game.rules.deck if card // 4 == rank] for rank in (9, 10, 11))
    assert place_of(game, king[:1], king[1:]) == pytest.approx((0.8, 1.0))
    assert place_of(game, queen[:1], king[1:]).rank == pytest.approx(0.6)
    assert place_of(game, jack[:1], king[1:]) == pytest.approx((0.0, 0.4))
    with pytest.raises(SoulreadError, match="clash"):
        place_of(game, king[:1], king[:1])
    with pytest.raises(SoulreadError, match="a complete board has 1"):
        place_of(game, king[:1], ())


def test_hand_ranks_by_pairs_of_ranks_are_those_of_all_holdings() -> None:
    """Against the values of all 1326 holdings; boards of one suit, four of it, three, and of pairs."""
    rng = np.random.default_rng(8)
    named = ("2h5h9hJhKh", "2h5h9hJhKs", "2h5h9hJsKs", "9h9s9dJhJs", "AhKhQhJhTh", "2h2s7d7cQc", "5c6c7c8c9d")
    boards = [parse_cards(text) for text in named] + [rng.permutation(52)[:5].tolist() for _ in range(60)]
    flushes = 0
    for board in boards:
        array = np.array([board], dtype=np.uint8)
        values = values_on(array)[0]
        alive = np.flatnonzero(values >= 0)
        for number in rng.choice(alive, 4):
            hole = HAND_CARDS[number].tolist()
            below = (values[alive] < values[number]).sum() / alive.size
            upto = (values[alive] <= values[number]).sum() / alive.size
            assert place_of(LIMIT, hole, board) == pytest.approx((below, upto), abs=1e-12)
            assert ranks_on(LIMIT, hole, array)[0] == pytest.approx((below + upto) / 2, abs=1e-12)
            flushes += category(int(values[number])) == Category.FLUSH
    assert flushes > 3
    with pytest.raises(SoulreadError, match="clash"):
        place_of(LIMIT, boards[0][:2], boards[0])


def test_the_model_of_a_stranger_can_be_searched_with() -> None:
    tree = ContextTree(LIMIT)
    tables = tree.tables(1)
    hole, board = parse_cards("AhAc"), parse_cards("AsAd3h4cJh")
    forecast = PublicForecast(BETTING, 0, *tables, standings(LIMIT, hole, board))
    assert search(BETTING, BETTING.decision("cc/cc/cc/"), forecast).best == 2
