"""Notices: sentences that soulread tells its user besides results.

Notices are warnings of the logger ``soulread``. Python prints these to standard error, unless a program
decides otherwise.
"""

import logging
import os
from pathlib import Path

from soulread.words import printable

COMPILING = "compiling for this machine, which takes up to a minute; later runs begin at once"

_log = logging.getLogger("soulread")
_told: set[str] = set()


def tell(text: str) -> None:
    """Tell the user something, in one sentence."""
    _log.warning("%s", printable(text))


def tell_once(text: str) -> None:
    """Tell the user, unless this process has said the same before."""
    if text not in _told:
        _told.add(text)
        tell(text)


def tell_if_nothing_is_compiled() -> None:
    """Tell the user that soulread will compile, if there is no compiled code at all.

    Only files are looked for, before anything heavy is imported. Where some code is compiled and some is not,
    `soulread.kernel` tells.
    """
    package = Path(__file__).parent
    folder, pattern = package, "*/__pycache__/*.nbi"
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        folder, pattern = Path(chosen), "*/*.nbi"
    elif not os.access(package, os.W_OK):
        return  # the code is kept elsewhere
    if not os.environ.get("NUMBA_DISABLE_JIT") and next(folder.glob(pattern), None) is None:
        tell_once(COMPILING)
