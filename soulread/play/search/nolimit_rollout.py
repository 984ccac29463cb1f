"""Play-outs of no-limit hold'em: what a call, and raises of several sizes, win on average.

The mechanism is that of limit play-outs. Holdings of all live opponents are drawn together and the board is
dealt (`soulread.play.search.deals`). Every deal is played out with each action, with the same random numbers,
and the actions are compared deal by deal (`soulread.play.search.outlook`). What differs is the betting and
the showdown.

**Betting** and **the showdown** follow the rules through `soulread.games.walk`: stacks, antes, all-ins, least
raises, side pots. A `Policy` has the chances of a fold, a call and a raise, and of the classes of sizes: of
opponents by a table (`soulread.model.strength_tables`) or by trees (`soulread.play.search.table_trees`), of
us by the bars of a plain player (`soulread.play.opponents.plain`). Trees are an argument of their own, None
where nobody has them: kernels are compiled for both cases, and handing the many arrays of trees from call to
call halves the speed. One uniform number decides both: where it says "raise", its place within that part is
again uniform. The number belongs to the round, the raises of the round so far, and the seat. After `LEVELS` -
1 raises in a round nobody raises.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import NUM_HANDS, cards_mask
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView, raises_among
from soulread.games.walk import (
    ACTOR,
    BIG_BLIND,
    IN,
    OVER,
    RAISES,
    ROUND,
    SPENT,
    may_raise,
    num_seats,
    pot_of,
    to_call,
    winnings,
)
from soulread.kernel import kernel
from soulread.model.loki.triples import NUM_ROUNDS
from soulread.model.situation import (
    NUM_SIZES,
    Situation,
    apply_action,
    copy_situation,
    empty_situation,
    raise_of_size,
    situation_at,
)
from soulread.model.strength_tables import NUM_KINDS, NUM_STRENGTHS, kind_of, strength_class
from soulread.play.opponents.plain import PlainDecision, PlainHabits, plain_triple, raise_to
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
def choose(policy: Policy, trees: TableTrees | None, s: Situation, us: int, deal: Deal) -> int:
    """The action of the seat to act with its holding: 0 fold, 1 call, else the total of a raise.

    ``us`` is our seat; ``trees`` has the trees of the seats that are played by trees.
    """
    w = s.walk
    seat, round, level = w[ACTOR], w[ROUND], min(w[RAISES], LEVELS - 1)
    owed = to_call(w)
    able = level < LEVELS - 1 and may_raise(w)
    if seat == us:
        spot = PlainDecision(round, w[RAISES], owed / (pot_of(w) + owed), owed / w[BIG_BLIND], owed > 0, able)
        value = value_in(deal, round, seat, num_seats(w[IN]) - 1)
        fold, call, raised = plain_triple(value, spot, policy.own)
    elif trees is not None and trees.used[seat]:
        ask_actions(trees, s, owed > 0, able)
        fold, call, raised = trees.three
    else:
        strength = strength_class(value_in(deal, round, seat, 1), round)
        kind = kind_of(w)
        fold = policy.chances[seat, kind, strength, 0] if owed > 0 else 0.0
        call = policy.chances[seat, kind, strength, 1]
        raised = policy.chances[seat, kind, strength, 2] if able else 0.0
    drawn = deal.uniforms[round, level, seat] * (fold + call + raised)
    if drawn < fold:
        return 0
    if drawn < fold + call or raised == 0.0:
        return 1
    rest = (drawn - fold - call) / raised
    size = 0
    if trees is not None and seat != us and trees.used[seat]:
        ask_sizes(trees, s)
        below = trees.seven[0]
        while size < NUM_SIZES - 1 and rest >= below:
            size += 1
            below += trees.seven[size]
    else:
        while size < NUM_SIZES - 1 and rest >= policy.sizes[seat, min(round, 1), size]:
            size += 1
    return raise_of_size(w, size)


@kernel
def play_out(
    begin: Situation, first: int, policy: Policy, trees: TableTrees | None, deal: Deal, s: Situation
) -> int:
    """Chips we win beyond folding now, where we are to act and begin with ``first``; ``s`` is work space."""
    copy_situation(begin, s)
    s.board[:] = deal.board
    w = s.walk
    us = w[ACTOR]
    paid = w[SPENT + us]
    apply_action(s, first)
    while w[ACTOR] != OVER:
        action = choose(policy, trees, s, us, deal)
        if action == 0 and w[ACTOR] == us:
            return int(paid - w[SPENT + us])
        apply_action(s, action)
    return int(paid) + winnings(w, us, deal.ranks)


# Decisions ----------------------------------------------------------------------------------------


@kernel
def run_chunk(
    deals: int,
    most_rows: int,
    begin: Situation,
    actions: NDArray[np.int64],
    taken: int,
    policy: Policy,
    trees: TableTrees | None,
    draws: Draws,
    source: ValueSource,
    deal: Deal,
    work: Situation,
    sums: Sums,
    rng: np.random.Generator,
) -> None:
    """Play out up to ``deals`` deals, each with all ``actions``, and add to ``sums``."""
    won = np.zeros(actions.size)
    us, round = begin.walk[ACTOR], begin.walk[ROUND]
    made = 0
    for _ in range(deals):
        made += next_deal(round, us, taken, draws, source, deal, rng)
        for later in range(round, NUM_ROUNDS):
            for level in range(LEVELS):
                for seat in range(deal.ranks.size):
                    deal.uniforms[later, level, seat] = rng.random()
        if trees is not None:
            fill_cards(trees, round, deal)
        for k in range(actions.size):
            won[k] = play_out(begin, actions[k], policy, trees, deal, work)
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
    trees: TableTrees | None = None,
) -> Outlook:
    """The worth of ``actions`` to the seat in view, which is to act: a call first, then raises, ascending.

    ``tables [seats, 1326]`` has the weights of each live opponent's holdings; other rows are not read.
    ``before [seats, 1326]`` has the values of holdings before the flop. ``begun`` is when the budget began to
    run, by ``clock``; now, if it is not given. ``trees`` has the trees of the seats that are played by trees,
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
        run_chunk(deals, ROWS, begin, numbers, taken, policy, trees, draws, source, deal, work, sums, rng)

    return run_chunks(chunk, actions, FOLD in view.legal, draws, limits, begun, clock)
