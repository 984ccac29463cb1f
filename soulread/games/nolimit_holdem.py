"""No-limit Texas hold'em for two to ten players, with any stacks, blinds and antes.

Heads-up, seat 1 is the dealer and posts the small blind; with more players seat 0 posts the small
and seat 1 the big blind. Reports give winnings in big blinds.
"""

from collections.abc import Sequence

from soulread.cards.deck import FULL_DECK, MAX_PLAYERS
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import best_hand, first_seats, seat_blinds
from soulread.games.poker import PokerGame, Rules

DEFAULT_STACK = 200
DEFAULT_BLINDS = (1, 2)


def nolimit_holdem(
    num_players: int = 2,
    stacks: int | Sequence[int] = DEFAULT_STACK,
    blinds: Sequence[int] = DEFAULT_BLINDS,
    ante: int = 0,
) -> PokerGame:
    """No-limit hold'em; ``stacks`` is one number for all seats or one per seat, in chips."""
    if not _is_whole(num_players) or not 2 <= num_players <= MAX_PLAYERS:
        raise SoulreadError(f"nolimit for {num_players!r} players; allowed are 2 to {MAX_PLAYERS}")
    each = tuple(stacks) if isinstance(stacks, Sequence) else (stacks,) * num_players
    if len(each) != num_players:
        raise SoulreadError(
            f"nolimit with stacks {stacks!r}: {len(each)} stacks for {num_players} players; "
            "give one number for all seats or one per seat"
        )
    if not all(_is_whole(stack) and stack > 0 for stack in each):
        raise SoulreadError(f"nolimit with stacks {stacks!r}; every stack is a whole number above 0")
    if (
        len(blinds) != 2
        or not all(map(_is_whole, blinds))
        or not 0 <= blinds[0] <= blinds[1]
        or blinds[1] < 1
    ):
        raise SoulreadError(
            f"nolimit with blinds {blinds!r}; expected a small and a big blind in whole chips, such as 1 "
            "and 2, the big one at least 1 and not below the small one"
        )
    if not _is_whole(ante) or ante < 0:
        raise SoulreadError(f"nolimit with ante {ante!r}; an ante is a whole number, 0 or above")
    small, big = blinds
    return PokerGame(
        Rules(
            name=_name(num_players, each, (small, big), ante),
            deck=FULL_DECK,
            num_players=num_players,
            hole_cards=2,
            board_cards=(0, 3, 1, 1),
            first=first_seats(num_players),
            blinds=seat_blinds(num_players, (small, big)),
            ante=ante,
            raise_sizes=None,
            max_raises=None,
            stacks=each,
            small_bet=big,
            big_blind=big,
            showdown=best_hand,
        )
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _name(num_players: int, stacks: tuple[int, ...], blinds: tuple[int, int], ante: int) -> str:
    """The shortest text that `parse_game` turns into the same game."""
    options = []
    if num_players != 2:
        options.append(f"players={num_players}")
    if stacks != (DEFAULT_STACK,) * num_players:
        each = stacks[:1] if len(set(stacks)) == 1 else stacks
        options.append(f"stacks={'/'.join(map(str, each))}")
    if blinds != DEFAULT_BLINDS:
        options.append(f"blinds={blinds[0]}/{blinds[1]}")
    if ante:
        options.append(f"ante={ante}")
    return "nolimit:" + ",".join(options) if options else "nolimit"
