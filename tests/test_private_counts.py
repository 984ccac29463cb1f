"""Private counts and the frequency model: hand by hand, by labels, and in a simulation, always the same."""

from dataclasses import replace
from functools import lru_cache

import naive_tabular
import numpy as np
import pytest
from counted import counted
from named import compile_source
from numpy.testing import assert_allclose, assert_array_equal
from pairs import pair

from soulread.abstraction.joint import sample_joint
from soulread.cards.arrays import deal
from soulread.errors import NotFitted, ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import PokerGame, replay
from soulread.hands.record import seen_by
from soulread.model.counted import FrequencyModel
from soulread.observe.private import PrivateCounts
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import play_hand
from soulread.play.match.matches import Match
from soulread.play.match.simulate import simulate
from soulread.play.match.watch import observe_play
from soulread.play.opponents.baselines import AlwaysCall, AlwaysFold, Probe, Random
from soulread.play.tabular import TabularAgent, strategy_of, tabular_form
from soulread.seqform.abstract import abstract_game
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.lookup import AbstractLookup, BlindLookup
from soulread.seqform.strategy import Behaviour, random_behaviour, verify_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.skews import baseline_behaviour
from soulread.streams import MatchStreams

NAMES = "villain", "hero"


@lru_cache
def compiled(name="leduc"):
    return compile_source(name)


def random_agent(name="leduc", seed=0):
    game = compiled(name)
    rng = np.random.default_rng(seed)
    behaviours = pair(random_behaviour(tree, rng) for tree in game.trees)
    return TabularAgent("villain", TabularStrategy(betting_tree(game.poker), game.lookup, behaviours))


def table_of(agent: Agent, game: PokerGame) -> TabularStrategy:
    """The table an agent plays from."""
    table = tabular_form(agent, game)
    assert table is not None
    return table


def baseline(name, game):
    return strategy_of(parse_agent(name), game.poker)


def recorded(game, agents, hands, seed, watcher=None):
    """Every hand of the match that `Match` plays, seen from above or from the second agent's seat."""
    own = MatchStreams(seed)
    cards, streams = own.cards(), [own.agent(0), own.agent(1)]
    ends = []
    for number in range(hands):
        dealt = deal(cards, game.rules.deck, game.num_cards)
        order = [(seat - number) % 2 for seat in (0, 1)]
        players = [NAMES[i] for i in order]
        played = play_hand(game, [agents[i] for i in order], dealt, [streams[i] for i in order], players)
        hand = played.seen_by(order.index(1))
        if watcher is None:
            hand = replace(played.seen_by_dealer(), observer=order.index(1))
        ends.append((hand, order.index(0)))
    return ends


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_simulated_counts_are_those_of_the_match(name):
    game, villain, hero = compiled(name), random_agent(name), Probe()
    hands = recorded(game.poker, (villain, hero), 700, 5)
    slow = PrivateCounts(game)
    labels = PrivateCounts(compile_game(game.poker))  # finds information sets by their labels
    for hand, seat in hands:
        assert slow.add(hand, seat)
        assert labels.add(hand)
    fast = observe_play(game, villain.strategy, table_of(hero, game.poker), 700, seed=5)
    for seat in (0, 1):
        tree = game.trees[seat]
        assert tree.num_sequences == labels.game.trees[seat].num_sequences
        for j in range(tree.num_sets):
            assert slow.count(seat, tree.label(j)) == labels.count(seat, tree.label(j))
        assert_array_equal(slow.table(seat), fast.table(seat))
        assert slow.num_hands(seat) == fast.num_hands(seat) == 350
        assert slow.num_hidden(seat) == 0
        assert_allclose(
            fast.observations(seat), [fast.table(seat)[tree.sequences(j)].sum() for j in range(tree.num_sets)]
        )
    profits = simulate(game.poker, (villain.strategy, table_of(hero, game.poker)), 700, MatchStreams(5))
    assert_array_equal(profits, Match(game.poker, (villain, hero), 700).play(5))


def test_baselines_are_counted_over_private_states_they_do_not_look_at():
    game = compiled()
    hands = recorded(game.poker, (Probe(), AlwaysCall()), 300, 2)
    slow = counted(PrivateCounts(game), (hand for hand, _ in hands))
    fast = observe_play(game, baseline("probe", game), baseline("always-call", game), 300, seed=2)
    for seat in (0, 1):
        assert_array_equal(slow.table(seat), fast.table(seat))


@pytest.mark.compiled
def test_duplicate_matches_count_both_passes():
    game, villain = compiled(), random_agent()
    counts = PrivateCounts(game)
    opponent = table_of(Random(), game.poker)
    simulate(
        game.poker, (opponent, villain.strategy), 5000, MatchStreams(1), duplicate=True,
        counts=counts, counted=1,
    )  # fmt: skip
    assert counts.num_hands(0) == counts.num_hands(1) == 5000
    firsts = [game.trees[seat].parent_sequence == 0 for seat in (0, 1)]
    assert counts.observations(0)[firsts[0]].sum() == 5000  # seat 0 acts first and always acts


def test_from_the_table_only_showdowns_teach():
    game, villain = compiled(), random_agent()
    hands = recorded(game.poker, (villain, Probe()), 300, 3, watcher="hero")
    full = recorded(game.poker, (villain, Probe()), 300, 3)
    counts = PrivateCounts(game)
    everything = counted(PrivateCounts(game), (hand for hand, _ in full))
    shown = sum(counts.add(hand) for hand, _ in hands)
    assert shown == sum(hand.showdown for hand, _ in hands)
    assert 0 < shown < 300
    assert counts.num_hidden(0) + counts.num_hidden(1) == 300 - shown
    for seat in (0, 1):
        assert np.all(counts.table(seat) <= everything.table(seat))
        tree = game.trees[seat]
        for block, _, rows in tree.blocks():
            for action, taken in zip(
                tree.actions[block],
                counts.table(seat)[rows].reshape(len(tree.actions[block]), -1),
                strict=True,
            ):
                assert action != 0 or not taken.any()  # nobody who folded shows his cards


def test_hidden_cards_change_nothing():
    game, villain = compiled(), random_agent()
    for hand, _ in recorded(game.poker, (villain, AlwaysFold()), 40, 3, watcher="hero"):
        counts = PrivateCounts(game)
        assert counts.add(hand) == hand.showdown


@pytest.mark.compiled
def test_frequencies_approach_the_strategy():
    """After 200,000 hands against a probe; at sets seen 300 times, five standard errors are below 0.15."""
    game, villain = compiled(), random_agent(seed=3)
    counts = observe_play(game, villain.strategy, baseline("probe", game), 200_000)
    model = FrequencyModel(game).fit_counts(counts)
    for seat in (0, 1):
        verify_behaviour(game.trees[seat], model.strategy(seat))
        tree = game.trees[seat]
        often = (model.observations(seat) > 300)[tree.sequence_set[1:]]
        assert often.mean() > 0.1
        off = np.abs(model.strategy(seat) - villain.strategy.behaviours[seat])[1:][often]
        assert off.max() < 0.15


def test_where_he_was_not_seen_he_calls():
    game = compile_game(leduc())
    model = FrequencyModel(game).fit([])
    other = pair(baseline_behaviour(tree, "random") for tree in game.trees)
    for seat in (0, 1):
        assert_array_equal(model.strategy(seat), baseline_behaviour(game.trees[seat], "always-call"))
        assert not model.observations(seat).any()
        assert_array_equal(FrequencyModel(game, default=other).fit([]).strategy(seat), other[seat])


def test_counts_are_copied():
    game, villain = compiled(), random_agent()
    first, second = recorded(game.poker, (villain, Probe()), 2, 3)
    counts = counted(PrivateCounts(game), [first[0]])
    model = FrequencyModel(game).fit_counts(counts)
    before = model.strategies
    counts.add(replace(second[0]), second[1])
    for seat in (0, 1):
        assert_array_equal(model.strategy(seat), before[seat])
    assert not np.array_equal(FrequencyModel(game).fit_counts(counts).strategy(second[1]), before[second[1]])
    with pytest.raises(SoulreadError, match="fitted to counts"):
        model.update(first[0])


def test_count_by_label():
    game, villain = compiled("kuhn"), random_agent("kuhn")
    hands = recorded(game.poker, (villain, Probe()), 50, 1)
    counts = counted(PrivateCounts(game), (hand for hand, _ in hands))
    tree = game.trees[0]
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
    betting = betting_tree(limit_holdem())
    rng = np.random.default_rng(1)
    agents: list[Agent] = [Probe()]
    for states in (game.lookup, AbstractLookup(other)):
        assert states is not None
        sizes = betting.num_sequences(states.num_states)
        behaviours = pair(Behaviour(rng.random(size, dtype=np.float32)) for size in sizes)
        agents.append(TabularAgent("random", TabularStrategy(betting, states, behaviours)))
    for villain, hero in ((1, 0), (2, 1), (0, 2)):
        players = agents[villain], agents[hero]
        slow = PrivateCounts(game)
        for hand, seat in recorded(limit_holdem(), players, 120, 4):
            slow.add(hand, seat)
        first, second = (table_of(agent, limit_holdem()) for agent in players)
        fast = observe_play(game, first, second, 120, seed=4)
        for seat in (0, 1):
            assert fast.table(seat).sum() > 30
            assert_array_equal(slow.table(seat), fast.table(seat))
    with pytest.raises(SoulreadError, match="need a look-up to find the states"):
        PrivateCounts(replace(game, lookup=None))


def test_errors():
    game, villain = compiled(), random_agent()
    (hand, seat), *_ = recorded(game.poker, (villain, Probe()), 1, 3)
    counts = PrivateCounts(game)
    with pytest.raises(SoulreadError, match="seen by nobody"):
        counts.add(replace(hand, observer=None))
    with pytest.raises(SoulreadError, match="seat 2"):
        counts.add(hand, 2)
    kuhn_hand = seen_by(replay(kuhn(), "rc", "JsQs"), 0, NAMES)
    with pytest.raises(SoulreadError, match=r"a hand of 'kuhn' \(.+\) says nothing about 'leduc' \(.+\)"):
        counts.add(kuhn_hand, seat)
    by_labels = PrivateCounts(compile_game(leduc()))
    for broken, message in ((by_labels, "is not legal in 'leduc'"), (counts, "is not in the game 'leduc'")):
        with pytest.raises(SoulreadError, match=rf"action 7 of seat . after '' {message}"):
            broken.add(replace(hand, actions=((hand.actions[0][0], 7),)), seat)
    with pytest.raises(ShapeError, match="the table of counts has shape"):
        counts.add_table(0, np.zeros(3), 1)
    with pytest.raises(SoulreadError, match="finite and not negative"):
        counts.add_table(0, np.full(game.trees[0].num_sequences, -1.0), 1)
    with pytest.raises(ShapeError, match="was the look-up made for another abstraction"):
        PrivateCounts(replace(compile_factored(leduc()), lookup=BlindLookup(2)))
    with pytest.raises(SoulreadError, match="counts need a look-up"):
        simulate(
            game.poker, (villain.strategy, villain.strategy), 1, MatchStreams(1),
            counts=by_labels,
        )  # fmt: skip
    with pytest.raises(SoulreadError, match="agent 2 cannot be counted"):
        simulate(
            game.poker, (villain.strategy, villain.strategy), 1, MatchStreams(1),
            counts=counts, counted=2,
        )  # fmt: skip
    with pytest.raises(SoulreadError, match="there cannot be fewer than 0"):
        observe_play(game, villain.strategy, villain.strategy, -1)
    with pytest.raises(NotFitted):
        FrequencyModel(game).observations(0)
    with pytest.raises(SoulreadError, match="'nobody' is not in this hand; its players are villain, hero"):
        FrequencyModel(game).update(hand, "nobody")
    with pytest.raises(ShapeError, match="cannot teach a model"):
        FrequencyModel(compile_game(kuhn())).fit_counts(counts)
    with pytest.raises(SoulreadError, match="'dbbr' does not play 'leduc' from a table, so its strategy is"):
        baseline("dbbr", game)
