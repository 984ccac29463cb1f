"""Whether somebody is still the player who was seen before: counts, forecasts, and the sum beside a twin."""

import math
from collections.abc import Iterator

import pytest
from named import make_agent

from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.model.same_player import (
    FALSE_ALARM,
    ActionCounts,
    Decision,
    SamePlayerTest,
    decisions_of,
    forecast,
)
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match

LEDUC = parse_game("leduc")


def played(game: PokerGame, *actions: int) -> Hand:
    hand = LiveHand(game, (), game.rules.deck)
    for action in actions:
        hand.act(action)
    assert hand.over
    return hand.seen_by(0)


def seen(opponent: str, hands: int, seed: int) -> list[tuple[Hand, int]]:
    """Hands against an opponent, and the seat of the opponent."""
    match = Match(LEDUC, (make_agent("equilibrium", LEDUC), make_agent(opponent, LEDUC)), hands)
    found: list[tuple[Hand, int]] = []

    def note(hand: LiveHand) -> None:
        seat = hand.players.index(match.labels[1])
        found.append((hand.seen_by(1 - seat), seat))

    match.play(seed, record=note)
    return found


def test_decisions_by_history_round_and_whether_there_is_a_bet() -> None:
    hand = played(LEDUC, 1, 2, 1, 1, 2, 0)
    assert list(decisions_of(hand, 0)) == [
        ((0, ""), (0, 0, False), 1),
        ((0, "cr"), (0, 0, True), 1),
        ((0, "crc/"), (0, 1, False), 1),
        ((0, "crc/cr"), (0, 1, True), 0),
    ]
    assert [done for _, _, done in decisions_of(hand, 1)] == [2, 2]


def test_before_the_flop_of_holdem_there_is_a_bet_and_sizes_of_raises_do_not_matter() -> None:
    game = parse_game("nolimit:stacks=200")
    hands = [played(game, size, 1, 1, 1, 1, 1, 1, 1) for size in (6, 20)]
    found = [list(decisions_of(hand, hand.actions[0][0])) for hand in hands]
    assert found[0] == found[1]
    assert found[0][0][1][2]
    assert not found[0][1][1][2]


def test_rounds_without_decisions_are_passed_over() -> None:
    """All in before the flop: nobody decides anything later."""
    game = parse_game("nolimit:stacks=20")
    hand = played(game, 20, 1)
    assert [len(list(decisions_of(hand, seat))) for seat in (0, 1)] == [1, 1]


def test_a_forecast_goes_from_the_history_to_the_kind_of_situation_to_equal_chances() -> None:
    decision = ((0, "cr"), (0, 0, True), 1)
    assert forecast(decision, ActionCounts()) == pytest.approx(1 / 3)
    alike, same = ActionCounts(), ActionCounts()
    alike.add(((0, "r"), (0, 0, True), 1))
    assert forecast(decision, alike) == pytest.approx((1 + 1) / (1 + 3))
    same.add(decision)
    same.add(((0, "cr"), (0, 0, True), 0))
    usual = (2 + 1) / (3 + 3)
    assert forecast(decision, alike, same) == pytest.approx((1 + 3 * usual) / (2 + 3))


def slow_sums(before: list[tuple[Hand, int]], now: list[tuple[Hand, int]]) -> Iterator[float]:
    """The sum after each hand, every forecast from all decisions so far."""

    def chance(decision: Decision, known: list[Decision]) -> float:
        coarse = [one[2] for one in known if one[1] == decision[1]]
        fine = [one[2] for one in known if one[0] == decision[0]]
        usual = (coarse.count(decision[2]) + 1) / (len(coarse) + 3)
        return (fine.count(decision[2]) + 3 * usual) / (len(fine) + 3)

    earlier = [decision for hand, seat in before for decision in decisions_of(hand, seat)]
    present: list[Decision] = []
    total = 0.0
    for hand, seat in now:
        for decision in decisions_of(hand, seat):
            better = math.log(chance(decision, present)) - math.log(chance(decision, earlier + present))
            total = max(0.0, total + better)
            present.append(decision)
        yield total


def test_the_sum_is_that_of_a_slow_twin_and_ends_the_memory_at_its_bound() -> None:
    before, now = seen("equilibrium", 200, 1), seen("random", 300, 2)
    test = SamePlayerTest()
    assert not any(test.add(hand, seat) for hand, seat in before)
    assert not test.same  # nobody was met before
    test.begin()
    assert test.same
    for number, (one, expected) in enumerate(zip(now, slow_sums(before, now), strict=True), start=1):
        dropped = test.add(*one)
        assert test.sum == pytest.approx(expected)
        assert dropped == (expected > math.log(number / FALSE_ALARM))
        if dropped:
            break
    assert dropped
    assert not test.same
    assert not any(test.add(hand, seat) for hand, seat in now)  # once is enough
    alone = SamePlayerTest()  # the match of the change, and nothing before it, is the memory of the next one
    for one in (*now[:number], *now):
        alone.add(*one)
    for both in (test, alone):
        both.begin()
        assert both.same
    for one in seen("loose", 60, 3):
        assert test.add(*one) == alone.add(*one)
        assert test.sum == alone.sum


@pytest.mark.parametrize("opponent", ["equilibrium", "loose:0.4", "rule:number=15", "random"])
def test_the_same_player_is_known_again(opponent: str) -> None:
    test = SamePlayerTest()
    for seed in range(4):
        test.begin()
        assert not any(test.add(hand, seat) for hand, seat in seen(opponent, 200, seed))
