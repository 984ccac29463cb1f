"""Choose how careful the trees of a player are, on players who are never reported.

    python benchmarks/choose_relational.py --db hands.db --index players.json [--players 10]

The players are those with the most hands that the index does not name (`soulread reproduce bayes-relational`
reports the ones it names), and the test games are drawn with another seed. For each question and for how much
leaves lean on the nodes above (`Settings.smooth`) a line has the gain of the player's model over the prior by
the number of training games: nats for each decision, means over players with 95% intervals.
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from soulread.estimate import Estimate
from soulread.model.relational.bayes import PLAYER_SETTINGS, correct, log_likelihoods
from soulread.model.relational.examples import Question, askable
from soulread.reproduce.ponsen_2008.player_models import fit_priors, read_games, split_games, training_games

SEED = 9001
SMOOTHS = {Question.OUTCOME: (40.0, 100.0, 150.0, 200.0, 300.0), Question.ACTION: (10.0, 20.0, 40.0)}
SIZES = 50, 100, 200, 400, 800, 1600, 3200
DECISIONS = 50_000  # of the prior


def main() -> None:
    """Fit one prior, then models of each player with each doubt, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--db", required=True, help="store of no-limit hands")
    parser.add_argument("--index", required=True, type=Path, help="JSON with the players that are reported")
    parser.add_argument("--players", type=int, default=10)
    options = parser.parse_args()
    reported = set(json.loads(options.index.read_text(encoding="utf-8"))["players"])
    games = read_games(options.db)
    test = split_games(games, "random", SEED)
    games.learn_types(~test)
    hands = np.bincount(games.roster.players[games.roster.players >= 0])
    others = [int(player) for player in np.argsort(-hands) if games.roster.names[player] not in reported]
    players = others[: options.players]
    priors = fit_priors(games, test, players, "tree", DECISIONS, SEED)
    for question, smooths in SMOOTHS.items():
        gains = np.zeros((len(smooths), len(SIZES), len(players)))
        for p, player in enumerate(players):
            own = np.flatnonzero(games.player == player)
            judged = askable(games, own[test[games.decisions.hand[own]]], question)
            before = log_likelihoods([priors[question]], games, judged, question).mean()
            for s, size in enumerate(SIZES):
                part = training_games(games, test, player, size, "random", SEED)
                chosen = own[np.isin(games.decisions.hand[own], part)]
                for c, smooth in enumerate(smooths):
                    settings = replace(PLAYER_SETTINGS[question], smooth=smooth)
                    learned = correct(
                        games, chosen, question, [priors[question]], settings=settings, seed=SEED
                    )
                    after = log_likelihoods([priors[question], learned], games, judged, question).mean()
                    gains[c, s, p] = after - before
        for smooth, row in zip(smooths, gains, strict=True):
            texts = [f"{size}: {Estimate.of(each).text(4)}" for size, each in zip(SIZES, row, strict=True)]
            print(f"{question}, smooth {smooth:g}: " + ", ".join(texts), flush=True)


if __name__ == "__main__":
    main()
