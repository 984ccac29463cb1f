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

from soulread.games.limit_holdem import limit_rules
from soulread.hands.facts import NO_TIME, SEAT, Begun, Facts, starts, walk_hands
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
        seating, acts, counts, rounds, won, showdown = self.hands(hands, rng)
        seats = np.zeros(hands * SEATS, SEAT)
        seats["won"] = won.ravel()
        seats["hand"] = np.repeat(np.arange(hands), SEATS)
        seats["time"], seats["big_blind"], seats["players"], seats["stack"] = NO_TIME, 2, SEATS, np.nan
        seats["showdown"] = np.repeat(showdown, SEATS)
        blinds = np.zeros(hands * SEATS, np.int8)
        live = np.zeros(hands * SEATS, np.int64)
        for seat in (0, 1):
            blinds[seat::SEATS] = seat + 1
            live[seat::SEATS] = seat + 1
        rules = limit_rules("ring-limit", SEATS)
        sheet = [*(rules.raise_sizes or ()), *(rules.max_raises or ())]
        begun = Begun(
            first_seat=np.arange(hands + 1) * SEATS,
            first_act=starts(counts),
            acts=acts,
            rounds=rounds,
            sheet=np.zeros(hands, np.int64),
            sheets=np.array([sheet], np.int64),
            stacks=np.full(hands * SEATS, -1, np.int64),
            live=live,
            dead=np.zeros(hands * SEATS, np.int64),
            blinds=blinds,
            opening=np.zeros(hands, np.int64),
        )
        walked = walk_hands(begun, seats)
        return seating.ravel(), Facts(seats, walked.decisions[np.argsort(walked.owner, kind="stable")])

    def hands(
        self, hands: int, rng: np.random.Generator
    ) -> tuple[
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.int64],
        NDArray[np.bool_],
    ]:
        """Players by seat, actions, how many of each hand, ends of rounds, chips won, whether shown down."""
        players = len(self.habits)
        seating = np.argsort(rng.random((hands, players)), axis=1)[:, :SEATS].astype(np.int64)
        played = np.zeros(players, np.int64)
        acts = np.zeros((hands * MOST_ACTIONS, 2), np.int64)
        counts = np.zeros(hands, np.int64)
        rounds = np.full((hands, 4), -1, np.int64)
        won = np.zeros((hands, SEATS), np.int64)
        showdown = np.zeros(hands, np.bool_)
        moods = self.mood * rng.standard_normal((players, hands // MOOD_HANDS + 1, 2))
        used = deal_hands(
            _LOGITS + self.habits,
            moods,
            seating,
            played,
            rng.standard_normal((hands, SEATS, 4)),
            rng.random((hands, MOST_ACTIONS)),
            acts,
            counts,
            rounds,
            won,
            showdown,
        )
        return seating, acts[:used], counts, rounds, won, showdown


@kernel
def deal_hands(
    logits: Numbers,
    moods: Numbers,
    seating: NDArray[np.int64],
    played: NDArray[np.int64],
    luck: Numbers,
    draws: Numbers,
    acts: NDArray[np.int64],
    counts: NDArray[np.int64],
    rounds: NDArray[np.int64],
    won: NDArray[np.int64],
    showdown: NDArray[np.bool_],
) -> int:
    """Play all hands; returns the number of actions."""
    used = 0
    n = SEATS
    for h in range(seating.shape[0]):
        first_act = used
        spent = np.zeros(n, np.int64)
        spent[0], spent[1] = 1, 2
        folded = np.zeros(n, np.bool_)
        strength = luck[h, :, 0].copy()
        active, aggressor, raiser = n, -1, -1
        for r in range(4):
            if r > 0:
                strength[:] = 0.75 * strength + 0.66 * luck[h, :, r]
            size = 2 if r < 2 else 4
            cap = 3 if r == 0 else 4
            aggressor, raiser = raiser, -1
            raises, limpers, callers, opener = 0, 0, 0, -1
            continued = False
            checked = np.zeros(n, np.bool_)
            begun = np.zeros(n, np.bool_)
            own_raise = np.zeros(n, np.int64)
            seat = 2 % n if r == 0 else 0
            left = active  # seats that have yet to act
            while left > 0 and active > 1:
                if folded[seat]:
                    seat = (seat + 1) % n
                    continue
                top = spent.max()
                facing = spent[seat] < top
                who = seating[h, seat]
                mood = moods[who, played[who] // MOOD_HANDS]
                own = logits[who]
                z = strength[seat]
                waiting = (
                    aggressor >= 0 and aggressor != seat and not folded[aggressor] and not begun[aggressor]
                )
                late = seat == 0 or seat >= n - 2
                fold, up = _chances(
                    own,
                    r,
                    z,
                    facing,
                    raises,
                    limpers,
                    callers,
                    own_raise[seat],
                    late,
                    seat < 2,
                    opener == 0 or opener >= n - 2,
                    aggressor == seat,
                    waiting,
                    continued,
                    checked[seat],
                    mood,
                )
                if raises >= cap:
                    up = 0.0
                draw = draws[h, used - first_act]
                action = 2 if draw < up else 0 if draw < up + fold * (1 - up) else 1
                acts[used, 0], acts[used, 1] = seat, action
                used += 1
                begun[seat] = True
                left -= 1
                if action == 0:
                    folded[seat] = True
                    active -= 1
                elif action == 1:
                    if facing:
                        spent[seat] = top
                        callers += 1
                        limpers += raises == 0
                    else:
                        checked[seat] = True
                else:
                    if raises == 0:
                        opener, continued = seat, seat == aggressor
                    raises += 1
                    callers = 0
                    raiser = seat
                    own_raise[seat] = raises
                    spent[seat] = top + size
                    left = active - 1
                seat = (seat + 1) % n
            rounds[h, r] = used - first_act
            if active == 1:
                break
        counts[h] = used - first_act
        showdown[h] = active > 1
        best = -1
        for s in range(n):
            played[seating[h, s]] += 1
            won[h, s] = -spent[s]
            if not folded[s] and (best < 0 or strength[s] > strength[best]):
                best = s
        won[h, best] += spent.sum()
    return used


@kernel
def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@kernel
def _chances(
    own: Numbers,
    r: int,
    z: float,
    facing: bool,
    raises: int,
    limpers: int,
    callers: int,
    own_raise: int,
    late: bool,
    blind: bool,
    late_opener: bool,
    leads: bool,
    waiting: bool,
    continued: bool,
    checked: bool,
    mood: Numbers,
) -> tuple[float, float]:
    """The probability of a fold, if it is no raise, and that of a raise."""
    loose, bold = mood[0], mood[1]
    if r == 0:
        if not facing:
            return 0.0, _logistic(own[RAISE] + 0.5 + z + bold)
        if raises == 0:
            spot = STEAL if late and limpers == 0 else OPEN
            up = _logistic(own[spot] + 1.4 * z + bold)
            stay = _logistic(own[LIMP] + 0.8 * z + loose + (1.0 if limpers else 0.0))
            return 1 - stay, up
        if raises == 1:
            up = _logistic(own[THREE_BET] + 1.4 * z + bold)
            if blind and late_opener and limpers == 0 and callers == 0:
                return _logistic(own[FOLD_TO_STEAL] - 1.2 * z - loose), up
            return 1 - _logistic(own[CALL_RAISE] + z + loose), up
        up = _logistic(own[FOUR_BET] + 1.4 * z + bold)
        if own_raise == 1:
            return _logistic(own[FOLD_TO_3BET] - 1.2 * z - loose), up
        return _logistic(1.2 - 1.2 * z - loose), up
    if not facing:
        if leads:
            return 0.0, _logistic(own[CBET + r - 1] + 0.8 * z + bold)
        if waiting:
            return 0.0, _logistic(own[DONK] + 0.8 * z + bold)
        return 0.0, _logistic(own[BET] + 0.9 * z + bold)
    if continued and raises == 1:
        up = _logistic(own[RAISE_CBET] + z + bold + (own[CHECK_RAISE] + 2.0 if checked else 0.0))
        return _logistic(own[FOLD_TO_CBET + r - 1] - 1.2 * z - loose), up
    up = _logistic((own[CHECK_RAISE] if checked and raises == 1 else own[RAISE]) + z + bold)
    return _logistic(own[FOLD] - 1.2 * z - loose), up
