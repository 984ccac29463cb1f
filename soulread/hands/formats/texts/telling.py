"""A hand as a room's text tells it, line by line, and the `Draft` that comes of it.

`HandText` is the reader of one hand. A room is a subclass of it: patterns for its lines, a table of its
verbs, and the few things that are special about it. The lines of all these rooms have one shape:

    the first line      number, game, stakes, time
    seats               number, name, stack; the button
    forced bets         who, which, how much
    streets, actions    who, what, how much
    cards, winnings     who, which, how much
    pot and rake        as far as the room tells them

**Amounts.** A verb says whether its amount is what the seat adds (`Amount.ADDED`) or what its bet comes to in
the round (`Amount.TO`). Rooms differ in whether winnings have the bet in them that nobody called
(`Uncalled`); a `Draft` has it given back.

**Seats.** A seat that neither posts, acts nor wins was not dealt in. Where a room lets players post who have
no seat, since they sat down when the seats had been written, they sit behind whoever posted just before, with
the largest stack of the table: the text does not tell the real one.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import ClassVar

from soulread.games.poker import CALL, FOLD, RAISE
from soulread.hands.formats.amounts import CHIPS
from soulread.hands.formats.rooms import has_cents, read_amount
from soulread.hands.formats.texts.words import cards_of, currency_of, without_winner
from soulread.hands.hand import Cards, ForcedBet, Post, Sight
from soulread.hands.referee import CHECK, Draft, Move, Unfit

USUAL_CAP = 30  # big blinds that a seat may lose in a capped game, where the text does not say


class _Quick(Enum):
    """An enumeration that is looked up as fast as any object."""

    __hash__ = object.__hash__


class Says(_Quick):
    """What a line says that a player did."""

    FOLD = "fold"
    CHECK = "check"
    CALL = "call"
    BET = "bet"
    RAISE = "raise"
    ALL_IN = "all in"  # a call or a raise, by the amount
    ANTE = "ante"
    SMALL = "small blind"
    BIG = "big blind"
    POST = "post"  # live, by a player who sits down
    DEAD = "dead blind"
    BOTH = "both blinds"  # the small one dead
    STRADDLE = "straddle"
    SHOW = "show"
    MUCK = "muck"
    WIN = "win"
    NOTHING = "nothing"


class Amount(_Quick):
    """What the amount of an action means."""

    ADDED = "added"
    TO = "to"


class Uncalled(_Quick):
    """Whether the winnings of a text have the bet in them that nobody called."""

    NEVER = "never"
    ALWAYS = "always"
    SHOWDOWN = "showdown"  # after a showdown, as a winning of its own
    UNSAID = "unsaid"  # if they come to more than the pot


Verb = tuple[Says, Amount]
Act = tuple[int, Says, int, Amount]

_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
_FORCED = {
    Says.ANTE: ForcedBet.ANTE,
    Says.SMALL: ForcedBet.SMALL_BLIND,
    Says.BIG: ForcedBet.BIG_BLIND,
    Says.POST: ForcedBet.BIG_BLIND,
    Says.DEAD: ForcedBet.DEAD_BLIND,
    Says.STRADDLE: ForcedBet.STRADDLE,
}
_ACTIONS = frozenset({Says.FOLD, Says.CHECK, Says.CALL, Says.BET, Says.RAISE, Says.ALL_IN})
_STREETS = ("flop", "turn", "river")
_SECOND = re.compile(r"\*\*\* (?:SECOND [A-Z]+|[A-Z]+ 2) \*\*\*", re.IGNORECASE)  # board of a hand run twice


def verbs(**meanings: str) -> dict[str, Verb]:
    """A table of verbs: ``verbs(fold="folds", raise_to="raises to")``; words are parted by ``|``."""
    table = {}
    for meaning, words in meanings.items():
        says = Says[meaning.removesuffix("_to").rstrip("_").upper()]
        for word in words.split("|"):
            table[word] = says, Amount.TO if meaning.endswith("_to") else Amount.ADDED
    return table


class HandText:
    """Reads the lines of one hand from top to bottom; a room is a subclass.

    ``FIRST`` matches the first line of a hand and has its number as ``id``. ``ACTION`` has the groups
    ``name``, ``verb`` and ``rest``; verbs are looked up in small letters.
    """

    ROOM: ClassVar[str]
    FIRST: ClassVar[re.Pattern[str]]
    SEAT: ClassVar[re.Pattern[str]]  # number, name, stack
    BUTTON: ClassVar[re.Pattern[str] | None] = None  # number
    ACTION: ClassVar[re.Pattern[str]]
    VERBS: ClassVar[Mapping[str, Verb]]
    STREET: ClassVar[re.Pattern[str]]  # street; begins with two stars; the cards are in brackets
    DEALT: ClassVar[re.Pattern[str] | None] = None  # name, cards; begins with "Dealt" or two stars
    POT: ClassVar[re.Pattern[str] | None] = None  # amount; begins with "Total" or "Pot"
    FEES: ClassVar[re.Pattern[str] | None] = None  # amount; all that a line has
    SUMMARY: ClassVar[tuple[str, ...]] = ()  # how the line begins after which nobody acts
    UNCALLED: ClassVar[Uncalled] = Uncalled.NEVER
    POT_IS_CALLED: ClassVar[bool] = False  # where winnings have the uncalled bet in them, and the pot has not
    DEAD_IS_LIVE: ClassVar[bool] = False  # whether a dead blind as large as the big one is a live one
    READINGS: ClassVar[int] = 1  # ways to read a text that leaves something open, the likeliest first

    def __init__(self, lines: Sequence[str], plain: int = 0, reading: int = 0) -> None:
        self.lines = lines
        self.reading = reading
        self._plain = plain  # decimals of chips without a price
        first = self.FIRST.match(lines[0])
        if first is None:
            raise Unfit("a hand without its first line", repr(lines[0][:60]))
        self.id = first["id"]
        self.room = self.ROOM
        self.limit = False
        self.small = self.big = 0  # of the first line: the blinds, or the bets of a limit game
        self.time: datetime | None = None
        self.table = ""
        self.currency = ""
        self.tournament = False
        self.cap = -1  # chips that a seat may lose; 0 if there is a cap that is not told
        self.button = -1
        self.uncalled = self.UNCALLED
        self.names: dict[int, str] = {}  # by key of the seat: ten times its number
        self.keys: dict[str, int] = {}
        self.stacks: dict[int, int] = {}
        self.unseated: set[int] = set()
        self.posts: list[tuple[int, ForcedBet, int]] = []
        self.acts: list[list[Act]] = [[]]
        self.board: Cards = ()
        self.second: Cards = ()  # of a hand that was run twice
        self.hole: dict[int, Cards] = {}
        self.sights: dict[int, Sight] = {}
        self.dealt: list[int] = []
        self.won: dict[int, list[int]] = {}
        self.pot: int | None = None
        self.rake: int | None = None
        self.over = False  # in the summary
        self.last = -1  # the seat that posted or acted last
        self.head(first)

    @property
    def decimals(self) -> int:
        """The decimals of amounts: two for money."""
        return 2 if self.currency else self._plain

    # To be told by a room.

    def head(self, first: re.Match[str]) -> None:
        """Read what stands above the seats: game, stakes, time, table, currency."""
        raise NotImplementedError

    def special(self, line: str) -> bool:
        """Read a line that only this room has; whether it was one."""
        return False

    def finish(self) -> None:
        """Complete what the lines left unsaid, after the last one."""

    def position(self, key: int) -> tuple[bool, int]:
        """Where a seat sits, counted from the first after the button."""
        return key <= self.button, key

    # Lines.

    def draft(self) -> Draft:
        """The hand of the lines."""
        for line in self.lines[1:]:
            self.read(line)
        self.finish()
        return self._drafted()

    def read(self, line: str) -> None:
        """One line after the first."""
        if self.special(line):
            return
        if not self.over and line.startswith(self.SUMMARY):
            self.over = True
        if not self.posts and not self.over and (found := self.SEAT.match(line)):
            self.sit(int(found["number"]), found["name"], found["stack"])
        elif self.button < 0 and self.BUTTON and (found := self.BUTTON.search(line)):
            self.button = 10 * int(found[1])
        elif line.startswith("**") and (found := self.STREET.match(line)):
            self.street(found[1].lower(), line)
        elif self.DEALT and line.startswith(("Dealt", "**")) and (found := self.DEALT.match(line)):
            self.deal(found["name"], cards_of(found["cards"]))
        elif self.POT and line.startswith(("Total", "Pot")) and (found := self.POT.match(line)):
            if self.pot is None:
                self.pot = self.amount(found[1])
                self.fees(line)
        elif found := self.ACTION.match(line):
            self.act(found)

    def fees(self, line: str) -> None:
        """All that the house took by the line of the pot."""
        if self.FEES:
            for text in self.FEES.findall(line):
                self.rake = (self.rake or 0) + self.amount(text)

    def amount(self, text: str) -> int:
        """The chips of the first amount in a text."""
        decimals = 2 if self.currency else self._plain
        if decimals < 2 and has_cents(text):
            raise MoreDecimals
        return read_amount(text, decimals, True)

    def money(self, text: str) -> None:
        """Take the currency of a text, unless the chips have no price."""
        if not self.tournament:
            self.currency = self.currency or currency_of(text)

    def sit(self, number: int, name: str, stack: str) -> None:
        """A seat with its player and stack."""
        key = 10 * number
        if key in self.names or name in self.keys or not name:
            raise Unfit("names", f"seat {number}, {name!r}"[:80])
        self.names[key] = name
        self.keys[name] = key
        self.stacks[key] = self.amount(stack)

    def key(self, name: str) -> int | None:
        """The seat of a name."""
        return self.keys.get(name)

    def deal(self, name: str, cards: Cards) -> None:
        """The observer's own cards."""
        key = self.key(name)
        if key is not None and cards:
            self.hole[key] = cards
            self.sights[key] = Sight.DEALT
            self.dealt.append(key)

    def street(self, name: str, line: str) -> None:
        """A street begins; the line has all cards of the board, or the new ones."""
        cards = tuple(card for part in _BRACKETS.findall(line) for card in cards_of(part))
        whole = 3 + _STREETS.index(name)
        if _SECOND.match(line):
            before = self.second or self.board[: whole - len(cards)]
            self.second = cards if len(cards) == whole else before + cards
            return
        self.board = cards if len(cards) == whole else self.board + cards
        if len(self.board) != whole:
            raise Unfit("the board does not fit", repr(line[:60]))
        self.acts.append([])

    def act(self, found: re.Match[str]) -> None:
        """A line that says what a player did."""
        name, verb, rest = found.group("name", "verb", "rest")
        says, meaning = self.VERBS[verb.lower()]
        if says is Says.NOTHING:
            return
        key = self.key(name)
        if key is None and not self.over:
            key = self.stranger(name, says)
        if key is not None:
            self.do(key, says, meaning, rest)

    def stranger(self, name: str, says: Says) -> int | None:
        """The seat of a name that no seat has; None if the line is to be passed over, such as chat."""
        return None

    def do(self, key: int, says: Says, meaning: Amount, rest: str) -> None:
        """What the player of a seat did."""
        if says in _ACTIONS:
            if not self.over:
                self.last = key
                chips = 0 if says in (Says.FOLD, Says.CHECK) else self.action_amount(rest, meaning)
                self.acts[-1].append((key, says, chips, meaning))
        elif says in _FORCED or says is Says.BOTH:
            self.post(key, says, rest)
        elif says is Says.WIN:
            self.won.setdefault(key, []).append(self.amount(rest))
        else:
            self.show(key, rest, Sight.SHOWN if says is Says.SHOW else Sight.MUCKED)

    def action_amount(self, rest: str, meaning: Amount) -> int:
        """The amount of an action; of "0.06 to 0.08" the second one, where the amount is a total."""
        return self.amount(rest.rpartition(" to ")[2] if meaning is Amount.TO else rest)

    def join(self, name: str) -> int:
        """A seat for a player who has none: right behind the one who posted or acted last."""
        key = self.last + 1
        if self.last < 0 or key in self.names or key % 10 > 5:
            raise Unfit("a player has no seat", repr(name[:40]))
        self.names[key] = name
        self.keys[name] = key
        self.stacks[key] = 0
        self.unseated.add(key)
        return key

    def post(self, key: int, says: Says, rest: str) -> None:
        """A forced bet."""
        self.last = key
        if says is Says.BOTH:
            small, _, big = rest.partition("+")
            self.add_post(key, ForcedBet.DEAD_BLIND, self.amount(small))
            self.add_post(key, ForcedBet.BIG_BLIND, self.amount(big) if big else 0)
            return
        chips, kind = self.amount(rest), _FORCED[says]
        if says is Says.SMALL:
            kind = self._kind_of_small()
        elif says in (Says.POST, Says.DEAD):
            blind = self._posted_blind()
            if 0 < blind < chips or (says is Says.DEAD and self.DEAD_IS_LIVE and blind == chips):
                self.add_post(key, ForcedBet.BIG_BLIND, blind)
                chips, kind = chips - blind, ForcedBet.DEAD_BLIND
        self.add_post(key, kind, chips)

    def _kind_of_small(self) -> ForcedBet:
        """A small blind; a second one is dead, or in a tournament a big one that is all-in for less."""
        kinds = [kind for _, kind, _ in self.posts]
        if ForcedBet.SMALL_BLIND not in kinds:
            return ForcedBet.SMALL_BLIND
        short = self.tournament and ForcedBet.BIG_BLIND not in kinds
        return ForcedBet.BIG_BLIND if short else ForcedBet.DEAD_BLIND

    def _posted_blind(self) -> int:
        """The big blind that was posted so far, else that of the first line; 0 if neither tells."""
        posted = [chips for _, kind, chips in self.posts if kind is ForcedBet.BIG_BLIND]
        return posted[0] if posted else self._named_blind()

    def add_post(self, key: int, kind: ForcedBet, chips: int) -> None:
        """A forced bet, unless it is none."""
        if chips:
            self.posts.append((key, kind, chips))

    def show(self, key: int, text: str, sight: Sight) -> None:
        """Cards that were shown or mucked, if the text has any in brackets."""
        found = _BRACKETS.search(text)
        cards = cards_of(found[1]) if found else ()
        if cards and len(cards) <= 2:
            if len(cards) >= len(self.hole.get(key, ())):
                self.hole[key] = cards
            if self.sights.get(key) is not Sight.SHOWN:
                self.sights[key] = sight
        elif sight is Sight.MUCKED:
            self.sights.setdefault(key, sight)

    # The draft.

    def _drafted(self) -> Draft:
        if not self.won:
            raise without_winner(self.lines)
        if self.button < 0:
            raise Unfit("the button is missing", repr(self.lines[1:3])[:80])
        order = self._order()
        seat_of = {key: seat for seat, key in enumerate(order)}
        idle = [self.names[key] for key in self.won if key not in seat_of]
        if idle:
            raise Unfit("chips are not conserved", f"{idle[0]!r} collects without having played")
        big = self._big_blind()
        counting = ChipCount(self, order, big)
        moves = counting.moves()
        stacks = self._stacks(order, counting, big)
        collected = self._collected(order, counting, stacks)
        pot = self.pot
        if pot is not None and self.uncalled is Uncalled.ALWAYS and not self.POT_IS_CALLED:
            pot -= counting.uncalled(stacks)[1]
        return Draft(
            players=[self.names[key] for key in order],
            stacks=[stacks[key] for key in order],
            posts=[Post(seat_of[key], kind, chips) for key, kind, chips in self.posts],
            big_blind=big,
            moves=[[(seat_of[key], kind, to, paid) for key, kind, to, paid in part] for part in moves],
            boards=(self.board, self.second) if self.second else (self.board,),
            small_bet=big if self.limit else None,
            called_in_full=any(act[1] not in (Says.FOLD, Says.CHECK) for act in self.acts[0]),
            hole={seat_of[key]: cards for key, cards in self.hole.items() if key in seat_of},
            sights={seat_of[key]: sight for key, sight in self._sights().items() if key in seat_of},
            collected=collected,
            pot=pot,
            rake=0 if self.tournament else self.rake,
            observer=seat_of.get(self.dealt[0]) if len(set(self.dealt)) == 1 else None,
            id=self.id,
            time=self.time,
            source=self.room,
            table=self.table,
            room=self.room,
            currency=self.currency,
            chip=CHIPS[self.decimals],
            tournament=self.tournament,
        )

    def playing(self) -> set[int]:
        """The seats that were dealt in."""
        acting = {act[0] for part in self.acts for act in part} | {post[0] for post in self.posts}
        return acting | (self.won.keys() & self.names.keys())

    def _order(self) -> list[int]:
        return sorted(self.playing(), key=self.position)

    def _big_blind(self) -> int:
        """The big blind: what was posted, since a level may have ended after the first line.

        A blind that takes the whole stack may be less than the big blind, and then the first line counts.
        """
        for key, kind, chips in self.posts:
            if kind is ForcedBet.BIG_BLIND:
                antes = sum(paid for seat, other, paid in self.posts if seat == key and other != kind)
                if key in self.unseated or chips + antes < self.stacks[key]:
                    return chips if chips >= self._half_blind() else 2 * self._half_blind()
                if not self._named_blind():
                    return max(chips, 2 * self._half_blind())
        named = self._named_blind() or 2 * self._half_blind()
        if not named:
            raise Unfit("the blinds are missing", repr(self.lines[0][:80]))
        return named

    def _named_blind(self) -> int:
        return self.small if self.limit else self.big

    def _half_blind(self) -> int:
        return max([chips for _, kind, chips in self.posts if kind is ForcedBet.SMALL_BLIND], default=0)

    def _stacks(self, order: Sequence[int], counting: "ChipCount", big: int) -> dict[int, int]:
        """The stacks; in a capped game no more than the cap."""
        stacks = {key: self.stacks[key] for key in order}
        most = max(stacks.values())
        for key in self.unseated & stacks.keys():
            stacks[key] = max(most, counting.put_in(key))
        if self.cap >= 0:
            cap = max(self.cap or USUAL_CAP * big, max(map(counting.put_in, order)))
            stacks = {key: min(stack, cap) for key, stack in stacks.items()}
        return stacks

    def _collected(self, order: Sequence[int], counting: "ChipCount", stacks: Mapping[int, int]) -> list[int]:
        """What each seat took out of the pots, uncalled bets not counted."""
        top, uncalled = counting.uncalled(stacks)
        pieces = self.won.get(top, [])
        has_it = (self.uncalled is Uncalled.ALWAYS and sum(pieces) >= uncalled) or (
            self.uncalled is Uncalled.SHOWDOWN and counting.live > 1 and uncalled in pieces
        )
        return [sum(self.won.get(key, ())) - (uncalled if has_it and key == top else 0) for key in order]

    def _sights(self) -> dict[int, Sight]:
        """Cards that were folded and are called mucked were seen by nobody at the table."""
        folded = {key for part in self.acts for key, says, _, _ in part if says is Says.FOLD}
        return {
            key: Sight.DEALT if key in folded and sight is Sight.MUCKED else sight
            for key, sight in self.sights.items()
        }


class MoreDecimals(Exception):
    """Chips without a price turn out to have cents."""


class ChipCount:
    """The chips that each seat puts in, followed through the actions of a `HandText`."""

    def __init__(self, text: HandText, order: Sequence[int], big: int) -> None:
        self._text = text
        self._order = order
        self._big = big
        self._inside = dict.fromkeys(order, 0)  # in this round, antes not counted
        self._total = dict.fromkeys(order, 0)  # live, in rounds before
        self._antes = dict.fromkeys(order, 0)
        self._dead = dict.fromkeys(order, 0)
        self._folded: set[int] = set()
        for key, kind, chips in text.posts:
            places = {ForcedBet.ANTE: self._antes, ForcedBet.DEAD_BLIND: self._dead}
            places.get(kind, self._inside)[key] += chips
        high = max(self._inside.values(), default=0)
        self._high = max(high, big) if high else 0

    @property
    def live(self) -> int:
        """How many seats have not folded."""
        return len(self._order) - len(self._folded)

    @property
    def pot(self) -> int:
        """All chips that were put in."""
        return sum(map(self.put_in, self._order))

    def put_in(self, key: int) -> int:
        """All chips of a seat, dead ones too."""
        return self._total[key] + self._inside[key] + self._antes[key] + self._dead[key]

    def moves(self) -> list[list[Move]]:
        """The actions as moves, by keys of seats."""
        parts: list[list[Move]] = []
        for number, acts in enumerate(self._text.acts):
            if number:
                self._next_round()
            parts.append([self._move(act) for act in acts])
        return parts

    def rounds(self, acts: Sequence[Act], stacks: Mapping[int, int]) -> list[list[Act]]:
        """The actions of a text without streets, cut wherever everybody has answered the last bet."""
        parts: list[list[Act]] = [[]]
        acted: set[int] = set()
        for act in acts:
            before = self._high
            if parts[-1] and self._is_answered(acted, stacks):
                parts.append([])
                acted = set()
                self._next_round()
                before = 0
            parts[-1].append(act)
            self._move(act)
            acted = {act[0]} if self._high > before else acted | {act[0]}
        return parts

    def _is_answered(self, acted: set[int], stacks: Mapping[int, int]) -> bool:
        for key in self._order:
            can_act = key not in self._folded and self.put_in(key) < stacks[key]
            if can_act and (key not in acted or self._inside[key] < self._high):
                return False
        return True

    def _next_round(self) -> None:
        for key, chips in self._inside.items():
            self._total[key] += chips
        self._inside = dict.fromkeys(self._order, 0)
        self._high = 0

    def _move(self, act: Act) -> Move:
        key, says, chips, meaning = act
        if says is Says.FOLD:
            self._folded.add(key)
            return key, FOLD, 0, -1
        if says is Says.CHECK:
            return key, CHECK, 0, -1
        before = self._inside[key]
        to = chips if meaning is Amount.TO else before + chips
        self._inside[key] = to
        if says is Says.CALL or (says is Says.ALL_IN and to <= self._high):
            if to < before:
                raise Unfit("an amount differs", f"a call of {chips} after {before}")
            return key, CALL, 0, to - before
        if self._text.limit and not self._is_answerable(key):
            return key, CALL, 0, -1
        self._high = max(self._high, to)
        return key, RAISE, to, -1

    def _is_answerable(self, key: int) -> bool:
        """Whether another seat has more chips than it takes to stay in; if not, a raise is a call."""
        others = [seat for seat in self._order if seat != key and seat not in self._folded]
        room = {seat: self._text.stacks[seat] - self.put_in(seat) + self._inside[seat] for seat in others}
        return any(seat in self._text.unseated or chips > self._high for seat, chips in room.items())

    def uncalled(self, stacks: Mapping[int, int]) -> tuple[int, int]:
        """The seat with the largest bet, and how much of it nobody called."""
        antes = self._antes
        ante = max(antes.values())
        usual = all(paid in (ante, stacks[key]) for key, paid in antes.items())
        spent = {
            key: self._total[key] + self._inside[key] + (antes[key] if usual else 0) for key in self._order
        }
        ranked = sorted(self._order, key=spent.__getitem__)
        if len(ranked) < 2:
            raise Unfit("the number of players", f"{len(ranked)}")
        return ranked[-1], spent[ranked[-1]] - spent[ranked[-2]]
