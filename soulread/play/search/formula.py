"""Formula betting: from the strength of a hand, the pot odds and the context to an action, or to a triple.

Strength is a `HandValue` (HS, PPot, EHS): after the flop against the weight tables of all live opponents,
before it the place on the scale of income rates.

**The rules of old Loki** (`rule_choice`; Billings et al., 1998, as far as we know them; the numbers are ours
where the papers print none). Two bars, `MAKE1` for one bet and `MAKE2` for two:

    nothing to call     bet with EHS >= MAKE1; also with PPot above the odds of a bet (a semi-bluff)
    a bet to call       raise with EHS >= MAKE2, call with EHS >= MAKE1
    more bets           raise with EHS >= MAKE3, call with EHS >= MAKE2
    otherwise           call if PPot is above the pot odds, or EHS above the showdown odds; else fold

**Triples** (`triple_now`, "B"; Billings et al., 1999). The same ideas as two uncertain bars
(`soulread.model.loki.triples`): the bar for staying in lies at the odds, the one for raising depends on the
bets to call. A hand near a bar does both, so that our action does not give our hand away. Potential counts as
in the rules: it lets hands bet that would check, and call that would fold.

*Odds.* To call c into a pot of p costs c / (p + c) of the pot. A player who goes to the showdown also calls a
bet in each later round, against one other. With f the sum of these bets, showdown odds are
(c + f) / (p + c + 2 f). The bar for staying in is the mean of both.

**Styles** shift the bars: tight and loose the one for staying in, passive and aggressive the one for raising.
Before the flop the scale is that of percentiles, and shifts are twice as large.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.scales.values import HandValue
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerView
from soulread.model.loki.contexts import bets_to_call
from soulread.model.loki.model import default_frequencies
from soulread.model.loki.triples import (
    FLOOR,
    MOST_TO_CALL,
    NUM_CONTEXTS,
    Bars,
    Triple,
    context_of,
    ramp,
    triple_of,
)

MAKE1, MAKE2, MAKE3 = 0.5, 0.85, 0.95
RAISE_BARS = 0.52, 0.72, 0.86  # of triples, by bets to call
SPREAD = 0.1  # how far from a bar triples are undecided
DRAW = 0.05  # how far from the odds a hand of potential is undecided
BEFORE = 2.0  # shifts before the flop, times those after it
_STAY = {"tight": 0.07, "medium": 0.0, "loose": -0.07}
_RAISE = {"passive": 0.12, "balanced": 0.0, "aggressive": -0.06}


@dataclass(frozen=True)
class PlayStyle:
    """How far the bars for staying in and for raising lie above the usual ones."""

    name: str = "medium"
    stay: float = 0.0
    raise_: float = 0.0


def parse_style(text: str) -> PlayStyle:
    """ "tight", "loose-passive", "aggressive": one word of each kind at most, joined by a hyphen."""
    words = text.split("-")
    stay, raise_ = [word for word in words if word in _STAY], [word for word in words if word in _RAISE]
    if len(stay) + len(raise_) != len(words) or len(stay) > 1 or len(raise_) > 1:
        raise SoulreadError(
            f"{text!r} is not a style; it is one of {', '.join(_STAY)}, one of {', '.join(_RAISE)}, or one "
            "of each with a hyphen between them"
        )
    return PlayStyle(text, sum(_STAY[word] for word in stay), sum(_RAISE[word] for word in raise_))


class LimitDecision(NamedTuple):
    """The facts of a limit decision besides the strength of the hand. Amounts are chips."""

    round: int
    players: int  # dealt in
    to_call: int
    pot: int
    sizes: tuple[int, ...]  # [rounds] of a bet
    may_raise: bool

    @property
    def bets(self) -> int:
        """Bets to call: 0, 1, and 2 for more."""
        return bets_to_call(self.to_call, self.sizes[self.round])


def limit_decision(view: PokerView) -> LimitDecision:
    """The decision of the seat in view, which is to act in a limit game."""
    sizes = view.rules.raise_sizes
    if sizes is None or view.seat != view.to_act:
        raise SoulreadError(f"seat {view.seat} has no limit decision after {view.betting!r}")
    may_raise = RAISE in view.legal
    return LimitDecision(view.round, view.game.num_players, view.to_call, view.pot, sizes, may_raise)


def pot_odds(spot: LimitDecision) -> float:
    """The part of the pot that a call costs."""
    return spot.to_call / (spot.pot + spot.to_call)


def showdown_odds(spot: LimitDecision) -> float:
    """The part of the last pot that it costs to see the showdown."""
    later = sum(spot.sizes[spot.round + 1 :])
    return (spot.to_call + later) / (spot.pot + spot.to_call + 2 * later)


def bet_odds(spot: LimitDecision) -> float:
    """The price of a bet, as a part of the pot with one caller."""
    size = spot.sizes[spot.round]
    return size / (spot.pot + 2 * size)


def rule_choice(strength: HandValue, spot: LimitDecision, style: PlayStyle) -> int:
    """The action of old Loki; the same strength and decision always give the same action."""
    ehs = strength.ehs
    if spot.round == 0:
        return _sharp(ehs, bars_now(spot, style), spot)
    one, two, three = MAKE1 + style.stay, MAKE2 + style.raise_, MAKE3 + style.raise_ / 4
    if spot.to_call == 0:
        bluff = strength.ppot >= bet_odds(spot)
        return RAISE if spot.may_raise and (ehs >= one + style.raise_ or bluff) else CALL
    if spot.may_raise and ehs >= (two if spot.bets == 1 else three):
        return RAISE
    if ehs >= (one if spot.bets == 1 else two):
        return CALL
    if strength.ppot >= pot_odds(spot) or ehs >= showdown_odds(spot) + style.stay:
        return CALL
    return FOLD


def _sharp(value: float, bars: NDArray[np.float64], spot: LimitDecision) -> int:
    """The action of a hand at bars without doubt."""
    if spot.may_raise and value >= bars[1, 0]:
        return RAISE
    return CALL if spot.to_call == 0 or value >= bars[0, 0] else FOLD


def bars_now(spot: LimitDecision, style: PlayStyle) -> NDArray[np.float64]:
    """The two bars ``[2, 2]`` of a spot: stay and raise, mu and sigma."""
    if spot.round == 0:
        fold, raised = default_frequencies(spot.players)[context_of(0, spot.bets)]
        price = min(1.0, spot.to_call / spot.sizes[0])  # the small blind pays half
        stay = fold * price + BEFORE * style.stay
        rise = 1 - raised + BEFORE * style.raise_
    else:
        stay = (pot_odds(spot) + showdown_odds(spot)) / 2 + style.stay
        rise = RAISE_BARS[spot.bets] + style.raise_
    stay = min(max(stay, 0.0), 1.0)
    return np.array([[stay, SPREAD], [min(max(rise, stay), 0.97), SPREAD / 2 if spot.round == 0 else SPREAD]])


def triple_now(strength: HandValue, spot: LimitDecision, style: PlayStyle) -> Triple:
    """The chances with which a hand folds, calls and raises.

    A hand of high potential that would check bets as far as its PPot is above the odds of a bet, and one that
    would fold calls as far as it is above the pot odds; how far is again a ramp, of width `DRAW`.
    """
    fold, call, raised = triple_of(strength.ehs, bars_now(spot, style), spot.to_call > 0, spot.may_raise)
    if spot.round == 0:
        return Triple(fold, call, raised)
    if spot.to_call:
        drawing = (1 - FLOOR) * ramp(strength.ppot, pot_odds(spot), DRAW) * fold
        return Triple(fold - drawing, call + drawing, raised)
    bluff = (1 - FLOOR) * ramp(strength.ppot, bet_odds(spot), DRAW) * call if spot.may_raise else 0.0
    return Triple(fold, call - bluff, raised + bluff)


def own_bars(spot: LimitDecision, style: PlayStyle, sharp: bool, others: NDArray[np.float64]) -> Bars:
    """Our own bars ``[12, 2, 2]`` in the rest of a hand, for play-outs; ``others [n, 12, 2, 2]`` are theirs.

    After the flop they answer the mean of the others' bars. `beats` says how often a hand wins from players
    who bet. To call, that must reach the odds (of the pot as it is now). To raise, it must reach a half:
    against players who bet or, if nobody did, against players who will call. ``sharp`` takes all doubt from
    our bars.
    """
    bars = np.empty((NUM_CONTEXTS, 2, 2))
    theirs = others.mean(axis=0)
    for round in range(len(spot.sizes)):
        for bets in range(MOST_TO_CALL + 1):
            chips = bets * spot.sizes[round]
            later = spot._replace(round=round, to_call=chips, pot=spot.pot + chips)
            found = bars_now(later, style)
            if round and bets:
                betting = theirs[context_of(round, bets - 1), 1]
                found[0, 0] = value_to_beat(betting, found[0, 0])
                found[1, 0] = max(found[0, 0], value_to_beat(betting, 0.5) + style.raise_)
            elif round:
                found[1, 0] = value_to_beat(theirs[context_of(round, 1), 0], 0.5) + style.raise_
            bars[context_of(round, bets)] = found
    np.clip(bars[:, :, 0], 0.0, 0.97, out=bars[:, :, 0])
    if sharp:
        bars[:, :, 1] = 0.0
    return bars


_GRID = np.linspace(0.0, 1.0, 101)


def beats(bar: NDArray[np.float64]) -> NDArray[np.float64]:
    """``[101]`` how often hands of value 0, .01, ... 1 win from one who acts above a bar ``[2]``.

    The other's values are taken as even from 0 to 1, and each acts with the chance of the ramp at the bar.
    """
    mu, sigma = bar
    acting = np.clip((_GRID - mu) / max(2 * sigma, 1e-6) + 0.5, 0.0, 1.0) + FLOOR
    below = np.concatenate([[0.0], np.cumsum((acting[1:] + acting[:-1]) / 2)])
    share: NDArray[np.float64] = below / below[-1]
    return share


def value_to_beat(bar: NDArray[np.float64], share: float) -> float:
    """The value that a hand needs to win this share of the time from one who acts above a bar."""
    return float(np.interp(share, beats(bar), _GRID))
