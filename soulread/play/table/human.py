"""A person at a table: what the person sees, and what the keys mean. How text comes and goes is given.

Amounts are as people say them: a raise "to 40" counts the chips of this round alone.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from soulread.cards.deck import pretty_cards
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState, PokerView, raises_among
from soulread.hands.hand import Cards, Hand
from soulread.hands.record import Actions, decisions
from soulread.words import plural

STREETS = ("preflop", "flop", "turn", "river")

_PART = re.compile(r"([0-9]{1,4})(%|/[1-9][0-9]?)")  # of the pot: 50% or 1/2
_S = {"fold": "folds", "check": "checks", "call": "calls", "bet": "bets", "raise": "raises"}


class LeftTable(SoulreadError):
    """A person has left the table; what was played until then counts."""


class HumanPlayer:
    """An agent that asks a person. ``ask`` shows a prompt and gives what was typed, ``show`` shows a line.

    With ``heads`` a blank line and the person's position stand before each hand; else somebody else shows it.
    """

    def __init__(
        self,
        name: str,
        game: PokerGame,
        ask: Callable[[str], str],
        show: Callable[[str], None],
        *,
        heads: bool = False,
    ) -> None:
        self.name = name
        self._game = game
        self._heads = heads
        self._begun = False  # whether something of the present hand was shown
        self._told: list[str] = []  # of the present hand
        self._ask = ask
        self._show = show

    def reset(self) -> None:
        """There is nothing to forget."""

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Ask until there is an answer that is legal; "q" leaves the table, which is `LeftTable`."""
        self._begin(view.seat)
        lines = list(story(self._game, view.seat, view.players, view.actions, view.board, view.hole))
        self._tell(lines)
        self._show(situation(view))
        prompt = choices(view)
        while True:
            typed = self._ask(prompt).strip().lower()
            if typed in ("q", "quit"):
                raise LeftTable(f"{self.name!r} has left the table")
            if typed == "h":
                for line in (*lines, situation(view)):
                    self._show(line)
                continue
            action = typed_action(typed, view)
            if action is not None:
                return action
            sizes = typed == "r" and len(raises_among(view.legal)) > 1
            self._show("how much? such as r20, 50% or p" if sizes else f"{typed!r} cannot be done here")

    def _begin(self, seat: int) -> None:
        """Show that a hand begins, if nothing of it was shown yet."""
        if self._heads and not self._begun:
            self._show("")
            self._show(f"a new hand, {position_name(self._game, seat)}")
        self._begun = True

    def _tell(self, lines: Sequence[str]) -> None:
        """Show the lines of the story that have not been shown yet."""
        for line in lines:
            if line not in self._told:
                self._show(line)
        self._told = list(lines)

    def observe(self, hand: Hand) -> None:
        """Hands are shown by `show_end`."""

    def show_end(self, hand: Hand) -> None:
        """Show how a hand ended, as the person saw it."""
        me = hand.eyewitness
        self._begin(me)
        self._tell(list(story(self._game, me, hand.players, hand.actions, hand.board, hand.hole[me] or ())))
        self._told, self._begun = [], False
        won = hand.payoffs[me]
        parts = [f"you win {won}" if won > 0 else f"you lose {-won}" if won else "you win nothing"]
        for seat, (name, cards) in enumerate(zip(hand.players, hand.hole, strict=True)):
            takes = hand.payoffs[seat] if hand.num_players > 2 else 0
            told = [name] if takes <= 0 else [f"{name} wins {takes}"]
            told += [] if cards is None else [pretty_cards(cards)]
            if seat != me and (takes > 0 or cards is not None):
                parts.append(" ".join(told))
        self._show("; ".join(parts))


def story(
    game: PokerGame, me: int, players: Sequence[str], actions: Actions, board: Cards, hole: Cards
) -> Iterator[str]:
    """What has been done so far, a line for each round; ``me`` is the seat of the reader."""
    dealt: Cards = ()
    for street, fresh, deeds in rounds_told(game, me, players, actions, board, hole):
        dealt += fresh
        parts = street, pretty_cards(dealt), ", ".join(deeds)
        yield "  ".join(part for part in parts if part)


def rounds_told(
    game: PokerGame, me: int, players: Sequence[str], actions: Actions, board: Cards, hole: Cards = ()
) -> Iterator[tuple[str, Cards, tuple[str, ...]]]:
    """The same as parts: the name of each round that has begun, the board that came with it, and the deeds.

    The name is empty in games of one round.
    """
    cards: list[Cards | None] = [None] * len(players)
    cards[me] = hole or None
    told: list[list[str]] = []
    before = (game.rules.ante,) * len(players)  # [seats] chips put in before this round
    for state, action in decisions(game, actions, board, cards):
        while len(told) <= state.round:
            before = state.spent if told else before
            told.append([])
        own = state.player == me
        name = "you" if own else players[state.player]
        told[-1].append(f"{name} {deed(state, action, before, you=own)}")
    rounds = game.rules.board_cards
    dealt: Cards = ()
    for number, count in enumerate(rounds):
        fresh = tuple(sorted(board[len(dealt) : len(dealt) + count], reverse=True))
        dealt += fresh
        if number < len(told) or fresh:
            title = STREETS[number] if len(rounds) > 1 else ""
            yield title, fresh, tuple(told[number]) if number < len(told) else ()


def deed(state: PokerState, action: int, before: Sequence[int], *, you: bool = False) -> str:
    """What the seat to act does, in words: "raises to 12", of ``you`` "raise to 12".

    ``before [seats]`` are the chips put in before this round.
    """
    seat, word = state.player, state.action_name(action).split()[0]
    after = state.apply(action)
    amount = {
        "call": f" {after.spent[seat] - state.spent[seat]}",
        "bet": f" {after.spent[seat] - before[seat]}",
        "raise": f" to {after.spent[seat] - before[seat]}",
    }.get(word, "")
    all_in = ", all-in" if after.stacks is not None and not after.stacks[seat] and action != FOLD else ""
    return f"{word if you else _S[word]}{amount}{all_in}"


def situation(view: PokerView) -> str:
    """All that a person needs to decide, besides the story so far, in a line."""
    parts = [f"your cards {pretty_cards(view.hole)}"]
    parts.append(f"pot {view.pot}")
    if view.to_call:
        parts.append(f"to call {view.to_call}")
    if view.stacks is not None:
        left = [
            f"{'you' if seat == view.seat else name} {view.stacks[seat]}"
            for seat, name in enumerate(view.players)
            if not view.folded[seat]
        ]
        parts.append(f"chips left: {', '.join(left)}")
    return "   ".join(parts)


def choices(view: PokerView) -> str:
    """The keys that do something here."""
    raises = raises_among(view.legal)
    parts = ["f fold"] if FOLD in view.legal else []
    parts.append(f"c call {view.to_call}" if view.to_call else "c check")
    if raises:
        opening = view.round > 0 or not any(view.rules.blinds)
        word = "bet" if opening and not view.to_call else "raise to"
        before = put_in_before(view)
        if view.rules.raise_sizes is not None:
            called = view.spent[view.seat] + view.to_call
            parts.append(f"r {word} {called + view.rules.raise_sizes[view.round] - before}")
        elif len(raises) > 1:
            low, high = raises[0] - before, raises[-1] - before
            parts.append(f"r {word} {low}-{high} (r{low}, 50%, p pot, a all-in)")
        else:
            parts.append(f"a {word} {raises[0] - before} all-in")
    return ", ".join([*parts, "q leave:"])


def typed_action(typed: str, view: PokerView) -> int | None:
    """The action that was typed, in lower case; None if it is not legal.

    "f", "c" (or "k") and "r" are fold, call and the only raise. In no-limit games there are sizes, with or
    without an "r" before them: "40" raises to 40 in this round, "50%" and "1/2" by that part of the pot after
    a call, "p" by the pot, "a" all chips. A part of the pot that is too little or too much is the nearest
    raise that is legal.
    """
    raises = raises_among(view.legal)
    action: int | None = {"f": FOLD, "c": CALL, "k": CALL}.get(typed)
    if typed == "r" and len(raises) == 1:
        action = raises[0]
    size = typed.removeprefix("r").strip()
    if view.rules.raise_sizes is None and raises and size:
        part = Fraction(1) if size in ("p", "pot") else _part(size)
        if size in ("a", "all", "all-in"):
            action = raises[-1]
        elif part is not None:
            called = view.spent[view.seat] + view.to_call
            total = called + round(part * (view.pot + view.to_call))
            action = max(raises[0], min(raises[-1], total))
        elif size.isdecimal() and len(size) < 19 and int(size) + put_in_before(view) in raises:
            action = int(size) + put_in_before(view)
    return action if action is not None and action in view.legal else None


def _part(size: str) -> Fraction | None:
    """The part of the pot that "50%" or "1/2" means."""
    found = _PART.fullmatch(size)
    if found is None:
        return None
    return Fraction(int(found[1]), 100 if found[2] == "%" else int(found[2][1:]))


def position_name(game: PokerGame, seat: int) -> str:
    """Where a seat sits, in words: "button, small blind", or "first to act" in games without blinds."""
    rules = game.rules
    if not any(rules.blinds):
        return "first to act" if rules.first[0] == seat else "last to act"
    parts = ["button"] if seat == rules.num_players - 1 else []
    if rules.blinds[seat]:
        parts.append("big blind" if rules.blinds[seat] == max(rules.blinds) else "small blind")
    return ", ".join(parts) or f"{plural(rules.num_players - 1 - seat, 'seat')} before the button"


def put_in_before(view: PokerView) -> int:
    """Chips that the seat in view had put in before this round; blinds belong to the first one, antes not."""
    if view.round == 0:
        return view.rules.ante
    for state, _ in decisions(view.game, view.actions, view.board):
        if state.round == view.round:
            return state.spent[view.seat]
    return view.spent[view.seat]
