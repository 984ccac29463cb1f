"""The value of a hand at every betting node, for each pair of private states, if both seats play a strategy.

`Valuation.column` answers for one seat. Given the opponent's private state, how many chips does the seat win
from a node on, in each of its own states? AIVAT (`soulread.play.match.aivat`) uses the answers to tell luck
from skill. They need not be exact for that, but they must be fixed before the data is seen.

A *root* is the first node of a round, and its *block* is all nodes of that round that follow, parents first.
At the end of a block stand the roots of the next round, valued before that round's cards are dealt. Blocks
are kept as matrices ``[nodes, S_r, S_r]``. Those of the last round would be too large. Of these, only
columns are computed, at their first use.

`find_valuation` values an equilibrium, and keeps the matrices of hold'em in the cache.
"""

import hashlib
from collections import OrderedDict
from typing import NamedTuple

import numpy as np

from soulread.errors import SoulreadError
from soulread.kernel import kernel
from soulread.seqform.betting import BettingArrays
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.payoff import FactoredPayoff
from soulread.seqform.source import Source, Tell
from soulread.seqform.strategy import Behaviours
from soulread.seqform.tabular import TableArrays, TabularStrategy, tabular
from soulread.seqform.treeplex import Floats, Ints
from soulread.solvers.equilibria import find_equilibrium
from soulread.storage import cache

_COLUMNS_KEPT = 1024
_VERSION = 1  # of the matrices; raised when the same behaviours give other matrices


def find_valuation(source: Source, tell: Tell | None = None) -> "Valuation":
    """The values of a game in which both seats play its equilibrium, which is solved first if need be."""
    behaviours = find_equilibrium(source, tell).behaviours
    game = source.compile(tell)
    if source.cards is None:
        return Valuation(game, behaviours)
    digest = hashlib.sha256(game.checksum.encode())
    for behaviour in behaviours:
        digest.update(np.ascontiguousarray(behaviour, dtype="<f4").tobytes())
    recipe = cache.Recipe(f"valuation:{source}", {"version": _VERSION, "of": digest.hexdigest()})

    def build() -> dict[str, Floats]:
        if tell is not None:
            tell(f"{source}: valuing every betting node")
        return {str(root): values for root, values in Valuation(game, behaviours).values.items()}

    kept = cache.load_or_build(recipe, build).arrays
    return Valuation(game, behaviours, {int(root): values for root, values in kept.items()})


class _Blocks(NamedTuple):
    """Where each node is: in the block of ``root[n]`` at ``place[n]``; for roots also in the block before."""

    nodes: dict[int, Ints]  # by root
    root: Ints  # [nodes]
    place: Ints  # [nodes]
    root_before: Ints  # [nodes] for roots, the root of the block before; -1 elsewhere
    place_before: Ints  # [nodes]


class Valuation:
    """Values of a poker game in which both seats play ``behaviours``.

    ``game`` is a betting tree times private states, in which nobody runs out of chips. ``values`` has the
    matrices of each block before the last round, by root; without them they are computed.
    """

    def __init__(
        self, game: SequenceGame, behaviours: Behaviours, values: dict[int, Floats] | None = None
    ) -> None:
        rules, payoff = poker_of(game).rules, game.payoff
        if not isinstance(payoff, FactoredPayoff) or rules.stacks is not None or not payoff.zero_sum:
            raise SoulreadError(
                f"{game.name!r} cannot be valued; expected a zero-sum game of betting tree times private "
                "states, in which nobody runs out of chips"
            )
        self.game = game
        self.strategy: TabularStrategy = tabular(game, behaviours)
        self._tree = self.strategy.betting.arrays
        self._blocks = _find_blocks(self._tree)
        self._last_round = len(rules.board_cards) - 1
        self._edge = _shares(payoff.win[-1] - payoff.win[-1].T, payoff.reach[-1])
        self._columns: OrderedDict[tuple[int, int, int], Floats] = OrderedDict()
        self.values: dict[int, Floats] = {} if values is None else values  # [nodes, S_r, S_r] each
        if values is None:
            self._fill(payoff)

    @property
    def num_states(self) -> tuple[int, ...]:
        """Private states of each round."""
        return self.strategy.lookup.num_states

    def column(self, node: int, seat: int, state: int, r: int) -> Floats:
        """``[S_r]``: chips ``seat`` wins from ``node`` on in each own state, the opponent being in ``state``.

        ``r`` is the round whose cards are known: that of the node or, before these are dealt, the one before.
        """
        blocks = self._blocks
        if self._tree.round[node] > r:
            root, place = int(blocks.root_before[node]), int(blocks.place_before[node])
        else:
            root, place = int(blocks.root[node]), int(blocks.place[node])
        if r == self._last_round:
            column: Floats = self._last_columns(root, seat, state)[place]
        else:
            values: Floats = self.values[root][place]
            column = values[:, state] if seat == 0 else -values[state]
        return column

    def _last_columns(self, root: int, seat: int, state: int) -> Floats:
        """``[nodes, S]``: the columns of a block of the last round; the latest ones are kept."""
        key = root, seat, state
        if key not in self._columns:
            every, one = np.arange(self.num_states[-1], dtype=np.int32), np.array([state], dtype=np.int32)
            rows, columns = (every, one) if seat == 0 else (one, every)
            values = np.empty((self._blocks.nodes[root].size, rows.size, columns.size), dtype=np.float32)
            self._fill_block(root, rows, columns, values)
            self._columns[key] = values[:, :, 0] if seat == 0 else -values[:, 0]
            if len(self._columns) > _COLUMNS_KEPT:
                self._columns.popitem(last=False)
        return self._columns[key]

    def _fill(self, payoff: FactoredPayoff) -> None:
        """Value all blocks, the last round first; the value of a block's root goes into the block before."""
        blocks, round_of = self._blocks, self._tree.round
        for root in sorted(blocks.nodes, reverse=True):
            r = int(round_of[root])
            size = self.num_states[r]
            values = self.values.get(root)
            if values is None:
                values = np.zeros((blocks.nodes[root].size, size, size), dtype=np.float32)
            every = np.arange(size, dtype=np.int32)
            self._fill_block(root, every, every, values)
            if r < self._last_round:
                self.values[root] = values
            if r:
                before, above = int(blocks.root_before[root]), self.num_states[r - 1]
                if before not in self.values:
                    shape = blocks.nodes[before].size, above, above
                    self.values[before] = np.zeros(shape, dtype=np.float32)
                come_from = payoff.parent_state[r][None] == np.arange(above)[:, None]
                together = come_from.astype(np.float32)
                total = together @ (payoff.reach[r] * values[0]) @ together.T
                self.values[before][blocks.place_before[root]] = _shares(total, payoff.reach[r - 1])

    def _fill_block(self, root: int, rows: Ints, columns: Ints, values: Floats) -> None:
        fill_values(
            self._tree, self._blocks.nodes[root], self._blocks.place, self._blocks.place_before,
            self.strategy.arrays, self._edge, rows, columns, values,
        )  # fmt: skip


def _shares(total: Floats, reach: Floats) -> Floats:
    """``total / reach``, and 0 where two private states never meet."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(reach > 0, total / reach, 0)
    return found.astype(np.float32)


def _find_blocks(tree: BettingArrays) -> _Blocks:
    size = len(tree.player)
    root, place, root_before, place_before = (np.full(size, -1, dtype=np.int32) for _ in range(4))
    members: dict[int, list[int]] = {0: [0]}
    root[0], place[0] = 0, 0
    for node in range(size):  # parents come first
        for child in tree.child[node, : tree.num_actions[node]].tolist():
            block = members[int(root[node])]
            if tree.round[child] == tree.round[node]:
                root[child], place[child] = root[node], len(block)
            else:
                root_before[child], place_before[child] = root[node], len(block)
                root[child], place[child] = child, 0
                members[child] = [child]
            block.append(child)
    nodes = {first: np.array(block, dtype=np.int32) for first, block in members.items()}
    return _Blocks(nodes, root, place, root_before, place_before)


@kernel
def fill_values(
    tree: BettingArrays,
    nodes: Ints,
    place: Ints,
    place_before: Ints,
    table: TableArrays,
    edge: Floats,
    rows: Ints,
    columns: Ints,
    values: Floats,
) -> None:
    """Chips of seat 0 at the nodes of a block, for its states ``rows`` and the states ``columns`` of seat 1.

    The values of the next round's roots must be there already.
    """
    r = tree.round[nodes[0]]
    for k in range(nodes.size - 1, -1, -1):
        node = nodes[k]
        if tree.round[node] != r:
            continue
        out = values[k]
        if tree.num_actions[node] == 0:
            for i in range(rows.size):
                for j in range(columns.size):
                    share = edge[rows[i], columns[j]] if tree.showdown[node] else np.float32(1)
                    out[i, j] = np.float32(tree.chips[node, 0]) * share
            continue
        out[:] = 0
        for a in range(tree.num_actions[node]):
            child = tree.child[node, a]
            after = values[place[child] if tree.round[child] == r else place_before[child]]
            start = table.first_sequence[node] + a * table.width[node]
            if tree.player[node] == 0:
                for i in range(rows.size):
                    p = table.first[start + rows[i]]
                    for j in range(columns.size):
                        out[i, j] += p * after[i, j]
            else:
                for i in range(rows.size):
                    for j in range(columns.size):
                        out[i, j] += table.second[start + columns[j]] * after[i, j]
