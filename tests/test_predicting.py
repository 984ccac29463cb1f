"""Judging predictors: scores by hand, the study of a player, the command, the experiment."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose, assert_array_equal
from test_features import hand_of, played
from test_predictors import random_net

from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.hands.hand import Hand
from soulread.hands.store import Store as HandStore
from soulread.model.predict.features import NAMES, FeatureRows, rows_of
from soulread.model.predict.networks import Net
from soulread.model.predict.predictors import ActionPredictor, FrequencyTable, NetPredictor, load_predictor
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.vrijhof_2011 import action_prediction as experiment
from soulread.reproduce.vrijhof_2011.predictor_tasks import PREDICTORS, TimeSplit, people_of
from soulread.study.predict import predicting
from soulread.study.predict.predicting import study_predictor
from soulread.study.predict.scores import (
    COMMONEST,
    COMMONEST_LEGAL,
    calibration,
    confusion,
    hands_in_time,
    importance,
    predict_in_order,
)
from soulread.tasks import ResultStore, Task, TaskResult

START = datetime(2000, 3, 1, tzinfo=UTC)


def session(count: int, game: str = "ring-limit:3", seed: int = 2, days: int = 20) -> list[Hand]:
    """Hands of three random players in the order of time; they change seats."""
    rng = np.random.default_rng(seed)
    rules = parse_game(game)
    found = []
    for number in range(count):
        hand = hand_of(played(rules, rng))
        names = tuple(f"player {(seat + number) % len(hand.players)}" for seat in range(len(hand.players)))
        time = START + timedelta(days=days) * (number / count)
        found.append(replace(hand, players=names, time=time, id=f"{seed}-{number}", table="h1-nobots"))
    return found


class Fixed(NetPredictor):
    """Gives the same chances everywhere, and notes what it was taught before each answer."""

    def __init__(self) -> None:
        super().__init__(random_net(), 0.0)
        self.taught: list[int] = []
        self.asked: list[tuple[int, int]] = []

    def learn(self, rows: FeatureRows) -> None:
        self.taught += np.unique(rows.hand).tolist()

    def foresee(self, rows: FeatureRows) -> np.ndarray:
        self.asked += [(int(hand), len(self.taught)) for hand in rows.hand]
        given: np.ndarray = np.tile([0.2, 0.5, 0.3], (len(rows), 1)) * rows.legal
        given /= given.sum(axis=1, keepdims=True)
        return given


def test_every_hand_is_foretold_before_it_is_learnt() -> None:
    rows = rows_of(session(20, "limit"))
    own = rows.take(rows.seat == 0)
    fixed = Fixed()
    found = predict_in_order({"fixed": fixed}, own)
    assert fixed.taught == sorted(set(own.hand.tolist()))
    assert all(taught == sorted(set(own.hand.tolist())).index(hand) for hand, taught in fixed.asked)
    assert found.names == (COMMONEST, COMMONEST_LEGAL, "fixed")
    taken = found.given("fixed")[np.arange(found.action.size), found.action]
    assert_allclose(found.loss("fixed"), -np.log(taken))
    assert found.correct("fixed").tolist() == (found.action == 1).tolist()
    whole, by_legal = np.ones(3), np.ones((2, 2, 3))
    for i in range(found.action.size):
        if i and found.hand[i] != found.hand[i - 1]:
            for j in np.flatnonzero(found.hand == found.hand[i - 1]):
                whole[found.action[j]] += 1
                legal = found.legal[j].astype(int)
                by_legal[legal[0], legal[2], found.action[j]] += 1
        assert_allclose(found.given(COMMONEST)[i], whole / whole.sum())
        row = by_legal[int(found.legal[i, 0]), int(found.legal[i, 2])] * found.legal[i]
        assert_allclose(found.given(COMMONEST_LEGAL)[i], row / row.sum())


def test_base_rates_know_the_earlier_hands() -> None:
    """Judged from the middle on, everything is as if all hands had been judged."""
    rows = rows_of(session(20, "limit"))
    own = rows.take(rows.seat == 0)
    later = own.hand >= 10
    whole = predict_in_order({}, own)
    half = predict_in_order({}, own.take(later), own.take(~later))
    judged = whole.known >= np.unique(own.hand[~later]).size
    assert judged.sum() == half.action.size > 0
    assert_array_equal(half.known, whole.known[judged])
    for name in (COMMONEST, COMMONEST_LEGAL):
        assert_allclose(half.given(name), whole.given(name)[judged])


def test_confusion_and_calibration_by_hand() -> None:
    chances = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.0, 0.55, 0.45], [0.72, 0.08, 0.2]])
    action = np.array([0, 1, 2, 1])
    assert_allclose(confusion(chances, action), [[0.25, 0, 0], [0.25, 0.25, 0], [0, 0.25, 0]])
    legal = np.array([[True, True, True]] * 2 + [[False, True, True], [True, True, True]])
    fold, call, raised = calibration(chances, action, legal)
    assert fold.given == pytest.approx((0.1, 0.71))
    assert fold.came == (0.0, 0.5)
    assert fold.count == (1, 2)
    assert sum(call.count) == 4
    assert raised.came == pytest.approx((0.0, 0.0, 1.0))


def test_only_a_feature_that_is_used_matters() -> None:
    """A net that looks at one feature alone loses when that one is shuffled, and only then."""
    rows = rows_of(session(60))
    used = NAMES.index("raises")
    weights = np.zeros((len(NAMES), 1))
    weights[used] = 3.0
    net = Net(weights, np.zeros(1), np.array([[0.0, 2.0, -2.0]]), np.zeros(3))
    kept = rows.take(rows.chosen)
    likeliest = NetPredictor(net, 0.0).foresee(kept).argmax(axis=1)
    obedient = FeatureRows(kept.situation, likeliest, kept.legal, kept.context, kept.hand, kept.seat)
    first, *others = importance(NetPredictor(net, 0.0), obedient)
    assert first[0] == "raises"
    assert first[1] > 0.01
    assert all(rise == pytest.approx(0, abs=1e-12) for _, rise in others)


def test_a_study_splits_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    hands = session(120)
    study = study_predictor(hands[::-1], "player 1", "enhanced")
    assert (study.trained, study.judged, study.generic) == (84, 36, 0)
    assert study.too_few
    assert study.predictor.num_hands == 120 - _absent(hands, "player 1")
    rows = rows_of(hands)
    seats = np.array([hand.seat_of("player 1") for hand in hands])
    own = rows.take(rows.seat == seats[rows.hand])
    twin: ActionPredictor = FrequencyTable()
    for number in np.unique(own.hand[own.hand < 84]):
        twin.learn(own.take(own.hand == number))
    found = predict_in_order({"twin": twin}, own.take(own.hand >= 84))
    score = next(score for score in study.scores if score.name == "enhanced")
    assert score.log_loss.mean == pytest.approx(found.loss("twin").mean())
    assert score.accuracy.mean == pytest.approx(found.correct("twin").mean())
    assert study.confusion.sum() == pytest.approx(1)
    assert json.dumps(plain_data(study), allow_nan=False)
    with pytest.raises(SoulreadError, match="there are 0 hands of 'nobody'; a predictor needs at least 50"):
        study_predictor(hands, "nobody")
    with pytest.raises(SoulreadError, match="'psychic' is not a learner"):
        study_predictor(hands, "player 1", "psychic")
    monkeypatch.setattr(predicting, "LEAST_GENERIC", 100)
    others = study_predictor(hands, "player 1", "enhanced")
    assert others.generic > 100
    assert others.scores[-1].log_loss.mean != score.log_loss.mean


def _absent(hands: list[Hand], player: str) -> int:
    """Hands in which the player had nothing to decide."""
    return sum(all(hand.players[seat] != player for seat, _ in hand.actions) for hand in hands)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("hands") / "hands.db"
    with HandStore.open(path) as opened:
        opened.add(session(80) + session(80, seed=3, days=50)[40:])
    return path


class TestCommand:
    def test_it_tells_saves_and_draws(self, store: Path, tmp_path: Path) -> None:
        file, folder = tmp_path / "one.predictor", tmp_path / "figures"
        run = CliRunner().invoke(
            cli,
            [
                "predict",
                "--db",
                str(store),
                "--player",
                "player 0",
                "-o",
                str(file),
                "--figures",
                str(folder),
            ],
        )
        assert run.exit_code == 0, run.output
        assert "too few hands" in run.output
        assert "commonest legal action" in run.output
        predictor, player = load_predictor(file)
        assert player == "player 0"
        assert predictor.kind == "net"
        names = {path.name for path in folder.iterdir()}
        assert {"predict-calibration.png", "predict-features.svg"} <= names

    def test_a_kept_predictor_is_judged_as_it_is(self, store: Path, tmp_path: Path) -> None:
        arguments = ["predict", "--db", str(store), "--player", "player 0", "--learner", "old", "--json"]
        file = tmp_path / "old.predictor"
        made = json.loads(CliRunner().invoke(cli, [*arguments, "-o", str(file)]).stdout)
        kept = json.loads(CliRunner().invoke(cli, [*arguments, "--load", str(file)]).stdout)
        assert kept["learner"] == "kept"
        assert [score["name"] for score in kept["scores"]][-1] == "kept"
        assert kept["hands_judged"] == made["hands_judged"]
        accuracy = {score["name"]: score["log_loss"]["mean"] for score in kept["scores"]}
        assert accuracy["kept"] < accuracy["old"]  # it has seen the hands on which it is judged
        wrong = CliRunner().invoke(cli, [*arguments[:3], "--player", "player 1", "--load", str(file)])
        assert "is a predictor of 'player 0', not of 'player 1'" in wrong.output

    def test_competing_predictors_show_their_weights(self, store: Path, tmp_path: Path) -> None:
        arguments = ["--db", str(store), "--player", "player 0", "--learner", "competing"]
        run = CliRunner().invoke(cli, ["predict", *arguments, "--json", "--figures", str(tmp_path)])
        assert run.exit_code == 0, run.output
        found = json.loads(run.stdout)
        assert len(found["weights"]) == 6
        assert sum(member["last"] for member in found["weights"]) == pytest.approx(1)
        assert (tmp_path / "predict-weights.svg").exists()

    def test_mistakes_get_one_sentence(self, store: Path, tmp_path: Path) -> None:
        for arguments, message in (
            (["--db", str(store), "--player", "Zoe"], "Zoe"),
            (["--db", str(store), "--data", "x", "--player", "Zoe"], "give either --db or --data"),
            (["--data", str(tmp_path / "none"), "--player", "Zoe"], "none"),
            (["--db", str(store), "--player", "player 0", "-o", "/nowhere/x"], "cannot be written"),
        ):
            run = CliRunner().invoke(cli, ["predict", *arguments])
            assert run.exit_code == 2
            assert message in run.output
            assert len(run.output.strip().splitlines()) == 1


class TestExperiment:
    def test_the_last_month_is_judged(self) -> None:
        hands = hands_in_time(session(100, days=50))
        split = TimeSplit.of(hands, 2)
        assert split.before == 62 + 1  # up to six hours into the first of April
        assert split.hands == 37
        assert len(split.players) == 2
        half = TimeSplit.of(hands_in_time(session(100, days=20)), 3)
        assert (half.before, half.hands) == (50, 50)

    def test_tables_with_bots_are_left_out(self) -> None:
        people = session(6)
        bots = [replace(hand, table="holdem3", source="IRC holdem3") for hand in people[:3]]
        assert people_of([*bots, *people[3:]]) == people[3:]
        assert len(people_of(bots)) == 3

    def test_from_hands_to_verdicts(self, store: Path, tmp_path: Path) -> None:
        log = tmp_path / "hands.jsonl"
        with HandStore.open(store, read_only=True) as opened:
            log.write_text("".join(hand.to_json() + "\n" for _, hand in opened.find()))
        options = RunOptions(quick=True, data=(str(log),), store=ResultStore(tmp_path / "results"))
        report = experiment.prediction(options)
        assert report.settings["players"] == 3
        accuracy = {m.row: m for m in report.tables[0].measures if m.column == experiment.AFTER}
        assert {m.row for m in report.tables[0].measures if m.column != experiment.AFTER} == set(accuracy)
        assert accuracy["old contexts"].paper == 57.3
        assert accuracy["net, specific"].paper == 81.0
        assert set(accuracy) == {COMMONEST, COMMONEST_LEGAL, *PREDICTORS}
        assert report.write(tmp_path / "out")
        with pytest.raises(SoulreadError, match="give their hands with --data"):
            experiment.prediction(RunOptions(quick=True, store=ResultStore(tmp_path / "results")))

    def results(self, gains: dict[str, list[float]]) -> list[TaskResult]:
        """Players with 50 decisions with 0 known hands and 50 with 500; the chance of the action by name."""
        names = (COMMONEST, COMMONEST_LEGAL, *PREDICTORS)
        made = []
        for player in range(12):
            chances = np.full((len(names), 100, 3), 1 / 3)
            for name, (first, second) in gains.items():
                for part, chance in ((slice(0, 50), first), (slice(50, 100), second)):
                    mine = chance + 0.01 * (player % 4)
                    chances[names.index(name), part] = [(1 - mine) / 2, mine, (1 - mine) / 2]
            values = {
                "chances": chances,
                "action": np.ones(100, np.int64),
                "legal": np.ones((100, 3), np.bool_),
                "round": np.repeat([0, 1, 3, 0], 25),
                "known": np.repeat([0, 500], 50),
                "weights": np.full((30, 6), 1 / 6),
                "importance": np.arange(46.0),
            }
            made.append(TaskResult(Task(dict, {}), values, 0.0))
        return made

    def test_verdicts_follow_the_numbers(self) -> None:
        found = self.results(
            {
                COMMONEST_LEGAL: [0.2, 0.2],
                "old contexts": [0.30, 0.30],
                "enhanced contexts": [0.45, 0.45],
                "net, generic": [0.5, 0.5],
                "net, generic with style": [0.48, 0.55],
                "net, specific": [0.48, 0.6],
                "boosting, generic with style": [0.6, 0.6],
                "boosting, specific": [0.6, 0.5],
            }
        )
        assert experiment.loss("old contexts")(found[1]) == pytest.approx(-np.log(0.31))
        assert experiment.loss("net, specific", "net, generic", 400)(found[0]) == pytest.approx(
            np.log(0.5 / 0.6)
        )
        assert experiment.accuracy("net, specific")(found[0]) == 100
        assert experiment.accuracy("old contexts")(found[0]) == 0
        assert experiment.accuracy("net, specific", later=True)(found[0]) == 100
        found[0]["action"][:25] = 0  # before the flop
        assert experiment.accuracy("net, specific")(found[0]) == 75
        assert experiment.accuracy("net, specific", later=True)(found[0]) == 100
        later = experiment.loss("net, specific", later=True)(found[0])
        assert later == pytest.approx(-np.log([0.48, 0.6]).mean())
        found[0]["action"][:25] = 1
        assert experiment.wins_after(found, "net, specific", "net, generic") == 400
        assert experiment.wins_after(found, "boosting, specific", "boosting, generic with style") is None
        claims = {
            claim.text: claim.verdict for claim in experiment.claims_of(found, published("davidson2000"))
        }
        assert claims["the order of the thesis: old contexts, enhanced contexts, net"] == "does not"
        softened = "a net whose triples are softened by its mistakes loses less than the same net"
        assert claims[softened] == "does not"
        assert claims["boosting, specific beats net, specific in accuracy and log-loss"] != "holds"
        assert claims["net, specific loses less than net, generic"] == "holds"
        assert claims["boosting, specific loses less than boosting, generic with style"] == "does not"
