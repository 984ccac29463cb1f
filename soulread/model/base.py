"""What every opponent model can do: learn from hands, and say how the opponent plays."""

from collections.abc import Iterable
from typing import Protocol, Self

from soulread.observe.hand import Hand
from soulread.seqform.treeplex import Floats


class OpponentModel(Protocol):
    """A model of how one player plays one seat of a two-player game.

    The constructor stores settings only. `fit` starts afresh, so fitting twice is fitting once; `update`
    goes on. Asking a model that has seen nothing raises `soulread.errors.NotFitted`.
    """

    @property
    def player(self) -> int:
        """The seat that is modelled."""

    def fit(self, hands: Iterable[Hand]) -> Self:
        """Learn from these hands alone; hands in which the opponent had the other seat teach nothing."""

    def update(self, hand: Hand) -> Self:
        """Learn from one more hand."""

    def strategy(self) -> Floats:
        """The behaviour ``[num_sequences]`` the opponent is believed to play."""

    def probabilities(self, information: str) -> dict[int, float]:
        """Probability of each action, by the game's number of it, at the set of this label."""
