"""Sizing tells: sizes in pots by hand, strengths by the slow way, and what may be told."""

import itertools

import numpy as np
import pytest

from soulread.cards.deck import parse_cards
from soulread.cards.evaluate import evaluate
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.estimate import wilson_interval
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import replay
from soulread.hands.hand import Hand
from soulread.hands.record import seen_by, seen_by_dealer
from soulread.hands.store import Query, Store
from soulread.study.hands.sizing import ALL_IN, SizedBet, SizingStudy, bets_of, size_lines, study_sizing

CARDS = parse_cards("AhAd KsQs 2c7d9h Jc 3s")


def hand(betting: str, shown: bool = True) -> Hand:
    board = (0, 3, 4, 5)[betting.count("/")]
    state = replay(nolimit_holdem(2), betting, CARDS[: 4 + board])
    return seen_by_dealer(state, ["Ann", "Bob"]) if shown else seen_by(state, None, ["Ann", "Bob"])


def slow_strength(hole: str, board: str) -> float:
    mine, table = parse_cards(hole), parse_cards(board)
    rest = [card for card in range(52) if card not in (*mine, *table)]
    own = evaluate([*mine, *table])
    found = [evaluate([*pair, *table]) for pair in itertools.combinations(rest, 2)]
    return float(np.mean([1.0 if own > other else 0.5 if own == other else 0.0 for other in found]))


def test_sizes_are_parts_of_the_pot() -> None:
    """Blinds 1 and 2: if both call, the pot on the flop is 4; raises are totals of the hand."""
    bets = {
        "r4c/r7f": ("flop", "up to 40%"),  # bet of 3 into 8: the total is 7
        "cc/r5f": ("flop", "40-80%"),  # 3 into 4
        "cc/r7f": ("flop", "80-130%"),  # 5 into 4
        "cc/r8f": ("flop", "above 130%"),  # 6 into 4
        "cc/r200f": ("flop", ALL_IN),
    }
    for betting, (street, size) in bets.items():
        found = [*bets_of([hand(betting)], "Ann"), *bets_of([hand(betting)], "Bob")]
        assert [(street, bet.size) for bet in found] == [(street, size)], betting
    (bet,), (raise_,) = (list(bets_of([hand("cc/r4r12f")], name)) for name in _by_order("cc/r4r12f"))
    assert bet.size == "40-80%"  # 2 into 4
    assert raise_.size == "80-130%"  # a call of 2 makes 8, and 8 more are raised


def _by_order(betting: str) -> list[str]:
    """Who bets first on the flop, and the other."""
    played = hand(betting)
    first = next(seat for seat, action in played.actions if action > 1)
    return [played.players[first], played.players[1 - first]]


def test_strength_is_that_of_the_board_of_the_bet() -> None:
    betting = "cc/cc/r4c/r12f"
    first, _ = _by_order(betting)
    hole = "AhAd" if first == "Ann" else "KsQs"
    turn, river = bets_of([hand(betting)], first)
    assert (turn.street, river.street) == (2, 3)
    assert turn.strength == pytest.approx(slow_strength(hole, "2c7d9hJc"))
    assert river.strength == pytest.approx(slow_strength(hole, "2c7d9hJc3s"))
    assert [bet.strength for bet in bets_of([hand(betting, shown=False)], first)] == [None, None]


def test_lines_and_tells() -> None:
    rng = np.random.default_rng(2)
    strong = [SizedBet(1, "80-130%", 0.9 + 0.02 * rng.standard_normal()) for _ in range(12)]
    weak = [SizedBet(1, "up to 40%", 0.45 + 0.02 * rng.standard_normal()) for _ in range(12)]
    few = [SizedBet(1, "40-80%", 0.1)] * 9
    hidden = [SizedBet(3, "40-80%", None)] * 5
    lines = size_lines([*strong, *hidden, *weak, *few])
    assert [(line.street, line.size, line.bets, line.seen) for line in lines] == [
        ("flop", "up to 40%", 12, 12),
        ("flop", "40-80%", 9, 9),
        ("flop", "80-130%", 12, 12),
        ("river", "40-80%", 5, 0),
    ]
    share = lines[0].weak_share
    assert share is not None
    assert share == pytest.approx((lines[0].weak / 12, *wilson_interval(lines[0].weak, 12)))
    assert lines[3].weak_share is None
    study = SizingStudy("Ann", 40, lines)
    (tell,) = study.tells
    assert tell.startswith(
        "On the flop bets of 80-130% were stronger than those of up to 40%: 0.90 of 1 (n = 12)"
    )
    assert plain_data(study)["lines"][0]["strength"]["n"] == 12


def test_a_study_from_a_store(tmp_path) -> None:
    with Store.open(tmp_path / "hands.db") as store:
        store.add([hand("cc/r4r12f"), hand("cc/cc/r4c/r12f")])
        found = [study_sizing(store, name) for name in ("Ann", "Bob")]
        assert sum(line.bets for study in found for line in study.lines) == 4
        with pytest.raises(SoulreadError, match="no such hands"):
            study_sizing(store, "Ann", Query(game="ring-limit"))
