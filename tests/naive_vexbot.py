"""Slow twins of Vexbot's model, node by node: estimates from coarse to fine, and the bound of histograms."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from soulread.games.poker import FOLD, RAISE
from soulread.model.vexbot.classes import LEVELS
from soulread.model.vexbot.correlation import Departures
from soulread.model.vexbot.model import LEAST, TILTS, ContextTree


def chances(tree: ContextTree, seat: int, node: int) -> dict[int, float]:
    """The chance of each legal action of ``seat`` at a node where it acts."""
    actions = tree.contexts.betting.actions[node]
    rates = []
    for kind, action in enumerate((FOLD, RAISE)):
        if action not in actions:
            rates.append(0.0)
            continue
        default = min(max(float(tree.defaults.rates[node, kind]), LEAST), 1 - LEAST)
        shift = 0.0
        for level in reversed(range(LEVELS)):
            no, yes, usual = tree.seen[level, tree.contexts.decision[level, node], kind].tolist()
            if no + yes:
                mean = usual / (no + yes)
                expected = expit(logit(mean) + shift)
                k = tree.strengths[level, kind]
                shift = logit((k * expected + yes) / (k + no + yes)) - logit(mean)
        rates.append(float(expit(logit(default) + shift)))
    fold, rise = rates
    triple = fold, (1 - fold) * (1 - rise), (1 - fold) * rise
    return {action: triple[action] for action in actions}


def played_towards(tree: ContextTree, seat: int, node: int) -> float:
    """How likely the actions of ``seat`` that lead to a node are, found by the text of the betting."""
    betting = tree.contexts.betting
    parents = {
        child: (parent, action)
        for parent, actions in enumerate(betting.actions)
        for action, child in zip(actions, betting.arrays.child[parent].tolist(), strict=False)
    }
    chance = 1.0
    while node:
        node, action = parents[node]
        if betting.arrays.player[node] == seat:
            chance *= chances(tree, seat, node)[action]
    return chance


def histogram(tree: ContextTree, seat: int, node: int) -> NDArray[np.float64]:
    """The hand ranks of ``seat`` at a showdown."""
    smooth = (1 - LEAST) * tree.defaults.histograms[seat, node] + LEAST / tree.cells
    weights = np.exp(tree.evidence) / np.exp(tree.evidence).sum()
    default = sum(
        weight * smooth**tilt / (smooth**tilt).sum() for weight, tilt in zip(weights, TILTS, strict=True)
    )
    ratio = np.ones(tree.cells)
    for level in reversed(range(LEVELS)):
        counts, *by_tilt = tree.shown[level, tree.contexts.showdown[level, seat, node]]
        if counts.sum():
            usual = sum(weight * each for weight, each in zip(weights, by_tilt, strict=True))
            expected = usual * ratio / (usual * ratio).sum()
            k = tree.shown_strengths[level]
            estimate = (k * expected + counts) / (k + counts.sum())
            ratio = estimate / (usual / usual.sum())
    row = default * ratio / (default * ratio).sum()
    return bounded(row, played_towards(tree, seat, node))


def bounded(row: NDArray[np.float64], played: float) -> NDArray[np.float64]:
    """A histogram of which no cell is above 1 / (cells x played)."""
    most = 1 / (row.size * max(played, 1e-9))
    kept = np.minimum(row, most)
    room = most - kept
    moved: NDArray[np.float64] = kept + (1 - kept.sum()) * room / max(room.sum(), 1e-300)
    moved /= moved.sum()
    return moved


def level_numbers(departures: Departures, classes: Sequence[int]) -> tuple[float, float]:
    """The correlation with the others of a class, and the share of the spread that classes explain."""
    visits = departures.visits.tolist()
    n, cells = departures.shifts.shape
    products = own = theirs = left = whole = 0.0
    for c in range(cells):
        shifts, scale = (values[:, c].tolist() for values in (departures.shifts, departures.scale))
        weights = [visits[i] * scale[i] ** 2 for i in range(n)]
        for i in range(n):
            alike = [j for j in range(n) if classes[j] == classes[i]]
            mean = sum(weights[j] * shifts[j] for j in alike) / sum(weights[j] for j in alike)
            left += weights[i] * (shifts[i] - mean) ** 2
            whole += weights[i] * shifts[i] ** 2
            others = [j for j in alike if j != i]
            if others:
                rest = sum(weights[j] * shifts[j] for j in others) / sum(weights[j] for j in others)
                products += weights[i] * shifts[i] * rest
                own += weights[i] * shifts[i] ** 2
                theirs += weights[i] * rest**2
    return products / (own * theirs) ** 0.5, 1 - left / whole
