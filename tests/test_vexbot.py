"""Vexbot: its model of betting sequences, the same model as a table, and the agent."""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from typing import Self

import naive_vexbot
import numpy as np
import pytest
from named import equilibrium_of, make_kind, play_named
from numpy.testing import assert_allclose

from soulread.cards.arrays import deal
from soulread.cards.deck import parse_cards
from soulread.cards.ranges import hand_index
from soulread.errors import ParseError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import PokerGame, PokerView, replay
from soulread.hands.hand import Hand
from soulread.model.base import Model, ask
from soulread.model.loki.model import LokiModel
from soulread.model.loki.triples import context_of, triple_of
from soulread.model.vexbot.classes import GROUPINGS, LEVELS, NOBODY, OTHER, PLAYER, Grouping, contexts
from soulread.model.vexbot.context_table import ContextTable, equilibrium_defaults, state_cells
from soulread.model.vexbot.hand_rank import HandRank, place_of
from soulread.model.vexbot.model import (
    CELLS,
    PRIOR,
    ContextTree,
    bound,
    generic_defaults,
    spread_place,
    uniform_defaults,
)
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import play_hand
from soulread.play.opponents.baselines import Random
from soulread.play.search.vexbot import Vexbot, VexbotOptions, WeightVexbot
from soulread.respond.search.forecasts import FLOPS
from soulread.respond.search.model_forecast import model_chances
from soulread.respond.search.range_forecast import STEPS, bars_actor
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.holdings import values_on
from soulread.seqform.strategy import verify_behaviour
from soulread.streams import stream

LIMIT = limit_holdem()
compiled = pytest.mark.compiled


def hands_of(game: PokerGame, villain: str, count: int, seed: int = 1) -> list[Hand]:
    """Hands of a random player against ``villain``, seen by the random player in alternating seats."""
    cards, first, second = (stream(seed, key) for key in range(3))
    found = []
    for number in range(count):
        agents: list[Agent] = [Random(), parse_agent(villain).make(game)]
        agents = agents if number % 2 else agents[::-1]
        dealt = deal(cards, game.rules.deck, game.num_cards)
        hand = play_hand(game, agents, dealt, [first, second], ["a", "b"] if number % 2 else ["b", "a"])
        found.append(hand.seen_by(1 - number % 2))
    return found


def test_traits_by_hand() -> None:
    """After the dealer's raise, a call, check and raise on the flop, and more; seat 1 is the dealer."""
    found = contexts(LIMIT)
    betting = found.betting

    def traits(text: str) -> list[int]:
        return [int(values[betting.decision(text)]) for values in found.at_decisions.values()]

    assert list(found.at_decisions) == ["round", "seat", "own", "other", "now", "call", "lead"]
    assert traits("") == [0, 1, 0, 0, 0, 1, NOBODY]
    assert traits("rc/cr") == [1, 0, 0, 2, 1, 1, OTHER]
    assert traits("crc/cr") == [1, 0, 1, 1, 1, 1, PLAYER]
    assert traits("crrc/rrc/") == [2, 0, 2, 2, 0, 0, OTHER]
    assert traits("rc/cc/c") == [2, 1, 1, 0, 0, 0, NOBODY]
    end = betting.betting.index("crc/rrrc/cc/rrc")
    shown = {name: values[:, end].tolist() for name, values in found.at_showdowns.items()}
    assert shown["own"] == [4, 2]
    assert shown["other"] == [2, 4]
    assert shown["own_last"] == shown["other_last"] == [1, 1]
    assert shown["last"] == [OTHER, PLAYER]
    assert shown["lead"] == [NOBODY, NOBODY]
    assert shown["seldom"] == [2, 1]
    earlier = betting.betting.index("cc/cc/rc/cc")
    assert found.at_showdowns["lead"][:, earlier].tolist() == [PLAYER, OTHER]


@pytest.mark.parametrize("grouping", GROUPINGS.values(), ids=list(GROUPINGS))
def test_coarse_classes_hold_whole_fine_ones(grouping: Grouping) -> None:
    found = contexts(LIMIT, grouping)
    decisions = np.flatnonzero(found.betting.arrays.player >= 0)
    assert found.decision.shape == (LEVELS, found.betting.num_nodes)
    for every in (found.decision[:, decisions], found.showdown[:, :, found.ends].reshape(LEVELS, -1)):
        assert len(set(every[0].tolist())) == every.shape[1]
        counts = [len(set(row.tolist())) for row in every]
        assert counts == sorted(counts, reverse=True)
        for fine, coarse in itertools.pairwise(every):
            assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine.tolist()))


def test_classes_by_raises() -> None:
    found = contexts(LIMIT, GROUPINGS["raises"])
    betting = found.betting
    node, other = betting.decision("rc/cr"), betting.decision("crc/cr")
    assert found.decision[1, node] != found.decision[1, other]
    assert (found.decision[2:, node] == found.decision[2:, other]).all()
    assert found.decision[4, node] != found.decision[4, betting.decision("rc/c")]
    end, same = betting.betting.index("rc/cc/cc/cc"), betting.betting.index("crc/cc/cc/cc")
    assert found.showdown[0, 0, end] != found.showdown[0, 1, end]  # by the seat of the opponent
    assert found.showdown[2, 1, end] == found.showdown[2, 0, same]  # the opponent raised once, we never
    assert found.showdown[2, 0, end] != found.showdown[2, 0, same]
    assert len(set(found.showdown[4][:, found.ends].ravel().tolist())) == 1
    with pytest.raises(SoulreadError, match="no trait is called 'luck'"):
        found.decisions_by(("luck",))


def test_the_rule_from_coarse_to_fine() -> None:
    """One level after the other by hand, after two raises and a call at the dealer's first decision."""
    weights = ((1.0, 2.0), (0.5, 0.5), (0.25, 0.4), (0.2, 0.1), (0.3, 0.15))
    grouping = replace(GROUPINGS["lead"], weights=weights)
    tree = ContextTree(LIMIT, uniform_defaults(LIMIT), decay=0.9, strength=3.0, grouping=grouping)
    node = 0
    for action in (2, 2, 1):
        tree._count(node, action)
    rate, fold = 0.5, 1 / 3  # the defaults are the same in all classes, so shifts are plain means
    for level in reversed(range(LEVELS)):
        keep = 1 - 0.1 / 4**level
        folds, k = 3 * np.array(weights[level])
        raised, others = keep * (1 + keep), 1.0
        rate = (k * rate + raised) / (k + raised + others)
        fold = folds * fold / (folds + 1 + keep + keep * keep)
    chances = tree.tables(1).chances[node]
    assert_allclose(chances, [fold, (1 - fold) * (1 - rate), (1 - fold) * rate])


def test_a_shown_hand_is_spread_over_its_places() -> None:
    plain = spread_place(HandRank(0.401, 0.449), CELLS)
    assert plain.sum() == pytest.approx(1)
    assert plain.argmax() == 8
    assert plain[8] == pytest.approx(0.5 + 0.5 / 3)
    assert_allclose(plain[[7, 9]], 0.5 / 3)
    best = spread_place(HandRank(0.999, 1.0), CELLS)
    assert best.sum() == pytest.approx(1)
    assert_allclose(best[[17, 18]], 0.5 / 3)
    tied = spread_place(HandRank(0.4, 0.8), CELLS)
    assert_allclose(tied[8:16], 1 / 8)


def test_showdowns_teach_hand_ranks_in_their_sequence() -> None:
    """Leduc, a caller: all that is shown after calls has the distribution of all cards."""
    game = leduc()
    tree = ContextTree(game, decay=1.0).fit(hands_of(game, "always-call", 400))
    end = tree.contexts.betting.betting.index("cc/cc")
    middle = tree.tables(0).cumulative[end][10]
    assert tree.tables(0).cumulative[end][-1] == pytest.approx(1)
    assert 0.35 < middle < 0.65
    hand = next(hand for hand in hands_of(game, "always-call", 50) if hand.showdown)
    once = ContextTree(game).update(hand)
    seat = hand.opponent
    cards = hand.hole[seat]
    assert cards is not None
    place = place_of(game, cards, hand.board)
    (number,) = np.flatnonzero(once.shown[4].any(axis=(1, 2)))
    assert_allclose(once.shown[4][number].sum(axis=1), 1)
    assert_allclose(once.shown[4][number, 0], spread_place(place, CELLS))
    hidden = replace(hand, hole=tuple(None if s == seat else c for s, c in enumerate(hand.hole)))
    assert ContextTree(game).update(hidden).shown.sum() == 0


@pytest.mark.parametrize(
    ("villain", "expected"),
    [("always-call", (0, 1, 0)), ("always-raise", (0, 0, 1)), ("always-fold", (1, 0, 0))],
)
def test_it_learns_fast(villain: str, expected: tuple[int, ...]) -> None:
    """After 40 hands even a decision that was never seen is known, from its classes."""
    tree = ContextTree(LIMIT).fit(hands_of(LIMIT, villain, 40))
    node = tree.contexts.betting.decision("rrrc/rr" if villain == "always-raise" else "r")
    seat = int(tree.contexts.betting.arrays.player[node])
    assert_allclose(tree.tables(seat).chances[node], expected, atol=0.25)


def test_frequencies_bound_the_hands() -> None:
    """Who plays towards a showdown half of the time has no cell of a histogram above twice the usual."""
    shown = np.array([0.7, 0.3, 0.0, 0.0])
    half = [0.5, 0.3 + 0.2 * 0.2 / 1.2, 0.2 * 0.5 / 1.2, 0.2 * 0.5 / 1.2]
    for played, row in ((1.0, [0.25] * 4), (0.5, half), (0.1, shown.tolist())):
        found = shown.copy()
        bound(found, played)
        assert_allclose(found, row)
        assert_allclose(naive_vexbot.bounded(shown, played), row)


def test_tables_are_those_of_the_slow_twin() -> None:
    tree = ContextTree(LIMIT, decay=0.9).fit(hands_of(LIMIT, "random", 60))
    rng = np.random.default_rng(3)
    betting = tree.contexts.betting
    for seat in (0, 1):
        tables = tree.tables(seat)
        for node in [*betting.decisions(seat)[:8], *rng.choice(betting.decisions(seat), 40)]:
            expected = naive_vexbot.chances(tree, seat, int(node))
            assert_allclose(tables.chances[node, : len(expected)], list(expected.values()), atol=1e-12)
            assert tables.chances[node].sum() == pytest.approx(1)
        assert not tables.chances[betting.decisions(1 - seat)].any()
        for node in rng.choice(tree.contexts.ends, 12):
            row = naive_vexbot.histogram(tree, seat, int(node))
            assert_allclose(tables.cumulative[node, 1:], np.cumsum(row), atol=1e-12)


def test_old_hands_fade() -> None:
    callers, raisers = (hands_of(LIMIT, name, 60) for name in ("always-call", "always-raise"))
    tree = ContextTree(LIMIT, decay=0.8).fit([*callers, *raisers])
    slow = ContextTree(LIMIT, decay=1.0).fit([*callers, *raisers])
    assert tree.tables(1).chances[0, 2] > slow.tables(1).chances[0, 2] + 0.1


def test_defaults() -> None:
    for make in (uniform_defaults, generic_defaults):
        rates, histograms = make(LIMIT)
        assert ((rates >= 0) & (rates <= 1)).all()
        assert_allclose(histograms.sum(axis=2), 1)
    tree = contexts(LIMIT).betting
    weak, strong = (tree.betting.index(text) for text in ("cc/cc/cc/cc", "rc/cc/crc/crc"))
    histograms = generic_defaults(LIMIT).histograms[1]
    middles = (np.arange(CELLS) + 0.5) / CELLS
    assert histograms[strong] @ middles > histograms[weak] @ middles + 0.1


@compiled
def test_an_equilibrium_as_default() -> None:
    """In Leduc: its frequencies by hand at the start, and better hands after raises."""
    equilibrium = equilibrium_of("leduc")
    game = compile_factored(leduc())
    rates, histograms = equilibrium_defaults(game, equilibrium.behaviours)
    actions = equilibrium.betting.actions[0]
    by_card = [equilibrium.probabilities(0, state) for state in range(6)]
    assert rates[0, 1] == pytest.approx(np.mean(by_card, axis=0)[actions.index(2)])
    assert rates[0, 0] == 0
    middles = (np.arange(CELLS) + 0.5) / CELLS
    raised, checked = (equilibrium.betting.betting.index(text) for text in ("crrc/crrc", "cc/cc"))
    assert histograms[1, raised] @ middles > histograms[1, checked] @ middles
    assert_allclose(histograms[:, equilibrium.betting.arrays.showdown].sum(axis=2), 1)
    cells = state_cells(game, CELLS)
    assert [len(rows) for rows in cells] == [6, 30]
    assert all(np.allclose(rows.sum(axis=1), 1) for rows in cells)


@compiled
def test_as_a_table_it_says_what_the_tree_says() -> None:
    """Averaged over private states, a raiser's table raises as often as the tree says."""
    game = compile_factored(leduc())
    table = ContextTable(game).fit(hands_of(leduc(), "always-raise", 150))
    for seat, tree in enumerate(game.trees):
        verify_behaviour(tree, table.strategy(seat))
    node = 0
    rows = table.strategy(0)[1:13].reshape(2, 6)  # check, raise at the first decision
    assert rows[1].mean() == pytest.approx(table.tree.tables(0).chances[node, 1], abs=0.05)
    with pytest.raises(SoulreadError, match="times private states"):
        ContextTable(compile_game(kuhn()))


def test_it_keeps_to_the_contract_of_models() -> None:
    tree = ContextTree(LIMIT)
    assert isinstance(tree, Model)
    state = LIMIT.start().deal(LIMIT.rules.deck[:4])
    answer = ask(tree, state.view(0), 1)
    assert list(answer) == [0, 1, 2]
    with pytest.raises(SoulreadError, match="does not act"):
        tree.probabilities(state.view(0), 0)
    for decay, strength in ((0.0, 1.0), (1.5, 1.0), (0.9, 0.0)):
        with pytest.raises(SoulreadError, match="="):
            ContextTree(LIMIT, None, decay, strength)
    with pytest.raises(SoulreadError, match="says nothing about"):
        tree.update(hands_of(leduc(), "always-call", 1)[0])


# The agent.


def test_options() -> None:
    agent = make_kind(Vexbot, "vexbot:search=miximax,decay=.95,budget=1,default=generic", LIMIT)
    assert agent.options.flops == FLOPS
    assert make_kind(Vexbot, "vexbot:budget=.01,default=generic", LIMIT).options.flops == 10
    assert "nothing yet" in agent.sentence()
    for text in ("search=minimax", "decay=0", "budget=0", "default=luck", "temperature=0", "strength=0"):
        with pytest.raises(ParseError, match=text.partition("=")[0]):
            parse_agent(f"vexbot:{text}")


@compiled
def test_it_beats_a_player_who_always_folds_or_always_raises_in_leduc() -> None:
    folding = play_named("leduc", ["vexbot", "always-fold"], 60, seed=2)
    assert folding.profits[..., 0].mean() > 0
    raising = play_named("leduc", ["vexbot", "always-raise"], 400, seed=2)
    assert raising.profits[..., 0].mean() > 0


@compiled
def test_it_raises_into_a_player_who_folds() -> None:
    agent = make_kind(Vexbot, "vexbot:budget=.01,default=generic", LIMIT)
    for hand in hands_of(LIMIT, "always-fold", 30):
        agent.observe(hand)
    state = LIMIT.start().deal([50, 51, 0, 21])  # rags; the dealer acts
    view = state.view(1)
    assert agent.act(state.view(1), np.random.default_rng(0)) > 0
    assert agent.last is not None
    assert max(agent.last.values) > 1
    assert agent.last.value_of(0) == -1
    assert agent.look_ahead(view, np.random.default_rng(0)) == agent.last
    assert "30 hands" in agent.sentence()
    assert "raise +" in agent.sentence()
    assert any(f.action == 0 and f.believed > 0.8 for f in agent.belief().frequencies)


# Other models in the same search.


class Stub:
    """Says that the opponent raises with 1/2 in this round and never later, and notes what it was asked."""

    def __init__(self, round: int) -> None:
        self.round = round
        self.asked: list[PokerView] = []

    def fit(self, hands: Iterable[Hand], player: str | None = None) -> Self:
        return self

    def update(self, hand: Hand, player: str | None = None) -> Self:
        return self

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        self.asked.append(view)
        if view.round > self.round or 2 not in view.choices:
            return {1: 1.0}
        return {1: 0.5, 2: 0.5}


def at_turn() -> PokerView:
    """The big blind to act on the turn after a bet on the flop."""
    state = replay(LIMIT, "cc/rc/", "AhQc" + "8d8c" + "3h4cJh" + "Td")
    return state.view(0)


def test_a_model_is_asked_with_our_view_and_once_a_class() -> None:
    model, view = Stub(round=2), at_turn()
    betting = contexts(LIMIT).betting
    chances = model_chances(model, view, np.random.default_rng(1))
    assert all(asked.seat == 0 and asked.hole == view.hole and asked.to_act == 1 for asked in model.asked)
    assert all(asked.board[:4] == view.board and asked.round >= 2 for asked in model.asked)
    rivers = [asked for asked in model.asked if asked.round == 3]
    assert len({asked.board for asked in rivers}) == 1
    assert len(rivers) < 12
    turns = [asked.betting for asked in model.asked if asked.round == 2]  # each decision of the present round
    assert sorted(turns) == [f"cc/rc/{line}" for line in ("c", "crr", "crrrr", "r", "rrr")]
    assert chances[betting.decision("cc/rc/c")].tolist() == [0.5, 0.5, 0]  # check or bet
    assert chances[betting.decision("cc/rc/r")].tolist() == [0, 0.5, 0.5]  # fold, call or raise
    assert chances[betting.decision("cc/rc/cc/c")].tolist() == [1, 0, 0]
    assert not chances[betting.decision("cc/rc/cc/")].any()  # ours
    assert not chances[betting.decision("cc/c")].any()  # not below


@compiled
def test_the_search_takes_a_model_that_is_only_asked() -> None:
    """Against one who never folds and only calls on the river, a bet with the nuts is worth its size."""
    options = VexbotOptions(default="generic")
    agent = Vexbot("v", LIMIT, options, generic_defaults(LIMIT), Stub(round=-1))
    state = replay(LIMIT, "cc/cc/cc/", "AhQh" + "8d8c" + "3h4hJh" + "Td" + "2s")
    found = agent.look_ahead(state.view(0), np.random.default_rng(0))
    assert found.best == 2
    assert found.value_of(2) == pytest.approx(
        2 + 4, abs=0.6
    )  # the pot has 4 chips, 2 of them ours; a bet is 4
    agent.observe(hands_of(LIMIT, "always-call", 1)[0])
    agent.reset()


@compiled
def test_the_search_takes_a_weight_table() -> None:
    """A call on the river is worth the mean over the table; the opponent's cards play no part but by it."""
    model = LokiModel(LIMIT, "som")
    agent = WeightVexbot("v", LIMIT, model, VexbotOptions(default="generic"))
    for hand in hands_of(LIMIT, "random", 20):
        agent.observe(hand)
    board = parse_cards("3h4cJhTd2s")
    view = replay(LIMIT, "cc/cc/cc/cr", [*parse_cards("AhQc"), None, None, *board]).view(0)
    found = agent.look_ahead(view, np.random.default_rng(0))
    weights = model.holdings(view, 1)
    values = values_on(np.array([board], dtype=np.uint8))[0].astype(np.int64)
    share = (1 + np.sign(values[hand_index(*view.hole)] - values)) / 2
    assert found.value_of(0) == pytest.approx(-2)
    assert found.value_of(1) == pytest.approx(weights @ (share * 12 - 6), abs=1e-9)
    assert agent.belief(view).ranges
    assert "som" in agent.sentence()
    early = agent.look_ahead(LIMIT.start().deal(LIMIT.rules.deck[:4]).view(1), np.random.default_rng(0))
    assert early.value_of(0) == pytest.approx(-1)


@compiled
def test_bars_say_what_every_holding_does() -> None:
    model, view = LokiModel(LIMIT, "gom"), at_turn()
    actor = bars_actor(model, view, 1)
    board = np.array([view.board], dtype=np.uint8)
    states = actor.states(board)[0]
    bars, rates = model.bars(view, 1), model.usual(view, 1, model.holdings(view, 1))
    context = context_of(2, 1)  # the turn, one bet to call
    node = actor.betting.decision("cc/rc/r")
    for hand in (hand_index(*parse_cards(text)) for text in ("JcJd", "7s6s", "Ac2c")):
        rows = actor.first[node] + actor.width[node] * np.arange(3) + states[hand]
        triple = triple_of((states[hand] + 0.5) / STEPS, bars[context], True, True)
        usual = rates[context, 0], 1 - rates[context].sum(), rates[context, 1]
        expected = (1 - model.doubt) * np.array(triple) + model.doubt * np.array(usual)
        assert_allclose(actor.behaviour[rows], expected, atol=1e-12)
        assert actor.behaviour[rows].sum() == pytest.approx(1)
    check = actor.betting.decision("cc/rc/c")
    assert actor.behaviour[actor.first[check] + STEPS * np.arange(2)].sum() == pytest.approx(1)


@compiled
def test_a_player_who_does_not_mind_the_cards_is_recognised() -> None:
    """The weight goes to even histograms; after 300 hands raises no longer mean good cards."""
    tree = ContextTree(LIMIT).fit(hands_of(LIMIT, "random", 300))
    assert tree.tilts()[0] > 0.5
    assert ContextTree(LIMIT).tilts() == pytest.approx(PRIOR)
    end = tree.contexts.betting.betting.index("rc/rc/rc/rc")
    middle = tree.tables(1).cumulative[end, CELLS // 2]
    assert middle > ContextTree(LIMIT).tables(1).cumulative[end, CELLS // 2] + 0.1
