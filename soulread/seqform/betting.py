"""The betting of a two-player poker game as flat arrays: who may do what, and what an end is worth.

The betting does not depend on the cards, so the game is walked once, with arbitrary cards. A node is a
decision of one seat, a fold or a showdown. Parents come before their children, and node 0 is the first
decision.

With S_r private states in round r, a strategy of a seat is laid out node by node and action by action:

    sequence of action a of node n in private state s  =  first_sequence[n] + a * S_r + s

in the order of the seat's nodes. Sequence 0 is the empty one. Treeplexes (`soulread.seqform.compile`),
strategies on disk and the simulator all read this layout.

A no-limit game has far too many raises for a tree. A menu (`soulread.games.bets`) says which of them the tree
has; `soulread.observe.translation` finds the place of a real hand in such a tree.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.bets import Bets, menu_actions, verify_takes_bets
from soulread.games.poker import PokerGame, PokerState
from soulread.seqform.treeplex import Ints

MAX_NODES = 1_000_000


class BettingArrays(NamedTuple):
    """A betting tree with N nodes and at most A actions, for kernels."""

    player: NDArray[np.int8]  # [N] seat to act, or TERMINAL
    round: NDArray[np.int8]  # [N]
    num_actions: NDArray[np.int8]  # [N]
    child: Ints  # [N, A] node after each legal action, in ascending order of actions; -1 for the rest
    showdown: NDArray[np.bool_]  # [N]
    chips: NDArray[np.int64]  # [N, 2] at a fold, each seat's net chips; at a showdown, what a winner gains


class Layout(NamedTuple):
    """Where a strategy over private states keeps the sequences of each node.

    A row of sequences is one action of one node, with one sequence per private state.
    """

    first_sequence: Ints  # [N] first sequence of the seat to act; -1 at the ends
    last_sequence: Ints  # [2, N] row of each seat's last action before the node; 0 if it has not acted
    last_round: NDArray[np.int8]  # [2, N] round of that action; -1 if the seat has not acted
    num_sequences: tuple[int, int]


@dataclass(frozen=True, eq=False)
class BettingTree:
    """Every decision and every end of the betting, parents first."""

    poker: PokerGame
    betting: tuple[str, ...]  # [N] as in ACPC
    actions: tuple[tuple[int, ...], ...]  # [N] the game's numbers of the legal actions; empty at the ends
    arrays: BettingArrays
    chips_in: NDArray[np.int64]  # [N, 2] chips that each seat has put in
    bets: Bets | None = None  # the menu of raises; None: all of them

    @property
    def name(self) -> str:
        """The name of the game."""
        return self.poker.name

    @property
    def num_nodes(self) -> int:
        """Number of decisions and ends together."""
        return len(self.betting)

    @cached_property
    def _decisions(self) -> dict[str, int]:
        return {
            text: node
            for node, (text, actions) in enumerate(zip(self.betting, self.actions, strict=True))
            if actions
        }

    def decision(self, betting: str) -> int:
        """The node at which a seat acts after this betting, such as "rc/"."""
        if betting not in self._decisions:
            raise SoulreadError(f"nobody acts after {betting!r} in {self.name!r}")
        return self._decisions[betting]

    def decisions(self, seat: int) -> NDArray[np.intp]:
        """The nodes at which ``seat`` acts, ascending; block b of its treeplex is the b-th of them."""
        return np.flatnonzero(self.arrays.player == seat)

    @cached_property
    def max_decisions(self) -> tuple[int, int]:
        """How often each seat acts in one hand at most."""
        seen = np.zeros((2, self.num_nodes), dtype=np.int64)
        for node, (seat, children) in enumerate(zip(self.arrays.player, self.arrays.child, strict=True)):
            for child in children[: self.arrays.num_actions[node]]:
                seen[:, child] = seen[:, node]
                seen[seat, child] += 1
        return int(seen[0].max()), int(seen[1].max())

    @cached_property
    def _layouts(self) -> dict[tuple[int, ...], Layout]:
        return {}

    def layout(self, num_states: Sequence[int]) -> Layout:
        """Where sequences are when round r has ``num_states[r]`` private states; computed once and kept."""
        key = tuple(num_states)
        if key not in self._layouts:
            self._layouts[key] = self._lay_out(key)
        return self._layouts[key]

    def _lay_out(self, num_states: tuple[int, ...]) -> Layout:
        rounds = int(self.arrays.round.max()) + 1
        if len(num_states) < rounds:
            raise SoulreadError(
                f"{self.name!r} has {rounds} rounds, but there are states for {len(num_states)}"
            )
        first = np.full(self.num_nodes, -1, dtype=np.int32)
        last = np.zeros((2, self.num_nodes), dtype=np.int32)
        last_round = np.full((2, self.num_nodes), -1, dtype=np.int8)
        following = [1, 1]
        tree = self.arrays
        for node, actions in enumerate(self.actions):
            if not actions:
                continue
            seat, r = int(tree.player[node]), int(tree.round[node])
            first[node] = following[seat]
            for child in tree.child[node, : len(actions)]:
                last[:, child] = last[:, node]
                last_round[:, child] = last_round[:, node]
                last[seat, child] = following[seat]
                last_round[seat, child] = r
                following[seat] += num_states[r]
        return Layout(first, last, last_round, (following[0], following[1]))

    def num_sequences(self, num_states: Sequence[int]) -> tuple[int, int]:
        """Number of sequences of each seat, the empty one included; nothing is built."""
        tree = self.arrays
        size = np.array(num_states, dtype=np.int64)[tree.round] * tree.num_actions
        return 1 + int(size[tree.player == 0].sum()), 1 + int(size[tree.player == 1].sum())

    def num_sets(self, num_states: Sequence[int]) -> tuple[int, int]:
        """Number of information sets of each seat; nothing is built."""
        first, second = (
            sum(num_states[self.arrays.round[n]] for n in self.decisions(seat)) for seat in (0, 1)
        )
        return first, second


@lru_cache(maxsize=8)
def betting_tree(game: PokerGame, bets: Bets | None = None) -> BettingTree:
    """Walk the betting of a two-player poker game; more than a million nodes raise `SoulreadError`.

    With ``bets`` the raises are those of the menu.
    """
    if game.num_players != 2:
        raise SoulreadError(f"{game.name!r} has {game.num_players} players; the sequence form needs 2")
    if bets is not None:
        verify_takes_bets(game.rules)
    queue: list[PokerState] = [_dealt(game.start())]
    children: list[list[int]] = []
    actions: list[tuple[int, ...]] = []
    for state in queue:
        legal = tuple(int(action) for action in menu_actions(state, bets))
        if len(queue) + len(legal) > MAX_NODES:
            fewer = "" if game.rules.raise_sizes is not None else "; take a menu with fewer bets"
            raise SoulreadError(f"the betting of {game.name!r} has more than {MAX_NODES:,} nodes{fewer}")
        actions.append(legal)
        children.append(list(range(len(queue), len(queue) + len(legal))))
        queue.extend(_dealt(state.apply(action)) for action in legal)
    child = np.full((len(queue), max(map(len, actions))), -1, dtype=np.int32)
    for node, following in enumerate(children):
        child[node, : len(following)] = following
    return BettingTree(
        poker=game,
        betting=tuple(state.betting for state in queue),
        actions=tuple(actions),
        arrays=BettingArrays(
            player=np.array([state.player for state in queue], dtype=np.int8),
            round=np.array([state.round for state in queue], dtype=np.int8),
            num_actions=np.array([len(legal) for legal in actions], dtype=np.int8),
            child=child,
            showdown=np.array([state.showdown for state in queue], dtype=np.bool_),
            chips=np.array([_chips(state) for state in queue], dtype=np.int64),
        ),
        chips_in=np.array([state.spent for state in queue], dtype=np.int64),
        bets=bets,
    )


def _dealt(state: PokerState) -> PokerState:
    """Deal any cards until the next decision or end."""
    while state.player == CHANCE:
        state = state.apply(next(card for card in state.rules.deck if card not in state.cards))
    return state


def _chips(state: PokerState) -> tuple[int, int]:
    if state.player != TERMINAL:
        return 0, 0
    if state.showdown:
        return min(state.spent), min(state.spent)
    first, second = state.payoffs()
    return first, second
