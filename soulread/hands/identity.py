"""Identity of hands: a key that is the same from every file and format, and names as a keyed hash.

The key is a hash of what was played: the room's number of the hand, who sat where, the forced bets, the
actions and the boards. Amounts are divided by their greatest common divisor, so cents and dollars agree. What
files tell differently has no part in it: source and table, stacks of limit games, the rake, who saw which
cards, and the time of a hand that has a number.

A hand without a time, as of a match log, has only the number in its match. Its hole cards are then part of
the key. With a small deck this is not enough: a deal of Kuhn is one of six. There a hand also belongs to its
*stretch*: hands one after another whose numbers go up. A stretch is told by its first hands. So the same
match under another name is the same, and another match of the same players is not.
"""

import base64
import hashlib
import hmac
import os
import re
import secrets
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from math import gcd
from pathlib import Path

from soulread.errors import SoulreadError
from soulread.hands.hand import Hand

KEY_BYTES = 16
_FIRST = 16  # hands by which a stretch is known
_NAME_LETTERS = 12  # of a hashed name: 60 bits

Keyed = tuple[bytes, Hand]


def key_of(hand: Hand, stretch: bytes = b"") -> bytes:
    """The key of a hand; `keyed` knows which hands need their stretch."""
    forced = [0] * len(hand.players)
    for post in hand.posts:
        forced[post.seat] += post.amount
    seats, actions = zip(*hand.actions, strict=True) if hand.actions else ((), ())
    if "no-limit" in hand.variant:
        unit = gcd(*forced, *[action for action in actions if action > 1]) or 1
        actions = tuple([action if action < 2 else action // unit for action in actions])
    else:
        unit = gcd(*forced) or 1
    boards = [(*sorted(board[:3]), *board[3:]) for board in hand.boards]
    time = None if hand.id or hand.time is None else hand.time.timestamp()
    hole = hand.hole if hand.time is None else None
    paid = [amount // unit for amount in forced]
    content = repr((hand.id, time, hand.players, paid, bytes(seats), actions, boards, hole))
    return hashlib.blake2b(content.encode("utf-8", "replace") + stretch, digest_size=KEY_BYTES).digest()


def keyed(hands: Iterable[Hand]) -> Iterator[Keyed]:
    """Hands with their keys, in order."""
    stretch: list[Hand] = []  # its first hands, while there are too few to know it by
    mark = b""  # of the stretch, once it is known
    source, last = "", -1
    for hand in hands:
        if hand.time is not None or hand.variant.startswith("52 cards"):
            if stretch:
                yield from _of_stretch(stretch)
            stretch, mark, last = [], b"", -1
            yield key_of(hand), hand
            continue
        number = int(hand.id) if hand.id.isdecimal() else last + 1
        if hand.source != source or number <= last:
            yield from _of_stretch(stretch)
            stretch, mark = [], b""
        source, last = hand.source, number
        if mark:
            yield key_of(hand, mark), hand
            continue
        stretch.append(hand)
        if len(stretch) == _FIRST:
            mark = _mark(stretch)
            yield from _of_stretch(stretch)
            stretch = []
    yield from _of_stretch(stretch)


def _of_stretch(hands: list[Hand]) -> Iterator[Keyed]:
    mark = _mark(hands)
    for hand in hands:
        yield key_of(hand, mark), hand


def _mark(hands: list[Hand]) -> bytes:
    return hashlib.blake2b(b"".join(map(key_of, hands)), digest_size=KEY_BYTES).digest()


# Texts that say nothing about anybody.
_NUMBER = re.compile(r"[A-Z]{0,2}[0-9]+|[0-9 .:/#-]*")  # as rooms count hands
_SIZES = "(players|stacks|blinds|ante)=[0-9/]+"
_GAME = re.compile(f"kuhn|leduc(:iso)?|limit|ring-limit:[0-9]+|nolimit(:{_SIZES}(,{_SIZES})*)?")
_CURRENCY = re.compile("|[A-Z]{3}")
_ROOM = re.compile(
    r"|IRC|PokerStars(\.[a-z]{2,3})?|GGPoker|Natural8|Party ?Poker|Full Tilt( Poker)?|888 ?Poker|"
    r"Winamax( Poker)?|iPoker|Ignition|Bovada|Bodog|Americas Cardroom|ACR|WPN|BlackChip Poker|CoinPoker|"
    r"Unibet|Pacific Poker",
    re.IGNORECASE,
)


class Anonymiser:
    """Replaces names by a keyed hash: one name has one hash, and nobody finds it without the key.

    Names may also stand in other texts: in a table, or in an id that is not just a number. Such a text is
    hashed as a whole, since it may hold the name of somebody who does not sit in this hand.
    """

    def __init__(self, key: bytes) -> None:
        if len(key) < 16:
            raise SoulreadError(f"a key of {len(key)} bytes is too short for names; take at least 16")
        self._key = key
        self._hashed = lru_cache(maxsize=100_000)(self._hash)

    def _hash(self, kind: str, text: str) -> str:
        digest = hmac.digest(self._key, f"{kind} {text}".encode("utf-8", "replace"), "sha256")
        letter = "p" if kind == "name" else kind[0]
        return letter + base64.b32encode(digest).decode("ascii")[:_NAME_LETTERS].lower()

    def name(self, name: str) -> str:
        """The hash of a player's name."""
        return self._hashed("name", name)

    def label(
        self, kind: str, text: str, players: Iterable[str] = (), plain: re.Pattern[str] = _NUMBER
    ) -> str:
        """A text that is ``plain``, such as a number, if no player's name is in it; else its hash.

        The hash begins with the first letter of ``kind``, and differs from kind to kind.
        """
        if plain.fullmatch(text):
            folded = text.casefold()
            if not any(name.casefold() in folded for name in players):
                return text
        return self._hashed(kind, text)

    def hand(self, hand: Hand) -> Hand:
        """The hand without names, and without its source, since folders are often called after people."""
        names, stakes = hand.players, hand.stakes
        currency = self.label("currency", stakes.currency, names, _CURRENCY)
        return replace(
            hand,
            players=tuple(map(self.name, names)),
            id=self.label("hand", hand.id, names),
            table=self.label("table", hand.table, names),
            game=self.label("game", hand.game, (), _GAME),
            room=self.label("room", hand.room, (), _ROOM),
            stakes=stakes if currency == stakes.currency else replace(stakes, currency=currency),
            source="",
        )

    @property
    def mark(self) -> str:
        """Tells keys apart, and nothing about them."""
        return hmac.digest(self._key, b"mark", "sha256").hex()[:16]


def key_file() -> Path:
    """The file of the user's own key: ``SOULREAD_CONFIG``, else the platform's place for settings."""
    chosen = os.environ.get("SOULREAD_CONFIG")
    if chosen:
        return Path(chosen) / "names.key"
    try:
        home = Path.home()
    except RuntimeError:
        raise SoulreadError("there is no home directory for a key; set SOULREAD_CONFIG to a folder") from None
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or home / "AppData" / "Roaming")
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return base / "soulread" / "names.key"


def read_key(path: Path | None = None) -> bytes:
    """The key of a file; without one the user's own, made at the first use and only theirs to read."""
    where = path or key_file()
    try:
        if path is None and not where.exists():
            where.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(where, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                file.write(secrets.token_hex(32) + "\n")
        return where.read_bytes().strip()
    except OSError as error:
        raise SoulreadError(f"the key {str(where)!r} cannot be used: {error.strerror}") from None
