"""Many boards of one spot, printed and drawn."""

from pathlib import Path

from soulread.report.figures import BarPanel, Bars, Figure, draw
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


def draw_boards(study: BoardsStudy, path: Path) -> None:
    """Draw the frequency of each action by texture, and with locks their gains and costs."""
    means = study.means()
    groups = tuple(mean.name.replace(", ", "\n") for mean in means)
    panels = [
        BarPanel(
            f"{study.player} at {study.path or 'the start'}",
            "frequency (%)",
            groups,
            tuple(
                Bars(action, tuple(100 * mean.frequencies[i] for mean in means))
                for i, action in enumerate(study.actions)
            ),
        )
    ]
    if any(mean.gain is not None for mean in means):
        panels.append(
            BarPanel(
                "; ".join(study.locks),
                "chips",
                groups,
                (
                    Bars("gain if right", tuple(mean.gain or 0.0 for mean in means)),
                    Bars("cost if wrong", tuple(mean.cost or 0.0 for mean in means)),
                ),
            )
        )
    draw(Figure("boards", f"{len(study.rows)} boards", tuple(panels), columns=1), [path])
