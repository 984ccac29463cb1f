"""Persons: situations are told apart as the words say, and chances follow the scores."""

import json
import math
from importlib import resources

import numpy as np
import pytest
from test_abstraction import cache_folder, features  # noqa: F401  fixtures

from soulread.cards.arrays import hand_of
from soulread.cards.deck import parse_cards
from soulread.cards.isomorphism import all_boards
from soulread.cards.strength import hand_strength
from soulread.errors import DamagedFile, ParseError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import CALL, FOLD, RAISE, replay
from soulread.model.tabular import situations
from soulread.play.catalogue.known import parse_agent
from soulread.play.opponents import person
from soulread.play.opponents.person import (
    KNOTS,
    NUM_SITUATIONS,
    Person,
    chances,
    load_people,
    situation_name,
    situation_of,
)
from soulread.play.opponents.rating import hole_ranks, later_of, look_up_later, rating_of
from soulread.seqform.compile import compile_factored

LEDUC, LIMIT = leduc(), limit_holdem()


def name_at(betting, game=LIMIT, cards=None):
    state = replay(game, betting, cards or [None] * (4 + (0, 3, 4, 5)[betting.count("/")]))
    return situation_name(situation_of(state.view(state.player)))


def test_situations_in_words():
    assert name_at("") == "preflop, first in"
    assert name_at("c") == "preflop, may check"
    assert name_at("r") == "preflop, faces a raise"
    assert name_at("cr") == "preflop, called and was raised"
    assert name_at("rr") == "preflop, faces two raises"
    assert name_at("rrr") == "preflop, faces three raises"
    assert name_at("cc/") == "flop, to bet, first to act, nobody raised before"
    assert name_at("rc/") == "flop, to bet, first to act, the other raised last before"
    assert name_at("rc/c") == "flop, to bet, last to act, raised last before"
    assert name_at("rc/cr") == "flop, faces a bet, first to act, the other raised last before"
    assert name_at("rc/crc/r") == "turn, faces a bet, last to act, raised last before"
    assert name_at("rc/cc/r") == "turn, faces a bet, last to act, nobody raised before"
    assert name_at("cc/cc/cc/rr") == "river, faces a raise, first to act"
    assert name_at("cc/cc/cc/crr") == "river, faces a raise, last to act"
    assert name_at("cc/cc/cc/rrr") == "river, faces two raises or more"


def test_every_situation_occurs_in_limit_holdem_and_has_a_name_of_its_own():
    found = set()
    for betting in all_betting():
        state = replay(LIMIT, betting, [None] * (4 + (0, 3, 4, 5)[betting.count("/")]))
        found.add(situation_of(state.view(state.player)))
    assert found == set(range(NUM_SITUATIONS))
    assert len({situation_name(number) for number in range(NUM_SITUATIONS)}) == NUM_SITUATIONS


def all_betting():
    """Every betting of limit hold'em in which somebody is to act and few rounds differ."""
    rounds = "cc", "rc", "crc", "rrc"
    for street in range(4):
        before = [""] if street == 0 else [f"{'cc/' * (street - 1)}{last}/" for last in rounds]
        for start in before:
            for now in ("", "c", "r", "cr", "rr", "crr", "rrr"):
                yield start + now


def test_small_games_use_the_first_and_the_last_round():
    state = replay(LEDUC, "", "KsJs")
    assert situation_name(situation_of(state.view(0))) == "preflop, may check"
    state = replay(LEDUC, "rc/c", "KsJsKh")
    assert (
        situation_name(situation_of(state.view(1)))
        == "river, to bet, last to act, the other raised last before"
    )
    state = replay(kuhn(), "r", "KsJs")
    assert situation_name(situation_of(state.view(1))).startswith("river, faces a bet, last to act, nobody")


def test_chances_on_paper():
    call, up = (0.0, 0.4, 0.8, 1.2, 1.6, 2.0), (-1.0, -1.0, -1.0, 1.0, 1.0, 3.0)
    for place, rating in enumerate(KNOTS):
        weights = [1.0, math.exp(call[place]), math.exp(up[place])]
        assert chances((call, up), rating, True) == pytest.approx([w / sum(weights) for w in weights])
    middle = chances((call, up), 0.6, True)  # half-way between 0.5 and 0.7
    weights = [1.0, math.exp(1.0), math.exp(0.0)]
    assert middle == pytest.approx([w / sum(weights) for w in weights])
    assert chances((call, up), 1.0, False) == pytest.approx(
        [0, 1 / (1 + math.exp(3)), 1 / (1 + math.exp(-3))]
    )


def test_a_person_does_what_the_scores_of_the_situation_say():
    scores = np.zeros((NUM_SITUATIONS, 2, len(KNOTS)))
    scores[2, 1] = -30.0  # facing a raise before the flop, never raise
    scores[2, 0] = np.log(3)
    player = Person("someone", scores.tolist(), later_of(LEDUC))
    state = replay(LEDUC, "r", "KsJs")
    found = player.probabilities(state.view(1))
    assert found == pytest.approx({FOLD: 0.25, CALL: 0.75, RAISE: 0.0})
    state = replay(LEDUC, "rr", "KsJs")  # no raise is allowed any more
    assert player.probabilities(state.view(0)) == pytest.approx({FOLD: 0.5, CALL: 0.5})
    state = replay(LEDUC, "cc/", "KsJsKh")
    assert player.probabilities(state.view(0)) == pytest.approx({CALL: 0.5, RAISE: 0.5})


def test_every_decision_has_chances_that_sum_to_one():
    game = compile_factored(LEDUC)
    for number in range(len(load_people().scores)):
        player = parse_agent(f"person:number={number}").make(LEDUC)
        assert isinstance(player, Person)
        for seat in (0, 1):
            for view, _ in situations(game, seat):
                found = player.probabilities(view)
                assert list(found) == list(view.choices)
                assert min(found.values()) >= 0
                assert sum(found.values()) == pytest.approx(1)


def test_it_draws_what_it_says():
    state = replay(LEDUC, "r", "KsJs")
    player, rng = parse_agent("person:number=2").make(LEDUC), np.random.default_rng(0)
    assert isinstance(player, Person)
    view = state.view(state.player)
    drawn = np.bincount([player.act(view, rng) for _ in range(4000)], minlength=3) / 4000
    for action, chance in player.probabilities(view).items():
        assert abs(drawn[action] - chance) < 4 * math.sqrt(chance * (1 - chance) / 4000) + 1e-9


def test_the_file_says_how_it_was_made_and_names_nobody():
    text = resources.files("soulread.play.opponents").joinpath(person.FILE).read_text()
    assert len(text) < 200_000
    people = load_people()
    assert people.made_by == "benchmarks/fit_people.py"
    assert len(people.scores) >= 24
    assert np.abs(people.scores).max() <= 6
    for facts in people.facts:
        for value in facts.values():
            assert isinstance(value, int | float | list)  # no text, so no names


def test_stronger_hands_fold_less():
    """Of what was fitted, this much is sure for everybody: the best hands stay in more than the worst."""
    for scores in load_people().scores:
        for number in (0, 2, 12, 27, 42):  # first in, faces a raise, and a bet on flop, turn and river
            assert chances(scores[number], 0.98, True)[FOLD] < chances(scores[number], 0.3, True)[FOLD]


def test_numbers_that_are_nobody_and_files_that_are_damaged(monkeypatch):
    with pytest.raises(ParseError, match="number=1000; persons are 0 to"):
        parse_agent("person:number=1000")
    with pytest.raises(ParseError, match="number=-1"):
        parse_agent("person:number=-1")
    good = json.loads(resources.files("soulread.play.opponents").joinpath(person.FILE).read_text())
    good["people"][0]["scores"].pop()
    for text, words in (("{", "cannot be read"), ("[]", "cannot be read"), (json.dumps(good), "wrong shape")):
        monkeypatch.setattr(person, "_file_text", lambda text=text: text)
        load_people.cache_clear()
        with pytest.raises(DamagedFile, match=words):
            load_people()
    monkeypatch.undo()
    load_people.cache_clear()
    assert load_people().scores


def test_later_is_the_second_part_of_the_rating_in_small_games():
    king, queen = LEDUC.rules.deck[-1], LEDUC.rules.deck[2]
    assert later_of(LEDUC)((king,), (queen,)) == rating_of(LEDUC)((king,), (queen,))[1]
    assert later_of(LEDUC)((king,), ()) == rating_of(LEDUC)((king,), ())[1]


@pytest.mark.compiled
def test_what_is_looked_up_is_the_strength_over_all_boards_to_come(features):  # noqa: F811
    hole, board = parse_cards("AhKd"), parse_cards("Qh7s2dTc3h")
    rest = [card for card in range(52) if card not in (*hole, *board[:4])]
    by_river = [hand_strength(hole, (*board[:4], card)).value for card in rest]
    turn = math.sqrt(np.mean(np.square(by_river)))

    def later(*cards):
        tables = features.flop_hs2, features.turn_hs2, features.river
        return look_up_later(all_boards().lookup, *tables, hand_of(*hole), *cards)

    assert later(*board) == pytest.approx(hand_strength(hole, board).value)
    assert later(*board[:4], -1) == pytest.approx(turn, abs=1e-4)
    by_turn = [later(*board[:3], card, -1) ** 2 for card in range(52) if card not in (*hole, *board[:3])]
    assert later(*board[:3], -1, -1) == pytest.approx(math.sqrt(np.mean(by_turn)), abs=1e-4)
    ranks = hole_ranks(features)
    assert ranks[hand_of(*parse_cards("AhAd"))] > 0.99 > 0.05 > ranks[hand_of(*parse_cards("3h2d"))]
