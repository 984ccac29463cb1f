"""Arrays as short JSON: every value comes back, and what is no such JSON is refused."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from soulread.storage.packed import SHORT, packed, unpacked

RNG = np.random.default_rng(1)


def there_and_back(array: np.ndarray[Any, Any]) -> Any:
    written = json.dumps(packed(array), allow_nan=False)
    found = unpacked(json.loads(written))
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    np.testing.assert_array_equal(found, array)
    return json.loads(written)


@pytest.mark.parametrize(
    "array",
    [
        np.array(1.5),
        np.array(np.nan),
        np.array(7),
        np.arange(3.0),
        np.arange(float(SHORT + 1)),
        np.full(50, np.nan),
        np.array([np.inf, 1.0]),
        np.zeros((0, 3)),
        np.array([True, False] * 40),
        np.array([3**39 + 1]),
        np.array([2**63 - 1, -(2**63)]),
        np.arange(1000, dtype=np.float32) / 3,
        np.arange(100, dtype=np.uint8).reshape(10, 10).T,
        RNG.normal(size=(30, 4)),
        RNG.normal(size=300).round(5),
        RNG.normal(size=300).astype(">f8"),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_every_value_comes_back(array: np.ndarray[Any, Any]) -> None:
    if array.dtype.byteorder == ">":
        np.testing.assert_array_equal(unpacked(packed(array)), array)
    else:
        there_and_back(array)


@given(arrays.arrays(np.float64, arrays.array_shapes(max_dims=2, max_side=20), elements=st.floats(width=64)))
def test_all_floats_come_back(array: np.ndarray[Any, Any]) -> None:
    there_and_back(array)


def test_numbers_of_half_chips_are_short() -> None:
    chips = RNG.integers(-20, 20, 3000) / 2  # 40 values alike: log2(40) / 8 bytes each at best
    data = there_and_back(chips)
    assert (data["parts"], data["as"]) == (2, "|i1")
    assert len(data["data"]) < 1.05 * 1.25 * 3000 * np.log2(40) / 8
    means = RNG.integers(-500, 500, (100, 10)) / 10  # of ten rotations
    assert there_and_back(means)["parts"] == 10


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("text", "no packed array"),
        ({"shape": [3]}, "no packed array"),
        ({"shape": [3], "of": "<f8", "data": "!"}, "no packed array"),
        ({"shape": [-1], "of": "<f8", "data": ""}, "no packed array"),
        ({"shape": [3], "of": "O", "data": ""}, "no packed array"),
        ({**packed(np.arange(40.0)), "shape": [41]}, "no packed array"),
        ({**packed(np.arange(40.0)), "data": packed(np.arange(40.0))["data"][:-8]}, "no packed array"),
    ],
)
def test_anything_else_is_refused(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        unpacked(data)
    with pytest.raises(TypeError, match="cannot be packed"):
        packed(np.array(["a"]))
