"""Tournaments: everybody plays everybody in duplicate matches, and who has won.

In a game of two every pair of agents meets; at a table of more seats every set of as many agents as there are
seats. Such a meeting is an `Encounter`. Match number m of all encounters is dealt the same cards. Winners are
found as in the Annual Computer Poker Competition:

* *Total bankroll*: the highest mean winnings over all encounters, each counted alike.
* *Instant run-off*: whoever has the lowest total bankroll is removed, and totals are taken anew over the
  encounters among those left, until one is left. At a table of more than two, the last table decides.

The same cards make encounters dependent, and an agent that learns makes the hands of a match dependent. So
amounts are added up over encounters first, within each hand, and the sums of independent parts are the
samples (`soulread.estimate.Sampling`): matches if an agent learns in one of the encounters, else duplicate
hands. That holds for differences too, from which the luck of the common cards cancels.

Who is ahead is said only where chance is ruled out: the error probability of one side is at most 0.025, and
is shared out among the comparisons where one agent is compared with several (Bonferroni). Otherwise two
agents are tied. If a tournament ends when it is decided, confidence sequences take the place of Student's
intervals, since they hold although somebody looked after every round.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.estimate import (
    Estimate,
    Sampling,
    Unit,
    chance_at_any_time,
    half_width_at_any_time,
)
from soulread.hands.hand import Stakes
from soulread.play.match.judges import LuckRemoval
from soulread.play.match.matches import BLOCK, samples_to_watch
from soulread.report.figures import Curve, Figure, HeatPanel, Panel
from soulread.report.shown import ShownTable
from soulread.streams import stream
from soulread.words import plural

Floats: TypeAlias = NDArray[np.float64]

UNIT = Unit.MILLIBETS
MOST_WRONG = 0.025  # error probability of one side
FEWEST_ALIKE = 10  # samples without any difference that decide
ROUNDING = 1e-9  # chips; a computed worth is exact up to this


@dataclass(frozen=True)
class Encounter:
    """Agents, by number, who meet at one table, and how luck is taken off there."""

    agents: tuple[int, ...]
    luck: LuckRemoval = LuckRemoval.RAW

    def seating(self, seed: int, number: int) -> tuple[int, ...]:
        """The agents in the order in which they sit in a match; seats rotate within it.

        Two sit as they are. Of more the order is drawn for two matches, the second of which has it backwards,
        so that everybody acts behind everybody.
        """
        if len(self.agents) == 2:
            return self.agents
        drawn = stream(seed, number // 2, "seating").permutation(len(self.agents))
        order = drawn[::-1] if number % 2 else drawn
        return tuple(self.agents[place] for place in order)


@dataclass(frozen=True, eq=False)
class EncounterResult:
    """The matches of an encounter; ``failed`` says why it was not played to the end, or is empty."""

    encounter: Encounter
    won: Floats  # [matches, hands, agents] chips, with luck taken off as the encounter says
    profits: Floats  # the same as they fell
    learning: bool
    failed: str = ""
    stand_ins: tuple[int, ...] = ()  # how often something stood in for each agent; empty without a clock


@dataclass(frozen=True)
class MeanWon:
    """A mean amount per hand. ``half_width`` is half the 95% interval, at any time where one looked often."""

    mean: float
    half_width: float
    n: int

    JSON = keys("mean", low="interval.0", high="interval.1", n="n")

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval, low and high; NaN if there is none."""
        half = self.half_width if math.isfinite(self.half_width) else math.nan
        return self.mean - half, self.mean + half

    def text(self, digits: int = 1, between: str = " ") -> str:
        """``"51.2 ± 3.1"``; without an interval the mean alone, in brackets."""
        mean = round(self.mean, digits) + 0.0  # no -0.0
        if not math.isfinite(self.half_width):
            return f"({mean:.{digits}f})"
        return f"{mean:.{digits}f}{between}± {self.half_width:.{digits}f}"


@dataclass(frozen=True)
class TournamentPlace:
    """An agent's place by total bankroll, or in a run-off; ``tied`` are those it cannot be told apart from.

    By total bankroll these are agents in better places. In a run-off they are those who were left when the
    agent was removed.
    """

    agent: str
    won: MeanWon
    tied: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Tournament(ShownTable):
    """The results of all encounters of a tournament, and how they were played. Amounts are in mb/g.

    ``left_out`` are agents that are not ranked, because encounters with them failed. ``most`` is the largest
    number of matches if the tournament was to end when it is decided who wins; else None. ``clock`` is the
    limit of a decision, in seconds; None if agents were waited for. ``by_clock`` are the agents whose play
    depended on the clock: another run may differ.
    """

    game: str
    stakes: Stakes
    agents: tuple[str, ...]
    hands: int
    matches: int  # of each encounter that did not fail
    seed: int
    encounters: tuple[EncounterResult, ...]
    left_out: tuple[str, ...] = ()
    most: int | None = None
    clock: float | None = None
    by_clock: tuple[str, ...] = ()

    JSON = keys(
        "game seats agents hands matches most seed clock by_clock sample decided left_out "
        "winner winner_tied run_off_winner run_off_tied",
        unit=lambda _: UNIT,
        duplicate=lambda _: True,
        bankroll="_bankroll",
        stand_ins="stand_ins",
        run_off="run_off",
        encounters="_encounters",
    )

    # Amounts

    @property
    def seats(self) -> int:
        """Agents at a table."""
        return len(self.encounters[0].encounter.agents)

    @property
    def finished(self) -> list[EncounterResult]:
        """The encounters that did not fail."""
        return [result for result in self.encounters if not result.failed]

    def bankroll_weights(self, agent: int, among: Iterable[int] | None = None) -> "Weights":
        """The weights of an agent's mean over the encounters ``among`` some agents; empty if it has none."""
        left = set(range(len(self.agents)) if among is None else among)
        found = [
            (i, result.encounter.agents.index(agent))
            for i, result in enumerate(self.encounters)
            if not result.failed
            and agent in result.encounter.agents
            and left.issuperset(result.encounter.agents)
        ]
        return {place: 1 / len(found) for place in found}

    def estimate(self, weights: "Weights", raw: bool = False) -> Estimate:
        """The mean of a sum of winnings in chips per hand; ``raw`` as the chips fell."""
        used = {encounter for encounter, _ in weights}
        learning = any(self.encounters[i].learning for i in used)
        total = sum(
            weight * (self.encounters[i].profits if raw else self.encounters[i].won)[:, :, seat]
            for (i, seat), weight in weights.items()
        )
        won = np.asarray(total, dtype=np.float64)
        if self.most is None:
            return Sampling(won.shape[0], won.shape[1], learning, duplicate=True).estimate(won)
        return Estimate.of(np.concatenate([samples_to_watch(match, learning) for match in won]))

    def winnings(self, weights: "Weights", raw: bool = False) -> MeanWon:
        """The mean of a sum of winnings, with its interval, in mb/g."""
        found = self.estimate(weights, raw)
        half = found.half_width if self.most is None else half_width_at_any_time(found)
        scale = UNIT.per_chip(self.stakes.small_bet, self.stakes.big_blind)
        return MeanWon(found.mean * scale, half * scale, found.n)

    def is_ahead(self, weights: "Weights", other: "Weights", comparisons: int = 1) -> bool:
        """Whether the first sum is above the second one beyond chance."""
        places = dict.fromkeys((*weights, *other))
        difference = {place: weights.get(place, 0.0) - other.get(place, 0.0) for place in places}
        found = self.estimate({place: weight for place, weight in difference.items() if weight})
        return chance_of_lead(found, at_any_time=self.most is not None) <= MOST_WRONG / comparisons

    def against(self, agent: int, other: int) -> MeanWon | None:
        """An agent's winnings in the encounters with another one; None if there are none."""
        found = [
            (i, result.encounter.agents.index(agent))
            for i, result in enumerate(self.encounters)
            if not result.failed and {agent, other} <= set(result.encounter.agents)
        ]
        return self.winnings({place: 1 / len(found) for place in found}) if found and agent != other else None

    @property
    def stand_ins(self) -> dict[str, int]:
        """By agent, how often something stood in for it; empty without a clock."""
        found: Counter[str] = Counter()
        for result in self.finished:
            for agent, count in zip(result.encounter.agents, result.stand_ins, strict=False):
                found[self.agents[agent]] += count
        return dict(found)

    # Winners

    @cached_property
    def ranked(self) -> tuple[int, ...]:
        """The numbers of the agents that are ranked, in the order given."""
        return tuple(i for i, name in enumerate(self.agents) if name not in self.left_out)

    @cached_property
    def places(self) -> tuple[TournamentPlace, ...]:
        """The agents by total bankroll, the highest first."""
        order = self._order(self.ranked)
        comparisons = max(1, len(order) - 1)
        found = []
        for rank, (agent, weights) in enumerate(order):
            better = order[:rank]
            tied = [name for name, more in better if not self.is_ahead(more, weights, comparisons)]
            found.append(self._place(agent, weights, tied))
        return tuple(found)

    @cached_property
    def run_off(self) -> tuple[TournamentPlace, ...]:
        """The agents in the order in which the run-off removes them, the winner last."""
        order = self._order(self.ranked)
        found = []
        while len(order) > 1:
            agent, weights = order[-1]
            rest = order[:-1]
            tied = [name for name, more in rest if not self.is_ahead(more, weights, len(rest))]
            found.append(self._place(agent, weights, tied))
            order = self._order(name for name, _ in rest) if len(rest) >= self.seats else rest
        return (*found, *(self._place(*last) for last in order))

    @property
    def winner(self) -> str | None:
        """The agent with the highest total bankroll; None if nobody is ranked."""
        return self.places[0].agent if self.places else None

    @property
    def winner_tied(self) -> tuple[str, ...]:
        """The agents that cannot be told apart from the winner by total bankroll."""
        return tuple(place.agent for place in self.places[1:] if self.winner in place.tied)

    @property
    def run_off_winner(self) -> str | None:
        """The agent that the run-off leaves; None if nobody is ranked."""
        return self.run_off[-1].agent if self.run_off else None

    @property
    def run_off_tied(self) -> tuple[str, ...]:
        """The agents that were removed when the winner of the run-off was not surely ahead of them."""
        return tuple(place.agent for place in self.run_off[:-1] if self.run_off_winner in place.tied)

    @property
    def decided(self) -> bool:
        """Whether the winner by total bankroll is surely ahead of everybody else."""
        return bool(self.places) and not self.winner_tied

    def _order(self, among: Iterable[int]) -> list[tuple[int, "Weights"]]:
        """Agents with the weights of their total bankroll ``among`` themselves, the highest first."""
        left = sorted(among)
        weighed = [(agent, self.bankroll_weights(agent, left)) for agent in left]
        means = {agent: self.estimate(weights).mean for agent, weights in weighed if weights}
        return sorted(
            ((agent, weights) for agent, weights in weighed if weights), key=lambda pair: -means[pair[0]]
        )

    def _place(self, agent: int, weights: "Weights", tied: Iterable[int] = ()) -> TournamentPlace:
        return TournamentPlace(
            self.agents[agent], self.winnings(weights), tuple(self.agents[i] for i in tied)
        )

    # Shown

    @property
    def sample(self) -> str:
        """The samples behind the amounts: "10 matches where an agent learns; 5,000 duplicate hands"."""
        kinds = {result.learning for result in self.finished}
        return " where an agent learns; ".join(self._sample(kind) for kind in (True, False) if kind in kinds)

    def _sample(self, learning: bool) -> str:
        if self.most is not None and not learning:
            return f"{self.matches * max(1, self.hands // BLOCK):,} blocks of duplicate hands"
        return Sampling(self.matches, self.hands, learning, duplicate=True).text

    def summary(self) -> str:
        """Return who won, in one line."""
        played = plural(self.matches, "match", "matches") + " of " + plural(self.hands, "hand")
        won = "nobody is ranked" if self.winner is None else f"{self.winner} wins"
        return f"{self.game}, {len(self.agents)} agents, {played}, seed {self.seed}: {won}"

    def to_rows(self) -> list[dict[str, Any]]:
        """Return, for each ranked agent, a row of its total bankroll ("all"), and a row for each opponent."""
        off = [place.agent for place in reversed(self.run_off)]
        rows = []
        for rank, place in enumerate(self.places, 1):
            agent = self.agents.index(place.agent)
            cells = {name: self.against(agent, other) for other, name in enumerate(self.agents)}
            rows.append(_row(place.agent, "all", place.won, rank, 1 + off.index(place.agent)))
            rows += [_row(place.agent, name, won, None, None) for name, won in cells.items() if won]
        return rows

    def plot(self) -> Figure:
        """Return the crosstable in colours, and total bankrolls with their intervals."""
        names = tuple(place.agent for place in self.places)
        agents = [self.agents.index(name) for name in names]
        cells = [[self.against(agent, other) for other in agents] for agent in agents]
        table = HeatPanel(
            f"{self.game}: a row won so much {self.opposite}",
            UNIT.value,
            names,
            names,
            tuple(tuple(math.nan if cell is None else cell.mean for cell in row) for row in cells),
            tuple(tuple("" if cell is None else cell.text(0, "\n") for cell in row) for row in cells),
        )
        won = [place.won for place in self.places]
        points = Curve(
            "total bankroll",
            tuple(float(place) for place in range(len(names))),
            tuple(amount.mean for amount in won),
            tuple(amount.interval[0] for amount in won),
            tuple(amount.interval[1] for amount in won),
            points=True,
        )
        totals = Panel("total bankroll, 95% intervals", "", UNIT.value, (points,), names=names)
        return Figure("tournament", self.summary(), (table, totals))

    @property
    def opposite(self) -> str:
        """In which encounters a row of the crosstable met a column."""
        return "from a column" if self.seats == 2 else "at tables with a column"

    @property
    def _bankroll(self) -> list[dict[str, Any]]:
        return [{"place": rank, **vars(place)} for rank, place in enumerate(self.places, 1)]

    @property
    def _encounters(self) -> list[dict[str, Any]]:
        return [self._encounter(i, result) for i, result in enumerate(self.encounters)]

    def _encounter(self, number: int, result: EncounterResult) -> dict[str, Any]:
        seats = range(len(result.encounter.agents))
        names = [self.agents[agent] for agent in result.encounter.agents]
        sure = [] if result.failed else [seat for seat in seats if self._leads(number, seat)]
        return {
            "agents": names,
            "luck": result.encounter.luck.name.lower(),
            "learning": result.learning,
            "failed": result.failed or None,
            "won": [] if result.failed else [self.winnings({(number, seat): 1.0}) for seat in seats],
            "raw": [] if result.failed else [self.winnings({(number, seat): 1.0}, True) for seat in seats],
            "ahead": names[sure[0]] if sure else None,
        }

    def _leads(self, number: int, seat: int) -> bool:
        """Whether the agent in a place of an encounter is surely ahead of all others there."""
        others = [other for other in range(self.seats) if other != seat]
        return all(
            self.is_ahead({(number, seat): 1.0}, {(number, other): 1.0}, len(others)) for other in others
        )


Weights: TypeAlias = Mapping[tuple[int, int], float]
"""By encounter and place in it, the weight of what the agent there won."""


def _row(agent: str, opponent: str, won: MeanWon, rank: int | None, off: int | None) -> dict[str, Any]:
    low, high = won.interval
    amounts = {UNIT.value: won.mean, "low": low, "high": high, "n": won.n}
    return {"agent": agent, "opponent": opponent, **amounts, "place": rank, "run-off": off}


def chance_of_lead(estimate: Estimate, at_any_time: bool = False) -> float:
    """How likely a mean so far above zero is, if the true one is zero; 1 for one that is not above.

    Parts of a single match of an agent that learns decide nothing, nor do few samples that are all alike.
    """
    if estimate.one_match or estimate.n < 2 or estimate.mean <= ROUNDING:
        return 1.0
    if estimate.standard_error <= ROUNDING:
        return 0.0 if estimate.n >= FEWEST_ALIKE else 1.0
    if at_any_time:
        return chance_at_any_time(estimate, 0.0)
    from scipy.special import stdtr  # imported here because it takes a twentieth of a second

    return float(stdtr(estimate.n - 1, -estimate.mean / estimate.standard_error))
