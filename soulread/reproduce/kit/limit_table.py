"""Opponents of Table 1 of Ganzfried & Sandholm (2011), and DBBR as it plays them, for several experiments.

GUS2, Dr. Sahbak and Tommybot, three weak entrants of computer poker competitions, are not available. In their
columns we use opponents of our own: equilibria bent until they lose to an equilibrium about as much as one
expects of a weak program. They are other players, so the published numbers of these columns are no target.
"""

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate, Sampling, Unit
from soulread.play.match.matches import MatchResult
from soulread.report.figures import Curve, Level
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.matches import MatchGrid, match_cells, match_task
from soulread.reproduce.kit.report import Claim, listed
from soulread.reproduce.kit.verdict import above
from soulread.seqform.source import parse_source
from soulread.solvers.equilibria import find_equilibrium
from soulread.tasks import Task

GAME = "limit"
BETS = Unit.SMALL_BETS.value
EQUILIBRIUM, CEILING = "equilibrium", "ceiling"  # rows
NAIVE = "random", "always-fold", "always-call", "always-raise"
STAND_INS = {
    "station": ("GUS2", "passive=0.9,loose=0.9", "nine raises of ten become calls, and nine folds of ten"),
    "rock": (
        "Dr. Sahbak",
        "tight=0.4,passive=0.5",
        "two calls of five become folds, half of the raises calls",
    ),
    "maniac": (
        "Tommybot",
        "loose=0.9,aggressive=0.5",
        "nine folds of ten become calls, then half of all calls raises",
    ),
}
"""By name: the published opponent whose column it takes, its skew of an equilibrium, the skew in words."""

OURS = "method=l1,pool=1"
"""Used with T = 100, k = 50 and prior = 5. T and pool = 1 were chosen while looking at the opponents of the
table, at match 0 of seeds 0 and 1. The rest was chosen over 5-5-5-5 buckets with seeds 100 and 101, by the
exact value of the responses after 400 to 1,600 hands, as a mean over six opponents in sb/h. L1 had 1.955, L2
1.945, L1 with prior = 2 1.928, weight shifting 1.857."""
SHOWN = f"{OURS},shown=5"
"""The same, with the cards that showdowns reveal. After 400, 800 and 1,600 hands, with the same seeds and
opponents, it had 1.959; with shown = 20, 1.961; without shown cards, 1.904."""
OWN_ROWS = {"DBBR, ours": OURS, "DBBR, ours, shown cards": SHOWN}
OURS_START = 100
TUNING = "seeds 100 and 101; T and pool=1 first looked at with match 0 of seeds 0 and 1"
FIRST_MATCH = 1
"""First match reported for our own settings: match 0 was looked at while they were chosen."""

CEILING_HANDS = 50_000
PAPER_ROW = {EQUILIBRIUM: "GS5", "DBBR-WS": "DBBR-WS", "DBBR-L1": "DBBR-L1", "DBBR-L2": "DBBR-L2"}
SMALLER = "A smaller experiment than the published one: its numbers are there for orientation."
_POINTS = 150  # number of points of a curve


def prepare(options: RunOptions, abstraction: str) -> None:
    """Build and solve once what all processes need, so that not each of them starts with it."""
    if not options.stored_only:
        find_equilibrium(parse_source(f"{GAME}:{abstraction}"), options.tell)


def opponents_over(abstraction: str) -> dict[str, str]:
    """The seven opponents by the name of their column; ours are bent from the equilibrium of the buckets."""
    own = {name: f"skew:{abstraction}:{skew}" for name, (_, skew, _) in STAND_INS.items()}
    return {**{name: name for name in NAIVE}, **own}


def ceiling_task(abstraction: str, villain: str, seed: int) -> Task:
    """A best response to the opponent's true strategy, over the same buckets, played with real cards."""
    return match_task(GAME, (f"best-response:{abstraction}:{villain}", villain), CEILING_HANDS, seed, 0)


@dataclass(frozen=True)
class LimitSetup:
    """Sizes of Table 1: the paper's, the user's, or those of ``--quick``."""

    abstraction: str
    hands: int
    matches: int
    seed: int
    start: int  # T, the hands of watching, in the rows with the paper's settings
    early: int  # T in our rows
    every: int  # k, the hands between two updates of the response

    @classmethod
    def of(cls, options: RunOptions) -> "LimitSetup":
        """Five matches of 3,000 hands with 8-12-4-4 buckets; quick: ten matches of 180 hands with 5-5-5-5."""
        sizes = options.sizes(
            abstraction=("5-5-5-5:quick", "8-12-4-4"),
            hands=(180, 3000),
            matches=(10, 5),
            every=(200, 50),  # an update costs as much as some hundred hands
        )
        hands = sizes["hands"]
        return cls(**sizes, start=min(1000, hands // 3), early=min(OURS_START, hands // 6))

    @property
    def published(self) -> bool:
        """Whether the sizes are the paper's, so that its numbers can be compared with ours."""
        return (self.abstraction, self.hands) == ("8-12-4-4", 3000)

    @property
    def rows(self) -> dict[str, str]:
        """Our players, by the name of their row."""
        settings = f"{self.abstraction},T={self.start},k={self.every},prior=5"
        return {
            EQUILIBRIUM: f"equilibrium:{self.abstraction}",
            "DBBR-WS": f"dbbr:{settings},method=shift",
            "DBBR-L1": f"dbbr:{settings},method=l1",
            "DBBR-L2": f"dbbr:{settings},method=l2",
            **{
                row: f"dbbr:{self.abstraction},T={self.early},k={self.every},{options}"
                for row, options in OWN_ROWS.items()
            },
        }

    def cells(
        self,
        rows: Mapping[str, str],
        opponents: Mapping[str, str],
        own: Container[str] = OWN_ROWS,
        aivat: bool = False,
    ) -> dict[tuple[str, str], list[Task]]:
        """The ceiling of each opponent, then each row's duplicate matches; those of ``own`` begin later."""
        made = {
            (CEILING, column): [ceiling_task(self.abstraction, villain, self.seed)]
            for column, villain in opponents.items()
        }
        for row, text in rows.items():
            first = FIRST_MATCH if row in own else 0
            numbers = range(first, first + self.matches)
            made |= match_cells(GAME, {row: text}, opponents, self.hands, self.seed, numbers, aivat=aivat)
        return made


def printed(row: str, column: str) -> tuple[float, float] | None:
    """The published win rate and its standard error; None where there is none for this very opponent."""
    numbers = published("ganzfried2011")["table1"]
    if row not in PAPER_ROW or column not in NAIVE:
        return None
    at = numbers["opponents"].index(column)
    cells = numbers[PAPER_ROW[row]]
    return cells["mean"][at], cells["error"][at]


def share_of_ceiling(won: Estimate | None, ceiling: Estimate | None) -> float | None:
    """A win rate in per cent of that of a best response; None if one of them was not measured."""
    return None if won is None or ceiling is None else 100 * won.mean / ceiling.mean


Estimates = Mapping[str, Estimate | None]  # by opponent; None was not played


def ahead(text: str, differences: Estimates, why_not: str = "") -> Claim:
    """A claim that a row wins more than another against every opponent, by the differences in sb/h."""
    return Claim.of_all(text, differences, above, f"difference {listed(differences)} {BETS}", why_not)


def contrast(won: NDArray[np.float64], *parts: tuple[NDArray[np.intp], float]) -> Estimate:
    """A weighted sum of the win rates in parts of the matches: each part's hands and its weight.

    ``won [matches, hands]`` is of an agent that learns. With several matches, every match is a sample. With
    one, the parts must not overlap, and each is estimated from its blocks of hands: such an estimate decides
    nothing, since another match may differ more.
    """
    if len(won) > 1:
        return Estimate.of(sum(weight * won[:, hands].mean(axis=1) for hands, weight in parts))
    found = [
        Sampling(1, hands.size, learning=True).estimate(won[:, hands]).scaled(weight)
        for hands, weight in parts
    ]
    error = math.hypot(*(part.standard_error for part in found))
    return Estimate(sum(part.mean for part in found), error, min(part.n for part in found), one_match=True)


def bets_won(result: MatchResult) -> NDArray[np.float64]:
    """Small bets that the first agent won, ``[matches, hands]``."""
    return result.profits[:, :, 0] / 2


def rates_so_far(grid: MatchGrid, row: str, column: str) -> list[tuple[int, Estimate]]:
    """At some points of the matches: the number of hands, and the win rate so far."""
    hands = grid.played[row, column].hands
    at = np.unique(np.linspace(min(50, hands), hands, _POINTS).astype(np.int64)).tolist()
    return [(last, rate) for last in at if (rate := grid.won(row, column, 0, last)) is not None]


def rate_curve(grid: MatchGrid, row: str, column: str) -> Curve:
    """The win rate so far as a curve."""
    return curve_of(row, rates_so_far(grid, row, column))


def ceiling_level(grid: MatchGrid, column: str) -> tuple[Level, ...]:
    """A line at the ceiling, if it is known."""
    ceiling = grid.won(CEILING, column)
    return () if ceiling is None else (Level(CEILING, ceiling.mean),)
