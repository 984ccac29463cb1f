"""Slow, obvious twins of the sequence-form kernels: recursions over histories, and small random games.

Strategies are dictionaries from labels to lists of probabilities here.
"""

import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from soulread.games.base import CHANCE, TERMINAL, State, View
from soulread.seqform.compile import compile_game

Behaviour = dict[str, list[float]]


@dataclass(frozen=True)
class RandomGame:
    """A game nobody plays: who moves, what is seen and what is paid are drawn from a hash of the history.

    A player sees a signal of some moves and remembers those and his own actions, so recall is perfect. Some
    sets have one action only, some signals tell nothing, and chance may move anywhere.
    """

    seed: int
    depth: int = 5
    num_players: int = 2

    @property
    def name(self) -> str:
        return f"random:{self.seed}"

    def start(self) -> "RandomState":
        return RandomState(self, (), ("", ""))

    def draw(self, *what: object) -> int:
        return zlib.crc32(repr((self.seed, what)).encode())


@dataclass(frozen=True)
class RandomState:
    game: RandomGame
    history: tuple[int, ...]
    seen: tuple[str, str]

    @property
    def player(self) -> int:
        roll = self.game.draw("player", self.history) % 10
        if len(self.history) >= self.game.depth or (len(self.history) >= 2 and roll == 0):
            return TERMINAL
        return CHANCE if roll < 3 else roll % 2

    def legal_actions(self) -> Sequence[int]:
        if self.player < 0:
            return ()
        label = self.information(self.player)
        count = 1 + self.game.draw("actions", label) % 3
        first = self.game.draw("first", label) % 2
        return tuple(range(first, first + count))

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        if self.player != CHANCE:
            return ()
        weights = [1 + self.game.draw("chance", self.history, i) % 4 for i in range(2)]
        return [(i, weight / sum(weights)) for i, weight in enumerate(weights)]

    def apply(self, action: int) -> "RandomState":
        seen = list(self.seen)
        if self.player >= 0:
            seen[self.player] += f"a{action}."
        for seat in (0, 1):
            signal = self.game.draw("signal", seat, self.history, action) % 3
            if seat != self.player and signal:
                seen[seat] += f"s{signal}."
        return RandomState(self.game, (*self.history, action), (seen[0], seen[1]))

    def payoffs(self) -> tuple[float, float]:
        chips = self.game.draw("payoff", self.history) % 9001 / 1000 - 4.5  # ties would depend on rounding
        return chips, -chips

    def information(self, seat: int) -> str:
        return f"{seat}:{self.seen[seat]}"

    def public(self) -> str:
        return str(len(self.history))

    def view(self, seat: int, players: Sequence[str] = ()) -> View:
        raise NotImplementedError

    def action_name(self, action: int) -> str:
        return f"m{action}"


def random_games() -> st.SearchStrategy[RandomGame]:
    return st.builds(RandomGame, seed=st.integers(0, 10**6), depth=st.integers(1, 6))


def random_game(seed: int, depth: int = 6):
    """A compiled random game in which both players decide something."""
    while True:
        game = compile_game(RandomGame(seed, depth))
        if all(tree.num_sets >= 3 for tree in game.trees):
            return game
        seed += 1000


def as_labels(tree, behaviour) -> Behaviour:
    return {tree.label(j): list(map(float, behaviour[tree.sequences(j)])) for j in range(tree.num_sets)}


def value(state: State, behaviours: Sequence[Behaviour]) -> float:
    """Expected chips of player 0."""
    if state.player == TERMINAL:
        return state.payoffs()[0]
    if state.player == CHANCE:
        return sum(p * value(state.apply(a), behaviours) for a, p in state.chance_outcomes())
    sigma = behaviours[state.player][state.information(state.player)]
    return sum(
        p * value(state.apply(a), behaviours) for a, p in zip(state.legal_actions(), sigma, strict=True)
    )


def gradient(state, player: int, opponent: Behaviour) -> dict[object, float]:
    """Value of each sequence: chips of the outcomes right after it, weighted by chance and the opponent."""
    result: dict[object, float] = defaultdict(float)

    def walk(state, weight, last):
        if state.player == TERMINAL:
            result[last] += weight * state.payoffs()[player]
        elif state.player == CHANCE:
            for a, p in state.chance_outcomes():
                walk(state.apply(a), weight * p, last)
        else:
            label = state.information(state.player)
            for i, a in enumerate(state.legal_actions()):
                if state.player == player:
                    walk(state.apply(a), weight, (label, a))
                else:
                    walk(state.apply(a), weight * opponent[label][i], last)

    walk(state, 1.0, None)
    return result


def best_response_value(start, player: int, opponent: Behaviour) -> float:
    """What the player can get, choosing once for all histories he cannot tell apart."""

    def best(states) -> float:
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
                sigma = opponent[state.information(state.player)]
                states += [
                    (state.apply(a), weight * p) for a, p in zip(state.legal_actions(), sigma, strict=True)
                ]
        for group in groups.values():
            actions = group[0][0].legal_actions()
            total += max(best((state.apply(a), weight) for state, weight in group) for a in actions)
        return total

    return best([(start, 1.0)])


def match(regrets) -> list[float]:
    positive = [max(r, 0.0) for r in regrets]
    total = sum(positive)
    return [r / total for r in positive] if total > 0 else [1 / len(positive)] * len(positive)


def cfr(game, schedule, iterations: int) -> list[Behaviour]:
    """Average behaviours of textbook CFR over histories, with the discounts of a schedule."""
    regrets: list[dict[str, list[float]]] = [{}, {}]
    last: list[dict[str, list[float]]] = [{}, {}]  # regrets of the last iteration alone
    totals: list[dict[str, list[float]]] = [{}, {}]

    def sigma(player, label, count):
        R = regrets[player].setdefault(label, [0.0] * count)
        if schedule.predictive and label in last[player]:
            R = [a + b for a, b in zip(R, last[player][label], strict=True)]
        return match(R)

    def walk(state, player, own, others, new, current):
        """Counterfactual walk: value of the state for the player."""
        if state.player == TERMINAL:
            return state.payoffs()[player]
        if state.player == CHANCE:
            return sum(
                p * walk(state.apply(a), player, own, others * p, new, current)
                for a, p in state.chance_outcomes()
            )
        label, actions = state.information(state.player), state.legal_actions()
        s = current[state.player].setdefault(label, sigma(state.player, label, len(actions)))
        if state.player != player:
            return sum(
                p * walk(state.apply(a), player, own, others * p, new, current)
                for a, p in zip(actions, s, strict=True)
            )
        values = [
            walk(state.apply(a), player, own * p, others, new, current)
            for a, p in zip(actions, s, strict=True)
        ]
        mean = sum(p * v for p, v in zip(s, values, strict=True))
        r = new.setdefault(label, [0.0] * len(actions))
        for i, v in enumerate(values):
            r[i] += others * (v - mean)
        return mean

    def accumulate(state, player, own, weight, done):
        """Add the weighted plan of the new behaviour, once per set."""
        if state.player == TERMINAL:
            return
        actions = [a for a, _ in state.chance_outcomes()] if state.player == CHANCE else state.legal_actions()
        s = [1.0] * len(actions)
        if state.player == player:
            label = state.information(player)
            s = sigma(player, label, len(actions))
            if label not in done:
                done.add(label)
                total = totals[player].setdefault(label, [0.0] * len(actions))
                for i, p in enumerate(s):
                    total[i] += weight * own * p
        for a, p in zip(actions, s, strict=True):
            accumulate(state.apply(a), player, own * p, weight, done)

    def discount(t, exponent):
        return t**exponent / (t**exponent + 1) if abs(exponent) < 1e300 else float(exponent > 0)

    def update(player, t, new):
        for label, r in new.items():
            R = regrets[player].setdefault(label, [0.0] * len(r))
            for i in range(len(r)):
                R[i] += r[i]
                R[i] *= discount(t, schedule.alpha if R[i] > 0 else schedule.beta)
        last[player] = new
        accumulate(game.start(), player, 1.0, t**schedule.gamma, set())

    for t in range(1, iterations + 1):
        news: list[Behaviour] = []
        for player in (0, 1):
            news.append({})
            walk(game.start(), player, 1.0, 1.0, news[player], [{}, {}])
            if schedule.alternating:
                update(player, t, news[player])
        if not schedule.alternating:
            for player in (0, 1):
                update(player, t, news[player])
    return [
        {
            label: [x / sum(total) for x in total] if sum(total) > 0 else [1 / len(total)] * len(total)
            for label, total in totals[player].items()
        }
        for player in (0, 1)
    ]


def draw(probabilities, rng) -> int:
    """The index whose interval a uniform number falls into."""
    u = rng.random()
    chosen = 0
    for i, p in enumerate(probabilities):
        if p > 0:
            chosen = i
            u -= p
            if u < 0:
                break
    return chosen


def external_sampling(game, iterations: int, rng) -> tuple[list[Behaviour], list[Behaviour]]:
    """Regrets and added-up behaviours after external sampling."""
    regrets: list[Behaviour] = [{}, {}]
    totals: list[Behaviour] = [{}, {}]

    def walk(state, player):
        if state.player == TERMINAL:
            return state.payoffs()[player]
        if state.player == CHANCE:
            outcomes = state.chance_outcomes()
            return walk(state.apply(outcomes[draw([p for _, p in outcomes], rng)][0]), player)
        label, actions = state.information(state.player), state.legal_actions()
        R = regrets[state.player].setdefault(label, [0.0] * len(actions))
        if state.player != player:
            s = match(R)
            total = totals[state.player].setdefault(label, [0.0] * len(actions))
            for i, p in enumerate(s):
                total[i] += p
            return walk(state.apply(actions[draw(s, rng)]), player)
        values = [walk(state.apply(a), player) for a in actions]
        s = match(R)
        mean = sum(p * v for p, v in zip(s, values, strict=True))
        for i, v in enumerate(values):
            R[i] += v - mean
        return mean

    for _ in range(iterations):
        for player in (0, 1):
            walk(game.start(), player)
    return regrets, totals


def outcome_sampling(game, iterations: int, exploration: float, rng):
    """Regrets and added-up behaviours after outcome sampling; each history is walked back from its end."""
    regrets: list[Behaviour] = [{}, {}]
    totals: list[Behaviour] = [{}, {}]
    for _ in range(iterations):
        for player in (0, 1):
            state, path = game.start(), []
            own = others = sampling = 1.0
            while state.player != TERMINAL:
                if state.player == CHANCE:
                    outcomes = state.chance_outcomes()
                    a, p = outcomes[draw([p for _, p in outcomes], rng)]
                    others, sampling = others * p, sampling * p
                    state = state.apply(a)
                    continue
                seat, actions = state.player, state.legal_actions()
                label = state.information(seat)
                s = match(regrets[seat].setdefault(label, [0.0] * len(actions)))
                e = exploration if seat == player else 0.0
                q = [e / len(s) + (1 - e) * p for p in s]
                i = draw(q, rng)
                path.append((seat, label, s, i, q[i], own, others, sampling))
                if seat == player:
                    own *= s[i]
                else:
                    others *= s[i]
                sampling *= q[i]
                state = state.apply(actions[i])
            value = state.payoffs()[player]
            for seat, label, s, i, q, own, others, sampling in reversed(path):
                found = value / q
                value = s[i] * value / q
                if seat == player:
                    total = totals[seat].setdefault(label, [0.0] * len(s))
                    for k, p in enumerate(s):
                        total[k] += p * own / sampling
                        regrets[seat][label][k] += others / sampling * ((found if k == i else 0.0) - value)
    return regrets, totals


def sparse_behaviour(tree, rng: np.random.Generator):
    """A random behaviour in which about a third of the sets are pure, so that some sets are not reached."""
    behaviour = np.ones(tree.num_sequences)
    for j in range(tree.num_sets):
        count = len(tree.legal_actions(j))
        p = rng.dirichlet(np.ones(count))
        if rng.random() < 1 / 3:
            p = np.eye(count)[rng.integers(count)]
        behaviour[tree.sequences(j)] = p
    return behaviour
