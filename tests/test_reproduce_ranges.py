"""Predicted ranges judged by the cards: scores against slow twins, verdicts on results that were made up."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from naive_ranges import score_models
from numpy.typing import NDArray

from soulread.cards.deck import parse_cards
from soulread.cards.ranges import NUM_HANDS, hand_index
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.hands.hand import Hand
from soulread.model.loki.model import LokiModel
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.reproduce.experiments import run_experiment
from soulread.reproduce.kit.data import hands_of
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.ranges.calibration import TaskMeans
from soulread.reproduce.kit.ranges.scores import (
    CALLS,
    CHECKS,
    CLASSES,
    EXPONENTS,
    FOLDED,
    MODELS,
    RAISES,
    SHOWN,
    UNSEEN,
    Judged,
    gain_of,
    likelier_than,
    places_on,
)
from soulread.reproduce.kit.report import Report
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.vrijhof_2011 import loki_ranges
from soulread.reproduce.vrijhof_2011.loki_range_scores import covered, raise_error
from soulread.reproduce.vrijhof_2011.loki_ranges import LokiRangesSetup, judge_match, judge_person
from soulread.tasks import ResultStore, Task, TaskResult

compiled = pytest.mark.compiled
AGENTS = "random", "always-call", "random"
COUNT = len(MODELS)


def played(hands: int = 12, game: str = "ring-limit:3") -> list[tuple[Hand, Hand]]:
    """Hands as the dealer and as a spectator saw them."""
    rules = parse_game(game)
    found: list[tuple[Hand, Hand]] = []
    match = Match(rules, tuple(parse_agent(text).make(rules) for text in AGENTS), hands)
    match.play(3, 0, record=lambda hand: found.append((hand.seen_by_dealer(), hand.seen_by(None))))
    return found


# Scores of one table.


def test_the_gain_of_a_table_is_what_it_knows_beyond_even_chances() -> None:
    chances = np.zeros(NUM_HANDS)
    chances[:4] = 0.4, 0.3, 0.2, 0.1
    assert gain_of(chances, 0) == pytest.approx(np.log(0.4 / 0.25))
    assert gain_of(chances, 3) == pytest.approx(np.log(0.1 / 0.25))
    squared = np.array([16, 9, 4, 1]) / 30
    assert gain_of(chances, 2, power=2.0) == pytest.approx(np.log(squared[2] / 0.25))
    assert gain_of(chances, 2, power=0.0) == pytest.approx(0.0)
    tiny = np.where(chances > 0, chances**60, 0.0)
    assert gain_of(tiny / tiny.sum(), 3) == pytest.approx(60 * np.log(0.25) + np.log(4), abs=1e-6)


def test_the_mass_of_likelier_holdings() -> None:
    chances = np.zeros(NUM_HANDS)
    chances[:5] = 0.4, 0.2, 0.2, 0.1, 0.1
    assert likelier_than(chances, 0) == pytest.approx((0.0, 0.4))
    assert likelier_than(chances, 2) == pytest.approx((0.4, 0.4))
    assert likelier_than(chances, 4) == pytest.approx((0.8, 0.2))


@compiled
def test_places_are_shares_of_weaker_holdings() -> None:
    board = parse_cards("AsKsQsJs2d")
    places = places_on(board, 2)
    royal = hand_index(*parse_cards("Ts3c"))
    possible = places[places > 0]
    assert places[royal] == places.max()
    assert places[hand_index(*parse_cards("AsTs"))] == 0  # shares a card with the board
    assert possible.size == 47 * 46 // 2
    assert possible.mean() == pytest.approx(0.5)


# A player followed through hands.


@compiled
def test_scores_agree_with_naive(tmp_path: Path) -> None:
    """`score_models` was written apart from this: it reads once, at the end of the hand."""
    hands = [public for _, public in played()]
    makers = {name: lambda game, made=made: LokiModel(game, *made) for name, made in MODELS.items()}
    scores = score_models(hands, makers)
    judged = {player: Judged(player) for player in hands[0].players}
    for hand in hands:
        for player in hand.players:
            judged[player].add(hand)
    values = [one.values() for one in judged.values()]
    shown = np.concatenate([each["gains"][each["fate"] == SHOWN] for each in values])
    actions = np.concatenate([each["action action"] for each in values]).astype(int)
    chances = np.concatenate([each["action chances"] for each in values])
    for i, name in enumerate(MODELS):
        river = shown[:, i, 3]
        assert np.sort(river) == pytest.approx(np.sort(scores[name].cards), abs=1e-9)
        mine = np.log(chances[np.arange(actions.size), 1 + i, actions])
        assert np.sort(mine) == pytest.approx(np.sort(scores[name].actions), abs=1e-9)


@compiled
def test_what_was_not_shown_is_known_to_the_judge_alone() -> None:
    dealt, seen = Judged("random"), Judged("random")
    for dealer, public in played():
        dealt.add(dealer, public)
        seen.add(public)
    all_hands, shown = dealt.values(), seen.values()
    assert set(all_hands["fate"]) >= {FOLDED, SHOWN}
    assert set(shown["fate"]) == {SHOWN}
    same = all_hands["fate"] == SHOWN
    for name in ("gains", "likelier", "classes", "known"):
        np.testing.assert_array_equal(all_hands[name][same], shown[name])
    np.testing.assert_array_equal(all_hands["action chances"], shown["action chances"])


@compiled
def test_numbers_of_a_hand_fit_together() -> None:
    judged = Judged("always-call")
    for dealer, public in played():
        judged.add(dealer, public)
    found = judged.values()
    last = found["last"].astype(int)
    own = found["gains"][np.arange(last.size), :, last]
    at_one = found["tempered"][:, :, EXPONENTS.index(1.0)]
    np.testing.assert_allclose(at_one, own, atol=1e-9)
    assert found["classes"].sum(axis=2) == pytest.approx(1.0)
    assert found["likelier"].sum(axis=2).max() <= 1 + 1e-9
    assert set(found["step kind"]) <= {CHECKS, CALLS, RAISES}
    assert FOLDED not in found["fate"]  # always-call never folds
    assert found["action chances"].sum(axis=2) == pytest.approx(1.0)
    # The base rate is the player's own: of n actions among the same legal ones all were calls.
    first = found["action chances"][0, 0]
    assert sorted(first[first > 0]) == pytest.approx([1 / (first > 0).sum()] * int((first > 0).sum()))
    assert found["action chances"][-1, 0, 1] > 0.5


@compiled
def test_a_hand_is_judged_before_it_is_learnt() -> None:
    hands = played(8)
    judged = Judged("random")
    for number, hand in enumerate(hands):
        assert judged.known == number
        judged.add(*hand)
    found = judged.values()
    names = list(MODELS)
    som, gom = (1 + names.index(name) for name in ("som", "gom"))
    first = found["action known"] == 0
    np.testing.assert_allclose(found["action chances"][first, som], found["action chances"][first, gom])
    assert not np.allclose(found["action chances"][~first, som], found["action chances"][~first, gom])
    assert judged.models["som"].counts.sum() == found["action known"].size


# Tasks.


@compiled
def test_a_match_is_judged_the_same_way_again() -> None:
    one, other = (judge_match("ring-limit:3", AGENTS, 4, 5, 0) for _ in range(2))
    assert one.keys() == other.keys()
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name])


@compiled
def test_hands_are_read_once_and_judged_in_order(tmp_path: Path) -> None:
    files = tmp_path / "hands"
    files.mkdir()
    (files / "some.jsonl").write_text("".join(public.to_json() + "\n" for _, public in played(6)))
    options = RunOptions(store=ResultStore(tmp_path / "results"), data=(str(files),))
    store = hands_of(options, None)
    assert store is not None
    made = store.stat().st_mtime_ns
    assert hands_of(options, None) == store
    assert store.stat().st_mtime_ns == made
    assert hands_of(options, 3) != store
    found = judge_person(str(store), 0, None)
    assert len(np.atleast_1d(found["action known"])) > 0
    assert np.max(found["action known"]) == 5
    assert np.max(judge_person(str(store), 0, 2)["action known"]) == 1


def test_data_that_are_not_there(tmp_path: Path) -> None:
    options = RunOptions(store=ResultStore(tmp_path), data=(str(tmp_path / "nothing"),))
    with pytest.raises(SoulreadError, match="is not there"):
        hands_of(options, None)
    with pytest.raises(SoulreadError, match="no option 'data'"):
        run_experiment("dbbr-table", options)
    assert hands_of(RunOptions(store=ResultStore(tmp_path)), None) is None


# The report, on results that were made up.


def made_up(rng: np.random.Generator, skill: float, sure: float = 1.0) -> dict[str, NDArray[np.float64]]:
    """A task; som gains ``skill`` nats more than gom, and places of cards are to the power ``sure``."""
    n = 1500
    names = list(MODELS)
    som = np.array(["som" in name for name in names], dtype=float)
    gains = np.full((n, COUNT, 4), np.nan)
    gains[:, :, 3] = 0.3 + skill * som + rng.normal(0, 0.1, (n, COUNT))
    uniform = rng.random((n, 1)).repeat(COUNT, axis=1) ** sure
    chances = np.full((n, COUNT + 1, 3), 1 / 3)
    chances[:, 1:] = np.stack([np.full(n, 0.2), np.full(n, 0.5), np.full(n, 0.3)], axis=1)[:, None]
    legal = np.ones((n, 3))
    return {
        "known": np.arange(n, dtype=float),
        "fate": rng.choice([FOLDED, UNSEEN, SHOWN], n).astype(float),
        "last": np.full(n, 3.0),
        "gains": gains,
        "places": rng.random((n, COUNT + 1, 4)),
        "tempered": np.repeat(gains[:, :, 3:], len(EXPONENTS), axis=2),
        "likelier": np.stack([uniform, np.zeros((n, COUNT))], axis=2),
        "strength": rng.integers(0, 4, n).astype(float),
        "classes": np.full((n, COUNT, len(CLASSES) - 1), 0.25),
        "action known": np.arange(n, dtype=float),
        "action round": np.zeros(n),
        "action action": rng.choice(3, n, p=[0.2, 0.5, 0.3]).astype(float),
        "action legal": legal,
        "action chances": chances,
        "step known": np.arange(n, dtype=float),
        "step fate": np.full(n, float(SHOWN)),
        "step kind": rng.integers(0, 4, n).astype(float),
        "step place": rng.random(n),
        "step gains": rng.normal(0, 1, (n, COUNT)),
    }


class MadeUp(RunOptions):
    """Options whose tasks are not run."""

    made: Mapping[str, float]

    def run(self, tasks):
        for number, task in enumerate(tasks):
            yield TaskResult(task, made_up(np.random.default_rng(number), **self.made), 1.0)


def report(tmp_path: Path, **made: float) -> Report:
    options = MadeUp(store=ResultStore(tmp_path), matches=8, hands=100)
    object.__setattr__(options, "made", made)
    return loki_ranges.ranges(options)


def test_verdicts_follow_the_numbers(tmp_path: Path) -> None:
    found = {claim.text: claim for claim in report(tmp_path, skill=0.2).claims}
    assert found["ring: som is ahead of gom on cards shown"].verdict is Verdict.HOLDS
    assert found["ring: som knows more of the cards shown than that all are alike"].verdict is Verdict.HOLDS
    assert found["ring: som foresees actions better than the base rate"].verdict is Verdict.HOLDS
    calibrated = "ring: the ranges of som are calibrated, to within 5% at 50%, 80%, 90%"
    assert found[calibrated].verdict is Verdict.HOLDS
    raises = "ring: the chances to raise of som are calibrated, to within 5% on average"
    assert found[raises].verdict is Verdict.HOLDS


@pytest.mark.parametrize(("sure", "word"), [(0.5, "too sure"), (2.0, "too careful")])
def test_ranges_that_are_not_calibrated(tmp_path: Path, sure: float, word: str) -> None:
    found = {claim.text: claim for claim in report(tmp_path, skill=-0.2, sure=sure).claims}
    calibrated = found["ring: the ranges of som are calibrated, to within 5% at 50%, 80%, 90%"]
    assert calibrated.verdict is Verdict.FAILS
    assert word in calibrated.explanation
    assert found["ring: som is ahead of gom on cards shown"].verdict is Verdict.FAILS


def test_covered_shares_ties_out() -> None:
    likelier = np.tile(np.array([0.4, 0.2]), (4, COUNT, 1))
    result = TaskResult(
        Task(dict, {}), {"likelier": likelier, "fate": np.array([SHOWN, SHOWN, SHOWN, FOLDED])}, 0.0
    )
    assert covered("som", 0.3)(result)[0] == 0
    assert covered("som", 0.5)(result)[0] == pytest.approx(0.5)
    assert covered("som", 0.9)(result)[0] == 1
    assert np.isnan(covered("som", 0.5)(result)[3])


def test_a_mean_counts_things_and_its_interval_counts_tasks() -> None:
    results = [TaskResult(Task(dict, {"n": n}), {"a": np.arange(n, dtype=float)}, 0.0) for n in (1, 2, 3)]
    mean = TaskMeans(results).mean(lambda result: result["a"])
    assert mean is not None
    assert mean.mean == pytest.approx(4 / 6)
    assert mean.n == 3
    assert TaskMeans(results).mean(lambda result: np.full(2, np.nan)) is None


def test_the_error_of_a_distance_is_that_of_the_jackknife() -> None:
    """With one tenth in use the distance is a mean, and the jackknife gives the error of a mean."""
    chances = np.zeros((10, COUNT + 1, 3))
    chances[:, :, 2] = 0.35
    results = [
        TaskResult(
            Task(dict, {"n": n}),
            {
                "action chances": chances,
                "action action": np.where(np.arange(10) < n, 2.0, 1.0),
                "action legal": np.ones((10, 3)),
            },
            0.0,
        )
        for n in (5, 6, 8)
    ]
    found = raise_error(TaskMeans(results), "som")
    shares = np.array([0.5, 0.6, 0.8])
    assert found.mean == pytest.approx(shares.mean() - 0.35)
    assert found.standard_error == pytest.approx(shares.std(ddof=1) / np.sqrt(3))
    assert np.isnan(raise_error(TaskMeans(results[:1]), "som").standard_error)


def test_a_report_is_written_whole(tmp_path: Path) -> None:
    found = report(tmp_path, skill=0.1)
    assert all(table.measures for table in found.tables)
    files = found.write(tmp_path / "out")
    assert {file.suffix for file in files} == {".json", ".csv", ".svg", ".png"}
    assert len([file for file in files if file.suffix == ".png"]) == 3


def test_nothing_finished_is_a_report_without_tables(tmp_path: Path) -> None:
    found = loki_ranges.ranges(RunOptions(store=ResultStore(tmp_path), stored_only=True))
    assert (found.tables, found.claims, found.figures) == ((), (), ())


def test_sources_take_turns(tmp_path: Path) -> None:
    setup = LokiRangesSetup.of(RunOptions(quick=True))
    ring, pair = setup.match("ring", 0), setup.match("heads-up", 0)
    assert (ring.parameters["game"], pair.parameters["game"]) == ("ring-limit:6", "limit")
    agents = {str(setup.match("heads-up", number).parameters["agents"]) for number in range(8)}
    assert len(agents) == 4
