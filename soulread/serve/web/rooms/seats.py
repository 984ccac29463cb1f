"""What a browser may name: the games that the page seats, and the agents of the catalogue."""

from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.catalogue.known import known_agents, parse_agent

MOST_SEATS = 6


def game_of_page(text: str) -> PokerGame:
    """The game that a browser names."""
    game = parse_game(text)
    if game.num_players > MOST_SEATS:
        raise SoulreadError(f"{text!r} has {game.num_players} seats; the page seats up to {MOST_SEATS}")
    return game


def agents_of_page(texts: list[str], game: PokerGame) -> list[AgentSpec]:
    """The agents that a browser names, one for each seat or one for all: those of the catalogue.

    A "module:Class" is code; whoever can reach the page must not be able to run any.
    """
    count = game.num_players - 1
    chosen = texts * count if len(texts) == 1 else texts
    if len(chosen) != count:
        raise SoulreadError(f"{len(chosen)} agents for {game.name!r}, which has {count} seats besides yours")
    known = known_agents()
    for text in chosen:
        if text.partition(":")[0] not in known:
            raise SoulreadError(f"{text!r} is not an agent of the catalogue; soulread agents lists them")
    specs = [parse_agent(text) for text in chosen]
    for spec in specs:
        reason = spec.entry.refuses(game)
        if reason is not None:
            raise SoulreadError(f"{spec.text!r} cannot sit at {game.name!r}: {reason}")
    return specs
