"""Options behind a colon: ``"dbbr:5-5-5-5,T=1000,method=l1"`` is a name and options of a dataclass.

The fields of the dataclass are the options. The default of a field gives its type, and `option` gives it a
line of help. The dataclass verifies the values itself. The value of a field called ``cards`` may come first
without its name, as "5-5-5-5" does above.
"""

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from soulread.errors import ParseError, SoulreadError

Parse = Callable[[str], Any]  # turns the text of something nested, such as another agent, into what it names


@dataclass(frozen=True)
class NoOptions:
    """The options of something that takes none."""


def option(default: Any, help: str, read: Callable[[str, Parse], Any] | None = None) -> Any:
    """A field of an options dataclass, with its line of help.

    ``read`` turns what a user wrote into the value. Without it, the type of the default is called for that.
    """
    return field(default=default, metadata={"help": help, "read": read})


def read_options(text: str, options: type[Any], parse: Parse) -> Any:
    """The options in a text such as "name:5-5-5-5,T=1000"; ``parse`` reads agents within options."""
    written = text.partition(":")[2]
    known = {entry.name: entry for entry in fields(options)}
    values: dict[str, Any] = {}
    for position, item in enumerate(written.split(",") if written else ()):
        key, equals, value = item.partition("=")
        if not equals and position == 0 and item and "cards" in known:
            key, value = "cards", item
        if key not in known or not value:
            names = ", ".join(known) or "none"
            raise ParseError(f"{item!r} in {text!r} is not an option; known are {names}")
        if key in values:
            raise ParseError(f"{key!r} is given twice in {text!r}")
        read = known[key].metadata.get("read")
        default = known[key].default
        try:
            if read is not None:
                values[key] = read(value, parse)
            else:
                values[key] = value if default is MISSING else type(default)(value)
        except SoulreadError as error:
            raise ParseError(f"{item!r} in {text!r}: {error}") from None
        except ValueError:
            raise ParseError(f"{item!r} in {text!r}: expected a number") from None
    try:
        return options(**values)
    except SoulreadError as error:
        raise ParseError(f"{text!r}: {error}") from None


def help_of(options: type[Any]) -> list[tuple[str, str, str]]:
    """Name, default and line of help of each option."""
    return [(entry.name, _shown(entry.default), entry.metadata.get("help", "")) for entry in fields(options)]


def _shown(default: object) -> str:
    return "" if default in (None, MISSING, "", ()) else str(default)


def verify(name: str, *checks: tuple[bool, str]) -> None:
    """Raise `SoulreadError` for the first check that is true: ``(is it wrong, message)``, behind ``name``."""
    for wrong, what in checks:
        if wrong:
            raise SoulreadError(f"{name}: {what}")


def changed(options: Any, *names: str) -> list[str]:
    """Those of the named options whose value is not the default."""
    return [
        entry.name
        for entry in fields(options)
        if entry.name in names and getattr(options, entry.name) != entry.default
    ]
