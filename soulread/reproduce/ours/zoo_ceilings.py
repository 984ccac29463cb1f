"""The ceiling of an opponent of the zoo: the win rate of a best response."""

import math

from soulread.games.named import parse_game
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.opponents.rated import RatedPlayer, rated_behaviours
from soulread.play.opponents.zoo import CARDS
from soulread.play.tabular import TabularAgent
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Source, parse_buckets, with_cards
from soulread.seqform.strategy import Behaviours, in_precision, plan_from_behaviour
from soulread.solvers.exploitability import best_response_values
from soulread.tasks import Task, Values, kept_as


def ceiling_task(game: str, agent: str) -> Task:
    """A task that computes `ceiling`."""
    return Task(ceiling, {"game": game, "agent": agent})


@kept_as("soulread.reproduce.zoo:ceiling")
def ceiling(game: str, agent: str) -> Values:
    """The win rate of a best response to an opponent, chips per hand as a mean over the seats.

    NaN if the opponent is no table over the private states of the game, or of the abstraction `CARDS`. In
    an abstraction the best response is that over its private states.
    """
    rules = parse_game(game)
    source = with_cards(rules, parse_buckets(CARDS)) if has_abstraction(rules) else Source(rules)
    compiled = source.compile()
    behaviours = _behaviours(parse_agent(agent).make(rules), compiled)
    if behaviours is None:
        return {"ceiling": math.nan}
    first, second = (
        plan_from_behaviour(tree, in_precision(behaviour, compiled.payoff.dtype))
        for tree, behaviour in zip(compiled.trees, behaviours, strict=True)
    )
    return {"ceiling": sum(best_response_values(compiled, (first, second))) / 2}


def _behaviours(agent: Agent, game: SequenceGame) -> Behaviours | None:
    """Both seats' behaviours of an opponent who never changes; None if they are not known in ``game``."""
    if isinstance(agent, TabularAgent):
        behaviours = agent.strategy.behaviours
        sizes = tuple(tree.num_sequences for tree in game.trees)
        return behaviours if tuple(behaviour.size for behaviour in behaviours) == sizes else None
    if isinstance(agent, RatedPlayer) and not game.abstract:
        return rated_behaviours(agent, game)
    return None
