"""The experiment bayes-relational: nothing of the test games is used but to judge."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from test_relational_model import NAMES, simulated, styled

from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.hands.hand import Hand, Sight
from soulread.hands.store import Store as HandStore
from soulread.model.relational.bayes import Correction, TreeLearned, log_likelihoods
from soulread.model.relational.examples import Games, Question, askable, games_of
from soulread.model.relational.player_types import TypeBounds
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.ponsen_2008 import relational as experiment
from soulread.reproduce.ponsen_2008.changed_player import (
    WAYS,
    ChangeScores,
    _decisions_learnt,
    changes_among,
    games_learnt,
    judge_change,
)
from soulread.reproduce.ponsen_2008.player_models import (
    EVERYBODY,
    SPLITS,
    fit_player,
    fit_priors,
    judge_group,
    read_games,
    split_games,
    training_games,
)
from soulread.tasks import ResultStore, Task, TaskResult

COUNT = 240


def timed(hands: Sequence[Hand]) -> list[Hand]:
    return [replace(hand, time=datetime.fromtimestamp(n, UTC)) for n, hand in enumerate(hands)]


def marked(hand: Hand, number: int) -> Hand:
    """Another game altogether, at the same time: other actions, other cards, everybody's cards shown."""
    other = styled(1, 1000 + number)[0]
    if other.showdown:
        return replace(other, time=hand.time, players=tuple(reversed(hand.players)))
    return replace(other, time=hand.time, players=hand.players, sights=(Sight.UNSEEN,) * 6)


def prepared(hands: Sequence[Hand], split: str) -> tuple[Games, np.ndarray, TypeBounds]:
    games = games_of(hands)
    test = split_games(games, split, 3)
    return games, test, games.learn_types(~test)


def trees(correction: Correction) -> list[np.ndarray]:
    return [column for learned in correction if isinstance(learned, TreeLearned) for column in learned.tree]


@pytest.mark.compiled
@pytest.mark.parametrize("split", SPLITS)
def test_nothing_of_the_test_games_reaches_training_priors_or_types(split: str) -> None:
    """All test games are replaced by marked ones: whatever is learned stays the same, bit for bit."""
    hands = timed(simulated())
    games, test, bounds = prepared(hands, split)
    others = [marked(hand, n) if test[n] else hand for n, hand in enumerate(hands)]
    changed, same_test, same_bounds = prepared(others, split)
    assert_array_equal(test, same_test)
    assert test.sum() == round(0.2 * COUNT)
    assert bounds == same_bounds
    kept, also_kept = (~test[one.decisions.hand] for one in (games, changed))
    for column, same in zip(games.decisions.rows, changed.decisions.rows, strict=True):
        was, now = np.asarray(column), np.asarray(same)
        assert_array_equal(was[kept], now[also_kept])  # the types of players among them
    bob = games.number_of("bob")
    assert changed.number_of("bob") == bob
    learned = []
    for one in (games, changed):
        found: list[np.ndarray] = []
        priors = fit_priors(one, test, [bob], "tree", 300, 1)
        for question, prior in priors.items():
            training = training_games(one, test, bob, 60, split, 1)
            assert not test[training].any()
            found += trees(prior)
            found += trees(fit_player(one, training, bob, question, prior, "tree", None, 1))
        learned.append((found, priors))
    for column, same in zip(learned[0][0], learned[1][0], strict=True):
        assert_array_equal(column, same)
    # The test part is what is judged, so there the marks are seen; and training games do matter.
    likely = []
    for one in (games, changed):
        own = np.flatnonzero(test[one.decisions.hand] & (one.player == bob))
        judged = askable(one, own, Question.ACTION)
        likely.append(log_likelihoods([learned[0][1][Question.ACTION]], one, judged, Question.ACTION).sum())
    assert likely[0] != likely[1]
    first = int(np.flatnonzero(~test)[0])
    moved = [
        marked(hand, n) if n in range(first, first + 40) and not test[n] else hand
        for n, hand in enumerate(hands)
    ]
    spoiled, _, _ = prepared(moved, split)
    again = trees(fit_priors(spoiled, test, [bob], "tree", 300, 1)[Question.ACTION])
    before = trees(learned[0][1][Question.ACTION])
    assert any(
        one.shape != other.shape or (one != other).any() for one, other in zip(before, again, strict=True)
    )


@pytest.mark.compiled
def test_a_prior_knows_nothing_of_the_players_it_is_judged_on() -> None:
    """The decisions of bob in training games are replaced: the prior for bob stays the same."""
    hands = timed(simulated())
    games, test, _ = prepared(hands, "random")
    bob = games.number_of("bob")
    action = games.decisions.action.copy()
    own = games.player == bob
    action[own] = 2 - action[own]
    changed = replace(games, decisions=games.decisions._replace(action=action))
    for question in (Question.ACTION,):
        first, second = (fit_priors(one, test, [bob], "tree", 300, 1)[question] for one in (games, changed))
        for column, same in zip(trees(first), trees(second), strict=True):
            assert_array_equal(column, same)


def test_splits() -> None:
    games, test, _ = prepared(timed(simulated()), "time")
    assert test[-48:].all()
    assert not test[:-48].any()
    latest = training_games(games, test, 0, 5, "time", 1)
    everything = training_games(games, test, 0, 0, "time", 1)
    assert_array_equal(latest, everything[-5:])
    drawn = training_games(games, test, 0, 50, "random", 1)
    assert set(training_games(games, test, 0, 20, "random", 1)) <= set(drawn)
    with pytest.raises(SoulreadError, match="split=odd"):
        split_games(games, "odd", 1)


@pytest.mark.compiled
def test_the_experiment_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "hands.db"
    with HandStore.open(path) as store:
        store.add(timed(simulated()))
    monkeypatch.setattr(experiment, "hands_of", lambda *_, **__: path)
    monkeypatch.setattr(experiment, "SPLITS", ("random",))
    setup = experiment.RelationalSetup(2, (40, 0), 1, 300, None, 1)
    assert setup.task(path, "random", EVERYBODY, ["bob"]).parameters["sizes"] == [40, 0]
    assert setup.task(path, "random", "boosted", ["bob"]).parameters["sizes"] == [0]
    monkeypatch.setattr(experiment.RelationalSetup, "of", classmethod(lambda *_: setup))
    data = tmp_path / "data.phhs"
    data.write_text("")
    (tmp_path / "data.json").write_text('{"players": {"bob": {}, "eva": {}}}')
    options = RunOptions(data=(str(data),), store=ResultStore(tmp_path / "results"))
    report = experiment.relational(options)
    assert report.tables[0].title == "log-likelihood of the outcome, random split"
    texts = [claim.text for claim in report.claims]
    assert "the prior is better than uninformed (action, random split)" in texts
    assert len(report.figures) == 3
    paper = [text for text in texts if text.startswith(f"{EVERYBODY}: from 200 games")]
    assert len(paper) == 2  # the paper's own method is judged at all sizes
    assert plain_data(report)["settings"]["players"] == 2
    assert "400 games after a change the model is better than the prior (action; all games)" in texts
    values = judge_group(str(path), "random", "tree", ["bob"], [0], 300, 1)
    assert np.isfinite(values["model"]).all()
    assert (np.asarray(values["tests"]) > 0).all()


def test_what_is_learnt_of_a_player_who_changes() -> None:
    before, after = np.arange(1000), np.arange(2000, 2800)
    for way, size, first, later in (
        ("all", 300, before, after[:300]),
        ("fresh", 300, before[:0], after[:300]),
        ("window", 300, before[-100:], after[:300]),
        ("window", 0, before[-400:], after[:0]),
        ("window", 800, before[:0], after[-400:]),
    ):
        found = games_learnt(way, before, after[:size])
        assert_array_equal(found[0], first)
        assert_array_equal(found[1], later)
    assert changes_among([4, 7, 9]) == [(7, 4), (9, 7), (4, 9)]


@pytest.mark.compiled
def test_a_model_of_a_player_who_changed_learns_the_new_one(tmp_path: Path) -> None:
    """Simulated players of different styles: games of the old one mislead, those of the new one help."""
    path = tmp_path / "hands.db"
    with HandStore.open(path) as store:
        store.add(timed(simulated()))
    values = judge_change(str(path), ["bob", "eva"], 120, [0, 120], 300, 1)
    scores = ChangeScores([TaskResult(Task(judge_change, {}), values, 0.0)], (0, 120))  # type: ignore[arg-type]
    assert scores.num_players == 2
    for question in (Question.ACTION, Question.OUTCOME):
        assert_array_equal(scores.samples(question, "fresh", 0), 0)  # nothing learnt: the prior
        assert_array_equal(scores.samples(question, "all", 0), scores.samples(question, "window", 0))
    assert np.isfinite(np.asarray(values["model"])).all()
    action = [scores.gain(Question.ACTION, way, 120) for way in WAYS]
    assert all(gain is not None and gain.n == 2 for gain in action)
    games = read_games(str(path))
    test = split_games(games, "time", 1)
    games.learn_types(~test)
    bob, eva = games.number_of("bob"), games.number_of("eva")
    chosen = _decisions_learnt(games, test, eva, bob, 50, 30, "all", 1)
    assert not test[games.decisions.hand[chosen]].any()
    own = games.player[chosen]
    assert set(own.tolist()) == {bob, eva}
    assert len(set(games.decisions.hand[chosen][own == eva].tolist())) <= 50
    hands = games.decisions.hand[chosen][own == bob]
    first = training_games(games, test, bob, 0, "time", 1)[:30]
    assert set(hands.tolist()) <= set(first.tolist())


def test_whom_to_judge(tmp_path: Path) -> None:
    path = tmp_path / "hands.db"
    with HandStore.open(path) as store:
        store.add(timed(simulated())[:30])
    assert set(experiment.players_of_store(path, ())) <= set(NAMES)
    data = tmp_path / "data.phhs"
    data.write_text("")
    (tmp_path / "data.json").write_text("[]")
    with pytest.raises(SoulreadError, match="is no index of players"):
        experiment.players_of_store(path, [str(data)])
    with pytest.raises(SoulreadError, match="needs hands of no-limit"):
        experiment.relational(RunOptions())
