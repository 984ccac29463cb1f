"""How long Vexbot takes for a decision of limit hold'em, by round; the median and the slowest.

    python benchmarks/bench_vexbot.py [decisions a round]

A checksum of all values is printed, so that a faster search with other values is noticed. Before the flop the
boards of a hand class are drawn when it comes up first; those decisions are counted apart. What the model
says is worked out once a hand, at the first decision. Times are those of the processor (one thread), so other
work on the machine does not count.
"""

import sys
import time

import numpy as np

from soulread.cards.deck import NUM_CARDS
from soulread.games.base import CHANCE
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import CALL
from soulread.play.catalogue.known import parse_agent
from soulread.play.search.vexbot import Vexbot

ROUNDS = "preflop", "flop", "turn", "river"
GOAL = {"preflop, first time": 1.0, "preflop": 1.0, "flop": 1.0, "turn": 0.05, "river": 0.005}  # seconds


def main() -> None:
    """Print a line for each round."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    game = limit_holdem()
    agent = parse_agent("vexbot:default=generic").make(game)
    assert isinstance(agent, Vexbot)
    rng = np.random.default_rng(1)
    took: dict[str, list[float]] = {name: [] for name in GOAL}
    total = 0.0
    for number in range(count + 1):  # the first deal compiles
        cards = iter(rng.permutation(NUM_CARDS).tolist())
        state = game.start()
        while True:
            while state.player == CHANCE:
                state = state.apply(next(cards))
            if state.player < 0:
                break
            for repeat in range(2 if state.round == 0 else 1):
                if state.round == 0:
                    agent.model.fit(())  # what it says must be worked out anew
                begun = time.process_time()
                found = agent.look_ahead(state.view(state.player), rng)
                spent = time.process_time() - begun
                name = ROUNDS[state.round] + (", first time" if state.round == 0 and not repeat else "")
                if number:
                    took[name].append(spent)
                    total += sum(found.values)
            state = state.apply(CALL)
    for name, seconds in took.items():
        if seconds:
            print(
                f"{name:20} {1e3 * np.median(seconds):8.1f} ms median {1e3 * max(seconds):8.1f} ms slowest  "
                f"goal {1e3 * GOAL[name]:5.0f} ms  n = {len(seconds)}"
            )
    print(f"checksum {total:.6f}")


if __name__ == "__main__":
    main()
