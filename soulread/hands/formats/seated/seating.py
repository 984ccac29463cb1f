"""A hand by the numbers of the seats at the table, as rooms write it, and its `Draft` in seats by position.

A reader calls `SeatedHand` from top to bottom: who sits where, what each seat posts, each action. The chips
that a seat has put in are added up on the way, since rooms write a raise as a total, or as what was added.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from soulread.games.poker import CALL, FOLD, RAISE
from soulread.hands.hand import Cards, ForcedBet, Post, Sight
from soulread.hands.referee import CHECK, Draft, Move, Unfit

MAX_PART = 1_000_000  # characters of one hand
MAX_ACTIONS = 2_000

_DEAD = (ForcedBet.ANTE, ForcedBet.DEAD_BLIND)
_BLINDS = (ForcedBet.BIG_BLIND, ForcedBet.STRADDLE)


@dataclass(slots=True)
class SeatedHand:
    """A hand as it is told. Seats have the numbers of the table; all amounts are whole chips."""

    big_blind: int = 0  # as far as the file says; 0 if it does not
    button: int | None = None  # the seat of the dealer, whether or not somebody sits there
    names: dict[int, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    stacks: dict[int, int] = field(default_factory=dict)
    posts: list[tuple[int, ForcedBet, int]] = field(default_factory=list)
    rounds: list[list[Move]] = field(default_factory=lambda: [[]])
    hole: dict[int, Cards] = field(default_factory=dict)
    sights: dict[int, Sight] = field(default_factory=dict)
    collected: dict[int, int] = field(default_factory=dict)
    spent: dict[int, int] = field(default_factory=dict)  # chips that count towards a call, in all rounds
    dead: int = 0  # antes and dead blinds of all seats
    _now: dict[int, int] = field(default_factory=dict)  # the same in this round
    _count: int = 0

    def sit(self, number: int, name: str, stack: int) -> None:
        """Somebody sits down with so many chips."""
        if number in self.names or name in self.numbers:
            raise Unfit("names", f"seat {number}, {name!r}"[:80])
        self.names[number] = name
        self.numbers[name] = number
        self.stacks[number] = stack

    def post(self, number: int, kind: ForcedBet, amount: int) -> None:
        """A forced bet; nothing is not posted."""
        if amount > 0:
            self._counted()
            self.posts.append((number, kind, amount))
            if kind in _DEAD:
                self.dead += amount
            else:
                self._put(number, amount)

    def post_big_blind(self, number: int, amount: int, late: bool = False) -> None:
        """A big blind, or one of somebody who sits down late. What is more than the blind is dead.

        The first one says how much the big blind is if its seat is not all-in: a level may have ended.
        """
        first = not any(kind is ForcedBet.BIG_BLIND for _, kind, _ in self.posts)
        if not late and first and (not self.big_blind or self.left(number) > amount):
            self.big_blind = amount
        live = min(amount, self.big_blind or amount)
        self.post(number, ForcedBet.BIG_BLIND, live)
        self.post(number, ForcedBet.DEAD_BLIND, amount - live)

    def left(self, number: int) -> int:
        """The chips in front of a seat now."""
        paid = sum(amount for seat, kind, amount in self.posts if seat == number and kind in _DEAD)
        return self.stacks.get(number, 0) - paid - self.spent.get(number, 0)

    def fold(self, number: int) -> None:
        """A fold; out of turn, it counts when it is the seat's turn."""
        self._move((number, FOLD, 0, -1))

    def check(self, number: int) -> None:
        """A check: there is nothing to call."""
        self._move((number, CHECK, 0, -1))

    def call(self, number: int, added: int = -1) -> None:
        """A call of ``added`` chips; -1 if the file does not say how many."""
        self._move((number, CALL, 0, added))
        self._put(number, max(0, self.high - self.now(number)) if added < 0 else added)

    def raise_to(self, number: int, total: int, by_rules: int = -1) -> None:
        """A bet or raise that comes to ``total`` chips in this round; by our rules perhaps to others."""
        self._move((number, RAISE, total if by_rules < 0 else by_rules, -1))
        self._put(number, max(0, total - self.now(number)))

    def raise_by_adding(self, number: int, added: int) -> None:
        """A bet or raise that puts in ``added`` chips."""
        self.raise_to(number, self.now(number) + added)

    def all_in(self, number: int, added: int) -> None:
        """The last chips of a seat: a call, or a raise if they are more than a call."""
        if self.now(number) + added > self.high:
            self.raise_by_adding(number, added)
        else:
            self.call(number, added)

    def now(self, number: int) -> int:
        """The chips of a seat in this round that count towards a call."""
        return self._now.get(number, 0)

    @property
    def high(self) -> int:
        """The largest bet of this round; before the flop at least the big blind."""
        most = max(self._now.values(), default=0)
        return max(most, self.big_blind) if len(self.rounds) == 1 else most

    def next_round(self) -> None:
        """The betting of the next street begins."""
        self.rounds.append([])
        self._now = {}

    def show(self, number: int, cards: Cards, sight: Sight) -> None:
        """Cards of a seat; those that were seen before are not forgotten for fewer."""
        if cards and len(cards) >= len(self.hole.get(number, ())):
            self.hole[number] = cards
        if cards or sight is Sight.MUCKED:
            self.sights[number] = sight

    @property
    def active(self) -> set[int]:
        """The seats that were dealt in: they post, or act, or have cards."""
        acted = {move[0] for moves in self.rounds for move in moves}
        return acted.union([number for number, _, _ in self.posts], self.hole, self.sights)

    @property
    def folded(self) -> set[int]:
        """The seats that fold."""
        return {move[0] for moves in self.rounds for move in moves if move[1] == FOLD}

    @property
    def uncalled(self) -> tuple[int, int]:
        """The seat that put in most, and how much of it nobody called, by the amounts of the file."""
        order = sorted(self.spent, key=self.spent.__getitem__)
        if len(order) < 2:
            return (order[0], self.spent[order[0]]) if order else (-1, 0)
        return order[-1], self.spent[order[-1]] - self.spent[order[-2]]

    @property
    def told(self) -> int:
        """All chips that were put in, by the amounts of the file."""
        return self.dead + sum(self.spent.values())

    def give_back_uncalled(self) -> int:
        """Take a bet that nobody called out of what its seat "collected"; returns how much.

        Some rooms let the seat collect it together with the pot, or as a side pot of its own.
        """
        number, chips = self.uncalled
        if self.collected.get(number, 0) < chips:
            return 0
        if chips:
            self.collected[number] -= chips
        return chips

    def draft(self, boards: Sequence[Cards] = (), small_bet: int | None = None) -> Draft:
        """The hand in seats by position; the reader fills in where and when it was played."""
        if self.button is None:
            raise Unfit("the button is missing", "no seat is the dealer's")
        if (
            not self.rounds[0]
            and any(self.rounds)
            and all(kind is ForcedBet.ANTE for _, kind, _ in self.posts)
        ):
            raise Unfit("a bomb pot", "only antes, and no betting before the flop", other_game=True)
        if not any(self.collected.values()) and self.told > self.uncalled[1]:
            raise Unfit("the hand is cut short", "nobody collects the pot")
        button = self.button
        order = sorted(self.active, key=lambda number: (number <= button, number))
        seat_of = {number: seat for seat, number in enumerate(order)}
        idle = [self.names[number] for number, won in self.collected.items() if won and number not in seat_of]
        if idle:
            raise Unfit("chips are not conserved", f"{idle[0]!r} collects without having played")
        return Draft(
            players=[self.names[number] for number in order],
            stacks=[self.stacks[number] for number in order],
            posts=[Post(seat_of[number], kind, amount) for number, kind, amount in self.posts],
            big_blind=self.big_blind if small_bet is None else small_bet,
            moves=[
                [(seat_of[n], kind, to, paid) for n, kind, to, paid in moves] for moves in self._in_turn()
            ],
            boards=tuple(boards) or ((),),
            small_bet=small_bet,
            hole={seat_of[number]: cards for number, cards in self.hole.items() if number in seat_of},
            sights={seat_of[number]: sight for number, sight in self.sights.items() if number in seat_of},
            collected=[self.collected.get(number, 0) for number in order],
        )

    def _in_turn(self) -> list[list[Move]]:
        """The moves of each round. A fold that a file tells too late comes first, and waits for its turn.

        It is the only move of a seat without a big blind, which can have folded in its first turn only.
        """
        blinds = {number for number, kind, _ in self.posts if kind in _BLINDS}
        turns = Counter(move[0] for moves in self.rounds for move in moves)
        if not blinds:
            return self.rounds  # the first turn is after the flop
        lone = {number for number in self.folded if turns[number] == 1 and number not in blinds}
        folds = [move for moves in self.rounds for move in moves if move[0] in lone]
        rounds = [[move for move in moves if move[0] not in lone] for moves in self.rounds]
        return [folds + rounds[0], *rounds[1:]]

    def seen_from(self, draft: Draft, number: int | None) -> Draft:
        """The draft as the player in this seat saw it; by nobody at the table if that seat did not play."""
        name = None if number is None else self.names.get(number)
        draft.observer = draft.players.index(name) if name is not None and name in draft.players else None
        return draft

    def _put(self, number: int, chips: int) -> None:
        self._now[number] = self._now.get(number, 0) + chips
        self.spent[number] = self.spent.get(number, 0) + chips

    def _move(self, move: Move) -> None:
        self._counted()
        self.rounds[-1].append(move)

    def _counted(self) -> None:
        self._count += 1
        if self._count > MAX_ACTIONS:
            raise Unfit("a hand is too long", f"more than {MAX_ACTIONS} actions")


def small_bet_of(low: int, high: int, posted: int) -> int:
    """The small bet of a limit game: of the two stakes a room names, the one that is the big blind.

    Rooms name the bets (5/10 with blinds of 2.50 and 5) or the blinds (10/20 with bets of 20 and 40).
    """
    return high if posted == high else low or posted


def marked_parts(texts: Iterable[list[str]], mark: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The text before the first mark, then the text from each mark to the next one.

    Each part has the number of its first line. Of a part longer than `MAX_PART` the middle is dropped, and
    it stays longer than that.
    """
    rest, place, dropped = "", 1, 0
    for lines in texts:
        if not lines:
            continue
        rest += "\n".join(lines) + "\n"
        begin = 0
        for found in mark.finditer(rest):
            if found.start() > begin:
                part = rest[begin : found.start()]
                yield place, part
                place += part.count("\n") + dropped
                begin, dropped = found.start(), 0
        rest = rest[begin:]
        if len(rest) > MAX_PART + 400:
            dropped += rest.count("\n", MAX_PART + 200, -200)
            rest = rest[: MAX_PART + 200] + rest[-200:]
    if rest:
        yield place, rest
