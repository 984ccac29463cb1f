"""Arrays on disk as safetensors with a seal: strategies, checkpoints, results, predictors, priors.

A safetensors file is 8 bytes length, a JSON header with texts (the metadata) and the places of the arrays,
and then the arrays. The metadata has two entries of ours: what ``kind`` of file it is, and the seal of
`soulread.storage.files`, which covers the header too.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from soulread.errors import DamagedFile, SoulreadError
from soulread.storage.files import UNSEALED, verify_file, verify_readable, write_sealed
from soulread.storage.kinds import KINDS


def write_tensors(
    path: Path, kind: str, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]
) -> None:
    """Write a sealed file of some kind, whole or not at all; see `soulread.storage.files.replacing`."""
    write_sealed(path, save(dict(tensors), {**metadata, "soulread": kind, "seal": UNSEALED}))


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
