"""Conditions on hands decided plainly, hand by hand, from the replay of the record."""

import operator
import re
from collections.abc import Callable
from fractions import Fraction

from naive_statistics import game_of, places_and_sizes, positions

from soulread.games.poker import CALL, FOLD
from soulread.hands.hand import Hand
from soulread.hands.record import decisions

SIGNS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt, "=": operator.eq}
STREETS = ("preflop", "flop", "turn", "river")


def own_line(hand: Hand, player: str) -> list[list[str]]:
    """The words of a player's actions on each street."""
    seat = hand.seat_of(player)
    line: list[list[str]] = [[], [], [], []]
    raised: set[int] = set()
    for state, action in decisions(game_of(hand), hand.actions, hand.board, hand.hole):
        word = (
            "fold" if action == FOLD else "raise" if action != CALL else "call" if state.to_call else "check"
        )
        if word == "raise" and state.round and state.round not in raised:
            word = "bet"
        if word in ("bet", "raise"):
            raised.add(state.round)
        if state.player == seat:
            line[state.round].append(word)
    return line


def sizes(hand: Hand, player: str) -> list[tuple[int, int, int, bool]]:
    """Street, own size, size faced, and whether nobody had raised yet, at each decision of a player."""
    game = game_of(hand)
    seats: list[tuple[int, int, int, bool]] = []
    raised: set[int] = set()
    for state, action in decisions(game, hand.actions, hand.board, hand.hole):
        seats.append((state.player, len(seats), state.round, state.round not in raised))
        if action not in (FOLD, CALL):
            raised.add(state.round)
    first = sorted(seats, key=lambda each: each[0])  # the sizes of the twin come seat by seat
    told = zip(first, places_and_sizes(game, hand)[2], strict=True)
    seat = hand.seat_of(player)
    return [(street, size, faced, new) for (who, _, street, new), (size, faced) in told if who == seat]


def line_fits(pattern: str, line: list[list[str]]) -> bool:
    """Whether a line fits one written in words, with a star for a whole street."""
    for wanted, done in zip(pattern.split("-"), line, strict=False):
        words = [] if wanted == "none" else wanted.split("/")
        if wanted != "*" and words != done:
            return False
    return True


def entered(hand: Hand, player: str) -> bool:
    """Whether somebody called or raised in a hand."""
    if player not in hand.players:
        return False
    return any(word in ("call", "bet", "raise") for street in own_line(hand, player) for word in street)


def naive_condition(word: str) -> Callable[[Hand, str], bool]:
    """The condition of a word of a few kinds, for a hand and a player."""
    if word.startswith("not-"):
        other = naive_condition(word[4:])
        return lambda hand, player: not other(hand, player)
    kinds = {"walk": "walk", "limped": "limped", "single-raised": "single-raised"}
    kinds.update({"3bet-pot": "3-bet", "4bet-pot": "4-bet"})
    if word in kinds:
        return lambda hand, player: places_and_sizes(game_of(hand), hand)[0] == kinds[word]
    if word in ("ip", "oop"):
        return lambda hand, player: places_and_sizes(game_of(hand), hand)[1][hand.seat_of(player)] == word
    name, sign, rest = re.split("(>=|<=|[<>=:])", word, maxsplit=1)
    if name == "position":
        return lambda hand, player: positions(hand)[hand.seat_of(player)] in rest.split(",")
    if name == "line":
        return lambda hand, player: line_fits(rest, own_line(hand, player)[1:])
    if name in STREETS:
        return lambda hand, player: line_fits(rest, own_line(hand, player)[STREETS.index(name) :][:1])
    if name == "opponent":
        return lambda hand, player: entered(hand, rest)
    if name == "stack":
        return lambda hand, player: (
            hand.stacks is not None and compare(hand.stacks[hand.seat_of(player)], sign, rest, hand)
        )
    if name == "won":
        return lambda hand, player: compare(hand.payoffs[hand.seat_of(player)], sign, rest, hand)
    return lambda hand, player: _sized(name, sign, rest, hand, player)


def _sized(name: str, sign: str, rest: str, hand: Hand, player: str) -> bool:
    """Whether one of the sizes of a hand compares so; percent, or big blinds before the flop."""
    before = name == "open" or name.startswith("preflop")
    limit = round(100 * float(rest)) if before else float(rest.rstrip("%"))
    streets = (0,) if before else (STREETS.index(name.partition("-")[0]),) if "-" in name else (1, 2, 3)
    for street, size, faced, new in sizes(hand, player):
        amount = faced if name.endswith("facing") else size
        if amount and street in streets and (new or name != "open") and SIGNS[sign](amount, limit):
            return True
    return False


def compare(chips: int, sign: str, rest: str, hand: Hand) -> bool:
    """Whether an amount compares so in big blinds."""
    return bool(SIGNS[sign](Fraction(chips, hand.stakes.big_blind), Fraction(rest)))
