"""The surroundings of a command: streams that are closed or full, a terminal without a size.

Each trouble becomes one sentence on standard error, or is put right.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from soulread.cli.common import say

_SIZES = ("COLUMNS", "LINES")
_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def told_error(error: OSError) -> str:
    """An error of the operating system as a sentence: the file, if there is one, and the reason."""
    reason = error.strerror or str(error) or type(error).__name__
    if error.filename is not None:
        return f"{str(error.filename)!r} cannot be used: {reason}"
    return f"the output cannot be written: {reason}" if error.errno in _UNWRITABLE else reason


def keep_standard_streams() -> None:
    """Open the standard streams that are closed, on the null device.

    Otherwise the next file that is opened takes the place of one, and whatever prints there writes into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # which takes the lowest free number


@contextmanager
def suppress_bad_sizes() -> Iterator[None]:
    """While the block runs, a size of the terminal in the environment that is no size is not there."""
    taken = {name: os.environ[name] for name in _SIZES if not _is_size(os.environ.get(name, "80"))}
    for name, text in taken.items():
        del os.environ[name]
        with suppress(OSError):
            say(f"soulread: {name}={text!r} is no size of a terminal; it is ignored", err=True)
    try:
        yield
    finally:
        os.environ.update(taken)


def _is_size(text: str) -> bool:
    return not text or (text.isascii() and text.isdecimal() and 0 < len(text) < 6 and int(text) > 0)


@contextmanager
def whole_output() -> Iterator[None]:
    """Run the block; if its output cannot be written to the end, say why and exit with 2."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _close_output()
        sys.exit(1)
    except OSError as error:
        _close_output()
        with suppress(OSError):
            say(f"soulread: {told_error(error)}", err=True)
        sys.exit(2)


def _close_output() -> None:
    """Send what is left of the output nowhere, so that Python does not complain when it ends."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
