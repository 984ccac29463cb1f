"""Populations on many bases: the oracle, the matches, and verdicts that follow from the numbers alone."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from soulread.errors import SoulreadError
from soulread.model.bayes.evidence import likelihood
from soulread.model.bayes.portfolio import PortfolioModel
from soulread.model.bayes.tilts import TiltModel
from soulread.play.exploiters.learners import DEFAULT_BASE, game_value, read_bases
from soulread.reproduce.experiments import run_experiment
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.means import share_of
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.tansey_2013 import bases as experiment
from soulread.reproduce.tansey_2013 import populations
from soulread.reproduce.tansey_2013.matches import setting
from soulread.respond.learning import ModelLearner
from soulread.seqform.strategy import Plan, plan_from_behaviour
from soulread.solvers.exploitability import exploitability
from soulread.streams import stream
from soulread.tasks import ResultStore, TaskResult, in_turn

LEDUC = setting()


def plan_of(pair, seat):
    return plan_from_behaviour(LEDUC.game.trees[seat], pair[seat])


def test_choosing_and_reporting_share_nothing():
    """Neither bases nor seeds; and no population's base is among those the learner begins with."""
    chosen, reported = populations.CHOOSING, populations.REPORTING
    assert not {*chosen.bases, *chosen.equilibria} & {*reported.bases, *reported.equilibria}
    assert chosen.seed != reported.seed
    assert not {*reported.bases, *chosen.bases} & set(read_bases(DEFAULT_BASE))
    assert len(set(reported.equilibria) - set(read_bases(DEFAULT_BASE))) >= 6


def test_populations_are_bent_from_their_own_base():
    """Members of one kind, seed and base; another base gives others, though an equilibrium is no member."""
    one, other = (populations.population("simple", base, 3) for base in ("lp:1", "lp:2"))
    assert len(one) == 100
    assert populations.population("simple", "lp:1", 3) is one
    assert not np.allclose(one[0][1], other[0][1])
    base = populations.base_of("lp:1")
    assert exploitability(LEDUC.game, (plan_of(base, 0), plan_of(base, 1))) < 1e-8
    for member in one[:5]:
        assert np.all(member[1][base[1] == 0] == 0)  # an action that the base never takes stays at zero
        assert not np.allclose(member[1], base[1])
    refined = populations.base_of("tremble:0.0001")
    assert min(behaviour.min() for behaviour in refined) == pytest.approx(1e-4, rel=1e-3)
    with pytest.raises(SoulreadError, match="'odd' opponents"):
        populations.population("odd", "lp", 1)


def test_the_oracle_answers_the_exact_posterior():
    """Its beliefs are the product of the likelihoods of all hands, by hand; then a best response."""
    members = populations.population("complex", "lp:1", 3)[:7]
    learner, villain = populations.oracle(members), members[4]
    cards, own = stream(1), stream(2)
    log = np.zeros(7)
    for _ in range(80):
        seen = LEDUC.table.play(0, learner.respond(0, own), villain[1], cards)
        log += [np.log(likelihood(seen.evidence, plan_of(member, 1))) for member in members]
        learner.learn(seen)
    weights = np.exp(log - log.max()) / np.exp(log - log.max()).sum()
    assert isinstance(learner, ModelLearner)
    assert isinstance(learner.model, PortfolioModel)
    assert_allclose(learner.model.weights, weights, rtol=1e-9)
    assert 0.02 < weights.max() < 0.98  # there is something to weigh
    mean = Plan(weights @ np.array([plan_of(member, 1) for member in members]))
    value = LEDUC.responder.value(0, learner.respond(0, own), mean)
    assert value == pytest.approx(LEDUC.responder.best_value(0, mean), abs=1e-9)
    with pytest.raises(SoulreadError, match="an oracle knows the members of a population"):
        populations.new_learner("oracle", "equilibrium", "lp", 1, 0)


@pytest.mark.parametrize(
    ("kind", "base", "seats"),
    [("simple", "lp:1", (0,)), ("equilibrium", "lp:1", (0, 1)), ("agent", "loose:0.5", (0, 1))],
)
def test_matches_are_valued_beyond_the_value_of_the_game(kind, base, seats):
    """An equilibrium, as an agent at the table, against anybody: worth at least nothing, and it is exact."""
    result = populations.play("equilibrium", kind, base, 10, 5, 2, 2)
    values, best = np.asarray(result["values"]), np.asarray(result["best"])
    assert values.shape == (2, 3)
    value = game_value(LEDUC)
    for match in (2, 3):
        villain = populations.opponent(kind, base, 5, match)
        gains = [
            LEDUC.responder.value(seat, LEDUC.equilibrium[seat], plan_of(villain, 1 - seat))
            - (value if seat == 0 else -value)
            for seat in seats
        ]
        assert values[match - 2] == pytest.approx(np.full(3, np.mean(gains)), abs=1e-12)
        assert best[match - 2] >= np.mean(gains) - 1e-12
    assert np.all(values > -1e-9)
    assert populations.reads(200) == (0, 1, 10, 50, 200)
    with pytest.raises(SoulreadError, match="of kind 'nobody'"):
        populations.opponent("nobody", base, 1, 0)


def test_our_learner_draws_anew_in_every_match():
    name = "learner:base=lp/lp:1,particles=30"
    first, second, third = (
        tilts_of(populations.new_learner(text, "simple", "lp:2", 1, match))
        for text, match in ((name, 0), (name, 1), (name + ",seed=5", 0))
    )
    assert not np.array_equal(first._first_factors, second._first_factors)
    assert third.seed == 5


def tilts_of(learner) -> TiltModel:
    """The tilted equilibria that our learner believes in."""
    assert isinstance(learner.model.inner, TiltModel)
    return learner.model.inner


def scenario(setup, ours: float, lost: float) -> list[TaskResult]:
    """Made-up results: the oracle gains as much as the best response, ours a share of it, give or take."""
    results = []
    for task in in_turn(list(setup.cells().values())):
        about = task.parameters
        count = int(str(about["count"]))
        rng = stream(9, str(about["learner"]), str(about["base"]), int(str(about["first"])))
        best = 0.1 + 0.02 * stream(8, str(about["base"]), int(str(about["first"]))).random(count)
        part = {"oracle": 1.0, "learner": ours}.get(str(about["learner"]), 0.5)
        values = np.outer(best * part, np.ones(len(populations.reads(setup.hands))))
        if about["kind"] == "equilibrium":
            values, best = np.full_like(values, -lost), np.zeros(count)
        values = values + 1e-4 * rng.standard_normal(values.shape)
        results.append(TaskResult(task, {"values": values, "best": best}, 1.0))
    return results


@pytest.mark.parametrize(
    ("ours", "lost", "verdicts"),
    [
        (0.95, 0.005, [Verdict.HOLDS, Verdict.HOLDS, Verdict.HOLDS]),
        (0.85, 0.005, [Verdict.HOLDS, Verdict.FAILS, Verdict.HOLDS]),
        (0.7, 0.02, [Verdict.FAILS, Verdict.FAILS, Verdict.FAILS]),
        (0.8, 0.01, [Verdict.UNDECIDED, Verdict.FAILS, Verdict.UNDECIDED]),
    ],
)
def test_verdicts_follow_from_the_numbers(ours, lost, verdicts):
    setup = experiment.BasesSetup.of(RunOptions(matches=20))
    found = experiment.BasesMatches(setup, scenario(setup, ours, lost))
    assert [claim.verdict for claim in experiment.claims_of(found)] == verdicts


def test_one_bad_equilibrium_is_enough_to_fail():
    setup = experiment.BasesSetup.of(RunOptions(matches=20))
    results = scenario(setup, 0.95, 0.001)
    bad = [
        TaskResult(r.task, {"values": r["values"] - 0.03, "best": r["best"]}, 1.0)
        if (r.task.parameters["learner"], r.task.parameters["base"]) == ("learner", "lp:203")
        else r
        for r in results
    ]
    claim = experiment.claims_of(experiment.BasesMatches(setup, bad))[-1]
    assert claim.verdict is Verdict.FAILS
    assert "lp:203" in claim.evidence


def test_shares_are_ratios_of_means():
    part = share_of(np.array([1.0, 2.0, 6.0]), np.array([2.0, 4.0, 6.0]))
    assert part is not None
    assert part.mean == pytest.approx(9 / 12)
    assert part.n == 3
    assert share_of(np.empty(0), np.empty(0)) is None


@pytest.mark.compiled
def test_a_small_run_from_end_to_end(tmp_path):
    options = RunOptions(quick=True, matches=1, hands=50, store=ResultStore(tmp_path / "store"))
    report = run_experiment("leduc-bases", options)
    titles = [table.title for table in report.tables]
    assert any("exploiters on the same tables" in title for title in titles)
    assert any("agents of the catalogue" in title for title in titles)
    assert [claim.verdict for claim in report.claims] == [Verdict.UNDECIDED]  # too few hands for the goals
    again = run_experiment(
        "leduc-bases", RunOptions(quick=True, matches=1, hands=50, store=options.store, stored_only=True)
    )
    assert again.tables == report.tables
    assert report.figures[0].panels
    empty = run_experiment("leduc-bases", RunOptions(store=ResultStore(tmp_path / "none"), stored_only=True))
    assert all(claim.verdict is Verdict.UNDECIDED for claim in empty.claims)
