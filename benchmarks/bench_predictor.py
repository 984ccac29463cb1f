"""Time the predictors of actions: features, training, answers in play; beside the slow twin and scikit-learn.

    python benchmarks/bench_predictor.py [--hands N]

Hands are those of random players at a table of six. Times are CPU time of one thread, after compilation.
Every line ends with a checksum of the answer, so that a faster wrong kernel is noticed.
"""

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from naive_features import naive_rows
from test_features import hand_of, played

from soulread.games.named import parse_game
from soulread.model.predict.features import NUM_FEATURES, rows_of, rows_of_view
from soulread.model.predict.networks import NetSettings, TreeSettings, chances_of, train_net, train_trees
from soulread.model.predict.predictors import CompetingPredictors, NetPredictor, generic_inputs, memories

Result = TypeVar("Result")
ACTIONS = 100_000


def timed(work: Callable[[], Result], times: int = 1) -> tuple[float, Result]:
    """CPU seconds of one run, after a first one that is not counted if there are several."""
    result = work() if times > 1 else None
    start = time.process_time()
    for _ in range(times):
        result = work()
    assert result is not None
    return (time.process_time() - start) / times, result


def show(name: str, seconds: float, unit: float, suffix: str, checksum: object, note: str = "") -> None:
    print(f"{name:<58}{seconds * unit:>10.3f} {suffix:<4} {checksum!s:<22}{note}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--hands", type=int, default=2000)
    count = parser.parse_args().hands
    game, rng = parse_game("ring-limit:6"), np.random.default_rng(1)
    states = [played(game, rng) for _ in range(count)]
    hands = [hand_of(one) for one in states]
    ours, rows = timed(lambda: rows_of(hands), 5)
    show("features of a hand, many at once", ours / count, 1e3, "ms", f"{rows.situation.sum():.3f}")
    few = hands[:100]
    twin, naive = timed(lambda: [naive_rows(game, hand.actions, hand.board) for hand in few])
    note = f"{twin / len(few) / (ours / count):,.0f} times as long"
    show("  the twin, state by state", twin / len(few), 1e3, "ms", sum(map(len, naive)), note)
    one, _ = timed(lambda: [rows_of([hand]) for hand in hands], 2)
    show("features of a hand, each alone", one / count, 1e3, "ms", f"{rows.situation.sum():.3f}")
    views = [state.view(0) for point in states for state in point[:-1]]
    live, last = timed(lambda: [rows_of_view(view, view.to_act) for view in views])
    total = sum(float(found.situation[-1].sum()) for found in last)
    show("features of a hand in play, up to a decision", live / len(views), 1e3, "ms", f"{total:.3f}")

    inputs, decisions = generic_inputs(hands)
    times = -(-ACTIONS // len(inputs))
    many, action = np.tile(inputs, (times, 1))[:ACTIONS], np.tile(decisions.action, times)[:ACTIONS]
    seconds, net = timed(lambda: train_net(many, action))
    show(f"training a generic net on {ACTIONS:,} actions", seconds, 1, "s", f"{net.w1.sum():.6f}")
    seconds, trees = timed(lambda: train_trees(many, action))
    show(f"growing generic trees on {ACTIONS:,} actions", seconds, 1, "s", f"{trees.value.sum():.6f}")

    from sklearn.neural_network import MLPClassifier

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings = NetSettings()
        learner = MLPClassifier((settings.hidden,), max_iter=1, random_state=0).fit(
            many[:5000], action[:5000]
        )
    row, legal = inputs[:1], decisions.legal[:1]
    ours, given = timed(lambda: chances_of(net.scores(row), legal), 2000)
    show("a net's answer to one decision", ours, 1e6, "us", f"{given[0, 1]:.9f}")
    theirs, _ = timed(lambda: learner.predict_proba(row), 300)
    show("  scikit-learn's predict_proba", theirs, 1e6, "us", "", f"{theirs / ours:,.0f} times as long")
    seconds, given = timed(lambda: chances_of(trees.scores(row), legal), 500)
    show(f"trees' answer ({TreeSettings().rounds} rounds)", seconds, 1e6, "us", f"{given[0, 1]:.9f}")

    player = NetPredictor(net)
    view = views[7]
    seconds, answer = timed(lambda: player.probabilities(view, view.to_act), 1000)
    show("probabilities(view, seat) of a net", seconds, 1e6, "us", f"{answer[1]:.9f}")
    seconds, _ = timed(lambda: player.fit(hands[:200], "seat 1"), 2)
    show("update(hand) of a net", seconds / 200, 1e6, "us", f"{player.net.w2.sum():.9f}")
    group = CompetingPredictors(memories(net))
    seconds, _ = timed(lambda: group.fit(hands[:200], "seat 1"), 2)
    show("update(hand) of six competing predictors", seconds / 200, 1e6, "us", f"{group.history.sum():.6f}")
    assert many.shape == (ACTIONS, NUM_FEATURES)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
