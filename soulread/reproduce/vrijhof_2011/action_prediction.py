"""Predictions of people's actions (Davidson 1999; Davidson, Billings, Schaeffer & Szafron 2000)

The thesis (section V) compares three predictors of opponents' actions: Loki's old contexts, contexts enhanced
by the previous action and the previous amount to call, and neural nets. We judge these, boosted trees and
competing predictors on people who played limit hold'em (``--data``).

*In the order of time.* `soulread.reproduce.vrijhof_2011.predictor_tasks` says which hands train and which are
judged.

*Which actions count.* All decisions with a choice, and beside them those after the flop: the stages that the
thesis names are flop, turn and river, so its accuracies are compared with these. Foretold is the likeliest
legal action; folding counts as legal only with something to call. A player is a sample: intervals are over
players, each with equal weight.

*The confusion matrix used.* The thesis says that a net's mistakes can make its triples more careful. A net
that does so in full stands beside the same net without it (`soulread.model.predict.predictors.softened`).

Settings of all predictors were chosen on the month before the judged one, by
``benchmarks/choose_predictor.py``.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.hands.store import Store as HandStore
from soulread.model.predict.features import NAMES
from soulread.model.predict.networks import Net
from soulread.model.predict.predictors import memories
from soulread.report.figures import Figure, Level, Panel
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.means import mean_of
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import above, all_of, below, within
from soulread.reproduce.vrijhof_2011.predictor_tasks import (
    BOOSTING,
    COMPETING,
    ENHANCED,
    NET,
    OLD,
    PREDICTORS,
    SOFTENED,
    STRANGER,
    STYLED,
    TREES,
    TimeSplit,
    judge,
    people_of,
    train,
)
from soulread.study.predict.predicting_terminal import calibration_panel, importance_figure, weights_figure
from soulread.study.predict.scores import (
    ACTIONS,
    BASE_RATES,
    COMMONEST_LEGAL,
    SMALLEST,
    calibration,
    confusion,
)
from soulread.tasks import Json, Task, TaskResult

VERSION = 3  # raise it when features, predictors or scores change under the same names
PLAYERS = 24
KNOWN = 0, 25, 50, 100, 200, 400, 800  # hands known before, at least
SPANS = tuple(pairwise((*KNOWN, np.inf)))
AFTER = "after the flop"
NEAR = 2.0  # percentage points within which an accuracy is called the published one
STATED = {OLD: "old", ENHANCED: "enhanced", NET: "net"}  # predictors with a published accuracy
GAINS = (
    ("specific net - generic net", NET, STRANGER),
    ("style - generic net", STYLED, STRANGER),
    ("specific net - style", NET, STYLED),
    ("specific trees - generic trees", BOOSTING, TREES),
)

Pick = Callable[[TaskResult], float]


def prediction(options: RunOptions) -> Report:
    """Train what is generic, judge every player, and say whether the order of the thesis holds."""
    sizes = options.sizes(matches=(6, PLAYERS), hands=(150, None), read=(6000, None))
    people = hands_of(options, sizes["read"])
    if people is None:
        raise SoulreadError(
            "action-prediction is about real players: give their hands with --data, such as the files "
            "h1-nobots.*.tgz of the IRC poker database"
        )
    with HandStore.open(people, read_only=True) as store:
        split = TimeSplit.of(people_of([hand for _, hand in store.find()]), sizes["matches"])
    common: dict[str, Json] = {"store": str(people), "begins": split.begins, "seed": options.seed}
    training = Task(train, {**common, "players": split.players})
    trained = list(options.run([training]))
    common |= {"generic": str(options.store.path(training)), "hands": sizes["hands"]}
    grid = TaskGrid({"judged": [Task(judge, {**common, "player": name}, VERSION) for name in split.players]})
    if trained:
        grid.run(options)
    results, paper = grid.at("judged"), published("davidson2000")
    return Report(
        name="action-prediction",
        title="what people do next, predicted",
        source=paper["source"],
        settings={
            "data": options.data_names,
            "judged since": datetime.fromtimestamp(split.begins, UTC).isoformat(),
            "hands before and since": f"{split.before:,} and {split.hands:,}",
            "players": len(results),
            "hands of a player": sizes["hands"] or "all",
            "decisions judged": sum(result["action"].size for result in results),
            "decisions that trained what is generic": int(sum(r.number("decisions") for r in trained)),
            "settings chosen on": "the month before the judged one, by benchmarks/choose_predictor.py",
            "seed": options.seed,
        },
        tables=tuple(_tables(results, paper)) if results else (),
        claims=tuple(claims_of(results, paper)) if results else (),
        figures=_figures(results) if results else (),
        seconds=grid.seconds + sum(result.seconds for result in trained),
        notes=(
            "Accuracy: the share of decisions with a choice at which the likeliest legal action was taken. "
            "Each player counts the same, whatever the number of hands.",
            "A generic net knows nothing of the player. With style it knows the player's frequencies in "
            "earlier hands. A specific one also changes its weights after every hand.",
            "The thesis' figures are of other opponents; it says neither who they were nor how many.",
        ),
    )


def _mean(results: Sequence[TaskResult], pick: Pick) -> Estimate | None:
    """The mean over players; those for whom nothing is there are left out."""
    return mean_of(np.array([pick(result) for result in results]))


def _row(name: str) -> int:
    return (*BASE_RATES, *PREDICTORS).index(name)


def losses(result: TaskResult, name: str) -> NDArray[np.float64]:
    """``[decisions]`` nats that a predictor lost."""
    action = result["action"].astype(np.int64)
    given = result["chances"][_row(name), np.arange(action.size), action]
    found: NDArray[np.float64] = -np.log(np.maximum(given, SMALLEST))
    return found


def accuracy(name: str, less: str | None = None, later: bool = False) -> Pick:
    """Per cent of decisions foretold; ``less`` takes off that of another predictor.

    With ``later`` only decisions after the flop count.
    """

    def share(result: TaskResult, which: str) -> float:
        right = result["chances"][_row(which)].argmax(axis=1) == result["action"]
        chosen = right[result["round"] > 0] if later else right
        return 100 * float(chosen.mean()) if chosen.size else np.nan

    return lambda result: share(result, name) - (0.0 if less is None else share(result, less))


def loss(
    name: str, less: str | None = None, low: float = 0, high: float = np.inf, later: bool = False
) -> Pick:
    """Nats a decision, of those with ``low`` to ``high`` hands known before; ``later``: after the flop."""

    def pick(result: TaskResult) -> float:
        nats = losses(result, name) - (0.0 if less is None else losses(result, less))
        chosen = (result["known"] >= low) & (result["known"] < high)
        if later:
            chosen &= result["round"] > 0
        return float(nats[chosen].mean()) if chosen.any() else np.nan

    return pick


def _tables(results: Sequence[TaskResult], paper: Mapping[str, Any]) -> Iterator[ResultTable]:
    sample = f"{len(results)} players"
    rows = (*BASE_RATES, *PREDICTORS)
    stated = {name: paper["accuracy"][key] for name, key in STATED.items()}
    right = [
        Measure(
            name, column, _mean(results, accuracy(name, later=later)), stated.get(name) if later else None
        )
        for name in rows
        for column, later in (("all rounds", False), (AFTER, True))
    ]
    note = "The stages of the thesis are flop, turn and river: its figures stand beside those after the flop."
    yield ResultTable("accuracy", "% of decisions", right, sample, note, digits=1)
    nats = [
        Measure(name, column, _mean(results, loss(name, later=later)))
        for name in rows
        for column, later in (("all rounds", False), (AFTER, True))
    ]
    yield ResultTable("log-loss", "nats a decision", nats, sample)
    learning = [
        Measure(_span(low, high), column, gain)
        for low, high in SPANS
        for column, first, second in GAINS
        if (gain := _mean(results, loss(first, second, low, high))) is not None
    ]
    title = "log-loss beside the generic, by hands of the player known before"
    yield ResultTable(title, "nats a decision; below 0 the specific is better", learning, sample)
    chances, action, _ = _all(results, NET)
    whole = confusion(chances, action)
    matrix = [
        Measure(
            f"{done} was done",
            f"{told} foretold",
            100 * float(whole[i, j]),
            float(paper["confusion"][done][j]),
        )
        for i, done in enumerate(ACTIONS)
        for j, told in enumerate(ACTIONS)
    ]
    note = "In brackets the thesis' example of a matrix, of one net and one player."
    yield ResultTable(f"confusion of {NET}", "% of all decisions", matrix, note=note, digits=1)


def _span(low: float, high: float) -> str:
    return f"{low:,} or more" if high == np.inf else f"{low:,} to {int(high) - 1:,}"


def _all(results: Sequence[TaskResult], name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Chances of one predictor, actions and legal actions, of all players together."""
    chances = np.concatenate([result["chances"][_row(name)] for result in results])
    action = np.concatenate([result["action"] for result in results]).astype(np.int64)
    return chances, action, np.concatenate([result["legal"] for result in results]).astype(np.bool_)


def wins_after(results: Sequence[TaskResult], first: str, second: str) -> int | None:
    """From how many known hands on ``first`` loses less than ``second``; None if it never surely does.

    The answer is where the first of the spans of `KNOWN` begins whose interval is below zero, if all later
    means are below zero too.
    """
    gains = [_mean(results, loss(first, second, low, high)) for low, high in SPANS]
    for number, low in enumerate(KNOWN):
        later = [gain for gain in gains[number:] if gain is not None]
        here = gains[number]
        if here is not None and here.interval[1] < 0 and all(gain.mean < 0 for gain in later):
            return low
    return None


def claims_of(results: Sequence[TaskResult], paper: Mapping[str, Any]) -> Iterator[Claim]:
    """The order of the thesis, its accuracies, and when specific predictors win."""

    def better(first: str, second: str) -> tuple[Estimate | None, Estimate | None]:
        return _mean(results, accuracy(first, second)), _mean(results, loss(first, second))

    for first, second in (
        (OLD, COMMONEST_LEGAL),
        (ENHANCED, OLD),
        (NET, ENHANCED),
        (TREES, STYLED),
        (BOOSTING, NET),
        (COMPETING, NET),
    ):
        points, nats = better(first, second)
        both = "not measured" if points is None else f"{points.text(1)} points, {worded(nats, 4)} nats"
        condition = all_of([above(points), below(nats)])
        yield Claim.judged(f"{first} beats {second} in accuracy and log-loss", condition, both)
    for where, later in (("", False), (f" ({AFTER})", True)):
        pairs = ((ENHANCED, OLD), (NET, ENHANCED))
        order = [_mean(results, accuracy(first, second, later)) for first, second in pairs]
        yield Claim.judged(
            f"the order of the thesis: old contexts, enhanced contexts, net{where}",
            all_of(above(gap) for gap in order),
            "; ".join(worded(gap, 1, "points") for gap in order),
        )
    yield Claim.judged(
        "a net whose triples are softened by its mistakes loses less than the same net",
        below(better(SOFTENED, NET)[1]),
        worded(better(SOFTENED, NET)[1], 4, "nats"),
    )
    for name, key in STATED.items():
        ours, theirs = _mean(results, accuracy(name, later=True)), float(paper["accuracy"][key])
        every = _mean(results, accuracy(name))
        yield Claim.judged(
            f"{name}: the accuracy {AFTER} is the published {theirs}%, within {NEAR:.0f} points",
            within(ours, theirs - NEAR, theirs + NEAR),
            "not measured"
            if ours is None or every is None
            else f"{ours.text(1)}%; in all rounds {every.text(1)}%",
            "other opponents: how often people do the commonest thing bounds what can be foretold",
        )
    for _, first, second in GAINS:
        hands, gain = wins_after(results, first, second), better(first, second)[1]
        said = "never surely" if hands is None else f"from {hands:,} hands on"
        evidence = "not measured" if gain is None else f"{gain.text(4)} nats; by spans of known hands: {said}"
        yield Claim.judged(f"{first} loses less than {second}", below(gain), evidence)


def _figures(results: Sequence[TaskResult]) -> tuple[Figure, ...]:
    end = max(int(result["known"].max()) + 1 for result in results)
    spans = [(low, high) for low, high in pairwise((*KNOWN, end)) if high > low]
    curves = [
        curve_of(
            label,
            [
                (float(np.sqrt(max(low, 5) * high)), _mean(results, loss(first, second, low, high)))
                for low, high in spans
            ],
        )
        for label, first, second in GAINS
    ]
    learning = Panel(
        "when the specific wins",
        "hands of the player known before",
        "log-loss beside the generic, nats",
        tuple(curves),
        levels=(Level("as the generic", 0.0),),
        logarithmic=True,
    )
    costs = np.array([result["importance"] for result in results]).mean(axis=0)
    features = tuple((NAMES[i], float(costs[i])) for i in np.argsort(-costs))
    weights = max((result["weights"] for result in results), key=len)
    nothing = Net(
        np.zeros((len(NAMES), 1)), np.zeros(1), np.zeros((1, 3)), np.zeros(3)
    )  # for the names alone
    return (
        Figure(
            "learning",
            "Log-loss of specific predictors beside generic ones, with 95% intervals over players.",
            (learning, calibration_panel(calibration(*_all(results, NET)), f"calibration of {NET}")),
        ),
        importance_figure(features, "mean over players"),
        weights_figure(tuple(memories(nothing)), weights, "the player with the most hands"),
    )
