"""Games by the names that users type: "leduc", "ring-limit:6", "nolimit:stacks=200"."""

import re
from functools import lru_cache

from soulread.errors import ParseError
from soulread.games.base import Game
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.nolimit_holdem import DEFAULT_BLINDS, DEFAULT_STACK, nolimit_holdem
from soulread.games.openspiel import PREFIX, OpenSpielGame
from soulread.games.poker import PokerGame
from soulread.games.ring_limit import ring_limit

KNOWN_GAMES = (
    "kuhn",
    "leduc",
    "leduc:iso",
    "limit",
    "ring-limit:6",
    "nolimit",
    "nolimit:players=3,stacks=200/150/37,blinds=1/2,ante=1",
)


@lru_cache(maxsize=256)  # one object for one name: games are keys of caches, and equal ones are compared
def parse_game(text: str) -> PokerGame:
    """The game that a text names, such as "leduc" or "ring-limit:6"; the opposite of ``game.name``."""
    name, colon, options = text.partition(":")
    if colon and not options:
        raise _unknown(text)
    if name == "kuhn" and not options:
        return kuhn()
    if name == "leduc" and options in ("", "iso"):
        return leduc(suit_isomorphic=options == "iso")
    if name == "limit" and not options:
        return limit_holdem()
    if name == "ring-limit" and options:
        return ring_limit(_whole(text, "the number of players", options))
    if name == "nolimit":
        return _parse_nolimit(text, options)
    raise _unknown(text)


def find_game(text: str) -> Game:
    """Like `parse_game`, but "openspiel:NAME" is also understood and names a game of OpenSpiel."""
    return OpenSpielGame(text) if text.startswith(PREFIX) else parse_game(text)


def _parse_nolimit(text: str, options: str) -> PokerGame:
    players, ante = 2, 0
    stacks: int | tuple[int, ...] = DEFAULT_STACK
    blinds: tuple[int, ...] = DEFAULT_BLINDS
    seen: set[str] = set()
    for option in options.split(",") if options else ():
        key, _, value = option.partition("=")
        if key in seen:
            raise ParseError(f"game {text!r}: {key!r} is given twice")
        seen.add(key)
        numbers = tuple(_whole(text, key, part) for part in value.split("/")) if value else ()
        if key == "players" and len(numbers) == 1:
            (players,) = numbers
        elif key == "ante" and len(numbers) == 1:
            (ante,) = numbers
        elif key == "stacks" and numbers:
            stacks = numbers[0] if len(numbers) == 1 else numbers
        elif key == "blinds" and numbers:
            blinds = numbers
        else:
            raise ParseError(
                f"game {text!r}: {option!r} is not an option of nolimit; write players=3, "
                "stacks=200 or stacks=200/150/37, blinds=1/2, ante=1, separated by commas"
            )
    return nolimit_holdem(players, stacks, blinds, ante)


def _whole(text: str, what: str, number: str) -> int:
    if not re.fullmatch("-?[0-9]{1,18}", number):
        raise ParseError(f"game {text!r}: {what} is {number!r}, expected a whole number")
    return int(number)


def _unknown(text: str) -> ParseError:
    return ParseError(f"{text!r} is not a game; known are {', '.join(map(repr, KNOWN_GAMES))}")
