"""One table of action probabilities, moved until it has given frequencies.

x[a, b] is how likely each of the states b (in a spot: the hands) takes action a, and w[b] how often state b
comes to the decision. `fit_frequencies` moves x until

    sum over b of w[b] x[a, b]  =  alpha[a] sum over b of w[b]     for every action a

in one of the three ways of DBBR: weight shifting (`soulread.model.deviation.shift`), or to the closest such
table in L1 or L2 (`soulread.model.deviation.distance`). States that never come to the decision stay as they
are.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.model.deviation.distance import project_evenly, spread_evenly
from soulread.model.deviation.model import METHODS
from soulread.model.deviation.shift import rank_columns, shift_weight
from soulread.options import Bounds

Table = NDArray[np.float64]

_CLOSE = 1e-12  # frequencies this near to those wanted are left alone
_SUM = 1e-9  # how far frequencies may be from summing to one


def fit_frequencies(table: Table, weights: Table, frequencies: Table, method: str = "shift") -> Table:
    """A copy of ``table [actions, states]`` whose mean over ``weights [states]`` is ``frequencies``.

    ``method`` is "shift", "l1" or "l2". Columns of the table are distributions, and so are those of the
    result.
    """
    Bounds(choices=METHODS).verify("method", method)
    actions, states = table.shape
    if weights.shape != (states,) or frequencies.shape != (actions,):
        raise ShapeError(
            f"a table of shape {table.shape} with weights {weights.shape} and frequencies {frequencies.shape}"
        )
    total = float(weights.sum())
    if not (total > 0 and weights.min() >= 0):
        raise SoulreadError("the weights of the states must not be negative, and one must be above 0")
    if not (abs(float(frequencies.sum()) - 1) <= _SUM and frequencies.min() >= 0):
        raise SoulreadError(f"frequencies {frequencies.tolist()!r}; they must be positive and sum to 1")
    x = np.array(table, dtype=np.float64)
    beta = weights / total
    gamma = x @ beta
    if np.abs(gamma - frequencies).max() <= _CLOSE:
        return x
    alpha = np.array(frequencies, dtype=np.float64)
    if method == "shift":
        order = np.empty((actions - 1) * states, dtype=np.int32)
        rank_columns(x, order)
        shift_weight(x, beta, alpha, gamma, order)
    elif method == "l1":
        spread_evenly(x, beta, alpha, gamma)
    else:
        project_evenly(x, beta, alpha, gamma, np.empty_like(x))
    return x
