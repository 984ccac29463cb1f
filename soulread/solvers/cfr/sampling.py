"""Monte Carlo CFR (Lanctot, Waugh, Zinkevich and Bowling, NIPS 2009): CFR on sampled histories.

External sampling walks all actions of the player being updated, and one sampled action of chance and of the
opponent. Outcome sampling walks one history, and divides what it finds by the probability of having sampled
it. In outcome sampling the player being updated explores: it takes a uniform action with probability
``exploration``. Both kinds update each player once per iteration. Both need the histories of the game.
`soulread.seqform.compile_game` keeps them; factored games have none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.kernel import kernel
from soulread.seqform.compile import HistoryTree, SequenceGame
from soulread.seqform.strategy import Plan, Plans, behaviour_from_plan, plan_from_behaviour
from soulread.seqform.treeplex import Ints


@dataclass(frozen=True)
class MonteCarloCFR:
    """A method of Monte Carlo CFR: which actions of a history are sampled."""

    name: Literal["external", "outcome"]
    exploration: float = 0.0  # probability that the player being updated takes a uniform action

    def __post_init__(self) -> None:
        if self.name not in ("external", "outcome"):
            raise SoulreadError(
                f"{self.name!r} is not a kind of sampling; there are 'external' and 'outcome'"
            )
        if self.name == "outcome" and not 0 < self.exploration <= 1:
            raise SoulreadError(
                f"outcome sampling with exploration {self.exploration!r}; it must lie above 0 and not above 1"
            )


def ExternalSampling() -> MonteCarloCFR:
    """Walk all actions of one player, and one sampled action of chance and of the opponent."""
    return MonteCarloCFR("external")


def OutcomeSampling(exploration: float = 0.6) -> MonteCarloCFR:
    """Walk one history per player and iteration."""
    return MonteCarloCFR("outcome", exploration)


class SamplerState(NamedTuple):
    """The state of one player in a sampler."""

    first: Ints  # [num_sets] sequence of the first action
    width: Ints  # [num_sets] distance between the sequences of two neighbouring actions
    num_actions: Ints  # [num_sets]
    regret: NDArray[np.float64]  # [num_sequences]
    total: NDArray[np.float64]  # [num_sequences] sum of the behaviours, weighted by reach


class Sampler:
    """Moves both players of a game towards equilibrium, by samples drawn from ``rng``."""

    def __init__(self, game: SequenceGame, sampling: MonteCarloCFR, rng: np.random.Generator) -> None:
        if game.histories is None:
            raise SoulreadError(
                f"{game.name!r} is factored and keeps no histories to sample; "
                "compile it with compile_game, or solve it with a schedule such as DCFR"
            )
        self.game = game
        self.sampling = sampling
        self.iteration = 0
        self._histories = game.histories
        self._rng = rng
        first, second = (
            SamplerState(
                tree.set_sequence,
                tree.width,
                tree.num_actions,
                np.zeros(tree.num_sequences),
                np.zeros(tree.num_sequences),
            )
            for tree in game.trees
        )
        self._tables = (first, second)
        most = max(int(tree.num_actions.max(initial=1)) for tree in game.trees)
        self._room = np.empty((max(_height(self._histories) + 1, 2), most))

    @property
    def plans(self) -> Plans:
        """The average plans so far; uniform at sets that were never sampled."""
        first, second = (
            plan_from_behaviour(tree, behaviour_from_plan(tree, Plan(tables.total)))
            for tree, tables in zip(self.game.trees, self._tables, strict=True)
        )
        return first, second

    def advance(self, iterations: int) -> None:
        """Run ``iterations`` more. Several calls give the same result as one call with their sum."""
        if self.sampling.name == "external":
            run_external(iterations, self._histories, self._tables, self._room, self._rng)
        else:
            exploration = self.sampling.exploration
            run_outcome(iterations, self._histories, self._tables, exploration, self._room, self._rng)
        self.iteration += iterations

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The arrays that a later run needs to continue."""
        return {
            f"{name}{i}": array
            for i, tables in enumerate(self._tables)
            for name, array in (("regret", tables.regret), ("total", tables.total))
        }

    def notes(self) -> dict[str, Any]:
        """The state of the random generator."""
        return {"rng": _plain(self._rng.bit_generator.state)}

    def restore(self, iteration: int, tensors: Mapping[str, NDArray[Any]], notes: Mapping[str, Any]) -> None:
        """The opposite of `tensors` and `notes`; ``rng`` continues where it was."""
        self.iteration = iteration
        kind = type(self._rng.bit_generator).__name__
        if notes["rng"]["bit_generator"] != kind:
            raise SoulreadError(
                f"the checkpoint's random numbers come from {notes['rng']['bit_generator']}, not from {kind}"
            )
        self._rng.bit_generator.state = notes["rng"]
        for i, tables in enumerate(self._tables):
            tables.regret[:] = tensors[f"regret{i}"]
            tables.total[:] = tensors[f"total{i}"]


def _height(tree: HistoryTree) -> int:
    """Number of levels of the histories."""
    height, stop = 1, 1
    while stop < tree.player.size:
        height, stop = height + 1, int(tree.first_child[stop])
    return height


def _plain(value: Any) -> Any:
    """The state of a random generator, with arrays as lists that JSON can write."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


@kernel
def run_external(
    iterations: int,
    tree: HistoryTree,
    tables: tuple[SamplerState, SamplerState],
    room: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """Run iterations of external sampling; ``room`` is scratch, [levels of histories + 1, most actions]."""
    node = np.empty(room.shape[0], dtype=np.int64)  # the histories above the present one in which the player
    action = np.empty(room.shape[0], dtype=np.int64)  # moves, and the action that is being walked in each
    for _ in range(iterations):
        for player in range(2):
            external(player, tree, tables, node, action, room, rng)


@kernel
def external(
    player: int,
    tree: HistoryTree,
    tables: tuple[SamplerState, SamplerState],
    node: NDArray[np.int64],
    action: NDArray[np.int64],
    room: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """Walk all actions of ``player`` and sample the others; add to its regrets and to the other's average."""
    own = tables[player]
    depth = 0
    history = 0
    while True:
        seat = tree.player[history]
        first = tree.first_child[history]
        if seat == CHANCE:
            history = first + draw(tree.probability[first : tree.first_child[history + 1]], rng)
            continue
        if seat == player:
            node[depth] = history
            action[depth] = 0
            depth += 1
            history = first
            continue
        if seat != TERMINAL:
            other = tables[seat]
            j = tree.information_set[history]
            sigma = room[depth, : other.num_actions[j]]
            match(other, j, sigma)
            for a in range(sigma.size):
                other.total[other.first[j] + a * other.width[j]] += sigma[a]
            history = first + draw(sigma, rng)
            continue
        value = tree.payoff[history, player]
        while depth > 0:
            above = node[depth - 1]
            j = tree.information_set[above]
            values = room[depth - 1, : own.num_actions[j]]
            values[action[depth - 1]] = value
            action[depth - 1] += 1
            if action[depth - 1] < values.size:
                history = tree.first_child[above] + action[depth - 1]
                break
            sigma = room[depth, : own.num_actions[j]]
            match(own, j, sigma)
            value = 0.0
            for a in range(sigma.size):
                value += sigma[a] * values[a]
            for a in range(sigma.size):
                own.regret[own.first[j] + a * own.width[j]] += values[a] - value
            depth -= 1
        if depth == 0:
            return


@kernel
def run_outcome(
    iterations: int,
    tree: HistoryTree,
    tables: tuple[SamplerState, SamplerState],
    exploration: float,
    room: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """Run iterations of outcome sampling; ``room`` is scratch, [levels of histories + 1, most actions]."""
    steps = np.empty((room.shape[0], 2), dtype=np.int64)  # the player's sets and actions along the history
    weights = np.empty((room.shape[0], 2))  # before a step: others' reach / sampling; of the step: sampling
    for _ in range(iterations):
        for player in range(2):
            outcome(player, tree, tables, exploration, steps, weights, room, rng)


@kernel
def outcome(
    player: int,
    tree: HistoryTree,
    tables: tuple[SamplerState, SamplerState],
    exploration: float,
    steps: NDArray[np.int64],
    weights: NDArray[np.float64],
    room: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """Sample one history; add to the regrets and to the average of ``player`` along it."""
    own = tables[player]
    reach = others = sampling = 1.0
    depth = 0
    history = 0
    while tree.player[history] != TERMINAL:
        seat = tree.player[history]
        first = tree.first_child[history]
        if seat == CHANCE:
            chance = tree.probability[first : tree.first_child[history + 1]]
            a = draw(chance, rng)
            others *= chance[a]
            sampling *= chance[a]
            history = first + a
            continue
        table = tables[seat]
        j = tree.information_set[history]
        sigma, sampled = room[0, : table.num_actions[j]], room[1, : table.num_actions[j]]
        match(table, j, sigma)
        explored = exploration if seat == player else 0.0
        for a in range(sigma.size):
            sampled[a] = explored / sigma.size + (1.0 - explored) * sigma[a]
        chosen = draw(sampled, rng)
        if seat == player:
            for a in range(sigma.size):
                own.total[own.first[j] + a * own.width[j]] += sigma[a] * reach / sampling
            steps[depth, 0] = j
            steps[depth, 1] = chosen
            weights[depth, 0] = others / sampling
            weights[depth, 1] = sampled[chosen]
            depth += 1
            reach *= sigma[chosen]
        else:
            others *= sigma[chosen]
        sampling *= sampled[chosen]
        history = first + chosen
    value = tree.payoff[history, player]
    for step in range(depth - 1, -1, -1):
        j, chosen = steps[step]
        sigma = room[0, : own.num_actions[j]]
        match(own, j, sigma)
        # The estimate of an action is zero if it was not sampled, else the value over its probability.
        found = value / weights[step, 1]
        value = sigma[chosen] * found
        for a in range(sigma.size):
            estimate = found if a == chosen else 0.0
            own.regret[own.first[j] + a * own.width[j]] += weights[step, 0] * (estimate - value)


@kernel
def match(table: SamplerState, j: int, sigma: NDArray[np.float64]) -> None:
    """Regret matching at one set: in proportion to the positive regrets, or uniform if there are none."""
    total = 0.0
    for a in range(sigma.size):
        sigma[a] = max(table.regret[table.first[j] + a * table.width[j]], 0.0)
        total += sigma[a]
    for a in range(sigma.size):
        sigma[a] = sigma[a] / total if total > 0.0 else 1.0 / sigma.size


@kernel
def draw(probabilities: NDArray[np.float64], rng: np.random.Generator) -> int:
    """Draw an index with these probabilities; takes one double from ``rng``."""
    u = rng.random()
    chosen = 0
    for a in range(probabilities.size):
        if probabilities[a] > 0.0:  # so that rounding cannot choose an action of probability 0
            chosen = a
            u -= probabilities[a]
            if u < 0.0:
                break
    return chosen
