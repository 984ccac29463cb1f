"""An agent that always acts in time, however long it thinks or learns.

The agent thinks and learns in a process of its own. If it has not answered within its limit, something stands
in for it, and the game goes on:

    the last good answer    of an agent that answers reads from a table (soul, dbbr, dbr): what it played
                            before the update that is under way, or before the one that failed
    the equilibrium         of any other agent in a game of two that has tables; in limit hold'em over its
                            own card abstraction, or `CARDS`
    a plain player          in any other game of hold'em

A decision waits for the agent, and for an update that is under way, as long as its limit allows. An agent
whose process ends, or that raises an error, is replaced in the same way. `PunctualAgent.stand_ins` counts how
often, and ``remark`` is told why. Before the match the agent plays a few hands with itself, which it forgets
again, so that nothing is compiled or loaded when there is no time for it.

An agent that plays out hands is told to think by the clock (`AgentSpec.within`), for `SHARE` of the time that
it may use. Agents that only look into a table (`is_prompt`) are always in time, and need no process.
`seat_in_time` makes either kind.
"""

import math
import os
import shutil
import tempfile
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from soulread.cards.arrays import deal
from soulread.errors import SoulreadError
from soulread.foreign.apart import PATIENCE, end_with_scope
from soulread.foreign.names import chosen, told
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView
from soulread.hands import wire
from soulread.hands.hand import Hand
from soulread.play.agent import Agent, Belief, Believer, Finishing, MemorylessAgent, Remembering
from soulread.play.catalogue.entry import AgentSpec, source_for, where_tables_reach
from soulread.play.match.live import play_hand
from soulread.play.match.reasons import Reasons, reasons_of
from soulread.play.opponents import plain
from soulread.play.opponents.baselines import SIMPLE
from soulread.play.opponents.person import PERSON
from soulread.play.opponents.plain import PLAIN
from soulread.play.opponents.rule_player import RULE
from soulread.play.opponents.skewed import OPPONENTS
from soulread.play.search.formula import PlayStyle
from soulread.play.solved import SOLVED
from soulread.play.tabular import TabularAgent
from soulread.processes import Worker
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.source import Source, Tell, parse_buckets, with_cards
from soulread.seqform.strategy import Behaviour, Behaviours
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.equilibria import find_equilibrium
from soulread.streams import MatchStreams

CARDS = "5-5-5-5:quick"  # of an equilibrium that stands in for an agent without a card abstraction
SHARE = 0.8  # of a limit that the agent itself may use
WARM = 2  # hands before the match
FOREIGN = 60.0  # seconds that a foreign agent may take before it is given up; something stands in meanwhile

_LEARNING = {"observe": "learning from a hand", "recall": "learning from earlier matches"}
_CHANGING = "make", "reset", *_LEARNING  # what is asked of the process after which there may be a new table
_PROMPT = frozenset(entry.name for entry in (*SIMPLE, *SOLVED, *OPPONENTS, RULE, PLAIN, PERSON))


def is_prompt(spec: AgentSpec) -> bool:
    """Whether an agent does not learn and decides at once."""
    return spec.entry.name in _PROMPT and not spec.foreign


class PunctualAgent:
    """An agent in a process of its own, and what stands in for it; see the module.

    A decision takes at most ``decision`` seconds, and all decisions of a hand together ``hand`` seconds.
    """

    def __init__(
        self,
        spec: AgentSpec,
        game: PokerGame,
        decision: float,
        hand: float = math.inf,
        remark: Callable[[str], None] = lambda text: None,
        tell: Tell | None = None,
    ) -> None:
        if not decision > 0 or not hand > 0:
            raise SoulreadError(f"limits of {decision:g} s and {hand:g} s; expected more than 0")
        self.name = spec.text
        self.decision = decision
        self.hand = hand
        self.stand_ins: Counter[str] = Counter()  # how often something stood in, by why
        self._remark = remark
        self._usual = stand_in(spec, game, tell)
        self._answer: Agent = self._usual
        self._used = 0.0  # seconds in this hand
        self._failed = ""  # why the process is of no use any more
        self._late = ""  # why something stood in for the agent at its last decision
        self._under_way: deque[str] = deque()  # what the process has been asked
        self._folder = Path(tempfile.mkdtemp(prefix="soulread-"))
        self._worker = Worker(_serve)
        self._end = weakref.finalize(self, _close, self._worker, self._folder)
        end_with_scope(self._end)
        self._give("make", spec.within(SHARE * SHARE * decision), game, str(self._folder))
        try:
            while self._under_way:
                self._take()
            self._give("remembers")
            self.remembers = bool(self._take()) if self._under_way else False
            _warm_up(self._answer, game)
        except BaseException:
            self.close()
            raise

    def reset(self) -> None:
        """Forget everything seen so far; what stands in forgets too."""
        self._used = 0.0
        self._answer = self._usual
        self._give("reset")

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """The agent's choice, or that of what stands in for it."""
        began = time.monotonic()
        limit = min(self.decision, self.hand - self._used)
        self._late = ""
        action = self._ask(view, rng, began + SHARE * limit)
        if action is None:
            action = self._answer.act(view, rng)
        self._used += time.monotonic() - began
        return action

    def observe(self, hand: Hand) -> None:
        """Let the agent learn from a hand; nobody waits for it."""
        self._used = 0.0
        self._give("observe", wire.write_hand(hand))
        self._drain()

    def recall(self, hands: Sequence[Hand]) -> None:
        """Let the agent begin with hands of earlier matches; nobody waits for it."""
        self._give("recall", [wire.write_hand(hand) for hand in hands])
        self._drain()

    def settle(self) -> None:
        """Wait until the agent has learnt from all hands, however long that takes."""
        try:
            while self._under_way:
                self._taken()
        except (EOFError, OSError):
            self._failed = "its process has ended"

    def finish(self) -> None:
        """Wait until the agent has learnt from all hands, and for figures that it computes."""
        self.settle()
        self._told("finish", None)

    def belief(self, view: PokerView | None = None) -> Belief:
        """What the agent believes; nothing while it is busy, since nobody waits for that."""
        found: Belief = self._told("belief", Belief(), None if view is None else wire.write_view(view))
        return found

    def sentence(self) -> str:
        """The agent's sentence on its belief; empty while it is busy."""
        return str(self._told("sentence", ""))

    def reasons(self, view: PokerView) -> Reasons:
        """Why the agent chose as it did at ``view``; or what stood in for it, and why that chose so."""
        if self._late:
            stood_in = f"{self._answer.name}, since {self._late}"
            return replace(reasons_of(self._answer, view), stood_in=stood_in)
        found: Reasons = self._told("reasons", Reasons(), wire.write_view(view))
        return found

    def _told(self, method: str, otherwise: Any, *arguments: Any) -> Any:
        """The answer of an agent that is free to a question about itself."""
        try:
            self._drain()
            if not self._under_way:
                self._give(method, *arguments)
            if self._under_way and self._under_way[-1] == method:
                return self._take()
        except (EOFError, OSError):
            self._failed = "its process has ended"
        except Exception as error:
            self._remark(f"{self.name!r} failed at saying what it believes: {told(error)}")
        return otherwise

    def close(self) -> None:
        """End its process."""
        self._end()

    def _ask(self, view: PokerView, rng: np.random.Generator, deadline: float) -> int | None:
        """The agent's choice; None if something must stand in for it."""
        try:
            why = self._failed or self._busy(deadline)
            if not why:
                self._give("act", wire.write_view(view), wire.write_state(rng))
                if self._under_way and self._wait(deadline):
                    action, rng.bit_generator.state = self._take()
                    return int(action)
                why = self._failed or "it took too long"
        except (EOFError, OSError):
            why = self._failed = "its process has ended"
        except Exception as error:
            why = f"it failed: {told(error)}"
        self._late = why
        self.stand_ins[why] += 1
        self._remark(f"{self._answer.name} stood in for {self.name!r}: {why}")
        return None

    def _busy(self, deadline: float) -> str:
        """Wait until the agent is free; if that takes too long, what it still does, in words."""
        while self._under_way:
            if not self._wait(deadline):
                learning = self._under_way[0] in _LEARNING
                return f"it was still {'learning' if learning else 'thinking about an earlier decision'}"
            self._taken()
        return ""

    def _wait(self, deadline: float) -> bool:
        return bool(self._worker.pipe.poll(max(0.0, deadline - time.monotonic())))

    def _drain(self) -> None:
        """Take the answers that have come, without waiting."""
        while self._under_way and self._worker.is_ready():
            self._taken()

    def _taken(self) -> None:
        """Take an answer that nobody waits for; an error in it is told."""
        what = self._under_way[0]
        try:
            self._take()
        except (EOFError, OSError):
            raise
        except Exception as error:
            doing = _LEARNING.get(what, "a decision that came too late")
            self._remark(f"{self.name!r} failed at {doing}: {told(error)}; it plays on with its last answer")

    def _give(self, method: str, *arguments: Any) -> None:
        if self._failed or not self._end.alive:
            return
        try:
            self._worker.give(method, *arguments)
            self._under_way.append(method)
        except OSError:
            self._failed = "its process has ended"

    def _take(self) -> Any:
        """The next answer. That to `_CHANGING` is where a new table is, or None."""
        method = self._under_way.popleft()
        answer = self._worker.take()
        if method in _CHANGING and answer is not None and isinstance(self._usual, TabularAgent):
            table = _loaded(self._usual.strategy, answer)
            if "reset" not in self._under_way:  # else it is what the agent has been told to forget
                self._answer = TabularAgent("its last answer", table)
        return answer


def seat_in_time(
    spec: AgentSpec,
    game: PokerGame,
    decision: float,
    hand: float = math.inf,
    remark: Callable[[str], None] = lambda text: None,
    tell: Tell | None = None,
) -> Agent:
    """An agent that keeps to limits in seconds; one that may think for long does so elsewhere.

    Either has played some hands, so that its first decision is as quick as others.
    """
    if is_prompt(spec):
        agent = spec.make(game, tell)
        _warm_up(agent, game)
        return agent
    return PunctualAgent(spec, game, decision, hand, remark, tell)


class CheckOrFold(MemorylessAgent):
    """Checks, or else folds: stands in where nothing better is known."""

    name = "check or fold"

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Check, or else fold."""
        return FOLD if FOLD in view.legal else CALL


def stand_in(spec: AgentSpec, game: PokerGame, tell: Tell | None = None) -> Agent:
    """What plays in an agent's place before it has an answer: an equilibrium, if that is possible."""
    if where_tables_reach(game) is None:
        return TabularAgent("the equilibrium", find_equilibrium(source_beside(spec, game), tell))
    if plain.refuses(game) is None:
        return plain.Plain("a plain player", game, PlayStyle())
    return CheckOrFold()


def _warm_up(agent: Agent, game: PokerGame) -> None:
    """Let an agent play hands with itself and learn from them, then forget them."""
    streams = MatchStreams(0)
    cards, own = streams.cards(), streams.agent(0)
    for number in range(WARM):
        dealt = deal(cards, game.rules.deck, game.num_cards)
        hand = play_hand(game, [agent] * game.num_players, dealt, [own] * game.num_players)
        agent.observe(hand.seen_by(number))
    agent.reset()


def source_beside(spec: AgentSpec, game: PokerGame) -> Source:
    """The game whose equilibrium can be put beside an agent: over its own card abstraction, or `CARDS`."""
    if any(entry.name == "cards" for entry in fields(spec.options)):
        return source_for(spec, game)
    return with_cards(game, parse_buckets(CARDS)) if has_abstraction(game) else Source(game)


def _loaded(usual: TabularStrategy, place: str) -> TabularStrategy:
    """The table that the process has written; the files need not stay."""
    found = [Path(f"{place}-{seat}.npy") for seat in (0, 1)]
    # As arrays that may be written, privately: kernels are compiled anew for others.
    first, second = (Behaviour(np.asarray(np.load(path, mmap_mode="c"))) for path in found)
    for path in found:
        path.unlink()
    return replace(usual, behaviours=(first, second))


def _close(worker: Worker, folder: Path) -> None:
    worker.end()
    shutil.rmtree(folder, ignore_errors=True)


class _Host:
    """The agent in its process. Each public method answers a question."""

    def make(self, spec: AgentSpec, game: PokerGame, folder: str) -> str | None:
        """Make the agent; where its table is, if it has one."""
        self._game = game
        self._folder = Path(folder)
        self._written: Behaviours | None = None
        self._number = 0
        self._rng = np.random.default_rng(0)
        self._agent = spec.make(game)
        self._agent.reset()
        if not spec.foreign:  # others may not forget
            _warm_up(self._agent, game)
        return self._table()

    def reset(self) -> str | None:
        """Let the agent forget; where its table is, if it has one."""
        self._agent.reset()
        self._written = None
        return self._table()

    def finish(self) -> None:
        """Wait for figures that the agent computes in the background."""
        if isinstance(self._agent, Finishing):
            self._agent.finish()

    def belief(self, view: list[Any] | None) -> Belief:
        """What the agent believes."""
        if not isinstance(self._agent, Believer):
            return Belief()
        return self._agent.belief(None if view is None else wire.read_view(view, self._game))

    def reasons(self, view: list[Any]) -> Reasons:
        """Why the agent chose as it did at a view."""
        return reasons_of(self._agent, wire.read_view(view, self._game))

    def sentence(self) -> str:
        """The agent's sentence on its belief."""
        return self._agent.sentence() if isinstance(self._agent, Believer) else ""

    def act(self, view: list[Any], state: Any) -> tuple[int, Any]:
        """The choice of the agent, and the state of the random stream after it."""
        seen = wire.read_view(view, self._game)
        self._rng.bit_generator.state = state
        return chosen(self._agent.act(seen, self._rng), seen.legal), wire.write_state(self._rng)

    def observe(self, hand: dict[str, Any]) -> str | None:
        """Let the agent learn; where its table is, if it is a new one."""
        self._agent.observe(wire.read_hand(hand))
        return self._table()

    def remembers(self) -> bool:
        """Whether the agent can begin with hands of earlier matches."""
        return isinstance(self._agent, Remembering)

    def recall(self, hands: list[dict[str, Any]]) -> str | None:
        """Let the agent learn from hands of earlier matches; where its table is, if it is a new one."""
        if isinstance(self._agent, Remembering):
            self._agent.recall(list(map(wire.read_hand, hands)))
        return self._table()

    def _table(self) -> str | None:
        """Write the table of an agent that plays one, unless it is the last one that was written."""
        playing = getattr(self._agent, "playing", None)
        if not isinstance(playing, TabularStrategy) or playing.behaviours is self._written:
            return None
        self._number += 1
        place = self._folder / str(self._number)
        for seat, behaviour in enumerate(playing.behaviours):
            np.save(f"{place}-{seat}.npy", behaviour)
        self._written = playing.behaviours
        return str(place)


_host = _Host()


def _serve(method: str, *arguments: Any) -> Any:
    os.environ.setdefault(PATIENCE, str(FOREIGN))
    return getattr(_host, method)(*arguments)
