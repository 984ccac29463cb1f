"""A solved spot walked along its tree, and the dial between the equilibrium and the answer to locks."""

from functools import lru_cache

import numpy as np
import pytest

from soulread.cards.ranges import HAND_CELLS, class_name
from soulread.errors import ParseError
from soulread.report.action_grid import value_grid
from soulread.respond.locks.reads import parse_read
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.real_cards.spot_files import read_spot
from soulread.study.spots.locks import dial, study_locks
from soulread.study.spots.spots import study_spot
from soulread.study.spots.walk import SpotWalk, classes_of, hands_of, holding_rows

RANGES = "99,AKs,JTs,77", "KK,QJs,87s,A9s"


@lru_cache
def turn():
    return SpotWalk(study_spot(read_spot("Td9d6hQh", *RANGES, 20, 30), Stops(iterations=40)))


@lru_cache
def river():
    return read_spot("Td9d6hQc2s", *RANGES, 20, 60)


@pytest.mark.compiled
def test_a_path_is_followed_step_by_step():
    walk = turn()
    spot = walk.study.spot
    point = spot.follow("check check")
    assert (point.node, point.cards, len(point.taken)) == (-1, (), 2)
    assert spot.card_comes(point)
    over = spot.follow("bet12 fold")
    assert (over.node, over.entry) == (-1, -1)
    assert not spot.card_comes(over)
    assert not spot.card_comes(spot.follow("bet12 raise30 call"))  # all-in
    with pytest.raises(ParseError, match="the hand is over after 'bet12 fold'"):
        spot.follow("bet12 fold check")
    steps = walk.steps("check check 2c bet60%")
    assert [step.path for step in steps] == ["", "check", "check check 2c", "check check 2c bet12"]
    assert [step.player for step in steps] == ["oop", "ip", "oop", "ip"]
    assert [step.cards for step in steps] == ["Td9d6hQh", "", "2c", ""]
    assert [step.taken for step in steps] == [0, 0, 1, -1]
    assert [choice.word for choice in steps[-1].choices] == ["fold", "call", "raise30"]
    assert [choice.ends for choice in steps[-1].choices] == ["fold", "showdown", ""]
    assert [choice.kind for choice in steps[-1].choices] == ["fold", "call", "bet2"]
    assert steps[-1].pot == 32
    # The turn: a check by ip leads to a card, a call of all chips to nothing any more.
    assert [choice.ends for choice in walk.steps("check")[-1].choices] == ["", ""]
    assert [choice.ends for choice in walk.steps("bet12 raise30")[-1].choices] == ["fold", "all-in"]
    for step in steps:
        view = walk.study.at(step.path)
        assert [choice.often for choice in step.choices] == pytest.approx(view.frequencies.tolist())
        # What the actions are worth, by how often they are taken, is what the range is worth.
        evs = [0 if np.isnan(choice.ev) else choice.ev * choice.often for choice in step.choices]
        assert sum(evs) == pytest.approx(view.acting.mean_ev, abs=1e-3)
    assert [step.path for step in walk.steps("check check")] == ["", "check"]


@pytest.mark.compiled
def test_every_card_that_may_come():
    walk = turn()
    found = walk.next_street("check check")
    assert found.player == "oop"
    assert [name for _, name in found.actions] == ["check", "bet 12"]
    assert len(found.cards) == 52 - 4
    assert not {"Td", "9d", "6h", "Qh"} & {card.card for card in found.cards}
    for card in found.cards[::7]:  # also those that another board stands for
        view = walk.study.at(f"check check {card.card}")
        assert card.often == pytest.approx(view.frequencies.tolist(), abs=1e-6)
        assert card.ev == pytest.approx([one.mean_ev for one in view.players], abs=1e-5)
        assert card.equity == pytest.approx([one.mean_equity for one in view.players], abs=1e-6)


@pytest.mark.compiled
def test_holdings_and_their_classes():
    view = turn().at("check")
    for player in (0, 1):
        classes = {one.name: one for one in classes_of(view, player)}
        hands = hands_of(view, player)
        assert sum(one.share for one in hands) == pytest.approx(1)
        assert sum(one.share for one in classes.values()) == pytest.approx(1)
        assert len(classes) == 169
        there = {class_name(int(HAND_CELLS[h])) for h in np.flatnonzero(view.players[player].weight)}
        assert {name for name, one in classes.items() if one.reach > 0} == there
        for name in there:
            members = hands_of(view, player, name)
            total = sum(one.share for one in members)
            mean = sum(one.share * one.ev for one in members) / total
            assert classes[name].ev == pytest.approx(mean)
            assert bool(members[0].often) == (player == view.player)
    rows = holding_rows(hands_of(view, 1), ["check", "bet 12"])
    assert list(rows[0]) == [
        "hand",
        "reach",
        "share",
        "ev",
        "equity",
        "check",
        "bet 12",
        "ev_check",
        "ev_bet 12",
    ]
    assert rows[0]["check"] + rows[0]["bet 12"] == pytest.approx(1)


def test_a_grid_of_numbers():
    sketch = value_grid(["AA", "AKs"], [0.5, 0.0], [1.0, 0.0], ["12.5", "-"], "EV", columns=2)
    text = str(sketch.__html__())
    assert "AA: 12.5; 50% of it left" in text
    assert "AKs: none of it left" in text
    assert text.count('class="heat"') == 1
    assert 'height="9.5"' in text  # half of the cell


@pytest.mark.compiled
def test_the_dial_goes_from_the_equilibrium_to_the_best_response():
    reads = [parse_read("bet12: fold 90%")]
    study = study_locks(river(), reads, trusts=(0.0, 0.5, 1.0), stops=Stops(gap=0.01, iterations=1000))
    stops = dial(study, between=3)
    assert [stop.trust for stop in stops] == [k / 8 for k in range(9)]
    for stop, answer in zip(stops[::4], study.curve.answers, strict=True):
        assert stop.gain == pytest.approx(study.curve.gain(answer))
        assert stop.cost == pytest.approx(study.curve.cost(answer))
    assert stops[0].gain == stops[0].cost == 0
    assert stops[-1].gain > 1
    assert stops[-1].cost > 1
    for low, high in ((stops[0], stops[4]), (stops[4], stops[8])):
        for k, stop in enumerate(stops[stops.index(low) : stops.index(high)]):
            assert stop.gain == pytest.approx(low.gain + k / 4 * (high.gain - low.gain), abs=1e-4)
            # A mixture loses no more than its parts.
            assert stop.cost <= low.cost + k / 4 * (high.cost - low.cost) + 1e-4
            assert all(sum(hand.after) == pytest.approx(1, abs=1e-5) for hand in stop.hands)
    assert all(hand.before == hand.after for hand in stops[0].hands)
    assert stops[-1].frequencies == pytest.approx(_after(stops[-1]), abs=1e-6)


def _after(stop):
    """The frequencies of the range from those of its classes."""
    return sum(hand.share * np.array(hand.after) for hand in stop.hands)
