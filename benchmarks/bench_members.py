"""How well each member of soul's read predicts: nats gained over the equilibrium's prediction.

    python benchmarks/bench_members.py [GAME] [HANDS]

The equilibrium meets every opponent for choosing in a match of HANDS hands (1,000), seed 100; GAME is leduc
unless limit is named (over 5-5-5-5:quick). In limit it also meets `FOREIGN`: equilibria of card abstractions
that are neither members of the read nor opponents for judging. Each member of the read says how the opponent
plays before every hand, as in a match of `soul`. Prints, by family, the mean over the opponents of the sum
over the first 50, 100, 300 and 1,000 hands of

    log(chance that the member gave to what came) - log(chance that our equilibrium gave)

with half the 95% interval over the opponents. A chance counts as 1e-12 if it is less.
"""

import math
import sys

import numpy as np
from fit_habits import watched  # type: ignore[import-not-found]  # it lies beside this file

from soulread.estimate import Estimate
from soulread.games.named import parse_game
from soulread.model.bayes.evidence import likelihood
from soulread.model.bayes.mixture import EVERY, average_of
from soulread.play.catalogue.entry import source_for
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.soul import SOON
from soulread.play.opponents.zoo import CARDS, zoo
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.strategy import in_precision, plan_from_behaviour
from soulread.solvers.equilibria import find_equilibrium

FOREIGN = "3-2-2-2", "4-4-3-3", "hs:5-4-3-2"
AFTER = 50, 100, 300, 1000
_SMALLEST = 1e-12


def main() -> int:
    game = parse_game(sys.argv[1] if len(sys.argv) > 1 else "leduc")
    hands = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    large = has_abstraction(game)
    source = source_for(parse_agent(f"soul:{CARDS}" if large else "soul"), game)
    compiled, base = source.compile(), find_equilibrium(source).behaviours
    plans = [
        plan_from_behaviour(tree, in_precision(own, compiled.payoff.dtype))
        for tree, own in zip(compiled.trees, base, strict=True)
    ]
    model = average_of(compiled, base, every=EVERY if large else SOON)
    opponents = [(one.family, one.agent) for one in zoo(game, "choosing")]
    opponents += [("equilibria", f"equilibrium:{cards}:quick") for cards in FOREIGN] if large else []
    found: dict[str, list[np.ndarray]] = {}
    for family, text in opponents:
        model.reset()
        usual, rows = 0.0, []
        for number, hand in enumerate(watched(game, parse_agent(text).make(game), hands), 1):
            evidence = model.reader.read(hand)
            usual += math.log(max(likelihood(evidence, plans[evidence.player]), _SMALLEST))
            model.update(hand)
            if number in AFTER:
                rows.append([-loss - usual for loss in (*model.log_loss, model.own_log_loss)])
        found.setdefault(family, []).append(np.array(rows))
    print(f"{game.name}, nats beyond the equilibrium's prediction after {', '.join(map(str, AFTER))} hands")
    for family, tables in found.items():
        for i, name in enumerate([member.name for member in model.members] + ["the average"]):
            told = " ".join(
                Estimate.of(np.array([t[k, i] for t in tables])).text(0) for k in range(len(tables[0]))
            )
            print(f"{family} (n = {len(tables)}), {name}: {told}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
