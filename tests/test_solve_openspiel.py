"""The same strategies judged by OpenSpiel."""

from collections.abc import Sequence

import numpy as np
import pytest
from pairs import pair

from soulread.games.base import CHANCE, TERMINAL
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.poker import CALL, FOLD, RAISE
from soulread.seqform.compile import compile_game
from soulread.seqform.strategy import (
    Behaviour,
    plan_from_behaviour,
    prefer_actions,
    random_behaviour,
    uniform_behaviour,
)
from soulread.solvers.cfr.run import solve
from soulread.solvers.exploitability import nash_conv

pyspiel = pytest.importorskip("pyspiel")

# In Kuhn OpenSpiel has two actions, pass and bet, wherever one stands.
KUHN_ACTIONS = {FOLD: 0, RAISE: 1}


def openspiel_action(name, state, action):
    if name == "leduc_poker":
        return action
    if action == CALL:
        return 1 if state.to_call else 0
    return KUHN_ACTIONS[action]


def openspiel_policy(name, game, compiled, behaviours):
    """Walk both games side by side and copy the behaviours under OpenSpiel's labels."""
    table = {}
    deck = sorted(game.rules.deck)

    def walk(ours, theirs):
        if ours.player == TERMINAL:
            assert theirs.is_terminal()
        elif ours.player == CHANCE:
            for card, _ in ours.chance_outcomes():
                walk(ours.apply(card), theirs.child(deck.index(card)))
        else:
            tree = compiled.trees[ours.player]
            j = tree.index(ours.information(ours.player))
            actions = [openspiel_action(name, ours, action) for action in tree.legal_actions(j)]
            probabilities = behaviours[ours.player][tree.sequences(j)]
            table[theirs.information_state_string()] = list(
                zip(actions, map(float, probabilities), strict=True)
            )
            for action, other in zip(tree.legal_actions(j), actions, strict=True):
                walk(ours.apply(action), theirs.child(other))

    other = pyspiel.load_game(name)
    walk(game.start(), other.new_initial_state())
    return other, pyspiel.TabularPolicy(table)


@pytest.mark.parametrize(
    ("name", "game"),
    [("kuhn_poker", kuhn()), ("leduc_poker", leduc()), ("leduc_poker", leduc(suit_isomorphic=True))],
    ids=["kuhn", "leduc", "leduc:iso"],
)
def test_nash_conv_is_openspiels(name, game):
    compiled = compile_game(game)
    rng = np.random.default_rng(8)
    strategies: dict[str, Sequence[Behaviour]] = {
        "uniform": [uniform_behaviour(tree) for tree in compiled.trees],
        "random": [random_behaviour(tree, rng) for tree in compiled.trees],
        "solved": solve(compiled, iterations=30).behaviours,
        "call": [prefer_actions(tree, (CALL,)) for tree in compiled.trees],
        "raise": [prefer_actions(tree, (RAISE, CALL)) for tree in compiled.trees],
        "fold": [prefer_actions(tree, (FOLD, CALL)) for tree in compiled.trees],
    }
    for behaviours in strategies.values():
        plans = pair(plan_from_behaviour(tree, b) for tree, b in zip(compiled.trees, behaviours, strict=True))
        other, policy = openspiel_policy(name, game, compiled, behaviours)
        assert nash_conv(compiled, plans) == pytest.approx(pyspiel.nash_conv(other, policy), abs=1e-9)
