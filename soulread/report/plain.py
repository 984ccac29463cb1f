"""Text for terminals and files that cannot show every character.

An encoding such as cp1252 or ASCII lacks suits, box lines or "±". `plain` writes them with the characters
there are: "+/-" for "±", "Ah" for "A♥". `never_fail` makes a stream do the same.
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
    """``text`` in the characters of an encoding; a character without another form becomes "?"."""
    try:
        text.encode(encoding)
        return text
    except UnicodeEncodeError:
        return text.encode(encoding, _ERRORS).decode(encoding)
    except LookupError:  # an encoding nobody knows
        return text


def never_fail(stream: IO[Any]) -> None:
    """Let a stream replace characters as `plain` does, instead of raising."""
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors=_ERRORS)


def _replace(error: UnicodeError) -> tuple[str | bytes, int]:
    """The handler of characters that an encoding lacks; see the module `codecs`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character, "?") for character in missing), error.end


codecs.register_error(_ERRORS, _replace)
