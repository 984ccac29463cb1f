"""TD-CFR over labels and cards, as its listing reads; and random hands to feed it."""

from dataclasses import dataclass

import numpy as np

from soulread.cards.arrays import deal
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import PokerGame
from soulread.respond.td_cfr import FinishedHand


@dataclass
class Entry:
    seat: int
    actions: list[int]
    hands: list[str]  # what the opponent may hold, by its name
    belief: dict[str, float]
    value: dict[tuple[str, int], float]  # (hand, action) -> chips
    regret: np.ndarray
    total: np.ndarray
    pi: np.ndarray


def cards_seen(state, seat):
    """A seat's label without its betting part."""
    return state.information(seat).rpartition("|")[0]


class TdCfr:
    def __init__(self, settings, most, reveal):
        self.settings, self.most, self.reveal = settings, most, reveal
        self.xi, self.alpha = settings.xi, settings.alpha
        self.sets = {}

    def entry(self, state, seat):
        label = state.information(seat)
        if label not in self.sets:
            actions = list(state.legal_actions())
            hands = sorted({cards_seen(other, 1 - seat) for other in possible(state, seat)})
            self.sets[label] = Entry(
                seat,
                actions,
                hands,
                {hand: 1 / len(hands) for hand in hands},
                {(hand, action): self.most for hand in hands for action in actions},
                np.zeros(len(actions)),
                np.zeros(len(actions)),
                np.full(len(actions), 1 / len(actions)),
            )
        return self.sets[label]

    def chances(self, entry):
        return (1 - self.xi) * entry.pi + self.xi / len(entry.actions)

    def learn(self, end, path, seat):
        reach = 1.0
        policies = []
        for state, action in path:
            e = self.entry(state, seat)
            q = np.array([sum(e.belief[h] * e.value[h, a] for h in e.hands) for a in e.actions])
            e.regret += q - sum(e.pi * q)
            e.total += reach * e.pi
            policies.append(e.pi)
            reach *= e.pi[e.actions.index(action)]
            positive = np.maximum(e.regret, 0)
            e.pi = positive / positive.sum() if positive.sum() > 0 else np.full(len(q), 1 / len(q))
        for i, (state, action) in enumerate(path):
            e = self.entry(state, seat)
            known = cards_seen(state, 1 - seat) if end.showdown or self.reveal else None
            if i + 1 == len(path):
                target = end.payoffs()[seat]
            else:
                following = path[i + 1][0]
                f = self.entry(following, seat)
                held = cards_seen(following, 1 - seat) if known else None
                target = sum(
                    (f.belief[h] if held is None else h == held) * f.value[h, a] * policies[i + 1][k]
                    for h in f.hands
                    for k, a in enumerate(f.actions)
                )
            for h in e.hands:
                if known is None:
                    share = self.alpha * e.belief[h]
                else:
                    share = self.alpha if h == known else 0
                    e.belief[h] += self.alpha * ((h == known) - e.belief[h])
                e.value[h, action] += share * (target - e.value[h, action])
        self.xi *= self.settings.xi_decay
        self.alpha *= self.settings.alpha_decay


def possible(state, seat):
    """The same public state and own cards with every other card the opponent may hold."""
    game_deck = state.rules.deck
    place = 1 - seat  # one hole card each
    for card in game_deck:
        if card not in (state.hole(seat)[0], *state.board):
            cards = list(state.cards)
            cards[place] = card
            yield replay(state, cards)


def replay(state, cards, count=None):
    """The hand again with these cards, up to its ``count``-th action."""
    count = len(state.actions) if count is None else count
    again = PokerGame(state.rules).start()
    dealt, actions = iter(cards), iter(state.actions)
    while len(again.actions) < count or again.player == CHANCE:
        again = again.apply(next(dealt) if again.player == CHANCE else next(actions)[1])
    return again


def random_hand(game, learner, seat, rng):
    """A hand of the learner's policy in ``seat`` against random play: its end, and the learner's steps."""
    state = game.start()
    dealt = iter(deal(rng, game.rules.deck, game.num_cards))
    path = []
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(next(dealt))
            continue
        actions = list(state.legal_actions())
        if state.player == seat:
            entry = learner.entry(state, seat)
            action = actions[rng.choice(len(actions), p=learner.chances(entry))]
            path.append((state, action))
        else:
            action = actions[rng.integers(len(actions))]
        state = state.apply(action)
    return state, path


def ending(game, state, seat, reveal):
    own, other = (last_sequence(game, state, who) for who in (seat, 1 - seat))
    return FinishedHand(seat, (own, other if state.showdown or reveal else -1), state.payoffs()[seat])


def last_sequence(game, state, seat):
    tree = game.trees[seat]
    last = 0
    for count, (acting, action) in enumerate(state.actions):
        if acting == seat:
            before = replay(state, state.cards, count)
            index = tree.index(before.information(seat))
            last = tree.sequences(index).start + tree.sequences(index).step * tree.legal_actions(index).index(
                action
            )
    return last
