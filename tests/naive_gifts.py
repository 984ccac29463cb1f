"""Slow twins of `soulread.respond.gifts`: every pure strategy, every end of a hand."""

import itertools
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import PokerGame, PokerState
from soulread.hands.hand import Hand
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Plan, plan_from_behaviour
from soulread.seqform.treeplex import Treeplex
from soulread.solvers.best_response import best_response

Policy = Callable[[PokerState], Mapping[int, float]]  # probability of each action of the seat to move


def labelled(tree: Treeplex, behaviour: Behaviour) -> Policy:
    """A behaviour, asked by the labels of a state."""

    def policy(state: PokerState) -> dict[int, float]:
        index = tree.index(state.information(state.player))
        return dict(zip(tree.legal_actions(index), behaviour[tree.sequences(index)].tolist(), strict=True))

    return policy


def ends(game: PokerGame, policies: tuple[Policy, Policy]) -> Iterator[tuple[float, PokerState]]:
    """Every end of a hand that can come, with its probability."""
    todo = [(1.0, game.start())]
    while todo:
        probability, state = todo.pop()
        if state.player == TERMINAL:
            yield probability, state
            continue
        moves = state.chance_outcomes() if state.player == CHANCE else policies[state.player](state).items()
        todo += [(probability * part, state.apply(action)) for action, part in moves if part > 0]


def pure_behaviours(tree: Treeplex) -> Iterator[Behaviour]:
    """Every way to settle on one action at each information set."""
    sets = [range(tree.sequences(j).start, tree.sequences(j).stop, tree.sequences(j).step or 1)
            for j in range(tree.num_sets)]  # fmt: skip
    for chosen in itertools.product(*sets):
        behaviour = np.zeros(tree.num_sequences)
        behaviour[[0, *chosen]] = 1
        yield Behaviour(behaviour)


def forced(game: PokerGame, tree: Treeplex, hand: Hand) -> list[dict[int, int]]:
    """For all cards the opponent may have held: the sequence he took at each of his sets on the way."""
    assert hand.observer is not None
    opponent = 1 - hand.observer
    own = hand.hole[hand.observer]
    assert own is not None
    size = game.rules.hole_cards
    rest = [card for card in game.rules.deck if card not in (*hand.board, *own)]
    cases = []
    for cards in itertools.permutations(rest, size):
        if hand.hole[opponent] not in (None, cards):
            continue
        holes = {hand.observer: own, opponent: cards}
        dealt = iter([*holes[0], *holes[1], *hand.board])
        state = game.start()
        case = {}
        for seat, action in hand.actions:
            while state.player == CHANCE:
                state = state.apply(next(dealt))
            if seat == opponent:
                index = tree.index(state.information(seat))
                place = tree.legal_actions(index).index(action)
                case[index] = range(tree.num_sequences)[tree.sequences(index)][place]
            state = state.apply(action)
        cases.append(case)
    return cases


def worst_consistent_value(rules: PokerGame, game: SequenceGame, hand: Hand, plan: Plan) -> float:
    """What the plan wins against the worst pure strategy that agrees with a hand, by trying all of them."""
    seat = hand.observer
    assert seat is not None
    tree = game.trees[1 - seat]
    gradient = game.payoff.gradient(1 - seat, plan)
    cases = forced(rules, tree, hand)
    return min(
        -float(plan_from_behaviour(tree, behaviour) @ gradient)
        for behaviour in pure_behaviours(tree)
        if any(all(behaviour[sequence] == 1 for sequence in case.values()) for case in cases)
    )


def worst_forced_value(rules: PokerGame, game: SequenceGame, hand: Hand, plan: Plan) -> float:
    """The same for larger games: best responses that pay a fortune for every other action on the way."""
    seat = hand.observer
    assert seat is not None
    tree = game.trees[1 - seat]
    worst = np.inf
    for case in forced(rules, tree, hand):
        gradient = game.payoff.gradient(1 - seat, plan).copy()
        for index, sequence in case.items():
            others = [s for s in range(tree.num_sequences)[tree.sequences(index)] if s != sequence]
            gradient[others] -= 1e4
        worst = min(worst, -best_response(tree, gradient)[0])
    return worst
