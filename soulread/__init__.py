"""Learn how an opponent really plays, and how to beat that opponent without becoming beatable.

``import soulread as sr`` gives the names of `soulread.api`; each is imported when it is first used.
"""

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from soulread.api import (
        agent,
        best_response,
        compiled,
        curve,
        duel,
        equilibrium,
        exploitability,
        fit,
        game,
        leaks,
        lock,
        plot_curve,
        plot_duel,
        solve,
        spot,
        watch,
    )
    from soulread.estimate import Unit
    from soulread.play.catalogue import register

__all__ = [
    "Unit",
    "agent",
    "best_response",
    "compiled",
    "curve",
    "duel",
    "equilibrium",
    "exploitability",
    "fit",
    "game",
    "leaks",
    "lock",
    "plot_curve",
    "plot_duel",
    "register",
    "solve",
    "spot",
    "watch",
]


_ELSEWHERE = {"Unit": "soulread.estimate", "register": "soulread.play.catalogue"}  # the rest: soulread.api


class _Callable(ModuleType):
    """The folder `soulread.solve`, which at the prompt is also the function of that name."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from soulread.api import solve

        return solve(*arguments, **options)


class _Package(ModuleType):
    """Importing the folder ``solve`` sets an attribute here; it is made callable on the way."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "solve" and isinstance(value, ModuleType):
            value.__class__ = _Callable
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name == "solve":
        return importlib.import_module("soulread.solve")
    if name in __all__:
        return getattr(importlib.import_module(_ELSEWHERE.get(name, "soulread.api")), name)
    raise AttributeError(f"module 'soulread' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
