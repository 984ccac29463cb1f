"""Methods by the names that users type, and the defaults of a solve."""

import os
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from soulread.errors import ParseError, SoulreadError
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Source
from soulread.solvers.cfr.regret import DCFR, Schedule, parse_schedule
from soulread.solvers.cfr.run import Check, Method, Solution, solve
from soulread.solvers.cfr.sampling import ExternalSampling, OutcomeSampling
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.lp import solve_exactly

KNOWN_METHODS = "dcfr", "dcfr:1.5,0,2", "cfr+", "pcfr+", "lcfr", "cfr", "lp", "external", "outcome"
DEFAULT_GAP = 1e-3  # of a small bet, or of a chip where the game has none
DEFAULT_ABSTRACT_GAP = 3e-3  # of a small bet; the cards an abstraction cannot tell apart cost far more
DEFAULT_MENU_GAP = 1e-2  # of a big blind, in no-limit games; raises that a menu leaves out cost far more


def default_gap(game: SequenceGame | Source) -> float:
    """The exploitability, in chips per hand, at which a solve ends by default."""
    if isinstance(game, Source):
        return _gap(game.cards is not None, game.bets is not None, game.poker.rules.small_bet)
    return _gap(game.abstract, game.bets is not None, game.small_bet)


def _gap(abstract: bool, menu: bool, small_bet: int | None) -> float:
    usual = DEFAULT_GAP if not abstract else DEFAULT_MENU_GAP if menu else DEFAULT_ABSTRACT_GAP
    return usual * (small_bet or 1)


def default_schedule(source: Source) -> Schedule:
    """How a game is solved by default.

    Quick matrices do better with other exponents: limit:5-5-5-5:quick reaches 3 mb/g in 270 iterations, and
    needs 360 with the usual ones. So do no-limit games.
    """
    return DCFR(1.5, 0.5, 4) if source.quick or source.bets is not None else DCFR()


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
    method: str | None = None,
    stops: Stops | None = None,
    *,
    seed: int = 0,
    progress: Callable[[Check], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
) -> Solution:
    """Solve by a method's name until the first of the stops is reached.

    If the file ``checkpoint`` exists, the solve goes on from it. Without a method it is DCFR. Without a stop
    it ends at a gap of 1 mb/g, of 3 mb/g in an abstraction, or of 0.001 chips if the game has no small bet.
    "lp" is exact: it takes neither a stop nor a checkpoint.
    """
    chosen = DCFR() if method is None else parse_method(method)
    stops = Stops() if stops is None else stops
    if seed < 0:
        raise SoulreadError(f"a seed is a number from 0 up, not {seed}")
    if chosen is None:
        if checkpoint is not None or stops.bounded:
            raise SoulreadError("the method 'lp' is exact and cannot be interrupted: no stop, no checkpoint")
        return solve_exactly(game)
    if stops.gap == 0 and stops.iterations is None and stops.seconds is None:
        raise SoulreadError("a gap of 0 is never reached; give a larger one, seconds or iterations")
    if not stops.bounded:
        stops = replace(stops, gap=default_gap(game))
    return solve(
        game,
        chosen,
        stops,
        progress=progress,
        checkpoint=checkpoint,
        checkpoint_every=checkpoint_every,
        resume=checkpoint is not None,
        rng=np.random.default_rng(seed),
    )
