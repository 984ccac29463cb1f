"""How grouped betting sequences correlate, and the experiment that compares groupings."""

import itertools
from pathlib import Path

import naive_vexbot
import numpy as np
import pytest
from named import equilibrium_of
from numpy.testing import assert_allclose

from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.model.vexbot.classes import LEVELS, contexts
from soulread.model.vexbot.context_table import equilibrium_defaults
from soulread.model.vexbot.correlation import (
    Departures,
    DrawnDeals,
    departures_of,
    draw_deals,
    measure,
    nats_lost,
    public_play,
)
from soulread.model.vexbot.model import CELLS, ContextTree
from soulread.play.catalogue.known import parse_agent
from soulread.play.opponents.rated import known_strategy
from soulread.play.tabular import strategy_of
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.vrijhof_2011 import vexbot_classes as experiment
from soulread.reproduce.vrijhof_2011.vexbot_classes import ClassesSetup
from soulread.seqform.compile import compile_factored
from soulread.seqform.tabular import TabularStrategy
from soulread.streams import stream
from soulread.tasks import ResultStore

GAME = leduc()
compiled = pytest.mark.compiled


def every_deal() -> DrawnDeals:
    return DrawnDeals(GAME, np.array(list(itertools.permutations(GAME.rules.deck, 3)), dtype=np.uint8))


def strategy(text: str) -> TabularStrategy:
    return strategy_of(parse_agent(text), GAME)


@compiled
def test_public_play_is_what_the_game_tree_says() -> None:
    """Leduc, all deals: the frequencies and hands of an equilibrium that the matrices of the game give."""
    equilibrium = equilibrium_of("leduc")
    play = public_play(equilibrium, equilibrium, every_deal())
    rates, histograms = equilibrium_defaults(compile_factored(GAME), equilibrium.behaviours)
    found = contexts(GAME)
    every, taken = play.asked(found)
    for node, actions in enumerate(found.betting.actions):
        if actions and play.taken[node].sum() > 1e-6:
            for kind in np.flatnonzero(found.may[node]):
                assert taken[node, kind] / every[node, kind] == pytest.approx(rates[node, kind], abs=1e-6)
    for seat in (0, 1):
        for node in found.ends[play.shown[seat, found.ends].sum(axis=1) > 1e-6]:
            shown = play.shown[seat, node]
            assert_allclose(shown / shown.sum(), histograms[seat, node], atol=1e-6)
    assert play.taken[0].sum() == pytest.approx(1)


@compiled
def test_a_player_who_sees_no_cards_and_one_who_folds() -> None:
    caller, folder = strategy("always-call"), strategy("always-fold")
    calls = public_play(caller, caller, every_deal())
    betting = contexts(GAME).betting
    end = betting.betting.index("cc/cc")
    assert calls.shown[:, end].sum(axis=1).tolist() == pytest.approx([1, 1])
    assert calls.shown[0, end] @ (np.arange(CELLS) + 0.5) / CELLS == pytest.approx(0.5)
    node = betting.decision("r")
    assert public_play(folder, strategy("always-raise"), every_deal()).taken[node].tolist() == [1, 0, 0]
    assert public_play(folder, caller, every_deal()).taken[node].tolist() == [0, 0, 0]


def some_departures(cells: int, rng: np.random.Generator) -> Departures:
    visits = rng.dirichlet(np.ones(30))
    return Departures(
        np.arange(100, 130), visits, rng.normal(size=(30, cells)), rng.uniform(0.1, 0.5, size=(30, cells))
    )


@pytest.mark.parametrize("cells", [1, 4])
def test_the_measure_is_that_of_the_slow_twin(cells: int) -> None:
    rng = np.random.default_rng(cells)
    departures = some_departures(cells, rng)
    classes = np.stack(
        [np.append(np.zeros(100), rng.integers(number, size=30)) for number in (30, 12, 6, 3, 1)]
    )
    found = measure(departures, list(classes.astype(np.int32)))
    for level in range(1, LEVELS):
        expected = naive_vexbot.level_numbers(departures, classes[level, 100:].tolist())
        assert (found.correlation[level], found.explained[level]) == pytest.approx(expected)
    spread = (departures.visits[:, None] * (departures.shifts * departures.scale) ** 2).sum() / cells
    assert found.spread == pytest.approx(spread)


def test_sequences_that_depart_alike_correlate() -> None:
    rng = np.random.default_rng(5)
    classes = np.arange(30) % 6
    alike = some_departures(1, rng)._replace(
        places=np.arange(30), shifts=rng.normal(size=6)[classes][:, None]
    )
    found = measure(alike, [np.arange(30, dtype=np.int32), *[classes.astype(np.int32)] * 4])
    assert_allclose(found.correlation[1:], 1)
    assert_allclose(found.explained, 1)
    assert found.strengths[LEVELS - 1] == pytest.approx(1 / found.spread)
    assert (
        found.strengths[: LEVELS - 1] > 1e9
    ).all()  # they tell nothing more, so coarser classes count for all
    pairs = np.arange(30) // 2
    opposed = alike._replace(
        visits=np.full(30, 1 / 30),
        scale=np.full((30, 1), 0.4),
        shifts=(rng.normal(size=15)[pairs] * np.where(np.arange(30) % 2, 1, -1))[:, None],
    )
    found = measure(opposed, [np.arange(30, dtype=np.int32), *[pairs.astype(np.int32)] * 4])
    assert_allclose(found.correlation[1:], -1)
    assert_allclose(found.explained[1:], 0, atol=1e-12)


@compiled
def test_who_plays_the_default_departs_nowhere_and_a_model_learns_the_rest() -> None:
    equilibrium = equilibrium_of("leduc")
    deals = every_deal()
    default = public_play(equilibrium, equilibrium, deals)
    found = contexts(GAME)
    for kind in ("fold", "raise"):
        assert not departures_of(default, default, kind, found).shifts.any()
    loose = strategy("loose:0.4")
    play = public_play(loose, equilibrium, deals)
    folds = departures_of(play, default, "fold", found)
    assert (folds.shifts <= 1e-9).all()
    assert (folds.shifts < 0).any()
    defaults = equilibrium_defaults(compile_factored(GAME), equilibrium.behaviours)
    tree = ContextTree(GAME, defaults)
    knows = ContextTree(GAME, defaults)
    for hand in experiment._hands("leduc", "loose:0.4", 300, 1):
        knows.update(hand)
    lost = [nats_lost((one.tables(0), one.tables(1)), play, GAME) for one in (tree, knows)]
    assert 0 < lost[1].actions < lost[0].actions
    assert lost[1].showdowns > 0
    assert nats_lost((tree.tables(0), tree.tables(1)), default, GAME).actions < 0.01


@compiled
def test_deals_are_looked_up_card_by_card() -> None:
    limit = limit_holdem()
    deals = draw_deals(limit, 5, stream(1, "deals"))
    player = parse_agent("rule:number=3").make(limit)
    rated = known_strategy(player, limit, 0)
    assert rated is not None
    states = deals.states(rated.lookup)
    assert states.shape == (2, 5, 4)
    row = deals.cards[2].tolist()
    assert states[1, 2, 1] == rated.lookup.state(row[2:4], row[4:7])
    assert_allclose(deals.cells.sum(axis=2), 1)


@compiled
def test_the_experiment_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ClassesSetup, "of", classmethod(lambda *_: ClassesSetup("leduc", 60, 200, 2, 1)))
    report = experiment.classes(RunOptions(store=ResultStore(tmp_path)))
    assert [table.title for table in report.tables][:2] == [
        "correlation of a sequence with the others of its class, players for choosing",
        "spread that the class explains, players for choosing",
    ]
    assert len(report.claims) == 4
    assert all("not computed" not in claim.evidence for claim in report.claims)
    assert report.claims[-1].n == 4
    assert report.settings["players"] == "choosing 4; judging 4"
