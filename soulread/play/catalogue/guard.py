"""Foreign agents at our tables: a mistake of theirs ends the duel with a clear error; the duel never hangs.

The agent runs in a thread of its own. If it raises an error, takes longer than the time limit or chooses an
illegal action, the duel ends with a `SoulreadError` that names the agent, the point of the hand and what was
wrong. A thread that does not answer in time is abandoned.
"""

import threading
from collections.abc import Callable
from queue import Empty as Late
from queue import SimpleQueue
from typing import Any

import numpy as np

from soulread.errors import IllegalAction, SoulreadError
from soulread.games.poker import PokerView
from soulread.hands.hand import Hand

TIME_LIMIT = 10.0  # seconds for one decision, and for taking note of one hand

Work = Callable[[], Any]


class GuardedAgent:
    """An agent written elsewhere, watched while it plays."""

    def __init__(self, name: str, agent: Any, seconds: float = TIME_LIMIT) -> None:
        self.name = name
        self.agent = agent
        self.seconds = seconds
        self._worker: _Worker | None = None

    def reset(self) -> None:
        """Let it forget everything."""
        self._call("on reset", self.agent.reset)

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Its choice, verified to be one of ``view.legal``."""
        where = f"after {view.betting!r} in {view.game.name!r}"
        action = self._call(where, lambda: self.agent.act(view, rng))
        try:
            legal = action == int(action) and int(action) in view.legal
        except (TypeError, ValueError):
            legal = False
        if not legal:
            raise IllegalAction(
                f"agent {self.name!r} chose {action!r} {where}, which is not legal; legal are {view.legal!r}"
            )
        return int(action)

    def observe(self, hand: Hand) -> None:
        """Let it take note of a hand."""
        self._call(f"when it was told of hand {hand.betting!r}", lambda: self.agent.observe(hand))

    def _call(self, where: str, work: Work) -> Any:
        if self._worker is None:
            self._worker = _Worker()
        try:
            value, error = self._worker.run(work, self.seconds)
        except Late:
            self._worker = None  # abandoned; a daemon thread does not keep the program alive
            raise SoulreadError(f"agent {self.name!r} took more than {self.seconds:g} s {where}") from None
        if error is not None:
            raise SoulreadError(
                f"agent {self.name!r} failed {where}: {type(error).__name__}: {error}"
            ) from None
        return value

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_worker": None}  # a thread cannot be sent to another process


class _Worker:
    """A daemon thread that does one thing after another."""

    def __init__(self) -> None:
        self._todo: SimpleQueue[Work] = SimpleQueue()
        self._done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        threading.Thread(target=self._loop, daemon=True).start()

    def run(self, work: Work, seconds: float) -> tuple[Any, BaseException | None]:
        """The result of the work, or what it raised; `Late` if it does neither in time."""
        self._todo.put(work)
        return self._done.get(timeout=seconds)

    def _loop(self) -> None:
        while True:
            work = self._todo.get()
            try:
                self._done.put((work(), None))
            except BaseException as error:
                self._done.put((None, error))
