"""Best response of one player in sequence form (von Stengel, Games and Economic Behavior 14, 1996).

With gradient g against the opponent's plan, the value v of information set j and the value q of an action are

    v(j) = max over a of  q(a),     q(a) = g(a) + sum of v(k) over information sets k right after a

Parents come before their children, so one backward sweep meets children first. Ties go to the lowest action.
At sets that the opponent's plan never lets the player reach, every action is worth exactly zero and is thus
tied: in poker the response folds there when it can. Give a ``default`` behaviour to play that instead.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.kernel import kernel
from soulread.seqform.compile import SequenceGame
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


class IncrementalBestResponse:
    """The best response of one player, kept up to date while the opponent's plan changes in parts.

    `update` recomputes only the payoffs that involve a changed sequence of the opponent, and the information
    sets above a value that changed. The result equals `best_response` to the whole plan, up to rounding.
    """

    def __init__(self, game: SequenceGame, player: int, opponent_plan: Plan) -> None:
        self.game = game
        self.player = player
        self._tree = game.trees[player]
        self._plan = Plan(opponent_plan.astype(game.payoff.dtype))  # a copy, which `update` changes
        self._gradient = game.payoff.gradient(player, self._plan)
        self._q = self._gradient.copy()
        self._value = np.zeros(self._tree.num_sets, dtype=self._q.dtype)
        self._choice = np.zeros(self._tree.num_sets, dtype=np.int32)
        self._stale = np.zeros(self._tree.num_sets, dtype=np.bool_)
        self._stale_block = np.zeros(self._tree.num_blocks, dtype=np.bool_)
        self._set_block = np.repeat(
            np.arange(self._tree.num_blocks, dtype=np.int32), np.diff(self._tree.first_set)
        )
        self._repair(np.arange(self._tree.num_sequences))

    @property
    def value(self) -> float:
        """Chips per hand of the best response to the opponent's present plan."""
        return float(self._q[0])

    def plan(self) -> Plan:
        """The pure plan of the best response; ties go to the lowest action."""
        plan = np.empty_like(self._q)
        fill_choices(self._tree.arrays, self._choice, plan)
        return Plan(plan)

    def update(self, opponent_plan: Plan) -> int:
        """Take a new plan that differs in parts from the last; return how many sets were recomputed."""
        self.game.trees[1 - self.player].verify_shape(opponent_plan, "the opponent's plan")
        changed = np.flatnonzero(opponent_plan != self._plan)
        if not changed.size:
            return 0
        self._plan[changed] = opponent_plan[changed]
        rows = self.game.payoff.update_gradient(self.player, self._plan, changed, self._gradient)
        return self._repair(rows)

    def _repair(self, rows: NDArray[np.intp]) -> int:
        links = Links(self._tree.sequence_set, self._set_block, *self._tree.child_sets)
        values = Values(self._q, self._value, self._choice, self._stale, self._stale_block)
        return repair_values(self._tree.arrays, links, rows, self._gradient, values)


class Links(NamedTuple):
    """What stands above and below the sets and sequences of a treeplex."""

    sequence_set: Ints  # [num_sequences] the set of each sequence, -1 for the empty one
    set_block: Ints  # [num_sets]
    child_start: Ints  # [num_sequences + 1] where the sets right after a sequence start in ``child_sets``
    child_sets: Ints  # [num_sets]


class Values(NamedTuple):
    """A best response that is being repaired."""

    q: Floats  # [num_sequences]
    value: Floats  # [num_sets]
    choice: Ints  # [num_sets] the best action
    stale: NDArray[np.bool_]  # [num_sets] to be computed again
    stale_block: NDArray[np.bool_]  # [num_blocks] has such a set


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


@kernel
def repair_values(
    tree: TreeArrays, links: Links, rows: NDArray[np.intp], gradient: Floats, values: Values
) -> int:
    """Recompute the sets of ``rows`` and those above a value that moved; both stale arrays end all false."""
    sequence_set, set_block, child_start, child_sets = links
    q, value, choice, stale, stale_block = values
    for c in rows:
        if c > 0:
            stale[sequence_set[c]] = True
            stale_block[set_block[sequence_set[c]]] = True
    count = 0
    for b in range(tree.first_set.size - 2, -1, -1):
        if not stale_block[b]:
            continue
        stale_block[b] = False
        width = tree.first_set[b + 1] - tree.first_set[b]
        for s in range(width):
            j = tree.first_set[b] + s
            if not stale[j]:
                continue
            stale[j] = False
            count += 1
            first = tree.first_sequence[b] + s
            for action in range((tree.first_sequence[b + 1] - tree.first_sequence[b]) // width):
                c = first + action * width
                total = gradient[c]
                for k in range(child_start[c], child_start[c + 1]):
                    total += value[child_sets[k]]
                q[c] = total
                if action == 0 or total > q[first + choice[j] * width]:
                    choice[j] = action
            top = q[first + choice[j] * width]
            if top != value[j]:
                value[j] = top
                above = sequence_set[tree.parent_sequence[j]]
                if above >= 0:
                    stale[above] = True
                    stale_block[set_block[above]] = True
    total = gradient[0]
    for k in range(child_start[0], child_start[1]):
        total += value[child_sets[k]]
    q[0] = total
    return count
