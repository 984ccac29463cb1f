"""Matches of the no-limit agent `ponsen` with simple players, at tables of two and of six. Our own question.

In a match the agent sits with one kind of opponent in all other seats, and learns how each of them plays. A
match is duplicate: it is played once from each seat with the same cards, and the agent begins each time
knowing nobody. So the agent gets every holding of every deal, and much of the luck of the cards drops out. A
sample is a match: hands of a match are not independent where somebody learns. Opponents who fold much lose
little a hand, so against them more matches are played.
"""

from collections.abc import Sequence

import numpy as np

from soulread.estimate import Estimate, Sampling, Unit
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.report import Claim, Measure, Report, ResultTable, worded
from soulread.reproduce.kit.rings import ring_task
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import above
from soulread.tasks import TaskResult

AGENT = "ponsen:playouts=1500"
OPPONENTS = {  # name: text, and how many times as many matches are played
    "always-call": ("always-call", 1),
    "random": ("random", 1),
    "tight": ("plain:style=tight", 6),
    "loose": ("plain:style=loose", 2),
}
SEATS = 2, 6


def game_of(seats: int) -> str:
    """No-limit hold'em, 100 big blinds deep."""
    return "nolimit" if seats == 2 else f"nolimit:players={seats}"


def grid_of(matches: int, hands: int, seed: int) -> TaskGrid[tuple[str, int]]:
    """The matches of the agent with one kind of opponent, by its name and the number of seats."""
    return TaskGrid(
        {
            (name, seats): [
                ring_task(game_of(seats), [AGENT, *[text] * (seats - 1)], hands, seed, number)
                for number in range(times * matches)
            ]
            for seats in SEATS
            for name, (text, times) in OPPONENTS.items()
        }
    )


def won(results: Sequence[TaskResult], seats: int) -> Estimate | None:
    """The agent's win rate in bb/100; None without a match."""
    if not results:
        return None
    profits = np.stack([result["profits"][:, 0] for result in results])
    stakes = stakes_of(parse_game(game_of(seats)))
    scale = Unit.BIG_BLINDS_PER_100.per_chip(stakes.small_bet, stakes.big_blind)
    return Sampling(len(results), profits.shape[1], learning=True).estimate(profits).scaled(scale)


def matches(options: RunOptions) -> Report:
    """Play the matches, and say against whom the agent wins beyond the interval."""
    sizes = options.sizes(matches=(2, 4), hands=(20, 150))
    grid = grid_of(**sizes)
    grid.run(options)
    found = {place: won(grid.at(place), place[1]) for place in grid.cells}
    return Report(
        name="ponsen-matches",
        title="what ponsen wins from simple no-limit players",
        source="our own question; the agent is after Ponsen et al. (2008)",
        settings={
            "agent": AGENT,
            "opponents": ", ".join(text for text, _ in OPPONENTS.values()),
            "matches": sizes["matches"],
            "hands": f"{sizes['hands']}, each dealt once for every seat of the agent",
            "seed": options.seed,
        },
        tables=(
            ResultTable.counted(
                "won",
                Unit.BIG_BLINDS_PER_100.value,
                [Measure(name, f"{seats} seats", each) for (name, seats), each in found.items() if each],
                "matches",
                "Against tight players six times as many matches, against loose ones twice as many.",
                0,
            ),
        ),
        claims=tuple(
            Claim.judged(f"ponsen wins from {name} at {seats} seats", above(each), worded(each, 0, "bb/100"))
            for (name, seats), each in found.items()
        ),
        seconds=grid.seconds,
        notes=("Stacks are 100 big blinds before each hand. The agent begins in each seat knowing nobody.",),
    )
