"""How often hands come to a decision of a spot.

A player comes to a decision with a holding as often as the player's plan says, times the holding's weight in
the range. Two players come there together only with holdings that share no card. So holding h of one player
is met with a chance proportional to

    w(h) x(h)  times  the sum of  w(k) y(k)  over the other player's holdings k that share no card with h

where x and y are the plans of both up to the decision.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS
from soulread.cards.ranges import HAND_CARDS, NUM_HANDS
from soulread.seqform.spot import Place, Spot
from soulread.seqform.strategy import Plan, Plans

Array = NDArray[np.float64]


def orbit_reach(spot: Spot, place: Place, player: int, plan: Plan) -> Array:
    """``[width]``: the chance that a player plays all the way to a place with each orbit."""
    return _reach(spot, place.street, place.board, player, spot.node(place).last[player], plan)


def _reach(spot: Spot, street: int, board: int, player: int, code: int, plan: Plan) -> Array:
    side = spot.tables.side[player]
    first, width = int(side.first[board]), spot.width(board, player)
    if code >= 0:
        start = int(side.base[board]) + code * width
        return np.asarray(plan[start : start + width], dtype=np.float64)
    if street == 0:
        return np.ones(width)
    last = spot.tree[street].entries[-1 - code].last[player]
    above = _reach(spot, street - 1, int(spot.boards.parent[board]), player, last, plan)
    reached: Array = above[side.ancestor[first : first + width].astype(np.intp)]
    return reached


def hand_weights(spot: Spot, place: Place, player: int, plan: Plan) -> Array:
    """``[1326]``: the player's range at a place: weight at the start times how often the player comes there.

    Hands are those of the place's own cards, also if another, isomorphic board stands for them.
    """
    side = spot.tables.side[player]
    first, width = int(side.first[place.board]), spot.width(place.board, player)
    weights = orbit_reach(spot, place, player, plan) * side.weight[first : first + width]
    orbit = spot.hands(place, player)
    return np.where(orbit >= 0, weights[np.maximum(orbit, 0)] if width else 0.0, 0.0)


def met_by(weights: Array) -> Array:
    """``[1326]``: for each hand, the sum of ``weights [1326]`` over hands that share no card with it."""
    with_card = np.zeros(NUM_CARDS)
    for k in range(2):
        np.add.at(with_card, HAND_CARDS[:, k], weights)
    found: Array = weights.sum() - with_card[HAND_CARDS].sum(axis=1) + weights
    return np.maximum(found, 0.0)


def arrivals(spot: Spot, place: Place, plans: Plans) -> Array:
    """``[1326]``: how often the player to act comes to a place with each hand, up to a common factor.

    If the other player never comes there, all holdings of the other player count alike; if this player
    never does, the player's range at the start is used.
    """
    player = spot.node(place).player
    live = [spot.ranges[i].without((*spot.board, *place.cards)).weights for i in (0, 1)]
    own, other = (hand_weights(spot, place, i, plans[i]) for i in (player, 1 - player))
    own = own if own.any() else live[player]
    other = other if other.any() else live[1 - player]
    return own * met_by(other)


def by_orbit(spot: Spot, place: Place, player: int, values: Array) -> Array:
    """``[width]``: the sum over the hands of each orbit of ``values [1326]``."""
    orbit = spot.hands(place, player)
    width = spot.width(place.board, player)
    live = orbit >= 0
    return np.bincount(orbit[live], weights=values[live], minlength=width).astype(np.float64)


def by_hand(spot: Spot, place: Place, player: int, values: Array) -> Array:
    """``[..., 1326]``: ``values [..., width]`` of each hand; NaN for hands the player cannot hold."""
    orbit = spot.hands(place, player)
    found = np.full((*values.shape[:-1], NUM_HANDS), np.nan)
    found[..., orbit >= 0] = values[..., orbit[orbit >= 0]]
    return found
