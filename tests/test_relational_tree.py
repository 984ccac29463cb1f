"""Relational trees: semantics against enumerated bindings, gains, known leaves, pruning, words and files."""

from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from naive_relational import all_tests, naive_gain, naive_leaf, satisfied, smoothed_by_hand
from numpy.testing import assert_allclose, assert_array_equal
from test_situation import play

from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.hands.record import seen_by
from soulread.model import situation as facts
from soulread.model.relational.language import NONE, NUM_PLAYER, PLAYER, Language, QueryKind
from soulread.model.relational.sentences import words
from soulread.model.relational.tree import (
    Examples,
    GrowthSettings,
    Tree,
    _best_test,
    _Bound,
    _tree,
    fill,
    grow,
    held_out_games,
    join,
    leaf_of,
    odds_of,
    players_of,
    prune,
    rules_of,
    score,
    stump,
    tree_arrays,
    tree_from,
)
from soulread.model.situation import FactRows, situations_of

LOOSE = GrowthSettings(smooth=1.0, least_gain=1e-6, least_leaf=1.0, depth=6, held_out=0.0)


@lru_cache
def rows(hands: int = 60, seed: int = 5) -> FactRows:
    """Situations of simulated hands of six, with types drawn anew in each."""
    rng = np.random.default_rng(seed)
    game = parse_game("nolimit:players=6")
    played = [seen_by(play(game, rng)[-1][0], None) for _ in range(hands)]
    types = rng.integers(0, 64, (hands, 4))
    types[:, 1] &= ~types[:, 0]
    types[:, 3] &= ~types[:, 2]
    return situations_of(played, types).rows


def examples(count: int, seed: int, parts: int = 3) -> Examples:
    """Examples at random situations, with random actions, outcomes and labels."""
    rng = np.random.default_rng(seed)
    situations = rows()
    return Examples(
        situations,
        rng.integers(0, situations.actor.size, count),
        rng.integers(0, 3, count).astype(np.uint8),
        rng.integers(0, facts.NUM_SIZES, count).astype(np.uint8),
        rng.integers(0, 3, count).astype(np.uint8),
        rng.integers(0, 20, (count, 8)).astype(np.uint8),
        rng.integers(0, parts, count).astype(np.uint8),
        rng.integers(0, 2, count).astype(np.uint8),
        rng.random(count) + 0.1,
        np.arange(count),
    )


def random_tree(rng: np.random.Generator, depth: int = 5) -> Tree:
    """A tree of random tests, each legal where it stands."""
    nodes: list[list[Any]] = []

    def make(level: int, bound: int) -> int:
        number = len(nodes)
        nodes.append([int(QueryKind.LEAF), 0, NONE, -1, -1, rng.random(3), rng.random(3)])
        if level < depth:
            listed = all_tests(Language(), bound)
            about = [test for test in listed if test[0] >= QueryKind.SOME]
            kind, a, b = about[rng.integers(len(about))] if rng.random() < 0.8 else listed[rng.integers(300)]
            nodes[number][:3] = [kind, a, b]
            nodes[number][3] = make(level + 1, min(2, bound + (kind in (QueryKind.SOME, QueryKind.LINK))))
            nodes[number][4] = make(level + 1, bound)
        return number

    make(0, 0)
    return _tree(nodes, 1.0)


@pytest.mark.parametrize("seed", range(4))
def test_a_query_holds_if_some_choice_of_players_satisfies_all_of_it(seed: int) -> None:
    """Walks down trees of random tests, against enumerating Q and R."""
    rng, chosen = np.random.default_rng(seed), examples(60, seed)
    room = np.zeros(10, np.uint16)
    reached = set()
    for _ in range(6):
        tree = random_tree(rng)
        expected = [naive_leaf(tree, chosen, m) for m in range(chosen.size_of)]
        reached |= set(expected)
        for m, leaf in enumerate(expected):
            found = leaf_of(
                tree,
                0,
                chosen.rows,
                chosen.row[m],
                chosen.action[m],
                chosen.size[m],
                chosen.outcome[m],
                chosen.cards[m],
                room,
            )
            assert found == leaf
        assert_allclose(odds_of(tree, chosen), tree.odds[expected, chosen.part])
        counted = fill(tree, chosen)
        for part in range(3):
            weights = chosen.weight * (chosen.part == part) * (chosen.label == 1)
            assert counted.ones[0, part] == pytest.approx(weights.sum())
        leaves = np.flatnonzero(tree.kind == QueryKind.LEAF)
        ones = np.bincount(expected, chosen.weight * chosen.label, minlength=tree.kind.size)
        assert_allclose(counted.ones.sum(axis=1)[leaves], ones[leaves])
    assert len(reached) > 10


@pytest.mark.compiled
def test_the_best_test_has_the_largest_gain_of_all() -> None:
    """Every test of the language, at nodes with no, one and two variables bound."""
    chosen = examples(40, 9)
    base = players_of(chosen.rows, chosen.row)
    language = Language()
    some, link = (
        (int(QueryKind.SOME), facts.IN, NONE, 0),
        (int(QueryKind.LINK), 2 * len(facts.RELATIONS), NONE, 1),
    )
    for query in ([], [some], [some, link]):
        members = [m for m in range(chosen.size_of) if satisfied(chosen, m, query)]
        assert len(members) > 20
        in_hand = base[facts.IN]
        r = np.zeros((len(members), 10), np.uint16)
        for n, m in enumerate(members):
            for seat in range(10):
                if int(in_hand[m]) >> seat & 1:
                    r[n, seat] = in_hand[m] & ~np.uint16(1 << seat)
        bound = _Bound(len(query), in_hand[members], r if len(query) == 2 else r[:0])
        total = np.zeros((3, 2))
        for m in members:
            total[chosen.part[m], chosen.label[m]] += chosen.weight[m]
        found = _best_test(chosen, np.array(members), bound, base, language, LOOSE, total)
        assert found is not None
        tests = all_tests(language, len(query))
        tests = [*tests[:: 1 + len(tests) // 150], found]  # enough of the many
        gains = [naive_gain(chosen, members, query, test) for test in tests]
        assert found in tests
        assert gains[tests.index(found)] == pytest.approx(max(gains))


def test_known_leaves() -> None:
    """Two groups of decisions, told apart by one number; the odds are worked out by hand, to 1e-9."""
    situations = rows()
    early = np.flatnonzero(situations.numbers[:, facts.ROUND] == 0)[:1].repeat(20)
    late = np.flatnonzero(situations.numbers[:, facts.ROUND] > 0)[:1].repeat(20)
    chosen = examples(40, 1)._replace(
        row=np.concatenate([early, late]),
        part=np.zeros(40, np.uint8),
        label=np.array([1] * 15 + [0] * 5 + [1] * 4 + [0] * 16, np.uint8),
        weight=np.repeat([1.0, 0.5], 20),
    )
    only = Language(action=False, sizes=False, outcome=False, players=())
    settings = GrowthSettings(smooth=3.0, least_gain=0.1, least_leaf=1.0, depth=1, held_out=0.0)
    tree = grow(chosen, only, settings)
    assert tree.num_leaves == 2
    yes, no = (15.0, 5.0), (2.0, 8.0)
    if situations.numbers[late[0], tree.a[0]] >= tree.b[0]:
        yes, no = no, yes
    for node, counts in ((tree.yes[0], yes), (tree.no[0], no)):
        p = smoothed_by_hand([(17.0, 13.0), counts], 3.0)
        assert tree.odds[node, 0] == pytest.approx(np.log(p / (1 - p)), abs=1e-9)
        assert tree.probability(int(node)) == pytest.approx(p, abs=1e-9)
        assert (tree.ones[node, 0], tree.zeros[node, 0]) == pytest.approx(counts)


def planted(count: int, seed: int) -> Examples:
    """Label 1 if some player is aggressive and has raised in an earlier round: one and the same player."""
    made, situations = examples(count, seed, parts=1), rows(120, seed)
    later = np.flatnonzero(situations.numbers[:, facts.ROUND] > 0)
    chosen = np.random.default_rng(seed).choice(later, count)
    made = made._replace(rows=situations, row=chosen, weight=np.ones(count))
    sets = players_of(made.rows, made.row)
    same = (sets[facts.AGGRESSIVE] & sets[facts.RAISED_BEFORE]) > 0
    return made._replace(label=same.astype(np.uint8))


def accuracy(tree: Tree, chosen: Examples) -> float:
    return float(((odds_of(tree, chosen) > 0) == chosen.label).mean())


def test_a_planted_relational_rule_is_recovered() -> None:
    """No test with one literal, nor any tree of such tests, can say that both are true of the same player."""
    train, test = planted(1500, 1), planted(1500, 2)
    language = Language(action=False, sizes=False, outcome=False, table=False)
    settings = GrowthSettings(least_gain=4.0, least_leaf=10.0, depth=8)
    whole = grow(train, language, settings)
    text = rules_of(whole)[0].conditions[0]
    assert "aggressive" in text
    assert "raised in an earlier round" in text
    assert accuracy(whole, test) == 1.0
    # Without conjunctions the second literal is asked of the Q that was found first.
    carried = grow(train, language._replace(conjunctions=False), settings)
    assert accuracy(carried, test) > 0.99
    text = " ".join(condition for rule in rules_of(carried) for condition in rule.conditions)
    assert "Q raised in an earlier round" in text or "Q is aggressive" in text
    alone = grow(train, language._replace(relational=False), settings)
    assert accuracy(alone, test) < 0.95
    assert alone.num_leaves > 1


def test_noise_is_pruned_away() -> None:
    chosen = examples(2000, 3)
    grown = grow(chosen, Language(), GrowthSettings(least_gain=2.0, least_leaf=5.0, depth=6, held_out=0.0))
    assert grown.num_leaves > 5
    pruned = grow(chosen, Language(), GrowthSettings(least_gain=2.0, least_leaf=5.0, depth=6, held_out=0.3))
    assert pruned.num_leaves < 4
    again = grow(chosen, Language(), GrowthSettings(least_gain=2.0, least_leaf=5.0, depth=6, held_out=0.3))
    for column, same in zip(pruned, again, strict=True):
        assert_array_equal(column, same)


def test_without_a_game_to_hold_out_nothing_is_learned() -> None:
    """All examples come from game 0, which is held out, or from game 1, which is not."""
    for game in (0, 1):
        chosen = planted(400, 4)._replace(group=np.full(400, game))
        assert held_out_games(chosen, GrowthSettings()).all() == (game == 0)
        assert grow(chosen, Language(action=False, outcome=False)).num_leaves == 1
        assert not grow(chosen, Language(action=False, outcome=False)).odds.any()


def test_pruning_keeps_what_held_out_games_confirm() -> None:
    train, held_out = planted(800, 4), planted(400, 5)
    tree = grow(
        train, Language(action=False, outcome=False), GrowthSettings(held_out=0.0, least_gain=0.5, depth=8)
    )
    kept = prune(tree, held_out)
    assert kept is not None
    assert accuracy(kept, held_out) == 1.0
    turned = held_out._replace(label=(1 - held_out.label).astype(np.uint8))
    assert prune(tree, turned) is None  # worse than 1/2 on the labels turned round
    nothing = prune(stump(), held_out)
    assert nothing is None


def test_pruning_cuts_off_what_is_noise_below_a_rule() -> None:
    """Every seventh label is wrong: a tree without pruning goes on below the rule, a pruned one does not."""
    train, clean = planted(800, 4), planted(400, 5)
    wrong = np.arange(800) % 7 == 0
    noisy = train._replace(label=np.where(wrong, 1 - train.label, train.label).astype(np.uint8))
    language = Language(action=False, sizes=False, outcome=False)
    tree = grow(noisy, language, GrowthSettings(held_out=0.0, least_gain=1.0, least_leaf=3.0, depth=8))
    kept = prune(tree, clean)
    assert kept is not None
    assert tree.num_leaves > 8
    assert kept.num_leaves < tree.num_leaves / 2
    assert accuracy(kept, clean) > 0.99


def test_forests_add_odds() -> None:
    rng, chosen = np.random.default_rng(1), examples(30, 4)
    trees = [random_tree(rng, 3) for _ in range(3)]
    forest, room, scores = join(trees), np.zeros(10, np.uint16), np.zeros(3)
    for m in range(chosen.size_of):
        score(
            forest,
            chosen.rows,
            chosen.row[m],
            chosen.action[m],
            chosen.size[m],
            chosen.outcome[m],
            chosen.cards[m],
            room,
            scores,
        )
        leaves = [naive_leaf(tree, chosen, m) for tree in trees]
        expected = sum(tree.odds[leaf] for tree, leaf in zip(trees, leaves, strict=True))
        assert_allclose(scores, expected)
    assert join([]).roots.size == 0


def test_a_tree_reads_as_rules() -> None:
    rng = np.random.default_rng(2)
    tree = random_tree(rng, 4)
    rules = rules_of(tree)
    assert len(rules) == tree.num_leaves
    assert all(1 <= len(rule.conditions) <= 5 for rule in rules)
    text = rules[0].text(("fold", "call", "raise"))
    assert text.startswith("if ")
    assert "fold p = 0." in text
    for bound in range(3):
        for kind, a, b in all_tests(Language(), bound):
            assert len(words(kind, a, b, bound)) > 5
    assert words(QueryKind.SOME, facts.TO_ACT, facts.AGGRESSIVE, 0) == (
        "there is a player Q: Q is still to act and Q is aggressive"
    )
    assert words(QueryKind.BOUND, facts.RAISED_BEFORE, NONE, 1) == "Q raised in an earlier round"
    assert len(PLAYER) == NUM_PLAYER - 1


def test_files() -> None:
    tree = random_tree(np.random.default_rng(3), 3)
    arrays = tree_arrays(tree, "x")
    for column, same in zip(tree, tree_from(arrays, "x"), strict=True):
        assert_array_equal(column, same)
    with pytest.raises(SoulreadError, match=r"has no array 'y\.kind'"):
        tree_from(arrays, "y")
    for name, value in (("x.yes", -1), ("x.no", 99), ("x.kind", 40), ("x.odds", np.nan)):
        damaged = {key: column.copy() for key, column in arrays.items()}
        damaged[name][0] = value
        with pytest.raises(SoulreadError, match="is not whole"):
            tree_from(damaged, "x")
    with pytest.raises(SoulreadError, match="smooth must be positive"):
        GrowthSettings(smooth=0.0)
