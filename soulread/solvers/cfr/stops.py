"""When a run of an iterative method ends, and after which iterations its exploitability is checked.

It is checked after iterations 10, 20, ..., 100. From then on the distance between two checks is a tenth of
the iterations made: 110, 121 and so on. So there are at most a tenth as many checks as iterations.
``check_every`` chooses a fixed distance. The iterations checked do not depend on where a run was interrupted.
"""

from collections.abc import Callable
from dataclasses import dataclass

from soulread.errors import SoulreadError
from soulread.options import Options, option
from soulread.solvers.restricted import Gap

_LEAST_FREEDOM = 0.01  # a precision e asks for no gap below 0.01 e


@dataclass(frozen=True)
class Stops(Options):
    """A run ends at the first of these that is given."""

    iterations: int | None = option(None, "since the start of the engine, or its last restart", low=0)
    gap: float | None = option(None, "chips per hand", low=0)
    # Of gap / freedom (`soulread.respond.counter`).
    precision: float | None = option(None, "chips per hand", low=0)
    seconds: float | None = option(None, "of wall clock", low=0)
    check_every: int | None = option(None, "iterations between two looks at the gap", low=1)
    stop: Callable[[], bool] | None = None  # asked several times a second; true ends the run

    @property
    def bounded(self) -> bool:
        """Whether a number ends the run, not only ``stop``."""
        numbers = self.iterations, self.gap, self.precision, self.seconds
        return any(number is not None for number in numbers)

    def verify_bounded(self) -> None:
        """Raise if no number ends the run."""
        if not self.bounded:
            raise SoulreadError("nothing says when to stop; give iterations, gap or seconds")

    def is_finished(self, iteration: int, seconds: float, reached: Gap) -> bool:
        """Whether a run that got so far ends. ``stop`` is asked only if no number ends the run."""
        return (
            (self.iterations is not None and iteration >= self.iterations)
            or (self.seconds is not None and seconds >= self.seconds)
            or (self.gap is not None and reached.value <= self.gap)
            or (
                self.precision is not None
                and reached.value <= self.precision * max(reached.freedom, _LEAST_FREEDOM)
            )
            or (self.stop is not None and self.stop())
        )

    def next_check(self, last: int) -> int:
        """The first iteration to check after iteration ``last``."""
        if self.check_every is not None:
            return (last // self.check_every + 1) * self.check_every
        point = 0
        while point <= last:
            point += max(10, point // 10)
        return point
