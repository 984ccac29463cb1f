"""Best response of one player in sequence form (von Stengel, Games and Economic Behavior 14, 1996).

With gradient g against the opponent's plan, the value v of information set j and the value q of an action are

    v(j) = max over a of  q(a),     q(a) = g(a) + sum of v(k) over information sets k right after a

Parents come before their children, so one backward sweep meets children first. Ties go to the lowest action.
At sets that the opponent's plan never lets the player reach, every action is worth exactly zero and is thus
tied: in poker the response folds there when it can. Give a ``default`` behaviour to play that instead.
"""

import numpy as np

from soulread.kernel import kernel
from soulread.seqform.strategy import Behaviour, Plan, fill_plan
from soulread.seqform.treeplex import Floats, Ints, TreeArrays, Treeplex


def best_response(tree: Treeplex, gradient: Floats, default: Behaviour | None = None) -> tuple[float, Plan]:
    """The best value in chips per hand, and a plan ``[num_sequences]`` that reaches it.

    The plan is pure, with one exception: where every action is worth exactly zero and a ``default`` behaviour
    is given, it plays the default.
    """
    tree.verify_shape(gradient, "the gradient")
    q = gradient.copy()
    choice = np.empty(tree.num_sets, dtype=np.int32)
    best_values(tree.arrays, q, choice)
    plan = np.empty_like(q)
    if default is None:
        fill_choices(tree.arrays, choice, plan)
    else:
        tree.verify_shape(default, "the default behaviour")
        behaviour = np.empty_like(q)
        fill_response(tree.arrays, q, choice, default, behaviour)
        fill_plan(tree.arrays, behaviour, plan)
    return float(q[0]), Plan(plan)


def best_value(tree: Treeplex, gradient: Floats) -> float:
    """The best value alone, in chips per hand."""
    tree.verify_shape(gradient, "the gradient")
    q = gradient.copy()
    best_values(tree.arrays, q, np.empty(tree.num_sets, dtype=np.int32))
    return float(q[0])


def response_behaviour(tree: Treeplex, gradient: Floats, default: Behaviour) -> Behaviour:
    """The best action of every set against the gradient; the default where all are worth exactly zero.

    This covers all sets, also those that the response itself never reaches. Ties go to the lowest action.
    """
    tree.verify_shape(gradient, "the gradient")
    tree.verify_shape(default, "the default behaviour")
    q = gradient.copy()
    choice = np.empty(tree.num_sets, dtype=np.int32)
    best_values(tree.arrays, q, choice)
    behaviour = np.empty_like(default)
    fill_response(tree.arrays, q, choice, default, behaviour)
    return Behaviour(behaviour)


@kernel
def best_values(tree: TreeArrays, q: Floats, choice: Ints) -> None:
    """Turn a gradient into the values of all sequences, in place, and note the best action of each set."""
    for b in range(tree.first_set.size - 2, -1, -1):
        parent = tree.parent_sequence[tree.first_set[b] : tree.first_set[b + 1]]
        best = choice[tree.first_set[b] : tree.first_set[b + 1]]
        width = parent.size
        first = tree.first_sequence[b]
        top = q[first : first + width].copy()
        best[:] = 0
        for action in range(1, (tree.first_sequence[b + 1] - first) // width):
            row = q[first + action * width : first + (action + 1) * width]
            for s in range(width):
                if row[s] > top[s]:
                    top[s] = row[s]
                    best[s] = action
        for s in range(width):
            q[parent[s]] += top[s]


@kernel
def fill_response(tree: TreeArrays, q: Floats, choice: Ints, default: Floats, behaviour: Floats) -> None:
    """Fill ``behaviour``: probability 1 for the chosen action; the default where every q of a set is zero."""
    behaviour[0] = 1
    idle = np.empty(np.diff(tree.first_set).max() if choice.size else 0, dtype=np.bool_)
    for b in range(tree.first_set.size - 1):
        best = choice[tree.first_set[b] : tree.first_set[b + 1]]
        width, first = best.size, tree.first_sequence[b]
        actions = (tree.first_sequence[b + 1] - first) // width
        idle[:width] = True
        for action in range(actions):
            row = q[first + action * width : first + (action + 1) * width]
            for s in range(width):
                idle[s] &= row[s] == 0
        for action in range(actions):
            start = first + action * width
            for s in range(width):
                behaviour[start + s] = default[start + s] if idle[s] else (1 if best[s] == action else 0)


@kernel
def add_values(tree: TreeArrays, behaviour: Floats, q: Floats) -> None:
    """Turn a gradient into the value of each sequence, in place, when ``behaviour`` is played after it."""
    for b in range(tree.first_set.size - 2, -1, -1):
        parent = tree.parent_sequence[tree.first_set[b] : tree.first_set[b + 1]]
        width = parent.size
        for first in range(tree.first_sequence[b], tree.first_sequence[b + 1], width):
            for s in range(width):
                q[parent[s]] += behaviour[first + s] * q[first + s]


@kernel
def fill_choices(tree: TreeArrays, choice: Ints, plan: Floats) -> None:
    """Fill ``plan`` with the plan that plays the chosen action of each set, parents first."""
    plan[:] = 0
    plan[0] = 1
    for b in range(tree.first_set.size - 1):
        width = tree.first_set[b + 1] - tree.first_set[b]
        for s in range(width):
            j = tree.first_set[b] + s
            plan[tree.first_sequence[b] + choice[j] * width + s] = plan[tree.parent_sequence[j]]
