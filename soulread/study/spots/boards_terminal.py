"""Many boards of one spot, printed and drawn."""

from soulread.report.grid import Grid, console, titled
from soulread.study.spots.boards import BoardsStudy


def print_boards(study: BoardsStudy) -> None:
    """Print means over all boards and those of each texture; with locks, where they pay most."""
    locked = any(row.gain is not None for row in study.rows)
    more = ("lock gains", "lock costs") if locked else ()
    table = Grid("boards", "n", "share", *study.actions, "EV oop", "EV ip", *more)
    for mean in study.means():
        cells = [f"{100 * share:.1f}%" for share in mean.frequencies]
        worth = [
            f"{value:z.2f}"
            for value in (*mean.ev, *([mean.gain, mean.cost] if locked else []))
            if value is not None
        ]
        table.add_row(mean.name, f"{mean.boards:,}", f"{100 * mean.share:.1f}%", *cells, *worth)
    where = study.path or "the start"
    console.print(titled(f"{study.player} at {where}, pot {study.pot}", table))
    if study.missing:
        console.print(f"{study.missing:,} boards are not solved yet; the same command goes on with them")
    console.print(
        "Boards are weighed by how often they come. EV: chips that a player takes out of the pot."
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
