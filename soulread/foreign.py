"""Agents, models and experiments that other people wrote: named by module, or offered by a package.

A package offers them through the entry-point groups ``soulread.agents``, ``soulread.models`` and
``soulread.experiments``. One that is not registered is named ``"module:Class"``, an experiment
``"module:function"``, on the command line and in Python; the module may also be in the working directory.
"""

import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any

from soulread.errors import ParseError, SoulreadError
from soulread.options import NoOptions

_NAME = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")


def offered(group: str) -> dict[str, metadata.EntryPoint]:
    """The entries that installed packages offer in an entry-point group, by name."""
    return {entry.name: entry for entry in metadata.entry_points(group=group)}


def load_offered(entry: metadata.EntryPoint) -> Any:
    """Import what an entry point names; the error says so if the package cannot be imported."""
    try:
        return entry.load()
    except Exception as error:
        raise SoulreadError(
            f"{entry.name!r} is offered by {entry.value!r}, which cannot be imported: {error}"
        ) from None


def find_class(text: str) -> tuple[str, type[Any]] | None:
    """Name and class that "module:Class" or "module:Class:options" begins with; None for any other text."""
    return find_attribute(text, "class", inspect.isclass)


def find_attribute(text: str, kind: str, is_kind: Callable[[Any], bool]) -> tuple[str, Any] | None:
    """Name and object that "module:Name" begins with; None for any other text.

    The object must be of a kind, such as "class", or it is a `ParseError`.
    """
    found = _NAME.match(text)
    if not found or text[found.end() : found.end() + 1] not in ("", ":"):
        return None
    module, _, attribute = found[0].partition(":")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # stays there, so that processes started later find it too
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            return None
        raise SoulreadError(f"{module!r} cannot be imported: {error}") from None
    except Exception as error:
        raise SoulreadError(f"{module!r} cannot be imported: {type(error).__name__}: {error}") from None
    made = getattr(loaded, attribute, None)
    if not is_kind(made):
        raise ParseError(f"{found[0]!r}: the module {module!r} has no {kind} {attribute!r}")
    return found[0], made


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


def build(name: str, made: type[Any], game: Any, options: Any) -> Any:
    """Call a foreign class with the game, and with its options if it has any."""
    try:
        return made(game) if isinstance(options, NoOptions) else made(game, options)
    except Exception as error:
        raise SoulreadError(
            f"{name!r} cannot be made for {game.name!r}: {type(error).__name__}: {error}"
        ) from None
