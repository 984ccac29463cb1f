"""Hand histories of iPoker: a session in XML, with a ``game`` for each hand.

    <session sessioncode="..."><general><gametype>Holdem NL €0.05/€0.10</gametype> ... </general>
    <game gamecode="4411002290"><general><startdate>2016-02-11 19:40:05</startdate><players>
     <player seat="3" name="Ann" chips="€10.20" dealer="1" win="€0.24" bet="€0.10"/> ... </players></general>
    <round no="0"><action no="1" player="Bob" type="1" sum="€0.05"/> ... </round></game></session>

Each ``game`` is parsed on its own, so a damaged one does not spoil the others, and a file that is cut short
keeps the hands before. The parser sees neither a document type nor entities of the file's own. A hand whose
end tag is missing is read if all of its rounds are there.

Actions are ordered by ``no``; in the file they may be sorted by player. A lone fold that is numbered too late
counts in its turn. A seat that was dealt cards and sits out folds. ``type`` says what was done:

    0 fold   1 small blind   2 big blind   3 call   4 check   5 bet   6 raise   7 all-in
    8, 9 sits out   15 ante   23 raise to

The ``sum`` of a raise of type 23 is the total of the round, that of all others the chips that were added. A
big blind of more than the blind is one of somebody who sits down; the rest is dead. ``win`` is all that came
back, usually with a bet that nobody called; chips that did not come back are rake. Times have no zone and are
taken for UTC. A point or comma with three digits behind it parts thousands. A seat that was disconnected and
counts as all-in with chips left (``sum="DP"``) plays by no rules of ours; such a hand is left out.
"""

import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from xml.parsers import expat

from soulread.hands.formats.amounts import CHIPS
from soulread.hands.formats.base import Piece, Skipped, skip_piece
from soulread.hands.formats.rooms import has_cents, other_game, read_amount
from soulread.hands.formats.seated.seating import (
    MAX_ACTIONS,
    MAX_PART,
    SeatedHand,
    marked_parts,
    small_bet_of,
)
from soulread.hands.formats.times import utc_time
from soulread.hands.hand import Cards, ForcedBet, Hand, Sight
from soulread.hands.money import SYMBOLS
from soulread.hands.referee import Draft, Unfit, judge

MAX_DEPTH = 20  # of elements in each other
ROOM = "iPoker"

_MARK = re.compile(r"<game\s")
_BARE = re.compile(r"&(?!#?[A-Za-z0-9]{1,10};)")  # as in "Ann & Bob", where no entity begins
_SESSION = re.compile(r"<session\b")
_START = re.compile(r"<session\b[^<>]*\bsessioncode=|<game\s[^<>]*\bgamecode=")
_ENTRY = re.compile(r"<([a-z_]{3,24})>([^<>]{1,300})</\1>")
_CODE = re.compile(r"<game\s[^<>]*\bgamecode=\"([^\"<>]{1,40})\"")
_STAKES = re.compile(r"([^0-9\s/]*[0-9][0-9.,]*)\s*/\s*([^0-9\s/]*[0-9][0-9.,]*)")
_YEAR_FIRST = re.compile(r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})")
_DAY_FIRST = re.compile(r"([0-9]{1,2})[-/. ]([0-9]{1,2}|[A-Za-z]{3,9})[-/. ]([0-9]{4})")
_CLOCK = re.compile(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?\s*([AaPp][Mm])?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SUITS = "CDHS"
_RANKS = {**{rank: place for place, rank in enumerate("23456789TJQKA")}, "10": 8}
_FOLD, _SMALL, _BIG, _CALL, _CHECK, _BET, _RAISE, _ALL_IN = "01234567"
_OUT = ("8", "9")
_PROTECTED = "DP"  # disconnection protection: the seat plays for what it has put in
_ANTE, _RAISE_TO = "15", "23"

Attributes = Mapping[str, str]


def looks_like_ipoker(head: str) -> bool:
    """Whether a file that begins so holds hands of iPoker."""
    return _START.search(head) is not None


def cut_ipoker(texts: Iterable[list[str]], source: str) -> Iterator[Piece]:
    """The hands of a file, each with the entries of its session as JSON."""
    session = "{}"
    for start, part in marked_parts(texts, _MARK):
        found = _SESSION.search(part)
        if _MARK.match(part):
            yield Piece("ipoker", source, start, part[: found.start()] if found else part, session)
        if found:  # what stands before the games of a session
            entries = _ENTRY.findall(part, found.start())
            session = json.dumps({name: html.unescape(text).strip() for name, text in entries})


def read_ipoker(piece: Piece) -> Iterator[Hand | Skipped]:
    """The hand of a piece, or a `Skipped`."""
    try:
        yield read_game(piece.text, _session(piece.about))
    except Unfit as error:
        code = _CODE.match(piece.text)
        yield skip_piece(error, piece, html.unescape(code[1]) if code else "")


@lru_cache(maxsize=16)
def _session(text: str) -> Mapping[str, str]:
    entries: dict[str, str] = json.loads(text)
    return entries


def read_game(text: str, session: Mapping[str, str]) -> Hand:
    """The hand of one ``game``, with the entries of its session; raises `Unfit`."""
    if len(text) > MAX_PART:
        raise Unfit("a hand is too long", f"more than {MAX_PART:,} characters")
    draft = _Reader(_parsed(text), session).draft()
    try:
        return judge(draft)
    except Unfit as error:
        if "</game>" in text:
            raise
        raise Unfit("the hand is cut short", f"{error.reason}, and it does not end") from None


@dataclass(slots=True)
class _Game:
    """The elements of one hand."""

    attributes: Attributes = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)  # of its "general"
    players: list[Attributes] = field(default_factory=list)
    rounds: list["_Round"] = field(default_factory=list)


@dataclass(slots=True)
class _Round:
    number: str
    actions: list[Attributes] = field(default_factory=list)
    cards: list[tuple[Attributes, str]] = field(default_factory=list)


def _parsed(text: str) -> _Game:
    game = _Game()
    path: list[str] = []
    words: list[str] = []
    latest: list[Attributes] = []
    count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if len(path) >= MAX_DEPTH or count > 4 * MAX_ACTIONS:
            raise Unfit("a hand is too long", f"more than {MAX_DEPTH} levels or {4 * MAX_ACTIONS} elements")
        if not path:
            game.attributes = attributes
        elif name == "round":
            game.rounds.append(_Round(attributes.get("no", "")))
        elif name == "player":
            game.players.append(attributes)
        elif name == "action" and game.rounds:
            game.rounds[-1].actions.append(attributes)
        path.append(name)
        words.clear()
        latest[:] = [attributes]

    def end(name: str) -> None:
        path.pop()
        if name == "cards" and game.rounds:
            game.rounds[-1].cards.append((latest[0] if latest else {}, "".join(words)))
        elif path[-1:] == ["general"]:
            game.entries[name] = "".join(words).strip()
        words.clear()

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = words.append
    whole = text.rfind("</game>")
    try:
        parser.Parse(_BARE.sub("&amp;", text if whole < 0 else text[: whole + len("</game>")]), False)
    except expat.ExpatError as error:
        raise Unfit("this is not XML", expat.errors.messages.get(error.code, str(error))) from None
    except ValueError as error:  # a lone surrogate
        raise Unfit("this is not XML", str(error)) from None
    if len(path) > 1:
        raise Unfit("the hand is cut short", f"inside of <{path[-1][:20]}>")
    return game


class _Reader:
    """Makes a draft of the elements of one hand."""

    def __init__(self, game: _Game, session: Mapping[str, str]) -> None:
        self._game = game
        self._session = session
        priced = any(symbol in player.get("chips", "") for player in game.players for symbol in SYMBOLS)
        named = any(session.get(name) for name in ("tournamentname", "tournamentcode", "buyin"))
        self._tournament = named and not priced
        kind = session.get("gametype", "")
        if not kind:
            raise Unfit("the game is missing", "no <gametype> before the hand")
        self._limit = self._is_limit(kind)
        self._currency = self._money(kind)
        sums = [entry.get("sum", "") for part in game.rounds for entry in part.actions]
        chips = [entry.get("chips", "") for entry in game.players]
        self._decimals = 2 if self._currency or any(map(has_cents, [*sums, *chips])) else 0
        stakes = _STAKES.findall(kind)
        self._low, self._high = map(self._amount, stakes[-1]) if stakes else (0, 0)
        self._hand = SeatedHand(big_blind=0 if self._limit else self._high)
        self._board: Cards = ()
        self._dealt: set[int] = set()  # seats with cards, whether or not they were seen
        self._bets: dict[int, int] = {}  # as the file adds them up

    def draft(self) -> Draft:
        """All that the elements tell, in seats by position."""
        hand = self._hand
        for player in self._game.players:
            self._seat(player)
        parts = sorted(self._game.rounds, key=lambda part: _whole(part.number, "a round"))
        for part in parts:
            self._read_round(part)
        if not self._is_uncalled_out():
            hand.give_back_uncalled()
        posted = max([amount for _, kind, amount in hand.posts if kind is ForcedBet.BIG_BLIND], default=0)
        self._find_big_blind()
        small_bet = small_bet_of(self._low, self._high, posted) if self._limit else None
        hero = hand.numbers.get(self._session.get("nickname", ""))
        self._settle_sights(hero)
        draft = hand.draft((self._board,), small_bet)
        if self._tournament:
            draft.rake = 0
        draft.id = self._game.attributes.get("gamecode", "")
        draft.time = _time(self._game.entries.get("startdate") or self._session.get("startdate", ""))
        draft.source = draft.room = ROOM
        draft.table = self._session.get("tablename", "")
        draft.currency, draft.chip = self._currency, CHIPS[self._decimals]
        draft.tournament = self._tournament
        return hand.seen_from(draft, hero)

    def _is_uncalled_out(self) -> bool:
        """Whether ``bet`` and ``win`` are without the bet that nobody called, as in some versions."""
        number, chips = self._hand.uncalled
        bet = self._bets.get(number)
        paid = self._hand.stacks.get(number, 0) - self._hand.left(number)
        if bet is None or not chips or bet == paid:
            return False
        return bet == paid - chips or self._session.get("uncalled_bet_enabled") == "true"

    def _is_limit(self, kind: str) -> bool:
        words = kind.lower()
        pocket = [
            len(text.split())
            for part in self._game.rounds
            for entry, text in part.cards
            if entry.get("type") == "Pocket"
        ]
        holdem = "holdem" in words or "hold'em" in words or re.match(r"(?:nl|l)h\b", words)
        limit = re.search(r"\bnl\b|\bno limit\b|\bpl\b|\bpot limit\b|\bl\b|\blimit\b|\b(?:nl|l)h\b", words)
        if holdem and "6+" not in words and limit and not limit[0].startswith("p"):
            return not limit[0].startswith("n")
        if not holdem and max(pocket, default=0) in (4, 5, 6) and "stud" not in words:
            raise Unfit("Omaha", repr(kind[:60]), other_game=True)
        raise other_game(kind.replace("PL", "pot limit") if holdem else kind)

    def _money(self, kind: str) -> str:
        """The currency of the amounts; none in tournaments and for play money."""
        if self._tournament or self._session.get("mode", "real").lower() != "real":
            return ""
        amounts = [kind, *(player.get("chips", "") for player in self._game.players)]
        for text in amounts:
            for symbol, code in SYMBOLS.items():
                if symbol in text:
                    return code
        named = self._session.get("tablecurrency") or self._session.get("currency", "")
        return named if re.fullmatch(r"[A-Z]{3}", named) else ""

    def _seat(self, player: Attributes) -> None:
        name = player.get("name", "").strip()
        number = _whole(player.get("seat", ""), "a seat")
        if player.get("dealer") == "1":
            self._hand.button = number
        if not name:
            return  # an empty seat
        self._hand.sit(number, name, self._amount(player.get("chips", "0")))
        won = player.get("win")
        if won is not None:
            self._hand.collected[number] = self._amount(won)
        if "bet" in player:
            self._bets[number] = self._amount(player["bet"])

    def _read_round(self, part: _Round) -> None:
        for entry, text in part.cards:
            self._read_cards(entry, text)
        if _whole(part.number, "a round") > 1:
            self._hand.next_round()
        for entry in sorted(part.actions, key=lambda entry: _whole(entry.get("no", ""), "an action")):
            self._read_action(entry)

    def _read_cards(self, entry: Attributes, text: str) -> None:
        kind = entry.get("type", "")
        if kind == "Pocket":
            number = self._hand.numbers.get(entry.get("player", "").strip())
            cards = _cards(text)
            if number is not None:
                self._dealt.add(number)
                self._hand.show(number, cards, Sight.SHOWN)
        elif kind in ("Flop", "Turn", "River"):
            self._board += _cards(text)

    def _read_action(self, entry: Attributes) -> None:
        kind, hand = entry.get("type", ""), self._hand
        name = entry.get("player", "").strip()
        if name not in hand.numbers:
            raise Unfit("names", f"{name!r} acts and has no seat"[:80])
        if entry.get("sum") == _PROTECTED:
            raise Unfit("all-in with chips left", f"{name!r} was disconnected"[:80])
        number, added = hand.numbers[name], self._amount(entry.get("sum") or "0")
        if kind == _FOLD:
            hand.fold(number)
        elif kind == _CHECK:
            hand.check(number)
        elif kind == _CALL:
            hand.call(number, added)
        elif kind in (_BET, _RAISE):
            self._raise_to(number, hand.now(number) + added)
        elif kind == _RAISE_TO:
            self._raise_to(number, added)
        elif kind == _ALL_IN:
            hand.all_in(number, added)
        elif kind == _ANTE:
            hand.post(number, ForcedBet.ANTE, added)
        elif kind == _SMALL:
            late = any(post is ForcedBet.SMALL_BLIND for _, post, _ in hand.posts)
            hand.post(number, ForcedBet.DEAD_BLIND if late else ForcedBet.SMALL_BLIND, added)
        elif kind == _BIG:
            self._post_big_blind(number, added)
        elif kind in _OUT:
            if number in self._dealt or any(seat == number for seat, _, _ in hand.posts):
                hand.fold(number)
        else:
            raise Unfit("an action cannot be read", f"type {kind!r} of {name!r}"[:80])

    def _raise_to(self, number: int, total: int) -> None:
        """A bet or raise. Over an all-in for less than a limit bet the room raises to the next whole bet.

        By our rules it is a raise of one bet. The difference matters only if it is called.
        """
        high, bet = self._hand.high, self._hand.big_blind * (1 if len(self._hand.rounds) < 3 else 2)
        if self._limit and bet and high % bet and total % bet == 0 and bet < total - high < 2 * bet:
            self._hand.raise_to(number, total, by_rules=high + bet)
        else:
            self._hand.raise_to(number, total)

    def _post_big_blind(self, number: int, added: int) -> None:
        hand = self._hand
        if self._limit and not hand.big_blind:
            hand.big_blind = small_bet_of(self._low, self._high, added)
        hand.post_big_blind(number, added)

    def _find_big_blind(self) -> None:
        """A tournament does not name its blinds; a big blind that is all-in is twice the small one."""
        hand = self._hand
        small = max([amount for _, kind, amount in hand.posts if kind is ForcedBet.SMALL_BLIND], default=0)
        if not self._limit and not self._high:
            hand.big_blind = max(hand.big_blind, 2 * small)

    def _settle_sights(self, hero: int | None) -> None:
        """Cards that a seat did not bring to a showdown were seen by their owner alone."""
        hand = self._hand
        left = hand.active - hand.folded
        for number in hand.hole:
            if number not in left or (number == hero and len(left) < 2):
                hand.sights[number] = Sight.DEALT

    def _amount(self, text: str) -> int:
        if "-" in text:
            raise Unfit("an amount cannot be read", repr(text[:40]))
        return read_amount(text, self._decimals, True)


def _whole(text: str, thing: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Unfit("a number cannot be read", f"{thing} {text[:30]!r}")
    return int(text)


@lru_cache(maxsize=2**12)
def _cards(text: str) -> Cards:
    """Cards such as ``HK S10``; one that was not seen (``X``) is left out."""
    cards = []
    for word in text.split():
        rank, suit = _RANKS.get(word[1:].upper()), _SUITS.find(word[:1].upper())
        if rank is not None and suit >= 0:
            cards.append(4 * rank + suit)
        elif word.strip("Xx?-*"):
            raise Unfit("cards", repr(text[:40]))
    if len(set(cards)) < len(cards):
        raise Unfit("cards", repr(text[:40]))
    return tuple(cards)


def _time(text: str) -> datetime | None:
    """A time as clients of several languages write it; None if there is none."""
    clock = _CLOCK.search(text)
    if clock is None:
        return None
    hour = int(clock[1])
    if clock[4]:
        hour = hour % 12 + (12 if clock[4].lower() == "pm" else 0)
    seconds = hour * 3600 + int(clock[2]) * 60 + int(clock[3] or 0)
    if found := _YEAR_FIRST.search(text):
        return utc_time(int(found[1]), int(found[2]), int(found[3]), seconds, "UTC")
    found = _DAY_FIRST.search(text)
    if found is None:
        return None
    name = found[2][:3].lower()
    month = int(found[2]) if found[2].isdigit() else _MONTHS.index(name) + 1 if name in _MONTHS else 0
    day = int(found[1])
    if month > 12 >= day:
        day, month = month, day  # an American client
    return utc_time(int(found[3]), month, day, seconds, "UTC")
