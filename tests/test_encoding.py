"""Results as plain data: by field, by table, and what JSON does not have."""

import importlib
import inspect
import json
import math
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, StrEnum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
import pytest

import soulread
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


PACKAGE = Path(soulread.__file__).parent
TABLES = [path for path in sorted(PACKAGE.rglob("*.py")) if "JSON = keys(" in path.read_text()]


def followed(kind: Any, path: str) -> None:
    """Fail unless a path of attributes exists in a class, as far as types say."""
    for name in path.split("."):
        kinds = [one for one in get_args(kind) if one is not NoneType] if isinstance(kind, UnionType) else []
        kind = kinds[0] if len(kinds) == 1 else kind
        if name.isdecimal() or not isinstance(kind, type):
            return
        found = inspect.getattr_static(kind, name, None)
        hints = get_type_hints(found.fget) if isinstance(found, property) else get_type_hints(kind)
        assert found is not None or name in hints, f"{kind.__name__} has no {name!r}"
        kind = hints.get("return" if isinstance(found, property) else name)


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_table_names_what_there_is(path: Path) -> None:
    """A field or a property that is renamed must not leave its old name in a table."""
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    module = importlib.import_module(name)
    for kind in vars(module).values():
        if isinstance(kind, type) and kind.__module__ == name and "JSON" in vars(kind):
            for key, source in vars(kind)["JSON"].items():
                if isinstance(source, str) and key != "*":
                    followed(kind, source.removeprefix("*"))
