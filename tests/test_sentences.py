"""Tests and rules in words: one test, what several of them say together, and what does not hold."""

import pytest
from naive_relational import all_tests

from soulread.cards.scales import card_facts
from soulread.model import situation
from soulread.model.relational.language import NONE, Language, Outcome, QueryKind
from soulread.model.relational.sentences import Asked, conditions_of, words


def table(number: int, bound: int, holds: bool = True) -> Asked:
    return Asked(QueryKind.TABLE, number, bound, 0, holds)


def card(fact: int, bound: int, holds: bool = True) -> Asked:
    return Asked(QueryKind.CARD, fact, bound, 0, holds)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ([table(situation.LEFT, 3)], "players left: 3 or more"),
        ([table(situation.LEFT, 3, False)], "players left: at most 2"),
        ([table(situation.LEFT, 2), table(situation.LEFT, 5, False)], "players left: 2 to 4"),
        ([table(situation.LEFT, 4, False), table(situation.LEFT, 3)], "players left: 3"),
        ([table(situation.LEFT, 2), table(situation.LEFT, 4)], "players left: 4 or more"),
        ([table(situation.RAISES, 1, False)], "raises in this round: none"),
        ([table(situation.ROUND, 2, False)], "the round is flop"),
        ([table(situation.ROUND, 2), table(situation.ROUND, 3, False)], "the round is turn"),
        ([table(situation.ODDS, 4)], "the call costs more than 0.25 of the pot after the call"),
        ([table(situation.ODDS, 4, False)], "the call costs at most 0.25 of the pot after the call"),
        (
            [table(situation.ODDS, 2), table(situation.ODDS, 4, False)],
            "the call costs more than 0.12 and at most 0.25 of the pot after the call",
        ),
        ([table(situation.TO_CALL, 1, False)], "nothing is to be called"),
        ([table(situation.HIGH_CARD, 9, False)], "the highest card of the board is at most T"),
        ([card(card_facts.PLACE, 12)], "the cards are among the best 40% before the flop"),
        ([card(card_facts.PLACE, 12, False)], "the cards are not among the best 40% before the flop"),
        (
            [card(card_facts.PLACE, 12), card(card_facts.PLACE, 16, False)],
            "the cards are among the best 40% but not among the best 20% before the flop",
        ),
        ([card(card_facts.SUITED, 1, False)], "the cards are not suited"),
        ([card(card_facts.HIGH, 9), card(card_facts.HIGH, 12, False)], "the high card is J to K"),
        ([card(card_facts.MADE_HAND, 3)], "the cards make top pair or better"),
        ([card(card_facts.MADE_HAND, 3, False)], "the cards make middle pair at most"),
        ([card(card_facts.MADE_HAND, 1, False)], "the cards make no pair"),
        (
            [card(card_facts.MADE_HAND, 1), card(card_facts.MADE_HAND, 4, False)],
            "the cards make low pair to top pair",
        ),
        ([card(card_facts.DRAW, 1), card(card_facts.DRAW, 3, False)], "the cards have gutshot or open-ended"),
        ([card(card_facts.OVERS, 2, False)], "cards above the board: at most 1"),
        ([Asked(QueryKind.SOME, situation.LOOSE, NONE, 0, False)], "there is no player Q: Q is loose"),
        ([Asked(QueryKind.BOUND, situation.LOOSE, NONE, 1, False)], "not (Q is loose)"),
    ],
)
def test_what_several_tests_say_of_one_thing_is_one_condition(path: list[Asked], said: str) -> None:
    assert conditions_of(path, holding=True) == (said,)


def test_conditions_come_in_the_order_of_the_tests() -> None:
    path = [card(card_facts.PLACE, 12), table(situation.LEFT, 3), card(card_facts.PLACE, 16)]
    assert conditions_of(path, holding=True) == (
        "the cards are among the best 20% before the flop",
        "players left: 3 or more",
    )


def test_where_cards_are_known_only_if_shown_a_failed_test_does_not_say_that_they_are_weak() -> None:
    strong = "P shows the cards, and the cards are among the best 40% before the flop"
    assert conditions_of([card(card_facts.PLACE, 12, False)]) == (f"not ({strong})",)
    shown = "the cards are among the best 40% but not among the best 20% before the flop", "P shows the cards"
    assert conditions_of([card(card_facts.PLACE, 12), card(card_facts.PLACE, 16, False)]) == shown
    told = [Asked(QueryKind.OUTCOME, Outcome.CARDS, NONE, 0), card(card_facts.PLACE, 12, False)]
    assert conditions_of(told) == (
        "P shows the cards",
        "the cards are not among the best 40% before the flop",
    )


def test_every_test_of_the_language_has_words_whatever_its_answer() -> None:
    for bound in range(3):
        for kind, a, b in all_tests(Language(), bound):
            for holds in (True, False):
                for holding in (True, False):
                    (said, *_) = conditions_of([Asked(kind, a, b, bound, holds)], holding=holding)
                    assert len(said) > 5
            assert len(words(kind, a, b, bound)) > 5
