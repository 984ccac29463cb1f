"""Ranges by line of play and rules that a model of the player gives, for the profile.

A Bayes-relational model (`soulread.model.relational.model`) is taught the player's hands of no-limit hold'em:

    ranges   for each line, what the player may have held just after it: P(holding | all the player had done),
             the mean over hands of the line. Hands that were never shown count as much as the others.
    rules    where the player's trees differ most from their prior, which is what most players do. A rule says
             how often the player did something, and how often most would have in the same situations.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from soulread.cards.ranges import HAND_CELLS
from soulread.errors import SoulreadError
from soulread.games.poker import PokerView
from soulread.hands.facts import Facts
from soulread.hands.hand import Hand
from soulread.hands.record import decisions, public_view
from soulread.hands.referee import game_of_holdem
from soulread.model.base import CardReader
from soulread.model.relational.bayes import TreeLearned
from soulread.model.relational.examples import Question
from soulread.model.relational.model import RelationalModel
from soulread.model.relational.tree import Rule, rules_of
from soulread.study.profile.ranges_by_line import MODEL, LineRange, RuleText, lines_taken

LEAST_HANDS = 200  # below which nothing is said: the model would be the prior
MOST_HANDS = 3000  # that the model learns from: the last ones
HANDS_OF_A_LINE = 60  # looked at for a grid, spread over all of its hands
MOST_RULES = 8
LEAST_SEEN = 20.0  # times that a rule was seen or expected
LEAST_FACTOR = 1.25  # by which the player and most players differ
_DOES = {"fold": "folds", "call": "checks or calls", "raise": "bets or raises"}


@dataclass(frozen=True)
class Modelled:
    """Ranges and rules by a model of a player; both are empty if there were too few hands."""

    ranges: tuple[LineRange, ...] = ()
    rules: tuple[RuleText, ...] = ()


def study_model(facts: Facts, records: Mapping[int, Hand], player: str) -> Modelled:
    """Teach a model the player's no-limit hands, and ask it; facts and records are of the same hands."""
    numbers = [n for n, hand in sorted(records.items()) if "no-limit" in hand.variant][-MOST_HANDS:]
    if len(numbers) < LEAST_HANDS:
        return Modelled()
    hands = [records[number] for number in numbers]
    model = RelationalModel(game_of_holdem(hands[-1])).fit(hands, player)
    ranges = model_ranges(model, facts, dict(zip(numbers, hands, strict=True)), player)
    return Modelled(ranges, rules_told(model))


def model_ranges(
    model: CardReader, facts: Facts, records: Mapping[int, Hand], player: str
) -> tuple[LineRange, ...]:
    """The grid of each line by a model; ``n`` is the number of hands that the mean is over."""
    numbers = facts.seats["hand"].tolist()
    made = []
    for title, taken in lines_taken(facts):
        at = [(numbers[row], place) for row, place in taken if numbers[row] in records]
        chosen = at[:: max(1, math.ceil(len(at) / HANDS_OF_A_LINE))]
        cells = np.zeros(169)
        for number, place in chosen:
            hand = records[number]
            seat = hand.seat_of(player)
            cells += np.bincount(HAND_CELLS, model.holdings(_view_after(hand, seat, place), seat), 169)
        made.append(LineRange(title, tuple(cells.tolist()), len(chosen), len(taken), MODEL))
    return tuple(made)


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
            said = f", if {' and '.join(rule.conditions)}" if rule.conditions else ""
            text = RuleText(f"{when}{said}: {_DOES[name]}", seen, expected)
            told.append((abs(seen - expected) / math.sqrt(expected), text))
    return told
