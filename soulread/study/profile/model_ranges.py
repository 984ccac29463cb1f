"""Ranges by line of play and rules that a model of the player gives, for the profile.

A Bayes-relational model (`soulread.model.relational.model`) is taught the player's hands of no-limit hold'em:

    ranges   for each line, the range of the hands that were not seen: P(holding | all the player had done)
             just after the line, the mean over such hands.
    rules    where the player's trees differ most from their prior, which is what most players do. A rule says
             how often the player did something, and how often most would have in the same situations. Rules
             that speak of relations between players are left out: nobody plays by them.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_CELLS
from soulread.errors import SoulreadError
from soulread.games.poker import PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import decisions, public_view
from soulread.hands.referee import game_of_holdem
from soulread.model.base import CardReader
from soulread.model.relational.bayes import TreeLearned
from soulread.model.relational.examples import Question
from soulread.model.relational.model import RelationalModel
from soulread.model.relational.tree import Rule, rules_of
from soulread.study.profile.ranges_by_line import RuleText, Unseen

LEAST_HANDS = 200  # below which nothing is said: the model would be the prior
MOST_HANDS = 3000  # that the model learns from: the last ones
HANDS_OF_A_LINE = 60  # looked at for a grid, spread over all of its hands
MOST_RULES = 8
LEAST_SEEN = 20.0  # times that a rule was seen or expected
LEAST_FACTOR = 1.25  # by which the player and most players differ
_DOES = {"fold": "folds", "call": "checks or calls", "raise": "bets or raises"}
_USES = {  # of an action that comes more often than from most players, and less often
    "fold": ("Bluff here.", "Do not bluff here; bet for value."),
    "call": ("Bet good hands for value here, and bluff less.", "Expect a bet, a raise or a fold here."),
    "raise": ("Call and raise lighter here.", "Give bets and raises respect here; bet yourself."),
}
_PLAIN = (  # the words of a tree, and those of a player
    (r"\bP's\b", "the player's"),
    (r"\bP\b", "the player"),
    (r"^players to act after this one: none$", "nobody to act behind"),
    (r"^players to act after this one: (.*)$", r"\1 to act behind"),
    (r"^players left: (.*)$", r"\1 players left"),
    (r"^players dealt in: (.*)$", r"\1 players at the table"),
    (r"^players left who act later in the round: none$", "nobody acts later in the round"),
    (r"^players left who act later in the round: (.*)$", r"\1 players act later in the round"),
    (r"^raises in this round: none$", "no raise yet in this round"),
    (r"^raises in this round: (.*)$", r"\1 raises in this round"),
    (r"^calls since the last raise: none$", "nobody has called the last bet"),
    (r"^calls since the last raise: (.*)$", r"\1 calls of the last bet"),
    (r"^raises before the flop: none$", "nobody raised before the flop"),
    (r"^raises before the flop: (.*)$", r"\1 raises before the flop"),
)


@dataclass(frozen=True)
class Modelled:
    """Rules by a model of a player, and the ranges it gives; neither if there were too few hands."""

    unseen: Unseen | None = None
    rules: tuple[RuleText, ...] = ()


def study_model(records: Mapping[int, Hand], player: str) -> Modelled:
    """Teach a model the player's hands of no-limit hold'em, which are given by their numbers."""
    numbers = [n for n, hand in sorted(records.items()) if "no-limit" in hand.variant][-MOST_HANDS:]
    if len(numbers) < LEAST_HANDS:
        return Modelled()
    hands = [records[number] for number in numbers]
    model = RelationalModel(game_of_holdem(hands[-1])).fit(hands, player)
    known = dict(zip(numbers, hands, strict=True))
    return Modelled(lambda at: mean_range(model, known, player, at), rules_told(model))


def mean_range(
    model: CardReader, records: Mapping[int, Hand], player: str, at: Sequence[tuple[int, int]]
) -> tuple[NDArray[np.float64], int]:
    """The mean range of a player in some hands by a model, and how many of them were looked at.

    ``at`` has the number of each hand, and the decision after which the model is asked. The range ``[169]``
    sums to one; where no hand is among the ``records`` it is empty.
    """
    there = [(number, place) for number, place in at if number in records]
    chosen = there[:: max(1, math.ceil(len(there) / HANDS_OF_A_LINE))]
    cells = np.zeros(169)
    for number, place in chosen:
        hand = records[number]
        seat = hand.seat_of(player)
        cells += np.bincount(HAND_CELLS, model.holdings(_view_after(hand, seat, place), seat), 169)
    return cells / max(cells.sum(), 1e-12), len(chosen)


def _view_after(hand: Hand, seat: int, place: int) -> PokerView:
    """The public view of a hand just after decision number ``place`` of a seat."""
    own = 0
    for state, action in decisions(game_of_holdem(hand), hand.actions, hand.board):
        if state.player == seat:
            if own == place:
                view = replace(public_view(state), players=hand.players)
                return replace(view, actions=(*view.actions, (seat, action)))
            own += 1
    raise SoulreadError(f"hand {hand.id}: seat {seat} has no decision number {place}")


def rules_told(model: RelationalModel) -> tuple[RuleText, ...]:
    """The rules in which the player differs most surely from the prior, the most telling first."""
    found: list[tuple[float, RuleText]] = []
    corrections = model.corrections.get(Question.PLAY, ())
    for when, learned in zip(("Before the flop", "After the flop"), corrections, strict=False):
        assert isinstance(learned, TreeLearned)
        for rule in rules_of(learned.tree, holding=True):
            if not rule.others:
                found += _telling(when, rule)
    found.sort(key=lambda pair: -pair[0])
    return tuple(text for _, text in found[:MOST_RULES])


def _telling(when: str, rule: Rule) -> list[tuple[float, RuleText]]:
    """The rule of a leaf for each action, with its weight; leaves that hardly differ give none."""
    told = []
    for name, seen, expected in zip(Question.PLAY.parts, rule.ones, rule.zeros, strict=True):
        if max(seen, expected) < LEAST_SEEN or min(seen, expected) <= 0:
            continue
        factor = math.log(seen / expected)
        if abs(factor) >= math.log(LEAST_FACTOR):
            said = "".join(f", {_plain(condition)}" for condition in rule.conditions)
            often = "more" if factor > 0 else "less"
            use = _USES[name][factor < 0]
            text = RuleText(f"{when}{said}: {_DOES[name]} {often} often", seen, expected, use)
            told.append((abs(seen - expected) / math.sqrt(expected), text))
    return told


def _plain(condition: str) -> str:
    """A condition of a tree in the words of a player."""
    for pattern, words in _PLAIN:
        condition = re.sub(pattern, words, condition)
    return condition
