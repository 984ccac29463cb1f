"""Games in which one player must follow a model part of the time, and how far plans are from solving them.

Two kinds of restriction lead to the robust counter-strategies of Johanson & Bowling (AISTATS 2009):

* The player follows the model with a probability p that is drawn once a hand (*restricted Nash response*).
  The player's plan is then a mixture of plans,

      y = p y_model + (1 - p) y_free

* The player follows the model with a confidence c(I) that is drawn anew at every information set (*data
  biased response*). The player's behaviour is then a mixture of behaviours, their equation 1,

      tau(I, a) = c(I) model(I, a) + (1 - c(I)) sigma(I, a)

Both sets of plans are convex, and the restricted game is zero-sum like the original one. Regret minimisation
therefore approaches its equilibrium (`soulread.solvers.cfr.minimiser`), and the unrestricted player's part of
it is the response. The gain that is left to the restricted player is computed over the plans the restriction
allows. (A spot with rake is no zero-sum game. Regret minimisation has no such promise there, so the gap is
what counts.) Its best value at a set, with a confidence, and in the whole game, with a p, are

    v(I) = c(I) sum of model(I, a) q(a) + (1 - c(I)) max of q(a),     and   p v(y_model) + (1 - p) max v

Where a model speaks of few sets only, `Lock`s name them block by block. Elsewhere the player is then free,
and nothing is stored for the rest of the game. Locks with a probability p mean **two kinds** of player.
Chance draws the kind once a hand, and the opponent does not see it. The *bound* kind keeps to the locks, and
plays as it likes elsewhere. The *free* kind does anything. Both know their kind, so each has a plan of its
own:

    y = p y_bound + (1 - p) y_free,      best value  p max over bound plans + (1 - p) max over all plans

The opponent maximises p f(x) + (1 - p) g(x), where f is what x wins at least from the bound kind, and g at
least from anybody. With a greater p, f(x) can therefore only grow and g(x) only shrink. If the locks are at
sets before which the player has not acted, this equals locks whose confidence is p.
"""

import hashlib
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.kernel import kernel
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import (
    TOLERANCE,
    Behaviour,
    Plan,
    Plans,
    in_precision,
    mix_plans,
    plan_from_behaviour,
    verify_behaviour,
)
from soulread.seqform.treeplex import Floats, TreeArrays, Treeplex
from soulread.solvers.best_response import best_values
from soulread.solvers.exploitability import house_share, quick_best_response_values, verify_balanced


@dataclass(frozen=True, eq=False)
class Lock:
    """A player's behaviour at the sets of one block, and the confidence in it."""

    block: int
    model: NDArray[np.float64]  # [actions, width] probabilities
    confidence: NDArray[np.float64]  # [width] between 0 (free) and 1 (always the model)


class ForcedPart(NamedTuple):
    """A confidence as kernels read it; the fields are those of `soulread.solvers.cfr.regret.RegretState`."""

    forced: Floats
    freedom: Floats
    forced_at: NDArray[np.int64]
    freedom_at: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Restriction:
    """Which model a player must follow: in a share ``p`` of all hands, or with ``confidence`` at each set.

    With ``locks`` in place of a model, the player follows one at the sets of a few blocks, and is free
    elsewhere. If there is a ``p`` too, the player is bound by the locks in a share p of all hands only.
    """

    tree: Treeplex  # of the restricted player
    model: Behaviour | None = None  # [num_sequences]
    p: float | None = None
    confidence: NDArray[np.float64] | None = None  # [num_sets]
    locks: tuple[Lock, ...] = ()

    def __post_init__(self) -> None:
        if self.locks:
            if not (self.model is None and self.confidence is None):
                raise SoulreadError("a restriction has locks or a model for the whole game, not both")
            self._verify_p()
            self._verify_locks()
            return
        if self.model is None:
            raise SoulreadError("a restriction needs a model or locks")
        verify_behaviour(self.tree, self.model)
        if (self.p is None) == (self.confidence is None):
            raise SoulreadError("a restriction has either a probability p or a confidence for each set")
        self._verify_p()
        if self.confidence is not None:
            if self.confidence.shape != (self.tree.num_sets,):
                raise ShapeError(
                    f"the confidence has shape {self.confidence.shape}, but player {self.player} has "
                    f"{self.tree.num_sets} information sets; was it made for the other player or game?"
                )
            wrong = np.flatnonzero(~((self.confidence >= 0) & (self.confidence <= 1)))
            if wrong.size:
                j = int(wrong[0])
                raise SoulreadError(
                    f"a confidence of {float(self.confidence[j])!r} at {self.tree.label(j)!r}; "
                    "it must lie between 0 and 1"
                )

    def _verify_p(self) -> None:
        if self.p is not None and not 0 <= self.p <= 1:
            raise SoulreadError(f"p={self.p!r}; the probability of following the model lies between 0 and 1")

    def _verify_locks(self) -> None:
        tree, seen = self.tree, set()
        for lock in self.locks:
            if not 0 <= lock.block < tree.num_blocks or lock.block in seen:
                why = "comes twice" if lock.block in seen else f"is not one of {tree.num_blocks}"
                raise SoulreadError(f"a lock on block {lock.block!r}, which {why}")
            seen.add(lock.block)
            first = int(tree.first_set[lock.block])
            shape = len(tree.actions[lock.block]), int(tree.first_set[lock.block + 1]) - first
            if lock.model.shape != shape or lock.confidence.shape != shape[1:]:
                raise ShapeError(
                    f"a lock at {tree.public_history(first)!r} has probabilities of shape {lock.model.shape} "
                    f"and confidences {lock.confidence.shape}, expected {shape} and {shape[1:]}"
                )
            bound = lock.confidence > 0
            if not np.all((lock.confidence >= 0) & (lock.confidence <= 1)):
                raise SoulreadError(
                    f"a confidence of a lock at {tree.public_history(first)!r} is not between 0 and 1"
                )
            sums = lock.model.sum(axis=0)
            wrong = np.flatnonzero(bound & ~((np.abs(sums - 1) <= TOLERANCE) & (lock.model.min(axis=0) >= 0)))
            if wrong.size:
                raise SoulreadError(
                    f"the probabilities of a lock at {tree.label(first + int(wrong[0]))!r} sum to "
                    f"{float(sums[wrong[0]]):.6g} or have one below 0; they must sum to 1"
                )

    @property
    def player(self) -> int:
        """The restricted player."""
        return self.tree.player

    @property
    def has_kinds(self) -> bool:
        """Whether there are two kinds of the player: one bound by locks, and one free."""
        return bool(self.locks) and self.p is not None

    @cached_property
    def model_plan(self) -> Plan:
        """The realisation plan of the model; locks have none, since they say nothing of the other sets."""
        if self.model is None:
            raise SoulreadError("locks are no model of the whole game, so they have no plan")
        return plan_from_behaviour(self.tree, self.model)

    @cached_property
    def checksum(self) -> str:
        """Hexadecimal digest of everything a restricted solve depends on."""
        digest = hashlib.sha256(f"{self.player} {self.p!r} {self.tree.checksum}".encode())
        for lock in self.locks:
            digest.update(str(lock.block).encode())
            digest.update(np.ascontiguousarray(lock.model, dtype="<f8").tobytes())
            digest.update(np.ascontiguousarray(lock.confidence, dtype="<f8").tobytes())
        if self.model is not None:
            digest.update(np.ascontiguousarray(self.model, dtype="<f8").tobytes())
        if self.confidence is not None:
            digest.update(np.ascontiguousarray(self.confidence, dtype="<f8").tobytes())
        return digest.hexdigest()

    def with_p(self, p: float) -> "Restriction":
        """The same model in another share of the hands; the model is not verified again."""
        other = copy(self)
        other.__dict__.pop("checksum", None)
        object.__setattr__(other, "p", p)
        other._verify_p()
        return other

    def verify_game(self, game: SequenceGame) -> None:
        """Raise `ShapeError` unless the restriction was made for a player of ``game``."""
        theirs = game.trees[self.player]
        if theirs is not self.tree and theirs.checksum != self.tree.checksum:
            raise ShapeError(
                f"the restriction of player {self.player} was made for another game than {game.name!r}: "
                f"its {self.tree.num_sets} information sets are not the {theirs.num_sets} of this game"
            )
        verify_balanced(game)

    def forced(self, dtype: DTypeLike) -> ForcedPart:
        """c times the model and 1 - c, block by block; of two kinds, those of the bound one.

        All arrays are empty if a model of the whole game is followed with a probability p.
        """
        tree = self.tree
        if self.p is not None and not self.locks:
            empty, nowhere = np.empty(0, dtype=dtype), np.empty(0, dtype=np.int64)
            return ForcedPart(empty, empty, nowhere, nowhere)
        if self.model is not None and self.confidence is not None:
            forced = np.zeros(tree.num_sequences, dtype=dtype)
            for block, sets, rows in tree.blocks():
                forced[rows] = np.tile(self.confidence[sets], len(tree.actions[block])) * self.model[rows]
            return ForcedPart(
                forced,
                (1 - self.confidence).astype(dtype),
                tree.first_sequence[:-1].astype(np.int64),
                tree.first_set[:-1].astype(np.int64),
            )
        forced_at, freedom_at = (np.full(tree.num_blocks, -1, dtype=np.int64) for _ in range(2))
        models, freedoms = [], []
        first = start = 0
        for lock in self.locks:
            forced_at[lock.block], freedom_at[lock.block] = first, start
            models.append((np.where(lock.confidence > 0, lock.model, 0) * lock.confidence).ravel())
            freedoms.append(1 - lock.confidence)
            first, start = first + lock.model.size, start + lock.confidence.size
        return ForcedPart(
            np.concatenate(models).astype(dtype),
            np.concatenate(freedoms).astype(dtype),
            forced_at,
            freedom_at,
        )

    def plan(self, free: Plan) -> Plan:
        """The plan of a player who follows the model with probability p and otherwise the plan ``free``."""
        if self.p is None or self.locks:
            raise SoulreadError("a confidence for each set mixes behaviours, not plans; and so do locks")
        return in_precision(mix_plans(self.p, self.model_plan, free), free.dtype)

    def best_value(self, gradient: Floats) -> float:
        """The most that the restricted player can win, in chips per hand, against the gradient."""
        self.tree.verify_shape(gradient, "the gradient")
        if self.p is None:
            return self.bound_value(gradient)
        q = gradient.copy()
        best_values(self.tree.arrays, q, np.empty(self.tree.num_sets, dtype=np.int32))
        return self.p * self.bound_value(gradient) + (1 - self.p) * float(q[0])

    def bound_value(self, gradient: Floats) -> float:
        """`best_value` in those hands in which the player is bound: in all of them, if there is no p."""
        if self.p is not None and not self.locks:
            return float(np.dot(self.model_plan, gradient))
        q = gradient.copy()
        restricted_values(self.tree.arrays, q, *self.forced(q.dtype))
        return float(q[0])

    def freedom(self, gradient: Floats, best: float) -> float:
        """The share of an unbound player's winnings that the restricted player can still win; 1 - p for a p.

        Winnings are counted beyond what the model itself wins. ``best`` is the `best_value` against the
        gradient. With locks the player is free almost everywhere, and this is 1.
        """
        if self.p is not None:
            return 1 - self.p
        if self.model is None:
            return 1.0
        q = gradient.copy()
        best_values(self.tree.arrays, q, np.empty(self.tree.num_sets, dtype=np.int32))
        bound = float(np.dot(self.model_plan, gradient))
        most = float(q[0]) - bound
        return (best - bound) / most if most > 0 else 1.0


class Gap(NamedTuple):
    """How far plans are from solving a game."""

    value: float  # half of what both players could still gain under the restriction; chips per hand
    freedom: float = 1.0  # `Restriction.freedom` against what the other player plays


def restricted_gap(game: SequenceGame, plans: Plans, restriction: Restriction | None) -> Gap:
    """How far ``plans`` are from solving the restricted game.

    ``plans`` are what the players really play: for the restricted player, model and free part together.
    A run calls this function at every check, so only the shapes of the plans are verified.
    """
    house = house_share(game, plans)
    if restriction is None:
        return Gap((sum(quick_best_response_values(game, plans)) + house) / 2)
    restriction.verify_game(game)
    villain = restriction.player
    q = game.payoff.gradient(1 - villain, plans[villain])
    tree = game.trees[1 - villain]
    best_values(tree.arrays, q, np.empty(tree.num_sets, dtype=np.int32))
    gradient = game.payoff.gradient(villain, plans[1 - villain])
    best = restriction.best_value(gradient)
    return Gap((float(q[0]) + best + house) / 2, restriction.freedom(gradient, best))


@kernel
def restricted_values(
    tree: TreeArrays,
    q: Floats,
    forced: Floats,
    freedom: Floats,
    forced_at: NDArray[np.int64],
    freedom_at: NDArray[np.int64],
) -> None:
    """Turn a gradient into sequence values, in place, for a player whose free part plays best."""
    for b in range(tree.first_set.size - 2, -1, -1):
        parent = tree.parent_sequence[tree.first_set[b] : tree.first_set[b + 1]]
        width = parent.size
        first, last = tree.first_sequence[b], tree.first_sequence[b + 1]
        top = q[first : first + width].copy()
        for c in range(first + width, last, width):
            for s in range(width):
                top[s] = max(top[s], q[c + s])
        if forced_at[b] >= 0:
            free = freedom[freedom_at[b] : freedom_at[b] + width]
            for s in range(width):
                top[s] *= free[s]
            shift = forced_at[b] - first
            for c in range(first, last, width):
                for s in range(width):
                    top[s] += forced[shift + c + s] * q[c + s]
        for s in range(width):
            q[parent[s]] += top[s]
