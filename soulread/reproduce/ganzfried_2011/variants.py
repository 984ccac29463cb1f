"""What DBBR loses to an opponent who makes no mistakes, and which of its settings matter.

The paper notes that the equilibrium is the better choice against a strong opponent. It proposes to exploit
only while the win rate is above a threshold (sections 5.2 and 6), but gives no numbers. `safety` gives some.
`ablation` goes from the paper's settings to ours, one change at a time, on other matches than those the
settings were chosen with.
"""

from collections.abc import Sequence
from dataclasses import replace

from soulread.estimate import Estimate, Unit
from soulread.play.match.matches import MatchResult
from soulread.report.figures import BarPanel, Bars, Figure
from soulread.reproduce.ganzfried_2011.dbbr import (
    FIRST_MATCH,
    GAME,
    NAIVE,
    OURS,
    OURS_START,
    SHOWN,
    STAND_INS,
    TUNING,
    prepare,
)
from soulread.reproduce.kit.experiment import Options, published
from soulread.reproduce.kit.matches import luckless_tables, match_results, match_task, sample_text
from soulread.reproduce.kit.report import Claim, Measure, Report, Table
from soulread.reproduce.kit.verdict import above, below

PAPER = "T=1000,k=50,prior=5,method=shift"
MINE = f"T={OURS_START},{OURS}"


def safety(options: Options) -> Report:
    """DBBR against an equilibrium, with and without the threshold, in Leduc and in limit hold'em."""
    abstraction = "5-5-5-5:quick" if options.quick else "5-5-5-5"
    matches = options.matches or (10 if options.quick else 20)
    hands = options.hands or (300 if options.quick else 3000)
    paper, mine = (_fitted(settings, hands, options.quick) for settings in (PAPER, MINE))
    rows = {
        "equilibrium": None,
        "DBBR-WS": paper,
        "DBBR-WS, threshold 0": f"{paper},threshold=0",
        "DBBR, ours": mine,
        "DBBR, ours, threshold 0": f"{mine},threshold=0",
    }
    prepare(options, abstraction)
    pairings = {}
    for row, settings in rows.items():
        for game, spec, villain in (
            ("leduc", "", "equilibrium"),
            ("leduc", "", "always-raise"),
            (GAME, abstraction, f"equilibrium:{abstraction}"),
        ):
            hero = _hero(spec, settings)
            pairings[row, f"{game}: {villain.partition(':')[0]}"] = game, hero, villain
    results = list(
        options.run(
            match_task(game, (hero, villain), hands, options.seed, number, aivat=bool(options.aivat))
            for number in range(matches)
            for game, hero, villain in pairings.values()
        )
    )
    by_game = {
        game: match_results(result for result in results if result.task.parameters["game"] == game)
        for game in ("leduc", GAME)
    }
    found = {
        place: by_game[game][hero, villain]
        for place, (game, hero, villain) in pairings.items()
        if (hero, villain) in by_game[game]
    }
    measures = tuple(
        Measure(row, column, result.estimate(0, Unit.MILLIBETS)) for (row, column), result in found.items()
    )
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
        tables=(
            Table(
                "won per game", Unit.MILLIBETS.value, measures, sample=sample_text(found.values()), digits=1
            ),
            *luckless_tables(found, Unit.MILLIBETS, digits=1),
        ),
        claims=_safety_claims(found),
        seconds=sum(result.seconds for result in results),
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


def _safety_claims(found: dict[tuple[str, str], MatchResult]) -> tuple[Claim, ...]:
    claims = []
    for row in ("DBBR-WS", "DBBR, ours"):
        for column in ("leduc: equilibrium", f"{GAME}: equilibrium"):
            plain, guarded = found.get((row, column)), found.get((f"{row}, threshold 0", column))
            if plain is None or guarded is None:
                continue
            where = column.partition(":")[0]
            kept = guarded.estimate(0, Unit.MILLIBETS)
            claims.append(loses(row, where, plain.estimate(0, Unit.MILLIBETS)))
            claims.append(saves(row, where, kept, _difference(guarded, plain)))
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


def _difference(result: MatchResult, other: MatchResult) -> Estimate:
    """How much more the first agent of one result won than that of the other, with the same cards."""
    both = min(result.matches, other.matches)
    more = result.profits[:both] - other.profits[:both]
    learning = result.learning or other.learning
    return replace(result, matches=both, profits=more, learning=learning).estimate(0, Unit.MILLIBETS)


def ablation(options: Options) -> Report:
    """From the paper's settings to ours, one change at a time, over 5-5-5-5 buckets."""
    abstraction = "5-5-5-5:quick" if options.quick else "5-5-5-5"
    matches = options.matches or (10 if options.quick else 3)
    hands = options.hands or (150 if options.quick else 3000)
    rows = {
        name: _hero(abstraction, settings and _fitted(settings, hands, options.quick))
        for name, settings in STEPS.items()
    }
    columns = {
        **{name: name for name in NAIVE},
        **{name: f"skew:{abstraction}:{skew}" for name, (_, skew, _) in STAND_INS.items()},
    }
    prepare(options, abstraction)
    results = list(
        options.run(
            match_task(GAME, (hero, villain), hands, options.seed, number, aivat=bool(options.aivat))
            for number in range(FIRST_MATCH, FIRST_MATCH + matches)
            for hero in rows.values()
            for villain in columns.values()
        )
    )
    pairings = match_results(results)
    found = {
        (row, column): pairings[hero, villain]
        for row, hero in rows.items()
        for column, villain in columns.items()
        if (hero, villain) in pairings
    }
    measures = tuple(
        Measure(row, column, result.estimate(0, Unit.SMALL_BETS)) for (row, column), result in found.items()
    )
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
        tables=(
            Table(
                "win rate over whole matches", Unit.SMALL_BETS.value, measures, sample_text(found.values())
            ),
            *luckless_tables(found, Unit.SMALL_BETS),
        ),
        figures=(_steps_figure(tuple(rows), tuple(columns), found),),
        seconds=sum(result.seconds for result in results),
    )


STEPS = {
    "equilibrium": None,
    "paper: WS, T=1000": PAPER,
    "T=100": "T=100,k=50,prior=5,method=shift",
    "T=100, L1": "T=100,k=50,prior=5,method=l1",
    "T=100, pooled prior": "T=100,k=50,prior=5,method=shift,pool=1",
    "ours: T=100, L1, pooled prior": MINE,
    "ours, shown cards": f"T={OURS_START},{SHOWN}",
}


def _steps_figure(
    rows: Sequence[str], columns: tuple[str, ...], found: dict[tuple[str, str], MatchResult]
) -> Figure:
    def bars(row: str) -> Bars:
        cells = [
            found[row, column].estimate(0, Unit.SMALL_BETS) if (row, column) in found else None
            for column in columns
        ]
        missing = float("nan")
        return Bars(
            row,
            tuple(missing if cell is None else cell.mean for cell in cells),
            tuple(missing if cell is None else cell.half_width for cell in cells),
        )

    panel = BarPanel("one change at a time", "won, small bets per hand", columns, tuple(map(bars, rows)))
    return Figure("steps", "Win rates over whole matches with 95% intervals.", (panel,))
