"""Sizing tells: sizes in pots by hand, strengths by the slow way, and what may be told."""

import itertools
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from naive_statistics import game_of
from test_statistics import PLAYERS, random_hands

from soulread.cards.deck import parse_cards
from soulread.cards.evaluate import evaluate
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.estimate import wilson_interval
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import replay
from soulread.hands.facts import facts_of
from soulread.hands.hand import Hand
from soulread.hands.record import decisions, seen_by, seen_by_dealer
from soulread.hands.store import Query, Store
from soulread.study.hands.sizing import (
    ALL_IN,
    OPENS,
    SIZES,
    FacingStudy,
    SizedBet,
    SizingStudy,
    bets_of,
    faced_lines,
    size_lines,
    study_facing,
    study_sizing,
)

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


def test_the_command_prints_sizes(tmp_path) -> None:
    with Store.open(tmp_path / "hands.db") as store:
        store.add([hand("cc/cc/r4c/r12f")])
    for name in ("Ann", "Bob"):
        words = ["stats", name, "--by", "size", "--db", str(tmp_path / "hands.db")]
        done = CliRunner().invoke(cli, words, prog_name="soulread")
        assert done.exit_code == 0, done.output
        assert f"{name}: strength by size of bet, 1 hand" in done.output
        record = json.loads(CliRunner().invoke(cli, [*words, "--json"]).output)
        assert record["hands"] == 1


def test_a_study_from_a_store(tmp_path) -> None:
    with Store.open(tmp_path / "hands.db") as store:
        store.add([hand("cc/r4r12f"), hand("cc/cc/r4c/r12f")])
        found = [study_sizing(store, name) for name in ("Ann", "Bob")]
        assert sum(line.bets for study in found for line in study.lines) == 4
        with pytest.raises(SoulreadError, match="no such hands"):
            study_sizing(store, "Ann", Query(game="ring-limit"))


def test_classes_are_those_of_spots() -> None:
    assert list(SIZES.values()) == ["up to 40%", "40-80%", "80-130%", "above 130%"]
    assert OPENS == ("up to 2.5 bb", "2.5-3.5 bb", "3.5-5 bb", "above 5 bb")


def test_answers_on_paper() -> None:
    """Blinds 1 and 2: a pot of 4 on the flop, or of 8 after an open to 4."""
    answers = {
        "cc/r5f": (("flop", "bet", "40-80%"), "fold"),  # 3 into 4
        "cc/r4c/cc/cc": (("flop", "bet", "40-80%"), "call"),  # 2 into 4
        "r4c/r7r13f": (("flop", "bet", "up to 40%"), "raise"),  # 3 into 8
        "r5f": (("preflop", "open", "up to 2.5 bb"), "fold"),
        "r6c/cc/cc/cc": (("preflop", "open", "2.5-3.5 bb"), "call"),
        "r7r30f": (("preflop", "open", "2.5-3.5 bb"), "raise"),  # the answer to the 3-bet is in no line
    }
    for betting, (key, answer) in answers.items():
        lines = faced_lines(facts_of([hand(betting)]).decisions)
        line = next(one for one in lines if (one.street, one.facing, one.size) == key)
        shares = {"fold": line.fold, "call": line.call, "raise": line.raise_}
        assert (line.n, {name for name, one in shares.items() if one.count}) == (1, {answer}), betting
    (bet,) = faced_lines(facts_of([hand("cc/r5f")]).decisions)
    assert bet.needed == pytest.approx(
        3 / 7, abs=0.002
    )  # a bet of 3 wins a pot of 4; sizes are whole percent
    *_, raised = faced_lines(facts_of([hand("r4c/r7r13f")]).decisions)  # a call of 3 makes 14, and 6 more
    assert (raised.facing, raised.size, raised.needed) == ("raise", "40-80%", None)


def test_answers_are_those_of_a_walk_over_the_hands(tmp_path) -> None:
    hands = [one for _, one in random_hands(lambda rng: nolimit_holdem(5, 100), PLAYERS[:6], 200, 4)]
    with Store.open(tmp_path / "hands.db") as store:
        store.add(hands)
        study = study_facing(store, "Bob")
    counted: Counter[tuple[str, str, str, str]] = Counter()
    for one in hands:
        if "Bob" not in one.players:
            continue
        round, raises, size = 0, 0, 0.0
        for state, action in decisions(game_of(one), one.actions, one.board, one.hole):
            if state.round != round:
                round, raises, size = state.round, 0, 0.0
            name = one.players[state.player]
            if name == "Bob" and raises and state.to_call and (round or raises == 1):
                facing = "open" if not round else "bet" if raises == 1 else "raise"
                bounds, names = ((2.5, 3.5, 5), OPENS) if not round else ((0.4, 0.8, 1.3), (*SIZES.values(),))
                size_name = names[sum(size > bound for bound in bounds)]
                answer = "raise" if action > 1 else ("fold", "call")[action]
                counted[("preflop", "flop", "turn", "river")[round], facing, size_name, answer] += 1
            if action > 1:
                raises += 1
                beyond = state.apply(action).spent[state.player] - state.spent[state.player] - state.to_call
                pot = beyond / (state.pot + state.to_call)
                to = state.apply(action).spent[state.player] / 2  # big blinds
                size = int(100 * (pot if round else to) + 0.5) / 100
    found = {
        (line.street, line.facing, line.size, answer): share.count
        for line in study.lines
        for answer, share in (("fold", line.fold), ("call", line.call), ("raise", line.raise_))
        if share.count
    }
    assert found == dict(counted)
    assert sum(counted.values()) > 100
    for line in study.lines:
        assert line.fold.count + line.call.count + line.raise_.count == line.n
        assert line.fold.interval == wilson_interval(line.fold.count, line.n)


def test_sizes_that_are_folded_to_are_told(tmp_path) -> None:
    small, large = ["r4c/r7c/cc/cc"] * 30, ["r4c/r14f"] * 30
    lines = faced_lines(facts_of([hand(betting) for betting in (*small, *large)]).decisions)
    (tell,) = FacingStudy("Ann", 60, lines).tells
    assert tell == (
        "On the flop bets of 80-130% were folded to more than those of up to 40%: "
        "100% (n = 30) to 0% (n = 30)."
    )
    with Store.open(tmp_path / "hands.db") as store:
        store.add([replace(hand(betting), id=f"{i}") for i, betting in enumerate((*small, *large))])
    for name in ("Ann", "Bob"):
        words = ["stats", name, "--by", "facing", "--db", str(tmp_path / "hands.db")]
        done = CliRunner().invoke(cli, words, prog_name="soulread")
        assert (done.exit_code, f"{name}: answers by size, 60 hands" in done.output) == (0, True), done.output
        record = json.loads(CliRunner().invoke(cli, [*words, "--json"]).output)
        answered = [line["n"] for line in record["lines"]]
        assert answered in ([60], [30, 30])  # the open of the one, the bets of the other
