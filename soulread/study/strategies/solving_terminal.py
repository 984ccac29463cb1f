"""Solved games, the progress of a solve, and files that are kept on disk."""

from collections.abc import Sequence
from pathlib import Path

from soulread.abstraction.tables import Cached
from soulread.estimate import Unit
from soulread.report.grid import Grid, console, titled
from soulread.solvers.cfr.run import Check
from soulread.solvers.equilibria import KeptStrategy
from soulread.study.strategies.solving import SolveStudy
from soulread.words import plural


def print_cache(folder: Path, tables: Sequence[Cached], solved: Sequence[KeptStrategy]) -> None:
    """Print the abstractions and equilibria that are kept, with sizes on disk."""
    table = Grid("tables", "abstraction", "private states", "MB", "made")
    for entry in tables:
        table.add_row(
            entry.what + ("" if entry.current else " (outdated)"),
            entry.spec,
            " / ".join(f"{size:,}" for size in entry.num_states),
            f"{entry.num_bytes / 1e6:,.0f}",
            f"{entry.created:%Y-%m-%d}",
        )
    console.print(titled(f"cache: {folder}", table))
    if not solved:
        console.print("no equilibria")
        return
    table = Grid("equilibrium", "method", "iterations", Unit.MILLIBETS.value, "MB", "made")
    for path, source, strategy in solved:
        bet = source.poker.rules.small_bet
        table.add_row(
            strategy.game,
            strategy.method,
            f"{strategy.iterations:,}",
            f"{strategy.gap * Unit.MILLIBETS.per_chip(bet, bet):.3f}",
            f"{path.stat().st_size / 1e6:,.0f}",
            strategy.written[:10],
        )
    console.print(table)


def solve_text(game: str, check: Check, small_bet: int | None) -> str:
    """One line on how far a solve has come."""
    reached = _chips_text(check.exploitability, small_bet)
    return f"{game}: iteration {check.iteration:,}, exploitability {reached}, {check.rate:,.0f} iterations/s"


def print_solved(study: SolveStudy) -> None:
    """Print the worth of a pair of strategies, seat by seat, and how it was made."""
    judgement, small_bet = study.judgement, study.small_bet
    chips, millibets = Unit.CHIPS.value, Unit.MILLIBETS.value
    units = [chips] if small_bet is None else [chips, millibets]
    columns = [f"{what}, {unit}" for what in ("value", "worst case") for unit in units]
    table = Grid("seat", *columns)
    for seat in (0, 1):
        cells = []
        for amount in (judgement.values[seat], judgement.worst_cases[seat]):
            cells.append(f"{amount:+.6f}")
            if small_bet is not None:
                cells.append(f"{judgement.in_millibets(amount, small_bet):+.3f}")
        table.add_row(str(seat), *cells)
    how = study.strategy
    made = f"{how.method}, {plural(how.iterations, 'iteration')}, {how.seconds:.2f} s"
    console.print(titled(f"{judgement.game}: {made}", table))
    console.print(
        f"exploitability: {_chips_text(judgement.exploitability, small_bet)}, the mean over the seats"
    )


def _chips_text(amount: float, small_bet: int | None) -> str:
    text = f"{amount:.6g} {Unit.CHIPS.value}"
    if small_bet is None:
        return text
    return f"{text} = {amount * Unit.MILLIBETS.per_chip(small_bet, 1):.4g} {Unit.MILLIBETS.value}"
