"""A hand as a few bytes, for the store, and back.

The bytes are one JSON list. Players are numbers of the store; game, stakes and room stand once in the store,
not in every hand.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from soulread.errors import DamagedFile, SoulreadError
from soulread.hands.hand import ForcedBet, Hand, Post, Sight, Stakes

_KINDS = tuple(ForcedBet)
_KIND_NUMBER = {kind: number for number, kind in enumerate(_KINDS)}
_SIGHTS = {sight: sight.value[0] for sight in Sight}  # d, s, m, u
_LETTERS = {letter: sight for sight, letter in _SIGHTS.items()}
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, check_circular=False).encode


def pack_hand(hand: Hand, players: Sequence[int]) -> bytes:
    """The hand without its variant, stakes and room; ``players`` are the numbers of its players."""
    seats, actions = zip(*hand.actions, strict=True) if hand.actions else ((), ())
    return _encode(
        [
            players,
            hand.game,
            hand.stacks,
            [(post.seat, _KIND_NUMBER[post.kind], post.amount) for post in hand.posts],
            seats,
            actions,
            hand.betting,
            hand.boards,
            hand.hole,
            "".join([_SIGHTS[sight] for sight in hand.sights]),
            int(hand.showdown),
            hand.payoffs,
            hand.rake,
            hand.observer,
            hand.id,
            None if hand.time is None else hand.time.isoformat(),
            hand.source,
            hand.table,
        ]
    ).encode("ascii")


def unpack_hand(
    packed: bytes, names: Mapping[int, str], variant: str, stakes: Stakes, room: str = ""
) -> Hand:
    """The opposite of `pack_hand`."""
    try:
        (
            players,
            game,
            stacks,
            posts,
            seats,
            actions,
            betting,
            boards,
            hole,
            sights,
            showdown,
            payoffs,
            rake,
            observer,
            id_,
            time,
            source,
            table,
        ) = json.loads(packed)
        return Hand(
            game=game,
            variant=variant,
            stakes=stakes,
            players=tuple([names[number] for number in players]),
            stacks=None if stacks is None else tuple(stacks),
            posts=tuple([Post(seat, _KINDS[kind], amount) for seat, kind, amount in posts]),
            actions=tuple(zip(seats, actions, strict=True)),
            betting=betting,
            boards=tuple([tuple(board) for board in boards]),
            hole=tuple([None if cards is None else tuple(cards) for cards in hole]),
            sights=tuple([_LETTERS[letter] for letter in sights]),
            showdown=bool(showdown),
            payoffs=tuple(payoffs),
            rake=rake,
            observer=observer,
            id=id_,
            time=None if time is None else datetime.fromisoformat(time),
            source=source,
            table=table,
            room=room,
        )
    except (ValueError, TypeError, KeyError, IndexError) as error:
        if isinstance(error, SoulreadError):
            raise DamagedFile(f"a hand of the store is damaged: {error}") from None
        raise DamagedFile(f"a hand of the store is damaged: {type(error).__name__} {error}") from None
