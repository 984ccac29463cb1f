"""The worth of trust in a read: reads of few decisions that are only noise, and of many that show a leak.

In a river spot the player in position faces a bet. An *honest* player plays the equilibrium there. A *leaky*
one folds a part of the calls. Each sample draws n decisions of the player, makes a read of them, and answers
it twice: with the trust that n allows, and as a hard lock. What an answer wins from the player is exact, and
so is what it costs in the worst case. Both are chips beyond the equilibrium's.

The confidence n / (50 + n) was chosen on the board, ranges and seeds of `CHOOSING`, among 50, 100, 200 and
400. It is reported on those of `REPORTING`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from soulread.estimate import Estimate
from soulread.model.deviation.fit_range import fit_frequencies
from soulread.report.figures import BarPanel, Bars, Figure
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.means import Array
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import above, at_most, below
from soulread.respond.confidence import p_conf, parse_confidence
from soulread.respond.locks.reads import Read, lock_reads
from soulread.respond.locks.trust import DEFAULT_CONFIDENCE, Baseline, find_baseline, trust_curve
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.reach import arrivals, by_orbit
from soulread.seqform.spot import Spot, action_word
from soulread.seqform.strategy import Plan, in_precision, plan_from_behaviour
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.real_cards.spot_files import read_spot
from soulread.tasks import Task, Values, kept_as

VERSION = 1
SAMPLES = 20
LEAK = 0.4  # of the calls, which become folds
GROUPS = (("honest", 20), ("honest", 200), ("leaky", 200), ("leaky", 2000))
COLUMNS = "won by trust", "won by hard lock", "cost of trust", "cost of hard lock"
_GAP = 0.002  # of the pot


@dataclass(frozen=True)
class RiverSpot:
    """A river spot, the bet that is faced in it, and the first seed."""

    board: str
    oop: str
    ip: str
    bet: str
    seed: int


CHOOSING = RiverSpot("Td9d6hQc2s", "66+,A9s+,KQs,JTs,87s,76s", "QQ-77,AQs-A9s,KTs+,87s,J8s", "bet60", 100)
REPORTING = RiverSpot(
    "Ks8h4c7d2h", "22+,A8s+,K9s+,QTs+,76s,65s", "JJ-55,A2s+,KTs+,Q9s+,98s,87s,KQo", "bet60", 1
)


def locks(options: RunOptions) -> Report:
    """Answer reads of both players with trust and as hard locks, and judge what trust is worth."""
    samples = options.matches or (4 if options.quick else SAMPLES)
    common = {"first": options.seed, "samples": samples}
    grid = TaskGrid(
        {(truth, n): [Task(answer, {**common, "truth": truth, "n": n}, VERSION)] for truth, n in GROUPS}
    )
    grid.run(options)
    values = {group: grid.at(group)[0]["values"] for group in grid.finished}
    measures = [
        Measure(f"{truth}, n = {n:,}", column, Estimate.of(found[:, i]))
        for (truth, n), found in values.items()
        for i, column in enumerate(COLUMNS)
    ]
    title = "won from the player, and cost in the worst case, beyond the equilibrium"
    table = ResultTable(title, "chips of a pot of 200", measures, f"{samples} reads", digits=2)
    return Report(
        name="spot-locks",
        title="Locks with trust: noise and leaks",
        source="own",
        settings={
            "seed": options.seed,
            "samples": samples,
            "confidence": DEFAULT_CONFIDENCE,
            "board": REPORTING.board,
            "oop": REPORTING.oop,
            "ip": REPORTING.ip,
        },
        tables=(table,),
        claims=_claims(values.get(("honest", 20)), values.get(("leaky", 2000))),
        seconds=grid.seconds,
        figures=_figures(values),
        notes=(f"The confidence was chosen on {CHOOSING.board} with seeds from {CHOOSING.seed} on.",),
    )


def _figures(values: Mapping[tuple[str, int], Array]) -> tuple[Figure, ...]:
    """What both answers win and cost, a group of bars for each player and n."""
    if not values:
        return ()
    groups = tuple(f"{truth}, n = {n:,}" for truth, n in values)

    def panel(title: str, first: int) -> BarPanel:
        bars = []
        for column, label in ((first, "trust"), (first + 1, "hard lock")):
            found = [Estimate.of(rows[:, column]) for rows in values.values()]
            errors = tuple(one.half_width for one in found)
            bars.append(Bars(label, tuple(one.mean for one in found), errors))
        return BarPanel(title, "chips of a pot of 200", groups, tuple(bars))

    caption = "An answer that trusts a read as far as its n allows, beside one that takes it for certain"
    return (Figure("worth", caption, (panel("won from the player", 0), panel("cost in the worst case", 2))),)


def _claims(noise: Array | None, leak: Array | None) -> tuple[Claim, ...]:
    """The claims on trust, by the values of reads that are noise and of reads of a leak."""

    def mean(values: Array | None, column: str) -> Estimate | None:
        return None if values is None else Estimate.of(values[:, COLUMNS.index(column)])

    def more(values: Array | None, column: int) -> Estimate | None:
        """The mean of a column of trust less that of the hard lock."""
        return None if values is None else Estimate.of(values[:, column] - values[:, column + 1])

    def words(values: Array | None) -> dict[str, str]:
        return {column: worded(mean(values, column), 2) for column in COLUMNS}

    share = None if leak is None else Estimate.of(leak[:, 0] / leak[:, 1].mean())
    noisy, leaky = words(noise), words(leak)
    return (
        Claim.judged(
            "A leak that is noise (n = 20) is hardly attacked: the answer costs at most 1% of the pot.",
            at_most(mean(noise, "cost of trust"), 2.0),
            f"cost {noisy['cost of trust']} chips of a pot of 200; the hard lock costs "
            f"{noisy['cost of hard lock']}",
        ),
        Claim.judged(
            "Trust loses less to the honest player than the hard lock does (n = 20).",
            above(more(noise, 0)),
            f"{noisy['won by trust']} against {noisy['won by hard lock']} chips",
        ),
        Claim.judged(
            "A leak that was seen 2,000 times is attacked: at least 80% of what the hard lock wins.",
            above(share, 0.8),
            f"share {worded(share, 2)}; {leaky['won by trust']} of {leaky['won by hard lock']} chips",
        ),
        Claim.judged(
            "And it costs less than the hard lock in the worst case.",
            below(more(leak, 2)),
            f"cost {leaky['cost of trust']} against {leaky['cost of hard lock']} chips",
        ),
    )


@kept_as("soulread.reproduce.spot_locks:answer")
def answer(truth: str, n: int, first: int, samples: int, reporting: bool = True) -> Values:
    """Reads of n decisions, one for each seed from ``first`` on, answered with trust and as hard locks.

    ``values [samples, 4]`` has the `COLUMNS`, in chips.
    """
    ground = REPORTING if reporting else CHOOSING
    setting = solve_ground(ground)
    table = setting.honest if truth == "honest" else setting.leaky
    shares = table @ setting.weights
    trust = float(p_conf(parse_confidence(DEFAULT_CONFIDENCE), np.array([float(n)]))[0])
    start = setting.against(table, setting.baseline.plans[0])
    stops = Stops(gap=_GAP * setting.spot.betting.pot, iterations=2000)
    values = np.empty((samples, 4))
    for i in range(samples):
        rng = np.random.default_rng([ground.seed, first + i, n])
        counts = rng.multinomial(n, shares / shares.sum())
        for k, confidence in enumerate((trust, 1.0)):
            read = Read(
                ground.bet,
                dict(zip(setting.actions, (counts / n).tolist(), strict=True)),
                confidence=confidence,
                n=n,
            )
            made = lock_reads(setting.spot, [read], setting.baseline.plans, setting.baseline.behaviours)
            curve = trust_curve(setting.baseline, 1, [one.lock for one in made], (1.0,), "c", stops)
            found = curve.answers[-1]
            values[i, k] = setting.against(table, found.response.plan) - start
            values[i, 2 + k] = curve.cost(found)
    return {"values": values}


@dataclass(frozen=True, eq=False)
class SolvedSpot:
    """A spot, its equilibrium, and how the two players answer the bet."""

    spot: Spot
    baseline: Baseline
    actions: tuple[str, ...]
    weights: Array  # [width] of the player's hands when the bet is made
    honest: Array  # [actions, width]
    leaky: Array
    rows: slice

    def against(self, table: Array, plan: Plan) -> float:
        """Chips that a plan of the player out of position wins from a player who answers the bet so."""
        game = self.baseline.game
        behaviour = self.baseline.behaviours[1].copy()
        behaviour[self.rows] = table.ravel()
        villain = plan_from_behaviour(game.trees[1], in_precision(behaviour, game.payoff.dtype))
        return game.value(plan, villain)


def solve_ground(ground: RiverSpot) -> SolvedSpot:
    """Solve the spot of a ground."""
    spot = read_spot(
        ground.board, ground.oop, ground.ip, 200, 900, "60%,a", "2.5x", None, None, 1.5, 0.15, 0.1
    )
    baseline = find_baseline(spot_game(spot), Stops(gap=_GAP / 2 * spot.betting.pot, iterations=4000))
    place = spot.find(ground.bet)
    actions = tuple(action_word(action) for action in spot.node(place).actions)
    weights = by_orbit(spot, place, 1, arrivals(spot, place, baseline.plans))
    weights /= weights.sum()
    rows = spot.rows(place)
    honest = np.asarray(baseline.behaviours[1][rows], dtype=np.float64).reshape(len(actions), -1)
    honest = honest / honest.sum(axis=0)
    shares = honest @ weights
    fold, call = actions.index("fold"), actions.index("call")
    shares[fold] += LEAK * shares[call]
    shares[call] *= 1 - LEAK
    leaky = fit_frequencies(honest, weights, shares / shares.sum())
    return SolvedSpot(spot, baseline, actions, weights, honest, leaky, rows)
