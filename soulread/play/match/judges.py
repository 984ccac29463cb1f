"""Judges: estimates of the first agent's winnings in a hand of a match, with luck taken off.

* `ByAivat` corrects the chips of the hand (`soulread.play.match.aivat`). It needs the first agent's strategy
  only.
* `ByWorth` does not look at the hand at all. Both agents say which strategies they played, and the winnings
  of one from the other are computed (`soulread.solvers.real_cards.worth`). Cards and draws no longer matter;
  they only decide what an agent that learns has seen so far. In hold'em a few random boards are left as
  noise.

`ByWorth` values a hand by the mean over both seats, on boards that are the same for `EVERY` hands, and the
same for every agent that plays match ``number`` of a seed. So what two agents win from one opponent is
compared on equal boards. An opponent who changes with every hand is valued anew after `PATIENCE` hands, in
hold'em after twice as many.
Beside the first agent it can value a usual strategy, such as the equilibrium, against what the opponent
played in the same hand.
"""

from enum import StrEnum
from typing import Protocol

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.play.agent import Agent
from soulread.play.match.aivat import Aivat
from soulread.play.match.live import LiveHand
from soulread.play.opponents.rated import known_strategy
from soulread.play.tabular import strategy_played
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.lookup import Lookup
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.real_cards.worth import DEFAULT_BOARDS, Against, draw_boards
from soulread.streams import MatchStreams

EVERY = 100  # hands that are valued on the same boards
PATIENCE = 25  # hands before a change of the second agent alone is looked at


class LuckRemoval(StrEnum):
    """The way in which luck is taken off."""

    WORTH = "what the strategies are worth"
    AIVAT = "luck taken off (AIVAT)"
    RAW = "raw"


class Judge(Protocol):
    """Judges the hands of a match in their order."""

    def begin(self, streams: MatchStreams) -> None:
        """Get ready for another match."""

    def chips(self, agents: tuple[Agent, ...], hand: LiveHand, seat: int) -> float:
        """The winnings of the first agent, in ``seat``, of a hand that no agent has observed yet."""


class ByAivat:
    """Judges by `Aivat`."""

    def __init__(self, aivat: Aivat) -> None:
        self._aivat = aivat

    def begin(self, streams: MatchStreams) -> None:
        """Begin the draws of flops anew."""
        self._rng = streams.judge()

    def chips(self, agents: tuple[Agent, ...], hand: LiveHand, seat: int) -> float:
        """The chips of the hand, less luck."""
        strategy = strategy_played(agents[0], hand.game, seat)
        if strategy is None:
            raise SoulreadError(
                f"{agents[0].name!r} does not say which strategy it plays; AIVAT needs it of the first agent"
            )
        return self._aivat.estimate(hand, seat, strategy, self._rng)


class ByWorth:
    """Judges by what the strategies of both agents win from each other; ``boards`` at a time in hold'em.

    ``beside [hands]`` is what the ``usual`` strategy would have won in the hands of the present match, in
    chips; it is empty without one.
    """

    def __init__(
        self, game: PokerGame, boards: int = DEFAULT_BOARDS, usual: TabularStrategy | None = None
    ) -> None:
        if game.num_players != 2:
            raise SoulreadError(f"{game.name!r} has {game.num_players} seats; strategies of two are valued")
        self._game = game
        self._count = boards
        self._usual = usual
        self._patience = PATIENCE * (2 if has_abstraction(game) else 1)

    def begin(self, streams: MatchStreams) -> None:
        """Begin with boards of another match."""
        self._streams = streams
        self._block = -1
        self._boards = np.empty((0, 0), dtype=np.uint8)
        self._first: list[TabularStrategy] = []
        self._second: list[TabularStrategy] = []
        self._against: dict[Lookup, tuple[Against, Against]] = {}
        self._number = 0
        self.beside: list[float] = []

    def chips(self, agents: tuple[Agent, ...], hand: LiveHand, seat: int) -> float:
        """The mean winnings of the first agent in such a hand, over both seats."""
        first = self._strategies(agents[0])
        number = int(hand.id)
        changed = _differ(first, self._first)
        if self._see_boards(number) or self._see_opponent(agents[1], number, changed):
            self._second, self._number = self._strategies(agents[1]), number
            self._against.clear()
            if self._usual is not None:
                self._usual_chips = self._value([self._usual, self._usual])
            changed = True
        if changed:
            self._first = first
            self._chips = self._value(first)
        if self._usual is not None:
            self.beside.append(self._usual_chips)
        return self._chips

    def _see_boards(self, number: int) -> bool:
        """Draw the boards of a hand if they are others than those of the last one; whether they are."""
        block = number // EVERY
        if block == self._block:
            return False
        self._block = block
        boards = draw_boards(self._game, self._count, self._streams.boards(block))
        if np.array_equal(boards, self._boards):  # a small game has but few, and all are taken
            return False
        self._boards = boards
        return True

    def _see_opponent(self, agent: Agent, number: int, changed: bool) -> bool:
        """Whether the opponent plays another strategy; nobody looks for some hands after a change."""
        if not changed and number < self._number + self._patience:
            return False
        return _differ(self._strategies(agent), self._second)

    def _value(self, own: list[TabularStrategy]) -> float:
        """Chips that strategies, by seat, win from the opponent, as a mean over both seats."""
        lookup = own[0].lookup
        if lookup not in self._against:
            first, second = (
                Against(self._second[1 - mine], 1 - mine, lookup, self._boards) for mine in (0, 1)
            )
            self._against[lookup] = first, second
        pair = self._against[lookup]
        return sum(against.worth(mine) for against, mine in zip(pair, own, strict=True)) / 2

    def _strategies(self, agent: Agent) -> list[TabularStrategy]:
        """The strategies of an agent in both seats."""
        found = [known_strategy(agent, self._game, seat) for seat in (0, 1)]
        known = [strategy for strategy in found if strategy is not None]
        if len(known) < len(found):
            raise SoulreadError(f"{agent.name!r} does not say which strategy it plays, so it is not valued")
        return known


def _differ(strategies: list[TabularStrategy], last: list[TabularStrategy]) -> bool:
    return not last or any(a is not b for a, b in zip(strategies, last, strict=True))
