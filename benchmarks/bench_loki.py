"""Time Loki's models: re-weighting after an action, and our hand against weight tables, beside plain NumPy.

    python benchmarks/bench_loki.py [--part weights] [--runs N]

Every line ends with a checksum of the answer, so that a faster wrong kernel is noticed. Times are medians of
several runs after compilation, on one thread. The NumPy twin does the same re-weighting uncompiled.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from soulread.cards.deck import parse_cards
from soulread.cards.scales import values
from soulread.cards.scales.values import Scale, board_scale, ehs_against
from soulread.games.named import parse_game
from soulread.games.poker import PokerView, replay
from soulread.model.loki.contexts import walk
from soulread.model.loki.model import DOUBT, WIDE, LokiModel, default_frequencies
from soulread.model.loki.triples import FLOOR
from soulread.model.loki.weights import LEAST, bars_of, even_weights, ramp_ends, reweigh_by_triples

Result = TypeVar("Result")

PLAYERS = 10
HOLE = parse_cards("AdQc")
FLOPS = ("3h4cJh", "3h4cJs", "9h8cTs", "AsKd2c", "7d7s2h", "QhJh3d", "5c6c8d", "KsTs4s")


def median_time(work: Callable[[int], Result], runs: int) -> tuple[float, Result]:
    """Median seconds of several runs, each with its number; the first (compilation) is left out."""
    result = work(0)
    seconds = []
    for number in range(1, runs + 1):
        start = time.perf_counter()
        result = work(number)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), result


def show(name: str, seconds: float, checksum: object, note: str = "") -> None:
    print(f"{name:<66}{1e3 * seconds:>10.3f} ms   {checksum!s:<20}{note}")


def nine_called() -> PokerView:
    """Ten players on a flop: the first seat, which is ours, bet, and each of the nine others called."""
    game = parse_game(f"ring-limit:{PLAYERS}")
    hole = (*HOLE, *[None] * (2 * PLAYERS - 2))
    calls = "c" * PLAYERS
    state = replay(game, f"{calls}/r{calls[1:]}", (*hole, *parse_cards(FLOPS[0])))
    return replace(state.view(0), board=parse_cards(FLOPS[0]))


def numpy_reweigh(weights: np.ndarray, scale: Scale, fold: float, raised: float, action: int) -> np.ndarray:
    """The twin: bars by quantiles, triples of all holdings, doubt and floor, in plain NumPy."""
    possible = np.sort(scale.values[scale.values >= 0])
    ramps = []
    for q in (fold, 1 - raised):
        begin, end = ramp_ends(q, WIDE)
        inside = np.clip([begin, end], 0, 1)
        low, high = possible[np.minimum((inside * possible.size).astype(np.int64), possible.size - 1)]
        slope = (high - low) / max(inside[1] - inside[0], 1e-9)
        low, high = low - slope * (inside[0] - begin), high + slope * (end - inside[1])
        ramps.append(np.clip((scale.values - low) / max(high - low, 1e-12), 0, 1))
    stay, above = ramps[0], np.minimum(*ramps)
    plain = (1 - stay, stay - above, above)[action]
    chances = (1 - FLOOR) * plain + FLOOR / 3
    held = weights * (scale.values >= 0)
    after = weights * ((1 - DOUBT) * chances + DOUBT * (held @ chances / held.sum()))
    floored: np.ndarray = np.maximum(after, LEAST * after.max())
    return floored


def bench_weights(runs: int) -> None:
    last = nine_called()
    models = [LokiModel(last.game, "som") for _ in range(PLAYERS)]
    for seat in range(1, PLAYERS):
        models[seat].table(last, seat)

    def nine_models(_: int) -> float:
        """The last action of each opponent anew, from the table that stands before it."""
        walk.cache_clear()
        total = 0.0
        for seat in range(1, PLAYERS):
            models[seat]._tables.popitem()
            total += float(models[seat].table(last, seat).sum())
        return total

    seconds, checksum = median_time(nine_models, runs)
    show("re-weighting nine opponents after an action of each", seconds, f"{checksum:.6f}", "< 5 ms")

    scale = board_scale(last.board, PLAYERS - 1)
    rates = default_frequencies(PLAYERS)[4]
    fold, raised = rates
    start = even_weights()

    def kernels(_: int) -> float:
        total = 0.0
        for _seat in range(PLAYERS - 1):
            after = start.copy()
            reweigh_by_triples(after, scale, bars_of(scale, rates, WIDE), 1, True, True, DOUBT)
            total += float(after.sum())
        return total

    seconds, checksum = median_time(kernels, runs)
    show("  the same, kernels alone", seconds, f"{checksum:.6f}")
    seconds, twin = median_time(
        lambda _: sum(
            float(numpy_reweigh(start, scale, fold, raised, 1).sum()) for _seat in range(PLAYERS - 1)
        ),
        runs,
    )
    show("  the same, NumPy twin", seconds, f"{twin:.6f}")

    def new_board(number: int) -> float:
        values.strengths.cache_clear()
        values._board_scale.cache_clear()
        return float(board_scale(parse_cards(FLOPS[number % len(FLOPS)]), 3).values.sum())

    seconds, checksum = median_time(new_board, runs // len(FLOPS) * len(FLOPS))
    show("values of all 1326 holdings on a new flop (once for all)", seconds, f"{checksum:.6f}")
    tables = [models[seat].holdings(last, seat) for seat in range(1, PLAYERS)]
    seconds, standing = median_time(
        lambda n: ehs_against(HOLE, parse_cards(FLOPS[n % len(FLOPS)]), tables),
        runs // len(FLOPS) * len(FLOPS),
    )
    show("EHS of our hand against nine tables on a new board", seconds, f"{standing.ehs:.9f}", "< 20 ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=("weights",), default="weights")
    parser.add_argument("--runs", type=int, default=200)
    arguments = parser.parse_args()
    bench_weights(arguments.runs)


if __name__ == "__main__":
    main()
