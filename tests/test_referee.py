"""Hands replayed through the rules: against `PokerState`, and the special things of real tables."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soulread.cards.deck import parse_cards
from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.leduc import leduc
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerState, Replay, award_pots, side_pots
from soulread.games.ring_limit import ring_limit
from soulread.hands.formats.acpc import hand_line, read_acpc
from soulread.hands.formats.phh import cut_phh, write_phh
from soulread.hands.formats.reading import read_pieces
from soulread.hands.formats.rooms import cut_room, write_room
from soulread.hands.hand import ForcedBet, Hand, Post
from soulread.hands.record import replay_hand, seen_by, seen_by_dealer
from soulread.hands.referee import Draft, Unfit, game_of, judge, retrace

BLINDS = (Post(0, ForcedBet.SMALL_BLIND, 1), Post(1, ForcedBet.BIG_BLIND, 2))
BOARD = parse_cards("2c7dJhJs3c")


def play_out(game: PokerGame, rng: np.random.Generator) -> PokerState:
    """A random hand; raises are small, large and all-in."""
    deck = list(map(int, rng.permutation(game.rules.deck)))
    state = game.start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(deck.pop())
            continue
        legal = state.legal_actions()
        draw = rng.random()
        if draw < 0.2 and FOLD in legal:
            state = state.apply(FOLD)
        elif draw < 0.65 or legal[-1] < RAISE:
            state = state.apply(CALL)
        else:
            first = next(place for place, action in enumerate(legal) if action >= RAISE)
            choices = (legal[first], legal[-1], legal[int(rng.integers(first, len(legal)))])
            state = state.apply(choices[int(rng.integers(3))])
    return state


@st.composite
def games(draw: st.DrawFn) -> PokerGame:
    seats = draw(st.integers(2, 6))
    if draw(st.booleans()):
        return ring_limit(seats)
    stacks = draw(st.lists(st.integers(1, 60), min_size=seats, max_size=seats))
    return nolimit_holdem(seats, stacks, (1, 2), draw(st.sampled_from([0, 0, 1, 3])))


@given(games(), st.integers(0, 2**32))
@settings(max_examples=150, deadline=None)
def test_replay_in_place_is_the_state_machine(game, seed):
    end = play_out(game, np.random.default_rng(seed))
    cards = iter(end.cards)
    ours, state = Replay(game), game.start()
    for seat, action in end.actions:
        while ours.player == CHANCE:
            due = tuple(next(cards) for _ in range(ours.cards_due))
            ours.deal_round(due)
            state = state.deal(due)
        assert (ours.player, ours.to_call, ours.pot) == (seat, state.to_call, state.pot)
        assert ours.legal_actions() == state.legal_actions()
        assert (ours.spent, ours.folded, ours.betting) == (state.spent, state.folded, state.betting)
        ours.act(action)
        state = state.apply(action)
    while ours.player == CHANCE:
        ours.deal_round(tuple(next(cards) for _ in range(ours.cards_due)))
    assert ours == end
    assert ours.payoffs() == end.payoffs()


@given(games(), st.integers(0, 2**32), st.booleans())
@settings(max_examples=150, deadline=None)
def test_simulated_hands_come_back_from_every_format(game, seed, dealer):
    end = play_out(game, np.random.default_rng(seed))
    names = [f"player {seat}" for seat in range(game.num_players)]
    settle = {"id": "17", "source": "match", "table": "a table"}
    hand = seen_by_dealer(end, names, **settle) if dealer else seen_by(end, 0, names, **settle)
    (back,) = read_pieces(cut_phh([write_phh(hand, "1").split("\n")], "x"))
    assert back == replace(hand, stakes=back.stakes) if isinstance(back, Hand) else back
    assert isinstance(back, Hand)
    assert back.stakes.big_blind == hand.stakes.big_blind
    if hand.stacks is not None and retrace(hand).called_in_full:
        (back,) = read_pieces(cut_room([write_room(hand).split("\n")], "x"))
        assert isinstance(back, Hand), back
        assert back == replace(hand, game=back.game, stakes=back.stakes, room="match")  # one word for both
        assert (
            replay_hand(game_of(hand), replace(hand, variant=game_of(hand).variant)).betting == hand.betting
        )
    (back,) = read_acpc([hand_line(hand)], game, "match")
    assert isinstance(back, Hand)
    assert back == replace(hand, table="", observer=None, sights=back.sights)  # a log has no observer


def draft(**changes: object) -> Draft:
    usual = Draft(
        players=("a", "b", "c"),
        stacks=(100, 100, 100),
        posts=BLINDS,
        big_blind=2,
        moves=[[(2, CALL, 0, -1), (0, CALL, 0, -1), (1, CALL, 0, -1)], [(0, CALL, 0, -1)] * 0],
    )
    return replace(usual, **changes)  # type: ignore[arg-type]


CHECKED = [[(seat, CALL, 0, -1) for seat in (0, 1, 2)] for _ in range(3)]
LIMPED = [[(2, CALL, 0, -1), (0, CALL, 0, -1), (1, CALL, 0, -1)], *CHECKED]
SHOWN = {0: parse_cards("AsAh"), 1: parse_cards("KsKh"), 2: parse_cards("QsQh")}


def test_dead_chips_are_played_for_by_all_and_count_for_nobody():
    posts = (*BLINDS, Post(2, ForcedBet.DEAD_BLIND, 1))
    hand = judge(draft(posts=posts, moves=LIMPED, boards=(BOARD,), hole=SHOWN))
    assert hand.payoffs == (5, -2, -3)
    game = game_of(hand)
    assert (game.rules.dead, game.start().pot) == ((0, 0, 1), 4)
    assert replay_hand(game, hand).payoffs() == hand.payoffs


def test_the_odd_chip_of_a_hand_run_twice_goes_to_the_first_board():
    boards = (BOARD, parse_cards("4s5c6d8cKd"))
    posts = (*BLINDS, Post(2, ForcedBet.DEAD_BLIND, 1))
    hand = judge(draft(posts=posts, moves=LIMPED, boards=boards, hole=SHOWN))
    assert hand.payoffs == (4 - 2, 3 - 2, -3)


def test_the_big_blind_is_the_first_seat_that_posts_one():
    posts = (BLINDS[0], Post(2, ForcedBet.BIG_BLIND, 2), BLINDS[1])  # seat 2 has just sat down
    assert judge(draft(posts=posts, moves=LIMPED, boards=(BOARD,), hole=SHOWN)).payoffs == (4, -2, -2)


def test_a_big_blind_ante_is_dead():
    posts = (Post(1, ForcedBet.ANTE, 2), *BLINDS)
    hand = judge(draft(posts=posts, moves=LIMPED, boards=(BOARD,), hole=SHOWN))
    assert hand.payoffs == (6, -4, -2)


def test_a_short_stack_wins_dead_chips_too():
    posts = (*BLINDS, Post(1, ForcedBet.DEAD_BLIND, 1))
    moves = [
        [(2, CALL, 0, -1), (0, CALL, 0, -1), (1, CALL, 0, -1)],
        *[[(1, CALL, 0, -1), (2, CALL, 0, -1)]] * 3,
    ]
    hand = judge(draft(stacks=(2, 100, 100), posts=posts, moves=moves, boards=(BOARD,), hole=SHOWN))
    assert hand.payoffs == (5, -3, -2)


def test_a_short_big_blind_is_called_in_full_or_not():
    moves = [[(2, CALL, 0, -1), (0, CALL, 0, -1)], *[[(0, CALL, 0, -1), (2, CALL, 0, -1)]] * 3]
    posts = (Post(0, ForcedBet.SMALL_BLIND, 2), Post(1, ForcedBet.BIG_BLIND, 1))
    common = {"stacks": (100, 1, 100), "big_blind": 4, "moves": moves, "boards": (BOARD,), "hole": SHOWN}
    assert judge(draft(posts=posts, **common)).payoffs == (5, -1, -4)
    hand = judge(draft(posts=posts, called_in_full=False, **common))
    assert hand.payoffs == (3, -1, -2)
    assert game_of(hand).rules.opening == 0
    assert not retrace(hand).called_in_full


def test_odd_chips_and_rake_are_as_the_file_has_them():
    hole = {0: parse_cards("AsKh"), 1: parse_cards("AcKd"), 2: parse_cards("QsQh")}
    board = (parse_cards("AhKc2d3s4c"),)
    posts = (Post(0, ForcedBet.SMALL_BLIND, 50), Post(1, ForcedBet.BIG_BLIND, 101))
    told = draft(
        stacks=(900, 900, 900),
        posts=posts,
        big_blind=101,
        moves=LIMPED,
        boards=board,
        hole=hole,
        collected=(141, 142, 0),
    )
    hand = judge(told)
    assert (hand.payoffs, hand.rake) == ((40, 41, -101), 20)
    with pytest.raises(Unfit, match="goes elsewhere"):
        judge(replace(told, collected=(0, 283, 0)))
    with pytest.raises(Unfit, match="not conserved"):
        judge(replace(told, collected=(200, 200, 0)))


def test_who_won_is_not_guessed():
    with pytest.raises(Unfit, match="who won"):
        judge(draft(moves=LIMPED, boards=(BOARD,)))
    hand = judge(draft(moves=LIMPED, boards=(BOARD,), hole={2: SHOWN[2]}))  # the others did not show
    assert hand.payoffs == (-2, -2, 4)
    assert [str(sight) for sight in hand.sights] == ["mucked", "mucked", "shown"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"players": ("a", "a", "c")}, "names"),
        ({"players": ("a",), "stacks": (5,)}, "the number of players"),
        ({"stacks": (0, 100, 100)}, "stacks"),
        ({"stacks": (100, 100)}, "stacks"),
        ({"big_blind": 0}, "blinds"),
        ({"posts": (Post(3, ForcedBet.BIG_BLIND, 2),)}, "posts"),
        ({"posts": (Post(1, ForcedBet.BIG_BLIND, 200),)}, "posts"),
        ({"moves": [[(0, CALL, 0, -1)]]}, "an action out of turn"),
        ({"moves": [[(2, RAISE, 3, -1)]]}, "an action is not legal"),
        ({"moves": [[(2, RAISE, 101, -1)]]}, "an action is not legal"),
        ({"moves": [[(2, FOLD, 0, -1)]]}, "the hand is not over"),
        ({"moves": [[(2, FOLD, 0, -1), (0, FOLD, 0, -1), (1, FOLD, 0, -1)]]}, "an action out of turn"),
        ({"moves": LIMPED, "boards": (BOARD[:4],)}, "the board does not fit"),
        ({"moves": [LIMPED[0][:1]], "boards": (BOARD,)}, "the hand is not over"),
        ({"moves": [LIMPED[0], [], [(0, CALL, 0, -1)]], "boards": (BOARD,)}, "the rounds do not fit"),
        ({"moves": LIMPED, "boards": (BOARD,), "hole": {0: BOARD[:2]}}, "cards"),
    ],
)
def test_reasons(changes, reason):
    with pytest.raises(Unfit) as caught:
        judge(draft(**changes))
    assert caught.value.reason == reason


def test_side_pots_where_those_who_paid_most_have_folded():
    pots = side_pots((50, 50, 100, 100), (False, False, True, True))
    assert pots == [(300, [0, 1])]
    assert award_pots(pots, (3, 9, -1, -1)) == [0, 300, 0, 0]


def test_games_other_than_holdem_have_no_such_record():
    end = play_out(leduc(), np.random.default_rng(1))
    with pytest.raises(SoulreadError, match="not hold'em"):
        game_of(seen_by_dealer(end))
