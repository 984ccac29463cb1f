"""Files a user names: whether they can be written, told before the work rather than after it."""

import os
from pathlib import Path

from soulread.errors import SoulreadError


def verify_writable(path: str | os.PathLike[str]) -> None:
    """Raise unless ``path`` can be written: better before a long solve than after it."""
    target = Path(path)
    if target.is_dir():
        raise SoulreadError(f"{str(target)!r} cannot be written: it is a folder")
    if not target.parent.is_dir():
        raise SoulreadError(f"{str(target)!r} cannot be written: there is no folder {str(target.parent)!r}")
    if not os.access(target.parent, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise SoulreadError(f"{str(target)!r} cannot be written: permission denied")
