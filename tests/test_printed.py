"""Printers and studies on made-up results: every figure stands where it belongs, with sign and unit."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from test_task_grid import CELLS

from soulread.errors import DamagedFile
from soulread.estimate import BLOCKS, Estimate, Sampling, Watch
from soulread.games.base import Game
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.hands.record import stakes_of
from soulread.play.match.matches import MatchResult
from soulread.play.match.promise import Notes
from soulread.play.search.deals import Draws
from soulread.play.search.outlook import CHUNK, ENOUGH, Limits, Outlook, Sums, add_deal, run_chunks
from soulread.report.figures import Curve, Figure, GridFigure, Panel, styled_pyplot
from soulread.report.grid import console
from soulread.seqform.compile import compile_game
from soulread.seqform.strategy import uniform_behaviour
from soulread.solvers.judge import Judgement
from soulread.solvers.strategy_files import Strategy
from soulread.study.duels.matches_terminal import print_match
from soulread.study.duels.promise import explain
from soulread.study.duels.promise_terminal import print_promise
from soulread.study.strategies.curves import HeldOutPart, Subject, _mean
from soulread.study.strategies.solving import SolveStudy
from soulread.study.strategies.solving_terminal import print_solved
from soulread.tasks import ResultStore
from soulread.words import plural


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that gives the text a printer prints, in wide lines."""
    monkeypatch.setattr(console, "_width", 160)

    def text(printer: Any, *arguments: Any) -> str:
        with console.capture() as capture:
            printer(*arguments)
        return capture.get()

    return text


# Duels and promises -------------------------------------------------------------------------------


def notes(expected: list[float], value: float, model: float, equilibrium: float) -> Notes:
    """Notes of one match, in every hand of which the opponent acts once and shows nothing."""

    def each(number: float) -> NDArray[np.float64]:
        return np.full((1, len(expected)), number)

    nothing = each(0.0)
    return Notes(
        np.array([expected]),
        each(value),
        nothing,
        each(1.0),
        each(model),
        each(equilibrium),
        nothing,
        nothing,
        nothing,
    )


def match(game: Game, won: list[float], **more: Any) -> MatchResult:
    profits = np.stack([np.array([won]), -np.array([won])], axis=2)
    settings: dict[str, Any] = {"hands": len(won), "matches": 1, "duplicate": False, "seed": 3}
    names = "first", "second"
    return MatchResult(game.name, stakes_of(game), names, profits=profits, learning=True, **settings, **more)  # type: ignore[arg-type]


def test_a_promise_beside_the_result(told: Any) -> None:
    """In Kuhn a small bet is a chip: a seat worth -.05 that won .15 has won 200 mb/g beyond the value."""
    both = notes([0.3] * 40, -0.05, 0.5, 0.7), notes([0.1] * 40, 0.05, 0.5, 0.4)
    result = match(kuhn(), [0.1, 0.2] * 20, notes=both, less_luck=np.full((1, 40), 0.25))
    first, second = explain(result)
    assert first.whole.won.mean == pytest.approx(200)
    assert first.whole.less_luck is not None
    assert first.whole.less_luck.mean == pytest.approx(300)
    assert second.whole.won.mean == pytest.approx(-200)
    assert second.whole.less_luck is None  # AIVAT is about the first agent
    assert (first.kept.mean, second.kept.mean) == pytest.approx((0, -300))
    assert "0.0 ± 0.0 mb/g more than promised" in " ".join(told(print_promise, first).split())
    text = " ".join(told(print_promise, second).split())
    assert "300.0" in text
    assert "mb/g less than promised: the promise was not kept in this match; another may differ." in text
    assert "first won" not in text


@pytest.mark.parametrize(
    ("won", "words"),
    [
        ([0.2] * 39 + [0.21], "mb/g more than promised: the promise was more than kept"),
        ([0.1, 0.1, -0.1, -0.1] * 10, "less than promised: the promise and the result agree within the 95%"),
        ([0.5, 0.5, -0.3, -0.3] * 10, "more than promised: the promise and the result agree within the 95%"),
        ([-0.2] * 39 + [-0.21], "mb/g less than promised: the promise was not kept"),
    ],
)
def test_whether_a_promise_was_kept_follows_from_the_interval(
    told: Any, won: list[float], words: str
) -> None:
    result = match(kuhn(), won, notes=(notes([0.02] * 40, 0.0, 0.5, 0.5), None))
    assert words in " ".join(told(print_promise, explain(result)[0]).split())


def test_the_watched_interval_has_its_lower_end_first(told: Any) -> None:
    watch = Watch(40)
    watch.add(np.tile([0.5, 1.5], 40))
    text = " ".join(told(print_match, match(leduc(), [1.0] * 40, watch=watch)).split())
    low, high = (end / 2 for end in watch.interval)  # a small bet of Leduc has two chips
    assert low < high
    assert f"first wins between {low:+.4f} and {high:+.4f} sb/h" in text


# Solving ------------------------------------------------------------------------------------------


def test_values_and_worst_cases_of_each_seat(told: Any) -> None:
    game = compile_game(leduc(suit_isomorphic=True))
    plans = tuple(uniform_behaviour(tree) for tree in game.trees)
    strategy = Strategy.from_behaviours(game, (plans[0], plans[1]), "made up", {})
    study = SolveStudy(strategy, Judgement("leduc", (0.1, -0.1), (-0.5, -1.5), 0.01), 2)
    lines = told(print_solved, study).splitlines()
    seats = [line.split() for line in lines if line.split()[:1] in (["0"], ["1"])]
    assert seats == [
        ["0", "+0.100000", "+50.000", "-0.500000", "-250.000"],
        ["1", "-0.100000", "-50.000", "-1.500000", "-750.000"],
    ]
    assert "exploitability: 0.01 chips/h = 5 mb/g" in lines[-1]


# Curves -------------------------------------------------------------------------------------------


def test_the_mean_over_parts_is_surer_than_a_part() -> None:
    found = _mean([Estimate(1.0, 0.3, 10), Estimate(2.0, 0.4, 20)])
    assert (found.mean, found.standard_error, found.n) == pytest.approx((1.5, 0.25, 30))


def test_a_hand_that_came_up_twice_counts_twice() -> None:
    game = compile_game(kuhn())
    default = tuple(uniform_behaviour(tree) for tree in game.trees)
    tree = game.trees[0]
    check, bet = np.arange(tree.num_sequences)[tree.sequences(tree.index("Js||"))].tolist()
    nothing = np.zeros(0, np.int32)
    part = HeldOutPart(
        Subject("nobody", (default[0], default[1])),
        3,
        (np.array([0, 1, 2], np.int32), nothing),
        (np.array([check, bet, bet], np.int32), nothing),
    )
    for times, chance in (((1, 1, 1), 2 / 3), ((2, 1, 0), 1 / 3), ((0, 0, 3), 1.0)):
        behaviour = part.strategies(game, (default[0], default[1]), np.array(times))[0]
        assert behaviour[bet] == pytest.approx(chance)


# Kept results -------------------------------------------------------------------------------------


def test_the_result_of_another_task_is_refused(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    one, other = CELLS["a"][:2]
    store.save(one, one.run(), 1.0)
    shutil.copy(store.path(one), store.path(other))
    assert store.load(one) is not None
    with pytest.raises(DamagedFile, match="is the result of another task"):
        store.load(other)


# Play-outs ----------------------------------------------------------------------------------------


def test_errors_of_an_action_and_of_a_difference() -> None:
    apart = (0.0, 0.4, 0.5), (0.4, 0.0, 0.6), (0.5, 0.6, 0.0)
    found = Outlook((1, 2, 9), (1.0, 2.0, 2.5), (0.1, 0.2, 0.3), apart, 9, 1, False, 0)
    assert (found.error(2), found.error(2, 1), found.error(9, 2)) == (0.2, 0.4, 0.6)
    assert found.is_clear(True, 0.8)
    assert not found.is_clear(True, 0.9)  # 9 is ahead of 2 by 0.5, which is less than 0.9 of 0.6


def test_nothing_is_clear_after_a_few_play_outs() -> None:
    """One chunk of deals in which a raise always wins more: as soon as there are enough, it stops."""
    draws = Draws(*[np.zeros(2, np.int64)] * 6)  # type: ignore[arg-type]

    def chunk(deals: int, sums: Sums) -> None:
        for _ in range(min(deals, 20)):
            add_deal(sums, np.array([1.0, 2.0]))

    found = run_chunks(chunk, (1, 2), True, draws, Limits(playouts=10 * ENOUGH), 0.0)
    assert found.clear
    assert ENOUGH <= found.playouts < ENOUGH + 2 * CHUNK


# Intervals, words, figures ------------------------------------------------------------------------


def test_a_ratio_of_one_match_of_a_learner_is_over_blocks() -> None:
    amounts, counts = np.ones((1, 100)), np.ones((1, 100))
    assert Sampling(1, 100, learning=True).ratio(amounts, counts).n == BLOCKS
    assert Sampling(1, 100, learning=False).ratio(amounts, counts).n == 100


def test_one_is_not_many() -> None:
    assert [plural(count, "hand") for count in (0, 1, 2, 1000)] == [
        "0 hands",
        "1 hand",
        "2 hands",
        "1,000 hands",
    ]
    assert plural(2, "match", "matches") == "2 matches"


def test_a_band_reaches_from_the_low_to_the_high_end() -> None:
    pytest.importorskip("matplotlib")
    curve = Curve("won", (0.0, 1.0), (2.0, 3.0), (1.0, 2.0), (4.0, 7.0))
    with styled_pyplot() as pyplot:
        page = Figure("f", "c", (Panel("t", "x", "y", (curve,)),)).compose(pyplot)
        (band,) = page.axes[0].collections
        corners = {tuple(corner) for path in band.get_paths() for corner in path.vertices.tolist()}
        pyplot.close(page)
    assert {(0.0, 1.0), (0.0, 4.0), (1.0, 2.0), (1.0, 7.0)} <= corners


def test_a_long_title_is_folded() -> None:
    pytest.importorskip("matplotlib")
    title = f"{'W' * 12}{'x' * 10}: +1,339 bb, +$8,031.85 in 8,614 hands of no-limit hold'em"
    with styled_pyplot() as pyplot:
        page = Figure("f", "c", (Panel(title, "x", "y", (Curve("a", (0.0, 1.0), (0.0, 1.0)),)),)).compose(
            pyplot
        )
        shown = page.axes[0].title
        ends = shown.get_window_extent(page.canvas.get_renderer())
        pyplot.close(page)
    assert shown.get_text().replace("\n", " ") == title
    assert ends.x0 >= 0
    assert ends.x1 <= page.bbox.x1


def test_the_actions_of_a_cell_stand_side_by_side() -> None:
    pytest.importorskip("matplotlib")
    shares = np.zeros((2, 169))
    shares[:, 14] = 0.25, 0.75  # the second cell of the second row
    heights = np.where(np.arange(169) == 14, 0.5, 0.0)
    colours = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    with styled_pyplot() as pyplot:
        page = GridFigure("g", "c", ("AA",) * 169, shares, heights, colours, ("bet", "check")).compose(pyplot)
        bars = [
            (patch.get_x(), patch.get_y(), patch.get_width(), patch.get_height())
            for patch in page.axes[0].patches
            if patch.get_facecolor()[:3] in colours
        ]
        pyplot.close(page)
    assert bars == [(1.0, 11.0, 0.25, 0.5), (1.25, 11.0, 0.75, 0.5)]
