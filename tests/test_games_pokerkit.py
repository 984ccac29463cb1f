"""Random hands replayed in PokerKit: same decisions at every step, same payoffs to the chip."""

import random

import naive_games
import pytest

pytest.importorskip("pokerkit")
check_games = naive_games.check_games()


def test_heads_up_limit():
    game, rng = check_games.limit_holdem(), random.Random(1)
    for _ in range(150):
        check_games.compare_with_pokerkit(game, rng)


@pytest.mark.parametrize("players", [2, 3, 6, 9])
def test_ring_limit(players):
    game, rng = check_games.ring_limit(players), random.Random(players)
    for _ in range(20):
        check_games.compare_with_pokerkit(game, rng)


def test_limit_with_stacks():
    rng = random.Random(2)
    for _ in range(150):
        check_games.compare_with_pokerkit(check_games.random_stacked_limit(rng), rng)


def test_nolimit():
    tally, rng = check_games.Tally(), random.Random(3)
    for _ in range(250):
        tally.add(check_games.compare_with_pokerkit(check_games.random_nolimit(rng), rng))
    assert tally.all_ins > 100
    assert tally.showdowns > 100


@pytest.mark.parametrize(
    ("stacks", "blinds", "betting"),
    [
        ((200, 14, 200, 200), (1, 2), "ccccr12r14cc"),  # a short all-in
        ((200, 18, 24, 200), (1, 2), "ccccr12r18r24c"),  # two that add up to a full raise
        ((200, 18, 24, 30, 200), (1, 2), "cccccr12r18r24r30c"),  # and a third
        ((200, 3, 200), (1, 2), "ccccr3c"),  # a first bet below the big blind
        ((50, 3, 60), (5, 10), "f"),  # a small blind above the big one's stack
    ],
)
def test_short_stacks(stacks, blinds, betting):
    game = check_games.nolimit_holdem(len(stacks), stacks, blinds)
    for seed in range(5):
        check_games.compare_with_pokerkit(game, random.Random(seed), betting)


def test_a_difference_is_noticed(monkeypatch):
    game, rng = check_games.limit_holdem(), random.Random(4)
    monkeypatch.setattr(check_games.PokerState, "to_call", property(lambda state: 7))
    with pytest.raises(check_games.Difference, match=r"decision .*'call': 7.* PokerKit .*'call': 1"):
        check_games.compare_with_pokerkit(game, rng)
