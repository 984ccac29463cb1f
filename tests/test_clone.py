"""Clones: cells as statistics count them, chances that fit, holdings whose mean is the chance, the agent."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from soulread.cards.arrays import deal
from soulread.errors import DamagedFile, ParseError, SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import RAISE
from soulread.hands.facts import facts_of
from soulread.hands.hand import Hand
from soulread.hands.statistics import STATISTICS, Occasions
from soulread.hands.store import Store
from soulread.model.base import ask
from soulread.model.clone import people as people_module
from soulread.model.clone.cells import AFTER, BEFORE, NUM_CELLS, TABLES, decisions_of, decisions_so_far
from soulread.model.clone.chances import Spread, chances_at, learn_weights, no_weights
from soulread.model.clone.holdings import alive_on, features_on, no_tastes, policy
from soulread.model.clone.model import CloneModel
from soulread.model.clone.people import known_people, read_people, save_people
from soulread.model.clone.sizes import SeenSizes, Sizing, no_sizes
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import play_hand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Random
from soulread.play.opponents.clone import clone_text
from soulread.streams import stream

GAMES = "ring-limit:3", "nolimit:players=4,stacks=60/17/33/90,blinds=1/2"


def hands_of(text: str, count: int = 40) -> list[Hand]:
    game = parse_game(text)
    rng = stream(3, text)
    names = [f"P{seat}" for seat in range(game.num_players)]
    found = []
    for number in range(count):
        agents = [Random() for _ in names]
        dealt = deal(rng, game.rules.deck, game.num_cards)
        hand = play_hand(game, agents, dealt, [rng] * len(names), names)
        found.append(replace(hand.seen_by(None), id=f"{number}"))
    return found


@pytest.mark.parametrize("text", GAMES)
def test_a_hand_in_play_is_described_as_a_record_is(text: str) -> None:
    hands = hands_of(text)
    made = decisions_of(hands)
    game = parse_game(text)
    for number, hand in enumerate(hands):
        rows = np.flatnonzero(made.hand == number)
        for k, row in enumerate(rows.tolist()):
            parts = hand.betting.split("/")
            round = int(made.round[row])
            board = hand.board[: (0, 3, 4, 5)[round]]
            betting = betting_until(parts, k)
            seat = hand.actions[k][0]
            now = decisions_so_far(game, hand.actions[:k], betting, round, board, seat)
            for name in ("cells", "values", "legal", "state", "round", "faced", "depth", "seat"):
                assert_array_equal(getattr(now, name)[-1], getattr(made, name)[row], err_msg=name)


def betting_until(parts: list[str], count: int) -> str:
    """The betting of the first actions of a hand, and the rounds that they end."""
    found, left = [], count
    for number, part in enumerate(parts):
        letters = [letter for letter in part if letter in "fcr"]
        if left < len(letters) or number == len(parts) - 1:
            text, seen = "", 0
            for letter in part:
                seen += letter in "fcr"
                if seen > left:
                    break
                text += letter
            found.append(text)
            break
        found.append(part)
        left -= len(letters)
    return "/".join(found)


def test_states_are_the_chances_of_statistics() -> None:
    """c-bets, donks and 3-bets have their chances where the states say so."""
    hands = hands_of(GAMES[1], 200)
    made = decisions_of(hands)
    facts = facts_of(hands)
    first = np.cumsum([0, *(hand.num_players for hand in hands)])[:-1]
    order = np.argsort(first[made.hand] + made.seat, kind="stable")
    state = made.state[order]
    columns = Occasions(facts)._decisions
    by_name = {one.name: one for one in STATISTICS}
    later = len(BEFORE)
    assert_array_equal(by_name["c-bet flop"].chance(columns), (state == later) & (made.round[order] == 1))
    assert_array_equal(by_name["donk"].chance(columns), state == later + 1)
    assert_array_equal(
        by_name["fold to 3-bet"].chance(columns), state == BEFORE.index("raised and faces another raise")
    )
    assert (made.cells < NUM_CELLS).all()
    assert {name.split(",")[0] for name in TABLES} == {"before", "after"}
    assert set(state.tolist()) <= set(range(len(BEFORE) + len(AFTER)))


def test_chances_fit_what_was_done() -> None:
    """With a wide prior the chances of every coarse cell add up to what was done in it."""
    made = decisions_of(hands_of(GAMES[0], 150))
    weights = learn_weights(no_weights(), made, Spread(50.0, 0.01))
    some = made.take(made.chosen)
    chances = chances_at(weights, some)
    assert_allclose(chances.sum(axis=1), 1)
    assert (chances[~some.legal] == 0).all()
    for state in np.unique(some.state):
        there = some.state == state
        if there.sum() > 40:
            seen = np.bincount(some.action[there], minlength=3) / there.sum()
            assert_allclose(chances[there].mean(axis=0), seen, atol=0.02)
    kept = learn_weights(weights, some, Spread(1e-6, 1e-6))
    assert_allclose(kept, weights, atol=1e-3)


@pytest.mark.parametrize("chances", [(0.2, 0.5, 0.3), (0.0, 0.9, 0.1), (0.98, 0.02, 0.0), (0.0, 1.0, 0.0)])
def test_the_mean_over_the_range_is_the_chance(chances: tuple[float, float, float]) -> None:
    board = (0, 17, 30)
    weights = alive_on(board) * np.random.default_rng(1).random(1326)
    found = policy(no_tastes().at(len(BEFORE) + 6), features_on(board), weights, np.array(chances))
    assert_allclose(found.sum(axis=1), 1)
    assert_allclose(weights @ found / weights.sum(), chances, atol=1e-8)
    if min(chances) > 0:
        strong, weak = (
            np.argmax(features_on(board)[:, 0] * alive_on(board)),
            np.argmin(np.where(alive_on(board) > 0, features_on(board)[:, 0], 2)),
        )
        assert found[strong, RAISE] > found[weak, RAISE]
        assert found[strong, 0] < found[weak, 0]


@pytest.mark.compiled
@pytest.mark.parametrize("text", GAMES)
def test_it_keeps_to_the_contract_of_models(text: str) -> None:
    game, hands = parse_game(text), hands_of(text)
    model = CloneModel(game).fit(hands, "P1")
    again = CloneModel(game).fit(hands[:5], "P0").fit(hands, "P1")
    state = game.start().deal(range(0, 4 * game.num_players, 2)[: 2 * game.num_players])
    while state.player >= 0:
        seat = state.player
        own, other = state.view(seat), state.view((seat + 1) % game.num_players)
        for view in (own, other):
            answer = ask(model, view, seat)
            assert sum(answer.values()) == pytest.approx(1)
            assert answer == ask(again, view, seat)
            weights = model.holdings(view, seat)
            assert weights.sum() == pytest.approx(1)
        with pytest.raises(SoulreadError, match="does not act after"):
            model.probabilities(own, (seat + 1) % game.num_players)
        state = state.apply(1)
        while state.player == -1:
            state = state.apply(next(card for card in range(51, -1, -1) if card not in state.cards))
    other_game = parse_game(GAMES[1 - GAMES.index(text)])
    with pytest.raises(SoulreadError, match="says nothing about"):
        CloneModel(other_game).update(hands[0], "P0")


def test_sizes_are_those_that_were_seen() -> None:
    hands = hands_of(GAMES[1], 100)
    game = parse_game(GAMES[1])
    made = decisions_of(hands)
    sizing = Sizing(SeenSizes.of(made), no_sizes())
    assert sum(sizes.size for place in sizing.own.sizes for sizes in place) == (made.action == RAISE).sum()
    state = game.start().deal((0, 1, 2, 3, 4, 5, 6, 7))
    view = state.view(state.player)
    now = decisions_so_far(game, (), "", 0, (), state.player)
    rng = np.random.default_rng(1)
    assert all(sizing.draw(view, now, rng) in view.legal for _ in range(50))
    assert sum(sizing.spread(view, now).values()) == pytest.approx(1)
    usual = Sizing(no_sizes(), no_sizes()).draw(view, now, rng)
    assert usual == 6  # three big blinds


def test_a_file_that_is_not_whole_is_refused(tmp_path) -> None:
    path = tmp_path / "people.safetensors"
    save_people(path, known_people(), "a test")
    assert_allclose(read_people(path)["limit"].weights, known_people()["limit"].weights)
    one = known_people()["limit"]
    save_people(
        path, {"limit": one, "nolimit": people_module.PeopleInGeneral(one.weights[:5], one.tastes)}, ""
    )
    with pytest.raises(DamagedFile, match="no whole 'weights' of nolimit"):
        read_people(path)


@pytest.mark.compiled
@pytest.mark.parametrize("text", GAMES)
def test_a_clone_of_a_store(tmp_path, text: str) -> None:
    """By its name alone; the same seed gives the same play; another betting and unknown names are refused."""
    path = tmp_path / "a,b%.db"
    with Store.open(path) as store:
        store.add(hands_of(text))
    game = parse_game(text)
    written = clone_text("P1", str(path))
    assert parse_agent(written).options.db == str(path)
    agent = parse_agent(written).make(game)
    assert agent.name == written
    others = tuple(Random() for _ in range(game.num_players - 1))
    assert_array_equal(Match(game, (agent, *others), 15).play(3), Match(game, (agent, *others), 15).play(3))
    with pytest.raises(SoulreadError, match="is not in"):
        parse_agent(clone_text("nobody", str(path))).make(game)
    with pytest.raises(SoulreadError, match="there are no hands of 'P1'"):
        parse_agent(written).make(parse_game(GAMES[1 - GAMES.index(text)]))
    with pytest.raises(SoulreadError, match="cannot sit at"):
        parse_agent(written).make(parse_game("leduc"))
    with pytest.raises(SoulreadError, match="does not say whose clone"):
        parse_agent("clone").make(game)
    with pytest.raises(ParseError):
        parse_agent("clone:who=P1")
