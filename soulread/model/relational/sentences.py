"""Tests and rules of relational trees as sentences a person can read.

P is the player who acts, Q and R are other players. A test alone is `words`. The conditions of a leaf are all
tests on the way to it; `conditions_of` tells them without repeating itself. What several tests say of one
number or of one fact of the cards becomes one condition,

    not (players left: 4 or more), players left: 3 or more     ->  players left: 3
    the best 40%, not the best 20%                              ->  among the best 40%, not the best 20%

and what does not hold is said in words of its own where there are any: "at most", "there is no player Q".
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from soulread.cards.scales import card_facts
from soulread.cards.scales.card_facts import CARD_FACTS, DRAWS, MADE, PLACES
from soulread.hands.facts import POSITIONS
from soulread.model import situation
from soulread.model.relational.language import ANYBODY, NONE, Outcome, QueryKind
from soulread.model.situation import BOUNDS, MASKS, NUM_MASKS, NUMBERS, RELATIONS, SIZES

_ACTIONS = ("fold", "check or call", "bet or raise")
_RANKS = "23456789TJQKA"
_OUTCOMES = ("P does not win and shows nothing", "P wins without showing", "P shows the cards")
_NAMED = {  # numbers whose values have names: what is said of them, and the names
    situation.POSITION: ("P sits in", POSITIONS),
    situation.ROUND: ("the round is", ("preflop", "flop", "turn", "river")),
    situation.OWN: ("P's last action was", ("nothing", "a check", "a call", "a raise")),
}
_MEASURED = {  # numbers in classes: what is said of them, and the unit
    situation.ODDS: ("the call costs", "of the pot after the call"),
    situation.BET: ("the last bet of the round is", "pots"),
    situation.STACK: ("P has left", "pots"),
    situation.TO_CALL: ("to call are", "big blinds"),
    situation.POT: ("the pot is", "big blinds"),
}


Value = TypeVar("Value")


class Asked(NamedTuple):
    """A test of a tree, how many players are bound above it, and whether it holds."""

    kind: int
    a: int
    b: int
    variables: int
    holds: bool = True


# One test -----------------------------------------------------------------------------------------


def words(kind: int, a: int, b: int, variables: int, *, holding: bool = False) -> str:
    """A test as a sentence; ``variables`` is how many players are bound above it.

    ``holding``: the tree is about a holding, shown or not; else cards are known only if they are shown.
    """
    new = "R" if variables else "Q"
    if kind == QueryKind.TABLE:
        return _number_words(a, b, None)
    if kind == QueryKind.OWN:
        return f"P {_verb(MASKS[a])}"
    if kind == QueryKind.ACTION:
        return f"the action is {_ACTIONS[a]}"
    if kind == QueryKind.SIZE:
        return f"the action is a raise of size {' or '.join(SIZES[a:])}"
    if kind == QueryKind.OUTCOME:
        return _OUTCOMES[a]
    if kind == QueryKind.CARD:
        return _card_words(a, b, None) if holding else f"P shows the cards, and {_card_words(a, b, None)}"
    if kind == QueryKind.SOME:
        more = "" if b == NONE else f" and {player_words(new, b)}"
        return f"there is a player {new}: {player_words(new, a)}{more}"
    if kind in (QueryKind.BOUND, QueryKind.BOUND_R):
        return player_words("Q" if kind == QueryKind.BOUND else "R", a)
    if kind == QueryKind.LINK:
        more = "" if b == NONE else player_words("R", b)
        link = "" if a == ANYBODY else _pair_words(a)
        return "there is another player R: " + " and ".join(filter(None, (link, more)))
    return _pair_words(a)


def player_words(who: str, what: int) -> str:
    """A property of another player in words: "Q is loose"."""
    if what >= NUM_MASKS:
        relation, turned = divmod(what - NUM_MASKS, 2)
        return f"P {RELATIONS[relation]} {who}" if turned else f"{who} {RELATIONS[relation]} P"
    return f"{who} {_verb(MASKS[what])}"


def _verb(name: str) -> str:
    active = name.split()[0] in ("checked", "called", "raised", "paid", "has")
    return name if active else f"is {name}"


def _pair_words(pair: int) -> str:
    relation, turned = divmod(pair, 2)
    return f"Q {RELATIONS[relation]} R" if turned else f"R {RELATIONS[relation]} Q"


# Numbers and cards between two bounds -------------------------------------------------------------


def _number_words(number: int, low: int | None, high: int | None) -> str:
    """A number of the table is at least ``low`` and below ``high``; one of them may be None."""
    if number in _NAMED:
        what, names = _NAMED[number]
        first = 1 if number == situation.ROUND else 0  # a tree that asks for the round begins with the flop
        return f"{what} {' or '.join(names[first if low is None else low : high])}"
    if number == situation.HIGH_CARD:
        return f"the highest card of the board is {_rank_words(low, high)}"
    if number not in BOUNDS:
        return f"{NUMBERS[number]}: {_count_words(low, high)}"
    what, unit = _MEASURED[number]
    edges = [None if bound is None else _at(BOUNDS[number], bound - 1) for bound in (low, high)]
    if edges[1] == 0:
        return "nothing is to be called" if number != situation.BET else "nobody has bet in the round"
    parts = [
        f"{word} {edge:g}"
        for word, edge in zip(("more than", "at most"), edges, strict=True)
        if edge is not None
    ]
    return f"{what} {' and '.join(parts)} {unit}"


def _at(values: Sequence[Value], place: int) -> Value:
    """A value, or the last one if there are fewer: a test may ask for more than there is."""
    return values[min(place, len(values) - 1)]


def _count_words(low: int | None, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    most = high - 1
    if low is None:
        return f"at most {most}" if most else "none"
    return f"{low} to {most}" if low < most else f"{low}"


def _rank_words(low: int | None, high: int | None) -> str:
    worst = _at(_RANKS, low or 0)
    if high is None:
        return f"{worst} or better"
    best = _at(_RANKS, high - 1)
    return f"at most {best}" if low is None else f"{worst} to {best}" if worst != best else worst


def _card_words(fact: int, low: int | None, high: int | None) -> str:
    """A fact of the cards is at least ``low`` and below ``high``; one of them may be None."""
    if fact in (card_facts.HIGH, card_facts.LOW):
        return f"the {CARD_FACTS[fact]} is {_rank_words(low, high)}"
    if fact == card_facts.SUITED:
        return "the cards are suited" if high is None else "the cards are not suited"
    if fact == card_facts.MADE_HAND:
        least = _at(MADE, low or 0)
        if high is None:
            return f"the cards make {least} or better"
        most = _at(MADE, high - 1)
        if low is None and high > 1:
            return f"the cards make {most} at most"
        return f"the cards make {least}" + (f" to {most}" if least != most else "")
    if fact == card_facts.DRAW:
        return f"the cards have {' or '.join(DRAWS[low or 0 : high])}"
    if fact == card_facts.OVERS:
        return f"cards above the board: {_count_words(low, high)}"
    where = "before the flop" if fact == card_facts.PLACE else "on this board"
    shares = [
        None if bound is None else f"the best {100 * (1 - bound / PLACES):.0f}%" for bound in (low, high)
    ]
    told = ([f"among {shares[0]}"] if shares[0] else []) + ([f"not among {shares[1]}"] if shares[1] else [])
    return f"the cards are {' but '.join(told)} {where}"


# The conditions of a leaf -------------------------------------------------------------------------


def conditions_of(path: Sequence[Asked], *, holding: bool = False) -> tuple[str, ...]:
    """The conditions of a leaf in words, from the tests on the way to it; see `words` for ``holding``."""
    shown = holding or any(
        test.holds
        and (test.kind == QueryKind.CARD or (test.kind, test.a) == (QueryKind.OUTCOME, Outcome.CARDS))
        for test in path
    )
    merged: dict[tuple[int, int], list[int | None]] = {}  # bounds of a number, or of a fact of the cards
    told: list[tuple[int, int] | str] = []  # in the order of the tests
    for test in path:
        if test.kind == QueryKind.TABLE or (test.kind == QueryKind.CARD and shown):
            key = test.kind, test.a
            if key not in merged:
                merged[key] = [None, None]
                told.append(key)
            low, high = merged[key]
            if test.holds:
                merged[key][0] = test.b if low is None else max(low, test.b)
            else:
                merged[key][1] = test.b if high is None else min(high, test.b)
        else:
            told.append(_answered(test, words(*test[:4], holding=holding)))
    found = []
    for each in told:
        if isinstance(each, str):
            found.append(each)
            continue
        kind, what = each
        low, high = merged[each]
        found.append(
            _number_words(what, low, high) if kind == QueryKind.TABLE else _card_words(what, low, high)
        )
    if shown and not holding and not any(text == _OUTCOMES[Outcome.CARDS] for text in found):
        found.append(_OUTCOMES[Outcome.CARDS])
    return tuple(dict.fromkeys(found))


def _answered(test: Asked, text: str) -> str:
    """A test that holds or does not."""
    if test.holds:
        return text
    if test.kind == QueryKind.SOME:
        return text.replace("there is a player", "there is no player", 1)
    if test.kind == QueryKind.LINK:
        return text.replace("there is another player", "there is no other player", 1)
    return f"not ({text})"
