"""What models say of a player in a profile: ranges by line of play."""

from functools import lru_cache

import numpy as np
import pytest

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import HAND_CELLS, class_name, hand_index
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import replay
from soulread.hands.facts import Facts, facts_of
from soulread.hands.hand import Hand
from soulread.hands.record import seen_by
from soulread.hands.referee import game_of_holdem
from soulread.model.base import CardReader
from soulread.model.relational.model import RelationalModel
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.study.profile import line_strength
from soulread.study.profile import model_ranges as modelled
from soulread.study.profile.ranges_by_line import LINES, MODEL, SHOWN, lines_taken, ranges_of

PLAYER = "plain:style=tight"


@lru_cache(maxsize=1)
def watched() -> dict[int, Hand]:
    """Hands of three players as nobody at the table saw them, by number."""
    game = parse_game("nolimit:players=3,stacks=200")
    agents = tuple(parse_agent(text).make(game) for text in (PLAYER, "plain:style=loose", "always-call"))
    found: list[Hand] = []
    Match(game, agents, 240).play(3, record=lambda hand: found.append(hand.seen_by(None)))
    return dict(enumerate(found, start=100))


def own_facts(records: dict[int, Hand]) -> Facts:
    facts = facts_of(list(records.values()), list(records))
    return facts.take(np.array([3 * i + hand.seat_of(PLAYER) for i, hand in enumerate(records.values())]))


@pytest.mark.compiled
def test_a_line_is_complete_at_the_decision_where_its_last_condition_holds() -> None:
    records = watched()
    facts = own_facts(records)
    numbers = facts.seats["hand"].tolist()
    found = 0
    for title, taken in lines_taken(facts):
        if title.startswith("raised first in"):
            for row, place in taken:
                hand = records[numbers[row]]
                seat = hand.seat_of(PLAYER)
                own = [n for n, (who, _) in enumerate(hand.actions) if who == seat]
                assert all(action < 2 for _, action in hand.actions[: own[place]])
                assert hand.actions[own[place]][1] >= 2
                found += 1
    assert found > 10
    assert [title for title, _ in lines_taken(facts)] == [title for title, _ in LINES]


class Even(CardReader):
    """Reads the number of actions in view, and no cards."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, ...]] = []

    def holdings(self, view, seat):
        assert view.seat == -1
        assert view.actions[-1][0] == seat
        self.asked.append(tuple(action for _, action in view.actions))
        own = np.zeros(1326)
        own[hand_index(*parse_cards("AhKh"))] = 1.0
        return own


@pytest.mark.compiled
def test_a_grid_is_the_mean_of_what_a_model_says_just_after_the_line(monkeypatch) -> None:
    records = watched()
    facts = own_facts(records)
    model = Even()
    monkeypatch.setattr(modelled, "HANDS_OF_A_LINE", 7)
    grids = ranges_of(facts, {}, lambda at: modelled.mean_range(model, records, PLAYER, at))
    taken = dict(lines_taken(facts))
    for grid in grids:
        assert grid.source == (MODEL if grid.taken else SHOWN)
        assert grid.taken == len(taken[grid.title])
        assert grid.n <= 7
        assert sum(grid.cells) == pytest.approx(grid.taken)
        assert grid.cells[HAND_CELLS[hand_index(*parse_cards("AhKh"))]] == pytest.approx(grid.taken)
    with pytest.raises(SoulreadError, match="no decision number 99"):
        modelled.after_decision(records[100], 0, 99)


@pytest.mark.compiled
def test_a_tight_player_raises_good_hands() -> None:
    records = watched()
    found = modelled.study_model(records, PLAYER)
    cells = np.zeros(169)
    for line in ranges_of(own_facts(records), {}, found):
        if line.title.startswith("raised first in"):
            cells += line.cells
    aces, rags = (HAND_CELLS[hand_index(*parse_cards(text))] for text in ("AhAd", "7h2d"))
    assert cells[aces] / 6 > 4 * cells[rags] / 12
    few = dict(list(records.items())[:100])
    assert modelled.study_model(few, PLAYER) is None


# The strength of hands inside a leaf --------------------------------------------------------------


def features_by_hand(name: str) -> list[float]:
    """The features of a class, one by one."""
    ranks = "23456789TJQKA"
    high, low = ranks.index(name[0]) / 12, ranks.index(name[1]) / 12
    if name[0] == name[1]:
        return [1, high, high**2, *[0.0] * 9]
    suited = float(name[2] == "s")
    gap = min(5, ranks.index(name[0]) - ranks.index(name[1])) / 5
    product = high * low
    return [0, 0, 0, suited, suited * low, high, high**2, low, low**2, product, gap, float(high == 1)]


def test_features_are_those_of_the_two_ranks() -> None:
    found = line_strength.class_features()
    for cell in range(169):
        assert found[cell].tolist() == pytest.approx(features_by_hand(class_name(cell)))
    assert line_strength.WEIGHTS.shape == (len(line_strength.KINDS), len(line_strength.FEATURES))


def test_limped_aces_are_not_as_dark_as_small_suited_aces() -> None:
    names = [class_name(cell) for cell in range(169)]
    limped = line_strength.strength_factor(np.eye(6)[0])
    assert limped[names.index("AA")] < 0.6 * limped[names.index("A2s")]
    raised = line_strength.strength_factor(np.eye(6)[1])
    assert raised[names.index("AA")] > 1.2 * raised[names.index("A2s")]
    both = line_strength.strength_factor(np.eye(6)[0] + np.eye(6)[4])
    called = line_strength.strength_factor(np.eye(6)[4])
    assert both.tolist() == pytest.approx((limped * called).tolist())
    assert line_strength.strength_factor(np.zeros(6)).tolist() == [1.0] * 169
    kinds = [line_strength.kind_of(raises, raised) for raises in (0, 1, 2, 3) for raised in (False, True)]
    assert kinds == [0, 1, 2, 3, 4, 5, 4, 5]


def test_own_cards_say_how_far_the_factor_holds() -> None:
    """Cards drawn with the whole factor, with a half or with nothing of it; without cards it is a half."""
    rng = np.random.default_rng(5)
    even = np.bincount(HAND_CELLS, minlength=169) / 1326
    counts = np.tile(np.eye(6, dtype=np.int64)[3], (300, 1))
    for part in (0.0, 0.5, 1.0):
        chances = even * line_strength.strength_factor(part * np.eye(6)[3])
        shown = rng.choice(169, 300, p=chances / chances.sum())
        scales = line_strength.borne_out(np.tile(even, (300, 1)), counts, shown)
        assert scales[3] == pytest.approx(part, abs=0.1)
        assert np.delete(scales, 3).tolist() == [0.5] * 5


@pytest.mark.compiled
def test_a_range_follows_strength_inside_the_leaves() -> None:
    """The mean range is that of the model, each class times its factor, hand by hand."""
    records = watched()
    facts = own_facts(records)
    numbers = facts.seats["hand"].tolist()
    taken = dict(lines_taken(facts))["raised first in, CO or BTN"]
    at = [(numbers[row], place) for row, place in taken][:3]
    model = RelationalModel(game_of_holdem(records[100]))
    scales = np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    expected = np.zeros(169)
    for number, place in at:
        hand = records[number]
        view, counts = modelled.after_decision(hand, hand.seat_of(PLAYER), place)
        assert counts.tolist() == [0, 1, 0, 0, 0, 0]
        cells = np.bincount(HAND_CELLS, model.holdings(view, hand.seat_of(PLAYER)), 169)
        for cell in range(169):
            weights = 0.5 * line_strength.WEIGHTS[1]
            cells[cell] *= np.exp(weights @ features_by_hand(class_name(cell)))
        expected += cells / cells.sum()
    mean, looked = modelled.mean_range(model, records, PLAYER, at, scales)
    assert looked == len(at) == 3
    assert mean.tolist() == pytest.approx((expected / 3).tolist())


@pytest.mark.compiled
def test_actions_before_the_flop_are_told_by_kind() -> None:
    """Limps, raises and calls by how many raises came before; a check in the big blind is none of them."""
    game = nolimit_holdem(3)
    for betting, seat, place, expected in (
        ("fcc/cc/cc/cc", 0, 0, [1, 0, 0, 0, 0, 0]),
        ("fcc/cc/cc/cc", 1, 0, [0, 0, 0, 0, 0, 0]),
        ("fcr6c/cc/cc/cc", 0, 1, [1, 0, 1, 0, 0, 0]),
        ("fcr6c/cc/cc/cc", 0, 0, [1, 0, 0, 0, 0, 0]),
        ("r6r20fc/cc/cc/cc", 2, 1, [0, 1, 0, 0, 1, 0]),
        ("r6fr20r60c/cc/cc/cc", 1, 1, [0, 0, 0, 1, 1, 0]),
        ("r6fr20r60c/cc/cc/cc", 2, 1, [0, 1, 0, 0, 0, 1]),
        ("r6fr20r60c/r90c/cc/cc", 1, 2, [0, 0, 0, 1, 1, 0]),
    ):
        hand = seen_by(replay(game, betting, "AhAd KhQh 9c8c 2h7hTc4s9d"), None, ["Sal", "Bea", "Bo"])
        view, counts = modelled.after_decision(hand, seat, place)
        assert counts.tolist() == expected, (betting, seat, place)
        assert sum(who == seat for who, _ in view.actions) == place + 1
