"""What a researcher types at a prompt."""

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import soulread as sr
from soulread.api.given import behaviours_of
from soulread.errors import SoulreadError
from soulread.games.leduc import leduc
from soulread.hands.hand import Hand
from soulread.model.catalogue import MODELS
from soulread.model.counted import FrequencyModel
from soulread.play.catalogue.known import AGENTS
from soulread.play.tabular import TabularAgent

pytestmark = pytest.mark.compiled


def test_every_name_is_there() -> None:
    assert sorted(sr.__all__) == sorted(sr.NAMES)
    for name in sr.__all__:
        assert callable(getattr(sr, name)), name
        assert inspect.getdoc(getattr(sr, name)), name
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
    careful = sr.best_response("leduc", "tight:0.5", trust=0.5)
    assert careful.exploitability < 0.2 * sr.best_response("leduc", "tight:0.5").exploitability
    assert 0 < careful.exploitation(theirs) < most
    assert 0.3 < won <= most
    assert most == pytest.approx(sr.exploitability("leduc", "tight:0.5"))
    assert sr.exploitability("leduc", theirs) == pytest.approx(most)
    assert sr.exploitability("leduc", model) > 0
    assert sr.exploitability("leduc", sr.equilibrium("leduc").behaviours) == pytest.approx(0, abs=1e-7)
    solution = sr.solve("leduc", gap=1e-3)
    assert sr.exploitability("leduc", solution) == pytest.approx(solution.gap, rel=1e-6)


class Stubborn:
    """Calls whatever comes."""

    name = "stubborn"

    def __init__(self, game) -> None:
        self.game = game

    def reset(self) -> None: ...

    def act(self, view, rng) -> int:
        return 1

    def observe(self, hand) -> None: ...


def test_whatever_a_call_returns_every_other_takes() -> None:
    loose = sr.agent("loose", "leduc")
    assert isinstance(loose, TabularAgent)
    hands = sr.watch("leduc", "loose", hands=100, seed=1)
    players: dict[str, Any] = {
        "name": "loose",
        "agent": loose,
        "solution": sr.solve("leduc", gap=1e-2),
        "solution in the form of the matches": sr.solve(sr.compiled("leduc"), gap=1e-2),
        "table": sr.equilibrium("leduc"),
        "counter-strategy": sr.best_response("leduc", "loose"),
        "model": sr.fit("tilts", "leduc", hands, "loose"),
        "behaviours": loose.strategy.behaviours,
    }
    for player in players.values():
        lost = sr.exploitability("leduc", player)
        theirs = behaviours_of(player, sr.compiled("leduc"))
        assert sr.best_response("leduc", player).exploitation(theirs) == pytest.approx(lost)
        assert sr.duel("leduc", player, "always-call", hands=10).hands == 10
        assert len(sr.watch("leduc", player, hands=3)) == 3
        most = sr.curve("leduc", player, trust=(1,)).frontier.points[0].against_model
        assert most == pytest.approx(lost)
        assert sr.leaks("leduc", player, hands=20).hands == 20
    assert sr.exploitability("leduc", players["table"]) == pytest.approx(0, abs=1e-7)


@pytest.mark.parametrize("given", [Stubborn, Stubborn(None)])
def test_agents_of_ones_own_play(given) -> None:
    result = sr.duel("leduc", given, "always-raise", hands=10)
    assert result.agents[0].lower() == "stubborn"
    assert np.array_equal(result.profits, sr.duel("leduc", "always-call", "always-raise", hands=10).profits)


def test_agents_and_models_are_registered() -> None:
    try:
        assert sr.register_agent("stubborn")(Stubborn) is Stubborn
        assert sr.duel("kuhn", "stubborn", "always-fold", hands=5).agents == ("stubborn", "always-fold")
        sr.register_model("counted", FrequencyModel)
        sr.register_model("again", MODELS["frequency"])
        sr.register_agent("folder", AGENTS["always-fold"])
        assert (MODELS["again"].name, AGENTS["folder"].name) == ("again", "folder")
    finally:
        for name in ("stubborn", "folder"):
            AGENTS.pop(name, None)
        for name in ("counted", "again"):
            MODELS.pop(name, None)
    with pytest.raises(SoulreadError, match="a name has no colon"):
        sr.register_agent("a:b", Stubborn)
    with pytest.raises(SoulreadError, match="a name has no colon"):
        sr.register_model("a:b", FrequencyModel)


def test_what_is_no_player_is_refused() -> None:
    with pytest.raises(SoulreadError, match="a int is no player; expected the name of an agent"):
        sr.exploitability("leduc", 3)  # type: ignore[arg-type]
    with pytest.raises(SoulreadError, match="among the hands there is a int"):
        sr.leaks("leduc", [3], "Bob")  # type: ignore[list-item]


def test_results_are_short_at_the_prompt() -> None:
    results = (
        sr.solve("kuhn", gap=1e-2),
        sr.equilibrium("kuhn"),
        sr.compiled("kuhn"),
        sr.best_response("kuhn", "always-call"),
        sr.duel("kuhn", "random", "always-call", hands=20),
    )
    for result in results:
        assert len(repr(result)) < 120
        assert "kuhn" in result._repr_html_()
    frame = results[-1].to_frame()
    assert frame["agent"].tolist() == ["random", "always-call"]
    assert frame["mb/g"].sum() == pytest.approx(0)


def test_cards() -> None:
    assert sr.equity("AA", "KK").value == pytest.approx(0.8195, abs=1e-3)
    assert sr.equity(sr.Range.parse("AA"), "KK", samples=1000, seed=1).samples == 1000
    assert sr.strength("AdQc", "3h4cJh").value == pytest.approx(0.585, abs=1e-3)
    assert sr.potential("AdQc", "3h4cJh").ppot == pytest.approx(0.208, abs=1e-3)


def test_leaks_and_curves(tmp_path: Path) -> None:
    study = sr.leaks("leduc", "loose", hands=500)
    own = sr.watch("leduc", "loose", hands=500, spectator=False)
    assert sr.leaks("leduc", own, "loose") == study
    hands = sr.watch("leduc", "loose", hands=500)
    assert sr.leaks("leduc", hands, "loose").known == 0
    curve = sr.curve("leduc", "loose", trust=(0, 0.5, 1), keep=True)
    won = [point.against_model for point in curve.frontier.points]
    assert won == sorted(won)
    assert len(curve.strategies) == 3
    assert sr.exploitability("leduc", curve.strategies[0]) == pytest.approx(0, abs=1e-7)
    watched = sr.curve("leduc", "loose", "dbr", trust=(0.5,), hands=200, against=None)
    assert watched.subject.against == "self"
    recorded = sr.curve("leduc", hands, trust=(0.5,), player="loose")
    assert recorded.subject.hidden_games > 0
    assert len(recorded.held_out) == 1
    assert recorded.held_out[0].mean < recorded.frontier.points[0].against_model
    assert not sr.curve("leduc", hands, trust=(0.5,), player="loose", parts=0).held_out
    curve.plot().save(tmp_path / "curve.svg")
    sr.duel("kuhn", "random", "always-call", hands=20).plot().save(tmp_path / "duel.svg")
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("curve.svg", "duel.svg"))
    for call in (lambda: sr.leaks("leduc", hands), lambda: sr.curve("leduc", hands)):
        with pytest.raises(SoulreadError, match="several players"):
            call()
