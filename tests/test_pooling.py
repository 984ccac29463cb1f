"""The pooled prior: its classes, its weights by brute force, and what it does to a model."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.model.deviation.model import SeatDeviation
from soulread.model.deviation.pooled_prior import STRENGTH, classes, equilibrium_only, pool
from soulread.observe.counts import PublicCounts
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.public import public_tree
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour
from soulread.solvers.cfr.run import solve
from soulread.solvers.skews import baseline_behaviour

GAME = compile_factored(leduc())


def frequencies(player: int, behaviour):
    tree = GAME.trees[player]
    return public_tree(GAME, player).frequencies(behaviour, plan_from_behaviour(tree, behaviour))


def test_classes():
    public = public_tree(GAME, 0)
    kinds = classes(public)
    names: dict[int, set[str]] = {}
    for n, label in enumerate(public.labels):
        names.setdefault(kinds[n], set()).add(label.partition("|")[2])
    assert set(map(frozenset, names.values())) == {
        frozenset({""}),
        frozenset({"cr"}),
        frozenset({"rr"}),
        frozenset({"cc/", "rc/", "crc/", "rrc/", "crrc/"}),
        frozenset({before + "cr" for before in ("cc/", "rc/", "crc/", "rrc/", "crrc/")}),
        frozenset({before + "rr" for before in ("cc/", "rc/", "crc/", "rrc/", "crrc/")}),
    }
    assert kinds[0] == 0


@settings(max_examples=25)
@given(st.integers(0, 2**32))
def test_weights_are_the_most_likely(seed):
    """Against a grid over the penalised likelihood of each class."""
    rng = np.random.default_rng(seed)
    public = public_tree(GAME, 1)
    kinds = classes(public)
    expected = frequencies(1, random_behaviour(GAME.trees[1], rng))
    counts = rng.poisson(rng.choice([0.1, 2.0]), public.num_cells).astype(np.float64)
    prior = pool(public, kinds, expected, counts)
    grid = np.linspace(1e-4, 1, 4001)
    for kind in range(kinds.max() + 1):
        members = np.flatnonzero(kinds == kind)
        cells = [public.cells(int(n)) for n in members]
        total = np.sum([counts[cell] for cell in cells], axis=0)
        weight = prior.weight[members]
        assert np.ptp(weight) == 0
        if not total.sum():
            assert weight[0] == 1
            continue
        f = total / total.sum()
        likelihood = STRENGTH * np.log(grid)
        for cell in cells:
            assert_allclose(prior.frequency[cell], f, atol=1e-12)
            for c, p, share in zip(counts[cell], expected[cell], f, strict=True):
                likelihood += c * np.log(grid * p + (1 - grid) * share) if c else 0
        assert weight[0] == pytest.approx(grid[np.argmax(likelihood)], abs=0.02)


def test_who_is_pooled():
    """One who always raises is; one who plays the equilibrium is not."""
    public = public_tree(GAME, 0)
    kinds = classes(public)
    sigma = solve(GAME, iterations=200).behaviours[0]
    expected = frequencies(0, sigma)
    raising = frequencies(0, baseline_behaviour(GAME.trees[0], "always-raise"))
    for truth, furthest in ((raising, 0.1), (expected, 0.05)):
        prior = pool(public, kinds, expected, 100 * truth)
        weight = np.repeat(prior.weight, public.arrays.num_actions)
        assert np.abs(weight * expected + (1 - weight) * prior.frequency - truth).max() < furthest
    nothing = pool(public, kinds, expected, np.zeros(public.num_cells))
    assert_array_equal(nothing.weight, equilibrium_only(public).weight)


def test_unseen_histories_are_expected_to_be_like_seen_ones():
    """Always-raise seen on two boards: on the others the model raises too, where the paper's does not."""
    sigma = solve(GAME, iterations=200).behaviours[0]
    counts = PublicCounts(GAME)
    tree = counts.trees[0]
    raising = frequencies(0, baseline_behaviour(GAME.trees[0], "always-raise"))
    seen = [not label.partition("|")[0] or label[:2] in ("Js", "Qh") for label in tree.labels]
    counts.add_table(0, 40 * raising * np.repeat(seen, tree.arrays.num_actions), 1000)
    paper, pooled = (SeatDeviation(GAME, 0, sigma, pooled=flag).fit(counts) for flag in (False, True))
    cell = tree.cells(tree.index("Ks|rc/")).stop - 1
    assert paper.alpha_[cell] == pytest.approx(paper.frequencies[cell])
    assert pooled.alpha_[cell] > max(0.9, paper.alpha_[cell])


def test_labels_without_betting():
    kinds = classes(public_tree(compile_game(kuhn()), 0))
    assert_array_equal(kinds, [0, 1])
