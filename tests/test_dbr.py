"""The agent dbr and the safer dbbr: what they learn from, when they update, and what a wrong read costs."""

from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

import pytest
from counted import counted
from named import compile_source, equilibrium_of, make_agent, make_kind
from numpy.testing import assert_allclose, assert_array_equal
from pairs import pair

from soulread.errors import ParseError, SoulreadError
from soulread.games.leduc import leduc
from soulread.games.named import parse_game
from soulread.model.catalogue import parse_model
from soulread.model.counted import FrequencyModel
from soulread.observe.private import PrivateCounts
from soulread.play.exploiters.dbbr import DbbrOptions, DeviationAgent
from soulread.play.exploiters.dbr import DataBiasedAgent, DbrOptions
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import Probe
from soulread.respond.counter import Tracker
from soulread.seqform.compile import SequenceGame, compile_factored, poker_of
from soulread.seqform.strategy import plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.best_response import best_response
from soulread.solvers.exploitability import exploitability
from soulread.solvers.lp import solve_exactly
from soulread.solvers.restricted import Restriction
from soulread.solvers.skews import baseline_behaviour


@lru_cache
def table(name: str = "leduc:iso") -> tuple[SequenceGame, TabularStrategy]:
    return compile_source(name), equilibrium_of(name)


def agent(name="leduc:iso", model="deviation", **settings):
    compiled, equilibrium = table(name)
    learns = FrequencyModel(compiled) if model == "frequency" else None
    return DataBiasedAgent("dbr", compiled, equilibrium, DbrOptions(**settings), learns)


class Listener(DataBiasedAgent):
    """Keeps the hands it was told of."""

    def reset(self):
        super().reset()
        self.hands = []

    def observe(self, hand):
        self.hands.append(hand)
        super().observe(hand)


def test_it_plays_the_equilibrium_until_it_has_a_read():
    player = agent(T=30, k=20)
    Match(parse_game("leduc:iso"), (player, Probe()), 29).play(1)
    assert player.response is None
    assert player.playing is player.equilibrium
    assert (player.expected, player.worst_case) == (0, 0)
    assert player.sentence() == "it plays the equilibrium; there is no read yet"
    updates = []
    player._take = lambda read: updates.append(player.num_hands)
    Match(parse_game("leduc:iso"), (player, Probe()), 90).play(1)
    assert updates == [30, 50, 70, 90]


def test_updates_in_the_background():
    player = agent(T=10, k=10, background=1)
    match = Match(parse_game("leduc:iso"), (player, Probe()), 120)
    hands: list[LiveHand] = []
    match.play(1, record=hands.append)
    for _ in range(2):  # hands that waited for an update are learnt from after it
        if player._pending is not None:
            player._pending.exception()  # what was under way has ended
        player.observe(hands[-1].seen_by(hands[-1].players.index("dbr")))  # and is taken with the next hand
    assert player.read is not None
    assert player.playing is not player.equilibrium
    player.reset()
    assert player.playing is player.equilibrium
    match.play(1)


@pytest.mark.compiled
def test_its_own_observations_make_the_model():
    """The frequencies of the hands it was shown, at the sets it was shown, and nothing else."""
    compiled, equilibrium = table()
    settings = DbrOptions(T=60, k=1000, model=parse_model("frequency"))
    player = Listener("dbr", compiled, equilibrium, settings, FrequencyModel(compiled))
    Match(poker_of(compiled), (player, Probe()), 60).play(3)
    counts = counted(PrivateCounts(compiled), player.hands)
    assert counts.num_hidden(0) + counts.num_hidden(1) > 0
    expected = FrequencyModel(compiled).fit_counts(counts)
    assert player.read is not None
    for seat in (0, 1):
        assert_array_equal(player.read.believed[seat], expected.strategy(seat))
    for hand in player.hands:
        assert hand.showdown or hand.hole[1 - hand.observer] is None


@pytest.mark.compiled
@pytest.mark.parametrize("model", ["deviation", "frequency"])
def test_expectation_and_worst_case_are_those_of_what_it_plays(model):
    player = agent(T=200, k=1000, model=model)
    Match(parse_game("leduc:iso"), (player, make_agent("always-raise", parse_game("leduc:iso"))), 200).play(2)
    game = player.game
    assert_allclose(player.playing.behaviours[0], player.response.behaviours[0])
    assert player.worst_case == pytest.approx(-exploitability(game, player.response.plans), abs=1e-9)
    assert player.expected == pytest.approx(player.response.exploitation(player.read.believed))
    assert player.expected > 0 > player.worst_case
    assert "mb/g more than the game is worth; if it is wrong it loses at most" in player.sentence()


@pytest.mark.compiled
def test_it_wins_from_one_who_always_raises():
    """Exactly, after 400 hands: more than the equilibrium does, at a smaller risk than a best response."""
    game = parse_game("leduc:iso")
    player = agent(T=400, k=1000)
    Match(game, (player, make_agent("always-raise", game)), 400).play(2)
    villain = tuple(baseline_behaviour(tree, "always-raise") for tree in player.game.trees)
    pair = player.response
    safe = replace(pair.seats[0], plan=solve_exactly(player.game).plans[0])
    assert pair.seats[0].value_against(villain[1]) > safe.value_against(villain[1]) + 0.3
    plan = plan_from_behaviour(player.game.trees[1], villain[1])
    best = best_response(player.game.trees[0], player.game.payoff.gradient(0, plan))[0]
    assert pair.seats[0].value_against(villain[1]) <= best + 1e-9
    assert pair.exploitability < 2


@pytest.mark.compiled
def test_more_confidence_more_risk():
    pairs = []
    for pmax in (0.0, 0.5, 1.0):
        player = agent(T=300, k=1000, pmax=pmax)
        Match(parse_game("leduc:iso"), (player, Probe()), 300).play(5)
        pairs.append((player.expected, -player.worst_case))
    assert pairs[0][1] < 5e-3
    assert pairs[0][0] < pairs[1][0] < pairs[2][0]
    assert pairs[0][1] < pairs[1][1] < pairs[2][1]


@pytest.mark.compiled
def test_expected_observations_add_up_to_the_public_ones():
    player = agent(T=100, k=1000)
    Match(parse_game("leduc:iso"), (player, Probe()), 100).play(5)
    for seat in (0, 1):
        model, seen = player.model.seat(seat), player.model.observations(seat)
        for n in range(model.public.num_histories):
            if model.reach_[n] > 0:
                assert seen[model.public.sets(n)].sum() == pytest.approx(
                    model.counts_[model.public.cells(n)].sum()
                )


@pytest.mark.compiled
def test_a_safer_dbbr_loses_less_if_its_read_is_wrong():
    """Leduc: as trust in the model falls, the worst case shrinks, the win from the model only a little."""
    compiled, equilibrium = table()
    wins, risks = [], []
    trusts = (1.0, 0.9, 0.7, 0.4, 0.0)
    for safety in trusts:
        settings = DbbrOptions(T=200, k=1000, method="l1", safety=safety)
        player = DeviationAgent("dbbr", compiled, equilibrium, settings)
        Match(poker_of(compiled), (player, Probe()), 200).play(4)
        game = compiled
        plans = pair(map(plan_from_behaviour, game.trees, player.playing.behaviours))
        models = [player.model.plan(seat) for seat in (0, 1)]
        wins.append((game.value(plans[0], models[1]) - game.value(models[0], plans[1])) / 2)
        risks.append(exploitability(game, plans))
    assert all(a > b - 1e-9 for a, b in pairwise(risks))
    assert all(a > b - 5e-3 for a, b in pairwise(wins))
    for i, p in enumerate(trusts):  # each response is the best one at its own trust
        worth = [p * win - (1 - p) * risk for win, risk in zip(wins, risks, strict=True)]
        assert worth[i] > max(worth) - 5e-3
    assert risks[1] < 0.3 * risks[0]  # of 12 seeds: .13 to .22
    assert wins[1] > 0.9 * wins[0]  # of 12 seeds: .93 to .98
    assert risks[-1] < 5e-3


@pytest.mark.compiled
def test_updates_start_where_the_last_one_ended():
    game = compile_factored(leduc())
    first, second = (Restriction(tree, baseline_behaviour(tree, "random"), p=0.7) for tree in game.trees)
    restrictions = first, second
    tracker = Tracker(game, iterations=20)
    gaps = []
    for _ in range(6):
        pair = tracker.respond(restrictions)
        gaps.append(pair.gap)
        assert pair.seats[0].iterations == (200 if len(gaps) == 1 else 20)
    cold = Tracker(game, iterations=2).respond(restrictions)
    assert cold.seats[0].iterations == 20
    assert max(gaps) < cold.gap / 3
    tracker.reset()
    assert tracker.respond(restrictions).seats[0].iterations == 200
    with pytest.raises(SoulreadError, match="cannot both be bound and respond"):
        tracker.respond((second, first))
    with pytest.raises(SoulreadError, match="iterations=-1"):
        Tracker(game, -1)
    assert Tracker(game).iterations == 0


def test_texts():
    game = parse_game("kuhn")
    assert make_kind(DataBiasedAgent, "dbr", game).options == DbrOptions()
    made = make_kind(
        DataBiasedAgent, "dbr:T=5,k=7,confidence=curve:2,pmax=0.5,model=frequency,iterations=30", game
    )
    assert made.options == DbrOptions(5, 7, "curve:2", 0.5, parse_model("frequency"), 30)
    assert isinstance(made.model, FrequencyModel)
    for text, message in (
        ("dbr:T=-1", "T=-1; expected at least 0"),
        ("dbr:k=0", "k=0; expected at least 1"),
        ("dbr:pmax=2", r"pmax=2.0; expected at least 0 and at most 1"),
        (
            "dbr:model=magic",
            "'model=magic' in 'dbr:model=magic': 'magic' is not a model; known are deviation, frequency",
        ),
        ("dbr:confidence=much", "'much' is not a confidence function"),
        ("dbr:iterations=-1", "iterations=-1"),
        ("dbr:5-5-5-5", "has a card abstraction, but 'kuhn' needs none"),
        ("dbr:speed=9", "'speed=9' in 'dbr:speed=9' is not an option"),
        ("dbbr:safety=1.5", "safety=1.5; expected at least 0 and at most 1"),
        ("dbbr:safety=0.5,iterations=-2", "iterations=-2"),
    ):
        with pytest.raises(ParseError, match=message):
            make_agent(text, game)


def test_hands_seen_by_nobody_are_refused():
    player = Listener("dbr", *table(), DbrOptions(T=50, k=50))
    Match(parse_game("leduc:iso"), (player, Probe()), 1).play(1)
    for model in ("deviation", "frequency"):
        with pytest.raises(SoulreadError, match="seen by nobody"):
            agent(model=model).observe(replace(player.hands[0], observer=None))
