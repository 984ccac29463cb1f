"""DBBR in limit hold'em (Ganzfried & Sandholm, AAMAS 2011): Figure 1, from the matches of Table 1.

The published win rate falls after T against always-raise and GUS2. Whether ours does is told by matches that
are valued (`soulread.reproduce.ganzfried_2011.valued`), against always-raise and against the station, which
has GUS2's column: it falls if the responses of the first hundreds of hands win less than the opening.
"""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.play.match.matches import MatchResult
from soulread.report.figures import Figure, Panel
from soulread.reproduce.ganzfried_2011.dbbr import WS, settings_of
from soulread.reproduce.ganzfried_2011.valued import ValuedMatches, valued_cells
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.limit_table import (
    BETS,
    CEILING,
    EQUILIBRIUM,
    STAND_INS,
    LimitSetup,
    bets_won,
    ceiling_level,
    contrast,
    opponents_over,
    prepare,
    rate_curve,
    rates_so_far,
)
from soulread.reproduce.kit.matches import MatchGrid
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.verdict import above, all_of, below, within

ROWS = WS, "DBBR, ours", EQUILIBRIUM
DIPPING = "DBBR-WS, range=model"
DIPPED = "always-raise", "station"  # here the published win rate falls; the station is for GUS2
LINEAR = 0.05  # "linear": the win rate of a quarter differs by at most this share of the whole
_WINDOW = 300  # number of hands after T in which a dip is looked for
_QUARTERS = 4
_STEPS = 30  # points of a curve of valued hands


def winrate(options: RunOptions) -> Report:
    """Figure 1: profit and win rate as a match goes on, from the matches of Table 1."""
    setup = LimitSetup.of(options)
    prepare(options, setup.abstraction)
    opponents = opponents_over(setup.abstraction)
    found = MatchGrid(setup.cells({row: setup.rows[row] for row in ROWS}, opponents))
    found.run(options)
    valued = ValuedMatches(
        valued_cells(
            {WS: setup.rows[WS], DIPPING: f"{setup.rows[WS]},range=model"},
            {column: opponents[column] for column in DIPPED},
            setup.abstraction,
            setup.hands,
            setup.seed,
            range(setup.matches),
        )
    )
    valued.run(options)
    curves = {place: result for place, result in found.played.items() if place[0] != CEILING}
    sample = found.sample(ROWS)
    return Report(
        name="dbbr-winrate",
        title="profit and win rate of DBBR as a match goes on",
        source=f"{published('ganzfried2011')['source']}, Figure 1",
        settings=settings_of(setup),
        tables=(_parts(setup, found, sample), _valued_parts(setup, valued)),
        claims=winrate_claims(setup, curves, valued),
        figures=(*_figures(found, list(opponents)), *_dip_figures(setup, valued)),
        seconds=found.seconds + valued.seconds,
        notes=(f"Bands are 95% intervals, over {sample}.",),
    )


def _parts(setup: LimitSetup, found: MatchGrid, sample: str) -> ResultTable:
    measures = [
        Measure(f"{column}: {row}", f"hands {first + 1} to {last}", found.won(row, column, first, last))
        for row, column in found.played
        if row != CEILING
        for first, last in _cuts(setup)
    ]
    return ResultTable("win rate in parts of the matches", BETS, measures, sample)


def _cuts(setup: LimitSetup) -> list[tuple[int, int]]:
    """The hands before T, those in which a dip is looked for, and the rest."""
    cuts = 0, setup.start, min(setup.start + _WINDOW, setup.hands), setup.hands
    return [(first, last) for first, last in itertools.pairwise(cuts) if last > first]


def _valued_parts(setup: LimitSetup, valued: ValuedMatches) -> ResultTable:
    measures = [
        Measure(f"{column}: {row}{beside}", f"hands {first + 1} to {last}", value(row, column, first, last))
        for row, column in valued.cells
        for beside, value in (("", valued.won), (", had it played the opening", valued.usual))
        for first, last in _cuts(setup)
    ]
    title = "worth of what was played, in parts of the matches"
    return ResultTable.counted(title, BETS, measures, "matches", "Both on the same boards.")


def winrate_claims(
    setup: LimitSetup, curves: Mapping[tuple[str, str], MatchResult], valued: ValuedMatches
) -> tuple[Claim, ...]:
    """The claims of the paper on the curves, which are given by row and column, and on valued matches."""
    claims = []
    folding = curves.get((WS, "always-fold"))
    if folding is not None and setup.hands > setup.start + _QUARTERS:
        won = bets_won(folding)
        claims += [grows_linearly(won, setup.start), flattens(won, setup.start)]
    for row, column in valued.finished:
        if setup.hands > setup.start:
            window = setup.start, min(setup.start + _WINDOW, setup.hands)
            last = max(setup.start, setup.hands - setup.hands // 3)
            claims += [
                dips(row, column, valued.won(row, column, *window), valued.gain(row, column, *window)),
                recovers(row, column, valued.won(row, column, last), valued.gain(row, column, last)),
            ]
    return tuple(claims)


def grows_linearly(won: NDArray[np.float64], start: int) -> Claim:
    """Claim on always-fold: from hand ``start`` on the win rate is positive and the same in every quarter."""
    rest = np.arange(start, won.shape[1])
    whole = contrast(won, (rest, 1.0))
    margin = LINEAR * abs(whole.mean)
    quarters = np.array_split(rest, _QUARTERS)
    changes = [contrast(won, (part, 1.0), (np.setdiff1d(rest, part), -1.0)) for part in quarters]
    rates = ", ".join(f"{contrast(won, (part, 1.0)).mean:.3f}" for part in quarters)
    return Claim.judged(
        f"Against always-fold the profit grows linearly once DBBR exploits: no quarter off by {LINEAR:.0%}",
        all_of([above(whole), *(within(change, -margin, margin) for change in changes)]),
        f"{whole.text()} sb/h; in quarters {rates}; furthest from the other quarters "
        f"{max(changes, key=lambda change: abs(change.mean)).text()}",
    )


def flattens(won: NDArray[np.float64], start: int) -> Claim:
    """Claim on always-fold: the win rate so far rises after hand ``start``, in the second half less."""
    hands = won.shape[1]
    middle = (start + hands) // 2
    parts = [np.arange(first, last) for first, last in itertools.pairwise((0, start, middle, hands))]

    ends = start, middle, hands

    def until(weights: Sequence[float]) -> Estimate:
        """A weighted sum of the win rates so far at the ends of the three parts."""
        shares = [
            part.size * sum(weights[i] / ends[i] for i in range(k, len(ends))) for k, part in enumerate(parts)
        ]
        return contrast(won, *zip(parts, shares, strict=True))

    at = [until(weights).mean for weights in np.eye(3).tolist()]
    return Claim.judged(
        "Against always-fold the win rate so far rises after T, and ever less steeply",
        all_of([above(until((0, -1, 1))), above(until((-1, 2, -1)))]),
        ", ".join(f"{rate:.3f}" for rate in at) + " sb/h after T, half-way from there, at the end",
    )


def dips(row: str, column: str, won: Estimate | None, gain: Estimate | None) -> Claim:
    """Claim that in the 300 hands after T the responses win less than the opening; both in those hands."""
    return Claim.judged(
        f"Against {column} the win rate falls for some hundred hands after T ({row})",
        below(gain),
        f"{worded(won)} {BETS} in {_WINDOW} hands after T, {worded(gain)} more than the opening in these",
        _NO_DIP if row == WS else _LOW_START if column == "always-raise" else _OTHER,
    )


def recovers(row: str, column: str, won: Estimate | None, gain: Estimate | None) -> Claim:
    """Claim that in the last third the responses win more than the opening."""
    return Claim.judged(
        f"In the last third against {column} it wins more than the equilibrium ({row})",
        above(gain),
        f"{worded(won)} {BETS}, {worded(gain)} more",
    )


_NO_DIP = (
    "Where the opponent was not seen, the prior is how often the equilibrium acts with the hands that it "
    "brings there. With the hands that the model brings there (range=model), an opponent who comes with many "
    "weak hands is expected to fold them, as the paper tells of its hand 1006."
)


_LOW_START = (
    "Our win rate starts lower: the published opening wins 0.791 sb/h from always-raise, ours about half of "
    "that. The few hundred hands in which the response is no better than an opening are there all the same."
)

_OTHER = "This is another opponent than GUS2: our equilibrium, with most raises and folds turned into calls."


def _dip_figures(setup: LimitSetup, valued: ValuedMatches) -> tuple[Figure, ...]:
    """What was played as the match goes on, and what the opening would have won."""
    ends = np.unique(np.linspace(0, setup.hands, _STEPS + 1).astype(np.int64)).tolist()
    panels = []
    for column in DIPPED:
        curves = [
            curve_of(
                label, [(last, value(row, column, first, last)) for first, last in itertools.pairwise(ends)]
            )
            for row, label, value in (
                (WS, WS, valued.won),
                (DIPPING, DIPPING, valued.won),
                (WS, "the opening", valued.usual),
            )
            if (row, column) in valued.finished
        ]
        if curves:
            panels.append(Panel(column, "hands", "worth of what is played, sb/h", tuple(curves)))
    caption = "What each part of a match was worth, mean over the matches with 95% bands; T is at a third."
    return (Figure("dips", caption, tuple(panels)),) if panels else ()


def _figures(found: MatchGrid, opponents: Sequence[str]) -> tuple[Figure, ...]:
    shown = ["always-fold", "always-raise", "station"]
    others = [column for column in opponents if column not in shown]
    made = []
    for name, columns in (("published", shown), ("others", others)):
        panels = [
            panel
            for profits in (True, False)
            for column in columns
            if (panel := _panel(found, column, profits)).curves
        ]
        caption = "Profit and win rate so far, mean over the matches with 95% bands."
        if panels:
            made.append(Figure(name, caption, tuple(panels), columns=len(columns)))
    return tuple(made)


def _panel(found: MatchGrid, column: str, profits: bool) -> Panel:
    rows = [row for row, name in found.played if name == column and row != CEILING]
    title = f"{column} (ours, for {STAND_INS[column][0]})" if column in STAND_INS else column
    if not profits:
        curves = tuple(rate_curve(found, row, column) for row in rows)
        return Panel(title, "hands", "win rate so far, sb/h", curves, ceiling_level(found, column))
    won = {
        row: [(hands, rate.scaled(hands)) for hands, rate in rates_so_far(found, row, column)] for row in rows
    }
    curves = tuple(curve_of(row, points) for row, points in won.items())
    return Panel(title, "hands", "profit, small bets", curves)
