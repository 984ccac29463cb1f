"""Time hand strength, potential and equity, beside other libraries where they are installed.

    python benchmarks/bench_strength.py [--quick]

Every line ends with a checksum of the answer, so that a faster wrong kernel is noticed. Times are the
best of several runs after compilation, in the named number of threads.
"""

import argparse
import time
from collections.abc import Callable
from itertools import combinations
from typing import TypeVar

import numpy as np

from soulread.cards import strength
from soulread.cards.deck import card_name, cards_name, parse_cards
from soulread.cards.equity import equity, equity_all, equity_sampled
from soulread.cards.ranges import Range, parse_range
from soulread.cards.strength import hand_strength_all, potential, potential_all
from soulread.machine import num_threads

Result = TypeVar("Result")

HOLE, FLOP = parse_cards("AdQc"), parse_cards("3h4cJh")
PATHS = 1081 * 990


def best_time(work: Callable[[], Result], runs: int) -> tuple[float, Result]:
    """Best seconds of several runs, the first (compilation) left out, and the result."""
    result = work()
    best = float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def show(name: str, seconds: float, checksum: object, note: str = "") -> None:
    print(f"{name:<52}{1e3 * seconds:>12.3f} ms   {checksum!s:<24}{note}")


def eval7_table(part: int) -> tuple[float, list[int]]:
    """The same look-ahead as a plain loop over eval7.evaluate, on every ``part``-th villain's hand.

    Returns seconds for the whole table, extrapolated by the number of hands.
    """
    import eval7

    cards = [eval7.Card(card_name(card)) for card in range(52)]
    board = [cards[card] for card in FLOP]
    mine = [cards[card] for card in HOLE]
    unseen = [card for card in range(52) if card not in (*HOLE, *FLOP)]
    villains = list(combinations(unseen, 2))[::part]
    start = time.perf_counter()
    own = {
        pair: eval7.evaluate([*mine, *board, cards[pair[0]], cards[pair[1]]])
        for pair in combinations(unseen, 2)
    }
    table = [0] * 9
    now_mine = eval7.evaluate([*mine, *board])
    for a, b in villains:
        his = [cards[a], cards[b], *board]
        now = (eval7.evaluate(his) >= now_mine) + (eval7.evaluate(his) > now_mine)
        for c, d in combinations([card for card in unseen if card not in (a, b)], 2):
            value = eval7.evaluate([*his, cards[c], cards[d]])
            table[3 * now + (value >= own[c, d]) + (value > own[c, d])] += 1
    return (time.perf_counter() - start) * 1081 / len(villains), table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="run eval7's loop on a tenth of the hands")
    quick = parser.parse_args().quick
    print(f"{num_threads()} threads for equity; all else in one thread\n")

    print(f"two-card look-ahead, {cards_name(HOLE)} on {cards_name(FLOP)}, {PATHS:,} paths")
    ours, result = best_time(lambda: potential(HOLE, FLOP), 20)
    table = result.table.astype(int).ravel().tolist()
    show(
        "  soulread potential()",
        ours,
        sum(i * n for i, n in enumerate(table)),
        f"{PATHS / ours / 1e6:.0f} M/s",
    )
    try:
        part = 10 if quick else 1
        seconds, counts = eval7_table(part)
        note = f"{seconds / ours:.0f} times ours" + (f" (extrapolated from 1/{part})" if part > 1 else "")
        show("  eval7, Python loop", seconds, sum(i * n for i, n in enumerate(counts)), note)
    except ImportError:
        print("  eval7 is not installed")
    try:
        import poker_equity

        seconds, theirs = best_time(
            lambda: poker_equity.exact_from_text("holdem", [cards_name(HOLE), "**"], cards_name(FLOP)), 5
        )
        won = sum(table[0::3]), sum(table[1::3])
        agree = (theirs["win_count"][0], theirs["tie_count"][0]) == won
        note = (
            f"{seconds / ours:.1f} times ours (win and tie counts only; {'equal' if agree else 'DIFFERENT'})"
        )
        show("  poker-equity exact", seconds, f"{theirs['players'][0]['equity']:.10f}", note)
    except ImportError:
        print("  poker-equity is not installed")

    print("\nall hands of a flop")
    villain = Range(np.random.default_rng(1).random(1326))

    def afresh() -> strength.PotentialAll:
        strength._outcomes.cache_clear()
        return potential_all(FLOP, villain)

    seconds, everything = best_time(afresh, 5)
    show("  potential_all, weighted range, new board", seconds, f"EHS sum {np.nansum(everything.ehs()):.8f}")
    seconds, everything = best_time(lambda: potential_all(FLOP, villain), 10)
    show(
        "  potential_all, weighted range, same board again",
        seconds,
        f"EHS sum {np.nansum(everything.ehs()):.8f}",
    )
    seconds, strengths = best_time(lambda: hand_strength_all(FLOP, villain), 50)
    show("  hand_strength_all, weighted range", seconds, f"HS sum {np.nansum(strengths):.8f}")
    seconds, values = best_time(lambda: equity_all(villain, FLOP), 5)
    show("  equity_all, weighted range", seconds, f"sum {np.nansum(values):.8f}")

    print("\nequity before the flop")
    aces = parse_cards("AhAs")
    seconds, exact = best_time(lambda: equity(aces, Range.all()), 2)
    show("  AhAs against random, exact", seconds, f"{exact.win:.0f} wins", f"{exact.value:.8f}")
    seconds, values = best_time(lambda: equity_all(Range.all()), 2)
    show("  every hand against random, exact", seconds, f"sum {values.sum():.8f}")
    hero, other = parse_range("77+, ATs+, AJo+"), parse_range("22+, A2s+, KTs+, QTs+")
    seconds, exact = best_time(lambda: equity(hero, other), 2)
    show(f"  {hero} against {other}", seconds, f"{exact.value:.10f}")
    seconds, exact = best_time(lambda: equity(parse_cards("AhKh"), parse_cards("7c7d")), 3)
    show("  AhKh against 7c7d, exact", seconds, f"{exact.value:.10f}")
    seconds, sampled = best_time(
        lambda: equity_sampled(aces, Range.all(), (), 1_000_000, np.random.default_rng(1)), 2
    )
    show("  AhAs against random, 1,000,000 samples", seconds, sampled.estimate.text(5))


if __name__ == "__main__":
    main()
