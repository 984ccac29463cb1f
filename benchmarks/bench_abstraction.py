"""Time, memory and checks of each step from nothing to the joint matrices of a hold'em abstraction.

Run ``python benchmarks/bench_abstraction.py [--quick] [SPEC ...]``, by default 5-5-5-5 and 8-12-4-4. A
cache of its own is used and deleted (0.7 GB). ``--quick`` leaves out the exact matrices. Kernels that are
not yet compiled are compiled on the way: run it twice to see the work alone. The exit code is 1 when a
number that is known is wrong; times only inform.
"""

import os
import sys
import tempfile
import time
import zlib
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from soulread.abstraction import tables
from soulread.abstraction.joint import NUM_DEALS, Joint, count_joint, sample_joint, some_boards
from soulread.abstraction.states import Abstraction, StateTables, parse_abstraction, states_at
from soulread.cards.arrays import deal_into, hand_of
from soulread.cards.isomorphism import all_boards, find_board
from soulread.cards.ranges import HAND_MASKS, NUM_HANDS
from soulread.kernel import kernel

TIE_RATE = 0.0406741  # of all deals
LOOKUPS = 2_000_000
Result = TypeVar("Result")

console = Console(width=110)


def main() -> int:
    quick = "--quick" in sys.argv
    specs = [text for text in sys.argv[1:] if not text.startswith("-")] or ["5-5-5-5", "8-12-4-4"]
    right = True
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOULREAD_CACHE"] = folder
        timed("boards", all_boards)
        features = timed("features, and writing them", tables.load_features)
        console.print(f"  checksum {crc(features.hole_hs2, features.flop_hs2, features.turn_hs2):08x}")
        for spec in specs:
            right &= measure(spec, quick)
        for entry in tables.info():
            console.print(f"  {entry.what} {entry.spec}: {entry.num_bytes / 1e6:.0f} MB on disk")
    console.print("all answers are right" if right else "[bold red]SOME ANSWERS ARE WRONG[/]")
    return 0 if right else 1


def measure(spec: str, quick: bool) -> bool:
    """Build one abstraction; say whether what is known of it is right."""
    states = "-".join(map(str, parse_abstraction(spec).num_states))
    needed = tables.memory_needed(spec)
    console.rule(f"{spec}: {states} states, {needed.peak / 1e9:.2f} GB expected at the peak")
    abstraction = timed("states", lambda: tables.load_abstraction(spec))
    t = abstraction.tables
    console.print(f"  checksum {crc(t.hole_state, t.flop_state, t.turn_bucket, t.river_cuts):08x}")
    timed("(compiling)", lambda: count_joint(abstraction, some_boards(2)))
    _, fast = timed("quick joint matrices", lambda: tables.load_or_build(spec, quick=True))
    describe(fast)
    right = fast.num_deals == tables.QUICK_BOARDS * NUM_DEALS // 2_598_960
    if not quick:
        _, exact = timed("exact joint matrices", lambda: tables.load_or_build(spec))
        describe(exact)
        right &= exact.num_deals == NUM_DEALS
        right &= abs(exact.tie_rate - TIE_RATE) < 1e-7
        right &= bool(np.abs(exact.reach_in(0) - hole_reach(abstraction)).max() < 1e-12)
        console.print(f"  quick differs by {distance(fast, exact):.4f} (sum of |P_3 - exact P_3|)")
        for deals in (2**20, 2**22):
            sampled = timed(
                f"{deals:,} sampled deals",
                partial(sample_joint, abstraction, deals, np.random.default_rng(1)),
            )
            console.print(f"  sampled differ by {distance(sampled, exact):.4f}")
    timed("loaded again from the cache", lambda: tables.load_or_build(spec, quick))
    rate(abstraction)
    return right


def timed(title: str, work: Callable[[], Result]) -> Result:
    """Do the work and print wall and processor time and the process's peak memory so far."""
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    console.print(f"{title}: {wall:.2f} s wall, {processor:.2f} s processor, peak {peak_memory()}")
    return result


def peak_memory() -> str:
    try:
        import resource
    except ImportError:  # not on Windows
        return "unknown"
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB"


def describe(joint: Joint) -> None:
    console.print(
        f"  {joint.num_deals:,} deals, {100 * joint.tie_rate:.3f}% ties, "
        f"checksum {crc(joint.win_deals, joint.tie_deals):08x}"
    )


def distance(some: Joint, exact: Joint) -> float:
    return float(np.abs(some.reach - exact.reach).sum())


def hole_reach(abstraction: Abstraction) -> NDArray[np.float64]:
    """P_0 from the hole cards alone: all pairs of hands without a common card."""
    apart = (HAND_MASKS[:, None] & HAND_MASKS) == 0
    member = np.eye(abstraction.num_states[0])[abstraction.tables.hole_state]
    reach: NDArray[np.float64] = member.T @ apart @ member / (NUM_HANDS * 1225)
    return reach


def rate(abstraction: Abstraction) -> None:
    """Look-ups of both players' states in random deals, one thread."""
    uniforms = np.random.default_rng(1).random((LOOKUPS, 9))
    look_up(abstraction.tables, uniforms[:10])
    start = time.perf_counter()
    checksum = look_up(abstraction.tables, uniforms)
    seconds = time.perf_counter() - start
    console.print(
        f"{LOOKUPS / seconds / 1e6:.2f} M deals/s dealt and looked up for both players, checksum {checksum}"
    )


@kernel
def look_up(tables: StateTables, uniforms: NDArray[np.float64]) -> int:
    deck = np.arange(52)
    total = 0
    for i in range(len(uniforms)):
        deal_into(uniforms[i], deck)
        places = find_board(tables.boards, deck[4], deck[5], deck[6], deck[7], deck[8])
        total += states_at(tables, places, hand_of(deck[0], deck[1]))[3]
        total += states_at(tables, places, hand_of(deck[2], deck[3]))[3]
    return total


def crc(*arrays: NDArray[np.generic]) -> int:
    value = 0
    for array in arrays:
        value = zlib.crc32(np.ascontiguousarray(array).data, value)
    return value


if __name__ == "__main__":
    sys.exit(main())
