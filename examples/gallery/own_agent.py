"""An agent of your own in a match: three methods are enough.

It looks at nothing, so what it loses is what its style costs.
"""

import numpy as np

import soulread as sr
from soulread.games.poker import PokerGame, PokerView


class Bluffer:
    """Raises half of the time, and calls else."""

    def __init__(self, game: PokerGame) -> None:
        self.game = game

    def reset(self) -> None:
        """Nothing is remembered."""

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Raise or call."""
        return view.legal[-1] if rng.random() < 0.5 else 1

    def observe(self, hand: sr.Hand) -> None:
        """Nothing is learnt."""


result = sr.duel("leduc", Bluffer, "equilibrium", hands=400, duplicate=True, seed=3)
print(f"Bluffer wins {result.estimate(0, sr.Unit.MILLIBETS).text(0)} mb/g")
figure = result.plot()
