"""Hand histories as poker rooms write them: PokerStars, GGPoker, and those who write like PokerStars.

    PokerStars Hand #257180854570: Hold'em No Limit ($0.05/$0.10 USD) - 2025/08/02 11:24:53 CET [...]
    Table 'Wezen' 6-max Seat #3 is the button
    Seat 1: Ann ($13.53 in chips)
    ...

A hand begins with a line that has "Hand #" or "Game #", and goes on to the next one. What is read: the
stakes and the date of the first line, the seats, posts, actions, boards and cards, "collected", and of the
summary the pot, the rake with all fees, and cards. Everything else (chat, who joins, bounties, cash-outs)
says nothing about the play and is passed over. A seat that neither posts nor acts was not dealt in.

Money is counted in cents. Decimals may have a comma, thousands may be parted. Times become UTC; a time
without a zone is taken for UTC. If a time is given twice, the one in Eastern time counts; PokerStars always
gives it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from soulread.cards.deck import RANKS, SUITS, card_name
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE
from soulread.hands.formats.amounts import CHIPS, MAX_DIGITS
from soulread.hands.formats.base import Piece, Skipped, skip_piece
from soulread.hands.formats.texts.words import game_besides, without_winner
from soulread.hands.formats.times import utc_time
from soulread.hands.hand import Cards, ForcedBet, Hand, Post, Sight
from soulread.hands.money import SIGNS, SYMBOLS, amount_text
from soulread.hands.referee import CHECK, Draft, Move, RefereeStep, Unfit, judge, retrace

MAX_LINES = 2_000  # of one hand

_HEADER = re.compile(
    r"(?P<room>[^#:\",]{0,80}?) ?(?:Zoom |Home Game )?(?:Hand|Game) "
    r"#(?P<id>[A-Z]{0,4}[0-9]{1,20}): ?(?P<rest>.*)",
    re.IGNORECASE,
)
_STAKES = re.compile(
    r"\(([^()/]*[0-9])\s*/\s*([^()/]*?[0-9][^()/A-Z]*)(?:\s*\([^()]*\))?\s*([A-Z]{3})?[^()]*\)"
)
_DATE = re.compile(
    r"([0-9]{4})[/-]([0-9]{1,2})[/-]([0-9]{1,2})[ -]+"
    r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))? ?\(?([A-Z]{2,4})?"
)
_TABLE = re.compile(r"Table (?:ID )?'(.*)'.*Seat #([0-9]{1,2}) is the button", re.IGNORECASE)
_SEAT = re.compile(r"Seat ([0-9]{1,2}): (.+) \(([^()]*?[0-9][^()]*?) in chips[^()]*\)", re.IGNORECASE)
_SHOWED = re.compile(r"Seat ([0-9]{1,2}): .*?\b(showed|mucked) \[([^\]]*)\]", re.IGNORECASE)
_FOLDED = re.compile(r"Seat ([0-9]{1,2}): .* folded ")
_COLLECTED = re.compile(
    r"(.+) collected (\S.*?) from (?:the )?(?:main |side )?pot(?:-?[0-9]+)?\b", re.IGNORECASE
)
_RETURNED = re.compile(r"Uncalled bet \(([^()]*[0-9][^()]*)\) returned to (.+)", re.IGNORECASE)
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_POT = re.compile(r"Total pot (\S*[0-9])", re.IGNORECASE)
_FEES = re.compile(r"\| *(Rake|Jackpot|Bingo|Fortune|Tax|Fee|STP)[a-z ]* ([^|]*[0-9])", re.IGNORECASE)
_CARD = {f"{rank}{suit}": 4 * i + j for i, rank in enumerate(RANKS) for j, suit in enumerate(SUITS)}
_CARD |= {f"10{suit}": _CARD[f"T{suit}"] for suit in SUITS}

_HOLDEM = re.compile(r"hold'?em", re.IGNORECASE)
_OTHER_STAKES = re.compile(r"hold'?em - [^ ]*[0-9]/[^ ]*[0-9]", re.IGNORECASE)
_ROOMS = {"": "GGPoker", "poker": "GGPoker", "pokerstars": "PokerStars"}


def looks_like_room(head: str) -> bool:
    """Whether a file that begins so holds hands as poker rooms write them."""
    return " #" in head and any(
        " #" in line and _HEADER.match(line.lstrip("\ufeff ")) for line in head.split("\n")
    )


def cut_room(texts: Iterable[list[str]], source: str) -> Iterator[Piece]:
    """The hands of a file."""
    for start, block in _blocks(texts):
        yield Piece("pokerstars", source, start, "\n".join(block))


def read_room(piece: Piece) -> Iterator[Hand | Skipped]:
    """The hand of a piece, or a `Skipped`."""
    lines = piece.text.split("\n")
    try:
        yield read_block(lines)
    except Unfit as error:
        header = _HEADER.match(lines[0])
        yield skip_piece(error, piece, header["id"] if header else "")


def _blocks(texts: Iterable[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """The first line of each hand and its lines, without blanks around them and empty ones in between."""
    block: list[str] = []
    start = place = 0
    for lines in texts:
        for line in lines:
            place += 1
            if " #" in line and _HEADER.match(text := line.strip("\ufeff \t")):
                if block:
                    yield start, block
                block, start = [text], place
            elif line and (text := line.strip()):
                if not block:
                    start = place
                if len(block) <= MAX_LINES:
                    block.append(text)
    if block:
        yield start, block


def read_block(lines: Sequence[str]) -> Hand:
    """The hand of one block of lines; raises `Unfit`."""
    if len(lines) > MAX_LINES:
        raise Unfit("a hand is too long", f"more than {MAX_LINES} lines")
    return judge(_Reader(lines).draft())


class _Reader:
    """Reads the lines of one hand from top to bottom."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        header = _HEADER.match(lines[0])
        if header is None:
            raise Unfit("a hand without its first line", repr(lines[0][:60]))
        self._id = header["id"]
        room = (header["room"] or "").strip()
        self._room = _ROOMS.get(room.lower(), room)
        rest = header["rest"]
        self._limit = _is_limit(rest, self._room)
        self._time = _time(rest)
        stakes = list(_STAKES.finditer(rest))
        if not stakes:
            if _OTHER_STAKES.search(rest):
                raise Unfit(_unread(self._room), repr(rest.strip()[:60]), other_game=True)
            raise Unfit("the stakes are missing", repr(rest[:80]))
        small, big, code = stakes[-1].groups()
        self._tournament = "tournament" in rest.lower()
        self._currency = "" if self._tournament else _currency(small) or code or ""
        self._decimals = 2 if self._currency else _decimals(lines)
        self._small, self._big = self._amount(small), self._amount(big)
        self._names: dict[int, str] = {}  # by number of the seat
        self._numbers: dict[str, int] = {}
        self._stacks: dict[int, int] = {}
        self._table = ""
        self._button = 0
        self._posts: list[tuple[int, ForcedBet, int]] = []
        self._rounds: list[list[Move]] = [[]]  # with numbers of seats
        self._boards: dict[int, Cards] = {}
        self._hole: dict[int, Cards] = {}
        self._sights: dict[int, Sight] = {}
        self._dealt: list[int] = []
        self._collected: dict[int, int] = {}
        self._returned: dict[int, int] = {}
        self._folded: set[int] = set()  # by the summary
        self._pot: int | None = None
        self._rake: int | None = None
        self._added = 0

    def draft(self) -> Draft:
        """All that the lines tell, in seats by position."""
        self._read()
        self._settle_sights()
        if not self._button:
            raise Unfit("the table is missing", repr(self._lines[1:2])[:80])
        if not self._collected and not self._returned:
            raise without_winner(self._lines)
        posted = {number for number, _, _ in self._posts}
        acted = {move[0] for part in self._rounds for move in part}
        # A seat that sits out may fold its blind in the summary only: as soon as it is its turn.
        self._rounds[0][:0] = [(number, FOLD, 0, -1) for number in sorted(self._folded & posted - acted)]
        active = posted | acted
        order = sorted(active, key=lambda number: (number <= self._button, number))
        seat_of = {number: seat for seat, number in enumerate(order)}
        if not self._folded <= active:
            name = self._names[min(self._folded - active)]
            raise Unfit("an action is missing", f"{name!r} folds in the summary only")
        idle = [self._names[number] for number in self._collected if number not in seat_of]
        if idle:
            raise Unfit("chips are not conserved", f"{idle[0]!r} collects without having played")
        boards = [self._boards[number] for number in sorted(self._boards) if number or len(self._boards) == 1]
        return Draft(
            players=[self._names[number] for number in order],
            stacks=[self._stacks[number] for number in order],
            posts=[Post(seat_of[number], kind, amount) for number, kind, amount in self._posts if amount],
            big_blind=self._small if self._limit else self._big,
            moves=[[(seat_of[n], kind, to, paid) for n, kind, to, paid in part] for part in self._rounds],
            boards=boards or ((),),
            small_bet=self._small if self._limit else None,
            hole={seat_of[number]: cards for number, cards in self._hole.items() if number in seat_of},
            sights={seat_of[number]: sight for number, sight in self._sights.items() if number in seat_of},
            collected=[self._collected.get(number, 0) for number in order],
            pot=self._pot,
            rake=self._rake,
            added=self._added,
            returned=[self._returned.get(number, 0) for number in order] if self._returned else None,
            observer=seat_of.get(self._dealt[0]) if len(self._dealt) == 1 else None,
            id=self._id,
            time=self._time,
            source=self._room,
            table=self._table,
            room=self._room,
            currency=self._currency,
            chip=CHIPS[self._decimals],
            tournament=self._tournament,
        )

    def _read(self) -> None:
        summary = False
        for line in self._lines[1:]:
            if summary:
                self._read_summary(line)
            elif line.startswith("*** "):
                summary = line.startswith("*** SUMMARY")
                self._read_street(line)
            elif line.startswith("Seat ") and self._read_seat(line):
                pass
            elif line.startswith("Table ") and not self._button:
                found = _TABLE.match(line)
                if found:
                    self._table, self._button = found[1], int(found[2])
            elif line.startswith("Dealt to "):
                self._read_dealt(line)
            elif line.startswith(("STP added", "Cash Drop to Pot")):
                self._added += self._amount(line.partition(":")[2])
            else:
                self._read_action(line)

    def _read_seat(self, line: str) -> bool:
        found = None if self._posts else _SEAT.match(line)
        if found is None:
            return False
        number, name = int(found[1]), found[2]
        if number in self._names or name in self._numbers:
            raise Unfit("names", f"seat {number}, {name!r}"[:80])
        self._names[number] = name
        self._numbers[name] = number
        self._stacks[number] = self._amount(found[3])
        return True

    def _read_dealt(self, line: str) -> None:
        found = _BRACKETS.search(line)
        number = self._numbers.get(line[len("Dealt to ") : found.start() if found else None].strip())
        cards = read_cards(found[1]) if found else ()
        if number is not None and cards:
            self._hole[number] = cards
            self._sights[number] = Sight.DEALT
            self._dealt.append(number)

    def _read_street(self, line: str) -> None:
        words = line[4:].partition(" ***")[0].upper().split()
        board = _BOARDS.get(words[0], 0) if words else 0
        name = words[-1] if words else ""
        if name in _STREETS:
            cards = [card for part in _BRACKETS.findall(line) for card in read_cards(part)]
            self._boards[board] = tuple(cards)
            if board <= 1:
                self._rounds.append([])

    def _split(self, line: str) -> tuple[int, str] | None:
        """The number of the seat at the beginning of a line, and what follows the name."""
        name, mark, rest = line.partition(": ")
        if mark and name in self._numbers:
            return self._numbers[name], rest
        for name, number in self._numbers.items():  # a name may hold a colon, or the line none
            if line.startswith(name) and line[len(name) : len(name) + 1] in (":", " "):
                return number, line[len(name) :].lstrip(": ")
        return None

    def _read_action(self, line: str) -> None:
        if " collected " in line:
            found = _COLLECTED.match(line)
            number = self._numbers.get(found[1].rstrip(":")) if found else None
            if found and number is not None:
                self._collected[number] = self._collected.get(number, 0) + self._amount(found[2])
                return
        if line[:12].lower() == "uncalled bet":
            returned = _RETURNED.match(line)
            number = self._numbers.get(returned[2].strip()) if returned else None
            if returned and number is not None:
                self._returned[number] = self._returned.get(number, 0) + self._amount(returned[1])
                return
        split = self._split(line)
        if split is None:
            return
        number, text = split
        verb, _, rest = text.partition(" ")
        moves = self._rounds[-1]
        if verb == "folds":
            moves.append((number, FOLD, 0, -1))
            self._show(number, rest, Sight.SHOWN)
        elif verb == "checks":
            moves.append((number, CHECK, 0, -1))
        elif verb == "calls":
            moves.append((number, CALL, 0, self._amount(rest)))
        elif verb == "bets":
            moves.append((number, RAISE, self._amount(rest), -1))
        elif verb == "raises":
            moves.append((number, RAISE, self._amount(rest.partition(" to ")[2] or rest), -1))
        elif verb in ("posts", "straddle"):
            self._read_post(number, text)
        elif verb in ("shows", "showed"):
            self._show(number, rest, Sight.SHOWN)
        elif verb in ("mucks", "mucked"):
            self._show(number, rest, Sight.MUCKED)

    def _read_post(self, number: int, text: str) -> None:
        words = text.lower()
        amount = self._amount(text)
        if "straddle" in words:
            before = sum(
                paid for seat, kind, paid in self._posts if seat == number and kind is ForcedBet.STRADDLE
            )
            self._posts.append((number, ForcedBet.STRADDLE, amount - before))  # a second one is a total
        elif "ante" in words:
            self._posts.append((number, ForcedBet.ANTE, amount))
        elif "small & big" in words or "small and big" in words:
            self._posts.append((number, ForcedBet.BIG_BLIND, min(amount, self._blind)))
            if amount > self._blind:
                self._posts.append((number, ForcedBet.DEAD_BLIND, amount - self._blind))
        elif "dead" in words or "missed" in words:
            self._posts.append((number, ForcedBet.DEAD_BLIND, amount))
        elif "small blind" in words:
            late = any(kind is ForcedBet.SMALL_BLIND for _, kind, _ in self._posts)
            self._posts.append((number, ForcedBet.DEAD_BLIND if late else ForcedBet.SMALL_BLIND, amount))
        else:
            later = any(kind is ForcedBet.BIG_BLIND for _, kind, _ in self._posts)
            straddles = later and amount > self._blind  # some rooms have no other word for it
            self._posts.append((number, ForcedBet.STRADDLE if straddles else ForcedBet.BIG_BLIND, amount))
            if not self._limit and not words.endswith("all-in") and not later:
                self._big = amount  # a level may have ended between the first line and the blinds

    @property
    def _blind(self) -> int:
        return self._small if self._limit else self._big

    def _show(self, number: int, text: str, sight: Sight) -> None:
        found = _BRACKETS.search(text)
        cards = read_cards(found[1]) if found else ()
        if cards:
            if len(cards) >= len(self._hole.get(number, ())):
                self._hole[number] = cards
            self._sights[number] = sight
        elif sight is Sight.MUCKED and len(self._rounds) > 1:
            self._sights.setdefault(number, sight)

    def _read_summary(self, line: str) -> None:
        if line.startswith("Seat "):
            found = _SHOWED.match(line)
            if found and int(found[1]) in self._names:
                self._read_showed(int(found[1]), found[2].lower() == "showed", read_cards(found[3]))
            elif (told := _FOLDED.match(line)) and int(told[1]) in self._names:
                self._folded.add(int(told[1]))
        elif line[:9].lower() == "total pot":
            found = _POT.match(line)
            if found:
                self._pot = self._amount(found[1])
            for name, text in _FEES.findall(line):
                if name.upper() != "STP":
                    self._rake = (self._rake or 0) + self._amount(text)

    def _read_showed(self, number: int, showed: bool, cards: Cards) -> None:
        if cards and len(self._hole.get(number, ())) < len(cards):
            self._hole[number] = cards
        if cards and showed:
            self._sights[number] = Sight.SHOWN
        elif cards and self._sights.get(number) is not Sight.SHOWN:
            self._sights[number] = Sight.MUCKED

    def _settle_sights(self) -> None:
        """A summary also says "mucked" of cards that were folded; nobody at the table saw those."""
        folded = {move[0] for part in self._rounds for move in part if move[1] == FOLD}
        for number in folded:
            if self._sights.get(number) is Sight.MUCKED:
                self._sights[number] = Sight.DEALT

    def _amount(self, text: str) -> int:
        return read_amount(text, self._decimals)


_STREETS = ("FLOP", "TURN", "RIVER")
_BOARDS = {"FIRST": 1, "SECOND": 2, "THIRD": 3}


def _is_limit(rest: str, room: str) -> bool:
    """Whether the game of a first line is limit hold'em, not no-limit; other games raise `Unfit`."""
    words = rest.lower()
    for known, limit in (("hold'em no limit", False), ("hold'em limit", True), ("nl hold", False)):
        if known in words and "6+" not in words and " cap" not in words.partition(known)[2][:8]:
            return limit
    raise other_game(rest, room)


def other_game(text: str, room: str = "") -> Unfit:
    """The reason why a hand is not read whose game, which ``text`` names, is not hold'em as we play it.

    Hold'em in words that are not known is a hand of a room that is not read.
    """
    words = text.lower()
    pot_limit = "pot-limit hold'em" if "pot limit" in words or "pl hold" in words else ""
    unnamed = _unread(room) if _HOLDEM.search(text) else "another game"
    return Unfit(game_besides(words) or pot_limit or unnamed, repr(text.strip()[:60]), other_game=True)


def _unread(room: str) -> str:
    return f"this is a hand of {room or 'a room without a name'}; not read yet"


def _time(rest: str) -> datetime | None:
    found = _DATE.findall(rest)
    if not found:
        return None
    eastern = [parts for parts in found if parts[6] == "ET"]
    year, month, day, hour, minute, second, zone = (eastern or found)[0]
    seconds = int(hour) * 3600 + int(minute) * 60 + int(second or 0)
    return utc_time(int(year), int(month), int(day), seconds, zone)


def _currency(text: str) -> str:
    for symbol, code in _MONEY.items():
        if symbol in text:
            return code
    return ""


_MONEY = {"R$": "BRL", "C$": "CAD", "â‚¬": "EUR", "Â£": "GBP", **SYMBOLS}


def _decimals(lines: Sequence[str]) -> int:
    """The decimals of chips without a price: none, unless a stack has some."""
    for line in lines[1:]:
        found = _SEAT.match(line)
        if found and re.search(r"[.,][0-9]{1,2}$", found[3]):
            return 2
    return 0


@lru_cache(maxsize=2**16)
def read_amount(text: str, decimals: int, points: bool = False) -> int:
    """The chips of the first amount in a text: ``read_amount("€1.234,50 and is all-in", 2) -> 123450``.

    With ``points`` a single point before three digits parts thousands, as a single comma always does.
    """
    found = _AMOUNT.search(text)
    if found is None or len(found[0]) > 2 * MAX_DIGITS:
        raise Unfit("an amount cannot be read", repr(text[:40]))
    digits = _GAP.sub("", found[0]).rstrip(".,")
    point = max(digits.rfind("."), digits.rfind(","))
    mark = digits[point] if point >= 0 else ""
    after = len(digits) - point - 1
    parts = (mark == "," or points) and after == 3 > decimals and _has_one_mark(digits)
    if mark and (digits.count(mark) > 1 or parts):
        point = -1  # it parts thousands
    whole = digits if point < 0 else digits[:point]
    part = "" if point < 0 else digits[point + 1 :].rstrip("0")
    whole = whole.replace(",", "").replace(".", "")
    if len(part) > decimals or len(whole) + decimals > MAX_DIGITS:
        raise Unfit("an amount cannot be read", repr(text[:40]))
    return int((whole or "0") + part.ljust(decimals, "0"))


def _has_one_mark(digits: str) -> bool:
    """Whether an amount has points or commas, not both, and is not a fraction of one."""
    return ("." in digits) != ("," in digits) and not digits.startswith("0")


_AMOUNT = re.compile(r"[0-9](?:[0-9.,]|[ \xa0'](?=[0-9]{3}))*")
_GAP = re.compile(r"[ \xa0']")
_CENTS = re.compile(r"[.,](?:[0-9][1-9]|[1-9]0?)(?![0-9])")


def has_cents(text: str) -> bool:
    """Whether an amount in a text has decimals that are not zero; three digits part thousands."""
    return _CENTS.search(text) is not None


def read_cards(text: str) -> Cards:
    """The cards between brackets; one that is not shown (``XX``) is left out."""
    cards = []
    for word in text.split():
        card = _CARD.get(word[:-1].upper() + word[-1:].lower())
        if card is not None:
            cards.append(card)
        elif word.strip("X?-*"):
            raise Unfit("cards", repr(text[:40]))
    if len(set(cards)) < len(cards):
        raise Unfit("cards", repr(text[:40]))
    return tuple(cards)


# Writing.

_PLAIN_ID = re.compile(r"[A-Z]{0,4}[0-9]{1,20}")
_PLAIN_ROOM = re.compile(r"[^#:\",\s](?:[^#:\",]{0,78}[^#:\",\s])?")
_NAMES = ("FLOP", "TURN", "RIVER")
_TIMES = ("FIRST", "SECOND", "THIRD")


def write_room(hand: Hand) -> str:
    """A hand of hold'em as PokerStars writes it, ending in a line break.

    Reading it gives an equal hand, but for the name of the game, and for room and source: such a text has
    one word for both, the room, else the source. Seats are numbered by position, and the button is in the
    last one. What such a text cannot hold is a `SoulreadError`: an id without a number,
    names with line breaks, stacks that never run out.
    """
    return "\n".join(_Writer(hand).lines()) + "\n"


class _Writer:
    def __init__(self, hand: Hand) -> None:
        if hand.stacks is None:
            raise SoulreadError(f"hand {hand.id!r} has no stacks, which PokerStars text needs")
        if not _PLAIN_ID.fullmatch(hand.id):
            raise SoulreadError(f"hand id {hand.id!r} cannot stand in PokerStars text; it is a number there")
        named = hand.room or hand.source
        room = "Poker" if named == "GGPoker" else named
        if not _PLAIN_ROOM.fullmatch(room) or not room.isprintable():
            raise SoulreadError(f"the room {named!r} cannot stand in PokerStars text")
        for text in (*hand.players, hand.table):
            if not text.isprintable() or text != text.strip():
                raise SoulreadError(f"the name {text!r} cannot stand in PokerStars text")
        self._decimals = CHIPS.index(hand.stakes.chip) if hand.stakes.chip in CHIPS else -1
        self._sign = SIGNS.get(hand.stakes.currency, "")
        if self._decimals not in ((2,) if hand.stakes.currency else (0, 2)):
            raise SoulreadError(f"a chip of {hand.stakes.chip} cannot stand in PokerStars text")
        if hand.stakes.tournament and hand.stakes.currency:
            raise SoulreadError(
                f"hand {hand.id!r} of a tournament counts in {hand.stakes.currency}, not in chips"
            )
        self._room = room
        self._hand = hand
        self._stacks = hand.stacks
        self._path = retrace(hand)
        if not self._path.called_in_full:
            raise SoulreadError(
                f"hand {hand.id!r} has a big blind that is all-in for less and not called in full, which "
                "PokerStars text does not know"
            )

    def _money(self, chips: int) -> str:
        if self._decimals and not self._hand.stakes.currency:
            return f"{chips // 100}.{chips % 100:02d}"
        return self._sign + amount_text(chips, self._decimals)

    def lines(self) -> Iterator[str]:
        hand = self._hand
        yield self._header()
        yield f"Table '{hand.table}' {hand.num_players}-max Seat #{hand.num_players} is the button"
        for seat, (name, chips) in enumerate(zip(hand.players, self._stacks, strict=True)):
            yield f"Seat {seat + 1}: {name} ({self._money(chips)} in chips)"
        yield from self._posts()
        yield "*** HOLE CARDS ***"
        if hand.rake < 0:
            yield f"STP added: {self._money(-hand.rake)}"
        yield from self._dealt()
        yield from self._streets()
        yield from self._end()
        yield from self._summary()

    def _header(self) -> str:
        stakes, hand = self._hand.stakes, self._hand
        limit = "no-limit" not in hand.variant
        low = (
            stakes.small_bet
            if limit
            else min(
                [post.amount for post in hand.posts if post.kind is ForcedBet.SMALL_BLIND],
                default=stakes.big_blind // 2,
            )
        )
        high = 2 * stakes.small_bet if limit else stakes.big_blind
        code = f" {stakes.currency}" if stakes.currency else ""
        when = ""
        if hand.time is not None:
            now = hand.time.astimezone(UTC)
            when = f" - {now:%Y/%m/%d} {now.hour}:{now:%M:%S} UTC"
        game = "Hold'em Limit" if limit else "Hold'em No Limit"
        if stakes.tournament:
            game = f"Tournament #0, {game} - Level I"  # the record has no number of a tournament
        return f"{self._room} Hand #{hand.id}: {game} ({self._money(low)}/{self._money(high)}{code}){when}"

    def _posts(self) -> Iterator[str]:
        hand = self._hand
        left = list(self._stacks)
        waiting: Post | None = None
        posts = list(hand.posts)
        for place, post in enumerate(posts):
            left[post.seat] -= post.amount
            amount, words = post.amount, _POSTS[post.kind]
            after = posts[place + 1] if place + 1 < len(posts) else None
            both = (ForcedBet.BIG_BLIND, ForcedBet.DEAD_BLIND)
            if after and after.seat == post.seat and (post.kind, after.kind) == both and not waiting:
                waiting = post
                if post.amount == hand.stakes.big_blind:
                    continue
            if waiting and waiting is not post and waiting.amount == hand.stakes.big_blind:
                amount, words = waiting.amount + post.amount, "posts small & big blinds"
            waiting = None
            all_in = "" if left[post.seat] else " and is all-in"
            yield f"{hand.players[post.seat]}: {words} {self._money(amount)}{all_in}"

    def _dealt(self) -> Iterator[str]:
        hand = self._hand
        if hand.observer is not None:
            cards = hand.hole[hand.observer]
            if cards:
                yield f"Dealt to {hand.players[hand.observer]} [{_names(cards)}]"

    def _streets(self) -> Iterator[str]:
        hand, now = self._hand, 0
        for step in self._path.steps:
            while now < step.round:
                now += 1
                yield from self._board(now, hand.board)
            yield f"{hand.players[step.seat]}: {self._words(step)}"
        yield from self._uncalled()
        first, same = now, hand.boards[0]
        for board in hand.boards[1:]:
            same = same[: next((i for i in range(len(same)) if same[i] != board[i]), len(same))]
        for number, board in enumerate(hand.boards):
            for street in range(first + 1, 4):
                last = street + 2
                if last > len(board):
                    break
                if len(hand.boards) > 1 and len(same) < last:
                    yield from self._board(street, board, f"{_TIMES[number]} ")
                elif number == 0:
                    yield from self._board(street, board)

    def _board(self, street: int, board: Cards, which: str = "") -> Iterator[str]:
        before = f"[{_names(board[: street + 1])}] " if street > 1 else ""
        new = board[street + 1 : street + 2] if street > 1 else board[:3]
        yield f"*** {which}{_NAMES[street - 1]} *** {before}[{_names(new)}]"

    def _words(self, step: RefereeStep) -> str:
        all_in = " and is all-in" if step.all_in and step.kind != FOLD else ""
        if step.kind == FOLD:
            return "folds"
        if step.kind == CHECK:
            return "checks"
        if step.kind == CALL:
            return f"calls {self._money(step.added)}{all_in}"
        if step.by == step.to:
            return f"bets {self._money(step.to)}{all_in}"
        return f"raises {self._money(step.by)} to {self._money(step.to)}{all_in}"

    def _uncalled(self) -> Iterator[str]:
        for name, chips in zip(self._hand.players, self._path.uncalled, strict=True):
            if chips:
                yield f"Uncalled bet ({self._money(chips)}) returned to {name}"

    def _end(self) -> Iterator[str]:
        hand = self._hand
        if hand.showdown:
            yield "*** SHOW DOWN ***"
        for seat, name in enumerate(hand.players):
            cards = hand.hole[seat]
            if hand.sights[seat] is Sight.SHOWN and cards:
                yield f"{name}: shows [{_names(cards)}]"
            elif hand.sights[seat] is Sight.MUCKED:
                yield f"{name}: mucks hand"
        for name, won, paid in zip(hand.players, hand.payoffs, self._path.paid, strict=True):
            if won + paid:
                yield f"{name} collected {self._money(won + paid)} from pot"

    def _summary(self) -> Iterator[str]:
        hand = self._hand
        yield "*** SUMMARY ***"
        pot = sum(self._path.paid) + max(0, -hand.rake)
        yield f"Total pot {self._money(pot)} | Rake {self._money(max(0, hand.rake))}"
        if len(hand.boards) > 1:
            for which, board in zip(_TIMES, hand.boards, strict=False):
                yield f"{which} Board [{_names(board)}]"
        elif hand.board:
            yield f"Board [{_names(hand.board)}]"
        for seat, name in enumerate(hand.players):
            cards, sight = hand.hole[seat], hand.sights[seat]
            if cards and sight is Sight.SHOWN:
                yield f"Seat {seat + 1}: {name} showed [{_names(cards)}]"
            elif cards and (sight is Sight.MUCKED or seat != hand.observer):
                yield f"Seat {seat + 1}: {name} mucked [{_names(cards)}]"


_POSTS = {
    ForcedBet.ANTE: "posts the ante",
    ForcedBet.SMALL_BLIND: "posts small blind",
    ForcedBet.BIG_BLIND: "posts big blind",
    ForcedBet.DEAD_BLIND: "posts dead blind",
    ForcedBet.STRADDLE: "posts straddle",
}


def _names(cards: Cards) -> str:
    return " ".join(map(card_name, cards))
