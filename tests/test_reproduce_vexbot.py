"""The worked examples of the thesis, and the experiment on Vexbot with results that were made up."""

from pathlib import Path

import numpy as np
import pytest
from known_values import STANDING, TRANSITIONS

from soulread.games.named import parse_game
from soulread.play.catalogue.known import parse_agent
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.matches import MatchGrid
from soulread.reproduce.kit.report import Measure, Report, ResultTable
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.vrijhof_2011 import hand_strength, vexbot
from soulread.tasks import ResultStore, TaskResult


def cells(table: ResultTable) -> dict[tuple[str, str], Measure]:
    return {(measure.row, measure.column): measure for measure in table.measures}


@pytest.mark.compiled
def test_the_examples_are_those_of_the_thesis() -> None:
    """All printed numbers hold, but for the table of the hand it names and the number of showdowns."""
    report = hand_strength.examples(RunOptions())
    counts, paths, strengths, weights, search = (cells(table) for table in report.tables)
    wrong = {
        place
        for table in report.tables
        for place, measure in cells(table).items()
        if measure.verdict is Verdict.FAILS
    }
    assert {row for row, _ in wrong} == {
        "showdowns of heads-up limit hold'em",
        "histograms of both seats",
        *(f"AhQc, {now} on the flop" for now in ("ahead", "tied", "behind")),
        "AhQc",  # the chance to win from behind, which is that of AdQc
    }
    assert tuple(counts[f"{name} of them", "ours"].mean for name in hand_strength.STANDINGS) == STANDING
    for hole, rows in TRANSITIONS.items():
        found = [
            [
                paths[f"{hole}, {now} on the flop", f"{then} at the end"].mean
                for then in hand_strength.STANDINGS
            ]
            for now in hand_strength.STANDINGS
        ]
        assert found == rows
    assert strengths["AdQc", "EHS"].mean == pytest.approx(0.585 + 0.415 * 0.208, abs=1e-3)
    assert weights["weight of aces after a call", "ours"].mean == pytest.approx(0.14, abs=1e-12)
    assert search["hand rank 0.1", "re-raise"].mean == pytest.approx(-3.8)
    assert search["hand rank 0.8", "re-raise"].mean == pytest.approx(1.8 + 0.7 * (16 * 6 / 7 - 8))
    assert [claim.verdict for claim in report.claims] == [
        Verdict.FAILS,
        Verdict.HOLDS,
        Verdict.HOLDS,
        Verdict.FAILS,
        Verdict.FAILS,
    ]


class MadeUp(RunOptions):
    """Options whose tasks are not run; Vexbot learns after some hands, if it learns."""

    learns: int = 50
    loses: float = 0.0

    def run(self, tasks):
        for task in tasks:
            hero, villain = task.parameters["agents"]
            hands = int(task.parameters["hands"])
            rng = np.random.default_rng([int(task.parameters["number"]), len(task.text), hands])
            mean = {"best-response": 1.0, "vexbot": 0.9}.get(hero.partition(":")[0], 0.3)
            won = np.full(hands, mean)
            if hero == "vexbot":
                won[: self.learns] = 0.0
                if villain.startswith("equilibrium"):
                    won = np.where(np.arange(hands) < hands // 2, self.loses, 0.1)
            profits = 2 * won + rng.normal(0, 0.1, hands)
            learning = np.array(float(not hero.startswith(("best-response", "equilibrium"))))
            yield TaskResult(task, {"profits": profits, "learning": learning}, 3.0)


def report(tmp_path: Path, learns: int = 50, loses: float = 0.0) -> Report:
    options = MadeUp(store=ResultStore(tmp_path), stored_only=True, matches=3)
    object.__setattr__(options, "learns", learns)
    object.__setattr__(options, "loses", loses)
    return vexbot.vexbot(options)


def test_claims_on_vexbot_follow_the_numbers(tmp_path: Path) -> None:
    verdicts = [claim.verdict for claim in report(tmp_path).claims]
    assert verdicts == [Verdict.HOLDS] * 6
    late = [claim.verdict for claim in report(tmp_path, learns=900, loses=-0.3).claims]
    assert late == [Verdict.FAILS, *[Verdict.HOLDS] * 2, Verdict.FAILS, Verdict.FAILS, Verdict.HOLDS]


def test_every_opponent_has_a_row_and_the_parts_are_those_of_the_match(tmp_path: Path) -> None:
    found = report(tmp_path, learns=100)
    rates, parts, long, shares, _ = (cells(table) for table in found.tables)
    assert len({row for row, _ in rates}) == 10
    assert rates["random", "vexbot"].mean == pytest.approx(0.9 * 2900 / 3000, abs=0.01)
    assert rates["random", "ceiling"].mean == pytest.approx(1.0, abs=0.01)
    assert rates[vexbot.SWITCHING, "ceiling"].ours is None
    assert parts["station", "hands 1 to 100"].mean == pytest.approx(0.0, abs=0.02)
    assert parts["station", "hands 101 to 1000"].mean == pytest.approx(0.9, abs=0.02)
    assert long[vexbot.OTHER, "vexbot, second half"].mean == pytest.approx(0.1, abs=0.02)
    assert shares["random", "vexbot, 1,000 hands"].mean == pytest.approx(81, abs=1)
    assert len(found.figures[0].panels) == 10


def test_agents_of_the_experiment_are_in_the_catalogue() -> None:
    setup = vexbot.VexbotSetup.of(RunOptions())
    assert (setup.hands, setup.long, setup.matches) == (3000, 20_000, 2)
    for text in (*setup.rows.values(), *setup.opponents.values()):
        assert parse_agent(text).entry.refuses(parse_game("limit")) is None
    tasks = list(vexbot.in_order(MatchGrid(setup.short_cells()), MatchGrid(setup.long_cells())))
    assert len({task.key for task in tasks}) == len(tasks) == 8 + 2 * 5 * 10 + 2 * 4 * 10
    assert vexbot.VexbotSetup.of(RunOptions(quick=True)).hands == 100
