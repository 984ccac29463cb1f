"""Predict a player's actions: train a predictor on earlier hands and judge it on later ones.

The hands are cut in time. Everybody's decisions before the cut train what is generic; the player's own hands
before the cut teach the predictor. Every later hand of the player is predicted before the predictor learns
from it. If there are too few decisions of others, the net that comes with soulread takes the place of a
generic one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Sampling
from soulread.hands.hand import Hand
from soulread.model.predict.features import FEATURES, Array, FeatureRows, rows_of
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
)
from soulread.report.shown import ShownTable
from soulread.study.predict.scores import (
    ACTIONS,
    Calibration,
    Predictions,
    calibration,
    confusion,
    hands_in_time,
    importance,
    predict_in_order,
)
from soulread.words import plural

LEARNERS = "old", "enhanced", "net", "boosting", "competing"
KEPT = "kept"  # the name of a predictor that was read from a file
ABOUT = {
    "old": "frequencies in 12 contexts",
    "enhanced": "frequencies in Davidson's 84 contexts",
    "net": "a net of many players that follows this one",
    "boosting": "boosted trees, generic and the player's own",
    "competing": "tables and nets of different memory",
}
SHARE = 0.7  # of the player's hands, before the cut
LEAST_HANDS = 50  # of the player
ENOUGH_HANDS = 300  # after the cut, below which little can be told
LEAST_GENERIC = 20_000  # decisions of others
MOST_GENERIC = 60_000  # hands before the cut, the latest ones

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Generic:
    """Predictors trained on many players; None where too few were seen."""

    decisions: int
    cells: Array | None = None
    net: Net | None = None
    trees: BoostedTrees | None = None


@dataclass(frozen=True)
class Score:
    """The accuracy and log-loss of one predictor."""

    name: str
    accuracy: Estimate
    log_loss: Estimate  # nats per decision


@dataclass(frozen=True, repr=False)
class PredictStudy(ShownTable):
    """A predictor of a player, and its scores on the player's later hands."""

    LINE = "{it.player} by {it.learner}, {it.judged:,} hands judged after {it.trained:,}"
    TABLE = "scores"

    player: str
    learner: str
    trained: int  # hands of the player before the cut
    judged: int  # hands after it
    decisions: int  # with a choice, after the cut
    generic: int  # decisions of others that trained the generic predictor; 0 if soulread's own was taken
    scores: tuple[Score, ...]
    confusion: Array  # [3, 3] shares: done, predicted
    calibration: tuple[Calibration, ...]
    importance: tuple[tuple[str, float], ...]  # feature, nats; empty for tables
    members: tuple[str, ...]  # of competing predictors
    weights: Array  # [hands, members]
    predictor: ActionPredictor  # after all hands

    JSON = keys(
        "player learner too_few scores confusion calibration",
        hands_before="trained",
        hands_judged="judged",
        decisions_judged="decisions",
        generic_decisions="generic",
        actions=lambda _: ACTIONS,
        importance=lambda study: [
            {"feature": name, "about": dict(FEATURES)[name], "nats": rise} for name, rise in study.importance
        ],
        weights=lambda study: [
            {"member": name, "last": study.weights[-1, i], "mean": study.weights[:, i].mean()}
            for i, name in enumerate(study.members)
        ],
    )

    @property
    def too_few(self) -> bool:
        """Whether there are too few hands after the cut to tell much."""
        return self.judged < ENOUGH_HANDS


def study_predictor(
    hands: Sequence[Hand],
    player: str,
    learner: str = "net",
    tell: Tell | None = None,
    kept: ActionPredictor | None = None,
) -> PredictStudy:
    """Train and judge a predictor of ``player``; ``hands`` are everybody's, in any order, of hold'em.

    A predictor that was ``kept`` takes the place of the learner. It is judged on the later hands as it is:
    the earlier ones teach only the tables that it is compared with.
    """
    if kept is not None:
        learner = KEPT
    elif learner not in LEARNERS:
        raise SoulreadError(f"{learner!r} is not a learner; known are {', '.join(LEARNERS)}")
    say = tell or (lambda text: None)
    ordered = hands_in_time(hands)
    own = [number for number, hand in enumerate(ordered) if player in hand.players]
    if len(own) < LEAST_HANDS:
        raise SoulreadError(
            f"there are {plural(len(own), 'hand')} of {player!r}; a predictor needs at least {LEAST_HANDS}"
        )
    cut = own[int(SHARE * len(own))]
    say("features")
    rows = _rows_of_player([ordered[number] for number in own], player)
    before = rows.hand < int(SHARE * len(own))
    say("training on everybody")
    generic = train_generic(ordered[max(0, cut - MOST_GENERIC) : cut], player, learner)
    names = [name for name in LEARNERS[:2] if name != learner] + [learner]
    predictors = {name: make_predictor(name, generic) for name in names if name != KEPT}
    say("learning the player")
    for predictor in predictors.values():
        _teach(predictor, rows.take(before))
    if kept is not None:
        predictors[KEPT] = kept
    say("predicting")
    found = predict_in_order(predictors, rows.take(~before), rows.take(before))
    chosen = predictors[learner]
    given = found.given(learner)
    members: tuple[str, ...] = ()
    weights = np.zeros((0, 0))
    if isinstance(chosen, CompetingPredictors):
        members, weights = tuple(chosen.members), chosen.history
    return PredictStudy(
        player=player,
        learner=learner,
        trained=int(SHARE * len(own)),
        judged=len(own) - int(SHARE * len(own)),
        decisions=found.action.size,
        generic=generic.decisions,
        scores=tuple(score(found, name) for name in found.names),
        confusion=confusion(given, found.action),
        calibration=calibration(given, found.action, found.legal),
        importance=() if isinstance(chosen, FrequencyTable) else importance(chosen, rows.take(~before)),
        members=members,
        weights=weights,
        predictor=chosen,
    )


def _rows_of_player(hands: Sequence[Hand], player: str) -> FeatureRows:
    """The player's decisions in these hands."""
    rows = rows_of(hands)
    seats = np.array([hand.seat_of(player) for hand in hands], np.int64)
    return rows.take(rows.seat == seats[rows.hand])


def _teach(predictor: ActionPredictor, rows: FeatureRows) -> None:
    for number in np.unique(rows.hand):
        predictor.learn(rows.take(rows.hand == number))


def train_generic(hands: Sequence[Hand], without: str, learner: str) -> Generic:
    """Train what a learner needs of other players' decisions; the hands are in the order of time."""
    inputs, rows = generic_inputs(hands, [without])
    if len(rows) < LEAST_GENERIC:
        return Generic(0)
    return Generic(
        len(rows),
        count_cells(rows),
        train_net(inputs, rows.action) if learner in ("net", "competing") else None,
        train_trees(inputs, rows.action) if learner == "boosting" else None,
    )


def make_predictor(learner: str, generic: Generic) -> ActionPredictor:
    """A new predictor by one of the names `LEARNERS`."""
    match learner:
        case "old" | "enhanced":
            return FrequencyTable("12" if learner == "old" else "davidson", generic.cells)
        case "net":
            return NetPredictor(generic.net)
        case "boosting":
            return BoostingPredictor(generic.trees)
        case _:
            return CompetingPredictors(memories(generic.net, generic.cells))


def score(found: Predictions, name: str) -> Score:
    """Accuracy and log-loss of one player, with intervals over blocks of the player's hands."""
    _, number = np.unique(found.hand, return_inverse=True)
    count = int(number.max()) + 1 if number.size else 0
    if not count:
        raise SoulreadError("there is no decision with a choice after the cut, so nothing can be judged")
    decisions = np.bincount(number, minlength=count)[None].astype(np.float64)
    sampling = Sampling(1, count, learning=True)

    def mean(values: Array) -> Estimate:
        return sampling.ratio(np.bincount(number, values, count)[None].astype(np.float64), decisions)

    return Score(name, mean(found.correct(name).astype(np.float64)), mean(found.loss(name)))
