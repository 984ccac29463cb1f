"""Foreign agents at our tables: a mistake of theirs ends the duel with a clear error; the duel never hangs.

If an agent raises an error, takes longer than the time limit, chooses an illegal action or loses its process,
the duel ends with a `SoulreadError` that names the agent, the point of the hand and what was wrong.

An `ApartAgent` plays in a process of its own. A `GuardedAgent` plays in a thread of this process: an agent
that was handed over as an object, or whose class no other process can import. A thread that does not answer
in time is abandoned.
"""

import threading
from collections.abc import Callable
from queue import Empty as Late
from queue import SimpleQueue
from typing import Any

import numpy as np

from soulread.errors import IllegalAction, SoulreadError
from soulread.foreign.apart import CALL_SECONDS, START_SECONDS, Apart, packed_game, patience
from soulread.foreign.child import ForeignClass
from soulread.foreign.names import chosen, told
from soulread.games.poker import PokerGame, PokerView
from soulread.hands import wire
from soulread.hands.hand import Hand
from soulread.play.agent import HandByHand
from soulread.words import printable

Work = Callable[[], Any]


class ApartAgent(HandByHand):
    """An agent of a foreign class, in a process of its own that knows only what its seat may know."""

    def __init__(self, name: str, named: ForeignClass, game: PokerGame) -> None:
        self.name = name
        self.named = named
        self.game = game
        self._stream: np.random.Generator | None = None  # the one that the process has
        self._apart = Apart(f"agent {name!r}", named, name)
        self._apart.make(game)

    def anew(self, game: PokerGame) -> "ApartAgent":
        """The same agent in another process, with nothing to remember."""
        return ApartAgent(self.name, self.named, game)

    def settle(self) -> None:
        """Wait until it is made, or has taken note of the last hand; raise what went wrong."""
        self._apart.settle()

    def reset(self) -> None:
        """Let it forget everything."""
        self._apart.ask("on reset", CALL_SECONDS, "reset")

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Its choice, verified to be one of ``view.legal``; ``rng`` moves on as if it were used here."""
        where = _where(view)
        new = rng is not self._stream
        drawn = (wire.write_stream(rng), None) if new else (None, wire.write_state(rng))
        other = None if view.game == self.game else packed_game(view.game)
        try:
            answer = self._apart.ask(where, CALL_SECONDS, "act", (other, wire.write_view(view)), *drawn)
        except IllegalAction as error:
            raise _illegal(self.name, str(error), view) from None
        try:
            action, state = answer
            rng.bit_generator.state = state
        except (TypeError, ValueError, KeyError, OverflowError, AttributeError):
            raise self._apart.misbehaved(f"sent an answer that is none {where}") from None
        self._stream = rng
        if type(action) is not int or action not in view.legal:
            raise _illegal(self.name, printable(repr(action)[:100]), view)
        return action

    def observe(self, hand: Hand) -> None:
        """Let it take note of a hand, while others play on; an error is raised at its next turn."""
        where = f"when it was told of hand {hand.betting!r}"
        self._apart.tell(where, CALL_SECONDS, "observe", wire.write_hand(hand))

    def close(self) -> None:
        """End its process."""
        self._apart.close()

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes the agent anew."""
        return ApartAgent, (self.name, self.named, self.game)


class GuardedAgent(HandByHand):
    """An agent written elsewhere, watched while it plays in a thread of this process."""

    def __init__(self, name: str, agent: Any, seconds: float = CALL_SECONDS) -> None:
        self.name = name
        self.agent = agent
        self.seconds = seconds
        self._worker: _Worker | None = None

    @classmethod
    def make(cls, name: str, game: PokerGame, make: Work) -> "GuardedAgent":
        """The agent that ``make`` returns, guarded while it is made too."""
        made = cls(name, None, START_SECONDS)
        made.agent = made._call(f"when it was made for {game.name!r}", make)
        made.seconds = CALL_SECONDS
        return made

    def reset(self) -> None:
        """Let it forget everything."""
        self._call("on reset", self.agent.reset)

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Its choice, verified to be one of ``view.legal``."""
        action: int | IllegalAction = self._call(_where(view), lambda: self._choose(view, rng))
        if isinstance(action, IllegalAction):
            raise _illegal(self.name, printable(str(action)), view)
        return action

    def observe(self, hand: Hand) -> None:
        """Let it take note of a hand."""
        self._call(f"when it was told of hand {hand.betting!r}", lambda: self.agent.observe(hand))

    def _choose(self, view: PokerView, rng: np.random.Generator) -> int | IllegalAction:
        action = self.agent.act(view, rng)
        try:
            return chosen(action, view.legal)
        except IllegalAction as error:
            return error

    def _call(self, where: str, work: Work) -> Any:
        seconds = patience(self.seconds)
        if self._worker is None:
            self._worker = _Worker()
        try:
            value, error = self._worker.run(work, seconds)
        except Late:
            self._worker = None  # abandoned; a daemon thread does not keep the program alive
            raise SoulreadError(f"agent {self.name!r} took more than {seconds:g} s {where}") from None
        if error is not None:
            raise SoulreadError(printable(f"agent {self.name!r} failed {where}: {error}"))
        return value

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_worker": None}  # a thread cannot be sent to another process


def _where(view: PokerView) -> str:
    return f"after {view.betting!r} in {view.game.name!r}"


def _illegal(name: str, action: str, view: PokerView) -> IllegalAction:
    return IllegalAction(
        f"agent {name!r} chose {action} {_where(view)}, which is not legal; legal are {view.legal!r}"
    )


class _Worker:
    """A daemon thread that does one thing after another."""

    def __init__(self) -> None:
        self._todo: SimpleQueue[Work] = SimpleQueue()
        self._done: SimpleQueue[tuple[Any, str | None]] = SimpleQueue()
        threading.Thread(target=self._loop, daemon=True).start()

    def run(self, work: Work, seconds: float) -> tuple[Any, str | None]:
        """The result of the work, or what it raised, in words; `Late` if it does neither in time."""
        self._todo.put(work)
        return self._done.get(timeout=seconds)

    def _loop(self) -> None:
        while True:
            work = self._todo.get()
            try:
                self._done.put((work(), None))
            except BaseException as error:
                self._done.put((None, told(error)))
