"""Judge the ranges of profiles by cards that they were not told.

    python benchmarks/bench_ranges.py STORE [--players 20] [--known] [--parts 2]

STORE is a store of no-limit hands. The players with the most hands are profiled.

Without ``--known``, for stores in which cards are seen at showdowns: of the hands whose cards were seen,
every other one is hidden from the profile, and the ranges are judged by them. The table has the log-loss of
the class of the cards (nats; 169 classes), as the profile has its ranges, with the model's leaves as they
are, and if every holding were as likely. Intervals are over players.

With ``--known``, for stores in which all cards are known, such as Pluribus': the ranges of the hands in one
of ``--parts`` parts are counted, and every cell's share in the other parts is looked up in the interval that
the profile prints. Only lines with hands enough to be shown count. The other table is the log-loss as above,
but with the cards of all hands without a showdown hidden, and judged by them.
"""

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, NUM_HANDS, hand_index
from soulread.estimate import Estimate
from soulread.hands.facts import Facts, join_facts
from soulread.hands.hand import Cards, Hand, Sight
from soulread.hands.store import Query, Store
from soulread.study.profile import line_strength
from soulread.study.profile.model_ranges import study_model
from soulread.study.profile.profile import MOST_RECORDS, cards_seen
from soulread.study.profile.ranges_by_line import COUNTED, LineRange, lines_taken, ranges_of

LEAST = 1e-9  # a share is at least this, so that a loss is finite


def hidden(records: Mapping[int, Hand], player: str, numbers: set[int]) -> dict[int, Hand]:
    """The same hands, the player's cards hidden in some of them."""
    found = dict(records)
    for number in numbers:
        hand = records[number]
        seat = hand.seat_of(player)
        holes, sights = list(hand.hole), list(hand.sights)
        holes[seat], sights[seat] = None, Sight.UNSEEN
        found[number] = replace(hand, hole=tuple(holes), sights=tuple(sights))
    return found


@contextmanager
def flat_leaves() -> Iterator[None]:
    """The model's leaves as they are: every holding of one leaf is as likely."""
    weights = line_strength.WEIGHTS
    line_strength.WEIGHTS = np.zeros_like(weights)
    try:
        yield
    finally:
        line_strength.WEIGHTS = weights


def losses(
    ranges: tuple[LineRange, ...], facts: Facts, cards: Mapping[int, Cards], asked: set[int]
) -> dict[str, NDArray[np.float64]]:
    """By line, the loss at each hand asked for: -log of the class's share in the range of the line."""
    numbers = facts.seats["hand"].tolist()
    found = {}
    for line, (title, taken) in zip(ranges, lines_taken(facts), strict=True):
        held = [HAND_CELLS[hand_index(*cards[numbers[row]])] for row, _ in taken if numbers[row] in asked]
        if held and not line.too_few and line.source != COUNTED:
            found[title] = -np.log(np.maximum(np.array(line.shares)[held], LEAST))
    return found


def even_loss(facts: Facts, cards: Mapping[int, Cards], asked: set[int]) -> dict[str, NDArray[np.float64]]:
    """The same if every holding were as likely."""
    numbers = facts.seats["hand"].tolist()
    shares = CELL_SIZES / NUM_HANDS
    return {
        title: -np.log(
            shares[
                [HAND_CELLS[hand_index(*cards[numbers[row]])] for row, _ in taken if numbers[row] in asked]
            ]
        )
        for title, taken in lines_taken(facts)
    }


def judge(store: Store, player: str, known: bool) -> dict[str, tuple[NDArray[np.float64], ...]]:
    """By line, the losses with the profile's ranges, with flat leaves, and with even chances."""
    facts, records = hands_of(store, player)
    cards = cards_seen(records, player)
    if known:
        asked = {number for number in cards if not records[number].showdown}
    else:
        asked = set(sorted(cards)[::2])
    told = hidden(records, player, asked)
    shown = {number: two for number, two in cards.items() if number not in asked}
    model = study_model(told, player)
    ours = losses(ranges_of(facts, shown, model), facts, cards, asked)
    with flat_leaves():
        flat = losses(ranges_of(facts, shown, model), facts, cards, asked)
    even = even_loss(facts, cards, asked)
    return {title: (ours[title], flat[title], even[title]) for title in ours}


def hands_of(store: Store, player: str) -> tuple[Facts, dict[int, Hand]]:
    """The facts of a player and the records of the hands, as a profile reads them."""
    number = store.player_number(player)
    facts = join_facts([part for _, part in store.facts(Query(), players=[number])])
    records = dict(store.numbered(np.sort(facts.seats["hand"])[-MOST_RECORDS:].tolist()))
    return facts.take(np.flatnonzero(np.isin(facts.seats["hand"], list(records)))), records


def covered(store: Store, player: str, parts: int) -> tuple[int, int, int, int]:
    """Cells inside of their interval and all cells, of ranges counted in one part; then those with hands."""
    facts, records = hands_of(store, player)
    cards = cards_seen(records, player)
    inside = cells = inside_seen = cells_seen = 0
    order = np.argsort(facts.seats["hand"], kind="stable")
    for part in range(parts):
        mine = np.zeros(order.size, np.bool_)
        mine[order[part::parts]] = True
        ours = ranges_of(facts.take(np.flatnonzero(mine)), cards)
        rest = ranges_of(facts.take(np.flatnonzero(~mine)), cards)
        for line, other in zip(ours, rest, strict=True):
            if line.too_few or line.intervals is None or not other.known:
                continue
            ends = np.array(line.intervals)
            true = np.array(other.shares)
            held = (ends[:, 0] <= true) & (true <= ends[:, 1])
            there = (np.array(line.cells) > 0) | (true > 0)
            inside, cells = inside + int(held.sum()), cells + held.size
            inside_seen, cells_seen = inside_seen + int(held[there].sum()), cells_seen + int(there.sum())
    return inside, cells, inside_seen, cells_seen


def main() -> None:
    """Judge and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--players", type=int, default=20)
    parser.add_argument("--skip", type=int, default=0, help="players with the most hands that are left out")
    parser.add_argument("--known", action="store_true", help="all cards are known")
    parser.add_argument("--parts", type=int, default=2)
    asked = parser.parse_args()
    with Store.open(asked.store, read_only=True) as store:
        names = [player.name for player in store.players()[asked.skip : asked.skip + asked.players]]
        if asked.known:
            counts = np.array([covered(store, name, asked.parts) for name in names])
            inside, cells, inside_seen, cells_seen = counts.sum(axis=0).tolist()
            print(f"{inside:,} of {cells:,} cells ({inside / cells:.1%}) are inside of their interval")
            share = inside_seen / cells_seen
            print(f"of those with a hand in either part {inside_seen:,} of {cells_seen:,} ({share:.1%})")
            for name, (one, of, seen, of_seen) in zip(names, counts.tolist(), strict=True):
                print(f"  {name}: {one / of:.1%} of {of:,}; {seen / of_seen:.1%} of {of_seen:,}")
        judged = [judge(store, name, asked.known) for name in names]
    table(judged)


def table(judged: list[dict[str, tuple[NDArray[np.float64], ...]]]) -> None:
    """Print mean losses by line and over all, with the gain over flat leaves by player."""
    titles = list(dict.fromkeys(title for one in judged for title in one))
    print(f"{'line':<38} {'n':>7} {'profile':>8} {'flat':>8} {'even':>8}  gain over flat, over players")
    for title in [*titles, "all lines"]:
        mine = [
            [np.concatenate([one[t][k] for t in one if title in (t, "all lines")]) for k in range(3)]
            for one in judged
            if title in one or (title == "all lines" and one)
        ]
        each = [np.concatenate([player[k] for player in mine]) for k in range(3)]
        gain = Estimate.of(np.array([float((player[1] - player[0]).mean()) for player in mine]))
        told = f"{gain.mean:+.3f}" + (f" ± {gain.half_width:.3f}" if len(mine) > 1 else "")
        means = " ".join(f"{float(part.mean()):>8.3f}" for part in each)
        print(f"{title:<38} {each[0].size:>7,} {means}  {told} ({len(mine)} players)", flush=True)


if __name__ == "__main__":
    main()
