"""The kind of a file, told by how it begins: a file of the user is only replaced by one of its own kind.

So a solve that is told to write its strategy to ``hands.db`` does not destroy a store of hands. An empty file
may become anything. `replacing_anything` turns the rule off (``--force`` on the command line). Files that
soulread keeps for itself, such as those of its cache, do not come here.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from soulread.errors import SoulreadError

KINDS = {
    "strategy": "a strategy file",
    "checkpoint": "a checkpoint",
    "result": "the result of a task",
    "predictor": "a predictor",
    "people": "what people in general do",
    "prior": "a prior of relational models",
    "completed": "a prior of tables",
    "spot": "a solved spot",
    "evaluator": "the tables of the evaluator",
    "start": "a point at which hands begin",
    "preflop": "a table of all-ins before the flop",
    "tensors": "a file of arrays",
    "database": "a database, such as a store of hands",
    "archive": "an archive",
    "svg": "an SVG picture",
    "png": "a PNG picture",
    "pdf": "a PDF",
    "html": "a page of HTML",
    "json": "JSON",
    "csv": "a CSV table",
    "acpc": "a match log",
    "phhs": "hands in PHH",
    "ohh": "hands in Open Hand History",
    "pokerstars": "a hand history",
    "skipped": "a list of hands that were left out",
    "text": "a text",
    "bytes": "something else",
}
"""What each kind is called in a sentence."""

SKIPPED = "# hands that soulread left out"
"""The first line of the file of ``import --skipped``."""

_HEAD = 2**16  # bytes that are looked at
_MAGIC = (
    (b"SQLite format 3\0", "database"),
    (b"\x89PNG", "png"),
    (b"%PDF", "pdf"),
    (b"\x1f\x8b", "archive"),
    (b"BZh", "archive"),
    (b"PK\x03\x04", "archive"),
    (b"\xfd7zXZ\0", "archive"),
)
_TEXTS = (
    (re.compile(r"(<\?xml[^>]*>\s*(<!DOCTYPE svg[^>]*>\s*)?)?<svg\b", re.I), "svg"),
    (re.compile(r"<!doctype html|<html\b", re.I), "html"),
    (re.compile(re.escape(SKIPPED)), "skipped"),
    (re.compile(r"(#[^\n]*\n)*STATE:|# name/game/hands/seed "), "acpc"),
    (re.compile(r"(#[^\n]*\n)*(\[1\]\n)?variant *="), "phhs"),
    (re.compile(r"[^\n]{0,80}\bHand #[^\n]*:"), "pokerstars"),
    (re.compile(r'\{\s*"ohh"\s*:'), "ohh"),
    (re.compile(r"[{\[]"), "json"),
    (re.compile(r"[\w./%$()-]+(,([\w./%$()-][\w ./%$()-]*)?)+\r?\n"), "csv"),
)
_FORCED: ContextVar[bool] = ContextVar("replacing anything", default=False)


def kind_of(path: str | os.PathLike[str]) -> str | None:
    """The kind of a file, a key of `KINDS`; None if there is no file, or nothing in it."""
    try:
        with Path(path).open("rb") as file:
            head = file.read(_HEAD)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SoulreadError(f"{str(path)!r} cannot be read: {error.strerror}") from None
    return _kind(head) if head else None


def _kind(head: bytes) -> str:
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return kind
    if head[8:9] == b"{" and b"\0" in head[:8]:  # safetensors: the length of a header, and the header
        found = re.search(rb'"soulread":"(\w+)"', head)
        kind = found[1].decode() if found else "tensors"
        return kind if kind in KINDS else "tensors"
    text = head.decode("utf-8", "replace").removeprefix("\ufeff")
    if "\0" in text:
        return "bytes"
    return next((kind for pattern, kind in _TEXTS if pattern.match(text)), "text")


def verify_kind(path: str | os.PathLike[str], kind: str) -> None:
    """Raise if a file of another kind than ``kind`` would be replaced."""
    found = kind_of(path)
    if found not in (None, kind) and not _FORCED.get():
        raise SoulreadError(
            f"{str(path)!r} is {KINDS[found or '']}, and {KINDS[kind]} would replace it; choose another "
            "name, or say --force"
        )


def may_replace_anything() -> bool:
    """Whether the user said ``--force``."""
    return _FORCED.get()


@contextmanager
def replacing_anything() -> Iterator[None]:
    """While the block runs, files of any kind may be replaced."""
    before = _FORCED.set(True)
    try:
        yield
    finally:
        _FORCED.reset(before)
