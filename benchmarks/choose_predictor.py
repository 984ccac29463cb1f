"""Choose settings of the predictors of actions, on one month of people who play limit hold'em.

    python benchmarks/choose_predictor.py PATH [--players 24] [--part net ...]

PATH has the hands for choosing, such as h1-nobots.200003.tgz of the IRC poker database. Generic nets and
trees are trained on its first half in time, without the players with the most hands in the second half; these
are foretold in the second half, every hand before it is learnt. Prints log-loss (nats) and accuracy, means
over players. Results are reported by ``soulread reproduce action-prediction`` on the month after this one.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from soulread.hands.formats.reading import read_hands
from soulread.hands.hand import Hand
from soulread.model.predict.features import rows_of
from soulread.model.predict.networks import NetSettings, TreeSettings, train_net, train_trees
from soulread.model.predict.predictors import (
    ActionPredictor,
    BoostingPredictor,
    CompetingPredictors,
    FrequencyTable,
    NetPredictor,
    count_cells,
    generic_inputs,
    memories,
    players_of,
)
from soulread.study.predict.scores import hands_in_time, predict_in_order

Makers = Mapping[str, Callable[[], ActionPredictor]]
NETS = {
    f"{hidden} hidden, {epochs} epochs, rate {rate}": NetSettings(hidden, rate, epochs=epochs)
    for hidden, epochs, rate in (
        (4, 10, 0.002),
        (16, 10, 0.002),
        (32, 10, 0.002),
        (32, 20, 0.001),
        (64, 10, 0.001),
        (64, 20, 0.001),
    )
}
TREES = {
    f"{rounds} rounds, rate {rate}, {leaves} leaves": TreeSettings(rounds, rate, leaves)
    for rounds, rate, leaves in ((100, 0.1, 31), (200, 0.1, 15), (200, 0.05, 31))
}
OWN = {
    f"{rounds} rounds, rate {rate}, {leaves} leaves": TreeSettings(rounds, rate, leaves, 40)
    for rounds, rate, leaves in ((10, 0.2, 4), (10, 0.5, 4), (10, 1.0, 4))
}


class Month:
    """The hands for choosing, cut in two halves."""

    def __init__(self, path: str, players: int) -> None:
        hands = hands_in_time(hand for hand in read_hands(path) if isinstance(hand, Hand))
        half = len(hands) // 2
        judged = hands[half:]
        seats = Counter(name for hand in judged for name in hand.players)
        self.players = [name for name, _ in seats.most_common(players)]
        self.inputs, self.rows = generic_inputs(hands[:half], self.players)
        self.judged = rows_of(judged)
        self.names, self.owner = players_of(self.judged, judged)
        print(
            f"{len(hands):,} hands; generic from {len(self.rows):,} decisions; {players} players", flush=True
        )

    def judge(self, makers: Makers) -> None:
        """Print how well predictors foretell the players."""
        start = time.process_time()
        loss, right = [], []
        for player in self.players:
            rows = self.judged.take(self.owner == self.names.index(player))
            found = predict_in_order({name: make() for name, make in makers.items()}, rows)
            loss.append([found.loss(name).mean() for name in found.names])
            right.append([found.correct(name).mean() for name in found.names])
        for name, nats, share in zip(found.names, np.mean(loss, 0), np.mean(right, 0), strict=True):
            print(f"  {name:<40}{nats:8.4f} nats  {100 * share:6.2f}%", flush=True)
        print(f"  {time.process_time() - start:.0f} s of CPU", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("path")
    parser.add_argument("--players", type=int, default=24)
    parser.add_argument("--part", nargs="*", default=["tables", "net", "rate", "trees", "own", "competing"])
    asked = parser.parse_args()
    month = Month(asked.path, asked.players)
    cells, inputs, action = count_cells(month.rows), month.inputs, month.rows.action
    if "tables" in asked.part:
        print("frequency tables: observations that the generic frequencies count for, memory")
        kinds = [(contexts, prior, 0, 1.0) for contexts in ("12", "davidson") for prior in (5, 10, 20, 40)]
        kinds += [("davidson", 20, window, 1.0) for window in (50, 100, 200, 400)]
        kinds += [("davidson", 20, 0, decay) for decay in (0.95, 0.98, 0.99, 0.995)]
        month.judge(
            {
                f"{c}, prior {p}, window {w}, decay {d}": partial(FrequencyTable, c, cells, p, w, d)
                for c, p, w, d in kinds
            }
        )
    if "net" in asked.part:
        print("generic nets, style only")
        nets = {name: train_net(inputs, action, settings) for name, settings in NETS.items()}
        month.judge({name: partial(NetPredictor, net, 0.0) for name, net in nets.items()})
    net = train_net(inputs, action)
    if "rate" in asked.part:
        print("nets that follow the player: step size")
        rates = 0.0, 0.0005, 0.001, 0.002, 0.004, 0.008
        month.judge({f"rate {rate}": partial(NetPredictor, net, rate) for rate in rates})
    if "trees" in asked.part:
        print("generic trees, style only")
        made = {name: train_trees(inputs, action, settings) for name, settings in TREES.items()}
        month.judge({name: partial(BoostingPredictor, trees, 0) for name, trees in made.items()})
    if "own" in asked.part:
        print("trees of the player's own, beside generic ones: when and how")
        trees = train_trees(inputs, action)
        makers: dict[str, Callable[[], ActionPredictor]] = {"never": partial(BoostingPredictor, trees, 0)}
        for name, own in OWN.items():
            for first in (200,):
                makers[f"from {first} hands, {name}"] = partial(BoostingPredictor, trees, first, own)
        month.judge(makers)
    if "competing" in asked.part:

        def competition(keep: float, drift: float) -> ActionPredictor:
            return CompetingPredictors(memories(net, cells), keep, drift)

        print("competing memories: what the logarithms of weights are multiplied by, drift")
        month.judge(
            {
                f"keep {keep}, drift {drift}": partial(competition, keep, drift)
                for keep, drift in ((1.0, 0.0), (1.0, 1e-3), (0.995, 1e-3), (0.99, 1e-3), (0.97, 1e-3))
            }
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
