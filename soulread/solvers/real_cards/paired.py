"""The winnings of local best response from an answer with real cards, and those beyond its equilibrium.

Both are played in the same deals, so that most of the luck of the cards cancels in the difference, and more
deals can be added at any time. The winnings from the equilibrium are kept: the next answer is compared with
the same ones, and only its own hands are played.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.seqform.strategy import Behaviours
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.real_cards.local_best_response import LbrTable, without_luck_in_seats

SEED = 1  # of the deals: all answers meet the same ones


class PairedDeals:
    """The deals in which the answers to an equilibrium's opponents are compared with it.

    ``usual`` has the chips that LBR won from the equilibrium, ``[2]`` for each deal so far.
    """

    def __init__(self, equilibrium: TabularStrategy) -> None:
        self.equilibrium = equilibrium
        self.usual: list[NDArray[np.float64]] = []
        self.table()  # which refuses games that LBR does not play

    def table(self) -> LbrTable:
        """A table at which the deals begin anew."""
        return LbrTable(self.equilibrium, self.equilibrium.betting.poker, SEED)


@dataclass(frozen=True)
class PairedLbr:
    """Winnings of LBR in chips per hand, means over the seats; a sample is one deal, from both seats."""

    won: Estimate  # from the answer
    beyond: Estimate  # the same, less the winnings from the equilibrium


class AnswerDeals:
    """LBR against one answer, deal after deal."""

    def __init__(self, deals: PairedDeals, answer: Behaviours) -> None:
        self._deals = deals
        self._answer = answer
        self._table = deals.table()
        self._won: list[NDArray[np.float64]] = []
        self._luck: list[NDArray[np.float64]] = []

    def __len__(self) -> int:
        """The number of deals so far."""
        return len(self._won)

    def play(self) -> None:
        """Play the next deal."""
        usual = self._deals.usual
        known = len(self) < len(usual)
        behaviours = self._deals.equilibrium.behaviours
        found = self._table.deal([self._answer] if known else [self._answer, behaviours])
        if not known:
            usual.append(found.won[1])
        self._won.append(found.won[0])
        self._luck.append(found.luck)

    def figure(self) -> PairedLbr:
        """The means so far; there must be two deals."""
        won, luck = np.array(self._won), np.array(self._luck)
        usual = np.array(self._deals.usual[: len(won)])
        return PairedLbr(
            *(Estimate.of(without_luck_in_seats(chips, luck).mean(axis=1)) for chips in (won, won - usual))
        )
