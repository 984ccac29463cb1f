"""Ranges by line of play that a model of the player gives, for the profile.

A Bayes-relational model (`soulread.model.relational.model`) is taught the player's hands of no-limit hold'em.
For each line it gives the range of the hands that were not seen: P(holding | all the player had done) just
after the line, the mean over such hands. Its trees weigh all holdings of a leaf alike; inside a leaf the
chances follow the strength of hands (`soulread.study.profile.line_strength`).

The rules of its trees are not told: they speak of pot odds, of stacks in pots and of cards that nobody saw,
which no query finds and nobody plays by.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_CELLS, hand_index
from soulread.cards.scales.card_facts import PLACES, STRENGTH, facts_on
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, PokerView
from soulread.hands.hand import Hand
from soulread.hands.played import cards_of
from soulread.hands.record import decisions, public_view
from soulread.hands.referee import game_of_holdem
from soulread.model.base import CardReader
from soulread.model.relational.model import RelationalModel
from soulread.study.profile.line_strength import KINDS, borne_out, kind_of, shown_factor, strength_factor
from soulread.study.profile.ranges_by_line import Unseen

LEAST_HANDS = 200  # below which nothing is said: the model would be the prior
MOST_HANDS = 3000  # that the model learns from: the last ones
HANDS_OF_A_LINE = 60  # looked at for a grid, spread over all of its hands
MOST_SHOWN = 400  # hands shown that say how strong hands are played


def study_model(records: Mapping[int, Hand], player: str) -> Unseen | None:
    """What a model that was taught the player's hands of no-limit hold'em says of cards that were not seen.

    The hands are given by their numbers. None if there are too few.
    """
    numbers = [n for n, hand in sorted(records.items()) if "no-limit" in hand.variant][-MOST_HANDS:]
    if len(numbers) < LEAST_HANDS:
        return None
    hands = [records[number] for number in numbers]
    model = RelationalModel(game_of_holdem(hands[-1])).fit(hands, player)
    known = dict(zip(numbers, hands, strict=True))
    scales = cache(lambda: own_scales(hands, player))  # asked only where cards are missing
    return lambda at: mean_range(model, known, player, at, scales())


def own_scales(hands: Sequence[Hand], player: str) -> NDArray[np.float64]:
    """How far the cards that a player showed bear the factors of `line_strength` out, by kind of action.

    The ranges beside which they are set are those of a model that knows nothing of the player: one that has
    learnt from the same cards would agree with them.
    """
    model: RelationalModel | None = None
    ranges, counted, classes = [], [], []
    for hand in [hand for hand in hands if hand.showdown and len(hand.board) == 5][-MOST_SHOWN:]:
        seat = hand.seat_of(player)
        cards = cards_of(hand, seat)
        own = [action for who, action in hand.actions if who == seat]
        if cards is None or not own or own[-1] == FOLD:
            continue
        model = RelationalModel(game_of_holdem(hand)) if model is None else model
        view, counts = after_decision(hand, seat, len(own) - 1)
        strength = facts_on(np.array(hand.board, np.int64))[0][:, STRENGTH] / (PLACES - 1)
        weights = model.holdings(view, seat) * shown_factor(strength)
        ranges.append(np.bincount(HAND_CELLS, weights, 169))
        counted.append(counts)
        classes.append(HAND_CELLS[hand_index(*cards)])
    return borne_out(
        np.array(ranges, np.float64).reshape(-1, 169),
        np.array(counted, np.int64).reshape(-1, len(KINDS)),
        np.array(classes, np.int64),
    )


def mean_range(
    model: CardReader,
    records: Mapping[int, Hand],
    player: str,
    at: Sequence[tuple[int, int]],
    scales: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], int]:
    """The mean range of a player in some hands by a model, and how many of them were looked at.

    ``at`` has the number of each hand, and the decision after which the model is asked. The range ``[169]``
    sums to one; where no hand is among the ``records`` it is empty. Inside the leaves of the model the
    chances follow the strength of hands, as far as ``scales`` say (`own_scales`).
    """
    there = [(number, place) for number, place in at if number in records]
    chosen = there[:: max(1, math.ceil(len(there) / HANDS_OF_A_LINE))]
    cells = np.zeros(169)
    for number, place in chosen:
        hand = records[number]
        seat = hand.seat_of(player)
        view, counts = after_decision(hand, seat, place)
        found = np.bincount(HAND_CELLS, model.holdings(view, seat), 169) * strength_factor(
            counts if scales is None else counts * scales
        )
        cells += found / found.sum()
    return cells / max(cells.sum(), 1e-12), len(chosen)


def after_decision(hand: Hand, seat: int, place: int) -> tuple[PokerView, NDArray[np.int64]]:
    """The public view of a hand just after decision number ``place`` of a seat.

    With it comes how many calls and raises of each kind the seat had made before the flop
    (`soulread.study.profile.line_strength.KINDS`).
    """
    own, raises = 0, 0
    counts = np.zeros(len(KINDS), np.int64)
    for state, action in decisions(game_of_holdem(hand), hand.actions, hand.board):
        raised = action > CALL
        if state.player == seat:
            called = action == CALL and max(state.spent) > state.spent[seat]
            if state.round == 0 and (raised or called):
                counts[kind_of(raises, raised)] += 1
            if own == place:
                view = replace(public_view(state), players=hand.players)
                return replace(view, actions=(*view.actions, (seat, action))), counts
            own += 1
        raises += state.round == 0 and raised
    raise SoulreadError(f"hand {hand.id}: seat {seat} has no decision number {place}")
