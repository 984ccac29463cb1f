"""Menus of bet sizes: which of the many raises of a no-limit game a tree of its betting has.

A menu is written as text without colons and commas, so that it can stand inside the name of an abstraction:

    0.5+1+allin@2      bets and raises of half the pot, the pot, and all-in; two a round, then only all-in
    3x/0.5+1+allin     before the flop three times the bet; later rounds as the last part says
    0.33+0.75_1+allin  bets of a third and three quarters of the pot; raises of the pot or all-in

A part of the pot counts the pot after a call, so a raise of the pot gives the next player the usual two to
one. ``2.5x`` raises to 2.5 times the largest bet of the round; where nobody has bet yet it is left out.
Sizes below the least raise become it. A size that leaves little behind, `ALMOST_ALL` of the stack or more,
becomes all-in. Where a menu would leave a player who may raise without any raise, all-in is added: so every
real raise has a place in the tree.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerState, Rules, raises_among
from soulread.games.spot import Size, parse_size

ALMOST_ALL = 0.75  # of the stack: a raise to more is all-in
MOST_RAISES = 3  # a round, unless a menu says otherwise
_MOST_ALLOWED = 12
_EXAMPLE = "write parts of the pot such as 0.5, multiples of the bet such as 2.5x, or allin"

PRESETS = {
    "small": "1+allin@2",
    "usual": "0.5+1+allin@2",
    "large": "0.33+0.75+1.5+allin@3",
}
"""Menus by name."""


@dataclass(frozen=True)
class Bets:
    """The sizes of each round, by the number of raises before; the last of each is also for what follows."""

    rounds: tuple[tuple[tuple[Size, ...], ...], ...]
    most: int = MOST_RAISES

    def __str__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        rounds = ("_".join("+".join(map(_written, sizes)) for sizes in numbers) for numbers in self.rounds)
        return "/".join(rounds) + f"@{self.most}"

    def totals(self, state: PokerState) -> tuple[int, ...]:
        """What the seat to act may raise to, ascending: chips put in over the whole hand."""
        legal = raises_among(state.legal_actions())
        if not legal:
            return ()
        first, high = before_round(state), max(state.spent)
        count = raises_of_round(state)
        numbers = self.rounds[min(state.round, len(self.rounds) - 1)]
        sizes = numbers[min(count, len(numbers) - 1)] if count < self.most else ()
        top = legal[-1]
        found = {
            _among(legal, top if size.kind == "all-in" else high + size.number * pot_after_call(state))
            for size in sizes
            if size.kind != "multiple"
        }
        if high > first:
            multiples = (size.number for size in sizes if size.kind == "multiple")
            found |= {_among(legal, first + number * (high - first)) for number in multiples}
        return tuple(sorted(found or {top}))


def _among(legal: range, total: float) -> int:
    """A total as a legal raise."""
    whole = int(total + 0.5)
    return legal[-1] if whole >= ALMOST_ALL * legal[-1] else max(whole, legal[0])


def pot_after_call(state: PokerState) -> int:
    """Chips in the pot once the seat to act has called."""
    return state.pot + max(state.spent) - state.spent[state.player]


def before_round(state: PokerState) -> int:
    """What each seat that is still in had put in before the round; before the flop, the ante."""
    if state.round == 0:
        return state.rules.ante
    earlier = (action for actions in state.actions_by_round[: state.round] for _, action in actions)
    return max(state.rules.ante + max(state.rules.blinds), *earlier)


def raises_of_round(state: PokerState) -> int:
    """How many raises the round has had; blinds are none."""
    return state.betting.rpartition("/")[2].count("r")


def parse_bets(text: str) -> Bets:
    """A menu as it is written, or the name of a preset; ``str`` gives the text again."""
    written = PRESETS.get(text, text)
    rest, at, number = written.partition("@")
    if at and not re.fullmatch("[0-9]{1,2}", number):
        raise ParseError(f"bets {text!r}: {number!r} raises a round; write a whole number after @")
    most = int(number) if at else MOST_RAISES
    if not 1 <= most <= _MOST_ALLOWED:
        raise ParseError(f"bets {text!r}: {most} raises a round; allowed are 1 to {_MOST_ALLOWED}")
    rounds = rest.split("/")
    if len(rounds) > 4:
        raise ParseError(f"bets {text!r} has sizes for {len(rounds)} rounds; hold'em has 4")
    return Bets(tuple(_parse_round(text, part) for part in rounds), most)


def _parse_round(text: str, part: str) -> tuple[tuple[Size, ...], ...]:
    return tuple(
        tuple(sorted({_parse_size(text, size) for size in sizes.split("+")}, key=_order))
        for sizes in part.split("_")
    )


def _order(size: Size) -> tuple[int, float]:
    """Parts of the pot, then multiples of the bet, then all-in."""
    return ("pot", "multiple", "all-in").index(size.kind), size.number


def _written(size: Size) -> str:
    return "allin" if size.kind == "all-in" else f"{size.number:.10g}{'x' if size.kind == 'multiple' else ''}"


def _parse_size(text: str, size: str) -> Size:
    known = ", ".join(PRESETS)
    try:
        found = parse_size(size)
    except ParseError:
        raise ParseError(f"bets {text!r}: {size!r} is no size; {_EXAMPLE}; or one of {known}") from None
    if found.kind == "chips":  # here a plain number is a part of the pot
        return Size("pot", found.number)
    if found.kind == "even":
        raise ParseError(f"bets {text!r}: {size!r} is for spots; {_EXAMPLE}")
    return found


def verify_takes_bets(rules: Rules) -> None:
    """Raise unless a menu means anything in a game: no-limit betting of two players."""
    if rules.raise_sizes is not None or rules.stacks is None or rules.num_players != 2:
        raise SoulreadError(f"{rules.name!r} has no use for bet sizes; heads-up no-limit games have")


def effective_stack(rules: Rules) -> int:
    """Chips that both players can lose at most: the smaller stack."""
    assert rules.stacks is not None
    return min(rules.stacks)


def menu_actions(state: PokerState, bets: Bets | None) -> Sequence[int]:
    """The legal actions of the seat to act, of which raises are those of the menu if there is one."""
    legal = state.legal_actions()
    if bets is None or state.player < 0:
        return legal
    raises = raises_among(legal)
    return (*legal[: len(legal) - len(raises)], *bets.totals(state))
