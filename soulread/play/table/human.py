"""A person at a table: what the person sees, and what the keys mean. How text comes and goes is given."""

from collections.abc import Callable

import numpy as np

from soulread.cards.deck import pretty_card
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerView, raises_among
from soulread.hands.hand import Hand


class HumanPlayer:
    """An agent that asks a person. ``ask`` shows a prompt and gives what was typed, ``show`` shows a line."""

    def __init__(self, name: str, ask: Callable[[str], str], show: Callable[[str], None]) -> None:
        self.name = name
        self._ask = ask
        self._show = show

    def reset(self) -> None:
        """There is nothing to forget."""

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Ask until there is an answer that is legal; "q" leaves the table, which is a `SoulreadError`."""
        self._show(situation(view))
        prompt = choices(view)
        while True:
            typed = self._ask(prompt).strip().lower()
            if typed in ("q", "quit"):
                raise SoulreadError(f"{self.name!r} has left the table")
            action = typed_action(typed, view)
            if action is not None:
                return action
            self._show(f"{typed!r} cannot be done here")

    def observe(self, hand: Hand) -> None:
        """Hands are shown by `show_end`."""

    def show_end(self, hand: Hand) -> None:
        """Show how a hand ended."""
        board = f"  board {_cards(hand.board)}" if hand.board else ""
        shown = [
            f"{name} {_cards(cards)}"
            for name, cards in zip(hand.players, hand.hole, strict=True)
            if cards is not None
        ]
        won = hand.payoffs[hand.eyewitness]
        self._show(f"hand {hand.id}: {hand.betting}{board}  {', '.join(shown)}  you won {won:+}")


def situation(view: PokerView) -> str:
    """All that a person needs to decide, in a line."""
    parts = [f"your cards {_cards(view.hole)}"]
    if view.board:
        parts.append(f"board {_cards(view.board)}")
    parts.append(f"pot {view.pot}")
    if view.to_call:
        parts.append(f"to call {view.to_call}")
    if view.stacks is not None:
        parts.append(f"your stack {view.stacks[view.seat]}")
    if view.betting.strip("/"):
        parts.append(f"so far {view.betting}")
    return "  ".join(parts)


def choices(view: PokerView) -> str:
    """The keys that do something here."""
    raises = raises_among(view.legal)
    parts = ["f fold"] if FOLD in view.legal else []
    parts.append("c call" if view.to_call else "c check")
    if len(raises) > 1:
        parts.append(f"r{raises[0]} to r{raises[-1]} raise to")
    elif raises:
        parts.append("r raise" if raises[0] == RAISE else f"r{raises[0]} all-in")
    return ", ".join([*parts, "q leave:"])


def typed_action(typed: str, view: PokerView) -> int | None:
    """The action that was typed: f, c (or k), r, or a size with or without r; None if that is not legal."""
    raises = raises_among(view.legal)
    action: int | None = {"f": FOLD, "c": CALL, "k": CALL}.get(typed)
    if typed == "r" and len(raises) == 1:
        action = raises[0]
    size = typed.removeprefix("r").strip()
    if view.rules.raise_sizes is None and size.isdecimal() and len(size) < 19 and int(size) in raises:
        action = int(size)
    return action if action is not None and action in view.legal else None


def _cards(cards: tuple[int, ...]) -> str:
    return " ".join(pretty_card(card) for card in cards)
