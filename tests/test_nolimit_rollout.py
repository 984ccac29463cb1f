"""Play-outs of no-limit hold'em: the same as by the rule engine, pots too; sizes compared; ended in time."""

import itertools
import math

import naive_rollout as naive
import numpy as np
import pytest
from test_rollout import deal_out

from soulread.cards.deck import parse_cards
from soulread.cards.evaluate import evaluate
from soulread.cards.scales import boards_to_come as come
from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, PokerState, replay
from soulread.games.walk import walk_at, winnings
from soulread.model.situation import NUM_SIZES, empty_situation, situation_at
from soulread.model.strength_tables import NUM_KINDS, NUM_STRENGTHS, default_prior
from soulread.play.opponents.plain import PlainHabits, habits_of
from soulread.play.search.deals import new_deal
from soulread.play.search.formula import PlayStyle
from soulread.play.search.nolimit_rollout import LEVELS, Policy, actions_of, play_out, simulate_decision
from soulread.play.search.outlook import Limits, Outlook

GAMES = {
    2: "nolimit",
    3: "nolimit:players=3,stacks=60/17/33,blinds=1/2,ante=1",
    4: "nolimit:players=4,stacks=5/200/40/3,blinds=5/10,ante=2",
    6: "nolimit:players=6,stacks=200/37/90/12/55/140",
    9: "nolimit:players=9,stacks=100/7/20/300/45/45/3/80/1",
}


def random_point(seats: int, rng: np.random.Generator) -> PokerState:
    """Some decision of a random hand."""
    while True:
        state = parse_game(GAMES[seats]).start()
        cards = iter(rng.permutation(52).tolist())
        for _ in range(int(rng.integers(0, 4 * seats))):
            state = deal_out(state, cards)
            if state.player == TERMINAL:
                break
            state = state.apply(some_action(state, rng))
        state = deal_out(state, cards)
        if state.player != TERMINAL:
            return state


def some_action(state: PokerState, rng: np.random.Generator) -> int:
    """A call more often than not; small raises, and sometimes all chips."""
    raises = state.legal_actions().raises  # type: ignore[attr-defined]
    drawn = rng.random()
    if drawn < 0.1 and FOLD in state.legal_actions():
        return FOLD
    if drawn < 0.65 or not raises:
        return CALL
    return int(rng.integers(raises[0], min(raises[-1], raises[0] + 30) + 1)) if drawn < 0.95 else raises[-1]


def some_policy(seats: int, rng: np.random.Generator) -> Policy:
    """Players who do everything now and then."""
    chances = rng.dirichlet((0.4, 0.8, 0.4), (seats, NUM_KINDS, NUM_STRENGTHS))
    own = PlainHabits(*rng.uniform((-0.3, -0.3, 0.0, 0.1, 0.1), (0.2, 0.05, 0.3, 0.7, 0.9)).tolist())
    return Policy(
        own,
        chances,
        np.cumsum(rng.dirichlet(np.ones(NUM_SIZES), (seats, 2)), axis=2),
    )


def some_deal(state: PokerState, board: tuple[int, ...], rng: np.random.Generator):
    seats = state.game.num_players
    deal = new_deal(seats, LEVELS)
    deal.hs[:] = rng.random((4, seats)) ** 0.6
    deal.ppot[:] = 0.3 * rng.random((4, seats))
    deal.uniforms[:] = rng.random(deal.uniforms.shape)
    deal.ranks[:] = [evaluate((*state.hole(seat), *board)) for seat in range(seats)]
    deal.board[:] = board
    return deal


@pytest.mark.parametrize("seats", GAMES)
def test_a_play_out_is_a_hand_of_the_rule_engine(seats: int) -> None:
    """Betting, least raises, all-ins, side pots and odd chips, from random decisions; chips are conserved."""
    rng = np.random.default_rng(seats)
    ends = {"fold": 0, "won": 0, "showdown": 0}
    pots, raises = 0, 0
    work = empty_situation()
    for _ in range(120):
        state = random_point(seats, rng)
        left = [card for card in rng.permutation(52).tolist() if card not in state.cards]
        board = (*state.board, *left)[:5]
        deal, policy = some_deal(state, board, rng), some_policy(seats, rng)
        view = state.view(state.player)
        begin = situation_at(view)
        for first in actions_of(view, (0.5, 1.0)):
            expected, end = naive.play_out_nolimit(
                state, first, policy.own, policy.chances, policy.sizes, deal, board
            )
            assert play_out(begin, first, policy, None, deal, work) == expected
            how = "fold" if end.folded[state.player] else "showdown" if end.showdown else "won"
            ends[how] += 1
            raises += sum(action > CALL for _, action in end.actions[len(state.actions) + 1 :])
            if how != "fold":
                net = [winnings(work.walk, seat, deal.ranks) for seat in range(seats)]
                assert tuple(net) == end.payoffs()
                assert sum(net) == 0
                pots += (
                    how == "showdown"
                    and len({s for s, out in zip(end.spent, end.folded, strict=True) if not out}) > 1
                )
    assert min(ends["fold"], ends["showdown"]) > 4
    assert seats > 3 or ends["won"] > 4  # in the larger games somebody is all-in from the start
    assert raises > 20
    assert seats == 2 or pots > 10


def test_a_short_stack_wins_the_main_pot_and_the_better_of_the_others_the_side_pot() -> None:
    """Stacks 10, 40 and 40, all in: 30 chips for the best hand, 60 for the better of the other two."""
    game = parse_game("nolimit:players=3,stacks=10/40/40")
    state = replay(game, "r40cc", parse_cards("AsAh" + "KsKh" + "QsQh" + "2c7d9h3s4d"))
    walk = walk_at(state.view(0))
    ranks = np.array([3, 2, 1])
    assert [winnings(walk, seat, ranks) for seat in range(3)] == [20, 20, -40]
    assert [winnings(walk, seat, np.array([1, 2, 2])) for seat in range(3)] == [-10, 5, 5]
    assert state.payoffs() == (20, 20, -40)


def test_raises_are_parts_of_the_pot_and_all_chips_each_once() -> None:
    game = parse_game("nolimit:players=3,stacks=60")
    state = replay(game, "r6", parse_cards("AsAhKsKhQsQh"))
    view = state.view(0)  # the pot after a call is 6 + 6 + 2 chips
    assert actions_of(view, (0.5, 1.0, 2.0)) == (CALL, 13, 20, 34, 60)
    assert actions_of(view, (0.01, 0.02)) == (CALL, 10, 60)
    short = replay(game, "r60", parse_cards("AsAhKsKhQsQh"))
    assert actions_of(short.view(0), (0.5,)) == (CALL,)


# Decisions ----------------------------------------------------------------------------------------


def usual_policy(seats: int) -> Policy:
    prior = default_prior()
    sizes = np.cumsum(prior.sizes / prior.sizes.sum(axis=1, keepdims=True), axis=1)
    own = habits_of(PlayStyle(), seats)
    return Policy(own, np.tile(prior.chances, (seats, 1, 1, 1)), np.tile(sizes, (seats, 1, 1)))


def decide(
    state: PokerState, limits: Limits, seed: int = 0, tables: np.ndarray | None = None, **options
) -> Outlook:
    seats = state.game.num_players
    before = np.tile(np.arange(1326) / 1326, (seats, 1))
    view = state.view(state.player)
    if tables is None:
        tables = np.ones((seats, 1326))
    actions = actions_of(view, (0.5, 1.0))
    rng = np.random.default_rng(seed)
    return simulate_decision(view, actions, tables, usual_policy(seats), before, limits, rng, **options)


def river(hole: str, betting: str = "r6c/cc/cc/r26") -> PokerState:
    """The last round heads-up, a bet of 20 into 12; seat 1 has ``hole`` and is to act."""
    return replay(parse_game("nolimit"), betting, parse_cards("2c7d" + hole + "KsKhKdQsJh"))


@pytest.mark.compiled
def test_what_can_be_counted_is_found() -> None:
    best = decide(river("KcAd"), Limits(playouts=4000, clear=math.inf))
    assert best.call == 32  # the pot of 12 and the bet of 20
    assert best.error(CALL) == 0
    assert best.raise_ > best.call
    assert best.best(may_fold=True) > CALL
    state = river("3c2d")
    better = np.where(come.present(state.board).hs > 0.5, 1.0, 0.0)
    worst = decide(state, Limits(playouts=4000), tables=np.tile(better, (2, 1)))
    assert worst.call == -20
    assert worst.actions == (CALL, 52, 78, 200)


@pytest.mark.compiled
def test_limits_end_it_and_the_same_stream_gives_the_same_answer() -> None:
    counted = decide(river("Qd9d"), Limits(playouts=1001, clear=math.inf))
    assert counted.playouts == 1004  # four actions a deal
    assert counted == decide(river("Qd9d"), Limits(playouts=1001, clear=math.inf))
    ticks = itertools.count()
    found = decide(river("Qd9d"), Limits(budget=6.5, clear=math.inf), clock=lambda: float(next(ticks)))
    assert found.chunks == 7
    assert decide(river("KcAd"), Limits(playouts=10**6)).clear


@pytest.mark.compiled
@pytest.mark.parametrize("seats", [2, 6, 9])
def test_every_round_is_simulated_and_sizes_are_compared_with_the_same_cards(seats: int) -> None:
    game = parse_game("nolimit" if seats == 2 else f"nolimit:players={seats}")
    for rounds, known in enumerate((0, 3, 4, 5)):
        cards = np.random.default_rng(3).permutation(52)[: 2 * seats + known].tolist()
        state = replay(game, ("c" * seats + "/") * rounds, cards)
        found = decide(state, Limits(playouts=2000, clear=math.inf))
        assert np.isfinite(found.values).all()
        small, large = found.actions[1:3]
        apart = found.error(small, large)
        assert 0 < apart < math.hypot(found.error(small), found.error(large))


def test_what_cannot_be_simulated_is_refused_with_a_reason() -> None:
    state = replay(parse_game("limit"), "", parse_cards("2c7d3c8d"))
    with pytest.raises(SoulreadError, match="no-limit only"):
        decide(state, Limits(playouts=10))
    view, two = river("KcAd").view(0), np.ones((2, 1326))
    with pytest.raises(SoulreadError, match="not to act"):
        simulate_decision(
            view, (CALL,), two, usual_policy(2), two, Limits(playouts=2), np.random.default_rng(0)
        )
