"""Agents that exploit and stay safe: they risk no more than they have been given (`soulread.respond.gifts`).

    rwywe              risk what you've won in expectation
    befewp             the best equilibrium, and a full best response whenever what was given pays for it
    beffe:hands=1000   the same, once it pays for a best response in all hands left of a match of so many
    best-equilibrium   the equilibrium that wins most against the model, every hand
    rwyw               risk what you've won, luck included: not safe, for contrast
    rwywe:every=10,prior=5,method=l1

In Kuhn, Leduc and other two-player poker games small enough for a linear program per hand. Whatever the
opponent does, all but ``rwyw`` expect to win at least the value of the game over all hands together.

Options: ``every`` hands a new plan is made (1; in between the last one is played as long as what was given
covers its risk), ``hands`` for ``beffe``, and those of the opponent model: ``prior``, ``method``, ``range``
and ``pool`` as in `soulread.play.dbbr`. The model only says where to look for profit: safety does not rest on
it.
"""

import math
from dataclasses import dataclass, fields

import numpy as np

from soulread.errors import NotFitted, SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.model.base import OpponentModel
from soulread.model.deviation import DEFAULT_PRIOR, METHODS, PRIOR_RANGES, DeviationModel
from soulread.observe.hand import Hand
from soulread.play.options import parse_options
from soulread.respond.gifts import RULES, GiftReader, Ledger, choose_plan
from soulread.respond.planner import TOLERANCE, SafePlanner
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import behaviour_from_plan, draw_action, plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats
from soulread.solve.equilibria import find_equilibrium
from soulread.solve.named import Tell, compile_playable
from soulread.solve.safe import SafeResponse

_SMALLER = {"leduc": "leduc:iso"}  # suits never matter; the game without them is solved ten times as fast


@dataclass(frozen=True, slots=True)
class Settings:
    """How often a safe agent plans, and how it models. ``str`` gives the options of the agent's text."""

    every: int = 1  # hands between two plans
    hands: int = 0  # of the whole match, for beffe
    prior: float = DEFAULT_PRIOR
    method: str = "l1"
    range: str = "equilibrium"
    pool: int = 0

    def __post_init__(self) -> None:
        for wrong, what in (
            (self.every < 1, f"every={self.every}; there is at least one hand between two plans"),
            (self.hands < 0, f"hands={self.hands}; it must not be negative"),
            (not 0 < self.prior < math.inf, f"prior={self.prior}; it must be positive"),
            (self.method not in METHODS, f"method={self.method}; expected one of {', '.join(METHODS)}"),
            (
                self.range not in PRIOR_RANGES,
                f"range={self.range}; expected one of {', '.join(PRIOR_RANGES)}",
            ),
            (self.pool not in (0, 1), f"pool={self.pool}; expected 0 or 1"),
        ):
            if wrong:
                raise SoulreadError(what)

    def __str__(self) -> str:
        return ",".join(
            f"{field.name}={getattr(self, field.name)}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        )


class SafeAgent:
    """Plays what ``rule``, a key of `RULES`, allows against a model of the opponent.

    ``ledger`` holds what the opponent has given so far, ``models`` what is believed of seats 0 and 1; any two
    `OpponentModel` can be given. While one of them has seen nothing, the equilibrium stands in for it.
    """

    def __init__(
        self,
        name: str,
        game: SequenceGame,
        equilibrium: TabularStrategy,
        rule: str = "rwywe",
        settings: Settings | None = None,
        models: tuple[OpponentModel, OpponentModel] | None = None,
    ) -> None:
        if rule not in RULES:
            raise SoulreadError(f"rule {rule!r}; expected one of {', '.join(RULES)}")
        self.name = name
        self.game = game
        self.equilibrium = equilibrium
        self.rule = rule
        self.settings = Settings() if settings is None else settings
        if rule == "beffe" and not self.settings.hands:
            raise SoulreadError("beffe must know how many hands the match has: beffe:hands=1000")
        self.models = _deviation_models(game, equilibrium, self.settings) if models is None else models
        plans = [plan_from_behaviour(*pair) for pair in zip(game.trees, equilibrium.behaviours, strict=True)]
        self.planners = SafePlanner(game, 0, (plans[0], plans[1])), SafePlanner(game, 1, (plans[0], plans[1]))
        self.ledger = Ledger()
        self._reader = GiftReader(game, equilibrium)
        self.reset()

    def reset(self) -> None:
        """Forget the opponent, and what he has given."""
        self.ledger.reset()
        for model in self.models:
            model.fit(())
        for planner in self.planners:
            planner.reset()
        self._plans: dict[int, tuple[SafeResponse, Floats]] = {}  # by seat: what is played, and its behaviour
        self._made: dict[int, int] = {}  # by seat: before which hand the plan was made
        self._ready: set[int] = set()  # seats whose plan is that of the present hand
        self._last_seat = 0

    def respond(self, seat: int) -> SafeResponse:
        """What is played in the present hand, or the coming one, from ``seat``. It stays until `observe`."""
        self._last_seat = seat
        if seat not in self._ready:
            if not self._still_good(seat):
                left = self.settings.hands - self.ledger.num_hands
                response = choose_plan(
                    self.rule, self.planners[seat], self._gradient(seat), self.ledger.k, left
                )
                self._plans[seat] = response, behaviour_from_plan(self.game.trees[seat], response.plan)
                self._made[seat] = self.ledger.num_hands
            self._ready.add(seat)
        return self._plans[seat][0]

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the present plan; takes one double of ``rng``."""
        self.respond(view.seat)
        table = self.equilibrium
        node = table.betting.decision(view.betting)
        actions = table.betting.actions[node]
        first = table.sequence(node, table.lookup.state(view.hole, view.board))
        behaviour = self._plans[view.seat][1]
        width = int(table.arrays.width[node])
        return actions[draw_action(behaviour, first, width, len(actions), rng.random())]

    def observe(self, hand: Hand) -> None:
        """Enter what the opponent gave in this hand, and what it says of him."""
        own = hand.eyewitness
        response = self.respond(own)
        gift = self._reader.gift(hand, response.plan)
        if self.rule == "rwyw":
            self.ledger.record_chips(response, gift, hand.payoffs[own])
        else:
            self.ledger.record(response, gift)
        for model in self.models:
            model.update(hand)
        self._ready.clear()

    @property
    def expected(self) -> float:
        """Chips the present hand is expected to win, if the opponent plays as he is modelled."""
        return self.respond(self._last_seat).value

    @property
    def worst_case(self) -> float:
        """Chips the present hand is expected to win at least, whatever the opponent does."""
        return self.respond(self._last_seat).worst_case

    def sentence(self) -> str:
        """What it was given, and what it may risk, for a player to read."""
        response = self.respond(self._last_seat)
        k = max(0.0, self.ledger.k)
        had = (
            f"it has won {k:.3f} chips more than the game is worth, by luck or not"
            if self.rule == "rwyw"
            else f"it has been given {k:.3f} chips in expectation"
        )
        return (
            f"{had}, a hand risks at most {max(0.0, response.risk):.3f}; it should win "
            f"{response.value:+.3f}, and no less than {response.worst_case:+.3f} against anybody"
        )

    def _still_good(self, seat: int) -> bool:
        if seat not in self._plans or self.ledger.num_hands - self._made[seat] >= self.settings.every:
            return False
        return self._plans[seat][0].risk <= max(self.ledger.k, TOLERANCE)

    def _gradient(self, seat: int) -> Floats:
        """Against the model of the other seat."""
        opponent = 1 - seat
        try:
            behaviour = self.models[opponent].strategy()
        except NotFitted:
            behaviour = self.equilibrium.behaviours[opponent]
        plan = plan_from_behaviour(self.game.trees[opponent], behaviour)
        return self.game.payoff.gradient(seat, plan.astype(self.game.payoff.dtype, copy=False))


def _deviation_models(
    game: SequenceGame, equilibrium: TabularStrategy, settings: Settings
) -> tuple[OpponentModel, OpponentModel]:
    first, second = (
        DeviationModel(
            game, seat, behaviour, settings.prior, settings.method, settings.range, bool(settings.pool)
        )
        for seat, behaviour in enumerate(equilibrium.behaviours)
    )
    return first, second


def safe_agent(text: str, game: PokerGame, tell: Tell | None = None) -> SafeAgent:
    """``"rwywe"``, ``"befewp:every=10"``, ``"beffe:hands=1000"``, ``"best-equilibrium"``, ``"rwyw"``."""
    settings = parse_options(text, Settings)
    if game.name == "limit":
        raise SoulreadError(f"{text!r} solves a linear program for every hand; 'limit' is too large for one")
    name = _SMALLER.get(game.name, game.name)
    rule = text.partition(":")[0]
    return SafeAgent(text, compile_playable(name, tell).game, find_equilibrium(name, tell), rule, settings)


SAFE_AGENTS = dict.fromkeys(RULES, safe_agent)
