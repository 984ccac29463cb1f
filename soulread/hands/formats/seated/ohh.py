"""Open Hand History (hh-specs.handhistory.org): hands in JSON. Versions 1.2 to 1.4 are read, 1.4.7 written.

    {"ohh": {"spec_version": "1.4.7", "site_name": "Pine Room", "game_number": "4711", "game_type": "Holdem",
     "bet_limit": {"bet_type": "NL"}, "big_blind_amount": 0.10, "dealer_seat": 3, "players": [...],
     "rounds": [{"id": 0, "street": "Preflop", "actions": [{"player_id": 1, "action": "Post SB", ...

Objects are separated by blank lines. Each is parsed on its own, so a damaged one does not spoil the others.

* The amount of a bet, raise or call is the chips that were added. "Post Extra Blind" is the big blind of
  somebody who sits down; what is more than the blind is dead, as "Post Dead" is.
* The amount of a pot has the rake in it. Rake and jackpot are fees. "Add to Pot" without a player is of the
  house. What a player cashes out is a deal with the house; ``win_amount`` says where the pot went.
* A hand that is run several times has several rounds of a street; a street that comes once is shared.
* Numbers are never floats. A number with more than six decimals, as programs write 0.3 that reckon with
  binary fractions, is rounded to six.

What a `Hand` knows and the format has no word for is written into entries that begin with ``_``, each only
where it is needed.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from soulread.cards.deck import card_name
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD
from soulread.hands.formats.amounts import (
    CHIPS,
    MAX_DECIMALS,
    MAX_DIGITS,
    chips_of,
    decimals_for,
    decimals_of,
)
from soulread.hands.formats.base import Piece, Skipped, skip, skip_piece
from soulread.hands.formats.rooms import read_cards
from soulread.hands.formats.seated.seating import MAX_PART, SeatedHand, marked_parts, small_bet_of
from soulread.hands.hand import Cards, ForcedBet, Hand, Post, Sight
from soulread.hands.money import amount_text
from soulread.hands.referee import CHECK, Draft, RefereeStep, Unfit, game_name, judge, retrace

VERSION = "1.4.7"
MAX_TEXT = 1_000  # characters of a name
PLENTY = 10_000  # big blinds of a seat that never runs out

_MARK = re.compile(r'\{\s*"ohh"\s*:')
_PLAIN = re.compile(r"[0-9]{1,20}(?:\.[0-9]{1,6})?")
_STREETS = {"preflop": 0, "flop": 1, "turn": 2, "river": 3}
_NAMES = ("Preflop", "Flop", "Turn", "River")
_OTHER_GAMES = {
    "omaha": "Omaha",
    "omahahilo": "Omaha",
    "stud": "seven card stud",
    "studhilo": "seven card stud",
    "draw": "draw poker",
}
_PLAY_MONEY = ("XPM", "PPC")
_IDLE = ("added chips", "sits down", "stands up", "player adjustment", "payout")
_POSTS = {
    "post ante": ForcedBet.ANTE,
    "post sb": ForcedBet.SMALL_BLIND,
    "post dead": ForcedBet.DEAD_BLIND,
    "straddle": ForcedBet.STRADDLE,
}
_SIGHTS = {"dealt cards": Sight.DEALT, "shows cards": Sight.SHOWN, "mucks cards": Sight.MUCKED}

Object = Mapping[str, Any]


def looks_like_ohh(head: str) -> bool:
    """Whether a file that begins so holds hands in Open Hand History."""
    return _MARK.search(head) is not None


def cut_ohh(texts: Iterable[list[str]], source: str) -> Iterator[Piece]:
    """The hands of a file, each with its number in it."""
    number = 0
    for start, part in marked_parts(texts, _MARK):
        begins = _MARK.match(part) is not None
        number += begins
        if begins or part.strip("\ufeff[ \t\r\n"):
            yield Piece("ohh", source, start, part, str(number))


def read_ohh(piece: Piece) -> Iterator[Hand | Skipped]:
    """The hand of a piece; a `Skipped` in its place, or for other text behind it."""
    part = rest = piece.text
    known: Object = {}
    if _MARK.match(part):
        try:
            known, rest = parse_object(part)
            yield read_object(known, piece.about)
        except Unfit as error:
            yield skip_piece(error, piece, str(known.get("game_number") or piece.about)[:40])
            return
    if rest == part or rest.strip(",] \t\r\n"):
        line = piece.line + part[: len(part) - len(rest)].count("\n")
        yield skip(Unfit("a hand without its beginning", repr(rest.strip()[:60])), piece.source, line)


def parse_object(text: str) -> tuple[Object, str]:
    """The hand of ``{"ohh": {...}}`` as JSON, and the text behind it. Decimal numbers stay texts."""
    if len(text) > MAX_PART:
        raise Unfit("a hand is too long", f"more than {MAX_PART:,} characters")
    try:
        found, end = _DECODER.raw_decode(text)
    except RecursionError:
        raise Unfit("this is not JSON", "it is nested too deeply") from None
    except ValueError as error:
        raise Unfit("this is not JSON", str(error)) from None
    return _object(found.get("ohh")), text[end:]


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no number")


_DECODER = json.JSONDecoder(parse_float=str, parse_constant=_refused)


def read_object(entries: Object, number: str = "") -> Hand:
    """The hand of the entries of one object; raises `Unfit`. ``number`` names a nameless hand."""
    try:
        return _with_own(judge(_Reader(entries, number).draft()), entries)
    except (AttributeError, TypeError, KeyError, IndexError, ValueError, OverflowError) as error:
        if isinstance(error, SoulreadError):
            raise Unfit("an entry cannot be read", str(error)) from None
        raise Unfit("an entry cannot be read", f"{type(error).__name__} {error}") from None


class _Reader:
    """Makes a draft of the entries of one hand."""

    def __init__(self, entries: Object, number: str) -> None:
        self._entries = entries
        self._number = number
        self._limit = _is_limit(entries)
        self._players = [_object(player) for player in _list(entries, "players")]
        self._rounds = sorted(map(_object, _list(entries, "rounds")), key=_place)
        self._pots = [_object(pot) for pot in _list(entries, "pots")]
        self._currency = _currency(entries)
        chip = entries.get("_chip")
        self._decimals = decimals_of(chip) if chip else decimals_for(self._amounts(), self._currency)
        self._low = self._chips(entries, "small_blind_amount")
        self._high = self._chips(entries, "big_blind_amount")
        self._hand = SeatedHand(big_blind=self._high)
        self._seats: dict[str, int] = {}  # by id of the player
        self._added = 0
        self._cards: dict[int, list[Cards]] = {1: [], 2: [], 3: []}  # by street, one for each run

    def draft(self) -> Draft:
        """All that the entries tell, in seats by position."""
        entries, hand = self._entries, self._hand
        for player in self._players:
            number = int(player["seat"])
            hand.sit(
                number,
                _text(player.get("name") or player.get("display")),
                self._chips(player, "starting_stack"),
            )
            self._seats[str(player["id"])] = number
        dealer = entries.get("dealer_seat")
        hand.button = None if dealer is None else int(dealer)
        for part in self._rounds:
            self._read_round(part)
        rake, pot = self._read_pots()
        total = hand.told + self._added
        if sum(hand.collected.values()) + (rake or 0) == total:
            returned = hand.give_back_uncalled()
            pot = total - returned if pot == total else pot
        draft = hand.draft(self._boards(), self._small_bet())
        draft.big_blind = hand.big_blind
        draft.rake, draft.pot, draft.added = rake, pot, self._added
        draft.id = _text(entries.get("game_number", self._number), empty=True)
        draft.time = _time(entries.get("start_date_utc"))
        draft.room = _text(entries.get("site_name", entries.get("network_name")), empty=True)
        draft.source = _text(entries.get("_source", draft.room), empty=True)
        draft.table = _text(entries.get("table_name"), empty=True)
        draft.currency, draft.chip = self._currency, CHIPS[self._decimals]
        draft.tournament = _is_tournament(entries)
        self._fill_own(draft)
        hero = entries.get("hero_player_id")
        return hand.seen_from(draft, None if hero is None else self._seats.get(str(hero)))

    def _amounts(self) -> Iterator[str]:
        entries = [self._entries, *self._players, *self._pots]
        for part in self._rounds:
            entries += map(_object, part.get("actions") or ())
        for pot in self._pots:
            entries += map(_object, pot.get("player_wins") or ())
        for entry in entries:
            for name in _AMOUNTS:
                value = entry.get(name)
                if value is not None:
                    yield _plain(value)

    def _chips(self, entry: Object, name: str) -> int:
        value = entry.get(name)
        return 0 if value is None else chips_of(_plain(value), self._decimals)

    def _read_round(self, part: Object) -> None:
        street = str(part.get("street", "")).lower()
        hand, actions = self._hand, part.get("actions") or ()
        if street in _STREETS:
            place = _STREETS[street]
            if place:
                self._cards[place].append(_cards(part.get("cards"))[-1 if place > 1 else -3 :])
            if place < len(hand.rounds) - 1 and actions:
                raise Unfit("the rounds do not fit", f"{street!r} is played again")
            while len(hand.rounds) <= place:
                hand.next_round()
        elif street != "showdown":
            raise Unfit("the rounds do not fit", f"{street[:30]!r} is no street of hold'em")
        for action in actions:
            self._read_action(_object(action))

    def _read_action(self, action: Object) -> None:
        kind = str(action.get("action", "")).lower()
        who, hand = action.get("player_id"), self._hand
        if kind in _IDLE:
            return
        if kind == "add to pot" and who is None:
            self._added += self._chips(action, "amount")
            return
        number = self._seats.get(str(who), -1)
        if number < 0:
            raise Unfit("an entry cannot be read", f"player {str(who)[:30]!r} has no seat")
        amount = self._chips(action, "amount")
        if kind == "fold":
            hand.fold(number)
        elif kind == "check":
            hand.check(number)
        elif kind == "call":
            hand.call(number, -1 if action.get("amount") is None else amount)
        elif kind in ("bet", "raise"):
            hand.raise_by_adding(number, amount)
        elif kind in ("post bb", "post extra blind"):
            hand.post_big_blind(number, amount, late=kind != "post bb")
        elif kind in _POSTS or kind == "add to pot":
            hand.post(number, _POSTS.get(kind, ForcedBet.DEAD_BLIND), amount)
        elif kind in _SIGHTS:
            hand.show(number, _cards(action.get("cards")), _SIGHTS[kind])
        else:
            raise Unfit("an action cannot be read", repr(kind[:40]))

    def _read_pots(self) -> tuple[int | None, int | None]:
        """All fees and all pots as the file has them; None where it does not say."""
        collected = self._hand.collected
        for pot in self._pots:
            for win in map(_object, pot.get("player_wins") or ()):
                number = self._seats.get(str(win.get("player_id")), -1)
                if number < 0:
                    raise Unfit("an entry cannot be read", f"a winner {str(win.get('player_id'))[:30]!r}")
                collected[number] = collected.get(number, 0) + self._chips(win, "win_amount")
        fees = [self._chips(pot, name) for pot in self._pots for name in ("rake", "jackpot")]
        known = all(pot.get("rake") is not None for pot in self._pots)
        told = all(pot.get("amount") is not None for pot in self._pots)
        pots = sum(self._chips(pot, "amount") for pot in self._pots)
        return sum(fees) if known else None, pots if told else None

    def _boards(self) -> list[Cards]:
        runs = max(map(len, self._cards.values()))
        if any(len(dealt) not in (0, 1, runs) for dealt in self._cards.values()):
            raise Unfit("the board does not fit", "streets are dealt unequally often")
        return [
            tuple(
                card
                for dealt in self._cards.values()
                if dealt
                for card in dealt[run if len(dealt) > 1 else 0]
            )
            for run in range(runs)
        ]

    def _small_bet(self) -> int | None:
        if not self._limit:
            return None
        if "_small_bet" in self._entries:
            return self._chips(self._entries, "_small_bet")
        full = [
            amount
            for number, kind, amount in self._hand.posts
            if kind is ForcedBet.BIG_BLIND and self._hand.left(number)
        ]
        self._hand.big_blind = small_bet_of(self._low, self._high, full[0] if full else self._high)
        return self._hand.big_blind

    def _fill_own(self, draft: Draft) -> None:
        """Take over the entries of our own that the rules need; `write_ohh` writes them."""
        entries = self._entries
        if "_posts" in entries:
            posts = [text.split(" ", 1) for text in entries["_posts"]]
            draft.posts = [
                Post(int(seat), ForcedBet(rest.rpartition(" ")[0]), int(rest.rpartition(" ")[2]))
                for seat, rest in posts
            ]
            draft.big_blind = self._high
        draft.called_in_full = entries.get("_called_in_full") is not False


_AMOUNTS = (
    *("small_blind_amount", "big_blind_amount", "ante_amount", "starting_stack", "amount", "rake", "jackpot"),
    *("win_amount", "_small_bet"),
)

# What a `Hand` knows and the format has no word for. Each entry is written only where it is needed.
#
#     _chip            the chip amounts are counted in, "0.01"
#     _currency        the currency of amounts in a tournament, which usually have none
#     _posts           every forced bet as "seat kind amount", in order
#     _sights          how each seat's cards were seen
#     _called_in_full  false where a big blind that is all-in for less is called for what it is
#     _small_bet       the small bet, if it is not the big blind
#     _unlimited       nobody can run out of chips; the stacks stand for that
#     _game            what the game is called
#     _source          where the hand comes from, if that is not the room


def _with_own(hand: Hand, entries: Object) -> Hand:
    """The hand with the entries of our own that the rules do not need; `write_ohh` writes them."""
    changes: dict[str, Any] = {}
    if "_game" in entries:
        changes["game"] = _text(entries["_game"])
    if entries.get("_unlimited") is True:
        changes["stacks"] = None
    if "_sights" in entries:
        changes["sights"] = tuple(map(Sight, entries["_sights"]))
    if "_small_bet" in entries:
        small = chips_of(_plain(entries["_small_bet"]), decimals_of(hand.stakes.chip))
        changes["stakes"] = replace(hand.stakes, small_bet=small)
    return replace(hand, **changes) if changes else hand


# Values of JSON.


def _object(value: object) -> Object:
    if not isinstance(value, dict):
        raise Unfit("an entry cannot be read", f"{str(value)[:40]!r} is no object")
    return value


def _list(entries: Object, name: str) -> list[Any]:
    value = entries.get(name)
    if not isinstance(value, list):
        raise Unfit("an entry is missing", f"{name!r}")
    return value


def _place(part: Object) -> int:
    """The order of a round: its id. In 1.2.0 it is called "round"."""
    value = part.get("id", part.get("round"))
    return 0 if value is None else int(value)


def _text(value: object, empty: bool = False) -> str:
    """A name, or the like; None and numbers are allowed where a text may be ``empty``."""
    text = "" if value is None else str(value)
    if isinstance(value, (dict, list)) or len(text) > MAX_TEXT or not (text or empty):
        raise Unfit("an entry cannot be read", f"{text[:40]!r} is no name")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise Unfit("an entry cannot be read", f"{text[:40]!r} is no Unicode") from None
    return text


@lru_cache(maxsize=2**12)
def _plain(value: object) -> str:
    """A number as a text such as ``"12.5"``, without an exponent and with at most six decimals."""
    if isinstance(value, bool) or not isinstance(value, (int, str)):
        raise Unfit("an amount cannot be read", repr(value)[:30])
    text = str(value)
    if _PLAIN.fullmatch(text):
        return text
    try:
        number = Decimal(text)
        if not number.is_finite() or number < 0 or number.adjusted() >= MAX_DIGITS or len(text) > 60:
            raise Unfit("an amount cannot be read", repr(text[:30]))
        return format(round(abs(number), MAX_DECIMALS), "f")  # "-0.0" is nothing
    except InvalidOperation:
        raise Unfit("an amount cannot be read", repr(text[:30])) from None


def _cards(value: object) -> Cards:
    """The cards of a list, or of one text; those that are not known are left out."""
    if value is None:
        return ()
    if isinstance(value, str):
        text = value if " " in value else " ".join(re.findall("..", value))
        return read_cards(text)
    if not isinstance(value, list) or not all(card is None or isinstance(card, str) for card in value):
        raise Unfit("cards", repr(value)[:40])
    return read_cards(" ".join(card for card in value if card))


def _is_limit(entries: Object) -> bool:
    """Whether this is limit hold'em, not no-limit; other games raise `Unfit`."""
    kind = str(entries.get("game_type", ""))
    if not kind:
        raise Unfit("an entry is missing", "'game_type'")
    if kind.lower().replace("'", "") != "holdem":
        raise Unfit(_OTHER_GAMES.get(kind.lower(), "another game"), repr(kind[:40]), other_game=True)
    limit = _object(entries.get("bet_limit"))
    bets = str(limit.get("bet_type", "")).upper()
    if bets == "PL":
        raise Unfit("pot-limit hold'em", "", other_game=True)
    if bets not in ("NL", "FL"):
        raise Unfit("an entry cannot be read", f"a bet_type of {bets[:20]!r}")
    if bets == "NL" and limit.get("bet_cap") not in (None, "", 0) and Decimal(_plain(limit["bet_cap"])):
        raise Unfit("hold'em with a cap", f"of {_plain(limit['bet_cap'])}", other_game=True)
    return bets == "FL"


def _currency(entries: Object) -> str:
    """The currency of the amounts; none in tournaments and for play money."""
    code = _text(entries.get("currency"), empty=True)
    if "_currency" in entries:
        return _text(entries["_currency"])
    return "" if _is_tournament(entries) or code.upper() in _PLAY_MONEY else code


def _is_tournament(entries: Object) -> bool:
    said = entries.get("tournament")
    return bool(entries.get("tournament_info") if said is None else said)  # 1.2 does not say


def _time(value: object) -> datetime | None:
    """A time in ISO 8601; without a zone it is UTC. None where there is none."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
        if time is None or time.tzinfo is None:
            return time and time.replace(tzinfo=UTC)
        return time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


# Writing.


class _Number(str):
    """A number as it stands in JSON."""

    __slots__ = ()


def write_ohh(hand: Hand) -> str:
    """A hand of hold'em in Open Hand History, ending in a line break. Reading it gives an equal hand.

    Seats are numbered by position, and the button is in the last one. All pots are written as one. A hand
    that is not hold'em is a `SoulreadError`.
    """
    try:
        return _json({"ohh": _Writer(hand).entries()}) + "\n"
    except Unfit as error:
        raise SoulreadError(f"hand {hand.id!r} cannot be written: {error.reason}: {error.detail}") from None


class _Writer:
    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._path = retrace(hand)
        self._decimals = decimals_of(hand.stakes.chip)
        self._limit = "no-limit" not in hand.variant
        self._stacks = hand.stacks or (PLENTY * hand.stakes.big_blind,) * hand.num_players
        self._folded = {step.seat for step in self._path.steps if step.kind == FOLD}

    def entries(self) -> dict[str, Any]:
        """The entries of the hand."""
        hand, stakes = self._hand, self._hand.stakes
        small = [post.amount for post in hand.posts if post.kind is ForcedBet.SMALL_BLIND]
        flags = [] if hand.observer is not None else ["Observed"]
        entries: dict[str, Any] = {
            "spec_version": VERSION,
            "site_name": hand.room,
            "network_name": hand.room,
            "internal_version": VERSION,
            "tournament": stakes.tournament,
            "game_number": hand.id,
            "start_date_utc": _written_time(hand.time),
            "table_name": hand.table,
            "game_type": "Holdem",
            "bet_limit": {"bet_type": "FL" if self._limit else "NL", "bet_cap": _Number("0")},
            "table_size": hand.num_players,
            "currency": stakes.currency or _PLAY_MONEY[0],
            "dealer_seat": hand.num_players,
            "small_blind_amount": self._amount(max(small, default=stakes.big_blind // 2)),
            "big_blind_amount": self._amount(stakes.big_blind),
            "ante_amount": self._amount(stakes.ante),
            "hero_player_id": hand.observer,
            "flags": [*flags, "Run_It_Twice"] if len(hand.boards) > 1 else flags,
            "players": [
                {
                    "id": seat,
                    "seat": seat + 1,
                    "name": name,
                    "starting_stack": self._amount(self._stacks[seat]),
                }
                for seat, name in enumerate(hand.players)
            ],
            "rounds": [{"id": number, **part} for number, part in enumerate(self._rounds())],
            "pots": [self._pot()],
        }
        return entries | self._own()

    def _amount(self, chips: int) -> _Number:
        return _Number(amount_text(chips, self._decimals))

    def _rounds(self) -> Iterator[dict[str, Any]]:
        hand, path = self._hand, self._path
        last = max((step.round for step in path.steps), default=0)
        for street in range(last + 1):
            actions = [*self._posts(), *self._dealt()] if street == 0 else []
            actions += [self._step(step) for step in path.steps if step.round == street]
            yield self._round(street, hand.board, actions)
        for street in range(last + 1, 4):
            streets = [_dealt_on(street, board) for board in hand.boards]
            if streets[0] and len(set(streets)) == 1:
                yield self._round(street, hand.board, [])
        if len(hand.boards) > 1:
            for board in hand.boards:
                for street in range(last + 1, 4):
                    if len({_dealt_on(street, other) for other in hand.boards}) > 1:
                        yield self._round(street, board, [])
        if shown := list(self._shown()):
            yield {"street": "Showdown", "cards": [], "actions": _numbered(shown)}

    def _round(self, street: int, board: Cards, actions: list[dict[str, Any]]) -> dict[str, Any]:
        cards = list(map(card_name, _dealt_on(street, board)))
        return {"street": _NAMES[street], "cards": cards, "actions": _numbered(actions)}

    def _action(self, seat: int, action: str, chips: int = 0, is_allin: bool = False) -> dict[str, Any]:
        return {"player_id": seat, "action": action, "amount": self._amount(chips), "is_allin": is_allin}

    def _step(self, step: RefereeStep) -> dict[str, Any]:
        if step.kind in (FOLD, CHECK):
            return self._action(step.seat, "Fold" if step.kind == FOLD else "Check")
        opens = step.round and step.by == step.to
        word = "Call" if step.kind == CALL else "Bet" if opens else "Raise"
        return self._action(step.seat, word, step.added, is_allin=step.all_in)

    def _posts(self) -> Iterator[dict[str, Any]]:
        hand = self._hand
        left = list(self._stacks)
        main = min([post.seat for post in hand.posts if post.kind is ForcedBet.BIG_BLIND], default=-1)
        for post in hand.posts:
            left[post.seat] -= post.amount
            word = _WORDS[post.kind]
            if post.kind is ForcedBet.BIG_BLIND and post.seat != main:
                word = "Post Extra Blind"
            yield self._action(post.seat, word, post.amount, is_allin=not left[post.seat])
        if hand.rake < 0:
            yield {
                "player_id": None,
                "action": "Add to Pot",
                "amount": self._amount(-hand.rake),
                "is_allin": False,
            }

    def _dealt(self) -> Iterator[dict[str, Any]]:
        hand = self._hand
        for seat, (cards, sight) in enumerate(zip(hand.hole, hand.sights, strict=True)):
            if cards and (seat == hand.observer or sight is Sight.DEALT):
                yield {"player_id": seat, "action": "Dealt Cards", "cards": list(map(card_name, cards))}

    def _shown(self) -> Iterator[dict[str, Any]]:
        hand = self._hand
        for seat, (cards, sight) in enumerate(zip(hand.hole, hand.sights, strict=True)):
            if cards and sight is Sight.SHOWN:
                yield {"player_id": seat, "action": "Shows Cards", "cards": list(map(card_name, cards))}
            elif sight is Sight.MUCKED:
                known = {"cards": list(map(card_name, cards))} if cards else {}
                yield {"player_id": seat, "action": "Mucks Cards", **known}

    def _pot(self) -> dict[str, Any]:
        hand, paid = self._hand, self._path.paid
        return {
            "number": 0,
            "amount": self._amount(sum(paid) + max(0, -hand.rake)),
            "rake": self._amount(max(0, hand.rake)),
            "player_wins": [
                {"player_id": seat, "win_amount": self._amount(won + chips)}
                for seat, (won, chips) in enumerate(zip(hand.payoffs, paid, strict=True))
                if won + chips
            ],
        }

    def _own(self) -> dict[str, Any]:
        """The entries that begin with ``_`` which this hand needs to come back the same."""
        hand, stakes = self._hand, self._hand.stakes
        own: dict[str, Any] = {}
        if stakes.chip != ("0.01" if stakes.currency else "1"):
            own["_chip"] = stakes.chip
        if stakes.tournament and stakes.currency:
            own["_currency"] = stakes.currency
        if self._needs_posts():
            own["_posts"] = [f"{post.seat} {post.kind} {post.amount}" for post in hand.posts]
        if hand.sights != self._usual_sights():
            own["_sights"] = [str(sight) for sight in hand.sights]
        if not self._path.called_in_full:
            own["_called_in_full"] = False
        if stakes.small_bet != stakes.big_blind:
            own["_small_bet"] = self._amount(stakes.small_bet)
        if hand.source != hand.room:
            own["_source"] = hand.source
        if hand.stacks is None:
            own["_unlimited"] = True
        if hand.game != game_name(hand.num_players, self._limit):
            own["_game"] = hand.game
        return own

    def _needs_posts(self) -> bool:
        """Whether the big blinds are others than a reader takes them for."""
        big = self._hand.stakes.big_blind
        left = list(self._stacks)
        first = True
        for post in self._hand.posts:
            if post.kind is ForcedBet.BIG_BLIND:
                if post.amount > big or (first and post.amount != big and left[post.seat] > post.amount):
                    return True
                first = False
            if not post.amount:
                return True
            left[post.seat] -= post.amount
        return False

    def _usual_sights(self) -> tuple[Sight, ...]:
        """The sight of each seat's cards as a reader finds it."""
        hand, found = self._hand, []
        for seat, (cards, sight) in enumerate(zip(hand.hole, hand.sights, strict=True)):
            came = hand.showdown and seat not in self._folded
            if cards is None:
                found.append(Sight.MUCKED if came else Sight.UNSEEN)
            elif sight is Sight.UNSEEN or (sight is Sight.MUCKED and not came):
                found.append(Sight.DEALT)
            else:
                found.append(sight)
        return tuple(found)


_WORDS = {
    ForcedBet.ANTE: "Post Ante",
    ForcedBet.SMALL_BLIND: "Post SB",
    ForcedBet.BIG_BLIND: "Post BB",
    ForcedBet.DEAD_BLIND: "Post Dead",
    ForcedBet.STRADDLE: "Straddle",
}


def _dealt_on(street: int, board: Cards) -> Cards:
    """The cards of a board that a street brings."""
    return () if street == 0 else board[:3] if street == 1 else board[street + 1 : street + 2]


def _numbered(actions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"action_number": number, **action} for number, action in enumerate(actions, start=1)]


def _written_time(time: datetime | None) -> str | None:
    return None if time is None else time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _json(value: Any, indent: str = "") -> str:
    """JSON where what fits stands on one line, so that no line grows long."""
    if isinstance(value, _Number):
        return str(value)
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, dict):
        first, last = "{}"
        items = [f"{json.dumps(name)}: {_json(item, indent + ' ')}" for name, item in value.items()]
    else:
        first, last = "[]"
        items = [_json(item, indent + " ") for item in value]
    flat = ", ".join(items)
    if len(flat) <= 150 and "\n" not in flat:
        return f"{first}{flat}{last}"
    return f"{first}\n{indent} " + f",\n{indent} ".join(items) + f"\n{indent}{last}"
