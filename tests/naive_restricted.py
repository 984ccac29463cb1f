"""Restricted games over histories, slowly: the twin of `soulread.solvers.restricted` and its updates."""

import itertools
from collections import defaultdict

from naive_seqform import match

from soulread.games.base import CHANCE, TERMINAL


def mixed(sigma, model, confidence):
    return {
        label: [
            confidence[label] * m + (1 - confidence[label]) * s
            for m, s in zip(model[label], own, strict=True)
        ]
        for label, own in sigma.items()
    }


def sets_of(game):
    """Number of actions of every information set, player by player."""
    found: tuple[dict[str, int], dict[str, int]] = {}, {}

    def walk(state):
        if state.player == TERMINAL:
            return
        if state.player != CHANCE:
            found[state.player][state.information(state.player)] = len(state.legal_actions())
        moves = [a for a, _ in state.chance_outcomes()] if state.player == CHANCE else state.legal_actions()
        for a in moves:
            walk(state.apply(a))

    walk(game.start())
    return found


def plan_of(game, player, behaviour):
    """Probability that the player plays each of his actions and all his own before it."""
    plan = {}

    def walk(state, own):
        if state.player == TERMINAL:
            return
        if state.player == player:
            label = state.information(player)
            plan[label] = [own * p for p in behaviour[label]]
            for a, p in zip(state.legal_actions(), behaviour[label], strict=True):
                walk(state.apply(a), own * p)
            return
        moves = [a for a, _ in state.chance_outcomes()] if state.player == CHANCE else state.legal_actions()
        for a in moves:
            walk(state.apply(a), own)

    walk(game.start(), 1.0)
    return plan


def regrets_against(game, player, sigma, played, opponent):
    """What each action would have gained over ``sigma`` at its set, ``played`` being followed further on."""
    regret = {label: [0.0] * len(own) for label, own in sigma.items()}

    def walk(state, others):
        if state.player == TERMINAL:
            return state.payoffs()[player]
        if state.player == CHANCE:
            return sum(p * walk(state.apply(a), others * p) for a, p in state.chance_outcomes())
        label, actions = state.information(state.player), state.legal_actions()
        if state.player != player:
            return sum(
                p * walk(state.apply(a), others * p) for a, p in zip(actions, opponent[label], strict=True)
            )
        values = [walk(state.apply(a), others) for a in actions]
        mean = sum(p * v for p, v in zip(sigma[label], values, strict=True))
        for i, v in enumerate(values):
            regret[label][i] += others * (v - mean)
        return sum(p * v for p, v in zip(played[label], values, strict=True))

    walk(game.start(), 1.0)
    return regret


def cfr(game, schedule, iterations, villain, model, p=None, confidence=None):
    """Average plans of both players after so many iterations; of the villain the free part, given ``p``."""
    counts = sets_of(game)
    regrets = [{label: [0.0] * n for label, n in sets.items()} for sets in counts]
    sigma = [{label: [1 / n] * n for label, n in sets.items()} for sets in counts]
    average = [{label: [0.0] * n for label, n in sets.items()} for sets in counts]
    weight = 0.0

    def played(player):
        if player == villain and confidence is not None:
            return mixed(sigma[player], model, confidence)
        return sigma[player]

    def discount(t, exponent):
        return t**exponent / (t**exponent + 1) if abs(exponent) < 1e300 else float(exponent > 0)

    def look(player):
        now = regrets_against(game, player, sigma[player], played(player), played(1 - player))
        if player == villain or p is None:
            return now
        fixed = regrets_against(game, player, sigma[player], played(player), model)
        return {
            label: [p * a + (1 - p) * b for a, b in zip(fixed[label], r, strict=True)]
            for label, r in now.items()
        }

    def update(player, t, new):
        for label, r in new.items():
            R = regrets[player][label]
            for i in range(len(r)):
                R[i] += r[i]
                R[i] *= discount(t, schedule.alpha if R[i] > 0 else schedule.beta)
            prediction = r if schedule.predictive else [0.0] * len(r)
            sigma[player][label] = match([a + b for a, b in zip(R, prediction, strict=True)])
        for label, plan in plan_of(game, player, played(player)).items():
            for i, x in enumerate(plan):
                average[player][label][i] += t**schedule.gamma * x

    for t in range(1, iterations + 1):
        weight += t**schedule.gamma
        if schedule.alternating:
            for player in (0, 1):
                update(player, t, look(player))
        else:
            news = look(0), look(1)
            for player in (0, 1):
                update(player, t, news[player])
    return [{label: [x / weight for x in total] for label, total in totals.items()} for totals in average]


def best_value(start, player, opponent, model, confidence):
    """What a player gets who must follow the model with some confidence and does his best otherwise."""

    def best(states):
        total = 0.0
        groups = defaultdict(list)
        states = list(states)
        while states:
            state, weight = states.pop()
            if state.player == TERMINAL:
                total += weight * state.payoffs()[player]
            elif state.player == CHANCE:
                states += [(state.apply(a), weight * p) for a, p in state.chance_outcomes()]
            elif state.player == player:
                groups[state.information(player)].append((state, weight))
            else:
                chances = opponent[state.information(state.player)]
                states += [
                    (state.apply(a), weight * p) for a, p in zip(state.legal_actions(), chances, strict=True)
                ]
        for label, group in groups.items():
            values = [
                best((state.apply(a), weight) for state, weight in group) for a in group[0][0].legal_actions()
            ]
            forced = sum(m * v for m, v in zip(model[label], values, strict=True))
            total += confidence[label] * forced + (1 - confidence[label]) * max(values)
        return total

    return best([(start, 1.0)])


def worst_priors(tree, counts, strength):
    """The expected posteriors of all priors that put their whole strength on one action of each set.

    One behaviour ``{label: probabilities}`` for each choice of actions.
    """
    labels = [tree.label(j) for j in range(tree.num_sets)]
    for choice in itertools.product(*(range(len(counts[label])) for label in labels)):
        yield {
            label: [
                (n + (strength if i == chosen else 0)) / (sum(counts[label]) + strength)
                for i, n in enumerate(counts[label])
            ]
            for label, chosen in zip(labels, choice, strict=True)
        }
