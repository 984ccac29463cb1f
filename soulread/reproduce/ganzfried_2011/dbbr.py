"""DBBR in limit hold'em (Ganzfried & Sandholm, AAMAS 2011): Table 1, and Figure 1 from the same matches.

GUS2, Dr. Sahbak and Tommybot, three weak entrants of computer poker competitions, are not available. In their
columns we use opponents of our own: equilibria bent until they lose to an equilibrium about as much as one
expects of a weak program. They are other players, so the published numbers of these columns are no target.

GS5, which opened the published matches, used finer buckets than the model. Here one equilibrium has all three
roles: it is the opening, the start of the model and the row beside GS5's. It is that of the model's own
abstraction.
"""

import itertools
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate, Sampling, Unit
from soulread.play.match.matches import MatchResult
from soulread.report.figures import BarPanel, Bars, Curve, Figure, Level, Panel
from soulread.reproduce.kit.experiment import Options, published
from soulread.reproduce.kit.matches import luckless_tables, match_results, match_task, sample_text
from soulread.reproduce.kit.report import Claim, Measure, Report, Table
from soulread.reproduce.kit.verdict import above, all_of, any_of, at_least, within
from soulread.seqform.source import parse_source
from soulread.solvers.equilibria import find_equilibrium
from soulread.tasks import Task, TaskResult

GAME = "limit"
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

_CEILING_HANDS = 50_000


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment: the paper's, the user's, or those of ``--quick``."""

    abstraction: str
    hands: int
    matches: int
    seed: int
    start: int  # T, the hands of watching, in the rows with the paper's settings
    early: int  # T in our rows
    every: int  # k, the hands between two updates of the response
    aivat: bool = False  # whether luck is taken off, in a table of its own

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """Five matches of 3,000 hands with 8-12-4-4 buckets; quick: ten matches of 180 hands with 5-5-5-5."""
        hands = options.hands or (180 if options.quick else 3000)
        return cls(
            abstraction="5-5-5-5:quick" if options.quick else "8-12-4-4",
            hands=hands,
            matches=options.matches or (10 if options.quick else 5),
            seed=options.seed,
            start=min(1000, hands // 3),
            early=min(OURS_START, hands // 6),
            every=200 if options.quick else 50,  # an update costs as much as some hundred hands
            aivat=bool(options.aivat),
        )

    @property
    def published(self) -> bool:
        """Whether the sizes are the paper's, so that its numbers can be compared with ours."""
        return (self.abstraction, self.hands) == ("8-12-4-4", 3000)

    @property
    def rows(self) -> dict[str, str]:
        """Our players, by the name of their row."""
        settings = f"{self.abstraction},T={self.start},k={self.every},prior=5"
        return {
            "equilibrium": f"equilibrium:{self.abstraction}",
            "DBBR-WS": f"dbbr:{settings},method=shift",
            "DBBR-L1": f"dbbr:{settings},method=l1",
            "DBBR-L2": f"dbbr:{settings},method=l2",
            **{
                row: f"dbbr:{self.abstraction},T={self.early},k={self.every},{options}"
                for row, options in OWN_ROWS.items()
            },
        }

    @property
    def opponents(self) -> dict[str, str]:
        """The opponents, by the name of their column."""
        own = {name: f"skew:{self.abstraction}:{skew}" for name, (_, skew, _) in STAND_INS.items()}
        return {**{name: name for name in NAIVE}, **own}

    def match(self, row: str, villain: str, number: int) -> Task:
        """One duplicate match of a row; matches count from 0, those of our own settings from 1."""
        first = FIRST_MATCH if row in OWN_ROWS else 0
        pair = self.rows[row], villain
        return match_task(GAME, pair, self.hands, self.seed, first + number, aivat=self.aivat)

    def ceiling(self, villain: str) -> Task:
        """A best response to the opponent's true strategy, over the same buckets, played with real cards."""
        hero = f"best-response:{self.abstraction}:{villain}"
        return match_task(GAME, (hero, villain), _CEILING_HANDS, self.seed, 0)

    @property
    def settings(self) -> dict[str, str | int]:
        """The sizes, for the report."""
        return {
            "abstraction": self.abstraction,
            "duplicate matches": self.matches,
            "hands": self.hands,
            "T": self.start,
            "k": self.every,
            "prior": 5,
            **{row: self.rows[row] for row in OWN_ROWS},
            "seed": self.seed,
            "tuned with": TUNING,
        }


def table(options: Options) -> Report:
    """Table 1: win rates of an equilibrium and of DBBR against seven opponents."""
    setup = Setup.of(options)
    prepare(options, setup.abstraction)
    tasks = [setup.ceiling(villain) for villain in setup.opponents.values()]
    tasks += [
        setup.match(row, villain, number)
        for number in range(setup.matches)  # outermost, so that a run that is cut leaves a balanced table
        for row in setup.rows
        for villain in setup.opponents.values()
    ]
    results = list(options.run(tasks))
    found = Found(setup, results)
    paper = published("ganzfried2011")
    return Report(
        name="dbbr-table",
        title="DBBR and an equilibrium against seven opponents",
        source=f"{paper['source']}, Table 1",
        settings=setup.settings,
        tables=(
            _win_rates(found),
            *luckless_tables(found.played, Unit.SMALL_BETS),
            _after_start(found),
            _shares(found),
            _opponents(found),
        ),
        claims=_table_claims(found),
        figures=(_table_figure(found),),
        seconds=sum(result.seconds for result in results),
        notes=tuple(
            f"{name}, in the column of {stood_for}: our equilibrium of {setup.abstraction}, {words} ({skew})."
            for name, (stood_for, skew, words) in STAND_INS.items()
        ),
    )


def prepare(options: Options, abstraction: str) -> None:
    """Build and solve once what all processes need, so that not each of them starts with it."""
    if not options.stored_only:
        find_equilibrium(parse_source(f"{GAME}:{abstraction}"), options.tell)


class Found:
    """The matches that were played, by row and column."""

    def __init__(self, setup: Setup, results: Sequence[TaskResult]) -> None:
        self.setup = setup
        ceilings = {setup.ceiling(villain).key for villain in setup.opponents.values()}
        played = [result for result in results if result.task.key not in ceilings]
        self._matches = match_results(played)
        self._numbered: dict[tuple[str, str], dict[int, NDArray[np.float64]]] = defaultdict(dict)
        for result in played:
            hero, villain, number = _pairing(result)
            self._numbered[hero, villain][number] = result["profits"] / 2
        self._ceilings = match_results(result for result in results if result.task.key in ceilings)

    def start(self, row: str) -> int:
        """Hands that a player of this row watches before it exploits; for the equilibrium, the paper's T."""
        return self.setup.early if row in OWN_ROWS else self.setup.start

    def result(self, row: str, column: str) -> MatchResult | None:
        """All matches of a pairing; None if there are none yet."""
        return self._matches.get((self.setup.rows[row], self.setup.opponents[column]))

    def estimate(self, row: str, column: str, first: int = 0) -> Estimate | None:
        """Small bets per hand from hand ``first`` on."""
        result = self.result(row, column)
        return None if result is None else _from(result, first).estimate(0, Unit.SMALL_BETS)

    def ceiling_matches(self, column: str) -> MatchResult | None:
        """The match of a best response to the opponent's true strategy; None if it is not played yet."""
        villain = self.setup.opponents[column]
        return self._ceilings.get((f"best-response:{self.setup.abstraction}:{villain}", villain))

    def ceiling(self, column: str) -> Estimate | None:
        """What a best response to the opponent's true strategy wins."""
        result = self.ceiling_matches(column)
        return None if result is None else result.estimate(0, Unit.SMALL_BETS)

    def difference(self, row: str, other: str, column: str, times: float = 1.0) -> Estimate | None:
        """How much more a row wins than ``times`` what another wins, in small bets per hand.

        Taken match by match, from the matches that both played with the same cards. If there are none, from
        all matches of both.
        """
        result, rival = self.result(row, column), self.result(other, column)
        if result is None or rival is None:
            return None
        villain = self.setup.opponents[column]
        mine, theirs = (self._numbered[self.setup.rows[name], villain] for name in (row, other))
        same = sorted(mine.keys() & theirs.keys())
        if same:
            more = np.stack([mine[number] - times * theirs[number] for number in same])
            learning = result.learning or rival.learning
            return Sampling(len(same), self.setup.hands, learning).estimate(more)
        first, second = (each.estimate(0, Unit.SMALL_BETS) for each in (result, rival))
        return first.minus(second.scaled(times))

    @property
    def played(self) -> dict[tuple[str, str], MatchResult]:
        """All pairings that were played, by row and column."""
        places = itertools.product(self.setup.rows, self.setup.opponents)
        return {place: result for place in places if (result := self.result(*place)) is not None}

    def results(self, after_start: bool = False) -> list[MatchResult]:
        """All pairings that were played, whole or after the hands of watching."""
        found = [
            (row, self.result(row, column)) for row in self.setup.rows for column in self.setup.opponents
        ]
        return [
            _from(result, self.start(row) if after_start else 0)
            for row, result in found
            if result is not None
        ]


def _from(result: MatchResult, first: int) -> MatchResult:
    """The hands from number ``first`` on."""
    return replace(result, profits=result.profits[:, first:], hands=result.hands - first)


def _pairing(result: TaskResult) -> tuple[str, str, int]:
    """Who played whom in which match."""
    agents = result.task.parameters["agents"]
    assert isinstance(agents, list)
    return str(agents[0]), str(agents[1]), int(str(result.task.parameters["number"]))


PAPER_ROW = {"equilibrium": "GS5", "DBBR-WS": "DBBR-WS", "DBBR-L1": "DBBR-L1", "DBBR-L2": "DBBR-L2"}


def printed(row: str, column: str) -> tuple[float, float] | None:
    """The published win rate and its standard error; None where there is none for this very opponent."""
    numbers = published("ganzfried2011")["table1"]
    if row not in PAPER_ROW or column not in NAIVE:
        return None
    at = numbers["opponents"].index(column)
    cells = numbers[PAPER_ROW[row]]
    return cells["mean"][at], cells["error"][at]


def _less_paper(ours: Estimate | None, paper: tuple[float, float]) -> Estimate | None:
    """Our win rate less the published one, with the errors of both."""
    return None if ours is None else ours.minus(Estimate(*paper, ours.n))


def _win_rates(found: Found) -> Table:
    measures = []
    for row in found.setup.rows:
        for column in found.setup.opponents:
            ours, paper = found.estimate(row, column), printed(row, column)
            mean, error = paper or (None, None)
            comparable = paper and found.setup.published and row != "equilibrium"
            judged = at_least(_less_paper(ours, paper)).verdict if paper and comparable else None
            measures.append(Measure(row, column, ours, mean, error, judged))
    return Table(
        "win rate over whole matches",
        Unit.SMALL_BETS.value,
        tuple(measures),
        sample=sample_text(found.results()),
        note="Green: at least the published rate; red: below it; yellow: undecided, by the errors of both."
        if found.setup.published
        else "A smaller experiment than the published one: its numbers are there for orientation.",
    )


def _after_start(found: Found) -> Table:
    measures = [
        Measure(row, column, found.estimate(row, column, found.start(row)))
        for row in found.setup.rows
        for column in found.setup.opponents
    ]
    measures += [Measure("ceiling", column, found.ceiling(column)) for column in found.setup.opponents]
    return Table(
        "win rate after the hands of watching",
        Unit.SMALL_BETS.value,
        tuple(measures),
        sample=sample_text(found.results(after_start=True)),
        note=f"From hand {found.setup.start} on, ours from {found.setup.early} on. The ceiling is a best "
        "response to the opponent's true strategy over the same buckets, in "
        f"{_CEILING_HANDS:,} duplicate hands.",
    )


def _shares(found: Found) -> Table:
    measures = []
    for row in found.setup.rows:
        for column in found.setup.opponents:
            share = _share(found, row, column)
            measures.append(Measure(row, column, None if share is None else 100 * share))
    return Table("share of the ceiling, after the hands of watching", "%", tuple(measures), digits=0)


def _share(found: Found, row: str, column: str) -> float | None:
    won, ceiling = found.estimate(row, column, found.start(row)), found.ceiling(column)
    return None if won is None or ceiling is None else won.mean / ceiling.mean


def _opponents(found: Found) -> Table:
    """The published opponents beside those that take their columns."""
    numbers = published("ganzfried2011")["table1"]
    measures = []
    for name, (stood_for, _, _) in STAND_INS.items():
        for row in ("equilibrium", "DBBR-WS"):
            cells = numbers[PAPER_ROW[row]]
            at = numbers["opponents"].index(stood_for)
            label = f"{name} for {stood_for}"
            measures.append(
                Measure(label, row, found.estimate(row, name), cells["mean"][at], cells["error"][at])
            )
        measures.append(Measure(label, "ceiling", found.ceiling(name)))
    return Table(
        "opponents of our own",
        Unit.SMALL_BETS.value,
        tuple(measures),
        sample=sample_text(found.results()),
        note="The numbers in brackets belong to other players: they are for orientation, not a target.",
    )


def _table_claims(found: Found) -> tuple[Claim, ...]:
    columns = list(found.setup.opponents)

    def differences(row: str, other: str, where: Sequence[str]) -> dict[str, Estimate | None]:
        return {column: found.difference(row, other, column) for column in where}

    claims = [
        ahead(
            "DBBR-WS wins more than the equilibrium against every opponent",
            differences("DBBR-WS", "equilibrium", columns),
        ),
        doubles(
            {column: found.estimate("equilibrium", column) for column in columns},
            {column: found.difference("DBBR-WS", "equilibrium", column, times=2) for column in columns},
        ),
    ]
    for column in NAIVE:
        paper = printed("DBBR-WS", column)
        if paper is not None and found.setup.published:
            why_not = _SPARSE if column == "random" else _most(found, column)
            claims.append(reaches(column, found.estimate("DBBR-WS", column), paper, why_not))
    for text, row, other, where, why_not in _ORDERS:
        claims.append(ahead(text, differences(row, other, where), why_not))
    for row in OWN_ROWS:
        claims.append(
            ahead(
                f"{row}: more than DBBR-WS against every opponent",
                differences(row, "DBBR-WS", columns),
            )
        )
        won = {column: found.estimate(row, column, found.start(row)) for column in columns}
        claims.append(near_ceiling(row, won, {column: found.ceiling(column) for column in columns}))
    return tuple(claims)


Estimates = Mapping[str, Estimate | None]  # by opponent; None was not played


def ahead(text: str, differences: Estimates, why_not: str = "") -> Claim:
    """A claim that a row wins more than another against every opponent, by the differences in sb/h."""
    return Claim.judged(
        text,
        all_of(above(difference) for difference in differences.values()),
        "difference "
        + ", ".join(
            f"{column} {'not played' if difference is None else difference.text()}"
            for column, difference in differences.items()
        )
        + " sb/h",
        why_not,
    )


def doubles(equilibrium: Estimates, excess: Estimates) -> Claim:
    """Claim that against some opponent DBBR-WS wins more than twice what the equilibrium wins.

    ``excess`` is how much more than twice, in sb/h. Where the equilibrium wins nothing, twice that says
    nothing.
    """
    known = {column: more for column, more in excess.items() if more is not None}
    best = max(known, key=lambda column: known[column].mean, default="")
    base = equilibrium.get(best)
    return Claim.judged(
        "Against one opponent at least, DBBR-WS wins more than twice what the equilibrium wins",
        any_of(all_of([above(equilibrium[column]), above(more)]) for column, more in excess.items()),
        f"{best}: {known[best].text()} sb/h more than twice {base.text()}" if base else "not played",
    )


def reaches(column: str, ours: Estimate | None, paper: tuple[float, float], why_not: str) -> Claim:
    """Claim that DBBR-WS wins at least the published rate, which is given with its standard error."""
    more = _less_paper(ours, paper)
    return Claim.judged(
        f"DBBR-WS wins at least the published {paper[0]:.3f} sb/h against {column}",
        at_least(more),
        "not played" if ours is None or more is None else f"{ours.text()} sb/h, {more.text()} more",
        why_not,
    )


SHARE = 0.8  # of the ceiling


def near_ceiling(row: str, won: Estimates, ceilings: Estimates) -> Claim:
    """Claim that a row wins 80% of the ceiling against every opponent once it exploits; all in sb/h."""
    both = {
        column: (mine, ceiling)
        for column, mine in won.items()
        if mine is not None and (ceiling := ceilings[column]) is not None
    }
    excess = {column: mine.minus(ceiling.scaled(SHARE)) for column, (mine, ceiling) in both.items()}
    return Claim.judged(
        f"{row}: once it exploits, at least {SHARE:.0%} of the ceiling against every opponent (our own aim)",
        all_of(at_least(excess.get(column)) for column in won),
        ", ".join(f"{column} {mine.mean / ceiling.mean:.0%}" for column, (mine, ceiling) in both.items())
        or "not played",
    )


def _most(found: Found, column: str) -> str:
    """What DBBR could win at most with our opening, in words."""
    opening, ceiling = found.estimate("equilibrium", column), found.ceiling(column)
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


def _table_figure(found: Found) -> Figure:
    columns = tuple(found.setup.opponents)

    def numbers(row: str) -> Bars:
        cells = [found.estimate(row, column) for column in columns]
        return Bars(
            row,
            tuple(math.nan if cell is None else cell.mean for cell in cells),
            tuple(math.nan if cell is None else cell.half_width for cell in cells),
        )

    def marks(row: str) -> Bars:
        cells = [printed(row, column) for column in columns]
        return Bars(row, tuple(math.nan if cell is None else cell[0] for cell in cells))

    rows = tuple(found.setup.rows)
    return Figure(
        "win-rates",
        "Win rates over whole matches with 95% intervals; dashes: published, for the same opponents only.",
        (
            BarPanel(
                f"duplicate matches of {found.setup.hands:,} hands: {found.setup.matches}",
                "won, small bets per hand",
                columns,
                tuple(numbers(row) for row in rows),
                tuple(marks(row) for row in rows),
            ),
        ),
    )


DIPPING = "DBBR-WS, range=model"
_WINDOW = 300  # number of hands after T in which a dip is looked for
_POINTS = 150  # number of points of a curve


def winrate(options: Options) -> Report:
    """Figure 1: profit and win rate as a match goes on, from the matches of Table 1."""
    setup = Setup.of(options)
    prepare(options, setup.abstraction)
    rows = "DBBR-WS", "DBBR, ours", "equilibrium"
    dipping = f"{setup.rows['DBBR-WS']},range=model"
    tasks = [setup.ceiling(villain) for villain in setup.opponents.values()]
    for number in range(setup.matches):
        tasks += [setup.match(row, villain, number) for row in rows for villain in setup.opponents.values()]
        tasks.append(match_task(GAME, (dipping, "always-raise"), setup.hands, setup.seed, number))
    results = list(options.run(tasks))
    found = Found(setup, results)
    curves = {
        (row, column): result
        for row in rows
        for column in setup.opponents
        if (result := found.result(row, column)) is not None
    }
    dip = match_results(results).get((dipping, "always-raise"))
    if dip is not None:
        curves[DIPPING, "always-raise"] = dip
    paper = published("ganzfried2011")
    return Report(
        name="dbbr-winrate",
        title="profit and win rate of DBBR as a match goes on",
        source=f"{paper['source']}, Figure 1",
        settings=setup.settings,
        tables=(_thirds(setup, curves),),
        claims=_winrate_claims(setup, curves),
        figures=_winrate_figures(found, curves),
        seconds=sum(result.seconds for result in results),
        notes=(f"Bands are 95% intervals, over {sample_text(curves.values())}.",),
    )


Curves = Mapping[tuple[str, str], MatchResult]  # by row and column


def _won(result: MatchResult) -> NDArray[np.float64]:
    """Small bets that the first agent won, ``[matches, hands]``."""
    return result.profits[:, :, 0] / 2


def _thirds(setup: Setup, curves: Curves) -> Table:
    cuts = 0, setup.start, min(setup.start + _WINDOW, setup.hands), setup.hands
    measures = []
    for (row, column), result in curves.items():
        for first, last in itertools.pairwise(cuts):
            if last > first:
                part = replace(result, profits=result.profits[:, first:last], hands=last - first)
                ours = part.estimate(0, Unit.SMALL_BETS)
                measures.append(Measure(f"{column}: {row}", f"hands {first + 1} to {last}", ours))
    return Table(
        "win rate in parts of the matches",
        Unit.SMALL_BETS.value,
        tuple(measures),
        sample=sample_text(curves.values()),
    )


def _winrate_claims(setup: Setup, curves: Curves) -> tuple[Claim, ...]:
    claims = []
    folding = curves.get(("DBBR-WS", "always-fold"))
    if folding is not None and setup.hands > setup.start + _QUARTERS:
        claims += [grows_linearly(_won(folding), setup.start), flattens(_won(folding), setup.start)]
    for row, why_not in (("DBBR-WS", _NO_DIP), (DIPPING, _LOW_START)):
        raising = curves.get((row, "always-raise"))
        if raising is not None and setup.hands > setup.start:
            claims.append(dips(row, _won(raising), setup.start, why_not))
            claims.append(recovers(row, _won(raising), setup.start))
    return tuple(claims)


_QUARTERS = 4
LINEAR = 0.05  # "linear": the win rate of a quarter differs by at most this share of the whole


def contrast(won: NDArray[np.float64], *parts: tuple[NDArray[np.intp], float]) -> Estimate:
    """A weighted sum of the win rates in parts of the matches: each part's hands and its weight.

    ``won [matches, hands]`` is of an agent that learns. With several matches, every match is a sample. With
    one, the parts must not overlap, and each is estimated from its blocks of hands.
    """
    if len(won) > 1:
        return Estimate.of(sum(weight * won[:, hands].mean(axis=1) for hands, weight in parts))
    found = [
        Sampling(1, hands.size, learning=True).estimate(won[:, hands]).scaled(weight)
        for hands, weight in parts
    ]
    error = math.hypot(*(part.standard_error for part in found))
    return Estimate(sum(part.mean for part in found), error, min(part.n for part in found))


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


def dips(row: str, won: NDArray[np.float64], start: int, why_not: str) -> Claim:
    """Claim on always-raise: in the 300 hands from ``start`` on less is won than before."""
    before, window = np.arange(start), np.arange(start, min(start + _WINDOW, won.shape[1]))
    return Claim.judged(
        f"Against always-raise the win rate falls for some hundred hands after T ({row})",
        above(contrast(won, (before, 1.0), (window, -1.0))),
        f"{contrast(won, (window, 1.0)).text()} sb/h in {window.size} hands after T, "
        f"{contrast(won, (before, 1.0)).text()} before",
        why_not,
    )


def recovers(row: str, won: NDArray[np.float64], start: int) -> Claim:
    """Claim on always-raise: in the last third more is won than the equilibrium did before hand ``start``."""
    hands = won.shape[1]
    before, last = np.arange(start), np.arange(max(start, hands - hands // 3), hands)
    more = contrast(won, (last, 1.0), (before, -1.0))
    return Claim.judged(
        f"In the last third it is above what the equilibrium won before T ({row})",
        above(more),
        f"{contrast(won, (last, 1.0)).text()} sb/h, {more.text()} more",
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


def _winrate_figures(found: Found, curves: Curves) -> tuple[Figure, ...]:
    setup = found.setup
    shown = ["always-fold", "always-raise", "station"]
    others = [column for column in setup.opponents if column not in shown]
    return tuple(
        Figure(
            name,
            "Profit and win rate so far, mean over the matches with 95% bands.",
            tuple(
                panel
                for make in (_profit_panel, _rate_panel)
                for column in columns
                if (panel := make(found, curves, column)).curves
            ),
            columns=len(columns),
        )
        for name, columns in (("published", shown), ("others", others))
        if any((row, column) in curves for row in (*setup.rows, DIPPING) for column in columns)
    )


def so_far(result: MatchResult) -> tuple[NDArray[np.int64], list[Estimate]]:
    """At some points of the matches: the number of hands, and the win rate so far in sb/h."""
    at = np.unique(np.linspace(min(50, result.hands), result.hands, _POINTS).astype(np.int64))
    parts = [replace(result, profits=result.profits[:, :hands], hands=hands) for hands in at.tolist()]
    return at, [part.estimate(0, Unit.SMALL_BETS) for part in parts]


def _profit_panel(found: Found, curves: Curves, column: str) -> Panel:
    lines = []
    for (row, name), result in curves.items():
        if name == column:
            at, rates = so_far(result)
            profits = [rate.scaled(hands) for rate, hands in zip(rates, at.tolist(), strict=True)]
            lines.append(curve(row, at, profits))
    return Panel(_heading(column), "hands", "profit, small bets", tuple(lines))


def _rate_panel(found: Found, curves: Curves, column: str) -> Panel:
    lines = [curve(row, *so_far(result)) for (row, name), result in curves.items() if name == column]
    ceiling = found.ceiling(column)
    levels = () if ceiling is None else (Level("ceiling", ceiling.mean),)
    return Panel(_heading(column), "hands", "win rate so far, sb/h", tuple(lines), levels)


def curve(label: str, at: NDArray[np.int64], estimates: Sequence[Estimate]) -> Curve:
    return Curve(
        label,
        tuple(at.tolist()),
        tuple(estimate.mean for estimate in estimates),
        tuple(estimate.interval[0] for estimate in estimates),
        tuple(estimate.interval[1] for estimate in estimates),
    )


def _heading(column: str) -> str:
    return f"{column} (ours, for {STAND_INS[column][0]})" if column in STAND_INS else column
