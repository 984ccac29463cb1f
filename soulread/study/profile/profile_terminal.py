"""The profile of a player in the terminal."""

from rich.text import Text

from soulread.cards.ranges import class_name
from soulread.report.grid import Grid, console, titled
from soulread.study.hands.statistics_terminal import TOO_FEW
from soulread.study.profile.population import TESTED, Standing
from soulread.study.profile.profile import Finding, ProfileStudy
from soulread.study.profile.profile_page import NO_COUNTER, luck_text, ranges_lead, span_text, sure_lead
from soulread.study.profile.ranges_by_line import LineRange
from soulread.words import percentile_text, plural


def print_profile(study: ProfileStudy) -> None:
    """Everything of a profile but the drawings."""
    console.print(study.player, style="bold")
    console.print(span_text(study), style="dim")
    compared = (
        f"compared with {plural(study.regulars, 'regular player')} of {study.regular_hands:,} hands or more"
    )
    console.print(compared, style="dim")
    console.print()
    console.print(study.style.sentence)
    if study.style.kind:
        console.print(f"{study.style.kind[:1].upper()}{study.style.kind[1:]}.", style="bold")
    _print_findings(study)
    _print_statistics(study)
    _print_results(study)
    _print_ranges(study)
    if study.rules:
        table = Grid("rule", "times", "most would", words=(0,))
        for rule in study.rules:
            table.add_row(rule.text, f"{rule.n:,.0f}", f"{rule.expected:,.0f}")
        console.print(titled("rules of play", table))
    console.print()
    console.print("counter-strategy", style="bold")
    if study.counter is None:
        console.print(study.counter_note or NO_COUNTER, style="dim")
    else:
        for text in study.counter.sentences:
            console.print(text)


def _print_findings(study: ProfileStudy) -> None:
    console.print()
    console.print("what is sure", style="bold")
    console.print(sure_lead(study), style="dim")
    for number, finding in enumerate(study.findings, 1):
        _print_finding(number, finding)


def _print_finding(number: int, finding: Finding) -> None:
    console.print()
    console.print(Text(f"{number}. ", style="bold") + Text(finding.sentence))
    console.print(f"   {finding.use}", style="green")
    console.print(f"   {finding.cost}")
    found = finding.deviation
    hands = ", ".join(f"#{example.number}" for example in finding.examples)
    seen = f"   {found.standing.n:,.0f} chances, {found.per_100:.1f} in 100 hands"
    console.print(seen + (f"; see soulread replay --hand {hands}" if hands else ""), style="dim")


def _print_statistics(study: ProfileStudy) -> None:
    sure = {finding.deviation.standing.scope for finding in study.findings}
    table = Grid("statistic", "value", "95% interval", "n", "middle half of regulars", "percentile", "")
    for found in study.standings:
        table.add_row(*_cells(found), "sure" if found.scope in sure else "")
    console.print()
    console.print(titled("statistics, in the player's own seats", table))


def _cells(found: Standing) -> tuple[str, ...]:
    name, count = TESTED[found.scope.statistic].name, f"{found.n:,.0f}"
    if found.rate is None:
        return name, "-", TOO_FEW, count, "-", "-"
    low, high = found.interval
    zone = "-" if found.spread is None else f"{found.zone[0]:.1%} to {found.zone[1]:.1%}"
    interval = TOO_FEW if found.too_few else f"{low:.1%} to {high:.1%}"
    standing = "-" if found.percentile is None or found.too_few else percentile_text(found.percentile)
    return name, f"{found.rate:.1%}", interval, count, zone, standing


def _print_results(study: ProfileStudy) -> None:
    complete = study.luck.complete
    columns = (
        "position",
        "hands",
        "as won, bb/100",
        *(("luck taken out",) if complete else ()),
        "95% interval",
    )
    table = Grid(*columns)
    for result in study.results:
        won = result.adjusted if complete else result.won
        low, high = won.interval
        cells = [result.name, f"{result.hands:,}", f"{result.won.mean:+.1f}"]
        if complete:
            cells.append(f"{won.mean:+.1f}")
        cells.append(TOO_FEW if result.too_few else f"{low:+.1f} to {high:+.1f}")
        table.add_row(*cells)
    console.print()
    console.print(titled("results", table))
    console.print(luck_text(study), style="dim")


def _print_ranges(study: ProfileStudy) -> None:
    table = Grid("line of play", "hands", "n", "likeliest", words=(3,))
    for line in study.ranges:
        taken = "-" if line.taken is None else f"{line.taken:,}"
        table.add_row(line.title, taken, f"{line.n:,}", TOO_FEW if line.too_few else most_often(line))
    console.print()
    console.print(titled("ranges by line of play", table))
    console.print(ranges_lead(study.ranges) + " The page (-o) has them as grids.", style="dim")


def most_often(line: LineRange, count: int = 8) -> str:
    """The classes of hands that are darkest in the grid of a line, with their share of the range."""
    shades = line.shades
    order = sorted(range(169), key=lambda cell: -shades[cell])[:count]
    total = sum(line.cells) or 1.0
    return ", ".join(
        f"{class_name(cell)} {line.cells[cell] / total:.0%}" for cell in order if line.cells[cell]
    )
