"""Matches between agents: seats, cards and random streams, and the results.

A `Match` has separate random streams, one for the cards and one for each agent. So a draw by one agent
changes neither the cards nor the draws of the others. Seats rotate from hand to hand. A duplicate match is
played once for each rotation of the seats with the *same* cards, and no agent may remember the pass before:
it would know what the others hold. A sample is then the mean over the passes.

The streams are those of `MatchStreams`, named by seed and match. So a result depends on the seed, but not on
the number of processes. An agent learns nothing about the cards from its own stream.

Agents are waited for, however long they think and learn, unless a match has a *clock*: then every decision is
made within so many seconds, and something stands in for an agent that is late
(`soulread.play.table.punctual`). Such a result, and that of an agent which thinks by the clock on its own,
depends on the machine, and says so (`MatchResult.by_clock`).
"""

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Sampling, Unit, Watch
from soulread.foreign.apart import ProcessScope
from soulread.games.poker import PokerGame, PokerView
from soulread.hands.hand import Hand, Stakes
from soulread.hands.record import stakes_of
from soulread.machine import verify_room
from soulread.play.agent import Agent, Belief, Believer, Finishing, learns
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.catalogue.guard import ApartAgent
from soulread.play.match.aivat import aivat_for
from soulread.play.match.judges import ByAivat, Judge
from soulread.play.match.live import LiveHand, Onlooker, play_hand
from soulread.play.match.promise import Diary, Notes, expectation_of, stack_notes, verify_explains
from soulread.play.match.simulate import simulate
from soulread.play.memory import Memory, Recollection, SeatMemory, seats_of
from soulread.play.table.clock import AgentTimes, ClockLimits
from soulread.play.table.punctual import PunctualAgent, seat_in_time
from soulread.play.tabular import tabular_form
from soulread.processes import Jobs, Processes, Runner, runner_of
from soulread.report.figures import Curve, Figure, Panel
from soulread.report.shown import ShownTable
from soulread.seqform.source import Tell
from soulread.streams import MatchStreams, verify_seed
from soulread.words import plural

Profits = NDArray[np.float64]
Progress = Callable[[int], None]
Record = Callable[[LiveHand], None]  # told of each finished hand

_COPIES = 3  # of the profits of every hand, at the same time at most
BLOCK = 100  # hands that make a sample where no agent learns: single hands are too skewed to watch
_PER_MATCH = 4000  # bytes for everything else of a match


@dataclass
class Match:
    """``hands`` hands between agents that may learn as they go.

    Every agent is reset before each pass. In a duplicate match an agent that ignores `Agent.reset` would see
    the same cards a second time from another seat. So an agent from outside soulread is made anew for each
    pass, in a process of its own, if ``specs`` says how (`make_match` fills them in). Without specs the
    agents must truly forget. ``memories`` has what each agent remembers of earlier matches, with which it
    begins every pass; None for one that remembers nothing.

    ``clock`` is the limit of a decision, in seconds, to which `make_match` holds the agents. With ``timed``
    it is noted how long they take. ``onlookers`` are told of every hand as it is played.
    """

    game: PokerGame
    agents: tuple[Agent, ...]  # those of the latest pass
    hands: int
    duplicate: bool = False
    specs: tuple[AgentSpec, ...] = ()  # what the agents were made from; empty if that is not known
    memories: tuple[SeatMemory | None, ...] = ()
    clock: float | None = None
    timed: bool = False
    onlookers: tuple[Onlooker, ...] = ()
    times: tuple[AgentTimes, ...] = field(default=(), init=False, repr=False)  # of the latest match
    stand_ins: tuple[Counter[str], ...] = field(default=(), init=False, repr=False)  # the same, by why
    _used: bool = field(default=False, init=False, repr=False)  # whether these agents have played
    _next: tuple[Agent, ...] = field(default=(), init=False, repr=False)  # of the pass to come, if made yet

    def __post_init__(self) -> None:
        if self.specs and len(self.specs) != len(self.agents):
            raise SoulreadError(f"{len(self.specs)} specs for {len(self.agents)} agents; each agent has one")
        if len(self.agents) != self.game.num_players:
            raise SoulreadError(
                f"{self.game.name!r} seats {self.game.num_players} players, but "
                f"{plural(len(self.agents), 'agent')} came: {', '.join(agent.name for agent in self.agents)}"
            )
        if self.hands < 1:
            raise SoulreadError(f"a match has at least one hand, not {self.hands}")

    @property
    def passes(self) -> int:
        """How often the match is played: once, or once per rotation of the seats."""
        return self.game.num_players if self.duplicate else 1

    def play(
        self, seed: int, number: int = 0, progress: Progress | None = None, record: Record | None = None
    ) -> Profits:
        """Chips won ``[hands, agents]``; in a duplicate match the mean over the passes.

        ``number`` tells apart the matches of one seed. ``progress`` is called with the number of hands that
        were just played, ``record`` with each finished hand, before the agents are told of it.
        """
        profits = np.zeros((self.hands, len(self.agents)))
        self.times = tuple(AgentTimes() for _ in self.agents) if self.timed else ()
        self.stand_ins = tuple(Counter() for _ in self.agents)
        for rotation in range(self.passes):
            self._forget()
            if self.specs and rotation + 1 < self.passes:
                self._next = self._made_anew()  # their processes start while this pass is played
            profits += self._play_pass(MatchStreams(seed, number), rotation, progress, record)
        return profits / self.passes

    def _forget(self) -> None:
        """Let every agent begin anew: soulread's own forget, those from elsewhere are made again."""
        if self._used and self.specs:
            self.agents, self._next = self._next or self._made_anew(), ()
        self._used = True
        for agent in self.agents:
            agent.reset()
        for agent, memory in zip_longest(self.agents, self.memories):
            if memory is not None:
                memory.begin(agent)
            if isinstance(agent, PunctualAgent):
                agent.settle()  # before the match nobody's clock runs
                agent.stand_ins.clear()

    def _made_anew(self) -> tuple[Agent, ...]:
        """The agents, those from elsewhere made again."""
        return tuple(
            _seated(spec, self.game, self.clock) if spec.foreign else agent
            for spec, agent in zip(self.specs, self.agents, strict=True)
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the agents in views, hands and logs, no two alike."""
        return distinct_names([agent.name for agent in self.agents])

    def finish(self) -> None:
        """Wait for figures that agents compute in the background."""
        for agent in self.agents:
            if isinstance(agent, Finishing):
                agent.finish()

    def remarks(self) -> tuple[str, ...]:
        """One sentence of each agent on its present belief or risk; empty for agents without any."""
        return tuple(agent.sentence() if isinstance(agent, Believer) else "" for agent in self.agents)

    def beliefs(self) -> tuple[Belief | None, ...]:
        """The present belief of each agent, as data; None for agents without one."""
        return tuple(agent.belief() if isinstance(agent, Believer) else None for agent in self.agents)

    def _play_pass(
        self, streams: MatchStreams, rotation: int, progress: Progress | None, record: Record | None
    ) -> Profits:
        count = len(self.agents)
        rules = self.game.rules
        card_stream = streams.cards()
        own_streams = [streams.agent(agent, rotation) for agent in range(count)]
        profits = np.empty((self.hands, count))
        labels = self.labels
        memories = {i: memory for i, memory in enumerate(self.memories) if memory is not None}
        watching = {i for i, agent in enumerate(self.agents) if learns(agent)}
        stopwatch = _Stopwatch(dict(zip(labels, self.times, strict=True))) if self.timed else None
        onlookers = self.onlookers if stopwatch is None else (stopwatch, *self.onlookers)
        for hand in range(self.hands):
            cards = deal(card_stream, rules.deck, self.game.num_cards)
            at_seat = [(seat - hand - rotation) % count for seat in range(count)]
            seated = [self.agents[agent] for agent in at_seat]
            drawn = [own_streams[agent] for agent in at_seat]
            names = [labels[agent] for agent in at_seat]
            id = str(rotation * self.hands + hand)
            played = play_hand(self.game, seated, cards, drawn, names, id=id, onlookers=onlookers)
            if record is not None:
                record(played)
            for seat, won in enumerate(played.payoffs):
                profits[hand, at_seat[seat]] = won
                memory = memories.get(at_seat[seat])
                if memory is None and at_seat[seat] not in watching:
                    continue
                seen = played.seen_by(seat)
                began = time.perf_counter()
                if memory is not None:
                    memory.observe(seated[seat], seen)
                else:
                    seated[seat].observe(seen)
                if stopwatch is not None:
                    stopwatch.learnt(names[seat], time.perf_counter() - began)
            if progress is not None:
                progress(1)
        _settle(self.agents)
        for agent, stand_ins in zip(self.agents, self.stand_ins, strict=True):
            if isinstance(agent, PunctualAgent):
                stand_ins.update(agent.stand_ins)
        return profits


class _Stopwatch:
    """Notes how long the players of a match take, by name."""

    def __init__(self, times: Mapping[str, AgentTimes]) -> None:
        self._times = times

    def begin(self, hand: LiveHand, agents: Sequence[Agent]) -> None:
        """Nobody has thought yet."""

    def act(
        self, hand: LiveHand, agents: Sequence[Agent], view: PokerView, action: int, seconds: float
    ) -> None:
        """Note the time of a decision."""
        self._times[hand.players[view.seat]].decisions.add(seconds)

    def end(self, hand: LiveHand, agents: Sequence[Agent]) -> None:
        """Nobody thinks."""

    def learnt(self, player: str, seconds: float) -> None:
        """Note how long a player was told of a hand."""
        self._times[player].learning.add(seconds)


def _settle(agents: Iterable[Agent]) -> None:
    """Wait for agents in processes of their own: they may still be in the making, or taking notes."""
    for agent in agents:
        if isinstance(agent, ApartAgent | PunctualAgent):
            agent.settle()


def _seated(spec: AgentSpec, game: PokerGame, clock: float | None, tell: Tell | None = None) -> Agent:
    """An agent that is waited for, or held to a clock."""
    return spec.make(game, tell) if clock is None else seat_in_time(spec, game, clock, tell=tell)


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names, made different: the second "random" becomes "random#2", the third "random#3"."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return tuple(result)


@dataclass(frozen=True, repr=False)
class MatchResult(ShownTable):
    """The winnings of the agents in ``matches`` matches, and how these were played.

    ``profits`` holds chips per hand, ``[matches, hands, agents]``. ``remarks`` and ``beliefs`` are what each
    agent said and believed at the end of the last match; they are empty, or None, for agents without any.
    ``learning`` says whether an agent learns from hand to hand; hands are then no independent samples.
    ``less_luck [matches, hands]`` are the first agent's winnings by AIVAT, in chips; None without ``aivat``.
    ``watch`` has the interval that allowed to stop early, in chips per hand; None without ``until_decided``.
    ``notes`` has the promises and forecasts of each agent, ``[matches, hands]``; it is empty without
    ``explain``, and None for agents that answer no model. ``clock`` is the limit of a decision, in seconds;
    None if agents were waited for. ``by_clock`` names the agents whose play depended on the clock: another
    run may differ. ``times`` and ``stand_ins`` have, for each agent, how long it took and how often something
    stood in for it, by why; both are empty if that was not asked for.
    """

    game: str
    stakes: Stakes
    agents: tuple[str, ...]
    hands: int
    matches: int
    duplicate: bool
    seed: int
    profits: Profits
    learning: bool
    remarks: tuple[str, ...] = ()
    beliefs: tuple[Belief | None, ...] = ()
    less_luck: NDArray[np.float64] | None = None
    watch: Watch | None = None
    notes: tuple[Notes | None, ...] = ()
    clock: float | None = None
    by_clock: tuple[str, ...] = ()
    times: tuple[AgentTimes, ...] = ()
    stand_ins: tuple[Mapping[str, int], ...] = ()

    JSON = keys(
        "game hands matches duplicate seed clock by_clock hands_played sample",
        aivat="_aivat",
        watched="_watched",
        results="_results",
    )

    @property
    def sampling(self) -> Sampling:
        """The independent samples: matches or hands."""
        return Sampling(self.matches, self.hands, self.learning, self.duplicate)

    @property
    def sample(self) -> str:
        """How many samples the estimates rest on, and what a sample is: "12 matches" or "3,000 hands"."""
        return self.sampling.text

    @property
    def hands_played(self) -> int:
        """All hands dealt, every pass of a duplicate match counted."""
        return self.matches * self.hands * (len(self.agents) if self.duplicate else 1)

    def estimate(self, agent: int, unit: Unit) -> Estimate:
        """The winnings of an agent per hand, with their 95% interval."""
        won = self.sampling.estimate(self.profits[:, :, agent])
        return won.scaled(unit.per_chip(self.stakes.small_bet, self.stakes.big_blind))

    def estimate_less_luck(self, unit: Unit) -> Estimate | None:
        """The winnings of the first agent with luck taken off; None without ``aivat``."""
        if self.less_luck is None:
            return None
        won = self.sampling.estimate(self.less_luck)
        return won.scaled(unit.per_chip(self.stakes.small_bet, self.stakes.big_blind))

    def watched(self, unit: Unit) -> tuple[float, float] | None:
        """The interval of `Watch` for the first agent's winnings; None without ``until_decided``."""
        if self.watch is None:
            return None
        scale = unit.per_chip(self.stakes.small_bet, self.stakes.big_blind)
        low, high = self.watch.interval
        return low * scale, high * scale

    @property
    def remarks_on_time(self) -> tuple[str, ...]:
        """Sentences on all that depended on the clock; empty if nothing did."""
        said = []
        if self.by_clock:
            clock = "" if self.clock is None else f", {self.clock:g} s a decision"
            who = f"{' and '.join(self.by_clock)} {'plays' if len(self.by_clock) == 1 else 'play'}"
            said.append(f"{who} by the clock{clock}: another run may differ")
        for agent, stand_ins in zip(self.agents, self.stand_ins, strict=False):
            for why, count in stand_ins.items():
                said.append(f"something stood in for {agent} {plural(count, 'time')}: {why}")
        return tuple(said)

    def summary(self) -> str:
        """Return what the first agent won, in one line."""
        won = self.estimate(0, Unit.MILLIBETS).text(1)
        return f"{self.game}, {self.agents[0]} wins {won} mb/g, n = {self.sample}, seed {self.seed}"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each agent, with what it won in three units and half the 95% interval of each."""
        rows: list[dict[str, Any]] = [{"agent": agent} for agent in self.agents]
        for i, row in enumerate(rows):
            for unit in (Unit.SMALL_BETS, Unit.MILLIBETS, Unit.BIG_BLINDS_PER_100):
                won = self.estimate(i, unit)
                row |= {unit.value: won.mean, f"± {unit.value}": won.half_width}
        return rows

    def plot(self) -> Figure:
        """Return the curves of what each agent has won so far, in small bets, as a mean over the matches."""
        hands = tuple(float(hand) for hand in range(1, self.hands + 1))
        won = np.cumsum(self.profits.mean(axis=0), axis=0) / self.stakes.small_bet
        curves = tuple(Curve(name, hands, tuple(won[:, i].tolist())) for i, name in enumerate(self.agents))
        panel = Panel(f"{self.game}, seed {self.seed}", "hands", "small bets won so far", curves)
        return Figure("duel", f"{self.game}: {', '.join(self.agents)}", (panel,))

    @property
    def _aivat(self) -> dict[str, Any] | None:
        if self.less_luck is None:
            return None
        return {"agent": self.agents[0], **{unit.value: self.estimate_less_luck(unit) for unit in Unit}}

    @property
    def _watched(self) -> dict[str, Any] | None:
        if self.watch is None:
            return None
        made = {"agent": self.agents[0], "decided": self.watch.decided, "n": self.watch.n}
        return {**made, **{unit.value: self.watched(unit) for unit in Unit}}

    @property
    def _results(self) -> list[dict[str, Any]]:
        said = zip_longest(self.agents, self.remarks, self.beliefs, self.times, self.stand_ins)
        return [
            {
                "agent": name,
                **{unit.value: self.estimate(i, unit) for unit in Unit},
                "remark": remark or None,
                "belief": belief,
                "times": times,
                "stand_ins": stand_ins,
            }
            for i, (name, remark, belief, times, stand_ins) in enumerate(said)
        ]


def play_matches(
    game: PokerGame,
    agents: Sequence[AgentSpec],
    hands: int,
    *,
    matches: int = 1,
    duplicate: bool = False,
    seed: int = 0,
    jobs: Jobs = 1,
    progress: Progress | None = None,
    tell: Tell | None = None,
    record: Record | None = None,
    aivat: bool = False,
    until_decided: bool = False,
    explain: bool = False,
    memory: Memory | None = None,
    clock: float | None = None,
    times: bool = False,
    onlookers: Sequence[Onlooker] = (),
) -> MatchResult:
    """Play ``matches`` matches between agents of the catalogue, on ``jobs`` processes or another runner.

    Every match starts with fresh agents. The result does not depend on ``jobs``. ``tell`` is told of anything
    that must be solved before the agents can play. ``record`` is called with each finished hand, and needs
    ``jobs=1``. With ``aivat`` what the first agent won is also told with luck taken off; hands are then
    played one by one, and the agent must be able to say what it played. With ``until_decided`` matches end
    as soon as it is clear which side of zero the first agent's win rate is on (`Watch`); ``matches`` is then
    the most. With ``explain`` notes are taken of what agents promise and foresee
    (`soulread.play.match.promise`). With a ``memory`` agents that learn begin every match with what was seen
    of their opponents before the run, and all that they see is kept.

    Agents are waited for, unless there is a ``clock``: the limit of a decision, in seconds. With a clock, and
    with ``times``, it is told how long agents took. ``onlookers`` are told of every hand as it is played;
    they too need ``jobs=1``.
    """
    runner = runner_of(jobs)
    here = runner == Processes(1)
    if (record is not None or onlookers) and not here:
        raise SoulreadError(
            "hands are recorded by this process alone, not by several: leave --jobs and --cluster out"
        )
    if clock is not None:
        ClockLimits(decision=clock)
    if matches < 1:
        raise SoulreadError(f"there must be at least one match, not {matches}")
    verify_seed(seed)
    amount = plural(matches, "match", "matches") + " of " + plural(hands, "hand")
    verify_room(amount, matches * (_COPIES * 8 * hands * game.num_players + _PER_MATCH))
    with ProcessScope() as processes:
        match = make_match(game, agents, hands, duplicate, tell, clock)  # so that a bad agent fails at once
        match.timed = times or clock is not None
        match.onlookers = tuple(onlookers)
        if aivat or explain:
            _verify_waiting(match.agents)
        if explain:
            verify_explains(match.agents)
        judge = ByAivat(aivat_for(game, tell)) if aivat else None
        known = () if memory is None else seats_of(memory, game, match.agents, match.labels, seed)
        if here or (matches == 1 and isinstance(runner, Processes)):
            coming = (
                play_with_notes(
                    _remembering(match, known, number, memory), seed, number, progress, record, judge, explain
                )
                for number in range(matches)
            )
        else:
            processes.close()  # others play
            settings = game, agents, hands, duplicate, seed
            tasks = [
                (*settings, number, aivat, explain, clock, match.timed, known) for number in range(matches)
            ]
            coming = _in_order(tasks, runner, progress, hands * match.passes)
        learning = any(map(learns, match.agents))
        watch = Watch(planned=100) if until_decided else None
        found: list[PlayedMatch] = []
        for played in coming:
            found.append(played._replace(kept=()))
            if memory is not None:
                for hand in played.kept:
                    memory.keep(hand)
            if watch is not None:
                won = played.profits[:, 0] if played.less_luck is None else played.less_luck
                watch.add(samples_to_watch(won, learning))
                if watch.decided:
                    break
        coming.close()
    less_luck = [played.less_luck for played in found if played.less_luck is not None]
    seated = zip(match.labels, agents, match.agents, strict=True)
    return MatchResult(
        game=match.game.name,
        stakes=stakes_of(match.game),
        agents=match.labels,
        hands=hands,
        matches=len(found),
        duplicate=duplicate,
        seed=seed,
        profits=np.stack([played.profits for played in found]),
        learning=learning,
        remarks=found[-1].remarks,
        beliefs=found[-1].beliefs,
        less_luck=np.stack(less_luck) if less_luck else None,
        watch=watch,
        notes=tuple(map(_stacked, zip(*(played.notes for played in found), strict=True))),
        clock=clock,
        by_clock=tuple(
            name for name, spec, agent in seated if spec.by_clock or isinstance(agent, PunctualAgent)
        ),
        times=tuple(map(_all_times, zip(*(played.times for played in found), strict=True))),
        stand_ins=()
        if clock is None
        else tuple(map(_all_stand_ins, zip(*(played.stand_ins for played in found), strict=True))),
    )


def _verify_waiting(agents: Sequence[Agent]) -> None:
    """Raise if an agent plays by the clock: nobody can then say what it would have played, or why."""
    for agent in agents:
        if isinstance(agent, PunctualAgent):
            raise SoulreadError(
                f"with a clock {agent.name!r} cannot say which strategy it played, so luck is not taken off, "
                "and no promise explained; play without a clock, or without these"
            )


def _all_times(parts: Sequence[AgentTimes]) -> AgentTimes:
    """The times of one agent in all matches."""
    whole = AgentTimes()
    for part in parts:
        whole.merge(part)
    return whole


def _all_stand_ins(parts: Sequence[Counter[str]]) -> Counter[str]:
    """How often something stood in for one agent in all matches."""
    return sum(parts, Counter())


def _stacked(parts: Sequence[Notes | None]) -> Notes | None:
    """The notes of one agent in all matches."""
    whole = [part for part in parts if part is not None]
    return stack_notes(whole) if whole else None


class PlayedMatch(NamedTuple):
    """The part of one match that `MatchResult` keeps."""

    profits: Profits  # [hands, agents]
    less_luck: NDArray[np.float64] | None  # [hands]
    remarks: tuple[str, ...]
    beliefs: tuple[Belief | None, ...]
    notes: tuple[Notes | None, ...]  # one for each agent, or empty
    times: tuple[AgentTimes, ...]  # the same
    stand_ins: tuple[Counter[str], ...]
    kept: tuple[Hand, ...] = ()  # hands for the memory, of a match that another process has played


def _in_order(
    tasks: Sequence[tuple[Any, ...]], runner: Runner, progress: Progress | None, hands: int
) -> Generator[PlayedMatch, None, None]:
    """Matches on several processes, the first one first: which of them count cannot depend on the time."""
    early: dict[int, PlayedMatch] = {}
    following = 0
    for number, played in runner.run(_play_one, tasks):
        early[number] = played
        if progress is not None:
            progress(hands)
        while following in early:
            yield early.pop(following)
            following += 1


def samples_to_watch(won: NDArray[np.float64], learning: bool) -> NDArray[np.float64]:
    """The samples of what was ``won [hands]`` in a match: one if an agent learns, else one per block."""
    blocks = 1 if learning else max(1, won.size // BLOCK)
    return np.array([part.mean() for part in np.array_split(won, blocks)])


def play_with_notes(
    match: Match,
    seed: int,
    number: int,
    progress: Progress | None,
    record: Record | None,
    judge: Judge | None,
    explain: bool,
) -> PlayedMatch:
    """`play_match`; a ``judge`` takes luck off the first agent's result, ``explain`` takes notes."""
    if judge is None and not explain:
        profits = play_match(match, seed, number, progress, record)
        return _played(match, profits)
    if judge is not None:
        judge.begin(MatchStreams(seed, number))
    found: list[float] = []
    diaries = [Diary() for _ in match.agents] if explain else []

    def note(hand: LiveHand) -> None:
        seats = [hand.players.index(label) for label in match.labels]
        if judge is not None:
            found.append(judge.chips(match.agents, hand, seats[0]))
        for diary, agent, seat in zip(diaries, match.agents, seats, strict=False):
            expectation = expectation_of(agent, seat)
            if expectation is not None:
                diary.note(hand, seat, expectation)
        if record is not None:
            record(hand)

    profits = match.play(seed, number, progress, note)
    less_luck = np.array(found).reshape(match.passes, match.hands).mean(axis=0) if found else None
    notes = tuple(diary.notes(match.passes) if diary else None for diary in diaries)
    return _played(match, profits, less_luck, notes)


def _played(
    match: Match,
    profits: Profits,
    less_luck: NDArray[np.float64] | None = None,
    notes: tuple[Notes | None, ...] = (),
) -> PlayedMatch:
    """All that is kept of a match that was just played."""
    match.finish()
    return PlayedMatch(
        profits, less_luck, match.remarks(), match.beliefs(), notes, match.times, match.stand_ins
    )


def play_match(
    match: Match,
    seed: int,
    number: int = 0,
    progress: Progress | None = None,
    record: Record | None = None,
) -> Profits:
    """`Match.play`, but in compiled code if both agents play from tables: the same numbers, sooner.

    With ``record``, onlookers or a clock the match is played hand by hand.
    """
    if len(match.agents) == 2 and record is None and not match.onlookers and not match.timed:
        first, second = (tabular_form(agent, match.game) for agent in match.agents)
        if first is not None and second is not None:
            return simulate(
                match.game,
                (first, second),
                match.hands,
                MatchStreams(seed, number),
                duplicate=match.duplicate,
                progress=progress,
            )
    return match.play(seed, number, progress, record)


def make_match(
    game: PokerGame,
    agents: Sequence[AgentSpec],
    hands: int,
    duplicate: bool = False,
    tell: Tell | None = None,
    clock: float | None = None,
) -> Match:
    """A match of newly made agents, which are waited for, or held to a clock."""
    made = tuple(_seated(agent, game, clock, tell) for agent in agents)
    _settle(made)
    return Match(game, made, hands, duplicate, tuple(agents), clock=clock, timed=clock is not None)


def _play_one(
    game: PokerGame,
    agents: Sequence[AgentSpec],
    hands: int,
    duplicate: bool,
    seed: int,
    number: int,
    aivat: bool,
    explain: bool,
    clock: float | None = None,
    timed: bool = False,
    known: Sequence[Recollection | None] = (),
) -> PlayedMatch:
    kept: list[Hand] = []
    with ProcessScope():
        match = make_match(game, agents, hands, duplicate, clock=clock)
        match.timed = timed
        match = _remembering(match, known, number, kept)
        judge = ByAivat(aivat_for(game)) if aivat else None
        played = play_with_notes(match, seed, number, None, None, judge, explain)
    return played._replace(kept=tuple(kept))


def _remembering(
    match: Match, known: Sequence[Recollection | None], number: int, memory: Memory | list[Hand] | None
) -> Match:
    """The match, with what its agents remember when match ``number`` begins; hands go to ``memory``."""
    if memory is None:
        return match
    keep = memory.keep if isinstance(memory, Memory) else memory.append
    match.memories = tuple(
        None if one is None else SeatMemory(one.at(f"{number}.{place}"), keep)
        for place, one in enumerate(known)
    )
    return match
