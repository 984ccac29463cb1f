"""Slow, obvious twins of `soulread.cards.strength` and `soulread.cards.equity`."""

from itertools import combinations
from math import nan

from soulread.cards.evaluate import evaluate
from soulread.cards.ranges import HAND_CARDS, Range

ALL_HANDS = [tuple(int(card) for card in hand) for hand in HAND_CARDS]


def compare(hero, villain, board) -> int:
    """0 if hero is ahead, 1 if the hands tie, 2 if he is behind."""
    mine, his = evaluate((*hero, *board)), evaluate((*villain, *board))
    return 0 if mine > his else 1 if mine == his else 2


def villains(hero, board, hands: Range):
    """The hands villain may have, with their weights."""
    seen = {*hero, *board}
    for hand, weight in zip(ALL_HANDS, hands.weights, strict=True):
        if weight > 0 and not seen & set(hand):
            yield hand, float(weight)


def runouts(dead, count):
    return combinations([card for card in range(52) if card not in dead], count)


def standing(hero, board, hands: Range) -> list[float]:
    """Weights of the hands hero beats, ties and loses to."""
    weights = [0.0, 0.0, 0.0]
    for villain, weight in villains(hero, board, hands):
        weights[compare(hero, villain, board)] += weight
    return weights


def transitions(hero, board, hands: Range, lookahead: int) -> list[list[float]]:
    """The 3 x 3 table of paths from ahead, tied and behind to ahead, tied and behind."""
    table = [[0.0] * 3 for _ in range(3)]
    for villain, weight in villains(hero, board, hands):
        now = compare(hero, villain, board)
        for cards in runouts({*hero, *villain, *board}, lookahead):
            table[now][compare(hero, villain, (*board, *cards))] += weight
    return table


def showdowns(hero: Range, villain: Range, board) -> list[float]:
    """Weights of the deals that hero wins, ties and loses, over every pair of hands and every runout."""
    weights = [0.0, 0.0, 0.0]
    for mine, my_weight in villains((), board, hero):
        for his, his_weight in villains(mine, board, villain):
            for cards in runouts({*mine, *his, *board}, 5 - len(board)):
                weights[compare(mine, his, (*board, *cards))] += my_weight * his_weight
    return weights


def value(weights) -> float:
    """Wins and half the ties as a share; NaN if nothing was possible."""
    total = sum(weights)
    return (weights[0] + weights[1] / 2) / total if total > 0 else nan
