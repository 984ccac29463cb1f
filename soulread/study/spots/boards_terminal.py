"""Many boards of one spot, printed and drawn."""

from collections.abc import Sequence

from soulread.report.grid import Grid, console, titled
from soulread.study.spots.boards import BoardsStudy, Mean


def print_boards(study: BoardsStudy) -> None:
    """Print means over all boards, by texture and by the highest card; with locks, where they pay most."""
    locked = any(row.gain is not None for row in study.rows)
    where = study.path or "the start"
    title = f"{study.player} at {where}, pot {study.pot_text}"
    console.print(titled(title, _table(study, "boards", study.means(), locked)))
    highest = study.by_highest_card()
    if len(highest) > 1:
        console.print(titled("by the highest card", _table(study, "highest", highest, locked)))
    if study.missing:
        console.print(f"{study.missing:,} boards are not solved yet; the same command goes on with them")
    console.print(
        f"Boards are weighed by how often they come. EV: {study.unit} that a player takes out of the pot, "
        "that of oop also as a part of it."
        + (
            " Gain if the lock is right, cost in the worst case if not, beyond the equilibrium."
            if locked
            else ""
        ),
        style="dim",
    )
    if locked:
        best = Grid("board", "lock gains", "lock costs", *study.actions)
        for row in study.best():
            cells = [f"{100 * share:.1f}%" for share in row.frequencies]
            best.add_row(row.board, f"{row.gain or 0:z.2f}", f"{row.cost or 0:z.2f}", *cells)
        console.print(titled("where the lock pays most", best))


def _table(study: BoardsStudy, what: str, means: Sequence[Mean], locked: bool) -> Grid:
    """A line for each mean."""
    more = ("lock gains", "lock costs") if locked else ()
    table = Grid(what, "n", "share", *study.actions, "EV oop", "of pot", "EV ip", *more)
    for mean in means:
        cells = [f"{100 * share:.1f}%" for share in mean.frequencies]
        oop, ip = mean.ev
        evs = [f"{oop:z.2f}", f"{100 * oop / study.pot:z.1f}%", f"{ip:z.2f}"]
        gains = [f"{value:z.2f}" for value in (mean.gain, mean.cost) if locked and value is not None]
        table.add_row(mean.name, f"{mean.boards:,}", f"{100 * mean.share:.1f}%", *cells, *evs, *gains)
    return table
