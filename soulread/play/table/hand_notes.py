"""The log of one player: hands as the player's seat saw them, and remarks beside them."""

from pathlib import Path
from types import TracebackType
from typing import Self

from soulread.errors import SoulreadError
from soulread.hands.formats.acpc import hand_line
from soulread.hands.hand import Hand
from soulread.notices import tell
from soulread.storage.files import verify_writable
from soulread.words import printable

MOST_REMARKS = 20  # of each kind, told to the user


class HandNotes:
    """Writes hands and remarks to a log as they come, line by line; without a path, remarks are only told."""

    def __init__(self, path: Path | None, title: str) -> None:
        self._path = path
        self._told: dict[str, int] = {}
        self._file = None
        if path is not None:
            verify_writable(path, "acpc")
            try:
                self._file = path.open("w", encoding="utf-8")
            except OSError as error:
                raise self._failed(error) from None
            self._write(f"# {printable(title)}\n")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, hand: Hand) -> None:
        """Write a hand."""
        self._write(hand_line(hand))

    def remark(self, text: str) -> None:
        """Write a remark on the player, and tell it to the user."""
        self._write(f"# {printable(text)}\n")
        self._tell("the agent", text)

    def odd_line(self, text: str) -> None:
        """Write a remark on a line of the dealer that was left alone, and tell it."""
        self._write(f"# a line was ignored: {printable(text)}\n")
        self._tell("a line was ignored", text)

    def _tell(self, kind: str, text: str) -> None:
        count = self._told[kind] = self._told.get(kind, 0) + 1
        if count <= MOST_REMARKS:
            tell(f"{kind}: {text}")
        elif count == MOST_REMARKS + 1:
            tell(f"{kind}: there are more than {MOST_REMARKS} such remarks; no more are shown")

    def _write(self, text: str) -> None:
        if self._file is None:
            return
        try:
            self._file.write(text)
            self._file.flush()
        except OSError as error:
            raise self._failed(error) from None

    def _failed(self, error: OSError) -> SoulreadError:
        return SoulreadError(f"{str(self._path)!r} cannot be written: {error.strerror or error}")
