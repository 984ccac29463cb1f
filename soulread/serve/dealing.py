"""A match over sockets: seats, clocks and the loop around the dealer's state machine.

Lines for a player whose turn it is not wait until it is, or until the player whose turn it is has thought
for `PROMPTLY` seconds: one packet in place of several, and nobody wakes up for nothing. Finished hands wait
for the log in the same way, up to a quarter of a second: the journal has them.

How odd players end (`soulread.serve.welcome` has those of the beginning):

    no reply within a limit of the clock        the match ends with a sentence that names the limit
    hangs up, or takes no lines                 the match ends when a line cannot be sent, or a reply is due
    a line of more than MAX_LINE characters     the same
    a reply to another state, garbage           ignored, with a remark; the clock runs on
    a comment (# or ;)                          ignored; the clock runs on, also in a flood of them
    an action that is none, or is not legal     counts as a call, with a remark; so does text behind an action
    a raise that is too small or too large      the nearest legal one, with a remark

A match that ends so has no SCORE. Its log has all hands that were finished, and it can be resumed.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol

from soulread.errors import SoulreadError
from soulread.notices import tell
from soulread.play.table.clock import Clock, Times
from soulread.play.table.dealing import Dealer, EndedHand
from soulread.play.table.seated import SeatedAgent
from soulread.serve.lines import PeerGone, PeerLate

PROMPTLY = 0.02  # seconds after which players hear of what others do, at the latest
MOST_REMARKS = 20  # about each player, told to the user
_LOGGING = 0.25  # seconds after which hands that have ended are written into the log with the next one
_MOST_ENDED = 256  # hands that wait for the log
_LAST_LINES = 10.0  # seconds in which a player must take the lines of the end


class TableSeat(Protocol):
    """Whoever plays: somebody at the other end of a socket, or one of our agents."""

    def put(self, line: str) -> None:
        """Tell a line, at the latest with the next `flush`."""

    def flush(self, seconds: float) -> None:
        """Let the player have all lines that were told."""

    def take(self, seconds: float) -> str:
        """The next line of the player."""

    def close(self) -> None:
        """The match is over."""


class AgentSeat:
    """One of our agents, without a socket. It may think while lines are handed on, so its turn comes last."""

    def __init__(self, player: SeatedAgent) -> None:
        self.player = player
        self._told: list[str] = []
        self._replies: list[str] = []

    def put(self, line: str) -> None:
        """Keep a line for `flush`."""
        self._told.append(line)

    def flush(self, seconds: float) -> None:
        """Hand on the lines; the agent thinks here if it is its turn."""
        told, self._told = self._told, []
        for line in told:
            reply = self.player.receive(line)
            if reply is not None:
                self._replies.append(reply)

    def take(self, seconds: float) -> str:
        """The reply that the agent gave in `flush`."""
        if not self._replies:
            raise PeerGone("has no reply to the last state")
        return self._replies.pop(0)

    def close(self) -> None:
        """Let the agent take note of the last hand, and end its process if it has one."""
        close = getattr(self.player.agent, "close", None)
        if close is not None:
            close()


class Keeper(Protocol):
    """Keeps a match, so that it can be resumed: see `soulread.serve.journal`."""

    def act(self, number: int, player: int, action: str, seconds: float) -> None:
        """An action was taken; nobody has been told of it yet."""

    def finish(self, *lines: str) -> None:
        """Hands are over; their lines of the log."""

    def score(self, line: str) -> None:
        """The match is over; the last line of the log."""


class MatchTable:
    """The loop of a match: tells everybody, waits for whoever is to act, keeps what was done."""

    def __init__(
        self,
        dealer: Dealer,
        seats: Sequence[TableSeat],
        clock: Clock,
        keeper: Keeper | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.dealer = dealer
        self.seats = seats
        self.clock = clock
        self.times = [Times() for _ in seats]
        self.remarks: Counter[int] = Counter()  # by player
        self._keeper = keeper
        self._unlogged: list[EndedHand] = []  # hands that the log does not have yet
        self._written = -math.inf  # when the log was written
        self._progress = progress

    def play(self) -> str:
        """Play all hands that are left; the line of the score. `SoulreadError` if a player ends the match."""
        dealer, keeper = self.dealer, self._keeper
        try:
            while not dealer.over:
                for seat, line in zip(self.seats, dealer.lines(), strict=True):
                    seat.put(line)
                if not dealer.hand_over:
                    self._act(dealer.player)
                    continue
                if keeper is not None:
                    self._unlogged.append(dealer.ended)
                    if len(self._unlogged) == _MOST_ENDED or time.monotonic() > self._written + _LOGGING:
                        self._log()
                dealer.next_hand()
                self.clock.next_hand()
                if self._progress is not None:
                    self._progress(1)
            score = dealer.score_line()
            if keeper is not None:
                self._log()
                keeper.score(score)
            for seat in self.seats:
                try:
                    seat.flush(_LAST_LINES)
                except (PeerGone, PeerLate):  # the match is over all the same
                    continue
            return score
        finally:
            try:
                self._log()
            finally:
                for seat in self.seats:
                    seat.close()

    def _log(self) -> None:
        """Write the hands that have ended into the log."""
        if self._keeper is not None and self._unlogged:
            ended, self._unlogged = self._unlogged, []
            self._keeper.finish(*[hand.log_line() for hand in ended])
        self._written = time.monotonic()

    def _act(self, player: int) -> None:
        """Let a player act, within the limits of the clock."""
        dealer, clock = self.dealer, self.clock
        left = clock.left(player)
        began = time.monotonic()
        try:
            heard = self._reply(player, began, left)
        except PeerLate:
            raise self._ended(player, f"took more than {clock.excess(player)}") from None
        except PeerGone as error:
            raise self._ended(player, str(error)) from None
        seconds = time.monotonic() - began
        if seconds > left:
            raise self._ended(player, f"took more than {clock.excess(player)}")
        clock.spend(player, seconds)
        self.times[player].add(seconds)
        if self._keeper is not None:
            self._keeper.act(dealer.number, player, heard, seconds)

    def _reply(self, player: int, began: float, left: float) -> str:
        """The action of a player; lines that are no replies are left alone."""
        dealer, seat = self.dealer, self.seats[player]
        number = dealer.number
        seat.flush(left)
        told_others = left <= PROMPTLY
        patience = min(left, PROMPTLY)
        while True:
            try:
                line = seat.take(patience)
            except PeerLate:
                if told_others:
                    raise
                self._log()
                self._tell_others(player, left)
                told_others = True
                patience = began + left - time.monotonic()
                continue
            heard = dealer.receive(line)
            if heard.remark:
                self._note(player, f"hand {number}: {heard.remark}")
            if heard.action is not None:
                return heard.action
            patience = began + (left if told_others else PROMPTLY) - time.monotonic()
            if told_others and patience <= 0:  # lines may come faster than they are read
                raise PeerLate("sends no reply")

    def _tell_others(self, player: int, left: float) -> None:
        for other, seat in enumerate(self.seats):
            if other != player:
                try:
                    seat.flush(left)
                except (PeerLate, PeerGone) as error:
                    raise self._ended(other, str(error)) from None

    def _note(self, player: int, remark: str) -> None:
        self.remarks[player] += 1
        name = self.dealer.terms.names[player]
        if self.remarks[player] <= MOST_REMARKS:
            tell(f"{name!r}: {remark}")
        elif self.remarks[player] == MOST_REMARKS + 1:
            tell(f"{name!r}: there are more than {MOST_REMARKS} remarks; no more are shown")

    def _ended(self, player: int, why: str) -> SoulreadError:
        dealer = self.dealer
        name = dealer.terms.names[player]
        where = f"in hand {dealer.number} after {dealer.hand.state.betting!r}"
        return SoulreadError(f"the match ended {where}: {name!r} {why}")
