"""The losses of DBBR to an opponent who makes no mistakes, and the effect of each of its settings.

The paper notes that the equilibrium is the better choice against a strong opponent. It proposes to exploit
only while the win rate is above a threshold (sections 5.2 and 6), but gives no numbers. `safety` gives some.
`ablation` goes from the paper's settings to ours, one change at a time, on other matches than those the
settings were chosen with.
"""

from soulread.estimate import Estimate, Unit
from soulread.report.figures import BarPanel, Figure
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.figures import bars_of
from soulread.reproduce.kit.limit_table import (
    FIRST_MATCH,
    GAME,
    OURS,
    OURS_START,
    SHOWN,
    TUNING,
    opponents_over,
    prepare,
)
from soulread.reproduce.kit.matches import MatchGrid, match_cells, match_task
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.verdict import above, below
from soulread.tasks import Task

PAPER = "T=1000,k=50,prior=5,method=shift"
MINE = f"T={OURS_START},{OURS}"
STEPS = {
    "equilibrium": None,
    "paper: WS, T=1000": PAPER,
    "T=100": "T=100,k=50,prior=5,method=shift",
    "T=100, L1": "T=100,k=50,prior=5,method=l1",
    "T=100, pooled prior": "T=100,k=50,prior=5,method=shift,pool=1",
    "ours: T=100, L1, pooled prior": MINE,
    "ours, shown cards": f"T={OURS_START},{SHOWN}",
}


def _played(options: RunOptions, cells: dict[tuple[str, str], list[Task]], unit: Unit) -> MatchGrid:
    found = MatchGrid(cells, unit=unit)
    found.run(options)
    return found


def _tables(found: MatchGrid, title: str, digits: int = 3) -> tuple[ResultTable, ...]:
    """The win rates of all pairings that were played, and the same with luck taken off."""
    rows = {row for row, _ in found.cells}
    measures = [Measure(*place, found.won(*place)) for place in found.played]
    whole = ResultTable(title, found.unit.value, measures, found.sample(rows), digits=digits)
    return whole, *found.luckless(rows, digits)


def safety(options: RunOptions) -> Report:
    """DBBR against an equilibrium, with and without the threshold, in Leduc and in limit hold'em."""
    sizes = options.sizes(abstraction=("5-5-5-5:quick", "5-5-5-5"), matches=(10, 20), hands=(300, 3000))
    abstraction, matches, hands = sizes["abstraction"], sizes["matches"], sizes["hands"]
    paper, mine = (_fitted(settings, hands, options.quick) for settings in (PAPER, MINE))
    rows = {
        "equilibrium": None,
        "DBBR-WS": paper,
        "DBBR-WS, threshold 0": f"{paper},threshold=0",
        "DBBR, ours": mine,
        "DBBR, ours, threshold 0": f"{mine},threshold=0",
    }
    columns = (
        ("leduc", "", "equilibrium"),
        ("leduc", "", "always-raise"),
        (GAME, abstraction, f"equilibrium:{abstraction}"),
    )
    prepare(options, abstraction)
    cells = {
        (row, f"{game}: {villain.partition(':')[0]}"): [
            match_task(
                game, (_hero(spec, settings), villain), hands, options.seed, number, aivat=bool(options.aivat)
            )
            for number in range(matches)
        ]
        for row, settings in rows.items()
        for game, spec, villain in columns
    }
    found = _played(options, cells, Unit.MILLIBETS)
    return Report(
        name="dbbr-safety",
        title="what DBBR loses to an equilibrium, and what the threshold saves",
        source=f"{published('ganzfried2011')['source']}, sections 5.2 and 6 (no numbers there)",
        settings={
            "abstraction": abstraction,
            "duplicate matches": matches,
            "hands": hands,
            "DBBR-WS": paper,
            "ours": mine,
            "seed": options.seed,
            "tuned with": TUNING,
        },
        tables=_tables(found, "won per game", digits=1),
        claims=_safety_claims(found),
        seconds=found.seconds,
        notes=("Against itself an equilibrium wins nothing in a duplicate match, on average.",),
    )


def _fitted(settings: str, hands: int, quick: bool) -> str:
    """Settings for a match of ``hands`` hands: T is at most a third of it; quick: fewer updates."""
    options = dict(part.split("=") for part in settings.split(","))
    options["T"] = str(min(int(options["T"]), hands // 3))
    if quick:
        options["k"] = "100"
    return ",".join(f"{name}={value}" for name, value in options.items())


def _hero(spec: str, settings: str | None) -> str:
    """The text of an agent with these settings; an equilibrium if there are none."""
    name = "equilibrium" if settings is None else "dbbr"
    options = [part for part in (spec, settings) if part]
    return f"{name}:{','.join(options)}" if options else name


def _safety_claims(found: MatchGrid) -> tuple[Claim, ...]:
    claims = []
    for row in ("DBBR-WS", "DBBR, ours"):
        for game in ("leduc", GAME):
            column, guarded = f"{game}: equilibrium", f"{row}, threshold 0"
            plain, kept = found.won(row, column), found.won(guarded, column)
            more = found.difference(guarded, row, column)
            if plain is not None and kept is not None and more is not None:
                claims += [loses(row, game, plain), saves(row, game, kept, more)]
    return tuple(claims)


def loses(row: str, game: str, won: Estimate) -> Claim:
    """Claim that DBBR without a threshold loses to an equilibrium; ``won`` is in mb/g."""
    return Claim.judged(f"{row} loses to an equilibrium ({game})", below(won), f"{won.text(1)} mb/g")


def saves(row: str, game: str, won: Estimate, difference: Estimate) -> Claim:
    """Claim that with a threshold DBBR wins more than without, by the difference in mb/g."""
    return Claim.judged(
        f"With the threshold {row} loses less ({game})",
        above(difference),
        f"{won.text(1)} mb/g, {difference.text(1)} more",
    )


def ablation(options: RunOptions) -> Report:
    """From the paper's settings to ours, one change at a time, over 5-5-5-5 buckets."""
    sizes = options.sizes(abstraction=("5-5-5-5:quick", "5-5-5-5"), matches=(10, 3), hands=(150, 3000))
    abstraction, matches, hands = sizes["abstraction"], sizes["matches"], sizes["hands"]
    rows = {
        name: _hero(abstraction, settings and _fitted(settings, hands, options.quick))
        for name, settings in STEPS.items()
    }
    columns = opponents_over(abstraction)
    prepare(options, abstraction)
    numbers = range(FIRST_MATCH, FIRST_MATCH + matches)
    cells = match_cells(GAME, rows, columns, hands, options.seed, numbers, aivat=bool(options.aivat))
    found = _played(options, cells, Unit.SMALL_BETS)
    bars = tuple(bars_of(row, [found.won(row, column) for column in columns]) for row in rows)
    panel = BarPanel("one change at a time", "won, small bets per hand", tuple(columns), bars)
    return Report(
        name="dbbr-ablation",
        title="from the paper's settings of DBBR to ours, one change at a time",
        source=f"{published('ganzfried2011')['source']}, section 4.5 (the settings)",
        settings={
            "abstraction": abstraction,
            "duplicate matches": matches,
            "hands": hands,
            "seed": options.seed,
            "tuned with": TUNING,
            **rows,
        },
        tables=_tables(found, "win rate over whole matches"),
        figures=(Figure("steps", "Win rates over whole matches with 95% intervals.", (panel,)),),
        seconds=found.seconds,
    )
