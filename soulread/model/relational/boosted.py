"""A baseline for relational trees: gradient boosting on the same facts without variables.

Every example becomes a row of numbers: those of the table, P's own properties, for each property of others
*how many* players have it, the action, its size, the outcome, the facts of the cards, and the part. Such a
row cannot say that one and the same player has two properties. Everything else is as in
`soulread.model.relational.tree`: the same examples, the same held-out games. Those choose the number of
trees, which may be none; then all examples are used.

scikit-learn comes with the extra ``ml``.
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.model.predict.networks import import_sklearn
from soulread.model.relational.language import OWN, Language, Outcome
from soulread.model.relational.tree import Examples, GrowthSettings, held_out_games, players_of

ITERATIONS = 60
RATE = 0.2
LEAVES = 31
LEAST = 40  # examples of a leaf
_STEPS = (3, 6, 10, 20, 40, 60)  # numbers of trees that are tried
_SURE = 12.0  # largest log-odds


@dataclass(frozen=True, eq=False)
class Boosted:
    """A boosted classifier of label 1, or None: nothing was learned."""

    language: Language
    classifier: Any = None

    def odds(self, examples: Examples) -> NDArray[np.float64]:
        """``[n]`` log-odds of label 1."""
        if self.classifier is None or examples.size_of == 0:
            return np.zeros(examples.size_of)
        with one_thread():
            raw = self.classifier.decision_function(columns_of(examples, self.language))
        return np.asarray(np.clip(raw, -_SURE, _SURE), np.float64)


def one_thread() -> AbstractContextManager[object]:
    """Boosting on one thread: its threads wait by spinning, which takes minutes on a busy machine."""
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(1)
    return limits


def columns_of(examples: Examples, language: Language) -> NDArray[np.float32]:
    """``[n, features]`` what a learner without variables is told of every example."""
    rows, row = examples.rows, examples.row
    shown = examples.outcome == Outcome.CARDS
    sets = players_of(rows, row)[list(language.players)]
    actor = rows.actor[row].astype(np.int64)
    parts = [
        rows.numbers[row],
        np.stack([rows.masks[row, own] >> actor & 1 for own in OWN], axis=1),
        np.bitwise_count(sets).T,
        examples.part[:, None],
        np.where(shown[:, None], examples.cards[:, list(language.cards)].astype(np.int16), -1),
    ]
    if language.action:
        parts.append(examples.action[:, None])
    if language.sizes:
        parts.append(np.where(examples.action == 2, examples.size.astype(np.int16), -1)[:, None])
    if language.outcome:
        parts.append(examples.outcome[:, None])
    return np.concatenate(parts, axis=1).astype(np.float32)


def boost(examples: Examples, language: Language, settings: GrowthSettings) -> Boosted:
    """Tell label 1 from label 0 by boosting; the number of trees is chosen on held-out games."""
    ensemble = import_sklearn("ensemble")
    apart = held_out_games(examples, settings)
    if not apart.any() or apart.all() or np.unique(examples.label[~apart]).size < 2:
        return Boosted(language)
    columns = columns_of(examples, language)

    def fitted(chosen: NDArray[np.bool_], iterations: int) -> Any:
        made = ensemble.HistGradientBoostingClassifier(
            max_iter=iterations,
            learning_rate=RATE,
            max_leaf_nodes=LEAVES,
            min_samples_leaf=LEAST,
            early_stopping=False,
            random_state=0,
        )
        with one_thread():
            return made.fit(columns[chosen], examples.label[chosen], sample_weight=examples.weight[chosen])

    trial = fitted(~apart, ITERATIONS)
    label, weight = examples.label[apart], examples.weight[apart]
    best, found = 0, float(np.log(0.5) * weight.sum())
    with one_thread():
        stages = dict(enumerate(trial.staged_decision_function(columns[apart]), start=1))
    for number, raw in stages.items():
        if number in _STEPS:
            likely = float((weight * -np.logaddexp(0, np.where(label == 1, -raw, raw))).sum())
            if likely > found:
                best, found = number, likely
    if best == 0:
        return Boosted(language)
    return Boosted(language, fitted(np.ones(apart.size, np.bool_), best))
