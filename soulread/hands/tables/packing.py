"""A hand as a list of values, for the store and for other processes, and back.

In the store the list is written as JSON. Its players are numbers of the store; variant, stakes and room stand
once in the store, not in every hand.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from soulread.cards.deck import MAX_PLAYERS
from soulread.errors import DamagedFile, SoulreadError
from soulread.hands.hand import MAX_CHIPS, ForcedBet, Hand, Post, Sight, Stakes

NUM_CARDS = 52
MAX_HOLE, MAX_BOARD = 2, 5

_KINDS = tuple(ForcedBet)
_KIND_NUMBER = {kind: number for number, kind in enumerate(_KINDS)}
_SIGHTS = {sight: sight.value[0] for sight in Sight}  # d, s, m, u
_LETTERS = {letter: sight for sight, letter in _SIGHTS.items()}
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, check_circular=False).encode


def encode(values: Any) -> bytes:
    """Values as JSON without blanks."""
    return _encode(values).encode("ascii")


def pack_hand(hand: Hand, players: Sequence[int]) -> bytes:
    """The hand without its variant, stakes and room; ``players`` are the numbers of its players."""
    return encode(hand_values(hand, players))


def hand_values(hand: Hand, players: Sequence[int] | Sequence[str]) -> list[Any]:
    """The values of a hand but for its variant, stakes and room; ``players`` stand for its players."""
    seats, actions = zip(*hand.actions, strict=True) if hand.actions else ((), ())
    return [
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


def unpack_hand(
    packed: bytes,
    names: Mapping[int, str],
    variant: str,
    stakes: Stakes,
    room: str = "",
    *,
    verify: bool = True,
) -> Hand:
    """The opposite of `pack_hand`; with ``verify``, values that no hand can have are refused."""
    try:
        values = _decoded(packed.decode("ascii"))
        hand = hand_of_values(values, [names[number] for number in values[0]], variant, stakes, room)
        unfit = _unfit(values) if verify else ""
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, RecursionError) as error:
        if isinstance(error, SoulreadError):
            raise DamagedFile(f"a hand of the store is damaged: {error}") from None
        raise DamagedFile(f"a hand of the store is damaged: {type(error).__name__} {error}") from None
    if unfit:
        raise DamagedFile(f"a hand of the store has {unfit}")
    return hand


_decode = json.JSONDecoder().raw_decode  # looks for no encoding and no blanks: none are written


def _decoded(text: str) -> Any:
    """The value of a text that is JSON from its first character to its last."""
    value, end = _decode(text)
    if end != len(text):
        raise ValueError(f"{len(text) - end} characters behind it")
    return value


def hand_of_values(
    values: Sequence[Any], players: Iterable[str], variant: str, stakes: Stakes, room: str
) -> Hand:
    """The opposite of `hand_values`; values that are none of a hand raise whatever they raise."""
    (
        _,
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
    ) = values
    return Hand(
        game=game,
        variant=variant,
        stakes=stakes,
        players=tuple(players),
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


def _unfit(values: Sequence[Any]) -> str:
    """The first of a hand's values that no hand can have, in words; empty if there is none."""
    players, game, stacks, posts, acting, acts, betting, boards, hole = values[:9]
    payoffs, rake, _, id_, _, source, table = values[11:]
    seats = len(players)
    if not 2 <= seats <= MAX_PLAYERS:
        return f"{seats} players"
    if {type(game), type(betting), type(id_), type(source), type(table)} != {str}:
        texts = {"game": game, "betting": betting, "id": id_, "source": source, "table": table}
        return next(f"{name} {text!r:.40}" for name, text in texts.items() if type(text) is not str)
    stacks = stacks or (1,)
    amounts = [post[2] for post in posts]
    places = [post[0] for post in posts]
    places += acting
    chips = [*stacks, *amounts, *acts, *payoffs, rake]
    held = [card for cards in hole if cards is not None for card in cards]
    cards = held if boards == [[]] else held + [card for board in boards for card in board]
    if set(map(type, chips + places + cards)) != {int}:
        return "a value that is no whole number"
    if min(stacks) < 1 or min(acts, default=0) < 0 or min(amounts, default=1) < 1:
        return "a stack, a bet or an action below 0"
    if max(chips) >= MAX_CHIPS or min(chips) <= -MAX_CHIPS:
        return f"an amount of {max(chips, key=abs)}"
    if places and not 0 <= min(places) <= max(places) < seats:
        return f"an action of seat {max(places)}"
    if not boards:
        return "no board"
    if not cards:
        return ""
    if not 0 <= min(cards) <= max(cards) < NUM_CARDS:
        return "a card that is none"
    if held and max(map(len, filter(None, hole))) > MAX_HOLE:
        return "too many hole cards"
    for board in boards:
        if len({*held, *board}) < len(held) + len(board) or len(board) > MAX_BOARD:
            return "a card twice, or too many of them"
    return ""
