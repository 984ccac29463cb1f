"""Results as plain data, for JSON.

`plain_data` writes a dataclass by its fields. A class whose record differs says so in a table ``JSON``::

    @dataclass(frozen=True)
    class Result:
        name: str
        won: Estimate

        JSON = keys("name", bb_per_100="won", low="won.interval.0")
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from math import isfinite
from pathlib import Path
from typing import Any

Value = str | Callable[[Any], Any]
"""Where a value comes from: a path of attributes and indices, or a function of the object."""


def keys(names: str = "", /, **others: Value) -> dict[str, Value]:
    """The table of a record: its keys and where their values come from.

    ``names`` are attributes with a blank between them. ``*`` means all fields of the dataclass, and ``*name``
    all keys of that attribute's record. A path such as ``"style.kind"`` ends at the first None.
    """
    return {**{name: name for name in names.split()}, **others}


def plain_data(value: Any) -> Any:
    """Dicts, lists, texts, numbers and None for ``json.dumps``.

    Enums become their values, times ISO texts, paths texts, arrays lists. NaN and infinity become None, since
    JSON has neither.
    """
    if value is None or (isinstance(value, bool | int | str) and not isinstance(value, Enum)):
        return value
    if hasattr(value, "tolist"):  # an array of NumPy, or one of its scalars; the record of a hand needs none
        return plain_data(value.tolist())
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(plain_data(key)): plain_data(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):  # a named tuple
        return plain_data(value._asdict())
    if hasattr(value, "JSON") or is_dataclass(value):
        return _record(value)
    if isinstance(value, Iterable):
        return [plain_data(item) for item in value]
    raise TypeError(f"{type(value).__name__} {value!r} has no form in JSON")


def json_text(data: Any, indent: int | None = None) -> str:
    """Plain data as JSON in ASCII, every control character escaped; NaN and infinity raise.

    Without ``indent`` it is one line.
    """
    return json.dumps(data, indent=indent, allow_nan=False).replace("\x7f", "\\u007f")


def _record(value: Any) -> dict[str, Any]:
    """The record of an object by its table, or by its fields."""
    record: dict[str, Any] = {}
    for key, source in getattr(value, "JSON", {"*": "*"}).items():
        if key == "*":
            record.update((field.name, plain_data(getattr(value, field.name))) for field in fields(value))
        elif key.startswith("*"):
            record.update(plain_data(getattr(value, key[1:])))
        else:
            record[key] = plain_data(_at(value, source) if isinstance(source, str) else source(value))
    return record


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        if value is None:
            return None
        value = value[int(name)] if name.isdecimal() else getattr(value, name)
    return value
