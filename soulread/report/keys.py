"""Single keys of a person at a terminal, read as they are pressed."""

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_WAIT = 0.3  # seconds after which `None` says that nothing was pressed
_REST = 0.05  # seconds within which the rest of an escape sequence comes
_NAMES = {
    **{
        f"\x1b{begin}{letter}": name
        for begin in "[O"
        for letter, name in zip("ABCD", ("up", "down", "right", "left"), strict=True)
    },
    "\r": "enter",
    "\n": "enter",
    "\x7f": "back",
    "\b": "back",
    "\x04": "end",
    "\x1b": "escape",
}

ReadKey = Callable[[], str | None]


def can_read_keys() -> bool:
    """Whether somebody sits at a terminal whose keys can be read one by one."""
    try:
        import termios  # noqa: F401
    except ImportError:
        return False
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


@contextmanager
def single_keys() -> Iterator[ReadKey]:
    """While the block runs, keys are not shown and need no Enter; afterwards all is as it was.

    The function given waits for a key: "up", "down", "left", "right", "enter", "back", "end" or "escape", or
    the character typed. It returns None after a while without one.
    """
    import termios
    import tty

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    waiting: list[str] = []

    def comes(seconds: float) -> bool:
        return bool(select.select([file], [], [], seconds)[0])

    def read() -> str | None:
        if not waiting:
            if not comes(_WAIT):
                return None
            data = os.read(file, 64)
            if not data:
                return "end"
            while data.startswith(b"\x1b") and len(data) < 3 and comes(_REST):
                data += os.read(file, 64)
            waiting.extend(split_keys(data.decode("utf-8", "replace")))
        return waiting.pop(0)

    try:
        tty.setcbreak(file)
        yield read
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)


def split_keys(text: str) -> list[str]:
    """The keys that some characters of a terminal are; an escape sequence nobody knows is one key."""
    found = []
    while text:
        length = 1
        if text.startswith(("\x1b[", "\x1bO")):
            length = 3
            while length < len(text) and not "\x40" <= text[length - 1] <= "\x7e":
                length += 1
        found.append(_NAMES.get(text[:length], text[:length]))
        text = text[length:]
    return found
