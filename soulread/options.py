"""Options behind a colon: ``"dbbr:5-5-5-5,T=1000,method=l1"`` is a name and options of a dataclass.

The fields of the dataclass are the options. The default of a field gives its type, and `option` gives it a
line of help and the values that are allowed. The value of a field called ``cards`` may come first
without its name, as "5-5-5-5" does above.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field, fields
from typing import Any

from soulread.errors import ParseError, SoulreadError

Parse = Callable[[str], Any]  # turns the text of something nested, such as another agent, into what it names


@dataclass(frozen=True)
class NoOptions:
    """The options of something that takes none."""


def option(
    default: Any,
    help: str,
    read: Callable[[str, Parse], Any] | None = None,
    *,
    low: float | None = None,
    high: float | None = None,
    above: float | None = None,
    below: float | None = None,
    choices: Iterable[object] | None = None,
) -> Any:
    """A field of an options dataclass, with its line of help and the values that it may have.

    ``read`` turns what a user wrote into the value. Without it, the type of the default is called for that.
    ``low`` and ``high`` are allowed themselves, ``above`` and ``below`` are not. The value must be one of
    ``choices``. The default is always allowed.
    """
    bounds = Bounds(low, high, above, below, None if choices is None else tuple(choices))
    return field(default=default, metadata={"help": help, "read": read, "bounds": bounds})


@dataclass(frozen=True)
class Bounds:
    """The values that an option may have."""

    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None
    choices: tuple[object, ...] | None = None

    def allow(self, value: Any) -> bool:
        """Whether a value is allowed; not a number never is where there is a bound."""
        if self.choices is not None:
            return value in self.choices
        return (
            (self.low is None or value >= self.low)
            and (self.high is None or value <= self.high)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
        )

    def verify(self, name: str, value: Any) -> None:
        """Raise `SoulreadError` unless the value of ``name`` is allowed."""
        if not self.allow(value):
            raise SoulreadError(f"{name}={value}; expected {self}")

    def __str__(self) -> str:
        if self.choices is not None:
            return " or ".join(str(choice) for choice in self.choices)
        words = ("at least", self.low), ("above", self.above), ("at most", self.high), ("below", self.below)
        return " and ".join(f"{word} {bound:g}" for word, bound in words if bound is not None)


@dataclass(frozen=True)
class Options:
    """The base of options that verify themselves: each value against the bounds of its `option`."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            value, bounds = getattr(self, entry.name), entry.metadata.get("bounds")
            if bounds is not None and value != entry.default:
                bounds.verify(entry.name, value)


def read_options(text: str, options: type[Any], parse: Parse) -> Any:
    """The options in a text such as "name:5-5-5-5,T=1000"; ``parse`` reads agents within options."""
    written = text.partition(":")[2]
    known = {entry.name: entry for entry in fields(options)}
    values: dict[str, Any] = {}
    for position, item in enumerate(written.split(",") if written else ()):
        key, equals, value = item.partition("=")
        if position == 0 and item and "cards" in known and (not equals or ":" in key):
            key, value = "cards", item  # it may hold a menu of raises, "5-5-5-5:bets=usual"
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
