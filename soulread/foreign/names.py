"""Agents, models and experiments that other people wrote: named by module, or offered by a package.

A package offers them through the entry-point groups ``soulread.agents``, ``soulread.models`` and
``soulread.experiments``. One that is not registered is named ``"module:Class"``, an experiment
``"module:function"``, on the command line and in Python; the module may also be in the working directory.

Agents and models are imported by the processes they run in (`soulread.foreign.apart`). Experiments, and
classes that no other process can import, run in the user's own process.
"""

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Container
from importlib import metadata
from numbers import Integral
from typing import Any

from soulread.errors import IllegalAction, ParseError, SoulreadError
from soulread.options import NoOptions

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_MOST_SHOWN = 200  # characters of anything that foreign code says

RAISED = Exception, SystemExit, GeneratorExit
"""All that foreign code may raise, but for Ctrl-C: a user may really have pressed it."""


def offered(group: str) -> dict[str, metadata.EntryPoint]:
    """The entries that installed packages offer in an entry-point group, by name."""
    return {entry.name: entry for entry in metadata.entry_points(group=group)}


def load_offered(entry: metadata.EntryPoint) -> Any:
    """Import what an entry point names; the error says so if the package cannot be imported."""
    try:
        return entry.load()
    except RAISED as error:
        raise SoulreadError(
            f"{entry.name!r} is offered by {entry.value!r}, which cannot be imported: {told(error)}"
        ) from None


def name_in(text: str) -> str | None:
    """The "module:Name" that a text begins with, as "module:Name:options" does; None for any other text."""
    found = _NAME.match(text)
    return found[0] if found and text[found.end() : found.end() + 1] in ("", ":") else None


def find_attribute(text: str, kind: str, is_kind: Callable[[Any], bool]) -> tuple[str, Any] | None:
    """Name and object that "module:Name" begins with; None for any other text.

    The object must be of a kind, such as "class", or it is a `ParseError`.
    """
    name = name_in(text)
    if name is None:
        return None
    module, _, attribute = name.partition(":")
    add_working_directory()
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and f"{module}.".startswith(f"{error.name}."):
            return None
        raise SoulreadError(f"{module!r} cannot be imported: {told(error)}") from None
    except RAISED as error:
        raise SoulreadError(f"{module!r} cannot be imported: {told(error)}") from None
    made = getattr(loaded, attribute, None)
    if not is_kind(made):
        raise ParseError(f"{name!r}: the module {module!r} has no {kind} {attribute!r}")
    return name, made


def add_working_directory() -> None:
    """Let modules of the working directory be found, here and in processes that are started later."""
    try:
        here = os.getcwd()
    except OSError:  # somebody has removed it
        return
    if here not in sys.path:
        sys.path.append(here)


def location_of(made: type[Any]) -> str | None:
    """The "module:Class" under which another process finds a class; None if none does.

    No other process finds what was defined at a prompt, in a notebook, in the script that runs, or inside a
    function.
    """
    module = sys.modules.get(made.__module__)
    if made.__module__ == "__main__" or getattr(module, "__file__", None) is None:
        return None
    name = f"{made.__module__}:{made.__qualname__}"
    return name if name_in(name) == name and getattr(module, made.__qualname__, None) is made else None


def verify_methods(name: str, made: type[Any], needed: tuple[str, ...]) -> None:
    """Raise unless a class has the methods of a contract."""
    missing = [method for method in needed if not callable(getattr(made, method, None))]
    if missing:
        raise SoulreadError(f"{name!r} has no method {missing[0]}(); it needs {', '.join(needed)}")


def about(made: Any) -> str:
    """The first line of the docstring of a class or function."""
    return (inspect.getdoc(made) or "").partition("\n")[0] or "no description"


def options_of(made: type[Any]) -> type[Any]:
    """The options dataclass of a class: its attribute ``Options``, if it has one."""
    options: type[Any] = getattr(made, "Options", NoOptions)
    return options


def build(made: type[Any], game: Any, options: Any) -> Any:
    """Call a foreign class with the game, and with its options if it has any."""
    return made(game) if isinstance(options, NoOptions) else made(game, options)


def chosen(action: Any, legal: Container[int]) -> int:
    """The action as a plain number; `IllegalAction`, with the action as text, unless it is a legal one.

    NumPy's whole numbers are numbers too. True is none, nor is 1.0.
    """
    if isinstance(action, Integral) and not isinstance(action, bool):
        number = int(action)
        if number in legal:
            return number
    raise IllegalAction(shown(action))


def shown(value: Any) -> str:
    """Anything as short text, whatever its own methods do."""
    try:
        if isinstance(value, int) and value.bit_length() > _MOST_SHOWN:
            return f"a number of {value.bit_length():,} bits"
        return _short(repr(value))
    except RAISED:
        return f"an object of the class {_short(type(value).__name__)}"


def told(error: BaseException) -> str:
    """An error as "Class: text", and one of soulread as its text, whatever its own methods do."""
    name = type(error).__name__
    try:
        return (
            str(error) if isinstance(error, SoulreadError) else _short(f"{name}: {error}".removesuffix(": "))
        )
    except RAISED:
        return _short(name)


def _short(text: str) -> str:
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."
