"""Learners as agents, by name: explicit, implicit, bootstrapping, subpolicies, and our own.

    explicit                                            a Dirichlet at every information set
    implicit:portfolio=simple:5,seed=3                  which of five known strategies is it?
    bootstrap:portfolio=simple:5                        an implicit model that teaches an explicit one
    subpolicy:portfolio=complex:5,parts=rounds          which of five is it, in each part of the tree?
    subbootstrap:portfolio=complex:5,parts=discovered   a subpolicy model that teaches an explicit one
    learner                                             ours: tilted equilibria, corrected by what was seen
    learner:base=lp/cfr+/lp:1-12,shape=40,risk=0.01     the same, with some of its settings

``base`` names equilibria by method (`soulread.solvers.equilibria.equilibrium_by`), joined by "/"; "lp:1-12"
is short for twelve of them, and "3*lp" makes one three times as likely. Our learner believes that the
opponent tilts one of these, their mean, or one woven of them. As long as the opponent may be playing an
equilibrium, it loses at most ``risk`` chips a hand to it on average (`soulread.respond.bounded`).

They play games with few cards. Where suits never matter, the model leaves them out. The portfolio "simple:5"
is the first base and four strategies of the population "simple" (`soulread.solvers.skews.random_skews`),
which are bent from it and drawn by ``seed``. Agents joined by "+" make a portfolio too:
``portfolio=equilibrium+loose+tight``.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.model.base import verify_number
from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.bootstrap import BootstrapModel
from soulread.model.bayes.changes import ChangingModel
from soulread.model.bayes.explicit import DEFAULT_STRENGTH, ExplicitModel
from soulread.model.bayes.portfolio import PortfolioModel
from soulread.model.bayes.residual import ResidualModel
from soulread.model.bayes.subpolicy import (
    Parts,
    SubpolicyModel,
    discover_subpolicies,
    discovered_parts,
    round_parts,
)
from soulread.model.bayes.tilts import TiltModel, tilted_members
from soulread.options import option, read_options
from soulread.play import beliefs
from soulread.play.agent import Belief, Stance
from soulread.play.entry import AgentEntry, AgentSpec, ParseAgent, where_cards_are_few
from soulread.play.table import AgentLearner, Table
from soulread.play.tabular import behaviours_in
from soulread.respond.bounded import AnyEquilibrium, BoundedLearner, Feared, LikelyEquilibrium
from soulread.respond.counter import pair_of
from soulread.respond.learning import ACTS, BANDITS, BanditLearner, Learner, ModelLearner, Responder, Seen
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Source, Tell, without_suits
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    behaviour_from_plan,
    in_precision,
    plan_from_behaviour,
)
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.solvers.equilibria import equilibrium_by, find_equilibrium, verify_equilibrium_method
from soulread.solvers.skews import random_skews, skew_behaviours
from soulread.streams import stream

KINDS = "explicit", "implicit", "bootstrap", "subpolicy", "subbootstrap", "learner"
POPULATIONS = "simple", "complex"
PARTS = "rounds", "discovered"
DEFAULT_BASE = "lp/cfr+/dcfr"
DEFAULT_SHAPE = 40.0
DEFAULT_PARTICLES = 300
MOST_BASES = 200
FEARS = "likely", "any"

_NEVER = 1e-9  # prior probability of a tilt, where none is believed in


@dataclass(frozen=True)
class Portfolio:
    """Strategies a learner is given: the equilibrium and ``size - 1`` of a population, or agents."""

    population: str = ""  # "simple" or "complex"; empty: the agents
    size: int = 0
    agents: tuple[AgentSpec, ...] = ()

    def __str__(self) -> str:
        if self.population:
            return f"{self.population}:{self.size}"
        return "+".join(agent.text for agent in self.agents)


def read_portfolio(text: str, parse: ParseAgent) -> Portfolio:
    """``"simple:5"``, ``"complex:20"``, ``"equilibrium+loose+tight"``."""
    kind, _, number = text.partition(":")
    if kind in POPULATIONS:
        if not number.isdecimal() or int(number) < 1:
            raise ParseError(f"the portfolio {text!r} has no size; write such as {kind}:5")
        return Portfolio(kind, int(number))
    return Portfolio(agents=tuple(map(parse, text.split("+"))))


def read_bases(text: str) -> tuple[str, ...]:
    """The methods that ``"2*cfr+/lp:1-3"`` names: cfr+ twice, so twice as likely, and lp:1, lp:2 and lp:3."""
    methods: list[str] = []
    for word in text.strip().lower().split("/"):
        times, star, name = word.rpartition("*")
        if star and not re.fullmatch(r"[1-9]\d?", times):
            raise ParseError(
                f"{word!r} in the bases {text!r}; write such as 3*{name} to name one three times"
            )
        several = re.fullmatch(r"lp:(\d+)-(\d+)", name)
        seeds = range(int(several[1]), int(several[2]) + 1) if several else range(0)
        if len(seeds) > MOST_BASES or (several and not seeds):
            raise ParseError(f"{word!r} names no equilibria; write such as lp:1-12, at most {MOST_BASES}")
        methods += ([f"lp:{seed}" for seed in seeds] if several else [name]) * int(times or 1)
    if len(methods) > MOST_BASES:
        raise ParseError(f"{len(methods)} bases in {text!r}; at most {MOST_BASES} are weighed")
    for method in methods:
        verify_equilibrium_method(method)
    return tuple(methods)


@dataclass(frozen=True, slots=True)
class Options:
    """What may stand behind a learner's colon."""

    act: str = option(
        "",
        "which strategy it answers: mean, map, sample or thompson; implicit also exp3, exp4; empty: by kind",
    )
    portfolio: Portfolio = option(
        Portfolio("simple", 5),
        "strategies it knows: simple:5, complex:20, or agents joined by +",
        read_portfolio,
    )
    seed: int = option(0, "seed that draws the portfolio and the particles")
    forget: float = option(
        1.0, "factor on the weight of all older hands after every hand; 1: all hands count alike"
    )
    change: float = option(0.0, "probability, before each hand, that the opponent takes up a new strategy")
    strength: float = option(
        DEFAULT_STRENGTH, "hands of evidence that the equilibrium prior of an explicit model counts for"
    )
    particles: int = option(0, "number of strategies that are weighed; 0: as many as suit the kind")
    boost: float = option(1.0, "weight of what the portfolio teaches an explicit model")
    parts: str = option("rounds", "parts of the tree with a subpolicy each: rounds or discovered")
    slip: float = option(0.01, "chance of a random action that implicit allows for; 0: an exact posterior")
    base: str = option(
        DEFAULT_BASE,
        "equilibria our learner starts from, by method, joined by /; portfolios are bent from the first",
    )
    shape: float = option(DEFAULT_SHAPE, "how mild our learner expects tilts to be; 1: wild")
    risk: float = option(
        0.01, "chips a hand our learner may lose to an equilibrium on average, if act=mean; inf: any amount"
    )
    fear: str = option(
        "likely", "whom the risk is for: likely (equilibria that fit what was seen) or any (each, but slower)"
    )
    trust: float = option(0.99, "how far our learner trusts tilted equilibria, between 0 and 1")

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
            (not 0 <= self.slip < 1, f"slip={self.slip}; a probability below 1 was expected"),
            (not 0 < self.shape < math.inf, f"shape={self.shape}; a positive number was expected"),
            (self.fear not in FEARS, f"fear={self.fear}; expected one of {', '.join(FEARS)}"),
            (not self.risk >= 0, f"risk={self.risk}; it must not be negative"),
        ):
            if wrong:
                raise SoulreadError(what)
        read_bases(self.base)


@dataclass(frozen=True, eq=False)
class Setting:
    """A small game and all that learners share in it."""

    game: SequenceGame
    equilibrium: Behaviours
    responder: Responder
    table: Table


@lru_cache(maxsize=4)
def learning_setting(game: PokerGame) -> Setting:
    """The setting in which learners of a game model and respond: without suits, where they never matter."""
    source = Source(without_suits(game))
    compiled = source.compile()
    pair = _pair(find_equilibrium(source).behaviours)
    return Setting(compiled, pair, Responder(compiled, pair), Table(compiled))


def make_learner(kind: str, options: Options, setting: Setting, tell: Tell | None = None) -> Learner:
    """A learner of one of `KINDS`, for `soulread.play.table` and for `LearnerAgent`."""
    game, equilibrium, responder = setting.game, setting.equilibrium, setting.responder
    _verify_act(kind, options)
    if options.act in BANDITS:
        members = _members(setting, options, tell)
        return BanditLearner(game, members, responder, options.act)

    def explicit() -> ExplicitModel:
        return ExplicitModel(
            game,
            equilibrium,
            options.strength,
            particles=options.particles or 64,
            forget=options.forget,
            seed=options.seed,
        )

    if kind == "explicit":
        model: BeliefModel = ChangingModel(explicit, options.change) if options.change else explicit()
        return ModelLearner(model, responder, options.act or "sample")
    if kind == "learner":
        return _our_learner(setting, options)
    members = _members(setting, options, tell)
    forget, change = options.forget, options.change
    if kind in ("implicit", "bootstrap"):
        portfolio = PortfolioModel(game, members, slip=options.slip, forget=forget, change=change)
        if kind == "implicit":
            return ModelLearner(portfolio, responder, options.act or "sample")
        model = BootstrapModel(portfolio, explicit(), options.boost, options.seed)
        return ModelLearner(model, responder, options.act or "sample")
    if options.parts == "rounds":
        parts: Parts = round_parts(game)
    else:
        parts = discovered_parts(game, discover_subpolicies(game, members, equilibrium))
    subpolicies = SubpolicyModel(game, members, parts, forget=forget, change=change)
    if kind == "subpolicy":
        return ModelLearner(subpolicies, responder, options.act or "sample")
    model = BootstrapModel(subpolicies, explicit(), options.boost, options.seed)
    return ModelLearner(model, responder, options.act or "sample")


def _verify_act(kind: str, options: Options) -> None:
    if options.act in BANDITS and kind != "implicit":
        raise SoulreadError(f"{options.act} needs the portfolio of implicit, not of {kind}")


def learner_of(spec: AgentSpec, setting: Setting, tell: Tell | None = None) -> Learner:
    """The learner that an agent of the catalogue is at a table without cards (`soulread.play.table`).

    Any agent that says what it plays can sit there, such as dbbr, dbr, rwywe, or one that plays from a table.
    """
    if spec.entry.name in KINDS:
        return make_learner(spec.entry.name, spec.options, setting, tell)
    return AgentLearner(spec.make(poker_of(setting.game), tell), setting.game)


def game_value(setting: Setting) -> float:
    """What seat 0 wins between two equilibrium players, in chips per hand."""
    first, second = setting.equilibrium
    return setting.responder.value(0, first, plan_from_behaviour(setting.game.trees[1], second))


def find_bases(setting: Setting, text: str) -> list[Behaviours]:
    """The equilibria that a text such as "lp/cfr+/lp:1-12" names; each is solved once in a process."""
    source = Source(poker_of(setting.game))
    return [_pair(equilibrium_by(source, method).behaviours) for method in read_bases(text)]


def mean_behaviours(game: SequenceGame, pairs: Sequence[Behaviours]) -> Behaviours:
    """The behaviours of the mean plans: the mean of equilibria is an equilibrium too."""
    first, second = (
        behaviour_from_plan(
            tree,
            Plan(np.mean([plan_from_behaviour(tree, pair[seat]) for pair in pairs], axis=0)),
        )
        for seat, tree in enumerate(game.trees)
    )
    return first, second


def _our_learner(setting: Setting, options: Options) -> Learner:
    game, bases = setting.game, find_bases(setting, options.base)
    if len(bases) > 1:
        bases.insert(0, mean_behaviours(game, bases))
    model = _our_model(setting, options, bases)
    act = options.act or "mean"
    if act != "mean" or options.risk == math.inf:
        return ModelLearner(model, setting.responder, act)
    return BoundedLearner(model, setting.responder, _feared(setting, options, bases), options.risk)


def _feared(setting: Setting, options: Options, bases: Sequence[Behaviours]) -> Feared:
    """The equilibria that our learner must not lose much to."""
    game = setting.game
    if options.fear == "any":
        first, second = (
            plan_from_behaviour(*pair) for pair in zip(game.trees, setting.equilibrium, strict=True)
        )
        return AnyEquilibrium(game, (first, second))
    untilted = TiltModel(
        game,
        bases[0],
        others=bases[1:],
        particles=max(options.particles or DEFAULT_PARTICLES, 1 + len(bases)),
        often=_NEVER,
        holes=(1.0, _NEVER, _NEVER, _NEVER),
        forget=options.forget,
        seed=options.seed,
    )
    return LikelyEquilibrium(untilted, setting.responder, game_value(setting))


def _our_model(setting: Setting, options: Options, bases: Sequence[Behaviours]) -> BeliefModel:
    game = setting.game
    inner: BeliefModel
    if options.change:
        count = options.particles or 1000
        if count < 2:
            raise SoulreadError(f"particles={count}; at least two strategies are needed")
        members = tilted_members(game, bases[0], count, options.seed, shape=options.shape)
        prior = np.full(count, 0.95 / (count - 1))
        prior[0] = 0.05
        inner = PortfolioModel(game, members, prior, forget=options.forget, change=options.change)
    else:
        inner = TiltModel(
            game,
            bases[0],
            others=bases[1:],
            particles=options.particles or DEFAULT_PARTICLES,
            shape=options.shape,
            forget=options.forget,
            seed=options.seed,
        )
    if options.trust >= 1:
        return inner
    forget = min(options.forget, 1 - options.change)
    return ResidualModel(inner, trust=options.trust, forget=forget)


def _members(setting: Setting, options: Options, tell: Tell | None) -> list[Behaviours]:
    first = read_bases(options.base)[0]
    return portfolio_members(options.portfolio, setting, options.seed, tell, find_bases(setting, first)[0])


def portfolio_members(
    portfolio: Portfolio,
    setting: Setting,
    seed: int,
    tell: Tell | None = None,
    base: Behaviours | None = None,
) -> list[Behaviours]:
    """The behaviours of a portfolio; ``seed`` draws the members of a population, bent from ``base``.

    Without a base, that is the equilibrium of the setting.
    """
    if not portfolio.population:
        return [_pair(behaviours_in(agent, setting.game, tell)) for agent in portfolio.agents]
    verify_number(portfolio.size, setting.game)
    rng = stream(seed, "portfolio", portfolio.population)
    base = setting.equilibrium if base is None else base
    return [base] + [
        _pair(skew_behaviours(setting.game, base, random_skews(portfolio.population, rng)))
        for _ in range(portfolio.size - 1)
    ]


def _pair(behaviours: Behaviours) -> Behaviours:
    """Behaviours in double precision, which learners compute in."""
    return in_precision(behaviours[0], np.float64), in_precision(behaviours[1], np.float64)


class LearnerAgent:
    """A `Learner` at a table with cards: it decides how to play a hand at its first decision of it."""

    def __init__(self, name: str, learner: Learner, setting: Setting) -> None:
        self.name = name
        self.learner = learner
        self._setting = setting
        self._strategy = tabular(setting.game, setting.equilibrium)
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.learner.reset()
        self._next_hand()

    def _next_hand(self) -> None:
        self._behaviours: list[Behaviour | None] = [None, None]
        self._last = [0, 0]

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the learner's strategy for this hand."""
        behaviour = self._behaviours[view.seat]
        if behaviour is None:
            behaviour = self.learner.respond(view.seat, rng)
            self._behaviours[view.seat] = behaviour
        action, self._last[view.seat] = self._strategy.draw_sequence(view, rng.random(), behaviour)
        return action

    def played(self, seat: int) -> TabularStrategy:
        """What was decided on at the first decision of the hand; anything if there was none."""
        mine, (first, second) = self._behaviours[seat], self._strategy.behaviours
        if mine is None:
            return self._strategy
        return replace(self._strategy, behaviours=(mine, second) if seat == 0 else (first, mine))

    def observe(self, hand: Hand) -> None:
        """Tell the learner what was seen."""
        own = hand.eyewitness
        evidence = self._setting.table.reader.read(hand)
        shown = int(evidence.sequences[0]) if hand.hole[hand.opponent] is not None else -1
        self.learner.learn(
            Seen(
                seat=own,
                node=self._end(hand),
                sequences=(self._last[own], shown),
                profit=float(hand.payoffs[own]),
                evidence=evidence,
            )
        )
        self._next_hand()

    def _end(self, hand: Hand) -> int:
        """The betting node at which the hand ended."""
        betting = self._strategy.betting
        node = 0
        for _, action in hand.actions:
            node = int(betting.arrays.child[node, betting.actions[node].index(action)])
        return node

    def stance(self, seat: int) -> Stance | None:
        """What its model believes, and what the strategy of this hand wins from that in ``seat``."""
        if not isinstance(self.learner, ModelLearner | BoundedLearner):
            return None
        model, responder, equilibrium = self.learner.model, self._setting.responder, self._setting.equilibrium
        plan = model.plan(1 - seat)
        mine = self._behaviours[seat]
        if mine is None:  # the hand asked for no decision
            mine = self.learner.answer_mean(seat)
        second = plan_from_behaviour(self._setting.game.trees[1], equilibrium[1])
        value = responder.value(0, equilibrium[0], second)
        won = responder.value(seat, mine, plan) - (value if seat == 0 else -value)
        return Stance(won, replace(self._strategy, behaviours=model.strategies), self._strategy, value)

    def belief(self, view: PokerView | None = None) -> Belief:
        """What its model believes, and what its answer to the mean plan expects to win and risks."""
        if not isinstance(self.learner, ModelLearner | BoundedLearner):
            return Belief()
        game, model = self._setting.game, self.learner.model
        believed = model.strategies
        answer = self.learner.answer_mean(0), self.learner.answer_mean(1)
        pair = pair_of(game, answer)
        return Belief(
            expected=pair.exploitation(believed),
            worst_case=-pair.exploitability,
            frequencies=beliefs.frequencies(game, believed, self._setting.equilibrium, model),
            ranges=beliefs.ranges(model, view),
        )

    def sentence(self) -> str:
        """The empty text: what the learner plays, and so its risk, may change with every hand."""
        return ""


def _read(text: str, options: type[Any], parse: ParseAgent) -> Options:
    """The options of a learner, refused if its kind cannot act like that."""
    chosen: Options = read_options(text, options, parse)
    try:
        _verify_act(text.partition(":")[0], chosen)
    except SoulreadError as error:
        raise ParseError(f"{text!r}: {error}") from None
    return chosen


def _learner(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> LearnerAgent:
    setting = learning_setting(game)
    return LearnerAgent(spec.text, make_learner(spec.entry.name, spec.options, setting, tell), setting)


_ABOUT = {
    "explicit": "learns a Dirichlet at every information set",
    "implicit": "learns which of some known strategies the opponent plays",
    "bootstrap": "like implicit, but what it learns also teaches an explicit model",
    "subpolicy": "learns for each part of the tree which of some known strategies the opponent plays",
    "subbootstrap": "like subpolicy, but what it learns also teaches an explicit model",
    "learner": "our own: believes in tilted equilibria and learns what they do not explain",
}
_EXAMPLES = {
    "explicit": ("explicit", "explicit:act=thompson"),
    "implicit": (
        "implicit:portfolio=equilibrium+always-call+always-raise,act=mean",
        "implicit:portfolio=equilibrium+always-call,act=exp4",
    ),
    "bootstrap": ("bootstrap:portfolio=equilibrium+random",),
    "subpolicy": ("subpolicy:portfolio=equilibrium+random,parts=discovered",),
    "subbootstrap": ("subbootstrap:portfolio=equilibrium+random,act=map",),
    "learner": ("learner:particles=20,base=lp/lp:1-2", "learner:particles=20,base=lp,change=0.02"),
}
LEARNERS = tuple(
    AgentEntry(kind, _ABOUT[kind], _learner, Options, where_cards_are_few, _read, examples=_EXAMPLES[kind])
    for kind in KINDS
)
