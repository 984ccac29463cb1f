"""The `Agent` protocol: what a player must be able to do to sit at a soulread table."""

from typing import Protocol, runtime_checkable

import numpy as np

from soulread.games.poker import PokerView
from soulread.observe.hand import Hand


class Agent(Protocol):
    """A player. It sees only its own view of a hand and, afterwards, the hand as its seat saw it."""

    @property
    def name(self) -> str:
        """The text that `soulread.play.parse_agent` turns into this agent."""

    def reset(self) -> None:
        """Forget everything seen so far; play on as if newly made."""

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Choose one of ``view.legal``. All chance in the choice comes from ``rng``."""

    def observe(self, hand: Hand) -> None:
        """Take note of a finished hand; ``hand.observer`` is the seat this agent had."""


@runtime_checkable
class Speaker(Protocol):
    """An agent that can say where it stands."""

    def sentence(self) -> str:
        """What it believes or risks at present, for a person to read."""


class MemorylessAgent:
    """The common part of agents that learn nothing."""

    def reset(self) -> None:
        """There is nothing to forget."""

    def observe(self, hand: Hand) -> None:
        """There is nothing to learn."""
