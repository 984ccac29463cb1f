"""The frequentist model of Johanson & Bowling (AISTATS 2009, section 3.3): what he did as often as he did it.

At an information set where the opponent was seen, an action has the share of times he took it there. Where he
was never seen a *default policy* is assumed: he calls, or checks where there is nothing to call. That is a
guess, and ``observations`` tells where it is one.
"""

from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import NotFitted, ShapeError, SoulreadError
from soulread.observe.hand import Hand
from soulread.observe.private import PrivateCounts
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import verify_behaviour
from soulread.seqform.tabular import Lookup
from soulread.seqform.treeplex import Floats
from soulread.solve.skews import baseline_behaviour


class FrequencyModel:
    """How an opponent in seat ``player`` plays, as frequencies at his information sets.

    Only hands in which his cards are known teach anything. ``default`` is his behaviour where he was not
    seen, always-call if none is given. ``lookup`` is that of `PrivateCounts`.
    """

    def __init__(
        self,
        game: SequenceGame,
        player: int,
        lookup: Lookup | None = None,
        default: Floats | None = None,
    ) -> None:
        if player not in (0, 1):
            raise SoulreadError(f"player {player!r}; the seats of a two-player game are 0 and 1")
        self.game = game
        self._player = player
        self.lookup = lookup
        self.default = baseline_behaviour(game.trees[player], "always-call") if default is None else default
        verify_behaviour(game.trees[player], self.default)
        self._counts: PrivateCounts | None = None

    @property
    def player(self) -> int:
        """The seat that is modelled."""
        return self._player

    def fit(self, hands: Iterable[Hand] | PrivateCounts) -> Self:
        """Learn from hands, those seen by his opponents, or from counts; forget what was learnt before.

        Counts are copied: hands added to them later change nothing here.
        """
        if isinstance(hands, PrivateCounts):
            self._counts = None
            self._take(hands)
        else:
            self._counts = PrivateCounts(self.game, self.lookup).add_hands(hands)
            self._take(self._counts)
        return self

    def update(self, hand: Hand) -> Self:
        """Learn from one more hand; a model that was not fitted starts with it."""
        if self._counts is None:
            if hasattr(self, "counts_"):
                raise SoulreadError("this model was fitted to counts; add the hand to them and fit again")
            self._counts = PrivateCounts(self.game, self.lookup)
        self._counts.add(hand)
        self._take(self._counts)
        return self

    def _take(self, counts: PrivateCounts) -> None:
        theirs, mine = counts.game.trees[self.player], self.game.trees[self.player]
        if theirs is not mine and theirs.checksum != mine.checksum:
            raise ShapeError(
                f"counts of {counts.game.name!r} cannot teach a model of {self.game.name!r}; "
                "both need the same game and abstraction"
            )
        self.counts_ = counts.table(self.player).copy()
        self.observations_ = counts.observations(self.player)

    @property
    def observations(self) -> NDArray[np.float64]:
        """n_I, ``[num_sets]``: how often he was seen to act at each of his sets."""
        self._verify_fitted()
        return self.observations_

    def strategy(self) -> Floats:
        """The behaviour ``[num_sequences]`` he is believed to play."""
        self._verify_fitted()
        tree = self.game.trees[self.player]
        behaviour = np.array(self.default, dtype=np.float64)
        for block, sets, rows in tree.blocks():
            seen = self.observations_[sets]
            known = np.flatnonzero(seen > 0)
            table = behaviour[rows].reshape(len(tree.actions[block]), -1)
            table[:, known] = self.counts_[rows].reshape(table.shape)[:, known] / seen[known]
        return behaviour

    def probabilities(self, information: str) -> dict[int, float]:
        """Probability of each action, by the game's number of it, at the set of this label."""
        self._verify_fitted()
        tree = self.game.trees[self.player]
        index = tree.index(information)
        behaviour = self.strategy()[tree.sequences(index)]
        return dict(zip(tree.legal_actions(index), behaviour.tolist(), strict=True))

    def _verify_fitted(self) -> None:
        if not hasattr(self, "counts_"):
            raise NotFitted("this model has seen no hands; call fit or update first")
