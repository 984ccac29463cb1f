"""A prior that learns from histories of the same kind: opponents who raise too much here do so elsewhere too.

DBBR expects equilibrium play wherever the opponent was not seen. Most public histories are seen a few times
at most. Against an opponent who always raises, the model therefore stays wrong for long. Here histories are
put into classes k by round, raises made in the round and available actions. The prior of a history n becomes

    w[k] p*[n, a] + (1 - w[k]) f[k, a]

where f[k] are the frequencies of all the opponent's actions in the class, and p* the equilibrium's at n. The
weight w[k] is the most likely one, given that each action seen was drawn from this mixture, and given
``strength`` more actions that spoke for the equilibrium. For an opponent who plays the equilibrium w stays
near 1, since p* tells the histories of a class apart and f does not. For one whose play does not depend on
the history w is soon near 0. Without observations w is 1. This is our addition; it is not in the paper.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.seqform.public import PublicTree

STRENGTH = 5.0
_STEPS = 200


class PooledPrior(NamedTuple):
    """The weight of the equilibrium at each history, and the frequencies that have the rest of the weight."""

    weight: NDArray[np.float64]  # [num_histories] w of the history's class
    frequency: NDArray[np.float64]  # [num_cells] f of the history's class


def classes(public: PublicTree) -> NDArray[np.int64]:
    """``[num_histories]``: the class of each history, numbered in order of appearance.

    Round and raises are read from labels that end in a betting string, such as "rc/cr". Other labels differ
    in their actions alone.
    """
    numbers: dict[tuple[int, int, tuple[int, ...]], int] = {}
    result = np.empty(public.num_histories, dtype=np.int64)
    for n, label in enumerate(public.labels):
        betting = label.rpartition("|")[2]
        last = betting.rpartition("/")[2]
        key = betting.count("/"), last.count("r"), public.actions(n)
        result[n] = numbers.setdefault(key, len(numbers))
    return result


def equilibrium_only(public: PublicTree) -> PooledPrior:
    """The paper's prior, the equilibrium alone: weight 1 everywhere."""
    return PooledPrior(np.ones(public.num_histories), np.zeros(public.num_cells))


def pool(
    public: PublicTree,
    kinds: NDArray[np.int64],
    expected: NDArray[np.float64],
    counts: NDArray[np.float64],
    strength: float = STRENGTH,
) -> PooledPrior:
    """The prior of each history, from the ``counts`` of the opponent's actions at all histories.

    ``expected`` are the equilibrium's frequencies, and ``kinds`` comes from `classes`.
    """
    cell_history = np.repeat(np.arange(public.num_histories), public.arrays.num_actions)
    position = np.arange(public.num_cells) - public.arrays.first_cell[cell_history]
    kind = kinds[cell_history]
    most = int(public.arrays.num_actions.max(initial=1))
    num_kinds = int(kinds.max(initial=-1)) + 1
    totals = np.bincount(kind * most + position, counts, minlength=num_kinds * most).reshape(num_kinds, most)
    seen = totals.sum(axis=1)
    shares = np.divide(totals, seen[:, None], out=np.zeros_like(totals), where=seen[:, None] > 0)
    frequency = shares[kind, position]

    used = counts > 0
    c, kind_used, p, f = counts[used], kind[used], expected[used], frequency[used]
    weight = np.full(num_kinds, 0.5)
    for _ in range(_STEPS):  # expectation maximisation: was an action drawn from p* or from f?
        own = weight[kind_used] * p
        mine = np.bincount(kind_used, c * own / (own + (1 - weight[kind_used]) * f), minlength=num_kinds)
        weight = (mine + strength) / (seen + strength)
    weight[seen == 0] = 1.0
    return PooledPrior(weight[kinds], frequency)
