"""Income rates: earnings of the 169 classes of starting hands if all stay in (Billings et al., 1998).

A *roll-out*: all N players are dealt cards, everybody pays one small bet, nobody folds, and the best hand
takes the pot. The income of a hand is its share of the pot less the small bet, in mb/g (thousandths of a
small bet per game). With two players the rate is therefore 1000 (2 E - 1), where E is the equity against a
random hand.

In the *iterated* roll-out only the classes that earned more than a fold in the pass before stay in. The
others fold and lose their share of the blinds, 1.5 / N small bets. A class that folds is still rated, by what
it would earn if it alone stayed in as well. The set of classes settles after a few passes.

Models use the plain roll-out: it depends on no rule of ours about who folds, and with two players it can be
verified exactly. Every seat of a deal is one observation of its class. The standard errors take these as
independent, which they nearly are: two seats seldom have the same class.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal_into, hand_of
from soulread.cards.deck import MAX_PLAYERS
from soulread.cards.evaluate import Tables, tables, value_of
from soulread.cards.ranges import HAND_CELLS, class_name
from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.kernel import kernel
from soulread.storage.cache import Recipe, load_or_build
from soulread.streams import stream

NUM_CLASSES = 169
DEALS = 4_000_000  # of a table that models use
MOST_DEALS = 10**9
SEED = 1998
BLINDS = 1.5  # small bets that the players who fold lose together
PASSES = 8  # of an iterated roll-out at most
_VERSION = 1
_BLOCK = 20_000  # deals at once


@dataclass(frozen=True, eq=False)
class Incomes:
    """Income rates of the 169 classes; a class is a cell of the 13 x 13 grid, aces first, suited above."""

    players: int
    deals: int
    seed: int
    iterated: bool
    rates: NDArray[np.float64]  # [169] mb/g
    errors: NDArray[np.float64]  # [169] standard errors, mb/g
    counts: NDArray[np.int64]  # [169] how often each class was dealt

    JSON = keys(
        "players deals seed iterated",
        unit=lambda _: "mb/g",
        classes=lambda made: {
            class_name(cell): {"rate": made.rates[cell], "error": made.errors[cell]}
            for cell in range(NUM_CLASSES)
        },
    )

    @property
    def by_holding(self) -> NDArray[np.float64]:
        """[1326] mb/g of each holding."""
        rates: NDArray[np.float64] = self.rates[HAND_CELLS]
        return rates

    @property
    def percentiles(self) -> NDArray[np.float64]:
        """[1326] the place of each holding on the scale: the share of holdings that earn less, ties half."""
        return places_among(self.by_holding, self.by_holding)


def places_among(values: NDArray[np.float64], all_values: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each value, the share of all values that are smaller; equal ones count half."""
    ordered = np.sort(all_values)
    below, upto = (np.searchsorted(ordered, values, side) for side in ("left", "right"))
    places: NDArray[np.float64] = (below + upto) / (2 * ordered.size)
    return places


@lru_cache(maxsize=16)
def incomes(players: int, deals: int = DEALS, seed: int = SEED, iterated: bool = False) -> Incomes:
    """The income rates for a number of players, in mb/g; made once and kept on disk."""
    if isinstance(players, bool) or not isinstance(players, int) or not 2 <= players <= MAX_PLAYERS:
        raise SoulreadError(f"income rates for {players!r} players; allowed are 2 to {MAX_PLAYERS}")
    if not 1000 <= deals <= MOST_DEALS:
        raise SoulreadError(f"income rates from {deals!r} deals; allowed are 1000 to {MOST_DEALS}")
    recipe = Recipe(
        f"incomes-{players}",
        {"players": players, "deals": deals, "seed": seed, "iterated": int(iterated), "version": _VERSION},
    )
    kept = load_or_build(recipe, lambda: _build(players, deals, seed, iterated)).arrays
    return Incomes(players, deals, seed, iterated, kept["rates"], kept["errors"], kept["counts"])


def _build(players: int, deals: int, seed: int, iterated: bool) -> dict[str, NDArray[Any]]:
    stays = np.ones(NUM_CLASSES, dtype=np.bool_)
    rates, errors, counts = roll_out(players, deals, seed, stays)
    for _ in range(PASSES - 1 if iterated else 0):
        before, stays = stays, rates > -1000 * BLINDS / players
        if (stays == before).all():
            break
        rates, errors, counts = roll_out(players, deals, seed, stays)
    return {"rates": rates, "errors": errors, "counts": counts}


def roll_out(
    players: int, deals: int, seed: int, stays: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Rates, standard errors (mb/g) and counts of the classes, if only the classes ``stays`` do not fold."""
    sums = np.zeros((NUM_CLASSES, 3))
    rng = stream(seed, "incomes", players)
    done = 0
    while done < deals:
        size = min(_BLOCK, deals - done)
        _roll_out(tables(), HAND_CELLS, stays, rng.random((size, 2 * players + 5)), players, sums)
        done += size
    count = np.maximum(sums[:, 0], 1)
    mean = sums[:, 1] / count
    variance = np.maximum(sums[:, 2] / count - mean**2, 0)
    return 1000 * mean, 1000 * np.sqrt(variance / count), sums[:, 0].astype(np.int64)


@kernel
def _roll_out(
    tables: Tables,
    cells: NDArray[np.int64],
    stays: NDArray[np.bool_],
    uniforms: NDArray[np.float64],
    players: int,
    sums: NDArray[np.float64],
) -> None:
    """Add the number, the sum and the sum of squares of the incomes (small bets) of each class to ``sums``.

    The board comes first, then two cards for each player. The deck is not put back in order: a partial
    shuffle of a deck in any order is a fair deal.
    """
    deck = np.arange(52)
    values = np.empty(players, np.int64)
    classes = np.empty(players, np.int64)
    lost = BLINDS / players
    for d in range(uniforms.shape[0]):
        deal_into(uniforms[d], deck)
        word = mask = np.int64(0)
        for i in range(5):
            word += tables.words[deck[i]]
            mask += tables.masks[deck[i]]
        best, winners, in_pot = np.int64(-1), 0, 0
        for p in range(players):
            a, b = deck[5 + 2 * p], deck[6 + 2 * p]
            classes[p] = cells[hand_of(a, b)]
            values[p] = value_of(
                tables, word + tables.words[a] + tables.words[b], mask + tables.masks[a] + tables.masks[b]
            )
            if stays[classes[p]]:
                in_pot += 1
                if values[p] > best:
                    best, winners = values[p], 1
                elif values[p] == best:
                    winners += 1
        pot = in_pot + (players - in_pot) * lost
        for p in range(players):
            row = sums[classes[p]]
            joined = 0 if stays[classes[p]] else 1  # it alone stays in as well, and pays what it had saved
            income = -1.0
            if values[p] > best:
                income += pot + joined * (1 - lost)
            elif values[p] == best:
                income += (pot + joined * (1 - lost)) / (winners + joined)
            row[0] += 1
            row[1] += income
            row[2] += income * income
