"""Arrays on disk as safetensors with a seal: strategies, checkpoints, results, predictors, priors.

A safetensors file is 8 bytes length, a JSON header with texts (the metadata) and the places of the arrays,
and then the arrays. The metadata has two entries of ours: what ``kind`` of file it is, and the seal of
`soulread.storage.files`, which covers the header too.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from soulread.errors import DamagedFile, SoulreadError
from soulread.storage.files import UNSEALED, verify_file, verify_readable, write_sealed
from soulread.storage.kinds import KINDS

_TYPES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "int64": "I64",
    "int32": "I32",
    "int16": "I16",
    "int8": "I8",
    "uint64": "U64",
    "uint32": "U32",
    "uint16": "U16",
    "uint8": "U8",
    "bool": "BOOL",
}


def write_tensors(
    path: Path, kind: str, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> None:
    """Write a sealed file of some kind, whole or not at all; see `soulread.storage.files.replacing`.

    The arrays are written from where they lie, so that no second copy of them is needed.
    """
    header: dict[str, Any] = {"__metadata__": {**metadata, "soulread": kind, "seal": UNSEALED}}
    parts: list[memoryview] = []
    at = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: (-item[1].itemsize, item[0])):
        array = np.ascontiguousarray(tensor, dtype=tensor.dtype.newbyteorder("<"))
        header[name] = {
            "dtype": _TYPES[tensor.dtype.name],
            "shape": list(tensor.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        parts.append(array.reshape(-1).view(np.uint8).data)
        at += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    write_sealed(path, len(text).to_bytes(8, "little") + text, *parts)


def read_metadata(path: Path, kind: str) -> dict[str, str]:
    """The metadata of a file, after its whole content was verified.

    A file of another kind is a `SoulreadError` that says what it is; one that is not whole is a
    `DamagedFile`.
    """
    what = KINDS[kind]
    verify_readable(path)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata: dict[str, str] = file.metadata() or {}
    except (OSError, SafetensorError) as error:
        raise DamagedFile(f"{str(path)!r} is not {what}, or only a part of one: {error}") from None
    found = metadata.get("soulread", "")
    if found != kind and found in KINDS:
        raise SoulreadError(f"{str(path)!r} is {KINDS[found]}, not {what}")
    if found != kind:
        raise DamagedFile(f"{str(path)!r} is a safetensors file, but not {what} of soulread")
    verify_file(path)
    return metadata


def read_tensors(path: Path, kind: str) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """The metadata and the arrays of a file, after its whole content was verified; see `read_metadata`."""
    metadata = read_metadata(path, kind)
    try:
        with safe_open(path, framework="numpy") as file:
            return metadata, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no dict)
    except (OSError, SafetensorError) as error:  # replaced by another process meanwhile
        raise DamagedFile(f"{str(path)!r} cannot be read: {error}") from None
