"""`Hand`: the record of one finished hand, as one observer saw it.

A record says who sat where, what everybody posted and did, which cards were seen and how, and who won what.
It depends on no solver and no model. Counts, models, statistics and files are all made from such records.

Seats are positions: seat 0 is the first after the button. All amounts are whole chips; `Stakes` says what a
chip is worth. Chips are conserved: what the seats won and lost, plus the rake, is zero.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from enum import StrEnum
from typing import Any

from soulread.cards.deck import cards_name, parse_cards, verify_distinct
from soulread.encoding import keys
from soulread.errors import ParseError, SoulreadError

FORMAT = 1  # of the JSON form; grows when an older soulread could no longer read it

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
        return f"{self.game} {self.betting} {hole} {board} {won} {'|'.join(self.players)}"


def hand_from_json(text: str) -> Hand:
    """Read what `Hand.to_json` wrote."""
    try:
        record = json.loads(text)
    except ValueError as error:
        raise ParseError(f"{text[:60]!r} is not JSON: {error}") from None
    return hand_from_dict(record)


def hand_from_dict(record: Mapping[str, Any]) -> Hand:
    """The opposite of `Hand.record`; cards are verified to be different."""
    if not isinstance(record, Mapping):
        raise ParseError(f"{record!r} is not a hand; expected an object with players, actions and so on")
    if record.get("format") != FORMAT:
        raise ParseError(f"a hand of format {record.get('format')!r}; this soulread reads format {FORMAT}")
    names = {field.name for field in fields(Hand)}
    unknown = sorted(set(record) - names - {"format"})
    if unknown:
        raise ParseError(f"a hand has no field {unknown[0]!r}; known are {', '.join(sorted(names))}")
    try:
        values = dict(record)
        del values["format"]
        values["stakes"] = Stakes(**record["stakes"])
        values["players"] = tuple(record["players"])
        values["stacks"] = None if record["stacks"] is None else tuple(record["stacks"])
        values["posts"] = tuple(Post(seat, ForcedBet(kind), amount) for seat, kind, amount in record["posts"])
        values["actions"] = tuple((seat, action) for seat, action in record["actions"])
        values["boards"] = tuple(parse_cards(board) for board in record["boards"])
        values["hole"] = tuple(None if cards is None else parse_cards(cards) for cards in record["hole"])
        values["sights"] = tuple(map(Sight, record["sights"]))
        values["payoffs"] = tuple(record["payoffs"])
        values["time"] = None if record.get("time") is None else datetime.fromisoformat(record["time"])
        known = [cards for cards in values["hole"] if cards is not None]
        for board in values["boards"]:
            verify_distinct(board, *known)
        return Hand(**values)
    except SoulreadError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ParseError(f"this is not a whole hand: {type(error).__name__} {error}") from None
