"""Slow, obvious twins of the tabular kernels, and a small abstraction of hold'em to try them on."""

from collections.abc import Sequence

import numpy as np

from soulread.abstraction.states import Abstraction, AbstractionSpec, StateTables
from soulread.cards.isomorphism import NUM_FLOPS, NUM_RIVERS, NUM_TURNS, all_boards
from soulread.cards.ranges import HAND_CARDS, NUM_HANDS


def draw(probabilities: Sequence[float], uniform: float) -> int:
    """Walk along the probabilities until their running sum exceeds the draw."""
    reached = 0.0
    for action, probability in enumerate(probabilities):
        reached += probability
        if probability > 0 and uniform * sum(probabilities) < reached:
            return action
    return max(action for action, probability in enumerate(probabilities) if probability > 0)


def rank_abstraction(kind: str = "hs2") -> Abstraction:
    """Hands by their ranks: three buckets before the flop, and whether a rank stands on the flop ever after.

    Turn and river tell nothing new. The great tables are zeros nobody writes, so they take no memory.
    """
    spec = AbstractionSpec(kind, (3, 2, 1, 1))
    ranks = HAND_CARDS.astype(np.int64) >> 2
    hole = np.digitize(ranks.max(axis=1) + 13 * (ranks[:, 0] == ranks[:, 1]), (9, 12)).astype(np.uint16)
    flops = all_boards().flops.astype(np.int64) >> 2
    paired = (flops[:, None, :, None] == ranks[None, :, None, :]).any(axis=(2, 3))
    tables = StateTables(
        boards=all_boards().lookup,
        hole_state=hole,
        flop_state=(2 * hole[None] + paired).astype(np.uint16),
        turn_bucket=np.zeros((NUM_TURNS, NUM_HANDS, 4), dtype=np.uint8),
        river_strength=np.zeros((NUM_RIVERS, NUM_HANDS), dtype=np.uint16),
        river_cuts=np.empty((6, 0), dtype=np.uint16),
        branching=np.array(spec.branching, dtype=np.int64),
    )
    assert tables.flop_state.shape == (NUM_FLOPS, NUM_HANDS)
    return Abstraction(spec, tables, "0123456789abcdef" if kind == "hs2" else "another")


def noisy_abstraction() -> Abstraction:
    """Buckets of every round without a meaning, in which every table says something; 0.4 GB."""
    rng = np.random.default_rng(1)
    spec = AbstractionSpec("hs2", (4, 3, 2, 3))
    hole = rng.integers(0, 4, NUM_HANDS).astype(np.uint16)
    tables = StateTables(
        boards=all_boards().lookup,
        hole_state=hole,
        flop_state=(3 * hole[None] + rng.integers(0, 3, (NUM_FLOPS, NUM_HANDS))).astype(np.uint16),
        turn_bucket=rng.integers(0, 2, (NUM_TURNS, NUM_HANDS, 4), dtype=np.uint8),
        river_strength=rng.integers(0, 1981, (NUM_RIVERS, NUM_HANDS), dtype=np.uint16),
        river_cuts=np.sort(rng.integers(0, 1981, (24, 2)), axis=1).astype(np.uint16),
        branching=np.array(spec.branching, dtype=np.int64),
    )
    return Abstraction(spec, tables)


def rank_states(hole: Sequence[int], board: Sequence[int]) -> list[int]:
    """The states of `rank_abstraction`, from the cards themselves."""
    ranks = [card >> 2 for card in hole]
    strength = max(ranks) + 13 * (ranks[0] == ranks[1])
    first = (strength >= 9) + (strength >= 12)
    states = [first]
    if board:
        seen = 2 * first + any(card >> 2 in ranks for card in board[:3])
        states += [seen] * (len(board) - 2)
    return states
