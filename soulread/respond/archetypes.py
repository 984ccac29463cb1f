"""A portfolio of responses that are made beforehand: one to each archetype, each within a budget of risk.

An *archetype* is an equilibrium bent one way (`soulread.solvers.skews`), far enough for its faults to be
plain. Its response is that of `soulread.respond.budget`: as much as possible from the archetype, with an
exploitability that exact best responses have certified. The equilibrium is a member too,
the first one. Everything is made before a hand is played, so that online nothing has to be solved.

The responses of a card abstraction are kept in the cache.
"""

import hashlib
import itertools
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.model.tabular import Possible
from soulread.respond.budget import BudgetedResponder, Certified, Tensors, find_start
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Source, Tell
from soulread.seqform.strategy import Behaviour, Behaviours
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.skews import Skew, skew_behaviours
from soulread.storage import cache

EQUILIBRIUM = "equilibrium"
ARCHETYPES = {
    "loose": Skew("loose", (0.6,)),
    "tight": Skew("tight", (0.3,)),
    "passive": Skew("passive", (0.6,)),
    "aggressive": Skew("aggressive", (0.4,)),
}
"""The opponents that the members answer."""

_UPDATES = 6  # of the responder for each archetype: trust follows the budget from one to the next
_ITERATIONS = 6  # of each seat in an update
_TRUST = 0.95  # greatest probability with which the archetype is taken to be the opponent
_VERSION = 3  # of the responses; raise it when the same settings would give others


@dataclass(frozen=True, eq=False)
class PortfolioMember:
    """One strategy of the portfolio; chips per hand, means over the seats."""

    name: str  # of the archetype it answers, or "equilibrium"
    behaviours: Behaviours
    risk: float  # most that it loses beyond the value of the game: certified by exact best responses
    promise: float  # against its archetype, beyond what the equilibrium wins from that one


def find_members(source: Source, budget: float, tell: Tell | None = None) -> tuple[PortfolioMember, ...]:
    """The equilibrium and a response to each archetype, of risk at most ``budget`` chips per hand.

    Those of a small game stay in the memory of the process. Those of a card abstraction come from the cache,
    or are solved, which takes a minute or two, and put there.
    """
    if source.cards is None:
        return _small_members(source, budget)
    equilibrium = find_equilibrium(source, tell).behaviours
    game = source.compile(tell)
    recipe = cache.Recipe(f"portfolio:{source}", _settings(game, equilibrium, budget))

    def build() -> dict[str, NDArray[Any]]:
        if tell is not None:
            tell(f"{source}: responses to {len(ARCHETYPES)} archetypes")
        return _packed(make_members(game, equilibrium, find_start(source, game, tell), budget))

    return _unpacked(cache.load_or_build(recipe, build).arrays, equilibrium)


def make_members(
    game: SequenceGame, equilibrium: Behaviours, start: Tensors | None, budget: float
) -> tuple[PortfolioMember, ...]:
    """The members of `find_members`; ``start`` is the engine that responses start from."""
    responder = BudgetedResponder(game, equilibrium, start, budget, _TRUST, iterations=_ITERATIONS)
    members = [PortfolioMember(EQUILIBRIUM, equilibrium, max(0.0, responder.equilibrium_risk), 0.0)]
    for name, skew in ARCHETYPES.items():
        responder.reset()
        found = _respond(responder, skew_behaviours(game, equilibrium, [skew]))
        members.append(PortfolioMember(name, found.behaviours, found.risk, found.promise))
    return tuple(members)


def _respond(responder: BudgetedResponder, archetype: Behaviours) -> Certified:
    """The update that promised most; the first ones are made with little trust and few iterations."""
    certain = Possible.certain(responder.game, archetype)
    return max((responder.respond(certain) for _ in range(_UPDATES)), key=lambda found: found.promise)


@lru_cache(maxsize=8)
def _small_members(source: Source, budget: float) -> tuple[PortfolioMember, ...]:
    game = source.compile()
    return make_members(game, find_equilibrium(source).behaviours, find_start(source, game), budget)


def _settings(game: SequenceGame, equilibrium: Behaviours, budget: float) -> dict[str, str | int]:
    """Everything that the responses depend on."""
    digest = hashlib.sha256(game.checksum.encode())
    for behaviour in equilibrium:
        digest.update(np.ascontiguousarray(behaviour, dtype="<f4").tobytes())
    return {
        "version": _VERSION,
        "of": digest.hexdigest(),
        "budget": repr(budget),
        "archetypes": ";".join(map(str, ARCHETYPES.values())),
    }


def _packed(members: tuple[PortfolioMember, ...]) -> dict[str, NDArray[Any]]:
    """Arrays for the cache; the equilibrium is kept elsewhere."""
    arrays: dict[str, NDArray[Any]] = {
        f"{member.name}-{seat}": member.behaviours[seat].astype(np.float32)
        for member, seat in itertools.product(members[1:], (0, 1))
    }
    arrays["amounts"] = np.array([[member.risk, member.promise] for member in members])
    return arrays


def _unpacked(arrays: Tensors, equilibrium: Behaviours) -> tuple[PortfolioMember, ...]:
    amounts = arrays["amounts"].tolist()
    members = [PortfolioMember(EQUILIBRIUM, equilibrium, *amounts[0])]
    for name, (risk, promise) in zip(ARCHETYPES, amounts[1:], strict=True):
        both = Behaviour(arrays[f"{name}-0"]), Behaviour(arrays[f"{name}-1"])
        members.append(PortfolioMember(name, both, risk, promise))
    return tuple(members)
