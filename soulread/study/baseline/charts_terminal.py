"""Charts before the flop in the terminal."""

import numpy as np

from soulread.cards.preflop import NUM_CLASSES
from soulread.report.grid import Grid, console, titled
from soulread.study.baseline.charts import ELSEWHERE, FOLDING, GOING, RESTRICTED, ChartStudy, PushFoldStudy
from soulread.study.baseline.habits import HABIT_COLUMNS, LEVEL, Habit
from soulread.study.baseline.limit_charts import LimitChart, LimitChartStudy
from soulread.study.baseline.short_stacks import ShortStackStudy
from soulread.study.spots.spots_terminal import print_cells
from soulread.words import plural

_RED, _BLUE, _GREY = (208, 84, 68), (92, 143, 196), (199, 204, 212)
_LIMIT_COLOURS = {"raise": _RED, "call": _BLUE, "check": _BLUE, "fold": _GREY}


def print_push_fold(study: PushFoldStudy) -> None:
    """Print both grids of push or fold."""
    solved, rules = study.solved, study.rules
    console.print(study.rules.name, style="bold")
    stakes = f"Small blind {rules.small_blind:g}; the stack is the shorter one, before blinds and antes."
    console.print(f"{stakes} {RESTRICTED}", style="dim")
    everywhere = np.ones(NUM_CLASSES, np.bool_)
    for title, going in (
        (f"the small blind goes all-in with {solved.push_rate:.1%} of all hands", solved.push),
        (f"the big blind calls an all-in with {solved.call_rate:.1%}", solved.call),
    ):
        console.print()
        console.print(title, style="bold")
        print_cells(np.array([going, 1 - going]), going, everywhere, (GOING, FOLDING))
    console.print("the number is how often the hand goes all-in or calls, %", style="dim")
    console.print(
        f"The small blind wins {solved.value:+.3f} bb a hand; to fold always wins "
        f"{-rules.small_blind - rules.ante:+.3f} bb. Exploitability {abs(solved.solution.gap):.0e} bb."
    )


def print_charts(study: ChartStudy, grids: bool = True) -> None:
    """Print a player beside the equilibria that are known; with ``grids``, the charts too."""
    console.print(f"{study.player} beside the equilibrium", style="bold")
    if study.note:
        console.print(study.note, style="dim")
        return
    console.print(charts_lead(), style="dim")
    if study.short is not None:
        console.print(titled("short stacks: push or fold", habits_grid(study.short.habits)))
        for text in short_texts(study.short):
            console.print(text)
    if study.limit is not None:
        console.print(titled(f"{study.limit.source.name}, before the flop", habits_grid(study.limit.habits)))
        console.print(limit_text(study.limit), style="dim")
        for chart in study.limit.charts if grids else ():
            _print_limit_chart(chart)


def charts_lead() -> str:
    """What the columns mean."""
    return (
        "Too often or too seldom: not by chance, with all tests taken together; of such claims at most "
        f"{LEVEL:.0%} are expected to be false."
    )


def habits_grid(habits: tuple[Habit, ...]) -> Grid:
    """The table of habits beside the equilibrium."""
    grid = Grid(*HABIT_COLUMNS, words=(0,))
    for habit in habits:
        grid.add_row(*habit.cells)
    return grid


def short_texts(study: ShortStackStudy) -> list[str]:
    """What the table of push or fold is about, and the mistakes if cards are known."""
    seen = plural(len(study.decisions), "decision")
    words = [
        f"{seen} with a shorter stack of at most 15 bb and one opponent left; {study.others:,} of them were "
        f"limps or smaller raises, which push or fold does not have. Whoever folds too often gives up hands "
        f"that could go all-in; to fold too seldom need not be wrong. {RESTRICTED}"
    ]
    if study.lost is None:
        words.append(
            f"The cards of {study.known:,} are known, too few: frequencies are of all holdings together. "
            f"{ELSEWHERE}"
        )
        return words
    per = 100 * study.lost / len(study.decisions)
    words.append(
        f"The cards are known, so the equilibrium is that of the hands held. Mistakes cost {study.lost:.1f} "
        f"bb in all, {per:.1f} bb in 100 such decisions, against somebody who plays the chart."
    )
    return [*words, *(mistake.sentence for mistake in study.mistakes), ELSEWHERE]


def limit_text(study: LimitChartStudy) -> str:
    """What the equilibrium of limit hold'em is."""
    return (
        f"{plural(study.hands, 'hand')} of heads-up limit hold'em. The equilibrium is one of the card "
        f"abstraction {study.source.cards}: hands of a bucket play alike. Where two actions are worth the "
        "same, other equilibria may have other frequencies. Decisions to which it hardly ever comes are not "
        "compared."
    )


def _print_limit_chart(chart: LimitChart) -> None:
    colours = [_LIMIT_COLOURS[word] for word in chart.actions]
    order = sorted(
        range(len(chart.actions)), key=lambda i: ("raise", "call", "check", "fold").index(chart.actions[i])
    )
    shown = [colours[i] for i in order]
    raising = chart.actions.index("raise") if "raise" in chart.actions else len(chart.actions) - 1
    word = chart.actions[raising]
    console.print()
    console.print(f"{chart.title}: the equilibrium", style="bold")
    rates = ", ".join(f"{name} {rate:.0%}" for name, rate in zip(chart.actions, chart.rates, strict=True))
    everywhere = np.ones(NUM_CLASSES, np.bool_)
    print_cells(chart.equilibrium[order], chart.equilibrium[raising], everywhere, shown)
    console.print(f"{rates}; the number is how often the hand would {word}, %", style="dim")
    if chart.own is not None:
        total = chart.own.sum(axis=0)
        own = chart.own / np.maximum(total, 1)
        console.print(f"{chart.title}: the player, {chart.n:,} decisions", style="bold")
        print_cells(own[order], own[raising], total > 0, shown)
