"""The Poker Hand History format (Kim, 2023): PHH, one hand in TOML, and PHHS, many of them as TOML tables.

    variant = 'NT'
    antes = [0, 0, 0]
    blinds_or_straddles = [3, 6, 0]
    min_bet = 6
    starting_stacks = [130.05, 134.75, 278.50]
    actions = ['d dh p1 ????', ..., 'p3 cbr 14', 'p1 f', 'p2 cc', 'd db 2cQh6h', ..., 'p2 sm AcTs']

``p1`` is the first after the button; with two players it is the big blind. ``cbr`` is a bet or raise, to a
total of the round; ``cc`` a check or a call; ``sm`` shows cards, or mucks. Variants read are NT (no-limit
hold'em) and FT (limit hold'em); the others are named.

A hand written in the usual way, one entry per line, is read by a parser for just that; anything else goes
through `tomllib`. Where two seats come to a showdown and only one shows, the one that does not show has lost.
``winnings`` that are all zero say nothing.

What a `Hand` knows and PHH has no word for is written into entries that begin with ``_``, which PHH leaves to
its users: `write_hand` lists them.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import time as clock
from typing import Any

from soulread.cards.deck import cards_name
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE
from soulread.hands.formats.amounts import SYMBOLS, amount_text, chip_of, chips_of, decimals_of
from soulread.hands.formats.base import Skipped, skip
from soulread.hands.formats.times import utc_time
from soulread.hands.hand import Cards, Forced, Hand, Post, Sight
from soulread.hands.referee import Draft, Move, Unfit, judge

MAX_LINES = 2_000  # of one hand
MAX_CHARACTERS = 200_000

_HOLDEM = ("NT", "FT")
_VARIANTS = {
    "NS": "no-limit short deck hold'em",
    "PT": "pot-limit hold'em",
    "PO": "pot-limit Omaha",
    "FO/8": "limit Omaha high-low",
    "F7S": "limit seven card stud",
    "F7S/8": "limit seven card stud high-low",
    "FR": "limit razz",
    "N2L1D": "no-limit deuce to seven single draw",
    "F2L3D": "limit deuce to seven triple draw",
    "FB": "limit badugi",
}
_CARDS = {
    f"{rank}{suit}": 4 * i + j for i, rank in enumerate("23456789TJQKA") for j, suit in enumerate("cdhs")
}
_TABLE = re.compile(r"\[[^\[\]=]{1,200}\]\s*")
_NUMBERS = re.compile(r"\[-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:, -?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?)*\]")
_SEATS = {f"p{seat + 1}": seat for seat in range(30)}

Entries = Mapping[str, Any]


def looks_like_phh(head: str) -> bool:
    """Whether a file that begins so holds hands in PHH."""
    return any(
        line.startswith(("variant = ", "variant=")) or line.rstrip() == "[1]"
        for line in head.split("\n")[:200]
    )


def read_phh(texts: Iterable[list[str]], source: str) -> Iterator[Hand | Skipped]:
    """The hands of a PHH or PHHS file, each as it is read, and in between what is skipped."""
    for start, number, block in _blocks(texts):
        key = ""
        try:
            entries = parse_entries(block)
            key = str(entries.get("hand", number))
            yield read_entries(entries, source, number)
        except Unfit as error:
            yield skip(error, source, start, key or number)


def _blocks(texts: Iterable[list[str]]) -> Iterator[tuple[int, str, list[str]]]:
    """Where each hand begins, its number in the file, and its lines; nothing without any entry."""
    block: list[str] = []
    start, key, place = 1, "", 1
    for lines in texts:
        begin = 0
        for position, line in enumerate(lines):
            if line[:1] == "[" and _TABLE.fullmatch(line):
                block += lines[begin:position]
                if any(block):
                    yield start, key, block
                begin, block = position + 1, []
                start, key = place + position, line.strip()[1:-1].strip("\"'")[:40]
        if len(block) <= MAX_LINES:
            block += lines[begin:]
        place += len(lines)
    if any(block):
        yield start, key, block


def parse_entries(block: Sequence[str]) -> Entries:
    """The entries of one hand. Numbers with a decimal point, or in lists, stay texts; raises `Unfit`."""
    if len(block) > MAX_LINES or sum(map(len, block)) > MAX_CHARACTERS:
        raise Unfit("a hand is too long", f"{len(block)} lines")
    entries = _plain_entries(block)
    if entries is not None:
        return entries
    try:
        return _as_texts(tomllib.loads("\n".join(block), parse_float=str))
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise Unfit("this is not TOML", str(error)) from None


def _as_texts(entries: dict[str, Any]) -> dict[str, Any]:
    """Numbers in lists become texts, as the plain parser leaves them."""
    return {
        key: [str(item) if type(item) is int else item for item in value] if type(value) is list else value
        for key, value in entries.items()
    }


def _plain_entries(block: Sequence[str]) -> dict[str, Any] | None:
    """Entries of the usual shape, one to a line; None if any line is of another shape."""
    entries: dict[str, Any] = {}
    for line in block:
        if not line:
            continue
        key, mark, value = line.partition(" = ")
        if not mark or key in entries or not key.isidentifier() or not value:
            return None
        first, last = value[0], value[-1]
        if first == "[":
            plain = _plain_list(value)
            if plain is None:
                return None
            entries[key] = plain
        elif first == "'":
            if last != "'" or len(value) < 2 or "'" in value[1:-1] or not value.isprintable():
                return None
            entries[key] = value[1:-1]
        elif value.isdigit() and value.isascii() and (first != "0" or value == "0"):
            entries[key] = int(value) if len(value) < 40 else value
        elif key == "time" and len(value) == 8 and value[2] == value[5] == ":":
            try:
                entries[key] = clock(int(value[:2]), int(value[3:5]), int(value[6:]))
            except ValueError:
                return None
        elif value == "true" or value == "false":
            entries[key] = value == "true"
        else:
            return None
    return entries


def _plain_list(value: str) -> list[str] | None:
    """A list of texts in single quotes, or of numbers, on one line; None for any other list."""
    if value.startswith("['"):
        inside = value[2:-2]
        items = inside.split("', '")
        whole = value.endswith("']") and inside.count("'") == 2 * (len(items) - 1) and value.isprintable()
        return items if whole else None
    return value[1:-1].split(", ") if _NUMBERS.fullmatch(value) else None


def read_entries(entries: Entries, source: str, number: str = "") -> Hand:
    """The hand of the entries of one PHH; raises `Unfit`. ``source`` and ``number`` name it if it does not."""
    variant = entries.get("variant")
    if variant not in _HOLDEM:
        if isinstance(variant, str) and variant in _VARIANTS:
            raise Unfit(_VARIANTS[variant], "", other_game=True)
        if isinstance(variant, str):
            raise Unfit("another variant", repr(variant[:20]), other_game=True)
        raise Unfit("an entry is missing", "'variant'")
    try:
        return judge(_draft(entries, source, number))
    except (AttributeError, TypeError, KeyError, IndexError, ValueError, OverflowError) as error:
        if isinstance(error, SoulreadError):
            raise Unfit("an entry cannot be read", str(error)) from None
        raise Unfit("an entry cannot be read", f"{type(error).__name__} {error}") from None


def _draft(entries: Entries, source: str, number: str) -> Draft:
    actions = entries["actions"]
    stacks, blinds, antes = entries["starting_stacks"], entries["blinds_or_straddles"], entries["antes"]
    count = len(stacks)
    if len(blinds) != count or len(antes) != count:
        raise Unfit("an entry cannot be read", f"{count} stacks, {len(blinds)} blinds, {len(antes)} antes")
    currency = entries.get("currency") or SYMBOLS.get(entries.get("currency_symbol", ""), "")
    limit = entries["variant"] == "FT"
    least = str(entries["small_bet" if limit else "min_bet"])
    won = entries.get("winnings")
    finishing = entries.get("finishing_stacks")
    bets = [action.split(" ", 3)[2] for action in actions if " cbr " in action]
    decimals, chip = chip_of([*stacks, *blinds, *antes, *bets, *(won or finishing or ()), least], currency)
    if "_chip" in entries:
        decimals, chip = decimals_of(entries["_chip"]), entries["_chip"]
    start = [chips_of(text, decimals) for text in stacks]
    big_blind = chips_of(least, decimals)
    collected = net = None
    if won is not None:
        collected = [chips_of(text, decimals) for text in won]
        if not any(collected) or len(collected) != count:
            collected = None
    if finishing is not None and len(finishing) == count:
        net = [chips_of(text, decimals) - stack for text, stack in zip(finishing, start, strict=True)]
    draft = Draft(
        players=tuple(entries.get("players") or [f"p{seat + 1}" for seat in range(count)]),
        stacks=start,
        posts=_posts(antes, blinds, start, decimals),
        big_blind=big_blind,
        moves=(),
        small_bet=big_blind if limit else None,
        called_in_full=bool(entries.get("_called_in_full", False)),
        collected=collected,
        net=None if collected is not None else net,
        id=str(entries.get("hand", number)),
        source=str(entries.get("venue") or entries.get("event") or source),
        table=str(entries.get("table", "")),
        currency=currency,
        chip=chip,
    )
    if not all(isinstance(name, str) for name in draft.players):
        raise Unfit("names", "a name is no text")
    _fill_time(draft, entries)
    _fill_actions(draft, actions, decimals)
    _fill_own(draft, entries)
    return draft


def _posts(antes: Sequence[str], blinds: Sequence[str], stacks: Sequence[int], decimals: int) -> list[Post]:
    """Antes and blinds as they were really paid. A negative blind was posted by somebody who sat down."""
    count = len(stacks)
    posts = []
    left = list(stacks)
    order = range(count) if count > 2 else (1, 0)  # of two players the second is the dealer
    for seat in order if set(antes) != {"0"} else ():
        amount = min(left[seat], chips_of(antes[seat if count > 2 else 1 - seat], decimals))
        if amount:
            posts.append(Post(seat, Forced.ANTE, amount))
            left[seat] -= amount
    late = []
    kinds = [Forced.SMALL_BLIND, Forced.BIG_BLIND]
    for place, seat in enumerate(order):
        text = blinds[place]
        if text == "0":
            continue
        amount = min(left[seat], chips_of(text.lstrip("-"), decimals))
        if amount and text[0] == "-":
            late.append(Post(seat, Forced.BIG_BLIND, amount))
        elif amount:
            kind = kinds[place] if place < 2 else Forced.STRADDLE
            posts.append(Post(seat, kind, amount))
    return posts + late


def _fill_time(draft: Draft, entries: Entries) -> None:
    if "year" in entries and "month" in entries and "day" in entries:
        now = entries.get("time")
        seconds = now.hour * 3600 + now.minute * 60 + now.second if isinstance(now, clock) else 0
        zone = str(entries.get("time_zone_abbreviation") or entries.get("time_zone") or "")
        draft.time = utc_time(entries["year"], entries["month"], entries["day"], seconds, zone)


def _fill_actions(draft: Draft, actions: Sequence[str], decimals: int) -> None:
    moves: list[list[Move]] = [[]]
    board: list[int] = []
    hole, sights = draft.hole, draft.sights
    for action in actions:
        if action[0] == "d" and action[-1] == "?":
            continue
        words = action.split(" ")
        who, what = words[0], words[1]
        if what == "f":
            moves[-1].append((_SEATS[who], FOLD, 0, -1))
        elif what == "cc":
            moves[-1].append((_SEATS[who], CALL, 0, -1))
        elif what == "cbr":
            moves[-1].append((_SEATS[who], RAISE, chips_of(words[2], decimals), -1))
        elif what == "dh":
            if "?" not in words[3]:
                seat = _SEATS[words[2]]
                hole[seat] = _cards(words[3])
                sights[seat] = Sight.DEALT
        elif what == "db":
            if len(board) in (0, 3, 4):
                moves.append([])
            board += _cards(words[2])
        elif what == "sm":
            seat = _SEATS[who]
            if len(words) == 2 or words[2][:1] == "#":
                sights[seat] = Sight.MUCKED
            elif "?" not in words[2]:
                hole[seat] = _cards(words[2])
                sights[seat] = Sight.SHOWN
        else:
            raise Unfit("an action cannot be read", repr(action[:40]))
    draft.moves = moves
    draft.boards = (tuple(board),)


def _cards(text: str) -> Cards:
    try:
        return tuple([_CARDS[text[place : place + 2]] for place in range(0, len(text), 2)])
    except KeyError:
        raise Unfit("cards", repr(text[:20])) from None


def _fill_own(draft: Draft, entries: Entries) -> None:
    """What `write_hand` put into entries of its own."""
