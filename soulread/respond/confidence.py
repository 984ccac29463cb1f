"""How much a model is trusted at an information set, given how often the opponent was seen there (n).

These are the functions of Johanson & Bowling (AISTATS 2009, section 5.2). Each gives a trust between 0 and 1,
which is then multiplied by P_max:

    1-step     1 from one observation on                   text "1-step"; "10-step" needs ten
    0-10       n / 10 up to ten observations, then 1        text "0-10"
    s-curve    n / (s + n)                                  text "curve:1" for s = 1

With the s-curve and P_max = 1, a data biased response is the best strategy against the worst prior among all
independent Dirichlet priors of strength at most s (their Theorem 1). Any other function of n works as well.
"""

import math
import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ParseError, ShapeError, SoulreadError

Counts = NDArray[np.float64]
Confidence = Callable[[Counts], NDArray[np.float64]]  # from n to a trust between 0 and 1, before P_max


def step(least: float) -> Confidence:
    """Full trust from ``least`` observations on, none below."""
    if not 0 < least < math.inf:
        raise SoulreadError(f"a step at {least!r} observations; it must be a positive number")
    return lambda n: (n >= least).astype(np.float64)


def linear(full: float) -> Confidence:
    """Trust that grows evenly with every observation and is full from ``full`` observations on."""
    if not 0 < full < math.inf:
        raise SoulreadError(f"full trust at {full!r} observations; it must be a positive number")
    return lambda n: np.minimum(n / full, 1.0)


def s_curve(s: float) -> Confidence:
    """Trust n / (s + n), which never becomes full."""
    if not 0 < s < math.inf:
        raise SoulreadError(f"a curve with s={s!r}; it must be a positive number")
    return lambda n: n / (s + n)


zero_to_ten = linear(10)


def parse_confidence(text: str) -> Confidence:
    """Read a confidence function: ``"1-step"``, ``"0-10"``, ``"curve:1"``, or the same with other numbers."""
    word = text.strip().lower()
    for pattern, make in ((r"([\d.]+)-step", step), (r"0-([\d.]+)", linear), (r"curve:([\d.]+)", s_curve)):
        found = re.fullmatch(pattern, word)
        if found:
            try:
                return make(float(found[1]))
            except ValueError as error:
                raise ParseError(f"{text!r} is not a confidence function: {error}") from None
    raise ParseError(
        f"{text!r} is not a confidence function; write for example '1-step', '10-step', '0-10' or 'curve:1'"
    )


def p_conf(function: Confidence, observations: Counts, p_max: float = 1.0) -> NDArray[np.float64]:
    """P_conf, ``[num_sets]``: the trust at each set, given how often the opponent was seen there."""
    if not 0 <= p_max <= 1:
        raise SoulreadError(f"P_max={p_max!r}; the greatest confidence lies between 0 and 1")
    n = np.asarray(observations, dtype=np.float64)
    wrong = np.flatnonzero(~(n >= 0))
    if wrong.size:
        raise SoulreadError(
            f"{float(n[wrong[0]])!r} observations at set {wrong[0]}; there cannot be fewer than 0"
        )
    trust = np.asarray(function(n), dtype=np.float64)
    if trust.shape != n.shape:
        raise ShapeError(f"the confidence function turned shape {n.shape} into {trust.shape}")
    wrong = np.flatnonzero(~((trust >= 0) & (trust <= 1)))
    if wrong.size:
        raise SoulreadError(
            f"the confidence function gives {float(trust[wrong[0]])!r} for {n[wrong[0]]:g} observations; "
            "it must lie between 0 and 1"
        )
    result: NDArray[np.float64] = p_max * trust
    return result
