"""DBBR, the agent (Ganzfried & Sandholm, AAMAS 2011, Algorithm 3): watch, model the deviations, best-respond.

It plays the equilibrium for T hands. Then, and before every hand whose number is a multiple of k, it asks its
model how the opponent plays in each seat and computes the best response, which it plays from then on. Some
decisions are never reached against the modelled opponent; there it plays the equilibrium. It never looks at
the opponent's cards unless ``shown`` is on.

    dbbr                                          in Kuhn and Leduc; in limit hold'em over 8-12-4-4 buckets
    dbbr:5-5-5-5:quick,T=1000,k=50,prior=5,method=shift

``threshold`` and ``sigmas`` are from the paper's closing ideas. With ``threshold=0.05`` the agent exploits
only while its win rate, less ``sigmas`` standard errors, is at least 0.05 small bets per hand. Otherwise it
plays the equilibrium.

``safety=0.9`` replaces the best response by the restricted Nash response to an opponent who plays the model
in nine hands of ten and anything in the tenth. It wins a little less from the model and loses far less if the
model is wrong. ``safety=1`` is the best response.
"""

import math
from dataclasses import dataclass

from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.model.catalogue import ModelSpec, read_model, verify_deviation
from soulread.model.deviation.model import DEFAULT_PRIOR, DeviationModel
from soulread.model.tabular import TabularModel, as_table
from soulread.options import changed, option, verify
from soulread.play.entry import AgentEntry, AgentSpec, cards_option, source_for, where_tables_reach
from soulread.play.exploiter import Exploiter, Read
from soulread.respond.tracking import Tracker
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Buckets, Tell
from soulread.seqform.strategy import in_precision
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.best_response import response_behaviour
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.restricted import Restriction

DEFAULT_ABSTRACTION = "8-12-4-4"  # the paper's, in limit hold'em


@dataclass(frozen=True, slots=True)
class Settings:
    """When DBBR exploits, and how it models.

    With another ``model``, the options that belong to DBBR's own model must keep their defaults.
    """

    T: int = option(1000, "hands at the start in which it plays the equilibrium")
    k: int = option(50, "hands between two updates of the response")
    prior: float = option(
        DEFAULT_PRIOR, "hands of evidence that the equilibrium counts for at every public history"
    )
    method: str = option("shift", "how the equilibrium is moved to fit what was seen: shift, l1 or l2")
    range: str = option("equilibrium", "whose range the prior is taken over: equilibrium or model")
    pool: int = option(0, "1: the prior also learns from other histories of the same kind; 0: it does not")
    threshold: float = option(-math.inf, "exploits only while it wins at least this many small bets per hand")
    sigmas: float = option(
        1.96, "standard errors subtracted from the win rate before it is compared with threshold"
    )
    decay: float = option(
        1.0, "factor on the weight of all older hands after every hand; 1: all hands count alike"
    )
    window: int = option(0, "how many of the last hands count; 0: all")
    shown: float = option(
        0.0, "hands of evidence the public model counts for against shown cards; 0: cards are ignored"
    )
    expected: str = option(
        "paper", "what the equilibrium is expected to do; joint: by what both players hold, not one alone"
    )
    safety: float = option(
        1.0, "share of hands in which the opponent is believed to play the model; 1: best response"
    )
    iterations: int = option(0, "per update if safety < 1; 0: until a small gap, or 20 in an abstraction")
    background: int = option(
        0, "1: responses are computed in the background and the game goes on; 0: it waits"
    )
    model: ModelSpec | None = option(
        None, "model to respond to, in place of DBBR's own; see soulread models", read_model
    )
    cards: Buckets | None = cards_option(DEFAULT_ABSTRACTION)

    def __post_init__(self) -> None:
        verify_deviation("dbbr", self)
        own = changed(self, "prior", "method", "range", "pool", "shown", "expected", "decay", "window")
        verify(
            "dbbr",
            (self.T < 0, f"T={self.T}; it must not be negative"),
            (self.k < 1, f"k={self.k}; there is at least one hand between two updates"),
            (math.isnan(self.threshold), "threshold=nan; it must be a number of small bets per hand"),
            (not self.sigmas >= 0, f"sigmas={self.sigmas}; it must not be negative"),
            (not 0 < self.decay <= 1, f"decay={self.decay}; it lies above 0 and is at most 1"),
            (self.window < 0, f"window={self.window}; it must not be negative"),
            (not 0 <= self.safety <= 1, f"safety={self.safety}; it lies between 0 and 1"),
            (self.iterations < 0, f"iterations={self.iterations}; it must not be negative"),
            (self.background not in (0, 1), f"background={self.background}; expected 0 or 1"),
            (
                self.model is not None and bool(own),
                f"{', '.join(own)} belong to its own model, not to {self.model}",
            ),
        )


class DeviationAgent(Exploiter):
    """Plays the equilibrium at first, then best responses to a model of the opponent.

    ``opening`` is what it plays at first, such as an equilibrium of a finer abstraction; without it, that is
    ``equilibrium``. Without ``model`` it learns with DBBR's own model, made from the settings.
    """

    def __init__(
        self,
        name: str,
        game: SequenceGame,
        equilibrium: TabularStrategy,
        settings: Settings | None = None,
        opening: TabularStrategy | None = None,
        model: TabularModel | None = None,
    ) -> None:
        self.settings = chosen = Settings() if settings is None else settings
        if model is None and chosen.model is not None:
            model = as_table(chosen.model.make(game, equilibrium.behaviours), game)
        elif model is None:
            model = DeviationModel(
                game,
                equilibrium.behaviours,
                chosen.prior,
                chosen.method,
                chosen.range,
                bool(chosen.pool),
                chosen.shown,
                chosen.decay,
                chosen.window or None,
                chosen.expected,
            )
        super().__init__(name, game, equilibrium, model, opening, bool(chosen.background))
        self._tracker = Tracker(game, chosen.iterations)
        self._small_bet = poker_of(game).rules.small_bet
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        super().reset()
        self._tracker.reset()
        self._won = 0.0
        self._won_squared = 0.0

    @property
    def exploiting(self) -> bool:
        """Whether a response is played at present."""
        return super().exploiting and self.win_rate_bound() >= self.settings.threshold

    def _note(self, hand: Hand) -> None:
        won = hand.payoffs[hand.eyewitness] / self._small_bet
        self._won += won
        self._won_squared += won * won

    def _due(self) -> bool:
        start, following = self.settings.T, self.learnt + 1
        return self.learnt >= start and (self.learnt == start or following % self.settings.k == 0)

    def win_rate_bound(self) -> float:
        """The win rate so far in small bets per hand, less its standard error times ``sigmas``."""
        n = self.num_hands
        if n < 2:
            return -math.inf
        mean = self._won / n
        variance = max(0.0, self._won_squared - n * mean * mean) / (n - 1)
        return mean - self.settings.sigmas * math.sqrt(variance / n)

    def _respond(self) -> Read:
        """The best response, or a safer one, of either seat to what the model says of the other one."""
        believed = self.model.strategies
        trees, payoff = self.game.trees, self.game.payoff
        if self.settings.safety < 1:
            mine, yours = (
                Restriction(tree, behaviour, p=self.settings.safety)
                for tree, behaviour in zip(trees, believed, strict=True)
            )
            return Read(believed, self._tracker.respond((mine, yours)).behaviours)
        first, second = (
            response_behaviour(
                trees[seat],
                payoff.gradient(seat, in_precision(self.model.plan(1 - seat), payoff.dtype)),
                self.equilibrium.behaviours[seat],
            )
            for seat in (0, 1)
        )
        return Read(believed, (first, second))


def _dbbr(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> DeviationAgent:
    settings: Settings = spec.options
    source = source_for(spec, game, settings.cards, DEFAULT_ABSTRACTION)
    equilibrium = find_equilibrium(source, tell)
    return DeviationAgent(spec.text, source.compile(tell), equilibrium, settings)


DBBR = AgentEntry(
    "dbbr",
    "learns from public actions how an opponent deviates from equilibrium, and plays a best response",
    _dbbr,
    Settings,
    where_tables_reach,
    form="dbbr[:CARDS][,OPTION=VALUE]",
    examples=(
        "dbbr:T=5,k=3,pool=1",
        "dbbr:T=5,k=3,shown=5",
        "dbbr:T=5,k=5,safety=0.5",
        "dbbr:T=5,k=5,model=tilts",
    ),
)
