"""What models say of a player in a profile: ranges by line of play."""

from functools import lru_cache

import numpy as np
import pytest

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import HAND_CELLS, hand_index
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.hands.facts import Facts, facts_of
from soulread.hands.hand import Hand
from soulread.model.base import CardReader
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
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
