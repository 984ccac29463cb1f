"""Does a clone play like its player? Frequencies of 12 statistics in play beside hands that were held out.

    python benchmarks/bench_clone.py STORE [--players FILE] [--hands 5000] [--held fifth|last] [--seed 1]

For each player (the 20 with the most hands, or the names in FILE): a clone is fitted to four fifths of the
player's hands, and the last fifth, or every fifth hand, is held out. The clone sits down at the tables
of the hands held out: same seats, stacks and blinds, new cards. Everybody else is played by a clone of all
others at these tables, fitted to the same four fifths. What it does in ``--hands`` hands is then counted.
A case is a statistic of a player: is the clone's frequency inside the 95% interval (Wilson) of the hands
held out? Beside it stands the yardstick: the same of the player's own frequency in the hands not held out.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from soulread.estimate import wilson_interval
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import PokerGame
from soulread.hands.facts import facts_of
from soulread.hands.hand import Hand
from soulread.hands.record import seen_by_dealer
from soulread.hands.referee import game_of_holdem
from soulread.hands.statistics import STATISTICS, Occasions
from soulread.hands.store import Query, Store
from soulread.model.clone.model import CloneModel
from soulread.streams import stream

NAMES = (
    "VPIP",
    "PFR",
    "limp",
    "3-bet",
    "fold to 3-bet",
    "steal",
    "fold to steal",
    "c-bet flop",
    "fold to c-bet flop",
    "aggression frequency",
    "WTSD",
    "W$SD",
)
CHOSEN = [next(one for one in STATISTICS if one.name == name) for name in NAMES]
PART = 5  # one in so many hands is held out
CLONE = "the clone"

Counts = list[tuple[int, int]]  # chances and actions of each statistic


def counts_of(hands: Sequence[Hand], player: str) -> Counts:
    """What a player did in hands."""
    facts = facts_of(hands)
    first = np.cumsum([0, *(hand.num_players for hand in hands)])[:-1]
    own = facts.take(first + np.array([hand.players.index(player) for hand in hands]))
    occasions = Occasions(own)
    return [(had.size, took.size) for had, took in map(occasions.of, CHOSEN)]


def play(game: PokerGame, seat: int, clone: CloneModel, others: CloneModel, rng: np.random.Generator) -> Hand:
    """A hand of the clone in one seat and of the others in all the rest."""
    cards = iter(rng.permutation(game.rules.deck)[: game.num_cards].tolist())
    state = game.start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(next(cards))
        else:
            model = clone if state.player == seat else others
            state = state.apply(model.act(state.view(state.player), rng))
    return seen_by_dealer(state, [CLONE if s == seat else f"seat {s}" for s in range(game.num_players)])


def rate(counts: tuple[int, int]) -> float:
    return counts[1] / max(counts[0], 1)


def inside(held: tuple[int, int], found: float) -> bool:
    low, high = wilson_interval(held[1], held[0]) if held[0] else (0.0, 1.0)
    return low <= found <= high


def judge(hands: list[Hand], player: str, how: str, count: int, seed: int) -> tuple[list[bool], list[bool]]:
    """For each statistic, whether clone and yardstick are inside."""
    places = np.arange(len(hands))
    out = places % PART == PART - 1 if how == "fifth" else places >= len(hands) * (PART - 1) // PART
    known = [hand for hand, gone in zip(hands, out, strict=True) if not gone]
    held = [hand for hand, gone in zip(hands, out, strict=True) if gone]
    clone = CloneModel(game_of_holdem(known[-1])).fit(known, player)
    others = clone.of_others()
    rng = stream(seed, "clone", player)
    played = [
        play(game_of_holdem(hand), hand.players.index(player), clone, others, rng)
        for hand in (held[k % len(held)] for k in range(count))
    ]
    real, own, before = counts_of(held, player), counts_of(played, CLONE), counts_of(known, player)
    clones = [inside(one, rate(other)) for one, other in zip(real, own, strict=True)]
    yardstick = [inside(one, rate(other)) for one, other in zip(real, before, strict=True)]
    outside = [
        f"{name} {rate(one):.3f} (n={one[0]}) clone {rate(other):.3f}"
        for name, one, other, kept in zip(NAMES, real, own, clones, strict=True)
        if not kept
    ]
    print(
        f"{player:<24}{len(hands):>7,} hands {sum(clones):>3} of {len(NAMES)}  {'; '.join(outside)}",
        flush=True,
    )
    return clones, yardstick


def share(cases: list[list[bool]]) -> str:
    """The share of cases inside, and its 95% interval over players."""
    each = np.mean(cases, axis=1)
    half = 1.96 * each.std(ddof=1) / np.sqrt(len(each)) if len(each) > 1 else float("nan")
    return f"{each.mean():.1%} ± {half:.1%} of {np.size(cases)} cases"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--players", help="file with a name on each line")
    parser.add_argument("--hands", type=int, default=5000)
    parser.add_argument("--held", choices=("fifth", "last"), default="fifth")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with Store.open(asked.store, read_only=True) as store:
        there = [one.name for one in store.players()]
        names = Path(asked.players).read_text().split() if asked.players else there[:20]
        clones, yardsticks = [], []
        for name in (name for name in names if name in there):
            hands = [hand for _, hand in store.find(Query(player=name))]
            one, other = judge(hands, name, asked.held, asked.hands, asked.seed)
            clones.append(one)
            yardsticks.append(other)
    print(f"\nheld out: {asked.held}; seed {asked.seed}; {asked.hands:,} hands of each clone")
    print(f"inside the 95% interval, clone:               {share(clones)}")
    print(f"inside it, the player's own other hands:      {share(yardsticks)}")
    for place, name in enumerate(NAMES):
        print(f"  {name:<24}{np.mean([row[place] for row in clones]):>6.0%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
