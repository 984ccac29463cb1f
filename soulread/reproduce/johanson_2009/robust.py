"""Restricted Nash and data biased responses to Orange (Johanson & Bowling, AISTATS 2009): Figures 1 and 2.

Orange plays against Probe, or against itself, and all its cards are seen. The model is the frequencies of its
actions. A curve shows what responses to the model win from Orange, against what they risk, at growing trust
in the model: p for restricted Nash responses (RNR), P_max for data biased ones (DBR). All values are exact
ones of the abstract game; only the observed games are random.

A curve of one seat is a task. Its games are solved to a *precision* (`soulread.respond.counter`). The less
freedom the model leaves Orange, the smaller is the gap asked for, as being more exploitable then costs less.
Each solve starts from the regrets of the one before. At p = 0 all curves have the same equilibrium. At p = 1
RNR is a best response to the model. Where the model never lets us get, it plays the answer of the previous p.

Differences up to `MARGIN` count as none. With several matches of Orange every match is a data set of its own.
Claims are then judged by the 95% intervals over the data sets, and the report says in how many data sets they
hold alone. With one data set the numbers have no interval: the verdict is on what this data set shows, and
the report says so.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate, Unit
from soulread.model.counted import FrequencyModel
from soulread.observe.private import PrivateCounts
from soulread.play.match.simulate import simulate
from soulread.play.opponents.baselines import Probe
from soulread.play.opponents.skewed import find_orange
from soulread.play.tabular import tabular_form
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.experiment import Options, published
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, count_samples
from soulread.reproduce.kit.verdict import (
    UNKNOWN,
    Condition,
    Verdict,
    above,
    all_of,
    any_of,
    at_least,
    at_most,
    below,
)
from soulread.respond.confidence import parse_confidence
from soulread.respond.curves import PAPER_PS, DataBiased, RestrictedNash, seat_frontier
from soulread.respond.curves import Family as Responses
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Tell, parse_source
from soulread.seqform.strategy import Behaviour, Behaviours, in_precision, plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.methods import default_schedule
from soulread.solvers.cfr.run import Check, Solution, solve
from soulread.solvers.equilibria import equilibrium_path, find_equilibrium, solve_or_load
from soulread.streams import MatchStreams
from soulread.tasks import Task, TaskResult, Values, kept_as

VERSION = 3  # raise it when the same curve would have other values
PROBE, SELF_PLAY = "Probe", "self-play"
RNR = "RNR"
CONFIDENCES = {"1-step": "1-step", "10-step": "10-step", "0-10 linear": "0-10", "1-curve": "curve:1"}
"""The confidence functions of Figure 2a: from their names there to the text that `parse_confidence` reads."""
ONE_STEP, LINEAR = "1-step", "0-10 linear"

MARGIN = 0.5  # mb/g
"""Differences up to this much count as none.

Solving to half the gap moved the differences between two points of a curve by .2 mb/g at most, where these
were below 20 mb/g (limit:4-3-2-2:quick, seed 1). Orange loses 1 to 3 mb/g to an equilibrium, so a margin must
not be much wider either.
"""

_NEAR = 8.0  # a second drawing shows the part of the curves up to this many times what Orange can lose


@dataclass(frozen=True)
class Family:
    """A curve: the responses of one method to what ``games`` observed games of one source show."""

    method: str  # `RNR` or one of `CONFIDENCES`
    source: str  # `PROBE` or `SELF_PLAY`
    games: int


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment: the paper's, or those of ``--quick``."""

    game: str
    sizes: tuple[int, ...]  # observed games; the last is the paper's million
    enough: int  # with fewer games, the paper says, RNR is worse than an equilibrium
    ps: tuple[float, ...]
    precision: float  # mb/g
    iterations: int  # the most iterations of one solve
    seed: int
    matches: int = 1  # data sets, each from a seed of its own

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """5-5-5-5 buckets and up to a million games; quick: a tenth of the states and of the games."""
        most = options.hands or (100_000 if options.quick else 1_000_000)
        smaller = (100, 1000) if options.quick else (100, 1000, 10_000, 100_000)
        return cls(
            game="limit:4-3-2-2:quick" if options.quick else "limit:5-5-5-5",
            sizes=(*(size for size in smaller if size < most), most),
            enough=10_000 if options.quick else 100_000,
            ps=(0.0, 0.5, 0.9, 0.97, 1.0) if options.quick else PAPER_PS,
            precision=1.0 if options.quick else 2.0,
            iterations=1500 if options.quick else 500,
            seed=options.seed,
            matches=options.matches or 1,
        )

    @property
    def most(self) -> int:
        """Number of games in the largest data sets, which every figure uses."""
        return self.sizes[-1]

    @property
    def few(self) -> tuple[int, ...]:
        """Sizes of the data sets that the paper says are too small for RNR."""
        return tuple(size for size in self.sizes if size < self.enough)

    @property
    def fewer(self) -> tuple[int, ...]:
        """The size of the second largest data set, if there is one."""
        return self.sizes[-2:-1]

    @property
    def per_chip(self) -> float:
        """mb/g of a chip per hand."""
        bet = parse_source(self.game).poker.rules.small_bet
        return Unit.MILLIBETS.per_chip(bet, bet)

    def rnr(self, source: str = PROBE, games: int | None = None) -> Family:
        """A curve of Figure 1; by default the red one, with all games."""
        return Family(RNR, source, games or self.most)

    def dbr(self, method: str = LINEAR, source: str = PROBE, games: int | None = None) -> Family:
        """A curve of Figure 2."""
        return Family(method, source, games or self.most)

    def tasks(self, family: Family, match: int = 0) -> tuple[Task, Task]:
        """The tasks of the curve in seats 0 and 1, for the games of one match."""
        first, second = (
            Task(
                seat_curve,
                {
                    "game": self.game,
                    "method": family.method,
                    "source": family.source,
                    "games": family.games,
                    "seed": self.seed + match,
                    "player": player,
                    "ps": list(self.ps),
                    "precision": self.precision / self.per_chip,
                    "iterations": self.iterations,
                },
                VERSION,
            )
            for player in (0, 1)
        )
        return first, second

    @property
    def ceiling(self) -> Task:
        """What best responses to Orange itself win."""
        return Task(orange_ceiling, {"game": self.game}, VERSION)


@kept_as("soulread.reproduce.robust:seat_curve")
def seat_curve(
    game: str,
    method: str,
    source: str,
    games: int,
    seed: int,
    player: int,
    ps: Sequence[float],
    precision: float,
    iterations: int,
) -> Values:
    """A task: the responses of seat ``player`` at each of ``ps``, ascending; all arrays are ``[len(ps)]``.

    ``against_model``, ``against_orange`` and ``worst_case`` are chips won per hand.
    """
    compiled, orange = _table(game)
    model, seen = observed_model(compiled, orange, source, games, seed, 1 - player)
    family: Responses = RestrictedNash(iterations=iterations)
    if method != RNR:
        trust = parse_confidence(CONFIDENCES[method])
        family = DataBiased(trust, {1 - player: seen}, iterations=iterations)
    points = seat_frontier(
        compiled,
        player,
        family,
        model,
        ps,
        opponent=orange.behaviours[1 - player],
        precision=precision,
        equilibrium=precise_equilibrium(game, precision)[player],
    )
    return {
        "against_model": np.array([point.against_model for point in points]),
        "against_orange": np.array([point.against_opponent for point in points]),
        "worst_case": np.array([point.worst_case for point in points]),
        "gap": np.array([point.gap for point in points]),
        "iterations": np.array([point.iterations for point in points]),
        "seconds": np.array([point.seconds for point in points]),
    }


def observed_model(
    game: SequenceGame, orange: TabularStrategy, source: str, games: int, seed: int, player: int
) -> tuple[Behaviour, NDArray[np.float64]]:
    """Orange's behaviour in seat ``player`` by its observed frequencies, and how often each set was seen.

    Seats change after every game. In self-play, too, only one of the two is watched. A game thus teaches
    about one seat, as it does when Probe has the other.
    """
    counts = PrivateCounts(game)
    poker = poker_of(game)
    other = orange if source == SELF_PLAY else tabular_form(Probe(), poker)
    assert other is not None
    simulate(poker, (orange, other), games, MatchStreams(seed), counts=counts, counted=0)
    model = FrequencyModel(game).fit_counts(counts)
    return model.strategy(player), model.observations(player)


@kept_as("soulread.reproduce.robust:orange_ceiling")
def orange_ceiling(game: str) -> Values:
    """A task: ``values [2]``, what a best response to Orange wins in either seat, chips per hand."""
    compiled, orange = _table(game)
    payoff = compiled.payoff
    values = []
    for player, tree in enumerate(compiled.trees):
        villain = in_precision(orange.behaviours[1 - player], payoff.dtype)
        plan = plan_from_behaviour(compiled.trees[1 - player], villain)
        values.append(best_response(tree, payoff.gradient(player, plan))[0])
    return {"values": np.array(values)}


@lru_cache(maxsize=1)
def _table(game: str) -> tuple[SequenceGame, TabularStrategy]:
    """The game and Orange, kept for the next task of a process."""
    source = parse_source(game)
    return source.compile(), find_orange(source)


def precise_equilibrium(game: str, gap: float, tell: Tell | None = None) -> Behaviours:
    """Both behaviours of an equilibrium to ``gap`` chips per hand; kept in the cache for abstractions."""
    source = parse_source(game)
    if source.cards is None:
        return find_equilibrium(source, tell).behaviours

    def to_gap(compiled: SequenceGame, progress: Callable[[Check], None] | None) -> Solution:
        return solve(compiled, default_schedule(source), gap=gap, progress=progress)

    return solve_or_load(source, equilibrium_path(source, gap=gap), to_gap, tell, "equilibrium").behaviours


@dataclass(frozen=True)
class Line:
    """A curve, the mean over both seats: exploitation and exploitability in mb/g at each p."""

    ps: tuple[float, ...]
    against_model: tuple[float, ...]
    against_orange: tuple[float, ...]
    exploitability: tuple[float, ...]
    gap: tuple[float, ...]
    iterations: tuple[float, ...]  # of both seats together
    seconds: tuple[float, ...]

    @classmethod
    def of(cls, ps: tuple[float, ...], seats: tuple[TaskResult, TaskResult], per_chip: float) -> "Line":
        """The mean of both seats' tasks, in which the value of the game cancels."""

        def mean(name: str, scale: float) -> tuple[float, ...]:
            return tuple((scale * (seats[0][name] + seats[1][name]) / 2).tolist())

        exploitability = mean("worst_case", -per_chip)
        gap = mean("gap", per_chip)
        return cls(
            ps,
            mean("against_model", per_chip),
            mean("against_orange", per_chip),
            exploitability,
            (exploitability[0], *gap[1:]) if ps[0] == 0 else gap,  # at p = 0 it is the gap
            mean("iterations", 2),
            mean("seconds", 2),
        )

    @classmethod
    def mean(cls, lines: Sequence["Line"]) -> "Line":
        """The mean over data sets, for curves with the same ps."""
        names = [field.name for field in fields(cls) if field.name != "ps"]
        return cls(
            lines[0].ps,
            *(tuple(np.mean([getattr(line, name) for line in lines], axis=0).tolist()) for name in names),
        )


Lines = Mapping[Family, Line]


def rnr_limits(options: Options) -> Report:
    """Figure 1: how good a model restricted Nash responses need."""
    setup = Setup.of(options)
    red = setup.rnr()
    by_size = [setup.rnr(games=games) for games in reversed(setup.sizes)]
    selfish = setup.rnr(SELF_PLAY)
    found = _run(options, setup, [*by_size, selfish])
    lines = found.lines
    overfitting = [
        (f"{RNR}, against Orange", lines.get(red), "against_orange"),
        (f"{RNR}, against the model", lines.get(red), "against_model"),
    ]
    return _report(
        "rnr-limits",
        "where restricted Nash responses fail",
        "Figures 1a to 1c",
        setup,
        found,
        (overfits, needs_many, needs_probe),
        (
            ("1a: the model and Orange itself", overfitting),
            ("1b: fewer games", _against_orange(lines, by_size, "games")),
            ("1c: other games", _against_orange(lines, (red, selfish), "source")),
        ),
    )


def dbr_curves(options: Options) -> Report:
    """Figure 2: the same questions for data biased responses."""
    setup = Setup.of(options)
    red = setup.dbr()
    methods = [setup.rnr(), *(setup.dbr(method) for method in CONFIDENCES)]
    by_size = [setup.dbr(games=games) for games in reversed(setup.sizes)]
    selfish = setup.dbr(source=SELF_PLAY)
    compared = [setup.rnr(games=games) for games in setup.few]
    scarce = [setup.dbr(ONE_STEP, games=games) for games in setup.fewer]
    found = _run(options, setup, list(dict.fromkeys([*methods, *by_size, selfish, *compared, *scarce])))
    lines = found.lines
    return _report(
        "dbr-curves",
        "data biased responses where restricted Nash responses fail",
        "Figures 2a to 2c",
        setup,
        found,
        (trusts_wisely, does_no_harm, gains_from_self_play),
        (
            ("2a: confidence functions", _against_orange(lines, methods, "method")),
            (f"2b: {LINEAR}, fewer games", _against_orange(lines, by_size, "games")),
            (f"2c: {LINEAR}, other games", _against_orange(lines, (red, selfish), "source")),
        ),
    )


Drawn: TypeAlias = Sequence[tuple[str, Line | None, str]]  # label, curve, and which of its values is drawn


def _against_orange(lines: Lines, families: Iterable[Family], differ: str) -> Drawn:
    """Curves of what is won from Orange, labelled by what they differ in."""
    labels = {"games": "{0.games:,} games", "method": "{0.method}", "source": "{0.source}"}
    return [(labels[differ].format(family), lines.get(family), "against_orange") for family in families]


@dataclass(frozen=True)
class Found:
    """What a run has finished."""

    families: Sequence[Family]  # the curves wanted, in order
    data_sets: Sequence[Lines]  # for each match, the curves of which both seats are finished
    ceiling: float | None  # mb/g
    seconds: float  # CPU time of all tasks

    @cached_property
    def lines(self) -> Lines:
        """Every curve, as the mean over the data sets that have it."""
        samples = {family: self.samples(family) for family in self.families}
        return {family: Line.mean(found) for family, found in samples.items() if found}

    def samples(self, family: Family) -> list[Line]:
        """The curve in each of the data sets that have it."""
        return [lines[family] for lines in self.data_sets if family in lines]


def _run(options: Options, setup: Setup, families: Sequence[Family]) -> Found:
    if not options.stored_only:
        find_orange(parse_source(setup.game), tell=options.tell)
        precise_equilibrium(setup.game, setup.precision / setup.per_chip, options.tell)
    matches = [{family: setup.tasks(family, match) for family in families} for match in range(setup.matches)]
    wanted = [setup.ceiling, *(task for tasks in matches for pair in tasks.values() for task in pair)]
    results = {result.task.key: result for result in options.run(wanted)}
    data_sets = [
        {
            family: Line.of(setup.ps, (results[first.key], results[second.key]), setup.per_chip)
            for family, (first, second) in tasks.items()
            if first.key in results and second.key in results
        }
        for tasks in matches
    ]
    best = results.get(setup.ceiling.key)
    ceiling = None if best is None else setup.per_chip * float(best["values"].mean())
    return Found(families, data_sets, ceiling, sum(result.seconds for result in results.values()))


Judge: TypeAlias = Callable[[Setup, Sequence[Lines]], Claim]


def _judge(setup: Setup, judge: Judge, found: Found) -> Claim:
    """Judge a claim by all data sets, and say on how many it rests, and in how many it holds alone."""
    judged = judge(setup, found.data_sets)
    alone = [judge(setup, [each]) for each in found.data_sets]
    finished = [claim.verdict for claim in alone if claim.evidence != _UNFINISHED]
    if not finished or judged.evidence == _UNFINISHED:
        return judged
    words = "one data set"
    if len(finished) > 1:
        words = f"alone it holds in {finished.count(Verdict.HOLDS)} of {len(finished)} data sets"
    return replace(judged, evidence=f"{judged.evidence}; {words}")


# The claims, as conditions on curves. Index 0 of a curve is the equilibrium, index -1 is full trust.

_UNFINISHED = "not finished"
Curves: TypeAlias = Sequence[Line]  # one curve in each of the data sets


def _curves(data_sets: Sequence[Lines], families: Sequence[Family]) -> dict[Family, Curves] | None:
    """The curves of the data sets that have all the families; None if there are no such data sets."""
    whole = [lines for lines in data_sets if all(family in lines for family in families)]
    return {family: [lines[family] for lines in whole] for family in families} if whole else None


def _number(samples: Iterable[float]) -> Estimate | float:
    """The mean over data sets; a single one has no interval, and is taken as it is."""
    values = np.array(list(samples))
    return float(values[0]) if values.size == 1 else Estimate.of(values)


def _text(number: Estimate | float, sign: str = "") -> str:
    if isinstance(number, Estimate):
        return f"{number.mean:{sign}.1f} ± {number.half_width:.1f}"
    return f"{number:{sign}.1f}"


def _won(curves: Curves, at: int) -> Estimate | float:
    """What is won from Orange at one p, in mb/g."""
    return _number(line.against_orange[at] for line in curves)


def _more(curves: Curves, at: int, than: int = 0) -> Estimate | float:
    """How much more is won from Orange at one p than at another, by default than at p = 0."""
    return _number(line.against_orange[at] - line.against_orange[than] for line in curves)


def _trusting(curves: Curves) -> range:
    """The places of all p above 0."""
    return range(1, len(curves[0].ps))


def _best(curves: Curves) -> int:
    """The place of the p > 0 that wins most from Orange in the mean of the data sets."""
    return max(_trusting(curves), key=lambda at: np.mean([line.against_orange[at] for line in curves]))


def _gains(curves: Curves) -> Condition:
    """Some p wins more from Orange than the equilibrium does."""
    return any_of(above(_more(curves, at), MARGIN) for at in _trusting(curves))


def _gains_nothing(curves: Curves) -> Condition:
    """No p wins more from Orange than the equilibrium does."""
    return all_of(at_most(_more(curves, at), MARGIN) for at in _trusting(curves))


def _falls(curves: Curves) -> Condition:
    """Full trust wins less from Orange than some smaller p."""
    return any_of(above(_more(curves, at, -1), MARGIN) for at in range(len(curves[0].ps) - 1))


def _does_not_fall(curves: Curves) -> Condition:
    """No p wins more from Orange than full trust."""
    return all_of(at_most(_more(curves, at, -1), MARGIN) for at in range(len(curves[0].ps) - 1))


def overfits(setup: Setup, data_sets: Sequence[Lines]) -> Claim:
    """1a. As p grows, ever more is won from the model, but at p = 1 less is won from Orange than before."""
    text = f"1a: {RNR} overfits: as p grows it wins more from the model, and in the end less from Orange"
    found = _curves(data_sets, [setup.rnr()])
    if found is None:
        return Claim.judged(text, UNKNOWN, _UNFINISHED)
    curves = found[setup.rnr()]
    best = _best(curves)
    first, last = (_number(line.against_model[at] for line in curves) for at in (0, -1))
    steps = [
        _number(line.against_model[at] - line.against_model[at - 1] for line in curves)
        for at in _trusting(curves)
    ]
    grows = all_of(at_least(step, -MARGIN) for step in steps)
    more = _number(line.against_model[-1] - line.against_model[0] for line in curves)
    return Claim.judged(
        text,
        all_of([grows, above(more, MARGIN), _falls(curves)]),
        f"model {_text(first)} to {_text(last)} mb/g"
        f"{'' if grows.verdict is Verdict.HOLDS else ', not surely at every step'}; Orange "
        f"{_text(_won(curves, 0))}, best {_text(_won(curves, best))} at p = {setup.ps[best]:g}, "
        f"{_text(_won(curves, -1))} at p = 1",
    )


def needs_many(setup: Setup, data_sets: Sequence[Lines]) -> Claim:
    """1b. With few games no p wins more from Orange than the equilibrium, and p = 1 wins less."""
    text = f"1b: with fewer than {setup.enough:,} games {RNR} wins less from Orange than the equilibrium"
    found = _curves(data_sets, [setup.rnr(games=games) for games in setup.few])
    if not found:
        return Claim.judged(text, UNKNOWN, _UNFINISHED)
    return Claim.judged(
        text,
        all_of(
            condition
            for curves in found.values()
            for condition in (_gains_nothing(curves), below(_more(curves, -1), -MARGIN))
        ),
        "; ".join(
            f"{family.games:,} games: {_text(_more(curves, _best(curves)), '+')} mb/g at the best p, "
            f"{_text(_more(curves, -1), '+')} at p = 1"
            for family, curves in found.items()
        ),
    )


def needs_probe(setup: Setup, data_sets: Sequence[Lines]) -> Claim:
    """1c. After self-play no p wins more than the equilibrium, though after games with Probe some p does."""
    text = f"1c: {RNR} gains nothing from games of self-play, though it does from games with {PROBE}"
    selfish, probe = setup.rnr(SELF_PLAY), setup.rnr()
    found = _curves(data_sets, [selfish, probe])
    if found is None:
        return Claim.judged(text, UNKNOWN, _UNFINISHED)
    return Claim.judged(
        text,
        all_of([_gains_nothing(found[selfish]), _gains(found[probe])]),
        f"{_text(_more(found[selfish], _best(found[selfish])), '+')} mb/g on the equilibrium at the best p, "
        f"{_text(_more(found[selfish], -1), '+')} at p = 1; "
        f"{PROBE} {_text(_more(found[probe], _best(found[probe])), '+')} at the best p",
    )


def trusts_wisely(setup: Setup, data_sets: Sequence[Lines]) -> Claim:
    """2a. With 1-step, P_max = 1 wins less from Orange than the best P_max; with the others it does not."""
    others = [method for method in CONFIDENCES if method != ONE_STEP]
    text = f"2a: {ONE_STEP} overfits; {', '.join(others)} do not, even at P_max = 1"
    found = _curves(data_sets, [setup.dbr(method) for method in CONFIDENCES])
    if found is None:
        return Claim.judged(text, UNKNOWN, _UNFINISHED)
    falls = _falls(found[setup.dbr(ONE_STEP)])
    fewer = [setup.dbr(method, games=games) for games in setup.fewer for method in (ONE_STEP, LINEAR)]
    words = []
    for family in (*found, *fewer):
        curves = [lines[family] for lines in data_sets if family in lines]
        if curves:
            most = max(
                range(len(setup.ps)), key=lambda at: np.mean([line.against_orange[at] for line in curves])
            )
            name = f"{family.method} with {family.games:,} games" if family in fewer else family.method
            model = _number(line.against_model[-1] for line in curves)
            words.append(
                f"{name} {_text(_more(curves, most, -1))}, {_text(model)} and {_text(_won(curves, -1))}"
            )
    return Claim.judged(
        text,
        all_of([falls, *(_does_not_fall(found[setup.dbr(method)]) for method in others)]),
        "at P_max = 1 below the best, and won from the model and Orange, mb/g: " + "; ".join(words),
        _UNSEEN if falls.verdict is Verdict.FAILS else "",
    )


_UNSEEN = (
    "It overfits where a betting node has few private states, which are all soon seen, each once or twice "
    "(limit:4-3-2-2 with 100,000 games). Where a node has many, as in limit:5-5-5-5, most are unseen after a "
    "few visits and free to do their best. That likely keeps a response careful that trusts the seen ones."
)


def does_no_harm(setup: Setup, data_sets: Sequence[Lines]) -> Claim:
    """2b. With 100 and 1000 games no P_max wins less from Orange than the equilibrium.

    At the largest P_max below 1 it is at most marginally more exploitable: by a tenth of what RNR is at the
    same p, or by `MARGIN`.
    """
    text = f"2b: {LINEAR} does no harm with 100 or 1,000 games"
    sizes = [games for games in setup.sizes if games <= 1000]
    wanted = [make(games=games) for games in sizes for make in (setup.dbr, setup.rnr)]
    found = _curves(data_sets, wanted)
    if not found:
        return Claim.judged(text, UNKNOWN, _UNFINISHED)
    conditions, evidence = [], []
    for games in sizes:
        curves, rivals = found[setup.dbr(games=games)], found[setup.rnr(games=games)]
        risk, theirs, excess = (
            _number(
                mine * (line.exploitability[-2] - line.exploitability[0])
                - his * (rival.exploitability[-2] - rival.exploitability[0])
                for line, rival in zip(curves, rivals, strict=True)
            )
            for mine, his in ((1.0, 0.0), (0.0, -1.0), (1.0, 0.1))
        )
        conditions += [at_least(_more(curves, at), -MARGIN) for at in _trusting(curves)]
        conditions.append(any_of([at_most(excess), at_most(risk, MARGIN)]))
        worst = min(_trusting(curves), key=lambda at: np.mean([line.against_orange[at] for line in curves]))
        evidence.append(
            f"{games:,} games: from Orange {_text(_more(curves, worst), '+')} to "
            f"{_text(_more(curves, _best(curves)), '+')} mb/g on the equilibrium; at "
            f"P_max = {setup.ps[-2]:g} {_text(risk, '+')} more exploitable, {RNR} {_text(theirs, '+')}"
        )
    return Claim.judged(text, all_of(conditions), "; ".join(evidence))


def gains_from_self_play(setup: Setup, data_sets: Sequence[Lines]) -> Claim:
    """2c. After self-play some P_max wins more from Orange than the equilibrium."""
    text = f"2c: {LINEAR} gains from games of self-play as well"
    selfish, probe = setup.dbr(source=SELF_PLAY), setup.dbr()
    found = _curves(data_sets, [selfish, probe])
    if found is None:
        return Claim.judged(text, UNKNOWN, _UNFINISHED)
    curves = found[selfish]
    return Claim.judged(
        text,
        _gains(curves),
        f"{_text(_more(curves, _best(curves)), '+')} mb/g on the equilibrium at "
        f"P_max = {setup.ps[_best(curves)]:g}, {_text(_more(curves, -1), '+')} at P_max = 1; "
        f"{PROBE} {_text(_more(found[probe], _best(found[probe])), '+')}",
    )


def _figures(drawn: Sequence[tuple[str, Drawn]], ceiling: float | None) -> tuple[Figure, ...]:
    """Drawings of the whole curves, and of the parts of them that are near the equilibrium."""
    whole = tuple(_panel(title, curves, ceiling, np.inf) for title, curves in drawn)
    if ceiling is None:
        return (Figure("curves", _CAPTION, whole, columns=3),)
    near = tuple(_panel(title, curves, ceiling, _NEAR * ceiling) for title, curves in drawn)
    caption = f"{_CAPTION} Only points up to {_NEAR:g} times what Orange can lose, on either axis."
    return Figure("curves", _CAPTION, whole, columns=3), Figure("near", caption, near, columns=3)


def _panel(title: str, curves: Drawn, ceiling: float | None, limit: float) -> Panel:
    """Exploitation over exploitability, both up to a limit, with p or P_max at every point."""
    drawn = []
    for label, line, won in curves:
        if line is not None:
            every = zip(line.ps, line.exploitability, getattr(line, won), strict=True)
            points = [(f"{p:g}", x, y) for p, x, y in every if max(x, abs(y)) <= limit]
            if points:
                texts, xs, ys = zip(*points, strict=True)
                drawn.append(Curve(label, xs, ys, texts=texts))
    levels = () if ceiling is None else (Level("best response to Orange", ceiling),)
    return Panel(title, "exploitability, mb/g", "exploitation, mb/g", tuple(drawn), levels, logarithmic=True)


def _report(
    name: str,
    title: str,
    figures: str,
    setup: Setup,
    found: Found,
    claims: Sequence[Judge],
    drawn: Sequence[tuple[str, Drawn]],
) -> Report:
    paper = published("johanson2009")
    mbg = Unit.MILLIBETS.value

    def table(heading: str, unit: str, values: str, digits: int, note: str = "") -> ResultTable:
        measures = []
        for family in found.lines:
            row = f"{family.method}, {family.source} {family.games:,}"
            curves = np.array([getattr(line, values) for line in found.samples(family)])
            for p, samples in zip(setup.ps, curves.T, strict=True):
                ours = Estimate.of(samples) if len(samples) > 1 else float(samples[0])
                measures.append(Measure(row, f"{p:g}", ours))
        return ResultTable(heading, unit, tuple(measures), count_samples(measures, "data sets"), note, digits)

    return Report(
        name=name,
        title=title,
        source=f"{paper['source']}, {figures}",
        settings={
            "game": setup.game,
            "observed games": list(setup.sizes),
            "p and P_max": list(setup.ps),
            "precision, mb/g": setup.precision,
            "iterations at most": setup.iterations,
            "seed": setup.seed,
            "data sets": setup.matches,
        },
        tables=(
            table("exploitation of Orange, by p or P_max", mbg, "against_orange", 1, _SEATS),
            table("exploitation of the model", mbg, "against_model", 1),
            table("exploitability", mbg, "exploitability", 1),
            table("gap of the restricted game", mbg, "gap", 3, _GAP.format(setup.precision)),
            table("iterations, both seats", "iterations", "iterations", 0),
            ResultTable(
                "Orange",
                mbg,
                (Measure("Orange", "exploitability", found.ceiling, float(paper["mbg"]["orange"])),),
                note="The mean over both seats, in the abstract game; the sum is twice that. The paper does "
                "not say which of the two it prints, nor what the winner's 7% are taken of.",
                digits=1,
            ),
        ),
        claims=tuple(_judge(setup, claim, found) for claim in claims),
        figures=_figures(drawn, found.ceiling),
        seconds=found.seconds,
        notes=(
            "The paper gives its curves as drawings only; we compare with what its text says about them.",
            f"Differences up to {MARGIN:g} mb/g count as none.",
            "An observed game shows all cards and the actions of one Orange, in self-play too.",
        ),
    )


_GAP = "The gap asked for is {:g} times the freedom that the model leaves Orange; for RNR that is 1 - p."
_SEATS = "Exact values in the abstract game, the mean over both seats."
_CAPTION = (
    "What responses to a model of Orange win, over what they lose in the worst case, at growing p or P_max; "
    "exact values in the abstract game, the mean over both seats."
)
