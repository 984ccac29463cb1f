"""Our Leduc learner on opponents bent from equilibria that it does not know, beside an oracle.

The populations, the oracle and the matches are those of `soulread.reproduce.tansey_2013.populations`, on the
bases of `REPORTING`. No setting was chosen on these: ``benchmarks/choose_leduc_learner.py`` chooses, on
others. This module only judges:

* how much of the oracle's gain the learner has after 200 and after 1,000 hands, on both populations,
* what it loses to eight equilibria, six of which it does not begin with, after any number of hands,
* and what dbbr, dbr and rwywe gain on the same tables.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.experiment import Options
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, count_samples
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


@dataclass(frozen=True)
class Setup:
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
    def of(cls, options: Options) -> "Setup":
        """A hundred opponents of each population on five bases; quick: six opponents on two."""
        quick = options.quick
        members = options.matches or (6 if quick else MEMBERS)
        return cls(
            members=members,
            matches=min(members, 6) if quick else 40,
            few=min(members, 2 if quick else 8),
            hands=options.hands or (200 if quick else 1000),
            bases=("pcfr+", "lp:201") if quick else REPORTING.bases,
            equilibria=("cfr+", "lp:201") if quick else REPORTING.equilibria,
            block=6 if quick else 10,
            seed=options.seed,
        )

    def tasks(self) -> list[Task]:
        """All tasks, matches in the outermost loop, so that a run that is cut leaves balanced tables."""
        cells: list[tuple[str, str, str, int]] = []
        for learner in (ORACLE, OURS, BEFORE):
            cells += [(learner, kind, base, self.members) for kind in POPULATIONS for base in self.bases]
        for learner in (ANY, *EXPLOITERS):
            cells += [(learner, kind, base, self.few) for kind in POPULATIONS for base in self.bases]
        for learner, count in ((OURS, self.matches), (BEFORE, self.few), (ANY, self.few)):
            cells += [(learner, "equilibrium", name, count) for name in self.equilibria]
        cells += [(learner, "agent", name, self.few) for learner in (OURS, BEFORE) for name in FOREIGN]
        return [
            match_task(learner, kind, base, self.hands, self.seed, first, min(self.block, count - first))
            for first in range(0, max(self.members, self.matches), self.block)
            for learner, kind, base, count in cells
            if first < count
        ]


def bases(options: Options) -> Report:
    """Run the whole experiment."""
    setup = Setup.of(options)
    if not options.stored_only:
        for name in {*setup.bases, *setup.equilibria}:
            base_of(name)  # compiled here, so that the processes find the kernels in the cache
    results = list(options.run(setup.tasks()))
    found = Found(setup, results)
    tables = (
        *(_share_table(found, kind) for kind in POPULATIONS),
        *(_base_table(found, kind) for kind in POPULATIONS),
        _loss_table(found),
        _exploiter_table(found),
        _foreign_table(found),
    )
    figures = (_figure(found),)
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
        tables=tuple(table for table in tables if table.measures),
        claims=_claims(found),
        figures=tuple(figure for figure in figures if figure.panels),
        seconds=sum(result.seconds for result in results),
        notes=_NOTES,
    )


_NOTES = (
    "The oracle knows the hundred members of the population, and the base they were bent from.",
    "The tilts that the learner believes in have the form of the populations' skews: a favourable case.",
    "Settings were chosen with seed 100 on other bases: benchmarks/choose_leduc_learner.py.",
    "lp and cfr+ are among the equilibria that the learner begins with; the others are not.",
)


class Found:
    """The matches that were played."""

    def __init__(self, setup: Setup, results: Sequence[TaskResult]) -> None:
        self.setup = setup
        parts: dict[tuple[str, str, str], dict[int, TaskResult]] = defaultdict(dict)
        for result in results:
            about = result.task.parameters
            key = str(about["learner"]), str(about["kind"]), str(about["base"])
            parts[key][int(str(about["first"]))] = result
        self._parts = parts

    def get(self, learner: str, kind: str, base: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """``values [matches, reads]`` and ``best [matches]``; what follows a gap is left out."""
        values: list[NDArray[np.float64]] = []
        best: list[NDArray[np.float64]] = []
        parts = self._parts.get((learner, kind, base), {})
        for first in sorted(parts):
            if first == sum(map(len, values)):
                values.append(parts[first]["values"])
                best.append(parts[first]["best"])
        if not values:
            return np.empty((0, len(reads(self.setup.hands)))), np.empty(0)
        return np.concatenate(values), np.concatenate(best)

    def paired(
        self, learners: Sequence[str], kind: str, bases: Sequence[str]
    ) -> tuple[list[NDArray[np.float64]], NDArray[np.float64]]:
        """Values of each learner against the opponents that all of them met, and the best values."""
        values: list[list[NDArray[np.float64]]] = [[] for _ in learners]
        best = []
        for base in bases:
            cells = [self.get(learner, kind, base) for learner in learners]
            common = min(len(cell[1]) for cell in cells)
            for part, cell in zip(values, cells, strict=True):
                part.append(cell[0][:common])
            best.append(cells[0][1][:common])
        return [np.concatenate(part) for part in values], np.concatenate(best)


def share(values: NDArray[np.float64], best: NDArray[np.float64]) -> Estimate | None:
    """The ratio of two means, with the standard error of its linear approximation; None without samples."""
    if best.size == 0:
        return None
    ratio = values.mean() / best.mean()
    return Estimate.of(ratio + (values - ratio * best) / best.mean())


def _share_table(found: Found, kind: str) -> ResultTable:
    measures = []
    for learner in (ORACLE, OURS, ANY, BEFORE):
        (values,), best = found.paired([learner], kind, found.setup.bases)
        for column, hands in enumerate(reads(found.setup.hands)):
            part = share(values[:, column], best)
            if part is not None:
                measures.append(Measure(TITLES.get(learner, learner), f"after {hands}", part.scaled(100)))
    (ours, oracle), _ = found.paired([OURS, ORACLE], kind, found.setup.bases)
    for column, hands in enumerate(reads(found.setup.hands)):
        if hands in GOALS and (part := share(ours[:, column], oracle[:, column])) is not None:
            measures.append(Measure("learner, of the oracle's", f"after {hands}", part.scaled(100)))
    return ResultTable(
        f"share of a best response's gain, {kind} opponents on all bases",
        "%",
        tuple(measures),
        sample=count_samples(measures, "opponents"),
        digits=0,
    )


def _base_table(found: Found, kind: str) -> ResultTable:
    measures = []
    for base in found.setup.bases:
        (ours, oracle), best = found.paired([OURS, ORACLE], kind, [base])
        for column, hands in enumerate(reads(found.setup.hands)):
            if hands not in GOALS or not best.size:
                continue
            for name, values, whole in (
                ("oracle", oracle, best),
                ("learner", ours, best),
                ("of the oracle's", ours, oracle[:, column]),
            ):
                part = share(values[:, column], whole)
                if part is not None:
                    measures.append(Measure(base, f"{name}, {hands}", part.scaled(100)))
    return ResultTable(
        f"the same by base, {kind} opponents",
        "%",
        tuple(measures),
        sample=count_samples(measures, "opponents"),
        digits=0,
    )


def _loss_table(found: Found) -> ResultTable:
    measures = []
    for learner in (OURS, ANY, BEFORE):
        for name in found.setup.equilibria:
            values, _ = found.get(learner, "equilibrium", name)
            for column, hands in enumerate(reads(found.setup.hands)):
                if len(values):
                    row = f"{TITLES.get(learner, learner)}: {name}"
                    measures.append(Measure(row, f"after {hands}", Estimate.of(values[:, column])))
    return ResultTable(
        "gain from equilibria; a loss is negative",
        UNIT,
        tuple(measures),
        sample=count_samples(measures, "matches"),
        digits=4,
    )


def _exploiter_table(found: Found) -> ResultTable:
    measures = []
    for learner in (*EXPLOITERS, OURS):
        for kind in POPULATIONS:
            cells = found.paired([learner, EXPLOITERS[0]], kind, found.setup.bases)
            values, best = cells[0][0], cells[1]
            for column, hands in enumerate(reads(found.setup.hands)):
                if hands >= 50 and (part := share(values[:, column], best)) is not None:
                    measures.append(Measure(learner, f"{kind} {hands}", part.scaled(100)))
    return ResultTable(
        "exploiters on the same tables: share of a best response's gain",
        "%",
        tuple(measures),
        sample=count_samples(measures, "opponents"),
        note="The first matches of each population and base.",
        digits=0,
    )


def _foreign_table(found: Found) -> ResultTable:
    measures = []
    for name in FOREIGN:
        for learner in (OURS, BEFORE):
            values, best = found.get(learner, "agent", name)
            if best.size:
                title = f"{name}: {TITLES.get(learner, learner)}"
                for column, hands in enumerate(reads(found.setup.hands)):
                    measures.append(Measure(title, f"after {hands}", Estimate.of(values[:, column])))
                measures.append(Measure(title, "best response", float(best[0])))
    return ResultTable(
        "gain from agents of the catalogue",
        UNIT,
        tuple(measures),
        sample=count_samples(measures, "matches"),
    )


def _claims(found: Found) -> tuple[Claim, ...]:
    hands = reads(found.setup.hands)
    goals = {
        after: {
            kind: [
                values[:, hands.index(after)]
                for values in found.paired([OURS, ORACLE], kind, found.setup.bases)[0]
            ]
            for kind in POPULATIONS
        }
        for after in GOALS
        if after in hands
    }
    losses = {
        (name, after): Estimate.of(values[:, column])
        for name in found.setup.equilibria
        if len(values := found.get(OURS, "equilibrium", name)[0])
        for column, after in enumerate(hands)
    }
    return (*(enough(after, pairs) for after, pairs in goals.items()), little_lost(losses))


def enough(hands: int, gains: Mapping[str, Sequence[NDArray[np.float64]]]) -> Claim:
    """Claim that ours gains enough beside the oracle; by kind, what both gained from each opponent."""
    goal = GOALS[hands]
    margins, words = [], []
    for kind, (ours, oracle) in gains.items():
        part = share(ours, oracle)
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


def _figure(found: Found) -> Figure:
    hands = reads(found.setup.hands)
    x = tuple(float(max(after, 0.5)) for after in hands)  # a logarithmic axis has no 0
    panels = []
    for kind in POPULATIONS:
        curves = []
        for learner in (ORACLE, OURS, ANY, BEFORE):
            (values,), best = found.paired([learner], kind, found.setup.bases)
            parts = [share(values[:, column], best) for column in range(len(hands))]
            known = [part.scaled(100) for part in parts if part is not None]
            if known:
                curves.append(_curve(TITLES.get(learner, learner), x, known))
        if curves:
            panels.append(
                Panel(
                    f"{kind} opponents",
                    "hands (0 at the left end)",
                    "% of a best response's gain",
                    tuple(curves),
                    logarithmic=True,
                )
            )
    curves = []
    for name in found.setup.equilibria:
        values, _ = found.get(OURS, "equilibrium", name)
        if len(values) > 1:
            curves.append(_curve(name, x, [Estimate.of(column) for column in values.T]))
    if curves:
        panels.append(
            Panel(
                "the learner against equilibria",
                "hands (0 at the left end)",
                "gain, chips/h",
                tuple(curves),
                (Level("most that may be lost", -MOST_LOST),),
                logarithmic=True,
            )
        )
    return Figure(
        "shares",
        "Exact value of what is played after so many hands; bands are 95% intervals.",
        tuple(panels),
        columns=3,
    )


def _curve(label: str, x: tuple[float, ...], parts: Sequence[Estimate]) -> Curve:
    several = parts[0].n > 1
    return Curve(
        label,
        x,
        tuple(part.mean for part in parts),
        tuple(part.interval[0] for part in parts) if several else (),
        tuple(part.interval[1] for part in parts) if several else (),
    )
