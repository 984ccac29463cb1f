"""The question that every model of an opponent answers: what will this seat do here, and with which cards?

`Model` is the contract. A model is of one player, whichever seat that player has. It learns from hands and
answers

    probabilities(view, seat)   the chance of each action the seat may take, at the point the view shows
    holdings(view, seat)        if it reads cards: how likely each holding of the seat is, by what was seen

The view is that of the seat that asks. If it asks about itself, the model answers for the cards in the view.
If it asks about another seat, the model averages over all cards that seat may hold. A table over information
sets becomes such a model in `soulread.model.tabular`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import NUM_HANDS, hand_index
from soulread.errors import SoulreadError
from soulread.games.poker import PokerView
from soulread.hands.hand import Hand
from soulread.machine import verify_room
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame
from soulread.words import plural

_COPIES = 3  # of the strategies a model weighs, at the same time at most

TOLERANCE = 1e-6  # how far the probabilities of a foreign model may be from summing to one

POSITIVE = Bounds(above=0, below=float("inf"))
SHARE = Bounds(low=0, high=1)
BELOW_ONE = Bounds(low=0, below=1)  # a probability that is never certain
FADING = Bounds(above=0, high=1)  # the factor on the weight of older hands; 1: all hands count alike


@runtime_checkable
class Model(Protocol):
    """A model of how one player plays.

    The constructor only stores settings. `fit` starts afresh, so fitting twice to the same hands changes
    nothing; `update` adds one hand. ``player`` is the label of the player to learn about; without it, that is
    the only opponent of the hand's observer. Asking a model that has no beliefs yet raises
    `soulread.errors.NotFitted`.
    """

    def fit(self, hands: Iterable[Hand], player: str | None = None) -> Self:
        """Learn from these hands alone."""

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand."""

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The probability of each action of ``seat``, which must be to act; keys are the game's actions."""


@runtime_checkable
class CardReader(Protocol):
    """A model that reads cards."""

    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """How likely ``seat`` holds each of ``view.game.holdings``, given the view; sums to one."""


class HandLearner(ABC):
    """The half of a `Model` that learns: `fit` starts afresh and adds one hand after the other."""

    @abstractmethod
    def reset(self) -> None:
        """Forget every hand."""

    @abstractmethod
    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand."""

    def fit(self, hands: Iterable[Hand], player: str | None = None) -> Self:
        """Learn from these hands alone."""
        self.reset()
        for hand in hands:
            self.update(hand, player)
        return self


def subject(hand: Hand, player: str | None) -> int:
    """The seat to learn about in a hand: that of ``player``, or if None, of the observer's only opponent."""
    return hand.opponent if player is None else hand.seat_of(player)


def verify_to_act(view: PokerView, seat: int) -> None:
    """Raise `SoulreadError` unless ``seat`` is to act at the point of a view."""
    if seat != view.to_act:
        raise SoulreadError(f"seat {seat} does not act after {view.betting!r} in {view.game.name!r}")


def one_holding(hole: tuple[int, ...]) -> NDArray[np.float64]:
    """``[1326]`` the chances of the holdings of hold'em if these two cards are known to be held."""
    chances = np.zeros(NUM_HANDS)
    chances[hand_index(*hole)] = 1.0
    return chances


def name_of(model: object) -> str:
    """The name of a model in sentences: of its class, or what a user calls one from elsewhere."""
    return str(getattr(model, "called", type(model).__name__))


def ask(model: Model, view: PokerView, seat: int) -> dict[int, float]:
    """`Model.probabilities`, verified, because a model written elsewhere may answer anything.

    Raises `SoulreadError` unless the actions are legal and their probabilities sum to one.
    """
    verify_to_act(view, seat)
    answer = model.probabilities(view, seat)
    name = name_of(model)
    for action, probability in answer.items():
        if action not in view.choices:
            raise SoulreadError(
                f"the model {name} speaks of action {action!r} after {view.betting!r} in {view.game.name!r}; "
                f"legal are {view.choices!r}"
            )
        if not 0 <= probability <= 1 + TOLERANCE:
            raise SoulreadError(
                f"the model {name} gives action {action!r} after {view.betting!r} the probability "
                f"{probability!r}; it must lie between 0 and 1"
            )
    total = sum(answer.values())
    if not abs(total - 1) <= TOLERANCE:
        raise SoulreadError(
            f"the probabilities of the model {name} after {view.betting!r} in {view.game.name!r} sum to "
            f"{total:.9g}, not to 1"
        )
    return answer


def verify_number(count: int, game: SequenceGame) -> None:
    """Raise if memory does not hold the plans of ``count`` strategies of a game, which a model weighs."""
    sequences = sum(tree.num_sequences for tree in game.trees)
    what = f"{plural(count, 'strategy', 'strategies')} of {game.name!r}"
    verify_room(what, _COPIES * 8 * sequences * count)
