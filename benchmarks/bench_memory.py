"""Memory of opponents: what 500 remembered hands are worth, and what they cost if the opponent has changed.

    python benchmarks/bench_memory.py [--game leduc] [--each N] [--players soul dbr:T=100,k=50 ...]
        [--results FILE]

In a game of two every player meets opponents of the zoo that are for judging, N of each family that plays the
same in
all matches. All strategies are valued by what they win from each other, in Leduc exactly, in limit hold'em on
the same boards for both, so cards do not count (`soulread.play.match.judges.ByWorth`).

    single     hands 501 to 700 of one match
    memory     the first 200 hands of the next match, with the first 500 hands of the match before remembered
    nothing    the first 200 hands of the next match, with nothing remembered
    changed    as memory, but somebody of another family sits there now under the remembered name
    kept on    the same, if the read is never dropped

Amounts are mb/g. Opponents are the samples of every interval, with one match each. The first verdict is about
won(memory) - 0.8 won(single), the same of the gain beyond the equilibrium, and the second one about the worst
result of ``changed`` beside the budget of soul. FILE keeps results, so that a run that was broken off goes
on. The exit code is 1 if a verdict fails.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

from soulread.estimate import Estimate, Unit
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.model import same_player
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.judges import ByWorth
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match, play_with_notes
from soulread.play.memory import Recollection, SeatMemory
from soulread.play.opponents.zoo import ZooOpponent, equilibrium_text, zoo
from soulread.play.tabular import strategy_of
from soulread.reproduce.ours.zoo_matches import some_of_each

STEADY = "bent", "unfinished", "rules", "people"
REMEMBERED, JUDGED = 500, 200  # hands
SHARE = 0.8
BUDGET = 250.0  # mb/g, soul's
NAME = "Bob"


class Bench:
    """Matches of players with opponents, valued in mb/g."""

    def __init__(self, game: PokerGame) -> None:
        self.game = game
        self.judge = ByWorth(
            self.game, usual=strategy_of(parse_agent(equilibrium_text(self.game)), self.game)
        )
        self.scale = Unit.MILLIBETS.per_chip(game.rules.small_bet, game.rules.big_blind)
        self.agents: dict[str, Any] = {}

    def play(
        self, player: str, opponent: str, hands: int, number: int, remembered: tuple[Hand, ...] = ()
    ) -> tuple[np.ndarray, np.ndarray, tuple[Hand, ...], int]:
        """Won, and won by the equilibrium, in each hand; the hands; after how many the read was dropped."""
        for text in (player, opponent):
            if text not in self.agents:
                self.agents[text] = parse_agent(text).make(self.game)
        match = Match(self.game, (self.agents[player], self.agents[opponent]), hands)
        own, other = match.labels
        kept: list[Hand] = []
        dropped: list[int] = []
        known = Recollection(own, {other: NAME}, remembered, f"match {number}")
        memory = SeatMemory(known, kept.append, lambda text: dropped.append(len(kept)))
        match.memories = memory, None

        def ignore(hand: LiveHand) -> None:
            """Hands are kept by the memory."""

        played = play_with_notes(match, 33, number, None, ignore, self.judge, False)
        assert played.less_luck is not None
        usual = np.array(self.judge.beside)
        first = dropped[0] if dropped else 0
        return played.less_luck * self.scale, usual * self.scale, tuple(kept), first

    def meet(self, player: str, opponent: ZooOpponent, other: ZooOpponent, number: int) -> dict[str, Any]:
        """All matches of a player with an opponent, and then with another one under the same name."""
        found: dict[str, Any] = {"player": player, "opponent": opponent.label, "other": other.label}
        began = time.process_time()

        def note(kind: str, won: np.ndarray, usual: np.ndarray, dropped: int = 0) -> None:
            found[kind] = [float(won.mean()), float(usual.mean()), dropped]

        won, usual, hands, _ = self.play(player, opponent.agent, REMEMBERED + JUDGED, 4 * number)
        note("single", won[REMEMBERED:], usual[REMEMBERED:])
        hands = hands[:REMEMBERED]
        for kind, whom, recalled, step in (
            ("memory", opponent, hands, 1),
            ("nothing", opponent, (), 1),
            ("changed", other, hands, 2),
            ("kept on", other, hands, 2),
        ):
            never = mock.patch.object(same_player, "FALSE_ALARM", 1e-300 if kind == "kept on" else 0.02)
            with never:
                won, usual, _, dropped = self.play(player, whom.agent, JUDGED, 4 * number + step, recalled)
            note(kind, won, usual, dropped)
        return found | {"seconds": time.process_time() - began}


def opponents_of(game: PokerGame, each: int) -> list[tuple[ZooOpponent, ZooOpponent]]:
    """Opponents, each with one of another family; the first ones are of all families."""
    steady = [one for one in zoo(game, "judging") if one.family in STEADY]
    chosen = some_of_each(steady, each)
    members = [[one for one in chosen if one.family == family] for family in STEADY]
    turn = [one for row in zip(*members, strict=False) for one in row]
    return [(one, turn[(i + 1) % len(turn)]) for i, one in enumerate(turn)]


def told(player: str, rows: list[dict[str, Any]]) -> bool:
    """Print the figures of a player; whether the verdicts hold."""

    def column(kind: str, gain: bool) -> np.ndarray:
        return np.array([row[kind][0] - (row[kind][1] if gain else 0.0) for row in rows])

    print(f"{player}, n = {len(rows)} opponents, mb/g")
    for kind in ("single", "memory", "nothing", "changed", "kept on"):
        won, gained = (Estimate.of(column(kind, gain)).text(0) for gain in (False, True))
        worst = column(kind, False).min()
        drops = [row[kind][2] for row in rows if row[kind][2]]
        more = f"; read dropped {len(drops)} times, after {np.median(drops):.0f} hands" if drops else ""
        print(f"  {kind:8} won {won}, beyond the equilibrium {gained}, worst {worst:.0f}{more}")
    holds = True
    for what, gain in (("won", False), ("gained", True)):
        memory, single = column("memory", gain), column("single", gain)
        excess = Estimate.of(memory - SHARE * single)
        share = memory.sum() / single.sum()
        low = excess.mean - excess.half_width
        holds = holds and low > 0
        verdict = "holds" if low > 0 else "open"
        print(f"  {what}: {share:.0%} of single; less {SHARE:.0%} of it {excess.text(0)}: {verdict}")
    if player.startswith("soul"):
        worst = float(column("changed", False).min())
        holds = holds and worst >= -BUDGET
        print(
            f"  changed: worst {worst:.0f}, budget {-BUDGET:.0f}: {'holds' if worst >= -BUDGET else 'fails'}"
        )
    return holds


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", type=parse_game, default="leduc")
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--players", nargs="+", default=["soul", "dbr:T=100,k=50", "dbbr:T=100,k=50"])
    parser.add_argument("--results", type=Path)
    chosen = parser.parse_args()
    done: dict[tuple[str, str], dict[str, Any]] = {}
    if chosen.results is not None and chosen.results.exists():
        for line in chosen.results.read_text().splitlines():
            row = json.loads(line)
            done[row["player"], row["opponent"]] = row
    bench = Bench(chosen.game)
    holds = True
    for player in chosen.players:
        rows = []
        for number, (opponent, other) in enumerate(opponents_of(chosen.game, chosen.each)):
            row = done.get((player, opponent.label))
            if row is None:
                row = bench.meet(player, opponent, other, number)
                if chosen.results is not None:
                    with chosen.results.open("a") as file:
                        file.write(json.dumps(row) + "\n")
            rows.append(row)
            print(json.dumps(row), file=sys.stderr, flush=True)
        holds = told(player, rows) and holds
        print(f"  {sum(row['seconds'] for row in rows):.0f} CPU s", flush=True)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
