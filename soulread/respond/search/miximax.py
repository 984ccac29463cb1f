"""Miximax and Miximix: search of the rest of a hand with a model of the opponent (Billings et al., 2004).

The search goes over the whole betting tree below a decision of ours, full width, to the ends of the hand.
A *forecast* (`soulread.respond.search.forecasts`) tells what the opponent will do, so model and search are
separate. With v the value of a node in chips of the hand, on each board,

    chance      v = sum over deals of  chance x v(next board)
    opponent    v = sum over actions of  chance x v(next node)
    ours        v = max over actions of v(next node)                          Miximax
                v = sum over actions of  weight x v(next node)                Miximix
    fold        our winnings, or minus our chips in the pot
    showdown    share of the pot x pot - our chips in the pot

In Miximix the weights of our actions are those of a softmax: proportional to exp(v / (temperature x pot)),
with the pot that lies there. The paper leaves the mixture open; this one is ours.

*Values may be carried with their chance.* A forecast that knows how the opponent plays each holding puts the
chance that the opponent and the cards come to a node into the values at the ends (they are counterfactual).
Then its chances at opponent nodes are ones, and values are sums. A ``reach`` says what to divide by.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.kernel import kernel
from soulread.respond.search.runouts import Deals
from soulread.seqform.betting import BettingArrays, BettingTree
from soulread.seqform.treeplex import Ints


class Area(NamedTuple):
    """The nodes of a search by rounds, and where their values lie: those of node n begin at ``start[n]``.

    The values of a round's nodes lie side by side, so they are a matrix ``[nodes, boards]``.
    """

    nodes: Ints  # [n] the root and all nodes below it, by round, parents first
    first: tuple[int, ...]  # [rounds + 1] place in ``nodes`` of the first of each round
    entries: tuple[Ints, ...]  # [rounds] of the nodes with which a round begins: their places in the round
    entry: Ints  # [N] number of a node among these entries
    start: NDArray[np.int64]  # [N]
    total: int  # values in all

    def block(self, values: NDArray[np.float64], round: int) -> NDArray[np.float64]:
        """``[nodes, boards]``: the part of ``values [total]`` that belongs to a round."""
        begin, end = self.first[round], self.first[round + 1]
        low = int(self.start[self.nodes[begin]]) if begin < len(self.nodes) else self.total
        high = int(self.start[self.nodes[end]]) if end < len(self.nodes) else self.total
        return values[low:high].reshape(end - begin, -1)


class Forecast(Protocol):
    """The opponent's actions, the boards to come and the values of all ends, for the search."""

    @property
    def deals(self) -> Deals:
        """The boards to come."""

    @property
    def chances(self) -> NDArray[np.float64]:
        """``[N, A]`` of the opponent's actions; ones if the values carry their chance."""

    @property
    def root_reach(self) -> float:
        """How likely the hand comes to the root, as far as values carry their chance; else 1."""

    def fill(self, area: Area, value: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
        """Write the values of all ends of the area, and what the values of each of our nodes are divided by.

        ``reach`` is filled with ones before. It has a single entry if it is not needed.
        """


@dataclass(frozen=True)
class Choice:
    """The result of a search at one decision: the expected value of each action, in chips of the hand."""

    actions: tuple[int, ...]
    values: tuple[float, ...]  # net: chips put in before the decision count as lost
    weights: tuple[float, ...]  # with which the search plays them

    @property
    def best(self) -> int:
        """The action of greatest value; of several, the highest."""
        return self.actions[len(self.values) - 1 - int(np.argmax(self.values[::-1]))]

    def drawn(self, uniform: float) -> int:
        """The action that ``uniform``, drawn from [0, 1), selects by the weights."""
        number = int(np.searchsorted(np.cumsum(self.weights), uniform, side="right"))
        return self.actions[min(number, len(self.actions) - 1)]

    def value_of(self, action: int) -> float:
        """The value of one action."""
        return self.values[self.actions.index(action)]


def search(betting: BettingTree, root: int, forecast: Forecast, temperature: float = 0.0) -> Choice:
    """The values of our actions at ``root``, a decision of ours.

    With ``temperature`` 0 later actions of ours are the best ones (Miximax); above 0 they are mixed
    (Miximix), and it is in pots.
    """
    tree = betting.arrays
    seat = int(tree.player[root])
    if seat == TERMINAL:
        raise SoulreadError(f"nobody acts after {betting.betting[root]!r} in {betting.name!r}")
    if not 0 <= temperature < np.inf:
        raise SoulreadError(f"temperature={temperature}; it is a number of pots, 0 or more")
    deals = forecast.deals
    area = area_of(betting, root, deals.sizes)
    value = np.empty(area.total)
    reach = np.ones(area.total if temperature else 1)
    forecast.fill(area, value, reach)
    pots = _pots(betting)
    num_actions = int(tree.num_actions[root])
    chosen = np.empty((tree.child.shape[1], max(deals.sizes)))
    after = np.zeros((0, 0))
    for round in range(len(deals.sizes) - 1, int(tree.round[root]) - 1, -1):
        nodes = area.nodes[area.first[round] : area.first[round + 1]]
        back_up(
            tree, nodes, area.start, area.entry, seat, deals.sizes[round], forecast.chances, pots,
            temperature, after, value, reach, chosen,
        )  # fmt: skip
        if area.entries[round].size:
            after = area.block(value, round)[area.entries[round]] @ deals.chances[round - 1].T
    scale = forecast.root_reach
    values = chosen[:num_actions, 0] / scale if scale > 0 else chosen[:num_actions, 0]
    weights = np.zeros(num_actions)
    if temperature:
        weights = np.exp((values - values.max()) / (temperature * float(pots[root])))
        weights /= weights.sum()
    else:
        weights[num_actions - 1 - int(np.argmax(values[::-1]))] = 1.0
    return Choice(betting.actions[root], tuple(values.tolist()), tuple(weights.tolist()))


@lru_cache(maxsize=8)
def _pots(betting: BettingTree) -> NDArray[np.float64]:
    """``[N]`` chips in the pot at every node."""
    found: NDArray[np.float64] = betting.chips_in.sum(axis=1).astype(np.float64)
    return found


def area_of(betting: BettingTree, root: int, sizes: tuple[int, ...]) -> Area:
    """The nodes below ``root``, when round r has ``sizes[r]`` boards."""
    nodes, first, entries, entry = _below(betting, root)
    widths = np.repeat(np.array(sizes, dtype=np.int64), np.diff(first))
    ends = np.cumsum(widths)
    start = np.full(betting.num_nodes, -1, dtype=np.int64)
    start[nodes] = ends - widths
    return Area(nodes, first, entries, entry, start, int(ends[-1]))


def nodes_below(betting: BettingTree, root: int) -> Ints:
    """The root and all nodes below it, by round, parents first."""
    return _below(betting, root)[0]


@lru_cache(maxsize=2048)
def _below(betting: BettingTree, root: int) -> tuple[Ints, tuple[int, ...], tuple[Ints, ...], Ints]:
    """The parts of an `Area` that do not depend on the boards."""
    tree = betting.arrays
    parents = {root: root}
    for node in (listed := [root]):
        below = tree.child[node, : tree.num_actions[node]].tolist()
        parents |= dict.fromkeys(below, node)
        listed += below
    found = np.array(sorted(listed), dtype=np.int32)
    nodes: Ints = found[np.argsort(tree.round[found], kind="stable")]
    rounds = tree.round[nodes]
    first = np.searchsorted(rounds, np.arange(len(betting.poker.rules.board_cards) + 1))
    new = tree.round[[parents[node] for node in nodes.tolist()]] != rounds
    entry = np.full(betting.num_nodes, -1, dtype=np.int32)
    entries = []
    for begin, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
        places = np.flatnonzero(new[begin:end]).astype(np.int32)
        entry[nodes[begin:end][places]] = np.arange(places.size)
        entries.append(places)
    return nodes, tuple(first.tolist()), tuple(entries), entry


@kernel
def back_up(
    tree: BettingArrays,
    nodes: Ints,
    start: NDArray[np.int64],
    entry: Ints,
    seat: int,
    size: int,
    chances: NDArray[np.float64],
    pots: NDArray[np.float64],
    temperature: float,
    after: NDArray[np.float64],
    value: NDArray[np.float64],
    reach: NDArray[np.float64],
    chosen: NDArray[np.float64],
) -> None:
    """Values of all decisions of a round on its ``size`` boards, children before parents.

    ``after [entries, boards]`` has the values of the nodes with which the next round begins, before its cards
    are dealt. ``chosen [A, boards]`` is left with the values of the first node's actions.
    """
    for at in range(nodes.size - 1, -1, -1):
        node = nodes[at]
        if tree.player[node] == TERMINAL:
            continue
        count = tree.num_actions[node]
        mine = value[start[node] : start[node] + size]
        own = tree.player[node] == seat
        kept = at == 0 or (own and temperature > 0)
        for k in range(count):
            child = tree.child[node, k]
            if tree.round[child] == tree.round[node]:
                below = value[start[child] : start[child] + size]
            else:
                below = after[entry[child]]
            if kept:
                for b in range(size):
                    chosen[k, b] = below[b]
            if not own:
                chance = chances[node, k]
                for b in range(size):
                    mine[b] = chance * below[b] if k == 0 else mine[b] + chance * below[b]
            else:
                for b in range(size):
                    mine[b] = below[b] if k == 0 else max(mine[b], below[b])
        if own and temperature > 0:
            _mix(chosen, count, temperature * pots[node], reach[start[node] :], mine)


@kernel
def _mix(
    chosen: NDArray[np.float64],
    count: int,
    temperature: float,
    reach: NDArray[np.float64],
    mine: NDArray[np.float64],
) -> None:
    """The softmax mean of the actions' values; where nothing comes, their plain mean."""
    for b in range(mine.size):
        scale = temperature * reach[b]
        best = chosen[0, b]
        for k in range(1, count):
            best = max(best, chosen[k, b])
        total = weight = 0.0
        for k in range(count):
            share = np.exp((chosen[k, b] - best) / scale) if scale > 0 else 1.0
            total += share * chosen[k, b]
            weight += share
        mine[b] = total / weight
