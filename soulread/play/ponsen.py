"""Ponsen, a player of no-limit hold'em who reads every opponent (after Ponsen et al., 2008); 2 to 10 seats.

    ponsen                                   0.5 s a decision
    ponsen:budget=0.05,sizes=0.5/1           quicker, with fewer sizes of raises
    ponsen:playouts=1000                     counts play-outs instead: the same on every machine

It keeps a model of each opponent (`soulread.model.completed`), begun with a prior and taught by every hand
the opponent was dealt in, whether its cards were shown or not. Before a decision each model says what its
player may hold now. Then hands are played out (`soulread.play.nolimit_rollout`): holdings are drawn from
these ranges, and what opponents do with them from their models. The agent takes what wins most: a fold,
a call, or a raise of one of several sizes.

The budget holds for the whole decision: ranges and play-outs. What is learned from a hand is learned between
hands, in a time that does not grow with the number of hands seen.
"""

import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import NUM_HANDS
from soulread.errors import SoulreadError
from soulread.games.base import CHANCE
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView
from soulread.hands import Hand
from soulread.model.completed import NUM_KINDS, NUM_STRENGTHS, CompletedModel, Prior, default_prior
from soulread.model.situation import NUM_SIZES
from soulread.model.values import income_scale
from soulread.options import option, verify
from soulread.play.agent import Belief
from soulread.play.entry import AgentEntry, AgentSpec
from soulread.play.formula import Style, parse_style
from soulread.play.nolimit_rollout import Policy, actions_of, refuses, simulate_decision
from soulread.play.outlook import UNLIMITED, Clock, Limits, Outlook
from soulread.play.plain import habits_of
from soulread.seqform.source import Tell
from soulread.words import plural

BUDGET = 0.5  # seconds of a decision, unless play-outs are counted
MARGIN = 1.0  # standard errors by which a dearer action must be ahead
MOST_PLAYERS = 200  # whose models are kept


def _read_sizes(text: str) -> tuple[float, ...]:
    try:
        sizes = tuple(float(part) for part in text.split("/"))
    except ValueError:
        sizes = ()
    if not sizes or not all(0 < size < 1000 for size in sizes):
        raise SoulreadError(
            f"{text!r} are no sizes; write parts of the pot with a slash between, as in 0.5/1/2"
        )
    return sizes


@dataclass(frozen=True)
class PonsenOptions:
    """How Ponsen reads and decides."""

    budget: float = option(0.0, f"seconds of a decision; 0: {BUDGET}, or unlimited if play-outs are counted")
    playouts: int = option(0, "play-outs of a decision at most; 0: as many as the budget allows")
    sizes: tuple[float, ...] = option(
        (0.5, 1.0, 2.0),
        "raises that are compared, in pots, besides all-in",
        lambda text, _: _read_sizes(text),
    )
    learn: int = option(1, "1: learn how each opponent plays; 0: believe the prior of everybody")
    style: Style = option(
        Style(), "how it goes on in play-outs: a style of plain", lambda text, _: parse_style(text)
    )

    def __post_init__(self) -> None:
        verify(
            "ponsen",
            (not 0 <= self.budget < np.inf, f"budget={self.budget}; it is a number of seconds, 0 or more"),
            (self.playouts < 0, f"playouts={self.playouts}; it is 0 or more"),
            (self.learn not in (0, 1), f"learn={self.learn}; expected 0 or 1"),
        )

    @property
    def limits(self) -> Limits:
        """When a simulation ends."""
        budget = self.budget or (0.0 if self.playouts else BUDGET)
        return Limits(budget, self.playouts or UNLIMITED)


class Ponsen:
    """Plays out hands against models of its opponents; those of the `MOST_PLAYERS` seen last are kept."""

    def __init__(self, name: str, game: PokerGame, options: PonsenOptions) -> None:
        reason = refuses(game)
        if reason is not None:
            raise SoulreadError(f"{name!r} cannot sit at {game.name!r}: {reason}")
        self.name = name
        self.game = game
        self.options = options
        self.outlook: Outlook | None = None  # of the last decision
        self.clock: Clock = time.perf_counter  # by which a budget is spent
        self.prior: Prior = default_prior()
        self._stranger = CompletedModel(game, self.prior)
        self._models: OrderedDict[str, CompletedModel] = OrderedDict()
        self._before = np.tile(income_scale(game.num_players).values, (game.num_players, 1))
        if options.limits.budget:
            self._warm_up()

    def _warm_up(self) -> None:
        """Load what decisions need, so that the first one keeps to its budget."""
        state = self.game.start()
        cards = iter(self.game.rules.deck)
        while state.round == 0 or state.player < 0:
            if state.player == CHANCE:
                state = state.apply(next(cards))
            else:
                view = state.view(state.player)
                self.simulate(view, Limits(playouts=2), np.random.default_rng(0))
                state = state.apply(CALL)
        self.simulate(state.view(state.player), Limits(playouts=2), np.random.default_rng(0))

    def reset(self) -> None:
        """Forget all opponents."""
        self._models.clear()
        self.outlook = None

    def model_of(self, player: str) -> CompletedModel:
        """What is believed of a player; a player never seen has the prior's model."""
        return self._models.get(player, self._stranger)

    def observe(self, hand: Hand) -> None:
        """Learn about all who were dealt in but us."""
        if not self.options.learn:
            return
        for seat, player in enumerate(hand.players):
            if seat != hand.observer:
                model = self._models.pop(player, None) or CompletedModel(self.game, self.prior)
                self._models[player] = model.update(hand, player)
        while len(self._models) > MOST_PLAYERS:
            self._models.popitem(last=False)

    # Beliefs.

    def tables(self, view: PokerView) -> NDArray[np.float64]:
        """``[seats, 1326]`` how likely each live opponent holds each holding; zero in the other rows."""
        found = np.zeros((len(view.folded), NUM_HANDS))
        for seat in _live_others(view):
            found[seat] = self.model_of(view.players[seat]).holdings(view, seat)
        return found

    def policy(self, view: PokerView) -> Policy:
        """What everybody does in play-outs."""
        seats = len(view.folded)
        chances = np.zeros((seats, NUM_KINDS, NUM_STRENGTHS, 3))
        sizes = np.zeros((seats, 2, NUM_SIZES))
        for seat in range(seats):
            model = self._stranger if seat == view.seat else self.model_of(view.players[seat])
            chances[seat] = model.chances
            sizes[seat] = np.cumsum(model.size_chances, axis=1)
        return Policy(habits_of(self.options.style, seats), chances, sizes)

    def belief(self, view: PokerView | None = None) -> Belief:
        """With a view: what each live opponent may hold."""
        if view is None:
            return Belief()
        tables = self.tables(view)
        return Belief(ranges={seat: tables[seat] for seat in _live_others(view)})

    def sentence(self) -> str:
        """How well it knows the others."""
        if not self._models:
            return "knows nobody yet"
        seen = sum(model.seen for model in self._models.values())
        players = plural(len(self._models), "player")
        return f"has models of {players}, from {plural(seen, 'decision')}"

    # Decisions.

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """The action that wins most in play-outs."""
        if len(view.legal) == 1:
            return view.legal[0]
        self.outlook = self.simulate(view, self.options.limits, rng)
        return self.outlook.careful(FOLD in view.legal, MARGIN)

    def simulate(self, view: PokerView, limits: Limits, rng: np.random.Generator) -> Outlook:
        """What a call and raises of several sizes are worth."""
        begun = self.clock()
        actions = actions_of(view, self.options.sizes)
        tables, policy = self.tables(view), self.policy(view)
        return simulate_decision(view, actions, tables, policy, self._before, limits, rng, begun, self.clock)


def _live_others(view: PokerView) -> list[int]:
    """Opponents who have not folded."""
    return [seat for seat, out in enumerate(view.folded) if not out and seat != view.seat]


def _make(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Ponsen:
    return Ponsen(spec.text, game, spec.options)


PONSEN = AgentEntry(
    "ponsen",
    "no-limit hold'em: models of each opponent, and play-outs with several raise sizes; 2 to 10 seats",
    _make,
    PonsenOptions,
    refuses,
    examples=("ponsen:playouts=200", "ponsen:playouts=200,sizes=0.5/1,learn=0,style=tight"),
)
