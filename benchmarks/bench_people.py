"""Persons at the table: what the equilibrium wins from each, and whether they act as the real players did.

    python benchmarks/bench_people.py [HANDS] [CARDS]

Every `person` plays a duplicate match of HANDS hands (3000) against ``equilibrium:CARDS`` (5-5-5-5:quick);
the equilibrium is taken from the cache or solved first. Prints what the equilibrium won in sb/h with its 95%
interval, raw and with luck taken off, and the person's frequencies by round and bets to call beside those of
the real player with two players left. The frequencies need not be equal: the real player met other
opponents, who let other hands come to the flop. Also prints the mean time of a decision.
"""

import sys
import time

import numpy as np
from fit_people import (  # type: ignore[import-not-found]  # it lies beside this file
    GROUPS,
    NUM_SITUATIONS,
    decisions_of,
    group_of,
)

from soulread.estimate import Unit
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import replay
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import play_matches
from soulread.play.opponents.person import load_people
from soulread.study.strategies.leaks import watch

ROUNDS = "preflop", "flop", "turn", "river"
BETS = "nothing", "one bet", "more"


def main() -> int:
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    cards = sys.argv[2] if len(sys.argv) > 2 else "5-5-5-5:quick"
    game = limit_holdem()
    rival = parse_agent(f"equilibrium:{cards}")
    against = rival.make(game)
    real = np.array([facts["actions"] for facts in load_people().facts], dtype=float)
    played = np.zeros_like(real)
    won = []
    for number in range(len(real)):
        spec = parse_agent(f"person:number={number}")
        result = play_matches(game, [rival, spec], hands, duplicate=True, seed=number, aivat=True)
        raw, less = result.estimate(0, Unit.SMALL_BETS), result.estimate_less_luck(Unit.SMALL_BETS)
        assert less is not None
        won.append(less.mean)
        person = spec.make(game)
        for hand in watch(game, (person, against), hands, seed=number):
            for situation, _, _, _, action in decisions_of(hand, hand.seat_of(person.name)):
                played[number, group_of(situation % NUM_SITUATIONS), action] += 1
        print(
            f"person {number:2d}: {raw.mean:+.3f} +- {raw.half_width:.3f} sb/h, without luck "
            f"{less.mean:+.3f} +- {less.half_width:.3f} (n = {raw.n:,} samples); frequencies differ by "
            f"{difference(real[number], played[number]):.3f}",
            flush=True,
        )
    print(f"mean {np.mean(won):.3f}, least {min(won):.3f}, most {max(won):.3f} sb/h")
    print("all persons: fold, call, raise of the real players | at the table, by round and bets to call")
    for group in range(GROUPS):
        ours, theirs = (total[:, group].sum(axis=0) for total in (played, real))
        print(
            f"{ROUNDS[group // 3]:8s} {BETS[group % 3]:8s} {shares(theirs)} (n = {int(theirs.sum()):6,}) | "
            f"{shares(ours)} (n = {int(ours.sum()):6,})"
        )
    print(f"a decision takes {time_of_a_decision():.0f} microseconds")
    return 0


def shares(counts: np.ndarray) -> str:
    """Three frequencies as text."""
    return " ".join(f"{share:.2f}" for share in counts / max(counts.sum(), 1))


def difference(real: np.ndarray, played: np.ndarray) -> float:
    """Mean over the groups, weighted by the real decisions, of half the sum of absolute differences."""
    totals = real.sum(axis=1), played.sum(axis=1)
    both = (totals[0] > 0) & (totals[1] > 0)
    apart = np.abs(real[both] / totals[0][both, None] - played[both] / totals[1][both, None]).sum(axis=1) / 2
    return float((apart * totals[0][both]).sum() / totals[0][both].sum())


def time_of_a_decision() -> float:
    """Mean over the four rounds, in microseconds of CPU time."""
    game = limit_holdem()
    person = parse_agent("person:number=0").make(game)
    rng = np.random.default_rng(0)
    views = []
    for betting, cards in (
        ("r", ""),
        ("rc/c", "9hTs2c"),
        ("rc/cc/", "9hTs2c3d"),
        ("rc/cc/cc/r", "9hTs2c3d4d"),
    ):
        state = replay(game, betting, "AhKd7s7d" + cards)
        views.append(state.view(state.player))
        person.act(views[-1], rng)
    started = time.process_time()
    for _ in range(500):
        for view in views:
            person.act(view, rng)
    return (time.process_time() - started) / 2000 * 1e6


if __name__ == "__main__":
    sys.exit(main())
