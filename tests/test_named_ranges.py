"""Ranges that have a name: where they stand, how they fit together, and the command that lists them."""

import itertools
import json

import numpy as np
import pytest
from click.testing import CliRunner

from soulread.cards.named_ranges import NAMED_RANGES, POSITIONS
from soulread.cards.ranges import parse_range
from soulread.cli import cli
from soulread.errors import ParseError

WEIGHTS = {name: parse_range(one.text).weights for name, one in NAMED_RANGES.items()}
PAIRS = sorted({tuple(name.split("-")[::2]) for name in NAMED_RANGES if "-3bet-" in name})


def test_a_name_is_its_hands_and_takes_a_weight():
    assert parse_range("btn-open") == parse_range(NAMED_RANGES["btn-open"].text)
    assert parse_range("BTN-Open") == parse_range("btn-open")
    own = WEIGHTS["btn-3bet-hj"]
    half = parse_range("72o, btn-3bet-hj : 0.5").weights
    assert half[own > 0] == pytest.approx(own[own > 0] / 2)
    assert half[parse_range("72o").weights > 0].tolist() == [1.0] * 12
    assert set(own[own > 0]) == {0.5, 1.0}  # a name with weights of its own
    later = parse_range("random, utg-call-3bet:0").weights
    assert np.array_equal(later == 0, WEIGHTS["utg-call-3bet"] > 0)
    with pytest.raises(ParseError, match=r"'btn-opn' is not a range item; .* a name such as 'btn-open'"):
        parse_range("btn-opn")


def test_later_positions_open_all_that_earlier_ones_do():
    opens = [WEIGHTS[f"{seat}-open"] for seat in ("utg", "hj", "co", "btn")]
    for tight, loose in itertools.pairwise(opens):
        assert (tight <= loose).all()
        assert tight.sum() < loose.sum()
    shares = [round(100 * weights.sum() / 1326) for weights in opens]
    assert shares == [17, 19, 27, 45]
    for seat in ("utg", "hj", "co", "btn", "sb"):
        calls = WEIGHTS[f"{seat}-call-3bet"]
        assert (WEIGHTS[f"{seat}-open"][calls > 0] > 0).all()


@pytest.mark.parametrize(("seat", "opener"), PAIRS)
def test_nobody_calls_and_three_bets_with_more_than_the_whole_hand(seat, opener):
    raises = WEIGHTS[f"{seat}-3bet-{opener}"]
    calls = WEIGHTS.get(f"{seat}-call-{opener}", np.zeros(1326))
    assert (raises + calls).max() == 1
    assert list(POSITIONS).index(seat) > list(POSITIONS).index(opener)
    assert raises[parse_range("QQ+, AKs").weights > 0].min() == 1


def test_the_big_blind_defends_more_the_later_the_opener_sits():
    defended = [
        WEIGHTS[f"bb-call-{one}"] + WEIGHTS[f"bb-3bet-{one}"] for one in ("utg", "hj", "co", "btn", "sb")
    ]
    for tight, loose in itertools.pairwise(defended):
        assert (tight <= loose).all()


def test_the_command_lists_them():
    every = json.loads(CliRunner().invoke(cli, ["ranges", "--json"]).stdout)["ranges"]
    assert [one["name"] for one in every] == list(NAMED_RANGES)
    assert every[3]["name"] == "btn-open"
    assert every[3]["hands"] == WEIGHTS["btn-open"].sum()
    assert every[3]["share"] == pytest.approx(WEIGHTS["btn-open"].sum() / 1326)
    shown = CliRunner().invoke(cli, ["ranges", "btn-c"])
    assert shown.stdout.count("the button calls") == 4
    assert "bb-call" not in shown.stdout
    assert "Approximations of our own" in shown.stdout
    none = CliRunner().invoke(cli, ["ranges", "xyz"])
    assert none.exit_code == 2
    assert "no range has 'xyz' in its name" in none.stderr
