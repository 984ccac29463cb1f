"""Hand histories of Winamax.

    Winamax Poker - CashGame - HandId: #8871203-15-1583940117 - Holdem no limit (0.10€/0.25€) - 2020/... UTC
    Table: 'Nantes' 6-max (real money) Seat #3 is the button
    Seat 1: Ann (25.40€)
    ...
    *** ANTE/BLINDS ***
    Bob posts small blind 0.10€

The form is that of PokerStars with differences. An action has no colon after the name. A bet that nobody
called is not given back but collected with the pot. "Total pot" has the rake taken off, and is rounded where
it is written in thousands (``6.02k``). Who sits down posts "out of position": a small blind is then dead.
The summary may leave out seats that folded; a seat that folds there alone folded in its turn. In a
tournament half chips may be bet while "collected" is rounded to whole ones; the pot then counts.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from soulread.cards.deck import cards_name
from soulread.hands.formats.amounts import CHIPS
from soulread.hands.formats.base import Piece, Skipped, skip_piece
from soulread.hands.formats.rooms import other_game, read_amount, read_cards
from soulread.hands.formats.seated.seating import SeatedHand, marked_parts, small_bet_of
from soulread.hands.formats.times import utc_time
from soulread.hands.hand import Cards, ForcedBet, Hand, Sight
from soulread.hands.referee import Draft, Unfit, judge

MAX_LINES = 2_000  # of one hand
MAX_HEADER = 1_000  # characters
ROOM = "Winamax"

_MARK = re.compile(r"^[\ufeff \t]*Winamax Poker - (?=[^\n]* - HandId: #)", re.MULTILINE)
_HEADER = re.compile(
    r"[\ufeff \t]*Winamax Poker - (?P<kind>.*) - HandId: #(?P<id>-?[0-9]{1,30}(?:-[0-9]{1,30}){0,4}) - "
    r"(?P<game>[^()]*?) ?\((?P<stakes>[^()]*)\) - "
    r"(?P<year>[0-9]{4})/(?P<month>[0-9]{2})/(?P<day>[0-9]{2}) "
    r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2}) ?(?P<zone>[A-Z]{2,4})?"
)
_ID = re.compile(r"HandId: #([0-9-]{1,120})")
_TABLE = re.compile(r"Table: ?'(.*)'(?:.*Seat #([0-9]{1,2}) is the button)?")
_SEAT = re.compile(
    r"Seat ([0-9]{1,2}): (?P<name>.+) \((?P<stack>[^0-9()]{0,4}[0-9][^()]*?)(?:, ?[^(),]*\bbounty[^()]*)?\)"
    r"(?: [a-z -]+)?"
)
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_COLLECTED = re.compile(r" collected ([^0-9a-z]{0,4}[0-9][^a-z]*?) from ")
_ACTS = re.compile(r".+ (?:folds|checks|(?:calls|bets|raises|posts [a-z ]+) [^0-9a-z]{0,4}[0-9][^\"]*)$")
_SUMMARY = re.compile(r"Seat ([0-9]{1,2}): ")
_POT = re.compile(r"Total pot ([0-9][0-9.,]*)[^0-9.,| ]*?([kM]?) ?(?:\||$)")
_RAKE = re.compile(r"\| ?(?:Rake|Jackpot|Fee)[a-z ]* ([0-9][^|]*)", re.IGNORECASE)
_PARTS = re.compile(r"(?: |\()[0-9]+[.,][0-9]{1,2}(?![0-9.,k€])")
_EUROS = re.compile("€|â‚¬|EUR")  # also as an editor of the wrong encoding leaves it
_STREETS = ("FLOP", "TURN", "RIVER")


def looks_like_winamax(head: str) -> bool:
    """Whether a file that begins so holds hands of Winamax."""
    return _MARK.search(head) is not None


def cut_winamax(texts: Iterable[list[str]], source: str) -> Iterator[Piece]:
    """The hands of a file."""
    for start, part in marked_parts(texts, _MARK):
        if part.strip("\ufeff \t\r\n"):
            yield Piece("winamax", source, start, part)


def read_winamax(piece: Piece) -> Iterator[Hand | Skipped]:
    """The hand of a piece, or a `Skipped`."""
    lines = [line.strip() for line in piece.text.split("\n") if line.strip("\ufeff \t\r")]
    try:
        yield read_block(lines)
    except Unfit as error:
        found = _ID.search(lines[0])
        yield skip_piece(error, piece, found[1] if found else "")


def read_block(lines: Sequence[str]) -> Hand:
    """The hand of one block of lines; raises `Unfit`."""
    if len(lines) > MAX_LINES:
        raise Unfit("a hand is too long", f"more than {MAX_LINES} lines")
    return judge(_Reader(lines).draft())


class _Reader:
    """Reads the lines of one hand from top to bottom."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        header = _HEADER.match(lines[0][:MAX_HEADER])
        if header is None:
            raise Unfit("a hand without its first line", repr(lines[0][:60]))
        self._header = header
        self._limit = _is_limit(header["game"])
        self._tournament = header["kind"].startswith("Tournament")
        stakes = header["stakes"].split("/")
        if len(stakes) not in (2, 3):
            raise Unfit("the stakes are missing", repr(header["stakes"][:60]))
        self._currency = "EUR" if _EUROS.search(header["stakes"]) and not self._tournament else ""
        self._decimals = 2 if self._currency or _has_parts(lines) else 0
        self._low, self._high = self._amount(stakes[-2]), self._amount(stakes[-1])
        self._hand = SeatedHand(big_blind=0 if self._limit else self._high)
        self._table = ""
        self._board: Cards = ()
        self._dealt: list[int] = []
        self._street = ""
        self._pot: int | None = None
        self._rake: int | None = None
        self._folded: set[int] = set()  # by the summary

    def draft(self) -> Draft:
        """All that the lines tell, in seats by position."""
        for line in self._lines[1:]:
            if line.startswith("*** "):
                self._begin(line)
            elif self._street == "SUMMARY":
                self._read_summary(line)
            elif not self._street:
                self._read_seat(line)
            else:
                self._read_action(line)
        hand = self._hand
        for number in sorted(self._folded - hand.folded):
            hand.rounds[0].insert(0, (number, 0, 0, -1))  # the referee lets it wait for its turn
        self._round_collected()
        returned = hand.give_back_uncalled() if self._includes_uncalled() else 0
        posted = max([amount for _, kind, amount in hand.posts if kind is ForcedBet.BIG_BLIND], default=0)
        small_bet = small_bet_of(self._low, self._high, posted) if self._limit else None
        draft = hand.draft((self._board,), small_bet)
        draft.rake = self._rake
        if self._pot is not None:
            draft.pot = self._pot - returned
        draft.id, draft.time = self._header["id"], self._time()
        draft.source = draft.room = ROOM
        draft.table = self._table
        draft.currency, draft.chip = self._currency, CHIPS[self._decimals]
        draft.tournament = self._tournament
        return hand.seen_from(draft, self._dealt[0] if len(self._dealt) == 1 else None)

    def _includes_uncalled(self) -> bool:
        return sum(self._hand.collected.values()) + (self._rake or 0) == self._hand.told

    def _round_collected(self) -> None:
        """Of half chips, the room gives whole ones: the winner has what is in the pot."""
        hand = self._hand
        missing = hand.told - sum(hand.collected.values()) - (self._rake or 0)
        if not self._tournament or not 0 < abs(missing) < 100 or self._decimals == 0:
            return
        if len(hand.collected) == 1 and not any(chips % 100 for chips in hand.collected.values()):
            (winner,) = hand.collected
            if self._pot == hand.collected[winner]:
                self._pot += missing
            hand.collected[winner] += missing

    def _time(self) -> datetime | None:
        found = self._header
        seconds = int(found["hour"]) * 3600 + int(found["minute"]) * 60 + int(found["second"])
        return utc_time(
            int(found["year"]), int(found["month"]), int(found["day"]), seconds, found["zone"] or "UTC"
        )

    def _begin(self, line: str) -> None:
        self._street = line[4:].partition(" ***")[0].upper()
        if self._street in _STREETS:
            if len(self._hand.rounds) != _STREETS.index(self._street) + 1:
                raise Unfit("the rounds do not fit", repr(line[:60]))
            board = tuple(card for part in _BRACKETS.findall(line) for card in read_cards(part))
            if board[: len(self._board)] != self._board:
                raise Unfit("cards", f"{line[:60]!r} after {cards_name(self._board)}")
            self._board = board
            self._hand.next_round()

    def _read_seat(self, line: str) -> None:
        found = _SEAT.fullmatch(line)
        if found:
            self._hand.sit(int(found[1]), found["name"], self._amount(found["stack"]))
        elif _SUMMARY.match(line):
            raise Unfit("a seat cannot be read", repr(line[:60]))
        elif table := _TABLE.match(line):
            self._table = table[1]
            self._hand.button = int(table[2]) if table[2] else None

    def _who(self, line: str) -> tuple[int, str] | None:
        """The seat whose name begins a line, and what follows; of two such names the longer one."""
        name, _, rest = line.partition(" ")
        numbers = self._hand.numbers
        names = [other for other in numbers if line.startswith(f"{other} ")]
        if not names:
            return None
        if len(names) > 1 or names[0] != name:
            name = max(names, key=len)
            rest = line[len(name) + 1 :]
        return numbers[name], rest

    def _read_action(self, line: str) -> None:
        if line.startswith("Dealt to "):
            self._read_dealt(line)
            return
        who = self._who(line)
        if who is None:
            if _ACTS.match(line):
                raise Unfit("a player has no seat", repr(line[:60]))
            return
        number, text = who
        verb, _, rest = text.partition(" ")
        hand = self._hand
        if verb == "folds":
            hand.fold(number)
        elif verb == "checks":
            hand.check(number)
        elif verb == "calls":
            hand.call(number, self._amount(rest))
        elif verb == "bets":
            hand.raise_by_adding(number, self._amount(rest))
        elif verb == "raises":
            hand.raise_to(number, self._amount(rest.partition(" to ")[2] or rest))
        elif verb == "posts":
            self._read_post(number, rest)
        elif verb == "collected":
            found = _COLLECTED.match(f" {text}")
            if found:
                hand.collected[number] = hand.collected.get(number, 0) + self._amount(found[1])
        elif verb in ("shows", "mucks"):
            self._show(number, rest, Sight.SHOWN if verb == "shows" else Sight.MUCKED)
        elif _ACTS.match(line):
            raise Unfit("a player has no seat", repr(line[:60]))

    def _read_dealt(self, line: str) -> None:
        found = _BRACKETS.search(line)
        number = self._hand.numbers.get(line[len("Dealt to ") : found.start() if found else None].strip())
        cards = read_cards(found[1]) if found else ()
        if number is not None and cards:
            self._hand.show(number, cards, Sight.DEALT)
            self._dealt.append(number)

    def _read_post(self, number: int, words: str) -> None:
        hand = self._hand
        late = "out of position" in words
        amount = self._amount(words)
        if "ante" in words:
            hand.post(number, ForcedBet.ANTE, amount)
        elif "straddle" in words:
            hand.post(number, ForcedBet.STRADDLE, amount)
        elif "small blind" in words and not late:
            hand.post(number, ForcedBet.SMALL_BLIND, amount)
        elif "small blind" in words and amount <= self._low:
            hand.post(number, ForcedBet.DEAD_BLIND, amount)
        else:
            hand.post_big_blind(number, amount, late)

    def _show(self, number: int, text: str, sight: Sight) -> None:
        found = _BRACKETS.search(text)
        self._hand.show(number, read_cards(found[1]) if found else (), sight)

    def _read_summary(self, line: str) -> None:
        if line.startswith("Total pot"):
            found = _POT.match(line)
            if found and not found[2]:
                self._pot = self._amount(found[1])
            fees = [self._amount(text) for text in _RAKE.findall(line)]
            self._rake = sum(fees) if fees or "no rake" in line.lower() else None
        elif found := _SUMMARY.match(line):
            number = int(found[1])
            rest = line[found.end() :].removeprefix(self._hand.names.get(number, ""))
            if not self._hand.stacks.get(number):
                return
            if re.search(r"(?:^|\)) folded\b", rest):
                self._folded.add(number)
            elif shown := re.search(r" (showed|mucked) \[([^\]]*)\]", rest):
                sight = Sight.SHOWN if shown[1] == "showed" else Sight.MUCKED
                if self._hand.sights.get(number) is not Sight.SHOWN:
                    self._hand.show(number, read_cards(shown[2]), sight)

    def _amount(self, text: str) -> int:
        return read_amount(text, self._decimals)


def _is_limit(game: str) -> bool:
    """Whether the game of a first line is limit hold'em, not no-limit; other games raise `Unfit`."""
    words = game.lower()
    if words.startswith(("holdem", "hold'em")) and "pot limit" not in words and "6+" not in words:
        return "no limit" not in words
    raise other_game(game)


def _has_parts(lines: Sequence[str]) -> bool:
    """Whether amounts of chips without a price have decimals."""
    for line in lines[1:]:
        if line.startswith("*** SUMMARY"):
            return False
        if "[" not in line and _PARTS.search(line):
            return True
    return False
