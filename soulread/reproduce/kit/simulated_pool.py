"""A crowd of simulated players of ring limit hold'em whose habits are known, in compiled code.

A player is a row of *habits*: for each kind of spot, how much more (in logits) the player does a thing there
than the crowd. In each hand every seat has a hidden strength, which changes from street to street. Strong
hands bet and raise more and fold less, so the decisions of one hand depend on each other. Every hundred hands
each player is in another mood, so hands of one evening resemble each other. There are no cards: strength
decides the showdown. What comes out are facts (`soulread.hands.facts`), as if hands had been imported.

What a habit does to a statistic follows from the play of everybody. The truth is therefore measured: the same
crowd plays many more hands (`soulread.reproduce.ours.profile_leaks`).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.games import walk
from soulread.games.ring_limit import ring_limit
from soulread.games.walk import OVER, Walk
from soulread.hands.facts import NO_TIME, SEAT, Facts, Posted, StartedHands, starts, walk_seats
from soulread.kernel import kernel

SEATS = 6
MOST_ACTIONS = 120  # of a hand; the rules allow fewer
MOOD_HANDS = 100

HABITS = (
    "open",
    "limp",
    "3-bet",
    "call a raise",
    "fold to 3-bet",
    "4-bet",
    "steal",
    "fold to steal",
    "c-bet flop",
    "c-bet turn",
    "c-bet river",
    "fold to c-bet flop",
    "fold to c-bet turn",
    "fold to c-bet river",
    "raise c-bet",
    "donk",
    "bet",
    "fold",
    "raise",
    "check-raise",
)
"""Spots by number. What stands for a statistic has its name."""
(
    OPEN,
    LIMP,
    THREE_BET,
    CALL_RAISE,
    FOLD_TO_3BET,
    FOUR_BET,
    STEAL,
    FOLD_TO_STEAL,
    CBET,
    _,
    _,
    FOLD_TO_CBET,
    _,
    _,
    RAISE_CBET,
    DONK,
    BET,
    FOLD,
    RAISE,
    CHECK_RAISE,
) = range(len(HABITS))

# The crowd's own logits, one for each habit: common practice at a table of six.
_PREFLOP = (-1.6, -2.6, -2.6, -1.5, 0.2, -2.2, -0.7, 0.9)
_FLOP_AND_LATER = (0.8, 0.1, 0.2, -0.1, -0.4, -0.3, -2.0, -2.1, -0.8, -0.3, -1.9, -2.0)
_LOGITS = np.array([*_PREFLOP, *_FLOP_AND_LATER])

Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SimulatedPool:
    """Players and how each differs from the crowd, in logits ``[players, HABITS]``."""

    habits: Numbers
    mood: float = 0.15  # standard deviation, logits

    def play(self, hands: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], Facts]:
        """So many hands with players drawn anew for each: the player of each seat, and the facts."""
        seating, acts, counts, won, showdown = self.hands(hands, rng)
        seats = np.zeros(hands * SEATS, SEAT)
        seats["won"] = won.ravel()
        seats["hand"] = np.repeat(np.arange(hands), SEATS)
        seats["time"] = NO_TIME
        seats["showdown"] = np.repeat(showdown, SEATS)
        nothing, blinds = np.zeros(hands * SEATS, np.int64), np.zeros(hands * SEATS, np.int8)
        blinds[0::SEATS], blinds[1::SEATS] = 1, 2
        first_act = starts(counts)
        begun = StartedHands(np.tile(walk.new_walk(ring_limit(SEATS)), (hands, 1)), first_act, acts)
        last_round = acts[first_act[1:] - 1, 2]
        posted = Posted(np.arange(hands + 1) * SEATS, last_round, nothing[:hands], nothing, blinds)
        return seating.ravel(), walk_seats(begun, posted, seats)

    def hands(
        self, hands: int, rng: np.random.Generator
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.bool_],
    ]:
        """Players by seat, actions with rounds, how many of each hand, chips won, whether shown down."""
        players = len(self.habits)
        seating = np.argsort(rng.random((hands, players)), axis=1)[:, :SEATS].astype(np.int64)
        played = np.zeros(players, np.int64)
        acts = np.zeros((hands * MOST_ACTIONS, 3), np.int64)
        counts = np.zeros(hands, np.int64)
        won = np.zeros((hands, SEATS), np.int64)
        showdown = np.zeros(hands, np.bool_)
        moods = self.mood * rng.standard_normal((players, hands // MOOD_HANDS + 1, 2))
        begin = walk.new_walk(ring_limit(SEATS))
        walk.start(begin)
        used = deal_hands(
            begin,
            _LOGITS + self.habits,
            moods,
            seating,
            played,
            rng.standard_normal((hands, SEATS, 4)),
            rng.random((hands, MOST_ACTIONS)),
            acts,
            counts,
            won,
            showdown,
        )
        return seating, acts[:used], counts, won, showdown


@kernel
def deal_hands(
    begin: Walk,
    logits: Numbers,
    moods: Numbers,
    seating: NDArray[np.int64],
    played: NDArray[np.int64],
    luck: Numbers,
    draws: Numbers,
    acts: NDArray[np.int64],
    counts: NDArray[np.int64],
    won: NDArray[np.int64],
    showdown: NDArray[np.bool_],
) -> int:
    """Play all hands, each from ``begin`` on; returns the number of actions."""
    used = 0
    w = np.empty_like(begin)
    for h in range(seating.shape[0]):
        first_act = used
        w[:] = begin
        strength = luck[h, :, 0].copy()
        round = 0
        while w[walk.ACTOR] != OVER:
            if w[walk.ROUND] > round:
                round += 1
                strength[:] = 0.75 * strength + 0.66 * luck[h, :, round]
            seat = w[walk.ACTOR]
            who = seating[h, seat]
            mood = moods[who, played[who] // MOOD_HANDS]
            fold, up = _chances(w, logits[who], strength[seat], mood)
            if not walk.may_raise(w):
                up = 0.0
            draw = draws[h, used - first_act]
            action = 2 if draw < up else 0 if draw < up + fold * (1 - up) else 1
            acts[used, 0], acts[used, 1], acts[used, 2] = seat, action, round
            used += 1
            walk.apply(w, action)
        counts[h] = used - first_act
        showdown[h] = walk.num_seats(w[walk.IN]) > 1
        best = -1
        for s in range(SEATS):
            played[seating[h, s]] += 1
            won[h, s] = -w[walk.SPENT + s]
            if w[walk.IN] >> s & 1 and (best < 0 or strength[s] > strength[best]):
                best = s
        won[h, best] += walk.pot_of(w)
    return used


@kernel
def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@kernel
def _is_late(seat: int) -> bool:
    return seat == 0 or seat >= SEATS - 2


@kernel
def _chances(w: Walk, own: Numbers, z: float, mood: Numbers) -> tuple[float, float]:
    """The probability of a fold, if it is no raise, and that of a raise, of the seat to act.

    ``own`` are its logits, and ``z`` is its strength.
    """
    seat, r, raises = w[walk.ACTOR], w[walk.ROUND], w[walk.RAISES]
    facing, limpers = walk.to_call(w) > 0, w[walk.LIMPS]
    checked = w[walk.CHECKED] >> seat & 1
    loose, bold = mood[0], mood[1]
    if r == 0:
        if not facing:
            return 0.0, _logistic(own[RAISE] + 0.5 + z + bold)
        if raises == 0:
            spot = STEAL if _is_late(seat) and limpers == 0 else OPEN
            up = _logistic(own[spot] + 1.4 * z + bold)
            stay = _logistic(own[LIMP] + 0.8 * z + loose + (1.0 if limpers else 0.0))
            return 1 - stay, up
        if raises == 1:
            up = _logistic(own[THREE_BET] + 1.4 * z + bold)
            if seat < 2 and _is_late(w[walk.OPENER]) and limpers == 0 and w[walk.CALLS] == 0:
                return _logistic(own[FOLD_TO_STEAL] - 1.2 * z - loose), up
            return 1 - _logistic(own[CALL_RAISE] + z + loose), up
        up = _logistic(own[FOUR_BET] + 1.4 * z + bold)
        if w[walk.OWN_RAISE + seat] == 1:
            return _logistic(own[FOLD_TO_3BET] - 1.2 * z - loose), up
        return _logistic(1.2 - 1.2 * z - loose), up
    if not facing:
        if w[walk.LEADER] >> seat & 1:
            return 0.0, _logistic(own[CBET + r - 1] + 0.8 * z + bold)
        if walk.leader_waits(w):
            return 0.0, _logistic(own[DONK] + 0.8 * z + bold)
        return 0.0, _logistic(own[BET] + 0.9 * z + bold)
    if raises == 1 and walk.is_continued(w):
        up = _logistic(own[RAISE_CBET] + z + bold + (own[CHECK_RAISE] + 2.0 if checked else 0.0))
        return _logistic(own[FOLD_TO_CBET + r - 1] - 1.2 * z - loose), up
    up = _logistic((own[CHECK_RAISE] if checked and raises == 1 else own[RAISE]) + z + bold)
    return _logistic(own[FOLD] - 1.2 * z - loose), up
