"""The DBBR agent: its schedule, its options, and that it beats equilibrium play against leaky opponents."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

import naive_deviation as naive
import numpy as np
import pytest
from named import compile_source, equilibrium_of, make_agent
from numpy.testing import assert_array_equal

from soulread.errors import ParseError, SoulreadError
from soulread.estimate import Estimate
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.named import parse_game
from soulread.games.poker import replay
from soulread.hands.record import seen_by
from soulread.model.deviation.leak_tests import all_leaks
from soulread.model.deviation.model import DeviationModel
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.dbbr import DbbrOptions, DeviationAgent
from soulread.play.match.matches import Match
from soulread.play.opponents.baselines import AlwaysCall, AlwaysRaise, Probe, Random
from soulread.play.tabular import TabularAgent
from soulread.seqform.compile import compile_factored
from soulread.seqform.source import parse_buckets
from soulread.seqform.strategy import plan_from_behaviour, uniform_behaviour
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.solvers.best_response import best_response, response_behaviour


def dbbr(game: str, settings: DbbrOptions | None = None, **options) -> DeviationAgent:
    return DeviationAgent("dbbr", compile_source(game), equilibrium_of(game), settings, **options)


class Recorder(DeviationAgent):
    """Writes down after which hands the response was updated."""

    def __init__(self, *arguments) -> None:
        self.updates: list[int] = []
        super().__init__(*arguments)

    def _respond(self):
        self.updates.append(self.num_hands)
        return super()._respond()


@pytest.mark.parametrize(
    ("settings", "updates"),
    [
        (DbbrOptions(T=10, k=5), [10, 14, 19, 24, 29]),  # before hands 11, 15, 20, 25, 30
        (DbbrOptions(T=7, k=10), [7, 9, 19, 29]),
        (DbbrOptions(T=0, k=8), [7, 15, 23]),
        (DbbrOptions(T=30, k=1), [30]),
        (DbbrOptions(T=31, k=1), []),
    ],
)
def test_algorithm_3(settings, updates):
    agent = Recorder("dbbr", compile_source("kuhn"), equilibrium_of("kuhn"), settings)
    Match(kuhn(), (agent, Random()), 30).play(seed=1)
    assert agent.updates == updates
    assert agent.num_hands == 30
    assert agent.exploiting == bool(updates)


def test_first_hands_are_the_equilibriums():
    game = leduc()
    equilibrium = TabularAgent("equilibrium", equilibrium_of("leduc"))
    ours = Match(game, (dbbr("leduc", DbbrOptions(T=40, k=10)), Probe()), 120, duplicate=True).play(seed=5)
    theirs = Match(game, (equilibrium, Probe()), 120, duplicate=True).play(seed=5)
    assert_array_equal(ours[:40], theirs[:40])
    assert (ours[40:] != theirs[40:]).any()


@pytest.mark.compiled
def test_another_opening_is_played_until_a_read_is_trusted():
    """The opening's hands at first and while the threshold is not met; the response is that of its own."""
    game = limit_holdem()
    cards, finer = "2-2-2-2:quick", "3-3-3-3:quick"
    texts = (
        f"equilibrium:{finer}",
        f"dbbr:{cards},T=30,k=10,opening={finer}",
        f"dbbr:{cards},T=30,k=10,opening={finer},threshold=100",
        f"dbbr:{cards},T=30,k=10",
    )
    agents = [make_agent(text, game) for text in texts]
    opening, ours, careful, plain = (
        Match(game, (agent, AlwaysCall()), 60).play(seed=7)[:, 0] for agent in agents
    )
    assert_array_equal(ours[:30], opening[:30])
    assert_array_equal(careful, opening)
    assert (ours[30:] != opening[30:]).any()
    assert (plain[:30] != opening[:30]).any()
    exploiting = agents[1]
    assert isinstance(exploiting, DeviationAgent)
    assert exploiting.playing.lookup == exploiting.equilibrium.lookup
    exploiting.reset()
    assert exploiting.playing is exploiting.opening
    assert exploiting.opening.lookup != exploiting.equilibrium.lookup


def test_hands_of_both_seats_count():
    """The paper's T = 1000 is a third of a match of 3,000 hands; the seats change with every hand."""
    agent = dbbr("leduc", DbbrOptions(T=20, k=10))
    Match(leduc(), (agent, Random()), 19).play(seed=1)
    assert not agent.exploiting
    Match(leduc(), (agent, Random()), 20).play(seed=1)
    assert agent.exploiting
    assert isinstance(agent.model, DeviationModel)
    assert [agent.model.counts.num_hands(seat) for seat in (0, 1)] == [10, 10]


@pytest.mark.compiled
@pytest.mark.parametrize("settings", ["method=shift", "method=l1", "method=l2", "method=l1,pool=1"])
@pytest.mark.parametrize("opponent", [AlwaysRaise(), AlwaysCall(), Random()], ids=lambda agent: agent.name)
def test_beats_equilibrium_play(opponent, settings):
    """The same cards, 1200 duplicate hands; the 95% intervals after hand 300 must not meet."""
    game = leduc()
    agents = make_agent(f"dbbr:T=300,k=50,{settings}", game), TabularAgent("e", equilibrium_of("leduc"))
    ours, theirs = (
        Estimate.of(Match(game, (agent, opponent), 1200, duplicate=True).play(seed=8)[300:, 0])
        for agent in agents
    )
    assert ours.interval[0] > theirs.interval[1]


def test_the_defaults() -> None:
    """The paper's settings, and a bound of 95% where a threshold is given; published results rest on them."""
    plain = DbbrOptions()
    assert (plain.T, plain.k, plain.prior, plain.method, plain.range) == (
        1000,
        50,
        5.0,
        "shift",
        "equilibrium",
    )
    assert (plain.threshold, plain.sigmas, plain.safety) == (-np.inf, 1.96, 1.0)
    assert (plain.decay, plain.window, plain.shown, plain.pool) == (1.0, 0, 0.0, 0)


def test_threshold():
    """Nobody wins so much, so the equilibrium is played on; nobody loses so much, so it never is."""
    game = leduc()
    equilibrium = TabularAgent("equilibrium", equilibrium_of("leduc"))
    careful = dbbr("leduc", DbbrOptions(T=20, k=10, threshold=100))
    bold = dbbr("leduc", DbbrOptions(T=20, k=10, threshold=-100))
    plain = dbbr("leduc", DbbrOptions(T=20, k=10))
    expected, ours, theirs, others = (
        Match(game, (agent, Probe()), 80).play(seed=2) for agent in (equilibrium, careful, bold, plain)
    )
    assert_array_equal(ours, expected)
    assert_array_equal(theirs, others)
    assert not careful.exploiting
    assert bold.exploiting


def test_win_rate_bound():
    agent = dbbr("leduc", DbbrOptions(T=5, k=5, sigmas=2))
    profits = Match(leduc(), (agent, Random()), 50).play(seed=3)[:, 0] / 2
    error = profits.std(ddof=1) / np.sqrt(50)
    assert agent.win_rate_bound() == pytest.approx(profits.mean() - 2 * error)
    agent.reset()
    assert agent.win_rate_bound() == -np.inf


def test_hidden_and_shown_cards_change_nothing():
    class Blind(DeviationAgent):
        def observe(self, hand):
            super().observe(replace(hand, hole=(None, None)))

    game = leduc()
    parts = compile_source("leduc"), equilibrium_of("leduc"), DbbrOptions(T=20, k=5)
    sighted, blind = (
        Match(game, (make("dbbr", *parts), Probe()), 100).play(seed=4) for make in (DeviationAgent, Blind)
    )
    assert_array_equal(sighted, blind)


def test_reset_forgets():
    game = leduc()
    agent = dbbr("leduc", DbbrOptions(T=10, k=10))
    match = Match(game, (agent, Probe()), 60)
    first = match.play(seed=6)
    assert agent.exploiting
    agent.reset()
    assert not agent.exploiting
    assert agent.model.counts.num_hands(0) == 0
    assert_array_equal(match.play(seed=6), first)


class Slow:
    """Stands for the pool of an agent: work is done when the test says so."""

    def __init__(self) -> None:
        self.waiting: list[tuple[Callable[[], Any], Future[Any]]] = []

    def submit(self, work: Callable[[], Any]) -> "Future[Any]":
        self.waiting.append((work, Future()))
        return self.waiting[-1][1]

    def finish(self) -> None:
        work, future = self.waiting[-1]
        future.set_result(work())


def hands_of(count: int):
    """Hands that an agent saw against somebody who always raises."""
    seen = []

    class Watcher(Random):
        def observe(self, hand):
            seen.append(hand)

    Match(leduc(), (Watcher(), AlwaysRaise()), count).play(seed=1)
    return seen


def test_updates_in_the_background():
    """The game goes on while the model learns and an update is computed, from all hands that wait."""
    hands = hands_of(40)
    waits = dbbr("leduc", DbbrOptions(T=10, k=10))
    for hand in hands[:29]:
        waits.observe(hand)
    assert waits.read is not None
    expected = waits.read.answer

    agent = dbbr("leduc", DbbrOptions(T=10, k=10, background=1))
    pool: Any = Slow()
    agent._worker = pool
    for hand in hands[:29]:  # updates are due after hands 10, 19 and 29
        agent.observe(hand)
    assert len(pool.waiting) == 1  # one at a time
    assert (agent.num_hands, agent.learnt) == (29, 0)
    assert agent.read is None
    assert agent.playing is agent.equilibrium
    pool.finish()
    assert agent.learnt == 29
    assert agent.read is None  # an answer is taken up between two hands
    agent.observe(hands[29])
    assert agent.read is not None
    for mine, theirs in zip(agent.read.answer, expected, strict=True):
        assert_array_equal(mine, theirs)

    taken = agent.read
    assert len(pool.waiting) == 2
    pool.finish()
    agent.observe(hands[30])
    assert agent.read is taken  # no update was due
    pool.finish()
    agent.reset()
    agent.observe(hands[30])
    assert agent.read is None  # an answer to the opponent before is not taken up


def test_an_update_that_was_due_while_hands_waited_is_made():
    agent = dbbr("leduc", DbbrOptions(T=10, k=10, background=1))
    pool: Any = Slow()
    agent._worker = pool
    for hand in hands_of(25):  # due after hands 10 and 19; nothing is due after the last one
        agent.observe(hand)
    pool.finish()
    agent.observe(_some_hand())
    assert agent.learnt == 25
    assert agent.read is not None


def test_the_background_is_a_thread():
    agent = dbbr("leduc", DbbrOptions(T=10, k=10, background=1))
    answers = []
    for hand in hands_of(10):
        agent.observe(hand)
        assert agent._pending is not None
        answers.append(agent._pending.result(timeout=60))
    assert answers[:9] == [None] * 9
    agent.observe(_some_hand())
    assert agent.read is answers[9]


def test_opening_and_beliefs():
    game = leduc()
    agent = dbbr("leduc", DbbrOptions(T=100, k=50, expected="joint"))
    assert agent.playing is agent.equilibrium
    Match(game, (agent, AlwaysRaise()), 150).play(seed=1)
    assert agent.playing is not agent.equilibrium
    assert isinstance(agent.model, DeviationModel)
    assert max(leak.worth for seat in (0, 1) for leak in all_leaks([agent.model.seat(seat)])) > 50
    with pytest.raises(SoulreadError, match="was seen by nobody at the table"):
        agent.observe(replace(_some_hand(), observer=None))


def _some_hand():
    return seen_by(replay(leduc(), "rf", "KsQh"), 0, ("a", "b"))


def test_works_in_an_abstraction_of_limit():
    class SuitedLookup:
        """Two states before the flop, doubled on the flop and the river: by suits and ranks of the hole."""

        num_states = (2, 4, 4, 8)

        def state(self, hole, board):
            first, second, third = (int(card % 4 == 0) for card in (*hole, hole[0] // 4))
            return (first, 2 * first + second, 2 * first + second, 4 * first + 2 * second + third)[
                (0, 3, 4, 5).index(len(board))
            ]

        def fill(self, cards, seats, states):
            raise NotImplementedError

    game, behaviours = naive.played_limit()[0]
    game = replace(game, lookup=SuitedLookup())
    strategy = tabular(game, behaviours)
    agent = DeviationAgent("dbbr", game, strategy, DbbrOptions(T=30, k=10))
    Match(limit_holdem(), (agent, AlwaysCall()), 60).play(seed=1)
    assert agent.exploiting
    assert isinstance(agent.model, DeviationModel)
    assert agent.model.counts.num_hands(0) == 30


def test_response_is_a_best_response():
    game = compile_factored(leduc())
    rng = np.random.default_rng(1)
    tree = game.trees[0]
    opponent = uniform_behaviour(game.trees[1])
    some = rng.choice(game.trees[1].num_sets, 100, replace=False)
    for j in some:  # never raises, folds or calls there
        opponent[game.trees[1].sequences(j)] = np.eye(len(game.trees[1].legal_actions(j)))[0]
    plan = plan_from_behaviour(game.trees[1], opponent)
    gradient = game.payoff.gradient(0, plan)
    default = uniform_behaviour(tree)
    behaviour = response_behaviour(tree, gradient, default)
    value, _ = best_response(tree, gradient)
    assert np.dot(plan_from_behaviour(tree, behaviour), gradient) == pytest.approx(value)
    never = game.payoff.gradient(0, np.zeros_like(plan))
    assert_array_equal(response_behaviour(tree, never, default), default)


def test_texts():
    assert parse_agent("dbbr").options == DbbrOptions()
    assert parse_agent("dbbr:8-12-4-4:quick,T=10,method=l2,threshold=0.1").options == DbbrOptions(
        T=10, method="l2", threshold=0.1, cards=parse_buckets("8-12-4-4:quick")
    )
    assert str(parse_agent("dbbr:8-12-4-4:quick").options.cards) == "8-12-4-4:quick"
    agent = make_agent("dbbr:T=5,k=3,prior=2,range=model,window=50", leduc())
    assert isinstance(agent, DeviationAgent)
    assert agent.name == "dbbr:T=5,k=3,prior=2,range=model,window=50"
    assert agent.options == DbbrOptions(T=5, k=3, prior=2, range="model", window=50)
    assert isinstance(agent.model, DeviationModel)
    assert agent.model.counts.window == 50


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dbbr:t=5", "'t=5' in 'dbbr:t=5' is not an option; known are prior, method, range, pool, shown"),
        ("dbbr:T=x", "'T=x' in 'dbbr:T=x': expected a number"),
        ("dbbr:T=1,T=2", "'T' is given twice"),
        ("dbbr:T=-1", "T=-1; expected at least 0"),
        ("dbbr:k=0", "k=0; expected at least 1"),
        ("dbbr:prior=0", "prior=0.0; expected above 0 and below inf"),
        ("dbbr:method=l3", "method=l3; expected shift or l1 or l2"),
        ("dbbr:range=his", "range=his; expected equilibrium or model"),
        ("dbbr:pool=2", "pool=2; expected 0 or 1"),
        ("dbbr:threshold=nan", "threshold=nan"),
        ("dbbr:sigmas=-1", "sigmas=-1.0; expected at least 0"),
        ("dbbr:decay=2", "decay=2.0; expected above 0 and at most 1"),
        ("dbbr:window=-1", "window=-1; expected at least 0"),
        ("dbbr:8-12-4-4", "has a card abstraction, but 'leduc' needs none"),
        ("dbbr:opening=8-12-4-4", "has an opening over buckets, but 'leduc' needs none"),
        ("dbbr:opening=8-x", "'opening=8-x' in 'dbbr:opening=8-x': "),
    ],
)
def test_texts_that_are_refused(text, message):
    with pytest.raises(ParseError, match=message):
        make_agent(text, parse_game("leduc"))


class Valued(DeviationAgent):
    """Notes after every hand what it plays next is worth against the equilibrium, sb/h, exactly."""

    def __init__(self, *arguments) -> None:
        self.values: list[float] = []
        self._known: tuple[TabularStrategy | None, float] = (None, 0.0)
        super().__init__(*arguments)

    def observe(self, hand) -> None:
        super().observe(hand)
        if self._known[0] is not self.playing:
            self._known = self.playing, value_against(self.game, self.playing, self.equilibrium) / 2
        self.values.append(self._known[1])


def value_against(game, mine: TabularStrategy, theirs: TabularStrategy) -> float:
    """Chips per hand, the mean over the seats."""
    return sum(
        float(
            np.dot(
                plan_from_behaviour(game.trees[seat], mine.behaviours[seat]),
                game.payoff.gradient(
                    seat, plan_from_behaviour(game.trees[1 - seat], theirs.behaviours[1 - seat])
                ),
            )
        )
        / 2
        for seat in (0, 1)
    )


@pytest.mark.compiled
def test_threshold_loses_less_to_an_equilibrium():
    """Exact values of all that is played: luck decides when the threshold is passed, not what that costs."""
    game = leduc()
    compiled, equilibrium = compile_source("leduc"), equilibrium_of("leduc")
    losses: dict[float, list[float]] = {}
    for threshold in (-np.inf, 0.0, 0.1):
        for seed in range(4):
            agent = Valued("dbbr", compiled, equilibrium, DbbrOptions(T=100, k=50, threshold=threshold))
            Match(game, (agent, TabularAgent("equilibrium", equilibrium)), 500).play(seed)
            losses.setdefault(threshold, []).append(-float(np.mean(agent.values)))
            assert np.abs(agent.values[:99]).max() < 1e-9  # over both seats the game is fair
    plain, careful, stern = (np.mean(losses[threshold]) for threshold in (-np.inf, 0.0, 0.1))
    assert plain > 0.01
    assert careful < plain / 2
    assert stern <= careful + 1e-9
    assert min(loss for each in losses.values() for loss in each) > -1e-9


@pytest.mark.compiled
def test_threshold_still_exploits():
    """One who folds too much loses far more than luck: the threshold is passed, and most of it is won."""
    game = leduc()
    agents = [dbbr("leduc", DbbrOptions(T=100, k=50, threshold=threshold)) for threshold in (-np.inf, 0.1)]
    profits = [
        Match(game, (agent, make_agent("always-fold", game)), 400).play(1)[100:, 0] for agent in agents
    ]
    assert agents[1].exploiting
    assert profits[1].mean() > 0.9 * profits[0].mean()
