"""Robust responses, during a match, to a model that changes a little from one update to the next.

There is one engine per seat, and it is kept. An update puts the new restriction into the engine and continues
from where it was; the strategy so far counts as half the iterations of an update. Example: in Leduc, with a
model that drifts, 20 iterations per update then reach gaps of 1 to 10 mb/g. Starting a new average each time
reaches 10 to 30.
"""

from soulread.errors import SoulreadError
from soulread.respond.counter import CounterPair, CounterStrategy
from soulread.seqform.compile import SequenceGame
from soulread.solvers.cfr.methods import default_gap
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.cfr.run import run
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.restricted import Restriction

FIRST = 10  # the first update has this many times the iterations of a later one
ITERATIONS = 20  # iterations of an update in a card abstraction, unless said otherwise
_MOST = 5_000  # most iterations of an update that runs until a gap is reached


class Tracker:
    """Computes the responses of both seats, each continuing from the last one.

    ``iterations`` is the number of iterations of an update. With 0 there are 20 in a card abstraction; in
    other games an update then runs until the gap is that of `default_gap`.
    """

    def __init__(self, game: SequenceGame, iterations: int = 0) -> None:
        if iterations < 0:
            raise SoulreadError(f"iterations={iterations!r}; it must not be negative")
        self.game = game
        self.iterations = iterations or (ITERATIONS if game.abstract else 0)
        self.reset()

    def reset(self) -> None:
        """Forget everything solved so far."""
        self._engines: list[RegretMinimiser | None] = [None, None]

    def respond(self, restrictions: tuple[Restriction, Restriction]) -> CounterPair:
        """The responses of seats 0 and 1; ``restrictions[s]`` binds the opponent when it sits in seat s."""
        first, second = (self._respond(seat, restrictions[1 - seat]) for seat in (0, 1))
        return CounterPair((first, second))

    def _respond(self, seat: int, restriction: Restriction) -> CounterStrategy:
        if restriction.player == seat:
            raise SoulreadError(f"seat {seat} cannot both be bound and respond; restrictions[s] binds seat s")
        known, past = self._engines[seat], 0
        if known is None:
            engine = self._engines[seat] = RegretMinimiser(self.game, DCFR(), restriction)
        else:
            engine, past = known, self.iterations // 2
            engine.restart(restriction, past=past)
        if self.iterations:
            count = past + (self.iterations if known is not None else FIRST * self.iterations)
            solution = run(engine, Stops(iterations=count, check_every=count))
        else:
            solution = run(engine, Stops(gap=default_gap(self.game), iterations=_MOST))
        return CounterStrategy(
            game=self.game,
            player=seat,
            method="rnr" if restriction.p is not None else "dbr",
            plan=solution.plans[seat],
            gap=solution.gap,
            iterations=solution.iterations - past,
            seconds=solution.seconds,
        )
