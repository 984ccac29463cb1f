"""Selective sampling: what a call and a raise win on average, by playing hands out (Billings et al., 1999).

A *play-out* finishes the hand once. The holdings of all live opponents are drawn together from their weight
tables, the rest of the board is dealt (`soulread.play.search.deals`), and everybody acts by probability
triples (`soulread.model.loki.triples`) until the hand is over. We hold our own cards, and our first action is
fixed. Each deal is played out twice, once with a call and once with a raise, and the two are compared deal by
deal (`soulread.play.search.outlook`). This module plays limit hold'em; `soulread.play.search.nolimit_rollout`
plays no-limit.
"""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import NUM_HANDS, cards_mask
from soulread.errors import ShapeError, SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView
from soulread.kernel import kernel
from soulread.model.loki.triples import NUM_CONTEXTS, NUM_ROUNDS, context_of, triple_of
from soulread.play.search.deals import (
    Deal,
    Draws,
    Source,
    draws_from,
    new_deal,
    next_deal,
    source_of,
    value_in,
)
from soulread.play.search.outlook import ROWS, Clock, Limits, Outlook, Sums, add_deal, run_chunks

MOST_BETS = 5  # levels of a round: no bet to four bets


class Point(NamedTuple):
    """A decision of ours in a hand of limit hold'em: all that is public and matters. Amounts are chips."""

    us: int  # our seat
    round: int
    raises: int  # in this round; a big blind is none
    left: int  # seats still to act in this round if nobody raises, ours included
    high: int  # what one must have put in to stay in
    spent: NDArray[np.int64]  # [seats]
    folded: NDArray[np.bool_]  # [seats]
    sizes: NDArray[np.int64]  # [rounds] of a bet
    caps: NDArray[np.int64]  # [rounds] most raises
    first: NDArray[np.int64]  # [rounds] who acts first, if still in


def refuses(game: PokerGame) -> str | None:
    """Why play-outs cannot be made in a game; None: they can."""
    rules = game.rules
    if len(rules.deck) != 52 or rules.hole_cards != 2 or rules.board_cards != (0, 3, 1, 1):
        return "it plays hold'em only"
    if rules.raise_sizes is None or rules.max_raises is None:
        return "it plays limit only, with a fixed bet and a most number of bets in each round"
    if rules.stacks is not None:
        return "it plays where nobody runs out of chips"
    if max(rules.max_raises) >= MOST_BETS or rules.dead is not None or rules.open_folds:
        return f"it plays with at most {MOST_BETS - 1} raises a round and no dead chips or open folds"
    return None


def point_of(view: PokerView) -> Point:
    """The decision that a view shows, which must be the viewer's own in a game of limit hold'em."""
    reason = refuses(view.game)
    if reason is not None:
        raise SoulreadError(f"no play-outs in {view.game.name!r}: {reason}")
    if view.to_act != view.seat:
        raise SoulreadError(f"seat {view.seat} is not to act after {view.betting!r}")
    rules = view.rules
    assert rules.raise_sizes is not None
    assert rules.max_raises is not None
    text = view.betting.rpartition("/")[2]
    acted = view.actions[len(view.actions) - len(text) :]
    live = view.folded.count(False)
    left = live + text.count("f")  # at the start of the round
    remaining = left
    for _, action in acted:
        remaining -= action == FOLD
        left = remaining - 1 if action == RAISE else left - 1
    return Point(
        view.seat,
        view.round,
        text.count("r"),
        left,
        max(view.spent),
        np.array(view.spent, np.int64),
        np.array(view.folded, np.bool_),
        np.array(rules.raise_sizes, np.int64),
        np.array(rules.max_raises, np.int64),
        np.array(rules.first, np.int64),
    )


# One play-out ----------------------------------------------------------------------------------


@kernel
def play_out(point: Point, first: int, bars: NDArray[np.float64], deal: Deal) -> int:
    """Chips we win beyond folding now, beginning with ``first``; ``bars`` are ``[seats, contexts, 2, 2]``."""
    seats = point.spent.size
    spent, folded = np.empty(seats, np.int64), np.empty(seats, np.bool_)
    live = 0
    for seat in range(seats):
        spent[seat] = point.spent[seat]
        folded[seat] = point.folded[seat]
        live += not folded[seat]
    us, seat, action = point.us, point.us, first
    round, raises, left, high = point.round, point.raises, point.left, point.high
    chosen = True  # whether ``action`` is what the seat does
    while True:
        while left > 0:
            if not chosen:
                owed, size = high - spent[seat], point.sizes[round]
                context = context_of(round, (owed + size - 1) // size)
                value = value_in(deal, round, seat, live - 1)
                chances = triple_of(value, bars[seat, context], owed > 0, raises < point.caps[round])
                drawn = deal.uniforms[round, raises, seat]
                action = FOLD if drawn < chances.fold else CALL if drawn < 1 - chances.raise_ else RAISE
            chosen = False
            left -= 1
            if action == FOLD:
                if seat == us:
                    return int(point.spent[us] - spent[us])
                folded[seat] = True
                live -= 1
                if live == 1:  # we are left: our folds end the play-out above
                    return int(spent.sum() - (spent[us] - point.spent[us]))
            else:
                if action == RAISE:
                    high += point.sizes[round]
                    raises += 1
                    left = live - 1
                spent[seat] = high
            seat = _next_seat(seat + 1, folded)
        if round == NUM_ROUNDS - 1:
            return int(_showdown(us, spent, folded, deal.ranks) - (spent[us] - point.spent[us]))
        round += 1
        raises, left = 0, live
        seat = _next_seat(point.first[round], folded)


@kernel
def _next_seat(seat: int, folded: NDArray[np.bool_]) -> int:
    """The first seat from ``seat`` on, clockwise, that has not folded."""
    if seat >= folded.size:
        seat = 0
    while folded[seat]:
        seat += 1
        if seat == folded.size:
            seat = 0
    return seat


@kernel
def _showdown(us: int, spent: NDArray[np.int64], folded: NDArray[np.bool_], ranks: NDArray[np.int64]) -> int:
    """Our part of the pot; odd chips go to the first winner after the button."""
    best, winners, first = -1, 0, 0
    for seat in range(spent.size):
        if not folded[seat]:
            if ranks[seat] > best:
                best, winners, first = ranks[seat], 1, seat
            elif ranks[seat] == best:
                winners += 1
    if ranks[us] < best:
        return 0
    pot = int(spent.sum())
    return pot // winners + (pot % winners if first == us else 0)


# Decisions --------------------------------------------------------------------------------------


@kernel
def run_chunk(
    deals: int,
    most_rows: int,
    point: Point,
    actions: NDArray[np.int64],
    taken: int,
    bars: NDArray[np.float64],
    draws: Draws,
    source: Source,
    deal: Deal,
    sums: Sums,
    rng: np.random.Generator,
) -> None:
    """Play out up to ``deals`` deals, each with all ``actions``, and add to ``sums``."""
    won = np.zeros(actions.size)
    made = 0
    for _ in range(deals):
        made += next_deal(point.round, point.us, taken, draws, source, deal, rng)
        for round in range(point.round, NUM_ROUNDS):
            for bets in range(point.raises if round == point.round else 0, point.caps[round] + 1):
                for seat in range(point.spent.size):
                    deal.uniforms[round, bets, seat] = rng.random()
        for k in range(actions.size):
            won[k] = play_out(point, actions[k], bars, deal)
        add_deal(sums, won)
        if made >= most_rows:
            break


def simulate_decision(
    view: PokerView,
    tables: NDArray[np.float64],
    bars: NDArray[np.float64],
    before: NDArray[np.float64],
    limits: Limits,
    rng: np.random.Generator,
    begun: float | None = None,
    clock: Clock = time.perf_counter,
) -> Outlook:
    """What a call and a raise are worth to the seat in view, which is to act.

    ``tables [seats, 1326]`` has the weights of each live opponent's holdings; other rows are not read.
    ``bars [seats, 12, 2, 2]`` are everybody's, ours too. ``before [seats, 1326]`` has the values of holdings
    before the flop. Holdings with cards that we see are left out here. ``begun`` is when the budget began to
    run, by ``clock``; now, if it is not given.
    """
    begun = clock() if begun is None else begun
    point = point_of(view)
    seats = point.spent.size
    verify_arrays(
        ("tables", tables, (seats, NUM_HANDS)),
        ("bars", bars, (seats, NUM_CONTEXTS, 2, 2)),
        ("before", before, (seats, NUM_HANDS)),
    )
    taken = cards_mask((*view.hole, *view.board))
    draws, source, deal = draws_from(view, tables), source_of(view, before), new_deal(seats, MOST_BETS)
    actions = (CALL, RAISE) if RAISE in view.legal else (CALL,)
    numbers = np.array(actions, np.int64)

    def chunk(deals: int, sums: Sums) -> None:
        run_chunk(deals, ROWS, point, numbers, taken, bars, draws, source, deal, sums, rng)

    return run_chunks(chunk, actions, FOLD in view.legal, draws, limits, begun, clock)


def verify_arrays(*arrays: tuple[str, NDArray[np.float64], tuple[int, ...]]) -> None:
    """Raise unless each named array has its shape, and numbers that are finite."""
    for name, array, shape in arrays:
        if array.shape != shape or array.dtype != np.float64:
            raise ShapeError(f"{name} has shape {array.shape} of {array.dtype}; expected {shape} of float64")
        if not np.isfinite(array).all():
            raise SoulreadError(f"{name} has numbers that are not finite")
