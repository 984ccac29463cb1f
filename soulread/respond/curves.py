"""Frontiers: what a family of counter-strategies wins, from the model and from the real opponent, and risks.

A *frontier* has one point for each value of a parameter between 0 and 1. For restricted Nash responses and
mixtures the parameter is p, for data biased responses it is P_max. These are the curves in the figures of
Johanson & Bowling (AISTATS 2009).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.respond.confidence import Confidence, p_conf
from soulread.respond.counter import CounterPair, CounterStrategy, data_biased, mixture, restricted_nash
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Behaviours
from soulread.solvers.cfr.methods import default_gap
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.stops import Stops

PAPER_PS = 0.0, 0.5, 0.7, 0.8, 0.9, 0.93, 0.97, 0.99, 1.0
"""The values of p and P_max in the paper's figures."""


@dataclass(frozen=True, eq=False)
class Request:
    """Which member of a family is asked for: the answer of ``player`` to ``model`` at parameter ``p``."""

    game: SequenceGame
    player: int
    model: Behaviour  # [num_sequences] of the other player
    p: float
    precision: float  # chips per hand (`soulread.respond.counter`)
    start: RegretMinimiser | None = None  # the engine of the previous p, if it has one


class Family(Protocol):
    """Counter-strategies with one parameter between 0 (an equilibrium) and 1 (trust in the model)."""

    @property
    def name(self) -> str:
        """What it is called in tables and figures."""

    def respond(self, request: Request) -> CounterStrategy:
        """The member that is asked for."""


@dataclass(frozen=True)
class RestrictedNash:
    """Restricted Nash responses (`restricted_nash`).

    At p = 1 the answer is a best response to the model. Where the model never lets us get, it plays the
    answer of the previous p.
    """

    name: str = "rnr"
    iterations: int | None = None  # of a member, at most

    def respond(self, request: Request) -> CounterStrategy:
        """See `Family`."""
        stops = Stops(precision=request.precision, iterations=self.iterations)
        return restricted_nash(
            request.game, request.player, request.model, request.p, stops, start=request.start
        )


@dataclass(frozen=True, eq=False)
class DataBiased:
    """Data biased responses (`data_biased`).

    ``function`` turns the number of times the opponent was seen at an information set into a confidence.
    """

    function: Confidence
    observations: Mapping[int, NDArray[np.float64]]  # by seat: [num_sets]
    name: str = "dbr"
    iterations: int | None = None  # of a member, at most

    def respond(self, request: Request) -> CounterStrategy:
        """See `Family`."""
        trust = p_conf(self.function, self.observations[1 - request.player], request.p)
        stops = Stops(precision=request.precision, iterations=self.iterations)
        return data_biased(request.game, request.player, request.model, trust, stops, start=request.start)


@dataclass(frozen=True, eq=False)
class Mixture:
    """Mixtures of the best response and an equilibrium (`mixture`)."""

    equilibrium: Behaviours
    name: str = "mix"

    def respond(self, request: Request) -> CounterStrategy:
        """See `Family`."""
        own = self.equilibrium[request.player]
        return mixture(request.game, request.player, request.model, own, request.p)


@dataclass(frozen=True)
class Point:
    """One member of a family, the mean over both seats; chips per hand."""

    p: float
    against_model: float  # exploitation
    against_opponent: float | None  # exploitation of the real opponent; None if that one is not known
    exploitability: float
    gap: float
    iterations: int
    seconds: float


@dataclass(frozen=True, eq=False)
class Frontier:
    """A curve of exploitation against exploitability, and how it was made."""

    game: str
    family: str
    points: tuple[Point, ...]
    responses: tuple[CounterPair, ...] = ()  # one for each point, where they were kept

    JSON = keys("game family points")


class SeatPoint(NamedTuple):
    """One member of a family in one seat; chips per hand won. ``response`` only where it was kept."""

    p: float
    against_model: float
    against_opponent: float | None
    worst_case: float
    gap: float
    iterations: int
    seconds: float
    response: CounterStrategy | None


def seat_frontier(
    game: SequenceGame,
    player: int,
    family: Family,
    model: Behaviour,
    ps: Sequence[float] = PAPER_PS,
    *,
    opponent: Behaviour | None = None,
    precision: float | None = None,
    equilibrium: Behaviour | None = None,
    keep: bool = False,
    progress: Callable[[float, CounterStrategy], None] | None = None,
) -> list[SeatPoint]:
    """The curve of one seat against the behaviour ``model``, in ascending order of ``ps``.

    The arguments are those of `frontier`, for one seat: ``model`` and ``opponent`` are behaviours of the
    other seat, ``equilibrium`` is a behaviour of this one.
    """
    if not ps:
        raise SoulreadError("a curve needs at least one value of p")
    for p in ps:
        if not 0 <= p <= 1:
            raise SoulreadError(f"p={p!r}; it lies between 0 and 1")
    precision = default_gap(game) if precision is None else precision
    start: RegretMinimiser | None = None
    points = []
    for p in sorted(set(ps)):
        if p == 0 and equilibrium is not None:
            response = mixture(game, player, model, equilibrium, 0.0)
        else:
            response = family.respond(Request(game, player, model, p, precision, start))
        start = response.engine or start
        points.append(
            SeatPoint(
                p=p,
                against_model=response.value_against(model),
                against_opponent=None if opponent is None else response.value_against(opponent),
                worst_case=response.worst_case,
                gap=response.gap,
                iterations=response.iterations,
                seconds=response.seconds,
                response=replace(response, engine=None) if keep else None,
            )
        )
        if progress is not None:
            progress(p, response)
    return points


def frontier(
    game: SequenceGame,
    family: Family,
    models: Behaviours,
    ps: Sequence[float] = PAPER_PS,
    *,
    opponent: Behaviours | None = None,
    precision: float | None = None,
    equilibrium: Behaviours | None = None,
    keep: bool = False,
    progress: Callable[[int, float, CounterStrategy], None] | None = None,
) -> Frontier:
    """The curve of a family against ``models``, both seats' behaviours, at the parameters ``ps``.

    ``opponent`` is how the opponent really plays. ``precision``, in chips per hand, says how exactly each
    game is solved (`soulread.respond.counter`); by default it is the gap to which an equilibrium is solved.
    Parameters are solved in ascending order, and each solve starts from the result of the one before. If
    ``equilibrium`` is given, it is the answer at p = 0, which is then not solved for. ``keep`` keeps the
    strategies. ``progress`` is called with seat, p and response of each.
    """
    seats: list[dict[float, SeatPoint]] = []
    for player in (0, 1):
        curve = seat_frontier(
            game,
            player,
            family,
            models[1 - player],
            ps,
            opponent=None if opponent is None else opponent[1 - player],
            precision=precision,
            equilibrium=None if equilibrium is None else equilibrium[player],
            keep=keep,
            progress=None if progress is None else partial(progress, player),
        )
        seats.append({point.p: point for point in curve})
    points, responses = [], []
    for p in ps:
        first, second = seats[0][p], seats[1][p]
        real = None
        if first.against_opponent is not None and second.against_opponent is not None:
            real = (first.against_opponent + second.against_opponent) / 2
        points.append(
            Point(
                p=p,
                against_model=(first.against_model + second.against_model) / 2,
                against_opponent=real,
                exploitability=-(first.worst_case + second.worst_case) / 2,
                gap=(first.gap + second.gap) / 2,
                iterations=first.iterations + second.iterations,
                seconds=first.seconds + second.seconds,
            )
        )
        if first.response is not None and second.response is not None:
            responses.append(CounterPair((first.response, second.response)))
    return Frontier(game.name, family.name, tuple(points), tuple(responses))
