"""Our Leduc learner on opponents bent from equilibria that it does not know, beside an oracle.

The populations, the oracle and the matches are those of `soulread.reproduce.tansey_2013.populations`, on the
bases of `REPORTING`. No setting was chosen on these: ``benchmarks/choose_leduc_learner.py`` chooses, on
others. This module only judges:

* how much of the oracle's gain the learner has after 200 and after 1,000 hands, on both populations,
* what it loses to eight equilibria, six of which it does not begin with, after any number of hands,
* and what dbbr, dbr and rwywe gain on the same tables.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from soulread.estimate import Estimate
from soulread.report.figures import Figure, Level, Panel
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.means import Array, share_of
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import all_of, at_least
from soulread.reproduce.tansey_2013.matches import MEMBERS, POPULATIONS
from soulread.reproduce.tansey_2013.populations import ORACLE, REPORTING, base_of, match_task, reads
from soulread.tasks import Task, TaskResult

NAME = "leduc-bases"
OURS = "learner"
ANY = "learner:fear=any"
BEFORE = "learner:base=lp,shape=1,risk=inf"
EXPLOITERS = "dbbr:T=100,k=25", "dbr:T=100,k=100", "rwywe:every=5"
FOREIGN = "loose:0.4", "tight", "aggressive", "always-call"
GOALS = {200: 0.8, 1000: 0.9}  # shares of the oracle's gain
MOST_LOST = 0.01  # chips per hand, to any equilibrium
UNIT = "chips/h"
TITLES = {BEFORE: "learner before (one base, wild tilts)", ANY: "learner, fear=any"}
SHOWN = ORACLE, OURS, ANY, BEFORE


@dataclass(frozen=True)
class BasesSetup:
    """Sizes of the experiment: ours, the user's, or those of ``--quick``."""

    members: int  # opponents of each population and base
    matches: int  # against each equilibrium
    few: int  # matches of the slower players, per population and base
    hands: int
    bases: tuple[str, ...]
    equilibria: tuple[str, ...]
    block: int
    seed: int

    @classmethod
    def of(cls, options: RunOptions) -> "BasesSetup":
        """A hundred opponents of each population on five bases; quick: six opponents on two."""
        members = options.matches or (6 if options.quick else MEMBERS)
        sizes = options.sizes(
            members=(members, members),
            few=(min(members, 2), min(members, 8)),
            hands=(200, 1000),
            bases=(("pcfr+", "lp:201"), REPORTING.bases),
            equilibria=(("cfr+", "lp:201"), REPORTING.equilibria),
            block=(6, 10),
        )
        return cls(**sizes, matches=min(members, 6) if options.quick else 40)

    def cells(self) -> dict[tuple[str, str, str], list[Task]]:
        """The matches by learner, kind of opponent and base; a task is a block of them."""
        counts: dict[tuple[str, str, str], int] = {}
        for learners, count in (((ORACLE, OURS, BEFORE), self.members), ((ANY, *EXPLOITERS), self.few)):
            for learner in learners:
                counts |= {(learner, kind, base): count for kind in POPULATIONS for base in self.bases}
        for learner, count in ((OURS, self.matches), (BEFORE, self.few), (ANY, self.few)):
            counts |= {(learner, "equilibrium", name): count for name in self.equilibria}
        counts |= {(learner, "agent", name): self.few for learner in (OURS, BEFORE) for name in FOREIGN}
        return {
            place: [
                match_task(*place, self.hands, self.seed, first, min(self.block, count - first))
                for first in range(0, count, self.block)
            ]
            for place, count in counts.items()
        }


class BasesMatches(TaskGrid[tuple[str, str, str]]):
    """The matches by learner, kind of opponent and base, and after how many hands strategies are valued."""

    def __init__(self, setup: BasesSetup, results: Sequence[TaskResult] = ()) -> None:
        super().__init__(setup.cells(), results)
        self.setup = setup
        self.reads = reads(setup.hands)

    def values(self, learners: Sequence[str], kind: str, bases: Sequence[str]) -> tuple[list[Array], Array]:
        """Values ``[matches, reads]`` of each learner against the opponents that all met, and best values."""
        every = [self.paired([(learner, kind, base) for learner in learners], "values") for base in bases]
        parts = [part for part in every if part]
        if not parts:
            return [np.empty((0, len(self.reads)))] * len(learners), np.empty(0)
        best = [
            self.paired([(learner, kind, base) for learner in learners], "best")[0]
            for base, part in zip(bases, every, strict=True)
            if part
        ]
        return [np.concatenate(values) for values in zip(*parts, strict=True)], np.concatenate(best)

    def shares(self, learner: str, kind: str) -> dict[int, Estimate]:
        """The share of a best response's gain after so many hands, in per cent, over all bases."""
        (values,), best = self.values([learner], kind, self.setup.bases)
        return _shares(self.reads, values, np.repeat(best[:, None], len(self.reads), axis=1))


def _shares(hands: Sequence[int], values: Array, whole: Array) -> dict[int, Estimate]:
    """The share of ``values`` in ``whole``, both ``[matches, reads]``, in per cent after so many hands."""
    parts = {after: share_of(values[:, i], whole[:, i]) for i, after in enumerate(hands)}
    return {after: part.scaled(100) for after, part in parts.items() if part is not None}


def bases(options: RunOptions) -> Report:
    """Run the whole experiment."""
    setup = BasesSetup.of(options)
    if not options.stored_only:
        for name in {*setup.bases, *setup.equilibria}:
            base_of(name)  # compiled here, so that the processes find the kernels in the cache
    found = BasesMatches(setup)
    found.run(options)
    figure = _figure(found)
    return Report(
        name=NAME,
        title="Leduc opponents bent from equilibria that the learner does not know",
        source="soulread's own experiment; populations after Tansey (2013)",
        settings={
            "bases": ", ".join(setup.bases),
            "opponents of each": setup.members,
            "hands": setup.hands,
            "matches with each equilibrium": setup.matches,
            "seed": setup.seed,
        },
        tables=tuple(table for table in _tables(found) if table.measures),
        claims=claims_of(found),
        figures=(figure,) if figure.panels else (),
        seconds=found.seconds,
        notes=_NOTES,
    )


_NOTES = (
    "The oracle knows the hundred members of the population, and the base they were bent from.",
    "The tilts that the learner believes in have the form of the populations' skews: a favourable case.",
    "Settings were chosen with seed 100 on other bases: benchmarks/choose_leduc_learner.py.",
    "lp and cfr+ are among the equilibria that the learner begins with; the others are not.",
)


def _title(learner: str) -> str:
    return TITLES.get(learner, learner)


def _measures(row: str, numbers: Mapping[int, Estimate], column: str = "after") -> list[Measure]:
    return [Measure(row, f"{column} {hands}", number) for hands, number in numbers.items()]


def _tables(found: BasesMatches) -> Iterator[ResultTable]:
    setup, hands = found.setup, found.reads
    goals = [after for after in hands if after in GOALS]
    columns = [hands.index(after) for after in goals]
    for kind in POPULATIONS:
        measures = [
            measure
            for learner in SHOWN
            for measure in _measures(_title(learner), found.shares(learner, kind))
        ]
        (ours, oracle), _ = found.values([OURS, ORACLE], kind, setup.bases)
        measures += _measures(
            "learner, of the oracle's", _shares(goals, ours[:, columns], oracle[:, columns])
        )
        title = f"share of a best response's gain, {kind} opponents on all bases"
        yield ResultTable.counted(title, "%", measures, "opponents", digits=0)
    for kind in POPULATIONS:
        measures = []
        for base in setup.bases:
            (ours, oracle), best = found.values([OURS, ORACLE], kind, [base])
            for after, column in zip(goals, columns, strict=True):
                for name, values, whole in (
                    ("oracle", oracle, best),
                    ("learner", ours, best),
                    ("of the oracle's", ours, oracle[:, column]),
                ):
                    part = share_of(values[:, column], whole)
                    if part is not None:
                        measures.append(Measure(base, f"{name}, {after}", part.scaled(100)))
        title = f"the same by base, {kind} opponents"
        yield ResultTable.counted(title, "%", measures, "opponents", digits=0)
    measures = [
        measure
        for learner in (OURS, ANY, BEFORE)
        for name in setup.equilibria
        for measure in _measures(f"{_title(learner)}: {name}", _gains(found, learner, "equilibrium", name))
    ]
    title = "gain from equilibria; a loss is negative"
    yield ResultTable.counted(title, UNIT, measures, "matches", digits=4)
    measures = []
    for learner in (*EXPLOITERS, OURS):
        for kind in POPULATIONS:
            (values, _), best = found.values([learner, EXPLOITERS[0]], kind, setup.bases)
            shares = _shares(hands, values, np.repeat(best[:, None], len(hands), axis=1))
            measures += _measures(learner, {n: part for n, part in shares.items() if n >= 50}, kind)
    title = "exploiters on the same tables: share of a best response's gain"
    note = "The first matches of each population and base."
    yield ResultTable.counted(title, "%", measures, "opponents", note, digits=0)
    measures = []
    for name in FOREIGN:
        for learner in (OURS, BEFORE):
            most = found.joined((learner, "agent", name), "best")
            if most is not None:
                row = f"{name}: {_title(learner)}"
                measures += _measures(row, _gains(found, learner, "agent", name))
                measures.append(Measure(row, "best response", float(most[0])))
    yield ResultTable.counted("gain from agents of the catalogue", UNIT, measures, "matches")


def _gains(found: BasesMatches, learner: str, kind: str, base: str) -> dict[int, Estimate]:
    """The mean gain after so many hands; empty if nothing was played."""
    values = found.joined((learner, kind, base), "values")
    if values is None:
        return {}
    return {after: Estimate.of(values[:, i]) for i, after in enumerate(found.reads)}


def claims_of(found: BasesMatches) -> tuple[Claim, ...]:
    """Our aims: enough of the oracle's gain, and little lost to equilibria."""
    both = {kind: found.values([OURS, ORACLE], kind, found.setup.bases)[0] for kind in POPULATIONS}
    goals = {
        after: {kind: [values[:, i] for values in both[kind]] for kind in POPULATIONS}
        for i, after in enumerate(found.reads)
        if after in GOALS
    }
    losses = {
        (name, after): gain
        for name in found.setup.equilibria
        for after, gain in _gains(found, OURS, "equilibrium", name).items()
    }
    return (*(enough(after, pairs) for after, pairs in goals.items()), little_lost(losses))


def enough(hands: int, gains: Mapping[str, Sequence[Array]]) -> Claim:
    """Claim that ours gains enough beside the oracle; by kind, what both gained from each opponent."""
    goal = GOALS[hands]
    margins, words = [], []
    for kind, (ours, oracle) in gains.items():
        part = share_of(ours, oracle)
        margins.append(Estimate.of(ours - goal * oracle) if len(ours) else None)
        words.append(f"{kind} {'not played' if part is None else part.scaled(100).text(0) + '%'}")
    return Claim.judged(
        f"The learner has at least {goal:.0%} of the oracle's gain after {hands:,} hands (our own aim)",
        all_of(at_least(margin) for margin in margins),
        ", ".join(words),
    )


def little_lost(gains: Mapping[tuple[str, int], Estimate]) -> Claim:
    """Claim that ours loses little to every equilibrium after any number of hands, by both."""
    worst = min(gains, key=lambda key: gains[key].mean, default=None)
    return Claim.judged(
        f"The learner never loses more than {MOST_LOST} chips a hand to any of the equilibria (our own aim)",
        all_of(at_least(gain, -MOST_LOST) for gain in gains.values()),
        "not played"
        if worst is None
        else f"worst {gains[worst].text(4)} to {worst[0]} after {worst[1]:,} hands",
    )


def _figure(found: BasesMatches) -> Figure:
    x_label = "hands (0 at the left end)"  # a logarithmic axis has no 0

    def points(numbers: Mapping[int, Estimate]) -> list[tuple[float, Estimate]]:
        return [(float(max(after, 0.5)), number) for after, number in numbers.items()]

    panels = []
    for kind in POPULATIONS:
        shares = {learner: found.shares(learner, kind) for learner in SHOWN}
        curves = [curve_of(_title(name), points(parts)) for name, parts in shares.items() if parts]
        if curves:
            y_label = "% of a best response's gain"
            panels.append(Panel(f"{kind} opponents", x_label, y_label, tuple(curves), logarithmic=True))
    gains = {name: _gains(found, OURS, "equilibrium", name) for name in found.setup.equilibria}
    curves = [curve_of(name, points(each)) for name, each in gains.items() if each and each[0].n > 1]
    if curves:
        title, level = "the learner against equilibria", Level("most that may be lost", -MOST_LOST)
        panels.append(Panel(title, x_label, "gain, chips/h", tuple(curves), (level,), logarithmic=True))
    caption = "Exact value of what is played after so many hands; bands are 95% intervals."
    return Figure("shares", caption, tuple(panels), columns=3)
