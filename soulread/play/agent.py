"""The `Agent` protocol of players at a soulread table, and the beliefs that agents tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.estimate import Estimate
from soulread.games.poker import PokerView
from soulread.hands.hand import Hand
from soulread.seqform.tabular import TabularStrategy

MOST_TOLD = 20  # frequencies of a belief in its record


class Agent(Protocol):
    """A player. It sees only its own view of a hand and, afterwards, the record of what its seat saw."""

    @property
    def name(self) -> str:
        """The name of the agent in results; for an agent of the catalogue, the text that names it."""

    def reset(self) -> None:
        """Forget everything seen so far; play on as if newly made."""

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Choose one of ``view.legal``. All chance in the choice comes from ``rng``."""

    def observe(self, hand: Hand) -> None:
        """Learn from a finished hand; ``hand.observer`` is the seat this agent had."""


@dataclass(frozen=True, slots=True)
class Frequency:
    """A public action: how often the opponent is believed to take it, and how often the equilibrium does."""

    seat: int  # of the opponent
    history: str  # the public history
    action: int  # by the game's number
    believed: float
    equilibrium: float
    seen: float | None = None  # opportunities observed, where they are counted


@dataclass(frozen=True)
class RealCards:
    """How a local best response with real cards fared against an agent's answer; chips per hand.

    What it wins, an opponent can win: a lower bound of exploitability. ``certified`` is the upper bound in
    the card abstraction, which says nothing about hands that look alike there.
    """

    certified: float
    won: Estimate  # mean over the seats; a sample is one deal, from both
    beyond: Estimate  # the same, less the winnings from the agent's equilibrium in the same deals
    planned: int  # deals
    first: int  # number of the first hand played with the answer, from 1 up
    last: int | None = None  # and of the last one; None if the answer is still played

    JSON = keys("certified won beyond planned finished first last")

    @property
    def finished(self) -> bool:
        """Whether all planned deals were played."""
        return self.won.n == self.planned

    def scaled(self, factor: float) -> "RealCards":
        """The same figures in another unit."""
        return replace(
            self,
            certified=self.certified * factor,
            won=self.won.scaled(factor),
            beyond=self.beyond.scaled(factor),
        )


@dataclass(frozen=True, eq=False)
class Belief:
    """The present belief of an agent, as data. Amounts are chips per hand; None if it cannot tell."""

    expected: float | None = None  # gain beyond the value of the game, if the belief is right
    worst_case: float | None = None  # gain against an opponent who knows the agent's strategy: at most 0
    frequencies: tuple[Frequency, ...] = ()  # posterior frequencies of the opponent's public actions
    ranges: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """By seat: how likely each of ``view.game.holdings`` is, at the point of the hand in view."""

    real_cards: tuple[RealCards, ...] = ()
    """The last finished figure, then that of the present answer as far as it has come, if it is another."""

    JSON = keys("expected worst_case ranges real_cards", frequencies="_furthest")

    @property
    def _furthest(self) -> list[Frequency]:
        """The `MOST_TOLD` frequencies that are furthest from equilibrium."""
        return sorted(self.frequencies, key=lambda f: -abs(f.believed - f.equilibrium))[:MOST_TOLD]


@runtime_checkable
class Believer(Protocol):
    """An agent that can say what it believes: as data for programs, and as a sentence for people."""

    def belief(self, view: PokerView | None = None) -> Belief:
        """The present belief. With a view of the agent's seat, it includes the opponents' ranges."""

    def sentence(self) -> str:
        """A sentence on the present belief or risk, for a person to read; may be empty."""


@dataclass(frozen=True, eq=False)
class Expectation:
    """How an agent believes in the present hand that the opponent plays, and what it expects to win.

    Amounts are chips per hand. ``expected`` is the gain beyond the value of the game if the opponent plays as
    believed; 0 while the agent plays the equilibrium. ``gain`` is the expected gain beyond that of the
    equilibrium from the same opponent; None if the agent does not say.
    """

    expected: float
    believed: TabularStrategy
    equilibrium: TabularStrategy  # the belief about an unknown opponent
    game_value: float  # of the game to seat 0, by the equilibrium
    gain: float | None = None


@runtime_checkable
class Expecting(Protocol):
    """An agent that answers a model of its opponent and can say what it believes and expects."""

    def expectation(self, seat: int) -> Expectation | None:
        """The expectation in ``seat``, or None; called after a hand and before `Agent.observe`."""


@runtime_checkable
class Finishing(Protocol):
    """An agent that computes figures in the background."""

    def finish(self) -> None:
        """Wait for the figures; called when a match is over, before the agent is asked what it believes."""


@runtime_checkable
class Remembering(Protocol):
    """An agent that can begin a match with what it has seen of its opponents before."""

    def recall(self, hands: Sequence[Hand]) -> None:
        """Learn from hands of earlier matches, oldest first; called when nothing has been seen yet.

        They are as this agent would have observed them: ``hand.observer`` is its seat, and players are called
        as in the match that begins. An answer that takes long is computed once, not after every hand.
        """


class HandByHand:
    """The common part of agents that recall hands by observing them one after the other."""

    def recall(self: Agent, hands: Sequence[Hand]) -> None:
        """Learn from hands of earlier matches."""
        for hand in hands:
            self.observe(hand)


class MemorylessAgent:
    """The common part of agents that learn nothing."""

    def reset(self) -> None:
        """There is nothing to forget."""

    def observe(self, hand: Hand) -> None:
        """There is nothing to learn."""


def learns(agent: Agent) -> bool:
    """Whether an agent wants to be told of finished hands; those of `MemorylessAgent` do not."""
    return getattr(type(agent), "observe", None) is not MemorylessAgent.observe
