"""Loki and Poki at the table: what they read and choose, whom they remember, what they win."""

import numpy as np
import pytest
from named import make_agent, make_kind, play_named

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import hand_index
from soulread.errors import ParseError, SoulreadError
from soulread.estimate import Unit
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, RAISE, PokerState, replay
from soulread.play.agent import Agent, learns
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import play_hand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import AlwaysCall, Random
from soulread.play.search import loki as module
from soulread.play.search import playout_agent
from soulread.play.search.loki import PLAYOUTS, LearningLoki, Loki
from soulread.play.search.outlook import UNLIMITED

RNG = np.random.default_rng


def flop(seats: int, hole: str, board: str, betting: str) -> PokerState:
    """A flop of a ring; the seat to act has ``hole``, the others hold what is left."""
    game = parse_game(f"ring-limit:{seats}")
    known = parse_cards(hole + board)
    spare = [card for card in range(52) if card not in known][: 2 * seats]
    actor = replay(game, betting, [*spare, *known[2:]]).player
    spare[2 * actor : 2 * actor + 2] = known[:2]
    return replay(game, betting, [*spare, *known[2:]])


def test_options_are_read_and_refused() -> None:
    options = parse_agent("loki:model=som,use=srb,style=tight-passive,budget=0.5").options
    assert options.use == "RBS"
    assert options.style.name == "tight-passive"
    assert options.limits.budget == 0.5
    assert options.limits.playouts == UNLIMITED
    assert parse_agent("poki").options.limits.playouts == PLAYOUTS
    assert parse_agent("poki:budget=0.1,playouts=77").options.limits.playouts == 77
    assert parse_agent("poki").options.use == "RBS"
    assert parse_agent("loki:use=none").options.use == "none"
    for wrong in ("use=RX", "use=RR", "model=best", "style=mad", "budget=-1", "playouts=-5", "contexts=13"):
        with pytest.raises(ParseError, match="loki"):
            parse_agent(f"loki:{wrong}")


def test_it_sits_at_limit_holdem_only() -> None:
    for name in ("kuhn", "leduc", "nolimit"):
        with pytest.raises(SoulreadError, match="cannot sit at"):
            make_agent("poki", parse_game(name))
        with pytest.raises(SoulreadError, match="cannot sit at"):
            Loki("x", parse_game(name), module.LokiOptions())


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["loki:model=gom,use=none", "loki:model=gom", "loki:model=gom,use=RBS"])
def test_the_best_hand_raises_and_the_worst_folds(text: str) -> None:
    game = parse_game("ring-limit:4")
    agent = make_agent(text, game)
    nuts = flop(4, "AhKh", "QhJhTh2c3d", "cccc/cccc/cccc/rc")  # on a flop the best hand may wait
    worst = flop(4, "2c3d", "QhJhTh", "rrccc/rr")
    actions = [agent.act(nuts.view(nuts.player), RNG(seed)) for seed in range(10)]
    assert actions.count(RAISE) >= 9
    actions = [agent.act(worst.view(worst.player), RNG(seed)) for seed in range(10)]
    assert actions.count(FOLD) >= 9


@pytest.mark.compiled
def test_letters_change_what_they_should() -> None:
    game = parse_game("ring-limit:3")
    state = flop(3, "9h8h", "7h6dAc", "rrcc/r")
    view = state.view(state.player)

    def made(use: str, model: str = "gom") -> Loki:
        return make_kind(Loki, f"loki:model={model},use={use}", game)

    raiser = state.actions[-1][0]
    threshold, triples = made("none").tables(view)[raiser], made("R").tables(view)[raiser]
    assert np.abs(threshold - triples).sum() > 0.01
    assert np.array_equal(made("B").tables(view), made("none").tables(view))
    old = made("none", "old").tables(view)
    other = next(seat for seat in range(3) if seat not in (raiser, view.seat))
    assert np.array_equal(old[raiser], old[other])
    assert len({made("none").act(view, RNG(seed)) for seed in range(20)}) == 1
    mixed = make_kind(Loki, "loki:model=gom,use=RB", game)
    good = flop(3, "AdTc", "7h6dAc", "rrcc/r").view(state.player)  # near the bar for raising
    assert len({mixed.act(good, RNG(seed)) for seed in range(60)}) > 1
    simulated = made("S")
    simulated.act(view, RNG(1))
    assert simulated.outlook is not None
    assert 400 <= simulated.outlook.playouts <= PLAYOUTS
    assert made("B").outlook is None


@pytest.mark.compiled
def test_it_believes_nothing_impossible_of_ten_players() -> None:
    game = parse_game("ring-limit:10")
    agent = make_kind(Loki, "poki:playouts=200", game)
    state = flop(10, "AhKh", "QhJhTh", "c" * 10 + "/" + "c" * 4)
    view = state.view(state.player)
    ranges = agent.belief(view).ranges
    assert sorted(ranges) == [seat for seat in range(10) if seat != view.seat]
    aces = hand_index(*parse_cards("AhAd"))
    for weights in ranges.values():
        assert weights.sum() == pytest.approx(1)
        assert weights[aces] == 0
    assert agent.act(view, RNG(0)) in view.legal
    assert agent.belief().ranges == {}


@pytest.mark.compiled
def test_a_player_who_comes_back_is_remembered_and_memory_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playout_agent, "MOST_PLAYERS", 4)
    game = parse_game("ring-limit:3")
    agent = make_kind(LearningLoki, "loki", game)
    rng = RNG(0)

    def hand(*others: str) -> None:
        cards = rng.permutation(52)[: game.num_cards].tolist()
        seated: list[Agent] = [AlwaysCall(), Random(), AlwaysCall()]
        played = play_hand(game, seated, cards, [rng] * 3, ["us", *others])
        agent.observe(played.seen_by(0))

    for _ in range(5):
        hand("ann", "ben")
    known = agent.models.of("ann")
    seen = known.counts.sum()
    assert seen > 0
    for _ in range(3):
        hand("cleo", "dora")
    assert agent.models.of("ann") is known
    hand("ann", "dora")
    assert agent.models.of("ann") is known
    assert known.counts.sum() > seen
    hand("eve", "fay")
    assert agent.models.of("ann") is known
    assert agent.models.of("ben") is agent.models.of("nobody")  # seen longest ago, and forgotten
    assert "has models of 4 players" in agent.sentence()
    agent.reset()
    assert agent.models.of("ann") is not known
    assert agent.sentence() == "knows nobody yet"


@pytest.mark.compiled
def test_only_specific_models_learn() -> None:
    game = parse_game("limit")
    assert learns(make_agent("loki:model=som", game))
    assert not learns(make_agent("loki:model=gom", game))
    assert not learns(make_agent("loki:model=old", game))


@pytest.mark.compiled
def test_a_capped_pot_leaves_call_and_fold() -> None:
    game = parse_game("ring-limit:3")
    state = flop(3, "AhKh", "QhJhTh", "rrrcc/rrrr")
    view = state.view(state.player)
    assert RAISE not in view.legal
    for text in ("poki:playouts=200", "loki", "loki:use=none"):
        assert make_agent(text, game).act(view, RNG(1)) == CALL


@pytest.mark.compiled
def test_a_budget_is_for_seconds_and_the_first_decision_needs_no_warming_up() -> None:
    game = parse_game("limit")
    agent = make_kind(Loki, "poki:budget=0.02", game)
    state = game.start().deal(parse_cards("AhKd7c2d"))
    assert agent.act(state.view(1), RNG(1)) in (FOLD, CALL, RAISE)
    assert agent.outlook is not None
    assert agent.outlook.playouts >= 2


@pytest.mark.compiled
@pytest.mark.slow
def test_poki_wins_from_those_who_never_fold() -> None:
    found = play_named("ring-limit:2", ["poki:playouts=400", "always-call"], 40, seed=2, duplicate=True)
    assert found.estimate(0, Unit.SMALL_BETS).mean > 0.4


@pytest.mark.compiled
def test_same_seed_same_play_in_a_ring() -> None:
    agents = ["poki:playouts=200", "loki", "loki:model=gom,use=none", "random"]
    game = parse_game("ring-limit:4")
    first, again = (
        Match(game, tuple(make_agent(text, game) for text in agents), 12, duplicate=True).play(3)
        for _ in range(2)
    )
    assert np.array_equal(first, again)
