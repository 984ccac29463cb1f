"""Who plays whom, with which cards.

A `Match` has separate random streams: one for the cards and one for each agent, so agents never
disturb each other's luck or the deal. Seats rotate from hand to hand. A duplicate match is played once
for each rotation of the seats with the *same* cards, and agents are reset in between, so that no
agent carries memory from one pass to the next; a sample is then the mean over the passes.

In match ``m`` the cards come from ``SeedSequence(seed, (m, 0))``, the draws of agent ``i`` of ``n`` in pass
``h`` from ``SeedSequence(seed, (m, 1 + h * n + i))``: a result depends on the seed, not on who computed it.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal
from soulread.errors import IllegalAction, SoulreadError
from soulread.estimate import Estimate, Unit
from soulread.games import parse_game
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import PokerGame, PokerState
from soulread.observe.hand import seen_by
from soulread.play.agent import Agent, Speaker
from soulread.play.catalogue import Tell, parse_agent
from soulread.play.simulate import simulate
from soulread.play.tabular import tabular_form

Profits = NDArray[np.float64]
Progress = Callable[[int], None]
Record = Callable[[PokerState, tuple[str, ...]], None]  # told each hand's end, and who had which seat

MATCHES_FOR_AN_INTERVAL = 10
"""From this many matches on, each match is one sample: right even when agents learn within a match."""


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random stream that ``key`` names under ``seed``."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def play_hand(
    game: PokerGame,
    agents: Sequence[Agent],
    cards: Sequence[int],
    streams: Sequence[np.random.Generator],
) -> PokerState:
    """Play one hand with ``agents[seat]`` in each seat and the cards dealt in order; return its end."""
    state = game.start()
    dealt = iter(cards)
    while (seat := state.player) != TERMINAL:
        if seat == CHANCE:
            state = state.apply(next(dealt))
            continue
        action = agents[seat].act(state.view(seat), streams[seat])
        try:
            state = state.apply(action)
        except IllegalAction as error:
            raise IllegalAction(f"agent {agents[seat].name!r} in seat {seat}: {error}") from None
    return state


@dataclass(frozen=True)
class Match:
    """``hands`` hands between agents that may learn as they go."""

    game: PokerGame
    agents: tuple[Agent, ...]
    hands: int
    duplicate: bool = False

    def __post_init__(self) -> None:
        if len(self.agents) != self.game.num_players:
            raise SoulreadError(
                f"{self.game.name!r} seats {self.game.num_players} players, but {len(self.agents)} agents "
                f"came: {', '.join(agent.name for agent in self.agents)}"
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

        ``number`` tells matches under one seed apart; ``progress`` is told how many hands were just played,
        ``record`` how each of them ended.
        """
        profits = np.zeros((self.hands, len(self.agents)))
        for rotation in range(self.passes):
            profits += self._play_pass(seed, number, rotation, progress, record)
        return profits / self.passes

    def remarks(self) -> tuple[str, ...]:
        """What each agent has to say at present; empty if nothing."""
        return tuple(agent.sentence() if isinstance(agent, Speaker) else "" for agent in self.agents)

    def _play_pass(
        self, seed: int, number: int, rotation: int, progress: Progress | None, record: Record | None
    ) -> Profits:
        count = len(self.agents)
        rules = self.game.rules
        card_stream = stream(seed, number, 0)
        streams = [stream(seed, number, 1 + rotation * count + agent) for agent in range(count)]
        profits = np.empty((self.hands, count))
        labels = distinct_names([agent.name for agent in self.agents])
        for agent in self.agents:
            agent.reset()
        for hand in range(self.hands):
            cards = deal(card_stream, rules.deck, self.game.num_cards)
            at_seat = [(seat - hand - rotation) % count for seat in range(count)]
            seated = [self.agents[agent] for agent in at_seat]
            end = play_hand(self.game, seated, cards, [streams[agent] for agent in at_seat])
            names = tuple(agent.name for agent in seated)
            for seat, won in enumerate(end.payoffs()):
                seated[seat].observe(seen_by(end, seat, names))
                profits[hand, at_seat[seat]] = won
            if record is not None:
                record(end, tuple(labels[agent] for agent in at_seat))
            if progress is not None:
                progress(1)
        return profits


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with ``#2`` and so on behind one that came before."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return tuple(result)


@dataclass(frozen=True)
class MatchResult:
    """What ``matches`` matches brought, and how they were played.

    ``profits`` holds chips per hand, ``[matches, hands, agents]``; ``remarks`` what each agent had to say at
    the end of the last match, empty if nothing.
    """

    game: str
    agents: tuple[str, ...]
    hands: int
    matches: int
    duplicate: bool
    seed: int
    profits: Profits
    remarks: tuple[str, ...] = ()

    @property
    def sample(self) -> str:
        """What one sample of the estimates is: a match, a duplicate hand or a hand."""
        if self.matches >= MATCHES_FOR_AN_INTERVAL:
            return "matches"
        return "duplicate hands" if self.duplicate else "hands"

    @property
    def hands_played(self) -> int:
        """All hands dealt, every pass of a duplicate match counted."""
        return self.matches * self.hands * (len(self.agents) if self.duplicate else 1)

    def estimate(self, agent: int, unit: Unit) -> Estimate:
        """What the agent won, with its 95% interval."""
        rules = parse_game(self.game).rules
        won = self.profits[:, :, agent]
        samples = won.mean(axis=1) if self.matches >= MATCHES_FOR_AN_INTERVAL else won.ravel()
        return Estimate.of(samples).scaled(unit.per_chip(rules.small_bet, rules.big_blind))

    def as_dict(self) -> dict[str, Any]:
        """Everything but the single profits, for JSON."""
        return {
            "game": self.game,
            "hands": self.hands,
            "matches": self.matches,
            "duplicate": self.duplicate,
            "seed": self.seed,
            "hands_played": self.hands_played,
            "sample": self.sample,
            "results": [
                {
                    "agent": name,
                    **{unit.value: self.estimate(i, unit).as_dict() for unit in Unit},
                    **({"remark": self.remarks[i]} if any(self.remarks[i : i + 1]) else {}),
                }
                for i, name in enumerate(self.agents)
            ],
        }


def play_matches(
    game: str,
    agents: Sequence[str],
    hands: int,
    *,
    matches: int = 1,
    duplicate: bool = False,
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
    tell: Tell | None = None,
    record: Record | None = None,
) -> MatchResult:
    """Play ``matches`` matches between agents named by their texts, on ``jobs`` processes.

    Every match starts with fresh agents. The result does not depend on ``jobs``. ``tell`` hears of what must
    be solved before the agents can sit down, ``record`` how each hand ended; then there is one process.
    """
    if record is not None and jobs > 1:
        raise SoulreadError(f"hands are recorded by one process, not by {jobs}")
    if matches < 1:
        raise SoulreadError(f"there must be at least one match, not {matches}")
    if jobs < 1:
        raise SoulreadError(f"matches need at least one process, not {jobs}")
    if seed < 0:
        raise SoulreadError(f"a seed is a number from 0 up, not {seed}")
    match = _make_match(game, agents, hands, duplicate, tell)  # here too, so that a bad name fails at once
    if jobs == 1 or matches == 1:
        played = [play_match(match, seed, number, progress, record) for number in range(matches)]
        remarks = match.remarks()
    else:
        import joblib

        tasks = (joblib.delayed(_play_one)(game, agents, hands, duplicate, seed, n) for n in range(matches))
        played = []
        for profits, said in joblib.Parallel(n_jobs=jobs, return_as="generator")(tasks):
            played.append(profits)
            remarks = said
            if progress is not None:
                progress(hands * match.passes)
    return MatchResult(
        game=match.game.name,
        agents=tuple(agent.name for agent in match.agents),
        hands=hands,
        matches=matches,
        duplicate=duplicate,
        seed=seed,
        profits=np.stack(played),
        remarks=remarks,
    )


def play_match(
    match: Match,
    seed: int,
    number: int = 0,
    progress: Progress | None = None,
    record: Record | None = None,
) -> Profits:
    """`Match.play`, in compiled code where both agents play from tables: the same numbers, sooner.

    What is recorded is played hand by hand.
    """
    if len(match.agents) == 2 and record is None:
        first, second = (tabular_form(agent, match.game) for agent in match.agents)
        if first is not None and second is not None:
            return simulate(
                match.game,
                (first, second),
                match.hands,
                lambda key: stream(seed, number, key),
                duplicate=match.duplicate,
                progress=progress,
            )
    return match.play(seed, number, progress, record)


def _make_match(
    game: str, agents: Sequence[str], hands: int, duplicate: bool, tell: Tell | None = None
) -> Match:
    rules = parse_game(game)
    return Match(rules, tuple(parse_agent(text, rules, tell) for text in agents), hands, duplicate)


def _play_one(
    game: str, agents: Sequence[str], hands: int, duplicate: bool, seed: int, number: int
) -> tuple[Profits, tuple[str, ...]]:
    match = _make_match(game, agents, hands, duplicate)
    return play_match(match, seed, number), match.remarks()
