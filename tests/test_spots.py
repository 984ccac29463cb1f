"""Spots with real cards: betting, payoffs against the slow twin, isomorphism, known values and locks."""

from dataclasses import replace
from typing import Any

import known_values
import numpy as np
import pytest
from naive_spots import payoff_matrix

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import parse_range
from soulread.errors import SoulreadError
from soulread.games.spot import Betting, Rake, describe_menu, parse_menu, parse_rake, parse_size
from soulread.seqform.board_payoff import spot_batch, spot_game, winnings_of
from soulread.seqform.spot import Mark, Spot
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.run import solve
from soulread.solvers.exploitability import exploitability
from soulread.solvers.lp import solve_exactly
from soulread.solvers.restricted import Lock, Restriction

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
TIDY: dict[str, Any] = {"add_all_in": 1.5, "force_all_in": 0.15, "merge": 0.1}


def make(board, oop, ip, pot=20, stack=30, menu=("50%", "60%"), isomorphism=True, dtype=np.float64, **rules):
    cards = parse_cards(board)
    betting = Betting(len(cards) - 3, pot, stack, parse_menu(*menu), **rules)
    return Spot(cards, (parse_range(oop), parse_range(ip)), betting, isomorphism, dtype=dtype)


def random_plans(trees, seed=0):
    rng = np.random.default_rng(seed)
    return tuple(plan_from_behaviour(tree, random_behaviour(tree, rng)) for tree in trees)


SMALL: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    # Ties, a hand both may hold, blockers, weights; AhAs blocks all but one of the opponent's hands.
    "river": ("Td9d6hQc2s", "AhAs,KJs:0.5,T8s,32o,77", "AsAd,AhAd,KJs,JJ:0.25,T9s", {}),
    "turn": ("Td9d6hQc", "AhAs,KJs:0.5,87s", "AA,KdJd,55:0.25", {"stack": 8}),
    "turn all-in": ("Td9d6hQc", "AhAs,KdJd,8d7d", "AsAd,KdJd,5s5c", {"menu": ("a", "a")}),
}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("isomorphism", [True, False])
def test_payoffs_equal_brute_force(name, isomorphism):
    board, oop, ip, settings = SMALL[name]
    spot = make(board, oop, ip, isomorphism=isomorphism, **settings)
    matrix = payoff_matrix(spot)
    game = spot_game(spot)
    plans = random_plans(spot.trees)
    assert game.payoff.gradient(0, plans[1]) == pytest.approx(matrix @ plans[1], abs=1e-12)
    assert game.payoff.gradient(1, plans[0]) == pytest.approx(-matrix.T @ plans[0], abs=1e-12)
    if name == "river":
        assert game.payoff.matrix(0).toarray() == pytest.approx(matrix.toarray(), abs=1e-14)


RAKES = Rake(0.05, None), Rake(0.1, 3)


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("rake", RAKES)
def test_payoffs_after_rake_equal_brute_force(name, rake):
    board, oop, ip, settings = SMALL[name]
    spot = make(board, oop, ip, rake=rake, **settings)
    first, second = payoff_matrix(spot, 0), payoff_matrix(spot, 1)
    plans = random_plans(spot.trees)
    game = spot_game(spot)
    assert not game.payoff.zero_sum
    assert game.payoff.gradient(0, plans[1]) == pytest.approx(first @ plans[1], abs=1e-12)
    assert game.payoff.gradient(1, plans[0]) == pytest.approx(second.T @ plans[0], abs=1e-12)
    # Of one player's winnings the other gets what that player loses, rake included.
    for player, own in ((0, first), (1, second)):
        theirs = winnings_of(game, player)
        assert theirs.payoff.zero_sum
        sign = 1 if player == 0 else -1
        assert theirs.payoff.gradient(0, plans[1]) == pytest.approx(sign * (own @ plans[1]), abs=1e-12)
        assert theirs.payoff.gradient(1, plans[0]) == pytest.approx(-sign * (own.T @ plans[0]), abs=1e-12)
        assert theirs.payoff.checksum() != game.payoff.checksum()
    assert (first + second).data.max() < 0  # the house always takes something


def test_rake_is_part_of_a_spot_and_none_is_as_before():
    plain = make("Td9d6hQc2s", "77,AKs", "QQ,98s")
    raked = make("Td9d6hQc2s", "77,AKs", "QQ,98s", rake=Rake(0.05, 3))
    assert plain.checksum != raked.checksum
    assert raked.checksum != make("Td9d6hQc2s", "77,AKs", "QQ,98s", rake=Rake(0.05, 2)).checksum
    assert plain.checksum == make("Td9d6hQc2s", "77,AKs", "QQ,98s", rake=Rake()).checksum
    assert winnings_of(spot_game(plain), 0).payoff.checksum() == spot_game(plain).payoff.checksum()
    assert [parse_rake(told) for told in ("5%", "0.05", 0.05, "2.5%", 0)] == [0.05, 0.05, 0.05, 0.025, 0]
    for wrong in ("5", "100%", "-1%", "much", 1.0):
        with pytest.raises(SoulreadError, match="write a part of the pot below all of it"):
            parse_rake(wrong)


def test_a_gap_with_rake_is_what_both_can_still_gain():
    spot = make("Td9d6hQc2s", "77,AKs,98s", "QQ,A9s,54s", rake=Rake(0.05, 1))
    game, plans = spot_game(spot), random_plans(spot.trees)
    gains = 0.0
    for player, tree in enumerate(spot.trees):
        gradient = game.payoff.gradient(player, plans[1 - player])
        gains += best_response(tree, gradient)[0] - plans[player] @ gradient
    assert exploitability(game, plans) == pytest.approx(gains / 2, abs=1e-12)
    assert exploitability(game, solve(game, gap=1e-3).plans) < 1e-3
    with pytest.raises(SoulreadError, match="not zero-sum"):
        solve_exactly(game)


@pytest.mark.parametrize(
    ("bets", "raises", "stack", "rows", "batch"),
    [
        ("50%", "60%", 30, 7, 8),
        ("50%,100%", "60%", 30, 13, 16),
        ("50%,100%", "60%", 60, 19, 32),
        ("25%,50%,100%", "60%,100%", 100, 67, 32),
    ],
)
def test_payoffs_of_few_and_of_many_rows_equal_brute_force(bets, raises, stack, rows, batch):
    """Rows are looked at 8, 16 or 32 at a time: whole batches, and what is left over."""
    spot = make("Td9d6hQc2s", "AhAs,KsJs:0.5,T8s", "AsAd,JJ:0.25", stack=stack, menu=(bets, raises))
    assert [int(ends.first[-1]) for ends in spot.tables.ends] == [rows, rows]
    assert spot_batch(spot) == batch
    matrix = payoff_matrix(spot)
    payoff = spot_game(spot).payoff
    plans = random_plans(spot.trees)
    assert payoff.gradient(0, plans[1]) == pytest.approx(matrix @ plans[1], abs=1e-12)
    assert payoff.gradient(1, plans[0]) == pytest.approx(-matrix.T @ plans[0], abs=1e-12)


def test_holdings_of_equal_strength_seldom_share_a_card_with_the_next():
    spot = make("Td9d6hQc2s", "random", "random")
    for side in spot.tables.side:
        following = side.member_card[:-1, :, None] == side.member_card[1:, None, :]
        assert following.any(axis=(1, 2)).mean() < 0.2


@pytest.mark.compiled
def test_payoffs_of_a_flop_equal_brute_force():
    spot = make("Td9d6h", "AcAs,8c7c,8s7s", "KcKs,Jd8d", stack=8, menu=("a", "none"))
    assert len(spot.renamings) == 2
    matrix = payoff_matrix(spot)
    payoff = spot_game(spot).payoff
    plans = random_plans(spot.trees)
    assert payoff.gradient(0, plans[1]) == pytest.approx(matrix @ plans[1], abs=1e-12)
    assert payoff.gradient(1, plans[0]) == pytest.approx(-matrix.T @ plans[0], abs=1e-12)


@pytest.mark.parametrize("board", [pytest.param("TdTc6h", marks=pytest.mark.compiled), "Td9d6hQd"])
def test_isomorphism_changes_no_best_response(board):
    settings = {"stack": 12, "menu": ("60%", "none"), "merge": 0.1, "force_all_in": 0.3}
    if len(parse_cards(board)) == 3:
        settings["menu"] = ("a", "none")
    oop, ip = "77,AKs,98s:0.5", "QQ,A9s,54s"
    values = []
    for isomorphism in (True, False):
        spot = make(board, oop, ip, isomorphism=isomorphism, **settings)
        game = spot_game(spot)
        solution = solve(game, iterations=3)
        first, second = solution.plans
        values.append(
            [
                best_response(spot.trees[0], game.payoff.gradient(0, second))[0],
                best_response(spot.trees[1], game.payoff.gradient(1, first))[0],
                game.value(first, second),
            ]
        )
        sizes = spot.num_sequences
        values[-1].append(sizes[0])
    assert values[0][:3] == pytest.approx(values[1][:3], abs=1e-10)
    assert values[0][3] < 0.8 * values[1][3]


@pytest.mark.compiled
def test_river_equals_the_linear_program():
    spot = make("Td9d6hQc2s", "66+,A9s+,KQs,JTs", "QQ-77,AQs-A9s,KTs+,87s", pot=200, stack=900, **TIDY)
    game = spot_game(spot)
    exact = solve_exactly(game)
    assert exact.gap < 1e-9
    reached = solve(game, gap=1e-4)
    assert reached.value == pytest.approx(exact.value, abs=1e-6 * 200)
    first, second = (
        best_response(tree, game.payoff.gradient(tree.player, exact.plans[1 - tree.player]))[0]
        for tree in spot.trees
    )
    assert (first, -second) == pytest.approx((exact.value, exact.value), abs=1e-6)


@pytest.mark.compiled
def test_a_lock_of_spot_b_is_worth_what_another_program_found():
    spot = make(
        "Td9d6hQc",
        OOP,
        IP,
        pot=200,
        stack=900,
        menu=("60%,e,a", "2.5x", "river: 50%"),
        dtype=np.float32,
        **TIDY,
    )
    game = spot_game(spot)
    assert sum(spot.num_sequences) == known_values.SPOT_TURN_SEQUENCES
    place = spot.find("bet120")
    assert [str(action) for action in spot.node(place).actions] == ["fold", "call", "raise 300"]
    width = spot.width(0, 1)
    lock = Lock(spot.block(place), np.tile([[0.7], [0.3], [0.0]], width), np.ones(width))
    locked = solve(game, iterations=120, restriction=Restriction(spot.trees[1], locks=(lock,)))
    assert locked.value == pytest.approx(known_values.SPOT_TURN_LOCKED, abs=0.0005 * 200)
    fixed = locked.behaviours[1][spot.rows(place)].reshape(3, width)
    assert fixed == pytest.approx(np.tile([[0.7], [0.3], [0.0]], width), abs=1e-5)


def test_locks_equal_a_confidence_over_the_whole_game():
    spot = make("Td9d6hQc2s", "99,AKs,JTs,54s", "KK,QJs,87s,AA")
    game, tree = spot_game(spot), spot.trees[1]
    rng = np.random.default_rng(3)
    block = spot.block(spot.find("check"))
    rows = slice(tree.first_sequence[block], tree.first_sequence[block + 1])
    assert rows == spot.rows(spot.find("check"))
    model = random_behaviour(tree, rng)
    confidence = np.zeros(tree.num_sets)
    sets = slice(tree.first_set[block], tree.first_set[block + 1])
    confidence[sets] = rng.random(sets.stop - sets.start)
    lock = Lock(block, model[rows].astype(np.float64).reshape(len(tree.actions[block]), -1), confidence[sets])
    dense = solve(game, iterations=10, restriction=Restriction(tree, model, confidence=confidence))
    sparse = solve(game, iterations=10, restriction=Restriction(tree, locks=(lock,)))
    for one, two in zip(dense.plans, sparse.plans, strict=True):
        assert one == pytest.approx(two, abs=1e-12)
    assert dense.gap == pytest.approx(sparse.gap, abs=1e-12)


@pytest.mark.parametrize(
    ("lock", "message"),
    [
        (lambda w: Lock(99, np.ones((2, w)), np.ones(w)), "block 99"),
        (lambda w: Lock(0, np.ones((2, w)), np.ones(w)), "sum to 2"),
        (lambda w: Lock(0, np.full((2, w), 0.5), np.full(w, 1.5)), "between 0 and 1"),
        (lambda w: Lock(0, np.full((3, w), 0.5), np.ones(w)), "expected"),
    ],
)
def test_wrong_locks_are_refused(lock, message):
    spot = make("Td9d6hQc2s", "99,AKs", "KK,QJs", menu=("a", "none"))
    with pytest.raises(SoulreadError, match=message):
        Restriction(spot.trees[0], locks=(lock(spot.width(0, 0)),))


@pytest.mark.parametrize(
    ("oop", "ip", "renamings"),
    [
        ("77,AKs", "QQ,A9s", 2),  # clubs and spades may change places
        ("77,AcKc", "QQ,A9s", 1),
        ("77,AcKc,AsKs", "QQ,A9s", 2),
        ("77,AcKc,AsKs:0.5", "QQ,A9s", 1),
        ("77,AKs", "QQ,As9s", 1),
    ],
)
def test_ranges_limit_isomorphism(oop, ip, renamings):
    spot = make("Td9d6h", oop, ip, menu=("a", "none"))
    assert len(spot.renamings) == renamings


def test_marks_limit_isomorphism():
    spot = make("Td9d6h", "77,AKs", "QQ,A9s", menu=("a", "none"))
    assert len(spot.renamings) == 2
    numbers = np.zeros(1326)
    numbers[parse_range("AcKc").weights > 0] = 1
    assert len(replace(spot, marks=(Mark("lock", (), numbers),)).renamings) == 1
    both = numbers + (parse_range("AsKs").weights > 0)
    assert len(replace(spot, marks=(Mark("lock", (), both),)).renamings) == 2
    two_c, two_s = parse_cards("2c 2s")
    one_turn = (Mark("lock", (two_c,), numbers),)
    mirrored = np.zeros(1326)
    mirrored[parse_range("AsKs").weights > 0] = 1
    assert len(replace(spot, marks=one_turn).renamings) == 1
    assert len(replace(spot, marks=(*one_turn, Mark("lock", (two_s,), mirrored))).renamings) == 2


def test_hands_on_a_renamed_board_are_renamed():
    """Clubs and spades may change places on the flop, so the turns 2c and 2s are one board."""
    spot = make("Td9d6h", "22,AKs", "QQ,A9s", menu=("a", "none"))
    places = {turn: spot.find(f"check check {turn}") for turn in ("2c", "2s")}
    assert places["2c"].board == places["2s"].board
    assert places["2c"].renaming != places["2s"].renaming
    clubs, spades = (spot.hands(places[turn], 0) for turn in ("2c", "2s"))

    def at(hands, text):
        return hands[np.flatnonzero(parse_range(text).weights)[0]]

    for hand, renamed in (("AcKc", "AsKs"), ("AsKs", "AcKc"), ("AhKh", "AhKh"), ("2s2h", "2c2h")):
        assert at(clubs, hand) == at(spades, renamed) >= 0
    assert at(clubs, "2c2h") == at(spades, "2s2h") == -1  # the board has that card
    assert at(clubs, "AcKc") != at(clubs, "AsKs")


@pytest.mark.compiled
def test_paths_lead_to_places_and_back():
    spot = make("Td9d6h", "77,AKs", "QQ,A9s", pot=20, stack=100, menu=("50%,a", "60%"))
    for path in (
        "",
        "check",
        "bet10",
        "bet10 raise34",
        "check check 2s check",
        "bet10 call 2s check bet20 call 3c",
    ):
        place = spot.find(path)
        assert spot.path(place) == path
    assert spot.find("bet50%") == spot.find("bet10") == spot.find("bet50")
    assert spot.find("allin") == spot.find("bet100")
    # The twos of clubs and spades are one board; hands are renamed with the card.
    clubs, spades = spot.find("check check 2c"), spot.find("check check 2s")
    assert (clubs.board, clubs.node) == (spades.board, spades.node)
    hands = spot.hands(clubs, 0), spot.hands(spades, 0)
    ac, as_ = (int(np.flatnonzero(parse_range(hand).weights)[0]) for hand in ("AcKc", "AsKs"))
    assert hands[0][ac] == hands[1][as_] >= 0
    assert hands[0][as_] == hands[1][ac] != hands[0][ac]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("bet77", "oop may check"),
        ("check fold", "ip may check"),
        ("check check", "a card is dealt"),
        ("check check Td", "comes twice"),
        ("check check bet", "a card is dealt"),
        ("bet100 call", "all-in"),
        ("bet10 fold", "the hand is over"),
        ("bet10 fold check", "the hand is over"),
    ],
)
def test_wrong_paths_are_refused(path, message):
    spot = make("Td9d6h", "77,AKs", "QQ,A9s", pot=20, stack=100, menu=("50%,a", "60%"))
    with pytest.raises(SoulreadError, match=message):
        spot.find(path)


def actions(betting, path=()):
    """What may be done on the first street after the given positions of actions."""
    street = betting.tree.streets[0]
    node = 0
    for position in path:
        node = street.nodes[node].after[position].number
    return [str(action) for action in street.nodes[node].actions]


def test_sizes_of_bets():
    menu = parse_menu("60%,e,a", "2.5x")
    turn = Betting(1, 200, 900, menu, **TIDY)
    # Even growth over two streets: 200 -> 632 -> 2000, so bets of 216 and 684.
    assert actions(turn) == ["check", "bet 120", "bet 216", "bet 900 all-in"]
    assert actions(turn, [1]) == ["fold", "call", "raise 300"]
    # After 120, 300 and a call the pot is 800 and 600 are left: all-in is added at 1.5 pots; 750 would be
    # merged.
    assert actions(turn, [1, 2]) == ["fold", "call", "raise 900 all-in"]
    assert actions(Betting(1, 200, 900, menu), [1, 2]) == ["fold", "call", "raise 750"]
    assert actions(Betting(1, 200, 900, parse_menu("60%", "50%")), [1]) == ["fold", "call", "raise 340"]
    # 890 of 900 leaves 10, less than 15% of the pot.
    assert actions(Betting(1, 200, 900, parse_menu("445%", "none"), force_all_in=0.15)) == [
        "check",
        "bet 900 all-in",
    ]
    assert actions(Betting(1, 200, 900, parse_menu("50%,60%", "none"), merge=0.1)) == ["check", "bet 120"]
    assert actions(Betting(1, 200, 900, parse_menu("50%,70%", "none"), merge=0.1)) == [
        "check",
        "bet 100",
        "bet 140",
    ]
    # The smallest raise is by as much as the last one.
    assert actions(Betting(1, 200, 900, parse_menu("100%", "1.2x")), [1]) == ["fold", "call", "raise 400"]


def test_limit_betting_and_most_bets():
    limit = Betting(1, 12, 100, parse_menu("4", "4"), most_bets=4)
    path = [1]
    for total in (8, 12, 16):
        assert actions(limit, path) == ["fold", "call", f"raise {total}"]
        path.append(2)
    assert actions(limit, path) == ["fold", "call"]


def test_donk_bets():
    def leads(donks):
        """What OOP may do on the river after calling a bet on the turn."""
        spot = make("Td9d6hQc", "77,AKs", "QQ,A9s", pot=20, stack=100, menu=("50%", "none", donks))
        after = spot.node(spot.find("check bet10 call 2c"))
        assert [str(a) for a in spot.node(spot.find("check check 2c")).actions] == ["check", "bet 10"]
        return [str(action) for action in after.actions]

    assert leads(None) == ["check", "bet 20"]
    assert leads("none") == ["check"]
    assert leads("river: 25%") == ["check", "bet 10"]


def test_check_raises():
    menu = parse_menu("50%", "2x; oop check-raise: 3x,a; river check-raise: none")
    turn = Betting(1, 20, 400, menu, **TIDY)
    assert actions(turn, [0, 1]) == ["fold", "call", "raise 30", "raise 400 all-in"]  # check, bet 10
    assert actions(turn, [1]) == ["fold", "call", "raise 20"]  # oop bets 10: ip's raise is no check-raise
    assert actions(turn, [1, 2]) == ["fold", "call", "raise 40"]  # nor is oop's raise of that raise
    assert actions(turn, [0, 1, 2]) == ["fold", "call", "raise 60"]  # ip raises the check-raise
    assert actions(turn, [0, 1, 2, 2]) == ["fold", "call", "raise 120"]
    # Without check-raises all-in is not added either; with no word about them they are as other raises.
    river = Betting(2, 20, 30, menu, **TIDY)
    assert actions(river, [0, 1]) == ["fold", "call"]
    plain = Betting(2, 20, 30, parse_menu("50%", "2x"), **TIDY)
    assert actions(plain, [0, 1]) == ["fold", "call", "raise 20", "raise 30 all-in"]
    # The checksum of a spot knows them, and is the old one where there are none.
    spots = [
        make("Td9d6hQc2s", "AKs", "QQ", menu=("50%", raises)) for raises in ("2x", "2x; check-raise: 3x")
    ]
    assert spots[0].checksum != spots[1].checksum
    assert spots[0].betting.menu.check_raises == (None, None, None)


def test_menus_are_read_and_written():
    written = parse_menu("50%", "2.5x; ip turn: 75%; turn check-raise: 3x,a; oop river check-raise: none")
    assert written.check_raises == (None, (parse_size("3x"), parse_size("a")), ())
    assert written.raises[1] == ((parse_size("2.5x"),), (parse_size("75%"),))
    assert parse_menu(**describe_menu(written)) == written
    menu = parse_menu("50%; river: 60%,a; ip turn: 75%", "2.5x", "river: none; turn: 30%")
    assert menu.bets[2][0] == (parse_size("60%"), parse_size("a"))
    assert menu.bets[1] == ((parse_size("50%"),), (parse_size("75%"),))
    assert menu.donks == (None, (parse_size("30%"),), ())
    assert parse_menu(**describe_menu(menu)) == menu


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"board": "Td9d6hTd"}, "comes twice"),
        ({"board": "Td9d"}, "a board of 2 cards"),
        ({"oop": "TdTh"}, "the range of oop has no hand that is possible on Td9d6h"),
        ({"oop": "AhAs", "ip": "AhAs"}, "can never meet"),
        ({"menu": ("900", "60%")}, "beyond the stack"),
        ({"menu": ("3x", "60%")}, "a multiple"),
        ({"menu": ("60", "sixty")}, "not the size of a bet"),
        ({"menu": ("preflop: 60%", "60%")}, "neither a street nor a player"),
        ({"menu": ("60%", "ip check-raise: 3x")}, "position acts last and so never raises after a check"),
        (
            {"menu": ("oop check-raise: 60%", "3x")},
            "'check-raise' in 'oop check-raise: 60%' stands among bets",
        ),
        ({"menu": ("60%", "3x", "ip: 50%")}, "only the player out of position has donk bets"),
        ({"menu": ("60%", "check-raise: 200")}, "a bet of 200 chips is beyond the stack of 100"),
        ({"pot": 0}, "a pot of 0"),
        ({"stack": -1}, "negative"),
        ({"merge": -0.5}, "merge=-0.5"),
    ],
)
def test_impossible_spots_are_refused(change, message):
    settings = {"board": "Td9d6h", "oop": "AKs", "ip": "QQ", "stack": 100} | change
    with pytest.raises(SoulreadError, match=message):
        make(**settings)
