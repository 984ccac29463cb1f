"""Matches of DBBR valued by what its strategies win from the opponent's (`soulread.play.match.judges`).

Beside each hand stands what the equilibrium would have won in it, on the same boards. Cards and draws no
longer count, so a few matches decide. A sample is a match; amounts are small bets per hand.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.games.limit_holdem import limit_holdem
from soulread.reproduce.kit.limit_table import GAME
from soulread.reproduce.kit.matches import match_task
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.tasks import Task, TaskResult

Place = tuple[str, str]  # row and column


def valued_cells(
    rows: Mapping[str, str],
    columns: Mapping[str, str],
    abstraction: str,
    hands: int,
    seed: int,
    numbers: Iterable[int],
) -> dict[Place, list[Task]]:
    """The matches with these numbers of all players with all opponents, whose texts are given by name."""
    chosen = tuple(numbers)
    return {
        (row, column): [
            match_task(
                GAME,
                (text, villain),
                hands,
                seed,
                number,
                duplicate=False,
                worth=True,
                usual=f"equilibrium:{abstraction}",
            )
            for number in chosen
        ]
        for row, text in rows.items()
        for column, villain in columns.items()
    }


class ValuedMatches(TaskGrid[Place]):
    """Matches by row and column; ``first`` and ``last`` (not included) are hands of a match."""

    def won(self, row: str, column: str, first: int = 0, last: int | None = None) -> Estimate | None:
        """The win rate of a row."""
        found = self._samples([(row, column)], first, last)
        return Estimate.of(found[0][:, 0]) if found else None

    def usual(self, row: str, column: str, first: int = 0, last: int | None = None) -> Estimate | None:
        """What the equilibrium would have won in the same hands."""
        found = self._samples([(row, column)], first, last)
        return Estimate.of(found[0][:, 1]) if found else None

    def gain(self, row: str, column: str, first: int = 0, last: int | None = None) -> Estimate | None:
        """How much more than the equilibrium a row won."""
        found = self._samples([(row, column)], first, last)
        return Estimate.of(found[0][:, 0] - found[0][:, 1]) if found else None

    def difference(self, row: str, other: str, column: str) -> Estimate | None:
        """How much more than another row a row won in whole matches of the same numbers."""
        found = self._samples([(row, column), (other, column)], 0, None)
        return Estimate.of(found[0][:, 0] - found[1][:, 0]) if found else None

    def _samples(self, places: Sequence[Place], first: int, last: int | None) -> list[NDArray[np.float64]]:
        """For each place ``[matches, 2]``: what the row and the equilibrium won in some hands, as means."""
        bet = limit_holdem().rules.small_bet

        def means(result: TaskResult) -> NDArray[np.float64]:
            both = np.stack([result["less_luck"], result["usual"]], axis=1)[first:last]
            return np.asarray(both.mean(axis=0, keepdims=True) / bet)

        return self.paired(places, f"means of hands {first} to {'the end' if last is None else last}", means)
