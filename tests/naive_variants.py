"""Slow twins of variants, skews and local best response: plain recursions over the states of a game."""

from soulread.games import CHANCE, TERMINAL


def bonus_payoffs(state, bonus, of):
    """Chips of both seats at the end of a hand when the winner gets more than the loser pays."""
    matched = min(state.spent)
    result = []
    for won in state.payoffs():
        extra = 0.0
        if of == "win" and won > 0:
            extra = bonus * won
        if of == "pot" and won > 0:
            extra = bonus * 2 * matched
        if of == "pot" and won == 0:
            extra = bonus * matched
        result.append(won + extra)
    return result


def looked_up(game, behaviours):
    """``probabilities(seat, label)`` for the functions below, from a compiled game and behaviours."""

    def probabilities(seat, label):
        tree = game.trees[seat]
        return behaviours[seat][tree.sequences(tree.index(label))]

    return probabilities


def expected_payoffs(state, probabilities, payoffs):
    """Both seats' mean payoffs; ``probabilities(seat, label)`` is one number per legal action."""
    if state.player == TERMINAL:
        return payoffs(state)
    if state.player == CHANCE:
        branches = [(chance, state.apply(card)) for card, chance in state.chance_outcomes()]
    else:
        sigma = probabilities(state.player, state.information(state.player))
        branches = [
            (chance, state.apply(action)) for chance, action in zip(sigma, state.legal_actions(), strict=True)
        ]
    total = [0.0, 0.0]
    for chance, after in branches:
        if chance > 0:
            first, second = expected_payoffs(after, probabilities, payoffs)
            total[0] += chance * first
            total[1] += chance * second
    return total


def action_frequencies(state, probabilities, frequencies, reach=1.0):
    """Add to ``frequencies[seat, round, action]`` how often a hand sees each action."""
    if state.player == TERMINAL:
        return
    if state.player == CHANCE:
        for card, chance in state.chance_outcomes():
            action_frequencies(state.apply(card), probabilities, frequencies, reach * chance)
        return
    sigma = probabilities(state.player, state.information(state.player))
    for chance, action in zip(sigma, state.legal_actions(), strict=True):
        if chance > 0:
            frequencies[state.player, state.round, action] += reach * chance
            action_frequencies(state.apply(action), probabilities, frequencies, reach * chance)
