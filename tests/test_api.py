"""What a researcher types at a prompt."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import soulread as sr
from soulread.errors import SoulreadError
from soulread.games.leduc import leduc
from soulread.hands.hand import Hand
from soulread.play.tabular import TabularAgent

pytestmark = pytest.mark.compiled


def test_every_name_is_there() -> None:
    for name in sr.__all__:
        assert callable(getattr(sr, name)), name
        assert name in dir(sr)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = sr.nothing


def test_solve_is_an_ordinary_function() -> None:
    """It has a signature and a docstring for ``help()``, whether solvers were imported before or not."""
    assert "gap" in inspect.signature(sr.solve).parameters
    assert inspect.getdoc(sr.solve)
    assert round(sr.solve("kuhn", gap=1e-3).value, 1) == -0.1


def test_games_by_name_and_as_objects_are_the_same() -> None:
    named, made = sr.solve("leduc", gap=1e-3), sr.solve(leduc(), gap=1e-3)
    assert np.array_equal(named.plans[0], made.plans[0])
    assert sr.game("leduc").poker == leduc()
    assert sr.compiled("leduc").poker == leduc()
    assert sr.solve("openspiel:kuhn_poker", gap=1e-3).value == pytest.approx(-1 / 18, abs=1e-3)
    assert sr.solve("leduc", "lp").gap == pytest.approx(0, abs=1e-7)


def test_a_model_is_fitted_and_answered() -> None:
    """The session of the README, with other numbers."""
    hands = sr.watch("leduc", "tight:0.5", hands=500, seed=1)
    assert all(isinstance(hand, Hand) for hand in hands)
    model = sr.fit("deviation:method=l1", "leduc", hands, "tight:0.5")
    tight = sr.agent("tight:0.5", "leduc")
    assert isinstance(tight, TabularAgent)
    theirs = tight.strategy.behaviours
    won = sr.best_response("leduc", model).exploitation(theirs)
    most = sr.best_response("leduc", "tight:0.5").exploitation(theirs)
    assert 0.3 < won <= most
    assert most == pytest.approx(sr.exploitability("leduc", "tight:0.5"))
    assert sr.exploitability("leduc", theirs) == pytest.approx(most)
    assert sr.exploitability("leduc", model) > 0
    assert sr.exploitability("leduc", sr.equilibrium("leduc").behaviours) == pytest.approx(0, abs=1e-7)
    solution = sr.solve("leduc", gap=1e-3)
    assert sr.exploitability("leduc", solution) == pytest.approx(solution.gap, rel=1e-6)


def test_leaks_and_curves(tmp_path: Path) -> None:
    study = sr.leaks("leduc", "loose", hands=500)
    own = sr.watch("leduc", "loose", hands=500, spectator=False)
    assert sr.leaks("leduc", own, "loose") == study
    hands = sr.watch("leduc", "loose", hands=500)
    assert sr.leaks("leduc", hands, "loose").known == 0
    curve = sr.curve("leduc", "loose", ps=(0, 0.5, 1), keep=True)
    won = [point.against_model for point in curve.frontier.points]
    assert won == sorted(won)
    assert len(curve.strategies) == 3
    assert sr.exploitability("leduc", curve.strategies[0]) == pytest.approx(0, abs=1e-7)
    watched = sr.curve("leduc", "loose", "dbr", ps=(0.5,), observed_games=200, against=None)
    assert watched.subject.against == "self"
    recorded = sr.curve("leduc", hands, ps=(0.5,), player="loose")
    assert recorded.subject.hidden_games > 0
    assert len(recorded.held_out) == 1
    assert recorded.held_out[0].mean < recorded.frontier.points[0].against_model
    assert not sr.curve("leduc", hands, ps=(0.5,), player="loose", parts=0).held_out
    sr.plot_curve(curve, tmp_path / "curve.svg")
    sr.plot_duel(sr.duel("kuhn", "random", "always-call", hands=20), tmp_path / "duel.svg")
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("curve.svg", "duel.svg"))
    for call in (lambda: sr.leaks("leduc", hands), lambda: sr.curve("leduc", hands)):
        with pytest.raises(SoulreadError, match="several players"):
            call()
