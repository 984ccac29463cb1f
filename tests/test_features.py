"""Features of decisions: one function for files and hands in play, no hidden card, numbers from 0 to 1."""

from dataclasses import replace

import numpy as np
import pytest
from naive_features import naive_rows, naive_texture
from numpy.testing import assert_allclose, assert_array_equal

from soulread.cards.arrays import deal
from soulread.cards.deck import parse_cards
from soulread.errors import SoulreadError
from soulread.games.base import CHANCE
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame, PokerState, raises_among
from soulread.hands.hand import Hand
from soulread.hands.record import public_view, seen_by, seen_by_dealer
from soulread.model.loki.contexts import walk
from soulread.model.predict.features import (
    FEATURES,
    NAMES,
    NUM_SITUATION,
    NUM_STYLE,
    SITUATION,
    STYLE_PRIOR,
    USUAL,
    imagined,
    no_counts,
    rows_of,
    rows_of_view,
    rows_so_far,
    style_of,
    styles_before,
)

GAMES = [
    "limit",
    *(f"ring-limit:{seats}" for seats in range(2, 11)),
    "nolimit:players=3,stacks=60/17/33,blinds=1/2,ante=1",
    "nolimit:players=6,stacks=100",
    "nolimit",
]


def played(game: PokerGame, rng: np.random.Generator) -> list[PokerState]:
    """The states of a random hand: every decision, and the end."""
    cards = iter(deal(rng, game.rules.deck, game.num_cards))
    state, found = game.start(), []
    while state.player != -2:
        while state.player == CHANCE:
            state = state.apply(next(cards))
        if state.player < 0:
            break
        found.append(state)
        legal = state.legal_actions()
        raises = raises_among(legal)
        chances = [0.12 if legal[0] == 0 else 0.0, 0.5, 0.38 if raises else 0.0]
        kind = int(rng.choice(3, p=np.array(chances) / sum(chances)))
        state = state.apply(kind if kind < 2 else int(raises[int(rng.integers(len(raises)))]))
    return [*found, state]


def hand_of(states: list[PokerState]) -> Hand:
    return seen_by_dealer(states[-1])


@pytest.mark.parametrize("name", GAMES)
def test_a_view_and_the_finished_hand_have_the_same_features(name: str) -> None:
    """At every decision, seen by every seat; the kernel's twin agrees with both."""
    game = parse_game(name)
    rng = np.random.default_rng(7)
    for _ in range(6):
        *states, end = played(game, rng)
        hand = seen_by(end, None)
        rows = rows_of([hand])
        twin = naive_rows(game, hand.actions, hand.board)
        assert len(rows) == len(states)
        for number, state in enumerate(states):
            seat = state.player
            row = rows.take(np.array([number]))
            for view in (state.view(0), state.view(seat), public_view(state)):
                live = rows_of_view(view, seat)
                assert_array_equal(live.situation, rows.situation[: number + 1])
                assert_array_equal(live.context, rows.context[: number + 1])
                assert_array_equal(live.legal, rows.legal[: number + 1])
                assert_array_equal(rows_so_far(view).situation, rows.situation[:number])
            assert row.legal[0, 0] == (state.to_call > 0)
            assert row.legal[0, 2] == bool(raises_among(state.legal_actions()))
            expected = [twin[number][feature] for feature, _ in SITUATION]
            assert_allclose(row.situation[0], expected, atol=1e-12, err_msg=f"{state.betting} in {name}")
            assert row.context[0] == twin[number]["context"]
        assert rows.situation.min(initial=0) >= 0
        assert rows.situation.max(initial=0) <= 1


@pytest.mark.parametrize("name", ["limit", "ring-limit:6", "nolimit:players=3,stacks=60/17/33,blinds=1/2"])
def test_contexts_are_those_of_loki(name: str) -> None:
    game = parse_game(name)
    rng = np.random.default_rng(3)
    for _ in range(10):
        hand = hand_of(played(game, rng))
        rows = rows_of([hand])
        made = walk(game, hand.actions).decisions
        assert rows.context.tolist() == [one.enhanced for one in made]
        assert rows.seat.tolist() == [one.seat for one in made]
        assert rows.action.tolist() == [one.action for one in made]
        assert rows.round.tolist() == [one.round for one in made]


def test_no_hidden_card_enters() -> None:
    game = parse_game("ring-limit:4")
    rng = np.random.default_rng(5)
    *states, end = played(game, rng)
    hand = hand_of([end])
    plain = rows_of([hand]).situation
    others = tuple(tuple(cards) for cards in rng.permutation(52)[:8].reshape(4, 2).tolist())
    assert_array_equal(rows_of([replace(hand, hole=others)]).situation, plain)
    assert_array_equal(rows_of([replace(hand, hole=(None,) * 4)]).situation, plain)
    view = states[-1].view(states[-1].player)
    before = rows_of_view(view, view.to_act).situation
    for hole in ((), (0, 1), (50, 51)):
        assert_array_equal(rows_of_view(replace(view, hole=hole), view.to_act).situation, before)


@pytest.mark.parametrize(
    "board", ["Ah2c3d4s9h", "AhKcQdJs2h", "7h7c7d2s2h", "2h5h9hKhKd", "AcAd4s5h6c", "9s8d2cTh3h"]
)
def test_textures_of_chosen_boards(board: str) -> None:
    """Among them a wheel, whose ace is below the two, and a Broadway."""
    state = parse_game("limit").start().deal(range(4))
    for card in (None, *range(4, 9)):
        state = state if card is None else state.apply(card)
        while state.player >= 0:
            state = state.apply(1)
    cards = parse_cards(board)
    rows = rows_of([replace(seen_by(state, None), boards=(cards,))])
    for i in range(len(rows)):
        found = naive_texture(cards[: (0, 3, 4, 5)[rows.round[i]]])
        for name, value in found.items():
            assert rows.situation[i, NAMES.index(name)] == pytest.approx(value), (name, i)


def test_many_hands_are_one_after_another() -> None:
    game = parse_game("ring-limit:5")
    rng = np.random.default_rng(8)
    hands = [hand_of(played(game, rng)) for _ in range(7)]
    rows = rows_of(hands)
    single = [rows_of([hand]) for hand in hands]
    assert_array_equal(rows.situation, np.concatenate([row.situation for row in single]))
    assert_array_equal(rows.hand, np.repeat(np.arange(7), [len(row) for row in single]))


def test_every_feature_is_named_and_explained_once() -> None:
    assert len(set(NAMES)) == len(NAMES) == NUM_SITUATION + NUM_STYLE
    assert all(about for _, about in FEATURES)


def test_other_games_are_refused() -> None:
    leduc = parse_game("leduc")
    state = leduc.start().deal([leduc.rules.deck[0], leduc.rules.deck[1]])
    with pytest.raises(SoulreadError, match="is not hold'em"):
        rows_of_view(state.view(0), 0)
    while state.player >= 0:
        state = state.apply(1)
        if state.player == CHANCE:
            state = state.apply(leduc.rules.deck[2])
    with pytest.raises(SoulreadError, match="is not hold'em"):
        rows_of([seen_by(state, None)])


def test_style_is_that_of_earlier_hands() -> None:
    """Counted by hand, and never from the same hand or a later one."""
    game = parse_game("ring-limit:3")
    rng = np.random.default_rng(9)
    hands = [hand_of(played(game, rng)) for _ in range(30)]
    rows = rows_of(hands)
    styles = styles_before(rows, rows.seat, counts := no_counts(3))
    assert styles.min() >= 0
    assert styles.max() <= 1
    later = rows.hand >= 20
    changed = rows.take(~later)
    assert_array_equal(styles_before(changed, changed.seat, no_counts(3)), styles[~later])
    for number in (0, 7, 29):
        for seat in range(3):
            earlier = [i for i in range(len(rows)) if rows.hand[i] < number and rows.seat[i] == seat]
            expected: list[float] = []
            for taken, facing in ((0, True), (2, True), (2, False)):
                for round in range(4):
                    chances = [
                        i for i in earlier if rows.round[i] == round and bool(rows.legal[i, 0]) == facing
                    ]
                    count = sum(int(rows.action[i]) == taken for i in chances)
                    prior = STYLE_PRIOR * USUAL[len(expected)]
                    expected.append((prior + count) / (STYLE_PRIOR + len(chances)))
            seen = {int(rows.hand[i]) for i in earlier}
            paid = {
                int(rows.hand[i])
                for i in earlier
                if rows.round[i] == 0 and rows.legal[i, 0] and rows.action[i] > 0
            }
            expected.append((STYLE_PRIOR * USUAL[-1] + len(paid)) / (STYLE_PRIOR + len(seen)))
            expected.append(len(seen) / (len(seen) + 100))
            own = [i for i in range(len(rows)) if rows.hand[i] == number and rows.seat[i] == seat]
            for i in own:
                assert_allclose(styles[i], expected)
    assert counts[:, :24].sum() == len(rows)
    assert_array_equal(style_of(no_counts())[:13], USUAL)


def test_imagined_decisions_have_their_contexts() -> None:
    game = parse_game("ring-limit:6")
    state = game.start().deal(range(12))
    now = rows_of_view(state.view(state.player), state.player).last
    found = imagined(now)
    assert (found.context // 7).tolist() == list(range(12))
    index = {name: number for number, name in enumerate(NAMES)}
    assert found.situation[:, :4].sum(axis=1).tolist() == [1] * 12
    assert found.situation[:, index["facing"]].tolist() == [0, 1, 1] * 4
    assert found.situation[:, index["two to call"]].tolist() == [0, 0, 1] * 4
    assert found.legal[:, 0].tolist() == [False, True, True] * 4
    pot = state.pot / game.rules.big_blind
    odds = [bets * size / (pot + bets * size) for size in (1, 1, 2, 2) for bets in range(3)]
    assert_allclose(found.situation[:, index["pot odds"]], odds)
    assert found.situation.min() >= 0
    assert found.situation.max() <= 1
    here = found.take(np.array([int(now.context[0]) // 7])).situation[0]
    same = [index[name] for name in ("position", "players", "active", "behind", "facing", "raises")]
    assert_allclose(here[same], now.situation[0][same])
