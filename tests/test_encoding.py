"""Results as plain data: by field, by table, and what JSON does not have."""

import json
import math
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from soulread.encoding import keys, plain_data


class Colour(Enum):
    RED = "red"


class Word(StrEnum):
    LONG = "long"


class Pair(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True)
class Inner:
    ends: Pair | None
    count: int = 2


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner
    other: Inner | None = None
    secret: str = "hidden"

    JSON = keys(
        "name *inner double",
        low="inner.ends.low",
        high="inner.ends.1",
        missing="other.ends.low",
        total=lambda outer: outer.inner.count + 1,
    )

    @property
    def double(self) -> str:
        return 2 * self.name


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (np.True_, True),
        (np.int64(3), 3),
        (np.float32(0.5), 0.5),
        (math.nan, None),
        (-math.inf, None),
        (np.float64("nan"), None),
        (np.array([[1.0, np.inf], [2.0, 3.0]]), [[1.0, None], [2.0, 3.0]]),
        (Colour.RED, "red"),
        (Word.LONG, "long"),
        (Path("a/b"), "a/b"),
        (datetime(2009, 7, 1, tzinfo=UTC), "2009-07-01T00:00:00+00:00"),
        ({Colour.RED: 1, 2: (3, 4)}, {"red": 1, "2": [3, 4]}),
        (Counter("aab"), {"a": 2, "b": 1}),
        (Pair(1.0, math.inf), {"low": 1.0, "high": None}),
        ((x for x in (1, 2)), [1, 2]),
        (Inner(None), {"ends": None, "count": 2}),
    ],
)
def test_every_kind_of_value(value: Any, expected: Any) -> None:
    found = plain_data(value)
    assert found == expected
    assert type(found) is type(expected)
    assert json.loads(json.dumps(found, allow_nan=False)) == expected


def test_a_table_says_what_differs() -> None:
    found = plain_data(Outer("ab", Inner(Pair(1.0, 2.0))))
    assert found == {
        "name": "ab",
        "ends": {"low": 1.0, "high": 2.0},
        "count": 2,
        "double": "abab",
        "low": 1.0,
        "high": 2.0,
        "missing": None,
        "total": 3,
    }
    assert list(found)[:4] == ["name", "ends", "count", "double"]  # in the order of the table


def test_all_fields_and_more() -> None:
    @dataclass
    class Wide:
        a: int = 1
        b: int = 2
        JSON = keys("*", c=lambda wide: wide.a + wide.b)

    assert plain_data([Wide()]) == [{"a": 1, "b": 2, "c": 3}]


def test_what_has_no_form_is_refused() -> None:
    with pytest.raises(TypeError, match=r"object .* has no form in JSON"):
        plain_data({"x": object()})
