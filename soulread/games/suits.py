"""The renamings of the suits that leave a poker game as it is.

In Leduc no suit is better than another: a board with the jack of hearts plays like one with the jack of
spades. A game of your own may be different, by its deck and showdown.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import combinations, permutations
from math import comb

from soulread.games.poker import PokerGame, Rules

_MAX_SHOWDOWNS = 20_000  # compared to see whether suits matter

Cards = tuple[int, ...]


@lru_cache(maxsize=16)
def suit_renamings(game: PokerGame) -> tuple[Mapping[int, int], ...]:
    """Every map of cards to cards that renames suits and changes no showdown; the first changes nothing.

    If the game has too many showdowns to compare, only the first map is returned.
    """
    rules = game.rules
    suits = sorted({card & 3 for card in rules.deck})
    board = sum(rules.board_cards)
    same = {card: card for card in rules.deck}
    count = comb(len(rules.deck), rules.hole_cards) * comb(len(rules.deck) - rules.hole_cards, board)
    if len(suits) == 1 or count > _MAX_SHOWDOWNS:
        return (same,)
    strength = dict(_showdowns(rules))
    found = []
    for renamed in permutations(suits):
        names = dict(zip(suits, renamed, strict=True))
        moved = {card: (card & ~3) + names[card & 3] for card in rules.deck}
        if set(moved.values()) == set(rules.deck) and all(
            strength[_renamed(hole, moved), _renamed(shown, moved)] == value
            for (hole, shown), value in strength.items()
        ):
            found.append(moved)
    return tuple(found)


def _showdowns(rules: Rules) -> Iterator[tuple[tuple[Cards, Cards], int]]:
    deck = sorted(rules.deck)
    for hole in combinations(deck, rules.hole_cards):
        rest = [card for card in deck if card not in hole]
        for board in combinations(rest, sum(rules.board_cards)):
            yield (hole, board), rules.showdown(hole, board)


def _renamed(cards: Cards, moved: Mapping[int, int]) -> Cards:
    return tuple(sorted(moved[card] for card in cards))


def same_board(game: PokerGame, board: Cards) -> tuple[Cards, ...]:
    """A board by rounds, suits renamed so that it comes first; boards that differ in suits only are equal."""
    rounds, start = [], 0
    for count in game.rules.board_cards:
        if start < len(board) and count:
            rounds.append(board[start : start + count])
        start += count
    return min(tuple(_renamed(cards, moved) for cards in rounds) for moved in suit_renamings(game))
