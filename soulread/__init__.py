"""Learn how an opponent really plays, and how to beat that opponent without becoming beatable.

``import soulread as sr`` gives the names of `soulread.api`; each is imported when it is first used.
"""

import importlib
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
    from soulread.play.catalogue.known import register

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


_ELSEWHERE = {
    "Unit": "soulread.estimate",
    "register": "soulread.play.catalogue.known",
}  # the rest: soulread.api


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(importlib.import_module(_ELSEWHERE.get(name, "soulread.api")), name)
    raise AttributeError(f"module 'soulread' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
