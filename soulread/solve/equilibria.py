"""Equilibria that are solved once and kept: exact ones of small games, those of abstractions on disk.

An equilibrium of an abstraction is a strategy file in the cache directory, named by a checksum of all it
depends on: abstraction, joint matrices, method and gap. Loading one maps the file, so it is there at once.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from soulread import cache
from soulread.abstraction import tables
from soulread.abstraction.tables import load_abstraction
from soulread.errors import ShapeError, SoulreadError
from soulread.estimate import Unit
from soulread.games import PokerGame, parse_game
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import compile_game
from soulread.seqform.strategy import behaviour_from_plan, move_behaviour, plan_from_behaviour
from soulread.seqform.tabular import AbstractLookup, TabularStrategy
from soulread.seqform.treeplex import Floats
from soulread.solve.best_response import best_response
from soulread.solve.files import Strategy, load_strategy, save_strategy
from soulread.solve.lp import solve_exactly
from soulread.solve.named import (
    AbstractName,
    Playable,
    Tell,
    compile_playable,
    default_gap,
    default_method,
    parse_abstract_game,
    small_bet,
    solve_named,
)
from soulread.solve.run import Check

_VERSION = 1  # of the solvers; grows when the same settings would give another strategy


def find_equilibrium(text: str, tell: Tell | None = None) -> TabularStrategy:
    """An equilibrium of the game a text names, ready to play: "kuhn", "leduc", "limit:8-12-4-4".

    Small games are solved exactly. In an abstraction it comes from the cache, or is solved to 3 mb/g first
    and put there.
    """
    named = parse_abstract_game(text)
    if named is None:
        return _exact_equilibrium(text)
    path = equilibrium_path(named)
    if not path.exists():
        playable = compile_playable(text, tell)
        solution = solve_named(playable.game, progress=_told(text, tell))
        keep_equilibrium(path, Strategy.from_solution(solution, abstraction=abstraction_checksum(playable)))
    return playable_strategy(load_strategy(path), named.game, str(path), tell)


@lru_cache(maxsize=8)
def _exact_equilibrium(text: str) -> TabularStrategy:
    playable = compile_playable(text)
    return tabular(playable, solve_exactly(playable.game).behaviours)


def equilibrium_path(named: AbstractName, method: str | None = None, gap: float | None = None) -> Path:
    """Where the equilibrium of an abstraction is kept, whether it is there or not."""
    method = default_method(str(named)) if method is None else method
    made = {
        "game": str(named),
        "joint": tables.joint_checksum(named.spec, named.quick),
        "method": method,
        "gap": default_gap(str(named)) if gap is None else gap,
        "version": _VERSION,
    }
    digest = hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:16]
    name = f"{named}-{method}".replace(":", "-").replace(",", "-")
    return cache.cache_directory() / "strategies" / f"{name}-{digest}.strategy"


def keep_equilibrium(path: Path, strategy: Strategy) -> None:
    """Write a strategy to the cache."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SoulreadError(
            f"cannot write to the cache directory {str(path.parent)!r} ({error.strerror}); "
            "set SOULREAD_CACHE to one that can be written"
        ) from None
    save_strategy(path, strategy)


def kept_equilibria() -> list[tuple[Path, Strategy]]:
    """The strategies in the cache, by name; unreadable files are left out."""
    found = []
    for path in sorted((cache.cache_directory() / "strategies").glob("*.strategy")):
        with suppress(SoulreadError):
            found.append((path, load_strategy(path)))
    return found


def playable_strategy(
    strategy: Strategy, game: PokerGame, where: str = "the strategy", tell: Tell | None = None
) -> TabularStrategy:
    """A strategy, from a file for instance, ready to play ``game``; refused if it is for another."""
    named = parse_abstract_game(strategy.game)
    poker = named.game if named is not None else parse_game(strategy.game)
    if poker.name != game.name:
        raise SoulreadError(f"{where} was made for {strategy.game!r} and cannot play {game.name!r}")
    if named is not None:
        progress = None if tell is None else lambda title, part: tell(f"{named}: {title}, {part:.0%}")
        abstraction = load_abstraction(named.spec, progress)
        if strategy.abstraction != abstraction.checksum:
            raise ShapeError(
                f"{where} was made for {strategy.game!r} with other tables ({strategy.abstraction}) than "
                f"those here ({abstraction.checksum}); solve it again"
            )
        return TabularStrategy(betting_tree(game), AbstractLookup(abstraction), strategy.behaviours)
    playable = compile_playable(game.name)
    if strategy.representation == "factored":
        strategy.verify_game(playable.game, where)
        return tabular(playable, strategy.behaviours)
    source = compile_game(game)
    strategy.verify_game(source, where)
    first, second = (
        move_behaviour(old, new, behaviour)
        for old, new, behaviour in zip(source.trees, playable.game.trees, strategy.behaviours, strict=True)
    )
    return tabular(playable, (first, second))


def tabular(playable: Playable, behaviours: tuple[Floats, Floats]) -> TabularStrategy:
    """Behaviours of a playable game, ready to play."""
    return TabularStrategy(betting_tree(playable.poker), playable.lookup, behaviours)


def find_response(playable: Playable, opponent: tuple[Floats, Floats]) -> TabularStrategy:
    """The best response of either seat to the opponent's behaviours in the other one.

    Ties go to the lowest action; where the opponent never lets it come, that is a fold if there is one.
    """
    game = playable.game
    plans = [
        plan_from_behaviour(tree, behaviour.astype(game.payoff.dtype, copy=False))
        for tree, behaviour in zip(game.trees, opponent, strict=True)
    ]
    first, second = (
        behaviour_from_plan(tree, best_response(tree, game.payoff.gradient(seat, plans[1 - seat]))[1])
        for seat, tree in enumerate(game.trees)
    )
    return tabular(playable, (first, second))


def abstraction_checksum(playable: Playable) -> str | None:
    """Of the card abstraction, for strategy files; None where there is none."""
    lookup = playable.lookup
    return lookup.abstraction.checksum if isinstance(lookup, AbstractLookup) else None


def _told(text: str, tell: Tell | None) -> Callable[[Check], None] | None:
    """Checks of a solve in words."""
    if tell is None:
        return None
    bet = small_bet(text) or 1

    def progress(check: Check) -> None:
        reached = check.exploitability * Unit.MILLIBETS.per_chip(bet, bet)
        tell(f"{text}: iteration {check.iteration:,}, exploitability {reached:.4g} {Unit.MILLIBETS.value}")

    return progress
