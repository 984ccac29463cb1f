"""Loki's models: worked examples, slow twins, and what must hold at any table, for any player."""

import tracemalloc
from dataclasses import replace

import naive_loki
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from soulread.cards.arrays import deal
from soulread.cards.deck import parse_cards
from soulread.cards.ranges import HAND_MASKS, NUM_HANDS, cards_mask, hand_index
from soulread.cards.scales.values import (
    Scale,
    board_scale,
    each_against,
    ehs_against,
    income_scale,
    paths_against,
)
from soulread.cards.strength import hand_strength, potential
from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame, PokerState, replay
from soulread.hands.hand import Hand
from soulread.hands.record import seen_by_dealer
from soulread.model.base import ask
from soulread.model.catalogue import parse_model
from soulread.model.loki.contexts import NUM_ENHANCED, bets_to_call, decision_now, previous_of, walk
from soulread.model.loki.model import NARROW, PRIOR, WIDE, LokiModel, default_frequencies
from soulread.model.loki.triples import FLOOR, NUM_CONTEXTS
from soulread.model.loki.weights import (
    LEAST,
    bars_of,
    even_weights,
    initial_weights,
    mean_triple,
    possible_weights,
    ramp_ends,
    reweigh_by_threshold,
    reweigh_by_triples,
)
from soulread.seqform.compile import compile_game

FLOP = parse_cards("3h4cJh")
RING = parse_game("ring-limit:6")


def made_up(seed: int) -> tuple[np.ndarray, Scale]:
    """A table and a scale with ties and impossible holdings."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.random(NUM_HANDS), 2)
    values[rng.random(NUM_HANDS) < 0.1] = -1
    order = np.argsort(values, kind="stable")
    return rng.random(NUM_HANDS) ** 3, Scale(values, order[values[order] >= 0])


# Worked examples ----------------------------------------------------------------------------------


def test_the_example_of_income_rates() -> None:
    """A median of +200 with a variance of 100 (paper 001, section III)."""
    rates = np.array([500.0, 300.0, 200.0, 100.0, -50.0, 250.0])
    assert_allclose(initial_weights(rates, 200, 100), [1, 1, 0.505, 0.01, 0.01, 0.7525], atol=1e-12)


def test_the_example_of_re_weighting() -> None:
    """A call needs .6 with an uncertainty of .2: the same code that re-weighs tables in play."""
    values = np.full(NUM_HANDS, 0.9)
    values[:5] = 0.81, 0.8, 0.6, 0.4, 0.1
    weights = even_weights()
    scale = Scale(values, np.argsort(values))
    reweigh_by_threshold(weights, scale, np.array([[0.6, 0.2], [0.9, 0.1]]), 1, True)
    assert_allclose(weights[:5], [1, 1, 0.505, 0.01, 0.01], atol=1e-12)


def test_holdings_of_one_value_are_parted_by_the_frequency() -> None:
    """Two thirds of the holdings tie; who raises a fifth of all raises a fifth of all, not all that tie."""
    values = np.where(np.arange(NUM_HANDS) % 3 == 0, np.linspace(0, 0.4, NUM_HANDS), 0.7)
    scale = Scale(values, np.argsort(values, kind="stable"))
    bars = bars_of(scale, np.array([0.5, 0.2]), 0.1)
    fold, _, raised = mean_triple(np.full(NUM_HANDS, 1 / NUM_HANDS), scale, bars, True, True)
    assert raised == pytest.approx(0.2, abs=0.01)
    assert fold == pytest.approx(0.5, abs=0.01)


def test_the_example_of_a_triple() -> None:
    """Aces weigh .7, the triple is [0, .2, .8], and the opponent calls: .7 x .2 = .14 (section IV).

    With nothing to fold to, a share FLOOR / 2 of the triple is spread; the bar is placed so that .2 is left.
    """
    aces = hand_index(*parse_cards("AsAh"))
    above = 1 - (0.2 - FLOOR / 2) / (1 - FLOOR)
    values = np.full(NUM_HANDS, 0.5)
    values[aces] = above
    weights = even_weights()
    weights[aces] = 0.7
    scale = Scale(values, np.argsort(values))
    bars = np.array([[0.0, 0.0], [0.5, 0.5]])
    reweigh_by_triples(weights, scale, bars, 1, False, True)
    assert weights[aces] == pytest.approx(0.14, abs=1e-12)


def test_strength_of_the_thesis() -> None:
    """A Q on 3 4 J is ahead of 58.5% of holdings, and of three opponents in 20.0% (section II)."""
    hole = parse_cards("AhQc")
    assert each_against(hole, FLOP, [even_weights()])[0].hs == pytest.approx(0.585, abs=5e-4)
    assert ehs_against(hole, FLOP, [even_weights()] * 3).hs == pytest.approx(0.200, abs=5e-4)


# Twins --------------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 10**6),
    fold=st.floats(0.01, 0.99),
    raised=st.floats(0.01, 0.99),
    spread=st.floats(0.01, 1.5),
    doubt=st.sampled_from([0.0, 0.3]),
    action=st.integers(0, 2),
    may_fold=st.booleans(),
    may_raise=st.booleans(),
    by=st.sampled_from(["triples", "threshold"]),
)
@settings(max_examples=25)
def test_re_weighting_agrees_with_naive(
    seed: int,
    fold: float,
    raised: float,
    spread: float,
    doubt: float,
    action: int,
    may_fold: bool,
    may_raise: bool,
    by: str,
) -> None:
    weights, scale = made_up(seed)
    rates = np.array([fold, raised])
    bars = bars_of(scale, rates, spread)
    twin = naive_loki.bars(scale.values.tolist(), fold, raised, spread)
    assert_allclose(bars, twin, atol=1e-6)
    twin = bars.tolist()
    action = max(action, 0 if may_fold else 1)
    action = min(action, 2 if may_raise else 1)
    after = weights.copy()
    if by == "triples":
        reweigh_by_triples(after, scale, bars, action, may_fold, may_raise, doubt)
    else:
        reweigh_by_threshold(after, scale, bars, action, may_fold)
    expected = naive_loki.reweigh(
        weights.tolist(), scale.values.tolist(), twin, action, may_fold, may_raise, by, doubt
    )
    if by == "threshold" and action == 1 and not may_fold:
        expected = weights.tolist()  # a check tells nothing
    assert_allclose(after, expected, rtol=1e-9)
    chances = weights / weights.sum()
    triples = np.array([naive_loki.triple(value, twin, may_fold, may_raise) for value in scale.values])
    assert_allclose(mean_triple(chances, scale, bars, may_fold, may_raise), chances @ triples, atol=1e-12)


@given(q=st.floats(0, 1), s=st.floats(0, 3))
def test_a_ramp_has_the_right_mean(q: float, s: float) -> None:
    begin, end = ramp_ends(q, s)
    assert end - begin == pytest.approx(2 * s)
    if s > 1e-3:
        assert naive_loki.ramp_mean(begin, s) == pytest.approx(1 - q, abs=1e-9)


def test_doubt_makes_an_action_tell_less() -> None:
    weights, scale = made_up(3)
    rates = np.array([0.4, 0.2])
    bars = bars_of(scale, rates, 0.1)
    plain, doubted = weights.copy(), weights.copy()
    reweigh_by_triples(plain, scale, bars, 2, True, True)
    reweigh_by_triples(doubted, scale, bars, 2, True, True, doubt=0.25)
    chances = np.array([naive_loki.triple(value, bars.tolist(), True, True)[2] for value in scale.values])
    possible = weights * (scale.values >= 0)
    mean = possible @ chances / possible.sum()
    assert_allclose(plain, np.maximum(weights * chances, LEAST * plain.max()))
    expected = weights * (0.75 * chances + 0.25 * mean)
    assert_allclose(doubted, np.maximum(expected, LEAST * expected.max()))


@pytest.mark.compiled
@pytest.mark.parametrize("board", ["3h4cJh", "3h4cJhQs", "3h4cJhQs2d"])
def test_a_hand_against_tables_agrees_with_naive(board: str) -> None:
    rng = np.random.default_rng(5)
    hole, cards = parse_cards("AhQc"), parse_cards(board)
    tables = [rng.random(NUM_HANDS) * (rng.random(NUM_HANDS) < 0.3) for _ in range(3)]
    found = paths_against(hole, cards, tables)
    for one, table in zip(found, tables, strict=True):
        assert_allclose(one, naive_loki.paths(hole, cards, table.tolist()))
    each, together = each_against(hole, cards, tables), ehs_against(hole, cards, tables)
    assert together.hs == pytest.approx(each[0].hs * each[1].hs * each[2].hs)
    assert together.ehs == pytest.approx(together.hs + (1 - together.hs) * together.ppot)
    assert min(one.ppot for one in each) <= together.ppot <= max(one.ppot for one in each)


@pytest.mark.compiled
def test_against_even_weights_it_is_the_strength_of_the_cards() -> None:
    hole = parse_cards("5h2h")
    now = each_against(hole, FLOP, [even_weights()])[0]
    known = potential(hole, FLOP, lookahead=1)
    assert now.hs == pytest.approx(hand_strength(hole, FLOP).value)
    assert (now.ppot, now.ehs) == pytest.approx((known.ppot, known.ehs()))
    scale = board_scale(FLOP, 3)
    assert scale.values[hand_index(*hole)] == pytest.approx(known.ehs(3))
    assert (scale.values[(HAND_MASKS & cards_mask(FLOP)) != 0] == -1).all()
    assert scale.order.size == 1176


def test_a_hand_against_nobody_or_nothing_is_refused() -> None:
    hole = parse_cards("AhQc")
    with pytest.raises(SoulreadError, match="at least one opponent"):
        ehs_against(hole, FLOP, [])
    only = np.zeros(NUM_HANDS)
    only[hand_index(*parse_cards("AhKh"))] = 1
    with pytest.raises(SoulreadError, match="no possible holding"):
        ehs_against(hole, FLOP, [only])
    with pytest.raises(SoulreadError, match="expected 2 on 3, 4 or 5"):
        ehs_against(hole, (), [even_weights()])
    with pytest.raises(SoulreadError, match="comes twice"):
        ehs_against(parse_cards("Jh2c"), FLOP, [even_weights()])


# Tables -------------------------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6), actions=st.lists(st.integers(0, 2), min_size=1, max_size=200))
@settings(max_examples=10)
def test_a_table_never_goes_to_zero(seed: int, actions: list[int]) -> None:
    weights, scale = made_up(seed)
    weights = np.maximum(weights, LEAST)
    for action in actions:
        rates = np.array([0.4, 0.2])
        reweigh_by_triples(weights, scale, bars_of(scale, rates, 0.1), action, True, True)
        assert weights.max() > 1e-12
        assert weights.min() >= LEAST * weights.max() * (1 - 1e-9)


def test_card_removal_is_exact() -> None:
    rng = np.random.default_rng(2)
    weights, seen = rng.random(NUM_HANDS), parse_cards("AhQc3h4cJh")
    chances = possible_weights(weights, seen[:2], seen[2:])
    clash = (HAND_MASKS & cards_mask(seen)) != 0
    assert (chances[clash] == 0).all()
    assert (~clash).sum() == 1081
    assert_allclose(chances[~clash], weights[~clash] / weights[~clash].sum())
    with pytest.raises(SoulreadError, match="no holding of the table"):
        possible_weights(weights * clash, seen)


# Contexts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chips", "bet", "bets"), [(0, 2, 0), (1, 2, 1), (2, 2, 1), (3, 2, 2), (4, 2, 2), (12, 4, 2)]
)
def test_bets_are_rounded_up(chips: int, bet: int, bets: int) -> None:
    assert bets_to_call(chips, bet) == bets


def contexts(game: PokerGame, betting: str) -> list[tuple[int, int, int, int]]:
    """(seat, round, bets to call, previous) of each decision."""
    state = replay(
        game, betting, [None] * game.num_cards if betting.count("/") == 3 else _some(game, betting)
    )
    return [
        (made.seat, made.round, made.to_call, made.previous) for made in walk(game, state.actions).decisions
    ]


def _some(game: PokerGame, betting: str) -> list[int | None]:
    return [None] * (2 * game.num_players + (0, 3, 4, 5)[betting.count("/")])


def test_contexts_by_hand() -> None:
    """Six players: fold, fold, raise, fold, the small blind re-raises, fold, call, bet, fold."""
    assert contexts(RING, "ffrfrfc/rf") == [
        (2, 0, 1, 0),
        (3, 0, 1, 0),
        (4, 0, 1, 0),  # raises
        (5, 0, 2, 0),
        (0, 0, 2, 0),  # lacks a bet and a half, and raises
        (1, 0, 2, 0),
        (4, 0, 1, previous_of(2, 1)),
        (0, 1, 0, previous_of(2, 2)),
        (4, 1, 1, previous_of(1, 1)),
    ]
    heads_up = parse_game("limit")
    assert contexts(heads_up, "cc/crrc/") == [
        (1, 0, 1, 0),
        (0, 0, 0, 0),
        (0, 1, 0, previous_of(1, 0)),
        (1, 1, 0, previous_of(1, 1)),
        (0, 1, 1, previous_of(1, 0)),
        (1, 1, 1, previous_of(2, 0)),
    ]


def test_contexts_of_no_limit_count_the_last_raise() -> None:
    game = parse_game("nolimit:players=3,stacks=200")
    # Raise to 6 (4 more): the small blind lacks 5, more than a raise; re-raise to 20, the first lacks one.
    assert contexts(game, "r6r20fc/") == [
        (2, 0, 1, 0),
        (0, 0, 2, 0),
        (1, 0, 2, 0),
        (2, 0, 1, previous_of(2, 1)),
    ]


def test_categories_are_numbered_without_a_gap() -> None:
    found = {made.category for hand in simulated(RING, 60, 5) for made in walk(RING, hand.actions).decisions}
    assert found <= set(range(3 * NUM_CONTEXTS))
    assert len(found) > 20


def test_the_decision_of_a_view_is_that_of_the_walk() -> None:
    for name in ("limit", "ring-limit:6", "nolimit:players=3,stacks=60"):
        game = parse_game(name)
        for state, action in points(game, 30, 7):
            now = decision_now(state.view(0), state.player)
            made = walk(game, state.apply(action).actions).decisions[-1]
            assert now._replace(action=min(action, 2)) == made


def points(game: PokerGame, hands: int, seed: int) -> list[tuple[PokerState, int]]:
    """Decisions of hands at random, with the action taken."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(hands):
        cards = deal(rng, game.rules.deck, game.num_cards)
        state = game.start()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.apply(cards[len(state.cards)])
                continue
            legal = state.legal_actions()
            action = int(legal[min(len(legal) - 1, int(rng.choice([0, 1, 1, 2])))])
            found.append((state, action))
            state = state.apply(action)
    return found


def simulated(game: PokerGame, hands: int, seed: int) -> list[Hand]:
    """Finished hands at random, with all cards."""
    found = []
    for state, action in points(game, hands, seed):
        after = state.apply(action)
        while after.player == CHANCE:
            after = after.apply(next(card for card in game.rules.deck if card not in after.cards))
        if after.player == TERMINAL:
            found.append(seen_by_dealer(after))
    return found


# Frequencies --------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 11))
def test_default_frequencies_are_sensible(players: int) -> None:
    found = default_frequencies(players)
    assert found.min() >= 0
    assert found.sum(axis=1).max() <= 1
    assert (found[::3, 0] == 0).all()  # nobody folds where checking is free
    for previous in range(1, 7):
        assert default_frequencies(players, previous)[1, 0] < found[1, 0] / 2  # who has called seldom folds
    if players > 2:
        assert found[1, 0] > default_frequencies(players - 1)[1, 0]  # more players, more folds


def test_som_slides_by_the_rule() -> None:
    model = LokiModel(RING, "som", prior=10.0)
    generic = default_frequencies(6)
    assert_allclose(model.frequencies(6), generic)
    assert model.share(1) == 0
    hands = simulated(RING, 400, 3)
    model.fit(hands, "seat 3")
    assert model.counts.sum() == sum(
        made.seat == 3 for hand in hands for made in walk(RING, hand.actions).decisions
    )
    folds, n = model.counts[1, 0], model.counts[1].sum()
    assert n > 50
    assert model.share(1) == pytest.approx(n / (10 + n))
    assert model.frequencies(6)[1, 0] == pytest.approx((10 * generic[1, 0] + folds) / (10 + n))
    shares = [LokiModel(RING, "som").fit(hands[:k], "seat 3").share(1) for k in (0, 50, 400)]
    assert shares == sorted(shares)
    assert shares[0] < shares[1] < shares[2] < 1


def test_a_capped_round_says_nothing_about_raising() -> None:
    game = parse_game("limit")
    hand = seen_by_dealer(replay(game, "rrrc/cc/cc/cc", [None] * 9))
    capped = walk(game, hand.actions).decisions[3]
    assert (capped.seat, capped.action, capped.may_raise) == (0, 1, False)
    model = LokiModel(game, "som", prior=1.0).fit([hand] * 50, "seat 0")
    raised = walk(game, hand.actions).decisions[1]
    assert raised.context == capped.context
    generic = default_frequencies(2)[raised.context]
    assert model.frequencies(2)[raised.context, 1] == pytest.approx((generic[1] + 50) / 51)  # 50 of 50
    assert model.frequencies(2)[raised.context, 0] == pytest.approx(generic[0] / 101)  # 0 of 100


def test_davidsons_contexts_slide_twice() -> None:
    hands = simulated(RING, 300, 4)
    plain = LokiModel(RING, "som", prior=10.0).fit(hands, "seat 1")
    fine = LokiModel(RING, "som", "davidson", prior=10.0).fit(hands, "seat 1")
    previous, context = previous_of(1, 1), 4  # called a bet before; one bet to call on the flop
    seen = fine.observed[context * 7 + previous]
    assert seen.sum() > 0
    expected = (10 * plain.frequencies(6)[context, 0] + seen[:, 0].sum()) / (10 + seen.sum())
    assert fine.frequencies(6, previous)[context, 0] == pytest.approx(expected)
    moved = default_frequencies(6, previous)[1, 0] / default_frequencies(6)[1, 0]  # before the flop
    folds, total = fine.observed[7 + previous, :, 0].sum(), fine.observed[7 + previous].sum()
    expected = (10 * plain.frequencies(6)[1, 0] * moved + folds) / (10 + total)
    assert fine.frequencies(6, previous)[1, 0] == pytest.approx(expected)
    assert fine.share(context * 7 + previous) == pytest.approx(seen.sum() / (10 + seen.sum()))
    with pytest.raises(SoulreadError, match="expected 0 to 83"):
        fine.share(NUM_ENHANCED)


@pytest.mark.compiled
def test_a_model_predicts_its_frequencies() -> None:
    """Before the flop, with one bet to call, the mean over all holdings is near the frequencies."""
    for players in (2, 6, 10):
        game = parse_game(f"ring-limit:{players}")
        state = game.start().deal(list(range(2 * players)))
        view = state.view((state.player + 1) % players)
        fold, raised = default_frequencies(players)[1]
        answer = ask(LokiModel(game), view, state.player)
        assert answer[0] == pytest.approx(fold, abs=0.04)
        assert answer[2] == pytest.approx(raised, abs=0.04)


# Models in play -----------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["gom", "som"])
@pytest.mark.parametrize("reweight", ["threshold", "triples"])
@pytest.mark.parametrize(
    "name", ["limit", "ring-limit:3", "ring-limit:10", "nolimit:players=3,stacks=60", "nolimit"]
)
def test_any_table_any_point(name: str, reweight: str, kind: str) -> None:
    game = parse_game(name)
    model = LokiModel(game, kind, "davidson", reweight)
    for state, _ in points(game, 4, 9):
        asker = (state.player + 1) % game.num_players
        view = state.view(asker)
        chances = model.holdings(view, state.player)
        assert chances.sum() == pytest.approx(1)
        assert (chances > 0).sum() == len(game.holdings) - (
            (HAND_MASKS & cards_mask((*view.hole, *view.board))) != 0
        ).sum()
        answer = ask(model, view, state.player)
        assert min(answer.values()) > 0
        kinds = {min(action, 2) for action in view.choices[:3]}
        assert {min(action, 2) for action in answer} == kinds
        bars = model.bars(view, state.player)
        assert bars.shape == (NUM_CONTEXTS, 2, 2)
        assert (bars[:, :, 1] >= 0).all()
        assert np.isfinite(bars).all()


@pytest.mark.compiled
def test_step_by_step_is_all_at_once() -> None:
    """A model that followed the hand, and one that is asked at its end only, read the same."""
    game = RING
    follower = LokiModel(game)
    for state, action in points(game, 5, 12):
        view = state.view(0)
        follower.holdings(view, 3)
        del action
        assert_array_equal(follower.table(view, 3), LokiModel(game).table(view, 3))


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["gom", "som"])
def test_kept_bars_are_those_of_a_new_model(kind: str) -> None:
    """Whatever was asked before: other boards, seats and numbers of opponents, and hands learnt."""
    hands = simulated(RING, 30, 2)
    keeper = LokiModel(RING, kind, "davidson")
    known: list[Hand] = []
    for number, (state, _) in enumerate(points(RING, 6, 12)):
        view = state.view(0)
        for seat in (state.player, (state.player + 2) % 6):
            fresh = LokiModel(RING, kind, "davidson").fit(known, "seat 1")
            assert_array_equal(keeper.bars(view, seat), fresh.bars(view, seat))
            assert_array_equal(keeper.bars(view, seat), fresh.bars(view, seat))
        if number % 9 == 0 and len(known) < len(hands):
            known.append(hands[len(known)])
            keeper.update(known[-1], "seat 1")


@pytest.mark.compiled
def test_bars_do_not_follow_the_table() -> None:
    """Each bet leaves the bar of the next one where it was: a quantile of all holdings of the board."""
    hole, board = "AsAh2c3d", "KdTh6c"
    views = [replay(parse_game("limit"), text, hole + board).view(0) for text in ("rc/", "rrrc/", "rc/crrr")]
    model = LokiModel(parse_game("limit"))
    assert np.abs(model.table(views[0], 1) - model.table(views[2], 1)).max() > 0.1
    first = model.bars(views[0], 1)
    for view in views[1:]:
        assert_array_equal(model.bars(view, 1), first)
    assert (
        model.usual(views[2], 1, model.holdings(views[2], 1))[4, 0]
        < 0.5 * model.usual(views[0], 1, even_weights() / NUM_HANDS)[4, 0]
    )  # one who has raised seldom folds, for any reason
    scale = board_scale(views[0].board, 1)
    fold, raised = default_frequencies(2)[4]
    chances = np.where(scale.values >= 0, 1.0, 0.0)
    found = mean_triple(chances / chances.sum(), scale, first[4], True, True)
    assert found[0] == pytest.approx(fold, abs=0.02)
    assert found[2] == pytest.approx(raised, abs=0.02)


@pytest.mark.compiled
def test_the_same_betting_on_another_board_is_another_table() -> None:
    """A model that has read one hand reads the next one, with other cards on the board, as if it were new."""
    model = LokiModel(RING)
    views = [
        replay(RING, "fffrfc/cr", [*[None] * 12, *parse_cards(board)]).view(1)
        for board in ("3h4cJh", "AsKsQd")
    ]
    first, second = (model.table(view, 5) for view in views)
    assert not np.array_equal(first, second)
    assert_array_equal(second, LokiModel(RING).table(views[1], 5))


@pytest.mark.compiled
def test_a_raise_makes_strong_hands_likelier() -> None:
    state = replay(RING, "fffrfc/cr", _some(RING, "/"))
    model = LokiModel(RING)
    view = state.view(1)
    before, after = (possible_weights(model.table(view, 5, skip), view.board) for skip in (1, 0))
    strong = board_scale(view.board, 1).values > 0.9
    assert after[strong].sum() > 1.3 * before[strong].sum()
    assert model.holdings(view, 1).max() == 1  # the asker knows the own cards


@pytest.mark.compiled
def test_somebody_who_raises_everything_is_not_believed() -> None:
    """SOM learns that a raise of this player tells little; GOM does not."""
    game = parse_game("limit")
    hand = seen_by_dealer(replay(game, "rrrc/rrrrc/rrrrc/rrrrc", [None] * 9))
    som = LokiModel(game, "som", doubt=0).fit([hand] * 100, "seat 1")
    gom = LokiModel(game, doubt=0).fit([hand] * 100, "seat 1")
    view = replay(game, "r", [None] * 4).view(0)

    def spread(model: LokiModel) -> float:
        chances = model.holdings(view, 1)
        return -float((chances * np.log(np.maximum(chances, 1e-300))).sum())

    assert spread(som) > spread(gom) + 0.1
    assert som.share(1) > 0.8
    assert gom.share(1) == 0


@pytest.mark.compiled
def test_an_impossible_history_is_refused() -> None:
    view = replay(RING, "ffrf", _some(RING, "")).view(1)
    model = LokiModel(RING)
    with pytest.raises(SoulreadError, match="it is the turn of seat 2"):
        model.holdings(replace(view, actions=((4, 2),)), 4)
    with pytest.raises(SoulreadError, match="action 7 of seat 2"):
        model.holdings(replace(view, actions=((2, 7),)), 4)
    flop = replay(RING, "fffrfc/cr", _some(RING, "/")).view(1)
    with pytest.raises(SoulreadError, match="3 cards on the board, but only 0 are given"):
        model.holdings(replace(flop, board=()), 5)
    assert (model.table(flop, 5, 99) == 1).all()
    with pytest.raises(SoulreadError, match="its seats are 0 to 5"):
        model.holdings(view, 6)
    with pytest.raises(SoulreadError, match="its seats are 0 to 5"):
        model.bars(view, -1)


def test_other_games_and_settings_are_refused() -> None:
    with pytest.raises(SoulreadError, match="'leduc' is not hold'em"):
        LokiModel(parse_game("leduc"))
    kuhn = compile_game(parse_game("kuhn"))
    for name in ("gom", "som:contexts=davidson"):
        with pytest.raises(SoulreadError, match="'kuhn' is not hold'em"):
            parse_model(name).make(kuhn, (None, None))  # type: ignore[arg-type]
    for text in ("gom:reweight=x", "som:contexts=x"):
        with pytest.raises(SoulreadError, match=r"=x; expected (threshold or triples|12 or davidson)"):
            parse_model(text)
    with pytest.raises(SoulreadError, match="expected above 0"):
        parse_model("som:prior=0")
    for wrong in ("kind", "contexts", "reweight"):
        with pytest.raises(SoulreadError, match=f"{wrong}=x; expected .* or .*"):
            LokiModel(RING, **{wrong: "x"})  # type: ignore[arg-type]
    with pytest.raises(SoulreadError, match="expected above 0"):
        LokiModel(RING, prior=-1)
    with pytest.raises(SoulreadError, match="doubt=1"):
        LokiModel(RING, doubt=1.0)


@pytest.mark.compiled
def test_hands_of_other_tables_teach_too() -> None:
    """A player who was seen at a table of three is known at one of ten."""
    model = LokiModel(parse_game("ring-limit:10"), "som")
    hands = simulated(parse_game("ring-limit:3"), 50, 1) + simulated(parse_game("limit"), 20, 2)
    model.fit(hands, "seat 1")
    assert model.counts.sum() > 70
    assert model.share(1) > 0.3
    deep = simulated(parse_game("nolimit:players=4,stacks=100"), 20, 3)
    model.update(deep[0], "seat 1")


@pytest.mark.compiled
def test_three_thousand_hands_without_growth() -> None:
    game = parse_game("ring-limit:3")
    hands = simulated(game, 100, 6)
    asked = [(state.view(0), state.player) for state, _ in points(game, 12, 8)]
    models = [LokiModel(game, "som", "davidson") for _ in range(3)]

    def play(rounds: int) -> None:
        for number in range(rounds):
            for seat, model in enumerate(models):
                model.update(hands[number % len(hands)], f"seat {seat}")
            view, seat = asked[number % len(asked)]
            models[seat].holdings(view, seat)

    play(200)
    tracemalloc.start()
    play(100)
    begun = tracemalloc.get_traced_memory()[0]
    play(2700)
    grown = tracemalloc.get_traced_memory()[0] - begun
    tracemalloc.stop()
    assert grown < 300_000  # bytes; a table has 10,608


def test_spreads_narrow_as_observations_come() -> None:
    model = LokiModel(RING, "som")
    wide = model._rates_of(6, 0)[1]
    narrow = model.fit(simulated(RING, 200, 1), "seat 2")._rates_of(6, 0)[1]
    assert (wide == WIDE).all()
    assert NARROW < narrow[1] < WIDE
    seen = model._plain().sum(axis=(1, 2))
    assert seen[1] > 0
    assert_allclose((WIDE - narrow) / (WIDE - NARROW), seen / (PRIOR + seen))


@pytest.mark.compiled
def test_the_scale_before_the_flop_is_that_of_incomes() -> None:
    values = income_scale(6).values
    aces, worst = hand_index(*parse_cards("AsAh")), hand_index(*parse_cards("7c2d"))
    assert values[aces] == values.max()
    assert values[worst] < 0.1
