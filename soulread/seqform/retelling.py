"""A strategy over one card abstraction, told in the private states of another.

The strategies of two abstractions of one game share the betting, and differ in how they see the cards. Let
s be a private state of the one, u of the other, and P(u | s) the chance that a holding which the one sees as
s is seen as u by the other, over random boards. A player who comes to a betting node with plan[u] and then
takes action a with behaviour[u, a] seems, through the one's eyes, to take it with

    told[s, a]  proportional to  sum over u of  P(u | s) plan[u] behaviour[u, a]

States that none of the boards drawn has, and nodes that the player never comes to, are told as if the player
came there with all holdings.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal
from soulread.cards.ranges import cards_mask
from soulread.errors import SoulreadError
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.holdings import all_states, hand_table
from soulread.seqform.lookup import AbstractLookup
from soulread.seqform.strategy import Behaviour, Behaviours, plan_from_behaviour
from soulread.seqform.treeplex import ProductLabels, Treeplex

BOARDS = 300  # random boards by which states are compared: 400,000 holdings on each street
_UNREACHED = 1e-9  # weight of holdings that do not come to a node
_UNSEEN = 1e-12  # weight of a state that no board had


def retell(behaviours: Behaviours, of: SequenceGame, game: SequenceGame, boards: int = BOARDS) -> Behaviours:
    """The behaviours of both seats in the abstraction ``of``, told in the states of ``game``."""
    together = shared_states(of, game, boards)
    first, second = (
        _retold(behaviours[seat], of.trees[seat], game.trees[seat], together).astype(game.payoff.dtype)
        for seat in (0, 1)
    )
    return Behaviour(first), Behaviour(second)


def shared_states(of: SequenceGame, game: SequenceGame, boards: int) -> list[NDArray[np.float64]]:
    """For each round, ``[states of game, states of the other]``: how many holdings were seen as both."""
    own, other, poker = game.lookup, of.lookup, poker_of(game)
    if not isinstance(own, AbstractLookup) or not isinstance(other, AbstractLookup):
        raise SoulreadError(f"{game.name!r} and {of.name!r} are not both card abstractions of one game")
    rng, rules, table = np.random.default_rng(0), poker.rules, hand_table(poker)
    drawn = np.array([deal(rng, rules.deck, sum(rules.board_cards)) for _ in range(boards)], dtype=np.uint8)
    found = []
    for r, dealt in enumerate(np.cumsum(rules.board_cards)):
        part = np.ascontiguousarray(drawn[:, :dealt])
        fits = np.array([(table.masks & cards_mask(board.tolist())) == 0 for board in part])
        ours, theirs = (all_states(lookup, table, part)[fits] for lookup in (own, other))
        counts = np.zeros((own.num_states[r], other.num_states[r]))
        np.add.at(counts, (ours, theirs), 1)
        found.append(counts)
    return found


def _retold(
    behaviour: Behaviour, of: Treeplex, tree: Treeplex, together: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The behaviour of one seat, block by block of betting nodes."""
    assert isinstance(of.labels, ProductLabels)
    assert isinstance(tree.labels, ProductLabels)
    plan = plan_from_behaviour(of, behaviour)
    blocks = {node: block for block, node in enumerate(of.labels.nodes)}
    told = np.ones(tree.num_sequences)
    for block, (node, r) in enumerate(zip(tree.labels.nodes, tree.labels.rounds, strict=True)):
        other = blocks[node]
        theirs = slice(int(of.first_sequence[other]), int(of.first_sequence[other + 1]))
        ours = slice(int(tree.first_sequence[block]), int(tree.first_sequence[block + 1]))
        shape = len(tree.actions[block]), -1
        weights = (plan[theirs] + _UNREACHED * behaviour[theirs]).reshape(shape).astype(np.float64)
        chances = weights @ together[r].T + _UNSEEN
        told[ours] = (chances / chances.sum(axis=0)).ravel()
    return told
