"""A hand that can be stepped: by a loop, and by anything else that drives it."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soulread.cards.arrays import deal
from soulread.cards.deck import parse_cards
from soulread.errors import IllegalAction, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerView
from soulread.games.ring_limit import ring_limit
from soulread.hands.formats.acpc import LogWriter, read_log
from soulread.hands.hand import Hand
from soulread.play.match.live import LiveHand, play_hand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import AlwaysCall, Random
from soulread.streams import stream


def test_a_hand_step_by_step() -> None:
    """Deal, whose turn, view, act, end: as a socket or a browser would drive it."""
    hand = LiveHand(leduc(), ("Ann", "Bob"), parse_cards("KsQhJh"), id="12", table="one")
    assert (hand.over, hand.to_act) == (False, 0)
    view = hand.view(0)
    assert (view.players, view.seat, view.game) == (("Ann", "Bob"), 0, leduc())
    assert (view.hole, view.board, tuple(view.legal)) == (parse_cards("Ks"), (), (1, 2))
    assert hand.view(1).hole == parse_cards("Qh")
    assert (hand.view(1).legal, tuple(hand.view(1).choices), hand.view(1).to_act) == ((), (1, 2), 0)
    with pytest.raises(IllegalAction):
        hand.act(0)
    assert hand.to_act == 0  # nothing has changed
    with pytest.raises(SoulreadError, match="the hand is not over after ''"):
        _ = hand.end
    for action in (2, 1, 1):
        hand.act(action)
    assert hand.view(1).board == parse_cards("Jh")  # dealt by itself once the first round was over
    hand.act(2)
    hand.act(0)
    assert (hand.over, hand.to_act < 0, hand.payoffs) == (True, True, (-3, 3))
    record = hand.seen_by(0)
    assert (record.players, record.id, record.table, record.hole) == (
        ("Ann", "Bob"), "12", "one", (parse_cards("Ks"), None)
    )  # fmt: skip
    assert hand.seen_by(None).hole == (None, None)
    assert hand.seen_by_dealer().hole == (parse_cards("Ks"), parse_cards("Qh"))
    with pytest.raises(IllegalAction, match="the hand is over"):
        hand.act(1)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "limit", "ring-limit:5", "nolimit:players=4,stacks=30"])
def test_the_loop_is_the_object_driven(name: str) -> None:
    game = parse_game(name)
    for seed in range(10):
        cards = deal(stream(seed, 9), game.rules.deck, game.num_cards)
        agents = [Random()] * game.num_players
        looped = play_hand(game, agents, cards, [stream(seed, seat) for seat in range(game.num_players)])
        draws = [stream(seed, seat) for seat in range(game.num_players)]
        driven = LiveHand(game, (), cards)
        while not driven.over:
            driven.act(Random().act(driven.view(driven.to_act), draws[driven.to_act]))
        assert driven.end == looped.end
        assert driven.seen_by(0) == looped.seen_by(0)


@pytest.mark.parametrize(
    ("players", "cards", "message"),
    [
        (("a", "a"), "KsQhJh", "no two named alike"),
        (("a",), "KsQhJh", "'leduc' has 2 seats"),
        (("a", "b"), "KsQh", "2 cards; a hand of 'leduc' may need 3"),
    ],
)
def test_what_cannot_be_dealt(players: tuple[str, ...], cards: str, message: str) -> None:
    with pytest.raises(SoulreadError, match=message):
        LiveHand(leduc(), players, parse_cards(cards))


class Noter(AlwaysCall):
    """Calls, and notes the labels it is shown."""

    seen: list[tuple[str, int, tuple[str, ...]]]

    def __init__(self) -> None:
        super().__init__()
        object.__setattr__(self, "seen", [])

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        self.seen.append(("view", view.seat, view.players))
        return 1

    def observe(self, hand: Hand) -> None:
        self.seen.append(("hand", hand.eyewitness, hand.players))


@pytest.mark.parametrize("game", [ring_limit(3), nolimit_holdem(3)], ids=lambda game: game.name)
def test_labels_are_distinct_and_the_same_everywhere(game, tmp_path: Path) -> None:
    """Three agents of one name: what each sees of itself and of the others agrees with the log."""
    agents = Noter(), Noter(), Noter()
    path = tmp_path / "match.log"
    with LogWriter(path) as write:
        match = Match(game, agents, 6)
        match.play(seed=1, record=lambda hand: write(hand.end, hand.players))
    assert match.labels == ("always-call", "always-call#2", "always-call#3")
    with path.open() as lines:
        logged = read_log(lines, game).hands
    for own, agent in enumerate(agents):
        labels = {players[seat] for _, seat, players in agent.seen}
        assert labels == {match.labels[own]}  # one label, wherever it sits
        told = [players for kind, _, players in agent.seen if kind == "hand"]
        assert told == [hand.players for hand in logged]
        for kind, _, players in agent.seen:
            assert set(players) == set(match.labels), kind


@given(st.integers(0, 2**32))
def test_a_view_between_two_turns_is_public(seed: int) -> None:
    """What the seat to act may do is known to every seat; it does not depend on anybody's cards."""
    rng = np.random.default_rng(seed)
    game = limit_holdem()
    hand = LiveHand(game, (), deal(rng, game.rules.deck, game.num_cards))
    while not hand.over:
        views = [hand.view(seat) for seat in (0, 1)]
        assert tuple(views[0].choices) == tuple(views[1].choices) == tuple(views[hand.to_act].legal)
        assert views[1 - hand.to_act].legal == ()
        hand.act(Random().act(hand.view(hand.to_act), rng))
    assert hand.view(0).choices == ()


def test_names_of_seats() -> None:
    hand = play_hand(kuhn(), [AlwaysCall(), AlwaysCall()], parse_cards("KsQs"), [stream(1, 0)] * 2)
    assert hand.players == hand.seen_by(0).players == ("seat 0", "seat 1")
