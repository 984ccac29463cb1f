"""Simple opponents with one idea each, such as always calling. Every exploiter must beat them clearly.

In no-limit games `AlwaysRaise` makes the smallest legal raise. `Random` and `Probe` first choose the kind of
action, then the size of a raise; all sizes are equally likely.
"""

from dataclasses import dataclass

import numpy as np

from soulread.games.poker import CALL, FOLD, PokerView, raises_among
from soulread.play.agent import Agent, MemorylessAgent
from soulread.play.catalogue.entry import AgentEntry


def _one_of(raises: range, rng: np.random.Generator) -> int:
    """A raise, all equally likely; takes one double of ``rng`` unless there is only one."""
    low, high = raises[0], raises[-1]
    return low if low == high else low + int(rng.random() * (high - low + 1))


@dataclass(frozen=True, slots=True)
class Random(MemorylessAgent):
    """Folds, calls and raises with equal probability where legal."""

    name: str = "random"

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """One draw for the kind of action; in no-limit a second one for the size."""
        raises = raises_among(view.legal)
        kinds = (FOLD in view.legal) + 1 + bool(raises)
        kind = int(rng.random() * kinds)
        return _one_of(raises, rng) if raises and kind == kinds - 1 else view.legal[kind]


@dataclass(frozen=True, slots=True)
class AlwaysFold(MemorylessAgent):
    """Folds to any bet; checks where there is nothing to fold to."""

    name: str = "always-fold"

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Fold if legal, else check."""
        return FOLD if FOLD in view.legal else CALL


@dataclass(frozen=True, slots=True)
class AlwaysCall(MemorylessAgent):
    """Checks and calls whatever comes."""

    name: str = "always-call"

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Check or call, which is always legal."""
        return CALL


@dataclass(frozen=True, slots=True)
class AlwaysRaise(MemorylessAgent):
    """Raises whenever the rules allow it, else calls."""

    name: str = "always-raise"

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """The smallest legal raise, or a call once the betting is capped."""
        raises = raises_among(view.legal)
        return raises[0] if raises else CALL


@dataclass(frozen=True, slots=True)
class Probe(MemorylessAgent):
    """Never folds; calls and raises with equal probability where both are legal (Johanson & Bowling 2009)."""

    name: str = "probe"

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """One draw between call and raise, even if no raise is legal; in no-limit a second for the size."""
        raises = raises_among(view.legal)
        return CALL if rng.random() < 0.5 or not raises else _one_of(raises, rng)


def _entry(agent: type[Agent], about: str) -> AgentEntry:
    name = agent().name
    return AgentEntry(name, about, lambda spec, game, tell: agent(), examples=(name,))


SIMPLE = (
    _entry(Random, "folds, calls and raises with equal probability"),
    _entry(AlwaysFold, "folds to any bet, checks where it can"),
    _entry(AlwaysCall, "checks and calls whatever comes"),
    _entry(AlwaysRaise, "raises whenever the rules allow it, else calls"),
    _entry(Probe, "never folds; calls and raises with equal probability"),
)
