"""What of a store is whole, and what became of one that was made anew, as text."""

from soulread.hands.tables.checking import RebuiltStore, StoreCheck
from soulread.report.grid import Grid, console
from soulread.words import plural

_NAMED = 20  # hands that were lost


def print_check(check: StoreCheck) -> None:
    """Print the parts of a store, what is wrong with them, and what to do."""
    table = Grid("part", "rows", "damaged", "for example", left=(3,), words=(3,))
    for part in check.parts:
        table.add_row(part.name, f"{part.rows:,}", f"{part.damaged:,}", part.faults[0] if part.faults else "")
    console.print(table)
    for part in check.parts:
        for fault in part.faults[1:]:
            console.print(f"{part.name}: {fault}", markup=False)
    console.print(
        f"{check.store} is whole."
        if check.whole
        else f"{check.store} is damaged. soulread hands rebuild keeps what is whole.",
        markup=False,
    )


def print_rebuilt(done: RebuiltStore) -> None:
    """Print what was kept, and what was not by name."""
    console.print(f"{done.store} was made anew from {plural(done.hands, 'hand')}.", markup=False)
    if done.lost:
        more = f" and {len(done.lost) - _NAMED:,} more" if len(done.lost) > _NAMED else ""
        listed = ", ".join(done.lost[:_NAMED]) + more
        console.print(f"{plural(len(done.lost), 'hand')} could not be kept: {listed}", markup=False)
    if done.nameless:
        listed = ", ".join(f"'lost name {number}'" for number in done.nameless[:_NAMED])
        console.print(f"The names of some players are lost; they are called {listed}.", markup=False)
    if done.kept is not None:
        console.print(
            f"The damaged file is {done.kept}. Import the same files again to bring back what was lost.",
            markup=False,
        )
