"""Play of strategies over few raises at a real no-limit table, where any raise may come.

Where the hand is over in the tree but not at the table, nearly all chips are in, and who plays checks and
calls. A strategy over all raises of its game is played as it is.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from soulread.games.poker import CALL, PokerView
from soulread.observe.translation import OVER, Translator, translator_of
from soulread.play.agent import MemorylessAgent
from soulread.play.tabular import TabularAgent
from soulread.seqform.strategy import draw_index
from soulread.seqform.tabular import TabularStrategy


def draw_at_table(strategy: TabularStrategy, view: PokerView, uniform: float) -> int:
    """The action at the table that ``uniform``, drawn from [0, 1), selects at ``view``."""
    if strategy.betting.bets is None:
        return strategy.draw(view, uniform)
    found = chances_at_table(strategy, view)
    return list(found)[draw_index(np.array(list(found.values())), uniform)]


def chances_at_table(
    strategy: TabularStrategy, view: PokerView, translator: Translator | None = None
) -> dict[int, float]:
    """The probability of each action at the table that stands for one of the strategy's tree.

    Another ``translator`` than the usual one may find the place in the tree.
    """
    if strategy.betting.bets is None:
        return dict(zip(view.legal, strategy.probabilities(*strategy.place(view)).tolist(), strict=True))
    translator = translator or translator_of(strategy.betting)
    node = translator.node(view)
    if node == OVER:
        return {CALL: 1.0}
    state = strategy.lookup.state(view.hole, view.board)
    return translator.chances(view, node, strategy.probabilities(node, state).tolist())


def seated(name: str, strategy: TabularStrategy) -> "TabularAgent | TranslatedAgent":
    """What plays a strategy at the table: over a menu of raises, hands are translated."""
    plays = TabularAgent if strategy.betting.bets is None else TranslatedAgent
    return plays(name, strategy)


@dataclass(frozen=True, eq=False)
class TranslatedAgent(MemorylessAgent):
    """Plays a strategy whose tree has a menu of raises; takes one double of its stream a decision."""

    name: str
    strategy: TabularStrategy
    nearest: bool = False

    @cached_property
    def translator(self) -> Translator:
        """What finds the place of a real hand in the tree."""
        return Translator(self.strategy.betting, self.nearest)

    def probabilities(self, view: PokerView) -> dict[int, float]:
        """The probability of each action at the table that stands for one of the tree."""
        return chances_at_table(self.strategy, view, self.translator)

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action."""
        found = self.probabilities(view)
        return list(found)[draw_index(np.array(list(found.values())), rng.random())]
