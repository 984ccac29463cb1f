"""Leduc hold'em: six cards, an ante of 1, raises of 2 then 4, two raises a round.

Introduced by Southey et al., "Bayes' Bluff: Opponent Modelling in Poker", UAI 2005.
"""

from soulread.cards.deck import RANKS, card_rank, parse_cards
from soulread.games.poker import PokerGame, Rules


def leduc(suit_isomorphic: bool = False) -> PokerGame:
    """Two-player Leduc hold'em with the jacks, queens and kings of hearts and spades.

    Suits never matter in Leduc. With ``suit_isomorphic`` the labels of information sets name ranks only,
    and there are 288 information sets in place of 936.
    """
    return PokerGame(
        Rules(
            name="leduc:iso" if suit_isomorphic else "leduc",
            deck=parse_cards("Jh Js Qh Qs Kh Ks"),
            num_players=2,
            hole_cards=1,
            board_cards=(0, 1),
            first=(0, 0),
            blinds=(0, 0),
            ante=1,
            raise_sizes=(2, 4),
            max_raises=(2, 2),
            stacks=None,
            small_bet=2,
            big_blind=1,
            showdown=pair_or_rank,
            suit_isomorphic=suit_isomorphic,
        )
    )


def pair_or_rank(hole: tuple[int, ...], board: tuple[int, ...]) -> int:
    """A pair beats any single card; equal ranks tie."""
    rank = card_rank(hole[0])
    return rank + len(RANKS) if rank == card_rank(board[0]) else rank
