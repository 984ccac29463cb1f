"""Weight shifting (Ganzfried & Sandholm, AAMAS 2011, section 4.4.3), for any number of actions.

At one public history, x[a, b] is a table of action probabilities with one column per private state b. It
starts as the equilibrium and must end with

    sum over b of beta[b] x[a, b] = alpha[a]     for every action a

Actions are settled one by one, from the last (in poker the raise) down to the second. For each action the
states are ranked by how often the equilibrium takes this action or a later one. For the last action that is
the paper's ranking. Where two actions are left, it ranks states by how rarely they take the other one. States
that rank equal are ordered by the mean number of their action, then by their own number.

* An action that is too rare gets weight, beginning with the state that ranks highest. Each state is filled up
  before the next. Within a state the weight comes from the unsettled actions, the least likely first.
* An action that is too frequent loses weight, beginning with the state that ranks lowest. Each state is
  emptied before the next. The lost weight goes to the state's most likely unsettled action; at ties, to the
  higher one. The paper only says "analogously"; this is the reverse of the other direction.

Every alpha that sums to one can be reached, and is. States with beta 0 stay at the equilibrium, as no weight
on them changes what is seen.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.kernel import kernel
from soulread.seqform.public import PublicArrays, PublicTree, gather_columns
from soulread.seqform.strategy import Behaviour
from soulread.seqform.treeplex import Floats, Ints

Table = NDArray[np.float64]


def rank_states(public: PublicTree, behaviour: Behaviour) -> Ints:
    """Rank the states of every history for each action but the first, by ``behaviour``, lowest first.

    The array is flat: the ranking for action a of history n begins at ``first_rank(public)[n] + (a - 1) *
    size``.
    """
    public.tree.verify_shape(behaviour, "the behaviour")
    first = first_rank(public)
    order = np.empty(int(first[-1]), dtype=np.int32)
    fill_ranking(public.arrays, first, behaviour, order)
    return order


def first_rank(public: PublicTree) -> NDArray[np.int64]:
    """``[num_histories + 1]``: where the rankings of each history begin."""
    sizes = public.arrays.size.astype(np.int64) * (public.arrays.num_actions - 1)
    return np.concatenate([[0], np.cumsum(sizes)])


@kernel
def fill_ranking(public: PublicArrays, first: NDArray[np.int64], behaviour: Floats, order: Ints) -> None:
    """Sort the states of every history by how often they take each action or a later one."""
    widest = public.size.max() if public.size.size else 0
    most = public.num_actions.max() if public.size.size else 0
    space = np.empty(most * widest)
    for n in range(public.size.size):
        size, actions = public.size[n], public.num_actions[n]
        x = space[: actions * size].reshape(actions, size)
        gather_columns(public, n, behaviour, x)
        rank_columns(x, order[first[n] : first[n + 1]])


@kernel
def rank_columns(x: Table, order: Ints) -> None:
    """Rank the states of one table ``[actions, states]`` for each action but the first, lowest first."""
    actions, size = x.shape
    mean = np.zeros(size)
    for a in range(1, actions):
        for k in range(size):
            mean[k] += a * x[a, k]
    by_mean = np.argsort(mean, kind="mergesort")
    tail = np.zeros(size)
    sorted_tail = np.empty(size)
    for a in range(actions - 1, 0, -1):
        for k in range(size):
            tail[k] += x[a, k]
        for k in range(size):
            sorted_tail[k] = tail[by_mean[k]]
        ranking = np.argsort(sorted_tail, kind="mergesort")
        start = (a - 1) * size
        for k in range(size):
            order[start + k] = by_mean[ranking[k]]


@kernel
def shift_weight(x: Table, beta: Table, alpha: Table, gamma: Table, order: Ints) -> None:
    """Move ``x`` until its weighted sums are ``alpha``; ``gamma`` holds the sums and is kept up to date."""
    actions, size = x.shape
    for a in range(actions - 1, 0, -1):
        ranking = order[(a - 1) * size : a * size]
        missing = alpha[a] - gamma[a]
        if missing > 0:
            for k in range(size - 1, -1, -1):
                b = ranking[k]
                if beta[b] <= 0:
                    continue
                room = 0.0
                for other in range(a):
                    room += x[other, b]
                last = beta[b] * room >= missing
                move = missing / beta[b] if last else room
                _take(x, gamma, beta[b], a, b, move)
                x[a, b] += move
                gamma[a] += beta[b] * move
                missing -= beta[b] * move
                if last:
                    break
        elif missing < 0:
            for k in range(size):
                b = ranking[k]
                if beta[b] <= 0:
                    continue
                last = beta[b] * x[a, b] >= -missing
                move = -missing / beta[b] if last else x[a, b]
                favourite = a - 1
                for other in range(a - 2, -1, -1):
                    if x[other, b] > x[favourite, b]:
                        favourite = other
                x[a, b] = x[a, b] - move if last else 0.0
                x[favourite, b] += move
                gamma[a] -= beta[b] * move
                gamma[favourite] += beta[b] * move
                missing += beta[b] * move
                if last:
                    break


@kernel
def _take(x: Table, gamma: Table, weight: float, actions: int, b: int, amount: float) -> None:
    """Take ``amount`` from the first ``actions`` actions of state b, the least likely first."""
    for _ in range(actions):
        lowest = -1
        for other in range(actions):
            if x[other, b] > 0 and (lowest < 0 or x[other, b] < x[lowest, b]):
                lowest = other
        if lowest < 0 or amount <= 0:
            return
        part = min(amount, x[lowest, b])
        x[lowest, b] -= part
        gamma[lowest] -= weight * part
        amount -= part
