"""Judges: estimates of the first agent's winnings in a hand of a match, with luck taken off.

* `ByAivat` corrects the chips of the hand (`soulread.play.match.aivat`). It needs the first agent's strategy
  only.
* `ByWorth` does not look at the hand at all. Both agents say which strategies they played, and the winnings
  of one from the other are computed (`soulread.solvers.real_cards.worth`). Cards and draws no longer matter;
  they only decide what an agent that learns has seen so far. In hold'em a few random boards are left as
  noise.

`ByWorth` values a hand by the mean over both seats, on boards that are the same for `EVERY` hands, and the
same for every agent that plays match ``number`` of a seed. So what two agents win from one opponent is
compared on equal boards. An opponent who changes with every hand is valued anew after `PATIENCE` hands.
"""

from typing import Protocol

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.play.agent import Agent
from soulread.play.match.aivat import Aivat
from soulread.play.match.live import LiveHand
from soulread.play.opponents.rated import known_strategy
from soulread.play.tabular import strategy_played
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.real_cards.worth import DEFAULT_BOARDS, Seated, draw_boards, worth
from soulread.streams import MatchStreams

EVERY = 100  # hands that are valued on the same boards
PATIENCE = 25  # hands before a change of the second agent alone is looked at


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
    """Judges by what the strategies of both agents win from each other; ``boards`` at a time in hold'em."""

    def __init__(self, game: PokerGame, boards: int = DEFAULT_BOARDS) -> None:
        if game.num_players != 2:
            raise SoulreadError(f"{game.name!r} has {game.num_players} seats; strategies of two are valued")
        self._game = game
        self._count = boards

    def begin(self, streams: MatchStreams) -> None:
        """Begin with boards of another match."""
        self._streams = streams
        self._block = -1
        self._last: tuple[TabularStrategy, ...] = ()
        self._number = 0

    def chips(self, agents: tuple[Agent, ...], hand: LiveHand, seat: int) -> float:
        """The mean winnings of the first agent in such a hand, over both seats."""
        first, second = ([self._strategy(agent, own) for own in (0, 1)] for agent in agents)
        number = int(hand.id)
        block = number // EVERY
        if block != self._block:
            self._boards = draw_boards(self._game, self._count, self._streams.boards(block))
        now = (*first, *second)
        changed = [a is not b for a, b in zip(now, self._last, strict=False)]
        if block != self._block or any(changed[:2]) or (any(changed) and number >= self._number + PATIENCE):
            ahead: Seated = first[0], second[1]
            behind: Seated = second[0], first[1]
            self._chips = (worth(ahead, self._boards) - worth(behind, self._boards)) / 2
            self._block, self._last, self._number = block, now, number
        return self._chips

    def _strategy(self, agent: Agent, seat: int) -> TabularStrategy:
        strategy = known_strategy(agent, self._game, seat)
        if strategy is None:
            raise SoulreadError(f"{agent.name!r} does not say which strategy it plays, so it is not valued")
        return strategy
