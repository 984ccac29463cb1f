"""DBBR, the agent (Ganzfried & Sandholm, AAMAS 2011, Algorithm 3): watch, model the deviations, best-respond.

It plays the equilibrium for T hands. Then, and before every hand whose number is a multiple of k, it fits one
`DeviationModel` for each seat of the opponent and plays the best response to them. Where the model never lets
it come, and every action is worth nothing, it plays the equilibrium. It never looks at the opponent's cards
unless ``shown`` is on.

    dbbr                                          in Kuhn and Leduc; in limit hold'em over 8-12-4-4 buckets
    dbbr:5-5-5-5:quick,T=1000,k=50,prior=5,method=shift

Options: ``T``, ``k`` and ``prior`` (the paper's, with its values by default), ``method`` (shift, l1 or l2),
``range`` (whose range the prior is taken over, equilibrium or model), ``pool=1`` (the prior learns from other
histories of the same kind), and, from the paper's closing ideas, ``threshold``: exploit only while the win
rate, less ``sigmas`` standard errors of it, is at least so many small bets per hand, and play the equilibrium
otherwise. ``decay`` and ``window`` let old hands count less. ``shown=5`` also learns from the cards that
showdowns reveal (`soulread.model.shown`), the public model being worth 5 hands at every private set.
``safety=0.9`` plays the restricted Nash response to an opponent who is believed to play the model in nine
hands of ten, in place of the best response (safety=1): it wins a little less from the model and loses far
less if that is wrong. It is solved for in ``iterations`` of an update, from where the last one ended (0: to a
gap in small games, 20 in abstractions). ``background=1`` updates beside the game, which never waits then.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.model.deviation import DEFAULT_PRIOR, METHODS, PRIOR_RANGES, DeviationModel
from soulread.observe.counts import PublicCounts
from soulread.observe.hand import Hand
from soulread.observe.shown import ShownCards
from soulread.play.exploiter import Exploiter, Read
from soulread.play.options import parse_spec_and_options
from soulread.play.solved import game_text
from soulread.respond.tracking import Tracker
from soulread.seqform.compile import SequenceGame
from soulread.seqform.tabular import TabularStrategy
from soulread.solve.best_response import response_behaviour
from soulread.solve.equilibria import find_equilibrium
from soulread.solve.named import Tell, compile_playable
from soulread.solve.restricted import Restriction

DEFAULT_ABSTRACTION = "8-12-4-4"  # the paper's, in limit hold'em


@dataclass(frozen=True, slots=True)
class Settings:
    """When DBBR exploits, and how it models. ``str`` gives the options of the agent's text."""

    T: int = 1000  # hands of equilibrium play first
    k: int = 50  # hands between two updates
    prior: float = DEFAULT_PRIOR  # N_prior: hands the equilibrium is worth at every public history
    method: str = "shift"
    range: str = "equilibrium"
    pool: int = 0  # 1: the prior learns from histories of the same kind
    threshold: float = -math.inf  # small bets per hand
    sigmas: float = 1.96  # standard errors between the win rate and the bound that is compared with it
    decay: float = 1.0
    window: int = 0  # hands that count; 0: all
    shown: float = 0.0  # hands the public model is worth where cards were shown; 0: they are not looked at
    safety: float = 1.0  # share of hands in which the model is trusted; 1: a best response
    iterations: int = 0  # of an update with safety below 1
    background: int = 0  # 1: updates run beside the game

    def __post_init__(self) -> None:
        for wrong, what in (
            (self.T < 0, f"T={self.T}; it must not be negative"),
            (self.k < 1, f"k={self.k}; there is at least one hand between two updates"),
            (not 0 < self.prior < math.inf, f"prior={self.prior}; it must be positive"),
            (self.method not in METHODS, f"method={self.method}; expected one of {', '.join(METHODS)}"),
            (
                self.range not in PRIOR_RANGES,
                f"range={self.range}; expected one of {', '.join(PRIOR_RANGES)}",
            ),
            (self.pool not in (0, 1), f"pool={self.pool}; expected 0 or 1"),
            (math.isnan(self.threshold), "threshold=nan; it must be a number of small bets per hand"),
            (not self.sigmas >= 0, f"sigmas={self.sigmas}; it must not be negative"),
            (not 0 < self.decay <= 1, f"decay={self.decay}; it lies above 0 and is at most 1"),
            (self.window < 0, f"window={self.window}; it must not be negative"),
            (not 0 <= self.shown < math.inf, f"shown={self.shown}; it must not be negative"),
            (not 0 <= self.safety <= 1, f"safety={self.safety}; it lies between 0 and 1"),
            (self.iterations < 0, f"iterations={self.iterations}; it must not be negative"),
            (self.background not in (0, 1), f"background={self.background}; expected 0 or 1"),
        ):
            if wrong:
                raise SoulreadError(f"dbbr: {what}")

    def __str__(self) -> str:
        return ",".join(
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        )


class DeviationAgent(Exploiter):
    """Plays the equilibrium at first, then best responses to a model of the opponent.

    ``counts`` is what it has seen, ``models`` what it believes of seats 0 and 1. ``opening`` is played in
    place of the equilibrium, from a finer abstraction for instance.
    """

    def __init__(
        self,
        name: str,
        game: SequenceGame,
        equilibrium: TabularStrategy,
        settings: Settings | None = None,
        opening: TabularStrategy | None = None,
    ) -> None:
        self.settings = Settings() if settings is None else settings
        super().__init__(name, game, equilibrium, opening, bool(self.settings.background))
        self.counts = PublicCounts(game, self.settings.decay, self.settings.window or None)
        first, second = (
            DeviationModel(
                game,
                seat,
                behaviour,
                self.settings.prior,
                self.settings.method,
                self.settings.range,
                bool(self.settings.pool),
                self.settings.shown,
            )
            for seat, behaviour in enumerate(equilibrium.behaviours)
        )
        self.models: tuple[DeviationModel, DeviationModel] = (first, second)
        self.cards = ShownCards(self.counts, equilibrium.lookup) if self.settings.shown else None
        self._tracker = Tracker(game, self.settings.iterations)
        self._small_bet = self.counts.rules.rules.small_bet
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        super().reset()
        self.counts.reset()
        if self.cards is not None:
            self.cards.reset()
        self._tracker.reset()
        self._won = 0.0
        self._won_squared = 0.0

    @property
    def exploiting(self) -> bool:
        """Whether a response is played at present."""
        return super().exploiting and self.win_rate_bound() >= self.settings.threshold

    def observe(self, hand: Hand) -> None:
        """Count what the opponent did, and update the response when it is time to."""
        self._finish_update()
        self.counts.add(hand)
        if self.cards is not None:
            self.cards.add(hand)
        self.num_hands += 1
        won = hand.payoffs[hand.eyewitness] / self._small_bet
        self._won += won
        self._won_squared += won * won
        start, following = self.settings.T, self.num_hands + 1
        if self.num_hands >= start and (self.num_hands == start or following % self.settings.k == 0):
            self._update()

    def win_rate_bound(self) -> float:
        """The win rate so far in small bets per hand, less its standard error times ``sigmas``."""
        n = self.num_hands
        if n < 2:
            return -math.inf
        mean = self._won / n
        variance = max(0.0, self._won_squared - n * mean * mean) / (n - 1)
        return mean - self.settings.sigmas * math.sqrt(variance / n)

    def _prepare(self) -> Callable[[], Read]:
        """Fit the models; what is returned answers them."""
        for model in self.models:
            model.fit(self.counts, self.cards)
        return self._respond

    def _respond(self) -> Read:
        """The best response, or a safer one, of either seat to the model of the other one."""
        payoff, trees = self.game.payoff, self.game.trees
        believed = self.models[0].strategy(), self.models[1].strategy()
        if self.settings.safety < 1:
            mine, yours = (
                Restriction(tree, behaviour, p=self.settings.safety)
                for tree, behaviour in zip(trees, believed, strict=True)
            )
            return Read(believed, self._tracker.respond((mine, yours)).behaviours)
        first, second = (
            response_behaviour(
                trees[seat],
                payoff.gradient(seat, self.models[1 - seat].plan().astype(payoff.dtype, copy=False)),
                self.equilibrium.behaviours[seat],
            )
            for seat in (0, 1)
        )
        return Read(believed, (first, second))


def dbbr_agent(text: str, game: PokerGame, tell: Tell | None = None) -> DeviationAgent:
    """``"dbbr"``, ``"dbbr:T=200,k=20"``; in limit hold'em also ``"dbbr:5-5-5-5,method=l2"``."""
    spec, settings = parse_spec_and_options(text, Settings)
    name = game_text(text, game, spec, DEFAULT_ABSTRACTION)
    equilibrium = find_equilibrium(name, tell)
    return DeviationAgent(text, compile_playable(name, tell).game, equilibrium, settings)
