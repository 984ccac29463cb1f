"""Behaviour strategies and realisation plans, and how to turn one into the other.

Both are flat arrays ``[num_sequences]`` over the sequences of a treeplex. A behaviour sigma has the
probability of each action at its set. Its plan x has the product of these on the way to the action:

    x[0] = 1,   x[j, a] = x[parent of j] * sigma[j, a]

There are two ways to mix strategies. A mixture of *plans* is what a player plays who tosses a coin once,
before the game. A mixture of *behaviours* tosses it again at every information set. At a set that a plan does
not reach, the plan determines no behaviour; we take the uniform one.

A behaviour in the place of a plan has the right shape but gives a wrong number. The two are therefore
different types, `Behaviour` and `Plan`: a type checker refuses one in the place of the other. At run time
both are plain arrays, because kernels need those. There `verify_behaviour` and `verify_plan` look at the
numbers. Public functions that judge or answer a strategy call them; inner loops do not.
"""

from collections.abc import Sequence
from typing import Any, NewType, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike, NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.kernel import kernel
from soulread.seqform.treeplex import Floats, TreeArrays, Treeplex

Behaviour = NewType("Behaviour", Floats)
"""``[num_sequences]``: the probability of each action *at its set*; the actions of a set sum to one.

``Behaviour(array)`` says that an array is one; nothing is computed or verified.
"""

Plan = NewType("Plan", Floats)
"""``[num_sequences]``: the probability that a player plays *down to and including* each action.

The actions of a set sum to the entry of the sequence that leads to the set. ``Plan(array)`` says that an
array is one; nothing is computed or verified.
"""

Behaviours = tuple[Behaviour, Behaviour]  # of seats 0 and 1
Plans = tuple[Plan, Plan]  # of seats 0 and 1
Kind = TypeVar("Kind", Behaviour, Plan)

TOLERANCE = 1e-6  # how far probabilities may be from summing to one before they are refused
_SELDOM = 1e-6  # reach of a set below which its average says nothing
SINGLE_TOLERANCE = 1e-3
"""How far a plan in single precision may be from summing to its reach.

A solver's plan is a mean over thousands of iterations, each rounded to 7 digits. After 5,000 iterations plans
of Leduc are off by 3e-5. A behaviour in the place of a plan is off by tenths.
"""


def in_precision(strategy: Kind, dtype: DTypeLike) -> Kind:
    """The strategy as an array of ``dtype``, still of its kind; itself if it has that precision already."""
    return cast(Kind, np.asarray(strategy, dtype=dtype))


def uniform_behaviour(tree: Treeplex, dtype: DTypeLike = np.float64) -> Behaviour:
    """The behaviour in which every action of a set is equally likely."""
    behaviour = np.ones(tree.num_sequences, dtype=dtype)
    for block, _, rows in tree.blocks():
        behaviour[rows] = 1 / len(tree.actions[block])
    return Behaviour(behaviour)


def uniform_plan(tree: Treeplex, dtype: DTypeLike = np.float64) -> Plan:
    """The plan of `uniform_behaviour`."""
    return plan_from_behaviour(tree, uniform_behaviour(tree, dtype))


def random_behaviour(tree: Treeplex, rng: np.random.Generator) -> Behaviour:
    """A behaviour drawn uniformly from all behaviours (a flat Dirichlet at every set)."""
    weights = rng.standard_exponential(tree.num_sequences)
    return _normalised(tree, weights)


def prefer_actions(tree: Treeplex, order: Sequence[int]) -> Behaviour:
    """The behaviour that plays the first legal action of ``order`` at every set.

    Actions are the game's own numbers. A set that allows none of them raises `SoulreadError`.
    """
    behaviour = np.zeros(tree.num_sequences)
    behaviour[0] = 1.0
    for block, sets, rows in tree.blocks():
        actions = tree.actions[block]
        chosen = next((actions.index(action) for action in order if action in actions), None)
        if chosen is None:
            raise SoulreadError(
                f"none of the actions {tuple(order)!r} is legal at {tree.label(sets.start)!r}, "
                f"which allows {actions!r}"
            )
        behaviour[rows].reshape(len(actions), -1)[chosen] = 1.0
    return Behaviour(behaviour)


def move_behaviour(source: Treeplex, target: Treeplex, behaviour: Behaviour) -> Behaviour:
    """Renumber a behaviour of treeplex ``source`` for treeplex ``target``, matching sets by their labels.

    Every set of ``target`` must be in ``source`` too, with the same actions.
    """
    source.verify_shape(behaviour, "the behaviour")
    moved = np.ones(target.num_sequences, dtype=behaviour.dtype)
    for index in range(target.num_sets):
        found = source.index(target.label(index))
        if source.legal_actions(found) != target.legal_actions(index):
            raise ShapeError(
                f"the actions at {target.label(index)!r} are {target.legal_actions(index)!r} in one game and "
                f"{source.legal_actions(found)!r} in the other"
            )
        moved[target.sequences(index)] = behaviour[source.sequences(found)]
    return Behaviour(moved)


def plan_from_behaviour(tree: Treeplex, behaviour: Behaviour) -> Plan:
    """The realisation plan of a behaviour, in the same precision."""
    tree.verify_shape(behaviour, "the behaviour")
    plan = np.empty_like(behaviour)
    fill_plan(tree.arrays, behaviour, plan)
    return Plan(plan)


def behaviour_from_plan(tree: Treeplex, plan: Plan, rare: Behaviour | None = None) -> Behaviour:
    """The behaviour of a plan, in the same precision; uniform at sets that the plan does not reach.

    If ``rare`` is given, it is the behaviour at sets that the plan reaches less than once in a million.
    """
    tree.verify_shape(plan, "the plan")
    found = _normalised(tree, plan)
    if rare is not None:
        tree.verify_shape(rare, "the behaviour of rare sets")
        seldom = plan[tree.parent_sequence] < _SELDOM
        sequences = np.flatnonzero(seldom[tree.sequence_set[1:]]) + 1
        found[sequences] = rare[sequences]
    return found


def mean_behaviours(trees: tuple[Treeplex, Treeplex], pairs: Sequence[Behaviours]) -> Behaviours:
    """The behaviours of the mean plans; the mean of equilibria is an equilibrium too."""
    first, second = (
        behaviour_from_plan(
            tree, Plan(np.mean([plan_from_behaviour(tree, pair[seat]) for pair in pairs], axis=0))
        )
        for seat, tree in enumerate(trees)
    )
    return first, second


def mix_plans(probability: float, first: Plan, second: Plan) -> Plan:
    """The plan of playing ``first`` with ``probability`` and otherwise ``second``, decided once a game."""
    _verify_probability(probability)
    if first.shape != second.shape:
        raise ShapeError(f"plans of shapes {first.shape} and {second.shape} cannot be mixed")
    return Plan(probability * first + (1 - probability) * second)


def mix_behaviours(
    tree: Treeplex, probability: float | NDArray[np.float64], first: Behaviour, second: Behaviour
) -> Behaviour:
    """The behaviour of playing ``first`` with ``probability`` and otherwise ``second``, decided at every set.

    ``probability`` is one number, or one number per information set, ``[num_sets]``.
    """
    tree.verify_shape(first, "the first behaviour")
    tree.verify_shape(second, "the second behaviour")
    weights = np.broadcast_to(np.asarray(probability, dtype=first.dtype), (tree.num_sets,))
    for extreme in (weights.min(initial=1.0), weights.max(initial=0.0)):
        _verify_probability(float(extreme))
    mixed = np.ones_like(first)
    for block, sets, rows in tree.blocks():
        weight = np.tile(weights[sets], len(tree.actions[block]))
        mixed[rows] = weight * first[rows] + (1 - weight) * second[rows]
    return Behaviour(mixed)


def with_uniform(
    trees: tuple[Treeplex, Treeplex], behaviours: Behaviours, share: float, dtype: DTypeLike = np.float64
) -> Behaviours:
    """Both seats' behaviours, verified, mixed with a ``share`` of uniform play at every set."""
    verify_behaviours(trees, behaviours)
    first, second = (
        in_precision(
            mix_behaviours(tree, share, uniform_behaviour(tree, dtype), in_precision(behaviour, dtype)), dtype
        )
        for tree, behaviour in zip(trees, behaviours, strict=True)
    )
    return first, second


def draw_index(weights: NDArray[np.float64], uniform: float) -> int:
    """The index that a draw from [0, 1) falls on, weights lying side by side; see `draw_action`.

    The weights need not sum to one, but one must be positive.
    """
    return int(draw_action(weights, 0, 1, weights.size, uniform))


def verify_behaviour(tree: Treeplex, behaviour: Floats, what: str = "the behaviour") -> None:
    """Raise unless at every set the probabilities are finite, not negative and sum to one (within 1e-6).

    The message says so if the array is a plan. ``what`` is the name of the array in messages.
    """
    tree.verify_shape(behaviour, what)
    fault = _behaviour_fault(tree, behaviour, what)
    if fault and not _plan_fault(tree, behaviour, what):
        raise SoulreadError(
            f"{what} of player {tree.player} looks like a plan, not a behaviour; "
            f"use behaviour_from_plan ({fault})"
        )
    if fault:
        raise SoulreadError(fault)


def verify_plan(tree: Treeplex, plan: Floats, what: str = "the plan") -> None:
    """Raise unless the plan starts with 1 and the actions of every set sum to its reach.

    They may be off by 1e-6, in single precision by `SINGLE_TOLERANCE`. The message says so if the array is a
    behaviour. ``what`` is the name of the array in messages.
    """
    tree.verify_shape(plan, what)
    fault = _plan_fault(tree, plan, what)
    if fault and not _behaviour_fault(tree, plan, what):
        raise SoulreadError(
            f"{what} of player {tree.player} looks like a behaviour, not a plan; "
            f"use plan_from_behaviour ({fault})"
        )
    if fault:
        raise SoulreadError(fault)


def verify_behaviours(
    trees: tuple[Treeplex, Treeplex], behaviours: tuple[Floats, Floats], what: str = "the behaviour"
) -> None:
    """`verify_behaviour` for both players."""
    for tree, behaviour in zip(trees, behaviours, strict=True):
        verify_behaviour(tree, behaviour, what)


def verify_plans(trees: tuple[Treeplex, Treeplex], plans: tuple[Floats, Floats]) -> None:
    """`verify_plan` for both players."""
    for tree, plan in zip(trees, plans, strict=True):
        tree.verify_shape(plan, f"the plan of player {tree.player}")
        verify_plan(tree, plan)


def _behaviour_fault(tree: Treeplex, behaviour: Floats, what: str) -> str:
    """Why an array is no behaviour; empty if it is one."""
    fault = _entry_fault(tree, behaviour, what, TOLERANCE)
    if fault:
        return fault
    wrong = first_wrong_sum(tree.arrays, behaviour, False, TOLERANCE)
    if wrong < 0:
        return ""
    total = behaviour[tree.sequences(wrong)].sum(dtype=np.float64)
    return f"the probabilities of player {tree.player} at {tree.label(wrong)!r} sum to {total:.9g}, not to 1"


def _plan_fault(tree: Treeplex, plan: Floats, what: str) -> str:
    """Why an array is no plan; empty if it is one."""
    tolerance = _plan_tolerance(plan.dtype)
    fault = _entry_fault(tree, plan, what, tolerance)
    if fault:
        return fault
    wrong = first_wrong_sum(tree.arrays, plan, True, tolerance)
    if wrong < 0:
        return ""
    reach = plan[tree.parent_sequence[wrong]]
    total = plan[tree.sequences(wrong)].sum(dtype=np.float64)
    return (
        f"{what} of player {tree.player} reaches {tree.label(wrong)!r} with {reach:.9g} "
        f"but its actions there sum to {total:.9g}"
    )


def _plan_tolerance(dtype: np.dtype[Any]) -> float:
    return TOLERANCE if dtype.itemsize >= np.dtype(np.float64).itemsize else SINGLE_TOLERANCE


def _entry_fault(tree: Treeplex, array: Floats, what: str, tolerance: float) -> str:
    wrong = first_wrong_entry(array, tolerance)
    if wrong >= 0:
        return (
            f"{what} of player {tree.player} has {array[wrong]} at sequence {wrong}; "
            "probabilities are finite and not negative"
        )
    if abs(array[0] - 1) > tolerance:
        return f"{what} of player {tree.player} starts with {array[0]}; the empty sequence has 1"
    return ""


def _verify_probability(probability: float) -> None:
    if not 0 <= probability <= 1:
        raise SoulreadError(f"{probability!r} is not a probability; it must lie between 0 and 1")


def _normalised(tree: Treeplex, weights: Floats) -> Behaviour:
    behaviour = np.empty_like(weights)
    normalise(tree.arrays, weights, behaviour)
    return Behaviour(behaviour)


@kernel
def draw_action(behaviour: Floats, first: int, width: int, num_actions: int, uniform: float) -> int:
    """The action that ``uniform``, a draw from [0, 1), falls on when actions lie side by side, ascending.

    ``behaviour[first + a * width]`` is the probability of action a. Sums are in double precision and need not
    be one. An action with probability 0 is never drawn.
    """
    total = 0.0
    for a in range(num_actions):
        total += behaviour[first + a * width]
    target = uniform * total
    below = 0.0
    chosen = 0
    for a in range(num_actions):
        probability = behaviour[first + a * width]
        if probability > 0:
            chosen = a
            below += probability
            if target < below:
                break
    return chosen


@kernel
def first_wrong_entry(array: Floats, tolerance: float) -> int:
    """The first sequence whose entry is negative or not finite; -1 if there is none."""
    for c in range(array.size):
        if not -tolerance <= array[c] < np.inf:
            return c
    return -1


@kernel
def first_wrong_sum(tree: TreeArrays, array: Floats, is_plan: bool, tolerance: float) -> int:
    """The first set whose actions do not sum to one, or for a plan to its reach; -1 if there is none."""
    for b in range(tree.first_set.size - 1):
        width = tree.first_set[b + 1] - tree.first_set[b]
        for s in range(width):
            total = 0.0
            for c in range(tree.first_sequence[b] + s, tree.first_sequence[b + 1], width):
                total += array[c]
            j: int = tree.first_set[b] + s
            expected = 1.0
            if is_plan:
                expected = array[tree.parent_sequence[j]]
            if abs(total - expected) > tolerance:
                return j
    return -1


@kernel
def fill_plan(tree: TreeArrays, behaviour: Floats, plan: Floats) -> None:
    """Fill ``plan`` with the plan of a behaviour, parents first."""
    plan[0] = 1
    for b in range(tree.first_set.size - 1):
        parent = tree.parent_sequence[tree.first_set[b] : tree.first_set[b + 1]]
        width = parent.size
        for first in range(tree.first_sequence[b], tree.first_sequence[b + 1], width):
            row = plan[first : first + width]
            sigma = behaviour[first : first + width]
            for s in range(width):
                row[s] = plan[parent[s]] * sigma[s]


@kernel
def normalise(tree: TreeArrays, weights: Floats, behaviour: Floats) -> None:
    """Fill ``behaviour`` with weights divided by their sum at each set; uniform where the sum is zero."""
    behaviour[0] = 1
    widest = 0
    for b in range(tree.first_set.size - 1):
        widest = max(widest, tree.first_set[b + 1] - tree.first_set[b])
    room = np.empty(widest, dtype=weights.dtype)
    for b in range(tree.first_set.size - 1):
        width = tree.first_set[b + 1] - tree.first_set[b]
        first, last = tree.first_sequence[b], tree.first_sequence[b + 1]
        uniform = weights.dtype.type(width / (last - first))
        total = room[:width]
        total[:] = 0
        for c in range(first, last, width):
            row = weights[c : c + width]
            for s in range(width):
                total[s] += row[s]
        for c in range(first, last, width):
            row, sigma = weights[c : c + width], behaviour[c : c + width]
            for s in range(width):
                sigma[s] = row[s] / total[s] if total[s] > 0 else uniform
