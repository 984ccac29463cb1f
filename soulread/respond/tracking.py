"""Robust responses to a model that changes a little from one update to the next, hand by hand at the table.

One engine per seat stays alive. An update puts the new restriction into it and advances it from where it
stood, the strategy so far counting as half the iterations of an update. In Leduc, with a model that drifts,
20 iterations an update then come to gaps of 1 to 10 mb/g, where a new average each time comes to 10 to 30.
"""

from soulread.errors import SoulreadError
from soulread.respond.counter import CounterPair, CounterStrategy
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import FactoredPayoff
from soulread.solve.cfr import RegretMinimiser
from soulread.solve.named import default_gap, parse_abstract_game
from soulread.solve.regret import DCFR
from soulread.solve.restricted import Restriction
from soulread.solve.run import run
from soulread.solve.stops import Stops

FIRST = 10  # times the iterations of an update, for the first one
ITERATIONS = 20  # of an update in an abstraction, unless said otherwise
_MOST = 5_000  # iterations of an update to a gap


class Tracker:
    """Responses of both seats, each from where the last one ended.

    ``iterations`` is how far an update goes; with 0 it is 20 in a card abstraction, and in other games an
    update goes on until the gap is that of `default_gap`.
    """

    def __init__(self, game: SequenceGame, iterations: int = 0) -> None:
        if iterations < 0:
            raise SoulreadError(f"iterations={iterations!r}; it must not be negative")
        self.game = game
        large = isinstance(game.payoff, FactoredPayoff) and parse_abstract_game(game.name) is not None
        self.iterations = iterations or (ITERATIONS if large else 0)
        self.reset()

    def reset(self) -> None:
        """Forget what was solved so far."""
        self._engines: list[RegretMinimiser | None] = [None, None]

    def respond(self, restrictions: tuple[Restriction, Restriction]) -> CounterPair:
        """The responses of seats 0 and 1, given how their opponent is bound in seats 0 and 1."""
        first, second = (self._respond(seat, restrictions[1 - seat]) for seat in (0, 1))
        return CounterPair((first, second))

    def _respond(self, seat: int, restriction: Restriction) -> CounterStrategy:
        if restriction.player == seat:
            raise SoulreadError(f"seat {seat} cannot be bound and respond; give restrictions by their seats")
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
            solution = run(engine, Stops(gap=default_gap(self.game.name), iterations=_MOST))
        return CounterStrategy(
            game=self.game,
            player=seat,
            method="rnr" if restriction.p is not None else "dbr",
            plan=solution.plans[seat],
            gap=solution.gap,
            iterations=solution.iterations - past,
            seconds=solution.seconds,
        )
