"""Private counts and the frequency model: hand by hand, by labels, and in a simulation, always the same."""

from dataclasses import replace
from functools import lru_cache

import naive_tabular
import numpy as np
import pytest
from named import compile_source
from numpy.testing import assert_allclose, assert_array_equal

from soulread.abstraction.joint import sample_joint
from soulread.cards.arrays import deal
from soulread.errors import NotFitted, ShapeError, SoulreadError
from soulread.games import kuhn, leduc, limit_holdem
from soulread.hands import seen_by
from soulread.model import FrequencyModel
from soulread.observe import PrivateCounts
from soulread.play import AlwaysCall, AlwaysFold, Probe, Random, play_hand, stream
from soulread.play.match import Match
from soulread.play.simulate import simulate
from soulread.play.tabular import TabularAgent, tabular_form
from soulread.play.watch import observe_play, tabular_opponent
from soulread.seqform import (
    TabularStrategy,
    compile_factored,
    compile_game,
    random_behaviour,
    verify_behaviour,
)
from soulread.seqform.abstract import abstract_game
from soulread.seqform.betting import betting_tree
from soulread.seqform.lookup import AbstractLookup, BlindLookup
from soulread.solve.named import Playable
from soulread.solve.skews import baseline_behaviour

NAMES = "villain", "hero"


@lru_cache
def playable(name="leduc"):
    return compile_source(name)


def random_agent(name="leduc", seed=0):
    table = playable(name)
    rng = np.random.default_rng(seed)
    behaviours = tuple(random_behaviour(tree, rng) for tree in table.game.trees)
    return TabularAgent("villain", TabularStrategy(betting_tree(table.poker), table.lookup, behaviours))


def recorded(game, agents, hands, seed, watcher=None):
    """Every hand of the match that `Match` plays, seen from above or from the second agent's seat."""
    cards, *streams = (stream(seed, 0, key) for key in range(3))
    ends = []
    for number in range(hands):
        dealt = deal(cards, game.rules.deck, game.num_cards)
        order = [(seat - number) % 2 for seat in (0, 1)]
        end = play_hand(game, [agents[i] for i in order], dealt, [streams[i] for i in order])
        hand = seen_by(end, order.index(1), tuple(NAMES[i] for i in order))
        if watcher is None:
            hand = replace(hand, hole=(end.hole(0), end.hole(1)))
        ends.append((hand, order.index(0)))
    return ends


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_simulated_counts_are_those_of_the_match(name):
    table, villain, hero = playable(name), random_agent(name), Probe()
    hands = recorded(table.poker, (villain, hero), 700, 5)
    slow = PrivateCounts(table.game, table.lookup)
    labels = PrivateCounts(table.game)
    for hand, seat in hands:
        assert slow.add(hand, seat)
        assert labels.add(hand)
    fast = observe_play(table, villain.strategy, tabular_form(hero, table.poker), 700, seed=5)
    for seat in (0, 1):
        assert_array_equal(slow.table(seat), labels.table(seat))
        assert_array_equal(slow.table(seat), fast.table(seat))
        assert slow.num_hands(seat) == fast.num_hands(seat) == 350
        assert slow.num_hidden(seat) == 0
        tree = table.game.trees[seat]
        assert_allclose(
            fast.observations(seat), [fast.table(seat)[tree.sequences(j)].sum() for j in range(tree.num_sets)]
        )
    profits = simulate(
        table.poker, (villain.strategy, tabular_form(hero, table.poker)), 700, lambda key: stream(5, 0, key)
    )
    assert_array_equal(profits, Match(table.poker, (villain, hero), 700).play(5))


def test_baselines_are_counted_over_private_states_they_do_not_look_at():
    table = playable()
    hands = recorded(table.poker, (Probe(), AlwaysCall()), 300, 2)
    slow = PrivateCounts(table.game, table.lookup).add_hands(hand for hand, _ in hands)
    fast = observe_play(
        table, tabular_opponent("probe", table), tabular_opponent("always-call", table), 300, seed=2
    )
    for seat in (0, 1):
        assert_array_equal(slow.table(seat), fast.table(seat))


@pytest.mark.compiled
def test_duplicate_matches_count_both_passes():
    table, villain = playable(), random_agent()
    counts = PrivateCounts(table.game, table.lookup)
    opponent = tabular_form(Random(), table.poker)
    simulate(
        table.poker, (opponent, villain.strategy), 5000, lambda key: stream(1, key), duplicate=True,
        counts=counts, counted=1,
    )  # fmt: skip
    assert counts.num_hands(0) == counts.num_hands(1) == 5000
    firsts = [table.game.trees[seat].parent_sequence == 0 for seat in (0, 1)]
    assert counts.observations(0)[firsts[0]].sum() == 5000  # seat 0 acts first and always acts


def test_from_the_table_only_showdowns_teach():
    table, villain = playable(), random_agent()
    hands = recorded(table.poker, (villain, Probe()), 300, 3, watcher="hero")
    full = recorded(table.poker, (villain, Probe()), 300, 3)
    counts = PrivateCounts(table.game, table.lookup)
    everything = PrivateCounts(table.game, table.lookup).add_hands(hand for hand, _ in full)
    shown = sum(counts.add(hand) for hand, _ in hands)
    assert shown == sum(hand.showdown for hand, _ in hands)
    assert 0 < shown < 300
    assert counts.num_hidden(0) + counts.num_hidden(1) == 300 - shown
    for seat in (0, 1):
        assert np.all(counts.table(seat) <= everything.table(seat))
        tree = table.game.trees[seat]
        for block, _, rows in tree.blocks():
            for action, taken in zip(
                tree.actions[block],
                counts.table(seat)[rows].reshape(len(tree.actions[block]), -1),
                strict=True,
            ):
                assert action != 0 or not taken.any()  # nobody who folded shows his cards


def test_hidden_cards_change_nothing():
    table, villain = playable(), random_agent()
    for hand, _ in recorded(table.poker, (villain, AlwaysFold()), 40, 3, watcher="hero"):
        counts = PrivateCounts(table.game, table.lookup)
        assert counts.add(hand) == hand.showdown


@pytest.mark.compiled
def test_frequencies_approach_the_strategy():
    """After 200,000 hands against a probe; at sets seen 300 times, five standard errors are below 0.15."""
    table, villain = playable(), random_agent(seed=3)
    counts = observe_play(table, villain.strategy, tabular_opponent("probe", table), 200_000)
    for seat in (0, 1):
        model = FrequencyModel(table.game, seat, table.lookup).fit(counts)
        verify_behaviour(table.game.trees[seat], model.strategy())
        tree = table.game.trees[seat]
        often = (model.observations > 300)[tree.sequence_set[1:]]
        assert often.mean() > 0.1
        off = np.abs(model.strategy() - villain.strategy.behaviours[seat])[1:][often]
        assert off.max() < 0.15


def test_where_he_was_not_seen_he_calls():
    game = compile_game(leduc())
    model = FrequencyModel(game, 1).fit([])
    assert_array_equal(model.strategy(), baseline_behaviour(game.trees[1], "always-call"))
    assert not model.observations.any()
    other = baseline_behaviour(game.trees[1], "random")
    assert_array_equal(FrequencyModel(game, 1, default=other).fit([]).strategy(), other)


def test_counts_are_copied():
    table, villain = playable(), random_agent()
    first, second = recorded(table.poker, (villain, Probe()), 2, 3)
    counts = PrivateCounts(table.game, table.lookup).add_hands([first[0]])
    model = FrequencyModel(table.game, first[1], table.lookup).fit(counts)
    before = model.strategy()
    counts.add(replace(second[0]), second[1])
    assert_array_equal(model.strategy(), before)
    with pytest.raises(SoulreadError, match="fitted to counts"):
        model.update(first[0])


def test_count_by_label():
    table, villain = playable("kuhn"), random_agent("kuhn")
    hands = recorded(table.poker, (villain, Probe()), 50, 1)
    counts = PrivateCounts(table.game, table.lookup).add_hands(hand for hand, _ in hands)
    tree = table.game.trees[0]
    total = sum(sum(counts.count(0, tree.label(j)).values()) for j in range(tree.num_sets))
    assert total == counts.table(0).sum() > 0
    counts.reset()
    assert counts.table(0).sum() == counts.num_hands(0) == 0


@pytest.mark.compiled
def test_hold_em_over_buckets():
    """Agent by agent and simulated; players over the states of the counts, over others and over none."""
    abstraction, other = naive_tabular.rank_abstraction(), naive_tabular.rank_abstraction("hs")
    game = abstract_game(
        limit_holdem(), abstraction, sample_joint(abstraction, 1000, np.random.default_rng(1))
    )
    lookup, betting = AbstractLookup(abstraction), betting_tree(limit_holdem())
    rng = np.random.default_rng(1)
    agents = [Probe()]
    for states in (lookup, AbstractLookup(other)):
        first, second = (
            rng.random(size, dtype=np.float32) for size in betting.num_sequences(states.num_states)
        )
        agents.append(TabularAgent("random", TabularStrategy(betting, states, (first, second))))
    for villain, hero in ((1, 0), (2, 1), (0, 2)):
        pair = agents[villain], agents[hero]
        slow = PrivateCounts(game, lookup, limit_holdem())
        for hand, seat in recorded(limit_holdem(), pair, 60, 4):
            slow.add(hand, seat)
        tables = tuple(tabular_form(agent, limit_holdem()) for agent in pair)
        fast = observe_play(Playable(game, limit_holdem(), lookup), *tables, 60, seed=4)
        for seat in (0, 1):
            assert fast.table(seat).sum() > 30
            assert_array_equal(slow.table(seat), fast.table(seat))
    with pytest.raises(SoulreadError, match="need a look-up to find the states"):
        PrivateCounts(replace(game, name="limit:5-5-5-5"))


def test_errors():
    table, villain = playable(), random_agent()
    (hand, seat), *_ = recorded(table.poker, (villain, Probe()), 1, 3)
    counts = PrivateCounts(table.game, table.lookup)
    with pytest.raises(SoulreadError, match="seen by nobody"):
        counts.add(replace(hand, observer=None))
    with pytest.raises(SoulreadError, match="seat 2"):
        counts.add(hand, 2)
    with pytest.raises(SoulreadError, match="a hand of 'kuhn' says nothing about 'leduc'"):
        counts.add(replace(hand, game="kuhn"), seat)
    for broken in (PrivateCounts(table.game), counts):
        with pytest.raises(SoulreadError, match=r"action 7 of seat . after '' is not in the game 'leduc'"):
            broken.add(replace(hand, actions=((hand.actions[0][0], 7),)), seat)
    with pytest.raises(ShapeError, match="the table of counts has shape"):
        counts.add_table(0, np.zeros(3), 1)
    with pytest.raises(SoulreadError, match="finite and not negative"):
        counts.add_table(0, np.full(table.game.trees[0].num_sequences, -1.0), 1)
    with pytest.raises(ShapeError, match="was the look-up made for another abstraction"):
        PrivateCounts(compile_factored(leduc()), BlindLookup(2))
    with pytest.raises(SoulreadError, match="counts need a look-up"):
        simulate(
            table.poker, (villain.strategy, villain.strategy), 1, lambda key: stream(1, key),
            counts=PrivateCounts(table.game),
        )  # fmt: skip
    with pytest.raises(SoulreadError, match="agent 2 cannot be counted"):
        simulate(
            table.poker, (villain.strategy, villain.strategy), 1, lambda key: stream(1, key),
            counts=counts, counted=2,
        )  # fmt: skip
    with pytest.raises(SoulreadError, match="there cannot be fewer than 0"):
        observe_play(table, villain.strategy, villain.strategy, -1)
    with pytest.raises(NotFitted):
        _ = FrequencyModel(table.game, 0).observations
    with pytest.raises(SoulreadError, match="player 2"):
        FrequencyModel(table.game, 2)
    with pytest.raises(ShapeError, match="cannot teach a model"):
        FrequencyModel(compile_game(kuhn()), 0).fit(counts)
    with pytest.raises(SoulreadError, match="does not play from a table"):
        tabular_opponent("dbbr", table)
