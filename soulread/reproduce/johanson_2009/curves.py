"""Restricted Nash and data biased responses to Orange (Johanson & Bowling, AISTATS 2009): the curves.

Orange plays against Probe, or against itself, and all its cards are seen. The model is the frequencies of its
actions. A curve shows what responses to the model win from Orange, against what they risk, at growing trust
in the model: p for restricted Nash responses (RNR), P_max for data biased ones (DBR). All values are exact
ones of the abstract game; only the observed games are random.

A curve of one seat is a task. Its games are solved to a *precision* (`soulread.respond.counter`). The less
freedom the model leaves Orange, the smaller is the gap asked for, as being more exploitable then costs less.
Each solve starts from the regrets of the one before. At p = 0 all curves have the same equilibrium. At p = 1
RNR is a best response to the model. Where the model never lets us get, it plays the answer of the previous p.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Unit
from soulread.model.counted import FrequencyModel
from soulread.observe.private import PrivateCounts
from soulread.play.match.simulate import simulate
from soulread.play.opponents.baselines import Probe
from soulread.play.opponents.skewed import find_orange
from soulread.play.tabular import tabular_form
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.respond.confidence import parse_confidence
from soulread.respond.curves import PAPER_PS, data_biased_family, nash_family, seat_frontier
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Tell, parse_source
from soulread.seqform.strategy import Behaviour, Behaviours, in_precision, plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.methods import default_schedule
from soulread.solvers.cfr.run import Check, Solution, solve
from soulread.solvers.equilibria import equilibrium_path, find_equilibrium, solve_or_load
from soulread.streams import MatchStreams
from soulread.tasks import Json, Task, TaskResult, Values, kept_as

VERSION = 3  # raise it when the same curve would have other values
DATA_SETS = 5  # for each curve, unless the user asks for another number of matches
PROBE, SELF_PLAY = "Probe", "self-play"
RNR = "RNR"
CONFIDENCES = {"1-step": "1-step", "10-step": "10-step", "0-10 linear": "0-10", "1-curve": "curve:1"}
"""The confidence functions of Figure 2a: from their names there to the text that `parse_confidence` reads."""
ONE_STEP, LINEAR = "1-step", "0-10 linear"


@dataclass(frozen=True)
class Watched:
    """A curve by name: the responses of one method to what ``games`` observed games of one source show."""

    method: str  # `RNR` or one of `CONFIDENCES`
    source: str  # `PROBE` or `SELF_PLAY`
    games: int


@dataclass(frozen=True)
class RobustSetup:
    """Sizes of the experiment: the paper's, or those of ``--quick``; the paper shows one data set."""

    game: str
    sizes: tuple[int, ...]  # observed games; the last is the paper's million
    enough: int  # with fewer games, the paper says, RNR is worse than an equilibrium
    ps: tuple[float, ...]
    precision: float  # mb/g
    iterations: int  # the most iterations of one solve
    seed: int
    matches: int = 1  # data sets, each from a seed of its own

    @classmethod
    def of(cls, options: RunOptions) -> "RobustSetup":
        """5-5-5-5 buckets and up to a million games; quick: a tenth of the states and of the games."""
        sizes = options.sizes(
            game=("limit:4-3-2-2:quick", "limit:5-5-5-5"),
            hands=(100_000, 1_000_000),
            sizes=((100, 1000), (100, 1000, 10_000, 100_000)),
            enough=(10_000, 100_000),
            ps=((0.0, 0.5, 0.9, 0.97, 1.0), PAPER_PS),
            precision=(1.0, 2.0),
            iterations=(1500, 500),
            matches=(DATA_SETS, DATA_SETS),
        )
        most = sizes.pop("hands")
        return cls(**{**sizes, "sizes": (*(size for size in sizes["sizes"] if size < most), most)})

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

    def rnr(self, source: str = PROBE, games: int | None = None) -> Watched:
        """A curve of Figure 1; by default the red one, with all games."""
        return Watched(RNR, source, games or self.most)

    def dbr(self, method: str = LINEAR, source: str = PROBE, games: int | None = None) -> Watched:
        """A curve of Figure 2."""
        return Watched(method, source, games or self.most)

    def tasks(self, watched: Watched, match: int = 0) -> list[Task]:
        """The tasks of the curve in seats 0 and 1, for the games of one match."""
        about: dict[str, Json] = {
            "game": self.game,
            "method": watched.method,
            "source": watched.source,
            "games": watched.games,
            "seed": self.seed + match,
            "ps": list(self.ps),
            "precision": self.precision / self.per_chip,
            "iterations": self.iterations,
        }
        return [Task(seat_curve, {**about, "player": player}, VERSION) for player in (0, 1)]

    @property
    def ceiling(self) -> Task:
        """A task that computes `orange_ceiling`."""
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
    family = nash_family(iterations)
    if method != RNR:
        family = data_biased_family(parse_confidence(CONFIDENCES[method]), {1 - player: seen}, iterations)
    found = seat_frontier(
        compiled,
        player,
        family,
        model,
        ps,
        precision=precision,
        equilibrium=precise_equilibrium(game, precision)[player],
    )
    real, responses = orange.behaviours[1 - player], list(found.values())
    return {
        "against_model": np.array([response.value_against(model) for response in responses]),
        "against_orange": np.array([response.value_against(real) for response in responses]),
        "worst_case": np.array([response.worst_case for response in responses]),
        "gap": np.array([response.gap for response in responses]),
        "iterations": np.array([response.iterations for response in responses]),
        "seconds": np.array([response.seconds for response in responses]),
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
class ResponseCurve:
    """A curve, the mean over both seats: exploitation and exploitability in mb/g at each p."""

    ps: tuple[float, ...]
    against_model: tuple[float, ...]
    against_orange: tuple[float, ...]
    exploitability: tuple[float, ...]
    gap: tuple[float, ...]
    iterations: tuple[float, ...]  # of both seats together

    @classmethod
    def of(cls, ps: tuple[float, ...], seats: Sequence[TaskResult], per_chip: float) -> "ResponseCurve":
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
        )


DataSet = Mapping[Watched, ResponseCurve]  # the curves of which both seats are finished


def run_curves(
    options: RunOptions, setup: RobustSetup, wanted: Iterable[Watched]
) -> tuple[list[DataSet], float | None, float]:
    """The curves of each match, what best responses to Orange win in mb/g, and the CPU time of all tasks."""
    if not options.stored_only:
        find_orange(parse_source(setup.game), tell=options.tell)
        precise_equilibrium(setup.game, setup.precision / setup.per_chip, options.tell)
    chosen = list(wanted)
    grid = TaskGrid(
        {(match, curve): setup.tasks(curve, match) for match in range(setup.matches) for curve in chosen}
    )
    grid.run(options, [setup.ceiling, *(task for tasks in grid.cells.values() for task in tasks)])
    data_sets: list[DataSet] = [
        {
            curve: ResponseCurve.of(setup.ps, grid.at((match, curve)), setup.per_chip)
            for curve in chosen
            if grid.is_whole((match, curve))
        }
        for match in range(setup.matches)
    ]
    best = grid.results.get(setup.ceiling.key)
    ceiling = None if best is None else setup.per_chip * float(best["values"].mean())
    return data_sets, ceiling, grid.seconds
