"""Why an agent chose as it did: the chances of its strategy, what actions were worth to it, what it believes.

Everything is asked of the agent itself, right after its decision and with the view that it had. So nobody is
told anything new, and asking changes nothing: a match that is watched is the match that is not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from soulread.games.poker import PokerView
from soulread.play.agent import Agent, Believer
from soulread.play.exploiters.exploiter import Exploiter
from soulread.play.match.promise import expectation_of
from soulread.play.opponents.changing import ChangingAgent
from soulread.play.opponents.rated import RatedPlayer
from soulread.play.search.playout_agent import PlayoutAgent
from soulread.play.search.vexbot import Searcher
from soulread.play.tabular import strategy_played
from soulread.play.translated import TranslatedAgent, chances_at_table
from soulread.seqform.tabular import TabularStrategy

Chances = Mapping[int, float]  # by action, as the game numbers them


@dataclass(frozen=True, eq=False)
class Reasons:
    """An agent's reasons at one decision. Amounts are chips; None, or empty, where the agent cannot tell."""

    probabilities: Chances = field(default_factory=dict)  # of its strategy at this view
    values: Mapping[int, float] = field(default_factory=dict)  # of actions, beyond folding now
    errors: Mapping[int, float] = field(default_factory=dict)  # standard errors of values by play-outs
    equilibrium: Chances = field(default_factory=dict)  # what the equilibrium that it knows does here
    expected: float | None = None  # gain a hand beyond the value of the game, if the belief is right
    gain: float | None = None  # the same beyond what the equilibrium would win from the same opponent
    worst_case: float | None = None  # gain a hand against an opponent who knows the strategy
    ranges: Mapping[int, NDArray[np.float64]] = field(default_factory=dict)
    """By seat: how likely each of ``view.game.holdings`` is."""

    sentence: str = ""
    stood_in: str = ""  # what acted in the agent's place, and why; empty if the agent did


@runtime_checkable
class Reasoning(Protocol):
    """An agent that knows its reasons best: it plays elsewhere, or something stood in for it."""

    def reasons(self, view: PokerView) -> Reasons:
        """The reasons of the decision that was just made at ``view``."""


def reasons_of(agent: Agent, view: PokerView) -> Reasons:
    """The reasons of an agent for the decision that it has just made at ``view``."""
    if isinstance(agent, Reasoning):
        return agent.reasons(view)
    expectation = expectation_of(agent, view.seat)
    belief = agent.belief(view) if isinstance(agent, Believer) else None
    probabilities, values, errors = _choice(agent, view)
    return Reasons(
        probabilities=probabilities,
        values=values,
        errors=errors,
        equilibrium={} if expectation is None else chances_at(expectation.equilibrium, view),
        expected=expectation.expected if expectation else belief.expected if belief else None,
        gain=None if expectation is None else expectation.gain,
        worst_case=None if belief is None else belief.worst_case,
        ranges={} if belief is None else belief.ranges,
        sentence=agent.sentence() if isinstance(agent, Believer) else "",
    )


def chances_at(strategy: TabularStrategy, view: PokerView) -> Chances:
    """The probability of each action of a strategy at a view."""
    node, state = strategy.place(view)
    found = strategy.probabilities(node, state).tolist()
    return dict(zip(strategy.betting.actions[node], found, strict=True))


def _choice(agent: Agent, view: PokerView) -> tuple[Chances, Mapping[int, float], Mapping[int, float]]:
    """The chances of an agent's actions, what they were worth to it, and standard errors of that."""
    if isinstance(agent, RatedPlayer | ChangingAgent | TranslatedAgent):
        return agent.probabilities(view), {}, {}
    if isinstance(agent, Searcher):
        last = agent.last
        if last is None or len(view.legal) == 1:
            return {}, {}, {}
        spent = view.spent[view.seat]  # its values count chips put in before as lost
        worth = {action: value + spent for action, value in zip(last.actions, last.values, strict=True)}
        return dict(zip(last.actions, last.weights, strict=True)), worth, {}
    if isinstance(agent, PlayoutAgent):
        outlook = agent.outlook
        if outlook is None or len(view.legal) == 1:
            return {}, {}, {}
        values, errors = (
            dict(zip(outlook.actions, found, strict=True)) for found in (outlook.values, outlook.errors)
        )
        return {}, values, errors
    if isinstance(agent, Exploiter) and agent.playing.betting.bets is not None:
        return chances_at_table(agent.playing, view), {}, {}
    strategy = strategy_played(agent, view.game, view.seat)
    return ({} if strategy is None else chances_at(strategy, view)), {}, {}
