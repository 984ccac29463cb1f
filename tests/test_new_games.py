"""Games nobody here has named, made in ten lines: solved, attacked, and watched for leaks."""

import numpy as np
import pytest

import soulread as sr
from soulread.cards.deck import parse_cards
from soulread.errors import SoulreadError
from soulread.games.kuhn import high_card
from soulread.games.leduc import pair_or_rank
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import PokerGame, Rules
from soulread.games.ring_limit import ring_limit
from soulread.hands.hand import hand_from_json
from soulread.play.catalogue.known import AGENTS, parse_agent
from soulread.play.match.matches import Match
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.source import Source, without_suits
from soulread.solvers.cfr.methods import default_gap
from soulread.solvers.lp import solve_exactly
from soulread.solvers.skews import baseline_behaviour


def five_card_kuhn() -> PokerGame:
    """Kuhn poker with five ranks."""
    return PokerGame(
        Rules(
            name="kuhn with five ranks", deck=parse_cards("9s Ts Js Qs Ks"), num_players=2, hole_cards=1,
            board_cards=(0,), first=(0,), blinds=(0, 0), ante=1, raise_sizes=(1,), max_raises=(1,),
            stacks=None, small_bet=1, big_blind=1, showdown=high_card,
        )
    )  # fmt: skip


def three_suit_leduc() -> PokerGame:
    """Leduc hold'em with three suits of each rank and other bets: 3 before the flop, 5 on it."""
    return PokerGame(
        Rules(
            name="leduc with three suits", deck=parse_cards("Jh Js Jd Qh Qs Qd Kh Ks Kd"), num_players=2,
            hole_cards=1, board_cards=(0, 1), first=(0, 0), blinds=(0, 0), ante=2, raise_sizes=(3, 5),
            max_raises=(2, 2), stacks=None, small_bet=3, big_blind=2, showdown=pair_or_rank,
        )
    )  # fmt: skip


pytestmark = pytest.mark.compiled

GAMES = [five_card_kuhn(), three_suit_leduc()]
EXPLOITERS = ["dbbr:T=30,k=15", "dbr:T=30,k=30", "rwywe:every=10", "learner:particles=30"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_it_is_solved(game: PokerGame) -> None:
    """By regret minimisation and by a linear program, in both representations, to the same value."""
    exact = solve_exactly(compile_game(game)).value
    assert solve_exactly(compile_factored(game)).value == pytest.approx(exact, abs=1e-7)
    solution = sr.solve(game)
    assert solution.gap <= default_gap(solution.game) == pytest.approx(1e-3 * game.rules.small_bet)
    assert solution.value == pytest.approx(exact, abs=2 * solution.gap)
    assert sr.exploitability(game, "equilibrium") == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("exploiter", EXPLOITERS)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_it_is_attacked(game: PokerGame, exploiter: str) -> None:
    """Every exploiter wins from a player who never folds; what it believes can be asked for."""
    result = sr.duel(game, exploiter, "always-call", hands=400, duplicate=True, seed=2)
    calm = sr.duel(game, "equilibrium", "always-call", hands=400, duplicate=True, seed=2)
    assert result.profits[0, 100:, 0].mean() > calm.profits[0, 100:, 0].mean()
    belief = result.beliefs[0]
    assert belief is not None
    assert belief.expected is not None
    assert belief.worst_case is not None
    assert belief.expected > 0 >= belief.worst_case - 1e-9
    folds = [f for f in belief.frequencies if f.action == 0 and f.equilibrium > 0.3]
    assert folds
    assert np.mean([f.believed for f in folds]) < np.mean([f.equilibrium for f in folds])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_it_is_watched_for_leaks(game: PokerGame) -> None:
    study = sr.leaks(game, "always-call", hands=400, seed=1)
    assert study.whole.counter > study.whole.equilibrium > 0
    assert study.sure.counter > 0
    worst = study.leaks[0]
    assert worst.certain
    assert (worst.deviation > 0) == (worst.action == 1)  # calls too often, or does something else too rarely
    hands = sr.watch(game, "always-call", hands=50)
    assert [hand_from_json(hand.to_json()) for hand in hands] == hands
    again = sr.leaks(game, hands, "always-call", min_chances=1)
    assert again.hands == 50
    model = sr.fit("deviation", game, hands, "always-call")
    assert sr.best_response(game, model).exploitability >= -1e-9


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_whole_catalogue_sits_down_or_says_why(game: PokerGame) -> None:
    refused = {entry.name: entry.refuses(game) for entry in AGENTS.values() if entry.refuses(game)}
    assert refused == {
        "real-river": "it solves the rivers of heads-up limit hold'em",
        "clone": "a clone plays hold'em, limit or no-limit",
        **dict.fromkeys(("loki", "poki", "plain", "ponsen"), "it plays hold'em only"),
    }
    for entry in AGENTS.values():
        for text in () if entry.name in refused else entry.examples[:1]:
            Match(game, (parse_agent(text).make(game), parse_agent("random").make(game)), 12).play(seed=1)


def test_suits_that_never_matter_are_left_out() -> None:
    plain = three_suit_leduc()
    small = without_suits(plain)
    assert small.rules.suit_isomorphic
    assert small.rules.plays_like(plain.rules)
    assert compile_factored(small).trees[0].num_sets < compile_factored(plain).trees[0].num_sets
    assert solve_exactly(compile_factored(small)).value == pytest.approx(
        solve_exactly(compile_factored(plain)).value, abs=1e-7
    )
    assert without_suits(five_card_kuhn()).name == "kuhn with five ranks"  # one suit: nothing to leave out
    suited = PokerGame(
        Rules(
            name="suits decide", deck=parse_cards("Jh Js Qh Qs"), num_players=2, hole_cards=1,
            board_cards=(0,), first=(0,), blinds=(0, 0), ante=1, raise_sizes=(1,), max_raises=(1,),
            stacks=None, small_bet=1, big_blind=1, showdown=high_card,
        )
    )  # fmt: skip
    assert without_suits(suited) is suited  # a high card of one suit beats that of another here


def test_limit_by_another_name_is_limit() -> None:
    """Tables and abstractions belong to rules: heads-up ring-limit is limit hold'em."""
    other = ring_limit(2)
    for entry in ("equilibrium", "dbbr", "dbr", "td-cfr", "orange"):
        assert AGENTS[entry].refuses(other) is None
        told = AGENTS[entry].refuses(sr.game("nolimit").poker)
        assert told is None if entry in ("equilibrium", "dbbr", "dbr") else "heads-up limit" in str(told)
        assert AGENTS[entry].refuses(sr.game("nolimit:players=3").poker) is not None
    spec = parse_agent("dbbr:5-5-5-5").options.cards.spec
    assert Source(other, spec) == Source(limit_holdem(), spec)
    with pytest.raises(SoulreadError, match="'leduc with three suits' has no card abstraction"):
        Source(three_suit_leduc(), spec)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_best_response_earns_what_it_promises(game: PokerGame) -> None:
    compiled = compile_factored(game)
    pair = sr.best_response(game, "always-raise")
    result = sr.duel(game, "best-response:always-raise", "always-raise", hands=20_000, duplicate=True)
    won = result.profits[0, :, 0]
    first, second = (baseline_behaviour(tree, "always-raise") for tree in compiled.trees)
    expected = pair.exploitation((first, second))
    assert won.mean() == pytest.approx(expected, abs=5 * won.std() / 20_000**0.5)  # false alarm: 6e-7
