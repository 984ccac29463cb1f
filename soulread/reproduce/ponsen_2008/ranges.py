"""Ranges of no-limit players, judged by the cards they held: shown ones, and folded ones where known.

Hands come from files (``--data``). Where folded cards are not known they are hands of *people*. A source of
which *all cards are known*, such as Pluribus' matches, is judged apart. Each source is cut in time: models
(`soulread.reproduce.ponsen_2008.range_models`) learn from the first part of the hands as a spectator saw
them, and nothing of the second part reaches priors or models. In the second part each hand of a player is
judged after the player's last action that was no fold.

Calibration is judged in two ways: how often the cards lie among the likeliest holdings that have a mass (it
should be that often), and how often a player holds one of the best quarter of hands where that was predicted
with a chance.

Samples behind intervals are players.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from soulread.estimate import Estimate
from soulread.hands.store import Query
from soulread.hands.store import Store as HandStore
from soulread.report.figures import Figure
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.ranges.calibration import (
    CALIBRATED,
    COVERED,
    Array,
    Pick,
    TaskMeans,
    calibrated,
    coverage_panel,
    in_tenth,
    means_table,
    named_pick,
    reliability_panel,
    share_covered,
)
from soulread.reproduce.kit.ranges.scores import FOLDED, SHOWN, UNSEEN
from soulread.reproduce.kit.report import Claim, Report, ResultTable, worded
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import above
from soulread.reproduce.ponsen_2008.range_models import MODELS, SHOWDOWN, judge_player
from soulread.tasks import Json, Task, TaskResult

VERSION = 4  # raise it when models or scores change under the same names
PEOPLE, KNOWN = "people", "all cards known"
ALL = FOLDED, UNSEEN, SHOWN
FATES = {"shown": (SHOWN,), "folded": (FOLDED,), "won unseen": (UNSEEN,), "all": ALL}


@dataclass(frozen=True)
class NolimitRangesSetup:
    """Sizes of the experiment."""

    players: int  # with the most hands
    learned: int  # hands of a player to learn from, at most
    judged: int  # hands of a player to judge, at most
    prior: int  # hands that priors learn from, at most
    read: int | None  # hands of each file

    @classmethod
    def of(cls, options: RunOptions) -> "NolimitRangesSetup":
        """All hands of 20 players; quick: 6 players, a few hundred hands each."""
        if options.quick:
            return cls(6, 200, 60, 400, 4000)
        return cls(20, options.hands or 2000, 1000, 4000, None)

    def tasks(self, path: Path) -> tuple[str, list[Task]]:
        """The kind of a source, and a task for each of its players."""
        with HandStore.open(path, read_only=True) as store:
            names = [player.name for player in store.players()[: self.players]]
            _, sample = next(iter(store.find(Query(player=names[0]))))
            known = all(cards is not None for cards in sample.hole)
            cut = int((0.5 if known else 0.8) * len(store))  # number of the last hand of the first part
        common: dict[str, Json] = {
            "store": str(path),
            "cut": cut,
            "learned": self.learned,
            "judged": self.judged,
            "prior": self.prior,
            "shipped": known,
        }
        tasks = [Task(judge_player, {**common, "player": name}, VERSION) for name in names]
        return KNOWN if known else PEOPLE, tasks


def ranges(options: RunOptions) -> Report:
    """Judge ranges on all files that were given."""
    setup = NolimitRangesSetup.of(options)
    sources: dict[str, list[Task]] = {}
    for path in map(Path, options.data):
        store = hands_of(replace(options, data=(str(path),)), setup.read, limit=False)
        if store is not None:
            name, tasks = setup.tasks(store)
            sources.setdefault(name, []).extend(tasks)
    grid = TaskGrid(sources)
    grid.run(options, (task for tasks in sources.values() for task in tasks))
    every = {name: [result for result in grid.at(name) if _hands(result)] for name in sources}
    found = {name: TaskMeans(results) for name, results in every.items() if results}
    return Report(
        name="relational-ranges",
        title="ranges of no-limit players, judged by the cards they held",
        source="our own question to the models of Ponsen et al. (2008)",
        settings={
            "data": options.data_names or "no --data",
            "players": setup.players,
            "hands to learn from": setup.learned,
            "hands judged": setup.judged,
            "hands of priors": setup.prior,
            "first part": "80% of the hands of people; half where all cards are known",
        },
        tables=tuple(table for table in _tables(found) if table.measures),
        claims=tuple(claim for name, source in found.items() for claim in _claims(name, source)),
        figures=_figures(found),
        seconds=grid.seconds,
        notes=(
            "A nat is a factor of 2.7 in the chance of the cards that were held. Even chances gain 0.",
            "A hand is judged after the player's last action that was no fold. Of people only shown cards "
            "are known, and these are not like the others; so only the source with all cards tells whether "
            "ranges are calibrated.",
        ),
    )


def _hands(result: TaskResult) -> int:
    """Hands that were judged."""
    return int(result.summary("hands", lambda one: float(one["fate"].size)))


def _used(source: TaskMeans) -> tuple[str, ...]:
    """The models that were judged, by their order."""
    count = source.results[0].summary("models", lambda one: float(one["gains"].shape[1]))
    return MODELS[: int(count)]


def _fated(values: Array, result: TaskResult, fates: Sequence[int]) -> Array:
    return np.where(np.isin(result["fate"], fates), values, np.nan)


@named_pick
def gain(model: int, fates: Sequence[int] = (SHOWN,), less: int | None = None) -> Pick:
    """Nats on the cards held, of hands that ended so; ``less`` takes off those of another model."""

    def pick(result: TaskResult) -> Array:
        own = result["gains"][:, model]
        return _fated(own if less is None else own - result["gains"][:, less], result, fates)

    return pick


@named_pick
def covered(model: int, mass: float, fates: Sequence[int] = ALL) -> Pick:
    """Whether the cards lie in the likeliest holdings that have this mass; ties count in part."""

    def pick(result: TaskResult) -> Array:
        return _fated(share_covered(result["likelier"][:, model], mass), result, fates)

    return pick


@named_pick
def top(model: int, low: int, predicted: bool) -> Pick:
    """Chances of one of the best quarter that lie in one tenth, or whether it was one there."""

    def pick(result: TaskResult) -> Array:
        chance = result["top"][:, model]
        return np.where(in_tenth(chance, low), chance if predicted else result["is_top"], np.nan)

    return pick


def _tables(sources: Mapping[str, TaskMeans]) -> Iterator[ResultTable]:
    yield means_table(
        "gain",
        "nats per hand",
        (
            (
                source,
                f"{name}: {words} ({count:,})",
                {model: gain(n, fates) for n, model in enumerate(_used(source))},
            )
            for name, source in sources.items()
            for words, fates in FATES.items()
            if (count := sum(map(source.count, fates)))
        ),
        "players",
        "log P(cards) beyond even chances, after the player's last action that was no fold.",
        3,
    )
    yield means_table(
        "calibration",
        "% of hands",
        (
            (source, f"{name}: {model}", {f"likeliest {mass:.0%}": covered(n, mass) for mass in COVERED})
            for name, source in sources.items()
            for n, model in enumerate(_used(source))
        ),
        "players",
        "How often the cards lie in the smallest set of holdings that has this mass.",
        1,
    )


def _claims(name: str, source: TaskMeans) -> Iterator[Claim]:
    used = _used(source)

    def text(number: Estimate | None) -> str:
        return worded(number, 3, "nats", "nothing shown")

    for number, model in enumerate(used):
        found = source.mean(gain(number))
        words = f"{name}: {model} knows more of cards shown than that all are alike"
        yield Claim.judged(words, above(found), text(found))
    for mine, other in (
        ("completed prior", SHOWDOWN),
        ("completed player", "completed prior"),
        ("relational prior", SHOWDOWN),
        ("relational player", "relational prior"),
        ("relational player", "completed player"),
    ):
        if mine in used and other in used:
            more = source.mean(gain(used.index(mine), less=used.index(other)))
            yield Claim.judged(f"{name}: {mine} is ahead of {other} on cards shown", above(more), text(more))
    if name == KNOWN:
        for number, model in enumerate(used):
            shares = {mass: source.mean(covered(number, mass)) for mass in COVERED}
            words = f"with all cards known, ranges of {model} are calibrated to within {CALIBRATED:.0%}"
            yield calibrated(words, shares, 1)


def _figures(sources: Mapping[str, TaskMeans]) -> tuple[Figure, ...]:
    if not sources:
        return ()
    coverage, reliability = [], []
    for name, source in sources.items():
        held = {model: partial(covered, number) for number, model in enumerate(_used(source))}
        best = {model: partial(top, number) for number, model in enumerate(_used(source))}
        coverage.append(coverage_panel(name, source, held, "share of hands"))
        reliability.append(reliability_panel(name, source, best, "predicted chance of the best quarter"))
    return (
        Figure(
            "coverage",
            "Share of hands whose cards are among the likeliest holdings of a given mass. Calibrated ranges "
            "lie on the diagonal, too sure ones below it.",
            tuple(coverage),
            columns=len(sources),
        ),
        Figure(
            "reliability",
            "How often a player held one of the best quarter of hands, where that was predicted with a "
            "chance, in tenths; 95% intervals over players.",
            tuple(reliability),
            columns=len(sources),
        ),
    )
