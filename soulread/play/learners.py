"""Learners as agents, by name: explicit, implicit, bootstrapping, subpolicies, and our own.

    explicit                                            a Dirichlet at every information set
    implicit:portfolio=simple:5,seed=3                  one of five strategies, which?
    bootstrap:portfolio=simple:5                        the second teaches the first
    subpolicy:portfolio=complex:5,parts=rounds          one of five in each part of the tree
    subbootstrap:portfolio=complex:5,parts=discovered   the same, teaching an explicit model
    learner                                             ours: tilted equilibria, and what they leave over

For games with few cards. Leduc is modelled without its suits. A portfolio is the equilibrium and so many
less one of a population (`soulread.solve.skews.random_skews`) drawn by ``seed``, or agents joined by "+":
``portfolio=equilibrium+loose+tight``. Options of all: ``act`` (mean, map, sample, thompson; exp3 and exp4
with a portfolio), ``forget`` (weight of the hand before the last), ``change`` (probability that the
opponent starts afresh, before each hand), ``seed``. Explicit ones: ``strength`` of the equilibrium prior,
``particles``.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.model.beliefs import BeliefModel, Pair
from soulread.model.bootstrap import BootstrapModel
from soulread.model.changes import ChangingModel
from soulread.model.explicit import DEFAULT_STRENGTH, ExplicitModel
from soulread.model.portfolio import PortfolioModel
from soulread.model.residual import ResidualModel
from soulread.model.subpolicy import (
    Parts,
    SubpolicyModel,
    discover_subpolicies,
    discovered_parts,
    round_parts,
)
from soulread.model.tilts import TiltModel, tilted_members
from soulread.observe.hand import Hand
from soulread.play.options import parse_options
from soulread.play.solved import opponent_behaviours
from soulread.play.table import Table
from soulread.respond.learning import ACTS, BANDITS, BanditLearner, Learner, ModelLearner, Responder, Seen
from soulread.seqform.betting import betting_tree
from soulread.seqform.strategy import draw_action
from soulread.solve.equilibria import find_equilibrium
from soulread.solve.named import Playable, Tell, compile_playable
from soulread.solve.skews import random_skews, skew_behaviours

KINDS = "explicit", "implicit", "bootstrap", "subpolicy", "subbootstrap", "learner"
POPULATIONS = "simple", "complex"
PARTS = "rounds", "discovered"

_MODELLED = {"leduc": "leduc:iso"}  # suits never matter


@dataclass(frozen=True, slots=True)
class Options:
    """What may stand behind a learner's colon."""

    act: str = ""  # "": what suits the kind
    portfolio: str = "simple:5"
    seed: int = 0
    forget: float = 1.0
    change: float = 0.0
    strength: float = DEFAULT_STRENGTH
    particles: int = 0  # 0: what suits the kind
    boost: float = 1.0
    parts: str = "rounds"
    trust: float = 0.99  # of our learner in tilts

    def __post_init__(self) -> None:
        for wrong, what in (
            (
                self.act not in ("", *ACTS, *BANDITS),
                f"act={self.act}; expected one of {', '.join((*ACTS, *BANDITS))}",
            ),
            (self.parts not in PARTS, f"parts={self.parts}; expected one of {', '.join(PARTS)}"),
            (self.seed < 0, f"seed={self.seed}; it must not be negative"),
            (not 0 < self.forget <= 1, f"forget={self.forget}; it lies above 0 and is at most 1"),
            (not 0 <= self.change < 1, f"change={self.change}; a probability below 1 was expected"),
            (self.particles < 0, f"particles={self.particles}; it must not be negative"),
        ):
            if wrong:
                raise SoulreadError(what)


@dataclass(frozen=True, eq=False)
class Setting:
    """A small game and all that learners share in it."""

    playable: Playable
    equilibrium: Pair
    responder: Responder
    table: Table


@lru_cache(maxsize=4)
def learning_setting(game: str) -> Setting:
    """The setting in which learners of a game, such as "kuhn" or "leduc", model and respond."""
    name = _MODELLED.get(game, game)
    playable = compile_playable(name)
    first, second = find_equilibrium(name).behaviours
    pair: Pair = (np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64))
    return Setting(playable, pair, Responder(playable.game, pair), Table(playable))


def make_learner(text: str, game: str = "leduc", tell: Tell | None = None) -> Learner:
    """The learner a text names, for `soulread.play.table` and for `LearnerAgent`."""
    kind, options = parse_learner(text)
    setting = learning_setting(game)
    sequence_game, equilibrium, responder = setting.playable.game, setting.equilibrium, setting.responder
    if options.act in BANDITS:
        if kind != "implicit":
            raise ParseError(f"{text!r}: {options.act} needs the portfolio of implicit")
        members = portfolio_members(options.portfolio, setting, options.seed, tell)
        return BanditLearner(sequence_game, members, responder, options.act)
    lookup = setting.playable.lookup

    def explicit() -> ExplicitModel:
        return ExplicitModel(
            sequence_game,
            equilibrium,
            options.strength,
            particles=options.particles or 64,
            forget=options.forget,
            seed=options.seed,
            lookup=lookup,
        )

    if kind == "explicit":
        model: BeliefModel = ChangingModel(explicit, options.change) if options.change else explicit()
        return ModelLearner(model, responder, options.act or "sample")
    if kind == "learner":
        return ModelLearner(_our_model(setting, options), responder, options.act or "mean")
    members = portfolio_members(options.portfolio, setting, options.seed, tell)
    forget, change = options.forget, options.change
    if kind in ("implicit", "bootstrap"):
        portfolio = PortfolioModel(sequence_game, members, forget=forget, change=change, lookup=lookup)
        if kind == "implicit":
            return ModelLearner(portfolio, responder, options.act or "sample")
        model = BootstrapModel(portfolio, explicit(), options.boost, options.seed)
        return ModelLearner(model, responder, options.act or "sample")
    if options.parts == "rounds":
        parts: Parts = round_parts(sequence_game)
    else:
        parts = discovered_parts(sequence_game, discover_subpolicies(sequence_game, members, equilibrium))
    subpolicies = SubpolicyModel(sequence_game, members, parts, forget=forget, change=change, lookup=lookup)
    if kind == "subpolicy":
        return ModelLearner(subpolicies, responder, options.act or "sample")
    model = BootstrapModel(subpolicies, explicit(), options.boost, options.seed)
    return ModelLearner(model, responder, options.act or "sample")


def _our_model(setting: Setting, options: Options) -> BeliefModel:
    game, lookup = setting.playable.game, setting.playable.lookup
    inner: BeliefModel
    if options.change:
        count = options.particles or 1000
        prior = np.full(count, 0.95 / (count - 1))
        prior[0] = 0.05
        members = tilted_members(game, setting.equilibrium, count, options.seed)
        inner = PortfolioModel(
            game, members, prior, forget=options.forget, change=options.change, lookup=lookup
        )
    else:
        inner = TiltModel(
            game,
            setting.equilibrium,
            particles=options.particles or 300,
            forget=options.forget,
            seed=options.seed,
            lookup=lookup,
        )
    if options.trust >= 1:
        return inner
    forget = min(options.forget, 1 - options.change)
    return ResidualModel(inner, trust=options.trust, forget=forget)


def portfolio_members(text: str, setting: Setting, seed: int, tell: Tell | None = None) -> list[Pair]:
    """The behaviours of a portfolio: "simple:5" (the equilibrium and four of a population), or agents."""
    kind, _, number = text.partition(":")
    if kind in POPULATIONS:
        if not number.isdecimal() or int(number) < 1:
            raise ParseError(f"the portfolio {text!r} has no size; write such as {kind}:5")
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(POPULATIONS.index(kind),)))
        return [setting.equilibrium] + [
            _pair(skew_behaviours(setting.playable.game, setting.equilibrium, random_skews(kind, rng)))
            for _ in range(int(number) - 1)
        ]
    if not text:
        raise ParseError("an empty portfolio; write such as simple:5 or equilibrium+loose")
    return [_pair(opponent_behaviours(name, setting.playable, tell)) for name in text.split("+")]


def _pair(behaviours: tuple[Any, Any]) -> Pair:
    return np.asarray(behaviours[0], dtype=np.float64), np.asarray(behaviours[1], dtype=np.float64)


def parse_learner(text: str) -> tuple[str, Options]:
    """Kind and options in a learner's text."""
    kind = text.partition(":")[0]
    if kind not in KINDS:
        raise ParseError(f"{text!r} is not a learner; known are {', '.join(KINDS)}")
    return kind, parse_options(text, Options)


class LearnerAgent:
    """A `Learner` at a table with cards: it decides how to play a hand at its first decision of it."""

    def __init__(self, name: str, learner: Learner, setting: Setting) -> None:
        self.name = name
        self.learner = learner
        self._setting = setting
        self._betting = betting_tree(setting.playable.poker)
        lookup = setting.playable.lookup
        self._first = self._betting.layout(lookup.num_states).first_sequence
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.learner.reset()
        self._next_hand()

    def _next_hand(self) -> None:
        self._behaviours: list[NDArray[np.float64] | None] = [None, None]
        self._last = [0, 0]

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the learner's strategy for this hand."""
        behaviour = self._behaviours[view.seat]
        if behaviour is None:
            behaviour = self.learner.respond(view.seat, rng)
            self._behaviours[view.seat] = behaviour
        node = self._betting.decision(view.betting)
        actions = self._betting.actions[node]
        lookup = self._setting.playable.lookup
        width = lookup.num_states[int(self._betting.arrays.round[node])]
        first = int(self._first[node]) + lookup.state(view.hole, view.board)
        position = draw_action(behaviour, first, width, len(actions), rng.random())
        self._last[view.seat] = first + position * width
        return actions[position]

    def observe(self, hand: Hand) -> None:
        """Tell the learner what was seen."""
        own = hand.eyewitness
        evidence = self._setting.table.reader.read(hand)
        shown = int(evidence.sequences[0]) if hand.hole[1 - own] is not None else -1
        self.learner.learn(
            Seen(
                seat=own,
                node=self._end(hand),
                sequences=(self._last[own], shown),
                profit=float(hand.payoffs[own]),
                evidence=evidence,
                hidden=-1,
            )
        )
        self._next_hand()

    def _end(self, hand: Hand) -> int:
        """The betting node at which the hand ended."""
        node = 0
        for _, action in hand.actions:
            node = int(self._betting.arrays.child[node, self._betting.actions[node].index(action)])
        return node


def learner_agent(text: str, game: PokerGame, tell: Tell | None = None) -> LearnerAgent:
    """``"explicit"``, ``"implicit:portfolio=simple:5,act=mean"``, ``"learner"``; for games with few cards."""
    return LearnerAgent(text, make_learner(text, game.name, tell), learning_setting(game.name))


LEARNERS = dict.fromkeys(KINDS, learner_agent)
