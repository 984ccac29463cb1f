"""The frequentist model of Johanson & Bowling (AISTATS 2009, section 3.3): an action as often as it was seen.

At an information set where the opponent was seen, the probability of an action is the share of times that
the opponent took it there. Elsewhere a *default policy* is assumed: the opponent calls, or checks if there is
nothing to call. That is a guess; it is made where ``observations`` is 0.
"""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import NotFitted, ShapeError, SoulreadError
from soulread.hands.hand import Hand
from soulread.model.base import subject
from soulread.model.tabular import TabularModel
from soulread.observe.private import PrivateCounts
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Behaviours, verify_behaviours
from soulread.solvers.skews import baseline_behaviour


class FrequencyModel(TabularModel):
    """How an opponent plays, as frequencies at the opponent's information sets.

    Only hands in which the opponent's cards are known teach anything. ``default`` has the behaviours of seats
    0 and 1 where the opponent was not seen; without it the opponent is assumed to call there.
    """

    def __init__(self, game: SequenceGame, default: Behaviours | None = None) -> None:
        self.game = game
        if default is None:
            first, second = (baseline_behaviour(tree, "always-call") for tree in game.trees)
            default = first, second
        verify_behaviours(game.trees, default)
        self.default = default
        self._counts: PrivateCounts | None = None
        self._own = True  # whether the counts are the model's own, so that hands may be added to them

    def reset(self) -> None:
        """Forget every hand."""
        self._counts, self._own = PrivateCounts(self.game), True

    def fit_counts(self, counts: PrivateCounts) -> Self:
        """Learn from counts made elsewhere; forget what was learnt before.

        The counts are copied: hands added to them later change nothing here.
        """
        theirs, mine = (game.trees for game in (counts.game, self.game))
        if any(a is not b and a.checksum != b.checksum for a, b in zip(theirs, mine, strict=True)):
            raise ShapeError(
                f"counts of {counts.game.name!r} cannot teach a model of {self.game.name!r}; "
                "both need the same game and abstraction"
            )
        self._counts, self._own = counts.copy(), False
        return self

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand; a model that was not fitted starts with it."""
        if self._counts is None:
            self._counts = PrivateCounts(self.game)
        if not self._own:
            raise SoulreadError("this model was fitted to counts; add the hand to them and fit again")
        self._counts.add(hand, subject(hand, player))
        return self

    @property
    def counts(self) -> PrivateCounts:
        """The counts of the opponent's actions."""
        if self._counts is None:
            raise NotFitted("this model has seen no hands; call fit or update first")
        return self._counts

    def observations(self, seat: int) -> NDArray[np.float64]:
        """n_I, ``[num_sets]``: how often the opponent was seen to act at each set of ``seat``."""
        return self.counts.observations(seat)

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour ``[num_sequences]`` the opponent is believed to play in ``seat``."""
        tree, counts = self.game.trees[seat], self.counts.table(seat)
        observations = self.observations(seat)
        behaviour = np.array(self.default[seat], dtype=np.float64)
        for block, sets, rows in tree.blocks():
            seen = observations[sets]
            known = np.flatnonzero(seen > 0)
            table = behaviour[rows].reshape(len(tree.actions[block]), -1)
            table[:, known] = counts[rows].reshape(table.shape)[:, known] / seen[known]
        return Behaviour(behaviour)
