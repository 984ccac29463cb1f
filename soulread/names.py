"""From the names of games that users type to the games themselves.

Only the command line, `soulread.api` and experiments, whose settings are JSON, read names. All other modules
are given a `PokerGame`, a `Source` or a compiled game.
"""

from soulread.errors import SoulreadError
from soulread.games.named import find_game
from soulread.games.openspiel import PREFIX, OpenSpielGame
from soulread.games.poker import PokerGame
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.compile import SequenceGame, compile_game
from soulread.seqform.source import Source, Tell, parse_buckets, parse_source, verify_small, with_cards


def compile_named(text: str, representation: str = "sparse", tell: Tell | None = None) -> SequenceGame:
    """The game that a text names, ready to be solved; a game that is too large is refused.

    The tables of an abstraction are built if they are not in the cache; ``tell`` is told how far that is.
    """
    source = source_named(text)
    if source is not None and (source.cards is not None or representation == "factored"):
        return source.compile(tell)
    game = find_game(text)
    if isinstance(game, OpenSpielGame):
        return compile_game(game, game.max_histories)
    if isinstance(game, PokerGame):
        verify_small(game)
    return compile_game(game)


def source_named(text: str) -> Source | None:
    """The poker game a text names, with its abstraction; None for a game of OpenSpiel."""
    return None if text.startswith(PREFIX) else parse_source(text)


def poker_source(text: str) -> Source:
    """Like `source_named`, but a game that is not poker is refused."""
    source = source_named(text)
    if source is None:
        raise SoulreadError(f"{text!r} is not a poker game")
    return source


def source_for(game: PokerGame, abstraction: str | None, default: str) -> Source:
    """The source of ``game``. Limit hold'em takes ``abstraction``, or ``default`` if that is None."""
    if has_abstraction(game):
        return with_cards(game, parse_buckets(abstraction or default))
    if abstraction is not None:
        raise SoulreadError(f"{game.name!r} needs no card abstraction, but {abstraction!r} is given")
    return Source(game)
