"""Frontiers: the gain of a family of counter-strategies, from the model and from the opponent, and its risk.

A *frontier* has one point for each value of a parameter between 0 and 1. For restricted Nash responses and
mixtures the parameter is p, for data biased responses it is P_max. These are the curves in the figures of
Johanson & Bowling (AISTATS 2009).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

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


Respond = Callable[[float, RegretMinimiser | None], CounterStrategy]
"""A function of the parameter, and of the engine that solved the parameter before, to go on with."""


@dataclass(frozen=True, eq=False)
class ResponseFamily:
    """Counter-strategies with one parameter between 0 (an equilibrium) and 1 (trust in the model).

    ``respond`` is a function of game, player, model of the other player, parameter, stops and the engine of
    the parameter before. ``iterations`` is the most of a solve.
    """

    name: str
    respond: Callable[[SequenceGame, int, Behaviour, float, Stops, RegretMinimiser | None], CounterStrategy]
    iterations: int | None = None


def nash_family(iterations: int | None = None) -> ResponseFamily:
    """Restricted Nash responses (`restricted_nash`).

    At p = 1 the answer is a best response to the model. Where the model never lets us get, it plays the
    answer of the previous p.
    """
    return ResponseFamily(
        "rnr",
        lambda game, player, model, p, stops, start: restricted_nash(
            game, player, model, p, stops, start=start
        ),
        iterations,
    )


def data_biased_family(
    function: Confidence, observations: Mapping[int, NDArray[np.float64]], iterations: int | None = None
) -> ResponseFamily:
    """Data biased responses (`data_biased`).

    ``observations`` has, by seat, how often the opponent was seen at each information set ``[num_sets]``;
    ``function`` turns that number into a confidence.
    """
    return ResponseFamily(
        "dbr",
        lambda game, player, model, p, stops, start: data_biased(
            game, player, model, p_conf(function, observations[1 - player], p), stops, start=start
        ),
        iterations,
    )


def mixture_family(equilibrium: Behaviours) -> ResponseFamily:
    """Mixtures of the best response and an equilibrium (`mixture`)."""
    return ResponseFamily(
        "mix", lambda game, player, model, p, *rest: mixture(game, player, model, equilibrium[player], p)
    )


@dataclass(frozen=True)
class CurvePoint:
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
    points: tuple[CurvePoint, ...]
    responses: tuple[CounterPair, ...] = ()  # one for each point, where they were kept

    JSON = keys("game family points")


def sweep(
    respond: Respond,
    ps: Iterable[float],
    start: RegretMinimiser | None = None,
    progress: Callable[[float, CounterStrategy], None] | None = None,
) -> dict[float, CounterStrategy]:
    """The response of each parameter, in ascending order; a solve goes on with the engine of the last one."""
    found = {}
    for p in sorted(set(ps)):
        response = respond(p, start)
        start = response.engine or start
        found[p] = replace(response, engine=None)
        if progress is not None:
            progress(p, response)
    return found


def seat_frontier(
    game: SequenceGame,
    player: int,
    family: ResponseFamily,
    model: Behaviour,
    ps: Sequence[float] = PAPER_PS,
    *,
    precision: float | None = None,
    equilibrium: Behaviour | None = None,
    progress: Callable[[float, CounterStrategy], None] | None = None,
) -> dict[float, CounterStrategy]:
    """The responses of one seat to the behaviour ``model``, by parameter, in ascending order.

    The arguments are those of `frontier`, for one seat: ``model`` is a behaviour of the other seat,
    ``equilibrium`` is one of this seat.
    """
    if not ps:
        raise SoulreadError("a curve needs at least one value of p")
    for p in ps:
        if not 0 <= p <= 1:
            raise SoulreadError(f"p={p!r}; it lies between 0 and 1")
    stops = Stops(
        precision=default_gap(game) if precision is None else precision, iterations=family.iterations
    )

    def respond(p: float, start: RegretMinimiser | None) -> CounterStrategy:
        if p == 0 and equilibrium is not None:
            return mixture(game, player, model, equilibrium, 0.0)
        return family.respond(game, player, model, p, stops, start)

    return sweep(respond, ps, progress=progress)


def frontier(
    game: SequenceGame,
    family: ResponseFamily,
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
    seats = [
        seat_frontier(
            game,
            player,
            family,
            models[1 - player],
            ps,
            precision=precision,
            equilibrium=None if equilibrium is None else equilibrium[player],
            progress=None if progress is None else partial(progress, player),
        )
        for player in (0, 1)
    ]
    pairs = [CounterPair((seats[0][p], seats[1][p])) for p in ps]
    points = tuple(
        CurvePoint(
            p,
            pair.exploitation(models),
            None if opponent is None else pair.exploitation(opponent),
            pair.exploitability,
            pair.gap,
            pair.iterations,
            pair.seconds,
        )
        for p, pair in zip(ps, pairs, strict=True)
    )
    return Frontier(game.name, family.name, points, tuple(pairs) if keep else ())
