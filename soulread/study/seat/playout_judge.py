"""A judge of decisions in games that have no table: hands are played out against models of the opponents.

In no-limit hold'em that is done as `ponsen` does it, in limit hold'em with several opponents as `poki` does
(`soulread.play.search`): holdings of everybody who is left are drawn from what a model of each makes of the
actions so far, the board is dealt, and each choice is played to the end with the same cards. The judge learns
from the hands that the player has seen, as the player saw them.

The best of several estimates looks better than it is. So a first set of play-outs says which choice is best,
and a second one, independent of it, says what the others give up to that choice.
"""

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState, PokerView
from soulread.hands.hand import Hand
from soulread.hands.record import decisions
from soulread.play.search import nolimit_rollout, rollout
from soulread.play.search.loki import LearningLoki, PokiOptions
from soulread.play.search.outlook import Limits, Outlook
from soulread.play.search.ponsen import Ponsen, PonsenOptions
from soulread.streams import stream
from soulread.study.seat.choices import Appraisal, JudgedChoice, ReviewedDecision
from soulread.study.seat.own_range import action_group

PLAYOUTS = 2400  # of each choice together, in each of the two sets
SIZES = 0.5, 1.0  # raises that are looked at, in pots, besides all-in and the one taken
TITLE = "by play-outs against what is known of the opponents"


class Searching(Protocol):
    """An agent that plays hands out, and learns from hands."""

    def observe(self, hand: Hand) -> None:
        """Learn from a hand."""

    def simulate(self, view: PokerView, limits: Limits, rng: np.random.Generator) -> Outlook:
        """The values of the choices but a fold."""


class PlayoutJudge:
    """Judges the decisions of one player of a game; see the module."""

    def __init__(self, game: PokerGame, playouts: int = PLAYOUTS) -> None:
        self.game = game
        self._limits = Limits(playouts=playouts, clear=float("inf"))
        self._ponsen: Ponsen | None = None
        self._poki: LearningLoki | None = None
        if nolimit_rollout.refuses(game) is None:
            self._ponsen = Ponsen("the judge", game, PonsenOptions(sizes=SIZES))
        else:
            self._poki = LearningLoki("the judge", game, PokiOptions())

    @staticmethod
    def refuses(game: PokerGame) -> str | None:
        """Why a game cannot be judged so; None if it can."""
        first = nolimit_rollout.refuses(game)
        return None if first is None or rollout.refuses(game) is None else first

    @property
    def _agent(self) -> Searching:
        found = self._ponsen or self._poki
        if found is None:
            raise SoulreadError(f"{self.game.name!r} cannot be played out")
        return found

    def observe(self, hand: Hand) -> None:
        """Learn from a hand as the player saw it."""
        self._agent.observe(hand)

    def review(self, hand: Hand, player: str) -> Iterator[ReviewedDecision]:
        """The decisions of a player whose cards are known, in a hand that has not been observed."""
        seat = hand.seat_of(player)
        everything = decisions(self.game, hand.actions, hand.board, hand.hole)
        for number, (state, action) in enumerate(everything):
            if state.player == seat and len(state.legal_actions()) > 1:
                yield self._decision(state, hand, number, action)

    def _decision(self, state: PokerState, hand: Hand, number: int, action: int) -> ReviewedDecision:
        view = state.view(state.player, hand.players)
        first, second = (
            self._simulate(view, action, stream(number, "judge", hand.id, half)) for half in (0, 1)
        )
        may_fold = FOLD in view.legal
        best = first.best(may_fold)
        worth = dict(zip(second.actions, second.values, strict=True))
        if may_fold:
            worth[FOLD] = 0.0
        choices = []
        for one in sorted(worth):
            error = 0.0 if one == best else _apart(second, best, one)
            kind, name = action_group(view, one)
            cost = worth[best] - worth[one]
            choices.append(JudgedChoice(one, _name(name, one, view), kind, worth[one], cost, error))
        appraisal = Appraisal("play-outs", TITLE, tuple(choices), action)
        return ReviewedDecision(number, state.action_name(action).split()[0], view.pot, (appraisal,))

    def _simulate(self, view: PokerView, taken: int, rng: np.random.Generator) -> Outlook:
        if self._ponsen is not None:
            return self._ponsen.simulate(view, self._limits, rng, also=(taken,) if taken > CALL else ())
        return self._agent.simulate(view, self._limits, rng)


def _apart(outlook: Outlook, best: int, other: int) -> float:
    """The standard error of how much better one action is than another."""
    if other == FOLD:
        return outlook.error(best)
    return outlook.error(other) if best == FOLD else outlook.error(best, other)


def _name(name: str, action: int, view: PokerView) -> str:
    """An action in words, raises of no-limit with their total."""
    if action <= CALL or view.rules.raise_sizes is not None:
        return name
    return f"{name.partition(' ')[0]} to {action}" if name != "all-in" else f"all-in {action}"
