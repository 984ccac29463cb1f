"""Locks of spots: reads as text, frequencies turned into hands, curves of trust, certificates and noise."""

from functools import lru_cache
from typing import Any

import known_values
import numpy as np
import pytest
from naive_spots import payoff_matrix
from numpy.testing import assert_allclose
from numpy.typing import NDArray

import soulread as sr
from soulread.cards.deck import parse_cards
from soulread.cards.ranges import HAND_CARDS, hand_name, parse_range
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.spot import Betting, Rake, parse_menu
from soulread.model.deviation.fit_range import fit_frequencies
from soulread.respond.confidence import p_conf, parse_confidence
from soulread.respond.locks.reads import (
    Read,
    lock_reads,
    mark_reads,
    parse_read,
    places_of,
    settled,
    target_frequencies,
    verify_reads,
    villain_of,
)
from soulread.respond.locks.trust import DEFAULT_CONFIDENCE, find_baseline, hard, restriction_of, trust_curve
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.reach import arrivals, by_hand, by_orbit, hand_weights, orbit_reach
from soulread.seqform.spot import Spot
from soulread.seqform.strategy import plan_from_behaviour, random_behaviour
from soulread.solvers.best_response import best_value
from soulread.solvers.cfr.run import solve
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.restricted import Lock, Restriction
from soulread.study.spots.locks import study_locks
from soulread.study.spots.locks_terminal import print_locks

OOP, IP = "66+,A9s+,KQs,JTs,87s", "QQ-77,AQs-A9s,KTs+,87s"
TIDY: dict[str, Any] = {"add_all_in": 1.5, "force_all_in": 0.15, "merge": 0.1}
GAP = 0.15
EXACT = Stops(gap=GAP, iterations=2000)


def make(board="Td9d6hQc2s", oop=OOP, ip=IP, pot=200, stack=900, menu=("60%", "2.5x"), **rules):
    cards = parse_cards(board)
    betting = Betting(len(cards) - 3, pot, stack, parse_menu(*menu), **{**TIDY, **rules})
    return Spot(cards, (parse_range(oop), parse_range(ip)), betting, dtype=np.float64)


@lru_cache
def river():
    """A river spot, and its equilibrium without the engine that found it."""
    spot = make()
    return spot, find_baseline(spot_game(spot), EXACT)


@lru_cache
def rough():
    """A small river spot, and the first iterations of a solve, for what does not depend on its precision."""
    spot = make(oop="99,AKs,JTs,KQs", ip="JJ,99,AQs,87s")
    return spot, find_baseline(spot_game(spot), Stops(iterations=2))


def confidence_of(n):
    return float(p_conf(parse_confidence(DEFAULT_CONFIDENCE), np.array([float(n)]))[0])


def fresh():
    spot, _ = river()
    return spot, find_baseline(spot_game(spot), Stops(gap=0.5, iterations=2000))


# Text.


@pytest.mark.parametrize(
    ("text", "path", "frequencies", "hands"),
    [
        ("bet60: fold 60%", "bet60", {"fold": 0.6}, None),
        ("check bet60%: fold .45, raise 15%", "check bet60%", {"fold": 0.45, "raise": 0.15}, None),
        ("start: check 100%", "", {"check": 1.0}, None),
        ("bet60: QQ+,AKs: raise 100%", "bet60", {"raise": 1.0}, "QQ+,AKs"),
        ("check check *: bet60% 70%", "check check *", {"bet60%": 0.7}, None),
    ],
)
def test_reads_are_read_and_written(text, path, frequencies, hands):
    read = parse_read(text)
    assert (read.path, dict(read.frequencies)) == (path, frequencies)
    assert read.hands == (None if hands is None else parse_range(hands))
    assert parse_read(str(read)) == read


@pytest.mark.parametrize(
    ("reads", "message"),
    [
        (["bet60 fold 60%"], "is not a lock"),
        (["bet60: fold"], "are no frequencies"),
        (["bet60: fold many"], "'many' after 'fold'"),
        (["bet60: fold 60%, fold 20%"], "comes twice"),
        (["bet60: fold 160%"], "between 0% and 100%"),
        (["bet60: fold 60%, call 60%"], "sum to 120%, more than 100%"),
        (["bet60: fold 20%, call 20%, raise 20%"], "sum to 60%, not to 100%"),
        (["bet77: fold 20%"], "a node that is not there: 'bet77' is not possible"),
        (["bet60 fold: check 20%"], "a node that is not there: nobody decides"),
        (["bet60: check 20%"], "an action that is not there"),
        (["bet60: raise 20%, raise300 10%"], "names raise300 twice"),
        (["bet60: fold 60%", "check bet60: fold 20%"], "of both players"),
        (["bet60: fold 60%", "bet60: call 20%"], "of the same hands"),
        (["bet60: 22: fold 60%"], "ip has none of these hands"),
        ([], "nothing is locked"),
    ],
)
def test_bad_locks_get_one_sentence(reads, message):
    spot, baseline = rough()
    with pytest.raises(SoulreadError, match=message):
        lock_reads(spot, [parse_read(text) for text in reads], baseline.plans, baseline.behaviours)
    if "same hands" not in message:  # the others are found before anything is solved
        with pytest.raises(SoulreadError, match=message):
            verify_reads(spot, [parse_read(text) for text in reads])


def test_stars_are_every_card_and_marks_keep_suits_apart():
    spot = make("Td9d6hQc", "77,AKs", "JJ,A9s", stack=100, menu=("50%", "none"))
    anywhere = parse_read("check check *: check 90%")
    assert len(places_of(spot, anywhere)) == spot.num_boards[1]
    assert villain_of(spot, [anywhere]) == 0
    flop = make("Td9d6h", "77,AKs", "JJ,A9s", stack=100, menu=("50%", "none"))
    assert len(flop.renamings) == 2
    assert mark_reads(flop, [parse_read("bet50: fold 90%")]) is flop
    assert len(mark_reads(flop, [parse_read("bet50: A9s: fold 90%")]).renamings) == 2
    assert len(mark_reads(flop, [parse_read("bet50: Ac9c: fold 90%")]).renamings) == 1
    assert len(mark_reads(flop, [parse_read("check check 2c: bet 90%")]).renamings) == 1
    assert len(mark_reads(flop, [parse_read("check check 2h: bet 90%")]).renamings) == 2
    assert len(mark_reads(flop, [parse_read("check check *: bet 90%")]).renamings) == 2


# From frequencies to hands.


def test_arrivals_equal_counting_every_pair():
    spot = make("Td9d6hQc", "AhAs,KJs:0.5,87s", "AA,KdJd,55:0.25,AhJd", stack=300, menu=("50%", "none"))
    rng = np.random.default_rng(1)
    first, second = (plan_from_behaviour(tree, random_behaviour(tree, rng)) for tree in spot.trees)
    plans = first, second
    place = spot.find("bet100 call 2s check")
    node = spot.node(place)
    assert node.player == 1

    def played(player, hand):
        """The product of a player's own chances along the path, found by labels."""
        words = spot.path(place).split()
        chance = 1.0
        for end, word in enumerate(words):
            try:
                here = spot.find(" ".join(words[:end]))
            except SoulreadError:
                continue
            if spot.node(here).player != player:
                continue
            tree = spot.trees[player]
            rows = tree.sequences(tree.index(f"{hand_name(hand)}|{spot.path(here)}"))
            k = spot.find_action(spot.node(here), word, "")
            parent = tree.parent_sequence[tree.index(f"{hand_name(hand)}|{spot.path(here)}")]
            chance *= plans[player][rows.start + k * rows.step] / plans[player][parent]
        return chance

    dead = set(parse_cards("Td9d6hQc2s"))
    alive = [h for h in range(1326) if not dead & set(HAND_CARDS[h].tolist())]
    live = [[h for h in alive if spot.ranges[p].weights[h] > 0] for p in (0, 1)]
    expected = np.zeros(1326)
    for h in live[1]:
        met = sum(
            spot.ranges[0].weights[k] * played(0, k)
            for k in live[0]
            if not set(HAND_CARDS[h].tolist()) & set(HAND_CARDS[k].tolist())
        )
        expected[h] = spot.ranges[1].weights[h] * played(1, h) * met
    found: NDArray[np.float64] = arrivals(spot, place, plans)
    assert_allclose(found, expected, atol=1e-12)
    own = hand_weights(spot, place, 1, plans[1])
    assert_allclose(own[live[1]], [spot.ranges[1].weights[h] * played(1, h) for h in live[1]], atol=1e-12)
    orbits = orbit_reach(spot, place, 1, plans[1])
    table = by_hand(spot, place, 1, orbits)
    assert_allclose(table[live[1]], [played(1, h) for h in live[1]], atol=1e-12)
    assert by_orbit(spot, place, 1, own).sum() == pytest.approx(own.sum())


@pytest.mark.parametrize("method", ["shift", "l1", "l2"])
def test_frequencies_are_reached_by_hands(method):
    rng = np.random.default_rng(2)
    table = rng.dirichlet(np.ones(3), size=20).T
    weights = rng.random(20)
    weights[3] = 0
    wanted = np.array([0.6, 0.3, 0.1])
    found = fit_frequencies(table, weights, wanted, method)
    assert_allclose(found @ weights / weights.sum(), wanted, atol=1e-9)
    assert_allclose(found.sum(axis=0), 1, atol=1e-9)
    assert_allclose(found[:, 3], table[:, 3])
    assert_allclose(
        fit_frequencies(table, weights, table @ weights / weights.sum(), method), table, atol=1e-12
    )
    with pytest.raises(SoulreadError, match="sum to 1"):
        fit_frequencies(table, weights, 0.9 * wanted, method)


def test_what_is_not_named_keeps_its_proportions():
    spot, _ = rough()
    node = spot.node(spot.find("bet60"))
    before = np.array([0.5, 0.4, 0.1])
    assert_allclose(target_frequencies(spot, node, parse_read("bet60: fold 75%"), before), [0.75, 0.2, 0.05])
    assert_allclose(target_frequencies(spot, node, parse_read("bet60: raise 1"), before), [0, 0, 1])
    three = parse_read("bet60: fold 33.3%, call 33.3%, raise 33.3%")
    assert_allclose(target_frequencies(spot, node, three, before), [1 / 3, 1 / 3, 1 / 3])


def test_a_lock_of_single_hands_leaves_the_others_free():
    spot, baseline = rough()
    reads = [parse_read("bet60: JJ: fold 100%"), parse_read("bet60: 99: raise 100%")]
    (_, second) = lock_reads(spot, reads, baseline.plans, baseline.behaviours) * 2
    orbit = spot.hands(second.place, 1)
    jacks, nines, others = (orbit[parse_range(hands).weights > 0] for hands in ("JJ", "99", "AQs"))
    lock = second.lock
    assert_allclose(lock.model[:, jacks], np.tile([[1], [0], [0]], jacks.size), atol=1e-9)
    nines = nines[nines >= 0]
    assert_allclose(lock.model[:, nines], np.tile([[0], [0], [1]], nines.size), atol=1e-9)
    assert lock.confidence[jacks].tolist() == [1.0] * jacks.size
    assert not lock.confidence[others[others >= 0]].any()


def test_settled_takes_the_last_iteration_where_the_average_never_comes():
    spot, baseline = rough()
    tree = spot.trees[1]
    plan = baseline.plans[1].copy()
    current = random_behaviour(tree, np.random.default_rng(0))
    late = int(np.flatnonzero(tree.parent_sequence[tree.first_set[:-1]] > 0)[0])
    rows = slice(int(tree.first_sequence[late]), int(tree.first_sequence[late + 1]))
    parents = tree.parent_sequence[tree.first_set[late] : tree.first_set[late + 1]]
    plan[parents[0]] = 0
    found = settled(tree, plan, current)[rows].reshape(len(tree.actions[late]), -1)
    expected = current[rows].reshape(found.shape)
    assert_allclose(found[:, 0], expected[:, 0])
    reached = plan[parents] > 1e-3
    assert not np.allclose(found[:, reached], expected[:, reached])


# Trust.


@pytest.mark.compiled
@pytest.mark.parametrize("kind", ["c", "p"])
def test_curves_are_monotone_and_end_at_the_equilibrium_and_the_hard_lock(kind):
    spot, baseline = river()
    game = baseline.game
    read = parse_read("check bet60: fold 75%" if kind == "p" else "bet60: fold 75%")
    locked = lock_reads(spot, [read], baseline.plans, baseline.behaviours)
    villain = villain_of(spot, [read])
    locks = [one.lock for one in locked]
    curve = trust_curve(baseline, villain, locks, (0, 0.3, 0.6, 0.9, 1), kind, EXACT)
    at_least = [answer.at_least for answer in curve.answers]
    worst = [answer.worst for answer in curve.answers]
    slack = 2 * GAP / 0.1  # what two gaps may move an end of the curve, by the distance of the trusts
    assert np.all(np.diff(at_least) >= -slack)
    assert np.all(np.diff(worst) <= slack)
    assert at_least[-1] > at_least[0] + 5
    assert worst[-1] < worst[0] - 5
    sign = 1 if villain == 1 else -1
    equilibrium = sign * game.value(*baseline.plans)
    assert worst[0] == pytest.approx(equilibrium, abs=2 * GAP)
    alone = solve(game, stops=EXACT, restriction=Restriction(spot.trees[villain], locks=hard(locks)))
    assert at_least[-1] == pytest.approx(sign * alone.value, abs=4 * GAP)


@pytest.mark.compiled
def test_the_certificate_holds_and_the_risk_is_kept():
    spot, baseline = fresh()
    locks = [
        one.lock
        for one in lock_reads(spot, [parse_read("bet60: fold 75%")], baseline.plans, baseline.behaviours)
    ]
    curve = trust_curve(baseline, 1, locks, (0.5, 1), "c", Stops(gap=0.5, iterations=1000))
    matrix = payoff_matrix(spot)
    for risk in (0.0, 3.0, 20.0, 1e6):
        answer = curve.within(risk)
        assert curve.cost(answer) <= risk + 1e-5
        # The value of a best response of villain, from the matrix that was counted pair by pair.
        best = solve_villain(spot, -(answer.response.plan @ matrix))
        assert -best == pytest.approx(answer.worst, abs=1e-9)
        assert curve.equilibrium.worst - -best <= risk + 1e-5
    assert curve.within(1e6) is curve.answers[-1]
    assert 0 < curve.within(3.0).trust < 0.5
    assert curve.cost(curve.within(3.0)) > 1.5
    with pytest.raises(SoulreadError, match="a risk of -1"):
        curve.within(-1)


def solve_villain(spot, gradient):
    """A best response of player 1, by recursion over information sets."""
    tree = spot.trees[1]
    after: dict[int, list[int]] = {}
    for j, parent in enumerate(tree.parent_sequence.tolist()):
        after.setdefault(parent, []).append(j)

    def value(sequence):
        total = gradient[sequence]
        for j in after.get(sequence, []):
            rows = tree.sequences(j)
            total += max(value(c) for c in range(rows.start, rows.stop, rows.step))
        return total

    return value(0)


@pytest.mark.parametrize("kind", ["c", "p"])
def test_values_after_rake_are_heros_own_winnings(kind):
    """Every value of an answer, from the matrix of the slow twin: what hurts hero most may cost villain."""
    spot = make(oop="99,AKs,JTs", ip="JJ,99,AQs,87s", stack=100, rake=Rake(0.05, 8))
    baseline = find_baseline(spot_game(spot), Stops(gap=0.05, iterations=3000))
    place = spot.find("bet100")
    width = spot.width(0, 1)
    model = np.array([[0.8], [0.2]]) @ np.ones((1, width))
    lock = Lock(spot.block(place), model, np.ones(width))
    curve = trust_curve(baseline, 1, [lock], (0.5, 1.0), kind)
    won = payoff_matrix(spot, 0)  # of hero, who is out of position
    tree = spot.trees[1]
    read = baseline.behaviours[1].copy()
    read[spot.rows(place)] = model.ravel()
    for answer in curve.answers:
        x = answer.response.plan
        gradient = -(won.T @ x)
        assert answer.worst == pytest.approx(-best_value(tree, gradient), abs=1e-9)
        assert answer.if_right == pytest.approx(-plan_from_behaviour(tree, read) @ gradient, abs=1e-9)
        bound = Restriction(tree, locks=(lock,))
        assert answer.at_least == pytest.approx(-bound.bound_value(gradient), abs=1e-9)
    for risk in (0.5, 3.0):
        assert curve.cost(curve.within(risk)) <= risk * (1 + 1e-5)
    assert curve.gain(curve.answers[-1]) > 1
    # The solves are of the game in which each player has winnings of its own.
    assert curve.answers[-1].response.gap < 0.06


def test_wrong_trust_is_refused():
    spot, baseline = rough()
    lock = Lock(0, np.zeros((2, 1)), np.ones(1))
    with pytest.raises(SoulreadError, match=r"a trust of 1\.5"):
        restriction_of(baseline.game, 1, [lock], "c", 1.5)
    with pytest.raises(SoulreadError, match="kind 'x'"):
        restriction_of(baseline.game, 1, [lock], "x", 0.5)
    for wrong in ({"trust": 2.0}, {"trust": float("nan")}, {"risk": -1.0}, {"at": "bet60"}):
        with pytest.raises(SoulreadError, match=r"a trust of|a risk of|ip decides"):
            study_locks(spot, [parse_read("bet60: fold 75%")], **wrong)


# Studies.


@pytest.mark.compiled
def test_a_study_advises_and_names_the_hands_that_change(tmp_path, capsys):
    spot, _ = river()
    reads = [parse_read("bet60: fold 75%")]
    stops = Stops(gap=1.0, iterations=500)
    study = study_locks(spot, reads, stops=stops, trusts=(0.5, 1))
    assert study.chosen in study.curve.answers
    assert study.curve.cost(study.chosen) <= study.curve.gain(study.chosen)
    assert study.changes.path == ""
    assert study.changes.after[1] > study.changes.before[1] + 0.2
    hands = study.changes.hands
    assert [h.change * h.share for h in hands] == sorted((h.change * h.share for h in hands), reverse=True)
    asked = study_locks(spot, reads, stops=stops, trusts=(0.5,), trust=0.3)
    assert asked.chosen.trust == 0.3
    risked = study_locks(spot, reads, stops=stops, trusts=(0.5, 1), risk=4.0)
    assert risked.curve.cost(risked.chosen) <= 4.0 + 1e-5
    both = study_locks(spot, reads, stops=stops, trusts=(0.5, 1), risk=1e6, trust=0.5)
    assert both.chosen.trust == 0.5
    record = plain_data(study)
    assert record["locks"][0]["locked"]["fold"] == pytest.approx(0.75)
    assert record["villain"] == "ip"
    print_locks(study)
    study.plot().save(tmp_path / "curve.svg")
    assert "Advice: trust" in capsys.readouterr().out
    assert (tmp_path / "curve.svg").stat().st_size > 1000


@pytest.mark.compiled
def test_at_the_prompt():
    spot, _ = river()
    study = sr.lock(spot, "bet60: fold 75%", trust=0.5, gap=1.0)
    assert study.chosen.trust == 0.5
    assert study.hero == "oop"
    record = plain_data(study)
    assert [point["trust"] for point in record["curve"]] == [0, 0.25, 0.5, 0.75, 0.9, 1]


@pytest.mark.compiled
def test_noise_is_hardly_attacked_and_a_leak_is():
    """Twenty decisions of an equilibrium player against two thousand of one who folds too much."""
    spot, baseline = fresh()
    stops = Stops(gap=0.5, iterations=1000)
    place = spot.find("bet60")
    weights = by_orbit(spot, place, 1, arrivals(spot, place, baseline.plans))
    width = spot.width(place.board, 1)
    table = baseline.behaviours[1][spot.rows(place)].reshape(-1, width)
    honest = table @ weights / weights.sum()
    leaky = honest * [1, 0.6, 1]
    leaky[0] = 1 - leaky[1:].sum()
    costs = {}
    for n, truth in ((20, honest), (2000, leaky)):
        rng = np.random.default_rng(n)
        shares = rng.multinomial(n, truth / truth.sum()) / n
        read = Read("bet60", dict(zip(("fold", "call", "raise"), shares.tolist(), strict=True)), n=n)
        found = []
        for confidence in (confidence_of(n), 1.0):
            sure = Read("bet60", read.frequencies, confidence=confidence, n=n)
            locks = [one.lock for one in lock_reads(spot, [sure], baseline.plans, baseline.behaviours)]
            curve = trust_curve(baseline, 1, locks, (1.0,), "c", stops)
            found.append((curve.cost(curve.answers[-1]), curve.gain(curve.answers[-1])))
        costs[n] = found
    (little, _), (hard_cost, _) = costs[20]
    assert little < 3  # chips of a pot of 200
    assert little < 0.2 * hard_cost
    (_, gain), (_, hard_gain) = costs[2000]
    assert gain > 0.8 * hard_gain > 4


@pytest.mark.compiled
def test_the_curve_of_spot_b():
    """The figures of a trial with other code: a bet of 120, to which the opponent folds 40% of the calls."""
    spot = make(
        "Td9d6hQc",
        known_values.SPOT_OOP,
        known_values.SPOT_IP,
        menu=("60%,e,a", "2.5x", "river: 50%"),
    )
    spot = Spot(spot.board, spot.ranges, spot.betting, dtype=np.float32)
    baseline = find_baseline(spot_game(spot), Stops(gap=0.5, iterations=300))
    place = spot.find("bet120")
    table = baseline.behaviours[1][spot.rows(place)].reshape(3, -1).astype(np.float64)
    table[0] += 0.4 * table[1]
    table[1] *= 0.6
    lock = Lock(spot.block(place), table / table.sum(axis=0), np.ones(table.shape[1]))
    curve = trust_curve(baseline, 1, [lock], (0.9, 1), "c", Stops(gap=0.4, iterations=200))
    for answer, (right, worst) in zip(curve.answers[1:], known_values.SPOT_TURN_TRUST, strict=True):
        assert answer.at_least == pytest.approx(right, abs=1.2)
        assert answer.worst == pytest.approx(worst, abs=0.06 * abs(worst))
