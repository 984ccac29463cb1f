"""Hold'em through a card abstraction: its betting tree times bucket sequences.

Solvers need to know only two things of the cards, for each round: how likely two private states meet, and how
likely the first one then wins (`soulread.abstraction.joint`). A game of 8-12-4-4 buckets has 9 million
information sets. `memory_needed` says before anything is built how much memory a game takes, and
`verify_memory` refuses a game that the machine cannot hold.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import DTypeLike

from soulread import machine
from soulread.abstraction import tables
from soulread.abstraction.joint import Joint
from soulread.abstraction.states import Abstraction, AbstractionSpec
from soulread.errors import ShapeError, SoulreadError
from soulread.games.bets import Bets
from soulread.games.limit_holdem import limit_holdem
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerGame, Rules
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import PrivateStates, SequenceGame, factored_game
from soulread.seqform.lookup import AbstractLookup
from soulread.seqform.treeplex import Floats

_ROWS = 512  # of counts that are turned into chances at a time
_ARRAYS = 7  # per player while solving: regret, behaviour, plan, average, gradient, and a pair of results


def abstract_game(
    game: PokerGame,
    abstraction: Abstraction,
    joint: Joint,
    dtype: DTypeLike = np.float32,
    name: str | None = None,
    bets: Bets | None = None,
) -> SequenceGame:
    """The game in which players see only their private states; its name is like "limit:5-5-5-5".

    A no-limit game has the raises of the menu ``bets``.

    Single precision is enough: in 5-5-5-5 it moves the exploitability of a strategy by 0.0001 mb/g.
    """
    verify_has_abstraction(game)
    if joint.branching != abstraction.branching:
        raise ShapeError(
            f"joint matrices of branching {joint.branching} do not belong to abstraction {abstraction.spec}"
        )
    reach, win = _chances(joint, abstraction.num_states, dtype)
    states = PrivateStates(
        names=tuple(
            tuple(abstraction.state_name(r, state) for state in range(size))
            for r, size in enumerate(abstraction.num_states)
        ),
        parent=abstraction.parent_state,
        reach=reach,
        win=win,
    )
    return factored_game(
        game, states, name or f"{game.name}:{abstraction.spec}", AbstractLookup(abstraction), bets
    )


def _chances(
    joint: Joint, num_states: Sequence[int], dtype: DTypeLike
) -> tuple[tuple[Floats, ...], tuple[Floats, ...]]:
    """Both ``[rounds]`` of ``[S_r, S_r]``: joint chance, and joint chance of the first player winning.

    Only some rows of counts are read at a time, because they may be mapped from disk and larger than memory.
    """
    deals, river = joint.num_deals, num_states[-1]
    totals = [[np.zeros((size, size)) for size in num_states[:-1]] for _ in range(2)]
    matrices = [np.empty((river, river), dtype=dtype) for _ in range(2)]
    for first in range(0, river, _ROWS):
        rows = slice(first, min(first + _ROWS, river))
        won = joint.win_deals[rows]
        met = won + joint.win_deals[:, rows].T + joint.tie_deals[rows]
        for counts, sums, matrix in zip((met, won), totals, matrices, strict=True):
            chances = counts / deals
            matrix[rows] = chances
            for size, total in zip(num_states[:-1], sums, strict=True):
                within = river // size
                states = np.arange(rows.start, rows.stop) // within
                np.add.at(total, states, chances.reshape(-1, size, within).sum(axis=2))
    reach, win = (
        (*(total.astype(dtype) for total in sums), matrix)
        for sums, matrix in zip(totals, matrices, strict=True)
    )
    return reach, win


def has_abstraction(game: PokerGame) -> bool:
    """Whether ``game`` needs no more than an abstraction of its cards: heads-up limit hold'em by any name."""
    return game.rules.plays_like(limit_holdem().rules)


def has_menu(game: PokerGame) -> bool:
    """Whether ``game`` is heads-up no-limit hold'em, for which an abstraction also needs a menu of raises."""
    rules = game.rules
    return (
        game.num_players == 2
        and rules.stacks is not None
        and _without_stakes(rules) == _without_stakes(nolimit_holdem().rules)
    )


def _without_stakes(rules: Rules) -> Rules:
    """Rules but for what the chips are worth and how many there are."""
    return replace(
        rules, name="", stacks=(1, 1), blinds=(1, 1), ante=0, small_bet=1, big_blind=1, suit_isomorphic=False
    )


def verify_has_abstraction(game: PokerGame) -> None:
    """Raise unless ``game`` is one the card abstractions are for."""
    if not (has_abstraction(game) or has_menu(game)):
        raise SoulreadError(
            f"{game.name!r} has no card abstraction; heads-up 'limit' and 'nolimit' hold'em have"
        )


def memory_needed(
    game: PokerGame, spec: AbstractionSpec, dtype: DTypeLike = np.float32, bets: Bets | None = None
) -> int:
    """Bytes that solving ``game`` with this abstraction takes at its peak; nothing is built for the answer.

    The sum has the two matrices of the river and the one of its showdowns, and those of earlier rounds. For
    each player it has what `soulread.solvers.cfr.minimiser` keeps per sequence, and the treeplex per
    information set.
    """
    betting = betting_tree(game, bets)
    size = np.dtype(dtype).itemsize
    matrices = 3 * size * sum(states**2 for states in spec.num_states)
    sequences = sum(betting.num_sequences(spec.num_states))
    sets = sum(betting.num_sets(spec.num_states))
    return matrices + _ARRAYS * size * sequences + 2 * 4 * sets


def verify_memory(
    game: PokerGame, spec: AbstractionSpec, dtype: DTypeLike = np.float32, bets: Bets | None = None
) -> None:
    """Raise, with the figures, if building the tables or solving would take more memory than there is."""
    betting = betting_tree(game, bets)
    solving, building = memory_needed(game, spec, dtype, bets), tables.memory_needed(spec).peak
    free = machine.available_memory()
    too_many = max(betting.num_sequences(spec.num_states)) >= 2**31
    if too_many or (free is not None and max(solving, building) > free):
        raise SoulreadError(
            f"{game.name}:{spec} has {spec.num_states[-1]:,} private states on the river and "
            f"{sum(betting.num_sets(spec.num_states)):,} information sets: its tables take "
            f"{building / 1e9:.1f} GB of memory to build and {solving / 1e9:.1f} GB to solve with, "
            f"{(free or 0) / 1e9:.1f} GB are free; choose fewer buckets{'' if bets is None else ' or bets'}"
        )
