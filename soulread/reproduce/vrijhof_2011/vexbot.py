"""Vexbot (Billings et al. 2004, as Vrijhof 2011, section VI, tells it) against ten opponents, limit hold'em.

The opponents are the seven of GS11's Table 1 (four naive ones, three of our own), Orange, an equilibrium, and
one who switches between two styles. The equilibrium is that of other, coarser buckets than Vexbot's default
knows, as the "equilibrium-like program" of the paper would be.

There are short matches of all methods, played twice with the cards exchanged, and long ones of Vexbot, of
DBBR and of the equilibrium. In the long ones there is also a Vexbot that forgets nothing: against an opponent
who never changes, forgetting can only cost.

A match that was played is kept, so a run that was broken off goes on. Updates of DBR take minutes in hold'em,
so it plays with coarse buckets, few iterations and few updates.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from soulread.estimate import Estimate
from soulread.report.figures import Figure, Panel
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.limit_table import (
    BETS,
    CEILING,
    EQUILIBRIUM,
    GAME,
    NAIVE,
    OURS_START,
    SHOWN,
    STAND_INS,
    Estimates,
    ahead,
    bets_won,
    ceiling_level,
    ceiling_task,
    contrast,
    opponents_over,
    prepare,
    rate_curve,
    share_of_ceiling,
)
from soulread.reproduce.kit.matches import MatchGrid, cost_table, match_cells
from soulread.reproduce.kit.means import mean_won
from soulread.reproduce.kit.report import Claim, Report, ResultTable, measures_of, worded
from soulread.reproduce.kit.verdict import above, at_least
from soulread.tasks import Task

ABSTRACTION = "5-5-5-5:quick"
VEXBOT = "vexbot"
ORANGE, OTHER, SWITCHING = "Orange", "another equilibrium", "loose, then tight"
KEEPER = "vexbot that forgets nothing"
LONG = VEXBOT, KEEPER, EQUILIBRIUM, "dbbr"  # the methods of the long matches
SHORT = VEXBOT, EQUILIBRIUM, "dbbr", "dbr", "poki"  # those of the short ones
FIRST = 100  # games within which Vexbot must learn, by the paper
EARLY = 1000  # hands within which ours must reach the share of the ceiling
SHARE = 0.7
SOON = 0.9  # of what is won later is won from hand 100 to hand 1000, if it has learnt by then
MOST_LOST = 0.05  # sb/h
CHOSEN = (
    "strength and shown with seed 700 on Orange and the equilibrium of 5-5-5-5 buckets, in duplicate matches "
    "of 1,000 hands, and with seed 701 on the naive opponents; all else beforehand"
)


@dataclass(frozen=True)
class VexbotSetup:
    """Sizes of the experiment, its players and its matches."""

    hands: int
    matches: int
    seed: int
    long: int  # hands of a long match
    early: int  # T of dbbr and dbr

    @classmethod
    def of(cls, options: RunOptions) -> "VexbotSetup":
        """Two short matches of 3,000 hands and two long ones of 20,000; quick: 100 and 300 hands."""
        sizes = options.sizes(hands=(100, 3000), matches=(2, 2))
        hands = sizes["hands"]
        if options.quick:
            return cls(**sizes, long=3 * hands, early=hands // 6)
        long = 20_000 if options.hands is None else 7 * hands
        return cls(**sizes, long=long, early=min(OURS_START, hands // 6))

    @property
    def rows(self) -> dict[str, str]:
        """The methods, by name."""
        return {
            VEXBOT: "vexbot",
            KEEPER: "vexbot:decay=1",
            EQUILIBRIUM: f"equilibrium:{ABSTRACTION}",
            "dbbr": f"dbbr:{ABSTRACTION},T={self.early},k=200,{SHOWN}",
            "poki": "poki:playouts=200",
            "dbr": f"dbr:4-3-2-2:quick,T={self.early},k=1000,iterations=8",
        }

    @property
    def opponents(self) -> dict[str, str]:
        """The opponents, by name."""
        loose, tight = f"loose:{ABSTRACTION}:0.4", f"tight:{ABSTRACTION}:0.2"
        return {
            **opponents_over(ABSTRACTION),
            ORANGE: f"orange:{ABSTRACTION}",
            OTHER: "equilibrium:4-3-2-2:quick",
            SWITCHING: f"switching:every={self.hands // 3}|{loose}|{tight}",
        }

    def short_cells(self) -> dict[tuple[str, str], list[Task]]:
        """Matches played twice with the cards exchanged, and ceilings of tables over the same buckets."""
        cells = {
            (CEILING, name): [ceiling_task(ABSTRACTION, villain, self.seed)]
            for name, villain in self.opponents.items()
            if name not in (OTHER, SWITCHING)
        }
        rows = {row: self.rows[row] for row in SHORT}
        return cells | match_cells(GAME, rows, self.opponents, self.hands, self.seed, range(self.matches))

    def long_cells(self) -> dict[tuple[str, str], list[Task]]:
        """Long matches, without the cards exchanged; one alone would decide nothing about who learns."""
        rows = {row: self.rows[row] for row in LONG}
        numbers = range(self.matches)
        return match_cells(GAME, rows, self.opponents, self.long, self.seed, numbers, duplicate=False)


def in_order(short: MatchGrid, long: MatchGrid) -> Iterator[Task]:
    """All tasks, the most telling matches first."""
    columns = [name for row, name in long.cells if row == VEXBOT]
    yield from (tasks[0] for (row, _), tasks in short.cells.items() if row == CEILING)
    for row in (VEXBOT, EQUILIBRIUM, "dbbr"):
        yield from (short.cells[row, name][0] for name in columns)
    for name in (OTHER, ORANGE, SWITCHING):
        yield from (long.cells[row, name][0] for row in LONG[:3])
    for row in ("dbr", "poki"):
        yield from (short.cells[row, name][0] for name in columns)
    for name in (*STAND_INS, *NAIVE):
        yield from (long.cells[row, name][0] for row in LONG[:3])
    for number in range(1, len(short.cells[VEXBOT, OTHER])):
        for row in SHORT:
            yield from (short.cells[row, name][number] for name in columns)
    yield from (long.cells["dbbr", name][0] for name in columns)
    for number in range(1, len(long.cells[VEXBOT, OTHER])):
        for row in LONG:
            yield from (long.cells[row, name][number] for name in (OTHER, ORANGE, SWITCHING))
    for number in range(1, len(long.cells[VEXBOT, OTHER])):
        for row in LONG:
            yield from (long.cells[row, name][number] for name in (*STAND_INS, *NAIVE))


def vexbot(options: RunOptions) -> Report:
    """Play what is missing, and judge what the paper and we say about Vexbot."""
    setup = VexbotSetup.of(options)
    prepare(options, ABSTRACTION)
    short, long = MatchGrid(setup.short_cells()), MatchGrid(setup.long_cells())
    short.run(options, in_order(short, long))
    long.results = short.results
    return Report(
        name="vexbot",
        title="Vexbot against ten opponents, heads-up limit hold'em",
        source=f"{published('vrijhof2011')['source']}, section VI; opponents of "
        f"{published('ganzfried2011')['source']}, Table 1",
        settings={
            "abstraction": ABSTRACTION,
            "matches of either length": setup.matches,
            "their hands": setup.hands,
            "hands of a long match": setup.long,
            "seed": setup.seed,
            "chosen": CHOSEN,
            **setup.rows,
        },
        tables=tuple(_tables(setup, short, long)),
        claims=tuple(_claims(setup, short, long)),
        figures=_figures(setup, short, long),
        seconds=short.seconds,
        notes=(
            *(f"{name}: {words}." for name, (_, _, words) in STAND_INS.items()),
            f"{OTHER}: that of 4-3-2-2 buckets; {SWITCHING}: every {setup.hands // 3:,} hands.",
            "The ceiling is a best response to the opponent's true strategy over the same buckets.",
        ),
    )


def _tables(setup: VexbotSetup, short: MatchGrid, long: MatchGrid) -> Iterator[ResultTable]:
    rows = [row for row in setup.rows if row != KEEPER]
    opponents = list(setup.opponents)
    measures = measures_of(opponents, (*rows, CEILING), lambda name, row: short.won(row, name))
    yield ResultTable(f"win rate over {setup.hands:,} hands", BETS, measures, short.sample(rows))
    parts = {
        f"hands {first + 1} to {last}": (first, last)
        for first, last in itertools.pairwise((0, FIRST, EARLY, setup.hands))
        if last > first
    }
    measures = measures_of(opponents, parts, lambda name, part: short.won(VEXBOT, name, *parts[part]))
    yield ResultTable("Vexbot in parts of the short matches", BETS, measures, short.sample([VEXBOT]))
    spans = {
        f"{row}, {part}": (row, first)
        for row in LONG
        for part, first in (("all", 0), ("second half", setup.long // 2))
    }

    def won_long(name: str, column: str) -> Estimate | None:
        row, first = spans[column]
        return long.won(row, name, first, setup.long)

    measures = measures_of(opponents, spans, won_long)
    yield ResultTable(f"win rate over {setup.long:,} hands", BETS, measures, long.sample(LONG))
    ends = {
        f"{row}, {part}": (row, last)
        for row in rows
        for part, last in ((f"{EARLY:,} hands", EARLY), ("all hands", setup.hands))
    }

    def share(name: str, column: str) -> float | None:
        row, last = ends[column]
        return share_of_ceiling(short.won(row, name, 0, last), short.won(CEILING, name))

    measures = measures_of((*NAIVE, *STAND_INS), ends, share)  # next to nothing can be won from the others
    yield ResultTable("share of the ceiling, from the first hand on", "%", measures, digits=0)
    yield cost_table(short.results.values(), setup.rows)


def _claims(setup: VexbotSetup, short: MatchGrid, long: MatchGrid) -> Iterator[Claim]:
    def beyond(numbers: Estimates) -> str:
        return "; ".join(f"{name} {each.text()} {BETS} beyond it" for name, each in numbers.items() if each)

    soon = {name: _soon(short, name) for name in NAIVE}
    text = (
        f"It learns within {FIRST} games: against each naive opponent hands {FIRST + 1} to {EARLY:,} win at "
        f"least {SOON:.0%} of what later hands win"
    )
    yield Claim.of_all(text, soon, at_least, beyond(soon))
    paper = published("vrijhof2011")["vexbot"]["equilibrium"]
    for row in (VEXBOT, KEEPER):
        last = long.won(row, OTHER, setup.long // 2, setup.long)
        yield Claim.judged(
            f"A {row} eventually beats a static equilibrium-like program (the second half of a long match)",
            above(last),
            "not played" if last is None else f"{last.text()} {BETS}; the thesis: {paper:+.3f}",
        )
    early = {
        name: None if won is None or ceiling is None else won.minus(ceiling.scaled(SHARE))
        for name in NAIVE
        for won, ceiling in [(short.won(VEXBOT, name, 0, EARLY), short.won(CEILING, name))]
    }
    text = f"Ours: {SHARE:.0%} of the ceiling within {EARLY:,} hands against each naive opponent"
    yield Claim.of_all(text, early, at_least, beyond(early))
    against = short.won(VEXBOT, OTHER)
    yield Claim.judged(
        f"Ours: it loses at most {MOST_LOST:g} {BETS} to an equilibrium over {setup.hands:,} hands",
        at_least(against, -MOST_LOST),
        worded(against, unit=BETS, missing="not played"),
    )
    yield ahead(
        "Ours: it wins more than the equilibrium against every opponent of our own, Orange and the one who "
        "switches",
        {name: _difference(short, long, name) for name in (*STAND_INS, ORANGE, SWITCHING)},
    )


def _soon(short: MatchGrid, opponent: str) -> Estimate | None:
    """The win rate of Vexbot in hands 101 to 1000, less `SOON` of that in later hands."""
    result = short.played.get((VEXBOT, opponent))
    if result is None or result.hands <= EARLY:
        return None
    parts = (np.arange(FIRST, EARLY), 1.0), (np.arange(EARLY, result.hands), -SOON)
    return contrast(bets_won(result), *parts)


def _difference(short: MatchGrid, long: MatchGrid, opponent: str) -> Estimate | None:
    """The win rate of Vexbot less that of the equilibrium with the same cards; in the long match, if any."""
    more = long.weighed({VEXBOT: 1.0, EQUILIBRIUM: -1.0}, opponent)
    if more is None:
        return short.difference(VEXBOT, EQUILIBRIUM, opponent)
    return mean_won(more / 2, learning=True)


def _figures(setup: VexbotSetup, short: MatchGrid, long: MatchGrid) -> tuple[Figure, ...]:
    panels = []
    for name in setup.opponents:
        grids = [(row, long if (row, name) in long.played else short) for row in LONG]
        curves = [rate_curve(grid, row, name) for row, grid in grids if (row, name) in grid.played]
        levels = ceiling_level(short, name)
        if curves:
            y_label = "win rate so far, sb/h"
            panels.append(Panel(name, "hands", y_label, tuple(curves), levels, logarithmic=True))
    caption = "Win rate so far over a match, with 95% bands; the long match where there is one."
    return (Figure("win-rates", caption, tuple(panels), columns=3),) if panels else ()
