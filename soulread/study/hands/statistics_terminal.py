"""Tables of players, of their statistics, and of an import."""

from collections.abc import Sequence
from math import isfinite

from soulread.hands.statistics import StatisticKind, Value
from soulread.report.grid import Grid, console, titled
from soulread.study.hands.importing import ImportStudy
from soulread.study.hands.splits import By
from soulread.study.hands.statistics import (
    HandGroup,
    KindStatistics,
    PlayersStudy,
    PlayerStatistic,
    PlayerStudy,
    TableStudy,
)
from soulread.study.profile.population import SHARES
from soulread.words import percentile_text, plural

TOO_FEW = "too few hands"
_NOTHING = ("", "-")  # cells that tell nothing
_MOST_GROUPS = 40  # in a table
_MOST_MET = 15  # opponents in a table
_MOST_COLUMNS = 8  # groups beside each other
_LONGEST_COLUMN = 18  # characters of a group's name
_IN_TABLE = ("VPIP", "PFR", "3-bet", "fold to 3-bet", "c-bet flop", "fold to c-bet flop", "aggression factor")
_IN_TABLE_LATER = ("WTSD", "W$SD", "bb/100")


def print_import(study: ImportStudy) -> None:
    """Print the hands that were left out by reason, and the sum."""
    for title, counted in (("left out because", study.bad), ("other games", study.other_games)):
        if counted:
            table = Grid(title, "hands", "for example", words=(2,))
            for reason, count in counted.most_common():
                table.add_row(reason, f"{count:,}", str(study.examples[reason][0]))
            console.print(table)
    console.print(study.conclusion)


def print_player(study: PlayerStudy, top: int | None = None) -> None:
    """Print the statistics of a player in each kind of game, over all hands and by groups.

    Of the groups the first ``top`` are printed; of opponents those are the ones met most.
    """
    if len(study.kinds) > 1:
        _print_kinds(study)
    for one in study.kinds:
        _print_kind(study, one, top)


def _print_kinds(study: PlayerStudy) -> None:
    """Print hands and bb/100 of each kind of game, and how to see one alone."""
    table = Grid("kind of game", "hands", "bb/100", "95% interval", "alone with", left=(4,))
    for one in study.kinds:
        cells = next(_cells(line, False) for line in one.lines if line.value.statistic.name == "bb/100")
        table.add_row(one.kind.name, f"{one.hands:,}", *cells[1:3], one.kind.options)
    console.print(titled(f"{study.player}, {plural(study.hands, 'hand')}", table))
    console.print("Hands of several kinds of game are not added up.", style="dim")


def _print_kind(study: PlayerStudy, one: KindStatistics, top: int | None) -> None:
    pooled = any(line.standing is not None for line in one.lines)
    columns = ["statistic", "value", "95% interval", "n"]
    if pooled:
        columns += ["regulars: " + " / ".join(f"{share:.0%}" for share in SHARES), "players", "percentile"]
    table = Grid(*columns)
    for line in one.lines:
        table.add_row(*_cells(line, pooled))
    kind = f", {one.kind.name}" if len(study.kinds) > 1 else ""
    console.print(titled(f"{study.player}{kind}, {plural(one.hands, 'hand')}", table))
    console.print(
        "n: chances, or hands where a statistic counts hands. A row without an interval says nothing yet."
        + (" percentile: how many of a hundred regulars, in the same seats, do it less." if pooled else ""),
        style="dim",
    )
    if one.groups or one.fewer:
        _print_groups(study, one, top)


def _print_groups(study: PlayerStudy, one: KindStatistics, top: int | None) -> None:
    """Print the groups as columns; if they are many or have long names, as rows."""
    told = [
        group for group in one.groups if any(_grouped(group, value) not in _NOTHING for value in group.values)
    ]
    shown = told[: top or (_MOST_MET if study.by == (By.OPPONENT,) else _MOST_GROUPS)]
    if not shown:
        console.print(f"by {_by_text(study)}: {TOO_FEW} in every group", style="bold")
    elif len(shown) <= _MOST_COLUMNS and max(len(group.name) for group in shown) <= _LONGEST_COLUMN:
        console.print(titled(f"by {_by_text(study)} (hands)", _groups_as_columns(one, shown)))
    else:
        console.print(titled(f"by {_by_text(study)}", _groups_as_rows(study, shown)))
    console.print(_groups_note(study, one, shown), style="dim")
    if shown:
        console.print(_example(study, one, shown[-1]), style="dim")


def _example(study: PlayerStudy, one: KindStatistics, group: HandGroup) -> str:
    """How to see the hands behind a cell of a group."""
    name = next(value.statistic.name for value in group.values if _grouped(group, value) not in _NOTHING)
    return f"The hands behind a cell, such as {name} of {group.name}: {study.command(one, group, name)}"


def _by_text(study: PlayerStudy) -> str:
    return " and ".join(study.by)


def _groups_as_columns(one: KindStatistics, groups: Sequence[HandGroup]) -> Grid:
    grid = Grid("statistic", *(f"{group.name} ({group.hands:,})" for group in groups))
    for i, line in enumerate(one.lines):
        grid.add_row(line.value.statistic.name, *(_grouped(group, group.values[i]) for group in groups))
    return grid


def _groups_as_rows(study: PlayerStudy, groups: Sequence[HandGroup]) -> Grid:
    """The statistics of which at least one group tells something."""
    cells = [[_grouped(group, value) for value in group.values] for group in groups]
    told = [i for i in range(len(cells[0])) if any(row[i] not in _NOTHING for row in cells)]
    grid = Grid(", ".join(study.by), "hands", *(groups[0].values[i].statistic.name for i in told))
    for group, row in zip(groups, cells, strict=True):
        grid.add_row(group.name, f"{group.hands:,}", *(row[i] for i in told))
    return grid


def _groups_note(study: PlayerStudy, one: KindStatistics, shown: Sequence[HandGroup]) -> str:
    words = ["Behind each value: half the 95% interval. A dash: too few hands."]
    if any(group.is_settled(value) for group in shown for value in group.values):
        words.append("An empty cell: 0% or 100% by definition.")
    hidden = len(one.groups) - len(shown)
    if hidden:
        words.append(f"{plural(hidden, 'group')} not shown: --csv and --json have all.")
    if one.fewer:
        words.append(f"{plural(one.fewer, 'opponent')} met less often (--min-hands).")
    return " ".join([*words, *study.notes])


def print_table(study: TableStudy) -> None:
    """Print the best known statistics of the players with the most hands, a table for each kind of game."""
    names = [*_IN_TABLE, *_IN_TABLE_LATER]
    in_rooms = len({row.room for row in study.rows}) > 1
    if not study.kinds:
        console.print("0 players")
    for kind, players in study.kinds:
        table = Grid("player", *_room_column(in_rooms), "hands", *names, left=(1,) if in_rooms else ())
        rows = [row for row in study.rows if row.kind == kind]
        for row in rows:
            found = {value.statistic.name: value for value in row.values}
            cells = (_short(found[statistic]) for statistic in names)
            table.add_row(row.player, *_room_cell(in_rooms, row.room), f"{row.hands:,}", *cells)
        which = f"{kind.name} ({kind.options}): " if len(study.kinds) > 1 else ""
        console.print(titled(f"{which}{len(rows):,} of {plural(players, 'player')}", table))
    console.print(
        "A dash: too few hands. --csv and --json have all statistics with their intervals.", style="dim"
    )


def print_players(study: PlayersStudy) -> None:
    """Print the players with the most hands."""
    in_rooms = len({player.room for player in study.players}) > 1
    table = Grid("player", *_room_column(in_rooms), "hands", "first", "last", left=(1,) if in_rooms else ())
    for player in study.players:
        span = ("" if time is None else f"{time:%Y-%m-%d}" for time in (player.first, player.last))
        table.add_row(player.name, *_room_cell(in_rooms, player.room), f"{player.hands:,}", *span)
    console.print(titled(f"{len(study.players):,} of {plural(study.num_players, 'player')}", table))


def _room_column(shown: bool) -> tuple[str, ...]:
    return ("room",) if shown else ()


def _room_cell(shown: bool, room: str) -> tuple[str, ...]:
    return (room or "-",) if shown else ()


def _cells(line: PlayerStatistic, pooled: bool) -> list[str]:
    value = line.value
    low, high = value.interval
    shown = value.n > 0 and isfinite(low) and isfinite(high)
    interval = TOO_FEW if line.too_few else f"{number_text(value, low)} to {number_text(value, high)}"
    cells = [
        value.statistic.name,
        "-" if value.value is None else number_text(value, value.value),
        interval if shown or line.too_few else "-",
        f"{value.n:,}",
    ]
    return cells + _pool_cells(line) if pooled else cells


def _pool_cells(line: PlayerStatistic) -> list[str]:
    if line.standing is None or line.standing.percentile is None:
        return ["-", f"{line.players}", "-"]
    spread = " / ".join(number_text(line.value, share) for share in line.shares)
    return [spread, f"{line.players:,}", percentile_text(line.standing.percentile)]


def _grouped(group: HandGroup, value: Value) -> str:
    """A statistic of a group with half its interval; a dash if that says nothing, empty if it is settled."""
    if group.is_settled(value):
        return ""
    if value.value is None or value.too_few:
        return "-"
    low, high = value.interval
    half = (high - low) / 2
    if value.statistic.kind is StatisticKind.AMOUNT:
        return f"{value.value:+.0f} ± {half:.0f}"
    if value.statistic.kind is StatisticKind.FACTOR:
        return f"{value.value:.1f} ± {half:.1f}"
    return f"{100 * value.value:.0f} ± {100 * half:.0f}%"


def _short(value: Value) -> str:
    return "-" if value.value is None or value.too_few else number_text(value, value.value)


def number_text(value: Value, amount: float) -> str:
    """An amount in the unit of its statistic."""
    if value.statistic.kind is StatisticKind.AMOUNT:
        return f"{amount:+.1f}"
    if value.statistic.kind is StatisticKind.FACTOR:
        return f"{amount:.2f}"
    return f"{amount:.1%}"
