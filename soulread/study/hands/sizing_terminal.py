"""Sizing tells in the terminal."""

from collections.abc import Sequence

from soulread.report.grid import Grid, console, titled
from soulread.study.hands.sizing import AnswerShare, FacingStudy, Kinds, SizingStudy
from soulread.study.hands.statistics_terminal import TOO_FEW
from soulread.words import plural


def print_sizing(study: SizingStudy) -> None:
    """Print the strength that was seen behind each size of bet, and what the sizes tell."""
    table = Grid("street", "size", "bets", "seen", "strength", "95% interval", "weak", "95% interval")
    for line in study.lines:
        cells = [line.street, line.size, f"{line.bets:,}", f"{line.seen:,}"]
        share = line.weak_share
        if line.strength is None or share is None or line.too_few:
            table.add_row(*cells, "-", TOO_FEW, "-", "-")
            continue
        low, high = line.strength.interval
        table.add_row(
            *cells,
            f"{line.strength.mean:.2f}",
            f"{max(0.0, low):.2f} to {min(1.0, high):.2f}",
            f"{share[0]:.0%}",
            f"{share[1]:.0%} to {share[2]:.0%}",
        )
    console.print(titled(f"{study.player}: strength by size of bet, {plural(study.hands, 'hand')}", table))
    console.print(
        "Sizes are parts of the pot. Strength is the part of all other holdings that the hand beats on that "
        "board; weak is below a half. Only hands that were seen count, and bluffs that worked are not seen.",
        style="dim",
    )
    _print_end(study.tells, study.kinds)


def print_facing(study: FacingStudy) -> None:
    """Print the answers to each size of bet, and what the sizes tell."""
    answers = [head for answer in ("fold", "call", "raise") for head in (answer, "95% interval")]
    table = Grid("street", "facing", "size", "n", *answers, "bluff needs", left=(1, 2))
    for line in study.lines:
        cells = [line.street, line.facing, line.size, f"{line.n:,}"]
        needed = "" if line.needed is None else f"{line.needed:.0%}"
        if line.too_few:
            table.add_row(*cells, "-", TOO_FEW, "-", "", "-", "", needed)
            continue
        shares = [cell for one in (line.fold, line.call, line.raise_) for cell in _share(one)]
        table.add_row(*cells, *shares, needed)
    console.print(titled(f"{study.player}: answers by size, {plural(study.hands, 'hand')}", table))
    console.print(
        "Sizes are parts of the pot; of a raise, the chips beyond a call over the pot after the call; of an "
        "open, the total in big blinds; opens of another size may come from other seats. Answers to all-ins "
        "count, which cannot be raised. A bluff into one opponent, with nothing to come, breaks even at so "
        "many folds.",
        style="dim",
    )
    _print_end(study.tells, study.kinds)


def _share(answer: AnswerShare) -> tuple[str, str]:
    low, high = answer.interval
    return f"{answer.value:.0%}", f"{low:.0%} to {high:.0%}"


def _print_end(tells: Sequence[str], kinds: Kinds) -> None:
    """Print the sentences of a study, and which hands are not in it."""
    for text in tells:
        console.print(text)
    if len(kinds) > 1:
        console.print(kinds[0][0].among(kinds[1:]), style="dim")
