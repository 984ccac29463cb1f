"""Whole-player locks: do intervals hold what they promise, and what is won beyond hard locks?

*Simulated players.* A pool is made around a centre, which is the equilibrium of a river spot bent at random.
Its players differ from the centre like a Dirichlet distribution, whose strength is drawn for each kind of
decision. Sixty of them are seen for 100 to 1,000 hands, and the prior is learned from these counts. Then
`MEMBERS` new players of the pool are drawn, and so is the way in which a player's frequencies become hands.
Of n hands of such a player the study counts every decision, answers, and promises a gain with an interval.
What the answer really wins from the player is exact. The same counts are answered as hard locks of all
decisions that were seen, as `soulread lock --player` does it; with the trust that their numbers allow; in
full trust; and within budgets of risk. Pools are the samples of intervals.

*Real players* (``--data``: hands of no-limit; each file is a pool of its own). n hands of a player with
heads-up decisions after the flop are read, on top of everybody else's. The true player is not known, but the
player's other hands are. So the interval foretells the gain at the frequencies that are *counted* in the
other hands: each draw of the player makes as many decisions as the player made there. It is held against the
gain at the frequencies that were counted. A kind of decision that is not among them counts as believed on
both sides. Folded hands are not seen, so all draws become hands by weight shifting: this part tests
frequencies. A player is read up to `WINDOWS` times, from hands that follow one another, and answered on six
rivers; intervals over players take that into account.

The trust of the answer (`soulread.study.reads.whole.TRUST`) was chosen on the spots and seeds of `CHOOSING`
and on six more rivers, among .8, .85, .9, .925, .95, .97 and .98: it is the least with which the answer won
at least as much as hard locks on each of the eight, after 50, 200 and 1,000 hands (20 pools each). The k of
n / (k + n) was chosen on the spots of `CHOOSING`. That the counts of real players need no discount was seen
there too, on every other real player. All is reported on the rest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate, Sampling
from soulread.hands.store import Store
from soulread.model.deviation.model import METHODS
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.means import Array
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import above, at_most, below, within
from soulread.respond.confidence import p_conf, parse_confidence
from soulread.respond.locks.reads import Read, lock_reads
from soulread.respond.locks.trust import Answer, Baseline, LockCurve, find_baseline, trust_curve
from soulread.respond.locks.whole import (
    PlayerBelief,
    PlayerFrame,
    PlayerRead,
    believe,
    beyond_equilibrium,
    gains,
    middle,
    villain_nodes,
)
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.real_cards.spot_files import read_spot
from soulread.solvers.restricted import Lock
from soulread.study.reads.pool_counts import PoolDecisions, pool_decisions
from soulread.study.reads.whole import (
    CERTAIN,
    CONFIDENCE,
    TRUST,
    SeenKind,
    empty_read,
    kinds_of,
    read_of,
)
from soulread.study.spots.player_counts import SpotSituation, situation_at
from soulread.tasks import Json, Task, Values, kept_as

VERSION = 3
HANDS = 50, 200, 1000
REAL_HANDS = 50, 200, 500
POOLS = 30  # of each spot and n
BLOCK = 5  # pools of a task
MEMBERS = 10  # players of a pool that are read
SPREAD = 10.0, 80.0  # least and most strength of a pool, even in logarithms
POOL = 60  # players of a simulated pool
BENT = 40.0  # strength of the draw of a pool's centre around the equilibrium
DRAWS = 400
RISKS = 0.01, 0.05, 0.1, 0.2  # of the pot, stated
TRUSTS = 0.5, 0.75, 0.9, TRUST, 0.97, 1.0
LATER = 100  # other hands of a real player that are foretold, at least
WINDOWS = 30  # reads of a real player
COLUMNS = (
    "covered",
    "width",
    "gain",
    "gain of full trust",
    "gain of hard locks",
    "gain by n",
    "cost",
    "cost of full trust",
    "cost of hard locks",
    "cost by n",
    *(f"gain at risk {risk:.0%}" for risk in RISKS),
    "risk kept",  # the most by which a cost is above its budget, in parts of it
    "beyond the worst case",  # the least that is won beyond the equilibrium's worst case less the risk
    "pool",
)
REAL_COLUMNS = (
    "covered",
    "width",
    "gain",
    "gain of hard locks",
    "cost",
    "cost of hard locks",
    "promised",
    "player",
)
_GAP = 0.003  # of the pot


@dataclass(frozen=True)
class WholeGround:
    """A river spot and who is read in it."""

    board: str
    oop: str
    ip: str
    bets: str
    villain: int
    seed: int

    def spot(self) -> Spot:
        """The spot: pot 200, stacks 400."""
        return read_spot(
            self.board, self.oop, self.ip, 200, 400, self.bets, "2.5x", None, None, 1.5, 0.15, 0.1
        )


_RANGES = "22+,A8s+,K9s+,QTs+,76s,65s", "JJ-55,A2s+,KTs+,Q9s+,98s,87s,KQo"
_OTHERS = "66+,A9s+,KQs,JTs,87s,76s", "QQ-77,AQs-A9s,KTs+,87s,J8s"
CHOOSING = {
    "choose ip": WholeGround("Td9d6hQc2s", *_OTHERS, "50%", 1, 1000),
    "choose oop": WholeGround("Ac7c3d8hJs", *_OTHERS, "75%", 0, 1001),
}
REPORTING = {
    "Ks8h4c7d2h, ip": WholeGround("Ks8h4c7d2h", *_RANGES, "60%", 1, 1),
    "Qd9c5s5hAh, oop": WholeGround("Qd9c5s5hAh", *_RANGES, "33%,a", 0, 2),
}
REAL = {
    **REPORTING,
    "Jh7d4s2hKc, ip": WholeGround("Jh7d4s2hKc", *_RANGES, "75%", 1, 3),
    "As8d6c6hTs, oop": WholeGround("As8d6c6hTs", *_RANGES, "50%", 0, 4),
    "9h8h3cQsTd, ip": WholeGround("9h8h3cQsTd", *_RANGES, "33%,a", 1, 5),
    "Kd5c2d8sJh, oop": WholeGround("Kd5c2d8sJh", *_RANGES, "60%", 0, 6),
}
"""Real players are few: each is held against the answers to it on more rivers."""
GROUNDS = {**CHOOSING, **REAL}


@dataclass(frozen=True, eq=False)
class WholeSetting:
    """A solved ground, its kinds of decisions, and the equilibrium's engine to start from."""

    spot: Spot
    villain: int
    baseline: Baseline
    kinds: tuple[SeenKind, ...]  # with nothing counted
    frame: PlayerFrame

    @property
    def stops(self) -> Stops:
        """When a solve ends."""
        return Stops(gap=_GAP * self.spot.betting.pot, iterations=2000)

    @property
    def empty(self) -> PlayerRead:
        """The kinds with nothing known."""
        return empty_read(self.kinds, self.villain)


def solved(name: str, decisions: PoolDecisions | None = None) -> WholeSetting:
    """Solve a ground; with ``decisions`` its kinds are counted in them."""
    ground = GROUNDS[name]
    spot = ground.spot()
    if decisions is None:
        kinds = _kinds(spot, ground.villain)
    else:
        kinds = kinds_of(spot, ground.villain, decisions)
    baseline = find_baseline(spot_game(spot), Stops(gap=_GAP / 2 * spot.betting.pot, iterations=4000))
    frame = PlayerFrame(spot, baseline, empty_read(kinds, ground.villain))
    return WholeSetting(spot, ground.villain, baseline, kinds, frame)


def _kinds(spot: Spot, villain: int) -> tuple[SeenKind, ...]:
    """The kinds of decisions of a river spot, with no counts."""
    nodes: dict[SpotSituation, list[tuple[int, int]]] = {}
    for street, node in villain_nodes(spot, villain):
        nodes.setdefault(situation_at(spot, spot.place(street, node, ())), []).append((street, node))
    found = []
    for situation, members in nodes.items():
        words = 3 if situation.size is not None else 2
        path = spot.path(spot.place(*members[0], ()))
        found.append(SeenKind(situation, tuple(members), path, np.zeros(words), np.zeros((0, words))))
    return tuple(found)


def seen(kinds: Sequence[SeenKind], counts: Sequence[Array], others: Sequence[Array]) -> list[SeenKind]:
    """The kinds with counts of a player and of others."""
    return [
        SeenKind(kind.situation, kind.nodes, kind.path, own, rest)
        for kind, own, rest in zip(kinds, counts, others, strict=True)
    ]


def hard_curve(setting: WholeSetting, kinds: Sequence[SeenKind]) -> LockCurve | None:
    """The answer to hard locks at every decision that was seen, as `soulread lock --player` makes them."""
    reads = []
    for kind in kinds:
        n = float(kind.counts.sum())
        if not n:
            continue
        for street, node in kind.nodes:
            place = setting.spot.place(street, node, ())
            there = {action.kind for action in setting.spot.node(place).actions}
            shares: dict[str, float] = {}
            for word, count in zip(kind.words, kind.counts, strict=True):
                name = word if word in there else {"raise": "call", "bet": "check"}[word]
                shares[name] = shares.get(name, 0.0) + float(count) / n
            reads.append(Read(setting.spot.path(place), shares, n=int(n)))
    if not reads:
        return None
    baseline = setting.baseline
    made = lock_reads(setting.spot, reads, baseline.plans, baseline.behaviours)
    return _curve(setting, [one.lock for one in made])


def _curve(setting: WholeSetting, locks: Sequence[Lock]) -> LockCurve:
    """The equilibrium and the answer to locks with their own confidence."""
    return trust_curve(setting.baseline, setting.villain, locks, (1.0,), "c", setting.stops)


def whole_curve(
    setting: WholeSetting,
    read: PlayerRead,
    seed: int,
    methods: Sequence[str] = METHODS,
    trusts: Sequence[float] = (TRUST,),
) -> tuple[LockCurve, PlayerBelief]:
    """The answers to a whole player, who is as believed with these probabilities."""
    confidence = parse_confidence(CERTAIN)
    belief = believe(setting.frame, read, confidence, draws=DRAWS, methods=methods, seed=seed)
    curve = trust_curve(setting.baseline, setting.villain, belief.locks, trusts, "p", setting.stops)
    return curve, belief


def by_number(belief: PlayerBelief) -> tuple[Lock, ...]:
    """The locks of a belief, each with the trust that its number of decisions allows."""
    known = np.array([kind.known for kind in belief.read.kinds])
    trust = p_conf(parse_confidence(CONFIDENCE), known)
    kind = belief.frame.arrays.kind
    return tuple(
        replace(lock, confidence=np.full(lock.confidence.shape, trust[kind[lock.block]]))
        for lock in belief.locks
    )


@kept_as("soulread.reproduce.whole_locks:simulated")
def simulated(ground: str, n: int, first: int, pools: int) -> Values:
    """Players of simulated pools, read from n hands each; ``values [players, COLUMNS]`` in chips."""
    setting = solved(ground)
    frame, seed = setting.frame, GROUNDS[ground].seed
    rows = []
    for number in range(first, first + pools):
        rng = np.random.default_rng([seed, number, n])
        alpha = [_spread(rng) * _bent(rng, frame.usual(k)) for k in range(len(setting.kinds))]
        others = [_pool(rng, one, float(reach)) for reach, one in zip(frame.reach, alpha, strict=True)]
        nothing = [np.zeros(one.size) for one in alpha]
        prior = read_of(seen(setting.kinds, nothing, others), frame)
        for member in range(MEMBERS):
            truth = [rng.dirichlet(one) for one in alpha]
            counts = [
                rng.multinomial(rng.binomial(n, min(1.0, reach)), one).astype(np.float64)
                for reach, one in zip(frame.reach, truth, strict=True)
            ]
            _, plan = frame.player(truth, METHODS[int(rng.integers(len(METHODS)))])
            kinds = seen(setting.kinds, counts, others)
            rows.append(
                (
                    *_answered(setting, prior, kinds, plan, member),
                    float(1_000_000 * seed + 10_000 * number + n),
                )
            )
    return {"values": np.array(rows, np.float64)}


def _answered(
    setting: WholeSetting, prior: PlayerRead, kinds: Sequence[SeenKind], plan: Array, seed: int
) -> tuple[float, ...]:
    """What is promised from a player with these counts, and what is won from the player's plan."""
    curve, belief = whole_curve(setting, _counted_in(prior, kinds), seed, trusts=TRUSTS)
    answer = next(one for one in curve.answers if one.trust == TRUST)
    low, high = middle(gains(curve, answer, belief))
    gain = float(beyond_equilibrium(curve, answer) @ plan)
    full, full_cost = _gain(curve, plan)
    locked, locked_cost = _gain(hard_curve(setting, kinds), plan)
    by_n, cost_by_n = _gain(_curve(setting, by_number(belief)), plan)
    risks = [part * setting.spot.betting.pot for part in RISKS]
    careful = [curve.within(risk) for risk in risks]
    payoff = curve.game.payoff
    won = [-float(payoff.gradient(setting.villain, one.response.plan) @ plan) for one in careful]
    return (
        float(low <= gain <= high),
        float(high - low),
        gain,
        full,
        locked,
        by_n,
        curve.cost(answer),
        full_cost,
        locked_cost,
        cost_by_n,
        *(float(beyond_equilibrium(curve, one) @ plan) for one in careful),
        max(curve.cost(one) / risk for one, risk in zip(careful, risks, strict=True)) - 1,
        min(chips - (curve.equilibrium.worst - risk) for chips, risk in zip(won, risks, strict=True)),
    )


def _counted_in(prior: PlayerRead, kinds: Sequence[SeenKind]) -> PlayerRead:
    """A read with the counts of a player."""
    pairs = zip(prior.kinds, kinds, strict=True)
    return replace(prior, kinds=tuple(replace(one, counts=kind.counts) for one, kind in pairs))


def _bent(rng: np.random.Generator, usual: Array) -> Array:
    """The frequencies of a pool, around those of the equilibrium; no action has less than a thousandth."""
    found = np.maximum(rng.dirichlet(BENT * usual + 0.5), 1e-3)
    return np.asarray(found / found.sum())


def _spread(rng: np.random.Generator) -> float:
    """The strength of a pool."""
    return float(np.exp(rng.uniform(*np.log(SPREAD))))


def _pool(rng: np.random.Generator, alpha: Array, reach: float) -> Array:
    """What the players of a pool did, each in 100 to 1,000 hands."""
    hands = rng.integers(100, 1001, size=POOL)
    players = rng.dirichlet(alpha, POOL)
    chances = rng.binomial(hands, min(1.0, reach))
    made = [rng.multinomial(count, one) for count, one in zip(chances, players, strict=True)]
    return np.array(made, np.float64)


def _gain(curve: LockCurve | None, plan: Array) -> tuple[float, float]:
    """Gain from a player and cost of the answer of a curve; nothing without one."""
    if curve is None:
        return 0.0, 0.0
    answer: Answer = curve.answers[-1]
    return float(beyond_equilibrium(curve, answer) @ plan), curve.cost(answer)


@lru_cache(maxsize=1)
def _counted(store: str) -> PoolDecisions:
    with Store.open(store, read_only=True) as opened:
        return pool_decisions(opened)


def regulars(decisions: PoolDecisions, chosen: bool) -> list[int]:
    """Every other player with hands enough for the least n: those reported, or those settings are chosen on.

    A player is a number of the store.
    """
    pairs = np.unique(np.stack([decisions.player, decisions.hand], axis=1), axis=0)
    players, hands = np.unique(pairs[:, 0], return_counts=True)
    enough = players[hands >= REAL_HANDS[0] + LATER]
    return [int(player) for player in enough[(0 if chosen else 1) :: 2]]


@kept_as("soulread.reproduce.whole_locks:held_out")
def held_out(store: str, ground: str, n: int, windows: int = WINDOWS, chosen: bool = False) -> Values:
    """Real players, each read from n hands some times; ``values [reads, REAL_COLUMNS]`` in chips."""
    found = _counted(store)
    setting = solved(ground, found)
    rows = []
    for number in regulars(found, chosen):
        hands = np.unique(found.hand[found.player == number])
        times = min(windows, hands.size // n) if hands.size >= n + LATER else 0
        for start in np.linspace(0, hands.size - n, times, dtype=np.int64).tolist():
            row = _foretold(setting, found, number, hands[start : start + n])
            rows.append((*row, float(1_000_000 * len(found) + number)))
    return {"values": np.array(rows, np.float64).reshape(-1, len(REAL_COLUMNS))}


def _foretold(
    setting: WholeSetting, found: PoolDecisions, player: int, hands: NDArray[np.int64]
) -> tuple[float, ...]:
    """One player: what is promised after some hands, and what the others say."""
    own = found.player == player
    read = np.isin(found.hand, hands)
    first, rest = found.take(own & read), found.take(own & ~read)
    others = found.take(~own)
    kinds = seen(
        setting.kinds,
        [first.counts(kind.situation)[1].sum(axis=0) for kind in setting.kinds],
        [others.counts(kind.situation)[1] for kind in setting.kinds],
    )
    later = [rest.counts(kind.situation)[1].sum(axis=0) for kind in setting.kinds]
    curve, belief = whole_curve(setting, read_of(kinds, setting.frame), player, ("shift",))
    gradient = beyond_equilibrium(curve, curve.answers[-1])
    rng = np.random.default_rng(player)
    foretold = np.empty(DRAWS)
    for i in range(DRAWS):
        drawn = [
            rng.multinomial(int(count.sum()), belief.frequencies[k][i]) / count.sum()
            if count.sum()
            else belief.mean(k)
            for k, count in enumerate(later)
        ]
        foretold[i] = gradient @ setting.frame.player(drawn)[1]
    low, high = middle(foretold)
    was = [count / count.sum() if count.sum() else belief.mean(k) for k, count in enumerate(later)]
    plan = setting.frame.player(was)[1]
    gain = float(gradient @ plan)
    locked, locked_cost = _gain(hard_curve(setting, kinds), plan)
    promised = float(gains(curve, curve.answers[-1], belief).mean())
    cost = curve.cost(curve.answers[-1])
    return float(low <= gain <= high), float(high - low), gain, locked, cost, locked_cost, promised


# The report.


def whole_locks(options: RunOptions) -> Report:
    """Read simulated players, and real ones if there are hands, and judge intervals, gains and risks."""
    sizes = options.sizes(matches=(2, POOLS))
    pools, seed = sizes["matches"], sizes["seed"]
    block = min(BLOCK, pools)
    cells: dict[tuple[str, str, int], list[Task]] = {
        ("simulated", ground, n): [
            Task(
                simulated,
                {"ground": ground, "n": n, "first": 1000 * seed + k * block, "pools": block},
                VERSION,
            )
            for k in range(-(-pools // block))
        ]
        for ground in REPORTING
        for n in HANDS
    }
    for path in options.data:
        people = hands_of(replace(options, data=(path,)), None, limit=False, only_named=True)
        if people is None:
            continue
        common: dict[str, Json] = {"store": str(people), "windows": WINDOWS}
        for ground in REAL:
            for n in REAL_HANDS:
                task = Task(held_out, {**common, "ground": ground, "n": n}, VERSION)
                cells.setdefault(("real", ground, n), []).append(task)
    grid = TaskGrid(cells)
    grid.run(options)
    tables, claims = _judged(_joined(grid, "simulated", HANDS), _joined(grid, "real", REAL_HANDS))
    return Report(
        name="whole-locks",
        title="Whole players: intervals, gains and risks",
        source="own",
        settings={
            "seed": seed,
            "pools": pools,
            "data": options.data_names or None,
            "trust": TRUST,
            "confidence by n": CONFIDENCE,
            "pot": 200,
            "spots": list(REPORTING),
            "spots of real players": list(REAL),
        },
        tables=tables,
        claims=claims,
        seconds=grid.seconds,
        notes=(
            f"Trust and confidence were chosen on {' and '.join(one.board for one in CHOOSING.values())}, "
            "the trust also on six more rivers, with other seeds.",
        ),
    )


def _joined(grid: TaskGrid[tuple[str, str, int]], who: str, hands: Sequence[int]) -> dict[int, Array]:
    """The values of all spots, by n."""
    found = {}
    for n in hands:
        grounds = REAL if who == "real" else REPORTING
        parts = [one["values"] for ground in grounds for one in grid.at((who, ground, n))]
        if sum(len(part) for part in parts):
            found[n] = np.concatenate(parts)
    return found


def _mean(values: Array | None, column: Array | None) -> Estimate | None:
    """The mean of a column; pools, or real players, whose numbers come last, are the samples."""
    if values is None or column is None:
        return None
    numbers, rows = np.unique(values[:, -1], return_inverse=True)
    if numbers.size < 2:
        return None
    sums = np.bincount(rows, column).astype(np.float64)
    counts = np.bincount(rows).astype(np.float64)
    return Sampling(1, numbers.size, False).ratio(sums[None, :], counts[None, :])


def _judged(
    made: dict[int, Array], real: dict[int, Array]
) -> tuple[tuple[ResultTable, ...], tuple[Claim, ...]]:
    """Tables and claims."""
    tables = []
    for title, found, names in (
        ("simulated players", made, COLUMNS[:-1]),
        ("real players, in their other hands", real, REAL_COLUMNS[:-1]),
    ):
        measures = list(_measures(found, names))
        if measures:
            rows = sum(len(values) for values in found.values())
            kind = "reads of real players" if found is real else "simulated players"
            tables.append(ResultTable(title, "share, or chips of a pot of 200", measures, f"{rows:,} {kind}"))
    claims = [*_coverage("simulated", made, COLUMNS), *_gains(made)]
    if real:
        claims += _coverage("real", real, REAL_COLUMNS)
    return tuple(tables), (*claims, *_risks(made))


def _measures(found: dict[int, Array], names: Sequence[str]) -> Iterator[Measure]:
    for n, values in found.items():
        for name in names:
            yield Measure(f"n = {n:,}", name, _mean(values, values[:, names.index(name)]))
        more = values[:, names.index("gain")] - values[:, names.index("gain of hard locks")]
        yield Measure(f"n = {n:,}", "gain over hard locks", _mean(values, more))


def _coverage(who: str, found: dict[int, Array], names: Sequence[str]) -> Iterator[Claim]:
    values = np.concatenate(list(found.values())) if found else None
    share = _mean(values, None if values is None else values[:, names.index("covered")])
    yield Claim.judged(
        f"95% intervals of the promised gain hold it for 93% to 97% of {who} players.",
        within(share, 0.93, 0.97),
        worded(share, 3),
    )


def _gains(made: dict[int, Array]) -> Iterator[Claim]:
    def less(values: Array | None, column: str, other: str, times: float = 1.0) -> Estimate | None:
        """The mean of a column less a part of another one."""
        if values is None:
            return None
        difference = values[:, COLUMNS.index(column)] - times * values[:, COLUMNS.index(other)]
        return _mean(values, difference)

    for n in HANDS:
        values = made.get(n)
        more, own, full = (
            less(values, name, "gain of hard locks") for name in ("gain", "gain by n", "gain of full trust")
        )
        yield Claim.judged(
            f"After {n:,} hands a whole read wins more from simulated players than hard locks.",
            above(more),
            f"{worded(more, 2)} chips more; {worded(full, 2)} in full trust, and {worded(own, 2)} with the "
            "trust that n allows",
        )
    for n in HANDS:
        values = made.get(n)
        part = less(values, "cost", "cost of hard locks", 0.5)
        yield Claim.judged(
            f"After {n:,} hands it costs less than half of hard locks in the worst case.",
            below(part),
            f"{worded(part, 2)} chips from half",
        )


def _risks(made: dict[int, Array]) -> Iterator[Claim]:
    values = np.concatenate(list(made.values())) if made else None
    over, least, behind = None, None, None
    if values is not None:
        over = float(values[:, COLUMNS.index("risk kept")].max())
        least = float(values[:, COLUMNS.index("beyond the worst case")].min())
        behind = max(
            -float(values[:, COLUMNS.index(f"gain at risk {risk:.0%}")].min()) - risk * 200 for risk in RISKS
        )
    stated = ", ".join(f"{200 * risk:g}" for risk in RISKS)
    nothing = float("nan")
    yield Claim.judged(
        f"With a stated risk of {stated} chips no answer costs more in its worst case.",
        at_most(over, 1e-5),
        f"at most {100 * (nothing if over is None else over):.4f}% beyond it",
    )
    yield Claim.judged(
        "Against none of the players such an answer wins less than the equilibrium's worst case by more.",
        at_most(None if least is None else -least, 1e-3),
        f"at least {nothing if least is None else least:.3f} chips above that",
    )
    yield Claim.judged(
        "Nor less than the equilibrium's own answer wins from the same player, by more than the risk.",
        at_most(behind, 1e-3),
        f"at least {nothing if behind is None else -behind:.3f} chips above that",
    )
