"""Slow twins of the search: plain recursion over real states, holding by holding and card by card."""

from collections.abc import Callable

from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import PokerState

Act = Callable[[PokerState], dict[int, float]]  # the opponent's chances of actions, cards seen
Share = Callable[[PokerState], float]  # part of the pot that we win at a showdown


def public_value(state: PokerState, seat: int, act: Act, share: Share) -> float:
    """What a state is worth to ``seat`` in chips, if the opponent's cards play no part; Miximax."""
    if state.player == TERMINAL:
        if not state.showdown:
            return float(state.payoffs()[seat])
        chips = min(state.spent)
        return share(state) * 2 * chips - chips
    if state.player == CHANCE:
        # the opponent's cards are dead cards of the state: chance is uniform over what we do not see
        outcomes = [card for card in state.rules.deck if card not in (*state.hole(seat), *state.board)]
        return sum(public_value(_dealt(state, card), seat, act, share) for card in outcomes) / len(outcomes)
    if state.player == seat:
        return max(public_value(state.apply(a), seat, act, share) for a in state.legal_actions())
    return sum(chance * public_value(state.apply(a), seat, act, share) for a, chance in act(state).items())


def _dealt(state: PokerState, card: int) -> PokerState:
    """The state with this board card; an opponent who held it holds another card instead."""
    other = 1 if state.hole(0) and card not in state.hole(0) else 0
    if card not in state.cards:
        return state.apply(card)
    spare = next(c for c in state.rules.deck if c not in state.cards)
    cards = [spare if c == card else c for c in state.cards]
    assert card in state.hole(other)
    again = state.game.start()
    rest = iter(cards)
    actions = iter(action for _, action in state.actions)
    while True:
        if again.player == CHANCE:
            following = next(rest, None)
            if following is None:
                return again.apply(card)
            again = again.apply(following)
        else:
            again = again.apply(next(actions))
