"""A strategy over few raises in the whole no-limit game: followed everywhere, mappings with their weights."""

from typing import Any

import numpy as np

from soulread.games.poker import CALL, replay
from soulread.observe.translation import OVER, Translator
from soulread.seqform.compile import betting_of
from soulread.seqform.strategy import Behaviour


def lifted(small, behaviours, full, nearest=False):
    """Both seats' behaviours in ``full``, with all raises, of a player who thinks in the tree of ``small``.

    Games have a look-up with the same private states. Where the tree is over, the player checks and calls.
    Sets that the player never comes to get even chances.
    """
    translator = Translator(betting_of(small), nearest)
    return tuple(_one(small, behaviours[seat], full, seat, translator) for seat in (0, 1))


def _one(small, behaviour, full, seat, translator):
    few, all_raises = betting_of(small), betting_of(full)
    parents = small.payoff.parent_state
    sizes = [states.size for states in parents]
    stacks = all_raises.poker.rules.stacks
    assert stacks is not None
    stack = min(stacks)
    of_few, of_all = few.layout(sizes), all_raises.layout(sizes)
    found = np.ones(of_all.num_sequences[seat])
    # node of the game -> {node of the tree: weight of each private state}
    places = {0: {0: np.ones(sizes[0])}}
    for node, actions in enumerate(all_raises.actions):
        if not actions:
            continue
        here, r = places.pop(node, {}), int(all_raises.arrays.round[node])
        moves = []  # (position, node of the tree after it, weights)
        if all_raises.arrays.player[node] == seat:
            view = _view(all_raises, node)
            for place, weight in here.items():
                moves += _own(translator, of_few, behaviour, actions, place, weight, view, sizes[r])
            taken = np.zeros((len(actions), sizes[r]))
            for position, _, weight in moves:
                taken[position] += weight
            total = taken.sum(axis=0)
            chances = np.where(total > 0, taken / np.where(total > 0, total, 1), 1 / len(actions))
            first = int(of_all.first_sequence[node])
            found[first : first + chances.size] = chances.ravel()
        else:
            high = int(all_raises.chips_in[node].max())
            for position, action in enumerate(actions):
                for place, weight in here.items():
                    assert not isinstance(place, tuple)  # who is called acts no more in the round
                    legal = [] if place == OVER else few.actions[place]
                    part = (action - high) / (2 * high)
                    choices = translator.choices(place, action, part, action >= stack) if legal else []
                    for of_tree, chance in choices or [(None, 1.0)]:
                        after: Any = OVER if of_tree is None else int(few.arrays.child[place, of_tree])
                        if of_tree is not None and action > CALL and legal[of_tree] == CALL:
                            ends = few.arrays.round[after] != few.arrays.round[place]
                            after = ("ahead", after) if ends else after
                        moves.append((position, after, weight * chance))
        for position, after, weight in moves:
            child = int(all_raises.arrays.child[node, position])
            if not all_raises.actions[child]:
                continue
            later = int(all_raises.arrays.round[child])
            grown = weight[parents[later]] if later != r else weight
            ahead = isinstance(after, tuple)
            place = after if ahead or (after != OVER and few.actions[after]) else OVER
            row = places.setdefault(child, {})
            row[place] = row.get(place, 0) + grown
    return Behaviour(found)


def _own(translator, layout, behaviour, actions, place, weight, view, size):
    if place == OVER or isinstance(place, tuple):
        return [(actions.index(CALL), place if place == OVER else place[1], weight)]
    first = int(layout.first_sequence[place])
    return [
        (
            actions.index(translator.real(view, place, position)),
            int(translator.betting.arrays.child[place, position]),
            weight * behaviour[first + position * size : first + (position + 1) * size],
        )
        for position in range(len(translator.betting.actions[place]))
    ]


def _view(betting, node):
    text, rules = betting.betting[node], betting.poker.rules
    seen = 2 * rules.hole_cards + sum(rules.board_cards[: text.count("/") + 1])
    state = replay(betting.poker, text, [None] * seen)
    return state.view(state.player)
