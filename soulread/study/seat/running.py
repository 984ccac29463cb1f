"""What a player has won at a table so far, hand by hand, raw and with luck taken off, with its band.

The band around a line of n hands is that of what the play is worth: with s the standard deviation of a hand,

    the line at hand n  ±  1.96 s sqrt(n)

holds n times the true mean with probability 95%, at each single n. It is drawn around the line with luck
taken off where that is known for every hand, else around the raw one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from soulread.estimate import Estimate, Sampling, Unit
from soulread.games.poker import PokerGame
from soulread.report.figures import BLUE, GREEN, Curve, Panel

MOST_POINTS = 200
LEAST = 10  # hands whose mean is worth an interval
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class RunningResult:
    """Chips won so far, and the mean in the unit of the game with its 95% interval."""

    hands: int
    won: int  # chips
    unit: str
    mean: Estimate | None  # None: too few hands
    without_luck: float | None  # chips; None where it is not known
    mean_without_luck: Estimate | None
    points: tuple[int, ...]  # hands
    line: tuple[float, ...]  # [points] chips
    line_without_luck: tuple[float, ...]
    half_band: tuple[float, ...]

    @property
    def panel(self) -> Panel:
        """The lines over the hands."""
        x = tuple(map(float, self.points))
        centre = self.line_without_luck or self.line
        low = tuple(value - half for value, half in zip(centre, self.half_band, strict=True))
        high = tuple(value + half for value, half in zip(centre, self.half_band, strict=True))
        if not self.line_without_luck:
            curves = [Curve("won, 95% band", x, self.line, low, high, colour=GREEN)]
        else:
            curves = [
                Curve("won", x, self.line, colour=GREEN),
                Curve("luck taken off, 95% band", x, self.line_without_luck, low, high, colour=BLUE),
            ]
        return Panel("Chips won over the hands", "hands", "chips", tuple(curves))


def unit_of(game: PokerGame) -> Unit:
    """The unit in which results of a game are told: mb/g where bets are fixed, else bb/100."""
    return Unit.MILLIBETS if game.rules.raise_sizes is not None else Unit.BIG_BLINDS_PER_100


def running_result(
    game: PokerGame, won: Sequence[int], without_luck: Sequence[float | None], learning: bool
) -> RunningResult:
    """The result of ``won`` chips in each hand; ``learning`` says whether an opponent learns.

    ``without_luck`` has the same with luck taken off, None where that is not known; the last hands may be
    missing.
    """
    known = [value for value in without_luck if value is not None]
    luck_off = len(known) == len(won) and bool(won)
    unit = unit_of(game)
    points = np.unique(np.linspace(0, len(won), min(MOST_POINTS, len(won)) + 1).round().astype(int))
    line = np.concatenate([[0.0], np.cumsum(won, dtype=np.float64)])[points]
    smooth = np.concatenate([[0.0], np.cumsum(known)])[points] if luck_off else np.empty(0)
    centre = np.array(known if luck_off else won, dtype=np.float64)
    spread = float(centre.std(ddof=1)) if centre.size > 1 else 0.0
    return RunningResult(
        hands=len(won),
        won=sum(won),
        unit=unit.value,
        mean=_mean(game, won, learning),
        without_luck=sum(known) if luck_off else None,
        mean_without_luck=_mean(game, known, learning) if luck_off else None,
        points=tuple(points.tolist()),
        line=tuple(line.tolist()),
        line_without_luck=tuple(smooth.tolist()),
        half_band=tuple((_NORMAL_95 * spread * np.sqrt(points)).tolist()),
    )


def _mean(game: PokerGame, won: Sequence[float], learning: bool) -> Estimate | None:
    if len(won) < LEAST:
        return None
    found = Sampling(1, len(won), learning).estimate(np.array([won], dtype=np.float64))
    rules = game.rules
    return found.scaled(unit_of(game).per_chip(rules.small_bet, rules.big_blind))
