"""Betting trees: their sizes, that they follow the engine, and where strategies keep their sequences."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.games.ring_limit import ring_limit
from soulread.seqform import betting
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import compile_factored
from soulread.seqform.treeplex import ProductLabels

GAMES = [kuhn(), leduc(), leduc(suit_isomorphic=True), limit_holdem()]


def test_limit_has_its_published_decisions() -> None:
    tree = betting_tree(limit_holdem())
    decisions = tree.arrays.round[tree.arrays.player >= 0]
    assert np.bincount(decisions).tolist() == [8, 70, 630, 5670]  # Bowling et al. 2015 count the same tree
    assert tree.arrays.showdown.sum() == 7 * 9 * 9 * 9
    assert tree.max_decisions == (11, 12)
    assert tree.num_sets((5, 25, 125, 625)) == (1_812_145, 1_812_145)
    assert sum(tree.num_sets((8, 96, 384, 1536))) == 8_957_824  # 8-12-4-4 in docs/methods/abstraction.md


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@given(seed=st.integers(0, 2**32 - 1))
def test_follows_the_engine(game, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tree = betting_tree(game)
    state, node = game.start(), 0
    while state.player != TERMINAL:
        if state.player == CHANCE:
            cards = [card for card, _ in state.chance_outcomes()]
            state = state.apply(int(rng.choice(cards)))
            continue
        assert tree.arrays.player[node] == state.player
        assert tree.arrays.round[node] == state.round
        assert tree.betting[node] == state.betting
        assert tree.decision(state.betting) == node
        assert tree.actions[node] == tuple(state.legal_actions())
        position = int(rng.integers(len(tree.actions[node])))
        state = state.apply(tree.actions[node][position])
        node = int(tree.arrays.child[node, position])
    assert tree.arrays.player[node] == TERMINAL
    assert tree.arrays.num_actions[node] == 0
    assert bool(tree.arrays.showdown[node]) == state.showdown
    if state.showdown:
        assert tree.arrays.chips[node].tolist() == [min(state.spent)] * 2
    else:
        assert tuple(tree.arrays.chips[node]) == state.payoffs()


@pytest.mark.parametrize("game", GAMES[:3], ids=lambda game: game.name)
def test_layout_is_that_of_the_treeplexes(game) -> None:
    tree, compiled = betting_tree(game), compile_factored(game)
    labels = compiled.trees[0].labels
    assert isinstance(labels, ProductLabels)
    states = [len(names) for names in labels.states]
    layout = tree.layout(states)
    assert layout.num_sequences == tree.num_sequences(states)
    for seat, treeplex in enumerate(compiled.trees):
        assert treeplex.num_sequences == layout.num_sequences[seat]
        assert treeplex.num_sets == tree.num_sets(states)[seat]
        for node, (block, sets, rows) in zip(tree.decisions(seat), treeplex.blocks(), strict=True):
            assert rows.start == layout.first_sequence[node]
            assert sets.stop - sets.start == states[tree.arrays.round[node]]
            assert treeplex.actions[block] == tree.actions[node]


def test_nodes_stand_parents_first() -> None:
    tree = betting_tree(leduc())
    for node, actions in enumerate(tree.actions):
        assert all(child > node for child in tree.arrays.child[node, : len(actions)])
    children = [child for row in tree.arrays.child for child in row if child >= 0]
    assert sorted(children) == list(range(1, tree.num_nodes))
    assert len(set(itertools.chain(tree.betting))) == tree.num_nodes


def test_refusals() -> None:
    tree = betting_tree(kuhn())
    with pytest.raises(SoulreadError, match="nobody acts after 'cc' in 'kuhn'"):
        tree.decision("cc")
    with pytest.raises(SoulreadError, match="'leduc' has 2 rounds, but there are states for 1"):
        betting_tree(leduc()).layout([6])
    with pytest.raises(SoulreadError, match="'ring-limit:3' has 3 players; the sequence form needs 2"):
        betting_tree(ring_limit(3))


def test_a_tree_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(betting, "MAX_NODES", 1_000)
    with pytest.raises(SoulreadError, match=r"the betting of 'nolimit:.*' has more than 1,000 nodes"):
        betting_tree(parse_game("nolimit:stacks=40"))
