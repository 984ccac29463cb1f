"""One machine for every poker game: a `Rules` sheet, and states that follow it.

Seats are positions: seat 0 is the first after the button. Actions are integers: `FOLD`, `CALL` (also
a check) and, in a fixed-limit game, `RAISE`; in a no-limit game an action ``n >= 2`` means "raise to
``n``", where ``n`` counts all chips the seat will have put in over the whole hand, ante and blind
included. Chance deals one card at a time: all cards of seat 0, then of seat 1 and so on, then the
board of each round.

What happens with short stacks:

* A seat that cannot pay a full ante, blind or call pays what it has. The amount to call is the most
  that any seat has really put in. So if the big blind has only 1 chip, the others call 1, not 2.
* A raise is at least as large as the last one of the round, and as the big blind; only an all-in
  may be smaller. It needs another seat that still has chips beyond the amount to call.
* A short all-in does not reopen the betting: a seat that has acted and faces less than a full raise may
  only call or fold. Short all-ins in a row are added up, and reopen the betting when together they reach
  a full raise; after that the sum starts from zero. The first bet of a round, or the first raise of the
  blinds, counts as full whatever its size. With `Rules.half_bets`, half a bet of a limit game is full too.
* When at most one seat has chips left, the board is dealt out and the hands are shown.
* Dead chips (`Rules.dead`) are in the pot and count for nobody: neither towards a call nor in ``spent``. All
  seats that have not folded play for them, also one that is all-in for less.
* The part of a bet that nobody could match goes back to its seat. Pots are split by the amounts paid in. If
  a pot cannot be shared equally, its odd chips all go to its first winner after the button. Before that,
  hands that win nothing anywhere are thrown away, and pots with the same remaining seats become one pot.
"""

import itertools
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, TypeVar, overload

from soulread.cards.deck import (
    FULL_DECK,
    MAX_PLAYERS,
    RANKS,
    card_name,
    cards_name,
    parse_cards,
    verify_distinct,
)
from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL, View, seat_names
from soulread.words import plural

FOLD = 0
CALL = 1
RAISE = 2


T = TypeVar("T")

_NAMES = tuple(card_name(card) for card in FULL_DECK)

Showdown = Callable[[tuple[int, ...], tuple[int, ...]], int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Everything that distinguishes one poker game from another. Amounts are chips."""

    name: str
    deck: tuple[int, ...]
    num_players: int
    hole_cards: int
    board_cards: tuple[int, ...]  # [rounds] cards dealt to the board before each round's betting
    first: tuple[int, ...]  # [rounds] seat that acts first, if it can
    blinds: tuple[int, ...]  # [seats]
    ante: int = 0
    raise_sizes: tuple[int, ...] | None  # [rounds]; None: no-limit
    max_raises: tuple[int, ...] | None  # [rounds]; None: as many as the chips allow
    stacks: tuple[int, ...] | None  # [seats]; `None` means that nobody runs out of chips
    small_bet: int  # unit of sb/h and mb/g
    big_blind: int  # unit of bb/100; the smallest bet of a no-limit game
    showdown: Showdown = field(repr=False)  # (hole, board) -> strength, higher is better
    suit_isomorphic: bool = False  # labels name ranks only
    # What happens at real tables:
    dead: tuple[int, ...] | None = None  # [seats] forced chips that do not count towards a call
    opening: int = 0  # total to call before the flop, also if the big blind is short; 0: the most put in
    open_folds: bool = False  # a seat may fold with nothing to call
    half_bets: bool = False  # of a limit game: half a bet, all-in, is a raise that may be raised again

    def __post_init__(self) -> None:
        seats, rounds = self.num_players, len(self.board_cards)
        if not 2 <= seats <= MAX_PLAYERS:
            raise SoulreadError(f"{self.name!r} has {seats!r} players; allowed are 2 to {MAX_PLAYERS}")
        for what, values, count in (
            ("blinds", self.blinds, seats),
            ("stacks", self.stacks, seats),
            ("dead", self.dead, seats),
            ("first", self.first, rounds),
            ("raise_sizes", self.raise_sizes, rounds),
            ("max_raises", self.max_raises, rounds),
        ):
            if values is not None and len(values) != count:
                raise SoulreadError(f"{self.name!r} has {what} {values!r}; expected {count} numbers")
        if self.hole_cards < 1 or self.board_cards[0] or not all(self.board_cards[1:]):
            raise SoulreadError(
                f"{self.name!r} deals {self.hole_cards!r} hole cards and {self.board_cards!r} board cards; "
                "each seat needs a card, the first round has no board, every later one at least one card"
            )
        if self.stacks is None and self.raise_sizes is None:
            raise SoulreadError(f"{self.name!r} has neither raise sizes nor stacks, so bets have no limit")
        if seats * self.hole_cards + sum(self.board_cards) > len(self.deck):
            raise SoulreadError(f"{self.name!r} deals more cards than the {len(self.deck)} of its deck")
        if len(set(self.deck)) < len(self.deck):  # a game of its own for every hand of a file: be quick
            verify_distinct(self.deck)

    @property
    def variant(self) -> str:
        """The variant in one line: cards, betting and how hands compare, but no name, seats or stakes.

        Every `Hand` carries this line, so one can tell whether a hand belongs to a game without the names.
        """
        deck = "52 cards" if sorted(self.deck) == list(FULL_DECK) else cards_name(sorted(self.deck))
        board = "-".join(map(str, self.board_cards))
        if self.raise_sizes is None:
            betting = "no-limit"
        else:
            betting = "limit " + "-".join(map(str, self.raise_sizes))
        if self.max_raises is not None:
            betting += " by " + "-".join(map(str, self.max_raises))
        compared = getattr(self.showdown, "__qualname__", type(self.showdown).__qualname__)
        return f"{deck}, {self.hole_cards}+{board}, {betting}, {compared}"

    def with_stacks(self, stacks: tuple[int, ...] | None) -> "Rules":
        """The same rules with other stacks, which are not verified again."""
        other = object.__new__(Rules)
        for name in Rules.__slots__:
            object.__setattr__(other, name, getattr(self, name))
        object.__setattr__(other, "stacks", stacks)
        return other

    def plays_like(self, other: "Rules") -> bool:
        """Whether both are the same game but for its name and the way labels are written."""
        plain = [replace(rules, name="", suit_isomorphic=False) for rules in (self, other)]
        return plain[0] == plain[1]


class BetActions(Sequence[int]):
    """The legal actions of a no-limit decision, ascending: fold, call, and the interval of the raises.

    There may be a hundred thousand raises. Their ends, their number and whether one of them is legal are
    found without listing them, and a slice of the raises is a range. Only a loop lists them.
    """

    __slots__ = ("_head", "can_fold", "raises")

    can_fold: bool
    raises: range  # totals one may raise to, in steps of one chip; empty when no raise is allowed

    def __init__(self, can_fold: bool, raises: range) -> None:
        self.can_fold = can_fold
        self.raises = raises
        self._head = (FOLD, CALL) if can_fold else (CALL,)

    def __len__(self) -> int:
        return len(self._head) + len(self.raises)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            places = range(len(self))[index]
            if places and min(places[0], places[-1]) < len(self._head):
                return tuple(self[i] for i in places)
            shift = self.raises.start - len(self._head)
            return range(places.start + shift, places.stop + shift, places.step)
        position = index + len(self) if index < 0 else index
        if not 0 <= position < len(self):
            raise IndexError(f"index {index} of {len(self)} actions")
        head = len(self._head)
        return self._head[position] if position < head else self.raises[position - head]

    def __iter__(self) -> Iterator[int]:
        yield from self._head
        yield from self.raises

    def __contains__(self, action: object) -> bool:
        return action in self._head or action in self.raises

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Position of an action; ValueError if it is not legal (or not between start and stop)."""
        if value in self._head:
            position = self._head.index(value)
        elif value in self.raises:
            position = len(self._head) + self.raises.index(value)
        else:
            raise ValueError(f"{value!r} is not among {self!r}")
        first, last, _ = slice(start, stop).indices(len(self))
        if not first <= position < last:
            raise ValueError(f"{value!r} is not among {self!r} from {start} to {stop}")
        return position

    def count(self, value: Any) -> int:
        """1 for a legal action, else 0."""
        return int(value in self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BetActions):
            return NotImplemented
        return self.can_fold == other.can_fold and self.raises == other.raises

    def __hash__(self) -> int:
        return hash((self.can_fold, self.raises))

    def __repr__(self) -> str:
        parts = [str(action) for action in self._head]
        if self.raises:
            parts.append(f"{self.raises[0]}..{self.raises[-1]}")
        return f"BetActions({', '.join(parts)})"


_NO_RAISE = range(0)
_FIXED_RAISE = range(RAISE, RAISE + 1)


def raises_among(legal: Sequence[int]) -> range:
    """The raises among the legal actions of a decision, as an interval: empty, one or many."""
    if isinstance(legal, BetActions):
        return legal.raises
    return _FIXED_RAISE if RAISE in legal else _NO_RAISE


@dataclass(frozen=True, slots=True)
class PokerView(View):
    """The knowledge of one seat: its own cards and everything public. It holds no state of the hand.

    Cards are sorted within a round, highest first, because the order of the deal tells nothing. ``choices``
    is what the seat to act may do. That is public in poker, so every seat's view holds it.
    """

    game: "PokerGame"
    hole: tuple[int, ...]
    board: tuple[int, ...]
    betting: str  # as in ACPC
    actions: tuple[tuple[int, int], ...]  # (seat, action) in order
    round: int
    to_act: int  # the seat to act; negative between two rounds and at the end
    choices: Sequence[int]  # what the seat to act may do
    spent: tuple[int, ...]  # [seats] chips put in over the whole hand
    stacks: tuple[int, ...] | None  # [seats] chips left; None where nobody runs out
    folded: tuple[bool, ...]  # [seats]
    pot: int
    to_call: int  # chips this seat must add to stay in

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.game.rules


class PokerGame:
    """A game of poker: its ``rules``, and tables that all its states share."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._sheet = rules  # the rules, but perhaps with the stacks of another hand
        self.name = rules.name
        self.num_players = rules.num_players
        self.seat_names = seat_names(rules.num_players)
        self._hash: int | None = None
        seats = rules.num_players
        self._deck = frozenset(rules.deck)
        dealt = seats * rules.hole_cards
        self._due = tuple(dealt + sum(rules.board_cards[: r + 1]) for r in range(len(rules.board_cards)))
        self._last_round = len(rules.board_cards) - 1
        self._all_forced = tuple(rules.ante + blind for blind in rules.blinds)
        self._seat(rules.stacks)
        self._orders = tuple(
            tuple((first + i) % seats for i in range(seats)) for first in range(seats)
        )  # seats clockwise from each seat

    def _seat(self, stacks: tuple[int, ...] | None) -> None:
        """Set all that depends on the stacks: chips after the dead ones are paid, antes and blinds."""
        dead, forced = self._sheet.dead, self._all_forced
        self._seated = stacks
        if dead is not None and stacks is not None:
            dead = tuple(map(min, dead, stacks))
            stacks = tuple(map(operator.sub, stacks, dead))
        self._stacks = stacks  # [seats]; `None` means that nobody runs out
        self._dead = dead  # [seats]; `None` means that there are none
        self._dead_pot = 0 if dead is None else sum(dead)
        self._forced = forced if stacks is None else tuple(map(min, forced, stacks))

    @cached_property
    def rules(self) -> Rules:
        """The rules, with the stacks of this game. Made at the first use, see `with_stacks`."""
        return self._sheet.with_stacks(self._seated)

    @property
    def dead(self) -> tuple[int, ...] | None:
        """Dead chips each seat really paid; None where there are none."""
        return self._dead

    @property
    def forced(self) -> tuple[int, ...]:
        """All chips each seat puts in before anybody acts: antes, blinds and dead ones."""
        return self._forced if self._dead is None else tuple(map(operator.add, self._forced, self._dead))

    def with_stacks(self, stacks: tuple[int, ...]) -> "PokerGame":
        """The same game with other stacks; the name stays. Quick: a file has other stacks in every hand."""
        if len(stacks) != self.num_players:
            raise SoulreadError(f"{self.name!r} has {self.num_players} players, not {len(stacks)}")
        other = object.__new__(PokerGame)
        _ = self.variant  # does not depend on the stacks: computed once for all
        other.__dict__.update(self.__dict__)
        other.__dict__.pop("rules", None)
        other._hash = None
        other._seat(stacks)
        return other

    @property
    def num_cards(self) -> int:
        """Cards dealt in a hand that goes to the last round."""
        return self._due[-1]

    @cached_property
    def variant(self) -> str:
        """`Rules.variant`, computed once."""
        return self.rules.variant

    @cached_property
    def holdings(self) -> tuple[tuple[int, ...], ...]:
        """Every set of hole cards a seat may be dealt, each in ascending order.

        They are ordered by their highest card, then the next: in hold'em holding ``(a, b)`` with a < b has
        the number ``b * (b - 1) / 2 + a``, as in a `soulread.cards.ranges.Range`.
        """
        found = itertools.combinations(sorted(self.rules.deck), self.rules.hole_cards)
        return tuple(sorted(found, key=lambda cards: cards[::-1]))

    def start(self) -> "PokerState":
        """The state before anything was dealt: antes and blinds are in, chance is to move."""
        return PokerState(self)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, PokerGame) and self.rules == other.rules)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self.rules)  # games are keys of caches that every hand asks
        return self._hash

    def __repr__(self) -> str:
        return f"<PokerGame {self.name!r}>"


class PokerState:
    """One point of a hand. Never changes; `apply` returns the next point."""

    __slots__ = (
        "_acted",
        "_high",
        "_last_raise",
        "_payoffs",
        "_queue",
        "_raises",
        "_short",
        "actions",
        "betting",
        "cards",
        "folded",
        "game",
        "player",
        "round",
        "spent",
    )

    game: PokerGame
    cards: tuple[int, ...]  # every card dealt so far, in deal order
    round: int
    player: int  # seat to act, CHANCE or TERMINAL
    spent: tuple[int, ...]  # [seats] chips put in over the whole hand
    folded: tuple[bool, ...]  # [seats]
    betting: str  # as in ACPC: "rrc/cr", no-limit "r6c/"; a "/" stands where a round is over
    actions: tuple[tuple[int, int], ...]  # (seat, action) in order

    def __init__(self, game: PokerGame) -> None:
        """The state before anything was dealt: antes and blinds are in, chance is to move."""
        self.game = game
        self.cards = ()
        self.round = 0
        self.player = CHANCE
        self.spent = game._forced
        self.folded = (False,) * game.num_players
        self.betting = ""
        self.actions = ()
        self._queue: tuple[int, ...] = ()  # seats still to act unless somebody raises, the next one first
        self._high = max(game._sheet.opening, *self.spent)  # the total one must have put in to stay in
        self._raises = 0  # raises in this round
        self._last_raise = 0  # largest raise of this round, in chips
        self._short = 0  # short all-ins since a full raise, added up
        self._payoffs: tuple[int, ...] | None = None  # computed at the first use
        self._acted = 0  # bit mask of the seats that have acted since the last full raise

    # What everyone sees.

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.game.rules

    @property
    def board(self) -> tuple[int, ...]:
        """Board cards dealt so far, in deal order."""
        return self.cards[self.game._due[0] :]

    @property
    def stacks(self) -> tuple[int, ...] | None:
        """Chips left in front of each seat; None where nobody runs out."""
        stacks = self.game._stacks
        return None if stacks is None else tuple(map(operator.sub, stacks, self.spent))

    @property
    def pot(self) -> int:
        """All chips put in so far, dead ones too."""
        return sum(self.spent) + self.game._dead_pot

    @property
    def to_call(self) -> int:
        """Chips the seat to act must add to stay in; 0 when it may check, and at chance and the end."""
        return self._to_call(self.player) if self.player >= 0 else 0

    @property
    def cards_due(self) -> int:
        """How many cards chance deals before a seat may act again or the next round begins."""
        return self.game._due[self.round] - len(self.cards) if self.player == CHANCE else 0

    @property
    def showdown(self) -> bool:
        """Whether the hand is over and the cards decided it."""
        return self.player == TERMINAL and self.folded.count(False) > 1

    @property
    def shown(self) -> tuple[tuple[int, ...], ...]:
        """Hole cards everyone saw at the showdown, per seat; empty for the others and without one."""
        showdown = self.showdown
        return tuple(
            self.hole(seat) if showdown and not folded else () for seat, folded in enumerate(self.folded)
        )

    @property
    def actions_by_round(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """`actions`, one tuple for each round begun so far."""
        rounds = []
        start = 0
        for text in self.betting.split("/"):
            stop = start + sum(text.count(letter) for letter in "fcr")
            rounds.append(self.actions[start:stop])
            start = stop
        return tuple(rounds)

    # What only some see.

    def hole(self, seat: int) -> tuple[int, ...]:
        """The hole cards of ``seat`` dealt so far, in deal order: for the engine and their owner."""
        count = self.game.rules.hole_cards
        self._verify_seat(seat)
        return self.cards[seat * count : (seat + 1) * count]

    def information(self, seat: int) -> str:
        """``"own hole|board|betting"``: "AsKh|Jh4c3h|rc/". Cards are sorted within a round."""
        hole = sorted(self.hole(seat), reverse=True)
        return f"{self._label(hole)}|{self._label(self._sorted_board())}|{self.betting}"

    def public(self) -> str:
        """``"board|betting"``, the same for every seat."""
        return f"{self._label(self._sorted_board())}|{self.betting}"

    def view(self, seat: int, players: Sequence[str] = ()) -> PokerView:
        """The view of an agent in ``seat``; its ``legal`` is empty unless the seat is to act.

        ``players`` says who sits where; without it the seats have their numbers for names.
        """
        hole = tuple(sorted(self.hole(seat), reverse=True))
        board = self._sorted_board()
        public = f"{self._label(board)}|{self.betting}"
        choices = self.legal_actions()
        return PokerView(
            game=self.game,
            players=tuple(players) or self.game.seat_names,
            seat=seat,
            legal=choices if seat == self.player else (),
            information=f"{self._label(hole)}|{public}",
            public=public,
            hole=hole,
            board=board,
            betting=self.betting,
            actions=self.actions,
            round=self.round,
            to_act=self.player,
            choices=choices,
            spent=self.spent,
            stacks=self.stacks,
            folded=self.folded,
            pot=self.pot,
            to_call=0 if self.player == TERMINAL else self._to_call(seat),
        )

    # Moves.

    def legal_actions(self) -> Sequence[int]:
        """The legal actions of the seat to act, ascending: a tuple, or `BetActions` in a no-limit game."""
        player = self.player
        if player < 0:
            return ()
        can_fold = self.game._sheet.open_folds or self.spent[player] < self._high
        raises = self._raise_totals()
        if self.game._sheet.raise_sizes is None:
            return BetActions(can_fold, raises)
        if can_fold:
            return (FOLD, CALL, RAISE) if raises else (FOLD, CALL)
        return (CALL, RAISE) if raises else (CALL,)

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Every card left in the deck, each equally likely; empty unless chance is to move."""
        if self.player != CHANCE:
            return ()
        left = [card for card in self.game.rules.deck if card not in self.cards]
        probability = 1.0 / len(left)
        return [(card, probability) for card in left]

    def apply(self, action: int) -> Self:
        """The state after an action of the seat to act, or after chance dealt the card ``action``."""
        after = self._copy()
        if self.player == CHANCE:
            after._deal(action)
        elif self.player == TERMINAL:
            raise IllegalAction(f"{action!r} in {self._where()}: the hand is over")
        elif action == CALL:
            after._call()
        elif action == FOLD:
            after._fold()
        else:
            after._raise(action)
        return after

    def deal(self, cards: Iterable[int]) -> Self:
        """The state after chance dealt ``cards``, one after the other."""
        after = self._copy()
        for card in cards:
            if after.player != CHANCE:
                raise IllegalAction(f"card {card!r} in {after._where()}: no card is due")
            after._deal(card)
        return after

    def play_on(self, actions: Iterable[int], cards: Sequence[int]) -> Self:
        """The state after several actions of the seats to act, with ``cards`` dealt as they come due.

        As `apply` for each, but quicker. Cards that are left over are an `IllegalAction`.
        """
        after = self._copy()
        dealt = 0
        for action in actions:
            after._act(action)
            while after.player == CHANCE and dealt < len(cards):
                after._deal(cards[dealt])
                dealt += 1
        if dealt < len(cards):
            raise IllegalAction(f"{plural(len(cards) - dealt, 'card')} left over in {after._where()}")
        return after

    def with_cards(self, cards: Sequence[int]) -> Self:
        """The state after the same betting with other cards, as many as were dealt here."""
        known = len(set(cards)) == len(cards) and self.game._deck.issuperset(cards)
        if len(cards) != len(self.cards) or not known:
            raise IllegalAction(f"cards {cards!r} in {self._where()}: expected {len(self.cards)} of the deck")
        after = self._copy()
        after.cards = tuple(cards)
        return after

    def payoffs(self) -> tuple[int, ...]:
        """Net chips won by each seat; they sum to zero. Raises `IllegalAction` before the end."""
        if self.player != TERMINAL:
            raise IllegalAction(f"payoffs in {self._where()}: the hand is not over")
        if self._payoffs is None:
            self._payoffs = self._settle()
        return self._payoffs

    def _settle(self) -> tuple[int, ...]:
        """Net chips of each seat at the end of the hand."""
        spent, folded, dead = self.spent, self.folded, self.game._dead
        if folded.count(False) == 1:
            winner = folded.index(False)
            pot = self.pot
            paid = spent if dead is None else tuple(map(operator.add, spent, dead))
            return tuple([(pot if seat == winner else 0) - chips for seat, chips in enumerate(paid)])
        board = self.board
        showdown = self.game.rules.showdown
        strength = [-1 if out else showdown(self.hole(seat), board) for seat, out in enumerate(folded)]
        if len(spent) == 2 and dead is None:
            won = min(spent) * ((strength[0] > strength[1]) - (strength[0] < strength[1]))
            return (won, -won)
        return _split(spent, folded, strength, dead)

    # Words.

    def action_name(self, action: int) -> str:
        """A word such as "check", "call", "bet" or, in no-limit, "raise to 12"; for chance the card."""
        if self.player == CHANCE:
            return card_name(action)
        if action == FOLD:
            return "fold"
        if action == CALL:
            return "call" if self.to_call else "check"
        opening = not self._raises and (self.round > 0 or not any(self.game.rules.blinds))
        word = "bet" if opening else "raise"
        return word if self.game.rules.raise_sizes is not None else f"{word} to {action}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PokerState):
            return NotImplemented
        return self.cards == other.cards and self.actions == other.actions and self.game == other.game

    def __hash__(self) -> int:
        return hash((self.cards, self.actions))

    def __repr__(self) -> str:
        hole = "|".join(cards_name(self.hole(seat)) for seat in range(len(self.spent)))
        return f"<PokerState {self.game.name!r} {hole} {cards_name(self.board)} {self.betting!r}>"

    # `apply` works on a copy; these change it in place, and raise before they do.

    def _copy(self) -> Self:
        copy = object.__new__(type(self))
        copy.game = self.game
        copy.cards = self.cards
        copy.round = self.round
        copy.player = self.player
        copy.spent = self.spent
        copy.folded = self.folded
        copy.betting = self.betting
        copy.actions = self.actions
        copy._payoffs = None
        copy._queue = self._queue
        copy._high = self._high
        copy._raises = self._raises
        copy._last_raise = self._last_raise
        copy._short = self._short
        copy._acted = self._acted
        return copy

    def _act(self, action: int) -> None:
        if self.player < 0:
            raise IllegalAction(f"{action!r} in {self._where()}: nobody is to act")
        if action == CALL:
            self._call()
        elif action == FOLD:
            self._fold()
        else:
            self._raise(action)

    def _deal(self, card: int) -> None:
        if card not in self.game._deck:
            raise IllegalAction(f"card {card!r} in {self._where()}: not in the deck of this game")
        if card in self.cards:
            raise IllegalAction(f"card {card_name(card)} in {self._where()}: already dealt")
        self.cards += (int(card),)
        if len(self.cards) == self.game._due[self.round]:
            self._begin_round()

    def _begin_round(self) -> None:
        if self.round:
            self._high = max(self.spent)
        self._queue = self._seats_to_act()
        self._raises = self._last_raise = self._short = self._acted = 0
        self._pass_on()

    def _fold(self) -> None:
        player = self.player
        if self.spent[player] >= self._high and not self.game._sheet.open_folds:
            raise IllegalAction(self._refusal(FOLD))
        self.folded = _replace(self.folded, player, True)
        self._record(FOLD, "f")

    def _call(self) -> None:
        player, total, stacks = self.player, self._high, self.game._stacks
        if stacks is not None and stacks[player] < total:
            total = stacks[player]
        if total != self.spent[player]:
            self.spent = _replace(self.spent, player, total)
        self._record(CALL, "c")

    def _raise(self, action: int) -> None:
        player, stacks = self.player, self.game._stacks
        totals = self._raise_totals()
        fixed = self.game._sheet.raise_sizes is not None
        if (action != RAISE or not totals) if fixed else action not in totals:
            raise IllegalAction(self._refusal(action))
        total = totals[0] if fixed else int(action)
        size = total - self._high
        if size >= self._last_raise:
            self._last_raise = size
            self._acted = 0
        short = self._short + size if stacks is not None and total == stacks[player] else 0
        self._short = short if short < self._last_raise else 0
        self._raises += 1
        self._high = total
        self.spent = _replace(self.spent, player, total)
        self._queue = tuple(
            [
                seat
                for seat in self.game._orders[player]
                if not self.folded[seat]
                and (stacks is None or seat == player or self.spent[seat] < stacks[seat])
            ]
        )
        self._record(int(action), "r" if fixed else f"r{total}")

    def _record(self, action: int, code: str) -> None:
        """Write down what the seat to act did, and pass on."""
        player, queue = self.player, self._queue[1:]
        self.actions += ((player, action),)
        self.betting += code
        self._acted |= 1 << player
        self._queue = queue
        if queue and (action != FOLD or self.folded.count(False) > 1):
            self.player = queue[0]
        else:
            self._pass_on()

    def _pass_on(self) -> None:
        """To the next seat, the next round or the end."""
        if self.folded.count(False) == 1:
            self.player = TERMINAL
        elif self._queue:
            self.player = self._queue[0]
        elif self.round == self.game._last_round:
            self.player = TERMINAL
        else:
            self.round += 1
            self.betting += "/"
            self.player = CHANCE

    # What the rules say at this point.

    def _raise_totals(self) -> range:
        """Totals the seat to act may raise to; one in a fixed-limit game, empty if it may not raise."""
        rules, player = self.game._sheet, self.player
        if rules.max_raises is not None and self._raises >= rules.max_raises[self.round]:
            return _NO_RAISE
        top = self._high
        step = rules.big_blind if rules.raise_sizes is None else rules.raise_sizes[self.round]
        stacks = self.game._stacks
        if stacks is None:
            return range(top + step, top + step + 1)
        stack, last_raise = stacks[player], self._last_raise
        full = min(last_raise, (step + 1) // 2) if rules.half_bets else last_raise
        if (
            stack <= top
            or top - self.spent[player] < full
            or (0 < self._short < full and self._acted >> player & 1)
        ):
            return _NO_RAISE
        for seat, out in enumerate(self.folded):  # a loop: this is asked at every decision
            if seat != player and not out and stacks[seat] > top:
                low = min(stack, top + max(last_raise, step))
                return range(low, (stack if rules.raise_sizes is None else low) + 1)
        return _NO_RAISE

    def _seats_to_act(self) -> tuple[int, ...]:
        """The seats that have a decision at the start of a round, first one first."""
        rules, spent, folded = self.game._sheet, self.spent, self.folded
        order = self.game._orders[rules.first[self.round]]
        stacks = self.game._stacks
        if stacks is None:
            return tuple([seat for seat in order if not folded[seat]]) if any(folded) else order
        if max(spent) < min(stacks):
            return tuple([seat for seat in order if not folded[seat]])
        # Beyond the second largest stack there is nobody to bet against.
        second = sorted([stack for stack, out in zip(stacks, folded, strict=True) if not out])[-2]
        queue = [
            seat for seat in order if not folded[seat] and spent[seat] < second and spent[seat] < stacks[seat]
        ]
        return () if len(queue) == 1 and spent[queue[0]] == max(spent) else tuple(queue)

    def _to_call(self, seat: int) -> int:
        if self.folded[seat]:
            return 0
        stacks, total = self.game._stacks, self._high
        if stacks is not None and stacks[seat] < total:
            total = stacks[seat]
        return total - self.spent[seat]

    def _sorted_board(self) -> tuple[int, ...]:
        """The board with each round's cards sorted, highest first; rounds stay in order."""
        due, cards = self.game._due, self.cards
        board: tuple[int, ...] = ()
        for start, stop in itertools.pairwise(due):
            if start >= len(cards):
                break
            dealt = cards[start:stop]
            board += dealt if len(dealt) == 1 else tuple(sorted(dealt, reverse=True))
        return board

    def _label(self, cards: Sequence[int]) -> str:
        if self.game.rules.suit_isomorphic:
            return "".join([RANKS[card >> 2] for card in cards])
        return "".join([_NAMES[card] for card in cards])

    def _verify_seat(self, seat: int) -> None:
        if not 0 <= seat < len(self.spent):
            raise SoulreadError(
                f"seat {seat!r} in {self.game.name!r}; its seats are 0 to {len(self.spent) - 1}"
            )

    def _where(self) -> str:
        return f"{self.game.name!r} after {self.betting!r}"

    def _refusal(self, action: int) -> str:
        """Why ``action`` is not legal here, and what is."""
        fixed = self.game.rules.raise_sizes is not None
        legal = self.legal_actions()
        raises = legal.raises if isinstance(legal, BetActions) else ()
        if action == FOLD:
            codes = ["c", "r"] if legal[-1] != CALL else ["c"]
            return f"fold in {self._where()}: nothing to call, so only {' or '.join(codes)}"
        if fixed and action != RAISE:
            return f"action {action!r} in {self._where()}: legal are {', '.join(map(str, legal))}"
        attempt = "raise" if fixed else f"raise to {action!r}"
        if not raises:
            codes = ["f", "c"] if legal[0] == FOLD else ["c"]
            return f"{attempt} in {self._where()}: no raise is allowed here, only {' or '.join(codes)}"
        bounds = f"between {raises[0]} and {raises[-1]}" if len(raises) > 1 else f"{raises[0]}, all-in"
        return f"{attempt} in {self._where()}: a raise must be to {bounds}"


UNKNOWN = -1  # stands for a card nobody saw, where a `Replay` is dealt one


class Replay(PokerState):
    """A hand that is played again by the same rules, in place. For files with many hands: nothing is copied.

    Cards may be `UNKNOWN`; then views and payoffs mean nothing, but betting, pots and chips do.
    """

    __slots__ = ()

    @property
    def is_limit(self) -> bool:
        """Whether bets have a fixed size."""
        return self.game._sheet.raise_sizes is not None

    @property
    def high(self) -> int:
        """The total that a seat must have put in to stay in."""
        return self._high

    def chips_left(self, seat: int) -> int:
        """Chips in front of a seat; 1 where nobody runs out."""
        stacks = self.game._stacks
        return 1 if stacks is None else stacks[seat] - self.spent[seat]

    @property
    def raises(self) -> range:
        """The totals that the seat to act may raise to; empty if it may not."""
        return self._raise_totals()

    @property
    def is_answerable(self) -> bool:
        """Whether some other seat has more chips than it takes to stay in, so that a raise means anything."""
        stacks, high, player = self.game._stacks, self._high, self.player
        if stacks is None or min(stacks) > high:
            return True
        folded = self.folded
        return any(chips > high and not folded[seat] and seat != player for seat, chips in enumerate(stacks))

    @property
    def antes(self) -> tuple[int, ...]:
        """[seats] What each seat has paid as an ante that counts."""
        ante = self.game._sheet.ante
        if not ante:
            return (0,) * self.game.num_players
        return tuple([min(ante, chips) for chips in self.game._forced])

    def act(self, action: int) -> None:
        """The seat to act does ``action``; raises `IllegalAction` and changes nothing if it may not."""
        self._act(action)

    def deal_round(self, cards: tuple[int, ...]) -> None:
        """Deal all cards that are due at once; raises `IllegalAction` if they are too many or too few."""
        dealt = self.cards
        if len(cards) != self.cards_due:
            raise IllegalAction(f"{len(cards)} cards in {self._where()}: {self.cards_due} are due")
        for card in cards if max(cards) > UNKNOWN else ():
            if card != UNKNOWN and (card in dealt or cards.count(card) > 1):
                raise IllegalAction(f"card {card_name(card)} in {self._where()}: already dealt")
        self.cards = dealt + cards
        self._begin_round()


def parse_action(state: PokerState, text: str) -> int:
    """The action ``text`` stands for ("f", "c", "r", in no-limit "r12"); it must be legal in ``state``."""
    if state.player < 0:
        who = "chance is to deal" if state.player == CHANCE else "the hand is over"
        raise IllegalAction(f"{text!r} in {state._where()}: {who}")
    if text == "c":  # always legal
        return CALL
    fixed = state.game.rules.raise_sizes is not None
    if text == "f":
        action = FOLD
    elif fixed and text == "r":
        action = RAISE
    elif not fixed and re.fullmatch("r[1-9][0-9]{0,17}", text):
        action = int(text[1:])
    else:
        raise ParseError(
            f"{text!r} is not an action of {state.game.name!r}; write 'f', 'c' or "
            + ("'r'" if fixed else "'r' with the total to raise to, such as 'r12'")
        )
    if action not in (state.legal_actions() if text[0] != "r" or fixed else state._raise_totals()):
        raise IllegalAction(state._refusal(action))
    return action


def replay(game: PokerGame, betting: str, cards: str | Sequence[int | None]) -> PokerState:
    """The state after an ACPC betting string, with ``cards`` in deal order.

    Cards are text ("KsJs" in Kuhn) or numbers. None stands for an unknown card: some card that is named
    nowhere takes its place. The views of seats whose cards are known are then right, but a showdown is not.
    Cards are dealt as far as the betting allows, and a card left over is a `ParseError`. A "/" at the very
    end may be left out.
    """
    given: Sequence[int | None] = parse_cards(cards) if isinstance(cards, str) else cards
    deck = iter(with_spare_cards(game, given))
    state = _deal_out(game.start(), deck)
    position = 0
    while position < len(betting):
        where = f"character {position + 1} of {betting!r}"
        end = position + 1
        if betting[position] == "/":
            if state.betting[position : position + 1] != "/":
                raise ParseError(f"{where}: '/', but no round ends here")
        else:
            if betting[position] == "r":
                while end < len(betting) and betting[end].isdigit():
                    end += 1
            if state.betting[position : position + 1] == "/":
                raise ParseError(f"{where}: {betting[position:end]!r}, but the round is over: expected '/'")
            if state.player == CHANCE:
                raise ParseError(f"{where}: {betting[position:end]!r}, but the cards have run out")
            try:
                state = state.apply(parse_action(state, betting[position:end]))
            except SoulreadError as error:
                raise type(error)(f"{where}: {error}") from None
            state = _deal_out(state, deck)
        position = end
    left = sum(1 for _ in deck)
    if left:
        raise ParseError(f"{plural(left, 'card')} left over after {betting!r} in {game.name!r}")
    return state


def _deal_out(state: PokerState, deck: Iterator[int]) -> PokerState:
    while due := state.cards_due:
        cards = list(itertools.islice(deck, due))
        if not cards:
            break
        state = state.deal(cards)
    return state


def with_spare_cards(game: PokerGame, cards: Sequence[int | None]) -> list[int]:
    """``cards`` with each None replaced by a card of the deck that is not among them."""
    spare = (card for card in game.rules.deck if card not in cards)
    filled = []
    for card in cards:
        chosen = next(spare, None) if card is None else card
        if chosen is None:
            raise ParseError(f"{len(cards)} cards, but the deck of {game.name!r} has {len(game.rules.deck)}")
        filled.append(chosen)
    return filled


def _replace(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    return values[:seat] + (value,) + values[seat + 1 :]  # noqa: RUF005, quicker than unpacking


def _split(
    spent: Sequence[int],
    folded: Sequence[bool],
    strength: Sequence[int],
    dead: Sequence[int] | None = None,
) -> tuple[int, ...]:
    """Net chips per seat at a showdown of any number of seats."""
    called = sorted(spent)[-2]
    won = award_pots(side_pots(spent, folded, dead), strength)
    net = [won[seat] - min(paid, called) for seat, paid in enumerate(spent)]
    return tuple(net if dead is None else map(operator.sub, net, dead))


Pots = list[tuple[int, list[int]]]  # chips, and the seats that play for them


def side_pots(spent: Sequence[int], folded: Sequence[bool], dead: Sequence[int] | None = None) -> Pots:
    """The main pot and the side pots, without what nobody could match; ``dead`` chips are in the main pot."""
    called = sorted(spent)[-2]
    pots: Pots = []
    below, carried = 0, 0 if dead is None else sum(dead)
    for level in sorted({min(paid, called) for paid in spent}):
        payers = [seat for seat, paid in enumerate(spent) if paid >= level]
        claimants = [seat for seat in payers if not folded[seat]]
        amount, carried = (level - below) * len(payers) + carried, 0
        below = level
        if not claimants:  # those who put in most have folded, though they had nothing to call
            if pots:
                pots[-1] = (pots[-1][0] + amount, pots[-1][1])
            else:
                carried = amount
        elif amount:
            pots.append((amount, claimants))
    return pots


def award_pots(pots: Pots, strength: Sequence[int]) -> list[int]:
    """Chips each seat takes out of the pots, [seats]; see the module about odd chips."""
    won = [0] * len(strength)
    winners = {seat for _, claimants in pots for seat in _best(claimants, strength)}
    merged: Pots = []
    for amount, claimants in pots:
        alive = [seat for seat in claimants if seat in winners]
        if merged and merged[-1][1] == alive:
            amount += merged.pop()[0]
        merged.append((amount, alive))
    for amount, claimants in merged:
        best = _best(claimants, strength)
        share, odd = divmod(amount, len(best))
        for seat in best:
            won[seat] += share
        won[best[0]] += odd
    return won


def _best(seats: Sequence[int], strength: Sequence[int]) -> list[int]:
    top = max(strength[seat] for seat in seats)
    return [seat for seat in seats if strength[seat] == top]
