"""What may stand behind the colon of an agent's text: "dbbr:8-12-4-4,T=1000,method=l1".

The options of an agent are a dataclass, whose fields have the names and, by their defaults, the types of what
may be written. It verifies the values itself.
"""

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar, cast

from soulread.errors import ParseError, SoulreadError

Settings = TypeVar("Settings")


def parse_options(text: str, settings: type[Settings]) -> Settings:
    """The settings in an agent's text."""
    spec, found = parse_spec_and_options(text, settings)
    if spec:
        raise ParseError(f"{spec!r} in {text!r} is not an option; known are {_known(settings)}")
    return found


def parse_spec_and_options(text: str, settings: type[Settings]) -> tuple[str, Settings]:
    """The card abstraction, "" if there is none, and the settings in an agent's text."""
    options = text.partition(":")[2]
    kinds: dict[str, Callable[[str], Any]] = {
        field.name: type(field.default) for field in fields(cast(Any, settings))
    }
    spec = ""
    values: dict[str, Any] = {}
    for position, item in enumerate(options.split(",") if options else ()):
        key, equals, value = item.partition("=")
        if not equals and position == 0 and item:
            spec = item
            continue
        if key not in kinds or not value:
            raise ParseError(f"{item!r} in {text!r} is not an option; known are {_known(settings)}")
        if key in values:
            raise ParseError(f"{key!r} is given twice in {text!r}")
        try:
            values[key] = kinds[key](value)
        except ValueError:
            raise ParseError(f"{item!r} in {text!r}: expected a number") from None
    try:
        return spec, settings(**values)
    except SoulreadError as error:
        raise ParseError(f"{text!r}: {error}") from None


def _known(settings: type[Any]) -> str:
    return ", ".join(field.name for field in fields(settings))
