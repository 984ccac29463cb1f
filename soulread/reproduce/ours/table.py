"""One table for all methods of all papers: heads-up limit hold'em against the opponents of GS11's Table 1.

`METHODS` is the list of the methods. A new one is one line there, and only its own matches are played then:
those of the equilibrium, of DBBR and of the ceilings are the tasks of `dbbr-table`, with the same sizes.

The opponents are those of `dbbr-table` (four naive ones, three of our own) and an equilibrium, against
which nothing can be won but something can be lost. The ceiling is a best response to the opponent's true
strategy over the same buckets.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from soulread.report.figures import BarPanel, Figure
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.figures import bars_of
from soulread.reproduce.kit.limit_table import (
    BETS,
    CEILING,
    EQUILIBRIUM,
    SMALLER,
    STAND_INS,
    Estimates,
    LimitSetup,
    ahead,
    opponents_over,
    prepare,
    printed,
    share_of_ceiling,
)
from soulread.reproduce.kit.matches import MatchGrid, cost_table
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, measures_of, worded
from soulread.reproduce.kit.verdict import at_least

EQUILIBRIUM_ROW = "an equilibrium"

METHODS: Mapping[str, Callable[["MethodSetup"], str]] = {
    EQUILIBRIUM: lambda setup: setup.limit.rows[EQUILIBRIUM],
    "dbbr, paper": lambda setup: setup.limit.rows["DBBR-WS"],
    "dbbr, ours": lambda setup: setup.limit.rows["DBBR, ours, shown cards"],
    "dbr": lambda setup: f"dbr:{setup.cards},T={setup.limit.early},k=400{setup.hurry}",
    "soul": lambda setup: f"soul:{setup.cards}",
    "poki": lambda setup: f"poki:playouts={setup.playouts}",
    "vexbot": lambda setup: "vexbot",
}
"""The methods by the name of their column, and what each is called in the catalogue of agents."""

_IN_DBBR_TABLE = {EQUILIBRIUM: "equilibrium", "dbbr, paper": "DBBR-WS"}  # the rows that were published
MOST_LOST = 0.05  # sb/h, to an equilibrium


@dataclass(frozen=True)
class MethodSetup:
    """Sizes: those of `dbbr-table`, with fewer matches in the quick version."""

    limit: LimitSetup
    playouts: int  # of a decision of poki
    cards: str  # abstraction of dbr and soul, whose updates take long
    hurry: str  # more settings of dbr

    @classmethod
    def of(cls, options: RunOptions) -> "MethodSetup":
        """As `dbbr-table`; quick: three matches of each pairing, fewer play-outs, rough dbr and soul."""
        limit = LimitSetup.of(options)
        if options.quick:
            return cls(replace(limit, matches=options.matches or 3), 200, "4-3-2-2:quick", ",iterations=8")
        return cls(limit, 2000, limit.abstraction, "")

    @property
    def rows(self) -> dict[str, str]:
        """The methods, by name."""
        return {name: make(self) for name, make in METHODS.items()}

    @property
    def opponents(self) -> dict[str, str]:
        """The opponents of `dbbr-table`, and an equilibrium."""
        abstraction = self.limit.abstraction
        return {**opponents_over(abstraction), EQUILIBRIUM_ROW: f"equilibrium:{abstraction}"}


def table(options: RunOptions) -> Report:
    """Play what is missing, and put all methods into one table."""
    setup = MethodSetup.of(options)
    prepare(options, setup.limit.abstraction)
    own = [name for name in METHODS if name not in _IN_DBBR_TABLE]
    found = MatchGrid(setup.limit.cells(setup.rows, setup.opponents, own))
    found.run(options)
    return Report(
        name="table",
        title="all methods against the same opponents, heads-up limit hold'em",
        source=f"opponents of {published('ganzfried2011')['source']}, Table 1; methods of all papers",
        settings={
            "abstraction": setup.limit.abstraction,
            "duplicate matches": setup.limit.matches,
            "hands": setup.limit.hands,
            "seed": setup.limit.seed,
            **setup.rows,
        },
        tables=(
            _win_rates(setup, found),
            _shares(setup, found),
            cost_table(found.results.values(), setup.rows),
        ),
        claims=tuple(_claims(setup, found)),
        figures=(_figure(setup, found),),
        seconds=found.seconds,
        notes=(
            *(f"{name}: {words}." for name, (_, _, words) in STAND_INS.items()),
            "Win rates are over whole matches, the hands of learning included.",
        ),
    )


def _win_rates(setup: MethodSetup, found: MatchGrid) -> ResultTable:
    measures = []
    for opponent in setup.opponents:
        for method in (*setup.rows, CEILING):
            mean, error = printed(_IN_DBBR_TABLE.get(method, ""), opponent) or (None, None)
            measures.append(Measure(opponent, method, found.won(method, opponent), mean, error))
    note = "" if setup.limit.published else SMALLER
    return ResultTable("win rate over whole matches", BETS, measures, found.sample(setup.rows), note)


def _shares(setup: MethodSetup, found: MatchGrid) -> ResultTable:
    """The win rate of a method in per cent of that of a best response."""
    beatable = [name for name in setup.opponents if name != EQUILIBRIUM_ROW]

    def share(opponent: str, method: str) -> float | None:
        return share_of_ceiling(found.won(method, opponent), found.won(CEILING, opponent))

    measures = measures_of(beatable, setup.rows, share)
    return ResultTable("share of the ceiling, over whole matches", "%", measures, digits=0)


def _claims(setup: MethodSetup, found: MatchGrid) -> Iterator[Claim]:
    """Our own questions: who beats everybody, who is ahead of the equilibrium, and who loses to one."""
    beatable = [name for name in setup.opponents if name != EQUILIBRIUM_ROW]
    for method in setup.rows:
        won = {name: found.won(method, name) for name in beatable}
        text = f"{method} wins against every opponent that can be beaten"
        yield Claim.of_all(text, won, evidence=f"least {_least(won)}")
        if method == EQUILIBRIUM:
            continue
        yield ahead(
            f"{method} wins more than the equilibrium against every opponent that can be beaten",
            {name: found.difference(method, EQUILIBRIUM, name) for name in beatable},
        )
        against = found.won(method, EQUILIBRIUM_ROW)
        yield Claim.judged(
            f"{method} loses at most {MOST_LOST:g} {BETS} to an equilibrium",
            at_least(against, -MOST_LOST),
            worded(against, unit=BETS, missing="not played"),
        )


def _least(won: Estimates) -> str:
    known = {name: each for name, each in won.items() if each is not None}
    worst = min(known, key=lambda name: known[name].mean, default="")
    return f"{known[worst].text()} {BETS}, against {worst}" if worst else "not played"


def _figure(setup: MethodSetup, found: MatchGrid) -> Figure:
    opponents = tuple(setup.opponents)
    panel = BarPanel(
        f"duplicate matches of {setup.limit.hands:,} hands: {setup.limit.matches}",
        "won, small bets per hand",
        opponents,
        tuple(bars_of(row, [found.won(row, name) for name in opponents]) for row in (*setup.rows, CEILING)),
    )
    return Figure("win-rates", "Win rates of all methods over whole matches with 95% intervals.", (panel,))
