"""What actions are worth, the slow way: every history that a player may be at, one by one."""

from collections.abc import Callable

from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import PokerGame, PokerState, PokerView

Chances = Callable[[PokerView], dict[int, float]]  # what an opponent does
Histories = list[tuple[float, PokerState]]  # with their weights


def histories_at(game: PokerGame, view: PokerView, opponent: Chances) -> Histories:
    """All histories that look like ``view`` to its seat, with chance and the opponent's play as weights."""
    found: Histories = []
    stack: Histories = [(1.0, game.start())]
    while stack:
        weight, state = stack.pop()
        if state.player == CHANCE:
            stack += [(weight * chance, state.apply(card)) for card, chance in state.chance_outcomes()]
        elif state.player != TERMINAL and len(state.actions) < len(view.actions):
            seat, action = view.actions[len(state.actions)]
            if state.player == seat and action in state.legal_actions():
                chance = 1.0 if seat == view.seat else opponent(state.view(seat))[action]
                stack.append((weight * chance, state.apply(action)))
        elif state.player == view.seat and state.information(view.seat) == view.information:
            found.append((weight, state))
    return found


def best_worth(seat: int, histories: Histories, opponent: Chances) -> float:
    """Chips of ``seat`` summed over weighted histories, if it plays as well as one can from there."""
    total = 0.0
    sets: dict[str, Histories] = {}
    stack = list(histories)
    while stack:
        weight, state = stack.pop()
        if state.player == TERMINAL:
            total += weight * state.payoffs()[seat]
        elif state.player == CHANCE:
            stack += [(weight * chance, state.apply(card)) for card, chance in state.chance_outcomes()]
        elif state.player == seat:
            sets.setdefault(state.information(seat), []).append((weight, state))
        else:
            for action, chance in opponent(state.view(state.player)).items():
                stack.append((weight * chance, state.apply(action)))
    for alike in sets.values():
        legal = alike[0][1].legal_actions()
        total += max(
            best_worth(seat, [(weight, state.apply(action)) for weight, state in alike], opponent)
            for action in legal
        )
    return total


def action_values(
    game: PokerGame, view: PokerView, opponent: Chances, rarely: float
) -> tuple[dict[int, float], bool]:
    """What each action in view is worth, in chips a hand; and whether the opponent ever comes here.

    If not, the opponent takes the actions of this betting with all cards.
    """
    seen = histories_at(game, view, opponent)
    dealt = sum(weight for weight, _ in histories_at(game, view, _anything))
    reached = sum(weight for weight, _ in seen) > rarely * dealt
    if not reached:
        seen = histories_at(game, view, _anything)
    met = sum(weight for weight, _ in seen)
    values = {
        action: best_worth(view.seat, [(weight, state.apply(action)) for weight, state in seen], opponent)
        / met
        for action in view.legal
    }
    return values, reached


def _anything(view: PokerView) -> dict[int, float]:
    return dict.fromkeys(view.legal, 1.0)


def mean_cost(
    game: PokerGame, seat: int, own: Chances, opponent: Chances, cost: Callable[[PokerView, int], float]
) -> float:
    """The costs of all decisions of ``seat`` in a hand, on average, and each as ``cost`` says."""
    total = 0.0
    stack: Histories = [(1.0, game.start())]
    while stack:
        weight, state = stack.pop()
        if state.player == TERMINAL or weight == 0:
            continue
        if state.player == CHANCE:
            stack += [(weight * chance, state.apply(card)) for card, chance in state.chance_outcomes()]
            continue
        view = state.view(state.player)
        for action, chance in (own if state.player == seat else opponent)(view).items():
            if state.player == seat and chance:
                total += weight * chance * cost(view, action)
            stack.append((weight * chance, state.apply(action)))
    return total
