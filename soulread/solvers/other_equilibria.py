"""Equilibria that an opponent may play: a game has many, and each card abstraction has its own.

Whoever takes another equilibrium for a fault answers a fault that is not there. So models that look for
faults begin with several equilibria.

* Of a small game: the exact one, those that other methods end at, and exact ones far in random directions
  (`METHODS`).
* Of a card abstraction: our own; our own with slips; and those of other, coarser abstractions
  (`ABSTRACTIONS`), told in our private states (`soulread.solvers.retelling`) and with a few slips, since
  through our eyes they do what ours never does. They are solved at the first use, some ten seconds each, and
  kept in the cache.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.states import parse_abstraction
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Buckets, Source, Tell, with_cards
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    in_precision,
    mean_behaviours,
    with_uniform,
)
from soulread.solvers.equilibria import equilibrium_by, find_equilibrium
from soulread.solvers.retelling import BOARDS, retell
from soulread.storage import cache

METHODS = "cfr+", "dcfr", *(f"lp:{seed}" for seed in range(1, 9))
"""Equilibria besides our own that an opponent of a small game may have begun with, by method."""

ABSTRACTIONS = "2-2-2-2", "4-4-4-4", "5-4-3-2", "6-6-3-2", "hs:3-3-3-3", "hs:4-4-4-4", "potential:3-3-3-3"
"""Card abstractions whose equilibria an opponent of hold'em may play."""

FEW_ABSTRACTIONS = "2-2-2-2", "4-4-4-4", "hs:3-3-3-3"
"""The same over a menu of raises, where solving takes longer."""

OWN_SLIPS = 0.02  # share of uniform play in our own equilibrium with slips
SLIPS = 0.005  # in those of other abstractions
_VERSION = 1  # of retold equilibria


def many_equilibria(game: SequenceGame, equilibrium: Behaviours) -> list[Behaviours]:
    """Equilibria of a small game: the mean of all, the one given, and those of `METHODS`."""
    source = Source(poker_of(game), bets=game.bets)
    pairs = [equilibrium, *(equilibrium_by(source, method).behaviours for method in METHODS)]
    found = [(in_precision(first, np.float64), in_precision(second, np.float64)) for first, second in pairs]
    return [mean_behaviours(game.trees, found), *found]


def equilibria_of_abstractions(
    game: SequenceGame, equilibrium: Behaviours, tell: Tell | None = None
) -> list[Behaviours]:
    """Equilibria as they look in a card abstraction: the one given, the same with slips, and others.

    The others are those of `ABSTRACTIONS` that have fewer private states than ``game``.
    """
    assert game.lookup is not None
    states = game.lookup.num_states[-1]
    names = ABSTRACTIONS if game.bets is None else FEW_ABSTRACTIONS
    others = [Buckets(parse_abstraction(name), quick=True, bets=game.bets) for name in names]
    coarser = [cards for cards in others if cards.spec.num_states[-1] < states]
    retold = [_retold(with_cards(poker_of(game), cards), game, tell) for cards in coarser]
    slipping = [(equilibrium, OWN_SLIPS), *((pair, SLIPS) for pair in retold)]
    return [
        equilibrium,
        *(with_uniform(game.trees, pair, share, game.payoff.dtype) for pair, share in slipping),
    ]


def _retold(source: Source, game: SequenceGame, tell: Tell | None) -> Behaviours:
    """The equilibrium of ``source`` in the private states of ``game``; kept in the cache."""
    recipe = cache.Recipe(
        f"retold:{source}", {"version": _VERSION, "in": game.name, "of": game.checksum, "boards": BOARDS}
    )

    def build() -> dict[str, NDArray[Any]]:
        equilibrium = find_equilibrium(source, tell)
        first, second = retell(equilibrium.behaviours, source.compile(tell), game)
        return {"first": first, "second": second}

    arrays = cache.load_or_build(recipe, build).arrays
    return Behaviour(arrays["first"]), Behaviour(arrays["second"])
