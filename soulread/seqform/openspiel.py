"""Strategies as OpenSpiel policies and back, so that either program can judge what the other has solved.

An OpenSpiel policy is one table for both players, from information states to action probabilities. Games
that were read from OpenSpiel have the same labels here as there. For kuhn, leduc and leduc:iso both games are
walked side by side to learn which of their labels belong together.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.openspiel import PREFIX, import_pyspiel, openspiel_action, openspiel_counterpart
from soulread.games.poker import PokerState
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.strategy import Behaviour, Behaviours, verify_behaviours

Table = Mapping[str, Sequence[tuple[int, float]]]


def to_openspiel_policy(game: SequenceGame, behaviours: Behaviours) -> Any:
    """Both players' behaviours as one ``pyspiel.TabularPolicy`` for the game of `openspiel_counterpart`.

    ``pyspiel.exploitability`` takes the policy as it is. For ``open_spiel.python.policy`` convert it with
    ``pyspiel_policy_to_python_policy``.
    """
    verify_behaviours(game.trees, behaviours)
    table: dict[str, list[tuple[int, float]]] = {}
    for player, index, label, actions in _pairs(game):
        chances = behaviours[player][game.trees[player].sequences(index)].astype(np.float64).tolist()
        row = list(zip(actions, chances, strict=True))
        if table.setdefault(label, row) != row:
            raise SoulreadError(
                f"two information sets of {game.name!r} have one name in OpenSpiel, {label!r}, but the "
                "strategy differs between them; a policy of OpenSpiel cannot tell them apart"
            )
    return import_pyspiel().TabularPolicy(table)


def from_openspiel_policy(game: SequenceGame, policy: Any) -> Behaviours:
    """Both players' behaviours from a policy of OpenSpiel; the opposite of `to_openspiel_policy`.

    Takes a ``pyspiel.TabularPolicy``, any policy of ``open_spiel.python.policy``, or a plain table. The
    policy must cover every information set.
    """
    table = _table(policy)
    first, second = (Behaviour(np.ones(tree.num_sequences)) for tree in game.trees)
    behaviours = first, second
    for player, index, label, actions in _pairs(game):
        if label not in table:
            raise SoulreadError(f"the policy says nothing about {label!r} of {game.name!r}")
        chances = dict(table[label])
        strange = [action for action, chance in chances.items() if chance and action not in actions]
        if strange:
            raise SoulreadError(
                f"the policy plays action {strange[0]!r} at {label!r} of {game.name!r}, "
                f"which allows {list(actions)!r}"
            )
        behaviours[player][game.trees[player].sequences(index)] = [chances.get(a, 0.0) for a in actions]
    verify_behaviours(game.trees, behaviours)
    return behaviours


def _table(policy: Any) -> Table:
    if isinstance(policy, Mapping):
        return policy
    if hasattr(policy, "policy_table"):  # a policy of pyspiel
        return policy.policy_table()  # type: ignore[no-any-return]
    if hasattr(policy, "to_tabular"):  # a policy of open_spiel.python
        tabular = policy if hasattr(policy, "to_dict") else policy.to_tabular()
        return tabular.to_dict()  # type: ignore[no-any-return]
    raise SoulreadError(
        f"{type(policy).__name__!r} is not a policy with a table; "
        "give a pyspiel.TabularPolicy or a policy of open_spiel.python"
    )


def _pairs(game: SequenceGame) -> Iterator[tuple[int, int, str, tuple[int, ...]]]:
    """For each information set: player, set, OpenSpiel's label of it and its numbers of the actions."""
    if game.name.startswith(PREFIX):
        for player, tree in enumerate(game.trees):
            for index in range(tree.num_sets):
                yield player, index, tree.label(index), tree.legal_actions(index)
        return
    start = poker_of(game).start(), openspiel_counterpart(game.name).new_initial_state()
    stack: list[tuple[PokerState, Any]] = [start]
    met: set[tuple[int, str]] = set()
    while stack:
        state, other = stack.pop()
        player = state.player
        if player == TERMINAL:
            continue
        actions = state.legal_actions() or tuple(action for action, _ in state.chance_outcomes())
        theirs = tuple(openspiel_action(state, action) for action in actions)
        if player >= 0:
            label = other.information_state_string(player)
            if (player, label) not in met:
                met.add((player, label))
                yield player, game.trees[player].index(state.information(player)), label, theirs
        stack += [(state.apply(a), other.child(b)) for a, b in zip(actions, theirs, strict=True)]
