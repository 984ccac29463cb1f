"""The same hands in OpenSpiel: whole trees of Kuhn and Leduc, random hands of limit hold'em."""

import random

import naive_games
import pytest

pytest.importorskip("pyspiel")
check_games = naive_games.check_games()


@pytest.mark.parametrize(
    ("game", "name", "hands"),
    [(check_games.kuhn(), "kuhn_poker", 30), (check_games.leduc(), "leduc_poker", 5520)],
)
def test_every_history(game, name, hands):
    assert check_games.compare_tree_with_openspiel(game, check_games.openspiel_game(name)) == hands


def test_isomorphic_leduc_is_the_same_game():
    other = check_games.openspiel_game("leduc_poker")
    assert check_games.compare_tree_with_openspiel(check_games.leduc(suit_isomorphic=True), other) == 5520


def test_limit_holdem():
    game, other, rng = check_games.limit_holdem(), check_games.openspiel_limit(), random.Random(1)
    for _ in range(300):
        check_games.compare_with_openspiel(game, other, rng)


def test_a_difference_is_noticed(monkeypatch):
    monkeypatch.setattr(check_games.PokerState, "payoffs", lambda state: (3.0, -3.0))
    with pytest.raises(check_games.Difference, match=r"payoffs \(3.0, -3.0\), OpenSpiel"):
        check_games.compare_tree_with_openspiel(check_games.kuhn(), check_games.openspiel_game("kuhn_poker"))
