"""DBR, the agent: at each information set it trusts its model as far as it has seen the opponent there.

It plays the equilibrium for T hands. Then, and after every k more hands, it asks its model how the opponent
plays in each seat and plays the data biased response (Johanson & Bowling, AISTATS 2009). Where it has seen
little of the opponent, it expects the worst, so a wrong model costs little. It can say how much at most.

    dbr                                        in Kuhn and Leduc; in limit hold'em over 5-5-5-5 buckets
    dbr:5-5-5-5:quick,k=100,confidence=0-10,pmax=0.9,model=deviation

``model`` says what the agent learns with:

* "deviation", the default: DBBR's model of all public actions and of the cards that were shown
  (`soulread.model.deviation.shown_cards`). Its options are method=l1 and shown=5 if none are given. An
  information set counts as observed as often as the opponent is believed to have been there.
* "frequency": the paper's model, action frequencies at information sets, from hands with shown cards only.
  An agent at the table never sees folded hands, while the paper's observations had all cards.
* Any other of `soulread models`. A model that does not count observations is trusted as far as "deviation"
  would be after the same hands.

It never sees cards that were not shown.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.model.catalogue import ModelSpec, read_model
from soulread.model.deviation.model import DeviationModel
from soulread.model.tabular import TabularModel, as_table
from soulread.options import option, verify
from soulread.play.entry import AgentEntry, AgentSpec, cards_option, source_for, where_tables_reach
from soulread.play.exploiter import Exploiter, Read
from soulread.respond.confidence import p_conf, parse_confidence
from soulread.respond.tracking import Tracker
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Buckets, Tell
from soulread.seqform.strategy import Behaviour, Behaviours, Plan
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.restricted import Restriction

DEFAULT_ABSTRACTION = "5-5-5-5"  # the paper's, in limit hold'em
_SHOWN = 5.0  # hands the public model is worth where cards were shown


@dataclass(frozen=True, slots=True)
class Settings:
    """When the agent updates its response, and how far it trusts its model."""

    T: int = option(100, "hands at the start in which it plays the equilibrium")
    k: int = option(100, "hands between two updates of the response")
    confidence: str = option("0-10", "how trust grows with observations: 1-step, 10-step, 0-10 or curve:1")
    pmax: float = option(0.9, "greatest trust in the model at any decision, between 0 and 1")
    model: ModelSpec | None = option(
        None, "what it learns with: deviation (default), frequency, ...", read_model
    )
    iterations: int = option(0, "per update; 0: until a small gap, or 20 in an abstraction")
    background: int = option(
        0, "1: responses are computed in the background and the game goes on; 0: it waits"
    )
    cards: Buckets | None = cards_option(DEFAULT_ABSTRACTION)

    def __post_init__(self) -> None:
        parse_confidence(self.confidence)
        verify(
            "dbr",
            (self.T < 0, f"T={self.T}; it must not be negative"),
            (self.k < 1, f"k={self.k}; there is at least one hand between two updates"),
            (not 0 <= self.pmax <= 1, f"pmax={self.pmax}; it lies between 0 and 1"),
            (self.iterations < 0, f"iterations={self.iterations}; it must not be negative"),
            (self.background not in (0, 1), f"background={self.background}; expected 0 or 1"),
        )


@runtime_checkable
class Counting(Protocol):
    """A table that tells how often it has seen the opponent at each information set."""

    def observations(self, seat: int) -> NDArray[np.float64]:
        """``[num_sets]`` of ``seat``."""


class DataBiasedAgent(Exploiter):
    """Plays the equilibrium at first, then data biased responses to a model of the opponent.

    Without ``model`` it learns with the deviation model, by L1 and with shown cards.
    """

    def __init__(
        self,
        name: str,
        game: SequenceGame,
        equilibrium: TabularStrategy,
        settings: Settings | None = None,
        model: TabularModel | None = None,
    ) -> None:
        self.settings = Settings() if settings is None else settings
        chosen = self.settings.model
        if model is None and chosen is not None and chosen.text != "deviation":
            model = as_table(chosen.make(game, equilibrium.behaviours), game)
        if model is None:
            model = _deviations(game, equilibrium.behaviours)
        elif not isinstance(model, Counting):
            model = _Counted(model, _deviations(game, equilibrium.behaviours))
        super().__init__(name, game, equilibrium, model, background=bool(self.settings.background))
        self._observations = model.observations
        self._confidence = parse_confidence(self.settings.confidence)
        self._tracker = Tracker(game, self.settings.iterations)
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        super().reset()
        self._tracker.reset()

    def _due(self) -> bool:
        beyond = self.learnt - self.settings.T
        return beyond >= 0 and beyond % self.settings.k == 0

    def _respond(self) -> Read:
        """The data biased response of either seat to what the model says of the other one."""
        models = self.model.strategy(0), self.model.strategy(1)
        one, two = (
            Restriction(
                self.game.trees[seat],
                models[seat],
                confidence=p_conf(self._confidence, self._observations(seat), self.settings.pmax),
            )
            for seat in (0, 1)
        )
        return Read(models, self._tracker.respond((one, two)).behaviours)


def _deviations(game: SequenceGame, equilibrium: Behaviours) -> DeviationModel:
    return DeviationModel(game, equilibrium, method="l1", shown=_SHOWN)


class _Counted(TabularModel):
    """A model that does not count observations, with a deviation model beside it that does."""

    def __init__(self, model: TabularModel, counter: DeviationModel) -> None:
        self.game = model.game
        self.model = model
        self.counter = counter
        self.observations = counter.observations

    def fit(self, hands: Iterable[Hand], player: str | None = None) -> Self:
        """Let both learn from these hands alone."""
        known = list(hands)
        self.model.fit(known, player)
        self.counter.fit(known, player)
        return self

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Let both learn from one more hand."""
        self.model.update(hand, player)
        self.counter.update(hand, player)
        return self

    def strategy(self, seat: int) -> Behaviour:
        """What the model says."""
        return self.model.strategy(seat)

    def plan(self, seat: int) -> Plan:
        """The plan of what the model says."""
        return self.model.plan(seat)


def _dbr(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> DataBiasedAgent:
    settings: Settings = spec.options
    source = source_for(spec, game, settings.cards, DEFAULT_ABSTRACTION)
    equilibrium = find_equilibrium(source, tell)
    return DataBiasedAgent(spec.text, source.compile(tell), equilibrium, settings)


DBR = AgentEntry(
    "dbr",
    "trusts its model at each decision as far as it has seen the opponent there; says what it risks",
    _dbr,
    Settings,
    where_tables_reach,
    form="dbr[:CARDS][,OPTION=VALUE]",
    examples=("dbr:T=5,k=5", "dbr:T=5,k=5,model=frequency", "dbr:T=5,k=5,model=explicit:particles=8"),
)
