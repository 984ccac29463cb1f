"""DBR, the agent: at each information set it trusts its model as far as it has seen the opponent there.

It plays the equilibrium for T hands. Then, and after every k hands, it fits a model for each seat of the
opponent and plays the data biased response to it (Johanson & Bowling, AISTATS 2009). Where it has seen
nothing it allows for the worst, so that a wrong read costs little; it says how much at most.

    dbr                                        in Kuhn and Leduc; in limit hold'em over 5-5-5-5 buckets
    dbr:5-5-5-5:quick,k=100,confidence=0-10,pmax=0.9,model=deviation

Options: ``T`` and ``k``; ``confidence``, a function of the number of observations (1-step, 10-step, 0-10,
curve:1), and ``pmax``, the greatest confidence; ``iterations`` of an update (0: to a gap in small games, 20
in abstractions). ``model`` says what the agent learns from:

* "deviation": DBBR's model of all public actions and of the cards that were shown (`soulread.model.shown`).
  An information set counts as observed as often as the opponent is believed to have been there.
* "frequency": the paper's, action frequencies at the sets of the hands that were shown, and nothing else.
  From a seat at the table folded hands are never seen; the paper's observations were of all cards.

It never sees cards that were not shown.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.estimate import Unit
from soulread.games.poker import PokerGame, PokerView
from soulread.model.deviation import DeviationModel
from soulread.model.frequency import FrequencyModel
from soulread.observe.counts import PublicCounts
from soulread.observe.hand import Hand
from soulread.observe.private import PrivateCounts
from soulread.observe.shown import ShownCards
from soulread.play.options import parse_spec_and_options
from soulread.play.solved import game_text
from soulread.respond.confidence import p_conf, parse_confidence
from soulread.respond.counter import CounterPair
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

    def __post_init__(self) -> None:
        parse_confidence(self.confidence)
        for wrong, what in (
            (self.T < 0, f"T={self.T}; it must not be negative"),
            (self.k < 1, f"k={self.k}; there is at least one hand between two updates"),
            (not 0 <= self.pmax <= 1, f"pmax={self.pmax}; it lies between 0 and 1"),
            (self.model not in MODELS, f"model={self.model}; expected one of {', '.join(MODELS)}"),
            (self.iterations < 0, f"iterations={self.iterations}; it must not be negative"),
        ):
            if wrong:
                raise SoulreadError(f"dbr: {what}")


class DataBiasedAgent:
    """Plays the equilibrium at first, then data biased responses to a model of the opponent.

    ``response`` is the pair of responses it plays at present, None before the first, and ``believed`` the
    opponent's behaviours in seats 0 and 1 that it was made for.
    """

    def __init__(
        self, name: str, game: SequenceGame, equilibrium: TabularStrategy, settings: Settings | None = None
    ) -> None:
        self.name = name
        self.game = game
        self.settings = Settings() if settings is None else settings
        self.equilibrium = equilibrium
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
        self._reader.reset()
        self._tracker.reset()
        self.num_hands = 0
        self.response: CounterPair | None = None
        self.believed: tuple[Floats, Floats] | None = None
        self.playing = self.equilibrium

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of what is played at present; takes one double of ``rng``."""
        node = self.playing.betting.decision(view.betting)
        return self.playing.draw(node, self.playing.lookup.state(view.hole, view.board), rng.random())

    def observe(self, hand: Hand) -> None:
        """Take note of what was seen, and update the response when it is time to."""
        self._reader.add(hand)
        self.num_hands += 1
        beyond = self.num_hands - self.settings.T
        if beyond >= 0 and beyond % self.settings.k == 0:
            self._update()

    @property
    def expected(self) -> float:
        """Chips per hand it expects to win from the opponent it believes in, beyond the game's value.

        0 while it plays the equilibrium.
        """
        if self.response is None or self.believed is None:
            return 0.0
        return self.response.exploitation(self.believed)

    @property
    def worst_case(self) -> float:
        """Chips per hand it wins against an opponent who knows all its plans: what a wrong read may cost."""
        return 0.0 if self.response is None else -self.response.exploitability

    def sentence(self) -> str:
        """What it hopes for and what it risks, for a player to read."""
        rules = self._reader.rules.rules
        scale = Unit.MILLIBETS.per_chip(rules.small_bet, rules.big_blind)
        if self.response is None:
            return "it plays the equilibrium; there is no read yet"
        return (
            f"if the read is right it wins {self.expected * scale:.0f} mb/g more than the game is worth; "
            f"if it is wrong it loses at most {-self.worst_case * scale:.0f} mb/g"
        )

    def _update(self) -> None:
        first, second = self._reader.read(0), self._reader.read(1)
        restrictions = tuple(
            Restriction(
                self.game.trees[seat],
                behaviour,
                confidence=p_conf(self._confidence, seen, self.settings.pmax),
            )
            for seat, (behaviour, seen) in enumerate((first, second))
        )
        self.believed = first[0], second[0]
        self.response = self._tracker.respond((restrictions[0], restrictions[1]))
        self.playing = replace(self.equilibrium, behaviours=self.response.behaviours)


class _FrequencyReader:
    """What shown hands say, and nothing else."""

    def __init__(self, game: SequenceGame, equilibrium: TabularStrategy) -> None:
        self._counts = PrivateCounts(game, equilibrium.lookup)
        self._models = [FrequencyModel(game, seat, equilibrium.lookup) for seat in (0, 1)]
        self.rules: PokerGame = self._counts.rules

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
        self.rules: PokerGame = self._counts.rules

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
