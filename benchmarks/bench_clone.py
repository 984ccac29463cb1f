"""Does a clone play like its player? Frequencies of 12 statistics in play beside hands that were held out.

    python benchmarks/bench_clone.py STORE [--players FILE] [--hands 5000] [--held fifth|last] [--seed 1]
                                     [--json FILE]

For each player (the 20 with the most hands, or the names in FILE): a clone is fitted to four fifths of the
player's hands, and the last fifth, or every fifth hand, is held out. The clone sits down at the tables
of the hands held out: same seats, stacks and blinds, new cards. Everybody else is played by a clone of all
others at these tables, fitted to the same four fifths. What it does in ``--hands`` hands is then counted.
A case is a statistic of a player: is the clone's frequency inside the 95% interval (Wilson) of the hands
held out? Beside it stand two yardsticks: the same of the player's own frequency in the hands not held out;
and how often a perfect copy would be inside, counted in as many chances as the clone had. A perfect copy is
outside at times because both frequencies are counted in finitely many hands.

A last table has, for each statistic, the share of players inside, and the mean of what the clone does more
often than the player in all hands, with its standard error over players: a bias is seen there, luck is not.
``--json`` keeps the counts.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from soulread.estimate import wilson_interval
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import CALL, FOLD, PokerGame
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
COPIES = 2000  # perfect copies of each case

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
        elif state.folded[seat]:  # what happens now is no statistic of the clone: the hand ends quickly
            state = state.apply(FOLD if FOLD in state.legal_actions() else CALL)
        else:
            model = clone if state.player == seat else others
            state = state.apply(model.act(state.view(state.player), rng))
    return seen_by_dealer(state, [CLONE if s == seat else f"seat {s}" for s in range(game.num_players)])


def rate(counts: tuple[int, int]) -> float:
    return counts[1] / max(counts[0], 1)


def inside(held: tuple[int, int], found: float) -> bool:
    low, high = wilson_interval(held[1], held[0]) if held[0] else (0.0, 1.0)
    return low <= found <= high


def copy_inside(held: tuple[int, int], played: tuple[int, int], p: float, rng: np.random.Generator) -> float:
    """How often a perfect copy is inside, whose true frequency ``p`` is that of the player."""
    if not held[0] or not played[0]:
        return 1.0
    real, own = rng.binomial(held[0], p, COPIES), rng.binomial(played[0], p, COPIES) / played[0]
    return float(np.mean([inside((held[0], one), other) for one, other in zip(real, own, strict=True)]))


class Judged(NamedTuple):
    """The counts of each statistic of a player."""

    player: str
    held: Counts
    clone: Counts
    before: Counts  # of the hands not held out

    @property
    def clones(self) -> list[bool]:
        return [inside(one, rate(other)) for one, other in zip(self.held, self.clone, strict=True)]

    @property
    def yardstick(self) -> list[bool]:
        return [inside(one, rate(other)) for one, other in zip(self.held, self.before, strict=True)]

    @property
    def all(self) -> list[float]:
        """The player's frequencies in all hands."""
        both = zip(self.held, self.before, strict=True)
        return [rate((one[0] + other[0], one[1] + other[1])) for one, other in both]

    def copies(self, rng: np.random.Generator) -> list[float]:
        cases = zip(self.held, self.clone, self.all, strict=True)
        return [copy_inside(*case, rng) for case in cases]


def judge(hands: list[Hand], player: str, how: str, count: int, seed: int) -> Judged:
    """Let a clone play, and count."""
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
    found = Judged(player, counts_of(held, player), counts_of(played, CLONE), counts_of(known, player))
    cases = zip(NAMES, found.held, found.clone, found.clones, strict=True)
    outside = [
        f"{name} {rate(one):.3f} (n={one[0]}) clone {rate(other):.3f} (n={other[0]})"
        for name, one, other, kept in cases
        if not kept
    ]
    print(
        f"{player:<24}{len(hands):>7,} hands {sum(found.clones):>3} of {len(NAMES)}  {'; '.join(outside)}",
        flush=True,
    )
    return found


def share(cases: Sequence[Sequence[float]]) -> str:
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
    parser.add_argument("--json", help="file for the counts")
    asked = parser.parse_args()
    with Store.open(asked.store, read_only=True) as store:
        there = [one.name for one in store.players()]
        names = Path(asked.players).read_text().split() if asked.players else there[:20]
        found = [
            judge(
                [hand for _, hand in store.find(Query(player=name))],
                name,
                asked.held,
                asked.hands,
                asked.seed,
            )
            for name in names
            if name in there
        ]
    if asked.json:
        Path(asked.json).write_text(json.dumps([one._asdict() for one in found]))
    clones = [one.clones for one in found]
    rng = stream(asked.seed, "copies")
    print(f"\nheld out: {asked.held}; seed {asked.seed}; {asked.hands:,} hands of each clone")
    print(f"inside the 95% interval, clone:               {share(clones)}")
    print(f"inside it, the player's own other hands:      {share([one.yardstick for one in found])}")
    print(f"inside it, a perfect copy:                    {share([one.copies(rng) for one in found])}")
    print(f"  {'':<24}inside   clone less player")
    for place, name in enumerate(NAMES):
        more = np.array([rate(one.clone[place]) - one.all[place] for one in found])
        error = more.std(ddof=1) / np.sqrt(more.size) if more.size > 1 else float("nan")
        kept = np.mean([row[place] for row in clones])
        print(f"  {name:<24}{kept:>6.0%}   {more.mean():+.3f} ± {1.96 * error:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
