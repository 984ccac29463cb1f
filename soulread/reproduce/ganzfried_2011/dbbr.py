"""DBBR in limit hold'em (Ganzfried & Sandholm, AAMAS 2011): Table 1.

The opponents are those of `soulread.reproduce.kit.limit_table`. GS5, which opened the published matches, used
finer buckets than the model. Here one equilibrium has all three roles: it is the opening, the start of the
model and the row beside GS5's. It is that of the model's own abstraction.
"""

from collections.abc import Sequence
from functools import partial

from soulread.estimate import Estimate
from soulread.report.figures import BarPanel, Bars, Figure
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.figures import bars_of
from soulread.reproduce.kit.limit_table import (
    BETS,
    CEILING,
    CEILING_HANDS,
    EQUILIBRIUM,
    NAIVE,
    OWN_ROWS,
    PAPER_ROW,
    SMALLER,
    STAND_INS,
    TUNING,
    Estimates,
    LimitSetup,
    ahead,
    opponents_over,
    prepare,
    printed,
)
from soulread.reproduce.kit.matches import MatchGrid, sample_text
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, measures_of, worded
from soulread.reproduce.kit.verdict import above, all_of, any_of, at_least
from soulread.tasks import Json

WS = "DBBR-WS"
SHARE = 0.8  # of the ceiling


class DbbrMatches(MatchGrid):
    """The matches of Table 1."""

    def __init__(self, setup: LimitSetup, aivat: bool = False) -> None:
        self.setup = setup
        self.columns = tuple(opponents_over(setup.abstraction))
        super().__init__(setup.cells(setup.rows, opponents_over(setup.abstraction), aivat=aivat))

    def start(self, row: str) -> int:
        """Hands that a player of this row watches before it exploits; for the equilibrium, the paper's T."""
        return self.setup.early if row in OWN_ROWS else self.setup.start

    def exploited(self, row: str, column: str) -> Estimate | None:
        """The win rate of a row after its hands of watching; that of the ceiling over all hands."""
        return self.won(row, column, 0 if row == CEILING else self.start(row))


def settings_of(setup: LimitSetup) -> dict[str, Json]:
    """The sizes, for the report."""
    return {
        "abstraction": setup.abstraction,
        "duplicate matches": setup.matches,
        "hands": setup.hands,
        "T": setup.start,
        "k": setup.every,
        "prior": 5,
        **{row: setup.rows[row] for row in OWN_ROWS},
        "seed": setup.seed,
        "tuned with": TUNING,
    }


def table(options: RunOptions) -> Report:
    """Table 1: win rates of an equilibrium and of DBBR against seven opponents."""
    setup = LimitSetup.of(options)
    prepare(options, setup.abstraction)
    found = DbbrMatches(setup, bool(options.aivat))
    found.run(options)
    return Report(
        name="dbbr-table",
        title="DBBR and an equilibrium against seven opponents",
        source=f"{published('ganzfried2011')['source']}, Table 1",
        settings=settings_of(setup),
        tables=(
            _win_rates(found),
            *found.luckless(setup.rows),
            *_after_start(found),
            _opponents(found),
        ),
        claims=tuple(_claims(found)),
        figures=(_figure(found),),
        seconds=found.seconds,
        notes=tuple(
            f"{name}, in the column of {stood_for}: our equilibrium of {setup.abstraction}, {words} ({skew})."
            for name, (stood_for, skew, words) in STAND_INS.items()
        ),
    )


def _less_paper(ours: Estimate | None, paper: tuple[float, float]) -> Estimate | None:
    """Our win rate less the published one, with the errors of both."""
    return None if ours is None else ours.minus(Estimate(*paper, ours.n))


def _win_rates(found: DbbrMatches) -> ResultTable:
    setup, measures = found.setup, []
    for row in setup.rows:
        for column in found.columns:
            ours, paper = found.won(row, column), printed(row, column)
            mean, error = paper or (None, None)
            comparable = paper and setup.published and row != EQUILIBRIUM
            judged = at_least(_less_paper(ours, paper)).verdict if paper and comparable else None
            measures.append(Measure(row, column, ours, mean, error, judged))
    note = "Green: at least the published rate; red: below it; yellow: undecided, by the errors of both."
    sample = found.sample(setup.rows)
    note = note if setup.published else SMALLER
    return ResultTable("win rate over whole matches", BETS, measures, sample, note)


def _after_start(found: DbbrMatches) -> tuple[ResultTable, ResultTable]:
    """Win rates after the hands of watching, and the share of the ceiling that they are."""
    rows = found.setup.rows

    def share(row: str, column: str) -> float | None:
        won, ceiling = found.exploited(row, column), found.won(CEILING, column)
        return None if won is None or ceiling is None else 100 * (won.mean / ceiling.mean)

    parts = [found.part(row, column, found.start(row)) for row, column in found.played if row in rows]
    return (
        ResultTable(
            "win rate after the hands of watching",
            BETS,
            measures_of((*rows, CEILING), found.columns, found.exploited),
            sample_text(part for part in parts if part is not None),
            f"From hand {found.setup.start} on, ours from {found.setup.early} on. The ceiling is a best "
            "response to the opponent's true strategy over the same buckets, in "
            f"{CEILING_HANDS:,} duplicate hands.",
        ),
        ResultTable(
            "share of the ceiling, after the hands of watching",
            "%",
            measures_of(rows, found.columns, share),
            digits=0,
        ),
    )


def _opponents(found: DbbrMatches) -> ResultTable:
    """The published opponents beside those that take their columns."""
    numbers = published("ganzfried2011")["table1"]
    measures = []
    for name, (stood_for, _, _) in STAND_INS.items():
        label, at = f"{name} for {stood_for}", numbers["opponents"].index(stood_for)
        for row in (EQUILIBRIUM, WS):
            cells = numbers[PAPER_ROW[row]]
            measures.append(Measure(label, row, found.won(row, name), cells["mean"][at], cells["error"][at]))
        measures.append(Measure(label, CEILING, found.won(CEILING, name)))
    note = "The numbers in brackets belong to other players: they are for orientation, not a target."
    return ResultTable("opponents of our own", BETS, measures, found.sample(found.setup.rows), note)


def _claims(found: DbbrMatches) -> list[Claim]:
    def by_column(value: partial[Estimate | None], where: Sequence[str] = found.columns) -> Estimates:
        return {column: value(column=column) for column in where}

    claims = [
        ahead(
            f"{WS} wins more than the equilibrium against every opponent",
            by_column(partial(found.difference, WS, EQUILIBRIUM)),
        ),
        doubles(
            by_column(partial(found.won, EQUILIBRIUM)),
            by_column(partial(found.difference, WS, EQUILIBRIUM, times=2)),
        ),
    ]
    for column in NAIVE:
        paper = printed(WS, column)
        if paper is not None and found.setup.published:
            why_not = _SPARSE if column == "random" else _most(found, column)
            claims.append(reaches(column, found.won(WS, column), paper, why_not))
    for text, row, other, where, why_not in _ORDERS:
        claims.append(ahead(text, by_column(partial(found.difference, row, other), where), why_not))
    for row in OWN_ROWS:
        text = f"{row}: more than {WS} against every opponent"
        claims.append(ahead(text, by_column(partial(found.difference, row, WS))))
        won = by_column(partial(found.exploited, row))
        claims.append(near_ceiling(row, won, by_column(partial(found.won, CEILING))))
    return claims


def doubles(equilibrium: Estimates, excess: Estimates) -> Claim:
    """Claim that against some opponent DBBR-WS wins more than twice what the equilibrium wins.

    ``excess`` is how much more than twice, in sb/h. Where the equilibrium wins nothing, twice that says
    nothing.
    """
    known = {column: more for column, more in excess.items() if more is not None}
    best = max(known, key=lambda column: known[column].mean, default="")
    base = equilibrium.get(best)
    return Claim.judged(
        f"Against one opponent at least, {WS} wins more than twice what the equilibrium wins",
        any_of(all_of([above(equilibrium[column]), above(more)]) for column, more in excess.items()),
        f"{best}: {known[best].text()} {BETS} more than twice {base.text()}" if base else "not played",
    )


def reaches(column: str, ours: Estimate | None, paper: tuple[float, float], why_not: str) -> Claim:
    """Claim that DBBR-WS wins at least the published rate, which is given with its standard error."""
    more = _less_paper(ours, paper)
    evidence = "not played" if more is None else f"{worded(ours, unit=BETS)}, {more.text()} more"
    text = f"{WS} wins at least the published {paper[0]:.3f} {BETS} against {column}"
    return Claim.judged(text, at_least(more), evidence, why_not)


def near_ceiling(row: str, won: Estimates, ceilings: Estimates) -> Claim:
    """Claim that a row wins 80% of the ceiling against every opponent once it exploits; all in sb/h."""
    both = {
        column: (mine, ceiling)
        for column, mine in won.items()
        if mine is not None and (ceiling := ceilings[column]) is not None
    }
    excess = {column: mine.minus(ceiling.scaled(SHARE)) for column, (mine, ceiling) in both.items()}
    return Claim.of_all(
        f"{row}: once it exploits, at least {SHARE:.0%} of the ceiling against every opponent (our own aim)",
        {column: excess.get(column) for column in won},
        at_least,
        ", ".join(f"{column} {mine.mean / ceiling.mean:.0%}" for column, (mine, ceiling) in both.items())
        or "not played",
    )


def _most(found: DbbrMatches, column: str) -> str:
    """A sentence on the most that DBBR could win with our opening."""
    opening, ceiling = found.won(EQUILIBRIUM, column), found.won(CEILING, column)
    if opening is None or ceiling is None:
        return ""
    watched = found.setup.start / found.setup.hands
    most = watched * opening.mean + (1 - watched) * ceiling.mean
    return (
        f"Our equilibrium, {opening.mean:.3f} sb/h for the hands before T, and a best response to the "
        f"opponent's true strategy from there on would win {most:.3f}."
    )


_SPARSE = (
    "Most histories are seen a few times at most, and there the model stays near the equilibrium. In the "
    "abstraction, the response to the expected counts of 1,000 hands is worth 1.30 sb/h, to unlimited counts "
    "2.98. How the published one won more after as many hands is not known; its opening had finer buckets."
)
_EVEN = (
    "The nearest strategy in L1 is not unique. Ours takes weight from every hand alike; the published one "
    "was whichever CPLEX found first. Against players who do not look at their cards ours is the right one."
)
_ORDERS = (
    ("DBBR-WS wins more than DBBR-L1 against always-raise", "DBBR-WS", "DBBR-L1", ["always-raise"], _EVEN),
    ("DBBR-WS wins more than DBBR-L2 against always-raise", "DBBR-WS", "DBBR-L2", ["always-raise"], _EVEN),
    ("DBBR-L1 wins more than DBBR-WS against random", "DBBR-L1", "DBBR-WS", ["random"], ""),
    ("DBBR-L2 wins more than DBBR-WS against random", "DBBR-L2", "DBBR-WS", ["random"], ""),
    (
        "DBBR-WS wins more than DBBR-L2 against the weak programs (here those of our own)",
        "DBBR-WS",
        "DBBR-L2",
        list(STAND_INS),
        "These are other opponents than the published ones. Weight shifting assumes that the strongest hands "
        "raise. A skew bends all hands alike, as the even L1 and L2 assume.",
    ),
)


def _figure(found: DbbrMatches) -> Figure:
    rows, columns = tuple(found.setup.rows), found.columns
    nothing = (float("nan"),)
    marks = (Bars(row, tuple((printed(row, column) or nothing)[0] for column in columns)) for row in rows)
    panel = BarPanel(
        f"duplicate matches of {found.setup.hands:,} hands: {found.setup.matches}",
        "won, small bets per hand",
        columns,
        tuple(bars_of(row, [found.won(row, column) for column in columns]) for row in rows),
        tuple(marks),
    )
    caption = (
        "Win rates over whole matches with 95% intervals; dashes: published, for the same opponents only."
    )
    return Figure("win-rates", caption, (panel,))
