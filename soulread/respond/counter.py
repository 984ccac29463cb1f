"""Counter-strategies that win from a model of the opponent without becoming an easy prey.

* `restricted_nash`: the opponent is believed to play the model in a share p of all hands and anything in the
  others. p = 0 gives an equilibrium, p = 1 a best response (Johanson, Zinkevich & Bowling, NIPS 2008).
* `data_biased`: the opponent is believed to follow the model with a confidence that each information set has
  for itself (Johanson & Bowling, AISTATS 2009).
* `mixture`: a best response in a share p of all hands, an equilibrium in the others. The other two are
  compared with it.

The *exploitation* of an opponent is the gain of a strategy from that opponent beyond the game's value. The
*exploitability* of a strategy is how far it falls short of that value in the worst case. Both are in chips
per hand. For a pair of strategies, one for each seat, they are the mean over the seats.

How far must a restricted game be solved? If the opponent follows the model with probability p, a response
that is more exploitable by e loses no more than (1 - p) e in the restricted game. So for an exploitability
right to within e, the solve must reach a gap of about (1 - p) e. At p = 0.9 and e = 1 mb/g that is 0.1 mb/g.
At p = 1 the best response is computed directly. With a confidence at each set there is no single p. In place
of 1 - p we use the *freedom* (`Restriction.freedom`): of what an unbound opponent could win, the share that
the opponent can still win when bound to the model. `Stops.precision` is e; it never asks for a gap below a
hundredth of e.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.report.shown import Shown
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    Plans,
    behaviour_from_plan,
    in_precision,
    mix_plans,
    plan_from_behaviour,
    verify_behaviour,
)
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.methods import default_gap
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.cfr.run import Check, run
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.lp import solve_exactly
from soulread.solvers.restricted import Restriction

FIRST_UPDATE = 10  # the first update of a `Tracker` has this many times the iterations of a later one
TRACKED_ITERATIONS = 20  # of an update in a card abstraction, unless said otherwise
_MOST_TRACKED = 5_000  # iterations of an update that runs until a gap is reached
_LARGEST_EXACT = 20_000  # sequences of both players, up to which the value of a game is computed

Progress = Callable[[Check], None]


@dataclass(frozen=True, eq=False)
class CounterStrategy:
    """One seat's answer to a model, and how it was made. Chips per hand."""

    game: SequenceGame
    player: int
    method: str  # "rnr", "dbr" or "mix"
    plan: Plan  # [num_sequences]
    gap: float  # of the restricted game, the value of `restricted_gap`
    iterations: int
    seconds: float
    engine: RegretMinimiser | None = field(default=None, repr=False)  # ``start`` of a later, similar solve

    @cached_property
    def behaviour(self) -> Behaviour:
        """The plan as a behaviour; uniform where the plan does not reach."""
        return behaviour_from_plan(self.game.trees[self.player], self.plan)

    @cached_property
    def game_value(self) -> float:
        """Chips per hand that an equilibrium wins in this seat; in small games only."""
        value = _exact_value(self.game)
        return value if self.player == 0 else -value

    def value_against(self, opponent: Behaviour) -> float:
        """Chips per hand that this strategy wins from an opponent's behaviour."""
        plan = _plan(self.game, 1 - self.player, opponent)
        gradient = self.game.payoff.gradient(self.player, plan)
        return float(np.dot(self.plan.astype(np.float64), gradient.astype(np.float64)))

    def exploitation(self, opponent: Behaviour) -> float:
        """Chips per hand that it wins from an opponent's behaviour beyond the value of the game."""
        return self.value_against(opponent) - self.game_value

    @cached_property
    def worst_case(self) -> float:
        """Chips per hand that it wins from an opponent who plays a best response to it."""
        gradient = self.game.payoff.gradient(1 - self.player, self.plan)
        return -best_response(self.game.trees[1 - self.player], gradient)[0]

    @property
    def exploitability(self) -> float:
        """How much less than the value of the game it wins in the worst case."""
        return self.game_value - self.worst_case


@lru_cache(maxsize=8)
def _exact_value(game: SequenceGame) -> float:
    """The value of a game to seat 0."""
    if sum(tree.num_sequences for tree in game.trees) > _LARGEST_EXACT:
        raise SoulreadError(
            f"the value of {game.name!r} takes long to compute; take both seats, where it cancels out"
        )
    return solve_exactly(game).value


@dataclass(frozen=True, eq=False, repr=False)
class CounterPair(Shown):
    """A counter-strategy for each seat. Amounts are means over the seats, so the game's value cancels out."""

    seats: tuple[CounterStrategy, CounterStrategy]

    def summary(self) -> str:
        """Return the game, the method and the worst case."""
        first = self.seats[0]
        return f"{first.game.name}, {first.method}, loses at most {self.exploitability:.4g} chips/h"

    @property
    def behaviours(self) -> Behaviours:
        """Both seats' behaviours."""
        return self.seats[0].behaviour, self.seats[1].behaviour

    @property
    def plans(self) -> Plans:
        """Both seats' plans."""
        return self.seats[0].plan, self.seats[1].plan

    def exploitation(self, opponent: Behaviours) -> float:
        """Chips per hand that the pair wins from an opponent's behaviours in seats 0 and 1."""
        return (self.seats[0].value_against(opponent[1]) + self.seats[1].value_against(opponent[0])) / 2

    @property
    def exploitability(self) -> float:
        """Chips per hand that the pair loses in the worst case."""
        return -(self.seats[0].worst_case + self.seats[1].worst_case) / 2

    @property
    def gap(self) -> float:
        """The mean of both seats' gaps."""
        return (self.seats[0].gap + self.seats[1].gap) / 2

    @property
    def iterations(self) -> int:
        """Iterations of both solves."""
        return self.seats[0].iterations + self.seats[1].iterations

    @property
    def seconds(self) -> float:
        """Seconds of both solves."""
        return self.seats[0].seconds + self.seats[1].seconds


def restricted_nash(
    game: SequenceGame,
    player: int,
    model: Behaviour,
    p: float,
    stops: Stops | None = None,
    *,
    start: RegretMinimiser | None = None,
    default: Behaviour | None = None,
    progress: Progress | None = None,
) -> CounterStrategy:
    """The response of ``player`` to an opponent who plays the behaviour ``model`` with probability ``p``.

    Without ``stops`` the precision (see the top of the module) is the game's default gap. ``start`` is an
    engine that solved a similar restriction for the same seat. It is changed and used again, because its
    regrets save iterations.

    At p = 1 the best response is computed directly. It needs an action for decisions that are never reached
    against the model: there it plays ``default``, or without one the strategy of ``start``, or without either
    its lowest action.
    """
    restriction = Restriction(game.trees[1 - player], model, p=p)
    if default is not None:
        verify_behaviour(game.trees[player], default, "the default")
    if p == 1:
        return _best_response(game, player, restriction, start, default)
    return solve_restricted("rnr", game, restriction, stops, start, progress)


def data_biased(
    game: SequenceGame,
    player: int,
    model: Behaviour,
    confidence: NDArray[np.float64],
    stops: Stops | None = None,
    *,
    start: RegretMinimiser | None = None,
) -> CounterStrategy:
    """The response of ``player`` to an opponent who follows ``model`` with a ``confidence`` at each set.

    ``confidence`` has one number for each information set of the opponent (`soulread.respond.confidence`).
    Stops and ``start`` are those of `restricted_nash`.
    """
    restriction = Restriction(game.trees[1 - player], model, confidence=confidence)
    return solve_restricted("dbr", game, restriction, stops, start)


def mixture(
    game: SequenceGame,
    player: int,
    model: Behaviour,
    equilibrium: Behaviour,
    p: float,
) -> CounterStrategy:
    """A best response to ``model`` with probability ``p``, else the behaviour ``equilibrium`` of ``player``.

    Which of the two is played is decided once per hand, so the result is a mixture of plans. Where the best
    response is never reached against the model, it plays the equilibrium.
    """
    started = time.perf_counter()
    restriction = Restriction(game.trees[1 - player], model, p=p)
    own = _plan(game, player, equilibrium)
    response = _best_response(game, player, restriction, None, equilibrium)
    return CounterStrategy(
        game=game,
        player=player,
        method="mix",
        plan=in_precision(mix_plans(p, response.plan, own), own.dtype),
        gap=0.0,
        iterations=0,
        seconds=time.perf_counter() - started,
    )


def in_both_seats(respond: Callable[[int], CounterStrategy]) -> CounterPair:
    """The pair of the responses that ``respond`` gives for seat 0 and for seat 1."""
    return CounterPair((respond(0), respond(1)))


def pair_of(game: SequenceGame, behaviours: Behaviours) -> CounterPair:
    """A pair with gain and risk, from behaviours of seats 0 and 1 that were made elsewhere."""
    return in_both_seats(
        lambda seat: CounterStrategy(
            game, seat, "", _plan(game, seat, behaviours[seat]), gap=0.0, iterations=0, seconds=0.0
        )
    )


def solve_restricted(
    name: str,
    game: SequenceGame,
    restriction: Restriction,
    stops: Stops | None = None,
    start: RegretMinimiser | None = None,
    progress: Progress | None = None,
    past: int = 0,
) -> CounterStrategy:
    """The response, called ``name``, to an opponent who is bound by a restriction.

    With ``start``, the solve goes on with that engine, and the average so far counts as ``past`` iterations.
    """
    player = 1 - restriction.player
    stops = stops or Stops()
    if not stops.bounded:
        stops = replace(stops, precision=default_gap(game))
    began = time.perf_counter()
    if start is None:
        engine = RegretMinimiser(game, DCFR(), restriction)
    elif start.game is not game:
        raise SoulreadError(f"the engine to start from solved {start.game.name!r}, not this {game.name!r}")
    else:
        engine = start
        engine.restart(restriction, past=past)
    solution = run(engine, stops, progress=progress)
    return CounterStrategy(
        game=game,
        player=player,
        method=name,
        plan=solution.plans[player],
        gap=solution.gap,
        iterations=solution.iterations - past,
        seconds=time.perf_counter() - began,
        engine=engine,
    )


class Tracker:
    """Responses of both seats during a match, to a model that changes a little from update to update.

    Each seat keeps its engine. An update puts the new restriction into the engine and goes on from where it
    was; the strategy so far counts as half the iterations of an update. In Leduc, with a model that drifts,
    20 iterations per update then reach gaps of 1 to 10 mb/g; with a new average each time, 10 to 30.

    ``iterations`` is the number of iterations of an update. With 0 there are 20 in a card abstraction; in
    other games an update then runs until the gap is that of `default_gap`.
    """

    def __init__(self, game: SequenceGame, iterations: int = 0) -> None:
        if iterations < 0:
            raise SoulreadError(f"iterations={iterations!r}; it must not be negative")
        self.game = game
        self.iterations = iterations or (TRACKED_ITERATIONS if game.abstract else 0)
        self.reset()

    def reset(self) -> None:
        """Forget everything solved so far."""
        self._engines: list[RegretMinimiser | None] = [None, None]

    def respond(self, restrictions: tuple[Restriction, Restriction]) -> CounterPair:
        """The responses of seats 0 and 1; ``restrictions[s]`` binds the opponent when it sits in seat s."""
        return in_both_seats(lambda seat: self._respond(seat, restrictions[1 - seat]))

    def _respond(self, seat: int, restriction: Restriction) -> CounterStrategy:
        if restriction.player == seat:
            raise SoulreadError(f"seat {seat} cannot both be bound and respond; restrictions[s] binds seat s")
        known = self._engines[seat]
        past = 0 if known is None else self.iterations // 2
        if self.iterations:
            count = past + (FIRST_UPDATE * self.iterations if known is None else self.iterations)
            stops = Stops(iterations=count, check_every=count)
        else:
            stops = Stops(gap=default_gap(self.game), iterations=_MOST_TRACKED)
        name = "rnr" if restriction.p is not None else "dbr"
        found = solve_restricted(name, self.game, restriction, stops, known, past=past)
        self._engines[seat] = found.engine
        return replace(found, engine=None)


def _best_response(
    game: SequenceGame,
    player: int,
    restriction: Restriction,
    start: RegretMinimiser | None,
    default: Behaviour | None,
) -> CounterStrategy:
    started = time.perf_counter()
    tree = game.trees[player]
    model = in_precision(restriction.model_plan, game.payoff.dtype)
    if default is None and start is not None:
        default = behaviour_from_plan(tree, start.plans[player])
    gradient = game.payoff.gradient(player, model)
    _, plan = best_response(tree, gradient, default)
    return CounterStrategy(
        game=game,
        player=player,
        method="rnr",
        plan=plan,
        gap=0.0,
        iterations=0,
        seconds=time.perf_counter() - started,
        engine=start,
    )


def _plan(game: SequenceGame, player: int, behaviour: Behaviour) -> Plan:
    """The plan of a behaviour, in the precision of the game's payoffs."""
    verify_behaviour(game.trees[player], behaviour)
    return plan_from_behaviour(game.trees[player], in_precision(behaviour, game.payoff.dtype))
