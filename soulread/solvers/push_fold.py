"""Push or fold: all-in or nothing before the flop, for the last two players of a hand of no-limit hold'em.

The small blind goes all-in or folds; the big blind calls or folds. Both see which of the 169 classes their
holding is, and cards that one holds the other does not (`soulread.cards.preflop`). This game is solved
exactly, by a linear program. It is heads-up play, and it is also a ring in which all others have folded:
their antes are dead chips in the pot.

It is a *restricted* game: there are no limps and no smaller raises. The equilibrium here is not that of
no-limit hold'em, and how much the restriction costs the small blind is not known. With a few big blinds it
is the way people play; with many it is not.

Dead chips D go to whoever wins the pot. Each player's result is counted less D / 2, so that the game is
zero-sum; `PushFold.value` has them again.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.cards.preflop import NUM_CLASSES, preflop_table
from soulread.cards.ranges import CELL_SIZES, class_name
from soulread.errors import SoulreadError
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import FactoredPayoff, Leaves
from soulread.seqform.strategy import behaviour_from_plan
from soulread.seqform.treeplex import ProductLabels, make_treeplex
from soulread.solvers.cfr.run import Solution
from soulread.solvers.lp import solve_exactly

Classes = NDArray[np.float64]  # [169]

LEAST_STACK, MOST_STACK = 1.5, 100.0
_FOLD, _GO = 1, 1 + NUM_CLASSES  # first sequences of either player: to fold; to push, or to call


@dataclass(frozen=True)
class PushFoldRules:
    """The stakes, in big blinds."""

    stack: float  # the shorter of the two, before blinds and antes
    small_blind: float = 0.5
    ante: float = 0.0  # of each of the two
    dead: float = 0.0  # chips of others in the pot

    def __post_init__(self) -> None:
        if not LEAST_STACK <= self.stack - self.ante <= MOST_STACK:
            raise SoulreadError(
                f"a stack of {self.stack:g} big blinds with an ante of {self.ante:g}; push or fold is for "
                f"{LEAST_STACK:g} to {MOST_STACK:g} beyond the ante"
            )
        if not 0 <= self.small_blind <= 1 or not self.ante >= 0 or not self.dead >= 0:
            raise SoulreadError(
                f"a small blind of {self.small_blind:g}, antes of {self.ante:g} and {self.dead:g} dead, in "
                "big blinds; none may be negative, and the small blind is at most 1"
            )

    @property
    def name(self) -> str:
        """``"push or fold, 10 bb"``."""
        more = f", ante {self.ante:g}" if self.ante else ""
        return f"push or fold, {self.stack:g} bb{more}" + (f", {self.dead:g} dead" if self.dead else "")


def push_fold_game(rules: PushFoldRules) -> SequenceGame:
    """The game in sequence form; player 0 is the small blind, chips are big blinds."""
    table = preflop_table()
    names = tuple(class_name(cell) for cell in range(NUM_CLASSES))
    half = rules.dead / 2
    folded, stolen = rules.small_blind + rules.ante + half, 1 + rules.ante + half
    leaves = Leaves(
        round=np.zeros(3, np.int8),
        showdown=np.array([False, False, True]),
        sequence=np.array([[_FOLD, _GO, _GO], [0, _FOLD, _GO]], np.int32),
        sequence_round=np.array([[0, 0, 0], [-1, 0, 0]], np.int8),
        chips=np.array([[-folded, stolen, rules.stack + half], [folded, -stolen, rules.stack + half]]),
    )
    trees = [
        make_treeplex(
            player, [((0, 1), np.zeros(NUM_CLASSES, np.int32))], ProductLabels((node,), (0,), (names,))
        )
        for player, node in enumerate(("", "push"))
    ]
    size = 1 + 2 * NUM_CLASSES
    payoff = FactoredPayoff(
        num_sequences=(size, size),
        reach=(table.reach,),
        win=(table.reach * table.equity,),  # a tie is half a win for both, which is the same at a showdown
        parent_state=(np.zeros(NUM_CLASSES, np.int32),),
        leaves=leaves,
    )
    return SequenceGame(rules.name, (trees[0], trees[1]), payoff)


@dataclass(frozen=True, eq=False)
class PushFold:
    """An equilibrium of push or fold."""

    rules: PushFoldRules
    solution: Solution

    @cached_property
    def push(self) -> Classes:
        """``[169]``: how often the small blind goes all-in with each class."""
        return self._going(0)

    @cached_property
    def call(self) -> Classes:
        """``[169]``: how often the big blind calls with each class."""
        return self._going(1)

    def _going(self, player: int) -> Classes:
        tree = self.solution.game.trees[player]
        found = behaviour_from_plan(tree, self.solution.plans[player])[_GO:].astype(np.float64)
        return np.clip(found, 0.0, 1.0)

    @property
    def push_rate(self) -> float:
        """How often the small blind goes all-in, over all holdings."""
        return float(CELL_SIZES @ self.push / CELL_SIZES.sum())

    @property
    def call_rate(self) -> float:
        """How often the big blind calls an all-in, whose holdings make some of the big blind's rarer."""
        faced = self.push @ preflop_table().reach
        return float(faced @ self.call / faced.sum())

    @cached_property
    def push_gain(self) -> Classes:
        """``[169]`` big blinds that going all-in wins more than folding, for each class."""
        return self._gain(0, CELL_SIZES / CELL_SIZES.sum())

    @cached_property
    def call_gain(self) -> Classes:
        """``[169]`` big blinds that calling an all-in wins more than folding, for each class."""
        return self._gain(1, self.push @ preflop_table().reach)

    def _gain(self, player: int, chance: Classes) -> Classes:
        game, plans = self.solution.game, self.solution.plans
        values = game.payoff.gradient(player, plans[1 - player])
        found: Classes = (values[_GO:] - values[_FOLD:_GO]) / np.maximum(chance, 1e-300)
        return np.where(chance > 0, found, 0.0)

    @property
    def value(self) -> float:
        """Big blinds that the small blind wins a hand, dead chips included."""
        first, second = self.solution.plans
        return self.solution.game.value(first, second) + self.rules.dead / 2


@lru_cache(maxsize=256)
def solve_push_fold(rules: PushFoldRules) -> PushFold:
    """The equilibrium for these stakes, exact but for rounding."""
    return PushFold(rules, solve_exactly(push_fold_game(rules)))
