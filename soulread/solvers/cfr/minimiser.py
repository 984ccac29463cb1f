"""Counterfactual regret minimisation over two treeplexes and a payoff operator.

One iteration computes, for each player, the gradient against the opponent's current plan and then makes one
update of `soulread.solvers.cfr.regret`. CFR, CFR+, linear CFR, DCFR and predictive CFR+ are settings of the
update. On sparse payoffs many iterations run inside one kernel. On factored payoffs the gradients are matrix
products outside the kernel. With a `Restriction` (`soulread.solvers.restricted`) one player must follow a
model at times. Where that makes two kinds of the player, each kind has regrets of its own. Both meet the same
gradient, and the opponent meets the mixture of their plans.

Gradients are linear in the plan. So the gradient against the *average* plan of the player who moves first is
the average of the gradients that were computed anyway (`RegretMinimiser.slope`).
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.kernel import kernel
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import SparsePayoff, SparseRows, sparse_gradient
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    Plans,
    behaviour_from_plan,
    fill_plan,
    in_precision,
    mix_plans,
    plan_from_behaviour,
    uniform_behaviour,
)
from soulread.seqform.treeplex import Floats, TreeArrays, Treeplex
from soulread.solvers.cfr.regret import (
    Discounts,
    Exponents,
    RegretScratch,
    RegretState,
    Schedule,
    approach,
    discounts,
    start_player,
    update_once,
    update_player,
)
from soulread.solvers.restricted import Restriction

_NO_FREEDOM = 1e-3  # with less freedom than this, the average of the free part is only rounding error


class RegretMinimiser:
    """Both players of a game on their way to equilibrium. Starts from uniform play.

    ``first`` is the player who is updated first in an iteration, where they alternate.
    """

    def __init__(
        self,
        game: SequenceGame,
        schedule: Schedule,
        restriction: Restriction | None = None,
        first: int = 0,
    ) -> None:
        self.game = game
        self.schedule = schedule
        self.first = first
        self._slope: Floats | None = None
        self._players = (self._start(game.trees[0]), self._start(game.trees[1]))
        self._scratch = (self._room(game.trees[0]), self._room(game.trees[1]))
        self.restriction: Restriction | None = None
        self._kinds: _Kinds | None = None
        self.restart(restriction)

    def _start(self, tree: Treeplex) -> RegretState:
        behaviour = uniform_behaviour(tree, self.game.payoff.dtype)
        return start_player(behaviour, plan_from_behaviour(tree, behaviour))

    def _room(self, tree: Treeplex) -> RegretScratch:
        dtype = self.game.payoff.dtype
        return RegretScratch(
            np.empty(tree.num_sequences, dtype),
            np.empty(tree.max_width, dtype),
            np.empty(tree.max_width, dtype),
        )

    def restart(self, restriction: Restriction | None, memory: float = 1.0, past: int = 0) -> None:
        """Start again under another restriction, or none, from the present behaviours.

        Regrets are kept, multiplied by ``memory``. If the new restriction differs little from the last one,
        few iterations then lead to its equilibrium. The schedule goes on as if ``past`` iterations had been
        made, and the average so far counts as the average of those. With ``past=0`` both begin anew.
        """
        if not 0 <= memory <= 1:
            raise SoulreadError(
                f"memory={memory!r}; the part of the regrets that is kept lies between 0 and 1"
            )
        if past < 0:
            raise SoulreadError(f"past={past!r}; iterations cannot be fewer than 0")
        if restriction is not None:
            restriction.verify_game(self.game)
        kinds = self._start_kinds(restriction, memory, past)
        if not past:
            self._slope = None
        first, second = (self._restarted(i, restriction, kinds is not None, memory, past) for i in (0, 1))
        self.restriction = restriction
        self.iteration = past
        self._weight = 0.0
        for iteration in range(1, past + 1):
            self._weight = discounts(iteration, self.schedule.exponents, self._weight).weight
        self._players = (first, second)
        self._kinds = kinds

    def _restarted(
        self, i: int, restriction: Restriction | None, has_kinds: bool, memory: float, past: int
    ) -> RegretState:
        """A player under another restriction. Plans change only if it binds the player, or did, at sets."""
        tree, before = self.game.trees[i], self._players[i]
        if memory != 1:
            before.regret[:] *= memory
        empty, nowhere = np.empty(0, dtype=self.game.payoff.dtype), np.empty(0, dtype=np.int64)
        player = before._replace(
            forced=empty, freedom=empty, forced_at=nowhere, freedom_at=nowhere, anchor=empty, share=1.0
        )
        if restriction is None or has_kinds:
            pass
        elif restriction.player == i:
            player = player._replace(**restriction.forced(empty.dtype)._asdict())
        elif restriction.p is not None:
            anchor = self.game.payoff.gradient(i, in_precision(restriction.model_plan, empty.dtype))
            player = player._replace(anchor=anchor, share=1.0 - restriction.p)
        if before.forced_at.size or player.forced_at.size:
            self._fill_plans(tree, player, self._free_average(tree, before) if past else None)
            self._slope = None
        elif not past:
            player.average[:] = player.plan
        return player

    def trust(self, p: float) -> None:
        """Go on under the same restriction with another p. Averages and the schedule go on too."""
        restriction = self.restriction
        if restriction is None or restriction.p is None or restriction.locks:
            raise SoulreadError("there is no model that the opponent follows with a probability")
        self.restriction = restriction.with_p(p)
        first, second = (
            player._replace(share=1.0 - p) if player.anchor.size else player for player in self._players
        )
        self._players = (first, second)

    def _start_kinds(self, restriction: Restriction | None, memory: float, past: int) -> "_Kinds | None":
        """The bound kind under a new restriction: as under the last one, or else as the free kind is now."""
        if restriction is None or not restriction.has_kinds:
            return None
        before, last, tree = self._kinds, self.restriction, self.game.trees[restriction.player]
        if before is not None and last is not None and last.player == restriction.player:
            bound, room, mixed = before
        else:
            bound = self._players[restriction.player]
            bound = bound._replace(
                regret=bound.regret.copy(),
                behaviour=bound.behaviour.copy(),
                plan=bound.plan.copy(),
                average=bound.average.copy(),
            )
            room, mixed = self._room(tree), np.empty_like(bound.plan)
        average = self._free_average(tree, bound) if past else None
        bound.regret[:] *= memory
        empty = np.empty(0, dtype=self.game.payoff.dtype)
        forced = restriction.forced(self.game.payoff.dtype)
        bound = bound._replace(anchor=empty, share=1.0, **forced._asdict())
        self._fill_plans(tree, bound, average)
        return _Kinds(bound, room, mixed)

    def _fill_plans(self, tree: Treeplex, player: RegretState, average: Behaviour | None) -> None:
        """Fill the plan of a player's behaviour, and the average: that of a behaviour, or the plan itself."""
        self._fill_plan(tree, player, player.behaviour, player.plan)
        if average is None:
            player.average[:] = player.plan
        else:
            self._fill_plan(tree, player, average, player.average)

    def _free_average(self, tree: Treeplex, player: RegretState) -> Behaviour:
        """The average behaviour of a player's free part; where that part has no freedom, the present one."""
        behaviour = behaviour_from_plan(tree, Plan(player.average))
        for block, rows, forced, freedom in _bound_blocks(tree, player):
            shape = len(tree.actions[block]), -1
            free = np.maximum(behaviour[rows] - forced, 0).reshape(shape)
            total = free.sum(axis=0)
            known = (freedom > _NO_FREEDOM) & (total > 0)
            now = player.behaviour[rows].reshape(shape)
            behaviour[rows] = np.where(known, free / np.where(known, total, 1), now).ravel()
        return behaviour

    def _fill_plan(self, tree: Treeplex, player: RegretState, free: Floats, plan: Floats) -> None:
        """The plan of a player whose free part plays ``free``."""
        behaviour = free.copy() if player.forced_at.size else free
        for block, rows, forced, freedom in _bound_blocks(tree, player):
            behaviour[rows] = forced + np.tile(freedom, len(tree.actions[block])) * free[rows]
        fill_plan(tree.arrays, behaviour, plan)

    @property
    def plans(self) -> Plans:
        """The average plans so far, which approach an equilibrium.

        The plan of a restricted player is all that the player plays, model included. The arrays are views
        and change with the next iterations; only a player who follows a model with probability p has a new
        array.
        """
        return self._played("average", 0), self._played("average", 1)

    def slope(self) -> Floats:
        """The other player's gradient against the average plan of the one who moves first; a view.

        Once asked for, it is kept up to date by the iterations, so that asking again costs nothing.
        """
        if self._slope is None:
            self._slope = self.game.payoff.gradient(1 - self.first, self.plans[self.first])
        return self._slope

    @property
    def current(self) -> Plans:
        """The plans of the last iteration, as in `plans`."""
        return self._played("plan", 0), self._played("plan", 1)

    def _played(self, what: str, player: int) -> Plan:
        restriction = self.restriction
        plan: Floats = getattr(self._players[player], what)
        if restriction is None or restriction.player != player or restriction.p is None:
            return Plan(plan)
        if self._kinds is not None:
            bound: Floats = getattr(self._kinds.bound, what)
            return in_precision(mix_plans(restriction.p, Plan(bound), Plan(plan)), plan.dtype)
        return restriction.plan(Plan(plan))

    @property
    def behaviours(self) -> Behaviours:
        """The behaviours of the last iteration, at unreached sets too; of two kinds, that of the free one.

        Of a player who is bound by a confidence, it is the behaviour of the free part. The arrays are views.
        """
        return Behaviour(self._players[0].behaviour), Behaviour(self._players[1].behaviour)

    def advance(self, iterations: int) -> None:
        """Run so many iterations more. How they are split over calls does not change the result."""
        payoff, trees = self.game.payoff, self.game.trees
        order = (self.first, 1 - self.first)
        if isinstance(payoff, SparsePayoff) and self._kinds is None:
            first, second = (
                SparseSide(trees[i].arrays, payoff.rows[i], self._players[i], self._scratch[i]) for i in order
            )
            self._weight = run_sparse(
                iterations,
                self.iteration,
                self._weight,
                self.schedule.exponents,
                self.schedule.alternating,
                first,
                second,
            )
            self.iteration += iterations
            self._slope = None
            return
        bound = self.restriction is not None and self.restriction.player == self.first
        if bound or not self.schedule.alternating:  # then the plans met are not those that are averaged
            self._slope = None
        for _ in range(iterations):
            numbers = discounts(self.iteration + 1, self.schedule.exponents, self._weight)
            for player in order:
                gradient = payoff.gradient(player, self._opposing(player), out=self._scratch[player].q)
                if self._slope is not None and player != self.first:
                    approach(self._slope, gradient, numbers.step)
                if self.schedule.alternating:
                    self._update(player, numbers)
            if not self.schedule.alternating:
                for player in order:
                    self._update(player, numbers)
            self._weight = numbers.weight
            self.iteration += 1

    def _opposing(self, player: int) -> Plan:
        """The plan that a player meets now, but for a model that is followed with a probability."""
        kinds, restriction = self._kinds, self.restriction
        plan = self._players[1 - player].plan
        if kinds is None or restriction is None or restriction.p is None or restriction.player == player:
            return Plan(plan)
        np.multiply(kinds.bound.plan, plan.dtype.type(restriction.p), out=kinds.mixed)
        np.multiply(plan, plan.dtype.type(1 - restriction.p), out=kinds.room.q)  # free at this moment
        np.add(kinds.mixed, kinds.room.q, out=kinds.mixed)
        return Plan(kinds.mixed)

    def _update(self, player: int, numbers: Discounts) -> None:
        """Update a player once, or both kinds of a player, by the gradient in the player's scratch space."""
        tree, scratch = self.game.trees[player].arrays, self._scratch[player]
        kinds, restriction = self._kinds, self.restriction
        if kinds is not None and restriction is not None and restriction.player == player:
            kinds.room.q[:] = scratch.q
            update_once(tree, kinds.bound, kinds.room, numbers)
        update_once(tree, self._players[player], scratch, numbers)

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Everything a later run needs to go on as if it had not been interrupted."""
        result: dict[str, NDArray[Any]] = {"weight": np.array([self._weight])}
        for name, _, player in self._parties():
            result |= {
                f"regret{name}": player.regret,
                f"behaviour{name}": player.behaviour,
                f"average{name}": player.average,
            }
        return result

    def _parties(self) -> Iterator[tuple[str, Treeplex, RegretState]]:
        """Both players, and the bound kind of one of them if there is such a kind."""
        for i, player in enumerate(self._players):
            yield str(i), self.game.trees[i], player
        if self._kinds is not None and self.restriction is not None:
            yield "_bound", self.restriction.tree, self._kinds.bound

    def notes(self) -> dict[str, Any]:
        """The part of the state that is no array: none."""
        return {}

    def restore(self, iteration: int, tensors: Mapping[str, NDArray[Any]], notes: Mapping[str, Any]) -> None:
        """The opposite of `tensors` and `notes`."""
        self.iteration = iteration
        self._weight = float(tensors["weight"][0])
        for name, tree, player in self._parties():
            player.regret[:] = tensors[f"regret{name}"]
            player.behaviour[:] = tensors[f"behaviour{name}"]
            player.average[:] = tensors[f"average{name}"]
            self._slope = None
            self._fill_plan(tree, player, player.behaviour, player.plan)


class _Kinds(NamedTuple):
    """The bound kind of a player who has two kinds; the free kind is among the players."""

    bound: RegretState
    room: RegretScratch
    mixed: Floats  # [num_sequences] the plan of both together


def _bound_blocks(tree: Treeplex, player: RegretState) -> Iterator[tuple[int, slice, Floats, Floats]]:
    """Each block that is bound to a model: its sequences, the forced probabilities and the freedom of its
    sets.
    """
    for block in np.flatnonzero(player.forced_at >= 0).tolist():
        rows = slice(int(tree.first_sequence[block]), int(tree.first_sequence[block + 1]))
        width = int(tree.first_set[block + 1] - tree.first_set[block])
        first, start = int(player.forced_at[block]), int(player.freedom_at[block])
        forced = player.forced[first : first + rows.stop - rows.start]
        yield block, rows, forced, player.freedom[start : start + width]


class SparseSide(NamedTuple):
    """All that an iteration on sparse payoffs needs of one player."""

    tree: TreeArrays
    rows: SparseRows  # this player's payoffs
    player: RegretState
    scratch: RegretScratch


@kernel
def run_sparse(
    iterations: int,
    iteration: int,
    weight: float,
    exponents: Exponents,
    alternating: bool,
    first: SparseSide,
    second: SparseSide,
) -> float:
    """Many iterations without leaving compiled code; returns the weight of all iterations so far."""
    for _ in range(iterations):
        iteration += 1
        numbers = discounts(iteration, exponents, weight)
        weight = numbers.weight
        sparse_gradient(first.rows, second.player.plan, first.scratch.q)
        if alternating:
            update_player(first.tree, first.player, first.scratch, numbers)
            sparse_gradient(second.rows, first.player.plan, second.scratch.q)
        else:
            sparse_gradient(second.rows, first.player.plan, second.scratch.q)
            update_player(first.tree, first.player, first.scratch, numbers)
        update_player(second.tree, second.player, second.scratch, numbers)
    return weight
