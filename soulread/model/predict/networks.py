"""A net with one hidden layer, and boosted trees: what they predict, as kernels over plain arrays.

scikit-learn trains both on the decisions of many players (`train_net`, `train_trees`). The result is kept as
arrays, so predicting and saving need neither scikit-learn nor pickle.

A net has inputs x, a hidden layer  h = max(0, x W1 + b1)  and scores  z = h W2 + b2  for fold, call, raise.
Trees add up: the score of an action is its base and, of each of its trees, the leaf that x falls into. In
both the chances are

    p(action) = exp(score) / sum of exp(score) over the legal actions

One step of learning (`train_step`) moves the weights of a net down the gradient of -log p(action taken). For
the scores this gradient is  p - (1 at the action taken, else 0).
"""

import importlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import DamagedFile, SoulreadError
from soulread.kernel import kernel

Array = NDArray[np.float64]
Ints = NDArray[np.int64]
Legal = NDArray[np.bool_]

NUM_ACTIONS = 3


class Scorer(Protocol):
    """Something that scores fold, call and raise."""

    @property
    def num_inputs(self) -> int:
        """How many numbers a row of inputs has."""

    def scores(self, inputs: Array) -> Array:
        """``[rows, 3]`` the scores of the actions for ``[rows, num_inputs]``."""

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, for a file."""


class Net(NamedTuple):
    """The weights of a net."""

    w1: Array  # [inputs, hidden]
    b1: Array  # [hidden]
    w2: Array  # [hidden, 3]
    b2: Array  # [3]

    @property
    def num_inputs(self) -> int:
        """How many numbers a row of inputs has."""
        return len(self.w1)

    def scores(self, inputs: Array) -> Array:
        """``[rows, 3]`` the scores of the actions."""
        found = np.zeros((len(inputs), NUM_ACTIONS))
        net_scores(np.ascontiguousarray(inputs), self, found)
        return found

    def copy(self) -> "Net":
        """The same weights, to be changed."""
        return Net(*(weights.copy() for weights in self))

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, for a file."""
        return self._asdict()

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The opposite of `tensors`; arrays that do not fit together are a `DamagedFile`."""
        net = cls(*(np.array(tensors[name], np.float64) for name in cls._fields))
        inputs, hidden = net.w1.shape
        if net.b1.shape != (hidden,) or net.w2.shape != (hidden, NUM_ACTIONS) or net.b2.shape != (3,):
            raise DamagedFile(f"the weights of a net with {inputs} inputs do not fit together")
        return net


class BoostedTrees(NamedTuple):
    """Boosted trees. Node i goes left if ``inputs[feature[i]] <= threshold[i]``; a leaf has feature -1."""

    base: Array  # [3] scores before any tree
    roots: Ints  # [trees] first node of each
    target: Ints  # [trees] whose score the tree adds to
    feature: Ints  # [nodes]
    threshold: Array  # [nodes]
    left: Ints  # [nodes] number of a node
    right: Ints  # [nodes]
    value: Array  # [nodes] of a leaf
    width: int  # of a row of inputs

    @property
    def num_inputs(self) -> int:
        """How many numbers a row of inputs has."""
        return self.width

    def scores(self, inputs: Array) -> Array:
        """``[rows, 3]`` the scores of the actions."""
        found = np.tile(self.base, (len(inputs), 1))
        forest_scores(np.ascontiguousarray(inputs), self, found)
        return found

    def tensors(self) -> dict[str, NDArray[Any]]:
        """All arrays by name, for a file."""
        return {**self._asdict(), "width": np.array([self.width])}

    @classmethod
    def from_tensors(cls, tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The opposite of `tensors`; trees that lead nowhere are a `DamagedFile`."""
        arrays: dict[str, Any] = {
            name: np.array(tensors[name], np.float64 if name in ("base", "threshold", "value") else np.int64)
            for name in cls._fields[:-1]
        }
        width = int(np.asarray(tensors["width"])[0])
        forest = cls(**arrays, width=width)
        nodes = np.arange(forest.feature.size)
        inner = forest.feature >= 0
        shaped = forest.threshold, forest.left, forest.right, forest.value
        children = forest.left[inner], forest.right[inner]
        good = (
            all(array.shape == nodes.shape for array in shaped)
            and all((child > nodes[inner]).all() and (child < nodes.size).all() for child in children)
            and (forest.feature < width).all()
            and ((forest.roots >= 0) & (forest.roots < max(nodes.size, 1))).all()
            and ((forest.target >= 0) & (forest.target < NUM_ACTIONS)).all()
            and forest.roots.shape == forest.target.shape
            and forest.base.shape == (NUM_ACTIONS,)
        )
        if not good:
            raise DamagedFile("the nodes of boosted trees do not fit together")
        return forest


def chances_of(scores: Array, legal: Legal) -> Array:
    """``[rows, 3]`` chances of the actions that are ``legal``, ``[rows, 3]``."""
    masked = np.where(legal, scores, -np.inf)
    found: Array = np.exp(masked - masked.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    return found


@kernel
def net_scores(inputs: Array, net: Net, scores: Array) -> None:
    """The scores of a net for rows of inputs."""
    hidden = np.empty(net.b1.size)
    for row in range(inputs.shape[0]):
        _score(inputs[row], net, hidden, scores[row])


@kernel
def _score(x: Array, net: Net, hidden: Array, score: Array) -> None:
    w1, b1, w2, b2 = net
    hidden[:] = b1
    for i in range(x.size):
        if x[i] != 0.0:
            hidden += x[i] * w1[i]
    score[:] = b2
    for j in range(hidden.size):
        if hidden[j] > 0.0:
            score += hidden[j] * w2[j]
        else:
            hidden[j] = 0.0


@kernel
def train_step(inputs: Array, legal: Legal, action: Ints, rate: float, net: Net) -> None:
    """A step of stochastic gradient descent for each row, one after another; the net is changed."""
    w1, b1, w2, b2 = net
    hidden, score, slope = np.empty(b1.size), np.empty(NUM_ACTIONS), np.empty(b1.size)
    for row in range(inputs.shape[0]):
        x = inputs[row]
        _score(x, net, hidden, score)
        top = -np.inf
        for a in range(NUM_ACTIONS):
            if legal[row, a]:
                top = max(top, score[a])
        total = 0.0
        for a in range(NUM_ACTIONS):
            score[a] = np.exp(score[a] - top) if legal[row, a] else 0.0
            total += score[a]
        score /= total
        score[action[row]] -= 1.0
        for j in range(hidden.size):
            slope[j] = 0.0
            if hidden[j] > 0.0:
                for a in range(NUM_ACTIONS):
                    slope[j] += score[a] * w2[j, a]
                    w2[j, a] -= rate * hidden[j] * score[a]
        b2 -= rate * score
        b1 -= rate * slope
        for i in range(x.size):
            if x[i] != 0.0:
                w1[i] -= rate * x[i] * slope


@kernel
def forest_scores(inputs: Array, trees: BoostedTrees, scores: Array) -> None:
    """Add the leaves of all trees to the scores."""
    _, roots, target, feature, threshold, left, right, value, _ = trees
    for row in range(inputs.shape[0]):
        for tree in range(roots.size):
            node = roots[tree]
            while feature[node] >= 0:
                node = left[node] if inputs[row, feature[node]] <= threshold[node] else right[node]
            scores[row, target[tree]] += value[node]


# Training, by scikit-learn.


@dataclass(frozen=True)
class NetSettings:
    """How a net is trained; the values were chosen by ``benchmarks/choose_predictor.py``."""

    hidden: int = 32
    rate: float = 0.001  # of Adam
    batch: int = 256
    epochs: int = 20
    decay: float = 1e-4  # of the weights


@dataclass(frozen=True)
class TreeSettings:
    """How trees are grown; the values were chosen by ``benchmarks/choose_predictor.py``."""

    rounds: int = 100
    rate: float = 0.1
    leaves: int = 31
    least: int = 20  # rows in a leaf


def train_net(inputs: Array, action: Ints, settings: NetSettings | None = None, seed: int = 0) -> Net:
    """The net that scikit-learn's `MLPClassifier` finds for rows of inputs and the actions taken.

    Three rows with all inputs 0 are added, one for each action, so that none is impossible.
    """
    settings = settings or NetSettings()
    network = import_sklearn("neural_network")
    learner = network.MLPClassifier(
        (settings.hidden,),
        activation="relu",
        solver="adam",
        alpha=settings.decay,
        batch_size=settings.batch,
        learning_rate_init=settings.rate,
        max_iter=settings.epochs,
        random_state=seed,
        tol=0.0,
        n_iter_no_change=settings.epochs + 1,
    )
    rows, taken = _with_every_action(inputs, action)
    learner.batch_size = min(settings.batch, len(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it did not converge: the number of epochs is ours
        learner.fit(rows, taken)
    return net_of(learner)


def net_of(learner: Any) -> Net:
    """The weights of a fitted `MLPClassifier` with one hidden layer and three classes."""
    w1, w2 = (np.array(weights, np.float64) for weights in learner.coefs_)
    b1, b2 = (np.array(biases, np.float64) for biases in learner.intercepts_)
    return Net(w1, b1, w2, b2)


def train_trees(
    inputs: Array, action: Ints, settings: TreeSettings | None = None, seed: int = 0
) -> BoostedTrees:
    """The trees that scikit-learn's `HistGradientBoostingClassifier` grows; see `train_net`."""
    settings = settings or TreeSettings()
    ensemble = import_sklearn("ensemble")
    learner = ensemble.HistGradientBoostingClassifier(
        learning_rate=settings.rate,
        max_iter=settings.rounds,
        max_leaf_nodes=settings.leaves,
        min_samples_leaf=settings.least,
        early_stopping=False,
        random_state=seed,
    )
    learner.fit(*_with_every_action(inputs, action))
    return forest_of(learner)


def forest_of(learner: Any) -> BoostedTrees:
    """The trees of a fitted `HistGradientBoostingClassifier` of three classes without categories."""
    grown = [(k, tree.nodes) for step in learner._predictors for k, tree in enumerate(step)]
    base = np.array(learner._baseline_prediction, np.float64).reshape(NUM_ACTIONS)
    return _forest(grown, base, int(learner.n_features_in_))


def continue_trees(
    inputs: Array, legal: Legal, action: Ints, scores: Array, settings: TreeSettings, seed: int = 0
) -> BoostedTrees:
    """Trees that are added to ``scores``, ``[rows, 3]``, which somebody else gave: boosting that goes on.

    In every round each action gets one more tree of scikit-learn's `HistGradientBoostingRegressor`. It is
    fitted to what the chances lack: (1 if the action was taken, else 0) - p, the negative gradient of the
    log-loss. It counts ``settings.rate`` times.
    """
    ensemble = import_sklearn("ensemble")
    scores, grown = scores.copy(), []
    for _ in range(settings.rounds):
        lacking = np.eye(NUM_ACTIONS)[action] - chances_of(scores, legal)
        for k in range(NUM_ACTIONS):
            learner = ensemble.HistGradientBoostingRegressor(
                learning_rate=1.0,
                max_iter=1,
                max_leaf_nodes=settings.leaves,
                min_samples_leaf=settings.least,
                early_stopping=False,
                random_state=seed,
            ).fit(inputs, lacking[:, k])
            nodes = learner._predictors[0][0].nodes.copy()
            nodes["value"] = settings.rate * (nodes["value"] + float(learner._baseline_prediction.ravel()[0]))
            scores[:, k] += settings.rate * learner.predict(inputs)
            grown.append((k, nodes))
    return _forest(grown, np.zeros(NUM_ACTIONS), inputs.shape[1])


def _forest(grown: Sequence[tuple[int, NDArray[Any]]], base: Array, width: int) -> BoostedTrees:
    """Trees of scikit-learn, each with the action whose score it adds to, as one list of nodes."""
    sizes = np.array([len(nodes) for _, nodes in grown], np.int64)
    roots = np.cumsum(sizes) - sizes
    shift = np.repeat(roots, sizes)
    nodes = np.concatenate([nodes for _, nodes in grown])
    leaf = nodes["is_leaf"].astype(bool)
    return BoostedTrees(
        base=base,
        roots=roots,
        target=np.array([k for k, _ in grown], np.int64),
        feature=np.where(leaf, -1, nodes["feature_idx"].astype(np.int64)),
        threshold=nodes["num_threshold"].astype(np.float64),
        left=np.where(leaf, 0, nodes["left"].astype(np.int64) + shift),
        right=np.where(leaf, 0, nodes["right"].astype(np.int64) + shift),
        value=nodes["value"].astype(np.float64),
        width=width,
    )


def _with_every_action(inputs: Array, action: Ints) -> tuple[Array, Ints]:
    """Rows, and one more for each action with all inputs 0: every action is then one of the classes."""
    more = np.arange(NUM_ACTIONS)
    return np.vstack([inputs, np.zeros((more.size, inputs.shape[1]))]), np.concatenate([action, more])


def import_sklearn(module: str) -> Any:
    """A module of scikit-learn, imported when something is trained."""
    try:
        return importlib.import_module(f"sklearn.{module}")
    except ImportError:
        raise SoulreadError(
            "training needs scikit-learn; install the extra 'ml', as in: pip install 'soulread[ml]'"
        ) from None
