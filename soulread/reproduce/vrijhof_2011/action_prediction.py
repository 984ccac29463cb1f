"""How well can actions of people be predicted? (Davidson 1999; Davidson, Billings, Schaeffer & Szafron 2000)

The thesis (section V) compares three predictors of opponents' actions: Loki's old contexts, contexts enhanced
by the previous action and the previous amount to call, and neural nets. We judge these, boosted trees and
competing predictors on people who played limit hold'em (``--data``).

*In the order of time.* The last month of the data is judged; with one month alone, its second half. What is
generic is trained on everything before, without the players who are judged. These are the players with the
most hands in the judged part. A specific predictor starts there knowing nothing of its player, and foretells
every hand before it learns it.

*Which actions count.* All decisions with a choice. Foretold is the likeliest legal action; folding counts as
legal only with something to call. A player is a sample: intervals are over players, each with equal weight.

Settings of all predictors were chosen on the month before the judged one, by
``benchmarks/choose_predictor.py``.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.hands.facts import seconds_of
from soulread.hands.hand import Hand
from soulread.hands.store import Query
from soulread.hands.store import Store as HandStore
from soulread.model.predict.features import NAMES, NUM_SITUATION, FeatureRows, no_counts, rows_of, style_of
from soulread.model.predict.networks import BoostedTrees, Net, train_net, train_trees
from soulread.model.predict.predictors import (
    ActionPredictor,
    BoostingPredictor,
    CompetingPredictors,
    FrequencyTable,
    NetPredictor,
    count_cells,
    generic_inputs,
    memories,
    named,
)
from soulread.report.figures import Curve, Figure, Level, Panel
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import Options, published
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable
from soulread.reproduce.kit.verdict import UNKNOWN, above, all_of, below, within
from soulread.storage.tensors import read_tensors
from soulread.study.predict.predicting_terminal import calibration_panel, importance_figure, weights_figure
from soulread.study.predict.scores import (
    ACTIONS,
    BASE_RATES,
    COMMONEST_LEGAL,
    SMALLEST,
    calibration,
    confusion,
    hands_in_time,
    importance,
    predict_in_order,
)
from soulread.tasks import Json, Task, TaskResult, Values, kept_as

VERSION = 2  # raise it when features, predictors or scores change under the same names
PLAYERS = 24
MOST_TRAINED = 300_000  # decisions that train what is generic: the latest
OLD, ENHANCED = "old contexts", "enhanced contexts"
STRANGER, STYLED, NET = "net, generic", "net, generic with style", "net, specific"
TREES, BOOSTING = "boosting, generic with style", "boosting, specific"
COMPETING = "competing"
PREDICTORS = OLD, ENHANCED, STRANGER, STYLED, NET, TREES, BOOSTING, COMPETING
KNOWN = 0, 25, 50, 100, 200, 400, 800  # hands known before, at least
MONTH_ENDS = 6 * 3600  # seconds after those of UTC, at most, in files of American servers
NEAR = 2.0  # percentage points within which an accuracy is called the published one


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment."""

    players: int
    hands_each: int | None  # of a player; None: all
    read: int | None  # hands of the files; None: all
    seed: int

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """24 players with all their hands; quick: 6 with up to 150 hands, of 6,000 hands that are read."""
        quick = options.quick
        return cls(
            players=options.matches or (6 if quick else PLAYERS),
            hands_each=options.hands or (150 if quick else None),
            read=6000 if quick else None,
            seed=options.seed,
        )


@dataclass(frozen=True)
class Split:
    """Where the judged part begins, and whose hands are judged."""

    begins: int  # seconds since 1970
    players: tuple[str, ...]  # the one with the most hands first
    hands: int  # in the judged part
    before: int

    @classmethod
    def of(cls, hands: Sequence[Hand], players: int) -> "Split":
        """Cut hands, which are in the order of time, before the last month, or in two halves."""
        times = [max(seconds_of(hand) - MONTH_ENDS, 0) for hand in hands]
        months = [datetime.fromtimestamp(time, UTC).strftime("%Y-%m") for time in times]
        counts = Counter(months)
        whole = [
            month for month in counts if counts[month] >= len(hands) / 10
        ]  # not the end of one elsewhere
        cut = months.index(max(whole)) if len(whole) > 1 else len(hands) // 2
        judged = hands[cut:]
        seats = Counter(name for hand in judged for name in hand.players)
        most = sorted(seats, key=lambda name: (-seats[name], name))[:players]
        return cls(seconds_of(judged[0]), tuple(most), len(judged), cut)


def people_of(hands: Sequence[Hand]) -> list[Hand]:
    """In the order of time; if some tables are named as those without bots, only these."""
    without = [hand for hand in hands if "nobots" in f"{hand.source} {hand.table}"]
    return hands_in_time(without or hands)


# Tasks.


@kept_as("soulread.reproduce.action_prediction:train")
def train(store: str, begins: int, players: Sequence[str], seed: int) -> Values:
    """A task: nets, trees and frequencies of everybody but ``players``, from the hands before ``begins``."""
    with HandStore.open(store, read_only=True) as source:
        found = [hand for _, hand in source.find(Query(until=datetime.fromtimestamp(begins, UTC)))]
    inputs, rows = generic_inputs(people_of(found), players)
    latest = np.arange(max(0, len(rows) - MOST_TRAINED), len(rows))
    inputs, rows = inputs[latest], rows.take(latest)
    unknown = inputs.copy()
    unknown[:, NUM_SITUATION:] = style_of(no_counts())
    parts: dict[str, Mapping[str, NDArray[Any]]] = {
        "net ": train_net(inputs, rows.action, seed=seed).tensors(),
        "stranger ": train_net(unknown, rows.action, seed=seed).tensors(),
        "trees ": train_trees(inputs, rows.action, seed=seed).tensors(),
    }
    arrays = {prefix + name: array for prefix, part in parts.items() for name, array in part.items()}
    return {**arrays, "cells": count_cells(rows), "decisions": float(len(rows))}


class Stranger(NetPredictor):
    """A net that never learns anything about its player, not even the style."""

    def learn(self, rows: FeatureRows) -> None:
        """Nothing."""


def predictors_of(generic: Mapping[str, NDArray[Any]], seed: int) -> dict[str, ActionPredictor]:
    """All predictors that are compared, which know nothing of their player."""
    net, cells = Net.from_tensors(named(generic, "net ")), np.array(generic["cells"])
    trees = BoostedTrees.from_tensors(named(generic, "trees "))
    return {
        OLD: FrequencyTable("12", cells),
        ENHANCED: FrequencyTable("davidson", cells),
        STRANGER: Stranger(Net.from_tensors(named(generic, "stranger ")), 0.0),
        STYLED: NetPredictor(net, 0.0),
        NET: NetPredictor(net),
        TREES: BoostingPredictor(trees, 0),
        BOOSTING: BoostingPredictor(trees, seed=seed),
        COMPETING: CompetingPredictors(memories(net, cells)),
    }


@kept_as("soulread.reproduce.action_prediction:judge")
def judge(store: str, generic: str, begins: int, player: str, hands: int | None, seed: int) -> Values:
    """A task: let all predictors foretell the hands of one player since ``begins``.

    Returns the chances given ``[base rates and predictors, decisions, 3]``, actions, legal actions, hands
    known before; the weights of competing predictors; what shuffling each feature costs.
    """
    with HandStore.open(store, read_only=True) as source:
        since = datetime.fromtimestamp(begins, UTC)
        found = people_of([hand for _, hand in source.find(Query(player=player, since=since))])[:hands]
    rows = rows_of(found)
    seats = np.array([hand.seat_of(player) for hand in found], np.int64)
    rows = rows.take(rows.seat == seats[rows.hand])
    predictors = predictors_of(read_tensors(Path(generic), "result")[1], seed)
    told = predict_in_order(predictors, rows)
    competing = predictors[COMPETING]
    assert isinstance(competing, CompetingPredictors)
    costs = dict(importance(predictors[NET], rows, repeats=1, seed=seed))
    return {
        "chances": told.chances,
        "action": told.action,
        "legal": told.legal,
        "known": told.known,
        "weights": competing.history,
        "importance": np.array([costs[name] for name in NAMES[:NUM_SITUATION]]),
    }


# The experiment.


def prediction(options: Options) -> Report:
    """Train what is generic, judge every player, and say whether the order of the thesis holds."""
    setup = Setup.of(options)
    people = hands_of(options, setup.read)
    if people is None:
        raise SoulreadError(
            "action-prediction is about real players: give their hands with --data, such as the files "
            "h1-nobots.*.tgz of the IRC poker database"
        )
    with HandStore.open(people, read_only=True) as store:
        split = Split.of(people_of([hand for _, hand in store.find()]), setup.players)
    learning: dict[str, Json] = {
        "store": str(people),
        "begins": split.begins,
        "players": split.players,
        "seed": setup.seed,
    }
    trained = list(options.run([Task(train, learning)]))
    results: list[TaskResult] = []
    if trained:
        common: dict[str, Json] = {
            "store": str(people),
            "generic": str(options.store.path(trained[0].task)),
            "begins": split.begins,
            "hands": setup.hands_each,
            "seed": setup.seed,
        }
        tasks = [Task(judge, {**common, "player": name}, VERSION) for name in split.players]
        found = {result.task.key: result for result in options.run(tasks)}
        results = [found[task.key] for task in tasks if task.key in found]
    return report(results, split, setup, options, trained)


def report(
    results: Sequence[TaskResult], split: Split, setup: Setup, options: Options, trained: Sequence[TaskResult]
) -> Report:
    """The report on judged players."""
    paper = published("davidson2000")
    counts = [result["action"].size for result in results]
    begins = datetime.fromtimestamp(split.begins, UTC)
    return Report(
        name="action-prediction",
        title="what people do next, predicted",
        source=paper["source"],
        settings={
            "data": ", ".join(Path(path).name for path in options.data),
            "judged since": begins.isoformat(),
            "hands before and since": f"{split.before:,} and {split.hands:,}",
            "players": len(results),
            "hands of a player": setup.hands_each or "all",
            "decisions judged": sum(counts),
            "decisions that trained what is generic": int(sum(r.number("decisions") for r in trained)),
            "settings chosen on": "the month before the judged one, by benchmarks/choose_predictor.py",
            "seed": setup.seed,
        },
        tables=tuple(_tables(results, paper)) if results else (),
        claims=tuple(_claims(results, paper)),
        figures=_figures(results) if results else (),
        seconds=sum(result.seconds for result in (*trained, *results)),
        notes=(
            "Accuracy: the share of decisions with a choice at which the likeliest legal action was taken. "
            "Each player counts the same, whatever the number of hands.",
            "A generic net knows nothing of the player. With style it knows the player's frequencies in "
            "earlier hands. A specific one also changes its weights after every hand.",
            "The thesis' figures are of other opponents; it says neither who they were nor how many.",
        ),
    )


Pick = Callable[[TaskResult], float]


def _mean(results: Sequence[TaskResult], pick: Pick) -> Estimate | None:
    """The mean over players; those for whom nothing is there are left out."""
    values = np.array([pick(result) for result in results], np.float64)
    values = values[~np.isnan(values)]
    return Estimate.of(values) if values.size else None


def _row(name: str) -> int:
    return (*BASE_RATES, *PREDICTORS).index(name)


def losses(result: TaskResult, name: str) -> NDArray[np.float64]:
    """``[decisions]`` nats that a predictor lost."""
    action = result["action"].astype(np.int64)
    given = result["chances"][_row(name), np.arange(action.size), action]
    found: NDArray[np.float64] = -np.log(np.maximum(given, SMALLEST))
    return found


def accuracy(name: str, less: str | None = None) -> Pick:
    """Per cent of decisions foretold; ``less`` takes off that of another predictor."""

    def share(result: TaskResult, which: str) -> float:
        return 100 * float((result["chances"][_row(which)].argmax(axis=1) == result["action"]).mean())

    return lambda result: share(result, name) - (0.0 if less is None else share(result, less))


def loss(name: str, less: str | None = None, low: int = 0, high: float = np.inf) -> Pick:
    """Nats a decision, of those with ``low`` to ``high`` hands known before."""

    def pick(result: TaskResult) -> float:
        nats = losses(result, name) - (0.0 if less is None else losses(result, less))
        chosen = (result["known"] >= low) & (result["known"] < high)
        return float(nats[chosen].mean()) if chosen.any() else np.nan

    return pick


def _tables(results: Sequence[TaskResult], paper: Mapping[str, Any]) -> list[ResultTable]:
    sample = f"{len(results)} players"
    stated = {OLD: "old", ENHANCED: "enhanced", NET: "net"}
    rows = (*BASE_RATES, *PREDICTORS)
    right = [
        Measure(
            name,
            "accuracy",
            _mean(results, accuracy(name)),
            paper["accuracy"][stated[name]] if name in stated else None,
        )
        for name in rows
    ]
    nats = [Measure(name, "log-loss", _mean(results, loss(name))) for name in rows]
    spans = list(zip(KNOWN, [*KNOWN[1:], np.inf], strict=True))
    learning = [
        Measure(_span(low, high), column, _mean(results, loss(first, second, low, high)))
        for low, high in spans
        for column, first, second in GAINS
    ]
    whole = _pooled_confusion(results)
    matrix = [
        Measure(f"{done} was done", f"{told} foretold", 100 * float(whole[i, j]), _confused(paper, done, j))
        for i, done in enumerate(ACTIONS)
        for j, told in enumerate(ACTIONS)
    ]
    return [
        ResultTable("accuracy", "% of decisions", tuple(right), sample, digits=1),
        ResultTable("log-loss", "nats a decision", tuple(nats), sample),
        ResultTable(
            "log-loss beside the generic, by hands of the player known before",
            "nats a decision; below 0 the specific is better",
            tuple(measure for measure in learning if measure.ours is not None),
            sample,
        ),
        ResultTable(
            f"confusion of {NET}",
            "% of all decisions",
            tuple(matrix),
            note="In brackets the thesis' example of a matrix, of one net and one player.",
            digits=1,
        ),
    ]


GAINS = (
    ("specific net - generic net", NET, STRANGER),
    ("style - generic net", STYLED, STRANGER),
    ("specific net - style", NET, STYLED),
    ("specific trees - generic trees", BOOSTING, TREES),
)


def _span(low: int, high: float) -> str:
    return f"{low:,} or more" if high == np.inf else f"{low:,} to {int(high) - 1:,}"


def _confused(paper: Mapping[str, Any], done: str, column: int) -> float:
    return float(paper["confusion"][done][column])


def _all(results: Sequence[TaskResult], name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Chances of one predictor, actions and legal actions, of all players together."""
    chances = np.concatenate([result["chances"][_row(name)] for result in results])
    action = np.concatenate([result["action"] for result in results]).astype(np.int64)
    return chances, action, np.concatenate([result["legal"] for result in results]).astype(np.bool_)


def _pooled_confusion(results: Sequence[TaskResult]) -> NDArray[np.float64]:
    chances, action, _ = _all(results, NET)
    return confusion(chances, action)


def wins_after(results: Sequence[TaskResult], first: str, second: str) -> int | None:
    """From how many known hands on ``first`` loses less than ``second``; None if it never surely does.

    The answer is where the first of the spans of `KNOWN` begins whose interval is below zero, if all later
    means are below zero too.
    """
    spans = list(zip(KNOWN, [*KNOWN[1:], np.inf], strict=True))
    gains = [_mean(results, loss(first, second, low, high)) for low, high in spans]
    for number, (low, _) in enumerate(spans):
        later = [gain for gain in gains[number:] if gain is not None]
        here = gains[number]
        if here is not None and here.interval[1] < 0 and all(gain.mean < 0 for gain in later):
            return low
    return None


def _claims(results: Sequence[TaskResult], paper: Mapping[str, Any]) -> list[Claim]:
    if not results:
        return []

    def better(first: str, second: str) -> tuple[Estimate | None, Estimate | None]:
        return _mean(results, accuracy(first, second)), _mean(results, loss(first, second))

    made = []
    for first, second in (
        (OLD, COMMONEST_LEGAL),
        (ENHANCED, OLD),
        (NET, ENHANCED),
        (TREES, STYLED),
        (BOOSTING, NET),
        (COMPETING, NET),
    ):
        points, nats = better(first, second)
        condition = all_of([above(points), below(nats)])
        made.append(
            Claim.judged(f"{first} beats {second} in accuracy and log-loss", condition, _both(points, nats))
        )
    order = [better(ENHANCED, OLD)[0], better(NET, ENHANCED)[0]]
    made.append(
        Claim.judged(
            "the order of the thesis: old contexts, enhanced contexts, net",
            all_of(above(gap) for gap in order),
            "; ".join("not measured" if gap is None else f"{gap.text(1)} points" for gap in order),
        )
    )
    for name, key in ((OLD, "old"), (ENHANCED, "enhanced"), (NET, "net")):
        ours, theirs = _mean(results, accuracy(name)), float(paper["accuracy"][key])
        made.append(
            Claim.judged(
                f"{name}: the accuracy is the published {theirs}%, within {NEAR:.0f} points",
                UNKNOWN if ours is None else within(ours, theirs - NEAR, theirs + NEAR),
                "not measured" if ours is None else f"{ours.text(1)}%",
                "other opponents: how often people do the commonest thing bounds what can be foretold",
            )
        )
    for _, first, second in GAINS:
        hands = wins_after(results, first, second)
        gain = _mean(results, loss(first, second))
        said = "never surely" if hands is None else f"from {hands:,} hands on"
        made.append(
            Claim.judged(
                f"{first} loses less than {second}",
                UNKNOWN if gain is None else below(gain),
                "not measured" if gain is None else f"{gain.text(4)} nats; by spans of known hands: {said}",
            )
        )
    return made


def _both(points: Estimate | None, nats: Estimate | None) -> str:
    if points is None or nats is None:
        return "not measured"
    return f"{points.text(1)} points, {nats.text(4)} nats"


def _figures(results: Sequence[TaskResult]) -> tuple[Figure, ...]:
    edges = [*KNOWN, max(int(result["known"].max()) + 1 for result in results)]
    spans = [(low, high) for low, high in zip(KNOWN, edges[1:], strict=True) if high > low]
    curves = []
    for label, first, second in GAINS:
        points = [(low, high, _mean(results, loss(first, second, low, high))) for low, high in spans]
        kept = [(np.sqrt(max(low, 5) * high), gain) for low, high, gain in points if gain is not None]
        ends = [gain.interval for _, gain in kept]
        finite = all(np.isfinite(end).all() for end in ends)
        curves.append(
            Curve(
                label,
                tuple(float(x) for x, _ in kept),
                tuple(gain.mean for _, gain in kept),
                tuple(low for low, _ in ends) if finite else (),
                tuple(high for _, high in ends) if finite else (),
            )
        )
    learning = Panel(
        "when the specific wins",
        "hands of the player known before",
        "log-loss beside the generic, nats",
        tuple(curves),
        levels=(Level("as the generic", 0.0),),
        logarithmic=True,
    )
    chances, action, legal = _all(results, NET)
    costs = np.array([result["importance"] for result in results]).mean(axis=0)
    order = np.argsort(-costs)
    features = tuple((NAMES[i], float(costs[i])) for i in order)
    weights = max((result["weights"] for result in results), key=len)
    members = tuple(memories(_nothing()))
    return (
        Figure(
            "learning",
            "Log-loss of specific predictors beside generic ones, with 95% intervals over players.",
            (learning, calibration_panel(calibration(chances, action, legal), f"calibration of {NET}")),
        ),
        importance_figure(features, "mean over players"),
        weights_figure(members, weights, "the player with the most hands"),
    )


def _nothing() -> Net:
    """A net that says nothing, for the names of the members."""
    inputs = len(NAMES)
    return Net(np.zeros((inputs, 1)), np.zeros(1), np.zeros((1, 3)), np.zeros(3))
