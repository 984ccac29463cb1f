"""The events of a match that is watched, for people: a few lines for each action."""

from collections.abc import Mapping
from itertools import islice
from textwrap import wrap

from rich.text import Text

from soulread.cards.deck import parse_cards, pretty_cards
from soulread.estimate import Unit
from soulread.hands.hand import Stakes
from soulread.report.grid import console
from soulread.study.duels.watching import ActionTaken, Event, HandDealt, HandEnded
from soulread.words import printable

MOST_CLASSES = 6  # of a range, shown
MOST_ACTIONS = 6  # whose chances or values are shown

_LEAST = 0.005  # chance that is shown
_MARGIN = 4
_LABEL = 13
_VERB = 14


class WatchPrinter:
    """Prints events one after the other. What an agent promises is told when it changes."""

    def __init__(self, stakes: Stakes) -> None:
        self._scale = Unit.MILLIBETS.per_chip(stakes.small_bet, stakes.big_blind)
        self._board = ""
        self._width = 0
        self._told: dict[str, str] = {}

    def __call__(self, event: Event) -> None:
        """Print an event."""
        if isinstance(event, HandDealt):
            self._deal(event)
        elif isinstance(event, ActionTaken):
            self._act(event)
        else:
            self._end(event)

    def _deal(self, event: HandDealt) -> None:
        self._board = ""
        self._width = max(map(len, event.players))
        match = f"match {event.match}, " if event.match > 1 else ""
        console.print(Text(f"{match}hand {event.hand}, pot {event.pot}", style="bold"))
        stacks = event.stacks or [None] * len(event.players)
        for name, hole, stack in zip(event.players, event.hole, stacks, strict=True):
            left = "" if stack is None else f"   {stack} chips"
            console.print(Text(f"  {name:<{self._width}}  {_cards(hole)}{left}"))

    def _act(self, event: ActionTaken) -> None:
        if event.board != self._board:
            self._show_board(event.board)
        line = Text(f"  {event.player:<{self._width}}  ")
        line.append(f"{event.action:<{_VERB}}", style="bold")
        line.append(f"pot {event.pot}", style="dim")
        console.print(line)
        if event.stood_in:
            self._note("stood in", event.stood_in)
        alike = _alike(event.equilibrium, event.probabilities)
        if len(event.probabilities) > 1:
            too = ", as the equilibrium does" if alike else ""
            self._note("plays", f"{_chances(event.probabilities)}{too}")
        if len(event.equilibrium) > 1 and not alike:
            self._note("equilibrium", _chances(event.equilibrium))
        if event.values:
            self._note("worth", f"{_values(event)} chips beyond folding")
        for other, classes in event.ranges.items():
            more = len(classes) - MOST_CLASSES
            rest = f", and {more} others" if more > 0 else ""
            likely = dict(islice(classes.items(), MOST_CLASSES))
            self._note("believes", f"{other} has {_chances(likely)}{rest}")
        for forecast in event.foreseen:
            usual = forecast.equilibrium.get(event.action)
            beside = "" if usual is None else f", the equilibrium {usual:.0%}"
            expected = forecast.believed.get(event.action, 0.0)
            self._note("foreseen", f"by {forecast.by}: {event.action} {expected:.0%}{beside}")
        self._promise(event)

    def _promise(self, event: ActionTaken) -> None:
        said = event.sentence
        if not said and event.expected:
            said = f"{event.expected * self._scale:+.0f} mb/g expected"
            if event.worst_case is not None:
                said += f", {event.worst_case * self._scale:+.0f} mb/g at worst"
        if said and self._told.get(event.player) != said:
            self._told[event.player] = said
            self._note("says", said)

    def _end(self, event: HandEnded) -> None:
        if event.board != self._board:
            self._show_board(event.board)
        won = ", ".join(f"{name} {chips:+}" for name, chips in event.won.items() if chips)
        total = ", ".join(f"{name} {chips:+}" for name, chips in event.total.items())
        console.print(Text(f"  won: {won or 'nothing'}"))
        console.print(Text(f"  so far: {total}", style="dim"))
        console.print()

    def _show_board(self, board: str) -> None:
        self._board = board
        console.print(Text(f"  board {_cards(board)}"))

    def _note(self, label: str, text: str) -> None:
        """A line with a label; what does not fit goes on below its text."""
        head = " " * _MARGIN + f"{label:<{_LABEL}}"
        for part in wrap(printable(text), max(20, console.width - len(head) - 1)):
            console.print(Text(head + part, style="dim"))
            head = " " * len(head)


def _cards(cards: str) -> str:
    return pretty_cards(parse_cards(cards))


def _chances(chances: Mapping[str, float]) -> str:
    likely = islice(sorted(chances.items(), key=lambda item: -item[1]), MOST_ACTIONS)
    return ", ".join(f"{action} {chance:.0%}" for action, chance in likely if chance >= _LEAST)


def _values(event: ActionTaken) -> str:
    likely = islice(sorted(event.values.items(), key=lambda item: -item[1]), MOST_ACTIONS)
    return ", ".join(
        f"{action} {value:+.1f}" + (f" ± {event.errors[action]:.1f}" if action in event.errors else "")
        for action, value in likely
    )


def _alike(first: Mapping[str, float], second: Mapping[str, float]) -> bool:
    """Whether chances are the same to a percent."""
    return first.keys() == second.keys() and all(abs(first[key] - second[key]) < _LEAST for key in first)
