"""What each choice of a decision was worth, by one or more judges, and how much the one taken gave up.

The judges are

    the equilibrium    what actions win if the opponent plays it (`soulread.study.duels.coach`): exact, within
                       its card abstraction
    the agent          the same against the opponent as it played in this hand: what an exploiter would do
    play-outs          in games that have no table: hands played out against what is known of the opponents
                       (`soulread.study.seat.playout_judge`), with standard errors

The *cost* of a choice is what the best one is worth beyond it. A decision is graded by the cost of the choice
taken, as a share of the pot that was there, by its first judge. A cost that is an estimate counts with the
low end of its 95% interval, so what may be chance is no mistake.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from soulread.encoding import keys
from soulread.games.poker import PokerGame
from soulread.study.duels.coach import CoachedDecision, PotOdds, WeighedDecision
from soulread.study.seat.running import unit_of

_UNREACHED = "It never comes here, so all its cards count alike."
EVEN = 5e-4  # chips: actions that differ by less are equally good
_NORMAL_95 = 1.959963984540054


class Grade(StrEnum):
    """How good a choice was."""

    GOOD = "good"
    INACCURACY = "inaccuracy"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


BARS = (Grade.BLUNDER, 0.15), (Grade.MISTAKE, 0.05), (Grade.INACCURACY, 0.01)
"""The share of the pot from which a cost has each grade."""


@dataclass(frozen=True)
class JudgedChoice:
    """One choice in the eyes of one judge; chips."""

    action: int  # the game's number
    name: str
    kind: str  # of its colour: "fold", "call", "bet1" to "bet4"
    value: float
    cost: float
    error: float = 0.0  # standard error of the cost
    chance: float | None = None  # how often one should choose it; None if the judge does not say

    JSON = keys("action name kind value cost chance", low="interval.0", high="interval.1")

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the cost."""
        return self.cost - _NORMAL_95 * self.error, self.cost + _NORMAL_95 * self.error


@dataclass(frozen=True)
class Appraisal:
    """A decision in the eyes of one judge."""

    by: str  # "equilibrium", "agent", "play-outs"
    title: str
    choices: tuple[JudgedChoice, ...]
    taken: int  # the action
    remark: str = ""

    JSON = keys("by title choices taken best remark", cost="own.cost", low="own.interval.0")

    @property
    def own(self) -> JudgedChoice:
        """The choice that was taken."""
        return next(one for one in self.choices if one.action == self.taken)

    @property
    def best(self) -> tuple[int, ...]:
        """The actions that are as good as the best."""
        return tuple(one.action for one in self.choices if one.cost < EVEN and not one.error)


@dataclass(frozen=True)
class ReviewedDecision:
    """A decision of the player in a finished hand."""

    number: int  # among all actions of the hand, from 0
    name: str  # what the player did: "call"
    pot: int  # chips that were there
    appraisals: tuple[Appraisal, ...]  # the one that grades first; empty if nobody can judge
    odds: PotOdds | None = None
    believed: tuple[tuple[str, float], ...] = ()  # how often the agent thought that the player acts so

    JSON = keys("number name pot appraisals odds believed grade cost")

    @property
    def cost(self) -> float | None:
        """Chips given up, by the first judge."""
        return self.appraisals[0].own.cost if self.appraisals else None

    @property
    def grade(self) -> Grade:
        """How good the choice was, by the first judge."""
        return grade_of(self.appraisals[0].own.interval[0], self.pot) if self.appraisals else Grade.GOOD


@dataclass(frozen=True)
class HandReview:
    """All decisions of a player in a finished hand."""

    id: str
    decisions: tuple[ReviewedDecision, ...]
    opponent: str = ""
    remark: str = ""  # what the opponent says of its play
    unit: str = ""

    JSON = keys("id decisions opponent remark unit cost")

    @property
    def cost(self) -> float | None:
        """Chips given up in the hand; None if a decision could not be judged."""
        costs = [one.cost for one in self.decisions]
        return None if None in costs else math.fsum(cost for cost in costs if cost is not None)


def grade_of(cost: float, pot: int) -> Grade:
    """The grade of a choice that gives up at least ``cost`` chips where the pot has so many."""
    for grade, bar in BARS:
        if cost > bar * pot + EVEN:
            return grade
    return Grade.GOOD


def error_of_low(cost: float, low: float) -> float:
    """The standard error of a cost whose 95% interval begins at ``low``."""
    return (cost - low) / _NORMAL_95


def judged_by_table(
    weighed: WeighedDecision, kinds: Sequence[str], by: str, title: str, remark: str = ""
) -> Appraisal:
    """The appraisal of the coach."""
    top = max(one.value for one in weighed.actions)
    choices = tuple(
        JudgedChoice(
            one.action,
            one.name,
            kind,
            one.value,
            top - one.value,
            chance=one.chance if weighed.followed else None,
        )
        for one, kind in zip(weighed.actions, kinds, strict=True)
    )
    return Appraisal(by, title, choices, weighed.taken, remark)


def reviewed_by_coach(
    coached: CoachedDecision, number: int, pot: int, kinds: Sequence[str], opponent: str
) -> ReviewedDecision:
    """A decision that the coach has weighed; ``kinds`` are the colours of its actions."""
    judges = (
        (coached.equilibrium, "equilibrium", "if the opponent plays the equilibrium"),
        (coached.agent, "agent", f"against {opponent} as it played"),
    )
    appraisals = [
        judged_by_table(weighed, kinds, by, title, "" if weighed.reached else _UNREACHED)
        for weighed, by, title in judges
        if weighed is not None
    ]
    usual = coached.equilibrium
    names = {} if usual is None else {one.action: one.name for one in usual.actions}
    believed = tuple((names.get(one.action, str(one.action)), one.believed) for one in coached.believed)
    return ReviewedDecision(number, coached.name, pot, tuple(appraisals), coached.odds, believed)


def cost_text(chips: float, error: float, game: PokerGame) -> str:
    """A cost in the unit of a decision: "120 mb" of a small bet, or "0.35 bb", with its interval."""
    rules = game.rules
    if unit_of(game).value == "mb/g":
        factor, unit, digits = 1000 / rules.small_bet, "mb", 0
    else:
        factor, unit, digits = 1 / rules.big_blind, "bb", 2
    text = f"{chips * factor:.{digits}f}"
    spread = f" ± {_NORMAL_95 * error * factor:.{digits}f}" if error else ""
    return f"{text}{spread} {unit}"
