"""Hands per second of the evaluator beside eval7, phevaluator and treys, with checks of the answers.

Run ``python benchmarks/bench_evaluate.py``. One core is used. The exit code is 1 when a value, a
checksum or a frequency is wrong; speeds only inform.
"""

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from soulread.cards.arrays import deal_into
from soulread.cards.deck import card_name
from soulread.cards.evaluate import (
    NUM_VALUES,
    Category,
    Tables,
    category,
    evaluate,
    evaluate_batch,
    tables,
    value_of,
)
from soulread.kernel import kernel

BATCH = 4_000_000
BATCH_CHECKSUM = 13_465_444_433
SEVEN_CARD_HANDS = (
    23_294_460,
    58_627_800,
    31_433_400,
    6_461_620,
    6_180_020,
    4_047_644,
    3_473_184,
    224_848,
    41_584,
)
SEVEN_CARD_VALUES = 4_824
SEVEN_CARD_ROYAL_FLUSHES = 4_324


def main() -> int:
    console = Console(width=110)
    start = time.perf_counter()
    tables()
    console.print(f"tables built in {time.perf_counter() - start:.2f} s")
    cards = random_hands(BATCH, seed=2024)
    right = compare(console, cards)
    right &= enumerate_all(console)
    console.print("all answers are right" if right else "[bold red]SOME ANSWERS ARE WRONG[/]")
    return 0 if right else 1


def compare(console: Console, cards: NDArray[np.uint8]) -> bool:
    """Print ours and the others' speed on the same random 7-card hands; say whether all agree."""
    evaluate_batch(cards[:1])
    seconds = min(timed(lambda: evaluate_batch(cards)) for _ in range(5))
    values = evaluate_batch(cards)
    checksum = int(values.sum(dtype=np.int64))
    batch_speed = len(cards) / seconds

    table = Table(title="random 7-card hands, one core, called from Python, best of five runs")
    for column in ("evaluator", "hands", "hands/s", "batch is faster by", "same order and ties"):
        table.add_column(column, justify="left" if column == "evaluator" else "right")
    table.add_row("soulread evaluate_batch", f"{len(cards):,}", f"{batch_speed:,.0f}", "1", "")

    right = checksum == BATCH_CHECKSUM
    one_by_one = cards[:200_000].tolist()
    for name, count, hands, function in (
        ("soulread evaluate", 200_000, one_by_one, evaluate),
        *other_evaluators(cards),
    ):
        seconds = min(timed(lambda: list(map(function, hands))) for _ in range(5))  # noqa: B023  (called at once)
        agrees = same_order(values[:count], np.array(list(map(function, hands))))
        right &= agrees
        speed = count / seconds
        table.add_row(
            name,
            f"{count:,}",
            f"{speed:,.0f}",
            f"{batch_speed / speed:,.0f}",
            "yes" if agrees else "[red]NO[/]",
        )
        if function is evaluate:
            latency = 1e6 / speed
    console.print(table)
    console.print(f"one hand by evaluate: {latency:.2f} microseconds")
    console.print(f"checksum of the values: {checksum:,} ({verdict(checksum == BATCH_CHECKSUM)})")
    return right


def other_evaluators(
    cards: NDArray[np.uint8],
) -> list[tuple[str, int, list[Any], Callable[[Any], int]]]:
    """Name, number of hands, the hands in the evaluator's own cards, and the function, where installed."""
    found: list[tuple[str, int, list[Any], Callable[[Any], int]]] = []

    def own_cards(count: int, deck: Sequence[Any]) -> list[list[Any]]:
        return [[deck[card] for card in hand] for hand in cards[:count].tolist()]

    names = [card_name(card) for card in range(52)]
    try:
        import eval7

        found.append(
            ("eval7", 200_000, own_cards(200_000, [eval7.Card(name) for name in names]), eval7.evaluate)
        )
    except ImportError:
        pass
    try:
        import phevaluator

        found.append(
            (
                "phevaluator",
                50_000,
                own_cards(50_000, range(52)),
                lambda hand: -phevaluator.evaluate_cards(*hand),
            )
        )
    except ImportError:
        pass
    try:
        import treys

        judge = treys.Evaluator()
        found.append(
            (
                "treys",
                20_000,
                own_cards(20_000, [treys.Card.new(name) for name in names]),
                lambda hand: -judge.evaluate(hand[:2], hand[2:]),
            )
        )
    except ImportError:
        pass
    return found


def enumerate_all(console: Console) -> bool:
    """Count all 133,784,560 seven-card hands by category; say whether every number is right."""
    count_values(tables(), 7)  # compile
    start = time.perf_counter()
    count = count_values(tables(), 52)
    seconds = time.perf_counter() - start
    by_category = np.zeros(len(Category), dtype=np.int64)
    np.add.at(by_category, [category(value) for value in range(NUM_VALUES)], count)

    table = Table(title="every 7-card hand")
    table.add_column("category")
    table.add_column("hands", justify="right")
    table.add_column("expected", justify="right")
    for kind, expected in zip(Category, SEVEN_CARD_HANDS, strict=True):
        table.add_row(kind.name.replace("_", " ").lower(), f"{by_category[kind]:,}", f"{expected:,}")
    table.add_row("royal flush (among these)", f"{count[-1]:,}", f"{SEVEN_CARD_ROYAL_FLUSHES:,}")
    table.add_row("all", f"{count.sum():,}", f"{sum(SEVEN_CARD_HANDS):,}")
    table.add_row("different values", f"{np.count_nonzero(count):,}", f"{SEVEN_CARD_VALUES:,}")
    console.print(table)
    right = (
        tuple(by_category.tolist()) == SEVEN_CARD_HANDS
        and np.count_nonzero(count) == SEVEN_CARD_VALUES
        and count[-1] == SEVEN_CARD_ROYAL_FLUSHES
    )
    console.print(
        f"{count.sum():,} hands in {seconds:.2f} s, {count.sum() / seconds:,.0f} hands/s ({verdict(right)})"
    )
    return bool(right)


@kernel
def count_values(tables: Tables, deck: int) -> NDArray[np.int64]:
    """Number of 7-card hands of each value ``[7462]`` among the first ``deck`` cards."""
    w, m = tables.words, tables.masks
    count = np.zeros(NUM_VALUES, dtype=np.int64)
    for a in range(deck):
        for b in range(a):
            w2, m2 = w[a] + w[b], m[a] + m[b]
            for c in range(b):
                w3, m3 = w2 + w[c], m2 + m[c]
                for d in range(c):
                    w4, m4 = w3 + w[d], m3 + m[d]
                    for e in range(d):
                        w5, m5 = w4 + w[e], m4 + m[e]
                        for f in range(e):
                            w6, m6 = w5 + w[f], m5 + m[f]
                            for g in range(f):
                                count[value_of(tables, w6 + w[g], m6 + m[g])] += 1
    return count


def random_hands(count: int, seed: int) -> NDArray[np.uint8]:
    """``count`` hands of seven different cards, ``[count, 7]``."""
    cards = np.empty((count, 7), dtype=np.uint8)
    deal_hands(np.random.default_rng(seed).random((count, 7)), cards)
    return cards


@kernel
def deal_hands(uniforms: NDArray[np.float64], cards: NDArray[np.uint8]) -> None:
    deck = np.arange(52)
    for i in range(len(cards)):
        deal_into(uniforms[i], deck)
        cards[i] = deck[:7]


def same_order(values: NDArray[np.uint16], theirs: NDArray[np.int64]) -> bool:
    """Whether two evaluators order and tie the same hands alike."""
    pairs = np.unique(np.stack([values.astype(np.int64), theirs], axis=1), axis=0)
    return bool((np.diff(pairs, axis=0) > 0).all())


def timed(work: Callable[[], object]) -> float:
    """Seconds that the work takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def verdict(right: bool) -> str:
    return "right" if right else "WRONG"


if __name__ == "__main__":
    sys.exit(main())
