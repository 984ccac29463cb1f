"""The matches of the experiment on learners in Leduc (Tansey 2013), by learner and opponents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from soulread.estimate import Estimate
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.means import Array
from soulread.reproduce.kit.task_grid import Summary, TaskGrid
from soulread.reproduce.tansey_2013.matches import (
    MEMBERS,
    OPPONENTS,
    POPULATIONS,
    best_gain,
    match_task,
    population,
    setting,
    subpolicy_task,
)
from soulread.tasks import Task, TaskResult, in_turn

PAPER = (
    "implicit",
    "implicit subpolicy",
    "policy bootstrapping",
    "subpolicy bootstrapping",
    "explicit",
    "TD-CFR",
)
OURS = "learner"
MILD = "learner, mild tilts"
PORTFOLIO_LEARNERS = PAPER[:4]  # the other learners get no portfolio
CHANGING = {
    "implicit": "implicit, discounted",
    "explicit": "explicit, discounted",
    "explicit, mean": "explicit, mean, discounted",
    OURS: "learner, discounted",
}
"""Learners for opponents that stay the same, and the learners made of them for opponents that change.

"mean" answers the posterior mean. The published learner draws a strategy instead, which adds noise.
"""
COURSES = {
    "switching": "switches every 100 hands",
    "random": "switches at random, 1 in 100",
    "drifting": "drifts, 100 hands each way",
}
ROWS = (*PAPER, OURS, MILD)
"""The learners of the main table: the paper's six and ours."""

AFTER = 50, 200, 1000  # hands after which tables tell the gains
POINTS = 40  # of a curve
PLAYED = "values, played"  # of the strategies that played a hand: all values but the last

Place = tuple[str, str, str, int, str]  # learner, kind of opponents, portfolio, hands, course


@dataclass(frozen=True)
class LearnerSetup:
    """Sizes of the experiment: the paper's, the user's, or those of ``--quick``."""

    matches: int
    hands: int
    long_matches: int  # matches of five times as many hands, per population
    changing_matches: int  # matches of twice as many hands
    samples: int  # random portfolios in the experiment on subpolicies, per population
    block: int  # number of matches in a task
    seed: int

    @classmethod
    def of(cls, options: RunOptions) -> "LearnerSetup":
        """200 matches of 200 hands, as published; quick: 20 matches, and the other parts smaller too."""
        few = min(12, options.matches or 20)
        sizes = options.sizes(
            matches=(20, 200),
            hands=(200, 200),
            long_matches=(few, 40),
            changing_matches=(few, 48),
            samples=(100, 1000),
            block=(10, 20),
        )
        return cls(**sizes)

    @property
    def long_hands(self) -> int:
        """Hands of a long match."""
        return 5 * self.hands

    @property
    def changing_hands(self) -> int:
        """Hands of a match with an opponent that changes."""
        return 2 * self.hands

    def blocks(self, place: Place, matches: int) -> list[Task]:
        """The tasks of a place, each a block of matches."""
        learner, kind, which, hands, course = place
        return [
            match_task(
                learner, kind, which, hands, self.seed, first, min(self.block, matches - first), course
            )
            for first in range(0, matches, self.block)
        ]


class LearnerMatches(TaskGrid[Place]):
    """The matches of learners in Leduc."""

    def __init__(
        self,
        setup: LearnerSetup,
        results: Sequence[TaskResult] = (),
        later: Mapping[Place, list[Task]] | None = None,
    ) -> None:
        self.setup = setup
        self.later = dict(later or {})  # tasks of other matches, which come last
        self.main: list[Place] = [
            *((learner, kind, "paper", setup.hands, "") for learner in ROWS for kind in OPPONENTS),
            *(
                (learner, kind, "fair", setup.hands, "")
                for learner in PORTFOLIO_LEARNERS
                for kind in OPPONENTS
            ),
        ]
        self.changing: list[Place] = [
            (learner, "bent", "paper", setup.changing_hands, course)
            for pair in CHANGING.items()
            for learner in pair
            for course in COURSES
        ]
        self.long: list[Place] = [
            (learner, kind, "fair", setup.long_hands, "") for learner in ROWS for kind in POPULATIONS
        ]
        parts = (
            (self.main, setup.matches),
            (self.changing, setup.changing_matches),
            (self.long, setup.long_matches),
        )
        cells = {place: setup.blocks(place, matches) for places, matches in parts for place in places}
        super().__init__(cells | self.later, results)
        self.subpolicies = {kind: subpolicy_task(kind, setup.samples, setup.seed) for kind in POPULATIONS}

    @property
    def tasks(self) -> list[Task]:
        """All tasks, those of the published experiment first; a run that is cut leaves balanced tables."""
        main, changing, long = (
            in_turn([self.cells[place] for place in places])
            for places in (self.main, self.changing, self.long)
        )
        later = in_turn(list(self.later.values())) if self.later else []
        return [*main, *self.subpolicies.values(), *changing, *long, *later]

    @property
    def gains(self) -> dict[str, Array]:
        """The gains of random portfolios from subpolicies, by population."""
        found = {kind: self.results.get(task.key) for kind, task in self.subpolicies.items()}
        return {kind: result["gains"] for kind, result in found.items() if result is not None}

    def place(self, learner: str, kind: str, which: str = "paper") -> Place:
        """The place of a published match; learners without a portfolio have "paper" only."""
        fair = which == "fair" and learner in PORTFOLIO_LEARNERS
        return learner, kind, "fair" if fair else "paper", self.setup.hands, ""

    def at_hands(self, place: Place, name: str) -> Array | None:
        """``values``, ``best`` or ``profits`` of all matches of a place, ``[matches, points]``.

        The points are `hands_shown`; for ``profits`` it is the sum up to there.
        """
        points = self.points(place)
        return self.joined(place, *_at_hands(name, points))

    def points(self, place: Place) -> tuple[int, ...]:
        """The numbers of hands after which the matches of a place are shown."""
        return hands_shown(place[3])

    def means(self, place: Place, name: str) -> Array | None:
        """``[matches]``: the mean of ``values``, `PLAYED`, ``best`` or ``profits`` over the hands."""
        return self.joined(place, *_mean_of(name))

    def every_value(self, learner: str, kind: str) -> Array | None:
        """``[matches, hands + 1]``: the exact gains after every hand."""
        return self.joined(self.place(learner, kind), "values to 1e-5", lambda one: _rounded(one["values"]))

    def column(self, place: Place, name: str, hands: int) -> Array | None:
        """``[matches]``: ``values`` or ``best`` after so many hands, which are among the `points`."""
        found = self.at_hands(place, name)
        if found is None or hands not in self.points(place):
            return None
        return np.asarray(found[:, self.points(place).index(hands)])

    def after(self, learner: str, kind: str, hands: int, which: str = "paper") -> Estimate | None:
        """Exact gain of the strategy after so many hands, over matches."""
        values = self.column(self.place(learner, kind, which), "values", hands)
        return None if values is None else over_opponents(kind, values)

    def difference(self, first: str, second: str, kind: str, hands: int) -> Estimate | None:
        """The gain of one learner less that of another after so many hands, match by match."""
        places = [self.place(learner, kind) for learner in (first, second)]
        points = self.points(places[0])
        both = self.paired(places, *_at_hands("values", points))
        if not both or hands not in points:
            return None
        at = points.index(hands)
        return over_opponents(kind, both[0][:, at] - both[1][:, at])

    def changed(self, learner: str, course: str) -> list[Array]:
        """Mean gain of a learner, then of the one that discounts, in each match that both played."""
        hands = self.setup.changing_hands
        pair: list[Place] = [(name, "bent", "paper", hands, course) for name in (learner, CHANGING[learner])]
        return self.paired(pair, *_mean_of("values"))

    def more_by_discounting(self, learner: str, course: str) -> Estimate | None:
        """The gain of a learner that discounts older hands less that of one that does not, match by match."""
        means = self.changed(learner, course)
        return Estimate.of(means[1] - means[0]) if means else None

    def ceiling(self, kind: str) -> float:
        """The mean gain of best responses to the opponents."""
        if kind == "equilibrium":
            return best_gain(setting().equilibrium)
        gains = [best_gain(member) for member in population(kind, self.setup.seed)]
        return float(np.mean([gains[match % len(gains)] for match in range(self.setup.matches)]))


def over_opponents(kind: str, samples: Array) -> Estimate:
    """The mean over the opponents of a kind, from one number for each match, in order from match 0.

    Matches with the same member of a population are not independent: their mean is one sample. Against the
    equilibrium, and against the few opponents that change, it is the luck that varies, and a match is one.
    """
    if kind in POPULATIONS and samples.size > MEMBERS:
        samples = np.array([samples[member::MEMBERS].mean() for member in range(MEMBERS)])
    return Estimate.of(samples)


def hands_shown(hands: int) -> tuple[int, ...]:
    """Numbers of hands after which a match is shown: evenly spread points of a curve, and those of tables."""
    spread = np.linspace(0, hands, POINTS + 1).round().astype(int).tolist()
    read = [*AFTER, *published("tansey2013")["settings"]["after"]]
    return tuple(sorted({*spread, *(after for after in read if after <= hands)}))


def _at_hands(name: str, points: tuple[int, ...]) -> tuple[str, Summary]:
    """A summary and its name: values at some points, or the sum of profits up to there."""

    def compute(result: TaskResult) -> Array:
        found = result[name]
        if name == "profits":
            found = np.pad(found.cumsum(axis=1), ((0, 0), (1, 0)))
        return _rounded(found[:, points])

    return f"{name} after {', '.join(map(str, points))}", compute


def _mean_of(name: str) -> tuple[str, Summary]:
    """A summary and its name: the mean over the hands of each match."""

    def compute(result: TaskResult) -> Array:
        found = result["values"][:, :-1] if name == PLAYED else result[name]
        return _rounded(found.mean(axis=1))

    return f"mean {name}", compute


def _rounded(values: Array) -> Array:
    """In hundred-thousandths of a chip, which keeps files small."""
    return np.asarray(np.round(values, 5))
