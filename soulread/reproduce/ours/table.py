"""One table for all methods of all papers: heads-up limit hold'em against the opponents of GS11's Table 1.

`METHODS` is the list of the methods. A new one is one line there, and only its own matches are played then:
those of the equilibrium, of DBBR and of the ceilings are the tasks of `dbbr-table`, with the same sizes.

The opponents are those of `dbbr-table` (four naive ones, three of our own) and an equilibrium, against
which nothing can be won but something can be lost. The ceiling is a best response to the opponent's true
strategy over the same buckets.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields

import numpy as np

from soulread.estimate import Estimate, Unit
from soulread.report.figures import BarPanel, Bars, Figure
from soulread.reproduce.ganzfried_2011 import dbbr
from soulread.reproduce.kit.experiment import Options, published
from soulread.reproduce.kit.matches import match_task, sample_text
from soulread.reproduce.kit.report import Claim, Measure, Report, Table
from soulread.reproduce.kit.verdict import above, all_of, at_least
from soulread.tasks import Task, TaskResult

EQUILIBRIUM, CEILING = "equilibrium", "ceiling"
EQUILIBRIUM_ROW = "an equilibrium"

METHODS: Mapping[str, Callable[["Setup"], str]] = {
    EQUILIBRIUM: lambda setup: setup.of_dbbr["equilibrium"],
    "dbbr, paper": lambda setup: setup.of_dbbr["DBBR-WS"],
    "dbbr, ours": lambda setup: setup.of_dbbr["DBBR, ours, shown cards"],
    "dbr": lambda setup: f"dbr:{setup.cards},T={setup.early},k=400{setup.hurry}",
    "soul": lambda setup: f"soul:{setup.cards}",
    "poki": lambda setup: f"poki:playouts={setup.playouts}",
    "vexbot": lambda setup: "vexbot",
}
"""The methods by the name of their column, and what each is called in the catalogue of agents."""

_IN_DBBR_TABLE = {EQUILIBRIUM: "equilibrium", "dbbr, paper": "DBBR-WS"}  # the rows that were published
MOST_LOST = 0.05  # sb/h, to an equilibrium


@dataclass(frozen=True)
class Setup(dbbr.Setup):
    """Sizes: those of `dbbr-table`, with fewer matches in the quick version."""

    playouts: int = 2000  # of a decision of poki
    cards: str = "8-12-4-4"  # abstraction of dbr and soul, whose updates take long
    hurry: str = ""  # more settings of dbr

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """As `dbbr-table`; quick: three matches of each pairing, fewer play-outs, rough dbr and soul."""
        base = dbbr.Setup.of(options)
        sizes = {field.name: getattr(base, field.name) for field in fields(dbbr.Setup)}
        if options.quick:
            sizes["matches"] = options.matches or 3
            return cls(**sizes, playouts=200, cards="4-3-2-2:quick", hurry=",iterations=8")
        return cls(**sizes, cards=base.abstraction)

    @property
    def of_dbbr(self) -> dict[str, str]:
        """The players of `dbbr-table`, by the name of their row there."""
        return super().rows

    @property
    def rows(self) -> dict[str, str]:
        """The methods, by name."""
        return {name: make(self) for name, make in METHODS.items()}

    @property
    def opponents(self) -> dict[str, str]:
        """The opponents of `dbbr-table`, and an equilibrium."""
        return {**super().opponents, EQUILIBRIUM_ROW: f"equilibrium:{self.abstraction}"}

    def match(self, row: str, villain: str, number: int) -> Task:
        """One duplicate match; matches count as in `dbbr-table`, so that the same ones are played once."""
        first = 0 if row in _IN_DBBR_TABLE else dbbr.FIRST_MATCH
        return match_task(dbbr.GAME, (self.rows[row], villain), self.hands, self.seed, first + number)


def table(options: Options) -> Report:
    """Play what is missing, and put all methods into one table."""
    setup = Setup.of(options)
    dbbr.prepare(options, setup.abstraction)
    tasks = [setup.ceiling(villain) for villain in setup.opponents.values()]
    tasks += [
        setup.match(method, villain, number)
        for number in range(setup.matches)  # outermost, so that a run that is cut leaves a balanced table
        for method in setup.rows
        for villain in setup.opponents.values()
    ]
    results = list(options.run(tasks))
    found = dbbr.Found(setup, results)
    return Report(
        name="table",
        title="all methods against the same opponents, heads-up limit hold'em",
        source=f"opponents of {published('ganzfried2011')['source']}, Table 1; methods of all papers",
        settings={
            "abstraction": setup.abstraction,
            "duplicate matches": setup.matches,
            "hands": setup.hands,
            "seed": setup.seed,
            **setup.rows,
        },
        tables=(_win_rates(setup, found), _shares(setup, found), _costs(setup, results)),
        claims=tuple(_claims(setup, found)),
        figures=(_figure(setup, found),),
        seconds=sum(result.seconds for result in results),
        notes=(
            *(f"{name}: {words}." for name, (_, _, words) in dbbr.STAND_INS.items()),
            "Win rates are over whole matches, the hands of learning included.",
        ),
    )


def _win_rates(setup: Setup, found: dbbr.Found) -> Table:
    measures = []
    for opponent in setup.opponents:
        for method in setup.rows:
            paper = dbbr.printed(_IN_DBBR_TABLE.get(method, ""), opponent)
            mean, error = paper or (None, None)
            measures.append(Measure(opponent, method, found.estimate(method, opponent), mean, error))
        measures.append(Measure(opponent, CEILING, found.ceiling(opponent)))
    return Table(
        "win rate over whole matches",
        Unit.SMALL_BETS.value,
        tuple(measures),
        sample=sample_text(found.played.values()),
        note=""
        if setup.published
        else "A smaller experiment than the published one: its numbers are there for orientation.",
    )


def _shares(setup: Setup, found: dbbr.Found) -> Table:
    """What a method wins, as a share of what a best response wins."""
    measures = []
    for opponent in setup.opponents:
        if opponent == EQUILIBRIUM_ROW:
            continue
        for method in setup.rows:
            won, ceiling = found.estimate(method, opponent), found.ceiling(opponent)
            share = None if won is None or ceiling is None else 100 * won.mean / ceiling.mean
            measures.append(Measure(opponent, method, share))
    return Table("share of the ceiling, over whole matches", "%", tuple(measures), digits=0)


def _costs(setup: Setup, results: list[TaskResult]) -> Table:
    """CPU time of a hand, both agents together."""
    measures = []
    for method, text in setup.rows.items():
        seconds = [
            result.seconds / (2 * int(str(result.task.parameters["hands"])))
            for result in results
            if _agents(result)[0] == text
        ]
        measures.append(Measure("both agents", method, 1000 * float(np.mean(seconds)) if seconds else None))
    return Table("CPU time of a hand, on the machines that played", "ms", tuple(measures), digits=1)


def _agents(result: TaskResult) -> list[str]:
    agents = result.task.parameters["agents"]
    assert isinstance(agents, list)
    return [str(agent) for agent in agents]


def _claims(setup: Setup, found: dbbr.Found) -> Iterator[Claim]:
    """Our own questions: who beats everybody, who is ahead of the equilibrium, and who loses to one."""
    beatable = [name for name in setup.opponents if name != EQUILIBRIUM_ROW]
    for method in setup.rows:
        won = {name: found.estimate(method, name) for name in beatable}
        yield Claim.judged(
            f"{method} wins against every opponent that can be beaten",
            all_of(above(each) for each in won.values()),
            f"least {_least(won)}",
        )
        if method == EQUILIBRIUM:
            continue
        yield dbbr.ahead(
            f"{method} wins more than the equilibrium against every opponent that can be beaten",
            {name: found.difference(method, EQUILIBRIUM, name) for name in beatable},
        )
        against = found.estimate(method, EQUILIBRIUM_ROW)
        yield Claim.judged(
            f"{method} loses at most {MOST_LOST:g} sb/h to an equilibrium",
            at_least(against, -MOST_LOST),
            "not played" if against is None else f"{against.text()} sb/h",
        )


def _least(won: Mapping[str, Estimate | None]) -> str:
    known = {name: each for name, each in won.items() if each is not None}
    worst = min(known, key=lambda name: known[name].mean, default="")
    return f"{known[worst].text()} sb/h, against {worst}" if worst else "not played"


def _figure(setup: Setup, found: dbbr.Found) -> Figure:
    opponents = tuple(setup.opponents)

    def bars(label: str, cells: list[Estimate | None]) -> Bars:
        return Bars(
            label,
            tuple(np.nan if cell is None else cell.mean for cell in cells),
            tuple(np.nan if cell is None or cell.n < 2 else cell.half_width for cell in cells),
        )

    drawn = [bars(method, [found.estimate(method, name) for name in opponents]) for method in setup.rows]
    drawn.append(bars(CEILING, [found.ceiling(name) for name in opponents]))
    return Figure(
        "win-rates",
        "Win rates of all methods over whole matches with 95% intervals.",
        (
            BarPanel(
                f"duplicate matches of {setup.hands:,} hands: {setup.matches}",
                "won, small bets per hand",
                opponents,
                tuple(drawn),
            ),
        ),
    )
