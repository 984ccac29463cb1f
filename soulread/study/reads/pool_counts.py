"""What all players of a store do in like situations, and how much they differ from each other.

The situations are those of `soulread.study.spots.player_counts`, on boards of any texture; bets above twice
the pot are a class of their own (huge), since far fewer hands call them. They are read from the facts of the
store (`soulread.hands.facts`). Only hands with somebody all-in are unpacked, for how much must be called. Who
of two players is in position follows from their positions at the table; hands in which both have the same one
(EP) are left out.

**Spread.** Player j takes action a in a situation with frequency f[j, a], and these vary from player to
player like a Dirichlet distribution with parameters s m[a]. m are the frequencies of a typical player, and s
says how alike players are: a player's own n decisions count as much as the pool when n = s. Both are the most
likely ones, given counts c[j, a] with sums n[j]:

    sum over j of  log G(s) - log G(n[j] + s) + sum over a of log G(c[j, a] + s m[a]) - log G(s m[a])

where G is the gamma function. The chance in the counts is part of this, so s does not take it for spread. Few
players say little about s, so log s has a normal prior around log 30 with deviation 1.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.hands.facts import IN_POSITION, NOBODY, OTHER, OWN, Facts
from soulread.hands.store import EVERYTHING, Query, Store
from soulread.study.spots.player_counts import LEAST, SIZES, SpotSituation, heads_up, size_class

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

INITIATIVES = "nobody", "own", "other"
STRENGTH = 30.0  # of players of whom nothing is known
LEAST_OF_POOL = 30  # decisions, for a pool to say anything about a situation
_STRENGTHS = math.log(0.5), math.log(5000.0)
_SHIFTS = -9.0, 9.0  # logarithms of how much more often one action is taken than another
_LEAST = 1e-4  # of a frequency
CLASSES = (*SIZES[:-1], ("over", 2.0), ("huge", math.inf))
_SIZE_NAMES = tuple(name for name, _ in CLASSES)


def words_of(situation: SpotSituation) -> tuple[str, ...]:
    """The actions that are told apart in a situation."""
    return ("fold", "call", "raise") if situation.size is not None else ("check", "bet")


@dataclass(frozen=True, eq=False)
class PoolDecisions:
    """Every decision after the flop that was made heads-up, as columns."""

    player: Ints  # number in the store
    hand: Ints  # number in the store
    street: Ints  # 1 flop, 2 turn, 3 river
    raises: Ints  # 0, 1, 2 or more
    size: Ints  # class of the bet that is faced, as in `CLASSES`; -1 if there is none
    in_position: NDArray[np.bool_]
    initiative: Ints  # as in `INITIATIVES`
    action: Ints  # 0 fold, 1 check, 2 call, 3 bet or raise

    def __len__(self) -> int:
        return int(self.player.size)

    def take(self, chosen: NDArray[np.bool_] | Ints) -> "PoolDecisions":
        """Some of the decisions."""
        columns = {name: getattr(self, name)[chosen] for name in self.__dataclass_fields__}
        return PoolDecisions(**columns)

    def alike(self, situation: SpotSituation) -> "PoolDecisions":
        """The decisions in a situation, on boards of any texture."""
        size = -1 if situation.size is None else _SIZE_NAMES.index(situation.size)
        meant = (self.street == situation.street) & (self.raises == situation.raises) & (self.size == size)
        if situation.in_position is not None:
            meant &= self.in_position == situation.in_position
        if situation.initiative is not None:
            meant &= self.initiative == INITIATIVES.index(situation.initiative)
        return self.take(meant)

    def counts(self, situation: SpotSituation) -> tuple[Ints, Array]:
        """Players, and ``[players, words]`` how often each took each action in a situation."""
        found = self.alike(situation)
        words = words_of(situation)
        column = np.array([0, 0, 1, len(words) - 1])[found.action]
        players, rows = np.unique(found.player, return_inverse=True)
        table = np.zeros((players.size, len(words)))
        np.add.at(table, (rows, column), 1.0)
        return players, table


def pool_decisions(store: Store, query: Query = EVERYTHING) -> PoolDecisions:
    """The heads-up decisions of everybody in a store."""
    parts = [_heads_up(owners, facts) for owners, facts in store.facts(query)]
    names = PoolDecisions.__dataclass_fields__
    if not parts:
        empty: dict[str, Any] = dict.fromkeys(names, np.zeros(0, np.int64))
        return PoolDecisions(**empty)
    more = "place", "last", "all_in"
    columns = {name: np.concatenate([part[name] for part in parts]) for name in (*names, *more)}
    return _called(store, _seated(columns), columns["all_in"] > 0)


def _heads_up(owners: Ints, facts: Facts) -> dict[str, NDArray[np.int64]]:
    """The decisions wanted of some seats; who is in position is found when all seats are known."""
    made = facts.decisions
    seat = np.repeat(np.arange(facts.seats.size), facts.seats["decisions"])
    meant = np.flatnonzero((made["round"] >= 1) & (made["active"] == 2))
    rows, seat = made[meant], seat[meant]
    ends = np.array([100 * most for _, most in CLASSES[:-1]])
    aggressor = rows["aggressor"]
    return {
        "player": owners[seat].astype(np.int64),
        "hand": facts.seats["hand"][seat].astype(np.int64),
        "street": rows["round"].astype(np.int64),
        "raises": np.minimum(rows["raises"], 2).astype(np.int64),
        "size": np.where(rows["facing"], np.searchsorted(ends, rows["faced"] - 0.5), -1).astype(np.int64),
        "in_position": np.zeros(meant.size, np.int64),
        "initiative": np.where(aggressor == OWN, 1, np.where(aggressor == OTHER, 2, 0)).astype(np.int64),
        "action": rows["action"].astype(np.int64),
        "place": facts.seats["position"][seat].astype(np.int64),
        "all_in": (rows["facing"] & ~rows["can_raise"]).astype(np.int64),
        "last": (facts.seats["flop_place"][seat] == IN_POSITION).astype(np.int64),
    }


def _seated(columns: dict[str, NDArray[np.int64]]) -> PoolDecisions:
    """Tell who is in position: of the two players of a hand, the one whose position is later."""
    hand, place = columns["hand"], columns["place"]
    _, rows = np.unique(hand, return_inverse=True)
    low, high = np.full(rows.max(initial=-1) + 1, NOBODY), np.zeros(rows.max(initial=-1) + 1, np.int64)
    np.minimum.at(low, rows, place)
    np.maximum.at(high, rows, place)
    alike = low[rows] == high[rows]  # only one of them decides, or both have the same position
    columns["in_position"] = np.where(alike, columns["last"], place == high[rows])
    pairs = np.unique(np.stack([hand, columns["player"]], axis=1), axis=0)[:, 0]
    both = np.isin(hand, pairs[1:][pairs[1:] == pairs[:-1]])
    known = ~(alike & (both | (columns["last"] == 0)))
    for name in columns:
        columns[name] = columns[name][known]
    fields: dict[str, Any] = {name: columns[name] for name in PoolDecisions.__dataclass_fields__}
    fields["in_position"] = fields["in_position"].astype(np.bool_)
    return PoolDecisions(**fields)


def _called(store: Store, found: PoolDecisions, all_in: NDArray[np.bool_]) -> PoolDecisions:
    """The decisions with bets that put somebody all-in classed by what must be called."""
    wanted = found.take(np.isin(found.hand, found.hand[all_in]))
    meant = np.flatnonzero(np.isin(found.hand, found.hand[all_in]))
    rows: dict[tuple[int, bool], list[int]] = {}
    each_row = zip(wanted.hand.tolist(), wanted.in_position.tolist(), meant.tolist(), strict=True)
    for number, in_position, row in each_row:
        rows.setdefault((number, in_position), []).append(row)
    for number, hand in store.numbered(sorted(set(wanted.hand.tolist()))):
        each = {place: iter(rows.get((number, place), ())) for place in (False, True)}
        for _, part, one in heads_up(hand):
            at = next(each[bool(one.situation.in_position)], None)
            if at is not None and all_in[at]:
                found.size[at] = _SIZE_NAMES.index(size_class(part, CLASSES))
    return found


# The spread of a pool.


def fit_spread(counts: Array) -> tuple[Array, float]:
    """Mean and strength of players with ``counts [players, words]`` in a situation."""
    from scipy.optimize import minimize
    from scipy.special import softmax

    counts = counts[counts.sum(axis=1) > 0]
    start = (counts.sum(axis=0) + 0.5) / (counts.sum() + 0.5 * counts.shape[1])

    def parts(x: Array) -> tuple[Array, float]:
        mean = np.maximum(softmax(np.append(x[:-1], 0.0)), _LEAST)
        return mean / mean.sum(), math.exp(x[-1])

    begin: Array = np.array([*np.log(start[:-1] / start[-1]), math.log(STRENGTH)])
    bounds = [_SHIFTS] * (start.size - 1) + [_STRENGTHS]

    def loss(x: Array) -> float:
        return -log_likelihood(counts, *parts(x))

    found = minimize(loss, begin, bounds=bounds, method="L-BFGS-B")
    return parts(found.x)


def fit_strength(counts: Array, mean: Array) -> float:
    """The strength of players with ``counts [players, words]`` around given frequencies."""
    from scipy.optimize import minimize_scalar

    counts = counts[counts.sum(axis=1) > 0]
    mean = np.maximum(mean, _LEAST)
    mean /= mean.sum()
    found = minimize_scalar(
        lambda x: -log_likelihood(counts, mean, math.exp(x)), bounds=_STRENGTHS, method="bounded"
    )
    return math.exp(float(found.x))


def log_likelihood(counts: Array, mean: Array, strength: float) -> float:
    """The logarithm of the likelihood of counts and of the prior of the strength, up to a constant."""
    from scipy.special import gammaln

    alpha = strength * mean
    n = counts.sum(axis=1)
    each = gammaln(strength) - gammaln(n + strength) + (gammaln(counts + alpha) - gammaln(alpha)).sum(axis=1)
    return float(each.sum()) - math.log(strength / STRENGTH) ** 2 / 2


def widened(situation: SpotSituation) -> Iterator[SpotSituation]:
    """A situation on boards of any texture, then with any initiative, then in any position."""
    wide = replace(situation, texture=None)
    yield wide
    wide = replace(wide, initiative=None)
    yield wide
    yield replace(wide, in_position=None)


def narrowest(
    decisions: PoolDecisions, situation: SpotSituation, player: int | None, least: int = LEAST
) -> SpotSituation:
    """The narrowest situation like the one given in which a player has ``least`` decisions; or the widest.

    Without a player it is everybody who must have them.
    """
    wide = situation
    for wide in widened(situation):
        found = decisions.alike(wide)
        if (len(found) if player is None else int((found.player == player).sum())) >= least:
            break
    return wide
