"""The `Agent` protocol: what a player must be able to do to sit at a soulread table."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.games.poker import PokerView
from soulread.hands.hand import Hand
from soulread.seqform.tabular import TabularStrategy

MOST_TOLD = 20  # frequencies of a belief in its record


class Agent(Protocol):
    """A player. It sees only its own view of a hand and, afterwards, the record of what its seat saw."""

    @property
    def name(self) -> str:
        """What the agent is called in results; for an agent of the catalogue, the text that names it."""

    def reset(self) -> None:
        """Forget everything seen so far; play on as if newly made."""

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Choose one of ``view.legal``. All chance in the choice comes from ``rng``."""

    def observe(self, hand: Hand) -> None:
        """Take note of a finished hand; ``hand.observer`` is the seat this agent had."""


@dataclass(frozen=True, slots=True)
class Frequency:
    """A public action: how often the opponent is believed to take it, and how often the equilibrium does."""

    seat: int  # of the opponent
    history: str  # the public history
    action: int  # by the game's number
    believed: float
    equilibrium: float
    seen: float | None = None  # opportunities observed, where they are counted


@dataclass(frozen=True, eq=False)
class Belief:
    """What an agent believes at present, as data. Amounts are chips per hand; None if it cannot tell."""

    expected: float | None = None  # gain beyond the value of the game, if the belief is right
    worst_case: float | None = None  # gain against an opponent who knows the agent's strategy: at most 0
    frequencies: tuple[Frequency, ...] = ()  # posterior frequencies of the opponent's public actions
    ranges: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """By seat: how likely each of ``view.game.holdings`` is, at the point of a hand that was asked about."""

    JSON = keys("expected worst_case ranges", frequencies="_furthest")

    @property
    def _furthest(self) -> list[Frequency]:
        """The `MOST_TOLD` frequencies that are furthest from equilibrium."""
        return sorted(self.frequencies, key=lambda f: -abs(f.believed - f.equilibrium))[:MOST_TOLD]


@runtime_checkable
class Believer(Protocol):
    """An agent that can say what it believes: as data for programs, and as a sentence for people."""

    def belief(self, view: PokerView | None = None) -> Belief:
        """What the agent believes at present. With a view of its seat, also what the opponents may hold."""

    def sentence(self) -> str:
        """What the agent believes or risks at present, for a person to read; may be empty."""


@dataclass(frozen=True, eq=False)
class Stance:
    """What an agent goes by in the present hand: a table of how the opponent plays, and what that promises.

    Amounts are chips per hand.
    """

    expected: (
        float  # gain beyond the value of the game, if the opponent plays as believed; 0 if none is sought
    )
    believed: TabularStrategy
    equilibrium: TabularStrategy  # what is believed of a stranger
    game_value: float  # of the game to seat 0, by the equilibrium
    gain: float | None = None
    """What is expected beyond what the equilibrium would win from the same opponent; None: it is not said."""


@runtime_checkable
class Stanced(Protocol):
    """An agent that answers a model of its opponent and can say what it goes by."""

    def stance(self, seat: int) -> Stance | None:
        """What it goes by in ``seat``; asked after a hand, before the agent is told of it. None: nothing."""


class MemorylessAgent:
    """The common part of agents that learn nothing."""

    def reset(self) -> None:
        """There is nothing to forget."""

    def observe(self, hand: Hand) -> None:
        """There is nothing to learn."""


def learns(agent: Agent) -> bool:
    """Whether an agent wants to be told of finished hands; those of `MemorylessAgent` do not."""
    return getattr(type(agent), "observe", None) is not MemorylessAgent.observe
