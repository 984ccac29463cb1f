"""Slow, obvious twins of the learners: likelihoods by enumeration, posteriors by integration on a grid."""

import itertools

import numpy as np

from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import PokerGame


def outcomes(game: PokerGame, behaviours):
    """Every finished state with its probability when both seats play ``behaviours[seat](label, action)``."""
    stack = [(game.start(), 1.0)]
    while stack:
        state, chance = stack.pop()
        if state.player == TERMINAL:
            yield state, chance
        elif state.player == CHANCE:
            stack += [(state.apply(card), chance * p) for card, p in state.chance_outcomes()]
        else:
            label = state.information(state.player)
            for action in state.legal_actions():
                stack.append((state.apply(action), chance * behaviours[state.player](label, action)))


def asked(tree, behaviour):
    """A behaviour as a function of label and action."""

    def probability(label: str, action: int) -> float:
        index = tree.index(label)
        return float(behaviour[tree.sequences(index)][tree.legal_actions(index).index(action)])

    return probability


def hand_likelihood(game: PokerGame, tree, behaviour, hand) -> float:
    """Probability of the opponent's actions, averaged over the cards he may have held."""
    villain = 1 - hand.observer
    own, shown = hand.hole[hand.observer], hand.hole[villain]
    deck = [card for card in game.rules.deck if card not in (*hand.board, *(own or ()))]
    holdings = [shown] if shown else list(itertools.combinations(deck, game.rules.hole_cards))
    probability = asked(tree, behaviour)
    total = 0.0
    for cards in holdings:
        spare = [card for card in deck if card not in cards]
        other = own or tuple(spare[: game.rules.hole_cards])
        dealt = iter([*(other + tuple(cards) if villain else tuple(cards) + other), *hand.board])
        state, product = game.start(), 1.0
        for seat, action in hand.actions:
            while state.player == CHANCE:
                state = state.apply(next(dealt))
            if seat == villain:
                product *= probability(state.information(seat), action)
            state = state.apply(action)
        total += product / len(holdings)
    return total


def grid_posterior_mean(alphas, likelihood, points: int = 60):
    """Posterior means of Bernoulli parameters with Beta priors ``alphas[i]``, by the midpoint rule.

    ``likelihood`` takes arrays of the parameters' values on the whole grid.
    """
    axis = (np.arange(points) + 0.5) / points
    grid = np.meshgrid(*[axis] * len(alphas), indexing="ij")
    density = likelihood(*grid)
    for values, (a, b) in zip(grid, alphas, strict=True):
        density = density * values ** (a - 1) * (1 - values) ** (b - 1)
    return [float((density * values).sum() / density.sum()) for values in grid]


def best_response_value(game, seat: int, plan) -> float:
    """By enumerating pure behaviours set by set, from the last to the first, with the dense payoff matrix."""
    tree = game.trees[seat]
    q = game.payoff.matrix(seat).toarray() @ plan
    for _, sets, _ in reversed(list(tree.blocks())):
        for index in range(sets.start, sets.stop):
            q[tree.parent_sequence[index]] += max(q[tree.sequences(index)])
    return float(q[0])
