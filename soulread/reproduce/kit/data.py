"""Hands of real players for experiments: the files of ``--data`` in a store beside the results of tasks."""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from soulread.errors import SoulreadError
from soulread.hands.formats.reading import read_hands
from soulread.hands.hand import Hand
from soulread.hands.store import Store
from soulread.reproduce.kit.experiment import RunOptions


def hands_of(
    options: RunOptions, read: int | None, *, limit: bool = True, only_named: bool = False
) -> Path | None:
    """A store with the hands of ``options.data``, made once and kept beside the results of tasks.

    Only hands of limit hold'em are taken, or else only those of no-limit. The store is named by the files'
    names and sizes and by how many hands are ``read``; a file of kept results knows its name. None if there
    are no data, or if nothing may be run and the store is not there. With ``only_named`` a report from a file
    of kept results gets its name all the same.
    """
    if not options.data:
        return None

    def name() -> str:
        files = [file for path in map(Path, options.data) for file in files_of(path)]
        text = repr([(file.name, file.stat().st_size) for file in files]) + repr(read)
        text += "" if limit else " no-limit"
        return f"hands-{hashlib.sha256(text.encode()).hexdigest()[:24]}.db"

    path = options.store.directory / str(options.fact(f"hands of {options.data_names}", name))
    if path.exists():
        return path
    if options.stored_only:
        return path if only_named and options.results is not None and options.results.entries else None
    options.store.verify_writable()
    if options.tell is not None:
        options.tell("reading hands")
    partial = path.with_suffix(".part")
    partial.unlink(missing_ok=True)
    with Store.open(partial) as store:
        store.add(islice(_hands_in(options.data, limit), read))
    partial.rename(path)
    return path


def files_of(path: Path) -> list[Path]:
    """A file, or all files of a folder."""
    if not path.exists():
        raise SoulreadError(f"{str(path)!r} is not there; --data names files or folders with hands")
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _hands_in(paths: Sequence[str], limit: bool) -> Iterator[Hand]:
    """The hands of limit or of no-limit hold'em in all files."""
    for path in paths:
        for found in read_hands(path):
            if isinstance(found, Hand) and ("no-limit" in found.variant) != limit:
                yield found
