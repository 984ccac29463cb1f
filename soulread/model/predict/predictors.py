"""Predictors of actions: what will this player do here? By public play alone; a player's cards do not matter.

All keep to the contract of a `Model` and share one base. A hand becomes rows of features
(`soulread.model.predict.features`) and a predictor learns from the rows of its player:

    FrequencyTable      how often each action came in a context: the 12 of Loki, or Davidson's 84
    NetPredictor        a net trained on many players, whose weights then follow the player, hand by hand
    BoostingPredictor   boosted trees; first those of many players, later trees of the player's own
    CompetingPredictors several of these with memories of different length; better ones count more

Something *generic* is what many other players taught: frequencies, a net or trees. It is the answer for a
player who was never seen. Style, which is a part of the features, tells the generic net and trees how the
player differs from others. All that is learnt beyond that is *specific*.

The chances are over the legal actions: without a bet to call nobody folds, and after the last raise that a
round allows nobody raises. In no-limit any raise counts as a raise, and its chance is put on the raise of the
size of the pot.
"""

import os
from abc import abstractmethod
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import DamagedFile, SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerView
from soulread.hands.hand import Hand
from soulread.model.base import FADING, POSITIVE, SHARE, HandLearner, subject, verify_to_act
from soulread.model.loki.contexts import NUM_ENHANCED, NUM_PREVIOUS
from soulread.model.loki.model import CONTEXTS, PRIOR, default_frequencies, pot_raise
from soulread.model.loki.triples import NUM_CONTEXTS
from soulread.model.predict.features import (
    NUM_FEATURES,
    Array,
    FeatureRows,
    Ints,
    no_counts,
    rows_of,
    rows_of_view,
    style_of,
    styles_before,
)
from soulread.model.predict.files import load_net, read_trained, write_trained
from soulread.model.predict.networks import (
    BoostedTrees,
    Net,
    Scorer,
    TreeSettings,
    chances_of,
    continue_trees,
    train_step,
)
from soulread.model.weights_by_prediction import Weighing
from soulread.options import Bounds

MOST_KEPT = 20_000  # decisions of a player that are remembered for learning again
GENERIC_FILE = "generic-net.safetensors"
_SMALLEST = 1e-12  # chance of an action below which a member of a competition is not punished further


class ActionPredictor(HandLearner):
    """The base of all predictors: rows of features in, chances of actions out, and the player's style.

    ``counts`` are what style is made of (`soulread.model.predict.features.styles_before`), ``num_hands`` the
    hands learnt from. A predictor starts with what is generic and learns from every hand.
    """

    kind: ClassVar[str]  # in files
    SETTINGS: ClassVar[tuple[str, ...]] = ()  # attributes that are arguments of the constructor

    def __init__(self) -> None:
        self.counts = no_counts()
        self.num_hands = 0

    # The contract of a model.

    def update(self, hand: Hand, player: str | None = None) -> Self:
        """Learn from one more hand of hold'em, with any number of players."""
        seat = subject(hand, player)
        rows = _rows_of_hand(hand)
        self.learn(rows.take(rows.seat == seat))
        return self

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The probability of each action of ``seat``, which is to act; see `soulread.model.base.Model`."""
        verify_to_act(view, seat)
        fold, call, raised = self.foresee(rows_of_view(view, seat).last)[0].tolist()
        answer = {FOLD: fold} if FOLD in view.choices else {}
        answer[CALL] = call
        if raised > 0:
            answer[pot_raise(view, seat)] = raised
        return answer

    # Rows of features.

    def reset(self) -> None:
        """Forget the player."""
        self.counts[:] = 0
        self.num_hands = 0
        self._forget()

    def foresee(self, rows: FeatureRows) -> Array:
        """``[rows, 3]`` the chances of fold, call and raise at decisions of the player's next hand."""
        return self.chances(self.inputs(rows), rows)

    def inputs(self, rows: FeatureRows) -> Array:
        """``[rows, NUM_FEATURES]`` the situations, and the style of the player now."""
        style = np.broadcast_to(style_of(self.counts), (len(rows), NUM_FEATURES - rows.situation.shape[1]))
        return np.hstack([rows.situation, style])

    def learn(self, rows: FeatureRows) -> None:
        """Learn from the player's decisions of one more hand."""
        if len(rows):
            before = styles_before(rows, np.zeros(len(rows), np.int64), self.counts[None])
            kept = rows.chosen
            self._learn(np.hstack([rows.situation, before])[kept], rows.take(kept))
        self.num_hands += 1

    @abstractmethod
    def _forget(self) -> None:
        """Go back to what is generic."""

    @abstractmethod
    def _learn(self, inputs: Array, rows: FeatureRows) -> None:
        """Learn from the decisions of one hand that had a choice; there may be none."""

    @abstractmethod
    def chances(self, inputs: Array, rows: FeatureRows) -> Array:
        """``[rows, 3]`` chances of legal actions, for inputs ``[rows, NUM_FEATURES]`` of these rows."""

    # Files.

    def settings(self) -> dict[str, Any]:
        """The settings that the predictor was made with, for JSON."""
        return {name: getattr(self, name) for name in self.SETTINGS}

    @abstractmethod
    def _tensors(self) -> dict[str, NDArray[Any]]:
        """All else that its answers depend on."""

    @classmethod
    @abstractmethod
    def _restored(cls, settings: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The opposite of `settings` and `_tensors`."""

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Everything learnt, by name."""
        return {"counts": self.counts, "hands": np.array([self.num_hands]), **self._tensors()}

    @classmethod
    def restored(cls, settings: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The predictor that has these `settings` and `tensors`."""
        found = cls._restored(settings, tensors)
        found.counts[:] = tensors["counts"]
        found.num_hands = int(tensors["hands"][0])
        return found


@lru_cache(maxsize=16)
def _rows_of_hand(hand: Hand) -> FeatureRows:
    """The decisions of a hand; all models at a table ask for the same one."""
    return rows_of([hand])


# Frequencies.

NUM_CELLS = 2 * NUM_ENHANCED  # each of the 84 contexts, without and with a raise allowed


def cells_of(rows: FeatureRows) -> Ints:
    """``[rows]`` the cell of each decision: Davidson's context, and whether a raise was allowed."""
    return 2 * rows.context + rows.legal[:, RAISE]


def count_cells(rows: FeatureRows) -> Array:
    """``[NUM_CELLS, 3]`` how often each action was taken in each cell."""
    found = np.zeros((NUM_CELLS, 3))
    kept = rows.take(rows.chosen)
    np.add.at(found, (cells_of(kept), kept.action), 1.0)
    return found


def _coarse(cells: Array) -> Array:
    """Counts of the 84 contexts, each cell with those of all that belong to the same one of the 12."""
    whole = cells.reshape(NUM_CONTEXTS, NUM_PREVIOUS, 2, 3).sum(axis=1, keepdims=True)
    return np.broadcast_to(whole, (NUM_CONTEXTS, NUM_PREVIOUS, 2, 3)).reshape(NUM_CELLS, 3)


@cache
def default_cells() -> Array:
    """``[NUM_CELLS, 3]`` Loki's generic frequencies for six players, as counts of `PRIOR` observations."""
    found = np.zeros((NUM_CONTEXTS, NUM_PREVIOUS, 2, 3))
    for previous in range(NUM_PREVIOUS):
        fold, raised = default_frequencies(6, previous).T
        for may_raise in range(2):
            found[:, previous, may_raise, FOLD] = fold
            found[:, previous, may_raise, RAISE] = raised * may_raise
            found[:, previous, may_raise, CALL] = 1 - fold - raised * may_raise
    found *= PRIOR
    return found.reshape(NUM_CELLS, 3)


class FrequencyTable(ActionPredictor):
    """How often each action came in a context, started at generic frequencies, as if these were seen k times.

        chance = (k generic + n own) / (k + n)          k = ``prior``, n observations of the context

    ``contexts`` is "12" or "davidson". ``generic`` has counts of other players, `count_cells`; without it
    Loki's default frequencies are taken. ``window`` is how many hands are remembered (0: all), and ``decay``
    what the weight of all older hands is multiplied by after every hand.
    """

    kind = "table"
    SETTINGS = "contexts", "prior", "window", "decay"

    def __init__(
        self,
        contexts: str = "davidson",
        generic: Array | None = None,
        prior: float = PRIOR,
        window: int = 0,
        decay: float = 1.0,
    ) -> None:
        Bounds(choices=CONTEXTS).verify("contexts", contexts)
        POSITIVE.verify("prior", prior)
        Bounds(low=0).verify("window", window)
        FADING.verify("decay", decay)
        super().__init__()
        self.contexts = contexts
        self.prior = prior
        self.window = window
        self.decay = decay
        self.generic = default_cells() if generic is None else generic
        counts = self._sorted(self.generic + 0.01 * default_cells())  # something also where nobody was seen
        self.start = counts / counts.sum(axis=1, keepdims=True)
        self.observed = np.zeros((NUM_CELLS, 3))
        self._recent: deque[tuple[Ints, Ints]] = deque()

    def _sorted(self, cells: Array) -> Array:
        return _coarse(cells) if self.contexts == "12" else cells

    def _forget(self) -> None:
        self.observed[:] = 0
        self._recent.clear()

    def _learn(self, inputs: Array, rows: FeatureRows) -> None:
        if self.decay < 1:
            self.observed *= self.decay
        cells = cells_of(rows)
        np.add.at(self.observed, (cells, rows.action), 1.0)
        if self.window:
            self._recent.append((cells, rows.action))
            while len(self._recent) > self.window:
                np.add.at(self.observed, self._recent.popleft(), -(self.decay**self.window))

    def chances(self, inputs: Array, rows: FeatureRows) -> Array:
        """Chances of legal actions; a table looks at the contexts of the rows, not at the inputs."""
        cells = cells_of(rows)
        if self.contexts == "12":
            own = self.observed.reshape(NUM_CONTEXTS, NUM_PREVIOUS, 2, 3).sum(axis=1)
            seen = own[rows.context // NUM_PREVIOUS, cells % 2]
        else:
            seen = self.observed[cells]
        mixed = self.prior * self.start[cells] + np.maximum(seen, 0.0)
        found: Array = np.where(rows.legal, mixed, 0.0)
        found /= found.sum(axis=1, keepdims=True)
        return found

    def _tensors(self) -> dict[str, NDArray[Any]]:
        sizes = np.array([len(cells) for cells, _ in self._recent], np.int64)
        recent = [np.concatenate([part[i] for part in self._recent] or [sizes]) for i in (0, 1)]
        return {
            "generic": self.generic,
            "observed": self.observed,
            "recent sizes": sizes,
            "recent cells": recent[0],
            "recent actions": recent[1],
        }

    @classmethod
    def _restored(cls, settings: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        found = cls(**settings, generic=np.array(tensors["generic"]))
        found.observed[:] = tensors["observed"]
        ends = np.cumsum(tensors["recent sizes"])[:-1]
        if tensors["recent sizes"].size:
            parts = (np.split(np.array(tensors[f"recent {name}"]), ends) for name in ("cells", "actions"))
            found._recent.extend(zip(*parts, strict=True))
        return found


# Nets.


@cache
def generic_net() -> Net:
    """The net that comes with soulread, trained on people; ``benchmarks/fit_predictor.py`` made it."""
    with resources.as_file(resources.files("soulread.model.predict") / GENERIC_FILE) as path:
        return load_net(path)


class NetPredictor(ActionPredictor):
    """A generic net, whose weights follow the player.

    After every hand the weights take a step of size ``rate`` for each decision of the player in this hand.
    With ``rate`` 0 only the player's style is learnt. Without ``generic`` the net that comes with soulread is
    taken.

    The net counts its mistakes (``confusion [3, 3]``: actions taken, actions foretold), and ``soften`` is how
    far a triple takes them into account (Davidson 1999): 0 not at all, 1 in full (`softened`).
    """

    kind = "net"
    SETTINGS = "rate", "soften"
    RATE = 0.002

    def __init__(self, generic: Net | None = None, rate: float = RATE, soften: float = 0.0) -> None:
        SHARE.verify("rate", rate)
        SHARE.verify("soften", soften)
        super().__init__()
        self.generic = generic_net() if generic is None else generic
        verify_inputs(self.generic, NUM_FEATURES)
        self.rate = rate
        self.soften = soften
        self.net = self.generic.copy()
        self.confusion = np.zeros((3, 3))

    def _forget(self) -> None:
        self.net = self.generic.copy()
        self.confusion[:] = 0

    def _learn(self, inputs: Array, rows: FeatureRows) -> None:
        foretold = chances_of(self.net.scores(inputs), rows.legal).argmax(axis=1)
        np.add.at(self.confusion, (rows.action, foretold), 1.0)
        if self.rate:
            train_step(inputs, rows.legal, rows.action, self.rate, self.net)

    def chances(self, inputs: Array, rows: FeatureRows) -> Array:
        """Chances of legal actions, for rows of inputs."""
        given = chances_of(self.net.scores(inputs), rows.legal)
        if not self.soften:
            return given
        mixed: Array = (1 - self.soften) * given + self.soften * softened(given, rows.legal, self.confusion)
        return mixed

    def _tensors(self) -> dict[str, NDArray[Any]]:
        generic = {f"generic {name}": array for name, array in self.generic.tensors().items()}
        return {**self.net.tensors(), **generic, "confusion": self.confusion}

    @classmethod
    def _restored(cls, settings: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        found = cls(Net.from_tensors(named(tensors, "generic ")), **settings)
        found.net = Net.from_tensors(tensors)
        if "confusion" in tensors:  # files of before have none
            found.confusion[:] = tensors["confusion"]
        return found


def softened(chances: Array, legal: NDArray[np.bool_], confusion: Array) -> Array:
    """Chances ``[rows, 3]`` made more careful by the mistakes of who gave them.

    ``confusion [done, foretold]`` counts earlier decisions. Of those at which j was foretold, the share
    P(i | j) had the action i. The chance of i becomes the sum over j of P(i | j) times the chance of j, among
    the legal actions. `PRIOR` decisions without a mistake are added for each j, so that a net is trusted
    until it errs.
    """
    counts = confusion + PRIOR * np.eye(3)
    found: Array = np.where(legal, chances @ (counts / counts.sum(axis=0)).T, 0.0)
    found /= found.sum(axis=1, keepdims=True)
    return found


def verify_inputs(scorer: Scorer, inputs: int) -> None:
    """Raise unless a net or trees take rows of so many numbers."""
    if scorer.num_inputs != inputs:
        raise SoulreadError(
            f"a net or trees of {scorer.num_inputs} inputs, but a decision has {inputs} features: it was "
            "made by another version of soulread; train it again"
        )


def named(tensors: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    """Those tensors whose names have a prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in tensors.items() if name.startswith(prefix)}


# Boosting.


class _Memory:
    """The decisions of a player: inputs, legal actions, actions; the oldest go when there are too many."""

    def __init__(self) -> None:
        self.inputs = np.zeros((0, NUM_FEATURES))
        self.legal = np.zeros((0, 3), np.bool_)
        self.action = np.zeros(0, np.int64)
        self.size = 0

    def add(self, inputs: Array, rows: FeatureRows) -> None:
        """Remember decisions."""
        need = self.size + len(rows)
        if need > len(self.action):
            keep = slice(max(0, self.size - MOST_KEPT), self.size)
            room = max(64, 2 * (need - keep.start))
            for name in ("inputs", "legal", "action"):
                old = getattr(self, name)[keep]
                new = np.zeros((room, *old.shape[1:]), old.dtype)
                new[: len(old)] = old
                setattr(self, name, new)
            self.size -= keep.start
        end = self.size + len(rows)
        self.inputs[self.size : end] = inputs
        self.legal[self.size : end] = rows.legal
        self.action[self.size : end] = rows.action
        self.size = end

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The remembered decisions, by name."""
        return {
            "memory inputs": self.inputs[: self.size],
            "memory legal": self.legal[: self.size],
            "memory action": self.action[: self.size],
        }

    @classmethod
    def restored(cls, tensors: Mapping[str, NDArray[Any]]) -> Self:
        """The opposite of `tensors`."""
        found = cls()
        found.inputs, found.legal, found.action = (
            np.array(tensors[f"memory {name}"]) for name in ("inputs", "legal", "action")
        )
        found.size = len(found.action)
        return found


class BoostingPredictor(ActionPredictor):
    """Boosted trees: generic ones, and after ``first`` hands trees of the player's own.

    The player's own trees go on where the generic ones end: they are fitted to what these lack, and the
    scores of both add up. They are grown anew from all the player's decisions after ``first`` hands, and
    whenever half as many hands have come again. ``generic`` may be trees or a net; without it the net that
    comes with soulread is taken.
    """

    kind = "boosting"
    FIRST = 200
    GROWTH = 1.5
    OWN = TreeSettings(rounds=10, rate=0.2, leaves=4, least=40)

    def __init__(
        self,
        generic: BoostedTrees | Net | None = None,
        first: int = FIRST,
        own: TreeSettings = OWN,
        seed: int = 0,
    ) -> None:
        Bounds(low=0).verify("first", first)
        super().__init__()
        self.generic: Scorer = generic_net() if generic is None else generic
        verify_inputs(self.generic, NUM_FEATURES)
        self.first = first
        self.own = own
        self.seed = seed
        self._forget()

    def _forget(self) -> None:
        self._memory = _Memory()
        self._trees: BoostedTrees | None = None
        self._due: tuple[Array, NDArray[np.bool_], Ints] | None = None  # what trees are to be grown from
        self._next = self.first  # hands after which they are grown anew

    def _learn(self, inputs: Array, rows: FeatureRows) -> None:
        if not self.first:
            return
        memory = self._memory
        memory.add(inputs, rows)
        if self.num_hands + 1 >= self._next:
            count = memory.size
            self._due = memory.inputs[:count], memory.legal[:count], memory.action[:count]
            self._next = max(self._next + 1, int(self.GROWTH * self._next))

    def _grow(self) -> None:
        """Grow the player's own trees if it is time. When somebody asks does not matter to the trees."""
        if self._due is not None:
            inputs, legal, action = self._due
            scores = self.generic.scores(inputs)
            self._trees = continue_trees(inputs, legal, action, scores, self.own, self.seed)
            self._due = None

    def chances(self, inputs: Array, rows: FeatureRows) -> Array:
        """Chances of legal actions, for rows of inputs."""
        self._grow()
        scores = self.generic.scores(inputs)
        if self._trees is not None:
            scores += self._trees.scores(inputs)
        return chances_of(scores, rows.legal)

    def settings(self) -> dict[str, Any]:
        """When and how trees of the player's own are grown."""
        return {"first": self.first, "seed": self.seed, "own": asdict(self.own)}

    def _tensors(self) -> dict[str, NDArray[Any]]:
        self._grow()
        generic = {f"generic {name}": array for name, array in self.generic.tensors().items()}
        trees = {} if self._trees is None else self._trees.tensors()
        return {**trees, **generic, **self._memory.tensors(), "next": np.array([self._next])}

    @classmethod
    def _restored(cls, settings: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        generic = named(tensors, "generic ")
        made = Net.from_tensors(generic) if "w1" in generic else BoostedTrees.from_tensors(generic)
        found = cls(made, settings["first"], TreeSettings(**settings["own"]), settings["seed"])
        found._memory = _Memory.restored(tensors)
        found._next = int(tensors["next"][0])
        if "roots" in tensors:
            found._trees = BoostedTrees.from_tensors(tensors)
            verify_inputs(found._trees, NUM_FEATURES)
        return found


# Competition.


class CompetingPredictors(ActionPredictor):
    """Several predictors of one player, for players who change; see `soulread.model.weights_by_prediction`.

    Each member has foreseen every hand before it came. Its weight is the product of the chances it gave to
    what then was done, of which the past fades: the logarithm of a weight is multiplied by ``keep`` before
    every hand. So the last 1 / (1 - keep) hands decide, and the best member *now* counts most. A share
    ``drift`` of all weight is dealt out evenly before every hand. Chances are the weighted mean.

    ``history`` has the weights after every hand.
    """

    kind = "competing"
    KEEP = 0.99
    DRIFT = 1e-3

    def __init__(
        self, members: Mapping[str, ActionPredictor], keep: float = KEEP, drift: float = DRIFT
    ) -> None:
        super().__init__()
        if not members:
            raise SoulreadError("a competition needs members")
        self.members = dict(members)
        self.weighing = Weighing(np.full(len(self.members), 1 / len(self.members)), drift, keep)
        self._history: list[Array] = []

    @property
    def history(self) -> Array:
        """``[hands, members]`` the weights after every hand."""
        return np.array(self._history).reshape(len(self._history), len(self.members))

    def _forget(self) -> None:
        for member in self.members.values():
            member.reset()
        self.weighing.reset()
        self._history.clear()

    def learn(self, rows: FeatureRows) -> None:
        """Judge the members by the player's decisions of one more hand, then let them learn from it."""
        kept = rows.take(rows.chosen)
        if len(kept):
            taken = np.arange(len(kept)), kept.action
            given = np.array([member.foresee(kept)[taken].prod() for member in self.members.values()])
            self.weighing.judge(np.maximum(given, _SMALLEST))
        self._history.append(self.weighing.weights)
        for member in self.members.values():
            member.learn(rows)
        super().learn(rows)

    def _learn(self, inputs: Array, rows: FeatureRows) -> None:
        """The members have learnt."""

    def chances(self, inputs: Array, rows: FeatureRows) -> Array:
        """The weighted mean of what the members give."""
        given = np.array([member.foresee(rows) for member in self.members.values()])
        found: Array = np.tensordot(self.weighing.weights, given, axes=1)
        return found

    def settings(self) -> dict[str, Any]:
        """How weights fade, and the members with theirs."""
        members = [
            {"name": name, "kind": member.kind, "settings": member.settings()}
            for name, member in self.members.items()
        ]
        return {"keep": self.weighing.keep, "drift": self.weighing.drift, "members": members}

    def _tensors(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {"weights": self.weighing.weights, "history": self.history}
        for number, member in enumerate(self.members.values()):
            found |= {f"member {number} {name}": array for name, array in member.tensors().items()}
        return found

    @classmethod
    def _restored(cls, settings: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> Self:
        members = {
            about["name"]: KINDS[about["kind"]].restored(
                about["settings"], named(tensors, f"member {number} ")
            )
            for number, about in enumerate(settings["members"])
        }
        found = cls(members, settings["keep"], settings["drift"])
        found.weighing.weights = np.array(tensors["weights"])
        found._history = list(np.array(tensors["history"]))
        return found


def memories(net: Net | None = None, cells: Array | None = None) -> dict[str, ActionPredictor]:
    """The members that compete by default: tables and nets with long memories, short ones, and none."""
    return {
        "table, all hands": FrequencyTable(generic=cells),
        "table, last 100 hands": FrequencyTable(generic=cells, window=100),
        "table, fading by 0.98": FrequencyTable(generic=cells, decay=0.98),
        "net, style only": NetPredictor(net, rate=0.0),
        "net, slow": NetPredictor(net),
        "net, fast": NetPredictor(net, rate=5 * NetPredictor.RATE),
    }


KINDS: dict[str, type[ActionPredictor]] = {
    made.kind: made for made in (FrequencyTable, NetPredictor, BoostingPredictor, CompetingPredictors)
}
"""Predictors by their names in files."""


def save_predictor(path: str | os.PathLike[str], predictor: ActionPredictor, player: str = "") -> None:
    """Write a predictor and the name of its player; the file is written whole or not at all."""
    made = {"kind": predictor.kind, "settings": predictor.settings(), "player": player}
    write_trained(Path(path), made, predictor.tensors())


def load_predictor(path: str | os.PathLike[str]) -> tuple[ActionPredictor, str]:
    """Read a predictor and the name of its player. A file that is damaged anywhere is refused."""
    source = Path(path)
    made, tensors = read_trained(source)
    if made["kind"] not in KINDS:
        known = ", ".join(KINDS)
        raise SoulreadError(f"{str(source)!r} is a {made['kind']}, not a predictor of a player: {known}")
    try:
        return KINDS[made["kind"]].restored(made["settings"], tensors), str(made["player"])
    except DamagedFile as error:
        raise DamagedFile(f"{str(source)!r}: {error}") from None
    except SoulreadError:
        raise
    except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
        raise DamagedFile(f"{str(source)!r} is a predictor with a broken entry: {error}") from None


# Many players at once.


def players_of(rows: FeatureRows, hands: Sequence[Hand]) -> tuple[list[str], Ints]:
    """The players of hands, and who of them made each decision."""
    numbers: dict[tuple[str, str], int] = {}  # a name in two rooms is two players
    seats = [[numbers.setdefault((name, hand.room), len(numbers)) for name in hand.players] for hand in hands]
    first = np.cumsum([0, *map(len, seats)])[:-1]
    flat = np.array([number for row in seats for number in row], np.int64)
    return [name for name, _ in numbers], flat[first[rows.hand] + rows.seat]


def generic_inputs(hands: Sequence[Hand], without: Iterable[str] = ()) -> tuple[Array, FeatureRows]:
    """The inputs ``[rows, NUM_FEATURES]`` and decisions of everybody, for training something generic.

    Hands must be in the order of time. Decisions of the players ``without`` are left out.
    """
    rows = rows_of(hands)
    names, player = players_of(rows, hands)
    styles = styles_before(rows, player, no_counts(len(names)))
    out = set(without)
    kept = rows.chosen & ~np.array([name in out for name in names], np.bool_)[player]
    return np.hstack([rows.situation, styles])[kept], rows.take(kept)
