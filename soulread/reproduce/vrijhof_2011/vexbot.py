"""Vexbot (Billings et al. 2004, as Vrijhof 2011, section VI, tells it) against ten opponents, limit hold'em.

The opponents are the seven of GS11's Table 1 (four naive ones, three of our own), Orange, an equilibrium, and
one who switches between two styles. The equilibrium is that of other, coarser buckets than Vexbot's default
knows, as the "equilibrium-like program" of the paper would be.

There are short matches of all methods, played twice with the cards exchanged, and long ones of Vexbot, of
DBBR and of the equilibrium, played once. In the long ones there is also a Vexbot that forgets nothing:
against an opponent who never changes, forgetting can only cost.

A match that was played is kept, so a run that was broken off goes on. Updates of DBR take minutes in hold'em,
so it plays with coarse buckets, few iterations and few updates.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from soulread.estimate import Estimate, Sampling, Unit
from soulread.play.match.matches import MatchResult
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.ganzfried_2011 import dbbr
from soulread.reproduce.kit.experiment import Options, published
from soulread.reproduce.kit.matches import match_results, match_task, sample_text
from soulread.reproduce.kit.report import Claim, Measure, Report, Table
from soulread.reproduce.kit.verdict import above, all_of, at_least
from soulread.tasks import Task, TaskResult

VEXBOT, EQUILIBRIUM, CEILING = "vexbot", "equilibrium", "ceiling"
ORANGE, OTHER, SWITCHING = "Orange", "another equilibrium", "loose, then tight"
KEEPER = "vexbot that forgets nothing"
LONG = VEXBOT, KEEPER, EQUILIBRIUM, "dbbr"  # the methods of the long matches
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
class Setup(dbbr.Setup):
    """Sizes of the experiment."""

    long: int = 20_000

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """Two short matches of 3,000 hands and one long one of 20,000; quick: 100 and 300 hands."""
        base = dbbr.Setup.of(replace(options, quick=False))
        sizes = {field.name: getattr(base, field.name) for field in fields(dbbr.Setup)}
        sizes |= {"abstraction": "5-5-5-5:quick", "matches": options.matches or 2, "every": 200}
        if options.quick:
            hands = options.hands or 100
            return cls(**{**sizes, "hands": hands, "early": hands // 6}, long=3 * hands)
        return cls(**sizes, long=20_000 if options.hands is None else 7 * options.hands)

    @property
    def rows(self) -> dict[str, str]:
        """The methods, by name."""
        return {
            VEXBOT: "vexbot",
            KEEPER: "vexbot:decay=1",
            EQUILIBRIUM: f"equilibrium:{self.abstraction}",
            "dbbr": f"dbbr:{self.abstraction},T={self.early},k={self.every},{dbbr.SHOWN}",
            "poki": "poki:playouts=200",
            "dbr": f"dbr:4-3-2-2:quick,T={self.early},k=1000,iterations=8",
        }

    @property
    def opponents(self) -> dict[str, str]:
        """The opponents, by name."""
        loose, tight = f"loose:{self.abstraction}:0.4", f"tight:{self.abstraction}:0.2"
        return {
            **super().opponents,
            ORANGE: f"orange:{self.abstraction}",
            OTHER: "equilibrium:4-3-2-2:quick",
            SWITCHING: f"switching:every={self.hands // 3}|{loose}|{tight}",
        }

    @property
    def beatable(self) -> list[str]:
        """The opponents with a ceiling: tables over the same buckets."""
        return [name for name in self.opponents if name not in (OTHER, SWITCHING)]

    def match(self, row: str, villain: str, number: int) -> Task:
        """A short match, played twice with the cards exchanged."""
        return match_task(dbbr.GAME, (self.rows[row], villain), self.hands, self.seed, number)

    def long_match(self, row: str, villain: str) -> Task:
        """A long match, played once."""
        return match_task(dbbr.GAME, (self.rows[row], villain), self.long, self.seed, 0, False)

    def tasks(self) -> Iterator[Task]:
        """What is played, the most telling matches first."""
        for name in self.beatable:
            yield self.ceiling(self.opponents[name])
        for row in (VEXBOT, EQUILIBRIUM, "dbbr"):
            yield from self._all(row, 0)
        for name in (OTHER, ORANGE, SWITCHING):
            for row in (VEXBOT, KEEPER, EQUILIBRIUM):
                yield self.long_match(row, self.opponents[name])
        for row in ("dbr", "poki"):
            yield from self._all(row, 0)
        for name in (*dbbr.STAND_INS, *dbbr.NAIVE):
            for row in (VEXBOT, KEEPER, EQUILIBRIUM):
                yield self.long_match(row, self.opponents[name])
        for number in range(1, self.matches):
            for row in (VEXBOT, EQUILIBRIUM, "dbbr", "dbr", "poki"):
                yield from self._all(row, number)
        for villain in self.opponents.values():
            yield self.long_match("dbbr", villain)

    def _all(self, row: str, number: int) -> Iterator[Task]:
        """A short match against everybody."""
        return (self.match(row, villain, number) for villain in self.opponents.values())


def vexbot(options: Options) -> Report:
    """Play what is missing, and judge what the paper and we say about Vexbot."""
    setup = Setup.of(options)
    dbbr.prepare(options, setup.abstraction)
    results = list(options.run(setup.tasks()))
    found = Found(setup, results)
    return Report(
        name="vexbot",
        title="Vexbot against ten opponents, heads-up limit hold'em",
        source=f"{published('vrijhof2011')['source']}, section VI; opponents of "
        f"{published('ganzfried2011')['source']}, Table 1",
        settings={
            "abstraction": setup.abstraction,
            "short matches, duplicate": setup.matches,
            "their hands": setup.hands,
            "hands of a long match": setup.long,
            "seed": setup.seed,
            "chosen": CHOSEN,
            **setup.rows,
        },
        tables=(_win_rates(found), _parts(found), _long(found), _shares(found), _costs(found, results)),
        claims=tuple(_claims(found)),
        figures=_figures(found),
        seconds=sum(result.seconds for result in results),
        notes=(
            *(f"{name}: {words}." for name, (_, _, words) in dbbr.STAND_INS.items()),
            f"{OTHER}: that of 4-3-2-2 buckets; {SWITCHING}: every {setup.hands // 3:,} hands.",
            "The ceiling is a best response to the opponent's true strategy over the same buckets.",
        ),
    )


class Found(dbbr.Found):
    """The matches that were played; the long ones apart."""

    setup: Setup

    def __init__(self, setup: Setup, results: list[TaskResult]) -> None:
        long = {setup.long_match(row, villain).key for row in LONG for villain in setup.opponents.values()}
        super().__init__(setup, [result for result in results if result.task.key not in long])
        self._long = match_results(result for result in results if result.task.key in long)

    def long_result(self, row: str, column: str) -> MatchResult | None:
        """The long match of a pairing; None if it is not played yet."""
        return self._long.get((self.setup.rows[row], self.setup.opponents[column]))

    def part(self, row: str, column: str, first: int, last: int, long: bool = False) -> Estimate | None:
        """Small bets per hand from hand ``first`` to ``last``; None if nothing was played."""
        result = self.long_result(row, column) if long else self.result(row, column)
        if result is None or first >= min(last, result.hands):
            return None
        part = replace(result, profits=result.profits[:, first:last], hands=min(last, result.hands) - first)
        return part.estimate(0, Unit.SMALL_BETS)

    def soon(self, column: str) -> Estimate | None:
        """What Vexbot won from hand 100 to 1000, less `SOON` of what it won after that."""
        result = self.result(VEXBOT, column)
        if result is None or result.hands <= EARLY:
            return None
        won = result.profits[:, :, 0] / 2
        parts = (np.arange(FIRST, EARLY), 1.0), (np.arange(EARLY, result.hands), -SOON)
        return dbbr.contrast(won, *parts)


def _win_rates(found: Found) -> Table:
    measures = []
    for opponent in found.setup.opponents:
        short = (row for row in found.setup.rows if row != KEEPER)
        measures += [Measure(opponent, row, found.estimate(row, opponent)) for row in short]
        measures.append(Measure(opponent, CEILING, found.ceiling(opponent)))
    return Table(
        f"win rate over {found.setup.hands:,} hands",
        Unit.SMALL_BETS.value,
        tuple(measures),
        sample=sample_text(found.played.values()),
    )


def _parts(found: Found) -> Table:
    """How Vexbot learns, in the short matches."""
    cuts = 0, FIRST, EARLY, found.setup.hands
    measures = [
        Measure(opponent, f"hands {first + 1} to {last}", found.part(VEXBOT, opponent, first, last))
        for opponent in found.setup.opponents
        for first, last in itertools.pairwise(cuts)
        if last > first
    ]
    played = [result for (row, _), result in found.played.items() if row == VEXBOT]
    return Table(
        "Vexbot in parts of the short matches",
        Unit.SMALL_BETS.value,
        tuple(measures),
        sample=sample_text(played),
    )


def _long(found: Found) -> Table:
    half = found.setup.long // 2
    measures = [
        Measure(opponent, f"{row}, {name}", found.part(row, opponent, *hands, long=True))
        for opponent in found.setup.opponents
        for row in LONG
        for name, hands in (("all", (0, found.setup.long)), ("second half", (half, found.setup.long)))
    ]
    pairs = itertools.product(LONG, found.setup.opponents)
    played = [result for pair in pairs if (result := found.long_result(*pair)) is not None]
    return Table(
        f"win rate over {found.setup.long:,} hands",
        Unit.SMALL_BETS.value,
        tuple(measures),
        sample=sample_text(played),
    )


def _shares(found: Found) -> Table:
    measures = []
    for opponent in (*dbbr.NAIVE, *dbbr.STAND_INS):  # nothing to speak of can be won from the others
        ceiling = found.ceiling(opponent)
        for row in (row for row in found.setup.rows if row != KEEPER):
            for name, last in ((f"{EARLY:,} hands", EARLY), ("all hands", found.setup.hands)):
                won = found.part(row, opponent, 0, last)
                share = None if won is None or ceiling is None else 100 * won.mean / ceiling.mean
                measures.append(Measure(opponent, f"{row}, {name}", share))
    return Table("share of the ceiling, from the first hand on", "%", tuple(measures), digits=0)


def _costs(found: Found, results: list[TaskResult]) -> Table:
    measures = []
    for row, text in found.setup.rows.items():
        seconds = []
        for result in results:
            made = result.task.parameters
            agents = made["agents"]
            assert isinstance(agents, list)
            if agents[0] == text and not str(agents[1]).startswith("best"):
                seconds.append(result.seconds / (int(str(made["hands"])) * (2 if made["duplicate"] else 1)))
        measures.append(Measure("both agents", row, 1000 * float(np.mean(seconds)) if seconds else None))
    return Table("CPU time of a hand, on the machines that played", "ms", tuple(measures), digits=1)


def _claims(found: Found) -> Iterator[Claim]:
    naive = dbbr.NAIVE
    soon = {name: found.soon(name) for name in naive}
    yield Claim.judged(
        f"It learns within {FIRST} games: against each naive opponent hands {FIRST + 1} to {EARLY:,} win at "
        f"least {SOON:.0%} of what later hands win",
        all_of(at_least(each) for each in soon.values()),
        "; ".join(f"{name} {each.text()} sb/h beyond it" for name, each in soon.items() if each is not None),
    )
    half = found.setup.long // 2
    paper = published("vrijhof2011")["vexbot"]["equilibrium"]
    for row in (VEXBOT, KEEPER):
        last = found.part(row, OTHER, half, found.setup.long, long=True)
        yield Claim.judged(
            f"A {row} eventually beats a static equilibrium-like program (the second half of a long match)",
            above(last),
            "not played" if last is None else f"{last.text()} sb/h; the thesis: {paper:+.3f}",
        )
    early = {}
    for name in naive:
        won, ceiling = found.part(VEXBOT, name, 0, EARLY), found.ceiling(name)
        early[name] = None if won is None or ceiling is None else won.minus(ceiling.scaled(SHARE))
    yield Claim.judged(
        f"Ours: {SHARE:.0%} of the ceiling within {EARLY:,} hands against each naive opponent",
        all_of(at_least(each) for each in early.values()),
        "; ".join(f"{name} {each.text()} sb/h beyond it" for name, each in early.items() if each is not None),
    )
    against = found.estimate(VEXBOT, OTHER)
    yield Claim.judged(
        f"Ours: it loses at most {MOST_LOST:g} sb/h to an equilibrium over {found.setup.hands:,} hands",
        at_least(against, -MOST_LOST),
        "not played" if against is None else f"{against.text()} sb/h",
    )
    realistic = (*dbbr.STAND_INS, ORANGE, SWITCHING)
    yield dbbr.ahead(
        "Ours: it wins more than the equilibrium against every opponent of our own, Orange and the one who "
        "switches",
        {name: _difference(found, name) for name in realistic},
    )


def _difference(found: Found, opponent: str) -> Estimate | None:
    """How much more Vexbot wins than the equilibrium with the same cards; in the long match, if any."""
    mine, theirs = (found.long_result(row, opponent) for row in (VEXBOT, EQUILIBRIUM))
    if mine is None or theirs is None:
        return found.difference(VEXBOT, EQUILIBRIUM, opponent)
    more = (mine.profits[:, :, 0] - theirs.profits[:, :, 0]) / 2
    return Sampling(1, mine.hands, learning=True).estimate(more)


def _figures(found: Found) -> tuple[Figure, ...]:
    panels = []
    for opponent in found.setup.opponents:
        curves = [
            dbbr.curve(row, *dbbr.so_far(result))
            for row in LONG
            if (result := found.long_result(row, opponent) or found.result(row, opponent)) is not None
        ]
        if curves:
            ceiling = found.ceiling(opponent)
            levels = () if ceiling is None else (Level(CEILING, ceiling.mean),)
            panels.append(_panel(opponent, curves, levels))
    if not panels:
        return ()
    return (
        Figure(
            "win-rates",
            "Win rate so far over a match, with 95% bands; the long match where there is one.",
            tuple(panels),
            columns=3,
        ),
    )


def _panel(opponent: str, curves: list[Curve], levels: tuple[Level, ...]) -> Panel:
    return Panel(opponent, "hands", "win rate so far, sb/h", tuple(curves), levels, logarithmic=True)
