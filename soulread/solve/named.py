"""Games and methods by the names a user types, for the command line and scripts.

A game of hold'em has its card abstraction behind a colon, as in "limit:5-5-5-5" or "limit:hs:8-12-4-4", and
":quick" behind that if its joint matrices may come from a part of the boards.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from soulread.abstraction.states import AbstractionSpec, parse_abstraction
from soulread.abstraction.tables import load_or_build
from soulread.errors import ParseError, SoulreadError
from soulread.games import OpenSpielGame, PokerGame, find_game, limit_holdem
from soulread.seqform.abstract import abstract_game, verify_memory
from soulread.seqform.compile import (
    MAX_HISTORIES,
    SequenceGame,
    compile_factored,
    compile_game,
    enumerate_states,
    factored_game,
)
from soulread.seqform.tabular import AbstractLookup, CardLookup, Lookup
from soulread.solve.lp import solve_exactly
from soulread.solve.mccfr import ExternalSampling, OutcomeSampling
from soulread.solve.regret import parse_schedule
from soulread.solve.run import Check, Method, Solution, solve
from soulread.solve.stops import Stops

KNOWN_METHODS = "dcfr", "dcfr:1.5,0,2", "cfr+", "pcfr+", "lcfr", "cfr", "lp", "external", "outcome"
DEFAULT_GAP = 1e-3  # of a small bet, or of a chip where the game has none
DEFAULT_ABSTRACT_GAP = 3e-3  # of a small bet; the cards an abstraction cannot tell apart cost far more
DEFAULT_METHOD = "dcfr"
DEFAULT_QUICK_METHOD = "dcfr:1.5,0.5,4"  # limit:5-5-5-5:quick to 3 mb/g in 270 iterations, dcfr in 360
_LARGEST_DECK = 12  # cards of a poker game that is solved without an abstraction
_QUICK = ":quick"

Tell = Callable[[str], None]  # told in words what is going on


@dataclass(frozen=True)
class AbstractName:
    """What "limit:5-5-5-5:quick" says."""

    spec: AbstractionSpec
    quick: bool

    @property
    def game(self) -> PokerGame:
        """The game with its real cards."""
        return limit_holdem()

    def __str__(self) -> str:
        return f"limit:{self.spec}{_QUICK if self.quick else ''}"


class Playable(NamedTuple):
    """A game to solve, and what it takes to play its strategies with real cards."""

    game: SequenceGame  # factored
    poker: PokerGame
    lookup: Lookup


def parse_abstract_game(text: str) -> AbstractName | None:
    """``"limit:5-5-5-5"``, ``"limit:hs:8-12-4-4:quick"``; None for a game without an abstraction."""
    name, _, rest = text.partition(":")
    if name != "limit" or not rest:
        return None
    quick = rest.endswith(_QUICK)
    return AbstractName(parse_abstraction(rest.removesuffix(_QUICK)), quick)


def compile_named(text: str, representation: str = "sparse", tell: Tell | None = None) -> SequenceGame:
    """The game a text names, ready to be solved; refused if it is too large for that.

    The tables of an abstraction are built if they are not in the cache; ``tell`` hears how far that is.
    """
    named = parse_abstract_game(text)
    if named is not None:
        return _compile_abstract(named, tell).game
    game = find_game(text)
    if isinstance(game, OpenSpielGame):
        return compile_game(game, game.max_histories)
    if game.num_players != 2:
        raise SoulreadError(f"{game.name!r} has {game.num_players} players; games of 2 can be solved")
    if isinstance(game, PokerGame):
        _verify_small(game)
        if representation == "factored":
            return compile_factored(game)
    return compile_game(game, MAX_HISTORIES)


def compile_playable(text: str, tell: Tell | None = None) -> Playable:
    """The poker game a text names, to be solved and played: "kuhn", "leduc", "limit:5-5-5-5"."""
    named = parse_abstract_game(text)
    if named is not None:
        return _compile_abstract(named, tell)
    game = find_game(text)
    if not isinstance(game, PokerGame):
        raise SoulreadError(f"{text!r} is not a poker game")
    _verify_small(game)
    states = enumerate_states(game)
    return Playable(factored_game(game, states), game, CardLookup(game, states))


def _compile_abstract(named: AbstractName, tell: Tell | None) -> Playable:
    verify_memory(named.game, named.spec)
    progress = None if tell is None else lambda title, part: tell(f"{named}: {title}, {part:.0%}")
    abstraction, joint = load_or_build(named.spec, named.quick, progress)
    game = abstract_game(named.game, abstraction, joint, name=str(named))
    return Playable(game, named.game, AbstractLookup(abstraction))


def _verify_small(game: PokerGame) -> None:
    if len(game.rules.deck) > _LARGEST_DECK:
        raise SoulreadError(
            f"{game.name!r} is too large to be solved card by card; it needs an abstraction of its cards"
            + (", such as 'limit:5-5-5-5'" if game.name == "limit" else "")
        )


def small_bet(text: str) -> int | None:
    """Chips of a small bet, the unit of mb/g, in the game a text names; None where there is none."""
    named = parse_abstract_game(text)
    game = find_game(text) if named is None else named.game
    return game.rules.small_bet if isinstance(game, PokerGame) else None


def default_gap(text: str) -> float:
    """The exploitability a solve goes on to if nothing else is said, in chips per hand."""
    part = DEFAULT_GAP if parse_abstract_game(text) is None else DEFAULT_ABSTRACT_GAP
    return part * (small_bet(text) or 1)


def default_method(text: str) -> str:
    """The method a game is solved by if nothing else is said."""
    named = parse_abstract_game(text)
    return DEFAULT_METHOD if named is None or not named.quick else DEFAULT_QUICK_METHOD


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
    """Solve by a method's name until the first of the stops; goes on from ``checkpoint`` if it exists.

    Without a method it is that of `default_method`. Without a stop it ends at a gap of 1 mb/g, of 3 mb/g in
    an abstraction, or of 0.001 where the game has no small bet. "lp" is exact: it takes neither a stop nor a
    checkpoint.
    """
    stops = stops or Stops()
    chosen = parse_method(default_method(game.name) if method is None else method)
    if seed < 0:
        raise SoulreadError(f"a seed is a number from 0 up, not {seed}")
    if chosen is None:
        if checkpoint is not None or stops.bounded:
            raise SoulreadError("the method 'lp' is exact and cannot be interrupted: no stop, no checkpoint")
        return solve_exactly(game)
    if stops.gap == 0 and stops.iterations is None and stops.seconds is None:
        raise SoulreadError("a gap of 0 is never reached; give a larger one, seconds or iterations")
    if not stops.bounded:
        stops = replace(stops, gap=default_gap(game.name))
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
