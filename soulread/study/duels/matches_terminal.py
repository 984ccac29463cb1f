"""Results of matches. Every mean carries its unit, its 95% interval and its n."""

from soulread.estimate import Unit
from soulread.play.match.matches import MatchResult
from soulread.report.grid import Grid, console, titled
from soulread.words import milliseconds, plural

_ONE = "One sample says nothing about its own spread; play more for an interval."


def print_match(result: MatchResult) -> None:
    """Print each agent's winnings in the three units, with 95% intervals."""
    kind = "duplicate " if result.duplicate else ""
    what = plural(result.matches, f"{kind}match", f"{kind}matches") + " of " + plural(result.hands, "hand")
    units = Unit.SMALL_BETS, Unit.MILLIBETS, Unit.BIG_BLINDS_PER_100
    table = Grid("agent", *(unit.value for unit in units))
    for i, agent in enumerate(result.agents):
        cells = [result.estimate(i, unit).text(digits) for unit, digits in zip(units, (4, 1, 1), strict=True)]
        table.add_row(agent, *cells)
    if result.less_luck is not None:
        found = [result.estimate_less_luck(unit) for unit in units]
        cells = [won.text(digits) for won, digits in zip(found, (4, 1, 1), strict=True) if won is not None]
        table.add_row(f"{result.agents[0]}, luck taken off (AIVAT)", *cells)
    console.print(titled(f"{result.game}: {what}, seed {result.seed}", table))
    known = result.estimate(0, Unit.CHIPS).n > 1
    console.print(f"± is half the 95% interval, over n = {result.sample}." if known else _ONE, style="dim")
    watched = result.watched(Unit.SMALL_BETS)
    if watched is not None and result.watch is not None:
        state = "decided" if result.watch.decided else "not decided"
        console.print(
            f"{state} after {plural(result.matches, 'match', 'matches')}: {result.agents[0]} wins between "
            f"{watched[0]:+.4f} and {watched[1]:+.4f} sb/h; the interval holds although one looked after "
            "every match."
        )
    if result.times:
        console.print(_times(result))
    for sentence in result.remarks_on_time:
        console.print(f"{sentence}.")
    for agent, remark in zip(result.agents, result.remarks, strict=False):
        if remark:
            console.print(f"{agent} at the end: {remark}.")


def _times(result: MatchResult) -> Grid:
    """How long the agents took for decisions, and to learn."""
    table = Grid("agent", "took, in ms", "number", "median", "p99", "longest", left=[1])
    for agent, times in zip(result.agents, result.times, strict=True):
        for what, taken in (("decisions", times.decisions), ("learning", times.learning)):
            if taken.number:
                figures = (taken.median, taken.p99, taken.longest)
                table.add_row(agent, what, f"{taken.number:,}", *map(milliseconds, figures))
    return table
