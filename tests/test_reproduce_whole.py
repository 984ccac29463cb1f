"""The experiment on whole players: its report on made results, and both of its tasks on little."""

import numpy as np
import pytest
from test_exploits import store as store

from soulread.hands.store import Store
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.ours import whole_locks
from soulread.reproduce.ours.whole_locks import COLUMNS, HANDS, REAL_COLUMNS, held_out, regulars, simulated
from soulread.study.reads.pool_counts import pool_decisions
from soulread.tasks import ResultStore, TaskResult


def made(covered, own=3.0, hard=2.0, cost=5.0, over=-0.1, beyond=1.0, careful=-1.0, pools=40, members=50):
    """Results of simulated players as a task returns them."""
    rng = np.random.default_rng(0)
    rows = pools * members
    values = np.zeros((rows, len(COLUMNS)))
    told = {
        "covered": (rng.random(rows) < covered).astype(float),
        "gain": own + rng.normal(0, 0.1, rows),
        "gain of full trust": 4.0,
        "gain of hard locks": hard,
        "cost": cost + rng.normal(0, 0.1, rows),
        "cost of hard locks": 100.0,
        "risk kept": over,
        "beyond the worst case": beyond,
        "gain at risk 1%": careful,
        "pool": np.repeat(np.arange(pools), members),
    }
    for name, column in told.items():
        values[:, COLUMNS.index(name)] = column
    return values


def verdicts(monkeypatch, tmp_path, values):
    """The verdicts of a report in which every task returns these values."""

    class Given(RunOptions):
        def run(self, tasks):
            return (TaskResult(task, {"values": values}, 1.0) for task in tasks)

    report = whole_locks.whole_locks(Given(store=ResultStore(tmp_path)))
    return report, [claim.verdict for claim in report.claims]


def test_a_report_judges_intervals_gains_and_risks(monkeypatch, tmp_path):
    report, found = verdicts(monkeypatch, tmp_path, made(0.95))
    assert len(found) == 1 + 2 * len(HANDS) + 3
    assert set(found) == {Verdict.HOLDS}
    (table,) = report.tables
    more = [m for m in table.measures if m.column == "gain over hard locks"]
    assert [m.mean for m in more] == [pytest.approx(1.0, abs=0.02)] * len(HANDS)
    share = next(m for m in table.measures if m.column == "covered")
    assert share.mean == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"covered": 0.85}, 0),
        ({"covered": 0.995}, 0),
        ({"covered": 0.95, "own": 1.0}, 1),
        ({"covered": 0.95, "cost": 60.0}, 4),
        ({"covered": 0.95, "over": 0.01}, 7),
        ({"covered": 0.95, "beyond": -0.1}, 8),
        ({"covered": 0.95, "careful": -2.1}, 9),
    ],
)
def test_a_false_claim_fails(settings, place, monkeypatch, tmp_path):
    _, found = verdicts(monkeypatch, tmp_path, made(**settings))
    assert found[place] is Verdict.FAILS


@pytest.mark.compiled
def test_simulated_players_are_read_and_answered(monkeypatch):
    monkeypatch.setattr(whole_locks, "MEMBERS", 2)
    values = np.asarray(simulated("Ks8h4c7d2h, ip", 200, 3, 2)["values"])
    assert values.shape == (4, len(COLUMNS))
    told = dict(zip(COLUMNS, values.T, strict=True))
    assert set(told["covered"].tolist()) <= {0.0, 1.0}
    assert (told["width"] > 0).all()
    assert (told["risk kept"] <= 1e-5).all()
    assert (told["beyond the worst case"] >= -1e-3).all()
    assert (told["cost"] < told["cost of hard locks"]).all()
    assert (told["cost by n"] < told["cost of full trust"]).all()
    assert told["gain at risk 1%"].mean() < told["gain at risk 20%"].mean()
    assert len(set(told["pool"].tolist())) == 2
    again = simulated("Ks8h4c7d2h, ip", 200, 3, 2)["values"]
    assert np.array_equal(again, values), "a task does not depend on those before it"


@pytest.mark.compiled
def test_real_players_are_foretold(store, monkeypatch):
    monkeypatch.setattr(whole_locks, "REAL_HANDS", (5,))
    monkeypatch.setattr(whole_locks, "LATER", 8)
    whole_locks._counted.cache_clear()
    with Store.open(store, read_only=True) as opened:
        decisions = pool_decisions(opened)
    reported, chosen = regulars(decisions, False), regulars(decisions, True)
    assert reported
    assert not set(reported) & set(chosen)
    for player in (*reported, *chosen):
        assert np.unique(decisions.hand[decisions.player == player]).size >= 13
    values = np.asarray(held_out(str(store), "Ks8h4c7d2h, ip", 5, 2)["values"])
    assert values.shape[1] == len(REAL_COLUMNS)
    assert len(values) == 2 * len(reported)
    assert {int(one) % 1_000_000 for one in values[:, -1]} == set(reported)
    assert set(values[:, 0].tolist()) <= {0.0, 1.0}
    assert (values[:, 1] > 0).all()
