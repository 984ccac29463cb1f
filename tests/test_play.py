"""Matches: streams, duplicates, rotation, and that nobody sees what he may not see."""

import gc
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from named import play_named

from soulread.cards.deck import parse_cards
from soulread.encoding import plain_data
from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.estimate import Unit
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL, BetActions, PokerState, PokerView, replay
from soulread.games.ring_limit import ring_limit
from soulread.hands.formats import acpc
from soulread.hands.hand import Hand
from soulread.play.agent import Agent
from soulread.play.catalogue.guard import GuardedAgent
from soulread.play.catalogue.known import AGENTS, parse_agent
from soulread.play.match.live import LiveHand, play_hand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Probe, Random


@dataclass
class Recorder:
    """Calls, and remembers everything it is shown."""

    name: str = "recorder"
    passes: list[list[Hand]] = field(default_factory=list)
    views: list[PokerView] = field(default_factory=list)

    def reset(self) -> None:
        self.passes.append([])

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        self.views.append(view)
        return CALL

    def observe(self, hand: Hand) -> None:
        self.passes[-1].append(hand)


def test_always_fold_loses_750_to_always_raise() -> None:
    result = play_named("limit", ["always-fold", "always-raise"], 500, duplicate=True)
    assert result.estimate(0, Unit.MILLIBETS).mean == -750.0
    assert result.estimate(1, Unit.MILLIBETS).mean == 750.0
    assert result.hands_played == 1000


def test_always_fold_loses_250_to_always_call() -> None:
    result = play_named("limit", ["always-fold", "always-call"], 500, duplicate=True)
    # As the dealer he folds his blind of 1 chip; in the big blind he is never bet at: a showdown for 2 chips.
    won = result.profits[0, :, 0]  # the mean of both passes
    assert set(won) == {(-1.0 + showdown) / 2 for showdown in (-2.0, 0.0, 2.0)}
    lost = result.estimate(0, Unit.SMALL_BETS)
    assert abs(lost.mean + 0.25) < 4 * lost.standard_error


@pytest.mark.parametrize("duplicate", [False, True])
def test_same_seed_same_result_on_one_or_two_processes(duplicate: bool) -> None:
    def profits(jobs: int, seed: int = 7) -> np.ndarray:
        agents = ["random", "probe"]
        return play_named("leduc", agents, 30, matches=4, duplicate=duplicate, seed=seed, jobs=jobs).profits

    assert np.array_equal(profits(1), profits(2))
    assert not np.array_equal(profits(1), profits(1, seed=8))
    assert not np.array_equal(profits(1)[0], profits(1)[1])  # matches differ from each other


def test_agents_say_what_they_have_to_say() -> None:
    agents = ["rwywe", "dbr:T=5,k=5", "probe"]
    first = play_named("kuhn", [agents[0], agents[2]], 10, matches=2, seed=1)
    assert "in expectation, a hand risks at most" in first.remarks[0]
    assert first.remarks[1] == ""
    again = play_named("kuhn", [agents[0], agents[2]], 10, matches=2, seed=1, jobs=2)
    assert again.remarks == first.remarks
    assert [result["remark"] or "" for result in plain_data(first)["results"]] == list(first.remarks)
    second = play_named("kuhn", agents[1:], 10)
    assert "if it is wrong it loses at most" in second.remarks[0]


def test_duplicate_passes_share_the_cards_and_swap_the_seats() -> None:
    first, second = Recorder("first"), Recorder("second")
    Match(limit_holdem(), (first, second), 20, duplicate=True).play(seed=3)
    one, two = first.passes
    for hand, again in zip(one, two, strict=True):
        assert hand.hole == again.hole  # both called down, so all cards were shown
        assert hand.board == again.board
        assert again.observer is not None
        assert hand.observer == 1 - again.observer
        assert hand.players == again.players[::-1]
    assert [hand.observer for hand in one] == [0, 1] * 10  # the button moves each hand


def test_two_agents_of_one_name_are_told_apart_everywhere() -> None:
    first, second = Recorder("twin"), Recorder("twin")
    ended: list[LiveHand] = []
    match = Match(leduc(), (first, second), 4, duplicate=True)
    match.play(seed=1, record=ended.append)
    assert match.labels == ("twin", "twin#2")
    for agent, label in ((first, "twin"), (second, "twin#2")):
        hands = [hand for played in agent.passes for hand in played]
        assert [hand.players for hand in hands] == [live.players for live in ended]
        assert {hand.players[hand.eyewitness] for hand in hands} == {label}
        assert {view.players[view.seat] for view in agent.views} == {label}
    assert play_named("leduc", ["probe", "probe"], 2).agents == ("probe", "probe#2")


def test_a_hand_can_be_stepped() -> None:
    hand = LiveHand(leduc(), ("a", "b"), parse_cards("JhQsKh"), id="7")
    assert (hand.over, hand.to_act) == (False, 0)
    with pytest.raises(SoulreadError, match="the hand is not over after ''"):
        _ = hand.end
    with pytest.raises(IllegalAction):
        hand.act(77)
    assert (hand.to_act, hand.view(0).betting) == (0, "")  # as before
    for _ in range(4):
        hand.act(CALL)
    assert hand.over
    assert hand.payoffs == hand.end.payoffs()
    assert hand.payoffs == (-1, 1)  # the queen beats the jack
    assert (hand.seen_by(0).id, hand.seen_by(0).players, hand.seen_by(0).observer) == ("7", ("a", "b"), 0)
    with pytest.raises(SoulreadError, match="'leduc' has 2 seats, no two named alike"):
        LiveHand(leduc(), ("a", "a"), parse_cards("JhQsKh"))
    with pytest.raises(SoulreadError, match="2 cards; a hand of 'leduc' may need 3"):
        LiveHand(leduc(), ("a", "b"), parse_cards("JhQs"))


def test_agents_are_reset_before_every_pass() -> None:
    agent = Recorder()
    Match(kuhn(), (agent, AlwaysCall()), 5, duplicate=True).play(seed=0)
    Match(kuhn(), (agent, AlwaysCall()), 5).play(seed=0)
    assert [len(hands) for hands in agent.passes] == [5, 5, 5]


def test_ring_games_rotate_and_duplicate_over_every_seat() -> None:
    agents = [Recorder(name) for name in "abc"]
    profits = Match(ring_limit(3), tuple(agents), 6, duplicate=True).play(seed=1)
    assert [hand.observer for hand in agents[0].passes[0]] == [0, 1, 2, 0, 1, 2]
    assert {passed[0].observer for passed in agents[0].passes} == {0, 1, 2}
    assert np.allclose(profits.sum(axis=1), 0.0)
    assert np.allclose(profits, 0.0)  # all call, so each gets every seat's result once


def test_an_agents_draws_do_not_disturb_the_others() -> None:
    class Wasteful(Recorder):
        def act(self, view: PokerView, rng: np.random.Generator) -> int:
            rng.random(17)
            return CALL

    modest = Match(limit_holdem(), (AlwaysCall(), Random()), 50).play(seed=5)
    assert np.array_equal(modest, Match(limit_holdem(), (Wasteful("wasteful"), Random()), 50).play(seed=5))


def reachable(thing: object) -> Sequence[object]:
    """Every object one can get to from ``thing`` without going through modules, classes or functions."""
    found, todo = {id(thing): thing}, [thing]
    while todo:
        for item in gc.get_referents(todo.pop()):
            if id(item) not in found and type(item).__name__ not in {"module", "type", "function", "ABCMeta"}:
                found[id(item)] = item
                todo.append(item)
    return list(found.values())


def shuffle_except(cards: list[int], kept: set[int], rng: np.random.Generator) -> list[int]:
    """The cards with all places shuffled but the kept ones."""
    places = [i for i in range(len(cards)) if i not in kept]
    changed = list(cards)
    for place, source in zip(places, rng.permutation(places), strict=True):
        changed[place] = cards[source]
    return changed


@pytest.mark.parametrize("name", ["kuhn", "leduc", "limit", "ring-limit:3", "nolimit:players=3,stacks=40"])
def test_a_spy_cannot_see_hidden_cards(name: str) -> None:
    """Deal a spy the same cards and everybody else other ones: it must not be able to tell."""
    game = parse_game(name)
    rules, rng = game.rules, np.random.default_rng(4)

    def watch(deck: list[int], seat: int) -> list[PokerView]:
        spy = Recorder("spy")
        spy.reset()
        agents = [spy if s == seat else AlwaysRaise() for s in range(rules.num_players)]
        play_hand(game, agents, deck[: game.num_cards], [rng] * rules.num_players)
        assert not any(isinstance(item, PokerState) for view in spy.views for item in reachable(view))
        return spy.views

    for trial in range(20):
        deck = [int(card) for card in rng.permutation(rules.deck)]
        seat = trial % rules.num_players
        own = set(range(seat * rules.hole_cards, (seat + 1) * rules.hole_cards))
        board = set(range(rules.num_players * rules.hole_cards, game.num_cards))
        views = watch(deck, seat)
        assert views
        same_board = watch(shuffle_except(deck, own | board, rng), seat)
        assert same_board == views
        assert repr(same_board) == repr(views)
        other_board = watch(shuffle_except(deck, own, rng), seat)
        assert [v for v in other_board if not v.board] == [v for v in views if not v.board]


def test_finished_hands_hide_what_was_not_shown_down() -> None:
    caller = Recorder()
    match = Match(limit_holdem(), (caller, AlwaysFold()), 20)
    match.play(seed=2)
    for hand in caller.passes[0]:
        assert hand.observer is not None
        assert hand.hole[hand.observer] is not None
        if not hand.showdown:
            assert hand.hole[1 - hand.observer] is None
    assert {hand.showdown for hand in caller.passes[0]} == {True, False}


def test_an_agent_that_cheats_is_named() -> None:
    class Cheat(Recorder):
        def act(self, view: PokerView, rng: np.random.Generator) -> int:
            return 77

    with pytest.raises(IllegalAction, match="agent 'cheat' in seat 0"):
        Match(leduc(), (Cheat("cheat"), Probe()), 1).play(seed=0)


def test_bad_arguments_are_told() -> None:
    with pytest.raises(SoulreadError, match="'limit' seats 2 players, but 3 agents came"):
        play_named("limit", ["random"] * 3, 10)
    with pytest.raises(ParseError, match="'bluffer' is not an agent; known are random"):
        play_named("limit", ["bluffer", "random"], 10)
    with pytest.raises(SoulreadError, match="at least one hand, not 0"):
        play_named("limit", ["random", "random"], 0)
    with pytest.raises(SoulreadError, match="at least one match, not 0"):
        play_named("limit", ["random", "random"], 1, matches=0)
    with pytest.raises(SoulreadError, match="at least one process, not 0"):
        play_named("limit", ["random", "random"], 1, jobs=0)
    with pytest.raises(SoulreadError, match="from 0 up, not -1"):
        play_named("limit", ["random", "random"], 1, seed=-1)


def test_probe_calls_and_raises_equally_often() -> None:
    agent, rng = Probe(), np.random.default_rng(0)
    state = limit_holdem().start()
    for card in range(4):
        state = state.apply(card)
    actions = np.array([agent.act(state.view(state.player), rng) for _ in range(4000)])
    assert set(actions) == {1, 2}
    assert abs((actions == CALL).mean() - 0.5) < 0.04  # five standard errors


def test_random_uses_every_legal_action_equally() -> None:
    agent, rng = Random(), np.random.default_rng(0)
    state = parse_game("nolimit:stacks=50").start()
    for card in range(4):
        state = state.apply(card)
    actions = np.array([agent.act(state.view(state.player), rng) for _ in range(9000)])
    shares = [(actions == 0).mean(), (actions == 1).mean(), (actions > 1).mean()]
    assert np.allclose(shares, 1 / 3, atol=0.025)  # five standard errors
    sizes = actions[actions > 1]
    assert set(sizes) == set(range(4, 51))
    assert abs(sizes.mean() - 27) < 5 * np.sqrt((47**2 - 1) / 12 / sizes.size)  # all sizes are equally likely


class Ends:
    """A stream of the least and the greatest double, in turn."""

    def __init__(self, *values: float) -> None:
        self.values = itertools.cycle(values)

    def random(self) -> float:
        return next(self.values)


def test_a_raise_is_drawn_from_the_whole_interval_and_no_further() -> None:
    state = nolimit_holdem(stacks=100_000, blinds=(50, 100)).start().deal(range(4))
    view, most = state.view(state.player), np.nextafter(1, 0)
    for agent in (Random(), Probe()):
        assert agent.act(view, Ends(most, 0.0)) == 200  # type: ignore[arg-type]
        assert agent.act(view, Ends(most, most)) == 100_000  # type: ignore[arg-type]
    assert AlwaysRaise().act(view, Ends(0.0)) == 200  # type: ignore[arg-type]
    short = state.apply(99_950)  # only the last 50 chips are left, so there is one raise and no draw for it
    assert Random().act(short.view(short.player), Ends(most)) == 100_000  # type: ignore[arg-type]


@pytest.mark.compiled
@pytest.mark.parametrize("stack", [20_000, pytest.param(10**14, marks=pytest.mark.slow)])
def test_nobody_lists_the_raises(stack: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred thousand raises are an interval: agents, guards, records and logs never walk through them."""

    def listed(self: BetActions) -> Iterator[int]:
        raise AssertionError(f"{self!r} was listed")

    game = nolimit_holdem(3, stacks=stack, blinds=(50, 100))
    seated = [entry.spec(name, parse_agent).make(game) for name, entry in AGENTS.items()
              if entry.refuses(game) is None and name != "clone"]  # fmt: skip  # a clone needs a store
    assert len(seated) >= 5
    monkeypatch.setattr(BetActions, "__iter__", listed)
    played: list[LiveHand] = []
    for first in range(len(seated)):
        table: list[Agent] = [seated[first], GuardedAgent("guarded", Random()), Recorder("recorder")]
        Match(game, tuple(table), 6, duplicate=True).play(1, record=played.append)
    assert any("r" in hand.seen_by(None).betting for hand in played)
    for number, hand in enumerate(played):
        assert replay(game, hand.end.betting, hand.end.cards) == hand.end
        line = acpc.log_line(number, hand.end, hand.players)
        (read,) = acpc.read_log([line], game).hands
        assert read.payoffs == hand.payoffs
