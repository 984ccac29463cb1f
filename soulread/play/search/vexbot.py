"""Vexbot, which searches with a model of its opponent (Billings et al., 2004); two-player limit games.

    vexbot                                            Miximax over a tree of betting sequences
    vexbot:search=miximix,decay=0.95,budget=1
    vexbot:default=generic                            another default for an unknown opponent
    vexbot:model=deviation                            the same search with another model, here DBBR's

At every decision its model (`soulread.model.vexbot.model`) tells how often the opponent takes each action
after each way of betting, and with which hands the opponent comes to each showdown. Then it searches the rest
of the hand (`soulread.respond.search.miximax`) and takes the action of greatest expected value. Miximix draws
an action, and expects to do so later on too: the more an action is worth, the likelier it is.

On the flop, turn and river the search looks at all cards to come. Before the flop flops and turns are drawn,
as many as ``budget`` allows. How many does not depend on the clock, so the same seed gives the same play.

*Another model* (``model``, any of `soulread models`) becomes a forecast for the same search in one of three
ways, by what it can tell:

    a table   what the opponent does with each holding (deviation, contexts, ...). The search follows the
              opponent's range (`soulread.respond.search.range_forecast`): on the turn and river over all
              cards to come, on the flop over drawn ones. Before the flop it is exact over the card classes of
              the model's abstraction, which is the best response there. In games of few cards everything is
              exact. The model is asked every ``k`` hands, since most take seconds to answer.
    weights   Loki's models (gom, som): the range is their weight table, and their bars say what each
              holding does. Boards are drawn except on the river and turn, before the flop holdings too.
    actions   any other model, such as a predictor, gives chances of actions only
              (`soulread.respond.search.model_forecast`). The hands at a showdown come from Vexbot's own
              model.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.model.base import Model, name_of
from soulread.model.catalogue import ModelSpec, read_model
from soulread.model.loki.model import LokiModel
from soulread.model.tabular import TabularModel, as_table, strategy_or
from soulread.model.vexbot.classes import CLASSES, GROUPINGS
from soulread.model.vexbot.context_table import equilibrium_defaults
from soulread.model.vexbot.model import (
    DECAY,
    DEFAULTS,
    SHOWN,
    STRENGTH,
    ContextTree,
    Defaults,
    generic_defaults,
    spread_rates,
    uniform_defaults,
)
from soulread.options import Options, option
from soulread.play import beliefs
from soulread.play.agent import Agent, Belief, Frequency, HandByHand
from soulread.play.catalogue.entry import (
    AgentEntry,
    AgentSpec,
    cards_option,
    source_for,
    verify_own_model,
    where_tables_reach,
)
from soulread.play.tabular import with_seat
from soulread.respond.search.forecasts import FLOPS, PublicForecast, standings
from soulread.respond.search.miximax import Choice, Forecast, search
from soulread.respond.search.model_forecast import model_chances
from soulread.respond.search.range_forecast import RangeForecast, bars_actor, range_forecast, table_actor
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.betting import BettingTree, betting_tree
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Buckets, Tell
from soulread.seqform.strategy import in_precision, plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.best_response import response_behaviour
from soulread.solvers.equilibria import find_equilibrium
from soulread.words import plural

SEARCHES = "miximax", "miximix"
TEMPERATURE = 0.05  # of Miximix, in pots
FEWEST_FLOPS = 10
FLOPS_A_SECOND = 100  # that a budget allows for
DRAWN_DEALS = (8, 2, 2), (8, 8), (), ()  # by round: boards drawn if an opponent's range is followed
DRAWN_HOLDINGS = 60, None, None, None  # by round: holdings of a weight table that are drawn
CARDS = "5-5-5-5:quick"  # abstraction of an equilibrium or of another model in limit hold'em


@dataclass(frozen=True)
class VexbotOptions(Options):
    """Options of `vexbot`."""

    search: str = option(
        "miximax", "miximax: the best action; miximix: a mixture of good ones", choices=SEARCHES
    )
    decay: float = option(
        DECAY,
        "factor on all that was seen in a betting sequence when something new is seen; 1: none",
        above=0,
        high=1,
    )
    budget: float = option(
        1.0, "seconds for a decision before the flop; less: fewer flops are drawn", above=0, below=np.inf
    )
    strength: float = option(
        STRENGTH, "observations that a coarser class of sequences counts for", above=0, below=np.inf
    )
    shown: float = option(SHOWN, "the same for hands at showdowns", above=0, below=np.inf)
    default: str = option(
        "",
        "what is assumed of an unknown opponent: uniform, generic or equilibrium; empty: equilibrium in "
        "hold'em, generic in games of few cards",
        choices=DEFAULTS,
    )
    classes: str = option(
        CLASSES,
        "which betting sequences are put together: by who led the betting, or by raises alone",
        choices=tuple(GROUPINGS),
    )
    model: ModelSpec | None = option(
        None, "model to search with, in place of its own; see soulread models", read_model
    )
    k: int = option(50, "hands after which another model is asked anew", low=1)
    cards: Buckets | None = cards_option(CARDS)
    temperature: float = option(
        TEMPERATURE, "of miximix, in pots: how far a worse action is still played", above=0, below=np.inf
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        verify_own_model(self, "decay", "strength", "shown", "default", "classes")

    @property
    def flops(self) -> int:
        """How many flops are drawn for a decision before the flop."""
        return min(FLOPS, max(FEWEST_FLOPS, int(self.budget * FLOPS_A_SECOND)))


class Searcher(ABC):
    """Searches the rest of the hand with a forecast; ``last`` is the result of the last search."""

    name: str
    options: VexbotOptions
    betting: BettingTree
    last: Choice | None

    @abstractmethod
    def forecast(self, view: PokerView, rng: np.random.Generator) -> Forecast:
        """The forecast of the opponent's actions and of showdowns in the rest of the hand in view."""

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """The action that the search prefers; Miximix takes one double of ``rng``, drawn boards take more."""
        if len(view.legal) == 1:
            return view.legal[0]
        self.last = self.look_ahead(view, rng)
        return self.last.best if self.options.search == "miximax" else self.last.drawn(rng.random())

    def look_ahead(self, view: PokerView, rng: np.random.Generator) -> Choice:
        """The value of each action of the seat in view."""
        temperature = self.options.temperature if self.options.search == "miximix" else 0.0
        return search(
            self.betting, self.betting.decision(view.betting), self.forecast(view, rng), temperature
        )


class Vexbot(HandByHand, Searcher):
    """Searches with the model of betting sequences, which learns from every hand.

    If there is another model of ``actions``, that one says what the opponent will do.
    """

    def __init__(
        self,
        name: str,
        game: PokerGame,
        options: VexbotOptions,
        defaults: Defaults,
        actions: Model | None = None,
    ) -> None:
        self.name = name
        self.game = game
        self.options = options
        self.model = ContextTree(
            game, defaults, options.decay, options.strength, options.shown, GROUPINGS[options.classes]
        )
        self.actions = actions
        self.betting = self.model.contexts.betting
        self.last = None

    def reset(self) -> None:
        """Forget the opponent."""
        self.model.fit(())
        if self.actions is not None:
            self.actions.fit(())
        self.last = None

    def observe(self, hand: Hand) -> None:
        """Learn from a hand."""
        self.model.update(hand)
        if self.actions is not None:
            self.actions.update(hand)

    def forecast(self, view: PokerView, rng: np.random.Generator) -> PublicForecast:
        """The opponent's actions by public frequencies, and the hand ranks at showdowns."""
        chances, cumulative = self.model.tables(1 - view.seat)
        if self.actions is not None:
            chances = model_chances(self.actions, view, rng)
        ahead = standings(self.game, view.hole, view.board, self.options.flops)
        return PublicForecast(self.betting, view.seat, chances, cumulative, ahead)

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
                    history, count = found.betting.betting[node], float(seen[node])
                    told += [
                        Frequency(seat, history, action, believed, default, count)
                        for action, believed, default in zip(
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


class WeightVexbot(HandByHand, Searcher):
    """The same search with Loki's model: a weight table now, and bars for what each holding will do."""

    def __init__(self, name: str, game: PokerGame, model: LokiModel, options: VexbotOptions) -> None:
        self.name = name
        self.options = options
        self.model = model
        self.betting = betting_tree(game)
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.model.fit(())
        self.last = None

    def observe(self, hand: Hand) -> None:
        """Learn from a hand."""
        self.model.update(hand)

    def forecast(self, view: PokerView, rng: np.random.Generator) -> RangeForecast:
        """The opponent's range by the weight table, carried on by the bars."""
        villain = 1 - view.seat
        actor, weights = bars_actor(self.model, view, villain), self.model.holdings(view, villain)
        return range_forecast(actor, view, DRAWN_DEALS[view.round], rng, weights, DRAWN_HOLDINGS[view.round])

    def belief(self, view: PokerView | None = None) -> Belief:
        """With a view, the range of the opponent."""
        return Belief(ranges=beliefs.ranges(self.model, view))

    def sentence(self) -> str:
        """How much it has seen."""
        return f"it searches with {self.model.kind}, after {plural(int(self.model.counts.sum()), 'action')}"


class TableVexbot(Searcher):
    """The same search with a model that is a table; see the top of the module."""

    def __init__(
        self,
        name: str,
        game: SequenceGame,
        equilibrium: TabularStrategy,
        model: TabularModel,
        options: VexbotOptions,
    ) -> None:
        self.name = name
        self.game = game
        self.options = options
        self.model = model
        self.equilibrium = equilibrium
        self.betting = equilibrium.betting
        self._drawn = len(poker_of(game).rules.board_cards) > 2  # whether there are too many boards to list
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.model.fit(())
        self.num_hands = 0
        self.last = None
        self._believe()

    def _believe(self) -> None:
        first, second = (strategy_or(self.model, seat, self.equilibrium.behaviours[seat]) for seat in (0, 1))
        self.believed = replace(self.equilibrium, behaviours=(first, second))
        self._responses: dict[int, TabularStrategy] = {}

    def observe(self, hand: Hand) -> None:
        """Learn from a hand."""
        self.model.update(hand)
        self.num_hands += 1
        if self.num_hands % self.options.k == 0:
            self._believe()

    def recall(self, hands: Sequence[Hand]) -> None:
        """Learn from hands of earlier matches, and ask the model once."""
        for hand in hands:
            self.model.update(hand)
        self.num_hands += len(hands)
        self._believe()

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """The action that the search prefers; before the flop of hold'em, that of a best response."""
        if self._drawn and not view.board and len(view.legal) > 1:
            return self._response(view.seat).draw(view, rng.random())
        return super().act(view, rng)

    def forecast(self, view: PokerView, rng: np.random.Generator) -> RangeForecast:
        """The opponent's range by the table."""
        counts = DRAWN_DEALS[view.round] if self._drawn else ()
        return range_forecast(table_actor(self.believed, 1 - view.seat), view, counts, rng)

    def _response(self, seat: int) -> TabularStrategy:
        """The best response of a seat over card classes."""
        if seat not in self._responses:
            trees, payoff = self.game.trees, self.game.payoff
            plan = plan_from_behaviour(trees[1 - seat], self.believed.behaviours[1 - seat])
            answer = response_behaviour(
                trees[seat],
                payoff.gradient(seat, in_precision(plan, payoff.dtype)),
                self.equilibrium.behaviours[seat],
            )
            self._responses[seat] = with_seat(self.equilibrium, seat, answer)
        return self._responses[seat]

    def belief(self, view: PokerView | None = None) -> Belief:
        """How often the opponent takes each public action, and with a view, the opponent's range."""
        believed, usual = self.believed.behaviours, self.equilibrium.behaviours
        return beliefs.belief(self.game, believed, usual, self.model, view if self.num_hands else None)

    def sentence(self) -> str:
        """How much it has seen."""
        return f"it searches with {name_of(self.model)}, after {plural(self.num_hands, 'hand')}"


def refuses(game: PokerGame) -> str | None:
    """The reason why Vexbot cannot sit at a game, or None. It needs two seats, limit and no stacks."""
    reason = where_tables_reach(game)
    if reason is None and (game.rules.raise_sizes is None or game.rules.stacks is not None):
        return "it plays limit games in which nobody runs out of chips"
    return reason


def _vexbot(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    options: VexbotOptions = spec.options
    default = options.default or ("equilibrium" if has_abstraction(game) else "generic")
    if options.model is None and default != "equilibrium":
        make = {"uniform": uniform_defaults, "generic": generic_defaults}[default]
        return Vexbot(spec.text, game, options, make(game))
    source = source_for(spec, game)
    compiled, equilibrium = source.compile(tell), find_equilibrium(source, tell)
    if options.model is None:
        return Vexbot(spec.text, game, options, equilibrium_defaults(compiled, equilibrium.behaviours))
    model = options.model.make(compiled, equilibrium.behaviours)
    if isinstance(model, TabularModel) or not compiled.abstract:
        return TableVexbot(spec.text, compiled, equilibrium, as_table(model, compiled), options)
    if isinstance(model, LokiModel):
        return WeightVexbot(spec.text, game, model, options)
    defaults = equilibrium_defaults(compiled, equilibrium.behaviours)
    return Vexbot(spec.text, game, options, defaults, model)


VEXBOT = AgentEntry(
    "vexbot",
    "searches the rest of a hand with a model of all betting sequences; limit games of two",
    _vexbot,
    VexbotOptions,
    refuses,
    form="vexbot[:CARDS][,OPTION=VALUE]",
    examples=(
        "vexbot",
        "vexbot:search=miximix,decay=0.9,default=uniform",
        "vexbot:default=generic",
        "vexbot:model=deviation,k=5",
    ),
)
