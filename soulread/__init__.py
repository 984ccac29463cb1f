"""Learn how an opponent really plays, and how to beat that opponent without becoming beatable.

``import soulread as sr`` gives the names below. Each is imported when it is first used.
"""

import importlib
import os
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

if TYPE_CHECKING:
    from soulread.api.cards import equity, potential, strength
    from soulread.api.charts import charts, push_fold
    from soulread.api.games import (
        best_response,
        compiled,
        curve,
        equilibrium,
        exploitability,
        game,
        lbr,
        solve,
    )
    from soulread.api.lab import experiment
    from soulread.api.play import (
        agent,
        duel,
        fit,
        meet,
        register_agent,
        register_model,
        tournament,
        watch,
        zoo,
    )
    from soulread.api.players import (
        exploits,
        facing,
        find_hands,
        hero,
        import_hands,
        leaks,
        occasions,
        plan,
        players,
        pool,
        predict,
        profile,
        read,
        read_hands,
        results,
        sample_hands,
        sessions,
        sizing,
        stats,
    )
    from soulread.api.spots import boards, lock, lock_player, spot
    from soulread.cards.ranges import Range
    from soulread.cluster.runner import Cluster
    from soulread.estimate import Unit
    from soulread.games.poker import Rules
    from soulread.hands.hand import Hand
    from soulread.hands.store import Store
    from soulread.model.base import Model
    from soulread.play.agent import Agent

_HOMES = {
    "api.cards": "equity potential strength",
    "api.charts": "charts push_fold",
    "api.games": "best_response compiled curve equilibrium exploitability game lbr solve",
    "api.lab": "experiment",
    "api.play": "agent duel fit meet register_agent register_model tournament watch zoo",
    "api.players": (
        "exploits facing find_hands hero import_hands leaks occasions plan players pool predict profile read "
        "read_hands results sample_hands sessions sizing stats"
    ),
    "api.spots": "boards lock lock_player spot",
    "cards.ranges": "Range",
    "cluster.runner": "Cluster",
    "estimate": "Unit",
    "games.poker": "Rules",
    "hands.hand": "Hand",
    "hands.store": "Store",
    "model.base": "Model",
    "play.agent": "Agent",
}
NAMES = {name: module for module, names in _HOMES.items() for name in names.split()}
"""The module of each public name."""

__all__ = [
    "Agent",
    "Cluster",
    "Hand",
    "Model",
    "Range",
    "Rules",
    "Store",
    "Unit",
    "agent",
    "best_response",
    "boards",
    "charts",
    "compiled",
    "curve",
    "duel",
    "equilibrium",
    "equity",
    "experiment",
    "exploitability",
    "exploits",
    "facing",
    "find_hands",
    "fit",
    "game",
    "hero",
    "import_hands",
    "lbr",
    "leaks",
    "lock",
    "lock_player",
    "meet",
    "occasions",
    "plan",
    "players",
    "pool",
    "potential",
    "predict",
    "profile",
    "push_fold",
    "read",
    "read_hands",
    "register_agent",
    "register_model",
    "results",
    "sample_hands",
    "sessions",
    "sizing",
    "solve",
    "spot",
    "stats",
    "strength",
    "tournament",
    "watch",
    "zoo",
]


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return getattr(importlib.import_module(f"soulread.{NAMES[name]}"), name)
    raise AttributeError(f"module 'soulread' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def _core_type(processor: str) -> str | None:
    """The kernels that OpenBLAS is to use on a processor, told by the beginning of ``/proc/cpuinfo``.

    OpenBLAS takes AMD's processors with AVX-512 for older ones; their products then take twice the time.
    None leaves the choice to OpenBLAS.
    """
    needed = {f"avx512{part}" for part in ("f", "cd", "bw", "dq", "vl")}
    return "SKYLAKEX" if "AuthenticAMD" in processor and needed <= set(processor.split()) else None


def _choose_core_type() -> None:
    """Choose before NumPy loads OpenBLAS; what the user has chosen stays."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            found = _core_type(file.read(8192))  # the first core
    except OSError:
        return
    if found is not None:
        os.environ.setdefault("OPENBLAS_CORETYPE", found)


_choose_core_type()
