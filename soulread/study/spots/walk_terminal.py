"""A solved spot walked in the terminal: with single keys, or line by line where nobody sits at one.

`SpotScreen` is what stands on the screen and what each key does to it; it neither reads nor writes.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from rich.console import Group, RenderableType
from rich.text import Text

from soulread.cards.deck import RANKS, SUITS, card_name, pretty_cards
from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, parse_range
from soulread.errors import SoulreadError
from soulread.games.spot import PLAYER_NAMES, STREETS
from soulread.report.grid import console
from soulread.report.keys import ReadKey
from soulread.seqform.spot import action_word
from soulread.study.spots.spots import SpotView, action_colours, weighted_mean
from soulread.study.spots.spots_terminal import (
    cell_lines,
    holding_tables,
    print_holdings,
    print_view,
    spot_title,
)
from soulread.study.spots.walk import SpotWalk

SHOWN = "strategy", "EV", "equity", "reach"
_KEYS = "up/down choose, right or 1-9 take, left back, v values, h hands, q leave"
_HELP = "Type an action (check, bet60%, or its number), a card (2c), 'hands AKs,QQ', 'back', 'start' or 'q'."


@dataclass(eq=False)
class SpotScreen:
    """Where somebody is in a solved spot, and what is shown there."""

    walk: SpotWalk
    words: list[str] = field(default_factory=list)  # of the path
    chosen: int = 0  # which action
    shown: int = 0  # of `SHOWN`
    typed: str | None = None  # what has been typed at a question; None if nothing is asked
    hands: str = ""  # the range whose hands are shown in place of the grid
    told: str = ""  # what went wrong last

    @property
    def path(self) -> str:
        """The path to this place."""
        return " ".join(self.words)

    @property
    def place(self) -> str:
        """The kind of this place: "decision", "card" or "end"."""
        point = self.walk.point(self.path)
        return "decision" if point.node >= 0 else "card" if self.walk.study.spot.card_comes(point) else "end"

    @property
    def view(self) -> SpotView:
        """The decision here."""
        return self.walk.at(self.path)

    def press(self, key: str) -> bool:
        """Do what a key does; false if it leaves."""
        self.told = ""
        try:
            if key in ("end", "\x03"):
                return False
            if self.typed is not None:
                self._type(key)
            elif self.hands:
                self.hands = ""
            elif key == "q":
                return False
            elif key in ("left", "back"):
                self.back()
            elif self.place == "card":
                self._deal(key)
            elif self.place == "decision":
                self._act(key)
        except SoulreadError as error:
            self.told = str(error)
        return True

    def back(self) -> None:
        """One step back."""
        if self.words:
            self.words.pop()
            self.chosen, self.typed = 0, None

    def take(self, word: str) -> None:
        """Go on by an action or a card, in the words of a path."""
        self.walk.study.spot.follow(" ".join([*self.words, word]))  # a wrong word is told
        self.words.append(word)
        self.chosen, self.typed = 0, None

    def _act(self, key: str) -> None:
        actions = self.view.actions
        if key in ("up", "down"):
            self.chosen = (self.chosen + (1 if key == "down" else -1)) % len(actions)
        elif key in ("right", "enter"):
            self.take(action_word(actions[self.chosen]))
        elif key.isdecimal() and 1 <= int(key) <= len(actions):
            self.take(action_word(actions[int(key) - 1]))
        elif key == "v":
            self.shown = (self.shown + 1) % len(SHOWN)
        elif key == "h":
            self.typed = ""

    def _deal(self, key: str) -> None:
        if key.upper() in RANKS:
            self.typed = key.upper()

    def _type(self, key: str) -> None:
        assert self.typed is not None
        if key == "escape" or (key in ("left", "back") and not self.typed):
            self.typed = None
        elif key == "back":
            self.typed = self.typed[:-1]
        elif self.place == "card":
            if key.lower() in SUITS:
                card, self.typed = self.typed + key.lower(), None
                self.take(card)
            elif key in ("left", "back"):
                self.typed = None
        elif key == "enter":
            text, self.typed = self.typed, None
            if text.strip():
                parse_range(text)  # a wrong one is told
                self.hands = text
        elif len(key) == 1 and key.isprintable():
            self.typed += key

    def render(self) -> RenderableType:
        """All that stands on the screen."""
        place = self.place
        parts: list[RenderableType] = [Text(spot_title(self.walk.study.spot), style="bold")]
        if place == "decision" and self.hands:
            parts += [
                Text(one) if isinstance(one, str) else one
                for one in holding_tables(self.view, parse_range(self.hands))
            ]
            parts.append(Text("any key: back to the grid", style="dim"))
        elif place == "decision":
            parts += self._decision()
        elif place == "card":
            parts += self._cards()
        else:
            parts.append(Text(f"after {self.path!r}: {self.end}; nobody decides here"))
            parts.append(Text("left: back   q: leave", style="dim"))
        if self.told:
            parts.append(Text(self.told, style="red"))
        return Group(*parts)

    @property
    def next_street(self) -> str:
        """The street whose card comes here."""
        return STREETS[len(self.walk.study.spot.board) - 2 + self.walk.point(self.path).street]

    @property
    def end(self) -> str:
        """Why nobody decides here any more."""
        return "both players are all-in" if self.walk.point(self.path).entry >= 0 else "the hand is over"

    def _decision(self) -> list[RenderableType]:
        view = self.view
        colours = action_colours(view.actions)
        played, weight = view.grid()
        where = f"after {view.path!r}" if view.path else "at the start"
        acts = PLAYER_NAMES[view.player]
        parts: list[RenderableType] = [
            Text(f"{where}: {pretty_cards(view.board)}, pot {view.pot_text}, {acts} to act"),
            *cell_lines(played, self._numbers(view, played), weight > 0, colours),
        ]
        about = (
            "how often the hand takes the action chosen, %"
            if not self.shown
            else {
                "EV": "EV as a part of the pot, %",
                "equity": "equity, %",
                "reach": "how much of the hand has come here, %",
            }[SHOWN[self.shown]]
        )
        parts.append(Text(f"the number is {about}", style="dim"))
        names = [str(action) for action in view.actions]
        wide = max(map(len, names))
        for i, name in enumerate(names):
            often = view.frequencies[i]
            value = weighted_mean(view.acting.share * np.nan_to_num(view.strategy[i]), view.action_ev[i])
            line = Text("> " if i == self.chosen else "  ", style="bold")
            line.append("  ", style="on rgb({},{},{})".format(*colours[i]))
            line.append(
                f" {i + 1} {name:<{wide}} {100 * often:5.1f}%",
                style="bold" if i == self.chosen else "not bold",
            )
            if often > 1e-9 and not math.isnan(value):
                worth = f"   EV {value:z.2f} {view.unit.name}, {100 * value / view.pot:z.1f}% of the pot"
                line.append(worth, style="not bold")
            parts.append(line)
        for name, hands in zip(PLAYER_NAMES, view.players, strict=True):
            worth = (
                f"EV {hands.mean_ev:z.2f} {view.unit.name}, {100 * hands.mean_ev / view.pot:z.1f}% of the pot"
            )
            parts.append(Text(f"{name}: {worth}, equity {100 * hands.mean_equity:.1f}%"))
        if self.typed is None:
            parts.append(Text(_KEYS, style="dim"))
        else:
            parts.append(Text(f"hands, such as AKs,QQ (Enter): {self.typed}_"))
        return parts

    def _numbers(self, view: SpotView, played: NDArray[np.float64]) -> NDArray[np.float64]:
        """``[169]`` what stands in the cells."""
        if not self.shown:
            numbers: NDArray[np.float64] = played[self.chosen]
            return numbers
        acting = view.acting
        if SHOWN[self.shown] == "reach":
            return np.bincount(HAND_CELLS, acting.weight, minlength=169) / CELL_SIZES
        values = acting.ev / view.pot if SHOWN[self.shown] == "EV" else acting.equity
        cells = (np.where(cell == HAND_CELLS, acting.share, 0.0) for cell in range(169))
        return np.array([weighted_mean(own, values) for own in cells])

    def _cards(self) -> list[RenderableType]:
        spot, point = self.walk.study.spot, self.walk.point(self.path)
        dead = {card_name(card) for card in (*spot.board, *point.cards)}
        lines: list[RenderableType] = [Text(f"after {self.path!r}: the {self.next_street} comes")]
        for suit in reversed(SUITS):
            row = "  ".join("  " if rank + suit in dead else rank + suit for rank in reversed(RANKS))
            lines.append(Text(f"  {row}"))
        lines.append(Text(f"card, such as 2c: {self.typed or ''}_"))
        lines.append(Text("left: back   q: leave", style="dim"))
        return lines


def walk_with_keys(screen: SpotScreen, read: ReadKey) -> None:
    """Show the screen and do what keys say, until one leaves."""
    with console.screen(hide_cursor=True) as shown:
        size = None
        while True:
            if size != console.size:
                size = console.size
                shown.update(screen.render())
            key = read()
            if key is None:
                continue
            if not screen.press(key):
                return
            shown.update(Text("looking ..."))
            shown.update(screen.render())


def walk_by_lines(screen: SpotScreen, lines: Iterable[str]) -> None:
    """Do what each line says and print where that leads, to the end of the lines or "q"."""
    console.print(spot_title(screen.walk.study.spot), style="bold")
    _print_place(screen)
    for line in lines:
        words = line.split()
        if not words:
            continue
        if words[0] in ("q", "quit"):
            return
        try:
            _obey(screen, words)
        except SoulreadError as error:
            console.print(str(error))
            console.print(_HELP, style="dim")


def _obey(screen: SpotScreen, words: list[str]) -> None:
    """Do what the words of a line say."""
    if words[0] == "hands" and screen.place == "decision":
        print_holdings(screen.view, parse_range(" ".join(words[1:])))
        return
    if words == ["help"]:
        console.print(_HELP)
        return
    if words == ["back"]:
        screen.back()
    elif words == ["start"]:
        screen.words.clear()
    else:
        for word in words:
            if screen.place == "decision" and word.isdecimal() and 1 <= int(word) <= len(screen.view.actions):
                word = action_word(screen.view.actions[int(word) - 1])
            screen.take(word)
    _print_place(screen)


def _print_place(screen: SpotScreen) -> None:
    match screen.place:
        case "decision":
            print_view(screen.view)
        case "card":
            console.print(f"after {screen.path!r}: the {screen.next_street} comes; type a card such as 2c")
        case _:
            console.print(f"after {screen.path!r}: {screen.end}; nobody decides here")
