"""Cards that were shown: private states of real hands, the two steps of the model, and what it brings."""

from dataclasses import replace

import naive_deviation
import naive_shown as naive
import numpy as np
import pytest
from counted import counted
from hypothesis import given
from hypothesis import strategies as st
from named import compile_source, equilibrium_of, make_agent, make_kind
from numpy.testing import assert_allclose, assert_array_equal

from soulread.cards.arrays import deal
from soulread.errors import ParseError, ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.poker import replay
from soulread.hands.hand import Hand
from soulread.hands.record import seen_by
from soulread.model.deviation.model import DeviationModel, SeatDeviation
from soulread.model.deviation.pooled_prior import classes
from soulread.model.deviation.shown_cards import add_cards, independent_share
from soulread.observe.counts import PublicCounts
from soulread.observe.shown_hands import CardEvidence, ShownCards
from soulread.play.exploiters.dbbr import DbbrOptions, DeviationAgent
from soulread.play.match.live import play_hand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Probe, Random
from soulread.play.tabular import TabularAgent
from soulread.seqform.compile import poker_of
from soulread.seqform.lookup import BlindLookup
from soulread.seqform.public import public_tree
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour
from soulread.solvers.best_response import best_response
from soulread.solvers.skews import baseline_behaviour
from soulread.streams import stream


class Watcher(TabularAgent):
    """Plays a table and keeps the hands it saw."""

    hands: list[Hand]

    def __init__(self, strategy) -> None:
        super().__init__("watcher", strategy)
        object.__setattr__(self, "hands", [])

    def observe(self, hand) -> None:
        self.hands.append(hand)


def watched(game: str, opponent, hands: int, seed: int = 1):
    watcher = Watcher(equilibrium_of(game))
    Match(poker_of(compile_source(game)), (watcher, opponent), hands).play(seed)
    return watcher.hands


def collected(game: str, hands, **options) -> tuple[PublicCounts, ShownCards]:
    counts = counted(PublicCounts(compile_source(game), **options), hands)
    cards = ShownCards(counts)
    for hand in hands:
        cards.add(hand)
    return counts, cards


def test_paths_of_hands():
    """Every sequence has the label of the view in which the action was taken."""
    _, cards = collected("leduc", [])
    tree = compile_source("leduc").trees[1]
    state = replay(leduc(), "crc/rc", "KsQhJs")
    cards.add(seen_by(state, 0, ("a", "b")))
    cards.add(seen_by(replay(leduc(), "crf", "KsQh"), 0, ("a", "b")))
    cards.add(seen_by(replay(leduc(), "rf", "KsQh"), 0, ("a", "b")))
    evidence = cards.evidence(1)
    labels = [tree.label(tree.sequence_set[s]) for s in evidence.sequence]
    assert labels == ["Qh||c", "Qh|Js|crc/r"]
    assert [
        tree.legal_actions(tree.sequence_set[s])[list(range(*tree.sequences(tree.sequence_set[s]).indices(
            tree.num_sequences))).index(s)] for s in evidence.sequence
    ] == [2, 1]  # fmt: skip
    assert_array_equal(evidence.last, evidence.sequence[-1:])
    assert_array_equal(evidence.weight, [1])
    public = public_tree(compile_source("leduc"), 1)
    hidden = {public.labels[n] for n in range(public.num_histories) if evidence.hidden[public.cells(n)].any()}
    assert hidden == {"|c", "|r"}
    assert evidence.hidden.sum() == 2
    assert cards.evidence(0).hidden.sum() == 0
    cards.add(seen_by(replay(leduc(), "cc/crf", "KsQhJs"), 0, ("a", "b")))  # acted twice, then unseen
    added = cards.evidence(1).hidden - evidence.hidden
    raised = public.cells(public.index("Js|cc/c")).start + public.actions(public.index("Js|cc/c")).index(2)
    assert np.flatnonzero(added).tolist() == [raised]  # noted at the last action, once
    assert added[raised] == 1
    cards.reset()
    assert cards.evidence(1).last.size == 0


def test_decay_and_window():
    hands = [hand for hand in watched("kuhn", Random(), 60) if hand.observer == 0]
    for options, weight in (({"decay": 0.9}, 0.9), ({"window": 7}, 1.0), ({"decay": 0.8, "window": 5}, 0.8)):
        counts, cards = collected("kuhn", hands, **options)
        evidence = cards.evidence(1)
        last = hands[-int(options.get("window", len(hands))) :]
        weights = [weight ** (len(last) - 1 - i) for i in range(len(last))]
        assert evidence.weight.sum() + evidence.hidden.sum() == pytest.approx(sum(weights))
        assert evidence.weight.sum() == pytest.approx(
            sum(w for w, hand in zip(weights, last, strict=True) if hand.hole[1] is not None)
        )
        tree = counts.trees[1]
        table = counts.table(1)[tree.cells(tree.index("|r"))]  # every path of seat 1 is one action long
        shown = np.bincount(evidence.cell, evidence.action_weight, minlength=tree.num_cells)
        assert_allclose((shown + evidence.hidden)[tree.cells(tree.index("|r"))], table, atol=1e-9)


def random_evidence(public, rng, hands: int = 20) -> CardEvidence:
    tree = public.tree
    last = rng.integers(1, tree.num_sequences, hands).astype(np.int32)
    weight = rng.random(hands)
    return CardEvidence(
        hidden=rng.poisson(0.5, public.num_cells).astype(np.float64), last=last, weight=weight,
        sequence=last, cell=np.zeros(hands, dtype=np.int32), action_weight=weight,
    )  # fmt: skip


@pytest.mark.parametrize("worth", [0.5, 20.0])
@pytest.mark.parametrize("name", ["kuhn", "leduc", "limit"])
def test_expectation_maximisation_agrees_with_naive(name, worth):
    if name == "limit":
        game = naive_deviation.small_limit((2, 1, 1, 1))
    else:
        game = compile_source(name)
    for seat in (0, 1):
        rng = np.random.default_rng(seat)
        public = public_tree(game, seat)
        behaviour = random_behaviour(public.tree, rng)
        evidence = random_evidence(public, rng)
        expected = naive.mixed(
            public, behaviour,
            naive.expected_counts(public, behaviour, evidence.hidden, evidence.last, evidence.weight), worth,
        )  # fmt: skip
        ours, plan = behaviour.copy(), plan_from_behaviour(public.tree, behaviour)
        reach = np.empty(public.num_histories)
        add_cards(public, ours, plan, reach, worth, evidence)
        assert_allclose(ours, expected, atol=1e-12)
        assert_allclose(plan, plan_from_behaviour(public.tree, ours), atol=1e-12)
        masses = [
            public.chance(n) @ plan[public.tree.parent_sequence[public.sets(n)]]
            for n in range(public.num_histories)
        ]
        assert_allclose(reach, masses, atol=1e-12)


def test_hidden_hands_that_come_as_expected_change_nothing():
    """Counts in the proportions of the model itself, whatever the observer does: it is a fixed point."""
    game = compile_source("leduc")
    for seat in (0, 1):
        public = public_tree(game, seat)
        tree = public.tree
        behaviour = random_behaviour(tree, np.random.default_rng(1))
        plan = plan_from_behaviour(tree, behaviour)
        cell_of = {int(s): int(public.arrays.first_cell[n] + a) for n in range(public.num_histories)
                   for a, row in enumerate(public.sequences(n)) for s in row}  # fmt: skip
        before = [cell_of.get(int(tree.parent_sequence[public.sets(n)[0]]), -1)
                  for n in range(public.num_histories)]  # fmt: skip
        ways = [
            {public.labels[n].partition("|")[2] for n in range(public.num_histories) if before[n] == cell}
            for cell in range(public.num_cells)
        ]  # how the betting may come back to him; the observer ends the hand as often as he takes each
        ends = np.zeros(public.num_cells)
        often = np.ones(public.num_histories)
        flow = np.ones(public.num_cells)
        for n in range(public.num_histories):
            often[n] = flow[before[n]] if before[n] >= 0 else 1.0
            mass = (public.chance(n) * plan[public.sequences(n)]).sum(axis=1)
            for cell, amount in zip(range(*public.cells(n).indices(10**9)), mass, strict=True):
                flow[cell] = often[n] / (1 + len(ways[cell]))
                ends[cell] = 1000 * amount * flow[cell]
        nothing = np.empty(0, dtype=np.int32)
        evidence = CardEvidence(ends, nothing, np.empty(0), nothing, nothing, np.empty(0))
        ours = behaviour.copy()
        add_cards(public, ours, plan, np.empty(public.num_histories), 1.0, evidence)
        assert_allclose(ours, behaviour, atol=1e-12)


@given(st.integers(0, 2**32), st.floats(0.5, 20))
def test_independent_share_is_most_likely(seed, strength):
    rng = np.random.default_rng(seed)
    public = public_tree(compile_source("kuhn"), 0)
    kinds = classes(public)
    behaviour = random_behaviour(public.tree, rng)
    alpha = public.frequencies(behaviour, plan_from_behaviour(public.tree, behaviour))
    sequence = rng.integers(1, public.tree.num_sequences, 30).astype(np.int32)
    sets = public.tree.sequence_set[sequence]
    history = np.array([next(n for n in range(public.num_histories) if j in public.sets(n)) for j in sets])
    action = [
        int(np.argwhere(public.sequences(n) == s)[0, 0]) for n, s in zip(history, sequence, strict=True)
    ]
    cell = (public.arrays.first_cell[history] + action).astype(np.int32)
    weight = rng.random(30)
    evidence = CardEvidence(np.zeros(public.num_cells), sequence, weight, sequence, cell, weight)
    w = independent_share(public, kinds, behaviour, alpha, evidence, strength)
    grid = np.linspace(0, 0.999, 1000)
    for kind in range(kinds.max() + 1):
        chosen = kinds[history] == kind
        if not chosen.any():
            continue
        rows = behaviour[sequence[chosen]], alpha[cell[chosen]], weight[chosen], strength
        best = max(naive.log_posterior(x, *rows) for x in grid)
        ours = naive.log_posterior(float(w[kinds == kind][0]), *rows)
        assert ours > best - 1e-3
    assert np.all((w >= 0) & (w < 1))


@pytest.mark.parametrize("opponent", ["loose", "aggressive"])
def test_all_hands_shown_gives_his_frequencies(opponent):
    """With M near zero; folded hands are shown too here."""
    game, compiled = leduc(), compile_source("leduc")
    equilibrium = TabularAgent("equilibrium", equilibrium_of("leduc"))
    agent = make_kind(TabularAgent, opponent, game)
    counts, cards = collected("leduc", [])
    streams = [stream(1, key) for key in range(3)]
    for number in range(3000):
        dealt = deal(streams[2], game.rules.deck, game.num_cards)
        seats = [agent, equilibrium] if number % 2 else [equilibrium, agent]
        played = play_hand(game, seats, dealt, streams[:2], ("a", "b"))
        hand = replace(played.seen_by_dealer(), observer=number % 2)
        counts.add(hand)
        cards.add(hand)
    for seat in (0, 1):
        sigma = equilibrium_of("leduc").behaviours[seat]
        model = SeatDeviation(compiled, seat, sigma, shown=1e-9).fit(counts, cards)
        evidence, tree = cards.evidence(seat), model.public.tree
        assert evidence.hidden.sum() == 0
        taken = np.bincount(evidence.sequence, minlength=tree.num_sequences)
        for j in range(tree.num_sets):
            row = tree.sequences(j)
            seen = taken[row].sum()
            if seen:
                assert_allclose(model.strategy()[row], taken[row] / seen, atol=1e-6)
            if seen > 100:  # about 40 sets; 4.5 standard deviations
                assert_allclose(
                    model.strategy()[row], agent.strategy.behaviours[seat][row], atol=4.5 * 0.5 / seen**0.5
                )


def test_without_showdowns_the_public_model_stays():
    compiled = compile_source("leduc")
    hands = [replace(hand, hole=(None, None)) for hand in watched("leduc", Probe(), 300)]
    counts, cards = collected("leduc", hands)
    for seat in (0, 1):
        sigma = equilibrium_of("leduc").behaviours[seat]
        plain = SeatDeviation(compiled, seat, sigma).fit(counts)
        ours = SeatDeviation(compiled, seat, sigma, shown=5).fit(counts, cards)
        assert_array_equal(ours.strategy(), plain.strategy())
        assert_array_equal(ours.plan(), plain.plan())


@pytest.mark.parametrize("method", ["shift", "l1", "l2"])
def test_independent_share_keeps_public_frequencies(method):
    """The first step alone, at every history that is reached."""
    compiled = compile_source("leduc")
    counts, cards = collected("leduc", watched("leduc", Random(), 400))
    for seat in (0, 1):
        model = SeatDeviation(
            compiled, seat, equilibrium_of("leduc").behaviours[seat], method=method, shown=1e12
        ).fit(counts, cards)
        played = model.public.frequencies(model.strategy(), model.plan())
        reached = np.repeat(model.reach_ > 0, model.public.arrays.num_actions)
        assert_allclose(played[reached], model.alpha_[reached], atol=1e-8)
        plain = SeatDeviation(compiled, seat, equilibrium_of("leduc").behaviours[seat], method=method).fit(
            counts
        )
        assert not np.allclose(plain.strategy(), model.strategy())
        assert_array_equal(plain.alpha_, model.alpha_)


def test_cards_are_not_looked_at_when_off():
    compiled = compile_source("leduc")
    counts, cards = collected("leduc", watched("leduc", Random(), 200))
    sigma = equilibrium_of("leduc").behaviours[0]
    plain = SeatDeviation(compiled, 0, sigma).fit(counts)
    with_cards = SeatDeviation(compiled, 0, sigma).fit(counts, cards)
    assert_array_equal(plain.strategy(), with_cards.strategy())
    model = DeviationAgent("dbbr", compiled, equilibrium_of("leduc")).model
    assert isinstance(model, DeviationModel)
    assert model.cards is None


def response_value(opponent, models) -> float:
    """What the best response to the models wins from the opponent, small bets per hand, exactly."""
    game = compile_source("leduc")
    won = 0.0
    for seat in (0, 1):
        _, plan = best_response(game.trees[seat], game.payoff.gradient(seat, models[1 - seat].plan()))
        behaviour = opponent[1 - seat]
        won += float(plan @ game.payoff.gradient(seat, plan_from_behaviour(game.trees[1 - seat], behaviour)))
    return won / 4


@pytest.mark.compiled
@pytest.mark.parametrize("opponent", [Random(), Probe()], ids=lambda agent: agent.name)
def test_cards_bring_more(opponent):
    """Against players who do not look at their cards; exact values of the responses after 500 hands."""
    compiled = compile_source("leduc")
    equilibrium = equilibrium_of("leduc").behaviours
    behaviours = [baseline_behaviour(tree, opponent.name) for tree in compiled.trees]
    gains = []
    for seed in range(4):
        counts, cards = collected("leduc", watched("leduc", opponent, 500, seed))
        plain, ours = (
            [
                SeatDeviation(compiled, seat, equilibrium[seat], shown=shown).fit(counts, cards)
                for seat in (0, 1)
            ]
            for shown in (0, 5)
        )
        gains.append(response_value(behaviours, ours) - response_value(behaviours, plain))
    assert np.mean(gains) > 0.04


def test_agent_with_shown_cards():
    game = leduc()
    agent = make_kind(DeviationAgent, "dbbr:T=20,k=10,shown=5", game)
    plain = make_agent("dbbr:T=20,k=10", game)
    match = Match(game, (agent, Probe()), 150)
    first = match.play(seed=3)
    assert_array_equal(match.play(seed=3), first)
    assert (Match(game, (plain, Probe()), 150).play(seed=3) != first).any()
    agent.reset()
    assert isinstance(agent.model, DeviationModel)
    assert agent.model.cards is not None
    assert agent.model.cards.evidence(0).last.size == 0
    assert agent.options == DbbrOptions(T=20, k=10, shown=5.0)


def test_refusals():
    counts = PublicCounts(replace(compile_source("kuhn"), lookup=BlindLookup(1)))
    with pytest.raises(ShapeError, match="was the look-up made for another abstraction"):
        ShownCards(counts)
    with pytest.raises(SoulreadError, match=r"shown=-1; expected at least 0"):
        SeatDeviation(compile_source("kuhn"), 0, equilibrium_of("kuhn").behaviours[0], shown=-1)
    with pytest.raises(ParseError, match=r"shown=-1.0; expected at least 0"):
        make_agent("dbbr:shown=-1", kuhn())
