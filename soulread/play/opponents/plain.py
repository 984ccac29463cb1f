"""Plain players of hold'em, limit or no-limit, with 2 to 10 seats: tight or loose, passive or aggressive.

    plain                              neither
    plain:style=tight                  folds much
    plain:style=loose-passive          calls much and seldom raises

They are opponents for tests and matches. A plain player rates its hand from 0 to 1, compares the rating x
with two bars, and does not learn.

    before the flop    x is the place on the scale of income rates (`soulread.cards.scales.incomes`)
    later              x = EHS against the live opponents, each with any two cards

    stay   before the flop   the usual share of folds (`default_frequencies`), and more as a call costs more
           later             BASE + SLOPE * odds, with the odds c / (p + c) of a call of c into a pot of p
    raise                    RAISES, by the number of raises of the round so far

`PlayStyle` shifts the first bar for tight and loose, the second for passive and aggressive. Near a bar the
player does both, on a ramp of width `SPREAD`. A hand that would check or fold is raised with a small chance,
which depends on the style (`_BLUFF`). A raise is one of `SIZES`, in parts of the pot after a call, each as
likely as the others, or the nearest legal one.
"""

from dataclasses import dataclass
from typing import NamedTuple

from soulread.cards.ranges import hand_index
from soulread.cards.scales.boards_to_come import present
from soulread.cards.scales.values import income_scale
from soulread.errors import SoulreadError
from soulread.games.limit_holdem import verify_holdem
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView, raises_among
from soulread.kernel import kernel
from soulread.model.loki.model import default_frequencies
from soulread.model.loki.triples import Triple, ramp
from soulread.options import Options, option
from soulread.play.catalogue.entry import AgentEntry, AgentSpec
from soulread.play.opponents.rated import RatedPlayer
from soulread.play.search.formula import BEFORE, PlayStyle, parse_style
from soulread.seqform.source import Tell

BASE, SLOPE = 0.3, 0.6
RAISES = 0.62, 0.85, 0.93  # no raise so far, one, more
RAISES_BEFORE = 0.86, 0.95, 0.98  # before the flop, on the scale of places
SIZES = 0.5, 0.75, 1.0
SPREAD = 0.05
DEAR = 20  # big blinds; a call of so many before the flop raises the bar by half of what is left to 1
_FACTOR = 2.0  # styles differ more here than Loki's
_BLUFF = {"passive": 0.0, "aggressive": 0.12}
_USUAL_BLUFF = 0.04


@dataclass(frozen=True)
class PlainOptions(Options):
    """Options of `plain`."""

    style: PlayStyle = option(
        PlayStyle(),
        "tight, medium or loose; passive, balanced or aggressive; or one of each, as in tight-passive",
        lambda text, _: parse_style(text),
    )


def raise_to(view: PokerView, fraction: float) -> int:
    """The legal raise nearest to a part of the pot, counted after a call; the only one in a limit game.

    The seat to act must be allowed to raise.
    """
    raises = raises_among(view.choices)
    if view.rules.raise_sizes is not None:
        return RAISE
    high = max(view.spent)
    pot = view.pot + high - view.spent[view.to_act]
    return int(min(max(high + round(fraction * pot), raises[0]), raises[-1]))


class PlainHabits(NamedTuple):
    """How a plain player plays at a table."""

    stay: float  # added to the bar for staying in
    rise: float  # added to the bar for raising
    bluff: float  # chance to raise a hand that would check or fold
    called: float  # usual share of folds before the flop: to the big blind
    raised: float  # ... and to a raise


class PlainDecision(NamedTuple):
    """The public facts that a plain player looks at when it is to act."""

    round: int
    raises: int  # in this round
    odds: float  # c / (p + c)
    blinds: float  # big blinds to call
    may_fold: bool
    may_raise: bool


def habits_of(style: PlayStyle, players: int) -> PlainHabits:
    """The habits of a style at a table of so many players."""
    bluff = next((chance for word, chance in _BLUFF.items() if word in style.name), _USUAL_BLUFF)
    folds = default_frequencies(players)[1:3, 0]
    return PlainHabits(_FACTOR * style.stay, float(style.raise_), bluff, float(folds[0]), float(folds[1]))


@kernel
def plain_bars(spot: PlainDecision, habits: PlainHabits) -> tuple[float, float]:
    """The bars for staying in and for raising."""
    level = min(spot.raises, 2)
    if spot.round == 0:
        fold = habits.raised if level else habits.called
        stay = fold * min(1.0, spot.blinds) + (1 - fold) * 0.5 * min(1.0, spot.blinds / DEAR)
        stay += BEFORE * habits.stay
        rise = RAISES_BEFORE[level] + habits.rise + BEFORE * habits.stay / 4
    else:
        stay = BASE + SLOPE * spot.odds + habits.stay
        rise = RAISES[level] + habits.rise + habits.stay / 4
    stay = min(max(stay, 0.0), 0.97)
    return stay, min(max(rise, stay), 0.99)


@kernel
def plain_triple(rating: float, spot: PlainDecision, habits: PlainHabits) -> Triple:
    """The chances with which a hand of a rating folds, calls and raises."""
    low, high = plain_bars(spot, habits)
    stay = ramp(rating, low, SPREAD) if spot.may_fold else 1.0
    above = min(stay, ramp(rating, high, SPREAD)) if spot.may_raise else 0.0
    bluff = habits.bluff if spot.may_raise else 0.0
    weak = 1 - stay if spot.may_fold else 1 - above
    fold = (1 - stay) * (1 - bluff)
    raised = above + bluff * weak
    return Triple(fold, 1 - fold - raised, raised)


class Plain(RatedPlayer):
    """Acts by two bars."""

    def __init__(self, name: str, game: PokerGame, style: PlayStyle) -> None:
        self.name = name
        self.habits = habits_of(style, game.num_players)
        self._places = income_scale(game.num_players).values

    def rating(self, view: PokerView) -> float:
        """The rating of the hand in view, from 0 to 1."""
        holding = hand_index(*view.hole)
        if not view.board:
            return float(self._places[holding])
        now = present(tuple(view.board))
        strength = float(now.hs[holding]) ** (view.folded.count(False) - 1)
        return strength + (1 - strength) * float(now.ppot[holding])

    def decision(self, view: PokerView) -> PlainDecision:
        """The decision of the seat to act."""
        raises = view.betting.rpartition("/")[2].count("r")
        blinds = view.to_call / view.rules.big_blind
        may = FOLD in view.choices, bool(raises_among(view.choices))
        return PlainDecision(view.round, raises, view.to_call / (view.pot + view.to_call), blinds, *may)

    def probabilities(self, view: PokerView) -> dict[int, float]:
        """The chance of each action of the seat to act, which must be the one in view."""
        spot = self.decision(view)
        fold, call, raised = plain_triple(self.rating(view), spot, self.habits)
        found = {FOLD: fold} if spot.may_fold else {}
        found[CALL] = call
        for size in SIZES if spot.may_raise else ():
            total = raise_to(view, size)
            found[total] = found.get(total, 0.0) + raised / len(SIZES)
        return found


def refuses(game: PokerGame) -> str | None:
    """The reason why a plain player cannot sit at a game, or None."""
    try:
        verify_holdem(game)
    except SoulreadError:
        return "it plays hold'em only"
    return None


def _make(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Plain:
    return Plain(spec.text, game, spec.options.style)


PLAIN = AgentEntry(
    "plain",
    "a plain player of hold'em, limit or no-limit, in a chosen style; 2 to 10 seats",
    _make,
    PlainOptions,
    refuses,
    examples=("plain", "plain:style=tight", "plain:style=loose-passive"),
)
