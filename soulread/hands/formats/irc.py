"""The IRC poker database: limit hold'em of the 1990s, a month of a table in three kinds of file.

    holdem3/199906/hdb            timestamp set game players flop turn river showdown board
    holdem3/199906/hroster        timestamp players name name ...
    holdem3/199906/pdb/pdb.NAME   name timestamp players position, letters (4), bankroll bet won cards

The timestamp joins them. A column such as ``4/120`` of ``hdb`` says how many players saw a round, and the pot
before it. Each player's actions of a round are letters: ``B`` blind, ``f`` fold, ``k`` check, ``b`` bet,
``c`` call, ``r`` raise, ``A`` the action before it was all-in, ``Q`` quit, ``K`` kicked out, ``-`` none. The
order between players is written nowhere. It follows from the positions, so a hand is rebuilt by playing it:
the seat to act by the rules does what its next letter says. The hand is taken if everybody's letters are
used up, everybody paid what ``bet`` says, the pots of the rounds are those of ``hdb``, and the cards, where
all were shown, award the pots as ``won`` says. Any other hand is skipped with a reason.

What is particular about these games:

* Position 1 posts the small blind, position 2 the big one. With two players as well, and position 1 acts
  first in every round. So hands of two are not hands of ``ring-limit:2``; their game is ``irc-limit:2``.
* Blinds may be missing, or posted by somebody who has just sat down. Then ``bet`` decides who posted what.
* Some tables knew no limit of the number of raises when two players were left. A hand with more raises than
  ours allow is played without the limit.
* A player who quits with nothing to call is written as checking until there is something to call, and then as
  folding. Nobody saw the cards.

A hand of the usual kind becomes a hand of ``ring-limit:N``, and one chip is the small blind of the table
(`Stakes.chip`). Hands with somebody all-in, and hands with unusual blinds, have a game of their own, called
``irc-limit:N``: chips are those of the file, and stacks are the bankrolls where somebody ran out.

Lines are sorted by timestamp in parts that fit into memory, so a month may be of any size.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from heapq import merge
from itertools import groupby, product
from math import gcd
from pathlib import Path, PurePosixPath
from typing import IO, Self

from soulread.cards.deck import MAX_PLAYERS, parse_cards, verify_distinct
from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.limit_holdem import limit_rules
from soulread.games.poker import CALL, FOLD, RAISE, UNKNOWN, PokerGame, PokerState, Replay, Rules
from soulread.games.ring_limit import ring_limit
from soulread.hands.formats.base import Skipped, skip
from soulread.hands.formats.sources import BrokenFile, HandSource, shown_path, sources
from soulread.hands.hand import LAST_YEAR, Cards, Hand, Sight, Stakes, verify_sizes
from soulread.hands.record import posts_of
from soulread.hands.referee import Unfit

MAX_LINE = 2_000  # bytes
PART = 400_000  # lines that are sorted in memory at once

_ROUNDS = 4
_LETTERS = frozenset("BfkbcrAQK")
_LEAVES = "QK"
_LAST_TIME = datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC).timestamp()
_MOST_RAISES = 100  # letters of one player in one round

Line = tuple[int, int, int, str]  # month, timestamp, kind of the file, text
_TABLE, _ROSTER, _PLAYER, _BROKEN = range(4)


@dataclass(frozen=True, slots=True)
class _Seat:
    """One player's line."""

    name: str
    letters: tuple[str, ...]  # [rounds]
    bankroll: int
    bet: int
    won: int
    hole: Cards | None


@dataclass(frozen=True, slots=True)
class _Joined:
    """All lines of a hand."""

    time: int
    game: str  # set and number of the hand at its table
    pots: tuple[tuple[int, int], ...]  # [rounds] players and pot: before flop, turn, river and showdown
    board: Cards
    seats: tuple[_Seat, ...]  # by position


def read_irc(path: str | os.PathLike[str]) -> Iterator[Hand | Skipped]:
    """The hands of the database in order of time, and a `Skipped` for each hand that is left out.

    ``path`` is the folder of a month, a folder of such folders, or an archive of either. What lies in
    different folders is never joined; of folders, each is read to its end before the next.
    """
    place = Path(path)
    if place.is_dir():
        folders = [index.parent for index in sorted(place.rglob("hdb"))]
        for folder in folders:
            with Months() as months:
                months.add_folder(folder)
                yield from months.hands()
        if not folders:
            raise ParseError(f"{str(path)!r} has no 'hdb' of the IRC poker database")
        return
    with Months() as months:
        for source in sources(path):
            if isinstance(source, BrokenFile):
                yield Skipped(source.name, 0, "", "a file cannot be read", str(source))
            elif months.takes(source):
                months.add(source)
            elif source.given:
                raise SoulreadError(f"{str(path)!r} cannot be read as an archive: it is none")
        if not months.num_months:
            raise ParseError(f"{str(path)!r} has no 'hdb' of the IRC poker database")
        yield from months.hands()


class Months:
    """Months of tables, whose files come in any order; no more than `PART` lines of them are in memory."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}  # by where a month was found
        self._tables: list[str] = []
        self._indexed: set[int] = set()  # months that have an 'hdb'
        self._part: list[Line] = []
        self._parts: list[Iterator[Line]] = []
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def num_months(self) -> int:
        """The number of months of which something was added."""
        return len(self._tables)

    def takes(self, source: HandSource) -> bool:
        """Whether a file of an archive belongs to a month of the database."""
        name = PurePosixPath(source.member)
        return name.name in ("hdb", "hroster") or (name.name.startswith("pdb.") and name.parent.name == "pdb")

    def add(self, source: HandSource) -> None:
        """Take over the lines of a file; one that is damaged is read as far as it goes, and has an error."""
        name, where = PurePosixPath(source.member), PurePosixPath(source.name).parent
        if name.name.startswith("pdb."):
            name, where = name.parent, where.parent
        with suppress(BrokenFile):
            self._add_lines(source.binary(), source.member, name.parent.parent.name, str(where))

    def add_folder(self, folder: Path) -> None:
        """Take over the files of a folder."""
        players = sorted((folder / "pdb").glob("pdb.*"))
        for path in (folder / "hdb", folder / "hroster", *players):
            try:
                if path.is_file():
                    with open(path, "rb") as file:
                        table = shown_path(folder.parent.name)
                        self._add_lines(file, path.name, table, shown_path(folder))
            except OSError as error:
                raise SoulreadError(f"{str(path)!r} cannot be read: {error.strerror}") from None

    def _add_lines(self, file: IO[bytes], name: str, table: str, where: str) -> None:
        month = self._numbers.setdefault(where, len(self._numbers))
        if month == len(self._tables):
            self._tables.append(table or "irc")
        kind = _kind(PurePosixPath(name).name)
        if kind == _TABLE:
            self._indexed.add(month)
        for time, kind_, text in _lines(file, kind):
            self._part.append((month, time, kind_, text))
            if len(self._part) == PART:
                spill = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115
                self._parts.append(_spilled(self._stack.enter_context(spill), sorted(self._part)))
                self._part = []

    def hands(self) -> Iterator[Hand | Skipped]:
        """The hands of each month in order of time."""
        self._part.sort()
        lines = merge(*self._parts, self._part)
        wheres = list(self._numbers)
        for month, group in groupby(lines, key=lambda line: line[0]):
            if month in self._indexed:
                yield from _read_month(self._tables[month], wheres[month], group)
            else:
                missing = "it has no 'hdb' of the IRC poker database"
                yield Skipped(wheres[month], 0, "", "no hand history", missing)


def _read_month(table: str, source: str, lines: Iterable[Line]) -> Iterator[Hand | Skipped]:
    rebuild = _Rebuilder(table)
    for time, group in groupby(lines, key=lambda line: line[1]):
        texts: tuple[list[str], ...] = ([], [], [], [])
        for _, _, kind, text in group:
            texts[kind].append(text)
        for text in texts[_BROKEN]:
            yield Skipped(source, 0, "", "a line cannot be read", repr(text[:60]))
        if not any(texts[:_BROKEN]):
            continue
        try:
            yield rebuild(_joined(time, texts[_TABLE], texts[_ROSTER], texts[_PLAYER]))
        except Unfit as error:
            yield skip(error, source, id=str(time))


# Lines, with their times.


def _kind(name: str) -> int:
    if name.startswith("pdb."):
        return _PLAYER
    return {"hdb": _TABLE, "hroster": _ROSTER}.get(name, _BROKEN)


def _lines(file: IO[bytes], kind: int) -> Iterator[tuple[int, int, str]]:
    """The lines of one file with their timestamps; a line without one is broken, and has time 0."""
    place = 1 if kind == _PLAYER else 0
    while raw := file.readline(MAX_LINE):
        text = raw.decode("utf-8", "replace").strip()
        if not text:
            continue
        fields = text.split(None, 2)
        time = fields[place] if len(fields) > place else ""
        if len(raw) == MAX_LINE or len(time) > 12 or not (time.isascii() and time.isdigit()):
            yield 0, _BROKEN, text
        else:
            yield int(time), kind, text


def _spilled(file: IO[str], lines: Sequence[Line]) -> Iterator[Line]:
    """The lines again, from a temporary file."""
    file.writelines(f"{month} {time} {kind} {text}\n" for month, time, kind, text in lines)
    file.seek(0)
    return _unspilled(file)


def _unspilled(file: IO[str]) -> Iterator[Line]:
    for line in file:
        month, time, kind, text = line.rstrip("\n").split(" ", 3)
        yield int(month), int(time), int(kind), text


# A hand: its lines joined, and then played.


def _joined(time: int, tables: Sequence[str], rosters: Sequence[str], players: Sequence[str]) -> _Joined:
    """The hand that lines of one timestamp make up."""
    if time >= _LAST_TIME:
        raise Unfit("a line cannot be read", f"the time {time}")
    if len(tables) != 1 or len(rosters) != 1:
        raise Unfit("the lines do not join", f"{len(tables)} lines of hdb, {len(rosters)} of hroster")
    fields = tables[0].split()
    if len(fields) < 8 or not all(_is_number(field) for field in fields[1:4]):
        raise Unfit("a line cannot be read", repr(tables[0][:60]))
    count, names = int(fields[3]), rosters[0].split()[2:]
    if not len(names) == len(players) == count:
        raise Unfit(
            "the lines do not join",
            f"{count} players in hdb, {len(names)} in hroster, {len(players)} in files of players",
        )
    if not 2 <= count <= MAX_PLAYERS:
        raise Unfit("number of players", f"{count}; we play with 2 to {MAX_PLAYERS}")
    by_position = dict(_seat(text) for text in players)
    if sorted(by_position) != list(range(1, count + 1)):
        raise Unfit("the lines do not join", f"positions {sorted(by_position)}")
    seats = tuple(by_position[position] for position in range(1, count + 1))
    if sorted(seat.name for seat in seats) != sorted(names) or len(set(names)) < count:
        raise Unfit("the lines do not join", "hroster and the files of players name different players")
    board = _cards("".join(fields[8:]))
    pots = tuple(_pot(field) for field in fields[4:8])
    known = [board, *(seat.hole for seat in seats if seat.hole is not None)]
    try:
        verify_distinct(*known)
    except SoulreadError as error:
        raise Unfit("cards", str(error)) from None
    return _Joined(time, f"{fields[1]}/{fields[2]}", pots, board, seats)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 12


def _seat(text: str) -> tuple[int, _Seat]:
    """Position and line of a player."""
    fields = text.split()
    numbers = fields[3:4] + fields[8:11]
    if len(fields) not in (11, 13) or not all(map(_is_number, numbers)):
        raise Unfit("a line cannot be read", repr(text[:60]))
    letters = tuple("" if field == "-" else field for field in fields[4:8])
    for part in letters:
        if not _LETTERS.issuperset(part) or len(part) > _MOST_RAISES:
            raise Unfit("a line cannot be read", f"letters {part[:20]!r}")
    position, bankroll, bet, won = map(int, numbers)
    return position, _Seat(fields[0], letters, bankroll, bet, won, _cards("".join(fields[11:])) or None)


def _cards(text: str) -> Cards:
    try:
        return parse_cards(text)
    except SoulreadError as error:
        raise Unfit("cards", str(error)) from None


def _pot(field: str) -> tuple[int, int]:
    players, _, pot = field.partition("/")
    if not (_is_number(players) and _is_number(pot)):
        raise Unfit("a line cannot be read", f"column {field[:20]!r}")
    return int(players), int(pot)


@lru_cache(maxsize=2 * MAX_PLAYERS)
def _usual_game(count: int, capped: bool) -> PokerGame:
    """The game with both blinds where nobody runs out; one chip is the small blind."""
    if count > 2 and capped:
        return ring_limit(count)
    rules = _rules(count, (1, 2) + (0,) * (count - 2), 2, None)
    return PokerGame(rules if capped else replace(rules, max_raises=None))


def _rules(count: int, blinds: tuple[int, ...], bet: int, stacks: tuple[int, ...] | None) -> Rules:
    """Limit hold'em with any blinds, where position 1 also begins when two play; ``bet`` is the small bet."""
    posted = max((seat for seat in range(min(count, 2)) if blinds[seat]), default=1)
    return replace(
        limit_rules(f"irc-limit:{count}", count),
        blinds=blinds,
        first=((posted + 1) % count, 0, 0, 0),
        raise_sizes=(bet, bet, 2 * bet, 2 * bet),
        stacks=stacks,
        small_bet=bet,
        big_blind=bet,
    )


class _Rebuilder:
    """Plays joined hands of one table by our rules. It remembers the stakes, which are written nowhere."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._bet = 0  # the small bet of the last hand that fitted

    def __call__(self, hand: _Joined) -> Hand:
        """The record of a hand; raises `Unfit`."""
        if sum(seat.bet for seat in hand.seats) != sum(seat.won for seat in hand.seats):
            bet, won = (sum(getattr(seat, name) for seat in hand.seats) for name in ("bet", "won"))
            raise Unfit("chips are not conserved", f"{bet} put in, {won} won")
        first: Unfit | None = None
        for game, unit in self._games(hand):
            try:
                end, gone = _played(hand, game, unit)
                record = self._record(hand, end, gone, unit)
            except Unfit as error:
                first = first or error
            else:
                self._bet = game.rules.small_bet * unit
                return record
        raise first or Unfit("blinds", "nobody posted one")

    def _games(self, hand: _Joined) -> Iterator[tuple[PokerGame, int]]:
        """The games the hand may be of, with the chips of the file to one of ours; the likeliest first."""
        count = len(hand.seats)
        posted = [seat for seat, line in enumerate(hand.seats) if line.letters[0].startswith("B")]
        short = any(line.bet >= line.bankroll for line in hand.seats if line.bet)
        stacks = tuple(line.bankroll for line in hand.seats) if short else None
        for bet in self._bets(hand):
            if posted == [0, 1] and not short and not bet % 2:
                for capped in (True, False):
                    yield _usual_game(count, capped), bet // 2
            for amounts in product(*[_posts(seat, bet) for seat in posted[:5]]):
                blinds = [0] * count
                for seat, amount in zip(posted, amounts, strict=False):
                    blinds[seat] = amount
                if any(blinds):
                    rules = _rules(count, tuple(blinds), bet, stacks)
                    yield PokerGame(rules), 1
                    yield PokerGame(replace(rules, max_raises=None)), 1

    def _bets(self, hand: _Joined) -> Iterator[int]:
        """Small bets the table may have: that of the last hand, then those the blinds suggest."""
        if self._bet:
            yield self._bet
        folded = [line.bet for line in hand.seats if line.letters[0] in ("Bf", "B", "Bk") and line.bet]
        common = gcd(*(line.bet for line in hand.seats))
        for bet in dict.fromkeys(amount for paid in (*folded, common) for amount in (paid, 2 * paid)):
            if bet not in (0, self._bet):
                yield bet

    def _record(self, hand: _Joined, end: PokerState, gone: frozenset[int], unit: int) -> Hand:
        payoffs = tuple(_divided(line.won - line.bet, unit) for line in hand.seats)
        left = [seat for seat, out in enumerate(end.folded) if not out]
        shown = [seat for seat in left if hand.seats[seat].hole is not None]
        if (len(left) == 1 or shown == left) and payoffs != end.payoffs():
            raise Unfit("the pot goes elsewhere", f"{payoffs} won, by the rules {end.payoffs()}")
        hole = tuple(line.hole for line in hand.seats)
        sights = tuple(
            Sight.SHOWN
            if cards is not None
            else Sight.MUCKED
            if end.showdown and seat in left and seat not in gone
            else Sight.UNSEEN
            for seat, cards in enumerate(hole)
        )
        game = end.game
        if game.rules.stacks is not None and min(game.rules.stacks) <= 0:
            raise Unfit("stacks", f"{game.rules.stacks!r}")
        record = Hand(
            game=game.name,
            variant=game.variant,
            stakes=Stakes(game.rules.small_bet, game.rules.big_blind, chip=str(unit)),
            players=tuple([line.name for line in hand.seats]),
            stacks=game.rules.stacks,
            posts=posts_of(game),
            actions=end.actions,
            betting=end.betting,
            boards=(end.board,),
            hole=hole,
            sights=sights,
            showdown=end.showdown,
            payoffs=payoffs,
            id=str(hand.time),
            time=datetime.fromtimestamp(hand.time, UTC),
            source=f"IRC {self._table}",
            room="IRC",
            table=f"{self._table} {hand.game.partition('/')[0]}",
        )
        try:
            verify_sizes(record)
        except SoulreadError as error:
            raise Unfit("the record does not fit", str(error)) from None
        return record


def _posts(seat: int, bet: int) -> tuple[int, ...]:
    """The possible posts of a seat, the likeliest first; a seat that joins late may post both blinds."""
    if seat == 0:
        return (bet // 2, bet)
    return (bet, bet // 2) if seat == 1 else (bet, bet // 2, bet + bet // 2)


def _divided(amount: int, unit: int) -> int:
    quotient, rest = divmod(amount, unit)
    if rest:
        raise Unfit("amounts", f"{amount} is no multiple of the small blind {unit}")
    return quotient


def _played(hand: _Joined, game: PokerGame, unit: int) -> tuple[PokerState, frozenset[int]]:
    """The end of the hand when it is played as the letters say, and who left without having to.

    Verified on the way: pots and numbers of players before each round, letters, chips, the board.
    """
    letters = [[_actions(part) for part in line.letters] for line in hand.seats]
    gone: set[int] = set()
    cards = _deal(hand)
    state = Replay(game)
    dealt = seen = 0
    while state.player != TERMINAL:
        if state.player == CHANCE:
            if state.round > seen:
                gone |= _left_early(hand, letters, seen)
                _verify_pot(hand, state, gone, unit)
                seen = state.round
            due = state.cards_due
            if len(cards) < dealt + due:
                raise Unfit("the board is too short", f"{len(hand.board)} cards, betting {state.betting!r}")
            state.deal_round(cards[dealt : dealt + due])
            dealt += due
            continue
        try:
            state.act(_choice(state, letters, gone, hand))
        except IllegalAction as error:
            raise Unfit("not by the rules", str(error)) from None
    _verify_end(hand, state, letters, gone, unit)
    if dealt < len(cards):
        raise Unfit("the board is too long", f"{len(hand.board)} cards, betting {state.betting!r}")
    return state, frozenset(gone)


def _left_early(hand: _Joined, letters: Sequence[Sequence[list[str]]], round_: int) -> set[int]:
    """The seats that left after the last decision of a round; a seat that is all-in stays."""
    return {
        seat
        for seat, line in enumerate(hand.seats)
        if letters[seat][round_]
        and "A" not in line.letters[round_]
        and set(letters[seat][round_]) <= set(_LEAVES)
    }


def _actions(part: str) -> list[str]:
    """The letters that are decisions, last one first, so that they can be popped."""
    return [letter for letter in reversed(part) if letter not in "BA"]


def _choice(state: PokerState, letters: Sequence[Sequence[list[str]]], gone: set[int], hand: _Joined) -> int:
    seat = state.player
    if seat in gone:
        return FOLD if state.to_call else CALL
    left = letters[seat][state.round]
    if not left:
        raise Unfit("an action is missing", f"{hand.seats[seat].name!r} is to act after {state.betting!r}")
    letter = left.pop()
    if letter == "f" or letter in _LEAVES:
        if state.to_call:
            return FOLD
        gone.add(seat)
        return CALL
    if letter == "r" or (letter == "b" and not state.to_call):
        return RAISE
    if (letter == "c") != bool(state.to_call):
        raise Unfit("not by the rules", f"{letter!r} after {state.betting!r} with {state.to_call} to call")
    return CALL


def _deal(hand: _Joined) -> Cards:
    """The cards in the order they are dealt, with `UNKNOWN` for those nobody saw."""
    order: Cards = ()
    for line in hand.seats:
        order += line.hole or (UNKNOWN, UNKNOWN)
    return order + hand.board


def _verify_pot(hand: _Joined, state: PokerState, gone: set[int], unit: int) -> None:
    """Raise unless a round begins with as many players and chips as ``hdb`` has."""
    players, pot = hand.pots[state.round - 1]
    left = sum(not out and seat not in gone for seat, out in enumerate(state.folded))
    if (players, pot) != (left, state.pot * unit) and players:
        raise Unfit(
            "the pot differs",
            f"{players} players and {pot} before round {state.round}, by the rules {left} and "
            f"{state.pot * unit}",
        )


def _verify_end(
    hand: _Joined, state: PokerState, letters: Sequence[Sequence[list[str]]], gone: set[int], unit: int
) -> None:
    for seat, line in enumerate(hand.seats):
        rest = [letter for part in letters[seat] for letter in part if letter not in _LEAVES]
        if rest:
            raise Unfit("actions are left over", f"{line.name!r} has {''.join(rest)} after {state.betting!r}")
        paid = state.spent[seat] * unit
        if paid != line.bet:
            raise Unfit("chips differ", f"{line.name!r} paid {line.bet}, by the rules {paid}")
    if hand.pots[-1][1] != state.pot * unit:
        raise Unfit("the pot differs", f"{hand.pots[-1][1]} at the end, by the rules {state.pot * unit}")
