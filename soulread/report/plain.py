"""Text for terminals and files that cannot show every character.

An encoding such as cp1252 or ASCII lacks suits, box lines or "±". `plain` writes them with the characters
there are: "+/-" for "±", "Ah" for "A♥". `never_fail` makes a stream do the same with whatever it is given.
"""

import codecs
from typing import IO, Any

_PLAIN = {
    "±": "+/-",
    "♣": "c",
    "♦": "d",
    "♥": "h",
    "♠": "s",
    "·": ".",
    "█": "#",
    "░": "-",
    "─": "-",
    "━": "-",
    "╸": "-",
    "╺": "-",
    "…": "...",
    "–": "-",
    "×": "x",
    "≤": "<=",
    "≥": ">=",
    "²": "^2",
}
_ERRORS = "soulread.plain"


def plain(text: str, encoding: str) -> str:
    """``text`` with only those characters that the encoding has; what has no other form becomes "?"."""
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        return text.encode(encoding, _ERRORS).decode(encoding)
    except LookupError:  # an encoding nobody knows
        return text


def never_fail(stream: IO[Any]) -> None:
    """Let a stream write what its encoding lacks as `plain` does, instead of raising."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors=_ERRORS)


def _replace(error: UnicodeError) -> tuple[str | bytes, int]:
    """The handler of characters that an encoding lacks; see the module `codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character, "?") for character in missing), error.end


codecs.register_error(_ERRORS, _replace)
