"""Hold'em through a card abstraction: its betting tree times bucket sequences.

The joint chance of two private states in each round and of the first one winning
(`soulread.abstraction.joint`) is all that solvers need to know of the cards. A game of 8-12-4-4 buckets has
9 million information sets; what it will take is known before anything is built (`memory_needed`), and
`verify_memory` refuses what the machine cannot hold.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import DTypeLike

from soulread.abstraction.states import Abstraction, AbstractionSpec
from soulread.errors import ShapeError, SoulreadError
from soulread.games.poker import PokerGame
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import PrivateStates, SequenceGame, factored_game
from soulread.seqform.treeplex import Floats

_ARRAYS = 7  # per player while solving: regret, behaviour, plan, average, gradient, and a pair of results


class Joint(Protocol):
    """Joint chance of two private states on the river, and of the first one winning: both [S_3, S_3]."""

    @property
    def reach(self) -> Floats: ...

    @property
    def win(self) -> Floats: ...


def abstract_game(
    game: PokerGame, abstraction: Abstraction, joint: Joint, dtype: DTypeLike = np.float32
) -> SequenceGame:
    """The game in which players see only their private states, such as "limit:5-5-5-5".

    Single precision is enough: in 5-5-5-5 it moves the exploitability of a strategy by 0.0001 mb/g.
    """
    verify_holdem(game)
    if joint.win.shape != (abstraction.num_states[-1],) * 2:
        raise ShapeError(
            f"joint chances of shape {joint.win.shape}, but {abstraction.spec} has "
            f"{abstraction.num_states[-1]} private states on the river"
        )
    states = PrivateStates(
        names=tuple(
            tuple(abstraction.state_name(r, state) for state in range(size))
            for r, size in enumerate(abstraction.num_states)
        ),
        parent=abstraction.parent_state,
        reach=_by_round(joint.reach, abstraction.num_states, dtype),
        win=_by_round(joint.win, abstraction.num_states, dtype),
    )
    return factored_game(game, states, name=f"{game.name}:{abstraction.spec}")


def _by_round(river: Floats, num_states: Sequence[int], dtype: DTypeLike) -> tuple[Floats, ...]:
    """[rounds] of [S_r, S_r]: sums over the river states that each pair of states leads to."""
    matrices = []
    for size in num_states:
        below = len(river) // size
        block = river.reshape(size, below, size, below)
        matrices.append(np.ascontiguousarray(block.sum(axis=(1, 3)) if below > 1 else river, dtype=dtype))
    return tuple(matrices)


def verify_holdem(game: PokerGame) -> None:
    """Raise unless ``game`` is one the card abstractions are for."""
    if game.name != "limit":
        raise SoulreadError(f"{game.name!r} has no card abstraction; heads-up 'limit' hold'em has")


def memory_needed(game: PokerGame, spec: AbstractionSpec, dtype: DTypeLike = np.float32) -> int:
    """Bytes that solving ``game`` with this abstraction takes at its peak; nothing is built for the answer.

    Counted are the two matrices of the river and the one of its showdowns, those of earlier rounds, and
    for each player what `soulread.solve.cfr` keeps per sequence and the treeplex per information set.
    """
    betting = betting_tree(game)
    size = np.dtype(dtype).itemsize
    matrices = 3 * size * sum(states**2 for states in spec.num_states)
    sequences = sum(betting.num_sequences(spec.num_states))
    sets = sum(betting.num_sets(spec.num_states))
    return matrices + _ARRAYS * size * sequences + 2 * 4 * sets


def verify_memory(game: PokerGame, spec: AbstractionSpec, dtype: DTypeLike = np.float32) -> None:
    """Raise, with the figures, if solving would take more memory than there is."""
    needed, available = memory_needed(game, spec, dtype), available_memory()
    sequences = max(betting_tree(game).num_sequences(spec.num_states))
    if needed > available or sequences >= 2**31:
        raise SoulreadError(
            f"{game.name}:{spec} has {spec.num_states[-1]:,} private states on the river and "
            f"{sum(betting_tree(game).num_sets(spec.num_states)):,} information sets; solving it takes "
            f"{needed / 1e9:.1f} GB of memory, and {available / 1e9:.1f} GB are free"
        )


def available_memory() -> int:
    """Bytes this process may still take, by the machine and by its control group."""
    limits = [_available_in_machine()]
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = (group / "memory.current").read_text().strip()
    except OSError:
        limit = "max"
    if limit != "max":
        limits.append(int(limit) - int(used))
    return max(0, min(limits))


def _available_in_machine() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
