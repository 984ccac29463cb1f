"""When a run of an iterative method ends, and after which iterations its exploitability is checked.

It is checked after iterations 10, 20, ..., 100. From then on the distance between two checks is a tenth of
the iterations made: 110, 121 and so on. So there are at most a tenth as many checks as iterations.
``check_every`` chooses a fixed distance. The iterations checked do not depend on where a run was interrupted.
"""

from collections.abc import Callable
from dataclasses import dataclass

from soulread.errors import SoulreadError
from soulread.solvers.restricted import Gap

_LEAST_FREEDOM = 0.01  # a precision e asks for no gap below 0.01 e


@dataclass(frozen=True)
class Stops:
    """A run ends at the first of these that is given."""

    iterations: int | None = None  # since the start of the engine, or its last restart
    gap: float | None = None  # chips per hand
    precision: float | None = None  # of gap / freedom (`soulread.respond.counter`), chips per hand
    seconds: float | None = None
    check_every: int | None = None  # iterations between two looks at the gap
    stop: Callable[[], bool] | None = None  # asked several times a second; true ends the run

    def __post_init__(self) -> None:
        for name in ("iterations", "gap", "seconds", "precision"):
            number = getattr(self, name)
            if number is not None and not number >= 0:
                raise SoulreadError(f"{name}={number!r}; it must not be negative")
        if self.check_every is not None and self.check_every < 1:
            raise SoulreadError(f"check_every={self.check_every!r}; it must be at least 1")

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
