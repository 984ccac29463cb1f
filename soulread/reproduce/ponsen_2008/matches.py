"""What the no-limit agent `ponsen` wins from simple players, at tables of two and of six. Our own question.

In a match the agent sits with one kind of opponent in all other seats, and learns how each of them plays. A
match is duplicate: it is played once from each seat with the same cards, and the agent begins each time
knowing nobody. So the agent gets every holding of every deal, and much of the luck of the cards drops out. A
sample is a match: hands of a match are not independent where somebody learns. Opponents who fold much lose
little a hand, so against them more matches are played.
"""

from dataclasses import dataclass

import numpy as np

from soulread.estimate import Estimate, Sampling, Unit
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.reproduce.kit.experiment import Options
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, count_samples
from soulread.reproduce.kit.rings import ring_task
from soulread.reproduce.kit.verdict import above
from soulread.tasks import Task, TaskResult, in_turn

AGENT = "ponsen:playouts=1500"
OPPONENTS = {  # name: text, and how many times as many matches are played
    "always-call": ("always-call", 1),
    "random": ("random", 1),
    "tight": ("plain:style=tight", 6),
    "loose": ("plain:style=loose", 2),
}
SEATS = 2, 6


@dataclass(frozen=True)
class Setup:
    """Sizes of the experiment."""

    matches: int
    hands: int
    seed: int

    @classmethod
    def of(cls, options: Options) -> "Setup":
        """Four matches of 150 hands against each opponent, more against some; quick: two of 20."""
        quick = options.quick
        return cls(
            options.matches or (2 if quick else 4), options.hands or (20 if quick else 150), options.seed
        )

    def tasks(self, opponent: str, seats: int) -> list[Task]:
        """The matches of the agent with one kind of opponent."""
        text, times = OPPONENTS[opponent]
        agents = [AGENT, *[text] * (seats - 1)]
        return [
            ring_task(game_of(seats), agents, self.hands, self.seed, number)
            for number in range(times * self.matches)
        ]


def game_of(seats: int) -> str:
    """No-limit hold'em, 100 big blinds deep."""
    return "nolimit" if seats == 2 else f"nolimit:players={seats}"


def won(results: list[TaskResult], seats: int) -> Estimate | None:
    """What the agent won, bb/100; None without a match."""
    if not results:
        return None
    profits = np.stack([result["profits"][:, 0] for result in results])
    stakes = stakes_of(parse_game(game_of(seats)))
    scale = Unit.BIG_BLINDS_PER_100.per_chip(stakes.small_bet, stakes.big_blind)
    return Sampling(len(results), profits.shape[1], learning=True).estimate(profits).scaled(scale)


def matches(options: Options) -> Report:
    """Play the matches, and say against whom the agent wins beyond the interval."""
    setup = Setup.of(options)
    tasks = {(name, seats): setup.tasks(name, seats) for seats in SEATS for name in OPPONENTS}
    listed = in_turn(list(tasks.values()))
    results = {result.task.key: result for result in options.run(listed)}
    found = {
        pair: won([results[task.key] for task in each if task.key in results], pair[1])
        for pair, each in tasks.items()
    }
    measures = [Measure(name, f"{seats} seats", each) for (name, seats), each in found.items() if each]
    return Report(
        name="ponsen-matches",
        title="what ponsen wins from simple no-limit players",
        source="our own question; the agent is after Ponsen et al. (2008)",
        settings={
            "agent": AGENT,
            "opponents": ", ".join(text for text, _ in OPPONENTS.values()),
            "matches": setup.matches,
            "hands": f"{setup.hands}, each dealt once for every seat of the agent",
            "seed": setup.seed,
        },
        tables=(
            ResultTable(
                "won",
                Unit.BIG_BLINDS_PER_100.value,
                tuple(measures),
                count_samples(measures, "matches"),
                "Against tight players six times as many matches, against loose ones twice as many.",
                0,
            ),
        ),
        claims=tuple(
            Claim.judged(
                f"ponsen wins from {name} at {seats} seats",
                above(each),
                "not measured" if each is None else f"{each.text(0)} bb/100",
            )
            for (name, seats), each in found.items()
        ),
        seconds=sum(result.seconds for result in results.values()),
        notes=("Stacks are 100 big blinds before each hand. The agent begins in each seat knowing nobody.",),
    )
