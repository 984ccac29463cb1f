"""Heroes, aliases, results and sessions in the terminal."""

from collections.abc import Sequence
from datetime import datetime

from rich.text import Text

from soulread.hands.statistics import Value
from soulread.report.grid import Grid, console, titled
from soulread.study.hands.luck import AllInLuck
from soulread.study.hands.statistics_terminal import TOO_FEW, number_text
from soulread.study.players.aliases import AliasStudy
from soulread.study.players.beside import BesideStudy
from soulread.study.players.hero import HeroStudy
from soulread.study.players.opponents import OpponentsStudy
from soulread.study.players.own_leaks import OwnLeak, OwnLeaks
from soulread.study.players.played import Takings
from soulread.study.players.remarks import PlayerRemarks, RemarksStudy
from soulread.study.players.report_pages import opponent_cells, opponent_columns, report_lead
from soulread.study.players.results import ResultsStudy
from soulread.study.players.sessions import SessionsStudy
from soulread.study.profile.population import LEAST_REGULARS
from soulread.words import percent, plural

MOST_HEROES = 20


def print_heroes(study: HeroStudy) -> None:
    """Print who the hero is, or the heroes."""
    console.print(study.words)
    if len(study.heroes) > 1:
        table = Grid("player", "room", "hands", "dealt", "share", left=(1,))
        for hero in study.heroes[:MOST_HEROES]:
            name = f"{hero.name} (chosen)" if hero.chosen else hero.name
            table.add_row(name, hero.room or "-", f"{hero.hands:,}", f"{hero.dealt:,}", f"{hero.share:.0%}")
        console.print(titled(f"{min(MOST_HEROES, len(study.heroes))} of {len(study.heroes):,} heroes", table))
        console.print(
            "dealt: hands in which the cards are known from the deal. soulread player hero NAME says who "
            "you are; soulread player alias NAME OTHER joins names of one person.",
            style="dim",
        )


def print_aliases(study: AliasStudy) -> None:
    """Print the persons of several names."""
    if not study.persons:
        console.print(f"There are no aliases in {study.store!r}.")
        return
    table = Grid("person", "hands", "names", words=(2,))
    for person in study.persons:
        table.add_row(person.name, f"{person.hands:,}", "; ".join(map(str, person.names)))
    console.print(table)


def print_remarks(study: RemarksStudy) -> None:
    """Print notes and labels."""
    if not any(one.words for one in study.players):
        whom = f"on {study.players[0].name} " if study.players else ""
        console.print(f"There are no notes or labels {whom}in {study.store!r}.")
        return
    table = Grid("player", "room", "labels", "note", left=(1, 2), words=(3,))
    for one in study.players:
        table.add_row(one.name, one.room or "-", ", ".join(one.labels) or "-", one.note or "-")
    console.print(table)


def print_remarks_line(remarks: PlayerRemarks) -> None:
    """Print the labels and the note of one player in a line, if there are any."""
    if remarks.words:
        console.print(Text(f"{remarks.name}: {remarks.words}", style="italic"))


def print_beside(study: BesideStudy) -> None:
    """Print two players side by side."""
    title = f"{study.kind.name}, {study.hands[0]:,} and {study.hands[1]:,} hands"
    console.print(titled(f"{study.first} beside {study.second}: {title}", beside_grid(study)))
    console.print(study.lead)
    console.print("Behind each value its chances; the interval is that of the difference.", style="dim")


def beside_grid(study: BesideStudy) -> Grid:
    """A row for each statistic of two players."""
    table = Grid("statistic", study.first, study.second, "difference", "95% interval", "")
    for one in study.differences:
        cells = [
            "-"
            if value.value is None or value.too_few
            else f"{number_text(value, value.value)} ({value.n:,})"
            for value in (one.first, one.second)
        ]
        if one.too_few or one.difference is None:
            apart = "-", TOO_FEW
        else:
            low, high = one.interval
            ends = (signed_text(one.first, end) for end in (low, high))
            apart = signed_text(one.first, one.difference), " to ".join(ends)
        table.add_row(one.first.statistic.name, *cells, *apart, "sure" if one.sure else "")
    return table


def signed_text(value: Value, amount: float) -> str:
    """A difference in the unit of its statistic, with its sign."""
    return number_text(value, amount) if amount < 0 else f"+{number_text(value, amount).removeprefix('+')}"


def takings_cells(takings: Takings, luck: AllInLuck) -> list[str]:
    """Big blinds, money, the rate with its interval and, if that is known, the result without luck."""
    cells = [f"{takings.won:+,.1f}", ", ".join(map(str, takings.money)) or "-"]
    if luck.complete:
        cells.append("-" if takings.adjusted is None else f"{takings.adjusted:+,.1f}")
    low, high = takings.rate.interval
    rate = (f"{takings.rate.mean:+.1f}", f"{low:+.1f} to {high:+.1f}")
    return [*cells, *(("-", TOO_FEW) if takings.too_few else rate)]


def takings_columns(luck: AllInLuck) -> list[str]:
    """The columns of `takings_cells`."""
    return ["won, bb", "money", *(["luck taken out, bb"] if luck.complete else []), "bb/100", "95% interval"]


def luck_words(luck: AllInLuck) -> str:
    """Whether luck was taken out, and how much there was."""
    if not luck.all_ins:
        return "There was no all-in before the river, so there is no luck to take out."
    seen = f"{luck.known:,} of {plural(luck.all_ins, 'all-in')} before the river"
    if luck.complete:
        return (
            f"All cards are known in {seen}; there the mean over all boards to come replaces the result, "
            f"{luck.big_blinds:+.1f} bb of luck in all. bb/100 is without this luck."
        )
    return f"Luck is not taken out: only in {seen} all cards are known, and a loser need not show."


def results_grid(study: ResultsStudy) -> Grid:
    """The results of all hands and of each group."""
    name = "" if study.by is None else str(study.by)
    table = Grid(name, "hands", *takings_columns(study.luck), "at showdown", "without")
    for group in study.groups:
        taken = group.takings
        split = f"{taken.showdown:+,.1f}", f"{taken.no_showdown:+,.1f}"
        table.add_row(group.name, f"{taken.hands:,}", *takings_cells(taken, study.luck), *split)
    return table


def print_results(study: ResultsStudy) -> None:
    """Print the results of a player without the drawing."""
    title = f"{study.player}, {study.kind.name}{span_words(study.first, study.last)}"
    console.print(titled(title, results_grid(study)))
    for text in (luck_words(study.luck), study.band_text, study.kind.among(study.other_kinds)):
        if text:
            console.print(text, style="dim")


def print_sessions(study: SessionsStudy) -> None:
    """Print the sessions of a player."""
    columns = "begin", "length", "tables", "hands", "hands/hour", "big blinds"
    table = Grid(*columns, *takings_columns(study.luck), left=(5,))
    for one in study.sessions:
        minutes = round(one.hours * 60)
        speed = "-" if one.hands_per_hour is None else f"{one.hands_per_hour:,.0f}"
        played = f"{minutes // 60}:{minutes % 60:02}", f"{one.tables}", f"{one.takings.hands:,}", speed
        cells = takings_cells(one.takings, study.luck)
        table.add_row(f"{one.begin:%Y-%m-%d %H:%M}", *played, stakes_words(one.stakes), *cells)
    shown = f"{len(study.sessions):,} of {plural(study.count, 'session')}"
    console.print(titled(f"{study.player}, {study.kind.name}: {shown}, {study.hours:,.1f} hours", table))
    told = [
        f"A pause of {study.pause:g} minutes ends a session. Length is h:mm from the first hand to the last, "
        "tables at once counted once; times are those of the files."
    ]
    if study.untimed:
        told.append(f"{plural(study.untimed, 'hand')} without a time belong to no session.")
    for text in (*told, luck_words(study.luck), study.kind.among(study.other_kinds)):
        if text:
            console.print(text, style="dim")


def stakes_words(stakes: Sequence[str]) -> str:
    """Big blinds in a cell; of many the lowest and the highest."""
    return ", ".join(stakes) if len(stakes) < 3 else f"{stakes[0]} to {stakes[-1]}"


def print_own_leaks(study: OwnLeaks) -> None:
    """Print the leaks of a player, and where money is lost."""
    console.print(f"{study.player}: leaks", style="bold")
    console.print(f"{plural(study.hands, 'hand')}{span_words(study.first, study.last)}", style="dim")
    console.print(leaks_lead(study), style="dim")
    for number, leak in enumerate(study.leaks, 1):
        _print_leak(f"{number}. ", leak)
        console.print(f"   {leak.advice} Opponents who notice: {leak.finding.use}", style="green")
    if study.paying:
        console.print()
        console.print("different, and it seems to pay", style="bold")
        for leak in study.paying:
            _print_leak("- ", leak)
    if study.places:
        console.print()
        console.print(titled("results by position and pot", places_grid(study)))
        console.print(
            "less: surely less than regulars win there, all places tested together. No luck is taken out.",
            style="dim",
        )
    for place in study.places:
        if place.losing:
            console.print(f"{place.name}: {place.query.command}", style="dim")
    others = study.kind.among(study.other_kinds)
    if others:
        console.print(others, style="dim")


def leaks_lead(study: OwnLeaks) -> str:
    """A sentence or two about the leaks."""
    if not study.comparable:
        return (
            f"Nothing is called a leak: there are only {plural(study.regulars, 'regular player')} to compare "
            f"with, and {LEAST_REGULARS} are needed."
        )
    if not study.leaks:
        return f"Nothing is surely different from {plural(study.regulars, 'regular player')} and costs."
    return (
        f"Sure deviations from {plural(study.regulars, 'regular player')}, the dearest first. The cost is "
        "what regulars who play like this lose in the spot: an association, not an experiment."
    )


def _print_leak(mark: str, leak: OwnLeak) -> None:
    found = leak.finding.deviation.standing
    low, high = found.interval
    console.print()
    title = f"{leak.finding.title}: {percent(found.rate or 0.0)}"
    numbers = f" ({percent(low)} to {percent(high)}, n = {found.n:,.0f})"
    console.print(Text(f"{mark}{title}", style="bold") + Text(numbers))
    console.print(f"   {leak.finding.cost}")
    console.print(f"   {leak.finding.query.command}", style="dim")


def places_grid(study: OwnLeaks) -> Grid:
    """The results by position and kind of pot."""
    table = Grid("where", "hands", "bb/100", "95% interval", "regulars", "")
    for place in study.places:
        low, high = place.won.interval
        mean = "-" if place.others is None else f"{place.others:+.1f}"
        cells = ("-", TOO_FEW) if place.too_few else (f"{place.won.mean:+.1f}", f"{low:+.1f} to {high:+.1f}")
        table.add_row(place.name, f"{place.hands:,}", *cells, mean, "less" if place.losing else "")
    return table


def print_opponents(study: OpponentsStudy) -> None:
    """Print a line for each opponent."""
    columns = opponent_columns(study)
    table = Grid("opponent", *columns, words=(len(columns) - 1, len(columns)))
    for one in study.opponents:
        table.add_row(one.name, *opponent_cells(one))
    console.print(titled(f"{plural(study.number, 'opponent')}, {study.kind.name}", table))
    for text in (report_lead(study), study.kind.among(study.other_kinds)):
        if text:
            console.print(text, style="dim")


def span_words(first: datetime | None, last: datetime | None) -> str:
    """Days, after a comma; empty if no hand has a time."""
    return "" if first is None or last is None else f", {first:%Y-%m-%d} to {last:%Y-%m-%d}"
