"""`Hand`: the record of one finished hand, as one observer saw it.

A record says who sat where, what everybody posted and did, which cards were seen and how, and who won what.
It depends on no solver and no model. Counts, models, statistics and files are all made from such records.

Seats are positions: seat 0 is the first after the button. All amounts are whole chips; `Stakes` says what a
chip is worth. Chips are conserved: what the seats won and lost, plus the rake, is zero.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from soulread.cards.deck import MAX_PLAYERS, NUM_CARDS, cards_name, parse_cards, verify_distinct
from soulread.encoding import keys
from soulread.errors import ParseError, SoulreadError
from soulread.words import printable

FORMAT = 1  # of the JSON form; grows when an older soulread could no longer read it
MAX_CHIPS = 10**15  # of one seat
MAX_BIG_BLIND = 2**31  # chips
MAX_TEXT = 1_000  # characters of a name, an id, a table, a source
MAX_BETTING = 40_000  # characters
MAX_ENTRIES = 2_000  # of a list, such as the actions of a hand
MAX_BOARDS = 3
FIRST_YEAR, LAST_YEAR = 1900, 2999

_QUOTED = 60  # characters of a value in a message

Cards = tuple[int, ...]


class Sight(StrEnum):
    """The way in which the observer learnt a seat's hole cards, if at all."""

    DEALT = "dealt"  # only the observer saw them; in a dealer's log, the cards that were not shown
    SHOWN = "shown"  # everybody saw them; also said of the observer's own cards
    MUCKED = "mucked"  # the seat came to the showdown and did not show; a room may print the cards later
    UNSEEN = "unseen"


class ForcedBet(StrEnum):
    """Why chips were put in before anybody acted."""

    ANTE = "ante"
    SMALL_BLIND = "small blind"
    BIG_BLIND = "big blind"
    DEAD_BLIND = "dead blind"  # goes to the pot and does not count towards a call
    STRADDLE = "straddle"


@dataclass(frozen=True, slots=True)
class Post:
    """One forced bet."""

    seat: int
    kind: ForcedBet
    amount: int


@dataclass(frozen=True, slots=True)
class Stakes:
    """The stakes of a game in chips, and the worth of a chip."""

    small_bet: int  # unit of sb/h and mb/g
    big_blind: int  # unit of bb/100
    ante: int = 0
    currency: str = ""  # "USD"; empty for chips without a price
    chip: str = "1"  # price of one chip, a decimal number: "0.01" where amounts are in cents
    tournament: bool = False  # whether the hand was played in a tournament, not for cash


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A finished hand.

    ``hole`` has each seat's cards, and None where the observer never saw them. If a seat showed only one of
    its cards, only that card is there. ``sights`` says for each seat how its cards were seen. ``observer`` is
    the seat the hand was seen from; None means the dealer, or somebody who sees only what is public.
    """

    game: str  # what the game is called
    variant: str  # what is played: `soulread.games.Rules.variant`
    stakes: Stakes
    players: tuple[str, ...]  # [seats] no two alike
    stacks: tuple[int, ...] | None  # [seats] before the hand; None where nobody runs out
    posts: tuple[Post, ...]  # forced bets in the order they were put in
    actions: tuple[tuple[int, int], ...]  # (seat, action) in order
    betting: str  # the same as in ACPC: "rrc/cr"
    boards: tuple[Cards, ...]  # one; two where the hand was run twice
    hole: tuple[Cards | None, ...]  # [seats]
    sights: tuple[Sight, ...]  # [seats]
    showdown: bool
    payoffs: tuple[int, ...]  # [seats] net chips, the rake taken off
    rake: int = 0
    observer: int | None = None
    id: str = ""  # unique in its source
    time: datetime | None = None
    source: str = ""  # where it comes from: a room, a match, a file
    table: str = ""
    room: str = ""  # where the names belong to: "PokerStars"; empty where nobody says

    JSON = keys("*record")

    def __post_init__(self) -> None:
        seats = len(self.players)
        if len(set(self.players)) < seats:
            raise SoulreadError(f"{self._where} has players {self.players!r}; two seats of one name")
        if not len(self.hole) == len(self.sights) == len(self.payoffs) == seats or (
            self.stacks is not None and len(self.stacks) != seats
        ):
            raise SoulreadError(
                f"{self._where} has {seats} players, but {len(self.hole)} hole cards, {len(self.sights)} "
                f"sights, {len(self.payoffs)} payoffs and stacks {self.stacks!r}; each seat needs one"
            )
        if sum(self.payoffs) + self.rake != 0:
            raise SoulreadError(
                f"{self._where} does not add up: payoffs {self.payoffs!r} and a rake of {self.rake} come to "
                f"{sum(self.payoffs) + self.rake}, not to 0"
            )
        if self.observer is not None and not 0 <= self.observer < seats:
            raise SoulreadError(
                f"{self._where} was seen from seat {self.observer}; its seats end at {seats - 1}"
            )

    @property
    def num_players(self) -> int:
        """The number of seats."""
        return len(self.players)

    @property
    def board(self) -> Cards:
        """The board; the first one of a hand that was run twice."""
        return self.boards[0]

    def seat_of(self, player: str) -> int:
        """The seat ``player`` had in this hand."""
        if player not in self.players:
            raise SoulreadError(f"{player!r} is not in this hand; its players are {', '.join(self.players)}")
        return self.players.index(player)

    @property
    def eyewitness(self) -> int:
        """The observer's seat; raises `SoulreadError` if the hand was seen by nobody at the table."""
        if self.observer is None:
            raise SoulreadError(f"{self._where} was seen by nobody at the table; say whose seat it is")
        return self.observer

    @property
    def opponent(self) -> int:
        """The seat of the observer's only opponent; with more than two seats there is no such seat."""
        if self.num_players != 2:
            raise SoulreadError(
                f"{self._where} has {self.num_players} players; say which of them is meant: "
                f"{', '.join(self.players)}"
            )
        return 1 - self.eyewitness

    @property
    def _where(self) -> str:
        return f"hand {self.id!r}" if self.id else f"hand {self.betting!r} of {self.game!r}"

    @property
    def record(self) -> dict[str, Any]:
        """The hand for JSON: cards, times and kinds are texts."""
        record = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            "format": FORMAT,
            **record,
            "stakes": asdict(self.stakes),
            "posts": [[post.seat, post.kind.value, post.amount] for post in self.posts],
            "boards": [cards_name(board) for board in self.boards],
            "hole": [None if cards is None else cards_name(cards) for cards in self.hole],
            "sights": [sight.value for sight in self.sights],
            "time": None if self.time is None else self.time.isoformat(),
        }

    def to_json(self) -> str:
        """The hand as one line of JSON; `hand_from_json` reads it back to an equal hand."""
        return json.dumps(self.record, ensure_ascii=False)

    def __str__(self) -> str:
        hole = "|".join("" if cards is None else cards_name(cards) for cards in self.hole)
        board = " & ".join(cards_name(cards) for cards in self.boards)
        won = "|".join(f"{amount:+d}" for amount in self.payoffs)
        return printable(f"{self.game} {self.betting} {hole} {board} {won} {'|'.join(self.players)}")


_FIELDS = frozenset(field.name for field in fields(Hand))
_TEXTS = tuple(field.name for field in fields(Hand) if field.default == "")  # id, source, table, ...


def verify_sizes(hand: Hand) -> None:
    """Raise unless a hand is small enough to be kept, written and read again, whatever file it comes from."""
    stakes = hand.stakes
    texts = *hand.players, hand.game, stakes.currency, *[getattr(hand, name) for name in _TEXTS]
    if max(map(len, texts)) > MAX_TEXT:
        raise SoulreadError(f"a name or another text has more than {MAX_TEXT:,} characters")
    if len(hand.actions) > MAX_ENTRIES or len(hand.posts) > MAX_ENTRIES:
        raise SoulreadError(f"a hand of {len(hand.actions):,} actions; at most {MAX_ENTRIES:,} are read")
    if not 0 < stakes.big_blind < MAX_BIG_BLIND:
        raise SoulreadError(f"a big blind of {stakes.big_blind:,} chips; it is less than {MAX_BIG_BLIND:,}")


def hand_from_json(text: str) -> Hand:
    """Read what `Hand.to_json` wrote. Whether the hand was played by the rules is not asked here."""
    try:
        record = json.loads(text, object_pairs_hook=_unique)
    except SoulreadError:
        raise
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{_quoted(text)} is not JSON: {error}") from None
    return hand_from_dict(record)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ParseError("a key comes twice in a hand")
    return record


def hand_from_dict(record: Mapping[str, Any]) -> Hand:
    """The opposite of `Hand.record`. Types and sizes are verified, and cards to be different."""
    if not isinstance(record, Mapping):
        raise ParseError(
            f"{_quoted(record)} is not a hand; expected an object with players, actions and so on"
        )
    if type(record.get("format")) is not int or record["format"] != FORMAT:
        raise ParseError(
            f"a hand of format {_quoted(record.get('format'))}; this soulread reads format {FORMAT}"
        )
    unknown = sorted(set(record) - _FIELDS - {"format"})
    if unknown:
        raise ParseError(f"a hand has no field {_quoted(unknown[0])}; known are {', '.join(sorted(_FIELDS))}")
    try:
        return _hand(record)
    except SoulreadError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ParseError(f"this is not a whole hand: {type(error).__name__} {_short(str(error))}") from None


def _hand(record: Mapping[str, Any]) -> Hand:
    players = tuple([_text(name, "a name") for name in _list(record, "players")])
    if not 2 <= len(players) <= MAX_PLAYERS:
        raise ParseError(f"a hand of {len(players)} players; hands of 2 to {MAX_PLAYERS} are read")
    stakes = _object(record, "stakes", _STAKES)
    boards = tuple([_cards(board) for board in _list(record, "boards")])
    if not 1 <= len(boards) <= MAX_BOARDS:
        raise ParseError(f"a hand with {len(boards)} boards; there is one, or {MAX_BOARDS} at most")
    hole = tuple([None if cards is None else _cards(cards) for cards in _list(record, "hole")])
    known = [cards for cards in hole if cards is not None]
    for board in boards:
        verify_distinct(board, *known)
    return Hand(
        game=_text(record["game"], "game"),
        variant=_text(record["variant"], "variant"),
        stakes=Stakes(
            small_bet=_whole(stakes["small_bet"], "small_bet", 1),
            big_blind=_whole(stakes["big_blind"], "big_blind", 1, MAX_BIG_BLIND),
            ante=_whole(stakes["ante"], "ante", 0),
            currency=_text(stakes["currency"], "currency"),
            chip=_chip(stakes["chip"]),
            tournament=_truth(stakes.get("tournament", False), "tournament"),
        ),
        players=players,
        stacks=None if record["stacks"] is None else _amounts(record, "stacks", 1),
        posts=tuple([_post(post, len(players)) for post in _list(record, "posts")]),
        actions=tuple([_action(action, len(players)) for action in _list(record, "actions")]),
        betting=_text(record["betting"], "betting", MAX_BETTING),
        boards=boards,
        hole=hole,
        sights=tuple(map(Sight, _list(record, "sights"))),
        showdown=_truth(record["showdown"], "showdown"),
        payoffs=_amounts(record, "payoffs", -MAX_CHIPS),
        rake=_whole(record["rake"], "rake", -MAX_CHIPS),
        observer=None if record["observer"] is None else _whole(record["observer"], "observer", 0),
        time=None if record["time"] is None else _time(record["time"]),
        **{name: _text(record.get(name, "") if name in _LATER else record[name], name) for name in _TEXTS},
    )


_LATER = frozenset({"room", "tournament"})  # what older files of this format do not have
_STAKES = frozenset(field.name for field in fields(Stakes))
_CHIP = re.compile(r"[0-9]{1,15}(\.[0-9]{1,15})?")


def _short(text: str) -> str:
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."


def _quoted(value: object) -> str:
    """A value for a message, cut short: it may be of any size."""
    if isinstance(value, int) and abs(value) > 10 * MAX_CHIPS:
        return "a number of many digits"
    return _short(repr(value[:_QUOTED] if isinstance(value, str | list) else value))


def _whole(value: object, what: str, low: int, high: int = MAX_CHIPS) -> int:
    if type(value) is not int:
        raise ParseError(f"{what} is {_quoted(value)}; expected a whole number")
    if not low <= value < high:
        raise ParseError(f"{what} is {_quoted(value)}; expected a number from {low:,} to {high - 1:,}")
    return value


def _text(value: object, what: str, most: int = MAX_TEXT) -> str:
    if type(value) is not str:
        raise ParseError(f"{what} is {_quoted(value)}; expected a text")
    if len(value) > most:
        raise ParseError(f"{what} has {len(value):,} characters; at most {most:,} are read")
    if not value.isascii() and _SURROGATE.search(value):
        raise ParseError(f"{what} is {_quoted(value)}, which is no text")
    return value


_SURROGATE = re.compile("[\ud800-\udfff]")  # half of a character


def _truth(value: object, what: str) -> bool:
    if type(value) is not bool:
        raise ParseError(f"{what} is {_quoted(value)}; expected true or false")
    return value


def _list(record: Mapping[str, Any], what: str) -> list[Any]:
    value = record[what]
    if type(value) is not list and type(value) is not tuple:
        raise ParseError(f"{what} is {_quoted(value)}; expected a list")
    if len(value) > MAX_ENTRIES:
        raise ParseError(f"{what} has {len(value):,} entries; at most {MAX_ENTRIES:,} are read")
    return list(value)


def _object(record: Mapping[str, Any], what: str, names: frozenset[str]) -> Mapping[str, Any]:
    value = record[what]
    if not isinstance(value, Mapping) or not names - _LATER <= set(value) <= names:
        raise ParseError(f"{what} is {_quoted(value)}; expected {', '.join(sorted(names))}")
    return value


def _amounts(record: Mapping[str, Any], what: str, low: int) -> tuple[int, ...]:
    return tuple([_whole(amount, what, low) for amount in _list(record, what)])


def _cards(text: object) -> Cards:
    return parse_cards(_text(text, "a board or hole cards", 2 * NUM_CARDS))


def _post(value: Any, seats: int) -> Post:
    seat, kind, amount = value
    return Post(_whole(seat, "the seat of a post", 0, seats), ForcedBet(kind), _whole(amount, "a post", 1))


def _action(value: Any, seats: int) -> tuple[int, int]:
    seat, action = value
    return _whole(seat, "the seat of an action", 0, seats), _whole(action, "an action", 0)


def _chip(value: object) -> str:
    chip = _text(value, "chip", 40)
    if not _CHIP.fullmatch(chip) or not float(chip):
        raise ParseError(f"chip is {chip!r}; expected a price such as '0.01'")
    return chip


def _time(value: object) -> datetime:
    time = datetime.fromisoformat(_text(value, "time", 40))
    if time.tzinfo is None:
        raise ParseError(f"time is {value!r}, without a zone")
    if not is_plausible(time.year):
        raise ParseError(f"time is {value!r}; expected one from {FIRST_YEAR} to {LAST_YEAR}")
    return time


def is_plausible(year: int) -> bool:
    """Whether a hand may be of this year: the store and its calendars know no others."""
    return FIRST_YEAR <= year <= LAST_YEAR
