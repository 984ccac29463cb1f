"""Treeplexes, payoffs and strategies: against recursions over histories and known sizes."""

import known_values as known
import naive_seqform as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from soulread.errors import ShapeError, SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.seqform import payoff as payoff_module
from soulread.seqform.compile import (
    PrivateStates,
    compile_factored,
    compile_game,
    enumerate_states,
    factored_game,
)
from soulread.seqform.payoff import FactoredPayoff, SparsePayoff, find_blocks, multiply_few
from soulread.seqform.strategy import (
    Plan,
    behaviour_from_plan,
    in_precision,
    mix_behaviours,
    mix_plans,
    move_behaviour,
    plan_from_behaviour,
    prefer_actions,
    random_behaviour,
    uniform_behaviour,
    uniform_plan,
    verify_behaviour,
    verify_plan,
)
from soulread.seqform.treeplex import ListedLabels, ProductLabels, make_treeplex

POKER = [kuhn(), leduc(suit_isomorphic=True), leduc()]
SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize(
    ("game", "size"),
    list(zip(POKER, [known.KUHN_SIZE, known.LEDUC_ISOMORPHIC_SIZE, known.LEDUC_SIZE], strict=True)),
    ids=lambda item: getattr(item, "name", None),
)
@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
def test_sizes(compiler, game, size):
    compiled = compiler(game)
    for tree in compiled.trees:
        assert (tree.num_sets, tree.num_sequences) == size
    assert compiled.payoff.zero_sum
    assert compiled.name == game.name


@pytest.mark.parametrize("game", POKER, ids=lambda game: game.name)
def test_sparse_and_factored_payoffs_agree(game):
    sparse, factored = compile_game(game), compile_factored(game)
    rng = np.random.default_rng(3)
    for player in (0, 1):
        own, other = factored.trees[player], factored.trees[1 - player]
        behaviour = random_behaviour(other, rng)
        moved = move_behaviour(other, sparse.trees[1 - player], behaviour)
        expected = sparse.payoff.gradient(player, plan_from_behaviour(sparse.trees[1 - player], moved))
        gradient = factored.payoff.gradient(player, plan_from_behaviour(other, behaviour))
        index = sequence_map(own, sparse.trees[player])
        assert_allclose(gradient, expected[index], atol=1e-12, rtol=0)
        dense = factored.payoff.matrix(player).toarray()
        rows, columns = index, sequence_map(other, sparse.trees[1 - player])
        assert_allclose(dense, sparse.payoff.matrix(player).toarray()[np.ix_(rows, columns)], atol=1e-15)
        assert isinstance(factored.payoff, FactoredPayoff)
        single = factored.payoff.astype(np.float32)
        result = single.gradient(player, in_precision(plan_from_behaviour(other, behaviour), np.float32))
        assert result.dtype == np.float32
        assert_allclose(result, gradient, atol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("filled", [0.0, 0.1, 0.5, 1.0])
def test_products_of_few_entries_are_products(filled, dtype):
    rng = np.random.default_rng(5)
    rows = np.where(rng.random((9, 30)) < filled, rng.random((9, 30)), 0).astype(dtype)
    matrix = rng.normal(size=(30, 30)).astype(dtype)
    out = np.full((9, 30), np.nan, dtype=dtype)
    multiply_few(rows[:, 3:21], matrix[:18, :18].copy(), out[:, 2:20])
    expected = naive_rows_product(rows[:, 3:21], matrix[:18, :18])
    assert_allclose(out[:, 2:20], expected, atol=1e-5 if dtype == np.float32 else 1e-12)
    assert np.isnan(np.delete(out, range(2, 20), axis=1)).all()


def naive_rows_product(rows, matrix):
    return [
        [sum(float(r) * float(m) for r, m in zip(row, column, strict=True)) for column in matrix.T]
        for row in rows
    ]


@pytest.mark.parametrize("blocks", [2, 256])
def test_plans_with_many_zeros_give_the_same_gradients(monkeypatch, blocks):
    calls = []
    monkeypatch.setattr(payoff_module, "_SMALLEST_SPLIT", blocks)
    monkeypatch.setattr(payoff_module, "_SMALLEST_FEW", 2)
    monkeypatch.setattr(payoff_module, "_FEW", 0.6)

    def noted(rows, matrix, out):
        calls.append(len(rows))
        multiply_few(rows, matrix, out)

    monkeypatch.setattr(payoff_module, "multiply_few", noted)
    game = compile_factored(leduc())
    for player in (0, 1):
        for order in ((1, 0), (2, 1), (0, 1)):
            tree = game.trees[1 - player]
            plan = plan_from_behaviour(tree, prefer_actions(tree, order))
            found = game.payoff.gradient(player, plan)
            assert_allclose(found, game.payoff.matrix(player) @ plan, atol=1e-12)
    few = len(calls)
    game.payoff.gradient(0, uniform_plan(game.trees[1]))
    assert 0 < few == len(calls)


def sequence_map(source, target):
    """The number in ``target`` of each sequence of ``source``."""
    index = np.zeros(source.num_sequences, dtype=int)
    for j in range(source.num_sets):
        found = target.index(source.label(j))
        assert source.public_history(j) == target.public_history(found)
        numbers = np.arange(target.num_sequences)
        index[source.sequences(j)] = numbers[target.sequences(found)]
    return index


@given(naive.random_games(), SEEDS)
@settings(max_examples=60)
def test_gradient_and_value_of_random_games(game, seed):
    compiled = compile_game(game)
    rng = np.random.default_rng(seed)
    behaviours = [naive.sparse_behaviour(tree, rng) for tree in compiled.trees]
    plans = [plan_from_behaviour(tree, b) for tree, b in zip(compiled.trees, behaviours, strict=True)]
    labelled = [naive.as_labels(tree, b) for tree, b in zip(compiled.trees, behaviours, strict=True)]
    assert compiled.value(*plans) == pytest.approx(naive.value(game.start(), labelled), abs=1e-12)
    for player in (0, 1):
        tree = compiled.trees[player]
        gradient = compiled.payoff.gradient(player, plans[1 - player])
        slow = naive.gradient(game.start(), player, labelled[1 - player])
        assert gradient[0] == pytest.approx(slow[None], abs=1e-12)
        for j in range(tree.num_sets):
            expected = [slow[tree.label(j), action] for action in tree.legal_actions(j)]
            assert_allclose(gradient[tree.sequences(j)], expected, atol=1e-12)
        verify_behaviour(tree, behaviours[player])
        verify_plan(tree, plans[player])


@given(naive.random_games(), SEEDS)
@settings(max_examples=60)
def test_plan_and_behaviour_are_opposites(game, seed):
    for tree in compile_game(game).trees:
        behaviour = naive.sparse_behaviour(tree, np.random.default_rng(seed))
        plan = plan_from_behaviour(tree, behaviour)
        back = behaviour_from_plan(tree, plan)
        for j in range(tree.num_sets):
            rows = tree.sequences(j)
            reach = plan[tree.parent_sequence[j]]
            assert_allclose(plan[rows], reach * behaviour[rows], atol=1e-15)
            expected = behaviour[rows] if reach > 0 else 1 / len(tree.legal_actions(j))
            assert_allclose(back[rows], expected, atol=1e-12)


@given(naive.random_games())
@settings(max_examples=40)
def test_structure_of_random_treeplexes(game):
    compiled = compile_game(game)
    for tree in compiled.trees:
        assert sum(tree.num_actions) == tree.num_sequences - 1
        numbers = np.arange(tree.num_sequences)
        covered = [0]
        for j in range(tree.num_sets):
            rows = numbers[tree.sequences(j)]
            covered += list(rows)
            assert tree.index(tree.label(j)) == j
            assert rows[0] == tree.set_sequence[j]
            assert rows.size == tree.num_actions[j] == len(tree.legal_actions(j))
            assert_array_equal(tree.sequence_set[rows], j)
            assert rows.size == 1 or rows[1] - rows[0] == tree.width[j]
            assert tree.parent_sequence[j] < rows[0]
        assert sorted(covered) == list(numbers)
    histories = compiled.histories
    assert histories is not None
    assert histories.player.size == histories.first_child[-1]
    assert np.all(histories.information_set[histories.player < 0] == -1)


def test_labels_of_leduc():
    tree = compile_game(leduc()).trees[1]
    j = tree.index("Qs|Kh|crc/c")
    assert tree.public_history(j) == "Kh|crc/c"
    assert tree.legal_actions(j) == (1, 2)
    with pytest.raises(SoulreadError, match=r"player 1 has no information set 'Zz'; they are written like '"):
        tree.index("Zz")


def test_product_labels():
    labels = ProductLabels(("", "c/"), (0, 1), (("weak", "strong"), ("w", "s|high", "s|low")))
    assert len(labels) == 5
    assert [labels.label(j) for j in range(5)] == ["weak|", "strong|", "w|c/", "s|high|c/", "s|low|c/"]
    assert [labels.index(labels.label(j)) for j in range(5)] == list(range(5))
    assert [labels.public_history(j) for j in (0, 2, 3)] == ["", "c/", "high|c/"]
    assert labels.index("w|r/") == labels.index("strong|c/") == labels.index("") == -1
    with pytest.raises(ShapeError, match="1 betting nodes but 2 rounds"):
        ProductLabels(("",), (0, 1), (("weak",), ("w",)))


def random_states(rng, factor, dtype=np.float64):
    """Private states of hold'em nobody could hold: ``factor`` times as many in every round, any chances."""
    size = factor**4
    chance = rng.random((size, size))
    reach = (chance + chance.T) / (chance + chance.T).sum()
    win = reach * rng.random((size, size)) / 2
    reaches, wins = [reach.astype(dtype)], [win.astype(dtype)]
    for r in (3, 2, 1):
        shape = (factor**r, factor, factor**r, factor)
        reaches.insert(0, reaches[0].reshape(shape).sum(axis=(1, 3)))
        wins.insert(0, wins[0].reshape(shape).sum(axis=(1, 3)))
    return PrivateStates(
        names=tuple(tuple(str(s) for s in range(factor ** (r + 1))) for r in range(4)),
        parent=tuple((np.arange(factor ** (r + 1)) // factor).astype(np.int32) for r in range(4)),
        reach=tuple(reaches),
        win=tuple(wins),
    )


def test_factored_holdem():
    rng = np.random.default_rng(1)
    game = factored_game(limit_holdem(), random_states(rng, 2))
    assert sum(tree.num_sets for tree in game.trees) == sum(
        nodes * 2 ** (r + 1) for r, nodes in enumerate(known.LIMIT_DECISIONS)
    )
    assert game.payoff.zero_sum
    for player in (0, 1):
        plan = plan_from_behaviour(game.trees[1 - player], random_behaviour(game.trees[1 - player], rng))
        gradient = game.payoff.gradient(player, plan)
        assert_allclose(gradient, game.payoff.matrix(player) @ plan, atol=1e-12)


@pytest.mark.compiled
def test_factored_holdem_with_five_buckets_a_round():
    states = random_states(np.random.default_rng(1), 5, np.float32)
    game = factored_game(limit_holdem(), states)
    assert game.trees[0].num_sets + game.trees[1].num_sets == known.LIMIT_FIVE_BUCKET_SETS
    plans = [uniform_plan(tree, np.float32) for tree in game.trees]
    first, second = (plans[i] @ game.payoff.gradient(i, plans[1 - i]) for i in (0, 1))
    assert first == pytest.approx(-second, abs=1e-3)
    tree = game.trees[1]
    assert tree.index(tree.label(tree.num_sets - 7)) == tree.num_sets - 7
    with pytest.raises(SoulreadError, match=r"with [\d,]+ entries is too large to write out"):
        game.payoff.matrix(0)


class Forgetful:
    """A player who moves twice and forgets his first move."""

    name = "forgetful"
    num_players = 2

    def __init__(self, path=()):
        self.path = path

    def start(self):
        return Forgetful()

    @property
    def player(self):
        return 0 if len(self.path) < 2 else TERMINAL

    def legal_actions(self):
        return (0, 1)

    def apply(self, action):
        return Forgetful((*self.path, action))

    def payoffs(self):
        return (1.0, -1.0)

    def information(self, seat):
        return f"move {len(self.path) + 1}"

    def public(self):
        return ""

    def action_name(self, action):
        return "left" if action == 0 else "right"


def test_imperfect_recall_is_refused_with_two_histories():
    with pytest.raises(
        SoulreadError,
        match="'forgetful' has imperfect recall: player 0 sees 'move 2' in two histories in which that "
        "player knew or did different things before: 'left' and 'right'",
    ):
        compile_game(Forgetful())


def test_other_games_that_cannot_be_compiled(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Forgetful, "payoffs", lambda self: (1.0, 1.0))
        patch.setattr(Forgetful, "information", lambda self, seat: str(self.path))
        with pytest.raises(
            SoulreadError, match="'forgetful' is not zero-sum: after left left the payoffs are 1"
        ):
            compile_game(Forgetful())
    with monkeypatch.context() as patch:
        patch.setattr(Forgetful, "legal_actions", lambda self: (0, 1) if self.path != (1,) else (0,))
        with pytest.raises(
            SoulreadError, match=r"different actions: 'left' allows \(0, 1\) and 'right' allows"
        ):
            compile_game(Forgetful())
    with monkeypatch.context() as patch:
        patch.setattr(Forgetful, "player", CHANCE)
        patch.setattr(Forgetful, "chance_outcomes", lambda self: [(0, 0.5), (1, 0.4)], raising=False)
        with pytest.raises(
            SoulreadError, match=r"chance of 'forgetful' after the start has probabilities \["
        ):
            compile_game(Forgetful())
    with monkeypatch.context() as patch:
        patch.setattr(Forgetful, "num_players", 3)
        with pytest.raises(SoulreadError, match="'forgetful' has 3 players; the sequence form needs 2"):
            compile_game(Forgetful())
    with pytest.raises(SoulreadError, match="'leduc' has more than 1,000 histories"):
        compile_game(leduc(), max_histories=1000)
    with pytest.raises(
        SoulreadError, match=r"has 55,627,620,048,000 deals; at most 1,000,000 can be enumerated"
    ):
        compile_factored(limit_holdem())
    with pytest.raises(SoulreadError, match="'leduc' has 2 rounds, but there are states for 4"):
        factored_game(leduc(), random_states(np.random.default_rng(1), 2))


def test_treeplexes_that_are_not():
    labels = ListedLabels(("a", "b"), ("", ""))
    with pytest.raises(ShapeError, match=r"information set 1 \('b'\) has parent sequence 3"):
        make_treeplex(0, [((0, 1), [0]), ((0, 1), [3])], labels)
    with pytest.raises(ShapeError, match=r"2 information sets, but .* and 1 labels"):
        make_treeplex(0, [((0, 1), [0, 0])], ListedLabels(("a",), ("",)))
    with pytest.raises(SoulreadError, match="two information sets are called 'a'"):
        ListedLabels(("a", "b", "a"), ("",) * 3)
    with pytest.raises(ShapeError, match="2 labels but 1 public histories"):
        ListedLabels(("a", "b"), ("",))


def test_uniform_play_of_poker():
    for game, expected in zip(POKER, [0.125, -0.078125, -0.078125], strict=True):
        for compiled in (compile_game(game), compile_factored(game)):
            plans = [uniform_plan(tree) for tree in compiled.trees]
            assert compiled.value(*plans) == pytest.approx(expected, abs=1e-12)


def test_mixtures():
    tree = compile_game(kuhn()).trees[0]
    bold, timid = prefer_actions(tree, (2, 1)), prefer_actions(tree, (0, 1))
    plans = [plan_from_behaviour(tree, behaviour) for behaviour in (bold, timid)]
    once = mix_plans(0.25, *plans)
    verify_plan(tree, once)
    bet = tree.sequences(tree.index("Js||"))
    assert_allclose(once[bet], [0.75, 0.25])
    again = tree.sequences(tree.index("Js||cr"))
    assert_allclose(behaviour_from_plan(tree, once)[again], [1, 0])  # who checked was the timid one
    each = mix_behaviours(tree, 0.25, bold, timid)
    assert_allclose(each[again], [0.75, 0.25])
    weights = np.zeros(tree.num_sets)
    weights[tree.index("Js||cr")] = 1
    some = mix_behaviours(tree, weights, bold, timid)
    assert_allclose(some[again], [0, 1])
    assert_allclose(some[bet], timid[bet])
    for probability in (-0.1, 1.1, np.nan):
        with pytest.raises(SoulreadError, match="is not a probability; it must lie between 0 and 1"):
            mix_plans(probability, *plans)
        with pytest.raises(SoulreadError, match="is not a probability"):
            mix_behaviours(tree, probability, bold, timid)


def test_strategies_that_are_not():
    game = compile_game(kuhn())
    tree = game.trees[0]
    behaviour = uniform_behaviour(tree)
    with pytest.raises(
        ShapeError, match=r"the behaviour has shape \(12,\), but the treeplex of player 0 has 13"
    ):
        verify_behaviour(tree, behaviour[1:])
    with pytest.raises(ShapeError, match=r"the opponent's plan has shape \(3,\), but player 1 has 13"):
        game.payoff.gradient(0, Plan(np.ones(3)))
    with pytest.raises(SoulreadError, match="player 2; a two-player game has players 0 and 1"):
        game.payoff.gradient(2, uniform_plan(tree))
    j = tree.index("Js||cr")
    wrong = behaviour.copy()
    wrong[tree.sequences(j)] = [0.5, 0.4]
    with pytest.raises(SoulreadError, match=r"probabilities of player 0 at 'Js\|\|cr' sum to 0.9, not to 1"):
        verify_behaviour(tree, wrong)
    wrong[tree.sequences(j)] = [1.5, -0.5]
    with pytest.raises(
        SoulreadError, match=r"the behaviour of player 0 has -0.5 at sequence \d+; probabilities"
    ):
        verify_behaviour(tree, wrong)
    with pytest.raises(SoulreadError, match=r"reaches '\ws\|\|cr' with 0.5 but its actions there sum to 1"):
        verify_plan(tree, behaviour)
    wrong[0] = 0.5
    with pytest.raises(SoulreadError, match=r"starts with 0.5; the empty sequence has 1"):
        verify_plan(tree, np.where(wrong < 0, 0, wrong))
    with pytest.raises(
        SoulreadError, match=r"none of the actions \(7,\) is legal at '\ws\|\|', which allows \(1, 2\)"
    ):
        prefer_actions(tree, (7,))


def test_payoffs_with_wrong_shapes():
    payoff = compile_game(kuhn()).payoff
    assert isinstance(payoff, SparsePayoff)
    rows = payoff.rows
    with pytest.raises(
        ShapeError, match="payoffs of player 0 name sequences 0 to 99, but the opponent has 13"
    ):
        SparsePayoff(
            (rows[0]._replace(column=np.linspace(0, 99, rows[0].column.size).astype(np.int32)), rows[1])
        )
    with pytest.raises(ShapeError, match="payoffs of player 1: 30 columns, 29 utilities"):
        SparsePayoff((rows[0], rows[1]._replace(utility=rows[1].utility[1:])))


def test_checksums_tell_games_apart():
    games = [compiler(game) for game in POKER for compiler in (compile_game, compile_factored)]
    assert len({game.checksum for game in games}) == len(games)
    assert compile_game(kuhn()).checksum == games[0].checksum


# Public parts of private states --------------------------------------------------------------------


def test_blocks_give_the_gradients_of_the_whole(monkeypatch):
    """In Leduc the board card is public: six blocks in the second round, whose states are shuffled."""
    rng = np.random.default_rng(1)
    states = enumerate_states(leduc())
    order = rng.permutation(len(states.names[1]))
    states = PrivateStates(
        names=(states.names[0], tuple(states.names[1][i] for i in order)),
        parent=(states.parent[0], states.parent[1][order]),
        reach=(states.reach[0], states.reach[1][np.ix_(order, order)]),
        win=(states.win[0], states.win[1][np.ix_(order, order)]),
    )
    whole = factored_game(leduc(), states)
    assert isinstance(whole.payoff, FactoredPayoff)
    assert all(blocks.plain for blocks in whole.payoff._blocks)
    monkeypatch.setattr(payoff_module, "_SMALLEST_SPLIT", 2)
    split = factored_game(leduc(), states)
    assert isinstance(split.payoff, FactoredPayoff)
    assert [len(blocks.bounds) for blocks in split.payoff._blocks] == [1, 6]
    for player in (0, 1):
        plan = plan_from_behaviour(tree := split.trees[1 - player], random_behaviour(tree, rng))
        found = split.payoff.gradient(player, plan)
        assert found == pytest.approx(whole.payoff.gradient(player, plan), abs=1e-12)
        assert abs(split.payoff.matrix(player) - whole.payoff.matrix(player)).max() < 1e-12


def test_blocks_leave_out_what_never_comes_up(monkeypatch):
    monkeypatch.setattr(payoff_module, "_SMALLEST_SPLIT", 2)
    reach = np.zeros((6, 6))
    reach[np.ix_([0, 3], [0, 3])] = 0.1
    reach[np.ix_([1, 5], [1, 5])] = 0.1
    blocks = find_blocks(reach)
    assert blocks.order.tolist() == [0, 3, 1, 5, 2, 4]
    assert blocks.bounds == ((0, 2), (2, 4))
    reach[0, 1] = reach[1, 0] = 0.01
    assert find_blocks(reach).bounds == ((0, 4),)  # four of six: 16 of 36 numbers
    reach[2, 0] = reach[0, 2] = 0.01
    assert find_blocks(reach).plain  # five of six would save too little
