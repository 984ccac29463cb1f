"""What trust in a read is worth: reads of few decisions that are only noise, and of many that show a leak.

In a river spot the player in position faces a bet. An *honest* player plays the equilibrium there. A *leaky*
one folds a part of the calls. Each sample draws n decisions of the player, makes a read of them, and answers
it twice: with the trust that n allows, and as a hard lock. What an answer wins from the player is exact, and
so is what it costs in the worst case. Both are chips beyond the equilibrium's.

The confidence n / (50 + n) was chosen on the board, ranges and seeds of `CHOOSING`, among 50, 100, 200 and
400. It is reported on those of `REPORTING`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.model.deviation.fit_range import fit_frequencies
from soulread.reproduce.kit.experiment import Options
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
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
_GAP = 0.002  # of the pot


@dataclass(frozen=True)
class Ground:
    """A river spot, the bet that is faced in it, and the first seed."""

    board: str
    oop: str
    ip: str
    bet: str
    seed: int


CHOOSING = Ground("Td9d6hQc2s", "66+,A9s+,KQs,JTs,87s,76s", "QQ-77,AQs-A9s,KTs+,87s,J8s", "bet60", 100)
REPORTING = Ground("Ks8h4c7d2h", "22+,A8s+,K9s+,QTs+,76s,65s", "JJ-55,A2s+,KTs+,Q9s+,98s,87s,KQo", "bet60", 1)


def locks(options: Options) -> Report:
    """The experiment."""
    samples = options.matches or (4 if options.quick else SAMPLES)
    tasks = {
        (truth, n): Task(
            answer,
            {"truth": truth, "n": n, "first": options.seed, "samples": samples},
            VERSION,
        )
        for truth, n in GROUPS
    }
    found = {result.task.key: result for result in options.run(tasks.values())}
    values = {group: found[task.key]["values"] for group, task in tasks.items() if task.key in found}
    measures = []
    numbers: dict[tuple[str, int, str], Estimate] = {}
    columns = "won by trust", "won by hard lock", "cost of trust", "cost of hard lock"
    for (truth, n), table_of in values.items():
        for i, column in enumerate(columns):
            number = Estimate.of(table_of[:, i])
            numbers[truth, n, column] = number
            measures.append(Measure(f"{truth}, n = {n:,}", column, number))
    shares = {group: Estimate.of(_share(table_of)) for group, table_of in values.items()}
    noise, leak = ("honest", 20), ("leaky", 2000)
    claims = (
        Claim.judged(
            "A leak that is noise (n = 20) is hardly attacked: the answer costs at most 1% of the pot.",
            at_most(numbers.get((*noise, "cost of trust")), 2.0),
            f"cost {_text(numbers.get((*noise, 'cost of trust')))} chips of a pot of 200; the hard lock "
            f"costs {_text(numbers.get((*noise, 'cost of hard lock')))}",
        ),
        Claim.judged(
            "Trust loses less to the honest player than the hard lock does (n = 20).",
            above(_less(values.get(noise), 0), 0.0),
            f"{_text(numbers.get((*noise, 'won by trust')))} against "
            f"{_text(numbers.get((*noise, 'won by hard lock')))} chips",
        ),
        Claim.judged(
            "A leak that was seen 2,000 times is attacked: at least 80% of what the hard lock wins.",
            above(shares.get(leak), 0.8),
            f"share {_text(shares.get(leak), 2)}; {_text(numbers.get((*leak, 'won by trust')))} of "
            f"{_text(numbers.get((*leak, 'won by hard lock')))} chips",
        ),
        Claim.judged(
            "And it costs less than the hard lock in the worst case.",
            below(_less(values.get(leak), 2), 0.0),
            f"cost {_text(numbers.get((*leak, 'cost of trust')))} against "
            f"{_text(numbers.get((*leak, 'cost of hard lock')))} chips",
        ),
    )
    table = ResultTable(
        "won from the player, and cost in the worst case, beyond the equilibrium",
        "chips of a pot of 200",
        tuple(measures),
        f"{samples} reads",
        digits=2,
    )
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
        claims=claims,
        seconds=sum(result.seconds for result in found.values()),
        notes=(f"The confidence was chosen on {CHOOSING.board} with seeds from {CHOOSING.seed} on.",),
    )


def _share(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of what the hard lock wins, on average, the part that each answer with trust wins."""
    return np.asarray(values[:, 0] / values[:, 1].mean())


def _less(values: NDArray[np.float64] | None, column: int) -> Estimate | None:
    """By how much a column of trust is above that of the hard lock."""
    return None if values is None else Estimate.of(values[:, column] - values[:, column + 1])


def _text(number: Estimate | None, digits: int = 2) -> str:
    return "not measured" if number is None else number.text(digits)


@kept_as("soulread.reproduce.spot_locks:answer")
def answer(truth: str, n: int, first: int, samples: int, reporting: bool = True) -> Values:
    """Reads of n decisions, one for each seed from ``first`` on, answered with trust and as hard locks.

    ``values [samples, 4]``: won by trust, won by the hard lock, cost of trust, cost of the hard lock.
    """
    ground = REPORTING if reporting else CHOOSING
    setting = make_setting(ground)
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
class Setting:
    """A spot, its equilibrium, and how the two players answer the bet."""

    spot: Spot
    baseline: Baseline
    actions: tuple[str, ...]
    weights: NDArray[np.float64]  # [width] of the player's hands when the bet is made
    honest: NDArray[np.float64]  # [actions, width]
    leaky: NDArray[np.float64]
    rows: slice

    def against(self, table: NDArray[np.float64], plan: Plan) -> float:
        """What a plan of the player out of position wins from a player who answers the bet so, in chips."""
        game = self.baseline.game
        behaviour = self.baseline.behaviours[1].copy()
        behaviour[self.rows] = table.ravel()
        villain = plan_from_behaviour(game.trees[1], in_precision(behaviour, game.payoff.dtype))
        return game.value(plan, villain)


def make_setting(ground: Ground) -> Setting:
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
    return Setting(spot, baseline, actions, weights, honest, leaky, rows)
