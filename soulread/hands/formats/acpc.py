"""Match logs of the ACPC dealer, and the lines that a dealer and its players send each other.

**Logs** have one line per hand, with the hole cards of everybody:

    STATE:1:rrc/crc/cc/cc:9h6s|3d3h/5s3s8h/9d/5c:-40|40:Bob|Alice

The fields are number, betting, cards, net chips and names; the last three by position, seat 0 first. Lines
that begin with ``#`` or ``;``, and the final ``SCORE:``, say nothing about a hand. Small decks are written
with the top ranks: the J, Q, K of our Kuhn and Leduc are Q, K, A there. Chips are often a multiple of ours:
with blinds of 5 and 10, five chips of the log are one of ours. A log has one such factor, the one that most
of its hands agree on.

A hand that stands in a log several times counts once (`soulread.hands.formats.repeats`). A hand takes at most
`MAX_LINE` characters, and a file at most `MAX_CHARACTERS`, so that reading ends whatever the file is.

**Lines of a match** (protocol 2.0.0): a player begins with `VERSION`. The dealer then sends every player a
line after every event, with the cards that this player may see:

    MATCHSTATE:0:7:rrc/:TdAs|/2c8c3h         position, number of the hand, betting, cards
    MATCHSTATE:0:7:rrc/:TdAs|/2c8c3h:r       the reply of the player whose turn it is

The functions here turn such lines into `MatchState` and states of a game, and back. They are pure; sockets
are elsewhere.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Self, TextIO

from soulread.cards.deck import RANKS, card_name, cards_name, parse_cards, verify_distinct
from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import (
    CALL,
    FOLD,
    RAISE,
    PokerGame,
    PokerState,
    PokerView,
    parse_action,
    raises_among,
    replay,
    with_spare_cards,
)
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.repeats import find_repeats
from soulread.hands.hand import Hand, Sight, verify_sizes
from soulread.hands.record import seen_by_dealer
from soulread.storage.files import replacing, verify_readable, verify_writable
from soulread.words import printable

MAX_LINE = 10_000  # characters; a hand of ten players, all of whom raise, takes a tenth of this
MAX_CHARACTERS = 2**31
VERSION = "VERSION:2.0.0"  # the first line of a player

_VERSION = re.compile(r"VERSION:([0-9]{1,9})\.([0-9]{1,9})\.([0-9]{1,9})")
_BETTING = re.compile(r"(?:[fc/]|r[0-9]{0,18})*")
_CARDS = re.compile("[2-9TJQKAcdhs|/]*")
_ACTION = re.compile("[fc]|r[0-9]*")
_SIZE = re.compile("r[0-9]{1,18}")
_STATE_FIELDS = "MATCHSTATE:position:number:betting:cards"
_FIELDS = "STATE:number:betting:cards:chips:names"
_NUMBER = re.compile(r"[0-9]{1,18}")
_AMOUNT = re.compile(r"[+-]?[0-9]{1,15}(\.[0-9]{1,6})?")
_PATIENCE = 100  # lines without one hand, after which a file is taken for something else
_BUFFER = 2**16  # bytes
_QUOTED = 200  # characters of a message
_EXCERPT = 60  # characters of a line in a message


_Read = tuple[int, Hand, tuple[Fraction, ...], bool]
"""Line, hand, the chips written there, and whether those can be compared with the hand's own."""


@dataclass(frozen=True)
class Log:
    """The hands of a log in order, and the lines that were left out.

    ``hole`` holds all cards the log names, also those nobody at the table saw; ``observer`` is None.
    ``scale`` is how many chips of the log are one of ours. ``repeats`` is how many lines were left out
    because they repeat a hand.
    """

    hands: tuple[Hand, ...]
    bad: tuple[Skipped, ...]
    scale: Fraction
    repeats: int = 0

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody's names, in order of appearance."""
        return tuple(dict.fromkeys(name for hand in self.hands for name in hand.players))


def read_log_file(path: str | os.PathLike[str], game: PokerGame) -> Log:
    """Read a log of ``game`` from a file; see `read_log`. A file without any hand of the game is refused.

    Regular files and pipes are read, and nothing else: ``/dev/zero`` has no end.
    """
    verify_readable(path, pipes=True)
    where = repr(str(path))
    try:
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            log = read_log(_bounded_lines(file, where), game, Path(path).name)
    except OSError as error:
        raise SoulreadError(f"{where} cannot be read: {error.strerror}") from None
    if log.bad and not log.hands:
        raise ParseError(
            f"{where} has no hand of {game.name!r}; {len(log.bad):,} lines were refused, the first one is "
            f"line {log.bad[0].line}: {log.bad[0].detail}"
        )
    if not log.hands:
        raise ParseError(f"{where} has no hands; expected lines such as {_FIELDS}")
    return log


def read_log(lines: Iterable[str], game: PokerGame, source: str = "") -> Log:
    """Read a log of ``game``; a line that cannot be read is noted and the next one follows.

    ``source`` says where the lines come from; every hand carries it. Lines none of which looks like a hand
    are no log, and refused.
    """
    read: list[_Read] = []
    texts: list[tuple[int, str]] = []
    bad: list[Skipped] = []
    first, is_log = "", False
    for number, line in enumerate(lines, start=1):
        text = line[: MAX_LINE + 1].strip()
        if not text or text[0] in "#;" or text.startswith("SCORE:"):
            continue
        first = first or text
        is_log = is_log or text.startswith("STATE:")
        if not is_log and number > _PATIENCE:
            break
        entry = _read_line(number, text, game, source, source)
        if isinstance(entry, Skipped):
            bad.append(entry)
        else:
            read.append(entry)
            texts.append((int(entry[1].id), text))
    if first and not is_log:
        kind = "; it is not text" if any(sign in first for sign in "\0\ufffd") else ""
        raise ParseError(
            f"{repr(source) if source else 'this'} is not an ACPC match log: its first line is "
            f"{first[:60]!r}, not {_FIELDS}{kind}"
        )
    repeats = find_repeats(texts, _num_deals(game))
    read = [entry for position, entry in enumerate(read) if position not in repeats]
    scale = _scale(read)
    hands = []
    for entry in read:
        scaled = _scaled(entry, scale, source)
        if isinstance(scaled, Skipped):
            bad.append(scaled)
        else:
            hands.append(scaled)
    return Log(tuple(hands), tuple(sorted(bad, key=lambda skipped: skipped.line)), scale, len(repeats))


def looks_like_log(head: str) -> bool:
    """Whether a file that begins so is a match log."""
    return any(line.startswith("STATE:") for line in head.split("\n")[:_PATIENCE])


def read_acpc(lines: Iterable[str], game: PokerGame, source: str) -> Iterator[Hand | Skipped]:
    """The hands of a log of ``game``, one at a time, and a `Skipped` for each hand that is left out.

    How many chips of the log are one of ours is found out from its first `_SAMPLE` hands. A hand that stands
    there twice comes twice, with the same id; `read_log`, which keeps the whole log, leaves it out.
    """
    waiting: list[_Read] = []
    scale: Fraction | None = None
    place = PurePosixPath(source.replace("\\", "/")).name
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text[0] in "#;" or text.startswith("SCORE:"):
            continue
        entry = _read_line(number, text, game, place, source)
        if isinstance(entry, Skipped):
            yield entry
            continue
        if scale is not None:
            yield _scaled(entry, scale, source)
            continue
        waiting.append(entry)
        if len(waiting) == _SAMPLE:
            scale = _scale(waiting)
            for entry in waiting:
                yield _scaled(entry, scale, source)
    if scale is None:
        scale = _scale(waiting)
        for entry in waiting:
            yield _scaled(entry, scale, source)


_SAMPLE = 200  # hands


def _read_line(number: int, text: str, game: PokerGame, place: str, source: str) -> _Read | Skipped:
    """One hand. ``place`` is the hand's source, ``source`` the file that a `Skipped` names."""
    try:
        if len(text) > MAX_LINE:
            raise ParseError(f"{text[:60]!r} and so on; a line may have {MAX_LINE:,} characters")
        return number, *_parse(text, game, place)
    except SoulreadError as error:
        illegal = isinstance(error, IllegalAction)
        reason = "an action is not legal" if illegal else "a line cannot be read"
        return Skipped(source, number, _number(text), reason, _short(str(error)))


def _number(text: str) -> str:
    found = re.match("STATE:([0-9]{1,18}):", text)
    return found[1] if found else ""


def _scale(read: Iterable[_Read]) -> Fraction:
    """The chips of a log that make one of ours, by most of its hands."""
    scales = Counter(
        Fraction(chips[0]) / hand.payoffs[0] for _, hand, chips, known in read if known and hand.payoffs[0]
    )
    likely = [factor for factor in scales if factor > 0]
    return max(likely, key=lambda factor: scales[factor]) if likely else Fraction(1)


def _scaled(entry: _Read, scale: Fraction, source: str) -> Hand | Skipped:
    number, hand, chips, known = entry
    try:
        return _in_our_chips(hand, chips, known, scale)
    except SoulreadError as error:
        return Skipped(source, number, hand.id, "chips are not conserved", str(error))


def _in_our_chips(hand: Hand, chips: tuple[Fraction, ...], known: bool, scale: Fraction) -> Hand:
    """The hand with the chips that the log has for it; raises `SoulreadError` if they do not fit."""
    ours = tuple([amount / scale for amount in chips])
    if known and ours == hand.payoffs:
        return hand
    written = "|".join(str(amount) for amount in chips)
    if known and _is_shared_finer(ours, hand):
        return hand
    if known:
        expected = "|".join(str(amount * scale) for amount in hand.payoffs)
        raise ParseError(f"chips {written!r}, but the cards and the betting say {expected!r}")
    if any(amount.denominator != 1 for amount in ours):
        raise ParseError(f"chips {written!r} are no whole number of chips, {scale} to one")
    return replace(hand, payoffs=tuple(int(amount) for amount in ours))


def _is_shared_finer(ours: Sequence[Fraction], hand: Hand) -> bool:
    """Whether a log shares a pot to the fraction of a chip, where with us the first winners get odd chips."""
    differ = [amount - won for amount, won in zip(ours, hand.payoffs, strict=True) if amount != won]
    one_apart = len(set(differ)) == 2 and differ[-1] - differ[0] == 1
    return hand.showdown and sum(ours) == 0 and one_apart and differ == sorted(differ)


def _short(message: str) -> str:
    return message if len(message) <= _QUOTED else f"{message[:_QUOTED]}..."


def _num_deals(game: PokerGame) -> int:
    """The number of ways to deal the hole cards."""
    rules = game.rules
    left = len(rules.deck)
    return math.prod(
        math.comb(left - seat * rules.hole_cards, rules.hole_cards) for seat in range(rules.num_players)
    )


def _bounded_lines(file: TextIO, where: str) -> Iterator[str]:
    """The lines of a file; of one that is too long, one character more than is allowed."""
    total = 0
    while line := file.readline(MAX_LINE + 1):
        yield line
        total += len(line)
        while not line.endswith("\n") and total <= MAX_CHARACTERS:  # the rest of a line that is too long
            line = file.readline(2**20)
            if not line:
                break
            total += len(line)
        if total > MAX_CHARACTERS:
            raise SoulreadError(f"{where} is longer than {MAX_CHARACTERS:,} characters; cut it into parts")


class LogWriter:
    """Writes hands to a file as they end, under a title; the numbers count up from 0.

    The hands replace what the file held when the writer is closed, also after Ctrl-C or an error. Without a
    hand nothing is written. If the disk is full, the file ends with the last hand that found room.
    """

    def __init__(self, path: Path, title: str = "") -> None:
        verify_writable(path, "acpc")
        self._path = path
        self._number = 0
        self._lines = [f"# {title}\n"] if title else []
        self._waiting = 0  # characters in ``_lines``
        self._kept = 0  # bytes in the file
        self._stack = ExitStack()
        self._handle: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._number and self._lines:
            self._flush()
        self._stack.close()

    def __call__(self, end: PokerState, names: Sequence[str]) -> None:
        """Write one finished hand; ``names`` by position."""
        line = log_line(self._number, end, names) + "\n"
        self._lines.append(line)
        self._waiting += len(line)
        self._number += 1
        if self._waiting >= _BUFFER:
            self._flush()

    def remark(self, text: str) -> None:
        """Write a remark, as a comment."""
        self._lines.append(f"# {printable(text)}\n")

    def _flush(self) -> None:
        """Write the lines that wait. If there is no room for all, only whole lines stay in the file."""
        content = "".join(self._lines).encode()
        self._lines, self._waiting = [], 0
        if self._handle is None:
            self._handle = self._stack.enter_context(replacing(self._path)).fileno()
        left = memoryview(content)
        try:
            while left:
                left = left[os.write(self._handle, left) :]
            self._kept += len(content)
        except OSError as error:
            whole = content.rfind(b"\n", 0, len(content) - len(left)) + 1
            missing = content[whole:].count(b"\n")
            if self._number - missing <= 0 or self._kept + whole == 0:
                self._stack.__exit__(type(error), error, error.__traceback__)  # nothing to keep; tells why
            with suppress(OSError):  # a pipe cannot be cut
                os.ftruncate(self._handle, self._kept + whole)
            self._stack.close()
            raise SoulreadError(
                f"{str(self._path)!r} cannot be written: {error.strerror}; it ends after hand "
                f"{self._number - missing - 1}"
            ) from None


def log_line(number: int, end: PokerState, names: Sequence[str], scale: Fraction | int = 1) -> str:
    """The line of a finished hand, without a line break; ``scale`` chips of the log are one of ours."""
    if end.player != TERMINAL:
        raise SoulreadError(f"hand {number} is not over after {end.betting!r}; a log has finished hands")
    for name in names:
        if "|" in name or not name.strip() or "\n" in name:
            raise SoulreadError(f"the name {name!r} cannot stand in a log; it needs letters, and no '|'")
    hole = "|".join(log_cards_name(end.hole(seat), end.game) for seat in range(len(names)))
    if scale.denominator == 1:
        scale = scale.numerator  # fractions take long to multiply
    won = "|".join([str(amount * scale) for amount in end.payoffs()])
    return f"STATE:{number}:{end.betting}:{hole}{board_name(end)}:{won}:{'|'.join(names)}"


def hand_line(hand: Hand) -> str:
    """The line of a record, with a line break. Cards nobody saw are left out.

    A log has no rake and one board; a hand with more is a `SoulreadError`. The number is the hand's id if
    that is a number, else 0.
    """
    if hand.rake or len(hand.boards) > 1:
        raise SoulreadError(f"hand {hand.id!r} has a rake or two boards, which a match log cannot hold")
    for name in hand.players:
        if "|" in name or not name.strip() or not name.isprintable():
            raise SoulreadError(f"the name {name!r} cannot stand in a log; it needs letters, and no '|'")
    small = "52 cards" not in hand.variant
    top = RANKS.index(hand.variant.partition(",")[0][-2]) if small else len(RANKS) - 1
    shift = 4 * (len(RANKS) - 1 - top)
    sizes = [int(size) for size in hand.variant.partition("+")[2].partition(",")[0].split("-")]
    board, start = "", 0
    for size in sizes[1:]:
        if start < len(hand.board):
            board += "/" + cards_name(card + shift for card in hand.board[start : start + size])
        start += size
    hole = "|".join(
        "" if cards is None else cards_name(card + shift for card in cards) for cards in hand.hole
    )
    number = hand.id if _NUMBER.fullmatch(hand.id) else "0"
    won = "|".join(map(str, hand.payoffs))
    return f"STATE:{number}:{hand.betting}:{hole}{board}:{won}:{'|'.join(hand.players)}\n"


def board_name(state: PokerState) -> str:
    """The board as a log or a dealer writes it, a part for each round: "/2c8c3h/9d"."""
    board, text, start = state.board, "", 0
    for count in state.rules.board_cards[1:]:
        if start >= len(board):
            break
        text += "/" + log_cards_name(board[start : start + count], state.game)
        start += count
    return text


# Cards: small decks are written with the top ranks.


def deck_shift(game: PokerGame) -> int:
    """The difference of a log's card and ours: decks of a log end with the ace."""
    return 4 * (len(RANKS) - 1 - (max(game.rules.deck) >> 2))


@lru_cache(maxsize=64)
def log_deck(game: PokerGame) -> Mapping[int, str]:
    """The name in a log of each of our cards: the jack of our Leduc is a queen there."""
    shift = deck_shift(game)
    return {card: card_name(card + shift) for card in game.rules.deck}


@lru_cache(maxsize=64)
def _our_cards(game: PokerGame) -> Mapping[str, int]:
    return {name: card for card, name in log_deck(game).items()}


def log_cards_name(cards: Iterable[int], game: PokerGame) -> str:
    """Our cards as a log or a dealer writes them."""
    names = log_deck(game)
    return "".join([names[card] for card in cards])


def parse_log_cards(text: str, game: PokerGame) -> tuple[int, ...]:
    """The opposite of `log_cards_name`; a card that the game does not have is a `ParseError`."""
    ours = _our_cards(game)
    try:
        cards = tuple([ours[text[place : place + 2]] for place in range(0, len(text), 2)])
    except KeyError:
        return _parse_loosely(text, game)
    if len(set(cards)) < len(cards):
        verify_distinct(parse_cards(text))
    return cards


def _parse_loosely(text: str, game: PokerGame) -> tuple[int, ...]:
    """Cards with blanks between them, or small letters for ranks, or an error that says what is wrong."""
    ours = _our_cards(game)
    names = [card_name(card) for card in parse_cards(text)]
    for name in names:
        if name not in ours:
            expected = ", ".join(log_deck(game)[card] for card in sorted(game.rules.deck))
            raise ParseError(f"card {name!r} is not in the deck of a log of {game.name!r}: {expected}")
    return tuple([ours[name] for name in names])


# Lines of a match.


class MatchState(NamedTuple):
    """A line of a dealer: a point of a hand as one position sees it. Cards are ours."""

    position: int  # of the player who is told: 0 is the first after the button
    number: int  # of the hand
    betting: str
    hole: tuple[tuple[int, ...] | None, ...]  # [positions] None where the cards are not shown
    board: tuple[int, ...]


def parse_version(line: str) -> tuple[int, int, int] | None:
    """The version that a player's first line names; None for any other line."""
    found = _VERSION.fullmatch(line)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


def parse_matchstate(line: str, game: PokerGame) -> MatchState:
    """The line of a dealer of ``game``, without a line break; whatever is wrong with it is a `ParseError`."""
    fields = line.split(":")
    if len(fields) != 5 or fields[0] != "MATCHSTATE":
        raise ParseError(f"{_quoted(line)} is not a state; expected {_STATE_FIELDS}")
    _, position, number, betting, cards = fields
    seats = game.num_players
    if not _NUMBER.fullmatch(number) or not _NUMBER.fullmatch(position) or int(position) >= seats:
        raise ParseError(
            f"position {_quoted(position)} in hand {_quoted(number)}; expected a position from 0 to "
            f"{seats - 1} and a number from 0 up"
        )
    if not _BETTING.fullmatch(betting):
        raise ParseError(f"betting {_quoted(betting)}; expected such as 'rrc/c'")
    hole, board = _cards_of_state(cards, game)
    if hole[int(position)] is None:
        raise ParseError(f"cards {_quoted(cards)}; those of position {position} are missing")
    return MatchState(int(position), int(number), betting, hole, board)


@lru_cache(maxsize=4096)  # a player sees the same cards several times in a hand
def _cards_of_state(text: str, game: PokerGame) -> tuple[tuple[tuple[int, ...] | None, ...], tuple[int, ...]]:
    """The hole cards of each position, and the board: "TdAs|/2c8c3h"."""
    rules = game.rules
    if not _CARDS.fullmatch(text):
        raise ParseError(f"cards {_quoted(text)}; expected such as 'TdAs|/2c8c3h'")
    holes, *boards = text.split("/")
    hole = [parse_log_cards(part, game) if part else None for part in holes.split("|")]
    if len(hole) != rules.num_players or any(
        part is not None and len(part) != rules.hole_cards for part in hole
    ):
        each = f"expected {rules.hole_cards} for each of {rules.num_players} seats"
        raise ParseError(f"hole cards {_quoted(holes)}; {each}")
    sizes = [len(part) for part in boards]
    if sizes != [2 * count for count in rules.board_cards[1 : 1 + len(sizes)]]:
        raise ParseError(f"board {_quoted('/'.join(boards))}; expected {rules.board_cards[1:]} cards")
    board = parse_log_cards("".join(boards), game) if boards else ()
    shown = [card for part in (board, *hole) for card in part or ()]
    if len(set(shown)) < len(shown):
        raise ParseError(f"cards {_quoted(text)}; one of them comes twice")
    return tuple(hole), board


def matchstate_line(number: int, position: int, state: PokerState) -> str:
    """The line, without a line break, that tells ``position`` of a state of hand ``number``.

    It has the player's own cards, and at a showdown the cards of all who have not folded. No others.
    """
    game, showdown, folded = state.game, state.showdown, state.folded
    hole = "|".join(
        [
            log_cards_name(state.hole(seat), game) if seat == position or (showdown and not out) else ""
            for seat, out in enumerate(folded)
        ]
    )
    return f"MATCHSTATE:{position}:{number}:{state.betting}:{hole}{board_name(state)}"


def state_of(seen: MatchState, game: PokerGame) -> PokerState:
    """The state of a game that a line tells. Spare cards stand for those that are not shown.

    The view of the line's own position is right, and so are the payoffs of a finished hand. Betting or cards
    that do not go together are a `SoulreadError`.
    """
    if not seen.betting and not seen.board:
        return _opening(seen.hole, game)
    return _verified(replay(game, seen.betting, [*_dealt(seen.hole, game), *seen.board]), seen)


@lru_cache(maxsize=4096)  # all hands of two players in hold'em, from both positions
def _opening(hole: tuple[tuple[int, ...] | None, ...], game: PokerGame) -> PokerState:
    return replay(game, "", _dealt(hole, game))


def _dealt(hole: Iterable[tuple[int, ...] | None], game: PokerGame) -> list[int | None]:
    unknown = (None,) * game.rules.hole_cards
    return [card for part in hole for card in (part or unknown)]


class _Point:
    """What a line tells, kept: the state, and what its position may know of it once somebody has asked."""

    __slots__ = ("state", "view")

    def __init__(self, state: PokerState) -> None:
        self.state = state
        self.view: PokerView | None = None


class MatchReader:
    """Reads the lines that a player hears, one after the other, into states of the game.

    Every line is read as by `parse_matchstate` and `state_of`. But only what is new in it is played: behind
    the last line, or behind the deal. In a game with few cards all states that have come are kept, for there
    the same ones come again and again. ``names`` says for each position who sits where in a hand.
    """

    def __init__(self, game: PokerGame, names: Sequence[Sequence[str]] = ()) -> None:
        self.game = game
        self.position = 0  # of the player, as the last good line has it
        self.number = -1  # of the hand
        self._names = names or ((),) * game.num_players
        self._state: PokerState | None = None
        self._fields = ("", "", "", "", "")  # position, number, betting, hole cards and board of that line
        limit = game.rules.raise_sizes is not None
        self._actions = {"f": FOLD, "c": CALL} | ({"r": RAISE} if limit else {})
        self._cards = _our_cards(game)
        self._keeps = _num_deals(game) <= _FEW_DEALS
        self._points: dict[tuple[str, str, str], _Point] = {}
        self._point: _Point | None = None  # of the last good line, if it is kept

    def read(self, line: str) -> PokerState:
        """The state that a line tells; one that tells none of the game is an error, and changes nothing."""
        state = point = None
        fields = line.split(":")
        if len(fields) == 5 and fields[0] == "MATCHSTATE":
            _, position, number, betting, cards = fields
            if number == self._fields[1] or _NUMBER.fullmatch(number):
                point = self._points.get((position, betting, cards))
                hole, slash, board = cards.partition("/")
                board = slash + board
                state = (
                    self._further(position, number, betting, hole, board) if point is None else point.state
                )
        if state is None:
            seen = parse_matchstate(line, self.game)
            state = state_of(seen, self.game)
        if point is None and self._keeps:
            point = self._points[position, betting, cards] = _Point(state)
        if number != self._fields[1]:
            self.number = int(number)
        if position != self._fields[0]:
            self.position = int(position)
        self._state, self._point = state, point
        self._fields = position, number, betting, hole, board
        return state

    def view(self) -> PokerView:
        """What the position of the last good line may know."""
        point = self._point
        if point is None:
            assert self._state is not None  # some line was good
            return self._state.view(self.position, self._names[self.position])
        if point.view is None:
            point.view = point.state.view(self.position, self._names[self.position])
        return point.view

    def _further(self, position: str, number: str, betting: str, hole: str, board: str) -> PokerState | None:
        """The state of a line, played on from the last one or the deal; None if it must be read whole."""
        seat, hand, before, known, dealt = self._fields
        state = self._state
        try:
            if (
                state is None
                or number != hand
                or position != seat
                or not betting.startswith(before)
                or not board.startswith(dealt)
            ):
                if position != seat and (
                    not _NUMBER.fullmatch(position) or int(position) >= len(self._names)
                ):
                    return None
                holes, _ = _cards_of_state(hole, self.game)
                if holes[int(position)] is None:
                    return None
                state, before, known, dealt = _opening(holes, self.game), "", hole, ""
            new = betting[len(before) :]
            codes = (new,) if len(new) == 1 else _ACTION.findall(new)
            actions = [self._actions[code] if code in self._actions else int(code[1:]) for code in codes]
            cards = self._dealt(dealt, board[len(dealt) :]) if board != dealt else ()
            try:
                state = state.play_on(actions, cards)
            except IllegalAction:
                state = self._without(cards, state, known).play_on(actions, cards)
            if state.betting != betting or state.player == CHANCE:
                return None
            if state.showdown:
                return self._shown(state, hole)
            return state if hole == known else None
        except (SoulreadError, ValueError, KeyError):  # the line is wrong, or odd
            return None

    def _dealt(self, before: str, more: str) -> list[int]:
        """The cards that are new on the board; a `ValueError` if they are not those of whole rounds."""
        parts = more.split("/")
        begun = 1 + before.count("/")
        if [len(part) for part in parts] != [
            0,
            *(2 * count for count in self.game.rules.board_cards[begun : begun + len(parts) - 1]),
        ]:
            raise ValueError
        cards = "".join(parts)
        return [self._cards[cards[place : place + 2]] for place in range(0, len(cards), 2)]

    def _without(self, cards: Sequence[int], state: PokerState, hole: str) -> PokerState:
        """The state with other spare cards than those that now come."""
        holes, _ = _cards_of_state(hole, self.game)
        known = [*_dealt(holes, self.game), *state.board]
        return state.with_cards(with_spare_cards(self.game, [*known, *cards])[: len(known)])

    def _shown(self, state: PokerState, hole: str) -> PokerState | None:
        """The state of a showdown with the cards that are shown there."""
        holes, _ = _cards_of_state(hole, self.game)
        dealt = list(state.cards)
        size = self.game.rules.hole_cards
        for seat, part in enumerate(holes):
            if part is not None:
                dealt[seat * size : (seat + 1) * size] = part
            elif not state.folded[seat]:
                return None
        return state.with_cards(dealt)


_FEW_DEALS = 1000  # of hole cards, up to which a game has few cards


def _verified(state: PokerState, seen: MatchState) -> PokerState:
    """The state if it is just that of the line."""
    if state.betting != seen.betting or state.cards_due or len(state.board) != len(seen.board):
        raise ParseError(f"betting {_quoted(seen.betting)} with {len(seen.board)} cards on the board")
    if state.showdown:
        hidden = [seat for seat, out in enumerate(state.folded) if not out and seen.hole[seat] is None]
        if hidden:
            raise ParseError(f"a showdown after {_quoted(seen.betting)} without the cards of {hidden}")
    return state


def betting_codes(betting: str) -> list[str]:
    """The actions of a betting string: "rrc/c" is r, r, c and c."""
    return _ACTION.findall(betting)


def action_code(action: int, game: PokerGame) -> str:
    """An action as a line writes it: "f", "c", "r", or in no-limit "r300"."""
    if action == FOLD:
        return "f"
    if action == CALL:
        return "c"
    return "r" if game.rules.raise_sizes is not None else f"r{action}"


def read_reply(code: str, state: PokerState) -> tuple[int, str]:
    """The action that a player's text behind the state means, and what was wrong with it, if anything.

    As with the dealer of the competition, a text that is no action, and an action that is not legal, count as
    a call; a raise in no-limit that is too small or too large is the nearest that is legal.
    """
    try:
        return parse_action(state, code), ""
    except ParseError:
        return CALL, f"{_quoted(code)} is no action; it counts as a call"
    except IllegalAction:
        raises = raises_among(state.legal_actions())
        if _SIZE.fullmatch(code) and raises:
            nearest = min(max(int(code[1:]), raises[0]), raises[-1])
            return nearest, f"{code} is outside {raises[0]} to {raises[-1]}; it counts as r{nearest}"
        return CALL, f"{_quoted(code)} is not legal; it counts as a call"


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}...")


def _parse(text: str, game: PokerGame, source: str) -> tuple[Hand, tuple[Fraction, ...], bool]:
    """The hand of a line, the chips written there, and whether those can be compared with the hand's own."""
    fields = text.split(":", 5)
    if len(fields) != 6 or fields[0] != "STATE":
        raise ParseError(f"{text[:60]!r} is not a hand; expected {_FIELDS}")
    _, number, betting, cards, chips, names = fields
    if not _NUMBER.fullmatch(number):
        raise ParseError(f"hand number {number!r}; expected a number from 0 up, of at most 18 digits")
    players = tuple(names.split("|"))
    rules = game.rules
    if len(players) != rules.num_players or not all(players):
        raise ParseError(f"names {names!r}; {game.name!r} has {rules.num_players} players, parted by '|'")
    if len(set(players)) < len(players):
        raise ParseError(f"names {names!r}; two seats of one name cannot be told apart")
    holes, *board = cards.split("/")
    hole = tuple(parse_log_cards(part, game) or None for part in holes.split("|"))
    wrong = [part for part in hole if part is not None and len(part) != rules.hole_cards]
    if len(hole) != rules.num_players or wrong:
        raise ParseError(
            f"hole cards {holes!r}; expected {rules.hole_cards} for each of {rules.num_players} seats"
        )
    public = tuple(card for part in board for card in parse_log_cards(part, game))
    counts = [len(part) // 2 for part in board]
    if counts != list(rules.board_cards[1 : 1 + len(counts)]):
        raise ParseError(f"board {'/'.join(board)!r}; expected {rules.board_cards[1:]} cards, parted by '/'")
    verify_distinct(public, *(part for part in hole if part is not None))
    dealt = [card for part in hole for card in (part or (None,) * rules.hole_cards)]
    end = replay(game, betting, [*dealt, *public])
    if end.player != TERMINAL:
        raise ParseError(f"betting {betting!r} with board {'/'.join(board)!r}: the hand is not over")
    hand = seen_by_dealer(end, players, id=number, source=source)
    sights = tuple(
        Sight.UNSEEN if cards is None else sight for cards, sight in zip(hole, hand.sights, strict=True)
    )
    written = _chips(chips, rules.num_players)
    hand = replace(hand, hole=hole, sights=sights)
    verify_sizes(hand)
    return hand, written, None not in hole or not end.showdown


def _chips(text: str, num_players: int) -> tuple[Fraction, ...]:
    parts = text.split("|")
    if not all(_AMOUNT.fullmatch(part) for part in parts):
        raise ParseError(f"chips {text!r}; expected numbers parted by '|'")
    if len(parts) != num_players:
        raise ParseError(f"chips {text!r}; expected {num_players} numbers parted by '|'")
    return tuple(Fraction(part) for part in parts)
