"""Are the deviations that a profile calls sure real, and how many real ones does it find? (Ours; no paper.)

Crowds of simulated players (`soulread.reproduce.kit.simulated_pool`) play ring limit hold'em. Every player
has habits of their own. In some players two habits are *planted*: set to so many logits off the crowd, up or
down. Then planted and clean players are profiled after 500, 2,000 and 10,000 hands, against the others, of
whom each has between 500 and 10,000 hands.

`soulread.reproduce.ours.planted_habits` plays and profiles them, and says when a claim is false.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from soulread.estimate import Estimate, Sampling
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.means import Array
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import Condition, above, all_of, below, negated, share_above
from soulread.reproduce.ours.planted_habits import (
    CLEAN,
    HANDS,
    LONG,
    PLANTABLE,
    PLANTED,
    PLAYERS,
    SIZES,
    judge_crowd,
)
from soulread.study.profile.deviations import LEVEL
from soulread.study.profile.population import SCOPES
from soulread.tasks import Task, TaskResult

MOST_FALSE = 0.05


def profile_leaks(options: RunOptions) -> Report:
    """Judge crowds and say how many sure claims are false, and how many planted habits are found."""
    sizes = options.sizes(matches=(2, 16), long=(LONG // 4, LONG))
    crowds, common = sizes["matches"], {"long": sizes["long"], "level": LEVEL, "margin": 0.0}
    grid = TaskGrid({"": [Task(judge_crowd, {**common, "seed": options.seed + k}) for k in range(crowds)]})
    grid.run(options)
    results = sorted(grid.at(""), key=lambda result: result.task.text)
    return Report(
        name="profile-leaks",
        title="deviations that a profile calls sure, in crowds whose habits are known",
        source="own; no paper",
        settings={
            "crowds": crowds,
            "players of a crowd": PLAYERS,
            "profiled": PLANTED + CLEAN,
            "planted habits": 2 * PLANTED,
            "sizes, logits": list(SIZES),
            "hands for the truth": sizes["long"],
            "level": LEVEL,
            "margin": 0.0,
            "seeds": [options.seed, options.seed + crowds - 1],
            "scopes": len(SCOPES),
        },
        tables=tuple(_tables(results)) if results else (),
        claims=tuple(_claims(results)),
        figures=(_figure(results),) if results else (),
        seconds=grid.seconds,
        notes=(
            "A crowd is a sample. Level and margin were chosen with benchmarks/choose_profile.py on crowds "
            "of the seeds 9001 to 9008.",
        ),
    )


def _counts(results: Sequence[TaskResult], name: str, h: int) -> Array:
    """Sure claims, or false ones, of each crowd after the ``h``-th number of hands."""
    return np.array([result[name][h].sum() for result in results], np.float64)


def false_share(results: Sequence[TaskResult], h: int) -> Estimate | None:
    """Of all sure claims after the ``h``-th number of hands, the share that is false; crowds are samples."""
    return _ratio(_counts(results, "false", h), _counts(results, "claims", h))


def few_false(results: Sequence[TaskResult], h: int) -> Condition:
    """At most `MOST_FALSE` of the sure claims are false: over crowds, and by the binomial distribution.

    If no claim at all is false, crowds do not differ, and only the latter says how many claims that takes.
    """
    claims, false = (int(_counts(results, name, h).sum()) for name in ("claims", "false"))
    more = share_above(np.arange(claims) < false, MOST_FALSE)
    return all_of([below(false_share(results, h), MOST_FALSE), negated(more)])


def found_share(results: Sequence[TaskResult], h: int, size: float) -> Estimate | None:
    """Of the planted habits of a size that are real, the share found after the ``h``-th number of hands."""
    meant = [(result["size"] == size) & result["real"] for result in results]
    found = [(result["found"][h] & each).sum() for result, each in zip(results, meant, strict=True)]
    return _ratio(np.array(found, np.float64), np.array([each.sum() for each in meant], np.float64))


def _ratio(top: Array, bottom: Array) -> Estimate | None:
    """A ratio of sums over crowds, with the standard error of a ratio."""
    if not bottom.sum():
        return None
    return Sampling(1, top.size, False).ratio(top[None, :], bottom[None, :])


def _tables(results: Sequence[TaskResult]) -> Iterator[ResultTable]:
    sample = f"{len(results)} crowds"
    measures = []
    for h, hands in enumerate(HANDS):
        claims, false = (float(_counts(results, name, h).sum()) for name in ("claims", "false"))
        profiles = sum(result["claims"][h].size for result in results)
        row = f"after {hands:,} hands"
        measures += [
            Measure(row, "false of all sure claims", false_share(results, h)),
            Measure(row, "sure claims", claims),
            Measure(row, "false ones", false),
            Measure(row, "claims of a profile", claims / profiles),
        ]
    yield ResultTable("sure claims", "share or number", measures, sample)
    measures = [
        Measure(f"after {hands:,} hands", f"{size} logits", found_share(results, h, size))
        for h, hands in enumerate(HANDS)
        for size in SIZES
    ]
    notes = []
    for size in SIZES:
        planted = np.concatenate([result["size"] == size for result in results])
        real = np.concatenate([result["real"] for result in results]) & planted
        outside = f"{real.sum()} of {planted.sum()} planted habits are outside of the middle in the long run"
        notes.append(f"{size} logits: {outside}")
    yield ResultTable("planted habits found", "share", measures, sample, "; ".join(notes))
    measures = []
    for i, habit in enumerate(PLANTABLE):
        meant = [(result["habit"] == i) & result["real"] for result in results]
        count = sum(int(each.sum()) for each in meant)
        for h, hands in enumerate(HANDS):
            hits = sum(int((r["found"][h] & each).sum()) for r, each in zip(results, meant, strict=True))
            measures.append(Measure(habit, f"after {hands:,}", hits / count if count else None))
        measures.append(Measure(habit, "planted", float(count)))
    yield ResultTable("found, by habit", "share, and number planted", measures, digits=2)


def _claims(results: Sequence[TaskResult]) -> Iterator[Claim]:
    for h, hands in enumerate(HANDS):
        share, claims = false_share(results, h), int(_counts(results, "claims", h).sum())
        yield Claim.judged(
            f"of the sure claims after {hands:,} hands at most {MOST_FALSE:.0%} are false",
            few_false(results, h),
            worded(share, unit=f"of {claims:,} claims"),
        )
    large = found_share(results, len(HANDS) - 1, SIZES[1])
    yield Claim.judged(
        f"of the planted habits of {SIZES[1]} logits most are found after {HANDS[-1]:,} hands",
        above(large, 0.5),
        worded(large),
    )


def _figure(results: Sequence[TaskResult]) -> Figure:
    def curve(label: str, shares: Sequence[Estimate | None]) -> Curve:
        """A curve over hands; the share in a single crowd is drawn without an interval."""
        known = [share if share is None or share.n > 1 else Estimate(share.mean, 0.0, 2) for share in shares]
        return curve_of(label, zip(map(float, HANDS), known, strict=True), low=0.0, high=1.0)

    numbers = range(len(HANDS))
    by_size = {size: [found_share(results, h, size) for h in numbers] for size in SIZES}
    found = tuple(curve(f"{size} logits off", shares) for size, shares in by_size.items())
    false = (curve("false", [false_share(results, h) for h in numbers]),)
    hands, promised = "hands of the player", (Level("promised", MOST_FALSE),)
    panels = (
        Panel("planted habits found", hands, "share found", found, logarithmic=True),
        Panel("false among sure claims", hands, "share false", false, promised, logarithmic=True),
    )
    return Figure("found", "What a profile calls sure, after how many hands; 95% intervals.", panels)
