"""Choose how the prior of ranges is learned, by cards that `soulread reproduce relational-ranges` leaves out.

    python benchmarks/choose_prior.py --db people.db --known pluribus.db [--views 1500]

Priors are learned from the first half of the people's hands, as the one that comes with soulread is. They are
judged on hands of which all cards are known, by players who are in no prior: the first half of them in time,
because the experiment judges the second half. A line has the mean of log P(cards) - log 1/N in nats after a
player's last action that was no fold, with its 95% interval over players, by round of that action.
"""

import argparse
import time
from collections import defaultdict
from dataclasses import replace

import numpy as np

from soulread.cards.ranges import hand_index
from soulread.estimate import Estimate
from soulread.hands.store import Store
from soulread.model.relational.bayes import PRIOR_SETTINGS, RelationalPrior, default_prior, fit_prior
from soulread.model.relational.examples import Question, games_of
from soulread.model.relational.model import RelationalModel
from soulread.model.strength_tables import CompletedModel, sensible_prior
from soulread.reproduce.kit.ranges.scores import gain_of
from soulread.reproduce.ponsen_2008.range_models import last_view
from soulread.streams import stream

SMALL = {"seats": 40_000, "most": 50_000}
MEDIUM = {"seats": 80_000, "most": 100_000}
LARGE = {"seats": 150_000, "most": 200_000}
CAREFUL = replace(PRIOR_SETTINGS, least_gain=8.0, least_leaf=60.0, depth=14)
CHOICES = {
    "small, careful, 3 passes": {**SMALL, "settings": CAREFUL, "passes": 3},
    "small, 3 passes": {**SMALL, "settings": PRIOR_SETTINGS, "passes": 3},
    "small, 1 pass": {**SMALL, "settings": PRIOR_SETTINGS, "passes": 1},
    "small, 8 passes": {**SMALL, "settings": PRIOR_SETTINGS, "passes": 8},
    "large, 3 passes": {**LARGE, "settings": PRIOR_SETTINGS, "passes": 3},
    "medium, 8 passes": {**MEDIUM, "settings": PRIOR_SETTINGS, "passes": 8},
}


def main() -> None:
    """Fit every prior and judge it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--db", required=True, help="store of no-limit hands to learn from")
    parser.add_argument("--known", required=True, help="store of no-limit hands with all cards")
    parser.add_argument("--views", type=int, default=1500)
    parser.add_argument("--shipped", action="store_true", help="judge only the priors that are there")
    options = parser.parse_args()
    with Store.open(options.known, read_only=True) as store:
        known = [hand for _, hand in store.find()]
    views = []
    for hand in known[: len(known) // 2]:
        for seat, hole in enumerate(hand.hole):
            last = last_view(hand, seat)
            if last is not None and hole is not None:
                views.append((last[0], seat, hand.players[seat], hand_index(*hole)))
    chosen = stream(1, "views").permutation(len(views))[: options.views]
    views = [views[k] for k in chosen]

    def show(name: str, model: RelationalModel | CompletedModel, seconds: float) -> None:
        gains: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for view, seat, player, holding in views:
            gain = gain_of(model.holdings(view, seat), holding)
            for round in (-1, view.round):
                gains[round][player].append(gain)
        texts = []
        for round, words in ((-1, "all"), (0, "before"), (1, "flop"), (2, "turn"), (3, "river")):
            means = np.array([np.mean(each) for each in gains[round].values()])
            texts.append(f"{words} {Estimate.of(means).text(3)}")
        print(f"{name:<28}{', '.join(texts)}; {seconds:.0f} s", flush=True)

    game = views[0][0].game
    show("tables, round numbers", CompletedModel(game, sensible_prior()), 0)
    show("tables, as shipped", CompletedModel(game), 0)
    show("relational, as shipped", RelationalModel(game, default_prior()), 0)
    if options.shipped:
        return
    with Store.open(options.db, read_only=True) as store:
        games = games_of([hand for _, hand in store.find()])
    allowed = np.zeros(games.num_hands, np.bool_)
    allowed[games.roster.order[: games.num_hands // 2]] = True
    bounds = games.learn_types(allowed)
    decisions = np.flatnonzero(allowed[games.decisions.hand])
    for name, settings in CHOICES.items():
        begin = time.process_time()
        asked = {"questions": (Question.PLAY,), "bounds": bounds, **settings}
        prior: RelationalPrior = fit_prior(games, decisions, **asked)  # type: ignore[arg-type]
        show(name, RelationalModel(game, prior), time.process_time() - begin)


if __name__ == "__main__":
    main()
