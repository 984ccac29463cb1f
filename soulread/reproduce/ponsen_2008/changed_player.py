"""A player who changes: how soon a Bayes-relational model knows the new one (Ponsen et al. 2008).

The paper wants a model that adapts quickly to changes in the opponent's strategy, and says that its model
adapts to a player relatively quickly. People who change from one day to the next cannot be found in hands. So
two people are taken for one: a *change* is made of the last `BEFORE` training games of one, followed by n
games of another. What the model says is judged on the test games of the other one.

    all       learns from all games, those before the change too, as the paper does
    window    learns from the last `WINDOW` games, as the agent `ponsen` does
    fresh     learns from the n games after the change: it is told of it

Games are in the order of time. The prior knows neither of the two.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.model.relational.bayes import log_likelihoods
from soulread.model.relational.examples import Games, Question, askable
from soulread.reproduce.kit.means import mean_of
from soulread.reproduce.kit.report import Claim, Measure, ResultTable, worded
from soulread.reproduce.kit.verdict import above, at_least
from soulread.reproduce.ponsen_2008.player_models import (
    QUESTIONS,
    decisions_of,
    fit_decisions,
    fit_priors,
    read_games,
    split_games,
    training_games,
)
from soulread.tasks import TaskResult, Values, kept_as

BEFORE = 1600  # games before the change
WINDOW = 400
AFTER = (0, 50, 100, 200, 400, 800)  # games since the change
WAYS = "all", "window", "fresh"
SPLIT = "time"
SOON = 400  # games since the change after which the claims are judged
NEAR = 0.005  # nats a decision that may be missing to who was told of the change
_LEARNER = "tree"


def games_learnt(
    way: str, before: NDArray[np.int64], after: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The games before and after the change that a way learns from; both are in the order of time."""
    if way == "fresh":
        return before[:0], after
    if way == "window":
        kept = after[max(0, after.size - WINDOW) :]
        return before[max(0, before.size - (WINDOW - kept.size)) :], kept
    return before, after


def changes_among(players: Sequence[int]) -> list[tuple[int, int]]:
    """Who is followed by whom: every player is once the new one, after the next of the list."""
    return [(players[(k + 1) % len(players)], new) for k, new in enumerate(players)]


@kept_as("soulread.reproduce.relational:judge_change")
def judge_change(
    store: str, players: Sequence[str], before: int, after: Sequence[int], most: int, seed: int
) -> Values:
    """A task: the models of players who become another one, judged on the test games of the new one.

    ``prior`` is ``[players, questions]`` and ``model [players, questions, ways, after]``, mean
    log-probabilities in nats. The prior knows none of the players.
    """
    games = read_games(store)
    test = split_games(games, SPLIT, seed)
    games.learn_types(~test)
    numbers = [games.number_of(name) for name in players]
    priors = fit_priors(games, test, numbers, _LEARNER, most, seed)
    shape = len(players), len(QUESTIONS)
    found = {"prior": np.full(shape, np.nan), "model": np.full((*shape, len(WAYS), len(after)), np.nan)}
    for p, (old, new) in enumerate(changes_among(numbers)):
        own = decisions_of(games, np.flatnonzero(test), new)
        for q, question in enumerate(QUESTIONS):
            judged = askable(games, own, question)
            if judged.size == 0:
                continue
            prior = priors[question]
            found["prior"][p, q] = log_likelihoods([prior], games, judged, question).mean()
            for w, way in enumerate(WAYS):
                for s, size in enumerate(after):
                    chosen = _decisions_learnt(games, test, old, new, before, size, way, seed)
                    learned = fit_decisions(games, chosen, question, prior, _LEARNER, None, seed)
                    likely = log_likelihoods([prior, learned], games, judged, question)
                    found["model"][p, q, w, s] = likely.mean()
    return found


def _decisions_learnt(
    games: Games,
    test: NDArray[np.bool_],
    old: int,
    new: int,
    before: int,
    size: int,
    way: str,
    seed: int,
) -> NDArray[np.intp]:
    """The decisions that a way learns from, ``size`` games after the change; the new games are the first."""
    first = training_games(games, test, old, before, SPLIT, seed)
    later = training_games(games, test, new, 0, SPLIT, seed)[:size]
    first, later = games_learnt(way, first, later)
    return np.sort(np.concatenate([decisions_of(games, first, old), decisions_of(games, later, new)]))


class ChangeScores:
    """The gains over the prior of finished tasks; a player is a sample."""

    def __init__(self, results: Sequence[TaskResult], after: Sequence[int]) -> None:
        self._prior = np.concatenate([result["prior"] for result in results])
        self._model = np.concatenate([result["model"] for result in results])
        self.after = tuple(after)

    def samples(self, question: Question, way: str, size: int) -> NDArray[np.float64]:
        """``[players]`` nats a decision beyond the prior."""
        q = QUESTIONS.index(question)
        gains: NDArray[np.float64] = (
            self._model[:, q, WAYS.index(way), self.after.index(size)] - self._prior[:, q]
        )
        return gains

    def gain(self, question: Question, way: str, size: int) -> Estimate | None:
        """The mean over players."""
        return mean_of(self.samples(question, way, size))

    @property
    def num_players(self) -> int:
        """How many players became another one."""
        return len(self._prior)


def change_tables(scores: ChangeScores) -> Iterator[ResultTable]:
    """Gains over the prior by games since the change."""
    for question in QUESTIONS:
        measures = [
            Measure(f"{size:,} games", way, scores.gain(question, way, size))
            for size in scores.after
            for way in WAYS
        ]
        yield ResultTable(
            f"gain over the prior since a player became another one, {question}",
            "nats",
            measures,
            f"{scores.num_players} players",
            f"all: from {BEFORE:,} games before it and all since; window: from the last {WINDOW}; fresh: "
            "from those since the change.",
            digits=4,
        )


def change_claims(scores: ChangeScores) -> Iterator[Claim]:
    """Whether models that are not told of a change know the new player soon."""
    if SOON not in scores.after:
        return
    for question in QUESTIONS:
        for way, whose in (("all", "all games"), ("window", f"the last {WINDOW}")):
            gain = scores.gain(question, way, SOON)
            yield Claim.judged(
                f"{SOON} games after a change the model is better than the prior ({question}; {whose})",
                above(gain),
                f"{worded(gain, 4, 'nats')}; just after the change "
                f"{worded(scores.gain(question, way, scores.after[0]), 4, 'nats')}",
            )
        missing = mean_of(scores.samples(question, "window", SOON) - scores.samples(question, "fresh", SOON))
        yield Claim.judged(
            f"It is then at most {NEAR:g} nats behind a model that is told of the change (ours; {question})",
            at_least(missing, -NEAR),
            worded(missing, 4, "nats"),
        )


def gains_by_way(scores: ChangeScores, question: Question) -> Mapping[str, list[tuple[float, Estimate]]]:
    """For a figure: by way, the gains at each number of games since the change."""
    return {
        way: [
            (float(size), gain)
            for size in scores.after
            if size and (gain := scores.gain(question, way, size)) is not None
        ]
        for way in WAYS
    }
