"""The settings of DBBR (Ganzfried & Sandholm, AAMAS 2011, section 5.2): N_prior, k, and two guesses.

The paper asks that other values be studied. `settings` plays weight shifting with one of them changed at a
time. It also tests two guesses about the published rates against random and always-call. Either
its public histories may have been coarser: with the pooled prior (``pool=1``) histories of a kind share what
was seen. Or a pass of a match may have had fixed seats: a thousand hands would then be of one seat, which for
DBBR is a match of twice as many hands with twice the T and k, in which seats change.
"""

from soulread.estimate import Estimate
from soulread.reproduce.ganzfried_2011.valued import ValuedMatches, valued_cells
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.limit_table import (
    BETS,
    FIRST_MATCH,
    SMALLER,
    TUNING,
    prepare,
    printed,
)
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.verdict import above, agrees, all_of, any_of, below

PAPER, SEATS = "paper: N_prior=5, k=50", "seats kept through a pass"
PRIORS = {f"N_prior={prior}": f"prior={prior}" for prior in (1, 2, 10, 20)}
UPDATES = {f"k={k}": f"k={k}" for k in (25, 200, 1000)}
POOLED = {"DBBR-WS": "pool=1", "DBBR-L1": "pool=1, L1", "DBBR-L2": "pool=1, L2"}
"""By the published row, ours with the pooled prior."""
COLUMNS = "random", "always-call", "always-raise"
LARGE = 0.1  # "a large effect": of the win rate with the paper's settings
NEAR = 0.05  # of a published rate that comes out


def settings(options: RunOptions) -> Report:
    """What N_prior and k do, and whether the pooled prior or fixed seats explain the published rates."""
    sizes = options.sizes(abstraction=("5-5-5-5:quick", "8-12-4-4"), matches=(3, 10), hands=(300, 3000))
    abstraction, matches, hands = sizes["abstraction"], sizes["matches"], sizes["hands"]
    start = min(1000, hands // 3)
    rows = {
        PAPER: f"dbbr:{abstraction},T={start},k=50,prior=5",
        **{row: f"dbbr:{abstraction},T={start},k=50,{prior}" for row, prior in PRIORS.items()},
        **{row: f"dbbr:{abstraction},T={start},{k},prior=5" for row, k in UPDATES.items()},
        **{
            row: f"dbbr:{abstraction},T={start},k=50,prior=5,method={method},pool=1"
            for row, method in zip(POOLED.values(), ("shift", "l1", "l2"), strict=True)
        },
    }
    seats = {SEATS: f"dbbr:{abstraction},T={2 * start},k=100,prior=5"}
    columns = {name: name for name in COLUMNS}
    numbers = range(FIRST_MATCH, FIRST_MATCH + matches)
    prepare(options, abstraction)
    found = ValuedMatches(
        {
            **valued_cells(rows, columns, abstraction, hands, options.seed, numbers),
            **valued_cells(seats, columns, abstraction, 2 * hands, options.seed, numbers),
        }
    )
    found.run(options)
    comparable = (abstraction, hands) == ("8-12-4-4", 3000)
    return Report(
        name="dbbr-settings",
        title="N_prior and k of DBBR, the pooled prior and fixed seats",
        source=f"{published('ganzfried2011')['source']}, section 5.2 (no numbers there) and Table 1",
        settings={
            "abstraction": abstraction,
            "matches": matches,
            "hands": hands,
            "seed": options.seed,
            "tuned with": TUNING,
            **rows,
            **seats,
        },
        tables=(_rates(found, comparable), _changes(found)),
        claims=(*_effects(found), *(_guesses(found) if comparable else ())),
        seconds=found.seconds,
        notes=("Matches are valued by what both strategies win from each other, on 8 boards at a time.",),
    )


def _published_row(row: str) -> str:
    """The row of Table 1 that a row of ours is put beside."""
    return next((name for name, ours in POOLED.items() if ours == row), "DBBR-WS")


def _rates(found: ValuedMatches, comparable: bool) -> ResultTable:
    measures = [
        Measure(row, column, found.won(row, column), *(printed(_published_row(row), column) or ()))
        for row, column in found.cells
    ]
    note = "In brackets: DBBR-WS of Table 1, beside L1 and L2 their rows."
    note = note if comparable else SMALLER
    return ResultTable.counted("worth over whole matches", BETS, measures, "matches", note)


def _changes(found: ValuedMatches) -> ResultTable:
    measures = [
        Measure(row, column, found.difference(row, PAPER, column))
        for row, column in found.cells
        if row != PAPER
    ]
    return ResultTable.counted("more than with the paper's settings", BETS, measures, "matches")


def _effects(found: ValuedMatches) -> list[Claim]:
    return [
        large_effect(
            name,
            {column: found.won(PAPER, column) for column in COLUMNS},
            {(row, column): found.difference(row, PAPER, column) for row in rows for column in COLUMNS},
        )
        for name, rows in (("N_prior", PRIORS), ("k", UPDATES))
    ]


def large_effect(
    name: str, base: dict[str, Estimate | None], changes: dict[tuple[str, str], Estimate | None]
) -> Claim:
    """Claim that another value changes the win rate by a tenth against some opponent.

    ``base`` has the win rates with the paper's settings, ``changes`` the differences from them.
    """
    shares = {
        place: change.scaled(1 / abs(rate.mean))
        for place, change in changes.items()
        if change is not None and (rate := base[place[1]]) is not None and rate.mean
    }
    largest = max(shares, key=lambda place: abs(shares[place].mean), default=None)
    evidence = "not played"
    if largest is not None:
        row, column = largest
        evidence = f"largest: {row} against {column}, {shares[largest].scaled(100).text(1)}% of the rate"
    return Claim.judged(
        f"Another {name} has a large effect: {LARGE:.0%} of the win rate against one opponent at least",
        any_of(
            condition
            for share in shares.values()
            for condition in (above(share, LARGE), below(share, -LARGE))
        ),
        evidence,
    )


def _guesses(found: ValuedMatches) -> list[Claim]:
    guesses = [("With the pooled prior", row, ours) for row, ours in POOLED.items()]
    return [
        comes_out(
            f"{why}, the published rates of {row} against random and always-call come out",
            {
                column: (found.won(ours, column), paper)
                for column in ("random", "always-call")
                if (paper := printed(row, column)) is not None
            },
        )
        for why, row, ours in (*guesses, ("With seats kept through a pass", "DBBR-WS", SEATS))
    ]


def comes_out(text: str, rates: dict[str, tuple[Estimate | None, tuple[float, float]]]) -> Claim:
    """Claim that rates agree with the published ones, which have a standard error, within 5% of them."""
    return Claim.judged(
        text,
        all_of(
            agrees(None if ours is None else ours.minus(Estimate(*paper, ours.n)), NEAR * paper[0])
            for ours, paper in rates.values()
        ),
        ", ".join(
            f"{column} {worded(ours, unit=BETS)} ({paper[0]:.3f})" for column, (ours, paper) in rates.items()
        ),
        "So this alone is not what the published program did.",
    )
