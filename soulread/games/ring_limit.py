"""Limit Texas hold'em for two to ten players: seat 0 is the small blind, seat 1 the big blind."""

from soulread.cards.deck import MAX_PLAYERS
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import limit_rules
from soulread.games.poker import PokerGame


def ring_limit(num_players: int) -> PokerGame:
    """Limit hold'em with blinds of 1 and 2 and four bets a round; nobody runs out of chips.

    With two players the seats are those of `limit_holdem`: seat 0 is the big blind.
    """
    if (
        isinstance(num_players, bool)
        or not isinstance(num_players, int)
        or not 2 <= num_players <= MAX_PLAYERS
    ):
        raise SoulreadError(f"ring-limit for {num_players!r} players; allowed are 2 to {MAX_PLAYERS}")
    return PokerGame(limit_rules(f"ring-limit:{num_players}", num_players))
