import itertools
import json

import known_values
import numpy as np
import pytest
from named import equilibrium_of

from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.games.named import parse_game
from soulread.play.match.matches import Match
from soulread.play.tabular import TabularAgent
from soulread.reproduce.experiments import run_experiment
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.means import share_of
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.tansey_2013 import exploiters as experiment
from soulread.reproduce.tansey_2013 import learner_matches, learners, matches, next_match
from soulread.respond.td_cfr import TdCfr
from soulread.seqform.strategy import plan_from_behaviour
from soulread.seqform.tabular import tabular
from soulread.solvers.exploitability import value
from soulread.streams import stream
from soulread.tasks import ResultStore, TaskResult


def test_setting():
    leduc = matches.setting()
    assert matches.game_value() == pytest.approx(known_values.LEDUC_VALUE)
    assert matches.best_gain(leduc.equilibrium) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "least", "mean", "most"), [("simple", 0.009, 0.121, 0.395), ("complex", 0.017, 0.120, 0.527)]
)
def test_populations_are_as_exploitable_as_the_docs_say(kind, least, mean, most):
    """The figures of docs/methods/opponents.md, and how far they are from the published ranges."""
    gains = [matches.best_gain(member) for member in matches.population(kind, 1)]
    assert len(gains) == 100
    assert (min(gains), np.mean(gains), max(gains)) == pytest.approx((least, mean, most), abs=6e-4)
    published_least, published_most = published("tansey2013")["exploitability"][kind]
    assert abs(min(gains) - published_least) < 0.02
    assert 0.9 * published_most < max(gains) < 1.7 * published_most  # the most of 100 is luck: .31 to .56


def test_populations_follow_the_seed():
    first, again, other = (matches.population("simple", seed)[3][1] for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def identities(pairs):
    return {id(pair) for pair in pairs}


def test_portfolios():
    equilibrium = matches.setting().equilibrium
    members = matches.population("simple", 1)
    holding = 0
    for match in range(400):
        paper = matches.portfolio("simple", "paper", 1, match)
        assert len(identities(paper)) == 5
        assert paper[0] is equilibrium
        holding += id(members[match % 100]) in identities(paper)
        fair = matches.portfolio("simple", "fair", 1, match)
        assert len(identities(fair)) == 5
        assert id(members[match % 100]) not in identities(fair)
        assert id(equilibrium) not in identities(matches.portfolio("equilibrium", "fair", 1, match))
        assert matches.portfolio("equilibrium", "paper", 1, match)[0] is equilibrium
    assert 4 < holding < 28  # 400 x 4 / 100 = 16 on average, give or take 3.9
    with pytest.raises(SoulreadError, match="a portfolio of 'best'; known are paper, fair"):
        matches.portfolio("simple", "best", 1, 0)


class Fixed:
    """A learner that learns nothing."""

    def __init__(self, behaviour):
        self.behaviour = behaviour
        self.seen = []

    def reset(self):
        self.seen.clear()

    def respond(self, seat, rng):
        return self.behaviour

    def learn(self, seen):
        self.seen.append(seen)


def test_values_are_exact_and_profits_agree_with_them():
    leduc = matches.setting()
    game = leduc.game
    villain = matches.population("complex", 1)[5]
    uniform = TdCfr(leduc.game).respond(0)
    learner = Fixed(uniform)
    values, best, profits = matches.play_match(learner, [villain] * 4001, stream(1, 2), stream(1, 3))
    plans = [
        plan_from_behaviour(tree, pair) for tree, pair in zip(game.trees, (uniform, villain[1]), strict=True)
    ]
    expected = value(game, *plans) - matches.game_value()
    assert values == pytest.approx(np.full(4001, expected))
    assert best == pytest.approx(np.full(4001, matches.best_gain(villain)))
    estimate = Estimate.of(profits)  # 4 standard errors: a false alarm in 16,000
    assert abs(estimate.mean - expected) < 4 * estimate.standard_error
    assert [seen.seat for seen in learner.seen] == [0] * 4000


def test_the_table_deals_as_an_ordinary_match():
    """The mean profit of a match with cards, and of the table, both lie around the exact value."""
    leduc = matches.setting()
    villain = matches.bent()[3]
    behaviours = equilibrium_of("leduc:iso").behaviours
    plans = [
        plan_from_behaviour(tree, pair)
        for tree, pair in zip(leduc.game.trees, (leduc.equilibrium[0], villain[1]), strict=True)
    ]
    expected = value(leduc.game, *plans)
    agents = (
        TabularAgent("hero", tabular(leduc.game, behaviours)),
        TabularAgent("villain", tabular(leduc.game, villain)),
    )
    match = Match(parse_game("leduc:iso"), agents, 6000).play(seed=2)[::2, 0]  # the hands of the first seat
    table = [
        leduc.table.play(0, leduc.equilibrium[0], villain[1], rng).profit
        for rng in [stream(2, 7)]
        for _ in range(6000)
    ]
    for samples in (match, np.array(table)):
        estimate = Estimate.of(samples)
        assert abs(estimate.mean - expected) < 4 * estimate.standard_error


def test_same_task_same_result():
    whole, part = (
        matches.match_task("implicit", "simple", "paper", 30, 3, first, count).run()
        for first, count in ((0, 4), (2, 2))
    )
    for name in ("values", "best", "profits"):
        assert np.array_equal(np.asarray(whole[name])[2:], part[name])
    assert np.shape(whole["values"]) == (4, 31)
    assert np.shape(whole["profits"]) == (4, 30)
    assert np.all(whole["values"] <= whole["best"] + 1e-9)


@pytest.mark.parametrize("name", learners.LEARNERS)
def test_every_learner_stays_below_the_best_response(name):
    played = matches.play(name, "complex", "fair", 12, 1, 0, 2, "")
    assert np.all(played["values"] <= played["best"] + 1e-9)
    assert np.all(np.isfinite(played["values"]))


@pytest.mark.parametrize("course", matches.COURSES)
def test_changing_opponents(course):
    villain = matches.changing(course, 1, 5, 201)
    assert len(villain) == 201
    assert villain[0][1] == pytest.approx(matches.bent()[1][1])
    changes = [hand + 1 for hand, (a, b) in enumerate(itertools.pairwise(villain)) if a is not b]
    if course == "switching":
        assert changes == [100, 200]
    elif course == "drifting":
        assert changes == list(range(1, 201))
    else:
        assert 0 < len(changes) < 9  # 2 on average; a false alarm in 3,000 seeds
    with pytest.raises(SoulreadError, match="a course of 'straight'; known are switching, random, drifting"):
        matches.changing("straight", 1, 0, 5)


def test_changing_opponents_take_all_pairs_in_turn():
    courses = [matches.changing("switching", 1, match, 101) for match in range(12)]
    assert len({(id(course[0]), id(course[100])) for course in courses}) == 12


def test_subpolicies_never_cost():
    gains = matches.subpolicy_gains("simple", 20, 1)["gains"]
    assert np.min(gains) >= 0
    assert np.max(gains) > 0.005


def test_unknown_names():
    with pytest.raises(SoulreadError, match="'oracle' is not a learner; known are"):
        learners.new_learner("oracle", matches.setting(), [], 0)
    with pytest.raises(SoulreadError, match="a population of 'odd' opponents; known are simple, complex"):
        matches.population("odd", 1)


def test_published_numbers():
    assert experiment.printed("implicit", "simple", 200) == 0.03
    assert experiment.printed("explicit", "equilibrium", 200) == -0.1
    assert experiment.printed("learner", "simple", 200) is None
    assert experiment.printed("implicit", "simple", 7) is None
    for kind in matches.OPPONENTS:
        assert set(published("tansey2013")[kind]) <= set(learner_matches.PAPER)


def test_share_is_a_ratio_of_means():
    rng = np.random.default_rng(1)
    best = rng.uniform(0.1, 0.5, 50)
    share = share_of(best * 0.4, best)
    assert share is not None
    assert share.mean == pytest.approx(0.4)
    assert share.half_width == pytest.approx(0, abs=1e-12)
    noisy = share_of(best * 0.4 + rng.normal(0, 0.1, 50), best)
    assert noisy is not None
    assert noisy.half_width > 0.01


GAINS = {
    "implicit": (0.10, 0.0),
    "implicit subpolicy": (0.095, 0.05),
    "policy bootstrapping": (0.09, -0.05),
    "subpolicy bootstrapping": (0.05, 0.0),
    "explicit": (0.0, 0.1),
    "TD-CFR": (-0.7, -0.1),
    "learner": (0.2, -0.3),
}
"""By learner: expected gains that make every claim hold, and such that make every claim fail."""


def made_up(task, scenario):
    """A result in which the luck of a match, much larger than most differences, is the same for all."""
    about = task.parameters
    if task.function is next_match.play_again:
        shape = about["count"], len(next_match.WAYS), len(next_match.reads_of(about["hands"]))
        again = np.array([0.01, *[(0.03, -0.01)[scenario]] * 3])[:, None]
        luck = np.random.default_rng(about["first"]).normal(0, 0.001, (*shape[:2], 1))
        return TaskResult(task, {"again": np.broadcast_to(again + luck, shape)}, 0.0)
    if "learner" not in about:
        return TaskResult(task, {"gains": np.full(about["samples"], (0.001, 0.05)[scenario])}, 0.0)
    name = about["learner"]
    still = {discounted: plain for plain, discounted in learner_matches.CHANGING.items()}
    gain = GAINS.get(name.removesuffix(", mean").removesuffix(", mild tilts"), (0.0, 0.0))[scenario]
    if name in still:
        gain = GAINS[still[name].removesuffix(", mean")][scenario] + (0.03, -0.03)[scenario]
    if about["which"] == "fair" and name in learner_matches.PORTFOLIO_LEARNERS:
        gain -= 0.3
    luck = 0.1 * (-1.0) ** np.arange(about["first"], about["first"] + about["count"])
    noise = np.random.default_rng(len(name)).normal(0, 0.001, (about["count"], about["hands"] + 1))
    values = gain + luck[:, None] + noise
    return TaskResult(task, {"values": values, "best": values + 1, "profits": values[:, 1:]}, 0.0)


@pytest.mark.parametrize("scenario", [0, 1])
def test_claims_compare_the_learners_they_name_match_by_match(scenario):
    setup = learner_matches.LearnerSetup.of(RunOptions(quick=True))
    later = experiment.second_matches(setup)
    tasks = learner_matches.LearnerMatches(setup, later=later).tasks
    found = learner_matches.LearnerMatches(setup, [made_up(task, scenario) for task in tasks], later)
    claims = experiment.claims_of(found)
    assert len(claims) == 17
    expected = (Verdict.HOLDS, Verdict.FAILS)[scenario]
    assert [claim.text for claim in claims if claim.verdict is not expected] == []


def test_what_joins_a_portfolio():
    assert next_match.joining("small", 7) == []
    assert next_match.joining("own", 7) == [7]
    assert next_match.joining("others", 97) == [98, 99, 0, 1]
    assert next_match.joining("all", 97) == [97, 98, 99, 0, 1]
    first = next_match.first_portfolio("simple", 1, 5)
    members = matches.population("simple", 1)
    assert [id(member) for member in first[:1]] == [id(matches.setting().equilibrium)]
    assert len(first) == 3
    assert id(members[5]) not in [id(member) for member in first]


def test_a_model_is_learnt_of_the_opponent_and_leads_to_answers_against_it():
    """The learned model is nearer to its opponent than the equilibrium is, by what an answer to it wins."""
    leduc = matches.setting()
    more = []
    for match in range(4):
        model = next_match.learnt("simple", 200, 1, match)
        assert model[0] is leduc.equilibrium[0]
        tree = leduc.game.trees[1]
        villain = plan_from_behaviour(tree, matches.opponent("simple", 1, match)[1])
        answer = leduc.responder.respond(0, plan_from_behaviour(tree, model[1]))
        more.append(leduc.responder.value(0, answer, villain) - matches.game_value())
    assert np.max(more) > 0.01


def test_second_matches_meet_the_same_cards_with_every_portfolio():
    whole, part = (
        np.asarray(next_match.next_task("simple", 50, 3, first, count).run()["again"])
        for first, count in ((0, 3), (2, 1))
    )
    assert whole.shape == (3, 4, 2)
    assert np.array_equal(whole[2:], part)
    assert next_match.reads_of(50) == (0, 50)
    setup = learner_matches.LearnerSetup.of(RunOptions(quick=True, matches=3, hands=50, seed=3))
    later = experiment.second_matches(setup)
    found = learner_matches.LearnerMatches(setup, later=later)
    tasks = later[next_match.next_place("simple", 50)]
    counts = [task.parameters["count"] for task in tasks]
    assert sum(count for count in counts if isinstance(count, int)) == 15
    task = tasks[0]
    found.results[task.key] = TaskResult(task, {"again": whole}, 0.0)
    again = next_match.NextMatches(found)
    more = again.more("simple", "own", 50)
    assert more == Estimate.of(whole[:, 1, 1] - whole[:, 0, 1])
    assert again.gain("complex", "own", 50) is None
    (table,) = next_match.next_tables(again)
    assert [measure.row for measure in table.measures[::2]] == [f"simple, {way}" for way in next_match.WAYS]


def test_matches_with_the_same_opponent_are_one_sample():
    first, again = np.random.default_rng(1).normal(size=(2, 100))
    both = learner_matches.over_opponents("simple", np.concatenate([first, again]))
    assert both == Estimate.of((first + again) / 2)
    cut = learner_matches.over_opponents("complex", np.concatenate([first, again[:20]]))
    assert cut == Estimate.of(np.concatenate([(first + again)[:20] / 2, first[20:]]))
    assert learner_matches.over_opponents("simple", first) == Estimate.of(first)
    assert learner_matches.over_opponents("equilibrium", np.concatenate([first, again])).n == 200


def test_what_comes_after_a_missing_block_is_left_out():
    setup = learner_matches.LearnerSetup.of(RunOptions(quick=True, matches=40))
    every = learner_matches.LearnerMatches(setup).tasks
    tasks = [task for task in every if task.parameters.get("learner") == "implicit"]
    kept = [made_up(task, 0) for task in tasks if task.parameters["first"] != 20]
    found = learner_matches.LearnerMatches(setup, kept)
    assert set(found.finished[found.place("implicit", "simple")]) == {0, 1, 3}
    values = found.every_value("implicit", "simple")
    assert values is not None
    assert values.shape == (20, setup.hands + 1)


def test_a_report_on_nothing(tmp_path):
    report = run_experiment(
        "leduc-exploiters", RunOptions(store=ResultStore(tmp_path / "store"), stored_only=True)
    )
    assert {claim.verdict for claim in report.claims} == {Verdict.UNDECIDED}
    assert not report.figures
    assert all(
        measure.ours is None or measure.row in ("best response", "equilibrium", "simple", "complex")
        for table in report.tables
        for measure in table.measures
    )
    report.write(tmp_path)


@pytest.mark.compiled
def test_the_experiment_end_to_end(tmp_path):
    options = RunOptions(quick=True, matches=2, hands=8, store=ResultStore(tmp_path / "store"))
    report = run_experiment("leduc-exploiters", options)
    again = run_experiment(
        "leduc-exploiters", RunOptions(quick=True, matches=2, hands=8, store=options.store, stored_only=True)
    )
    assert plain_data(report) == plain_data(again)
    assert len({claim.text for claim in report.claims}) == len(report.claims) == 13
    poor = next(claim for claim in report.claims if "TD-CFR" in claim.text)
    assert poor.verdict is not Verdict.FAILS  # it loses more than .5 from the first hand on
    assert "not played" not in " ".join(claim.evidence for claim in report.claims)
    written = json.loads(json.dumps(plain_data(report), allow_nan=False))
    rows = {measure["row"] for measure in written["tables"][0]["measures"]}
    assert {*learner_matches.ROWS, "best response", "equilibrium"} == rows
    against_equilibrium = report.tables[2]
    means = [m.mean for m in against_equilibrium.measures if not m.column.endswith("won")]
    assert all(mean is not None and mean <= 1e-9 for mean in means)
