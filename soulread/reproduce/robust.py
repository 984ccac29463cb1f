"""Restricted Nash and data biased responses to Orange (Johanson & Bowling, AISTATS 2009): Figures 1 and 2.

Orange plays against Probe, or against itself, and all its cards are seen. Its frequencies are the model, and
a curve is what responses to the model win from Orange, against what they risk, at growing trust in it: p of
restricted Nash responses (RNR), P_max of data biased ones (DBR). All values are exact ones of the abstract
game, only the observed games are random.

A curve of one seat is a task. Its games are solved to a *precision* (`soulread.respond.counter`): the gap
asked for is smaller the less freedom the model leaves Orange, as being more exploitable costs less there.
Each solve starts from the regrets of the one before. p = 0 is one equilibrium for all curves, p = 1 of RNR a
best response that plays the point before where the model never comes.

What a claim needs was fixed before the numbers were there. Differences up to `MARGIN` count as none: it is
well above what further iterations change in exploitation, which a gap moves less than exploitability. With
several matches of Orange every one is a data set of its own: claims are judged by the mean curves, and it is
told in how many data sets they hold alone.
"""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate, Unit
from soulread.model.frequency import FrequencyModel
from soulread.observe.private import PrivateCounts
from soulread.play.baselines import Probe
from soulread.play.match import stream
from soulread.play.opponents import find_orange
from soulread.play.simulate import simulate
from soulread.play.tabular import tabular_form
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.experiment import Options, Result, Task, Values, published
from soulread.reproduce.report import Claim, Measure, Report, Table
from soulread.respond.confidence import parse_confidence
from soulread.respond.curves import PAPER_PS, DataBiased, RestrictedNash, seat_frontier
from soulread.respond.curves import Family as Responses
from soulread.seqform.strategy import plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats
from soulread.solve.best_response import best_response
from soulread.solve.equilibria import (
    abstraction_checksum,
    equilibrium_path,
    find_equilibrium,
    keep_equilibrium,
)
from soulread.solve.files import Strategy, load_strategy
from soulread.solve.named import (
    Playable,
    Tell,
    compile_playable,
    parse_abstract_game,
    small_bet,
    solve_named,
)
from soulread.solve.stops import Stops

VERSION = 2  # grows when the same curve would have other values
PROBE, SELF_PLAY = "Probe", "self-play"
RNR = "RNR"
CONFIDENCES = {"1-step": "1-step", "10-step": "10-step", "0-10 linear": "0-10", "1-curve": "curve:1"}
"""The confidence functions of Figure 2a by their names there; the text `parse_confidence` reads."""
ONE_STEP, LINEAR = "1-step", "0-10 linear"

MARGIN = 1.0  # mb/g

_NEAR = 8.0  # times what Orange can lose: the part of the curves that is drawn a second time


@dataclass(frozen=True)
class Family:
    """A curve: responses of one method to what ``games`` observed games of one source teach."""

    method: str  # `RNR` or one of `CONFIDENCES`
    source: str  # `PROBE` or `SELF_PLAY`
    games: int


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment: the paper's, or those of ``--quick``."""

    game: str
    sizes: tuple[int, ...]  # observed games; the last is the paper's million
    enough: int  # with fewer games RNR is said to be worse than an equilibrium
    ps: tuple[float, ...]
    precision: float  # mb/g
    iterations: int  # at most, of one solve
    seed: int
    matches: int = 1  # data sets, each from a seed of its own

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """5-5-5-5 buckets and up to a million games; quick: a tenth of the states, and of the games."""
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
        """Games of the data sets that are the same in every figure."""
        return self.sizes[-1]

    @property
    def few(self) -> tuple[int, ...]:
        """Data sets said to be too small for RNR."""
        return tuple(size for size in self.sizes if size < self.enough)

    @property
    def fewer(self) -> tuple[int, ...]:
        """The next smaller data set, if there is one."""
        return self.sizes[-2:-1]

    @property
    def per_chip(self) -> float:
        """mb/g of a chip per hand."""
        bet = small_bet(self.game) or 1
        return Unit.MILLIBETS.per_chip(bet, bet)

    def rnr(self, source: str = PROBE, games: int | None = None) -> Family:
        """A curve of Figure 1; without games the red one, with all of them."""
        return Family(RNR, source, games or self.most)

    def dbr(self, method: str = LINEAR, source: str = PROBE, games: int | None = None) -> Family:
        """A curve of Figure 2."""
        return Family(method, source, games or self.most)

    def tasks(self, family: Family, match: int = 0) -> tuple[Task, Task]:
        """The curve in seats 0 and 1, of what one match teaches."""
        first, second = (
            Task(
                f"{__name__}:seat_curve",
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
        return Task(f"{__name__}:orange_ceiling", {"game": self.game}, VERSION)


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
    """A task: the responses of seat ``player`` at each of ``ps``, ascending; arrays ``[len(ps)]``.

    ``against_model``, ``against_orange`` and ``worst_case`` are chips won per hand.
    """
    playable, orange = _table(game)
    model, seen = observed_model(playable, orange, source, games, seed, 1 - player)
    family: Responses = RestrictedNash(iterations=iterations)
    if method != RNR:
        trust = parse_confidence(CONFIDENCES[method])
        family = DataBiased(trust, {1 - player: seen}, iterations=iterations)
    points = seat_frontier(
        playable.game,
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
    playable: Playable, orange: TabularStrategy, source: str, games: int, seed: int, player: int
) -> tuple[Floats, NDArray[np.float64]]:
    """Orange's behaviour in seat ``player`` as its frequencies tell it, and how often each set was seen.

    Seats change after every game. In self-play too one of the two is watched, so that a game teaches about
    one seat, as it does when Probe has the other.
    """
    counts = PrivateCounts(playable.game, playable.lookup)
    other = orange if source == SELF_PLAY else tabular_form(Probe(), playable.poker)
    assert other is not None
    simulate(
        playable.poker, (orange, other), games, lambda key: stream(seed, 0, key), counts=counts, counted=0
    )
    model = FrequencyModel(playable.game, player, playable.lookup).fit(counts)
    return model.strategy(), model.observations


def orange_ceiling(game: str) -> Values:
    """A task: ``values [2]``, what a best response to Orange wins in either seat, chips per hand."""
    playable, orange = _table(game)
    values = []
    for player, tree in enumerate(playable.game.trees):
        villain = orange.behaviours[1 - player].astype(playable.game.payoff.dtype, copy=False)
        plan = plan_from_behaviour(playable.game.trees[1 - player], villain)
        values.append(best_response(tree, playable.game.payoff.gradient(player, plan))[0])
    return {"values": np.array(values)}


@lru_cache(maxsize=1)
def _table(game: str) -> tuple[Playable, TabularStrategy]:
    """The game and Orange, kept for the next task of a process."""
    return compile_playable(game), find_orange(game)


def precise_equilibrium(game: str, gap: float, tell: Tell | None = None) -> tuple[Floats, Floats]:
    """Both behaviours of an equilibrium to ``gap`` chips per hand; kept in the cache for abstractions."""
    named = parse_abstract_game(game)
    if named is None:
        return find_equilibrium(game, tell).behaviours
    path = equilibrium_path(named, gap=gap)
    if not path.exists():
        playable = compile_playable(game, tell)
        solution = solve_named(
            playable.game,
            stops=Stops(gap=gap),
            progress=None
            if tell is None
            else lambda check: tell(f"{game}: equilibrium, iteration {check.iteration:,}"),
        )
        keep_equilibrium(path, Strategy.from_solution(solution, abstraction=abstraction_checksum(playable)))
    return load_strategy(path).behaviours


@dataclass(frozen=True)
class Line:
    """A curve, the mean over both seats: exploitation and exploitability in mb/g at each p."""

    ps: tuple[float, ...]
    against_model: tuple[float, ...]
    against_orange: tuple[float, ...]
    exploitability: tuple[float, ...]
    gap: tuple[float, ...]
    iterations: tuple[float, ...]  # of both seats
    seconds: tuple[float, ...]

    @classmethod
    def of(cls, ps: tuple[float, ...], seats: tuple[Result, Result], per_chip: float) -> "Line":
        """The mean of both seats' tasks: the value of the game cancels in it."""

        def mean(name: str, scale: float) -> tuple[float, ...]:
            return tuple((scale * (seats[0][name] + seats[1][name]) / 2).tolist())

        exploitability = mean("worst_case", -per_chip)
        gap = mean("gap", per_chip)
        return cls(
            ps,
            mean("against_model", per_chip),
            mean("against_orange", per_chip),
            exploitability,
            (exploitability[0], *gap[1:]) if ps[0] == 0 else gap,  # of the equilibrium it is the gap
            mean("iterations", 2),
            mean("seconds", 2),
        )

    @classmethod
    def mean(cls, lines: Sequence["Line"]) -> "Line":
        """The mean over data sets, of the same p."""
        names = [field.name for field in fields(cls) if field.name != "ps"]
        return cls(
            lines[0].ps,
            *(tuple(np.mean([getattr(line, name) for line in lines], axis=0).tolist()) for name in names),
        )


Lines = Mapping[Family, Line]


def rnr_limits(options: Options) -> Report:
    """Figure 1: what restricted Nash responses need of a model."""
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
    """Figure 2: the same with data biased responses."""
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
    """Curves against Orange, labelled by what they differ in."""
    labels = {"games": "{0.games:,} games", "method": "{0.method}", "source": "{0.source}"}
    return [(labels[differ].format(family), lines.get(family), "against_orange") for family in families]


@dataclass(frozen=True)
class Found:
    """What a run has finished."""

    families: Sequence[Family]  # those wanted, in order
    data_sets: Sequence[Lines]  # the curves of each match of which both seats are finished
    ceiling: float | None  # mb/g
    seconds: float  # of CPU time, all tasks

    @cached_property
    def lines(self) -> Lines:
        """Every curve, the mean over the data sets that have it."""
        samples = {family: self.samples(family) for family in self.families}
        return {family: Line.mean(found) for family, found in samples.items() if found}

    def samples(self, family: Family) -> list[Line]:
        """A curve in each of the data sets that have it."""
        return [lines[family] for lines in self.data_sets if family in lines]


def _run(options: Options, setup: Setup, families: Sequence[Family]) -> Found:
    if not options.stored_only:
        find_orange(setup.game, tell=options.tell)
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


def _judge(setup: Setup, claim: Callable[[Setup, Lines], Claim], found: Found) -> Claim:
    """A claim by the mean curves; with several data sets also how many of them say the same."""
    judged = claim(setup, found.lines)
    if setup.matches == 1 or judged.holds is None:
        return judged
    alone = [claim(setup, each).holds for each in found.data_sets]
    known = [holds for holds in alone if holds is not None]
    return replace(
        judged, evidence=f"{judged.evidence}; alone it holds in {sum(known)} of {len(known)} data sets"
    )


# What the claims say, as conditions on curves. Index 0 is the equilibrium, index -1 full trust.


def _gain(line: Line) -> float:
    """What the best of the responses wins from Orange more than the equilibrium does."""
    return max(line.against_orange[1:]) - line.against_orange[0]


def _fall(line: Line) -> float:
    """How much less full trust wins from Orange than the best response of the curve."""
    return max(line.against_orange) - line.against_orange[-1]


def _best_p(line: Line) -> float:
    return line.ps[int(np.argmax(line.against_orange))]


def overfits(setup: Setup, lines: Lines) -> Claim:
    """1a. The model is won from ever more as p grows, while from Orange less is won at p = 1 than before."""
    text = f"1a: {RNR} overfits: as p grows it wins more from the model, and in the end less from Orange"
    line = lines.get(setup.rnr())
    if line is None:
        return Claim(text, None, "not finished")
    model = line.against_model
    grows = all(b >= a - MARGIN for a, b in itertools.pairwise(model))
    return Claim(
        text,
        grows and model[-1] > model[0] + MARGIN and _fall(line) > MARGIN,
        f"model {model[0]:.1f} to {model[-1]:.1f} mb/g{'' if grows else ', not at every step'}; Orange "
        f"{line.against_orange[0]:.1f}, best {max(line.against_orange):.1f} at p = {_best_p(line):g}, "
        f"{line.against_orange[-1]:.1f} at p = 1",
    )


def needs_many(setup: Setup, lines: Lines) -> Claim:
    """1b. With few games no p wins more from Orange than the equilibrium, and p = 1 wins less."""
    text = f"1b: with fewer than {setup.enough:,} games {RNR} wins less from Orange than the equilibrium"
    found = {games: lines.get(setup.rnr(games=games)) for games in setup.few}
    known = {games: line for games, line in found.items() if line is not None}
    if not known or len(known) < len(found):
        return Claim(text, None, "not finished")
    return Claim(
        text,
        all(
            _gain(line) <= MARGIN and line.against_orange[-1] < line.against_orange[0] - MARGIN
            for line in known.values()
        ),
        "; ".join(
            f"{games:,} games: {_gain(line):+.1f} mb/g at the best p, "
            f"{line.against_orange[-1] - line.against_orange[0]:+.1f} at p = 1"
            for games, line in known.items()
        ),
    )


def needs_probe(setup: Setup, lines: Lines) -> Claim:
    """1c. After self-play no p wins more than the equilibrium, though after games with Probe some does."""
    text = f"1c: {RNR} gains nothing from games of self-play"
    line, probe = lines.get(setup.rnr(SELF_PLAY)), lines.get(setup.rnr())
    if line is None or probe is None:
        return Claim(text, None, "not finished")
    return Claim(
        text,
        _gain(line) <= MARGIN,
        f"{_gain(line):+.1f} mb/g on the equilibrium at the best p, "
        f"{line.against_orange[-1] - line.against_orange[0]:+.1f} at p = 1; Probe {_gain(probe):+.1f}",
    )


def trusts_wisely(setup: Setup, lines: Lines) -> Claim:
    """2a. With 1-step P_max = 1 wins less from Orange than the best P_max, with the others it does not."""
    others = [method for method in CONFIDENCES if method != ONE_STEP]
    text = f"2a: {ONE_STEP} overfits; {', '.join(others)} do not, even at P_max = 1"
    found = {method: lines.get(setup.dbr(method)) for method in CONFIDENCES}
    known = {method: line for method, line in found.items() if line is not None}
    if len(known) < len(found):
        return Claim(text, None, "not finished")
    fewer = [setup.dbr(method, games=games) for games in setup.fewer for method in (ONE_STEP, LINEAR)]
    shown = {f"{family.method} with {family.games:,} games": lines.get(family) for family in fewer}
    falls = _fall(known[ONE_STEP]) > MARGIN
    return Claim(
        text,
        falls and all(_fall(known[method]) <= MARGIN for method in others),
        "at P_max = 1 below the best, and won from the model and Orange, mb/g: "
        + "; ".join(
            f"{name} {_fall(line):.1f}, {line.against_model[-1]:.1f} and {line.against_orange[-1]:.1f}"
            for name, line in {**known, **shown}.items()
            if line is not None
        ),
        "" if falls else _UNSEEN,
    )


_UNSEEN = (
    "It overfits where a betting node has few private states, all soon seen, each once or twice "
    "(limit:4-3-2-2 with 100,000 games). Of many, as in limit:5-5-5-5, most are unseen after a few visits, "
    "so free to do their best, and likely keep a response careful that trusts the seen ones."
)


def does_no_harm(setup: Setup, lines: Lines) -> Claim:
    """2b. With 100 and 1000 games no P_max wins less from Orange than the equilibrium.

    And below P_max = 1 it is but marginally more exploitable: at most a tenth of what RNR is at the same p.
    """
    text = f"2b: {LINEAR} does no harm with 100 or 1,000 games"
    pairs = [
        (games, lines.get(setup.dbr(games=games)), lines.get(setup.rnr(games=games)))
        for games in setup.sizes
        if games <= 1000
    ]
    holds, evidence = [], []
    for games, line, rnr in pairs:
        if line is None or rnr is None:
            return Claim(text, None, "not finished")
        worst = min(line.against_orange[1:]) - line.against_orange[0]
        risk, theirs = (each.exploitability[-2] - each.exploitability[0] for each in (line, rnr))
        holds.append(worst >= -MARGIN and risk <= max(0.1 * theirs, MARGIN))
        evidence.append(
            f"{games:,} games: from Orange {worst:+.1f} to {_gain(line):+.1f} mb/g on the equilibrium; at "
            f"P_max = {line.ps[-2]:g} {risk:+.1f} more exploitable, {RNR} {theirs:+.1f}"
        )
    return Claim(text, all(holds), "; ".join(evidence))


def gains_from_self_play(setup: Setup, lines: Lines) -> Claim:
    """2c. After self-play some P_max wins more from Orange than the equilibrium."""
    text = f"2c: {LINEAR} gains from games of self-play as well"
    line, probe = lines.get(setup.dbr(source=SELF_PLAY)), lines.get(setup.dbr())
    if line is None or probe is None:
        return Claim(text, None, "not finished")
    return Claim(
        text,
        _gain(line) > MARGIN,
        f"{_gain(line):+.1f} mb/g on the equilibrium at P_max = {_best_p(line):g}, "
        f"{line.against_orange[-1] - line.against_orange[0]:+.1f} at P_max = 1; Probe {_gain(probe):+.1f}",
    )


def _figures(drawn: Sequence[tuple[str, Drawn]], ceiling: float | None) -> tuple[Figure, ...]:
    """Whole curves, and those parts of them that are near the equilibrium."""
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
    claims: Sequence[Callable[[Setup, Lines], Claim]],
    drawn: Sequence[tuple[str, Drawn]],
) -> Report:
    paper = published("johanson2009")
    mbg = Unit.MILLIBETS.value

    def table(heading: str, unit: str, values: str, digits: int, note: str = "") -> Table:
        measures = []
        for family in found.lines:
            row = f"{family.method}, {family.source} {family.games:,}"
            curves = np.array([getattr(line, values) for line in found.samples(family)])
            for p, samples in zip(setup.ps, curves.T, strict=True):
                ours = Estimate.of(samples) if len(samples) > 1 else float(samples[0])
                measures.append(Measure(row, f"{p:g}", ours))
        return Table(heading, unit, tuple(measures), "data sets", note, digits)

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
            Table(
                "Orange",
                mbg,
                (Measure("Orange", "exploitability", found.ceiling, float(paper["mbg"]["orange"])),),
                note="The mean over both seats, in the abstract game; the sum is twice that. The paper does "
                "not say which it prints, nor of what the winner's 7% are taken.",
                digits=1,
            ),
        ),
        claims=tuple(_judge(setup, claim, found) for claim in claims),
        figures=_figures(drawn, found.ceiling),
        seconds=found.seconds,
        notes=(
            "The paper gives its curves as drawings only: what is compared is what its text says of them.",
            f"Differences up to {MARGIN:g} mb/g count as none.",
            "An observed game shows all cards and the actions of one Orange, in self-play too.",
        ),
    )


_GAP = "Asked for: {:g} times the freedom the model leaves Orange, of RNR 1 - p."
_SEATS = "Exact values in the abstract game, the mean over both seats."
_CAPTION = (
    "What responses to a model of Orange win, over what they lose in the worst case, at growing p or P_max; "
    "exact values in the abstract game, the mean over both seats."
)
