"""The matches of learners in Leduc: chips, values, and what subpolicies could add."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from soulread.model.bayes.subpolicy import round_parts
from soulread.reproduce.tansey_2013 import matches
from soulread.reproduce.tansey_2013.learners import new_learner
from soulread.seqform.strategy import Behaviour, plan_from_behaviour
from soulread.solvers.skews import Skew, skew_behaviours


def streams():
    return np.random.default_rng(1), np.random.default_rng(2)


def test_profits_values_and_best_are_beyond_the_value_of_the_game():
    """Once more with the table: hands cost whole chips, and all three numbers have the value taken off."""
    leduc, value = matches.setting(), matches.game_value()
    assert value == pytest.approx(-0.0856, abs=1e-4)  # of the first seat, in chips per hand
    villain = matches.bent()[0]
    learner = new_learner("implicit", matches.setting(), [leduc.equilibrium, villain], 3)
    values, best, profits = matches.play_match(learner, [villain] * 41, *streams())

    plan = plan_from_behaviour(leduc.game.trees[1], villain[1])
    again = new_learner("implicit", matches.setting(), [leduc.equilibrium, villain], 3)
    cards, own = streams()
    for hand in range(40):
        behaviour = again.respond(0, own)
        assert values[hand] + value == pytest.approx(leduc.responder.value(0, behaviour, plan), abs=1e-12)
        seen = leduc.table.play(0, behaviour, villain[1], cards)
        assert seen.profit == int(seen.profit)
        assert profits[hand] + value == pytest.approx(seen.profit, abs=1e-12)
        again.learn(seen)
    assert_allclose(best + value, leduc.responder.best_value(0, plan), atol=1e-12)
    assert matches.best_gain(villain) == pytest.approx(best[0])


def test_subpolicies_gain_what_no_single_member_gives(monkeypatch):
    """An opponent who plays one member before the flop and another on it, and a portfolio of the two."""
    leduc = matches.setting()
    game = leduc.game
    fold, bluff = (
        skew_behaviours(game, leduc.equilibrium, [Skew("percent", amount)])
        for amount in ((50.0, 40.0, 10.0), (0.0, 20.0, 80.0))
    )
    later = np.append(False, round_parts(game)[1][game.trees[1].sequence_set[1:]] > 0)
    woven = fold[0], Behaviour(np.where(later, bluff[1], fold[1]))
    members = [fold, bluff, woven] + [leduc.equilibrium] * (matches.MEMBERS - 3)

    class Drawn:
        """Draws the first two members twice, and the third as the opponent; then the first alone."""

        draws = iter(([0, 1, 0, 1, 2], [0, 0, 0, 0, 0]))

        def integers(self, high, size):
            assert (high, size) == (matches.MEMBERS, 5)
            return np.array(next(self.draws))

    monkeypatch.setattr(matches, "population", lambda kind, seed: members)
    monkeypatch.setattr(matches, "stream", lambda *key: Drawn())
    both, alone = np.asarray(matches.subpolicy_gains("simple", 2, 1)["gains"])

    villain = plan_from_behaviour(game.trees[1], woven[1])
    single = [
        leduc.responder.value(
            0, leduc.responder.respond(0, plan_from_behaviour(game.trees[1], member[1])), villain
        )
        for member in (leduc.equilibrium, fold, bluff)
    ]
    assert both == pytest.approx(leduc.responder.best_value(0, villain) - max(single), abs=1e-12)
    assert both > 0.05
    assert alone == pytest.approx(0, abs=1e-12)  # the answer to the member itself is among the single ones


def test_a_fair_portfolio_never_holds_the_opponent():
    """Opponents come round after a hundred matches; portfolios are drawn anew in every match."""
    members = matches.population("simple", 1)
    paper = 0
    for match in (0, 7, 99, 100, 107, 250):
        opponent = matches.opponent("simple", 1, match)
        assert opponent is members[match % matches.MEMBERS]
        for again in range(40):  # the same opponent in later matches
            number = match + again * matches.MEMBERS
            fair = matches.portfolio("simple", "fair", 1, number)
            assert len(fair) == 5
            assert fair[0] is matches.setting().equilibrium
            assert all(member is not opponent for member in fair)
            paper += any(member is opponent for member in matches.portfolio("simple", "paper", 1, number))
    assert paper > 0  # the paper's may


def test_who_changes_changes_to_somebody_else():
    """All twelve ordered pairs of the four, in twelve matches."""
    bent = matches.bent()
    pairs = set()
    for match in range(12):
        course = matches.changing("switching", 1, match, 201)
        before, after = (
            next(i for i, pair in enumerate(bent) if np.allclose(pair[1], course[hand][1]))
            for hand in (99, 100)
        )
        assert np.allclose(course[200][1], bent[before][1])
        pairs.add((before, after))
    assert pairs == {(i, j) for i in range(4) for j in range(4) if i != j}
