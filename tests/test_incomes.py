"""Income rates: exact with two players, a slow twin, and the grid they are kept in."""

import naive_loki
import numpy as np
import pytest
from numpy.testing import assert_allclose

from soulread.cards.scales.incomes import BLINDS, NUM_CLASSES, incomes, roll_out
from soulread.errors import SoulreadError
from soulread.streams import stream

ACES, DEUCES = 0, 168
SEVEN_DEUCE = 13 * 12 + 7  # offsuit: below the diagonal

# Exact, against a random hand: soulread equity AA random. It takes seconds for each.
EQUITIES = {ACES: 0.8520371330, 1: 0.6704463231, SEVEN_DEUCE: 0.3458364732, DEUCES: 0.5033401908}


@pytest.mark.parametrize("iterated", [False, True])
def test_the_roll_out_agrees_with_naive(iterated: bool) -> None:
    stays = np.ones(NUM_CLASSES, dtype=np.bool_)
    if iterated:
        stays[::3] = False
    rates, errors, counts = roll_out(5, 150, 3, stays)
    expected = naive_loki.roll_out(stream(3, "incomes", 5).random((150, 15)).tolist(), 5, stays.tolist())
    assert counts.sum() == 5 * 150
    for cell, found in expected.items():
        assert counts[cell] == len(found)
        assert rates[cell] == pytest.approx(1000 * np.mean(found))
        assert errors[cell] == pytest.approx(1000 * np.std(found) / np.sqrt(len(found)), abs=1e-3)


@pytest.mark.compiled
def test_with_two_players_rates_are_equities() -> None:
    """Rate / 1000 = 2 equity - 1; four classes, each within 4 standard errors (a false alarm in 4,000)."""
    found = incomes(2)
    for cell, share in EQUITIES.items():
        assert abs(found.rates[cell] - 1000 * (2 * share - 1)) < 4 * found.errors[cell]
        assert found.errors[cell] < 8
    assert abs(np.average(found.rates, weights=found.counts)) < 1e-9  # what one wins the other loses


@pytest.mark.compiled
@pytest.mark.parametrize("players", [3, 6, 10])
def test_rates_of_a_ring(players: int) -> None:
    found = incomes(players, 200_000)
    assert found.counts.sum() == players * 200_000
    assert found.rates.argmax() == ACES
    assert abs(np.average(found.rates, weights=found.counts)) < 1e-9
    assert found.errors.max() < 120
    places = found.percentiles
    assert places.min() > 0
    assert places.max() < 1
    assert places.mean() == pytest.approx(0.5)
    order = np.argsort(found.by_holding, kind="stable")
    assert (np.diff(places[order]) >= 0).all()


@pytest.mark.compiled
def test_the_iterated_roll_out_lets_weak_hands_fold() -> None:
    plain, iterated = incomes(6, 100_000), incomes(6, 100_000, iterated=True)
    assert iterated.rates[SEVEN_DEUCE] < -1000 * BLINDS / 6
    assert (iterated.rates > -1000 * BLINDS / 6).sum() < (plain.rates > -1000 * BLINDS / 6).sum()
    assert iterated.rates[ACES] > 0


@pytest.mark.compiled
def test_the_same_seed_gives_the_same_table() -> None:
    one, other = (roll_out(4, 5000, 8, np.ones(169, np.bool_))[0] for _ in range(2))
    assert_allclose(one, other, atol=0)
    assert not np.array_equal(one, roll_out(4, 5000, 9, np.ones(169, np.bool_))[0])


@pytest.mark.parametrize(("players", "deals"), [(1, 5000), (11, 5000), (True, 5000), (3, 0)])
def test_impossible_tables_are_refused(players: int, deals: int) -> None:
    with pytest.raises(SoulreadError, match="income rates"):
        incomes(players, deals)
