"""Models and agents over a menu of raises: what hands become in the tree, and who learns from them."""

from collections import Counter
from dataclasses import replace
from functools import cache, partial
from typing import Any

import naive_habits
import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_bets import nolimit_leduc

from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.bets import parse_bets
from soulread.games.leduc import leduc
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL, FOLD
from soulread.hands.record import seen_by
from soulread.model.bayes.evidence import EvidenceReader, likelihood
from soulread.model.bayes.fitted import ALL_IN, CALLS, FOLDS, LARGE_RAISES, RAISES, action_kinds
from soulread.model.bayes.habits import THUMB, HabitModel
from soulread.model.bayes.turns import TurnModel
from soulread.model.counted import FrequencyModel
from soulread.observe.counts import PublicCounts
from soulread.observe.private import PrivateCounts
from soulread.observe.shown_hands import ShownCards
from soulread.observe.translation import Translator, on_tree
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.dbbr import DbbrOptions, DeviationAgent
from soulread.play.exploiters.soul import Soul, SoulOptions
from soulread.play.opponents.changing import ChangingAgent, switching_step
from soulread.play.translated import TranslatedAgent, chances_at_table, draw_at_table
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import betting_of, compile_factored
from soulread.seqform.source import Source
from soulread.seqform.strategy import Behaviour, plan_from_behaviour, uniform_behaviour
from soulread.seqform.tabular import tabular
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.cfr.run import solve
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.exploitability import best_response_values
from soulread.solvers.skews import parse_skews, skew_behaviours, strength_thirds

MENU = parse_bets("0.5+1+allin@2")
TABLE = nolimit_leduc(13)
SMOOTH = 0.02


@cache
def game():
    return compile_factored(TABLE, bets=MENU)


@cache
def small():
    """A game of few sequences, and its equilibrium."""
    source = Source(nolimit_leduc(5), bets=parse_bets("1+allin@1"))
    return source.compile(), find_equilibrium(source)


def some_behaviours(seed):
    """Both seats' behaviours, drawn at random."""
    rng = np.random.default_rng(seed)
    found = []
    for tree in game().trees:
        behaviour = np.ones(tree.num_sequences)
        for block, _, rows in tree.blocks():
            actions = len(tree.actions[block])
            behaviour[rows] = rng.dirichlet(np.ones(actions), (rows.stop - rows.start) // actions).T.ravel()
        found.append(Behaviour(behaviour))
    return tuple(found)


def some_hands(count, seed, poker=TABLE, small=False):
    """Hands of two players who choose any raise at all, or any of the smallest, as seat 0 or 1 saw them."""
    rng = np.random.default_rng(seed)
    hands = []
    for number in range(count):
        state = poker.start()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                cards = [card for card, _ in state.chance_outcomes()]
                state = state.apply(int(rng.choice(cards)))
            else:
                legal = [a for a in state.legal_actions() if a != FOLD or rng.random() < 0.3]
                state = state.apply(int(rng.choice(legal[:6] if small else legal)))
        hands.append(seen_by(state, number % 2))
    return hands


# Hands in the tree -------------------------------------------------------------------------------


def test_ways_of_a_hand_are_those_that_draws_lead_to(monkeypatch):
    """Walks with many draws come to the ends of the ways, about as often as their probabilities say.

    Hands in which a raise lies between a size and all-in are left out: learners take the nearer one.
    """
    poker = nolimit_leduc(200)
    translator, rng = Translator(betting_tree(poker, parse_bets("0.5+1+2+allin@2"))), np.random.default_rng(2)
    several = 0
    for hand in some_hands(150, 1, poker, small=True):
        ways = translator.ways(hand)
        assert sum(way.chance for way in ways) == pytest.approx(1)
        with monkeypatch.context() as patch:
            patch.setattr(translator, "_all_in", 10**6)  # no size is all-in
            if translator.ways(hand) != ways:
                continue
        several += len(ways) > 1
        state = poker.start()
        for card in (*hand_cards(hand), *hand.board):
            state = state.apply(card) if state.player == CHANCE else state
        view = state.view(state.player)
        met = Counter(translator.walk(view, hand.actions, lambda step: rng.random()) for _ in range(300))
        expected: dict[int, float] = {}
        for way in ways:
            expected[way.node] = expected.get(way.node, 0.0) + way.chance
        assert set(met) <= set(expected)
        for node, chance in expected.items():
            assert met[node] / 300 == pytest.approx(chance, abs=0.13)
    assert several > 10


def hand_cards(hand):
    """The two hole cards of a record, whichever were seen, and others for those that were not."""
    known = [cards[0] for cards in hand.hole if cards] + list(hand.board)
    spare = iter(card for card in TABLE.rules.deck if card not in known)
    return [cards[0] if cards else next(spare) for cards in hand.hole]


def test_a_raise_between_two_sizes_takes_two_ways():
    """Of a pot of 4, a raise by 3 lies between half the pot and the pot."""
    poker = nolimit_holdem(2, 200)
    translator, state = Translator(betting_tree(poker, parse_bets("usual"))), poker.start()
    for card in range(4):
        state = state.apply(card)
    found = {way.actions: way.chance for way in translator.ways(state.apply(5).view(0))}
    low = (1 - 0.75) * (1 + 0.5) / ((1 - 0.5) * (1 + 0.75))
    assert found == pytest.approx({((1, 4),): low, ((1, 6),): 1 - low})


def _always(number, step):
    return number


def test_only_what_is_nearer_to_all_in_is_learnt_as_all_in():
    """Of 100 big blinds, with the pot as the only other size, raises up to 2.8 pots are pots."""
    poker = nolimit_holdem(2, 200)
    few = Translator(betting_tree(poker, parse_bets("1+allin@2")))
    for total, expected in ((6, 6), (7, 6), (13, 6), (14, 200), (150, 200), (200, 200)):
        state = poker.start()
        for card in range(4):
            state = state.apply(card)
        view = state.apply(total).view(0)
        (way,) = few.ways(view)
        assert way.actions == ((1, expected),)
        numbers = np.linspace(0, 0.999, 50).tolist()
        drawn = {few.walk(view, view.actions, partial(_always, number)) for number in numbers}
        assert len(drawn) == (1 if total in (6, 200) else 2)


def test_hands_of_the_tree_and_of_games_without_a_menu_are_themselves():
    limit = compile_factored(leduc())
    for hand in some_hands(5, 4, leduc()):
        assert on_tree(limit, hand) == [(hand, 1.0)]
        with pytest.raises(SoulreadError, match="says nothing about"):
            on_tree(game(), hand)
    agents = [TranslatedAgent("x", tabular(game(), some_behaviours(seed))) for seed in (1, 2)]
    rng = np.random.default_rng(5)
    for number in range(40):
        state = TABLE.start()
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.apply(int(rng.choice([card for card, _ in state.chance_outcomes()])))
            else:
                state = state.apply(agents[state.player].act(state.view(state.player), rng))
        hand = seen_by(state, number % 2)
        ((way, chance),) = on_tree(game(), hand)
        assert (way, chance) == (hand, 1.0)


def test_evidence_is_the_mean_of_the_ways():
    reader, behaviours = EvidenceReader(game()), some_behaviours(6)
    plans = [plan_from_behaviour(tree, own) for tree, own in zip(game().trees, behaviours, strict=True)]
    for hand in some_hands(30, 7):
        found = reader.read(hand)
        expected = sum(
            chance
            * likelihood(reader.of(hand.opponent, way.hole, way.board, way.actions), plans[found.player])
            for way, chance in on_tree(game(), hand)
        )
        assert likelihood(found, plans[found.player]) == pytest.approx(expected, rel=1e-12)
        assert found.weights.sum() == pytest.approx(1)
        assert (np.diff(found.sequences) > 0).all()


def test_counts_share_a_hand_among_its_ways():
    public, private, hands = PublicCounts(game()), PrivateCounts(game()), some_hands(60, 8)
    shown = ShownCards(public)
    for hand in hands:
        public.add(hand)
        private.add(hand)
        shown.add(hand)
    for seat in (0, 1):
        told = [hand for hand in hands if hand.opponent == seat]
        decisions = sum(
            chance * sum(actor == seat for actor, _ in way.actions)
            for hand in told
            for way, chance in on_tree(game(), hand)
        )
        assert public.num_hands(seat) == len(told)
        assert public.table(seat).sum() == pytest.approx(decisions)
        known = [hand for hand in told if hand.hole[seat]]
        assert private.num_hands(seat) == len(known)
        assert private.table(seat).sum() == pytest.approx(
            sum(
                chance * sum(actor == seat for actor, _ in way.actions)
                for hand in known
                for way, chance in on_tree(game(), hand)
            )
        )
        evidence = shown.evidence(seat)
        acted = sum(
            chance
            for hand in told
            for way, chance in on_tree(game(), hand)
            if any(actor == seat for actor, _ in way.actions)
        )
        assert evidence.hidden.sum() + evidence.weight.sum() == pytest.approx(acted)


def test_a_window_forgets_whole_hands():
    hands = some_hands(30, 9)
    last, every = PublicCounts(game(), window=7), PublicCounts(game())
    shown, fresh = ShownCards(last), ShownCards(every)
    for number, hand in enumerate(hands):
        last.add(hand)
        shown.add(hand)
        if number >= len(hands) - 7:
            every.add(hand)
            fresh.add(hand)
    for seat in (0, 1):
        assert_allclose(last.table(seat), every.table(seat), atol=1e-12)
        assert_allclose(shown.evidence(seat).hidden, fresh.evidence(seat).hidden, atol=1e-12)


# Models -------------------------------------------------------------------------------------------


def test_raises_are_told_apart_by_size():
    betting, kinds = betting_of(game()), action_kinds(game(), 0)
    met = set()
    for block, node in enumerate(betting.decisions(0).tolist()):
        high = int(betting.chips_in[node].max())
        for place, action in enumerate(betting.actions[node]):
            size = RAISES if (action - high) / (2 * high) < 0.75 else LARGE_RAISES
            expected = {FOLD: FOLDS, CALL: CALLS, 13: ALL_IN}.get(action, size)
            assert kinds[block, place] == expected
            met.add(int(kinds[block, place]))
        assert (kinds[block, len(betting.actions[node]) :] == -1).all()
    assert met == {FOLDS, CALLS, RAISES, LARGE_RAISES, ALL_IN}
    assert set(action_kinds(compile_factored(leduc()), 0).ravel().tolist()) == {-1, FOLDS, CALLS, RAISES}


def test_habits_have_numbers_for_each_size():
    base = some_behaviours(10)
    model = HabitModel(game(), base, smooth=SMOOTH)
    model.numbers = np.random.default_rng(11).normal(size=model.numbers.shape)
    model._behaviours, model._fitted = [None, None], True
    for seat in (0, 1):
        habits = model.habits(seat)
        assert habits.shape[1] == 1 + 3 * 4
        plain = naive_habits.habit_behaviour(
            game(), seat, base[seat], SMOOTH, habits, action_kinds(game(), seat)
        )
        assert_allclose(model.strategy(seat), plain, atol=1e-5)


def test_a_typical_player_raises_as_often_whatever_the_number_of_sizes():
    """Who knows nothing of the equilibrium raises every hand as often as where there is one size."""
    never = {kind: (0.0, *numbers[1:]) for kind, numbers in THUMB.items()}
    one = compile_factored(nolimit_leduc(13), bets=parse_bets("allin@1"))
    chances = []
    for compiled in (one, game()):
        even = uniform_behaviour(compiled.trees[0]), uniform_behaviour(compiled.trees[1])
        behaviour = HabitModel(compiled, even, centre=never).strategy(0)
        rows = compiled.trees[0].sequences(0)
        chances.append(1 - behaviour[rows][compiled.trees[0].actions[0].index(CALL)])
    assert chances[1] == pytest.approx(chances[0], rel=1e-5)


@pytest.mark.parametrize("make", [HabitModel, TurnModel])
def test_slopes_are_those_of_the_density(make):
    base, hands = some_behaviours(12), some_hands(40, 13)
    model = make(game(), base, smooth=SMOOTH)
    reader = EvidenceReader(game())
    for hand in hands:
        model.learn(reader.read(hand))
    rng = np.random.default_rng(14)
    numbers = rng.uniform(0.02, 0.3, model.numbers.size)
    value, slope = model.loss(numbers)
    assert np.isfinite(value)
    for _ in range(4):
        towards = rng.normal(size=numbers.size)
        above, below = (model.loss(numbers + sign * 1e-5 * towards)[0] for sign in (1, -1))
        assert (above - below) / 2e-5 == pytest.approx(float(slope @ towards), rel=2e-4)


def test_turns_spread_what_becomes_a_raise():
    base = some_behaviours(15)
    model = TurnModel(game(), base, smooth=SMOOTH)
    model.numbers = np.random.default_rng(16).uniform(0.01, 0.3, model.numbers.shape)
    for seat, tree in enumerate(game().trees):
        found = model.strategy(seat)
        for block, _, rows in tree.blocks():
            actions, r = tree.actions[block], tree.labels.rounds[block]
            table, own = found[rows].reshape(len(actions), -1), base[seat][rows].reshape(len(actions), -1)
            own = (1 - SMOOTH) * own + SMOOTH / len(actions)
            for s in range(table.shape[1]):
                loose, tight, passive, aggressive = model.amounts[:, r, strength_thirds(game())[r][s]]
                calls = own[actions.index(CALL), s]
                raises = [place for place, action in enumerate(actions) if action > CALL]
                up = own[raises, s].sum()
                for place in raises:
                    expected = own[place, s] * (1 - passive) + calls * aggressive * own[place, s] / up
                    assert table[place, s] == pytest.approx(expected, abs=1e-5)
                if FOLD in actions:
                    left = calls * (1 - aggressive * bool(raises))
                    expected = own[0, s] * (1 - loose) + left * tight
                    assert table[0, s] == pytest.approx(expected, abs=1e-5)
                assert table[:, s].sum() == pytest.approx(1, abs=1e-5)


def test_skews_keep_the_proportions_of_raises():
    base = some_behaviours(17)
    bent = skew_behaviours(game(), base, parse_skews("aggressive=0.4"))
    for seat, tree in enumerate(game().trees):
        for block, _, rows in tree.blocks():
            actions = tree.actions[block]
            raises = [place for place, action in enumerate(actions) if action > CALL]
            before, after = (own[seat][rows].reshape(len(actions), -1) for own in (base, bent))
            if raises:
                moved = 0.4 * before[actions.index(CALL)]
                share = before[raises] / before[raises].sum(axis=0)
                assert_allclose(after[raises], before[raises] + moved * share, atol=1e-12)


def test_models_answer_at_the_table():
    """Chances are of actions that are legal at the table; what was held goes by the ways of the hand."""
    model = FrequencyModel(game(), some_behaviours(18)).fit(some_hands(30, 26))
    rng = np.random.default_rng(19)
    for hand in some_hands(25, 20):
        state = TABLE.start()
        for card in hand_cards(hand):
            state = state.apply(card)
        for _, action in hand.actions[:-1]:
            if state.player == CHANCE:
                state = state.apply(hand.board[0])
            state = state.apply(action)
        if state.player == CHANCE:
            state = state.apply(hand.board[0])
        view = state.view(int(rng.integers(2)))
        found = model.probabilities(view, state.player)
        assert sum(found.values()) == pytest.approx(1)
        assert set(found) <= set(state.legal_actions())
        held = model.holdings(view, 1 - view.seat)
        assert held.sum() == pytest.approx(1)


def test_where_an_average_never_comes_it_plays_the_last_iteration():
    """Uniform play would be all-in with any hand; in games without a menu it stays."""
    for bets in (MENU, None):
        poker = TABLE if bets else leduc()
        compiled = compile_factored(poker, bets=bets)
        solution = solve(compiled, DCFR(), iterations=400)
        engine = RegretMinimiser(compiled, DCFR())
        engine.advance(400)
        met = 0
        for tree, plan, found, last in zip(
            compiled.trees, solution.plans, solution.behaviours, engine.behaviours, strict=True
        ):
            for block, sets, rows in tree.blocks():
                actions = len(tree.actions[block])
                table = found[rows].reshape(actions, -1)
                seldom = plan[tree.parent_sequence[sets]] < 1e-6
                met += int(seldom.sum())
                if bets is not None:
                    assert_allclose(table[:, seldom], last[rows].reshape(actions, -1)[:, seldom])
                never = plan[tree.parent_sequence[sets]] == 0
                if bets is None:
                    assert_allclose(table[:, never], 1 / actions)
                own = plan[rows].reshape(actions, -1)[:, ~seldom]
                assert_allclose(table[:, ~seldom], own / own.sum(axis=0), atol=1e-9)
        assert met


# Agents -------------------------------------------------------------------------------------------


def test_drawing_at_the_table_is_drawing_in_the_tree():
    strategy = tabular(game(), some_behaviours(21))
    agent = TranslatedAgent("x", strategy)
    state = TABLE.start()
    for card in TABLE.rules.deck[:2]:
        state = state.apply(card)
    state = state.apply(5)
    view = state.view(state.player)
    assert chances_at_table(strategy, view) == agent.probabilities(view)
    for uniform in (0.01, 0.3, 0.77, 0.999):
        assert draw_at_table(strategy, view, uniform) in state.legal_actions()


def gain_of(agent, compiled, villain):
    """Chips a hand of what an agent plays against a known strategy, as a mean over the seats."""
    mine, theirs = (
        [plan_from_behaviour(tree, own) for tree, own in zip(compiled.trees, pair, strict=True)]
        for pair in (agent.playing.behaviours, villain)
    )
    return (compiled.value(mine[0], theirs[1]) - compiled.value(theirs[0], mine[1])) / 2, theirs


@pytest.mark.compiled
@pytest.mark.parametrize("which", ["soul", "dbbr"])
def test_an_exploiter_wins_from_a_bent_equilibrium(which):
    compiled, equilibrium = small()
    villain = skew_behaviours(compiled, equilibrium.behaviours, parse_skews("loose=0.8"))
    opponent = TranslatedAgent("loose", tabular(compiled, villain))
    agent: Any
    if which == "soul":
        agent = Soul("soul", compiled, equilibrium, None, SoulOptions(risk=500))
    else:
        agent = DeviationAgent("dbbr", compiled, equilibrium, DbbrOptions(T=50, k=50))
    usual, theirs = gain_of(agent, compiled, villain)
    rng, poker = np.random.default_rng(22), nolimit_leduc(5)
    for number in range(400):
        state, seat = poker.start(), number % 2
        while state.player != TERMINAL:
            if state.player == CHANCE:
                state = state.apply(int(rng.choice([card for card, _ in state.chance_outcomes()])))
            else:
                player = agent if state.player == seat else opponent
                state = state.apply(player.act(state.view(state.player), rng))
        agent.observe(seen_by(state, seat))
    best = sum(best_response_values(compiled, theirs)) / 2
    assert gain_of(agent, compiled, villain)[0] - usual > 0.25 * (best - usual)
    if which == "soul":
        first, second = (
            plan_from_behaviour(tree, own)
            for tree, own in zip(compiled.trees, agent.playing.behaviours, strict=True)
        )
        risk = sum(best_response_values(compiled, (first, second)))
        assert risk / 2 <= 500 * 2 / 1000 + 1e-6  # an independent best response keeps to the certificate
        assert agent.belief().frequencies


def test_changing_agents_play_menus():
    strategies = [tabular(game(), some_behaviours(seed)) for seed in (23, 24)]
    agent = ChangingAgent("x", strategies, switching_step(2, 1))
    state = TABLE.start()
    for card in TABLE.rules.deck[:2]:
        state = state.apply(card)
    view = state.apply(6).view(1)
    assert agent.probabilities(view) == chances_at_table(strategies[0], view)
    assert agent.act(view, np.random.default_rng(1)) in view.legal


@pytest.mark.parametrize("text", ["soul", "dbbr", "dbr", "loose", "best-response", "switching", "deceiver"])
def test_who_sits_at_a_table_of_nolimit(text):
    cards = "5-5-5-5:quick:bets=small"
    texts = {
        "loose": f"loose:{cards}:0.3",
        "best-response": f"best-response:{cards}:loose:{cards}",
        "switching": f"switching:every=5|loose:{cards}|tight:{cards}",
        "deceiver": f"deceiver:{cards}:hands=5|passive:{cards}",
    }
    agent = parse_agent(texts.get(text, f"{text}:{cards}"))
    assert agent.entry.refuses(nolimit_holdem(2, 40)) is None
    assert agent.entry.refuses(nolimit_holdem(3, 40)) is not None


def test_other_trees_and_lbr_are_refused():
    compiled, equilibrium = small()
    with pytest.raises(SoulreadError, match="plays two-player limit games"):
        Soul("soul", compiled, equilibrium, None, SoulOptions(lbr=10))
    hand = replace(some_hands(1, 25)[0], stacks=None)
    with pytest.raises(SoulreadError, match="without stacks"):
        on_tree(game(), hand)
