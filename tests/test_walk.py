"""The compiled betting engine: the rules of `soulread.games.poker`, decision by decision and to the chip."""

import random

import naive_games
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soulread.cards.deck import parse_cards
from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerGame, replay
from soulread.games.ring_limit import ring_limit
from soulread.games.walk import (
    ACTOR,
    CALLS,
    HIGH,
    LEADER,
    LIMPS,
    OPENER,
    OVER,
    OWN_RAISE,
    RAISER,
    ROUND,
    is_continued,
    leader_waits,
    may_raise,
    new_walk,
    to_call,
    walk_at,
    winnings,
)

check_games = naive_games.check_games()

FIXED = {
    "kuhn": kuhn(),
    "leduc": leduc(),
    "limit": limit_holdem(),
    **{f"ring-limit:{seats}": ring_limit(seats) for seats in range(2, 11)},
    **{f"nolimit:{seats}": nolimit_holdem(seats, 40) for seats in range(2, 11)},
}


@pytest.mark.parametrize("name", FIXED)
def test_hands_of_every_game_follow_the_rules(name: str) -> None:
    game, rng = FIXED[name], random.Random(name)
    for _ in range(40):
        check_games.compare_with_walk(game, rng)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
@pytest.mark.parametrize("kind", ["random_nolimit", "random_stacked_limit", "random_table"])
def test_unequal_stacks_antes_straddles_and_dead_chips_follow_the_rules(kind: str, seed: int) -> None:
    """Stacks below a blind, short all-ins, a big blind that is called in full, folds with nothing to call."""
    rng = random.Random(seed)
    check_games.compare_with_walk(getattr(check_games, kind)(rng), rng)


@pytest.mark.parametrize(
    ("stacks", "betting", "seat", "able"),
    [
        ((200, 14, 200, 200), "cccc/r12r14cc", 0, False),  # a short all-in does not open the betting again
        ((200, 18, 24, 200), "cccc/r12r18r24c", 0, True),  # two that add up to a full raise do
        ((200, 18, 24, 30, 200), "ccccc/r12r18r24r30c", 0, False),  # a third begins a new sum
        ((40, 60, 20), "r20r40", 1, False),  # nobody has chips to answer a raise
    ],
)
def test_short_all_ins(stacks: tuple[int, ...], betting: str, seat: int, able: bool) -> None:
    game = nolimit_holdem(len(stacks), stacks)
    state = replay(game, betting, range(2 * len(stacks) + (3 if "/" in betting else 0)))
    walk = walk_at(state.view(0))
    assert walk[ACTOR] == state.player == seat
    assert may_raise(walk) == able == (len(state.legal_actions()) > 2)


def test_a_big_blind_that_is_short_is_called_in_full_before_the_flop_only() -> None:
    rules = nolimit_holdem(3, (50, 3, 60), (5, 10)).rules
    game = PokerGame(check_games.dataclasses.replace(rules, opening=10))
    view = game.start().deal(range(6)).view(2)
    walk = walk_at(view)
    assert (walk[HIGH], to_call(walk)) == (10, 10)
    state = replay(game, "cc/", range(9))
    assert walk_at(state.view(0))[HIGH] == 10
    folded = replay(game, "ff", range(6))
    assert winnings(walk_at(folded.view(0)), 1, np.zeros(3, np.int64)) == folded.payoffs()[1] == 5


def test_what_the_walk_remembers_of_a_round() -> None:
    """Two limps, a raise and a call; on the flop the raiser is waited for, then bets on."""
    game = parse_game("ring-limit:5")
    cards = parse_cards("2c3c4c5c6c7c8c9cTcJcAsKsQs")
    limped = walk_at(replay(game, "ccf", cards[:10]).view(0))
    assert (limped[CALLS], limped[LIMPS], limped[OPENER]) == (2, 2, -1)
    raised = walk_at(replay(game, "ccfrf", cards[:10]).view(0))
    assert (raised[CALLS], raised[LIMPS], raised[OPENER]) == (0, 2, 0)
    assert (raised[RAISER], raised[OWN_RAISE]) == (0b1, 1)
    flop = walk_at(replay(game, "ccfcrccc/", cards).view(1))
    assert (flop[ROUND], flop[ACTOR], flop[LEADER]) == (1, 0, 0b10)
    assert (flop[CALLS], flop[RAISER], flop[OPENER]) == (0, 0, -1)
    assert leader_waits(flop)
    assert not is_continued(flop)
    bet = walk_at(replay(game, "ccfcrccc/cr", cards).view(1))
    assert not leader_waits(bet)
    assert is_continued(bet)
    donk = walk_at(replay(game, "ccfcrccc/r", cards).view(1))
    assert not is_continued(donk)


def test_games_of_more_rounds_are_refused() -> None:
    rules = check_games.dataclasses.replace(
        nolimit_holdem().rules, board_cards=(0, 3, 1, 1, 1), first=(1, 0, 0, 0, 0)
    )
    with pytest.raises(SoulreadError, match="has 5 rounds of betting"):
        new_walk(PokerGame(rules))


def test_a_difference_is_noticed(monkeypatch) -> None:
    monkeypatch.setattr(check_games, "to_call", lambda walk: 7)
    with pytest.raises(check_games.Difference, match=r"decision .*'call': 1.* walk .*'call': 7"):
        check_games.compare_with_walk(limit_holdem(), random.Random(4))
    monkeypatch.undo()
    monkeypatch.setattr(check_games, "winnings", lambda walk, seat, ranks: 99)
    with pytest.raises(check_games.Difference, match="pots give"):
        check_games.compare_with_walk(kuhn(), random.Random(4))


def test_the_hand_is_over_when_one_seat_is_left_or_the_last_round_ends() -> None:
    for betting, cards in (("rf", "JsQs"), ("cc", "JsQs"), ("crc", "JsQs")):
        assert walk_at(replay(kuhn(), betting, cards).view(0))[ACTOR] == OVER
