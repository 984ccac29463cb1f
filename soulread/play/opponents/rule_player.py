"""Players who follow rules of thumb: the strength of the hand, its potential, and the price of a call.

    rule:number=7                      player number 7: all habits are drawn from its number
    rule:number=7,tight=0.2,bluff=0    the same, with two habits chosen

A rule player rates its hand between 0 and 1 and compares the rating with two bars, one for staying in and one
for raising. The bars rise with the bets that others made in the round, and fall in position. Near a bar it is
undecided: `noise` is how far from the bar doubts reach. These players do not come from an equilibrium, and
no agent of soulread was made with them in mind. Matches against them therefore judge an agent fairly.

With x the rating, the chances are those of logistic curves around the bars,

    stay  = 1 / (1 + exp((low - x) / noise)),      raise = 1 / (1 + exp((high - x) / noise))

A hand good enough to raise is played slowly with chance ``trap``, and one not worth a call is raised with
chance ``bluff``. The rating is HS + potential * (sqrt(E[HS^2]) - HS): the share of an opponent's hands that
are behind now, moved towards what the hand may become. Before the flop it is the rank among all hands.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from soulread.games.poker import CALL, FOLD, PokerGame, PokerView, raises_among
from soulread.options import Options, option
from soulread.play.catalogue.entry import AgentEntry, AgentSpec, where_tables_reach
from soulread.play.opponents.rated import ScalePlayer
from soulread.play.opponents.rating import Rating, Ratings, rating_of
from soulread.seqform.source import Tell
from soulread.streams import stream

STAY, RAISE = 0.38, 0.66  # the bars of a player with no leanings

DRAWN = {
    "tight": (-0.2, 0.2),
    "timid": (-0.15, 0.25),
    "odds": (0.0, 1.0),
    "respect": (0.0, 0.15),
    "position": (0.0, 0.08),
    "potential": (0.0, 1.0),
    "bluff": (0.0, 0.2),
    "trap": (0.0, 0.4),
    "noise": (0.01, 0.1),
}
"""The intervals that habits of numbered players are drawn from, evenly; set before any agent met one."""


def _habit(help: str, low: float | None = 0, above: float | None = None) -> Any:
    return option(
        None,
        f"{help}; drawn from the number if not given",
        lambda text, parse: float(text),
        low=low,
        above=above,
        high=1,
    )


@dataclass(frozen=True)
class RuleOptions(Options):
    """How a rule player decides; habits that are None are drawn from ``number``.

    Bars and shifts are on the scale of the rating, from 0 to 1.
    """

    number: int = option(0, "which player this is", low=0)
    tight: float = _habit("added to the bar for staying in", low=-1)
    timid: float = _habit("added to the bar for raising", low=-1)
    odds: float = _habit("how far pot odds set the bar for staying in; 0: not at all, 1: they alone")
    respect: float = _habit("added to both bars for every bet of the round that must be called", low=-1)
    position: float = _habit("taken off both bars by the last to act", low=-1)
    potential: float = _habit("how much it counts what a hand may become; 0: only what it is")
    bluff: float = _habit("chance to raise with a hand that is not worth a call")
    trap: float = _habit("chance to play a hand slowly that is worth a raise")
    noise: float = _habit("how far from a bar the player is undecided", low=None, above=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        rng = stream(self.number, "rule player")
        for name, (low, high) in DRAWN.items():
            drawn = float(rng.uniform(low, high))
            if getattr(self, name) is None:
                object.__setattr__(self, name, drawn)


class RulePlayer(ScalePlayer):
    """Rates its hand, and folds, calls or raises by its habits."""

    def __init__(self, name: str, habits: RuleOptions, rate: Rating) -> None:
        self.name = name
        self.habits = habits
        self.potential = habits.potential
        self._rate = rate

    def probabilities(self, view: PokerView) -> dict[int, float]:
        """The chance of each legal action of the seat to act, which must be the one in view."""
        now, later = self._rate(view.hole, view.board)
        rating = now + self.potential * (later - now)
        return {action: float(p) for action, p in self.chances(view, np.float64(rating)).items()}

    def chances(self, view: PokerView, rating: Ratings) -> dict[int, Ratings]:
        """The chance of each legal action at the public state of ``view``, for hands of the given ratings."""
        habits, asked = self.habits, view.to_call
        bets = view.betting.rpartition("/")[2].count("r")
        last = bool(view.seat != view.game.rules.first[view.round])
        shift = habits.respect * bets * (asked > 0) - habits.position * last
        low = (1 - habits.odds) * STAY + habits.odds * asked / (view.pot + asked) + habits.tight + shift
        high = max(low, RAISE + habits.timid + shift)
        weak = _logistic((low - rating) / habits.noise)
        strong = _logistic((rating - high) / habits.noise)  # at most 1 - weak
        bluff, *sizes = habits.bluff, *raises_among(view.choices)
        if not sizes:
            bluff, strong = 0.0, 0.0 * strong
        folded = weak * (1 - bluff) if FOLD in view.choices else 0.0 * weak
        raised = strong * (1 - habits.trap) + weak * bluff
        found = {FOLD: folded, CALL: 1 - folded - raised, **dict.fromkeys(sizes, raised)}
        return {action: found[action] for action in view.choices}


def _logistic(x: Ratings) -> Ratings:
    return 1 / (1 + np.exp(-np.clip(x, -500.0, 500.0)))


def _rule(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> RulePlayer:
    return RulePlayer(spec.text, spec.options, rating_of(game, tell))


RULE = AgentEntry(
    "rule",
    "plays by rules of thumb: hand strength, potential, pot odds and position",
    _rule,
    RuleOptions,
    where_tables_reach,
    examples=("rule:number=7", "rule:number=7,tight=0.2,bluff=0"),
)
