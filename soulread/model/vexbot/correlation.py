"""How well grouped betting sequences correlate: whether what a player does in one tells of the others.

`public_play` tells how a player whose strategy is known plays in public: how often every betting sequence
comes up against another player, how often the player then folds, calls and raises, and with which hand ranks
the player comes to every showdown. Deals are drawn. Over actions the numbers are exact, so that no luck of
the betting is taken for a difference between sequences.

*Departures.* In a sequence i that comes up with weight u_i let q_i be the default's rate and p_i the
player's. The departure is x_i = (log odds of p_i - log odds of q_i) sqrt(q_i (1 - q_i)): it is counted in
standard deviations of one observation. For hands at showdowns it is (p - q) / sqrt(q) in each cell of the
histogram, where q is that power of the default (`soulread.model.vexbot.model`) that is nearest to the player.

*Three numbers for each level* of classes (`soulread.model.vexbot.classes`):

    correlation   of a departure with the mean departure of the other sequences of its class, over all
                  sequences that share their class with another. One: a sequence tells all about the others
    explained     the part of the spread, the weighted mean of x_i^2, that is gone when the mean departure of
                  its class is taken from every departure. All of it at level 0
    strength      1 / (spread that this level explains beyond the coarser one): how many observations of a
                  class tell as much as is known from the coarser class

`nats_lost` tells what a model of the player does not know yet.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame
from soulread.kernel import kernel
from soulread.model.vexbot.classes import LEVELS, Contexts, contexts
from soulread.model.vexbot.hand_rank import place_of
from soulread.model.vexbot.model import CELLS, LEAST, TILTS, SeatTables, overlaps
from soulread.seqform.betting import BettingArrays
from soulread.seqform.lookup import Lookup
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats, Ints

Array = NDArray[np.float64]
KINDS = "fold", "raise", "showdown"
SELDOM = 1e-6  # a sequence that comes up in fewer hands is left out
_NOTHING = 1e-300


@dataclass(frozen=True, eq=False)
class DrawnDeals:
    """Whole deals ``cards [D, cards]`` of a game of two, in the order of the deal."""

    game: PokerGame
    cards: NDArray[np.uint8]

    @cached_property
    def cells(self) -> Array:
        """``[2, D, cells]`` where on the scale of hand ranks each seat's hand ends."""
        places = [
            [place_of(self.game, self._hole(row, seat), self._board(row)) for row in self.cards]
            for seat in (0, 1)
        ]
        return np.array([[overlaps(place, CELLS) for place in row] for row in places])

    def states(self, lookup: Lookup) -> Ints:
        """``[2, D, rounds]`` the private states of both seats."""
        sizes = np.cumsum(self.game.rules.board_cards).tolist()
        found = [
            [
                [lookup.state(self._hole(row, seat), self._board(row)[:size]) for size in sizes]
                for row in self.cards
            ]
            for seat in (0, 1)
        ]
        return np.array(found, dtype=np.int32)

    def _hole(self, row: NDArray[np.uint8], seat: int) -> tuple[int, ...]:
        count = self.game.rules.hole_cards
        return tuple(row[seat * count : (seat + 1) * count].tolist())

    def _board(self, row: NDArray[np.uint8]) -> tuple[int, ...]:
        return tuple(row[2 * self.game.rules.hole_cards :].tolist())


def draw_deals(game: PokerGame, count: int, rng: np.random.Generator) -> DrawnDeals:
    """Random deals."""
    cards = [deal(rng, game.rules.deck, game.num_cards) for _ in range(count)]
    return DrawnDeals(game, np.array(cards, dtype=np.uint8))


class PublicPlay(NamedTuple):
    """How a player plays against another as one sees it, for a betting tree of N nodes; chances of a hand."""

    taken: Array  # [N, 3] that the player folds, calls and raises at a decision of the player
    shown: Array  # [2, N, cells] that the player, in this seat, comes to a showdown with such a hand

    def asked(self, found: Contexts) -> tuple[Array, Array]:
        """``[N, 2]`` each: how often the player may fold, and raise without folding; how often it does."""
        every = np.stack([self.taken.sum(axis=1), self.taken[:, CALL:].sum(axis=1)], axis=1)
        return every * found.may, self.taken[:, [FOLD, RAISE]]


def public_play(
    player: TabularStrategy,
    other: TabularStrategy,
    deals: DrawnDeals,
    states: tuple[Ints, Ints] | None = None,
) -> PublicPlay:
    """The public play of a player against another in both seats, each in all deals.

    ``states`` are those of both on the deals, if they are known already (`DrawnDeals.states`).
    """
    mine, theirs = states or (deals.states(player.lookup), deals.states(other.lookup))
    betting = player.betting
    placed = np.zeros(betting.arrays.child.shape)
    shown = np.zeros((2, betting.num_nodes, CELLS))
    for seat in (0, 1):
        _add_play(
            betting.arrays,
            seat,
            _Seat(player.behaviours[seat], player.arrays.first_sequence, player.arrays.width, mine[seat]),
            _Seat(
                other.behaviours[1 - seat], other.arrays.first_sequence, other.arrays.width, theirs[1 - seat]
            ),
            deals.cells[seat],
            placed,
            shown[seat],
        )
    taken = np.zeros((betting.num_nodes, 3))
    for node, actions in enumerate(betting.actions):
        taken[node, list(actions)] = placed[node, : len(actions)]
    return PublicPlay(taken / len(deals.cards), shown / len(deals.cards))


class _Seat(NamedTuple):
    behaviour: Floats
    first: Ints  # [N]
    width: Ints  # [N]
    states: Ints  # [D, rounds]


@kernel
def _add_play(
    tree: BettingArrays, seat: int, own: _Seat, other: _Seat, cells: Array, placed: Array, shown: Array
) -> None:
    """Add up, deal by deal, how likely ``seat`` comes to each node and acts there; parents come first."""
    reach = np.empty((len(placed), 2))
    for d in range(len(cells)):
        reach[0] = 1.0
        for node in range(len(placed)):
            here = reach[node, 0] * reach[node, 1]
            if tree.showdown[node]:
                for c in range(cells.shape[1]):
                    shown[node, c] += here * cells[d, c]
            for k in range(tree.num_actions[node]):
                child = tree.child[node, k]
                reach[child] = reach[node]
                if tree.player[node] == seat:
                    state = own.states[d, tree.round[node]]
                    chance = own.behaviour[own.first[node] + k * own.width[node] + state]
                    reach[child, 0] *= chance
                    placed[node, k] += here * chance
                else:
                    state = other.states[d, tree.round[node]]
                    reach[child, 1] *= other.behaviour[other.first[node] + k * other.width[node] + state]


class Departures(NamedTuple):
    """How a player departs from the default in n sequences."""

    places: NDArray[np.intp]  # [n] the sequences, as numbers among all decisions or all showdowns
    visits: Array  # [n] how often each comes up, as parts of all
    shifts: Array  # [n, m] log odds less those of the default; or ratio to the default less 1, for m cells
    scale: Array  # [n, m] what a shift is multiplied by to be in standard deviations of one observation


def departures_of(play: PublicPlay, default: PublicPlay, kind: str, found: Contexts) -> Departures:
    """The departures of a kind (`KINDS`) in all sequences that come up, by both players' chances."""
    if kind == "showdown":
        return _of_hands(play, default, found)
    k = KINDS.index(kind)
    (every, taken), (usual, usually) = play.asked(found), default.asked(found)
    places = np.flatnonzero((every[:, k] > SELDOM) & (usual[:, k] > SELDOM))
    p, q = (_rate(t[places, k], e[places, k]) for t, e in ((taken, every), (usually, usual)))
    visits = every[places, k] / every[places, k].sum()
    scale = np.sqrt(q * (1 - q))
    return Departures(places, visits, _log_odds(p) - _log_odds(q), scale[:, None])


def _rate(yes: Array, every: Array) -> Array:
    return np.clip(yes / every, LEAST, 1 - LEAST)


def _log_odds(p: Array) -> Array:
    return np.log(p / (1 - p))[..., None]


def _of_hands(play: PublicPlay, default: PublicPlay, found: Contexts) -> Departures:
    mine, usual = (each.shown.reshape(-1, CELLS) for each in (play, default))
    often, usually = mine.sum(axis=1), usual.sum(axis=1)
    places = np.flatnonzero((often > SELDOM) & (usually > SELDOM))
    p = mine[places] / often[places, None]
    q = (1 - LEAST) * usual[places] / usually[places, None] + LEAST / CELLS
    visits = often[places] / often[places].sum()
    tilted = [q**tilt / (q**tilt).sum(axis=1, keepdims=True) for tilt in TILTS]
    q = min(tilted, key=lambda each: float(visits @ _divergence(p, each)))
    scale = np.sqrt(q)
    return Departures(places, visits, p / q - 1, scale)


def _divergence(p: Array, q: Array) -> Array:
    """Nats by which each histogram p is missed if q is believed."""
    found: Array = (p * np.log(np.maximum(p, _NOTHING) / q)).sum(axis=1)
    return found


@dataclass(frozen=True)
class GroupMeasure:
    """What the classes of each level tell about a player; see the top of the module."""

    correlation: Array  # [LEVELS] NaN at level 0
    explained: Array  # [LEVELS]
    spread: float

    @property
    def strengths(self) -> Array:
        """``[LEVELS]`` observations that the coarser level counts for."""
        steps = -np.diff(np.append(self.explained, 0.0)) * self.spread
        found: Array = 1 / np.maximum(steps, _NOTHING)
        return found


def measure(departures: Departures, classes: Sequence[Ints]) -> GroupMeasure:
    """The numbers of every level; ``classes`` has the class of every sequence, by level."""
    _, visits, shifts, scale = departures
    spread = float((visits[:, None] * (shifts * scale) ** 2).sum()) / shifts.shape[1]
    correlation, explained = np.full(LEVELS, np.nan), np.zeros(LEVELS)
    for level, every in enumerate(classes):
        number = np.unique(every[departures.places], return_inverse=True)[1]
        sums = _Sums(departures, number)
        left = (visits[:, None] * ((shifts - sums.mean) * scale) ** 2).sum() / shifts.shape[1]
        explained[level] = 1 - float(left) / max(spread, _NOTHING)
        if level:
            correlation[level] = sums.correlation
    return GroupMeasure(correlation, explained, spread)


class _Sums:
    """Shifts added up by class, each with the information that an observation has of it."""

    def __init__(self, departures: Departures, number: NDArray[np.intp]) -> None:
        self._shifts = departures.shifts
        self._weights = departures.visits[:, None] * departures.scale**2
        self._number = number
        self._all = np.zeros((int(number.max()) + 1, self._shifts.shape[1]))
        self._sum = np.zeros_like(self._all)
        np.add.at(self._all, number, self._weights)
        np.add.at(self._sum, number, self._weights * self._shifts)

    @property
    def mean(self) -> Array:
        """``[n, m]`` the mean of each sequence's class."""
        found: Array = (self._sum / np.maximum(self._all, _NOTHING))[self._number]
        return found

    @property
    def correlation(self) -> float:
        """Of each sequence's shift with the mean of the others of its class."""
        shared = np.bincount(self._number)[self._number] > 1
        weights, own, number = self._weights[shared], self._shifts[shared], self._number[shared]
        others = np.maximum(self._all[number] - weights, 0.0)
        mean = np.where(others > 0, (self._sum[number] - weights * own) / np.maximum(others, _NOTHING), 0.0)
        size = float((weights * own**2).sum() * (weights * mean**2).sum())
        return float((weights * own * mean).sum()) / size**0.5 if size > 0 else 0.0


class NatsLost(NamedTuple):
    """What a model does not know of a player, in nats a hand, both seats alike."""

    actions: float
    showdowns: float


def nats_lost(tables: tuple[SeatTables, SeatTables], play: PublicPlay, game: PokerGame) -> NatsLost:
    """How far the chances that a model gives are from the player's true ones, by seat of the player."""
    found = contexts(game)
    actions = showdowns = 0.0
    for node, legal in enumerate(found.betting.actions):
        seat = int(found.betting.arrays.player[node])
        taken = play.taken[node, list(legal)]
        if legal and taken.sum() > SELDOM:
            believed = np.clip(tables[seat].chances[node, : len(legal)], _NOTHING, 1)
            actions += float(taken @ np.log(np.maximum(taken / taken.sum(), _NOTHING) / believed))
    for seat in (0, 1):
        nodes = found.ends[play.shown[seat, found.ends].sum(axis=1) > SELDOM]
        often = play.shown[seat, nodes].sum(axis=1)
        believed = np.maximum(np.diff(tables[seat].cumulative[nodes], axis=1), _NOTHING)
        showdowns += float(often @ _divergence(play.shown[seat, nodes] / often[:, None], believed))
    return NatsLost(actions / 2, showdowns / 2)
