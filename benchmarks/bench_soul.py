"""What soul costs: an update, a decision while an update is under way, and a whole match.

    python benchmarks/bench_soul.py [GAME] [HANDS] [OPPONENT] [CARDS]

GAME is limit unless another is named; HANDS (3,000) are those of the duplicate match, OPPONENT is rule player
5, CARDS the abstraction (5-5-5-5:quick). With 0 hands there is neither the match nor the peer. Prints

* CPU seconds of an update: asking the model, and the certified answer to it. The peer is one update of dbr
  from the same run, which answers its model by the same kind of solve, from the start;
* milliseconds of a decision in a match with ``background=1`` whose opponent takes 10 ms to act, while an
  update is under way;
* seconds of the duplicate match in which the game waits for every update.

The checksum is the promise of the last answer, in mb/g. What was prepared and kept before (equilibrium, the
iterations that answers start from) does not count.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from soulread.estimate import Unit
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.dbr import DataBiasedAgent
from soulread.play.exploiters.soul import Soul
from soulread.play.match.matches import Match
from soulread.play.opponents.zoo import CARDS
from soulread.seqform.abstract import has_abstraction


def clocked(owner: Any, name: str, spent: list[float]) -> None:
    """Note the CPU seconds of every call of a method."""
    method: Callable[..., Any] = getattr(owner, name)

    def call(*arguments: Any) -> Any:
        began = time.process_time()
        found = method(*arguments)
        spent.append(time.process_time() - began)
        return found

    setattr(owner, name, call)


def options(name: str, game: PokerGame, cards: str, more: str) -> str:
    """The text of an agent over these buckets, if the game has any."""
    parts = [cards] if has_abstraction(game) else []
    return f"{name}:{','.join([*parts, more])}"


class Unhurried:
    """An opponent who takes 10 ms to act, so that hands last as long as updates do."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.name = agent.name

    def reset(self) -> None:
        self.agent.reset()

    def observe(self, hand: Hand) -> None:
        self.agent.observe(hand)

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        time.sleep(0.01)
        return self.agent.act(view, rng)


class Timed(Unhurried):
    """Notes how long each decision takes while an update is under way, in milliseconds."""

    def __init__(self, agent: Soul) -> None:
        super().__init__(agent)
        self.soul = agent
        self.busy: list[float] = []

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        pending = self.soul._pending
        began = time.perf_counter()
        action = self.agent.act(view, rng)
        if pending is not None and not pending.done():
            self.busy.append((time.perf_counter() - began) * 1000)
        return action


def main() -> int:
    arguments = sys.argv[1:]
    game = parse_game(arguments[0] if arguments else "limit")
    hands = int(arguments[1]) if len(arguments) > 1 else 3000
    text = arguments[2] if len(arguments) > 2 else "rule:number=5"
    cards = arguments[3] if len(arguments) > 3 else CARDS
    opponent = parse_agent(text).make(game)

    soul = parse_agent(options("soul", game, cards, "k=50")).make(game)
    assert isinstance(soul, Soul)
    asked: list[float] = []
    answered: list[float] = []
    clocked(soul.model, "_ask", asked)
    clocked(soul.responder, "respond", answered)
    Match(game, (soul, opponent), 100).play(seed=0)  # compiles
    asked.clear()
    answered.clear()
    Match(game, (soul, opponent), 401).play(seed=1)
    ours = float(np.mean(asked) + np.mean(answered))
    print(
        f"{game.name}, update: {ours:.2f} CPU s ({np.mean(asked):.2f} the model, {np.mean(answered):.2f} the "
        f"answer; the longest {max(asked) + max(answered):.2f}; n = {len(answered)})",
        flush=True,
    )
    if hands:
        peer = parse_agent(options("dbr", game, cards, "T=399,k=1000")).make(game)
        assert isinstance(peer, DataBiasedAgent)
        spent: list[float] = []
        clocked(peer, "_study", spent)
        Match(game, (peer, opponent), 400).play(seed=1)
        print(f"an update of dbr: {max(spent):.2f} CPU s; ratio {max(spent) / ours:.1f}", flush=True)

    meanwhile = parse_agent(options("soul", game, cards, "background=1")).make(game)
    assert isinstance(meanwhile, Soul)
    timed = Timed(meanwhile)
    Match(game, (timed, Unhurried(opponent)), 300).play(seed=1)
    meanwhile.reset()
    busy = np.array(timed.busy)
    if busy.size:
        print(
            f"decisions during an update: median {np.median(busy):.2f} ms, 99% under "
            f"{np.percentile(busy, 99):.2f}, the longest {busy.max():.1f} (n = {busy.size})"
        )
    else:
        print("decisions during an update: none, updates were too quick")

    if not hands:
        return 0
    began, cpu = time.perf_counter(), time.process_time()
    Match(game, (soul, opponent), hands, duplicate=True).play(seed=2)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    stakes = Unit.MILLIBETS.per_chip(game.rules.small_bet, game.rules.big_blind)
    print(
        f"duplicate match of {hands:,} hands: {wall:.0f} s, {cpu:.0f} s of CPU; "
        f"checksum {soul.promise * stakes:.3f}"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
