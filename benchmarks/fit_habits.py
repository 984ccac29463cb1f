"""Fit the habits of typical players: the centre and spread that `soulread.model.bayes.habits` begins with.

    python benchmarks/fit_habits.py [HANDS]

Every opponent for choosing of the families "rules" and "bent" plays a match of HANDS hands (2,000) against
the equilibrium, in Leduc and in limit hold'em over 5-5-5-5:quick, seed 100. Habits are fitted to what is seen
of it. Prints by game, family and broad kind of decision the mean habit and its standard deviation over the
opponents. `THUMB` and `THUMB_SPREAD` are those of "rules", rounded between the games; decisions with a bet to
call and no raise left are rare, so their row was set near that of the other decisions with a bet to call. The
bent ones stay near the equilibrium. Opponents for judging do not play here.
"""

import sys

import numpy as np

from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.model.bayes.habits import HabitModel, broad_kind
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import source_for
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.play.opponents.zoo import CARDS, equilibrium_text, zoo
from soulread.seqform.abstract import has_abstraction
from soulread.solvers.equilibria import find_equilibrium

SEED = 100
FAMILIES = "rules", "bent"


def watched(game: PokerGame, agent: Agent, hands: int) -> list[Hand]:
    """Hands of an agent against the equilibrium, as the equilibrium sees them."""
    seen: list[Hand] = []

    def note(hand: LiveHand) -> None:
        seen.append(hand.seen_by(len(seen) % 2))

    Match(game, (parse_agent(equilibrium_text(game)).make(game), agent), hands).play(SEED, record=note)
    return seen


def main() -> int:
    hands = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    np.set_printoptions(precision=2, suppress=True, linewidth=110)
    for name in ("leduc", "limit"):
        game = parse_game(name)
        source = source_for(parse_agent(f"soul:{CARDS}" if has_abstraction(game) else "soul"), game)
        compiled, base = source.compile(), find_equilibrium(source).behaviours
        broad = [broad_kind(actions) for actions in compiled.trees[0].actions]
        for family in FAMILIES:
            found = []
            for opponent in zoo(game, "choosing", family):
                model = HabitModel(compiled, base, steps=60)
                for hand in watched(game, parse_agent(opponent.agent).make(game), hands):
                    model.update(hand)
                model.strategy(0)
                found.append(model.broad_habits(0))
            for kind in dict.fromkeys(broad):
                habits = np.array([one[broad.index(kind)] for one in found])
                facing, raising = kind
                print(
                    f"{name}, {family} (n = {len(found)}), {'a bet to call' if facing else 'no bet'}, "
                    f"{'may raise' if raising else 'may not raise'}:\n"
                    f"  mean {habits.mean(axis=0)}\n  sd   {habits.std(axis=0, ddof=1)}",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
