"""Predictors of people's actions as tasks: what is generic is trained, then every player is judged.

The last month of the data is judged; with one month alone, its second half. What is generic is trained on
everything before, without the players who are judged. These are the players with the most hands in the judged
part. A specific predictor starts there knowing nothing of its player, and foretells every hand before it
learns it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from soulread.storage.tensors import read_tensors
from soulread.study.predict.scores import hands_in_time, importance, predict_in_order
from soulread.tasks import Values, kept_as

MOST_TRAINED = 300_000  # decisions that train what is generic: the latest
MONTH_ENDS = 6 * 3600  # seconds after those of UTC, at most, in files of American servers
OLD, ENHANCED = "old contexts", "enhanced contexts"
STRANGER, STYLED, NET = "net, generic", "net, generic with style", "net, specific"
SOFTENED = "net, specific, softened by its mistakes"
TREES, BOOSTING = "boosting, generic with style", "boosting, specific"
COMPETING = "competing"
PREDICTORS = OLD, ENHANCED, STRANGER, STYLED, NET, SOFTENED, TREES, BOOSTING, COMPETING


@dataclass(frozen=True)
class TimeSplit:
    """Where the judged part begins, and whose hands are judged."""

    begins: int  # seconds since 1970
    players: tuple[str, ...]  # the one with the most hands first
    hands: int  # in the judged part
    before: int

    @classmethod
    def of(cls, hands: Sequence[Hand], players: int) -> "TimeSplit":
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
        SOFTENED: NetPredictor(net, soften=1.0),
        TREES: BoostingPredictor(trees, 0),
        BOOSTING: BoostingPredictor(trees, seed=seed),
        COMPETING: CompetingPredictors(memories(net, cells)),
    }


@kept_as("soulread.reproduce.action_prediction:judge")
def judge(store: str, generic: str, begins: int, player: str, hands: int | None, seed: int) -> Values:
    """A task: let all predictors foretell the hands of one player since ``begins``.

    Returns the chances given ``[base rates and predictors, decisions, 3]``, actions, legal actions, rounds,
    hands known before; the weights of competing predictors; what shuffling each feature costs.
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
        "round": rows.take(rows.chosen).round,
        "known": told.known,
        "weights": competing.history,
        "importance": np.array([costs[name] for name in NAMES[:NUM_SITUATION]]),
    }
