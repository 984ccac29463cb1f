"""Agents that exploit and stay safe: they risk no more than the opponent's mistakes have given them.

A *gift* is what a mistake of the opponent is worth in expectation, in chips (`soulread.respond.gifts`).

    rwywe              "risk what you've won in expectation": a hand risks at most the gifts so far
    befewp             the best equilibrium; a full best response whenever the gifts pay for its risk
    beffe:hands=1000   the best equilibrium, until the gifts pay for best responses in all hands that are left
    best-equilibrium   in every hand, the equilibrium that wins most against the model
    rwyw               "risk what you've won", luck included: not safe, for comparison
    rwywe:every=10,prior=5,method=l1

They play Kuhn, Leduc and other two-player poker games small enough for a linear program per hand. Whatever
the opponent does, all but ``rwyw`` expect to win at least the value of the game over all hands together.

The model only says where to look for profit. If it is wrong, the agents are still safe.
"""

from dataclasses import dataclass, replace

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.model.catalogue import ModelSpec, read_model, verify_deviation
from soulread.model.deviation.model import DEFAULT_PRIOR, DeviationModel
from soulread.model.tabular import TabularModel, as_table, strategy_or
from soulread.options import changed, option
from soulread.play import beliefs
from soulread.play.agent import Belief, Stance
from soulread.play.entry import AgentEntry, AgentSpec, where_cards_are_few
from soulread.respond.gifts import RULES, GiftReader, Ledger, choose_plan
from soulread.respond.planner import TOLERANCE, SafePlanner
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Source, Tell, without_suits
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    behaviour_from_plan,
    in_precision,
    plan_from_behaviour,
)
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.safe import SafeResponse


@dataclass(frozen=True, slots=True)
class Settings:
    """How often a safe agent plans, and how it models."""

    every: int = option(
        1, "hands between two plans; in between the last plan is played while gifts cover its risk"
    )
    hands: int = option(0, "hands of the whole match; only beffe needs it")
    prior: float = option(
        DEFAULT_PRIOR, "hands of evidence that the equilibrium counts for at every public history"
    )
    method: str = option("l1", "how the equilibrium is moved to fit what was seen: shift, l1 or l2")
    range: str = option("equilibrium", "whose range the prior is taken over: equilibrium or model")
    pool: int = option(0, "1: the prior also learns from other histories of the same kind; 0: it does not")
    model: ModelSpec | None = option(
        None, "model to look for profit with, in place of its own; see soulread models", read_model
    )

    def __post_init__(self) -> None:
        own = changed(self, "prior", "method", "range", "pool")
        for wrong, what in (
            (
                self.model is not None and bool(own),
                f"{', '.join(own)} belong to its own model, not to {self.model}",
            ),
            (self.every < 1, f"every={self.every}; there is at least one hand between two plans"),
            (self.hands < 0, f"hands={self.hands}; it must not be negative"),
        ):
            if wrong:
                raise SoulreadError(what)
        verify_deviation("the model", self)


class SafeAgent:
    """Plays what ``rule``, a key of `RULES`, allows against a model of the opponent.

    ``ledger`` holds what the opponent has given so far. ``model`` holds what is believed about the opponent;
    it may be any `TabularModel`. While it has seen no hand, the agent expects the equilibrium.
    """

    def __init__(
        self,
        name: str,
        game: SequenceGame,
        equilibrium: TabularStrategy,
        rule: str = "rwywe",
        settings: Settings | None = None,
        model: TabularModel | None = None,
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
        chosen = self.settings
        if model is None and chosen.model is not None:
            model = as_table(chosen.model.make(game, equilibrium.behaviours), game)
        self.model = model or DeviationModel(
            game, equilibrium.behaviours, chosen.prior, chosen.method, chosen.range, bool(chosen.pool)
        )
        plans = [plan_from_behaviour(*pair) for pair in zip(game.trees, equilibrium.behaviours, strict=True)]
        self.planners = SafePlanner(game, 0, (plans[0], plans[1])), SafePlanner(game, 1, (plans[0], plans[1]))
        self.ledger = Ledger()
        self._reader = GiftReader(game)
        self.reset()

    def reset(self) -> None:
        """Forget the opponent, and what was given."""
        self.ledger.reset()
        self.model.fit(())
        for planner in self.planners:
            planner.reset()
        self._plans: dict[
            int, tuple[SafeResponse, Behaviour]
        ] = {}  # by seat: what is played, and its behaviour
        self._made: dict[int, int] = {}  # by seat: before which hand the plan was made
        self._ready: set[int] = set()  # seats whose plan is that of the present hand
        self._last_seat = 0

    def respond(self, seat: int) -> SafeResponse:
        """What ``seat`` plays in the present hand, or in the next one. It stays the same until `observe`."""
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
        return self.equilibrium.draw_sequence(view, rng.random(), self._plans[view.seat][1])[0]

    def played(self, seat: int) -> TabularStrategy:
        """The plan of the present hand in ``seat``."""
        self.respond(seat)
        mine = self._plans[seat][1]
        first, second = self.equilibrium.behaviours
        return replace(self.equilibrium, behaviours=(mine, second) if seat == 0 else (first, mine))

    def observe(self, hand: Hand) -> None:
        """Add what the opponent gave in this hand to the ledger, and let the model learn from the hand."""
        own = hand.eyewitness
        response = self.respond(own)
        gift = self._reader.gift(hand, response.plan)
        if self.rule == "rwyw":
            self.ledger.record_chips(response, gift, hand.payoffs[own])
        else:
            self.ledger.record(response, gift)
        self.model.update(hand)
        self._ready.clear()

    @property
    def expected(self) -> float:
        """Chips the present hand is expected to win, if the opponent plays as the model says."""
        return self.respond(self._last_seat).value

    @property
    def worst_case(self) -> float:
        """Chips the present hand is expected to win at least, whatever the opponent does."""
        return self.respond(self._last_seat).worst_case

    @property
    def believed(self) -> Behaviours:
        """How the opponent is believed to play at present."""
        first, second = self.equilibrium.behaviours
        return strategy_or(self.model, 0, first), strategy_or(self.model, 1, second)

    def stance(self, seat: int) -> Stance | None:
        """The present belief and what the plan of this hand wins from it, in ``seat``."""
        response = self.respond(seat)
        return Stance(
            response.value - response.game_value,
            replace(self.equilibrium, behaviours=self.believed),
            self.equilibrium,
            response.game_value if seat == 0 else -response.game_value,
        )

    def belief(self, view: PokerView | None = None) -> Belief:
        """What the agent believes about the opponent; gain and risk are those of the present hand."""
        equilibrium, believed = self.equilibrium.behaviours, self.believed
        response = self.respond(self._last_seat)
        return Belief(
            expected=response.value - response.game_value,
            worst_case=response.worst_case - response.game_value,
            frequencies=beliefs.frequencies(self.game, believed, equilibrium, self.model),
            ranges=beliefs.ranges(self.model, view),
        )

    def sentence(self) -> str:
        """What the agent was given, and what it may risk, for a player to read."""
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
        """``[num_sequences]``: chips of each sequence of ``seat`` against the model of the other seat."""
        opponent = 1 - seat
        behaviour = strategy_or(self.model, opponent, self.equilibrium.behaviours[opponent])
        plan = plan_from_behaviour(self.game.trees[opponent], behaviour)
        return self.game.payoff.gradient(seat, in_precision(plan, self.game.payoff.dtype))


def _safe(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> SafeAgent:
    source = Source(without_suits(game))
    equilibrium = find_equilibrium(source, tell)
    return SafeAgent(spec.text, source.compile(tell), equilibrium, spec.entry.name, spec.options)


_ABOUT = {
    "rwywe": "risks what it has won in expectation: never worse than the equilibrium",
    "befewp": "the best equilibrium; a full best response whenever the opponent's gifts pay for its risk",
    "beffe": "the best equilibrium, until the gifts pay for best responses in all hands that are left",
    "best-equilibrium": "plays in every hand the equilibrium that wins most against the model",
    "rwyw": "risks what it has won, luck included: not safe, for comparison",
}
_EXAMPLES = {
    "beffe": ("beffe:hands=20",),
    "befewp": ("befewp:every=3",),
    "rwywe": ("rwywe", "rwywe:model=tilts"),
}
SAFE_AGENTS = tuple(
    AgentEntry(
        rule, _ABOUT[rule], _safe, Settings, where_cards_are_few, examples=_EXAMPLES.get(rule, (rule,))
    )
    for rule in RULES
)
