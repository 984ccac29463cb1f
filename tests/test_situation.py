"""The situation of a decision: record, view and step by step agree with each other and with a slow twin."""

from dataclasses import replace

import numpy as np
import pytest
from naive_situation import naive_facts
from numpy.testing import assert_array_equal

from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState, raises_among
from soulread.games.walk import ACTOR, OVER, SPENT, new_walk, pot_of, raise_bounds, to_call
from soulread.hands.record import seen_by
from soulread.model import situation as facts
from soulread.model.situation import (
    apply_action,
    copy_situation,
    empty_situation,
    empty_table,
    raise_of_size,
    row_of,
    situation_at,
    situations_of,
    size_class,
    start,
)

TYPES = 0b101, 0b10, 0b110, 0b1
GAMES = [
    "nolimit",
    "nolimit:players=3,stacks=20",
    "nolimit:players=6",
    "nolimit:players=9,stacks=60",
    "limit",
    "ring-limit:5",
]


def games() -> list[PokerGame]:
    found = [parse_game(text) for text in GAMES]
    found.append(parse_game("nolimit:players=4").with_stacks((3, 40, 17, 200)))
    found.append(parse_game("nolimit:players=5").with_stacks((90, 2, 250, 33, 60)))
    return found


def play(game: PokerGame, rng: np.random.Generator) -> list[tuple[PokerState, int]]:
    """The decisions of a hand of random actions, folds being rare; the last entry is the end."""
    state, path = game.start(), []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            left = [card for card in game.rules.deck if card not in state.cards]
            state = state.apply(int(rng.choice(left)))
            continue
        legal, raises = state.legal_actions(), raises_among(state.legal_actions())
        action = CALL
        if FOLD in legal and rng.random() < 0.15:
            action = FOLD
        elif raises and rng.random() < 0.4:
            top = raises[-1] if rng.random() < 0.1 else min(raises[-1], raises[0] * 3)
            action = int(rng.integers(raises[0], top + 1))
        path.append((state, action))
        state = state.apply(action)
    path.append((state, -1))
    return path


@pytest.mark.parametrize("number", range(len(GAMES) + 2))
def test_record_view_steps_and_the_rules_agree(number: int) -> None:
    game, rng = games()[number], np.random.default_rng(number)
    for _ in range(12):
        *path, (end, _) = play(game, rng)
        hand = seen_by(end, None)
        found = situations_of([hand], np.array([TYPES]))
        table = empty_table(1)
        table.walks[0] = new_walk(game)
        table.board[0, : len(end.board)] = end.board
        table.types[0] = TYPES
        steps = empty_situation()
        start(steps, table, 0)
        walk = steps.walk
        for n, (state, action) in enumerate(path):
            masks, relations, numbers = naive_facts(path[:n], state, TYPES)
            view = situation_at(state.view(state.player), TYPES)
            for rows in (found.rows.take(np.array([n])), row_of(view), row_of(steps)):
                assert rows.actor[0] == state.player
                assert_array_equal(rows.masks[0], masks)
                assert_array_equal(rows.relations[0], relations)
                assert_array_equal(rows.numbers[0], numbers)
            raises = raises_among(state.legal_actions())
            assert found.may_raise[n] == bool(raises)
            assert found.may_fold[n] == (state.to_call > 0)
            assert found.action[n] == min(action, 2)
            assert (walk[ACTOR], pot_of(walk), to_call(walk)) == (state.player, state.pot, state.to_call)
            low, high = raise_bounds(walk)
            if raises and game.rules.raise_sizes is None:
                assert (low, high) == (raises[0], raises[-1])
                for size in range(facts.NUM_SIZES):
                    assert raise_of_size(walk, size) in raises
            else:
                assert (low <= high) == bool(raises)
            if action >= 2:
                assert found.size[n] == size_class(walk, action)
            apply_action(steps, action)
        assert walk[ACTOR] == OVER
        assert_array_equal(walk[SPENT : SPENT + len(end.spent)], end.spent)


def test_many_hands_are_the_hands_one_by_one() -> None:
    rng = np.random.default_rng(8)
    hands = [seen_by(play(game, rng)[-1][0], None) for game in games() for _ in range(4)]
    together = situations_of(hands)
    begin = 0
    for number, hand in enumerate(hands):
        alone = situations_of([hand])
        rows = together.rows.take(np.arange(begin, begin + len(hand.actions)))
        for column, expected in zip(rows, alone.rows, strict=True):
            assert_array_equal(column, expected)
        assert (together.hand[begin : begin + len(hand.actions)] == number).all()
        begin += len(hand.actions)
    assert situations_of([]).action.size == 0


def test_a_copy_goes_its_own_way() -> None:
    game = parse_game("nolimit:players=3")
    first, second = situation_at(game.start().deal(range(6)).view(0)), empty_situation()
    copy_situation(first, second)
    apply_action(second, 8)
    assert first.walk[facts.RAISED] == 0
    assert second.walk[facts.RAISED] == 0b100
    assert row_of(first).numbers[0, facts.RAISES] == 0
    assert row_of(second).numbers[0, facts.RAISES] == 1


def test_sizes_of_raises() -> None:
    """Blinds 1 and 2: a raise to 7 adds 5 beyond the call, over a pot of 5 after it."""
    start_of_hand = situation_at(parse_game("nolimit:players=3").start().deal(range(6)).view(0)).walk
    pot = pot_of(start_of_hand) + to_call(start_of_hand)
    assert pot == 5
    for total, expected in ((4, 0), (5, 1), (6, 2), (7, 3), (9, 4), (20, 5), (200, 6)):
        assert size_class(start_of_hand, total) == expected, total
    assert raise_of_size(start_of_hand, 3) == 7
    assert raise_of_size(start_of_hand, facts.ALL_IN_SIZE) == raise_bounds(start_of_hand)[1]


def test_what_cannot_be_read_is_refused() -> None:
    rng = np.random.default_rng(3)
    leduc = parse_game("leduc")
    with pytest.raises(SoulreadError, match="is not hold'em"):
        situations_of([seen_by(play(leduc, rng)[-1][0], None)])
    with pytest.raises(SoulreadError, match="is not hold'em"):
        situation_at(leduc.start().deal(leduc.rules.deck[:2]).view(0))
    hand = seen_by(play(parse_game("nolimit:players=3"), rng)[-1][0], None)
    with pytest.raises(SoulreadError):
        situations_of([replace(hand, actions=hand.actions[1:])])
