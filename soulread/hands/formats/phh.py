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
its users.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from datetime import time as clock
from functools import lru_cache, partial
from pathlib import PurePosixPath
from typing import Any

from soulread.cards.deck import cards_name
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame
from soulread.hands.formats.amounts import CHIPS, chips_of, decimals_for, decimals_of
from soulread.hands.formats.base import Piece, Skipped, skip_piece
from soulread.hands.formats.times import utc_time
from soulread.hands.hand import MAX_CHIPS, Cards, ForcedBet, Hand, Post, Sight
from soulread.hands.money import SYMBOLS, amount_text
from soulread.hands.referee import (
    ROUNDS,
    Draft,
    Move,
    Retraced,
    Unfit,
    game_name,
    game_of_posts,
    judge,
    retrace,
)

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
_ANY, _TEXT, _TEXTS, _NUMBERS, _NUMBER, _WHOLE, _CLOCK, _TRUTH = range(8)
_KINDS = {
    **dict.fromkeys(("variant", "venue", "event", "table", "currency", "currency_symbol"), _TEXT),
    **dict.fromkeys(("time_zone", "time_zone_abbreviation"), _TEXT),
    **dict.fromkeys(("actions", "players"), _TEXTS),
    **dict.fromkeys(("antes", "blinds_or_straddles", "starting_stacks"), _NUMBERS),
    **dict.fromkeys(("finishing_stacks", "winnings"), _NUMBERS),
    **dict.fromkeys(("min_bet", "small_bet", "big_bet"), _NUMBER),
    **dict.fromkeys(("day", "month", "year", "hand"), _WHOLE),
    "time": _CLOCK,
    **dict.fromkeys(("_chip", "_game", "_source"), _TEXT),
    **dict.fromkeys(("_posts", "_boards", "_sights"), _TEXTS),
    **dict.fromkeys(("_observer", "_added"), _WHOLE),
    **dict.fromkeys(("_called_in_full", "_unlimited", "_tournament"), _TRUTH),
}
_AMOUNT = r"-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?"
_SINGLE = re.compile(_AMOUNT)
_LIST = re.compile(rf"\[{_AMOUNT}(?:, {_AMOUNT})*\]")
_CLOCKS = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]")
_OTHER = re.compile(
    rf"[a-z][a-z0-9_]* = (?:true|false|'[^'\x00-\x1f\x7f]*'|{_AMOUNT}|\[{_AMOUNT}(?:, {_AMOUNT})*\])"
)
_USUAL: dict[str, Move | None] = {  # actions that are met all the time
    **{f"p{seat + 1} f": (seat, FOLD, 0, -1) for seat in range(10)},
    **{f"p{seat + 1} cc": (seat, CALL, 0, -1) for seat in range(10)},
    **{f"d dh p{seat + 1} ????": None for seat in range(10)},
}
_SEATS = {f"p{seat + 1}": seat for seat in range(30)}

Entries = Mapping[str, Any]


def looks_like_phh(head: str) -> bool:
    """Whether a file that begins so holds hands in PHH."""
    return any(
        line.startswith(("variant = ", "variant=")) or line.rstrip() == "[1]" for line in head.split("\n")
    )


def cut_phh(texts: Iterable[list[str]], source: str) -> Iterator[Piece]:
    """The hands of a PHH or PHHS file."""
    for start, number, block in split_hands(texts):
        yield Piece("phhs", source, start, "\n".join(block), number)


def read_phh(piece: Piece) -> Iterator[Hand | Skipped]:
    """The hand of a piece, or a `Skipped`."""
    number, key = piece.about, ""
    try:
        entries = parse_entries(piece.text.split("\n"))
        key = str(entries.get("hand", number))
        yield read_entries(entries, piece.source, number)
    except Unfit as error:
        yield skip_piece(error, piece, key or number)


def split_hands(texts: Iterable[list[str]]) -> Iterator[tuple[int, str, list[str]]]:
    """The first line of each hand, its number in the file, and its lines; empty hands are left out."""
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
    """Amounts become texts, as the plain parser leaves them."""
    texts = dict(entries)
    for key, value in entries.items():
        if type(value) is list:
            texts[key] = [str(item) if type(item) is int else item for item in value]
        elif type(value) is int and _KINDS.get(key) == _NUMBER:
            texts[key] = str(value)
    return texts


def _plain_entries(block: Sequence[str]) -> dict[str, Any] | None:
    """Entries of the usual shape, one to a line; None if any line is of another shape.

    Of entries that nobody asks for, only the shape is looked at.
    """
    entries: dict[str, Any] = {}
    for line in block:
        if line:
            entry = _usual_entry(line) if len(line) < 36 else _plain_entry(line)
            if entry is None:
                return None
            entries[entry[0]] = entry[1]
    # No key may come twice: otherwise tomllib has the word.
    return entries if len(entries) == len(block) - block.count("") else None


def _plain_entry(line: str) -> tuple[str, Any] | None:
    key, _, value = line.partition(" = ")
    kind = _KINDS.get(key, _ANY)
    if kind == _TEXTS and value[:2] == "['" and value[-2:] == "']":
        value = value[2:-2]
        items = value.split("', '")
        if value.count("'") == 2 * len(items) - 2 and value.isprintable():
            return key, items
    elif kind == _NUMBERS and _LIST.fullmatch(value):
        return key, value[1:-1].split(", ")
    elif kind == _TEXT and value[:1] == "'" == value[-1:] and len(value) > 1:
        value = value[1:-1]
        if "'" not in value and value.isprintable():
            return key, value
    elif kind == _WHOLE and value.isdecimal() and value.isascii() and (len(value) == 1 or value[0] != "0"):
        return key, int(value[:40])
    elif kind == _NUMBER and _SINGLE.fullmatch(value):
        return key, value
    elif kind == _TRUTH and value in ("true", "false"):
        return key, value == "true"
    elif kind == _CLOCK and _CLOCKS.fullmatch(value):
        return key, clock(int(value[:2]), int(value[3:5]), int(value[6:]))
    elif kind == _ANY and _OTHER.fullmatch(line):
        return key, None
    return None


_usual_entry = lru_cache(maxsize=2**13)(_plain_entry)  # short lines come again and again


def read_entries(entries: Entries, source: str, number: str = "") -> Hand:
    """The hand of the entries of one PHH; raises `Unfit`. ``source`` and ``number`` name a nameless hand."""
    variant = entries.get("variant")
    if variant not in _HOLDEM:
        if isinstance(variant, str) and variant in _VARIANTS:
            raise Unfit(_VARIANTS[variant], "", other_game=True)
        if isinstance(variant, str):
            raise Unfit("another variant", repr(variant[:20]), other_game=True)
        raise Unfit("an entry is missing", "'variant'")
    try:
        return _renamed(judge(_draft(entries, source, number)), entries)
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
    decimals = decimals_for([*stacks, *blinds, *antes, *actions, *(won or finishing or ()), least], currency)
    if "_chip" in entries:
        decimals = decimals_of(entries["_chip"])
    start = [chips_of(text, decimals) for text in stacks]
    big_blind = chips_of(least, decimals)
    collected = net = None
    if won is not None:
        collected = [chips_of(text, decimals) for text in won]
        if not any(collected) or len(collected) != count:
            collected = None
    if finishing is not None and len(finishing) == count:
        net = [chips_of(text, decimals) - stack for text, stack in zip(finishing, start, strict=True)]
    called_in_full = bool(entries.get("_called_in_full", False))
    posts, most, game = _stakes(tuple(antes), tuple(blinds), big_blind, decimals, limit)
    usual = most <= min(start) and not limit
    draft = Draft(
        players=tuple(map(str, entries.get("players") or [f"p{seat + 1}" for seat in range(count)])),
        stacks=start,
        posts=posts if usual else _posts(antes, blinds, start, decimals),
        big_blind=big_blind,
        moves=(),
        small_bet=big_blind if limit else None,
        called_in_full=called_in_full,
        table_rules=game if usual else None,
        collected=collected,
        net=None if collected is not None else net,
        id=str(entries.get("hand", number or PurePosixPath(source).stem)),
        source=str(entries.get("venue") or entries.get("event") or _place(source, number)),
        table=str(entries.get("table", "")),
        room=str(entries.get("venue", "")),
        currency=currency,
        chip=CHIPS[decimals],
        tournament=_is_tournament(entries, currency),
    )
    _fill_time(draft, entries)
    _fill_actions(draft, actions, decimals)
    _fill_own(draft, entries)
    return draft


def _is_tournament(entries: Entries, currency: str) -> bool:
    """Whether a hand was played in a tournament: at a level, or at an event for chips without a price."""
    if "_tournament" in entries:
        return bool(entries["_tournament"])
    return "level" in entries or bool(entries.get("event") and not currency)


def _place(source: str, number: str) -> str:
    """Names the hands of a file that says nothing of where they were played: "pluribus/100"."""
    path = PurePosixPath(source.replace("\\", "/"))
    return path.name if number else "/".join(path.parts[-3:-1]) or path.name


@lru_cache(maxsize=1024)
def _stakes(
    antes: tuple[str, ...], blinds: tuple[str, ...], least: int, decimals: int, limit: bool
) -> tuple[tuple[Post, ...], int, PokerGame]:
    """The posts of a full seat, the most that a seat pays, and the game; hands of a file share them."""
    plenty = [MAX_CHIPS - 1] * len(blinds)
    posts = tuple(_posts(antes, blinds, plenty, decimals))
    paid = [sum(post.amount for post in posts if post.seat == seat) for seat in range(len(blinds))]
    game = game_of_posts(posts, tuple(plenty), least, least if limit else None, called_in_full=False)
    return posts, max(paid), game


def _posts(antes: Sequence[str], blinds: Sequence[str], stacks: Sequence[int], decimals: int) -> list[Post]:
    """Antes and blinds as they were really paid. A negative blind was posted by somebody who sat down."""
    count = len(stacks)
    posts = []
    left = list(stacks)
    order = range(count) if count > 2 else (1, 0)  # of two players the second is the dealer
    for seat in order if set(antes) != {"0"} else ():
        amount = min(left[seat], chips_of(antes[seat if count > 2 else 1 - seat], decimals))
        if amount:
            posts.append(Post(seat, ForcedBet.ANTE, amount))
            left[seat] -= amount
    late = []
    kinds = [ForcedBet.SMALL_BLIND, ForcedBet.BIG_BLIND]
    for place, seat in enumerate(order):
        text = blinds[place]
        if text == "0":
            continue
        amount = min(left[seat], chips_of(text.lstrip("-"), decimals))
        if amount and text[0] == "-":
            late.append(Post(seat, ForcedBet.BIG_BLIND, amount))
        elif amount:
            kind = kinds[place] if place < 2 else ForcedBet.STRADDLE
            posts.append(Post(seat, kind, amount))
    return posts + late


def _fill_time(draft: Draft, entries: Entries) -> None:
    if "year" in entries and "month" in entries and "day" in entries:
        now = entries.get("time")
        seconds = now.hour * 3600 + now.minute * 60 + now.second if isinstance(now, clock) else 0
        zone = str(entries.get("time_zone_abbreviation") or entries.get("time_zone") or "")
        draft.time = utc_time(entries["year"], entries["month"], entries["day"], seconds, zone)


def _fill_actions(draft: Draft, actions: Sequence[str], decimals: int) -> None:
    latest: list[Move] = []
    moves = [latest]
    board: list[int] = []
    hole, sights = draft.hole, draft.sights
    for action in actions:
        if action in _USUAL:
            usual = _USUAL[action]
            if usual is not None:
                latest.append(usual)
            continue
        words = action.split(" ")
        who, what = words[0], words[1]
        if what == "cbr":
            latest.append((_SEATS[who], RAISE, chips_of(words[2], decimals), -1))
        elif what == "f":
            latest.append((_SEATS[who], FOLD, 0, -1))
        elif what == "cc":
            latest.append((_SEATS[who], CALL, 0, -1))
        elif what == "dh":
            known = _cards(words[3])
            if known:
                hole[_SEATS[words[2]]] = known
                sights[_SEATS[words[2]]] = Sight.DEALT
        elif what == "db":
            if len(board) in (0, 3, 4):
                latest = []
                moves.append(latest)
            board += _cards(words[2])
        elif what == "sm":
            seat = _SEATS[who]
            if len(words) == 2 or words[2][:1] == "#":
                sights[seat] = Sight.MUCKED
            elif known := _cards(words[2]):
                hole[seat] = known
                sights[seat] = Sight.SHOWN
        else:
            raise Unfit("an action cannot be read", repr(action[:40]))
    draft.moves = moves
    draft.boards = (tuple(board),)


def _cards(text: str) -> Cards:
    try:
        if "?" in text:
            text = text.replace("??", "")
        return tuple([_CARDS[text[place : place + 2]] for place in range(0, len(text), 2)])
    except KeyError:
        raise Unfit("cards", repr(text[:20])) from None


# What a `Hand` knows and PHH has no word for. Each entry is written only where it is needed.
#
#     _chip            the chip amounts are counted in, "0.01"
#     _posts           every forced bet as "seat kind amount", in order
#     _boards          all boards of a hand run twice
#     _sights          how each seat's cards were seen
#     _observer        the seat the hand was seen from
#     _called_in_full  a big blind that is all-in for less is called in full
#     _added           chips the house put into the pot
#     _tournament      whether it was a tournament
#     _unlimited       nobody can run out of chips; the stacks stand for that
#     _game            what the game is called
#     _source          where the hand comes from, if that is not the venue


def _fill_own(draft: Draft, entries: Entries) -> None:
    """Take over the entries of our own that the rules need; `write_phh` writes them."""
    if "_posts" in entries:
        posts = []
        for text in entries["_posts"]:
            seat, _, rest = text.partition(" ")
            kind, _, amount = rest.rpartition(" ")
            posts.append(Post(int(seat), ForcedBet(kind), int(amount)))
        draft.posts, draft.table_rules = posts, None
    if "_boards" in entries:
        draft.boards = tuple(map(_cards, entries["_boards"]))
    if "_sights" in entries:
        draft.sights = {seat: Sight(text) for seat, text in enumerate(entries["_sights"])}
    if "_source" in entries:
        draft.source = str(entries["_source"])
    draft.observer = entries.get("_observer")
    draft.added = entries.get("_added", 0)


def _renamed(hand: Hand, entries: Entries) -> Hand:
    """The hand with the entries of our own that the rules do not need; `write_phh` writes them."""
    changes: dict[str, Any] = {}
    if "_game" in entries:
        changes["game"] = str(entries["_game"])
    if entries.get("_unlimited") is True:
        if entries["variant"] != "FT":
            raise Unfit("stacks", "none in a game without limits")
        changes["stacks"] = None
    if "_sights" in entries:
        changes["sights"] = tuple(Sight(text) for text in entries["_sights"])
    return replace(hand, **changes) if changes else hand


def write_phh(hand: Hand, key: str = "") -> str:
    """A hand of hold'em in PHH, ending in a line break; with a ``key``, as a table of a PHHS file.

    Reading it gives an equal hand. A hand that is not hold'em is a `SoulreadError`.
    """
    try:
        return _written(hand, key)
    except Unfit as error:
        raise SoulreadError(f"hand {hand.id!r} cannot be written: {error.reason}: {error.detail}") from None


def _written(hand: Hand, key: str) -> str:
    path = retrace(hand)
    decimals = decimals_of(hand.stakes.chip)
    count = hand.num_players
    stacks = hand.stacks or (PLENTY * hand.stakes.big_blind,) * count
    limit = "no-limit" not in hand.variant
    antes, blinds = _forced(hand)
    amounts = partial(amount_text, decimals=decimals)
    entries: dict[str, Any] = {
        "variant": "FT" if limit else "NT",
        "ante_trimming_status": True,
        "antes": list(map(amounts, antes)),
        "blinds_or_straddles": list(map(amounts, blinds)),
    }
    if limit:
        entries["small_bet"] = amounts(hand.stakes.small_bet)
        entries["big_bet"] = amounts(2 * hand.stakes.small_bet)
    else:
        entries["min_bet"] = amounts(hand.stakes.big_blind)
    entries["starting_stacks"] = list(map(amounts, stacks))
    entries["actions"] = _actions(hand, path, decimals)
    if hand.room:
        entries["venue"] = hand.room
    if hand.time is not None:
        now = hand.time.astimezone(UTC)
        entries |= {"time": now.time().replace(microsecond=0), "time_zone": "UTC"}
        entries |= {"day": now.day, "month": now.month, "year": now.year}
    if hand.id:
        entries["hand"] = int(hand.id) if _WHOLE_ID.fullmatch(hand.id) else hand.id
    if hand.table:
        entries["table"] = hand.table
    entries["players"] = list(hand.players)
    entries["finishing_stacks"] = [
        amounts(chips + won) for chips, won in zip(stacks, hand.payoffs, strict=True)
    ]
    if hand.stakes.currency:
        entries["currency"] = hand.stakes.currency
    _add_own(entries, hand, path)
    lines = [f"[{key}]"] if key else []
    lines += [f"{name} = {_toml(value, name)}" for name, value in entries.items()]
    return "\n".join(lines) + "\n"


PLENTY = 10_000  # big blinds of a seat that never runs out
_WHOLE_ID = re.compile(r"0|[1-9][0-9]{0,17}")
_AMOUNTS = (
    "antes",
    "blinds_or_straddles",
    "starting_stacks",
    "finishing_stacks",
    "min_bet",
    "small_bet",
    "big_bet",
)


def _add_own(entries: dict[str, Any], hand: Hand, path: Retraced) -> None:
    """Add the entries that begin with ``_`` which this hand needs to come back the same."""
    if hand.rake < 0:
        entries["_added"] = -hand.rake
    if path.called_in_full and max(_live(hand)) < hand.stakes.big_blind:
        entries["_called_in_full"] = True
    if len(hand.boards) > 1:
        entries["_boards"] = [cards_name(board) for board in hand.boards]
    if hand.observer is not None:
        entries["_observer"] = hand.observer
    if hand.stakes.tournament:
        entries["_tournament"] = True
    if hand.stacks is None:
        entries["_unlimited"] = True
    if hand.stakes.chip != ("0.01" if hand.stakes.currency else "1"):
        entries["_chip"] = hand.stakes.chip
    stacks = hand.stacks or (PLENTY * hand.stakes.big_blind,) * hand.num_players
    decimals = decimals_of(hand.stakes.chip)
    if _posts(entries["antes"], entries["blinds_or_straddles"], stacks, decimals) != list(hand.posts):
        entries["_posts"] = [f"{post.seat} {post.kind} {post.amount}" for post in hand.posts]
    if hand.sights != _usual_sights(hand, path):
        entries["_sights"] = [str(sight) for sight in hand.sights]
    if hand.source != hand.room or not hand.source:
        entries["_source"] = hand.source
    if hand.game != game_name(hand.num_players, "no-limit" not in hand.variant):
        entries["_game"] = hand.game


def _usual_sights(hand: Hand, path: Retraced) -> tuple[Sight, ...]:
    """The sight of each seat's cards, by the actions alone."""
    folded = {step.seat for step in path.steps if step.kind == FOLD}
    return tuple(
        (Sight.UNSEEN if cards is None else Sight.DEALT)
        if seat in folded or not hand.showdown
        else (Sight.MUCKED if cards is None or sight is Sight.MUCKED else Sight.SHOWN)
        for seat, (cards, sight) in enumerate(zip(hand.hole, hand.sights, strict=True))
    )


def _live(hand: Hand) -> list[int]:
    live = [0] * hand.num_players
    for post in hand.posts:
        if post.kind not in (ForcedBet.ANTE, ForcedBet.DEAD_BLIND):
            live[post.seat] += post.amount
    return live


def _forced(hand: Hand) -> tuple[list[int], list[int]]:
    """Antes and blinds by seat as PHH has them: dead blinds are antes, late blinds negative."""
    antes = [0] * hand.num_players
    late = [False] * hand.num_players
    big = min([post.seat for post in hand.posts if post.kind is ForcedBet.BIG_BLIND], default=-1)
    for post in hand.posts:
        if post.kind in (ForcedBet.ANTE, ForcedBet.DEAD_BLIND):
            antes[post.seat] += post.amount
        elif post.kind is ForcedBet.BIG_BLIND and post.seat != big:
            late[post.seat] = True
    blinds = [-chips if late[seat] else chips for seat, chips in enumerate(_live(hand))]
    return (antes[::-1], blinds[::-1]) if hand.num_players == 2 else (antes, blinds)


def _actions(hand: Hand, path: Retraced, decimals: int) -> list[str]:
    actions = []
    for seat, cards in enumerate(hand.hole):
        known = "" if cards is None else cards_name(cards)
        actions.append(f"d dh p{seat + 1} {known.ljust(4, '?')}")
    dealt = 0
    board = hand.board
    for step in path.steps:
        while dealt < sum(ROUNDS[: step.round + 1]):
            size = 3 if dealt == 0 else 1
            actions.append(f"d db {cards_name(board[dealt : dealt + size])}")
            dealt += size
        word = (
            "f"
            if step.kind == FOLD
            else "cc"
            if step.kind != RAISE
            else f"cbr {amount_text(step.to, decimals)}"
        )
        actions.append(f"p{step.seat + 1} {word}")
    while dealt < len(board):
        size = 3 if dealt == 0 else 1
        actions.append(f"d db {cards_name(board[dealt : dealt + size])}")
        dealt += size
    if hand.showdown:
        folded = {step.seat for step in path.steps if step.kind == FOLD}
        for seat, (cards, sight) in enumerate(zip(hand.hole, hand.sights, strict=True)):
            if seat not in folded:
                shown = cards is not None and sight is not Sight.MUCKED
                actions.append(f"p{seat + 1} sm {cards_name(cards or ())}" if shown else f"p{seat + 1} sm")
    return actions


def _toml(value: Any, name: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return f"[{', '.join(_toml(item, name) for item in value)}]"
    if isinstance(value, str) and name not in _AMOUNTS:
        plain = value.isprintable() and "'" not in value
        return f"'{value}'" if plain else json.dumps(value)
    return str(value)
