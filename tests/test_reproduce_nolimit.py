"""Experiments on no-limit players: what is judged, what may be known, and that they run to a report."""

import numpy as np
import pytest

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import hand_index
from soulread.games.named import parse_game
from soulread.games.poker import FOLD, replay
from soulread.hands.hand import Hand, Sight
from soulread.hands.record import public_view
from soulread.hands.store import Store as HandStore
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.ranges.scores import FOLDED, SHOWN, UNSEEN
from soulread.reproduce.ponsen_2008 import matches as ponsen_matches
from soulread.reproduce.ponsen_2008 import ranges as relational_ranges
from soulread.reproduce.ponsen_2008.range_models import (
    MODELS,
    ShownClasses,
    judge_player,
    last_view,
    spectator,
)
from soulread.reproduce.ponsen_2008.ranges import covered, gain, top
from soulread.tasks import ResultStore, Task, TaskResult

GAME = "nolimit:players=3"


def dealt(count: int, seed: int = 1) -> list[Hand]:
    """Hands of plain players with all cards."""
    game = parse_game(GAME)
    agents = tuple(parse_agent(f"plain:style={style}").make(game) for style in ("tight", "medium", "loose"))
    found: list[Hand] = []
    Match(game, agents, count).play(seed, record=lambda hand: found.append(hand.seen_by_dealer()))
    return found


@pytest.fixture(scope="module")
def hands() -> list[Hand]:
    return dealt(40)


@pytest.mark.compiled
def test_a_spectator_knows_shown_cards_only(hands: list[Hand]) -> None:
    hidden = 0
    for hand in hands:
        seen = spectator(hand)
        for seat, sight in enumerate(hand.sights):
            assert (seen.hole[seat] is not None) == (sight is Sight.SHOWN)
            hidden += sight is not Sight.SHOWN
        assert seen.actions == hand.actions
    assert hidden > 20


@pytest.mark.compiled
def test_a_hand_is_judged_after_the_last_action_that_was_no_fold(hands: list[Hand]) -> None:
    fates = {FOLDED: 0, UNSEEN: 0, SHOWN: 0}
    for hand in hands:
        for seat in range(3):
            own = [(n, action) for n, (actor, action) in enumerate(hand.actions) if actor == seat]
            stayed = [n for n, action in own if action != FOLD]
            found = last_view(hand, seat)
            if not stayed:
                assert found is None
                continue
            assert found is not None
            view, fate = found
            assert view.actions == hand.actions[: stayed[-1] + 1]
            assert view.hole == ()
            assert (fate == FOLDED) == (own[-1][1] == FOLD)
            fates[fate] += 1
    assert min(fates.values()) > 2


@pytest.mark.compiled
def test_classes_that_were_shown_more_often_are_likelier(hands: list[Hand]) -> None:
    model = ShownClasses([spectator(hand) for hand in hands])
    state = replay(parse_game(GAME), "", parse_cards("AsAh2c2dKsKh"))
    table = model.holdings(public_view(state), 0)
    assert table.sum() == pytest.approx(1)
    shown = [hand_index(*cards) for hand in hands for cards in spectator(hand).hole if cards]
    assert table[shown].mean() > 1.5 / 1326
    nothing = ShownClasses([]).holdings(public_view(state), 0)
    assert np.allclose(nothing, 1 / 1326)


@pytest.mark.compiled
def test_players_are_judged_on_the_second_part_alone(tmp_path, hands: list[Hand]) -> None:
    """Rows for all hands of the second part in which the player stayed in once; folded hands too."""
    file = tmp_path / "hands.db"
    with HandStore.open(file) as store:
        store.add(hands)
    player = hands[0].players[2]
    values = judge_player(str(file), player, cut=24, learned=50, judged=100, prior=50)
    expected = [last_view(hand, hand.seat_of(player)) for hand in hands[24:]]
    judged = [found for found in expected if found is not None]
    assert np.array_equal(values["fate"], [fate for _, fate in judged])
    assert np.shape(values["gains"]) == (len(judged), len(MODELS))
    assert values["learned"] == 24
    top = np.asarray(values["top"])
    assert ((top >= 0) & (top <= 1)).all()
    again = dealt(40)
    assert [hand.actions for hand in again] == [hand.actions for hand in hands]


def result(**values) -> TaskResult:
    return TaskResult(Task(dict, {}), {name: np.array(value, float) for name, value in values.items()}, 0.0)


def test_scores_count_what_they_should() -> None:
    made = result(
        fate=[SHOWN, FOLDED],
        gains=[[1.0, 3.0], [5.0, 7.0]],
        likelier=[[[0.4, 0.2], [0.0, 0.1]], [[0.9, 0.05], [0.5, 0.5]]],
        top=[[0.34, 0.9], [0.31, 1.0]],
        is_top=[1, 0],
    )
    assert np.array_equal(gain(1)(made), [3.0, np.nan], equal_nan=True)
    assert np.array_equal(gain(1, (SHOWN, FOLDED), less=0)(made), [2.0, 2.0])
    assert covered(0, 0.5)(made) == pytest.approx([0.5, 0.0])
    assert covered(1, 0.75)(made) == pytest.approx([1.0, 0.5])
    assert np.array_equal(top(0, 3, False)(made), [1.0, 0.0])
    assert np.array_equal(top(1, 9, True)(made), [0.9, 1.0])
    assert np.isnan(top(1, 3, True)(made)).all()


def test_reports_are_there_without_data_or_matches(tmp_path) -> None:
    options = RunOptions(store=ResultStore(tmp_path), stored_only=True)
    assert relational_ranges.ranges(options).claims == ()
    report = ponsen_matches.matches(options)
    assert len(report.claims) == 8
    assert all("not measured" in claim.evidence for claim in report.claims)
    cells = ponsen_matches.grid_of(4, 150, 1).cells
    assert len(cells["tight", 6]) == 3 * len(cells["loose", 2])
    assert cells["random", 2][0].parameters["agents"] == [ponsen_matches.AGENT, "random"]


def test_what_was_won_is_in_big_blinds_by_matches() -> None:
    made = [result(profits=[[2.0, -2.0], [4.0, -4.0]]), result(profits=[[0.0, 0.0], [2.0, -2.0]])]
    found = ponsen_matches.won(made, 2)
    assert found is not None
    assert found.mean == pytest.approx(100.0)  # two chips a hand are a big blind
    assert found.n == 2
    assert ponsen_matches.won([], 6) is None
