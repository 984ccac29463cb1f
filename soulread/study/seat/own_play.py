"""A player's frequencies beside those of an equilibrium that had held the same cards.

In every kind of decision (`kind_of_decision`) the study counts what the player did, and adds up what the
equilibrium would have done in the same places with the same cards. So neither the luck of the cards nor what
the others did enters the comparison. If the player were the equilibrium, the count of an action would be a
sum of independent draws, with the mean and the variance

    sum of p      and      sum of p (1 - p)

over the decisions. Its distance from the mean, by the normal approximation, gives a p-value; of the
deviations called sure at most 5% are expected to be chance (Benjamini and Hochberg).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from soulread.errors import SoulreadError
from soulread.estimate import benjamini_hochberg, wilson_interval
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.play.table.human import STREETS
from soulread.seqform.tabular import TabularStrategy

LEVEL = 0.05
LEAST = 8  # decisions of a kind before anything about it is called sure

WORDS = "fold", "check or call", "bet or raise"


@dataclass(frozen=True)
class OwnFrequency:
    """How often a player does one thing in one kind of decision."""

    kind: str  # "flop, facing a bet"
    action: str  # one of `WORDS`
    count: int
    n: int
    equilibrium: float | None  # how often the equilibrium does it with the same cards; None: not known
    sure: bool = False  # whether the difference is more than chance

    @property
    def rate(self) -> float:
        """The player's frequency."""
        return self.count / self.n

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95% interval."""
        return wilson_interval(self.count, self.n)


@dataclass
class _Kind:
    """The sums of one kind of decision, each [3] by fold, call, raise."""

    n: int = 0
    count: list[int] = field(default_factory=lambda: [0, 0, 0])
    possible: list[bool] = field(default_factory=lambda: [False, False, False])
    expected: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    variance: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])


class OwnPlay:
    """Counts a player's decisions hand by hand. Without ``equilibrium`` only the player's own are known."""

    def __init__(self, game: PokerGame, player: str, equilibrium: TabularStrategy | None = None) -> None:
        self.game = game
        self.player = player
        self.equilibrium = equilibrium
        self._kinds: dict[tuple[int, int, str], _Kind] = {}

    def add(self, hand: Hand) -> None:
        """Count a finished hand in which the player's cards are known."""
        seat = hand.seat_of(self.player)
        for state, action in decisions(self.game, hand.actions, hand.board, hand.hole):
            if state.player == seat:
                self._add(state, action)

    def _add(self, state: PokerState, action: int) -> None:
        legal = state.legal_actions()
        if len(legal) < 2:
            return
        kind = self._kinds.setdefault(kind_of_decision(state), _Kind())
        kind.n += 1
        kind.count[min(action, 2)] += 1
        for one in (FOLD, CALL, 2):
            kind.possible[one] |= one in legal if one < 2 else legal[-1] >= 2
        if self.equilibrium is None:
            return
        for one, chance in _chances(self.equilibrium, state).items():
            kind.expected[one] += chance
            kind.variance[one] += chance * (1 - chance)

    def frequencies(self) -> tuple[OwnFrequency, ...]:
        """All kinds of decision that came up, in the order of a hand."""
        rows, p_values = [], []
        for key in sorted(self._kinds):
            kind = self._kinds[key]
            for one in (FOLD, CALL, 2):
                if not kind.possible[one]:
                    continue
                expected = None if self.equilibrium is None else kind.expected[one] / kind.n
                rows.append(OwnFrequency(key[2], WORDS[one], kind.count[one], kind.n, expected))
                p_values.append(self._p_value(kind, one))
        if not rows:
            return ()
        sure = benjamini_hochberg(np.array(p_values), LEVEL).tolist()
        return tuple(
            OwnFrequency(row.kind, row.action, row.count, row.n, row.equilibrium, found)
            for row, found in zip(rows, sure, strict=True)
        )

    def _p_value(self, kind: _Kind, action: int) -> float:
        if self.equilibrium is None or kind.n < LEAST:
            return 1.0
        apart = abs(kind.count[action] - kind.expected[action])
        deviation = math.sqrt(kind.variance[action])
        if deviation < 1e-9:  # the equilibrium always does the same here
            return 1.0 if apart < 0.5 else 0.0
        return math.erfc(max(0.0, apart - 0.5) / deviation / math.sqrt(2))


def kind_of_decision(state: PokerState) -> tuple[int, int, str]:
    """The round, an order within it, and the words for a decision: "flop, facing a bet"."""
    *_, now = state.betting.split("/")
    raises = now.count("r")
    if state.to_call and not raises:
        order, words = 1, "first in"
    elif not state.to_call:
        order, words = (0, "may check") if not now else (2, "checked to")
        if raises:
            raise SoulreadError(f"nothing to call after {state.betting!r}")
    elif raises == 1 and not (state.round == 0 and any(state.rules.blinds)):
        order, words = 3, "facing a bet"
    else:
        order, words = 4, "facing a raise"
    street = STREETS[state.round] if len(state.rules.board_cards) > 1 else ""
    return state.round, order, f"{street}, {words}" if street else words


def _chances(equilibrium: TabularStrategy, state: PokerState) -> Mapping[int, float]:
    """The chance of a fold, a call and any raise."""
    node, own = equilibrium.place(state.view(state.player))
    found: dict[int, float] = {}
    chances = equilibrium.probabilities(node, own).tolist()
    for action, chance in zip(equilibrium.betting.actions[node], chances, strict=True):
        found[min(action, 2)] = found.get(min(action, 2), 0.0) + chance
    return found
