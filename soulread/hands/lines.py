"""Lines: one player's own actions, street by street, as players write them.

``bet-bet-check`` is a bet on the flop, a bet on the turn and a check on the river. Several actions of one
street are joined by a slash: ``check/raise``. Letters stand for the words: ``b`` bet, ``x`` check, ``c``
call, ``r`` raise, ``f`` fold, so ``xr-b`` is ``check/raise-bet``. Before the flop nobody bets: the first to
put in more raises.

In a pattern a star stands for any actions, or none: ``*-bet`` is a bet on the turn, ``b*`` a street that
began with a bet. ``none`` is a street without an action: the hand was over, or the player all-in. A pattern
says nothing of the streets behind its last one.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.walk import MAX_ROUNDS
from soulread.hands.facts import RAISED, Facts

STREETS = ("preflop", "flop", "turn", "river")
LETTERS = {"b": "bet", "x": "check", "c": "call", "r": "raise", "f": "fold"}
NO_ACTION = "none"

_LETTER_OF = {word: letter for letter, word in LETTERS.items()}
_LETTERS_OF_ACTIONS = b"fxcr"  # FOLDED, CHECKED, CALLED, RAISED
_FIRST_LATER = 1  # the flop


def street_letters(facts: Facts, round: int) -> NDArray[np.bytes_]:
    """The letters of every seat's own actions in a round ``[seats]``, such as ``b"xr"``."""
    there = np.flatnonzero(facts.decisions["round"] == round)
    decisions = facts.decisions[there]
    seat = np.repeat(np.arange(facts.seats.size), facts.seats["decisions"])[there]
    first = np.searchsorted(seat, seat)  # where the actions of the same seat begin
    place = np.arange(seat.size) - first
    letters = np.frombuffer(_LETTERS_OF_ACTIONS, np.uint8)[decisions["action"]]
    if round >= _FIRST_LATER:
        letters = np.where((decisions["action"] == RAISED) & (decisions["raises"] == 0), ord("b"), letters)
    width = int(place.max(initial=0)) + 1
    table = np.zeros((facts.seats.size, width), np.uint8)
    table[seat, place] = letters
    return table.view(f"S{width}").ravel()


def line_text(streets: Sequence[str]) -> str:
    """The letters of several streets in words: ``["xr", "b", ""]`` is "check/raise-bet"."""
    words = ["/".join(LETTERS[letter] for letter in street) for street in streets]
    while words and not words[-1]:
        words.pop()
    return "-".join(word or NO_ACTION for word in words)


def parse_line(text: str, street: str | None = None) -> list[tuple[int, re.Pattern[str]]]:
    """Rounds and the patterns of the letters there; of one ``street``, else from the flop on."""
    parts = text.split("-")
    rounds = range(_FIRST_LATER, MAX_ROUNDS) if street is None else [STREETS.index(street)]
    if len(parts) > len(rounds):
        streets = "one street" if street is not None else "the flop, the turn and the river"
        raise SoulreadError(
            f"{text!r} has {len(parts)} streets, but a line has {streets}; actions of one street are joined "
            "by a slash, such as check/raise"
        )
    return [(round, _pattern(part, round)) for round, part in zip(rounds, parts, strict=False)]


def _pattern(part: str, round: int) -> re.Pattern[str]:
    if part == NO_ACTION:
        return re.compile("")
    letters = "".join(_letters(word) for word in part.split("/"))
    if round < _FIRST_LATER and "b" in letters:
        raise SoulreadError("before the flop nobody bets; write raise")
    return re.compile(letters.replace("*", ".*"))


def _letters(word: str) -> str:
    """The letters that a word or a row of letters means."""
    bare = word.rstrip("*").lower()
    stars = word[len(bare) :]
    if bare in _LETTER_OF:
        return _LETTER_OF[bare] + stars
    if word and all(letter in LETTERS or letter == "*" for letter in word.lower()):
        return word.lower()
    known = ", ".join(f"{name} ({letter})" for letter, name in LETTERS.items())
    raise SoulreadError(
        f"{word!r} is no action; known are {known}, * for any and {NO_ACTION} for none; streets are "
        "joined by dashes"
    )
