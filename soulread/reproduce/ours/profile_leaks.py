"""Are the deviations that a profile calls sure real, and how many real ones does it find? (Ours; no paper.)

Crowds of simulated players (`soulread.reproduce.kit.simulated_pool`) play ring limit hold'em. Every player
has habits of their own. In some players two habits are *planted*: set to so many logits off the crowd, up or
down. Then planted and clean players are profiled after 500, 2,000 and 10,000 hands, against the others, of
whom each has between 500 and 10,000 hands.

*The truth* is measured, not assumed: the same crowd plays 400,000 hands more. A sure claim says that a player
does something more often than three of four others (or less often). It is false if in the long run fewer than
three of four others are below (or above). This does not use the model of the spread that the profile uses.

A planted habit is *found* if a sure claim of its statistic has its direction, over all positions or in one.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.hands.facts import Facts
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.experiment import Options
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.simulated_pool import HABITS, SEATS, Crowd
from soulread.reproduce.kit.verdict import Condition, above, all_of, below, share_above
from soulread.study.profile.deviations import LEVEL, sure_scopes
from soulread.study.profile.population import MIDDLE, SCOPES, TESTED, Population, Scope
from soulread.tasks import Task, TaskResult, Values, kept_as

HANDS = (500, 2_000, 10_000)
PLAYERS = 60
PLANTED = 16  # players with planted habits
CLEAN = 8  # other players who are profiled
SIZES = (0.8, 1.4)  # logits; the habits of the crowd have a standard deviation of about 0.4
MOST_FALSE = 0.05
LONG = 400_000  # hands for the truth
_PART = 100_000
_OWN, _STYLE = 0.3, 0.2  # standard deviations: of each habit, and of looseness and boldness

NAMES = tuple(statistic.name for statistic in TESTED)
PLANTABLE = tuple(habit for habit in HABITS if habit in NAMES)
_LOOSE = ("limp", "call a raise"), ("fold to 3-bet", "fold to steal", "fold to c-bet flop", "fold")
_BOLD = ("open", "steal", "3-bet", "4-bet", "raise c-bet", "donk", "bet", "raise", "check-raise"), ()


class Trial:
    """A crowd with planted habits, its truth, and what is known of its players after so many hands."""

    def __init__(
        self,
        seed: int,
        players: int = PLAYERS,
        planted: int = PLANTED,
        clean: int = CLEAN,
        long: int = LONG,
        hands: Sequence[int] = HANDS,
    ) -> None:
        rng = np.random.default_rng(seed)
        habits = _habits(players, rng)
        self.plan: list[tuple[int, int, float]] = []  # player, habit, direction times size
        for player in range(planted):
            for k, habit in enumerate(rng.choice(len(PLANTABLE), 2, replace=False)):
                amount = SIZES[(player + k) % 2] * (1 if rng.random() < 0.5 else -1)
                self.plan.append((player, int(habit), amount))
                habits[player, HABITS.index(PLANTABLE[habit])] = amount
        crowd = Crowd(habits)
        self.shares = _truth(crowd, long, seed)
        most = max(hands)
        owners, facts = crowd.play(int(1.15 * most * players / SEATS), rng)
        lengths = np.exp(rng.uniform(np.log(500), np.log(most), players)).astype(np.int64)
        self.population, self._rows = _versions(owners, facts, lengths, hands, planted + clean)
        pool = np.arange(players)
        self._spreads = [self.population.spreads(pool[pool != player]) for player in range(planted + clean)]

    def judge(self, level: float = LEVEL) -> Values:
        """Claims, false claims, and which planted habits were found.

        ``claims`` and ``false`` are ``[hands, profiled]``, the planted players first. ``found`` is ``[hands,
        planted habits]``; ``size`` and ``habit`` say which these are, ``real`` whether the long run confirms
        them.
        """
        claims = np.zeros(self._rows.shape, np.int64)
        false = np.zeros_like(claims)
        found = np.zeros((len(claims), len(self.plan)), np.bool_)
        for player, spreads in enumerate(self._spreads):
            mine = [(i, *planted[1:]) for i, planted in enumerate(self.plan) if planted[0] == player]
            for h, row in enumerate(self._rows[:, player].tolist()):
                sure, _ = sure_scopes(self.population, row, spreads, level)
                sides = {scope: standing.outside for scope, standing in sure.items()}
                claims[h, player] = len(sides)
                false[h, player] = sum(
                    not is_true(self.shares[scope][player], side) for scope, side in sides.items()
                )
                for i, habit, amount in mine:
                    name = NAMES.index(PLANTABLE[habit])
                    found[h, i] = any(
                        scope.statistic == name and side == np.sign(amount) for scope, side in sides.items()
                    )
        real = [
            is_true(self.shares[Scope(NAMES.index(PLANTABLE[habit]))][player], int(np.sign(amount)))
            for player, habit, amount in self.plan
        ]
        return {
            "claims": claims,
            "false": false,
            "found": found,
            "real": np.array(real, np.bool_),
            "habit": np.array([habit for _, habit, _ in self.plan], np.int64),
            "size": np.array([abs(amount) for _, _, amount in self.plan]),
        }


@kept_as("soulread.reproduce.profile_leaks:judge_crowd")
def judge_crowd(seed: int, long: int, level: float, margin: float) -> Values:
    """One crowd, judged: a task. ``margin`` is always 0; it belongs to the keys of kept results."""
    return Trial(seed, long=long).judge(level)


def _habits(players: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Habits around the crowd's: of each its own, and two styles that move many of them together."""
    habits = _OWN * rng.standard_normal((players, len(HABITS)))
    for more, less in (_LOOSE, _BOLD):
        style = _STYLE * rng.standard_normal(players)
        for names, sign in ((more, 1), (less, -1)):
            for name in names:
                habits[:, HABITS.index(name)] += sign * style
    return habits


def _truth(crowd: Crowd, hands: int, seed: int) -> dict[Scope, NDArray[np.float64]]:
    """For each scope and player, the share of the other players who do it less often in the long run."""
    rng = np.random.default_rng((seed, 1))
    made = [crowd.play(min(_PART, hands - first), rng) for first in range(0, hands, _PART)]
    long = Population(lambda: iter(made), least=1)
    shares = {}
    for scope, spread in long.spreads(long.regulars).items():
        order = spread.shifts[:, None] > spread.shifts[None, :]
        shares[scope] = order.sum(axis=1) / (order.shape[0] - 1)
    return shares


def is_true(share: float, side: int) -> bool:
    """Whether somebody with so many others below is really on this side of the middle."""
    edge = (1 + MIDDLE) / 2
    return share >= edge if side > 0 else 1 - share >= edge


def _versions(
    owners: NDArray[np.int64],
    facts: Facts,
    lengths: NDArray[np.int64],
    hands: Sequence[int],
    profiled: int,
) -> tuple[Population, NDArray[np.int64]]:
    """One population in which each player is there with the hands of the pool, and again with fewer or more.

    Returns it and the index of each profiled player's version ``[hands, profiled]``.
    """
    players = lengths.size
    order = np.argsort(owners, kind="stable")
    nth = np.empty(owners.size, np.int64)
    starts = np.searchsorted(owners[order], np.arange(players))
    nth[order] = np.arange(owners.size) - starts[owners[order]]
    made = [(np.flatnonzero(nth < lengths[owners]), 0)]
    for h, most in enumerate(hands):
        made.append((np.flatnonzero((nth < most) & (owners < profiled)), (h + 1) * players))

    def parts() -> Iterator[tuple[NDArray[np.int64], Facts]]:
        for chosen, number in made:
            yield owners[chosen] + number, facts.take(chosen)

    population = Population(parts, least=1)
    numbers = np.arange(profiled) + players * (1 + np.arange(len(hands)))[:, None]
    return population, np.searchsorted(population.counted.numbers, numbers)


def profile_leaks(options: Options) -> Report:
    """Judge crowds and say how many sure claims are false, and how many planted habits are found."""
    crowds = options.matches or (2 if options.quick else 16)
    long = LONG // (4 if options.quick else 1)
    tasks = [
        Task(
            judge_crowd,
            {"seed": options.seed + k, "long": long, "level": LEVEL, "margin": 0.0},
        )
        for k in range(crowds)
    ]
    results = sorted(options.run(tasks), key=lambda result: result.task.text)
    tables = (_claims_table(results), _found_table(results), _habit_table(results)) if results else ()
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
            "hands for the truth": long,
            "level": LEVEL,
            "margin": 0.0,
            "seeds": [options.seed, options.seed + crowds - 1],
            "scopes": len(SCOPES),
        },
        tables=tables,
        claims=_judged(results),
        figures=(_figure(results),) if results else (),
        seconds=sum(result.seconds for result in results),
        notes=(
            "A crowd is a sample. Level and margin were chosen with benchmarks/choose_profile.py on crowds "
            "of the seeds 9001 to 9008.",
        ),
    )


def false_share(results: Sequence[TaskResult], h: int) -> Estimate | None:
    """Of all sure claims after the ``h``-th number of hands, the share that is false; crowds are samples."""
    claims = np.array([result["claims"][h].sum() for result in results], np.float64)
    false = np.array([result["false"][h].sum() for result in results], np.float64)
    return _ratio(false, claims)


def few_false(results: Sequence[TaskResult], h: int) -> Condition:
    """At most `MOST_FALSE` of the sure claims are false: over crowds, and by the binomial distribution.

    If no claim at all is false, crowds do not differ, and only the latter says how many claims that takes.
    """
    claims = sum(int(result["claims"][h].sum()) for result in results)
    false = sum(int(result["false"][h].sum()) for result in results)
    more = share_above(np.arange(claims) < false, MOST_FALSE)
    fewer = Condition(more.if_true, more.if_false)
    return all_of([below(false_share(results, h), MOST_FALSE), fewer])


def found_share(results: Sequence[TaskResult], h: int, size: float) -> Estimate | None:
    """Of the planted habits of a size that are real, the share found after the ``h``-th number of hands."""
    meant = [(result["size"] == size) & result["real"] for result in results]
    found = [
        float((result["found"][h] & wanted).sum()) for result, wanted in zip(results, meant, strict=True)
    ]
    return _ratio(np.array(found), np.array([float(wanted.sum()) for wanted in meant]))


def _ratio(top: NDArray[np.float64], bottom: NDArray[np.float64]) -> Estimate | None:
    """A ratio of sums over crowds, with the standard error of a ratio."""
    from soulread.estimate import Sampling

    if not bottom.sum():
        return None
    return Sampling(1, top.size, False).ratio(top[None, :], bottom[None, :])


def _claims_table(results: Sequence[TaskResult]) -> ResultTable:
    measures = []
    for h, hands in enumerate(HANDS):
        claims = sum(int(result["claims"][h].sum()) for result in results)
        profiles = sum(result["claims"][h].size for result in results)
        row = f"after {hands:,} hands"
        measures += [
            Measure(row, "false of all sure claims", false_share(results, h)),
            Measure(row, "sure claims", float(claims)),
            Measure(row, "false ones", float(sum(int(result["false"][h].sum()) for result in results))),
            Measure(row, "claims of a profile", claims / profiles),
        ]
    return ResultTable("sure claims", "share or number", tuple(measures), f"{len(results)} crowds")


def _found_table(results: Sequence[TaskResult]) -> ResultTable:
    measures = [
        Measure(f"after {hands:,} hands", f"{size} logits", found_share(results, h, size))
        for h, hands in enumerate(HANDS)
        for size in SIZES
    ]
    real = [
        int(sum((result["real"] & (result["size"] == size)).sum() for result in results)) for size in SIZES
    ]
    all_planted = [int(sum((result["size"] == size).sum() for result in results)) for size in SIZES]
    note = "; ".join(
        f"{size} logits: {there} of {every} planted habits are outside of the middle in the long run"
        for size, there, every in zip(SIZES, real, all_planted, strict=True)
    )
    return ResultTable("planted habits found", "share", tuple(measures), f"{len(results)} crowds", note)


def _habit_table(results: Sequence[TaskResult]) -> ResultTable:
    measures = []
    for i, habit in enumerate(PLANTABLE):
        for h, hands in enumerate(HANDS):
            meant = [(result["habit"] == i) & result["real"] for result in results]
            count = sum(int(wanted.sum()) for wanted in meant)
            hits = sum(int((r["found"][h] & w).sum()) for r, w in zip(results, meant, strict=True))
            measures.append(Measure(habit, f"after {hands:,}", hits / count if count else None))
        measures.append(Measure(habit, "planted", float(count)))
    return ResultTable("found, by habit", "share, and number planted", tuple(measures), digits=2)


def _judged(results: Sequence[TaskResult]) -> tuple[Claim, ...]:
    made = []
    for h, hands in enumerate(HANDS):
        share = false_share(results, h) if results else None
        text = f"of the sure claims after {hands:,} hands at most {MOST_FALSE:.0%} are false"
        claims = sum(int(result["claims"][h].sum()) for result in results)
        evidence = "not measured" if share is None else f"{share.text()} of {claims:,} claims"
        made.append(Claim.judged(text, few_false(results, h), evidence))
    large = found_share(results, len(HANDS) - 1, SIZES[1]) if results else None
    made.append(
        Claim.judged(
            f"of the planted habits of {SIZES[1]} logits most are found after {HANDS[-1]:,} hands",
            above(large, 0.5),
            "not measured" if large is None else large.text(),
        )
    )
    return tuple(made)


def _figure(results: Sequence[TaskResult]) -> Figure:
    found = Panel(
        "planted habits found",
        "hands of the player",
        "share found",
        tuple(
            _curve(f"{size} logits off", [found_share(results, h, size) for h in range(len(HANDS))])
            for size in SIZES
        ),
        logarithmic=True,
    )
    false = Panel(
        "false among sure claims",
        "hands of the player",
        "share false",
        (_curve("false", [false_share(results, h) for h in range(len(HANDS))]),),
        levels=(Level("promised", MOST_FALSE),),
        logarithmic=True,
    )
    return Figure("found", "What a profile calls sure, after how many hands; 95% intervals.", (found, false))


def _curve(label: str, shares: Sequence[Estimate | None]) -> Curve:
    known = [(hands, share) for hands, share in zip(HANDS, shares, strict=True) if share is not None]
    ends = [share.interval if share.n > 1 else (share.mean, share.mean) for _, share in known]
    return Curve(
        label,
        tuple(float(hands) for hands, _ in known),
        tuple(share.mean for _, share in known),
        tuple(max(0.0, low) for low, _ in ends),
        tuple(min(1.0, high) for _, high in ends),
    )
