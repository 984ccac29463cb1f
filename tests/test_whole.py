"""Whole players: beliefs about every decision of a spot, their draws, and what an answer promises."""

import json
import math
from collections import Counter, defaultdict
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from test_locks import make

import soulread as sr
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import ShapeError, SoulreadError
from soulread.games.named import parse_game
from soulread.games.unit import ChipUnit
from soulread.hands.hand import Hand
from soulread.hands.store import Query, Store
from soulread.model.deviation.fit_range import fit_frequencies
from soulread.model.deviation.model import METHODS
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match
from soulread.report.figures import Panel
from soulread.respond.confidence import parse_confidence
from soulread.respond.locks.trust import find_baseline, trust_curve
from soulread.respond.locks.whole import (
    KindRead,
    PlayerFrame,
    PlayerRead,
    Promise,
    believe,
    beyond_equilibrium,
    gain_parts,
    gains,
    most_behind,
    villain_nodes,
    with_rest,
)
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.reach import arrivals, by_orbit, hand_weights
from soulread.seqform.strategy import Behaviour, Plan, plan_from_behaviour, random_behaviour
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.stops import Stops
from soulread.study.reads.pool_counts import (
    CLASSES,
    INITIATIVES,
    PoolDecisions,
    fit_spread,
    fit_strength,
    log_likelihood,
    narrowest,
    pool_decisions,
)
from soulread.study.reads.whole import TRUST, SeenKind, kinds_of, named_kinds, study_whole
from soulread.study.reads.whole_terminal import print_whole
from soulread.study.spots.player_counts import SpotSituation, decisions_of, heads_up, size_class

CONFIDENCE = parse_confidence("curve:50")


def words_at(node):
    """The words of a node: fold, call, raise; or check, bet."""
    return ("fold", "call", "raise") if any(a.kind == "fold" for a in node.actions) else ("check", "bet")


def read_in(spot, villain=1, group=lambda street, words, i: (street, words, i), counts=None):
    """A read in which every decision is a kind of its own, or those of one group."""
    kinds = defaultdict(list)
    for street, i in villain_nodes(spot, villain):
        kinds[group(street, words_at(spot.tree[street].nodes[i]), i)].append((street, i))
    made = []
    for key, nodes in kinds.items():
        words = key[1]
        seen = np.zeros(len(words)) if counts is None else np.array(counts[len(words)], float)
        made.append(KindRead(str(key), words, tuple(nodes), seen, 10.0))
    return PlayerRead(villain, tuple(made))


@lru_cache
def small_turn():
    """A small turn spot, and the first iterations of a solve."""
    spot = make("Td9d6hQc", "99,AKs,JTs", "JJ,AQs,87s", stack=400, menu=("60%,a", "2.5x"))
    return spot, find_baseline(spot_game(spot), Stops(iterations=4))


@lru_cache
def small_river():
    """A small river spot, nearly solved."""
    spot = make(oop="99,AKs,JTs,KQs", ip="JJ,99,AQs,87s", menu=("60%,a", "2.5x"))
    return spot, find_baseline(spot_game(spot), Stops(gap=0.05, iterations=2000))


def naive_player(frame, spot, baseline, frequencies, method):
    """The behaviour of a player with frequencies, decision by decision, from the definition."""
    villain, tree = frame.villain, frame.tree
    hero_plan = baseline.plans[1 - villain]
    usual_plans = list(baseline.plans)
    behaviour = np.asarray(baseline.behaviours[villain], float).copy()
    e_sum: defaultdict[int, NDArray[np.float64]] = defaultdict(lambda: np.zeros(3))
    before = {}
    for block, _, rows in tree.blocks():
        place = frame.places[block]
        node = spot.node(place)
        k = frame.kind_of.get((place.street, place.node))
        if k is None:
            continue
        table = behaviour[rows].reshape(len(node.actions), -1)
        table /= table.sum(axis=0)
        weights = by_orbit(spot, place, villain, arrivals(spot, place, tuple(usual_plans)))
        before[block] = table @ weights / weights.sum()
        for a, action in enumerate(node.actions):
            e_sum[k][frame.words[k].index(action.kind)] += (
                spot.boards.count[place.board] * weights.sum() * before[block][a]
            )
    result = behaviour.copy()
    instead = {"raise": "call", "bet": "check"}
    for block, _, rows in tree.blocks():
        place = frame.places[block]
        node = spot.node(place)
        k = frame.kind_of.get((place.street, place.node))
        if k is None or frequencies[k] is None:
            continue
        words, kinds = frame.words[k], [action.kind for action in node.actions]
        plan = plan_from_behaviour(tree, Behaviour(result))
        if not hand_weights(spot, place, villain, plan).any():
            continue  # such a player never comes here
        plans = [hero_plan, plan] if villain == 1 else [plan, hero_plan]
        weights = by_orbit(spot, place, villain, arrivals(spot, place, tuple(plans)))
        f, e, here = (defaultdict[str, float](float) for _ in range(3))
        for j, word in enumerate(words):
            there = word if word in kinds else instead[word]
            f[there] += frequencies[k][j]
            e[there] += e_sum[k][j] / e_sum[k].sum()
        for a, kind in enumerate(kinds):
            here[kind] += before[block][a]
        target = []
        for a, kind in enumerate(kinds):
            part = before[block][a] / here[kind] if here[kind] > 1e-6 else 1 / kinds.count(kind)
            target.append(part * f[kind] * max(here[kind], 1e-3) / max(e[kind], 1e-3))
        table = behaviour[rows].reshape(len(kinds), -1)
        moved = fit_frequencies(table, weights, np.array(target) / sum(target), method)
        moved = np.maximum(moved, 0)
        result[rows] = (moved / moved.sum(axis=0)).ravel()
    return result


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alone", [True, False])
def test_a_player_is_moved_decision_by_decision(method, alone):
    spot, baseline = small_turn()
    read = read_in(spot, 1, *(() if alone else (lambda street, words, i: (street, words),)))
    frame = PlayerFrame(spot, baseline, read)
    rng = np.random.default_rng(3)
    frequencies = [None, *(rng.dirichlet(np.ones(len(kind.words))) for kind in read.kinds[1:])]
    found, plan = frame.player(frequencies, method)
    expected = naive_player(frame, spot, baseline, frequencies, method)
    assert_allclose(plan, plan_from_behaviour(frame.tree, Behaviour(expected)), atol=1e-9)
    assert_allclose(plan, plan_from_behaviour(frame.tree, Behaviour(found)), atol=1e-12)


def test_a_kind_of_one_decision_has_its_frequencies():
    spot, baseline = small_river()
    read = read_in(spot)
    frame = PlayerFrame(spot, baseline, read)
    frequencies = [
        np.array([0.5, 0.3, 0.2]) if len(k.words) == 3 else np.array([0.4, 0.6]) for k in read.kinds
    ]
    behaviour, plan = frame.player(frequencies)
    plans = baseline.plans[0], Plan(plan)
    looked = 0
    for k, kind in enumerate(read.kinds):
        place = spot.place(0, kind.nodes[0][1], ())
        node = spot.node(place)
        if {action.kind for action in node.actions} != set(kind.words):
            continue
        weights = by_orbit(spot, place, 1, arrivals(spot, place, plans))
        shares = behaviour[spot.rows(place)].reshape(len(node.actions), -1) @ weights / weights.sum()
        found: Counter[str] = Counter()
        for action, share in zip(node.actions, shares, strict=True):
            found[action.kind] += share
        assert_allclose([found[word] for word in kind.words], frequencies[k], atol=1e-9)
        looked += 1
    assert looked >= 2
    same, _ = frame.player([frame.usual(k) for k in range(len(read.kinds))])
    assert_allclose(same, frame.behaviour, atol=1e-9)


def test_reach_is_how_often_a_decision_comes():
    spot, baseline = small_turn()
    read = read_in(spot, 1)
    frame = PlayerFrame(spot, baseline, read)
    checked = next(
        k for k, kind in enumerate(read.kinds) if spot.path(spot.place(*kind.nodes[0], ())) == "check"
    )
    bet = sum(
        frame.reach[k]
        for k, kind in enumerate(read.kinds)
        if kind.nodes[0][0] == 0
        and spot.path(spot.place(0, kind.nodes[0][1], ())).startswith("bet")
        and len(spot.path(spot.place(0, kind.nodes[0][1], ())).split()) == 1
    )
    assert frame.reach[checked] + bet == pytest.approx(1, abs=1e-6), "the first decision is of the other"
    assert (frame.reach <= 1 + 1e-9).all()


def believed(rest="read", named=(0, 1), draws=60, **settings):
    spot, baseline = small_river()
    read = read_in(spot, counts={3: [70, 20, 10], 2: [80, 20]})
    frame = PlayerFrame(spot, baseline, read)
    read = with_rest(read, rest, named)
    return spot, baseline, believe(frame, read, CONFIDENCE, draws=draws, **settings)


def test_a_belief_is_the_mean_of_its_draws():
    _, _, belief = believed()
    mean = belief.plans.mean(axis=0)
    assert_allclose(plan_from_behaviour(belief.frame.tree, belief.behaviour), mean, atol=1e-5)
    for k, kind in enumerate(belief.read.kinds):
        alpha = 10 * belief.frame.usual(k)
        expected = np.maximum(alpha, 0.05) + kind.counts
        assert_allclose(belief.alpha[k], expected)
        assert_allclose(belief.mean(k), expected / expected.sum())
        assert belief.confidence[k] == pytest.approx(100 / 150)
        assert (belief.interval(k)[:, 0] <= belief.interval(k)[:, 1]).all()
    assert len(belief.locks) == belief.frame.tree.num_blocks
    again = believed()[2]
    assert np.array_equal(again.plans, belief.plans)
    assert not np.array_equal(believed(seed=1)[2].plans, belief.plans)


@pytest.mark.parametrize("rest", ["read", "pool", "perfect"])
def test_the_rest_is_a_choice(rest):
    spot, baseline = small_river()
    read = read_in(spot, counts={3: [70, 20, 10], 2: [80, 20]})
    pooled = PlayerRead(
        1,
        tuple(
            KindRead(
                kind.name,
                kind.words,
                kind.nodes,
                kind.counts,
                30.0,
                np.full(len(kind.words), 1 / len(kind.words)),
            )
            for kind in read.kinds
        ),
    )
    frame = PlayerFrame(spot, baseline, read)
    belief = believe(frame, with_rest(pooled, rest, (0,)), CONFIDENCE, draws=40)
    assert belief.confidence[0] == pytest.approx(130 / 180)
    others = range(1, len(read.kinds))
    if rest == "perfect":
        assert {lock.block for lock in belief.locks} == {
            block for block in range(frame.tree.num_blocks) if frame.arrays.kind[block] == 0
        }
        for k in others:
            assert belief.confidence[k] == 0
            assert_allclose(belief.frequencies[k], np.tile(frame.usual(k), (40, 1)))
    for k in others:
        n = len(pooled.kinds[k].words)
        if rest == "pool":
            assert_allclose(belief.mean(k), np.full(n, 1 / n))
            assert belief.confidence[k] == pytest.approx(30 / 80)
        if rest == "read":
            assert_allclose(belief.mean(k), (10 * 3 / n + pooled.kinds[k].counts) / 130)


@lru_cache
def answered():
    spot, baseline, belief = believed(draws=80)
    fresh = find_baseline(spot_game(spot), Stops(gap=0.3, iterations=2000))
    curve = trust_curve(fresh, 1, belief.locks, (0.5, 1.0), "c", Stops(gap=0.3, iterations=2000))
    return spot, baseline, belief, curve


def test_a_promise_is_what_the_draws_lose():
    _, _, belief, curve = answered()
    answer = curve.answers[-1]
    found = gains(curve, answer, belief)
    game = curve.game
    for i in (0, 7):
        plan = belief.plans[i].astype(np.float64)
        expected = game.value(answer.response.plan, plan) - game.value(curve.equilibrium.response.plan, plan)
        assert found[i] == pytest.approx(expected, abs=1e-4)
    promise = Promise.of(found)
    assert promise.mean == pytest.approx(curve.gain(answer), abs=0.02)
    assert (
        promise.low == pytest.approx(np.sort(found)[[1, 2]] @ [0.025, 0.975], abs=1e-9)
        or promise.low < promise.mean
    )
    assert promise.low < promise.mean < promise.high
    assert promise.losing == (found < 0).mean()


def test_the_parts_of_a_gain_sum_to_it():
    _, _, belief, curve = answered()
    answer = curve.answers[-1]
    parts = gain_parts(curve, answer, belief)
    assert [part.kind for part in parts] == [-1, *range(len(belief.read.kinds))]
    assert sum(part.chips for part in parts) == pytest.approx(gains(curve, answer, belief).mean(), abs=1e-3)
    gradient = beyond_equilibrium(curve, answer)
    honest = plan_from_behaviour(belief.frame.tree, belief.frame.behaviour)
    assert parts[0].chips == pytest.approx(float(gradient @ honest), abs=1e-9)
    values = {}
    for played in ((), (0,), tuple(range(1, len(belief.read.kinds)))):
        behaviour = belief.frame.behaviour.copy()
        for block, _, rows in belief.frame.tree.blocks():
            if int(belief.frame.arrays.kind[block]) in played:
                behaviour[rows] = belief.behaviour[rows]
        values[played] = float(gradient @ plan_from_behaviour(belief.frame.tree, behaviour))
    whole = sum(part.chips for part in parts)
    first, last = values[(0,)] - values[()], whole - values[tuple(range(1, len(belief.read.kinds)))]
    assert parts[1].chips == pytest.approx((first + last) / 2, abs=1e-3)


def test_nobody_makes_an_answer_fall_further_behind():
    spot, _, _, curve = answered()
    answer = curve.answers[-1]
    behind = most_behind(curve, answer)
    gradient = beyond_equilibrium(curve, answer)
    rng = np.random.default_rng(5)
    for _ in range(20):
        plan = plan_from_behaviour(spot.trees[1], random_behaviour(spot.trees[1], rng))
        assert -float(gradient @ plan) <= behind + 1e-9
    _, worst = best_response(spot.trees[1], -gradient)
    lost = curve.game.value(curve.equilibrium.response.plan, worst) - curve.game.value(
        answer.response.plan, worst
    )
    assert lost == pytest.approx(behind, abs=1e-6)
    assert behind >= curve.cost(answer) - 1e-6
    assert most_behind(curve, curve.equilibrium) == 0


@pytest.mark.parametrize(
    ("make_read", "message"),
    [
        (lambda spot: PlayerRead(1, read_in(spot).kinds[1:]), "each of one kind"),
        (
            lambda spot: PlayerRead(1, (*read_in(spot).kinds, read_in(spot).kinds[0])),
            "belong to several kinds",
        ),
        (lambda spot: KindRead("a", ("check", "bet"), ((0, 0),), np.zeros(3), 1.0), "counts of shape"),
        (
            lambda spot: KindRead("a", ("check", "bet"), ((0, 0),), np.zeros(2), 0.0),
            "strength must be above 0",
        ),
        (lambda spot: KindRead("a", ("check", "bet"), ((0, 0),), np.zeros(2), 1.0, use="never"), "never"),
        (lambda spot: with_rest(read_in(spot), "best", ()), "best"),
    ],
)
def test_bad_reads_get_one_sentence(make_read, message):
    spot, baseline = small_river()
    with pytest.raises((SoulreadError, ShapeError), match=message):
        PlayerFrame(spot, baseline, make_read(spot))


def test_frequencies_that_are_none_are_refused():
    spot, baseline = small_river()
    read = read_in(spot)
    frame = PlayerFrame(spot, baseline, read)
    with pytest.raises(SoulreadError, match="sum to 1"):
        frame.player([np.full(len(kind.words), 0.9) for kind in read.kinds])
    with pytest.raises(SoulreadError, match="an interval needs at least 20"):
        believe(frame, read, CONFIDENCE, draws=5)
    with pytest.raises(SoulreadError, match="nothing is known of the player"):
        believe(frame, read, CONFIDENCE)


# What a pool does.


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Hands of two players and of others, with stacks that differ, so that all-ins are called for less."""
    path = tmp_path_factory.mktemp("whole") / "hands.db"
    hands: list[Hand] = []
    for seed, (stacks, names) in enumerate([("60", ("always-call", "random")), ("25", ("random", "probe"))]):
        game = parse_game(f"nolimit:stacks={stacks}")
        agents = tuple(parse_agent(text).make(game) for text in names)
        Match(game, agents, 250).play(seed, record=lambda hand: hands.append(hand.seen_by(None)))
    with Store.open(path) as opened:
        opened.add(hands)
    return path


def test_decisions_of_a_pool_are_those_of_its_hands(store):
    with Store.open(store, read_only=True) as opened:
        found = pool_decisions(opened)
        names = opened.names()
        hands = [hand for _, hand in opened.find()]
    expected: Counter[tuple[object, ...]] = Counter()
    for hand in hands:
        for seat, part, one in heads_up(hand):
            situation = one.situation
            size = None if situation.size is None else size_class(part, CLASSES)
            row = (situation.street, situation.raises, size, situation.in_position, situation.initiative)
            expected[(hand.players[seat], *row, one.action)] += 1
    mine: Counter[tuple[object, ...]] = Counter()
    for i in range(len(found)):
        size = None if found.size[i] < 0 else CLASSES[found.size[i]][0]
        action = ("fold", "check", "call", "bet" if size is None else "raise")[found.action[i]]
        kind = (int(found.street[i]), int(found.raises[i]), size, bool(found.in_position[i]))
        mine[(names[int(found.player[i])], *kind, INITIATIVES[found.initiative[i]], action)] += 1
    assert sum(expected.values()) > 300
    assert mine == expected
    situation = SpotSituation(3, 0, None, True, None, None)
    players, table = found.counts(situation)
    for player, row in zip(players, table, strict=True):
        for word, count in zip(("check", "bet"), row, strict=True):
            assert count == sum(
                times
                for key, times in expected.items()
                if key[0] == names[int(player)] and key[1:5] == (3, 0, None, True) and key[6] == word
            )


def test_the_narrowest_situation_with_enough_decisions_is_taken():
    def column(value, n=40):
        return np.full(n, value)

    decisions = PoolDecisions(
        np.array([1] * 35 + [2] * 5),
        np.arange(40),
        column(3),
        column(0),
        column(-1),
        column(True),
        np.array([0] * 20 + [1] * 20),
        np.array([1, 3] * 20),
    )
    situation = SpotSituation(3, 0, None, True, "nobody", "dry")
    assert narrowest(decisions, situation, 1, 20) == SpotSituation(3, 0, None, True, "nobody", None)
    assert narrowest(decisions, situation, 1, 21) == SpotSituation(3, 0, None, True, None, None)
    assert narrowest(decisions, situation, 2, 30) == SpotSituation(3, 0, None, None, None, None)
    assert narrowest(decisions, situation, None, 40) == SpotSituation(3, 0, None, True, None, None)


def test_the_likelihood_of_a_spread_is_that_of_drawing_one_by_one():
    counts = np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 2.0]])
    mean, strength = np.array([0.5, 0.3, 0.2]), 7.0
    expected = -(math.log(strength / 30) ** 2) / 2
    for row in counts:
        seen = np.zeros(3)
        for a, times in enumerate(row.astype(int)):
            for _ in range(times):
                expected += math.log((strength * mean[a] + seen[a]) / (strength + seen.sum()))
                seen[a] += 1
    assert log_likelihood(counts, mean, strength) == pytest.approx(expected)


def test_a_spread_is_found_again():
    rng = np.random.default_rng(0)
    mean = np.array([0.5, 0.35, 0.15])
    players = rng.dirichlet(15 * mean, 300)
    counts = np.array([rng.multinomial(40, one) for one in players], float)
    found, strength = fit_spread(counts)
    assert_allclose(found, mean, atol=0.02)
    assert 11 < strength < 20
    best = log_likelihood(counts, found, strength)
    for factor in (0.9, 1.1):
        assert log_likelihood(counts, found, strength * factor) < best
    assert fit_strength(counts, mean) == pytest.approx(strength, rel=0.05)
    assert fit_strength(counts, np.array([0.2, 0.2, 0.6])) < 3, "far from this mean, players differ much"
    alike = np.array([rng.multinomial(40, mean) for _ in range(300)], float)
    assert fit_spread(alike)[1] > 200
    assert fit_spread(np.zeros((0, 2)))[1] == pytest.approx(30, rel=0.01)


# The study.


def seen_kinds(spot, counts):
    """Kinds of the decisions of a river spot, with a pool of forty players."""
    rng = np.random.default_rng(1)
    found = []
    for kind in read_in(spot).kinds:
        n = len(kind.words)
        others = np.array([rng.multinomial(30, one) for one in rng.dirichlet(np.full(n, 8.0), 40)], float)
        situation = SpotSituation(3, 0, "medium" if n == 3 else None, True, None, None)
        path = spot.path(spot.place(*kind.nodes[0], ()))
        found.append(SeenKind(situation, kind.nodes, path, np.array(counts[n], float), others))
    return tuple(found)


@pytest.mark.parametrize(("rest", "prior"), [("read", "pool"), ("pool", "equilibrium"), ("perfect", "pool")])
def test_a_study_tells_every_decision(rest, prior, capsys):
    spot, _ = small_river()
    kinds = list(seen_kinds(spot, {3: [40, 5, 5], 2: [5, 5]}))
    study = study_whole(
        spot,
        kinds,
        1,
        player="Bob",
        rest=rest,
        prior=prior,
        trusts=(0.0, 1.0),
        draws=40,
        stops=Stops(gap=0.5, iterations=1000),
    )
    record = plain_data(study)
    json.dumps(record)
    assert [one["n"] for one in record["decisions"]] == [int(kind.counts.sum()) for kind in kinds]
    uses = {one["at"]: one["use"] for one in record["decisions"]}
    assert {uses[kind.path] for kind in kinds if len(kind.words) == 2} == {rest}
    assert {uses[kind.path] for kind in kinds if len(kind.words) == 3} == {"read"}
    total = record["entry"] + sum(one["gain"] for one in record["decisions"])
    assert total == pytest.approx(record["chosen"]["gain"], abs=0.01)
    assert record["chosen"]["low"] <= record["chosen"]["gain"] <= record["chosen"]["high"]
    assert study.chosen.behind >= study.chosen.cost - 1e-6
    print_whole(study)
    printed = " ".join(capsys.readouterr().out.split())
    assert "Bob, ip: equilibrium -> believed (95%)" in printed
    assert (
        f"It gains {study.chosen.promise.mean:z.2f} chips, between {study.chosen.promise.low:z.2f}" in printed
    )
    assert f"{study.entry:z.2f} more are what" in printed
    for row in study.decisions:
        assert row.path in printed
    (panel,) = study.plot().panels
    assert isinstance(panel, Panel)
    assert panel.curves[0].low == tuple(point.promise.low for point in study.points)


def test_the_answer_is_the_best_for_one_who_is_mostly_as_believed(capsys):
    """p times the gain less (1 - p) times the cost is as great as in any answer, trusted by number or not."""
    spot, _ = small_river()
    kinds = seen_kinds(spot, {3: [60, 20, 20], 2: [70, 30]})
    settings: dict[str, Any] = {
        "trusts": (0.0, 0.5, 0.9, 1.0),
        "draws": 40,
        "stops": Stops(gap=0.02, iterations=4000),
    }
    study = study_whole(spot, kinds, 1, **settings)
    careful = study_whole(spot, kinds, 1, confidence=CONFIDENCE, **settings)
    assert (study.curve.kind, study.chosen.answer.trust) == ("p", TRUST)
    assert (careful.curve.kind, careful.chosen.answer.trust) == ("c", 1.0)
    assert [row.confidence for row in study.decisions] == [1.0] * len(kinds)
    assert all(0 < row.confidence < 1 for row in careful.decisions)

    def worth(point):
        return TRUST * point.promise.mean - (1 - TRUST) * point.cost

    best = worth(study.chosen)
    assert best > 0.5
    for point in (*study.points, *careful.points):
        assert worth(point) <= best + 0.05
    assert worth(study.points[-1]) < best - 0.05
    # Less risk and less gain.
    assert careful.chosen.cost < study.chosen.cost < study.points[-1].cost
    assert careful.chosen.promise.mean < study.chosen.promise.mean < study.points[-1].promise.mean
    print_whole(study)
    assert "with this probability the player is as believed" in " ".join(capsys.readouterr().out.split())


def test_risk_bounds_the_cost():
    spot, _ = small_river()
    study = study_whole(
        spot,
        seen_kinds(spot, {3: [80, 10, 10], 2: [50, 50]}),
        1,
        risk=1.0,
        trusts=(0.0, 0.5, 1.0),
        draws=20,
        stops=Stops(gap=0.1, iterations=1000),
    )
    assert study.points[-1].cost > 1
    assert 0 < study.chosen.cost <= 1 + 1e-5
    assert "costs at most 1 chips" in study.why


def test_a_spot_in_big_blinds_is_told_in_big_blinds(capsys):
    spot, _ = small_river()
    told = []
    for unit, risk in ((ChipUnit(), 1.0), (ChipUnit("bb", 4, 1), 0.25)):
        one = replace(spot, betting=replace(spot.betting, unit=unit))
        study = study_whole(
            one,
            seen_kinds(one, {3: [80, 10, 10], 2: [50, 50]}),
            1,
            risk=risk,
            trusts=(0.0, 0.5, 1.0),
            draws=20,
            stops=Stops(iterations=100),
        )
        told.append(plain_data(study))
        print_whole(study)
    chips, blinds = told
    assert (chips["unit"], blinds["unit"]) == ("chips", "bb")
    assert "costs at most 0.25 bb" in blinds["chosen"]["why"]
    for name in ("pot", "stack", "entry"):
        assert blinds[name] == pytest.approx(chips[name] / 4)
    for name in ("gain", "low", "high", "cost", "behind", "least", "worst", "gap"):
        assert blinds["chosen"][name] == pytest.approx(chips["chosen"][name] / 4, abs=1e-9)
    for one, other in zip(blinds["decisions"], chips["decisions"], strict=True):
        assert one["gain"] == pytest.approx(other["gain"] / 4, abs=1e-9)
    assert f"It gains {blinds['chosen']['gain']:z.2f} bb" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rest": "perfect"}, "all of the player would be perfect"),
        ({"rest": "good"}, "good"),
        ({"prior": "good"}, "good"),
        ({"trust": 2.0}, "a trust of 2.0; it lies between 0 and 1"),
        ({"risk": -1.0}, "a risk of -1.0 chips; it must not be negative"),
        ({"paths": ("",)}, "oop decides at ''"),
    ],
)
def test_a_study_that_cannot_be_is_refused(settings, message):
    spot, _ = small_river()
    with pytest.raises(SoulreadError, match=message):
        study_whole(spot, seen_kinds(spot, {3: [1, 1, 1], 2: [1, 1]}), 1, **settings)


def test_paths_name_what_is_not_the_rest():
    spot, _ = small_river()
    kinds = seen_kinds(spot, {3: [1, 1, 1], 2: [50, 1]})
    by_number = named_kinds(spot, kinds)
    assert {len(kinds[k].words) for k in by_number} == {2}
    place = spot.find("bet60")
    (found,) = named_kinds(spot, kinds, ("bet60", "bet60"))
    assert (place.street, place.node) in kinds[found].nodes


@pytest.mark.compiled
def test_the_command_reads_a_whole_player(store, tmp_path):
    words = ["lock", "2c3d7h9sJd", "--db", str(store), "--player", "always-call", "--whole"]
    spot = ["--oop", "JJ,T8s", "--ip", "99,AKs", "--pot", "20", "--stack", "60", "--gap", "2%"]
    done = CliRunner().invoke(cli, [*words, *spot, "--rest", "pool", "--json"], prog_name="soulread")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    assert record["rest"] == "pool"
    assert record["player"] == "always-call"
    assert {one["use"] for one in record["decisions"]} <= {"read", "pool"}
    with Store.open(store, read_only=True) as opened:
        seen = [
            one
            for _, hand in opened.find(Query(player="always-call"))
            for one in decisions_of(hand, "always-call")
        ]
    checked = next(one for one in record["decisions"] if one["at"] == "check")
    assert 0 < checked["n"] <= len([one for one in seen if one.situation.street == 3])
    assert next(one for one in checked["actions"] if one["action"] == "bet")["counted"] == 0
    for wrong, message in (
        (["--rest", "pool"], "--rest needs --whole"),
        (["--prior", "pool"], "--prior needs --whole"),
        (["--whole", "--trust-kind", "p"], "leave out --trust-kind p"),
    ):
        done = CliRunner().invoke(cli, [*words[:-1], *spot, *wrong], prog_name="soulread")
        assert done.exit_code != 0
        assert message in done.output


@pytest.mark.compiled
def test_a_whole_player_at_the_prompt(store):
    spot = make("2c3d7h9sJd", "JJ,T8s", "99,AKs", pot=20, stack=60)
    study = sr.lock_player(store, "always-call", spot, gap=0.5, trust=0.75, rest="pool", seed=2)
    assert (study.player, study.villain, study.rest, study.chosen.answer.trust) == (
        "always-call",
        "ip",
        "pool",
        0.75,
    )
    assert study.to_rows()[0]["n"] == study.decisions[0].n
    with pytest.raises(SoulreadError, match="villain 'button'"):
        sr.lock_player(store, "always-call", spot, villain="button")
    with pytest.raises(SoulreadError, match="is not in"):
        sr.lock_player(store, "nobody", spot)


def test_kinds_of_a_spot_are_counted_in_like_situations(store):
    spot = make("2c3d7h9s", "JJ,T8s", "99,AKs", pot=20, stack=60)
    with Store.open(store, read_only=True) as opened:
        decisions = pool_decisions(opened)
        number = opened.player_number("always-call")
    kinds = kinds_of(spot, 1, decisions, number)
    nodes = [node for kind in kinds for node in kind.nodes]
    assert sorted(nodes) == sorted(villain_nodes(spot, 1))
    for kind in kinds:
        players, table = decisions.counts(kind.situation)
        assert_allclose(kind.counts, table[players == number].sum(axis=0))
        assert_allclose(kind.counts + kind.others.sum(axis=0), table.sum(axis=0))
