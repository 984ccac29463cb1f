"""Log-likelihoods of Bayes-relational models, player by player."""

from collections.abc import Mapping, Sequence

import numpy as np

from soulread.estimate import Estimate
from soulread.model.relational.examples import Question
from soulread.reproduce.kit.means import Array, mean_of
from soulread.reproduce.ponsen_2008.player_models import ALL, QUESTIONS
from soulread.tasks import TaskResult

UNINFORMED, PRIOR = "uninformed", "prior"


class SplitScores:
    """Log-likelihoods of the finished models of a split; a player is a sample.

    A score is `UNINFORMED`, `PRIOR`, or the training size of the player's model.
    """

    def __init__(self, results: Mapping[str, Sequence[TaskResult]], sizes: Sequence[int]) -> None:
        self.results = dict(results)
        self.sizes = tuple(sizes)

    def all(self, name: str, model: str = "tree") -> Array:
        """A value of the tasks of a model, of all players."""
        return np.concatenate([result[name] for result in self.results[model]])

    def samples(self, question: Question, model: str, score: str | int) -> Array:
        """``[players]`` mean log-likelihoods in nats; NaN for a size at which the model was not judged."""
        number = QUESTIONS.index(question)
        if isinstance(score, str):
            return self.all(score, model)[:, number]
        judged = self.results[model][0].task.parameters["sizes"]
        assert isinstance(judged, list)
        if score not in judged:
            return np.full(len(self.all("games")), np.nan)
        return self.all("model", model)[:, number, judged.index(score)]

    def mean(self, question: Question, model: str, score: str | int) -> Estimate | None:
        """The mean over players."""
        return mean_of(self.samples(question, model, score))

    def gain(
        self, question: Question, model: str, score: str | int, over: str | int = PRIOR, than: str = ""
    ) -> Estimate | None:
        """The mean of a score less another, of the same model or of ``than``, player by player."""
        other = self.samples(question, than or model, over)
        return mean_of(self.samples(question, model, score) - other)

    @property
    def most_games(self) -> float:
        """Mean number of training games where all are used."""
        return float(self.all("games").max(axis=1).mean())

    def size_name(self, size: int) -> str:
        """A training size in words."""
        return f"all ({self.most_games:,.0f} on average)" if size == ALL else f"{size:,}"

    def begins(self, question: Question, model: str) -> int | None:
        """The smallest size from which on the model is above its prior beyond the interval; None: never."""
        first: int | None = None
        for size in self.sizes:
            gain = self.gain(question, model, size)
            if gain is not None:
                first = None if gain.interval[0] <= 0 else size if first is None else first
        return first
