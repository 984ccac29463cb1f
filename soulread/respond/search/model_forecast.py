"""The chances of an opponent's actions in the rest of a hand, from any model.

The search works with any `soulread.model.base.Model`, also with one that says nothing about cards, such as a
predictor. In the present round the model gives the chances of every decision of the opponent. A later round
has hundreds of decisions. There the model gives them once for each class of decisions: same round, same
number of raises in it, same bets to call. The board cards to come are drawn, since a view must have a board.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.games.base import TERMINAL
from soulread.games.poker import PokerGame, PokerView, replay
from soulread.model.base import Model, ask
from soulread.model.vexbot.classes import contexts
from soulread.respond.search.miximax import nodes_below
from soulread.seqform.treeplex import Ints

_ALIKE = "round", "now", "call"  # traits (`soulread.model.vexbot.classes`) of decisions that share chances


def model_chances(model: Model, view: PokerView, rng: np.random.Generator) -> NDArray[np.float64]:
    """``[N, A]`` of the opponent's actions below the decision of the seat in ``view``; elsewhere 0."""
    found = contexts(view.game)
    betting, tree = found.betting, found.betting.arrays
    root = betting.decision(view.betting)
    cards = _dealt(view, rng)
    chances = np.zeros(tree.child.shape)
    known: dict[int, dict[int, float]] = {}
    classes = _classes(view.game)
    for node in nodes_below(betting, root).tolist():
        if tree.player[node] in (TERMINAL, view.seat):
            continue
        key = int(classes[node])  # of its own for each decision of this round
        if key not in known:
            rounds = int(tree.round[node]) + 1
            state = replay(view.game, betting.betting[node], cards[: _num_cards(view, rounds)])
            known[key] = ask(model, state.view(view.seat), 1 - view.seat)
        actions = betting.actions[node]
        chances[node, : len(actions)] = [known[key].get(action, 0.0) for action in actions]
    return chances


@lru_cache(maxsize=4)
def _classes(game: PokerGame) -> Ints:
    return contexts(game).decisions_by(_ALIKE)


def _num_cards(view: PokerView, rounds: int) -> int:
    rules = view.rules
    return rules.num_players * rules.hole_cards + sum(rules.board_cards[:rounds])


def _dealt(view: PokerView, rng: np.random.Generator) -> list[int | None]:
    """All cards of the hand in the order of the deal; the opponent's are unknown, later board cards drawn."""
    rules = view.rules
    hole: list[list[int | None]] = [[None] * rules.hole_cards for _ in range(rules.num_players)]
    hole[view.seat] = list(view.hole)
    left = [card for card in rules.deck if card not in (*view.hole, *view.board)]
    missing = sum(rules.board_cards) - len(view.board)
    more = [left[i] for i in rng.permutation(len(left))[:missing].tolist()]
    return [*(card for cards in hole for card in cards), *view.board, *more]
