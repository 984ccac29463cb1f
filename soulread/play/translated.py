"""An agent that plays a strategy over few raises at a real no-limit table, where any raise may come."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from soulread.games.poker import CALL, PokerView
from soulread.observe.translation import OVER, Translator
from soulread.play.agent import MemorylessAgent
from soulread.seqform.strategy import draw_index
from soulread.seqform.tabular import TabularStrategy


@dataclass(frozen=True, eq=False)
class TranslatedAgent(MemorylessAgent):
    """Plays a strategy whose tree has a menu of raises; takes one double of its stream a decision.

    Where the hand is over in the tree but not at the table, nearly all chips are in, and the agent checks
    and calls.
    """

    name: str
    strategy: TabularStrategy
    nearest: bool = False

    @cached_property
    def translator(self) -> Translator:
        """What finds the place of a real hand in the tree."""
        return Translator(self.strategy.betting, self.nearest)

    def probabilities(self, view: PokerView) -> dict[int, float]:
        """The probability of each action at the table that stands for one of the tree."""
        node = self.translator.node(view)
        if node == OVER:
            return {CALL: 1.0}
        state = self.strategy.lookup.state(view.hole, view.board)
        return self.translator.chances(view, node, self.strategy.probabilities(node, state).tolist())

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action."""
        found = self.probabilities(view)
        return list(found)[draw_index(np.array(list(found.values())), rng.random())]
