"""Arrays on disk as safetensors; a process killed while writing leaves either the old file or the new one."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray
from safetensors.numpy import save

from soulread.errors import SoulreadError


def write_tensors(path: Path, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> None:
    """Write to a temporary file beside ``path``, flush it to the disk and rename it to ``path``.

    A process that was killed while writing leaves its temporary file. The next process to write removes it.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with temporary.open("wb") as file:
            file.write(save(dict(tensors), dict(metadata)))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise SoulreadError(f"{str(path)!r} cannot be written: {error.strerror}") from None
    finally:
        temporary.unlink(missing_ok=True)
    for part in path.parent.glob(f".{path.name}.*.part"):
        if _is_abandoned(part):
            part.unlink(missing_ok=True)


def _is_abandoned(part: Path) -> bool:
    """Whether the process that wrote this file has ended; False where that cannot be found out."""
    number = part.name.split(".")[-2]
    if os.name != "posix" or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
