"""Curves and bars of estimates, with their 95% intervals."""

import math
from collections.abc import Iterable, Sequence

from soulread.estimate import Estimate
from soulread.report.figures import Bars, Curve


def curve_of(
    label: str,
    points: Iterable[tuple[float, Estimate | None]],
    *,
    alone: bool = False,
    low: float = -math.inf,
    high: float = math.inf,
) -> Curve:
    """A curve through estimates at x; with ``alone``, single points. Points not measured are left out.

    The band is cut to ``low`` and ``high``. There is none if one of the estimates has no interval.
    """
    known = [(x, estimate) for x, estimate in points if estimate is not None]
    xs, means = tuple(x for x, _ in known), tuple(estimate.mean for _, estimate in known)
    ends = [estimate.interval for _, estimate in known]
    if not all(math.isfinite(end) for pair in ends for end in pair):
        return Curve(label, xs, means, points=alone)
    lows, highs = tuple(max(low, end) for end, _ in ends), tuple(min(high, end) for _, end in ends)
    return Curve(label, xs, means, lows, highs, points=alone)


def bars_of(label: str, cells: Sequence[Estimate | None]) -> Bars:
    """Bars of estimates; a gap where nothing was measured."""
    return Bars(
        label,
        tuple(math.nan if cell is None else cell.mean for cell in cells),
        tuple(math.nan if cell is None or cell.n < 2 else cell.half_width for cell in cells),
    )
