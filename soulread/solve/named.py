"""Games and methods by the names a user types, for the command line and scripts."""

import os
from collections.abc import Callable

import numpy as np

from soulread.errors import ParseError, SoulreadError
from soulread.games import OpenSpielGame, PokerGame, find_game
from soulread.seqform.compile import MAX_HISTORIES, SequenceGame, compile_factored, compile_game
from soulread.solve.lp import solve_exactly
from soulread.solve.mccfr import ExternalSampling, OutcomeSampling
from soulread.solve.regret import parse_schedule
from soulread.solve.run import Check, Method, Solution, solve

KNOWN_METHODS = "dcfr", "dcfr:1.5,0,2", "cfr+", "pcfr+", "lcfr", "cfr", "lp", "external", "outcome"
DEFAULT_GAP = 1e-3  # of a small bet, or of a chip where the game has none
_LARGEST_DECK = 12  # cards of a poker game that is solved without an abstraction


def compile_named(text: str, representation: str = "sparse") -> SequenceGame:
    """The game a text names, ready to be solved; refused if it is too large for that card by card."""
    game = find_game(text)
    if isinstance(game, OpenSpielGame):
        return compile_game(game, game.max_histories)
    if game.num_players != 2:
        raise SoulreadError(f"{game.name!r} has {game.num_players} players; games of 2 can be solved")
    if isinstance(game, PokerGame) and len(game.rules.deck) > _LARGEST_DECK:
        raise SoulreadError(
            f"{game.name!r} is too large to be solved card by card; it needs an abstraction of its cards"
        )
    if representation == "factored" and isinstance(game, PokerGame):
        return compile_factored(game)
    return compile_game(game, MAX_HISTORIES)


def small_bet(text: str) -> int | None:
    """Chips of a small bet, the unit of mb/g, in the game a text names; None where there is none."""
    game = find_game(text)
    return game.rules.small_bet if isinstance(game, PokerGame) else None


def parse_method(text: str) -> Method | None:
    """A method by its name, one of `KNOWN_METHODS`; None for "lp", which does not iterate."""
    word = text.strip().lower()
    if word == "lp":
        return None
    if word == "external":
        return ExternalSampling()
    if word == "outcome":
        return OutcomeSampling()
    try:
        return parse_schedule(word)
    except ParseError:
        raise ParseError(f"{text!r} is not a method; write one of {', '.join(KNOWN_METHODS)}") from None


def solve_named(
    game: SequenceGame,
    method: str,
    *,
    iterations: int | None = None,
    gap: float | None = None,
    seconds: float | None = None,
    seed: int = 0,
    progress: Callable[[Check], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
) -> Solution:
    """Solve by a method's name until the first of the stops; goes on from ``checkpoint`` if it exists.

    Without a stop it ends at a gap of 1 mb/g, or of 0.001 where the game has no small bet. "lp" is exact:
    it takes neither a stop nor a checkpoint.
    """
    chosen = parse_method(method)
    if seed < 0:
        raise SoulreadError(f"a seed is a number from 0 up, not {seed}")
    if chosen is None:
        if checkpoint is not None or any(stop is not None for stop in (iterations, gap, seconds)):
            raise SoulreadError("the method 'lp' is exact and cannot be interrupted: no stop, no checkpoint")
        return solve_exactly(game)
    if gap == 0 and iterations is None and seconds is None:
        raise SoulreadError("a gap of 0 is never reached; give a larger one, seconds or iterations")
    if gap is None and iterations is None and seconds is None:
        gap = DEFAULT_GAP * (small_bet(game.name) or 1)
    return solve(
        game,
        chosen,
        iterations=iterations,
        gap=gap,
        seconds=seconds,
        progress=progress,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        resume=checkpoint is not None,
        rng=np.random.default_rng(seed),
    )
