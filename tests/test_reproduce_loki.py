"""Rings of Loki: what is won is added up rightly, and claims on numbers that were made up."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.reproduce.experiments import run_experiment
from soulread.reproduce.kit import revisions, rings
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.rings import Ring, RingResult, paired, play_rings
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.vrijhof_2011 import loki_modelling, loki_triples, poki_nets
from soulread.reproduce.vrijhof_2011.loki_modelling import BY_STYLE, EXTREMES, GOM, OLD, SOM, STYLES
from soulread.reproduce.vrijhof_2011.loki_triples import BASE, CHANGES, CONTROL
from soulread.tasks import ResultStore, TaskResult

RING = Ring(
    "three", {"still": "always-call", "wild": "always-raise", "any": "random"}, ("still", "wild", "any")
)
DOUBLE = Ring("four", {"still": "always-call", "any": "random"}, ("still", "any", "any", "still"))


def results_of(ring: Ring, hands: int, seed: int, matches: int) -> dict[int, TaskResult]:
    tasks = [ring.task(hands, seed, number) for number in range(matches)]
    return {
        number: TaskResult(task, {name: np.asarray(value) for name, value in task.run().items()}, 0.0)
        for number, task in enumerate(tasks)
    }


# Rings


def test_seats_are_drawn_anew_for_each_match() -> None:
    drawn = {DOUBLE.seating(1, number) for number in range(20)}
    assert len(drawn) == 6
    assert all(sorted(seating) == sorted(DOUBLE.seats) for seating in drawn)
    assert {RING.seating(1, number) for number in range(40)} == {
        (a, b, c) for a in RING.seats for b in RING.seats for c in RING.seats if len({a, b, c}) == 3
    }


def test_rings_of_one_size_have_the_same_seatings() -> None:
    setup = loki_triples.TriplesSetup(1, 1, 10, seed=4)
    for number in range(5):
        first, second = (setup.ring(change).seating(4, number) for change in ("R", "B"))
        assert [name == "R" for name in first] == [name == "B" for name in second]


def test_a_ring_seats_only_its_versions() -> None:
    with pytest.raises(SoulreadError, match="the ring 'odd' seats 'stranger', which is no version of it"):
        Ring("odd", {"still": "always-call"}, ("still", "stranger"))


@pytest.mark.parametrize("ring", [RING, DOUBLE])
def test_a_version_wins_the_mean_of_its_seats(ring: Ring) -> None:
    result = ring.found(results_of(ring, 6, 3, 2), 3)
    assert result.won.shape == (2, 6, len(ring.versions))
    game = parse_game(ring.game)
    for number in range(2):
        seating = ring.seating(3, number)
        agents = tuple(parse_agent(ring.versions[name]).make(game) for name in seating)
        chips = Match(game, agents, 6, duplicate=True).play(3, number)
        for version in ring.versions:
            own = [i for i, name in enumerate(seating) if name == version]
            expected = sum(chips[:, i] for i in own) / len(own) / 2  # a small bet is two chips
            assert result.won[number, :, result.versions.index(version)] == pytest.approx(expected)
    seats = [ring.seats.count(version) for version in result.versions]
    assert result.won @ seats == pytest.approx(0)  # nobody else wins what they lose


def test_agents_that_play_alike_win_nothing_in_a_duplicate_match() -> None:
    ring = Ring("alike", {"a": "always-raise", "b": "always-raise"}, ("a", "b", "b"))
    result = ring.found(results_of(ring, 4, 0, 2), 0)
    assert result.won == pytest.approx(0)
    assert not result.learning
    assert result.sample == "8 duplicate hands"


def test_unfinished_matches_are_left_out() -> None:
    class Cut(RunOptions):
        def run(self, tasks):
            wanted = RING.task(3, 1, 1).key
            return (
                TaskResult(task, {name: np.asarray(value) for name, value in task.run().items()}, 0.0)
                for task in tasks
                if task.key != wanted and "always-raise" in task.text
            )

    found, _ = play_rings(Cut(), {RING: 3, DOUBLE: 2}, 3, 1)
    assert list(found) == ["three"]
    whole = RING.found(results_of(RING, 3, 1, 3), 1)
    assert found["three"].numbers == (0, 2)
    assert np.array_equal(found["three"].won, whole.won[[0, 2]])


def test_two_of_one_kind_have_a_memory_each() -> None:
    first, second = (rings.seated_agent("random", "ring-limit:3", seat) for seat in (0, 1))
    assert first is not second


def made_up(won: NDArray[np.float64], *versions: str, learning: bool = False) -> RingResult:
    return RingResult(versions, tuple(range(won.shape[0])), won, learning)


def test_differences_are_paired() -> None:
    luck = np.random.default_rng(1).normal(size=(4, 5, 1))
    result = made_up(np.concatenate([luck + 0.5, luck], axis=2), "a", "b", learning=True)
    assert result.difference("a", "b").mean == pytest.approx(0.5)
    assert result.difference("a", "b").standard_error == pytest.approx(0)
    assert result.won_by("a").standard_error > 0.1
    assert result.won_by("a").n == 4  # matches, because an agent learns
    assert replace(result, learning=False).won_by("a").n == 20


def test_a_curve_ends_with_the_whole_match() -> None:
    won = np.random.default_rng(2).normal(size=(3, 60, 2))
    result = made_up(won, "a", "b", learning=True)
    points = result.so_far({"a": 1.0})
    assert points[-1] == (60, result.won_by("a"))
    hands, early = points[3]
    assert early.mean == pytest.approx(won[:, :hands, 0].mean())
    assert len(made_up(won[:, :2], "a", "b").so_far({"a": 1.0})) == 2


def test_sums_over_rings_take_common_matches() -> None:
    won = np.random.default_rng(3).normal(size=(3, 4, 1))
    played = {
        "x": RingResult(("x",), (0, 1, 2), won, False),
        "y": RingResult(("y",), (1, 2, 5), won[[1, 2, 0]] - 1, False),
    }
    both = paired(played, {"x": ("x", 1.0), "y": ("y", -1.0)})
    assert both is not None
    assert both.mean == pytest.approx(1)
    assert both.n == 8
    assert both.standard_error == pytest.approx(0)
    assert paired(played, {"x": ("x", 1.0), "z": ("z", 1.0)}) is None
    apart = {**played, "z": RingResult(("z",), (7,), won[:1], False)}
    assert paired(apart, {"x": ("x", 1.0), "z": ("z", 1.0)}) is None


# Claims on numbers that were made up


def noisy(means: dict[str, float], seed: int = 0, spread: float = 0.3) -> RingResult:
    noise = np.random.default_rng(seed).normal(scale=spread, size=(20, 10, len(means)))
    return made_up(np.array(list(means.values())) + noise, *means, learning=True)


def modelling_verdicts(*means: dict[str, float]) -> list[Verdict]:
    one = loki_modelling.rings("use=none", "rules")
    found = {ring.name: noisy(won, i) for i, (ring, won) in enumerate(zip(one.rings, means, strict=True))}
    return [claim.verdict for claim in loki_modelling.claims(found, one)]


def test_modelling_claims_follow_the_numbers() -> None:
    old, styles, others = (dict.fromkeys(names, -0.1) for names in (OLD, STYLES, EXTREMES))
    same = {f"{model} {style}": won for model, won in ((SOM, 0.3), (GOM, 0.1)) for style in BY_STYLE}
    holds, fails = Verdict.HOLDS, Verdict.FAILS
    verdicts = modelling_verdicts(
        {SOM: 0.3, GOM: 0.1, **old},
        {**same, **old},
        {SOM: 0.8, GOM: 0.2, **styles},
        {SOM: 0.8, GOM: 0.2, **others},
    )
    assert verdicts == [holds] * 9
    verdicts = modelling_verdicts(
        {SOM: 0.3, GOM: -0.1, **old, OLD[0]: 0.5, OLD[1]: 0.1},
        {**same, **dict.fromkeys(OLD, 0.2), OLD[0]: 0.5, "SOM tight": 0.6},  # tight wins by its style
        {SOM: 0.1, GOM: 0.2, **styles},
        {SOM: 1.5, GOM: 0.2, **others},
    )
    assert verdicts == [holds, fails, fails, fails, holds, fails, holds, fails, holds]
    one = loki_modelling.rings("use=none", "rules")
    assert {claim.verdict for claim in loki_modelling.claims({}, one)} == {Verdict.UNDECIDED}
    noise = np.random.default_rng(7).normal(size=(5, 10, 9))
    even = np.concatenate([noise, -noise])
    alike = {
        ring.name: made_up(even[:, :, : len(ring.versions)], *ring.versions, learning=True)
        for ring in one.rings
    }
    assert {claim.verdict for claim in loki_modelling.claims(alike, one)} == {Verdict.UNDECIDED}


def test_a_model_is_compared_style_for_style() -> None:
    weights = loki_modelling.style_for_style(GOM, "old")
    assert sum(weights.values()) == pytest.approx(0)
    assert {name.rpartition(" ")[2] for name in weights} == set(BY_STYLE)
    won = np.zeros((10, 5, 6))
    won[:, :, 0] = 0.9  # of one style
    result = made_up(won, *weights)
    assert result.estimate(weights).mean == pytest.approx(0.3)


def test_matches_of_changed_agents_are_other_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    def versions() -> list[int]:
        texts = [
            "always-call",
            "loki:use=R",
            "switching:every=3|loki|random",
            "vexbot:model=som",
            "poki-like",
        ]
        return [revisions.version_for([text, "random"], 4) for text in texts]

    monkeypatch.setattr(revisions, "REVISIONS", {})
    assert versions() == [4] * 5
    monkeypatch.setattr(revisions, "REVISIONS", {"loki": 2, "som": 1, "poki": 1})
    assert versions() == [4, 2004, 2004, 1004, 4]
    task = rings.ring_task("ring-limit:3", ["loki", "random", "random"], 2, 1, 0)
    assert task.version == 2000 + rings.VERSION
    assert RING.task(3, 1, 0).version == rings.VERSION


def triples_verdicts(gains: dict[str, float]) -> list[Verdict]:
    found = {
        change: noisy({change: mean, BASE: -mean / 4}, i, 0.2)
        for i, (change, mean) in enumerate(gains.items())
    }
    return [claim.verdict for claim in loki_triples.claims(found)]


def test_claims_about_triples_follow_the_numbers() -> None:
    holds, fails = Verdict.HOLDS, Verdict.FAILS
    gains = {"R": 0.2, "B": 0.1, "S": 0.5, "RB": 0.3, "RS": 0.6, "BS": 0.5, "RBS": 0.6}
    assert triples_verdicts(gains)[:4] == [holds] * 4
    assert triples_verdicts(gains)[4] is not fails
    assert triples_verdicts({**gains, "RB": 0.1})[4] is fails
    assert triples_verdicts({**gains, "B": -0.2, "R": 0.7})[:5] == [holds, fails, holds, fails, fails]
    assert triples_verdicts(gains)[5] is Verdict.UNDECIDED
    assert triples_verdicts({**gains, CONTROL: 0.3})[5] is holds
    assert triples_verdicts({**gains, CONTROL: -0.3})[5] is fails
    assert triples_verdicts({}) == [Verdict.UNDECIDED] * 6


def test_nets_are_compared_with_the_same_cards() -> None:
    luck = np.random.default_rng(5).normal(size=(12, 8, 1))
    gains = {poki_nets.TABLES: 0.0, poki_nets.NET: 0.2, poki_nets.SOFTENED: 0.1, poki_nets.COMPETING: -0.1}
    found = {
        version: made_up(
            luck + gain + np.random.default_rng(i).normal(scale=0.02, size=(12, 8, 1)), version, learning=True
        )
        for i, (version, gain) in enumerate(gains.items())
    }
    assert [claim.verdict for claim in poki_nets.claims(found)] == [
        Verdict.HOLDS,
        Verdict.FAILS,
        Verdict.HOLDS,
        Verdict.FAILS,
    ]
    assert {claim.verdict for claim in poki_nets.claims({})} == {Verdict.UNDECIDED}
    setup = poki_nets.NetsSetup.of(RunOptions(quick=True))
    for version in poki_nets.VERSIONS:
        ring = setup.ring(version)
        assert ring.game == "ring-limit:10"
        assert parse_agent(ring.versions[version]).options.predict == version
        first, other = ring.seating(4, 2), setup.ring(poki_nets.TABLES).seating(4, 2)
        assert [name == version for name in first] == [name == poki_nets.TABLES for name in other]


def test_the_control_differs_by_simulation_alone() -> None:
    setup = loki_triples.TriplesSetup(1, 1, 10, seed=4)
    control = setup.ring(CONTROL)
    versions = control.versions
    assert versions[CONTROL] == setup.agent("RS")
    assert versions["R"] == setup.agent("R")
    first, second = control.seating(4, 2), setup.ring("RS").seating(4, 2)
    assert [name == CONTROL for name in first] == [name == "RS" for name in second]


# Setups and whole runs


def every_ring() -> list[Ring]:
    return [ring for one in loki_modelling.ModellingSetup.of(RunOptions()).sets for ring in one.rings]


def test_every_ring_seats_nine_or_ten() -> None:
    for ring in every_ring():
        seats = len(ring.seats)
        assert seats == 9 if ring.name.endswith("style for style") else seats == 10
        for text in ring.versions.values():
            assert parse_agent(text).entry.refuses(parse_game(ring.game)) is None
    for change in CHANGES:
        ring = loki_triples.TriplesSetup.of(RunOptions()).ring(change)
        assert sorted(ring.seats) == sorted([change] * 2 + [BASE] * 8)


def test_nothing_is_limited_by_time() -> None:
    texts = [text for ring in every_ring() for text in ring.versions.values() if "loki" in text]
    texts += [loki_triples.TriplesSetup.of(RunOptions()).agent(change) for change in CHANGES]
    for text in texts:
        assert parse_agent(text).options.budget == 0


def test_sizes_may_be_chosen() -> None:
    options = RunOptions(matches=3, hands=7, seed=5)
    for setup in (loki_modelling.ModellingSetup.of(options), loki_triples.TriplesSetup.of(options)):
        assert (setup.matches, setup.hands, setup.seed) == (3, 7, 5)
    quick, full = (loki_triples.TriplesSetup.of(RunOptions(quick=quick)).matches for quick in (True, False))
    assert quick < full


@pytest.mark.compiled
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) for name in ("loki-modelling", "poki-nets")]
    + ["loki-triples"],
)
def test_an_experiment_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny: dict[type, object] = {
        loki_modelling.ModellingSetup: loki_modelling.ModellingSetup(2, 1, playouts=10, seed=2),
        loki_triples.TriplesSetup: loki_triples.TriplesSetup(2, 1, playouts=10, seed=2),
        poki_nets.NetsSetup: poki_nets.NetsSetup(2, 1, playouts=10, seed=2),
    }
    for setup, value in tiny.items():
        monkeypatch.setattr(setup, "of", lambda options, value=value: value)
    options = RunOptions(store=ResultStore(tmp_path / "store"))
    nothing = run_experiment(name, replace(options, stored_only=True))
    assert {claim.verdict for claim in nothing.claims} == {Verdict.UNDECIDED}
    assert not nothing.tables
    report = run_experiment(name, options)
    assert report.tables
    written = {path.name for path in report.write(tmp_path / "out")}
    assert f"{name}.json" in written
    assert any(path.endswith(".png") for path in written) or name == "poki-nets"
    again = run_experiment(name, replace(options, stored_only=True))
    assert plain_data(again) == plain_data(report)


@pytest.mark.compiled
def test_a_ring_of_the_base_version_wins_nothing() -> None:
    text = loki_triples.TriplesSetup(1, 1, 10, seed=0).agent("none")
    ring = Ring("base", {"a": text, "b": text}, ("a", "b", "a"))
    result = ring.found(results_of(ring, 3, 6, 1), 6)
    assert result.won == pytest.approx(0)


@pytest.mark.compiled
def test_a_match_does_not_depend_on_those_before() -> None:
    ring = Ring(
        "s", {"s": "loki:model=som,use=RBS,playouts=20", "o": "loki:model=old,use=none"}, ("s", "o", "o")
    )
    first, other = (ring.task(4, 1, number) for number in range(2))
    before = np.asarray(first.run()["profits"])
    other.run()
    again = first.run()  # the agents are kept for the next match, and must have forgotten
    assert np.array_equal(before, np.asarray(again["profits"]))
    assert again["learning"] == 1
