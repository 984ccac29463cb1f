"""Arrays as short JSON, value for value: for small files that are kept beside the code.

Amounts won are whole numbers of some part of a chip. So an array is written as whole numbers and the part, if
that gives back every value; else as it is. Its bytes are put in order, the lowest of all values first, and
squeezed (LZMA). A single number and short arrays can be read.
"""

import base64
import lzma
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHORT = 12  # values of an array that is written as a list, at most
_PARTS = (*range(1, 13), 20, 100, 1000, 10_000, 100_000, 1_000_000)
_WHOLE = tuple(np.dtype(f"<i{size}") for size in (1, 2, 4, 8))
_LARGEST = 2.0**50  # whole numbers beyond this are not told apart by their halves
_KINDS = "fiub"  # floats, integers of either kind, truth
_FILTERS = ({"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 0, "lp": 0, "pb": 0},)


def packed(array: NDArray[Any]) -> Any:
    """An array of numbers or truth values as JSON; `unpacked` gives it back."""
    values = np.asarray(array)
    if values.dtype.kind not in _KINDS:
        raise TypeError(f"an array of {values.dtype} cannot be packed")
    plain = values.dtype == np.float64 and bool(np.isfinite(values).all())
    if plain and (values.ndim == 0 or (values.ndim == 1 and values.size <= SHORT)):
        return values.tolist()
    stored, parts = _in_parts(values)
    about: dict[str, Any] = {"shape": list(values.shape), "of": values.dtype.newbyteorder("<").str}
    if parts:
        about |= {"parts": parts, "as": stored.dtype.str}
    planes = stored.reshape(-1).view(np.uint8).reshape(stored.size, stored.dtype.itemsize).T
    squeezed = lzma.compress(planes.tobytes(), lzma.FORMAT_RAW, filters=_FILTERS)
    return {**about, "data": base64.b85encode(squeezed).decode()}


def unpacked(data: Any) -> NDArray[Any]:
    """The array that `packed` wrote; anything else is a ValueError."""
    try:
        if not isinstance(data, Mapping):
            return np.array(data, dtype=np.float64)
        shape = tuple(int(length) for length in data["shape"])
        of, parts = np.dtype(data["of"]), int(data.get("parts", 0))
        stored = np.dtype(data["as"]) if parts else of
        if min(shape, default=0) < 0 or of.kind not in _KINDS or stored.kind not in _KINDS:
            raise ValueError(f"of shape {shape} and type {of}")
        size = int(np.prod(shape, dtype=np.int64)) * stored.itemsize
        reader = lzma.LZMADecompressor(lzma.FORMAT_RAW, filters=_FILTERS)
        raw = reader.decompress(base64.b85decode(data["data"]), size)  # never more than the shape says
        planes = np.frombuffer(raw, np.uint8).reshape(stored.itemsize, -1)
        values = np.ascontiguousarray(planes.T).view(stored).reshape(shape)
    except (KeyError, TypeError, ValueError, lzma.LZMAError) as error:
        raise ValueError(f"no packed array: {error}") from None
    return _of_parts(values, parts, of.newbyteorder("="))


def _in_parts(values: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Whole numbers and of which part of one they are; the values themselves and 0 if they are none."""
    if values.size and np.isfinite(values).all() and np.abs(values).max() < _LARGEST:
        for parts in _PARTS if values.dtype.kind == "f" else (1,):
            whole = np.rint(values.astype(np.float64) * parts).astype(np.int64)
            if np.array_equal(_of_parts(whole, parts, values.dtype), values):
                low, high = int(whole.min()), int(whole.max())
                fits = (np.iinfo(kind).min <= low and high <= np.iinfo(kind).max for kind in _WHOLE)
                return whole.astype(next(kind for kind, fit in zip(_WHOLE, fits, strict=True) if fit)), parts
    return np.ascontiguousarray(values, values.dtype.newbyteorder("<")), 0


def _of_parts(stored: NDArray[Any], parts: int, of: np.dtype[Any]) -> NDArray[Any]:
    if parts > 1:
        return np.asarray(stored / parts, dtype=of)
    return np.asarray(stored, dtype=of)
