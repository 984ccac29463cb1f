"""Fit how likely hands of different strength are inside the leaves of the relational prior.

    python benchmarks/fit_line_strength.py STORE [--skip 20] [--ridge 3]

STORE is a store of no-limit hands. Cards shown at showdowns are set beside the range that the prior, which
has learnt nothing of the player, gives after all the player did in the hand. The players with the most hands
are left out (``--skip``), so that ranges can be judged on them (`benchmarks/bench_ranges.py`). Of the others
every fifth is set aside while the ridge is chosen: without ``--ridge`` the table has the log-loss of their
cards for several. With it all of them are fitted, and the weights for `soulread.study.profile.line_strength`
are printed.
"""

import argparse
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from soulread.cards.ranges import HAND_CELLS, hand_index
from soulread.cards.scales.card_facts import PLACES, STRENGTH, facts_on
from soulread.hands.hand import Hand
from soulread.hands.played import cards_of
from soulread.hands.referee import game_of_holdem
from soulread.hands.store import Store
from soulread.model.relational.model import RelationalModel
from soulread.study.profile.line_strength import FEATURES, KINDS, class_features
from soulread.study.profile.model_ranges import after_decision

RIDGES = 0.3, 1.0, 3.0, 10.0, 30.0
Floats = NDArray[np.floating[Any]]


class ShownCards(NamedTuple):
    """Cards that were shown, and what the prior had made of them."""

    player: NDArray[np.str_]  # [n]
    counts: NDArray[np.int64]  # [n, kinds] actions before the flop
    holding: NDArray[np.int64]  # [n] of 1326
    ranges: Floats  # [n, 1326] of the prior
    strength: Floats  # [n, 1326] on the final board, from -1/2 to 1/2

    def take(self, rows: NDArray[np.bool_]) -> "ShownCards":
        """Some of them."""
        return ShownCards._make(column[rows] for column in self)


def shown_cards(store: Store, left_out: set[str]) -> ShownCards:
    """All cards that were shown on a full board, by players who are not left out."""
    model: RelationalModel | None = None
    found: list[tuple[str, NDArray[np.int64], int, Floats, Floats]] = []
    for _, hand in store.find():
        if not hand.showdown or len(hand.board) < 5:
            continue
        strengths = facts_on(np.array(hand.board, np.int64))[0][:, STRENGTH] / (PLACES - 1) - 0.5
        for seat in seen_seats(hand):
            own = sum(1 for who, _ in hand.actions if who == seat)
            if hand.players[seat] in left_out or not own:
                continue
            if model is None:
                model = RelationalModel(game_of_holdem(hand))
            view, counts = after_decision(hand, seat, own - 1)
            weights = model.holdings(view, seat).astype(np.float32)
            cards = hand.hole[seat]
            assert cards is not None
            found.append(
                (hand.players[seat], counts, hand_index(*cards), weights, strengths.astype(np.float32))
            )
    return ShownCards._make(np.array(column) for column in zip(*found, strict=True))


def seen_seats(hand: Hand) -> list[int]:
    """The seats that came to the showdown and whose cards are known."""
    folded = {seat for seat, action in hand.actions if action == 0}
    return [s for s in range(hand.num_players) if s not in folded and cards_of(hand, s) is not None]


def fit(shown: ShownCards, ridge: float) -> tuple[Floats, Floats]:
    """Weights ``[kinds, features]``, and the two of the strength on the final board."""
    features = class_features()[HAND_CELLS]
    shape = len(KINDS), len(FEATURES)
    rows = np.arange(shown.holding.size)

    def loss(x: Floats) -> tuple[float, Floats]:
        weights, bias = x[:-2].reshape(shape), x[-2:]
        total, slope, tilt = 0.0, np.zeros(shape), np.zeros(2)
        for part in np.array_split(rows, max(1, rows.size // 2000)):
            counts, held = shown.counts[part], shown.holding[part]
            strength = shown.strength[part].astype(np.float64)
            score = counts @ weights @ features.T + bias[0] * strength + bias[1] * strength**2
            chance = shown.ranges[part] * np.exp(score)
            sums = chance.sum(axis=1)
            chance /= sums[:, None]
            here = np.arange(part.size)
            total += float((score[here, held] - np.log(sums)).sum())
            slope += counts.T @ (features[held] - chance @ features)
            for power in (1, 2):
                tilt[power - 1] += float(
                    (strength[here, held] ** power - (chance * strength**power).sum(axis=1)).sum()
                )
        penalty = np.concatenate([weights.ravel(), np.zeros(2)])
        return -total + ridge * float(penalty @ penalty), (
            -np.concatenate([slope.ravel(), tilt]) + 2 * ridge * penalty
        )

    found = minimize(loss, np.zeros(np.prod(shape) + 2), jac=True, method="L-BFGS-B").x
    return found[:-2].reshape(shape), found[-2:]


def class_loss(shown: ShownCards, weights: Floats) -> Floats:
    """``[n]`` -log of the chance of the class of the cards, in nats."""
    lost = []
    features = class_features()[HAND_CELLS]
    for counts, held, chances in zip(shown.counts, shown.holding, shown.ranges, strict=True):
        cells = np.bincount(HAND_CELLS, chances * np.exp(features @ (counts @ weights)), 169)
        lost.append(-np.log(cells[HAND_CELLS[held]] / cells.sum()))
    return np.array(lost)


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("store")
    parser.add_argument("--skip", type=int, default=20)
    parser.add_argument("--ridge", type=float)
    asked = parser.parse_args()
    with Store.open(asked.store, read_only=True) as store:
        left_out = {player.name for player in store.players()[: asked.skip]}
        shown = shown_cards(store, left_out)
    players = np.unique(shown.player)
    print(f"{shown.holding.size:,} holdings shown by {players.size:,} players")
    if asked.ridge is None:
        aside = np.isin(shown.player, players[::5])
        before = class_loss(shown.take(aside), np.zeros((len(KINDS), len(FEATURES))))
        print(f"prior: {before.mean():.4f} nats, n = {before.size:,}")
        for ridge in RIDGES:
            weights, bias = fit(shown.take(~aside), ridge)
            lost = class_loss(shown.take(aside), weights)
            error = 1.96 * float((before - lost).std()) / before.size**0.5
            print(
                f"ridge {ridge:g}: {lost.mean():.4f}, gain {(before - lost).mean():.4f} ± {error:.4f}; "
                f"strength shown {bias.round(2)}",
                flush=True,
            )
        return
    weights, bias = fit(shown, asked.ridge)
    print(f"strength shown {bias.round(2)}")
    for name, row in zip(KINDS, weights, strict=True):
        print(f"    ({', '.join(f'{w:.2f}' for w in row)}),  # {name}")


if __name__ == "__main__":
    main()
