"""Play-outs of no-limit hold'em: what a call, and raises of several sizes, win on average.

The mechanism is that of limit play-outs. Holdings of all live opponents are drawn together and the board is
dealt (`soulread.play.search.deals`). Every deal is played out with each action, with the same random numbers,
and the actions are compared deal by deal (`soulread.play.search.outlook`). What differs is the betting and
the showdown.

**Betting** follows the rules through `soulread.model.situation`: stacks, antes, all-ins, least raises. A
`Policy` has the chances of a fold, a call and a raise, and of the classes of sizes: of opponents by a table
(`soulread.model.strength_tables`) or by trees (`soulread.play.search.table_trees`), of us by the bars of a
plain player (`soulread.play.opponents.plain`). Trees are an argument of their own, None where nobody has
them: kernels are compiled for both cases, and handing the many arrays of trees from call to call halves the
speed. One uniform number decides both: where it says "raise", its place within that part is again uniform.
The number belongs to the round, the raises of the round so far, and the seat. After `LEVELS` - 1 raises in a
round nobody raises.

**The showdown** has the side pots of `soulread.games.poker`: what nobody matched goes back, each pot goes to
the best of those who paid for it, odd chips go to the first winner after the button.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import NUM_HANDS, cards_mask
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView, raises_among
from soulread.kernel import kernel
from soulread.model.loki.triples import NUM_ROUNDS
from soulread.model.situation import (
    IN,
    NUM_SIZES,
    OVER,
    Situation,
    actor,
    apply_action,
    big_blind_of,
    copy_situation,
    dead_chips,
    empty_situation,
    pot_of,
    raise_bounds,
    raise_of_size,
    raises_now,
    round_of,
    situation_at,
    to_call,
)
from soulread.model.strength_tables import NUM_KINDS, NUM_STRENGTHS, kind_of, strength_class
from soulread.play.opponents.plain import PlainDecision, PlainHabits, plain_triple, raise_to
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
from soulread.play.search.rollout import verify_arrays
from soulread.play.search.table_trees import TableTrees, ask_actions, ask_sizes, fill_cards

LEVELS = 6  # of raises in a round: none to five


class Policy(NamedTuple):
    """How everybody acts in play-outs."""

    own: PlainHabits  # ours
    chances: NDArray[np.float64]  # [seats, kinds, strengths, 3] of fold, call and raise
    sizes: NDArray[np.float64]  # [seats, 2, sizes] chance that a raise is of this class or a smaller one


def refuses(game: PokerGame) -> str | None:
    """Why play-outs cannot be made in a game; None: they can."""
    rules = game.rules
    if len(rules.deck) != 52 or rules.hole_cards != 2 or rules.board_cards != (0, 3, 1, 1):
        return "it plays hold'em only"
    if rules.raise_sizes is not None or rules.stacks is None:
        return "it plays no-limit only"
    if rules.open_folds:
        return "it plays where nobody folds with nothing to call"
    return None


def actions_of(view: PokerView, fractions: tuple[float, ...]) -> tuple[int, ...]:
    """A call, and the raises to parts of the pot that are legal, all-in too; ascending and different."""
    raises = raises_among(view.legal)
    if not raises:
        return (CALL,)
    return (CALL, *sorted({raise_to(view, fraction) for fraction in fractions} | {raises[-1]}))


# One play-out -------------------------------------------------------------------------------------


@kernel
def live_seats(s: Situation) -> int:
    """How many have not folded."""
    live, count = s.masks[IN], 0
    while live:
        live &= live - 1
        count += 1
    return count


@kernel
def choose(policy: Policy, crowd: TableTrees | None, s: Situation, us: int, deal: Deal) -> int:
    """What the seat to act does with its holding: 0 fold, 1 call, else the total of a raise.

    ``us`` is our seat; ``crowd`` has the trees of the seats that are played by trees.
    """
    seat, round, level = actor(s), round_of(s), min(raises_now(s), LEVELS - 1)
    low, high = raise_bounds(s)
    owed = to_call(s)
    may_raise = low <= high and level < LEVELS - 1
    if seat == us:
        spot = PlainDecision(
            round, raises_now(s), owed / (pot_of(s) + owed), owed / big_blind_of(s), owed > 0, may_raise
        )
        fold, call, raised = plain_triple(value_in(deal, round, seat, live_seats(s) - 1), spot, policy.own)
    elif crowd is not None and crowd.used[seat]:
        ask_actions(crowd, s, owed > 0, may_raise)
        fold, call, raised = crowd.three
    else:
        strength = strength_class(value_in(deal, round, seat, 1), round)
        kind = kind_of(s)
        fold = policy.chances[seat, kind, strength, 0] if owed > 0 else 0.0
        call = policy.chances[seat, kind, strength, 1]
        raised = policy.chances[seat, kind, strength, 2] if may_raise else 0.0
    drawn = deal.uniforms[round, level, seat] * (fold + call + raised)
    if drawn < fold:
        return 0
    if drawn < fold + call or raised == 0.0:
        return 1
    rest = (drawn - fold - call) / raised
    size = 0
    if crowd is not None and seat != us and crowd.used[seat]:
        ask_sizes(crowd, s)
        below = crowd.seven[0]
        while size < NUM_SIZES - 1 and rest >= below:
            size += 1
            below += crowd.seven[size]
    else:
        while size < NUM_SIZES - 1 and rest >= policy.sizes[seat, min(round, 1), size]:
            size += 1
    return raise_of_size(s, size)


@kernel
def play_out(
    begin: Situation, first: int, policy: Policy, crowd: TableTrees | None, deal: Deal, s: Situation
) -> int:
    """Chips we win beyond folding now, where we are to act and begin with ``first``; ``s`` is work space."""
    copy_situation(begin, s)
    s.board[:] = deal.board
    us = actor(s)
    paid = s.spent[us]
    apply_action(s, first)
    while actor(s) != OVER:
        action = choose(policy, crowd, s, us, deal)
        if action == 0 and actor(s) == us:
            return int(paid - s.spent[us])
        apply_action(s, action)
    return int(paid + winnings(s, us, deal.ranks))


@kernel
def winnings(s: Situation, us: int, ranks: NDArray[np.int64]) -> int:
    """Net chips of a seat at the end of a hand, its dead chips not counted as paid."""
    live = s.masks[IN]
    if live & (live - 1) == 0:
        return int((pot_of(s) if live >> us & 1 else 0) - s.spent[us])
    seats = ranks.size
    top, called = 0, 0
    for seat in range(seats):
        if s.spent[seat] > top:
            top, called = s.spent[seat], top
        elif s.spent[seat] > called:
            called = s.spent[seat]
    amounts, claims = np.zeros(seats, np.int64), np.zeros(seats, np.int64)
    pots = _side_pots(s, seats, called, amounts, claims)
    winners = 0
    for k in range(pots):
        winners |= _best_of(claims[k], ranks)
    won, k = 0, 0
    while k < pots:
        alive, amount = claims[k] & winners, amounts[k]
        k += 1
        while k < pots and claims[k] & winners == alive:  # hands that win nowhere are thrown away first
            amount += amounts[k]
            k += 1
        best = _best_of(alive, ranks)
        if best >> us & 1:
            share = 0
            for seat in range(seats):
                share += best >> seat & 1
            won += amount // share
            if best & -best == 1 << us:
                won += amount % share
    return int(won - min(s.spent[us], called))


@kernel
def _side_pots(
    s: Situation, seats: int, called: int, amounts: NDArray[np.int64], claims: NDArray[np.int64]
) -> int:
    """Fill the chips of each pot and who plays for it, as a set of seats; returns how many there are."""
    pots, below, carried = 0, -1, dead_chips(s)
    while below < called:
        level = called
        for seat in range(seats):
            if s.spent[seat] > below:
                level = min(level, s.spent[seat])
        payers, count = 0, 0
        for seat in range(seats):
            if s.spent[seat] >= level:
                payers |= 1 << seat
                count += 1
        amount = (level - max(below, 0)) * count + carried
        carried = 0
        below = level
        claimants = payers & s.masks[IN]
        if claimants == 0:
            if pots:
                amounts[pots - 1] += amount
            else:
                carried = amount
        elif amount:
            amounts[pots] = amount
            claims[pots] = claimants
            pots += 1
    return pots


@kernel
def _best_of(claimants: int, ranks: NDArray[np.int64]) -> int:
    """Those of a set of seats with the best hand, as a set."""
    best, found = -1, 0
    for seat in range(ranks.size):
        if claimants >> seat & 1:
            if ranks[seat] > best:
                best, found = ranks[seat], 0
            if ranks[seat] == best:
                found |= 1 << seat
    return found


# Decisions ----------------------------------------------------------------------------------------


@kernel
def run_chunk(
    deals: int,
    most_rows: int,
    begin: Situation,
    actions: NDArray[np.int64],
    taken: int,
    policy: Policy,
    crowd: TableTrees | None,
    draws: Draws,
    source: Source,
    deal: Deal,
    work: Situation,
    sums: Sums,
    rng: np.random.Generator,
) -> None:
    """Play out up to ``deals`` deals, each with all ``actions``, and add to ``sums``."""
    won = np.zeros(actions.size)
    us, round = actor(begin), round_of(begin)
    made = 0
    for _ in range(deals):
        made += next_deal(round, us, taken, draws, source, deal, rng)
        for later in range(round, NUM_ROUNDS):
            for level in range(LEVELS):
                for seat in range(deal.ranks.size):
                    deal.uniforms[later, level, seat] = rng.random()
        if crowd is not None:
            fill_cards(crowd, round, deal)
        for k in range(actions.size):
            won[k] = play_out(begin, actions[k], policy, crowd, deal, work)
        add_deal(sums, won)
        if made >= most_rows:
            break


def simulate_decision(
    view: PokerView,
    actions: tuple[int, ...],
    tables: NDArray[np.float64],
    policy: Policy,
    before: NDArray[np.float64],
    limits: Limits,
    rng: np.random.Generator,
    begun: float | None = None,
    clock: Clock = time.perf_counter,
    types: Sequence[int] = (0, 0, 0, 0),
    crowd: TableTrees | None = None,
) -> Outlook:
    """What ``actions`` are worth to the seat in view, which is to act: a call first, then raises, ascending.

    ``tables [seats, 1326]`` has the weights of each live opponent's holdings; other rows are not read.
    ``before [seats, 1326]`` has the values of holdings before the flop. ``begun`` is when the budget began to
    run, by ``clock``; now, if it is not given. ``crowd`` has the trees of the seats that are played by trees,
    and ``types`` the sets of loose, tight, aggressive and passive seats, for these trees.
    """
    begun = clock() if begun is None else begun
    reason = refuses(view.game)
    if reason is not None:
        raise SoulreadError(f"no play-outs in {view.game.name!r}: {reason}")
    if view.to_act != view.seat:
        raise SoulreadError(f"seat {view.seat} is not to act after {view.betting!r}")
    seats = view.game.num_players
    verify_arrays(
        ("tables", tables, (seats, NUM_HANDS)),
        ("chances", policy.chances, (seats, NUM_KINDS, NUM_STRENGTHS, 3)),
        ("sizes", policy.sizes, (seats, 2, NUM_SIZES)),
        ("before", before, (seats, NUM_HANDS)),
    )
    begin, work = situation_at(view, types), empty_situation()
    taken = cards_mask((*view.hole, *view.board))
    draws, source, deal = draws_from(view, tables), source_of(view, before), new_deal(seats, LEVELS)
    numbers = np.array(actions, np.int64)

    def chunk(deals: int, sums: Sums) -> None:
        run_chunk(deals, ROWS, begin, numbers, taken, policy, crowd, draws, source, deal, work, sums, rng)

    return run_chunks(chunk, actions, FOLD in view.legal, draws, limits, begun, clock)
