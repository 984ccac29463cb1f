"""Vexbot, which searches with a model of its opponent (Billings et al., 2004); two-player limit games.

    vexbot                                            Miximax over a tree of betting sequences
    vexbot:search=miximix,decay=0.95,budget=1
    vexbot:default=equilibrium                        what it assumes of a stranger

At every decision it asks its model (`soulread.model.vexbot`) what the opponent does after each way of
betting, and with which hands the opponent comes to each showdown. Then it searches the rest of the hand
(`soulread.respond.miximax`) and takes the action of greatest expected value. Miximix draws an action, and
expects to do so later on too: the more an action is worth, the likelier it is.

On the flop, turn and river the search looks at all cards to come. Before the flop flops and turns are drawn,
as many as ``budget`` allows. How many does not depend on the clock, so the same seed gives the same play.
"""

from dataclasses import dataclass

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.hands import Hand
from soulread.model.vexbot import (
    DECAY,
    DEFAULTS,
    STRENGTH,
    ContextTree,
    Defaults,
    generic_defaults,
    spread_rates,
    uniform_defaults,
)
from soulread.options import option, verify
from soulread.play.agent import Belief, Frequency
from soulread.play.entry import AgentEntry, AgentSpec, where_tables_reach
from soulread.respond.forecasts import FLOPS, PublicForecast, standings
from soulread.respond.miximax import Choice, search
from soulread.seqform.source import Tell
from soulread.words import plural

SEARCHES = "miximax", "miximix"
TEMPERATURE = 0.05  # of Miximix, in pots
FEWEST_FLOPS = 10
FLOPS_A_SECOND = 100  # that a budget allows for


@dataclass(frozen=True)
class VexbotOptions:
    """How Vexbot models and searches."""

    search: str = option("miximax", "miximax: the best action; miximix: a mixture of good ones")
    decay: float = option(
        DECAY, "factor on all that was seen in a betting sequence when something new is seen; 1: none"
    )
    budget: float = option(1.0, "seconds for a decision before the flop; less: fewer flops are drawn")
    strength: float = option(STRENGTH, "observations that a coarser class of sequences counts for")
    default: str = option("generic", "what is assumed of a stranger: uniform, generic or equilibrium")
    temperature: float = option(TEMPERATURE, "of miximix, in pots: how far a worse action is still played")

    def __post_init__(self) -> None:
        verify(
            "vexbot",
            (self.search not in SEARCHES, f"search={self.search}; expected {' or '.join(SEARCHES)}"),
            (not 0 < self.decay <= 1, f"decay={self.decay}; it lies above 0 and is at most 1"),
            (not 0 < self.budget < np.inf, f"budget={self.budget}; it is a positive number of seconds"),
            (not 0 < self.strength < np.inf, f"strength={self.strength}; it must be positive"),
            (self.default not in DEFAULTS, f"default={self.default}; expected one of {', '.join(DEFAULTS)}"),
            (not 0 < self.temperature < np.inf, f"temperature={self.temperature}; it must be positive"),
        )

    @property
    def flops(self) -> int:
        """How many flops are drawn for a decision before the flop."""
        return min(FLOPS, max(FEWEST_FLOPS, int(self.budget * FLOPS_A_SECOND)))


class Vexbot:
    """Searches with the model ``tree``, which learns from every hand; ``last`` is what it found last."""

    def __init__(self, name: str, game: PokerGame, options: VexbotOptions, defaults: Defaults) -> None:
        self.name = name
        self.game = game
        self.options = options
        self.model = ContextTree(game, defaults, options.decay, options.strength)
        self.betting = self.model.contexts.betting
        self.last: Choice | None = None

    def reset(self) -> None:
        """Forget the opponent."""
        self.model.fit(())
        self.last = None

    def observe(self, hand: Hand) -> None:
        """Learn from a hand."""
        self.model.update(hand)

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """The action that the search prefers; Miximix takes one double of ``rng``."""
        if len(view.legal) == 1:
            return view.legal[0]
        self.last = self.look_ahead(view)
        if self.options.search == "miximax":
            return self.last.best
        return self.last.drawn(rng.random())

    def look_ahead(self, view: PokerView) -> Choice:
        """What each action of the seat in view is worth."""
        node = self.betting.decision(view.betting)
        tables = self.model.tables(1 - view.seat)
        ahead = standings(self.game, view.hole, view.board, self.options.flops)
        forecast = PublicForecast(self.betting, view.seat, tables.chances, tables.cumulative, ahead)
        return search(self.betting, node, forecast, self._temperature)

    @property
    def _temperature(self) -> float:
        return self.options.temperature if self.options.search == "miximix" else 0.0

    def belief(self, view: PokerView | None = None) -> Belief:
        """How often the opponent takes each action, wherever the opponent was seen.

        The default frequencies stand in the place of an equilibrium's.
        """
        found = self.model.contexts
        usual = spread_rates(self.model.defaults.rates, found.may, found.betting.arrays.child.shape[1])
        told = []
        for seat in (0, 1):
            seen, chances = self.model.observations(seat), self.model.tables(seat).chances
            for node in np.flatnonzero(seen).tolist():
                actions = found.betting.actions[node]
                if len(actions) > 1:
                    told += [
                        Frequency(seat, found.betting.betting[node], action, *both, seen=float(seen[node]))
                        for action, *both in zip(
                            actions, chances[node].tolist(), usual[node].tolist(), strict=False
                        )
                    ]
        return Belief(frequencies=tuple(told))

    def sentence(self) -> str:
        """How much it has seen, and what the last action was worth."""
        if not self.model.num_hands:
            return "it has seen nothing yet and goes by its defaults"
        seen = f"it goes by {plural(self.model.num_hands, 'hand')}"
        if self.last is None:
            return seen
        small_bet = self.game.rules.small_bet
        worth = ", ".join(
            f"{'fold call raise'.split()[action]} {value / small_bet:+.1f}"
            for action, value in zip(self.last.actions, self.last.values, strict=True)
        )
        return f"{seen}; its last choice, in small bets: {worth}"


def refuses(game: PokerGame) -> str | None:
    """Why Vexbot cannot sit at a game: it needs two seats, limit betting and no stacks."""
    reason = where_tables_reach(game)
    if reason is None and (game.rules.raise_sizes is None or game.rules.stacks is not None):
        return "it plays limit games in which nobody runs out of chips"
    return reason


def _vexbot(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Vexbot:
    options: VexbotOptions = spec.options
    make = {"uniform": uniform_defaults, "generic": generic_defaults}
    if options.default not in make:
        raise SoulreadError("not yet")
    return Vexbot(spec.text, game, options, make[options.default](game))


VEXBOT = AgentEntry(
    "vexbot",
    "searches the rest of a hand with a model of all betting sequences; limit games of two",
    _vexbot,
    VexbotOptions,
    refuses,
    examples=("vexbot", "vexbot:search=miximix,decay=0.9,default=uniform"),
)
