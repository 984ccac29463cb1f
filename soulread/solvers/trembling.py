"""A refinement by linear programming: equilibria of the game in which every hand may tremble.

A game has many equilibria, and most of them play anything where a sound opponent never goes. Here both
players take each action with a probability of at least ``tremble`` at every set. Then every set is reached,
and a plan is sound everywhere. As ``tremble`` falls to 0, the plans come to an equilibrium that is a
refinement of the usual kind (Miltersen and Sorensen, Economic Theory 42, 2010).

With trembles a plan meets x[c] >= tremble x[parent of c] for every sequence c. The program is that of
`soulread.solvers.lp` with these rows for both players, each with a dual variable of its own.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

from soulread.errors import SoulreadError
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Behaviours, Plan, behaviour_from_plan
from soulread.seqform.treeplex import Treeplex
from soulread.solvers.lp import plan_rows

_TOLERANCE = 1e-10


def trembling_equilibrium(game: SequenceGame, tremble: float = 1e-3) -> Behaviours:
    """Both players' behaviours in equilibrium, if each action has a probability of at least ``tremble``.

    As a pair for the game without trembles it is exploitable by about ``tremble`` times a few chips. For
    games of up to some thousands of sequences.
    """
    if not game.payoff.zero_sum:
        raise SoulreadError(f"{game.name!r} is not zero-sum; its equilibria are not a linear program")
    most = max(len(actions) for tree in game.trees for actions in tree.actions)
    if not 0 < tremble <= 1 / most:
        raise SoulreadError(
            f"tremble={tremble!r}; with {most} actions it lies above 0 and at most at 1/{most}"
        )
    return _one(game, 0, tremble), _one(game, 1, tremble)


def _one(game: SequenceGame, player: int, tremble: float) -> Behaviour:
    """max over plans x of  min over plans y of  x A y, as one program over [x, u, z].

    u are the dual variables of the rows that make y a plan, z >= 0 those of its trembles.
    """
    own, other = game.trees[player], game.trees[1 - player]
    mine, theirs = _tremble_rows(own, tremble), _tremble_rows(other, tremble)
    frame, frame_other = plan_rows(own), plan_rows(other)
    won = -game.payoff.matrix(1 - player)  # [sequences of the other, own]: what the player wins
    n, u, z = own.num_sequences, frame_other.shape[0], theirs.shape[0]
    equal = sp.vstack(
        [
            sp.hstack([won, -frame_other.T, -theirs.T]),
            sp.hstack([frame, sp.csr_array((frame.shape[0], u + z))]),
        ],
        format="csr",
    )
    target = np.zeros(equal.shape[0])
    target[other.num_sequences] = 1
    upper = sp.hstack([-mine, sp.csr_array((mine.shape[0], u + z))], format="csr")
    objective = np.zeros(n + u + z)
    objective[n] = -1  # the first row of a plan says that it begins with 1
    result = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
        objective,
        A_ub=upper,
        b_ub=np.zeros(upper.shape[0]),
        A_eq=equal,
        b_eq=target,
        bounds=[(0, None)] * n + [(None, None)] * u + [(0, None)] * z,
        method="highs",
        options={"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE},
    )
    if result.x is None:
        raise SoulreadError(f"HiGHS found no plan for player {player} of {game.name!r}: {result.message}")
    plan: NDArray[np.float64] = np.maximum(result.x[:n], 0.0)
    return behaviour_from_plan(own, Plan(plan))


def _tremble_rows(tree: Treeplex, tremble: float) -> sp.csr_array[np.float64]:
    """``[num_sequences - 1, num_sequences]``: times a plan, x[c] - tremble x[parent] of each sequence."""
    sequences = np.arange(1, tree.num_sequences)
    rows = sequences - 1
    parents = tree.parent_sequence[tree.sequence_set[1:]]
    values = np.concatenate([np.ones(rows.size), np.full(rows.size, -tremble)])
    where = np.concatenate([rows, rows]), np.concatenate([sequences, parents])
    return sp.coo_array((values, where), shape=(rows.size, tree.num_sequences)).tocsr()
