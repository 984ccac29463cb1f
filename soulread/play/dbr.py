"""DBR, the agent: at each information set it trusts its model as far as it has seen the opponent there.

It plays the equilibrium for T hands. Then, and after every k hands, it fits a model for each seat of the
opponent and plays the data biased response to it (Johanson & Bowling, AISTATS 2009). Where it has seen
nothing it allows for the worst, so that a wrong read costs little; it says how much at most.

    dbr                                        in Kuhn and Leduc; in limit hold'em over 5-5-5-5 buckets
    dbr:5-5-5-5:quick,k=100,confidence=0-10,pmax=0.9,model=deviation

Options: ``T`` and ``k``; ``confidence``, a function of the number of observations (1-step, 10-step, 0-10,
curve:1), and ``pmax``, the greatest confidence; ``iterations`` of an update (0: to a gap in small games, 20
in abstractions); ``background=1`` updates beside the game. ``model`` says what the agent learns from:

* "deviation": DBBR's model of all public actions and of the cards that were shown (`soulread.model.shown`).
  An information set counts as observed as often as the opponent is believed to have been there.
* "frequency": the paper's, action frequencies at the sets of the hands that were shown, and nothing else.
  From a seat at the table folded hands are never seen; the paper's observations were of all cards.

It never sees cards that were not shown.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.model.deviation import DeviationModel
from soulread.model.frequency import FrequencyModel
from soulread.observe.counts import PublicCounts
from soulread.observe.hand import Hand
from soulread.observe.private import PrivateCounts
from soulread.observe.shown import ShownCards
from soulread.play.exploiter import Exploiter, Read
from soulread.play.options import parse_spec_and_options
from soulread.play.solved import game_text
from soulread.respond.confidence import p_conf, parse_confidence
from soulread.respond.tracking import Tracker
from soulread.seqform.compile import SequenceGame
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats
from soulread.solve.equilibria import find_equilibrium
from soulread.solve.named import Tell, compile_playable
from soulread.solve.restricted import Restriction

DEFAULT_ABSTRACTION = "5-5-5-5"  # the paper's, in limit hold'em
MODELS = "deviation", "frequency"
_SHOWN = 5.0  # hands the public model is worth where cards were shown


@dataclass(frozen=True, slots=True)
class Settings:
    """When the agent updates its response, and how far it trusts its model."""

    T: int = 100  # hands of equilibrium play first
    k: int = 100  # hands between two updates
    confidence: str = "0-10"
    pmax: float = 0.9
    model: str = "deviation"
    iterations: int = 0
    background: int = 0  # 1: updates run beside the game

    def __post_init__(self) -> None:
        parse_confidence(self.confidence)
        for wrong, what in (
            (self.T < 0, f"T={self.T}; it must not be negative"),
            (self.k < 1, f"k={self.k}; there is at least one hand between two updates"),
            (not 0 <= self.pmax <= 1, f"pmax={self.pmax}; it lies between 0 and 1"),
            (self.model not in MODELS, f"model={self.model}; expected one of {', '.join(MODELS)}"),
            (self.iterations < 0, f"iterations={self.iterations}; it must not be negative"),
            (self.background not in (0, 1), f"background={self.background}; expected 0 or 1"),
        ):
            if wrong:
                raise SoulreadError(f"dbr: {what}")


class DataBiasedAgent(Exploiter):
    """Plays the equilibrium at first, then data biased responses to a model of the opponent."""

    def __init__(
        self, name: str, game: SequenceGame, equilibrium: TabularStrategy, settings: Settings | None = None
    ) -> None:
        self.settings = Settings() if settings is None else settings
        super().__init__(name, game, equilibrium, background=bool(self.settings.background))
        self._confidence = parse_confidence(self.settings.confidence)
        self._tracker = Tracker(game, self.settings.iterations)
        self._reader: _DeviationReader | _FrequencyReader = (
            _FrequencyReader(game, equilibrium)
            if self.settings.model == "frequency"
            else _DeviationReader(game, equilibrium)
        )
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        super().reset()
        self._reader.reset()
        self._tracker.reset()

    def observe(self, hand: Hand) -> None:
        """Take note of what was seen, and update the response when it is time to."""
        self._finish_update()
        self._reader.add(hand)
        self.num_hands += 1
        beyond = self.num_hands - self.settings.T
        if beyond >= 0 and beyond % self.settings.k == 0:
            self._update()

    def _prepare(self) -> Callable[[], Read]:
        """Read the opponent; what is returned answers."""
        one, two = (
            Restriction(
                self.game.trees[seat],
                behaviour,
                confidence=p_conf(self._confidence, seen, self.settings.pmax),
            )
            for seat, (behaviour, seen) in enumerate(map(self._reader.read, (0, 1)))
        )
        believed = one.model, two.model
        return lambda: Read(believed, self._tracker.respond((one, two)).behaviours)


class _FrequencyReader:
    """What shown hands say, and nothing else."""

    def __init__(self, game: SequenceGame, equilibrium: TabularStrategy) -> None:
        self._counts = PrivateCounts(game, equilibrium.lookup)
        self._models = [FrequencyModel(game, seat, equilibrium.lookup) for seat in (0, 1)]

    def reset(self) -> None:
        self._counts.reset()

    def add(self, hand: Hand) -> None:
        self._counts.add(hand)

    def read(self, seat: int) -> tuple[Floats, NDArray[np.float64]]:
        """The opponent's behaviour in a seat, and how often he was seen at each set."""
        model = self._models[seat].fit(self._counts)
        return model.strategy(), model.observations


class _DeviationReader:
    """What public actions and shown cards say, as deviations from the equilibrium."""

    def __init__(self, game: SequenceGame, equilibrium: TabularStrategy) -> None:
        self._counts = PublicCounts(game)
        self._cards = ShownCards(self._counts, equilibrium.lookup)
        self._models = [
            DeviationModel(game, seat, behaviour, method="l1", shown=_SHOWN)
            for seat, behaviour in enumerate(equilibrium.behaviours)
        ]

    def reset(self) -> None:
        self._counts.reset()
        self._cards.reset()

    def add(self, hand: Hand) -> None:
        self._counts.add(hand)
        self._cards.add(hand)

    def read(self, seat: int) -> tuple[Floats, NDArray[np.float64]]:
        """The opponent's behaviour in a seat, and how often he is believed to have been at each set."""
        model = self._models[seat].fit(self._counts, self._cards)
        return model.strategy(), expected_observations(model)


def expected_observations(model: DeviationModel) -> NDArray[np.float64]:
    """``[num_sets]``: observations of each public history, shared out by how likely its states are."""
    public = model.public
    plan = model.plan()
    seen = np.zeros(public.tree.num_sets)
    for n in range(public.num_histories):
        count = float(model.counts_[public.cells(n)].sum())
        if count > 0:
            sets = public.sets(n)
            weights = public.chance(n) * plan[public.tree.parent_sequence[sets]]
            total = float(weights.sum())
            if total > 0:
                seen[sets] = count * weights / total
    return seen


def dbr_agent(text: str, game: PokerGame, tell: Tell | None = None) -> DataBiasedAgent:
    """``"dbr"``, ``"dbr:k=50,pmax=0.5"``; in limit hold'em also ``"dbr:5-5-5-5:quick,model=frequency"``."""
    spec, settings = parse_spec_and_options(text, Settings)
    name = game_text(text, game, spec, DEFAULT_ABSTRACTION)
    equilibrium = find_equilibrium(name, tell)
    return DataBiasedAgent(text, compile_playable(name, tell).game, equilibrium, settings)
