"""Cards and ranges at the prompt."""

import numpy as np

from soulread.cards.deck import parse_cards
from soulread.cards.equity import Equity, equity_sampled
from soulread.cards.equity import equity as exact_equity
from soulread.cards.ranges import Range, parse_range
from soulread.cards.strength import HandStrength, Potential, hand_strength
from soulread.cards.strength import potential as look_ahead


def equity(
    hero: str | Range,
    villain: str | Range = "random",
    board: str = "",
    samples: int | None = None,
    seed: int = 0,
) -> Equity:
    """Compute the share of the pot that a range wins all-in; exactly, or from ``samples`` deals."""
    ranges = _range(hero), _range(villain)
    cards = parse_cards(board)
    if samples is None:
        return exact_equity(*ranges, cards)
    return equity_sampled(*ranges, cards, samples, np.random.default_rng(seed))


def strength(hole: str, board: str, against: str | Range | None = None) -> HandStrength:
    """Compute how often a hand is ahead, tied and behind now, against any hand or those of a range."""
    return hand_strength(parse_cards(hole), parse_cards(board), None if against is None else _range(against))


def potential(
    hole: str, board: str, against: str | Range | None = None, lookahead: int | None = None
) -> Potential:
    """Compute where a hand stands after the next ``lookahead`` cards, by where it stands now."""
    other = None if against is None else _range(against)
    return look_ahead(parse_cards(hole), parse_cards(board), other, lookahead)


def _range(given: str | Range) -> Range:
    return given if isinstance(given, Range) else parse_range(given)
