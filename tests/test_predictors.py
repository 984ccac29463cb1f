"""Predictors of actions: what each learns, beside scikit-learn, on disk, and in competition."""

import json
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from test_features import hand_of, played

from soulread.errors import DamagedFile, SoulreadError
from soulread.games.named import parse_game
from soulread.hands.hand import Hand
from soulread.model.loki.model import PRIOR
from soulread.model.predict.features import NUM_FEATURES, FeatureRows, no_counts, rows_of, styles_before
from soulread.model.predict.files import load_net, save_net
from soulread.model.predict.networks import (
    BoostedTrees,
    Net,
    NetSettings,
    TreeSettings,
    chances_of,
    continue_trees,
    forest_of,
    net_of,
    train_net,
    train_step,
    train_trees,
)
from soulread.model.predict.predictors import (
    KINDS,
    ActionPredictor,
    BoostingPredictor,
    CompetingPredictors,
    FrequencyTable,
    NetPredictor,
    count_cells,
    generic_inputs,
    generic_net,
    load_predictor,
    memories,
    players_of,
    save_predictor,
)
from soulread.model.weights_by_prediction import Weighing

QUICK = TreeSettings(rounds=4, rate=0.3, leaves=4, least=3)


def hands(count: int = 40, game: str = "ring-limit:3", seed: int = 2) -> list[Hand]:
    rng = np.random.default_rng(seed)
    rules = parse_game(game)
    return [hand_of(played(rules, rng)) for _ in range(count)]


def random_net(seed: int = 0, hidden: int = 5) -> Net:
    rng = np.random.default_rng(seed)
    sizes = (NUM_FEATURES, hidden), (hidden,), (hidden, 3), (3,)
    return Net(*(rng.normal(size=size) for size in sizes))


def small(kind: str) -> ActionPredictor:
    """A predictor of each kind that learns within a few hands."""
    made: dict[str, ActionPredictor] = {
        "table": FrequencyTable(window=10, decay=0.9),
        "net": NetPredictor(random_net(), rate=0.05, soften=0.5),
        "boosting": BoostingPredictor(random_net(), first=10, own=QUICK),
        "competing": CompetingPredictors(
            {"table": FrequencyTable("12"), "net": NetPredictor(random_net(), rate=0.1)}, keep=0.9
        ),
    }
    return made[kind]


def data(count: int = 300, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    inputs = np.round(rng.random((count, 6)), 2)
    scores = inputs @ rng.normal(size=(6, 3)) * 3
    return inputs, scores.argmax(axis=1)


class TestBesideSklearn:
    def test_a_net_gives_what_sklearn_gives(self) -> None:
        from sklearn.neural_network import MLPClassifier

        inputs, action = data()
        learner = MLPClassifier((7,), max_iter=3, random_state=0, tol=0.0, n_iter_no_change=10)
        with pytest.warns(UserWarning, match="Maximum iterations"):
            learner.fit(inputs, action)
        free = np.ones((len(inputs), 3), np.bool_)
        assert_allclose(
            chances_of(net_of(learner).scores(inputs), free), learner.predict_proba(inputs), atol=1e-12
        )

    def test_trees_give_what_sklearn_gives(self) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier

        inputs, action = data()
        learner = HistGradientBoostingClassifier(max_iter=5, random_state=0).fit(inputs, action)
        free = np.ones((len(inputs), 3), np.bool_)
        fresh = np.random.default_rng(5).random((200, 6))
        made = forest_of(learner)
        inner = np.flatnonzero(made.feature >= 0)[:200]
        at_thresholds = inputs[: inner.size].copy()
        at_thresholds[np.arange(inner.size), made.feature[inner]] = made.threshold[inner]
        for rows in (inputs, fresh, at_thresholds):
            assert_allclose(
                chances_of(forest_of(learner).scores(rows), free[: len(rows)]),
                learner.predict_proba(rows),
                atol=1e-12,
            )

    def test_a_step_is_that_of_sklearn(self) -> None:
        """Plain stochastic gradient descent, row by row, where everything is legal."""
        from sklearn.neural_network import MLPClassifier

        inputs, action = data(8)
        learner = MLPClassifier(
            (4,), solver="sgd", learning_rate_init=0.1, momentum=0.0, alpha=0.0, batch_size=1, random_state=1
        )
        learner.partial_fit(inputs[:1], action[:1], classes=[0, 1, 2])
        net = net_of(learner)
        for row in range(1, 8):
            learner.partial_fit(inputs[row : row + 1], action[row : row + 1])
        free = np.ones((7, 3), np.bool_)
        train_step(inputs[1:], free, action[1:], 0.1, net)
        for ours, theirs in zip(net.tensors().values(), net_of(learner).tensors().values(), strict=True):
            assert_allclose(ours, theirs, atol=1e-12)

    def test_a_step_follows_the_gradient_over_legal_actions(self) -> None:
        inputs, _ = data(1)
        legal, action = np.array([[False, True, True]]), np.array([2])
        net = Net(*(np.random.default_rng(3).normal(size=size) for size in ((6, 4), (4,), (4, 3), (3,))))

        def loss(other: Net) -> float:
            return -float(np.log(chances_of(other.scores(inputs), legal)[0, 2]))

        moved = net.copy()
        train_step(inputs, legal, action, 1.0, moved)
        for name, weights in net.tensors().items():
            for place in np.ndindex(weights.shape):
                changed = net.copy()
                array = changed.tensors()[name]
                array[place] += 1e-6
                slope = (loss(changed) - loss(net)) / 1e-6
                assert weights[place] - moved.tensors()[name][place] == pytest.approx(slope, abs=1e-5)

    def test_training_learns_and_knows_every_action(self) -> None:
        inputs, action = data(600)
        inputs, action = inputs[action > 0], action[action > 0]  # nobody folds
        free = np.ones((len(inputs), 3), np.bool_)
        for made in (
            train_net(inputs, action, NetSettings(hidden=8, rate=0.01, epochs=20)),
            train_trees(inputs, action, TreeSettings(rounds=20)),
        ):
            given = chances_of(made.scores(inputs), free)
            assert (given.argmax(axis=1) == action).mean() > 0.9
            assert (given > 0).all()

    def test_boosting_goes_on_where_somebody_ended(self) -> None:
        """Each tree is fitted to what the chances so far lack; the scores of all add up."""
        from sklearn.ensemble import HistGradientBoostingRegressor

        inputs, action = data()
        legal = np.ones((len(inputs), 3), np.bool_)
        legal[::3, 0] = action[::3] == 0
        start = np.random.default_rng(4).normal(size=(len(inputs), 3))
        made = continue_trees(inputs, legal, action, start, QUICK)
        scores = start.copy()
        for _ in range(QUICK.rounds):
            given = chances_of(scores, legal)
            for k in range(3):
                tree = HistGradientBoostingRegressor(
                    max_iter=1, learning_rate=1.0, max_leaf_nodes=4, min_samples_leaf=3, random_state=0
                )
                tree.set_params(early_stopping=False)
                scores[:, k] += QUICK.rate * tree.fit(inputs, (action == k) - given[:, k]).predict(inputs)
        assert_allclose(start + made.scores(inputs), scores, atol=1e-12)

        def loss(given: np.ndarray) -> float:
            return -float(np.log(chances_of(given, legal)[np.arange(len(action)), action]).mean())

        assert loss(scores) < loss(start) - 0.1

    def test_without_sklearn_there_is_one_sentence(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "sklearn.neural_network", None)
        with pytest.raises(SoulreadError, match=r"training needs scikit-learn; install the extra 'ml'"):
            train_net(*data(10))


class TestPredictors:
    @pytest.mark.parametrize("kind", KINDS)
    def test_read_back_it_predicts_the_same_and_learns_on(self, kind: str, tmp_path) -> None:
        seen, fresh = hands(), hands(12, seed=4)
        first = small(kind).fit(seen, "seat 1")
        file = tmp_path / "bob.predictor"
        save_predictor(file, first, "Bob")
        second, player = load_predictor(file)
        assert player == "Bob"
        assert type(second) is type(first)
        assert second.num_hands == 40
        for hand in fresh:
            rows = rows_of([hand])
            assert_array_equal(first.foresee(rows), second.foresee(rows))
            first.update(hand, "seat 1")
            second.update(hand, "seat 1")
        if isinstance(first, CompetingPredictors):
            assert isinstance(second, CompetingPredictors)
            assert_array_equal(first.history, second.history)

    def test_a_damaged_file_is_refused(self, tmp_path) -> None:
        file = tmp_path / "bob.predictor"
        save_predictor(file, small("net"), "Bob")
        content = bytearray(file.read_bytes())
        content[-3] ^= 1
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(DamagedFile, match="is damaged"):
            load_predictor(tmp_path / "bad")
        save_net(tmp_path / "net", random_net(), "nothing")
        with pytest.raises(SoulreadError, match="is a generic net, not a predictor of a player"):
            load_predictor(tmp_path / "net")
        with pytest.raises(SoulreadError, match="is the predictor of a player, not a generic net"):
            load_net(file)
        assert_array_equal(load_net(tmp_path / "net").w1, random_net().w1)
        with pytest.raises(SoulreadError, match="a net or trees of 6 inputs"):
            NetPredictor(Net(np.zeros((6, 2)), np.zeros(2), np.zeros((2, 3)), np.zeros(3)))

    def test_trees_that_lead_nowhere_are_refused(self) -> None:
        tensors = train_trees(*data(), QUICK).tensors()
        BoostedTrees.from_tensors(tensors)
        for name, wrong in (
            ("left", np.zeros_like(tensors["left"])),
            ("feature", tensors["feature"] + 7),
            ("roots", tensors["roots"] + 10**6),
            ("target", tensors["target"] + 3),
        ):
            with pytest.raises(DamagedFile, match="do not fit together"):
                BoostedTrees.from_tensors({**tensors, name: wrong})

    @pytest.mark.parametrize("kind", KINDS)
    def test_chances_are_over_legal_actions(self, kind: str) -> None:
        predictor = small(kind).fit(hands(20), "seat 0")
        rows = rows_of(hands(15, seed=6))
        given = predictor.foresee(rows)
        assert_allclose(given.sum(axis=1), 1)
        assert (given[~rows.legal] == 0).all()
        assert (given >= 0).all()

    def test_a_table_counts(self) -> None:
        """(k generic + n own) / (k + n) in each context, with and without the previous action."""
        seen = rows_of(hands(30))
        own = seen.take(seen.seat == 1)
        generic = count_cells(rows_of(hands(60, seed=11)))
        for contexts in ("12", "davidson"):
            table = FrequencyTable(contexts, generic, prior=7)
            for number in range(30):
                table.learn(own.take(own.hand == number))
            coarse = 7 if contexts == "12" else 1
            given = table.foresee(own)
            start = FrequencyTable(contexts, generic, prior=7).foresee(own)
            for i in range(len(own)):
                alike = (own.context // coarse == own.context[i] // coarse) & (
                    own.legal[:, 2] == own.legal[i, 2]
                )
                counts = np.bincount(own.action[alike & own.chosen], minlength=3)
                assert_allclose(given[i], (7 * start[i] + counts) / (7 + counts.sum()))

    def test_generic_frequencies_are_shares(self) -> None:
        rows = rows_of(hands(200, seed=12))
        table = FrequencyTable(generic=count_cells(rows))
        busiest = np.bincount(rows.context).argmax()
        for may_raise in (False, True):
            alike = rows.take((rows.context == busiest) & (rows.legal[:, 2] == may_raise) & rows.chosen)
            if len(alike) > 20:
                shares = np.bincount(alike.action, minlength=3) / len(alike)
                assert_allclose(table.foresee(alike)[0], shares, atol=0.02)

    def test_a_window_remembers_the_last_hands_alone(self) -> None:
        seen = hands(30)
        recent = FrequencyTable(window=8).fit(seen, "seat 2")
        few = FrequencyTable().fit(seen[-8:], "seat 2")
        assert_allclose(recent.observed, few.observed, atol=1e-9)
        fading = FrequencyTable(decay=0.5).fit(seen, "seat 2")
        weights = [0.5 ** (29 - number) for number in range(30)]
        rows = rows_of(seen)
        counts = np.zeros_like(fading.observed)
        for i in np.flatnonzero(rows.chosen & (rows.seat == 2)):
            counts[2 * rows.context[i] + rows.legal[i, 2], rows.action[i]] += weights[rows.hand[i]]
        present = {int(hand) for hand in rows.hand[rows.seat == 2]}
        assert len(present) == 30
        assert_allclose(fading.observed, counts, atol=1e-12)
        both = FrequencyTable(window=8, decay=0.5).fit(seen, "seat 2")
        assert_allclose(both.observed, FrequencyTable(decay=0.5).fit(seen[-8:], "seat 2").observed, atol=1e-9)

    def test_a_net_without_a_rate_learns_style_alone(self) -> None:
        seen = hands()
        still = NetPredictor(random_net(), rate=0.0).fit(seen, "seat 0")
        assert_array_equal(still.net.w1, random_net().w1)
        rows = rows_of(hands(5, seed=6))
        assert np.abs(still.foresee(rows) - NetPredictor(random_net(), rate=0.0).foresee(rows)).max() > 1e-3

    def test_a_net_is_softened_by_the_mistakes_it_made(self) -> None:
        seen = hands()
        plain = NetPredictor(random_net(), rate=0.05)
        half, full = (NetPredictor(random_net(), rate=0.05, soften=soften) for soften in (0.5, 1.0))
        counts = np.zeros((3, 3))
        for hand in seen:
            rows = rows_of([hand])
            every = rows.take(rows.seat == 0)
            styles = styles_before(every, np.zeros(len(every), np.int64), plain.counts[None].copy())
            own, before = every.take(every.chosen), np.hstack([every.situation, styles])[every.chosen]
            for i, told in enumerate(plain.chances(before, own).argmax(axis=1) if len(own) else ()):
                counts[own.action[i], told] += 1
            for net in (plain, half, full):
                net.update(hand, "seat 0")
        for net in (plain, half, full):
            assert_array_equal(net.confusion, counts)
        assert counts.sum() > 20
        rows = rows_of(hands(5, seed=6))
        given = plain.foresee(rows)
        share = (counts + PRIOR * np.eye(3)) / (counts.sum(axis=0) + PRIOR)
        for i in range(len(rows)):
            twin = [sum(share[a, j] * given[i, j] for j in range(3)) * rows.legal[i, a] for a in range(3)]
            expected = np.array(twin) / sum(twin)
            assert_allclose(full.foresee(rows)[i], expected, atol=1e-12)
            assert_allclose(half.foresee(rows)[i], (given[i] + expected) / 2, atol=1e-12)
        full.reset()
        assert full.confusion.sum() == 0
        fresh = NetPredictor(random_net(), rate=0.05)
        assert_allclose(full.foresee(rows), fresh.foresee(rows))  # a net that has not erred is trusted

    def test_the_net_that_comes_with_soulread_knows_poker(self) -> None:
        """First to act at a table of ten most people fold, some call, and a few raise."""
        net = NetPredictor()
        assert net.generic is generic_net()
        game = parse_game("ring-limit:10")
        state = game.start().deal(range(20))
        view = state.view(state.player)
        answer = net.probabilities(view, view.to_act)
        assert answer[0] > answer[1] > answer[2] > 0.01

    def test_trees_of_the_players_own_are_grown_in_time(self) -> None:
        seen = hands(40)
        eager, lazy = small("boosting"), small("boosting")
        rows = rows_of(hands(5, seed=6))
        for hand in seen:
            eager.update(hand, "seat 0")
            eager.foresee(rows)
            lazy.update(hand, "seat 0")
        assert_array_equal(eager.foresee(rows), lazy.foresee(rows))
        never = BoostingPredictor(random_net(), first=0).fit(seen, "seat 0")
        assert_allclose(
            never.foresee(rows), NetPredictor(random_net(), rate=0.0).fit(seen, "seat 0").foresee(rows)
        )
        assert np.abs(never.foresee(rows) - lazy.foresee(rows)).max() > 0.01

    def test_generic_inputs_leave_players_out(self) -> None:
        seen = hands(20)
        inputs, rows = generic_inputs(seen, ["seat 1"])
        whole = rows_of(seen)
        names, player = players_of(whole, seen)
        assert names == ["seat 0", "seat 1", "seat 2"]
        assert_array_equal(player, whole.seat)
        kept = whole.chosen & (whole.seat != 1)
        assert len(rows) == kept.sum()
        styles = styles_before(whole, player, no_counts(3))
        assert_array_equal(inputs, np.hstack([whole.situation, styles])[kept])

    def test_wrong_settings_are_refused(self) -> None:
        for make, message in (
            (lambda: FrequencyTable("13"), "contexts=13; expected 12 or davidson"),
            (lambda: FrequencyTable(prior=0), "prior=0; expected above 0"),
            (lambda: FrequencyTable(window=-1), "window=-1"),
            (lambda: FrequencyTable(decay=1.5), "decay=1.5"),
            (lambda: NetPredictor(random_net(), rate=2), "rate=2; expected at least 0 and at most 1"),
            (lambda: BoostingPredictor(random_net(), first=-1), "first=-1"),
            (lambda: CompetingPredictors({}), "needs members"),
            (lambda: CompetingPredictors(memories(random_net()), keep=0), "keep=0"),
        ):
            with pytest.raises(SoulreadError, match=message):
                make()


class TestCompetition:
    def test_weights_follow_what_was_foretold(self) -> None:
        """By hand: w^keep, then the drift, then times the chances given."""
        weighing = Weighing(np.array([0.25, 0.75]), drift=0.1, keep=0.5)
        assert weighing.judge(np.array([0.5, 0.25])) == pytest.approx(0.25 * 0.5 + 0.75 * 0.25)
        first = np.array([0.125, 0.1875]) / 0.3125
        assert_allclose(weighing.weights, first)
        faded = np.array([0.25, 0.75]) * (first / np.array([0.25, 0.75])) ** 0.5
        mixed = 0.9 * faded / faded.sum() + 0.1 * np.array([0.25, 0.75])
        weighing.judge(np.array([0.2, 0.9]))
        after = mixed * np.array([0.2, 0.9])
        assert_allclose(weighing.weights, after / after.sum())

    def test_a_hand_is_as_likely_as_all_its_decisions_together(self) -> None:
        rows = rows_of(hands(60))
        own = rows.take((rows.seat == 1) & rows.chosen)
        longest = own.take(own.hand == np.bincount(own.hand).argmax())
        assert len(longest) > 1
        nets = {"a": NetPredictor(random_net(1), 0.0), "b": NetPredictor(random_net(2), 0.0)}
        both = CompetingPredictors(nets, keep=1.0, drift=0.0)
        given = [net.foresee(longest)[np.arange(len(longest)), longest.action] for net in nets.values()]
        both.learn(longest)
        whole = np.array([np.prod(chances) for chances in given])
        assert_allclose(both.history[-1], whole / whole.sum())

    def test_a_player_who_changes_is_followed(self) -> None:
        """First the player always calls, then always raises: the short memory takes over, and is better."""
        rows = rows_of(hands(300, "limit", seed=9))
        own = rows.take((rows.seat == 0) & rows.legal[:, 2])
        numbers = np.unique(own.hand)
        style = [1 if n < len(numbers) // 2 else 2 for n in range(len(numbers))]
        long, short = FrequencyTable(), FrequencyTable(window=10)
        together = CompetingPredictors({"long": FrequencyTable(), "short": FrequencyTable(window=10)}, 0.9)
        losses = np.zeros(3)
        for n, hand in enumerate(numbers):
            part = own.take(own.hand == hand)
            done = FeatureRows(
                part.situation,
                np.full(len(part), style[n]),
                part.legal,
                part.context,
                part.hand,
                part.seat,
            )
            for i, predictor in enumerate((long, short, together)):
                losses[i] -= np.log(predictor.foresee(done)[np.arange(len(done)), done.action]).sum()
                predictor.learn(done)
        half = len(numbers) // 2
        history = together.history
        assert history.shape == (len(numbers), 2)
        assert_allclose(history.sum(axis=1), 1)
        assert history[half - 1, 0] > 0.5  # what lasts is known best by the long memory
        assert history[half + 15, 1] > 0.9
        assert losses[2] < losses[0]
        assert losses[2] < min(losses[:2]) + np.log(2) * 3

    def test_settings_are_json(self) -> None:
        made = CompetingPredictors(memories(random_net()))
        assert json.loads(json.dumps(made.settings())) == made.settings()
        assert len(made.members) == 6
