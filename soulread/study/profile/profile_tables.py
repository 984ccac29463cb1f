"""The words and tables of a profile that the terminal and the page share."""

from collections.abc import Sequence

from soulread.report.grid import Grid
from soulread.study.hands.statistics_terminal import TOO_FEW
from soulread.study.profile.population import LEAST_REGULARS, TESTED, PoolStanding
from soulread.study.profile.profile import ProfileStudy
from soulread.study.profile.ranges_by_line import COUNTED, LINES, MODEL, SHOWN, LineRange
from soulread.words import percentile_text, plural

NO_COUNTER = (
    "Counter-strategies are computed for heads-up limit hold'em, of which this player has no hands here."
)


def span_text(study: ProfileStudy) -> str:
    """Hands, dates and games in one line."""
    parts = [plural(study.hands, "hand")]
    if study.first is not None and study.last is not None:
        parts.append(f"{study.first:%Y-%m-%d} to {study.last:%Y-%m-%d}")
    parts += study.games[:3]
    if len(study.games) > 3:
        parts.append(f"and {len(study.games) - 3} more games")
    return " · ".join(parts)


def compared_text(study: ProfileStudy) -> str:
    """The players whom the player is compared with."""
    others = plural(study.regulars, "regular player")
    text = f"Compared with {others}: everybody else with at least {study.regular_hands:,} hands."
    return f"{text} {study.kind.among(study.other_kinds)}".strip()


def sure_lead(study: ProfileStudy) -> str:
    """A sentence or two about the sure deviations."""
    if not study.comparable:
        return (
            f"Nothing: there are only {plural(study.regulars, 'regular player')} to compare with, and "
            f"{LEAST_REGULARS} are needed."
        )
    share = f"{study.level:.0%}"
    if not study.findings:
        return (
            f"Nothing yet. Of {study.tested} tests none is beyond chance: in each, the player may well be "
            "within the middle half of the regulars."
        )
    count = study.more_findings
    more = f" {count} more {'is' if count == 1 else 'are'} sure and not shown." if count else ""
    return (
        f"Outside of what the middle half of the regulars do, and not by chance: of such claims at most "
        f"{share} are expected to be false, with {study.tested} tests accounted for. The most unusual "
        f"first.{more}"
    )


SOURCES = {COUNTED: "counted", SHOWN: "hands shown", MODEL: "seen and model"}
"""Where a range comes from, in a word or two."""

_LEADS = {
    COUNTED: "Counted: the cards of all hands, or nearly all, are known; intervals are 95%.",
    MODEL: "Seen and model: hands that were seen count as they were, and a model of the player fills in the "
    "others.",
    SHOWN: "Hands shown: a biased sample, in which hands that were folded, and bets that nobody called, are "
    "missing.",
}


def ranges_lead(ranges: Sequence[LineRange]) -> str:
    """A sentence or two about the grids of ranges."""
    there = {line.source for line in ranges}
    told = " ".join(text for source, text in _LEADS.items() if source in there)
    return f"What the player held, by what the player did. {told} Darker means likelier, holding for holding."


def share_text(share: float) -> str:
    """A share of a range in percent, never 0% for what is there."""
    return f"{share:.0%}" if share >= 0.0995 else f"{share:.1%}" if share >= 0.0005 else "below 0.1%"


def statistics_pattern(study: ProfileStudy) -> str:
    """The command that lists the occasions of any line of the statistics."""
    return study.source.pattern("STATISTIC")


def results_pattern(study: ProfileStudy) -> str:
    """The command that lists the hands of any line of the results."""
    return study.source.pattern(None, "position:POSITION")


def ranges_pattern(study: ProfileStudy) -> str:
    """The command that lists the hands of any line of play; with "seen" those whose cards were seen."""
    recent = [
        word for line in study.ranges[:1] if line.query for word in line.query.words[len(LINES[0][1]) :]
    ]
    return study.source.pattern(None, "WORDS", *recent)


def luck_text(study: ProfileStudy) -> str:
    """Whether the luck of all-ins is taken out, and how much it was."""
    luck = study.luck
    if not luck.all_ins:
        return "There was no all-in before the river."
    seen = f"{luck.known:,} of {plural(luck.all_ins, 'all-in')} before the river"
    if luck.complete:
        won = f"{abs(luck.big_blinds):,.1f} big blinds {'more' if luck.big_blinds > 0 else 'less'}"
        return (
            f"In {seen} all cards are known. There the player won {won} than the cards were worth on average "
            "over all boards to come. That luck is taken out."
        )
    return (
        f"The luck of all-ins is not taken out: only in {seen} all cards are known. A loser need not show, "
        "so which of these hands could be valued depends on who won them, and that would distort the result."
    )


def statistics_grid(study: ProfileStudy) -> Grid:
    """Every statistic beside the regulars."""
    grid = Grid("statistic", "value", "95% interval", "n", "middle half of regulars", "percentile")
    for found in study.standings:
        grid.add_row(*_statistic_cells(found))
    return grid


def _statistic_cells(found: PoolStanding) -> tuple[str, ...]:
    name, count = TESTED[found.scope.statistic].name, f"{found.n:,.0f}"
    if found.rate is None:
        return name, "-", TOO_FEW, count, "-", "-"
    low, high = found.interval
    zone = "-" if found.spread is None else f"{found.zone[0]:.1%} to {found.zone[1]:.1%}"
    interval = TOO_FEW if found.too_few else f"{low:.1%} to {high:.1%}"
    place = percentile_text(None if found.too_few else found.percentile)
    return name, f"{found.rate:.1%}", interval, count, zone, place


def results_grid(study: ProfileStudy) -> Grid:
    """Results by position, and with the luck of all-ins taken out if that is known."""
    complete = study.luck.complete
    luck = ("luck taken out",) if complete else ()
    grid = Grid("position", "hands", "as won, bb/100", *luck, "95% interval")
    for result in study.results:
        won = result.adjusted if complete else result.won
        low, high = won.interval
        cells = [result.name, f"{result.hands:,}", f"{result.won.mean:+.1f}"]
        if complete:
            cells.append(f"{won.mean:+.1f}")
        grid.add_row(*cells, TOO_FEW if result.too_few else f"{low:+.1f} to {high:+.1f}")
    return grid
