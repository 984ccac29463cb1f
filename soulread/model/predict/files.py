"""Predictors on disk: arrays in a sealed safetensors file, the rest as JSON in its header.

A file holds the predictor of a player, or a generic net alone. There is no pickle in it. It names the
features that it was trained on, and is refused where these are others. Read back, a predictor gives the same
chances to the bit, and goes on learning where it was.
"""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread import __version__
from soulread.errors import DamagedFile, SoulreadError
from soulread.model.predict.features import NAMES
from soulread.model.predict.networks import Net
from soulread.storage.files import verify_writable
from soulread.storage.tensors import read_tensors, write_tensors

FORMAT = 1  # of the file; grows when an older soulread could no longer read it
NET = "generic net"  # the kind of a file without a player


def save_net(path: str | os.PathLike[str], net: Net, about: str) -> None:
    """Write a generic net; ``about`` says what it was trained on."""
    write_trained(Path(path), {"kind": NET, "about": about}, net.tensors())


def load_net(path: str | os.PathLike[str]) -> Net:
    """Read a generic net that `save_net` wrote."""
    made, tensors = read_trained(Path(path))
    if made["kind"] != NET:
        raise SoulreadError(f"{str(path)!r} is the predictor of a player, not a generic net")
    try:
        return Net.from_tensors(tensors)
    except (KeyError, ValueError) as error:
        raise DamagedFile(f"{str(path)!r} is no net: {error}") from None


def write_trained(path: Path, made: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays, and what JSON can say about them; "kind" names what they are."""
    verify_writable(path, "predictor")
    metadata = {
        "format": str(FORMAT),
        "version": __version__,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "features": json.dumps(NAMES),
        "predictor": json.dumps(made, allow_nan=False),
    }
    arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    write_tensors(path, "predictor", arrays, metadata)


def read_trained(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The opposite of `write_trained`. A file that is damaged, or of other features, is refused."""
    metadata, tensors = read_tensors(path, "predictor")
    try:
        number = int(metadata["format"])
        if number != FORMAT:
            raise SoulreadError(
                f"{str(path)!r} has format {number}, written by soulread {metadata['version']}; this is "
                f"soulread {__version__}, which reads format {FORMAT}"
            )
        if json.loads(metadata["features"]) != list(NAMES):
            raise SoulreadError(
                f"{str(path)!r} was trained on other features, by soulread {metadata['version']}; "
                "train it again"
            )
        made = json.loads(metadata["predictor"])
        if not isinstance(made, dict) or not isinstance(made.get("kind"), str):
            raise DamagedFile(f"{str(path)!r} does not say what kind of predictor it is")
        return made, tensors
    except SoulreadError:
        raise
    except (KeyError, ValueError) as error:
        raise DamagedFile(f"{str(path)!r} is a predictor with a broken entry: {error}") from None
