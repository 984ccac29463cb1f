"""Rule players: habits move their play the way the words say."""

import math

import numpy as np
import pytest

from soulread.errors import ParseError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.poker import CALL, FOLD, RAISE, replay
from soulread.model.tabular import situations
from soulread.play.catalogue.known import parse_agent
from soulread.play.opponents.rating import rating_of
from soulread.play.opponents.rule_player import DRAWN, STAY, RuleOptions, RulePlayer
from soulread.seqform.compile import compile_factored

LEDUC = leduc()
PLAIN = dict.fromkeys(DRAWN, 0.0) | {"noise": 0.05}


def player(**habits):
    return RulePlayer("rule", RuleOptions(**{**PLAIN, **habits}), rating_of(LEDUC))


def chances(betting, cards, **habits):
    """What the seat to act does in Leduc."""
    state = replay(LEDUC, betting, cards)
    return player(**habits).probabilities(state.view(state.player))


def logistic(x):
    return 1 / (1 + math.exp(-x))


def test_ratings_of_small_games():
    rate = rating_of(LEDUC)
    king, jack, other_jack, queen = LEDUC.start().rules.deck[-1], *LEDUC.rules.deck[:3]
    # Four other cards are left. The king beats two jacks, ties with the other king and loses to the queen:
    assert rate((king,), (queen,)) == pytest.approx(((2 + 0.5) / 4, (2 + 0.5) / 4))
    assert rate((jack,), (other_jack,)) == (1.0, 1.0)  # a pair
    now, later = rate((jack,), ())
    # The other jack comes with chance 1/5 and wins for certain. Else only the other jack is no better:
    # it ties, among four cards.
    values = [1.0] + [0.5 / 4] * 4
    assert now == pytest.approx(np.mean(values))
    assert later == pytest.approx(math.sqrt(np.mean(np.square(values))))
    assert rating_of(kuhn())((kuhn().rules.deck[1],), ()) == (0.5, 0.5)


def test_every_decision_has_chances_that_sum_to_one():
    game = compile_factored(LEDUC)
    for number in range(8):
        rule = parse_agent(f"rule:number={number}").make(LEDUC)
        assert isinstance(rule, RulePlayer)
        for seat in (0, 1):
            for view, _ in situations(game, seat):
                found = rule.probabilities(view)
                assert list(found) == list(view.choices)
                assert min(found.values()) >= 0
                assert sum(found.values()) == pytest.approx(1)


def test_the_triple_on_paper():
    # A jack faces a bet before the flop: it rates x = 0.3, pays 2 into a pot of 4.
    x = rating_of(LEDUC)(LEDUC.rules.deck[:1], ())[0]
    weak = logistic((STAY - x) / 0.05)
    assert chances("r", "KsJs")[FOLD] == pytest.approx(weak)
    assert chances("r", "KsJs", bluff=0.3)[FOLD] == pytest.approx(weak * 0.7)
    assert chances("r", "KsJs", tight=0.1)[FOLD] == pytest.approx(logistic((STAY + 0.1 - x) / 0.05))
    assert chances("r", "KsJs", odds=1.0)[FOLD] == pytest.approx(logistic((2 / 6 - x) / 0.05))
    assert chances("r", "KsJs", respect=0.1)[FOLD] == pytest.approx(logistic((STAY + 0.1 - x) / 0.05))
    assert chances("r", "KsJs", position=0.1)[FOLD] == pytest.approx(logistic((STAY - 0.1 - x) / 0.05))
    assert FOLD not in chances("c", "KsJs")


def test_strong_hands_raise_unless_it_traps():
    pair = chances("cc/", "KsJsKh")
    assert pair[RAISE] == pytest.approx(logistic((1 - 0.66) / 0.05))
    assert chances("cc/", "KsJsKh", trap=0.4)[RAISE] == pytest.approx(0.6 * pair[RAISE])
    assert chances("cc/", "KsJsKh", timid=0.2)[RAISE] == pytest.approx(logistic((1 - 0.86) / 0.05))
    capped = chances("cc/rr", "KsJsKh")
    assert RAISE not in capped
    assert capped[CALL] > 0.99


def test_potential_counts_before_the_board():
    plain, hopeful = chances("", "JsKs"), chances("", "JsKs", potential=1.0)
    assert hopeful[RAISE] > plain[RAISE]  # the rating moves from HS to the root of E[HS^2], which is larger


def test_numbers_draw_habits_and_options_replace_them():
    first, second = RuleOptions(number=1), RuleOptions(number=2)
    assert first == RuleOptions(number=1) != second
    for name, (low, high) in DRAWN.items():
        assert low <= getattr(first, name) <= high
    changed = parse_agent("rule:number=1,tight=0.5").options
    assert changed.tight == 0.5
    assert changed.bluff == first.bluff
    with pytest.raises(ParseError, match=r"tight=2\.0; expected at least -1 and at most 1"):
        parse_agent("rule:tight=2")
    with pytest.raises(ParseError, match="noise"):
        parse_agent("rule:noise=0")
    with pytest.raises(ParseError, match="expected a number"):
        parse_agent("rule:tight=much")


def test_it_draws_what_it_says():
    state = replay(LEDUC, "r", "KsJs")
    view, rule, rng = state.view(state.player), player(), np.random.default_rng(0)
    drawn = np.bincount([rule.act(view, rng) for _ in range(4000)], minlength=3) / 4000
    for action, chance in rule.probabilities(view).items():
        assert abs(drawn[action] - chance) < 4 * math.sqrt(chance * (1 - chance) / 4000) + 1e-9
