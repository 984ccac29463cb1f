"""Do 95% intervals cover? Many short matches of an agent that learns, judged by every kind of sample.

    python benchmarks/bench_intervals.py [HERO] [VILLAIN] [HANDS] [MATCHES] [GAME]

By default ``dbbr:T=50,k=600`` against ``random``, 300 matches of 600 hands of Leduc, about two minutes. That
agent reads its opponent once, after 50 hands, so all later hands of a match share one luck. The mean of all
matches stands for the truth. For intervals over hands (as if they were independent), over blocks of one match
and over some matches, the script prints how often the interval holds the truth. It also prints how much
narrower the estimated standard error is than the spread that the matches really have. The exit code is 1 if
intervals over matches cover less than 90%.
"""

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from soulread import estimate
from soulread.estimate import Estimate, Sampling
from soulread.games.named import parse_game
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import play_matches

GROUPS = 2, 3, 5, 10  # matches in an interval
BLOCKS = 5, 10, 20, 40, 80


def main() -> int:
    given = dict(enumerate(sys.argv[1:]))
    hero, villain = given.get(0, "dbbr:T=50,k=600"), given.get(1, "random")
    hands, matches, game = int(given.get(2, 600)), int(given.get(3, 300)), given.get(4, "leduc")
    result = play_matches(
        parse_game(game), [parse_agent(text) for text in (hero, villain)], hands, matches=matches, seed=7
    )
    won = result.profits[:, :, 0] / result.stakes.small_bet
    truth = float(won.mean())
    print(f"{game}: {hero} against {villain}, {matches} matches of {hands} hands; {truth:.4f} sb/h")
    print("samples                   matches   covered   error too small by")

    def row(name: str, group: int, interval: Callable[[NDArray[np.float64]], Estimate]) -> float:
        groups = won[: matches // group * group].reshape(-1, group, hands)
        found = [interval(part) for part in groups]
        covered = float(np.mean([low <= truth <= high for low, high in (each.interval for each in found)]))
        real = np.std([each.mean for each in found], ddof=1)
        claimed = np.sqrt(np.mean([each.standard_error**2 for each in found]))
        print(f"{name:25s} {group:7d} {covered:9.1%} {real / claimed:12.2f} times")
        return covered

    for group in (1, *GROUPS):
        row("hands, as if independent", group, lambda part: Estimate.of(part.ravel()))
    chosen = estimate.BLOCKS
    for blocks in BLOCKS:
        estimate.BLOCKS = blocks
        row(f"{blocks} blocks", 1, Sampling(1, hands, learning=True).estimate)
    estimate.BLOCKS = chosen
    covered = [row("matches", group, Sampling(group, hands, learning=True).estimate) for group in GROUPS]
    return 0 if min(covered) >= 0.9 else 1


if __name__ == "__main__":
    sys.exit(main())
