"""The record of a hand: nothing is lost on the way to JSON and back, and nothing unseen gets in."""

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soulread.cards.deck import FULL_DECK, parse_cards
from soulread.errors import ParseError, SoulreadError
from soulread.games.base import CHANCE
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerGame, PokerState, replay
from soulread.games.ring_limit import ring_limit
from soulread.hands.hand import ForcedBet, Hand, Post, Sight, Stakes, hand_from_dict, hand_from_json
from soulread.hands.record import decisions, posts_of, replay_hand, seen_by, seen_by_dealer, verify_hand


@st.composite
def games(draw: st.DrawFn) -> PokerGame:
    """Limit and no-limit hold'em with 2 to 10 seats; no-limit with all sorts of stacks, blinds and antes."""
    seats = draw(st.integers(2, 10))
    if draw(st.booleans()):
        return ring_limit(seats)
    big = draw(st.integers(1, 6))
    stacks = draw(st.lists(st.integers(1, 60), min_size=seats, max_size=seats))
    return nolimit_holdem(seats, stacks, (draw(st.integers(0, big)), big), draw(st.integers(0, 3)))


@st.composite
def ends(draw: st.DrawFn) -> PokerState:
    """A hand played to its end with drawn cards and drawn actions."""
    game = draw(games())
    cards = iter(draw(st.permutations(FULL_DECK)))
    state = game.start()
    while state.player != -2:
        if state.player == CHANCE:
            state = state.apply(next(cards))
            continue
        legal = state.legal_actions()
        state = state.apply(legal[draw(st.integers(0, min(len(legal), 6) - 1))])
    return state


LABELS = st.lists(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=10, max_size=10, unique=True
)


@given(ends(), LABELS, st.data())
def test_json_reads_back_to_an_equal_hand(end: PokerState, names: list[str], data: st.DataObject) -> None:
    seats = end.rules.num_players
    observer = data.draw(st.sampled_from([None, *range(seats)]))
    hand = seen_by(end, observer, names[:seats], id="7", source="a test", table="table 1")
    hand = replace(hand, time=datetime(2026, 11, 16, 21, 4, tzinfo=UTC))
    for whole in (hand, seen_by_dealer(end, names[:seats])):
        again = hand_from_json(whole.to_json())
        assert again == whole
        assert hash(again) == hash(whole)
        assert "\n" not in whole.to_json()


@given(ends())
def test_chips_are_conserved_and_labels_distinct(end: PokerState) -> None:
    hand = seen_by(end, 0)
    assert sum(hand.payoffs) + hand.rake == 0
    assert hand.payoffs == end.payoffs()
    assert len(set(hand.players)) == end.rules.num_players
    posted = [
        sum(post.amount for post in hand.posts if post.seat == seat) for seat in range(hand.num_players)
    ]
    assert tuple(posted) == end.game.start().spent


@given(ends())
def test_nothing_a_seat_did_not_see_reaches_its_observer(end: PokerState) -> None:
    seats = end.rules.num_players
    for observer in (None, *range(seats)):
        hand = seen_by(end, observer)
        text = hand.to_json()
        for seat in range(seats):
            shown = end.showdown and not end.folded[seat]
            if shown:
                assert (hand.hole[seat], hand.sights[seat]) == (end.hole(seat), Sight.SHOWN)
            elif seat == observer:
                assert (hand.hole[seat], hand.sights[seat]) == (end.hole(seat), Sight.DEALT)
            else:
                assert (hand.hole[seat], hand.sights[seat]) == (None, Sight.UNSEEN)
        known = {*end.board, *chain.from_iterable(cards for cards in hand.hole if cards)}
        cards = {*chain.from_iterable(map(parse_cards, json.loads(text)["boards"]))}
        cards |= {*chain.from_iterable(parse_cards(hole) for hole in json.loads(text)["hole"] if hole)}
        assert cards == known


@given(ends())
def test_two_deals_that_look_the_same_make_the_same_record(end: PokerState) -> None:
    """Exchanging cards nobody saw changes no record of the others."""
    hidden = [seat for seat in range(end.rules.num_players) if not end.showdown or end.folded[seat]]
    if not hidden:
        return
    seat = hidden[0]
    spare = [card for card in FULL_DECK if card not in end.cards][:2]
    cards = list(end.cards)
    cards[2 * seat : 2 * seat + 2] = spare
    other = replay(end.game, end.betting, cards)
    for observer in (None, *range(end.rules.num_players)):
        if observer != seat:
            assert seen_by(other, observer) == seen_by(end, observer)


@given(ends())
def test_a_hand_is_played_again_without_loss(end: PokerState) -> None:
    """From the dealer's record the very state comes back; from a seat's all that the seat saw."""
    assert replay_hand(end.game, seen_by_dealer(end)) == end
    for observer in (0, end.rules.num_players - 1):
        hand = seen_by(end, observer)
        again = replay_hand(end.game, hand)
        assert (again.actions, again.betting, again.board) == (end.actions, end.betting, end.board)
        assert again.view(observer) == end.view(observer)
        assert seen_by(again, observer) == hand
        walked = [(state.player, action) for state, action in decisions(end.game, hand.actions, hand.board)]
        assert tuple(walked) == end.actions


def test_what_is_posted() -> None:
    assert posts_of(limit_holdem()) == (Post(0, ForcedBet.BIG_BLIND, 2), Post(1, ForcedBet.SMALL_BLIND, 1))
    assert posts_of(leduc()) == (Post(0, ForcedBet.ANTE, 1), Post(1, ForcedBet.ANTE, 1))
    short = nolimit_holdem(3, (5, 2, 1), (1, 4), ante=1)
    assert posts_of(short) == (
        Post(0, ForcedBet.ANTE, 1),
        Post(1, ForcedBet.ANTE, 1),
        Post(2, ForcedBet.ANTE, 1),
        Post(0, ForcedBet.SMALL_BLIND, 1),
        Post(1, ForcedBet.BIG_BLIND, 1),
    )


def cash_hand(**changes: object) -> Hand:
    """A hand of real people, written by hand: three seats, a straddle, a dead blind, run twice, raked."""
    values: dict[str, object] = {
        "game": "nolimit",
        "variant": nolimit_holdem(3).variant,
        "stakes": Stakes(small_bet=200, big_blind=200, currency="USD", chip="0.01"),
        "players": ("Ann", "Bob", "Çelik & Søn"),
        "stacks": (20_000, 15_050, 9_999),
        "posts": (
            Post(0, ForcedBet.SMALL_BLIND, 100),
            Post(1, ForcedBet.BIG_BLIND, 200),
            Post(2, ForcedBet.DEAD_BLIND, 100),
            Post(2, ForcedBet.STRADDLE, 400),
        ),
        "actions": ((0, 0), (1, 15_050), (2, 1)),
        "betting": "fr15050c",
        "boards": (parse_cards("2c7dJhQsAd"), parse_cards("2c7dJh3s3d")),
        "hole": (None, parse_cards("KsKd"), parse_cards("Ah")),
        "sights": (Sight.UNSEEN, Sight.SHOWN, Sight.MUCKED),
        "showdown": True,
        "payoffs": (-100, 9_700, -9_999),
        "rake": 399,
        "observer": None,
        "id": "PS-123",
        "time": datetime(2009, 7, 1, 12, 0, 3, tzinfo=UTC),
        "source": "PokerStars",
        "table": "Io VI",
    }
    return Hand(**{**values, **changes})  # type: ignore[arg-type]


def test_a_hand_of_real_people_reads_back() -> None:
    hand = cash_hand()
    assert hand_from_json(hand.to_json()) == hand
    assert hand.board == parse_cards("2c7dJhQsAd")
    assert hand.seat_of("Bob") == 1
    assert "Çelik" in hand.to_json()
    assert str(hand).startswith("nolimit fr15050c |KsKd|Ah 2c7dJhQsAd & 2c7dJh3s3d -100|+9700|-9999")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"payoffs": (-100, 9_700, -9_998)}, "hand 'PS-123' does not add up: .* come to 1, not to 0"),
        ({"rake": 0}, "a rake of 0 come to -399"),
        ({"players": ("Ann", "Ann", "Bob")}, "two seats of one name"),
        ({"players": ("Ann", "Bob")}, "has 2 players, but 3 hole cards"),
        ({"stacks": (1, 2)}, r"stacks \(1, 2\); each seat needs one"),
        ({"observer": 3}, "seen from seat 3; its seats end at 2"),
    ],
)
def test_a_record_that_cannot_be_is_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(SoulreadError, match=message):
        cash_hand(**changes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: record.pop("actions"), "not a whole hand: KeyError 'actions'"),
        (lambda record: record.update(format=99), "format 99; this soulread reads format 1"),
        (lambda record: record.update(colour="red"), "no field 'colour'"),
        (lambda record: record.update(boards=["2c7dJhQsAd", "2c7dJhKs3d"]), "'Ks' comes twice"),
        (
            lambda record: record.update(sights=["unseen", "shown", "guessed"]),
            "'guessed' is not a valid Sight",
        ),
        (lambda record: record.update(posts=[[0, "bribe", 1]]), "'bribe' is not a valid Forced"),
        (lambda record: record.update(payoffs=[0, 0, 0]), "does not add up"),
        (lambda record: record.update(time="yesterday"), "not a whole hand: ValueError"),
    ],
)
def test_bad_json_is_told(change, message: str) -> None:
    record = cash_hand().record
    change(record)
    with pytest.raises(SoulreadError, match=message):
        hand_from_dict(record)


def test_what_is_no_json_is_told() -> None:
    with pytest.raises(ParseError, match="'nonsense' is not JSON"):
        hand_from_json("nonsense")
    with pytest.raises(ParseError, match="3 is not a hand"):
        hand_from_json("3")


def test_who_is_meant() -> None:
    two = seen_by(replay(leduc(), "rf", "KsQh"), 1, ("a", "b"))
    assert (two.eyewitness, two.opponent) == (1, 0)
    with pytest.raises(SoulreadError, match="seen by nobody at the table; say whose seat it is"):
        _ = replace(two, observer=None).opponent
    with pytest.raises(SoulreadError, match="has 3 players; say which of them is meant: Ann, Bob"):
        _ = cash_hand().opponent
    with pytest.raises(SoulreadError, match="'Eve' is not in this hand; its players are a, b"):
        two.seat_of("Eve")


def test_a_hand_belongs_to_rules_not_to_names() -> None:
    end = replay(parse_game("ring-limit:2"), "f", "AsKsQsJs")
    verify_hand(limit_holdem(), seen_by(end, 0))
    verify_hand(leduc(suit_isomorphic=True), seen_by(replay(leduc(), "rf", "KsQh"), 0))
    for game, message in (
        (leduc(), "a hand of 'ring-limit:2' .* says nothing about 'leduc'"),
        (ring_limit(3), "with 2 players says nothing about 'ring-limit:3', which has 3"),
    ):
        with pytest.raises(SoulreadError, match=message):
            verify_hand(game, seen_by(end, 0))
    rich = seen_by(replay(nolimit_holdem(2, 50), "f", "AsKsQsJs"), 0)
    with pytest.raises(SoulreadError, match=r"stacks \(50, 50\) .* not played for the stakes of 'nolimit'"):
        verify_hand(nolimit_holdem(), rich)
    with pytest.raises(SoulreadError, match="not played for the stakes"):
        verify_hand(nolimit_holdem(2, 50, ante=1), rich)


def test_impossible_actions_are_told() -> None:
    hand = seen_by(replay(leduc(), "crc/cc", "KsQhJh"), 0)
    with pytest.raises(SoulreadError, match="seat 1 acts after '' in 'leduc', but it is the turn of seat 0"):
        list(decisions(leduc(), ((1, 1),)))
    with pytest.raises(SoulreadError, match="action 0 of seat 0 after '' is not legal in 'leduc'"):
        list(decisions(leduc(), ((0, 0),)))
    with pytest.raises(SoulreadError, match="but the hand is over"):
        list(decisions(leduc(), (*hand.actions, (0, 1)), hand.board))


@pytest.mark.parametrize("module", ["soulread.hands", "soulread.hands.formats.acpc", "soulread"])
def test_the_record_needs_no_compiler(module: str) -> None:
    """Neither numba nor scipy nor numpy is loaded by the record, nor by soulread itself."""
    code = (
        f"import sys, {module}; print([name for name in ('numba', 'scipy', 'numpy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
