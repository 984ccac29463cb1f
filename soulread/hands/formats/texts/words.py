"""Words that the rooms share: games, cards, currencies, dates."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache

from soulread.cards.deck import RANKS, SUITS
from soulread.hands.formats.times import utc_time
from soulread.hands.hand import Cards
from soulread.hands.money import SYMBOLS
from soulread.hands.referee import Unfit

_OTHER_GAMES = (
    (re.compile(r"omaha|\bplo|courchevel"), "Omaha"),
    (re.compile(r"short.?deck|six plus|6\+|6plus"), "short deck hold'em"),
    (re.compile(r"double hold"), "double hold'em"),
    (re.compile(r"irish"), "Irish"),
    (re.compile(r"pineapple"), "pineapple"),
    (re.compile(r"razz"), "razz"),
    (re.compile(r"\b(?:5|five).card stud"), "five card stud"),
    (re.compile(r"stud|7card"), "seven card stud"),
    (re.compile(r"badugi|baducey|badacey"), "badugi"),
    (re.compile(r"draw|2-7|deuce|triple"), "draw poker"),
    (re.compile(r"\b(?:horse|hose|hoe|8.game|mixed)\b"), "mixed games"),
    (re.compile(r"\baof\b|all-in or fold"), "all-in or fold"),
)
_HOLDEM = re.compile(r"hold.?em")
_NO_LIMIT = re.compile(r"no limit|\bnl\b|no-limit|\bnormal\b")
_POT_LIMIT = re.compile(r"pot limit|\bpl\b|pot-limit")


def game_besides(words: str) -> str:
    """The game besides hold'em that a text in small letters names; empty for none."""
    return next((name for mark, name in _OTHER_GAMES if mark.search(words)), "")


def is_limit(text: str) -> bool:
    """Whether a text names limit hold'em, not no-limit; other games are an `Unfit` with their name."""
    words = text.lower()
    other = game_besides(words)
    if other:
        raise Unfit(other, text[:60], other_game=True)
    if not _HOLDEM.search(words):
        raise Unfit("the game is not named", repr(text[:60]))
    if _POT_LIMIT.search(words):
        raise Unfit("pot-limit hold'em", text[:60], other_game=True)
    return not _NO_LIMIT.search(words)


# Hands without an end.

_CANCELLED = re.compile(r"\bhand\b[^:]{0,40}\bcancell?ed", re.IGNORECASE)


def without_winner(lines: Iterable[str]) -> Unfit:
    """The reason why a hand is not read in which nobody collects the pot."""
    if any(_CANCELLED.search(line) for line in lines):
        return Unfit("the hand was cancelled", "nobody collects the pot")
    return Unfit("the hand is cut short", "nobody collects the pot")


# Cards.

_OTHER_RANKS = {
    "10": "T",
    **{"kn": "J", "b": "J", "v": "J", "в": "J", "â": "J"},  # Danish, German, French, Russian; â is a lost в
    **{"d": "Q", "д": "Q", "ä": "Q"},
    **{"r": "K", "к": "K", "ê": "K"},
    **{"e": "A", "т": "A", "ò": "A"},
}
_OTHER_SUITS = {"pik": "s", "herz": "h", "karo": "d", "kreuz": "c"}


def _card_names() -> dict[str, int]:
    """A card by any of its names in small letters: ``ah``, ``ha``, ``10h``, ``kpik``."""
    ranks = {rank.lower(): i for i, rank in enumerate(RANKS)}
    own = dict(ranks) | {"10": ranks["t"]}
    ranks |= {name: ranks[rank.lower()] for name, rank in _OTHER_RANKS.items()}
    suits = {suit: i for i, suit in enumerate(SUITS)}
    suits |= {name: suits[suit] for name, suit in _OTHER_SUITS.items()}
    names = {rank + suit: 4 * i + j for rank, i in ranks.items() for suit, j in suits.items()}
    return names | {suit + rank: 4 * i + suits[suit] for rank, i in own.items() for suit in SUITS}


_CARDS = _card_names()
_PARTS = re.compile(r"[\s,]+")


@lru_cache(maxsize=2**14)
def cards_of(text: str) -> Cards:
    """The cards of a text, parted by spaces or commas; one that is hidden (``X``, ``??``) is left out."""
    cards = []
    for word in _PARTS.split(text.replace(" of ", "")):
        card = _CARDS.get(word.lower())
        if card is not None:
            cards.append(card)
        elif word.strip("Xx?-*"):
            raise Unfit("cards", repr(text[:40]))
    if len(set(cards)) < len(cards):
        raise Unfit("cards", repr(text[:40]))
    return tuple(cards)


# Currencies.

_MONEY = re.compile(r"\b(?:USD|EUR|GBP|CAD|AUD|SEK|NOK|DKK|CHF|JPY|INR|BRL|RON|PLN)\b")


def currency_of(text: str) -> str:
    """The currency that a text names by its sign or its code; empty for none."""
    for sign, code in SYMBOLS.items():
        if sign in text:
            return code
    found = _MONEY.search(text)
    return found[0] if found else ""


# Times.

_CLOCK = r"(?P<h>[0-9]{1,2}):(?P<m>[0-9]{1,2})(?::(?P<s>[0-9]{1,2}))?"
_ZONE = r"(?:[ /]*\(?(?P<z>[A-Z]{1,5})\)?)?"
_MONTHS = {
    name: number
    for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)
}
DAY_FIRST = re.compile(rf"(?P<D>[0-9]{{1,2}})[ .](?P<M>[0-9]{{1,2}})[ .](?P<Y>[0-9]{{4}}) +{_CLOCK}{_ZONE}")
MONTH_FIRST = re.compile(rf"(?P<M>[0-9]{{1,2}})/(?P<D>[0-9]{{1,2}})/(?P<Y>[0-9]{{4}}) +{_CLOCK}{_ZONE}")
YEAR_FIRST = re.compile(
    rf"(?P<Y>[0-9]{{4}})[/-](?P<M>[0-9]{{1,2}})[/-](?P<D>[0-9]{{1,2}})[ T]+{_CLOCK}{_ZONE}"
)
CLOCK_FIRST = re.compile(
    rf"{_CLOCK}{_ZONE}(?: -)? (?:[A-Z][a-z]{{2}}, (?P<N>[A-Z][a-z]+) (?P<D>[0-9]{{1,2}}), (?P<Y>[0-9]{{4}})"
    r"|(?P<Y2>[0-9]{4})[/-](?P<M>[0-9]{1,2})[/-](?P<D2>[0-9]{1,2}))"
)
YEAR_LAST = re.compile(
    rf"(?P<N>[A-Z][a-z]{{2,8}}) +(?P<D>[0-9]{{1,2}}),? +{_CLOCK} *(?P<z>[A-Z]{{1,5}})? *(?P<Y>[0-9]{{4}})"
)


def time_of(text: str, *ways: re.Pattern[str]) -> datetime | None:
    """The time that a text tells in one of these ways, as UTC; of several, the one in Eastern time."""
    for way in ways:
        found = list(way.finditer(text))
        if found:
            best = next((match for match in found if match["z"] == "ET"), found[0])
            return _time(best.groupdict())
    return None


def _time(part: dict[str, str | None]) -> datetime | None:
    day, year = part.get("D") or part.get("D2") or "0", part.get("Y") or part.get("Y2") or "0"
    month = int(part.get("M") or 0) or _MONTHS.get((part.get("N") or "")[:3].lower(), 0)
    seconds = int(part["h"] or 0) * 3600 + int(part["m"] or 0) * 60 + int(part.get("s") or 0)
    return utc_time(int(year), month, int(day), seconds, part.get("z") or "")
