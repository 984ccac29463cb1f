"""Slow, obvious twins of what an equilibrium is expected to do, and matches as draws of their endings."""

from collections import defaultdict
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from soulread.games.base import CHANCE, TERMINAL
from soulread.hands.record import seen_by
from soulread.model.deviation.model import SeatDeviation
from soulread.observe.card_removal import StateWeights
from soulread.observe.counts import PublicCounts
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviours


def public_frequencies(
    rules, game: SequenceGame, behaviours: Behaviours, player: int
) -> dict[str, dict[int, float]]:
    """By public history, how often ``player`` takes each action when both play, by a walk over the game."""
    taken: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))

    def walk(state, probability):
        if state.player == CHANCE:
            for action, chance in state.chance_outcomes():
                if chance > 0:
                    walk(state.apply(action), probability * chance)
        elif state.player != TERMINAL:
            seat = state.player
            tree = game.trees[seat]
            for action in state.legal_actions():
                chance = float(behaviours[seat][tree.sequence(state.information(seat), int(action))])
                if seat == player:
                    taken[state.public()][int(action)] += probability * chance
                walk(state.apply(action), probability * chance)

    walk(rules.start(), 1.0)
    found = {}
    for label, actions in taken.items():
        total = sum(actions.values())
        if total > 1e-12:
            found[label] = {action: weight / total for action, weight in actions.items()}
    return found


def chances(lookup, rules, plan, behaviour, public, n: int, r: int, own, board) -> np.ndarray:
    """Probability of each action at history n against one who holds ``own``: holding by holding."""
    first = int(public.arrays.first_set[n])
    total, taken = 0.0, np.zeros(len(public.actions(n)))
    left = [card for card in rules.deck if card not in own and card not in board]
    for hole in combinations(left, rules.hole_cards):
        state = lookup.state(hole, board)
        weight = float(plan[public.tree.parent_sequence[first + state]])
        start, width = int(public.arrays.first_sequence[n]), int(public.arrays.width[n])
        total += weight
        for a in range(taken.size):
            taken[a] += weight * float(behaviour[start + a * width + state])
    assert total > 0
    return taken / total


class Endings(NamedTuple):
    """Every way a hand between two strategies can end, and what each tells about one of the seats."""

    seat: int
    probability: np.ndarray  # [endings]
    cells: np.ndarray  # [endings, num_cells]
    weights: np.ndarray  # [endings, num_sets]
    blind: np.ndarray  # [endings, num_histories]
    sums: np.ndarray  # [endings, 2, num_cells]
    visits: np.ndarray  # [endings, num_histories]


def endings(game: SequenceGame, expected: Behaviours, played: Behaviours, seat: int, known: bool) -> Endings:
    """The endings if both play ``played``; the record has the other seat's cards if ``known``."""
    counts = PublicCounts(game)
    met = StateWeights(counts, expected)
    found = met._weights, met._blind, met._sums, met._visits
    rows: tuple[list[Any], ...] = ([], [], [], [], [], [])

    def walk(state, probability):
        if probability <= 0:
            return
        if state.player == TERMINAL:
            hand = seen_by(state, 1 - seat if known else None)
            for kept in found:
                kept[seat][:] = 0
            met.add(hand, seat)
            cells = np.zeros(counts.trees[seat].num_cells)
            cells[list(counts.cells(hand)[seat])] = 1
            for row, value in zip(
                rows, (probability, cells, *(kept[seat].copy() for kept in found)), strict=True
            ):
                row.append(value)
        elif state.player == CHANCE:
            for card, chance in state.chance_outcomes():
                walk(state.apply(card), probability * chance)
        else:
            tree = game.trees[state.player]
            for action in state.legal_actions():
                sequence = tree.sequence(state.information(state.player), action)
                walk(state.apply(action), probability * float(played[state.player][sequence]))

    assert game.poker is not None
    walk(game.poker.start(), 1.0)
    arrays = [np.array(row) for row in rows]
    return Endings(seat, arrays[0] / arrays[0].sum(), *arrays[1:])


def draw_models(game: SequenceGame, expected: Behaviours, both, hands: int, rng) -> list[SeatDeviation]:
    """Both seats' models after ``hands`` hands, drawn from their endings."""
    models = []
    for ends in both:
        times = rng.multinomial(hands // 2, ends.probability)
        counts = PublicCounts(game)
        counts.add_table(ends.seat, times @ ends.cells, hands // 2)
        met = StateWeights(counts, expected)
        met._weights[ends.seat][:] = times @ ends.weights
        met._blind[ends.seat][:] = times @ ends.blind
        met._sums[ends.seat][:] = np.tensordot(times, ends.sums, 1)
        met._visits[ends.seat][:] = times @ ends.visits
        other = expected[1 - ends.seat]
        model = SeatDeviation(game, ends.seat, expected[ends.seat], other=other)
        models.append(model.fit(counts, removal=met))
    return models
