import itertools
import json
from types import SimpleNamespace

import naive_variants
import numpy as np
import pytest
from click.testing import CliRunner
from pairs import pair

from soulread.cards.deck import parse_cards
from soulread.cards.equity import equity
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, cards_mask, hand_index
from soulread.cards.strength import ranked_board
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import replay
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import enumerate_states, factored_game
from soulread.seqform.holdings import HoldemTable, hand_table, values_on
from soulread.seqform.lookup import BlindLookup, CardLookup
from soulread.seqform.strategy import plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy, blind_trees
from soulread.solvers.exploitability import best_response_values
from soulread.solvers.lp import solve_exactly
from soulread.solvers.real_cards.local_best_response import (
    FEWEST_CORRECTED,
    LbrTable,
    LocalBestResponse,
    _Boards,
    _mean_strengths,
    _Player,
    _shares,
    _strength,
    local_best_response,
    play_deals,
    without_luck,
)
from soulread.solvers.skews import baseline_behaviour, parse_skews, skew_behaviours

RULES = leduc()
STATES = enumerate_states(RULES)
LEDUC = factored_game(RULES, STATES)
LOOKUP = CardLookup(RULES, STATES.names)
EQUILIBRIUM = solve_exactly(LEDUC).behaviours


def opponent(name):
    if name == "equilibrium":
        return EQUILIBRIUM
    if name == "one king":
        return one_king()
    if "=" in name:
        return skew_behaviours(LEDUC, EQUILIBRIUM, parse_skews(name))
    return tuple(baseline_behaviour(tree, name) for tree in LEDUC.trees)


def strategy(behaviours):
    return TabularStrategy(betting_tree(RULES), LOOKUP, behaviours)


def one_king():
    """Raises with one of the kings and gives up all other hands: a board card may exclude its whole range."""
    behaviours = pair(np.zeros_like(behaviour) for behaviour in EQUILIBRIUM)
    table, deck = strategy(behaviours), sorted(RULES.rules.deck)
    for node, actions in enumerate(table.betting.actions):
        boards = [()] if table.betting.arrays.round[node] == 0 else [(card,) for card in deck]
        for card, board in itertools.product(deck, boards):
            if actions and card not in board:
                chances = table.probabilities(node, LOOKUP.state((card,), board))
                chances[-1 if card == deck[-1] else 0] = 1
    return behaviours


def blind(game, name):
    betting = betting_tree(game)
    first, second = (baseline_behaviour(tree, name) for tree in blind_trees(betting))
    return TabularStrategy(betting, BlindLookup(len(game.rules.board_cards)), (first, second))


@pytest.mark.parametrize(
    "name", ["random", "always-call", "probe", "loose=0.5", "aggressive=0.3", "passive=0.6"]
)
def test_mean_is_the_exact_value_and_below_the_best_response(name):
    """1,000 deals; a fixed seed, and bounds of 4 standard errors (6 in 100,000 on either side)."""
    behaviours = opponent(name)
    found = local_best_response(strategy(behaviours), RULES, 1000, seed=1)
    exact = [
        naive_variants.local_best_response_value(RULES, seat, naive_variants.looked_up(LEDUC, behaviours))
        for seat in (0, 1)
    ]
    plans = pair(plan_from_behaviour(t, b) for t, b in zip(LEDUC.trees, behaviours, strict=True))
    best = best_response_values(LEDUC, plans)
    for seat in (0, 1):
        assert abs(found.seats[seat].mean - exact[seat]) <= 4 * found.seats[seat].standard_error + 1e-9
        assert exact[seat] <= best[seat] + 1e-9
    assert abs(found.value.mean - sum(exact) / 2) <= 4 * found.value.standard_error
    assert found.value.mean - 4 * found.value.standard_error > 0


@pytest.mark.parametrize("name", ["random", "equilibrium", "probe", "loose=0.5", "one king"])
@pytest.mark.parametrize("first_round", [0, 1])
def test_mean_over_all_deals_is_exact(name, first_round):
    """Nothing is drawn: over all 120 deals of Leduc the mean is that of the walk over histories."""
    behaviours = opponent(name)
    player = _Player(strategy(behaviours), RULES, hand_table(RULES), first_round, 1)
    deck = RULES.rules.deck
    for seat in (0, 1):
        won = [
            player.play(cards, _Boards(player, cards[2:], np.random.default_rng(0)), seat, [behaviours])
            for cards in itertools.permutations(deck, 3)
        ]
        exact = naive_variants.local_best_response_value(
            RULES, seat, naive_variants.looked_up(LEDUC, behaviours), first_round
        )
        assert np.mean(won) == pytest.approx(exact, abs=1e-9)


def test_luck_is_zero_on_average():
    """Over all deals of Leduc, in every round."""
    player = _Player(strategy(EQUILIBRIUM), RULES, hand_table(RULES), 0, 1)
    luck = [
        player.luck(cards, _Boards(player, cards[2:], np.random.default_rng(0)), 0)
        for cards in itertools.permutations(RULES.rules.deck, 3)
    ]
    assert np.std(luck, axis=0).min() > 0.05
    assert np.mean(luck, axis=0) == pytest.approx(np.zeros(4), abs=1e-12)


def test_what_luck_explains_is_taken_off():
    """Results that luck explains become their mean. Noise stays; each half has the other's coefficients."""
    rng = np.random.default_rng(1)
    luck = rng.normal(size=(400, 3))
    flat = without_luck(7 + luck @ [3.0, -2.0, 0.5], luck)
    assert flat == pytest.approx(np.full(400, 7.0))
    noisy = 7 + luck @ [3.0, -2.0, 0.5] + rng.normal(size=400)
    found = without_luck(noisy, luck)
    assert found.std() < 1.15 < noisy.std()
    coefficients = np.linalg.lstsq(np.c_[np.ones(200), luck[1::2]], noisy[1::2], rcond=None)[0]
    assert found[::2] == pytest.approx(noisy[::2] - luck[::2] @ coefficients[1:])
    few = noisy[: FEWEST_CORRECTED - 1]
    assert np.array_equal(without_luck(few, luck[: few.size]), few)


def test_an_equilibrium_cannot_be_beaten():
    found = local_best_response(strategy(EQUILIBRIUM), RULES, 3000, seed=2)
    assert found.value.mean <= 4 * found.value.standard_error + 1e-3


def test_against_always_fold_every_hand_wins_the_ante():
    found = local_best_response(strategy(opponent("always-fold")), RULES, 200)
    assert found.value.mean == 1.0
    assert found.value.standard_error == 0.0


def test_the_same_seed_gives_the_same_result():
    bent = strategy(opponent("loose=0.5"))
    assert local_best_response(bent, RULES, 50, seed=3) == local_best_response(bent, RULES, 50, seed=3)
    assert local_best_response(bent, RULES, 50, seed=3) != local_best_response(bent, RULES, 50, seed=4)


def test_before_its_first_round_it_checks_and_calls():
    """Against a caller who never folds both check before the flop; what is won comes from the flop."""
    caller = strategy(opponent("always-call"))
    late = local_best_response(caller, RULES, 2000, seed=1, first_round=1)
    soon = local_best_response(caller, RULES, 2000, seed=1)
    assert 0 < late.value.mean < soon.value.mean
    assert late.first_round == 1


def test_a_showdown_counts_the_whole_range():
    """Calling down in Kuhn with LBR's king, queen, jack: +1, 0, -1 on average, whatever was dealt."""
    game = kuhn()
    caller = blind(game, "always-call")
    found = local_best_response(caller, game, 300, seed=1)
    # The king bets and wins 2, the queen checks for 0 (a bet wins 0 too), the jack checks and loses 1.
    assert found.value.mean == pytest.approx(1 / 3, abs=4 * found.value.standard_error)


def test_record():
    told: list[float] = []
    found = local_best_response(
        strategy(opponent("always-call")), RULES, 20, seed=5, name="caller", progress=told.append
    )
    assert isinstance(found, LocalBestResponse)
    assert (found.game, found.opponent, found.deals, found.seed, found.small_bet) == (
        "leduc",
        "caller",
        20,
        5,
        2,
    )
    assert sum(told) == 20
    record = plain_data(found)
    assert record["mb/g"]["mean"] == pytest.approx(found.value.mean * 500)
    assert record["mb/g"]["n"] == 20
    assert len(record["seats"]) == 2
    assert found.value.mean == pytest.approx((found.seats[0].mean + found.seats[1].mean) / 2)


@pytest.mark.parametrize("game", [kuhn(), leduc(), limit_holdem()], ids=lambda game: game.name)
def test_chips_in_are_those_of_the_engine(game):
    betting = betting_tree(game)
    spent = betting.chips_in
    rng = np.random.default_rng(0)
    for node in rng.choice(betting.num_nodes, min(betting.num_nodes, 200), replace=False):
        rounds = betting.betting[node].count("/")
        cards = game.rules.deck[: 2 * game.rules.hole_cards + sum(game.rules.board_cards[: rounds + 1])]
        assert replay(game, betting.betting[node], cards).spent == tuple(spent[node])


def test_refusals():
    caller = strategy(opponent("always-call"))
    with pytest.raises(SoulreadError, match="needs at least one deal, not 0"):
        local_best_response(caller, RULES, 0)
    with pytest.raises(SoulreadError, match="first_round=2; 'leduc' has rounds 0 to 1"):
        local_best_response(caller, RULES, 1, first_round=2)
    with pytest.raises(SoulreadError, match="runouts=0; expected at least 1"):
        local_best_response(caller, RULES, 1, runouts=0)
    with pytest.raises(SoulreadError, match="'kuhn' came with a strategy for 'leduc'"):
        local_best_response(caller, kuhn(), 1)
    with pytest.raises(SoulreadError, match=r"'nolimit.*' came with a strategy for 'leduc'"):
        local_best_response(caller, nolimit_holdem(), 1)


# Hold'em -----------------------------------------------------------------------------------------


def shares(board, hero, runouts=2000):
    values = hand_table(limit_holdem()).values(parse_cards(board), runouts, np.random.default_rng(0))
    return _shares(values, hand_index(*parse_cards(hero)))


@pytest.mark.compiled
@pytest.mark.parametrize("board", ["3h4cJh", "3h4cJhTd", "3h4cJhTd2s"])
def test_shares_are_equities(board):
    found = shares(board, "AdQc")
    for villain in ("KsKh", "JsTs", "5h6h", "2c2d", "QdQs"):
        if not cards_mask(parse_cards(villain)) & cards_mask(parse_cards(board)):
            exact = equity(parse_cards("AdQc"), parse_cards(villain), parse_cards(board)).value
            assert found[hand_index(*parse_cards(villain))] == pytest.approx(exact, abs=1e-12)


@pytest.mark.compiled
def test_sampled_shares_are_means_over_the_boards():
    """Board by board with the rules of the game: 200 boards on the flop, 10,000 before it."""
    rules, table, hero = limit_holdem().rules, HoldemTable(), parse_cards("AdQc")
    for text, count, villains in (("3h4cJh", 200, ("KsKh", "5h6h", "QdQs")), ("", 10_000, ("KsKh",))):
        found = shares(text, "AdQc", count)
        boards = table.boards(parse_cards(text), count, np.random.default_rng(0))
        assert len(boards) == count
        for villain in villains:
            cards = parse_cards(villain)
            won = []
            for board in map(tuple, boards.tolist()):
                if not cards_mask(board) & cards_mask((*hero, *cards)):
                    mine, his = rules.showdown(hero, board), rules.showdown(cards, board)
                    won.append(0.5 + 0.5 * ((mine > his) - (mine < his)))
            assert len(won) > count / 2
            assert found[hand_index(*cards)] == pytest.approx(np.mean(won), abs=1e-12)


def test_sampled_boards_are_fair():
    """Every card that may come does so as often as any other, 5 standard errors wide."""
    for text, missing in (("3h4cJh", 2), ("", 5)):
        known = parse_cards(text)
        boards = HoldemTable().boards(known, 20_000, np.random.default_rng(3))
        if missing == 2:
            assert len(boards) == 49 * 48 // 2  # all of them
            boards = HoldemTable().boards(known, 1000, np.random.default_rng(3))
        assert all(tuple(board[: len(known)]) == known for board in boards.tolist())
        assert all(len(set(board)) == 5 for board in boards.tolist())
        seen = np.bincount(boards[:, len(known) :].ravel(), minlength=52)
        chance = missing / (52 - len(known))
        rest = np.array([card not in known for card in range(52)])
        assert not seen[~rest].any()
        error = np.sqrt(len(boards) * chance * (1 - chance))
        assert np.all(np.abs(seen[rest] - len(boards) * chance) < 5 * error)


@pytest.mark.compiled
def test_shares_on_the_river_by_hand():
    rules = limit_holdem().rules
    board = parse_cards("3h4cJhTd2s")
    hero = parse_cards("AdQc")
    found = shares("3h4cJhTd2s", "AdQc")
    mine = rules.showdown(hero, board)
    for v in range(0, len(HAND_CARDS), 7):
        if not HAND_MASKS[v] & cards_mask((*hero, *board)):
            his = rules.showdown(tuple(map(int, HAND_CARDS[v])), board)
            assert found[v] == (1.0 if mine > his else 0.5 if mine == his else 0.0)


@pytest.mark.compiled
@pytest.mark.parametrize(("board", "runouts"), [("3h4cJhTd2s", 1), ("3h4cJhTd", 1), ("3h4cJh", 5)])
def test_strength_by_hand(board, runouts):
    rules, hero = limit_holdem().rules, parse_cards("AdQc")
    table = HoldemTable()
    values = table.values(parse_cards(board), runouts, np.random.default_rng(2))
    boards = table.boards(parse_cards(board), runouts, np.random.default_rng(2))
    strengths = []
    for full in map(tuple, boards.tolist()):
        if not cards_mask(full) & cards_mask(hero):
            mine = rules.showdown(hero, full)
            dead = cards_mask((*hero, *full))
            his = [
                rules.showdown(tuple(hand), full) for hand in HAND_CARDS[(HAND_MASKS & dead) == 0].tolist()
            ]
            assert len(his) == 990
            strengths.append(np.mean([(mine > other) + (mine == other) / 2 for other in his]))
    expected = np.mean(strengths), np.mean(np.square(strengths))
    assert _strength(values, table.masks, hand_index(*hero)) == pytest.approx(expected)


@pytest.mark.compiled
def test_strengths_before_the_flop_are_those_of_hand_after_hand():
    table = HoldemTable()
    boards = table.preflop_boards[:40]
    found = _mean_strengths(boards, ranked_board())
    values = values_on(boards)
    for hero in range(0, len(table.masks), 29):
        assert tuple(found[hero]) == _strength(values, table.masks, hero)


def test_several_strategies_meet_the_same_deals():
    """Each wins what it would have won alone."""
    met = [strategy(opponent(name)) for name in ("loose=0.5", "equilibrium")]
    table = LbrTable(met[0], RULES, seed=6)
    deals = [table.deal([each.behaviours for each in met]) for _ in range(20)]
    for number, each in enumerate(met):
        alone = play_deals(each, RULES, 20, seed=6)
        assert np.array_equal([found.won[number] for found in deals], alone.won)


@pytest.mark.compiled
@pytest.mark.slow
def test_holdem_against_simple_players():
    game = limit_holdem()
    folder = local_best_response(blind(game, "always-fold"), game, 30, runouts=50)
    assert folder.seats[1].mean == 2.0  # the dealer raises and wins the big blind
    assert folder.seats[0].mean == 1.0  # and the other wins the small one
    caller = local_best_response(blind(game, "always-call"), game, 150, runouts=50)
    assert caller.value.mean > 4 * caller.value.standard_error  # the ceiling is 2.24 chips


def test_only_cards_it_knows():
    game = SimpleNamespace(
        name="odd", rules=SimpleNamespace(deck=range(20), hole_cards=2, board_cards=(0, 3))
    )
    with pytest.raises(SoulreadError, match="'odd' is neither a small game nor hold'em"):
        hand_table.__wrapped__(game)


def test_small_games_look_at_every_board():
    table = hand_table(RULES)
    values = table.values((), 1, np.random.default_rng(0))
    assert values.shape == (6, 6)
    for row, board in zip(values, sorted(RULES.rules.deck), strict=True):
        for value, (card,) in zip(row, itertools.combinations(sorted(RULES.rules.deck), 1), strict=True):
            assert value == (-1 if card == board else RULES.rules.showdown((card,), (board,)))


# The command -------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(cli, ["lbr", *arguments])


def test_command_prints_the_estimate_with_its_interval_and_n():
    result = run("leduc", "always-fold", "--deals", "20", "--seed", "3")
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        "local best response against always-fold in leduc: 500.0 ± 0.0 mb/g (n = 20, seed 3)",
        "in seat 0: 500.0 ± 0.0 mb/g; in seat 1: 500.0 ± 0.0 mb/g",
    ]


def test_command_prints_json():
    record = json.loads(run("kuhn", "loose:0.5", "--deals", "30", "--json").output)
    assert (record["game"], record["opponent"], record["deals"]) == ("kuhn", "loose:0.5", 30)
    assert record["mb/g"]["n"] == 30


def test_command_refuses_who_does_not_play_from_a_table():
    result = run("nolimit", "random")
    assert result.exit_code == 2
    told = "'random' does not play 'nolimit' from a table, so its strategy is not known exactly"
    assert told in result.output
