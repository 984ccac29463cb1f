"""Equilibria that are solved once and kept: those of small games in memory, those of abstractions on disk.

An equilibrium of an abstraction is a strategy file in the cache directory. Its name has a checksum of all
that it depends on: abstraction, joint matrices, method and gap. Loading verifies the file and maps it into
memory. A damaged one is solved again. If two processes need the same equilibrium, the first one solves it and
the second one waits.
"""

import hashlib
import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from soulread import notices
from soulread.abstraction import tables
from soulread.cards.deck import RANKS
from soulread.errors import DamagedFile, ParseError, ShapeError, SoulreadError
from soulread.estimate import Unit
from soulread.games.poker import PokerGame
from soulread.seqform.abstract import has_menu
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import SequenceGame, compile_game
from soulread.seqform.lookup import AbstractLookup
from soulread.seqform.source import Source, Tell, parse_source, without_suits
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    behaviour_from_plan,
    in_precision,
    move_behaviour,
    plan_from_behaviour,
    verify_behaviours,
)
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.seqform.treeplex import Treeplex
from soulread.solvers.best_response import best_response, response_behaviour
from soulread.solvers.cfr.methods import KNOWN_METHODS, default_gap, default_schedule, parse_method
from soulread.solvers.cfr.run import Check, Method, Solution, solve
from soulread.solvers.cfr.sampling import MonteCarloCFR
from soulread.solvers.lp import solve_exactly
from soulread.solvers.strategy_files import Strategy, load_strategy, save_strategy
from soulread.solvers.trembling import trembling_equilibrium
from soulread.storage import cache
from soulread.storage.files import once
from soulread.storage.kinds import replacing_anything
from soulread.streams import stream

QUICK_METHODS = "lp", "lp:1", "lp:2", "lp:3", "cfr+", "dcfr", "pcfr+"
"""Methods by which `equilibrium_by` finds different equilibria of Kuhn and Leduc within a second each."""

_BY_METHOD_GAP = 4e-5  # of a small bet, in small games: in Leduc 8e-5 chips per hand
_VERSION = 1  # of the solvers; grows when the same settings would give another strategy


Solve = Callable[[SequenceGame, Callable[[Check], None] | None], Solution]
"""Solves a compiled game; the second argument hears of each check."""

_unkept: dict[Path, TabularStrategy] = {}  # strategies that this process solved and could not write to disk


def find_equilibrium(source: Source, tell: Tell | None = None) -> TabularStrategy:
    """An equilibrium of a game, ready to play.

    Small games are solved exactly. The equilibrium of an abstraction comes from the cache; if it is not
    there, it is solved to 3 mb/g and put there.
    """
    if source.cards is None:
        return _exact_equilibrium(source)

    def to_default_gap(game: SequenceGame, progress: Callable[[Check], None] | None) -> Solution:
        return solve(game, default_schedule(source), gap=default_gap(game), progress=progress)

    return solve_or_load(source, equilibrium_path(source), to_default_gap, tell)


def equilibrium_by(source: Source, method: str, tell: Tell | None = None) -> TabularStrategy:
    """The equilibrium of a game that a method finds. A game may have many, and every method ends at another.

    "lp" is exact. "lp:7" is exact too: of all equilibria it takes the one furthest in a direction that the
    seed 7 draws. "tremble:0.001" is a refinement (`soulread.solvers.trembling`). The others, such as "cfr+",
    iterate until the exploitability is below 4e-5 small bets (in Leduc 8e-5 chips a hand), or 3 mb/g in an
    abstraction. Those of small games stay in the memory of the process. In Leduc `QUICK_METHODS` take less
    than a second, "lcfr" 15 seconds and "cfr" a minute.
    """
    found = verify_equilibrium_method(method)
    if source.cards is None:
        return _small_equilibrium(source, method.strip().lower())
    if found is None:
        raise SoulreadError(f"{source.name!r} is too large for the method {method!r}; take one that iterates")
    schedule = found

    def to_default_gap(game: SequenceGame, progress: Callable[[Check], None] | None) -> Solution:
        return solve(game, schedule, gap=default_gap(game), progress=progress)

    return solve_or_load(source, equilibrium_path(source, schedule.name), to_default_gap, tell)


def unfinished_solve(
    source: Source, method: str, iterations: int, tell: Tell | None = None
) -> TabularStrategy:
    """The average strategy of a method after so many iterations from scratch, however far from equilibrium.

    The sampled methods draw from a fixed stream, so the answer is always the same. In an abstraction it is
    kept in the cache.
    """
    found = parse_method(method)
    if found is None:
        raise SoulreadError(f"the method {method!r} has no iterations; an unfinished solve needs some")
    if iterations < 1:
        raise SoulreadError(f"an unfinished solve of {iterations} iterations; expected at least 1")
    if source.cards is None:
        return _small_unfinished(source, found, iterations)
    if isinstance(found, MonteCarloCFR):
        raise SoulreadError(f"the method {method!r} needs the histories of a game; {source.name!r} has none")
    schedule = found

    def some_iterations(game: SequenceGame, progress: Callable[[Check], None] | None) -> Solution:
        return solve(game, schedule, iterations=iterations, progress=progress)

    path = equilibrium_path(source, f"{schedule.name}-unfinished-{iterations}")
    return solve_or_load(source, path, some_iterations, tell, "unfinished")


def verify_equilibrium_method(text: str) -> Method | None:
    """The method of that name, for `equilibrium_by`; None for a linear program. Sampling is refused."""
    word = text.strip().lower()
    if re.fullmatch(r"lp:\d+|tremble:0?\.\d+", word):
        return None
    try:
        found = parse_method(word)
    except ParseError:
        known = ", ".join((*KNOWN_METHODS[:-2], "lp:1"))
        raise ParseError(f"{text!r} is not a method for an equilibrium; write one of {known}") from None
    if isinstance(found, MonteCarloCFR):
        raise ParseError(f"the method {text!r} samples, and would take hours to come near an equilibrium")
    return found


@lru_cache(maxsize=64)
def _small_equilibrium(source: Source, method: str) -> TabularStrategy:
    name, _, seed = method.partition(":")
    if name == "lp":
        if not seed:
            return _exact_equilibrium(source)
        return _without_suits(source, lambda game: solve_exactly(game, stream(int(seed), "equilibrium")))
    if name == "tremble":
        return _moved(source, lambda game: trembling_equilibrium(game, float(seed)))
    gap = _BY_METHOD_GAP * source.poker.rules.small_bet
    return _without_suits(source, lambda game: solve(game, parse_method(method), gap=gap))


@lru_cache(maxsize=64)
def _small_unfinished(source: Source, method: Method, iterations: int) -> TabularStrategy:
    rng = stream(0, "unfinished solve") if isinstance(method, MonteCarloCFR) else None
    return _without_suits(source, lambda game: solve(game, method, iterations=iterations, rng=rng))


def _without_suits(source: Source, solve: Callable[[SequenceGame], Solution]) -> TabularStrategy:
    """`_moved` of a solution."""
    return _moved(source, lambda game: solve(game).behaviours)


def _moved(source: Source, solve: Callable[[SequenceGame], Behaviours]) -> TabularStrategy:
    """Solve a small game, without suits where they never matter, and play the solution with all of its cards.

    Without a menu of raises the game is compiled with sparse payoffs, on which many iterations run inside one
    kernel.
    """
    plain = without_suits(source.poker)
    solved = compile_game(plain) if source.bets is None else Source(plain, bets=source.bets).compile()
    behaviours = solve(solved)
    game = source.compile()
    first, second = (
        _with_suits(old, new, behaviour, plain != source.poker)
        for old, new, behaviour in zip(solved.trees, game.trees, behaviours, strict=True)
    )
    return tabular(game, (first, second))


def _with_suits(source: Treeplex, target: Treeplex, behaviour: Behaviour, drop: bool) -> Behaviour:
    """A behaviour of ``source`` at every set of ``target``; if ``drop``, the labels of ``source`` name ranks.

    In a label such as "Ks|Jh|cr" the betting follows the last bar.
    """
    if not drop:
        return move_behaviour(source, target, behaviour)
    moved = np.ones(target.num_sequences, dtype=behaviour.dtype)
    for index in range(target.num_sets):
        cards, bar, betting = target.label(index).rpartition("|")
        found = source.index(re.sub(rf"([{RANKS}])[cdhs]", r"\1", cards) + bar + betting)
        moved[target.sequences(index)] = behaviour[source.sequences(found)]
    return Behaviour(moved)


def solve_or_load(
    source: Source, path: Path, solve: Solve, tell: Tell | None = None, title: str = ""
) -> TabularStrategy:
    """The strategy of a game that is kept at ``path``; if the file does not exist, it is solved and written.

    A damaged file is solved again. Only one process solves it. ``tell`` is called with the progress, or with
    a note that another process is solving. A strategy that cannot be written stays in memory.
    """

    def wait() -> None:
        if tell is not None:
            tell(f"{source}: waiting for another process that solves it")

    def read() -> TabularStrategy | None:
        if not path.exists():
            return None
        return playable_strategy(load_strategy(path), source.poker, repr(str(path)), tell)

    if path in _unkept:
        return _unkept[path]
    with suppress(DamagedFile, ShapeError):
        found = read()
        if found is not None:
            return found
    with cache.locked(path.name, wait) as unwritable:
        try:
            found = read()
            if found is None and cache.supplied(path):
                found = read()
            if found is not None:
                return found
        except (DamagedFile, ShapeError) as error:
            notices.tell(f"{error}; it is solved again")
        if unwritable:
            cache.tell_unkept(f"the strategy of {source}", unwritable)
        game = source.compile(tell)
        solution = solve(game, _told(source, title, tell))
        strategy = Strategy.from_solution(solution, abstraction=abstraction_checksum(game))
        kept = not unwritable and keep_strategy(path, strategy)
    found = read() if kept else None
    if found is None:
        found = _unkept[path] = playable_strategy(strategy, source.poker, repr(str(path)), tell)
    return found


@lru_cache(maxsize=8)
def _exact_equilibrium(source: Source) -> TabularStrategy:
    game = source.compile()
    return tabular(game, solve_exactly(game).behaviours)


def equilibrium_path(source: Source, method: str | None = None, gap: float | None = None) -> Path:
    """Where the equilibrium of an abstraction is kept, whether it is there or not."""
    if source.cards is None:
        raise SoulreadError(f"{source.name!r} has no card abstraction; its equilibrium is not kept on disk")
    method = default_schedule(source).name if method is None else method
    made = {
        "game": source.name,
        "joint": tables.joint_checksum(source.cards, source.quick),
        "method": method,
        "gap": default_gap(source) if gap is None else gap,
        "version": _VERSION,
    }
    if source.bets is not None:
        made["where it never comes"] = "the last iteration"
    digest = hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:16]
    name = f"{source.name}-{method}".replace(":", "-").replace(",", "-")
    return cache.cache_directory() / "strategies" / f"{name}-{digest}.strategy"


def keep_strategy(path: Path, strategy: Strategy) -> bool:
    """Write a strategy to the cache; returns whether that was possible, and says so if not."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing_anything():  # a damaged file of ours may look like anything
            save_strategy(path, strategy)
    except (OSError, SoulreadError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        cache.tell_unkept(f"the strategy of {strategy.game}", reason or str(error))
        return False
    return True


class KeptStrategy(NamedTuple):
    """A strategy in the cache."""

    path: Path
    source: Source
    strategy: Strategy


def kept_equilibria() -> list[KeptStrategy]:
    """The strategies in the cache, by name; unreadable files are left out."""
    found = []
    for path in sorted((cache.cache_directory() / "strategies").glob("*.strategy")):
        with suppress(SoulreadError):
            strategy = load_strategy(path)
            found.append(KeptStrategy(path, parse_source(strategy.game), strategy))
    return found


def playable_strategy(
    strategy: Strategy, game: PokerGame, where: str = "the strategy", tell: Tell | None = None
) -> TabularStrategy:
    """A strategy, such as one from a file, ready to play ``game``.

    A strategy for another game is refused, and so is one whose probabilities do not sum to one.
    """
    if strategy.abstraction is not None:
        source = parse_source(strategy.game)
        if not (has_menu(game) if source.bets else source.poker.rules.plays_like(game.rules)):
            raise _other_game(where, strategy, game)
        lookup = source.lookup(tell)
        assert isinstance(lookup, AbstractLookup)  # of a game with an abstraction
        if strategy.abstraction != lookup.abstraction.checksum:
            raise ShapeError(
                f"{where} was made for {strategy.game!r} with other tables ({strategy.abstraction}) than "
                f"those here ({lookup.abstraction.checksum}); solve it again"
            )
        table = TabularStrategy(betting_tree(source.poker, source.bets), lookup, strategy.behaviours)
        _verify_numbers(strategy, lambda: table.verify(where))
        return table
    if strategy.game != game.name:
        raise _other_game(where, strategy, game)
    compiled = Source(game).compile()
    if strategy.representation == "factored":
        strategy.verify_game(compiled, where)
        _verify_numbers(strategy, lambda: verify_behaviours(compiled.trees, strategy.behaviours, where))
        return tabular(compiled, strategy.behaviours)
    source_game = compile_game(game)
    strategy.verify_game(source_game, where)
    _verify_numbers(strategy, lambda: verify_behaviours(source_game.trees, strategy.behaviours, where))
    first, second = (
        move_behaviour(old, new, behaviour)
        for old, new, behaviour in zip(source_game.trees, compiled.trees, strategy.behaviours, strict=True)
    )
    return tabular(compiled, (first, second))


def _verify_numbers(strategy: Strategy, verify: Callable[[], None]) -> None:
    """Verify behaviours, once per process if they come from a file; wrong numbers are a `DamagedFile`."""
    try:
        if strategy.file is None:
            verify()
        else:
            once(strategy.file, "probabilities", verify)
    except ShapeError:
        raise
    except SoulreadError as error:
        raise DamagedFile(str(error)) from None


def _other_game(where: str, strategy: Strategy, game: PokerGame) -> ShapeError:
    return ShapeError(f"{where} was made for {strategy.game!r} and cannot play {game.name!r}")


def find_response(
    game: SequenceGame, opponent: Behaviours, default: Behaviours | None = None
) -> TabularStrategy:
    """The best response of each seat to the opponent's behaviour in the other seat.

    Ties go to the lowest action. Decisions that are never reached against the opponent count as ties, so the
    response folds there if it can; with ``default`` it plays that behaviour there.
    """
    verify_behaviours(game.trees, opponent)
    plans = [
        plan_from_behaviour(tree, in_precision(behaviour, game.payoff.dtype))
        for tree, behaviour in zip(game.trees, opponent, strict=True)
    ]

    def respond(seat: int) -> Behaviour:
        tree, gradient = game.trees[seat], game.payoff.gradient(seat, plans[1 - seat])
        if default is not None:
            return response_behaviour(tree, gradient, default[seat])
        return behaviour_from_plan(tree, best_response(tree, gradient)[1])

    return tabular(game, (respond(0), respond(1)))


def abstraction_checksum(game: SequenceGame) -> str | None:
    """The checksum of a game's card abstraction, for strategy files; None if it has no abstraction."""
    return game.lookup.abstraction.checksum if isinstance(game.lookup, AbstractLookup) else None


def _told(source: Source, title: str, tell: Tell | None) -> Callable[[Check], None] | None:
    """Checks of a solve in words."""
    if tell is None:
        return None
    bet = source.poker.rules.small_bet

    def progress(check: Check) -> None:
        reached = check.exploitability * Unit.MILLIBETS.per_chip(bet, bet)
        what = f"{title}, " if title else ""
        unit = Unit.MILLIBETS.value
        tell(f"{source}: {what}iteration {check.iteration:,}, exploitability {reached:.4g} {unit}")

    return progress
