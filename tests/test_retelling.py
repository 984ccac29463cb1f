"""Strategies of one card abstraction, told in another: against a look at every holding; other equilibria."""

from pathlib import Path

import naive_tabular
import numpy as np
import pytest
from named import compile_source, equilibrium_of
from numpy.testing import assert_allclose, assert_array_equal
from test_aivat import random_behaviours

from soulread.abstraction.joint import sample_joint
from soulread.abstraction.states import Abstraction, AbstractionSpec, StateTables
from soulread.cards.arrays import deal
from soulread.cards.isomorphism import NUM_FLOPS, NUM_RIVERS, NUM_TURNS, all_boards
from soulread.cards.ranges import HAND_CARDS, NUM_HANDS
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import FOLD
from soulread.seqform.abstract import abstract_game
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, plan_from_behaviour, uniform_behaviour, verify_behaviours
from soulread.seqform.treeplex import ProductLabels
from soulread.solvers import other_equilibria
from soulread.solvers.other_equilibria import METHODS, equilibria_of_abstractions, many_equilibria
from soulread.solvers.retelling import retell, shared_states

BOARDS = 3
pytestmark = pytest.mark.compiled


def suits() -> Abstraction:
    """Two private states for ever: is the hand suited?"""
    spec = AbstractionSpec("hs", (2, 1, 1, 1))
    hole = (HAND_CARDS[:, 0] % 4 == HAND_CARDS[:, 1] % 4).astype(np.uint16)
    tables = StateTables(
        boards=all_boards().lookup,
        hole_state=hole,
        flop_state=np.broadcast_to(hole, (NUM_FLOPS, NUM_HANDS)).copy(),
        turn_bucket=np.zeros((NUM_TURNS, NUM_HANDS, 4), dtype=np.uint8),
        river_strength=np.zeros((NUM_RIVERS, NUM_HANDS), dtype=np.uint16),
        river_cuts=np.empty((2, 0), dtype=np.uint16),
        branching=np.array(spec.branching, dtype=np.int64),
    )
    return Abstraction(spec, tables, "suits")


def game_of(abstraction: Abstraction) -> SequenceGame:
    return abstract_game(
        limit_holdem(), abstraction, sample_joint(abstraction, 20_000, np.random.default_rng(1))
    )


@pytest.fixture(scope="module")
def ranked() -> SequenceGame:
    return game_of(naive_tabular.rank_abstraction())


@pytest.fixture(scope="module")
def suited() -> SequenceGame:
    return game_of(suits())


def counted(boards: int) -> list[np.ndarray]:
    """The states of both abstractions, holding by holding."""
    rng = np.random.default_rng(0)
    drawn = [list(deal(rng, limit_holdem().rules.deck, 5)) for _ in range(boards)]
    found = [np.zeros((states, 2)) for states in (3, 6, 6, 6)]
    for board in drawn:
        for r, dealt in enumerate((0, 3, 4, 5)):
            for hole in HAND_CARDS.tolist():
                if not set(hole) & set(board[:dealt]):
                    state = naive_tabular.rank_states(hole, board[:dealt])[r]
                    found[r][state, int(hole[0] % 4 == hole[1] % 4)] += 1
    return found


def test_states_are_counted_holding_by_holding(ranked: SequenceGame, suited: SequenceGame) -> None:
    for ours, plain in zip(shared_states(suited, ranked, BOARDS), counted(BOARDS), strict=True):
        assert_array_equal(ours, plain)


def test_a_strategy_is_told_by_the_holdings_that_come_there(
    ranked: SequenceGame, suited: SequenceGame
) -> None:
    pair = random_behaviours(suited, seed=3)
    told = retell(pair, suited, ranked, BOARDS)
    verify_behaviours(ranked.trees, told)
    shares = counted(BOARDS)
    for seat in (0, 1):
        of, tree = suited.trees[seat], ranked.trees[seat]
        assert isinstance(of.labels, ProductLabels)
        assert isinstance(tree.labels, ProductLabels)
        plan = plan_from_behaviour(of, Behaviour(pair[seat].astype(np.float64)))
        for block in (0, tree.num_blocks // 2, tree.num_blocks - 1):
            r, actions = tree.labels.rounds[block], len(tree.actions[block])
            first, width = int(tree.first_sequence[block]), len(shares[r])
            start = int(of.first_sequence[of.labels.nodes.index(tree.labels.nodes[block])])
            for state in range(width):
                chances = [
                    sum(shares[r][state, u] * plan[start + 2 * a + u] for u in (0, 1)) for a in range(actions)
                ]
                rows = [first + a * width + state for a in range(actions)]
                assert_allclose(told[seat][rows], np.array(chances) / sum(chances), atol=1e-4)


def test_its_own_abstraction_tells_a_strategy_as_it_is(ranked: SequenceGame) -> None:
    pair = random_behaviours(ranked, seed=4)
    told = retell(pair, ranked, ranked, 40)
    seen = [counts.sum(axis=1) > 0 for counts in shared_states(ranked, ranked, 40)]
    for seat, tree in enumerate(ranked.trees):
        assert isinstance(tree.labels, ProductLabels)
        for block, _, rows in tree.blocks():
            known = np.tile(seen[tree.labels.rounds[block]], len(tree.actions[block]))
            assert_allclose(told[seat][rows][known], pair[seat][rows][known], atol=1e-5)


def test_nodes_that_are_never_reached_are_told_too(ranked: SequenceGame, suited: SequenceGame) -> None:
    """A player who always folds comes nowhere else; there its behaviour stands for all holdings."""
    first, second = (uniform_behaviour(tree) for tree in suited.trees)
    folding = first.copy()
    rows = slice(int(suited.trees[0].first_sequence[0]), int(suited.trees[0].first_sequence[1]))
    folding[rows] = np.repeat([float(action == FOLD) for action in suited.trees[0].actions[0]], 2)
    told = retell((Behaviour(folding), second), suited, ranked, BOARDS)
    last = ranked.trees[0].num_blocks - 1
    width = int(ranked.trees[0].first_set[last + 1] - ranked.trees[0].first_set[last])
    actions = len(ranked.trees[0].actions[last])
    assert_allclose(told[0][-actions * width :], 1 / actions, atol=1e-6)


def test_small_games_have_no_states_to_compare(ranked: SequenceGame) -> None:
    leduc = compile_source("leduc")
    with pytest.raises(SoulreadError, match="'leduc' are not both card abstractions"):
        shared_states(leduc, ranked, 1)


def test_equilibria_of_coarser_abstractions(
    ranked: SequenceGame, suited: SequenceGame, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Our own comes first, then our own with slips, then those of abstractions with fewer states."""
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path))
    monkeypatch.setattr(other_equilibria, "ABSTRACTIONS", ("hs:2-1-1-1", "4-4-4-4"))
    monkeypatch.setattr("soulread.seqform.source.Source.compile", lambda source, tell=None: suited)
    solved: list[str] = []
    theirs = random_behaviours(suited, seed=5)

    def solve(source, tell=None):
        solved.append(source.name)
        return type("Found", (), {"behaviours": theirs})

    monkeypatch.setattr(other_equilibria, "find_equilibrium", solve)
    own = random_behaviours(ranked, seed=6)
    found = equilibria_of_abstractions(ranked, own)
    assert (solved, len(found)) == (["limit:hs:2-1-1-1:quick"], 3)
    told = retell(theirs, suited, ranked)
    for seat, tree in enumerate(ranked.trees):
        assert_array_equal(found[0][seat], own[seat])
        for number, pair, share in ((1, own, 0.02), (2, told, 0.005)):
            for block, _, rows in list(tree.blocks())[:: tree.num_blocks // 5]:
                mixed = (1 - share) * pair[seat][rows] + share / len(tree.actions[block])
                assert_allclose(found[number][seat][rows], mixed, atol=1e-6)
    equilibria_of_abstractions(ranked, own)
    assert len(solved) == 1  # the second time it comes from the cache


def test_equilibria_of_a_small_game() -> None:
    game, own = compile_source("kuhn"), equilibrium_of("kuhn").behaviours
    found = many_equilibria(game, own)
    assert len(found) == 2 + len(METHODS)
    assert_array_equal(found[1][0], own[0])
    mean = np.mean([plan_from_behaviour(game.trees[0], pair[0]) for pair in found[1:]], axis=0)
    assert_allclose(plan_from_behaviour(game.trees[0], found[0][0]), mean, atol=1e-12)
