"""People in general: what a clone does as long as nothing is known of its player.

``people.safetensors`` has weights and tastes for limit and for no-limit hold'em, and no names.
`benchmarks/fit_clone.py` made it, and nothing else may change it.
"""

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import numpy as np

from soulread.errors import DamagedFile
from soulread.model.clone.cells import NUM_CELLS
from soulread.model.clone.chances import Array
from soulread.model.clone.holdings import NUM_FEATURES, NUM_GROUPS, NUM_KINDS, NUM_SHOWN, Tastes
from soulread.storage.tensors import read_tensors, write_tensors

FILE = "people.safetensors"
KIND = "people"
BETTINGS = "limit", "nolimit"
_SHAPES = {
    "weights": (NUM_CELLS, 2),
    "shared": (NUM_GROUPS, 2, NUM_FEATURES),
    "special": (NUM_KINDS, 2, NUM_FEATURES),
    "shown": (NUM_SHOWN,),
}


@dataclass(frozen=True)
class PeopleInGeneral:
    """What people in general do in games of one betting."""

    weights: Array  # [NUM_CELLS, 2]
    tastes: Tastes


def save_people(path: Path, people: dict[str, PeopleInGeneral], about: str) -> None:
    """Write what people in general do, by betting; ``about`` says from whom it was learned."""
    tensors = {}
    for betting, one in people.items():
        parts = one.weights, one.tastes.shared, one.tastes.special, one.tastes.shown
        for name, part in zip(_SHAPES, parts, strict=True):
            tensors[f"{betting} {name}"] = part.astype(np.float32)
    write_tensors(path, KIND, tensors, {"about": about})


def read_people(path: Path) -> dict[str, PeopleInGeneral]:
    """The opposite of `save_people`; a file that is not whole is refused."""
    _, tensors = read_tensors(path, KIND)
    found = {}
    for betting in BETTINGS:
        parts = []
        for name, shape in _SHAPES.items():
            part = tensors.get(f"{betting} {name}")
            if part is None or part.shape != shape or not np.isfinite(part).all():
                raise DamagedFile(f"{str(path)!r} has no whole {name!r} of {betting}; install soulread again")
            parts.append(part.astype(np.float64))
        found[betting] = PeopleInGeneral(parts[0], Tastes(*parts[1:]))
    return found


@cache
def known_people() -> dict[str, PeopleInGeneral]:
    """What comes with soulread."""
    with resources.as_file(resources.files("soulread.model.clone") / FILE) as path:
        return read_people(path)
