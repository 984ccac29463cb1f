"""Settings of Vexbot on opponents that are for choosing (`soulread.play.opponents.zoo`), with the same cards
for all.

    python benchmarks/choose_vexbot.py leduc 500 700 vexbot vexbot:default=generic vexbot:default=uniform
    python benchmarks/choose_vexbot.py limit 1000 700 vexbot vexbot:strength=20 --only orange,"rule 0"

A game, hands of a duplicate match, the seed, and agents. Printed are sb/h against every opponent, with 95%
intervals over the hands (which for a player that learns are a little too narrow), the mean, and that of the
first fifth. Settings that are looked at here must be reported on other seeds.
"""

import sys
import time

import numpy as np

from soulread.games.named import parse_game
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match, play_match
from soulread.play.opponents.zoo import equilibrium_text, zoo

NAMED = "loose", "tight", "passive", "aggressive", "orange"
LEDUC = *NAMED, "skew 0", "skew 2", *(f"rule {n}" for n in range(6))
LIMIT = "orange", "rule 0", "rule 1"


def main() -> None:
    """Play every agent against every opponent, and print a line for each."""
    arguments = sys.argv[1:]
    only: tuple[str, ...] = ()
    if "--only" in arguments:
        at = arguments.index("--only")
        only = tuple(arguments[at + 1].split(","))
        del arguments[at : at + 2]
    name, hands, seed, agents = arguments[0], int(arguments[1]), int(arguments[2]), arguments[3:]
    game = parse_game(name)
    labels = only or (LEDUC if name == "leduc" else LIMIT)
    opponents = {each.label: each.agent for each in zoo(game, "choosing") if each.label in labels}
    opponents["equilibrium"] = equilibrium_text(game)
    small_bet = game.rules.small_bet
    for text in agents:
        hero = parse_agent(text).make(game)
        begun = time.process_time()
        rows = []
        for label, villain in opponents.items():
            match = Match(game, (hero, parse_agent(villain).make(game)), hands, duplicate=True)
            won = play_match(match, seed, 0)[:, 0] / small_bet
            rows.append(won)
            half = 1.96 * won.std(ddof=1) / np.sqrt(hands)
            print(f"  {text:36} {label:14} {won.mean():+.3f} ± {half:.3f}", flush=True)
        every = np.array(rows)
        half = 1.96 * np.sqrt((every.var(axis=1, ddof=1) / hands).sum()) / len(every)
        print(
            f"{text:38} mean {every.mean():+.4f} ± {half:.4f} sb/h, first fifth "
            f"{every[:, : hands // 5].mean():+.4f}, n = {every.size:,}, {time.process_time() - begun:.0f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
