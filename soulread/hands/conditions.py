"""Conditions that a user types to find hands: ``showdown players>=3 pot>=50 board:Ah holds:QQ+,AKs``.

All conditions must hold. ``pot``, ``won`` and ``stack`` are in big blinds; ``won``, ``stack`` and ``holds``
are about one player, who must be given. In ``betting:`` a star stands for anything. A word without a sign is
a hand's id or the name of a table.
"""

import fnmatch
import operator
import re
from collections.abc import Callable, Sequence

from soulread.cards.deck import parse_cards
from soulread.errors import SoulreadError
from soulread.hands.hand import Hand

Condition = Callable[[Hand, int], bool]  # a hand, and the seat of the player meant; -1 if there is none

_COMPARED = re.compile(r"(\w+)(>=|<=|>|<|=)(-?[0-9]+(?:\.[0-9]+)?)")
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


def _pot(hand: Hand, _: int) -> float:
    """The chips that the losers paid: to the winners, and as rake."""
    return (sum(-won for won in hand.payoffs if won < 0)) / hand.stakes.big_blind


def _stack(hand: Hand, seat: int) -> float:
    return float("nan") if hand.stacks is None else hand.stacks[seat] / hand.stakes.big_blind


_NUMBERS: dict[str, Callable[[Hand, int], float]] = {
    "players": lambda hand, _: hand.num_players,
    "pot": _pot,
    "won": lambda hand, seat: hand.payoffs[seat] / hand.stakes.big_blind,
    "stack": _stack,
}
_OF_PLAYER = ("won", "stack", "holds")
_WORDS: dict[str, Condition] = {
    "showdown": lambda hand, _: hand.showdown,
    "twice": lambda hand, _: len(hand.boards) > 1,
}


def parse_conditions(words: Sequence[str], player: str | None = None) -> Callable[[Hand], bool]:
    """Whether a hand fulfils all conditions; ``player`` is whom ``won``, ``stack`` and ``holds`` mean."""
    conditions = [_condition(word, player) for text in words for word in text.split()]

    def fits(hand: Hand) -> bool:
        seat = hand.players.index(player) if player in hand.players else -1
        return all(condition(hand, seat) for condition in conditions)

    return fits


def _condition(word: str, player: str | None) -> Condition:
    name = re.split(r"[<>=:]", word)[0]
    if name in _OF_PLAYER and player is None:
        raise SoulreadError(f"{word!r} is about one player; say with --player who is meant")
    if word in _WORDS:
        return _WORDS[word]
    if word.removeprefix("not-") in _WORDS:
        other = _WORDS[word.removeprefix("not-")]
        return lambda hand, seat: not other(hand, seat)
    compared = _COMPARED.fullmatch(word)
    if compared and compared[1] in _NUMBERS:
        measure, sign, bound = _NUMBERS[compared[1]], _SIGNS[compared[2]], float(compared[3])
        return lambda hand, seat: sign(measure(hand, seat), bound)
    kind, colon, rest = word.partition(":")
    if colon and kind == "board":
        cards = set(parse_cards(rest))
        return lambda hand, _: any(cards.issubset(board) for board in hand.boards)
    if colon and kind == "betting":
        return lambda hand, _: fnmatch.fnmatchcase(hand.betting, rest)
    if colon and kind == "holds":
        return _holds(rest)
    if colon or re.search("[<>=]", word):
        known = ", ".join([*_WORDS, *_NUMBERS, "board:", "betting:", "holds:"])
        raise SoulreadError(f"{word!r} is no condition; known are {known}")
    return lambda hand, _: word in (hand.id, hand.table)


def _holds(text: str) -> Condition:
    from soulread.cards.ranges import parse_range

    weights = parse_range(text).weights

    def holds(hand: Hand, seat: int) -> bool:
        cards = hand.hole[seat]
        if cards is None or len(cards) != 2:
            return False
        low, high = sorted(cards)
        return bool(weights[high * (high - 1) // 2 + low] > 0)

    return holds
