"""Selective sampling: what a call and a raise win on average, by playing hands out (Billings et al., 1999).

A *play-out* finishes the hand once. The holdings of all live opponents are drawn together from their weight
tables, the rest of the board is dealt (`soulread.play.search.deals`), and everybody acts by probability
triples (`soulread.model.loki.triples`) until the hand is over; opponents are doubted as their models doubt
them. We hold our own cards, and our first action is fixed. Each deal is played out twice, once with a call
and once with a raise, and the two are compared deal by deal (`soulread.play.search.outlook`). This module
plays limit hold'em; `soulread.play.search.nolimit_rollout` plays no-limit.
"""

import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import NUM_HANDS, cards_mask
from soulread.errors import ShapeError, SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView
from soulread.games.walk import (
    ACTOR,
    CAP,
    IN,
    OVER,
    RAISES,
    ROUND,
    SEATS,
    SIZE,
    SPENT,
    Walk,
    apply,
    num_seats,
    to_call,
    walk_at,
    winnings,
)
from soulread.kernel import kernel
from soulread.model.loki.triples import NUM_CONTEXTS, NUM_ROUNDS, context_of, doubted_triple
from soulread.play.search.deals import (
    Deal,
    Draws,
    ValueSource,
    draws_from,
    new_deal,
    next_deal,
    source_of,
    value_in,
)
from soulread.play.search.outlook import ROWS, Clock, Limits, Outlook, Sums, add_deal, run_chunks

MOST_BETS = 5  # levels of a round: no bet to four bets


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


def point_of(view: PokerView) -> Walk:
    """The betting at a decision of limit hold'em, which must be the viewer's own."""
    reason = refuses(view.game)
    if reason is not None:
        raise SoulreadError(f"no play-outs in {view.game.name!r}: {reason}")
    if view.to_act != view.seat:
        raise SoulreadError(f"seat {view.seat} is not to act after {view.betting!r}")
    return walk_at(view)


class Acting(NamedTuple):
    """How everybody acts in play-outs: see `soulread.model.loki.triples`."""

    bars: NDArray[np.float64]  # [seats, contexts, 2, 2]
    rates: NDArray[np.float64]  # [seats, contexts, 2] of folding and raising, where an action is doubted
    doubts: NDArray[np.float64]  # [seats] chance that an action has another reason than the value of the hand


def new_acting(seats: int) -> Acting:
    """Room for how so many seats act."""
    return Acting(np.zeros((seats, NUM_CONTEXTS, 2, 2)), np.zeros((seats, NUM_CONTEXTS, 2)), np.zeros(seats))


# One play-out ----------------------------------------------------------------------------------


@kernel
def play_out(begin: Walk, first: int, acting: Acting, deal: Deal, w: Walk) -> int:
    """Chips we win beyond folding now, where we are to act and begin with ``first``; ``w`` is work space."""
    w[:] = begin
    us = w[ACTOR]
    paid = w[SPENT + us]
    apply(w, first)
    while w[ACTOR] != OVER:
        seat, round, raises = w[ACTOR], w[ROUND], w[RAISES]
        owed, size = to_call(w), w[SIZE + round]
        context = context_of(round, (owed + size - 1) // size)
        value = value_in(deal, round, seat, num_seats(w[IN]) - 1)
        chances = doubted_triple(
            value,
            acting.bars[seat, context],
            acting.rates[seat, context],
            acting.doubts[seat],
            owed > 0,
            raises < w[CAP + round],
        )
        drawn = deal.uniforms[round, raises, seat]
        action = FOLD if drawn < chances.fold else CALL if drawn < 1 - chances.raise_ else RAISE
        if action == FOLD and seat == us:
            return int(paid - w[SPENT + us])
        apply(w, action)
    return int(paid) + winnings(w, us, deal.ranks)


# Decisions --------------------------------------------------------------------------------------


@kernel
def run_chunk(
    deals: int,
    most_rows: int,
    begin: Walk,
    actions: NDArray[np.int64],
    taken: int,
    acting: Acting,
    draws: Draws,
    source: ValueSource,
    deal: Deal,
    sums: Sums,
    rng: np.random.Generator,
) -> None:
    """Play out up to ``deals`` deals, each with all ``actions``, and add to ``sums``."""
    won, work = np.zeros(actions.size), np.empty_like(begin)
    us, now, seats = begin[ACTOR], begin[ROUND], begin[SEATS]
    made = 0
    for _ in range(deals):
        made += next_deal(now, us, taken, draws, source, deal, rng)
        for round in range(now, NUM_ROUNDS):
            for bets in range(begin[RAISES] if round == now else 0, begin[CAP + round] + 1):
                for seat in range(seats):
                    deal.uniforms[round, bets, seat] = rng.random()
        for k in range(actions.size):
            won[k] = play_out(begin, actions[k], acting, deal, work)
        add_deal(sums, won)
        if made >= most_rows:
            break


def simulate_decision(
    view: PokerView,
    tables: NDArray[np.float64],
    acting: Acting,
    before: NDArray[np.float64],
    limits: Limits,
    rng: np.random.Generator,
    begun: float | None = None,
    clock: Clock = time.perf_counter,
) -> Outlook:
    """The worth of a call and of a raise to the seat in view, which is to act.

    ``tables [seats, 1326]`` has the weights of each live opponent's holdings; other rows are not read.
    ``acting`` is everybody's, ours too. ``before [seats, 1326]`` has the values of holdings before the flop.
    Holdings with cards that we see are left out here. ``begun`` is when the budget began to
    run, by ``clock``; now, if it is not given.
    """
    begun = clock() if begun is None else begun
    begin = point_of(view)
    seats = view.game.num_players
    verify_arrays(
        ("tables", tables, (seats, NUM_HANDS)),
        ("bars", acting.bars, (seats, NUM_CONTEXTS, 2, 2)),
        ("rates", acting.rates, (seats, NUM_CONTEXTS, 2)),
        ("doubts", acting.doubts, (seats,)),
        ("before", before, (seats, NUM_HANDS)),
    )
    taken = cards_mask((*view.hole, *view.board))
    draws, source, deal = draws_from(view, tables), source_of(view, before), new_deal(seats, MOST_BETS)
    actions = (CALL, RAISE) if RAISE in view.legal else (CALL,)
    numbers = np.array(actions, np.int64)

    def chunk(deals: int, sums: Sums) -> None:
        run_chunk(deals, ROWS, begin, numbers, taken, acting, draws, source, deal, sums, rng)

    return run_chunks(chunk, actions, FOLD in view.legal, draws, limits, begun, clock)


def verify_arrays(*arrays: tuple[str, NDArray[np.float64], tuple[int, ...]]) -> None:
    """Raise unless each named array has its shape, and numbers that are finite."""
    for name, array, shape in arrays:
        if array.shape != shape or array.dtype != np.float64:
            raise ShapeError(f"{name} has shape {array.shape} of {array.dtype}; expected {shape} of float64")
        if not np.isfinite(array).all():
            raise SoulreadError(f"{name} has numbers that are not finite")
