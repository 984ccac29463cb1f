"""Populations of Leduc opponents bent from many equilibria, and matches of learners against them, as tasks.

A population is a hundred members of the kind "simple" or "complex" (`soulread.solvers.skews.random_skews`),
all bent from one equilibrium, its *base*. A base is named by how it is found: a method of `equilibrium_by`,
such as "lcfr", "lp:201", or "tremble:0.0001", a refinement.

Bases and seeds on which settings are chosen (`CHOOSING`, by ``benchmarks/choose_leduc_learner.py``) are
others than those that are reported (`REPORTING`, by `soulread.reproduce.tansey_2013.bases`).

The *oracle* knows the hundred members. It holds the exact posterior over them, given what its seat saw, and
plays a best response to the posterior mean plan. No learner knows as much, so goals are relative to it.

Against a population a learner has the first seat, as in `soulread.reproduce.tansey_2013.matches`. Against an
equilibrium, or an agent of the catalogue, seats alternate and both count alike. Values are exact, in chips
per hand beyond the value of the game, of the strategy that the learner holds after so many hands.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.model.bayes.portfolio import PortfolioModel
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.learners import game_value, learner_of
from soulread.play.match.card_tables import AgentLearner
from soulread.play.tabular import behaviours_in
from soulread.reproduce.tansey_2013.matches import MEMBERS, POPULATIONS, setting
from soulread.respond.learning import Learner, ModelLearner
from soulread.seqform.compile import poker_of
from soulread.seqform.source import Source
from soulread.seqform.strategy import Behaviours, in_precision, plan_from_behaviour
from soulread.solvers.equilibria import equilibrium_by
from soulread.solvers.skews import random_skews, skew_behaviours
from soulread.streams import stream
from soulread.tasks import Json, Task, Values, kept_as

AFTER = 0, 1, 10, 50, 200, 1000  # hands after which a learner's strategy is valued
ORACLE = "oracle"
KINDS = (*POPULATIONS, "equilibrium", "agent")
VERSION = 2  # raise it when a learner plays differently under the same name


@dataclass(frozen=True)
class LearningBases:
    """Bases and equilibria on which learners are compared, and the seed of populations and cards."""

    bases: tuple[str, ...]
    equilibria: tuple[str, ...]
    seed: int


CHOOSING = LearningBases(
    bases=("dcfr:1,0.5,1", "lp:101", "lp:102"),
    equilibria=("dcfr:1,0.5,1", "lp:101", "lp:102", "lp:103"),
    seed=100,
)
REPORTING = LearningBases(
    bases=("pcfr+", "lcfr", "tremble:0.0001", "lp:201", "lp:202"),
    equilibria=("lp", "cfr+", "pcfr+", "lcfr", "tremble:0.0001", "lp:201", "lp:202", "lp:203"),
    seed=1,
)


@lru_cache(maxsize=64)
def base_of(name: str) -> Behaviours:
    """The equilibrium that a method such as "lcfr", "lp:201" or "tremble:0.0001" finds."""
    first, second = equilibrium_by(Source(poker_of(setting().game)), name).behaviours
    return in_precision(first, float), in_precision(second, float)


@lru_cache(maxsize=16)
def population(kind: str, base: str, seed: int) -> tuple[Behaviours, ...]:
    """The hundred members of a population bent from a base, as behaviours of both seats."""
    if kind not in POPULATIONS:
        raise SoulreadError(f"a population of {kind!r} opponents; known are {', '.join(POPULATIONS)}")
    game, rng = setting().game, stream(seed, "population", kind, base)
    return tuple(skew_behaviours(game, base_of(base), random_skews(kind, rng)) for _ in range(MEMBERS))


@lru_cache(maxsize=16)
def foreign(text: str) -> Behaviours:
    """The behaviours of an agent of the catalogue that plays from a table."""
    first, second = behaviours_in(parse_agent(text), setting().game)
    return in_precision(first, float), in_precision(second, float)


def opponent(kind: str, base: str, seed: int, match: int) -> Behaviours:
    """The opponent of a match; of kind "equilibrium" the base itself, of kind "agent" the agent it names."""
    if kind not in KINDS:
        raise SoulreadError(f"opponents of kind {kind!r}; known are {', '.join(KINDS)}")
    if kind == "agent":
        return foreign(base)
    return base_of(base) if kind == "equilibrium" else population(kind, base, seed)[match % MEMBERS]


def oracle(members: Sequence[Behaviours]) -> Learner:
    """Knows the members: the exact posterior over them, and a best response to its mean plan."""
    leduc = setting()
    return ModelLearner(PortfolioModel(leduc.game, members, slip=0.0), leduc.responder, "mean")


def new_learner(name: str, kind: str, base: str, seed: int, match: int) -> Learner:
    """The oracle of a population, or the learner or exploiter that an agent's text names.

    Our learner's particles are drawn anew in every match.
    """
    if name == ORACLE:
        if kind not in POPULATIONS:
            raise SoulreadError(f"an oracle knows the members of a population, and {kind!r} has none")
        return oracle(population(kind, base, seed))
    spec = parse_agent(name)
    if spec.entry.name == "learner" and "seed=" not in name:
        spec = parse_agent(f"{name}{',' if ':' in name else ':'}seed={match}")
    return learner_of(spec, setting())


def match_task(learner: str, kind: str, base: str, hands: int, seed: int, first: int, count: int) -> Task:
    """A task of ``count`` matches, from number ``first`` on; see `play` for the result."""
    parameters: dict[str, Json] = {
        "learner": learner,
        "kind": kind,
        "base": base,
        "hands": hands,
        "seed": seed,
        "first": first,
        "count": count,
    }
    return Task(play, parameters, VERSION)


@kept_as("soulread.reproduce.leduc_populations:play")
def play(learner: str, kind: str, base: str, hands: int, seed: int, first: int, count: int) -> Values:
    """Play matches of one learner.

    ``values [matches, reads]`` are the exact gains of the learner's strategy after each number of hands of
    `reads`, beyond the value of the game; ``best [matches]`` are those of a best response. All in chips.
    """
    values, best = np.empty((count, len(reads(hands)))), np.empty(count)
    for i, match in enumerate(range(first, first + count)):
        values[i], best[i] = play_match(
            new_learner(learner, kind, base, seed, match),
            opponent(kind, base, seed, match),
            hands,
            stream(seed, match, base, "cards"),
            stream(seed, match, base, "learner"),
            seats=(0,) if kind in POPULATIONS else (0, 1),
        )
    return {"values": values, "best": best}


def reads(hands: int) -> tuple[int, ...]:
    """Hands after which strategies are valued in a match of so many hands."""
    return tuple(after for after in AFTER if after <= hands)


def play_match(
    learner: Learner,
    villain: Behaviours,
    hands: int,
    cards: np.random.Generator,
    own: np.random.Generator,
    seats: tuple[int, ...] = (0,),
) -> tuple[NDArray[np.float64], float]:
    """Gains of the learner's strategy after each of `reads`, and of a best response: means over ``seats``.

    The learner sits in the seats in turn. What it would play is asked of every seat before it is valued.
    """
    leduc = setting()
    value = game_value(leduc)
    worth = value, -value
    plans = [plan_from_behaviour(tree, pair) for tree, pair in zip(leduc.game.trees, villain, strict=True)]
    record = isinstance(learner, AgentLearner)
    learner.reset()
    gains = []
    for hand in range(hands + 1):
        if hand in AFTER:
            values = [
                leduc.responder.value(seat, learner.respond(seat, own), plans[1 - seat]) - worth[seat]
                for seat in seats
            ]
            gains.append(float(np.mean(values)))
        if hand < hands:
            seat = seats[hand % len(seats)]
            behaviour = learner.respond(seat, own)
            learner.learn(leduc.table.play(seat, behaviour, villain[1 - seat], cards, record=record))
    best = [leduc.responder.best_value(seat, plans[1 - seat]) - worth[seat] for seat in seats]
    return np.array(gains), float(np.mean(best))
