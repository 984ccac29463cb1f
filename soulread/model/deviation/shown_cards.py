"""A deviation model that also learns from shown cards. This is ours; the paper never looks at cards.

The public model x fits how often the opponent takes each action. With which hands the opponent does so is a
guess: weight shifting assumes that the good hands raise. Shown hands tell more. They are used in two steps:

1. *Do the opponent's actions depend on the cards?* The model is mixed with its public frequencies alpha,

       x[b, a] = (1 - w[k]) x[b, a] + w[k] alpha[n, a]

   which gives the same public frequencies for every w. At w = 0 the equilibrium tells which hands do what; at
   w = 1 all hands act alike. Histories of the same kind k (`soulread.model.deviation.pooled_prior`) share one
   w, so that the evidence is not spread over thousands of histories. w is the most likely weight given the
   shown hands, and given ``strength`` more actions that spoke for w = 0. The actions of hidden hands have the
   same probability for every w, so leaving them out introduces no bias.

2. *What does the opponent do with this hand?* The result of step 1 is the centre of a Dirichlet distribution
   at every private set, worth M hands. One step of expectation maximisation over all hands follows. A hand
   that was shown adds a count at each (private state, action) of its path. A hidden hand is spread over the
   private states, in proportion to chance h[b] times the model's probability of its path,

       x[b, a] = (M x[b, a] + E c[b, a]) / (M + sum of E c[b, .])

   Folded hands are never shown. Counting shown hands alone would therefore be biased. Here folded hands
   enter with their expectation, which avoids that. If the public actions came exactly as often as the
   model says, hidden hands change nothing: x is a fixed point. Otherwise public frequencies move a little
   from alpha towards the observed ones, as with a smaller prior.

If no cards were shown, the public model stays as it is. The observer's own cards, and board cards that came
after the opponent's last action, make some of the opponent's states less likely. We ignore this here, as we
do elsewhere.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.kernel import kernel
from soulread.observe.shown_hands import CardEvidence
from soulread.seqform.public import PublicArrays, PublicTree
from soulread.seqform.strategy import Behaviour, Plan
from soulread.seqform.treeplex import Floats, Ints

STRENGTH = 5.0
_STEPS = 200


def independent_share(
    public: PublicTree,
    kinds: NDArray[np.int64],
    behaviour: Behaviour,
    alpha: NDArray[np.float64],
    evidence: CardEvidence,
    strength: float = STRENGTH,
) -> NDArray[np.float64]:
    """``[num_histories]``: the share w of play that does not depend on the cards, of each history's kind.

    It lies between 0 and 1, and is 0 if no hand of the kind was shown.

    ``behaviour`` and ``alpha`` are those of the public model; ``kinds`` comes from `pooling.classes`.
    """
    history = np.searchsorted(public.arrays.first_cell, evidence.cell, side="right") - 1
    kind = kinds[history]
    num_kinds = int(kinds.max(initial=-1)) + 1
    own = behaviour[evidence.sequence].astype(np.float64)
    blind = alpha[evidence.cell]
    seen = np.bincount(kind, evidence.action_weight, minlength=num_kinds) + strength
    w = np.full(num_kinds, 0.5)
    for _ in range(_STEPS):  # expectation maximisation: did the action depend on the cards?
        part = w[kind] * blind
        total = part + (1 - w[kind]) * own
        share = np.divide(part, total, out=np.ones_like(part), where=total > 0)
        w = np.bincount(kind, evidence.action_weight * share, minlength=num_kinds) / seen
    return w[kinds]


def add_cards(
    public: PublicTree, behaviour: Behaviour, plan: Plan, reach: NDArray[np.float64], worth: float,
    evidence: CardEvidence,
) -> None:  # fmt: skip
    """Do the second step in place: change ``behaviour``, its ``plan`` and the ``reach`` of each history.

    ``worth`` is M, the number of hands that the behaviour is worth at every private set.
    """
    counts = np.zeros_like(behaviour)
    np.add.at(counts, evidence.last, evidence.weight)
    parent = public.tree.parent_sequence
    add_hidden(public.arrays, plan, evidence.hidden, counts)
    add_past(public.arrays, parent, counts)
    mix_counts(public.arrays, parent, counts, worth, behaviour, plan, reach)


@kernel
def add_hidden(public: PublicArrays, plan: Floats, hidden: NDArray[np.float64], counts: Floats) -> None:
    """Spread hidden hands over the private states at their last action, in proportion to chance times plan.

    Where the plan is 0 in every state, in proportion to chance alone.
    """
    for n in range(public.size.size):
        offsets = public.offset[public.first_offset[n] : public.first_offset[n] + public.size[n]]
        chance = public.chance[public.first_chance[n] :]
        for a in range(public.num_actions[n]):
            hands = hidden[public.first_cell[n] + a]
            if hands <= 0:
                continue
            first = public.first_sequence[n] + a * public.width[n]
            total, whole = 0.0, 0.0
            for s in offsets:
                total += chance[s] * plan[first + s]
                whole += chance[s]
            for s in offsets:
                weight = chance[s] * plan[first + s] / total if total > 0 else chance[s] / whole
                counts[first + s] += hands * weight


@kernel
def add_past(public: PublicArrays, parent_sequence: Ints, counts: Floats) -> None:
    """Turn counts of hands by last sequence into counts by every sequence on the path, children first."""
    for n in range(public.size.size - 1, -1, -1):
        parent = parent_sequence[public.first_set[n] :]
        offsets = public.offset[public.first_offset[n] : public.first_offset[n] + public.size[n]]
        for a in range(public.num_actions[n]):
            first = public.first_sequence[n] + a * public.width[n]
            for s in offsets:
                if counts[first + s] > 0 and parent[s] > 0:
                    counts[parent[s]] += counts[first + s]


@kernel
def mix_counts(
    public: PublicArrays,
    parent_sequence: Ints,
    counts: Floats,
    worth: float,
    behaviour: Floats,
    plan: Floats,
    reach: NDArray[np.float64],
) -> None:
    """Apply the formula of the second step at every private set, and bring plan and reach up to date."""
    for n in range(public.size.size):
        offsets = public.offset[public.first_offset[n] : public.first_offset[n] + public.size[n]]
        chance = public.chance[public.first_chance[n] :]
        parent = parent_sequence[public.first_set[n] :]
        first, width = public.first_sequence[n], public.width[n]
        last = first + public.num_actions[n] * width
        mass = 0.0
        for s in offsets:
            mass += chance[s] * plan[parent[s]]
            seen = 0.0
            for c in range(first + s, last, width):
                seen += counts[c]
            if seen > 0:
                for c in range(first + s, last, width):
                    behaviour[c] = (worth * behaviour[c] + counts[c]) / (worth + seen)
            for c in range(first + s, last, width):
                plan[c] = plan[parent[s]] * behaviour[c]
        reach[n] = mass
