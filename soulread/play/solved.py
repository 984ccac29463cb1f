"""Agents whose strategy is computed or read: equilibria, best responses, strategy files.

    equilibrium                          of Kuhn and Leduc, exactly
    equilibrium:8-12-4-4[:quick]         of limit hold'em in a card abstraction, to 3 mb/g, kept in the cache
    best-response:OPPONENT               in Kuhn and Leduc
    best-response:5-5-5-5[:quick]:OPPONENT   in an abstraction of limit hold'em
    file:PATH                            what `soulread solve --output PATH` wrote

The opponent of a best response is a baseline, or an agent of this list over the same private states.
"""

import re

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame
from soulread.play.tabular import TabularAgent
from soulread.seqform.treeplex import Floats
from soulread.solve.equilibria import find_equilibrium, find_response, playable_strategy
from soulread.solve.files import load_strategy
from soulread.solve.named import Playable, Tell, compile_playable
from soulread.solve.skews import BASELINES, baseline_behaviour

ABSTRACTION = re.compile(r"(?:\w+:)?\d+(?:-\d+)+(?::quick)?")
"""The card abstraction that may stand behind the first colon of an agent's text."""


def equilibrium_agent(text: str, game: PokerGame, tell: Tell | None = None) -> TabularAgent:
    """``"equilibrium"`` in a small game, ``"equilibrium:8-12-4-4"`` in limit hold'em."""
    _, _, spec = text.partition(":")
    return TabularAgent(text, find_equilibrium(game_text(text, game, spec), tell))


def file_agent(text: str, game: PokerGame, tell: Tell | None = None) -> TabularAgent:
    """``"file:PATH"``: a strategy file."""
    _, _, path = text.partition(":")
    if not path:
        raise ParseError(f"{text!r} names no file; write file:PATH")
    return TabularAgent(text, playable_strategy(load_strategy(path), game, repr(path), tell))


def best_response_agent(text: str, game: PokerGame, tell: Tell | None = None) -> TabularAgent:
    """``"best-response:always-raise"`` in a small game, ``"best-response:5-5-5-5:always-raise"`` in limit."""
    _, _, rest = text.partition(":")
    found = ABSTRACTION.match(rest)
    spec = found[0] if found else ""
    opponent = rest[len(spec) :].removeprefix(":")
    if not opponent:
        raise ParseError(f"{text!r} names no opponent; write such as best-response:5-5-5-5:always-raise")
    playable = compile_playable(game_text(text, game, spec), tell)
    behaviours = opponent_behaviours(opponent, playable, tell)
    return TabularAgent(text, find_response(playable, behaviours))


def opponent_behaviours(text: str, playable: Playable, tell: Tell | None = None) -> tuple[Floats, Floats]:
    """Both seats' behaviours, in a game, of the agent a text names: a baseline or a tabular agent."""
    if text in BASELINES:
        first, second = (baseline_behaviour(tree, text) for tree in playable.game.trees)
        return first, second
    from soulread.play.catalogue import parse_agent  # it lists the agents of this module

    agent = parse_agent(text, playable.poker, tell)
    if not isinstance(agent, TabularAgent):
        raise SoulreadError(f"a best response to {text!r} cannot be computed; it does not play from a table")
    behaviours = agent.strategy.behaviours
    expected = tuple(tree.num_sequences for tree in playable.game.trees)
    if tuple(behaviour.size for behaviour in behaviours) != expected:
        raise SoulreadError(
            f"{text!r} plays over {agent.strategy.lookup.num_states} private states, the best response to it "
            f"is to be computed over {playable.lookup.num_states}; both need the same abstraction"
        )
    return behaviours


def game_text(text: str, game: PokerGame, spec: str, default: str = "") -> str:
    """The game to solve for an agent of ``game``; in limit over ``default`` if no abstraction is given."""
    if game.name == "limit":
        spec = spec or default
        if not spec:
            name = text.partition(":")[0]
            raise ParseError(f"{text!r} needs a card abstraction in 'limit', such as {name}:5-5-5-5")
        return f"limit:{spec}"
    if spec:
        raise ParseError(f"{text!r} has a card abstraction, but {game.name!r} needs none")
    return game.name
