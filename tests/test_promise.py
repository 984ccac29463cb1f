"""Promise against result: what agents expect, what their models foresee, and how it is told."""

import json
import math
from pathlib import Path

import known_values as known
import numpy as np
import pytest
from click.testing import CliRunner, Result
from named import compile_source, equilibrium_of, make_agent, make_kind, play_named

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Sampling, Unit
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.hands.record import stakes_of
from soulread.model.bayes.mixture import Fixed
from soulread.model.tabular import TabularModel
from soulread.play.agent import Agent, Expectation
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.dbbr import DeviationAgent
from soulread.play.exploiters.exploiter import Exploiter
from soulread.play.exploiters.learners import LearnerAgent
from soulread.play.exploiters.safe_agents import SafeAgent
from soulread.play.match import matches as match_module
from soulread.play.match.aivat import aivat_for
from soulread.play.match.judges import ByAivat
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match, MatchResult, Profits
from soulread.play.match.promise import FLOOR, Diary, expectation_of, foresee
from soulread.play.opponents.baselines import Random
from soulread.play.tabular import TabularAgent
from soulread.respond.bounded import BoundedLearner
from soulread.respond.counter import pair_of
from soulread.seqform.strategy import Behaviour, random_behaviour
from soulread.seqform.tabular import tabular
from soulread.solvers.equilibria import find_response
from soulread.study.duels.promise import PARTS, explain


def played_hands(game: PokerGame, count: int) -> list[LiveHand]:
    hands: list[LiveHand] = []
    Match(game, (Random(), Random()), count).play(seed=5, record=hands.append)
    return hands


def slowly(model: TabularModel, hand: LiveHand, seat: int) -> tuple[int, float, bool, float]:
    """`foresee`, asked of the model view by view."""
    state = hand.game.start()
    cards, decisions, loss = list(hand.end.cards), 0, 0.0

    def dealt(state):
        while state.cards_due:
            state = state.deal(cards[len(state.cards) : len(state.cards) + state.cards_due])
        return state

    state = dealt(state)
    for actor, action in hand.end.actions:
        if actor != seat:
            chances = model.probabilities(state.view(seat), actor)
            loss -= math.log((1 - FLOOR) * chances[action] + FLOOR / len(chances))
            decisions += 1
        state = dealt(state.apply(action))
    if hand.seen_by(seat).hole[1 - seat] is None:
        return decisions, loss, False, 0.0
    view = hand.end.view(seat)
    weights = model.holdings(view, 1 - seat)
    shown = view.game.holdings.index(tuple(sorted(hand.end.hole(1 - seat))))
    possible = sum(not {*cards} & {*view.hole, *view.board} for cards in view.game.holdings)
    return decisions, loss, True, -math.log((1 - FLOOR) * weights[shown] + FLOOR / possible)


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc:iso"])
def test_what_a_model_foresees_is_what_it_answers(name):
    """All holdings at once give the answers of the model, view by view; both seats, shown cards or not."""
    game = compile_source(name)
    rng = np.random.default_rng(2)
    first, second = (random_behaviour(tree, rng) for tree in game.trees)
    never = tuple(
        np.where(behaviour > 0.4, behaviour, 0.0) for behaviour in (first, second)
    )  # often impossible
    strategies = [
        (first, second),
        (Behaviour(never[0]), Behaviour(never[1])),
        equilibrium_of(name).behaviours,
    ]
    shows = 0
    for hand in played_hands(parse_game(name), 40):
        for seat in (0, 1):
            found = foresee(hand, seat, [tabular(game, pair) for pair in strategies])
            for pair, seen in zip(strategies, found, strict=True):
                decisions, actions, shown, cards = slowly(Fixed(game, pair), hand, seat)
                assert (seen.decisions, seen.shown) == (decisions, shown)
                assert seen.actions == pytest.approx(actions, abs=1e-9)
                assert seen.cards == pytest.approx(cards, abs=1e-9)
                shows += shown
    assert shows > 20


def test_log_loss_of_a_known_hand():
    """Kuhn: we hold the queen, the other one bets; an opponent who bets every king and no jack."""
    game = compile_source("kuhn")
    tree = game.trees[0]
    behaviour = np.full(tree.num_sequences, 0.5)
    behaviour[0] = 1
    behaviour[tree.sequences(tree.index("Ks||"))] = [0, 1]
    behaviour[tree.sequences(tree.index("Js||"))] = [1, 0]
    strategy = tabular(game, (Behaviour(behaviour), Behaviour(np.ones(game.trees[1].num_sequences))))
    jack, queen, king = kuhn().rules.deck
    hand = LiveHand(kuhn(), ("a", "b"), [king, queen])
    hand.act(2)
    hand.act(1)
    (seen,) = foresee(hand, 1, [strategy])
    assert seen.decisions == 1
    assert seen.actions == pytest.approx(-math.log(0.99 * 0.5 + 0.005))  # the king in half of all deals
    assert seen.cards == pytest.approx(-math.log(0.99 + 0.005))  # and then it is known to be the king
    hand = LiveHand(kuhn(), ("a", "b"), [jack, queen])
    hand.act(2)
    hand.act(0)
    (seen,) = foresee(hand, 1, [strategy])
    assert (seen.shown, seen.cards) == (False, 0.0)  # a fold shows nothing


class Promising(TabularAgent):
    """Knows its opponent and says so, whatever seat it has."""

    expectations: dict[int, Expectation]

    def expectation(self, seat: int) -> Expectation | None:
        return self.expectations[seat]

    def observe(self, hand: Hand) -> None:
        """It has nothing to learn, but its matches count as those of a learner."""


def promising(name: str, opponent: str) -> tuple[Promising, TabularAgent, float]:
    """A best response that knows whom it answers, that opponent, and what the response wins exactly."""
    game, poker = compile_source(name), parse_game(name)
    other = make_kind(TabularAgent, opponent, poker)
    behaviours = other.strategy.behaviours
    equilibrium = equilibrium_of(name)
    answer = find_response(game, behaviours, equilibrium.behaviours)
    value = pair_of(game, equilibrium.behaviours).seats[0].value_against(equilibrium.behaviours[1])
    expected = pair_of(game, answer.behaviours).exploitation(behaviours)
    agent = Promising("knows", answer)
    expectation = Expectation(expected, other.strategy, equilibrium, value)
    object.__setattr__(agent, "expectations", {0: expectation, 1: expectation})
    return agent, other, expected


def played(agent, other, hands, *, less_luck=False, duplicate=True) -> MatchResult:
    """One match of two agents that were made already, with notes, as `play_matches` plays it."""
    game = leduc(suit_isomorphic=True)
    match = Match(game, (agent, other), hands, duplicate)
    judge = ByAivat(aivat_for(game)) if less_luck else None
    found = match_module.play_with_notes(match, 1, 0, None, None, judge, True)
    profits: Profits = found.profits[None]
    return MatchResult(
        game=game.name,
        stakes=stakes_of(game),
        agents=match.labels,
        hands=hands,
        matches=1,
        duplicate=duplicate,
        seed=1,
        profits=profits,
        learning=True,
        less_luck=None if found.less_luck is None else found.less_luck[None],
        notes=tuple(map(match_module._stacked, [(notes,) for notes in found.notes])),
    )


@pytest.mark.compiled
def test_who_knows_the_opponent_keeps_the_promise():
    """A true belief promises what is won, and foresees more than the equilibrium does."""
    agent, other, expected = promising("leduc:iso", "loose:0.8")
    result = played(agent, other, 500, less_luck=True)
    (study,) = explain(result)
    assert study.whole.promised == pytest.approx(expected * 500)  # a small bet has two chips
    assert expected * 500 > 100
    # Five standard errors of the mean: a false alarm in a million.
    assert abs(study.kept.mean) < 5 * study.kept.standard_error < expected * 500 / 2
    assert study.promising == 1
    assert study.kept_when_promised is not None
    assert study.kept_when_promised.mean == pytest.approx(study.kept.mean)
    assert study.actions is not None
    assert study.cards is not None
    assert study.actions.difference.interval[1] < 0
    assert study.actions.difference.mean == pytest.approx(
        study.actions.model.mean - study.actions.equilibrium.mean
    )
    assert study.whole.less_luck is not None
    assert study.whole.less_luck.half_width < study.whole.won.half_width
    assert study.whole.best is study.whole.less_luck


@pytest.mark.compiled
def test_a_false_promise_is_told():
    """An answer to a player who is not there breaks its promise, and the equilibrium foresees more."""
    agent, _, expected = promising("leduc:iso", "loose:0.8")
    other = make_kind(TabularAgent, "tight:0.3", leduc(suit_isomorphic=True))
    result = played(agent, other, 300, less_luck=True)
    (study,) = explain(result)
    assert study.kept.interval[1] < 0
    assert study.whole.promised == pytest.approx(expected * 500)
    assert study.actions is not None
    assert study.actions.difference.interval[0] > 0


def test_the_value_of_the_seat_is_taken_off():
    """Without a duplicate, the first seat's value, -1/18 in Kuhn, is added to what is won there."""
    game, equilibrium = compile_source("kuhn"), equilibrium_of("kuhn")
    value = pair_of(game, equilibrium.behaviours).seats[0].value_against(equilibrium.behaviours[1])
    assert value == pytest.approx(-1 / 18)
    diary = Diary()
    expectation = Expectation(0.25, equilibrium, equilibrium, value)
    for number, hand in enumerate(played_hands(kuhn(), 4)):
        diary.note(hand, number % 2, expectation)
    once, twice = diary.notes(1), diary.notes(2)
    assert once.value.tolist() == pytest.approx([-1 / 18, 1 / 18, -1 / 18, 1 / 18])
    assert once.expected.tolist() == [0.25] * 4
    assert np.isnan(once.gain).all()
    assert twice.expected.tolist() == [0.25] * 2
    assert twice.decisions.tolist() == [
        once.decisions[0] + once.decisions[2],
        once.decisions[1] + once.decisions[3],
    ]
    assert np.array_equal(once.loss, once.loss_equilibrium)


def test_ratio_of_sums():
    rng = np.random.default_rng(3)
    amounts, counts = rng.random((5, 40)), np.ones((5, 40))
    for sampling in (Sampling(5, 40, True), Sampling(5, 40, False)):
        mean, ratio = sampling.estimate(amounts), sampling.ratio(amounts, counts)
        assert ratio.mean == pytest.approx(mean.mean)
        assert ratio.standard_error == pytest.approx(mean.standard_error)
        assert ratio.n == mean.n
    one = Sampling(1, 40, True)
    assert one.ratio(amounts[:1], counts[:1]).standard_error == pytest.approx(
        one.estimate(amounts[:1]).standard_error
    )
    uneven = Sampling(3, 1, True).ratio(np.array([[1.0], [2.0], [6.0]]), np.array([[1.0], [2.0], [3.0]]))
    assert uneven.mean == 1.5  # residuals -.5, -1, 1.5
    assert uneven.standard_error == pytest.approx(math.sqrt(1.5 * 3.5) / 6)
    with pytest.raises(SoulreadError, match="a ratio of nothing counted"):
        one.ratio(amounts[:1], 0 * counts[:1])
    with pytest.raises(SoulreadError, match="expected"):
        one.ratio(amounts, counts)


def expectation(agent: Agent, seat: int) -> Expectation:
    found = expectation_of(agent, seat)
    assert found is not None
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("text", ["dbbr:T=50,k=50", "dbr:T=50,k=50"])
def test_the_expectation_of_an_exploiter_is_its_read(text):
    game = leduc(suit_isomorphic=True)
    agent, other = make_kind(Exploiter, text, game), make_agent("loose:0.8", game)
    Match(game, (agent, other), 40).play(seed=1)
    early = expectation(agent, 0)
    assert early.expected == 0
    assert early.believed is early.equilibrium is agent.equilibrium
    assert early.game_value == pytest.approx(known.LEDUC_VALUE, abs=1e-6)
    Match(game, (agent, other), 120).play(seed=1)
    late = expectation(agent, 1)
    assert late.expected == pytest.approx(agent.belief().expected)
    assert late.expected > 0
    assert agent.read is not None
    assert late.believed.behaviours is agent.read.believed
    assert expectation(agent, 0) is late  # nothing is computed twice


@pytest.mark.compiled
def test_expectations_of_others_are_what_they_believe():
    game = leduc(suit_isomorphic=True)
    other = make_agent("loose:0.8", game)
    safe = make_kind(SafeAgent, "rwywe:every=20", game)
    Match(game, (safe, other), 60).play(seed=1)
    assert expectation(safe, safe._last_seat).expected == pytest.approx(safe.belief().expected)
    assert [expectation(safe, seat).game_value for seat in (0, 1)] == pytest.approx(
        [known.LEDUC_VALUE] * 2, abs=1e-6
    )
    learner = make_kind(LearnerAgent, "learner:particles=20", game)
    Match(game, (learner, other), 60).play(seed=1)
    both = [expectation(learner, seat).expected for seat in (0, 1)]
    assert np.mean(both) == pytest.approx(learner.belief().expected)
    assert isinstance(learner.learner, BoundedLearner)
    believed = learner.learner.model.strategies
    assert all(map(np.allclose, expectation(learner, 0).believed.behaviours, believed))
    bandit = make_agent("implicit:portfolio=equilibrium+always-call,act=exp4", game)
    assert expectation_of(bandit, 0) is None


def test_thresholds_end_a_promise():
    """DBBR that stops exploiting promises nothing, at once."""
    agent = make_kind(DeviationAgent, "dbbr:T=20,k=20,threshold=0", kuhn())
    Match(kuhn(), (agent, make_agent("always-call", kuhn())), 60).play(seed=2)
    agent._won = 1e4
    assert agent.exploiting
    assert expectation(agent, 0).expected > 0
    agent._won = -1e4
    assert expectation(agent, 0).expected == 0


def test_notes_of_several_matches():
    """They are those of each match, as a process of its own would take them; to take them changes nothing."""
    agents = "dbbr:T=20,k=20", "loose"
    result = play_named("kuhn", agents, 60, matches=2, seed=4, explain=True)
    notes = result.notes[0]
    assert notes is not None
    assert result.notes[1] is None
    for number in (0, 1):
        alone = match_module._play_one(
            kuhn(), list(map(parse_agent, agents)), 60, False, 4, number, False, True
        )
        assert alone.notes[0] is not None
        assert np.array_equal(notes.loss[number], alone.notes[0].loss)
        assert np.array_equal(notes.expected[number], alone.notes[0].expected)
    assert [study.agent for study in explain(result)] == [agents[0]]
    silent = play_named("kuhn", agents, 60, matches=2, seed=4)
    assert np.array_equal(silent.profits, result.profits)
    with pytest.raises(SoulreadError, match="no notes were taken"):
        explain(silent)


def test_parts_cover_the_match():
    result = play_named("kuhn", ("dbbr:T=20,k=20", "always-call"), 57, duplicate=True, explain=True)
    (study,) = explain(result)
    assert study.parts[0].first == 1
    assert study.parts[-1].last == 57
    assert len(study.parts) == PARTS
    assert all(a.last + 1 == b.first for a, b in zip(study.parts, study.parts[1:], strict=False))
    sizes = [part.last - part.first + 1 for part in study.parts]
    whole = sum(size * part.won.mean for size, part in zip(sizes, study.parts, strict=True)) / 57
    assert whole == pytest.approx(study.whole.won.mean)
    assert study.whole.won.mean == pytest.approx(result.estimate(0, Unit.MILLIBETS).mean)  # values cancel
    assert study.parts[0].promised == 0
    assert study.parts[-1].promised > 0
    assert study.promising == pytest.approx(37 / 57)
    late = play_named("kuhn", ("dbbr:T=200", "always-call"), 5, explain=True)
    assert explain(late)[0].kept_when_promised is None
    assert len(explain(late)[0].parts) == 5
    assert isinstance(explain(late)[0].kept, Estimate)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="soulread")


def test_the_command_prints_promises(tmp_path: Path):
    asked = ["duel", "kuhn", "dbbr:T=20,k=20", "always-call", "-n", "60", "-d", "--explain"]
    text = " ".join(run(*asked, "--aivat").output.split())
    for words in (
        "promised and won beyond the game's value, mb/g",
        "luck taken off",
        "promised something in 67% of the hands",
        "the opponent's action",
        "the cards shown",
        "than promised: the promise",
    ):
        assert words in text
    drawn = tmp_path / "promise.svg"
    record = json.loads(run(*asked, "--json", "--figure", str(drawn)).stdout)
    assert drawn.read_text().lstrip().startswith("<?xml")
    (told,) = record["explained"]
    assert told["agent"] == "dbbr:T=20,k=20"
    assert told["aivat"] is None
    assert len(told["parts"]) == PARTS
    assert told["actions"]["difference"]["n"] == 20
    plain = json.loads(run("duel", "kuhn", "random", "random", "-n", "5", "--json").stdout)
    assert plain["explained"] == []
    silent = run("duel", "kuhn", "dbbr:T=90", "always-call", "-n", "10", "--explain").output
    assert "There was no promise to keep." in " ".join(silent.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("kuhn", "random", "loose", "--explain"), "neither 'random' nor 'loose' answers a model"),
        (("ring-limit:3", "random", "random", "random", "--explain"), "in games of 2, not of 3"),
        (("kuhn", "random", "random", "--figure", "a.svg"), "add --explain"),
        (("kuhn", "dbbr", "random", "--explain", "--figure", "a.gif"), "is no name for a figure"),
    ],
)
def test_what_cannot_be_explained(arguments, message):
    result = run("duel", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_strategy_is_asked_with_its_own_look_up():
    """Beliefs over cards and over ranks in one call are each asked by their own private states."""
    suited, ranks = equilibrium_of("leduc"), equilibrium_of("leduc:iso")
    for hand in played_hands(leduc(), 10):
        together = foresee(hand, 0, (suited, ranks))
        assert together == (*foresee(hand, 0, (suited,)), *foresee(hand, 0, (ranks,)))
