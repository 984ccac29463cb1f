"""`soulread read` and `soulread incomes`: what everybody may hold, and how well that is read."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from naive_ranges import score_models
from test_loki_model import simulated

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import HAND_CELLS
from soulread.cards.scales.values import ehs_against
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import replay
from soulread.hands.hand import Hand
from soulread.hands.record import public_view, seen_by, seen_by_dealer
from soulread.hands.store import Store
from soulread.model.loki.model import LokiModel
from soulread.study.hands.holdings import study_reading

pytestmark = pytest.mark.compiled

RING = parse_game("ring-limit:6")
NAMES = ["Ada", "Ben", "Cleo", "Dora", "Emil", "Finn"]
BETTING = "fcrfcfc/crcf/rc/cc"


def cards() -> list[int]:
    return list(parse_cards("AhKd 7c2d 9s8s 5h5d QcQd AdTd Qh9c4s 2s 7h"))


@pytest.fixture(scope="module")
def hand() -> Hand:
    """Ada limps in the small blind and folds to a raise on the flop; Dora and Emil go to the showdown."""
    return seen_by(replay(RING, BETTING, cards()), 0, NAMES, id="h1")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="soulread")


def record(*arguments: object) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_a_reading_is_that_of_the_models(hand: Hand) -> None:
    study = study_reading(hand)
    assert (study.at, study.street, study.hole, study.hero) == (8, "flop", "AhKd", 0)
    assert [(seat.player, seat.action) for seat in study.seats] == [
        ("Dora", "calls before the flop, one bet to call"),
        ("Emil", "raises before the flop, one bet to call"),
    ]
    view = replay(RING, "fcrfcfc/", cards()[:15]).view(0)
    model = LokiModel(RING)
    for seat in study.seats:
        expected = np.bincount(HAND_CELLS, model.holdings(view, seat.seat), minlength=169)
        assert np.ravel(seat.grid) == pytest.approx(expected)
        assert np.sum(seat.grid) == pytest.approx(1)
        assert np.sum(seat.before) == pytest.approx(1)
        assert seat.holdings < seat.holdings_before
        assert all(change.after > change.before for change in seat.gained)
        assert all(change.after < change.before for change in seat.lost)
        assert seat.standing is not None
    weights = [model.holdings(view, seat) for seat in (3, 4)]
    assert study.standing == ehs_against(parse_cards("AhKd"), view.board, weights)


def test_any_decision_and_the_end_can_be_read(hand: Hand) -> None:
    total = len(hand.actions)
    for at in range(1, total + 2):
        study = study_reading(hand, at=at)
        assert study.num_decisions == total
        live = {seat.player for seat in study.seats}
        assert "Dora" in live
        assert (study.standing is None) == (study.street == "before the flop")
    assert study.to_act is None
    assert live == {"Dora", "Emil"}
    for at in (0, total + 2):
        with pytest.raises(SoulreadError, match=f"give 1 to {total}, or {total + 1}"):
            study_reading(hand, at=at)


def test_nobodys_cards_are_needed(hand: Hand) -> None:
    public = replace(hand, observer=None)
    study = study_reading(public)
    assert (study.hero, study.hole, study.standing) == (None, None, None)
    assert study.at == len(hand.actions) + 1
    assert [seat.player for seat in study.seats] == ["Dora", "Emil"]
    assert study_reading(public, player="Emil").hole == "QcQd"  # shown in the end
    with pytest.raises(SoulreadError, match="the cards of 'Ben' were not seen"):
        study_reading(hand, player="Ben")
    with pytest.raises(SoulreadError, match="'Gus' is not in this hand"):
        study_reading(hand, player="Gus")


def test_a_specific_model_reads_by_earlier_hands(hand: Hand) -> None:
    earlier = [replace(old, players=tuple(NAMES)) for old in simulated(RING, 60, 2)]
    som, gom = (study_reading(hand, kind=kind, earlier=earlier) for kind in ("som", "gom"))
    assert all(seat.seen > 30 for seat in som.seats)
    assert all(seat.seen == 0 for seat in gom.seats)
    assert som.seats[0].grid != gom.seats[0].grid


def test_the_command_reads_files_lines_and_stores(hand: Hand, tmp_path: Path) -> None:
    file, store = tmp_path / "hands.jsonl", tmp_path / "hands.db"
    others = [replace(old, players=tuple(NAMES), id=f"o{n}") for n, old in enumerate(simulated(RING, 8, 3))]
    file.write_text("".join(f"{one.to_json()}\n" for one in [*others, hand]))
    with Store.open(store) as opened:
        opened.add([*others, hand])
    line = record("read", hand.to_json())
    assert line["players"] == NAMES
    assert line["seats"][0]["grid"] == record("read", file, "--hand", "h1")["seats"][0]["grid"]
    assert record("read", "--db", store, "--hand", "h1", "--decision", 3)["at"] == 3
    assert record("read", "--db", store, "--hand", "h1", "--model", "som")["seats"][0]["seen"] > 0
    assert record("read", file, "--hand", "#9", "--model", "som")["seats"][0]["seen"] > 0
    assert record("read", file)["id"] == "o0"
    shown = run("read", file, "--hand", "h1").output
    assert "Emil (CO): raises before the flop, one bet to call" in shown
    assert "EHS" in shown
    for wrong, message in (
        (("read",), "give HAND, or a hand of a store"),
        (("read", file, "--db", store), "give either HAND or --db"),
        (("read", file, "--hand", "x"), "has no hand 'x'; it has 9"),
        (("read", tmp_path / "none"), "none"),
        (("read", file, "--hand", "h1", "--decision", 99), "decision 99 of a hand that has"),
    ):
        result = run(*wrong)
        assert result.exit_code == 2
        assert message in result.output


def test_other_games_are_refused() -> None:
    leduc = seen_by_dealer(replay(parse_game("leduc"), "cc/cc", "JhQsKh"))
    with pytest.raises(SoulreadError, match="a hand of 'leduc' is not hold'em"):
        study_reading(leduc)
    with pytest.raises(SoulreadError, match="a hand of 'leduc' is not hold'em"):
        LokiModel(RING, "som").update(leduc, "seat 1")


def test_the_command_shows_income_rates() -> None:
    found = record("incomes", "--players", 4, "--deals", 20000)["tables"]
    assert len(found) == 1
    assert found[0]["classes"]["AA"]["rate"] > found[0]["classes"]["72o"]["rate"]
    shown = run("incomes", "--players", 4, "--deals", 20000).output
    assert "income rates of 4 players, mb/g" in shown
    assert "n = 20,000 deals, seed 1998" in shown
    assert run("incomes", "--players", 12).exit_code == 2


def test_scores_of_models() -> None:
    """Hands at random tell nothing, so whoever believes them is below 0; and scores are of what was shown."""
    hands = simulated(RING, 60, 11)
    shown = sum(hand.showdown and not out for hand in hands for out in _folded(hand))
    makers = {"sure": lambda game: LokiModel(game, doubt=0), "som": lambda game: LokiModel(game, "som")}
    scores = score_models(hands, makers)
    assert len(scores["sure"].cards) == len(scores["som"].cards) == shown
    assert len(scores["som"].actions) == sum(len(hand.actions) for hand in hands)
    assert scores["sure"].cards.mean() < scores["som"].cards.mean() < 0.1
    assert scores["som"].actions.mean() > scores["sure"].actions.mean()  # it has learnt the frequencies
    assert sum(one.count for one in scores["som"].bins) >= 2 * len(scores["som"].actions)
    assert scores["som"].miscalibration < scores["sure"].miscalibration < 0.3
    assert len(score_models(hands, makers, actions=False, skip=50)["som"].actions) == 0


def _folded(hand: Hand) -> list[bool]:
    out = {seat for seat, action in hand.actions if action == 0}
    return [seat in out for seat in range(hand.num_players)]


def test_a_public_view_tells_no_cards() -> None:
    state = replay(RING, "fcrfcfc/", cards()[:15])
    view = public_view(state)
    assert (view.seat, view.hole, view.legal) == (-1, (), ())
    assert view.information == f"|{state.public()}"
    other = replay(RING, "fcrfcfc/", [*reversed(cards()[:12]), *cards()[12:15]])
    assert public_view(other) == view
