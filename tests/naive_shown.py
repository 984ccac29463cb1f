"""Slow, obvious twins of what shown cards add to a model: hand by hand, state by state."""

import numpy as np


def past(tree, sequence: int) -> list[int]:
    """The sequence and all before it, the empty one left out."""
    path = []
    while sequence:
        path.append(sequence)
        sequence = int(tree.parent_sequence[tree.sequence_set[sequence]])
    return path


def expected_counts(public, behaviour, hidden, last, weight):
    """Hands by sequence: whole ones where the cards were shown, the hidden ones by their posterior."""
    tree = public.tree
    counts = np.zeros(tree.num_sequences)
    for sequence, amount in zip(last, weight, strict=True):
        for before in past(tree, int(sequence)):
            counts[before] += amount
    for n in range(public.num_histories):
        for cell, row in zip(range(*public.cells(n).indices(10**9)), public.sequences(n), strict=True):
            paths = [past(tree, int(sequence)) for sequence in row]
            likely = public.chance(n) * [np.prod([behaviour[s] for s in path]) for path in paths]
            likely = likely if likely.sum() > 0 else public.chance(n)
            for path, share in zip(paths, likely / likely.sum(), strict=True):
                for sequence in path:
                    counts[sequence] += hidden[cell] * share
    return counts


def mixed(public, behaviour, counts, worth: float):
    """(M x + c) / (M + sum of c) at every set."""
    result = np.array(behaviour, dtype=np.float64)
    for j in range(public.tree.num_sets):
        row = public.tree.sequences(j)
        result[row] = (worth * result[row] + counts[row]) / (worth + counts[row].sum())
    return result


def log_posterior(w: float, own, blind, weight, strength: float) -> float:
    """Of one kind's weight: each action drawn from the mixture, and ``strength`` that spoke against it."""
    return float(np.sum(weight * np.log(w * blind + (1 - w) * own)) + strength * np.log(1 - w))
