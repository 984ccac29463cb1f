"""Spots with real cards: betting, payoffs against the slow twin, isomorphism, known values and locks."""

import numpy as np
import pytest
from naive_spots import payoff_matrix

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import Range, parse_range
from soulread.errors import SoulreadError
from soulread.games.spot import Betting, describe_menu, parse_menu, parse_size
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.spot import Mark, Spot
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour
from soulread.solve.best_response import best_response
from soulread.solve.exploitability import exploitability
from soulread.solve.lp import solve_exactly
from soulread.solve.run import solve

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
TIDY = {"add_all_in": 1.5, "force_all_in": 0.15, "merge": 0.1}


def make(board, oop, ip, pot=20, stack=30, menu=("50%", "60%"), isomorphism=True, dtype=np.float64, **rules):
    cards = parse_cards(board)
    betting = Betting(len(cards) - 3, pot, stack, parse_menu(*menu), **rules)
    return Spot(cards, (parse_range(oop), parse_range(ip)), betting, isomorphism, dtype=dtype)


def random_plans(trees, seed=0):
    rng = np.random.default_rng(seed)
    return tuple(plan_from_behaviour(tree, random_behaviour(tree, rng)) for tree in trees)


SMALL = {
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


@pytest.mark.compiled
def test_payoffs_of_a_flop_equal_brute_force():
    spot = make("Td9d6h", "AcAs,8c7c,8s7s", "KcKs,Jd8d", stack=8, menu=("a", "none"))
    assert len(spot.renamings) == 2
    matrix = payoff_matrix(spot)
    payoff = spot_game(spot).payoff
    plans = random_plans(spot.trees)
    assert payoff.gradient(0, plans[1]) == pytest.approx(matrix @ plans[1], abs=1e-12)
    assert payoff.gradient(1, plans[0]) == pytest.approx(-matrix.T @ plans[0], abs=1e-12)


@pytest.mark.parametrize("board", ["TdTc6h", "Td9d6hQd"])
def test_isomorphism_changes_no_best_response(board):
    settings = {"stack": 12, "menu": ("60%", "none"), "merge": 0.1, "force_all_in": 0.3}
    if len(parse_cards(board)) == 3:
        settings["menu"] = ("a", "none")
    oop, ip = "77,AKs,98s:0.5", "QQ,A9s,54s"
    values = []
    for isomorphism in (True, False):
        spot = make(board, oop, ip, isomorphism=isomorphism, **settings)
        game = spot_game(spot)
        solution = solve(game, iterations=10)
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
