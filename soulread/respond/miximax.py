"""Miximax and Miximix: search of the rest of a hand with a model of the opponent (Billings et al., 2004).

The search goes over the whole betting tree below a decision of ours, full width, to the ends of the hand.
What the opponent will do is told by a *forecast* (`soulread.respond.forecasts`), so model and search are
separate. With v the value of a node in chips of the hand, on each board,

    chance      v = sum over deals of  chance x v(next board)
    opponent    v = sum over actions of  chance x v(next node)
    ours        v = max over actions of v(next node)                          Miximax
                v = sum over actions of  weight x v(next node)                Miximix
    fold        what we win, or minus what we have put in
    showdown    share of the pot x pot - what we have put in

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
from soulread.respond.runouts import Links
from soulread.seqform.betting import BettingArrays, BettingTree
from soulread.seqform.treeplex import Ints
from soulread.solve.local_best_response import chips_in


class Area(NamedTuple):
    """The nodes of a search and where their values lie: those of node n begin at ``start[n]``."""

    nodes: Ints  # [n] the root and all nodes below it, parents first
    start: NDArray[np.int64]  # [N]
    total: int  # values in all


class Forecast(Protocol):
    """What the search asks about the rest of a hand."""

    @property
    def links(self) -> Links:
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
    """What a search found for one decision: the expected value of each action, in chips of the hand."""

    actions: tuple[int, ...]
    values: tuple[float, ...]  # net: what is put in before the decision counts as lost
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
    found = forecast.links
    area = area_of(betting, root, tuple(found.sizes.tolist()))
    value = np.empty(area.total)
    reach = np.ones(area.total if temperature else 1)
    forecast.fill(area, value, reach)
    num_actions = int(tree.num_actions[root])
    chosen = np.empty((tree.child.shape[1], int(found.sizes.max())))
    back_up(tree, area, seat, forecast.chances, found, _pots(betting), temperature, value, reach, chosen)
    scale = forecast.root_reach
    values = chosen[:num_actions, 0] / scale if scale > 0 else chosen[:num_actions, 0]
    weights = np.zeros(num_actions)
    if temperature:
        weights = np.exp((values - values.max()) / (temperature * float(_pots(betting)[root])))
        weights /= weights.sum()
    else:
        weights[num_actions - 1 - int(np.argmax(values[::-1]))] = 1.0
    return Choice(betting.actions[root], tuple(values.tolist()), tuple(weights.tolist()))


@lru_cache(maxsize=8)
def _pots(betting: BettingTree) -> NDArray[np.float64]:
    """``[N]`` chips in the pot at every node."""
    found: NDArray[np.float64] = chips_in(betting.poker, betting).sum(axis=1).astype(np.float64)
    return found


@lru_cache(maxsize=512)
def area_of(betting: BettingTree, root: int, sizes: tuple[int, ...]) -> Area:
    """The nodes below ``root``, when round r has ``sizes[r]`` boards."""
    tree = betting.arrays
    nodes = [root]
    for node in nodes:
        nodes += tree.child[node, : tree.num_actions[node]].tolist()
    nodes.sort()
    widths = np.array(sizes, dtype=np.int64)[tree.round[nodes]]
    start = np.full(betting.num_nodes, -1, dtype=np.int64)
    start[nodes] = np.cumsum(widths) - widths
    return Area(np.array(nodes, dtype=np.int32), start, int(widths.sum()))


@kernel
def back_up(
    tree: BettingArrays,
    area: Area,
    seat: int,
    chances: NDArray[np.float64],
    links: Links,
    pots: NDArray[np.float64],
    temperature: float,
    value: NDArray[np.float64],
    reach: NDArray[np.float64],
    chosen: NDArray[np.float64],
) -> None:
    """Values of all decisions from those of the ends, children before parents.

    ``chosen [A, boards]`` is left with the values of the root's actions.
    """
    for at in range(area.nodes.size - 1, -1, -1):
        node = area.nodes[at]
        if tree.player[node] == TERMINAL:
            continue
        round = tree.round[node]
        size = links.sizes[round]
        count = tree.num_actions[node]
        for k in range(count):
            child = tree.child[node, k]
            below, row = value[area.start[child] :], chosen[k]
            if tree.round[child] == round:
                for b in range(size):
                    row[b] = below[b]
            else:
                first = links.start[round]
                for b in range(size):
                    total = 0.0
                    for link in range(links.first[first + b], links.first[first + b + 1]):
                        total += links.chance[link] * below[links.board[link]]
                    row[b] = total
        mine = value[area.start[node] : area.start[node] + size]
        if tree.player[node] != seat:
            mine[:] = 0.0
            for k in range(count):
                for b in range(size):
                    mine[b] += chances[node, k] * chosen[k, b]
        elif temperature > 0:
            _mix(chosen, count, temperature * pots[node], reach[area.start[node] :], mine)
        else:
            for b in range(size):
                mine[b] = chosen[0, b]
            for k in range(1, count):
                for b in range(size):
                    mine[b] = max(mine[b], chosen[k, b])


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
