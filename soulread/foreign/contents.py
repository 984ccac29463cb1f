"""What stands behind a name: a checksum of the files that an agent of somebody else's rests on.

Results of matches are kept under the agents' names. The name of a class of the user's, "module:Class", or of
a strategy file says nothing about what is in it today, so the checksum becomes a part of the task. After an
edit the same name is another player, whose matches are played anew.
"""

import hashlib
import importlib.util
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from soulread.errors import SoulreadError
from soulread.foreign.names import add_working_directory, offered

_MODULE = re.compile(
    r"(?<![\w.])[A-Za-z_]\w*(?=[\w.]*:[A-Za-z_])"
)  # the first word of any "module.more:Name"
_PARTS = re.compile(r"[:=,|]")


def contents_of(text: str, group: str) -> str:
    """A checksum of all files that the name of an agent leads to; empty if these are soulread's own.

    They are the files that the text names, and the modules: all Python files of a package, or the one file of
    a module. ``group`` is that of the entry points through which packages offer agents. Nothing is imported.
    """
    files = files_of(text, group)
    if not files:
        return ""
    found = hashlib.sha256()
    for path in files:
        try:
            found.update(hashlib.sha256(path.read_bytes()).digest())
        except OSError as error:
            raise SoulreadError(f"{str(path)!r} cannot be read: {error.strerror}") from None
    return found.hexdigest()[:24]


def files_of(text: str, group: str) -> list[Path]:
    """The files that `contents_of` a name are those of, each once."""
    add_working_directory()
    named = f"{text} {_offered(group).get(text.partition(':')[0], '')}"
    return list(dict.fromkeys((*_files(text), *_modules(named))))


@cache
def _offered(group: str) -> dict[str, str]:
    """The "module:Class" of each name that an installed package offers."""
    return {name: entry.value for name, entry in offered(group).items()}


def _files(text: str) -> Iterator[Path]:
    """Files that are named by a part of the text, or by all that follows a mark."""
    ends = [0, *(found.end() for found in _PARTS.finditer(text))]
    for start in ends:
        for part in dict.fromkeys((text[start:], _PARTS.split(text[start:])[0])):
            try:
                path = Path(part)
                if part and path.is_file():
                    yield path.resolve()
            except (OSError, ValueError):  # no name of a file
                continue


def _modules(text: str) -> Iterator[Path]:
    for name in dict.fromkeys(_MODULE.findall(text)):
        try:
            found = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            continue
        if found is None or name == "soulread":
            continue
        for folder in found.submodule_search_locations or ():
            yield from sorted(Path(folder).rglob("*.py"))
        if found.origin is not None and Path(found.origin).is_file():
            yield Path(found.origin)
