"""The common part of Loki and Ponsen, who read each opponent and play hands out against these reads."""

import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import NUM_HANDS
from soulread.cards.scales.values import income_scale
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.play.agent import Belief
from soulread.play.search.outlook import Clock, Limits, Outlook, first_decisions
from soulread.words import plural

MOST_PLAYERS = 200  # whose models are kept


class PlayerModel(Protocol):
    """A model that learns about one player of the hands."""

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand."""


M = TypeVar("M", bound=PlayerModel)


class PlayerModels(Generic[M]):
    """A model of each player, made by ``new``; those of the `MOST_PLAYERS` seen last are kept."""

    def __init__(self, new: Callable[[], M]) -> None:
        self._new = new
        self.stranger = new()
        self.known: OrderedDict[str, M] = OrderedDict()

    def of(self, player: str) -> M:
        """The model of a player; of one never seen, the model that has learnt nothing."""
        return self.known.get(player, self.stranger)

    def observe(self, hand: Hand) -> None:
        """Learn about all who were dealt in but the observer."""
        for seat, player in enumerate(hand.players):
            if seat != hand.observer:
                model = self.known.pop(player, None) or self._new()
                self.known[player] = model.update(hand, player)
        while len(self.known) > MOST_PLAYERS:
            self.known.popitem(last=False)

    def sentence(self, seen: Callable[[M], int]) -> str:
        """A sentence on how well the players are known; ``seen`` counts the decisions behind a model."""
        if not self.known:
            return "knows nobody yet"
        total = sum(map(seen, self.known.values()))
        return f"has models of {plural(len(self.known), 'player')}, from {plural(total, 'decision')}"


class PlayoutAgent(ABC):
    """Asks a model of each live opponent for a table over the 1326 holdings, and plays hands out."""

    def __init__(self, name: str, game: PokerGame, reason: str | None) -> None:
        if reason is not None:
            raise SoulreadError(f"{name!r} cannot sit at {game.name!r}: {reason}")
        self.name = name
        self.game = game
        self.outlook: Outlook | None = None  # of the last decision that was played out
        self.clock: Clock = time.perf_counter  # by which a budget is spent
        self._values = income_scale(game.num_players).values
        self._before = np.tile(self._values, (game.num_players, 1))

    def warm_up(self) -> None:
        """Load what decisions need, so that the first one keeps to its budget."""
        for view in first_decisions(self.game):
            self.simulate(view, Limits(playouts=2), np.random.default_rng(0))

    @abstractmethod
    def holdings(self, view: PokerView, seat: int) -> NDArray[np.float64]:
        """``[1326]`` how likely the opponent in ``seat`` holds each holding."""

    @abstractmethod
    def simulate(self, view: PokerView, limits: Limits, rng: np.random.Generator) -> Outlook:
        """The value of each action but a fold to the seat in view, by play-outs."""

    def tables(self, view: PokerView) -> NDArray[np.float64]:
        """``[seats, 1326]`` how likely each live opponent holds each holding; zero in the other rows."""
        found = np.zeros((len(view.folded), NUM_HANDS))
        for seat in live_others(view):
            found[seat] = self.holdings(view, seat)
        return found

    def belief(self, view: PokerView | None = None) -> Belief:
        """With a view, the ranges of the live opponents; without one, nothing."""
        if view is None:
            return Belief()
        return Belief(ranges={seat: self.holdings(view, seat) for seat in live_others(view)})


def live_others(view: PokerView) -> list[int]:
    """Opponents who have not folded."""
    return [seat for seat, out in enumerate(view.folded) if not out and seat != view.seat]
