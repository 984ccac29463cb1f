"""Completed models the slow way: one holding after the other, hands walked by the rule engine."""

import numpy as np
from naive_rollout import table_row

from soulread.cards.ranges import HAND_CARDS
from soulread.cards.scales.values import board_scale, income_scale
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.hands.referee import game_of_record


def rows_of(hand: Hand, seat: int, holding: int) -> list[tuple[int, int, int, bool]]:
    """Kind, strength, action, and whether a raise was legal, of each decision of a seat with a holding."""
    found = []
    for state, action in decisions(game_of_record(hand), hand.actions, hand.board, hand.hole):
        if state.player == seat:
            board = tuple(hand.board[: (0, 3, 4, 5)[state.round]])
            scale = board_scale(board, 1) if board else income_scale(hand.num_players)
            kind, strength = table_row(scale.values[holding], state)
            found.append((kind, strength, min(action, 2), bool(state.legal_actions().raises)))  # type: ignore[attr-defined]
    return found


def complete(hand: Hand, seat: int, chances: np.ndarray) -> np.ndarray:
    """How likely each holding of a seat is after all its actions."""
    dead = {*hand.board, *(card for n, hole in enumerate(hand.hole) if n != seat for card in hole or ())}
    weights = np.zeros(1326)
    for holding in range(1326):
        if not dead & set(HAND_CARDS[holding].tolist()):
            weights[holding] = 1.0
            for kind, strength, action, may_raise in rows_of(hand, seat, holding):
                row = chances[kind, strength]
                weights[holding] *= row[action] / (1.0 if may_raise else row[0] + row[1])
    found: np.ndarray = weights / weights.sum()
    return found


def fit(prior: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The three steps from the prior to the player, action by action."""
    found = prior.copy()
    for faced in (True, False):
        kinds = [kind for kind in range(40) if (kind // 2 % 5 > 0) == faced]
        before = found.copy()
        for action in range(3):
            seen = sum(counts[kind, :, action].sum() for kind in kinds)
            expected = sum((counts[kind].sum(axis=1) * before[kind, :, action]).sum() for kind in kinds)
            for kind in kinds:
                found[kind, :, action] *= (10 + seen) / (10 + expected)
    for kind in range(40):
        for strength in range(10):
            found[kind, strength] /= found[kind, strength].sum()
    before = found.copy()
    for kind in range(40):
        for action in range(3):
            seen = counts[kind, :, action].sum()
            expected = (counts[kind].sum(axis=1) * before[kind, :, action]).sum()
            found[kind, :, action] *= (10 + seen) / (10 + expected)
        for strength in range(10):
            found[kind, strength] /= found[kind, strength].sum()
            had = counts[kind, strength].sum()
            found[kind, strength] = (8 * found[kind, strength] + counts[kind, strength]) / (8 + had)
    return found
