"""Play-outs of limit hold'em: the same as by the rule engine, drawn by the right law, ended in time."""

import itertools
import math

import naive_rollout as naive
import numpy as np
import pytest

from soulread.cards.deck import parse_cards
from soulread.cards.evaluate import describe, evaluate
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, hand_index
from soulread.cards.scales import boards_to_come as come
from soulread.cards.strength import hand_strength, potential
from soulread.errors import ShapeError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, RAISE, PokerState, replay
from soulread.play.search import deals as dealing
from soulread.play.search import outlook, rollout
from soulread.play.search.deals import draws_from, new_deal, source_of
from soulread.play.search.outlook import Limits, Outlook, new_sums
from soulread.play.search.rollout import MOST_BETS, Acting, new_acting, play_out, point_of, simulate_decision


def random_point(seats: int, rng: np.random.Generator) -> PokerState:
    """Some decision of a random hand."""
    while True:
        state = parse_game(f"ring-limit:{seats}").start()
        cards = iter(rng.permutation(52).tolist())
        for _ in range(int(rng.integers(0, 6 * seats))):
            state = deal_out(state, cards)
            if state.player == TERMINAL:
                break
            legal = state.legal_actions()
            state = state.apply(int(rng.choice(legal, p=None if rng.random() < 0.3 else calls(legal))))
        state = deal_out(state, cards)
        if state.player != TERMINAL:
            return state


def calls(legal) -> np.ndarray:
    weights = np.array([{FOLD: 0.1, CALL: 1.0, RAISE: 0.5}[action] for action in legal])
    chances: np.ndarray = weights / weights.sum()
    return chances


def deal_out(state: PokerState, cards) -> PokerState:
    while state.player == CHANCE:
        state = state.apply(next(cards))
    return state


def some_acting(seats: int, rng: np.random.Generator) -> Acting:
    """Bars, frequencies and doubts that let every kind of action happen; the first seat is not doubted."""
    bars = rng.uniform(0.1, 0.9, (seats, 12, 2, 2))
    bars[..., 1] *= 0.4
    doubts = rng.uniform(0.1, 0.9, seats)
    doubts[0] = 0
    return Acting(bars, rng.uniform(0.0, 0.6, (seats, 12, 2)), doubts)


@pytest.mark.parametrize("seats", range(2, 11))
def test_a_play_out_is_a_hand_of_the_rule_engine(seats: int) -> None:
    """Betting, folds, caps, pots and split pots, from random decisions, with the same random numbers."""
    rng = np.random.default_rng(seats)
    ends = {"fold": 0, "won": 0, "showdown": 0}
    for _ in range(250):
        state = random_point(seats, rng)
        left = [card for card in rng.permutation(52).tolist() if card not in state.cards]
        board = (*state.board, *left)[:5]
        deal = new_deal(seats, MOST_BETS)
        deal.hs[:] = rng.random((4, seats))
        deal.ppot[:] = 0.3 * rng.random((4, seats))
        deal.uniforms[:] = rng.random(deal.uniforms.shape)
        deal.ranks[:] = [evaluate((*state.hole(seat), *board)) for seat in range(seats)]
        acting = some_acting(seats, rng)
        point = point_of(state.view(state.player))
        for first in state.legal_actions():
            if first != FOLD:
                expected, end = naive.play_out(state, first, acting, deal, board)
                assert play_out(point, first, acting, deal, point.copy()) == expected
                how = "fold" if end.folded[state.player] else "showdown" if end.showdown else "won"
                ends[how] += 1
    assert min(ends.values()) > 5


def test_odd_chips_of_a_split_pot_go_to_the_first_winner_after_the_button() -> None:
    """Three seats, the small blind folds its chip, and the other two play the board."""
    state = replay(
        parse_game("ring-limit:3"), "cfc/cc/cc/c", (*parse_cards("2c3c4d5d6h7h"), *parse_cards("AsKsQsJsTs"))
    )
    deal = new_deal(3, MOST_BETS)
    deal.ranks[:] = 1
    acting = new_acting(3)
    acting.bars[:] = 0.5
    assert state.player == 2
    point = point_of(state.view(2))
    assert play_out(point, CALL, acting, deal, point.copy()) == 2  # of the pot of 5
    first = replay(
        parse_game("ring-limit:3"), "cfc/cc/cc/", (*parse_cards("2c3c4d5d6h7h"), *parse_cards("AsKsQsJsTs"))
    )
    deal.uniforms[:] = 0.5
    deal.hs[:] = 0.6
    point = point_of(first.view(1))
    assert play_out(point, CALL, acting, deal, point.copy()) == 3


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("seats", "betting"), [(3, "ccc/"), (2, "cc/cc/"), (4, "rcfc/ccc/cc"), (3, "ccc/ccc/ccc/")]
)
def test_whole_chunks_agree_with_the_slow_twin(seats: int, betting: str) -> None:
    """Draws, boards, values and betting, deal by deal, from the same stream."""
    rng = np.random.default_rng(9)
    game = parse_game(f"ring-limit:{seats}")
    known = (0, 3, 4, 5)[betting.count("/")]
    state = replay(game, betting, rng.permutation(52)[: 2 * seats + known].tolist())
    view = state.view(state.player)
    acting = some_acting(seats, rng)
    tables = rng.random((seats, 1326)) ** 3
    point = point_of(view)
    taken = int(np.bitwise_or.reduce(np.int64(1) << np.array([*view.hole, *view.board], np.int64)))
    draws = draws_from(view, tables)
    found = source_of(view, np.zeros((seats, 1326)))
    sums = new_sums(2)
    deals = 3
    rollout.run_chunk(
        deals, 10**6, point, np.array([CALL, RAISE]), taken, acting, draws, found,
        new_deal(seats, MOST_BETS), sums, np.random.default_rng(3),
    )  # fmt: skip
    expected = np.array(naive.chunk(state, deals, acting, draws, np.random.default_rng(3)))
    assert sums.counts[0] == deals
    assert np.array_equal(sums.totals, expected.sum(axis=0))
    assert np.array_equal(sums.products, expected.T @ expected)


# Values -------------------------------------------------------------------------------------------


def test_rows_have_the_strength_of_every_holding() -> None:
    board = parse_cards("3h4cJhKd2s")
    for cards in (3, 4, 5):
        row = np.empty(1326, np.float32)
        come.fill_row(np.array(board[:cards]), come.room(), row)
        for hand in (0, 17, 400, 801, 1325):
            hole = HAND_CARDS[hand].tolist()
            dead = set(hole) & set(board[:cards])
            assert row[hand] == pytest.approx(
                0.0 if dead else hand_strength(hole, board[:cards]).value, abs=1e-6
            )
    hole = parse_cards("AdQc")
    row = np.empty(1326, np.float32)
    come.fill_row(np.array(board[:3]), come.room(), row)
    assert row[hand_index(*hole)] == pytest.approx(0.585, abs=5e-4)  # paper 001, section II


@pytest.mark.compiled
def test_the_board_on_the_table_has_exact_values_and_boards_to_come_nearly() -> None:
    flop, turn = parse_cards("3h4cJh"), parse_cards("Td")[0]
    now = come.present((*flop, turn))
    rows = come.flop_rows(flop)
    assert come.make_turn(rows, turn, come.room()) == 49
    assert come.make_turn(rows, turn, come.room()) == 0
    hole = parse_cards("5h2h")
    index = hand_index(*hole)
    assert now.ppot[index] == pytest.approx(potential(hole, (*flop, turn), lookahead=1).ppot, abs=1e-6)
    assert rows.turn_ppot[turn, index] == pytest.approx(naive.gain(hole, (*flop, turn)), abs=1e-5)
    free = now.hs > 0
    exact = now.hs + (1 - now.hs) * now.ppot
    near = rows.turn_hs[turn] + (1 - rows.turn_hs[turn]) * rows.turn_ppot[turn]
    assert np.sqrt(np.mean((exact - near)[free] ** 2)) < 0.02


@pytest.mark.compiled
def test_boards_of_the_pool_have_the_values_of_their_cards_and_suits_only_change_places() -> None:
    pooled = come.pool()
    assert len(np.unique(pooled.images, axis=0)) == 24
    for row in pooled.images:
        assert np.array_equal(np.sort(row), np.arange(1326))
    for number in (0, 5):
        board = pooled.boards[number].tolist()
        hand = next(h for h in range(700, 1326) if not set(HAND_CARDS[h].tolist()) & set(board))
        hole = HAND_CARDS[hand].tolist()
        for street in range(3):
            strength = hand_strength(hole, board[: 3 + street]).value
            assert pooled.hs[number, street, hand] == pytest.approx(strength, abs=1e-6)
        for street in range(2):
            assert pooled.ppot[number, street, hand] == pytest.approx(
                naive.gain(hole, board[: 3 + street]), abs=1e-5
            )


# Draws --------------------------------------------------------------------------------------------


def law_of(tables: np.ndarray, taken: int) -> dict[tuple[int, ...], float]:
    """The joint law, from its definition."""
    found = {}
    for hands in itertools.product(*(np.flatnonzero(row).tolist() for row in tables)):
        used, weight = taken, 1.0
        for row, hand in zip(tables, hands, strict=True):
            weight *= 0.0 if used & int(HAND_MASKS[hand]) else row[hand]
            used |= int(HAND_MASKS[hand])
        found[hands] = weight
    total = sum(found.values())
    return {hands: weight / total for hands, weight in found.items() if weight}


def draws_for(tables: np.ndarray) -> dealing.Draws:
    keep, alias = np.empty_like(tables), np.empty(tables.shape, np.int64)
    for row, kept, other in zip(tables, keep, alias, strict=True):
        dealing.fill_alias(row, kept, other)
    return dealing.Draws(
        np.arange(1, len(tables) + 1), tables, keep, alias, HAND_MASKS, np.zeros(2, np.int64)
    )


@pytest.mark.compiled
def test_holdings_are_drawn_together_by_the_product_of_their_weights() -> None:
    """Chi-square over all triples of holdings; one seed in 10,000 would give a false alarm."""
    tables = np.zeros((3, 1326))
    hands = [parse_cards(text) for text in ("AsAh", "AsKs", "KsKh", "QdQc", "7c2d", "7c7d")]
    tables[:, [hand_index(*hand) for hand in hands]] = [
        [5, 1, 3, 1, 2, 1],
        [1, 4, 1, 2, 2, 1],
        [2, 2, 2, 1, 3, 4],
    ]
    taken = 1 << int(parse_cards("Qd")[0])
    law = law_of(tables, taken)
    draws, rng = draws_for(tables), np.random.default_rng(4)
    holdings = np.full(4, -1)
    seen = dict.fromkeys(law, 0)
    count = 20_000
    for _ in range(count):
        dealing.draw_holdings(draws, taken, holdings, rng)
        seen[tuple(holdings[1:].tolist())] += 1
    assert draws.counts[0] > 0
    assert draws.counts[1] == 0
    distance = sum((seen[hands] - count * p) ** 2 / (count * p) for hands, p in law.items())
    free = len(law) - 1
    assert distance < free + 4 * math.sqrt(2 * free) + 8


def test_tables_that_exclude_each_other_are_drawn_one_after_the_other() -> None:
    tables = np.zeros((2, 1326))
    aces, kings = hand_index(*parse_cards("AsAh")), hand_index(*parse_cards("KsKh"))
    tables[:, aces] = 1
    tables[1, kings] = 1e-12
    draws, holdings = draws_for(tables), np.full(3, -1)
    used = dealing.draw_holdings(draws, 0, holdings, np.random.default_rng(1))
    assert draws.counts[1] == 1
    assert used == HAND_MASKS[holdings[1]] | HAND_MASKS[holdings[2]]
    assert HAND_MASKS[holdings[1]] & HAND_MASKS[holdings[2]] == 0
    assert aces in holdings


def test_weights_of_zero_are_never_drawn() -> None:
    rng = np.random.default_rng(2)
    table = np.where(rng.random(1326) < 0.01, rng.random(1326), 0.0)[None]
    draws, holdings = draws_for(table), np.full(2, -1)
    for _ in range(200):
        dealing.draw_holdings(draws, 0, holdings, rng)
        assert table[0, holdings[1]] > 0


# Decisions ----------------------------------------------------------------------------------------


def decide(
    state: PokerState, limits: Limits, seed: int = 0, tables: np.ndarray | None = None, **options
) -> Outlook:
    seats = state.game.num_players
    acting = new_acting(seats)
    acting.bars[:] = [[0.4, 0.1], [0.7, 0.1]]
    before = np.tile(np.arange(1326) / 1326, (seats, 1))
    if tables is None:
        tables = np.ones((seats, 1326))
    view = state.view(state.player)
    return simulate_decision(view, tables, acting, before, limits, np.random.default_rng(seed), **options)


def river(hole: str, betting: str = "cc/cc/cc/r") -> PokerState:
    """The last round heads-up; seat 1 has ``hole`` and is to act."""
    return replay(parse_game("ring-limit:2"), betting, parse_cards("2c7d" + hole + "KsKhKdQsJh"))


@pytest.mark.compiled
def test_what_can_be_counted_is_found() -> None:
    """The nuts call a last bet and win the pot and the bet; the worst hand loses what it calls."""
    best = decide(river("KcAd"), Limits(playouts=4000, clear=math.inf))
    assert best.call == 8  # the pot of 4 and the bet of 4
    assert best.error(CALL) == 0
    assert best.raise_ > best.call
    assert best.best(may_fold=True) == RAISE
    state = river("3c2d")
    better = np.where(come.present(state.board).hs > 0.5, 1.0, 0.0)
    worst = decide(state, Limits(playouts=4000), tables=np.tile(better, (2, 1)))
    assert worst.call == -4
    assert worst.best(may_fold=True) in (FOLD, RAISE)


@pytest.mark.compiled
def test_it_stops_when_the_answer_is_clear_or_the_play_outs_are_spent() -> None:
    clear = decide(river("KcAd"), Limits(playouts=10**6))
    assert clear.clear
    assert clear.playouts < 10**4
    counted = decide(river("KcAd"), Limits(playouts=1001, clear=math.inf))
    assert not counted.clear
    assert counted.playouts == 1002  # deals are played out in pairs
    assert counted.chunks == -(-501 // outlook.CHUNK)


@pytest.mark.compiled
def test_the_clock_is_asked_after_every_chunk_and_the_budget_ends_it() -> None:
    """A clock that moves a second at a time: a budget of 6.5 s is over after the seventh chunk."""
    ticks = itertools.count()
    found = decide(river("Qd9d"), Limits(budget=6.5, clear=math.inf), clock=lambda: float(next(ticks)))
    assert found.chunks == 7


def test_with_a_budget_chunks_are_as_long_as_the_clock_allows() -> None:
    """Deals of a tick each, after two for other things: no chunk is planned beyond the budget."""
    tick = outlook.SLICE / 3.25
    now, chunks = 2 * tick, []

    def chunk(deals: int, sums: outlook.Sums) -> None:
        nonlocal now
        chunks.append(deals)
        for _ in range(deals):
            outlook.add_deal(sums, np.array([1.0, -1.0]))
        now += tick * deals

    draws = draws_from(river("Qd9d").view(1), np.ones((2, 1326)))
    limits = Limits(budget=20.5 * tick, clear=math.inf)
    found = outlook.run_chunks(chunk, (CALL, RAISE), True, draws, limits, 0.0, lambda: now)
    assert chunks == [10, 2, 3, 3, 1]  # 10 in 12 ticks, 3 in a slice, then what is left
    assert found.playouts == 2 * sum(chunks)
    assert 20.5 * tick <= now < 21.5 * tick


@pytest.mark.compiled
def test_chunks_are_short_while_rows_are_made() -> None:
    state = replay(parse_game("ring-limit:3"), "ccc/", parse_cards("2c7dAhQd3h4c" + "9s8s2d"))
    come.flop_rows.cache_clear()
    one_turn = decide(state, Limits(playouts=2 * outlook.CHUNK, clear=math.inf))
    assert one_turn.chunks > 5  # 47 turns of 49 rows, at most two or three to a chunk


@pytest.mark.compiled
@pytest.mark.parametrize("betting", ["", "crrc", "ccc/", "ccc/ccc/rc"])
def test_same_stream_same_answer_and_errors_shrink(betting: str) -> None:
    known = (0, 3, 4, 5)[betting.count("/")]
    state = replay(parse_game("ring-limit:3"), betting, parse_cards("2c7dAhQd3h4c" + "9s8s2dTh"[: 2 * known]))
    few, again = (decide(state, Limits(playouts=2000, clear=math.inf), 5) for _ in range(2))
    assert few == again
    many = decide(state, Limits(playouts=20_000, clear=math.inf), 6)
    assert abs(many.call - few.call) < 4 * few.error(CALL) + 4 * many.error(CALL)
    assert many.error(CALL) < 0.5 * few.error(CALL) + 1e-9
    assert (
        many.error(RAISE, CALL) ** 2 < many.error(CALL) ** 2 + many.error(RAISE) ** 2 + 1e-9
    )  # what the same cards are for


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [6, 10])
def test_rings_are_simulated_in_every_round(seats: int) -> None:
    for rounds, known in enumerate((0, 3, 4, 5)):
        cards = np.random.default_rng(3).permutation(52)[: 2 * seats + known].tolist()
        state = replay(parse_game(f"ring-limit:{seats}"), ("c" * seats + "/") * rounds, cards)
        found = decide(state, Limits(playouts=1000, clear=math.inf))
        assert math.isfinite(found.call)
        assert math.isfinite(found.raise_)


@pytest.mark.compiled
def test_no_raise_after_the_cap() -> None:
    found = decide(river("KcAd", "cc/cc/cc/rrrr"), Limits(playouts=500))
    assert found.raise_ == -math.inf
    assert found.best(may_fold=True) == CALL


@pytest.mark.parametrize("game", ["ring-limit:3", "nolimit:players=6"])
def test_agents_warm_up_at_the_first_decision_of_each_round(game: str) -> None:
    views = list(outlook.first_decisions(parse_game(game)))
    assert [view.round for view in views] == [0, 1, 2, 3]
    assert [len(view.board) for view in views] == [0, 3, 4, 5]
    assert all(view.to_act == view.seat and view.hole for view in views)


def test_what_cannot_be_simulated_is_refused_with_a_reason() -> None:
    for name in ("kuhn", "leduc", "nolimit"):
        state = parse_game(name).start()
        cards = iter(state.game.rules.deck)
        state = deal_out(state, cards)
        with pytest.raises(SoulreadError, match="no play-outs in"):
            point_of(state.view(state.player))
    state = river("KcAd")
    with pytest.raises(SoulreadError, match="not to act"):
        point_of(state.view(0))
    with pytest.raises(SoulreadError, match="seat 0 has a negative weight, or none"):
        decide(state, Limits(playouts=10), tables=np.zeros((2, 1326)))
    with pytest.raises(SoulreadError, match="not finite"):
        decide(state, Limits(playouts=10), tables=np.full((2, 1326), np.nan))
    with pytest.raises(ShapeError, match="tables has shape"):
        decide(state, Limits(playouts=10), tables=np.ones((3, 1326)))
    for wrong in ({"budget": -1.0}, {"playouts": 0}, {}, {"budget": 1.0, "clear": 0.0}):
        with pytest.raises(SoulreadError, match="budget"):
            Limits(**wrong)


def test_ranks_at_the_showdown_are_those_of_the_evaluator() -> None:
    """Half of the decks have most cards of one suit, so that flushes come on boards and with holdings."""
    rng = np.random.default_rng(3)
    room = come.room()
    flushes = 0
    for number in range(300):
        deck = np.arange(52) if number % 2 else np.concatenate([np.arange(0, 52, 4), np.arange(1, 20, 4)])
        cards = rng.permutation(deck)[:9].tolist()
        board, holes = cards[:5], (cards[5:7], cards[7:9])
        holdings = np.array([hand_index(*holes[0]), -1, hand_index(*holes[1])])
        ranks = np.full(3, -7)
        dealing._fill_ranks(room.tables, room.hands, np.array(board), holdings, ranks)
        expected = [evaluate([*board, *hole]) for hole in holes]
        assert ranks.tolist() == [expected[0], -7, expected[1]]
        flushes += "flush" in describe(expected[0])
    assert flushes > 50
