"""The limits of what can be won from an opponent of the zoo: by a best response, and within a budget."""

import math

import numpy as np

from soulread.games.named import parse_game
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.opponents.rated import RatedPlayer, rated_behaviours
from soulread.play.opponents.zoo import CARDS
from soulread.play.tabular import TabularAgent
from soulread.respond.planner import SafePlanner
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Source, parse_buckets, with_cards
from soulread.seqform.strategy import Behaviours, Plans, in_precision, plan_from_behaviour
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.exploitability import best_response_values
from soulread.tasks import Json, Task, Values, kept_as


def limits_task(game: str, agent: str, budget: float = math.nan) -> Task:
    """A task that computes `limits`; ``budget`` in mb/g, NaN if there is none."""
    parameters: dict[str, Json] = {"game": game, "agent": agent}
    if not math.isnan(budget):
        parameters["budget"] = budget
    return Task(limits, parameters, 2)


@kept_as("soulread.reproduce.zoo:limits")
def limits(game: str, agent: str, budget: float | None = None) -> Values:
    """The win rates of three answers to an opponent, in chips per hand as means over the seats.

    ``usual`` is that of the equilibrium, ``ceiling`` that of a best response, and ``within`` that of the best
    answer whose exploitability is at most ``budget`` (mb/g). NaN if the opponent is no table over the private
    states of the game, or of the abstraction `CARDS`. In an abstraction the answers are those over its
    private states, and ``within`` is not computed.
    """
    rules = parse_game(game)
    source = with_cards(rules, parse_buckets(CARDS)) if has_abstraction(rules) else Source(rules)
    compiled = source.compile()
    behaviours = _behaviours(parse_agent(agent).make(rules), compiled)
    if behaviours is None:
        return dict.fromkeys(("usual", "ceiling", "within"), math.nan)
    theirs = _plans(compiled, behaviours)
    equilibrium = _plans(compiled, find_equilibrium(source).behaviours)
    usual = (compiled.value(equilibrium[0], theirs[1]) - compiled.value(theirs[0], equilibrium[1])) / 2
    within = math.nan
    if budget is not None and not compiled.abstract:
        chips = budget * rules.rules.small_bet / 1000
        within = sum(_best_within(compiled, seat, equilibrium, theirs, chips) for seat in (0, 1)) / 2
    return {"usual": usual, "ceiling": sum(best_response_values(compiled, theirs)) / 2, "within": within}


def _best_within(game: SequenceGame, seat: int, equilibrium: Plans, theirs: Plans, chips: float) -> float:
    """The win rate of ``seat`` with the best answer of exploitability ``chips``; exact."""
    gradient = np.asarray(game.payoff.gradient(seat, theirs[1 - seat]), dtype=np.float64)
    return SafePlanner(game, seat, equilibrium).respond(gradient, chips).value


def _plans(game: SequenceGame, behaviours: Behaviours) -> Plans:
    first, second = (
        plan_from_behaviour(tree, in_precision(behaviour, game.payoff.dtype))
        for tree, behaviour in zip(game.trees, behaviours, strict=True)
    )
    return first, second


def _behaviours(agent: Agent, game: SequenceGame) -> Behaviours | None:
    """Both seats' behaviours of an opponent who never changes; None if they are not known in ``game``."""
    if isinstance(agent, TabularAgent):
        behaviours = agent.strategy.behaviours
        sizes = tuple(tree.num_sequences for tree in game.trees)
        return behaviours if tuple(behaviour.size for behaviour in behaviours) == sizes else None
    if isinstance(agent, RatedPlayer) and not game.abstract:
        return rated_behaviours(agent, game)
    return None
