"""The public side of one player's decisions: information sets grouped by their public history.

All sets of the player at one public history have the same actions. They differ only in what the player alone
knows, the *private state*. Histories are numbered 0, 1, ... with parents before children. A *cell* is one
action at one history, so counts and frequencies of public actions are arrays ``[num_cells]``.

Each set carries the probability that chance makes all the moves that lead to it, the public ones included.
Over the sets of one history, these add up to the probability of its board. Over the sets of all boards with
the same betting, they add up to one.

This *plain* chance ignores the other player. The cards and the actions of the other player make some states
of the player less likely. `joint_tree` gives the sets their *joint* chance with the other
player's plan y in place of it,

    h[n, b] = sum over states t of the other player of  P(b, t) y[t played towards n]

and `PublicTree.with_chance` takes any other weights.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.kernel import kernel
from soulread.seqform.compile import HistoryTree, SequenceGame, betting_of
from soulread.seqform.payoff import FactoredPayoff, trace_ancestors
from soulread.seqform.strategy import Behaviour, Plan, behaviour_from_plan
from soulread.seqform.treeplex import Floats, Ints, ProductLabels, Treeplex


class PublicArrays(NamedTuple):
    """A public tree for kernels; set k of history n is at ``offset[first_offset[n] + k]`` of its block."""

    size: Ints  # [histories] number of private states
    num_actions: Ints  # [histories]
    first_cell: Ints  # [histories + 1]
    first_set: Ints  # [histories] first information set of the block
    first_sequence: Ints  # [histories] first sequence of the block
    width: Ints  # [histories] width of the block
    first_offset: Ints  # [histories]
    first_chance: Ints  # [histories] the chance of the set at an offset is chance[first_chance + offset]
    offset: Ints
    chance: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PublicTree:
    """The public histories at which one player acts, parents first."""

    tree: Treeplex
    labels: tuple[str, ...]  # [histories]
    block: Ints  # [histories] block of the treeplex
    arrays: PublicArrays

    @property
    def player(self) -> int:
        return self.tree.player

    @property
    def num_histories(self) -> int:
        return len(self.labels)

    @property
    def num_cells(self) -> int:
        """Number of pairs of a history and one of its actions."""
        return int(self.arrays.first_cell[-1])

    @cached_property
    def shows_board(self) -> bool:
        """Whether labels are written ``"board|betting"``; in an abstraction they are the betting alone."""
        return any("|" in label for label in self.labels)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {label: n for n, label in enumerate(self.labels)}

    def find(self, label: str) -> int:
        """The history with this label, or -1 if the player never acts there."""
        return self._numbers.get(label, -1)

    def index(self, label: str) -> int:
        """The history with this label; raises `SoulreadError` if the player never acts there."""
        found = self.find(label)
        if found < 0:
            example = self.labels[-1] if self.labels else ""
            raise SoulreadError(
                f"player {self.player} never acts at {label!r}; "
                f"public histories are written like {example!r} in this game"
            )
        return found

    def actions(self, history: int) -> tuple[int, ...]:
        """The game's numbers of the actions at ``history``, ascending."""
        return self.tree.actions[int(self.block[history])]

    def cells(self, history: int) -> slice:
        """The cells of ``history``, one per action."""
        return slice(int(self.arrays.first_cell[history]), int(self.arrays.first_cell[history + 1]))

    def sets(self, history: int) -> NDArray[np.intp]:
        """The information sets of ``history``."""
        return int(self.arrays.first_set[history]) + self._offsets(history)

    def sequences(self, history: int) -> NDArray[np.intp]:
        """``[actions, states]``: the sequences of ``history``, in the order of `sets`."""
        width = int(self.arrays.width[history])
        steps = np.arange(int(self.arrays.num_actions[history]))[:, None] * width
        return int(self.arrays.first_sequence[history]) + steps + self._offsets(history)

    def chance(self, history: int) -> NDArray[np.float64]:
        """``[states]``: probability that the moves of chance lead into each of `sets`."""
        start = int(self.arrays.first_chance[history])
        return self.arrays.chance[start + self._offsets(history)]

    def with_chance(self, chance: NDArray[np.float64]) -> "PublicTree":
        """The same histories with other weights ``[num_sets]`` of the sets, of any scale at each history.

        A history without any weight keeps the weights it has here.
        """
        if chance.shape != (self.tree.num_sets,):
            raise ShapeError(f"chances of shape {chance.shape} for {self.tree.num_sets} information sets")
        weights = np.array(chance, dtype=np.float64)
        fill_missing(self.arrays, weights)
        return replace(self, arrays=self.arrays._replace(first_chance=self.arrays.first_set, chance=weights))

    def _offsets(self, history: int) -> NDArray[np.intp]:
        start, size = int(self.arrays.first_offset[history]), int(self.arrays.size[history])
        return self.arrays.offset[start : start + size].astype(np.intp)

    def frequencies(self, behaviour: Behaviour, plan: Plan) -> NDArray[np.float64]:
        """``[num_cells]``: how often a player of ``behaviour`` takes each public action.

        Private states are weighted by their chance times the probability with which ``plan`` plays towards
        them; usually it is the plan of the behaviour. At histories that the plan does not reach, they are
        weighted by chance alone.
        """
        self.tree.verify_shape(behaviour, "the behaviour")
        self.tree.verify_shape(plan, "the plan")
        result = np.empty(self.num_cells)
        public_frequencies(self.arrays, self.tree.parent_sequence, behaviour, plan, result)
        return result


def public_tree(game: SequenceGame, player: int) -> PublicTree:
    """Group the information sets of ``player`` by public history.

    Raises `SoulreadError` where sets of one public history have different actions or different numbers of
    earlier moves. Some moves are then hidden, and counts of public actions would be meaningless.
    """
    if player not in (0, 1):
        raise SoulreadError(f"player {player!r}; a two-player game has players 0 and 1")
    tree = game.trees[player]
    if isinstance(game.payoff, FactoredPayoff):
        if not isinstance(tree.labels, ProductLabels):
            raise SoulreadError(f"{game.name!r}: a factored game needs labels of states and betting nodes")
        return _from_product(tree, tree.labels, game.payoff)
    if game.histories is None:
        raise SoulreadError(
            f"the histories of {game.name!r} are not stored, so the chances of its deals are not known; "
            "compile it with compile_game or compile_factored"
        )
    return _from_listed(game.name, tree, game.histories)


def joint_tree(game: SequenceGame, player: int, other: Plan) -> PublicTree:
    """`public_tree` with the joint chance of both players' cards and the other player's plan ``other``.

    A history that ``other`` never plays towards keeps its plain chance.
    """
    public = public_tree(game, player)
    rival = game.trees[1 - player]
    rival.verify_shape(other, "the other player's plan")
    if isinstance(game.payoff, FactoredPayoff):
        return public.with_chance(_joint_product(game, game.payoff, public.tree, other))
    assert game.histories is not None  # otherwise `public_tree` raises
    histories = game.histories
    moved = histories.probability.copy()
    play_moves(
        histories.player,
        histories.information_set,
        histories.first_child,
        1 - player,
        rival.set_sequence,
        rival.width,
        behaviour_from_plan(rival, other),
        moved,
    )
    chance = np.zeros(public.tree.num_sets)
    add_chance(histories.player, histories.information_set, histories.first_child, moved, player, chance)
    return public.with_chance(chance)


def _joint_product(
    game: SequenceGame, payoff: FactoredPayoff, tree: Treeplex, other: Plan
) -> NDArray[np.float64]:
    """``[num_sets]``: one matrix product for all betting nodes of a round at which the player acts."""
    betting = betting_of(game)
    layout = betting.layout([states.size for states in payoff.parent_state])
    ancestors = trace_ancestors(payoff.parent_state)
    nodes = betting.decisions(tree.player)
    rounds = betting.arrays.round[nodes]
    chance = np.empty(tree.num_sets)
    for r, joint in enumerate(payoff.reach):
        blocks = np.flatnonzero(rounds == r)
        last = layout.last_sequence[1 - tree.player, nodes[blocks]]
        level = layout.last_round[1 - tree.player, nodes[blocks]] + 1
        plans = other[last[:, None] + ancestors[r][level]].astype(np.float64)
        sets = tree.first_set[blocks][:, None] + np.arange(len(joint))
        chance[sets] = plans @ joint.T.astype(np.float64)
    return chance


def _from_product(tree: Treeplex, labels: ProductLabels, payoff: FactoredPayoff) -> PublicTree:
    """Group the states of a round once, by the public part of their names, for all blocks of the round."""
    starts = np.concatenate([[0], np.cumsum([len(states) for states in labels.states])])
    chance = [matrix.sum(axis=1, dtype=np.float64) for matrix in payoff.reach]
    groups: list[list[tuple[str, int, int]]] = []  # [rounds] of (public part, first offset, states)
    offsets: list[int] = []
    for states in labels.states:
        boards: dict[str, list[int]] = {}
        for position, state in enumerate(states):
            _, separator, board = state.partition("|")
            boards.setdefault(board + separator, []).append(position)
        groups.append([])
        for board, members in boards.items():
            groups[-1].append((board, len(offsets), len(members)))
            offsets += members

    def rows() -> Iterator[_Row]:
        for block, (node, r) in enumerate(zip(labels.nodes, labels.rounds, strict=True)):
            for board, first, size in groups[r]:
                yield _Row(f"{board}{node}", block, first, size, int(starts[r]))

    return _assemble(tree, list(rows()), np.array(offsets, dtype=np.int32), np.concatenate(chance))


def _from_listed(name: str, tree: Treeplex, histories: HistoryTree) -> PublicTree:
    chance = np.zeros(tree.num_sets)
    add_chance(
        histories.player,
        histories.information_set,
        histories.first_child,
        histories.probability,
        tree.player,
        chance,
    )
    rows: list[_Row] = []
    offsets: list[int] = []
    seen: dict[str, int] = {}
    for block, sets, _ in tree.blocks():
        groups: dict[str, list[int]] = {}
        for index in range(sets.start, sets.stop):
            groups.setdefault(tree.public_history(index), []).append(index - sets.start)
        for label, members in groups.items():
            if seen.setdefault(label, block) != block:
                raise SoulreadError(
                    f"player {tree.player} of {name!r} has moved differently, or has other actions, at "
                    f"sets that look the same in public, {label!r}; public counts need public moves"
                )
            rows.append(_Row(label, block, len(offsets), len(members), sets.start))
            offsets += members
    return _assemble(tree, rows, np.array(offsets, dtype=np.int32), chance)


class _Row(NamedTuple):
    label: str
    block: int
    first_offset: int
    size: int
    first_chance: int


def _assemble(tree: Treeplex, rows: list[_Row], offset: Ints, chance: NDArray[np.float64]) -> PublicTree:
    block = np.array([row.block for row in rows], dtype=np.int32)
    num_actions = np.array([len(tree.actions[b]) for b in block], dtype=np.int32)
    return PublicTree(
        tree=tree,
        labels=tuple(row.label for row in rows),
        block=block,
        arrays=PublicArrays(
            size=np.array([row.size for row in rows], dtype=np.int32),
            num_actions=num_actions,
            first_cell=np.concatenate([[0], np.cumsum(num_actions)]).astype(np.int32),
            first_set=tree.first_set[block],
            first_sequence=tree.first_sequence[block],
            width=np.diff(tree.first_set)[block].astype(np.int32),
            first_offset=np.array([row.first_offset for row in rows], dtype=np.int32),
            first_chance=np.array([row.first_chance for row in rows], dtype=np.int32),
            offset=offset,
            chance=chance,
        ),
    )


def verify_cells(public: PublicTree, table: NDArray[np.floating], what: str) -> None:
    """Raise `ShapeError` unless ``table`` has one entry per cell."""
    if table.shape != (public.num_cells,):
        raise ShapeError(
            f"{what} has shape {table.shape}, but player {public.player} has {public.num_cells} public "
            "actions; was it made for the other player or another game?"
        )


@kernel
def add_chance(
    player: NDArray[np.int8],
    information_set: Ints,
    first_child: Ints,
    probability: NDArray[np.float64],
    seat: int,
    chance: NDArray[np.float64],
) -> None:
    """Add chance's probability of every history in which ``seat`` moves to that history's set."""
    reach = probability.copy()
    for history in range(player.size):
        if player[history] == seat:
            chance[information_set[history]] += reach[history]
        for child in range(first_child[history], first_child[history + 1]):
            reach[child] *= reach[history]


@kernel
def play_moves(
    player: NDArray[np.int8],
    information_set: Ints,
    first_child: Ints,
    seat: int,
    set_sequence: Ints,
    width: Ints,
    behaviour: Floats,
    probability: NDArray[np.float64],
) -> None:
    """Put the behaviour of ``seat`` into the probabilities of the moves ``[histories]`` that it makes."""
    for history in range(player.size):
        if player[history] == seat:
            index = information_set[history]
            first = first_child[history]
            for child in range(first, first_child[history + 1]):
                probability[child] = behaviour[set_sequence[index] + (child - first) * width[index]]


@kernel
def fill_missing(public: PublicArrays, weights: NDArray[np.float64]) -> None:
    """Where the sets of a history have no weight at all, give them their chance."""
    for n in range(public.size.size):
        offsets = public.offset[public.first_offset[n] : public.first_offset[n] + public.size[n]]
        own = weights[public.first_set[n] :]
        total = 0.0
        for s in offsets:
            total += own[s]
        if total <= 0:
            chance = public.chance[public.first_chance[n] :]
            for s in offsets:
                own[s] = chance[s]


@kernel
def gather_columns(public: PublicArrays, n: int, behaviour: Floats, x: NDArray[np.float64]) -> None:
    """Copy the behaviour at history n to x[action, state], in doubles; columns are scaled to sum to one."""
    actions, size = x.shape
    offsets = public.offset[public.first_offset[n] : public.first_offset[n] + size]
    for a in range(actions):
        row = behaviour[public.first_sequence[n] + a * public.width[n] :]
        for k in range(size):
            x[a, k] = row[offsets[k]]
    for k in range(size):
        total = 0.0
        for a in range(actions):
            total += x[a, k]
        for a in range(actions):
            x[a, k] /= total


@kernel
def public_frequencies(
    public: PublicArrays,
    parent_sequence: Ints,
    behaviour: Floats,
    plan: Floats,
    frequency: NDArray[np.float64],
) -> None:
    """frequency[n, a] = sum over states of weight x behaviour, divided by the sum of the weights."""
    if public.size.size == 0:
        return
    x_space = np.empty(public.size.max() * public.num_actions.max())
    weight_space = np.empty(public.size.max())
    for n in range(public.size.size):
        size, actions = public.size[n], public.num_actions[n]
        offsets = public.offset[public.first_offset[n] : public.first_offset[n] + size]
        chance = public.chance[public.first_chance[n] :]
        parent = parent_sequence[public.first_set[n] :]
        weight = weight_space[:size]
        total = 0.0
        for k in range(size):
            weight[k] = chance[offsets[k]] * plan[parent[offsets[k]]]
            total += weight[k]
        if total <= 0:
            for k in range(size):
                weight[k] = chance[offsets[k]]
                total += weight[k]
        x = x_space[: actions * size].reshape(actions, size)
        gather_columns(public, n, behaviour, x)
        for a in range(actions):
            taken = 0.0
            for k in range(size):
                taken += weight[k] * x[a, k]
            frequency[public.first_cell[n] + a] = taken / total
