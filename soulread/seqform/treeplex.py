"""The decisions of one player as flat arrays (the treeplex of the sequence form).

Information sets come in *blocks*. A block is ``width`` sets side by side that have the same actions. Its
sequences are stored action by action:

    sequence of set s and action a of block b  =  first_sequence[b] + a * width + s

so a sweep over a block is a sweep over contiguous vectors. In hold'em a block is a betting node, and its sets
are the private states of its round. A small game read from its tree has one block per depth and list of
actions. Parents come before their children, and sequence 0 is the empty one.

A behaviour strategy and a realisation plan are both flat arrays ``[num_sequences]``. A behaviour has the
probability of each action at its set. A plan has the product of those probabilities down to and including the
action. Entry 0 of both is 1.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ShapeError, SoulreadError

Floats: TypeAlias = NDArray[np.floating[Any]]
Ints: TypeAlias = NDArray[np.int32]


class Labels(Protocol):
    """The names of the information sets of a treeplex."""

    def __len__(self) -> int:
        """Number of information sets."""

    def label(self, index: int) -> str:
        """The label of a set: all that the player has seen."""

    def public_history(self, index: int) -> str:
        """The public part of a set: all that everyone has seen."""

    def index(self, label: str) -> int:
        """The set with this label, or -1 if there is none."""


@dataclass(frozen=True)
class ListedLabels:
    """Labels stored one by one, for games of up to a few hundred thousand sets."""

    labels: tuple[str, ...]
    public_histories: tuple[str, ...]  # one for each label

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.public_histories):
            raise ShapeError(
                f"{len(self.labels)} labels but {len(self.public_histories)} public histories; "
                "each information set has one of both"
            )
        if len(self._indices) != len(self.labels):
            twice = next(label for i, label in enumerate(self.labels) if self._indices[label] != i)
            raise SoulreadError(f"two information sets are called {twice!r}; labels must differ")

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.labels)}

    def __len__(self) -> int:
        return len(self.labels)

    def label(self, index: int) -> str:
        return self.labels[index]

    def public_history(self, index: int) -> str:
        return self.public_histories[index]

    def index(self, label: str) -> int:
        return self._indices.get(label, -1)


@dataclass(frozen=True)
class ProductLabels:
    """Labels ``"state|node"`` put together from a private state and a betting node; they are not stored.

    ``nodes[b]`` names block b, ``rounds[b]`` is its round, and ``states[r]`` names the private states of
    round r. A state's name may have a public part after a "|", such as the board in "Ks|Jh". The public
    history is then that part and the node, otherwise the node alone.
    """

    nodes: tuple[str, ...]
    rounds: tuple[int, ...]
    states: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        if len(self.nodes) != len(self.rounds):
            raise ShapeError(f"{len(self.nodes)} betting nodes but {len(self.rounds)} rounds; each has one")

    @cached_property
    def _first_set(self) -> NDArray[np.int64]:
        widths = [len(self.states[r]) for r in self.rounds]
        return np.concatenate([[0], np.cumsum(widths, dtype=np.int64)])

    @cached_property
    def _blocks(self) -> dict[str, int]:
        return {node: block for block, node in enumerate(self.nodes)}

    @cached_property
    def _positions(self) -> tuple[dict[str, int], ...]:
        return tuple({state: i for i, state in enumerate(states)} for states in self.states)

    def _split(self, index: int) -> tuple[str, str]:
        block = int(np.searchsorted(self._first_set, index, side="right")) - 1
        return self.states[self.rounds[block]][index - int(self._first_set[block])], self.nodes[block]

    def __len__(self) -> int:
        return int(self._first_set[-1])

    def label(self, index: int) -> str:
        state, node = self._split(index)
        return f"{state}|{node}"

    def public_history(self, index: int) -> str:
        state, node = self._split(index)
        _, separator, public = state.partition("|")
        return f"{public}{separator}{node}"

    def index(self, label: str) -> int:
        state, _, node = label.rpartition("|")
        block = self._blocks.get(node, -1)
        if block < 0:
            return -1
        position = self._positions[self.rounds[block]].get(state, -1)
        return -1 if position < 0 else int(self._first_set[block]) + position


class TreeArrays(NamedTuple):
    """A treeplex for kernels; the fields are those of `Treeplex`."""

    first_set: Ints
    first_sequence: Ints
    parent_sequence: Ints


@dataclass(frozen=True, eq=False)
class Treeplex:
    """The information sets and sequences of one player, parents first."""

    player: int
    first_set: Ints  # [num_blocks + 1] first information set of each block
    first_sequence: Ints  # [num_blocks + 1] first sequence of each block; starts at 1
    parent_sequence: Ints  # [num_sets] the player's last sequence before each set
    actions: tuple[tuple[int, ...], ...]  # [num_blocks] the actions of each block, by the game's numbers
    labels: Labels  # [num_sets]

    def __post_init__(self) -> None:
        blocks = len(self.actions)
        if self.first_set.shape != (blocks + 1,) or self.first_sequence.shape != (blocks + 1,):
            raise ShapeError(
                f"first_set has shape {self.first_set.shape} and first_sequence {self.first_sequence.shape}, "
                f"but {blocks} blocks of actions need ({blocks + 1},)"
            )
        widths = np.diff(self.first_set)
        counts = np.array([len(actions) for actions in self.actions], dtype=np.int64)
        if self.first_set[0] != 0 or np.any(widths < 1) or np.any(counts < 1):
            raise ShapeError("every block needs at least one information set and one action")
        if self.first_sequence[0] != 1 or np.any(np.diff(self.first_sequence) != widths * counts):
            raise ShapeError("first_sequence must start at 1 and grow by width x actions of each block")
        if self.parent_sequence.shape != (self.first_set[-1],) or len(self.labels) != self.first_set[-1]:
            raise ShapeError(
                f"{self.first_set[-1]} information sets, but {self.parent_sequence.shape} parent sequences "
                f"and {len(self.labels)} labels"
            )
        limit = np.repeat(self.first_sequence[:-1], widths)
        wrong = np.flatnonzero((self.parent_sequence < 0) | (self.parent_sequence >= limit))
        if wrong.size:
            j = int(wrong[0])
            raise ShapeError(
                f"information set {j} ({self.labels.label(j)!r}) has parent sequence "
                f"{self.parent_sequence[j]}, which does not come before its block"
            )

    @property
    def num_blocks(self) -> int:
        return len(self.actions)

    @property
    def num_sets(self) -> int:
        return int(self.first_set[-1])

    @property
    def num_sequences(self) -> int:
        return int(self.first_sequence[-1])

    @cached_property
    def arrays(self) -> TreeArrays:
        """The arrays for kernels."""
        return TreeArrays(self.first_set, self.first_sequence, self.parent_sequence)

    @cached_property
    def max_width(self) -> int:
        """Number of sets in the widest block; kernels need scratch space of this size."""
        return int(np.diff(self.first_set).max(initial=1))

    @cached_property
    def width(self) -> Ints:
        """``[num_sets]``: distance between the sequences of two neighbouring actions of each set."""
        widths = np.diff(self.first_set)
        return np.repeat(widths, widths).astype(np.int32)

    @cached_property
    def num_actions(self) -> Ints:
        """``[num_sets]``: number of actions of each set."""
        counts = np.array([len(actions) for actions in self.actions], dtype=np.int32)
        return np.repeat(counts, np.diff(self.first_set))

    @cached_property
    def set_sequence(self) -> Ints:
        """``[num_sets]``: sequence of each set's first action; action a is ``a * width`` further."""
        starts = self.first_sequence[:-1] - self.first_set[:-1]
        return (np.repeat(starts, np.diff(self.first_set)) + np.arange(self.num_sets)).astype(np.int32)

    @cached_property
    def sequence_set(self) -> Ints:
        """``[num_sequences]``: the set each sequence ends in; -1 for the empty sequence."""
        result = np.full(self.num_sequences, -1, dtype=np.int32)
        for block, sets, rows in self.blocks():
            result[rows] = np.tile(np.arange(sets.start, sets.stop, dtype=np.int32), len(self.actions[block]))
        return result

    def blocks(self) -> Iterator[tuple[int, slice, slice]]:
        """Each block with its slice of the information sets and its slice of the sequences."""
        for b in range(self.num_blocks):
            yield (
                b,
                slice(int(self.first_set[b]), int(self.first_set[b + 1])),
                slice(int(self.first_sequence[b]), int(self.first_sequence[b + 1])),
            )

    def block(self, index: int) -> int:
        """The block of information set ``index``."""
        if not 0 <= index < self.num_sets:
            raise ShapeError(f"information set {index!r} does not exist; there are {self.num_sets}")
        return int(np.searchsorted(self.first_set, index, side="right")) - 1

    def sequences(self, index: int) -> slice:
        """Sequences of information set ``index``, one per action: ``behaviour[tree.sequences(j)]``."""
        b = self.block(index)
        width = int(self.first_set[b + 1] - self.first_set[b])
        first = int(self.first_sequence[b]) + index - int(self.first_set[b])
        return slice(first, first + (len(self.actions[b]) - 1) * width + 1, width)

    def legal_actions(self, index: int) -> tuple[int, ...]:
        """The game's numbers of the actions of information set ``index``, ascending."""
        return self.actions[self.block(index)]

    def label(self, index: int) -> str:
        """The label of information set ``index``: all that the player has seen."""
        return self.labels.label(index)

    def public_history(self, index: int) -> str:
        """The public history of information set ``index``: all that everyone has seen."""
        return self.labels.public_history(index)

    def index(self, label: str) -> int:
        """The information set with this label; raises `SoulreadError` if the player has none."""
        found = self.labels.index(label)
        if found < 0:
            example = self.labels.label(0) if self.num_sets else ""
            raise SoulreadError(
                f"player {self.player} has no information set {label!r}; "
                f"they are written like {example!r} in this game"
            )
        return found

    def sequence(self, label: str, action: int) -> int:
        """The sequence that ends with ``action``, the game's number of it, at the set with this label."""
        index = self.index(label)
        actions = self.legal_actions(index)
        if action not in actions:
            raise SoulreadError(f"action {action} is not in the game at {label!r}, which allows {actions!r}")
        rows = self.sequences(index)
        return int(rows.start + actions.index(action) * rows.step)

    def verify_shape(self, array: NDArray[Any], what: str) -> None:
        """Raise `ShapeError` unless ``array`` has one entry per sequence."""
        if array.shape != (self.num_sequences,):
            raise ShapeError(
                f"{what} has shape {array.shape}, but the treeplex of player {self.player} has "
                f"{self.num_sequences} sequences; was it made for the other player or another game?"
            )

    @cached_property
    def checksum(self) -> str:
        """Hexadecimal digest of the structure; treeplexes with equal digests can share strategies."""
        digest = hashlib.sha256(repr((self.player, self.actions)).encode())
        for array in self.arrays:
            digest.update(np.ascontiguousarray(array, dtype="<i4").tobytes())
        if self.num_sets:
            for index in (0, self.num_sets // 2, self.num_sets - 1):
                digest.update(self.label(index).encode())
        return digest.hexdigest()


def make_treeplex(
    player: int,
    blocks: Sequence[tuple[tuple[int, ...], Sequence[int] | Ints]],
    labels: Labels,
) -> Treeplex:
    """Build a treeplex from blocks ``(actions, parent sequence of each set)``, parents first."""
    widths = [len(parents) for _, parents in blocks]
    sizes = [len(actions) * len(parents) for actions, parents in blocks]
    parents = [np.asarray(parents, dtype=np.int32) for _, parents in blocks]
    return Treeplex(
        player=player,
        first_set=np.concatenate([[0], np.cumsum(widths, dtype=np.int64)]).astype(np.int32),
        first_sequence=np.concatenate([[1], 1 + np.cumsum(sizes, dtype=np.int64)]).astype(np.int32),
        parent_sequence=np.concatenate([np.empty(0, dtype=np.int32), *parents]),
        actions=tuple(tuple(actions) for actions, _ in blocks),
        labels=labels,
    )
