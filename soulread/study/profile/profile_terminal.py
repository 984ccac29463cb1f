"""The profile of a player in the terminal."""

from rich.text import Text

from soulread.cards.ranges import class_name
from soulread.hands.claims import ClaimQuery
from soulread.report.grid import Grid, console, titled
from soulread.study.baseline.charts_terminal import print_charts
from soulread.study.hands.statistics_terminal import TOO_FEW
from soulread.study.profile.profile import Finding, ProfileStudy
from soulread.study.profile.profile_tables import (
    NO_COUNTER,
    SOURCES,
    compared_text,
    luck_text,
    ranges_lead,
    ranges_pattern,
    results_grid,
    results_pattern,
    share_text,
    span_text,
    statistics_grid,
    statistics_pattern,
    sure_lead,
)
from soulread.study.profile.ranges_by_line import LINES, LineRange


def print_profile(study: ProfileStudy) -> None:
    """Print a profile without its drawings."""
    console.print(study.player, style="bold")
    console.print(span_text(study), style="dim")
    console.print(compared_text(study), style="dim")
    console.print()
    console.print(study.style.sentence)
    if study.style.kind:
        console.print(f"{study.style.kind[:1].upper()}{study.style.kind[1:]}.", style="bold")
    _print_findings(study)
    _print_statistics(study)
    _print_results(study)
    _print_ranges(study)
    console.print()
    print_charts(study.charts, grids=False)
    console.print()
    console.print("counter-strategy", style="bold")
    if study.counter is None:
        console.print(study.counter_note or NO_COUNTER, style="dim")
    else:
        for text in study.counter.sentences:
            console.print(text)
        for query in study.counter_queries:
            _print_query(query)


def _print_findings(study: ProfileStudy) -> None:
    console.print()
    console.print("what is sure", style="bold")
    console.print(sure_lead(study), style="dim")
    for number, finding in enumerate(study.findings, 1):
        _print_finding(number, finding)
    if study.remarks:
        console.print()
        console.print("also unusual", style="bold")
        for remark in study.remarks:
            console.print(remark.sentence)
            _print_query(remark.query)


def _print_query(query: ClaimQuery) -> None:
    """Print the command that lists the hands behind a claim."""
    _print_command(query.command)


def _print_command(command: str) -> None:
    console.print(f"   hands: {command}", style="dim", soft_wrap=True)


def _print_finding(number: int, finding: Finding) -> None:
    console.print()
    console.print(Text(f"{number}. ", style="bold") + Text(finding.sentence))
    console.print(f"   {finding.use}", style="green")
    console.print(f"   {finding.cost}")
    found = finding.deviation
    hands = ", ".join(f"#{example.number}" for example in finding.examples)
    seen = f"   {found.standing.n:,.0f} chances, {found.per_100:.1f} in 100 hands"
    console.print(seen + (f"; see soulread replay --hand {hands}" if hands else ""), style="dim")
    for query in (finding.query, *finding.also):
        _print_query(query)


def _print_statistics(study: ProfileStudy) -> None:
    sure = {finding.deviation.standing.scope for finding in study.findings}
    told = statistics_grid(study)
    table = Grid(*told.columns, "")
    for row, found in zip(told.rows, study.standings, strict=True):
        table.add_row(*row, "sure" if found.scope in sure else "")
    console.print()
    console.print(titled("statistics, in the player's own seats", table))
    _print_command(statistics_pattern(study))


def _print_results(study: ProfileStudy) -> None:
    console.print()
    console.print(titled("results", results_grid(study)))
    _print_command(results_pattern(study))
    console.print(luck_text(study), style="dim")
    if study.luck.all_ins:
        _print_query(study.luck_queries[0])


def _print_ranges(study: ProfileStudy) -> None:
    table = Grid("line of play", "hands", "cards seen", "from", "words", "likeliest", words=(3, 4, 5))
    for line, (_, words) in zip(study.ranges, LINES, strict=True):
        likeliest = TOO_FEW if line.too_few else most_often(line)
        counts = f"{line.taken:,}", f"{line.known:,}"
        table.add_row(line.title, *counts, SOURCES[line.source], " ".join(words), likeliest)
    console.print()
    console.print(titled("ranges by line of play", table))
    _print_command(f"{ranges_pattern(study)}; with seen before WORDS those whose cards were seen")
    console.print(ranges_lead(study.ranges) + " The page (-o) has them as grids.", style="dim")


def most_often(line: LineRange, count: int = 8) -> str:
    """The classes of hands that are darkest in the grid of a line, with their share of the range."""
    shades, shares = line.shades, line.shares
    order = sorted(range(169), key=lambda cell: (-shades[cell], -shares[cell]))[:count]
    return ", ".join(f"{class_name(cell)} {share_text(shares[cell])}" for cell in order if shares[cell] > 0)
