"""Habits written out plainly: one probability at a time, likelihoods hand by hand."""

import math

import numpy as np

from soulread.games.poker import CALL, FOLD
from soulread.model.bayes.evidence import Evidence, likelihood
from soulread.model.bayes.habits import HabitModel
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Behaviours, plan_from_behaviour
from soulread.seqform.treeplex import ProductLabels
from soulread.solvers.skews import strength_ranks


def habit_behaviour(
    game: SequenceGame,
    player: int,
    base: Behaviour,
    smooth: float,
    habits: np.ndarray,
    kinds: np.ndarray | None = None,
) -> Behaviour:
    """The behaviour of ``player`` whose betting nodes have ``habits``, ``[blocks, numbers]``.

    ``kinds`` says of each action whether it folds (0), calls (1), or which kind of raise it is (2 and more).
    """
    tree = game.trees[player]
    result = np.ones(tree.num_sequences)
    assert isinstance(tree.labels, ProductLabels)
    for block, (actions, r) in enumerate(zip(tree.actions, tree.labels.rounds, strict=True)):
        t, often_of, line_of, bow_of = habits[block][0], *np.split(habits[block][1:], 3)
        width = tree.first_set[block + 1] - tree.first_set[block]
        for state in range(width):
            z = 2 * strength_ranks(game)[r][state] - 1
            rows = [int(tree.first_sequence[block]) + a * width + state for a in range(len(actions))]
            weights = []
            for place, (row, action) in enumerate(zip(rows, actions, strict=True)):
                kind = (0 if action == FOLD else 2) if kinds is None else int(kinds[block, place])
                which = 0 if kind == 0 else kind - 1
                often, line, bow = often_of[which], line_of[which], bow_of[which]
                if action == CALL:
                    often = line = bow = 0.0
                likely = (1 - smooth) * base[row] + smooth / len(actions)
                weights.append(likely**t * math.exp(often + line * z + bow * (z * z - 1 / 3)))
            for row, weight in zip(rows, weights, strict=True):
                result[row] = weight / sum(weights)
    return Behaviour(result)


def log_density(
    model: HabitModel, base: Behaviours, smooth: float, hands: list[Evidence], forget: float = 1.0
) -> float:
    """Log-likelihood of the hands under the model's habits, and their prior, up to a constant."""
    game = model.game
    plans = [
        plan_from_behaviour(
            game.trees[seat], habit_behaviour(game, seat, base[seat], smooth, model.habits(seat))
        )
        for seat in (0, 1)
    ]
    seen = sum(
        forget**age * math.log(likelihood(evidence, plans[evidence.player]))
        for age, evidence in enumerate(reversed(hands))
    )
    return seen - 0.5 * float((model.numbers**2).sum())
